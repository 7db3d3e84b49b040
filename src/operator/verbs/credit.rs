//! Takes back the credit: what was granted and not used.

use crate::config::Room;
use crate::http::object::object;
use serde_json::Value;

use super::{Ask, Changes, Flash, Intent, Verb, no_fields};
use crate::operator::input::LONGEST_BODY;
use crate::operator::login::{Audience, Right};
use crate::page::{Question, people};
use crate::queue::{Action, Board, Change, Effect};

/// The verb.
pub(super) static VERB: Verb = Verb {
    route: "credit",
    acts: &["credit"],
    needs: (Audience::Api, Right::Set),
    changes: Changes::Line,
    longest_body: LONGEST_BODY,
    example: no_fields,
    read: |_, _| Ok(Box::new(Credit)),
    flash,
    listed,
};

/// That no credit is left.
pub struct Credit;

impl Intent for Credit {
    fn change(&self) -> Change {
        Change::new("credit", Vec::new())
    }

    fn question(&self) -> Option<Ask<'_>> {
        Some(Box::new(|board, _| Question {
            title: "Clear the credit?",
            text: format!(
                "Credit for {} is taken back. Those are admissions that were granted and not used yet.",
                people(board.credit)
            ),
            yes: "Clear the credit",
            word: None,
        }))
    }

    fn logged(&self, effect: Effect) -> String {
        format!("credit {} cleared", effect.number)
    }

    fn told(&self, board: &Board, effect: Effect, _: &Room) -> Value {
        object!({ "credit": board.credit, "cleared": effect.number })
    }
}

fn flash(flash: &Flash<'_>) -> String {
    format!("Credit for {} is cleared.", people(flash.number))
}

fn listed(action: &Action) -> String {
    format!("credit for {} cleared", people(action.number))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{action, assert_listed};

    #[test]
    fn cleared_credit_has_its_words() {
        assert_listed(&[(action("credit", 1, "", ""), "credit for 1 person cleared")]);
    }
}
