//! What is measured: six kinds of request, and under each the floor it stands on.

use std::borrow::Cow;

use clap::ValueEnum;
use hyper::header::{AUTHORIZATION, COOKIE, HeaderName};

use crate::newcomers::Newcomers;

/// A kind of request the product answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scenario {
    /// Somebody without a ticket, who draws one
    New,
    /// Somebody with a ticket, whose turn has not come
    Waiting,
    /// The same by the waiting page's script
    Update,
    /// Somebody inside, who is passed on
    Admitted,
    /// A path that skips the room
    Bypass,
    /// The operator's panel
    Panel,
}

/// The least a handler can do for a kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Floor {
    Hello,
    Forward,
    Store,
    /// The product's own calls of the host.
    Calls,
}

/// What visitors send, and how one knows that the answer is the right one.
#[derive(Clone)]
pub(crate) struct Ask {
    pub(crate) target: Cow<'static, str>,
    pub(crate) header: Option<(HeaderName, String)>,
    /// Whose cookie each request has, where each is another visitor's.
    pub(crate) newcomers: Option<Newcomers>,
    pub(crate) status: u16,
    /// Words that stand in every right answer.
    pub(crate) mark: &'static str,
}

/// The cookies of two visitors, and those of many who have no number yet.
#[derive(Clone, Default)]
pub(crate) struct Cookies {
    pub(crate) newcomers: Option<Newcomers>,
    pub(crate) waiting: String,
    pub(crate) admitted: String,
}

impl Scenario {
    pub(crate) const ALL: [Self; 6] = [
        Self::New,
        Self::Waiting,
        Self::Update,
        Self::Admitted,
        Self::Bypass,
        Self::Panel,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Waiting => "waiting",
            Self::Update => "update",
            Self::Admitted => "admitted",
            Self::Bypass => "bypass",
            Self::Panel => "panel",
        }
    }

    pub(crate) fn floor(self) -> Floor {
        match self {
            Self::New | Self::Panel => Floor::Store,
            Self::Waiting | Self::Update => Floor::Hello,
            Self::Admitted | Self::Bypass => Floor::Forward,
        }
    }

    /// What the product is asked.
    pub(crate) fn ask(self, cookies: &Cookies) -> Ask {
        let cookie = |cookie: &str| Some((COOKIE, cookie.to_owned()));
        match self {
            // A number is drawn by the second request.
            Self::New => Ask {
                newcomers: cookies.newcomers.clone(),
                ..Ask::new("/", None, 503, IN_LINE)
            },
            Self::Waiting => Ask::new("/", cookie(&cookies.waiting), 503, IN_LINE),
            Self::Update => Ask::new("/_queue/place", cookie(&cookies.waiting), 200, SEEN),
            Self::Admitted => Ask::new("/status/200", cookie(&cookies.admitted), 200, "Status 200"),
            Self::Bypass => Ask::new("/robots.txt", None, 200, "User-agent"),
            Self::Panel => {
                let operator = Some((AUTHORIZATION, OPERATOR.to_owned()));
                Ask::new("/_queue", operator, 200, "Let visitors in")
            }
        }
    }

    /// Those of which there is a floor that makes the same calls of the host.
    pub(crate) fn has_calls(self) -> bool {
        match self {
            Self::New | Self::Waiting | Self::Update | Self::Admitted | Self::Bypass => true,
            Self::Panel => false,
        }
    }

    /// What this floor is asked: the same, but for the answer.
    pub(crate) fn ask_floor(self, floor: Floor, cookies: &Cookies) -> Ask {
        let ask = self.ask(cookies);
        let is_forwarded = self.floor() == Floor::Forward;
        match floor {
            Floor::Forward => ask,
            Floor::Calls if is_forwarded => ask,
            Floor::Calls => {
                let mark = "....";
                // By its path, since the floor reads no ticket.
                let draw = (self == Self::New).then_some("/draw");
                let target = draw.map_or(ask.target.clone(), Cow::Borrowed);
                Ask {
                    target,
                    mark,
                    ..ask
                }
            }
            Floor::Hello | Floor::Store => Ask {
                status: 200,
                mark: "....",
                ..ask
            },
        }
    }
}

/// What the waiting page and its updates do not have while the store cannot be seen.
pub(crate) const IN_LINE: &str = "id=serving>";
const SEEN: &str = "\"serving\":";

/// `admin:development-only-password`, as Basic authentication words it.
const OPERATOR: &str = "Basic YWRtaW46ZGV2ZWxvcG1lbnQtb25seS1wYXNzd29yZA==";

impl Ask {
    /// The same of another path.
    pub(crate) fn to(self, path: &str) -> Self {
        Self {
            target: Cow::Owned(path.to_owned()),
            ..self
        }
    }

    fn new(
        target: &'static str,
        header: Option<(HeaderName, String)>,
        status: u16,
        mark: &'static str,
    ) -> Self {
        Self {
            target: Cow::Borrowed(target),
            header,
            newcomers: None,
            status,
            mark,
        }
    }
}

impl Floor {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Hello => "floor-hello",
            Self::Forward => "floor-forward",
            Self::Store => "floor-store",
            Self::Calls => "floor-calls",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Else every answer is taken for a wrong one, and nothing is measured.
    #[test]
    fn what_marks_a_right_answer_stands_on_its_page() {
        let [page, panel] = ["queue", "admin"].map(|name| {
            let path = format!("{}/../../templates/{name}.html", env!("CARGO_MANIFEST_DIR"));
            std::fs::read_to_string(path).unwrap_or_default()
        });
        assert!(page.contains(IN_LINE), "{IN_LINE}");
        let cookies = Cookies::default();
        let mark = Scenario::Panel.ask(&cookies).mark;
        assert!(panel.contains(mark), "{mark}");
    }
}
