//! A number for whoever has none; in front of a closed room there is none to be had, and a crowd there costs the store
//! no more than one that waits.

use super::{After, Drawn, Seen};
use crate::admission::Mode;
use crate::line::{Line, Sign};
use crate::near::{self, Copied, Lookup, Near};
use crate::upstash::StoreError;

pub(super) fn draw(id: &str, line: &Line<'_>, near: &dyn Near) -> Drawn {
    let closed = match near.peek() {
        Some(copy) => closed(copy).map(|sign| (sign, After::Nothing)),
        // Nobody has looked for a while. If it was closed then, one looks for all whether it still is.
        None => near
            .last()
            .and_then(closed)
            .and_then(|last| still_closed(last, line, near)),
    };
    match closed {
        Some((sign, after)) => (Ok(Seen::new((sign, None))), after),
        None => (joined(id, line, near).map_err(Some), After::Nothing),
    }
}

/// Draws, and lets the others see what the store said.
fn joined(id: &str, line: &Line<'_>, near: &dyn Near) -> Result<Seen, StoreError> {
    let drawn = line.join(id)?;
    near.put(&Copied::new(drawn.0.clone(), line.now_ms));
    Ok(Seen::new(drawn))
}

fn still_closed(last: Sign, line: &Line<'_>, near: &dyn Near) -> Option<(Sign, After)> {
    match near.lookup() {
        Lookup::Found(copy, duty) => {
            closed(copy).map(|sign| (sign, duty.map_or(After::Nothing, After::Renew)))
        }
        Lookup::Missing(duty) => {
            closed(near::renew(duty, line, near)).map(|sign| (sign, After::Nothing))
        }
        Lookup::Late => Some((last, After::Nothing)),
        Lookup::Unknown => None,
    }
}

fn closed(copy: Copied) -> Option<Sign> {
    copy.sign.filter(|sign| sign.live.mode == Mode::Closed)
}
