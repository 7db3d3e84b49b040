//! The sessions that a POP has made longer, by ticket.

use crate::queue::Renewal;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Where the latest end of each session is kept that was renewed here.
pub trait SessionEnds {
    /// The last minute of this ticket's session, as it was last renewed here.
    fn session_end(&self, id: &str) -> Option<u64>;
    /// Makes the session of a ticket longer, and keeps its end for `life`. What the store is to be told: from the latest end that
    /// is known here, and nothing where it ends no later by it. One request at a time does this for a ticket, so parallel
    /// requests, and clients that ignore their cookies, tell each minute once. The network of the visitor is kept besides.
    fn renew_session(&self, id: &str, renewal: Renewal, network: &str, life: Duration) -> Renewed;
    /// There is no session of this ticket.
    fn forget_session(&self, id: &str);
}

/// Noted when the store was asked for a session, and its answer was lost. No session ends so early, so no renewal moves from
/// there.
pub const MAY_HAVE_BEGUN: Renewal = Renewal { from: 0, to: 1 };

/// For how long a repeated claim gets the same session, from whatever network.
pub const CLAIM_REPEATED_WITHIN: Duration = Duration::from_mins(5);

/// What the store is to be told, where this end is known.
#[must_use]
pub fn later(known: Option<u64>, renewal: Renewal) -> Option<Renewal> {
    let from = known.unwrap_or(0).max(renewal.from);
    (from < renewal.to).then_some(Renewal { from, ..renewal })
}

/// What came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Renewed {
    /// What the store is to be told.
    pub told: Option<Renewal>,
    /// The how many-th network this is from which the ticket is used here; 0 where that is not known.
    pub place: u64,
}

/// A session as the cache keeps it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Its last minute.
    pub end: u64,
    /// The networks from which its ticket was used, in the order in which they came: the first of them.
    pub networks: Vec<String>,
}

/// How many networks are kept: one more than may be allowed.
const MOST: usize = 17;

/// How many characters of a network's digest.
const SHORT: usize = 6;

impl Session {
    /// The session after a visit from this network, if it has changed; and what came of it.
    #[must_use]
    pub fn visited(
        known: Option<Self>,
        renewal: Renewal,
        network: &str,
    ) -> (Option<Self>, Renewed) {
        let told = later(known.as_ref().map(|session| session.end), renewal);
        let mut session = known.unwrap_or_default();
        let network: String = network.chars().take(SHORT).collect();
        let at = session.networks.iter().position(|known| *known == network);
        let is_new = at.is_none() && !network.is_empty() && session.networks.len() < MOST;
        let place = match at {
            _ if network.is_empty() => 0,
            Some(at) => at + 1,
            None => session.networks.len() + 1,
        };
        if is_new {
            session.networks.push(network);
        }
        session.end = told.map_or(session.end, |told| told.to);
        let changed = (is_new || told.is_some()).then_some(session);
        let place = place as u64;
        (changed, Renewed { told, place })
    }
}

/// Written over an end that counts no more.
pub const FORGOTTEN: &str = "";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::{decode, encode};

    #[test]
    fn a_session_moves_from_its_latest_end_and_never_back() {
        let renewal = Renewal { from: 20, to: 30 };
        assert_eq!(later(None, renewal), Some(renewal));
        assert_eq!(later(Some(10), renewal), Some(renewal));
        let moved = Renewal { from: 29, to: 30 };
        assert_eq!(later(Some(29), renewal), Some(moved));
        assert_eq!(later(Some(30), renewal), None);
        assert_eq!(later(Some(31), renewal), None);
        let first = Renewal { from: 0, to: 30 };
        assert_eq!(later(None, first), Some(first));
    }

    #[test]
    fn a_session_is_read_as_it_was_written() {
        for networks in [vec![], vec!["abcdef".to_owned(), "ghijkl".to_owned()]] {
            let session = Session { end: 30, networks };
            assert_eq!(decode(&encode(&session)), Some(session));
        }
        for spoilt in [
            FORGOTTEN,
            "30",
            r#"{"end":30}"#,
            r#"{"end":-1,"networks":[]}"#,
        ] {
            assert_eq!(decode::<Session>(spoilt.as_bytes()), None, "{spoilt}");
        }
    }

    #[test]
    fn each_network_has_its_place_and_only_the_first_seventeen_are_kept() {
        let visit = |known: &mut Option<Session>, network: &str| {
            let (changed, renewed) =
                Session::visited(known.clone(), Renewal { from: 0, to: 30 }, network);
            if changed.is_some() {
                *known = changed;
            }
            renewed.place
        };
        let mut known = None;
        for place in 1..=20 {
            let expected = place.min(18);
            assert_eq!(visit(&mut known, &format!("{place:06}-and-more")), expected);
        }
        assert_eq!(visit(&mut known, "000003-and-other"), 3);
        assert_eq!(visit(&mut known, ""), 0, "it is not known");
        assert_eq!(known.unwrap_or_default().networks.len(), 17);
    }
}
