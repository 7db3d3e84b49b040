//! What an operator's request says: the few named values of a form or of a JSON object.
//!
//! Whatever is not exactly what is asked for is refused with a sentence that says what is accepted; nothing is guessed.

use std::collections::BTreeSet;
use std::fmt;
use std::io::Read;
use std::ops::RangeInclusive;

use ct_codecs::{Encoder, Hex};
use hmac_sha256::Hash as Sha256;

use crate::http::Call;
use crate::http::body::{self, Unread};
use crate::http::json::{self, Pairs, Value, whole};
use crate::http::moment::moment;
use crate::http::negotiate::{FORM, media};

/// The values of one request, taken one by one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fields {
    /// In the order they came.
    left: Vec<(String, Value)>,
    /// Those that were asked for, for the answer to a sender of another.
    known: Vec<&'static str>,
    /// Whether a form asked: its values are all texts, and its sender expects to be led back to the panel.
    pub is_form: bool,
}

/// Why a request was not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A value, or the way it was given.
    Value(String),
    /// More bytes than any change needs.
    TooLarge(String),
    /// Neither a form nor JSON.
    Type(String),
}

impl Refusal {
    /// The status and the title of its answer.
    pub(super) fn answered(&self) -> (u16, &'static str) {
        match self {
            Self::Value(_) => (400, "Bad request"),
            Self::TooLarge(_) => (413, "Content too large"),
            Self::Type(_) => (415, "Unsupported media type"),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Value(text) | Self::TooLarge(text) | Self::Type(text)) = self;
        f.write_str(text)
    }
}

/// Fields of the panel's own forms, which are nothing for programs.
const OF_FORMS: [&str; 2] = ["once", "sure"];

/// What is accepted as a time.
pub(super) const MOMENT: &str = "a time such as 2030-01-31T10:00:00Z, or Unix seconds";

/// The most a body may hold, in bytes: the longest message, percent-encoded, and some more.
pub(super) const LONGEST_BODY: u64 = 4096;

impl Fields {
    /// Whether a form says that it is one.
    #[must_use]
    pub fn is_form(content_type: &str) -> bool {
        media(content_type) == FORM
    }

    /// Reads the body; none and no type is an empty object. The example is for a sender whose JSON is no object.
    ///
    /// # Errors
    /// What was wrong and what is accepted.
    pub fn read(
        content_type: &str,
        body: &mut dyn Read,
        longest: u64,
        example: &str,
    ) -> Result<Self, Refusal> {
        let bytes = body::whole(body, longest).map_err(|unread| match unread {
            Unread::BrokeOff => Refusal::Value(unread.to_string()),
            Unread::TooLong(_) => Refusal::TooLarge(unread.to_string()),
        })?;
        let media = media(content_type);
        let (left, is_form) = match media.as_str() {
            FORM => (form(&bytes), true),
            "application/json" => (members(&bytes, example)?, false),
            "" if bytes.is_empty() => (Vec::new(), false),
            _ => {
                return Err(Refusal::Type(format!(
                    "the type is {media:?}; accepted are {FORM} and application/json"
                )));
            }
        };
        Ok(Self {
            left,
            known: Vec::new(),
            is_form,
        })
    }

    /// The query of a URL, which is written as a form is.
    #[must_use]
    pub fn of_query(call: &Call) -> Self {
        Self {
            left: form(call.query.as_deref().unwrap_or_default().as_bytes()),
            known: Vec::new(),
            is_form: true,
        }
    }

    /// All that is left, as one text that is the same for the same values, whether a form or JSON says them.
    #[must_use]
    pub fn digestible(&self) -> String {
        let pairs = self
            .left
            .iter()
            .map(|(name, value)| format!("{name}={}", as_a_form_may(value)));
        let mut pairs: Vec<String> = pairs.collect();
        pairs.sort_unstable();
        pairs.join("&")
    }

    /// All texts that are left, by name.
    #[must_use]
    pub fn texts(&self) -> Vec<(String, String)> {
        let text = |(name, value): &(String, Value)| Some((name.clone(), value.text()?.to_owned()));
        self.left.iter().filter_map(text).collect()
    }

    fn take(&mut self, name: &'static str) -> Option<Value> {
        self.known.push(name);
        let at = self.left.iter().position(|(found, _)| found == name)?;
        Some(self.left.remove(at).1)
    }

    /// Whether these are to be what is configured again: `back=yes` in a form, `null` for each of them in JSON.
    pub fn are_given_back(&mut self, names: &[&'static str]) -> bool {
        if self.is_form {
            let back = self.take("back");
            return back.is_some_and(|value| value.text() == Some("yes"));
        }
        let is_null = |name: &&str| {
            let mut found = self.left.iter().filter(|(found, _)| found == name);
            found.next().is_some_and(|(_, value)| value.is_null())
        };
        let are_null = names.iter().all(is_null);
        self.left
            .retain(|(found, _)| !are_null || !names.contains(&found.as_str()));
        are_null
    }

    /// A text, if it is there at all.
    ///
    /// # Errors
    /// When it is something else.
    pub fn text(&mut self, name: &'static str) -> Result<Option<String>, Refusal> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(other) => Err(wrong_json(name, &other, "a text")),
        }
    }

    /// A value as it was written: the text of a form, or JSON.
    pub fn written(&mut self, name: &'static str) -> Option<String> {
        match self.take(name)? {
            Value::Text(text) if self.is_form => Some(text),
            other => Some(other.to_string()),
        }
    }

    /// A list of texts, if it is there at all; in a form they are separated by white space.
    ///
    /// # Errors
    /// When it is something else.
    pub fn list(
        &mut self,
        name: &'static str,
        accepted: &str,
    ) -> Result<Option<Vec<String>>, Refusal> {
        let Some(value) = self.take(name) else {
            return Ok(None);
        };
        let texts = match &value {
            Value::Text(text) if self.is_form => {
                Some(text.split_whitespace().map(str::to_owned).collect())
            }
            Value::Other(text) => texts_of(text),
            Value::Text(_) | Value::Number(_) => None,
        };
        texts
            .map(Some)
            .ok_or_else(|| wrong_json(name, &value, accepted))
    }

    /// A whole number of a range, if it is there at all.
    ///
    /// # Errors
    /// When it is anything else.
    pub fn number(
        &mut self,
        name: &'static str,
        accepted: RangeInclusive<u64>,
    ) -> Result<Option<u64>, Refusal> {
        let Some(value) = self.take(name) else {
            return Ok(None);
        };
        let number = match &value {
            Value::Text(text) if self.is_form => typed(text),
            Value::Number(text) => whole(text),
            Value::Text(_) | Value::Other(_) => None,
        };
        let (least, most) = (accepted.start(), accepted.end());
        match number {
            Some(number) if accepted.contains(&number) => Ok(Some(number)),
            _ => {
                let accepted = format!("a whole number from {least} to {most}");
                Err(wrong_json(name, &value, &accepted))
            }
        }
    }

    /// A time in Unix milliseconds, if it is there at all.
    ///
    /// # Errors
    /// When it is something else.
    pub fn moment(&mut self, name: &'static str) -> Result<Option<u64>, Refusal> {
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        let unix_ms = || typed(&text)?.checked_mul(1000);
        let found = moment(&text).or_else(unix_ms);
        found
            .map(Some)
            .ok_or_else(|| wrong(name, Some(&text), MOMENT))
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// When something is left that nobody asked for.
    pub fn end(self) -> Result<(), Refusal> {
        let Some((name, _)) = self.left.first() else {
            return Ok(());
        };
        if self.known.contains(&name.as_str()) {
            return Err(twice(name));
        }
        let mut known = self.known;
        known.retain(|name| !OF_FORMS.contains(name));
        let accepted = if known.is_empty() {
            "no field at all".to_owned()
        } else {
            known.join(", ")
        };
        let name = shortened(name);
        let text = format!("the field {name:?} is unknown; accepted is {accepted}");
        Err(Refusal::Value(text))
    }

    /// A number from 0 on with a fraction or without, in thousandths, if it is there at all.
    ///
    /// # Errors
    /// When it is something else, or too large.
    pub fn thousandths(&mut self, name: &'static str, most: u32) -> Result<Option<u64>, Refusal> {
        let Some(value) = self.take(name) else {
            return Ok(None);
        };
        let text = match &value {
            Value::Text(text) if self.is_form => Some(text),
            Value::Number(text) => Some(text),
            Value::Text(_) | Value::Other(_) => None,
        };
        let number: Option<serde_json::Value> =
            text.and_then(|text| serde_json::from_slice(text.as_bytes()).ok());
        let number = number.and_then(|number| number.as_f64());
        match number.filter(|number| (0.0..=f64::from(most)).contains(number)) {
            // At most some thousands, and never below 0.
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "the range says so"
            )]
            Some(number) => Ok(Some((number * 1000.0).round() as u64)),
            None => Err(wrong_json(
                name,
                &value,
                &format!("a number from 0 to {most}, such as 0.83"),
            )),
        }
    }
}

/// A text that is not accepted, and what is.
#[must_use]
pub fn wrong(name: &str, found: Option<&str>, accepted: &str) -> Refusal {
    let found = found.map_or_else(
        || "missing".to_owned(),
        |found| format!("{:?}", shortened(found)),
    );
    Refusal::Value(format!("{name} is {found}; accepted is {accepted}"))
}

fn texts_of(list: &str) -> Option<Vec<String>> {
    let list: serde_json::Value = serde_json::from_slice(list.as_bytes()).ok()?;
    let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
    list.as_array()?.iter().map(text).collect()
}

/// A value as JSON has it, but for what a form has no other way to say: a whole number in digits is that number, and a list of
/// texts is these with spaces between them.
fn as_a_form_may(value: &Value) -> Value {
    let whole_number = |number: u64| Value::Number(number.to_string());
    match value {
        Value::Number(text) => whole(text).map_or_else(|| value.clone(), whole_number),
        Value::Text(text) => {
            let number = typed(text).filter(|number| number.to_string() == *text);
            number.map_or_else(|| value.clone(), whole_number)
        }
        Value::Other(text) => texts_of(text).map_or_else(
            || value.clone(),
            |texts| as_a_form_may(&Value::Text(texts.join(" "))),
        ),
    }
}

/// The same of a value of JSON.
fn wrong_json(name: &str, found: &Value, accepted: &str) -> Refusal {
    let found = match found {
        Value::Text(text) => return wrong(name, Some(text), accepted),
        Value::Number(text) | Value::Other(text) => shortened(text),
    };
    Refusal::Value(format!("{name} is {found}; accepted is {accepted}"))
}

fn twice(name: &str) -> Refusal {
    let name = shortened(name);
    let text = format!("the field {name:?} is given twice; accepted is each field once");
    Refusal::Value(text)
}

fn form(bytes: &[u8]) -> Vec<(String, Value)> {
    let pairs = form_urlencoded::parse(bytes);
    pairs
        .map(|(name, value)| (name.into_owned(), Value::Text(value.into_owned())))
        .collect()
}

/// Every name once: of two values somebody would have to guess which one was meant.
fn members(bytes: &[u8], example: &str) -> Result<Vec<(String, Value)>, Refusal> {
    let Pairs(pairs) = json::read(bytes).map_err(|unread| {
        let text =
            format!("the body is not a JSON object: {unread}; accepted is such as {example}");
        Refusal::Value(text)
    })?;
    let mut names = BTreeSet::new();
    match pairs.iter().find(|(name, _)| !names.insert(name)) {
        Some((name, _)) => Err(twice(name)),
        None => Ok(pairs),
    }
}

/// A form's number: digits and nothing else.
fn typed(text: &str) -> Option<u64> {
    let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_digits)
}

fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

/// What a text is known by where its words are not kept.
pub(super) fn digest(text: &str) -> String {
    Hex::encode_to_string(Sha256::hash(text.as_bytes())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = r#"{"amt": 5}"#;

    fn asked(content_type: &str, body: &str) -> Result<Option<u64>, Refusal> {
        let mut fields = Fields::read(content_type, &mut body.as_bytes(), LONGEST_BODY, EXAMPLE)?;
        let amount = fields.number("amt", 1..=10_000)?;
        fields.end().map(|()| amount)
    }

    fn amount(content_type: &str, body: &str) -> Option<u64> {
        asked(content_type, body).ok().flatten()
    }

    #[test]
    fn a_whole_number_in_range_is_taken_and_may_be_absent() {
        assert_eq!(amount(FORM, "amt=5"), Some(5));
        assert_eq!(amount(FORM, "amt=10000"), Some(10_000));
        assert_eq!(
            amount("Application/JSON; charset=utf-8", r#"{"amt":7}"#),
            Some(7)
        );
        for (json, expected) in [("5.0", 5), ("1e3", 1000), ("1E0", 1), ("50e-1", 5)] {
            let body = format!(r#"{{"amt":{json}}}"#);
            assert_eq!(amount("application/json", &body), Some(expected), "{json}");
        }
        for (content_type, body) in [(FORM, ""), ("application/json", "{}"), ("", "")] {
            assert_eq!(asked(content_type, body), Ok(None));
        }
    }

    #[test]
    fn everything_else_is_refused_and_says_what_is_accepted() {
        for body in [
            "amt=0",
            "amt=-5",
            "amt=abc",
            "amt=",
            "amt",
            "amt=10001",
            "amt=1.0",
            "amt=+1",
            "amt=%201",
            "amt=1&amt=2",
            "amount=5",
            "amt=99999999999999999999",
            "amt=\u{0661}",
        ] {
            let refused = asked(FORM, body);
            assert!(
                matches!(&refused, Err(Refusal::Value(text)) if text.contains("accepted is")),
                "{body}: {refused:?}"
            );
        }
        for body in [
            "",
            "[]",
            "5",
            r#"{"amt":"5"}"#,
            r#"{"amt":"5.0"}"#,
            r#"{"amt":[5.0]}"#,
            r#"{"amt":5.5}"#,
            r#"{"amt":0.0}"#,
            r#"{"amt":-5.0}"#,
            r#"{"amt":1e5}"#,
            r#"{"amt":1e300}"#,
            r#"{"amt":01}"#,
            r#"{"amt":{"a":5}}"#,
            r#"{"amt":true}"#,
            r#"{"amt":-1}"#,
            r#"{"amt":null}"#,
            r#"{"amount":5}"#,
            "{\"amt\":",
        ] {
            let refused = asked("application/json", body);
            assert!(
                matches!(&refused, Err(Refusal::Value(text)) if text.contains("accepted is")),
                "{body}: {refused:?}"
            );
        }
    }

    #[test]
    fn a_body_that_is_too_long_or_of_another_type_is_refused_with_the_reason() {
        let long = format!("amt=1&x={}", "x".repeat(5000));
        assert!(matches!(asked(FORM, &long), Err(Refusal::TooLarge(_))));
        assert!(matches!(
            asked("text/plain", "amt=1"),
            Err(Refusal::Type(_))
        ));
        assert!(matches!(asked("", "amt=1"), Err(Refusal::Type(_))));
    }

    #[test]
    fn a_setting_is_given_back_by_a_forms_word_or_by_null() {
        let names = ["automatic", "automatic_quantity"];
        let given_back = |content_type: &str, body: &str| {
            let fields = Fields::read(content_type, &mut body.as_bytes(), LONGEST_BODY, EXAMPLE);
            fields.map(|mut fields| (fields.are_given_back(&names), fields.end().is_ok()))
        };
        let json = "application/json";
        assert_eq!(given_back(FORM, "back=yes"), Ok((true, true)));
        let both = r#"{"automatic":null,"automatic_quantity":null}"#;
        assert_eq!(given_back(json, both), Ok((true, true)));
        assert_eq!(
            given_back(json, r#"{"automatic":null}"#),
            Ok((false, false))
        );
        assert_eq!(given_back(json, "{}"), Ok((false, true)));
    }

    #[test]
    fn no_name_is_given_twice_however_it_is_spelt() {
        for body in [
            r#"{"amt":5,"amt":6}"#,
            r#"{"amt":5,"amt":5}"#,
            r#"{"amt":5,"\u0061mt":6}"#,
            r#"{"\u0061\u006d\u0074":5,"amt":6}"#,
            r#"{"amt":5,"amt":null}"#,
        ] {
            assert_eq!(asked("application/json", body), Err(twice("amt")), "{body}");
        }
        let nested = asked("application/json", r#"{"amt":{"a":1,"a":2}}"#);
        assert!(nested.is_err(), "no value is an object: {nested:?}");
        assert_eq!(asked(FORM, "amt=5&amt=5"), Err(twice("amt")));
        assert_eq!(asked(FORM, "amt=5&%61mt=6"), Err(twice("amt")));
    }

    #[test]
    fn what_is_said_names_what_works_and_quotes_once() {
        let range = "a whole number from 1 to 10000";
        let json = "application/json";
        for (kind, body, said) in [
            (
                json,
                r#"{"amt":"3"}"#,
                format!(r#"amt is "3"; accepted is {range}"#),
            ),
            (
                json,
                r#"{"amt":5.5}"#,
                format!("amt is 5.5; accepted is {range}"),
            ),
            (
                json,
                r#"{"amt":1e400}"#,
                format!("amt is 1e400; accepted is {range}"),
            ),
            (
                json,
                r#"{"amt":1.0000000000000000001}"#,
                format!("amt is 1.0000000000000000001; accepted is {range}"),
            ),
            (
                json,
                r#"{"amt":null}"#,
                format!("amt is null; accepted is {range}"),
            ),
            (
                json,
                r#"{"amt":[ 1e400 ]}"#,
                format!("amt is [ 1e400 ]; accepted is {range}"),
            ),
            (FORM, "amt=x", format!(r#"amt is "x"; accepted is {range}"#)),
            (
                json,
                r#"{"many":5}"#,
                r#"the field "many" is unknown; accepted is amt"#.to_owned(),
            ),
            (
                json,
                "[]",
                r#"the body is not a JSON object: this is JSON, but no object; accepted is such as {"amt": 5}"#.to_owned(),
            ),
        ] {
            assert_eq!(asked(kind, body), Err(Refusal::Value(said)), "{body}");
        }
        let fields = Fields::read(FORM, &mut "x=1".as_bytes(), LONGEST_BODY, EXAMPLE);
        let nothing = fields.and_then(|mut fields| {
            fields.text("once")?;
            fields.text("sure")?;
            fields.end()
        });
        let said = r#"the field "x" is unknown; accepted is no field at all"#;
        assert_eq!(nothing, Err(Refusal::Value(said.to_owned())));
    }

    #[test]
    fn a_text_is_a_text_and_no_number() {
        let text = |body: &str| {
            let fields = Fields::read(
                "application/json",
                &mut body.as_bytes(),
                LONGEST_BODY,
                EXAMPLE,
            );
            fields.and_then(|mut fields| fields.text("message"))
        };
        assert_eq!(text(r#"{"message":"5"}"#), Ok(Some("5".to_owned())));
        assert_eq!(text("{}"), Ok(None));
        assert!(text(r#"{"message":5}"#).is_err());
    }
}
