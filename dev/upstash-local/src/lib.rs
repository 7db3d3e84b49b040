//! A small Upstash-compatible store for development and tests: a subset of its REST protocol over
//! an embedded engine or in front of a real Redis.
//!
//! It counts what it does and fails when told to. [`Store::answer`] works without a socket,
//! [`Server`] puts the same answers on one, and the program `upstash-local` serves on a port.
//! Both engines pass one suite, so that the embedded one cannot lie; [`Redis`] starts the real one.

mod bits;
mod cjson;
mod commands;
mod conversion;
mod embedded;
mod faults;
mod keyspace;
mod lists;
mod rate;
mod redis_server;
mod remote;
mod scripts;
mod server;
mod value;
mod wire;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub use faults::{Fault, Faults};
pub use rate::{Clock, Rate};
pub use redis_server::{Redis, Usage};
pub use server::Server;
pub use wire::{Reply, Request};

use embedded::Embedded;
use faults::Timing;
use keyspace::Keyspace;
use rate::Queue;
use remote::Remote;
use value::{Value, Words};
use wire::Batch;

/// How long a caller of [`Store::answer`] waits; a slower answer is no answer to it.
pub const DEADLINE: Duration = Duration::from_millis(500);

/// The store; clones share everything.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

/// The keys of an embedded store at one time.
#[derive(Clone)]
pub struct Backup(Keyspace);

struct Inner {
    engine: Engine,
    token: String,
    calls: AtomicU64,
    commands: AtomicU64,
    faults: Mutex<Faults>,
    queue: Mutex<Option<Queue>>,
}

enum Engine {
    Embedded(Embedded),
    Remote(Remote),
}

impl Store {
    /// An empty store in memory that accepts `token`.
    ///
    /// # Errors
    /// When Lua cannot be started.
    pub fn embedded(token: &str) -> Result<Self, String> {
        Ok(Self::new(Engine::Embedded(Embedded::new()?), token))
    }

    /// The same at this time since 1970, for virtual time: its clock stands still until it is advanced, and what it answers is
    /// the same in every run.
    ///
    /// # Errors
    /// When Lua cannot be started.
    pub fn embedded_at(token: &str, time: Duration) -> Result<Self, String> {
        Ok(Self::new(Engine::Embedded(Embedded::at(time)?), token))
    }

    /// A store in front of the Redis at `url` that accepts `token`.
    ///
    /// # Errors
    /// When `url` is no address of a Redis, or nobody answers there.
    pub fn redis(url: &str, token: &str) -> Result<Self, String> {
        Ok(Self::new(Engine::Remote(Remote::new(url)?), token))
    }

    fn new(engine: Engine, token: &str) -> Self {
        Self(Arc::new(Inner {
            engine,
            token: token.to_owned(),
            calls: AtomicU64::new(0),
            commands: AtomicU64::new(0),
            faults: Mutex::new(Faults::none()),
            queue: Mutex::new(None),
        }))
    }

    /// The token callers must send.
    #[must_use]
    pub fn token(&self) -> &str {
        &self.0.token
    }

    /// Answers one HTTP request without a socket.
    ///
    /// It never sleeps: a reply that a fault or a queue would hold back for more than [`DEADLINE`] is
    /// `Dropped`, a faster one comes at once.
    #[must_use]
    pub fn answer(&self, request: &Request<'_>) -> Reply {
        self.answer_within(request, DEADLINE)
    }

    /// The same for a caller with a deadline of its own.
    #[must_use]
    pub fn answer_within(&self, request: &Request<'_>, deadline: Duration) -> Reply {
        match self.reply(request) {
            (_, timing) if timing.pause() > deadline => Reply::Dropped,
            (reply, _) => reply,
        }
    }

    /// Runs one command outside the protocol, for a test's set-up: not counted, never failed.
    ///
    /// # Errors
    /// What the command answers when it fails.
    pub fn command(&self, words: &[&str]) -> Result<serde_json::Value, String> {
        let words: Words = words.iter().map(|word| word.as_bytes().to_vec()).collect();
        match self.0.engine.run(&words) {
            Value::Error(text) => Err(text),
            value => Ok(value.json()),
        }
    }

    /// Readable, authorised HTTP requests so far, failed by a fault or not.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.0.calls.load(Ordering::SeqCst)
    }

    /// Commands these requests ran; every command of a pipeline counts.
    #[must_use]
    pub fn commands(&self) -> u64 {
        self.0.commands.load(Ordering::SeqCst)
    }

    /// Sets both counts to zero.
    pub fn reset_counts(&self) {
        self.0.calls.store(0, Ordering::SeqCst);
        self.0.commands.store(0, Ordering::SeqCst);
    }

    /// Tells which of the next calls fail.
    pub fn fail(&self, faults: Faults) {
        *self.faults() = faults;
    }

    /// Sets a rate beyond which commands queue up; `None` takes it back and forgets the queue. An answer whose turn comes
    /// after the caller's deadline is late, but its commands are executed all the same.
    pub fn limit(&self, rate: Option<Rate>) {
        *self.queue() = rate.map(Queue::new);
    }

    /// Restarts the store with nothing in it: no keys, no scripts.
    pub fn restart_empty(&self) {
        match &self.0.engine {
            Engine::Embedded(engine) => engine.forget_everything(),
            Engine::Remote(engine) => engine.forget_everything(),
        }
    }

    /// Restarts the store with its keys: the scripts are forgotten.
    pub fn restart(&self) {
        match &self.0.engine {
            Engine::Embedded(engine) => engine.forget_scripts(),
            Engine::Remote(engine) => engine.forget_scripts(),
        }
    }

    /// The keys of the embedded engine as they are; nothing for a real Redis, which [saves](Redis::save) them itself.
    #[must_use]
    pub fn backup(&self) -> Option<Backup> {
        match &self.0.engine {
            Engine::Embedded(engine) => Some(Backup(engine.backup())),
            Engine::Remote(_) => None,
        }
    }

    /// Restarts the embedded engine with the keys that it had then: the scripts are forgotten, and so is what was written since.
    pub fn restart_from(&self, backup: &Backup) {
        if let Engine::Embedded(engine) = &self.0.engine {
            engine.restart_from(&backup.0);
        }
    }

    /// Moves the clocks of the embedded engine and of the queue forward. A real Redis keeps its own time.
    pub fn advance(&self, by: Duration) {
        if let Some(queue) = self.queue().as_mut() {
            queue.advance(by);
        }
        if let Engine::Embedded(engine) = &self.0.engine {
            engine.advance(by);
        }
    }

    /// Lets the clock of the embedded engine show this machine's time from now on. A real Redis does anyway.
    pub fn follow_clock(&self) {
        if let Engine::Embedded(engine) = &self.0.engine {
            engine.follow_clock();
        }
    }

    fn reply(&self, request: &Request<'_>) -> (Reply, Timing) {
        let batch = match wire::read(request, self.token()) {
            Ok(batch) => batch,
            Err(refusal) => return (refusal, Timing::AtOnce),
        };
        self.0.calls.fetch_add(1, Ordering::SeqCst);
        let fault = self.faults().next();
        if let Some(reply) = fault.and_then(|fault| fault.instead_of_work(request)) {
            return (reply, Timing::AtOnce);
        }
        let many = u64::try_from(batch.len()).unwrap_or(u64::MAX);
        self.0.commands.fetch_add(many, Ordering::SeqCst);
        let turn = self.queue().as_mut().map(|queue| queue.enter(many));
        let reply = self.0.engine.work(&batch);
        match (fault, turn) {
            (Some(fault), _) => fault.after_work(&batch, reply),
            (None, Some(turn)) => (reply, Timing::After(turn)),
            (None, None) => (reply, Timing::AtOnce),
        }
    }

    /// Whether answering waits for another machine.
    fn is_remote(&self) -> bool {
        matches!(self.0.engine, Engine::Remote(_))
    }

    fn queue(&self) -> std::sync::MutexGuard<'_, Option<Queue>> {
        self.0.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn faults(&self) -> std::sync::MutexGuard<'_, Faults> {
        self.0.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Engine {
    fn work(&self, batch: &Batch) -> Reply {
        match batch {
            Batch::One(words) => Reply::to_one(&self.run(words)),
            Batch::Pipeline(commands) => {
                let values: Vec<Value> = commands.iter().map(|words| self.run(words)).collect();
                Reply::to_many(&values)
            }
            Batch::Atomic(commands) => match self.run_atomically(commands) {
                Ok(values) => Reply::to_many(&values),
                Err(text) => Reply::error(400, &text),
            },
        }
    }

    fn run(&self, words: &[Vec<u8>]) -> Value {
        match self {
            Self::Embedded(engine) => engine.run(words),
            Self::Remote(engine) => engine.run(words),
        }
    }

    fn run_atomically(&self, commands: &[Words]) -> Result<Vec<Value>, String> {
        match self {
            Self::Embedded(engine) => engine.run_atomically(commands),
            Self::Remote(engine) => engine.run_atomically(commands),
        }
    }
}

/// The examples of the README are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
