//! What an old board can do and cannot, in random data centres, clocks, and whims of the store and of the caches.
//!
//! Nobody is let in too early, loses a number or sees a board older than the own draw; and within a data centre whose
//! cache loses nothing, no board goes back. Between two data centres it may, by what was released in the last 2 s (and
//! while a renewal was on its way): to prevent that, each look would have to sign the ticket again. A board marked as
//! old, while the store does not answer, is the last one that this data centre has read.

mod world;

use now_serving::cache::memory::Behind;
use proptest::prelude::*;
use upstash_local::{Fault, Store};
use virtual_edge::cache::CacheFault;

use self::world::World;
use crate::house::STORE_TOKEN;
use crate::traces::{Traces, runner};

/// The latest that a copy comes: more than the store's deadline allows, and less than a copy lives.
const LATEST_MS: u64 = 1500;
/// A copy of the board lives no longer.
const COPY_MS: u64 = 2000;
/// How far a node may be behind with what it should not hand out at all.
const OVERWRITTEN_MS: u64 = 5000;

/// What can go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FaultProfile {
    /// Nothing.
    Fair,
    /// Nothing: nodes of a data centre hand out copies of the board that were overwritten.
    Nodes,
    /// They hand out whatever was overwritten, which the platform is asked not to do.
    OldNodes,
    /// The store fails, requests die, caches are silent or get their copies late; they lose none.
    Rough,
    /// Caches lose copies as well.
    Foul,
}

const ALL: [FaultProfile; 5] = [
    FaultProfile::Fair,
    FaultProfile::Nodes,
    FaultProfile::OldNodes,
    FaultProfile::Rough,
    FaultProfile::Foul,
];

#[derive(Clone, Debug)]
enum Event {
    Arrive,
    Look(usize),
    Permit(u64),
    Pass(u64),
    RaiseEpoch,
    Store(Option<Fault>),
    LoseCopy,
    LoseLast,
}

/// How far a request gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SandboxFate {
    Whole,
    /// Its sandbox ends before it has answered.
    Unanswered,
    /// Its sandbox ends as soon as it has answered.
    Answered,
}

#[derive(Clone, Debug)]
struct Step {
    event: Event,
    centre: usize,
    whim: CacheFault,
    life: SandboxFate,
}

fn step(weather: FaultProfile) -> impl Strategy<Value = Step> {
    let is = |profile| u32::from(weather == profile);
    let (foul, old) = (is(FaultProfile::Foul), is(FaultProfile::OldNodes));
    let (rough, nodes) = (is(FaultProfile::Rough) + foul, is(FaultProfile::Nodes));
    let event = prop_oneof![
        5 => Just(Event::Arrive),
        20 => any::<usize>().prop_map(Event::Look),
        4 => (1_u64..3).prop_map(Event::Permit),
        8 => (0_u64..=600).prop_map(Event::Pass),
        4 => (0_u64..=3000).prop_map(Event::Pass),
        1 => Just(Event::RaiseEpoch),
        2 * rough => prop_oneof![
            6 => Just(None),
            1 => Just(Some(Fault::Refuse)),
            1 => Just(Some(Fault::DropAnswer)),
        ].prop_map(Event::Store),
        foul => Just(Event::LoseCopy),
        foul => Just(Event::LoseLast),
    ];
    let whim = prop_oneof![
        6 => Just(CacheFault::Sound),
        rough => Just(CacheFault::Silent),
        5 * rough => (0..=LATEST_MS).prop_map(CacheFault::Late),
        foul => Just(CacheFault::Forgetful),
        12 * nodes => (0..=COPY_MS).prop_map(|copy_ms| node(copy_ms, 0)),
        12 * old => (0..=COPY_MS, 0..=OVERWRITTEN_MS)
            .prop_map(|(copy_ms, overwritten_ms)| node(copy_ms, overwritten_ms)),
    ];
    let life = prop_oneof![
        12 => Just(SandboxFate::Whole),
        rough => Just(SandboxFate::Unanswered),
        rough => Just(SandboxFate::Answered),
    ];
    (event, any::<usize>(), whim, life).prop_map(|(event, centre, whim, life)| Step {
        event,
        centre,
        whim,
        life,
    })
}

fn node(copy_ms: u64, overwritten_ms: u64) -> CacheFault {
    CacheFault::Node(Behind {
        copy_ms,
        overwritten_ms,
    })
}

fn hold_in(weather: FaultProfile, traces: Traces) {
    let store = Store::embedded(STORE_TOKEN).unwrap();
    let worlds = (
        prop::collection::vec(-3000_i64..=3000, 2..=3),
        prop::sample::select(&[0_u64, 5][..]),
        prop::collection::vec(step(weather), 1..120),
    );
    let outcome = runner(traces).run(&worlds, |(clocks, automatic, steps)| {
        let mut world = World::new(weather, &store, &clocks, automatic);
        for step in &steps {
            world.play(step);
        }
        Ok(())
    });
    outcome.unwrap();
}

mod native {
    use super::*;

    #[test]
    fn in_a_few_worlds_a_sign_does_no_more_than_it_may() {
        for weather in ALL {
            hold_in(weather, Traces::Known(20));
        }
    }

    /// There is no copy when the permit and the draws are seen, and the renewal that read before them comes last.
    #[test]
    fn a_first_copy_that_was_read_before_a_permit_does_not_undo_it() {
        let store = Store::embedded(STORE_TOKEN).unwrap();
        let mut world = World::new(FaultProfile::Rough, &store, &[0], 0);
        for (event, whim) in [
            (Event::Arrive, CacheFault::Sound),
            (Event::Arrive, CacheFault::Sound),
            (Event::Arrive, CacheFault::Sound),
            (Event::RaiseEpoch, CacheFault::Sound),
            (Event::Arrive, CacheFault::Sound),
            (Event::Look(0), CacheFault::Sound),
            (Event::Arrive, CacheFault::Sound),
            (Event::Arrive, CacheFault::Sound),
            (Event::Pass(2000), CacheFault::Sound),
            (Event::Look(2), CacheFault::Late(870)),
            (Event::Permit(2), CacheFault::Silent),
            (Event::Look(1), CacheFault::Sound),
            (Event::Look(5), CacheFault::Late(709)),
            (Event::Pass(988), CacheFault::Sound),
            (Event::Look(5), CacheFault::Sound),
        ] {
            world.play(&Step {
                event,
                centre: 0,
                whim,
                life: SandboxFate::Whole,
            });
        }
    }

    #[test]
    fn a_renewal_that_read_before_a_permit_does_not_undo_it() {
        let store = Store::embedded(STORE_TOKEN).unwrap();
        let mut world = World::new(FaultProfile::Rough, &store, &[0], 0);
        let play = |event, whim| Step {
            event,
            centre: 0,
            whim,
            life: SandboxFate::Whole,
        };
        for event in [Event::Arrive, Event::Arrive, Event::Arrive, Event::Look(0)] {
            world.play(&play(event, CacheFault::Sound));
        }
        // The copy is to be renewed, and the renewal takes its time.
        world.play(&play(Event::Pass(1500), CacheFault::Sound));
        world.play(&play(Event::Look(0), CacheFault::Late(400)));
        for event in [
            Event::Permit(1),
            Event::Look(2),
            Event::Pass(400),
            Event::Look(2),
        ] {
            world.play(&play(event, CacheFault::Sound));
        }
    }
}

mod simulated {
    use super::*;

    #[test]
    fn a_release_is_seen_at_every_look_two_seconds_later() {
        hold_in(FaultProfile::Fair, Traces::Known(256));
    }

    #[test]
    fn a_release_is_seen_at_every_look_two_seconds_later_through_whatever_node() {
        hold_in(FaultProfile::Nodes, Traces::Known(256));
    }

    #[test]
    fn nodes_that_are_behind_with_all_let_nobody_in_too_early_and_show_no_board_older_than_a_copy()
    {
        hold_in(FaultProfile::OldNodes, Traces::Known(256));
    }

    #[test]
    fn a_late_copy_moves_nobody_back_within_a_data_centre() {
        hold_in(FaultProfile::Rough, Traces::Known(256));
    }

    #[test]
    fn whatever_the_caches_lose_nobody_is_in_too_early_or_behind_the_draw() {
        hold_in(FaultProfile::Foul, Traces::Known(256));
    }
}

mod long {
    use super::*;

    #[test]
    fn in_new_worlds_a_sign_does_no_more_than_it_may() {
        for weather in ALL {
            hold_in(weather, Traces::New(256));
        }
    }
}
