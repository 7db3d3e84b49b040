//! The documentation as a site of static files with search, which mdBook makes.
//!
//! The pages stay where they are and as GitHub shows them: nothing in them is written for mdBook. The table of contents is
//! `docs/llms.txt`, which `cargo dev docs` writes from the index of the docs.

pub mod links;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use mdbook_driver::MDBook;
use mdbook_driver::config::{Config, HtmlConfig};

/// What the site has of the repository, pages or not.
const PARTS: [&str; 6] = [
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "SECURITY.md",
    "docs",
];

/// The pages before and after those of the index.
const FIRST: &str = "[Now Serving](README.md)\n[All pages](docs/README.md)";
const LAST: &str = "\n[Changes](CHANGELOG.md)\n";

/// What mdBook's theme has of ours.
const STYLE: (&str, &str) = ("site.css", include_str!("site.css"));
const ICON: (&str, &str) = ("theme/favicon.svg", include_str!("favicon.svg"));

/// Makes the site, in place of what is in that folder. The files of the repository that are named on a page and not in the site, and
/// whose address is not known: what would lead there is no link.
///
/// # Errors
/// When a page cannot be read, or a file cannot be written.
pub fn build(
    root: &Path,
    out: &Path,
    repository: Option<&str>,
) -> Result<BTreeSet<String>, String> {
    let book = tempfile::tempdir().map_err(|error| format!("No temporary folder: {error}."))?;
    for part in PARTS {
        copy(&root.join(part), &book.path().join("src").join(part))?;
    }
    for (name, text) in [STYLE, ICON, ("src/SUMMARY.md", &summary(root)?)] {
        write(&book.path().join(name), text)?;
    }
    render(book.path(), out).map_err(|error| format!("mdBook: {error:#}."))?;
    // A program that reads `llms.txt` finds the sources that it names.
    copy(&root.join("docs"), &out.join("docs"))?;
    let (files, mut unlinked) = (links::files(out)?, BTreeSet::new());
    for page in files.iter().filter(|path| links::is(path, "html")) {
        let before = read(&out.join(page))?;
        let mut after = before.clone();
        for link in links::links(&before).filter(|link| link.tag == "a") {
            let target = link
                .target(page)
                .filter(|(target, _)| !files.contains(target));
            let Some((target, place)) = target else {
                continue;
            };
            // mdBook gives each link to a page the name that a page has in the site.
            let source = target.replace(".html", ".md");
            let Some(source) = [source, target]
                .into_iter()
                .find(|path| root.join(path).exists())
            else {
                continue;
            };
            let mark = if place.is_empty() { "" } else { "#" };
            let to = repository
                .map(|address| format!(" href=\"{address}/blob/HEAD/{source}{mark}{place}\""));
            after = after.replace(
                &format!(" href=\"{}\"", link.value),
                to.as_deref().unwrap_or_default(),
            );
            unlinked.extend(to.is_none().then_some(source));
        }
        write(&out.join(page), after)?;
    }
    Ok(unlinked)
}

/// The address of the repository, if its manifest has one.
///
/// # Errors
/// When the manifest cannot be read.
pub fn repository(root: &Path) -> Result<Option<String>, String> {
    let manifest = read(&root.join("Cargo.toml"))?;
    let address = manifest
        .lines()
        .find_map(|line| line.strip_prefix("repository = \""));
    Ok(address.map(|address| address.trim_end_matches(['"', '/']).to_owned()))
}

/// The table of contents as mdBook reads it: the pages of the index, and below the README of a folder the other pages there.
fn summary(root: &Path) -> Result<String, String> {
    let mut lines = vec![FIRST.to_owned()];
    for line in read(&root.join("docs/llms.txt"))?.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            lines.push(format!("\n# {heading}\n"));
        }
        let link = line
            .strip_prefix("- [")
            .and_then(|link| link.split_once("): "));
        let Some((title, path)) = link.and_then(|(link, _)| link.split_once("](")) else {
            continue;
        };
        let path = links::resolve("docs/llms.txt", path);
        if !links::is(&path, "md") || !PARTS.iter().any(|part| path.starts_with(part)) {
            continue;
        }
        lines.push(format!("- [{title}]({path})"));
        let Some(folder) = path.strip_suffix("README.md") else {
            continue;
        };
        for name in links::files(&root.join(folder))? {
            let page = read(&root.join(folder).join(&name))?;
            let title = page.lines().next().and_then(|line| line.strip_prefix("# "));
            if let Some(title) = title.filter(|_| name != "README.md") {
                lines.push(format!("  - [{title}]({folder}{name})"));
            }
        }
    }
    lines.push(LAST.to_owned());
    Ok(lines.join("\n"))
}

fn render(book: &Path, out: &Path) -> mdbook_driver::errors::Result<()> {
    let mut html = HtmlConfig::default();
    html.additional_css = vec![STYLE.0.into()];
    html.no_section_label = true;
    html.smart_punctuation = false;
    html.definition_lists = false;
    html.playground.runnable = false;
    html.print.enable = false;
    html.input_404 = Some(String::new());
    let mut config = Config::default();
    config.book.title = Some("Now Serving".to_owned());
    config.book.description = Some("A virtual waiting room at the edge".to_owned());
    config.build.build_dir = std::path::absolute(out)?;
    // They rename `README.md`, which links of the pages name, and replace what stands between two braces, as our templates have it.
    config.build.use_default_preprocessors = false;
    config.set("output.html", html)?;
    MDBook::load_with_config(book, config)?.build()
}

/// Copies a file, or a folder with all that is in it.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    if from.is_file() {
        return write(to, fs::read(from).map_err(|error| at(from, &error))?);
    }
    let mut files = links::files(from)?.into_iter();
    files.try_for_each(|file| copy(&from.join(&file), &to.join(&file)))
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| at(path, &error))
}

fn write(path: &Path, text: impl AsRef<[u8]>) -> Result<(), String> {
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    let written = folder.and_then(|()| fs::write(path, text));
    written.map_err(|error| at(path, &error))
}

fn at(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}.", path.display())
}
