//! The output of stages that run beside each other: one block for each, in the order in which they began.
//!
//! The first block is shown as its lines come, so that there is something to watch; the next one follows when it is over.

use std::collections::VecDeque;

#[derive(Default)]
pub(super) struct Output {
    blocks: VecDeque<Block>,
}

struct Block {
    name: &'static str,
    lines: Vec<String>,
    is_over: bool,
}

impl Output {
    /// Begins a stage's block, with this line.
    pub(super) fn begin(&mut self, name: &'static str, line: String) {
        self.blocks.push_back(Block {
            name,
            lines: vec![line],
            is_over: false,
        });
    }

    /// Adds a line to a stage's block.
    pub(super) fn add(&mut self, name: &str, line: String) {
        self.block(name, |block| block.lines.push(line));
    }

    /// No more lines come from this stage.
    pub(super) fn end(&mut self, name: &str) {
        self.block(name, |block| block.is_over = true);
    }

    fn block(&mut self, name: &str, change: impl FnOnce(&mut Block)) {
        if let Some(block) = self.blocks.iter_mut().find(|block| block.name == name) {
            change(block);
        }
    }

    /// The lines that can be shown now.
    pub(super) fn take(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(first) = self.blocks.front_mut() {
            lines.append(&mut first.lines);
            if !first.is_over {
                break;
            }
            self.blocks.pop_front();
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Output {
        let mut output = Output::default();
        output.begin("a", "a begins".to_owned());
        output.begin("b", "b begins".to_owned());
        output
    }

    #[test]
    fn the_first_block_is_shown_as_it_comes() {
        let mut output = two();
        assert_eq!(output.take(), ["a begins"]);
        output.add("b", "b 1".to_owned());
        output.add("a", "a 1".to_owned());
        assert_eq!(output.take(), ["a 1"]);
    }

    #[test]
    fn the_next_block_follows_the_one_that_is_over_and_is_then_shown_as_it_comes() {
        let mut output = two();
        output.add("b", "b 1".to_owned());
        output.end("a");
        assert_eq!(output.take(), ["a begins", "b begins", "b 1"]);
        output.add("b", "b 2".to_owned());
        assert_eq!(output.take(), ["b 2"]);
    }

    #[test]
    fn a_block_that_is_over_before_the_first_is_waits_whole() {
        let mut output = two();
        output.add("b", "b 1".to_owned());
        output.end("b");
        output.begin("c", "c begins".to_owned());
        assert_eq!(output.take(), ["a begins"]);
        output.end("a");
        assert_eq!(output.take(), ["b begins", "b 1", "c begins"]);
    }
}
