//! What the store and the POPs lose, and which losses the rules cover (`docs/explanation/reliability.md`, *Not covered*).

use std::collections::BTreeSet;

use now_serving::cache::LastSign;
use upstash_local::Backup;
use virtual_edge::cache::Cache;

use super::act::{Loses, POPS, Suffers};
use super::truth::Data;
use super::world::{Trouble, World};

/// A better sign that comes later than 120 s after the data began is not covered.
const TOLD_WITHIN_MS: u64 = 110_000;
/// As many numbers as are left free behind those that a sign knows, at least.
const LEFT_FREE: u64 = 20;

/// An older copy of what the store holds.
pub(super) struct Copy {
    data: Data,
    /// Nothing for a real Redis, which has it on its disk.
    keys: Option<Backup>,
}

/// Data were lost, and these POPs have not told yet what they know.
pub(super) struct Loss {
    since_ms: u64,
    pending: BTreeSet<usize>,
    epoch: u64,
}

impl World {
    pub(super) fn suffers(&mut self, what: Suffers) {
        match what {
            Suffers::Trouble(fault, chance, seconds) => {
                let until_ms = self.now_ms + seconds * 1_000;
                self.trouble = Some(Trouble {
                    fault,
                    chance,
                    until_ms,
                });
                self.fault("store: trouble for a while");
            }
            Suffers::Restarts => self.restart(),
            Suffers::Saves => self.save(),
            Suffers::LosesAll => self.lose(None),
            Suffers::IsOlder => {
                if let Some(copy) = self.copy.take() {
                    self.lose(Some(copy));
                }
            }
            Suffers::CatchesUp => self.catch_up(),
        }
    }

    /// The scripts are forgotten. A real Redis is away for a while, and comes back with what it has on its disk.
    fn restart(&mut self) {
        self.fault("store: restarted");
        let Some(redis) = &mut self.redis else {
            return self.store.restart();
        };
        if self.is_back_ms.is_none() {
            redis.save().unwrap();
            redis.kill();
            self.copy = None;
            self.is_back_ms = Some(self.now_ms + self.dice.between(0, 20_000));
        }
    }

    fn save(&mut self) {
        if self.is_back_ms.is_some() {
            return;
        }
        self.fault("store: a copy is kept");
        let data = self.truth.borrow().data.clone();
        let keys = self.store.backup();
        if let Some(redis) = &self.redis {
            redis.save().unwrap();
        }
        self.copy = Some(Copy { data, keys });
    }

    /// The store loses its data, or what was written since a copy was made.
    fn lose(&mut self, copy: Option<Copy>) {
        if self.is_back_ms.is_some() {
            return;
        }
        // No data are lost in the second in which they began.
        self.wait(1_000);
        self.fault(match copy {
            Some(_) => "store: an older copy comes back",
            None => "store: all data are lost",
        });
        self.note_what_is_known(copy.is_some());
        if let Some(redis) = &mut self.redis {
            if copy.is_none() {
                redis.lose_saved();
            }
            redis.start_again().unwrap();
        } else if let Some(keys) = copy.as_ref().and_then(|copy| copy.keys.as_ref()) {
            self.store.restart_from(keys);
        } else {
            self.store.restart_empty();
        }
        self.copy = None;
        let data = copy.map(|copy| copy.data);
        self.truth.borrow_mut().lost(self.now_ms, data);
    }

    /// Whether the POPs know the line well enough, and which of them have to tell.
    fn note_what_is_known(&mut self, is_restored: bool) {
        let signs: Vec<_> = self
            .pops
            .iter()
            .map(|pop| pop.cache.memory.last_sign())
            .collect();
        let mut truth = self.truth.borrow_mut();
        let epoch = truth.epoch;
        if let Some(line) = &truth.data.line {
            let is_of_it = |sign: &&now_serving::queue::Sign| {
                sign.birth.order() == line.order && sign.epoch == line.epoch
            };
            let known = signs.iter().flatten().filter(is_of_it);
            let most = known.map(|sign| sign.length + LEFT_FREE).max();
            let is_known = most.is_some_and(|most| most >= line.length);
            // Two losses in a row, and all tickets ended between them.
            let last = self
                .loss
                .as_ref()
                .filter(|loss| loss.since_ms + TOLD_WITHIN_MS > self.now_ms);
            let is_ended_between = last.is_some_and(|last| last.epoch != epoch);
            if !is_known {
                truth.does_not_cover("no POP knows the line");
            } else if is_ended_between {
                truth.does_not_cover("all tickets ended between two losses");
            }
        } else if is_restored {
            truth.does_not_cover("a copy comes back to an empty store");
        }
        let pending = (0..POPS).filter(|pop| signs[*pop].is_some()).collect();
        self.loss = Some(Loss {
            since_ms: self.now_ms,
            pending,
            epoch,
        });
    }

    /// A POP has told the store what it knows.
    pub(super) fn has_told(&mut self, pop: usize) {
        if let Some(loss) = &mut self.loss {
            loss.pending.remove(&pop);
        }
    }

    /// A POP has not told in time, or never will.
    fn will_not_tell(&mut self, pop: usize) {
        let is_awaited = self
            .loss
            .as_mut()
            .is_some_and(|loss| loss.pending.remove(&pop));
        if is_awaited {
            let mut truth = self.truth.borrow_mut();
            truth.does_not_cover("a POP forgets before it tells");
        }
    }

    pub(super) fn time_has_passed(&mut self) {
        if self.is_back_ms.is_some_and(|back| back <= self.now_ms) {
            self.is_back_ms = None;
            self.redis.as_mut().unwrap().start_again().unwrap();
        }
        let is_over = self.loss.as_ref().is_some_and(|loss| {
            loss.since_ms + TOLD_WITHIN_MS <= self.now_ms && !loss.pending.is_empty()
        });
        if is_over {
            self.loss = None;
            let mut truth = self.truth.borrow_mut();
            truth.does_not_cover("a POP tells too late");
        }
    }

    pub(super) fn loses(&mut self, what: Loses) {
        match what {
            Loses::Copy(pop) => {
                self.fault("cache: a copy is lost");
                self.pops[pop].generation += 1;
                self.pops[pop].cache.memory.lose_copy();
            }
            Loses::Last(pop) => {
                self.fault("cache: the last sign is lost");
                self.pops[pop].generation += 1;
                self.pops[pop].cache.memory.lose_last();
                self.will_not_tell(pop);
            }
            Loses::Cache(pop) => {
                self.fault("cache: all is lost");
                self.lose_cache(pop);
            }
            Loses::Sandboxes(pop) => {
                self.fault("sandbox: all of a POP end");
                self.end_sandboxes(pop);
            }
            Loses::Clock(pop, skew_ms) => {
                self.fault("clock: a POP's jumps");
                self.pops[pop].skew_ms = skew_ms;
            }
        }
    }

    /// The POP begins with nothing: what waited in its outbox is lost, too.
    fn lose_cache(&mut self, pop: usize) {
        self.will_not_tell(pop);
        let waiting = self.pops[pop].cache.memory.clone();
        for _ in 0..2 {
            use now_serving::cache::outbox::Outbox;
            let batches = waiting.batches();
            for batch in &batches {
                self.note_lost_renewals(&batch.tally);
            }
            waiting.acknowledge(&batches);
        }
        let here = &mut self.pops[pop];
        here.generation += 1;
        here.life += 1;
        let name = format!("P{pop}-{}", here.life);
        here.cache = Cache::in_pop(&name, self.now_ms);
    }

    /// The name of the POP's outbox.
    pub(super) fn outbox_of(&self, pop: usize) -> String {
        match self.pops[pop].life {
            0 => format!("p{pop}"),
            life => format!("p{pop}-{life}"),
        }
    }
}
