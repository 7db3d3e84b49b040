//! The session of a visitor inside, where a cap holds: it ends later with each visit, and is over when none came for its length.
//!
//! Invariant: this costs no call to the store. A POP tells it what was renewed with the counts, once for each ticket and minute.

use super::FollowUp;
use super::known::{has_gone_in, is_on_the_list};
use super::look::{BoardLook, board_near};
use super::tickets::{anew_with, outside};
use crate::cache::{CachedBoard, Pop, TicketMarks};
use crate::queue::sessions::AtVisit;
use crate::queue::{Board, CountedRenewal, Enforcement, Now, Renewing, Sessions, SharedTickets};
use crate::request::Request;
use crate::ticket::{Notice, Ticket, TicketStage};
use crate::visitor::Kind;

/// Whether more networks use a ticket than should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shared {
    /// Not, as far as this data centre knows.
    No,
    /// More do.
    Yes,
}

/// Rules about who may use a ticket inside, and for how long.
#[derive(Clone, Copy)]
struct StayRules<'a> {
    shared_tickets: SharedTickets,
    /// For how many minutes the visitor may be inside; 0 for any time.
    longest_stay: u64,
    /// The visitor's network.
    network: &'a dyn Fn() -> String,
}

/// A visitor inside, after a visit.
pub(super) struct Inside {
    /// The minute in which the session ends now, where this visit made it longer.
    session: Option<u64>,
    /// What the store is to be told of that, unless the POP has told it: by another request with the same ticket.
    pub(super) renewal: Option<CountedRenewal>,
    pub(super) shared: Shared,
}

impl Inside {
    /// Whether the ticket has to be signed.
    pub(super) fn is_renewed(&self) -> bool {
        self.session.is_some()
    }

    /// The ticket of its holder, whose session may end later.
    pub(super) fn ticket(&self, held: Ticket) -> Ticket {
        match (held.stage, self.session) {
            (
                TicketStage::Admitted {
                    position, born, at, ..
                },
                session @ Some(_),
            ) => Ticket {
                stage: TicketStage::Admitted {
                    position,
                    born,
                    at,
                    session,
                },
                ..held
            },
            _ => held,
        }
    }
}

/// The visitor inside after this request, or why the session is over.
pub(super) fn kept_inside(
    kind: Kind,
    held: &Ticket,
    request: &Request<'_>,
) -> Result<Inside, Notice> {
    let rules = StayRules {
        shared_tickets: request.room.shared_tickets,
        longest_stay: request.room.longest_stay,
        network: &|| request.network(),
    };
    kept(kind, held, request.pop, request.now, rules)
}

fn kept(
    kind: Kind,
    held: &Ticket,
    pop: &dyn Pop,
    now: Now,
    rules: StayRules<'_>,
) -> Result<Inside, Notice> {
    let unchanged = Inside {
        session: None,
        renewal: None,
        shared: Shared::No,
    };
    let TicketStage::Admitted { born, at, .. } = held.stage else {
        return Ok(unchanged);
    };
    let last = pop.last_for_inside(now);
    let Some(capped) = last.as_ref().and_then(|last| Capped::by(last, now)) else {
        return Ok(unchanged);
    };
    let sessions = capped.sessions;
    // A ticket that says of no session would begin a new one with each visit, so its stay is as long as one.
    let is_fixed = sessions.renewal == Renewing::Off && held.session().is_none();
    let longest = Some(sessions.minutes).filter(|_| is_fixed);
    let stay_ends = sessions.stay_ends(at, longest.unwrap_or(rules.longest_stay));
    let renewal = match at_visit(held, capped, stay_ends, pop)? {
        AtVisit::Renewed(renewal) if kind.renews() => renewal,
        _ => return Ok(unchanged),
    };
    let network = (rules.network)();
    let visited = pop.renew_session(&held.id, renewal, &network, sessions.kept_for());
    let shared = match rules.shared_tickets.beyond(visited.place) {
        Some(Enforcement::On) => return Err(Notice::Used),
        Some(Enforcement::Observe) => Shared::Yes,
        None => Shared::No,
    };
    Ok(Inside {
        renewal: (visited.told).map(|told| told.counted(&held.id, born, at / 60, sessions.minutes)),
        session: Some(renewal.to),
        shared,
    })
}

/// What becomes of its session at a visit, or why there is none any more. Another request with the same ticket may have made it longer.
fn at_visit(
    held: &Ticket,
    capped: Capped<'_>,
    stay_ends: Option<u64>,
    pop: &dyn Pop,
) -> Result<AtVisit, Notice> {
    let Capped { sessions, minute } = capped;
    if is_on_the_list(&held.id, sessions, pop) {
        return Err(Notice::SessionEnded);
    } else if stay_ends.is_some_and(|last| minute > last) {
        return Err(Notice::StayOver);
    }
    let visit = match sessions.at_a_visit(held.session(), minute, stay_ends) {
        AtVisit::Over => {
            let known = pop.session_end(&held.id).max(held.session());
            sessions.at_a_visit(known, minute, stay_ends)
        }
        other => other,
    };
    match visit {
        AtVisit::Over if sessions.renewal == Renewing::Off => Err(Notice::StayOver),
        AtVisit::Over => Err(Notice::SessionOver),
        other => Ok(other),
    }
}

/// Whether this board says that the stay has ended.
fn is_ended_by(held: &Ticket, board: &Board, pop: &dyn TicketMarks) -> bool {
    held.is_ended_by(board, || has_gone_in(held, pop))
}

/// The ticket that is left where this board says that the stay has ended.
fn ended_by(held: &Ticket, last: &CachedBoard, pop: &dyn Pop, now: Now) -> Option<Ticket> {
    if is_ended_by(held, last.board.as_ref()?, pop) {
        return Some(outside(held.clone(), now));
    }
    let is_admitted = matches!(held.stage, TicketStage::Admitted { .. });
    // How long a stay may last is asked of each visit.
    let of_cap = Capped::by(last, now).filter(|_| is_admitted)?;
    let notice = at_visit(held, of_cap, None, pop).err()?;
    Some(anew_with(held, notice, now))
}

/// Whether its holder is inside, as far as is known here. Nothing is made longer by that.
pub(super) fn counts_inside(held: &Ticket, pop: &dyn Pop, now: Now) -> bool {
    let last = || pop.last_for_inside(now);
    held.is_inside(now) && last().is_none_or(|last| ended_by(held, &last, pop, now).is_none())
}

/// The ticket of a visitor who is not inside any more, or not yet; nothing for a visitor inside.
pub(crate) fn outside_now(held: Ticket, request: &Request<'_>) -> Option<Ticket> {
    let (pop, now) = (request.pop, request.now);
    if !held.is_inside(now) {
        return Some(held);
    } else if still_inside(&held, pop, now).is_none() {
        return Some(outside(held, now));
    }
    let over = kept_inside(Kind::SubResource, &held, request).err()?;
    Some(anew_with(&held, over, now))
}

/// Whether the session of a called visitor ends in this minute or the next: a poll makes it no longer, the page does.
pub(super) fn is_about_to_end(held: &Ticket, last: Option<&CachedBoard>, now: Now) -> bool {
    let capped = last.and_then(|last| Capped::by(last, now));
    let ends = |capped: Capped<'_>| Some(held.session()? <= capped.minute + 1);
    capped.and_then(ends).unwrap_or(false)
}

/// What the board says of the cap, and the minute by the store's clock.
#[derive(Clone, Copy)]
struct Capped<'a> {
    sessions: &'a Sessions,
    minute: u64,
}

impl<'a> Capped<'a> {
    fn by(last: &'a CachedBoard, now: Now) -> Option<Self> {
        let sessions = last.board.as_ref()?.sessions.as_ref()?;
        let minute = sessions.minute(last.read_ms, now);
        Some(Self { sessions, minute })
    }
}

/// A visitor inside comes while no configuration can be read, so that no ticket is signed: what the store is to be told of the
/// session, whose end this POP keeps meanwhile. Any request makes it longer, since what kind it is the settings say.
pub(crate) fn renewed_unsigned(held: &Ticket, pop: &dyn Pop, now: Now) -> Option<CountedRenewal> {
    let rules = StayRules {
        shared_tickets: SharedTickets::default(),
        longest_stay: 0,
        network: &String::new,
    };
    kept(Kind::Visit, held, pop, now, rules).ok()?.renewal
}

/// The look of a visitor inside, where this POP knows no board and the request cannot be taken back: an unsafe method, and the page by
/// which a called visitor goes in. It looks first, as one of all that come then; any other request is served at once, and looks
/// afterwards. What was let in without the store ends by itself.
pub(super) fn looked_first(kind: Kind, held: &Ticket, request: &Request<'_>) -> Option<BoardLook> {
    let is_admitted = matches!(held.stage, TicketStage::Admitted { .. });
    let is_unsafe = !matches!(request.call.method.as_str(), "GET" | "HEAD");
    let goes_in = held.called && kind.renews();
    let is_unknown = || {
        let last = request.pop.last_for_inside(request.now);
        last.and_then(|last| last.board).is_none()
    };
    let looks = is_admitted && (is_unsafe || goes_in) && is_unknown();
    looks.then(|| board_near(request))
}

/// What is left of the ticket where that look says that the stay has ended, and the board that says so.
pub(super) fn ended_by_look(
    held: &Ticket,
    look: Option<&BoardLook>,
    request: &Request<'_>,
) -> Option<(Ticket, Board)> {
    let last = look?.copy.as_ref()?;
    let ticket = ended_by(held, last, request.pop, request.now)?;
    Some((ticket, last.board.clone()?))
}

/// Whether an admission still counts: only a board can say that its epoch has ended, and an epoch that has ended never
/// comes back, so an old board says it too. Whether there is a newer one is looked up once the visitor has been answered.
pub(crate) fn still_inside(held: &Ticket, pop: &dyn Pop, now: Now) -> Option<FollowUp> {
    let last = pop.last_for_inside(now);
    let is_fresh = last.as_ref().is_some_and(|last| match held.stage {
        TicketStage::Admitted { .. } => last.is_fresh_inside(now),
        // Let in without the store, so that a hold ends the stay too.
        TicketStage::Provisional { .. } | TicketStage::Waiting(_) => last.is_fresh(now),
    });
    let board = last.and_then(|last| last.board);
    let has_ended = board.is_some_and(|board| is_ended_by(held, &board, pop));
    let after = if is_fresh {
        FollowUp::Nothing
    } else {
        FollowUp::Look
    };
    (!has_ended).then_some(after)
}
