//! `docs/llms.txt`: the index of the docs for programs that read it (llmstxt.org), out of the tables of `docs/README.md`.

use std::fmt::Write as _;

/// The folder of the pages to look things up in. They are together, whatever part of the index has them.
const REFERENCE: &str = "reference/";

/// A link of the index: the heading above it, its line, and whether it is a page of the reference.
struct Link<'a> {
    heading: &'a str,
    line: String,
    is_reference: bool,
}

/// The file: what the README says first, then each link of the index by the title of its page, with what a reader wants there.
pub(super) fn text(
    readme: &str,
    index: &str,
    title: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let (name, rest) = readme.strip_prefix("# ")?.split_once("\n\n")?;
    let (summary, _) = rest.split_once("\n\n")?;
    let all = links(index, title);
    let mut headings: Vec<&str> = all.iter().map(|link| link.heading).collect();
    headings.dedup();
    let (last, first) = headings.split_last()?;
    let mut text = format!("# {name}\n\n> {summary}\n");
    let mut part = |heading: &str, is_in: &dyn Fn(&Link<'_>) -> bool| {
        let lines = all.iter().filter(|link| is_in(link));
        let lines: String = lines.map(|link| link.line.as_str()).collect();
        let _ = write!(text, "\n## {heading}\n\n{lines}");
    };
    for heading in first {
        part(heading, &|link| {
            link.heading == *heading && !link.is_reference
        });
    }
    part("Reference", &|link| link.is_reference);
    part(last, &|link| link.heading == *last);
    Some(text)
}

/// Every link of the tables, in their order.
fn links(index: &str, title: impl Fn(&str) -> Option<String>) -> Vec<Link<'_>> {
    let mut heading = "Try it";
    let mut links = Vec::new();
    for line in index.lines() {
        if let Some(next) = line.strip_prefix("## ") {
            heading = next;
        }
        let cells = line
            .strip_prefix("| ")
            .and_then(|row| row.split_once(" | "));
        let Some((wish, cell)) = cells else { continue };
        for link in cell.split('[').skip(1) {
            let linked = link.split_once("](").and_then(|(name, rest)| {
                let (path, _) = rest.split_once(')')?;
                Some((name, path))
            });
            let Some((name, path)) = linked else { continue };
            let name = title(path).unwrap_or_else(|| name.to_owned());
            links.push(Link {
                heading,
                line: format!("- [{name}]({path}): {wish}\n"),
                is_reference: path.starts_with(REFERENCE),
            });
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_link_stands_once_with_its_wish_and_the_reference_together() {
        let readme = "# A\n\nA room.\nIt waits.\n\nMore.\n";
        let index = "# Docs\n\n| I want to … | read |\n|---|---|\n| try it | [First](a.md) |\n\n## Run it\n\n| I want to … | read |\n|---|---|\n| set it | [Guide](b.md), [Settings](reference/c.md) |\n\n## Deep\n\n| about | read |\n|---|---|\n| the code | [Map](d.md) |\n";
        let expected = "# A\n\n> A room.\nIt waits.\n\n## Try it\n\n- [First](a.md): try it\n\n## Run it\n\n- [Guide](b.md): set it\n\n## Reference\n\n- [Settings](reference/c.md): set it\n\n## Deep\n\n- [The map](d.md): the code\n";
        let title = |path: &str| (path == "d.md").then(|| "The map".to_owned());
        assert_eq!(text(readme, index, title).as_deref(), Some(expected));
        assert_eq!(text("A room.", index, title), None);
        assert_eq!(text(readme, "no table", title), None);
    }
}
