//! The developer's machine: the tools that the commands and the tests run, and the programs that they start.
//!
//! [`tools`] finds the tools, [`viceroy`] the local server, and [`install`] installs what is not there, some of it by the
//! system's [`packages`]. [`project`] is this checkout, [`strict`] its Wasm with limits, [`process`] ends what we start, [`quiet`] shows one line of what takes
//! long.

pub mod install;
pub mod packages;
mod place;
pub mod process;
pub mod project;
pub mod quiet;
mod sources;
pub mod strict;
pub mod tools;
pub mod viceroy;
