//! A ticket of Fastly's starter kit, from before the room took over its line: a JWT (HS256) with a number and the time at which
//! it ends.

use super::keys::unsealed;
use super::offline::{LONGEST, parts};
use super::{Keys, Ticket, TicketStage};
use crate::http::moment::moment;
use crate::queue::{Cursor, Now, Place, Position, WaitingProof};
use ct_codecs::{Encoder, Hex};

/// The kit's line, as `cargo dev migrate` found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KitLine {
    /// The roll as which the room took it over.
    pub born: u64,
    /// Its last number: behind it come those drawn here.
    pub numbers: u64,
    /// From then on its tickets are none here, in milliseconds.
    pub until_ms: u64,
}

/// The cookie of the kit.
pub const COOKIE: &str = "queue";

impl Keys {
    /// The ticket of who has one of the kit: with the same number, until the kit's would have ended. Every request that brings it
    /// gets the same.
    #[must_use]
    pub fn verify_kit(&self, token: &str, line: KitLine, now: Now) -> Option<Ticket> {
        if now.ms() >= line.until_ms || token.len() > LONGEST {
            return None;
        }
        // The kit names neither a key nor a type.
        let mut entries = std::iter::once(&self.current).chain(&self.previous);
        let (header, claims) = parts(entries.find_map(|key| unsealed(token, &key.to_bytes()))?)?;
        let position = claims.get("position")?.as_u64()?;
        let expiry = claims.get("expiry")?.as_str()?;
        let is_of_kit = header.get("typ").is_none();
        let left = (moment(expiry)? / 1000).saturating_sub(now.secs());
        if !is_of_kit || left == 0 || !(1..=line.numbers).contains(&position) {
            return None;
        }
        let digest = hmac_sha256::Hash::hash(token.as_bytes());
        let place = Place {
            born: line.born,
            position: Position(position),
            came: None,
        };
        let proof = WaitingProof::of(place, Cursor(0));
        let id = Hex::encode_to_string(digest.first_chunk::<16>()?).ok()?;
        Some(Ticket {
            life: left,
            ..Ticket::new(id, TicketStage::Waiting(proof), now)
        })
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    use super::*;
    use crate::queue::RoomName;

    const KIT: &str = "the secret of the kit, of 32 bytes";
    /// 2027-01-15T08:00:00Z.
    const NOW: Now = Now::from_secs(1_800_000_000);
    const LINE: KitLine = KitLine {
        born: 1_799_999_000_000,
        numbers: 40,
        until_ms: 1_800_086_400_000,
    };

    /// As the kit signs it: `jws.sign({ header: { alg: "HS256" }, payload: { position, expiry }, secret })`.
    fn signed(payload: &str, secret: &str) -> String {
        let [header, payload] =
            [r#"{"alg":"HS256"}"#, payload].map(|part| URL_SAFE_NO_PAD.encode(part));
        let said = format!("{header}.{payload}");
        let tag = hmac_sha256::HMAC::mac(said.as_bytes(), secret.as_bytes());
        format!("{said}.{}", URL_SAFE_NO_PAD.encode(tag))
    }

    fn verified(payload: &str, now: Now) -> Option<Ticket> {
        keys().verify_kit(&signed(payload, KIT), LINE, now)
    }

    fn keys() -> Keys {
        Keys::new("the secret of this service, 32 bytes", [KIT])
    }

    #[test]
    fn a_ticket_of_the_kit_keeps_its_number_and_its_end() {
        let payload = r#"{"position":7,"expiry":"2027-01-15T09:00:00.500Z"}"#;
        let ticket = verified(payload, NOW).unwrap();
        let place = Place {
            born: LINE.born,
            position: Position(7),
            came: None,
        };
        let proof = WaitingProof::of(place, Cursor(0));
        assert_eq!(ticket.stage, TicketStage::Waiting(proof));
        assert_eq!((ticket.signed, ticket.life), (NOW.secs(), 3_600));
        let later = verified(payload, Now::from_secs(NOW.secs() + 60)).unwrap();
        assert_eq!((&later.id, later.life), (&ticket.id, 3_540));
        let another = r#"{"position":7,"expiry":"2027-01-15T09:00:00.501Z"}"#;
        assert_ne!(verified(another, NOW).unwrap().id, ticket.id);
        // It is a ticket like any other.
        let room = RoomName::new("main");
        let token = keys().sign(&ticket, &room, NOW, ticket.life).unwrap();
        assert_eq!(keys().verify(&token, &room, NOW), Some(ticket));
    }

    #[test]
    fn what_is_none_of_the_kit_or_comes_too_late_is_no_ticket() {
        let ends = |position: &str, expiry: &str| {
            format!(r#"{{"position":{position},"expiry":"{expiry}"}}"#)
        };
        let late = "2027-01-15T09:00:00.000Z";
        for (payload, is_one) in [
            (ends("1", late), true),
            (ends("40", late), true),
            (ends("41", late), false),
            (ends("0", late), false),
            (ends("-1", late), false),
            (ends("1.5", late), false),
            (ends("null", late), false),
            (ends("\"1\"", late), false),
            (ends("18446744073709551616", late), false),
            (ends("1", "2027-01-15T08:00:00.999Z"), false),
            (ends("1", "2027-01-15T08:00:01.000Z"), true),
            (ends("1", "soon"), false),
            (r#"{"position":1}"#.to_owned(), false),
            (r#"{"expiry":"2027-01-15T09:00:00.000Z"}"#.to_owned(), false),
            ("null".to_owned(), false),
        ] {
            assert_eq!(verified(&payload, NOW).is_some(), is_one, "{payload}");
        }
        let payload = ends("1", "2027-01-31T09:00:00.000Z");
        let at = |ms| verified(&payload, Now::from_ms(ms)).is_some();
        assert_eq!([at(LINE.until_ms - 1), at(LINE.until_ms)], [true, false]);
        let by_another = signed(&payload, "a secret that this service does not know");
        assert_eq!(keys().verify_kit(&by_another, LINE, NOW), None);
        let unsigned = format!("{}.", signed(&payload, KIT).rsplit_once('.').unwrap().0);
        assert_eq!(keys().verify_kit(&unsigned, LINE, NOW), None);
    }

    #[test]
    fn no_token_of_ours_is_one_of_the_kit_nor_the_other_way() {
        let room = RoomName::new("main");
        let ticket = verified(r#"{"position":7,"expiry":"2027-01-15T09:00:00Z"}"#, NOW).unwrap();
        let ours = keys().sign(&ticket, &room, NOW, 60).unwrap();
        assert_eq!(keys().verify_kit(&ours, LINE, NOW), None);
        let kits = signed(r#"{"position":7,"expiry":"2027-01-15T09:00:00Z"}"#, KIT);
        assert_eq!(keys().verify_lapsed(&kits, &room, NOW), None);
    }
}
