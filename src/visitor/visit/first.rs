//! A visitor's first contact while others wait: a provisional ticket, and a number once it has come back.
//!
//! What keeps no cookies, such as crawlers, link previews and monitors, then draws nothing in front of a line.

use super::draw::draw;
use super::{Drawn, SignRead};
use crate::cache::{CachedSign, SignCache};
use crate::queue::{Mode, Sign};
use crate::request::Request;

/// The sign, if visitors wait by the last one that this data centre knows. Where it knows none, or nobody waits, a number
/// is drawn at once: a line that has not begun cannot be made longer in front of anybody.
pub(super) fn line_in_front(pop: &dyn SignCache) -> Option<Sign> {
    pop.last()?.sign.filter(has_line)
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
        if has_line(sign) == line_in_front(pop).is_some() {
            pop.remember(&copy);
        } else {
            pop.put(&copy);
        }
    }
    (asked, after)
}
