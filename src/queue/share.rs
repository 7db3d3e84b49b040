//! How many visitors one POP lets in while the store is away: its share of the pace, one after the other.
//!
//! Invariant: n POPs that share a pace let in, in any time from the beginning, no more together than the pace allows in
//! that time and one for each POP.

use crate::queue::Pace;

/// How many POPs share the pace where that is not known: more than there are, so that the pace is kept.
const UNKNOWN: u64 = 100;

/// Microseconds between two visitors of one POP; `None` where the line does not move by itself.
#[must_use]
pub fn interval_us(pace: Pace, pops: Option<u64>) -> Option<u64> {
    let (period, quantity) = (pace.automatic, pace.quantity);
    let pops = pops.unwrap_or(UNKNOWN).max(1);
    (period > 0 && quantity > 0).then(|| {
        let of_all_us = period.saturating_mul(1_000_000).saturating_mul(pops);
        of_all_us.div_ceil(quantity)
    })
}

/// When this visitor goes in, if one may go in now; both in microseconds of Unix time. `last_us` is what the visitor before
/// left behind. A poll that comes a part of an interval late costs nothing: the part is carried on. A POP that was idle for
/// longer begins anew. The interval is the one that holds now: an earlier, longer one is no reason to wait.
#[must_use]
pub fn let_in(last_us: Option<u64>, interval_us: u64, now_us: u64) -> Option<u64> {
    let Some(last_us) = last_us else {
        return Some(now_us);
    };
    let due_us = last_us.saturating_add(interval_us);
    let late_us = now_us.checked_sub(due_us)?;
    Some(if late_us < interval_us {
        due_us
    } else {
        now_us
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE_US: u64 = 60_000_000;

    fn pace(automatic: u64, quantity: u64) -> Pace {
        Pace {
            automatic,
            quantity,
        }
    }

    #[test]
    fn the_interval_is_that_of_the_pace_times_the_pops() {
        assert_eq!(interval_us(pace(15, 5), Some(1)), Some(3_000_000));
        assert_eq!(interval_us(pace(15, 5), Some(4)), Some(12_000_000));
        assert_eq!(interval_us(pace(1, 1_000_000), Some(1)), Some(1));
        assert_eq!(
            interval_us(pace(60, 7), Some(1)),
            Some(8_571_429),
            "never shorter"
        );
        assert_eq!(interval_us(pace(15, 5), None), Some(300_000_000));
        assert_eq!(interval_us(pace(0, 5), Some(1)), None, "no pace, none");
    }

    /// How many visitors go in, in the time `time_us`, where one asks every `every_us`.
    fn let_in_of(every_us: u64, interval_us: u64, time_us: u64) -> u64 {
        let mut next_us = None;
        let mut many = 0;
        for now_us in (0..time_us).step_by(usize::try_from(every_us).unwrap_or(1)) {
            if let Some(next) = let_in(next_us, interval_us, now_us) {
                next_us = Some(next);
                many += 1;
            }
        }
        many
    }

    #[test]
    fn a_share_that_was_smaller_before_is_forgotten_with_its_interval() {
        let last_us = let_in(None, 300_000_000, MINUTE_US);
        assert_eq!(let_in(last_us, 300_000_000, 2 * MINUTE_US), None);
        assert_eq!(
            let_in(last_us, 3_000_000, 2 * MINUTE_US),
            Some(2 * MINUTE_US)
        );
    }

    #[test]
    fn a_pop_keeps_its_share_however_often_it_is_asked() {
        for (every_us, interval_us) in [(10_000, 3_000_000), (999_999, 1_000_000), (7_000, 12_345)]
        {
            let many = let_in_of(every_us, interval_us, 10 * MINUTE_US);
            let share = 10 * MINUTE_US / interval_us;
            assert!((share - 2..=share + 1).contains(&many), "{many} of {share}");
        }
    }

    #[test]
    fn an_idle_hour_brings_no_crowd() {
        let after_idling = Some(1_000);
        let first = let_in(after_idling, 3_000_000, 60 * MINUTE_US);
        assert_eq!(first, Some(60 * MINUTE_US));
        assert_eq!(let_in(first, 3_000_000, 60 * MINUTE_US), None);
        let late = let_in(first, 3_000_000, 60 * MINUTE_US + 4_000_000);
        assert_eq!(
            late,
            Some(60 * MINUTE_US + 3_000_000),
            "the part is carried"
        );
    }
}
