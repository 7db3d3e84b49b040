//! What Now Serving is developed with and never ships.
//!
//! [`serve`], [`stages`] and [`mod@bench`] are the commands; all first let [`setup`] install what [`tools`]
//! cannot find. [`upstash_local`] and [`origin`] are the two servers the service talks to, [`edge`] runs
//! its Wasm for tests, in a folder made by [`local`]; [`browser`] looks at it, [`prometheus`] scrapes it. [`process`] ends what we start.
//! [`mod@secret`] makes what production is protected with, [`mod@check`] says whether settings are sound before they are published,
//! and [`mod@probe`] looks at what production makes of them.

pub mod bench;
pub mod browser;
pub mod check;
pub mod edge;
pub mod local;
pub mod origin;
pub mod probe;
pub mod process;
pub mod project;
pub mod prometheus;
pub mod secret;
pub mod serve;
pub mod setup;
pub mod stages;
pub mod tools;
