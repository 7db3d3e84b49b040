//! The other engine: a real Redis, reached through a few reused connections.
//!
//! A connection that failed is thrown away together with the idle ones, which most likely died with
//! it; the call that met the failure is answered with an error, never repeated.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use redis::{Client, Cmd, Connection, ConnectionLike, RedisError, Value as Answer};

use crate::commands::{Command, Misuse};
use crate::embedded::DISCARDED;
use crate::value::{Value, Words};

const PATIENCE: Duration = Duration::from_secs(5);

/// A Redis somewhere else.
pub(crate) struct Remote {
    client: Client,
    idle: Mutex<Vec<Connection>>,
    url: String,
}

impl Remote {
    /// Connects to `url` and asks whether anybody is there.
    pub(crate) fn new(url: &str) -> Result<Self, String> {
        let client = Client::open(url).map_err(|error| {
            format!("\"{url}\" is no address like redis://127.0.0.1:6379: {error}")
        })?;
        let remote = Self {
            client,
            idle: Mutex::default(),
            url: url.to_owned(),
        };
        match remote.run(&[b"PING".to_vec()]) {
            Value::Error(text) => Err(text),
            _ => Ok(remote),
        }
    }

    /// Runs one command.
    pub(crate) fn run(&self, words: &[Vec<u8>]) -> Value {
        if Command::named(words).is_none() {
            return Value::Error(Misuse::Unknown.text(words));
        }
        self.talk(|connection| connection.req_command(&packed(words)))
            .map_or_else(Value::Error, value)
    }

    /// Runs all commands in a transaction.
    pub(crate) fn run_atomically(&self, commands: &[Words]) -> Result<Vec<Value>, String> {
        if commands.iter().any(|words| Command::named(words).is_none()) {
            return Err(DISCARDED.to_owned());
        }
        let answer = self.talk(|connection| {
            connection.req_command(&redis::cmd("MULTI"))?;
            for words in commands {
                connection.req_command(&packed(words))?;
            }
            connection.req_command(&redis::cmd("EXEC"))
        })?;
        match value(answer) {
            Value::List(values) => Ok(values),
            Value::Error(text) => Err(text),
            other => Err(format!("ERR Redis answered EXEC with {}", other.json())),
        }
    }

    /// Forgets the scripts. A Redis that is gone shows itself at the next call.
    pub(crate) fn forget_scripts(&self) {
        self.run(&[b"SCRIPT".to_vec(), b"FLUSH".to_vec()]);
    }

    /// Forgets keys and scripts.
    pub(crate) fn forget_everything(&self) {
        self.run(&[b"FLUSHALL".to_vec()]);
        self.forget_scripts();
    }

    fn talk<T>(
        &self,
        exchange: impl FnOnce(&mut Connection) -> Result<T, RedisError>,
    ) -> Result<T, String> {
        let failed = |error: RedisError| {
            self.idle().clear();
            format!("ERR Redis at {} did not answer: {error}", self.url)
        };
        let waiting = self.idle().pop();
        let mut connection = waiting.map_or_else(|| self.connect(), Ok).map_err(failed)?;
        let answer = exchange(&mut connection).map_err(failed)?;
        self.idle().push(connection);
        Ok(answer)
    }

    fn connect(&self) -> Result<Connection, RedisError> {
        let connection = self.client.get_connection_with_timeout(PATIENCE)?;
        connection.set_read_timeout(Some(PATIENCE))?;
        Ok(connection)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn packed(words: &[Vec<u8>]) -> Cmd {
    let mut command = Cmd::new();
    for word in words {
        command.arg(word.as_slice());
    }
    command
}

fn value(answer: Answer) -> Value {
    match answer {
        Answer::Nil => Value::Nil,
        Answer::Int(number) => Value::Int(number),
        Answer::BulkString(bytes) => Value::Text(bytes),
        Answer::SimpleString(text) => Value::Status(text),
        Answer::Okay => Value::ok(),
        Answer::Array(items) => Value::List(items.into_iter().map(value).collect()),
        Answer::ServerError(error) => Value::Error(match error.details() {
            Some(details) => format!("{} {details}", error.code()),
            None => error.code().to_owned(),
        }),
        other => Value::Error(format!("ERR Redis answered in a newer protocol: {other:?}")),
    }
}
