//! Now Serving: a virtual waiting room at the edge.
//!
//! A visitor draws a numbered ticket, sees how many are ahead, and goes in when the "now serving" sign reaches the
//! number. Redis holds counters and short-lived memories; the number lives in a signed cookie.
//!
//! Folders are layers. An arrow, `use crate::`, only points to a layer further down in this table, which is in reading
//! order: one request passes from the top to the bottom. `tests/suite/pure/layers.rs` holds every arrow against it.
//!
//! | layer | what it knows |
//! |---|---|
//! | `edge` | the platform: it alone names its SDK, and is not part of this library |
//! | [`service`] | route a request, word its answer |
//! | [`operator`] | the operators' routes: login, verbs, panel, metrics |
//! | [`visitor`] | one visit: ticket, the board, at most one call to the store, verdict; what the waiting page asks for |
//! | [`request`] | a request with all that decides it: settings, room, store, cache, time |
//! | [`telemetry`] | the log line, and what Prometheus reads |
//! | [`store`] | the line itself: its verbs, one call each, and the Lua script with its rules; the wire of Upstash |
//! | [`cache`] | what a POP remembers: the copy of the board, logins, the outbox of counters |
//! | [`config`] | the settings, and every problem with them |
//! | [`page`], [`i18n`] | what people see, in the visitor's language |
//! | [`http`] | a request and its answer as plain data |
//! | [`ticket`] | the signed number, and one key for each purpose |
//! | [`queue`] | what the edge computes of the line by itself: no clock, no store, no HTTP |
//!
//! Each rule of the line has one home, the script in `src/store/lua`, since only the store can apply it atomically. Tables of vectors
//! (`tests/vectors`) say what it does, invariants (`dev/invariants`) are asked after every step of random histories, and golden
//! traces show each visible answer that a change alters. What the edge computes from a copy of the board alone is in [`queue`]: who is
//! called, how long the wait is, what a ticket is worth after a loss. Every line of it runs in the product.

pub mod cache;
pub mod config;
pub mod http;
pub mod i18n;
pub mod operator;
pub mod page;
pub mod queue;
pub mod request;
pub mod service;
pub mod store;
pub mod telemetry;
pub mod ticket;
pub mod visitor;
