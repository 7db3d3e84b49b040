//! `cargo dev site`: the documentation as a site. Another program makes it, so that only this command compiles mdBook.

use std::process::Command;

use machine::{project, quiet};

/// What `cargo dev site` can be told.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Where links to files that are no pages lead, such as `https://github.com/OWNER/NAME` [default: repository of Cargo.toml]
    #[arg(long, value_name = "URL")]
    pub repository: Option<String>,
}

/// Makes the site in `target/site`. Whether every link in it leads somewhere.
///
/// # Errors
/// When the program cannot be compiled or started.
pub fn site(options: &Options) -> Result<bool, String> {
    let project = project::project()?;
    let program = project.target.join("debug/site");
    let mut build = project::cargo(&["build", "--package", "now-serving-site", "--bin", "site"])?;
    quiet::run("Compiling mdBook", &mut build, Some(&program))?;
    let made = Command::new(&program)
        .arg(&project.root)
        .arg(project.target.join("site"))
        .args(&options.repository)
        .status();
    made.map(|status| status.success())
        .map_err(|error| format!("{}: {error}.", program.display()))
}
