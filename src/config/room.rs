//! One waiting room: a line of its own with its pace and its looks, and the names of all that belongs to it.

use super::{OnOriginError, Reader};
use crate::http::cookie::RoomCookies;
use crate::page::Pages;
use crate::queue::{AbsentVisitors, Cap, HealthRule, Pace, RoomName, SharedTickets};

/// One waiting room.
pub struct Room {
    /// Its name: part of the store's keys, of the cache's and of every ticket.
    pub name: RoomName,
    /// The names of its cookies.
    pub cookies: RoomCookies,
    /// How the line moves by itself.
    pub pace: Pace,
    /// What is done about called visitors who do not come.
    pub absent_visitors: AbsentVisitors,
    /// How many may be inside.
    pub cap: Cap,
    /// When the origin counts as sick, and what is done about it.
    pub health: HealthRule,
    /// What the edge itself asks the origin for, to see how it answers.
    pub probe_path: Option<String>,
    /// What a visitor gets who would go in, where the origin's answer is bad.
    pub on_origin_error: OnOriginError,
    /// From how many networks one admitted ticket may be used.
    pub shared_tickets: SharedTickets,
    /// Seconds between two looks of a visitor near the front.
    pub refresh_interval: u64,
    /// The waiting page in the operator's brand.
    pub pages: Pages,
}

impl Room {
    pub(super) fn asked_of(reader: &mut Reader<'_>) -> Self {
        Self {
            name: reader.room(),
            cookies: RoomCookies::default(),
            pace: Pace {
                automatic: reader.number("automatic", Pace::USUAL.automatic, Pace::AUTOMATIC),
                quantity: reader.number("automatic_quantity", Pace::USUAL.quantity, Pace::QUANTITY),
            },
            absent_visitors: reader.absent_visitors(),
            cap: reader.cap(),
            health: reader.health(),
            probe_path: reader.probe_path(),
            on_origin_error: reader.on_origin_error(),
            shared_tickets: reader.shared_tickets(),
            refresh_interval: reader.number("refresh_interval", 5, 1..=30),
            pages: Pages::new(reader.brand(), reader.template()),
        }
    }
}
