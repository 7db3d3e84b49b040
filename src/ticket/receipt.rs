//! A receipt: what the service said of a ticket at a time, signed, so that its holder can show it and nobody can change it.
//!
//! Invariant: a receipt opens nothing. Its key is its own, and its text has no ticket in it.

use super::Keys;
use super::keys::{Purpose, sealed, unsealed};
use crate::queue::{Head, Lane, Now, Place, Position, RoomName};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// What it begins with.
const VERSION: &str = "receipt1";
/// Nothing longer is looked at.
const LONGEST: usize = 1_000;

/// What a receipt says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// What its holder quotes to support.
    pub reference: String,
    /// The lane of the number.
    pub lane: Lane,
    /// The number as it was shown, behind those of older rolls, where there is one.
    pub number: Option<Position>,
    /// The roll that it belongs to; 0 without one.
    pub born: u64,
    /// The number within that roll.
    pub in_roll: Option<Position>,
    /// Unix second in which the ticket was signed.
    pub signed: u64,
    /// What the journal had reached then.
    pub head: Option<Head>,
    /// Where the cursor stood when the receipt was given, as far as was known.
    pub cursor: Option<u64>,
    /// When that was.
    pub given: Now,
}

/// Why a text is no receipt of a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiptFault {
    /// It was changed, or signed by a key that is no longer kept, or is none.
    Altered,
    /// It is of another room.
    OtherRoom,
}

impl Receipt {
    /// The receipt as its holder keeps it.
    #[must_use]
    pub fn written(&self, room: &RoomName, keys: &Keys) -> String {
        let word = |number: Option<u64>| number.map_or("-".to_owned(), |number| number.to_string());
        let words = [
            VERSION.to_owned(),
            room.to_string(),
            self.reference.clone(),
            self.lane.name().unwrap_or("-").to_owned(),
            word(self.number.map(|number| number.0)),
            self.born.to_string(),
            word(self.in_roll.map(|number| number.0)),
            self.signed.to_string(),
            self.head.map_or("-".to_owned(), String::from),
            word(self.cursor),
            self.given.ms().to_string(),
        ];
        let text = URL_SAFE_NO_PAD.encode(words.join(" "));
        let key = keys.of(Purpose::Receipt).next().unwrap_or_default();
        sealed(&text, &key)
    }

    /// Reads a receipt of this room, whichever key signed it.
    ///
    /// # Errors
    /// When it is none.
    pub fn read(text: &str, room: &RoomName, keys: &Keys) -> Result<Self, ReceiptFault> {
        let text = text.trim();
        let text = Some(text).filter(|text| text.len() <= LONGEST);
        let open = |text| {
            keys.of(Purpose::Receipt)
                .find_map(|key| unsealed(text, &key))
        };
        let bytes = text
            .and_then(open)
            .and_then(|text| URL_SAFE_NO_PAD.decode(text).ok());
        let words = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        let words = words.ok_or(ReceiptFault::Altered)?;
        let words: Vec<&str> = words.split(' ').collect();
        let [VERSION, of, words @ ..] = &words[..] else {
            return Err(ReceiptFault::Altered);
        };
        if *of != room.as_str() {
            return Err(ReceiptFault::OtherRoom);
        }
        Self::of_words(words).ok_or(ReceiptFault::Altered)
    }

    fn of_words(words: &[&str]) -> Option<Self> {
        let [
            reference,
            lane,
            number,
            born,
            in_roll,
            signed,
            head,
            cursor,
            given,
        ] = words
        else {
            return None;
        };
        Some(Self {
            reference: (*reference).to_owned(),
            lane: Lane::named((*lane != "-").then_some(lane))?,
            number: number.parse().ok().map(Position),
            born: born.parse().ok()?,
            in_roll: in_roll.parse().ok().map(Position),
            signed: signed.parse().ok()?,
            head: Head::read(head),
            cursor: cursor.parse().ok(),
            given: Now::from_ms(given.parse().ok()?),
        })
    }

    /// The number as a ticket proves it.
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        Some(Place {
            born: self.born,
            position: self.in_roll?,
            came: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receipt() -> Receipt {
        Receipt {
            reference: "3F9A-1C2E".into(),
            lane: Lane::read("vip").unwrap_or_default(),
            number: Some(Position(12)),
            born: 1_799_999_000_000,
            in_roll: Some(Position(5)),
            signed: 1_800_000_000,
            head: Head::read("0123456789abcdef"),
            cursor: Some(7),
            given: Now::from_ms(1_800_000_000_123),
        }
    }

    fn keys(secret: &str) -> Keys {
        Keys::new(secret, None)
    }

    #[test]
    fn a_receipt_is_read_as_it_was_given_and_of_its_room_alone() {
        let (keys, room) = (keys(&"a".repeat(32)), RoomName::new("shop"));
        let bare = Receipt {
            lane: Lane::Main,
            number: None,
            in_roll: None,
            head: None,
            cursor: None,
            ..receipt()
        };
        for receipt in [receipt(), bare] {
            let text = receipt.written(&room, &keys);
            assert_eq!(
                Receipt::read(&format!(" {text}\n"), &room, &keys),
                Ok(receipt)
            );
            let other = RoomName::new("other");
            let read = Receipt::read(&text, &other, &keys);
            assert_eq!(read, Err(ReceiptFault::OtherRoom));
        }
    }

    #[test]
    fn a_receipt_of_which_a_byte_was_changed_is_none() {
        let (keys, room) = (keys(&"a".repeat(32)), RoomName::new("shop"));
        let text = receipt().written(&room, &keys);
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            if let Some(byte) = bytes.get_mut(at) {
                *byte = if *byte == b'A' { b'B' } else { b'A' };
            }
            let changed = String::from_utf8(bytes).unwrap_or_default();
            let read = Receipt::read(&changed, &room, &keys);
            assert_eq!(read, Err(ReceiptFault::Altered), "{changed}");
        }
        for none in ["", ".", "x", &text.repeat(9)] {
            let read = Receipt::read(none, &room, &keys);
            assert_eq!(read, Err(ReceiptFault::Altered), "{none}");
        }
    }

    #[test]
    fn a_receipt_outlives_a_rotation_and_no_other_secret_makes_one() {
        let (old, room) = ("a".repeat(32), RoomName::new("shop"));
        let text = receipt().written(&room, &keys(&old));
        let both = Keys::new(&"b".repeat(32), [old.as_str()]);
        assert_eq!(Receipt::read(&text, &room, &both), Ok(receipt()));
        let other = keys(&"b".repeat(32));
        assert_eq!(
            Receipt::read(&text, &room, &other),
            Err(ReceiptFault::Altered)
        );
    }
}
