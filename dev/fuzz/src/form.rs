//! A form and a query. What was read and is written again reads the same; a number is taken only as digits within its range; a query
//! without a name has no value of it and keeps all others.

use form_urlencoded::Serializer;
use now_serving::http::negotiate::FORM;
use now_serving::http::{Call, field};
use now_serving::operator::input::{Fields, Refusal};
use now_serving::queue::invitation::PARAMETER;

/// What operators' forms may hold, in bytes.
const LONGEST: u64 = 4096;

/// How many names of a form are compared.
const MOST_NAMES: usize = 16;

/// Reads a form, and the same as a query.
pub fn target(bytes: &[u8]) {
    match read(bytes, LONGEST) {
        Ok(fields) => form(bytes, &fields),
        Err(refusal) => {
            assert!(matches!(refusal, Refusal::TooLarge(_)), "{refusal}");
            assert!(bytes.len() as u64 > LONGEST);
        }
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        query(text);
    }
}

fn read(bytes: &[u8], longest: u64) -> Result<Fields, Refusal> {
    Fields::read(FORM, &mut { bytes }, longest, "{}")
}

fn form(bytes: &[u8], fields: &Fields) {
    let texts = fields.texts();
    let written = Serializer::new(String::new()).extend_pairs(&texts).finish();
    let again = read(written.as_bytes(), u64::MAX);
    assert_eq!(again.as_ref(), Ok(fields), "{written}");
    for (name, _) in texts.iter().take(MOST_NAMES) {
        let first = texts.iter().find(|(found, _)| found == name);
        let found = field(bytes, name);
        assert_eq!(found.as_ref(), first.map(|(_, value)| value), "{name}");
    }
    number(fields, &texts);
}

fn number(fields: &Fields, texts: &[(String, String)]) {
    let mut fields = fields.clone();
    let found = texts.iter().find(|(name, _)| name == "amt");
    match (fields.number("amt", 1..=10_000), found) {
        (Ok(Some(number)), Some((_, text))) => {
            let digits = text.trim_start_matches('0');
            assert!((1..=10_000).contains(&number), "{number}");
            assert_eq!(digits, number.to_string(), "{text}");
        }
        (Ok(None), None) => {}
        (Err(refusal), Some(_)) => is_told(&refusal),
        (read, found) => panic!("{read:?} of {found:?}"),
    }
    if let Err(refusal) = fields.end() {
        is_told(&refusal);
    }
}

/// A refusal says what is accepted, and does not repeat a long text.
pub(crate) fn is_told(refusal: &Refusal) {
    let text = refusal.to_string();
    assert!(
        matches!(refusal, Refusal::Value(_)) && text.contains("accepted is"),
        "{text}"
    );
    assert!(text.chars().count() < 1000, "{text}");
}

fn query(text: &str) {
    let call = Call {
        query: Some(text.to_owned()),
        ..Call::default()
    };
    let left = Call {
        query: call.query_without(PARAMETER),
        ..Call::default()
    };
    assert_eq!(left.parameter(PARAMETER), None);
    let names = form_urlencoded::parse(text.as_bytes()).map(|(name, _)| name);
    for name in names.filter(|name| name != PARAMETER).take(MOST_NAMES) {
        assert_eq!(left.parameter(&name), call.parameter(&name), "{name}");
    }
}
