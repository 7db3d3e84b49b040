//! The operators' routes: the panel, and the API of the same names.
//!
//! Security in one list: what is not configured does not exist; both halves of Basic are compared, in constant time;
//! browsers send Basic from other sites too, so a change needs POST and the same origin; Bearer comes from programs only;
//! a token of the origin lets in and reads, and does nothing else.

mod change;
mod desk;

use std::io::Read;

use serde_json::{Value, json};

use crate::admission::{Rate, estimated_wait};
use crate::config::Config;
use crate::http::{Call, Reply};
use crate::line::{Board, Line, Set, Sign};
use crate::login::{self, Operator, Rights, Via};
use crate::near::Near;
use crate::page::iso_8601;
use crate::record::Reason;
use crate::upstash::StoreError;

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
    /// The name of the credentials.
    pub operator: Option<String>,
    /// What was changed.
    pub action: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Route {
    Panel,
    Permit,
    Status,
    Settings,
    Mode,
    Message,
    Credit,
    Epoch,
    Ticket,
    Forget,
    Health,
}

impl Route {
    /// The route at this path below the operator's, and the methods it takes.
    fn at(rest: &str) -> Option<(Self, &'static str)> {
        const READ: &str = "GET, HEAD";
        const CHANGE: &str = "POST";
        Some(match rest {
            "" | "/" => (Self::Panel, READ),
            "/permit" => (Self::Permit, CHANGE),
            "/status" => (Self::Status, READ),
            "/settings" => (Self::Settings, "GET, HEAD, POST"),
            "/mode" => (Self::Mode, CHANGE),
            "/message" => (Self::Message, CHANGE),
            "/credit" => (Self::Credit, CHANGE),
            "/epoch" => (Self::Epoch, CHANGE),
            "/ticket" => (Self::Ticket, CHANGE),
            "/ticket/forget" => (Self::Forget, CHANGE),
            "/healthz" => (Self::Health, READ),
            _ => return None,
        })
    }

    /// A person's own: programs have no browser to show a panel or to keep a ticket in.
    fn is_for_browsers(self) -> bool {
        matches!(self, Self::Panel | Self::Ticket | Self::Forget)
    }

    fn needs(self) -> Rights {
        match self {
            Self::Permit | Self::Status | Self::Health => Rights::Permit,
            _ => Rights::All,
        }
    }
}

/// The part of the path below the operator's, if it is one of his: `/_queue` and `/_queue/…`, never `/_queuefoo`.
#[must_use]
pub fn below<'a>(path: &'a str, admin_path: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(admin_path)?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// Answers a request below the operator's path.
#[must_use]
pub fn answer(
    rest: &str,
    call: &Call,
    body: &mut dyn Read,
    line: &Line<'_>,
    near: &dyn Near,
    config: &Config,
) -> Answered {
    let Some((route, allowed)) = Route::at(rest) else {
        return not_found();
    };
    if !exists(route, config) {
        return Answered {
            reason: Reason::NoPassword,
            ..not_found()
        };
    }
    if let Some(reply) = Reply::wrong_method(&call.method, allowed) {
        return simply(reply, Reason::BadOperatorRequest);
    }
    if route == Route::Health {
        let reply = Reply::new(200, "text/plain; charset=utf-8", "ok\n");
        return simply(reply, Reason::Health);
    }
    let operator = match operator(route, call, config) {
        Ok(operator) => operator,
        Err(refused) => return simply(*refused, Reason::Unauthorized),
    };
    let answered = match (route, call.method.as_str()) {
        (Route::Panel, _) => desk::panel(200, None, call, line, near, config),
        (Route::Status, _) => status(line, config),
        (Route::Settings, "GET" | "HEAD") => settings(line, config),
        (Route::Forget, _) => desk::forget(call, config),
        _ => change::answer(route, call, &operator, body, line, near, config),
    };
    Answered {
        operator: Some(operator.name),
        ..answered
    }
}

/// Without a password there is no panel; the permit token alone opens what programs need.
fn exists(route: Route, config: &Config) -> bool {
    let panel = config.admin_password.is_some();
    match route {
        Route::Health => true,
        _ if route.is_for_browsers() => panel,
        _ => panel || config.permit_token.is_some(),
    }
}

/// Who asks, if they may.
fn operator(route: Route, call: &Call, config: &Config) -> Result<Operator, Box<Reply>> {
    let operator = login::operator(call, config)?;
    let forbidden = |title, detail| Err(Box::new(Reply::problem(403, title, detail)));
    if operator.rights == Rights::Permit && route.needs() == Rights::All {
        let detail = "a permit_token lets visitors in and reads; this needs an admin_token or the operator's password; nothing moved";
        return forbidden("Not with this token", detail);
    }
    if operator.via == Via::Bearer && route.is_for_browsers() {
        let detail = "the panel and its test tickets are for browsers: this needs the operator's name and password";
        return forbidden("Not with a token", detail);
    }
    let is_change = !matches!(call.method.as_str(), "GET" | "HEAD");
    if operator.via == Via::Basic && is_change && !login::is_same_origin(call) {
        let detail = "a change needs Sec-Fetch-Site: same-origin or an Origin equal to the host; programs send a Bearer token; nothing moved";
        return forbidden("Not from this site", detail);
    }
    Ok(operator)
}

fn simply(reply: Reply, reason: Reason) -> Answered {
    Answered {
        reply,
        reason,
        fault: None,
        sign: None,
        operator: None,
        action: None,
    }
}

fn not_found() -> Answered {
    simply(
        Reply::problem(404, "Not found", "there is nothing at this path"),
        Reason::NotFound,
    )
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
    let wait = wait.then(|| estimated_wait(sign.waiting(), sign.measured, pace, now_ms));
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
    match line.board() {
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
    let pace = |pace: crate::admission::Pace| json!({ "automatic": pace.automatic, "automatic_quantity": pace.quantity });
    let configured = config.pages.brand.message.as_ref();
    json!({
        "version": live.version,
        "mode": setting(json!("automatic"), json!(live.mode), board.mode.as_ref()),
        "pace": setting(pace(config.pace), pace(live.pace), board.pace.as_ref()),
        "message": setting(
            json!(configured),
            json!(live.message.as_ref().or(configured)),
            board.message.as_ref(),
        ),
    })
}

fn setting(configured: Value, now: Value, set: Option<&Set>) -> Value {
    json!({
        "configured": configured,
        "now": now,
        "since": set.map(|set| iso_8601(set.at_ms)),
        "by": set.map(|set| &set.by),
    })
}
