//! What a template may not ask for, because the sandbox would end instead of refusing it.

use super::{Refusal, split_at_pair};

/// Blocks in blocks, and brackets in brackets: each is a step on the sandbox's small stack.
const DEEPEST: usize = 32;

/// Refuses partials, which may call themselves for ever, and what is nested deeper than the stack bears.
pub(super) fn hold(text: &str) -> Result<(), Refusal> {
    let mut blocks = 0_usize;
    let mut rest = text;
    while let Some((_, tag_on)) = split_at_pair(rest, '{') {
        let (tag, after) = split_at_pair(tag_on, '}').unwrap_or((tag_on, ""));
        let refusal = |reason: &str| Err(Refusal::at(text, tag_on, reason));
        let board = tag.trim_start_matches(['{', '~', ' ', '\t', '\n']);
        match board.bytes().next() {
            Some(b'#' | b'^') => blocks += 1,
            Some(b'/') => blocks = blocks.saturating_sub(1),
            _ => {}
        }
        let called = board.trim_start_matches(['#', '~', ' ', '\t', '\n']);
        if called.starts_with(['>', '*']) {
            return refusal("a page is one template: there are no partials");
        }
        let brackets = tag.matches(['(', '[', '{']).count();
        if blocks.max(brackets) > DEEPEST {
            return refusal("this is nested deeper than 32 levels");
        }
        rest = after;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Option<usize> {
        hold(text).err().map(|refusal| refusal.line)
    }

    #[test]
    fn partials_are_refused_however_they_are_written() {
        for partial in [
            "{{> a}}",
            "{{>a}}",
            "{{~> a}}",
            "{{#> a}}{{/a}}",
            "{{#*inline \"a\"}}{{/inline}}",
            "{{* a}}",
        ] {
            assert_eq!(line(&format!("\n{partial}")), Some(2), "{partial}");
        }
        assert_eq!(line("{{a}} > {{#if b}}>{{/if}} *"), None);
    }

    #[test]
    fn nesting_has_an_end() {
        let blocks = |depth: usize| "{{#if a}}\n".repeat(depth) + &"{{/if}}".repeat(depth);
        assert_eq!((line(&blocks(32)), line(&blocks(33))), (None, Some(33)));
        assert_eq!(line(&"{{#if a}}{{/if}}".repeat(400)), None, "side by side");
        let brackets = |depth: usize| format!("{{{{a {} }}}}", "(a ".repeat(depth));
        assert_eq!((line(&brackets(32)), line(&brackets(33))), (None, Some(1)));
        assert_eq!(line(&format!("{{{{a {}", "[".repeat(40))), Some(1));
    }
}
