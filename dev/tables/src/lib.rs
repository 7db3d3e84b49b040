//! The rules of the line as tables: `tests/vectors` has one file a rule, and `tests/vectors/README.md` says which row of the mission
//! each of them holds.
//!
//! A table is played on the real script, in whatever store a [`Ground`] has. No table names a field of the store, nor an argument or
//! an answer of the script: a table says what visitors and operators see, so it outlives every change of the state and of the wire.

mod found;
mod line;
mod play;
pub mod settings;
mod steps;
pub mod table;

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use now_serving::queue::{RoomName, draw};
use now_serving::store::upstash::Transport;

pub use line::line;
pub use play::{journal, play};
pub use table::{Case, Table};

/// Where a case is played: a room of a store.
pub trait Ground {
    /// The way to the store.
    fn store(&self) -> &dyn Transport;
    /// The room of this case.
    fn room(&self) -> RoomName;
    /// Begins a case, in a room of which nothing is kept.
    ///
    /// # Errors
    /// When the store cannot do it.
    fn begin(&self) -> Result<(), String>;
    /// Lets time pass, where the store has no clock of its own.
    fn pass(&self, time: Duration);
    /// Loses keys of the room.
    ///
    /// # Errors
    /// When the store cannot do it.
    fn lose(&self, what: Loss) -> Result<(), String>;
    /// Keeps a copy of the room, in place of an older one.
    ///
    /// # Errors
    /// When the store cannot do it.
    fn back_up(&self) -> Result<(), String>;
}

/// What a store loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// All keys of the room, and the scripts.
    Everything,
    /// The key of the line.
    Line,
    /// What came since the copy.
    SinceCopy,
}

/// Where the tables are.
#[must_use]
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors")
}

/// The names of the tables in a folder of them, in their order; those that are played on the script are in the first one, `""`.
///
/// # Errors
/// When the folder cannot be read.
pub fn names(under: &str) -> Result<Vec<String>, String> {
    let folder = folder().join(under);
    let cannot = |fault: io::Error| format!("{}: {fault}", folder.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).map_err(cannot)? {
        let name = entry.map_err(cannot)?.file_name();
        let name = name.to_string_lossy();
        names.extend(name.strip_suffix(".json").map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

/// Reads the table of this name.
///
/// # Errors
/// What is wrong with its file.
pub fn read(name: &str) -> Result<Table, String> {
    let path = folder().join(format!("{name}.json"));
    let text = fs::read_to_string(&path);
    let text = text.map_err(|fault| format!("{}: {fault}", path.display()))?;
    Table::read(&text).map_err(|fault| format!("{name}.json: {fault}"))
}

/// The secret of an order by lot: the one of the steps in `docs/deep/lot.md`, for the event `sale`.
#[must_use]
pub fn secret(event: &str) -> String {
    let key = b"0123456789abcdef0123456789abcdef";
    draw::secret(key, "main", event, 1_800_000_000_000)
}
