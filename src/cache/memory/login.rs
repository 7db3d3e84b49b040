//! Wrong logins in memory.

use std::time::Duration;

use super::InMemoryCache;
use crate::cache::{AttemptLock, LoginFailures, LoginThrottle};

struct InTurn(InMemoryCache, String);

impl LoginThrottle for InMemoryCache {
    fn wrong(&self, from: &str) -> Option<LoginFailures> {
        let (wrong, until) = self.shelf.wrong.borrow().get(from).copied()?;
        (self.now() < until).then_some(wrong)
    }

    fn put_wrong(&self, from: &str, wrong: LoginFailures, life: Duration) {
        let until = self.in_a(life);
        let mut known = self.shelf.wrong.borrow_mut();
        known.insert(from.to_owned(), (wrong, until));
    }

    fn turn(&self, from: &str) -> AttemptLock {
        let is_free = self.shelf.turns.borrow_mut().insert(from.to_owned());
        if is_free {
            AttemptLock::Mine(Box::new(InTurn(self.clone(), from.to_owned())))
        } else {
            AttemptLock::Late
        }
    }

    fn pause(&self, time: Duration) {
        self.shelf.paused.set(self.paused() + time);
    }
}

impl Drop for InTurn {
    fn drop(&mut self) {
        self.0.shelf.turns.borrow_mut().remove(&self.1);
    }
}
