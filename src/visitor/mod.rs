//! What visitors ask for: a visit, and what the waiting page asks for besides itself.

pub mod answer;
mod kind;
mod language;
pub mod routes;
pub mod ticket_cookie;
pub mod trouble;
pub mod visit;

pub use kind::{Brought, Kind, kind};
