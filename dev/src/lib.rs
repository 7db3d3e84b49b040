//! What Now Serving is developed with and never ships.
//!
//! [`serve`], [`stages`] and [`mod@bench`] are the commands for this machine; [`mod@secret`] makes what production is protected
//! with, [`mod@check`] says whether settings are sound before they are published, and [`mod@probe`] looks at what production
//! makes of them. What they run is started by [`harness`].

pub mod bench;
pub mod check;
pub mod probe;
pub mod secret;
pub mod serve;
pub mod stages;
