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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::{decode, encode};

    #[test]
    fn wrong_logins_are_kept_and_a_spoilt_note_is_none() {
        let wrong = LoginFailures {
            count: 10,
            since_ms: 1_800_000_000_000,
        };
        let kept = encode(&wrong);
        assert_eq!(decode(&kept), Some(wrong));
        for spoilt in [
            "",
            "10 1800000000000",
            "[10]",
            r#"{"count":10}"#,
            r#"{"count":-1,"since_ms":5}"#,
            r#"{"count":10,"since_ms":5} "more""#,
        ] {
            assert_eq!(decode::<LoginFailures>(spoilt.as_bytes()), None, "{spoilt}");
        }
    }
}
