//! The few tags our pages are made of, read here, into the same tree as Handlebars' own parser makes.
//!
//! That parser costs a new sandbox more than everything else in a request together; a template with any other tag is
//! left to it.

use std::collections::HashMap;
use std::mem;

use handlebars::template::{ExpressionSpecBuilder, HelperTemplate, Parameter, TemplateElement};
use handlebars::{Path, PathSeg, Template as Tree};

use super::path::is_path;
use super::split_at_pair;

/// The tree of a template whose tags are all `{{name}}`, `{{name.field}}`, `{{#if name}}`, `{{#each name}}` and their ends.
pub(super) fn tree(text: &str) -> Option<Tree> {
    let mut tree = Tree::default();
    // Blocks that have begun, each with what stands before it.
    let mut outer = Vec::new();
    let mut rest = text;
    while let Some((before, tag_on)) = split_at_pair(rest, '{') {
        let (tag, after) = split_at_pair(tag_on, '}')?;
        if before.ends_with('\\') {
            return None;
        }
        push_text(&mut tree, before);
        if let Some((helper, name)) = tag.strip_prefix('#').and_then(|tag| tag.split_once(' ')) {
            let helper = *["if", "each"].iter().find(|known| **known == helper)?;
            let block = expression(
                Parameter::Name(helper.to_owned()),
                vec![path(name)?],
                Form::Block,
            )?;
            outer.push((mem::take(&mut tree), helper, block));
        } else if let Some(helper) = tag.strip_prefix('/') {
            let (before, _, mut block) = outer.pop().filter(|(_, begun, _)| *begun == helper)?;
            block.template = Some(mem::replace(&mut tree, before));
            tree.elements
                .push(TemplateElement::HelperBlock(block.into()));
        } else {
            let value = expression(path(tag)?, Vec::new(), Form::Value)?;
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

/// A name with its fields.
fn path(name: &str) -> Option<Parameter> {
    let named = |segment: &str| PathSeg::Named(segment.to_owned());
    let path = || Path::Relative((name.split('.').map(named).collect(), name.to_owned()));
    is_path(name).then(|| Parameter::Path(path()))
}

/// How an expression stands in a template.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `{{name}}`.
    Value,
    /// `{{#if name}}…{{/if}}`.
    Block,
}

fn expression(name: Parameter, params: Vec<Parameter>, form: Form) -> Option<HelperTemplate> {
    let spec = ExpressionSpecBuilder::default()
        .name(name)
        .params(params)
        .hash(HashMap::new())
        .omit_pre_ws(false)
        .omit_pro_ws(false)
        .build()
        .ok()?;
    Some(HelperTemplate::new(spec, form == Form::Block, false))
}

#[cfg(test)]
mod tests {
    use handlebars::Context;

    use super::*;
    use crate::page::built_in::texts::{ADMIN, NOTICE, QUESTION, QUEUE};
    use crate::page::template::Template;

    #[test]
    fn our_own_templates_are_read_here_and_to_the_same_tree() {
        for text in [QUEUE, ADMIN, NOTICE, QUESTION] {
            assert!(tree(text).is_some(), "{text}");
        }
        for text in [
            "",
            "a",
            "{{a}}",
            "a{{b}}c{{d.e}}f",
            "a {{#if b}}c{{d}}{{#if e.f}}{{g}}{{/if}}{{/if}} h",
            "{{#each a.b}}c{{d}}{{#if e}}f{{/if}}{{/each}}",
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
    fn what_is_not_ours_to_read_is_left_to_handlebars() {
        let data = Context::from(serde_json::json!({ "a": "<", "b": ["x", "y"], "c": true }));
        for (text, page) in [
            ("{{{a}}}", "<"),
            ("{{#each b}}{{this}}{{/each}}", "xy"),
            ("{{#if c}}1{{else}}2{{/if}}", "1"),
            ("{{#if z}}1{{else}}2{{/if}}", "2"),
            ("\\{{a}}", "{{a}}"),
            ("{{ a }}", "&lt;"),
            ("{{! a }}b", "b"),
            ("{{#unless z}}b{{/unless}}", "b"),
            ("{{#if true}}b{{/if}}", "b"),
            ("{{#if 1}}b{{/if}}", "b"),
            ("{{#if false}}b{{/if}}c", "c"),
            ("{{b.0}}", "x"),
        ] {
            assert!(tree(text).is_none(), "{text}");
            let reply = Template::new(text, &|_| None)
                .ok()
                .and_then(|template| template.render(200, &data, "'none'"));
            let body = reply.map(|reply| reply.body);
            assert_eq!(body.as_deref(), Some(page.as_bytes()), "{text}");
        }
        for broken in [
            "{{a",
            "{{#if a}}b",
            "b{{/if}}",
            "{{#if }}b{{/if}}",
            "{{#if a}}b{{/each}}",
            "{{#if a b}}c{{/if}}",
            "{{a..b}}",
            "{{#if as}}b{{/if}}",
            "{{elsewhere}}",
        ] {
            assert!(tree(broken).is_none(), "{broken}");
        }
    }
}
