//! Ends every ticket of the room.

use crate::config::Room;
use crate::http::object::object;
use serde_json::Value;

use super::{Ask, Asking, Changes, Flash, Intent, Step, Verb};
use crate::operator::input::{Fields, LONGEST_BODY, Refusal, wrong};
use crate::operator::login::{Audience, Right};
use crate::page::{Question, people};
use crate::queue::{Action, Board, Change, Effect};

/// The verb.
pub(super) static VERB: Verb = Verb {
    route: "epoch",
    acts: &["epoch"],
    needs: (Audience::Api, Right::Set),
    changes: Changes::Line,
    longest_body: LONGEST_BODY,
    example: |request| {
        let word = object!({ "word": request.room.name.as_str() });
        serde_json::to_string(&word).unwrap_or_default()
    },
    read,
    flash,
    listed,
};

/// That every ticket ends.
pub struct Epoch;

fn read(fields: &mut Fields, asking: &Asking<'_>) -> Result<Box<dyn Intent>, Refusal> {
    let (word, room) = (fields.text("word")?, asking.request.room.name.as_str());
    // The question asks for the word.
    let comes_later = asking.step == Step::First && word.is_none();
    if !comes_later && word.as_deref() != Some(room) {
        let accepted = format!("the name of the room, {room:?}");
        return Err(wrong("word", word.as_deref(), &accepted));
    }
    Ok(Box::new(Epoch))
}

impl Intent for Epoch {
    fn change(&self) -> Change {
        Change::new("epoch", Vec::new())
    }

    fn question(&self) -> Option<Ask<'_>> {
        Some(Box::new(|board, room| Question {
            title: "End all tickets?",
            text: format!(
                "Waiting now: {}. They lose their places and draw again, and so do the {} let in so far, if they are still inside. That cannot be taken back. Type the room's name, {}, to do it.",
                people(board.waiting()),
                people(board.cursor().0),
                room.name
            ),
            yes: "End all tickets",
            word: Some(room.name.to_string()),
        }))
    }

    fn logged(&self, effect: Effect) -> String {
        format!("epoch raised, {} tickets waiting ended", effect.number)
    }

    fn told(&self, board: &Board, effect: Effect, _: &Room) -> Value {
        object!({ "epoch": board.epoch, "ended": effect.number })
    }
}

fn flash(flash: &Flash<'_>) -> String {
    let people = people(flash.number);
    format!("All tickets have ended, those of {people} waiting among them.")
}

fn listed(action: &Action) -> String {
    format!("all tickets ended, {} waiting", people(action.number))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{action, assert_listed};

    #[test]
    fn the_end_of_all_tickets_has_its_words() {
        assert_listed(&[(
            action("epoch", 12, "", ""),
            "all tickets ended, 12 people waiting",
        )]);
    }
}
