//! How much of a stranger's text is repeated, and how what is not seen in it is named.

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

/// Whether a text is a token, as the names of headers and cookies are (RFC 9110, 5.6.2).
#[must_use]
pub fn is_token(text: &str) -> bool {
    let is_sound = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_sound)
}

/// A byte order mark, which some editors put in front of a text.
pub(super) const MARK: &str = "\u{feff}";

/// A text without the byte order mark in front of it: it is no part of what was written (RFC 8259, 8.1).
#[must_use]
pub fn without_mark(text: &str) -> &str {
    text.strip_prefix(MARK).unwrap_or(text)
}

/// Whether a letter is not seen, or is taken for a space: `Default_Ignorable_Code_Point` in Unicode's
/// `DerivedCoreProperties.txt`, control characters, and all white space but what JSON has.
#[must_use]
pub fn is_unseen(letter: char) -> bool {
    is_ignorable(letter)
        || letter.is_control() && !matches!(letter, '\t' | '\n' | '\r')
        || letter.is_whitespace() && !letter.is_ascii()
}

/// Whether a letter is not seen and takes no room.
pub(crate) fn is_ignorable(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// A letter by its number, as Unicode names it.
#[must_use]
pub fn code_point(letter: char) -> String {
    format!("U+{:04X}", u32::from(letter))
}

/// A text in which what is not seen stands by its number.
#[must_use]
pub fn seen(text: &str) -> String {
    let shown = |letter: char| {
        if is_unseen(letter) {
            format!("<{}>", code_point(letter))
        } else {
            letter.to_string()
        }
    };
    text.chars().map(shown).collect()
}
