//! The keys, and the plain commands on them, worded as Redis words them.
//!
//! Time is a number that the owner sets before each command (`tick`), so it stands still inside a
//! script as it does in Redis. An expired key is removed by the first command that looks at it.

use std::collections::{BTreeMap, HashMap, VecDeque};

use crate::bits::Bit;
use crate::commands::{integer, wrong_number};
use crate::lists;
use crate::value::Value;

type Outcome = Result<Value, String>;

/// Sorted, so that `HGETALL` answers the same in every run; Redis promises no order.
type Fields = BTreeMap<Vec<u8>, Vec<u8>>;

const WRONG_TYPE: &str = "WRONGTYPE Operation against a key holding the wrong kind of value";
const OVERFLOW: &str = "ERR increment or decrement would overflow";
const SYNTAX: &str = "ERR syntax error";

#[derive(Clone)]
enum Data {
    Text(Vec<u8>),
    Hash(Fields),
    List(VecDeque<Vec<u8>>),
}

#[derive(Clone)]
struct Entry {
    data: Data,
    /// Milliseconds since 1970.
    expires: Option<i64>,
}

/// All keys, and what time it is.
#[derive(Clone, Default)]
pub(crate) struct Keyspace {
    entries: HashMap<Vec<u8>, Entry>,
    now: i64,
}

impl Keyspace {
    /// Sets the time, in milliseconds since 1970.
    pub(crate) fn tick(&mut self, now: i64) {
        self.now = now;
    }

    /// Forgets every key.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
    }

    /// Runs one command that is not about scripts; `name` is in lower case.
    pub(crate) fn run(&mut self, name: &str, arguments: &[Vec<u8>]) -> Outcome {
        match (name, arguments) {
            ("ping", []) => Ok(Value::Status("PONG".to_owned())),
            ("ping", [text]) => Ok(Value::Text(text.clone())),
            ("time", []) => Ok(self.time()),
            ("get", [key]) => self.get(key),
            ("set", [key, value, options @ ..]) => self.set(key, value, options),
            ("del" | "unlink", keys) => {
                let gone = keys.iter().filter(|key| self.remove(key)).count();
                Ok(Value::count(gone))
            }
            ("exists", keys) => {
                let here = keys.iter().filter(|key| self.live(key).is_some()).count();
                Ok(Value::count(here))
            }
            ("incr", [key]) => self.increment(key, 1),
            ("incrby", [key, by]) => self.increment(key, integer(by)?),
            ("expire", [key, after]) => self.expire(name, key, after, 1000),
            ("pexpire", [key, after]) => self.expire(name, key, after, 1),
            ("expire" | "pexpire", [_, _, option, ..]) => {
                let option = String::from_utf8_lossy(option);
                Err(format!("ERR Unsupported option {option}"))
            }
            ("ttl", [key]) => Ok(Value::Int(self.remaining(key, |ms| (ms + 500) / 1000))),
            ("pttl", [key]) => Ok(Value::Int(self.remaining(key, |ms| ms))),
            ("dbsize", []) => Ok(self.size()),
            ("flushall", options) => self.flush(options),
            ("lpush" | "lset" | "ltrim" | "lrange", [key, rest @ ..]) => {
                self.run_list(name, key, rest)
            }
            ("getbit" | "setbit", [key, rest @ ..]) => self.run_bits(name, key, rest),
            (_, [key, rest @ ..]) => self.run_hash(name, key, rest),
            _ => Err(wrong_number(name)),
        }
    }

    fn run_hash(&mut self, name: &str, key: &[u8], arguments: &[Vec<u8>]) -> Outcome {
        match (name, arguments) {
            ("hget", [field]) => Ok(read(self.hash(key)?.as_deref(), field)),
            ("hmget", names) => {
                let hash = self.hash(key)?;
                let values = names.iter().map(|field| read(hash.as_deref(), field));
                Ok(Value::List(values.collect()))
            }
            ("hexists", [field]) => {
                let hash = self.hash(key)?;
                Ok(Value::flag(
                    hash.is_some_and(|hash| hash.contains_key(field)),
                ))
            }
            ("hgetall", []) => {
                let pairs = self.hash(key)?.into_iter().flatten();
                let flat = pairs.flat_map(|(field, value)| [field, value]);
                Ok(Value::List(flat.cloned().map(Value::Text).collect()))
            }
            ("hset", pairs) if pairs.len().is_multiple_of(2) => {
                let hash = self.hash_for_writing(key)?;
                let before = hash.len();
                for pair in pairs.chunks_exact(2) {
                    if let [field, value] = pair {
                        hash.insert(field.clone(), value.clone());
                    }
                }
                Ok(Value::count(hash.len() - before))
            }
            ("hincrby", [field, by]) => self.increment_field(key, field, integer(by)?),
            ("hdel", names) => self.delete_fields(key, names),
            _ => Err(wrong_number(name)),
        }
    }

    fn run_list(&mut self, name: &str, key: &[u8], arguments: &[Vec<u8>]) -> Outcome {
        // A list that is not there is an empty one, and an empty one is not there.
        let mut list = match self.live(key).map(|entry| &mut entry.data) {
            None => VecDeque::new(),
            Some(Data::List(list)) => std::mem::take(list),
            Some(_) => return Err(WRONG_TYPE.to_owned()),
        };
        let answer = lists::run(name, &mut list, arguments);
        if list.is_empty() {
            self.entries.remove(key);
        } else {
            let entry = self.entries.entry(key.to_vec()).or_insert(Entry {
                data: Data::List(VecDeque::new()),
                expires: None,
            });
            entry.data = Data::List(list);
        }
        answer
    }

    fn run_bits(&mut self, name: &str, key: &[u8], arguments: &[Vec<u8>]) -> Outcome {
        let bit = Bit::asked(name, arguments)?;
        match self.live(key).map(|entry| &mut entry.data) {
            Some(Data::Text(text)) => Ok(Value::flag(bit.run(text))),
            Some(_) => Err(WRONG_TYPE.to_owned()),
            None => {
                let mut text = Vec::new();
                let before = bit.run(&mut text);
                if !text.is_empty() {
                    let data = Data::Text(text);
                    let expires = None;
                    self.entries.insert(key.to_vec(), Entry { data, expires });
                }
                Ok(Value::flag(before))
            }
        }
    }

    fn live(&mut self, key: &[u8]) -> Option<&mut Entry> {
        if self
            .entries
            .get(key)
            .is_some_and(|entry| entry.expired(self.now))
        {
            self.entries.remove(key);
        }
        self.entries.get_mut(key)
    }

    fn remove(&mut self, key: &[u8]) -> bool {
        self.live(key).is_some() && self.entries.remove(key).is_some()
    }

    fn get(&mut self, key: &[u8]) -> Outcome {
        match self.live(key).map(|entry| &entry.data) {
            None => Ok(Value::Nil),
            Some(Data::Text(text)) => Ok(Value::Text(text.clone())),
            Some(_) => Err(WRONG_TYPE.to_owned()),
        }
    }

    fn set(&mut self, key: &[u8], value: &[u8], options: &[Vec<u8>]) -> Outcome {
        let (lifetime, only_if_absent) = set_options(options)?;
        let invalid = || "ERR invalid expire time in 'set' command".to_owned();
        let expires = match lifetime {
            None => None,
            Some((amount, unit)) => {
                let amount = integer(amount)?;
                let after = amount.checked_mul(unit).filter(|after| *after > 0);
                let at = after.and_then(|after| self.now.checked_add(after));
                Some(at.ok_or_else(invalid)?)
            }
        };
        if only_if_absent && self.live(key).is_some() {
            return Ok(Value::Nil);
        }
        let data = Data::Text(value.to_vec());
        self.entries.insert(key.to_vec(), Entry { data, expires });
        Ok(Value::ok())
    }

    fn increment(&mut self, key: &[u8], by: i64) -> Outcome {
        let Some(entry) = self.live(key) else {
            let data = Data::Text(by.to_string().into_bytes());
            let expires = None;
            self.entries.insert(key.to_vec(), Entry { data, expires });
            return Ok(Value::Int(by));
        };
        let Data::Text(text) = &mut entry.data else {
            return Err(WRONG_TYPE.to_owned());
        };
        let sum = integer(text)?.checked_add(by).ok_or(OVERFLOW)?;
        *text = sum.to_string().into_bytes();
        Ok(Value::Int(sum))
    }

    fn expire(&mut self, name: &str, key: &[u8], after: &[u8], unit: i64) -> Outcome {
        let after = integer(after)?.checked_mul(unit);
        let at = after.and_then(|after| self.now.checked_add(after));
        let at = at.ok_or_else(|| format!("ERR invalid expire time in '{name}' command"))?;
        let now = self.now;
        let Some(entry) = self.live(key) else {
            return Ok(Value::Int(0));
        };
        entry.expires = Some(at);
        if at <= now {
            self.entries.remove(key);
        }
        Ok(Value::Int(1))
    }

    fn remaining(&mut self, key: &[u8], round: impl Fn(i64) -> i64) -> i64 {
        let now = self.now;
        match self.live(key).map(|entry| entry.expires) {
            None => -2,
            Some(None) => -1,
            Some(Some(at)) => round(at - now),
        }
    }

    /// Seconds, and microseconds of the second.
    fn time(&self) -> Value {
        let parts = [self.now / 1000, self.now % 1000 * 1000];
        let parts = parts.map(|part| Value::Text(part.to_string().into_bytes()));
        Value::List(parts.into())
    }

    fn size(&mut self) -> Value {
        let now = self.now;
        self.entries.retain(|_, entry| !entry.expired(now));
        Value::count(self.entries.len())
    }

    fn flush(&mut self, options: &[Vec<u8>]) -> Outcome {
        if !matches!(options, [] | [_]) || !options.iter().all(|option| is_flush_mode(option)) {
            return Err(SYNTAX.to_owned());
        }
        self.clear();
        Ok(Value::ok())
    }

    fn hash(&mut self, key: &[u8]) -> Result<Option<&mut Fields>, String> {
        match self.live(key).map(|entry| &mut entry.data) {
            None => Ok(None),
            Some(Data::Hash(fields)) => Ok(Some(fields)),
            Some(_) => Err(WRONG_TYPE.to_owned()),
        }
    }

    fn hash_for_writing(&mut self, key: &[u8]) -> Result<&mut Fields, String> {
        self.live(key);
        let entry = self.entries.entry(key.to_vec()).or_insert_with(|| Entry {
            data: Data::Hash(Fields::new()),
            expires: None,
        });
        match &mut entry.data {
            Data::Hash(fields) => Ok(fields),
            _ => Err(WRONG_TYPE.to_owned()),
        }
    }

    fn increment_field(&mut self, key: &[u8], field: &[u8], by: i64) -> Outcome {
        let before = match self.hash(key)?.and_then(|hash| hash.get(field)) {
            None => 0,
            Some(text) => integer(text).map_err(|_| "ERR hash value is not an integer")?,
        };
        let sum = before.checked_add(by).ok_or(OVERFLOW)?;
        let hash = self.hash_for_writing(key)?;
        hash.insert(field.to_vec(), sum.to_string().into_bytes());
        Ok(Value::Int(sum))
    }

    fn delete_fields(&mut self, key: &[u8], names: &[Vec<u8>]) -> Outcome {
        let Some(hash) = self.hash(key)? else {
            return Ok(Value::Int(0));
        };
        let gone = names.iter().filter(|field| hash.remove(*field).is_some());
        let gone = gone.count();
        if hash.is_empty() {
            self.entries.remove(key);
        }
        Ok(Value::count(gone))
    }
}

impl Entry {
    fn expired(&self, now: i64) -> bool {
        self.expires.is_some_and(|at| at < now)
    }
}

fn read(hash: Option<&Fields>, field: &[u8]) -> Value {
    let value = hash.and_then(|hash| hash.get(field));
    value.map_or(Value::Nil, |text| Value::Text(text.clone()))
}

/// `SYNC` and `ASYNC`, which are the same here.
pub(crate) fn is_flush_mode(word: &[u8]) -> bool {
    word.eq_ignore_ascii_case(b"sync") || word.eq_ignore_ascii_case(b"async")
}

type Lifetime<'a> = Option<(&'a Vec<u8>, i64)>;

fn set_options(options: &[Vec<u8>]) -> Result<(Lifetime<'_>, bool), String> {
    let mut lifetime = None;
    let mut only_if_absent = false;
    let mut rest = options.iter();
    while let Some(option) = rest.next() {
        if option.eq_ignore_ascii_case(b"nx") {
            only_if_absent = true;
            continue;
        }
        let unit = match option.to_ascii_lowercase().as_slice() {
            b"ex" => 1000,
            b"px" => 1,
            _ => return Err(SYNTAX.to_owned()),
        };
        let amount = rest.next().filter(|_| lifetime.is_none()).ok_or(SYNTAX)?;
        lifetime = Some((amount, unit));
    }
    Ok((lifetime, only_if_absent))
}
