//! What is served while the configuration is unsound: visitors who were admitted, and paths that skip the room.
//!
//! Invariant: nobody is admitted here, no number is drawn, the store is not asked, and no request goes to a backend that may be
//! the wrong one. While it is unknown where operators are answered, no request with a password reaches the origin,
//! and none with a token by a path that a program may use. While it is unknown whether the site's firewall is asked about a
//! request, that request does not go there either.

use super::to_origin::{bare, forward_with, of_visitor, rule};
use super::{METHODS, Outcome, for_method, secured, waf, web_socket_refused};
use crate::cache::Pop;
use crate::config::{Belongs, KnownWaf, Serves, Unsound, below};
use crate::http::{Call, Reply, Site};
use crate::operator;
use crate::queue::{Lane, Now, Platform, Reason};
use crate::telemetry::log::Decision;
use crate::visitor::ticket_cookie;
use crate::visitor::visit::{
    is_called_only, is_kept_out, renewed_unsigned, still_inside, was_ended,
};
use crate::visitor::{answer, language};

/// The request's way to the origin; or else what it is answered, of which nothing is counted or logged.
pub(super) fn passes(
    call: &Call,
    now: Now,
    unsound: &Unsound,
    pop: &dyn Pop,
    platform: &dyn Platform,
) -> Result<Outcome<'static>, Reply> {
    if below(&call.path, &unsound.admin_path) == Some("/healthz")
        && matches!(call.method.as_str(), "GET" | "HEAD")
    {
        let reply = for_method(call, operator::unsound(&unsound.problems));
        return Err(reply);
    }
    goes_on(call, now, unsound, pop, platform).ok_or_else(super::unsound)
}

/// The request's way to the origin, if it has one.
fn goes_on(
    call: &Call,
    now: Now,
    unsound: &Unsound,
    pop: &dyn Pop,
    platform: &dyn Platform,
) -> Option<Outcome<'static>> {
    let is_known = Reply::wrong_method(&call.method, METHODS).is_none();
    let is_operators = below(&call.path, &unsound.admin_path).is_some()
        || unsound.serves(call.hostname()) == Serves::Operators;
    let is_refused = web_socket_refused(call, unsound.web_sockets).is_some();
    if !call.names_host() || call.path == "*" || is_operators || !is_known || is_refused {
        return None;
    }
    if may_be_for_operators(call, unsound) {
        return None;
    }
    // Under the visitor's host a request would come back, where the origin is at a CDN to which that leads.
    if !unsound.knows_site(Lane::Main) {
        return None;
    }
    let place = unsound.place_of(call);
    if place.is_none() && (unsound.rooms.all()).any(|room| room.site != Site::default()) {
        return None;
    }
    let site = place
        .map(|place| place.room.site.clone())
        .unwrap_or_default();
    if let Some(by) = unsound.past_by(call) {
        let bare = bare(
            call,
            &unsound.paths,
            unsound.origin_cookie,
            &unsound.rooms,
            &site,
        );
        let is_asked = || waf::may_change_something(call);
        let mut outcome = forward_with(bare, Reason::Bypass);
        outcome.record.rule = rule(by);
        return inspected(outcome, &is_asked, call, unsound, platform);
    }
    if call.method == "OPTIONS" {
        return call.is_preflight().then(|| super::options(call, &site));
    }
    inside(call, now, unsound, pop, platform)
}

/// Whether the operators' password may be in it, or a program's token. Visitors of the site may have tokens of their own,
/// so by these only what is below the wrong path, or has the name of a program's route, is held back.
fn may_be_for_operators(call: &Call, unsound: &Unsound) -> bool {
    if !unsound.knows_operators && brings(call, b"basic") {
        return true;
    }
    if unsound.knows_admin_path || !brings(call, b"bearer") {
        return false;
    }
    let wrong = unsound.admin_path.trim_matches('/');
    let path = call.path.trim_start_matches('/');
    operator::is_of_programs(&call.path) || !wrong.is_empty() && below(path, wrong).is_some()
}

/// Whether there are credentials of this scheme.
fn brings(call: &Call, scheme: &[u8]) -> bool {
    let is_it = |line: &[u8]| {
        let given = line.trim_ascii_start().get(..scheme.len());
        given.is_some_and(|given| given.eq_ignore_ascii_case(scheme))
    };
    call.lines("authorization").any(is_it)
}

fn inside(
    call: &Call,
    now: Now,
    unsound: &Unsound,
    pop: &dyn Pop,
    platform: &dyn Platform,
) -> Option<Outcome<'static>> {
    let keys = unsound.keys.as_ref()?;
    let place = unsound.place_of(call)?;
    let room = place.room;
    if place.belongs == Belongs::Unclear {
        return None;
    }
    let ticket = ticket_cookie::verified(call, keys, room, pop, now)
        .or_else(|| ticket_cookie::verified_twin(call, keys, room, pop, now));
    let ticket = ticket.filter(|_| !call.is_plain_http())?;
    let is_inside = ticket.is_inside(now) && !was_ended(&ticket.id, pop);
    let may_go_on = still_inside(&ticket, pop, now).is_some() && !is_kept_out(&ticket, pop, now);
    // At another backend than theirs visitors would meet another site.
    if !is_inside || !may_go_on || !unsound.knows_site(ticket.lane) {
        return None;
    }
    let pass = keys.pass(&ticket, &room.name, call.hostname(), now);
    let bare = bare(
        call,
        &unsound.paths,
        unsound.origin_cookie,
        &unsound.rooms,
        room.site(ticket.lane),
    );
    let to_origin = of_visitor(bare, ticket.position(), pass);
    let outcome = forward_with(to_origin, Reason::Inside);
    let record = Decision {
        visitor_position: ticket.position().map(|position| position.0),
        ticket_reference: Some(ticket.reference()),
        ..outcome.record
    };
    let is_asked = || waf::may_change_something(call) || is_called_only(&ticket, pop);
    let outcome = Outcome { record, ..outcome };
    let outcome = inspected(outcome, &is_asked, call, unsound, platform)?;
    Some(Outcome {
        renewal: renewed_unsigned(&ticket, pop, now),
        ..outcome
    })
}

/// The same with what the firewall says, where it is to be asked; nothing where a wrong setting may be about that.
fn inspected<'a>(
    mut outcome: Outcome<'a>,
    is_asked: &dyn Fn() -> bool,
    call: &Call,
    unsound: &Unsound,
    platform: &dyn Platform,
) -> Option<Outcome<'a>> {
    let waf = match &unsound.waf {
        KnownWaf::Known(waf) => waf.as_ref().filter(|_| is_asked()),
        KnownWaf::Unknown if is_asked() => return None,
        KnownWaf::Unknown => None,
    };
    outcome.note(waf::inspected(waf, platform), &|stop| {
        let reply = answer::stopped(stop, language::plain_shell(call), call);
        secured(call, for_method(call, reply))
    });
    Some(outcome)
}
