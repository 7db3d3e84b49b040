//! Sets the message to waiting visitors, or goes back to what is configured.

use super::{Asking, Changes, Flash, Intent, Verb};
use crate::operator::input::{Fields, LONGEST_BODY, Refusal, wrong};
use crate::operator::login::{Audience, Right};
use crate::page::{LONGEST_MESSAGE, UNSAYABLE, is_sayable};
use crate::queue::{Action, Change, Effect};

/// The verb.
pub(super) static VERB: Verb = Verb {
    route: "message",
    acts: &["message"],
    needs: (Audience::Api, Right::Set),
    changes: Changes::Settings,
    longest_body: LONGEST_BODY,
    example: |_| r#"{"message": "Doors open at eight."}"#.to_owned(),
    read,
    flash,
    listed,
};

/// The message that is asked for; `None` is what is configured, and an empty text is nothing.
pub struct Message(pub Option<String>);

fn read(fields: &mut Fields, _: &Asking<'_>) -> Result<Box<dyn Intent>, Refusal> {
    if fields.are_given_back(&["message"]) {
        return Ok(Box::new(Message(None)));
    }
    match fields.text("message")? {
        Some(text) if is_sayable(&text, LONGEST_MESSAGE) => {
            Ok(Box::new(Message(Some(text.trim().to_owned()))))
        }
        other => {
            let accepted =
                format!("a text of at most {LONGEST_MESSAGE} characters without {UNSAYABLE}");
            Err(wrong("message", other.as_deref(), &accepted))
        }
    }
}

impl Intent for Message {
    fn change(&self) -> Change {
        let text = self.0.clone().map(|text| ("message", text));
        Change::new("message", Vec::from_iter(text))
    }

    fn details(&self, _: Effect) -> String {
        let text = match self.0.as_deref() {
            Some("") => "none",
            Some(_) => "set",
            None => "configured",
        };
        format!("&text={text}")
    }

    fn logged(&self, _: Effect) -> String {
        match self.0 {
            Some(_) => "message set".to_owned(),
            None => "message as configured".to_owned(),
        }
    }
}

fn flash(flash: &Flash<'_>) -> String {
    let done = match flash.text("text").as_deref() {
        Some("none") => "is taken away",
        Some("configured") => "is the configured one again, if there is one",
        _ => "is set",
    };
    format!("The message {done}: waiting visitors see that with the next poll of their page.")
}

fn listed(action: &Action) -> String {
    match action.value.as_str() {
        "" if action.second == "-" => "message as configured".to_owned(),
        "" => "message taken away".to_owned(),
        text => format!("message \u{201c}{text}\u{201d}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{action, assert_listed};

    #[test]
    fn a_message_has_its_words() {
        assert_listed(&[
            (
                action("message", 0, "Soon.", ""),
                "message \u{201c}Soon.\u{201d}",
            ),
            (action("message", 0, "", ""), "message taken away"),
            (action("message", 0, "", "-"), "message as configured"),
        ]);
    }
}
