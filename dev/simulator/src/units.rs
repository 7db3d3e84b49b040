//! Times and rates as people write them: `10m`, `1.5h`, `500/min`.

use std::fmt;
use std::str::FromStr;

use now_serving::queue::Pace;
use serde::Deserialize;

/// A length of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct Span {
    ms: u64,
}

const UNITS: [(&str, f64); 5] = [
    ("ms", 1.0),
    ("s", 1e3),
    ("m", 60e3),
    ("h", 3600e3),
    ("d", 86_400e3),
];

impl Span {
    /// From milliseconds.
    #[must_use]
    pub const fn from_ms(ms: u64) -> Self {
        Self { ms }
    }

    /// From seconds.
    #[must_use]
    pub const fn from_secs(secs: u64) -> Self {
        Self::from_ms(secs * 1000)
    }

    /// In milliseconds.
    #[must_use]
    pub const fn ms(self) -> u64 {
        self.ms
    }

    /// In milliseconds, to reckon with.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "no event lasts 200 000 years")]
    pub fn as_ms(self) -> f64 {
        self.ms as f64
    }

    /// In seconds.
    #[must_use]
    pub fn as_secs(self) -> f64 {
        self.as_ms() / 1000.0
    }

    /// In minutes.
    #[must_use]
    pub fn as_minutes(self) -> f64 {
        self.as_secs() / 60.0
    }
}

/// Whole milliseconds of a time that was reckoned.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast saturates, and no time is negative"
)]
pub fn whole(ms: f64) -> u64 {
    ms.max(0.0).round() as u64
}

/// A count to reckon with.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "no event has 2^53 visitors")]
pub fn float(count: u64) -> f64 {
    count as f64
}

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!("{text:?} is no time; accepted is a number and ms, s, m, h or d, such as 90s")
        };
        let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let unit = text.get(digits.len()..).unwrap_or_default();
        let factor = UNITS.iter().find(|(name, _)| *name == unit);
        let (_, factor) = factor.ok_or_else(wrong)?;
        let number: f64 = digits.parse().map_err(|_| wrong())?;
        let is_time = number.is_finite() && number >= 0.0;
        let span = is_time.then(|| Self::from_ms(whole(number * factor)));
        span.ok_or_else(wrong)
    }
}

impl TryFrom<String> for Span {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

/// `45 s`, `12 min`, `3 h 20 min`.
impl fmt::Display for Span {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let secs = (self.ms + 500) / 1000;
        match secs {
            0..120 => write!(formatter, "{secs} s"),
            120..7200 => write!(formatter, "{} min", (secs + 30) / 60),
            _ => write!(formatter, "{} h {:02} min", secs / 3600, secs % 3600 / 60),
        }
    }
}

/// How many a minute.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Rate {
    /// The number.
    pub a_minute: f64,
}

impl Rate {
    /// Of these settings; 0 where no visitor goes in by time.
    #[must_use]
    pub fn of(settings: Pace) -> Self {
        let minutes = Span::from_secs(settings.automatic).as_minutes();
        let a_minute = if settings.automatic > 0 {
            float(settings.quantity) / minutes
        } else {
            0.0
        };
        Self { a_minute }
    }
}

/// `500 a minute`, `1.5 a minute`, `3 a day`: in the first of these units in which it is one or more.
impl fmt::Display for Rate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [("a minute", 1.0), ("an hour", 60.0), ("a day", 1440.0)];
        let found = units
            .iter()
            .find(|(_, minutes)| self.a_minute * minutes >= 1.0);
        let (unit, minutes) = found.unwrap_or(&("a day", 1440.0));
        let many = format!("{:.4}", self.a_minute * minutes);
        let many = many.trim_end_matches('0').trim_end_matches('.');
        write!(formatter, "{many} {unit}")
    }
}

impl FromStr for Rate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("{text:?} is no rate; accepted is such as 500/min, 8/s, 30000/h or 75/15s");
        let (number, per) = text.split_once('/').ok_or_else(wrong)?;
        let number: f64 = number.trim().parse().map_err(|_| wrong())?;
        let per = match per.trim() {
            "min" | "m" => Span::from_secs(60),
            "s" => Span::from_secs(1),
            "h" => Span::from_secs(3600),
            other => other.parse::<Span>().map_err(|_| wrong())?,
        };
        let is_rate = number.is_finite() && number > 0.0 && per.ms() > 0;
        let rate = is_rate.then(|| Self {
            a_minute: number / per.as_minutes(),
        });
        rate.ok_or_else(wrong)
    }
}

/// A count with its thousands apart, as `1 234 567`.
#[must_use]
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .filter_map(|group| std::str::from_utf8(group).ok())
        .collect();
    groups.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_number_and_a_unit() {
        let ms = |text: &str| text.parse::<Span>().map(Span::ms);
        assert_eq!(ms("250ms"), Ok(250));
        assert_eq!(ms("90s"), Ok(90_000));
        assert_eq!(ms("1.5h"), Ok(5_400_000));
        assert_eq!(ms("2d"), Ok(172_800_000));
        for wrong in ["", "10", "m", "-1s", "10 minutes", "1e400s"] {
            assert!(
                ms(wrong).is_err_and(|said| said.contains("accepted is")),
                "{wrong}"
            );
        }
    }

    #[test]
    fn a_time_is_told_as_people_say_it() {
        let told = |text: &str| text.parse::<Span>().map(|span| span.to_string());
        assert_eq!(told("45s").as_deref(), Ok("45 s"));
        assert_eq!(told("12m").as_deref(), Ok("12 min"));
        assert_eq!(told("200m").as_deref(), Ok("3 h 20 min"));
    }

    #[test]
    fn a_rate_names_what_it_is_for() {
        let rate = |text: &str| text.parse::<Rate>().map(|rate| rate.a_minute);
        assert_eq!(rate("500/min"), Ok(500.0));
        assert_eq!(rate("8/s"), Ok(480.0));
        assert_eq!(rate("75/15s"), Ok(300.0));
        for wrong in ["500", "0/min", "a/min", "5/0s", "5/moon"] {
            assert!(
                rate(wrong).is_err_and(|said| said.contains("accepted is")),
                "{wrong}"
            );
        }
        for (rate, told) in [
            ("500/min", "500 a minute"),
            ("90/h", "1.5 a minute"),
            ("0.1/min", "6 an hour"),
            ("1/2d", "0.5 a day"),
        ] {
            let said = rate.parse::<Rate>().map(|rate| rate.to_string());
            assert_eq!(said.as_deref(), Ok(told));
        }
        assert_eq!(grouped(1_234_567), "1 234 567");
    }
}
