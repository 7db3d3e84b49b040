//! A request to change something, as it was understood: the verb's own fields, and those that every verb has.

use crate::http::Call;
use crate::operator::input::{Fields, Refusal, digest, wrong};
use crate::operator::login::{Operator, Scheme};
use crate::operator::verbs::{Asking, Changes, Intent, Step, Verb};
use crate::queue::IdempotencyKey;
use crate::request::Request;

/// The longest Idempotency-Key, in characters.
const LONGEST_KEY: usize = 255;
/// The longest key of a form.
const LONGEST_ONCE: usize = 80;
/// The largest version: what every language's numbers hold exactly (RFC 8259, 6).
const LARGEST: u64 = 9_007_199_254_740_991;

/// A request that was understood.
pub(super) struct Asked {
    pub(super) intent: Box<dyn Intent>,
    /// The version of the settings that its sender saw.
    pub(super) seen: Option<u64>,
    pub(super) once: Option<IdempotencyKey>,
    /// Whether the form's sender has been asked.
    pub(super) confirmed: bool,
    /// Whether the panel proposed what the form says.
    pub(super) is_proposed: bool,
}

impl Asked {
    pub(super) fn read(
        verb: &Verb,
        operator: &Operator,
        mut fields: Fields,
        request: &Request<'_>,
    ) -> Result<Self, Refusal> {
        let is_form = fields.is_form;
        let once = if is_form {
            form_key(&mut fields)?
        } else {
            None
        };
        let key = header_key(request.call)?.or(once);
        let confirmed = is_form && is_yes("sure", &mut fields)?;
        let is_proposed = is_form && is_yes("ask", &mut fields)?;
        let seen = match verb.changes {
            Changes::Settings => fields.number("version", 0..=LARGEST)?,
            Changes::Line => None,
        };
        let once = key.map(|key| IdempotencyKey {
            key: digest(&format!("{}/{}\n{key}", operator.secret, operator.name)),
            asked: digest(&what(verb, &fields)),
        });
        let asking = Asking {
            request,
            once: once.as_ref(),
            // Only a browser is shown a question, so a program's form has to say all at once.
            step: if is_form && operator.via == Scheme::Basic && !confirmed {
                Step::First
            } else {
                Step::Last
            },
        };
        let intent = (verb.read)(&mut fields, &asking)?;
        fields.end()?;
        Ok(Self {
            intent,
            seen,
            once,
            confirmed,
            is_proposed,
        })
    }
}

/// What is asked, as one text. Its digest is in the store for a day, so builds must agree on it.
fn what(verb: &Verb, fields: &Fields) -> String {
    let mut letters = verb.route.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    let rest = letters.as_str();
    format!(
        "{}{rest} {}",
        first.unwrap_or_default(),
        fields.digestible()
    )
}

/// The key of a form that was shown, so that sent twice it is one change.
fn form_key(fields: &mut Fields) -> Result<Option<String>, Refusal> {
    let Some(key) = fields.text("once")? else {
        return Ok(None);
    };
    let is_sound = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if (1..=LONGEST_ONCE).contains(&key.len()) && key.bytes().all(is_sound) {
        return Ok(Some(key));
    }
    let accepted = format!("1 to {LONGEST_ONCE} small letters, digits and -");
    Err(wrong("once", Some(&key), &accepted))
}

/// Whether the form says so in this field.
fn is_yes(name: &'static str, fields: &mut Fields) -> Result<bool, Refusal> {
    match fields.text(name)?.as_deref() {
        None => Ok(false),
        Some("yes") => Ok(true),
        other => Err(wrong(name, other, "yes")),
    }
}

/// The key by which a program makes sure that a repeat does nothing.
fn header_key(call: &Call) -> Result<Option<String>, Refusal> {
    match call.lines("idempotency-key").count() {
        0 => return Ok(None),
        1 => {}
        _ => {
            let several = "several of them";
            return Err(wrong("Idempotency-Key", Some(several), "one"));
        }
    }
    let key = call.header("idempotency-key");
    let is_sound =
        (1..=LONGEST_KEY).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic());
    if is_sound {
        Ok(Some(key.into_owned()))
    } else {
        let accepted = format!("1 to {LONGEST_KEY} visible ASCII characters");
        Err(wrong("Idempotency-Key", Some(&key), &accepted))
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::operator::verbs;

    #[test]
    fn what_is_asked_is_worded_as_the_builds_before_worded_it() {
        let mut body = r#"{"b":2,"a":"x"}"#.as_bytes();
        let fields = Fields::read("application/json", &mut body, 4096, "{}").unwrap();
        let rest = fields.digestible();
        for (route, name) in [
            ("permit", "Permit"),
            ("mode", "Mode"),
            ("settings", "Settings"),
            ("message", "Message"),
            ("credit", "Credit"),
            ("epoch", "Epoch"),
            ("ticket", "Ticket"),
        ] {
            let verb = verbs::at(route).unwrap();
            assert_eq!(what(verb, &fields), format!("{name} {rest}"));
        }
    }
}
