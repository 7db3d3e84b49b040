//! `docs/reference/cli.md` and `dev.md`: each command and its options, as clap knows them. `--help` says what each option does.

use clap::{Arg, Command};

/// A section for each command that the page has.
pub(super) fn reference(mut commands: Command, has: impl Fn(&str) -> bool) -> String {
    commands.build();
    let sections = commands
        .get_subcommands()
        .filter(|command| command.get_name() != "help" && has(command.get_name()))
        .map(|command| section(commands.get_name(), command));
    sections.collect::<String>() + "\n"
}

fn section(above: &str, command: &Command) -> String {
    let about = command.get_about().map(ToString::to_string);
    let text = format!(
        "\n## `{above} {}`\n\n{}.\n",
        command.get_name(),
        about.unwrap_or_default()
    );
    let options: Vec<String> = command
        .get_arguments()
        .filter(|arg| !arg.is_hide_set() && !["help", "version"].contains(&arg.get_id().as_str()))
        .map(option)
        .collect();
    match options.join(", ") {
        none if none.is_empty() => text,
        options => format!("{text}\n{options}\n"),
    }
}

/// How it is written: `--addr HOST:PORT`, `FILE`.
fn option(arg: &Arg) -> String {
    let values = arg.get_value_names().unwrap_or_default();
    let values = values.iter().map(ToString::to_string);
    let values = values.filter(|_| arg.get_action().takes_values());
    let name = arg.get_long().map(|long| format!("--{long}"));
    let words: Vec<String> = name.into_iter().chain(values).collect();
    format!("`{}`", words.join(" "))
}
