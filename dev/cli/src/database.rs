//! `cargo dev test --store URL`: the rules of the line on a database elsewhere, such as one of Upstash's, whose engine is its own.
//!
//! Invariant: no command has a key outside of the rooms of this run, whose names are made of its time and of chance; no more commands
//! are sent than were told before; and what was made is deleted, also after Ctrl-C.

mod engine;
mod rooms;

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use audit::audit_from;
use cli_core::secret::Secret;
use machine::packages::is_yes;
use now_serving::store::script;
use serde_json::json;
use tables::{Case, Ground as _, Table, journal, names, play, read};
use tokio::runtime::Builder;
use upstash_local::Store;
use virtual_edge::Direct;

use cli::remote_store::{Bounds, RemoteStore, token_given_or_typed};
use rooms::Rooms;

/// The longest that a run takes.
const LONGEST: Duration = Duration::from_hours(6);

/// After so many faults the other cases are not played: where the engine differs, they are not paid for.
const FAULTS: usize = 20;

/// Whether Ctrl-C was pressed.
static IS_STOPPED: AtomicBool = AtomicBool::new(false);

/// Plays the tables with this in their name on the database at this address. Whether all cases hold there.
///
/// # Errors
/// When no table has such a name, the database does not answer, or the tables do not hold on the local store.
pub fn test(url: &str, name: &str) -> Result<bool, String> {
    let tables = tables_with(name)?;
    let mut store = RemoteStore::new(url, token_given_or_typed()?, Bounds::OF_A_LOOK)?;
    let begin = Instant::now();
    store.command(&["PING"])?;
    let took = begin.elapsed();
    let local = Direct(Store::embedded("")?);
    let here = Rooms::new(&local, "here".to_owned(), &IS_STOPPED);
    let asked = Found::of(&tables, &here);
    if !asked.faults.is_empty() {
        let faults = asked.faults_told();
        return Err(format!(
            "The rules do not hold on the local store, so nothing was written.\n{faults}"
        ));
    }
    let most = here.sent() + here.to_delete_all();
    let minutes = (took * most).as_secs().div_ceil(60);
    let run = unknown_name()?;
    anstream::println!(
        "{} cases of {} rules are played on {url}, each in a room of its own. Every key begins with queue:{{{run}.\n\
         At most {most} commands are sent, in some {minutes} minutes. A call of the script, which has {} KB, is one of them.\n\
         What is made is deleted afterwards, also after Ctrl-C.",
        asked.held - 1,
        tables.len(),
        script().len() / 1000,
    );
    if !is_yes("Go on? [y/N] ", &mut io::stdin().lock(), &mut io::stdout()) {
        anstream::println!("Nothing was written.");
        return Ok(true);
    }
    stop_by_ctrl_c()?;
    store.begins(Bounds {
        requests: most,
        time: LONGEST,
    });
    let rooms = Rooms::new(&store, run, &IS_STOPPED);
    let found = Found::of(&tables, &rooms);
    let is_stopped = IS_STOPPED.load(Ordering::Relaxed);
    if let Some(fault) = store.fault().filter(|_| !is_stopped) {
        anstream::println!("The latest command without an answer: {fault}");
    }
    let left = rooms.delete_all(|words| store.put_back(words));
    anstream::println!("{}", found.told(store.requests(), &left, is_stopped));
    Ok(found.faults.is_empty() && left == Ok(0) && !is_stopped)
}

/// The tables with this in their name.
fn tables_with(name: &str) -> Result<Vec<(String, Table)>, String> {
    let known = names("")?;
    let named = known.iter().filter(|table| table.contains(name));
    let tables = named.map(|table| Ok((table.clone(), read(table)?)));
    let tables: Vec<_> = tables.collect::<Result<_, String>>()?;
    if tables.is_empty() {
        let known = known.join(", ");
        return Err(format!(
            "No rule has {name:?} in its name. Known are {known}."
        ));
    }
    Ok(tables)
}

/// A name that no other run has.
fn unknown_name() -> Result<String, String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let ms = now.map_or(0, |now| now.as_millis());
    let chance: String = Secret::JwtSecret.make()?.chars().take(8).collect();
    Ok(format!("test-{ms}-{chance}"))
}

fn stop_by_ctrl_c() -> Result<(), String> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("No runtime: {error}."))?;
    std::thread::spawn(move || {
        if runtime.block_on(tokio::signal::ctrl_c()).is_ok() {
            IS_STOPPED.store(true, Ordering::Relaxed);
        }
    });
    Ok(())
}

/// What a run found.
#[derive(Default)]
struct Found {
    held: usize,
    /// Cases that restore a backup.
    left_out: usize,
    faults: Vec<String>,
}

impl Found {
    /// Tries the engine, and plays every case in a room of its own.
    fn of(tables: &[(String, Table)], rooms: &Rooms<'_>) -> Self {
        let mut found = Self::default();
        found.note("the engine", engine::try_all(rooms.store()));
        let cases = tables
            .iter()
            .flat_map(|(name, table)| table.cases.iter().map(move |case| (name, case)));
        for (name, case) in cases {
            let played = in_a_room(case, rooms);
            if IS_STOPPED.load(Ordering::Relaxed) {
                break;
            }
            if rooms.restores() {
                found.left_out += 1;
            } else {
                found.note(&format!("{name}.json, {}", case.name), played);
            }
            if found.faults.len() == FAULTS {
                break;
            }
        }
        found
    }

    fn note(&mut self, what: &str, played: Result<(), String>) {
        match played {
            Ok(()) => self.held += 1,
            Err(fault) => self.faults.push(format!("{what}: {fault}")),
        }
    }

    fn told(&self, sent: u32, left: &Result<u64, String>, is_stopped: bool) -> String {
        let Self {
            held,
            left_out,
            faults,
        } = self;
        let end = match (left, is_stopped) {
            (Ok(0), false) => "What was made is deleted.".to_owned(),
            (Ok(0), true) => "Stopped. What was made is deleted.".to_owned(),
            (Ok(left), _) => format!("{left} keys are still there."),
            (Err(fault), _) => format!("What was made could not be deleted: {fault}"),
        };
        format!(
            "{}{held} passed, {} failed. Left out: {left_out}, which restore a backup. {sent} commands were sent. {end}",
            self.faults_told(),
            faults.len(),
        )
    }

    /// A line for each fault.
    fn faults_told(&self) -> String {
        let told = self.faults.iter().map(|fault| format!("{fault}\n"));
        let end = "The other cases were not played.\n".to_owned();
        told.chain((self.faults.len() == FAULTS).then_some(end))
            .collect()
    }
}

/// Plays a case; its journal hangs together, and its keys are deleted.
fn in_a_room(case: &Case, rooms: &Rooms<'_>) -> Result<(), String> {
    let played = play(case, rooms).and_then(|()| hangs_together(rooms));
    rooms.end()?;
    played
}

fn hangs_together(rooms: &Rooms<'_>) -> Result<(), String> {
    let page = journal(rooms)?;
    let number = |line: &String| line.split(' ').nth(1)?.parse().ok();
    let first = page.lines.first().and_then(number).unwrap_or(1);
    let told = json!({ "room": rooms.room().as_str(), "lines": page.lines, "head": page.head, "next": null });
    let report = audit_from(first, &[&told.to_string()], &[]);
    let fault = report.faults.into_iter().next();
    fault.map_or(Ok(()), |fault| Err(format!("its journal: {fault}")))
}
