//! What a sandbox counts, and the outboxes of its POP.

use std::cell::{Cell, Ref, RefCell};
use std::rc::Rc;
use std::time::Duration;

use fastly::cache::core::CacheKey;
use fastly::http::request::SendErrorCause;

use now_serving::cache::outbox::{Batch, OutboxSlot, Tally};
use now_serving::cache::{decode, encode};
use now_serving::queue::RoomName;
use now_serving::service;

use super::lock::alone;
use super::objects::Overwritten;
use super::request::fresh_id;
use super::{log, now};

/// How many outboxes a data centre has: sandboxes that end at the same time seldom wait for each other.
pub(super) const OUTBOX_SLOTS: usize = 4;

/// The outbox behind those, for what the origin answered: every refresh takes it along.
pub(super) const NEWS_SLOT: usize = OUTBOX_SLOTS;

/// A POP that has not read the board for longer is quiet.
pub(super) const QUIET_MS: u64 = 60_000;

/// The longest a sandbox that ends waits for an outbox.
pub(super) const TURN: Duration = Duration::from_millis(500);

/// And the longest a refresh waits that others wait for: the next refresh takes what is busy.
pub(super) const SHORT_TURN: Duration = Duration::from_millis(20);

/// How long an outbox is kept that nobody asks for.
pub(super) const OUTBOX_TTL: Duration = Duration::from_hours(24);

/// The code of the SDK's `FastlyStatus::LIMITEXCEEDED`, which no other crate can name.
const LIMIT_EXCEEDED: i32 = 13;

thread_local! {
    static OF_THIS_SANDBOX: Counts = Counts::default();
}

/// What this sandbox counts, and the outboxes of the data centre into which it goes. A clone counts into the same.
#[derive(Clone, Default)]
pub(super) struct Counts {
    room: Rc<RefCell<RoomName>>,
    pub(super) tally: Rc<RefCell<Tally>>,
    /// What was counted for other rooms, until this sandbox ends.
    parked: Rc<RefCell<Vec<(RoomName, Tally)>>>,
    /// Calls of the origin and of the store.
    pub(super) calls: Rc<Cell<u64>>,
    /// Whether the platform has refused a call of this sandbox for their number.
    pub(super) is_at_limit: Rc<Cell<bool>>,
    /// Whether this request has renewed the copy of the board.
    pub(super) has_renewed: Rc<Cell<bool>>,
}

impl Counts {
    /// Those of this sandbox: what ends it finds them here.
    pub(super) fn of_this_sandbox() -> Self {
        OF_THIS_SANDBOX.with(Self::clone)
    }

    /// The room of this request.
    pub(super) fn room(&self) -> Ref<'_, RoomName> {
        self.room.borrow()
    }

    pub(super) fn has_called(&self) {
        self.calls.set(self.calls.get() + 1);
    }

    /// Whether a call failed because this sandbox has made as many as the platform lets it. A service may have fewer than the setting
    /// `backend_calls` says: a trial account has 10. The sandbox ends with this request then, since each further call would fail.
    pub(super) fn are_at_limit(&self, cause: &SendErrorCause) -> bool {
        let is_it = matches!(cause, SendErrorCause::InternalError(Some(status)) if status.code == LIMIT_EXCEEDED);
        self.is_at_limit.set(is_it || self.is_at_limit.get());
        is_it
    }

    /// From now on they are of this room.
    pub(super) fn switch_room(&self, room: &RoomName) {
        if *self.room() == *room {
            return;
        }
        let mut parked = self.parked.borrow_mut();
        let known = parked.iter().position(|(of, _)| of == room);
        let counted = known.map(|at| parked.swap_remove(at).1);
        let before = self.tally.replace(counted.unwrap_or_default());
        let left = self.room.replace(room.clone());
        if !before.is_empty() {
            parked.push((left, before));
        }
    }

    /// All that was counted goes into outboxes of the rooms. Where the cache has none to give, the log has it; so it does while the
    /// settings could not be read that name the room, since no refresh looks into an outbox without one.
    pub(super) fn flush(&self) {
        loop {
            let is_known = !self.room().as_str().is_empty();
            if !(is_known && self.flush_into_outbox(TURN) || self.tally.borrow().is_empty()) {
                let uncounted = self.tally.take();
                let room = self.room();
                let room = is_known.then_some(&*room);
                log(&service::uncounted_entry(now(), room, &uncounted));
            }
            let next = self.parked.borrow().first().map(|(room, _)| room.clone());
            let Some(next) = next else { break };
            self.switch_room(&next);
        }
    }

    /// The same in the middle of a request that ends the sandbox. What is just being put into an outbox is not put there twice.
    pub(super) fn flush_unless_busy(&self) {
        let is_free = self.tally.try_borrow_mut().is_ok() && self.parked.try_borrow_mut().is_ok();
        if is_free && self.room.try_borrow_mut().is_ok() {
            self.flush();
        }
    }

    /// What was counted goes into the outbox that every refresh takes along; into another one where that is busy.
    pub(super) fn flush_news(&self) {
        let mut tally = self.tally.borrow_mut();
        let put = self.with_outbox(NEWS_SLOT, SHORT_TURN, |slot| slot.put(&tally));
        if put.is_some() {
            *tally = Tally::default();
        }
    }

    /// Puts what was counted into an outbox, any of them, if it is this sandbox's turn there soon enough.
    pub(super) fn flush_into_outbox(&self, turn: Duration) -> bool {
        self.tally.borrow().is_empty() || self.put_into_any(turn, |_, _| ()).is_some()
    }

    /// The batch that is to be sent from an outbox, any of them, with what this sandbox counted.
    pub(super) fn next_batch(&self) -> Option<Batch> {
        if self.tally.borrow().is_empty() {
            return self.batch_of(any_slot());
        }
        self.put_into_any(SHORT_TURN, |place, slot| slot.batch(place))?
    }

    pub(super) fn batch_of(&self, place: usize) -> Option<Batch> {
        if self.load(place)?.is_empty() {
            return None;
        }
        self.with_outbox(place, SHORT_TURN, |slot| slot.batch(place))?
    }

    /// The store has counted a batch. What was counted since goes into its outbox with that, in one turn; where this fails the batch is
    /// sent again, and counted no more than once.
    pub(super) fn acknowledge(&self, batch: &Batch) {
        let mut tally = self.tally.borrow_mut();
        let done = self.with_outbox(batch.place, SHORT_TURN, |slot| {
            slot.acknowledge(batch);
            slot.put(&tally);
        });
        if done.is_some() {
            *tally = Tally::default();
        }
    }

    /// Puts what was counted into the first outbox of a random order where it is this sandbox's turn soon enough, and does
    /// something more there.
    pub(super) fn put_into_any<T>(
        &self,
        turn: Duration,
        work: impl Fn(usize, &mut OutboxSlot) -> T,
    ) -> Option<T> {
        let mut tally = self.tally.borrow_mut();
        let mut slots = (any_slot()..)
            .map(|next| next % OUTBOX_SLOTS)
            .take(OUTBOX_SLOTS);
        let done = slots.find_map(|place| {
            self.with_outbox(place, turn, |slot| {
                slot.put(&tally);
                work(place, slot)
            })
        });
        if done.is_some() {
            *tally = Tally::default();
        }
        done
    }

    /// Does something at an outbox while no other sandbox is there.
    pub(super) fn with_outbox<T>(
        &self,
        slot: usize,
        turn: Duration,
        work: impl FnOnce(&mut OutboxSlot) -> T,
    ) -> Option<T> {
        alone(self.key("outbox-lock", slot), turn, || {
            let mut kept = self
                .load(slot)
                .unwrap_or_else(|| OutboxSlot::new(fresh_id()));
            let done = work(&mut kept);
            let object = Overwritten::at(self.key("outbox", slot));
            let written = object.write(encode(&kept), OUTBOX_TTL);
            written.is_ok().then_some(done)
        })
        .flatten()
    }

    pub(super) fn load(&self, slot: usize) -> Option<OutboxSlot> {
        let found = Overwritten::at(self.key("outbox", slot)).found()?;
        decode(&found.user_metadata())
    }

    pub(super) fn key(&self, name: &str, slot: usize) -> CacheKey {
        CacheKey::from(self.room().cache_key_of(name, slot))
    }
}

pub(super) fn any_slot() -> usize {
    let sum: usize = fresh_id().bytes().map(usize::from).sum();
    sum % OUTBOX_SLOTS
}
