//! Which names a template may have that is read here: nothing that means something else to Handlebars.
//!
//! `build.rs` reads this too: it uses nothing of the service.

/// What Handlebars takes for a value or a word of its own wherever it stands in a path.
const WORDS: [&str; 6] = ["else", "this", "true", "false", "null", "as"];

/// Whether this is a name with its fields.
pub(crate) fn is_path(name: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut segments = name.split('.');
    let is_path = segments.all(|segment| {
        // A number is a value, or a place in a list.
        let is_number = segment.starts_with(|letter: char| letter.is_ascii_digit());
        let is_name = !segment.is_empty() && !is_number && segment.chars().all(plain);
        is_name && !WORDS.contains(&segment)
    });
    // Handlebars reads an `else` in whatever begins so.
    is_path && !name.starts_with("else")
}
