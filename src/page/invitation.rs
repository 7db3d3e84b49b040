//! The page on which a visitor gives an invitation, without scripts.

use super::{NOBODY, built_in, unbranded};
use crate::http::Reply;
use crate::http::object::object;
use crate::i18n::Language;

/// The page, whose form sends the code to `action`, and from which the visitor goes on to `to`.
#[must_use]
pub fn invitation(
    action: &str,
    to: &str,
    words: &Language,
    frame_ancestors: Option<&str>,
) -> Reply {
    let [title, text, label] =
        ["invitation", "invitation_text", "continue"].map(|name| words.text(name));
    let data = object!({
        "lang": words.tag,
        "dir": words.direction,
        "title": title,
        "text": text,
        "send": label,
        "action": action,
        "to": to,
    });
    let frame_ancestors = frame_ancestors.unwrap_or(NOBODY);
    built_in::INVITATION.render(200, &data, unbranded(words), frame_ancestors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::LANGUAGES;

    #[test]
    fn the_page_has_a_form_in_every_language() {
        for words in &LANGUAGES {
            let reply = invitation("/_queue/invitation", "/a?b=1&c", words, None);
            let page = String::from_utf8_lossy(&reply.body).into_owned();
            for part in [
                "<form method=\"post\" action=\"/_queue/invitation\">",
                "name=\"to\" value=\"/a?b&#x3D;1&amp;c\"",
                "name=\"invitation\"",
                words.text("invitation_text"),
            ] {
                assert!(page.contains(part), "{part} in {page}");
            }
            assert!(!page.contains("{{"), "{page}");
        }
    }
}
