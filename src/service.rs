//! One request, in a straight line: may it be here at all, does it skip the room, is it the operator's, else a visit.
//!
//! Total: every call has an answer, and none of them is an error of ours.

use std::io::Read;

use crate::admin::{self, Answered};
use crate::admission::refresh_seconds;
use crate::config::{Config, OriginCookie, Problem};
use crate::cookie::{self, SameSite};
use crate::http::{Answer, Call, Forward, Reply};
use crate::line::Line;
use crate::near::{self, Lookup, Near};
use crate::negotiate::{Kind, kind, wants_json};
use crate::page::{self, Waiting};
use crate::record::{Reason, Record};
use crate::ticket::Ticket;
use crate::upstash::Transport;
use crate::visit::{After, End, Visit, visit};

/// The answer, and what the log says about it.
pub struct Outcome {
    /// What to do.
    pub answer: Answer,
    /// What to write down.
    pub record: Record,
    /// What to do once the visitor has been answered: [`afterwards`].
    pub after: After,
}

/// Answers one request. `body` is read for operators only.
#[must_use]
pub fn handle(
    call: &Call,
    body: &mut dyn Read,
    config: &Config,
    store: &dyn Transport,
    near: &dyn Near,
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
    if call.path.is_empty() {
        let detail = "the Host header does not name a host; accepted is a name or an address, with a port from 0 to 65535 or none";
        return reply_with(Reply::problem(400, "Bad host", detail), Reason::BadHost);
    }
    let line = line(config, store, now_ms);
    if let Some(rest) = admin::below(&call.path, &config.admin_path) {
        return operator(call, admin::answer(rest, call, body, &line, near, config));
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
    let ticket = ticket(call, config, now);
    let ended = visit(kind, ticket, &call.id, &line, near, config);
    worded(call, kind, ended, config, now)
}

/// What could wait until the visitor had been answered.
pub fn afterwards(
    after: After,
    config: &Config,
    store: &dyn Transport,
    near: &dyn Near,
    now_ms: u64,
) {
    let duty = match after {
        After::Nothing => None,
        After::Renew(duty) => Some(duty),
        After::Look => match near.lookup() {
            Lookup::Found(_, duty) => duty,
            Lookup::Missing(duty) => Some(duty),
            Lookup::Late | Lookup::Unknown => None,
        },
    };
    if let Some(duty) = duty {
        near::renew(duty, &line(config, store, now_ms), near);
    }
}

fn line<'a>(config: &'a Config, store: &'a dyn Transport, now_ms: u64) -> Line<'a> {
    Line {
        store,
        room: &config.room,
        pace: config.pace,
        lifetime: config.cookie_expiry.saturating_mul(2),
        now_ms,
    }
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

fn worded(call: &Call, kind: Kind, visit: Visit, config: &Config, now: u64) -> Outcome {
    let position = visit.ticket.position();
    let cookie = signed(call, &visit, config, now);
    let waiting = |ahead: Option<u64>| Waiting {
        position,
        seen: visit.sign.zip(ahead),
        is_old: visit.is_old,
        ..Waiting::default()
    };
    let in_line = |status, waiting, cookie| {
        Answer::Reply(in_line(call, kind, status, waiting, cookie, config))
    };
    let (answer, reason) = match visit.end {
        End::Inside => {
            let forward = Forward {
                position,
                pass: config.keys.pass(&visit.ticket.id, &config.room, now),
                set_cookie: cookie,
                ..bare(call, config)
            };
            (Answer::Forward(forward), entered(&visit))
        }
        End::Waiting { ahead } => {
            let status = config.waiting_status;
            (
                in_line(status, waiting(Some(ahead)), cookie),
                Reason::Waiting,
            )
        }
        End::Held => (in_line(503, waiting(None), cookie), Reason::Held),
        End::Outside => {
            let status = if kind == Kind::Head {
                config.waiting_status
            } else {
                503
            };
            (
                in_line(status, Waiting::default(), cookie),
                Reason::NotAVisitor,
            )
        }
    };
    let permitted = visit.end == End::Inside;
    let record = Record {
        queue_cursor: visit.sign.map(|sign| sign.cursor.0),
        visitor_position: position.map(|position| position.0),
        store_error: visit.fault.map(|fault| fault.to_string()),
        ..Record::of(permitted, reason)
    };
    Outcome {
        answer,
        record,
        after: visit.after,
    }
}

fn entered(visit: &Visit) -> Reason {
    match (visit.sign, &visit.fault) {
        (None, Some(_)) => Reason::AdmittedWithoutStore,
        _ if visit.changed => Reason::Admitted,
        _ => Reason::Inside,
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
    let reply = match kind {
        // Nobody reads these: no page is made only to be thrown away.
        Kind::Prefetch | Kind::SubResource => Reply::new(status, "text/plain; charset=utf-8", ""),
        Kind::Visit | Kind::Head if wants_json(call) => {
            page::waiting_json(status, &waiting, &config.room)
        }
        Kind::Visit | Kind::Head => {
            page::waiting_page(status, &waiting, config.frame_ancestors.as_deref())
                .with("refresh", refresh.clone())
        }
    };
    let mut reply = reply
        .with("retry-after", refresh)
        .with("vary", "Accept, Accept-Language, Cookie");
    if let Some(cookie) = cookie {
        reply = reply.with("set-cookie", cookie);
    }
    if kind == Kind::Head {
        return reply.without_body();
    }
    reply
}

/// The ticket as a cookie, where it differs from the one that came.
fn signed(call: &Call, visit: &Visit, config: &Config, now: u64) -> Option<String> {
    let life = config.cookie_expiry;
    let keys = visit.changed.then_some(&config.keys)?;
    let token = keys.sign(&visit.ticket, &config.room, now, life)?;
    let loopback = call.is_loopback();
    let site = match (&config.frame_ancestors, loopback) {
        (Some(_), false) => SameSite::NonePartitioned,
        _ => SameSite::Lax,
    };
    Some(cookie::set(loopback, &token, life, site))
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
    let record = Record {
        queue_cursor: answered.sign.map(|sign| sign.cursor.0),
        store_error: answered.fault.map(|fault| fault.to_string()),
        ..Record::of(false, answered.reason)
    };
    Outcome {
        answer: Answer::Reply(reply),
        record,
        after: After::Nothing,
    }
}

fn forward(call: &Call, config: &Config, reason: Reason) -> Outcome {
    Outcome {
        answer: Answer::Forward(bare(call, config)),
        record: Record::of(true, reason),
        after: After::Nothing,
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
        record: Record::of(false, reason),
        after: After::Nothing,
    }
}
