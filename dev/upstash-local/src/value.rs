//! What a command answers, before it is worded as JSON.
//!
//! Both engines speak in these values, so that one place decides how they look on the wire.

use serde_json::{Value as Json, json};

/// A command with its arguments, the name first.
pub(crate) type Words = Vec<Vec<u8>>;

/// The answer to one command.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Nil,
    Int(i64),
    Text(Vec<u8>),
    Status(String),
    List(Vec<Value>),
    Error(String),
}

impl Value {
    /// `OK`, as a status.
    pub(crate) fn ok() -> Self {
        Self::Status("OK".to_owned())
    }

    /// How many there were.
    pub(crate) fn count(many: usize) -> Self {
        Self::Int(i64::try_from(many).unwrap_or(i64::MAX))
    }

    /// One or zero, Redis's way to say yes or no.
    pub(crate) fn flag(yes: bool) -> Self {
        Self::Int(i64::from(yes))
    }

    /// The object a caller gets for this command: `{"result": …}` or `{"error": …}`.
    pub(crate) fn answer(&self) -> Json {
        match self {
            Self::Error(text) => json!({ "error": text }),
            result => json!({ "result": result.json() }),
        }
    }

    /// The bare value; an error inside a list is its text.
    pub(crate) fn json(&self) -> Json {
        match self {
            Self::Nil => Json::Null,
            Self::Int(number) => json!(number),
            Self::Text(bytes) => json!(String::from_utf8_lossy(bytes)),
            Self::Status(text) | Self::Error(text) => json!(text),
            Self::List(items) => items.iter().map(Self::json).collect(),
        }
    }
}

/// Errors and statuses are one line in Redis's protocol.
pub(crate) fn one_line(text: &str) -> String {
    text.trim_end_matches(['\r', '\n'])
        .replace(['\r', '\n'], " ")
}
