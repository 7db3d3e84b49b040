//! What is wrong with one setting.

use super::DOCUMENT;
use crate::http::{seen, shortened};
use serde::Serialize;

/// One thing that is wrong with the configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The room that says so; absent for what holds for all rooms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub room: Option<String>,
    /// The key.
    pub key: &'static str,
    /// The value found; absent for secrets and for what is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// What would have been accepted.
    pub accepted: String,
    /// Whether it is there at all could not be found out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unreadable: bool,
}

/// What is said about a value that cannot be read.
pub(in crate::config) const UNREADABLE: &str = "could not be read, and is asked for again";

/// What a problem with a name begins with.
pub(in crate::config) const NAME: &str = "the name of a setting";

impl Problem {
    /// The document of settings could not be read.
    #[must_use]
    pub fn unread_document() -> Self {
        Self::unreadable(DOCUMENT)
    }

    /// What is wrong, for a sentence: the setting, and whose it is.
    #[must_use]
    pub fn place(&self) -> String {
        match &self.room {
            Some(room) => format!("{} of room {room}", self.key),
            None => self.key.to_owned(),
        }
    }

    /// What is wrong, for everybody who asks: no value, which may be a secret, but a name that no setting has, if its letters are
    /// those of one.
    #[must_use]
    pub fn for_all(&self) -> String {
        let is_like_one = |name: &&String| {
            (1..=32).contains(&name.len())
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        };
        let is_name = self.accepted.starts_with(NAME);
        let (place, accepted) = (self.place(), &self.accepted);
        match self.value.as_ref().filter(|_| is_name).filter(is_like_one) {
            Some(name) => format!("{place}: {name:?} is not {accepted}"),
            None => format!("{place}: {accepted}"),
        }
    }

    pub(in crate::config) fn unreadable(key: &'static str) -> Self {
        Self {
            room: None,
            key,
            value: None,
            accepted: UNREADABLE.to_owned(),
            unreadable: true,
        }
    }

    pub(in crate::config) fn wrong(
        key: &'static str,
        value: Option<String>,
        accepted: &str,
    ) -> Self {
        // An operator may have pasted an address with a password in it.
        let value = value.filter(|value| !(value.contains("://") && value.contains('@')));
        Self {
            room: None,
            key,
            value: value.map(|value| shortened(&seen(&value))),
            accepted: shortened(accepted),
            unreadable: false,
        }
    }
}
