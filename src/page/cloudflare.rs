//! The waiting answer as Cloudflare's Waiting Room words it, so that apps written for that work unchanged.
//!
//! Names, order and types are those of the object `cfWaitingRoom` in Cloudflare's API reference, at
//! `json_response_enabled`. It has no random queue and no Turnstile to tell of: those fields never change. An event is active from
//! its pre-queue to its end.

use serde::Serialize;

use super::Waiting;
use super::clock::iso_8601;
use crate::queue::{Order, Phase};

/// What Cloudflare says where there is nothing to say.
const UNAVAILABLE: &str = "unavailable";

/// The object `cfWaitingRoom`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "Cloudflare's object has that many"
)]
pub struct CfWaitingRoom {
    in_waiting_room: bool,
    wait_time_known: bool,
    wait_time: u64,
    #[serde(rename = "waitTime25Percentile")]
    wait_time_25_percentile: u64,
    #[serde(rename = "waitTime50Percentile")]
    wait_time_50_percentile: u64,
    #[serde(rename = "waitTime75Percentile")]
    wait_time_75_percentile: u64,
    wait_time_formatted: String,
    queue_is_full: bool,
    queue_all: bool,
    last_updated: String,
    refresh_interval_seconds: u64,
    queueing_method: &'static str,
    #[serde(rename = "isFIFOQueue")]
    is_fifo_queue: bool,
    is_random_queue: bool,
    is_passthrough_queue: bool,
    is_reject_queue: bool,
    is_event_active: bool,
    is_event_prequeueing: bool,
    time_until_event_start: u64,
    time_until_event_start_formatted: String,
    time_until_event_end: u64,
    time_until_event_end_formatted: String,
    shuffle_at_event_start: bool,
    turnstile: &'static str,
    infinite_queue: bool,
}

impl CfWaitingRoom {
    /// What is known of a waiting visitor who looked at `now_ms`.
    #[must_use]
    pub fn new(waiting: &Waiting, now_ms: u64) -> Self {
        let known = waiting.estimate.map(minutes);
        let active = waiting
            .event
            .filter(|event| matches!(event.phase, Phase::Prequeue | Phase::Open));
        let prequeue = active.filter(|event| event.phase == Phase::Prequeue);
        let start = prequeue.map(|event| minutes(event.opens_in()));
        let end = active.and_then(|event| event.closes_in().map(minutes));
        Self {
            in_waiting_room: true,
            wait_time_known: known.is_some(),
            wait_time: known.unwrap_or_default(),
            wait_time_25_percentile: 0,
            wait_time_50_percentile: 0,
            wait_time_75_percentile: 0,
            wait_time_formatted: words(known),
            queue_is_full: false,
            queue_all: false,
            last_updated: iso_8601(now_ms),
            refresh_interval_seconds: waiting.refresh,
            queueing_method: "fifo",
            is_fifo_queue: true,
            is_random_queue: false,
            is_passthrough_queue: false,
            is_reject_queue: false,
            is_event_active: active.is_some(),
            is_event_prequeueing: prequeue.is_some(),
            time_until_event_start: start.unwrap_or_default(),
            time_until_event_start_formatted: words(start),
            time_until_event_end: end.unwrap_or_default(),
            time_until_event_end_formatted: words(end),
            shuffle_at_event_start: active.is_some_and(|event| event.order == Order::Drawn.name()),
            turnstile: "",
            infinite_queue: false,
        }
    }
}

/// Whole minutes, rounded up, and never 0: that is what an unknown wait looks like.
fn minutes(seconds: u64) -> u64 {
    seconds.div_ceil(60).max(1)
}

/// In minutes however many: no other unit is documented, and apps may read the number out of it.
fn words(minutes: Option<u64>) -> String {
    let Some(minutes) = minutes else {
        return UNAVAILABLE.to_owned();
    };
    let plural = if minutes == 1 { "" } else { "s" };
    format!("{minutes} minute{plural}")
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::queue::{Event, Outlook};

    /// The example of Cloudflare's API reference for a line that is first in, first out while no event is active.
    const DOCUMENTED: &str = r#"{
	"cfWaitingRoom": {
		"inWaitingRoom": true,
		"waitTimeKnown": true,
		"waitTime": 10,
		"waitTime25Percentile": 0,
		"waitTime50Percentile": 0,
		"waitTime75Percentile": 0,
		"waitTimeFormatted": "10 minutes",
		"queueIsFull": false,
		"queueAll": false,
		"lastUpdated": "2020-08-03T23:46:00.000Z",
		"refreshIntervalSeconds": 20,
		"queueingMethod": "fifo",
		"isFIFOQueue": true,
		"isRandomQueue": false,
		"isPassthroughQueue": false,
		"isRejectQueue": false,
		"isEventActive": false,
		"isEventPrequeueing": false,
		"timeUntilEventStart": 0,
		"timeUntilEventStartFormatted": "unavailable",
		"timeUntilEventEnd": 0,
		"timeUntilEventEndFormatted": "unavailable",
		"shuffleAtEventStart": false
	}
}"#;

    /// Described there as fields 24 and 25, later than the example was written.
    const LATER: &str = r#","turnstile":"","infiniteQueue":false"#;

    #[test]
    fn it_is_the_documented_example_name_by_name_in_the_same_order() {
        let waiting = Waiting {
            estimate: Some(600),
            refresh: 20,
            ..Waiting::default()
        };
        let ours = CfWaitingRoom::new(&waiting, 1_596_498_360_000);
        let ours = serde_json::to_string(&ours).unwrap();
        let example = DOCUMENTED.replace(['\n', '\t'], "").replace("\": ", "\":");
        let example = example.strip_suffix("}}").unwrap();
        assert_eq!(
            format!(r#"{{"cfWaitingRoom":{ours}}}"#),
            format!("{example}{LATER}}}}}")
        );
    }

    #[test]
    fn a_wait_is_in_whole_minutes_rounded_up_and_unavailable_when_unknown() {
        let shown = |estimate: Option<u64>| {
            let waiting = Waiting {
                estimate,
                ..Waiting::default()
            };
            let room = CfWaitingRoom::new(&waiting, 0);
            (
                room.wait_time_known,
                room.wait_time,
                room.wait_time_formatted,
            )
        };
        for (estimate, minutes, words) in [
            (0, 1, "1 minute"),
            (60, 1, "1 minute"),
            (61, 2, "2 minutes"),
            (300, 5, "5 minutes"),
            (3_900, 65, "65 minutes"),
        ] {
            assert_eq!(shown(Some(estimate)), (true, minutes, words.to_owned()));
        }
        assert_eq!(shown(None), (false, 0, "unavailable".to_owned()));
    }

    #[test]
    fn an_event_is_active_from_its_prequeue_to_its_end() {
        let event = Event {
            prequeue_ms: 60_000,
            closes_ms: Some(7_200_000),
            order: Order::Drawn,
            ..Event::new("sale", 600_000)
        };
        for (now_ms, is_active, start, end) in [
            (0, false, 0, 0),
            (60_000, true, 9, 119),
            (599_999, true, 1, 111),
            (600_000, true, 0, 110),
            (7_200_000, false, 0, 0),
        ] {
            let outlook = Outlook::new(&event, event.phase(now_ms), now_ms);
            let waiting = Waiting {
                event: Some(outlook),
                ..Waiting::default()
            };
            let room = CfWaitingRoom::new(&waiting, now_ms);
            let told = (
                room.is_event_active,
                room.time_until_event_start,
                room.time_until_event_end,
            );
            assert_eq!(told, (is_active, start, end), "at {now_ms}");
            assert_eq!(room.is_event_prequeueing, start > 0);
            assert_eq!(room.shuffle_at_event_start, is_active);
            let words = [
                room.time_until_event_start_formatted,
                room.time_until_event_end_formatted,
            ];
            let expected = [start, end].map(words_of);
            assert_eq!(words, expected);
        }
    }

    fn words_of(minutes: u64) -> String {
        match minutes {
            0 => "unavailable".to_owned(),
            1 => "1 minute".to_owned(),
            _ => format!("{minutes} minutes"),
        }
    }

    #[test]
    fn a_time_is_written_as_browsers_write_it() {
        for (unix_ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (1_709_164_800_001, "2024-02-29T00:00:00.001Z"),
            (1_798_761_599_000, "2026-12-31T23:59:59.000Z"),
            (1_800_000_000_000, "2027-01-15T08:00:00.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(iso_8601(unix_ms), text);
        }
    }
}
