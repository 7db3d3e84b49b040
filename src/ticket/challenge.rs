//! The challenge to a visitor without a number: a calculation, a test by the operator's own verifier, or a wait. A visitor above the
//! bound of a network has one, and a visitor of whom the platform says something.
//!
//! Invariant: an answer is worth one number for one ticket, and no store is asked for it.

use super::keys::{Purpose, shortened};
use super::{CLOCK_SKEW, DRAW_REMEMBERED, Keys, Ticket, TicketStage};
use crate::queue::{ChallengeWait, Effort, Lane, Now, Price};
use ct_codecs::{Encoder, Hex};
use hmac_sha256::HMAC;

/// How many digests the answer to the first challenge of a network takes on average: about a second in a browser.
pub const TRIES: u64 = 1 << 20;

/// For how many seconds a challenge is good, and then what was calculated for it. The store remembers a draw that a calculation
/// bought for longer: `TTL.paid` in the script.
const ANSWERED_WITHIN: u64 = 3600;

/// For how many seconds a visitor waits who does not answer, where the store does not say how long; at most half of the life of a
/// ticket.
const USUAL_WAIT: u64 = 600;

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

/// What is asked of a ticket without a number, and what was done for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Challenged {
    /// Its holder has waited long enough at this Unix second.
    pub from: u64,
    /// For which place above the bound of the network its holder is asked; 1 where the network does not matter.
    pub place: u64,
    /// For which place the calculations so far are enough.
    pub paid: u64,
    /// Until this Unix second they count.
    pub until: u64,
}

impl Challenged {
    /// Challenged now, for this price.
    #[must_use]
    pub fn new(price: Price, now: Now, life: u64) -> Self {
        Self {
            from: waited(price.wait, now, life),
            place: price.place,
            paid: 0,
            until: 0,
        }
    }

    /// Challenged once more, since the network's numbers have become dearer. What was calculated counts, unless it has bought a
    /// number already.
    #[must_use]
    pub fn again(self, price: Price, now: Now, life: u64) -> Self {
        let counts = self.paid < price.place && now.secs() < self.until;
        let waits_already = self.from > now.secs();
        Self {
            from: if waits_already {
                self.from
            } else {
                waited(price.wait, now, life)
            },
            place: price.place,
            paid: if counts { self.paid } else { 0 },
            until: self.until,
        }
    }

    /// How many digests an answer takes on average.
    #[must_use]
    pub fn tries(&self) -> u64 {
        self.place
            .saturating_sub(self.paid)
            .max(1)
            .saturating_mul(TRIES)
    }

    fn is_answered(&self, now: Now) -> bool {
        self.paid >= self.place && now.secs() < self.until
    }

    fn wait(&self, now: Now) -> ChallengeWait {
        let ends = self.from.saturating_add(DRAW_REMEMBERED);
        match now.secs() {
            now if now < self.from => ChallengeWait::Begun,
            now if now < ends => ChallengeWait::Over,
            _ => ChallengeWait::None,
        }
    }
}

fn waited(wait: Option<u64>, now: Now, life: u64) -> u64 {
    let wait = wait.unwrap_or(USUAL_WAIT).min(life / 2);
    now.secs().saturating_add(wait)
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
    /// What the answer to the challenge of this ticket begins with: the second in which it was set, and a seal.
    #[must_use]
    pub fn challenge(&self, held: &Ticket, now: Now) -> String {
        let key = self.of(Purpose::Challenge).next();
        key.map_or_else(String::new, |key| challenge(held, now.secs(), &key))
    }

    /// What an answer to that text is worth for the holder of this ticket.
    #[must_use]
    pub fn answer(
        &self,
        held: &Ticket,
        proof: Proof,
        text: &str,
        answer: &str,
        now: Now,
    ) -> Answer {
        let set = text.split_once('.').and_then(|(set, _)| set.parse().ok());
        let is_in_time = |set: &u64| {
            let ends = set.saturating_add(ANSWERED_WITHIN);
            *set <= now.secs().saturating_add(CLOCK_SKEW) && now.secs() < ends
        };
        let is_ours = |set: &u64| {
            let mut keys = self.of(Purpose::Challenge);
            keys.any(|key| {
                let expected = challenge(held, *set, &key);
                ct_codecs::verify(text.as_bytes(), expected.as_bytes())
            })
        };
        let asked = held.challenge();
        match set.filter(is_in_time).filter(is_ours).zip(asked) {
            None => Answer::Stale,
            Some((set, asked)) if self.fits(proof, text, answer, &asked) => {
                Answer::Solved(Box::new(held.solved(set, asked, proof)))
            }
            Some((_, asked)) if self.fits(proof.other(), text, answer, &asked) => Answer::Stale,
            Some(_) => Answer::Wrong,
        }
    }

    fn fits(&self, proof: Proof, text: &str, answer: &str, asked: &Challenged) -> bool {
        match proof {
            Proof::Calculation => is_solved(text, answer, asked.tries()),
            Proof::Verifier => self.of(Purpose::Verifier).any(|key| {
                let expected = Hex::encode_to_string(HMAC::mac(text, key));
                expected
                    .is_ok_and(|expected| ct_codecs::verify(answer.as_bytes(), expected.as_bytes()))
            }),
        }
    }
}

/// It is for one ticket, for what is asked of it and for what was done so far, so that one answer never counts twice.
fn challenge(held: &Ticket, set: u64, key: &[u8]) -> String {
    let (place, paid) = held
        .challenge()
        .map_or((1, 0), |asked| (asked.place, asked.paid));
    let id = &held.id;
    format!(
        "{set}.{}",
        shortened(&format!("{id} {place} {paid} {set}"), key)
    )
}

/// Whether the first 64 bits of SHA-256 of `text:answer`, as a number, are below 2^64 divided by the tries.
fn is_solved(text: &str, answer: &str, tries: u64) -> bool {
    let digest = hmac_sha256::Hash::hash(format!("{text}:{answer}").as_bytes());
    let first = digest
        .first_chunk()
        .copied()
        .map_or(u64::MAX, u64::from_be_bytes);
    answer.len() <= LONGEST_ANSWER && u128::from(first) * u128::from(tries) < 1 << 64
}

impl Ticket {
    /// After this challenge was answered. All answers of one ticket lead to one id, so they draw one number. That id has no
    /// number to draw once more in the lane of its group.
    fn solved(&self, set: u64, asked: Challenged, proof: Proof) -> Self {
        let is_first = asked.paid == 0;
        let until = set.saturating_add(ANSWERED_WITHIN);
        let challenge = Challenged {
            paid: match proof {
                Proof::Calculation => asked.place,
                Proof::Verifier => Effort::VERIFIED,
            },
            until: if is_first { until } else { asked.until },
            ..asked
        };
        Self {
            id: if is_first {
                self.derived(&format!("queue-solved {}", self.id))
            } else {
                self.id.clone()
            },
            stage: TicketStage::Provisional {
                tries: 0,
                challenge: Some(challenge),
            },
            lane: Lane::Main,
            ..self.clone()
        }
    }

    /// Whether it may draw though it was challenged.
    #[must_use]
    pub fn has_answered_or_waited(&self, now: Now) -> bool {
        let challenge = self.challenge();
        challenge
            .is_some_and(|asked| asked.is_answered(now) || asked.wait(now) == ChallengeWait::Over)
    }

    /// What its holder has done for a number above the bound of a network.
    #[must_use]
    pub fn effort(&self, now: Now) -> Effort {
        let effort = |asked: Challenged| Effort {
            paid: if now.secs() < asked.until {
                asked.paid
            } else {
                0
            },
            wait: asked.wait(now),
        };
        self.challenge().map(effort).unwrap_or_default()
    }

    /// For how many seconds its holder waits from now on, or answers in their place.
    #[must_use]
    pub fn challenged_for(&self, now: Now) -> Option<u64> {
        let asked = self.challenge().filter(|asked| !asked.is_answered(now))?;
        let left = asked.from.checked_sub(now.secs())?;
        Some(left).filter(|left| *left > 0)
    }

    /// What was asked of it.
    #[must_use]
    pub fn challenge(&self) -> Option<Challenged> {
        match self.stage {
            TicketStage::Provisional { challenge, .. } => challenge,
            TicketStage::Waiting(_) | TicketStage::Admitted { .. } => None,
        }
    }

    /// What it says once its holder is challenged for this price.
    #[must_use]
    pub fn challenged(&self, price: Price, now: Now, life: u64) -> TicketStage {
        let challenge = match self.challenge() {
            Some(asked) => asked.again(price, now, life),
            None => Challenged::new(price, now, life),
        };
        TicketStage::Provisional {
            tries: 0,
            challenge: Some(challenge),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_800_000_000;
    const LIFE: u64 = 86_400;

    fn at(secs: u64) -> Now {
        Now::from_secs(secs)
    }

    fn keys() -> Keys {
        Keys::new("a-secret-of-this-test-32-bytes-long", None)
    }

    fn price(place: u64) -> Price {
        let wait = Some(600);
        Price { place, wait }
    }

    fn held(id: &str) -> Ticket {
        let new = Ticket::provisional(id, at(NOW));
        Ticket {
            life: LIFE,
            stage: new.challenged(price(1), at(NOW), LIFE),
            ..new
        }
    }

    /// The first number that solves it.
    fn calculated(text: &str, tries: u64) -> String {
        let mut numbers = (0_u64..).map(|number| number.to_string());
        numbers
            .find(|number| is_solved(text, number, tries))
            .unwrap_or_default()
    }

    fn answered(keys: &Keys, held: &Ticket, now: u64) -> Ticket {
        let text = keys.challenge(held, at(now));
        let tries = held.challenge().map_or(1, |asked| asked.tries());
        let answer = calculated(&text, tries);
        match keys.answer(held, Proof::Calculation, &text, &answer, at(now)) {
            Answer::Solved(ticket) => *ticket,
            other => unreachable!("{other:?}"),
        }
    }

    #[test]
    fn an_answer_lets_the_ticket_draw_for_as_long_as_the_challenge_is_good() {
        let (keys, held) = (keys(), held("a"));
        let text = keys.challenge(&held, at(NOW));
        let answer = calculated(&text, TRIES);
        let worth = |now| keys.answer(&held, Proof::Calculation, &text, &answer, at(now));
        let Answer::Solved(ticket) = worth(NOW + 2) else {
            unreachable!("it is solved");
        };
        let paid = [NOW, NOW + 3599, NOW + 3600].map(|now| ticket.effort(at(now)).paid);
        assert_eq!(paid, [1, 1, 0]);
        assert_eq!(ticket.challenged_for(at(NOW + 3)), None);
        assert_eq!(ticket.drawing_id(at(NOW + 3599)), ticket.id);
        assert_ne!(ticket.id, held.id);
        assert_eq!(worth(NOW + 3599), Answer::Solved(ticket), "the same ticket");
        assert_eq!(worth(NOW + 3600), Answer::Stale);
    }

    #[test]
    fn an_answer_is_for_one_ticket_one_text_and_one_key() {
        let keys = keys();
        let text = keys.challenge(&held("a"), at(NOW));
        let answer = calculated(&text, TRIES);
        let worth = |ticket: &Ticket, text: &str, answer: &str| {
            keys.answer(ticket, Proof::Calculation, text, answer, at(NOW + 1))
        };
        assert_eq!(worth(&held("b"), &text, &answer), Answer::Stale);
        assert_eq!(worth(&held("a"), &text, "0x"), Answer::Wrong);
        assert_eq!(worth(&held("a"), &text, &"0".repeat(999)), Answer::Wrong);
        let never = Ticket::provisional("a", at(NOW));
        assert_eq!(worth(&never, &text, &answer), Answer::Stale);
        let later = text.replace(&NOW.to_string(), &(NOW + 1).to_string());
        for forged in ["", ".", "1", &later, &text[1..], &text[..text.len() - 1]] {
            assert_eq!(worth(&held("a"), forged, "0"), Answer::Stale, "{forged}");
        }
        let other = Keys::new("another-secret-of-this-test-32-bytes", None);
        let by_other = other.answer(&held("a"), Proof::Calculation, &text, &answer, at(NOW + 1));
        assert_eq!(by_other, Answer::Stale);
        let ticket = answered(&keys, &held("a"), NOW);
        assert_eq!(worth(&ticket, &text, &answer), Answer::Stale, "once more");
    }

    /// Others of the network drew meanwhile.
    #[test]
    fn what_was_calculated_counts_when_the_number_has_become_dearer_and_leads_to_no_second_one() {
        let keys = keys();
        let first = answered(&keys, &held("a"), NOW);
        let dearer = Ticket {
            stage: first.challenged(price(2), at(NOW + 5), LIFE),
            ..first.clone()
        };
        let asked = dearer.challenge().map(|asked| (asked.tries(), asked.from));
        assert_eq!(
            asked,
            Some((TRIES, NOW + 600)),
            "one more, and the same wait"
        );
        assert!(dearer.challenged_for(at(NOW + 5)).is_some());
        let drawing = |now| dearer.drawing_id(at(now));
        assert_eq!(drawing(NOW + 3599), dearer.id, "as long as it counts");
        assert_ne!(drawing(NOW + 3600), dearer.id);
        let second = answered(&keys, &dearer, NOW + 6);
        assert_eq!(second.effort(at(NOW + 7)).paid, 2);
        assert_eq!(second.id, first.id);
        assert_eq!(
            second.effort(at(NOW + 3600)).paid,
            0,
            "no longer than the first"
        );
        let used = second.challenged(price(2), at(NOW + 8), LIFE);
        let spent = Ticket {
            stage: used,
            ..second
        };
        let asked = spent.challenge().map(|asked| asked.tries());
        assert_eq!(asked, Some(2 * TRIES), "it has bought a number");
    }

    /// Also computed by `openssl dgst -sha256 -mac HMAC`, as a verifier may do it.
    #[test]
    fn the_verifier_signs_the_text_with_a_key_of_its_own_and_nothing_else_is_its_answer() {
        let keys = keys();
        let held = held("a");
        let text = keys.challenge(&held, at(NOW));
        assert_eq!(text, "1800000000.yBp4H2lXZv8Z");
        let signed = "3644a2fba8e4cfb3ec4e30125f8f2ce9d6f26e4d0ba7342cb1fc0a0cbdaa069e";
        let worth = |keys: &Keys, proof, answer| keys.answer(&held, proof, &text, answer, at(NOW));
        let Answer::Solved(ticket) = worth(&keys, Proof::Verifier, signed) else {
            unreachable!("it is its answer");
        };
        assert!(ticket.effort(at(NOW)).paid > 1_000_000, "for any place");
        let number = calculated(&text, TRIES);
        let Answer::Solved(by_number) = worth(&keys, Proof::Calculation, &number) else {
            unreachable!("it is one");
        };
        assert_eq!(by_number.id, ticket.id, "one number for both");
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
        let waiting = |wait, life| Ticket {
            stage: held("a").challenged(Price { place: 1, wait }, at(NOW), life),
            ..held("a")
        };
        let ticket = held("a");
        let left = [NOW, NOW + 599, NOW + 600].map(|now| ticket.challenged_for(at(now)));
        assert_eq!(left, [Some(600), Some(1), None]);
        let may_draw = [NOW + 599, NOW + 600, NOW + 899, NOW + 900]
            .map(|now| ticket.has_answered_or_waited(at(now)));
        assert_eq!(may_draw, [false, true, true, false]);
        assert_eq!(ticket.drawing_id(at(NOW + 899)), ticket.id, "one number");
        let new = Ticket::provisional("a", at(NOW));
        let short = new.challenged(price(1), at(NOW), 60);
        let short = Ticket {
            stage: short,
            ..new
        };
        assert_eq!(short.challenged_for(at(NOW)), Some(30));
        assert_eq!(
            waiting(Some(3600), LIFE).challenged_for(at(NOW)),
            Some(600),
            "as told"
        );
    }
}
