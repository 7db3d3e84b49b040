//! What the store and the POPs lose, and which losses the rules cover (`docs/deep/reliability.md`, *What a loss costs*).

use invariants::{Data, Loss};
use now_serving::cache::LastBoard;
use now_serving::queue::Board;
use upstash_local::Backup;
use virtual_edge::cache::Cache;

use super::act::{Loses, Suffers};
use super::rooms::{ROOMS, pop_name};
use super::world::{Trouble, World};

/// An older copy of what the store holds.
pub(super) struct Copy {
    /// Of each room.
    data: Vec<Data>,
    /// Nothing for a real Redis, which has it on its disk.
    keys: Option<Backup>,
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
        let data = self.truth.iter().map(|truth| truth.borrow().data.clone());
        let data = data.collect();
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
        self.standing.borrow_mut().forget();
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
        let mut data = copy.map(|copy| copy.data.into_iter());
        for (room, truth) in self.truth.iter().enumerate() {
            let signs = self.pops.iter();
            let signs = signs.map(|pop| pop.rooms[room].cache.memory.last_board());
            let data = data.as_mut().and_then(Iterator::next);
            let loss = data.map_or(Loss::All, |data| Loss::Restored(Box::new(data)));
            let signs: Vec<Option<Board>> = signs.collect();
            truth.borrow_mut().loses(loss, &signs, self.now_ms);
        }
    }

    pub(super) fn time_has_passed(&mut self) {
        if self.is_back_ms.is_some_and(|back| back <= self.now_ms) {
            self.is_back_ms = None;
            self.redis.as_mut().unwrap().start_again().unwrap();
        }
        for truth in &self.truth {
            truth.borrow_mut().time_passes(self.now_ms);
        }
    }

    pub(super) fn loses(&mut self, what: Loses) {
        match what {
            Loses::Copy(pop) => {
                self.fault("cache: a copy is lost");
                let room = self.dice.index(ROOMS.len());
                let here = &mut self.pops[pop].rooms[room];
                here.generation += 1;
                here.cache.memory.lose_copy();
            }
            Loses::Last(pop) => {
                self.fault("cache: the last sign is lost");
                let room = self.dice.index(ROOMS.len());
                let here = &mut self.pops[pop].rooms[room];
                here.generation += 1;
                here.cache.memory.lose_last();
                self.truth[room].borrow_mut().is_forgotten_by(pop);
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

    /// The POP begins with nothing: what waited in its outboxes is lost, too.
    fn lose_cache(&mut self, pop: usize) {
        self.pops[pop].life += 1;
        let name = pop_name(pop, self.pops[pop].life);
        for room in 0..ROOMS.len() {
            self.truth[room].borrow_mut().is_forgotten_by(pop);
            let waiting = self.pops[pop].rooms[room].cache.memory.clone();
            for _ in 0..2 {
                use now_serving::cache::outbox::Outbox;
                let batches = waiting.batches();
                for batch in &batches {
                    self.note_lost_renewals(room, &batch.tally);
                }
                waiting.acknowledge(&batches);
            }
            let here = &mut self.pops[pop].rooms[room];
            here.generation += 1;
            here.cache = Cache::in_pop(&name, self.now_ms);
        }
    }

    /// The store's key of what the POP's outbox for a room has brought.
    pub(super) fn outbox_of(&self, pop: usize, room: usize) -> String {
        let name = pop_name(pop, self.pops[pop].life).to_lowercase();
        format!("queue:{{{}}}:outbox:{name}", ROOMS[room])
    }
}
