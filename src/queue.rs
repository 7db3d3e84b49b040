//! The rules of the line as pure functions: no clock, no store, no HTTP.

pub mod backoff;
mod birth;
pub mod breaker;
pub mod chance;
mod model;
pub mod outage;
pub mod share;
mod sign;

pub use birth::{Birth, Splice, TicketState};
pub use model::{Call, Model, Outcome};
pub use sign::{Live, Place, Sign};
