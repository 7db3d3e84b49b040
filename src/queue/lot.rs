//! What a data centre tells the line of an order by lot: the commitment until the line has one, and the secret once it decides.
//!
//! Invariant: a call brings the secret where it decides alone, and once the event has opened. A public value brings it along.

use super::draw::commitment;
use super::{Begun, Board, Event, Order, Phase, Schedule};

/// A secret, and what was published of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reveal {
    /// The digest of the secret.
    pub commitment: String,
    /// The secret.
    pub secret: String,
}

/// What a call brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LotNews {
    /// For an event that begins, or began without one: `id opens commitment`.
    Commitment(String),
    /// For an event that has opened.
    Secret(Reveal),
}

impl Reveal {
    /// As the script receives it.
    #[must_use]
    pub fn written(&self) -> String {
        format!("{}:{}", self.commitment, self.secret)
    }
}

impl Schedule<'_> {
    /// What is committed to when an event begins that opens then, by the entry of `jwt_secret` that signs: `id opens commitment`.
    /// Nothing for an order by arrival.
    #[must_use]
    pub fn committed(&self, room: &str, id: &str, opens_ms: u64, order: &Order) -> Option<String> {
        if !order.is_drawn() {
            return None;
        }
        let secrets = self.secrets.secrets(room, id, opens_ms);
        let commitment = commitment(secrets.first()?);
        Some(format!("{id} {opens_ms} {commitment}"))
    }

    /// The secret that was committed to when this event began, if an entry of `jwt_secret` still makes it.
    #[must_use]
    pub fn reveal(&self, room: &str, begun: &Begun) -> Option<Reveal> {
        let published = begun.commitment.as_ref()?;
        let reveals = self.reveals(room, &begun.id, begun.opens_ms);
        let mut reveals = reveals.into_iter();
        reveals.find(|reveal| reveal.commitment == *published)
    }

    /// What can have been committed to when this event began: for each entry of `jwt_secret`.
    #[must_use]
    pub fn reveals(&self, room: &str, id: &str, opens_ms: u64) -> Vec<Reveal> {
        let secrets = self.secrets.secrets(room, id, opens_ms).into_iter();
        let reveal = |secret: String| Reveal {
            commitment: commitment(&secret),
            secret,
        };
        secrets.map(reveal).collect()
    }

    /// What every call brings, by the last board that is known here and the clock of the POP.
    #[must_use]
    pub fn news(&self, room: &str, known: Option<&Board>, now_ms: u64) -> Option<LotNews> {
        let events = known.map_or(self.events, |board| board.live.events(self.events));
        let event = Event::of(events, now_ms)?;
        let begun = known.and_then(|board| Some((board, board.begun.as_ref()?)));
        let begun = begun.filter(|(_, begun)| begun.id == event.id);
        if let Some((board, begun)) = begun.filter(|(_, begun)| begun.commitment.is_some()) {
            let decides = begun.order == Order::Drawn && begun.is_undecided();
            let is_due = decides && has_opened(board, now_ms);
            let reveal = is_due.then(|| self.reveal(room, begun)).flatten();
            return reveal.map(LotNews::Secret);
        }
        let as_it_is = (event.opens_ms, &event.order);
        let (opens_ms, order) = begun.map_or(as_it_is, |(_, begun)| (begun.opens_ms, &begun.order));
        let committed = self.committed(room, &event.id, opens_ms, order);
        committed.map(LotNews::Commitment)
    }
}

/// By the board, or by the clock of the POP, so that the first question after the start decides.
fn has_opened(board: &Board, now_ms: u64) -> bool {
    board.event.as_ref().is_some_and(|known| match known.phase {
        Phase::Drawing => true,
        Phase::Prequeue => now_ms >= known.event.opens_ms,
        Phase::Before | Phase::Open | Phase::Over | Phase::Outside | Phase::Maintenance => false,
    })
}
