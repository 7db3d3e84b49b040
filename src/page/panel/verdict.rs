//! The verdict on the line: how it really moves, what binds it, and how loud the panel says so.
//!
//! Invariant: what is set stands in for what was measured in three places only, where nothing was measured yet: for the first minutes of
//! a line, after a change, and for a period that is longer than what was looked at. Each says so.

use super::hour::{Bar, Hour, MINUTE_MS, TELLING};
use super::trend::{Trend, changed_ms, exceeds, in_minutes};
use super::words::{
    moment_to_the_minute, number, pace_words, people, per_minute, span_words, speed_words,
};
use crate::queue::{
    Board, Bound, CurrentEvent, Enforcement, Mode, Pace, PanelSnapshot, Phase, Sessions,
};

/// From this many seconds on a hold is taken for a forgotten one, where visitors wait.
const LONG_HOLD: u64 = 30 * 60;
/// From this many seconds after the opening on, visitors should have their order by lot.
const LONG_LOT: u64 = 5 * 60;
/// No visitor should wait longer than this, in seconds.
const LONGEST_WAIT: u64 = 86_400;
/// A wait up to this is no trouble for anybody, in seconds.
const SHORT_WAIT: u64 = 120;
/// A line does not move where no visitor has gone in for so long though some should have, in seconds.
const STANDS: u64 = 120;
/// The same where operators and the origin let visitors in as they like: then nothing says that some should have gone in.
const STANDS_WITHOUT_A_PACE: u64 = 300;
/// Fewer arrivals than this are no rush, and fewer in a minute.
const LEAST_RUSH: u64 = 20;
/// A rush may have begun so many whole minutes before the one under way.
const RUSH: usize = 5;
/// In the first minute of a line, and so many more, its arrivals are held against the pace.
const YOUNG: usize = 2;
/// It is held against so many minutes before it, at most.
const BEFORE_A_RUSH: usize = 10;

/// What is said of a line that a full cap holds back.
const BY_CAP: &str = "held back by the cap";

/// Of the slots this part is few: a twentieth. So many may be free in a full cap, besides those of the sessions that just ended.
const FEW_FREE: u64 = 20;

/// A session that ends later than this has only begun, in milliseconds.
const SOON_MS: u64 = 3 * MINUTE_MS;

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
    /// What the words tell of.
    pub(super) rush: Option<Rush>,
}

impl Verdict {
    pub(super) fn new(level: Level, words: impl Into<String>) -> Self {
        let (words, rush) = (words.into(), None);
        Self { level, words, rush }
    }
}

/// The verdict; nothing where mode or event say all there is: a closed or open room, a short hold, a phase in which no visitor is to
/// go in.
pub(super) fn verdict(
    snapshot: &PanelSnapshot,
    hour: &Hour,
    trend: Option<Trend>,
) -> Option<Verdict> {
    let (board, now_ms) = (&snapshot.board, hour.now_ms);
    let (mode, limits) = (board.scheduled_mode(), &snapshot.limits);
    if board.is_held_by_origin() {
        let words = "The origin is sick: no new visitor goes in";
        return Some(Verdict::new(Level::Alarm, words));
    }
    if snapshot.origin.health.is_sick(now_ms) && mode.lets_in() {
        let words = "The origin is sick, and visitors still go in";
        return Some(Verdict::new(Level::Alarm, words));
    }
    if mode == Mode::Hold {
        return awaited(board, now_ms).or_else(|| forgotten(snapshot, now_ms));
    }
    if mode != Mode::Automatic {
        return None;
    }
    if let Some(until_ms) = limits.recount_ms {
        let until = moment_to_the_minute(until_ms, now_ms).text;
        let words = format!("The cap lets in nobody until {until}: it is not known who is inside");
        return Some(Verdict::new(Level::Alarm, words));
    }
    if limits.bound_by == Bound::Quiet {
        let words = "Nobody goes in for some seconds: the store lost its data, and an older line may still come back";
        return Some(Verdict::new(Level::Watch, words));
    }
    if limits.bound_by == Bound::Stock {
        let words = "The reported stock is used up: no visitor goes in";
        return Some(Verdict::new(Level::Watch, words));
    }
    if board.waiting() == 0 {
        return Some(match trend {
            Some(trend) => {
                let words = format!("Nobody is waiting; {} arrive each minute", trend.arrivals());
                Verdict::new(Level::Well, words)
            }
            None => Verdict::new(Level::Unknown, "Nobody is waiting"),
        });
    }
    let wait = board.wait_of_the_last(now_ms);
    if let Some(wait) = wait.filter(|wait| *wait > LONGEST_WAIT) {
        let span = span_words(wait);
        let flows = trend.map_or_else(String::new, |trend| format!(": {}", trend.words()));
        let words = format!("The last in line would wait about {span}{flows}");
        return Some(Verdict::new(Level::Alarm, words));
    }
    if cap_in_force(board).is_some_and(is_above) {
        let words = "Above the cap until visits end: no new visitor goes in";
        return Some(Verdict::new(Level::Watch, words));
    }
    if let Some(rush) = rush(hour, trend, board.live.pace) {
        let words = rush.words();
        let is_short = wait.is_some_and(|wait| wait <= SHORT_WAIT);
        let level = if is_short { Level::Watch } else { Level::Alarm };
        return Some(Verdict {
            rush: Some(rush),
            ..Verdict::new(level, words)
        });
    }
    if let Some(cap) = filled(snapshot, now_ms) {
        return Some(Verdict::new(Level::Watch, filled_words(cap, now_ms)));
    }
    if let Some(verdict) = unmoved(snapshot, hour) {
        return Some(verdict);
    }
    let Some(trend) = trend else {
        let words = "Whether the line grows is known after its first minute";
        return Some(Verdict::new(Level::Unknown, words));
    };
    Some(if trend.is_measured() {
        moving(snapshot, hour, trend)
    } else {
        changed(snapshot, hour, trend)
    })
}

/// An order by lot that is not decided long after the event has opened.
fn awaited(board: &Board, now_ms: u64) -> Option<Verdict> {
    let CurrentEvent { event, phase, .. } = board.event.as_ref()?;
    let seconds = now_ms.saturating_sub(event.opens_ms) / 1000;
    let is_awaited = *phase == Phase::Drawing && board.live.mode == Mode::Automatic;
    let is_long = seconds >= LONG_LOT && board.waiting() > 0;
    (is_awaited && is_long).then(|| {
        let (span, many) = (span_words(seconds), people(board.waiting()));
        let words = format!("The order is not decided {span} after the opening: {many} waiting");
        Verdict::new(Level::Alarm, words)
    })
}

/// A hold of an operator that has lasted long, while visitors wait who should go in.
fn forgotten(snapshot: &PanelSnapshot, now_ms: u64) -> Option<Verdict> {
    let board = &snapshot.board;
    let event = board.event.as_ref();
    let is_open = event.is_none_or(|event| event.phase.lets_in());
    let set = snapshot.mode.as_ref()?;
    let seconds = now_ms.saturating_sub(set.at_ms) / 1000;
    let is_long = seconds >= LONG_HOLD && board.waiting() > 0;
    (is_open && board.live.mode == Mode::Hold && is_long).then(|| {
        let (span, many, by) = (span_words(seconds), number(board.waiting()), set.who());
        let words =
            format!("On hold for {span}, by {by}: {many} waiting, and no new visitor goes in");
        Verdict::new(Level::Alarm, words)
    })
}

/// Whether more are inside than the cap allows, as after it was lowered. Invited visitors may be a few more.
pub(super) fn is_above(cap: &Sessions) -> bool {
    let few = cap.total_active / FEW_FREE;
    cap.total_active > 0 && cap.inside_all() > cap.total_active + few
}

/// The cap that has just filled: visitors went in within the length of a session, and none of those sessions ends soon. So no slot
/// could be free again, and that none is says nothing yet.
pub(super) fn filled(snapshot: &PanelSnapshot, now_ms: u64) -> Option<&Sessions> {
    let cap = cap_in_force(&snapshot.board)?;
    let last = snapshot.limits.last?;
    let is_within = now_ms < last.at_ms.saturating_add(cap.minutes * MINUTE_MS);
    let is_soon = ends_ms(cap).is_none_or(|ends_ms| ends_ms < now_ms + SOON_MS);
    (snapshot.limits.bound_by == Bound::Slots && is_within && !is_soon).then_some(cap)
}

fn filled_words(cap: &Sessions, now_ms: u64) -> String {
    let from = ends_ms(cap).map_or_else(String::new, |ends_ms| {
        let at = moment_to_the_minute(ends_ms, now_ms).text;
        format!("; the first visits may end at {at}")
    });
    format!("The cap is full{from}")
}

/// When the first session ends, unless the visitor comes again.
fn ends_ms(cap: &Sessions) -> Option<u64> {
    let cells = cap.cells.iter().filter(|cell| cell.many > 0);
    Some((cells.map(|cell| cell.end).min()? + 1) * MINUTE_MS)
}

/// A line in which no visitor has gone in for long, though visitors waited all the time; or one about which nobody has asked.
fn unmoved(snapshot: &PanelSnapshot, hour: &Hour) -> Option<Verdict> {
    let (board, now_ms) = (&snapshot.board, hour.now_ms);
    let waiting = number(board.waiting());
    if snapshot.history.now.at == 0 {
        let words = format!("{waiting} waiting; how they moved in the last hour is not known");
        return Some(Verdict::new(Level::Unknown, words));
    }
    let asked = (now_ms / MINUTE_MS).saturating_sub(snapshot.history.now.at);
    if asked >= 2 {
        // Only what visitors ask moves a line.
        let words = format!("{waiting} waiting, and none of them has asked for {asked} min");
        return Some(Verdict::new(Level::Unknown, words));
    }
    let pace = board.live.pace;
    let allowed = match pace.automatic {
        0 => STANDS_WITHOUT_A_PACE,
        automatic => STANDS.max(automatic.saturating_add(60)),
    };
    let last_ms = snapshot.limits.last.map_or(0, |last| last.at_ms);
    // The end of the latest minute at whose end nobody waited, or in which one went in of whom no more is known.
    let moved =
        |bar: &&Bar| bar.waiting == 0 || bar.admitted > 0 && last_ms < bar.minute * MINUTE_MS;
    let mut latest = hour.bars.iter().rev();
    let first = hour.bars.first().map_or(0, |bar| bar.minute);
    let moved_ms = latest.find(moved).map_or(first, |bar| bar.minute + 1) * MINUTE_MS;
    let since_ms = moved_ms.max(last_ms).max(changed_ms(snapshot, now_ms));
    let seconds = now_ms.saturating_sub(since_ms) / 1000;
    // Where no visitor has asked in this minute, they may have left in the last one.
    (seconds > allowed + 60 * asked).then(|| {
        let span = span_words(seconds);
        let why = match cap_in_force(board) {
            Some(_) if snapshot.limits.bound_by == Bound::Slots => "the cap is full".to_owned(),
            _ => format!("{waiting} waiting"),
        };
        let words = format!("The line is not moving: {why}, and none has gone in for {span}");
        let level = if pace.automatic == 0 {
            Level::Watch
        } else {
            Level::Alarm
        };
        Verdict::new(level, words)
    })
}

/// Many more visitors than before: how many came, and in what time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rush {
    came: u64,
    ms: u64,
    /// Whole minutes, besides the one under way.
    minutes: usize,
    than: String,
}

impl Rush {
    fn words(&self) -> String {
        let (came, span, than) = (number(self.came), self.span(), &self.than);
        format!("A rush begins: {came} came in {span}, {than}")
    }

    /// The same beside how many come in a minute.
    pub(super) fn beside(&self) -> String {
        format!("{}; {}", self.span(), self.than)
    }

    /// When they came.
    pub(super) fn span(&self) -> String {
        match self.minutes {
            0 => "this minute so far".to_owned(),
            minutes => format!("the last {} min", minutes + 1),
        }
    }

    /// As many come in a minute if it goes on so. What came in some seconds may have come at once, so it is that of a whole minute.
    pub(super) fn a_minute(&self) -> u64 {
        self.came.saturating_mul(MINUTE_MS) / self.ms.max(MINUTE_MS)
    }
}

/// Many more come than before, and than go in: in the minute under way, or in that and some before it.
pub(super) fn rush(hour: &Hour, trend: Option<Trend>, pace: Pace) -> Option<Rush> {
    let gone_ms = hour.gone_ms();
    let measured = trend.map_or(0, |trend| trend.go_in(1));
    let go = measured.max(in_minutes(pace, 1));
    let of_minute = |many: u64, ms: u64| many.saturating_mul(ms) / MINUTE_MS;
    let is_telling = usize::from(gone_ms < TELLING);
    // The first minute that is known began with the line, and is no whole one.
    let first = hour.bars.first().map_or(0, |bar| bar.minute);
    let mut now = None;
    let mut rush: Option<Rush> = None;
    for minutes in 0..=RUSH {
        let (mut bars, lasted) = (hour.bars.iter().rev(), minutes as u64);
        let came: u64 = bars.by_ref().take(minutes + 1).map(|bar| bar.arrived).sum();
        let ms = lasted * MINUTE_MS + gone_ms;
        if minutes >= is_telling {
            now.get_or_insert((came, ms));
        }
        let earlier = bars.filter(|bar| bar.minute > first).take(BEFORE_A_RUSH);
        let (many, sum) = earlier.fold((0, 0), |(many, sum), bar| (many + 1, sum + bar.arrived));
        let is_young = many == 0;
        if came < LEAST_RUSH.max(of_minute(LEAST_RUSH, ms)) || came <= of_minute(go, ms) {
            continue;
        }
        // That it goes on, by what comes now.
        let usual = if is_young {
            go
        } else {
            (sum / many).max(go * 2 / 3)
        };
        let goes_on = now.is_none_or(|(came, ms)| 2 * came > 3 * of_minute(usual, ms));
        let is_rush = if is_young {
            let go_in = of_minute(go, ms.max(MINUTE_MS));
            minutes <= YOUNG && pace.automatic > 0 && came > go_in.saturating_mul(2)
        } else {
            // Twice as many and more than chance makes of it; and of few arrivals, more than chance makes of the usual ones.
            let usual = of_minute(sum, ms) / many;
            exceeds(came, 2 * usual, 3) && came > usual + 4 * came.isqrt()
        };
        if !is_rush || !goes_on {
            continue;
        }
        let than = if is_young {
            format!("and the pace lets in {}", speed_words(pace))
        } else {
            format!("{} a minute before", per_minute(sum, many))
        };
        // The shortest time shows it first; what came before it is before the longest.
        match &mut rush {
            Some(rush) if !is_young => rush.than = than,
            Some(_) => {}
            None => {
                rush = Some(Rush {
                    came,
                    ms,
                    minutes,
                    than,
                });
            }
        }
    }
    rush
}

/// A line of which nothing was counted since something changed: what comes is held against the pace, or against nobody where no visitor
/// has gone in since.
fn changed(snapshot: &PanelSnapshot, hour: &Hour, trend: Trend) -> Verdict {
    let (board, now_ms) = (&snapshot.board, hour.now_ms);
    let (pace, arrive) = (board.live.pace, trend.arrivals());
    let at_ms = changed_ms(snapshot, now_ms);
    let is_slots = snapshot.limits.bound_by == Bound::Slots;
    let is_slowed = board.origin.as_ref().is_some_and(|origin| origin.is_slowed);
    if is_slots || pace.automatic == 0 {
        let last_ms = snapshot.limits.last.map_or(0, |last| last.at_ms);
        let came = trend.arrive_in(now_ms - at_ms);
        let is_growing = last_ms <= at_ms && came > 3 * came.isqrt();
        if !is_growing {
            return just_changed();
        }
        let (level, does) = match cap_in_force(board).filter(|_| is_slots) {
            Some(_) => (Level::Alarm, format!("Growing, {BY_CAP}")),
            None => (Level::Watch, "Growing".to_owned()),
        };
        let words =
            format!("{does}: {arrive} arrive each minute, and none has gone in since the change");
        return Verdict::new(level, words);
    }
    if is_slowed {
        return just_changed();
    }
    let lets_in = speed_words(pace);
    by_flows(
        trend,
        &format!("{arrive} arrive each minute, the pace lets in {lets_in}"),
    )
}

/// What is said of a line by how many come and go in.
fn by_flows(trend: Trend, flows: &str) -> Verdict {
    let (level, does) = if trend.is_growing() {
        (Level::Watch, "Growing")
    } else if trend.is_shrinking() {
        (Level::Well, "Keeping up")
    } else {
        (Level::Well, "Steady")
    };
    Verdict::new(level, format!("{does}: {flows}"))
}

fn just_changed() -> Verdict {
    let words = "Just changed: how the line moves by that is known after one whole minute";
    Verdict::new(Level::Unknown, words)
}

/// Whether fewer go in than by the pace, since the slots are taken.
fn is_capped(snapshot: &PanelSnapshot, hour: &Hour, trend: Trend, cap: &Sessions) -> bool {
    let pace = snapshot.board.live.pace;
    // One period more or less may fall into a minute of which it is no part.
    let slack = match 60_u64.checked_rem(pace.automatic) {
        Some(0) | None => 0,
        Some(_) => pace.quantity,
    };
    let is_below = |admitted: u64, ms: u64| {
        let by_pace = in_minutes(pace, 1).saturating_mul(ms) / MINUTE_MS;
        pace.automatic == 0 || (admitted + slack) * 100 < by_pace.saturating_mul(95)
    };
    let mut bars = hour.bars.iter().rev();
    let now = bars.next().map_or(0, |bar| bar.admitted);
    let (whole, before) = (bars.next(), bars.next());
    let of_whole = whole.is_some_and(|bar| is_below(bar.admitted, MINUTE_MS));
    let minutes = trend.minutes();
    let is_below = is_below(trend.go_in(minutes), minutes * MINUTE_MS)
        || of_whole
        || is_below(now, hour.gone_ms());
    // Sessions end with a minute; until those slots are taken again nothing but the pace binds.
    let waited = [whole, before]
        .into_iter()
        .all(|bar| bar.is_some_and(|bar| bar.waiting > 0));
    let from = changed_ms(snapshot, hour.now_ms) / MINUTE_MS;
    let is_since = whole.is_some_and(|bar| bar.minute > from);
    let of_a_minute = cap.total_active / cap.minutes.max(1);
    let is_nearly_full = cap.free() <= of_a_minute + cap.total_active / FEW_FREE;
    let is_between = of_whole && waited && is_since && is_nearly_full && pace.automatic <= 60;
    is_below && full_cap(snapshot).is_some() || is_between
}

/// A line that moves, and what binds it.
fn moving(snapshot: &PanelSnapshot, hour: &Hour, trend: Trend) -> Verdict {
    let board = &snapshot.board;
    let pace = board.live.pace;
    let cap = cap_in_force(board);
    if cap.is_some_and(|cap| is_capped(snapshot, hour, trend, cap)) {
        let (level, does) = if trend.is_growing() {
            (Level::Alarm, "Growing")
        } else if trend.is_shrinking() {
            (Level::Watch, "Shrinking")
        } else {
            (Level::Watch, "Steady")
        };
        return Verdict::new(level, format!("{does}, {BY_CAP}: {}", trend.shown()));
    }
    // A period that is longer than what was looked at says nothing by itself.
    if pace.automatic > trend.minutes() * 60 {
        let arrive = trend.arrivals();
        if trend.outgrows(in_minutes(pace, trend.minutes())) {
            let pace = pace_words(pace);
            let words = format!("Growing: {arrive} arrive each minute, the pace lets in {pace}");
            return Verdict::new(Level::Watch, words);
        }
        let words = format!(
            "Moves by pace: {}; {arrive} arrive each minute",
            pace_words(pace)
        );
        return Verdict::new(Level::Well, words);
    }
    by_flows(trend, &trend.shown())
}

/// Who fills the cap.
pub(super) fn full(cap: &Sessions) -> String {
    let (inside, most) = (number(cap.inside()), number(cap.total_active));
    let promised = match cap.promised {
        0 => String::new(),
        many => format!(" and {} called", number(many)),
    };
    match (cap.promised, cap.elsewhere) {
        (0, 0) => format!("{inside} of {most} inside"),
        (_, 0) => format!("{inside} inside{promised}, of {most}"),
        (_, many) => {
            let elsewhere = number(many);
            format!(
                "{inside} inside{promised} here, {elsewhere} in rooms with the same cap, of {most}"
            )
        }
    }
}

/// The cap, where no slot is free, or was when visitors last went in.
pub(super) fn full_cap(snapshot: &PanelSnapshot) -> Option<&Sessions> {
    let last = snapshot.limits.last.map(|last| last.bound_by);
    let is_slots = [Some(snapshot.limits.bound_by), last].contains(&Some(Bound::Slots));
    cap_in_force(&snapshot.board).filter(|_| is_slots)
}

/// The cap, where it keeps visitors out or would.
pub(super) fn cap_in_force(board: &Board) -> Option<&Sessions> {
    let cap = board.sessions.as_ref();
    cap.filter(|cap| cap.enforcement == Enforcement::On)
}

#[cfg(test)]
mod tests {
    use super::super::hour::tests::{TEN, snapshot};
    use super::*;
    use crate::queue::{Cell, Provenance, Released, WatchedOrigin};

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
        let verdict = verdict(snapshot, &hour, trend)?;
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
                by: Some("anna".to_owned()),
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
                "Nobody is waiting; 12 arrive each minute",
            ),
            (
                "shrinking",
                per_minute(line(200, 46, 80, 30), 80),
                Well,
                "Keeping up: 46 arrive and 80 go in each minute",
            ),
            (
                "as many come as go",
                per_minute(line(200, 40, 40, 30), 40),
                Well,
                "Steady: 40 arrive and 40 go in each minute",
            ),
            (
                "growing",
                per_minute(line(500, 40, 30, 35), 30),
                Watch,
                "Growing: 40 arrive and 30 go in each minute",
            ),
            (
                "the pace is wrong by ten",
                per_minute(line(5_000, 300, 30, 250), 30),
                Watch,
                "Growing: 300 arrive and 30 go in each minute",
            ),
            (
                "cap full, the line stands",
                full(per_minute(line(300, 46, 0, 40), 80)),
                Alarm,
                "The line is not moving: the cap is full, and none has gone in for 8 min",
            ),
            (
                "cap full, the line grows",
                full(per_minute(line(2_340, 78, 8, 70), 80)),
                Alarm,
                "Growing, held back by the cap: 78 arrive and 8 go in each minute",
            ),
            (
                "cap full, the line shrinks",
                full(per_minute(line(300, 4, 20, 3), 80)),
                Watch,
                "Shrinking, held back by the cap: 4 arrive and 20 go in each minute",
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
                "A rush begins: 900 came in this minute so far, and the pace lets in 50 a minute",
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
                "A rush begins: 140 came in this minute so far, 46 a minute before",
            ),
            (
                "more than usual, as by chance",
                per_minute(line(40, 46, 50, 55), 50),
                Well,
                "Steady: 46 arrive and 50 go in each minute",
            ),
            (
                "more than chance makes, and no rush",
                per_minute(line(40, 46, 50, 70), 50),
                Watch,
                "Growing: 70 arrived in this minute, and 0 went in",
            ),
            (
                "more than twice as many in fifty seconds as else in them",
                per_minute(line(400, 46, 50, 110), 50),
                Alarm,
                "A rush begins: 110 came in this minute so far, 46 a minute before",
            ),
            (
                "a rush that the pace takes",
                per_minute(line(40, 46, 200, 150), 200),
                Well,
                "Keeping up: 46 arrive and 200 go in each minute",
            ),
            (
                "2.3 million wait",
                per_minute(line(2_300_000, 4, 8, 3), 8),
                Alarm,
                "The last in line would wait about 200 days: 4 arrive and 8 go in each minute",
            ),
            (
                "nothing moves",
                per_minute(line(90, 3, 0, 2), 30),
                Alarm,
                "The line is not moving: 92 waiting, and none has gone in for 11 min",
            ),
            (
                "without a pace, nobody let in",
                at_pace(line(90, 3, 0, 2), 0, 0),
                Watch,
                "The line is not moving: 92 waiting, and none has gone in for 11 min",
            ),
            (
                "without a pace, by permits",
                at_pace(line(90, 3, 9, 2), 0, 0),
                Well,
                "Keeping up: 3 arrive and 9 go in each minute",
            ),
            (
                "one an hour",
                at_pace(line(5, 0, 0, 0), 3_600, 1),
                Well,
                "Moves by pace: 1 every 3,600 seconds; 0 arrive each minute",
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
                "On hold for 60 min, by anna: 350 waiting, and no new visitor goes in",
            ),
        ];
        for (situation, line, level, words) in table {
            assert_eq!(told(&line), Some((level, words.to_owned())), "{situation}");
        }
        assert_eq!(told(&held(10)), None, "a hold of ten minutes");
        let known = |level, words: &str| Some((level, words.to_owned()));
        // The event has just opened, and nobody could go in before.
        let mut opened = per_minute(line(10_000, 500, 0, 90), 80);
        let mut event = super::super::events::tests::in_phase(Phase::Open);
        event.event.opens_ms = NOW_MS - 20_000;
        opened.board.event = Some(event);
        let words = "Growing: 500 arrive each minute, the pace lets in 80 a minute";
        assert_eq!(told(&opened), known(Watch, words));
        // Its order by lot has not been decided for five minutes.
        let mut drawing = super::super::events::tests::in_phase(Phase::Drawing);
        drawing.event.opens_ms = NOW_MS - 300_000;
        let mut awaited = per_minute(line(165, 3, 0, 0), 30);
        awaited.board.event = Some(drawing);
        let words = "The order is not decided 5 min after the opening: 165 people waiting";
        assert_eq!(told(&awaited), known(Alarm, words));
        // Twelve at once, every hour.
        let words = "Moves by pace: 12 every 3,600 seconds; 0 arrive each minute";
        assert_eq!(
            told(&at_pace(line(40, 0, 0, 0), 3_600, 12)),
            known(Well, words)
        );
        let words = "Growing: 3 arrive each minute, the pace lets in 1 every 3,600 seconds";
        let more = at_pace(line(20, 3, 0, 0), 3_600, 1);
        assert_eq!(told(&more), known(Watch, words));
        // Of the minutes before a loss nothing is known.
        let mut lost = per_minute(line(90, 3, 9, 2), 30);
        lost.history = crate::queue::History::default();
        let words = "92 waiting; how they moved in the last hour is not known";
        assert_eq!(told(&lost), known(Unknown, words));
        // An operator has overruled the health of the origin until later, and it is well.
        let mut overruled = per_minute(line(500, 40, 30, 35), 30);
        overruled.origin.health.overruled_until_ms = NOW_MS + 3_000_000;
        let words = "Growing: 40 arrive and 30 go in each minute";
        assert_eq!(told(&overruled), known(Watch, words));
        // The first visitor who waits after a calm time.
        let calm = snapshot(&[(TEN - 5, 0, 0), (TEN - 1, 0, 0), (TEN, 1, 1)]);
        let words = "Steady: 0 arrive and 0 go in each minute";
        assert_eq!(told(&at_pace(calm, 60, 1)), known(Well, words));
        // Both have closed their pages.
        let left = snapshot(&[(TEN - 20, 0, 0), (TEN - 14, 2, 0)]);
        let words = "2 waiting, and none of them has asked for 14 min";
        assert_eq!(told(&at_pace(left, 60, 1)), known(Unknown, words));
        // The cap is full, and the line keeps its length.
        let words = "Steady, held back by the cap: 20 arrive and 20 go in each minute";
        assert_eq!(
            told(&full(per_minute(line(300, 20, 20, 3), 80))),
            known(Watch, words)
        );
        // The health of the origin is only observed.
        let mut observed = per_minute(line(200, 46, 80, 30), 80);
        observed.origin.health.sick_until_ms = NOW_MS + 30_000;
        let words = "The origin is sick, and visitors still go in";
        assert_eq!(told(&observed), known(Alarm, words));
        let mut changed = full(per_minute(line(300, 46, 0, 40), 80));
        changed.pace = Some(Provenance {
            at_ms: NOW_MS - 30_000,
            by: None,
        });
        let words = "Growing, held back by the cap: 46 arrive each minute, and none has gone in since the change";
        assert_eq!(told(&changed), known(Alarm, words));
        // Something went in since, by slots of which nothing is known yet.
        changed.limits.last = Some(Released {
            at_ms: NOW_MS - 20_000,
            released: 1,
            pace: 1,
            slots: Some(1),
            bound_by: Bound::Slots,
        });
        let words = "Just changed: how the line moves by that is known after one whole minute";
        assert_eq!(told(&changed), known(Unknown, words));
        // The pace was set to a tenth, and to ten times as much.
        let set = |quantity| {
            let mut line = per_minute(line(300, 30, 40, 20), quantity);
            line.pace = Some(Provenance {
                at_ms: NOW_MS - 5_000,
                by: None,
            });
            line
        };
        let words = "Growing: 30 arrive each minute, the pace lets in 4 a minute";
        assert_eq!(told(&set(4)), known(Watch, words));
        let words = "Keeping up: 30 arrive each minute, the pace lets in 400 a minute";
        assert_eq!(told(&set(400)), known(Well, words));
        // After a sickness the pace begins small.
        let mut slowed = set(400);
        slowed.board.origin = Some(WatchedOrigin {
            holds: false,
            cuts: 1,
            is_cut: true,
            is_slowed: true,
        });
        let words = "Just changed: how the line moves by that is known after one whole minute";
        assert_eq!(told(&slowed), known(Unknown, words));
        // The pace was switched off, and nobody has gone in since.
        let mut off = set(1);
        off.board.live.pace.automatic = 0;
        off.pace = Some(Provenance {
            at_ms: NOW_MS - 30_000,
            by: None,
        });
        let words = "Growing: 30 arrive each minute, and none has gone in since the change";
        assert_eq!(told(&off), known(Watch, words));
        // Credit lets them go straight in.
        let straight = per_minute(snapshot(&[(TEN - 1, 0, 3), (TEN, 0, 400)]), 5);
        let words = "Nobody is waiting; 3 arrive each minute";
        assert_eq!(told(&straight), Some((Well, words.to_owned())));
    }

    #[test]
    fn a_cap_with_free_slots_is_not_what_holds_a_line_back() {
        let loose = |mut line: PanelSnapshot, inside| {
            line.limits.bound_by = Bound::Pace;
            line.board.sessions = Some(Sessions {
                total_active: 10_000,
                minutes: 20,
                cells: vec![Cell {
                    end: TEN + 8,
                    many: inside,
                }],
                ..Sessions::default()
            });
            line
        };
        // Of 44 every 45 seconds 44 fall into three of four minutes, and 88 into the fourth.
        let odd = || at_pace(line(300, 44, 44, 40), 45, 44);
        let words = "Steady: 44 arrive and 44 go in each minute";
        assert_eq!(
            told(&loose(odd(), 352)),
            Some((Level::Well, words.to_owned()))
        );
        // After a sickness a period lets in fewer than the pace.
        let mut slowed = loose(at_pace(line(300, 60, 40, 50), 15, 20), 352);
        slowed.board.origin = Some(WatchedOrigin {
            holds: false,
            cuts: 1,
            is_cut: true,
            is_slowed: true,
        });
        let words = "Growing: 60 arrive and 40 go in each minute";
        assert_eq!(told(&slowed), Some((Level::Watch, words.to_owned())));
        // Just after sessions have ended the pace binds, until those slots are taken.
        let full = loose(at_pace(line(300, 60, 40, 50), 15, 20), 9_500);
        let words = "Growing, held back by the cap: 60 arrive and 40 go in each minute";
        assert_eq!(told(&full), Some((Level::Alarm, words.to_owned())));
    }

    #[test]
    fn a_rush_is_held_against_the_minutes_before_it_however_long_it_lasts() {
        // 40 came in each of ten minutes, and 400 in each of so many since.
        let since = |minutes: u64| {
            let drawn = |at: u64| 40 * at + 360 * at.saturating_sub(10);
            let minute = |at: u64| {
                let go = 50 * at;
                let left = drawn(at).saturating_sub(go);
                (TEN - 10 - minutes + at, left, drawn(at).min(go))
            };
            at_pace(
                snapshot(&(0..=10 + minutes).map(minute).collect::<Vec<_>>()),
                60,
                50,
            )
        };
        for minutes in 1..=5 {
            let words = told(&since(minutes)).unwrap_or((Level::Unknown, String::new()));
            assert_eq!(words.0, Level::Alarm, "{minutes} min: {}", words.1);
            assert!(words.1.ends_with(", 40 a minute before"), "{}", words.1);
        }
        // In the first minute of a line the pace is told as it is.
        let first = at_pace(snapshot(&[(TEN, 900, 0)]), 90, 1);
        let words = told(&first).map(|(_, words)| words);
        let expected = "A rush begins: 900 came in this minute so far, and the pace lets in 1 every 90 seconds";
        assert_eq!(words.as_deref(), Some(expected));
    }

    #[test]
    fn a_cap_that_has_just_filled_or_was_lowered_is_no_alarm() {
        // Visitors went in until some minutes ago, and a session lasts 20.
        let filled = |minutes: u64, end: u64| {
            let mut line = full(at_pace(line(300, 46, 0, 40), 60, 80));
            line.board.sessions = line.board.sessions.map(|cap| Sessions {
                minutes: 20,
                cells: vec![Cell { end, many: 25 }],
                ..cap
            });
            line.limits.last = Some(Released {
                at_ms: NOW_MS - minutes * MINUTE_MS,
                released: 1,
                pace: 80,
                slots: Some(1),
                bound_by: Bound::Slots,
            });
            line
        };
        let words = "The cap is full; the first visits may end at 10:15 UTC";
        assert_eq!(
            told(&filled(6, TEN + 14)),
            Some((Level::Watch, words.to_owned()))
        );
        // They all stay: each visit is renewed.
        let words = "The line is not moving: the cap is full, and none has gone in for 8 min";
        assert_eq!(
            told(&filled(21, TEN + 14)),
            Some((Level::Alarm, words.to_owned()))
        );
        // Sessions end in each minute.
        let words = "Growing, held back by the cap: 46 arrive and 0 go in each minute";
        assert_eq!(
            told(&filled(1, TEN)),
            Some((Level::Alarm, words.to_owned()))
        );
        let mut lowered = filled(6, TEN);
        if let Some(cap) = &mut lowered.board.sessions {
            cap.total_active = 10;
        }
        let words = "Above the cap until visits end: no new visitor goes in";
        assert_eq!(told(&lowered), Some((Level::Watch, words.to_owned())));
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
            let mut event = super::super::events::tests::in_phase(phase);
            event.event.opens_ms = NOW_MS - 299_000;
            line.board.event = Some(event);
            assert_eq!(told(&line), None, "{phase:?}");
        }
    }
    /// A day of arrivals by chance, so many a minute in the mean, at a pace that takes a third more, looked at every 20 seconds.
    fn alarms_in_a_calm_day(mean: f64, automatic: u64, seed: u64) -> u64 {
        let mut state = seed;
        let mut chance = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            f64::from(u32::try_from(state >> 33).unwrap_or(0)) / f64::from(1_u32 << 31)
        };
        let quantity = (mean * 4.0 / 3.0 * f64::from(u32::try_from(automatic).unwrap_or(1)) / 60.0)
            .ceil()
            .max(1.0);
        let quantity = format!("{quantity}").parse::<u64>().unwrap_or(1);
        let (mut waiting, mut admitted, mut left) = (0_u64, 0_u64, 0_u64);
        let (mut last_ms, mut active) = (0, TEN);
        let mut ends: Vec<(u64, u64, u64)> = Vec::new();
        let mut alarms = 0;
        for second in 0..86_400 {
            let now_ms = TEN * MINUTE_MS + second * 1000;
            if second % automatic == 0 {
                left = quantity;
            }
            // Arrivals of a second, by Knuth.
            let (limit, mut product, mut arrived) = ((-mean / 60.0).exp(), chance(), 0);
            while product > limit {
                arrived += 1;
                product *= chance();
            }
            waiting += arrived;
            let go = waiting.min(left);
            (waiting, left, admitted) = (waiting - go, left - go, admitted + go);
            if go > 0 {
                last_ms = now_ms;
            }
            let minute = now_ms / MINUTE_MS;
            if waiting + arrived > 0 {
                active = minute;
            }
            match ends.last_mut() {
                Some(end) if end.0 == minute => *end = (minute, waiting, admitted),
                _ => ends.push((minute, waiting, admitted)),
            }
            if second % 20 == 19 {
                let recent = ends
                    .get(ends.len().saturating_sub(61)..)
                    .unwrap_or_default();
                let mut line = at_pace(snapshot(recent), automatic, quantity);
                line.history.now.at = active;
                line.limits.last = (last_ms > 0).then_some(Released {
                    at_ms: last_ms,
                    released: 1,
                    pace: 1,
                    slots: None,
                    bound_by: Bound::Pace,
                });
                let hour = Hour::new(&line, now_ms);
                let trend = Trend::new(&line, &hour);
                let verdict = verdict(&line, &hour, trend);
                let is_alarm = verdict.is_some_and(|verdict| verdict.level == Level::Alarm);
                alarms += u64::from(is_alarm);
            }
        }
        alarms
    }

    #[test]
    fn a_calm_day_raises_no_alarm() {
        for mean in [0.1, 1.0, 4.0, 16.0, 46.0, 200.0] {
            for automatic in [10, 60, 600] {
                let alarms = alarms_in_a_calm_day(mean, automatic, 7);
                assert_eq!(alarms, 0, "{mean} a minute, periods of {automatic} s");
            }
        }
    }
}
