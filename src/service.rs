//! One request, in a straight line: may it be here at all, does it skip the room, is it the operator's, else a visit.
//!
//! Total: every call has an answer, and none of them is an error of ours.

use std::io::Read;

use crate::admin::{self, Answered};
use crate::admission::refresh_seconds;
use crate::config::{Config, OriginCookie, Problem};
use crate::cookie::{self, SameSite};
use crate::http::{Answer, Call, Forward, Reply};
use crate::line::{Line, Sign};
use crate::negotiate::{Kind, kind, wants_json};
use crate::page::{self, Waiting};
use crate::record::{Reason, Record};
use crate::ticket::Ticket;
use crate::upstash::{StoreError, Transport};
use crate::visit::{Visit, visit};

/// The answer, and what the log says about it.
pub struct Outcome {
    /// What to do.
    pub answer: Answer,
    /// What to write down.
    pub record: Record,
}

/// Answers one request. `body` is read for operators only.
#[must_use]
pub fn handle(
    call: &Call,
    body: &mut dyn Read,
    config: &Config,
    store: &dyn Transport,
    now_ms: u64,
) -> Outcome {
    if matches!(call.method.as_str(), "TRACE" | "CONNECT") {
        let reply = Reply::problem(
            405,
            "Method not allowed",
            "TRACE and CONNECT are not for visitors",
        )
        .with("allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
        return reply_with(reply, Reason::BadMethod);
    }
    let line = Line {
        store,
        room: &config.room,
        pace: config.pace,
        lifetime: config.cookie_expiry.saturating_mul(2),
        now_ms,
    };
    if let Some(rest) = admin::below(&call.path, &config.admin_path) {
        return operator(call, admin::answer(rest, call, body, &line, config));
    }
    if config.bypasses(&call.path) {
        return forward(call, config, Reason::Bypass);
    }
    if call.method == "OPTIONS" {
        return forward(call, config, Reason::Preflight);
    }
    if !call.https && !call.local {
        return to_https(call);
    }
    let now = now_ms / 1000;
    let kind = kind(call);
    let ended = visit(kind, ticket(call, config, now), &call.id, &line, config);
    worded(call, kind, ended, config, now)
}

/// What a service answers whose configuration is unsound: it neither opens the gate nor says more than that.
#[must_use]
pub fn unsound() -> Reply {
    let text =
        "This site is being set up and cannot be shown yet. Please come back in a little while.";
    page::notice(503, "Not open yet", text).with("retry-after", "30")
}

/// The log line that names every problem at once.
#[must_use]
pub fn unsound_entry(timestamp: u64, problems: &[Problem]) -> String {
    serde_json::json!({ "timestamp": timestamp, "reason": "unsound_configuration", "problems": problems }).to_string()
}

/// What somebody inside is told when the origin does not answer.
#[must_use]
pub fn origin_failed(call: &Call) -> Reply {
    let text = "The site did not answer. You are in, and stay in: please try again in a moment.";
    let reply = if wants_json(call) {
        Reply::problem(502, "The origin did not answer", text)
    } else {
        page::notice(502, "Please try again", text)
    };
    reply.with("retry-after", "5")
}

/// The first of the cookies with our name that is a ticket of ours; a bad ticket is simply no ticket.
fn ticket(call: &Call, config: &Config, now: u64) -> Option<Ticket> {
    let name = cookie::name(call.is_loopback());
    call.lines("cookie")
        .flat_map(|header| cookie::values(header, name))
        .find_map(|token| config.keys.verify(token, &config.room, now))
}

fn worded(call: &Call, kind: Kind, ended: Visit, config: &Config, now: u64) -> Outcome {
    match ended {
        Visit::Inside {
            ticket,
            changed,
            sign,
            fault,
        } => {
            let position = ticket.position();
            let answer = Answer::Forward(Forward {
                position,
                pass: config.keys.pass(&ticket.id, &config.room, now),
                set_cookie: changed
                    .then(|| signed(call, &ticket, config, now))
                    .flatten(),
                ..bare(call, config)
            });
            let reason = match (&fault, changed) {
                (Some(_), _) => Reason::AdmittedWithoutStore,
                (None, true) => Reason::Admitted,
                (None, false) => Reason::Inside,
            };
            let record = record(
                true,
                reason,
                sign,
                position.map(|position| position.0),
                fault,
            );
            Outcome { answer, record }
        }
        Visit::Waiting {
            ticket,
            changed,
            position,
            ahead,
            sign,
        } => {
            let waiting = Waiting {
                position: Some(position),
                seen: Some((sign, ahead)),
                ..Waiting::default()
            };
            let cookie = changed
                .then(|| signed(call, &ticket, config, now))
                .flatten();
            let reply = in_line(call, kind, config.waiting_status, waiting, cookie, config);
            let record = record(false, Reason::Waiting, Some(sign), Some(position.0), None);
            Outcome {
                answer: Answer::Reply(reply),
                record,
            }
        }
        Visit::Held {
            ticket,
            changed,
            fault,
        } => {
            let position = ticket.position();
            let waiting = Waiting {
                position,
                ..Waiting::default()
            };
            let cookie = changed
                .then(|| signed(call, &ticket, config, now))
                .flatten();
            let reply = in_line(call, kind, 503, waiting, cookie, config);
            let record = record(
                false,
                Reason::Held,
                None,
                position.map(|position| position.0),
                Some(fault),
            );
            Outcome {
                answer: Answer::Reply(reply),
                record,
            }
        }
        Visit::Outside => {
            let status = if kind == Kind::Head {
                config.waiting_status
            } else {
                503
            };
            let reply = in_line(call, kind, status, Waiting::default(), None, config);
            reply_with(reply, Reason::NotAVisitor)
        }
    }
}

/// The waiting answer: a page or data, when to come back, and nothing that may be kept by anybody else.
fn in_line(
    call: &Call,
    kind: Kind,
    status: u16,
    mut waiting: Waiting,
    cookie: Option<String>,
    config: &Config,
) -> Reply {
    let ahead = waiting.seen.map_or(0, |(_, ahead)| ahead);
    waiting.estimate = waiting.seen.and_then(|_| config.pace.estimated_wait(ahead));
    waiting.refresh = refresh_seconds(
        config.refresh_interval,
        ahead,
        waiting.estimate,
        call.chance(),
    );
    waiting.unsent = !matches!(call.method.as_str(), "GET" | "HEAD");
    let refresh = waiting.refresh.to_string();
    let mut reply = if wants_json(call) {
        page::waiting_json(status, &waiting, &config.room)
    } else {
        page::waiting_page(status, &waiting, config.frame_ancestors.as_deref())
            .with("refresh", refresh.clone())
    };
    reply = reply
        .with("retry-after", refresh)
        .with("vary", "Accept, Accept-Language, Cookie");
    if let Some(cookie) = cookie {
        reply = reply.with("set-cookie", cookie);
    }
    match kind {
        Kind::Visit => reply,
        Kind::Head | Kind::Prefetch | Kind::SubResource => reply.without_body(),
    }
}

fn signed(call: &Call, ticket: &Ticket, config: &Config, now: u64) -> Option<String> {
    let token = config
        .keys
        .sign(ticket, &config.room, now, config.cookie_expiry)?;
    let site = match (&config.frame_ancestors, call.is_loopback()) {
        (Some(_), false) => SameSite::NonePartitioned,
        _ => SameSite::Lax,
    };
    Some(cookie::set(
        call.is_loopback(),
        &token,
        config.cookie_expiry,
        site,
    ))
}

fn to_https(call: &Call) -> Outcome {
    let query = call
        .query
        .as_ref()
        .map(|query| format!("?{query}"))
        .unwrap_or_default();
    let location = format!("https://{}{}{query}", call.host, call.path);
    let reply = Reply::new(308, "text/plain; charset=utf-8", "").with("location", location);
    reply_with(reply, Reason::ToHttps)
}

fn operator(call: &Call, answered: Answered) -> Outcome {
    let reply = if call.method == "HEAD" {
        answered.reply.without_body()
    } else {
        answered.reply
    };
    let record = record(false, answered.reason, answered.sign, None, answered.fault);
    Outcome {
        answer: Answer::Reply(reply),
        record,
    }
}

fn forward(call: &Call, config: &Config, reason: Reason) -> Outcome {
    Outcome {
        answer: Answer::Forward(bare(call, config)),
        record: record(true, reason, None, None, None),
    }
}

/// What every request loses on its way to the origin, and gains nothing yet.
fn bare(call: &Call, config: &Config) -> Forward {
    let without_cookie = match config.origin_cookie {
        OriginCookie::Remove => Some(cookie::name(call.is_loopback())),
        OriginCookie::Keep => None,
    };
    Forward {
        without_cookie,
        ..Forward::default()
    }
}

fn reply_with(reply: Reply, reason: Reason) -> Outcome {
    Outcome {
        answer: Answer::Reply(reply),
        record: record(false, reason, None, None, None),
    }
}

fn record(
    permitted: bool,
    reason: Reason,
    sign: Option<Sign>,
    position: Option<u64>,
    fault: Option<StoreError>,
) -> Record {
    Record {
        permitted,
        reason,
        queue_cursor: sign.map(|sign| sign.cursor.0),
        visitor_position: position,
        store_error: fault.map(|fault| fault.to_string()),
    }
}
