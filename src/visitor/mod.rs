//! What visitors ask for: a visit, and what the waiting page asks for besides itself.

pub mod allowed;
pub mod answer;
pub mod api;
mod challenge;
mod event;
pub mod invitation;
mod kind;
pub(crate) mod language;
mod lot;
mod order;
pub mod outcome;
mod receipt;
pub mod routes;
pub mod store_health;
pub mod ticket_cookie;
mod urls;
pub mod visit;

pub use kind::{Brought, Kind, kind};
pub(crate) use urls::here;
