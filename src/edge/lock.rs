//! One sandbox of a POP at a time: a lock in the platform's cache.

use std::time::Duration;

use fastly::cache::core::{CacheKey, Transaction};

/// Does something while no other sandbox does something under this key; nothing where it is not this one's turn soon enough, or
/// the cache cannot say. The lock is a transaction that is never completed: one sandbox has it at a time, and when it is given
/// up, or its sandbox is gone, it goes to one of those that wait for it.
pub(super) fn alone<T>(key: CacheKey, turn: Duration, work: impl FnOnce() -> T) -> Option<T> {
    let lock = Transaction::lookup(key).timeout(turn).execute().ok()?;
    if !lock.must_insert_or_update() {
        return None;
    }
    let done = work();
    let _ = lock.cancel_insert_or_update();
    Some(done)
}
