//! A whole number as JSON writes it: 5, 5.0, 50e-1 and 5e0 are the same one (RFC 8259, 6).
//!
//! Invariant: the digits decide. A floating point number would round 1.0000000000000000001 to 1, and has no 1e400.

/// The number that a JSON number's text means, if it is a whole one that a `u64` can hold.
pub(crate) fn whole(text: &str) -> Option<u64> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let (is_negative, integer) = match integer.strip_prefix('-') {
        Some(integer) => (true, integer),
        None => (false, integer),
    };
    let digits = format!("{integer}{fraction}");
    let is_number = !integer.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let significant = digits.trim_matches('0');
    if !is_number || significant.is_empty() {
        return is_number.then_some(0);
    }
    let exponent: i64 = exponent.parse().ok()?;
    let trailing = digits.len() - digits.trim_end_matches('0').len();
    let behind = i64::try_from(fraction.len()).ok()?;
    let zeros = exponent
        .checked_sub(behind)?
        .checked_add(i64::try_from(trailing).ok()?)?;
    let factor = 10_u64.checked_pow(u32::try_from(zeros).ok()?)?;
    let number = significant.parse::<u64>().ok()?.checked_mul(factor)?;
    (!is_negative).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_number_is_the_same_however_it_is_written() {
        for (text, number) in [
            ("5", 5),
            ("5.0", 5),
            ("5.000", 5),
            ("0.5e1", 5),
            ("50e-1", 5),
            ("1e3", 1000),
            ("1E+3", 1000),
            ("1200e-2", 12),
            ("0", 0),
            ("-0", 0),
            ("-0.0e5", 0),
            ("0e999999999999999999999", 0),
            ("18446744073709551615", u64::MAX),
            ("1844674407370955161.5e1", u64::MAX),
        ] {
            assert_eq!(whole(text), Some(number), "{text}");
        }
    }

    #[test]
    fn what_is_no_whole_number_or_too_large_is_none() {
        for text in [
            "5.5",
            "1.0000000000000000001",
            "0.99999999999999999999",
            "1e-1",
            "-1",
            "-1e3",
            "1e20",
            "1e400",
            "1e-400",
            "1e99999999999999999999",
            "1e-99999999999999999999",
            "18446744073709551616",
            "",
            "-",
            ".",
            "e5",
            "5e",
            "x",
            "5x",
        ] {
            assert_eq!(whole(text), None, "{text}");
        }
    }
}
