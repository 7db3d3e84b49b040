//! Rehearses an event before it happens, and plans one: `now-serving simulate` and `now-serving plan`.
//!
//! A simulation runs the product itself: the real service with the real scripts, in virtual time, for visitors who wait, leave,
//! sleep and come back. [`scenario`] is what a file says, [`site`] the product in its POPs, [`person`] and [`world`] who comes
//! and what happens next, [`origin`] what is behind the room, [`record`] what came of it, [`report`] and [`picture`] what
//! operators see of it. [`outside`] is what a record reads of a site, in virtual time or in real time, and [`apart`] how far two
//! runs are apart. [`split`] is another design to compare with. [`mod@plan`] is arithmetic and needs no product.
//! Without the product, [`steered`] plays an origin that steers its own pace by the share rule ([`window`] and [`baseline`]), [`place`]
//! the published rule that it is compared with, and [`follow`] tells what came of either.
//! Chance has a seed ([`chance`]), so the same scenario gives the same bytes.

pub mod apart;
pub mod arrivals;
pub mod baseline;
pub mod chance;
pub mod costs;
pub mod events_log;
pub mod follow;
pub mod histogram;
pub mod origin;
pub mod outside;
pub mod person;
pub mod picture;
pub mod place;
pub mod plan;
mod progress;
pub mod record;
pub mod report;
pub mod scenario;
pub mod simulate;
pub mod site;
pub mod split;
pub mod steered;
pub mod units;
pub mod waits;
pub mod window;
pub mod world;
