//! How a change is worded for the script, and its answer read.

use super::reply::Answer;
use super::{Arguments, named};
use crate::queue::{Author, Change, Changed, Effect};

/// The arguments of the verb `change`.
pub(super) fn arguments(change: &Change, author: &Author<'_>) -> Arguments {
    let mut pairs = vec![
        ("act", change.verb().to_owned()),
        ("who", author.name.to_owned()),
        ("address", author.address.to_owned()),
    ];
    pairs.extend(author.is_told.then(|| ("audited", "yes".to_owned())));
    pairs.extend(author.seen.map(|seen| ("seen", seen.to_string())));
    pairs.extend(
        author
            .once
            .as_ref()
            .map(|once| ("asked", once.asked.clone())),
    );
    pairs.extend(details(change));
    pairs.into_iter().map(named).collect()
}

/// What the verb `change` answers.
pub(super) fn read_changed(answer: &Answer) -> Option<Changed> {
    let sign = answer.sign();
    let effect = answer.number("number").map(|number| Effect {
        number,
        kept: answer.number("kept"),
    });
    Some(match answer.text("outcome")? {
        "done" => Changed::Done(sign?, effect?),
        "again" => Changed::Again(sign?, effect?),
        "outdated" => Changed::Outdated(sign?),
        "standing" => Changed::Standing(sign?),
        "reused" => Changed::Reused,
        _ => return None,
    })
}

/// What it is about, besides its verb.
fn details(change: &Change) -> Vec<(&'static str, String)> {
    match change {
        Change::Permit { amount, credit_max } => vec![
            ("amount", amount.to_string()),
            ("credit_max", credit_max.to_string()),
        ],
        Change::Mode(mode) => vec![("mode", mode.name().to_owned())],
        Change::Pace(Some(pace)) => vec![
            ("live_automatic", pace.automatic.to_string()),
            ("live_quantity", pace.quantity.to_string()),
        ],
        Change::Message(Some(text)) => vec![("message", text.clone())],
        Change::Jump {
            held: Some(place), ..
        } => vec![
            ("held_born", place.born.to_string()),
            ("held_epoch", place.epoch.to_string()),
            ("held_position", place.position.0.to_string()),
        ],
        _ => Vec::new(),
    }
}
