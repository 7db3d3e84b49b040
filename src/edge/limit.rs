//! A call that the platform refuses since this sandbox has made as many as it may. A service may have fewer than the setting
//! `backend_calls` says: a trial account has 10. Invariant: after such a call the sandbox takes no further request, since each one would
//! fail.

use fastly::http::request::SendErrorCause;

use super::outbox::Counts;

/// The code of the SDK's `FastlyStatus::LIMITEXCEEDED`, which no other crate can name.
const LIMIT_EXCEEDED: i32 = 13;

impl Counts {
    /// Whether a call failed for the number of calls. Then this sandbox ends with the request.
    pub(super) fn are_at_limit(&self, cause: &SendErrorCause) -> bool {
        let is_it = matches!(cause, SendErrorCause::InternalError(Some(status)) if status.code == LIMIT_EXCEEDED);
        self.is_at_limit.set(is_it || self.is_at_limit.get());
        is_it
    }
}
