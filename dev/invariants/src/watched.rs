//! The way to a store, watched: each call that the store has done is a step of the history of its room.

use std::cell::{Cell, Ref, RefCell, RefMut};
use std::collections::BTreeMap;
use std::rc::Rc;

use now_serving::queue::{Noted, Recount, Released, Sickness};
use now_serving::store::upstash::{Attempt, StoreError, Transport};

use crate::broken::Broken;
use crate::held::Held;
use crate::history::{Answered, History, Visitor};
use crate::said::Said;

/// The histories of all rooms of a store, by the name of the room.
#[derive(Default)]
pub struct Histories {
    rooms: RefCell<BTreeMap<String, History>>,
    broken: RefCell<Vec<Broken>>,
    now_ms: Cell<u64>,
}

impl Histories {
    /// The clock of the store shows this.
    pub fn is_at(&self, now_ms: u64) {
        self.now_ms.set(now_ms);
    }

    /// The store has done a call. What does not hold after it is found by [`Histories::verdict`].
    pub fn observe(&self, said: &Said) {
        let room = said.room().unwrap_or_default();
        let verdict = self.room_mut(room).observe(said, self.now_ms.get());
        self.keep(verdict);
    }

    /// An answer reached a visitor, or would have: with the ticket that it gave, or else the one that the visitor brought.
    /// `is_inside`: the visitor goes in by it.
    pub fn answered(&self, given: Option<&Held>, brought: Option<&Held>, is_inside: bool) {
        if let Some(given) = given {
            let verdict = self.room_mut(&given.room).given(given);
            self.keep(verdict);
        }
        let held = given.or(brought);
        if let Some(held) = held.filter(|held| is_inside && held.is_admitted && !held.has_grace) {
            let verdict = self.room_mut(&held.room).enters(held);
            self.keep(verdict);
        }
    }

    /// An answer reached this visitor of a room.
    pub fn reached(&self, room: &str, visitor: &mut Visitor, answer: &Answered<'_>) {
        let verdict = self.room_mut(room).answered(visitor, answer);
        self.keep(verdict);
    }

    fn keep(&self, verdict: Result<(), Broken>) {
        self.broken.borrow_mut().extend(verdict.err());
    }

    /// Faults since this was last called.
    ///
    /// # Errors
    /// The first step that broke an invariant.
    pub fn verdict(&self) -> Result<(), Broken> {
        let broken = std::mem::take(&mut *self.broken.borrow_mut());
        broken.into_iter().next().map_or(Ok(()), Err)
    }

    /// The history of a room, which begins when it is first asked for.
    pub fn room_mut(&self, room: &str) -> RefMut<'_, History> {
        RefMut::map(self.rooms.borrow_mut(), |rooms| {
            if !rooms.contains_key(room) {
                rooms.insert(room.to_owned(), History::default());
            }
            rooms.entry(room.to_owned()).or_default()
        })
    }

    /// All rooms that were called for.
    pub fn rooms(&self) -> Ref<'_, BTreeMap<String, History>> {
        self.rooms.borrow()
    }
}

/// The way to a store whose calls are steps of a history.
pub struct Watched<T> {
    /// The way itself.
    pub inner: T,
    /// Histories of which the calls are steps.
    pub histories: Rc<Histories>,
}

impl<T: Transport> Transport for Watched<T> {
    fn post(&self, body: &str, attempt: Attempt) -> Option<(u16, Vec<u8>)> {
        let answer = self.inner.post(body, attempt);
        if let Some(said) = Said::read(body, answer.as_ref()) {
            self.histories.observe(&said);
        }
        answer
    }

    fn failed(&self, fault: &StoreError) {
        self.inner.failed(fault);
    }

    fn released(&self, released: &Released) {
        self.inner.released(released);
    }

    fn noted(&self, noted: &Noted) {
        self.inner.noted(noted);
    }

    fn recounts(&self, recount: &Recount) {
        self.inner.recounts(recount);
    }

    fn sickened(&self, sickness: &Sickness) {
        self.inner.sickened(sickness);
    }
}
