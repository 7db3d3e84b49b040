//! A ticket as the claims of a JWT, and back.

use super::challenge::Challenged;
use super::{Grace, Notice, Ticket, TicketStage};
use crate::queue::{
    Begun, Cursor, Drawn, FORMAT, Head, Invitation, Lane, Place, Position, RoomName, WaitingProof,
};
use jwt_simple::prelude::*;

/// The claims besides `sub`, `iat` and `exp`, as they stand in the token.
#[derive(Serialize, Deserialize)]
pub(super) struct Claims {
    pub(super) room: String,
    /// The [format](FORMAT) of these claims.
    #[serde(default)]
    pub(super) format: u64,
    /// The roll of the number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) born: Option<u64>,
    /// The first roll that counted when it was signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) epoch: Option<u64>,
    /// The first roll of which visits counted then, where it is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) visits_epoch: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pos: Option<u64>,
    /// How much of the roll had been served when the number was drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cur: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) adm: Option<u64>,
    /// The last minute of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) ses: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) grace: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) grace_epoch: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tries: Option<u64>,
    /// From when on it may draw though it was challenged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) above: Option<u64>,
    /// For which place above the bound of a network it was challenged, for which one it has calculated, and until when that counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) price: Option<[u64; 3]>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) still: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) called: bool,
    /// The language that its holder chose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) lang: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) notice: Option<String>,
    /// The number that its holder drew, where a lot gave another one, and the event of that lot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) came: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) event: Option<String>,
    /// The invitation that its holder brings to the line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) inv: Option<String>,
    /// The lane of the number: only there outside of the main line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) lane: Option<String>,
    /// What the journal had reached. One that cannot be read says nothing, and the ticket stays good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) head: Option<String>,
    /// When the number was drawn, in Unix seconds, and the estimated wait, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) drew: Option<(u64, Option<u64>)>,
}

impl Claims {
    /// What a ticket says whatever it entitles to.
    fn named(ticket: &Ticket, room: &RoomName) -> Self {
        Self {
            room: room.to_string(),
            format: FORMAT,
            born: None,
            epoch: None,
            visits_epoch: None,
            pos: None,
            cur: None,
            adm: None,
            ses: None,
            grace: ticket.grace.map(|grace| grace.until),
            grace_epoch: ticket.grace.and_then(|grace| grace.epoch),
            tries: None,
            above: None,
            price: None,
            still: ticket.still,
            called: ticket.called,
            lang: ticket.language.clone(),
            notice: ticket.notice.map(|notice| notice.name().to_owned()),
            came: None,
            event: None,
            inv: ticket.invitation.as_deref().map(Invitation::written),
            lane: ticket.lane.name().map(str::to_owned),
            head: ticket.head.map(String::from),
            drew: ticket.drawn.map(|drawn| (drawn.at, drawn.estimate)),
        }
    }

    pub(super) fn of(ticket: &Ticket, room: &RoomName) -> Self {
        let named = Self::named(ticket, room);
        let event = ticket.event.as_ref().and_then(Begun::on_ticket);
        match ticket.stage {
            TicketStage::Provisional { tries, challenge } => Self {
                tries: (tries > 0).then_some(tries),
                above: challenge.map(|asked| asked.from),
                price: challenge.map(|asked| [asked.place, asked.paid, asked.until]),
                ..named
            },
            TicketStage::Waiting(proof) => Self {
                born: Some(proof.place.born),
                epoch: Some(proof.epoch),
                visits_epoch: Some(proof.visits_epoch).filter(|of| *of != proof.epoch),
                pos: Some(proof.place.position.0),
                cur: Some(proof.cursor_at_draw.0),
                came: proof.place.came.map(|came| came.0),
                event: event.filter(|_| proof.place.came.is_some()),
                ..named
            },
            TicketStage::Admitted {
                position,
                born,
                at,
                session,
            } => Self {
                born: Some(born),
                pos: position.map(|position| position.0),
                adm: Some(at),
                ses: session,
                ..named
            },
        }
    }

    /// The notice. One that cannot be read says nothing, and the ticket stays good.
    pub(super) fn notice(&self) -> Option<Notice> {
        self.notice.as_deref().and_then(Notice::named)
    }

    pub(super) fn head(&self) -> Option<Head> {
        self.head.as_deref().and_then(Head::read)
    }

    pub(super) fn drawn(&self) -> Option<Drawn> {
        self.drew.map(|(at, estimate)| Drawn { at, estimate })
    }

    pub(super) fn invitation(&self) -> Option<Box<Invitation>> {
        let read = self.inv.as_deref().and_then(Invitation::read);
        read.map(Box::new)
    }

    pub(super) fn grace(&self) -> Option<Grace> {
        let epoch = self.grace_epoch;
        self.grace.map(|until| Grace { until, epoch })
    }

    /// The lane; nothing where it is none.
    pub(super) fn lane(&self) -> Option<Lane> {
        Lane::named(self.lane.as_deref())
    }

    fn challenge(&self) -> Option<Challenged> {
        let [place, paid, until] = self.price?;
        self.above.map(|from| Challenged {
            from,
            place,
            paid,
            until,
        })
    }

    pub(super) fn stage(&self) -> Option<TicketStage> {
        match (self.born, self.pos, self.cur.zip(self.epoch), self.adm) {
            (None, None, None, None) => Some(TicketStage::Provisional {
                tries: self.tries.unwrap_or_default(),
                challenge: self.challenge(),
            }),
            (Some(born), Some(position), Some((seen, epoch)), None) => {
                Some(TicketStage::Waiting(WaitingProof {
                    place: Place {
                        born,
                        position: Position(position),
                        came: self.came.map(Position),
                    },
                    epoch,
                    visits_epoch: self.visits_epoch.unwrap_or(epoch),
                    cursor_at_draw: Cursor(seen),
                }))
            }
            (Some(born), position, None, Some(at)) => Some(TicketStage::Admitted {
                position: position.map(Position),
                born,
                at,
                session: self.ses,
            }),
            _ => None,
        }
    }
}

/// What a pass for the origin says besides `sub`, `aud`, `iat` and `exp`.
#[derive(Serialize, Deserialize)]
pub(super) struct PassClaims {
    pub(super) room: String,
    /// The last minute of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) ses: Option<u64>,
    /// The roll that the session is of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) born: Option<u64>,
}
