//! How many a permit asks for: a form or JSON, with one number in it.
//!
//! Whatever is not exactly that is refused with a sentence that says what is accepted; nothing is guessed.

use std::fmt;
use std::io::Read;

use serde_json::Value;

/// A permit that was understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// From 1 to `permit_max`.
    pub amount: u64,
    /// Whether a form asked, whose sender expects to be led back to the panel.
    pub by_form: bool,
}

/// Why it was not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The number, or the way it was given.
    Amount(String),
    /// More bytes than any permit needs.
    TooLarge(String),
    /// Neither a form nor JSON.
    Type(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Amount(text) | Self::TooLarge(text) | Self::Type(text)) = self;
        f.write_str(text)
    }
}

/// The most a permit's body may hold, in bytes.
const LONGEST_BODY: u64 = 1024;

/// Reads the amount; no body and no type means 1.
///
/// # Errors
/// What was wrong and what is accepted.
pub fn read(content_type: &str, body: &mut dyn Read, most: u64) -> Result<Asked, Refusal> {
    let mut bytes = Vec::new();
    if body.take(LONGEST_BODY + 1).read_to_end(&mut bytes).is_err() {
        return Err(Refusal::Amount("the body broke off".to_owned()));
    }
    if bytes.len() as u64 > LONGEST_BODY {
        return Err(Refusal::TooLarge(format!(
            "the body is longer than {LONGEST_BODY} bytes"
        )));
    }
    let media = content_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    let (text, by_form) = match media.as_str() {
        "application/x-www-form-urlencoded" => (form(&bytes)?, true),
        "application/json" => (json(&bytes)?, false),
        "" if bytes.is_empty() => (None, false),
        _ => {
            return Err(Refusal::Type(format!(
                "the type is {media:?}; accepted are application/x-www-form-urlencoded and application/json"
            )));
        }
    };
    let text = text.unwrap_or_else(|| "1".to_owned());
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse() {
        Ok(amount) if digits && (1..=most).contains(&amount) => Ok(Asked { amount, by_form }),
        _ => Err(Refusal::Amount(format!(
            "amt is {:?}; accepted is a whole number from 1 to {most}",
            shortened(&text)
        ))),
    }
}

fn form(bytes: &[u8]) -> Result<Option<String>, Refusal> {
    let mut amount = None;
    for (name, value) in form_urlencoded::parse(bytes) {
        if name != "amt" || amount.is_some() {
            return Err(unexpected(&name));
        }
        amount = Some(value.into_owned());
    }
    Ok(amount)
}

fn json(bytes: &[u8]) -> Result<Option<String>, Refusal> {
    let Ok(Value::Object(fields)) = serde_json::from_slice(bytes) else {
        return Err(Refusal::Amount(
            "the body is not a JSON object; accepted is {\"amt\": 5}".to_owned(),
        ));
    };
    if let Some(name) = fields.keys().find(|name| *name != "amt") {
        return Err(unexpected(name));
    }
    Ok(fields.get("amt").map(written))
}

/// A number as its digits, so that "5" and 5.5 are refused, not guessed at. 5.0 and 1e3 are whole numbers to JSON Schema,
/// and what some languages write for them.
fn written(value: &Value) -> String {
    let mut text = value.to_string();
    if let Some(digits) = text.strip_suffix(".0") {
        text.truncate(digits.len());
    }
    text
}

fn unexpected(name: &str) -> Refusal {
    Refusal::Amount(format!(
        "the field {:?} is unknown or given twice; accepted is amt, once",
        shortened(name)
    ))
}

fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: &str = "application/x-www-form-urlencoded";

    fn amount(content_type: &str, body: &str) -> Option<u64> {
        read(content_type, &mut body.as_bytes(), 10_000)
            .ok()
            .map(|asked| asked.amount)
    }

    #[test]
    fn a_whole_number_in_range_is_taken_and_absence_means_one() {
        assert_eq!(amount(FORM, "amt=5"), Some(5));
        assert_eq!(amount(FORM, "amt=10000"), Some(10_000));
        assert_eq!(
            amount("Application/JSON; charset=utf-8", r#"{"amt":7}"#),
            Some(7)
        );
        for (json, expected) in [("5.0", 5), ("1e3", 1000), ("1E0", 1)] {
            let body = format!(r#"{{"amt":{json}}}"#);
            assert_eq!(amount("application/json", &body), Some(expected), "{json}");
        }
        assert_eq!(amount(FORM, ""), Some(1));
        assert_eq!(amount("application/json", "{}"), Some(1));
        assert_eq!(amount("", ""), Some(1));
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
            let refused = read(FORM, &mut body.as_bytes(), 10_000);
            assert!(
                matches!(&refused, Err(Refusal::Amount(text)) if text.contains("accepted is")),
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
            r#"{"amt":-1}"#,
            r#"{"amt":null}"#,
            r#"{"amount":5}"#,
            "{\"amt\":",
        ] {
            let refused = read("application/json", &mut body.as_bytes(), 10_000);
            assert!(
                matches!(&refused, Err(Refusal::Amount(text)) if text.contains("accepted is")),
                "{body}: {refused:?}"
            );
        }
    }

    #[test]
    fn a_body_that_is_too_long_or_of_another_type_is_told_so() {
        let long = format!("amt=1&x={}", "x".repeat(2000));
        assert!(matches!(
            read(FORM, &mut long.as_bytes(), 1),
            Err(Refusal::TooLarge(_))
        ));
        assert!(matches!(
            read("text/plain", &mut &b"amt=1"[..], 1),
            Err(Refusal::Type(_))
        ));
        assert!(matches!(
            read("", &mut &b"amt=1"[..], 1),
            Err(Refusal::Type(_))
        ));
    }
}
