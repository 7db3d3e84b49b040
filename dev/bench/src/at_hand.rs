//! Settings that are at hand: what a sandbox does with them, once the platform has handed them over.

use harness::sandbox_dir::{Settings, stored};
use now_serving::config::{Source, Unreadable};

/// A config store, which has the secrets of development too.
pub struct AtHand(Settings);

impl AtHand {
    /// As the config store holds these.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        Self(stored(settings))
    }
}

impl Source for AtHand {
    fn setting(&self, key: &str) -> Result<Option<String>, Unreadable> {
        Ok(self.0.get(key).cloned())
    }
    fn secret(&self, _key: &str) -> Result<Option<String>, Unreadable> {
        Ok(None)
    }
    fn is_local(&self) -> bool {
        true
    }
}
