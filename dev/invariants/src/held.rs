//! The words of a visitor's ticket.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use now_serving::queue::Lane;
use serde_json::Value;

/// A ticket as its visitor holds it. The signature is not checked: that takes the secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Held {
    /// The id of the ticket, which stays with the visitor.
    pub sub: String,
    /// The name of its room.
    pub room: String,
    /// Lane in which the number was drawn.
    pub lane: Lane,
    /// The roll of the number.
    pub born: u64,
    /// The number; nothing before the draw.
    pub number: Option<u64>,
    /// The number that was drawn, where a lot gave another one.
    pub came: Option<u64>,
    /// How much of the roll had been served when the number was drawn.
    pub seen: Option<u64>,
    /// Whether the visitor waits with a number.
    pub is_waiting: bool,
    /// Whether the visitor has gone in. A called visitor who has not come yet may still be held back.
    pub is_admitted: bool,
    /// Whether the visitor went in while the store was away, and has no number.
    pub has_grace: bool,
    /// Notice on the page about a number that was lost.
    pub notice: Option<String>,
    /// All that the ticket says.
    pub claims: Value,
}

/// The claims, which say more than the fields.
impl fmt::Debug for Held {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}", self.claims)
    }
}

impl Held {
    /// Reads a ticket; what is none is nothing.
    #[must_use]
    pub fn of(ticket: &str) -> Option<Self> {
        let payload = ticket.split('.').nth(1)?;
        let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).ok()?).ok()?;
        let claim = |name: &str| claims.get(name);
        let number = |name: &str| claim(name).and_then(Value::as_u64);
        let text = |name: &str| claim(name).and_then(Value::as_str).map(str::to_owned);
        let is_number = |name: &str| claim(name).is_some_and(Value::is_u64);
        let is_called = claim("called").and_then(Value::as_bool) == Some(true);
        Some(Self {
            sub: text("sub")?,
            room: text("room")?,
            lane: Lane::named(claim("lane").and_then(Value::as_str))?,
            born: number("born").unwrap_or(0),
            number: number("pos"),
            came: number("came"),
            seen: number("cur"),
            is_waiting: is_number("cur"),
            is_admitted: is_number("adm") && !is_called,
            has_grace: is_number("grace"),
            notice: text("notice"),
            claims,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_ticket_is_nothing() {
        for text in ["", "a.b.c", "a..c", "a.e30.c"] {
            assert_eq!(Held::of(text), None, "{text}");
        }
        let claims = r#"{"sub":"a1","room":"main","pos":7,"cur":3,"born":5}"#;
        let ticket = format!("x.{}.y", URL_SAFE_NO_PAD.encode(claims));
        let held = Held::of(&ticket);
        let told = held
            .as_ref()
            .map(|held| (held.number, held.seen, held.born));
        assert_eq!(told, Some((Some(7), Some(3), 5)));
        assert!(held.is_some_and(|held| held.is_waiting && !held.is_admitted));
    }
}
