//! What a POP remembers. Each port has one subject, and is as small as its user; the platform's cache is behind them in
//! production, [`memory`] in tests.

mod board;
mod codec;
pub mod ended;
mod login_throttle;
mod marker;
pub mod memory;
pub mod outbox;
mod sandbox_copy;
pub mod session;

use std::net::IpAddr;
use std::time::Duration;

use crate::queue::words;
use outbox::Outbox;

pub use board::{
    BoardCache, CachedBoard, LAST_BOARD_TTL, LOOKUP_TIMEOUT, LastBoard, Lookup, MAX_AGE,
    MAX_AGE_WITHOUT_A_LINE, NoBoard, Refresh, RefreshGuard, STALE_WHILE_REVALIDATE, read_board,
};
pub use codec::{decode, encode};
pub use login_throttle::{AttemptLock, LoginFailures, LoginThrottle, TURN_TIMEOUT};
pub use marker::{Marker, Markers, read, write};
pub use sandbox_copy::SandboxCopy;
pub use session::SessionEnds;

/// For how long a POP goes by what the store answered for one ticket.
pub const ANSWER_LIFE: Duration = Duration::from_secs(1);

words! {
    /// What counts once in a while, most of it for a ticket. It is written once: no node of a POP has an old version of it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum TicketMark {
        /// That it was admitted.
        Admitted = "admitted",
        /// That a document which it asked for was watched.
        Watched = "watched",
        /// That it was rescued from a bad answer, and counted as come.
        Rescued = "rescued",
        /// That a receipt was checked, whichever.
        Receipt = "receipt",
        /// That a visitor took this turn to go in without the store.
        Turn = "turn",
    }
}

impl TicketMark {
    /// For how long a POP remembers it.
    #[must_use]
    pub fn kept(self) -> Duration {
        match self {
            Self::Admitted | Self::Rescued => Duration::from_mins(5),
            Self::Watched | Self::Turn => Duration::from_mins(1),
            Self::Receipt => Duration::from_secs(1),
        }
    }
}

/// Marks of what counts once in a while.
pub trait TicketMarks {
    /// Whether this POP has put up this mark lately.
    fn is_marked(&self, what: TicketMark, id: &str) -> bool;
    /// Puts it up.
    fn mark(&self, what: TicketMark, id: &str);
    /// Whether this happens for the first time in a while: a client that keeps no cookie is admitted by the same ticket again
    /// and again, and counts once.
    fn is_first(&self, what: TicketMark, id: &str) -> bool {
        let is_first = !self.is_marked(what, id);
        if is_first {
            self.mark(what, id);
        }
        is_first
    }
}

/// Answers of the store that are given again.
pub trait StoreAnswers {
    /// What the store answered to this less than a second ago.
    fn answer(&self, asked: &str) -> Option<Vec<u8>>;
    /// It answers this, which is kept for [`ANSWER_LIFE`].
    fn keep_answer(&self, asked: &str, answer: &[u8]);
}

/// The platform's lists of networks.
pub trait AddressLists {
    /// What a list says of an address.
    fn listed(&self, list: &str, address: IpAddr) -> Listed;
}

/// All that a POP remembers for one request.
pub trait Pop:
    BoardCache
    + LoginThrottle
    + Outbox
    + Markers
    + SessionEnds
    + TicketMarks
    + StoreAnswers
    + AddressLists
{
    /// The POP's name; empty where it has none.
    fn pop(&self) -> String;
}

/// What a list of networks says of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// It is in a network that is allowed.
    Allowed,
    /// It is in one that is blocked, or in none.
    Not,
    /// The list could not be asked.
    Unknown,
}
