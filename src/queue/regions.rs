//! How one release is split among the lines of a room's regions: by fixed shares, and of what is left by what came to each in a past,
//! complete minute.
//!
//! Invariant: the parts are together what is released, and none is more than wait in its line. What a region does not use is
//! for the others at once.

const MINUTE_MS: u64 = 60_000;
/// A remainder is counted in millionths of a visitor.
const WHOLE: i128 = 1_000_000;

/// Which minute says how much came to each region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lag {
    /// The minute before this one, the latest that is complete.
    #[default]
    One,
    /// The one before that.
    Two,
}

impl Lag {
    /// How many minutes it lies back.
    #[must_use]
    pub fn minutes(self) -> u64 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }

    /// The minute that counts at this time, since 1970. It is complete, so it does not change any more.
    #[must_use]
    pub fn minute_at(self, now_ms: u64) -> u64 {
        (now_ms / MINUTE_MS).saturating_sub(self.minutes())
    }
}

/// What is known of a region before a split.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Its fixed share, in percent of each release, where the settings give it one.
    pub fixed: Option<u64>,
    /// How many visitors drew a number there in the minute that counts.
    pub arrivals: u64,
    /// How many wait there now.
    pub waiting: u64,
}

/// The share of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// That many percent of each release.
    Fixed(u64),
    /// In proportion to the others of this kind: what the fixed shares leave is for them together.
    Free(u64),
}

impl Default for Share {
    fn default() -> Self {
        Self::Free(0)
    }
}

/// How many percent of each release are left for regions without a fixed share.
fn unfixed(fixed: impl Iterator<Item = u64>) -> u64 {
    100_u64.saturating_sub(fixed.fold(0, u64::saturating_add))
}

/// What of a limit no arrivals of the past minute account for: it is kept for places without a history.
#[must_use]
pub fn reserve(limit: u64, arrivals: &[u64]) -> u64 {
    let known = arrivals
        .iter()
        .fold(0, |sum: u64, one| sum.saturating_add(*one));
    limit.saturating_sub(known)
}

/// The share of each region. One with a fixed share has that. Of the others, it is as many as came to it in the minute that counts.
/// Regions where none came have the reserve together, divided by who waits, and where visitors wait a region counts as one
/// arrival at least. If none came to any of them, their shares are by who waits. `limit` is what the pace lets in in a minute.
#[must_use]
pub fn shares(limit: u64, regions: &[Traffic]) -> Vec<Share> {
    let free = || regions.iter().filter(|region| region.fixed.is_none());
    let arrivals: Vec<u64> = free().map(|region| region.arrivals).collect();
    let has_history = arrivals.iter().any(|many| *many > 0);
    let of_limit = u128::from(limit)
        * u128::from(unfixed(regions.iter().filter_map(|region| region.fixed)))
        / 100;
    let reserve = reserve(u64::try_from(of_limit).unwrap_or(limit), &arrivals);
    let new = free().filter(|region| region.arrivals == 0);
    let new: u128 = new.map(|region| u128::from(region.waiting)).sum();
    let by_arrivals = |region: &Traffic| match (region.arrivals, region.waiting) {
        (_, waiting) if !has_history => waiting,
        (0, 0) => 0,
        (0, waiting) => {
            let part = u128::from(reserve) * u128::from(waiting) / new.max(1);
            u64::try_from(part).unwrap_or(u64::MAX).max(1)
        }
        (arrivals, _) => arrivals,
    };
    let of = |region: &Traffic| {
        let fixed = region.fixed.map(Share::Fixed);
        fixed.unwrap_or_else(|| Share::Free(by_arrivals(region)))
    };
    regions.iter().map(of).collect()
}

/// A region in a split.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Claimant {
    /// Its share.
    pub share: Share,
    /// How many wait there.
    pub waiting: u64,
    /// What it was owed after the last split, in millionths of a visitor; below 0 where it was ahead.
    pub remainder: i64,
}

/// What a region gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// How many of its visitors go in.
    pub released: u64,
    /// What it is owed then. A region where none is left waiting is owed nothing.
    pub remainder: i64,
}

/// Splits a release of at most this many visitors. To its share each region adds what it was owed; the places that rounding down
/// leaves go to the largest remainders, of equal ones to the larger share. What is more than wait in a region is split among the
/// others in the same way.
///
/// Regions without a fixed share are one line at first, so what one of them leaves is for others of them, and a fixed share depends on
/// none of theirs.
#[must_use]
pub fn split(most: u64, regions: &[Claimant]) -> Vec<Part> {
    let (mut fixed, mut free) = (Vec::new(), Vec::new());
    for region in regions {
        let line = |share| Line {
            share,
            waiting: region.waiting,
            remainder: region.remainder,
        };
        match region.share {
            Share::Fixed(percent) => fixed.push(line(percent)),
            Share::Free(share) => free.push(line(share)),
        }
    }
    let waiting: Vec<&Line> = free.iter().filter(|line| line.waiting > 0).collect();
    let together = Line {
        share: unfixed(fixed.iter().map(|line| line.share)),
        waiting: (waiting.iter()).fold(0, |sum, line| sum.saturating_add(line.waiting)),
        remainder: waiting.iter().map(|line| line.remainder).sum(),
    };
    fixed.push(together);
    let mut of_fixed = divide(most, 0, &fixed);
    let part = of_fixed.pop().unwrap_or_default();
    let of_free = divide(part.released, part.remainder - together.remainder, &free);
    let (mut of_fixed, mut of_free) = (of_fixed.into_iter(), of_free.into_iter());
    let part = |region: &Claimant| match region.share {
        Share::Fixed(_) => of_fixed.next(),
        Share::Free(_) => of_free.next(),
    };
    let parts = regions.iter().map(part);
    parts.map(Option::unwrap_or_default).collect()
}

/// A line whose share is in proportion to those of the others.
#[derive(Clone, Copy)]
struct Line {
    share: u64,
    waiting: u64,
    remainder: i64,
}

/// What falls to each of these lines of at most this many places, and of that many millionths of one which the lines are owed together.
fn divide(most: u64, owed: i64, lines: &[Line]) -> Vec<Part> {
    let all = lines.iter().map(|line| line.waiting);
    let mut left = most.min(all.fold(0, u64::saturating_add));
    let mut parts = vec![Part::default(); lines.len()];
    let mut open: Vec<(&Line, &mut Part)> = lines.iter().zip(&mut parts).collect();
    open.retain(|(line, _)| line.waiting > 0);
    loop {
        let lines: Vec<Line> = open.iter().map(|(line, _)| **line).collect();
        let dues = apportioned(left, owed, &lines);
        let is_more = |(due, line): (&Due, &Line)| due.places > i128::from(line.waiting);
        let is_full: Vec<bool> = dues.iter().zip(&lines).map(is_more).collect();
        if !is_full.contains(&true) {
            for ((line, part), due) in open.into_iter().zip(dues) {
                *part = due.part_of(line);
            }
            return parts;
        }
        let mut is_full = is_full.into_iter();
        open.retain_mut(|(line, part)| {
            let is_full = is_full.next() == Some(true);
            if is_full {
                part.released = line.waiting;
                left -= line.waiting;
            }
            !is_full
        });
    }
}

/// What falls to a line, as if any number waited there.
#[derive(Clone, Copy)]
struct Due {
    share: u64,
    /// Whole places.
    places: i128,
    /// What remains of its share, in millionths.
    rest: i128,
}

impl Due {
    fn take(&mut self, places: i128) {
        self.places += places;
        self.rest -= places * WHOLE;
    }

    fn part_of(self, line: &Line) -> Part {
        let released = u64::try_from(self.places).unwrap_or(0);
        let waits = released < line.waiting;
        Part {
            released,
            remainder: if waits {
                i64::try_from(self.rest).unwrap_or(0)
            } else {
                0
            },
        }
    }
}

fn apportioned(most: u64, owed: i64, lines: &[Line]) -> Vec<Due> {
    let has_share = lines.iter().any(|line| line.share > 0);
    let share = |line: &Line| if has_share { line.share } else { line.waiting };
    let all: u128 = lines.iter().map(|line| u128::from(share(line))).sum();
    let all = all.max(1);
    let due = |line: &Line| {
        let product = u128::from(most) * u128::from(share(line));
        let (whole, rest) = (product / all, product % all * WHOLE.unsigned_abs() / all);
        let of_owed = i128::from(owed) * i128::from(share(line));
        let of_owed = of_owed.div_euclid(signed(all));
        let mut due = Due {
            share: share(line),
            places: 0,
            rest: signed(whole) * WHOLE + signed(rest) + of_owed + i128::from(line.remainder),
        };
        due.take(due.rest.div_euclid(WHOLE).max(0));
        due
    };
    let mut dues: Vec<Due> = lines.iter().map(due).collect();
    let mut left = i128::from(most) - dues.iter().map(|due| due.places).sum::<i128>();
    while left > 0
        && let Some(next) = first_by(&mut dues, |due| Some((due.rest, due.share)))
    {
        next.take(1);
        left -= 1;
    }
    while left < 0
        && let Some(next) = first_by(&mut dues, |due| (due.places > 0).then_some(-due.rest))
    {
        next.take(-1);
        left += 1;
    }
    dues
}

/// A number of visitors, or of millionths below one.
fn signed(number: u128) -> i128 {
    i128::try_from(number).unwrap_or(i128::MAX)
}

/// The first of those with the greatest key; those without one do not count.
fn first_by<K: Ord>(dues: &mut [Due], key: impl Fn(&Due) -> Option<K>) -> Option<&mut Due> {
    let keyed = dues.iter_mut().filter_map(|due| Some((key(due)?, due)));
    let greatest = keyed.reduce(|first, next| if next.0 > first.0 { next } else { first });
    greatest.map(|(_, due)| due)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::option;
    use proptest::prelude::{ProptestConfig, Strategy};
    use proptest::test_runner::RngSeed;

    /// More than any release.
    const CROWD: u64 = 1_000_000;

    /// Midnight before 16:31 of the sources, 27 May 2021.
    const DAY_MS: u64 = 1_622_073_600_000;

    fn at(hour: u64, minute: u64, second: u64) -> u64 {
        DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000
    }

    fn claimant(share: u64, waiting: u64) -> Claimant {
        Claimant {
            share: Share::Free(share),
            waiting,
            remainder: 0,
        }
    }

    fn fixed(percent: u64, waiting: u64) -> Claimant {
        Claimant {
            share: Share::Fixed(percent),
            waiting,
            remainder: 0,
        }
    }

    fn came(arrivals: u64, waiting: u64) -> Traffic {
        Traffic {
            fixed: None,
            arrivals,
            waiting,
        }
    }

    /// The shares of regions that have no fixed ones.
    fn free(limit: u64, regions: &[Traffic]) -> Vec<u64> {
        let shares = shares(limit, regions).into_iter();
        let share = |share| match share {
            Share::Free(share) => Some(share),
            Share::Fixed(_) => None,
        };
        shares.filter_map(share).collect()
    }

    /// Who goes in, where the shares are by this traffic and nothing is owed.
    fn split_of(limit: u64, most: u64, traffic: &[Traffic]) -> Vec<u64> {
        let shares = shares(limit, traffic).into_iter().zip(traffic);
        let claimant = |(share, traffic): (Share, &Traffic)| Claimant {
            share,
            waiting: traffic.waiting,
            remainder: 0,
        };
        let claimants: Vec<Claimant> = shares.map(claimant).collect();
        let parts = split(most, &claimants);
        parts.iter().map(|part| part.released).collect()
    }

    /// Who goes in, where these wait with these shares and nothing is owed.
    fn released(most: u64, regions: &[(u64, u64)]) -> Vec<u64> {
        let regions: Vec<Claimant> = regions
            .iter()
            .map(|(share, waiting)| claimant(*share, *waiting))
            .collect();
        let parts = split(most, &regions);
        parts.iter().map(|part| part.released).collect()
    }

    #[test]
    fn a_partly_served_group_is_split_by_the_share_of_traffic() {
        assert_eq!(released(20, &[(25, 60), (75, 60)]), [5, 15]);
        assert_eq!(released(20, &[(1, 15), (3, 45)]), [5, 15]);
    }

    #[test]
    fn the_minute_that_counts_is_complete() {
        let minute = |hour, minute| at(hour, minute, 0) / MINUTE_MS;
        assert_eq!(Lag::Two.minute_at(at(16, 33, 20)), minute(16, 31));
        assert_eq!(Lag::Two.minute_at(at(16, 34, 0)), minute(16, 32));
        assert_eq!(Lag::Two.minute_at(at(16, 34, 59)), minute(16, 32));
        assert_eq!(Lag::One.minute_at(at(11, 45, 54)), minute(11, 44));
        assert_eq!(Lag::One.minute_at(0), 0);
    }

    #[test]
    fn two_places_have_what_came_to_them_in_the_minute_that_counts() {
        let share = |arrivals: [u64; 2]| {
            let traffic = arrivals.map(|arrivals| came(arrivals, CROWD));
            split_of(1000, 1000, &traffic)
        };
        assert_eq!(share([50, 50]), [500, 500]);
        assert_eq!(share([45, 55]), [450, 550]);
    }

    /// San Jose 20 and London 30 of 200; the rest is for anywhere else.
    #[test]
    fn what_the_past_does_not_account_for_is_kept_for_anywhere() {
        assert_eq!(reserve(200, &[20, 30]), 150);
        assert_eq!(reserve(200, &[120, 130]), 0);
        let traffic = [20, 30, 0].map(|arrivals| came(arrivals, CROWD));
        assert_eq!(free(200, &traffic), [20, 30, 150]);
        assert_eq!(split_of(200, 150, &traffic), [15, 22, 113]);
    }

    #[test]
    fn of_equal_remainders_the_larger_share_has_the_place_and_then_the_first() {
        assert_eq!(
            released(150, &[(150, CROWD), (30, CROWD), (20, CROWD)]),
            [113, 22, 15]
        );
        assert_eq!(released(1, &[(1, 9), (1, 9)]), [1, 0]);
        assert_eq!(released(3, &[(10, 9), (10, 9), (10, 9)]), [1, 1, 1]);
        assert_eq!(
            released(10, &[(33, CROWD), (33, CROWD), (34, CROWD)]),
            [3, 3, 4]
        );
    }

    #[test]
    fn places_without_a_history_have_the_reserve_by_who_waits() {
        let new = [came(60, 10), came(0, 30), came(0, 10), came(0, 0)];
        assert_eq!(free(100, &new), [60, 30, 10, 0]);
        assert_eq!(
            free(60, &new),
            [60, 1, 1, 0],
            "no reserve is left, but none stands still"
        );
        let none = [came(0, 30), came(0, 10), came(0, 0)];
        assert_eq!(free(100, &none), [30, 10, 0], "no region has a history");
        assert_eq!(free(0, &[]), [0; 0]);
    }

    fn with(percent: u64, traffic: Traffic) -> Traffic {
        Traffic {
            fixed: Some(percent),
            ..traffic
        }
    }

    #[test]
    fn a_fixed_share_is_the_same_whatever_came() {
        for arrivals in [[10, 1000], [1000, 10], [0, 0]] {
            let [one, two] = arrivals.map(|arrivals| came(arrivals, CROWD));
            assert_eq!(
                split_of(1000, 1000, &[with(45, one), with(55, two)]),
                [450, 550],
                "{arrivals:?}"
            );
        }
        for arrivals in [0, 7, 1_000_000] {
            let [one, two] = [arrivals, arrivals / 2].map(|arrivals| came(arrivals, CROWD));
            let released = split_of(60, 1000, &[with(30, came(0, CROWD)), one, two]);
            assert_eq!(released.first(), Some(&300), "{released:?}");
        }
    }

    #[test]
    fn regions_without_a_fixed_share_split_the_rest_by_what_came() {
        let fixed = with(20, came(0, CROWD));
        let came = |arrivals| came(arrivals, CROWD);
        assert_eq!(split_of(0, 100, &[fixed, came(1), came(3)]), [20, 20, 60]);
        // A limit of 250 leaves 200 for them, and of those a reserve of 150.
        assert_eq!(
            shares(250, &[fixed, came(20), came(30), came(0)]),
            [
                Share::Fixed(20),
                Share::Free(20),
                Share::Free(30),
                Share::Free(150)
            ]
        );
        assert_eq!(
            split_of(250, 200, &[fixed, came(20), came(30), came(0)]),
            [40, 16, 24, 120]
        );
    }

    #[test]
    fn what_a_fixed_share_does_not_use_is_for_the_others_and_the_other_way_round() {
        let split = |most, regions: &[Claimant]| -> Vec<u64> {
            let parts = split(most, regions);
            parts.iter().map(|part| part.released).collect()
        };
        let rest = claimant(1, CROWD);
        assert_eq!(split(100, &[fixed(45, 10), fixed(55, CROWD)]), [10, 90]);
        assert_eq!(split(100, &[fixed(45, 10), rest]), [10, 90]);
        assert_eq!(split(100, &[fixed(45, CROWD), claimant(1, 10)]), [90, 10]);
        assert_eq!(split(100, &[fixed(45, CROWD), claimant(1, 0)]), [100, 0]);
        // 30, 20 and 50 percent: what the first leaves is for the others as 2 and 5.
        assert_eq!(
            split(70, &[fixed(30, 0), fixed(20, CROWD), rest]),
            [0, 20, 50]
        );
        // What one without a fixed share leaves is for others of this kind first.
        assert_eq!(
            split(100, &[fixed(40, CROWD), claimant(1, 10), rest]),
            [40, 10, 50]
        );
        assert_eq!(
            split(100, &[fixed(40, CROWD), claimant(1, 10), claimant(1, 20)]),
            [70, 10, 20]
        );
        assert_eq!(
            split(100, &[fixed(40, CROWD), claimant(0, 100), claimant(0, 500)]),
            [40, 10, 50],
            "without shares by who waits"
        );
        assert_eq!(
            split(u64::MAX, &[fixed(50, u64::MAX), claimant(u64::MAX, 7)]),
            [u64::MAX - 7, 7]
        );
    }

    #[test]
    fn where_fixed_shares_are_all_of_a_release_the_others_have_what_is_given_back() {
        let released = |most, west, east, anywhere| -> Vec<u64> {
            let regions = [fixed(45, west), fixed(55, east), claimant(9, anywhere)];
            let parts = split(most, &regions);
            parts.iter().map(|part| part.released).collect()
        };
        assert_eq!(released(100, CROWD, CROWD, CROWD), [45, 55, 0]);
        assert_eq!(released(100, 0, CROWD, CROWD), [0, 100, 0]);
        assert_eq!(released(100, 10, 20, CROWD), [10, 20, 70]);
        assert_eq!(released(100, 0, 0, CROWD), [0, 0, 100]);
    }

    #[test]
    fn a_region_gives_back_what_it_does_not_use() {
        assert_eq!(released(100, &[(50, 10), (50, 500)]), [10, 90]);
        assert_eq!(released(100, &[(50, 0), (30, 500), (20, 500)]), [0, 60, 40]);
        assert_eq!(released(100, &[(90, 10), (5, 20), (5, 500)]), [10, 20, 70]);
        assert_eq!(released(100, &[(90, 10), (0, 20), (10, 20)]), [10, 20, 20]);
        assert_eq!(released(100, &[(90, 10), (0, 60), (0, 200)]), [10, 21, 69]);
        assert_eq!(released(0, &[(90, 10), (10, 20)]), [0, 0]);
        assert_eq!(
            released(u64::MAX, &[(1, u64::MAX), (u64::MAX, 7)]),
            [u64::MAX - 7, 7]
        );
    }

    #[test]
    fn without_shares_the_split_is_by_who_waits() {
        assert_eq!(released(10, &[(0, 30), (0, 70)]), [3, 7]);
    }

    #[test]
    fn a_remainder_is_kept_while_the_region_waits_and_added_first() {
        let mut regions = [claimant(1, CROWD), claimant(9, CROWD)];
        let mut told = Vec::new();
        for _ in 0..10 {
            let parts = split(1, &regions);
            told.extend(parts.first().map(|part| part.released));
            for (region, part) in regions.iter_mut().zip(&parts) {
                region.remainder = part.remainder;
            }
        }
        assert_eq!(
            told.iter().sum::<u64>(),
            1,
            "a small share gets its turn: {told:?}"
        );
        let served = split(
            5,
            &[
                Claimant {
                    remainder: 700_000,
                    ..claimant(1, 2)
                },
                claimant(1, CROWD),
            ],
        );
        let expected = [(2, 0), (3, 0)].map(|(released, remainder)| Part {
            released,
            remainder,
        });
        assert_eq!(served, expected, "nothing is owed to an empty line");
    }

    fn config() -> ProptestConfig {
        ProptestConfig {
            rng_seed: match ProptestConfig::default().rng_seed {
                RngSeed::Random => RngSeed::Fixed(1),
                given @ RngSeed::Fixed(_) => given,
            },
            ..ProptestConfig::default()
        }
    }

    /// Splits these releases one after the other; the parts have to be together what is released, and none more than waits there. `then`
    /// gets the parts of each release.
    fn play(
        mut lines: Vec<Claimant>,
        releases: &[u64],
        mut then: impl FnMut(&mut [Claimant], &[Part]),
    ) {
        for most in releases {
            let wait: u64 = lines.iter().map(|line| line.waiting).sum();
            let parts = split(*most, &lines);
            let of_all: u64 = parts.iter().map(|part| part.released).sum();
            assert_eq!(of_all, wait.min(*most), "{lines:?}");
            for (line, part) in lines.iter_mut().zip(&parts) {
                assert!(part.released <= line.waiting, "{line:?} {part:?}");
                line.waiting -= part.released;
                line.remainder = part.remainder;
            }
            then(&mut lines, &parts);
        }
    }

    /// By how many millionths the sum of what a region got was ever away from its share, which is a fraction.
    #[derive(Default)]
    struct Away {
        sums: Vec<u64>,
        most: i128,
    }

    impl Away {
        fn count(&mut self, parts: &[Part], dues: &[(u64, u64)]) {
            self.sums.resize(parts.len(), 0);
            for (sum, part) in self.sums.iter_mut().zip(parts) {
                *sum += part.released;
            }
            let all = i128::from(self.sums.iter().sum::<u64>());
            for (own, (share, of)) in self.sums.iter().zip(dues) {
                let due = all * i128::from(*share) * WHOLE / i128::from(*of);
                self.most = self.most.max((i128::from(*own) * WHOLE - due).abs());
            }
        }
    }

    fn away(shares: &[u64], releases: &[u64]) -> i128 {
        let of = shares.iter().sum();
        let dues: Vec<_> = shares.iter().map(|share| (*share, of)).collect();
        let lines = shares.iter().map(|share| claimant(*share, CROWD));
        let mut away = Away::default();
        play(lines.collect(), releases, |_, parts| {
            away.count(parts, &dues);
        });
        away.most
    }

    /// Shares of some regions, fixed ones together at most all of a release, and how many wait there.
    fn claimants() -> impl Strategy<Value = Vec<Claimant>> {
        vec((option::of(1_u64..60), 0_u64..50, 0_u64..200), 0..9).prop_map(|regions| {
            let mut unfixed = 100;
            let of = |(percent, share, waiting): (Option<u64>, u64, u64)| {
                let percent = percent.filter(|percent| *percent <= unfixed);
                unfixed -= percent.unwrap_or(0);
                percent.map_or(claimant(share, waiting), |percent| fixed(percent, waiting))
            };
            regions.into_iter().map(of).collect()
        })
    }

    /// The millionths that rounding takes.
    const ROUNDING: i128 = 1_000;

    proptest::proptest! {
        #![proptest_config(config())]

        #[test]
        fn the_parts_are_together_what_is_released_and_none_is_more_than_wait(
            regions in claimants(),
            releases in vec(0_u64..90, 1..30),
        ) {
            play(regions, &releases, |_, _| ());
        }

        #[test]
        fn a_fixed_share_is_within_one_place_and_a_half_while_all_wait_whatever_comes_elsewhere(
            percents in vec(1_u64..26, 1..4),
            came in vec(vec(0_u64..200, 3), 1..20),
            releases in vec(0_u64..9, 1..300),
        ) {
            let lines = percents.iter().map(|percent| fixed(*percent, CROWD));
            let lines: Vec<_> = lines.chain([claimant(1, CROWD); 3]).collect();
            let dues: Vec<_> = percents.iter().map(|percent| (*percent, 100)).collect();
            let (mut away, mut minutes) = (Away::default(), came.iter().cycle());
            play(lines, &releases, |lines, parts| {
                away.count(parts, &dues);
                let free = lines.iter_mut().skip(percents.len());
                for (line, came) in free.zip(minutes.next().into_iter().flatten()) {
                    line.share = Share::Free(*came);
                }
            });
            proptest::prop_assert!(away.most <= WHOLE * 3 / 2 + ROUNDING, "{}", away.most);
        }

        #[test]
        fn beside_fixed_shares_each_region_is_within_two_places(
            percents in vec(1_u64..26, 1..4),
            came in vec(1_u64..50, 1..6),
            releases in vec(0_u64..9, 1..300),
        ) {
            let all: u64 = came.iter().sum();
            let rest = 100 - percents.iter().sum::<u64>();
            let free = came.iter().map(|came| (came * rest, all * 100));
            let dues: Vec<_> = percents.iter().map(|percent| (*percent, 100)).chain(free).collect();
            let lines = percents.iter().map(|percent| fixed(*percent, CROWD));
            let lines = lines.chain(came.iter().map(|came| claimant(*came, CROWD)));
            let mut away = Away::default();
            play(lines.collect(), &releases, |_, parts| {
                away.count(parts, &dues);
            });
            proptest::prop_assert!(away.most <= WHOLE * 2 + ROUNDING, "{}", away.most);
        }

        #[test]
        fn of_up_to_three_regions_each_is_within_one_place_of_its_share_while_all_wait(
            shares in vec(1_u64..200, 1..4),
            releases in vec(0_u64..9, 1..300),
        ) {
            let away = away(&shares, &releases);
            proptest::prop_assert!(away <= WHOLE + ROUNDING, "{away}");
        }

        #[test]
        fn of_more_regions_each_is_within_one_place_and_a_half(
            shares in vec(1_u64..200, 4..10),
            releases in vec(0_u64..9, 1..300),
        ) {
            let away = away(&shares, &releases);
            proptest::prop_assert!(away <= WHOLE * 3 / 2 + ROUNDING, "{away}");
        }
    }
}
