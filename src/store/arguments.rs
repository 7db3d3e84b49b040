//! What every call to the script brings, by name.

use super::{Clock, Line};
use crate::queue::{
    Cap, Event, EventList, HealthRule, Live, LotNews, OriginHealth, Region, RegionLine, Regions,
    Sessions, Sign,
};
use std::borrow::Cow;

/// What a verb is called with: names and values.
pub(super) type Arguments = Vec<(Cow<'static, str>, String)>;

/// The keys a verb needs besides those of every verb, each by the name the script knows.
pub(super) type Keys = Vec<(&'static str, String)>;

/// What every verb is called with: the settings of the room, and what this POP knows of its line.
pub(super) fn shared(verb: &str, line: &Line<'_>) -> Arguments {
    let settings = [
        ("verb", verb.to_owned()),
        ("automatic", line.pace.automatic.to_string()),
        ("quantity", line.pace.quantity.to_string()),
        ("absent", line.absent_visitors.name().to_owned()),
        ("lifetime", line.lifetime.to_string()),
    ];
    let now = (line.clock == Clock::Given).then(|| ("now", line.now.ms().to_string()));
    let known = line.known.last_sign();
    let lot = lot(line, known.as_ref());
    let front = (line.front_share > 0).then(|| ("front_share", line.front_share.to_string()));
    let regions = line.regions.into_iter().flat_map(in_regions);
    let turn = (line.turn_minutes > 0).then(|| ("turn_minutes", line.turn_minutes.to_string()));
    let rest = [
        front,
        turn,
        watched(&line.health),
        scheduled(line.schedule.events),
        lot,
        now,
    ];
    let cap = Some(line.cap).filter(Cap::holds);
    let cap = cap.into_iter().flat_map(capped);
    let settings = settings.into_iter().chain(cap).chain(regions);
    let settings = settings.chain(rest.into_iter().flatten()).map(named);
    let known = known.map(|sign| brought(&sign));
    settings.chain(known.unwrap_or_default()).collect()
}

/// A sign as the script receives it.
fn brought(sign: &Sign) -> Arguments {
    let (birth, live) = (&sign.birth, &sign.live);
    let splices = birth.splices.iter().map(|splice| splice.written());
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
    let told = [
        live.message.clone().map(|text| ("sign_message", text)),
        live.cap.map(|cap| ("sign_cap", cap.written())),
        (live.events.as_ref()).map(|events| ("sign_events", events.written())),
        (sign.begun.as_ref()).map(|begun| ("sign_event", begun.written())),
        sign.front.map(|front| ("sign_front", front.written())),
        sign.head.map(|head| ("sign_head", head.to_string())),
        (sign.logged).map(|logged| ("sign_logged", logged.written())),
        known_regions(&sign.regions),
    ];
    let lines = sign.lines.map(|lines| ("sign_lines", lines));
    let numbers = numbers.into_iter().chain(set_times(live)).chain(lines);
    let numbers = numbers.map(|(name, number)| (name, number.to_string()));
    let sessions = sign.sessions.iter().flat_map(known_sessions);
    let pairs = numbers.chain(texts).chain(told.into_iter().flatten());
    pairs.chain(sessions).map(named).collect()
}

/// When operators set what the sign shows.
fn set_times(live: &Live) -> impl Iterator<Item = (&'static str, u64)> {
    let set_at = live.set_at;
    let times = [
        ("sign_mode_at", set_at.mode),
        ("sign_pace_at", set_at.pace),
        ("sign_message_at", set_at.message),
        ("sign_cap_at", set_at.cap),
        ("sign_event_at", set_at.event),
    ];
    times.into_iter().filter(|(_, time)| *time > 0)
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

/// The numbers of the regions by the sign.
fn known_regions(lines: &[RegionLine]) -> Option<(&'static str, String)> {
    (!lines.is_empty()).then(|| ("sign_regions", RegionLine::all_written(lines)))
}

/// The regions of the room, each with its percent where its share is fixed, and how many minutes back it counts how much came to each.
fn in_regions(regions: &Regions) -> [(&'static str, String); 2] {
    let written = |region: &Region| {
        let name = region.name.as_str();
        let share = region.share.map(|percent| format!("={percent}"));
        format!("{name}{}", share.unwrap_or_default())
    };
    let names: Vec<String> = regions.list.iter().map(written).collect();
    [
        ("regions", names.join(" ")),
        ("regions_lag", regions.lag.minutes().to_string()),
    ]
}

/// A cap as the script receives it.
fn capped(cap: Cap) -> [(&'static str, String); 4] {
    [
        ("total_active", cap.total_active.to_string()),
        ("session_minutes", cap.session_minutes.to_string()),
        ("claim_seconds", cap.claim_seconds.to_string()),
        ("cap", cap.enforcement.name().to_owned()),
    ]
}

/// The configured events, where there are any.
fn scheduled(events: &[Event]) -> Option<(&'static str, String)> {
    (!events.is_empty()).then(|| ("events", EventList(events.to_vec()).written()))
}

/// What this POP tells of an order by lot.
fn lot(line: &Line<'_>, known: Option<&Sign>) -> Option<(&'static str, String)> {
    let news = line.schedule.news(line.room.as_str(), known, line.now.ms());
    Some(match news? {
        LotNews::Commitment(committed) => ("commitment", committed),
        LotNews::Secret(reveal) => ("lot", reveal.written()),
    })
}

/// An argument whose name is always the same.
pub(super) fn named((name, value): (&'static str, String)) -> (Cow<'static, str>, String) {
    (Cow::Borrowed(name), value)
}

/// The rule for the origin, where it is watched; a marker of this call would stand for that many seconds.
fn watched((rule, life_s): &(HealthRule, u64)) -> Option<(&'static str, String)> {
    let is_watched = rule.setting != OriginHealth::Off;
    is_watched.then(|| ("health", rule.written(*life_s)))
}
