//! What the store and the POPs lose, and which losses the rules cover (`docs/explanation/reliability.md`, *Not covered*).

use std::collections::BTreeSet;

use invariants::Data;
use now_serving::cache::LastSign;
use now_serving::queue::Sign;
use upstash_local::Backup;
use virtual_edge::cache::Cache;

use super::act::{Loses, POPS, Suffers};
use super::rooms::{ROOMS, pop_name};
use super::world::{Trouble, World};

/// A better sign that comes later than 120 s after the data began is not covered.
const TOLD_WITHIN_MS: u64 = 110_000;

/// An older copy of what the store holds.
pub(super) struct Copy {
    /// Of each room.
    data: Vec<Data>,
    /// Nothing for a real Redis, which has it on its disk.
    keys: Option<Backup>,
}

/// The data of a room were lost, and these POPs have not told yet what they know.
pub(super) struct Loss {
    /// When the next data began: with the first call of the room, or at once where an older copy came back.
    since_ms: Option<u64>,
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
        for room in 0..ROOMS.len() {
            self.note_what_is_known(room, copy.as_ref());
        }
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
        for truth in &self.truth {
            let data = data.as_mut().and_then(Iterator::next);
            let mut truth = truth.borrow_mut();
            match data {
                Some(data) => truth.is_restored(data, self.now_ms),
                None => truth.loses_all(self.now_ms),
            }
        }
    }

    /// Whether the POPs know the line well enough, and which of them have to tell.
    fn note_what_is_known(&mut self, room: usize, copy: Option<&Copy>) {
        let signs = self.pops.iter();
        let signs: Vec<_> = signs
            .map(|pop| pop.rooms[room].cache.memory.last_sign())
            .collect();
        let mut truth = self.truth[room].borrow_mut();
        let epoch = truth.epoch;
        let had_line = truth.data.board.is_some();
        let restores_line = copy.is_some_and(|copy| copy.data[room].board.is_some());
        if had_line {
            // Two losses in a row, and all tickets ended between them.
            let last = self.loss[room].as_ref().filter(|loss| {
                let since = loss.since_ms.unwrap_or(self.now_ms);
                since + TOLD_WITHIN_MS > self.now_ms
            });
            let is_ended_between = last.is_some_and(|last| last.epoch != epoch);
            let copies: Vec<&Sign> = signs.iter().flatten().collect();
            if truth.is_about_to_lose(&copies) && is_ended_between {
                truth.does_not_cover("all tickets ended between two losses");
            }
        } else if restores_line {
            truth.does_not_cover("a copy comes back to an empty store");
        }
        let pending = (0..POPS).filter(|pop| signs[*pop].is_some()).collect();
        if !had_line && !restores_line {
            // Nothing was lost of this room since the loss before.
            return;
        }
        self.loss[room] = Some(Loss {
            since_ms: restores_line.then_some(self.now_ms),
            pending,
            epoch,
        });
    }

    /// A POP has told the store what it knows of a room.
    pub(super) fn has_told(&mut self, pop: usize, room: usize) {
        if let Some(loss) = &mut self.loss[room] {
            loss.pending.remove(&pop);
        }
    }

    /// A POP has not told in time, or never will.
    fn will_not_tell(&mut self, pop: usize, room: usize) {
        let is_awaited = self.loss[room]
            .as_mut()
            .is_some_and(|loss| loss.pending.remove(&pop));
        if is_awaited {
            let mut truth = self.truth[room].borrow_mut();
            truth.does_not_cover("a POP forgets before it tells");
        }
    }

    pub(super) fn time_has_passed(&mut self) {
        if self.is_back_ms.is_some_and(|back| back <= self.now_ms) {
            self.is_back_ms = None;
            self.redis.as_mut().unwrap().start_again().unwrap();
        }
        for room in 0..ROOMS.len() {
            self.is_told_in_time(room);
        }
    }

    fn is_told_in_time(&mut self, room: usize) {
        let mut truth = self.truth[room].borrow_mut();
        let Some(loss) = &mut self.loss[room] else {
            return;
        };
        if truth.data.board.is_some() {
            loss.since_ms.get_or_insert(truth.began_ms);
        }
        let since = loss.since_ms.unwrap_or(self.now_ms);
        if since + TOLD_WITHIN_MS <= self.now_ms && !loss.pending.is_empty() {
            self.loss[room] = None;
            truth.does_not_cover("a POP tells too late");
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
                self.will_not_tell(pop, room);
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
            self.will_not_tell(pop, room);
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
    pub(super) fn till_of(&self, pop: usize, room: usize) -> String {
        let name = pop_name(pop, self.pops[pop].life).to_lowercase();
        format!("queue:{{{}}}:till:{name}", ROOMS[room])
    }
}
