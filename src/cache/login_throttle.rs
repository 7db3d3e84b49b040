//! Wrong logins, and one attempt at a time from each place.

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

impl LoginFailures {
    /// As the cache keeps it.
    #[must_use]
    pub fn written(self) -> String {
        format!("{} {}", self.count, self.since_ms)
    }

    /// What was written.
    #[must_use]
    pub fn read(written: &[u8]) -> Option<Self> {
        let (count, since_ms) = std::str::from_utf8(written).ok()?.split_once(' ')?;
        let (count, since_ms) = (count.parse().ok()?, since_ms.parse().ok()?);
        Some(Self { count, since_ms })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_logins_are_read_as_they_were_written() {
        let wrong = LoginFailures {
            count: 10,
            since_ms: 1_800_000_000_000,
        };
        assert_eq!(wrong.written(), "10 1800000000000");
        assert_eq!(LoginFailures::read(wrong.written().as_bytes()), Some(wrong));
        for spoilt in ["", "10", "10 ", "a 1", "10 1 2"] {
            assert_eq!(LoginFailures::read(spoilt.as_bytes()), None, "{spoilt}");
        }
    }
}
