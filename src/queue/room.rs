//! The name of a room. What is called after the room in the store and in a POP's cache is named here.

use std::fmt;

/// The name of a room: 1 to 64 letters, digits, `-` and `_`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoomName(String);

impl RoomName {
    /// A name that was checked.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The name itself: on tickets and in labels.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The store's key of the line. Braces keep the keys of a room in one slot of a Redis cluster.
    #[must_use]
    pub fn line_key(&self) -> String {
        format!("queue:{{{self}}}")
    }

    /// The store's key of the line of a room that has its limits together with others, in the slot of the room whose limits they are.
    #[must_use]
    pub fn line_key_beside(&self, of: &Self) -> String {
        if of == self {
            return self.line_key();
        }
        format!("{}+{self}", of.line_key())
    }

    /// The key of something in a POP's cache.
    #[must_use]
    pub fn cache_key(&self, name: &str) -> String {
        format!("{name}:{self}")
    }

    /// The key of one of many such things.
    #[must_use]
    pub fn cache_key_of(&self, name: &str, which: impl fmt::Display) -> String {
        format!("{name}:{self}:{which}")
    }
}

impl fmt::Display for RoomName {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_the_version_before_are_found_again() {
        let room = RoomName::new("main");
        assert_eq!(room.line_key(), "queue:{main}");
        assert_eq!(room.line_key_beside(&room), "queue:{main}");
        let sale = RoomName::new("sale");
        assert_eq!(sale.line_key_beside(&room), "queue:{main}+sale");
        assert_eq!(room.cache_key("board"), "board:main");
        assert_eq!(room.cache_key_of("till", 3), "till:main:3");
    }
}
