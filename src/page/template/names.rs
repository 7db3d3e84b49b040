//! What a page asks for by name, and what it then shows.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::escape::{of_value, push_by};

/// What a page asks for by name.
pub(in crate::page) trait Names {
    /// What stands in the place of a name.
    fn named(&self, name: &str) -> Shown<'_>;
}

/// What stands in the place of a name.
pub(in crate::page) enum Shown<'a> {
    /// Nothing.
    Nothing,
    /// Yes or no.
    Flag(bool),
    /// A number.
    Number(u64),
    /// A text, which is escaped.
    Text(Cow<'a, str>),
    /// What is shown one by one, each by its own names.
    Rows(Vec<Box<dyn Names + 'a>>),
}

/// How Handlebars shows what has fields.
pub(in crate::page) const OBJECT: &str = "[object]";

impl Shown<'_> {
    /// Whether a block that asks for it is shown.
    pub(super) fn is_there(&self) -> bool {
        match self {
            Self::Nothing => false,
            Self::Flag(flag) => *flag,
            Self::Number(number) => *number != 0,
            Self::Text(text) => !text.is_empty(),
            Self::Rows(rows) => !rows.is_empty(),
        }
    }

    /// Writes it as Handlebars does.
    pub(super) fn push_to(&self, html: &mut String) {
        match self {
            Self::Nothing => {}
            Self::Flag(true) => html.push_str("true"),
            Self::Flag(false) => html.push_str("false"),
            Self::Number(number) => html.push_str(&number.to_string()),
            Self::Text(text) => push_by(html, text, of_value),
            Self::Rows(rows) => {
                let rows = vec![OBJECT; rows.len()].join(", ");
                html.extend(["[", &rows, "]"]);
            }
        }
    }
}

impl<'a> From<&'a str> for Shown<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Shown<'_> {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<u64> for Shown<'_> {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl<'a, T: Into<Shown<'a>>> From<Option<T>> for Shown<'a> {
    fn from(shown: Option<T>) -> Self {
        shown.map_or(Self::Nothing, Into::into)
    }
}

/// Nothing but these names, for Handlebars.
pub(in crate::page) fn values(names: &dyn Names, all: &[&str]) -> Map<String, Value> {
    let mut values = Map::new();
    for name in all {
        values.insert((*name).to_owned(), names.named(name).into());
    }
    values
}

impl From<Shown<'_>> for Value {
    fn from(shown: Shown<'_>) -> Self {
        match shown {
            Shown::Nothing | Shown::Rows(_) => Self::Null,
            Shown::Flag(flag) => flag.into(),
            Shown::Number(number) => number.into(),
            Shown::Text(text) => text.into_owned().into(),
        }
    }
}

/// A value of JSON, whose fields a name separates by dots.
impl Names for Value {
    fn named(&self, name: &str) -> Shown<'_> {
        let found = name
            .split('.')
            .try_fold(self, |value, field| value.get(field));
        match found {
            None | Some(Self::Null) => Shown::Nothing,
            Some(Self::Bool(flag)) => Shown::Flag(*flag),
            Some(Self::Number(number)) => match number.as_u64() {
                Some(number) => Shown::Number(number),
                None => number.to_string().into(),
            },
            Some(Self::String(text)) => text.as_str().into(),
            Some(Self::Array(rows)) => Shown::Rows(rows.iter().map(row).collect()),
            Some(Self::Object(fields)) if fields.is_empty() => Shown::Nothing,
            Some(Self::Object(_)) => OBJECT.into(),
        }
    }
}

fn row(row: &Value) -> Box<dyn Names + '_> {
    Box::new(row)
}

impl Names for &Value {
    fn named(&self, name: &str) -> Shown<'_> {
        (**self).named(name)
    }
}
