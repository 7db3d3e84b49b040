//! Releases up to an amount of visitors now, and keeps the rest as credit.

use crate::config::Room;
use crate::http::object::object;
use serde_json::Value;

use super::{Ask, Asking, Changes, Flash, Intent, Verb};
use crate::operator::input::{Fields, LONGEST_BODY, Refusal};
use crate::operator::login::{Audience, Right};
use crate::page::{ASKS_ABOVE, Question, number, people};
use crate::queue::{Action, Board, Change, Effect, Reason};

/// The verb.
pub(super) static VERB: Verb = Verb {
    route: "permit",
    acts: &["permit"],
    needs: (Audience::Api, Right::Permit),
    changes: Changes::Line,
    longest_body: LONGEST_BODY,
    example: |_| r#"{"amt": 5}"#.to_owned(),
    read,
    flash,
    listed,
};

/// What is asked for.
pub struct Permit {
    /// How many.
    pub amount: u64,
    /// The most credit that is kept.
    pub credit_max: u64,
}

fn read(fields: &mut Fields, asking: &Asking<'_>) -> Result<Box<dyn Intent>, Refusal> {
    let operators = &asking.request.config.operators;
    let most = operators.permit_max;
    Ok(Box::new(Permit {
        amount: fields.number("amt", 1..=most)?.unwrap_or(1),
        credit_max: operators.credit_max,
    }))
}

impl Permit {
    /// Of what was asked for, what was neither used nor kept.
    fn dropped(&self, effect: Effect) -> u64 {
        let unused = self.amount.saturating_sub(effect.number);
        unused.saturating_sub(effect.kept.unwrap_or(unused))
    }

    /// What it would do to the line as it stands.
    fn prospect(&self, board: &Board) -> String {
        let now = self.amount.min(board.waiting());
        let rest = self.amount - now;
        let kept = rest.min(self.credit_max.saturating_sub(board.credit));
        let goes = match now {
            0 => "No visitor goes in now.".to_owned(),
            1 => "At most 1 person goes in at once.".to_owned(),
            many => format!("At most {} go in at once.", people(many)),
        };
        let keeps = (kept > 0).then(|| {
            let kept = people(kept);
            format!("Credit for {kept} is kept for the next arrivals.")
        });
        let drops = dropped_words(rest - kept, self.credit_max);
        sentences([Some(goes), keeps, drops])
    }
}

impl Intent for Permit {
    fn change(&self) -> Change {
        let details = vec![
            ("amount", self.amount.to_string()),
            ("credit_max", self.credit_max.to_string()),
        ];
        Change::new("permit", details)
    }

    fn question(&self) -> Option<Ask<'_>> {
        let ask: Ask<'_> = Box::new(|board, _| Question {
            title: "Let that many in?",
            text: format!(
                "Asked for: {}. Waiting now: {}. {} That cannot be taken back.",
                self.amount,
                people(board.waiting()),
                self.prospect(board)
            ),
            yes: "Let them in",
            word: None,
        });
        (self.amount > ASKS_ABOVE).then_some(ask)
    }

    fn logged(&self, effect: Effect) -> String {
        format!("permit {} of {}", effect.number, self.amount)
    }

    fn told(&self, board: &Board, effect: Effect, _: &Room) -> Value {
        object!({
            "cursor": board.cursor().0,
            "length": board.length(),
            "waiting": board.waiting(),
            "released": effect.number,
            "credit": board.credit,
            "dropped": self.dropped(effect),
        })
    }

    fn details(&self, effect: Effect) -> String {
        format!("&asked={}&dropped={}", self.amount, self.dropped(effect))
    }

    fn reason(&self) -> Reason {
        Reason::Permit
    }
}

fn flash(flash: &Flash<'_>) -> String {
    let released = flash.number;
    let asked = flash.detail("asked").unwrap_or(released);
    let dropped = flash.detail("dropped").unwrap_or_default();
    if released >= asked {
        return format!("Let in: {released}.");
    }
    let kept = (asked - released).saturating_sub(dropped);
    let goes = format!("Let in: {released} of {asked}.");
    let keeps = (kept > 0).then(|| format!("Credit for {} is kept.", people(kept)));
    let drops = dropped_words(dropped, flash.request.config.operators.credit_max);
    sentences([Some(goes), keeps, drops])
}

fn listed(action: &Action) -> String {
    format!("let in {} of {}", number(action.number), action.value)
}

fn dropped_words(dropped: u64, credit_max: u64) -> Option<String> {
    let words = || {
        format!(
            "Admissions for {} are dropped, since at most {credit_max} are kept as credit.",
            people(dropped)
        )
    };
    (dropped > 0).then(words)
}

fn sentences(sentences: [Option<String>; 3]) -> String {
    let said: Vec<String> = sentences.into_iter().flatten().collect();
    said.join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::tests::{action, assert_listed};

    #[test]
    fn a_permit_has_its_words() {
        assert_listed(&[(action("permit", 3, "5", "500"), "let in 3 of 5")]);
    }
}
