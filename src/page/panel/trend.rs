//! How many arrive and go in, whether the line grows by that, and when it will be empty if it goes on so.
//!
//! Invariant: what was measured before mode, pace, cap or event last changed says nothing about the line as it moves now.

use serde_json::Value;

use super::hour::{Bar, Flow, Hour, MINUTE_MS, TELLING};
use super::words::{moment_to_the_minute, number, per_minute};
use crate::http::object::object;
use crate::queue::{Board, Bound, Mode, Pace, PanelSnapshot, Phase, Provenance};

/// The minutes that the figures are of, at most.
const MINUTES: usize = 5;
/// By fewer arrivals than this no line is said to grow.
const FEWEST: u64 = 10;
/// From which part of a time's growth on its later half shows that the line still grows: an eighth.
const STILL: u64 = 8;
/// A line that will be empty later than this has no forecast, in minutes.
const FARTHEST: u64 = 24 * 60;

/// How many arrive and go in, in so much time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Trend {
    waiting: u64,
    minutes: u64,
    arrive: u64,
    go: u64,
    /// What was counted since something changed; nothing before there was a whole minute of it, or it showed a direction.
    counted: Option<Counted>,
}

/// Which way a line moves, beyond chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Growing,
    Steady,
    Shrinking,
}

/// The shortest time in which the counts show which way the line moves, or the figures' minutes where none does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counted {
    way: Way,
    /// Whole minutes; 0 is the one under way alone.
    minutes: u64,
    arrived: u64,
    admitted: u64,
}

impl Trend {
    /// `None` in the first minute of a line.
    pub(super) fn new(snapshot: &PanelSnapshot, hour: &Hour) -> Option<Self> {
        let after = match changed_ms(snapshot, hour.now_ms) {
            0 => 0,
            at_ms => at_ms / MINUTE_MS + 1,
        };
        let (all, since) = (hour.flow(MINUTES, 0), hour.flow(MINUTES, after));
        let Flow {
            minutes,
            arrived,
            admitted,
        } = if since.minutes > 0 { since } else { all };
        let board = &snapshot.board;
        let go = match board.live.pace {
            // No visitor goes in, and none draws.
            _ if board.mode() == Mode::Closed => return None,
            _ if !board.mode().lets_in() => 0,
            // Every visitor goes in, and nothing measured says so yet.
            _ if board.mode() == Mode::Open && since.minutes == 0 => return None,
            pace if since.minutes == 0 && pace.automatic > 0 => in_minutes(pace, minutes),
            _ => admitted,
        };
        // The first minute that is known began with the line, and is no whole one.
        let first = hour.bars.first().map_or(0, |bar| bar.minute + 1);
        let from = after.max(first);
        let counted = moved(snapshot, hour, from).or_else(|| {
            let is_whole = hour.flow(1, from).minutes > 0;
            let way = if is_whole {
                Way::Steady
            } else {
                way(arrived, admitted)
            };
            (since.minutes > 0).then_some(Counted {
                way,
                minutes,
                arrived,
                admitted,
            })
        });
        (minutes > 0).then_some(Self {
            waiting: board.waiting(),
            minutes,
            arrive: arrived,
            go,
            counted,
        })
    }

    /// The same at another pace.
    pub(super) fn at(self, pace: Pace) -> Self {
        self.letting_in(in_minutes(pace, self.minutes))
    }

    /// The same where so many go in instead.
    pub(super) fn letting_in(self, go: u64) -> Self {
        Self {
            go,
            counted: None,
            ..self
        }
    }

    /// The same where so many arrive in a minute.
    pub(super) fn arriving(self, a_minute: u64) -> Self {
        Self {
            arrive: a_minute.saturating_mul(self.minutes),
            counted: None,
            ..self
        }
    }

    /// When the line will be empty.
    pub(super) fn empty_ms(self, now_ms: u64) -> Option<u64> {
        let minutes = self.minutes_until_empty()?;
        Some(now_ms + minutes * MINUTE_MS)
    }

    /// In how many minutes that is; nothing where it is far away, or never.
    pub(super) fn minutes_until_empty(self) -> Option<u64> {
        let gain = self.go.checked_sub(self.arrive).filter(|gain| *gain > 0)?;
        let minutes = self.waiting.saturating_mul(self.minutes).div_ceil(gain);
        // A difference of a twentieth is chance.
        let most = self.arrive.max(self.go);
        let is_moving = gain.saturating_mul(20) > most;
        let is_near = is_moving && self.waiting > 0 && minutes <= FARTHEST;
        is_near.then_some(minutes)
    }

    /// How many visitors more or fewer wait after a minute, such as "▼ 18 a minute".
    pub(super) fn slope(self) -> Option<String> {
        let by = per_minute(self.arrive.abs_diff(self.go), self.minutes);
        let arrow = match self.arrive.cmp(&self.go) {
            std::cmp::Ordering::Less => "\u{25bc}",
            std::cmp::Ordering::Equal => "\u{b1}",
            std::cmp::Ordering::Greater => "\u{25b2}",
        };
        (self.waiting > 0).then(|| format!("{arrow} {by} a minute"))
    }

    /// Arrivals in a minute.
    pub(super) fn arrivals(self) -> String {
        per_minute(self.arrive, self.minutes)
    }

    /// How many go in in a minute, as people read it.
    pub(super) fn going(self) -> String {
        per_minute(self.go, self.minutes)
    }

    /// Both, as a part of a sentence.
    pub(super) fn words(self) -> String {
        let (arrive, go) = (self.arrivals(), self.going());
        format!("{arrive} arrive and {go} go in each minute")
    }

    /// Both in the time that shows which way the line moves; in all that was looked at, where that shows the same.
    pub(super) fn shown(self) -> String {
        if self.counted.map(|counted| counted.way) == Some(way(self.arrive, self.go)) {
            return self.words();
        }
        let Some(counted) = self.counted.filter(|counted| counted.minutes == 0) else {
            return self.as_counted().words();
        };
        let (arrived, admitted) = (number(counted.arrived), number(counted.admitted));
        format!("{arrived} arrived in this minute, and {admitted} went in")
    }

    /// With the figures of the time that shows which way the line moves.
    fn as_counted(self) -> Self {
        self.counted.map_or(self, |counted| Self {
            minutes: counted.minutes,
            arrive: counted.arrived,
            go: counted.admitted,
            ..self
        })
    }

    /// How many go in in this many minutes.
    pub(super) fn go_in(self, minutes: u64) -> u64 {
        self.go.saturating_mul(minutes) / self.minutes.max(1)
    }

    /// Whether that was counted since something changed; until then it goes by the new pace, or by what was before.
    pub(super) fn is_measured(self) -> bool {
        self.counted.is_some()
    }

    /// How many arrive in the minutes looked at.
    pub(super) fn arrive(self) -> u64 {
        self.arrive
    }

    /// How many go in in them.
    pub(super) fn go(self) -> u64 {
        self.go
    }

    /// How many minutes were looked at.
    pub(super) fn minutes(self) -> u64 {
        self.minutes
    }

    pub(super) fn is_growing(self) -> bool {
        self.way() == Way::Growing
    }

    pub(super) fn is_shrinking(self) -> bool {
        self.way() == Way::Shrinking
    }

    /// Whether more arrive than this, in the minutes looked at.
    pub(super) fn outgrows(self, many: u64) -> bool {
        is_beyond_chance(self.arrive, many) && self.arrive > many
    }

    /// How many arrive in so many milliseconds.
    pub(super) fn arrive_in(self, ms: u64) -> u64 {
        self.arrive.saturating_mul(ms) / (self.minutes * MINUTE_MS).max(1)
    }

    fn way(self) -> Way {
        let counted = self.counted.map(|counted| counted.way);
        counted.unwrap_or_else(|| way(self.arrive, self.go))
    }
}

/// Which way a line moves by these counts alone.
fn way(arrive: u64, go: u64) -> Way {
    if !is_beyond_chance(arrive, go) {
        Way::Steady
    } else if arrive > go {
        Way::Growing
    } else {
        Way::Shrinking
    }
}

/// How many came, and how many went in at most and at least.
#[derive(Clone, Copy)]
struct Sums {
    arrived: u64,
    most: u64,
    least: u64,
}

impl Sums {
    fn with(self, bar: &Bar) -> Self {
        Self {
            arrived: self.arrived + bar.arrived,
            most: self.most + bar.admitted,
            least: self.least + bar.admitted,
        }
    }

    /// By how much the line grew at least.
    fn growth(self) -> u64 {
        self.arrived.saturating_sub(self.most)
    }

    /// By how much it shrank at least.
    fn loss(self) -> u64 {
        self.least.saturating_sub(self.arrived)
    }
}

/// Which way the line moves by the shortest time that shows it: the minute under way, with ever more whole ones before it. None of them
/// began before `from`.
fn moved(snapshot: &PanelSnapshot, hour: &Hour, from: u64) -> Option<Counted> {
    let (under_way, before) = hour.bars.split_last()?;
    if under_way.minute < from {
        return None;
    }
    let pace = snapshot.board.live.pace;
    let is_full = matches!(
        snapshot.limits.bound_by,
        Bound::Slots | Bound::Recount | Bound::Stock
    );
    let is_paced = pace.automatic > 0 && !is_full;
    // All of a period goes in when it begins, and what sessions leave free when they end with a minute. In the mean it is this.
    let in_a_minute = if is_paced {
        in_minutes(pace, 1)
    } else {
        before.last().map_or(0, |bar| bar.admitted)
    };
    let by_now = in_a_minute.saturating_mul(hour.gone_ms()) / MINUTE_MS;
    let exceeds = |larger: u64, smaller: u64, halves: u64| {
        if !is_paced {
            return differ(larger, smaller, halves);
        }
        // One period more or less may fall into a minute of which it is no part.
        let is_part = 60 % pace.automatic == 0;
        let slack = if is_part { 0 } else { pace.quantity };
        exceeds(larger, smaller + slack, halves)
    };
    let mut sums = vec![Sums {
        arrived: under_way.arrived,
        most: if is_paced {
            by_now.max(under_way.admitted.saturating_sub(pace.quantity))
        } else {
            under_way.admitted
        },
        least: under_way.admitted.min(by_now),
    }];
    let whole = || before.iter().rev().take_while(|bar| bar.minute >= from);
    let mut more = whole();
    loop {
        let minutes = sums.len() - 1;
        let (all, later) = (*sums.last()?, *sums.get(minutes.div_ceil(2))?);
        // What shows first that a line shrinks is no alarm, and was hidden by what came before in this minute.
        let halves = if minutes == 0 { 2 } else { 3 };
        let (growth, loss) = (all.growth(), all.loss());
        let grows = all.arrived >= FEWEST && exceeds(all.arrived, all.most, 3);
        // In the first seconds of a minute it is chance that nobody has come yet.
        let is_telling = minutes > 0 || hour.gone_ms() >= TELLING;
        let way = if grows && later.growth() * STILL >= growth {
            Way::Growing
        } else if is_telling
            && exceeds(all.least, all.arrived, halves)
            && later.loss() * STILL >= loss
        {
            Way::Shrinking
        } else {
            sums.push(all.with(more.next()?));
            continue;
        };
        // Figures of whole minutes change with a minute only: those are shown that show the same.
        let shown = whole().take(minutes.max(1));
        let (arrived, admitted) = shown.clone().fold((0, 0), |(arrived, admitted), bar| {
            (arrived + bar.arrived, admitted + bar.admitted)
        });
        let is_same = arrived != admitted && (arrived > admitted) == (way == Way::Growing);
        let is_shown = is_same && (minutes > 0 || is_beyond_chance(arrived, admitted));
        let minutes = shown.count();
        let (minutes, arrived, admitted) = if is_shown {
            (minutes as u64, arrived, admitted)
        } else {
            (0, under_way.arrived, under_way.admitted)
        };
        return Some(Counted {
            way,
            minutes,
            arrived,
            admitted,
        });
    }
}

/// Counts that come by chance differ by the root of their number; three times that is hardly chance.
fn is_beyond_chance(arrive: u64, go: u64) -> bool {
    exceeds(arrive, go, 3) || exceeds(go, arrive, 3)
}

/// Whether the roots of two counts lie so many halves apart: the root of a count that comes by chance differs by a half, whatever its mean.
pub(super) fn exceeds(larger: u64, smaller: u64, halves: u64) -> bool {
    let squares = halves * halves;
    let by_chance = squares.saturating_mul(smaller).isqrt() + squares / 4;
    larger.saturating_sub(smaller) > by_chance
}

/// The same of two counts that both come by chance.
fn differ(larger: u64, smaller: u64, halves: u64) -> bool {
    let squares = (halves * halves).saturating_mul(larger.saturating_add(smaller));
    larger.saturating_sub(smaller) > squares.isqrt()
}

/// When something last changed by which the line moves otherwise: mode, pace, cap or event, the opening, the end of a sickness.
pub(super) fn changed_ms(snapshot: &PanelSnapshot, now_ms: u64) -> u64 {
    let at = |set: &Option<Provenance>| set.as_ref().map_or(0, |set| set.at_ms);
    let event = snapshot.board.event.as_ref();
    let opened = event.filter(|event| event.phase == Phase::Open);
    let opened = opened.map_or(0, |event| event.event.opens_ms);
    let health = snapshot.origin.health;
    let changed = [
        at(&snapshot.mode),
        at(&snapshot.pace),
        at(&snapshot.cap),
        at(&snapshot.event),
        health.sick_until_ms,
        health.overruled_until_ms,
        opened,
    ];
    // What is to end later has changed nothing yet.
    let past = |latest: u64, at_ms: u64| {
        if at_ms > now_ms {
            latest
        } else {
            latest.max(at_ms)
        }
    };
    changed.into_iter().fold(0, past)
}

/// What moves, when the line will be empty, and what the forecast of another pace goes by. Of a closed or open room the state says enough.
pub(super) fn told(trend: Option<Trend>, board: &Board, now_ms: u64) -> Option<Value> {
    let trend = trend?;
    let empty = |trend: Trend| Some(moment_to_the_minute(trend.empty_ms(now_ms)?, now_ms));
    let pace = board.live.pace;
    Some(object!({
        "flows": trend.words(),
        "empty": empty(trend),
        "at_pace": empty(trend.at(pace)),
        "arrive": trend.arrive,
        "minutes": trend.minutes,
    }))
}

/// How many go in by this pace.
pub(in crate::page) fn in_minutes(pace: Pace, minutes: u64) -> u64 {
    let released = pace.quantity.saturating_mul(minutes * 60);
    released.checked_div(pace.automatic).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::hour::tests::{TEN, snapshot};
    use super::*;
    use crate::queue::Mode;

    const NOW_MS: u64 = TEN * MINUTE_MS + 20_000;

    fn trend(snapshot: &PanelSnapshot) -> Option<Trend> {
        Trend::new(snapshot, &Hour::new(snapshot, NOW_MS))
    }

    /// 12 arrive and 30 go in each minute, and 204 wait.
    fn shrinking() -> PanelSnapshot {
        let minute = |at: u64| (TEN - 9 + at, 366 - 18 * at, 30 * at);
        snapshot(&(0..10).map(minute).collect::<Vec<_>>())
    }

    fn set(at_ms: u64) -> Provenance {
        let by = Some("admin".to_owned());
        Provenance { at_ms, by }
    }

    /// Arrivals and admissions in a minute.
    fn flows(snapshot: &PanelSnapshot) -> Option<[String; 2]> {
        trend(snapshot).map(|trend| [trend.arrivals(), trend.going()])
    }

    fn are(snapshot: &PanelSnapshot, arrive: &str, go: &str) {
        assert_eq!(flows(snapshot), Some([arrive, go].map(str::to_owned)));
    }

    #[test]
    fn a_line_that_shrinks_says_by_how_much_and_when_it_is_empty() {
        let snapshot = shrinking();
        let trend = trend(&snapshot).unwrap_or_else(|| unreachable!("it is ten minutes old"));
        are(&snapshot, "12", "30");
        assert!(trend.is_shrinking());
        assert_eq!(trend.slope().as_deref(), Some("\u{25bc} 18 a minute"));
        let minutes = trend.empty_ms(NOW_MS).map(|at| (at - NOW_MS) / MINUTE_MS);
        assert_eq!(minutes, Some(12), "204 by 18 a minute");
        let faster = trend.at(Pace {
            automatic: 1,
            quantity: 1,
        });
        let minutes = faster.empty_ms(NOW_MS).map(|at| (at - NOW_MS) / MINUTE_MS);
        assert_eq!(minutes, Some(5), "204 by 48 a minute");
    }

    #[test]
    fn a_line_on_hold_grows_from_the_moment_of_the_press() {
        let mut snapshot = shrinking();
        snapshot.board.live.mode = Mode::Hold;
        snapshot.mode = Some(set(NOW_MS - 5_000));
        are(&snapshot, "12", "0");
        assert!(trend(&snapshot).is_some_and(Trend::is_growing));
        assert_eq!(
            trend(&snapshot).and_then(|trend| trend.empty_ms(NOW_MS)),
            None
        );
    }

    #[test]
    fn nothing_is_said_of_a_closed_room_nor_of_an_open_one_before_its_first_whole_minute() {
        let mut snapshot = shrinking();
        snapshot.board.live.mode = Mode::Open;
        snapshot.board.live.pace.automatic = 15;
        snapshot.mode = Some(set(NOW_MS - 5_000));
        assert_eq!(trend(&snapshot), None);
        snapshot.board.live.mode = Mode::Closed;
        assert_eq!(trend(&snapshot), None, "none draws a number");
        snapshot.board.live.mode = Mode::Open;
        snapshot.mode = Some(set(NOW_MS - 90_000));
        are(&snapshot, "12", "30");
    }

    #[test]
    fn a_new_pace_counts_until_its_first_whole_minute() {
        let mut snapshot = shrinking();
        snapshot.board.live.pace = Pace {
            automatic: 10,
            quantity: 2,
        };
        snapshot.pace = Some(set(NOW_MS - 30_000));
        are(&snapshot, "12", "12");
        let keeps = trend(&snapshot).map(|trend| trend.is_growing() || trend.is_shrinking());
        assert_eq!(keeps, Some(false));
        snapshot.pace = Some(set(NOW_MS - 70_000));
        // The minute in which it was set is not whole.
        are(&snapshot, "12", "12");
        snapshot.pace = Some(set(NOW_MS - 90_000));
        are(&snapshot, "12", "30");
    }

    #[test]
    fn no_line_shrinks_since_nobody_has_come_for_some_seconds() {
        // 40 arrive and go in each minute, and ten have gone in since the last one.
        let minute = |at: u64| (TEN - 9 + at, 200, 40 * at);
        let mut minutes: Vec<_> = (0..9).map(minute).collect();
        minutes.push((TEN, 190, 330));
        let mut line = snapshot(&minutes);
        line.board.live.pace = Pace {
            automatic: 15,
            quantity: 10,
        };
        let shrinks = |seconds: u64| {
            let hour = Hour::new(&line, TEN * MINUTE_MS + seconds * 1000);
            Trend::new(&line, &hour).map(Trend::is_shrinking)
        };
        assert_eq!(shrinks(8), Some(false));
        assert_eq!(shrinks(20), Some(true));
    }

    #[test]
    fn nothing_is_said_of_the_first_minute_and_nothing_far_away() {
        assert_eq!(trend(&snapshot(&[(TEN, 5, 0)])), None);
        let slow = Trend {
            waiting: 10_000,
            minutes: 5,
            arrive: 0,
            go: 5,
            counted: None,
        };
        assert_eq!(slow.empty_ms(NOW_MS), None, "in a week");
        let empty = snapshot(&[(TEN - 2, 0, 0), (TEN - 1, 0, 9), (TEN, 0, 12)]);
        assert_eq!(
            flows(&empty).map(|[arrive, _]| arrive).as_deref(),
            Some("4.5")
        );
    }
}
