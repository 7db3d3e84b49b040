//! Lets visitors in for an hour though the origin counts as sick; or no longer.

use super::{Asking, Changes, Flash, Intent, Verb};
use crate::config::Room;
use crate::http::object::object;
use crate::operator::input::{Fields, LONGEST_BODY, Refusal, wrong};
use crate::operator::login::{Audience, Right};
use crate::page::people;
use crate::queue::{Action, Board, Change, Effect, Overrule};
use serde_json::Value;

/// The verb.
pub(super) static VERB: Verb = Verb {
    route: "overrule",
    acts: &["overrule"],
    needs: (Audience::Api, Right::Set),
    changes: Changes::Line,
    longest_body: LONGEST_BODY,
    example: |_| r#"{"overrule": "on"}"#.to_owned(),
    read,
    flash,
    listed,
};

/// Whether it is overruled from now on.
pub struct SetOverrule(pub Overrule);

fn read(fields: &mut Fields, _: &Asking<'_>) -> Result<Box<dyn Intent>, Refusal> {
    let word = fields.text("overrule")?;
    let Some(overrule) = word.as_deref().and_then(Overrule::named) else {
        return Err(wrong("overrule", word.as_deref(), "on or off"));
    };
    Ok(Box::new(SetOverrule(overrule)))
}

impl Intent for SetOverrule {
    fn change(&self) -> Change {
        Change::new("overrule", vec![("overrule", self.0.name().to_owned())])
    }

    fn logged(&self, _: Effect) -> String {
        format!("overrule {}", self.0.name())
    }

    fn told(&self, board: &Board, effect: Effect, _: &Room) -> Value {
        object!({ "overrule": self.0.name(), "released": effect.number, "cursor": board.cursor().0 })
    }
}

fn flash(flash: &Flash<'_>) -> String {
    match flash.number {
        0 => "Done.".to_owned(),
        released => format!("Done; {} went in.", people(released)),
    }
}

fn listed(action: &Action) -> String {
    match action.value.as_str() {
        "on" => "health of the origin overruled for an hour".to_owned(),
        _ => "health of the origin counts again".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{action, assert_listed};

    #[test]
    fn an_overruled_health_has_its_words() {
        assert_listed(&[
            (
                action("overrule", 0, "on", ""),
                "health of the origin overruled for an hour",
            ),
            (
                action("overrule", 0, "off", ""),
                "health of the origin counts again",
            ),
        ]);
    }
}
