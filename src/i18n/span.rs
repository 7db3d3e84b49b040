//! How exactly a wait is worded: in steps no finer than the estimate is known, which is to a fifth of it.

/// A length of time, as it is worded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// `minutes`, `hours` or `days`: the text that counts them.
    pub(super) unit: &'static str,
    /// Where it is a range, its beginning; less than `to`.
    pub(super) from: Option<u64>,
    pub(super) to: u64,
}

/// How a wait of this many seconds is worded; `None` below a minute. With whole division:
///
/// | seconds | number | |
/// |---|---|---|
/// | below 60 | | less than a minute |
/// | below 1 230 | `(seconds + 30) / 60` | about that many minutes, up to 20 |
/// | below 4 500 | `seconds / 375 * 5` to `(seconds + 249) / 250 * 5` | minutes: a fifth less and a fifth more, outward to fives |
/// | below 180 000 | `(seconds + 2250) / 4500` to `(seconds + 1500) / 3000` | hours: a fifth less and a fifth more, rounded; where both are equal, about that many |
/// | from there on | `(seconds + 54000) / 108000` to `(seconds + 36000) / 72000` | days: likewise |
///
/// A range holds the estimate, and both its ends only grow with it: so hours begin at 75 minutes, where "55 to 90 minutes"
/// becomes "1 to 2 hours", and days at 50 hours, where "40 to 60 hours" becomes "2 to 3 days". Hours rounded outward would tell
/// two hours as "1 to 3".
pub(super) fn span(seconds: u64) -> Option<Span> {
    let (unit, from, to) = match seconds {
        0..60 => return None,
        60..1_230 => {
            let minutes = (seconds + 30) / 60;
            ("minutes", minutes, minutes)
        }
        1_230..4_500 => ("minutes", seconds / 375 * 5, seconds.div_ceil(250) * 5),
        4_500..180_000 => (
            "hours",
            (seconds + 2_250) / 4_500,
            (seconds + 1_500) / 3_000,
        ),
        _ => (
            "days",
            seconds.saturating_add(54_000) / 108_000,
            seconds.saturating_add(36_000) / 72_000,
        ),
    };
    Some(Span {
        unit,
        from: (from < to).then_some(from),
        to,
    })
}

/// How a time that is known is worded: minutes below two hours, hours below two days, days from there on; `None` below
/// a minute.
pub(super) fn known(seconds: u64) -> Option<Span> {
    let (unit, to) = match seconds {
        0..60 => return None,
        60..7_170 => ("minutes", (seconds + 30) / 60),
        7_170..171_000 => ("hours", (seconds + 1_800) / 3_600),
        _ => ("days", seconds.saturating_add(43_200) / 86_400),
    };
    Some(Span {
        unit,
        from: None,
        to,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every second of the first four days, then ever longer steps to the end.
    fn waits() -> impl Iterator<Item = u64> {
        let far =
            (18..64).flat_map(|bits| [(1 << bits) - 1, 1 << bits, 1 << bits | 1 << (bits - 2)]);
        (60..1 << 18).chain(far).chain([u64::MAX])
    }

    fn seconds(span: Span, number: u64) -> u128 {
        let unit = match span.unit {
            "days" => 86_400,
            "hours" => 3_600,
            _ => 60,
        };
        u128::from(number) * unit
    }

    #[test]
    fn a_range_holds_the_estimate_and_has_two_ends() {
        for wait in waits() {
            let span = span(wait).unwrap_or(Span {
                unit: "",
                from: None,
                to: 0,
            });
            if let Some(from) = span.from {
                assert!(0 < from && from < span.to, "{wait}: {span:?}");
                assert!(seconds(span, from) <= u128::from(wait), "{wait}: {span:?}");
                assert!(
                    u128::from(wait) <= seconds(span, span.to),
                    "{wait}: {span:?}"
                );
            } else {
                let off = seconds(span, span.to).abs_diff(u128::from(wait));
                let least = if span.unit == "minutes" { 30 } else { wait / 5 };
                assert!(off <= u128::from(least), "{wait}: {span:?}");
            }
        }
    }

    #[test]
    fn a_longer_wait_is_never_told_as_a_shorter_one() {
        let (mut least, mut most) = (0, 0);
        for (wait, span) in waits().filter_map(|wait| Some((wait, span(wait)?))) {
            let to = seconds(span, span.to);
            assert!(most <= to, "{wait}: {span:?}");
            most = to;
            if let Some(from) = span.from {
                let from = seconds(span, from);
                assert!(least <= from, "{wait}: {span:?}");
                least = from;
            }
        }
    }

    #[test]
    fn a_known_time_has_no_range() {
        let told = |seconds| known(seconds).map(|span| (span.from, span.to, span.unit));
        for (seconds, wording) in [
            (59, None),
            (60, Some((None, 1, "minutes"))),
            (1_800, Some((None, 30, "minutes"))),
            (7_169, Some((None, 119, "minutes"))),
            (7_170, Some((None, 2, "hours"))),
            (170_999, Some((None, 47, "hours"))),
            (171_000, Some((None, 2, "days"))),
            (864_000, Some((None, 10, "days"))),
        ] {
            assert_eq!(told(seconds), wording, "{seconds}");
        }
    }

    #[test]
    fn a_wait_is_worded_no_finer_than_it_is_known() {
        let minutes = |from, to| {
            Some(Span {
                unit: "minutes",
                from,
                to,
            })
        };
        let hours = |from, to| {
            Some(Span {
                unit: "hours",
                from,
                to,
            })
        };
        let days = |from, to| {
            Some(Span {
                unit: "days",
                from,
                to,
            })
        };
        for (wait, told) in [
            (0, None),
            (59, None),
            (60, minutes(None, 1)),
            (89, minutes(None, 1)),
            (90, minutes(None, 2)),
            (1_229, minutes(None, 20)),
            (1_230, minutes(Some(15), 25)),
            (1_500, minutes(Some(20), 30)),
            (3_000, minutes(Some(40), 60)),
            (4_499, minutes(Some(55), 90)),
            (4_500, hours(Some(1), 2)),
            (6_749, hours(Some(1), 2)),
            (6_750, hours(None, 2)),
            (7_500, hours(Some(2), 3)),
            (10_800, hours(Some(2), 4)),
            (18_000, hours(Some(4), 6)),
            (179_999, hours(Some(40), 60)),
            (180_000, days(Some(2), 3)),
            (360_000, days(Some(3), 5)),
            (17_600_000, days(Some(163), 244)),
        ] {
            assert_eq!(span(wait), told, "{wait}");
        }
    }
}
