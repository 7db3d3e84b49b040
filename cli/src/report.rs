//! `now-serving report`: what happened in an event, or in any other time, out of the log.

use std::path::PathBuf;
use std::{fs, io::Write as _};

use ::audit::report::Of;
use now_serving::http::moment::moment;
use now_serving::page::ShownAs;

use crate::audit::texts;

/// Options of `now-serving report`.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Lines of the log, in any order, also twice
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// The room
    #[arg(long, default_value = "main")]
    pub room: String,
    /// The event, from its pre-queue or its first number to the next event or the end of the log
    #[arg(long, value_name = "ID")]
    pub event: Option<String>,
    /// From when, such as 2027-01-16T10:00:00Z
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub from: Option<u64>,
    /// Until when
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub to: Option<u64>,
    /// A page, data, or the picture alone
    #[arg(long = "as", value_name = "FORM", value_parser = ["html", "json", "svg"], default_value = "html")]
    pub form: String,
    /// The file to write; without it, standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

fn time(text: &str) -> Result<u64, String> {
    moment(text).ok_or_else(|| "accepted is a time such as 2027-01-16T10:00:00Z".to_owned())
}

/// Writes the report. Whether the journal that the log has hangs together.
///
/// # Errors
/// When a file cannot be read or written, or the log says nothing of that room or event.
pub fn report(options: &Options) -> Result<bool, String> {
    let texts = texts(&options.files)?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let of = Of {
        room: &options.room,
        event: options.event.as_deref(),
        from_ms: options.from,
        to_ms: options.to,
    };
    let (told, is_sound) = ::audit::report::report(&texts, of)?;
    let shown = match options.form.as_str() {
        "json" => ShownAs::Json,
        "svg" => ShownAs::Svg,
        _ => ShownAs::Html,
    };
    let bytes = told.shown(shown).body;
    let written = match &options.out {
        Some(file) => fs::write(file, bytes),
        None => std::io::stdout().write_all(&bytes),
    };
    written.map_err(|error| format!("The report cannot be written: {error}."))?;
    Ok(is_sound)
}
