//! The sign: the small public state of the line, and what a ticket proves about it.

use serde::{Deserialize, Serialize};

use super::{Birth, OriginSign};
use crate::queue::{Cap, Cursor, Measured, Mode, Pace, Position, Sessions, waiting};

/// The public state of the line, the same for every visitor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sign {
    /// Which line this is.
    #[serde(default)]
    pub birth: Birth,
    /// Raising it ends every ticket of the room.
    pub epoch: u64,
    /// Now serving.
    pub cursor: Cursor,
    /// Tickets drawn.
    pub length: u64,
    /// Admissions granted to arrivals that have not come yet.
    pub credit: u64,
    /// How fast the line moved, while somebody was left waiting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured>,
    /// How many POPs renewed the sign in the last minute or two; `None` where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pops: Option<u64>,
    /// Who is inside; nothing without a cap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sessions: Option<Sessions>,
    /// What is known of the origin; nothing where its answers are not watched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<OriginSign>,
    /// What an operator may have set.
    #[serde(default)]
    pub live: Live,
}

/// The settings that are kept with the line, so that a change is seen everywhere without a deploy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Live {
    /// Who goes in.
    pub mode: Mode,
    /// The pace: what an operator set, else what is configured.
    pub pace: Pace,
    /// Whether it is an operator's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paced: bool,
    /// The message to waiting visitors, if an operator set one; empty for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The cap, if an operator set one, or took the configured one away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cap: Option<Cap>,
    /// Grows with each change of these.
    pub version: u64,
    /// When each was set.
    #[serde(default, skip_serializing_if = "SetTimes::is_empty")]
    pub set_at: SetTimes,
}

/// When operators set mode, pace, message and cap, by the store's clock in milliseconds; 0 for never. Of two copies the later one
/// counts, setting by setting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetTimes {
    /// The mode.
    pub mode: u64,
    /// The pace.
    pub pace: u64,
    /// The message.
    pub message: u64,
    /// The cap.
    #[serde(default)]
    pub cap: u64,
}

impl SetTimes {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The version takes the place of times that the version before did not tell.
    #[must_use]
    pub fn or(self, version: u64) -> Self {
        if self.is_empty() {
            return Self {
                mode: version,
                pace: version,
                message: version,
                cap: version,
            };
        }
        self
    }
}

impl Sign {
    /// How many hold a ticket and have not been admitted.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        waiting(self.length, self.cursor)
    }

    /// Whether the room is on hold by itself, since its origin is sick.
    #[must_use]
    pub fn is_held_by_origin(&self) -> bool {
        let holds = self.origin.as_ref().is_some_and(|origin| origin.holds);
        holds && self.live.mode == Mode::Automatic
    }

    /// Who goes in now.
    #[must_use]
    pub fn mode(&self) -> Mode {
        if self.is_held_by_origin() {
            Mode::Hold
        } else {
            self.live.mode
        }
    }
}

/// What a waiting ticket proves about the line, so that a store without memory can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingProof {
    /// The birth of the line it was drawn in; 0 where the ticket names none.
    pub born: u64,
    /// The epoch it was drawn in.
    pub epoch: u64,
    /// The number on it.
    pub position: Position,
    /// Where the sign stood when it was drawn.
    pub cursor_at_draw: Cursor,
}

impl WaitingProof {
    /// Whether it is the same number in the same line; a later sight of the sign makes no difference.
    #[must_use]
    pub fn is_same(self, other: Self) -> bool {
        (self.born, self.epoch, self.position) == (other.born, other.epoch, other.position)
    }
}
