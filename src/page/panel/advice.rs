//! Changes of mode, pace or cap that would help a line in trouble, each with what follows from it.
//!
//! Invariant: only what binds the line is proposed to change. A forecast goes by what was measured and by nothing else, so where
//! nothing was measured there is none.

use serde_json::Value;

use super::hour::Hour;
use super::trend::{Trend, in_minutes};
use super::verdict::{Level, Rush, Verdict, cap_in_force, filled, full_cap, is_above, rush};
use super::words::{Moment, moment_to_the_minute, number, people, speed_words};
use super::{Configured, PanelView, Question};
use crate::http::object::object;
use crate::queue::{Bound, Cap, Mode, Pace, PanelSnapshot, Sessions};

/// Within so many minutes the line is to be empty: the gentlest change first.
const WITHIN: [u64; 4] = [20 * 60, 4 * 60, 60, 15];
/// As many changes are proposed at most.
const MOST: usize = 3;
/// No change is proposed by more than this factor.
const TIMES: u64 = 20;
/// By fewer admissions than this no rate is told.
const HANDFUL: u64 = 6;
/// What a hold does.
const HOLDS: &str = "No new visitor goes in until you resume";

/// A change of the settings by which the line moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proposal {
    /// Another mode.
    Mode(Mode),
    /// Another pace.
    Pace(Pace),
    /// Another cap.
    Cap(Cap),
}

impl Proposal {
    /// The route and the fields of the form that makes it.
    pub(super) fn form(self) -> (&'static str, Vec<(&'static str, String)>) {
        match self {
            Self::Mode(mode) => ("mode", vec![("mode", mode.name().to_owned())]),
            Self::Pace(pace) => (
                "settings",
                vec![
                    ("automatic", pace.automatic.to_string()),
                    ("automatic_quantity", pace.quantity.to_string()),
                ],
            ),
            Self::Cap(cap) => (
                "cap",
                vec![
                    ("total_active", cap.total_active.to_string()),
                    ("session_minutes", cap.session_minutes.to_string()),
                    ("claim_seconds", cap.claim_seconds.to_string()),
                    ("session_renewal", cap.renewal.name().to_owned()),
                ],
            ),
        }
    }

    /// Whether its form would be taken.
    fn is_accepted(self) -> bool {
        match self {
            Self::Mode(_) => true,
            Self::Pace(pace) => Pace::QUANTITY.contains(&pace.quantity),
            Self::Cap(cap) => Cap::TOTAL_ACTIVE.contains(&cap.total_active),
        }
    }

    /// The words of its button.
    fn label(self) -> String {
        match self {
            Self::Mode(Mode::Automatic) => "Resume".to_owned(),
            Self::Mode(Mode::Hold) => "Hold the line".to_owned(),
            Self::Mode(mode) => format!("Set the mode to {}", mode.name()),
            Self::Pace(pace) => format!("Let in {}", speed_words(pace)),
            Self::Cap(cap) => format!("Raise the cap to {}", number(cap.total_active)),
        }
    }

    /// What holds now, and what will, where that is a figure.
    fn step(self, snapshot: &PanelSnapshot) -> Option<[String; 2]> {
        let board = &snapshot.board;
        match self {
            Self::Mode(_) => None,
            Self::Pace(pace) => Some([board.live.pace, pace].map(speed_words)),
            Self::Cap(cap) => {
                let now = board.sessions.as_ref().map(|cap| cap.total_active);
                let words = |total| match total {
                    0 => "no cap".to_owned(),
                    many => number(many),
                };
                Some([now.unwrap_or(0), cap.total_active].map(words))
            }
        }
    }
}

/// A line as it moves now, by which another mode, pace or cap is judged.
struct Line<'a> {
    snapshot: &'a PanelSnapshot,
    /// With the arrivals that a forecast goes by.
    trend: Trend,
    /// In a rush those are of its minutes: the ones before say nothing.
    rush: Option<Rush>,
    /// The cap that keeps visitors out, or would.
    cap: Option<&'a Sessions>,
    is_full: bool,
}

impl<'a> Line<'a> {
    fn new(snapshot: &'a PanelSnapshot, hour: &Hour, trend: Trend) -> Self {
        let rush = rush(hour, Some(trend), snapshot.board.live.pace);
        let arriving = rush.as_ref().map(|rush| trend.arriving(rush.a_minute()));
        Self {
            snapshot,
            trend: arriving.unwrap_or(trend),
            rush,
            cap: cap_in_force(&snapshot.board),
            is_full: full_cap(snapshot).is_some(),
        }
    }

    /// What the line does after that change; nothing where it would not move by it, or where that is not known.
    fn after(&self, proposal: Proposal) -> Option<Trend> {
        let board = &self.snapshot.board;
        let (pace, total) = (board.live.pace, self.cap.map(|cap| cap.total_active));
        let is_slowed = board.origin.is_some_and(|origin| origin.is_slowed);
        let is_sick = board.origin.is_some_and(|origin| origin.holds);
        let is_open = board.event.as_ref();
        let is_open = is_open.is_none_or(|event| event.phase.lets_in());
        if is_slowed || is_sick || !is_open || self.snapshot.limits.recount_ms.is_some() {
            return None;
        }
        match proposal {
            // How many slots a cap has left by then was not measured.
            Proposal::Mode(Mode::Automatic) if total.is_none() => self.at(pace, total),
            Proposal::Pace(pace) if board.mode() == Mode::Automatic => self.at(pace, total),
            Proposal::Cap(cap) if board.mode() == Mode::Automatic => {
                let is_alike = self.cap.map(|cap| cap.minutes) == Some(cap.session_minutes);
                let total = is_alike.then_some(cap.total_active)?;
                self.at(pace, (total > 0).then_some(total))
            }
            _ => None,
        }
    }

    /// The line at this pace, with so many inside.
    fn at(&self, pace: Pace, total: Option<u64>) -> Option<Trend> {
        let by_pace = (pace.automatic > 0).then(|| in_minutes(pace, self.trend.minutes()))?;
        let by_cap = total.map_or(Some(u64::MAX), |total| self.by_cap(total))?;
        Some(self.trend.letting_in(by_pace.min(by_cap)))
    }

    /// How many a cap of so many lets in while the trend was measured. Where the cap is full, it is as many times more as it has slots
    /// more; but no slot is free again within a session, though one may seem so while the cap fills. Where it is not full, how
    /// many it would let in is not known, and by the same rule not above that.
    fn by_cap(&self, total: u64) -> Option<u64> {
        let cap = self.cap?;
        let go = self.trend.go();
        let slots = if self.is_full {
            cap.total_active
        } else {
            cap.inside_all().saturating_add(cap.promised)
        };
        let measured = go.saturating_mul(total).checked_div(slots);
        let measured = measured.filter(|_| go >= HANDFUL);
        let in_sessions =
            |slots: u64| slots.saturating_mul(self.trend.minutes()) / cap.minutes.max(1);
        if self.is_full {
            let more = in_sessions(total.saturating_sub(slots));
            return measured.map(|many| many.min(go + more));
        }
        let most = in_sessions(total);
        Some(measured.map_or(most, |many| many.min(most)))
    }

    /// How many have to go in while as many arrive as were measured, so that the line is empty within so many minutes.
    fn needed(&self, within: u64) -> u64 {
        let waiting = self.snapshot.board.waiting();
        let more = waiting.saturating_mul(self.trend.minutes());
        self.trend.arrive().saturating_add(more.div_ceil(within))
    }

    /// Paces that empty the line.
    fn paces(&self) -> Vec<Proposal> {
        let (now, minutes) = (self.snapshot.board.live.pace, self.trend.minutes());
        let by_pace = in_minutes(now, minutes);
        // Where fewer go in than the pace says, it is not the pace that binds.
        let binds = self.rush.is_some() || self.trend.go().saturating_mul(100) >= by_pace * 95;
        // Of a period that is longer than what was looked at nothing was measured.
        if !(1..=minutes * 60).contains(&now.automatic) || !binds {
            return Vec::new();
        }
        let quantity = |within| {
            let needed = self.needed(within).saturating_mul(now.automatic);
            round(needed.div_ceil(minutes * 60))
        };
        let with = |quantity| Proposal::Pace(Pace { quantity, ..now });
        self.helpful(&WITHIN.map(quantity), now.quantity, None, &with)
    }

    /// Caps that empty the line; none above the one with which the pace binds, which is proposed where the pace does not do.
    fn caps(&self, cap: &Sessions, configured: Cap) -> Vec<Proposal> {
        let live = &self.snapshot.board.live;
        let (base, go) = (cap.total_active, self.trend.go());
        let with = |total_active| {
            let cap = live.cap.unwrap_or(configured);
            Proposal::Cap(Cap {
                total_active,
                ..cap
            })
        };
        if go < HANDFUL || live.pace.automatic == 0 {
            let double = with(round(base.saturating_mul(2)));
            return Vec::from_iter(double.is_accepted().then_some(double));
        }
        let times = |many: u64| round(base.saturating_mul(many).div_ceil(go));
        let most = times(in_minutes(live.pace, self.trend.minutes()));
        let total = |within| times(self.needed(within)).min(most);
        self.helpful(&WITHIN.map(total), base, Some(most), &with)
    }

    /// The changes to these figures that let in more than today's does, and each more than the one before, by a twentieth, so that the
    /// line grows no more, or that are the most there can be. Where any of them empties the line, the others are left out.
    fn helpful(
        &self,
        figures: &[u64],
        now: u64,
        at_most: Option<u64>,
        with: &dyn Fn(u64) -> Proposal,
    ) -> Vec<Proposal> {
        let total = self.cap.map(|cap| cap.total_active);
        let today = self.at(self.snapshot.board.live.pace, total);
        let mut go = today.map_or(0, Trend::go).max(self.trend.go());
        let most = now.saturating_mul(TIMES);
        let (mut helpful, mut any_empties) = (Vec::new(), false);
        for figure in figures {
            let proposal = with(*figure);
            let Some(after) = self.after(proposal).filter(|_| proposal.is_accepted()) else {
                continue;
            };
            let empties = after.minutes_until_empty().is_some();
            if *figure > most
                || (after.go() < after.arrive() && Some(*figure) != at_most)
                || after.go().saturating_mul(100) <= go.saturating_mul(105)
            {
                continue;
            }
            if empties && !any_empties {
                helpful.clear();
                any_empties = true;
            }
            go = after.go();
            helpful.push(proposal);
        }
        let beyond = helpful.len().saturating_sub(MOST);
        helpful.split_off(beyond)
    }

    /// What a forecast goes by.
    fn basis(&self) -> String {
        let arrive = self.trend.arrivals();
        let since = match self.trend.minutes() {
            _ if let Some(rush) = &self.rush => rush.span(),
            1 => "the last minute".to_owned(),
            minutes => format!("the last {minutes} minutes"),
        };
        let visits = if self.is_full {
            ", and visits as long as now"
        } else {
            ""
        };
        format!("arrivals of {arrive} a minute, as in {since}{visits}")
    }
}

/// Up to a number that people would choose, such as 17, 35, 140 or 650.
fn round(many: u64) -> u64 {
    let (mut step, mut times) = (1_u64, 5);
    while many > step.saturating_mul(20) {
        step = step.saturating_mul(times);
        times = 10 / times;
    }
    many.div_ceil(step).saturating_mul(step)
}

/// What would help; nothing where the line needs no help, or where no setting of an operator would be any.
fn proposals(
    snapshot: &PanelSnapshot,
    configured: Cap,
    line: Option<&Line<'_>>,
    verdict: Option<&Verdict>,
    now_ms: u64,
) -> Vec<Proposal> {
    let board = &snapshot.board;
    let needs_help = |verdict: &Verdict| matches!(verdict.level, Level::Watch | Level::Alarm);
    if !verdict.is_some_and(needs_help) || board.is_held_by_origin() {
        return Vec::new();
    }
    let mode = board.scheduled_mode();
    if snapshot.origin.health.is_sick(now_ms) {
        let holds = mode.lets_in().then_some(Proposal::Mode(Mode::Hold));
        return holds.into_iter().collect();
    }
    let is_bound = matches!(snapshot.limits.bound_by, Bound::Pace | Bound::Slots);
    match (mode, line) {
        (Mode::Hold, _) if board.live.mode == Mode::Hold => vec![Proposal::Mode(Mode::Automatic)],
        (Mode::Automatic, Some(line)) if is_bound => match full_cap(snapshot) {
            Some(cap) if is_above(cap) || filled(snapshot, now_ms).is_some() => Vec::new(),
            Some(cap) => line.caps(cap, configured),
            None => line.paces(),
        },
        _ => Vec::new(),
    }
}

/// The changes that would help, as forms, each with what follows from it.
pub(super) fn advice(
    configured: &Configured<'_>,
    desk: &PanelView<'_>,
    hour: &Hour,
    trend: Option<Trend>,
    verdict: Option<&Verdict>,
) -> Option<Value> {
    let (snapshot, now_ms) = (desk.snapshot, hour.now_ms);
    let line = trend.map(|trend| Line::new(snapshot, hour, trend));
    let proposals = proposals(snapshot, configured.cap, line.as_ref(), verdict, now_ms);
    let (mut rows, mut is_forecast) = (Vec::new(), false);
    // The pace and the cap of another room are set there.
    let is_own = configured.has_own_limits();
    let may_be_set =
        |proposal: &Proposal| is_own || !matches!(proposal, Proposal::Pace(_) | Proposal::Cap(_));
    for proposal in proposals.into_iter().filter(may_be_set) {
        let (route, fields) = proposal.form();
        let field = |(name, value)| object!({ "name": name, "value": value });
        let fields: Vec<Value> = fields.into_iter().map(field).collect();
        let after = line.as_ref().and_then(|line| line.after(proposal));
        is_forecast |= after.is_some();
        let empty_ms = after.and_then(|after| after.empty_ms(now_ms));
        rows.push(object!({
            "place": rows.len() + 1,
            "path": configured.path, "once": desk.once, "version": snapshot.board.live.version,
            "route": route,
            "fields": fields,
            "label": proposal.label(),
            "follows": follows(proposal, after).or_else(|| Some(format!("now {}", proposal.step(snapshot)?[0]))),
            "empty": empty_ms.map(|empty_ms| moment_to_the_minute(empty_ms, now_ms)),
        }));
    }
    let basis = line.filter(|_| is_forecast).map(|line| line.basis());
    (!rows.is_empty()).then(|| object!({ "rows": rows, "basis": basis }))
}

/// What follows, as a part of a sentence; where it says when the line is empty, that time stands behind it.
fn follows(proposal: Proposal, after: Option<Trend>) -> Option<String> {
    match (proposal, after) {
        (Proposal::Mode(Mode::Hold), _) => Some(HOLDS.to_owned()),
        (_, Some(after)) if after.minutes_until_empty().is_some() => {
            Some("empty at about".to_owned())
        }
        (_, Some(after)) => Some(after.words()),
        (_, None) => None,
    }
}

/// What follows from a change, as a sentence; when the line is empty stands at its end.
pub struct Forecast {
    pub(super) words: String,
    pub(super) empty: Option<Moment>,
}

/// The forecast of a change; nothing where nothing is known of it.
#[must_use]
pub fn forecast(snapshot: &PanelSnapshot, proposal: Proposal, now_ms: u64) -> Option<Forecast> {
    let hour = Hour::new(snapshot, now_ms);
    let line = Line::new(snapshot, &hour, Trend::new(snapshot, &hour)?);
    let after = line
        .after(proposal)
        .filter(|_| snapshot.board.waiting() > 0)?;
    let does = follows(proposal, Some(after))?;
    let empty = after.empty_ms(now_ms);
    let line_is = if empty.is_some() { "the line is " } else { "" };
    Some(Forecast {
        words: format!("With {}, {line_is}{does}", line.basis()),
        empty: empty.map(|empty_ms| moment_to_the_minute(empty_ms, now_ms)),
    })
}

/// Asks whether to make a change that the panel proposed.
#[must_use]
pub fn proposed(snapshot: &PanelSnapshot, proposal: Proposal) -> Question {
    let (title, yes) = match proposal {
        Proposal::Mode(Mode::Automatic) => ("Resume?", "Resume"),
        Proposal::Mode(Mode::Hold) => ("Hold the line?", "Hold the line"),
        Proposal::Mode(_) => ("Set this mode?", "Set the mode"),
        Proposal::Pace(_) => ("Set this pace?", "Set the pace"),
        Proposal::Cap(_) => ("Set this cap?", "Set the cap"),
    };
    let step = match proposal.step(snapshot) {
        Some([now, next]) => format!("Now {now}, then {next}. "),
        None if proposal == Proposal::Mode(Mode::Hold) => format!("{HOLDS}. "),
        None => String::new(),
    };
    let waiting = people(snapshot.board.waiting());
    Question {
        title,
        text: format!(
            "{step}Waiting now: {waiting}. It can be undone; visitors who went in stay inside."
        ),
        yes,
        word: None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::events::tests::in_phase;
    use super::super::hour::MINUTE_MS;
    use super::super::hour::tests::{TEN, snapshot};
    use super::super::verdict::verdict;
    use super::*;
    use crate::queue::{Cell, Phase, Provenance, Released, WatchedOrigin};

    const NOW_MS: u64 = TEN * MINUTE_MS + 50_000;

    /// Ten minutes in each of which so many arrive and go in at this pace a minute, and `waiting` who wait at their end; in the minute
    /// under way `now` have come so far.
    fn line(waiting: u64, arrive: u64, go: u64, now: u64, pace: u64) -> PanelSnapshot {
        let minute = |at: u64| {
            let left = (waiting + go * (9 - at)).saturating_sub(arrive * (9 - at));
            (TEN - 10 + at, left, go * at)
        };
        let mut minutes: Vec<(u64, u64, u64)> = (0..10).map(minute).collect();
        minutes.push((TEN, waiting + now, go * 9));
        let mut line = snapshot(&minutes);
        line.board.live.pace = per(60, pace);
        line.limits.bound_by = Bound::Pace;
        line
    }

    fn per(automatic: u64, quantity: u64) -> Pace {
        Pace {
            automatic,
            quantity,
        }
    }

    /// Under a cap with so many inside; it is full where no slot is free.
    fn capped(mut line: PanelSnapshot, total: u64, inside: u64, minutes: u64) -> PanelSnapshot {
        line.board.sessions = Some(Sessions {
            total_active: total,
            minutes,
            cells: vec![Cell {
                end: TEN + minutes,
                many: inside,
            }],
            ..Sessions::default()
        });
        line.board.live.cap = Some(Cap {
            total_active: total,
            session_minutes: minutes,
            ..Cap::default()
        });
        if inside >= total {
            line.limits.bound_by = Bound::Slots;
        }
        line
    }

    fn with(mut line: PanelSnapshot, turned: impl Fn(&mut PanelSnapshot)) -> PanelSnapshot {
        turned(&mut line);
        line
    }

    /// Each as the panel says it, with the minutes until the line is empty.
    fn told(snapshot: &PanelSnapshot) -> (Vec<String>, Option<String>) {
        told_at(snapshot, NOW_MS)
    }

    fn told_at(snapshot: &PanelSnapshot, now_ms: u64) -> (Vec<String>, Option<String>) {
        let hour = Hour::new(snapshot, now_ms);
        let trend = Trend::new(snapshot, &hour);
        let verdict = verdict(snapshot, &hour, trend);
        let line = trend.map(|trend| Line::new(snapshot, &hour, trend));
        let all = proposals(
            snapshot,
            Cap::default(),
            line.as_ref(),
            verdict.as_ref(),
            now_ms,
        );
        let after = |proposal| line.as_ref().and_then(|line| line.after(proposal));
        let words = |proposal: &Proposal| {
            let after = after(*proposal);
            let minutes = after.and_then(Trend::minutes_until_empty);
            let minutes = minutes.map(|minutes| format!(" {minutes} min"));
            let follows = follows(*proposal, after).map(|words| format!(": {words}"));
            [Some(proposal.label()), follows, minutes]
                .into_iter()
                .flatten()
                .collect::<String>()
        };
        let basis = all.iter().any(|proposal| after(*proposal).is_some());
        let basis = line.as_ref().filter(|_| basis).map(Line::basis);
        (all.iter().map(words).collect(), basis)
    }

    #[test]
    fn the_table_of_what_helps() {
        let growing = || line(500, 40, 30, 35, 30);
        let watched = |holds, is_slowed| WatchedOrigin {
            holds,
            cuts: 0,
            is_cut: false,
            is_slowed,
        };
        let held = |minutes: u64| {
            let mut line = line(340, 12, 0, 10, 30);
            line.board.live.mode = Mode::Hold;
            line.limits.bound_by = Bound::Mode;
            line.mode = Some(Provenance {
                at_ms: NOW_MS - minutes * MINUTE_MS,
                by: None,
            });
            line
        };
        let in_mode = |mode| with(growing(), |line| line.board.live.mode = mode);
        let at_event = |phase| {
            with(growing(), |line| {
                let mut event = in_phase(phase);
                event.event.opens_ms = NOW_MS - 20 * MINUTE_MS;
                line.board.event = Some(event);
                line.limits.bound_by = Bound::Event;
            })
        };
        let sick = |line: &mut PanelSnapshot| line.origin.health.sick_until_ms = NOW_MS + 30_000;
        let table: Vec<(&str, PanelSnapshot, &[&str], &str)> = vec![
            ("calm, nobody waits", line(0, 12, 12, 0, 30), &[], ""),
            ("shrinking", line(200, 46, 80, 30, 80), &[], ""),
            ("as many come as go", line(200, 40, 40, 30, 40), &[], ""),
            (
                "the pace is below the arrivals",
                growing(),
                &[
                    "Let in 45 a minute: empty at about 107 min",
                    "Let in 50 a minute: empty at about 54 min",
                    "Let in 80 a minute: empty at about 14 min",
                ],
                "arrivals of 40 a minute, as in the last 5 minutes",
            ),
            (
                "the pace is wrong by ten",
                line(5_000, 300, 30, 250, 30),
                &[
                    "Let in 350 a minute: empty at about 105 min",
                    "Let in 400 a minute: empty at about 53 min",
                ],
                "arrivals of 300 a minute, as in the last 5 minutes",
            ),
            (
                "the same, measured for a minute",
                with(line(5_000, 300, 30, 250, 30), |line| {
                    line.pace = Some(Provenance {
                        at_ms: NOW_MS - 170_000,
                        by: None,
                    });
                }),
                &[
                    "Let in 350 a minute: empty at about 105 min",
                    "Let in 400 a minute: empty at about 53 min",
                ],
                "arrivals of 300 a minute, as in the last minute",
            ),
            (
                "a wait that only a pace beyond bounds would shorten to less than a day",
                line(2_300_000, 4, 8, 3, 8),
                &[],
                "",
            ),
            (
                "called visitors do not come, and more are called for them",
                line(500, 60, 40, 50, 30),
                &[
                    "Let in 65 a minute: empty at about 110 min",
                    "Let in 70 a minute: empty at about 55 min",
                    "Let in 100 a minute: empty at about 14 min",
                ],
                "arrivals of 60 a minute, as in the last 5 minutes",
            ),
            (
                "a rush into a calm line",
                line(40, 46, 50, 140, 50),
                &[
                    "Let in 150 a minute: empty at about 18 min",
                    "Let in 160 a minute: empty at about 9 min",
                ],
                "arrivals of 140 a minute, as in this minute so far",
            ),
            (
                "a rush in the first minute of a line",
                with(snapshot(&[(TEN, 900, 0)]), |line| {
                    line.board.live.pace = per(60, 50);
                    line.limits.bound_by = Bound::Pace;
                }),
                &[],
                "",
            ),
            (
                "the cap is full, and the pace would do",
                capped(line(300, 20, 8, 15, 80), 200, 200, 20),
                &[
                    "Raise the cap to 550: empty at about 158 min",
                    "Raise the cap to 650: empty at about 53 min",
                    "Raise the cap to 1,100: empty at about 14 min",
                ],
                "arrivals of 20 a minute, as in the last 5 minutes, and visits as long as now",
            ),
            (
                "the cap is full, and the pace would not do either",
                capped(line(2_340, 78, 8, 70, 80), 200, 200, 20),
                &["Raise the cap to 2,000: 78 arrive and 80 go in each minute"],
                "arrivals of 78 a minute, as in the last 5 minutes, and visits as long as now",
            ),
            (
                "the cap is full, and the pace would let in more, but not as many as come",
                capped(line(571, 40, 8, 30, 30), 160, 160, 20),
                &["Raise the cap to 600: 40 arrive and 30 go in each minute"],
                "arrivals of 40 a minute, as in the last 5 minutes, and visits as long as now",
            ),
            (
                "the same, and a few more went in than slots came free",
                capped(line(571, 40, 10, 30, 30), 160, 160, 20),
                &["Raise the cap to 500: 40 arrive and 27 go in each minute"],
                "arrivals of 40 a minute, as in the last 5 minutes, and visits as long as now",
            ),
            (
                "the cap is full, and the line shrinks",
                capped(line(300, 4, 20, 3, 80), 400, 400, 20),
                &["Raise the cap to 500: empty at about 15 min"],
                "arrivals of 4 a minute, as in the last 5 minutes, and visits as long as now",
            ),
            (
                "the cap was filled meanwhile, so visits seem shorter than a session",
                capped(line(300, 20, 18, 15, 80), 150, 150, 20),
                &[
                    "Raise the cap to 250: empty at about 105 min",
                    "Raise the cap to 350: empty at about 40 min",
                ],
                "arrivals of 20 a minute, as in the last 5 minutes, and visits as long as now",
            ),
            (
                "the cap is full, and none has gone in, so the length of a visit was not measured",
                capped(line(300, 46, 0, 40, 80), 25, 25, 20),
                &["Raise the cap to 50"],
                "",
            ),
            (
                "the cap is full, and there is no pace",
                with(capped(line(300, 46, 0, 40, 80), 25, 25, 20), |line| {
                    line.board.live.pace = per(0, 1);
                }),
                &["Raise the cap to 50"],
                "",
            ),
            (
                "the cap is full, and only a few have gone in",
                capped(line(300, 46, 1, 40, 80), 25, 25, 20),
                &["Raise the cap to 50"],
                "",
            ),
            (
                "the cap is full, and no cap within bounds takes all who come",
                capped(line(9_000, 900, 8, 700, 2_000), 200, 200, 20),
                &[],
                "",
            ),
            (
                "the cap was lowered, and more are inside than it allows",
                capped(line(300, 20, 8, 15, 80), 100, 200, 20),
                &[],
                "",
            ),
            (
                "the cap has just filled",
                with(capped(line(300, 20, 8, 15, 80), 200, 200, 20), |line| {
                    line.limits.last = Some(Released {
                        at_ms: NOW_MS - 5 * MINUTE_MS,
                        released: 8,
                        pace: 80,
                        slots: Some(8),
                        bound_by: Bound::Slots,
                    });
                }),
                &[],
                "",
            ),
            (
                "the pace binds, and a higher one would fill the cap",
                capped(growing(), 1_000, 600, 20),
                &[
                    "Let in 45 a minute: empty at about 107 min",
                    "Let in 50 a minute: empty at about 54 min",
                ],
                "arrivals of 40 a minute, as in the last 5 minutes",
            ),
            (
                "the most that is accepted",
                with(
                    capped(line(300, 20, 8, 15, 80), 10_000_000, 10_000_000, 20),
                    |_| {},
                ),
                &[],
                "",
            ),
            (
                "it is not known who is inside",
                with(capped(line(200, 12, 0, 10, 30), 25, 25, 20), |line| {
                    line.limits.bound_by = Bound::Recount;
                    line.limits.recount_ms = Some(NOW_MS + 20 * MINUTE_MS);
                }),
                &[],
                "",
            ),
            (
                "the store has lost its data",
                with(growing(), |line| line.limits.bound_by = Bound::Quiet),
                &[],
                "",
            ),
            (
                "a hold was forgotten",
                held(60),
                &["Resume: empty at about 20 min"],
                "arrivals of 12 a minute, as in the last 5 minutes",
            ),
            (
                "a hold was forgotten, and the cap is not full",
                capped(held(60), 1_000, 0, 20),
                &["Resume"],
                "",
            ),
            ("a short hold", held(10), &[], ""),
            (
                "a hold was forgotten, and there is no pace",
                with(held(60), |line| line.board.live.pace = per(0, 1)),
                &["Resume"],
                "",
            ),
            (
                "a hold was forgotten, and the origin is sick",
                with(held(60), sick),
                &[],
                "",
            ),
            (
                "the origin is sick, and the room on hold for it",
                with(growing(), |line| {
                    line.board.origin = Some(watched(true, false));
                }),
                &[],
                "",
            ),
            (
                "the origin is sick, and visitors still go in",
                with(growing(), sick),
                &["Hold the line: No new visitor goes in until you resume"],
                "",
            ),
            (
                "the origin was sick, and a period has fewer than the pace",
                with(growing(), |line| {
                    line.board.origin = Some(watched(false, true));
                }),
                &[],
                "",
            ),
            (
                "nobody goes in, though the pace says so",
                line(90, 3, 0, 2, 30),
                &[],
                "",
            ),
            (
                "no pace",
                with(line(90, 3, 0, 2, 30), |line| {
                    line.board.live.pace = per(0, 1);
                }),
                &[],
                "",
            ),
            (
                "a period that is longer than what was measured",
                with(line(20, 3, 0, 0, 1), |line| {
                    line.board.live.pace = per(3_600, 1);
                }),
                &[],
                "",
            ),
            ("a closed room", in_mode(Mode::Closed), &[], ""),
            ("an open room", in_mode(Mode::Open), &[], ""),
            ("before an event", at_event(Phase::Before), &[], ""),
            ("its pre-queue", at_event(Phase::Prequeue), &[], ""),
            ("the lot is awaited", at_event(Phase::Drawing), &[], ""),
            ("after its end", at_event(Phase::Over), &[], ""),
            (
                "the pace was just changed",
                with(growing(), |line| {
                    line.pace = Some(Provenance {
                        at_ms: NOW_MS - 30_000,
                        by: None,
                    });
                }),
                &[
                    "Let in 45 a minute: empty at about 107 min",
                    "Let in 50 a minute: empty at about 54 min",
                    "Let in 80 a minute: empty at about 14 min",
                ],
                "arrivals of 40 a minute, as in the last 5 minutes",
            ),
        ];
        for (situation, line, changes, basis) in table {
            let (all, by) = told(&line);
            let told = (
                all.iter().map(String::as_str).collect::<Vec<_>>(),
                by.as_deref(),
            );
            let basis = (!basis.is_empty()).then_some(basis);
            assert_eq!(told, (changes.to_vec(), basis), "{situation}");
        }
    }

    #[test]
    fn a_burst_is_not_multiplied_up_and_its_rows_last() {
        let burst = line(0, 20, 20, 325, 30);
        for seconds in [1, 3, 20, 50, 59] {
            let (all, basis) = told_at(&burst, TEN * MINUTE_MS + seconds * 1000);
            let labels = all.iter().map(|row| row.split(':').next().unwrap_or(row));
            let expected = ["Let in 350 a minute"];
            assert_eq!(labels.collect::<Vec<_>>(), expected, "{seconds} s");
            let expected = "arrivals of 325 a minute, as in this minute so far";
            assert_eq!(basis.as_deref(), Some(expected));
        }
        // More than twenty times the pace is not proposed.
        let (all, _) = told(&line(0, 20, 20, 900, 30));
        assert_eq!(all, Vec::<String>::new());
    }

    #[test]
    fn figures_are_round() {
        let round = [0, 1, 17, 20, 21, 42, 100, 101, 203, 999, 1_001, 1_921].map(round);
        assert_eq!(
            round,
            [0, 1, 17, 20, 25, 45, 100, 110, 250, 1_000, 1_100, 2_000]
        );
    }
}
