//! `cargo dev docs`: writes what the docs have from the code, between two lines that name it. The rest is written by hand.

mod commands;
mod languages;
mod llms;
mod metrics;
mod settings;

use std::fs;
use std::path::Path;

use clap::Subcommand as _;
use harness::project;

pub use settings::help as settings_help;

/// What `cargo dev docs` can be told.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Change nothing, and end with 1 where a page is not as it would be written
    #[arg(long)]
    pub check: bool,
}

/// Writes every page, or says which is not as it would be written. Whether every page is.
///
/// # Errors
/// When a page cannot be read or written, or has no place for what belongs there.
pub fn docs(options: &Options, commands: clap::Command) -> Result<bool, String> {
    let part = |page: &'static str, name: &'static str, text: String| {
        let put = move |before: &str| with(before, name, "docs", &text);
        (page, Box::new(put) as Box<dyn Fn(&str) -> Option<String>>)
    };
    let read = |page: &str| {
        let path = project::project()?.root.join(page);
        fs::read_to_string(path).map_err(|error| format!("{page}: {error}."))
    };
    let title = |path: &str| {
        let page = read(&format!("docs/{path}")).ok()?;
        let is_page = Path::new(path).extension()? == "md";
        let title = page.lines().next()?.strip_prefix("# ")?;
        is_page.then(|| title.to_owned())
    };
    let llms = llms::text(&read("README.md")?, &read("docs/README.md")?, title);
    let pages = [
        part(
            "docs/reference/cli.md",
            "commands",
            commands::reference(cli::command_line(), |_| true),
        ),
        part(
            "docs/deep/dev.md",
            "commands",
            // Those that the page of the operators' program has.
            commands::reference(commands, |name| !cli::Command::has_subcommand(name)),
        ),
        part(
            "docs/reference/settings.md",
            "settings",
            settings::tables(false),
        ),
        part(
            "docs/reference/more-settings.md",
            "settings",
            settings::tables(true),
        ),
        part("docs/reference/metrics.md", "metrics", metrics::rows()),
        part(
            "docs/reference/languages.md",
            "languages",
            languages::list(),
        ),
        part("docs/openapi.yaml", "languages", languages::tags()),
        ("README.md", Box::new(languages::counted)),
        ("docs/deep/performance.md", Box::new(languages::counted)),
        part(
            "deploy/terraform/variables.tf",
            "settings",
            settings::names(),
        ),
        (
            "docs/settings.schema.json",
            Box::new(|before| Some(settings::schema(before))),
        ),
        ("fastly.toml", Box::new(|before| Some(questions(before)))),
        ("docs/llms.txt", Box::new(move |_| llms.clone())),
    ];
    let mut is_current = true;
    for (page, write) in pages {
        is_current &= written(options, page, &*write)?;
    }
    Ok(is_current || !options.check)
}

/// Writes a page, unless it is only looked at. Whether it was as it is to be.
fn written(
    options: &Options,
    page: &str,
    write: &dyn Fn(&str) -> Option<String>,
) -> Result<bool, String> {
    let path = project::project()?.root.join(page);
    let before = fs::read_to_string(&path).map_err(|error| format!("{page}: {error}."))?;
    let after = write(&before).ok_or_else(|| format!("{page} has no place for it."))?;
    if before == after {
        return Ok(true);
    }
    if options.check {
        anstream::println!("{page} is not what the code says: run `cargo dev docs`.");
    } else {
        fs::write(&path, after).map_err(|error| format!("{page}: {error}."))?;
        anstream::println!("{page} is written.");
    }
    Ok(false)
}

/// What Fastly's CLI asks for.
fn questions(before: &str) -> String {
    let begins = |name: &str| format!("[setup.config_stores.now-serving-config.items.{name}]");
    settings::described(before, begins, "description = ", "")
}

/// The page with this text between the line that begins the part and the line that ends it, if it has both. The first line names the
/// command that writes the part.
pub(crate) fn with(page: &str, name: &str, command: &str, text: &str) -> Option<String> {
    let begins = format!("{name}: written by cargo dev {command}");
    let (before, rest) = page.split_once(&begins)?;
    let (mark, rest) = rest.split_once('\n')?;
    let (_, end) = rest.split_once(&format!("end of {name}"))?;
    let last = rest.get(..rest.len() - end.len())?;
    let last = last.lines().next_back()?;
    Some(format!("{before}{begins}{mark}\n{text}{last}{end}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_put_between_its_two_lines() {
        let page = "# A\n<!-- b: written by cargo dev docs -->\nold\n<!-- end of b -->\nz\n";
        let written = with(page, "b", "docs", "new\n");
        let expected =
            "# A\n<!-- b: written by cargo dev docs -->\nnew\n<!-- end of b -->\nz\n".to_owned();
        assert_eq!(written, Some(expected));
        assert_eq!(with(page, "c", "docs", "new\n"), None);
        let endless = page.replace("end of b", "end of c");
        assert_eq!(with(&endless, "b", "docs", "new\n"), None);
    }
}
