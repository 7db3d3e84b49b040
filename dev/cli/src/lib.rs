//! What Now Serving is developed with and never ships.
//!
//! `serve` is a crate of its own, [`mod@demo`], and so are [`mod@bench`], `test` and `doctor`, in [`runner`], and the commands of
//! operators, in [`cli`]. [`rehearse`] plays an event before it happens, and [`real`] the same in real time.
//! [`pictures`] takes the pictures of the docs, and [`docs`] writes what they have from the code. [`mod@release`] makes what a version is published with, tried with [`fastly_api`].
//! [`mod@fuzz`] looks for bytes that break a rule, and [`mod@path`] shows which functions a request enters. What they run is started by [`harness`].

pub mod completion;
pub mod database;
pub mod docs;
pub mod fastly_api;
pub mod fuzz;
pub mod path;
pub mod pictures;
pub mod real;
pub mod rehearse;
pub mod release;
