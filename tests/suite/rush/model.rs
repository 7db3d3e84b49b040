//! A rush in plain Rust and in virtual time: many POPs, one store with a rate, and the product's own rules.
//!
//! The store works off one command after the other and never learns that a caller has given up. A draw that is repeated
//! while the store remembers it gets the same number.

use std::collections::VecDeque;

use now_serving::queue::backoff;
use now_serving::queue::breaker::Breaker;
use now_serving::queue::chance::Chance;

/// The resolution of time: what happens within the same step happens at once.
const STEP_MS: u64 = 10;
/// From a POP to the store and back.
const WAY_MS: u64 = 20;
/// How long an edge waits for the store.
const DEADLINE_MS: u64 = 500;
/// How long the store remembers a draw after it was last asked for.
const MEMORY_MS: u64 = 300_000;
/// How long visitors arrive.
const ARRIVING_MS: u64 = 10_000;
const POPS: u64 = 50;
/// What the store works off, in commands a second.
const RATE: u64 = 10_000;

/// What visitors do with a rule left out, to show what it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rules {
    All,
    /// Every POP tries every draw.
    WithoutBreaker,
}

/// How a rush went.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    /// Milliseconds after the last arrival until everybody had a number; `None` if somebody still had none.
    pub(super) all_numbered_ms: Option<u64>,
    pub(super) visitors: u64,
    pub(super) numbers_drawn: u64,
    pub(super) commands: u64,
}

enum Event {
    /// A visitor asks for a number.
    Asks(usize),
    /// The edge knows how a draw went that began then.
    Knows {
        visitor: usize,
        began_ms: u64,
        is_drawn: bool,
    },
}

#[derive(Clone, Default)]
struct Visitor {
    tries: u64,
    has_number: bool,
    /// When the store last executed this visitor's draw.
    remembered_ms: Option<u64>,
}

struct Rush {
    rules: Rules,
    now_ms: u64,
    /// What happens in each step from now on.
    ahead: VecDeque<Vec<Event>>,
    visitors: Vec<Visitor>,
    breakers: Vec<Breaker>,
    /// When the store is done with all it was sent, in microseconds.
    store_free_us: u64,
    numbers_drawn: u64,
    commands: u64,
    numbered: u64,
    chance: u64,
}

/// Visitors at this rate a second for ten seconds, followed until every visitor has a number or for this long.
pub(super) fn rush(per_second: u64, rules: Rules, longest_ms: u64) -> Outcome {
    let visitors = per_second * ARRIVING_MS / 1000;
    let mut rush = Rush {
        rules,
        now_ms: 0,
        ahead: VecDeque::new(),
        visitors: vec![Visitor::default(); usize::try_from(visitors).unwrap()],
        breakers: vec![Breaker::default(); usize::try_from(POPS).unwrap()],
        store_free_us: 0,
        numbers_drawn: 0,
        commands: 0,
        numbered: 0,
        chance: 0,
    };
    for number in 0..visitors {
        let visitor = usize::try_from(number).unwrap();
        rush.at(number * ARRIVING_MS / visitors, Event::Asks(visitor));
    }
    while rush.numbered < visitors && rush.now_ms < ARRIVING_MS + longest_ms {
        rush.step();
    }
    let is_over = rush.numbered == visitors;
    Outcome {
        all_numbered_ms: is_over.then(|| rush.now_ms.saturating_sub(ARRIVING_MS)),
        visitors,
        numbers_drawn: rush.numbers_drawn,
        commands: rush.commands,
    }
}

impl Rush {
    /// What happens in that time from now.
    fn at(&mut self, after_ms: u64, event: Event) {
        let step = usize::try_from(after_ms / STEP_MS).unwrap();
        if self.ahead.len() <= step {
            self.ahead.resize_with(step + 1, Vec::new);
        }
        self.ahead[step].push(event);
    }

    fn step(&mut self) {
        let events = self.ahead.pop_front().unwrap_or_default();
        self.ahead.push_front(Vec::new());
        for event in events {
            match event {
                Event::Asks(visitor) => self.asks(visitor),
                Event::Knows {
                    visitor,
                    began_ms,
                    is_drawn,
                } => self.knows(visitor, began_ms, is_drawn),
            }
        }
        self.ahead.pop_front();
        self.now_ms += STEP_MS;
    }

    fn asks(&mut self, visitor: usize) {
        let chance = self.chance();
        let breaker = &self.breakers[Self::pop(visitor)];
        if self.rules == Rules::All && !breaker.lets_draw(self.now_ms, chance) {
            return self.comes_back(visitor);
        }
        let took_ms = self.execute(visitor);
        let is_drawn = took_ms <= DEADLINE_MS;
        let knows = Event::Knows {
            visitor,
            began_ms: self.now_ms,
            is_drawn,
        };
        self.at(took_ms.clamp(STEP_MS, DEADLINE_MS), knows);
    }

    /// The store executes a draw, whether a visitor still waits for it or not; how long it takes until the answer is there.
    fn execute(&mut self, visitor: usize) -> u64 {
        self.commands += 1;
        let begins_us = self.store_free_us.max(self.now_ms * 1000);
        self.store_free_us = begins_us + 1_000_000 / RATE;
        let done_ms = self.store_free_us / 1000;
        let before = self.visitors[visitor].remembered_ms.replace(done_ms);
        if before.is_none_or(|before| before + MEMORY_MS < done_ms) {
            self.numbers_drawn += 1;
        }
        done_ms - self.now_ms + WAY_MS
    }

    fn knows(&mut self, visitor: usize, began_ms: u64, is_drawn: bool) {
        let chance = self.chance();
        let breaker = &mut self.breakers[Self::pop(visitor)];
        if is_drawn {
            breaker.reopening = breaker.succeeded(began_ms).or(breaker.reopening);
            self.visitors[visitor].has_number = true;
            self.numbered += 1;
        } else {
            breaker.closure = breaker.failed(began_ms, chance).or(breaker.closure);
            self.comes_back(visitor);
        }
    }

    fn comes_back(&mut self, visitor: usize) {
        let chance = self.chance();
        self.visitors[visitor].tries += 1;
        let seconds = backoff::seconds(self.visitors[visitor].tries, chance);
        self.at(seconds * 1000, Event::Asks(visitor));
    }

    fn pop(visitor: usize) -> usize {
        visitor % usize::try_from(POPS).unwrap()
    }

    fn chance(&mut self) -> Chance {
        self.chance += 1;
        Chance::new(self.chance)
    }
}
