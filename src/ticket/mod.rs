//! The ticket: a JWT (HS256) that remembers for us where its holder stands. The store remembers nobody.
//!
//! Invariant: `verify` gives back exactly what `sign` was given, by one of our keys; everything else is `None`,
//! whatever is wrong with it.

pub mod allowance;
pub mod challenge;
mod claims;
pub mod invitation;
pub mod keys;
pub mod kit;
mod notice;
mod offline;
mod pass;
mod receipt;
mod stage;

use crate::queue::draw;
use crate::queue::{
    Begun, Board, DrawSecrets, Drawn, FORMAT, Head, Invitation, Lane, Now, Place, Position,
    RoomName,
};
use claims::Claims;
use ct_codecs::{Encoder, Hex};
use jwt_simple::prelude::*;
use keys::{Purpose, derived};
pub use notice::Notice;
pub use pass::PassHolder;
use pass::pass_key;
pub use receipt::{Receipt, ReceiptFault};
pub use stage::TicketStage;

/// A verified ticket, or one about to be signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// Random; also names the draw, so that a repeated draw gets the same number.
    pub id: String,
    /// What it entitles to.
    pub stage: TicketStage,
    /// When it was signed, Unix time in seconds.
    pub signed: u64,
    /// Seconds for which it is good after that; 0 until it is signed.
    pub life: u64,
    /// Let in without the store for a while, since the store was away.
    pub grace: Option<Grace>,
    /// Whether its holder wants a page that does not refresh by itself.
    pub still: bool,
    /// Whether its holder was called, and has not gone in yet: told by an update, or rescued from an origin that fails.
    pub called: bool,
    /// The tag of the language its holder chose, where they chose one.
    pub language: Option<String>,
    /// Why its number is a new one, when its holder had another before.
    pub notice: Option<Notice>,
    /// The event whose lot gave it its number, so that a line that lost its data learns the order again.
    pub event: Option<Begun>,
    /// The invitation that its holder brings to the line.
    pub invitation: Option<Box<Invitation>>,
    /// The lane of its number; where it has none, of the one that was lost with its line.
    pub lane: Lane,
    /// What the journal had reached when it was signed, as far as was known.
    pub head: Option<Head>,
    /// When its number was drawn; nothing for a visitor who went straight in.
    pub drawn: Option<Drawn>,
}

/// The longest time between three polls, in seconds: each answer says when to come again, after 35 s at the latest.
const TWO_POLLS: u64 = 70;

/// What lets a visitor in without the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grace {
    /// Until this Unix second.
    pub until: u64,
    /// The epoch that the last sign showed, if there was one: it ends with that.
    pub epoch: Option<u64>,
}

impl Ticket {
    /// Inside by right or by grace.
    #[must_use]
    pub fn is_inside(&self, now: Now) -> bool {
        matches!(self.stage, TicketStage::Admitted { .. })
            || self.grace.is_some_and(|grace| now.secs() < grace.until)
    }

    /// Whether a stay by it was ended, as this board says. An admission ends with all visits of its roll; that of who was called and
    /// has not gone in with the numbers already, unless a session has begun with the call. What was let in without the store ends
    /// with a hold or a closure too, since it was never this visitor's turn.
    #[must_use]
    pub fn is_ended_by(&self, board: &Board, has_gone_in: impl FnOnce() -> bool) -> bool {
        match self.stage {
            TicketStage::Admitted { born, session, .. } => {
                let is_number = || self.called && session.is_none() && !has_gone_in();
                board.has_ended_visits(born) || board.has_ended(born) && is_number()
            }
            TicketStage::Provisional { .. } | TicketStage::Waiting(_) => {
                let granted = self.grace.and_then(|grace| grace.epoch);
                let is_of_others = granted.is_some_and(|epoch| epoch != board.visits_epoch);
                is_of_others || !board.scheduled_mode().lets_in()
            }
        }
    }

    /// Whether its time is over.
    #[must_use]
    pub fn has_lapsed(&self, now: Now) -> bool {
        now.secs() >= self.signed.saturating_add(self.life)
    }

    /// Whether a poll signs it again, with a whole life before it: less than half of its life is left, or so little that it could
    /// end before the poll after the next.
    #[must_use]
    pub fn is_to_be_renewed(&self, now: Now) -> bool {
        let age = now.secs().saturating_sub(self.signed);
        let has_gone_in = matches!(self.stage, TicketStage::Admitted { .. }) && !self.called;
        !has_gone_in && age > (self.life / 2).min(self.life.saturating_sub(TWO_POLLS))
    }

    /// The number, once there is one.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        match self.stage {
            TicketStage::Provisional { .. } => None,
            TicketStage::Waiting(proof) => Some(proof.place.position),
            TicketStage::Admitted { position, .. } => position,
        }
    }

    /// The last minute of its session, where it has one.
    #[must_use]
    pub fn session(&self) -> Option<u64> {
        match self.stage {
            TicketStage::Admitted { session, .. } => session,
            TicketStage::Provisional { .. } | TicketStage::Waiting(_) => None,
        }
    }

    /// The number that its holder has, or went in by: what the lot says of it was said before.
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        match self.stage {
            TicketStage::Waiting(proof) => Some(proof.place),
            TicketStage::Admitted { position, born, .. } => position.map(|position| Place {
                born,
                position,
                came: Some(position),
            }),
            TicketStage::Provisional { .. } => None,
        }
    }

    /// Where its holder stands by this board; where that does not know the roll, the number.
    #[must_use]
    pub fn position_by(&self, board: &Board) -> Option<Position> {
        let placed = self.place();
        let told = placed.and_then(|place| board.of(self.lane).number(place));
        told.or_else(|| self.position())
    }

    /// The roll by which its holder went in.
    #[must_use]
    pub fn went_in_by(&self) -> Option<u64> {
        match self.stage {
            TicketStage::Admitted { born, .. } => Some(born),
            TicketStage::Provisional { .. } | TicketStage::Waiting(_) => None,
        }
    }

    /// The id of the ticket that comes after this one. Every request that brings this ticket gets the same, so that those of
    /// a page that wakes up, or of a client that keeps no cookies, draw one number together.
    #[must_use]
    pub fn next_id(&self) -> String {
        self.derived(&format!("queue-next {}", self.id))
    }

    /// The id under which a ticket without a number draws now. The store remembers a draw for a while only, so a copy of an old
    /// ticket would draw a second number under the same id: after that time it has another one, the same for all requests
    /// of a span of that length.
    #[must_use]
    pub fn drawing_id(&self, now: Now) -> String {
        let age = now.secs().saturating_sub(self.signed);
        let buys = self.effort(now).paid > 0 || self.has_answered_or_waited(now);
        if age < DRAW_REMEMBERED || buys {
            return self.id.clone();
        }
        let span = now.secs() / DRAW_REMEMBERED;
        self.derived(&format!("queue-draw {} {span}", self.id))
    }

    fn derived(&self, from: &str) -> String {
        let digest = hmac_sha256::Hash::hash(from.as_bytes());
        let half = digest.first_chunk::<16>();
        half.and_then(|half| Hex::encode_to_string(half).ok())
            .unwrap_or_else(|| self.id.clone())
    }

    /// What its holder can quote to support, and support can find in the log: the beginning of the id, which proves
    /// nothing by itself.
    #[must_use]
    pub fn reference(&self) -> String {
        let digits: String = self.id.chars().take(8).collect();
        let (first, second) = digits.split_at_checked(4).unwrap_or((&digits, ""));
        format!("{first}-{second}").to_ascii_uppercase()
    }
}

/// For how many seconds the store remembers at least which number a ticket drew; `TTL.draw` in the script is this long.
pub const DRAW_REMEMBERED: u64 = 300;

/// Our tickets are some 300 bytes, and at most 1 235 where an invited visitor of a region has a place by lot; nothing much longer is looked at.
const LONGEST_TICKET: usize = 2300;

/// How far the clocks of two data centres may lie apart, in seconds.
const CLOCK_SKEW: u64 = 120;

/// For how many days an expired ticket is recognised.
const LAPSED_DAYS: u64 = 30;

/// The key that signs tickets, those that verify as well while a rotation is under way, and the one that signs passes.
pub struct Keys {
    current: HS256Key,
    previous: Vec<HS256Key>,
    pass: HS256Key,
}

impl Keys {
    /// Keys of these secrets; their lengths are the configuration's business.
    #[must_use]
    pub fn new<'a>(secret: &str, previous: impl IntoIterator<Item = &'a str>) -> Self {
        let current = key(secret);
        Self {
            pass: pass_key(&current),
            current,
            previous: previous.into_iter().map(key).collect(),
        }
    }

    /// The keys of another purpose: of the entry that signs first, then of those that are still accepted.
    pub fn of(&self, purpose: Purpose) -> impl Iterator<Item = [u8; keys::LENGTH]> {
        let entries = std::iter::once(&self.current).chain(&self.previous);
        entries.map(move |entry| derived(&entry.to_bytes(), purpose))
    }

    /// Signs a ticket that lives `life` seconds from now. `None` only if the JWT library fails, which it has no reason to.
    #[must_use]
    pub fn sign(&self, ticket: &Ticket, room: &RoomName, now: Now, life: u64) -> Option<String> {
        let claims = claims(&ticket.id, Claims::of(ticket, room), now, life);
        self.current.authenticate(claims).ok()
    }

    /// The ticket, if one of our keys signed it for this room and it has neither expired nor comes from the future.
    #[must_use]
    pub fn verify(&self, token: &str, room: &RoomName, now: Now) -> Option<Ticket> {
        let ticket = self.verify_lapsed(token, room, now);
        ticket.filter(|ticket| !ticket.has_lapsed(now))
    }

    /// The same, but for a ticket that may have expired: it entitles to nothing, and its holder can be told.
    #[must_use]
    pub fn verify_lapsed(&self, token: &str, room: &RoomName, now: Now) -> Option<Ticket> {
        if token.len() > LONGEST_TICKET {
            return None;
        }
        // Whether it has expired is looked at below: the library would add a tolerance.
        let by = |key: &HS256Key| signed(key, token, "JWT", LAPSED_DAYS, now);
        let claims: JWTClaims<Claims> =
            by(&self.current).or_else(|| self.previous.iter().find_map(by))?;
        let issued = claims.issued_at?.as_secs();
        let expires = claims.expires_at?.as_secs();
        if claims.custom.room != room.as_str()
            || claims.custom.format != FORMAT
            || expires < issued
            || issued > now.secs() + CLOCK_SKEW
        {
            return None;
        }
        let lane = claims.custom.lane()?;
        Some(Ticket {
            id: claims.subject?,
            stage: claims.custom.stage()?,
            signed: issued,
            life: expires - issued,
            grace: claims.custom.grace(),
            still: claims.custom.still,
            called: claims.custom.called,
            language: claims.custom.lang.clone(),
            notice: claims.custom.notice(),
            event: match &claims.custom.event {
                Some(text) => Some(Begun::of_ticket(text, lane)?),
                None => None,
            },
            invitation: claims.custom.invitation(),
            lane,
            head: claims.custom.head(),
            drawn: claims.custom.drawn(),
        })
    }
}

impl DrawSecrets for Keys {
    fn secrets(&self, room: &str, event: &str, opens_ms: u64) -> Vec<String> {
        let entries = std::iter::once(&self.current).chain(&self.previous);
        let secret = |entry: &HS256Key| draw::secret(&entry.to_bytes(), room, event, opens_ms);
        entries.map(secret).collect()
    }
}

/// What a token of this type says, if this key has signed it, until that many days after it expired.
fn signed(
    key: &HS256Key,
    token: &str,
    kind: &str,
    days: u64,
    now: Now,
) -> Option<JWTClaims<Claims>> {
    let options = VerificationOptions {
        required_signature_type: Some(kind.to_owned()),
        // Of several keys only the named one gets as far as the signature.
        required_key_id: key.key_id().clone(),
        accept_future: true,
        time_tolerance: Some(Duration::from_days(days)),
        artificial_time: Some(UnixTimeStamp::from_secs(now.secs())),
        ..VerificationOptions::default()
    };
    key.verify_token::<Claims>(token, Some(options)).ok()
}

fn claims<C: Serialize>(id: &str, custom: C, now: Now, life: u64) -> JWTClaims<C> {
    let mut claims =
        jwt_simple::claims::Claims::with_custom_claims(custom, Duration::from_secs(life))
            .with_subject(id);
    let now = now.secs();
    claims.issued_at = Some(UnixTimeStamp::from_secs(now));
    claims.expires_at = Some(UnixTimeStamp::from_secs(now + life));
    claims.invalid_before = None;
    claims
}

/// The key's name is the beginning of its own digest: enough to tell two apart, and nothing to configure.
fn key(secret: &str) -> HS256Key {
    let mut key = HS256Key::from_bytes(secret.as_bytes());
    let name: String = key.create_key_id().chars().take(8).collect();
    key.with_key_id(&name)
}

#[cfg(test)]
mod tests {
    #![expect(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test fails by panicking"
    )]

    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    use super::challenge::Challenged;
    use super::*;
    use crate::queue::{Cursor, WaitingProof};

    const SECRET: &str = "a-secret-of-this-test-32-bytes-long";
    const OTHER: &str = "another-secret-of-this-test-32-bytes";
    const NOW: u64 = 1_800_000_000;

    fn waiting() -> Ticket {
        let proof = WaitingProof::of(
            Place {
                born: 1_799_999_000_000,
                position: Position(5),
                came: None,
            },
            Cursor(2),
        );
        Ticket {
            life: 86_400,
            ..Ticket::new(
                "AAAAAAAAAAAAAAAAAAAAAA",
                TicketStage::Waiting(proof),
                at(NOW),
            )
        }
    }

    #[test]
    fn a_ticket_of_what_is_no_lane_is_no_ticket() {
        let custom = Claims {
            lane: Some("no lane".into()),
            ..Claims::of(&waiting(), &room("main"))
        };
        let token = keys()
            .current
            .authenticate(claims("id", custom, at(NOW), 86_400));
        let read = keys().verify(&token.unwrap(), &room("main"), at(NOW));
        assert_eq!(read, None);
    }

    /// What an invited visitor keeps whose place a lot gave, with the longest names, and a value of which each character is
    /// escaped.
    #[test]
    fn the_longest_ticket_is_one() {
        use crate::queue::Lot;
        let lane = Lane::read(&"r".repeat(16)).unwrap();
        let proof = WaitingProof::of(
            Place {
                born: 1_799_999_000_000,
                position: Position(10_000_500),
                came: Some(Position(10_000_400)),
            },
            Cursor(10_000_000),
        );
        let event = Begun {
            id: "e".repeat(32),
            opens_ms: 1_800_000_000_000,
            numbers: Some(
                (0..16)
                    .map(|roll| crate::queue::Prequeue {
                        lane,
                        born: 1_799_999_000_000 + roll,
                        base: 10_000_000,
                        drawn: 5_000_000,
                    })
                    .collect(),
            ),
            lane,
            order: crate::queue::Order::Drawn,
            commitment: Some(draw::commitment(&"a".repeat(64))),
            lot: Some(Lot {
                secret: "a".repeat(64),
                value: "\"".repeat(100),
            }),
        };
        let ticket = Ticket {
            id: "0123456789abcdef0123456789abcdef".into(),
            stage: TicketStage::Waiting(proof),
            grace: Some(Grace {
                until: NOW + 100,
                epoch: Some(1_799_999_000),
            }),
            still: true,
            language: Some("zh-Hant".into()),
            notice: Some(Notice::SessionEnded),
            event: Some(event),
            invitation: Some(Box::new(Invitation {
                id: "0123456789abcdef0123456789abcdef".into(),
                uses: 100_000,
                ends: 4_102_444_800,
                batch: "b".repeat(32),
                group: crate::queue::LaneName::read("vip"),
            })),
            lane,
            head: Head::read("0123456789abcdef"),
            ..waiting()
        };
        let longest = room(&"r".repeat(64));
        let token = keys().sign(&ticket, &longest, at(NOW), 86_400).unwrap();
        let verified = keys().verify(&token, &longest, at(NOW));
        assert_eq!(verified, Some(ticket), "{} bytes", token.len());
    }

    fn at(secs: u64) -> Now {
        Now::from_secs(secs)
    }

    fn room(name: &str) -> RoomName {
        RoomName::new(name)
    }

    fn keys() -> Keys {
        Keys::new(SECRET, None)
    }

    #[test]
    fn a_ticket_draws_under_another_id_once_the_store_may_have_forgotten_its_draw() {
        let ticket = waiting();
        let id = |secs| ticket.drawing_id(at(secs));
        assert_eq!(
            [id(NOW), id(NOW + 299)],
            [ticket.id.clone(), ticket.id.clone()]
        );
        let [later, in_the_same_span, after_it] = [300, 599, 600].map(|secs| id(NOW + secs));
        assert_eq!(later, in_the_same_span);
        assert_ne!(later, ticket.id);
        assert_ne!(later, after_it);
    }

    #[test]
    fn a_ticket_comes_back_as_it_was_signed() {
        let admitted = [Some(Position(5)), None].map(|position| TicketStage::Admitted {
            position,
            born: 5,
            at: NOW,
            session: position.map(|_| NOW / 60 + 20),
        });
        let asked = Challenged {
            from: NOW,
            place: 3,
            paid: 2,
            until: NOW + 9,
        };
        let provisional_ticket = [(0, None), (3, Some(asked))]
            .map(|(tries, challenge)| TicketStage::Provisional { tries, challenge });
        let inside_or_unnumbered = admitted.into_iter().chain(provisional_ticket);
        for stage in inside_or_unnumbered.chain([waiting().stage]) {
            let until = NOW + 60;
            let graces = [None, Some(3)].map(|epoch| Some(Grace { until, epoch }));
            for grace in graces.into_iter().chain([None]) {
                let ticket = Ticket {
                    stage,
                    grace,
                    ..waiting()
                };
                let token = keys()
                    .sign(&ticket, &room("main"), at(NOW), 86_400)
                    .unwrap();
                assert_eq!(keys().verify(&token, &room("main"), at(NOW)), Some(ticket));
                assert!(token.len() < 400, "{} bytes in every request", token.len());
            }
        }
    }

    #[test]
    fn a_ticket_remembers_a_chosen_language_and_needs_none() {
        for language in [None, Some("zh-Hant".to_owned())] {
            let ticket = Ticket {
                language,
                ..waiting()
            };
            let token = keys()
                .sign(&ticket, &room("main"), at(NOW), 86_400)
                .unwrap();
            let payload = token.split('.').nth(1).unwrap();
            let payload = String::from_utf8(URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap();
            assert_eq!(payload.contains("lang"), ticket.language.is_some());
            assert_eq!(keys().verify(&token, &room("main"), at(NOW)), Some(ticket));
        }
    }

    #[test]
    fn a_ticket_ends_with_its_last_second() {
        let token = keys()
            .sign(&waiting(), &room("main"), at(NOW), 86_400)
            .unwrap();
        assert!(
            keys()
                .verify(&token, &room("main"), at(NOW + 86_399))
                .is_some()
        );
        assert!(
            keys()
                .verify(&token, &room("main"), at(NOW + 86_400))
                .is_none()
        );
    }

    #[test]
    fn an_expired_ticket_is_recognised_for_a_month_and_a_forged_one_never() {
        let token = keys()
            .sign(&waiting(), &room("main"), at(NOW), 86_400)
            .unwrap();
        let later = NOW + 86_400 + LAPSED_DAYS * 86_400 - 1;
        let lapsed = keys().verify_lapsed(&token, &room("main"), at(later));
        assert_eq!(lapsed, Some(waiting()));
        assert!(waiting().has_lapsed(at(later)) && !waiting().has_lapsed(at(NOW + 86_399)));
        assert_eq!(
            keys().verify_lapsed(&token, &room("main"), at(later + 2)),
            None
        );
        assert_eq!(
            Keys::new(OTHER, None).verify_lapsed(&token, &room("main"), at(NOW)),
            None
        );
    }

    #[test]
    fn a_waiting_ticket_is_renewed_when_less_than_half_of_its_life_is_left() {
        for (age, due) in [(0, false), (43_200, false), (43_201, true)] {
            assert_eq!(waiting().is_to_be_renewed(at(NOW + age)), due, "{age}");
        }
        for (life, age, due) in [
            (140, 70, false),
            (100, 30, false),
            (100, 31, true),
            (60, 1, true),
        ] {
            let short = Ticket { life, ..waiting() };
            assert_eq!(short.is_to_be_renewed(at(NOW + age)), due, "{life}: {age}");
        }
        let admitted = Ticket {
            stage: TicketStage::Admitted {
                position: Some(Position(5)),
                born: 5,
                at: NOW,
                session: None,
            },
            ..waiting()
        };
        assert!(
            !admitted.is_to_be_renewed(at(NOW + 86_399)),
            "a stay is not prolonged"
        );
    }

    #[test]
    fn clocks_of_two_data_centres_may_differ_by_two_minutes_and_no_more() {
        let token = keys()
            .sign(&waiting(), &room("main"), at(NOW), 86_400)
            .unwrap();
        assert!(
            keys()
                .verify(&token, &room("main"), at(NOW - 120))
                .is_some()
        );
        assert!(
            keys()
                .verify(&token, &room("main"), at(NOW - 121))
                .is_none()
        );
    }

    #[test]
    fn one_flipped_bit_anywhere_is_no_ticket() {
        let token = keys()
            .sign(&waiting(), &room("main"), at(NOW), 86_400)
            .unwrap();
        for index in 0..token.len() {
            for bit in 0..7 {
                let mut bytes = token.clone().into_bytes();
                bytes[index] ^= 1 << bit;
                let altered = String::from_utf8(bytes).unwrap();
                assert_eq!(
                    keys().verify(&altered, &room("main"), at(NOW)),
                    None,
                    "byte {index} bit {bit}"
                );
            }
        }
    }

    #[test]
    fn another_room_another_secret_and_another_kind_are_no_tickets() {
        let token = keys()
            .sign(&waiting(), &room("main"), at(NOW), 86_400)
            .unwrap();
        assert_eq!(keys().verify(&token, &room("side"), at(NOW)), None);
        assert_eq!(
            Keys::new(OTHER, None).verify(&token, &room("main"), at(NOW)),
            None
        );
        let pass = pass(&keys());
        assert_eq!(
            keys().verify(&pass, &room("main"), at(NOW)),
            None,
            "a pass is never a ticket"
        );
    }

    fn pass(keys: &Keys) -> String {
        keys.pass(&waiting(), &room("main"), "Shop.example", at(NOW))
            .unwrap()
    }

    /// What an origin makes of a token, if it holds this key and insists on nothing but the signature.
    fn is_signed_by(key: &HS256Key, token: &str) -> bool {
        let options = VerificationOptions {
            artificial_time: Some(UnixTimeStamp::from_secs(NOW)),
            ..VerificationOptions::default()
        };
        key.verify_token::<NoCustomClaims>(token, Some(options))
            .is_ok()
    }

    #[test]
    fn what_checks_passes_neither_checks_nor_signs_tickets() {
        let ticket = keys()
            .sign(&waiting(), &room("main"), at(NOW), 86_400)
            .unwrap();
        let ticket_key = key(SECRET);
        let pass_key = pass_key(&ticket_key);
        assert!(is_signed_by(&pass_key, &pass(&keys())));
        assert!(!is_signed_by(&ticket_key, &pass(&keys())));
        assert!(is_signed_by(&ticket_key, &ticket));
        assert!(
            !is_signed_by(&pass_key, &ticket),
            "a ticket is never a pass"
        );
        let minted = pass_key
            .authenticate(super::claims(
                "a",
                Claims::of(&waiting(), &room("main")),
                at(NOW),
                60,
            ))
            .unwrap();
        assert_eq!(keys().verify(&minted, &room("main"), at(NOW)), None);
    }

    #[test]
    fn a_pass_names_its_key_as_the_entry_is_named_and_the_host_it_is_for() {
        let rotated = Keys::new(OTHER, Some(SECRET));
        for (keys, secret) in [(keys(), SECRET), (rotated, OTHER)] {
            let pass = pass(&keys);
            let header = Token::decode_metadata(&pass).unwrap();
            assert_eq!(header.key_id(), key(secret).key_id().as_deref());
            assert_eq!(header.signature_type(), Some(super::pass::PASS_TYPE));
            let payload = pass.split('.').nth(1).unwrap();
            let payload = URL_SAFE_NO_PAD.decode(payload).unwrap();
            let payload = String::from_utf8(payload).unwrap();
            assert!(payload.contains(r#""aud":"shop.example""#), "{payload}");
        }
    }

    #[test]
    fn another_algorithm_or_none_is_no_ticket() {
        let token = keys()
            .sign(&waiting(), &room("main"), at(NOW), 86_400)
            .unwrap();
        let claims = token.split('.').nth(1).unwrap();
        let kid = keys().current.key_id().clone().unwrap();
        for algorithm in ["none", "None", "HS384", "RS256", "ES256"] {
            let header = format!(r#"{{"alg":"{algorithm}","typ":"JWT","kid":"{kid}"}}"#);
            let header = URL_SAFE_NO_PAD.encode(header);
            for signature in ["", token.split('.').nth(2).unwrap()] {
                let forged = format!("{header}.{claims}.{signature}");
                assert_eq!(
                    keys().verify(&forged, &room("main"), at(NOW)),
                    None,
                    "{algorithm}"
                );
            }
        }
        let hs512 = HS512Key::from_bytes(SECRET.as_bytes()).with_key_id(&kid);
        let other = hs512
            .authenticate(super::claims(
                "a",
                Claims::of(&waiting(), &room("main")),
                at(NOW),
                60,
            ))
            .unwrap();
        assert_eq!(keys().verify(&other, &room("main"), at(NOW)), None);
    }

    #[test]
    fn a_ticket_without_expiry_or_without_key_id_is_no_ticket() {
        let key = keys().current;
        let mut endless = super::claims("a", Claims::of(&waiting(), &room("main")), at(NOW), 60);
        endless.expires_at = None;
        let endless = key.authenticate(endless).unwrap();
        assert_eq!(keys().verify(&endless, &room("main"), at(NOW)), None);
        let unnamed = HS256Key::from_bytes(SECRET.as_bytes())
            .authenticate(super::claims(
                "a",
                Claims::of(&waiting(), &room("main")),
                at(NOW),
                60,
            ))
            .unwrap();
        assert_eq!(keys().verify(&unnamed, &room("main"), at(NOW)), None);
    }

    #[test]
    fn a_ticket_of_another_format_is_none() {
        let key = keys().current;
        let mut claims = Claims::of(&waiting(), &room("main"));
        claims.format = FORMAT + 1;
        let other = super::claims("a", claims, at(NOW), 60);
        let other = key.authenticate(other).unwrap();
        assert_eq!(keys().verify(&other, &room("main"), at(NOW)), None);
    }

    #[test]
    fn a_megabyte_is_no_ticket() {
        assert_eq!(
            keys().verify(&"a".repeat(1_000_000), &room("main"), at(NOW)),
            None
        );
        assert_eq!(
            keys().verify(&"a.b.c".repeat(200_000), &room("main"), at(NOW)),
            None
        );
    }

    #[test]
    fn a_rotated_secret_keeps_the_places_and_a_dropped_one_ends_them() {
        let old = keys()
            .sign(&waiting(), &room("main"), at(NOW), 86_400)
            .unwrap();
        let rotated = Keys::new(OTHER, Some(SECRET));
        assert_eq!(
            rotated.verify(&old, &room("main"), at(NOW)),
            Some(waiting())
        );
        assert_eq!(
            Keys::new(OTHER, None).verify(&old, &room("main"), at(NOW)),
            None
        );
        let new = rotated
            .sign(&waiting(), &room("main"), at(NOW), 86_400)
            .unwrap();
        assert_eq!(
            keys().verify(&new, &room("main"), at(NOW)),
            None,
            "new tickets use the new secret"
        );
    }

    /// The states of the one entry `jwt_secret`; each data centre sees the last or the next one, and which of the two
    /// changes with every request.
    #[test]
    fn a_rotation_in_three_writes_loses_no_ticket_between_data_centres() {
        let states = [
            Keys::new(SECRET, None),
            Keys::new(SECRET, [OTHER]),
            Keys::new(OTHER, [SECRET]),
        ];
        let dropped = Keys::new(OTHER, None);
        let is_known = |by: &Keys, at_pop: &Keys| {
            let token = by.sign(&waiting(), &room("main"), at(NOW), 86_400).unwrap();
            at_pop.verify(&token, &room("main"), at(NOW)).is_some()
        };
        for pair in states.windows(2) {
            assert!(is_known(&pair[0], &pair[1]) && is_known(&pair[1], &pair[0]));
        }
        for state in &states[1..] {
            assert!(is_known(&states[0], state), "tickets of before");
        }
        assert!(is_known(&states[2], &dropped) && is_known(&dropped, &states[2]));
        let at_once = Keys::new(OTHER, [SECRET]);
        assert!(
            !is_known(&at_once, &states[0]),
            "a POP that signs with it before all know it loses places"
        );
    }
}
