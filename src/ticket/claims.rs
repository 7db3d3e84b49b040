//! A ticket as the claims of a JWT, and back.

use super::{Grace, Notice, Standing, Ticket};
use crate::queue::{Cursor, Position, RoomName, WaitingProof};
use jwt_simple::prelude::*;

/// The claims besides `sub`, `iat` and `exp`, as they stand in the token.
#[derive(Serialize, Deserialize)]
pub(super) struct Claims {
    pub(super) room: String,
    /// The birth of the line; absent for a line of the version before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) born: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) epoch: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pos: Option<u64>,
    /// The cursor when the number was drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cur: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) adm: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) grace: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) grace_epoch: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tries: Option<u64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) still: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) notice: Option<Notice>,
}

impl Claims {
    pub(super) fn of(ticket: &Ticket, room: &RoomName) -> Self {
        let tries = match ticket.standing {
            Standing::Provisional { tries } => (tries > 0).then_some(tries),
            Standing::Waiting(_) | Standing::Admitted { .. } => None,
        };
        let (epoch, pos, cur, adm) = match ticket.standing {
            Standing::Provisional { .. } => (None, None, None, None),
            Standing::Waiting(place) => (
                Some(place.epoch),
                Some(place.position.0),
                Some(place.cursor_at_draw.0),
                None,
            ),
            Standing::Admitted {
                position,
                epoch,
                at,
                ..
            } => (
                Some(epoch),
                position.map(|position| position.0),
                None,
                Some(at),
            ),
        };
        let born = match ticket.standing {
            Standing::Waiting(place) => place.born,
            Standing::Admitted { born, .. } => born,
            Standing::Provisional { .. } => 0,
        };
        let born = Some(born).filter(|born| *born > 0);
        Self {
            room: room.to_string(),
            born,
            epoch,
            pos,
            cur,
            adm,
            grace: ticket.grace.map(|grace| grace.until),
            grace_epoch: ticket.grace.and_then(|grace| grace.epoch),
            tries,
            still: ticket.still,
            notice: ticket.notice,
        }
    }

    pub(super) fn grace(&self) -> Option<Grace> {
        let epoch = self.grace_epoch;
        self.grace.map(|until| Grace { until, epoch })
    }

    pub(super) fn standing(&self) -> Option<Standing> {
        match (self.epoch, self.pos, self.cur, self.adm) {
            (None, None, None, None) => Some(Standing::Provisional {
                tries: self.tries.unwrap_or_default(),
            }),
            (Some(epoch), Some(position), Some(seen), None) => {
                Some(Standing::Waiting(WaitingProof {
                    born: self.born.unwrap_or(0),
                    epoch,
                    position: Position(position),
                    cursor_at_draw: Cursor(seen),
                }))
            }
            (Some(epoch), position, None, Some(at)) => Some(Standing::Admitted {
                position: position.map(Position),
                born: self.born.unwrap_or(0),
                epoch,
                at,
            }),
            _ => None,
        }
    }
}

/// What a pass for the origin says besides `sub`, `aud`, `iat` and `exp`.
#[derive(Serialize, Deserialize)]
pub(super) struct PassClaims {
    pub(super) room: String,
}
