//! The inline styles and scripts of a page, found as a browser finds them, and the part of the policy that lets exactly
//! these in.

use std::fmt::Write as _;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{Refusal, split_at_pair};

const CHANGES: &str = "has no digest, since a tag that changes from request to request stands in it; text.* and brand.* may";

/// `style-src` and `script-src` with a digest for each of them; empty for a page with neither.
pub(super) fn policy(text: &str) -> Result<String, Refusal> {
    let (mut styles, mut scripts) = (String::new(), String::new());
    let mut rest = text;
    while let Some((_, tag)) = rest.split_once('<') {
        if let Some(comment) = tag.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let (name, head) = split(tag, |letter| !letter.is_ascii_alphanumeric());
        if name.is_empty() {
            rest = tag;
            continue;
        }
        let (attributes, content) = attributes(head);
        let sources = if name.eq_ignore_ascii_case("style") {
            Some(&mut styles)
        } else if name.eq_ignore_ascii_case("script") {
            is_code(&attributes).then_some(&mut scripts)
        } else {
            rest = content;
            continue;
        };
        let Some((inside, after)) = element(content, name) else {
            return Err(Refusal::at(text, tag, format!("<{name}> is never closed")));
        };
        if let Some(sources) = sources {
            if let Some((before, _)) = split_at_pair(inside, '{') {
                let tag_on = content.get(before.len()..).unwrap_or_default();
                return Err(Refusal::at(text, tag_on, format!("<{name}> {CHANGES}")));
            }
            let digest = STANDARD.encode(hmac_sha256::Hash::hash(inside.as_bytes()));
            let _ = write!(sources, " 'sha256-{digest}'");
        }
        rest = after;
    }
    let directive = |name: &str, sources: String| match sources.as_str() {
        "" => sources,
        _ => format!("{name}{sources}; "),
    };
    Ok(directive("style-src", styles) + &directive("script-src", scripts))
}

/// A script that the policy is asked about: none from elsewhere, which it lets in never, and no block of data.
fn is_code(attributes: &[(&str, &str)]) -> bool {
    let value = |wanted: &str| {
        let found = attributes
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        found.map(|(_, value)| value.trim().to_ascii_lowercase())
    };
    let kind = value("type").unwrap_or_default();
    let kinds = ["", "module", "importmap", "speculationrules"];
    value("src").is_none() && (kinds.contains(&kind.as_str()) || kind.contains("script"))
}

/// What an element holds, and what follows it. Nothing but its own end tag ends it.
fn element<'a>(content: &'a str, name: &str) -> Option<(&'a str, &'a str)> {
    content.match_indices('<').find_map(|(at, _)| {
        let (inside, end) = content.split_at(at);
        let (found, after) = split(end.strip_prefix("</")?, |letter| {
            letter.is_ascii_whitespace() || "/>".contains(letter)
        });
        (found.eq_ignore_ascii_case(name) && !after.is_empty()).then_some((inside, after))
    })
}

/// The attributes of a tag, and what follows the tag.
fn attributes(mut rest: &str) -> (Vec<(&str, &str)>, &str) {
    let is_space = |letter: char| letter.is_ascii_whitespace();
    let mut found = Vec::new();
    loop {
        rest = rest.trim_start_matches(|letter| is_space(letter) || letter == '/');
        if let Some(after) = rest.strip_prefix('>') {
            return (found, after);
        }
        if rest.is_empty() {
            return (found, rest);
        }
        let (name, more) = split(rest, |letter| is_space(letter) || "/>=".contains(letter));
        let Some(value) = more.trim_start_matches(is_space).strip_prefix('=') else {
            found.push((name, ""));
            rest = more;
            continue;
        };
        let value = value.trim_start_matches(is_space);
        let quoted = ['"', '\'']
            .into_iter()
            .find_map(|quote| Some((quote, value.strip_prefix(quote)?)));
        let (value, after) = match quoted {
            Some((quote, quoted)) => quoted.split_once(quote).unwrap_or((quoted, "")),
            None => split(value, |letter| is_space(letter) || letter == '>'),
        };
        found.push((name, value));
        rest = after;
    }
}

/// What stands before the first letter that ends it, and the rest.
fn split(text: &str, ends: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(ends).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::template::tests::assert_refused;

    /// `printf 'p{}' | openssl dgst -sha256 -binary | base64`, and the same of `let a`.
    const STYLE: &str = "'sha256-gG2yISYereRMiG2lMXrbiUgi0Ubw9p7QCeWcroOvy9Y='";
    const SCRIPT: &str = "'sha256-IfEXP/8HLuXoAiy0hZVrCAcjcLsZqYFpLOHDGj8enqE='";

    #[test]
    fn every_inline_style_and_script_has_its_digest() {
        let style = format!("style-src {STYLE}; ");
        let script = format!("script-src {SCRIPT}; ");
        let twice = format!("style-src {STYLE} {STYLE}; ");
        let both = format!("{style}{script}");
        for (text, expected) in [
            ("<p>nothing</p>", ""),
            ("<style>p{}</style>", style.as_str()),
            ("<STYLE media=\"a>b\">p{}</Style >", &style),
            ("<style\nmedia=print>p{}</style>", &style),
            ("<style>p{}</style><b></b><style>p{}</style>", &twice),
            ("<script>let a</script><style>p{}</style>", &both),
            ("<script type=module>let a</script>", &script),
            ("<script type='text/javascript'>let a</script>", &script),
            ("<script type=\"application/json\">let a</script>", ""),
            ("<script type=application/json>{{title}}</script>", ""),
            ("<script src=\"/a.js\">let a</script>", ""),
            ("<!-- <style>a{}</style> --><style>p{}</style>", &style),
            ("<a title='<style>'>b</a><style>p{}</style>", &style),
            ("<a title=it's>b</a><style>p{}</style>", &style),
            ("<styled>a</styled><style>p{}</style>", &style),
            ("<script>let a</script><p>{{title}}", &script),
            ("<noscript><style>p{}</style></noscript>", &style),
            ("<p {{#if a}}class=\"b\"{{/if}}><style>p{}</style>", &style),
            ("a < b <3 <", ""),
        ] {
            assert_eq!(policy(text), Ok(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn only_its_own_end_tag_ends_an_element() {
        let digest = |text: &str| STANDARD.encode(hmac_sha256::Hash::hash(text.as_bytes()));
        let script = "let a = '</b></scripts><style>' // </ script>";
        let expected = format!("script-src 'sha256-{}'; ", digest(script));
        let text = format!("<script>{script}</script>");
        assert_eq!(policy(&text), Ok(expected));
    }

    #[test]
    fn what_can_have_no_digest_is_refused_at_its_line() {
        for (text, line, reason) in [
            (
                "<p>\n<style>\np {\n color: {{c}} }</style>",
                4,
                "<style> has no digest",
            ),
            ("<Script>\n{{a}}</script>", 2, "<Script> has no digest"),
            ("a\n<style>\np{}", 2, "<style> is never closed"),
            ("<script src=/a.js>\n", 1, "<script> is never closed"),
            ("<style>p{}</style", 1, "<style> is never closed"),
        ] {
            assert_refused(policy(text).err().as_ref(), text, line, reason);
        }
    }
}
