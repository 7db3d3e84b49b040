//! What visitors lose by random schedules of faults, measured on the real service and the real script.
//!
//! The measurement sees what visitors see: the answers over HTTP, and whether they go in. It knows nothing of how the store, the
//! board or the tickets keep numbers, so it compares any two ways to do that. The embedded store is needed: only that one is
//! backed up and restored at any time.
//!
//! `cargo test -p now-serving --test suite -- --nocapture losses::schedules::long` prints the table. `SCHEDULES=6` and
//! `STEPS=300` make it smaller, and `STORY="backups:17"` tells one schedule of a row step by step instead.

mod fate;
mod world;

use std::env;
use std::fmt::Write as _;

use fate::Lost;
use world::{Step, World};

/// Schedules of each row, and steps of each schedule.
const SCHEDULES: u64 = 40;
const STEPS: u64 = 900;

/// A kind of fault.
struct Row {
    name: &'static str,
    /// Its steps, each with its weight; those of visitors weigh 800 together.
    faults: &'static [(u64, Step)],
}

const LOSE: (u64, Step) = (15, Step::Lose);
const BACK_UP: (u64, Step) = (40, Step::BackUp);
const RESTORE: (u64, Step) = (15, Step::Restore);
const FORGET: (u64, Step) = (25, Step::Forget);
const SET_CLOCK: (u64, Step) = (15, Step::SetClock);
const END_ALL: (u64, Step) = (5, Step::EndAll);
const SWITCH: (u64, Step) = (15, Step::Switch);
const PART: (u64, Step) = (8, Step::Part);

const ROWS: [Row; 10] = [
    row("no fault", &[]),
    row("losses", &[LOSE]),
    row("losses + forget", &[LOSE, FORGET]),
    row("backups", &[BACK_UP, RESTORE]),
    row("backups + forget", &[BACK_UP, RESTORE, FORGET]),
    row("clocks + losses", &[SET_CLOCK, LOSE]),
    row("end all + losses + forget", &[END_ALL, LOSE, FORGET]),
    row(
        "end all + clocks + losses + forget",
        &[END_ALL, SET_CLOCK, LOSE, FORGET],
    ),
    row("two primaries", &[SWITCH]),
    row(
        "all",
        &[
            LOSE, BACK_UP, RESTORE, FORGET, SET_CLOCK, END_ALL, SWITCH, PART,
        ],
    ),
];

const fn row(name: &'static str, faults: &'static [(u64, Step)]) -> Row {
    Row { name, faults }
}

impl Row {
    fn named(name: &str) -> &'static Self {
        let found = ROWS.iter().find(|row| row.name == name);
        found.unwrap_or_else(|| panic!("no row is called {name:?}"))
    }

    fn plays(&self, seed: u64, steps: u64) -> Lost {
        World::new(self.faults, seed).plays(steps)
    }

    fn story(&self, seed: u64, steps: u64) -> String {
        let mut world = World::new(self.faults, seed);
        world.tells_its_story();
        let lost = world.plays(steps);
        format!("{}\n{lost:?}", world.story())
    }

    /// What is lost in so many schedules, with the first seeds in which it is.
    fn line(&self, schedules: u64, steps: u64) -> (String, Lost) {
        let mut all = Lost::default();
        let mut seeds = Seeds::default();
        for seed in 0..schedules {
            let lost = self.plays(seed, steps);
            seeds.note(seed, &lost);
            all.add(&lost);
        }
        let mut line = format!(
            "| {} | {} | {} | {} ({}) | {} | {} | {} ({} s) | {} | {} | {} of {} |",
            self.name,
            all.visitors,
            all.faults,
            all.never_in,
            all.never_in_anew,
            all.told_ended,
            all.told_otherwise,
            all.overtaken,
            all.longest_ms / 1_000,
            all.overtook,
            all.given_twice,
            all.empty_turns,
            all.turns,
        );
        write!(line, "{seeds}").unwrap();
        (line, all)
    }
}

/// The head of the table.
fn head(schedules: u64, steps: u64) -> String {
    format!(
        "| {schedules} schedules × {steps} steps | visitors | faults | never in (page loaded anew) | told ended | told otherwise | overtaken (worst) | by | given twice | empty turns |\n|---|---|---|---|---|---|---|---|---|---|"
    )
}

/// The first seeds of each column, behind the line of the table.
#[derive(Default)]
struct Seeds([Vec<u64>; 5]);

impl Seeds {
    fn note(&mut self, seed: u64, lost: &Lost) {
        let figures = [
            lost.never_in,
            lost.told_ended,
            lost.told_otherwise,
            lost.overtaken,
            lost.given_twice,
        ];
        for (seeds, figure) in self.0.iter_mut().zip(figures) {
            if figure > 0 && seeds.len() < 6 {
                seeds.push(seed);
            }
        }
    }
}

impl std::fmt::Display for Seeds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = ["never in", "ended", "otherwise", "overtaken", "twice"];
        for (name, seeds) in names.iter().zip(&self.0) {
            if !seeds.is_empty() {
                write!(f, " {name}: {seeds:?}")?;
            }
        }
        Ok(())
    }
}

fn number(name: &str) -> Option<u64> {
    env::var(name).ok().map(|number| number.parse().unwrap())
}

mod native {
    use super::*;

    #[test]
    fn losses_while_every_pop_keeps_its_copy_cost_no_visitor_the_place() {
        let row = Row::named("losses");
        let lost = row.line(4, 300);
        println!("{}\n{}", head(4, 300), lost.0);
        let Lost {
            never_in,
            told_ended,
            given_twice,
            ..
        } = lost.1;
        assert_eq!((never_in, told_ended, given_twice), (0, 0, 0), "{}", lost.0);
    }

    #[test]
    fn a_schedule_without_a_fault_costs_nothing() {
        let lost = Row::named("no fault").plays(1, 300);
        let Lost {
            visitors, turns, ..
        } = lost;
        let expected = Lost {
            visitors,
            turns,
            ..Lost::default()
        };
        assert_eq!(lost, expected);
        assert!(visitors > 50, "{lost:?}");
    }

    #[test]
    fn a_seed_plays_the_same_schedule_again() {
        let row = Row::named("all");
        assert_eq!(row.plays(3, 150), row.plays(3, 150));
    }
}

mod long {
    use super::*;

    #[test]
    fn what_visitors_lose_by_each_kind_of_fault() {
        let steps = number("STEPS").unwrap_or(STEPS);
        if let Ok(story) = env::var("STORY") {
            let (name, seed) = story.split_once(':').unwrap();
            return println!("{}", Row::named(name).story(seed.parse().unwrap(), steps));
        }
        let schedules = number("SCHEDULES").unwrap_or(SCHEDULES);
        println!("{}", head(schedules, steps));
        for row in &ROWS {
            println!("{}", row.line(schedules, steps).0);
        }
    }
}
