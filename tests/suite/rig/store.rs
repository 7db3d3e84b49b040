//! The store of a rig: either engine can be emptied, copied and restored, and its keys expire in virtual time.

use std::time::{Duration, Instant};

use upstash_local::{Backup, Redis, Store};

use crate::house::STORE_TOKEN;

/// Copies that are kept at a time.
pub(super) const COPIES: usize = 4;

/// Shortens the life of every key, of all copies as well.
const AGE: &str = "
for db = 0, 4 do
  redis.call('SELECT', db)
  for _, key in ipairs(redis.call('KEYS', '*')) do
    local left = redis.call('PTTL', key)
    if left > 0 then
      redis.call('PEXPIRE', key, left - tonumber(ARGV[1]))
    end
  end
end
";

/// Replaces what one database holds by a copy of another.
const COPY: &str = "
redis.call('SELECT', ARGV[2])
redis.call('FLUSHDB')
redis.call('SELECT', ARGV[1])
for _, key in ipairs(redis.call('KEYS', '*')) do
  redis.call('COPY', key, key, 'DB', ARGV[2])
end
";

/// A copy of all keys of a store: the embedded one gives it out, a Redis has it in a database of this number.
pub(crate) enum Copy {
    Given(Backup),
    Database(String),
}

impl Copy {
    /// What this store holds now, in place of an older copy of that number.
    pub(crate) fn of(store: &Store, number: usize) -> Self {
        store.backup().map_or_else(
            || {
                let database = (number + 1).to_string();
                let words = ["EVAL", COPY, "0", "0", &database];
                store.command(&words).unwrap();
                Self::Database(database)
            },
            Self::Given,
        )
    }

    /// The store begins again with these keys, and without its scripts.
    pub(crate) fn restore(&self, store: &Store) {
        match self {
            Self::Given(backup) => store.restart_from(backup),
            Self::Database(database) => {
                let words = ["EVAL", COPY, "0", database, "0"];
                store.command(&words).unwrap();
                store.command(&["SCRIPT", "FLUSH"]).unwrap();
            }
        }
    }
}

/// A store, and older copies of what it held.
pub(super) struct Engine {
    pub(super) store: Store,
    redis: Option<Redis>,
    backups: Vec<Copy>,
    /// Until when the keys of a real Redis have aged by themselves.
    aged: Instant,
}

impl Engine {
    pub(super) fn embedded() -> Self {
        Self::of(Store::embedded(STORE_TOKEN).unwrap(), None)
    }

    pub(super) fn redis() -> Self {
        let redis = Redis::start().unwrap();
        let store = Store::redis(redis.url(), STORE_TOKEN).unwrap();
        Self::of(store, Some(redis))
    }

    fn of(store: Store, redis: Option<Redis>) -> Self {
        Self {
            store,
            redis,
            backups: Vec::new(),
            aged: Instant::now(),
        }
    }

    fn run(&self, words: &[&str]) {
        self.store.command(words).unwrap();
    }

    /// A store that holds nothing but the script.
    pub(super) fn clear(&mut self) {
        self.backups.clear();
        self.store.restart_empty();
        self.run(&["SCRIPT", "LOAD", &now_serving::store::script()]);
    }

    /// The copies stay, which a Redis has in other databases.
    pub(super) fn lose_all(&self) {
        if self.redis.is_some() {
            self.run(&["EVAL", "redis.call('FLUSHDB')", "0"]);
            self.run(&["SCRIPT", "FLUSH"]);
        } else {
            self.store.restart_empty();
        }
    }

    pub(super) fn lose(&self, key: &str) {
        self.run(&["DEL", key]);
    }

    /// Keeps a copy in place of the oldest one.
    pub(super) fn back_up(&mut self, number: usize) {
        let at = number % COPIES;
        let copy = Copy::of(&self.store, at);
        if at < self.backups.len() {
            self.backups[at] = copy;
        } else {
            self.backups.push(copy);
        }
    }

    /// Restores one of the copies; which one, if there was any.
    pub(super) fn restore(&self, which: usize) -> Option<usize> {
        let at = which.checked_rem(self.backups.len())?;
        self.backups[at].restore(&self.store);
        Some(at)
    }

    pub(super) fn wait(&mut self, ms: u64) {
        self.store.advance(Duration::from_millis(ms));
        if self.redis.is_some() {
            let by_itself = u64::try_from(self.aged.elapsed().as_millis()).unwrap();
            self.aged = Instant::now();
            let by = i64::try_from(ms).unwrap() - i64::try_from(by_itself).unwrap();
            self.run(&["EVAL", AGE, "0", &by.to_string()]);
        }
    }
}
