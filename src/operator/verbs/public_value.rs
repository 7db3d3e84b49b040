//! Gives the public value that decides an order by lot.

use super::{Ask, Asking, Changes, Flash, Intent, Verb};
use crate::config::Room;
use crate::http::object::object;
use crate::operator::input::{Fields, LONGEST_BODY, Refusal, wrong};
use crate::operator::login::{Audience, Right};
use crate::page::{Question, people};
use crate::queue::{Action, Begun, Board, Change, Effect, Phase, Reveal};
use crate::request::Request;
use serde_json::Value;

/// The verb.
pub(super) static VERB: Verb = Verb {
    route: "public-value",
    acts: &["lot"],
    needs: (Audience::Api, Right::Set),
    changes: Changes::Line,
    longest_body: LONGEST_BODY,
    example: |_| r#"{"value": "beacon 4711: 90ab12"}"#.to_owned(),
    read,
    flash,
    listed,
};

/// The longest public value.
const LONGEST: usize = 100;

/// The value, and what this POP knows of the secrets.
pub struct PublicValue {
    /// The value itself.
    pub value: String,
    /// What may have been committed to, with its secret; nothing where no entry of `jwt_secret` makes it.
    pub reveals: Vec<Reveal>,
}

fn read(fields: &mut Fields, asking: &Asking<'_>) -> Result<Box<dyn Intent>, Refusal> {
    let text = fields.text("value")?.unwrap_or_default();
    let value = text.trim();
    let is_sound = (1..=LONGEST).contains(&value.len()) && value.bytes().all(is_printable);
    if !is_sound {
        let accepted = format!("1 to {LONGEST} characters of ASCII, as the value was published");
        return Err(wrong("value", Some(&text), &accepted));
    }
    Ok(Box::new(PublicValue {
        value: value.to_owned(),
        reveals: reveals(asking.request),
    }))
}

/// The secret of the event that has begun. A data centre that knows no such event takes its start for the one with which it began.
fn reveals(request: &Request<'_>) -> Vec<Reveal> {
    let (schedule, room) = (request.schedule(), request.room.name.as_str());
    let Some((event, _)) = request.event() else {
        return Vec::new();
    };
    let begun = request.pop.last_board().and_then(|board| board.begun);
    let begun = begun.filter(|begun| begun.id == event.id && begun.commitment.is_some());
    match begun {
        Some(begun) => schedule.reveal(room, &begun).into_iter().collect(),
        None => schedule.reveals(room, &event.id, event.opens_ms),
    }
}

fn is_printable(byte: u8) -> bool {
    byte.is_ascii_graphic() || byte == b' '
}

impl Intent for PublicValue {
    fn change(&self) -> Change {
        let reveals: Vec<String> = self.reveals.iter().map(Reveal::written).collect();
        let details = vec![
            ("value", self.value.clone()),
            ("given_lot", reveals.join(" ")),
        ];
        Change::new("lot", details)
    }

    fn question(&self) -> Option<Ask<'_>> {
        Some(Box::new(|board, _| Question {
            title: "Decide the order?",
            text: format!(
                "\u{201c}{}\u{201d} decides the order by lot. Waiting now: {}. Compare it with what was published: it is given once and cannot be taken back.",
                self.value,
                people(board.waiting())
            ),
            yes: "Decide the order",
            word: None,
        }))
    }

    fn logged(&self, effect: Effect) -> String {
        format!(
            "order of {} decided by lot with {:?}",
            effect.number, self.value
        )
    }

    fn told(&self, board: &Board, effect: Effect, _: &Room) -> Value {
        object!({ "value": self.value.as_str(), "drawn": effect.number, "cursor": board.cursor().0 })
    }

    fn refused_by_mode(&self, board: &Board) -> (&'static str, String) {
        (
            "No order is decided now",
            format!("{}; nothing moved", why_not(board)),
        )
    }
}

/// Why no value decides now.
fn why_not(board: &Board) -> &'static str {
    let event = board.event.as_ref();
    let begun = board.begun.as_ref();
    let source = event.and_then(|event| event.event.order.source());
    match event.map(|event| event.phase) {
        None => "there is no event",
        Some(Phase::Over | Phase::Outside) if begun.is_some_and(Begun::is_undecided) => {
            "the event closed before its order was decided: move its end, and give the value then"
        }
        Some(_) if source.is_none() => "the event names no public_value",
        Some(Phase::Before | Phase::Prequeue) => {
            "the event has not opened: a value that is known before could be chosen"
        }
        Some(Phase::Drawing)
            if begun.is_some_and(|begun| begun.numbers.is_none()) || board.young =>
        {
            "the data of the line are younger than two minutes: give the value again then"
        }
        Some(Phase::Drawing) => {
            "no entry of jwt_secret made the secret that was committed to: put the entry back that signed then, or open the waiting page from here once if the start was moved"
        }
        Some(Phase::Open | Phase::Over | Phase::Outside | Phase::Maintenance) => {
            "the order is decided, or no visitor came before the start, or the line moved since then"
        }
    }
}

fn flash(flash: &Flash<'_>) -> String {
    let drawn = people(flash.number);
    format!("The order of {drawn} is decided. The line moves.")
}

fn listed(action: &Action) -> String {
    format!(
        "order of {} decided by lot with {}",
        people(action.number),
        action.value
    )
}
