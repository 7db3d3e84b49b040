//! Tickets with our signature that no request was given: of any line, at any stage.

use now_serving::queue::{Now, RoomName};
use now_serving::ticket::{Keys, Ticket, TicketStage};

use crate::house::SECRET;

/// How long they are good, in seconds.
const LIFE: u64 = 3600;

/// Signed at `now`, Unix time in seconds.
pub(crate) fn ticket(id: String, stage: TicketStage, now: u64) -> Ticket {
    Ticket {
        stage,
        ..Ticket::provisional(id, Now::from_secs(now))
    }
}

/// The same as a cookie has it, for a room.
pub(crate) fn signed(id: String, stage: TicketStage, room: &str, now: u64) -> String {
    let keys = Keys::new(SECRET, None);
    let ticket = ticket(id, stage, now);
    let (room, now) = (RoomName::new(room), Now::from_secs(now));
    keys.sign(&ticket, &room, now, LIFE).unwrap()
}
