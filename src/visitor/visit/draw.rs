//! A number for a visitor who has none; in front of a closed room there is none to be had, and a crowd there costs the
//! store no more than one that waits.

use super::{After, Drawn, Seen, Unseen};
use crate::cache::{Copied, Lookup, Pop};
use crate::queue::Mode;
use crate::queue::Sign;
use crate::queue::chance::Chance;
use crate::store::Line;
use crate::store::upstash::StoreError;
use crate::visitor::trouble::Draws;

pub(super) fn draw(id: &str, line: &Line<'_>, near: &dyn Pop, chance: Chance) -> Drawn {
    let last_closed = near.last().and_then(closed);
    let draw = || draw_or_wait(id, line, near, chance).map_err(Some);
    match last_closed {
        Some(last) => draw_where_it_was_closed(last, &draw, line.now_ms, near),
        None => (draw(), After::Nothing),
    }
}

/// One call to the store, or none: after draws of this data centre have failed, few may try.
fn draw_or_wait(
    id: &str,
    line: &Line<'_>,
    near: &dyn Pop,
    chance: Chance,
) -> Result<Seen, StoreError> {
    let draws = Draws::new(near, line.now_ms, chance);
    if !draws.are_let() {
        return Err(StoreError::NotAsked);
    }
    let seen = line.join(id).map(Seen::new);
    match seen {
        Ok(_) => draws.succeeded(),
        Err(_) => draws.failed(),
    }
    seen
}

/// The room was closed when a visitor last looked, which is a while ago. One request draws for all: it gets a number if
/// the room is open again, and if not, it brings the sign that says so. Either way that is one call.
fn draw_where_it_was_closed(
    last: Sign,
    draw: &dyn Fn() -> Result<Seen, Unseen>,
    now_ms: u64,
    near: &dyn Pop,
) -> Drawn {
    match near.lookup() {
        Lookup::Found(copy, duty) => match closed(*copy) {
            Some(sign) => closed_room(sign, duty.map_or(After::Nothing, After::Renew)),
            None => (draw(), After::Nothing),
        },
        Lookup::Missing(duty) => {
            let drawn = draw();
            let sign = drawn.as_ref().ok().map(|seen| seen.sign.clone());
            duty.renew(&Copied::of(sign, near, now_ms));
            // The room is closed as far as is known here, so this visitor reads that, and the log says why.
            let seen = drawn.unwrap_or_else(|fault| Seen {
                fault,
                ..Seen::new((last, None))
            });
            (Ok(seen), After::Nothing)
        }
        Lookup::Late => closed_room(last, After::Nothing),
        Lookup::Unknown => (draw(), After::Nothing),
    }
}

fn closed_room(sign: Sign, after: After) -> Drawn {
    (Ok(Seen::new((sign, None))), after)
}

fn closed(copy: Copied) -> Option<Sign> {
    copy.sign.filter(|sign| sign.live.mode == Mode::Closed)
}
