//! The challenge to a visitor above the bound of a network: a calculation that a browser does in about a second, or a test by the
//! operator's own verifier.
//!
//! Invariant: an answer is worth something for one ticket only, for as long as the store remembers its draw, and no store is asked.

use super::keys::{Purpose, shortened};
use super::{CLOCK_SKEW, DRAW_REMEMBERED, Keys, Standing, Ticket};
use crate::queue::{Lane, Now};
use ct_codecs::{Encoder, Hex};
use hmac_sha256::HMAC;

/// With how many zero bits the digest of an answer begins.
pub const ZERO_BITS: u32 = 17;

/// For how many seconds a visitor waits who does not answer; at most half of the life of a ticket.
const LONGEST_WAIT: u64 = 600;

/// The longest result of a calculation that is looked at.
const LONGEST_ANSWER: usize = 20;

/// What a challenged visitor does for the answer. An answer of one kind is worth nothing where the other is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The visitor's browser looks for a number.
    Calculation,
    /// The visitor passes the test of the operator's verifier, which signs the text.
    Verifier,
}

impl Proof {
    fn other(self) -> Self {
        match self {
            Self::Calculation => Self::Verifier,
            Self::Verifier => Self::Calculation,
        }
    }
}

/// What an answer is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The visitor gets this ticket, which may draw.
    Solved(Box<Ticket>),
    /// It is for another ticket, its time is over, or the room asked for the other proof when the challenge was set: the visitor
    /// needs another challenge.
    Stale,
    /// It does not fit the text.
    Wrong,
}

impl Keys {
    /// What the answer to a challenge of this ticket begins with: the second in which it was set, and a seal.
    #[must_use]
    pub fn challenge(&self, id: &str, now: Now) -> String {
        let key = self.of(Purpose::Challenge).next();
        key.map_or_else(String::new, |key| challenge(id, now.secs(), &key))
    }

    /// What an answer to that text is worth for the holder of this ticket.
    #[must_use]
    pub fn answer(
        &self,
        held: &Ticket,
        proof: Proof,
        (text, answer): (&str, &str),
        now: Now,
    ) -> Answer {
        let set = text.split_once('.').and_then(|(set, _)| set.parse().ok());
        let is_in_time = |set: &u64| {
            let ends = set.saturating_add(DRAW_REMEMBERED);
            *set <= now.secs().saturating_add(CLOCK_SKEW) && now.secs() < ends
        };
        let is_ours = |set: &u64| {
            let mut keys = self.of(Purpose::Challenge);
            keys.any(|key| {
                let expected = challenge(&held.id, *set, &key);
                ct_codecs::verify(text.as_bytes(), expected.as_bytes())
            })
        };
        match set.filter(is_in_time).filter(is_ours) {
            None => Answer::Stale,
            Some(set) if self.fits(proof, text, answer) => {
                Answer::Solved(Box::new(held.solved(set)))
            }
            Some(_) if self.fits(proof.other(), text, answer) => Answer::Stale,
            Some(_) => Answer::Wrong,
        }
    }

    fn fits(&self, proof: Proof, text: &str, answer: &str) -> bool {
        match proof {
            Proof::Calculation => is_solved(text, answer),
            Proof::Verifier => self.of(Purpose::Verifier).any(|key| {
                let expected = Hex::encode_to_string(HMAC::mac(text, key));
                expected
                    .is_ok_and(|expected| ct_codecs::verify(answer.as_bytes(), expected.as_bytes()))
            }),
        }
    }
}

fn challenge(id: &str, set: u64, key: &[u8]) -> String {
    format!("{set}.{}", shortened(&format!("{id} {set}"), key))
}

/// Whether SHA-256 of `text:answer` begins with enough zero bits.
fn is_solved(text: &str, answer: &str) -> bool {
    let digest = hmac_sha256::Hash::hash(format!("{text}:{answer}").as_bytes());
    let first = digest.first_chunk().copied().unwrap_or_default();
    answer.len() <= LONGEST_ANSWER && u32::from_be_bytes(first).leading_zeros() >= ZERO_BITS
}

impl Ticket {
    /// After this challenge was answered. All answers to one challenge lead to one id, so they draw one number. That id has no
    /// number to draw once more in the front lane.
    fn solved(&self, set: u64) -> Self {
        Self {
            id: self.derived(&format!("queue-solved {} {set}", self.id)),
            standing: Standing::Provisional {
                tries: 0,
                draws_from: Some(set),
            },
            lane: Lane::Main,
            ..self.clone()
        }
    }

    /// Whether it may draw though its holder's network has drawn as many numbers as it may. The store remembers what it draws
    /// until this has ended, so that no copy draws another number.
    #[must_use]
    pub fn may_draw_above_bound(&self, now: Now) -> bool {
        let ends = |from: u64| from.saturating_add(DRAW_REMEMBERED);
        let draws_from = self.draws_from();
        draws_from.is_some_and(|from| (from..ends(from)).contains(&now.secs()))
    }

    /// For how many seconds its holder waits from now on, or answers in their place.
    #[must_use]
    pub fn challenged_for(&self, now: Now) -> Option<u64> {
        let left = self.draws_from()?.checked_sub(now.secs())?;
        Some(left).filter(|left| *left > 0)
    }

    fn draws_from(&self) -> Option<u64> {
        match self.standing {
            Standing::Provisional { draws_from, .. } => draws_from,
            Standing::Waiting(_) | Standing::Admitted { .. } => None,
        }
    }
}

/// What a ticket says whose holder is challenged now. Without an answer it draws after a wait.
#[must_use]
pub fn challenged(now: Now, life: u64) -> Standing {
    let wait = LONGEST_WAIT.min(life / 2);
    Standing::Provisional {
        tries: 0,
        draws_from: Some(now.secs().saturating_add(wait)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_800_000_000;

    fn at(secs: u64) -> Now {
        Now::from_secs(secs)
    }

    fn keys() -> Keys {
        Keys::new("a-secret-of-this-test-32-bytes-long", None)
    }

    fn held(id: &str) -> Ticket {
        Ticket {
            life: 86_400,
            ..Ticket::provisional(id, at(NOW))
        }
    }

    /// The first number that solves it.
    fn calculated(text: &str) -> String {
        let mut numbers = (0_u64..).map(|number| number.to_string());
        numbers
            .find(|number| is_solved(text, number))
            .unwrap_or_default()
    }

    #[test]
    fn an_answer_lets_the_ticket_draw_for_as_long_as_its_draw_is_remembered() {
        let (keys, held) = (keys(), held("a"));
        let text = keys.challenge("a", at(NOW));
        let answer = calculated(&text);
        let worth = |now| keys.answer(&held, Proof::Calculation, (&text, &answer), at(now));
        let Answer::Solved(ticket) = worth(NOW + 2) else {
            unreachable!("it is solved");
        };
        let may_draw = [NOW, NOW + 299, NOW + 300].map(|now| ticket.may_draw_above_bound(at(now)));
        assert_eq!(may_draw, [true, true, false]);
        assert_eq!(ticket.drawing_id(at(NOW + 299)), ticket.id);
        assert_ne!(ticket.id, held.id);
        assert_eq!(worth(NOW + 299), Answer::Solved(ticket), "the same ticket");
        assert_eq!(worth(NOW + 300), Answer::Stale);
    }

    #[test]
    fn an_answer_is_for_one_ticket_one_text_and_one_key() {
        let keys = keys();
        let text = keys.challenge("a", at(NOW));
        let answer = calculated(&text);
        let worth = |ticket: &Ticket, text: &str, answer: &str| {
            keys.answer(ticket, Proof::Calculation, (text, answer), at(NOW + 1))
        };
        assert_eq!(worth(&held("b"), &text, &answer), Answer::Stale);
        assert_eq!(worth(&held("a"), &text, "0x"), Answer::Wrong);
        assert_eq!(worth(&held("a"), &text, &"0".repeat(999)), Answer::Wrong);
        let later = text.replace(&NOW.to_string(), &(NOW + 1).to_string());
        for forged in ["", ".", "1", &later, &text[1..], &text[..text.len() - 1]] {
            let answer = calculated(forged);
            assert_eq!(
                worth(&held("a"), forged, &answer),
                Answer::Stale,
                "{forged}"
            );
        }
        let other = Keys::new("another-secret-of-this-test-32-bytes", None);
        let worth = other.answer(
            &held("a"),
            Proof::Calculation,
            (&text, &answer),
            at(NOW + 1),
        );
        assert_eq!(worth, Answer::Stale);
        let solved = keys.answer(
            &held("a"),
            Proof::Calculation,
            (&text, &answer),
            at(NOW + 1),
        );
        let Answer::Solved(ticket) = solved else {
            unreachable!("it is solved");
        };
        assert_eq!(worth_again(&keys, &ticket, &text, &answer), Answer::Stale);
    }

    /// An answer that was used, sent again with the ticket that it led to.
    fn worth_again(keys: &Keys, ticket: &Ticket, text: &str, answer: &str) -> Answer {
        keys.answer(ticket, Proof::Calculation, (text, answer), at(NOW + 2))
    }

    /// Also computed by `openssl dgst -sha256 -mac HMAC`, as a verifier may do it.
    #[test]
    fn the_verifier_signs_the_text_with_a_key_of_its_own_and_nothing_else_is_its_answer() {
        let keys = keys();
        let (text, held) = (keys.challenge("a", at(NOW)), held("a"));
        assert_eq!(text, "1800000000.uxIAucGusctu");
        let signed = "11560a4aecf479bc4e7923ab374109b1a3bdf2482330a50f558683418670900b";
        let worth =
            |keys: &Keys, proof, answer| keys.answer(&held, proof, (&text, answer), at(NOW));
        let Answer::Solved(ticket) = worth(&keys, Proof::Verifier, signed) else {
            unreachable!("it is its answer");
        };
        let number = calculated(&text);
        let by_number = worth(&keys, Proof::Calculation, &number);
        assert_eq!(by_number, Answer::Solved(ticket), "one ticket for both");
        assert_eq!(worth(&keys, Proof::Verifier, &number), Answer::Stale);
        assert_eq!(worth(&keys, Proof::Calculation, signed), Answer::Stale);
        let in_capitals = signed.to_uppercase();
        for wrong in ["", "0", &signed[1..], &in_capitals] {
            assert_eq!(
                worth(&keys, Proof::Verifier, wrong),
                Answer::Wrong,
                "{wrong}"
            );
        }
        let (old, new) = ("a-secret-of-this-test-32-bytes-long", "b".repeat(32));
        for rotated in [Keys::new(old, [&*new]), Keys::new(&new, [old])] {
            let worth = worth(&rotated, Proof::Verifier, signed);
            assert!(matches!(worth, Answer::Solved(_)), "{worth:?}");
        }
        let without_old = Keys::new(&new, None);
        assert_eq!(worth(&without_old, Proof::Verifier, signed), Answer::Stale);
    }

    #[test]
    fn without_the_calculation_a_ticket_draws_after_a_wait_and_within_its_life() {
        let waiting = |life| Ticket {
            standing: challenged(at(NOW), life),
            ..held("a")
        };
        let ticket = waiting(86_400);
        let left = [NOW, NOW + 599, NOW + 600].map(|now| ticket.challenged_for(at(now)));
        assert_eq!(left, [Some(600), Some(1), None]);
        let may_draw = [NOW + 599, NOW + 600, NOW + 899, NOW + 900]
            .map(|now| ticket.may_draw_above_bound(at(now)));
        assert_eq!(may_draw, [false, true, true, false]);
        assert_eq!(ticket.drawing_id(at(NOW + 899)), ticket.id, "one number");
        assert_eq!(waiting(60).challenged_for(at(NOW)), Some(30));
    }
}
