//! The outcomes of a visit, and what each means: one row an outcome.
//!
//! Invariant: [`VisitOutcome::row`] is the only match over all outcomes. What else depends on an outcome reads its row.

use crate::page::Obstacle;
use crate::queue::Reason;

/// The outcome of a visit: where the visitor stands now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VisitOutcome {
    /// At the origin.
    Admitted,
    /// In line, behind other visitors.
    Waiting {
        /// How many go in before.
        ahead: u64,
    },
    /// The turn has come, but the mode admits no visitor.
    Called,
    /// The turn has come, but no slot is free.
    Full,
    /// The turn has come, and a slot may be free: the next page asks for it.
    Offered,
    /// The turn has come, but the origin answered badly.
    Rescued,
    /// Given a ticket without a number, since others wait: the number is drawn as soon as that ticket comes back.
    Provisional,
    /// Its network has drawn as many numbers as it may, or the platform says something of it: the number is drawn after a
    /// calculation or a wait.
    Challenged,
    /// The platform says something of it for which no number is drawn.
    Refused,
    /// A verified crawler, for which no number is drawn: it comes back later.
    Crawler,
    /// Held, since the store did not answer: a visitor with a number keeps it, one without tries again later.
    Held,
    /// The room is closed: no visitor goes in, none draws, and a visitor who has a number keeps it.
    Closed,
    /// A request that draws no number, and without a ticket that would let it in: no call made.
    NotAVisitor,
}

/// The meaning of an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutcomeRow {
    /// The word for log and metrics. That of a visitor at the origin also depends on how the visitor went in.
    pub reason: Reason,
    /// The answer, where no answer of the origin takes its place.
    pub answer: AnswerKind,
    /// The status of that answer.
    pub status: Status,
    /// Whether the visitor holds a ticket afterwards.
    pub ticket: TicketKept,
    /// The number of visitors who go in before, where the outcome says it.
    pub ahead: Option<u64>,
    /// What keeps a called visitor out, besides the mode.
    pub obstacle: Obstacle,
    /// When the visitor may go in although the store does not answer.
    pub without_store: WithoutStore,
    /// What an update of the waiting page says. A page has the answer above.
    pub update: Update,
    /// When the page asks again.
    pub again: Again,
    /// How much of it is logged.
    pub log: Logged,
}

/// The kinds of answers of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerKind {
    /// The waiting page, or the same as data.
    Line,
    /// The same, once the browser has shown that it keeps the ticket.
    LineOnceKept,
    /// A page that says that no number is given.
    NoNumber,
    /// A problem document that says when to come back.
    ComeBackLater,
}

/// The status of an answer of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// That of the setting `waiting_status`.
    OfWaiting,
    /// 503: what is wrong is not the visitor's place.
    Unavailable,
}

/// Whether a visitor holds a ticket afterwards, to which support can be referred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TicketKept {
    /// Always.
    Yes,
    /// Only one with a number.
    WithNumber,
    /// Never.
    No,
}

/// When a visitor may go in although the store does not answer. The rules of an outage decide then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithoutStore {
    /// Never.
    No,
    /// Where the store failed to answer this request.
    AfterFault,
    /// Where the visitor waits by the last board that is known.
    ByOldBoard,
}

/// What an update of the waiting page says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// Where the visitor stands.
    Place,
    /// That the page is to load, which goes in.
    Enter,
    /// That the page is to load, which asks for a slot. The slot is kept for `claim_seconds` alone.
    Claim,
    /// That the visitor's ticket has ended.
    NoTicket,
}

/// When the page asks again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// By how far the line is.
    ByLine,
    /// At once.
    AtOnce,
    /// When a challenged visitor has waited long enough.
    AfterChallenge,
    /// Later each time, where no number was drawn so far; else by the line.
    LaterEachTime,
}

/// How much of what ends so is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logged {
    /// Every request.
    All,
    /// One in `log_sample` of the polls and pages that sign nothing and met no fault: they say little, and there are many.
    Sampled,
}

impl VisitOutcome {
    /// Its meaning.
    #[must_use]
    #[rustfmt::skip]
    pub fn row(self) -> OutcomeRow {
        use Again::{AfterChallenge, AtOnce, ByLine, LaterEachTime};
        use AnswerKind::{ComeBackLater, Line, LineOnceKept, NoNumber};
        use Logged::{All, Sampled};
        use Status::{OfWaiting, Unavailable};
        use TicketKept::{No, WithNumber, Yes};
        use Update::{Claim, Enter, NoTicket, Place};
        use WithoutStore::{AfterFault, ByOldBoard, No as Never};
        let row = |reason, answer, status, ticket, ahead, obstacle, without_store, update, again, log| OutcomeRow {
            reason,
            answer,
            status,
            ticket,
            ahead,
            obstacle,
            without_store,
            update,
            again,
            log,
        };
        let (free, full, origin) = (Obstacle::None, Obstacle::Full, Obstacle::Origin);
        match self {
            //                             reason               answer         status       ticket      ahead        obstacle without the store update   again           log
            Self::Admitted          => row(Reason::Inside,      Line,          OfWaiting,   Yes,        None,        free,   Never,      Enter,     ByLine,         All),
            Self::Waiting { ahead } => row(Reason::Waiting,     Line,          OfWaiting,   Yes,        Some(ahead), free,   ByOldBoard, Place,    ByLine,         Sampled),
            Self::Called            => row(Reason::Waiting,     Line,          OfWaiting,   Yes,        Some(0),     free,   ByOldBoard, Place,    ByLine,         Sampled),
            Self::Full              => row(Reason::Waiting,     Line,          OfWaiting,   Yes,        Some(0),     full,   ByOldBoard, Place,    ByLine,         Sampled),
            Self::Offered           => row(Reason::Waiting,     Line,          OfWaiting,   Yes,        Some(0),     free,   Never,      Claim,    ByLine,         Sampled),
            Self::Rescued           => row(Reason::Waiting,     Line,          Unavailable, Yes,        Some(0),     origin, Never,      Place,    ByLine,         Sampled),
            Self::Provisional       => row(Reason::Provisional, LineOnceKept,  OfWaiting,   Yes,        None,        free,   Never,      Place,    AtOnce,         All),
            Self::Challenged        => row(Reason::Challenged,  Line,          OfWaiting,   Yes,        None,        free,   Never,      Place,    AfterChallenge, All),
            Self::Refused           => row(Reason::Refused,     NoNumber,      OfWaiting,   No,         None,        free,   Never,      Place,    ByLine,         All),
            Self::Crawler           => row(Reason::Crawler,     ComeBackLater, Unavailable, No,         None,        free,   Never,      Place,    ByLine,         All),
            Self::Held              => row(Reason::Held,        Line,          Unavailable, Yes,        None,        free,   AfterFault, Place,    LaterEachTime,  All),
            Self::Closed            => row(Reason::Closed,      Line,          Unavailable, WithNumber, None,        free,   Never,      Place,    ByLine,         All),
            Self::NotAVisitor       => row(Reason::NotAVisitor, Line,          OfWaiting,   No,         None,        free,   Never,      NoTicket, ByLine,         All),
        }
    }
}
