//! How the answer of the verb `panel` is read.

use super::reply::Answer;
use crate::queue::{Action, By, PanelSnapshot, Provenance};

/// What the verb `panel` answers.
pub(super) fn read_panel(answer: &Answer) -> Option<PanelSnapshot> {
    let board = answer.board()?;
    let (set_at, brought) = (board.live.set_at, &board.brought);
    let set = |at_ms: u64, by: &str, brought: Option<Provenance>| {
        let by = answer.optional(by, |text| Some(text.to_owned()))?;
        Some(brought.or((at_ms > 0).then_some(Provenance { at_ms, by })))
    };
    let actions = answer.texts("actions")?;
    Some(PanelSnapshot {
        absent: answer.absent()?,
        limits: answer.limits()?,
        origin: answer.health()?,
        invited: answer.invited()?,
        mode: set(set_at.mode, "mode_by", by_event(brought.mode.as_ref()))?,
        pace: set(set_at.pace, "pace_by", by_event(brought.pace.as_ref()))?,
        message: set(
            set_at.message,
            "message_by",
            by_event(brought.message.as_ref()),
        )?,
        cap: set(set_at.cap, "cap_by", by_event(brought.cap.as_ref()))?,
        event: set(set_at.event, "event_by", None)?,
        stock: set(set_at.stock, "stock_by", None)?,
        history: answer.history()?,
        actions: actions.into_iter().filter_map(action).collect(),
        board,
    })
}

fn by_event<T>(brought: Option<&(By, T)>) -> Option<Provenance> {
    let By { id, since_ms, .. } = &brought?.0;
    Some(Provenance {
        at_ms: *since_ms,
        by: Some(format!("event:{id}")),
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
