//! The settings of a room in a table.
//!
//! Times of the day are those of one day, 15 January 2027, and the clock of the store begins at one second past eight.

use std::collections::BTreeMap;

use now_serving::queue::{
    AbsentVisitors, AdaptivePace, Cap, Enforcement, Event, Group, HealthRule, Invitation, LaneName,
    NetworkBound, Order, OriginHealth, Pace, Region, Regions,
};
use now_serving::queue::{Lag, Mode};
use serde_json::Value;

use crate::table::{Object, Words, milliseconds};

/// Midnight before eight o'clock at Unix time 1 800 000 000.
const DAY_MS: u64 = 1_799_971_200_000;
const USUAL_START: &str = "08:00:01";

/// All that a room is set to.
pub(super) struct Settings {
    pub(super) start_ms: u64,
    pub(super) pace: Pace,
    pub(super) cap: Cap,
    pub(super) active_visitors: Enforcement,
    pub(super) absent: AbsentVisitors,
    pub(super) health: (HealthRule, u64),
    pub(super) events: Vec<Event>,
    pub(super) bound: NetworkBound,
    pub(super) groups: Vec<Group>,
    pub(super) turn_minutes: u64,
    pub(super) regions: Option<Regions>,
    pub(super) invitations: BTreeMap<String, Invitation>,
    pub(super) invited_per_minute: u64,
    pub(super) credit_max: u64,
}

impl Settings {
    pub(super) fn read(settings: Object) -> Result<Self, String> {
        let mut words = Words::new("settings", Value::Object(settings))?;
        let start = words.text("start")?;
        let absent = words.text("absent_visitors")?;
        let active = words.text("active_visitors")?;
        let read = Self {
            start_ms: clock(start.as_deref().unwrap_or(USUAL_START))?,
            pace: words.take("pace").map_or(Ok(OFF), |value| pace(&value))?,
            cap: words
                .take("cap")
                .map_or(Ok(Cap::default()), |value| cap(&value))?,
            active_visitors: named(active.as_deref(), &Enforcement::ALL)?.unwrap_or_default(),
            absent: named(absent.as_deref(), &AbsentVisitors::ALL)?.unwrap_or_default(),
            health: words
                .take("origin")
                .map_or(Ok((HealthRule::OFF, 0)), health)?,
            events: words
                .take("events")
                .map_or(Ok(Vec::new()), |value| events(&value))?,
            bound: words
                .take("network_bound")
                .map_or(Ok(NetworkBound::default()), bound)?,
            groups: words
                .take("priority")
                .map_or(Ok(Vec::new()), |value| groups(&value))?,
            turn_minutes: words.take("turn").map_or(Ok(0), |value| time(&value))? / 60_000,
            regions: regions(words.object("regions")?, words.number("regions_lag")?)?,
            invited_per_minute: words.number("invited_per_minute")?.unwrap_or(1_000),
            credit_max: words.number("credit_max")?.unwrap_or(100),
            invitations: invitations(words.object("invitations")?)?,
        };
        words.end()?;
        Ok(read)
    }
}

/// The line moves by hand alone.
pub const OFF: Pace = Pace {
    automatic: 0,
    quantity: 5,
};

/// A time of the day, in milliseconds since 1970.
///
/// # Errors
/// What is wrong with it, and what is known.
pub fn clock(text: &str) -> Result<u64, String> {
    let fault = || format!("{text:?} is no time of the day; known is 08:00:00 or 08:00:00.001");
    let (seconds, ms) = text.split_once('.').unwrap_or((text, "0"));
    let parts: Result<Vec<u64>, _> = seconds.split(':').map(str::parse).collect();
    let [hours, minutes, seconds] = parts.map_err(|_| fault())?[..] else {
        return Err(fault());
    };
    let ms: u64 = ms.parse().map_err(|_| fault())?;
    let is_time = hours < 48 && minutes < 60 && seconds < 60 && ms < 1000;
    is_time
        .then(|| DAY_MS + ((hours * 60 + minutes) * 60 + seconds) * 1000 + ms)
        .ok_or_else(fault)
}

/// The minute of the day, as `15:54`.
pub(super) fn minute_of_day(ms: u64) -> String {
    let minute = ms.saturating_sub(DAY_MS) / 60_000;
    format!("{:02}:{:02}", minute / 60, minute % 60)
}

/// A length of time, as `15 s`.
///
/// # Errors
/// What is wrong with it, and what is known.
pub fn time(value: &Value) -> Result<u64, String> {
    let time = value.as_str().and_then(milliseconds);
    time.ok_or_else(|| format!("{value} is no time; known is 1 ms, 1 s, 1 min or 1 h"))
}

pub(super) fn named<T: Copy>(
    name: Option<&str>,
    all: &[(&'static str, T)],
) -> Result<Option<T>, String> {
    let Some(name) = name else {
        return Ok(None);
    };
    let found = all.iter().find(|(known, _)| *known == name);
    let names = || all.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    let found = found.ok_or_else(|| format!("{name:?} is none of {}", names().join(", ")))?;
    Ok(Some(found.1))
}

/// Visitors in a period: `[15, 5]` is five every fifteen seconds.
///
/// # Errors
/// What is wrong with it, and what is known.
pub fn pace(value: &Value) -> Result<Pace, String> {
    if value == "off" {
        return Ok(OFF);
    }
    let numbers = value.as_array().map(|list| list.iter().map(Value::as_u64));
    let numbers: Option<Vec<u64>> = numbers.and_then(Iterator::collect);
    match numbers.as_deref() {
        Some([automatic, quantity]) => Ok(Pace {
            automatic: *automatic,
            quantity: *quantity,
        }),
        _ => Err(format!("{value} is no pace; known is [15, 5] or off")),
    }
}

/// The number of sessions, or all that a cap says.
pub(super) fn cap(value: &Value) -> Result<Cap, String> {
    if let Some(total_active) = value.as_u64() {
        return Ok(Cap {
            total_active,
            ..Cap::default()
        });
    }
    let mut words = Words::new("cap", value.clone())?;
    let usual = Cap::default();
    let mut span = |name| words.take(name).map(|value| time(&value)).transpose();
    let (session, claim) = (span("session")?, span("slot_kept_for")?);
    let cap = Cap {
        total_active: words.needed("total")?,
        session_minutes: session.map_or(usual.session_minutes, |ms| ms / 60_000),
        claim_seconds: claim.map_or(usual.claim_seconds, |ms| ms / 1_000),
        ..usual
    };
    words.end()?;
    Ok(cap)
}

fn health(value: Value) -> Result<(HealthRule, u64), String> {
    let mut words = Words::new("origin", value)?;
    let usual = HealthRule::default();
    let (watch, follows) = (words.text("watch")?, words.text("pace_follows")?);
    let setting = named(watch.as_deref(), &OriginHealth::ALL)?.unwrap_or(OriginHealth::On);
    let marker = words.take("marker").map(|value| time(&value)).transpose()?;
    let rule = HealthRule {
        setting,
        sick_min: words.number("sick_from")?.unwrap_or(usual.sick_min),
        sick_share: words.number("sick_percent")?.unwrap_or(usual.sick_share),
        adaptive: named(follows.as_deref(), &AdaptivePace::ALL)?.unwrap_or_default(),
        window_min: words.number("fewest")?.unwrap_or(usual.window_min),
        window_max: words.number("most")?.unwrap_or(usual.window_max),
        ..usual
    };
    words.end()?;
    Ok((rule, marker.unwrap_or(50_000) / 1_000))
}

/// The events of a room, in the order of their times.
pub(super) fn events(value: &Value) -> Result<Vec<Event>, String> {
    let list = value.as_array().ok_or("events are a list")?;
    let event = |value: &Value| {
        let mut words = Words::new("event", value.clone())?;
        let mut at = |name| words.text(name)?.map(|text| clock(&text)).transpose();
        let (prequeue, opens, closes) = (at("prequeue")?, at("opens")?, at("closes")?);
        let opens_ms = opens.ok_or("an event has no opens")?;
        let outside = match words.text("outside")? {
            None => Mode::Closed,
            Some(mode) => Event::outside_named(&mode)
                .ok_or("outside of an event is closed, automatic or open")?,
        };
        let order = match words.text("order")?.as_deref() {
            None | Some("arrival") => Order::Arrival,
            Some("by lot") => Order::Drawn,
            Some(other) => match other.strip_prefix("by lot and ") {
                Some(source) => Order::DrawnBy(source.to_owned()),
                None => {
                    return Err(format!(
                        "{other:?} is no order; known is arrival, by lot, by lot and SOURCE"
                    ));
                }
            },
        };
        let id = words.text("id")?.ok_or("an event has no id")?;
        let event = Event {
            prequeue_ms: prequeue.unwrap_or(opens_ms),
            closes_ms: closes,
            outside,
            order,
            ..Event::new(&id, opens_ms)
        };
        words.end()?;
        Ok(event)
    };
    list.iter().map(event).collect()
}

fn bound(value: Value) -> Result<NetworkBound, String> {
    let mut words = Words::new("network_bound", value)?;
    let above = words.text("above")?;
    let bound = NetworkBound {
        draws: words.needed("draws")?,
        enforcement: named(above.as_deref(), &NetworkBound::CHOICES)?.unwrap_or_default(),
    };
    words.end()?;
    Ok(bound)
}

/// The regions by name, each with its percent, or null where its share is by what came.
fn regions(list: Option<Object>, lag: Option<u64>) -> Result<Option<Regions>, String> {
    let lag = match lag {
        None | Some(1) => Lag::One,
        Some(2) => Lag::Two,
        Some(other) => return Err(format!("regions_lag is {other}, and neither 1 nor 2")),
    };
    let region = |(name, share): (String, Value)| {
        let named = LaneName::read(&name);
        Ok(Region {
            name: named.ok_or_else(|| format!("{name:?} is no name of a region"))?,
            share: match share.as_u64() {
                None if share != "by arrivals" => {
                    return Err(format!("{share} is no percent, and not \"by arrivals\""));
                }
                percent => percent,
            },
        })
    };
    let Some(list) = list else {
        return Ok(None);
    };
    let list: Result<Vec<Region>, String> = list.into_iter().map(region).collect();
    Ok(Some(Regions { list: list?, lag }))
}

/// The groups in the order of their ranks, each as its name and its percent.
pub(super) fn groups(list: &Value) -> Result<Vec<Group>, String> {
    let group = |group: &Value| {
        let name = group
            .get(0)
            .and_then(Value::as_str)
            .and_then(LaneName::read);
        let share = group.get(1).and_then(Value::as_u64);
        let (name, share) = name.zip(share)?;
        Some(Group { name, share })
    };
    let groups = list
        .as_array()
        .and_then(|list| list.iter().map(group).collect());
    groups.ok_or_else(|| format!("{list} is no list of groups, each with a name and a percent"))
}

fn invitations(list: Option<Object>) -> Result<BTreeMap<String, Invitation>, String> {
    let one = |(name, value): (String, Value)| {
        let mut words = Words::new("an invitation", value)?;
        let group = words.text("opens")?;
        let read = |name: String| LaneName::read(&name).ok_or(format!("{name:?} is no group"));
        let ends = words.text("ends")?;
        let invitation = Invitation {
            id: name.clone(),
            uses: words.number("uses")?.unwrap_or(1),
            ends: ends.map_or(clock("24:00:00"), |text| clock(&text))? / 1000,
            batch: "spring".to_owned(),
            group: group.map(read).transpose()?,
        };
        words.end()?;
        Ok((name, invitation))
    };
    list.unwrap_or_default().into_iter().map(one).collect()
}
