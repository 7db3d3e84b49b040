//! What happened, by as many minutes as a day has and by hours of thirty days, as `store/lua/history.lua` keeps it.
//!
//! Invariant: a minute or an hour of which there is no sample is one in which nothing moved.

use super::wait::wait_bucket;
use super::{Bound, Inversion, Lane, STAYS, WAITS};
use std::collections::VecDeque;

/// So many bits have a time, in minutes, and how many visitors there were: what is more was not written by the script, and no sum of all
/// samples is too large.
const AT: u32 = 32;
const MANY: u32 = 48;

/// How a minute or an hour ended, and what moved in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Which one, in minutes or hours since 1970.
    pub at: u64,
    /// How many waited at its end; of an hour, at the end of one of its minutes at most.
    pub waiting: u64,
    /// How many numbers were drawn.
    pub drawn: u64,
    /// How many visitors were released.
    pub released: u64,
    /// How many came in.
    pub came: u64,
    /// What bound the line when it ended; of an hour, for most of its minutes.
    pub bound_by: Option<Bound>,
    /// What POPs counted, some minutes late.
    pub counts: Counts,
}

impl Sample {
    /// Reads it as the script writes it.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let mut number = |bits: u32| {
            let number = u64::from_str_radix(words.next()?, 36).ok();
            number.filter(|number| number >> bits == 0)
        };
        Some(Self {
            at: number(AT)?,
            waiting: number(MANY)?,
            drawn: number(MANY)?,
            released: number(MANY)?,
            came: number(MANY)?,
            bound_by: bound(words.next()?),
            counts: Counts::read(words),
        })
    }
}

/// The rule with this letter.
fn bound(letter: &str) -> Option<Bound> {
    if letter == "k" {
        return Some(Bound::Stock);
    }
    let of = |(name, rule): (&str, Bound)| {
        (rule != Bound::Stock && name.starts_with(letter)).then_some(rule)
    };
    Bound::ALL.into_iter().find_map(of)
}

/// How many fell into each bucket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram([u64; WAITS.len() + 1]);

impl Histogram {
    /// How many in all.
    #[must_use]
    pub fn all(&self) -> u64 {
        self.0.iter().fold(0, |sum, many| sum.saturating_add(*many))
    }

    /// How many in each bucket, the one without an upper end last.
    #[must_use]
    pub fn buckets(&self) -> &[u64] {
        &self.0
    }

    /// How many lie above one of [`WAITS`], or above 0, and not above another; above the first alone where none is named.
    #[must_use]
    pub fn within(&self, above: u64, most: Option<u64>) -> u64 {
        let ends = WAITS.into_iter().map(Some).chain([None]);
        let is_in = |end: Option<u64>| {
            let end = end.unwrap_or(u64::MAX);
            end > above && most.is_none_or(|most| end <= most)
        };
        let of = self.0.iter().zip(ends).filter(|(_, end)| is_in(*end));
        of.fold(0, |sum, (many, _)| sum.saturating_add(*many))
    }

    /// One more with this value, in seconds.
    pub fn add(&mut self, seconds: u64) {
        self.put(wait_bucket(seconds), 1);
    }

    fn put(&mut self, bucket: usize, many: u64) {
        if let Some(sum) = self.0.get_mut(bucket) {
            *sum = sum.saturating_add(many);
        }
    }

    fn merge(&mut self, other: &Self) {
        for (sum, many) in self.0.iter_mut().zip(other.0) {
            *sum = sum.saturating_add(many);
        }
    }

    /// About how many seconds this share does not exceed, in percent: within a bucket values are taken to lie evenly. Of the bucket
    /// without an upper end its lower one. Nothing of nobody.
    #[must_use]
    pub fn percentile(&self, percent: u64) -> Option<u64> {
        let all = self.all();
        let rank = all.saturating_mul(percent).div_ceil(100).max(1);
        let (mut below, mut from) = (0_u64, 0);
        for (many, to) in self.0.iter().zip(WAITS) {
            if below.saturating_add(*many) >= rank && *many > 0 {
                let part = (rank - below).saturating_mul(to - from) / many;
                return Some(from + part);
            }
            below = below.saturating_add(*many);
            from = to;
        }
        (all > 0).then_some(from)
    }
}

/// Of one lane: how long visitors waited who went in, and how long they had been told to expect at the draw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// From the draw to the first visit inside.
    pub waited: Histogram,
    /// What was estimated at the draw, where it was.
    pub told: Histogram,
}

/// What POPs counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// By the name of the lane, the main line first, and the others in the order of their names.
    pub waits: Vec<(String, Waits)>,
    /// How many visits under a cap lasted at least as long as each of [`STAYS`].
    pub stays: [u64; STAYS.len()],
    /// By which rule visitors passed others.
    pub inversions: Vec<(Inversion, u64)>,
}

impl Counts {
    /// Reads the words of a sample; what is none of them is nothing.
    fn read<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let mut counts = Self::default();
        for word in words {
            let Some((kind, rest)) = word.split_once(':') else {
                continue;
            };
            let Some((of, text)) = rest.split_once('=') else {
                continue;
            };
            for (bucket, many) in by_letter(text) {
                counts.add(kind, of, bucket, many);
            }
        }
        counts
    }

    /// Adds what was counted by its name in the store, such as `waited_C_main`.
    pub fn add_named(&mut self, name: &str, many: u64) {
        let Some((kind, rest)) = name.split_once('_') else {
            return;
        };
        let bucket = rest.bytes().next().filter(u8::is_ascii_uppercase);
        let of = match bucket {
            Some(_) => rest.get(1..).unwrap_or_default().trim_start_matches('_'),
            None => rest,
        };
        self.add(kind.get(..1).unwrap_or_default(), of, bucket, many);
    }

    /// Changes the waits of a lane.
    fn of(&mut self, lane: &str, change: &dyn Fn(&mut Waits)) {
        // The main line first.
        let rank = |name: &str| (name != Lane::Main.full_name(), name.to_owned());
        let place = self
            .waits
            .iter()
            .position(|(name, _)| rank(name) >= rank(lane));
        let place = place.unwrap_or(self.waits.len());
        if self.waits.get(place).is_none_or(|(name, _)| name != lane) {
            let new = (lane.to_owned(), Waits::default());
            self.waits.insert(place, new);
        }
        if let Some((_, waits)) = self.waits.get_mut(place) {
            change(waits);
        }
    }

    fn add(&mut self, kind: &str, of: &str, letter: Option<u8>, many: u64) {
        let bucket = letter.map_or(usize::MAX, |letter| usize::from(letter.wrapping_sub(b'A')));
        match kind {
            "w" => self.of(of, &|waits| waits.waited.put(bucket, many)),
            "t" => self.of(of, &|waits| waits.told.put(bucket, many)),
            "s" => {
                if let Some(sum) = self.stays.get_mut(bucket) {
                    *sum = sum.saturating_add(many);
                }
            }
            "i" => {
                if let Some(rule) = Inversion::named(of) {
                    self.inverted(rule, many);
                }
            }
            _ => {}
        }
    }

    fn inverted(&mut self, rule: Inversion, many: u64) {
        match self.inversions.iter_mut().find(|(known, _)| *known == rule) {
            Some((_, sum)) => *sum = sum.saturating_add(many),
            None => self.inversions.push((rule, many)),
        }
    }

    /// Adds all of another.
    pub fn merge(&mut self, other: &Self) {
        for (lane, waits) in &other.waits {
            self.of(lane, &|sum| {
                sum.waited.merge(&waits.waited);
                sum.told.merge(&waits.told);
            });
        }
        for (sum, many) in self.stays.iter_mut().zip(other.stays) {
            *sum = sum.saturating_add(many);
        }
        for (rule, many) in &other.inversions {
            self.inverted(*rule, *many);
        }
    }

    /// The length that half of the visits under a cap reached, in minutes, of so many that began; nothing where none began or was made longer.
    #[must_use]
    pub fn half_stayed(&self, began: u64) -> Option<u64> {
        let reached = STAYS.iter().zip(self.stays);
        let is_half = |many: u64| many > 0 && began > 0 && many.saturating_mul(2) >= began;
        let mut half = reached.filter(|(_, many)| is_half(*many));
        half.next_back().map(|(minutes, _)| *minutes)
    }
}

/// A letter and a number of the base 36, and so on; a number alone has no letter.
fn by_letter(text: &str) -> impl Iterator<Item = (Option<u8>, u64)> + '_ {
    let parts = text.split_inclusive(|letter: char| !letter.is_ascii_uppercase());
    let mut parts = parts.peekable();
    std::iter::from_fn(move || {
        let mut part = parts.next()?.to_owned();
        while let Some(more) =
            parts.next_if(|more| !more.starts_with(|letter: char| letter.is_ascii_uppercase()))
        {
            part.push_str(more);
        }
        let letter = part.bytes().next().filter(u8::is_ascii_uppercase);
        let digits = part.get(usize::from(letter.is_some())..)?;
        Some((letter, u64::from_str_radix(digits, 36).ok()?))
    })
}

/// How much of what happened is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Past {
    /// How many minutes before the one under way at most.
    pub minutes: u64,
    /// How many hours that are over.
    pub hours: u64,
    /// How many changes by operators.
    pub actions: u64,
}

impl Past {
    /// The last hour.
    pub const HOUR: Self = Self {
        minutes: 60,
        hours: 0,
        actions: 50,
    };
    /// All that is kept.
    pub const ALL: Self = Self {
        minutes: 1440,
        hours: 720,
        actions: 500,
    };
}

/// How long those waited who were called in these minutes, the oldest first, as far as their numbers were drawn in them: in one line the
/// first to come are called first, and within a minute nobody is told from another.
#[must_use]
pub fn called_by_wait(minutes: &[Sample]) -> Histogram {
    let mut drawn: VecDeque<(u64, u64)> = VecDeque::new();
    // Those who waited when the first minute began: nobody knows since when.
    let mut before = minutes.first().map_or(0, |first| {
        let moved = first.waiting.saturating_add(first.released);
        moved.saturating_sub(first.drawn)
    });
    let mut called = Histogram::default();
    for minute in minutes {
        drawn.push_back((minute.at, minute.drawn));
        let mut released = minute.released;
        let unknown = released.min(before);
        (before, released) = (before - unknown, released - unknown);
        while released > 0 {
            let Some((at, many)) = drawn.front_mut() else {
                break;
            };
            let next = released.min(*many);
            called.put(wait_bucket(minute.at.saturating_sub(*at) * 60), next);
            *many -= next;
            released -= next;
            if *many == 0 {
                drawn.pop_front();
            }
        }
    }
    called
}

/// What the store keeps of what happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// Since when the store has it, in Unix milliseconds: of before that it has nothing.
    pub since_ms: u64,
    /// The latest minute in which the line was asked to move, as far as it has come; nothing moved after it. Minute 0 when there was
    /// none.
    pub now: Sample,
    /// Samples of the minutes before it, the latest first.
    pub minutes: Vec<Sample>,
    /// Samples of hours that are over, likewise.
    pub hours: Vec<Sample>,
    /// What was counted since the latest counts that a sample has.
    pub counts: Counts,
}

impl History {
    /// Since when it goes, where the present data began at this time: what happened outlives a line that ended since nobody came.
    #[must_use]
    pub fn since(began_ms: u64, minutes: &[Sample], hours: &[Sample]) -> u64 {
        let first = |of: &[Sample], length: u64| {
            let at_ms = of.last()?.at.saturating_mul(length);
            (at_ms.saturating_add(length) <= began_ms).then_some(at_ms)
        };
        let firsts = [first(minutes, 60_000), first(hours, 3_600_000)];
        firsts.into_iter().flatten().min().unwrap_or(began_ms)
    }

    /// Samples, the latest first, of which none is later than the one after it, nor the latest than `latest`: where one was, the clock has
    /// been set back since, and it is of the time before that.
    #[must_use]
    pub fn in_order(mut samples: Vec<Sample>, mut latest: u64) -> Vec<Sample> {
        for sample in &mut samples {
            sample.at = sample.at.min(latest);
            latest = sample.at;
        }
        samples
    }

    /// How many came in in the hour before this minute, and in it; and what was counted then: counts stand with the last of ten minutes.
    #[must_use]
    pub fn last_hour(&self, minute: u64) -> (u64, Counts) {
        let is_recent = |sample: &&Sample| sample.at.saturating_add(60) > minute;
        let (mut came, mut counts) = (0_u64, Counts::default());
        if is_recent(&&self.now) {
            (came, counts) = (self.now.came, self.counts.clone());
        }
        for sample in self.minutes.iter().take_while(is_recent) {
            came = came.saturating_add(sample.came);
            counts.merge(&sample.counts);
        }
        (came, counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_read_as_the_script_writes_it() {
        let text = "hl51c 2s 5k 5j 5i p w:main=C2bD1x w:vip=A1 t:main=B7 s:=A5E2 i:group=3 i:later=9 q:=A1";
        let sample = Sample::read(text).unwrap_or_default();
        assert_eq!((sample.at, sample.waiting), (29_539_776, 100));
        assert_eq!(
            (sample.drawn, sample.released, sample.came),
            (200, 199, 198)
        );
        assert_eq!(sample.bound_by, Some(Bound::Pace));
        let of = |lane: &str| {
            let waits = sample.counts.waits.iter();
            let mut found = waits.filter(|(name, _)| name == lane);
            found
                .next()
                .map(|(_, waits)| waits.clone())
                .unwrap_or_default()
        };
        assert_eq!(of("main").waited.buckets().get(2..4), Some(&[83, 69][..]));
        assert_eq!(of("main").told.all(), 7);
        assert_eq!(of("vip").waited.all(), 1);
        assert_eq!(sample.counts.stays.get(..5), Some(&[5, 0, 0, 0, 2][..]));
        assert_eq!(sample.counts.inversions, [(Inversion::Group, 3)]);
        for wrong in [
            "hl51c 2s 5k 5j",
            "1z141z4 0 0 0 0 p",
            "0 zzzzzzzzzzzz 0 0 0 p",
        ] {
            assert_eq!(Sample::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn each_rule_has_a_letter_of_its_own() {
        for (name, rule) in Bound::ALL {
            let letter = if rule == Bound::Stock {
                "k"
            } else {
                name.get(..1).unwrap_or_default()
            };
            assert_eq!(bound(letter), Some(rule), "{letter}");
        }
    }

    #[test]
    fn what_is_counted_now_has_the_names_of_the_store() {
        let mut counts = Counts::default();
        for (name, many) in [
            ("waited_C_main", 83),
            ("told_B_vip", 7),
            ("stayed_A", 5),
            ("inverted_region", 2),
        ] {
            counts.add_named(name, many);
        }
        let words = "w:main=C2b t:vip=B7 s:=A5 i:region=2";
        assert_eq!(counts, Counts::read(words.split(' ')));
    }

    #[test]
    fn a_percentile_lies_in_the_bucket_of_the_true_one() {
        let mut of = Histogram::default();
        assert_eq!(of.percentile(50), None);
        for seconds in 0..=1000 {
            of.add(seconds);
        }
        for (percent, truth) in [(1, 10), (50, 500), (95, 950)] {
            let told = of.percentile(percent).unwrap_or_default();
            assert!(told.abs_diff(truth) <= 100, "{percent}: {told}");
        }
        let mut longest = Histogram::default();
        longest.add(u64::MAX);
        assert_eq!(longest.percentile(50), Some(86_400));
    }

    #[test]
    fn a_clock_that_was_set_back_makes_no_wait_longer() {
        let minute = |at, drawn, released| Sample {
            at,
            drawn,
            released,
            waiting: drawn,
            ..Sample::default()
        };
        let called = called_by_wait(&[minute(1_005, 7, 0), minute(1_001, 0, 7)]);
        assert_eq!(called.within(0, Some(10)), 7);
    }

    #[test]
    fn half_of_the_visits_reached_a_length() {
        let counts = Counts {
            stays: [80, 60, 40, 10, 0, 0, 0, 0, 0, 0, 0, 0],
            ..Counts::default()
        };
        assert_eq!(counts.half_stayed(100), Some(2));
        assert_eq!(counts.half_stayed(0), None, "of which visits?");
    }
}
