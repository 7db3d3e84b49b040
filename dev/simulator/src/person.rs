//! One visitor, as far as a simulation has to remember: what they will do, and how far they are.

use now_serving::ticket::Ticket;

use crate::chance::Chance;
use crate::scenario::Habits;
use crate::units::whole;

/// What a visitor does besides waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Habit {
    /// Waits in front of the page.
    Steady,
    /// Draws a number and never comes back.
    Absent,
    /// Has a phone that sleeps for this many milliseconds.
    Asleep(u64),
    /// Has the page in the background.
    Background,
    /// Closes the page, and comes back to the site this many milliseconds later.
    Late(u64),
    /// Keeps no cookies.
    Cookieless,
    /// Has the ticket of another visitor.
    Copy,
}

/// How far a visitor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// In front of the room, with or without a number.
    Outside,
    /// The turn has come, and the page is about to go in.
    Called,
    /// In the site.
    Inside,
    /// No longer here.
    Gone,
}

/// A visitor.
#[derive(Clone, Debug)]
pub struct Person {
    /// What they do.
    pub habit: Habit,
    /// Whether they copy their ticket once they have a number.
    pub copies: bool,
    /// How far they are.
    pub stage: Stage,
    /// Where they come in.
    pub pop: usize,
    /// When they came.
    pub came_ms: u64,
    /// When a waiting visitor gives up.
    pub gives_up_ms: u64,
    /// The number, once there is one.
    pub position: Option<u64>,
    /// When it was drawn, and how many seconds the page estimated then.
    pub drawn: Option<(u64, Option<u64>)>,
    /// The cookie, and what it says while they wait.
    pub cookie: Option<Box<str>>,
    /// The same, read.
    pub ticket: Option<Box<Ticket>>,
    /// Where the last answer sent them.
    pub location: Option<Box<str>>,
    /// How many pages they still ask for, and how far apart.
    pub pages: u32,
    /// In milliseconds.
    pub between_ms: u64,
    /// Two estimates that they were shown, an early and a late one: when, and in how many seconds it said that they go in.
    pub shown: [Option<(u64, u64)>; 2],
    /// How often the page has asked.
    pub polls: u32,
}

impl Person {
    /// The visitor of this number, who is the same whatever else happens.
    #[must_use]
    pub fn new(number: u64, seed: u64, habits: &Habits, pops: &[f64], now_ms: u64) -> Self {
        let mut chance = Chance::new(seed, number);
        let shares = [
            habits.absent,
            habits.asleep,
            habits.in_background,
            habits.late,
            habits.without_cookies,
        ];
        let steady = (1.0 - shares.iter().sum::<f64>()).max(0.0);
        let [of_sleep, of_return] =
            [habits.sleeps, habits.late_by].map(|mean| whole(chance.exponential(mean.as_ms())));
        let habit = match chance.one_of(&[&shares[..], &[steady]].concat()) {
            0 => Habit::Absent,
            1 => Habit::Asleep(of_sleep),
            2 => Habit::Background,
            3 => Habit::Late(of_return),
            4 => Habit::Cookieless,
            _ => Habit::Steady,
        };
        let copies = chance.happens(habits.copies);
        let pop = chance.one_of(pops);
        let stay = chance.exponential(habits.stays.as_ms());
        let patience = habits
            .patience
            .map(|mean| whole(chance.exponential(mean.as_ms())));
        Self {
            habit,
            copies,
            stage: Stage::Outside,
            pop,
            came_ms: now_ms,
            gives_up_ms: patience.map_or(u64::MAX, |patience| now_ms + patience),
            position: None,
            drawn: None,
            cookie: None,
            ticket: None,
            location: None,
            pages: habits.pages,
            between_ms: whole(stay / f64::from(habits.pages)),
            shown: [None; 2],
            polls: 0,
        }
    }

    /// Another browser with the same ticket, in another network and at another POP.
    #[must_use]
    pub fn copy(&self, pops: usize, now_ms: u64) -> Self {
        Self {
            habit: Habit::Copy,
            copies: false,
            pop: (self.pop + 1) % pops,
            came_ms: now_ms,
            shown: [None; 2],
            polls: 0,
            ..self.clone()
        }
    }
}

/// The share of each POP: the second has half of the first's visitors, the third a third.
#[must_use]
pub fn shares(pops: usize) -> Vec<f64> {
    let weights: Vec<f64> = (1..=pops)
        .map(|rank| 1.0 / crate::units::float(rank as u64))
        .collect();
    let all: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / all).collect()
}
