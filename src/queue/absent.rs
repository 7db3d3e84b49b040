//! Called visitors who do not come: which share of them that is, and how many more are called for it.
//!
//! Invariant: without a measurement the budget is the configured one, and at most half as much is ever added to it.
//! `store/lua/absent.lua` has the same rule, since only the store can do it atomically.

use super::Pace;

/// A share measured from fewer called visitors is chance.
const LEAST_CALLED: u64 = 50;

/// The longest period with which more visitors are called, in seconds.
const LONGEST_PERIOD: u64 = 60;

/// All of them, in per mille.
const WHOLE: u64 = 1000;

/// The most that a budget becomes for absent visitors, in per mille of itself.
const MOST: u64 = 1500;

/// What is done about called visitors who do not come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AbsentVisitors {
    /// Their share is not measured.
    Off,
    /// It is measured and shown.
    #[default]
    Observe,
    /// It is measured and shown, and the pace calls more visitors for it.
    On,
}

impl AbsentVisitors {
    /// Every choice, by its name among the settings.
    pub const ALL: [(&'static str, Self); 3] = [
        ("off", Self::Off),
        ("observe", Self::Observe),
        ("on", Self::On),
    ];

    /// Its name among the settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Observe => "observe",
            Self::On => "on",
        }
    }

    /// The share for which a pace calls more visitors: none unless the setting says so and a share is known, nor with periods
    /// longer than a minute, which are one lump each.
    #[must_use]
    pub fn compensated(self, pace: Pace, share: Option<u64>) -> u64 {
        match self {
            Self::On if pace.automatic <= LONGEST_PERIOD => share.unwrap_or(0),
            Self::Off | Self::Observe | Self::On => 0,
        }
    }
}

/// What is known of called visitors who do not come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Absent {
    /// Their share of the called visitors, in per mille; `None` while it is not known.
    pub share: Option<u64>,
    /// How many were called within the last minute and have not come yet.
    pub may_come: u64,
}

/// How a minute ended: what had been called and had come in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turnout {
    /// Admissions.
    pub called: u64,
    /// First admissions that visitors made.
    pub came: u64,
}

impl Turnout {
    /// The share of the visitors called since an earlier time who have not come, in per mille; `None` from too few.
    #[must_use]
    pub fn absent_since(self, earlier: Self) -> Option<u64> {
        let called = self.called.checked_sub(earlier.called)?;
        let came = self.came.checked_sub(earlier.came)?;
        let missing = called.saturating_sub(came).saturating_mul(WHOLE);
        (called >= LEAST_CALLED)
            .then(|| missing.checked_div(called))
            .flatten()
    }

    /// How many of all called visitors have not come. Below zero where data were lost after which visitors came.
    #[must_use]
    pub fn missing(self) -> i64 {
        self.called
            .cast_signed()
            .saturating_sub(self.came.cast_signed())
    }
}

/// How many were called within the last minute and have not come, where this many are missing in all now. It is `ms` since the
/// last minute ended; `ends` are those missing at its beginning and at its end. Within it visitors are taken to have come
/// evenly, since only the ends of minutes are known.
#[must_use]
pub fn may_come(missing: i64, ends: (i64, i64), ms: u64) -> u64 {
    let (from, to) = ends;
    let gone = to.saturating_sub(from).saturating_mul(ms.cast_signed());
    let a_minute_ago = from.saturating_add(gone.div_euclid(60_000));
    let since = missing.saturating_sub(a_minute_ago);
    u64::try_from(since).unwrap_or(0)
}

/// A budget in per mille, so that with this share of absent visitors as many come as the budget has.
fn raised(budget: u64, share: u64) -> u64 {
    let most = budget.saturating_mul(MOST);
    let present = WHOLE.saturating_sub(share);
    let all = budget.saturating_mul(WHOLE * WHOLE);
    all.checked_div(present).unwrap_or(most).min(most)
}

/// The budget with which a period is opened, and the remainder in per mille of a visitor that the next one gets.
#[must_use]
pub fn opened(budget: u64, share: u64, remainder: u64) -> (u64, u64) {
    let all = raised(budget, share).saturating_add(remainder);
    (all / WHOLE, all % WHOLE)
}

/// What is kept at most of the budget of a period: as much as one period can have.
#[must_use]
pub fn kept(budget: u64, share: u64) -> u64 {
    raised(budget, share).div_ceil(WHOLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turnout(called: u64, came: u64) -> Turnout {
        Turnout { called, came }
    }

    #[test]
    fn the_share_is_what_is_missing_of_at_least_fifty_called_visitors() {
        let share = |called: u64, came: u64| {
            turnout(1_000 + called, 500 + came).absent_since(turnout(1_000, 500))
        };
        assert_eq!(share(2_500, 1_750), Some(300));
        assert_eq!(share(50, 50), Some(0));
        assert_eq!(share(50, 0), Some(1_000));
        assert_eq!(share(49, 0), None, "too few");
        assert_eq!(share(60, 90), Some(0), "visitors called before came late");
        assert_eq!(share(300, 200), Some(333), "rounded down");
    }

    #[test]
    fn sums_that_fell_say_nothing() {
        assert_eq!(turnout(900, 500).absent_since(turnout(1_000, 0)), None);
        assert_eq!(turnout(1_100, 10).absent_since(turnout(1_000, 20)), None);
    }

    #[test]
    fn what_may_come_was_called_within_the_last_minute_and_is_never_below_zero() {
        assert_eq!(may_come(160, (100, 160), 0), 60);
        assert_eq!(may_come(160, (100, 160), 20_000), 40);
        assert_eq!(may_come(160, (100, 160), 59_999), 1);
        assert_eq!(may_come(163, (160, 160), 30_000), 3);
        assert_eq!(may_come(90, (100, 160), 0), 0, "others came");
        assert_eq!(may_come(-3, (-10, -5), 30_000), 5, "rounded down: -8");
        assert_eq!(turnout(110, 57).missing(), 53);
        assert_eq!(turnout(10, 12).missing(), -2);
    }

    /// The budgets of this many periods.
    fn budgets(budget: u64, share: u64, periods: usize) -> Vec<u64> {
        let mut remainder = 0;
        let mut next = || {
            let (budget, left) = opened(budget, share, remainder);
            remainder = left;
            budget
        };
        std::iter::repeat_with(&mut next).take(periods).collect()
    }

    #[test]
    fn as_many_come_as_the_budget_has() {
        assert_eq!(budgets(500, 300, 4), [714, 714, 714, 715]);
        assert_eq!(budgets(5, 0, 2), [5, 5]);
        assert_eq!(budgets(0, 300, 2), [0, 0]);
    }

    #[test]
    fn at_most_half_as_much_is_added() {
        assert_eq!(budgets(10, 333, 1), [14]);
        assert_eq!(budgets(10, 334, 1), [15]);
        assert_eq!(budgets(10, 900, 1), [15]);
        assert_eq!(budgets(10, 1_000, 1), [15]);
        assert_eq!(budgets(u64::MAX, 1_000, 1).len(), 1);
    }

    #[test]
    fn a_pace_of_one_a_period_is_right_on_average() {
        assert_eq!(budgets(1, 300, 8), [1, 1, 2, 1, 2, 1, 1, 2]);
        assert_eq!(budgets(1, 300, 1_000).iter().sum::<u64>(), 1_428);
    }

    #[test]
    fn what_is_kept_is_what_one_period_can_have() {
        assert_eq!(kept(5, 0), 5);
        assert_eq!(kept(500, 300), 715);
        assert_eq!(kept(1, 300), 2);
        assert_eq!(kept(0, 300), 0);
    }

    #[test]
    fn more_are_called_only_where_the_setting_says_so_and_the_share_is_known() {
        let pace = |automatic| Pace {
            automatic,
            quantity: 5,
        };
        let minute = pace(60);
        assert_eq!(AbsentVisitors::On.compensated(minute, Some(300)), 300);
        assert_eq!(AbsentVisitors::On.compensated(pace(61), Some(300)), 0);
        assert_eq!(AbsentVisitors::On.compensated(minute, None), 0);
        assert_eq!(AbsentVisitors::Observe.compensated(minute, Some(300)), 0);
        assert_eq!(AbsentVisitors::Off.compensated(minute, Some(300)), 0);
    }

    #[test]
    fn every_choice_has_its_own_name() {
        for (name, choice) in AbsentVisitors::ALL {
            assert_eq!(choice.name(), name);
        }
    }
}
