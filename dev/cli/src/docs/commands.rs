//! `docs/reference/cli.md` and `dev.md`: the options of each command, as clap knows them.

use std::fmt::Write as _;

use clap::{Arg, Command};
use simulator::units::grouped;

/// What no option takes.
const TOO_MANY: &str = "9223372036854775807";

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
    let mut text = format!(
        "\n## `{above} {}`\n\n{}.\n",
        command.get_name(),
        about.unwrap_or_default()
    );
    let rows: String = command
        .get_arguments()
        .filter(|arg| !arg.is_hide_set() && !["help", "version"].contains(&arg.get_id().as_str()))
        .map(|arg| row(command, arg))
        .collect();
    if !rows.is_empty() {
        let _ = write!(text, "\n{rows}");
    }
    if let Some(after) = command.get_after_help() {
        let _ = write!(text, "\n{after}\n");
    }
    text
}

/// What it does, and in brackets what it accepts and what it is where it is left out.
fn row(command: &Command, arg: &Arg) -> String {
    let accepted = accepted(command, arg).map(|accepted| format!("accepted: {accepted}"));
    let notes: Vec<_> = accepted.into_iter().chain(default(arg)).collect();
    let notes = match notes.join("; ") {
        none if none.is_empty() => none,
        notes => format!(" ({notes})"),
    };
    format!("- {}: {}{notes}\n", option(arg), help(arg))
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

fn default(arg: &Arg) -> Option<String> {
    let values = arg.get_default_values().iter();
    let values: Vec<_> = values.map(|value| value.to_string_lossy()).collect();
    if arg.is_required_set() {
        Some("required".to_owned())
    } else if values.is_empty() || !arg.get_action().takes_values() {
        None
    } else {
        Some(format!("default: `{}`", values.join(",")))
    }
}

/// The words, or the numbers from the least to the most.
fn accepted(command: &Command, arg: &Arg) -> Option<String> {
    let words = arg.get_possible_values();
    let words = words.iter().filter(|_| arg.get_action().takes_values());
    let words: Vec<_> = words.map(|word| format!("`{}`", word.get_name())).collect();
    if words.is_empty() {
        range(command, arg)
    } else {
        Some(words.join(", "))
    }
}

/// From what clap says of a number that is too large: no interface of clap has the range.
fn range(command: &Command, arg: &Arg) -> Option<String> {
    let words = [
        command.get_name(),
        &format!("--{}", arg.get_long()?),
        TOO_MANY,
    ];
    let refused = command.clone().try_get_matches_from(words).err()?;
    let refused = refused.to_string();
    let (_, range) = refused.split_once(" is not in ")?;
    let (least, most) = range.lines().next()?.split_once("..=")?;
    let number = |text: &str| text.parse().ok().map(grouped);
    Some(format!("{}–{}", number(least)?, number(most)?))
}

fn help(arg: &Arg) -> String {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let by_variable = arg.get_env().map(|name| name.to_string_lossy());
    let by_variable = by_variable.map(|name| format!("; by the variable `{name}` too"));
    help + &by_variable.unwrap_or_default()
}
