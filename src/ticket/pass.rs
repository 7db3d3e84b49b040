//! The pass: a JWT by which the origin knows that a request came through the room, and whose it is.

use super::claims::PassClaims;
use super::keys::{Purpose, derived};
use super::{Keys, LONGEST_TICKET, Ticket, claims, signed};
use crate::queue::{Now, RoomName};
use jwt_simple::prelude::*;

/// How long a pass for the origin is good, in seconds.
const PASS_LIFE: u64 = 60;

/// The `typ` of a pass, so that a pass is never a ticket.
pub(super) const PASS_TYPE: &str = "queue-pass+JWT";

/// A visitor inside, as a pass names the ticket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassHolder {
    /// The id of the ticket.
    pub id: String,
    /// Where it had a session: the last minute, and the roll that it is of.
    pub session: Option<(u64, u64)>,
}

impl Keys {
    /// Signs the pass by which the origin knows that a request came through this room: good for a minute, and for the
    /// host that the visitor asked for.
    #[must_use]
    pub fn pass(&self, ticket: &Ticket, room: &RoomName, host: &str, now: Now) -> Option<String> {
        let session = ticket.session();
        let of = ticket.went_in_by().filter(|_| session.is_some());
        let custom = PassClaims {
            room: room.to_string(),
            ses: session,
            born: of,
        };
        let options = HeaderOptions {
            signature_type: Some(PASS_TYPE.to_owned()),
            ..HeaderOptions::default()
        };
        let claims =
            claims(&ticket.id, custom, now, PASS_LIFE).with_audience(host.to_ascii_lowercase());
        self.pass.authenticate_with_options(claims, &options).ok()
    }

    /// Who holds this pass of this room, and of any of its hosts. The origin may come back to one that it was given within a day.
    #[must_use]
    pub fn holder(&self, pass: &str, room: &RoomName, now: Now) -> Option<PassHolder> {
        if pass.len() > LONGEST_TICKET {
            return None;
        }
        let by = |key: &HS256Key| signed(key, pass, PASS_TYPE, 1, now);
        let mut previous = self.previous.iter().map(pass_key);
        let claims = by(&self.pass).or_else(|| previous.find_map(|key| by(&key)))?;
        let is_of_here = claims.custom.room == room.as_str();
        let custom = claims.custom;
        let holder = PassHolder {
            id: claims.subject?,
            session: custom.ses.zip(custom.born),
        };
        is_of_here.then_some(holder)
    }
}

/// The origin checks passes with it, so it signs nothing else. It has the name of the entry it is derived from.
pub(super) fn pass_key(entry: &HS256Key) -> HS256Key {
    let key = HS256Key::from_bytes(&derived(&entry.to_bytes(), Purpose::Pass));
    key.with_key_id(entry.key_id().as_deref().unwrap_or_default())
}
