//! The JSON body of an operator's or a program's request. What is taken agrees with an independent reader of JSON, value by value;
//! what that reader takes for an object is refused only where it names something twice.

use now_serving::operator::input::{Fields, Refusal};
use serde_json::{Map, Value};

use crate::form::is_told;

/// Larger than any body that is accepted: what is refused for its length is not looked at.
const LONGEST: u64 = 1 << 20;

/// Names that verbs ask for.
const NAMES: [&str; 4] = ["amt", "mode", "tickets", "message"];

/// The greatest number that floating point has exactly.
const EXACT: u64 = 1 << 53;

/// Reads a body.
pub fn target(bytes: &[u8]) {
    let read = Fields::read("application/json", &mut { bytes }, LONGEST, "{}");
    let known: Option<Map<String, Value>> = serde_json::from_slice(bytes).ok();
    match (&read, &known) {
        (Ok(fields), Some(known)) => agrees(fields, known),
        (Ok(fields), None) => {
            // Nested too deep for the other reader, or with a number that is too large for it.
            for name in NAMES {
                let _ = fields.clone().number(name, 0..=EXACT);
                let _ = fields.clone().list(name, "a list");
            }
        }
        (Err(refusal), known) => {
            is_told(refusal);
            let is_twice = refusal.to_string().contains("is given twice");
            assert!(known.is_none() || is_twice, "{refusal}");
        }
    }
}

fn agrees(fields: &Fields, known: &Map<String, Value>) {
    for name in NAMES {
        let value = known.get(name);
        let written = fields.clone().written(name);
        let written = written.map(|json| serde_json::from_str::<Value>(&json));
        assert!(!matches!(written, Some(Err(_))), "{written:?} is no JSON");
        assert_eq!(written.and_then(Result::ok).as_ref(), value, "{name}");
        is_taken(fields.clone().text(name), value, |value| {
            value.as_str().map(str::to_owned)
        });
        is_taken(fields.clone().list(name, "a list"), value, |value| {
            let texts = value.as_array()?.iter();
            texts.map(|text| text.as_str().map(str::to_owned)).collect()
        });
        number(fields.clone().number(name, 0..=EXACT), value);
        let is_null = fields.clone().are_given_back(&[name]);
        assert_eq!(is_null, value == Some(&Value::Null), "{name}");
    }
    let mut fields = fields.clone();
    for name in NAMES {
        let _ = fields.written(name);
    }
    let is_more = known.keys().any(|name| !NAMES.contains(&name.as_str()));
    assert_eq!(fields.end().is_err(), is_more, "{known:?}");
}

/// Absent is nothing, of another kind is refused, and the rest is the value.
fn is_taken<T: std::fmt::Debug + PartialEq>(
    read: Result<Option<T>, Refusal>,
    value: Option<&Value>,
    expected: impl Fn(&Value) -> Option<T>,
) {
    match read {
        Ok(None) => assert_eq!(value, None),
        Ok(taken) => assert_eq!(taken, value.and_then(expected)),
        Err(refusal) => {
            is_told(&refusal);
            assert_eq!(value.and_then(expected), None, "{refusal}");
        }
    }
}

/// The other reader rounds: so a floating point number agrees nearly.
fn number(read: Result<Option<u64>, Refusal>, value: Option<&Value>) {
    match read {
        Ok(None) => assert_eq!(value, None),
        #[expect(clippy::cast_precision_loss, reason = "it is exact up to there")]
        Ok(Some(number)) => {
            let (taken, known) = (number as f64, value.and_then(Value::as_f64));
            let is_near = |known: f64| (taken - known).abs() <= taken * 1e-12;
            assert!(
                number <= EXACT && known.is_some_and(is_near),
                "{number} of {known:?}"
            );
        }
        Err(refusal) => {
            is_told(&refusal);
            let whole = value.and_then(Value::as_u64);
            assert!(whole.is_none_or(|whole| whole > EXACT), "{refusal}");
        }
    }
}
