//! What happened, in bars of so many minutes, out of the samples of those minutes and hours in which the line was asked to move. In
//! any other one nothing moved, so how it ended is known all the same.
//!
//! Invariant: rates come of whole minutes only, so a figure changes with a new minute and not with the second of a look.

use crate::queue::{History, PanelSnapshot, Past, Sample, words};

pub(super) const MINUTE_MS: u64 = 60_000;
/// A minute under way says how many come now once so much of it is over, in milliseconds.
pub(super) const TELLING: u64 = 15_000;
/// By how much clocks differ.
const CLOCKS_MS: u64 = 2_000;

words! {
    /// How far back the chart goes.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Span {
        /// A quarter of an hour.
        Quarter = "15min",
        /// An hour, by which the panel judges the line.
        #[default]
        Hour = "1h",
        /// Six hours.
        SixHours = "6h",
        /// A day.
        Day = "day",
        /// Thirty days.
        Month = "month",
    }
}

impl Span {
    /// How many minutes, and how many of them are one bar.
    pub(super) fn minutes(self) -> (u64, u64) {
        match self {
            Self::Quarter => (15, 1),
            Self::Hour => (60, 1),
            Self::SixHours => (360, 5),
            Self::Day => (1440, 15),
            Self::Month => (43_200, 360),
        }
    }

    /// What the store is asked for.
    #[must_use]
    pub fn past(self) -> Past {
        let minutes = self
            .minutes()
            .0
            .clamp(Past::HOUR.minutes, Past::ALL.minutes);
        let hours = if self == Self::Month {
            Past::ALL.hours
        } else {
            0
        };
        Past {
            minutes,
            hours,
            ..Past::HOUR
        }
    }
}

/// The bars, up to now.
pub(super) struct Hour {
    /// The oldest first, the one under way last. A line that is younger has none before its first.
    pub(super) bars: Vec<Bar>,
    /// How many minutes one is.
    pub(super) each: u64,
    /// Whether the store's data began later than it could.
    pub(super) is_cut: bool,
    /// Unix time in milliseconds.
    pub(super) now_ms: u64,
}

/// One bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bar {
    /// Its first minute since 1970.
    pub(super) minute: u64,
    /// How many waited at its end; where it has more minutes, at the end of one of them at most.
    pub(super) waiting: u64,
    /// How many numbers were drawn in it.
    pub(super) arrived: u64,
    /// How many were released in it.
    pub(super) admitted: u64,
}

/// What moved in some whole minutes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flow {
    /// How many minutes; 0 when none was over.
    pub(super) minutes: u64,
    pub(super) arrived: u64,
    pub(super) admitted: u64,
}

impl Hour {
    /// The last hour by minutes.
    pub(super) fn new(snapshot: &PanelSnapshot, now_ms: u64) -> Self {
        Self::of(&snapshot.history, Span::Hour, now_ms)
    }

    /// So much of what happened.
    pub(super) fn of(history: &History, span: Span, now_ms: u64) -> Self {
        let ((minutes, each), this) = (span.minutes(), now_ms / MINUTE_MS);
        let ends = ends(history, this);
        let known = ends.first().map_or(this, |end| end.at);
        let least = this.saturating_sub(minutes - 1);
        let first = known.max(least) / each;
        let mut bars: Vec<Bar> = Vec::new();
        let (mut ends, mut waits) = (ends.into_iter().peekable(), 0);
        while let Some(end) = ends.next_if(|end| end.at / each < first) {
            waits = end.waiting;
        }
        for at in first..=this / each {
            let (mut bar, mut most) = (
                Bar {
                    minute: at * each,
                    waiting: waits,
                    arrived: 0,
                    admitted: 0,
                },
                None,
            );
            while let Some(end) = ends.next_if(|end| end.at / each <= at) {
                bar.arrived += end.drawn;
                bar.admitted += end.released;
                most = most.max(Some(end.waiting));
                waits = end.waiting;
            }
            bar.waiting = most.unwrap_or(bar.waiting);
            bars.push(bar);
        }
        Self {
            bars,
            each,
            is_cut: history.since_ms / MINUTE_MS > least,
            now_ms,
        }
    }

    /// How much of the minute under way is over at most, in milliseconds: the clocks of data centres differ from the store's.
    pub(super) fn gone_ms(&self) -> u64 {
        (self.now_ms % MINUTE_MS + CLOCKS_MS).min(MINUTE_MS)
    }

    /// What moved in the latest whole minutes, in `most` of them at most, and in none that began before `from`.
    pub(super) fn flow(&self, most: usize, from: u64) -> Flow {
        let whole = self.bars.iter().rev().skip(1).take(most);
        let whole = whole.take_while(|bar| bar.minute >= from);
        whole.fold(Flow::default(), |flow, bar| Flow {
            minutes: flow.minutes + 1,
            arrived: flow.arrived + bar.arrived,
            admitted: flow.admitted + bar.admitted,
        })
    }
}

/// Minutes, the oldest first, and before them hours, of each of which the last minute stands for it. Minutes that are kept for a day begin
/// within an hour, which is told as a whole; the last hour is told by its minutes.
fn ends(history: &History, this: u64) -> Vec<Sample> {
    let first = history.minutes.last().unwrap_or(&history.now).at / 60;
    let is_old = (first + 2) * 60 <= this;
    let hours = history.hours.iter().rev();
    let hours = hours.filter(|hour| hour.at < first || hour.at == first && is_old);
    let hours = hours.map(|hour| Sample {
        at: hour.at * 60 + 59,
        ..hour.clone()
    });
    let hours: Vec<Sample> = hours.collect();
    let hours_end = hours.last().map_or(0, |hour| hour.at + 1);
    let minutes = history.minutes.iter().rev().cloned();
    let minutes = minutes.filter(|minute| minute.at >= hours_end);
    // Data centres' clocks differ.
    let clamped = |end: Sample| Sample {
        at: end.at.min(this),
        ..end
    };
    let ends = hours.into_iter().chain(minutes);
    let ends = ends.chain([history.now.clone()]);
    ends.map(clamped).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::queue::{Board, Bound, Explained};
    use proptest::{prelude::ProptestConfig, test_runner::RngSeed};

    /// 10:00 on some day.
    pub(in crate::page::panel) const TEN: u64 = 30_000_120;

    /// A line of which these minutes are known, each by its number, how many waited and how many had been released; the
    /// last one is under way.
    pub(in crate::page::panel) fn snapshot(minutes: &[(u64, u64, u64)]) -> PanelSnapshot {
        let (mut samples, mut before) = (Vec::new(), (0, 0));
        for &(at, waiting, admitted) in minutes {
            let sums = (waiting + admitted, admitted);
            let sample = Sample {
                at,
                waiting,
                drawn: sums.0.saturating_sub(before.0),
                released: sums.1.saturating_sub(before.1),
                ..Sample::default()
            };
            samples.insert(0, sample);
            before = sums;
        }
        let (now, (drawn, admitted)) = (samples.remove(0), before);
        PanelSnapshot {
            board: Board {
                epoch: 1,
                rolls: vec![crate::queue::Stretch::new(0, admitted, drawn)],
                ..Board::default()
            },
            absent: crate::queue::Absent::default(),
            origin: crate::queue::OriginState::default(),
            invited: crate::queue::InvitedVisitors::default(),
            limits: Explained {
                bound_by: Bound::Waiting,
                last: None,
                recount_ms: None,
            },
            mode: None,
            pace: None,
            message: None,
            cap: None,
            event: None,
            stock: None,
            history: History {
                now,
                minutes: samples,
                ..History::default()
            },
            actions: Vec::new(),
        }
    }

    fn hour(minutes: &[(u64, u64, u64)], seconds: u64) -> Hour {
        Hour::new(&snapshot(minutes), TEN * MINUTE_MS + seconds * 1000)
    }

    #[test]
    fn rates_are_of_whole_minutes() {
        let minutes = [
            (TEN - 3, 9, 90),
            (TEN - 2, 9, 100),
            (TEN - 1, 19, 160),
            (TEN, 9, 170),
        ];
        for seconds in [0, 15, 59] {
            let hour = hour(&minutes, seconds);
            let flow = |minutes, arrived, admitted| Flow {
                minutes,
                arrived,
                admitted,
            };
            assert_eq!(hour.flow(1, 0), flow(1, 70, 60), "after {seconds} s");
            assert_eq!(hour.flow(2, 0), flow(2, 80, 70));
            assert_eq!(hour.flow(5, 0), flow(3, 179, 160), "there are no more");
            assert_eq!(hour.flow(5, TEN - 1), flow(1, 70, 60));
            assert_eq!(hour.flow(5, TEN), flow(0, 0, 0));
        }
    }

    #[test]
    fn nothing_moved_in_a_minute_that_is_not_known() {
        let minutes = [(TEN - 70, 9, 20), (TEN - 30, 9, 100), (TEN - 3, 9, 160)];
        let hour = hour(&minutes, 0);
        assert_eq!(hour.flow(2, 0).admitted, 0);
        assert_eq!(hour.flow(3, 0).admitted, 60, "in the third last");
        let moved: Vec<u64> = hour.bars.iter().map(|bar| bar.admitted).collect();
        let expected = (0..60).map(|at| match at {
            29 => 80,
            56 => 60,
            _ => 0,
        });
        assert_eq!(moved, expected.collect::<Vec<u64>>());
    }

    #[test]
    fn who_waits_goes_on_waiting_in_minutes_that_are_not_known() {
        let minutes = [(TEN - 90, 7, 0), (TEN - 20, 8, 0), (TEN - 10, 9, 0)];
        let bars = hour(&minutes, 0).bars;
        let waiting: Vec<u64> = bars.iter().map(|bar| bar.waiting).collect();
        let expected = [vec![7; 39], vec![8; 10], vec![9; 11]].concat();
        assert_eq!(waiting, expected);
        let minutes = (bars.first(), bars.last());
        let minutes = (
            minutes.0.map(|bar| bar.minute),
            minutes.1.map(|bar| bar.minute),
        );
        assert_eq!(minutes, (Some(TEN - 59), Some(TEN)));
    }

    #[test]
    fn a_line_that_is_new_has_no_minutes_before_its_first() {
        let new = hour(&[(TEN, 3, 500)], 20);
        assert_eq!(new.bars.len(), 1);
        assert_eq!(new.bars.first().map(|bar| bar.admitted), Some(500));
        assert_eq!(new.flow(5, 0), Flow::default(), "none is over");
        assert_eq!(hour(&[(TEN - 7, 3, 500), (TEN, 3, 500)], 0).bars.len(), 8);
        assert_eq!(hour(&[(0, 0, 0)], 0).bars.len(), 60, "nothing ever moved");
    }

    #[test]
    fn a_clock_that_lags_behind_the_store_s_minutes_loses_none() {
        let minutes = [(TEN, 3, 10), (TEN + 1, 3, 15)];
        let hour = hour(&minutes, 59);
        assert_eq!(hour.bars.last().map(|bar| bar.admitted), Some(15));
    }

    #[test]
    fn longer_spans_have_longer_bars_and_hours_where_the_minutes_end() {
        let hour = TEN / 60;
        let sample = |at, waiting, moved| Sample {
            at,
            waiting,
            drawn: moved,
            released: moved,
            ..Sample::default()
        };
        let mut history = History {
            now: sample(TEN + 7, 1, 2),
            minutes: vec![
                sample(TEN + 1, 5, 3),
                sample(TEN, 9, 4),
                sample(TEN - 70, 8, 7),
            ],
            ..History::default()
        };
        let of = |history: &History, span| Hour::of(history, span, (TEN + 7) * MINUTE_MS);
        let six = of(&history, Span::SixHours).bars;
        assert_eq!(of(&history, Span::Quarter).bars.len(), 15);
        let told = |bar: &Bar| (bar.minute, bar.waiting, bar.arrived);
        assert_eq!(six.first().map(told), Some((TEN - 70, 8, 7)));
        let last: Vec<_> = six.iter().rev().take(3).map(told).collect();
        assert_eq!(last, [(TEN + 5, 1, 2), (TEN, 9, 7), (TEN - 5, 8, 0)]);
        history.hours = vec![sample(hour - 2, 8, 7), sample(hour - 200, 30, 50)];
        let month = of(&history, Span::Month).bars;
        assert_eq!(month.iter().map(|bar| bar.arrived).sum::<u64>(), 66);
        assert_eq!(month.first().map(|bar| bar.waiting), Some(30));
        assert!(month.len() < 40, "{}", month.len());
    }

    #[test]
    fn the_last_hour_is_the_same_whatever_the_chart_shows() {
        let minutes = [
            (TEN - 70, 9, 10),
            (TEN - 30, 9, 20),
            (TEN - 2, 9, 100),
            (TEN - 1, 19, 160),
            (TEN, 9, 170),
        ];
        let line = snapshot(&minutes);
        let now_ms = TEN * MINUTE_MS;
        let mut with_hours = line.history.clone();
        // By the hours that are over, as far as the month tells them: the one before this, and the first.
        with_hours.hours = [TEN / 60 - 1, TEN / 60 - 2]
            .map(|at| Sample {
                at,
                drawn: 300,
                released: 300,
                waiting: 9,
                ..Sample::default()
            })
            .to_vec();
        let of = |history| Hour::of(history, Span::Hour, now_ms).bars;
        assert_eq!(of(&with_hours), of(&line.history));
        let month = Hour::of(&with_hours, Span::Month, now_ms).bars;
        let arrived: u64 = month.iter().map(|bar| bar.arrived).sum();
        assert_eq!(arrived, 300 + 10 + 80 + 70, "the first hour as a whole");
    }

    /// What a client counts that sees every visitor, and what the store keeps of it.
    struct Counted {
        snapshot: PanelSnapshot,
        /// When each moved: a minute, arrivals, admissions.
        moved: Vec<(u64, u64, u64)>,
    }

    impl Counted {
        /// As `end_minute` in `save.lua`: the first verb of a minute notes how the minute before ended.
        fn moves(&mut self, at_ms: u64, arrived: u64, wanted: u64) {
            let (snapshot, minute) = (&mut self.snapshot, at_ms / MINUTE_MS);
            let history = &mut snapshot.history;
            if minute > history.now.at {
                let next = Sample {
                    at: minute,
                    waiting: history.now.waiting,
                    ..Sample::default()
                };
                history
                    .minutes
                    .insert(0, std::mem::replace(&mut history.now, next));
                history.minutes.truncate(60);
            }
            let admitted = wanted.min(history.now.waiting + arrived);
            history.now.drawn += arrived;
            history.now.released += admitted;
            history.now.waiting = history.now.waiting + arrived - admitted;
            if let Some(of) = snapshot.board.rolls.first_mut() {
                of.drawn += arrived;
                of.served.0 += admitted;
            }
            self.moved.push((minute, arrived, admitted));
        }

        fn in_minutes(&self, minutes: std::ops::Range<u64>) -> (u64, u64) {
            let moved = self.moved.iter();
            moved
                .filter(|(minute, ..)| minutes.contains(minute))
                .fold((0, 0), |sum, moved| (sum.0 + moved.1, sum.1 + moved.2))
        }
    }

    proptest::proptest! {
        // The same steps in each run, unless `PROPTEST_RNG_SEED` has others played: a landing is refused for what it changed.
        #![proptest_config(ProptestConfig {
            rng_seed: match ProptestConfig::default().rng_seed {
                RngSeed::Random => RngSeed::Fixed(1),
                given @ RngSeed::Fixed(_) => given,
            },
            ..ProptestConfig::default()
        })]
        #[test]
        fn figures_are_what_a_client_counted_and_change_with_a_minute_alone(
            steps in proptest::collection::vec((0_u64..200_000, 0_u64..40, 0_u64..60), 1..80)
        ) {
            let mut counted = Counted { snapshot: snapshot(&[(TEN, 0, 0)]), moved: Vec::new() };
            let (mut at_ms, mut last) = (TEN * MINUTE_MS, None::<(u64, Flow, Flow)>);
            for (gap_ms, arrived, wanted) in steps {
                at_ms += gap_ms;
                counted.moves(at_ms, arrived, wanted);
                let (this, hour) = (at_ms / MINUTE_MS, Hour::new(&counted.snapshot, at_ms));
                for most in [1, 5] {
                    let flow = hour.flow(most, 0);
                    let sums = counted.in_minutes(this - flow.minutes..this);
                    proptest::prop_assert_eq!((flow.arrived, flow.admitted), sums);
                    proptest::prop_assert_eq!(flow.minutes, (most as u64).min(this - TEN));
                }
                let seen = (this, hour.flow(1, 0), hour.flow(5, 0));
                if let Some(before) = last.filter(|(minute, ..)| *minute == this) {
                    proptest::prop_assert_eq!(before, seen);
                }
                last = Some(seen);
            }
        }
    }
}
