//! What operators say about themselves, and what it is called in a template.

use serde_json::Value;

use crate::http::object::object;
use crate::i18n::Language;

/// The longest heading, in characters.
pub const LONGEST_HEADING: usize = 120;

/// The longest message to waiting visitors, in characters.
pub const LONGEST_MESSAGE: usize = 200;

/// The colour of the band on a light page, and on a dark one, until operators name theirs.
const LIGHT: &str = "#c8371b";
const DARK: &str = "#ff9a73";

/// What a text has none of, as an error says it.
pub const UNSAYABLE: &str =
    "control characters and bidirectional controls (U+202A to U+202E, U+2066 to U+2069)";

/// Whether a text has at most this many characters, and none that steers a terminal, breaks a line or shows other
/// characters in another order than they are sent.
#[must_use]
pub fn is_sayable(text: &str, longest: usize) -> bool {
    let is_unsayable = |c: char| c.is_control() || turns_text(c);
    text.chars().nth(longest).is_none() && !text.contains(is_unsayable)
}

/// Embeddings, overrides and isolates (UAX #9, 2.1 to 2.5). Marks are none of them: Arabic and Hebrew need them.
fn turns_text(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// What operators say about themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brand {
    /// Their name.
    pub name: Option<String>,
    /// The colour of the band on a light page.
    pub light: String,
    /// The colour of the band on a dark page.
    pub dark: String,
    /// A picture, as a `data:` URI.
    pub logo: Option<String>,
    /// Stands in the heading's place.
    pub heading: Option<String>,
    /// What they tell waiting visitors.
    pub message: Option<String>,
}

/// What a template knows of it.
impl From<&Brand> for Value {
    fn from(brand: &Brand) -> Self {
        object!({
            "name": brand.name.as_deref(),
            "light": brand.light.as_str(),
            "dark": brand.dark.as_str(),
            "hex": brand.hex(),
            "logo": brand.logo.as_deref(),
        })
    }
}

impl Brand {
    /// What a template calls so; empty where operators say nothing.
    pub(super) fn named(&self, name: &str) -> Option<&str> {
        Some(match name {
            "name" => self.name.as_deref().unwrap_or_default(),
            "light" => &self.light,
            "dark" => &self.dark,
            "hex" => self.hex(),
            "logo" => self.logo.as_deref().unwrap_or_default(),
            _ => return None,
        })
    }

    /// Whether that is what it is where operators say nothing.
    pub(super) fn is_plain(&self, name: &str) -> bool {
        let plain = match name {
            "light" => LIGHT,
            "dark" => DARK,
            "hex" => LIGHT.trim_start_matches('#'),
            _ => "",
        };
        self.named(name).is_none_or(|value| value == plain)
    }

    /// The light colour without its `#`, which would end the address of an inline icon.
    fn hex(&self) -> &str {
        self.light.trim_start_matches('#')
    }
}

impl Default for Brand {
    fn default() -> Self {
        Self {
            name: None,
            light: LIGHT.to_owned(),
            dark: DARK.to_owned(),
            logo: None,
            heading: None,
            message: None,
        }
    }
}

/// What does not change from request to request.
pub(super) fn constant(
    name: &str,
    words: &Language,
    brand: &Brand,
) -> Option<Result<String, String>> {
    if let Some(name) = name.strip_prefix("text.") {
        let names = || words.names().collect::<Vec<_>>().join(", ");
        return Some(match words.text(name) {
            "" => Err(format!("there is no text.{name}, but {}", names())),
            text => Ok(text.to_owned()),
        });
    }
    let name = name.strip_prefix("brand.")?;
    let value = brand.named(name).map(str::to_owned);
    let reason = || format!("there is no brand.{name}, but name, light, dark, hex, logo");
    Some(value.ok_or_else(reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_in_the_order_in_which_it_is_sent() {
        let turning = ('\u{202a}'..='\u{202e}').chain('\u{2066}'..='\u{2069}');
        for c in turning {
            assert!(!is_sayable(&format!("Open at {c}8"), 200), "{c:?}");
        }
        for sound in [
            "",
            "نفتح في \u{200f}8:00",
            "פותחים ב-\u{200e}8:00",
            "\u{61c}5",
            "می\u{200c}خواهم",
            "👩\u{200d}🚒",
        ] {
            assert!(is_sayable(sound, 200), "{sound:?}");
        }
        assert!(!is_sayable("two\nlines", 200) && !is_sayable("bell\u{7}", 200));
        assert!(is_sayable(&"é".repeat(200), 200) && !is_sayable(&"é".repeat(201), 200));
    }
}
