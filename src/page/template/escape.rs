//! A constant as text in HTML and in an attribute, which begins no tag of a template and ends none.
//!
//! `build.rs` reads this too: it uses nothing of the service.

/// Writes the text so.
pub(crate) fn push_escaped(filled: &mut String, value: &str) {
    push_by(filled, value, of_constant);
}

/// Writes a text with some of its letters in another form. All of these are ASCII, so that what stands between two of them is
/// written as a whole.
pub(crate) fn push_by(filled: &mut String, value: &str, form: impl Fn(u8) -> Option<&'static str>) {
    let mut written = 0;
    for (at, letter) in value.bytes().enumerate() {
        if let Some(form) = form(letter) {
            filled.push_str(value.get(written..at).unwrap_or_default());
            filled.push_str(form);
            written = at + 1;
        }
    }
    filled.push_str(value.get(written..).unwrap_or_default());
}

/// As Handlebars escapes.
pub(crate) fn of_value(letter: u8) -> Option<&'static str> {
    Some(match letter {
        b'&' => "&amp;",
        b'<' => "&lt;",
        b'>' => "&gt;",
        b'"' => "&quot;",
        b'\'' => "&#x27;",
        b'`' => "&#x60;",
        b'=' => "&#x3D;",
        _ => return None,
    })
}

/// The same, and what a template reads.
fn of_constant(letter: u8) -> Option<&'static str> {
    match letter {
        b'{' => Some("&#123;"),
        b'\\' => Some("&#92;"),
        b'\n' => Some("&#10;"),
        other => of_value(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handlebars::html_escape;

    #[test]
    fn it_escapes_as_handlebars_does_and_what_a_template_reads_besides() {
        for letter in (0..=0x2ff).filter_map(char::from_u32) {
            let text = format!("é{letter}a{letter}");
            let (mut value, mut constant) = (String::new(), String::new());
            push_by(&mut value, &text, of_value);
            push_escaped(&mut constant, &text);
            let by_handlebars = html_escape(&text);
            assert_eq!(value, by_handlebars, "{letter:?}");
            let expected = match letter {
                '{' => "é&#123;a&#123;",
                '\\' => "é&#92;a&#92;",
                '\n' => "é&#10;a&#10;",
                _ => &by_handlebars,
            };
            assert_eq!(constant, expected, "{letter:?}");
        }
    }
}
