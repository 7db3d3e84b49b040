//! The member `shares` of a listed room: the name of another room, whose pace and cap both have together.

use super::Reader;
use crate::config::Problem;
use crate::config::document::Known;
use crate::config::rooms::Rooms;
use crate::http::json::Value;

pub(super) const SHARES: &str = "shares";

/// What such a room has in common with the one that it names.
const TOGETHER: [&str; 7] = [
    "automatic",
    "automatic_quantity",
    "total_active",
    "session_minutes",
    "claim_seconds",
    "session_renewal",
    "active_visitors",
];

const ANOTHER: &str = "shares: the name of another room";
const NO_CHAIN: &str = "shares: the name of a room that names none in its own shares";
const ALONE: &str = "shares once, and beside it none of automatic, automatic_quantity, total_active, session_minutes, claim_seconds, session_renewal and active_visitors: the room has the pace and the cap of the one that it names";

/// What a listed room says of it.
pub(super) struct Shares {
    /// The room that it names.
    named: Option<String>,
    /// Whether it stands there once, with nothing beside it that the rooms have in common.
    is_alone: bool,
}

impl Shares {
    pub(super) fn of(members: &[(String, Value)]) -> Self {
        let mut shares = Self {
            named: None,
            is_alone: true,
        };
        for (member, value) in members {
            let is_it = member == SHARES;
            if !is_it && !TOGETHER.contains(&member.as_str()) || Known::of(value) == Known::Absent {
                continue;
            }
            shares.is_alone &= is_it && shares.named.is_none();
            if is_it {
                let text = value.text().map(str::to_owned);
                shares.named = Some(text.unwrap_or_else(|| value.to_string()));
            }
        }
        shares
    }
}

impl Reader<'_> {
    /// Rooms that share have pace and cap of the room which they name. What they say is in the order of the list.
    pub(super) fn share_limits(&mut self, rooms: &mut Rooms, all: &[Shares]) {
        for (at, shares) in all.iter().enumerate() {
            let Some(named) = &shares.named else {
                continue;
            };
            let of = rooms.all().position(|room| room.name.as_str() == named);
            let accepted = refused([at + 1, of.unwrap_or(at + 1)], shares, all);
            if let (None, Some(of)) = (accepted, of) {
                rooms.share_limits([at + 1, of]);
                continue;
            }
            let problem = Problem::wrong("rooms", Some(named.clone()), accepted.unwrap_or(ANOTHER));
            let room = rooms
                .others
                .get(at)
                .map(|other| other.room.name.to_string());
            self.found.problems.push(Problem { room, ..problem });
        }
    }
}

/// What would be accepted in place of what these two have, the room and the one that it names; nothing where it is right.
fn refused([room, of]: [usize; 2], shares: &Shares, all: &[Shares]) -> Option<&'static str> {
    // The first room is in front of the list, and names none.
    let of_other = of.checked_sub(1).and_then(|at| all.get(at));
    if room == of {
        Some(ANOTHER)
    } else if of_other.is_some_and(|other| other.named.is_some()) {
        Some(NO_CHAIN)
    } else if !shares.is_alone {
        Some(ALONE)
    } else {
        None
    }
}
