//! Thousands of random commands, scripts and transactions on both engines, answer by answer.
//!
//! A seed makes a run repeatable; a difference is reported with everything needed to see it again.

use serde_json::{Value as Json, json};
use upstash_local::Redis;
use upstash_local::Store;

use crate::{TOKEN, send};

const ROUNDS: usize = 5000;
pub(crate) const SEEDS: [u64; 2] = [1, 0x5eed];

const KEYS: [&str; 4] = ["a", "b", "c", "d"];
const FIELDS: [&str; 4] = ["x", "y", "z", ""];
const TEXTS: [&str; 14] = [
    "0",
    "1",
    "-1",
    "42",
    "007",
    "1.5",
    "+3",
    " 4",
    "-0",
    "text",
    "",
    "9223372036854775807",
    "-9223372036854775808",
    "99999999999999999999",
];
/// Long enough that nothing expires while the test runs, and as seconds and as milliseconds half way between two times that are
/// told apart.
const TIMES: [&str; 6] = [
    "110010",
    "3610010",
    "0",
    "-5",
    "soon",
    "9223372036854775807",
];

/// No number beyond 64 bits is returned: what C makes of it depends on the processor.
const EXPRESSIONS: [&str; 44] = [
    "1",
    "2.9",
    "-2.9",
    "1e15",
    "2^40 + 0.5",
    "-0.5",
    "'text'",
    "''",
    "true",
    "false",
    "nil",
    "{}",
    "{1, {2, {3.7, nil, 4}}}",
    "{nil, 1}",
    "{ok = 'FINE'}",
    "{err = 'CODE words'}",
    "{err = 'one'}",
    "{1, {err = 'inner words'}, {ok = 'GOOD'}}",
    "{1, 2, x = 3}",
    "{ok = 1}",
    "redis.call('get', KEYS[1])",
    "redis.pcall('hget', KEYS[1], 'x')",
    "redis.call('incr', KEYS[1]) % 1000",
    "redis.call('hincrby', KEYS[2], 'x', ARGV[1]) % 1000",
    "redis.error_reply('BAD thing')",
    "redis.error_reply('single')",
    "redis.status_reply('GOOD')",
    "redis.error_reply(1)",
    "#redis.call('hgetall', KEYS[1])",
    "tonumber(redis.call('get', KEYS[1]) or 0) % 1000",
    "redis.call('hmget', KEYS[1], 'x', 'y', 'none')",
    "type(redis.call('get', KEYS[2]))",
    "missing_global",
    "{pcall(redis.call, 'get', KEYS[1])}",
    "select(2, pcall(redis.call, 'hget', KEYS[1], 'x'))",
    "redis.call('set', KEYS[1], ARGV[1], 'px', 100000)",
    "redis.call('set', KEYS[2], 0.1)",
    "redis.call('set', KEYS[1], 1e17)",
    "redis.sha1hex(ARGV[1])",
    "redis.call('nosuch')",
    "redis.call('get')",
    "redis.call('get', {})",
    "(ARGV[1] + 1) % 1000",
    "string.rep()",
];

const BITS: [&str; 8] = ["0", "7", "8", "300", "-1", "x", "4294967296", "1.5"];

const TEMPLATES: [&str; 9] = [
    "return X",
    "local a = X\nlocal b = Y\nreturn {a, b}",
    "if X then return Y end\nreturn X",
    "redis.call('hset', KEYS[1], 'x', X)\nreturn Y",
    "redis.pcall('hset', KEYS[2], 'y', X)\nreturn Y",
    "local ok, e = pcall(function() return X end)\nif not ok then error(e, 0) end\nreturn e",
    "local function f()\n  return X\nend\nreturn {f(), Y}",
    "undeclared = X\nreturn Y",
    "error('because ' .. type(X))",
];

/// `SplitMix64`.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        usize::try_from(mixed % below.max(1) as u64).unwrap_or_default()
    }

    pub(crate) fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        let at = self.roll(from.len());
        from.get(at).copied().unwrap_or_default()
    }

    fn command(&mut self) -> Json {
        let (key, other) = (self.pick(&KEYS), self.pick(&KEYS));
        let (field, another) = (self.pick(&FIELDS), self.pick(&FIELDS));
        let (text, time) = (self.pick(&TEXTS), self.pick(&TIMES));
        match self.roll(30) {
            28 => json!(["GETBIT", key, self.pick(&BITS)]),
            29 => json!([
                "SETBIT",
                key,
                self.pick(&BITS),
                self.pick(&["0", "1", "1", "2", "x"])
            ]),
            0 | 1 => json!(["GET", key]),
            2 | 3 => json!(["SET", key, text]),
            4 => json!(["SET", key, text, "NX"]),
            5 => json!(["SET", key, text, self.pick(&["EX", "px", "XY"]), time]),
            6 => json!(["SET", key, text, "PX", time, "NX"]),
            7 => json!(["DEL", key, other]),
            8 => json!(["EXISTS", key, other, key]),
            9 => json!(["INCR", key]),
            10 => json!(["INCRBY", key, text]),
            11 => json!([self.pick(&["EXPIRE", "PEXPIRE"]), key, time]),
            12 => json!([self.pick(&["TTL", "PTTL"]), key]),
            13 | 14 => json!(["HGET", key, field]),
            15 => json!(["HMGET", key, field, another]),
            16 | 17 => json!(["HSET", key, field, text, another, text]),
            18 => json!(["HSET", key, field, text, another]),
            19 => json!(["HGETALL", key]),
            20 | 21 => json!(["HINCRBY", key, field, text]),
            22 => json!(["HDEL", key, field, another]),
            23 => json!(["HEXISTS", key, field]),
            24 => json!(["DBSIZE"]),
            25 => json!([self.pick(&["PING", "NOSUCH", "hget", "SET", "ttl"])]),
            26 => json!([
                self.pick(&["PING", "NOSUCH", "GET", "EVAL", "SCRIPT"]),
                text,
                key
            ]),
            _ => self.evaluation(),
        }
    }

    fn evaluation(&mut self) -> Json {
        let script = self.pick(&TEMPLATES).replace('X', self.pick(&EXPRESSIONS));
        let script = script.replace('Y', self.pick(&EXPRESSIONS));
        let (key, other) = (self.pick(&KEYS), self.pick(&KEYS));
        let text = self.pick(&TEXTS);
        match self.roll(12) {
            0 => json!(["EVALSHA", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", 0]),
            1 => json!([
                "SCRIPT",
                self.pick(&["LOAD", "EXISTS", "FLUSH"]),
                "return 1"
            ]),
            2 => json!(["EVAL", script, text, key, other]),
            3 => json!(["SCRIPT", "LOAD", script]),
            _ => json!(["EVAL", script, 2, key, other, text]),
        }
    }

    /// A request: mostly one command, sometimes several.
    fn request(&mut self) -> (&'static str, Json) {
        match self.roll(10) {
            0 => (
                "/multi-exec",
                json!([self.command(), self.command(), self.evaluation()]),
            ),
            1 => ("/pipeline", json!([self.command(), self.evaluation()])),
            2..6 => ("/", self.evaluation()),
            _ => ("/", self.command()),
        }
    }
}

/// Redis promises no order of fields, and each engine's clock ticks on between two commands.
fn comparable(command: &Json, mut answer: Json) -> Json {
    let name = command.get(0).and_then(Json::as_str).unwrap_or_default();
    let Some(result) = answer.get_mut("result") else {
        return answer;
    };
    if let ("HGETALL", Json::Array(flat)) = (name, &mut *result) {
        let mut pairs: Vec<String> = flat.chunks(2).map(|pair| json!(pair).to_string()).collect();
        pairs.sort_unstable();
        *result = json!(pairs);
    }
    if let ("TTL" | "PTTL", Some(left @ 1..)) = (name, result.as_i64()) {
        let unit = if name == "TTL" { 1 } else { 1000 };
        *result = json!(format!("about {} s", (left + unit / 2) / unit / 20));
    }
    answer
}

fn ask(store: &Store, target: &str, body: &Json) -> Result<(u16, Json), String> {
    let (status, answer) = send(store, "POST", target, &body.to_string())?;
    let answer = match (target, body, answer) {
        ("/", _, answer) => comparable(body, answer),
        (_, Json::Array(commands), Json::Array(answers)) => {
            let pairs = commands.iter().zip(answers);
            pairs
                .map(|(command, answer)| comparable(command, answer))
                .collect()
        }
        (_, _, answer) => answer,
    };
    Ok((status, answer))
}

#[test]
fn both_engines_answer_random_requests_alike() -> Result<(), String> {
    let redis = Redis::start()?;
    for seed in SEEDS {
        let small = Store::embedded(TOKEN)?;
        let real = Store::redis(redis.url(), TOKEN)?;
        real.restart_empty();
        let mut dice = Dice(seed);
        for round in 0..ROUNDS {
            let (target, body) = dice.request();
            let (ours, theirs) = (ask(&small, target, &body)?, ask(&real, target, &body)?);
            assert_eq!(ours, theirs, "seed {seed}, round {round}: {target} {body}");
        }
    }
    Ok(())
}
