//! Every state of the waiting page and of the panel side by side: `/_demo`, on this machine only.
//!
//! Invariant: what is shown moves nothing. A state is rendered by the service's own code from a made-up view, its updates
//! are answered in kind, and whatever else its links and forms ask for is answered with nothing.

mod lines;
mod sheet;
mod states;

use std::sync::LazyLock;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http_body_util::{BodyExt, Full};
use hyper::StatusCode;
use hyper::body::Bytes;
use hyper::header::{HeaderName, HeaderValue};
use now_serving::http::Reply;
use now_serving::i18n::{LANGUAGES, Language, english};
use now_serving::page::{self, Brand, Links, Pages, Shell};

use super::Seen;
use super::routes::{Response, parameter};
use super::shop::LOGO;
pub use lines::LINES;
pub use states::{STATES, State};
use states::{Update, View};

/// Where the sheet is.
pub const PATH: &str = "/_demo";

/// Who may show a page in a frame: the sheet.
const FRAMES: &str = "'self'";

/// What the pages look like.
pub struct Look {
    /// In addresses.
    pub name: &'static str,
    title: &'static str,
    pages: LazyLock<Pages>,
}

/// With the shop's brand, without one, and as a template of an operator. The first is shown unless another is chosen.
pub static LOOKS: [Look; 6] = [
    Look {
        name: "brand",
        title: "The brand of the demo shop",
        pages: LazyLock::new(|| Pages::new(brand(), None)),
    },
    Look {
        name: "plain",
        title: "No brand",
        pages: LazyLock::new(|| Pages::new(Brand::default(), None)),
    },
    Look {
        name: "own",
        title: "The own page of the docs",
        pages: LazyLock::new(|| Pages::new(brand(), own_page())),
    },
    Look {
        name: "shop",
        title: "An own page: shop",
        pages: LazyLock::new(|| example(include_str!("../../../../../examples/pages/shop.html"))),
    },
    Look {
        name: "festival",
        title: "An own page: festival",
        pages: LazyLock::new(|| {
            example(include_str!("../../../../../examples/pages/festival.html"))
        }),
    },
    Look {
        name: "office",
        title: "An own page: public office",
        pages: LazyLock::new(|| example(include_str!("../../../../../examples/pages/office.html"))),
    },
];

fn brand() -> Brand {
    let logo = STANDARD.encode(LOGO);
    Brand {
        name: Some("Ember & Ash".to_owned()),
        light: "#b23c10".to_owned(),
        dark: "#ff8450".to_owned(),
        logo: Some(format!("data:image/svg+xml;base64,{logo}")),
        ..Brand::default()
    }
}

fn example(page: &str) -> Pages {
    Pages::new(brand(), Some(page.to_owned()))
}

/// The page that the docs show as an example.
fn own_page() -> Option<String> {
    const DOCS: &str = include_str!("../../../../../docs/how-to/write-your-own-page.md");
    let (_, page) = DOCS.split_once("```html\n")?;
    let (page, _) = page.split_once("```")?;
    Some(page.to_owned())
}

/// A page of a state as one frame shows it.
#[derive(Clone, Copy)]
struct Shown {
    state: &'static State,
    words: &'static Language,
    look: &'static Look,
}

impl Shown {
    /// By the parts of its address: state, language and look.
    fn read(state: &str, tag: &str, look: &str) -> Option<Self> {
        Some(Self {
            state: STATES.iter().find(|known| known.name == state)?,
            words: LANGUAGES.iter().find(|known| known.tag == tag)?,
            look: LOOKS.iter().find(|known| known.name == look)?,
        })
    }

    fn address(&self) -> String {
        let (state, tag, look) = (self.state.name, self.words.tag, self.look.name);
        format!("{PATH}/page/{state}/{tag}/{look}")
    }

    /// The page; its updates know when it was loaded.
    fn page(&self) -> Reply {
        let here = self.address();
        match &self.state.view {
            View::Line(waiting, _) => {
                let links = Links {
                    place: format!("{here}/{}/place", now_ms()),
                    updates: format!("{PATH}/nothing"),
                    language: format!(
                        "{PATH}/page/languages/{}/{}",
                        self.words.tag, self.look.name
                    ),
                    home: (self.state.name == "over").then(|| "/".to_owned()),
                    invitation: None,
                    here,
                };
                let pages = &*self.look.pages;
                page::waiting_page(200, &waiting(0), &links, self.words, pages, Some(FRAMES))
            }
            View::Page(page) => page(self.shell(), &here),
        }
    }

    fn shell(&self) -> Shell<'_> {
        Shell {
            words: self.words,
            brand: &self.look.pages.brand,
            frame_ancestors: Some(FRAMES),
        }
    }

    /// An update of a page that was loaded at that time.
    fn place(&self, loaded_ms: u64) -> Option<Reply> {
        let seconds = now_ms().saturating_sub(loaded_ms) / 1000;
        let View::Line(waiting, update) = &self.state.view else {
            return None;
        };
        Some(match *update {
            Update::Turn(at) if at <= seconds => json(r#"{"waiting":false}"#),
            _ => page::place(&waiting(seconds), self.words),
        })
    }
}

fn json(body: &str) -> Reply {
    Reply::new(200, "application/json", body)
}

/// What is answered below [`PATH`]; nothing anywhere else.
pub(super) fn answer(seen: &Seen, path: &str, query: Option<&str>) -> Option<Response> {
    let rest = path.strip_prefix(PATH)?;
    if !rest.is_empty() && !rest.starts_with('/') {
        return None;
    }
    let reply = match seen.method.as_str() {
        "GET" | "HEAD" if !is_reloaded(seen) => shown(rest, query),
        _ => None,
    };
    Some(reply.map_or_else(nothing, framed))
}

fn shown(rest: &str, query: Option<&str>) -> Option<Reply> {
    let parts: Vec<&str> = rest.trim_matches('/').split('/').collect();
    match *parts {
        [""] => Some(sheet(query)),
        ["page", state, tag, look] => Some(Shown::read(state, tag, look)?.page()),
        ["page", state, tag, look, loaded, "place"] => {
            Shown::read(state, tag, look)?.place(loaded.parse().ok()?)
        }
        ["page", _, tag, look, _, "order"] => Some(Shown::read("order", tag, look)?.page()),
        ["panel", line] => lines::panel(line, now_ms()),
        _ => None,
    }
}

/// In the language and the look that are chosen.
fn sheet(query: Option<&str>) -> Reply {
    let chosen = |name| parameter(query, name).unwrap_or_default();
    let words = LANGUAGES.iter().find(|known| known.tag == chosen("lang"));
    let look = LOOKS.iter().find(|known| known.name == chosen("look"));
    let [first, ..] = &LOOKS;
    let html = sheet::html(words.unwrap_or_else(english), look.unwrap_or(first));
    Reply::new(200, "text/html; charset=utf-8", html)
}

/// A page that has had its turn reloads itself, which is how a visitor goes in. In a frame of the sheet it stays as it
/// is: an answer without content leaves it there.
fn is_reloaded(seen: &Seen) -> bool {
    let header = |name: &str| {
        let found = seen.headers.iter().find(|(found, _)| found == name);
        found.map_or(&[][..], |(_, value)| value)
    };
    header("sec-fetch-dest") == b"iframe" && header("cache-control") == b"max-age=0"
}

fn nothing() -> Response {
    let mut response = Response::new(Full::new(Bytes::new()).boxed());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

/// As the edge would send it, but that the sheet may show it in a frame.
fn framed(reply: Reply) -> Response {
    let mut response = Response::new(Full::new(Bytes::from(reply.body)).boxed());
    for (name, value) in reply.headers {
        let value = value.replace("frame-ancestors 'none'", "frame-ancestors 'self'");
        if let Ok(value) = HeaderValue::try_from(value) {
            let name = HeaderName::from_static(name);
            response.headers_mut().append(name, value);
        }
    }
    response
}

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| u64::try_from(now.as_millis()).unwrap_or_default())
}
