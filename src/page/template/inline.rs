//! The part of a page's policy that lets exactly its inline styles and scripts in.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::elements::{Endless, Kind, elements};
use super::{Refusal, split_at_pair};

const CHANGES: &str = "has no digest, since a tag that changes from request to request stands in it; text.* and brand.* may";

/// `style-src` and `script-src` with a digest for each of them; empty for a page with neither.
pub(super) fn policy(text: &str) -> Result<String, Refusal> {
    let mut sources = Sources::default();
    let (found, endless) = elements(text);
    for element in found {
        if let Some((before, _)) = split_at_pair(element.inside, '{') {
            let tag_on = element.onwards.get(before.len()..).unwrap_or_default();
            let reason = format!("<{}> {CHANGES}", element.name);
            return Err(Refusal::at(text, tag_on, reason));
        }
        sources.push(element.kind, &digest(element.inside));
    }
    if let Some(Endless { name, tag }) = endless {
        return Err(Refusal::at(text, tag, format!("<{name}> is never closed")));
    }
    Ok(sources.policy())
}

/// The digest of an inline style or script, as a policy names it.
pub(super) fn digest(inside: &str) -> String {
    STANDARD.encode(hmac_sha256::Hash::hash(inside.as_bytes()))
}

/// The digests of a page's inline styles and scripts.
#[derive(Default)]
pub(super) struct Sources {
    styles: String,
    scripts: String,
}

impl Sources {
    /// One more.
    pub(super) fn push(&mut self, kind: Kind, digest: &str) {
        let sources = match kind {
            Kind::Style => &mut self.styles,
            Kind::Script => &mut self.scripts,
        };
        sources.extend([" 'sha256-", digest, "'"]);
    }

    /// What the policy says about them.
    pub(super) fn policy(self) -> String {
        let directive = |name: &str, sources: String| match sources.as_str() {
            "" => sources,
            _ => format!("{name}{sources}; "),
        };
        directive("style-src", self.styles) + &directive("script-src", self.scripts)
    }
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
