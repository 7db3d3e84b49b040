//! A page that `build.rs` cut into the parts that stay and those that change, and found the digests of.
//!
//! Invariant: it is the page that Handlebars makes of the same template, byte for byte. A test compares.

use std::borrow::Cow;

use super::elements::Kind;
use super::escape::push_escaped;
use super::inline::{Sources, digest};
use super::names::{Names, Shown};
use super::parts::{Part, Parts};
use crate::http::Reply;
use crate::i18n::Language;
use crate::page::brand::Brand;

/// A page in parts.
#[derive(Debug)]
pub(in crate::page) struct Compiled {
    /// How long the template is.
    pub(in crate::page) length: usize,
    /// Its inline styles and scripts.
    pub(in crate::page) inline: &'static [Inline],
    /// Everything.
    pub(in crate::page) parts: Parts,
}

/// An inline style or script.
#[derive(Debug)]
pub(in crate::page) struct Inline {
    /// What it is.
    pub(in crate::page) kind: Kind,
    /// Its digest in each language, or the one digest without a language.
    pub(in crate::page) known: &'static [(&'static str, &'static str)],
    /// Its parts, if the operators' brand is in it: then the known digests are those without a brand.
    pub(in crate::page) branded: Parts,
}

/// What does not change from request to request.
#[derive(Clone, Copy)]
pub(in crate::page) struct Same<'a> {
    /// The texts.
    pub(in crate::page) words: &'a Language,
    /// The brand; none on a page that names none.
    pub(in crate::page) brand: Option<&'a Brand>,
}

impl Compiled {
    /// The page with its policy.
    pub(in crate::page) fn render(
        &self,
        status: u16,
        names: &dyn Names,
        same: Same<'_>,
        frame_ancestors: &str,
    ) -> Reply {
        let mut html = String::with_capacity(self.length.saturating_mul(2));
        push(&mut html, self.parts.clone(), names, same);
        super::reply(status, html, &self.policy(same), frame_ancestors)
    }

    /// What the policy says about inline styles and scripts.
    fn policy(&self, same: Same<'_>) -> String {
        let mut sources = Sources::default();
        for inline in self.inline {
            sources.push(inline.kind, &inline.digest(same));
        }
        sources.policy()
    }
}

impl Inline {
    fn digest(&self, same: Same<'_>) -> Cow<'static, str> {
        let is_plain = |part: Part| match (part, same.brand) {
            (Part::Brand(name), Some(brand)) => brand.is_plain(name),
            _ => true,
        };
        let is_known = |known: &&(&str, &str)| ["", same.words.tag].contains(&known.0);
        let known = self.known.iter().find(is_known);
        if let Some((_, digest)) = known.filter(|_| self.branded.clone().all(is_plain)) {
            return Cow::Borrowed(digest);
        }
        let mut inside = String::new();
        push(&mut inside, self.branded.clone(), &NoNames, same);
        Cow::Owned(digest(&inside))
    }
}

/// Where no part asks for a name.
struct NoNames;

impl Names for NoNames {
    fn named(&self, _: &str) -> Shown<'_> {
        Shown::Nothing
    }
}

fn push(html: &mut String, parts: Parts, names: &dyn Names, same: Same<'_>) {
    for part in parts {
        match part {
            Part::Text(text) => html.push_str(text),
            Part::Word(name) => push_escaped(html, same.words.text(name)),
            Part::Brand(name) => {
                let value = same.brand.and_then(|brand| brand.named(name));
                push_escaped(html, value.unwrap_or_default());
            }
            Part::Value(name) => names.named(name).push_to(html),
            Part::If(name, inside) => {
                if names.named(name).is_there() {
                    push(html, inside, names, same);
                }
            }
            Part::Each(name, inside) => {
                if let Shown::Rows(rows) = names.named(name) {
                    for row in rows {
                        push(html, inside.clone(), &*row, same);
                    }
                }
            }
        }
    }
}
