//! The sessions that a POP has made longer, by ticket.

use crate::queue::Renewal;
use std::time::Duration;

/// Where the latest end of each session is kept that was renewed here.
pub trait SessionEnds {
    /// The last minute of this ticket's session, as it was last renewed here.
    fn session_end(&self, id: &str) -> Option<u64>;
    /// Makes the session of a ticket longer, and keeps its end for `life`. What the store is to be told: from the latest end that
    /// is known here, and nothing where it ends no later by it. One request at a time does this for a ticket, so parallel
    /// requests, and clients that ignore their cookies, tell each minute once.
    fn renew_session(&self, id: &str, renewal: Renewal, life: Duration) -> Option<Renewal>;
    /// There is no session of this ticket.
    fn forget_session(&self, id: &str);
}

/// Noted when the store was asked for a session, and its answer was lost. No session ends so early, so no renewal moves from
/// there.
pub const MAY_HAVE_BEGUN: Renewal = Renewal { from: 0, to: 1 };

/// For how long a repeated claim gets the same session, from whatever network.
pub const CLAIM_REPEATED_WITHIN: Duration = Duration::from_mins(5);

/// What the store is to be told, where this end is known.
#[must_use]
pub fn later(known: Option<u64>, renewal: Renewal) -> Option<Renewal> {
    let from = known.unwrap_or(0).max(renewal.from);
    (from < renewal.to).then_some(Renewal { from, ..renewal })
}

/// As the cache keeps it.
#[must_use]
pub fn written(end: u64) -> String {
    end.to_string()
}

/// Written over an end that counts no more.
pub const FORGOTTEN: &str = "";

/// What was written.
#[must_use]
pub fn read(written: &[u8]) -> Option<u64> {
    std::str::from_utf8(written).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_moves_from_its_latest_end_and_never_back() {
        let renewal = Renewal { from: 20, to: 30 };
        assert_eq!(later(None, renewal), Some(renewal));
        assert_eq!(later(Some(10), renewal), Some(renewal));
        let moved = Renewal { from: 29, to: 30 };
        assert_eq!(later(Some(29), renewal), Some(moved));
        assert_eq!(later(Some(30), renewal), None);
        assert_eq!(later(Some(31), renewal), None);
        let first = Renewal { from: 0, to: 30 };
        assert_eq!(later(None, first), Some(first));
    }

    #[test]
    fn an_end_is_read_as_it_was_written() {
        assert_eq!(read(written(30).as_bytes()), Some(30));
        for spoilt in [FORGOTTEN, "x", "-1", "1 2"] {
            assert_eq!(read(spoilt.as_bytes()), None, "{spoilt}");
        }
    }
}
