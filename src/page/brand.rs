//! What operators say about themselves, and what it is called in a template.

use serde::Serialize;

use crate::words::Words;

/// The longest message to those who wait, in characters.
pub const LONGEST_MESSAGE: usize = 200;

/// Whether a text has at most so many characters, and none that steers a terminal or breaks a line.
#[must_use]
pub fn is_sayable(text: &str, longest: usize) -> bool {
    text.chars().nth(longest).is_none() && !text.contains(char::is_control)
}

/// What operators say about themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
    #[serde(skip)]
    pub heading: Option<String>,
    /// What they tell those who wait.
    #[serde(skip)]
    pub message: Option<String>,
}

impl Default for Brand {
    fn default() -> Self {
        Self {
            name: None,
            light: "#c8371b".to_owned(),
            dark: "#ff9a73".to_owned(),
            logo: None,
            heading: None,
            message: None,
        }
    }
}

/// What does not change from request to request.
pub(super) fn constant(name: &str, words: &Words, brand: &Brand) -> Option<Result<String, String>> {
    if let Some(name) = name.strip_prefix("text.") {
        let names = || words.names().collect::<Vec<_>>().join(", ");
        return Some(match words.text(name) {
            "" => Err(format!("there is no text.{name}, but {}", names())),
            text => Ok(text.to_owned()),
        });
    }
    let value = match name.strip_prefix("brand.")? {
        "name" => brand.name.as_deref().unwrap_or_default(),
        "light" => &brand.light,
        "dark" => &brand.dark,
        "logo" => brand.logo.as_deref().unwrap_or_default(),
        other => {
            let reason = format!("there is no brand.{other}, but name, light, dark, logo");
            return Some(Err(reason));
        }
    };
    Some(Ok(value.to_owned()))
}
