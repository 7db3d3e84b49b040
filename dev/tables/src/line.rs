//! A line of which nothing is set, as tests reach it.

use now_serving::cache::NoBoard;
use now_serving::queue::{
    AbsentVisitors, Cap, Effort, Enforcement, HealthRule, Lane, NetworkBound, Now, Pace, RoomName,
    Schedule,
};
use now_serving::store::upstash::Transport;
use now_serving::store::{Clock, Line};

/// The line of a room at this time: it moves by permits alone, with no cap, no event, no lane but the main one and no origin that is
/// watched, and the POP knows no board. What a test needs otherwise it names.
#[must_use]
pub fn line<'a>(store: &'a dyn Transport, room: &'a RoomName, now: Now) -> Line<'a> {
    Line {
        store,
        room,
        pace: Pace {
            automatic: 0,
            quantity: 1,
        },
        limits_of: None,
        limits_events: &[],
        absent_visitors: AbsentVisitors::Off,
        cap: Cap::default(),
        active_visitors: Enforcement::On,
        turn_minutes: 0,
        schedule: Schedule::NONE,
        health: (HealthRule::OFF, 0),
        origin: None,
        network: String::new(),
        bound: NetworkBound::default(),
        effort: Effort::default(),
        invitation: None,
        lane: Lane::Main,
        home: Lane::Main,
        groups: &[],
        regions: None,
        lifetime: 172_800,
        pop: String::new(),
        now,
        clock: Clock::Given,
        known: &NoBoard,
    }
}
