//! Whether everything that a template shows is escaped, in whatever spelling: what strangers and operators wrote is text on
//! the page, never markup.

use handlebars::Template as Tree;
use handlebars::template::TemplateElement;

use super::{Refusal, reader};

const REASON: &str = "a value is always escaped: write {{name}}, not {{{name}}} or {{&name}}";

/// Refuses what would be shown as it is.
pub(super) fn hold(text: &str) -> Result<(), Refusal> {
    // What our own reader knows escapes everything.
    if reader::tree(text).is_some() {
        return Ok(());
    }
    let tree = Tree::compile(text)?;
    match raw(&tree, 1) {
        Some(line) => Err(Refusal {
            line,
            reason: REASON.to_owned(),
        }),
        None => Ok(()),
    }
}

/// The line of the first value that is not escaped, however deep. The parser has limited the depth, and names no line for a
/// chained `else`, which then has that of its block.
fn raw(tree: &Tree, line: usize) -> Option<usize> {
    let mut elements = tree.elements.iter().enumerate();
    elements.find_map(|(at, element)| {
        let line = tree.mapping.get(at).map_or(line, |place| place.0);
        let inside = |tree: &Tree| raw(tree, line);
        match element {
            TemplateElement::HtmlExpression(_) => Some(line),
            TemplateElement::HelperBlock(block) => {
                let parts = [&block.template, &block.inverse];
                parts.into_iter().flatten().find_map(inside)
            }
            TemplateElement::DecoratorBlock(block) | TemplateElement::PartialBlock(block) => {
                block.template.as_ref().and_then(inside)
            }
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_that_shows_a_value_as_it_is_is_refused_at_its_line() {
        for spelling in [
            "{{{message}}}",
            "{{{ message }}}",
            "{{&message}}",
            "{{& message}}",
            "{{~{message}~}}",
            "{{~{ message }~}}",
            "{{{~message~}}}",
            "{{~&message}}",
            "{{{lookup this \"message\"}}}",
            "{{#if a}}{{{message}}}{{/if}}",
            "{{#if a}}b{{else}}{{&message}}{{/if}}",
            "{{#if a}}b{{else if c}}{{&message}}{{/if}}",
            "{{#unless a}}b{{^}}{{{message}}}{{/unless}}",
            "{{#each a}}{{#with this}}{{{message}}}{{/with}}{{/each}}",
        ] {
            let refused = hold(&format!("a\n{spelling}")).err();
            assert_eq!(
                refused
                    .as_ref()
                    .map(|refusal| (refusal.line, &*refusal.reason)),
                Some((2, REASON)),
                "{spelling}"
            );
        }
    }

    #[test]
    fn what_is_escaped_or_no_value_is_taken() {
        for text in [
            "{{message}} {{~message~}} {{lookup this \"message\"}}",
            "{{#if a}}&{{b}}&amp;{{else}}{ {{c}} }{{/if}}",
            "{{! {{{message}}} }}",
            "{{!-- {{&message}} --}}",
            "\\{{{message}}}",
            "a && b {{{{raw}}}}{{{message}}}{{{{/raw}}}}",
        ] {
            let held = hold(text);
            assert!(held.is_ok(), "{text}: {held:?}");
        }
    }
}
