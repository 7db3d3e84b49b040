//! Numbers, moments and lengths of time, as operators read them: in English, and in UTC.

use serde_json::Value;

use super::hour::MINUTE_MS;
use crate::http::object::object;
use crate::i18n::english;
use crate::page::clock;
use crate::queue::{Pace, Provenance};

/// A number of people, in words.
#[must_use]
pub fn people(many: u64) -> String {
    if many == 1 {
        "1 person".to_owned()
    } else {
        format!("{} people", number(many))
    }
}

/// A pace, in words.
#[must_use]
pub fn pace_words(pace: Pace) -> String {
    if pace.automatic == 0 {
        return "off".to_owned();
    }
    format!(
        "{} every {}",
        number(pace.quantity),
        seconds(pace.automatic)
    )
}

/// A moment as the page shows it: its script words it by the browser's clock.
pub(super) struct Moment {
    pub(super) iso: String,
    pub(super) text: String,
}

impl From<Moment> for Value {
    fn from(Moment { iso, text }: Moment) -> Self {
        object!({ "iso": iso, "text": text })
    }
}

/// A moment of today by its time, any other with its day.
pub(super) fn moment(at_ms: u64, now_ms: u64) -> Moment {
    Moment {
        iso: clock::iso_8601(at_ms),
        text: clock::moment(at_ms, now_ms),
    }
}

/// The same without its seconds, for a forecast.
pub(super) fn moment_to_the_minute(at_ms: u64, now_ms: u64) -> Moment {
    Moment {
        iso: clock::iso_8601(at_ms - at_ms % MINUTE_MS),
        text: clock::moment_to_the_minute(at_ms, now_ms),
    }
}

/// A length of time, in minutes up to two hours.
pub(in crate::page) fn span_words(seconds: u64) -> String {
    match seconds {
        0..30 => "less than a minute".to_owned(),
        30..7_170 => format!("{} min", (seconds + 30) / 60),
        7_170..171_000 => format!("{} h", (seconds + 1_800) / 3_600),
        _ => format!("{} days", number((seconds + 43_200) / 86_400)),
    }
}

pub(super) fn seconds(many: u64) -> String {
    let plural = if many == 1 { "" } else { "s" };
    format!("{} second{plural}", number(many))
}

/// A number as operators read it: in English.
#[must_use]
pub fn number(number: u64) -> String {
    english().number(number)
}

/// Less than ten a minute are told with a decimal.
pub(super) fn per_minute(people: u64, minutes: u64) -> String {
    let minutes = minutes.max(1);
    let tenths = (people.saturating_mul(20) / minutes).div_ceil(2);
    match tenths % 10 {
        part if part > 0 && tenths < 100 => format!("{}.{part}", tenths / 10),
        _ => number((tenths + 5) / 10),
    }
}

/// A pace by what it makes in a minute, unless that is next to nothing.
pub(super) fn rate_words(pace: Pace) -> String {
    if pace.quantity.saturating_mul(1_200) < pace.automatic {
        return pace_words(pace);
    }
    let rate = per_minute(pace.quantity.saturating_mul(60), pace.automatic);
    format!("{rate} a minute")
}

/// The same, unless that would hide how many go in at once: where a period is longer than a minute.
pub(super) fn speed_words(pace: Pace) -> String {
    match pace.automatic {
        1..=60 => rate_words(pace),
        _ => pace_words(pace),
    }
}

/// When a setting was set, and by whom.
pub(super) fn set(set: Option<&Provenance>, now_ms: u64) -> Option<Value> {
    set.map(|set| object!({ "at": moment(set.at_ms, now_ms), "by": set.who() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_a_minute_are_told_with_a_decimal() {
        for (people, minutes, told) in [
            (0, 5, "0"),
            (12, 5, "2.4"),
            (10, 5, "2"),
            (61, 5, "12"),
            (63, 5, "13"),
            (1, 0, "1"),
            (9_999, 1, "9,999"),
        ] {
            assert_eq!(per_minute(people, minutes), told);
        }
    }

    #[test]
    fn a_pace_is_told_by_the_minute_unless_that_is_next_to_nothing() {
        for (quantity, automatic, told) in [
            (5, 6, "50 a minute"),
            (5, 3_600, "0.1 a minute"),
            (1, 86_400, "1 every 86,400 seconds"),
        ] {
            let pace = Pace {
                automatic,
                quantity,
            };
            assert_eq!(rate_words(pace), told);
        }
    }

    #[test]
    fn a_length_of_time_is_told_no_finer_than_it_is_of_use() {
        for (seconds, told) in [
            (0, "less than a minute"),
            (29, "less than a minute"),
            (30, "1 min"),
            (420, "7 min"),
            (7_169, "119 min"),
            (7_170, "2 h"),
            (170_999, "47 h"),
            (171_000, "2 days"),
        ] {
            assert_eq!(span_words(seconds), told);
        }
    }

    #[test]
    fn a_forecast_names_a_minute() {
        let Moment { iso, text } = moment_to_the_minute(1_800_000_059_000, 1_800_000_000_000);
        assert_eq!(iso, "2027-01-15T08:00:00.000Z");
        assert_eq!(text, "08:00 UTC");
    }
}
