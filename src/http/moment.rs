//! A time as people and programs write it.

use time::{Date, Month};

/// The day 1970-01-01 of the Julian calendar.
const EPOCH: i32 = 2_440_588;

/// A time of RFC 3339 in milliseconds since 1970, to the second: its seconds may be missing, and a fraction of one is left out.
#[must_use]
pub fn moment(text: &str) -> Option<u64> {
    let (date, rest) = text.split_once('T')?;
    let (clock, offset) = rest.split_at(rest.find(['Z', '+', '-'])?);
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let is_fraction = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let clock = Some(clock).filter(|_| is_fraction)?;
    let [hour, minute, second] = match numbers(clock, ':', [2, 2]) {
        Some([hour, minute]) => [hour, minute, 0],
        None => numbers(clock, ':', [2, 2, 2])?,
    };
    let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
    let date = Date::from_calendar_date(year, month, u8::try_from(day).ok()?).ok()?;
    let days = i64::from(date.to_julian_day() - EPOCH);
    let seconds = days * 86_400 + seconds([hour, minute, second])? - behind_utc(offset)?;
    u64::try_from(seconds).ok()?.checked_mul(1000)
}

/// The seconds by which a clock of this offset is ahead of UTC.
fn behind_utc(offset: &str) -> Option<i64> {
    if offset == "Z" {
        return Some(0);
    }
    let [hour, minute] = numbers(offset.get(1..)?, ':', [2, 2])?;
    let seconds = seconds([hour, minute, 0])?;
    Some(if offset.starts_with('-') {
        -seconds
    } else {
        seconds
    })
}

fn seconds([hour, minute, second]: [i32; 3]) -> Option<i64> {
    let is_clock = hour < 24 && minute < 60 && second < 60;
    is_clock.then(|| i64::from(hour * 3600 + minute * 60 + second))
}

/// Numbers that have these digits, with this sign between them.
fn numbers<const MANY: usize>(
    text: &str,
    sign: char,
    digits: [usize; MANY],
) -> Option<[i32; MANY]> {
    let mut parts = text.split(sign);
    let mut numbers = [0; MANY];
    for (number, digits) in numbers.iter_mut().zip(digits) {
        let part = parts.next()?;
        let is_number = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        *number = part.parse().ok().filter(|_| is_number)?;
    }
    parts.next().is_none().then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_read_with_its_offset() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("1970-01-01T01:00:01+01:00", 1),
            ("2000-02-29T23:59:59Z", 951_868_799),
            ("2030-01-31T10:00:00Z", 1_896_084_000),
            ("2030-01-31T10:00Z", 1_896_084_000),
            ("2030-01-31T10:00:00.000Z", 1_896_084_000),
            ("2030-01-31T10:00:00.999Z", 1_896_084_000),
            ("2030-01-31T11:30+01:30", 1_896_084_000),
            ("2030-01-31T05:00:00-05:00", 1_896_084_000),
        ] {
            assert_eq!(moment(text), Some(seconds * 1000), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_or_has_no_offset_is_none() {
        for text in [
            "",
            "T",
            "2030-01-31",
            "2030-01-31T10:00:00",
            "2030-01-31 10:00:00Z",
            "2030-1-31T10:00:00Z",
            "2030-02-30T10:00:00Z",
            "2030-13-01T10:00:00Z",
            "2030-01-31T24:00:00Z",
            "2030-01-31T10:60:00Z",
            "2030-01-31T10:00:60Z",
            "2030-01-31T10Z",
            "2030-01-31T10:00:00.Z",
            "2030-01-31T10:00:00.5aZ",
            "2030-01-31T10:00:00.5.5Z",
            "2030-01-31T10:00:00+1",
            "2030-01-31T10:00:00+24:00",
            "2030-01-31T10:00:00Zx",
            "1969-12-31T23:59:59Z",
            "+030-01-31T10:00:00Z",
        ] {
            assert_eq!(moment(text), None, "{text}");
        }
    }
}
