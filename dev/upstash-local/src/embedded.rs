//! The embedded engine: keys, scripts and a clock behind one mutex, so that every command, every
//! script and every transaction is atomic.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::commands::Command;
use crate::keyspace::Keyspace;
use crate::scripts::{Scripts, Shared, lock};
use crate::value::{Value, Words};

/// What Redis says when a transaction holds words that are no command.
pub(crate) const DISCARDED: &str = "EXECABORT Transaction discarded because of previous errors.";

/// A Redis in memory.
pub(crate) struct Embedded(Mutex<Core>);

struct Core {
    shared: Arc<Mutex<Shared>>,
    scripts: Scripts,
    clock: Clock,
}

impl Embedded {
    /// An empty one.
    pub(crate) fn new() -> Result<Self, String> {
        Self::with_clock(Clock::running())
    }

    /// An empty one at this time since 1970, which stands still until it is advanced.
    pub(crate) fn at(time: Duration) -> Result<Self, String> {
        Self::with_clock(Clock::standing(time))
    }

    fn with_clock(clock: Clock) -> Result<Self, String> {
        let shared = Arc::new(Mutex::new(Shared::default()));
        let scripts = Scripts::new(Arc::clone(&shared));
        let scripts = scripts.map_err(|error| format!("Lua did not start: {error}"))?;
        Ok(Self(Mutex::new(Core {
            shared,
            scripts,
            clock,
        })))
    }

    /// Runs one command.
    pub(crate) fn run(&self, words: &[Vec<u8>]) -> Value {
        self.lock().run(words)
    }

    /// Runs all commands without another between them, or none when one of them is no command.
    pub(crate) fn run_atomically(&self, commands: &[Words]) -> Result<Vec<Value>, String> {
        let mut core = self.lock();
        if commands.iter().any(|words| Command::find(words).is_err()) {
            return Err(DISCARDED.to_owned());
        }
        Ok(commands.iter().map(|words| core.run(words)).collect())
    }

    /// Forgets the scripts.
    pub(crate) fn forget_scripts(&self) {
        self.lock().scripts.forget();
    }

    /// Forgets keys and scripts.
    pub(crate) fn forget_everything(&self) {
        let mut core = self.lock();
        core.scripts.forget();
        lock(&core.shared).keyspace.clear();
    }

    /// All keys as they are.
    pub(crate) fn backup(&self) -> Keyspace {
        lock(&self.lock().shared).keyspace.clone()
    }

    /// Forgets the scripts, and holds these keys and no other.
    pub(crate) fn restart_from(&self, backup: &Keyspace) {
        let mut core = self.lock();
        core.scripts.forget();
        lock(&core.shared).keyspace = backup.clone();
    }

    /// Moves the clock forward.
    pub(crate) fn advance(&self, by: Duration) {
        let clock = &mut self.lock().clock;
        clock.moved = clock.moved.saturating_add(by);
    }

    /// Lets the clock show the machine's time from now on.
    pub(crate) fn follow_clock(&self) {
        self.lock().clock = Clock::running();
    }

    fn lock(&self) -> MutexGuard<'_, Core> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Core {
    fn run(&mut self, words: &[Vec<u8>]) -> Value {
        let command = match Command::find(words) {
            Ok(command) => command,
            Err(misuse) => return Value::Error(misuse.text(words)),
        };
        let arguments = words.get(1..).unwrap_or_default();
        lock(&self.shared).keyspace.tick(self.clock.now());
        let outcome = if command.in_scripts {
            lock(&self.shared).keyspace.run(command.name, arguments)
        } else {
            self.scripts.execute(command.name, arguments)
        };
        outcome.unwrap_or_else(Value::Error)
    }
}

struct Clock {
    /// Since when it runs; a clock that stands still is only advanced.
    running_since: Option<Instant>,
    /// Since 1970, so that what overflows in Redis overflows here.
    started_at: Duration,
    moved: Duration,
}

impl Clock {
    fn running() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        Self {
            running_since: Some(Instant::now()),
            ..Self::standing(since.unwrap_or_default())
        }
    }

    fn standing(started_at: Duration) -> Self {
        Self {
            running_since: None,
            started_at,
            moved: Duration::ZERO,
        }
    }

    fn now(&self) -> i64 {
        let ran = self.running_since.map(|since| since.elapsed());
        let now = self.started_at.saturating_add(self.moved);
        let now = now.saturating_add(ran.unwrap_or_default());
        i64::try_from(now.as_millis()).unwrap_or(i64::MAX)
    }
}
