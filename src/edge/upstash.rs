//! The way to the store: one backend of the platform, and how many calls a request may make.

use std::cell::RefCell;
use std::time::Instant;

use fastly::handle::{BodyHandle, CacheOverride, RequestHandle};
use fastly::http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE};
use fastly::http::{HeaderValue, Method, Url};

use now_serving::config::Config;
use now_serving::queue::{Noted, Recount, Released, Sickness};
use now_serving::service;
use now_serving::store::upstash::{Attempt, Attempts, StoreError, Transport, read_in_time};

use super::last_url::LastUrl;
use super::log;
use super::outbox::Counts;

/// The backend of the store.
pub(super) const STORE: &str = "upstash";

/// The most bytes of an answer's length: those of `u64::MAX`.
pub(super) const LENGTH: usize = 20;

/// The store as one request may call it.
pub(super) struct Upstash<'a> {
    config: &'a Config,
    counts: &'a Counts,
    url: &'a RefCell<LastUrl>,
    attempts: Attempts,
}

impl<'a> Upstash<'a> {
    pub(super) fn new(config: &'a Config, counts: &'a Counts, url: &'a RefCell<LastUrl>) -> Self {
        Self {
            config,
            counts,
            url,
            attempts: Attempts::default(),
        }
    }

    fn send(&self, body: &str, began: Instant) -> Option<(u16, Vec<u8>)> {
        let mut url = self.url.borrow_mut();
        let store = &self.config.store;
        let request = ToStore::new(url.of(&store.url)?, &store.token)?;
        request.send(body, began, self.counts)
    }
}

/// A request for the store, marked as a *pass*. By its handle: the SDK's own way goes by its caches, of which a pass uses none.
struct ToStore(RequestHandle);

impl ToStore {
    /// A request with the store's credentials; none where the token does not fit into a header.
    fn new(url: &Url, token: &str) -> Option<Self> {
        let authorization = HeaderValue::from_str(&format!("Bearer {token}")).ok()?;
        let mut request = RequestHandle::new();
        request.set_method(&Method::POST);
        request.set_url(url);
        request.insert_header(&AUTHORIZATION, &authorization);
        request.insert_header(&CONTENT_TYPE, &HeaderValue::from_static("application/json"));
        request.set_cache_override(&CacheOverride::Pass);
        Some(Self(request))
    }

    /// Sends it, and reads the answer to its end, if that comes in time.
    #[expect(
        clippy::disallowed_methods,
        reason = "the constructor marks the request as a pass"
    )]
    fn send(self, body: &str, began: Instant, counts: &Counts) -> Option<(u16, Vec<u8>)> {
        let sent = self.0.send(BodyHandle::from(body), STORE);
        let sent = sent.map_err(|cause| counts.are_at_limit(&cause));
        let (head, mut answer) = sent.ok()?;
        let length = || {
            let value = head.get_header_value(&CONTENT_LENGTH, LENGTH).ok()??;
            value.to_str().ok()?.parse().ok()
        };
        let bytes = read_in_time(&mut answer, length, || began.elapsed())?;
        Some((head.get_status().as_u16(), bytes))
    }
}

impl Transport for Upstash<'_> {
    fn post(&self, body: &str, attempt: Attempt) -> Option<(u16, Vec<u8>)> {
        if !self.attempts.take(attempt) {
            return None;
        }
        let began = Instant::now();
        let answer = self.send(body, began);
        self.counts.has_called();
        self.counts.tally.borrow_mut().called(began.elapsed());
        answer
    }

    fn is_at_limit(&self) -> bool {
        self.counts.is_at_limit.get()
    }

    fn failed(&self, fault: &StoreError) {
        self.counts.tally.borrow_mut().failed(fault.kind());
    }

    fn released(&self, released: &Released) {
        log(&service::released_entry(&self.counts.room(), released));
    }

    fn noted(&self, noted: &Noted) {
        log(&service::noted_entry(&self.counts.room(), noted));
    }

    fn recounts(&self, recount: &Recount) {
        log(&service::recount_entry(&self.counts.room(), recount));
    }

    fn sickened(&self, sickness: &Sickness) {
        log(&service::sick_entry(&self.counts.room(), sickness));
    }
}
