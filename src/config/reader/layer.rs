//! What a room says besides the document: it goes before all that the document and the single keys say.

use super::RoomName;
use crate::config::document::Known;
use crate::http::json::Value;

/// The settings in which one room differs.
pub(super) struct Layer {
    room: String,
    /// `None` for what is there twice.
    values: Vec<(String, Option<Value>)>,
}

impl Layer {
    pub(super) fn new(room: &RoomName, members: Vec<(String, Value)>) -> Self {
        let mut values: Vec<(String, Option<Value>)> = Vec::new();
        for (name, value) in members {
            match values.iter_mut().find(|(other, _)| *other == name) {
                Some((_, first)) => *first = None,
                None => values.push((name, Some(value))),
            }
        }
        Self {
            room: room.to_string(),
            values,
        }
    }

    /// The room's name.
    pub(super) fn room(&self) -> &str {
        &self.room
    }

    /// What the room says of a setting; nothing where it does not differ.
    pub(super) fn get(&self, key: &str) -> Option<Known> {
        let (_, value) = self.member(key)?;
        Some(value.as_ref().map_or(Known::Twice, Known::of))
    }

    /// The JSON of a setting that is an object or a list.
    pub(super) fn json(&self, key: &str) -> Option<String> {
        self.member(key)?.1.as_ref()?.structured()
    }

    /// The names that are none of these.
    pub(super) fn names_beside(&self, known: &[&str]) -> Vec<String> {
        let names = self.values.iter().map(|(name, _)| name);
        let others = names.filter(|name| !known.contains(&name.as_str()));
        others.cloned().collect()
    }

    fn member(&self, key: &str) -> Option<&(String, Option<Value>)> {
        self.values.iter().find(|(name, _)| name == key)
    }
}
