//! The page on which a visitor gives an invitation, with scripts and without: by an act, since a program that opens a link uses none.

use super::{Shell, built_in};
use crate::http::Reply;
use crate::http::object::object;

/// The page, whose form sends the code to `action`, and from which the visitor goes on to `to`. A code that came with the link, in the
/// query or behind `#`, leaves a button to press.
#[must_use]
pub fn invitation(action: &str, code: Option<&str>, to: &str, shell: Shell<'_>) -> Reply {
    let [title, ready, paste, label] = [
        "invitation",
        "invitation_ready",
        "invitation_text",
        "continue",
    ]
    .map(|name| shell.words.text(name));
    let data = object!({
        "title": title,
        "text": if code.is_some() { ready } else { paste },
        "ready": ready,
        "send": label,
        "code": code,
        "action": action,
        "to": to,
    });
    shell.render(&built_in::INVITATION, 200, data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::LANGUAGES;

    #[test]
    fn the_page_has_a_form_in_every_language() {
        for words in &LANGUAGES {
            let reply = invitation("/_queue/invitation", None, "/a?b=1&c", Shell::plain(words));
            let page = String::from_utf8_lossy(&reply.body).into_owned();
            for part in [
                "<form method=\"post\" action=\"/_queue/invitation\"",
                "name=\"to\" value=\"/a?b&#x3D;1&amp;c\"",
                "name=\"invitation\"",
                words.text("invitation_text"),
            ] {
                assert!(page.contains(part), "{part} in {page}");
            }
            assert!(!page.contains("{{"), "{page}");
        }
    }

    #[test]
    fn a_code_that_came_with_the_link_leaves_a_button_to_press() {
        for words in &LANGUAGES {
            let reply = invitation(
                "/_queue/invitation",
                Some("a.b.c"),
                "/",
                Shell::plain(words),
            );
            let page = String::from_utf8_lossy(&reply.body).into_owned();
            let field = page.split("<input").nth(2).unwrap_or_default();
            for part in ["name=\"invitation\"", "type=\"hidden\" value=\"a.b.c\""] {
                assert!(field.contains(part), "{part} in {page}");
            }
            let text = format!("<p id=text>{}</p>", words.text("invitation_ready"));
            assert!(page.contains(&text), "{page}");
        }
    }
}
