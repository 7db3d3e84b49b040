//! Where settings come from, and a memory of what came.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::backend::{OriginBackend, StoreBackend};
use super::document::look_ups;

/// Whether there is a value could not be found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable;

/// What a store says about one key.
type Said = Result<Option<String>, Unreadable>;

/// Where settings come from. Empty values count as absent: a prompt that was just confirmed leaves one behind.
pub trait Source: Send + Sync {
    /// From the config store.
    ///
    /// # Errors
    /// When the store does not say whether there is one.
    fn setting(&self, key: &str) -> Said;
    /// From the secret store.
    ///
    /// # Errors
    /// When the store does not say whether there is one.
    fn secret(&self, key: &str) -> Said;
    /// Whether there is a secret store: then no secret is looked for in the config store, where look-ups are few.
    fn keeps_secrets(&self) -> bool {
        false
    }
    /// The backend of the store.
    fn store_backend(&self) -> StoreBackend {
        StoreBackend::NotAsked
    }
    /// The host that the backend of the store sends and whose certificate it expects, where that is another than the one that it is
    /// connected to.
    fn store_host_override(&self) -> Option<String> {
        None
    }
    /// The backend of this name, to which visitors' requests may go.
    fn origin_backend(&self, _name: &str) -> OriginBackend {
        OriginBackend::NotAsked
    }
    /// On the local server, where development secrets and a store without TLS are accepted.
    fn is_local(&self) -> bool;
}

/// A source that is asked for each value until it says what it is, and then no more: the platform allows an execution few
/// look-ups, and one that failed must not cost all of them again.
pub struct Remembering<S> {
    source: S,
    settings: Memory,
    secrets: Memory,
    look_ups: AtomicUsize,
    secret_reads: AtomicUsize,
}

impl Spent {
    /// The sum of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            look_ups: self.look_ups + other.look_ups,
            secrets: self.secrets + other.secrets,
        }
    }
}

/// What was asked of the stores, as the platform counts it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Look-ups of the config store: two for a value of more than 256 bytes.
    pub look_ups: usize,
    /// Reads of the secret store.
    pub secrets: usize,
}

/// Each key once; there are few.
type Memory = Mutex<Vec<(String, Option<String>)>>;

impl<S: Source> Remembering<S> {
    /// Of which nothing is known yet.
    pub fn new(source: S) -> Self {
        Self {
            source,
            settings: Memory::default(),
            secrets: Memory::default(),
            look_ups: AtomicUsize::new(0),
            secret_reads: AtomicUsize::new(0),
        }
    }

    /// What was asked of the source so far.
    pub fn spent(&self) -> Spent {
        Spent {
            look_ups: self.look_ups.load(Ordering::Relaxed),
            secrets: self.secret_reads.load(Ordering::Relaxed),
        }
    }
}

impl<S: Source> Source for Remembering<S> {
    fn setting(&self, key: &str) -> Said {
        remembered(&self.settings, key, || {
            let said = self.source.setting(key);
            self.look_ups.fetch_add(look_ups(&said), Ordering::Relaxed);
            said
        })
    }

    fn secret(&self, key: &str) -> Said {
        remembered(&self.secrets, key, || {
            let is_counted = usize::from(self.source.keeps_secrets());
            self.secret_reads.fetch_add(is_counted, Ordering::Relaxed);
            self.source.secret(key)
        })
    }

    fn keeps_secrets(&self) -> bool {
        self.source.keeps_secrets()
    }

    fn store_backend(&self) -> StoreBackend {
        self.source.store_backend()
    }

    fn store_host_override(&self) -> Option<String> {
        self.source.store_host_override()
    }

    fn origin_backend(&self, name: &str) -> OriginBackend {
        self.source.origin_backend(name)
    }

    fn is_local(&self) -> bool {
        self.source.is_local()
    }
}

fn remembered(memory: &Memory, key: &str, read: impl FnOnce() -> Said) -> Said {
    let mut memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, value)) = memory.iter().find(|(known, _)| known == key) {
        return Ok(value.clone());
    }
    let value = read()?;
    memory.push((key.to_owned(), value.clone()));
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fails the first time it is asked for `b`, and counts.
    #[derive(Default)]
    struct Failing(Mutex<Vec<String>>);

    impl Source for Failing {
        fn setting(&self, key: &str) -> Said {
            let Ok(mut asked) = self.0.lock() else {
                return Err(Unreadable);
            };
            asked.push(key.to_owned());
            match key {
                "b" if asked.iter().filter(|asked| *asked == "b").count() == 1 => Err(Unreadable),
                "c" => Ok(None),
                key => Ok(Some(key.to_owned())),
            }
        }
        fn secret(&self, key: &str) -> Said {
            self.setting(&format!("secret {key}"))
        }
        fn is_local(&self) -> bool {
            true
        }
    }

    #[test]
    fn what_was_read_is_asked_for_once_and_what_failed_again() {
        let source = Remembering::new(Failing::default());
        let all = || ["a", "b", "c"].map(|key| source.setting(key));
        let (a, b) = (Ok(Some("a".to_owned())), Ok(Some("b".to_owned())));
        assert_eq!(all(), [a.clone(), Err(Unreadable), Ok(None)]);
        assert_eq!(all(), [a.clone(), b.clone(), Ok(None)]);
        assert_eq!(all(), [a, b, Ok(None)]);
        assert_eq!(source.secret("a"), Ok(Some("secret a".to_owned())));
        let asked = source.source.0.lock().map(|asked| asked.join(","));
        assert_eq!(asked.ok().as_deref(), Some("a,b,c,b,secret a"));
    }
}
