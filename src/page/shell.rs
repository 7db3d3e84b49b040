//! The shell of every page that a visitor sees besides the waiting page: language, brand and colours are the same.

use std::sync::LazyLock;

use serde_json::Value;

use super::built_in::NOTICE;
use super::template::{Compiled, Same};
use super::{Brand, Link, NOBODY};
use crate::http::Reply;
use crate::http::object::object;
use crate::i18n::Language;

static PLAIN: LazyLock<Brand> = LazyLock::new(Brand::default);

/// One more paragraph of a page.
pub(super) fn paragraph(text: &str) -> Value {
    object!({ "line": text })
}

/// What all pages of a room have in common.
#[derive(Clone, Copy)]
pub struct Shell<'a> {
    /// The visitor's language.
    pub words: &'static Language,
    /// What operators say about themselves.
    pub brand: &'a Brand,
    /// The sites that may show the page in a frame; none unless they are named.
    pub frame_ancestors: Option<&'a str>,
}

impl Shell<'_> {
    /// Without a room: nothing is known of a brand.
    #[must_use]
    pub fn plain(words: &'static Language) -> Shell<'static> {
        Shell {
            words,
            brand: &PLAIN,
            frame_ancestors: None,
        }
    }

    /// The way on from a page that has no other.
    pub(super) fn home(self) -> Link<'static> {
        Link {
            to: "/",
            label: self.words.text("home"),
        }
    }

    /// A page with one thing to say, by the names of its texts: title and sentence.
    pub(super) fn notice(self, status: u16, texts: [&str; 2], link: Option<Link<'_>>) -> Reply {
        let [title, text] = texts.map(|name| self.words.text(name));
        let more = object!({
            "link": link.map(|link| link.to),
            "label": link.map(|link| link.label),
        });
        self.page(status, title, text, more)
    }

    /// A page with a title, a sentence, and what else `templates/notice.html` knows.
    pub(super) fn page(self, status: u16, title: &str, text: &str, more: Value) -> Reply {
        let mut data = object!({ "title": title, "text": text });
        if let (Some(data), Value::Object(more)) = (data.as_object_mut(), more) {
            data.extend(more);
        }
        self.render(&NOTICE, status, data)
    }

    /// A built-in page that begins as all do.
    pub(super) fn render(self, page: &Compiled, status: u16, mut data: Value) -> Reply {
        if let Some(data) = data.as_object_mut() {
            data.insert("lang".to_owned(), self.words.tag.into());
            data.insert("dir".to_owned(), self.words.direction.into());
            data.insert("brand".to_owned(), self.brand.into());
        }
        let same = Same {
            words: self.words,
            brand: Some(self.brand),
        };
        page.render(status, &data, same, self.frame_ancestors.unwrap_or(NOBODY))
    }
}
