//! The rules of the line as pure functions: no clock, no store, no HTTP.

mod birth;
mod model;
mod sign;

pub use birth::{Birth, Splice, TicketState};
pub use model::{Call, Model, Outcome};
pub use sign::{Live, Place, Sign};
