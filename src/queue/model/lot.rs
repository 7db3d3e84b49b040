//! How the model decides an order by lot.

use super::journal::{NOBODY, OPERATOR, word};
use super::{Call, Model, Outcome};
use crate::queue::{Begun, Event, Lot, Order, Phase, Position, Reveal, WaitingProof};
use std::cmp::Ordering;

impl Model {
    /// An operator gives the public value, which decides the order together with the secret.
    pub fn set_lot(&mut self, value: &str, reveal: Option<&Reveal>, call: Call<'_>) -> Outcome {
        let mut refused = self.clone();
        refused.begin(call);
        let begun = refused.sign.begun.as_ref();
        let is_named = begun.is_some_and(|begun| begun.order.source().is_some());
        if !is_named || !refused.can_decide(reveal, call.now_ms) {
            return Outcome::NotAdmitting(refused.sign);
        }
        let (sign, drawn) = self.verb(call, |line, before| {
            line.decide((OPERATOR, reveal), value, call.now_ms);
            line.open_period(call.now_ms, before);
            line.release(call.now_ms);
            let begun = line.sign.begun.as_ref();
            begun.and_then(|begun| begun.drawn).unwrap_or_default()
        });
        Outcome::Done(sign, drawn, 0)
    }

    /// Whether the order of the event that has begun is this one.
    pub(super) fn is_decided_by(&self, order: &Order) -> bool {
        let begun = self.sign.begun.as_ref();
        begun.is_some_and(|begun| begun.order == *order)
    }

    /// How many drew before the start has to be known for good: while the data are young, a copy may know better. The secret is the
    /// one that was committed to.
    fn can_decide(&self, reveal: Option<&Reveal>, now_ms: u64) -> bool {
        let event = Event::of(self.events(), now_ms);
        let is_drawing = event.is_some_and(|event| self.phase(event, now_ms) == Phase::Drawing);
        let begun = self.sign.begun.as_ref().filter(|_| is_drawing);
        let is_right = begun.zip(reveal).is_some_and(|(begun, reveal)| {
            begun.drawn.is_some() && begun.commitment.as_ref() == Some(&reveal.commitment)
        });
        is_right && !self.is_young(now_ms)
    }

    /// What was missed meanwhile is not made up for.
    pub(super) fn decide(
        &mut self,
        (who, reveal): (&str, Option<&Reveal>),
        value: &str,
        now_ms: u64,
    ) {
        if !self.can_decide(reveal, now_ms) {
            return;
        }
        let lot = reveal.map(|reveal| Lot {
            secret: reveal.secret.clone(),
            value: value.to_owned(),
        });
        if let Some(begun) = &mut self.sign.begun {
            begun.lot = lot;
            let what = word(&format!("{}:{value}", begun.id));
            self.note(("lot", NOBODY), who, &what, now_ms);
            self.anchor_ms = self.anchor_ms.max(now_ms);
        }
    }

    /// Data come back that know of numbers which nobody counted.
    pub(super) fn count_anew(&mut self) {
        let begun = self.sign.begun.as_mut();
        if let Some(begun) = begun.filter(|begun| begun.is_undecided()) {
            begun.drawn = None;
        }
    }

    /// A ticket with a number by lot says what decided it, for a line that lost that.
    pub(super) fn take_event(&mut self, known: Option<&Begun>, place: WaitingProof) {
        let birth = &self.sign.birth;
        if place.born == birth.born || birth.splice_of(place.born).is_some() {
            self.sign.begun = Begun::joined(self.sign.begun.take(), known, Ordering::Equal);
            self.keep_waiting(known);
        }
    }

    /// A copy may be of the time before visitors were called.
    pub(super) fn keep_waiting(&mut self, known: Option<&Begun>) {
        let begun = self.sign.begun.as_mut().filter(|_| known.is_some());
        if let Some(begun) = begun {
            begun.call(self.sign.cursor.0);
        }
    }

    /// Whether a lot gave another number to the visitor who drew this one, who has to be told before going in.
    pub(super) fn is_redrawn(&self, number: Position) -> bool {
        self.sign.by_lot(number).is_some()
    }
}
