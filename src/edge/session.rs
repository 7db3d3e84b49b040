//! The ends of sessions that this POP has made longer, in the platform's cache.

use std::time::Duration;

use now_serving::cache::SessionEnds;
use now_serving::cache::session::{FORGOTTEN, Renewed, Session};
use now_serving::queue::Renewal;

use super::lock::alone;
use super::objects::Overwritten;
use super::outbox::SHORT_TURN;
use super::pop::PlatformCache;

impl SessionEnds for PlatformCache {
    fn session_end(&self, id: &str) -> Option<u64> {
        Some(self.session(id)?.end)
    }

    /// Where it is another request's turn, that one tells it.
    fn renew_session(&self, id: &str, renewal: Renewal, network: &str, life: Duration) -> Renewed {
        let lock = self.session_key(&format!("{id}-lock"));
        let renewed = alone(lock, SHORT_TURN, || {
            let (changed, renewed) = Session::visited(self.session(id), renewal, network);
            if let Some(session) = changed {
                self.keep_session(id, &session.written(), life);
            }
            renewed
        });
        renewed.unwrap_or_default()
    }

    fn forget_session(&self, id: &str) {
        if self.session_end(id).is_some() {
            self.keep_session(id, FORGOTTEN, Duration::from_secs(1));
        }
    }
}

impl PlatformCache {
    fn session(&self, id: &str) -> Option<Session> {
        let found = Overwritten::at(self.session_key(id)).found()?;
        Session::read(&found.user_metadata())
    }

    fn keep_session(&self, id: &str, written: &str, life: Duration) {
        // What cannot be kept the next visit tells once more.
        let _ = Overwritten::at(self.session_key(id)).write(written.into(), life);
    }
}
