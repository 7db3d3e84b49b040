//! What the share rule is compared with: a window that follows the places of late work, as `OpenZiti` published it.
//!
//! One worker takes work from a queue, first come, first served, and its callers come back at once. The window is the most work
//! there may be, and place 100 is that of work that found 99 others. The naive form cuts by ten on every timeout. The smart form
//! cuts to ten below the place of late work, and does not start what came far above the window. It needs service times that are
//! nearly constant: only then a place tells how long work waits.

use std::collections::VecDeque;

use crate::chance::Chance;
use crate::origin::Origin;
use crate::scenario::Scenario;
use crate::steered::Second;
use crate::units::{float, whole};
use crate::window::Bounds;

/// The window of the published run; it begins with the most.
const BOUNDS: Bounds = Bounds { min: 5, max: 250 };
/// Work of the published run is late after this time, its time in the queue included.
const LATE_MS: f64 = 5000.0;
/// A cut leaves this much room below the place of late work, and work may start this far above the window.
const ROOM: u64 = 10;
/// The window grows by one with each such number of successes.
const SUCCESSES: u64 = 10;

/// What a timeout does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// It cuts the window by ten, and successes are counted anew.
    Naive,
    /// It cuts the window to ten below its place.
    Smart,
}

/// The most work that may wait or be worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// How many places there are.
    pub window: u64,
    /// How many successes were counted.
    pub successes: u64,
}

impl Places {
    /// Work was done in time.
    pub fn success(&mut self, bounds: Bounds) {
        self.successes += 1;
        if self.successes.is_multiple_of(SUCCESSES) {
            self.window = bounds.max.min(self.window + 1);
        }
    }

    /// Work that had this place was late.
    pub fn timeout(&mut self, form: Form, place: u64, bounds: Bounds) {
        let cut = match form {
            Form::Naive => {
                self.successes = 0;
                self.window.saturating_sub(ROOM)
            }
            Form::Smart => self.window.min(place.saturating_sub(ROOM)),
        };
        self.window = bounds.min.max(cut);
    }

    /// Whether work that has this place is worth a start.
    #[must_use]
    pub fn starts(self, place: u64) -> bool {
        place <= self.window + ROOM
    }
}

/// Plays the published set-up with the service times of the scenario's origin.
///
/// # Errors
/// When the scenario has no origin, or one that works on several requests at a time.
pub fn play(scenario: &Scenario, form: Form) -> Result<Vec<Second>, String> {
    let origin = scenario.origin.as_ref();
    let origin = origin
        .filter(|origin| origin.workers == 1)
        .ok_or("naive and smart need an origin with one worker")?;
    let mut play = Play {
        form,
        places: Places {
            window: BOUNDS.max,
            successes: 0,
        },
        origin: Origin::new(origin, Chance::new(scenario.seed, 1)),
        queue: VecDeque::new(),
        now_ms: 0.0,
        second: Second::default(),
    };
    let seconds = 1..=whole(scenario.lasts.as_secs());
    Ok(seconds.map(|end| play.until(end)).collect())
}

struct Work {
    place: u64,
    came_ms: f64,
}

struct Play {
    form: Form,
    places: Places,
    origin: Origin,
    /// All work there is.
    queue: VecDeque<Work>,
    now_ms: f64,
    second: Second,
}

impl Play {
    fn until(&mut self, second: u64) -> Second {
        while self.now_ms < float(second * 1000) {
            self.come();
            self.work();
        }
        Second {
            size: Some(self.places.window * 1000),
            ..std::mem::take(&mut self.second)
        }
    }

    /// Callers are more than places, and take each at once.
    fn come(&mut self) {
        while (self.queue.len() as u64) < self.places.window {
            self.queue.push_back(Work {
                place: self.queue.len() as u64 + 1,
                came_ms: self.now_ms,
            });
        }
    }

    fn work(&mut self) {
        let Some(Work { place, came_ms }) = self.queue.front() else {
            return;
        };
        let (place, came_ms) = (*place, *came_ms);
        if self.form == Form::Naive || self.places.starts(place) {
            self.now_ms += self.origin.time();
            self.second.came += 1;
            if self.now_ms - came_ms > LATE_MS {
                self.second.late += 1;
                self.places.timeout(self.form, place, BOUNDS);
            } else {
                self.places.success(BOUNDS);
            }
        }
        self.queue.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(window: u64) -> Places {
        Places {
            window,
            successes: 0,
        }
    }

    fn after_timeout(form: Form, window: u64, place: u64) -> u64 {
        let mut places = places(window);
        places.timeout(form, place, BOUNDS);
        places.window
    }

    #[test]
    fn late_work_cuts_the_window_to_ten_below_its_place() {
        assert_eq!(after_timeout(Form::Smart, 250, 100), 90);
        assert_eq!(after_timeout(Form::Smart, 90, 300), 90);
        assert_eq!(after_timeout(Form::Smart, 90, 100), 90);
        assert_eq!(after_timeout(Form::Smart, 90, 14), 5, "the least");
        assert_eq!(after_timeout(Form::Smart, 90, 3), 5);
    }

    #[test]
    fn the_naive_form_cuts_by_ten_wherever_late_work_was() {
        assert_eq!(after_timeout(Form::Naive, 250, 100), 240);
        assert_eq!(after_timeout(Form::Naive, 90, 300), 80);
        assert_eq!(after_timeout(Form::Naive, 14, 300), 5, "the least");
    }

    fn after_successes(window: u64, many: u64) -> u64 {
        let mut places = places(window);
        (0..many).for_each(|_| places.success(BOUNDS));
        places.window
    }

    #[test]
    fn every_tenth_success_makes_the_window_grow_by_one() {
        let grown = [9, 10, 19, 20].map(|many| after_successes(90, many));
        assert_eq!(grown, [90, 91, 91, 92]);
        assert_eq!(after_successes(250, 10), 250, "the most");
    }

    #[test]
    fn only_the_naive_form_counts_successes_anew_after_a_timeout() {
        let successes = |form| {
            let mut places = places(90);
            (0..9).for_each(|_| places.success(BOUNDS));
            places.timeout(form, 300, BOUNDS);
            places.successes
        };
        assert_eq!([Form::Naive, Form::Smart].map(successes), [0, 9]);
    }

    #[test]
    fn work_far_above_the_window_is_not_started() {
        assert!(places(90).starts(100));
        assert!(!places(90).starts(101));
    }
}
