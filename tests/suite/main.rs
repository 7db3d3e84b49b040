//! The specification of Now Serving, as stories.
//!
//! `house` is the harness: one way to ask, three houses that answer. Every story in `stories` runs in `native` (the service in
//! this process, the embedded store). What it is about says where else: the store in `redis` (the same over a real Redis), the
//! platform in `wasm` (the shipped Wasm in the real local server), more than one of them in both; `long` runs the rest there.
//! `platform` holds what only the Wasm can show.
//!
//! `simulated` is the service in this process as well, through thousands of steps or virtual hours: a test in it takes
//! seconds, and `cargo dev test --fast` leaves it out. Where few steps show a rule too, they are in `native`.
//!
//! These five, and `pure`, `lua`, `spelling`, `browser`, `contract`, `prometheus`, `examples` and `long`, are the tiers: `cargo dev test` runs each as a
//! stage. A test is in one of them by the module it is in, and `pure/tiers.rs` finds one that is in none or in two.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

/// Runs every story in this process; on a Redis as well what is about the store, in the Wasm as well what is about the platform,
/// and in both what is about more. With `--long` every story is run in every house.
macro_rules! in_houses {
    (store { $($store:ident)* } platform { $($platform:ident)* } all { $($all:ident)* }) => {
        mod native {
            $(#[test] fn $store() { super::$store(&crate::house::House::native()); })*
            $(#[test] fn $platform() { super::$platform(&crate::house::House::native()); })*
            $(#[test] fn $all() { super::$all(&crate::house::House::native()); })*
        }
        mod redis {
            $(#[test] fn $store() { super::$store(&crate::house::House::redis()); })*
            $(#[test] fn $all() { super::$all(&crate::house::House::redis()); })*
        }
        mod wasm {
            $(#[test] fn $platform() { super::$platform(&crate::house::House::wasm_shared()); })*
            $(#[test] fn $all() { super::$all(&crate::house::House::wasm_shared()); })*
        }
        mod long {
            mod redis_too {
                $(#[test] fn $platform() { super::super::$platform(&crate::house::House::redis()); })*
            }
            mod wasm_too {
                $(#[test] fn $store() { super::super::$store(&crate::house::House::wasm_shared()); })*
            }
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

/// Tells stories in each of the three browsers, where it can be had.
macro_rules! in_every_browser {
    ($($story:ident)*) => {
        mod chromium {
            $(#[test] fn $story() { crate::browser::engines::tell_in(harness::browser::Engine::Chromium, super::$story); })*
        }
        mod firefox {
            $(#[test] fn $story() { crate::browser::engines::tell_in(harness::browser::Engine::Firefox, super::$story); })*
        }
        mod webkit {
            $(#[test] fn $story() { crate::browser::engines::tell_in(harness::browser::Engine::WebKit, super::$story); })*
        }
    };
}

mod alarm;
mod browser;
mod chaos;
mod connection;
mod contract;
mod copies;
mod corpora;
mod crowd;
mod examples;
mod faults;
mod fed;
mod fuzz;
mod health;
mod house;
mod inside;
mod invitations;
mod log;
mod long;
mod losses;
mod lua;
mod metrics;
mod networks;
mod prometheus;
mod rig;
mod rush;
mod secrets;
mod shares;
mod spelling;
mod staleness;
mod stories;
mod table;
mod tickets;
mod traces;
mod turnout;
mod vectors;
mod verbs;

/// Sources, docs and settings are as they must be: without a service, or in no house.
mod pure {
    mod compiled;
    mod conditions;
    pub(crate) mod conventions;
    pub(crate) mod dashboard;
    mod docs;
    mod documented;
    mod glossary;
    mod languages;
    mod layers;
    mod production;
    mod publishing;
    mod rooms;
    mod rules;
    mod settings;
    mod terraform;
    mod tiers;
}

/// The service in this process: what needs many requests, or a clock that is turned by hand.
mod native {
    mod called;
    mod cap;
    mod ended;
    mod event;
    mod health;
    mod inversions;
    mod journal;
    mod log;
    pub(crate) mod login;
    mod nodes;
    mod origin;
    mod outage;
    mod signals;
    mod slots;
    mod symptoms;
    mod unreadable;
    mod waf;
}

/// The service in this process, through thousands of steps or virtual hours: seconds each.
mod simulated {
    mod estimate;
}

/// What only the shipped Wasm in the real local server can show.
mod platform {
    mod cap;
    mod command;
    mod far;
    mod host_calls;
    mod limits;
    mod live;
    mod log;
    mod login;
    mod only;
    mod origin;
    mod page;
    mod regions;
    mod rooms;
    mod rotation;
    mod sandbox;
    mod shared;
    mod sign;
    mod signals;
    mod size;
    mod strict_cache;
    mod strict_limits;
    mod waf;
    mod web_socket;
}
