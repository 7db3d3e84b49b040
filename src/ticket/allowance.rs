//! What lets the programs of a monitor or a partner pass: a JWT in a header, made offline for a room, with the name of its holder.

use super::Keys;
use super::keys::Purpose;
use super::offline;
use crate::http::object::object;
use crate::queue::{AllowFault, Now, RoomName};

/// The `typ` of an allowance.
const ALLOWANCE_TYPE: &str = "queue-allow+jwt";

/// An allowance for a room, signed with a key of the newest entry of `jwt_secret`. Only the tools make some.
#[must_use]
pub fn sign_allowance(
    keys: &Keys,
    name: &str,
    ends: u64,
    room: &RoomName,
    now: Now,
) -> Option<String> {
    let claims = object!({
        "room": room.as_str(),
        "sub": name,
        "iat": now.secs(),
        "exp": ends,
    });
    offline::signed(ALLOWANCE_TYPE, &claims, keys.of(Purpose::Allowance))
}

impl Keys {
    /// The name of the holder of this allowance for this room.
    ///
    /// # Errors
    /// Why it is none, or no longer one.
    pub fn allowance(&self, token: &str, room: &RoomName, now: Now) -> Result<String, AllowFault> {
        let read = || {
            let claims = offline::claims(ALLOWANCE_TYPE, token, self.of(Purpose::Allowance))?;
            let text = |name| claims.get(name)?.as_str();
            let is_ours = text("room")? == room.as_str();
            let (name, ends) = (text("sub")?.to_owned(), claims.get("exp")?.as_u64()?);
            is_ours.then_some((name, ends))
        };
        match read() {
            None => Err(AllowFault::Wrong),
            Some((_, ends)) if now.secs() >= ends => Err(AllowFault::Expired),
            Some((name, _)) => Ok(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::Invitation;
    use crate::ticket::invitation::sign_invitation;

    const NOW: u64 = 1_800_000_000;
    const SECRET: &str = "a-secret-of-this-test-32-bytes-long";
    const OTHER: &str = "another-secret-of-this-test-32-bytes";

    fn at(secs: u64) -> Now {
        Now::from_secs(secs)
    }

    fn main() -> RoomName {
        RoomName::new("main")
    }

    fn token() -> String {
        let keys = Keys::new(SECRET, None);
        sign_allowance(&keys, "uptime", NOW + 60, &main(), at(NOW)).unwrap_or_default()
    }

    #[test]
    fn an_allowance_names_its_holder_until_its_end() {
        let keys = Keys::new(SECRET, None);
        let read = |secs| keys.allowance(&token(), &main(), at(secs));
        assert_eq!(read(NOW + 59), Ok("uptime".to_owned()));
        assert_eq!(read(NOW + 60), Err(AllowFault::Expired));
        let read = |keys: &Keys| keys.allowance(&token(), &main(), at(NOW));
        assert!(
            read(&Keys::new(OTHER, [SECRET])).is_ok(),
            "after a rotation"
        );
        assert_eq!(read(&Keys::new(OTHER, None)), Err(AllowFault::Wrong));
        let names = ("a".repeat(32), RoomName::new("r".repeat(64)));
        let longest = sign_allowance(&keys, &names.0, 4_102_444_800, &names.1, at(NOW));
        let longest = longest.unwrap_or_default();
        assert_eq!(keys.allowance(&longest, &names.1, at(NOW)), Ok(names.0));
    }

    #[test]
    fn nothing_else_is_an_allowance_and_it_is_nothing_else() {
        let keys = Keys::new(SECRET, None);
        let wrong = Err(AllowFault::Wrong);
        let invitation = Invitation {
            id: "AAAAAAAAAAAAAAAAAAAAAA".to_owned(),
            uses: 1,
            ends: NOW + 60,
            batch: "uptime".to_owned(),
            group: None,
        };
        let invitation = sign_invitation(&keys, &invitation, &main(), at(NOW));
        let token = token();
        let altered = token.replace('.', "..");
        for other in [
            invitation.unwrap_or_default(),
            String::new(),
            "a".repeat(99_999),
            altered,
            token[1..].to_owned(),
        ] {
            assert_eq!(keys.allowance(&other, &main(), at(NOW)), wrong, "{other}");
        }
        let elsewhere = keys.allowance(&token, &RoomName::new("other"), at(NOW));
        assert_eq!(elsewhere, wrong);
        assert!(keys.invitation(&token, &main(), at(NOW)).is_err());
        assert_eq!(keys.verify(&token, &main(), at(NOW)), None);
        assert_eq!(keys.holder(&token, &main(), at(NOW)), None);
    }
}
