//! The operators' routes: the panel, and the API of the same names.
//!
//! [`login`] says who may come in. Browsers send an operator's Basic credentials from pages of other sites too, so a change
//! by them needs POST and the same origin.

mod change;
mod desk;
pub mod input;
pub mod login;
mod scrape;
pub mod verbs;

use std::io::Read;

use serde_json::{Value, json};

use crate::cache::Pop;
use crate::config::{Config, Problem};
use crate::http::{Call, Reply};
use crate::page::iso_8601;
use crate::queue::Reason;
use crate::queue::{Board, Set, Sign};
use crate::queue::{Rate, wait_of_the_last};
use crate::store::Line;
use crate::store::upstash::{Attempt, StoreError};
use login::{Door, Operator, Refused, Rights, Via};
use verbs::Verb;

/// An answer, why it is that one, and what was wrong with the store if anything was.
pub struct Answered {
    /// What to send.
    pub reply: Reply,
    /// For the log.
    pub reason: Reason,
    /// For the log.
    pub fault: Option<StoreError>,
    /// The sign, if this request saw it.
    pub sign: Option<Sign>,
    /// For the log: the name of the credentials.
    pub operator: Option<String>,
    /// For the log: what is wrong with the secrets by which somebody asked.
    pub problems: Vec<Problem>,
    /// For the log: what was changed.
    pub action: Option<String>,
}

/// A request, and what answering it takes.
#[derive(Clone, Copy)]
struct Context<'a> {
    call: &'a Call,
    line: &'a Line<'a>,
    near: &'a dyn Pop,
    config: &'a Config,
}

#[derive(Clone, Copy, Debug)]
enum Route {
    Panel,
    Status,
    /// POST sets the pace.
    Settings,
    Forget,
    Health,
    Metrics,
    Change(&'static Verb),
}

impl Route {
    /// The route at this path below the operator's, and the methods it takes.
    fn at(rest: &str) -> Option<(Self, &'static str)> {
        const READ: &str = "GET, HEAD";
        const CHANGE: &str = "POST";
        Some(match rest {
            "" | "/" => (Self::Panel, READ),
            "/status" => (Self::Status, READ),
            "/settings" => (Self::Settings, "GET, HEAD, POST"),
            "/ticket/forget" => (Self::Forget, CHANGE),
            "/healthz" => (Self::Health, READ),
            "/metrics" => (Self::Metrics, READ),
            _ => (Self::Change(verbs::at(rest.strip_prefix('/')?)?), CHANGE),
        })
    }

    /// A test ticket is a cookie for the host that visitors use, so a panel on a host of its own has none.
    fn is_there(self, config: &Config) -> bool {
        let keeps_a_ticket = match self {
            Self::Forget => true,
            Self::Change(verb) => verb.needs.0 == Door::Panel,
            _ => false,
        };
        config.admin_host.is_none() || !keeps_a_ticket
    }

    /// Which credentials open it, and what they have to be good for; nothing for what is open to all.
    fn needs(self) -> Option<(Door, Rights)> {
        match self {
            Self::Health => None,
            // Programs have no browser to show a panel or to keep a ticket in.
            Self::Panel | Self::Forget => Some((Door::Panel, Rights::All)),
            Self::Status | Self::Metrics => Some((Door::Api, Rights::Read)),
            Self::Settings => Some(verbs::PACE.needs),
            Self::Change(verb) => Some(verb.needs),
        }
    }
}

/// The part of the path below the operator's, if it is one of his: `/_queue` and `/_queue/…`, never `/_queuefoo`.
#[must_use]
pub fn below<'a>(path: &'a str, admin_path: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(admin_path)?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// Whether a path ends with the name of a route that programs use, wherever the operators' routes are.
#[must_use]
pub fn is_of_programs(path: &str) -> bool {
    let last = path.rfind('/').and_then(|at| path.get(at..));
    let route = last.and_then(Route::at);
    matches!(
        route.and_then(|(route, _)| route.needs()),
        Some((Door::Api, _))
    )
}

/// Answers a request below the operator's path on a host that has none of the operators' routes, since `admin_host` is
/// another one: no credentials are read, and monitors find the health route where visitors are served.
#[must_use]
pub fn answer_to_visitors(rest: &str, call: &Call, config: &Config) -> Answered {
    match Route::at(rest) {
        Some((Route::Health, allowed)) => match Reply::wrong_method(&call.method, allowed) {
            Some(reply) => simply(reply, Reason::BadOperatorRequest),
            None => health(config),
        },
        _ => not_found(),
    }
}

/// The way to the panel. Its address ends with a slash: a browser sends a password on with every request below the folder
/// of the path that asked for it (RFC 7617 2.2), and that of `/_queue` is the whole site, so the origin would get it.
#[must_use]
pub fn to_panel(query: Option<&str>, config: &Config) -> Reply {
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    let location = format!("{}/{query}", config.admin_path);
    Reply::new(303, "text/plain; charset=utf-8", "").with("location", location)
}

/// Answers a request below the operator's path.
#[must_use]
pub fn answer(
    rest: &str,
    call: &Call,
    body: &mut dyn Read,
    line: &Line<'_>,
    near: &dyn Pop,
    config: &Config,
) -> Answered {
    let route = Route::at(rest).filter(|(route, _)| route.is_there(config));
    let Some((route, allowed)) = route else {
        return not_found();
    };
    let needs = route.needs();
    if needs.is_some()
        && let Some(refused) = login::refused_by_network(call, config, near)
    {
        return turned_away(refused);
    }
    if let Some(reply) = Reply::wrong_method(&call.method, allowed) {
        // What is not configured does not exist, by whatever method.
        let is_there =
            needs.is_none_or(|(door, _)| login::is_there(door, &config.operators).unwrap_or(true));
        return if is_there {
            simply(reply, Reason::BadOperatorRequest)
        } else {
            turned_away(Refused::NotConfigured)
        };
    }
    let Some((door, rights)) = needs else {
        return health(config);
    };
    let operator = login::operator(call, door, config, near, line.now_ms);
    let operator = match operator.and_then(|operator| operator.may(rights)) {
        Ok(operator) => operator,
        Err(Refused::Unauthorized(_)) if rest.is_empty() && !call.has("authorization") => {
            return simply(to_panel(call.query.as_deref(), config), Reason::Panel);
        }
        Err(refused) => return turned_away(refused),
    };
    if is_from_elsewhere(call, &operator) {
        let detail = "a change needs Sec-Fetch-Site: same-origin or an Origin equal to the host; programs send a Bearer token; nothing moved";
        let reply = Reply::problem(403, "Not from this site", detail);
        return simply(reply, Reason::Unauthorized);
    }
    let has_query = call.query.as_ref().is_some_and(|query| !query.is_empty());
    if call.method == "POST" && has_query {
        let detail = "the URL has a query; accepted is no query, since what is asked stands in the body; nothing moved";
        let reply = Reply::problem(400, "Bad request", detail);
        return simply(reply, Reason::BadOperatorRequest);
    }
    let at = Context {
        call,
        line,
        near,
        config,
    };
    let answered = match (route, call.method.as_str()) {
        (Route::Health, _) => health(config),
        (Route::Panel, _) => desk::panel(200, None, at),
        (Route::Status, _) => status(line, config),
        (Route::Metrics, _) => scrape::metrics(line, near),
        (Route::Settings, "GET" | "HEAD") => settings(line, config),
        (Route::Settings, _) => change::answer(&verbs::PACE, &operator, body, at),
        (Route::Forget, _) => desk::forget(call, line, config),
        (Route::Change(verb), _) => change::answer(verb, &operator, body, at),
    };
    // A browser that comes with the right password need not queue with strangers the next time.
    let is_person = operator.via == Via::Basic;
    let device = is_person.then(|| login::device_cookie(call, config, line.now_ms / 1000));
    Answered {
        operator: Some(operator.name),
        reply: answered.reply.with_some("set-cookie", device.flatten()),
        ..answered
    }
}

/// A browser sends Basic along with whatever another site makes it send.
fn is_from_elsewhere(call: &Call, operator: &Operator) -> bool {
    let is_change = !matches!(call.method.as_str(), "GET" | "HEAD");
    operator.via == Via::Basic && is_change && !login::is_same_origin(call)
}

fn health(config: &Config) -> Answered {
    let problems = config.operators.problems();
    if !problems.is_empty() {
        return turned_away(Refused::Unsound(problems));
    }
    let reply = Reply::new(200, "text/plain; charset=utf-8", health_words(config));
    simply(reply, Reason::Health)
}

/// What the health of an unsound configuration is.
#[must_use]
pub fn unsound(problems: &[Problem]) -> Reply {
    let what_follows = "visitors who have not been admitted and operators are turned away until this is mended; accepted is:";
    login::unsound(what_follows, problems)
}

/// Which settings have their defaults instead. Their values are for the log alone: everybody may ask how this does.
fn health_words(config: &Config) -> String {
    let mut words = vec!["ok\n".to_owned()];
    for problem in &config.ignored {
        words.push(format!("ignored: {}: {}\n", problem.key, problem.accepted));
    }
    if let Some(refusal) = config.pages.own_refused() {
        let line = refusal.line;
        words.push(format!("ignored: template: refused at line {line}\n"));
    }
    words.concat()
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
        sign: None,
        operator: None,
        problems: Vec::new(),
        action: None,
    }
}

/// What is not there.
#[must_use]
pub fn not_found() -> Answered {
    simply(login::not_found(), Reason::NotFound)
}

fn store_trouble(fault: StoreError, known: &str) -> Answered {
    let detail = format!("{fault}; {known}");
    let reply = Reply::problem(503, "The store does not answer", &detail).with("retry-after", "5");
    Answered {
        fault: Some(fault),
        ..simply(reply, Reason::StoreTrouble)
    }
}

fn status(line: &Line<'_>, config: &Config) -> Answered {
    match line.status() {
        Ok(sign) => {
            let told = status_json(&sign, config, line.now_ms);
            Answered {
                sign: Some(sign),
                ..simply(Reply::json(200, &told), Reason::Status)
            }
        }
        Err(fault) => store_trouble(fault, "nothing was read"),
    }
}

fn status_json(sign: &Sign, config: &Config, now_ms: u64) -> Value {
    let measured = sign.measured.and_then(|measured| measured.rate(now_ms));
    let pace = sign.live.pace;
    let wait = sign.live.mode.lets_in();
    let wait = wait.then(|| wait_of_the_last(sign.waiting(), sign.measured, pace, now_ms));
    json!({
        "room": config.room,
        "mode": sign.live.mode,
        "epoch": sign.epoch,
        "cursor": sign.cursor.0,
        "length": sign.length,
        "waiting": sign.waiting(),
        "credit": sign.credit,
        "rate": {
            "automatic": pace.automatic,
            "automatic_quantity": pace.quantity,
            "per_minute": pace.rate().map(Rate::per_minute),
            "measured_per_minute": measured.map(Rate::per_minute),
        },
        "estimated_wait_seconds": wait.flatten(),
        "version": sign.live.version,
    })
}

fn settings(line: &Line<'_>, config: &Config) -> Answered {
    match line.board(Attempt::First) {
        Ok(board) => {
            let told = settings_json(&board, config);
            Answered {
                sign: Some(board.sign),
                ..simply(Reply::json(200, &told), Reason::Settings)
            }
        }
        Err(fault) => store_trouble(fault, "nothing was read"),
    }
}

/// What is configured, what holds now, and who set that when.
fn settings_json(board: &Board, config: &Config) -> Value {
    let live = &board.sign.live;
    let pace = |pace: crate::queue::Pace| json!({ "automatic": pace.automatic, "automatic_quantity": pace.quantity });
    let configured = config.pages.brand.message.as_ref();
    json!({
        "version": live.version,
        "mode": setting(&json!("automatic"), &json!(live.mode), board.mode.as_ref()),
        "pace": setting(&pace(config.pace), &pace(live.pace), board.pace.as_ref()),
        "message": setting(
            &json!(configured),
            &json!(live.message.as_ref().or(configured)),
            board.message.as_ref(),
        ),
    })
}

fn setting(configured: &Value, now: &Value, set: Option<&Set>) -> Value {
    json!({
        "configured": configured,
        "now": now,
        "since": set.map(|set| iso_8601(set.at_ms)),
        "by": set.map(|set| &set.by),
    })
}
