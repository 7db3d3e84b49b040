use std::collections::BTreeSet;

use super::*;
use crate::queue::Provenance;

fn action(verb: &str, number: u64, value: &str, second: &str) -> Action {
    Action {
        set: Provenance {
            at_ms: 1_800_000_000_000,
            by: Some("anna".to_owned()),
        },
        address: "192.0.2.7".to_owned(),
        verb: verb.to_owned(),
        number,
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
        (
            action("cap", 0, "1500 20 60 on", ""),
            "cap 1,500 people, sessions of 20 minutes",
        ),
        (action("cap", 0, "0 20 60 on", ""), "no cap"),
        (action("cap", 0, "", ""), "cap as configured"),
        (action("credit", 1, "", ""), "credit for 1 person cleared"),
        (
            action("epoch", 12, "", ""),
            "all tickets ended, 12 people waiting",
        ),
        (action("draw", 7, "", ""), "test ticket 7 drawn"),
        (action("jump", 7, "", ""), "test ticket 7 let in"),
        (action("jump", 0, "", ""), "test ticket let in"),
        (
            action("overrule", 0, "on", ""),
            "health of the origin overruled for an hour",
        ),
        (
            action("overrule", 0, "off", ""),
            "health of the origin counts again",
        ),
        (action("report", 0, "", ""), "report of the origin"),
        (action("of a later build", 3, "x", ""), "of a later build"),
    ] {
        assert_eq!(listed(&action), told);
    }
}

#[test]
fn events_that_were_set_have_their_words() {
    for (action, told) in [
        (action("event", 0, "", ""), "events as configured"),
        (action("event", 0, "none", ""), "no event"),
        (
            action("event", 0, "a:0:0:0:arrival", ""),
            "event a opens 1970-01-01 00:00:00 UTC",
        ),
        (
            action("event", 0, "a:0:0:1000:arrival b:5000:60000:0:drawn", ""),
            "event a opens 1970-01-01 00:00:00 UTC, event b opens 1970-01-01 00:01:00 UTC",
        ),
        (
            action("event", 0, "a:0:0:1000:arrival", "a"),
            "event a sold out",
        ),
    ] {
        assert_eq!(listed(&action), told);
    }
}

#[test]
fn every_route_and_every_act_belongs_to_one_verb() {
    let routes: BTreeSet<&str> = VERBS.iter().map(|verb| verb.route).collect();
    assert_eq!(routes.len(), VERBS.len(), "{routes:?}");
    let acts: Vec<&str> = VERBS.iter().flat_map(|verb| verb.acts).copied().collect();
    let different: BTreeSet<&str> = acts.iter().copied().collect();
    assert_eq!(different.len(), acts.len(), "{acts:?}");
}

#[test]
fn mode_pace_message_cap_and_events_make_a_version_of_the_settings_and_nothing_else_does() {
    let settings = VERBS
        .iter()
        .filter(|verb| verb.changes == Changes::Settings);
    let acts: Vec<&str> = settings.flat_map(|verb| verb.acts).copied().collect();
    assert_eq!(acts, ["mode", "pace", "cap", "event", "message"]);
}
