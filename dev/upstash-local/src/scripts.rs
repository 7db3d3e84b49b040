//! Scripts: a real Lua 5.1, the sandbox around it, and the cache by SHA-1.
//!
//! Of Redis's libraries it has those of Lua and `cjson`; `sandbox.lua` says what is left out.
//!
//! A script may touch only the keys it was given in `KEYS`. Redis forgives that on one machine,
//! Upstash does not.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mlua::state::{GcIncParams, GcMode};
use mlua::{Function, Lua, LuaString, Table, Value as LuaValue, Variadic};
use sha1_smol::Sha1;

use crate::cjson::{self, Refusal};
use crate::commands::{Command, Misuse, integer, wrong_number};
use crate::conversion::{reply_from_lua, reply_to_lua, words_of_error};
use crate::keyspace::{Keyspace, is_flush_mode};
use crate::value::{Value, Words, one_line};

const CHUNK: &str = "user_script";
const NO_SCRIPT: &str = "NOSCRIPT No matching script. Please use EVAL.";

/// The keys, and which of them the running script has declared.
#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) keyspace: Keyspace,
    declared: Words,
}

/// Locks what commands and scripts share; a panic elsewhere does not make the data unusable.
pub(crate) fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The Lua state and the scripts it has compiled.
pub(crate) struct Scripts {
    lua: Lua,
    environment: Table,
    run: Function,
    compiled: HashMap<String, Function>,
    shared: Arc<Mutex<Shared>>,
}

impl Scripts {
    /// Builds the sandbox around `shared`.
    pub(crate) fn new(shared: Arc<Mutex<Shared>>) -> mlua::Result<Self> {
        let lua = Lua::new();
        // Each call leaves its garbage, and nothing of it lives on: collecting at four times what lives takes less time.
        lua.gc_set_mode(GcMode::Incremental(GcIncParams::default().pause(400)));
        let (environment, run) = sandbox(&lua, &shared)?;
        Ok(Self {
            lua,
            environment,
            run,
            compiled: HashMap::new(),
            shared,
        })
    }

    /// Forgets every compiled script.
    pub(crate) fn forget(&mut self) {
        self.compiled.clear();
    }

    /// `EVAL`, `EVALSHA` and `SCRIPT …`; `name` is in lower case.
    pub(crate) fn execute(&mut self, name: &str, arguments: &[Vec<u8>]) -> Result<Value, String> {
        match (name, arguments) {
            ("eval", [source, rest @ ..]) => {
                let (keys, arguments) = split(rest)?;
                let sha = self.load(source)?;
                self.call(&sha, keys, arguments)
            }
            ("evalsha", [sha, rest @ ..]) => {
                let sha = String::from_utf8_lossy(sha).to_ascii_lowercase();
                let known = sha.len() == 40;
                let (keys, arguments) = known.then(|| split(rest)).ok_or(NO_SCRIPT)??;
                self.call(&sha, keys, arguments)
            }
            ("script|load", [_, source]) => Ok(Value::Text(self.load(source)?.into_bytes())),
            ("script|exists", [_, hashes @ ..]) => {
                let known = hashes.iter().map(|sha| {
                    let sha = String::from_utf8_lossy(sha).to_ascii_lowercase();
                    Value::flag(self.compiled.contains_key(&sha))
                });
                Ok(Value::List(known.collect()))
            }
            ("script|flush", [_, mode @ ..]) => {
                if mode.len() > 1 || !mode.iter().all(|mode| is_flush_mode(mode)) {
                    return Err("ERR SCRIPT FLUSH only support SYNC|ASYNC option".to_owned());
                }
                self.forget();
                Ok(Value::ok())
            }
            _ => Err(wrong_number(name)),
        }
    }

    fn load(&mut self, source: &[u8]) -> Result<String, String> {
        let sha = Sha1::from(source).digest().to_string();
        if !self.compiled.contains_key(&sha) {
            let chunk = self.lua.load(source).set_name(format!("@{CHUNK}"));
            let chunk = chunk.set_mode(mlua::chunk::ChunkMode::Text);
            let function = chunk
                .set_environment(self.environment.clone())
                .into_function();
            let function = function.map_err(|error| {
                let words = one_line(&words_of_error(&error));
                format!("ERR Error compiling script (new function): {words}")
            })?;
            self.compiled.insert(sha.clone(), function);
        }
        Ok(sha)
    }

    fn call(&self, sha: &str, keys: &[Vec<u8>], argv: &[Vec<u8>]) -> Result<Value, String> {
        let script = self.compiled.get(sha).ok_or(NO_SCRIPT)?;
        lock(&self.shared).declared = keys.to_vec();
        let outcome = self.call_lua(script, keys, argv);
        let (finished, value, line) = outcome.map_err(|error| words_of_error(&error))?;
        if finished {
            return Ok(reply_from_lua(&value));
        }
        let words = value.to_string().unwrap_or_default();
        let place = line.map(|line| format!(" script: {sha}, on @{CHUNK}:{line}."));
        Err(one_line(&words) + &place.unwrap_or_default())
    }

    fn call_lua(
        &self,
        script: &Function,
        keys: &[Vec<u8>],
        argv: &[Vec<u8>],
    ) -> mlua::Result<(bool, LuaValue, Option<i64>)> {
        let keys = self.table_of(keys)?;
        let argv = self.table_of(argv)?;
        self.run.call((script, keys, argv))
    }

    fn table_of(&self, words: &[Vec<u8>]) -> mlua::Result<Table> {
        let strings = words.iter().map(|word| self.lua.create_string(word));
        self.lua
            .create_sequence_from(strings.collect::<mlua::Result<Vec<_>>>()?)
    }
}

type KeysAndArguments<'a> = (&'a [Vec<u8>], &'a [Vec<u8>]);

/// What follows `numkeys`, which comes first.
fn split(rest: &[Vec<u8>]) -> Result<KeysAndArguments<'_>, String> {
    let (many, words) = rest.split_first().ok_or("ERR missing number of keys")?;
    let many = integer(many)?;
    let many = usize::try_from(many).map_err(|_| "ERR Number of keys can't be negative")?;
    words
        .split_at_checked(many)
        .ok_or_else(|| "ERR Number of keys can't be greater than number of args".to_owned())
}

fn sandbox(lua: &Lua, shared: &Arc<Mutex<Shared>>) -> mlua::Result<(Table, Function)> {
    let format: Function = lua.load("return string.format").eval()?;
    let cjson = cjson::library(lua, &format)?;
    let words = move |arguments: &[LuaValue]| words_for_command(&format, arguments);

    let (keys, read) = (Arc::clone(shared), words.clone());
    let call = lua.create_function(move |lua, arguments: Variadic<LuaValue>| {
        match read(&arguments).and_then(|words| run_command(&keys, &words)) {
            Ok(value) => reply_to_lua(lua, value),
            Err(text) => Err(mlua::Error::runtime(text)),
        }
    })?;
    let (keys, read) = (Arc::clone(shared), words);
    let pcall = lua.create_function(move |lua, arguments: Variadic<LuaValue>| {
        let outcome = read(&arguments).and_then(|words| run_command(&keys, &words));
        reply_to_lua(lua, outcome.unwrap_or_else(Value::Error))
    })?;
    let sha1hex = lua.create_function(|_, texts: Variadic<LuaString>| match texts.as_slice() {
        [text] => Ok(Sha1::from(text.as_bytes()).digest().to_string()),
        _ => Err(mlua::Error::runtime("ERR wrong number of arguments")),
    })?;
    let words_of = lua
        .create_function(|_, error: mlua::Error| Ok((words_of_error(&error), has_code(&error))))?;
    let line_of = lua.create_function(|lua, ()| Ok(line_of_script(lua)))?;

    lua.load(include_str!("sandbox.lua"))
        .set_name("=sandbox")
        .call((call, pcall, sha1hex, cjson, words_of, line_of))
}

/// Whether an error begins with a code, as those of Redis do and those of Lua's libraries do not.
fn has_code(error: &mlua::Error) -> bool {
    error.downcast_ref::<Refusal>().is_none()
}

fn run_command(shared: &Mutex<Shared>, words: &[Vec<u8>]) -> Result<Value, String> {
    let command = Command::find(words).map_err(|misuse| match misuse {
        Misuse::Unknown | Misuse::UnknownSubcommand => {
            "ERR Unknown Redis command called from script"
        }
        Misuse::WrongNumber(_) => "ERR Wrong number of args calling Redis command from script",
    })?;
    if !command.in_scripts {
        return Err("ERR This Redis command is not allowed from script".to_owned());
    }
    let arguments = words.get(1..).unwrap_or_default();
    let mut shared = lock(shared);
    for key in command.keys(arguments) {
        if !shared.declared.contains(key) {
            let key = String::from_utf8_lossy(key);
            return Err(format!(
                "ERR Script touched the key '{key}' that is not in KEYS: pass every key in KEYS"
            ));
        }
    }
    shared.keyspace.run(command.name, arguments)
}

/// Strings as they are and numbers as C's `%.17g` prints them, which is what Redis does.
fn words_for_command(format: &Function, arguments: &[LuaValue]) -> Result<Words, String> {
    const PLAIN: std::ops::Range<i64> = -99_999_999_999_999_999..100_000_000_000_000_000;
    const REFUSED: &str = "ERR Lua redis lib command arguments must be strings or integers";
    if arguments.is_empty() {
        return Err("ERR Please specify at least one argument for this redis lib call".to_owned());
    }
    let word = |argument: &LuaValue| match argument {
        LuaValue::String(text) => Ok(text.as_bytes().to_vec()),
        LuaValue::Integer(number) if PLAIN.contains(number) => Ok(number.to_string().into_bytes()),
        LuaValue::Integer(_) | LuaValue::Number(_) => format
            .call::<String>(("%.17g", argument))
            .map(String::into_bytes)
            .map_err(|error| words_of_error(&error)),
        _ => Err(REFUSED.to_owned()),
    };
    arguments.iter().map(word).collect()
}

/// The line of the innermost function that belongs to the script.
fn line_of_script(lua: &Lua) -> Option<usize> {
    let mut level = 1;
    loop {
        let (ours, line) = lua.inspect_stack(level, |frame| {
            let ours = frame.source().short_src.as_deref() == Some(CHUNK);
            (ours, frame.current_line())
        })?;
        if ours {
            return line;
        }
        level += 1;
    }
}
