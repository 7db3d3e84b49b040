//! How the answer of the verb `board` is read.

use super::reply::Answer;
use crate::queue::{Action, MinuteSample, PanelSnapshot, Provenance};

/// What the verb `board` answers.
pub(super) fn read_board(answer: &Answer) -> Option<PanelSnapshot> {
    let set = |at: &str, by: &str| {
        let at_ms = answer.optional_number(at)?;
        let by = answer.optional(by, |text| Some(text.to_owned()))?;
        let at_ms = at_ms.filter(|at_ms| *at_ms > 0);
        Some(at_ms.map(|at_ms| Provenance { at_ms, by }))
    };
    let (hour, actions) = (answer.texts("hour")?, answer.texts("actions")?);
    Some(PanelSnapshot {
        sign: answer.sign()?,
        drawn: answer.number("drawn")?,
        admitted: answer.number("admitted")?,
        absent: answer.absent()?,
        limits: answer.limits()?,
        origin: answer.health()?,
        invited: answer.invited()?,
        mode: set("mode_at", "mode_by")?,
        pace: set("pace_at", "pace_by")?,
        message: set("message_at", "message_by")?,
        cap: set("cap_at", "cap_by")?,
        event: set("event_at", "event_by")?,
        hour: hour.into_iter().filter_map(minute).collect(),
        minute: answer.number("minute")?,
        actions: actions.into_iter().filter_map(action).collect(),
    })
}

fn minute(text: &str) -> Option<MinuteSample> {
    let mut numbers = text.split(' ').map_while(|number| number.parse().ok());
    let mut next = || numbers.next();
    Some(MinuteSample {
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
        set: Provenance {
            at_ms,
            by: Some(next()?.to_owned()),
        },
        address: next()?.to_owned(),
        verb: next()?.to_owned(),
        number: next()?.parse().ok()?,
        value: next()?.to_owned(),
        second: next()?.to_owned(),
    })
}
