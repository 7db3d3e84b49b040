//! The waiting page in the operator's brand: their own template if it is sound, else the built-in one, in every language.
//!
//! A template that is refused costs no visitor the answer: another page serves, and the log says why.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::brand::{Brand, constant};
use super::built_in::{BuiltIn, QUEUE};
use super::page_context::Told;
use super::template::{Compiled, Refusal, Samples, Template};
use super::{Links, Waiting};
use crate::i18n::{Language, english};
use crate::queue::{Cursor, Mode, Position};
use crate::ticket::Notice;

/// The longest template, in characters: what the platform lets a setting have.
const MAX_TEMPLATE_CHARS: usize = 8_000;

/// A template that is not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// `setting`, or the file of the built-in page.
    pub template: &'static str,
    /// Where, and why.
    pub refusal: Refusal,
}

/// The page in one language; nothing if its template is broken.
struct Parsed {
    tag: &'static str,
    page: Option<Arc<Template>>,
}

/// The waiting page in one language.
pub(super) enum Page {
    /// The built-in one.
    BuiltIn(&'static Compiled),
    /// One of the operator's own.
    Own(Arc<Template>),
    /// Even the built-in one is broken.
    Broken,
}

/// The waiting page, parsed in those languages in which somebody has seen it.
pub struct Pages {
    /// What operators say about themselves.
    pub brand: Brand,
    own: Option<String>,
    own_refused: Option<Refusal>,
    built_in: BuiltIn,
    parsed: Mutex<Vec<Parsed>>,
    refused: Mutex<Vec<Refused>>,
}

impl Pages {
    /// With the operator's own template, if there is one: it is tried now, in English, since the languages differ in
    /// their words only.
    #[must_use]
    pub fn new(brand: Brand, own: Option<String>) -> Self {
        Self::with(brand, own, QUEUE)
    }

    fn with(brand: Brand, own: Option<String>, built_in: BuiltIn) -> Self {
        let mut pages = Self {
            brand,
            own: None,
            own_refused: None,
            built_in,
            parsed: Mutex::default(),
            refused: Mutex::default(),
        };
        if let Some(own) = own {
            let english = english();
            match short(&own).and_then(|()| tried(&own, &pages.brand, english)) {
                Ok(page) => {
                    pages.own = Some(own);
                    held(&pages.parsed).push(Parsed {
                        tag: english.tag,
                        page: Some(Arc::new(page)),
                    });
                }
                Err(refusal) => {
                    pages.own_refused = Some(refusal.clone());
                    pages.refuse("setting", refusal);
                }
            }
        }
        pages
    }

    fn refuse(&self, template: &'static str, refusal: Refusal) {
        held(&self.refused).push(Refused { template, refusal });
    }

    /// Why the operator's own template is not shown, if it is not.
    #[must_use]
    pub fn own_refused(&self) -> Option<&Refusal> {
        self.own_refused.as_ref()
    }

    /// The templates refused since this was last asked.
    #[must_use]
    pub fn refused(&self) -> Vec<Refused> {
        std::mem::take(&mut held(&self.refused))
    }

    /// The page in that language.
    pub(super) fn page(&self, words: &'static Language) -> Page {
        let text = match (&self.own, self.built_in) {
            (Some(own), _) => own,
            (None, Err(text)) => text,
            (None, Ok(page)) => return Page::BuiltIn(page),
        };
        self.read(text, words).map_or(Page::Broken, Page::Own)
    }

    /// A template in that language, read once; nothing if it is broken.
    fn read(&self, text: &str, words: &'static Language) -> Option<Arc<Template>> {
        let mut parsed = held(&self.parsed);
        if let Some(known) = parsed.iter().find(|known| known.tag == words.tag) {
            return known.page.clone();
        }
        let page = match Template::new(text, &|name| constant(name, words, &self.brand)) {
            Ok(page) => Some(Arc::new(page)),
            Err(refusal) => {
                self.refuse("templates/queue.html", refusal);
                None
            }
        };
        parsed.push(Parsed {
            tag: words.tag,
            page: page.clone(),
        });
        page
    }
}

/// A thread that held it before us may have panicked; what it holds is whole all the same.
fn held<T>(kept: &Mutex<T>) -> MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

fn short(text: &str) -> Result<(), Refusal> {
    let Some((beyond, _)) = text.char_indices().nth(MAX_TEMPLATE_CHARS) else {
        return Ok(());
    };
    let rest = text.get(beyond..).unwrap_or_default();
    let reason = format!("a template has at most {MAX_TEMPLATE_CHARS} characters");
    Err(Refusal::at(text, rest, reason))
}

fn tried(text: &str, brand: &Brand, words: &'static Language) -> Result<Template, Refusal> {
    Template::tried(text, &|name| constant(name, words, brand), &samples(words))
}

/// Everything a page may be asked to show, and next to nothing.
fn samples(words: &'static Language) -> Samples {
    let something = || Some("data:,".to_owned());
    let brand = Brand {
        name: something(),
        logo: something(),
        ..Brand::default()
    };
    let waiting = Waiting {
        position: Some(Position(3)),
        seen: Some((Cursor(1), 1)),
        mode: Mode::Automatic,
        notice: Some(Notice::Anew),
        message: something(),
        said: Some(1),
        first: Some(1),
        reference: something(),
        is_old: true,
        estimate: Some(60),
        valid: Some(60),
        refresh: 5,
        unsent: true,
        ..Waiting::default()
    };
    let links = Links {
        here: "/".to_owned(),
        place: "/_queue/place".to_owned(),
        updates: "/_queue/updates".to_owned(),
        language: "/_queue/language".to_owned(),
        home: something(),
        invitation: something(),
    };
    Samples {
        full: Told::new(&waiting, &links, words, &brand).value().into(),
        bare: Told::new(
            &Waiting::default(),
            &Links::default(),
            words,
            &Brand::default(),
        )
        .value()
        .into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::built_in::texts;
    use crate::page::waiting_page;

    fn branded() -> Brand {
        Brand {
            name: Some("<b>\"&".to_owned()),
            logo: Some("data:image/png;base64,AA==".to_owned()),
            ..Brand::default()
        }
    }

    fn html(pages: &Pages) -> Option<String> {
        let (waiting, links) = (Waiting::default(), Links::default());
        let told = Told::new(&waiting, &links, english(), &pages.brand);
        let reply = match pages.page(english()) {
            Page::BuiltIn(page) => page.render(503, &told, told.same(), "'none'"),
            Page::Own(page) => page.render(503, &told.value().into(), "'none'")?,
            Page::Broken => return None,
        };
        String::from_utf8(reply.body).ok()
    }

    #[test]
    fn the_built_in_page_is_sound() {
        for brand in [Brand::default(), branded()] {
            let found = tried(texts::QUEUE, &brand, english()).err();
            assert_eq!(found, None, "templates/queue.html");
        }
    }

    #[test]
    fn a_brand_is_text_wherever_it_stands() {
        let own =
            "<p title=\"{{brand.name}}\">{{brand.name}}</p>{{#if brand.logo}}{{brand.logo}}{{/if}}";
        let pages = Pages::new(branded(), Some(own.to_owned()));
        let name = "&lt;b&gt;&quot;&amp;";
        let logo = "data:image/png;base64,AA&#x3D;&#x3D;";
        let expected = format!("<p title=\"{name}\">{name}</p>{logo}");
        assert_eq!(html(&pages), Some(expected));
        assert_eq!(pages.refused(), []);
        let plain = Pages::new(
            Brand::default(),
            Some("a{{#if brand.name}}b{{/if}}".to_owned()),
        );
        assert_eq!(html(&plain).as_deref(), Some("a"));
    }

    #[test]
    fn a_broken_template_is_named_once_and_the_built_in_page_serves() {
        let pages = Pages::new(Brand::default(), Some("a\n{{brand.nam}}".to_owned()));
        let refused = Refused {
            template: "setting",
            refusal: Refusal {
                line: 2,
                reason: "there is no brand.nam, but name, light, dark, hex, logo".to_owned(),
            },
        };
        assert_eq!(pages.refused(), [refused]);
        assert_eq!(html(&pages), html(&Pages::new(Brand::default(), None)));
        assert_eq!(pages.refused(), [], "once");
    }

    #[test]
    fn a_built_in_page_that_is_broken_is_a_notice_and_told_once() {
        let pages = Pages::with(Brand::default(), None, Err("a\n{{text.nothing}}"));
        assert_eq!(pages.refused(), [], "nobody has asked for it yet");
        assert_eq!((html(&pages), html(&pages)), (None, None));
        let waiting = Waiting {
            position: Some(Position(7)),
            ..Waiting::default()
        };
        let reply = waiting_page(
            429,
            &waiting,
            &Links::default(),
            english(),
            &pages,
            Some("'self'"),
        );
        let page = String::from_utf8_lossy(&reply.body).into_owned();
        let line = "Your place is kept. We can’t see how far the line has moved right now.";
        let notice = format!("<h1>You’re in line</h1><p id=text>{line}</p>");
        assert!(reply.status == 429 && page.contains(&notice), "{page}");
        let policy = reply.headers.iter().map(|(_, value)| value.as_str());
        assert!(
            policy
                .into_iter()
                .any(|value| value.ends_with("frame-ancestors 'self'"))
        );
        let told: Vec<_> = pages
            .refused()
            .into_iter()
            .map(|refused| (refused.template, refused.refusal.line))
            .collect();
        assert_eq!(told, [("templates/queue.html", 2)]);
    }

    #[test]
    fn a_template_ends_where_a_setting_ends() {
        let refused = |length: usize| {
            let own = "a\n".to_owned() + &"é".repeat(length - 2);
            Pages::new(Brand::default(), Some(own)).refused()
        };
        assert_eq!(refused(MAX_TEMPLATE_CHARS), []);
        let lines: Vec<usize> = refused(MAX_TEMPLATE_CHARS + 1)
            .iter()
            .map(|refused| refused.refusal.line)
            .collect();
        assert_eq!(lines, [2]);
    }

    #[test]
    fn a_text_that_is_not_there_is_named_with_those_that_are() {
        let pages = Pages::new(Brand::default(), Some("{{text.hading}}".to_owned()));
        let reasons: Vec<String> = pages
            .refused()
            .into_iter()
            .map(|refused| refused.refusal.reason)
            .collect();
        let reason = reasons.concat();
        assert!(
            reason.starts_with("there is no text.hading, but "),
            "{reason}"
        );
        assert!(
            english().names().all(|name| reason.contains(name)),
            "{reason}"
        );
    }
}
