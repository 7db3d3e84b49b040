//! The rules of the line as pure functions: no clock, no store, no HTTP.

mod model;
mod sign;

pub use model::{Model, Outcome};
pub use sign::{Live, Place, Sign};
