//! The spellings in which an origin may read one and the same path.

use super::super::is_dot_segment;
use crate::http::is_ignorable;
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

/// A letter as all its cases are compared: as the ASCII that a change of case turns it into, if there is any.
pub(super) fn small(letter: char) -> impl Iterator<Item = char> {
    let ascii = in_ascii(letter);
    let as_one = ascii.is_empty().then(|| letter.to_uppercase());
    let as_one = as_one.into_iter().flatten().flat_map(char::to_lowercase);
    ascii.chars().chain(as_one)
}

/// Whether a letter composes one with the letter before it: what Unicode's canonical decompositions of the scripts in use end with.
pub(super) fn composes(letter: char) -> bool {
    matches!(letter,
        '\u{300}'..='\u{36f}' | '\u{653}'..='\u{655}' | '\u{93c}' | '\u{9bc}' | '\u{9be}' | '\u{9d7}' | '\u{a3c}'
        | '\u{b3c}' | '\u{b3e}' | '\u{b56}'..='\u{b57}' | '\u{bbe}' | '\u{bd7}' | '\u{cc2}' | '\u{cd5}'..='\u{cd6}'
        | '\u{d3e}' | '\u{d57}' | '\u{dca}' | '\u{dcf}' | '\u{ddf}' | '\u{102e}' | '\u{1100}'..='\u{11ff}'
        | '\u{3099}'..='\u{309a}')
}

/// A path without the letters that a composed one may be written in: those beyond ASCII, and what stands in front of one that
/// [`composes`].
pub(super) fn uncomposed(path: &str) -> String {
    let next = path.chars().skip(1).map(Some).chain([None]);
    let letters = path.chars().zip(next);
    let kept = letters.filter(|(letter, next)| letter.is_ascii() && !next.is_some_and(composes));
    kept.map(|(letter, _)| letter).collect()
}

/// Endings of scripts that are handed the path behind them, as `/index.php/checkout` is.
const SCRIPTS: [&str; 10] = [
    "php", "phtml", "cgi", "fcgi", "pl", "py", "asp", "aspx", "cfm", "jsp",
];

/// The most paths that one path may stand for by its scripts.
const MOST_BY_SCRIPTS: usize = 16;

/// What an origin may serve under a widely read path that names a script: the path behind it, from the root or from the folder of
/// the script, and the folder of one that serves its first page.
///
/// `None` where it names more scripts than any site has behind one another: each is a path more to compare.
fn by_scripts(wide: &str) -> Option<Vec<String>> {
    let parts: Vec<&str> = wide.split('/').skip(1).collect();
    let mut found = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let (name, ending) = part.rsplit_once('.').unwrap_or_default();
        let (beside, behind) = (parts.iter().take(at), parts.iter().skip(at + 1));
        let path = |parts: Vec<&str>| format!("/{}", parts.join("/"));
        let is_last = at + 1 == parts.len();
        let is_script = SCRIPTS.contains(&ending.trim_end_matches(|c: char| c.is_ascii_digit()));
        if is_last && ["index", "default"].contains(&name) || is_script && !is_last {
            found.push(path(beside.chain(behind.clone()).copied().collect()));
        }
        if is_script && !is_last {
            found.push(path(behind.copied().collect()));
        }
        if found.len() > MOST_BY_SCRIPTS {
            return None;
        }
    }
    Some(found)
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

/// A path without the letters that are not seen, which some origins leave out.
pub(super) fn visible(path: &str) -> String {
    let is_visible = |letter: &char| !is_ignorable(*letter);
    path.chars().filter(is_visible).collect()
}

/// A path as one kind of origin reads it.
pub(in crate::config) struct Reading {
    /// Decoded.
    pub(in crate::config) path: String,
    /// As a lenient origin compares it, with the letters that are not seen and without them, and by its scripts.
    wide: Vec<String>,
}

impl Reading {
    pub(super) fn of(path: &str) -> Option<Self> {
        let plain = read_in_one_way(path)?;
        let mut wide = vec![widely(&plain), widely(&visible(&plain))];
        wide.dedup();
        let by_scripts = wide.iter().map(|path| by_scripts(path));
        let by_scripts: Vec<Vec<String>> = by_scripts.collect::<Option<_>>()?;
        wide.extend(by_scripts.into_iter().flatten());
        Some(Self { path: plain, wide })
    }

    pub(super) fn is(&self, compares: impl Fn(&str) -> bool) -> bool {
        self.wide.iter().any(|path| compares(path))
    }
}

/// A path as each kind of origin reads it, if they differ in no more than this: some take what follows a semicolon for no part of
/// it, and some several slashes for one. Two in front may begin a host.
pub(in crate::config) fn readings(path: &str) -> Option<Vec<Reading>> {
    if let Some(reading) = Reading::of(path) {
        return Some(vec![reading]);
    }
    if path.starts_with("//") {
        return None;
    }
    let (mut apart, mut as_one) = (path.to_owned(), path.to_owned());
    while as_one.contains("//") {
        apart = apart.replace("//", "/!/");
        as_one = as_one.replace("//", "/");
    }
    let of = |path: String| {
        let parts = path.split('/').map(before_semicolon);
        let without = parts.collect::<Vec<_>>().join("/");
        let cut = before_semicolon(&path).to_owned();
        [path.replace(';', "!"), without, cut]
    };
    let all = [apart, as_one].into_iter().flat_map(of);
    all.map(|path| Reading::of(&path)).collect()
}

fn before_semicolon(text: &str) -> &str {
    text.split(';').next().unwrap_or_default()
}

/// A path that not every origin reads alike, in the widest readings that there are: however often it is decoded.
pub(in crate::config) struct Widest(Option<[String; 2]>);

impl Widest {
    /// What is still encoded then, or too long a form of a letter, may be read as anything.
    pub(in crate::config) fn of(path: &str) -> Self {
        let read = decoded_to_the_end(path);
        Self(read.map(|read| read.map(|read| visible(&read).chars().flat_map(small).collect())))
    }

    /// Whether one of them names every part of what is listed, somewhere and whatever stands around these parts.
    pub(super) fn names_every_part(&self, listed: &str) -> bool {
        let Some(read) = &self.0 else {
            return true;
        };
        let listed: String = listed.chars().flat_map(small).collect();
        let parts = || listed.split('/').filter(|part| !part.is_empty());
        read.iter()
            .any(|read| parts().all(|part| read.contains(part)))
    }
}

/// A path that was encoded more often than an origin decodes it is not decoded for ever.
const ROUNDS: usize = 4;

/// Decoded as UTF-8. What is none is read by its bytes, as in Latin-1, and without those that are no UTF-8.
fn decoded_to_the_end(path: &str) -> Option<[String; 2]> {
    let mut read = path.to_owned();
    for _ in 0..ROUNDS {
        let bytes: Vec<u8> = percent_decode_str(&read).collect();
        let Ok(decoded) = String::from_utf8(bytes) else {
            let bytes: Vec<u8> = percent_decode_str(&read).collect();
            let known = String::from_utf8_lossy(&bytes).replace(char::REPLACEMENT_CHARACTER, "");
            let is_known = !has_long_form(&bytes) && !bytes.contains(&b'%');
            let by_bytes = bytes.into_iter().map(char::from).collect();
            return is_known.then_some([by_bytes, known]);
        };
        if decoded == read {
            // Not by any standard, some read %u0073 as a letter.
            let is_encoded = decoded.to_ascii_lowercase().contains("%u");
            return (!is_encoded).then(|| [decoded, String::new()]);
        }
        read = decoded;
    }
    None
}

/// Whether there may be a form of a letter in more bytes than it needs, which lenient decoders take (RFC 3629, 10).
fn has_long_form(bytes: &[u8]) -> bool {
    bytes.windows(2).any(|pair| {
        matches!(
            pair,
            [0xc0 | 0xc1 | 0xf8..=0xfd, 0x80..=0xbf] | [0xe0, 0x80..=0x9f] | [0xf0, 0x80..=0x8f]
        )
    })
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
