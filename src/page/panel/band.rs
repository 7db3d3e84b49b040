//! The state of the line in one sentence, and the one button that stops it or lets it go on.

use serde_json::Value;

use super::pace_words;
use crate::http::object::object;
use crate::queue::{Mode, Sign};

/// What the band at the top shows.
pub(super) fn band(sign: &Sign) -> Value {
    let (next, button) = match sign.live.mode {
        Mode::Automatic | Mode::Open => (Mode::Hold, "Hold the line"),
        Mode::Hold | Mode::Closed => (Mode::Automatic, "Resume"),
    };
    object!({
        "words": words(sign),
        "moves": sign.mode().lets_in(),
        "next": next.name(),
        "button": button,
    })
}

fn words(sign: &Sign) -> String {
    let live = &sign.live;
    match live.mode {
        _ if sign.is_held_by_origin() => "On hold by itself: the origin is sick.".to_owned(),
        Mode::Automatic if live.pace.automatic == 0 => {
            "Running without a pace: operators and the origin let visitors in.".to_owned()
        }
        Mode::Automatic => format!("Running by pace: {}.", pace_words(live.pace)),
        Mode::Hold => "On hold: no new visitor goes in.".to_owned(),
        Mode::Open => "Open: every visitor goes in.".to_owned(),
        Mode::Closed => "Closed: no new visitor goes in, and none draws a number.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::panel::hour::tests::board;
    use crate::queue::{Cursor, OriginSign, Pace};

    #[test]
    fn the_band_says_who_moves_the_line_and_offers_to_stop_it_or_to_go_on() {
        let mut sign = board(&[(1, 0, 0)]).sign;
        let mut told = |mode: Mode, automatic: u64, holds: bool| {
            sign.live.mode = mode;
            sign.live.pace = Pace {
                automatic,
                quantity: 5,
            };
            sign.origin = Some(OriginSign {
                holds,
                cuts: 0,
                cut_at: Cursor(0),
                is_slowed: false,
            });
            let band = band(&sign);
            let text = |name: &str| {
                band.get(name)
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned()
            };
            (
                text("words"),
                band.get("moves") == Some(&true.into()),
                text("next"),
            )
        };
        let expected =
            |words: &str, moves: bool, next: &str| (words.to_owned(), moves, next.to_owned());
        assert_eq!(
            told(Mode::Automatic, 6, false),
            expected("Running by pace: 5 every 6 seconds.", true, "hold")
        );
        assert_eq!(
            told(Mode::Automatic, 0, false),
            expected(
                "Running without a pace: operators and the origin let visitors in.",
                true,
                "hold"
            )
        );
        assert_eq!(
            told(Mode::Automatic, 6, true),
            expected("On hold by itself: the origin is sick.", false, "hold")
        );
        assert_eq!(
            told(Mode::Hold, 6, false),
            expected("On hold: no new visitor goes in.", false, "automatic")
        );
        assert_eq!(
            told(Mode::Open, 6, false),
            expected("Open: every visitor goes in.", true, "hold")
        );
        assert_eq!(
            told(Mode::Closed, 6, false),
            expected(
                "Closed: no new visitor goes in, and none draws a number.",
                false,
                "automatic"
            )
        );
    }
}
