//! What only the panel shows: who set what, the last hour, and what operators did.

use serde_json::Value;

use super::{Sign, read};

/// The sign, and all that is shown beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// The sign.
    pub sign: Sign,
    /// How many numbers were drawn in all.
    pub drawn: u64,
    /// How many visitors were released in all.
    pub admitted: u64,
    /// Who set the mode, and when.
    pub mode: Option<Set>,
    /// Who set the pace, or took it back.
    pub pace: Option<Set>,
    /// Who set the message, or took it back.
    pub message: Option<Set>,
    /// Minutes in which the line was asked to move, the latest first, without `minute`.
    pub hour: Vec<Minute>,
    /// The latest such minute, since 1970: nothing moved after it. 0 when there was none.
    pub minute: u64,
    /// What operators did, the latest first; at most 50.
    pub actions: Vec<Action>,
}

/// Who set something, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    /// Unix time in milliseconds.
    pub at_ms: u64,
    /// The name of the credentials.
    pub by: String,
}

/// How a minute ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Minute {
    /// Minutes since 1970.
    pub minute: u64,
    /// How many waited.
    pub waiting: u64,
    /// How many numbers had been drawn in all.
    pub drawn: u64,
    /// How many visitors had been released in all.
    pub admitted: u64,
}

/// Something an operator did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// Who and when.
    pub set: Set,
    /// From which address.
    pub address: String,
    /// The verb: `permit`, `mode`, `pace`, `message`, `credit`, `epoch` or `draw`.
    pub verb: String,
    /// What [`Changed::Done`](super::Changed::Done) says about it.
    pub number: u64,
    /// What it was set to, or how many were asked for; empty when it was taken back.
    pub value: String,
    /// For a pace, the quantity.
    pub second: String,
}

/// What `status.lua` answers for the panel.
pub(super) fn read_board(value: &Value) -> Option<Board> {
    let [answer, set, hour, actions] = value.as_array()?.as_slice() else {
        return None;
    };
    let (sign, _) = read(answer)?;
    let minute_of = |text: &str| text.parse().ok();
    let latest = set.get(6).and_then(Value::as_str).and_then(minute_of);
    let count = |index: usize| answer.get(index).and_then(Value::as_u64);
    let set = |index: usize| {
        let at_ms = set.get(index)?.as_str()?.parse().ok()?;
        let by = set.get(index + 1)?.as_str()?.to_owned();
        Some(Set { at_ms, by })
    };
    let texts = |list: &Value| -> Option<Vec<String>> {
        let texts = list.as_array()?.iter();
        texts.map(|text| text.as_str().map(str::to_owned)).collect()
    };
    Some(Board {
        sign,
        drawn: count(11)?,
        admitted: count(12)?,
        mode: set(0),
        pace: set(2),
        message: set(4),
        hour: texts(hour)?
            .iter()
            .filter_map(|text| minute(text))
            .collect(),
        minute: latest.unwrap_or_default(),
        actions: texts(actions)?
            .iter()
            .filter_map(|text| action(text))
            .collect(),
    })
}

fn minute(text: &str) -> Option<Minute> {
    let mut numbers = text.split(' ').map_while(|number| number.parse().ok());
    let mut next = || numbers.next();
    Some(Minute {
        minute: next()?,
        waiting: next()?,
        drawn: next()?,
        admitted: next()?,
    })
}

fn action(text: &str) -> Option<Action> {
    let mut words = text.split('\n');
    let mut next = || words.next();
    let at_ms = next()?.parse().ok()?;
    Some(Action {
        set: Set {
            at_ms,
            by: next()?.to_owned(),
        },
        address: next()?.to_owned(),
        verb: next()?.to_owned(),
        number: next()?.parse().ok()?,
        value: next()?.to_owned(),
        second: next()?.to_owned(),
    })
}
