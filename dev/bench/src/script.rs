//! `cargo dev bench --store`: what a call of the script takes of a real Redis, and how many commands it has there.
//!
//! The time is the one by which Redis counts its own work, without the way to it; the bytes are those of its log on disk. A call is
//! made as the edge makes it, with the settings of a room, and with the copy of the board that a data centre has by then.

mod room;

use std::fmt::Write as _;

use now_serving::queue::{Invitation, Lane, LaneName};
use serde_json::{Value, json};
use upstash_local::{Redis, Usage};

use crate::figures::{count, median};
use room::Room;

/// What rooms have switched on, one after the other.
const ROOMS: [&str; 6] = ["plain", "cap", "regions", "eight lanes", "event", "groups"];

/// The calls that are measured.
const CALLS: [&str; 10] = [
    "draw",
    "draw again",
    "draw in a lane",
    "poll",
    "look",
    "called",
    "permit",
    "status",
    "metrics",
    "panel",
];

/// A measured call.
struct Call {
    micros: f64,
    commands: f64,
    logged: f64,
}

/// All calls of one kind in one room.
struct Row {
    room: &'static str,
    call: &'static str,
    commands: f64,
    median: f64,
    lowest: f64,
    logged: f64,
}

/// A Redis, and what its last call took.
pub(crate) struct Meter {
    redis: Redis,
}

impl Meter {
    /// Measures the one call of the script that this makes.
    fn measured<T>(&self, call: impl FnOnce() -> T) -> Result<(T, Call), String> {
        let before = self.redis.logged()?;
        self.redis.forget_usage()?;
        let answer = call();
        let usage = self.redis.usage()?;
        let logged = self.redis.logged()? - before;
        let is_script = |usage: &&Usage| usage.command == "evalsha";
        let script = usage.iter().find(is_script);
        let script = script.filter(|script| script.calls == 1);
        let script = script.ok_or("A call was not one call of the script.")?;
        let is_of_bench = |name: &str| matches!(name, "evalsha" | "info" | "config|resetstat");
        let inside = usage.iter().filter(|usage| !is_of_bench(&usage.command));
        let commands: u64 = inside.map(|usage| usage.calls).sum();
        let [micros, commands, logged] = [script.micros, commands, logged]
            .map(|figure| count(usize::try_from(figure).unwrap_or(usize::MAX)));
        let call = Call {
            micros,
            commands,
            logged,
        };
        Ok((answer, call))
    }
}

/// Measures each call this often in each room.
///
/// # Errors
/// When there is no Redis, or the store refuses a call.
pub(crate) fn measure(times: u64) -> Result<Vec<Value>, String> {
    let mut rows = Vec::new();
    for name in ROOMS {
        rows.extend(in_room(name, times)?);
    }
    anstream::println!("{}", table(&rows));
    Ok(rows.iter().map(Row::json).collect())
}

fn in_room(name: &'static str, times: u64) -> Result<Vec<Row>, String> {
    let meter = Meter {
        redis: Redis::start()?,
    };
    let mut room = Room::open(name, &meter.redis)?;
    meter.redis.log()?;
    let mut calls: Vec<(&'static str, Call)> = Vec::new();
    for _ in 0..times {
        let id = room.next_id();
        let lane = room.lane();
        let (drawn, call) =
            meter.measured(|| room.line(None, Lane::Main, |line| line.join(&id)))?;
        let drawn = room.learns(drawn)?;
        calls.push(("draw", call));
        let (again, call) =
            meter.measured(|| room.line(None, Lane::Main, |line| line.join(&id)))?;
        room.learns(again)?;
        calls.push(("draw again", call));
        if name == "groups" {
            let invitation = Invitation {
                id: room.next_id(),
                uses: 1,
                ends: Room::second() + 3600,
                batch: String::new(),
                group: LaneName::read("members"),
            };
            let id = room.next_id();
            let (drawn, call) = meter
                .measured(|| room.line(Some(&invitation), Lane::Main, |line| line.join(&id)))?;
            room.learns(drawn)?;
            calls.push(("draw in a lane", call));
        }
        if let Some(lane) = lane {
            let id = room.next_id();
            let (drawn, call) = meter.measured(|| room.line(None, lane, |line| line.join(&id)))?;
            room.learns(drawn)?;
            calls.push(("draw in a lane", call));
        }
        let batches = room.batches();
        let (board, call) =
            meter.measured(|| room.line(None, Lane::Main, |line| line.release_due(&batches)))?;
        room.knows(board.map_err(|error| error.to_string())?)?;
        calls.push(("poll", call));
        let batches = room.batches();
        let (seen, call) = meter.measured(|| room.look(&drawn, &id, &batches))?;
        room.learns(seen)?;
        calls.push(("look", call));
        let (changed, call) = meter.measured(|| room.permit())?;
        changed?;
        calls.push(("permit", call));
        if let Some((id, first)) = room.called() {
            let batches = room.batches();
            let (seen, call) = meter.measured(|| room.look(&first, &id, &batches))?;
            room.learns(seen)?;
            calls.push(("called", call));
        }
        room.waits(id, drawn);
        let (status, call) = meter.measured(|| room.status())?;
        status?;
        calls.push(("status", call));
        let batches = room.batches();
        let (figures, call) =
            meter.measured(|| room.line(None, Lane::Main, |line| line.figures(&batches)))?;
        figures.map_err(|error| error.to_string())?;
        calls.push(("metrics", call));
        let (snapshot, call) = meter.measured(|| room.panel())?;
        snapshot?;
        calls.push(("panel", call));
    }
    let rows = CALLS.map(|call| Row::of(name, call, &calls));
    Ok(rows.into_iter().flatten().collect())
}

impl Row {
    /// Nothing where this room has no such call.
    fn of(room: &'static str, call: &'static str, calls: &[(&'static str, Call)]) -> Option<Self> {
        let these = || calls.iter().filter(|(name, _)| *name == call);
        let sorted = |read: fn(&Call) -> f64| {
            let mut figures: Vec<f64> = these().map(|(_, call)| read(call)).collect();
            figures.sort_by(f64::total_cmp);
            figures
        };
        let (micros, commands) = (sorted(|call| call.micros), sorted(|call| call.commands));
        let logged = sorted(|call| call.logged);
        Some(Self {
            room,
            call,
            commands: median(&commands)?,
            median: median(&micros)?,
            lowest: *micros.first()?,
            logged: median(&logged)?,
        })
    }

    fn json(&self) -> Value {
        json!({
            "room": self.room,
            "call": self.call,
            "commands": self.commands,
            "median_us": self.median,
            "lowest_us": self.lowest,
            "logged_bytes": self.logged,
        })
    }
}

fn table(rows: &[Row]) -> String {
    let mut text = format!(
        "\n{:<12}{:<16}{:>10}{:>12}{:>12}{:>12}\n",
        "room", "call", "commands", "median µs", "lowest µs", "log bytes"
    );
    for row in rows {
        let Row {
            room,
            call,
            commands,
            median,
            lowest,
            logged,
        } = row;
        let _ = writeln!(
            text,
            "{room:<12}{call:<16}{commands:>10.0}{median:>12.0}{lowest:>12.0}{logged:>12.0}"
        );
    }
    text + "\nOne call of the script: the commands that it calls, the time that Redis counts for all of it, and what it writes to its log.\n"
}
