//! The waiting answer as Cloudflare's Waiting Room words it, so that apps written for that work unchanged.
//!
//! Names, order and types are those of the object `cfWaitingRoom` in Cloudflare's API reference, at
//! `json_response_enabled`. It has no shuffled line, no events and no Turnstile to tell of: those fields never change.

use serde::Serialize;

use super::Waiting;

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
    time_until_event_start_formatted: &'static str,
    time_until_event_end: u64,
    time_until_event_end_formatted: &'static str,
    shuffle_at_event_start: bool,
    turnstile: &'static str,
    infinite_queue: bool,
}

impl CfWaitingRoom {
    /// What is known of a waiting visitor who looked at `now_ms`.
    #[must_use]
    pub fn new(waiting: &Waiting, now_ms: u64) -> Self {
        let minutes = waiting.estimate.map(minutes);
        Self {
            in_waiting_room: true,
            wait_time_known: minutes.is_some(),
            wait_time: minutes.unwrap_or_default(),
            wait_time_25_percentile: 0,
            wait_time_50_percentile: 0,
            wait_time_75_percentile: 0,
            wait_time_formatted: minutes.map_or_else(|| UNAVAILABLE.to_owned(), words),
            queue_is_full: false,
            queue_all: false,
            last_updated: iso_8601(now_ms),
            refresh_interval_seconds: waiting.refresh,
            queueing_method: "fifo",
            is_fifo_queue: true,
            is_random_queue: false,
            is_passthrough_queue: false,
            is_reject_queue: false,
            is_event_active: false,
            is_event_prequeueing: false,
            time_until_event_start: 0,
            time_until_event_start_formatted: UNAVAILABLE,
            time_until_event_end: 0,
            time_until_event_end_formatted: UNAVAILABLE,
            shuffle_at_event_start: false,
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
fn words(minutes: u64) -> String {
    let plural = if minutes == 1 { "" } else { "s" };
    format!("{minutes} minute{plural}")
}

const DAY_MS: u64 = 86_400_000;

/// Such as `2020-08-03T23:46:00.000Z`.
fn iso_8601(unix_ms: u64) -> String {
    let (year, month, day) = civil(unix_ms / DAY_MS);
    let (seconds, ms) = (unix_ms % DAY_MS / 1000, unix_ms % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z")
}

/// The Gregorian date so many days after 1970-01-01: `civil_from_days` of Howard Hinnant's "chrono-Compatible Low-Level
/// Date Algorithms", for days that are never negative. Its years begin in March, so that a leap day comes last, and
/// its eras of 400 years all have the same length.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let leaps = day_of_era / 1_460 + day_of_era / 146_096;
    let year_of_era = (day_of_era + day_of_era / 36_524 - leaps) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 {
        from_march + 3
    } else {
        from_march - 9
    };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

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

    #[test]
    fn every_day_of_four_centuries_follows_the_one_before() {
        let is_leap = |year: u64| {
            year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
        };
        let last_of = |year: u64, month: u64| match month {
            2 => 28 + u64::from(is_leap(year)),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        let mut today = (1970, 1, 1);
        for days in 0..146_097 {
            assert_eq!(civil(days), today);
            let (year, month, day) = today;
            today = match (month, day) {
                (12, 31) => (year + 1, 1, 1),
                _ if day == last_of(year, month) => (year, month + 1, 1),
                _ => (year, month, day + 1),
            };
        }
    }
}
