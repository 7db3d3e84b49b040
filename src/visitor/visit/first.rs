//! A visitor's first contact while others wait, or while slots are scarce: a provisional ticket, and a number once it has come
//! back.
//!
//! What keeps no cookies, such as crawlers, link previews and monitors, then draws nothing in front of a line, and takes no more
//! than half of the slots.

use super::draw::draw;
use super::{Drawn, SignRead};
use crate::cache::{CachedSign, SignCache};
use crate::queue::{Enforcement, Mode, Sign};
use crate::request::Request;

/// The sign, if visitors wait or slots are scarce by the last one that this data centre knows. Otherwise, and where it knows none,
/// a number is drawn at once: a line that has not begun cannot be made longer in front of other visitors.
pub(super) fn asks_twice(pop: &dyn SignCache) -> Option<Sign> {
    let sign = pop.last()?.sign?;
    (has_line(&sign) || are_slots_scarce(&sign)).then_some(sign)
}

/// More than half of them are taken, where a cap holds visitors back.
fn are_slots_scarce(sign: &Sign) -> bool {
    let cap = sign.sessions.as_ref();
    let cap = cap.filter(|cap| cap.enforcement == Enforcement::On);
    sign.live.mode == Mode::Automatic
        && cap.is_some_and(|cap| cap.free().saturating_mul(2) < cap.total_active)
}

/// An open room lets everybody in, and in front of a closed one there is no number to be had.
fn has_line(sign: &Sign) -> bool {
    matches!(sign.live.mode, Mode::Automatic | Mode::Hold) && sign.waiting() > 0
}

/// Whether the room is open by a fresh sign, so that a request that draws nothing may go in as well.
pub(super) fn is_open(pop: &dyn SignCache) -> bool {
    let sign = pop.peek().filter(|copy| !copy.is_old);
    sign.and_then(|copy| copy.sign)
        .is_some_and(|sign| sign.live.mode == Mode::Open)
}

/// Draws, and tells the data centre where it did not know whether visitors wait. What it remembers brings the line back
/// when the store loses it, so it has to know of every number drawn here.
pub(super) fn draw_and_tell(id: &str, request: &Request<'_>) -> Drawn {
    let pop = request.pop;
    let (asked, after) = draw(id, request);
    if let Ok(SignRead {
        sign,
        position: Some(_),
        ..
    }) = &asked
    {
        let copy = CachedSign::drawn(sign.clone(), request.now, pop.last().as_ref());
        let had_line = pop.last().and_then(|last| last.sign);
        if has_line(sign) == had_line.is_some_and(|sign| has_line(&sign)) {
            pop.remember(&copy);
        } else {
            pop.put(&copy);
        }
    }
    (asked, after)
}
