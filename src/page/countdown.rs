//! A countdown that ticks without a script, in a style that is the same for all.
//!
//! Invariant: the policy of a page names the digest of its style, so no number stands in one. The page has the seconds in the names of
//! classes, one for each binary digit that is set, and the style adds them up.

/// The classes, from the lowest digit on: a day has 17.
const CLASSES: &[u8; 17] = b"abcdefghijklmnopq";

/// Of every countdown; below an hour minutes and seconds are enough.
const LONG: &str = "left";
const SHORT: &str = "left u";

/// From so many seconds on no second matters.
const DAY: u64 = 86_400;

/// The classes of so many seconds; nothing from a day on.
pub(super) fn bits(seconds: u64) -> Option<String> {
    if seconds >= DAY {
        return None;
    }
    let digits = CLASSES.iter().enumerate();
    let set = digits.filter(|(digit, _)| seconds >> digit & 1 == 1);
    let mut classes = String::from(if seconds < 3600 { SHORT } else { LONG });
    for (_, class) in set {
        classes.extend([' ', char::from(*class)]);
    }
    Some(classes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seconds_are_the_sum_of_their_classes() {
        for (seconds, classes) in [
            (0, Some("u left")),
            (1, Some("a u left")),
            (299, Some("a b d f i u left")),
            (3_599, Some("a b c d j k l u left")),
            (3_600, Some("e j k l left")),
            (86_399, Some("a b c d e f g i m o q left")),
            (86_400, None),
        ] {
            let told = bits(seconds);
            assert_eq!(
                told.as_deref().map(sorted),
                classes.map(sorted),
                "{seconds}"
            );
        }
    }

    fn sorted(classes: &str) -> Vec<&str> {
        let mut classes: Vec<&str> = classes.split(' ').collect();
        classes.sort_unstable();
        classes
    }
}
