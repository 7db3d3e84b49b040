//! A request and its answer as plain data. Nothing in here knows the platform.

pub mod body;
mod call;
mod command;
pub mod cookie;
pub mod cors;
pub mod json;
pub mod moment;
pub mod negotiate;
mod network;
pub(crate) mod object;
mod origin_headers;
mod reply;
mod text;

use crate::queue::{AnsweredTo, EndedSession, Position};
pub use call::{Call, HEADERS, field};
pub use command::{COMMANDS, commands};
pub use network::network;
pub use origin_headers::{forbids_storing, is_for_all, is_withheld, told, upgrades_only, withheld};
pub use reply::{PRIVATE, Reply};
use std::borrow::Cow;
pub(crate) use text::is_ignorable;
pub use text::{code_point, first, is_token, is_unseen, seen, shortened, without_mark};

/// What is to be done with the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Pass it on to the origin, body and all.
    Forward(Forward),
    /// Answer it here.
    Reply(Reply),
}

/// What the origin and the visitor get besides what they send each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forward {
    /// For `Queue-Position`.
    pub position: Option<Position>,
    /// For `Queue-Pass`.
    pub pass: Option<String>,
    /// To which site it goes.
    pub site: Site,
    /// Which of the visitor's cookies go along.
    pub cookies: Cookies,
    /// How it goes there.
    pub way: Way,
    /// To be appended to the origin's own, together with `Cache-Control: private, no-store`.
    pub set_cookies: Vec<String>,
    /// Whether the origin may command something with its answer.
    pub commands: Commands,
    /// How its answer is watched, where it is.
    pub watch: Option<Watch>,
}

/// A site behind the room: where it is, and for which host it is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// The backend, where that is not the usual one.
    pub backend: Option<String>,
    /// The `Host` that it gets, where that is not the visitor's.
    pub host: Option<String>,
}

/// How an answer of the origin is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watch {
    /// It is late after that many milliseconds.
    pub slow_ms: u64,
    /// As whose answer the store hears of it; `None` where it does not.
    pub told: Option<AnsweredTo>,
    /// What the visitor gets in place of a bad one.
    pub on_bad: OnBad,
}

/// What a visitor gets where the origin's answer is bad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnBad {
    /// That answer.
    #[default]
    Deliver,
    /// The waiting page, and the place in the line.
    KeepPlace,
}

/// Whether an answer of the origin is looked at for commands, which takes the way that others skip: the edge waits for its head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Commands {
    /// It is not.
    #[default]
    Unread,
    /// It is; and what follows where it ends the visitor's session, if there is one.
    Read(Option<Box<Ending>>),
}

/// What follows where the origin ends a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// For the store.
    pub session: EndedSession,
    /// In place of the cookies that go with the answer.
    pub cookies: Vec<String>,
}

/// How a request goes to the origin, and what the platform may do with the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Way {
    /// The answer is handed to this visitor, and nothing of it is kept.
    #[default]
    Pass,
    /// The answer is kept as the origin's headers say, and shown to other visitors.
    Cache,
    /// The connection becomes a WebSocket between the visitor and the origin.
    WebSocket,
}

/// The visitor's cookies on the way to the origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cookies {
    /// All but those of these names, and but tickets in cookies that are named like these.
    Without(Vec<Cow<'static, str>>, &'static [&'static str]),
    /// None at all.
    None,
}

impl Default for Cookies {
    fn default() -> Self {
        Self::Without(Vec::new(), &[])
    }
}

impl Cookies {
    /// The one line that the origin gets of these (RFC 9113 8.2.3), if anything is left.
    #[must_use]
    pub fn left<'a>(&self, lines: impl Iterator<Item = &'a [u8]>) -> Option<Vec<u8>> {
        let left = |line| match self {
            Self::Without(names, like) => cookie::without(line, names, like),
            Self::None => None,
        };
        let left: Vec<Vec<u8>> = lines
            .filter_map(left)
            .filter(|line| !line.is_empty())
            .collect();
        (!left.is_empty()).then(|| left.join(&b"; "[..]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(host: &str, https: bool) -> bool {
        let call = Call {
            host: host.to_owned(),
            https,
            ..Call::default()
        };
        call.is_loopback()
    }

    #[test]
    fn a_host_is_the_same_with_dots_at_its_end() {
        for (host, name) in [
            ("queue.local", "queue.local"),
            ("queue.local.", "queue.local"),
            ("queue.local.:7676", "queue.local"),
            ("queue.local..", "queue.local"),
            ("queue.local...:80", "queue.local"),
            ("[::1]:80", "::1"),
            ("", ""),
        ] {
            let host = host.to_owned();
            let call = Call {
                host,
                ..Call::default()
            };
            assert_eq!(call.hostname(), name, "{call:?}");
        }
    }

    #[test]
    fn what_a_url_takes_for_another_part_is_no_host() {
        for (host, is_one) in [
            ("queue.local:80", true),
            ("[::1]:80", true),
            ("a@queue.local", false),
            ("a:b@queue.local", false),
            ("queue.local/a", false),
            ("queue.local\\a", false),
            ("queue.local?a", false),
            ("queue.local#a", false),
            ("%71ueue.local", false),
        ] {
            let (host, path) = (host.to_owned(), "/".to_owned());
            let call = Call {
                path,
                host,
                ..Call::default()
            };
            assert_eq!(call.names_host(), is_one, "{call:?}");
        }
    }

    #[test]
    fn loopback_is_an_address_of_this_machine_over_http() {
        for host in [
            "127.0.0.1:7676",
            "127.9.9.9",
            "localhost",
            "localhost:80",
            "[::1]:7676",
            "[::1]",
        ] {
            assert!(at(host, false), "{host}");
            assert!(!at(host, true), "{host} over https");
        }
        for host in [
            "",
            "shop.example",
            "localhost.example",
            "127.0.0.1.example",
            "127.0.0",
            "[::2]",
            "[",
            "0.0.0.0",
        ] {
            assert!(!at(host, false), "{host}");
        }
    }

    #[test]
    fn a_phone_keeps_the_cookie_of_the_local_server_and_of_no_other() {
        let keeps = |host: &str, local: bool, https: bool| {
            let call = Call {
                host: host.to_owned(),
                https,
                local,
                ..Call::default()
            };
            call.is_loopback()
        };
        for host in [
            "192.168.1.7:7676",
            "10.0.0.2",
            "172.16.0.1:80",
            "laptop.local:7676",
            "[fd00::7]:7676",
        ] {
            assert!(keeps(host, true, false), "{host}");
            assert!(!keeps(host, false, false), "{host} in production");
            assert!(!keeps(host, true, true), "{host} over https");
        }
        for host in ["8.8.8.8", "shop.example", "local", "192.168.1.7.example"] {
            assert!(!keeps(host, true, false), "{host}");
        }
    }
}
