//! The ends of sessions that this POP has made longer, in the platform's cache.

use std::time::Duration;

use fastly::cache::core;
use fastly::http::body::StreamingBody;

use now_serving::cache::{SessionEnds, session};
use now_serving::queue::Renewal;

use super::lock::alone;
use super::outbox::SHORT_TURN;
use super::pop::PlatformCache;

impl SessionEnds for PlatformCache {
    fn session_end(&self, id: &str) -> Option<u64> {
        let found = core::lookup(self.session_key(id)).execute().ok()??;
        session::read(&found.user_metadata())
    }

    /// Where it is another request's turn, that one tells it.
    fn renew_session(&self, id: &str, renewal: Renewal, life: Duration) -> Option<Renewal> {
        let lock = self.session_key(&format!("{id}-lock"));
        alone(lock, SHORT_TURN, || {
            let told = session::later(self.session_end(id), renewal)?;
            self.keep_session(id, &session::written(told.to), life);
            Some(told)
        })
        .flatten()
    }

    fn forget_session(&self, id: &str) {
        if self.session_end(id).is_some() {
            self.keep_session(id, session::FORGOTTEN, Duration::from_secs(1));
        }
    }
}

impl PlatformCache {
    fn keep_session(&self, id: &str, written: &str, life: Duration) {
        let inserted = core::insert(self.session_key(id), life)
            .deliver_node_max_age(Duration::ZERO)
            .user_metadata(written.to_owned().into())
            .execute();
        // What cannot be kept the next visit tells once more.
        let _ = inserted.map(StreamingBody::finish);
    }
}
