//! The verdict on the line: how it really moves, what binds it, and how loud the panel says so.
//!
//! Invariant: it goes by what was measured, never by what is set. Green is said only of a line that was seen to keep up; red of one
//! that grows or stands for want of what an operator can change, and of a wait beyond a day.

use super::hour::Hour;
use super::trend::Trend;
use super::words::{moment_to_the_minute, number, per_minute, span_words};
use crate::queue::{Bound, Enforcement, Mode, Pace, PanelSnapshot, Sessions};

/// From this many seconds on a hold is taken for a forgotten one, where visitors wait.
const LONG_HOLD: u64 = 30 * 60;
/// No visitor should wait longer than this, in seconds.
const LONGEST_WAIT: u64 = 86_400;
/// So many whole minutes without a release make a line that stands.
const STANDS: u64 = 2;
/// Fewer arrivals in a minute than this are no rush.
const LEAST_RUSH: u64 = 20;

/// How loud it is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// The line keeps up.
    Well,
    /// An operator should know.
    Watch,
    /// An operator should act.
    Alarm,
    /// Nothing has been measured yet.
    Unknown,
}

/// What is said of a line that the pace moves, or that should move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) level: Level,
    pub(super) words: String,
}

impl Verdict {
    fn new(level: Level, words: impl Into<String>) -> Self {
        let words = words.into();
        Self { level, words }
    }
}

/// The verdict; nothing where mode or event say all there is: a closed or open room, a short hold, a phase in which no visitor is to
/// go in.
pub(super) fn verdict(
    snapshot: &PanelSnapshot,
    hour: &Hour,
    trend: Option<Trend>,
    now_ms: u64,
) -> Option<Verdict> {
    let board = &snapshot.board;
    let waiting = board.waiting();
    if board.is_held_by_origin() {
        let words = "The origin is sick: no new visitor goes in";
        return Some(Verdict::new(Level::Alarm, words));
    }
    if board.live.mode == Mode::Hold && board.scheduled_mode() == Mode::Hold {
        return forgotten(snapshot, now_ms);
    }
    if board.scheduled_mode() != Mode::Automatic {
        return None;
    }
    if waiting == 0 {
        return Some(match trend {
            Some(trend) => {
                let words = format!("No visitor waits; {} arrive a minute", trend.arrivals());
                Verdict::new(Level::Well, words)
            }
            None => Verdict::new(Level::Unknown, "No visitor waits"),
        });
    }
    if let Some(words) = rush(hour, trend, board.live.pace) {
        return Some(Verdict::new(Level::Alarm, words));
    }
    let limits = &snapshot.limits;
    if let Some(until_ms) = limits.recount_ms {
        let until = moment_to_the_minute(until_ms, now_ms).text;
        let words = format!("The cap lets in nobody until {until}: it is not known who is inside");
        return Some(Verdict::new(Level::Alarm, words));
    }
    if limits.bound_by == Bound::Quiet {
        let words = "No visitor goes in for some seconds: an older line may still come back";
        return Some(Verdict::new(Level::Watch, words));
    }
    let Some(trend) = trend else {
        let words = "Whether the line grows is known after its first minute";
        return Some(Verdict::new(Level::Unknown, words));
    };
    if !trend.is_measured() {
        let words = "Changed within the last minute: how the line moves by that is not known yet";
        return Some(Verdict::new(Level::Unknown, words));
    }
    let cap = board.sessions.as_ref().filter(|cap| holds(cap));
    Some(match cap.filter(|_| limits.bound_by == Bound::Slots) {
        Some(cap) => capped(trend, cap, board.live.pace),
        None => moving(snapshot, trend, now_ms),
    })
}

/// A hold of an operator that has lasted long, while visitors wait.
fn forgotten(snapshot: &PanelSnapshot, now_ms: u64) -> Option<Verdict> {
    let since_ms = snapshot.mode.as_ref()?.at_ms;
    let seconds = now_ms.saturating_sub(since_ms) / 1000;
    let waiting = snapshot.board.waiting();
    let is_long = seconds >= LONG_HOLD && waiting > 0;
    is_long.then(|| {
        let (span, many) = (span_words(seconds), number(waiting));
        let words = format!("On hold for {span}: {many} wait, and no new visitor goes in");
        Verdict::new(Level::Alarm, words)
    })
}

/// Many more come in the minute under way than in those before, and than go in.
fn rush(hour: &Hour, trend: Option<Trend>, pace: Pace) -> Option<String> {
    let now = hour.bars.last()?.arrived;
    let before = hour.flow(5, 0);
    let set = trend.map_or_else(|| in_a_minute(pace), |trend| trend.go_in(1));
    let go = set.max(in_a_minute(pace));
    if now < LEAST_RUSH || now <= go {
        return None;
    }
    if before.minutes == 0 {
        let is_rush = pace.automatic > 0 && now > go.saturating_mul(2);
        return is_rush.then(|| {
            let (now, go) = (number(now), number(go));
            format!("A rush begins: {now} came in this minute, and {go} go in a minute")
        });
    }
    // Arrivals that come by chance differ from their mean by its root; six times that is hardly chance.
    let mean = before.arrived / before.minutes;
    let is_rush = now > mean.saturating_mul(2) && now > mean.saturating_add(6 * mean.isqrt());
    is_rush.then(|| {
        let (now, mean) = (number(now), per_minute(before.arrived, before.minutes));
        format!("A rush begins: {now} came in this minute, {mean} a minute before")
    })
}

/// A line that waits for slots.
fn capped(trend: Trend, cap: &Sessions, pace: Pace) -> Verdict {
    let (inside, most) = (number(cap.inside()), number(cap.total_active));
    let full = format!("{inside} of {most} are inside");
    let go = trend.going();
    let words = if pace.automatic == 0 {
        format!("The cap lets in {go} a minute: {full}")
    } else {
        let by_pace = number(in_a_minute(pace));
        format!("The cap lets in {go} a minute, the pace would allow {by_pace}: {full}")
    };
    let level = if trend.is_shrinking() {
        Level::Watch
    } else {
        Level::Alarm
    };
    Verdict::new(level, words)
}

/// A line that nothing but pace, operators and the origin bounds.
fn moving(snapshot: &PanelSnapshot, trend: Trend, now_ms: u64) -> Verdict {
    let board = &snapshot.board;
    let pace = board.live.pace;
    let (arrive, go) = (trend.arrivals(), trend.going());
    let is_due = pace.automatic == 0 || in_minutes(pace, trend.minutes()) > 0;
    if trend.minutes() >= STANDS && trend.go_in(trend.minutes()) == 0 && is_due {
        let (waiting, minutes) = (number(board.waiting()), trend.minutes());
        let words =
            format!("The line stands: {waiting} wait, and none has gone in for {minutes} min");
        return Verdict::new(Level::Alarm, words);
    }
    let wait = board.wait_of_the_last(now_ms);
    if let Some(wait) = wait.filter(|wait| *wait > LONGEST_WAIT) {
        let span = span_words(wait);
        let words = format!("The last in line waits {span}: {arrive} arrive, {go} go in a minute");
        return Verdict::new(Level::Alarm, words);
    }
    if trend.is_growing() {
        return Verdict::new(
            Level::Watch,
            format!("Growing: {arrive} arrive, {go} go in a minute"),
        );
    }
    let words = if trend.is_shrinking() {
        format!("Keeping up: {arrive} arrive, {go} go in a minute")
    } else {
        format!("Keeping its length: {arrive} arrive, {go} go in a minute")
    };
    Verdict::new(Level::Well, words)
}

fn holds(cap: &Sessions) -> bool {
    cap.enforcement == Enforcement::On
}

fn in_a_minute(pace: Pace) -> u64 {
    in_minutes(pace, 1)
}

/// How many go in by this pace.
pub(super) fn in_minutes(pace: Pace, minutes: u64) -> u64 {
    let released = pace.quantity.saturating_mul(minutes * 60);
    released.checked_div(pace.automatic).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::hour::MINUTE_MS;
    use super::super::hour::tests::{TEN, snapshot};
    use super::*;
    use crate::queue::{Cell, Phase, Provenance, WatchedOrigin};

    const NOW_MS: u64 = TEN * MINUTE_MS + 50_000;

    /// Ten minutes in each of which so many arrive and go in, and `waiting` who wait at their end; in the minute under way `now` have
    /// come so far.
    fn line(waiting: u64, arrive: u64, go: u64, now: u64) -> PanelSnapshot {
        let minute = |at: u64| {
            let gone = go * at;
            let left = (waiting + go * (9 - at)).saturating_sub(arrive * (9 - at));
            (TEN - 10 + at, left, gone)
        };
        let mut minutes: Vec<(u64, u64, u64)> = (0..10).map(minute).collect();
        minutes.push((TEN, waiting + now, go * 9));
        snapshot(&minutes)
    }

    fn at_pace(mut snapshot: PanelSnapshot, automatic: u64, quantity: u64) -> PanelSnapshot {
        snapshot.board.live.pace = Pace {
            automatic,
            quantity,
        };
        snapshot
    }

    fn full(mut snapshot: PanelSnapshot) -> PanelSnapshot {
        snapshot.limits.bound_by = Bound::Slots;
        snapshot.board.sessions = Some(Sessions {
            total_active: 25,
            cells: vec![Cell {
                end: 30_000_200,
                many: 25,
            }],
            ..Sessions::default()
        });
        snapshot
    }

    fn told(snapshot: &PanelSnapshot) -> Option<(Level, String)> {
        let hour = Hour::new(snapshot, NOW_MS);
        let trend = Trend::new(snapshot, &hour);
        let verdict = verdict(snapshot, &hour, trend, NOW_MS)?;
        Some((verdict.level, verdict.words))
    }

    #[test]
    fn the_table_of_situations() {
        use Level::{Alarm, Unknown, Watch, Well};
        let per_minute = |snapshot, quantity| at_pace(snapshot, 60, quantity);
        let sick = {
            let mut line = per_minute(line(200, 12, 30, 10), 30);
            line.board.origin = Some(WatchedOrigin {
                holds: true,
                cuts: 0,
                is_cut: false,
                is_slowed: false,
            });
            line
        };
        let held = |minutes: u64| {
            let mut line = per_minute(line(340, 12, 30, 10), 30);
            line.board.live.mode = Mode::Hold;
            line.mode = Some(Provenance {
                at_ms: NOW_MS - minutes * MINUTE_MS,
                by: None,
            });
            line
        };
        let unknown_inside = {
            let mut line = full(per_minute(line(200, 12, 0, 10), 30));
            line.limits.bound_by = Bound::Recount;
            line.limits.recount_ms = Some(NOW_MS + 20 * MINUTE_MS);
            line
        };
        let first_minute = |now| per_minute(snapshot(&[(TEN, now, 0)]), 50);
        let table = vec![
            (
                "calm, nobody waits",
                per_minute(line(0, 12, 12, 0), 30),
                Well,
                "No visitor waits; 12 arrive a minute",
            ),
            (
                "shrinking",
                per_minute(line(200, 46, 80, 30), 80),
                Well,
                "Keeping up: 46 arrive, 80 go in a minute",
            ),
            (
                "as many come as go",
                per_minute(line(200, 40, 40, 30), 40),
                Well,
                "Keeping its length: 40 arrive, 40 go in a minute",
            ),
            (
                "growing",
                per_minute(line(500, 40, 30, 35), 30),
                Watch,
                "Growing: 40 arrive, 30 go in a minute",
            ),
            (
                "the pace is wrong by ten",
                per_minute(line(5_000, 300, 30, 250), 30),
                Watch,
                "Growing: 300 arrive, 30 go in a minute",
            ),
            (
                "cap full, the line stands",
                full(per_minute(line(300, 46, 0, 40), 80)),
                Alarm,
                "The cap lets in 0 a minute, the pace would allow 80: 25 of 25 are inside",
            ),
            (
                "cap full, the line grows",
                full(per_minute(line(2_340, 78, 8, 70), 80)),
                Alarm,
                "The cap lets in 8 a minute, the pace would allow 80: 25 of 25 are inside",
            ),
            (
                "cap full, the line shrinks",
                full(per_minute(line(300, 4, 20, 3), 80)),
                Watch,
                "The cap lets in 20 a minute, the pace would allow 80: 25 of 25 are inside",
            ),
            (
                "not known who is inside",
                unknown_inside,
                Alarm,
                "The cap lets in nobody until 10:20 UTC: it is not known who is inside",
            ),
            (
                "a rush in its first minute",
                first_minute(900),
                Alarm,
                "A rush begins: 900 came in this minute, and 50 go in a minute",
            ),
            (
                "a line in its first minute",
                first_minute(60),
                Unknown,
                "Whether the line grows is known after its first minute",
            ),
            (
                "a rush into a calm line",
                per_minute(line(40, 46, 50, 140), 50),
                Alarm,
                "A rush begins: 140 came in this minute, 46 a minute before",
            ),
            (
                "more than usual, as by chance",
                per_minute(line(40, 46, 50, 80), 50),
                Well,
                "Keeping up: 46 arrive, 50 go in a minute",
            ),
            (
                "a rush that the pace takes",
                per_minute(line(40, 46, 200, 150), 200),
                Well,
                "Keeping up: 46 arrive, 200 go in a minute",
            ),
            (
                "2.3 million wait",
                per_minute(line(2_300_000, 4, 8, 3), 8),
                Alarm,
                "The last in line waits 200 days: 4 arrive, 8 go in a minute",
            ),
            (
                "nothing moves",
                per_minute(line(90, 3, 0, 2), 30),
                Alarm,
                "The line stands: 92 wait, and none has gone in for 5 min",
            ),
            (
                "without a pace, nobody let in",
                at_pace(line(90, 3, 0, 2), 0, 0),
                Alarm,
                "The line stands: 92 wait, and none has gone in for 5 min",
            ),
            (
                "without a pace, by permits",
                at_pace(line(90, 3, 9, 2), 0, 0),
                Well,
                "Keeping up: 3 arrive, 9 go in a minute",
            ),
            (
                "one an hour",
                at_pace(line(5, 0, 0, 0), 3_600, 1),
                Well,
                "Keeping its length: 0 arrive, 0 go in a minute",
            ),
            (
                "a sick origin",
                sick,
                Alarm,
                "The origin is sick: no new visitor goes in",
            ),
            (
                "a hold of an hour",
                held(60),
                Alarm,
                "On hold for 60 min: 350 wait, and no new visitor goes in",
            ),
        ];
        for (situation, line, level, words) in table {
            assert_eq!(told(&line), Some((level, words.to_owned())), "{situation}");
        }
        assert_eq!(told(&held(10)), None, "a hold of ten minutes");
        let mut changed = full(per_minute(line(300, 46, 0, 40), 80));
        changed.pace = Some(Provenance {
            at_ms: NOW_MS - 30_000,
            by: None,
        });
        let words = "Changed within the last minute: how the line moves by that is not known yet";
        assert_eq!(told(&changed), Some((Unknown, words.to_owned())));
        // Credit lets them go straight in.
        let straight = per_minute(snapshot(&[(TEN - 1, 0, 3), (TEN, 0, 400)]), 5);
        let words = "No visitor waits; 3 arrive a minute";
        assert_eq!(told(&straight), Some((Well, words.to_owned())));
    }

    #[test]
    fn of_a_room_that_lets_nobody_in_on_purpose_the_state_says_enough() {
        for mode in [Mode::Closed, Mode::Open] {
            let mut line = at_pace(line(200, 46, 80, 30), 60, 80);
            line.board.live.mode = mode;
            assert_eq!(told(&line), None, "{mode:?}");
        }
        for phase in [Phase::Before, Phase::Prequeue, Phase::Drawing, Phase::Over] {
            let mut line = at_pace(line(200, 46, 0, 900), 60, 80);
            line.board.event = Some(super::super::events::tests::in_phase(phase));
            assert_eq!(told(&line), None, "{phase:?}");
        }
    }
}
