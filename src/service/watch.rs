//! Which of the origin's answers are watched, and what a visitor gets who would have gone in by a bad one.

use crate::cache::TicketMark;
use crate::config::OnOriginError;
use crate::http::negotiate::is_navigation;
use crate::http::{OnBad, Reply, Watch, Way};
use crate::queue::chance::{Chance, Rule};
use crate::queue::{AnsweredTo, OriginHealth, Reason, sha1};
use crate::request::Request;
use crate::visitor::outcome::VisitOutcome;
use crate::visitor::visit::{Visit, WayIn};
use crate::visitor::{Kind, answer};

use super::for_visitor;

/// A visitor who is not yet inside until the origin has answered.
pub struct Rescue<'a> {
    kind: Kind,
    visit: Visit,
    request: Request<'a>,
}

impl Rescue<'_> {
    /// The cursor, by the board that says that it is the turn.
    pub(super) fn queue_cursor(&self) -> Option<u64> {
        self.visit.board.as_ref().map(|board| board.cursor().0)
    }

    /// The origin has answered, so the visitor is in. Whether that counts: one who was rescued has been counted as come.
    #[must_use]
    pub fn went_in(&self, reason: Reason) -> Reason {
        let (pop, id) = (self.request.pop, &self.visit.ticket.id);
        pop.mark(TicketMark::Admitted, id);
        if pop.is_marked(TicketMark::Rescued, id) {
            Reason::Inside
        } else {
            reason
        }
    }

    /// The waiting page in place of the origin's bad answer, and what it counts as. The place in the line is kept, and the page asks
    /// again.
    #[must_use]
    pub fn kept_outside(self) -> (Reply, Reason) {
        let Self {
            kind,
            visit,
            request,
        } = self;
        let (pop, id) = (request.pop, &visit.ticket.id);
        let reason = if pop.is_marked(TicketMark::Rescued, id) {
            Reason::Waiting
        } else {
            Reason::Rescued
        };
        // Each time, so that it counts once however long the origin fails.
        pop.mark(TicketMark::Rescued, id);
        let cookies = super::signed(&visit, || kind, &request);
        let reply = answer::answer(kind, &visit, cookies, &request);
        let reply = for_visitor(request.call, reply, request.config);
        (super::secured(request.call, reply), reason)
    }
}

/// How the answer to this visitor is watched, and who is rescued from a bad one.
pub(super) fn watch<'a>(
    kind: Kind,
    way: Way,
    visit: &Visit,
    reason: Reason,
    request: &Request<'a>,
) -> (Option<Watch>, Option<Box<Rescue<'a>>>) {
    if way != Way::Pass || visit.end != VisitOutcome::Admitted {
        return (None, None);
    }
    let rescue = rescue(kind, visit, request);
    let told = told(kind, visit, reason, request);
    let watch = Watch {
        slow_ms: request.room.health.slow_ms,
        told,
        on_bad: match rescue {
            Some(_) => OnBad::KeepPlace,
            None => OnBad::Deliver,
        },
    };
    let is_watched = told.is_some() || rescue.is_some();
    (is_watched.then_some(watch), rescue)
}

/// First admissions, and some documents of visitors inside. The window hears of visitors released since it was cut.
fn told(kind: Kind, visit: &Visit, reason: Reason, request: &Request<'_>) -> Option<AnsweredTo> {
    // A body that takes long to arrive is no fault of the origin.
    let brings_nothing = request.call.method == "GET" && !request.call.has_body();
    if request.room.health.setting == OriginHealth::Off || !brings_nothing {
        return None;
    }
    match reason {
        // Each ticket says so once, however often it is rescued.
        Reason::Admitted if !request.pop.is_marked(TicketMark::Rescued, &visit.ticket.id) => {
            let board = visit.board.clone().or_else(|| request.pop.last_board());
            let numbered = board.zip(visit.position());
            let cuts =
                numbered.and_then(|(board, number)| board.window_of(number, visit.ticket.lane));
            Some(AnsweredTo::Entrant {
                cuts: cuts.unwrap_or(0),
            })
        }
        Reason::Inside if kind == Kind::Visit && is_sampled(request) => Some(AnsweredTo::Inside),
        _ => None,
    }
}

/// One page of many. An answer that would say nothing new is not waited for.
fn is_sampled(request: &Request<'_>) -> bool {
    let many = request.room.health.watch_documents;
    many > 0
        && is_navigation(request.call)
        && Chance::of(&request.call.id).between(Rule::Watch, 1, many) == 1
        && !is_heard(&heard_of(request), request)
}

/// Of what an answer to a visitor inside says something: one path and one network are heard once a minute at most, so that one wrong
/// address says little, however many visitors ask for it, and so does one visitor with many tickets.
fn heard_of(request: &Request<'_>) -> [String; 2] {
    // A path may be longer than a key of the cache.
    let path = sha1::hex(request.call.path.as_bytes());
    [
        format!("path {}", String::from_utf8_lossy(&path)),
        format!("network {}", request.network()),
    ]
}

fn is_heard(of: &[String; 2], request: &Request<'_>) -> bool {
    let mut of = of.iter();
    of.any(|of| request.pop.is_marked(TicketMark::Watched, of))
}

/// Whether an answer that has been delivered counts. Only then is it noted, so that one visitor mutes no path.
#[must_use]
pub fn is_news(to: AnsweredTo, request: &Request<'_>) -> bool {
    if to != AnsweredTo::Inside {
        return true;
    }
    let of = heard_of(request);
    let is_new = !is_heard(&of, request);
    if is_new {
        for of in &of {
            request.pop.mark(TicketMark::Watched, of);
        }
    }
    is_new
}

/// With `keep`, a visitor goes in only once the origin has answered a page.
fn rescue<'a>(kind: Kind, visit: &Visit, request: &Request<'a>) -> Option<Box<Rescue<'a>>> {
    let keeps = request.room.on_origin_error == OnOriginError::Keep;
    let is_page = matches!(kind, Kind::Visit | Kind::First) && request.call.method == "GET";
    let goes_in = visit.way_in == WayIn::Called || visit.board.is_some() && visit.must_sign;
    let paths = &request.config.paths;
    // What the origin may command with its answer is delivered.
    let is_delivered = paths.take_commands(&request.call.method, &request.call.path);
    if !keeps || !is_page || !goes_in || is_delivered {
        return None;
    }
    // Another page of the same visitor has gone in by the same ticket.
    if request
        .pop
        .is_marked(TicketMark::Admitted, &visit.ticket.id)
    {
        return None;
    }
    let visit = visit.rescued(request.pop.last_board(), request.now)?;
    Some(Box::new(Rescue {
        kind,
        visit,
        request: *request,
    }))
}
