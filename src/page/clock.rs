//! Moments in words, in UTC.

const DAY_MS: u64 = 86_400_000;

/// Such as `2020-08-03T23:46:00.000Z`.
#[must_use]
pub fn iso_8601(unix_ms: u64) -> String {
    let (day, time, ms) = (day(unix_ms), time(unix_ms), unix_ms % 1000);
    format!("{day}T{time}.{ms:03}Z")
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

/// The Gregorian date this many days after 1970-01-01: `civil_from_days` of Howard Hinnant's "chrono-Compatible Low-Level
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
    use super::*;

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
