//! `cargo dev docs`: writes what the docs have from the code, between two lines that name it. The rest is written by hand.

mod commands;

use std::fs;

use harness::project;

/// What `cargo dev docs` can be told.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Change nothing, and end with 1 where a page is not as it would be written
    #[arg(long)]
    pub check: bool,
}

/// A text of the docs that comes from the code.
struct Part {
    /// From the checkout.
    page: &'static str,
    /// In the two lines around it.
    name: &'static str,
    text: String,
}

/// Writes every part, or says which is not as it would be written. Whether every page is.
///
/// # Errors
/// When a page cannot be read or written, or has no place for its part.
pub fn docs(options: &Options, commands: clap::Command) -> Result<bool, String> {
    let root = &project::project()?.root;
    let parts = [Part {
        page: "docs/reference/cli.md",
        name: "commands",
        text: commands::reference(commands),
    }];
    let mut is_current = true;
    for Part { page, name, text } in parts {
        let path = root.join(page);
        let before = fs::read_to_string(&path).map_err(|error| format!("{page}: {error}."))?;
        let after = with(&before, name, &text)
            .ok_or_else(|| format!("{page} has no lines between which {name} belong."))?;
        if before == after {
            continue;
        }
        if options.check {
            is_current = false;
            anstream::println!("{page} is not what the code says: run `cargo dev docs`.");
        } else {
            fs::write(&path, after).map_err(|error| format!("{page}: {error}."))?;
            anstream::println!("{page} is written.");
        }
    }
    Ok(is_current)
}

/// The page with this text between the line that begins the part and the line that ends it, if it has both.
fn with(page: &str, name: &str, text: &str) -> Option<String> {
    let (before, rest) = page.split_once(&format!("{name}: written by cargo dev docs"))?;
    let (mark, rest) = rest.split_once('\n')?;
    let (_, end) = rest.split_once(&format!("end of {name}"))?;
    let last = rest.get(..rest.len() - end.len())?;
    let last = last.lines().next_back()?;
    Some(format!(
        "{before}{name}: written by cargo dev docs{mark}\n{text}{last}{end}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_put_between_its_two_lines() {
        let page = "# A\n<!-- b: written by cargo dev docs -->\nold\n<!-- end of b -->\nz\n";
        let written = with(page, "b", "new\n");
        let expected =
            "# A\n<!-- b: written by cargo dev docs -->\nnew\n<!-- end of b -->\nz\n".to_owned();
        assert_eq!(written, Some(expected));
        assert_eq!(with(page, "c", "new\n"), None);
        let endless = page.replace("end of b", "end of c");
        assert_eq!(with(&endless, "b", "new\n"), None);
    }
}
