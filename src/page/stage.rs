//! What a waiting visitor reads: one row of sentences for each state, which the page and its updates show.
//!
//! Invariant: a sentence says only what is known. [`Stage::of`] is the precondition of a row, [`Stage::detail`] names those of the
//! sentences that not every visitor in a state reads; a test tries each sentence in every state, mode, phase and bound.

use super::clock::{moment_to_the_minute, unbroken};
use super::event::DRAWN;
use super::{Draw, Waiting};
use crate::i18n::Language;
use crate::queue::{Mode, Outlook, Phase};

/// The state of a waiting visitor. Style and script of the page know the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// In line, and it is known for how long.
    Timed,
    /// In line for an event that ends before the turn.
    Late,
    /// In line, and the stock may be gone before the turn.
    Short,
    /// In line, and nothing is left of the stock.
    SoldOut,
    /// In line.
    Waiting,
    /// The line is on hold.
    Hold,
    /// The turn has come while the mode admits no visitor.
    Called,
    /// The turn has come, and no slot is free.
    Full,
    /// The turn has come, and the origin did not answer.
    Rescued,
    /// The room is closed.
    Closed,
    /// The store does not say how far the line is.
    Held,
    /// No number could be drawn.
    Unnumbered,
    /// An event for which no number is drawn yet.
    Before,
    /// In the draw of an event that has not opened.
    Lot,
    /// In line for an event that has not opened.
    Prequeue,
    /// In the draw of an event that has opened, and its lot is not decided.
    Drawing,
    /// An event that is over.
    Over,
}

/// The sentences of a state, by the names of their texts.
pub(super) struct Row {
    /// The state, as style, script and programs know it.
    pub(super) name: &'static str,
    /// The heading; nothing where it is the usual one, which operators may word.
    pub(super) heading: Option<&'static str>,
    /// What comes first, below the heading.
    pub(super) headline: Headline,
    /// The sentence that says where the visitor stands.
    line: Line,
    /// The button that rings, where there is a turn or an opening to wait for on this page.
    pub(super) bell: Option<&'static str>,
}

/// What comes first on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Headline {
    /// Nothing: the heading says enough.
    None,
    /// The estimated wait.
    Wait,
    /// The time until the event opens.
    Countdown,
    /// A text.
    Text(&'static str),
}

/// The sentence that says where the visitor stands.
enum Line {
    /// How many are ahead.
    Ahead,
    /// A text.
    Text(&'static str),
}

impl Stage {
    pub(super) fn of(waiting: &Waiting) -> Self {
        let phase = waiting.event.map(|event| event.phase);
        match (phase, waiting.mode, waiting.position, waiting.seen) {
            _ if waiting.obstacle == Obstacle::Origin => Self::Rescued,
            (Some(Phase::Before), ..) => Self::Before,
            (Some(Phase::Over), Mode::Closed, ..) => Self::Over,
            (_, Mode::Closed, ..) => Self::Closed,
            (Some(Phase::Prequeue), Mode::Hold, None, _) if waiting.draw == Draw::Awaited => {
                Self::Lot
            }
            (Some(Phase::Drawing), Mode::Hold, None, _) if waiting.draw == Draw::Awaited => {
                Self::Drawing
            }
            (_, _, None, _) => Self::Unnumbered,
            (_, _, _, None) => Self::Held,
            _ if waiting.obstacle == Obstacle::Full => Self::Full,
            _ if waiting.is_called() => Self::Called,
            (Some(Phase::Prequeue), Mode::Hold, ..) => Self::Prequeue,
            (_, Mode::Hold, ..) => Self::Hold,
            _ if let Some(left) = waiting.stock_left() => match left {
                0 => Self::SoldOut,
                _ => Self::Short,
            },
            _ if is_too_late(waiting) => Self::Late,
            _ if waiting.estimate.is_some() => Self::Timed,
            _ => Self::Waiting,
        }
    }

    /// Its sentences.
    #[rustfmt::skip]
    pub(super) fn row(self, waiting: &Waiting) -> Row {
        use Headline::{Countdown, None as Nothing, Text as First, Wait};
        use Line::{Ahead, Text};
        let row = |name, heading, headline, line, bell| Row { name, heading, headline, line, bell };
        let turn = Some("alert");
        let opening = Some("alert_open");
        let called = Some("called_heading");
        let has_number = waiting.position.is_some();
        // What an operator has put on hold is paused; before an event opens there is nothing to pause.
        let held = if opens_in(waiting).is_some() { First("not_open") } else { First("hold_heading") };
        let is_let_in = waiting.mode.lets_in();
        match self {
            //                             name         heading               headline             sentence            bell
            Self::Timed             => row("timed",      None,                  Wait,                Ahead,              turn),
            // The bad news comes first.
            Self::Late              => row("waiting",    None,                  First("late"),       Ahead,              turn),
            Self::Short             => row("waiting",    None,                  First("short"),      Ahead,              turn),
            Self::SoldOut           => row("sold_out",   None,                  First("sold_out"),   Ahead,              turn),
            Self::Waiting           => row("waiting",    None,                  Nothing,             Ahead,              turn),
            Self::Hold              => row("hold",       None,                  held,                Ahead,              turn),
            Self::Called if is_let_in => row("called",   called,                First("posted"),     Text("turn"),       turn),
            Self::Called            => row("called",     called,                held,                Text("called"),     turn),
            Self::Full              => row("full",       called,                First("door"),       Text("full"),       turn),
            Self::Rescued           => row("rescued",    called,                First("posted"),     Text("rescued"),    turn),
            // With a number, a sentence below says that it is kept; who is in a draw stays in it.
            Self::Closed if has_number || waiting.draw == Draw::Awaited => row("closed",  Some("closed_heading"), Nothing,            Text("closed_now"), turn),
            Self::Closed            => row("closed",     Some("closed_heading"), Nothing,            Text("closed"),     None),
            Self::Held              => row("held",       None,                  Nothing,             Text("held"),       turn),
            // The page loads again when there is a number.
            Self::Unnumbered        => row("unnumbered", None,                  Nothing,             Text("unnumbered"), None),
            Self::Before if has_number => row("before",  Some("opens_in"),      Countdown,           Text("closed_now"), opening),
            Self::Before            => row("before",     Some("opens_in"),      Countdown,           Text("before"),     opening),
            Self::Lot               => row("lot",        Some("opens_in"),      Countdown,           Text("in_draw"),    opening),
            Self::Prequeue          => row("prequeue",   Some("opens_in"),      Countdown,           Ahead,              opening),
            Self::Drawing           => row("drawing",    None,                  Nothing,             Text("drawing"),    turn),
            Self::Over              => row("over",       Some("over_heading"),  Nothing,             Text("over"),       None),
        }
    }

    /// The sentence below, where there is one more to say.
    pub(super) fn detail(self, waiting: &Waiting, words: &Language) -> Option<String> {
        let text = |name| Some(words.text(name).to_owned());
        let kept = || {
            let number = waiting.position?.0;
            Some(
                words
                    .text("kept_number")
                    .replace("{n}", &words.number(number)),
            )
        };
        match self {
            Self::Over => text("thanks"),
            // Not before an event, whose pre-queue may end the numbers of before.
            Self::Closed => kept(),
            Self::SoldOut => text("restock"),
            Self::Hold | Self::Called | Self::Held | Self::Unnumbered | Self::Rescued
                if is_drawing(waiting) =>
            {
                text("drawing")
            }
            Self::Prequeue | Self::Held | Self::Unnumbered if is_by_arrival(waiting) => {
                text("prequeue")
            }
            Self::Full if let Some(many) = waiting.at_door.filter(|many| *many > 1) => {
                Some(words.text("door_with").replace("{n}", &words.number(many)))
            }
            _ if let Some(dated) = self.dated(waiting, words) => Some(dated.in_utc()),
            Self::Timed | Self::Waiting | Self::Full | Self::Rescued
                if waiting.group.is_some()
                    && waiting.seen.is_some()
                    && waiting.mode != Mode::Hold =>
            {
                text("front")
            }
            Self::Hold | Self::Called | Self::Held | Self::Rescued | Self::Prequeue
                if waiting.mode == Mode::Hold =>
            {
                kept()
            }
            _ => None,
        }
    }

    /// Why the wait has grown, or when entry ends, where a sentence says so.
    pub(super) fn dated(self, waiting: &Waiting, words: &Language) -> Option<Dated> {
        match self {
            Self::Timed | Self::Waiting => {
                let (slowed, now) = waiting.slowed?;
                let [grown, cause] = ["grown", &format!("slowed_{}", slowed.cause.name())]
                    .map(|name| words.text(name));
                Some(Dated {
                    sentence: format!("{grown} {cause}"),
                    from_ms: Some(slowed.from_ms),
                    to_ms: slowed.to_ms,
                    now_ms: now.ms(),
                })
            }
            Self::Late => {
                let event = waiting.event?;
                // Times are rounded up: a second of the way must not make a minute.
                let to_ms = event.last_ms()?.saturating_sub(30_000);
                Some(Dated {
                    sentence: words.text("ends_at").to_owned(),
                    from_ms: None,
                    to_ms: Some(to_ms),
                    now_ms: event.now_ms,
                })
            }
            _ => None,
        }
    }

    /// Why the line does not move, where an update says that besides.
    pub(super) fn hold(self, waiting: &Waiting) -> Option<&'static str> {
        // A visitor without a number has no place that could be kept.
        if waiting.mode != Mode::Hold || waiting.position.is_none() {
            return None;
        }
        Some(match self {
            _ if is_drawing(waiting) => "drawing",
            _ if is_by_arrival(waiting) => "prequeue",
            _ if opens_in(waiting).is_some() => "not_open",
            _ => "hold",
        })
    }
}

impl Row {
    /// How many are ahead, or why the visitor waits, as a sentence.
    pub(super) fn line(&self, waiting: &Waiting, words: &Language) -> String {
        match (&self.line, waiting.seen) {
            (Line::Text(name), _) => words.text(name).to_owned(),
            (Line::Ahead, seen) => ahead_of(seen.map_or(0, |(_, ahead)| ahead), words),
        }
    }
}

/// How many are ahead, as a sentence.
pub(super) fn ahead_of(ahead: u64, words: &Language) -> String {
    match ahead {
        0 => words.text("next").to_owned(),
        ahead => words.counted("ahead", ahead),
    }
}

/// A sentence with places for times: from when, and to when.
pub(super) struct Dated {
    pub(super) sentence: String,
    from_ms: Option<u64>,
    to_ms: Option<u64>,
    now_ms: u64,
}

impl Dated {
    /// For a page without scripts.
    fn in_utc(&self) -> String {
        let time = |at_ms| unbroken(&moment_to_the_minute(at_ms, self.now_ms));
        // A pause within a minute ends with it, and not when it began.
        let to = self
            .to_ms
            .map(|to_ms| time(to_ms.div_ceil(60_000).saturating_mul(60_000)));
        let from = self.from_ms.map(time).unwrap_or_default();
        let text = self.sentence.replace("{from}", &from);
        text.replace("{time}", &to.unwrap_or_default())
    }

    /// How many seconds ago it began, and ended; fewer than none for what is to come.
    pub(super) fn ago(&self) -> [Option<i64>; 2] {
        let ago = |at_ms: u64| (self.now_ms.cast_signed() - at_ms.cast_signed()) / 1000;
        [self.from_ms, self.to_ms].map(|at_ms| at_ms.map(ago))
    }
}

/// Whether the event ends before the turn, at the present pace.
fn is_too_late(waiting: &Waiting) -> bool {
    let event = waiting.event.as_ref();
    event.is_some_and(|event| event.is_too_late(waiting.estimate))
}

/// Seconds until the event opens, where it has not.
pub(super) fn opens_in(waiting: &Waiting) -> Option<u64> {
    let has_not_opened = |event: &&Outlook| matches!(event.phase, Phase::Before | Phase::Prequeue);
    waiting
        .event
        .as_ref()
        .filter(has_not_opened)
        .map(Outlook::opens_in)
}

fn is_drawing(waiting: &Waiting) -> bool {
    let is_drawing = |event: Outlook| event.phase == Phase::Drawing;
    waiting.mode == Mode::Hold && waiting.event.is_some_and(is_drawing)
}

/// Whether numbers are drawn for an event that has not opened, and count in the order of arrival.
fn is_by_arrival(waiting: &Waiting) -> bool {
    let counts = |event: Outlook| event.phase == Phase::Prequeue && event.order != DRAWN;
    waiting.mode == Mode::Hold && waiting.event.is_some_and(counts)
}

/// The obstacle that keeps a called visitor out, besides the mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Obstacle {
    /// None.
    #[default]
    None,
    /// No slot is free.
    Full,
    /// The origin's answer was bad: this page stands in its place, and the visitor keeps the turn.
    Origin,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::english;
    use crate::page::update::{Worded, place};
    use crate::page::{Brand, Links, Pages, waiting_page};
    use crate::queue::{Cursor, Group, LaneName, Now, Position, Slowed, Slowness};

    fn called() -> Waiting {
        Waiting {
            position: Some(Position(7)),
            seen: Some((Cursor(7), 0)),
            ..Waiting::default()
        }
    }

    #[test]
    fn a_rescued_visitor_reads_of_the_site_first_and_keeps_the_turn() {
        let rescued = Waiting {
            obstacle: Obstacle::Origin,
            ..called()
        };
        let told = Worded::new(&rescued, english());
        let line = english().text("rescued");
        assert_eq!((told.stage, told.line.as_str()), ("rescued", line));
        assert_eq!(told.headline.as_deref(), Some("One moment, please"));
    }

    #[test]
    fn a_visitor_without_a_number_reads_of_no_place() {
        for mode in [Mode::Automatic, Mode::Hold, Mode::Open] {
            let newcomer = Waiting {
                mode,
                ..Waiting::default()
            };
            let told = Worded::new(&newcomer, english());
            assert_eq!(told.stage, "unnumbered");
            assert_eq!((told.hold, told.detail), (None, None));
        }
    }

    #[test]
    fn a_closed_room_asks_nobody_whether_they_have_a_number() {
        let closed = |position| Waiting {
            mode: Mode::Closed,
            position,
            seen: Some((Cursor(3), 3)),
            ..Waiting::default()
        };
        let (mine, none) = (closed(Some(Position(7))), closed(None));
        let [mine, none] = [&mine, &none].map(|view| Worded::new(view, english()));
        let kept = "You keep number 7. This page continues by itself.";
        let told = (mine.line.as_str(), mine.detail.as_deref());
        assert_eq!(told, ("Nobody is let in at the moment.", Some(kept)));
        assert!(
            none.line.starts_with("No numbers are given"),
            "{}",
            none.line
        );
        assert_eq!(none.detail, None);
        // Who is in a draw has a part in it, though no number yet.
        let drawing = Waiting {
            draw: Draw::Awaited,
            ..closed(None)
        };
        let told = Worded::new(&drawing, english());
        assert_eq!(told.line, "Nobody is let in at the moment.");
    }

    #[test]
    fn a_called_visitor_in_a_full_room_reads_to_have_been_called_and_of_others_at_the_door() {
        let full = |at_door| Waiting {
            obstacle: Obstacle::Full,
            at_door,
            ..called()
        };
        for (at_door, others) in [
            (None, None),
            (Some(1), None),
            (
                Some(12),
                Some("About 12 called people are not inside yet, you among them."),
            ),
        ] {
            let view = full(at_door);
            let told = Worded::new(&view, english());
            let line = "It’s your turn as soon as a place inside is free.";
            assert_eq!(
                (told.stage, told.heading, told.headline.as_deref()),
                (
                    "full",
                    Some("You’ve been called"),
                    Some("You’re at the door")
                )
            );
            assert_eq!((told.line.as_str(), told.detail.as_deref()), (line, others));
        }
    }

    #[test]
    fn a_visitor_who_may_come_too_late_reads_when_entry_ends() {
        let view = Waiting {
            position: Some(Position(7)),
            seen: Some((Cursor(3), 3)),
            estimate: Some(1_000),
            event: Some(Outlook {
                phase: Phase::Open,
                times: (0, 60_000, Some(600_000)),
                order: "arrival",
                goes_on: false,
                now_ms: 120_400,
            }),
            ..Waiting::default()
        };
        let told = Worded::new(&view, english());
        let detail = "Entry ends at 00:10\u{a0}UTC.";
        assert_eq!(told.detail.as_deref(), Some(detail));
        // The visitor's browser rounds up to the minute, by its own clock.
        let sentence = told.slowed.as_deref();
        assert_eq!(sentence, Some("Entry ends at {time}."));
        assert_eq!(told.until, Some(-449));
    }

    #[test]
    fn on_hold_the_number_is_kept_by_name() {
        let called = Waiting {
            mode: Mode::Hold,
            ..called()
        };
        let waiting = Waiting {
            seen: Some((Cursor(3), 3)),
            ..called.clone()
        };
        for (view, stage) in [(called, "called"), (waiting, "hold")] {
            let told = Worded::new(&view, english());
            assert_eq!(
                (told.stage, told.headline.as_deref()),
                (stage, Some("Entry is paused"))
            );
            let kept = "You keep number 7. This page continues by itself.";
            assert_eq!(told.detail.as_deref(), Some(kept));
        }
    }

    type Sentence = (&'static str, fn(&Waiting) -> bool);

    /// Every sentence about a place, a time or an event, and when it is true.
    #[rustfmt::skip]
    const SENTENCES: &[Sentence] = &[
        ("called_heading", |seen| seen.obstacle != Obstacle::None || seen.is_called()),
        ("called",       |seen| seen.is_called() && !seen.mode.lets_in()),
        ("turn",         |seen| seen.is_called()),
        ("door",         |seen| seen.obstacle == Obstacle::Full),
        ("full",         |seen| seen.obstacle == Obstacle::Full),
        ("door_with",    |seen| seen.obstacle == Obstacle::Full && seen.at_door > Some(1)),
        ("rescued",      |seen| seen.obstacle == Obstacle::Origin),
        ("next",         |seen| seen.seen.is_some_and(|(_, ahead)| ahead == 0) && !seen.is_called()),
        ("ahead_other",  |seen| seen.seen.is_some_and(|(_, ahead)| ahead > 0)),
        ("wait",         |seen| seen.estimate.is_some()),
        ("late",         |seen| seen.event.is_some_and(|event| event.is_too_late(seen.estimate))),
        ("short",        |seen| seen.stock_left().is_some_and(|left| left > 0)),
        ("sold_out",     |seen| seen.stock_left() == Some(0)),
        ("restock",      |seen| seen.stock_left() == Some(0)),
        ("ends_at",      |seen| seen.event.is_some_and(|event| event.is_too_late(seen.estimate))),
        ("grown",        |seen| seen.slowed.is_some() && seen.seen.is_some() && seen.mode != Mode::Hold),
        ("front",        |seen| seen.group.is_some() && seen.position.is_some()),
        ("slowed_hold",  |seen| seen.slowed.is_some() && seen.seen.is_some() && seen.mode != Mode::Hold),
        ("kept_number",  |seen| seen.position.is_some() && (!is_in(seen, Phase::Before) || seen.obstacle == Obstacle::Origin)),
        ("hold_heading", |seen| seen.mode == Mode::Hold && !is_before(seen)),
        ("hold",         |seen| seen.mode == Mode::Hold && seen.position.is_some() && !is_before(seen)),
        ("closed_heading", |seen| seen.mode == Mode::Closed),
        ("closed",       |seen| seen.mode == Mode::Closed && seen.position.is_none()),
        ("closed_now",   |seen| seen.mode == Mode::Closed || is_in(seen, Phase::Before)),
        ("held",         |seen| seen.position.is_some() && seen.seen.is_none()),
        ("unnumbered",   |seen| seen.position.is_none()),
        ("old",          |seen| seen.is_old && seen.position.is_some()),
        ("not_open",     is_before),
        ("opens_in",     is_before),
        ("opens_at",     is_before),
        ("alert_open",   is_before),
        ("before",       |seen| is_in(seen, Phase::Before) && seen.position.is_none()),
        ("prequeue",     |seen| is_in(seen, Phase::Prequeue) && seen.event.is_some_and(|event| event.order == "arrival")),
        ("in_draw",      |seen| is_in(seen, Phase::Prequeue) && (seen.draw == Draw::Awaited)),
        ("lot",          |seen| (seen.draw == Draw::Awaited) && seen.position.is_none()),
        ("number_here",  |seen| (seen.draw == Draw::Awaited) && seen.position.is_none()),
        ("drawing",      |seen| is_in(seen, Phase::Drawing)),
        ("over_heading", |seen| is_in(seen, Phase::Over) && seen.mode == Mode::Closed),
        ("over",         |seen| is_in(seen, Phase::Over) && seen.mode == Mode::Closed),
        ("thanks",       |seen| is_in(seen, Phase::Over) && seen.mode == Mode::Closed),
        ("home",         |seen| is_in(seen, Phase::Over) && seen.mode == Mode::Closed && seen.obstacle != Obstacle::Origin),
        // A turn can come to who has a number or takes part in a draw, and not when all is over.
        ("alert",        |seen| (seen.position.is_some() || (seen.draw == Draw::Awaited))
                                && !(is_in(seen, Phase::Over) && seen.mode == Mode::Closed && seen.obstacle == Obstacle::None)),
        ("look_other",   |seen| !(is_in(seen, Phase::Over) && seen.mode == Mode::Closed) || seen.obstacle == Obstacle::Origin),
        ("keep",         |seen| seen.position.is_some()),
    ];

    fn is_in(waiting: &Waiting, phase: Phase) -> bool {
        waiting.event.is_some_and(|event| event.phase == phase)
    }

    fn is_before(waiting: &Waiting) -> bool {
        is_in(waiting, Phase::Before) || is_in(waiting, Phase::Prequeue)
    }

    fn slowed_by_a_pause() -> (Slowed, Now) {
        let slowed = Slowed {
            cause: Slowness::Hold,
            from_ms: 1_800_000_000_000,
            to_ms: Some(1_800_000_600_000),
        };
        (slowed, Now::from_ms(1_800_000_900_000))
    }

    /// Events in every phase and both orders, and none.
    fn events() -> Vec<Option<Outlook>> {
        let phases = [
            Phase::Before,
            Phase::Prequeue,
            Phase::Drawing,
            Phase::Open,
            Phase::Over,
        ];
        let of = |phase| ["arrival", DRAWN].map(|order| (phase, order));
        let outlook = |(phase, order)| Outlook {
            phase,
            times: (10_000, 90_000, Some(150_000)),
            order,
            goes_on: false,
            now_ms: 40_000,
        };
        let all = phases.into_iter().flat_map(of).map(outlook).map(Some);
        all.chain([None]).collect()
    }

    /// Every mode, phase, order, number, board, obstacle and estimate, and what goes with them.
    fn states() -> impl Iterator<Item = Waiting> {
        let modes = [Mode::Automatic, Mode::Hold, Mode::Open, Mode::Closed];
        let places = [None, Some((0, 6)), Some((3, 3)), Some((6, 0)), Some((7, 0))];
        let obstacles = [Obstacle::None, Obstacle::Full, Obstacle::Origin];
        let estimates = [None, Some(60), Some(1_000_000)];
        let group = LaneName::read("vip").map(|name| Group { name, share: 5 });
        let many =
            events().len() * modes.len() * places.len() * obstacles.len() * estimates.len() * 8;
        (0..many).map(move |mut number| {
            let mut take = |of: usize| {
                let taken = number % of;
                number /= of;
                taken
            };
            let (with_number, is_old, is_in_group) = (take(2) == 1, take(2) == 1, take(2) == 1);
            let at_door = is_in_group.then_some(12);
            let event = events().get(take(events().len())).copied().flatten();
            let estimate = estimates.get(take(estimates.len())).copied().flatten();
            let seen = places.get(take(places.len())).copied().flatten();
            let obstacle = obstacles
                .get(take(obstacles.len()))
                .copied()
                .unwrap_or_default();
            let by_lot = event.is_some_and(|event| event.order == DRAWN);
            Waiting {
                mode: modes.get(take(modes.len())).copied().unwrap_or(Mode::Hold),
                position: with_number.then_some(Position(7)),
                seen: seen.map(|(cursor, ahead)| (Cursor(cursor), ahead)),
                // Whose number says nothing yet is told of none.
                draw: if by_lot && !with_number {
                    Draw::Awaited
                } else {
                    Draw::None
                },
                // Only a number is called.
                obstacle: if with_number {
                    obstacle
                } else {
                    Obstacle::None
                },
                estimate,
                stock: match (is_old, is_in_group) {
                    (true, true) => Some(3),
                    (true, false) => Some(0),
                    (false, _) => None,
                },
                at_door,
                slowed: is_in_group.then(slowed_by_a_pause),
                is_old,
                event,
                group: group.filter(|_| is_in_group),
                refresh: 20,
                reference: Some("A".to_owned()),
                ..Waiting::default()
            }
        })
    }

    #[test]
    fn each_sentence_stands_where_it_is_true_and_nowhere_else() {
        let pages = Pages::new(Brand::default(), None);
        let links = Links {
            home: Some("/".to_owned()),
            ..Links::default()
        };
        // As far as no number stands in it.
        let fragment = |name: &str| {
            let text = english().text(name);
            text.split_once('{').map_or(text, |(before, _)| before)
        };
        let mut said = vec![0; SENTENCES.len()];
        for waiting in states() {
            let page = waiting_page(503, &waiting, &links, english(), &pages, None);
            let page = String::from_utf8_lossy(&page.body).into_owned();
            let update = place(&waiting, english());
            let update = String::from_utf8_lossy(&update.body).into_owned();
            let shown = visible(&page);
            for ((name, is_true), said) in SENTENCES.iter().zip(&mut said) {
                let sentence = fragment(name);
                // A short one may stand within others.
                let is_whole = sentence.len() < 20 && sentence == english().text(name);
                let is_it = |line: &str| {
                    if is_whole {
                        line == sentence
                    } else {
                        line.contains(sentence)
                    }
                };
                let is_shown = |text: &str| text.split('\n').any(is_it);
                if is_shown(&shown) || is_shown(&update.replace('"', "\n")) {
                    *said += 1;
                    assert!(is_true(&waiting), "{name}: {waiting:?}\n{shown}\n{update}");
                }
            }
        }
        let unsaid = SENTENCES.iter().zip(&said).filter(|(_, said)| **said == 0);
        let unsaid: Vec<_> = unsaid.map(|((name, _), _)| name).collect();
        assert_eq!(unsaid, [] as [&&str; 0], "never said");
    }

    /// What stands between the tags of the page's body, a line each; not its script, and not what is hidden.
    fn visible(page: &str) -> String {
        let body = page.split_once("<main").map_or("", |(_, body)| body);
        let body = body.split_once("<script>").map_or(body, |(body, _)| body);
        let parts = body.split('<').filter_map(|part| part.split_once('>'));
        let parts = parts.filter(|(tag, _)| {
            let is_hidden = tag.contains(" hidden") && !tag.contains("id=alert");
            let is_label = tag.starts_with("p id=label") && !page.contains("<main class=\"timed\"");
            !is_hidden && !is_label
        });
        let texts = parts.map(|(_, text)| text.trim());
        texts.collect::<Vec<_>>().join("\n")
    }
}
