//! How a change is worded for the script, and its answer read.

use super::reply::Answer;
use super::{Arguments, named};
use crate::queue::{Actor, Change, Changed, Effect, EndedSession};

/// The arguments of the verb `change`.
pub(super) fn arguments(change: Change, author: &Actor<'_>) -> Arguments {
    let mut pairs = vec![
        ("act", change.act.to_owned()),
        ("who", author.name.to_owned()),
        ("address", author.address.to_owned()),
    ];
    pairs.extend(author.audited.then(|| ("audited", "yes".to_owned())));
    pairs.extend(author.seen.map(|seen| ("seen", seen.to_string())));
    pairs.extend(
        author
            .once
            .as_ref()
            .map(|once| ("asked", once.asked.clone())),
    );
    let ends = change.ends.iter().zip(1..);
    let marks: Vec<String> = ends
        .map(|(ended, place)| {
            let EndedSession { mark, last, of } = ended;
            let of = of.map_or(String::new(), |of| format!(":{of}"));
            format!("{place}:{mark}:{last}{of}")
        })
        .collect();
    pairs.extend((!marks.is_empty()).then(|| ("marks", marks.join(" "))));
    pairs.extend(change.details);
    pairs.into_iter().map(named).collect()
}

/// What the verb `change` answers.
pub(super) fn read_changed(answer: &Answer) -> Option<Changed> {
    let board = answer.board();
    let kept = answer.optional_number("kept")?;
    let effect = answer
        .number("number")
        .map(|number| Effect { number, kept });
    Some(match answer.text("outcome")? {
        "done" => Changed::Done(board?, effect?),
        "again" => Changed::Replayed(board?, effect?),
        "outdated" => Changed::VersionConflict(board?),
        "standing" => Changed::NotAdmitting(board?),
        "reused" => Changed::KeyReused,
        _ => return None,
    })
}
