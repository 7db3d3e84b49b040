//! The breaker of a POP: how many of its draws may reach a store that could not keep up.
//!
//! Of many draws a few are late while the store is well, so one failure holds the draws back for a moment only: a pause.
//! Those under way then are the sample. Where one of them fails too, the breaker closes for a random while; afterwards a
//! few draws may try, and more with each that succeeds.
//! Its two halves are written by different events: failures write the [`Closure`], successes the [`Reopening`], each
//! of which names the closure it belongs to. So where many sandboxes share the state and the last one to write wins, a
//! success that was on its way while the breaker closed cannot open it again.
//! Invariant: but for the second failure of a pause, a draw that began before the closure ended belongs to the trouble that
//! caused it and changes nothing.

use super::chance::{Chance, Rule};

/// A share of the draws, in millionths.
pub type Share = u64;

/// Every draw.
pub const ALL: Share = 1_000_000;
/// How many may try right after a closure.
const TRIAL: Share = 20_000;
/// How long one failure holds the draws back, in milliseconds: draws that are under way fail before it ends.
const SINGLE_PAUSE_MS: u64 = 1_000;
/// The longest closure after a second failure; each failure that follows doubles it.
const FIRST_PAUSE_MS: u64 = 3_000;
/// The longest closure.
const LONGEST_PAUSE_MS: u64 = 8_000;
/// Without news the share doubles in this time: where few visitors arrive, 2 % of them would be none for minutes.
const DOUBLES_MS: u64 = 500;

/// Written by a draw that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closure {
    /// No draws until then (Unix time in milliseconds).
    pub until_ms: u64,
    /// How many closures came before without a recovery between them; 0 after a single failure.
    pub repeats: u64,
}

/// Written by a draw that succeeded after a closure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reopening {
    /// The end of the closure it follows: with another one it says nothing.
    pub after_ms: u64,
    /// How many of the draws may try.
    pub share: Share,
}

/// What a POP knows about its draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Breaker {
    /// The last closure, if there was one lately.
    pub closure: Option<Closure>,
    /// What succeeded since then.
    pub reopening: Option<Reopening>,
}

impl Closure {
    /// Whether only one draw has failed.
    fn is_single(self) -> bool {
        self.repeats == 0
    }
}

impl Breaker {
    /// Whether a draw may be tried now.
    #[must_use]
    pub fn lets_draw(&self, now_ms: u64, chance: Chance) -> bool {
        let share = self.share(now_ms);
        share >= ALL || chance.between(Rule::Trial, 1, ALL) <= share
    }

    /// How many of the draws may be tried now.
    #[must_use]
    pub fn share(&self, now_ms: u64) -> Share {
        let Some(closure) = self.closure else {
            return ALL;
        };
        let Some(since_ms) = now_ms.checked_sub(closure.until_ms) else {
            return 0;
        };
        if closure.is_single() {
            return ALL;
        }
        let doublings = u32::try_from(since_ms / DOUBLES_MS).unwrap_or(u32::MAX);
        let by_time = TRIAL.saturating_mul(2_u64.saturating_pow(doublings));
        by_time.max(self.by_successes(closure)).min(ALL)
    }

    /// The closure to write down after a draw failed that began then; `None` when it belongs to the one there is.
    #[must_use]
    pub fn failed(&self, began_ms: u64, chance: Chance) -> Option<Closure> {
        let repeats = match self.closure {
            Some(closure) if began_ms < closure.until_ms && !closure.is_single() => return None,
            Some(closure) if began_ms < closure.until_ms => 1,
            Some(closure) if !self.has_recovered(closure, began_ms) => {
                closure.repeats.saturating_add(1)
            }
            _ => 0,
        };
        let pause_ms = match repeats.checked_sub(1) {
            None => SINGLE_PAUSE_MS,
            Some(doublings) => {
                let doublings = u32::try_from(doublings).unwrap_or(u32::MAX);
                let longest = FIRST_PAUSE_MS.saturating_mul(2_u64.saturating_pow(doublings));
                let longest = longest.min(LONGEST_PAUSE_MS);
                chance.between(Rule::Pause, longest / 3, longest)
            }
        };
        Some(Closure {
            until_ms: began_ms.saturating_add(pause_ms),
            repeats,
        })
    }

    /// What to write down after a draw succeeded that began then; `None` when there is nothing to say.
    #[must_use]
    pub fn succeeded(&self, began_ms: u64) -> Option<Reopening> {
        let closure = self.closure?;
        let share = self.by_successes(closure);
        if began_ms < closure.until_ms || closure.is_single() || share >= ALL {
            return None;
        }
        Some(Reopening {
            after_ms: closure.until_ms,
            share: (share + share / 5).min(ALL),
        })
    }

    fn by_successes(&self, closure: Closure) -> Share {
        let reopening = self.reopening;
        let reopening = reopening.filter(|reopening| reopening.after_ms == closure.until_ms);
        reopening.map_or(TRIAL, |reopening| reopening.share)
    }

    fn has_recovered(&self, closure: Closure, now_ms: u64) -> bool {
        closure.is_single() || self.by_successes(closure) > TRIAL && self.share(now_ms) >= ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_MS: u64 = 1_800_000_000_000;

    fn closed(until_ms: u64, repeats: u64) -> Breaker {
        Breaker {
            closure: Some(Closure { until_ms, repeats }),
            reopening: None,
        }
    }

    fn drawing(breaker: &Breaker, now_ms: u64) -> usize {
        let lets = |number: &u64| breaker.lets_draw(now_ms, Chance::new(*number));
        (0..10_000).filter(lets).count()
    }

    #[test]
    fn without_trouble_everybody_draws() {
        assert_eq!(drawing(&Breaker::default(), NOW_MS), 10_000);
        assert_eq!(Breaker::default().succeeded(NOW_MS), None);
    }

    #[test]
    fn a_single_failure_holds_the_draws_back_for_a_second_and_all_draw_again() {
        let mut breaker = Breaker::default();
        breaker.closure = breaker.failed(NOW_MS, Chance::new(1));
        let single = Closure {
            until_ms: NOW_MS + 1_000,
            repeats: 0,
        };
        assert_eq!(breaker.closure, Some(single));
        assert_eq!(drawing(&breaker, NOW_MS + 999), 0);
        assert_eq!(drawing(&breaker, NOW_MS + 1_000), 10_000);
        assert_eq!(breaker.succeeded(NOW_MS + 1_000), None, "nothing to say");
        let next = breaker.failed(NOW_MS + 1_000, Chance::new(1));
        let until_ms = NOW_MS + 2_000;
        assert_eq!(
            next,
            Some(Closure {
                until_ms,
                repeats: 0
            }),
            "and another"
        );
    }

    #[test]
    fn a_second_failure_among_the_draws_under_way_closes() {
        let breaker = closed(NOW_MS + 1_000, 0);
        for began_ms in [NOW_MS - 400, NOW_MS, NOW_MS + 999] {
            let closure = breaker.failed(began_ms, Chance::new(1)).unwrap_or(Closure {
                until_ms: 0,
                repeats: 0,
            });
            assert_eq!(closure.repeats, 1);
            let pause_ms = closure.until_ms.saturating_sub(began_ms);
            assert!((1_000..=3_000).contains(&pause_ms), "{pause_ms}");
        }
    }

    /// Draws of 20 ms, evenly spread; each tenth of them fails after 500 ms in one half minute, each thousandth in the other.
    #[test]
    fn a_few_late_draws_of_many_cost_little_and_many_close() {
        let let_draw = |one_in: u64| {
            let (mut breaker, mut under_way) = (Breaker::default(), Vec::new());
            let (mut let_draw, mut number) = (0_u64, 0_u64);
            for at_ms in (0..30_000).step_by(10) {
                under_way.retain(|&(began_ms, known_ms, is_late)| {
                    if known_ms > at_ms {
                        return true;
                    }
                    let chance = Chance::new(known_ms);
                    if is_late {
                        breaker.closure = breaker.failed(began_ms, chance).or(breaker.closure);
                    } else {
                        breaker.reopening = breaker.succeeded(began_ms).or(breaker.reopening);
                    }
                    false
                });
                if breaker.lets_draw(at_ms, Chance::new(at_ms)) {
                    let_draw += 1;
                    number += 1;
                    let is_late = number.is_multiple_of(one_in);
                    let takes_ms = if is_late { 500 } else { 20 };
                    under_way.push((at_ms, at_ms + takes_ms, is_late));
                }
            }
            let_draw
        };
        let (well, sick) = (let_draw(1_000), let_draw(10));
        assert!((2_800..3_000).contains(&well), "{well} of 3 000 may draw");
        assert!(sick < 1_000, "{sick} of 3 000 may draw");
    }

    #[test]
    fn a_second_failure_closes_for_one_to_three_seconds_then_longer_up_to_eight() {
        for (before, expected) in [
            (0, (1_000, 3_000)),
            (1, (2_000, 6_000)),
            (2, (2_666, 8_000)),
            (u64::MAX, (2_666, 8_000)),
        ] {
            let until_ms = if before == 0 { NOW_MS + 1_000 } else { NOW_MS };
            let breaker = closed(until_ms, before);
            let pause = |number| {
                let closure = breaker.failed(NOW_MS, Chance::new(number));
                closure.map_or(0, |closure| closure.until_ms - NOW_MS)
            };
            let (least, most) = expected;
            let pauses: Vec<u64> = (0..2_000).map(pause).collect();
            assert!(
                pauses.iter().all(|pause| (least..=most).contains(pause)),
                "{before:?}"
            );
            let spread = (most - least) / 10;
            assert!(pauses.iter().any(|pause| *pause < least + spread));
            assert!(pauses.iter().any(|pause| *pause > most - spread));
        }
    }

    #[test]
    fn while_it_is_closed_nobody_draws_and_afterwards_two_percent() {
        let breaker = closed(NOW_MS, 1);
        assert_eq!(drawing(&breaker, NOW_MS - 1), 0);
        let trying = drawing(&breaker, NOW_MS);
        assert!((150..250).contains(&trying), "{trying} of 10 000");
    }

    #[test]
    fn every_success_lets_a_fifth_more_draw_until_all_do() {
        let mut breaker = closed(NOW_MS, 1);
        let mut shares = vec![breaker.share(NOW_MS)];
        while let Some(reopening) = breaker.succeeded(NOW_MS) {
            breaker.reopening = Some(reopening);
            shares.push(breaker.share(NOW_MS));
        }
        assert_eq!(shares.get(..3), Some(&[20_000, 24_000, 28_800][..]));
        assert_eq!((shares.len(), shares.last()), (23, Some(&ALL)));
    }

    #[test]
    fn where_few_arrive_all_may_draw_again_after_three_seconds() {
        let breaker = closed(NOW_MS, 1);
        let shares = [0, 499, 500, 2_500, 3_000].map(|ms| breaker.share(NOW_MS + ms));
        assert_eq!(shares, [20_000, 20_000, 40_000, 640_000, ALL]);
        assert_eq!(breaker.share(u64::MAX), ALL, "no overflow");
    }

    #[test]
    fn what_began_before_the_closure_ended_changes_nothing() {
        let breaker = closed(NOW_MS, 1);
        assert_eq!(breaker.failed(NOW_MS - 1, Chance::new(1)), None);
        assert_eq!(breaker.succeeded(NOW_MS - 1), None);
    }

    #[test]
    fn a_success_of_before_does_not_open_a_newer_closure() {
        let mut breaker = closed(NOW_MS, 1);
        breaker.reopening = breaker.succeeded(NOW_MS);
        breaker.closure = breaker.failed(NOW_MS + 1, Chance::new(1));
        let until_ms = breaker.closure.map_or(0, |closure| closure.until_ms);
        assert!(until_ms > NOW_MS + 1);
        assert_eq!(breaker.share(until_ms - 1), 0);
        assert_eq!(breaker.share(until_ms), TRIAL);
    }

    #[test]
    fn a_recovery_ends_the_doubling_and_time_alone_does_not() {
        let repeats = |breaker: &Breaker, began_ms| {
            let closure = breaker.failed(began_ms, Chance::new(1));
            closure.map(|closure| closure.repeats)
        };
        let mut breaker = closed(NOW_MS, 3);
        assert_eq!(repeats(&breaker, NOW_MS + 20_000), Some(4));
        breaker.reopening = breaker.succeeded(NOW_MS);
        assert_eq!(repeats(&breaker, NOW_MS + 1), Some(4), "two percent drew");
        assert_eq!(repeats(&breaker, NOW_MS + 20_000), Some(0));
    }
}
