//! What the script takes for granted of the store's engine, tried by itself: a rule that fails does not say which of it is missing.

use now_serving::store::upstash::{Attempt, Transport, decode, encode};
use serde_json::{Value, json};

/// Expressions of Lua, and what a script that returns one is answered.
const EXPRESSIONS: [(&str, Answers); 21] = [
    (
        "redis.sha1hex('')",
        Text("da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    ),
    // Numbers: whole ones of up to 14 digits are written as they are.
    ("tostring(99999999999999)", Text("99999999999999")),
    (
        "string.format('%d', 1800000000000.0)",
        Text("1800000000000"),
    ),
    ("1800000000000 + 1", Number(1_800_000_000_001)),
    ("tonumber('1800000000000') * 1000 % 7", Number(1)),
    ("math.floor(-1.5) + math.ceil(1.2)", Number(0)),
    ("tostring(tonumber('') == nil)", Text("true")),
    ("tostring(math.huge > 1)", Text("true")),
    // Texts.
    (
        "string.match('main/18 drawn', '^(%S+) (%S+)$')",
        Text("main/18"),
    ),
    ("string.gsub('a:b:c', ':', ' ')", Text("a b c")),
    ("select('#', unpack({}, 1, 200))", Number(200)),
    ("table.concat({ 1, 'a', 2 }, ' ')", Text("1 a 2")),
    ("setmetatable({}, { __index = { a = 'b' } }).a", Text("b")),
    // JSON: what is written is read again, and numbers stay whole.
    (
        "cjson.encode({ 1800000000000, 99999999999999 })",
        Text("[1800000000000,99999999999999]"),
    ),
    ("cjson.encode({ a = true })", Text(r#"{"a":true}"#)),
    (
        r#"cjson.decode(cjson.encode({ a = 'b/"\\\n' })).a"#,
        Text("b/\"\\\n"),
    ),
    (
        "cjson.decode('{\"a\":[{\"b\":1800000000001}]}').a[1].b",
        Number(1_800_000_000_001),
    ),
    ("tostring(cjson.decode('[]')[1])", Text("nil")),
    // Answers: an error of the script's own keeps its words.
    ("{ err = 'FORMAT 7' }", Refusal(7)),
    ("#redis.call('TIME')", Number(2)),
    ("type(redis.pcall('NO-SUCH-COMMAND').err)", Text("string")),
];

#[derive(Clone, Copy)]
enum Answers {
    Text(&'static str),
    Number(u64),
    /// An error by which the script says in which format a line is kept.
    Refusal(u64),
}
use Answers::{Number, Refusal, Text};

/// Tries all of it.
///
/// # Errors
/// Everything that is otherwise.
pub(super) fn try_all(store: &dyn Transport) -> Result<(), String> {
    let faults: Vec<String> = EXPRESSIONS
        .iter()
        .filter_map(|(expression, expected)| {
            let told = evaluated(&format!("return {expression}"), store);
            let (is_right, expected) = match expected {
                Text(text) => (told == Ok(json!(text)), (*text).to_owned()),
                Number(number) => (told == Ok(json!(number)), number.to_string()),
                Refusal(format) => {
                    let refusal = now_serving::store::upstash::other_format(*format);
                    (told == Err(refusal.clone()), refusal)
                }
            };
            let found = told.map_or_else(|fault| fault, |told| told.to_string());
            (!is_right).then(|| format!("{expression} gives {found}, not {expected}"))
        })
        .collect();
    if faults.is_empty() {
        Ok(())
    } else {
        Err(faults.join("; "))
    }
}

fn evaluated(source: &str, store: &dyn Transport) -> Result<Value, String> {
    let body = encode(&["EVAL", source, "0"]);
    decode(store.post(&body, Attempt::First)).map_err(|fault| fault.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use upstash_local::{Redis, Store};
    use virtual_edge::Direct;

    #[test]
    fn both_engines_of_the_local_store_have_what_the_script_takes_for_granted() -> Result<(), String>
    {
        let redis = Redis::start()?;
        try_all(&Direct(Store::embedded("t")?))?;
        try_all(&Direct(Store::redis(redis.url(), "t")?))
    }

    #[test]
    fn what_is_otherwise_is_named() {
        struct Other;
        impl Transport for Other {
            fn post(&self, body: &str, _: Attempt) -> Option<(u16, Vec<u8>)> {
                let is_sha = body.contains("sha1hex");
                let answer = if is_sha {
                    r#"{"result":null}"#
                } else {
                    r#"{"error":"ERR no"}"#
                };
                Some((200, answer.into()))
            }
        }
        let fault = try_all(&Other).err().unwrap_or_default();
        assert!(
            fault.starts_with("redis.sha1hex('') gives null, not da39a3ee"),
            "{fault}"
        );
        assert_eq!(fault.split("; ").count(), EXPRESSIONS.len(), "{fault}");
    }
}
