//! The commands of a page, as its reader sees them.

use std::fs;
use std::path::{Path, PathBuf};

use harness::project::project;

/// Said in a comment of the page, before a block or in the line of a command.
const MARK: &str = "<!-- not run by the suite: ";

/// Commands that are read together: a block, or what is quoted in one line.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// The page and the line, for a reader of the failure.
    pub(crate) at: String,
    pub(crate) commands: Vec<String>,
    /// Why the suite does not run all of them.
    pub(crate) mark: Option<String>,
}

/// From the checkout.
pub(crate) fn text(name: &str) -> String {
    let path = project().unwrap().root.join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Every file below a folder of the checkout whose name ends so.
pub(crate) fn files(folder: &str, end: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![project().unwrap().root.join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(end) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A path as it is written in the docs.
pub(crate) fn name(path: &Path) -> String {
    let path = path.strip_prefix(&project().unwrap().root).unwrap();
    path.display().to_string()
}

/// The pages that lead a reader, step by step.
pub(crate) fn guides() -> Vec<String> {
    let folders = ["docs/tutorial", "docs/how-to"];
    let guides = folders.iter().flat_map(|folder| files(folder, ".md"));
    let guides = guides.map(|path| name(&path));
    ["README.md".to_owned()].into_iter().chain(guides).collect()
}

/// What a page shows as JSON.
pub(crate) fn documents(page: &str) -> Vec<String> {
    let page = text(page);
    let blocks = page.split("```json\n").skip(1);
    let blocks = blocks.map(|block| block.split("```").next().unwrap().trim().to_owned());
    blocks.collect()
}

/// What this text has its reader run.
pub(crate) fn told(at: &str, page: &str) -> Vec<Told> {
    let mut all = Vec::new();
    let mut lines = page.lines().enumerate();
    let mut before = "";
    while let Some((number, line)) = lines.next() {
        let at = format!("{at}:{}", number + 1);
        if let Some(kind) = line.trim().strip_prefix("```") {
            let block = lines.by_ref().map(|(_, line)| line.trim());
            let block: Vec<&str> = block.take_while(|line| *line != "```").collect();
            all.push(Told {
                at,
                commands: of_block(kind, &block),
                mark: mark(before),
            });
        } else {
            all.push(Told {
                at,
                commands: quoted(line),
                mark: mark(line),
            });
        }
        before = line;
    }
    all.retain(|told| !told.commands.is_empty());
    all
}

fn mark(line: &str) -> Option<String> {
    let (_, reason) = line.split_once(MARK)?;
    let (reason, _) = reason.split_once(" -->")?;
    Some(reason.to_owned())
}

/// The lines of a shell, the ones behind its prompt, or the steps of a workflow.
fn of_block(kind: &str, lines: &[&str]) -> Vec<String> {
    let begin = match kind {
        "sh" => "",
        "console" => "$ ",
        "yaml" => "- run: ",
        _ => return Vec::new(),
    };
    let joined = lines.join("\n").replace("\\\n", "");
    let commands = joined.lines().filter_map(|line| line.strip_prefix(begin));
    let commands = commands.map(|line| line.split("  #").next().unwrap().trim());
    let is_one = |line: &&str| !line.is_empty() && !line.starts_with('#');
    commands.filter(is_one).map(str::to_owned).collect()
}

/// The commands of this project and of Fastly that a sentence quotes.
fn quoted(line: &str) -> Vec<String> {
    let quotes = line.split('`').skip(1).step_by(2);
    let programs = ["cargo dev ", "now-serving ", "fastly "];
    let is_one = |quote: &&str| programs.iter().any(|program| quote.starts_with(program));
    quotes.filter(is_one).map(str::to_owned).collect()
}

#[test]
fn blocks_and_sentences_tell_what_to_run() {
    let page = "Run `cargo dev a` or `b`.\n\
        <!-- not run by the suite: it is a test -->\n  ```sh\n  # first\n  c --d \\\n    --e   # why\n  ```\n\
        ```console\n$ f g\nanswer\n```\n```yaml\n- run: h\n  env: i\n```\n```json\n{}\n```\n";
    let told = told("p.md", page);
    let commands: Vec<_> = told.iter().map(|told| told.commands.join("; ")).collect();
    assert_eq!(commands, ["cargo dev a", "c --d --e", "f g", "h"]);
    let marks: Vec<_> = told
        .iter()
        .filter_map(|told| told.mark.as_deref())
        .collect();
    assert_eq!(marks, ["it is a test"]);
    assert_eq!(told.get(1).map(|told| told.at.as_str()), Some("p.md:3"));
}
