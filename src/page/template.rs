//! A parsed template, and the digests of its inline styles and scripts by which its policy lets those in; the built-in pages
//! come compiled.
//!
//! Constants are put in first, then comes the reading: once a page is parsed, only what differs from request to request
//! is left to be rendered.

mod bounds;
mod compiled;
mod constants;
mod elements;
mod escape;
mod escaped;
mod inline;
mod names;
mod parts;
mod path;
mod reader;

use handlebars::{
    Context, Handlebars, RenderError, RenderErrorReason, Template as Tree, TemplateError,
};

use crate::http::Reply;
pub(super) use compiled::{Compiled, Inline, Same};
pub(super) use constants::Constants;
pub(super) use elements::Kind;
pub(super) use names::{Names, OBJECT, Shown, values};
#[cfg(test)]
pub(super) use parts::Part;
pub(super) use parts::Parts;

const NAME: &str = "page";

/// Why a template is not shown, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// From 1.
    pub line: usize,
    /// What is wrong there.
    pub reason: String,
}

impl Refusal {
    /// At the first byte of `rest`, which is the end of `text`.
    pub(super) fn at(text: &str, rest: &str, reason: impl Into<String>) -> Self {
        let before = text.len().saturating_sub(rest.len());
        let newlines = text.bytes().take(before).filter(|byte| *byte == b'\n');
        Self {
            line: newlines.count() + 1,
            reason: reason.into(),
        }
    }
}

impl From<TemplateError> for Refusal {
    fn from(error: TemplateError) -> Self {
        Self {
            line: error.pos().map_or(1, |(line, _)| line),
            reason: error.reason().to_string(),
        }
    }
}

impl From<RenderError> for Refusal {
    fn from(error: RenderError) -> Self {
        let reason = match error.reason() {
            RenderErrorReason::MissingVariable(Some(name)) => {
                format!("there is no variable {name}")
            }
            other => other.to_string(),
        };
        Self {
            line: error.line_no.unwrap_or(1),
            reason,
        }
    }
}

/// What stands in front of the first pair of braces, and what behind it. Letters are looked for one at a time: to look for
/// two of them was a quarter of all the reading.
fn split_at_pair(text: &str, brace: char) -> Option<(&str, &str)> {
    text.match_indices(brace).find_map(|(at, _)| {
        let (before, pair) = text.split_at_checked(at)?;
        Some((before, pair.strip_prefix(brace)?.strip_prefix(brace)?))
    })
}

#[derive(Debug)]
pub(super) struct Template {
    parsed: Handlebars<'static>,
    /// What the policy says about inline styles and scripts.
    inline: String,
}

/// What a template is tried with.
pub(super) struct Samples {
    /// Every variable has something to show.
    pub(super) full: Context,
    /// No variable has more than it must.
    pub(super) bare: Context,
}

impl Template {
    pub(super) fn new(text: &str, constants: Constants<'_>) -> Result<Self, Refusal> {
        Self::of(&constants::put_in(text, constants)?)
    }

    /// The same for a template that nobody has looked at yet: what only shows when it is rendered is found here.
    pub(super) fn tried(
        text: &str,
        constants: Constants<'_>,
        samples: &Samples,
    ) -> Result<Self, Refusal> {
        let text = constants::put_in(text, constants)?;
        bounds::hold(&text)?;
        escaped::hold(&text)?;
        let mut template = Self::of(&text)?;
        if template.stumbles(samples).is_none() {
            return Ok(template);
        }
        // Our own reader keeps no lines: in Handlebars' tree it stumbles again and says where.
        template
            .parsed
            .register_template(NAME, Tree::compile(&text)?);
        match template.stumbles(samples) {
            None => Ok(template),
            Some(error) => Err(error.into()),
        }
    }

    fn of(text: &str) -> Result<Self, Refusal> {
        let inline = inline::policy(text)?;
        let tree = match reader::tree(text) {
            Some(tree) => tree,
            None => Tree::compile(text)?,
        };
        let mut parsed = Handlebars::new();
        parsed.register_template(NAME, tree);
        Ok(Self { parsed, inline })
    }

    /// Strict where everything is there, so that a misspelt variable is found; `with` would be too strict otherwise.
    fn stumbles(&mut self, samples: &Samples) -> Option<RenderError> {
        [(true, &samples.full), (false, &samples.bare)]
            .into_iter()
            .find_map(|(strict, sample)| {
                self.parsed.set_strict_mode(strict);
                self.parsed.render_with_context(NAME, sample).err()
            })
    }

    /// The page with its policy; nothing if it cannot be rendered.
    pub(super) fn render(
        &self,
        status: u16,
        data: &Context,
        frame_ancestors: &str,
    ) -> Option<Reply> {
        let html = self.parsed.render_with_context(NAME, data).ok()?;
        Some(reply(status, html, &self.inline, frame_ancestors))
    }
}

/// A page, and its policy with what that says about inline styles and scripts.
fn reply(status: u16, html: String, inline: &str, frame_ancestors: &str) -> Reply {
    // Only what is named may load: the page's own styles and scripts, its pictures, and asking the room again.
    let policy = format!(
        "default-src 'none'; {inline}img-src data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors {frame_ancestors}"
    );
    Reply::page(status, html, &policy)
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;
    use crate::page::built_in::texts::{ADMIN, NOTICE, QUESTION, QUEUE};

    /// Refused at that line, for a reason that begins so.
    pub(super) fn assert_refused(refusal: Option<&Refusal>, text: &str, line: usize, reason: &str) {
        assert!(
            refusal.is_some_and(|found| found.line == line && found.reason.starts_with(reason)),
            "{text}: {refusal:?}"
        );
    }

    /// Stands in every constant's place.
    fn filler(name: &str) -> Option<Result<String, String>> {
        let is_constant = name.starts_with("text.") || name.starts_with("brand.");
        is_constant.then(|| Ok("#c8371b".to_owned()))
    }

    #[test]
    fn a_page_is_the_same_by_either_reader_of_its_template() {
        let data = serde_json::json!({
            "title": "a", "sign": { "cursor": "1", "waiting": "2" }, "path": "/<p>", "serving": "2", "number": "3",
            "fields": [{ "name": "<a>", "value": "1" }, { "name": "b", "value": "2" }], "modes": [{ "name": "hold" }],
        });
        // Blank lines apart: Handlebars takes out those that hold a block's tag alone.
        let words = |html: &str| {
            html.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        for text in [QUEUE, ADMIN, NOTICE, QUESTION] {
            let text = constants::put_in(text, &filler).ok().unwrap_or_default();
            let theirs = Handlebars::new().render_template(&text, &data);
            let ours = Template::new(&text, &|_| None)
                .ok()
                .and_then(|ours| ours.render(200, &Context::from(data.clone()), "'none'"));
            let ours = ours.map(|reply| words(&String::from_utf8_lossy(&reply.body)));
            assert_eq!(theirs.ok().map(|html| words(&html)), ours);
        }
    }

    fn tried(text: &str) -> Result<Template, Refusal> {
        let samples = Samples {
            full: json!({ "title": "a", "wait": "b", "brand": { "name": "c" } }).into(),
            bare: json!({ "title": "a", "wait": null, "brand": { "name": null } }).into(),
        };
        let constants = |name: &str| match name {
            "text.a" => Some(Ok("A".to_owned())),
            _ => name
                .strip_prefix("text.")
                .map(|name| Err(format!("there is no text {name}"))),
        };
        Template::tried(text, &constants, &samples)
    }

    #[test]
    fn a_sound_template_is_taken() {
        for text in [
            "",
            "{{title}}{{text.a}}",
            "{{#if wait}}{{wait}}{{else}}{{title}}{{/if}}",
            "{{#with wait}}{{this}}{{/with}}",
            "{{#if brand.name}}{{brand.name}}{{/if}}",
            "{{#unless wait}}{{title}}{{/unless}}{{! a note }}",
        ] {
            assert!(tried(text).is_ok(), "{text}: {:?}", tried(text));
        }
    }

    #[test]
    fn a_broken_template_is_refused_with_line_and_reason() {
        for (text, line, reason) in [
            ("a\n{{title", 2, "invalid handlebars syntax"),
            ("a\n\n{{#if wait}}\nb", 4, "invalid handlebars syntax"),
            ("a\n{{#if wait}}\n{{/each}}", 3, "helper \"if\" was opened"),
            ("a\nb{{/if}}", 2, "invalid handlebars syntax"),
            ("a\n{{shout title}}", 2, "Helper not found shout"),
            ("{{title}}\n\n{{titel}}", 3, "there is no variable titel"),
            (
                "\n{{#if wait}}\n{{brand.nmae}}{{/if}}",
                3,
                "there is no variable brand.nmae",
            ),
            ("\n\n{{lookup}}", 3, "Helper/Decorator lookup param"),
            ("a\n{{text.b}}", 2, "there is no text b"),
            (
                "a\n<style>\np { color: {{title}} }</style>",
                3,
                "<style> has no digest",
            ),
            ("\n{{> title}}", 2, "a page is one template"),
            ("\n{{{title}}}", 2, "a value is always escaped"),
            ("\n{{&title}}", 2, "a value is always escaped"),
        ] {
            assert_refused(tried(text).err().as_ref(), text, line, reason);
        }
    }
}
