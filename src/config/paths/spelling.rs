//! The spellings in which an origin may read one and the same path.

use super::super::is_dot_segment;
use percent_encoding::percent_decode_str;

/// A path as a lenient origin may compare it: without regard to letter case, to white space around its parts, to dots at
/// their ends, which Windows leaves out, and to parts and slashes that hold nothing else.
pub(super) fn widely(path: &str) -> String {
    let is_left_out = |letter: char| letter == '.' || letter.is_whitespace();
    let parts = path.split('/');
    let parts: Vec<&str> = parts
        .map(|part| part.trim_start().trim_end_matches(is_left_out))
        .filter(|part| !part.is_empty())
        .collect();
    let path = parts.join("/");
    std::iter::once('/')
        .chain(path.chars().flat_map(small))
        .collect()
}

/// Settings hold ASCII alone, so a letter is compared as the ASCII that a change of its case turns it into.
pub(super) fn small(letter: char) -> impl Iterator<Item = char> {
    let ascii = in_ascii(letter);
    let as_it_is = ascii.is_empty().then(|| letter.to_ascii_lowercase());
    ascii.chars().chain(as_it_is)
}

/// What is ASCII of a letter's capitals or small letters, if it is none itself: all there are in Unicode's `UnicodeData.txt`
/// and `SpecialCasing.txt`. Some origins change one letter for one, others for several.
pub(super) fn in_ascii(letter: char) -> &'static str {
    match letter {
        '\u{df}' | '\u{1e9e}' => "ss",
        '\u{130}' | '\u{131}' => "i",
        '\u{149}' => "n",
        '\u{17f}' => "s",
        '\u{1f0}' => "j",
        '\u{1e96}' => "h",
        '\u{1e97}' => "t",
        '\u{1e98}' => "w",
        '\u{1e99}' => "y",
        '\u{1e9a}' => "a",
        '\u{212a}' => "k",
        '\u{fb00}' => "ff",
        '\u{fb01}' => "fi",
        '\u{fb02}' => "fl",
        '\u{fb03}' => "ffi",
        '\u{fb04}' => "ffl",
        '\u{fb05}' | '\u{fb06}' => "st",
        _ => "",
    }
}

/// A path without the letters that are not seen, which some origins leave out: `Default_Ignorable_Code_Point` in Unicode's
/// `DerivedCoreProperties.txt`.
pub(super) fn visible(path: &str) -> String {
    let is_ignorable = |letter: &char| {
        matches!(letter,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
    };
    path.chars()
        .filter(|letter| !is_ignorable(letter))
        .collect()
}

/// Whether some reading of a path names every part of what is listed, somewhere: however often it is decoded, and whatever
/// stands around these parts. What is no UTF-8 then, or still encoded, may be read as anything.
pub(super) fn names_every_part(path: &str, listed: &str) -> bool {
    let Some(read) = decoded_to_the_end(path) else {
        return true;
    };
    let read: String = visible(&read).chars().flat_map(small).collect();
    let listed = listed.to_ascii_lowercase();
    let mut parts = listed.split('/').filter(|part| !part.is_empty());
    parts.all(|part| read.contains(part))
}

/// A path that was encoded more often than an origin decodes it is not decoded for ever.
const ROUNDS: usize = 4;

fn decoded_to_the_end(path: &str) -> Option<String> {
    let mut read = path.to_owned();
    for _ in 0..ROUNDS {
        let decoded = percent_decode_str(&read).decode_utf8().ok()?.into_owned();
        if decoded == read {
            return Some(decoded);
        }
        read = decoded;
    }
    None
}

/// The path decoded, if every origin reads it alike. Some decode it twice, or before they resolve its dot segments; some
/// take a backslash for a slash, two slashes for one, or what follows a semicolon, an encoded `?` or an encoded `#` for no
/// part of the path.
pub(in crate::config) fn read_in_one_way(path: &str) -> Option<String> {
    let is_odd = |byte: u8| byte.is_ascii_control() || b"%./\\;?#".contains(&byte);
    let mut parts = path.split('%');
    let mut decoded = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        match u8::from_str_radix(digits, 16) {
            Ok(byte) if !is_odd(byte) => decoded.push(byte),
            _ => return None,
        }
        decoded.extend_from_slice(rest.as_bytes());
    }
    let has_odd_byte = |byte: u8| byte.is_ascii_control() || byte == b'\\' || byte == b';';
    // Overlong forms of `.` and `/` are no UTF-8, and some take them for these.
    let decoded = String::from_utf8(decoded).ok()?;
    let is_plain = !path.contains("//")
        && !visible(&decoded)
            .split('/')
            .map(str::trim)
            .any(is_dot_segment)
        && !path.bytes().any(has_odd_byte);
    is_plain.then_some(decoded)
}
