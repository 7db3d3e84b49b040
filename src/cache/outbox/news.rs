//! How the origin answered, among what is counted: it is news for a short time only.

use super::Tally;
use crate::queue::{Answered, Now};

/// Answers are told apart by spans of this many seconds, and are of now for that many spans.
const SPAN: u64 = 10;
const FRESH_SPANS: u64 = 2;

fn read_watched(rest: &str) -> Option<(&str, &str, u64)> {
    let mut words = rest.split('_');
    let (cuts, kind, span) = (words.next()?, words.next()?, words.next()?);
    Some((cuts, kind, span.parse().ok()?))
}

impl Tally {
    /// The origin answered a request that was watched, at this time. `cuts` is what the sign said of the window to which the visitor
    /// belongs; 0 for none.
    pub fn watched(&mut self, cuts: u64, answered: Answered, now: Now) {
        let span = now.secs() / SPAN;
        self.add(&format!("watched_{cuts}_{}_{span}", answered.name()), 1);
    }

    /// The same as the store hears it: answers of long ago are counted and say nothing about the origin of now.
    #[must_use]
    pub fn as_of(&self, now: Now) -> Self {
        let mut told = Self::default();
        for (name, number) in &self.0 {
            match name.strip_prefix("watched_").and_then(read_watched) {
                Some((cuts, kind, span)) if (now.secs() / SPAN).abs_diff(span) <= FRESH_SPANS => {
                    told.add(&format!("watched_{cuts}_{kind}"), *number);
                }
                Some((_, kind, _)) => told.add(&format!("origin_{kind}"), *number),
                None => told.add(name, *number),
            }
        }
        told
    }

    /// How often the origin answered like this.
    #[must_use]
    pub fn origin(&self, answered: Answered) -> u64 {
        self.number(&format!("origin_{}", answered.name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::Reason;

    #[test]
    fn what_the_origin_answered_long_ago_is_counted_and_is_no_news() {
        let mut counted = Tally::default();
        counted.watched(3, Answered::Late, Now::from_secs(1005));
        counted.watched(3, Answered::Late, Now::from_secs(1009));
        counted.watched(0, Answered::Ok, Now::from_secs(1010));
        counted.decided(Reason::Inside);
        assert_eq!(Tally::decode(&counted.encode()), Some(counted.clone()));
        let told = |secs| counted.as_of(Now::from_secs(secs)).encode();
        assert_eq!(
            told(1029),
            "watched_3_late=2 watched_0_ok=1 decided_inside=1"
        );
        assert_eq!(told(1030), "origin_late=2 watched_0_ok=1 decided_inside=1");
        assert_eq!(told(9000), "origin_late=2 origin_ok=1 decided_inside=1");
    }
}
