//! What operators did.

use serde_json::Value;

use super::{PanelView, moment};
use crate::http::object::object;
use crate::queue::Action;

/// More changes than this are not listed one by one.
const TOLD: usize = 3;

/// How what operators did is worded.
#[derive(Clone, Copy, Debug)]
pub struct ActionWords {
    /// What one did.
    pub what: fn(&Action) -> String,
    /// Whether that made a version of the settings.
    pub is_setting: fn(&Action) -> bool,
}

/// The latest first.
pub(super) fn rows(desk: &PanelView<'_>) -> Vec<Value> {
    let row = |action: &Action| {
        object!({
            "at": moment(action.set.at_ms, desk.now_ms),
            "what": (desk.words.what)(action),
            "by": action.set.who(),
            "address": action.address.as_str(),
        })
    };
    desk.snapshot.actions.iter().map(row).collect()
}

/// Who changed the settings since that version of them, and to what; `None` when that is no longer known.
pub(super) fn since(desk: &PanelView<'_>, seen: u64) -> Option<String> {
    let many = desk.snapshot.board.live.version.saturating_sub(seen);
    let many = usize::try_from(many).unwrap_or(usize::MAX);
    let is_setting = |action: &&Action| (desk.words.is_setting)(action);
    let settings = desk.snapshot.actions.iter().filter(is_setting).take(many);
    let told: Vec<String> = settings
        .take(TOLD)
        .map(|action| {
            let (what, by) = ((desk.words.what)(action), action.set.who());
            let at = moment(action.set.at_ms, desk.now_ms);
            format!("{what} by {by} at {}", at.text)
        })
        .collect();
    (!told.is_empty()).then(|| told.join("; "))
}

#[cfg(test)]
mod tests {
    use super::super::hour::tests::snapshot;
    use super::*;
    use crate::queue::Provenance;

    fn action(verb: &str, value: &str) -> Action {
        Action {
            set: Provenance {
                at_ms: 1_800_000_000_000,
                by: Some("anna".to_owned()),
            },
            address: "192.0.2.7".to_owned(),
            verb: verb.to_owned(),
            number: 0,
            value: value.to_owned(),
            second: String::new(),
        }
    }

    #[test]
    fn what_changed_since_a_version_is_listed_with_who_and_when() {
        let mut snapshot = snapshot(&[(0, 0, 0)]);
        snapshot.board.live.version = 7;
        snapshot.actions = vec![
            action("mode", "hold"),
            action("permit", "1"),
            action("pace", "off"),
            action("message", ""),
        ];
        let desk = PanelView {
            snapshot: &snapshot,
            words: ActionWords {
                what: |action| format!("{} {}", action.verb, action.value),
                is_setting: |action| action.verb != "permit",
            },
            copy: None,
            operator: "anna",
            acts: true,
            ticket: None,
            news: None,
            trouble: None,
            once: "",
            span: super::super::Span::default(),
            now_ms: 1_800_000_000_000,
        };
        let since = |seen| since(&desk, seen);
        let hold = "mode hold by anna at 08:00:00 UTC";
        let pace = "pace off by anna at 08:00:00 UTC";
        assert_eq!(since(6).as_deref(), Some(hold));
        assert_eq!(since(5), Some(format!("{hold}; {pace}")));
        assert_eq!(since(7), None);
    }
}
