//! Keys that sign nothing but what targets make, a room and a moment.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use now_serving::queue::{Now, Price, RoomName};
use now_serving::ticket::challenge::{Answer, Proof};
use now_serving::ticket::kit::KitLine;
use now_serving::ticket::{Keys, Receipt, Ticket};

/// The secret of the keys.
pub(crate) const SECRET: &str = "a-secret-of-the-targets-32-bytes-long";

/// When all of it happens, in Unix seconds.
pub(crate) const NOW: u64 = 1_800_000_000;

pub(crate) static KEYS: LazyLock<Keys> = LazyLock::new(|| Keys::new(SECRET, None));
pub(crate) static ROOM: LazyLock<RoomName> = LazyLock::new(|| RoomName::new("main"));

pub(crate) fn now() -> Now {
    Now::from_secs(NOW)
}

/// A part of a JWT.
pub(crate) fn encoded(part: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(part)
}

/// What was signed by none of our keys entitles to nothing.
pub(crate) fn is_worth_nothing(token: &str) {
    let (keys, room) = (&*KEYS, &*ROOM);
    assert_eq!(keys.verify(token, room, now()), None, "a ticket");
    assert_eq!(
        keys.verify_lapsed(token, room, now()),
        None,
        "a ticket of before"
    );
    assert_eq!(keys.holder(token, room, now()), None, "a pass");
    assert!(
        keys.invitation(token, room, now()).is_err(),
        "an invitation"
    );
    assert!(keys.allowance(token, room, now()).is_err(), "an allowance");
    assert!(Receipt::read(token, room, keys).is_err(), "a receipt");
    let kit = KitLine {
        born: 1,
        numbers: u64::MAX,
        until_ms: u64::MAX,
    };
    let of_kit = keys.verify_kit(token, kit, now());
    assert_eq!(of_kit, None, "a ticket of the kit");
    let new = Ticket::provisional("0123456789abcdef0123456789abcdef", now());
    let held = Ticket {
        stage: new.challenged(Price::default(), now(), 86_400),
        ..new
    };
    let (text, answer) = token.split_once(' ').unwrap_or((token, ""));
    for proof in [Proof::Calculation, Proof::Verifier] {
        let worth = keys.answer(&held, proof, text, answer, now());
        assert_eq!(worth, Answer::Stale, "an answer to a challenge");
    }
}
