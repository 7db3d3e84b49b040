//! The operators' routes: the panel, and the API of the same names.
//!
//! [`login`] says who may come in. Browsers send an operator's Basic credentials from pages of other sites too, so a change
//! by them needs POST and the same origin.

mod change;
mod desk;
mod event_trouble;
pub mod input;
mod invite;
mod journal;
pub mod login;
mod receipt;
mod report;
mod route;
mod scrape;
mod status_json;
pub mod verbs;

use crate::config::{Problem, Room};
use crate::http::json::Pairs;
use crate::http::negotiate::is_navigation;
use crate::http::{Call, Reply};
use crate::page::{self, Link};
use crate::queue::{Board, Inversion, Reason};
use crate::request::Request;
use crate::store::upstash::StoreError;
use input::Refusal;
use login::{Audience, Operator, Refused, Right, Scheme};
use route::Route;
pub use route::is_of_programs;
pub use status_json::unsound;
use status_json::{health, settings, status};
use std::io::Read;

/// An answer, why it is that one, and what was wrong with the store if anything was.
pub struct Answered {
    /// What to send.
    pub reply: Reply,
    /// For the log.
    pub reason: Reason,
    /// For the log.
    pub fault: Option<StoreError>,
    /// The board, if this request saw it.
    pub board: Option<Board>,
    /// For the log: the name of the credentials.
    pub operator: Option<String>,
    /// For the log: what is wrong with the secrets by which somebody asked.
    pub problems: Vec<Problem>,
    /// For the log: what was changed.
    pub action: Option<String>,
    /// Whether that lets the operator's own browser pass waiting visitors.
    pub inversion: Option<Inversion>,
}

/// Answers a request below the operator's path on a host that has none of the operators' routes, since `admin_host` is
/// another one: no credentials are read, and monitors find the health route where visitors are served.
#[must_use]
pub fn answer_to_visitors(rest: &str, request: &Request<'_>) -> Answered {
    match Route::at(rest) {
        Some((Route::Health, allowed)) => {
            match Reply::wrong_method(&request.call.method, allowed) {
                Some(reply) => simply(reply, Reason::BadOperatorRequest),
                None => health(request),
            }
        }
        _ => not_found(),
    }
}

/// The way to the panel. Its address ends with a slash: a browser sends a password on with every request below the folder
/// of the path that asked for it (RFC 7617 2.2), and that of `/_queue` is the whole site, so the origin would get it.
#[must_use]
pub fn to_panel(query: Option<&str>, room: &Room) -> Reply {
    // What no URL may hold would spoil the header.
    let query = query.filter(|query| query.bytes().all(|byte| byte.is_ascii_graphic()));
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    let location = format!("{}/{query}", room.routes);
    Reply::new(303, "text/plain; charset=utf-8", "").with("location", location)
}

/// Answers a request below the operator's path.
#[must_use]
pub fn answer(rest: &str, body: &mut dyn Read, request: &Request<'_>) -> Answered {
    let answered = answered(rest, body, request);
    Answered {
        reply: for_people(answered.reply, request),
        ..answered
    }
}

/// A problem as a page, where a browser shows it in a tab. Programs get it as it is.
fn for_people(reply: Reply, request: &Request<'_>) -> Reply {
    let header = |found: &str| reply.headers.iter().find(|(name, _)| *name == found);
    let is_problem =
        header("content-type").is_some_and(|(_, value)| value.ends_with("problem+json"));
    if !is_problem || !is_navigation(request.call) {
        return reply;
    }
    let Ok(Pairs(told)) = serde_json::from_slice(&reply.body) else {
        return reply;
    };
    let text = |wanted: &str| {
        let found = told.iter().find(|(name, _)| name == wanted);
        found
            .and_then(|(_, value)| value.text())
            .unwrap_or_default()
    };
    let detail = desk::sentence(text("detail"));
    let panel = format!("{}/", request.room.routes);
    let page = page::problem(
        reply.status,
        text("title"),
        &detail,
        Link {
            to: &panel,
            label: "To the panel",
        },
    );
    let is_told = |name: &str| page.headers.iter().any(|(told, _)| *told == name);
    let headers = reply.headers.into_iter();
    let more: Vec<_> = headers.filter(|(name, _)| !is_told(name)).collect();
    more.into_iter()
        .fold(page, |page, (name, value)| page.with(name, value))
}

fn answered(rest: &str, body: &mut dyn Read, request: &Request<'_>) -> Answered {
    let Request { call, config, .. } = *request;
    let route = Route::at(rest).filter(|(route, _)| route.is_there(config));
    let Some((route, allowed)) = route else {
        return not_found();
    };
    let Some((door, right)) = route.needs(&call.method) else {
        let wrong = Reply::wrong_method(&call.method, allowed);
        return wrong.map_or_else(
            || health(request),
            |reply| simply(reply, Reason::BadOperatorRequest),
        );
    };
    let operator = match admitted(rest, door, right, allowed, request) {
        Ok(operator) => operator,
        Err(refused) => return *refused,
    };
    if let Some(refused) = refused(call, &operator) {
        return refused;
    }
    let mut answered = performed(route, &operator, body, request);
    let is_person = operator.via == Scheme::Basic;
    if is_person {
        answered.problems = config.operators.secrets.told_short();
    }
    // A browser that comes with the right password need not queue with strangers the next time.
    let device = is_person.then(|| login::device_cookie(request));
    Answered {
        operator: Some(operator.name),
        reply: answered.reply.with_some("set-cookie", device.flatten()),
        ..answered
    }
}

/// Who asks, if they may. Only the address with a slash asks for a password: the panel's own leads there, also with a wrong
/// one, or browsers would send what they are asked for there to the whole site.
fn admitted(
    rest: &str,
    door: Audience,
    right: Right,
    allowed: &'static str,
    request: &Request<'_>,
) -> Result<Operator, Box<Answered>> {
    let Request { call, config, .. } = *request;
    if let Some(refused) = login::refused_by_network(request) {
        return Err(Box::new(turned_away(refused)));
    }
    if let Some(reply) = Reply::wrong_method(&call.method, allowed) {
        // What is not configured does not exist, by whatever method.
        let is_there = login::is_there(door, &config.operators.secrets).unwrap_or(true);
        return Err(Box::new(if is_there {
            simply(reply, Reason::BadOperatorRequest)
        } else {
            turned_away(Refused::NotConfigured)
        }));
    }
    let operator = login::operator(door, request);
    let operator = operator.and_then(|operator| operator.may(right));
    operator.map_err(|refused| {
        let asks_at_its_slash = rest.is_empty() && matches!(refused, Refused::Unauthorized(_));
        Box::new(if asks_at_its_slash {
            let is_wrong = call.has("authorization");
            let reason = if is_wrong {
                refused.reason()
            } else {
                Reason::Panel
            };
            simply(to_panel(call.query.as_deref(), request.room), reason)
        } else {
            turned_away(refused)
        })
    })
}

/// A change that another site asks for, or that does not say in its body what it asks.
fn refused(call: &Call, operator: &Operator) -> Option<Answered> {
    if is_from_elsewhere(call, operator) {
        let detail = "a change needs Sec-Fetch-Site: same-origin or an Origin equal to the host; programs send a Bearer token; nothing moved";
        let reply = Reply::problem(403, "Not from this site", detail);
        return Some(simply(reply, Reason::Unauthorized));
    }
    let has_query = call.query.as_ref().is_some_and(|query| !query.is_empty());
    (call.method == "POST" && has_query).then(|| {
        let detail = "the URL has a query; accepted is no query, since what is asked stands in the body; nothing moved";
        let reply = Reply::problem(400, "Bad request", detail);
        simply(reply, Reason::BadOperatorRequest)
    })
}

fn performed(
    route: Route,
    operator: &Operator,
    body: &mut dyn Read,
    request: &Request<'_>,
) -> Answered {
    match (route, request.call.method.as_str()) {
        (Route::Health, _) => health(request),
        (Route::Panel, _) => desk::panel(200, None, operator, request),
        (Route::Status, _) => status(request),
        (Route::Metrics, _) => scrape::metrics(request),
        (Route::Journal, _) => journal::journal(request),
        (Route::Report, _) => report::report(operator, request),
        (Route::Receipt, _) => receipt::check(body, request),
        (Route::Invite, _) => invite::invite(body, request),
        (Route::Settings, "GET" | "HEAD") => settings(request),
        (Route::Settings, _) => change::answer(&verbs::PACE, operator, body, request),
        (Route::Forget, _) => desk::forget(operator, request),
        (Route::Change(verb), _) => change::answer(verb, operator, body, request),
    }
}

/// A browser sends Basic along with whatever another site makes it send.
fn is_from_elsewhere(call: &Call, operator: &Operator) -> bool {
    let is_change = !matches!(call.method.as_str(), "GET" | "HEAD");
    operator.via == Scheme::Basic && is_change && !login::is_same_origin(call)
}

fn turned_away(refused: Refused) -> Answered {
    let answered = simply(refused.reply(), refused.reason());
    match refused {
        Refused::Unsound(problems) | Refused::ListUnread(problems) => Answered {
            problems,
            ..answered
        },
        _ => answered,
    }
}

fn simply(reply: Reply, reason: Reason) -> Answered {
    Answered {
        reply,
        reason,
        fault: None,
        board: None,
        operator: None,
        problems: Vec::new(),
        action: None,
        inversion: None,
    }
}

/// What is not there.
#[must_use]
pub fn not_found() -> Answered {
    simply(login::not_found(), Reason::NotFound)
}

/// A request that says something that is not accepted, and what was not done for that.
fn misunderstood(refusal: &Refusal, not_done: &str) -> Answered {
    let (status, title) = refusal.answered();
    let reply = Reply::problem(status, title, &format!("{refusal}; {not_done}"));
    simply(reply, Reason::BadOperatorRequest)
}

fn store_trouble(fault: StoreError, known: &str) -> Answered {
    let detail = format!("{fault}; {known}");
    let reply = Reply::problem(503, "The store does not answer", &detail).with("retry-after", "5");
    Answered {
        fault: Some(fault),
        ..simply(reply, Reason::StoreTrouble)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Source, Unreadable};

    struct Nothing;

    impl Source for Nothing {
        fn setting(&self, key: &str) -> Result<Option<String>, Unreadable> {
            Ok((key == "settings").then(|| r#"{"upstash_url":"https://a"}"#.to_owned()))
        }
        fn secret(&self, key: &str) -> Result<Option<String>, Unreadable> {
            Ok((key == "jwt_secret" || key == "upstash_token").then(|| "0".repeat(32)))
        }
        fn keeps_secrets(&self) -> bool {
            true
        }
        fn is_local(&self) -> bool {
            true
        }
    }

    #[test]
    fn the_way_to_the_panel_keeps_a_query_that_a_header_can_hold() {
        let Ok(config) = Config::load(Nothing) else {
            unreachable!("it is sound");
        };
        let location = |query| {
            let headers = to_panel(query, &config.rooms.first).headers;
            let found = headers.into_iter().find(|(name, _)| *name == "location");
            found.map(|(_, value)| value).unwrap_or_default()
        };
        assert_eq!(location(Some("done=mode")), "/_queue/?done=mode");
        for query in [
            None,
            Some("\0"),
            Some("a b"),
            Some("\r\nx: y"),
            Some("\u{e9}"),
        ] {
            assert_eq!(location(query), "/_queue/", "{query:?}");
        }
    }
}
