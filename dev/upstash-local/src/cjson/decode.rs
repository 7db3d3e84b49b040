//! `cjson.decode`.
//!
//! It is a reader of its own, since `serde_json` refuses what lua-cjson takes, and cannot be told not to: bytes in a string that
//! are no UTF-8, control characters, `+1`, `007`, `0x1F`, `1.`, `nan`, anything after a zero byte. It reads some decimals one bit
//! off (`-6.388e-55`). And lua-cjson's errors say where it stopped, and what it found there.

use mlua::{Lua, Table, Value};

use super::{DEEPEST, Refusal};

/// The value of a JSON text.
pub(super) fn decode(lua: &Lua, text: &[u8]) -> Result<Value, Refusal> {
    if matches!(text, [0, _, ..] | [_, 0, ..]) {
        return Err(Refusal::new(
            "JSON parser does not support UTF-16 or UTF-32",
        ));
    }
    let until_zero = text.split(|byte| *byte == 0).next();
    let mut reader = Reader {
        lua,
        text: until_zero.unwrap_or_default(),
        at: 0,
        depth: 0,
    };
    let first = reader.next();
    let value = reader.value(first)?;
    let rest = reader.next();
    match rest.token {
        Token::End => Ok(value),
        _ => Err(rest.instead_of("the end")),
    }
}

enum Token {
    ObjectBegin,
    ObjectEnd,
    ArrayBegin,
    ArrayEnd,
    Text(Vec<u8>),
    Number(f64),
    Boolean(bool),
    Null,
    Colon,
    Comma,
    End,
    /// None, and what is wrong.
    Wrong(&'static str),
}

/// A token, and where it begins; one that is wrong, where it goes wrong.
struct Found {
    token: Token,
    at: usize,
}

impl Found {
    fn instead_of(&self, expected: &str) -> Refusal {
        let found = match self.token {
            Token::ObjectBegin => "T_OBJ_BEGIN",
            Token::ObjectEnd => "T_OBJ_END",
            Token::ArrayBegin => "T_ARR_BEGIN",
            Token::ArrayEnd => "T_ARR_END",
            Token::Text(_) => "T_STRING",
            Token::Number(_) => "T_NUMBER",
            Token::Boolean(_) => "T_BOOLEAN",
            Token::Null => "T_NULL",
            Token::Colon => "T_COLON",
            Token::Comma => "T_COMMA",
            Token::End => "T_END",
            Token::Wrong(words) => words,
        };
        let character = self.at + 1;
        Refusal::new(format!(
            "Expected {expected} but found {found} at character {character}"
        ))
    }
}

struct Reader<'a> {
    lua: &'a Lua,
    text: &'a [u8],
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn value(&mut self, found: Found) -> Result<Value, Refusal> {
        Ok(match found.token {
            Token::Text(bytes) => Value::String(self.lua.create_string(bytes)?),
            Token::Number(number) => Value::Number(number),
            Token::Boolean(yes) => Value::Boolean(yes),
            Token::Null => Value::NULL,
            Token::ObjectBegin => Value::Table(self.object()?),
            Token::ArrayBegin => Value::Table(self.array()?),
            _ => return Err(found.instead_of("value")),
        })
    }

    fn object(&mut self) -> Result<Table, Refusal> {
        let table = self.descend()?;
        let mut found = self.next();
        if matches!(found.token, Token::ObjectEnd) {
            return Ok(self.ascend(table));
        }
        loop {
            let Token::Text(key) = found.token else {
                return Err(found.instead_of("object key string"));
            };
            let colon = self.next();
            if !matches!(colon.token, Token::Colon) {
                return Err(colon.instead_of("colon"));
            }
            let first = self.next();
            let value = self.value(first)?;
            table.raw_set(self.lua.create_string(key)?, value)?;
            let after = self.next();
            match after.token {
                Token::ObjectEnd => return Ok(self.ascend(table)),
                Token::Comma => found = self.next(),
                _ => return Err(after.instead_of("comma or object end")),
            }
        }
    }

    fn array(&mut self) -> Result<Table, Refusal> {
        let table = self.descend()?;
        let mut found = self.next();
        if matches!(found.token, Token::ArrayEnd) {
            return Ok(self.ascend(table));
        }
        for index in 1_i64.. {
            let value = self.value(found)?;
            table.raw_set(index, value)?;
            let after = self.next();
            match after.token {
                Token::ArrayEnd => break,
                Token::Comma => found = self.next(),
                _ => return Err(after.instead_of("comma or array end")),
            }
        }
        Ok(self.ascend(table))
    }

    fn descend(&mut self) -> Result<Table, Refusal> {
        self.depth += 1;
        let Self { depth, at, .. } = *self;
        if depth > DEEPEST {
            return Err(Refusal::new(format!(
                "Found too many nested data structures ({depth}) at character {at}"
            )));
        }
        Ok(self.lua.create_table()?)
    }

    fn ascend(&mut self, table: Table) -> Table {
        self.depth -= 1;
        table
    }

    fn next(&mut self) -> Found {
        let blank = run(self.rest(), |byte| b" \t\n\r".contains(byte));
        self.at += blank;
        let begin = self.at;
        let token = self.token();
        let at = match token {
            Token::Wrong(_) => self.at,
            _ => begin,
        };
        Found { token, at }
    }

    fn token(&mut self) -> Token {
        let rest = self.rest();
        let (token, length) = match rest {
            [] => (Token::End, 0),
            [b'{', ..] => (Token::ObjectBegin, 1),
            [b'}', ..] => (Token::ObjectEnd, 1),
            [b'[', ..] => (Token::ArrayBegin, 1),
            [b']', ..] => (Token::ArrayEnd, 1),
            [b':', ..] => (Token::Colon, 1),
            [b',', ..] => (Token::Comma, 1),
            [b'"', ..] => return self.string().map_or_else(Token::Wrong, Token::Text),
            [b'-' | b'+' | b'0'..=b'9', ..] => return self.number(),
            [b't', b'r', b'u', b'e', ..] => (Token::Boolean(true), 4),
            [b'f', b'a', b'l', b's', b'e', ..] => (Token::Boolean(false), 5),
            [b'n', b'u', b'l', b'l', ..] => (Token::Null, 4),
            _ if begins(rest, b"inf") || begins(rest, b"nan") => return self.number(),
            _ => (Token::Wrong("invalid token"), 0),
        };
        self.at += length;
        token
    }

    fn number(&mut self) -> Token {
        let rest = self.rest();
        let written = rest.get(..length_of_number(rest)).unwrap_or_default();
        let Some(number) = self.number_of(written) else {
            return Token::Wrong("invalid number");
        };
        self.at += written.len();
        Token::Number(number)
    }

    /// Rust and C agree on decimal numbers; the others are left to C, as Lua calls it.
    fn number_of(&self, written: &[u8]) -> Option<f64> {
        let number = str::from_utf8(written).ok()?.parse().ok();
        number.or_else(|| {
            let written = self.lua.create_string(written).ok()?;
            self.lua.coerce_number(Value::String(written)).ok()?
        })
    }

    /// What is between two quotation marks. An error leaves the reader where it is.
    fn string(&mut self) -> Result<Vec<u8>, &'static str> {
        let mut text = Vec::new();
        self.at += 1;
        loop {
            let rest = self.rest();
            let plain = run(rest, |byte| !matches!(byte, b'"' | b'\\'));
            let (plain, rest) = rest.split_at(plain);
            text.extend(plain);
            self.at += plain.len();
            let byte = match rest {
                [] => return Err("unexpected end of string"),
                [b'"', ..] => {
                    self.at += 1;
                    return Ok(text);
                }
                [_, byte @ (b'"' | b'\\' | b'/'), ..] => *byte,
                [_, b'b', ..] => 0x08,
                [_, b'f', ..] => 0x0c,
                [_, b'n', ..] => b'\n',
                [_, b'r', ..] => b'\r',
                [_, b't', ..] => b'\t',
                [_, b'u', ..] => {
                    let escape = character(rest).ok_or("invalid unicode escape code")?;
                    let (character, length) = escape;
                    text.extend(character.encode_utf8(&mut [0; 4]).as_bytes());
                    self.at += length;
                    continue;
                }
                _ => return Err("invalid escape code"),
            };
            text.push(byte);
            self.at += 2;
        }
    }

    fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }
}

/// The character of an escape `\uXXXX`, or of two where it is written as a pair of surrogates, and how long that is. None of
/// half a pair.
fn character(escape: &[u8]) -> Option<(char, usize)> {
    let unit = code_unit(escape)?;
    if !(0xd800..0xe000).contains(&unit) {
        return Some((char::from_u32(unit)?, 6));
    }
    let low = code_unit(escape.get(6..)?)?;
    let pair = (0xd800..0xdc00).contains(&unit) && (0xdc00..0xe000).contains(&low);
    let code = 0x1_0000 + ((unit & 0x3ff) << 10 | low & 0x3ff);
    pair.then_some((char::from_u32(code)?, 12))
}

fn code_unit(escape: &[u8]) -> Option<u32> {
    let digits = escape.strip_prefix(br"\u")?.get(..4)?;
    digits.iter().try_fold(0, |unit, digit| {
        Some(unit * 16 + char::from(*digit).to_digit(16)?)
    })
}

/// How much C's `strtod` reads, which is what lua-cjson takes for a number; 0 where it is none.
fn length_of_number(text: &[u8]) -> usize {
    let (board, rest) = match text {
        [b'+' | b'-', rest @ ..] => (1, rest),
        _ => (0, text),
    };
    let length = length_of_name(rest)
        .or_else(|| length_of_hexadecimal(rest))
        .or_else(|| length_of_digits(rest, u8::is_ascii_digit, b'e'));
    length.map_or(0, |length| board + length)
}

fn length_of_name(text: &[u8]) -> Option<usize> {
    if begins(text, b"nan") {
        let rest = text.get(3..).unwrap_or_default();
        let note = |text: &&[u8]| run(text, |byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        let inside = rest.strip_prefix(b"(");
        let noted = inside.as_ref().map(note);
        let closed = noted.filter(|length| rest.get(length + 1) == Some(&b')'));
        return Some(closed.map_or(3, |length| length + 5));
    }
    let infinity = [&b"infinity"[..], b"inf"];
    let name = infinity.into_iter().find(|name| begins(text, name));
    name.map(<[u8]>::len)
}

fn length_of_hexadecimal(text: &[u8]) -> Option<usize> {
    let digits = text.get(2..).filter(|_| begins(text, b"0x"))?;
    let length = length_of_digits(digits, u8::is_ascii_hexdigit, b'p')?;
    Some(length + 2)
}

/// Digits with a point among them or not, and an exponent that begins with `mark` or none.
fn length_of_digits(text: &[u8], is_digit: fn(&u8) -> bool, mark: u8) -> Option<usize> {
    let whole = run(text, is_digit);
    let after = text.get(whole..).unwrap_or_default();
    let (point, fraction) = match after {
        [b'.', rest @ ..] => (1, run(rest, is_digit)),
        _ => (0, 0),
    };
    if whole + fraction == 0 {
        return None;
    }
    let length = whole + point + fraction;
    let (board, exponent) = match text.get(length..).unwrap_or_default() {
        [letter, b'+' | b'-', rest @ ..] if letter.eq_ignore_ascii_case(&mark) => (1, rest),
        [letter, rest @ ..] if letter.eq_ignore_ascii_case(&mark) => (0, rest),
        _ => return Some(length),
    };
    match run(exponent, u8::is_ascii_digit) {
        0 => Some(length),
        digits => Some(length + 1 + board + digits),
    }
}

/// How many bytes at the beginning are of this kind.
fn run(text: &[u8], kind: impl Fn(&u8) -> bool) -> usize {
    text.iter().take_while(|byte| kind(byte)).count()
}

fn begins(text: &[u8], name: &[u8]) -> bool {
    let head = text.get(..name.len());
    head.is_some_and(|head| head.eq_ignore_ascii_case(name))
}
