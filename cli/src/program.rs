//! The name of the program that runs these commands, for a text that tells its reader to run one.
//!
//! Two programs share the commands: `now-serving`, which is shipped, and `cargo dev` of a checkout.

use std::sync::OnceLock;

/// The name of the shipped program.
pub const SHIPPED: &str = "now-serving";

static NAME: OnceLock<&str> = OnceLock::new();

/// Names the program that runs, once. Without it that is [`SHIPPED`].
pub fn is_called(name: &'static str) {
    // A second name would make two texts of one program disagree.
    let _ = NAME.set(name);
}

/// The words before a command's own.
#[must_use]
pub fn name() -> &'static str {
    NAME.get().copied().unwrap_or(SHIPPED)
}
