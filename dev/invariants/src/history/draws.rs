//! Draws, invitations, bounds of networks and claims, as the answers of the store tell them.

use std::collections::{BTreeMap, VecDeque};

use now_serving::queue::{AboveBound, Invited, Lane, Mode, Phase};

use super::{History, Step};
use crate::board::{Board, Numbers};
use crate::said::{Claimed, Presented, Said, Verb};

/// For how long a repeated draw gets the same number, and a second less: the store counts whole ones.
const REPEATED_MS: u64 = 299_000;
/// Length of the hour of a network.
const HOUR_MS: u64 = 3_600_000;

/// How many visitors of a network who waited may draw at once: those whose waits are over at the same time.
const AT_ONCE: usize = 6;
/// One more draws so long after the first of them at least.
const LEAST_BETWEEN_MS: u64 = 60_000;

/// What a network has drawn.
#[derive(Clone, Copy, Default)]
pub(super) struct Hour {
    ends: u64,
    drawn: u64,
    /// When the last visitors who waited drew, the latest last.
    waited_at: [u64; AT_ONCE],
}

/// The number that a visitor drew.
#[derive(Clone, Copy)]
struct Draw {
    lane: Lane,
    number: u64,
    order: (u64, u64),
    epoch: u64,
    at_ms: u64,
}

/// With which call a visitor drew, and in which epoch; no call where the visitor drew twice in it.
#[derive(Clone, Copy)]
pub(super) struct Came {
    pub(super) at: Option<u64>,
    epoch: u64,
}

/// The draws of the last minutes, by visitor.
#[derive(Clone, Default)]
pub(super) struct Drawn {
    by_visitor: BTreeMap<String, Draw>,
    oldest: VecDeque<(u64, String)>,
}

impl Drawn {
    fn put(&mut self, visitor: &str, draw: Draw) {
        while let Some((at_ms, _)) = self.oldest.front()
            && at_ms.saturating_add(REPEATED_MS) < draw.at_ms
        {
            let Some((at_ms, old)) = self.oldest.pop_front() else {
                break;
            };
            if self
                .by_visitor
                .get(&old)
                .is_some_and(|known| known.at_ms == at_ms)
            {
                self.by_visitor.remove(&old);
            }
        }
        self.oldest.push_back((draw.at_ms, visitor.to_owned()));
        self.by_visitor.insert(visitor.to_owned(), draw);
    }
}

impl History {
    /// Checks of a draw.
    pub(super) fn is_drawn(
        &mut self,
        said: &Said,
        step: Option<&Step<'_>>,
        (board, now_ms): (&Board, u64),
    ) {
        if let Some((visitor, _)) = said.visitor().zip(said.placed()) {
            let new = Came {
                at: Some(self.calls),
                epoch: board.epoch,
            };
            let known = self.came.entry(visitor.to_owned()).or_insert(new);
            let has_drawn = step.is_some_and(|step| step.is_plain() && step.drawn() > 0);
            if known.epoch != board.epoch {
                *known = new;
            } else if has_drawn && known.at != new.at {
                // Of two numbers of one visitor, a later ticket says not which one its holder went in by.
                known.at = None;
            }
        }
        self.is_bound_by_its_network(said, step, (board, now_ms));
        if let Some(step) = step {
            self.draws_behind_the_last(said, step);
        }
        // A ticket that has had its session is good for another number.
        if matches!(said.claimed(), Some(Claimed::Until(_) | Claimed::Used)) {
            self.data
                .draws
                .by_visitor
                .remove(said.visitor().unwrap_or_default());
        } else if said.verb() == Verb::Join {
            self.repeats_the_number(said, (board, now_ms));
        }
        if said.verb() == Verb::Join {
            self.gives_a_number(said, board);
        }
    }

    /// One call draws at most one number, the next one, and none in front of a closed room.
    fn draws_behind_the_last(&mut self, said: &Said, step: &Step<'_>) {
        let drawn = step.drawn();
        if drawn == 0 {
            return;
        }
        self.checks
            .holds("one call draws one number", drawn == 1, || {
                format!("{drawn} numbers: {}", step.told())
            });
        self.checks.holds(
            "a closed room gives no number",
            step.board.mode != Mode::Closed,
            || format!("{:?}: {}", said.placed(), step.told()),
        );
        let main = |board: &Board| board.of(Lane::Main).length;
        if let Some((Lane::Main, number)) = said.placed().filter(|_| step.is_plain()) {
            self.checks.holds(
                "a draw gets the next number",
                number == main(step.before) + 1 && main(step.board) == number,
                || format!("{number}: {}", step.told()),
            );
        }
    }

    /// A visitor who draws gets a number, but in front of a closed room, above the bound of a network, and straight in by
    /// an invitation.
    fn gives_a_number(&mut self, said: &Said, board: &Board) {
        if said.placed().is_some() {
            return;
        }
        let is_closed = board.mode == Mode::Closed
            || board.mode != Mode::Open
                && matches!(board.phase(), Some(Phase::Before | Phase::Over))
            || board.phase() == Some(Phase::Before);
        let is_held_back = said.above() == Some(AboveBound::Challenged);
        let is_past = said.invited() == Some(Invited::In);
        self.checks.holds(
            "a visitor who draws gets a number",
            is_closed || is_held_back || is_past,
            || format!("{said:?}"),
        );
    }

    /// A repeated draw gets the same number.
    fn repeats_the_number(&mut self, said: &Said, (board, now_ms): (&Board, u64)) {
        let Some(visitor) = said.visitor() else {
            return;
        };
        let Some((lane, number)) = said.placed() else {
            return;
        };
        let draw = Draw {
            lane,
            number,
            order: board.order,
            epoch: board.epoch,
            at_ms: now_ms,
        };
        let before = self.data.draws.by_visitor.get(visitor).copied();
        // Where an older roll may still come in, the position moves with it.
        let may_move = self.may_come_back(board);
        let before = before.filter(|before| {
            let is_same =
                (before.order, before.epoch, before.lane) == (draw.order, draw.epoch, draw.lane);
            let since = now_ms.checked_sub(before.at_ms);
            is_same && !may_move && since.is_some_and(|since| since <= REPEATED_MS)
        });
        if let Some(before) = before {
            self.checks.holds(
                "a repeated draw gets the same number",
                before.number == number,
                || format!("{visitor} drew {} and {number}: {board:?}", before.number),
            );
        }
        self.data.draws.put(visitor, draw);
    }

    /// No network draws more numbers in an hour than its bound, and none is held back before.
    fn is_bound_by_its_network(
        &mut self,
        said: &Said,
        step: Option<&Step<'_>>,
        (board, now_ms): (&Board, u64),
    ) {
        let Some(network) = said.network() else {
            return;
        };
        let is_held_back = said.above() == Some(AboveBound::Challenged);
        // Numbers of groups are bounded by invitations.
        let placed = said.placed();
        let is_in_group = placed.is_some_and(|(lane, _)| board.groups.has(lane));
        let has_drawn = match step {
            Some(step) => step.drawn() > 0,
            None => board.drawn > 0,
        } && !is_in_group;
        if !has_drawn && !is_held_back {
            return;
        }
        let hour = self
            .data
            .networks
            .entry(network.key.to_owned())
            .or_default();
        if now_ms >= hour.ends {
            (hour.ends, hour.drawn) = (now_ms + HOUR_MS, 0);
        }
        let (before, most, [waited_at, ..]) = (hour.drawn, network.draws, hour.waited_at);
        hour.drawn += u64::from(has_drawn);
        let holds = network.is_held_back && board.mode != Mode::Open;
        let (paid, has_waited) = network.effort;
        let is_paid = paid > before.saturating_sub(most);
        if has_drawn && holds && before >= most && !is_paid {
            hour.waited_at.rotate_left(1);
            if let Some(last) = hour.waited_at.last_mut() {
                *last = now_ms;
            }
        }
        let found = || format!("{before} of {most} were drawn before: {said:?}");
        if has_drawn {
            let is_alone = now_ms >= waited_at + LEAST_BETWEEN_MS;
            self.checks.holds(
                "a network draws no more than its bound, and further numbers dearer or one a minute",
                !holds || before < most || is_paid || has_waited && is_alone,
                found,
            );
        } else if !self.has_a_past {
            self.checks.holds(
                "no network is held back below its bound",
                holds && before >= most,
                found,
            );
        }
    }

    /// An invitation is used as often as it says, and in each minute as often as the room says.
    pub(super) fn is_invited(
        &mut self,
        said: &Said,
        step: Option<&Step<'_>>,
        (board, now_ms): (&Board, u64),
    ) {
        let Some((presented, visitor)) = said.presented().zip(said.visitor()) else {
            return;
        };
        let Some(invited @ (Invited::In | Invited::Group)) = said.invited() else {
            return;
        };
        let is_straight = invited == Invited::In;
        self.opens_its_way(said, step, (is_straight, &presented));
        // A ticket that went the same way by another one goes on by that.
        let of = (visitor.to_owned(), board.epoch, is_straight);
        let used = self.data.used_by.entry(of);
        let is_other = *used.or_insert_with(|| presented.key.to_owned()) != presented.key;
        if is_other {
            return;
        }
        let users = self.data.uses.entry(presented.key.to_owned()).or_default();
        let is_first = users.insert(visitor.to_owned());
        self.checks.holds(
            "an invitation is used as often as it says",
            users.len() as u64 <= presented.uses,
            || format!("{presented:?} was used by {users:?}"),
        );
        if is_first {
            let is_moving = board.mode == Mode::Automatic;
            let is_held = board.mode == Mode::Hold && !is_straight;
            self.checks.holds(
                "an invitation is used where the room lets visitors past",
                is_moving || is_held,
                || format!("{presented:?} of {visitor}: {board:?}"),
            );
        }
        if is_straight {
            self.let_in.insert((visitor.to_owned(), board.order.0));
            if self.data.went_past.insert(visitor.to_owned()) {
                self.went_past(visitor, &presented, now_ms);
            }
        }
    }

    fn went_past(&mut self, visitor: &str, presented: &Presented<'_>, now_ms: u64) {
        let minute = now_ms / 60_000;
        if self.data.this_minute.0 != minute {
            self.data.this_minute = (minute, std::collections::BTreeSet::new());
        }
        let visitors = &mut self.data.this_minute.1;
        visitors.insert(visitor.to_owned());
        self.checks.holds(
            "in a minute no more go past the line than the room says",
            visitors.len() as u64 <= presented.per_minute,
            || format!("{visitors:?} with {presented:?}"),
        );
    }

    /// A visitor who goes in by an invitation takes no number, and one who draws by it draws in its group: the main line does not
    /// move by it.
    fn opens_its_way(
        &mut self,
        said: &Said,
        step: Option<&Step<'_>>,
        (is_straight, presented): (bool, &Presented<'_>),
    ) {
        let placed = said.placed();
        let is_past = match presented.group {
            None => is_straight && placed.is_none(),
            // A ticket that has a number of a higher group keeps it.
            Some(_) => matches!(placed, Some((Lane::Named(_), _))),
        };
        let length = |board: &Board| -> Numbers { board.of(Lane::Main) };
        let step = step.filter(|step| step.is_plain());
        let is_still =
            step.is_none_or(|step| length(step.before).length == length(step.board).length);
        self.checks.holds(
            "an invitation takes no number of the main line",
            is_past && is_still,
            || format!("{placed:?} by {presented:?}: {said:?}"),
        );
    }

    /// The session of a number is claimed by one ticket.
    pub(super) fn is_claimed(&mut self, said: &Said, board: &Board) {
        let (Some(Claimed::Until(end)), Some(visitor)) = (said.claimed(), said.visitor()) else {
            return;
        };
        if let Some(mark) = said.mark() {
            let known = self.data.sessions.entry(mark.to_owned()).or_default();
            *known = end.max(*known);
        }
        let Some((lane, number)) = said.placed() else {
            return;
        };
        let key = (lane, board.order, board.epoch, number);
        let first = self.data.claims.entry(key);
        let first = first.or_insert_with(|| visitor.to_owned());
        self.checks.holds(
            "a session is claimed by the holder of its number",
            first == visitor,
            || format!("{key:?} was of {first}: {said:?}"),
        );
    }
}
