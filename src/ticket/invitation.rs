//! Invitations as JWTs: made for a room, offline by our tools or by a shop, or here for a program that asks for one, and verified here
//! without a question to the store.
//!
//! Invariant: they have a key of their own and a `typ` of their own, so that no ticket and no pass is one, and none is a ticket. Who
//! has that key makes nothing else.

use super::Keys;
use super::keys::Purpose;
use super::offline;
use crate::http::object::object;
use crate::queue::{Invitation, Invited, LaneName, Now, RoomName};

/// The `typ` of an invitation.
const INVITATION_TYPE: &str = "queue-invite+jwt";

/// An invitation to a room, signed with a key of the newest entry of `jwt_secret`.
#[must_use]
pub fn sign_invitation(
    keys: &Keys,
    invitation: &Invitation,
    room: &RoomName,
    now: Now,
) -> Option<String> {
    let mut claims = object!({
        "room": room.as_str(),
        "uses": invitation.uses,
        "batch": invitation.batch.as_str(),
        "jti": invitation.id.as_str(),
        "iat": now.secs(),
        "exp": invitation.ends,
    });
    if let (Some(claims), Some(group)) = (claims.as_object_mut(), invitation.group) {
        claims.insert("group".to_owned(), group.as_str().into());
    }
    offline::signed(INVITATION_TYPE, &claims, keys.of(Purpose::Invitation))
}

impl Keys {
    /// The invitation to this room that a code is.
    ///
    /// # Errors
    /// Why it is none, or no longer one.
    pub fn invitation(&self, code: &str, room: &RoomName, now: Now) -> Result<Invitation, Invited> {
        let read = || {
            let claims = offline::claims(INVITATION_TYPE, code, self.of(Purpose::Invitation))?;
            let text = |name| claims.get(name)?.as_str();
            let number = |name| claims.get(name)?.as_u64();
            let is_ours = text("room")? == room.as_str();
            let group = match claims.get("group") {
                Some(name) => Some(LaneName::read(name.as_str()?)?),
                None => None,
            };
            let invitation = Invitation {
                group,
                id: text("jti")?.to_owned(),
                uses: number("uses")?,
                ends: number("exp")?,
                batch: text("batch")?.to_owned(),
            };
            (is_ours && invitation.is_sound(now)).then_some(invitation)
        };
        let invitation = read().ok_or(Invited::Wrong)?;
        if now.secs() < invitation.ends {
            Ok(invitation)
        } else {
            Err(Invited::Expired)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ticket::Ticket;
    use crate::ticket::allowance::sign_allowance;
    use crate::ticket::keys::{derived, sealed};

    const NOW: u64 = 1_800_000_000;
    const SECRET: &str = "a-secret-of-this-test-32-bytes-long";
    const OTHER: &str = "another-secret-of-this-test-32-bytes";

    fn at(secs: u64) -> Now {
        Now::from_secs(secs)
    }

    fn room(name: &str) -> RoomName {
        RoomName::new(name)
    }

    fn keys() -> Keys {
        Keys::new(SECRET, None)
    }

    fn invitation() -> Invitation {
        Invitation {
            id: "AAAAAAAAAAAAAAAAAAAAAA".to_owned(),
            uses: 3,
            ends: NOW + 60,
            batch: "spring".to_owned(),
            group: None,
        }
    }

    fn code() -> String {
        sign_invitation(&keys(), &invitation(), &room("main"), at(NOW)).unwrap_or_default()
    }

    #[test]
    fn an_invitation_comes_back_as_it_was_signed_until_its_end() {
        let code = code();
        let read = |secs| keys().invitation(&code, &room("main"), at(secs));
        assert_eq!(read(NOW + 59), Ok(invitation()));
        assert_eq!(read(NOW + 60), Err(Invited::Expired));
        assert_eq!(read(NOW + 86_400 * 300), Err(Invited::Expired));
        assert!(code.len() < 350, "{}", code.len());
        let longest = Invitation {
            group: LaneName::read("abcdefghijklmnop"),
            uses: 100_000,
            ends: 4_102_444_800,
            batch: "a".repeat(32),
            ..invitation()
        };
        let longest = sign_invitation(&keys(), &longest, &room(&"r".repeat(64)), at(NOW));
        let longest = longest.map_or(usize::MAX, |code| code.len());
        assert!(longest <= offline::LONGEST, "{longest}");
    }

    #[test]
    fn an_invitation_outlives_a_rotation_and_ends_with_its_secret() {
        let code = code();
        let read = |keys: &Keys| keys.invitation(&code, &room("main"), at(NOW));
        assert_eq!(read(&Keys::new(OTHER, [SECRET])), Ok(invitation()));
        assert_eq!(read(&Keys::new(OTHER, None)), Err(Invited::Wrong));
    }

    /// A name with a space would read otherwise on a ticket, and no setting could revoke it.
    #[test]
    fn an_invitation_of_a_batch_that_no_setting_can_name_is_none() {
        for batch in ["", "spring 1 1800000032", "spring,autumn", &"a".repeat(33)] {
            let invitation = Invitation {
                batch: batch.to_owned(),
                ..invitation()
            };
            let code = sign_invitation(&keys(), &invitation, &room("main"), at(NOW));
            let read = keys().invitation(&code.unwrap_or_default(), &room("main"), at(NOW));
            assert_eq!(read, Err(Invited::Wrong), "{batch:?}");
        }
    }

    /// A shop may miscount, or take milliseconds for seconds. What Redis cannot keep reaches no store.
    #[test]
    fn an_invitation_that_no_tool_would_make_is_none() {
        let sound = |change: fn(&mut Invitation)| {
            let mut invitation = invitation();
            change(&mut invitation);
            let code = sign_invitation(&keys(), &invitation, &room("main"), at(NOW));
            let read = keys().invitation(&code.unwrap_or_default(), &room("main"), at(NOW));
            read.is_ok()
        };
        assert!(sound(|made| made.uses = 100_000));
        assert!(sound(|made| made.ends = NOW + 3650 * 86_400));
        assert!(sound(|made| made.id = "a".repeat(64)));
        for wrong in [
            (|made| made.uses = 0) as fn(&mut Invitation),
            |made| made.uses = 100_001,
            |made| made.ends = NOW * 1_000,
            |made| made.ends = u64::MAX,
            |made| made.id = String::new(),
            |made| made.id = "a b".to_owned(),
            |made| made.id = "a".repeat(65),
        ] {
            assert!(!sound(wrong));
        }
    }

    /// What else the service signs is no good with the key that a shop has.
    #[test]
    fn who_has_the_key_of_invitations_makes_nothing_else() {
        let (keys, main) = (keys(), room("main"));
        let key = derived(SECRET.as_bytes(), Purpose::Invitation);
        let forged = |token: Option<String>| {
            let token = token.unwrap_or_default();
            let (text, _) = token.rsplit_once('.').unwrap_or_default();
            sealed(text, &key)
        };
        let ticket = Ticket {
            life: 60,
            ..Ticket::provisional("a", at(NOW))
        };
        let token = forged(keys.sign(&ticket, &main, at(NOW), 60));
        assert_eq!(keys.verify(&token, &main, at(NOW)), None);
        assert_eq!(keys.verify_lapsed(&token, &main, at(NOW)), None);
        assert_eq!(keys.holder(&token, &main, at(NOW)), None);
        let pass = forged(keys.pass(&ticket, &main, "shop.example", at(NOW)));
        let (text, _) = pass.rsplit_once('.').unwrap_or_default();
        assert_ne!(
            pass,
            sealed(text, &derived(SECRET.as_bytes(), Purpose::Pass))
        );
        let allowance = forged(sign_allowance(&keys, "partner", NOW + 60, &main, at(NOW)));
        assert!(keys.allowance(&allowance, &main, at(NOW)).is_err());
        // The key itself is no secret from which others follow.
        let hex = key.map(|byte| format!("{byte:02x}")).concat();
        let of_key = Keys::new(&hex, None);
        let token = of_key.sign(&ticket, &main, at(NOW), 60).unwrap_or_default();
        assert_eq!(keys.verify(&token, &main, at(NOW)), None);
    }

    #[test]
    fn nothing_else_is_an_invitation_and_it_is_nothing_else() {
        let (keys, code) = (keys(), code());
        let read = |code: &str, of| keys.invitation(code, &room(of), at(NOW));
        assert_eq!(read(&code, "other"), Err(Invited::Wrong));
        let ticket = Ticket {
            life: 60,
            ..Ticket::provisional("a", at(NOW))
        };
        let token = keys.sign(&ticket, &room("main"), at(NOW), 60);
        let pass = keys.pass(&ticket, &room("main"), "shop.example", at(NOW));
        let text = keys.challenge(&ticket, at(NOW));
        for other in [token, pass, Some(text), Some(String::new())] {
            let other = other.unwrap_or_default();
            assert_eq!(read(&other, "main"), Err(Invited::Wrong), "{other}");
        }
        for at in 0..code.len() {
            let changed = |(place, byte): (usize, char)| match (place == at, byte) {
                (true, 'A') => 'B',
                (true, _) => 'A',
                (false, byte) => byte,
            };
            let forged: String = code.chars().enumerate().map(changed).collect();
            if forged != code {
                assert_eq!(read(&forged, "main"), Err(Invited::Wrong), "{forged}");
            }
        }
        assert_eq!(read(&"a".repeat(99_999), "main"), Err(Invited::Wrong));
        assert_eq!(keys.verify(&code, &room("main"), at(NOW)), None);
        assert_eq!(keys.holder(&code, &room("main"), at(NOW)), None);
    }
}
