//! What programs are told: health, status and settings.

use super::event_trouble::event_trouble;
use super::login;
use super::login::Refused;
use super::{Answered, simply, store_trouble, turned_away};
use crate::config::{Problem, Room};
use crate::http::Reply;
use crate::http::object::object;
use crate::page::{Pages, events_json, iso_8601, with_json};
use crate::queue::{Answers, CurrentEvent, Lane, LaneName, LaneState, Mode};
use crate::queue::{
    Board, Cap, Explained, Groups, Histogram, History, Invitations, InvitedVisitors, LineStatus,
    OriginState, PanelSnapshot, Past, Provenance, Rate, Reason, Sessions,
};
use crate::request::Request;
use crate::store::upstash::{Attempt, other_format};
use crate::visitor::store_health;
use serde_json::Value;

pub(super) fn health(request: &Request<'_>) -> Answered {
    let problems = request.config.operators.secrets.problems();
    if !problems.is_empty() {
        return turned_away(Refused::Unsound(problems));
    }
    let short = request.config.operators.secrets.told_short();
    let words = health_words(&short, request);
    Answered {
        problems: short,
        ..simply(
            Reply::new(200, "text/plain; charset=utf-8", words),
            Reason::Health,
        )
    }
}

/// What the health of an unsound configuration is.
#[must_use]
pub fn unsound(problems: &[Problem]) -> Reply {
    let what_follows = "visitors who have not been admitted and operators are turned away until this is corrected; accepted is:";
    login::unsound(what_follows, problems)
}

/// Which settings have their defaults instead, which let no visitor in, and which passwords are short. Their values are for the log alone: everybody may ask how this does.
pub(super) fn health_words(short: &[Problem], request: &Request<'_>) -> String {
    let mut words = vec!["ok\n".to_owned()];
    let config = request.config;
    for (word, problems) in [
        ("ignored", config.ignored.as_slice()),
        ("closed", &config.closed),
        ("short", short),
        ("open", &config.rooms.open_conditions()),
    ] {
        for problem in problems {
            words.push(format!("{word}: {}\n", problem.for_all()));
        }
    }
    for refusal in request.room.all_pages().filter_map(Pages::own_refused) {
        let line = refusal.line;
        words.push(format!("ignored: template: refused at line {line}\n"));
    }
    if let Some(known) = signals_known(request) {
        words.push(format!("signals: {known}\n"));
    }
    if let Some(kept) = store_health::other_format(request.pop) {
        words.push(format!("store: {}\n", other_format(kept)));
    }
    let board = request.pop.last_board();
    if let Some(trouble) = board.and_then(|board| event_trouble(&board, request)) {
        words.push(format!("event: {trouble}\n"));
    }
    words.concat()
}

/// Which of the signals in use the platform knows of this very request.
fn signals_known(request: &Request<'_>) -> Option<String> {
    let known = request.room.signals.known(request.platform);
    let known = known.map(|(signal, is_known)| {
        let said = if is_known {
            "answered"
        } else {
            "not known here"
        };
        format!("{} is {said}", signal.name())
    });
    let known: Vec<String> = known.collect();
    (!known.is_empty()).then(|| known.join(", "))
}

pub(super) fn status(request: &Request<'_>) -> Answered {
    match request.line().status() {
        Ok(line) => {
            let told = status_json(&line, request);
            Answered {
                board: Some(line.board),
                ..simply(Reply::json(200, &told), Reason::Status)
            }
        }
        Err(fault) => store_trouble(fault, "nothing was read"),
    }
}

pub(super) fn status_json(line: &LineStatus, request: &Request<'_>) -> Value {
    let LineStatus {
        board,
        absent,
        limits,
        origin,
        invited,
        history,
    } = line;
    let now_ms = request.now.ms();
    let measured = board.measured.and_then(|measured| measured.rate(now_ms));
    let pace = board.live.pace;
    let wait = board.mode().lets_in();
    let wait = wait.then(|| board.wait_of_the_last(now_ms));
    object!({
        "room": request.room.name.as_str(),
        "mode": board.live.mode.name(),
        "epoch": board.epoch,
        "cursor": board.cursor().0,
        "length": board.length(),
        "waiting": board.waiting(),
        "credit": board.credit,
        "rate": object!({
            "automatic": pace.automatic,
            "automatic_quantity": pace.quantity,
            "per_minute": pace.rate().map(Rate::per_minute),
            "measured_per_minute": measured.map(Rate::per_minute),
        }),
        "estimated_wait_seconds": wait.flatten(),
        "absent": object!({
            "setting": request.room.absent_visitors.name(),
            "share": absent.share.map(thousandths),
            "may_come": absent.may_come,
        }),
        "last_hour": last_hour_json(history, now_ms),
        "sessions": board.sessions.as_ref().map(sessions_json),
        "release": release_json(limits),
        "invitations": invitations_json(*invited, board, &request.room.invitations),
        "regions": regions_json(board, &request.room.invitations.groups, now_ms),
        "origin": origin_json(origin, request),
        "event": board.event.as_ref().map(event_json),
        "event_trouble": event_trouble(board, request),
        "stock": board.live.stock,
        "version": board.live.version,
    })
}

/// How long visitors waited who went in, by lane, beside what they had been told at the draw; and how long visits last under a cap.
fn last_hour_json(history: &History, now_ms: u64) -> Value {
    let (came, counts) = history.last_hour(now_ms / 60_000);
    let percentiles = |of: &Histogram| object!({ "p50": of.percentile(50), "p95": of.percentile(95), "p99": of.percentile(99) });
    let waits = counts.waits.iter().map(|(lane, waits)| {
        object!({
            "lane": lane.as_str(),
            "visitors": waits.waited.all(),
            "waited_seconds": percentiles(&waits.waited),
            "estimated_seconds": percentiles(&waits.told),
        })
    });
    object!({
        "since": iso_8601(history.since_ms.max(now_ms.saturating_sub(3_600_000))),
        "waits": waits.collect::<Vec<Value>>(),
        "visit_minutes_p50": counts.half_stayed(came),
    })
}

/// The event whose time it is.
pub(super) fn event_json(CurrentEvent { event, phase, .. }: &CurrentEvent) -> Value {
    object!({
        "id": event.id.as_str(),
        "phase": phase.name(),
        "order": event.order.name(),
        "prequeue": iso_8601(event.prequeue_ms),
        "opens": iso_8601(event.opens_ms),
        "closes": event.closes_ms.map(iso_8601),
        "outside": event.outside.name(),
        "then": event.then.map(Mode::name),
        "admits": if event.admits { "all" } else { "none" },
        "keeps_inside": event.keeps_inside,
        "with": with_json(&event.with),
    })
}

/// Who is inside, where a cap holds.
fn sessions_json(sessions: &Sessions) -> Value {
    object!({
        "setting": sessions.enforcement.name(),
        "total_active": sessions.total_active,
        "minutes": sessions.minutes,
        "inside": sessions.inside(),
        "promised": sessions.promised,
        "elsewhere": sessions.elsewhere,
        "free": sessions.free(),
    })
}

/// Who came by an invitation, where any is taken.
fn invitations_json(invited: InvitedVisitors, board: &Board, rule: &Invitations) -> Option<Value> {
    let groups = rule.groups.list.iter().map(|group| {
        let lane = board.lane(Lane::Named(group.name));
        object!({
            "name": group.name.as_str(),
            "share": group.share,
            "cursor": lane.cursor().0,
            "length": lane.length(),
            "waiting": lane.waiting(),
        })
    });
    rule.are_taken().then(|| {
        object!({
            "straight_in": invited.all,
            "this_minute": invited.this_minute,
            "per_minute": rule.per_minute,
            "groups": groups.collect::<Vec<Value>>(),
        })
    })
}

/// How far the line of each region is, where a number was drawn in one.
fn regions_json(board: &Board, groups: &Groups, now_ms: u64) -> Option<Vec<Value>> {
    let told = |(name, of): (LaneName, &LaneState)| {
        let measured = of.measured.and_then(|measured| measured.rate(now_ms));
        object!({
            "name": name.as_str(),
            "cursor": of.cursor().0,
            "length": of.length(),
            "waiting": of.waiting(),
            "measured_per_minute": measured.map(Rate::per_minute),
        })
    };
    let regions: Vec<Value> = board.regions(groups).map(told).collect();
    (!regions.is_empty()).then_some(regions)
}

/// Why no more visitors are released now, and what the last release was.
fn release_json(limits: &Explained) -> Value {
    let last = limits.last.map(|last| {
        object!({
            "at": iso_8601(last.at_ms),
            "released": last.released,
            "pace": last.pace,
            "slots": last.slots,
            "bound_by": last.bound_by.name(),
        })
    });
    object!({
        "bound_by": limits.bound_by.name(),
        "recount_until": limits.recount_ms.map(iso_8601),
        "last": last,
    })
}

/// How the origin answers, and what follows from it.
fn origin_json(origin: &OriginState, request: &Request<'_>) -> Value {
    let now_ms = request.now.ms();
    let (health, window) = (&origin.health, &origin.window);
    let until = |time_ms: u64| (time_ms > now_ms).then(|| iso_8601(time_ms));
    let last = origin.last.map(|last| {
        object!({
            "at": iso_8601(last.at_ms),
            "until": iso_8601(last.until_ms),
            "answers": answers_json(last.answers),
        })
    });
    object!({
        "setting": request.room.health.setting.name(),
        "recent": answers_json(health.recent),
        "sick_until": until(health.sick_until_ms),
        "overruled_until": until(health.overruled_until_ms),
        "last": last,
        "window": object!({
            "setting": request.room.health.adaptive.name(),
            "size": thousandths(window.size),
            "is_ramp": window.ramp.is_some(),
            "answers": window.samples.answers,
            "late": window.samples.late,
            "baseline": thousandths(window.baseline),
            "load": window.load.map(thousandths),
            "says": window.says.name(),
        }),
    })
}

fn answers_json(answers: Answers) -> Value {
    object!({ "ok": answers.ok, "late": answers.late, "bad": answers.bad })
}

/// Per mille as a fraction.
fn thousandths(share: u64) -> f64 {
    f64::from(u32::try_from(share).unwrap_or(u32::MAX)) / 1000.0
}

pub(super) fn settings(request: &Request<'_>) -> Answered {
    match request.line().panel(Past::HOUR, &[], Attempt::First) {
        Ok(snapshot) => {
            let told = settings_json(&snapshot, request.room);
            Answered {
                board: Some(snapshot.board),
                ..simply(Reply::json(200, &told), Reason::Settings)
            }
        }
        Err(fault) => store_trouble(fault, "nothing was read"),
    }
}

/// What is configured, what holds now, and who set that when.
pub(super) fn settings_json(snapshot: &PanelSnapshot, room: &Room) -> Value {
    let live = &snapshot.board.live;
    let pace = |pace: crate::queue::Pace| object!({ "automatic": pace.automatic, "automatic_quantity": pace.quantity });
    let configured = room.pages.brand.message.as_deref();
    object!({
        "version": live.version,
        "mode": setting("automatic".into(), live.mode.name().into(), snapshot.mode.as_ref()),
        "pace": setting(pace(room.pace), pace(live.pace), snapshot.pace.as_ref()),
        "message": setting(
            configured.into(),
            live.message.as_deref().or(configured).into(),
            snapshot.message.as_ref(),
        ),
        "cap": setting(cap_json(room.cap), cap_json(live.cap.unwrap_or(room.cap)), snapshot.cap.as_ref()),
        "event": setting(events_json(&room.events), events_json(live.events(&room.events)), snapshot.event.as_ref()),
    })
}

pub(super) fn cap_json(cap: Cap) -> Value {
    object!({
        "total_active": cap.total_active,
        "session_minutes": cap.session_minutes,
        "claim_seconds": cap.claim_seconds,
        "session_renewal": cap.renewal.name(),
    })
}

fn setting(configured: Value, now: Value, set: Option<&Provenance>) -> Value {
    object!({
        "configured": configured,
        "now": now,
        "since": set.map(|set| iso_8601(set.at_ms)),
        "by": set.and_then(|set| set.by.as_deref()),
    })
}
