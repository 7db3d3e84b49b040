//! What does not change from request to request is put into a template before it is parsed: the texts of the language
//! and the operator's brand.
//!
//! It is escaped so that it is text in HTML and in an attribute, and can neither begin a tag of the template nor end one.

use std::borrow::Cow;

use super::escape::push_escaped;
use super::{Refusal, split_at_pair};

/// The value of a name: nothing when it is no constant, and a reason when it looks like one and is none.
pub(in crate::page) type Constants<'a> = &'a dyn Fn(&str) -> Option<Result<String, String>>;

/// The template with its constants in it, every line where it was.
pub(super) fn put_in(text: &str, constants: Constants<'_>) -> Result<String, Refusal> {
    // A browser digests an element after this, too.
    let text = if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    };
    let mut filled = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some((before, tag_on)) = split_at_pair(rest, '{') {
        let Some((tag, after)) = split_at_pair(tag_on, '}') else {
            break;
        };
        filled.push_str(before);
        let is_escaped = before.ends_with('\\');
        match constants(tag.trim()).filter(|_| !is_escaped) {
            Some(Ok(value)) => push_escaped(&mut filled, &value),
            Some(Err(reason)) => return Err(Refusal::at(&text, tag_on, reason)),
            None => filled.extend(["{{", tag, "}}"]),
        }
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constants(name: &str) -> Option<Result<String, String>> {
        match name {
            "text.a" => Some(Ok("A".to_owned())),
            "text.wild" => Some(Ok("<b>\"&'{{title}}\\\n".to_owned())),
            "text.brace" => Some(Ok("{".to_owned())),
            _ if name.starts_with("text.") => Some(Err(format!("there is no {name}"))),
            _ => None,
        }
    }

    #[test]
    fn constants_are_put_in_and_everything_else_stays() {
        for (text, filled) in [
            ("", ""),
            ("{{text.a}}", "A"),
            ("{{ text.a }}-{{text.a}}", "A-A"),
            (
                "{{title}} {{text.a}}{{#if b}}c{{/if}}",
                "{{title}} A{{#if b}}c{{/if}}",
            ),
            ("{{{text.a}}}", "{{{text.a}}}"),
            ("\\{{text.a}}", "\\{{text.a}}"),
            ("{{text.a}} {{text.a", "A {{text.a"),
            ("a\r\nb\rc", "a\nb\nc"),
        ] {
            assert_eq!(put_in(text, &constants), Ok(filled.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_constant_is_text_and_nothing_else() {
        let filled = put_in("{{text.wild}}{{text.a}}", &constants);
        let expected = "&lt;b&gt;&quot;&amp;&#x27;&#123;&#123;title}}&#92;&#10;A";
        assert_eq!(filled, Ok(expected.to_owned()));
        let filled = put_in("{{text.brace}}{{title}}", &constants);
        assert_eq!(filled, Ok("&#123;{{title}}".to_owned()), "no {{{{{{");
    }

    #[test]
    fn an_unknown_constant_is_refused_at_its_line() {
        let refusal = put_in("a\r\nb\n{{text.a}} {{text.none}}\n", &constants);
        let expected = Refusal {
            line: 3,
            reason: "there is no text.none".to_owned(),
        };
        assert_eq!(refusal, Err(expected));
    }
}
