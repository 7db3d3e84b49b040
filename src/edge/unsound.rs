//! Requests while the configuration is unsound.

use std::cell::RefCell;
use std::rc::Rc;

use fastly::Request;

use now_serving::cache::KeptBoard;
use now_serving::config::{Query, Unsound};
use now_serving::http::Answer;
use now_serving::queue::Now;
use now_serving::service;
use now_serving::telemetry::log::entry;

use super::last_url::LastUrl;
use super::outbox::Counts;
use super::perform::status;
use super::pop::PlatformCache;
use super::request::{call, facts, located, send, trace_id};
use super::signals::Said;
use super::{log, origin};

/// One request while the configuration is unsound: visitors who were admitted and bypass paths pass, all others are told.
pub(super) fn answer_unsound(
    request: Request,
    unsound: &Unsound,
    (counts, host, board): (&Counts, &mut LastUrl, &Rc<RefCell<KeptBoard>>),
    now: Now,
) {
    let now = unsound.shifted(now);
    let call = located(call(&request, host), &unsound.rooms);
    let room = unsound.place_of(&call).map(|place| &place.room.name);
    if let Some(room) = room {
        counts.switch_room(room);
    }
    let request = RefCell::new(request);
    let pop = PlatformCache::new(counts, board, now);
    let outcome = service::passes((&call, now), unsound, &pop, &Said(&request));
    let request = request.into_inner();
    if let Some(renewal) = outcome.as_ref().and_then(|outcome| outcome.renewal) {
        counts.tally.borrow_mut().renewed(renewal);
    }
    match outcome.map(|outcome| (outcome.answer, outcome.record)) {
        Some((Answer::Reply(reply), record)) if record.waf.is_none() => drop(send(reply)),
        Some((answer, record)) => {
            let trace = trace_id(&request);
            counts.tally.borrow_mut().decided(record.reason);
            if let Some(verdict) = record.waf {
                counts.inspected(verdict);
            }
            let status = match answer {
                Answer::Forward(forward) => {
                    counts.has_called();
                    status(origin::forwarded(request, &forward, (&call, counts)).0)
                }
                Answer::Reply(reply) => Some(send(reply)),
            };
            let facts = facts((&call, room), trace, Query::LeftOut, now);
            log(&entry(&facts, status, &record));
        }
        None => drop(send(service::unsound())),
    }
    log(&service::unsound_entry(now, &unsound.problems));
}
