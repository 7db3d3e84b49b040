//! The way back from what was just set: the value before it, out of what operators did.
//!
//! Invariant: it takes back the latest change of the settings alone, and nothing that another operator set.

use serde_json::Value;

use std::borrow::Cow;

use super::{Configured, PanelView, Proposal};
use crate::http::object::object;
use crate::page::events_json;
use crate::queue::{Action, Cap, EventList};

/// Clocks of a data centre and of the store differ, in milliseconds.
const TOLERANCE_MS: u64 = 10_000;

/// What the panel says was just done.
#[derive(Clone, Debug)]
pub struct News {
    /// In words.
    pub words: String,
    /// The version of the settings that it made, if it made one.
    pub version: Option<u64>,
    /// When, in Unix milliseconds.
    pub at_ms: u64,
}

/// The form that takes it back: its route, its fields and the value that holds then.
pub(super) fn undo(configured: &Configured<'_>, desk: &PanelView<'_>) -> Option<Value> {
    let news = desk.news?;
    let version = news.version?;
    let actions = &desk.snapshot.actions;
    let settings: Vec<&Action> = actions
        .iter()
        .filter(|action| (desk.words.is_setting)(action))
        .collect();
    let (done, earlier) = settings.split_first()?;
    let is_mine = desk.snapshot.board.live.version == version
        && done.set.who() == desk.operator
        && done.set.at_ms.abs_diff(news.at_ms) <= TOLERANCE_MS;
    let before = earlier.iter().find(|action| action.verb == done.verb);
    // The list holds the latest only: where it does not go back to the first change, an earlier value may be missing.
    let is_known =
        before.is_some() || u64::try_from(settings.len()).is_ok_and(|all| all >= version);
    // What an event brought in its place would not hold again.
    let is_before_event = before.is_some_and(|before| {
        let running = desk
            .snapshot
            .board
            .event
            .as_ref()
            .filter(|known| known.phase.runs());
        running.is_some_and(|known| {
            known.event.brings(&done.verb) && before.set.at_ms < known.event.prequeue_ms
        })
    });
    if !is_mine || !is_known || is_before_event {
        return None;
    }
    let (route, fields) = way_back(&done.verb, before.copied(), configured)?;
    let fields = fields
        .into_iter()
        .map(|(name, value)| object!({ "name": name, "value": &*value }));
    let was = before.map(|action| (desk.words.what)(action));
    Some(object!({
        "route": route,
        "fields": fields.collect::<Vec<Value>>(),
        "was": was.unwrap_or_else(|| match done.verb.as_str() {
            "mode" => "mode automatic".to_owned(),
            verb => format!("{verb} as configured"),
        }),
    }))
}

type Fields<'a> = Vec<(&'static str, Cow<'a, str>)>;

/// The route, and what the form says.
fn way_back<'a>(
    verb: &str,
    before: Option<&'a Action>,
    configured: &Configured<'_>,
) -> Option<(&'static str, Fields<'a>)> {
    let value = before.map_or("", |action| &action.value);
    let field = |name, value| (name, Cow::Borrowed(value));
    let back = vec![field("back", "yes")];
    match verb {
        "mode" if value.is_empty() => Some(("mode", vec![field("mode", "automatic")])),
        "mode" => Some(("mode", vec![field("mode", value)])),
        "pace" if value.is_empty() => Some(("settings", back)),
        "pace" => {
            let quantity = before.map_or("", |action| &action.second);
            let pace = vec![
                field("automatic", value),
                field("automatic_quantity", quantity),
            ];
            Some(("settings", pace))
        }
        // The list does not say whether an empty message was set or the configured one taken back.
        "message" if value.is_empty() && before.is_some() && configured.message.is_some() => None,
        "message" if value.is_empty() => Some(("message", back)),
        "cap" if value.is_empty() => Some(("cap", back)),
        "cap" => {
            let (route, fields) = Proposal::Cap(Cap::read(value)?).form();
            let fields = fields.into_iter();
            let fields = fields.map(|(name, value)| (name, Cow::Owned(value)));
            Some((route, fields.collect()))
        }
        "message" => Some(("message", vec![field("message", value)])),
        "event" if value.is_empty() => Some(("event", back)),
        "event" => {
            let events = events_json(&EventList::read(value)?.0);
            let events = serde_json::to_string(&events).unwrap_or_default();
            Some(("event", vec![("event", Cow::Owned(events))]))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::ActionWords;
    use super::super::hour::tests::snapshot;
    use super::*;
    use crate::queue::{AbsentVisitors, Groups, OriginHealth, Pace, PanelSnapshot, Provenance};

    const NOW_MS: u64 = 1_800_000_000_000;

    fn action(verb: &str, value: &str, second: &str) -> Action {
        Action {
            set: Provenance {
                at_ms: NOW_MS,
                by: Some("anna".to_owned()),
            },
            address: String::new(),
            verb: verb.to_owned(),
            number: 0,
            value: value.to_owned(),
            second: second.to_owned(),
        }
    }

    /// The latest first.
    fn after(actions: Vec<Action>) -> PanelSnapshot {
        let mut snapshot = snapshot(&[(0, 0, 0)]);
        let settings = actions.iter().filter(|action| action.verb != "permit");
        snapshot.board.live.version = settings.count() as u64;
        snapshot.actions = actions;
        snapshot
    }

    /// Its route and fields, as a form would send them.
    fn undone(snapshot: &PanelSnapshot, version: Option<u64>, message: Option<&str>) -> String {
        let configured = Configured {
            rooms: Vec::new(),
            room: "main",
            path: "/_queue",
            tickets: true,
            permit_max: 1,
            refresh_interval: 1,
            pace: Pace::default(),
            limits_of: None,
            absent_visitors: AbsentVisitors::Off,
            origin_health: OriginHealth::Off,
            cap: Cap::default(),
            events: &[],
            invited_per_minute: 0,
            groups: &Groups::default(),
            message,
            short_passwords: Vec::new(),
        };
        let news = News {
            words: String::new(),
            version,
            at_ms: NOW_MS,
        };
        let desk = PanelView {
            snapshot,
            words: ActionWords {
                what: |action| action.verb.clone(),
                is_setting: |action| action.verb != "permit",
            },
            copy: None,
            operator: "anna",
            acts: true,
            ticket: None,
            news: Some(&news),
            trouble: None,
            once: "",
            span: super::super::Span::default(),
            now_ms: NOW_MS,
        };
        let Some(undo) = undo(&configured, &desk) else {
            return "none".to_owned();
        };
        let text = |value: &Value, name: &str| {
            let text = value.get(name).and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        let fields = undo.get("fields").and_then(Value::as_array);
        let fields = fields.into_iter().flatten();
        let fields =
            fields.map(|field| format!(" {}={}", text(field, "name"), text(field, "value")));
        text(&undo, "route") + &fields.collect::<String>()
    }

    #[test]
    fn what_was_set_leads_back_to_what_held_before() {
        for (done, before, expected) in [
            (action("mode", "hold", ""), None, "mode mode=automatic"),
            (
                action("mode", "hold", ""),
                Some(action("mode", "closed", "")),
                "mode mode=closed",
            ),
            (action("pace", "15", "20"), None, "settings back=yes"),
            (
                action("pace", "15", "20"),
                Some(action("pace", "60", "7")),
                "settings automatic=60 automatic_quantity=7",
            ),
            (
                action("pace", "15", "20"),
                Some(action("pace", "", "")),
                "settings back=yes",
            ),
            (action("message", "Ten", ""), None, "message back=yes"),
            (
                action("message", "Ten", ""),
                Some(action("message", "Nine", "")),
                "message message=Nine",
            ),
            (action("event", "none", ""), None, "event back=yes"),
            (
                action("event", "a:0:0:1000:arrival", "a"),
                Some(action("event", "a:0:0:9000:drawn", "")),
                r#"event event=[{"closes":"1970-01-01T00:00:09Z","id":"a","opens":"1970-01-01T00:00:00Z","order":"drawn","prequeue":"1970-01-01T00:00:00Z"}]"#,
            ),
            (
                action("event", "a:0:0:1000:arrival", ""),
                Some(action("event", "none", "")),
                "event event=[]",
            ),
            (action("cap", "60 20 60 on", ""), None, "cap back=yes"),
            (
                action("cap", "60 20 60 on", ""),
                Some(action("cap", "25 15 30 off", "")),
                "cap total_active=25 session_minutes=15 claim_seconds=30 session_renewal=off",
            ),
            (
                action("cap", "60 20 60 on", ""),
                Some(action("cap", "", "")),
                "cap back=yes",
            ),
            (action("overrule", "on", ""), None, "none"),
        ] {
            let others = [action("permit", "5", ""), action("forget", "", "")];
            let actions = std::iter::once(done).chain(others).chain(before);
            let snapshot = after(actions.collect());
            let version = snapshot.board.live.version;
            assert_eq!(undone(&snapshot, Some(version), None), expected);
        }
    }

    #[test]
    fn nothing_is_taken_back_that_was_not_just_set_here() {
        let hold = || action("mode", "hold", "");
        let snapshot = after(vec![hold()]);
        assert_eq!(undone(&snapshot, Some(1), None), "mode mode=automatic");
        assert_eq!(
            undone(&snapshot, None, None),
            "none",
            "a permit was pressed"
        );
        let later = after(vec![action("pace", "1", "1"), hold()]);
        assert_eq!(undone(&later, Some(1), None), "none", "another one came");
        let mut others = after(vec![hold()]);
        for action in &mut others.actions {
            action.set.by = Some("ben".to_owned());
        }
        assert_eq!(undone(&others, Some(1), None), "none", "ben held the line");
        let mut earlier = after(vec![hold()]);
        for action in &mut earlier.actions {
            action.set.at_ms -= 60_000;
        }
        assert_eq!(undone(&earlier, Some(1), None), "none", "it was on hold");
        let mut old = after(vec![hold()]);
        old.board.live.version = 70;
        assert_eq!(undone(&old, Some(70), None), "none", "the list is cut");
        let taken = vec![action("message", "Ten", ""), action("message", "", "")];
        let taken = after(taken);
        assert_eq!(undone(&taken, Some(2), Some("Eight")), "none", "unclear");
    }
}
