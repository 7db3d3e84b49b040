//! `cargo dev test`: everything that must hold, in one table and one run.
//!
//! A stage that fails does not stop the others, except those that need what it makes. With a name it is only the tests of
//! that name.

mod named;
mod output;
mod run;
mod stages;
mod table;

use machine::install;
use machine::project;

use run::Provided;

/// What `cargo dev test` can be told.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Only the format, the unit tests, and the tiers `pure` and `native`: less than a minute once built
    #[arg(long, conflicts_with = "filter")]
    pub fast: bool,
    /// Also the tests that take minutes: one for each mechanism, on the real clock
    #[arg(long, conflicts_with_all = ["fast", "filter"])]
    pub long: bool,
    /// Install what tests of a name need; without a name that is done anyway
    #[arg(long, requires = "filter")]
    pub install: bool,
    /// Play the rules of the line on this Upstash database instead, in rooms of their own, which are deleted afterwards; with a NAME
    /// those with that in their name. It says what it sends, and asks before. The token is in `UPSTASH_REDIS_REST_TOKEN`, or typed
    #[arg(long, value_name = "URL", conflicts_with_all = ["fast", "long"])]
    pub store: Option<String>,
    /// Run only tests whose names contain this, and no other checks; nothing is installed
    #[arg(value_name = "NAME")]
    pub filter: Option<String>,
}

/// Runs the stages and prints the table. Whether all passed.
///
/// # Errors
/// When Cargo does not know this checkout.
pub fn test(options: &Options) -> Result<bool, String> {
    if options.store.is_some() {
        return Err(
            "This small program has no rules to play: run it as `cargo dev test --store URL`."
                .to_owned(),
        );
    }
    project::project()?;
    if let Some(name) = &options.filter {
        return named::test(name, options.install);
    }
    let stages = stages::wanted(options);
    let order: Vec<&str> = stages.iter().map(|stage| stage.name).collect();
    let needs = stages.iter().flat_map(|stage| stage.needs).copied();
    let mut provided = Provided::new();
    for need in needs {
        provided
            .entry(need)
            .or_insert_with(|| install::provide(need));
    }
    for (need, result) in &provided {
        if let Err(reason) = result
            && need.can_be_left_out()
        {
            anstream::eprintln!("{reason}");
        }
    }
    let mut reports = run::run(stages, &provided);
    reports.sort_by_key(|report| order.iter().position(|name| *name == report.name));
    Ok(table::summarise(&reports))
}
