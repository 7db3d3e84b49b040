//! What the platform does for one request, in the order of [`service::serve`].

use std::cell::{RefCell, RefMut};
use std::rc::Rc;
use std::thread;

use fastly::Request;

use now_serving::cache::outbox::Tally;
use now_serving::cache::{LOOKUP_TIMEOUT, MAX_AGE, SandboxCopy};
use now_serving::config::Query;
use now_serving::http::{Call, Forward, Reply};
use now_serving::request::Request as Asked;
use now_serving::service::{Forwarded, Host};
use now_serving::telemetry::log::RequestFacts;

use super::last_url::LastUrl;
use super::outbox::{Counts, SHORT_TURN};
use super::pop::PlatformCache;
use super::request::{facts, send, trace_id};
use super::upstash::Upstash;
use super::{log, now, origin, probe};

/// One request on the platform, and what its sandbox keeps.
pub(super) struct Platform<'a> {
    /// The request, until it has been answered.
    pub(super) request: &'a RefCell<Option<Request>>,
    /// The name the platform gave it, where it is logged.
    pub(super) trace: Option<String>,
    pub(super) counts: &'a Counts,
    pub(super) board: &'a Rc<RefCell<SandboxCopy>>,
    pub(super) store_url: &'a RefCell<LastUrl>,
}

impl Host for Platform<'_> {
    fn note_trace(&mut self) {
        self.trace = self.request.borrow().as_ref().map(trace_id);
    }

    fn send(&mut self, reply: Reply) -> u16 {
        // Its body may be long, and no answer needs it.
        let request = self.request.take();
        let status = send(reply);
        drop(request);
        status
    }

    fn forward(&mut self, forward: &Forward, call: &Call, failed: &dyn Fn() -> Reply) -> Forwarded {
        let Some(request) = self.request.take() else {
            return Forwarded::default();
        };
        self.counts.has_called();
        origin::forwarded(request, forward, call, failed, self.counts)
    }

    fn tally(&self) -> RefMut<'_, Tally> {
        self.counts.tally.borrow_mut()
    }

    fn flush_news(&self) {
        self.counts.flush_news();
    }

    fn facts(&self, call: &Call, query: Query) -> Option<RequestFacts> {
        let trace = self.trace.clone().unwrap_or_default();
        Some(facts(call, trace, query))
    }

    fn log(&self, line: &str) {
        log(line);
    }

    fn later(&self, asked: &Asked<'_>, work: &mut dyn FnMut(&Asked<'_>)) {
        // Another sandbox takes the duty.
        if self.counts.is_at_limit.get() {
            return;
        }
        let now = asked.config.shifted(now());
        work(&Asked {
            store: &Upstash::new(asked.config, self.counts, self.store_url),
            pop: &PlatformCache::new(self.counts, self.board, now),
            now,
            ..*asked
        });
    }

    /// Only a request that has renewed the copy of the board asks.
    fn probe_origin(&self, asked: &Asked<'_>) -> bool {
        let may_ask = self.counts.has_renewed.get() && !self.counts.is_at_limit.get();
        may_ask && probe::has_bad_news(asked, self.counts)
    }

    /// Another request has looked within the last second, before this was counted: the next look takes it along, and this request makes
    /// that look where no other does.
    fn wait_for_next_look(&self) -> bool {
        if self.counts.has_renewed.get() || self.counts.is_at_limit.get() {
            return false;
        }
        self.counts.flush_into_outbox(SHORT_TURN);
        thread::sleep(MAX_AGE + LOOKUP_TIMEOUT);
        true
    }
}
