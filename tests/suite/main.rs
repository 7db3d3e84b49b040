//! The specification of Now Serving, as stories.
//!
//! `house` is the harness: one way to ask, three houses that answer. Every story in `stories` runs in all three:
//! `native` (the service in this process, the embedded store), `redis` (the same over a real Redis) and
//! `wasm` (the shipped Wasm in the real local server). What only one of them can show stands beside it.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

/// Runs every story in each of the three houses.
macro_rules! in_every_house {
    ($($story:ident)*) => {
        mod native {
            $(#[test] fn $story() { super::$story(&crate::house::House::native()); })*
        }
        mod redis {
            $(#[test] fn $story() { super::$story(&crate::house::House::redis()); })*
        }
        mod wasm {
            $(#[test] fn $story() { super::$story(&crate::house::House::wasm()); })*
        }
    };
}

/// Runs stories where the clock is turned by hand.
macro_rules! in_houses_whose_clock_is_turned {
    ($($story:ident)*) => {
        mod native {
            $(#[test] fn $story() { super::$story(&crate::house::House::native()); })*
        }
        mod redis {
            $(#[test] fn $story() { super::$story(&crate::house::House::redis()); })*
        }
    };
}

mod browser;
mod connection;
mod contract;
mod conventions;
mod crowd;
mod docs;
mod estimate;
mod faults;
mod fuzz;
mod house;
mod invariants;
mod languages;
mod layers;
mod limits_wasm;
mod live_wasm;
mod log;
mod login;
mod long;
mod losses;
mod metrics;
mod origin_wasm;
mod outage;
mod page_wasm;
mod production;
mod prometheus;
mod rotation;
mod rush;
mod sandbox_wasm;
mod secrets;
mod settings;
mod sign_wasm;
mod staleness;
mod stories;
mod table;
mod terraform;
mod tickets;
mod unreadable;
mod wasm_only;
mod web_socket;
mod wording;
