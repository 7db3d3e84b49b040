//! How much of a stranger's text is repeated.

/// The longest text of a stranger that a log line or a problem repeats, in characters.
const LONGEST: usize = 512;

/// At most 512 characters.
#[must_use]
pub fn shortened(text: &str) -> String {
    first(text, LONGEST)
}

/// At most that many characters.
#[must_use]
pub fn first(text: &str, most: usize) -> String {
    // Nearly every text is short, and is not looked at letter by letter.
    if text.len() <= most {
        return text.to_owned();
    }
    text.chars().take(most).collect()
}
