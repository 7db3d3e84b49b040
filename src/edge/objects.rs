//! Objects in the platform's cache, by how they are written.
//!
//! Invariant: nothing is put into the cache but by a type of this file, so each new object has to choose whether an old version
//! of it may be found. `clippy.toml` finds an insert in any other place.

use std::time::Duration;

use fastly::cache::core::{self, CacheError, CacheKey, Found, Transaction};
use fastly::http::body::StreamingBody;

use now_serving::cache::{MAX_AGE, STALE_WHILE_REVALIDATE};

/// A failure of the cache to take an object.
pub(super) struct NotWritten;

/// An object that is read, changed and written again.
///
/// A node of the POP that hands objects out may keep one after it was overwritten, so this one lives on no such node.
pub(super) struct Overwritten(CacheKey);

impl Overwritten {
    /// The object of a key.
    pub(super) fn at(key: CacheKey) -> Self {
        Self(key)
    }

    /// The last version, if there is one and the cache answers.
    pub(super) fn found(self) -> Option<Found> {
        core::lookup(self.0).execute().ok()?
    }

    /// Replaces the last version by this one.
    #[expect(
        clippy::disallowed_methods,
        reason = "no node hands out an old version"
    )]
    pub(super) fn write(self, content: Vec<u8>, life: Duration) -> Result<(), NotWritten> {
        let inserted = core::insert(self.0, life)
            .deliver_node_max_age(Duration::ZERO)
            .user_metadata(content.into())
            .execute();
        finished(inserted)
    }
}

/// A mark that is written once and never changed: any node may hand it out.
pub(super) struct WrittenOnce(CacheKey);

impl WrittenOnce {
    /// The mark of a key.
    pub(super) fn at(key: CacheKey) -> Self {
        Self(key)
    }

    /// Whether it is there; not where the cache does not answer.
    pub(super) fn exists(self) -> bool {
        matches!(core::lookup(self.0).execute(), Ok(Some(_)))
    }

    /// Puts it there.
    #[expect(
        clippy::disallowed_methods,
        reason = "there is no old version of what is written once"
    )]
    pub(super) fn write(self, life: Duration) -> Result<(), NotWritten> {
        finished(core::insert(self.0, life).execute())
    }
}

/// A copy of the board: a node of the POP may hand out an old one, since it lives for two seconds at most.
pub(super) struct BoardCopy(CacheKey);

impl BoardCopy {
    /// The copy of a key.
    pub(super) fn at(key: CacheKey) -> Self {
        Self(key)
    }

    /// The copy, stale or not, if there is one and the cache answers.
    pub(super) fn found(self) -> Option<Found> {
        core::lookup(self.0).execute().ok()?
    }

    /// A turn to renew it, or what another request put there meanwhile.
    pub(super) fn turn(self, timeout: Duration) -> Result<Transaction, CacheError> {
        Transaction::lookup(self.0).timeout(timeout).execute()
    }

    /// Puts it there, whether or not another request has the turn to renew it.
    #[expect(
        clippy::disallowed_methods,
        reason = "an old copy lives for two seconds at most"
    )]
    pub(super) fn write(self, content: Vec<u8>) -> Result<(), NotWritten> {
        let inserted = core::insert(self.0, MAX_AGE)
            .stale_while_revalidate(STALE_WHILE_REVALIDATE)
            .user_metadata(content.into())
            .execute();
        finished(inserted)
    }

    /// Puts it there in its turn.
    #[expect(
        clippy::disallowed_methods,
        reason = "an old copy lives for two seconds at most"
    )]
    pub(super) fn write_in(turn: Transaction, content: Vec<u8>) -> Result<(), NotWritten> {
        let inserted = turn
            .insert(MAX_AGE)
            .stale_while_revalidate(STALE_WHILE_REVALIDATE)
            .user_metadata(content.into())
            .execute();
        finished(inserted)
    }
}

/// Ends an insert: these objects have no body, all of their content is in their metadata.
fn finished(inserted: Result<StreamingBody, CacheError>) -> Result<(), NotWritten> {
    let body = inserted.map_err(|_| NotWritten)?;
    body.finish().map_err(|_| NotWritten)
}
