//! Thousands of random values and texts of JSON, sound and broken, in `cjson` of both engines, answer by answer.

use serde_json::Value as Json;
use upstash_local::{Redis, Store};

use super::{SHOW, eval};
use crate::differential::{Dice, SEEDS};
use crate::{TOKEN, post};

/// How many scripts a seed plays, and what each of them asks.
const SCRIPTS: usize = 60;
const QUESTIONS: usize = 25;

/// Numbers as Lua writes them. No infinite key: what C makes of it depends on the processor.
const NUMBERS: [&str; 24] = [
    "0",
    "-0",
    "1",
    "-1",
    "7.0",
    "0.1",
    "1/3",
    "-2/3",
    "1e-5",
    "0.0001",
    "123456.789",
    "12345678901234.5",
    "99999999999999",
    "99999999999999.9",
    "1e14",
    "-1e14",
    "123456789012345",
    "2^53",
    "2^63",
    "1e21",
    "1.7976931348623157e308",
    "5e-324",
    "0/0",
    "-1/0",
];
const KEYS: [&str; 9] = [
    "0",
    "-1",
    "1.5",
    "1e14 + 0.5",
    "0.1",
    "true",
    "{}",
    "cjson.null",
    "2^31 - 1",
];

/// Pieces of a string in Lua.
const PIECES: [&[u8]; 26] = [
    b"a",
    b"Z",
    b"0",
    b" ",
    b"/",
    b"//",
    b"\\",
    b"\"",
    b"'",
    b"\n",
    b"\t",
    b"\r",
    b"\0",
    b"\x01",
    b"\x0b",
    b"\x1f",
    b"\x7f",
    b"\x80",
    b"\xff",
    b"\xc3\xa9",
    "中".as_bytes(),
    "😀".as_bytes(),
    b"{",
    b"]",
    b":",
    b",",
];

/// Pieces of JSON, sound and broken.
const TOKENS: [&[u8]; 62] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b"null",
    b"true",
    b"false",
    b"nul",
    b"True",
    b"0",
    b"-0",
    b"-",
    b"+",
    b"+1",
    b"1.",
    b".5",
    b"-.5",
    b"1.5",
    b"1e5",
    b"1E+5",
    b"1e-5",
    b"1e",
    b"1e+",
    b"007",
    b"00.5e1",
    b"0x",
    b"0x1F",
    b"0X1.8p3",
    b"0x.8",
    b"0x.p1",
    b"0x1p",
    b"0x1p-4z",
    b"0x123456789abcdef01",
    b"inf",
    b"-inf",
    b"+Infinity",
    b"infi",
    b"nan",
    b"-NaN",
    b"nan(a_1)",
    b"nan(a-1)",
    b"n",
    b"i",
    b"1e400",
    b"1e-400",
    b"9007199254740993",
    b"0.30000000000000004",
    b"2.2250738585072011e-308",
    b"123456789012345678901234567890",
    b" ",
    b"\t\n\r",
    b"\x0b",
    b"\0",
    b"\xef\xbb\xbf",
    b"'",
    b"/",
    b"\\",
    b"\"",
    b"\xff",
    b"\xc3\xa9",
];

/// What may stand in a string of JSON, and after it what must not.
const INSIDE: [&[u8]; 26] = [
    b"a",
    b"\xc3\xa9",
    b"\xc3",
    b"\xff",
    b"\x01",
    b"\n",
    b"/",
    b"\\\"",
    b"\\\\",
    b"\\/",
    b"\\b",
    b"\\f",
    b"\\n",
    b"\\r",
    b"\\t",
    b"\\u0000",
    b"\\u0041",
    b"\\u00E9",
    b"\\u4e2D",
    b"\\ud83d\\ude00",
    b"\0",
    b"\\ud83d",
    b"\\ude00",
    b"\\u12",
    b"\\x",
    b"\\u+123",
];
const SOUND: usize = 20;

const BLANKS: [&[u8]; 6] = [b"", b"", b"", b" ", b"\n", b"\t "];

impl Dice {
    fn several<T>(&mut self, below: usize, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.roll(below)).map(|_| one(self)).collect()
    }

    fn piece(&mut self, from: &[&[u8]]) -> Vec<u8> {
        let at = self.roll(from.len());
        from.get(at).map(|piece| piece.to_vec()).unwrap_or_default()
    }

    fn string(&mut self) -> Vec<u8> {
        self.several(5, |dice| dice.piece(&PIECES)).concat()
    }

    /// A number as Lua writes it.
    fn number(&mut self) -> String {
        match self.roll(4) {
            0 => self.pick(&NUMBERS).to_owned(),
            1 => self.roll(100).to_string(),
            2 => format!("{}e{}", self.roll(1_000_000), self.roll(40)),
            _ => format!("{}/{}", self.roll(1_000_000), 1 + self.roll(1000)),
        }
    }

    /// A value as Lua writes it, with no key twice in its JSON.
    fn value(&mut self, depth: usize) -> String {
        let items = match self.roll(if depth == 0 { 9 } else { 14 }) {
            0 => return "nil".to_owned(),
            1 => return self.pick(&["true", "false"]).to_owned(),
            2 => return "cjson.null".to_owned(),
            3..=5 => return self.number(),
            6 | 7 => return literal(&self.string()),
            8 => return self.pick(&["{}", "{}", "type"]).to_owned(),
            9 | 10 => self.several(5, |dice| dice.value(depth - 1)),
            11 => self.several(4, |dice| {
                let (at, value) = (1 + dice.roll(14), dice.value(depth - 1));
                format!("[{at}] = {value}")
            }),
            12 => {
                let (key, value) = (self.pick(&KEYS), self.value(depth - 1));
                vec![format!("[{key}] = {value}")]
            }
            _ => self.several(4, |dice| {
                let key = [b"k".to_vec(), dice.string()].concat();
                format!("[{}] = {}", literal(&key), dice.value(depth - 1))
            }),
        };
        format!("{{{}}}", items.join(", "))
    }

    fn json_string(&mut self) -> Vec<u8> {
        let inside = self.several(5, |dice| match dice.roll(12) {
            0 => dice.piece(&INSIDE),
            _ => dice.piece(INSIDE.get(..SOUND).unwrap_or_default()),
        });
        [b"\"", inside.concat().as_slice(), b"\""].concat()
    }

    fn json_number(&mut self) -> Vec<u8> {
        let number = match self.roll(3) {
            0 => return self.piece(&TOKENS),
            1 => self.roll(1_000_000).to_string(),
            _ => {
                let (whole, fraction, power) = (self.roll(10), self.roll(1000), self.roll(330));
                format!("-{whole}.{fraction}E-{power}")
            }
        };
        number.into_bytes()
    }

    fn json(&mut self, depth: usize) -> Vec<u8> {
        let (before, after) = (self.piece(&BLANKS), self.piece(&BLANKS));
        let value = match self.roll(if depth == 0 { 5 } else { 9 }) {
            0 => self.piece(&[b"null", b"true", b"false"]),
            1 | 2 => self.json_number(),
            3 | 4 => self.json_string(),
            5 | 6 => {
                let items = self.several(4, |dice| dice.json(depth - 1));
                [b"[", items.join(&b","[..]).as_slice(), b"]"].concat()
            }
            _ => {
                let items = self.several(4, |dice| {
                    [dice.json_string(), b":".to_vec(), dice.json(depth - 1)].concat()
                });
                [b"{", items.join(&b","[..]).as_slice(), b"}"].concat()
            }
        };
        [before, value, after].concat()
    }

    /// JSON, or tokens in a row, or JSON that ends too soon or has a token somewhere.
    fn text(&mut self) -> Vec<u8> {
        let mut text = self.json(3);
        let at = self.roll(text.len() + 1);
        match self.roll(8) {
            0 | 1 => self.several(6, |dice| dice.piece(&TOKENS)).concat(),
            2 => {
                text.truncate(at);
                text
            }
            3 => {
                text.splice(at..at, self.piece(&TOKENS));
                text
            }
            _ => text,
        }
    }
}

/// A string as Lua writes it.
fn literal(bytes: &[u8]) -> String {
    let written = bytes.iter().map(|byte| match byte {
        b'"' | b'\\' => format!("\\{}", char::from(*byte)),
        b' '..=b'~' => char::from(*byte).to_string(),
        byte => format!("\\{byte:03}"),
    });
    format!("\"{}\"", written.collect::<String>())
}

/// Asks both engines what `head` makes of random values, and compares answer by answer.
fn play(head: &str, question: impl Fn(&mut Dice) -> String) -> Result<(), String> {
    let redis = Redis::start()?;
    let (small, real) = (Store::embedded(TOKEN)?, Store::redis(redis.url(), TOKEN)?);
    for seed in SEEDS {
        let mut dice = Dice(seed);
        for round in 0..SCRIPTS {
            let questions: Vec<String> = (0..QUESTIONS).map(|_| question(&mut dice)).collect();
            let script = format!("{head} return {{{}}}", questions.join(",\n"));
            let (ours, theirs) = (answers(&small, &script)?, answers(&real, &script)?);
            assert_eq!(theirs.len(), QUESTIONS, "seed {seed}, round {round}");
            for ((ours, theirs), question) in ours.iter().zip(&theirs).zip(&questions) {
                assert_eq!(ours, theirs, "seed {seed}, round {round}: {question}");
            }
        }
    }
    Ok(())
}

fn answers(store: &Store, script: &str) -> Result<Vec<Json>, String> {
    let (_, answer) = post(store, &eval(script))?;
    let answers = answer.get("result").and_then(Json::as_array);
    let answers = answers.ok_or_else(|| format!("{answer} to {script}"))?;
    Ok(answers.iter().map(comparable).collect())
}

/// An object with several keys as parsed, since their order is none. Any other answer is compared byte for byte.
fn comparable(answer: &Json) -> Json {
    let object = answer
        .as_str()
        .and_then(|text| text.strip_prefix("object: "));
    let parsed = object.and_then(|text| serde_json::from_str(text).ok());
    parsed.unwrap_or_else(|| answer.clone())
}

#[test]
fn both_engines_encode_random_values_alike() -> Result<(), String> {
    // Bytes that are no UTF-8 look the same in an answer, so the digest is in it too. Of an object with several keys, neither the
    // order of its keys nor the first of its errors is promised.
    let head = "
        local function has_several(value)
          if type(value) ~= 'table' then return false end
          local many, names = 0, false
          for k, v in pairs(value) do
            many, names = many + 1, names or type(k) ~= 'number'
            if has_several(v) then return true end
          end
          return names and many > 1
        end
        local function encoded(value)
          local ok, text = pcall(cjson.encode, value)
          if has_several(value) then return ok and 'object: ' .. text or 'refused' end
          if not ok then return 'refused: ' .. text end
          return redis.sha1hex(text) .. ' ' .. text
        end";
    play(head, |dice| format!("encoded({})", dice.value(4)))
}

#[test]
fn both_engines_decode_random_texts_alike() -> Result<(), String> {
    play(SHOW, |dice| format!("decoded({})", literal(&dice.text())))
}
