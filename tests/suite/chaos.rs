//! Everything at once: visitors, operators and the origin's programs, in several POPs whose clocks jump, while the store fails,
//! loses its data or comes back with older ones, caches forget, sandboxes end, secrets are rotated, settings are published, rooms
//! and regions come and go, and events begin.
//!
//! A seed draws the acts. There are five rooms on one store: the first one, one by path, one by host, and one by country that is
//! removed, added and renamed. Visitors hold tickets of several rooms, and travel. By odd seeds the room with a host has regions.
//!
//! After each call of the store and each answer the invariants of `dev/invariants` hold, in each room: no number is given twice, nobody is inside whose number was not called, now
//! serving never moves back within one birth of the line, no more go in than were released, sessions stay below the cap, the number
//! of people ahead never rises, no answer has a status that is not ours, no call is made where none is due, and each decision is
//! counted once. In regions that goes for each lane, and the journal has the sum of them. Between rooms: no ticket of one admits to
//! another, a call of one has keys of that room only and leaves the lines of the others as they were, and an answer's cookies are of
//! the room of the request. At the end the audit reads the journal of each room.
//!
//! By one kind of run a POP has several nodes, which hand out copies of the board of different age; by another one also what was
//! overwritten, as the platform is asked not to do: then counts are lost, and all else holds.
//!
//! Among the visitors are adversaries, who send the tickets of one visit to all POPs and end sandboxes. A siege has more of them,
//! ten slots, and ends and resets in the same minute: each slot that is taken is that of a visitor who came within a session.
//!
//! What the rules do not promise is listed in `docs/deep/reliability.md` under *What a loss costs*, and in
//! `docs/deep/evidence.md`: a run notices such a loss, and expects no more than that after it.
//!
//! `CHAOS_SEED=7 cargo dev test chaos` plays the same run again, `CHAOS_MINUTES=60` a longer one.

mod act;
mod calm;
mod journal;
mod losses;
mod operators;
mod people;
mod report;
mod rooms;
mod settings;
mod wire;
mod world;

use std::env;

use report::Report;
use world::{Engine, Nodes, World};

/// The seed of a run, as a failure prints it.
const SEED: &str = "CHAOS_SEED";
/// How many virtual minutes a run has.
const MINUTES: &str = "CHAOS_MINUTES";

fn number(name: &str) -> Option<u64> {
    env::var(name).ok().map(|number| number.parse().unwrap())
}

/// A siege of ten slots for each seed: the invariants say that none is lost for longer than a session, and none is given twice.
fn besiege(seeds: std::ops::RangeInclusive<u64>, minutes: u64) {
    play_in(seeds, minutes, World::besieged);
}

/// Plays a run for each seed, or the one that is asked for.
fn play(seeds: std::ops::RangeInclusive<u64>, minutes: u64, engine: Engine) -> Report {
    play_in(seeds, minutes, |seed| World::new(seed, engine))
}

/// The same in worlds that are made so.
fn play_in(
    seeds: std::ops::RangeInclusive<u64>,
    minutes: u64,
    world: impl Fn(u64) -> World,
) -> Report {
    let minutes = number(MINUTES).unwrap_or(minutes);
    let seeds: Vec<u64> = number(SEED).map_or_else(|| seeds.collect(), |seed| vec![seed]);
    let mut report = Report::default();
    for seed in seeds {
        report.merge(&world(seed).play(minutes));
    }
    println!("{report}");
    report
}

/// A world in which each POP has several nodes.
fn nodes(seed: u64, nodes: Nodes) -> World {
    World::new(seed, Engine::Embedded).with_nodes(nodes)
}

mod native {
    use super::*;

    #[test]
    fn a_seed_plays_the_same_run_again() {
        let run = || World::new(1, Engine::Embedded).play(1);
        assert_eq!(run(), run());
    }
}

mod simulated {
    use super::*;

    #[test]
    fn every_invariant_holds_in_chaos() {
        play(1..=3, 5, Engine::Embedded);
    }

    #[test]
    fn every_invariant_holds_where_nodes_of_a_pop_hand_out_old_copies_of_the_board() {
        play_in(1..=2, 3, |seed| nodes(seed, Nodes::OldCopies));
    }

    #[test]
    fn every_invariant_but_the_count_holds_where_nodes_of_a_pop_hand_out_whatever_was_overwritten()
    {
        play_in(1..=2, 3, |seed| nodes(seed, Nodes::OldObjects));
    }

    #[test]
    fn an_adversary_takes_no_slot_by_nodes_that_hand_out_whatever_was_overwritten() {
        play_in(1..=2, 3, |seed| {
            World::besieged(seed).with_nodes(Nodes::OldObjects)
        });
    }

    #[test]
    fn an_adversary_gets_no_more_of_the_slots_than_one_visitor_and_takes_none_away() {
        besiege(1..=2, 8);
    }
}

mod redis {
    use super::*;

    #[test]
    fn every_invariant_holds_while_a_redis_is_killed_and_started_again() {
        play(1..=2, 2, Engine::Redis);
    }
}

mod long {
    use super::*;

    #[test]
    fn every_invariant_holds_in_ten_minutes_of_chaos_by_twenty_seeds() {
        play(1..=20, 10, Engine::Embedded);
    }

    #[test]
    fn every_invariant_holds_in_ten_minutes_where_nodes_are_behind_by_ten_seeds() {
        for old in [Nodes::OldCopies, Nodes::OldObjects] {
            play_in(1..=10, 10, |seed| nodes(seed, old));
        }
    }

    #[test]
    fn no_adversary_holds_a_slot_for_longer_than_a_session_in_ten_minutes_by_twenty_seeds() {
        besiege(1..=20, 10);
    }

    #[test]
    fn every_invariant_holds_in_long_chaos_on_a_redis() {
        play(1..=5, 10, Engine::Redis);
    }
}
