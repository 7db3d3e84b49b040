//! Invariants of a line: they hold of any history, whatever happens to it.
//!
//! A [`History`] takes each call of the store with its answer ([`Said`]), each ticket that a visitor gets, and each ticket
//! with which a visitor goes in ([`Held`]). After each step it says which invariants do not hold ([`Broken`]). It has no model of the rules: it compares
//! an answer with those before it. Losses of the store are noted by the caller, since no answer tells them.
//!
//! | what | where |
//! |---|---|
//! | no number twice, no visitor in who was not called or overtaken without a rule | `history/tickets.rs` |
//! | the number ahead never rises, a number lasts, a visitor inside stays inside | `history/visitors.rs` |
//! | numbers never move back, parts of a release add up, pace, credit, permits, cap, phases of an event | `history.rs` |
//! | the next number, repeats, invitations, bounds of networks, claims | `history/draws.rs` |
//! | the shares of groups | `history/groups.rs` |
//! | what is decided once of an event | `history/events.rs` |
//! | batches are counted once, one key is one change | `history/counts.rs` |
//! | each line of the journal | [`journal`], `history/journal.rs` |
//!
//! [`Watched`] is the way to a store whose calls are steps by themselves.

mod board;
mod broken;
mod bucket;
mod held;
mod history;
pub mod journal;
mod said;
mod watched;

pub use board::{Board, Numbers, Place};
pub use broken::{Broken, Checks, Fault};
pub use held::Held;
pub use history::{Answered, Data, History, Loss, Outboxes, Visitor};
pub use said::{Batch, Claimed, Network, Presented, Said, Verb};
pub use watched::{Histories, Watched};
