//! Log lines that are about no request.

use crate::cache::outbox::Tally;
use crate::config::{Config, Problem, Room};
use crate::page::{Pages, Refused};
use crate::queue::{Noted, Now, Reason, Recount, Released, RoomName, Sickness};
use crate::telemetry::log::{self};
use serde_json::json;

/// How much the log says about what is wrong with a template, in characters.
pub(super) const MAX_REFUSAL_CHARS: usize = 200;

/// The most bytes of a line about the configuration that are not its problems.
pub(super) const HEAD_BYTES: usize = 200;

/// The log line that names every problem at once, or as many as fit, and how many more there are.
#[must_use]
pub fn unsound_entry(now: Now, problems: &[Problem]) -> String {
    problems_entry(now, Reason::UnsoundConfiguration, problems)
}

/// The log lines about settings that have their defaults instead, and about those that no visitor can pass, once for each reading
/// of them; none where all are sound.
#[must_use]
pub fn settings_entries(now: Now, config: &Config) -> Vec<String> {
    let found = [
        (Reason::IgnoredSetting, &config.ignored),
        (Reason::ClosedPaths, &config.closed),
    ];
    let found = found
        .into_iter()
        .filter(|(_, problems)| !problems.is_empty());
    found
        .map(|(reason, problems)| problems_entry(now, reason, problems))
        .collect()
}

pub(super) fn problems_entry(now: Now, reason: Reason, problems: &[Problem]) -> String {
    let mut space = log::LONGEST_LINE - HEAD_BYTES;
    let fits = |problem: &&Problem| {
        let size = serde_json::to_string(problem).unwrap_or_default().len() + 1;
        space
            .checked_sub(size)
            .inspect(|left| space = *left)
            .is_some()
    };
    let told: Vec<&Problem> = problems.iter().take_while(fits).collect();
    let more = problems.len() - told.len();
    log::line(&json!({
        "timestamp": now.ms(),
        "reason": reason,
        "problems": told,
        "more": more,
    }))
}

/// The log line with what was counted and could be kept nowhere else.
#[must_use]
pub fn uncounted_entry(now: Now, room: Option<&RoomName>, tally: &Tally) -> String {
    let (timestamp, reason, counts) = (now.ms(), Reason::Uncounted, tally.encode());
    let mut entry = json!({ "timestamp": timestamp, "reason": reason, "counts": counts });
    if let (Some(fields), Some(room)) = (entry.as_object_mut(), room) {
        fields.insert("room".to_owned(), room.as_str().into());
    }
    log::line(&entry)
}

/// The log line about a release of visitors who waited: how many, what each limit allowed, and which one bound.
#[must_use]
pub fn released_entry(room: &RoomName, released: &Released) -> String {
    let (timestamp, reason, room) = (released.at_ms, Reason::Released, room.as_str());
    log::line(
        &json!({ "timestamp": timestamp, "reason": reason, "room": room, "release": released }),
    )
}

/// The log line with what the store has just written into the journal: its second copy.
#[must_use]
pub fn noted_entry(room: &RoomName, noted: &Noted) -> String {
    let (timestamp, reason, room) = (noted.at_ms(), Reason::Noted, room.as_str());
    let (lines, head) = (&noted.lines, &noted.head);
    log::line(
        &json!({ "timestamp": timestamp, "reason": reason, "room": room, "noted": lines, "head": head }),
    )
}

/// The log line that says that it is not known who is inside, and until when no visitor is let in by the cap.
#[must_use]
pub fn recount_entry(room: &RoomName, recount: &Recount) -> String {
    let (timestamp, reason, room) = (recount.at_ms, Reason::Recount, room.as_str());
    log::line(
        &json!({ "timestamp": timestamp, "reason": reason, "room": room, "recount": recount }),
    )
}

/// The log line that says that the origin has become sick, until when, and by which answers.
#[must_use]
pub fn sick_entry(room: &RoomName, sickness: &Sickness) -> String {
    let (timestamp, reason, room) = (sickness.at_ms, Reason::OriginSick, room.as_str());
    log::line(
        &json!({ "timestamp": timestamp, "reason": reason, "room": room, "sickness": sickness }),
    )
}

/// The log lines about templates that are not shown, once for each reading of the settings.
#[must_use]
pub(super) fn refused_entries(now: Now, room: &Room) -> Vec<String> {
    let entry = |refused: Refused| {
        let reason = refused.refusal.reason.chars().take(MAX_REFUSAL_CHARS);
        log::line(&json!({
            "timestamp": now.ms(),
            "reason": Reason::RefusedTemplate,
            "room": room.name.as_str(),
            "template": refused.template,
            "line": refused.refusal.line,
            "detail": reason.collect::<String>(),
        }))
    };
    room.all_pages()
        .flat_map(Pages::refused)
        .map(entry)
        .collect()
}
