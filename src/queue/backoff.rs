//! When a visitor who could not draw a number comes back: later after each try, and not all at once.
//!
//! Invariant: the crowd that arrived in one second does not return in one second.

use super::chance::{Chance, Rule};

/// The longest way back after the first try, in seconds.
const FIRST: u64 = 5;
/// The longest after any number of tries, in seconds.
const LONGEST: u64 = 60;
/// From this many tries on the way back is no longer.
pub const MOST_TRIES: u64 = 5;

/// Whole seconds until a visitor tries again after this many tries without a number: 5 · 2^(tries − 1), at most 60, and of
/// that between a half and all.
#[must_use]
pub fn seconds(tries: u64, chance: Chance) -> u64 {
    let doublings = tries.clamp(1, MOST_TRIES) - 1;
    let longest = (FIRST << doublings).min(LONGEST);
    chance.between(Rule::BackOff, longest.div_ceil(2), longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn least_and_most(tries: u64) -> (Option<u64>, Option<u64>) {
        let seconds: Vec<u64> = (0..2_000)
            .map(|number| seconds(tries, Chance::new(number)))
            .collect();
        (seconds.iter().min().copied(), seconds.iter().max().copied())
    }

    #[test]
    fn each_try_doubles_the_way_back_up_to_a_minute() {
        let expected = [(3, 5), (5, 10), (10, 20), (20, 40), (30, 60), (30, 60)];
        for (tries, (least, most)) in (1..).zip(expected) {
            assert_eq!(least_and_most(tries), (Some(least), Some(most)), "{tries}");
        }
        assert_eq!(least_and_most(u64::MAX), (Some(30), Some(60)));
    }

    #[test]
    fn a_ticket_that_counts_no_try_yet_comes_back_as_after_the_first() {
        assert_eq!(least_and_most(0), least_and_most(1));
    }
}
