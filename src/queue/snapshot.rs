//! What only the panel shows: who set what, the last hour, and what operators did.

use super::health::{Health, Sickness};
use super::{AboveBound, Absent, Board, Claim, Explained, Invited, Lane, Position, Price};
use super::{History, Window};

/// What the line answers to a visitor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineAnswer {
    /// The board.
    pub board: Board,
    /// The visitor's number; none in front of a closed room, above the bound of a network, nor where it is not known.
    pub position: Option<Position>,
    /// In which lane that number is.
    pub lane: Lane,
    /// What came of the question for a slot; nothing without a cap, and before the visitor is called.
    pub claim: Option<Claim>,
    /// What became of a draw above the bound of the visitor's network.
    pub above: Option<AboveBound>,
    /// What a challenged visitor does for one.
    pub price: Option<Price>,
    /// What became of the invitation that the visitor brought.
    pub invited: Option<Invited>,
}

/// The board, and what programs are told beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineStatus {
    /// The board.
    pub board: Board,
    /// What is known of called visitors who do not come.
    pub absent: Absent,
    /// What bounds the line.
    pub limits: Explained,
    /// What is known of the origin.
    pub origin: OriginState,
    /// How many visitors went straight in by an invitation.
    pub invited: InvitedVisitors,
    /// What happened in the last hour.
    pub history: History,
}

/// How many visitors went straight in by an invitation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InvitedVisitors {
    /// In all.
    pub all: u64,
    /// In this minute.
    pub this_minute: u64,
}

/// The board, and all that is shown beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PanelSnapshot {
    /// The board.
    pub board: Board,
    /// What is known of called visitors who do not come.
    pub absent: Absent,
    /// What bounds the line.
    pub limits: Explained,
    /// What is known of the origin.
    pub origin: OriginState,
    /// How many visitors went straight in by an invitation.
    pub invited: InvitedVisitors,
    /// Who set the mode, and when.
    pub mode: Option<Provenance>,
    /// Who set the pace, or took it back.
    pub pace: Option<Provenance>,
    /// Who set the message, or took it back.
    pub message: Option<Provenance>,
    /// Who set the cap, or took it back.
    pub cap: Option<Provenance>,
    /// Who set the events, or took them back.
    pub event: Option<Provenance>,
    /// Who reported the stock, or took it away.
    pub stock: Option<Provenance>,
    /// What happened.
    pub history: History,
    /// What operators did, the latest first; at most 50.
    pub actions: Vec<Action>,
}

/// What is known of the origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OriginState {
    /// Whether it is sick.
    pub health: Health,
    /// When it last became sick.
    pub last: Option<Sickness>,
    /// How many visitors a period may have, and what their answers say.
    pub window: Window,
}

/// Who set something, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// Unix time in milliseconds.
    pub at_ms: u64,
    /// The name of the credentials; `None` where it was lost with the data, and the setting came back by a copy.
    pub by: Option<String>,
}

impl Provenance {
    /// Who set it, for people.
    #[must_use]
    pub fn who(&self) -> &str {
        self.by
            .as_deref()
            .unwrap_or("an operator whose name was lost with the data")
    }
}

/// Something an operator did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// Who and when.
    pub set: Provenance,
    /// From which address.
    pub address: String,
    /// The verb: `permit`, `mode`, `pace`, `message`, `credit`, `epoch` or `draw`.
    pub verb: String,
    /// What [`Changed::Done`](super::Changed::Done) says about it.
    pub number: u64,
    /// What it was set to, or how many were asked for; empty when it was taken back.
    pub value: String,
    /// For a pace, the quantity.
    pub second: String,
}
