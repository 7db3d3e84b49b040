//! Sets who goes in from now on.

use super::{Ask, Asking, Changes, Flash, Intent, Verb};
use crate::operator::input::{Fields, LONGEST_BODY, Refusal, wrong};
use crate::operator::login::{Audience, Right};
use crate::page::{Proposal, Question, people};
use crate::queue::{Action, Change, Effect, Mode};

/// The verb.
pub(super) static VERB: Verb = Verb {
    route: "mode",
    acts: &["mode"],
    needs: (Audience::Api, Right::Set),
    changes: Changes::Settings,
    longest_body: LONGEST_BODY,
    example: |_| r#"{"mode": "hold"}"#.to_owned(),
    read,
    flash,
    listed,
};

/// The mode that is asked for.
pub struct SetMode(pub Mode);

fn read(fields: &mut Fields, _: &Asking<'_>) -> Result<Box<dyn Intent>, Refusal> {
    let name = fields.text("mode")?;
    let Some(mode) = name.as_deref().and_then(Mode::named) else {
        let accepted = "automatic, hold, open or closed";
        return Err(wrong("mode", name.as_deref(), accepted));
    };
    Ok(Box::new(SetMode(mode)))
}

impl Intent for SetMode {
    fn change(&self) -> Change {
        Change::new("mode", vec![("mode", self.0.name().to_owned())])
    }

    fn question(&self) -> Option<Ask<'_>> {
        let ask: Ask<'_> = Box::new(|board, _| Question {
            title: "Open the room?",
            text: format!(
                "Waiting now: {}. They all go in at once, and so does everybody who comes. That cannot be taken back.",
                people(board.waiting())
            ),
            yes: "Open the room",
            word: None,
        });
        (self.0 == Mode::Open).then_some(ask)
    }

    fn proposal(&self) -> Option<Proposal> {
        Some(Proposal::Mode(self.0))
    }

    fn logged(&self, _: Effect) -> String {
        format!("mode {}", self.0.name())
    }

    fn details(&self, _: Effect) -> String {
        format!("&mode={}", self.0.name())
    }
}

fn flash(flash: &Flash<'_>) -> String {
    let mode = flash.text("mode").unwrap_or_default();
    match flash.number {
        0 => format!("The mode is set to {mode}."),
        released => format!("The mode is set to {mode}; {} went in.", people(released)),
    }
}

fn listed(action: &Action) -> String {
    let mode = &action.value;
    match action.number {
        0 => format!("mode {mode}"),
        released => format!("mode {mode}, {} went in", people(released)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{action, assert_listed};

    #[test]
    fn a_mode_has_its_words() {
        assert_listed(&[
            (action("mode", 0, "hold", ""), "mode hold"),
            (
                action("mode", 1200, "open", ""),
                "mode open, 1,200 people went in",
            ),
        ]);
    }
}
