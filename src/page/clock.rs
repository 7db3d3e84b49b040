//! Moments in words, in UTC.

use time::{Date, Duration, OffsetDateTime};

const DAY_MS: u64 = 86_400_000;
const MINUTE_MS: u64 = 60_000;

/// Such as `2020-08-03T23:46:00.000Z`.
#[must_use]
pub fn iso_8601(unix_ms: u64) -> String {
    let (day, time, ms) = (day(unix_ms), time(unix_ms), unix_ms % 1000);
    format!("{day}T{time}.{ms:03}Z")
}

/// Such as `2020-08-03 23:46:00 UTC`.
#[must_use]
pub fn utc(unix_ms: u64) -> String {
    format!("{} {} UTC", day(unix_ms), time(unix_ms))
}

/// Such as `23:46:00`.
pub(super) fn time(unix_ms: u64) -> String {
    let (seconds, minutes) = (unix_ms / 1000, unix_ms / 60_000);
    let (hour, minute, second) = (minutes / 60 % 24, minutes % 60, seconds % 60);
    format!("{hour:02}:{minute:02}:{second:02}")
}

/// Such as `2020-08-03`.
pub(super) fn day(unix_ms: u64) -> String {
    let (year, month, day) = civil(unix_ms / DAY_MS);
    format!("{year:04}-{month:02}-{day:02}")
}

/// A moment of today by its time, `23:46:00 UTC`; any other with its day.
pub(super) fn moment(at_ms: u64, now_ms: u64) -> String {
    if day(at_ms) == day(now_ms) {
        format!("{} UTC", time(at_ms))
    } else {
        utc(at_ms)
    }
}

/// The same without its seconds.
pub(super) fn moment_to_the_minute(at_ms: u64, now_ms: u64) -> String {
    moment(at_ms - at_ms % MINUTE_MS, now_ms).replace(":00 UTC", " UTC")
}

/// The same in one line: no browser breaks it.
pub(super) fn unbroken(moment: &str) -> String {
    moment.replace(' ', "\u{a0}")
}

/// The Gregorian date this many days after 1970-01-01; the last one that there is for any later one.
fn civil(days: u64) -> (i32, u8, u8) {
    let days = i32::try_from(days).unwrap_or(i32::MAX);
    let date = OffsetDateTime::UNIX_EPOCH
        .date()
        .checked_add(Duration::days(days.into()))
        .unwrap_or(Date::MAX);
    let (year, month, day) = date.to_calendar_date();
    (year, month.into(), day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_four_centuries_follows_the_one_before() {
        let is_leap = |year: i32| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let last_of = |year: i32, month: u8| match month {
            2 => 28 + u8::from(is_leap(year)),
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

    #[test]
    fn a_moment_past_every_calendar_is_the_last_day_of_it() {
        assert_eq!(day(u64::MAX), "9999-12-31");
    }
}
