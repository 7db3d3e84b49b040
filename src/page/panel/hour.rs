//! The last hour by minutes, out of how those minutes ended in which the line was asked to move. In any other minute
//! nothing moved, so how it ended is known all the same.

use crate::queue::{MinuteSample, PanelSnapshot};

const MINUTE_MS: u64 = 60_000;
/// How many minutes there are, the one under way included.
pub(super) const MINUTES: u64 = 60;

/// How the minutes ended, up to now.
pub(super) struct Hour {
    /// The oldest first.
    ends: Vec<MinuteSample>,
    now: MinuteSample,
    now_ms: u64,
}

/// One minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bar {
    /// Minutes since 1970.
    pub(super) minute: u64,
    /// How many waited at its end.
    pub(super) waiting: u64,
    /// How many were released in it.
    pub(super) admitted: u64,
}

impl Hour {
    pub(super) fn new(board: &PanelSnapshot, now_ms: u64) -> Self {
        let now = MinuteSample {
            // Data centres' clocks differ.
            minute: board.minute.min(now_ms / MINUTE_MS),
            waiting: board.sign.waiting(),
            drawn: board.drawn,
            admitted: board.admitted,
        };
        let ends = board.hour.iter().rev().copied();
        let ends = ends.filter(|end| end.minute < now.minute).collect();
        Self { ends, now, now_ms }
    }

    /// How many were released within so much time. Within a minute of the past they are taken to have come evenly, since
    /// only its end is known.
    pub(super) fn admitted_within(&self, ms: u64) -> u64 {
        let from_ms = self.now_ms.saturating_sub(ms);
        let minute = from_ms / MINUTE_MS;
        let before = self.admitted_by(minute.saturating_sub(1));
        let during = self.admitted_by(minute).saturating_sub(before);
        let gone = during.saturating_mul(from_ms % MINUTE_MS) / MINUTE_MS;
        self.now.admitted.saturating_sub(before + gone)
    }

    /// The oldest first.
    pub(super) fn bars(&self) -> Vec<Bar> {
        let this = self.now_ms / MINUTE_MS;
        let first = this.saturating_sub(MINUTES - 1);
        let bar = |minute: u64| {
            let before = self.admitted_by(minute.saturating_sub(1));
            Bar {
                minute,
                waiting: self.end(minute).map_or(0, |end| end.waiting),
                admitted: self.admitted_by(minute).saturating_sub(before),
            }
        };
        (first..=this).map(bar).collect()
    }

    /// How a minute ended. The hour is kept whole, so before its first minute there was no line.
    fn end(&self, minute: u64) -> Option<&MinuteSample> {
        let ends = self.ends.iter().chain([&self.now]);
        ends.take_while(|end| end.minute <= minute).last()
    }

    fn admitted_by(&self, minute: u64) -> u64 {
        self.end(minute).map_or(0, |end| end.admitted)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::queue::Cursor;
    use crate::queue::{Bound, Explained, Live, Sign};

    /// 10:00 on some day.
    pub(in crate::page::panel) const TEN: u64 = 30_000_120;

    /// A line of which these minutes are known, each by its number, how many waited and how many had been released; the
    /// last one is under way.
    pub(in crate::page::panel) fn board(minutes: &[(u64, u64, u64)]) -> PanelSnapshot {
        let minute = |&(minute, waiting, admitted): &(u64, u64, u64)| MinuteSample {
            minute,
            waiting,
            drawn: waiting + admitted,
            admitted,
        };
        let mut hour: Vec<MinuteSample> = minutes.iter().rev().map(minute).collect();
        let now = hour.remove(0);
        PanelSnapshot {
            sign: Sign {
                birth: crate::queue::Birth::default(),
                epoch: 1,
                cursor: Cursor(now.admitted),
                length: now.drawn,
                credit: 0,
                pops: None,
                sessions: None,
                origin: None,
                measured: None,
                live: Live::default(),
            },
            drawn: now.drawn,
            admitted: now.admitted,
            absent: crate::queue::Absent::default(),
            origin: crate::queue::OriginState::default(),
            limits: Explained {
                bound_by: Bound::Waiting,
                last: None,
            },
            mode: None,
            pace: None,
            message: None,
            cap: None,
            hour,
            minute: now.minute,
            actions: Vec::new(),
        }
    }

    fn hour(minutes: &[(u64, u64, u64)], seconds: u64) -> Hour {
        Hour::new(&board(minutes), TEN * MINUTE_MS + seconds * 1000)
    }

    #[test]
    fn a_minute_that_is_not_over_counts_with_what_was_left_of_the_one_before() {
        let minutes = [(TEN - 2, 9, 100), (TEN - 1, 9, 160), (TEN, 9, 170)];
        assert_eq!(hour(&minutes, 0).admitted_within(60_000), 70);
        assert_eq!(hour(&minutes, 15).admitted_within(60_000), 10 + 45);
        assert_eq!(hour(&minutes, 59).admitted_within(60_000), 10 + 1);
        assert_eq!(hour(&minutes, 30).admitted_within(300_000), 170);
    }

    #[test]
    fn nothing_moved_in_a_minute_that_is_not_known() {
        let minutes = [(TEN - 30, 9, 100), (TEN - 3, 9, 160)];
        let hour = hour(&minutes, 0);
        assert_eq!(hour.admitted_within(60_000), 0);
        assert_eq!(hour.admitted_within(120_000), 0);
        assert_eq!(hour.admitted_within(180_000), 60, "in the third last");
        let moved: Vec<u64> = hour.bars().iter().map(|bar| bar.admitted).collect();
        let expected = (0..60).map(|at| match at {
            29 => 100,
            56 => 60,
            _ => 0,
        });
        assert_eq!(moved, expected.collect::<Vec<u64>>());
    }

    #[test]
    fn who_waits_goes_on_waiting_in_minutes_that_are_not_known() {
        let minutes = [(TEN - 90, 7, 0), (TEN - 20, 8, 0), (TEN - 10, 9, 0)];
        let bars = hour(&minutes, 0).bars();
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
    fn a_line_that_is_new_has_all_it_ever_moved_in_its_first_minute() {
        let hour = hour(&[(TEN, 3, 500)], 20);
        assert_eq!(hour.admitted_within(60_000), 500);
        assert_eq!(hour.admitted_within(300_000), 500);
    }

    #[test]
    fn a_clock_that_lags_behind_the_store_s_minutes_loses_none() {
        let minutes = [(TEN, 3, 10), (TEN + 1, 3, 15)];
        let hour = hour(&minutes, 59);
        assert_eq!(hour.bars().last().map(|bar| bar.admitted), Some(15));
    }

    #[test]
    fn counts_that_began_anew_are_never_below_zero() {
        let hour = hour(&[(TEN - 1, 0, 900), (TEN, 2, 1)], 30);
        assert_eq!(hour.admitted_within(60_000), 0);
        assert!(hour.bars().iter().all(|bar| bar.admitted <= 900));
    }
}
