//! Which requests the site's firewall (WAF) is asked about before they go to the origin, and what follows where it stops one: the
//! request by which a visitor goes in, and each that may change something at the origin.
//!
//! Invariant: a visitor who would go in by a request that is stopped stays outside with the place in the line.

use super::{Outcome, for_visitor, signed};
use crate::http::{Answer, Call, Reply};
use crate::queue::{Inspected, Platform, Reason, Stop, Waf};
use crate::request::Request;
use crate::telemetry::log::Decision;
use crate::visitor::outcome::VisitOutcome;
use crate::visitor::visit::{Visit, is_called_only};
use crate::visitor::{Kind, answer, language};

/// What this firewall says of a request; nothing where it is not asked.
pub(super) fn inspected(waf: Option<&Waf>, platform: &dyn Platform) -> Option<Inspected> {
    let waf = waf?;
    Some(Inspected::of(platform.inspect(waf), waf.on_error))
}

/// The same of a request that needs no ticket.
pub(super) fn of_request(
    call: &Call,
    waf: Option<&Waf>,
    platform: &dyn Platform,
) -> Option<Inspected> {
    inspected(waf.filter(|_| may_change_something(call)), platform)
}

/// The same of a visit.
pub(super) fn of_visit(visit: &Visit, reason: Reason, request: &Request<'_>) -> Option<Inspected> {
    let is_asked = || {
        visit.end == VisitOutcome::Admitted
            && (may_change_something(request.call) || goes_in(visit, reason, request))
    };
    let waf = request.config.waf.as_ref();
    inspected(waf.filter(|_| is_asked()), request.platform)
}

/// The answer to a visit that the firewall stops. A visitor inside stays inside. One who would go in is called and not yet inside, as where
/// the origin fails; without a number nothing changes.
pub(super) fn visit_stopped(
    kind: Kind,
    visit: &Visit,
    stop: &Stop,
    reason: Reason,
    request: &Request<'_>,
) -> Answer {
    let (call, config) = (request.call, request.config);
    let cookies = if goes_in(visit, reason, request) {
        let kept = visit.rescued(request.pop.last_board(), request.now);
        kept.map(|kept| signed(&kept, || kind, request))
    } else {
        Some(signed(visit, || kind, request))
    };
    let reply = answer::stopped(stop, language::shell(Some(&visit.ticket), request), call);
    let reply = reply.with_cookies(cookies.unwrap_or_default());
    Answer::Reply(for_visitor(call, reply, config))
}

impl Outcome<'_> {
    /// Notes what the firewall said, and puts its stop in place of the answer.
    pub(super) fn note(&mut self, found: Option<Inspected>, stopped: &dyn Fn(&Stop) -> Reply) {
        if let Some(stop) = found.as_ref().and_then(|found| found.stop.as_ref()) {
            self.answer = Answer::Reply(stopped(stop));
        }
        note(&mut self.record, found);
    }
}

/// Writes down what the firewall said.
pub(super) fn note(record: &mut Decision, found: Option<Inspected>) {
    let Some(found) = found else {
        return;
    };
    record.waf = Some(found.verdict);
    record.waf_error = found.fault;
    if found.stop.is_some() {
        record.permitted = false;
        record.reason = Reason::WafBlocked;
        record.inversion = None;
    }
}

/// Whether it may change something at the origin.
pub(super) fn may_change_something(call: &Call) -> bool {
    !matches!(call.method.as_str(), "GET" | "HEAD" | "OPTIONS" | "TRACE")
}

/// Whether the visitor is inside from this request on, or was called and reaches the origin before that by what a page brings along.
fn goes_in(visit: &Visit, reason: Reason, request: &Request<'_>) -> bool {
    let is_by_this = matches!(
        reason,
        Reason::Admitted | Reason::Invited | Reason::AdmittedWithoutStore
    );
    is_by_this || is_called_only(&visit.ticket, request.pop)
}
