//! The rules of the line as pure functions: no clock, no store, no HTTP.

pub mod absent;
mod admission;
pub mod backoff;
mod birth;
pub mod breaker;
pub mod chance;
mod change;
mod ended;
mod model;
mod now;
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

pub use absent::{Absent, AbsentVisitors};
pub use admission::{Cursor, Mode, Pace, Position, Verdict, decide, refresh_seconds, waiting};
pub use birth::{Birth, Splice, TicketState};
pub use change::{Actor, Change, Changed, Effect, IdempotencyKey};
pub use ended::{EndedSession, EndedSessions};
pub use model::{Asker, Brought, Call, Model, Outcome};
pub use now::Now;
pub use rate::{Measured, Rate, estimated_wait};
pub use reason::Reason;
pub use release::Bound;
pub use released::{Explained, Released};
pub use room::RoomName;
pub use sessions::{Cap, Cell, Claim, Enforcement, Renewal, Sessions, Slots};
pub use sign::{Live, SetTimes, Sign, WaitingProof};
pub use snapshot::{Action, LineAnswer, LineStatus, MinuteSample, PanelSnapshot, Provenance};
