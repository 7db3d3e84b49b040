//! The copy of the board in the platform's cache, and the last board there was; and what this sandbox has of them from before.

use fastly::cache::core::{CacheError, CacheKey, Found, Transaction};

use now_serving::cache::{
    BoardCache, CachedBoard, LAST_BOARD_TTL, LOOKUP_TIMEOUT, Lookup, Refresh, RefreshGuard,
};
use now_serving::queue::Now;

use super::objects::{BoardCopy, Overwritten};
use super::pop::PlatformCache;

impl PlatformCache {
    fn board_copy(&self) -> BoardCopy {
        BoardCopy::at(CacheKey::from(self.counts.room().cache_key("board")))
    }

    fn last_copy(&self) -> Overwritten {
        Overwritten::at(CacheKey::from(self.counts.room().cache_key("last-board")))
    }

    /// The last board as it is now: other requests may have put up a later one since this request began.
    pub(super) fn last_now(&self) -> Option<CachedBoard> {
        read(&self.last_copy().found()?)
    }

    /// For the requests that follow in this sandbox.
    fn keep(&self, copy: &CachedBoard) {
        let mut kept = self.kept.borrow_mut();
        kept.keep(&self.counts.room(), copy, self.now);
    }

    /// What to put up when this copy was read: it, or the last board where that is later. It is the last board before it is the
    /// POP's copy, so a renewal that comes late finds it there.
    fn latest(&self, copy: &CachedBoard) -> CachedBoard {
        let copy = copy.or_later(self.last_now());
        self.keep(&copy);
        keep(self.last_copy(), &copy);
        copy
    }
}

impl BoardCache for PlatformCache {
    fn lookup(&self) -> Lookup {
        // Nearly always there is a fresh copy, and finding it is less work than a transaction.
        let fresh = self.peek().map(Box::new);
        fresh.map_or_else(|| self.lookup_old(), |copy| Lookup::Hit(copy, None))
    }

    fn lookup_old(&self) -> Lookup {
        let transaction = match self.board_copy().turn(LOOKUP_TIMEOUT) {
            Ok(transaction) => transaction,
            Err(CacheError::Timeout) => return Lookup::Timeout,
            Err(_) => return Lookup::Unavailable,
        };
        let copy = transaction.found().and_then(|found| read(&found));
        let duty = transaction
            .must_insert_or_update()
            .then(|| -> RefreshGuard {
                Box::new(Renewal {
                    transaction,
                    cache: self.clone(),
                })
            });
        match (copy, duty) {
            (Some(copy), duty) => Lookup::Hit(Box::new(copy), duty),
            (None, Some(duty)) => Lookup::Miss(duty),
            (None, None) => Lookup::Unavailable,
        }
    }

    fn peek(&self) -> Option<CachedBoard> {
        let found = self.board_copy().found()?;
        let copy = (!found.is_stale()).then(|| read(&found))?;
        copy.inspect(|copy| self.keep(copy))
    }

    fn kept(&self, now: Now) -> Option<CachedBoard> {
        let kept = self.kept.borrow();
        kept.fresh(&self.counts.room(), now).cloned()
    }

    fn put(&self, copy: &CachedBoard) {
        let copy = self.latest(copy);
        // Without a copy the next look reads the store, as the first one did.
        let _ = self.board_copy().write(copy.written());
    }

    fn remember(&self, copy: &CachedBoard) {
        self.keep(copy);
        if let Some(copy) = copy.to_remember(self.last_now().as_ref()) {
            keep(self.last_copy(), &copy);
        }
    }

    fn last(&self) -> Option<CachedBoard> {
        self.found.get_or_init(|| self.last_now()).clone()
    }

    fn last_for_inside(&self, now: Now) -> Option<CachedBoard> {
        let kept = self.kept.borrow();
        if let Some(kept) = kept.fresh_inside(&self.counts.room(), now) {
            return Some(kept.clone());
        }
        drop(kept);
        let last = self.last();
        last.inspect(|last| self.keep(last))
    }
}

/// The turn to renew the copy.
struct Renewal {
    transaction: Transaction,
    cache: PlatformCache,
}

impl Refresh for Renewal {
    fn renew(self: Box<Self>, copy: &CachedBoard) {
        let copy = self.cache.latest(copy);
        // Without a copy the next look reads the store, as this one did.
        let _ = BoardCopy::write_in(self.transaction, copy.written());
        self.cache.counts.has_renewed.set(true);
    }
}

/// Keeps the last board for the time when the store does not answer.
fn keep(last: Overwritten, copy: &CachedBoard) {
    if !copy.is_old {
        // Without it this POP has no board to show while the store does not answer.
        let _ = last.write(copy.written(), LAST_BOARD_TTL);
    }
}

fn read(found: &Found) -> Option<CachedBoard> {
    CachedBoard::read(&found.user_metadata())
}
