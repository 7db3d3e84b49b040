//! What the edge computes of the line by itself: from a copy of the board, a ticket and the settings. No clock, no store, no HTTP.
//!
//! Every rule that moves the line has one home, the script in `store/lua`, since only there it is atomic. Here stand the values that
//! the script answers, and what the edge decides from them: whether a number is called, how long the wait is and when a page asks
//! again, what a ticket is worth after a loss, which number an order by lot gives.
//!
//! Invariant: every rule here is run by some request. What only tests or tools run stands with them.

mod absent;
mod admission;
mod allowed;
pub mod backoff;
mod begun;
mod board;
pub mod breaker;
pub mod chance;
mod change;
mod current_event;
pub mod draw;
mod ended;
mod event;
mod event_list;
mod group;
pub mod health;
mod history;
mod inversion;
pub mod invitation;
pub mod journal;
mod lane;
mod lot;
mod networks;
mod now;
mod origin;
pub mod outage;
mod rate;
mod reason;
mod region;
mod released;
mod rolls;
mod room;
pub mod sessions;
pub mod sha1;
pub mod share;
mod signals;
mod snapshot;
mod turns;
mod waf;
mod wait;
mod window;
mod words;

pub use absent::{Absent, AbsentVisitors};
pub use admission::{Cursor, Mode, Pace, Position, Verdict, decide, refresh_seconds, waiting};
pub use allowed::AllowFault;
pub use begun::{Begun, Lot, Prequeue};
pub use board::{Board, Brought, By, Live, Place, SetTimes, WaitingProof};
pub use change::{Actor, Change, Changed, Effect, IdempotencyKey};
pub use current_event::CurrentEvent;
pub use draw::{DrawSecrets, NoSecrets, Seed};
pub use ended::{EndedSession, EndedSessions};
pub use event::{Event, Order, Outlook, Phase, Schedule, With};
pub use event_list::EventList;
pub use group::{Group, Groups};
pub use health::{AdaptivePace, HealthRule, Sickness};
pub use history::{Counts, Histogram, History, Past, Sample, Waits, called_by_wait};
pub use inversion::Inversion;
pub use invitation::{Invitation, Invitations, Invited, Presented};
pub use journal::{Head, JournalPage, JournalRange, Logged, Noted, Traced};
pub use lane::{Lane, LaneName, LaneState};
pub use lot::{LotNews, Reveal};
pub use networks::{AboveBound, ChallengeWait, Effort, NetworkBound, Price, SharedTickets};
pub use now::Now;
pub use origin::{Answered, AnsweredTo, Answers, OriginHealth, Overrule, WatchedOrigin};
pub use rate::{Measured, Rate, estimated_wait};
pub use reason::Reason;
pub use region::{Lag, Region, Regions};
pub use released::{Bound, Explained, Recount, Released};
pub use rolls::{FORMAT, Stretch, TicketState};
pub use room::RoomName;
pub use sessions::{
    Cap, Cell, Claim, CountedRenewal, Enforcement, Renewal, Renewing, SessionMark, Sessions,
};
pub use signals::{Judgement, Platform, SaysNothing, Signal, SignalRule, Treatment};
pub use snapshot::{
    Action, InvitedVisitors, LineAnswer, LineStatus, OriginState, PanelSnapshot, Provenance,
};
pub use turns::{SHORTEST_TURN, TURN_MINUTES, TurnsOver};
pub use waf::{Inspected, OnWafError, Stop, Waf, WafAnswer, WafFault, WafVerdict};
pub use wait::{Drawn, Estimated, STAYS, Slowed, Slowness, WAITS, Waited, wait_bucket};
pub use window::{Finding, Samples, Window};
pub(crate) use words::words;
