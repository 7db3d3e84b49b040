//! Whether the store is really away: not after one late answer, but when several calls of a POP have failed for some time.
//!
//! Failures and successes write different notes, each with the time at which its call began. So where two are written at
//! once, a failure that comes late does not undo a success.
//! Invariant: a call that succeeds ends the outage; three failures with no success between them, over five seconds, begin one.

/// How many calls must have failed since the last success.
const CALLS: u64 = 3;
/// For how long at least, in milliseconds.
const LASTS_MS: u64 = 5_000;
/// After this many milliseconds without a failed call nothing is known.
const RECENT_MS: u64 = 30_000;

/// The calls that failed without a success between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failures {
    /// When the first of them began (Unix time in milliseconds).
    pub since_ms: u64,
    /// When the last of them began.
    pub last_ms: u64,
    /// How many.
    pub calls: u64,
}

/// What a POP knows about its calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outage {
    /// The failures written last.
    pub failures: Option<Failures>,
    /// When the call began whose success was written last.
    pub answered_ms: Option<u64>,
}

impl Outage {
    /// Whether the store is really away.
    #[must_use]
    pub fn is_real(&self, now_ms: u64) -> bool {
        self.current().is_some_and(|failures| {
            failures.calls >= CALLS
                && now_ms.saturating_sub(failures.since_ms) >= LASTS_MS
                && now_ms.saturating_sub(failures.last_ms) <= RECENT_MS
        })
    }

    /// What to write down after a call failed that began then; `None` when a later one has succeeded.
    #[must_use]
    pub fn failed(&self, began_ms: u64) -> Option<Failures> {
        if self
            .answered_ms
            .is_some_and(|answered| began_ms <= answered)
        {
            return None;
        }
        let failures = self.current().unwrap_or(Failures {
            since_ms: began_ms,
            last_ms: began_ms,
            calls: 0,
        });
        Some(Failures {
            last_ms: failures.last_ms.max(began_ms),
            calls: failures.calls.saturating_add(1),
            ..failures
        })
    }

    /// Whether a success is to be written down whose call began then: only where there are failures that it ends.
    #[must_use]
    pub fn is_ended_by(&self, began_ms: u64) -> bool {
        self.current()
            .is_some_and(|failures| failures.since_ms <= began_ms)
    }

    fn current(&self) -> Option<Failures> {
        let is_open = |failures: &Failures| {
            self.answered_ms
                .is_none_or(|answered| answered < failures.since_ms)
        };
        self.failures.filter(is_open)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After calls that began at these milliseconds, each with whether it succeeded.
    fn after(calls: &[(u64, bool)]) -> Outage {
        let mut outage = Outage::default();
        for (began_ms, is_answered) in calls {
            if !is_answered {
                outage.failures = outage.failed(*began_ms).or(outage.failures);
            } else if outage.is_ended_by(*began_ms) {
                outage.answered_ms = Some(*began_ms);
            }
        }
        outage
    }

    #[test]
    fn it_takes_three_calls_and_five_seconds() {
        let failed = |times: &[u64]| {
            let calls: Vec<(u64, bool)> = times.iter().map(|began| (*began, false)).collect();
            after(&calls)
        };
        assert!(!failed(&[]).is_real(99_000));
        assert!(!failed(&[1_000]).is_real(9_000), "one late answer");
        assert!(!failed(&[1_000, 8_000]).is_real(9_000), "two calls");
        assert!(!failed(&[1_000, 1_001, 1_002]).is_real(5_999), "a moment");
        assert!(failed(&[1_000, 1_001, 1_002]).is_real(6_000));
        assert!(failed(&[1_000, 3_000, 6_000]).is_real(6_000));
    }

    #[test]
    fn a_success_ends_it_and_the_next_one_begins_anew() {
        let ended = [(0, false), (3_000, false), (6_000, false), (7_000, true)];
        assert!(!after(&ended).is_real(7_000));
        let again = [&ended[..], &[(8_000, false), (9_000, false)]].concat();
        assert!(!after(&again).is_real(14_000), "two calls since");
        let again = [&again[..], &[(13_000, false)]].concat();
        assert!(after(&again).is_real(13_000));
    }

    #[test]
    fn a_failure_that_comes_late_does_not_undo_a_success() {
        let outage = after(&[(0, false), (3_000, false), (6_000, true), (5_900, false)]);
        assert_eq!(outage.failed(5_950), None);
        assert!(!outage.is_real(9_000));
    }

    #[test]
    fn a_success_that_began_before_the_failures_does_not_end_them() {
        let calls = [(1_000, false), (3_000, false), (6_000, false), (900, true)];
        assert!(after(&calls).is_real(6_000));
    }

    #[test]
    fn failures_long_ago_say_nothing() {
        let outage = after(&[(0, false), (3_000, false), (6_000, false)]);
        assert!(outage.is_real(36_000));
        assert!(!outage.is_real(36_001));
    }
}
