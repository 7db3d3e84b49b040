//! What one sandbox may use of the platform before it ends.
//!
//! Known, from Fastly's documentation: an execution may make 32 backend calls (10 on trial accounts) and 32 look-ups of the config store,
//! read five secrets, and take 50 ms of CPU; a URL may have 8 KB. Assumed, since no document says it: an execution is the whole life of a sandbox, and not
//! one request of it; the other reading allows more. Invariant: a sandbox takes no request that could carry it over one of its own
//! limits, which lie below these.

/// The bytes of a URL. The SDK panics over one that the host does not take.
pub const URL: usize = 8192;
/// The look-ups of a sandbox.
pub const LOOK_UPS: usize = 24;
/// Its reads of the secret store.
pub const SECRETS: usize = 5;
/// Its CPU, in milliseconds, after which it takes no further request.
pub const VCPU_MS: u64 = 30;
/// Its backend calls, unless the setting `backend_calls` says otherwise.
pub const CALLS: u64 = 24;

/// The most backend calls of one request: to the origin for it and for a probe; to the store for it, after its answer and
/// after the probe, and one of these three twice where the store has forgotten the script.
pub const CALLS_OF_A_REQUEST: u64 = 6;
/// The look-ups of a configuration that is read once more.
const LOOK_UPS_OF_A_REQUEST: usize = 12;
/// The secrets of one operator's request, besides those that the sandbox has read for its first visitor.
const SECRETS_OF_A_REQUEST: usize = 2;

/// What a sandbox has used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// Requests sent to the origin and to the store.
    pub calls: u64,
    /// Look-ups of the config store, as the platform counts them.
    pub look_ups: usize,
    /// Reads of the secret store.
    pub secrets: usize,
    /// CPU in milliseconds.
    pub vcpu_ms: u64,
}

impl Used {
    /// Whether one more request stays within the limits, whatever it is.
    #[must_use]
    pub fn leaves_room(&self, most_calls: u64) -> bool {
        self.calls.saturating_add(CALLS_OF_A_REQUEST) <= most_calls
            && self.look_ups.saturating_add(LOOK_UPS_OF_A_REQUEST) <= LOOK_UPS
            && self.secrets.saturating_add(SECRETS_OF_A_REQUEST) <= SECRETS
            && self.vcpu_ms < VCPU_MS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sandbox_ends_before_the_request_that_could_exceed_a_limit() {
        let used = |calls, look_ups, secrets, vcpu_ms| Used {
            calls,
            look_ups,
            secrets,
            vcpu_ms,
        };
        for (used, most_calls, is_room) in [
            (Used::default(), CALLS, true),
            (used(18, 12, 3, 29), CALLS, true),
            (used(19, 0, 0, 0), CALLS, false),
            (used(0, 13, 0, 0), CALLS, false),
            (used(0, 0, 4, 0), CALLS, false),
            (used(0, 0, 0, 30), CALLS, false),
            (used(4, 0, 0, 0), 10, true),
            (used(5, 0, 0, 0), 10, false),
            (used(0, 0, 0, 0), CALLS_OF_A_REQUEST, true),
            (used(1, 0, 0, 0), CALLS_OF_A_REQUEST, false),
            (
                used(u64::MAX, usize::MAX, usize::MAX, u64::MAX),
                CALLS,
                false,
            ),
        ] {
            assert_eq!(
                used.leaves_room(most_calls),
                is_room,
                "{used:?} of {most_calls}"
            );
        }
    }
}
