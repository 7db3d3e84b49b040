//! A constant as text in HTML and in an attribute, which begins no tag of a template and ends none.
//!
//! `build.rs` reads this too: it uses nothing of the service.

/// Writes the text so.
pub(crate) fn push_escaped(filled: &mut String, value: &str) {
    for letter in value.chars() {
        match letter {
            // As Handlebars escapes.
            '&' => filled.push_str("&amp;"),
            '<' => filled.push_str("&lt;"),
            '>' => filled.push_str("&gt;"),
            '"' => filled.push_str("&quot;"),
            '\'' => filled.push_str("&#x27;"),
            '`' => filled.push_str("&#x60;"),
            '=' => filled.push_str("&#x3D;"),
            '{' => filled.push_str("&#123;"),
            '\\' => filled.push_str("&#92;"),
            '\n' => filled.push_str("&#10;"),
            other => filled.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handlebars::html_escape;

    #[test]
    fn it_escapes_as_handlebars_does_and_what_a_template_reads_besides() {
        for letter in (0..=0x2ff).filter_map(char::from_u32) {
            let mut escaped = String::new();
            push_escaped(&mut escaped, &letter.to_string());
            let expected = match letter {
                '{' => "&#123;".to_owned(),
                '\\' => "&#92;".to_owned(),
                '\n' => "&#10;".to_owned(),
                other => html_escape(&other.to_string()),
            };
            assert_eq!(escaped, expected, "{letter:?}");
        }
    }
}
