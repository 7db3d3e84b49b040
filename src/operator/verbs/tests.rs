use std::collections::BTreeSet;

use super::*;
use crate::queue::Provenance;

/// Something that an operator did, as the list of actions has it.
pub(super) fn action(verb: &str, number: u64, value: &str, second: &str) -> Action {
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

/// Holds what is said among the actions of what was done.
pub(super) fn assert_listed(rows: &[(Action, &str)]) {
    for (action, told) in rows {
        assert_eq!(listed(action), *told);
    }
}

#[test]
fn every_act_has_words_of_its_own_and_one_of_a_later_build_its_name() {
    for act in VERBS.iter().flat_map(|verb| verb.acts) {
        let words = listed(&action(act, 1, "", ""));
        assert!(!words.is_empty() && words != *act, "{act}: {words}");
    }
    assert_listed(&[(action("of a later build", 3, "x", ""), "of a later build")]);
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
