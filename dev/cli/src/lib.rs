//! What Now Serving is developed with and never ships.
//!
//! [`serve`] is the command for this machine; [`mod@bench`] is a crate of its own, and so are `test` and `doctor`, in [`runner`].
//! [`mod@secret`] prints what production is protected with, [`mod@check`] says whether settings are sound before they are
//! published, [`mod@draw`] checks an order by lot, [`mod@audit`] a journal, [`mod@invite`] makes invitations, [`mod@allow`] allowances, [`mod@migrate`] takes over a line, and [`mod@probe`] looks at what production makes of them. [`rehearse`] plays an event before it happens, and [`real`] the same in real time.
//! [`pictures`] takes the pictures of the docs, and [`docs`] writes what they have from the code. [`mod@release`] makes what a version is published with, tried with [`fastly_api`].
//! [`mod@fuzz`] looks for bytes that break a rule. What they run is started by [`harness`].

pub mod allow;
pub mod audit;
pub mod check;
pub mod completion;
pub mod database;
pub mod docs;
pub mod draw;
pub mod fastly_api;
pub mod fuzz;
pub mod invite;
pub mod migrate;
pub mod pictures;
pub mod probe;
pub mod real;
pub mod rehearse;
pub mod release;
mod remote_store;
pub mod secret;
pub mod serve;
