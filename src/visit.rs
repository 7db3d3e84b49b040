//! The straight line of one visit: ticket, the sign near the visitor, at most one call to the store, verdict.
//!
//! Invariant: nobody costs more than one call before the answer; who is inside, or waits before a copy of the sign,
//! costs none.

mod draw;

use crate::admission::{Mode, Position, Verdict, decide};
use crate::config::{Config, OnStoreError};
use crate::line::{Line, Place, Sign};
use crate::near::{Copied, Duty, Lookup, Near};
use crate::negotiate::Kind;
use crate::ticket::{Standing, Ticket};
use crate::upstash::StoreError;
use draw::{NOBODY, draw};

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
    /// In line, behind so many.
    Waiting {
        /// How many go in before.
        ahead: u64,
    },
    /// Held, since the store did not answer: a place is kept, a number is drawn by the next request.
    Held,
    /// The room is closed: nobody goes in, nobody draws, and whoever has a number keeps it.
    Closed,
    /// Not a visitor, and without a ticket that would let it in: no number drawn, no call made.
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
    sign: Sign,
    position: Position,
    is_old: bool,
    fault: Option<StoreError>,
}

/// What was seen, or why nothing could be; and what is left to do.
type Asked = (Result<Seen, StoreError>, After);

/// Seconds after signing during which a copy of the sign need not know a number.
const YOUNG: u64 = 10;

/// Decides one visit. `ticket` has been verified; `fresh` becomes the id of a new one.
#[must_use]
pub fn visit(
    kind: Kind,
    ticket: Option<Ticket>,
    fresh: &str,
    line: &Line<'_>,
    near: &dyn Near,
    config: &Config,
) -> Visit {
    let now = line.now_ms / 1000;
    let is_new = ticket.is_none();
    let mut held = ticket.unwrap_or_else(|| unnumbered(fresh.to_owned(), now));
    if held.is_inside(now) {
        match still_inside(&held, near) {
            Some(after) => return Visit::unasked(End::Inside, held, after),
            None => held = unnumbered(held.id, now),
        }
    }
    let (asked, after) = match (held.standing, kind) {
        (_, Kind::Prefetch) => return Visit::unasked(End::Outside, held, After::Nothing),
        (Standing::Waiting(place), _) => look(&held, place, line, near, config),
        (_, Kind::Visit) => draw(&held.id, line, near),
        _ => return Visit::unasked(End::Outside, held, After::Nothing),
    };
    let ended = match asked {
        Ok(seen) => decided(held, seen, now, after),
        Err(fault) => without_store(held, is_new, fault, now, config, after),
    };
    ended.without_duty_at_the_origin()
}

impl Visit {
    /// What its holder can quote to support; nothing for whoever holds no ticket after this.
    #[must_use]
    pub fn reference(&self) -> Option<String> {
        let is_kept = match self.end {
            End::Outside => false,
            End::Closed => self.ticket.position().is_some(),
            End::Inside | End::Waiting { .. } | End::Held => true,
        };
        is_kept.then(|| self.ticket.reference())
    }

    /// Decided from the ticket alone.
    fn unasked(end: End, ticket: Ticket, after: After) -> Self {
        Self {
            end,
            ticket,
            changed: false,
            sign: None,
            is_old: false,
            fault: None,
            after,
        }
    }

    /// The origin takes what time it likes to answer, and nobody else should be without a sign until then: whoever goes
    /// in hands the duty on, and looks afterwards whether somebody took it.
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
    fn new((sign, position): (Sign, Position)) -> Self {
        Self {
            sign,
            position,
            is_old: false,
            fault: None,
        }
    }

    /// From a copy. The ticket may have seen the sign further on when it was drawn, and nobody is moved back.
    fn from(mut sign: Sign, place: Place, is_old: bool) -> Self {
        sign.cursor = sign.cursor.max(place.seen);
        Self {
            is_old,
            ..Self::new((sign, place.position))
        }
    }
}

/// A ticket whose number is still to be drawn.
#[must_use]
pub fn unnumbered(id: String, now: u64) -> Ticket {
    Ticket {
        id,
        standing: Standing::Unnumbered,
        signed: now,
        grace: None,
        still: false,
    }
}

/// Whether an admission still counts: only a sign can say that its epoch has ended, and an epoch that has ended never
/// comes back, so without a fresh copy the last one says it too. The copy is then looked after once the visitor has
/// been answered.
fn still_inside(held: &Ticket, near: &dyn Near) -> Option<After> {
    let Standing::Admitted { epoch, .. } = held.standing else {
        return Some(After::Nothing);
    };
    let (copy, after) = match near.peek() {
        Some(copy) => (Some(copy), After::Nothing),
        None => (near.last(), After::Look),
    };
    let has_ended = copy
        .and_then(|copy| copy.sign)
        .is_some_and(|sign| epoch < sign.epoch);
    (!has_ended).then_some(after)
}

/// Where the sign stands, from the copy in the data centre. Without one, this request reads the store for everybody
/// who waits for it; and when ticket and copy contradict each other, it asks the store for itself.
fn look(held: &Ticket, place: Place, line: &Line<'_>, near: &dyn Near, config: &Config) -> Asked {
    let (copy, duty) = match near.lookup() {
        Lookup::Missing(duty) => return look_for_all(held, place, duty, line, near, config),
        Lookup::Unknown => return (ask(held, place, line, near), After::Nothing),
        // Until whoever reads the sign is done, the last one is better than none.
        Lookup::Late => (Copied::without_store(near), None),
        Lookup::Found(copy, duty) => (copy, duty),
    };
    let after = duty.map_or(After::Nothing, After::Renew);
    let is_old = copy.is_old;
    match trusted(held, place, copy, line, config) {
        Trust::Copy(sign) => (Ok(Seen::from(sign, place, is_old)), after),
        Trust::Nobody => (Err(StoreError::NoAnswer), after),
        Trust::Store => (ask(held, place, line, near), After::Nothing),
    }
}

/// Reads the store, and wakes whoever waits for that.
fn look_for_all(
    held: &Ticket,
    place: Place,
    duty: Duty,
    line: &Line<'_>,
    near: &dyn Near,
    config: &Config,
) -> Asked {
    let batches = near.batches();
    let asked = line.look(&held.id, place, &batches);
    let sign = asked.as_ref().ok().map(|(sign, _)| sign.clone());
    let copy = Copied::of(sign, near, line.now_ms);
    duty.renew(&copy);
    if asked.is_ok() {
        near.acknowledge(&batches);
    }
    let seen = match (asked, trusted(held, place, copy, line, config)) {
        (Ok(answer), _) => Ok(Seen::new(answer)),
        (Err(fault), Trust::Copy(sign)) => Ok(Seen {
            fault: Some(fault),
            ..Seen::from(sign, place, true)
        }),
        (Err(fault), _) => Err(fault),
    };
    (seen, After::Nothing)
}

/// Who can say where this ticket stands.
enum Trust {
    Copy(Sign),
    Store,
    Nobody,
}

fn trusted(held: &Ticket, place: Place, copy: Copied, line: &Line<'_>, config: &Config) -> Trust {
    // A ticket may be younger than the copy of the sign, which then does not know its number yet.
    let is_young = line.now_ms / 1000 < held.signed.saturating_add(YOUNG);
    match copy.sign {
        Some(_) if copy.is_old && config.on_store_error == OnStoreError::Admit => Trust::Nobody,
        Some(sign) if place.epoch == sign.epoch && (copy.is_old || is_young) => Trust::Copy(sign),
        Some(sign) if place.epoch == sign.epoch && place.position.0 <= sign.length => {
            Trust::Copy(sign)
        }
        Some(_) if !copy.is_old => Trust::Store,
        _ => Trust::Nobody,
    }
}

/// Asks the store itself, and lets the others see what it said.
fn ask(held: &Ticket, place: Place, line: &Line<'_>, near: &dyn Near) -> Result<Seen, StoreError> {
    let seen = line.look(&held.id, place, &[]).map(Seen::new)?;
    near.put(&Copied::new(seen.sign.clone(), line.now_ms));
    Ok(seen)
}

fn decided(held: Ticket, seen: Seen, now: u64, after: After) -> Visit {
    let (sign, position) = (seen.sign, seen.position);
    let mode = sign.live.mode;
    let (end, standing) = match decide(position, sign.cursor) {
        _ if mode == Mode::Closed => (End::Closed, kept(&held, &sign, position)),
        Verdict::Admit if mode.lets_in() => {
            let epoch = sign.epoch;
            let at = now;
            let standing = Standing::Admitted {
                position,
                epoch,
                at,
            };
            (End::Inside, standing)
        }
        Verdict::Admit => (End::Waiting { ahead: 0 }, placed(&held, &sign, position)),
        Verdict::Wait { ahead } => (End::Waiting { ahead }, placed(&held, &sign, position)),
    };
    let changed = standing != held.standing;
    let grace = held.grace.filter(|_| !changed);
    Visit {
        end,
        ticket: Ticket {
            standing,
            grace,
            ..held
        },
        changed,
        sign: Some(sign),
        is_old: seen.is_old,
        fault: seen.fault,
        after,
    }
}

/// What somebody holds in front of a closed room: a number, if there was one to be had before.
fn kept(held: &Ticket, sign: &Sign, position: Position) -> Standing {
    if position == NOBODY {
        Standing::Unnumbered
    } else {
        placed(held, sign, position)
    }
}

/// The place it had, or the one it just drew.
fn placed(held: &Ticket, sign: &Sign, position: Position) -> Standing {
    match held.standing {
        Standing::Waiting(place) if place.position == position && place.epoch == sign.epoch => {
            held.standing
        }
        _ => Standing::Waiting(Place {
            epoch: sign.epoch,
            position,
            seen: sign.cursor,
        }),
    }
}

/// A ticket that has a number keeps it through this; a new one has a name at least, under which the next request asks
/// whether this draw happened after all.
fn without_store(
    held: Ticket,
    is_new: bool,
    fault: StoreError,
    now: u64,
    config: &Config,
    after: After,
) -> Visit {
    let (end, grace) = match config.on_store_error {
        OnStoreError::Hold => (End::Held, held.grace),
        OnStoreError::Admit => (End::Inside, Some(now.saturating_add(config.admit_for))),
    };
    Visit {
        end,
        changed: is_new || grace != held.grace,
        ticket: Ticket { grace, ..held },
        sign: None,
        is_old: false,
        fault: Some(fault),
        after,
    }
}
