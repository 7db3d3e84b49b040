//! Promises to one visitor: the number ahead never rises, a number lasts, and a visitor inside stays inside.

use std::collections::BTreeMap;

use now_serving::queue::{Board, Lane};

use super::History;
use crate::broken::Broken;
use crate::held::Held;

/// A copy of the board serves for two seconds, and a renewal may take half a second.
const SEEN_MS: u64 = 5_000;

/// One visitor, as far as answers promised something.
#[derive(Clone, Debug, Default)]
pub struct Visitor {
    /// Whether the ticket is a copy, was used as one, or may be ended for other reasons than the rules of the line: then its
    /// holder is promised no place.
    pub is_excused: bool,
    /// How many losses were not covered when the number was drawn.
    uncovered: u64,
    /// When the origin answered last.
    inside_ms: Option<u64>,
    shown: Option<Shown>,
}

/// How many were ahead.
#[derive(Clone, Debug)]
struct Shown {
    /// Lane, roll and number of the ticket.
    of: (Lane, u64, u64),
    since_ms: u64,
    /// The same for each POP, and which of its caches knew it.
    by_pop: BTreeMap<usize, (u64, u64)>,
}

/// An answer that reached a visitor.
pub struct Answered<'a> {
    /// The ticket that the visitor sent.
    pub brought: Option<&'a Held>,
    /// The ticket that the answer sets.
    pub given: Option<&'a Held>,
    /// How many are ahead, where the answer says so.
    pub ahead: Option<u64>,
    /// Whether the origin answered.
    pub is_inside: bool,
    /// Whether it is an answer to a visitor who waits.
    pub is_waiting: bool,
    /// The POP, and a number that changes when its cache forgets.
    pub pop: (usize, u64),
    /// What that POP read last.
    pub copy: Option<&'a Board>,
    /// For how long a visitor inside is surely inside under a cap, in milliseconds.
    pub surely_inside_ms: u64,
    /// The store's time.
    pub now_ms: u64,
}

impl History {
    /// A visitor who comes now.
    #[must_use]
    pub fn visitor(&self) -> Visitor {
        Visitor {
            uncovered: self.uncovered,
            ..Visitor::default()
        }
    }

    /// An answer reached this visitor.
    ///
    /// # Errors
    /// The promises that it breaks.
    pub fn answered(&mut self, visitor: &mut Visitor, answer: &Answered<'_>) -> Result<(), Broken> {
        self.ahead_never_rises(visitor, answer);
        if let Some(came) = answer.brought {
            self.promise_is_kept(visitor, came, answer);
        }
        self.checks.verdict()
    }

    /// How many are ahead is never more than at the draw, and never rises within a POP whose cache loses nothing. Between two
    /// POPs it may: a copy that is marked as old is the last one that this POP has read.
    fn ahead_never_rises(&mut self, visitor: &mut Visitor, answer: &Answered<'_>) {
        let held = answer.given.or(answer.brought);
        let held = held.filter(|held| held.is_waiting);
        let (Some(held), Some(ahead)) = (held, answer.ahead) else {
            return;
        };
        let Some(number) = held.number else {
            return;
        };
        let before = visitor.shown.take();
        let is_of_these_data = answer.copy.map(now_serving::queue::Board::order)
            == self.data.board.as_ref().map(|board| board.order);
        let seen_ms = self.turned_ms.saturating_add(SEEN_MS);
        if answer.now_ms < seen_ms || !is_of_these_data {
            return;
        }
        // Where the lane has this roll and no older one: one may have come back since, and the copy may be later than the answer.
        let is_oldest = answer.copy.is_some_and(|copy| {
            let oldest = copy.lane(held.lane).rolls.iter().map(|of| of.born).min();
            oldest == Some(held.born)
        });
        let at_draw = held.seen.filter(|_| is_oldest);
        self.checks.must(
            "no more are ahead than at the draw",
            ahead == 0 || at_draw.is_none_or(|seen| ahead.saturating_add(seen) < number),
            || format!("{ahead} are ahead of {held:?}"),
        );
        let of = (held.lane, held.born, number);
        let is_same = |shown: &Shown| shown.of == of && shown.since_ms > seen_ms;
        let mut shown = before.filter(is_same).unwrap_or(Shown {
            of,
            since_ms: answer.now_ms,
            by_pop: BTreeMap::new(),
        });
        let (pop, generation) = answer.pop;
        let before = shown.by_pop.insert(pop, (generation, ahead));
        let before = before.filter(|(of, _)| *of == generation);
        let name = match held.lane {
            Lane::Named(_) => "the number ahead never rises in another lane",
            Lane::Main => "the number ahead never rises",
        };
        self.checks.holds(
            name,
            before.is_none_or(|(_, before)| ahead <= before),
            || format!("{ahead} are ahead after {before:?}: {held:?}"),
        );
        visitor.shown = Some(shown);
    }

    /// A number lasts as long as its roll, and a visitor inside stays inside, also when an event begins.
    fn promise_is_kept(&mut self, visitor: &mut Visitor, came: &Held, answer: &Answered<'_>) {
        let is_promised = !visitor.is_excused && visitor.uncovered == self.uncovered;
        let notice = answer.given.and_then(|held| held.notice.as_deref());
        let is_lost = matches!(notice, Some("line_started_anew" | "ticket_expired"));
        if is_promised && self.epoch <= came.born && came.is_waiting {
            self.checks.holds(
                "a number lasts",
                !is_lost || came.notice.as_deref() == notice,
                || format!("{came:?} is {notice:?}"),
            );
        }
        let is_recent = !self.was_capped
            || visitor
                .inside_ms
                .is_some_and(|last| last.saturating_add(answer.surely_inside_ms) > answer.now_ms);
        if is_promised && self.visits_epoch <= came.born && came.is_admitted && is_recent {
            self.checks
                .holds("a visitor inside stays inside", !answer.is_waiting, || {
                    format!("{came:?} was inside, and waits")
                });
        }
        if answer.is_inside {
            visitor.inside_ms = Some(answer.now_ms);
        }
        let is_another = answer
            .given
            .is_some_and(|given| given.sub != came.sub || given.born != came.born);
        if is_another {
            (visitor.uncovered, visitor.shown) = (self.uncovered, None);
        }
    }
}

impl Visitor {
    /// The visitor has another number from now on, and is not moved from the one before.
    pub fn is_moved(&mut self) {
        self.shown = None;
    }
}
