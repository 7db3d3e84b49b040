//! How many waiting visitors are released, and which limit bound that number. There is one line, first in, first out: each
//! limit only says how many go in, never who.
//!
//! Invariant: `n` is at most the number of waiting visitors. `store/lua/release.lua` and `pace.lua` have the same rule, since
//! only the store can do it atomically.

use super::{ByLane, FrontShare, Mode, Pace};
use serde::Serialize;

/// While visitors wait, periods that no verb saw are opened later: at most this many seconds' worth.
const LONGEST_CATCH_UP: u64 = 30;

/// What is to be released, and in which state of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// How many visitors wait.
    pub waiting: ByLane,
    /// Who goes in.
    pub mode: Mode,
    /// Until then, in milliseconds, an older line may still come back after a loss of data.
    pub settling_until_ms: u64,
}

/// What each limit leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Admissions that operators or the origin granted ahead.
    pub credit: u64,
    /// The remainder of the budget of the current period, with those of the missed ones.
    pub budget: u64,
    /// The most that one period can have.
    pub period: u64,
    /// Free slots; nothing without a cap.
    pub slots: Option<u64>,
    /// The share of the front lane.
    pub front: FrontShare,
}

/// How many go in, and why no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// How many visitors.
    pub n: u64,
    /// From which lane.
    pub of: ByLane,
    /// By how much the front lane is ahead of its share then.
    pub front_over: u64,
    /// How many of them used credit.
    pub by_credit: u64,
    /// How many of them used the budget.
    pub by_pace: u64,
    /// What is left of the budget. Missed periods are for visitors who waited through them: at most one period's is kept.
    pub budget: u64,
    /// Why no more.
    pub bound_by: Bound,
}

/// Why no more visitors were released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// No visitor waits any more.
    Waiting,
    /// The mode admits no visitor.
    Mode,
    /// An older line may still come back.
    Settling,
    /// Credit and budget are used up.
    Pace,
    /// No slot is free.
    Slots,
    /// It is not known who is inside, since the store lost its data.
    Recount,
    /// The origin is sick.
    Origin,
    /// The event is not open.
    Event,
}

impl Bound {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Waiting,
        Self::Mode,
        Self::Settling,
        Self::Pace,
        Self::Slots,
        Self::Recount,
        Self::Origin,
        Self::Event,
    ];

    /// As the store, programs and the log write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Mode => "mode",
            Self::Settling => "settling",
            Self::Pace => "pace",
            Self::Slots => "slots",
            Self::Recount => "recount",
            Self::Origin => "origin",
            Self::Event => "event",
        }
    }

    /// The one of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|bound| bound.name() == name)
    }
}

/// How many visitors go in now. Credit goes first: it was granted by name, and the budget is only the pace. An open room
/// admits every visitor and uses neither.
#[must_use]
pub fn release(line: Line, limits: Limits, now_ms: u64) -> Release {
    let none = |bound_by| Release {
        n: 0,
        of: ByLane::default(),
        front_over: limits.front.over,
        by_credit: 0,
        by_pace: 0,
        budget: limits.budget,
        bound_by,
    };
    match line.mode {
        Mode::Hold | Mode::Closed => none(Bound::Mode),
        Mode::Open => Release {
            n: line.waiting.sum(),
            of: line.waiting,
            ..none(Bound::Waiting)
        },
        Mode::Automatic if now_ms < line.settling_until_ms => none(Bound::Settling),
        Mode::Automatic => by_limits(line, limits),
    }
}

fn by_limits(line: Line, limits: Limits) -> Release {
    let waiting = line.waiting.sum();
    let most = limits.slots.map_or(waiting, |slots| slots.min(waiting));
    let by_credit = limits.credit.min(most);
    let by_pace = limits.budget.min(most - by_credit);
    let n = by_credit + by_pace;
    // A permit is for the main line; the front lane has a share of the pace.
    let permitted = line.waiting.main_first(by_credit);
    let waiting = line.waiting.without(permitted);
    let (paced, front_over) = limits.front.split(by_pace, waiting);
    let bound_by = match limits.slots {
        _ if n == line.waiting.sum() => Bound::Waiting,
        Some(slots) if n == slots => Bound::Slots,
        Some(_) | None => Bound::Pace,
    };
    Release {
        n,
        of: permitted.and(paced),
        front_over,
        by_credit,
        by_pace,
        budget: (limits.budget - by_pace).min(limits.period),
        bound_by,
    }
}

/// A period that has just been opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opened {
    /// The second at which it began.
    pub start: u64,
    /// Its budget, with those of the periods before it that no verb saw.
    pub budget: u64,
}

/// The period that a verb opens at this time, if it is the first to see it. Periods are opened forward only, so a clock that
/// lags opens none. `last` is the latest period opened; `missed_since_ms` is given while visitors wait: since when periods
/// that no verb saw are opened too.
#[must_use]
pub fn period(
    pace: Pace,
    last: Option<u64>,
    missed_since_ms: Option<u64>,
    now_ms: u64,
) -> Option<Opened> {
    let start = pace.period_start(now_ms).unwrap_or(0);
    if last.is_some_and(|last| start <= last) {
        return None;
    }
    let missed = missed_since_ms.map(|since_ms| {
        let anchor = pace.period_start(since_ms).unwrap_or(0);
        let seen = last.unwrap_or(0).max(anchor);
        start
            .saturating_sub(seen)
            .checked_div(pace.automatic)
            .unwrap_or(0)
    });
    let most = LONGEST_CATCH_UP.checked_div(pace.automatic).unwrap_or(0);
    let many = missed.unwrap_or(1).min(most).max(1);
    Some(Opened {
        start,
        budget: many * pace.budget(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_800_000_000_000;

    fn line(waiting: u64, mode: Mode) -> Line {
        Line {
            waiting: ByLane {
                main: waiting,
                front: 0,
            },
            mode,
            settling_until_ms: 0,
        }
    }

    fn limits(credit: u64, budget: u64) -> Limits {
        Limits {
            credit,
            budget,
            period: 5,
            slots: None,
            front: FrontShare::default(),
        }
    }

    fn told(waiting: u64, credit: u64, budget: u64) -> (u64, u64, u64, Bound) {
        let limits = limits(credit, budget);
        let release = release(line(waiting, Mode::Automatic), limits, NOW);
        (
            release.n,
            release.by_credit,
            release.by_pace,
            release.bound_by,
        )
    }

    #[test]
    fn credit_goes_first_and_the_budget_after_it() {
        assert_eq!(told(10, 3, 5), (8, 3, 5, Bound::Pace));
        assert_eq!(told(10, 12, 5), (10, 10, 0, Bound::Waiting));
        assert_eq!(told(4, 3, 5), (4, 3, 1, Bound::Waiting));
        assert_eq!(told(10, 0, 0), (0, 0, 0, Bound::Pace));
        assert_eq!(told(0, 3, 5), (0, 0, 0, Bound::Waiting));
        assert_eq!(told(u64::MAX, u64::MAX, u64::MAX).0, u64::MAX);
    }

    #[test]
    fn what_is_left_of_missed_periods_is_at_most_one_period() {
        let left = |waiting, budget| {
            release(line(waiting, Mode::Automatic), limits(0, budget), NOW).budget
        };
        assert_eq!(left(2, 15), 5);
        assert_eq!(left(12, 15), 3);
        assert_eq!(left(20, 15), 0);
    }

    #[test]
    fn an_open_room_uses_neither_and_hold_and_closed_release_no_visitor() {
        let limits = limits(3, 5);
        let by_mode = |mode| release(line(10, mode), limits, NOW);
        let open = by_mode(Mode::Open);
        assert_eq!((open.n, open.by_credit, open.by_pace), (10, 0, 0));
        for mode in [Mode::Hold, Mode::Closed] {
            assert_eq!((by_mode(mode).n, by_mode(mode).bound_by), (0, Bound::Mode));
        }
    }

    #[test]
    fn while_an_older_line_may_come_back_only_an_open_room_releases() {
        let settling = |mode| {
            let line = Line {
                settling_until_ms: NOW + 1,
                ..line(10, mode)
            };
            release(line, limits(3, 5), NOW)
        };
        let automatic = settling(Mode::Automatic);
        assert_eq!((automatic.n, automatic.bound_by), (0, Bound::Settling));
        assert_eq!(settling(Mode::Open).n, 10);
        let settled = Line {
            settling_until_ms: NOW,
            ..line(10, Mode::Automatic)
        };
        assert_eq!(release(settled, limits(3, 5), NOW).n, 8);
    }

    #[test]
    fn what_is_released_is_the_least_of_budget_and_free_slots() {
        let told = |budget, slots| {
            let limits = Limits {
                period: budget,
                slots: Some(slots),
                ..limits(0, budget)
            };
            let release = release(line(112, Mode::Automatic), limits, NOW);
            (release.n, release.bound_by)
        };
        assert_eq!(told(200, 0), (0, Bound::Slots));
        assert_eq!(told(200, 52), (52, Bound::Slots));
        assert_eq!(told(20, 12), (12, Bound::Slots));
        assert_eq!(told(20, 52), (20, Bound::Pace));
        assert_eq!(told(200, 200), (112, Bound::Waiting));
    }

    #[test]
    fn credit_needs_slots_too_and_what_found_none_is_kept() {
        let limits = Limits {
            slots: Some(4),
            ..limits(3, 5)
        };
        let released = release(line(10, Mode::Automatic), limits, NOW);
        assert_eq!((released.by_credit, released.by_pace), (3, 1));
        assert_eq!(released.budget, 4);
        assert_eq!(
            release(line(10, Mode::Open), limits, NOW).n,
            10,
            "an open room has no cap"
        );
    }

    #[test]
    fn scarce_slots_are_shared_too_and_credit_is_for_the_main_line_first() {
        let told = |(main, front), credit, slots| {
            let line = Line {
                waiting: ByLane { main, front },
                ..line(0, Mode::Automatic)
            };
            let front = FrontShare {
                percent: 10,
                over: 0,
            };
            let limits = Limits {
                slots,
                front,
                ..limits(credit, 30)
            };
            let release = release(line, limits, NOW);
            (release.of.main, release.of.front, release.front_over)
        };
        assert_eq!(told((50, 50), 0, None), (27, 3, 0));
        assert_eq!(told((50, 50), 0, Some(4)), (3, 1, 60));
        assert_eq!(told((50, 50), 10, None), (37, 3, 0));
        assert_eq!(told((50, 50), 10, Some(4)), (4, 0, 0));
        assert_eq!(told((5, 50), 10, Some(40)), (5, 35, 0));
        let open = Line {
            waiting: ByLane { main: 2, front: 3 },
            ..line(0, Mode::Open)
        };
        let released = release(open, limits(0, 0), NOW);
        assert_eq!((released.n, released.of), (5, open.waiting));
    }

    const FIVE_IN_FIFTEEN: Pace = Pace {
        automatic: 15,
        quantity: 5,
    };

    #[test]
    fn the_first_verb_of_a_period_opens_it_once() {
        let opened = |last, now_ms| period(FIVE_IN_FIFTEEN, last, None, now_ms);
        let first = Opened {
            start: 0,
            budget: 5,
        };
        assert_eq!(opened(None, 15_000), Some(first));
        assert_eq!(opened(Some(0), 15_000), None);
        assert_eq!(
            opened(Some(0), 15_001),
            Some(Opened {
                start: 15,
                budget: 5
            })
        );
        assert_eq!(
            opened(Some(30), 15_001),
            None,
            "a clock that lags opens none"
        );
        assert_eq!(
            opened(Some(0), 900_001),
            Some(Opened {
                start: 900,
                budget: 5
            }),
            "idle periods bank nothing"
        );
    }

    #[test]
    fn while_visitors_wait_missed_periods_are_opened_up_to_thirty_seconds_worth() {
        let opened = |last, since_ms, now_ms| period(FIVE_IN_FIFTEEN, last, Some(since_ms), now_ms);
        let budget = |many: u64| Some(many * 5);
        let told = |opened: Option<Opened>| opened.map(|opened| opened.budget);
        assert_eq!(told(opened(Some(0), 0, 15_001)), budget(1));
        assert_eq!(told(opened(Some(0), 0, 30_001)), budget(2));
        assert_eq!(
            told(opened(Some(0), 0, 300_001)),
            budget(2),
            "30 seconds' worth"
        );
        assert_eq!(
            told(opened(Some(0), 300_001, 315_001)),
            budget(1),
            "only since visitors wait"
        );
        let hourly = Pace {
            automatic: 3600,
            quantity: 7,
        };
        assert_eq!(
            told(period(hourly, Some(0), Some(0), 36_000_001)),
            Some(7),
            "a period longer than that is opened once"
        );
    }

    #[test]
    fn without_a_pace_a_period_has_no_budget() {
        let off = Pace {
            automatic: 0,
            quantity: 5,
        };
        assert_eq!(
            period(off, None, Some(0), NOW),
            Some(Opened {
                start: 0,
                budget: 0
            })
        );
        assert_eq!(period(off, Some(0), Some(0), NOW), None);
    }
}
