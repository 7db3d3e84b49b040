//! What every call to the script brings, by name.

use super::{Clock, Line};
use crate::queue::{
    Board, Cap, Event, EventList, FORMAT, Group, HealthRule, Lane, LotNews, OriginHealth, Region,
    Regions,
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
        ("format", FORMAT.to_string()),
        ("automatic", line.pace.automatic.to_string()),
        ("quantity", line.pace.quantity.to_string()),
        ("absent", line.absent_visitors.name().to_owned()),
        ("cap", line.active_visitors.name().to_owned()),
        ("lifetime", line.lifetime.to_string()),
    ];
    let now = (line.clock == Clock::Given).then(|| ("now", line.now.ms().to_string()));
    let known = line.known.last_board();
    let lot = lot(line, known.as_ref());
    let regions = line.regions.into_iter().flat_map(in_regions);
    let turn = (line.turn_minutes > 0).then(|| ("turn_minutes", line.turn_minutes.to_string()));
    let shares = line.limits_of.filter(|of| *of != line.room);
    let rest = [
        in_groups(line.groups),
        turn,
        watched(&line.health.0, line.health.1),
        sick(line),
        line.limits_of.map(|_| ("room", line.room.to_string())),
        shares.map(|_| ("shares", "yes".to_owned())),
        scheduled("events", line.schedule.events),
        scheduled("limits_events", line.limits_events),
        lot,
        now,
    ];
    let cap = Some(line.cap).filter(Cap::holds);
    let cap = cap.into_iter().flat_map(capped);
    let settings = settings.into_iter().chain(cap).chain(regions);
    let settings = settings.chain(rest.into_iter().flatten()).map(named);
    let known = known.filter(|board| !board.text.is_empty());
    let known = known.map(|board| copied(&board));
    settings.chain(known.unwrap_or_default()).collect()
}

/// The copy of the board as the script receives it: the text as it came, and in words how far it is, so that the script decodes it only
/// where it may say something new. `store/lua/copy.lua` says what each word is.
fn copied(board: &Board) -> Arguments {
    let (own, live) = (board.order(), &board.live);
    let (version, at) = (live.version, live.set_at);
    let data = [
        own.0, own.1, version, at.mode, at.pace, at.message, at.cap, at.event, at.stock,
    ];
    let data = data.map(|number| number.to_string()).join(" ");
    let main = std::iter::once((Lane::Main, &board.rolls));
    let lanes = main.chain(board.lanes.iter().map(|of| (of.lane, &of.rolls)));
    let stretches = lanes.flat_map(|(lane, rolls)| rolls.iter().map(move |of| (lane, of)));
    let reach = format!("{} {}", board.epoch, board.lines.unwrap_or(0));
    let reach = stretches.fold(reach, |reach, (lane, of)| {
        let (name, born) = (lane.full_name(), of.born);
        format!("{reach} {name}/{born} {} {}", of.served.0, of.drawn)
    });
    let words = [
        Some(("copy", board.text.clone())),
        Some(("copy_data", data)),
        Some(("copy_reach", reach)),
        (board.begun.as_ref()).map(|begun| ("copy_event", begun.written())),
        (board.logged).map(|logged| ("logged", logged.written())),
    ];
    words.into_iter().flatten().map(named).collect()
}

/// The groups of the room in the order of their ranks, each with its percent, where there are any.
fn in_groups(groups: &[Group]) -> Option<(&'static str, String)> {
    let written = |group: &Group| format!("{}={}", group.name.as_str(), group.share);
    let written: Vec<String> = groups.iter().map(written).collect();
    (!groups.is_empty()).then(|| ("priority", written.join(" ")))
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
        ("renewal", cap.renewal.name().to_owned()),
    ]
}

/// The configured events, where there are any.
fn scheduled(name: &'static str, events: &[Event]) -> Option<(&'static str, String)> {
    (!events.is_empty()).then(|| (name, EventList(events.to_vec()).written()))
}

/// What this POP tells of an order by lot.
fn lot(line: &Line<'_>, known: Option<&Board>) -> Option<(&'static str, String)> {
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
fn watched(rule: &HealthRule, life_s: u64) -> Option<(&'static str, String)> {
    let is_watched = rule.setting != OriginHealth::Off;
    is_watched.then(|| ("health", rule.written(life_s)))
}

/// Until when the origin counts as sick by what this POP heard from another room.
fn sick(line: &Line<'_>) -> Option<(&'static str, String)> {
    let until_ms = line.known.notes()?.sick_until(line.origin?);
    Some(("sick_until", until_ms.to_string()))
}
