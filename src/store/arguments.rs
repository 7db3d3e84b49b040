//! What every call to the script brings, by name.

use crate::queue::{Cap, HealthRule, OriginHealth, Sessions, Sign};
use std::borrow::Cow;

/// What a verb is called with: names and values.
pub(super) type Arguments = Vec<(Cow<'static, str>, String)>;

/// The keys a verb needs besides those of every verb, each by the name the script knows.
pub(super) type Keys = Vec<(&'static str, String)>;

/// A sign as the script receives it.
pub(super) fn brought(sign: &Sign) -> Arguments {
    let (birth, live) = (&sign.birth, &sign.live);
    let splices = birth.splices.iter().map(|splice| splice.written());
    let set_at = live.set_at.or(live.version);
    let times = [
        ("sign_mode_at", set_at.mode),
        ("sign_pace_at", set_at.pace),
        ("sign_message_at", set_at.message),
        ("sign_cap_at", set_at.cap),
    ];
    let times = times.into_iter().filter(|(_, time)| *time > 0);
    let numbers = [
        ("sign_born", birth.born),
        ("sign_started", birth.started),
        ("sign_adopted", birth.adopted),
        ("sign_settled", birth.settled),
        ("sign_recent", birth.recent),
        ("sign_epoch", sign.epoch),
        ("sign_cursor", sign.cursor.0),
        ("sign_length", sign.length),
        ("sign_credit", sign.credit),
        ("sign_automatic", live.pace.automatic),
        ("sign_quantity", live.pace.quantity),
        ("sign_version", live.version),
        ("sign_paced", u64::from(live.paced)),
    ];
    let texts = [
        ("sign_mode", live.mode.name().to_owned()),
        ("sign_splices", splices.collect::<Vec<_>>().join(" ")),
    ];
    let message = live
        .message
        .iter()
        .map(|text| ("sign_message", text.clone()));
    let numbers = numbers.into_iter().chain(times);
    let numbers = numbers.map(|(name, number)| (name, number.to_string()));
    let sessions = sign.sessions.iter().flat_map(known_sessions);
    let cap = live.cap.map(|cap| ("sign_cap", cap.written()));
    let pairs = numbers
        .chain(texts)
        .chain(message)
        .chain(cap)
        .chain(sessions);
    pairs.map(named).collect()
}

/// Who was inside by the sign, for a store that lost its data.
fn known_sessions(sessions: &Sessions) -> [(&'static str, String); 3] {
    let cells = sessions.cells.iter().map(|cell| cell.written());
    [
        ("sign_told", sessions.told_ms.to_string()),
        ("sign_cap_since", sessions.since.to_string()),
        ("sign_ring", cells.collect::<Vec<_>>().join(" ")),
    ]
}

/// A cap as the script receives it.
pub(super) fn capped(cap: Cap) -> [(&'static str, String); 4] {
    [
        ("total_active", cap.total_active.to_string()),
        ("session_minutes", cap.session_minutes.to_string()),
        ("claim_seconds", cap.claim_seconds.to_string()),
        ("cap", cap.enforcement.name().to_owned()),
    ]
}

/// An argument whose name is always the same.
pub(super) fn named((name, value): (&'static str, String)) -> (Cow<'static, str>, String) {
    (Cow::Borrowed(name), value)
}

/// The rule for the origin, where it is watched; a marker of this call would stand for that many seconds.
pub(super) fn watched((rule, life_s): &(HealthRule, u64)) -> Option<(&'static str, String)> {
    let is_watched = rule.setting != OriginHealth::Off;
    is_watched.then(|| ("health", rule.written(*life_s)))
}
