//! What operators and the origin's programs do to the line.

use super::{Board, EndedSession};

/// One change, as the script is asked for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its name in the script.
    pub act: &'static str,
    /// What it is about: names and values.
    pub details: Vec<(&'static str, String)>,
    /// The id of the ticket that it draws for.
    pub draws: Option<String>,
    /// The sessions that it ends.
    pub ends: Vec<EndedSession>,
}

impl Change {
    /// This act, about these details.
    #[must_use]
    pub fn new(act: &'static str, details: Vec<(&'static str, String)>) -> Self {
        Self {
            act,
            details,
            draws: None,
            ends: Vec::new(),
        }
    }
}

/// Who asks for it.
#[derive(Clone, Debug)]
pub struct Actor<'a> {
    /// The name of the credentials.
    pub name: &'a str,
    /// The address.
    pub address: &'a str,
    /// Whether it belongs among what operators did: what programs do all the time would drive the rest out.
    pub audited: bool,
    /// The version of the settings that was seen; `None` for any.
    pub seen: Option<u64>,
    /// So that a repeat does nothing.
    pub once: Option<IdempotencyKey>,
}

/// What a repeat is known by, for a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey {
    /// A digest of who asks and of the key.
    pub key: String,
    /// A digest of what is asked.
    pub asked: String,
}

/// What a change did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// What the verb counts, which its own file in `operator/verbs/` says: visitors released, credit cleared, tickets
    /// ended, sessions ended, the position drawn.
    pub number: u64,
    /// What a permit added to the credit, nothing where a build before this one did it; how many sessions end only by themselves.
    pub kept: Option<u64>,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changed {
    /// Done.
    Done(Board, Effect),
    /// Done before by the same key, and this is what was answered then: the line may have moved on since.
    Replayed(Board, Effect),
    /// Nothing was done: the settings were changed by somebody else.
    VersionConflict(Board),
    /// Nothing was done: nobody is let in on hold or closed, and nobody draws in front of a closed room.
    NotAdmitting(Board),
    /// Nothing was done: the key belongs to something else.
    KeyReused,
}
