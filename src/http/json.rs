//! JSON as it was sent: every member of an object, and every number digit by digit.

mod whole;

use std::fmt;

use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::text::MARK;
use super::{code_point, is_unseen};

pub(crate) use whole::whole;

/// Why a text is not the JSON that was asked for. It repeats nothing of it, which may be a secret, but for a letter that is not
/// seen: its reader would look for it in vain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    /// It is JSON of another kind.
    OtherJson,
    /// From a line and a column on, where this letter stands that is not seen.
    NoJson {
        line: usize,
        column: usize,
        unseen: Option<char>,
    },
    /// Its bytes are those of another encoding.
    Utf16,
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherJson => f.write_str("this is JSON, but no object"),
            Self::Utf16 => f.write_str("this is UTF-16, and JSON is UTF-8"),
            Self::NoJson {
                line,
                column,
                unseen,
            } => {
                write!(f, "this is no JSON from line {line}, column {column}")?;
                match unseen {
                    Some(letter) => write!(
                        f,
                        ", where {} stands, which is not seen",
                        code_point(*letter)
                    ),
                    None => Ok(()),
                }
            }
        }
    }
}

/// Reads what people and programs wrote. A byte order mark in front is ignored (RFC 8259, 8.1).
///
/// # Errors
/// Why it cannot be read.
pub(crate) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Unread> {
    let bytes = bytes.strip_prefix(MARK.as_bytes()).unwrap_or(bytes);
    serde_json::from_slice(bytes).map_err(|error| {
        if error.is_data() {
            return Unread::OtherJson;
        }
        if matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
            return Unread::Utf16;
        }
        let (line, column) = (error.line(), error.column());
        Unread::NoJson {
            line,
            column,
            unseen: letter_at(bytes, line, column).filter(|letter| is_unseen(*letter)),
        }
    })
}

/// The letter of which one byte stands in this line and column, both counted from 1.
fn letter_at(bytes: &[u8], line: usize, column: usize) -> Option<char> {
    let line = bytes
        .split(|byte| *byte == b'\n')
        .nth(line.checked_sub(1)?)?;
    let column = column.saturating_sub(1);
    let text = String::from_utf8_lossy(line);
    let mut letters = text.char_indices();
    let found = letters.find(|(at, letter)| (*at..at + letter.len_utf8()).contains(&column));
    found.map(|(_, letter)| letter)
}

/// One value, as it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// A form's value, or a text of JSON, unescaped.
    Text(String),
    /// A number of JSON, digit by digit: read as a floating point number it would be rounded.
    Number(String),
    /// Whatever else JSON can say, as it says it.
    Other(String),
}

impl Value {
    fn of(raw: &RawValue) -> Result<Self, serde_json::Error> {
        let text = raw.get();
        Ok(match text.bytes().next() {
            Some(b'"') => Self::Text(serde_json::from_slice(text.as_bytes())?),
            Some(b'-' | b'0'..=b'9') => Self::Number(text.to_owned()),
            _ => Self::Other(text.to_owned()),
        })
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Number(_) | Self::Other(_) => None,
        }
    }

    /// An object or a list, as it was sent.
    pub(crate) fn structured(&self) -> Option<String> {
        match self {
            Self::Other(json) if json.starts_with(['{', '[']) => Some(json.clone()),
            _ => None,
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Self::Other(text) if text == "null")
    }
}

/// As JSON writes it: texts have their quotes, and numbers none.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(&serde_json::to_string(text).unwrap_or_default()),
            Self::Number(text) | Self::Other(text) => f.write_str(text),
        }
    }
}

/// The members of an object, every one of them: a map would keep the last of each name. Names are compared as they are
/// meant, not as they are spelt (RFC 8259, 8.3).
pub(crate) struct Pairs(pub(crate) Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

/// The members of an object, each with whether one of its name stands before it.
pub(crate) fn each(members: &[(String, Value)]) -> impl Iterator<Item = (&String, &Value, bool)> {
    members.iter().enumerate().map(|(at, (name, value))| {
        let mut before = members.iter().take(at);
        (name, value, before.any(|(other, _)| other == name))
    })
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Pairs;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
        let mut pairs = Vec::new();
        while let Some((name, raw)) = map.next_entry::<String, Box<RawValue>>()? {
            let value = Value::of(&raw).map_err(serde::de::Error::custom)?;
            pairs.push((name, value));
        }
        Ok(Pairs(pairs))
    }
}
