//! The rules of the line as pure functions: no clock, no store, no HTTP.

pub mod absent;
mod admission;
pub mod backoff;
mod baseline;
mod birth;
pub mod breaker;
pub mod chance;
mod change;
mod ended;
pub mod health;
mod model;
mod networks;
mod now;
mod origin;
pub mod outage;
mod rate;
mod reason;
pub mod release;
mod released;
mod room;
pub mod sessions;
pub mod share;
mod sign;
mod snapshot;
mod window;

pub use absent::{Absent, AbsentVisitors};
pub use admission::{Cursor, Mode, Pace, Position, Verdict, decide, refresh_seconds, waiting};
pub use baseline::Baseline;
pub use birth::{Birth, Splice, TicketState};
pub use change::{Actor, Change, Changed, Effect, IdempotencyKey};
pub use ended::{EndedSession, EndedSessions};
pub use health::{AdaptivePace, HealthRule, Sickness};
pub use model::{Asker, Brought, Call, Model, Outcome};
pub use networks::SharedTickets;
pub use now::Now;
pub use origin::{Answered, Answers, OriginHealth, OriginSign, Overrule};
pub use rate::{Measured, Rate, estimated_wait};
pub use reason::Reason;
pub use release::Bound;
pub use released::{Explained, Released};
pub use room::RoomName;
pub use sessions::{Cap, Cell, Claim, Enforcement, Renewal, Sessions, Slots};
pub use sign::{Live, SetTimes, Sign, WaitingProof};
pub use snapshot::{
    Action, LineAnswer, LineStatus, MinuteSample, OriginState, PanelSnapshot, Provenance,
};
pub use window::{Bounds, Past, Period, Steering, Window};
