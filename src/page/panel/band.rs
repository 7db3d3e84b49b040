//! The state of the line in one sentence, and the one button that stops it or lets it go on.

use serde_json::Value;

use super::events::{bound_words, phase};
use super::settings::label;
use super::verdict::{Level, Verdict, cap_in_force, full};
use super::words::{moment, number, rate_words, span_words};
use crate::http::object::object;
use crate::queue::{Board, Bound, Mode, PanelSnapshot};

/// How a state or a verdict looks: its class, the letter in the title, the picture's path and colour. Each differs in form and in colour.
pub(super) struct Kind {
    pub(super) name: &'static str,
    letter: &'static str,
    shape: &'static str,
    color: &'static str,
}

const RUN: Kind = Kind {
    name: "run",
    letter: "\u{25b6}",
    shape: "M4 2v12l9-6z",
    color: "1d6b3a",
};
const HOLD: Kind = Kind {
    name: "hold",
    letter: "\u{275a}\u{275a}",
    shape: "M3 2h4v12H3zM9 2h4v12H9z",
    color: "8a5a00",
};
const OPEN: Kind = Kind {
    name: "open",
    letter: "\u{25b6}\u{25b6}",
    shape: "M2 3v10l6-5zM8 3v10l6-5z",
    color: "1f6fb2",
};
const CLOSED: Kind = Kind {
    name: "closed",
    letter: "\u{25a0}",
    shape: "M3 3h10v10H3z",
    color: "4a4540",
};

const WATCH: Kind = Kind {
    name: "watch",
    letter: "\u{25b2}",
    shape: "M8 2l6 12H2z",
    color: "8a5a00",
};
const ALARM: Kind = Kind {
    name: "alarm",
    letter: "\u{26a0}",
    shape: "M7 2h2v8H7zM7 12h2v2H7z",
    color: "b3261e",
};
const UNKNOWN: Kind = Kind {
    name: "unknown",
    letter: "?",
    shape: "M2 7h12v2H2z",
    color: "4a4540",
};

/// What the band at the top shows: the verdict where there is one, and what holds.
/// Where the store does not answer nothing is `seen`, so nothing is said to hold.
pub(super) fn band(
    board: &Board,
    seen: Option<&PanelSnapshot>,
    verdict: Option<&Verdict>,
    now_ms: u64,
) -> Value {
    let (next, button, next_kind) = match board.live.mode {
        Mode::Automatic if board.is_held_by_origin() => (Mode::Hold, "Keep it on hold", HOLD),
        Mode::Automatic | Mode::Open => (Mode::Hold, "Hold the line", HOLD),
        Mode::Hold | Mode::Closed => (Mode::Automatic, "Resume", RUN),
    };
    let kind = looks(board, verdict);
    let is_sick = board.is_held_by_origin();
    let holds = seen.map(|seen| words(board, seen, now_ms));
    let (words, holds) = match verdict {
        Some(verdict) => {
            // What an event makes of the mode its phase says, and what a sick origin or a hold does the verdict.
            let is_held = board.live.mode == Mode::Hold;
            let is_said = bound_words(board).is_some() || is_sick || is_held;
            (verdict.words.clone(), holds.filter(|_| !is_said))
        }
        None => (holds.unwrap_or_default(), None),
    };
    let until_ms = seen.map(|seen| seen.origin.health.sick_until_ms);
    object!({
        "said": said(&kind, &words),
        "words": words,
        "holds": holds,
        "mode": label(board.live.mode),
        // When a room goes on that is on hold by itself.
        "until": until_ms.filter(|_| is_sick).map(|until_ms| moment(until_ms, now_ms)),
        // Without a verdict they are all that is known of how it moves.
        "flows": verdict.is_none(),
        "forecast": verdict.is_none_or(|verdict| {
            matches!(verdict.level, Level::Well | Level::Watch)
        }),
        "phase": phase(board, now_ms),
        "kind": kind.name,
        "shape": kind.shape,
        "color": kind.color,
        "next": next.name(),
        "next_kind": next_kind.name,
        "next_shape": next_kind.shape,
        "button": button,
        // A brake works whatever another operator changed meanwhile.
        "version": (next != Mode::Hold).then_some(board.live.version),
    })
}

/// A screen reader is told what is shown only where this changes. Of a line that keeps up it is the same whatever the figures, and of
/// any other the words before the first of them.
fn said(kind: &Kind, words: &str) -> String {
    let is_well = kind.name == RUN.name;
    let mut parts = words.split(|of: char| matches!(of, ':' | ';') || of.is_ascii_digit());
    let does = parts.next().filter(|_| !is_well);
    format!("{} {}", kind.name, does.unwrap_or_default())
}

/// The verdict alone, where nothing is known of the line.
pub(super) fn away(verdict: &Verdict) -> Value {
    object!({
        "said": said(&ALARM, &verdict.words),
        "words": verdict.words.as_str(),
        "kind": ALARM.name, "shape": ALARM.shape, "color": ALARM.color,
    })
}

/// What the tab says: the verdict's mark and the length of the line.
pub(super) fn title(board: &Board, verdict: Option<&Verdict>, room: &str) -> String {
    let letter = looks(board, verdict).letter;
    let waiting = number(board.waiting());
    format!("{letter} {waiting} waiting \u{b7} {room}")
}

fn looks(board: &Board, verdict: Option<&Verdict>) -> Kind {
    match verdict.map(|verdict| verdict.level) {
        Some(Level::Well) => RUN,
        Some(Level::Watch) => WATCH,
        Some(Level::Alarm) => ALARM,
        Some(Level::Unknown) => UNKNOWN,
        None => kind(board.mode()),
    }
}

/// How a mode looks.
pub(super) fn kind(mode: Mode) -> Kind {
    match mode {
        Mode::Automatic => RUN,
        Mode::Hold => HOLD,
        Mode::Open => OPEN,
        Mode::Closed => CLOSED,
    }
}

fn words(board: &Board, seen: &PanelSnapshot, now_ms: u64) -> String {
    let live = &board.live;
    let lasts = seen.mode.as_ref().map_or_else(String::new, |set| {
        let seconds = now_ms.saturating_sub(set.at_ms) / 1000;
        format!(" for {}, by {}", span_words(seconds), set.who())
    });
    match live.mode {
        _ if let Some(words) = bound_words(board) => words.to_owned(),
        Mode::Automatic if live.stock == Some(0) => {
            "Sold out by the reported stock: no visitor goes in".to_owned()
        }
        Mode::Automatic if live.pace.automatic == 0 => {
            "There is no pace: operators and the origin let visitors in".to_owned()
        }
        Mode::Automatic => {
            let pace = rate_words(live.pace);
            let limits = &seen.limits;
            let is_known = limits.recount_ms.is_none() && limits.bound_by != Bound::Quiet;
            let inside = cap_in_force(board).filter(|_| is_known);
            let inside = inside.map(|cap| format!("; {}", full(cap)));
            format!("The pace is {pace}{}", inside.unwrap_or_default())
        }
        Mode::Hold => format!("On hold{lasts}: no new visitor goes in"),
        Mode::Open => format!("Open{lasts}: every visitor goes in"),
        Mode::Closed => {
            format!("Closed{lasts}: no new visitor goes in, and none draws a number")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::panel::hour::tests::snapshot;
    use crate::queue::{Cell, Pace, Provenance, Sessions};

    const NOW_MS: u64 = 1_800_000_000_000;

    fn told(mode: Mode, automatic: u64) -> [String; 3] {
        let mut snapshot = snapshot(&[(1, 0, 0)]);
        snapshot.mode = Some(Provenance {
            at_ms: NOW_MS - 180_000,
            by: Some("admin".to_owned()),
        });
        snapshot.board.live.mode = mode;
        snapshot.board.live.pace = Pace {
            automatic,
            quantity: 5,
        };
        let band = band(&snapshot.board, Some(&snapshot), None, NOW_MS);
        let text = |name: &str| {
            let text = band.get(name).and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        [text("words"), text("kind"), text("next")]
    }

    #[test]
    fn the_band_says_who_moves_the_line_and_offers_to_stop_it_or_to_go_on() {
        for (mode, automatic, expected) in [
            (
                Mode::Automatic,
                6,
                ["The pace is 50 a minute", "run", "hold"],
            ),
            (
                Mode::Automatic,
                3600,
                ["The pace is 0.1 a minute", "run", "hold"],
            ),
            (
                Mode::Automatic,
                0,
                [
                    "There is no pace: operators and the origin let visitors in",
                    "run",
                    "hold",
                ],
            ),
            (
                Mode::Hold,
                6,
                [
                    "On hold for 3 min, by admin: no new visitor goes in",
                    "hold",
                    "automatic",
                ],
            ),
            (
                Mode::Open,
                6,
                [
                    "Open for 3 min, by admin: every visitor goes in",
                    "open",
                    "hold",
                ],
            ),
            (
                Mode::Closed,
                6,
                [
                    "Closed for 3 min, by admin: no new visitor goes in, and none draws a number",
                    "closed",
                    "automatic",
                ],
            ),
        ] {
            assert_eq!(told(mode, automatic), expected);
        }
    }

    #[test]
    fn a_screen_reader_is_told_of_another_state_and_of_no_other_figures() {
        for (kind, words, expected) in [
            (
                RUN,
                "Keeping up: 46 arrive and 80 go in each minute",
                "run ",
            ),
            (RUN, "Nobody is waiting; 12 arrive each minute", "run "),
            (WATCH, "Growing: 40 arrive each minute", "watch Growing"),
            (
                HOLD,
                "On hold for 3 min: no new visitor goes in",
                "hold On hold for ",
            ),
            (
                ALARM,
                "The origin is sick, and visitors still go in",
                "alarm The origin is sick, and visitors still go in",
            ),
        ] {
            assert_eq!(said(&kind, words), expected);
        }
    }

    #[test]
    fn a_tab_of_which_nothing_is_known_any_more_gets_the_mark_of_that_by_the_script() {
        let page = include_str!("../../../templates/admin.html");
        for mark in [
            format!("'%23{}'", UNKNOWN.color),
            format!("d='{}\"", UNKNOWN.shape),
            format!("'{} '", UNKNOWN.letter),
        ] {
            assert!(page.contains(&mark), "{mark}");
        }
    }

    #[test]
    fn who_is_inside_is_said_only_while_it_is_known() {
        let mut snapshot = snapshot(&[(1, 0, 0)]);
        snapshot.board.live.mode = Mode::Automatic;
        snapshot.board.live.pace = Pace {
            automatic: 60,
            quantity: 30,
        };
        snapshot.board.sessions = Some(Sessions {
            total_active: 25,
            cells: vec![Cell {
                end: NOW_MS / 60_000 + 5,
                many: 20,
            }],
            ..Sessions::default()
        });
        let said = words(&snapshot.board, &snapshot, NOW_MS);
        assert_eq!(said, "The pace is 30 a minute; 20 of 25 inside");
        for (bound_by, recount_ms) in [(Bound::Recount, Some(NOW_MS)), (Bound::Quiet, None)] {
            snapshot.limits.bound_by = bound_by;
            snapshot.limits.recount_ms = recount_ms;
            let said = words(&snapshot.board, &snapshot, NOW_MS);
            assert_eq!(said, "The pace is 30 a minute", "{bound_by:?}");
        }
    }

    #[test]
    fn the_tab_shows_the_state_and_the_length_of_the_line() {
        let mut board = snapshot(&[(1, 204, 80)]).board;
        let well = title(&board, None, "main");
        assert_eq!(well, "\u{25b6} 204 waiting \u{b7} main");
        let verdict = Verdict::new(Level::Alarm, "A rush begins");
        let alarm = title(&board, Some(&verdict), "main");
        assert_eq!(alarm, "\u{26a0} 204 waiting \u{b7} main");
        board.live.mode = Mode::Hold;
        let held = "\u{275a}\u{275a} 204 waiting \u{b7} main";
        assert_eq!(title(&board, None, "main"), held);
    }
}
