//! A parsed template, and the digest of its inline style by which its policy lets that style in.
//!
//! Handlebars' parser costs a new sandbox more than everything else in a request together. The few tags our pages are
//! made of are read here, into the same tree; a template with any other is left to that parser.

use std::collections::HashMap;
use std::mem;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use handlebars::template::{ExpressionSpecBuilder, HelperTemplate, Parameter, TemplateElement};
use handlebars::{Handlebars, Path, PathSeg, Template as Tree};
use serde_json::Value;

use crate::http::Reply;

const NAME: &str = "page";

pub(super) struct Template {
    parsed: Handlebars<'static>,
    style: String,
    script: String,
}

impl Template {
    pub(super) fn new(text: &str) -> Self {
        let mut parsed = Handlebars::new();
        // A template that does not parse is found by a test; here it would cost the page, not the answer.
        if let Some(tree) = tree(text).or_else(|| Tree::compile(text).ok()) {
            parsed.register_template(NAME, tree);
        }
        let style = text
            .split_once("<style>")
            .and_then(|(_, rest)| rest.split_once("</style>"));
        let digest = hmac_sha256::Hash::hash(style.map_or("", |(style, _)| style).as_bytes());
        let script = text
            .split_once("<script>")
            .and_then(|(_, rest)| rest.split_once("</script>"));
        let script = hmac_sha256::Hash::hash(script.map_or("", |(style, _)| style).as_bytes());
        Self {
            parsed,
            style: STANDARD.encode(digest),
            script: STANDARD.encode(script),
        }
    }

    pub(super) fn render(&self, status: u16, data: Value, frame_ancestors: &str) -> Reply {
        let Ok(html) = self.parsed.render_with_context(NAME, &data.into()) else {
            let text = "You are in line. This page refreshes itself.";
            return Reply::new(status, "text/plain; charset=utf-8", text);
        };
        // Only what is named may load: the page's own style, its icon, and asking the room again.
        let style = &self.style;
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{}'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors {frame_ancestors}",
            self.script
        );
        Reply::page(status, html, &policy)
    }
}

/// The tree of a template whose tags are all `{{name}}`, `{{name.field}}`, `{{#if name}}` or `{{/if}}`.
fn tree(text: &str) -> Option<Tree> {
    let mut tree = Tree::default();
    // Blocks that have begun, each with what stands before it.
    let mut outer = Vec::new();
    let mut rest = text;
    while let Some((before, tag_on)) = rest.split_once("{{") {
        let (tag, after) = tag_on.split_once("}}")?;
        if before.ends_with('\\') {
            return None;
        }
        push_text(&mut tree, before);
        if let Some(name) = tag.strip_prefix("#if ") {
            let when = expression(Parameter::Name("if".to_owned()), vec![path(name)?], true)?;
            outer.push((mem::take(&mut tree), when));
        } else if tag == "/if" {
            let (before, mut when) = outer.pop()?;
            when.template = Some(mem::replace(&mut tree, before));
            tree.elements
                .push(TemplateElement::HelperBlock(when.into()));
        } else {
            let value = expression(path(tag)?, Vec::new(), false)?;
            tree.elements
                .push(TemplateElement::Expression(value.into()));
        }
        rest = after;
    }
    push_text(&mut tree, rest);
    outer.is_empty().then_some(tree)
}

fn push_text(tree: &mut Tree, text: &str) {
    if !text.is_empty() {
        tree.elements
            .push(TemplateElement::RawString(text.to_owned()));
    }
}

/// A name with its fields; the two words that mean something else to Handlebars are no names.
fn path(name: &str) -> Option<Parameter> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let segments = name.split('.').map(|segment| {
        let named = !segment.is_empty() && segment.chars().all(plain);
        let named = named && !["else", "this"].contains(&segment);
        named.then(|| PathSeg::Named(segment.to_owned()))
    });
    let path = Path::Relative((segments.collect::<Option<_>>()?, name.to_owned()));
    Some(Parameter::Path(path))
}

fn expression(name: Parameter, params: Vec<Parameter>, block: bool) -> Option<HelperTemplate> {
    let spec = ExpressionSpecBuilder::default()
        .name(name)
        .params(params)
        .hash(HashMap::new())
        .omit_pre_ws(false)
        .omit_pro_ws(false)
        .build()
        .ok()?;
    Some(HelperTemplate::new(spec, block, false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{ADMIN_TEXT, NOTICE_TEXT, QUEUE_TEXT};

    #[test]
    fn our_own_templates_are_read_here_and_to_the_same_tree() {
        for text in [QUEUE_TEXT, ADMIN_TEXT, NOTICE_TEXT] {
            assert!(tree(text).is_some(), "{text}");
        }
        for text in [
            "",
            "a",
            "{{a}}",
            "a{{b}}c{{d.e}}f",
            "a {{#if b}}c{{d}}{{#if e.f}}{{g}}{{/if}}{{/if}} h",
            "{{a1_}} } {b} {{c}}}",
        ] {
            let theirs = Tree::compile(text).ok();
            assert_eq!(
                tree(text).as_ref().map(shape),
                theirs.as_ref().map(shape),
                "{text}"
            );
        }
    }

    /// A tree without what only error messages need: where in the text everything stood.
    fn shape(tree: &Tree) -> String {
        let debug = format!("{tree:?}");
        let parts = debug
            .split("mapping: [")
            .map(|part| part.trim_start_matches(|c| c != ']'));
        debug
            .split("mapping: [")
            .take(1)
            .chain(parts.skip(1))
            .collect()
    }

    #[test]
    fn a_page_is_the_same_whoever_reads_its_template() {
        let data = serde_json::json!({
            "title": "a", "sign": { "cursor": "1", "waiting": "2" }, "path": "/<p>", "serving": "2", "number": "3",
        });
        // Blank lines apart: Handlebars takes out those that hold a block's tag alone.
        let words = |html: &str| {
            html.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        for text in [QUEUE_TEXT, ADMIN_TEXT, NOTICE_TEXT] {
            let theirs = Handlebars::new().render_template(text, &data);
            let ours = Template::new(text).render(200, data.clone(), "'none'");
            let ours = words(&String::from_utf8_lossy(&ours.body));
            assert_eq!(theirs.ok().map(|html| words(&html)), Some(ours));
        }
    }

    #[test]
    fn what_is_not_ours_to_read_is_left_to_handlebars() {
        let data = serde_json::json!({ "a": "<", "b": ["x", "y"], "c": true });
        for (text, page) in [
            ("{{{a}}}", "<"),
            ("{{#each b}}{{this}}{{/each}}", "xy"),
            ("{{#if c}}1{{else}}2{{/if}}", "1"),
            ("{{#if z}}1{{else}}2{{/if}}", "2"),
            ("\\{{a}}", "{{a}}"),
            ("{{ a }}", "&lt;"),
            ("{{! a }}b", "b"),
            ("{{#unless z}}b{{/unless}}", "b"),
        ] {
            assert!(tree(text).is_none(), "{text}");
            let reply = Template::new(text).render(200, data.clone(), "'none'");
            assert_eq!(String::from_utf8_lossy(&reply.body), page, "{text}");
        }
        for broken in [
            "{{a",
            "{{#if a}}b",
            "b{{/if}}",
            "{{#if }}b{{/if}}",
            "{{a..b}}",
        ] {
            assert!(tree(broken).is_none(), "{broken}");
        }
    }
}
