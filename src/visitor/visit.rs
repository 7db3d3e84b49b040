//! The straight line of one visit: ticket, the sign near the visitor, at most one call to the store, verdict.
//!
//! Invariant: nobody costs more than one call before the answer; who is inside, or waits before a copy of the sign,
//! costs none.

mod draw;
mod first;

use crate::cache::{Copied, Duty, Lookup, Pop};
use crate::config::Config;
use crate::queue::TicketState;
use crate::queue::backoff::MOST_TRIES;
use crate::queue::chance::Chance;
use crate::queue::{Mode, Position, Verdict, decide};
use crate::queue::{Place, Sign};
use crate::store::upstash::StoreError;
use crate::store::{Line, MayDraw};
use crate::ticket::{Grace, Notice, Standing, Ticket};
use crate::visitor::Kind;
use crate::visitor::trouble;
use first::{draw_and_tell, is_open, line_in_front};

/// How a visit ended, and what is known from it.
pub struct Visit {
    /// Where the visitor stands now.
    pub end: End,
    /// What the visitor holds from now on.
    pub ticket: Ticket,
    /// Whether that differs from what came, so that it has to be signed.
    pub changed: bool,
    /// The sign, if this visit saw it.
    pub sign: Option<Sign>,
    /// Whether that sign is the last one known, since the store does not answer.
    pub is_old: bool,
    /// Whether the visitor goes in by this request without an answer of the store.
    pub is_without_store: bool,
    /// Why the store did not answer, if it did not.
    pub fault: Option<StoreError>,
    /// What is left to do once the visitor has been answered.
    pub after: After,
}

/// Where a visitor stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// At the origin.
    Inside,
    /// In line, behind other visitors.
    Waiting {
        /// How many go in before.
        ahead: u64,
    },
    /// The turn has come, but the mode admits no visitor.
    Called,
    /// Given a ticket without a number, since others wait: the number is drawn as soon as that ticket comes back.
    Provisional,
    /// Held, since the store did not answer: who has a number keeps it, who has none tries again later.
    Held,
    /// The room is closed: no visitor goes in, none draws, and a visitor who has a number keeps it.
    Closed,
    /// A request that draws no number, and without a ticket that would let it in: no call made.
    Outside,
}

/// What is left to do once the visitor has been answered.
pub enum After {
    /// Nothing.
    Nothing,
    /// The copy of the sign is to be renewed by this request.
    Renew(Duty),
    /// There was no fresh copy: renew it unless somebody else does.
    Look,
}

/// What a look or a draw brought.
struct Seen {
    /// What the visitor has to be told about the number, if anything.
    notice: Option<Notice>,
    sign: Sign,
    /// The number; none in front of a closed room.
    position: Option<Position>,
    is_old: bool,
    fault: Option<StoreError>,
}

/// What was seen, or why nothing could be; and what is left to do.
type Drawn = (Result<Seen, Unseen>, After);

/// Why nothing was seen: the store's fault, or none where the line may still come back.
type Unseen = Option<StoreError>;

/// What came of asking after a ticket; and what is left to do.
enum Asked {
    /// It has a number.
    Seen(Box<Seen>, After),
    /// The sign cannot say.
    Unseen(Unseen, After),
    /// Its line or its epoch has ended: it is no ticket.
    Ended(After),
}

/// Seconds after signing during which a copy of the sign need not know a number.
const YOUNG: u64 = 10;

/// Decides one visit. `ticket` has been verified; `fresh`, the request's random id, becomes the id of a new one.
#[must_use]
pub fn visit(
    kind: Kind,
    ticket: Option<Ticket>,
    fresh: &str,
    line: &Line<'_>,
    near: &dyn Pop,
    config: &Config,
) -> Visit {
    let now = line.now_ms / 1000;
    let chance = Chance::of(fresh);
    let is_new = ticket.as_ref().is_none_or(|ticket| ticket.has_lapsed(now));
    let mut held = match ticket {
        None => unnumbered(fresh.to_owned(), now),
        Some(lapsed) if is_new => Ticket {
            notice: lapsed.position().map(|_| Notice::Lapsed),
            ..unnumbered(fresh.to_owned(), now)
        },
        Some(ticket) => ticket,
    };
    if held.is_inside(now) {
        match still_inside(&held, near, line.now_ms) {
            Some(after) => return Visit::unasked(End::Inside, held, after),
            None => held = outside(held, now),
        }
    }
    if kind == Kind::Prefetch {
        return Visit::unasked(End::Outside, held, After::Nothing);
    }
    if kind == Kind::First
        && let Some(sign) = line_in_front(near)
    {
        return Visit::provisional(held, sign);
    }
    // It is no visitor, and is let in uncounted as the visitors are.
    if is_new && !kind.may_draw() && is_open(near) {
        return Visit::unasked(End::Inside, held, After::Nothing);
    }
    let asked = match held.standing {
        Standing::Waiting(place) => look(&held, place, kind, line, near),
        _ => Asked::Ended(After::Nothing),
    };
    let (asked, after) = match (asked, kind) {
        (Asked::Seen(seen, after), _) => (Ok(*seen), after),
        (Asked::Unseen(fault, after), _) => (Err(fault), after),
        // A browser that brings a ticket keeps cookies, and its draw is done once.
        (Asked::Ended(_), _) if kind.draws_for_holder() && (!is_new || kind != Kind::Unsafe) => {
            if held.position().is_some() {
                held = anew(held.id, now);
            }
            draw_and_tell(&held.id, line, near, chance)
        }
        (Asked::Ended(after), _) => return Visit::unasked(End::Outside, held, after),
    };
    let ended = match asked {
        Ok(seen) => decided(held, seen, now, after),
        Err(fault) => without_store(held, is_new, fault, now, after),
    };
    ended
        .or_in_without_store(near, config, line.now_ms)
        .without_duty_at_the_origin()
}

impl Visit {
    /// What its holder can quote to support; nothing for a visitor who holds no ticket after this.
    #[must_use]
    pub fn reference(&self) -> Option<String> {
        let is_kept = match self.end {
            End::Outside => false,
            End::Closed => self.ticket.position().is_some(),
            End::Inside | End::Waiting { .. } | End::Called | End::Provisional | End::Held => true,
        };
        is_kept.then(|| self.ticket.reference())
    }

    /// A first contact, decided from the copy of the sign alone.
    fn provisional(ticket: Ticket, sign: Sign) -> Self {
        Self {
            changed: true,
            sign: Some(sign),
            ..Self::unasked(End::Provisional, ticket, After::Nothing)
        }
    }

    /// The visitor's number in the line: what is on the ticket, unless the sign says that it has moved.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        let moved = match (self.ticket.standing, &self.sign) {
            (Standing::Waiting(place), Some(sign)) => sign.number(place),
            _ => None,
        };
        moved.or_else(|| self.ticket.position())
    }

    /// Decided from the ticket alone.
    fn unasked(end: End, ticket: Ticket, after: After) -> Self {
        Self {
            end,
            ticket,
            changed: false,
            sign: None,
            is_old: false,
            is_without_store: false,
            fault: None,
            after,
        }
    }

    /// A visitor who waits only because the store cannot say how far the line is goes in where the rules allow that, for
    /// `admit_for` seconds, and is back in the old place afterwards.
    fn or_in_without_store(self, near: &dyn Pop, config: &Config, now_ms: u64) -> Self {
        let is_held = match self.end {
            End::Held => self.fault.is_some(),
            End::Waiting { .. } => self.is_old,
            End::Inside | End::Called | End::Provisional | End::Closed | End::Outside => false,
        };
        if !is_held {
            return self;
        }
        let known = || near.last().and_then(|last| last.sign);
        let sign = self.sign.clone().or_else(known);
        if !trouble::lets_in(sign.as_ref(), near, config, now_ms) {
            return self;
        }
        let grace = Grace {
            until: (now_ms / 1000).saturating_add(config.admit_for),
            epoch: sign.map(|sign| sign.epoch),
        };
        Self {
            end: End::Inside,
            changed: true,
            is_without_store: true,
            fault: self.fault.or(Some(StoreError::NotAsked)),
            ticket: Ticket {
                grace: Some(grace),
                ..self.ticket
            },
            ..self
        }
    }

    /// The origin may take long to answer, and no other visitor should be without a sign until then: the request that goes
    /// in hands the duty on, and looks afterwards whether another one took it.
    fn without_duty_at_the_origin(self) -> Self {
        let after = match (self.end, self.after) {
            (End::Inside, After::Renew(_)) => After::Look,
            (_, after) => after,
        };
        Self { after, ..self }
    }
}

impl Seen {
    /// Fresh from the store.
    fn new((sign, position): (Sign, Option<Position>)) -> Self {
        Self {
            notice: None,
            sign,
            position,
            is_old: false,
            fault: None,
        }
    }

    /// From a copy. The ticket may have seen the sign further on when it was drawn, and nobody is moved back.
    fn from(mut sign: Sign, place: Place, position: Position, is_old: bool) -> Self {
        if place.born == sign.birth.born {
            sign.cursor = sign.cursor.max(place.seen);
        }
        Self {
            is_old,
            ..Self::new((sign, Some(position)))
        }
    }
}

/// A ticket whose number is still to be drawn.
#[must_use]
pub fn unnumbered(id: String, now: u64) -> Ticket {
    Ticket {
        id,
        standing: Standing::Unnumbered { tries: 0 },
        signed: now,
        life: 0,
        grace: None,
        still: false,
        notice: None,
    }
}

/// The same after the line was started anew.
fn anew(id: String, now: u64) -> Ticket {
    Ticket {
        notice: Some(Notice::Anew),
        ..unnumbered(id, now)
    }
}

/// Whether an admission still counts: only a sign can say that its epoch has ended, and an epoch that has ended never
/// comes back, so an old sign says it too. Whether there is a newer one is looked up once the visitor has been answered.
pub(crate) fn still_inside(held: &Ticket, near: &dyn Pop, now_ms: u64) -> Option<After> {
    let last = near.last();
    let is_fresh = last.as_ref().is_some_and(|last| match held.standing {
        Standing::Admitted { .. } => last.is_fresh_inside(now_ms),
        // Let in without the store, so that a hold ends the stay too.
        Standing::Unnumbered { .. } | Standing::Waiting(_) => last.is_fresh(now_ms),
    });
    let sign = last.and_then(|last| last.sign);
    let has_ended = sign.is_some_and(|sign| has_ended(held, &sign));
    let after = if is_fresh {
        After::Nothing
    } else {
        After::Look
    };
    (!has_ended).then_some(after)
}

/// An admission ends with its epoch. What was let in without the store ends with a hold or a closure too, since it was
/// never this visitor's turn.
fn has_ended(held: &Ticket, sign: &Sign) -> bool {
    match held.standing {
        Standing::Admitted { born, epoch, .. } => sign.has_ended(born, epoch),
        Standing::Unnumbered { .. } | Standing::Waiting(_) => {
            let granted = held.grace.and_then(|grace| grace.epoch);
            !sign.live.mode.lets_in() || granted.is_some_and(|epoch| epoch != sign.epoch)
        }
    }
}

/// What is left to a visitor whose stay has ended: the place in the line, where there is one.
fn outside(held: Ticket, now: u64) -> Ticket {
    match held.standing {
        Standing::Admitted { .. } => anew(held.id, now),
        Standing::Unnumbered { .. } | Standing::Waiting(_) => Ticket {
            grace: None,
            ..held
        },
    }
}

/// Where the sign stands, from the copy in the POP. Without one, this request reads the store for everybody who waits for
/// it; and when ticket and copy contradict each other, it asks the store for itself.
fn look(held: &Ticket, place: Place, kind: Kind, line: &Line<'_>, near: &dyn Pop) -> Asked {
    let (copy, duty) = match near.lookup() {
        Lookup::Missing(duty) => return look_for_all(held, place, kind, duty, line, near),
        Lookup::Unknown => return ask(held, place, kind, line, near),
        // Until the request that reads the sign is done, the last one is better than none.
        Lookup::Late => (Copied::without_store(near), None),
        // The line of this ticket may still come back, and its ticket is evidence: it renews the copy with its question.
        Lookup::Found(copy, Some(duty)) if is_settling(place, &copy) => {
            return look_for_all(held, place, kind, duty, line, near);
        }
        Lookup::Found(copy, duty) => (*copy, duty),
    };
    let after = duty.map_or(After::Nothing, After::Renew);
    let is_old = copy.is_old;
    match trusted(held, place, copy, line) {
        Trust::Copy(sign, position) => {
            Asked::Seen(Box::new(Seen::from(*sign, place, position, is_old)), after)
        }
        Trust::Nobody => Asked::Unseen(is_old.then_some(StoreError::NoAnswer), after),
        Trust::Ended => Asked::Ended(after),
        Trust::Store => ask(held, place, kind, line, near),
    }
}

fn is_settling(place: Place, copy: &Copied) -> bool {
    let sign = copy.sign.as_ref().filter(|_| !copy.is_old);
    sign.is_some_and(|sign| TicketState::of(place, sign) == TicketState::Settling)
}

/// Reads the store, and wakes the requests that wait for that.
fn look_for_all(
    held: &Ticket,
    place: Place,
    kind: Kind,
    duty: Duty,
    line: &Line<'_>,
    near: &dyn Pop,
) -> Asked {
    let batches = near.next_batches();
    let asked = line.look(&held.id, place, may_draw(kind), &batches);
    let sign = asked.as_ref().ok().map(|(sign, _)| sign.clone());
    let copy = Copied::of(sign, near, line.now_ms);
    duty.renew(&copy);
    match asked {
        Ok(_) => {
            near.acknowledge(&batches);
            trouble::answered(near, line.now_ms);
        }
        Err(_) => trouble::failed(near, line.now_ms),
    }
    match (asked, trusted(held, place, copy, line)) {
        (Ok(answer), _) => answered(place, answer),
        (Err(fault), Trust::Copy(sign, position)) => {
            let seen = Seen {
                fault: Some(fault),
                ..Seen::from(*sign, place, position, true)
            };
            Asked::Seen(Box::new(seen), After::Nothing)
        }
        (Err(_), Trust::Ended) if !kind.draws_for_holder() => Asked::Ended(After::Nothing),
        (Err(fault), _) => Asked::Unseen(Some(fault), After::Nothing),
    }
}

/// Who can say where this ticket stands.
enum Trust {
    Copy(Box<Sign>, Position),
    Ended,
    Store,
    Nobody,
}

fn trusted(held: &Ticket, place: Place, copy: Copied, line: &Line<'_>) -> Trust {
    // A ticket may be younger than the copy of the sign, which then does not know its number yet.
    let is_young = line.now_ms / 1000 < held.signed.saturating_add(YOUNG);
    let is_old = copy.is_old;
    let Some(sign) = copy.sign else {
        return Trust::Nobody;
    };
    let number = sign.number(place).filter(|_| is_old || is_young);
    match TicketState::of(place, &sign) {
        TicketState::Placed(position) => Trust::Copy(Box::new(sign), position),
        TicketState::Settling => Trust::Nobody,
        TicketState::Ended => Trust::Ended,
        TicketState::Ahead => match number {
            Some(position) => Trust::Copy(Box::new(sign), position),
            None if is_old => Trust::Nobody,
            None => Trust::Store,
        },
    }
}

/// Asks the store itself, and lets the others see what it said.
fn ask(held: &Ticket, place: Place, kind: Kind, line: &Line<'_>, near: &dyn Pop) -> Asked {
    match line.look(&held.id, place, may_draw(kind), &[]) {
        Ok(answer) => {
            let last = near.last();
            near.put(&Copied::drawn(answer.0.clone(), line.now_ms, last.as_ref()));
            trouble::answered(near, line.now_ms);
            answered(place, answer)
        }
        Err(fault) => {
            trouble::failed(near, line.now_ms);
            Asked::Unseen(Some(fault), After::Nothing)
        }
    }
}

fn may_draw(kind: Kind) -> MayDraw {
    if kind.draws_for_holder() {
        MayDraw::Yes
    } else {
        MayDraw::No
    }
}

/// What the store itself says about a ticket.
fn answered(place: Place, (sign, position): (Sign, Option<Position>)) -> Asked {
    let state = TicketState::of(place, &sign);
    let is_closed = sign.live.mode == Mode::Closed;
    let notice = match (state, position) {
        (TicketState::Placed(_), _) => None,
        // It had ended, and drew anew; or it would have, but for the closed room.
        (TicketState::Ended | TicketState::Ahead, Some(_)) => Some(Notice::Anew),
        (TicketState::Ended, None) if is_closed => None,
        (TicketState::Ended, None) => return Asked::Ended(After::Nothing),
        (TicketState::Settling | TicketState::Ahead, _) => {
            return Asked::Unseen(None, After::Nothing);
        }
    };
    let seen = Seen {
        notice,
        ..Seen::new((sign, position))
    };
    Asked::Seen(Box::new(seen), After::Nothing)
}

fn decided(held: Ticket, seen: Seen, now: u64, after: After) -> Visit {
    let sign = seen.sign;
    let mode = sign.live.mode;
    let (end, standing) = match seen
        .position
        .map(|position| (position, decide(position, sign.cursor)))
    {
        None => (End::Closed, Standing::Unnumbered { tries: 0 }),
        Some((position, _)) if mode == Mode::Closed => {
            (End::Closed, placed(&held, &sign, position))
        }
        Some((position, Verdict::Admit)) if mode.lets_in() => {
            let epoch = sign.epoch;
            let at = now;
            let standing = Standing::Admitted {
                position: Some(position),
                born: sign.birth.born,
                epoch,
                at,
            };
            (End::Inside, standing)
        }
        Some((position, Verdict::Admit)) => (End::Called, placed(&held, &sign, position)),
        Some((position, Verdict::Wait { ahead })) => {
            (End::Waiting { ahead }, placed(&held, &sign, position))
        }
    };
    let is_new = standing != held.standing;
    let grace = held.grace.filter(|_| !is_new);
    let notice = seen.notice.or(held.notice).filter(|_| end != End::Inside);
    Visit {
        end,
        changed: is_new || held.is_to_be_renewed(now),
        ticket: Ticket {
            standing,
            grace,
            notice,
            ..held
        },
        sign: Some(sign),
        is_old: seen.is_old,
        is_without_store: false,
        fault: seen.fault,
        after,
    }
}

/// The place it had, or the one it just drew. A number that moved is written anew once it moves no more.
fn placed(held: &Ticket, sign: &Sign, position: Position) -> Standing {
    let place = sign.place(position);
    match held.standing {
        Standing::Waiting(had) if had.is_same(place) => held.standing,
        Standing::Waiting(had) if sign.number(had) == Some(position) && !sign.rewrites(had) => {
            held.standing
        }
        _ => Standing::Waiting(place),
    }
}

/// A ticket that has a number keeps it through this; one without has a name at least, under which the next request asks
/// whether this draw happened after all, and counts the tries, so that its holder comes back later each time.
fn without_store(held: Ticket, is_new: bool, fault: Unseen, now: u64, after: After) -> Visit {
    let standing = match held.standing {
        Standing::Unnumbered { tries } => Standing::Unnumbered {
            tries: tries.saturating_add(1).min(MOST_TRIES),
        },
        numbered => numbered,
    };
    Visit {
        end: End::Held,
        changed: is_new || standing != held.standing || held.is_to_be_renewed(now),
        ticket: Ticket { standing, ..held },
        is_without_store: false,
        sign: None,
        is_old: false,
        fault,
        after,
    }
}
