//! How the store misbehaves on command.
//!
//! What matters to a caller is whether the work was done although no good answer came; each fault
//! says so.

use std::time::Duration;

use serde_json::json;

use crate::wire::{Batch, Reply, Request};

/// One way to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing is done, the connection is closed without an answer.
    Refuse,
    /// The work is done, the answer comes this much later.
    Delay(Duration),
    /// 401, nothing is done.
    Unauthorized,
    /// 429, nothing is done.
    TooManyRequests,
    /// 500, nothing is done.
    ServerError,
    /// The work is done, the JSON of the answer ends in the middle.
    BrokenJson,
    /// `{"error": …}` with 200, nothing is done.
    ErrorWithStatus200,
    /// The month's commands are used up: 400, nothing is done.
    QuotaExceeded,
    /// The work is done, the result is of a type no command answers.
    WrongType,
    /// The work is done, the connection is closed without an answer.
    DropAnswer,
    /// The work is done, half of the answer comes at once and the rest this much later.
    StallBody(Duration),
    /// The work is done, the answer comes in pieces of eight bytes, each this much after the one before.
    Trickle(Duration),
    /// `{"error": …}` with this status, quoting all that was sent, the token too; nothing is done.
    Quote(u16),
}

/// How much comes at a time of an answer that trickles.
pub(crate) const PIECE: usize = 8;

/// Which calls fail, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    every: u64,
    fault: Option<Fault>,
    seen: u64,
}

impl Faults {
    /// No call fails.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Every call fails.
    #[must_use]
    pub fn always(fault: Fault) -> Self {
        Self::every(1, fault)
    }

    /// Every `n`-th call fails, counted from this command on; with zero none does.
    #[must_use]
    pub fn every(n: u64, fault: Fault) -> Self {
        Self {
            every: n,
            fault: Some(fault),
            seen: 0,
        }
    }

    /// Counts one call and tells how it fails.
    pub(crate) fn next(&mut self) -> Option<Fault> {
        self.seen += 1;
        self.fault.filter(|_| self.seen.is_multiple_of(self.every))
    }
}

/// When the bytes of a reply travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timing {
    AtOnce,
    After(Duration),
    /// Half at once, half later.
    Halved(Duration),
    /// In small pieces with a pause between two of them, so that the last comes after the whole time.
    Trickled {
        pause: Duration,
        whole: Duration,
    },
}

impl Timing {
    /// How long the last byte is held back.
    pub(crate) fn pause(self) -> Duration {
        match self {
            Self::AtOnce => Duration::ZERO,
            Self::After(pause) | Self::Halved(pause) => pause,
            Self::Trickled { whole, .. } => whole,
        }
    }
}

impl Fault {
    /// The reply of a fault that comes instead of the work.
    pub(crate) fn instead_of_work(self, request: &Request<'_>) -> Option<Reply> {
        match self {
            Self::Refuse => Some(Reply::Dropped),
            Self::Unauthorized => Some(Reply::unauthorized()),
            Self::TooManyRequests => Some(Reply::error(429, "ERR too many requests")),
            Self::ServerError => Some(Reply::error(500, "ERR internal server error")),
            Self::ErrorWithStatus200 => Some(Reply::error(200, "ERR something failed")),
            Self::QuotaExceeded => Some(Reply::error(
                400,
                "ERR max requests limit exceeded. Limit: 500000, Usage: 500000",
            )),
            Self::Quote(status) => Some(Reply::error(status, &quoted(request))),
            Self::Delay(_)
            | Self::BrokenJson
            | Self::WrongType
            | Self::DropAnswer
            | Self::StallBody(_)
            | Self::Trickle(_) => None,
        }
    }

    /// What becomes of the good reply to `batch` when the work was done.
    pub(crate) fn after_work(self, batch: &Batch, reply: Reply) -> (Reply, Timing) {
        match self {
            Self::Delay(pause) => (reply, Timing::After(pause)),
            Self::StallBody(pause) => (reply, Timing::Halved(pause)),
            Self::Trickle(pause) => {
                let length = match &reply {
                    Reply::Answer { body, .. } => body.len(),
                    Reply::Dropped => 0,
                };
                let pauses = u32::try_from(length.saturating_sub(1) / PIECE).unwrap_or(u32::MAX);
                let whole = pause.saturating_mul(pauses);
                (reply, Timing::Trickled { pause, whole })
            }
            Self::BrokenJson => {
                let body = br#"{"result":[1,"#.to_vec();
                (Reply::Answer { status: 200, body }, Timing::AtOnce)
            }
            Self::WrongType => (surprise(batch), Timing::AtOnce),
            Self::DropAnswer => (Reply::Dropped, Timing::AtOnce),
            Self::Refuse
            | Self::Unauthorized
            | Self::TooManyRequests
            | Self::ServerError
            | Self::ErrorWithStatus200
            | Self::QuotaExceeded
            | Self::Quote(_) => (reply, Timing::AtOnce),
        }
    }
}

fn quoted(request: &Request<'_>) -> String {
    let authorization = request.authorization.unwrap_or_default();
    let body = String::from_utf8_lossy(request.body);
    format!("ERR cannot serve '{authorization}': {body}")
}

fn surprise(batch: &Batch) -> Reply {
    let one = json!({ "result": { "unexpected": true } });
    match batch {
        Batch::One(_) => Reply::json(200, &one),
        Batch::Pipeline(commands) | Batch::Atomic(commands) => {
            Reply::json(200, &commands.iter().map(|_| one.clone()).collect())
        }
    }
}
