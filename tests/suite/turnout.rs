//! Called visitors who do not come, in virtual time: how they are measured, and that as many come as the pace says.

use now_serving::cache::outbox::{Batch, Tally};
use now_serving::operator::verbs::{Intent, SetMode, SetPace};
use now_serving::queue::{
    Absent, AbsentVisitors, Board, Change, Changed, Mode, Now, Pace, Reason, RoomName,
};
use now_serving::store::Line;
use upstash_local::Store;

use crate::house::{Direct, STORE_TOKEN, admin};

const START_MS: u64 = 1_800_000_000_000;
const OUTBOX: &str = "outbox-1";
/// Five hundred a minute, in periods of six seconds.
const PACE: Pace = Pace {
    automatic: 6,
    quantity: 50,
};
/// Visitors come in steps of this time.
const STEP_MS: u64 = 2_000;

/// A room that is never empty, where a share of the called visitors does not come.
struct Sale {
    store: Direct,
    setting: AbsentVisitors,
    now_ms: u64,
    /// How many visitors were called, and for how many of them POPs brought the first admission.
    called: u64,
    came: u64,
    batches: u64,
    /// How many of a thousand called visitors do not come.
    absent: u64,
    /// When POPs bring what they count.
    brings: Brings,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Brings {
    Soon,
    Nothing,
}

impl Sale {
    fn new(store: Store, setting: AbsentVisitors, absent: u64) -> Self {
        let sale = Self {
            store: Direct(store),
            setting,
            now_ms: START_MS,
            called: 0,
            came: 0,
            batches: 0,
            absent,
            brings: Brings::Soon,
        };
        // A line that no sale empties; its data are old, so no older line comes back.
        let born = (START_MS - 600_000).to_string();
        let line = harness::kept::begun(&born);
        sale.command(&[&["HSET", "queue:{main}"], &line[..]].concat());
        harness::kept::write(&sale.store.0, "queue:{main}", &["main length", "1000000"]).unwrap();
        sale
    }

    fn embedded(setting: AbsentVisitors, absent: u64) -> Self {
        Self::new(Store::embedded(STORE_TOKEN).unwrap(), setting, absent)
    }

    fn command(&self, words: &[&str]) {
        self.store.0.command(words).unwrap();
    }

    fn line<T>(&self, verb: impl FnOnce(&Line<'_>) -> T) -> T {
        verb(&Line {
            pace: PACE,
            absent_visitors: self.setting,
            ..tables::line(
                &self.store,
                &RoomName::new("main"),
                Now::from_ms(self.now_ms),
            )
        })
    }

    /// Two seconds go by: called visitors come or do not, and a POP brings what it counted when it renews the board.
    fn step(&mut self) {
        self.now_ms += STEP_MS;
        let come = self.called * (1_000 - self.absent) / 1_000 - self.came;
        let mut batches = Vec::new();
        if self.brings == Brings::Soon {
            self.batches += 1;
            batches.push(batch(self.batches, come));
            self.came += come;
        }
        let board = self.line(|line| line.release_due(&batches)).unwrap();
        self.called = board.cursor().0;
    }

    fn minutes(&mut self, many: u64) {
        for _ in 0..many * 60_000 / STEP_MS {
            self.step();
        }
    }

    /// How many a minute come within this many minutes.
    fn arrivals(&mut self, minutes: u64) -> u64 {
        let before = self.came;
        self.minutes(minutes);
        (self.came - before) / minutes
    }

    fn mode(&self, mode: Mode) {
        self.line(|line| set_mode(line, mode));
    }

    fn absent(&self) -> Absent {
        self.line(|line| line.status().unwrap().absent)
    }

    /// The share of absent visitors, in percent.
    fn percent(&self) -> Option<u64> {
        self.absent().share.map(|share| (share + 5) / 10)
    }
}

fn set_mode(line: &Line<'_>, mode: Mode) -> Board {
    change(line, SetMode(mode).change())
}

fn change(line: &Line<'_>, change: Change) -> Board {
    match line.change(change, &admin()).unwrap() {
        Changed::Done(board, _) => board,
        other => panic!("{other:?}"),
    }
}

/// What a POP brings: this many first admissions.
fn batch(number: u64, admitted: u64) -> Batch {
    let mut tally = Tally::default();
    tally.decided(Reason::Waiting);
    for _ in 0..admitted {
        tally.decided(Reason::Admitted);
    }
    Batch {
        place: 0,
        outbox: OUTBOX.to_owned(),
        number,
        tally,
    }
}

mod native {
    use super::*;

    #[test]
    fn a_share_is_known_after_seven_minutes_and_not_before() {
        let mut sale = Sale::embedded(AbsentVisitors::Observe, 300);
        assert_eq!(sale.percent(), None, "nothing was called yet");
        sale.minutes(6);
        assert_eq!(sale.percent(), None, "too early");
        sale.minutes(1);
        assert_eq!(sale.percent(), Some(30));
        sale.absent = 0;
        sale.came = sale.called;
        sale.minutes(7);
        assert_eq!(sale.percent(), Some(0));
    }

    #[test]
    fn with_compensation_as_many_come_as_the_pace_says() {
        let mut sale = Sale::embedded(AbsentVisitors::On, 300);
        sale.minutes(8);
        let come = sale.arrivals(10);
        assert!((475..=525).contains(&come), "{come}");
        assert_eq!(
            sale.percent(),
            Some(30),
            "more are called, as many of them are absent"
        );
    }

    #[test]
    fn without_compensation_the_absent_visitors_are_missing() {
        let mut sale = Sale::embedded(AbsentVisitors::Observe, 300);
        sale.minutes(8);
        let come = sale.arrivals(10);
        assert!((345..=355).contains(&come), "{come}");
    }

    #[test]
    fn where_it_is_off_nothing_is_measured() {
        let mut sale = Sale::embedded(AbsentVisitors::Off, 300);
        sale.minutes(9);
        assert_eq!(sale.percent(), None);
        sale.setting = AbsentVisitors::Observe;
        sale.minutes(1);
        assert_eq!(sale.percent(), Some(30), "counted all the same");
        sale.setting = AbsentVisitors::Off;
        sale.minutes(1);
        assert_eq!(sale.percent(), None);
    }

    #[test]
    fn at_most_half_as_many_more_are_called() {
        let mut sale = Sale::embedded(AbsentVisitors::On, 900);
        sale.minutes(8);
        let before = sale.called;
        sale.minutes(5);
        assert_eq!((sale.called - before) / 5, 750);
    }

    #[test]
    fn on_hold_the_share_stays_as_it_was() {
        let mut sale = Sale::embedded(AbsentVisitors::On, 300);
        sale.minutes(8);
        sale.mode(Mode::Hold);
        sale.minutes(20);
        assert_eq!(sale.percent(), Some(30));
        sale.mode(Mode::Automatic);
        sale.absent = 100;
        sale.came = sale.called * 9 / 10;
        let come = sale.arrivals(5);
        assert!(come > 600, "the share from before the hold: {come}");
        assert_eq!(
            sale.percent(),
            Some(30),
            "the mode was not automatic for long enough"
        );
        sale.minutes(3);
        assert_eq!(sale.percent(), Some(10));
    }

    #[test]
    fn while_counts_are_late_the_share_stays_as_it_was() {
        let mut sale = Sale::embedded(AbsentVisitors::On, 300);
        sale.minutes(8);
        sale.brings = Brings::Nothing;
        sale.minutes(10);
        assert_eq!(
            sale.percent(),
            Some(30),
            "the counts are missing, and not the visitors"
        );
        sale.brings = Brings::Soon;
        for _ in 0..12 {
            sale.minutes(1);
            let known = sale.percent();
            assert_eq!(
                known,
                Some(30),
                "what came at once says nothing of one minute"
            );
        }
    }

    #[test]
    fn a_minute_in_which_no_verb_ran_leaves_nothing_to_measure() {
        let mut sale = Sale::embedded(AbsentVisitors::On, 300);
        sale.minutes(8);
        assert_eq!(sale.percent(), Some(30));
        // Their counts have come, and then no visitor is there.
        sale.called = 0;
        sale.now_ms += 1;
        let batch = batch(sale.batches + 1, 0);
        sale.line(|line| line.release_due(&[batch])).unwrap();
        sale.now_ms += 300_000;
        sale.line(|line| line.release_due(&[])).unwrap();
        assert_eq!(sale.percent(), None);
    }

    #[test]
    fn a_change_of_pace_begins_the_measurement_anew() {
        let mut sale = Sale::embedded(AbsentVisitors::Observe, 300);
        sale.minutes(8);
        assert_eq!(sale.percent(), Some(30));
        sale.absent = 100;
        sale.came = sale.called * 9 / 10;
        let pace = SetPace {
            pace: Some(Pace {
                quantity: 51,
                ..PACE
            }),
            last: PACE,
        };
        sale.line(|line| change(line, pace.change()));
        sale.minutes(6);
        assert_eq!(sale.percent(), Some(30), "as it was");
        sale.minutes(3);
        assert_eq!(sale.percent(), Some(10));
    }

    #[test]
    fn a_share_that_is_not_measured_again_is_forgotten_after_half_an_hour() {
        let mut sale = Sale::embedded(AbsentVisitors::On, 300);
        sale.minutes(8);
        sale.mode(Mode::Hold);
        sale.minutes(29);
        assert_eq!(sale.percent(), Some(30));
        sale.minutes(3);
        assert_eq!(sale.percent(), None);
    }

    #[test]
    fn what_may_come_was_called_within_the_last_minute() {
        let mut sale = Sale::embedded(AbsentVisitors::Observe, 300);
        sale.minutes(8);
        let missing = sale.absent().may_come;
        assert!(
            (140..=200).contains(&missing),
            "150 absent a minute, and those of the last step: {missing}"
        );
        sale.mode(Mode::Hold);
        sale.minutes(2);
        assert_eq!(sale.absent().may_come, 0);
    }
}
