//! What is known of the origin: how it answers, and what the board says of it.

use super::words;
use serde::{Deserialize, Serialize};

words! {
    /// What is done about how the origin answers.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum OriginHealth {
        /// Its answers are not watched.
        Off = "off",
        /// They are watched and shown.
        #[default]
        Observe = "observe",
        /// No new visitor goes in while it is sick.
        On = "on",
    }
}

words! {
    /// How the origin answered a request.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Answered {
        /// In time, with a status below 500.
        Ok = "ok",
        /// Not within `slow_ms`, or in time but too late for it.
        Late = "late",
        /// With a status of 500 or above, or not at all.
        Bad = "bad",
    }
}

impl Answered {
    /// What an answer was with this status and after this time. Without a status there was none.
    #[must_use]
    pub fn of(status: Option<u16>, took_ms: u64, slow_ms: u64) -> Self {
        match status {
            None | Some(500..) => Self::Bad,
            Some(_) if took_ms > slow_ms => Self::Late,
            Some(_) => Self::Ok,
        }
    }
}

/// To whom an answer that was watched was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnsweredTo {
    /// A visitor inside, who chose what to ask for.
    Inside,
    /// A visitor who came in, or a probe.
    Entrant {
        /// How often the window was cut when the visitor was released; 0 where the window does not count that.
        cuts: u64,
    },
}

impl AnsweredTo {
    /// As the store is told.
    #[must_use]
    pub fn written(self) -> String {
        match self {
            Self::Inside => "inside".to_owned(),
            Self::Entrant { cuts } => cuts.to_string(),
        }
    }
}

/// How many answers were of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Answers {
    /// In time.
    pub ok: u64,
    /// Late.
    pub late: u64,
    /// Bad.
    pub bad: u64,
}

impl Answers {
    /// How many there are.
    #[must_use]
    pub fn sum(self) -> u64 {
        self.ok.saturating_add(self.late).saturating_add(self.bad)
    }
}

words! {
    /// Whether an operator lets visitors in though the origin is sick.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Overrule {
        /// For an hour.
        On = "on",
        /// No longer.
        Off = "off",
    }
}

/// What the board says of the origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct WatchedOrigin {
    /// Whether no new visitor goes in, since it is sick.
    pub holds: bool,
    /// How often the window was cut.
    pub cuts: u64,
    /// Whether visitors count who are released from then on: each roll says behind which of its numbers.
    pub is_cut: bool,
    /// Whether a period has fewer visitors than the pace.
    pub is_slowed: bool,
}
