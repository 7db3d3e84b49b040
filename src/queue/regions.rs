//! How one release is split among the lines of a room's regions: by what came to each in a past, complete minute.
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
    /// How many visitors drew a number there in the minute that counts.
    pub arrivals: u64,
    /// How many wait there now.
    pub waiting: u64,
}

/// What of a limit no arrivals of the past minute account for: it is kept for places without a history.
#[must_use]
pub fn reserve(limit: u64, arrivals: &[u64]) -> u64 {
    let known = arrivals
        .iter()
        .fold(0, |sum: u64, one| sum.saturating_add(*one));
    limit.saturating_sub(known)
}

/// The share of each region: as many as came to it in the minute that counts. Regions where none came have the reserve together,
/// divided by who waits, and where visitors wait a region counts as one arrival at least. If none came anywhere, the shares
/// are by who waits. `limit` is what the pace lets in in a minute.
#[must_use]
pub fn shares(limit: u64, regions: &[Traffic]) -> Vec<u64> {
    let arrivals: Vec<u64> = regions.iter().map(|region| region.arrivals).collect();
    if arrivals.iter().all(|many| *many == 0) {
        return regions.iter().map(|region| region.waiting).collect();
    }
    let reserve = reserve(limit, &arrivals);
    let new = regions.iter().filter(|region| region.arrivals == 0);
    let new: u128 = new.map(|region| u128::from(region.waiting)).sum();
    let of = |region: &Traffic| match (region.arrivals, region.waiting) {
        (0, 0) => 0,
        (0, waiting) => {
            let part = u128::from(reserve) * u128::from(waiting) / new.max(1);
            u64::try_from(part).unwrap_or(u64::MAX).max(1)
        }
        (arrivals, _) => arrivals,
    };
    regions.iter().map(of).collect()
}

/// A region in a split.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Claimant {
    /// Its share, in proportion to those of the others.
    pub share: u64,
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
#[must_use]
pub fn split(most: u64, regions: &[Claimant]) -> Vec<Part> {
    let all = regions.iter().map(|region| region.waiting);
    let mut left = most.min(all.fold(0, u64::saturating_add));
    let mut parts = vec![Part::default(); regions.len()];
    let mut open: Vec<(&Claimant, &mut Part)> = regions.iter().zip(&mut parts).collect();
    open.retain(|(region, _)| region.waiting > 0);
    loop {
        let claimants: Vec<Claimant> = open.iter().map(|(region, _)| **region).collect();
        let dues = apportioned(left, &claimants);
        let is_more = |(due, region): (&Due, &Claimant)| due.places > i128::from(region.waiting);
        let is_full: Vec<bool> = dues.iter().zip(&claimants).map(is_more).collect();
        if !is_full.contains(&true) {
            for ((region, part), due) in open.into_iter().zip(dues) {
                *part = due.part_of(region);
            }
            return parts;
        }
        let mut is_full = is_full.into_iter();
        open.retain_mut(|(region, part)| {
            let is_full = is_full.next() == Some(true);
            if is_full {
                part.released = region.waiting;
                left -= region.waiting;
            }
            !is_full
        });
    }
}

/// What falls to a region, as if any number waited there.
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

    fn part_of(self, region: &Claimant) -> Part {
        let released = u64::try_from(self.places).unwrap_or(0);
        let waits = released < region.waiting;
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

fn apportioned(most: u64, regions: &[Claimant]) -> Vec<Due> {
    let has_share = regions.iter().any(|region| region.share > 0);
    let share = |region: &Claimant| {
        if has_share {
            region.share
        } else {
            region.waiting
        }
    };
    let all: u128 = regions.iter().map(|region| u128::from(share(region))).sum();
    let all = all.max(1);
    let due = |region: &Claimant| {
        let product = u128::from(most) * u128::from(share(region));
        let (whole, rest) = (product / all, product % all * WHOLE.unsigned_abs() / all);
        let mut due = Due {
            share: share(region),
            places: 0,
            rest: signed(whole) * WHOLE + signed(rest) + i128::from(region.remainder),
        };
        due.take(due.rest.div_euclid(WHOLE).max(0));
        due
    };
    let mut dues: Vec<Due> = regions.iter().map(due).collect();
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
    use proptest::{prelude::ProptestConfig, test_runner::RngSeed};

    /// More than any release.
    const CROWD: u64 = 1_000_000;

    /// Midnight before 16:31 of the sources, 27 May 2021.
    const DAY_MS: u64 = 1_622_073_600_000;

    fn at(hour: u64, minute: u64, second: u64) -> u64 {
        DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000
    }

    fn claimant(share: u64, waiting: u64) -> Claimant {
        Claimant {
            share,
            waiting,
            remainder: 0,
        }
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
            let traffic = arrivals.map(|arrivals| Traffic {
                arrivals,
                waiting: CROWD,
            });
            let by_share = shares(1000, &traffic).into_iter();
            released(
                1000,
                &by_share.map(|share| (share, CROWD)).collect::<Vec<_>>(),
            )
        };
        assert_eq!(share([50, 50]), [500, 500]);
        assert_eq!(share([45, 55]), [450, 550]);
    }

    /// San Jose 20 and London 30 of 200; the rest is for anywhere else.
    #[test]
    fn what_the_past_does_not_account_for_is_kept_for_anywhere() {
        assert_eq!(reserve(200, &[20, 30]), 150);
        assert_eq!(reserve(200, &[120, 130]), 0);
        let traffic = [20, 30, 0].map(|arrivals| Traffic {
            arrivals,
            waiting: CROWD,
        });
        let by_share = shares(200, &traffic);
        assert_eq!(by_share, [20, 30, 150]);
        let regions: Vec<_> = by_share.into_iter().map(|share| (share, CROWD)).collect();
        assert_eq!(released(150, &regions), [15, 22, 113]);
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
        let traffic = |arrivals, waiting| Traffic { arrivals, waiting };
        let new = [
            traffic(60, 10),
            traffic(0, 30),
            traffic(0, 10),
            traffic(0, 0),
        ];
        assert_eq!(shares(100, &new), [60, 30, 10, 0]);
        assert_eq!(
            shares(60, &new),
            [60, 1, 1, 0],
            "no reserve is left, but none stands still"
        );
        let none = [traffic(0, 30), traffic(0, 10), traffic(0, 0)];
        assert_eq!(shares(100, &none), [30, 10, 0], "no region has a history");
        assert_eq!(shares(0, &[]), [0; 0]);
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

    /// Splits these releases one after the other; each part has to fit. What each region got, and by how many millionths its sum
    /// was ever away from its share.
    fn away(regions: &[(u64, u64)], releases: &[u64]) -> i128 {
        let all: u64 = regions.iter().map(|(share, _)| share).sum();
        let mut lines: Vec<Claimant> = regions
            .iter()
            .map(|(share, waiting)| claimant(*share, *waiting))
            .collect();
        let (mut sums, mut sum, mut most_away) = (vec![0_u64; lines.len()], 0, 0);
        for most in releases {
            let wait: u64 = lines.iter().map(|line| line.waiting).sum();
            let parts = split(*most, &lines);
            let of_all: u64 = parts.iter().map(|part| part.released).sum();
            assert_eq!(of_all, wait.min(*most), "{lines:?}");
            sum += of_all;
            for ((line, part), own) in lines.iter_mut().zip(&parts).zip(&mut sums) {
                assert!(part.released <= line.waiting, "{line:?} {part:?}");
                line.waiting -= part.released;
                line.remainder = part.remainder;
                *own += part.released;
                let due = i128::from(sum) * i128::from(line.share) * WHOLE / i128::from(all.max(1));
                most_away = most_away.max((i128::from(*own) * WHOLE - due).abs());
            }
        }
        most_away
    }

    /// The millionths that rounding takes.
    const ROUNDING: i128 = 1_000;

    proptest::proptest! {
        #![proptest_config(config())]

        #[test]
        fn the_parts_are_together_what_is_released_and_none_is_more_than_wait(
            regions in vec((0_u64..50, 0_u64..200), 0..9),
            releases in vec(0_u64..90, 1..30),
        ) {
            away(&regions, &releases);
        }

        #[test]
        fn of_up_to_three_regions_each_is_within_one_place_of_its_share_while_all_wait(
            shares in vec(1_u64..200, 1..4),
            releases in vec(0_u64..9, 1..300),
        ) {
            let regions: Vec<_> = shares.into_iter().map(|share| (share, CROWD)).collect();
            let away = away(&regions, &releases);
            proptest::prop_assert!(away <= WHOLE + ROUNDING, "{away}");
        }

        #[test]
        fn of_more_regions_each_is_within_one_place_and_a_half(
            shares in vec(1_u64..200, 4..10),
            releases in vec(0_u64..9, 1..300),
        ) {
            let regions: Vec<_> = shares.into_iter().map(|share| (share, CROWD)).collect();
            let away = away(&regions, &releases);
            proptest::prop_assert!(away <= WHOLE * 3 / 2 + ROUNDING, "{away}");
        }
    }
}
