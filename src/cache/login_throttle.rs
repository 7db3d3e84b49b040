//! Wrong logins, and one attempt at a time from each place.

use serde::{Deserialize, Serialize};
use std::any::Any;
use std::time::Duration;

/// The longest somebody waits for a turn.
pub const TURN_TIMEOUT: Duration = Duration::from_secs(5);

/// Where wrong logins are remembered.
pub trait LoginThrottle {
    /// The wrong logins from there that still count.
    fn wrong(&self, from: &str) -> Option<LoginFailures>;
    /// Lets them count for that long.
    fn put_wrong(&self, from: &str, wrong: LoginFailures, life: Duration);
    /// Waits until nobody else from there has a turn, but not longer than [`TURN_TIMEOUT`].
    fn turn(&self, from: &str) -> AttemptLock;
    /// Lets time pass.
    fn pause(&self, time: Duration) {
        std::thread::sleep(time);
    }
}

/// Wrong logins from one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoginFailures {
    /// How many.
    pub count: u64,
    /// When the first of them was, in Unix milliseconds.
    pub since_ms: u64,
}

/// Leave to try one login.
pub enum AttemptLock {
    /// No other login from there has it until this is dropped; then one of the waiting logins has.
    Mine(Box<dyn Any>),
    /// It was not this one's turn in time.
    Late,
    /// The cache cannot say.
    Unknown,
}
