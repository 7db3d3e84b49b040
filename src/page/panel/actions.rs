//! What operators did, in words.

use serde_json::{Value, json};

use super::{moment, number, pace_words, people};
use crate::queue::Pace;
use crate::queue::{Action, Board};

/// More changes than this are not listed one by one.
const TOLD: usize = 3;

/// The latest first.
pub(super) fn rows(board: &Board, now_ms: u64) -> Vec<Value> {
    let row = |action: &Action| {
        json!({
            "at": moment(action.set.at_ms, now_ms),
            "what": words(action),
            "by": action.set.by,
            "address": action.address,
        })
    };
    board.actions.iter().map(row).collect()
}

/// Who changed the settings since that version of them, and to what; `None` when that is no longer known.
pub(super) fn since(board: &Board, seen: u64, now_ms: u64) -> Option<String> {
    let many = board.sign.live.version.saturating_sub(seen);
    let many = usize::try_from(many).unwrap_or(usize::MAX);
    let is_setting = |action: &&Action| ["mode", "pace", "message"].contains(&&*action.verb);
    let settings = board.actions.iter().filter(is_setting).take(many);
    let told: Vec<String> = settings
        .take(TOLD)
        .map(|action| {
            let at = moment(action.set.at_ms, now_ms);
            format!("{} by {} at {}", words(action), action.set.by, at.text)
        })
        .collect();
    (!told.is_empty()).then(|| told.join("; "))
}

fn words(action: &Action) -> String {
    let (many, value) = (action.number, action.value.as_str());
    match action.verb.as_str() {
        "permit" => format!("let in {} of {value}", number(many)),
        "mode" if many > 0 => format!("mode {value}, {} went in", people(many)),
        "mode" => format!("mode {value}"),
        "pace" => match (value.parse(), action.second.parse()) {
            (Ok(automatic), Ok(quantity)) => {
                let pace = Pace {
                    automatic,
                    quantity,
                };
                format!("pace {}", pace_words(pace))
            }
            _ => "pace as configured".to_owned(),
        },
        "message" if value.is_empty() => "message taken away".to_owned(),
        "message" => format!("message \u{201c}{value}\u{201d}"),
        "credit" => format!("credit for {} cleared", people(many)),
        "epoch" => format!("all tickets ended, {} waiting", people(many)),
        "draw" => format!("test ticket {many} drawn"),
        "jump" if many == 0 => "test ticket let in".to_owned(),
        "jump" => format!("test ticket {many} let in"),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::hour::tests::board;
    use super::*;
    use crate::queue::Set;

    fn action(verb: &str, many: u64, value: &str, second: &str) -> Action {
        Action {
            set: Set {
                at_ms: 1_800_000_000_000,
                by: "anna".to_owned(),
            },
            address: "192.0.2.7".to_owned(),
            verb: verb.to_owned(),
            number: many,
            value: value.to_owned(),
            second: second.to_owned(),
        }
    }

    #[test]
    fn every_action_has_its_words() {
        for (action, told) in [
            (action("permit", 3, "5", "500"), "let in 3 of 5"),
            (action("mode", 0, "hold", ""), "mode hold"),
            (
                action("mode", 1200, "open", ""),
                "mode open, 1,200 people went in",
            ),
            (action("pace", 0, "15", "20"), "pace 20 every 15 seconds"),
            (action("pace", 0, "", ""), "pace as configured"),
            (action("pace", 0, "0", "5"), "pace off"),
            (
                action("message", 0, "Soon.", ""),
                "message \u{201c}Soon.\u{201d}",
            ),
            (action("message", 0, "", ""), "message taken away"),
            (action("credit", 1, "", ""), "credit for 1 person cleared"),
            (
                action("epoch", 12, "", ""),
                "all tickets ended, 12 people waiting",
            ),
            (action("draw", 7, "", ""), "test ticket 7 drawn"),
            (action("jump", 7, "", ""), "test ticket 7 let in"),
            (action("jump", 0, "", ""), "test ticket let in"),
        ] {
            assert_eq!(words(&action), told);
        }
    }

    #[test]
    fn what_changed_since_a_version_is_listed_with_who_and_when() {
        let mut board = board(&[(0, 0, 0)]);
        board.sign.live.version = 7;
        board.actions = vec![
            action("mode", 0, "hold", ""),
            action("permit", 1, "1", ""),
            action("pace", 0, "15", "20"),
            action("message", 0, "", ""),
        ];
        let since = |seen| since(&board, seen, 1_800_000_000_000);
        let hold = "mode hold by anna at 08:00:00 UTC";
        let pace = "pace 20 every 15 seconds by anna at 08:00:00 UTC";
        assert_eq!(since(6).as_deref(), Some(hold));
        assert_eq!(since(5), Some(format!("{hold}; {pace}")));
        assert_eq!(since(7), None);
    }
}
