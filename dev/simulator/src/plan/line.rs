//! The line of an event by the second: visitors come, and as many as the pace and the cap allow go in, first come, first
//! served.

use std::collections::VecDeque;

use crate::scenario::Shape;
use crate::units::{Rate, Span, float, whole};

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// How many come.
    pub visitors: f64,
    /// Over how long.
    pub over: Span,
    /// How they are spread.
    pub shape: Shape,
    /// How many are let in.
    pub pace: Rate,
    /// The most inside, and how long each has a place.
    pub cap: Option<(f64, Span)>,
    /// The share of called visitors who do not come.
    pub absent: f64,
    /// Whether more are called for them.
    pub compensate: bool,
}

/// What comes of it.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Waits in seconds, each with how many visitors waited as long.
    pub waits: Vec<(f64, f64)>,
    /// When the last visitor is called; nothing if that takes more than a week.
    pub last_in: Option<Span>,
    /// The longest line.
    pub longest_line: f64,
    /// How many came when called.
    pub came: f64,
    /// The most inside; 0 without a cap.
    pub most_inside: f64,
    /// The most that draw a number within a second.
    pub most_draws_a_second: f64,
    /// For how long a line was there.
    pub seconds_with_line: f64,
    /// And for how long none was.
    pub seconds_without: f64,
}

const WEEK_SECONDS: u64 = 7 * 86_400;
/// For how long a slot is kept for a visitor who does not come.
const CLAIM_SECONDS: u64 = 60;
/// More are never called for absent visitors than this many times the pace: the product's bound.
const MOST_COMPENSATION: f64 = 1.5;
/// Less than this is no visitor, but a rest of division.
const NOTHING: f64 = 1e-6;

struct Slots {
    cap: f64,
    stay_seconds: u64,
    taken: f64,
    /// When slots become free, and how many: of visitors who came, and of absent ones.
    inside: VecDeque<(u64, f64)>,
    promised: VecDeque<(u64, f64)>,
}

impl Slots {
    fn free(&mut self, second: u64) -> f64 {
        for ends in [&mut self.inside, &mut self.promised] {
            while let Some((_, many)) = ends.pop_front_if(|(end, _)| *end <= second) {
                self.taken -= many;
            }
        }
        (self.cap - self.taken).max(0.0)
    }

    fn take(&mut self, second: u64, came: f64, absent: f64) {
        self.taken += came + absent;
        self.inside.push_back((second + self.stay_seconds, came));
        self.promised.push_back((second + CLAIM_SECONDS, absent));
    }
}

/// Plays it.
#[must_use]
pub fn play(event: &Event) -> Outcome {
    let mut outcome = Outcome::default();
    let mut line = VecDeque::<(u64, f64)>::new();
    let mut slots = event.cap.map(|(cap, stay)| Slots {
        cap,
        stay_seconds: stay.ms() / 1000,
        taken: 0.0,
        inside: VecDeque::new(),
        promised: VecDeque::new(),
    });
    let came_until = |second: u64| {
        let part = float(second) * 1000.0 / event.over.as_ms();
        event.visitors * event.shape.share_until(part.min(1.0))
    };
    let mut waiting = 0.0;
    let mut credit = 0.0;
    let last_second = event.over.ms().div_ceil(1000);
    for second in 0..WEEK_SECONDS {
        let arriving = came_until(second + 1) - came_until(second);
        outcome.most_draws_a_second = outcome.most_draws_a_second.max(arriving);
        if arriving > 0.0 {
            line.push_back((second, arriving));
            waiting += arriving;
        }
        let most = called_a_second(event);
        // What a second does not use is not kept for a crowd; but less than one visitor a second is not lost either.
        credit = (credit + most).min(most.max(1.0));
        let free = slots
            .as_mut()
            .map_or(f64::INFINITY, |slots| slots.free(second));
        let called = credit.min(waiting).min(free);
        credit -= called;
        waiting -= called;
        let came = called * (1.0 - event.absent);
        outcome.came += came;
        if let Some(slots) = &mut slots {
            slots.take(second, came, called - came);
            let inside = slots.inside.iter().map(|(_, many)| many).sum();
            outcome.most_inside = outcome.most_inside.max(inside);
        }
        serve(&mut line, called, second, &mut outcome);
        outcome.longest_line = outcome.longest_line.max(waiting);
        if waiting > NOTHING {
            outcome.seconds_with_line += 1.0;
        } else {
            outcome.seconds_without += 1.0;
            if second >= last_second {
                outcome.last_in = Some(Span::from_secs(second));
                break;
            }
        }
    }
    outcome
        .waits
        .sort_by(|one, other| one.0.total_cmp(&other.0));
    outcome
}

fn called_a_second(event: &Event) -> f64 {
    let pace = event.pace.a_minute / 60.0;
    // Under a cap the slots of absent visitors come back by themselves.
    if event.compensate && event.cap.is_none() {
        pace * (1.0 / (1.0 - event.absent)).min(MOST_COMPENSATION)
    } else {
        pace
    }
}

/// The first in line go, and what they waited is noted.
fn serve(line: &mut VecDeque<(u64, f64)>, called: f64, second: u64, outcome: &mut Outcome) {
    let mut left = called;
    while left > NOTHING
        && let Some((came, many)) = line.front_mut()
    {
        let go = many.min(left);
        let waited = float(second - *came);
        match outcome.waits.last_mut() {
            Some((known, sum)) if whole(*known) == second - *came => *sum += go,
            _ => outcome.waits.push((waited, go)),
        }
        *many -= go;
        left -= go;
        if *many <= NOTHING {
            line.pop_front();
        }
    }
}

impl Outcome {
    /// The wait that this percentage does not exceed.
    #[must_use]
    pub fn wait(&self, percent: u32) -> Span {
        let all: f64 = self.waits.iter().map(|(_, many)| many).sum();
        let wanted = all * f64::from(percent) / 100.0;
        let mut seen = 0.0;
        let found = self.waits.iter().find(|(_, many)| {
            seen += many;
            seen >= wanted - NOTHING
        });
        Span::from_secs(whole(found.map_or(0.0, |(wait, _)| *wait)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event() -> Event {
        Event {
            visitors: 6000.0,
            over: Span::from_secs(600),
            shape: Shape::Even,
            pace: Rate { a_minute: 300.0 },
            cap: None,
            absent: 0.0,
            compensate: false,
        }
    }

    #[test]
    fn six_hundred_a_minute_at_a_pace_of_three_hundred_take_twice_as_long() {
        let outcome = play(&event());
        let last = outcome.last_in.map_or(0, Span::ms) / 1000;
        assert!((1195..=1205).contains(&last), "{last}");
        assert!((outcome.longest_line - 3000.0).abs() < 10.0);
        // The last visitor waits ten minutes, the one in the middle five.
        assert!((outcome.wait(50).as_secs() - 300.0).abs() < 5.0);
        assert!((outcome.wait(99).as_secs() - 594.0).abs() < 5.0);
        assert!((outcome.came - 6000.0).abs() < 1.0);
    }

    #[test]
    fn visitors_who_do_not_come_leave_a_gap_unless_more_are_called() {
        let absent = Event {
            absent: 0.3,
            ..event()
        };
        let observed = play(&absent);
        let on = play(&Event {
            compensate: true,
            ..absent
        });
        assert_eq!(observed.last_in, play(&event()).last_in);
        assert!((observed.came - 4200.0).abs() < 1.0);
        // 300 of 428 called a minute come.
        let last = on.last_in.map_or(0.0, Span::as_secs);
        assert!((last - 840.0).abs() < 6.0, "{last}");
    }

    #[test]
    fn a_cap_lets_in_as_many_as_places_become_free() {
        let capped = Event {
            cap: Some((1000.0, Span::from_secs(300))),
            ..event()
        };
        let outcome = play(&capped);
        // 1000 places for five minutes each: 200 a minute, after the first 1000 by the pace.
        let last = outcome.last_in.map_or(0.0, Span::as_minutes);
        assert!((25.0..30.0).contains(&last), "{last}");
        assert!(outcome.most_inside <= 1000.0 + NOTHING);
    }

    #[test]
    fn a_pace_below_one_a_second_lets_visitors_in_all_the_same() {
        let slow = Event {
            visitors: 60.0,
            over: Span::from_secs(60),
            pace: Rate { a_minute: 4.0 },
            ..event()
        };
        let last = play(&slow).last_in.map_or(0.0, Span::as_minutes);
        assert!((last - 15.0).abs() < 1.0, "{last}");
    }
}
