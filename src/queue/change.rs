//! What operators and the origin's programs do to the line.

use super::{Mode, Pace, Place, Sign};

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Releases up to `amount` now and keeps the rest as credit, up to `credit_max`.
    Permit {
        /// How many.
        amount: u64,
        /// The most credit that is kept.
        credit_max: u64,
    },
    /// Who goes in from now on.
    Mode(Mode),
    /// How fast; `None` is what is configured.
    Pace(Option<Pace>),
    /// The message to waiting visitors; `None` is what is configured, and an empty text is nothing.
    Message(Option<String>),
    /// No credit is left.
    ClearCredit,
    /// Ends every ticket of the room.
    RaiseEpoch,
    /// Draws a number for the operator's own ticket, of this id.
    Draw(String),
    /// Lets in the operator's own ticket and no visitor, and draws no number for it.
    Jump {
        /// The ticket's id.
        id: String,
        /// The place that the operator's browser holds: where that number is the next, it is served.
        held: Option<Place>,
    },
}

/// Who asks for it.
#[derive(Clone, Debug)]
pub struct Author<'a> {
    /// The name of the credentials.
    pub name: &'a str,
    /// The address.
    pub address: &'a str,
    /// Whether it belongs among what operators did: what programs do all the time would drive the rest out.
    pub is_told: bool,
    /// The version of the settings that was seen; `None` for any.
    pub seen: Option<u64>,
    /// So that a repeat does nothing.
    pub once: Option<Once>,
}

/// What a repeat is known by, for a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Once {
    /// A digest of who asks and of the key.
    pub key: String,
    /// A digest of what is asked.
    pub asked: String,
}

/// What a change did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// How many a permit or an open room released, how much credit was cleared, how many tickets ended, the position
    /// drawn.
    pub number: u64,
    /// What a permit added to the credit; nothing where a build before this one did it.
    pub kept: Option<u64>,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changed {
    /// Done.
    Done(Sign, Effect),
    /// Done before by the same key, and this is what was answered then: the line may have moved on since.
    Again(Sign, Effect),
    /// Nothing was done: the settings were changed by somebody else.
    Outdated(Sign),
    /// Nothing was done: nobody is let in on hold or closed, and nobody draws in front of a closed room.
    Standing(Sign),
    /// Nothing was done: the key belongs to something else.
    Reused,
}

impl Effect {
    /// Of what a permit asked for, what was neither used nor kept.
    #[must_use]
    pub fn dropped(self, amount: u64) -> u64 {
        let unused = amount.saturating_sub(self.number);
        unused.saturating_sub(self.kept.unwrap_or(unused))
    }
}

impl Change {
    /// Its verb, in the script and in the log.
    #[must_use]
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Permit { .. } => "permit",
            Self::Mode(_) => "mode",
            Self::Pace(_) => "pace",
            Self::Message(_) => "message",
            Self::ClearCredit => "credit",
            Self::RaiseEpoch => "epoch",
            Self::Draw(_) => "draw",
            Self::Jump { .. } => "jump",
        }
    }

    /// The same for the ticket of this id, if it is about one, in a browser that holds that place.
    #[must_use]
    pub fn for_ticket(self, id: String, held: impl FnOnce() -> Option<Place>) -> Self {
        match self {
            Self::Draw(_) => Self::Draw(id),
            Self::Jump { .. } => Self::Jump { id, held: held() },
            other => other,
        }
    }

    /// The id of the ticket it draws for.
    #[must_use]
    pub fn draws(&self) -> Option<&str> {
        match self {
            Self::Draw(id) => Some(id),
            _ => None,
        }
    }
}
