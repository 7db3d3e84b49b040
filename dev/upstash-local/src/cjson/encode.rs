//! `cjson.encode`: `serde_json` writes, and its formatter has what lua-cjson writes otherwise.

use std::borrow::Cow;
use std::io;

use mlua::{Function, Table, Value};
use serde::ser::{Error as _, Serialize, SerializeMap as _, SerializeSeq as _, Serializer};
use serde_json::ser::{Formatter, Serializer as Writer};

use super::{DEEPEST, Refusal, type_name};

/// Integers that have no more digits than are written.
const PLAIN: std::ops::RangeInclusive<i64> = -99_999_999_999_999..=99_999_999_999_999;

/// A table with holes is an array where its last index is this or less, or has at most [`RATIO`] indexes for each value.
const SAFE: i64 = 10;
const RATIO: i64 = 2;

/// The JSON of a value. `format` is Lua's `string.format`.
pub(super) fn encode(value: &Value, format: &Function) -> Result<Vec<u8>, Refusal> {
    let mut text = Vec::new();
    let mut writer = Writer::with_formatter(&mut text, LikeRedis { format });
    let written = Node { value, depth: 0 }.serialize(&mut writer);
    written.map_err(|error| Refusal::new(error.to_string()))?;
    Ok(text)
}

/// A value below `depth` tables.
struct Node<'a> {
    value: &'a Value,
    depth: usize,
}

impl Serialize for Node<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.value {
            Value::Nil => serializer.serialize_unit(),
            Value::LightUserData(data) if data.0.is_null() => serializer.serialize_unit(),
            Value::Boolean(yes) => serializer.serialize_bool(*yes),
            Value::Integer(number) if PLAIN.contains(number) => serializer.serialize_i64(*number),
            #[expect(
                clippy::cast_precision_loss,
                reason = "a number of Lua 5.1 is a double, which the binding shows as an integer only where it is exactly that"
            )]
            Value::Integer(number) => serializer.serialize_f64(*number as f64),
            Value::Number(number) if number.is_finite() => serializer.serialize_f64(*number),
            Value::Number(_) => Err(refused(self.value, "must not be NaN or Inf")),
            Value::String(text) => serializer.serialize_str(&as_characters(&text.as_bytes())),
            Value::Table(table) => serialize_table(table, self.depth + 1, serializer),
            other => Err(refused(other, "type not supported")),
        }
    }
}

fn serialize_table<S: Serializer>(
    table: &Table,
    depth: usize,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    if depth > DEEPEST {
        let words = format!("Cannot serialise, excessive nesting ({depth})");
        return Err(S::Error::custom(words));
    }
    match last_index(table)? {
        Some(last) => serialize_array(table, last, depth, serializer),
        None => serialize_object(table, depth, serializer),
    }
}

fn serialize_array<S: Serializer>(
    table: &Table,
    last: i64,
    depth: usize,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut array = serializer.serialize_seq(None)?;
    for at in 1..=last {
        let value = &table.raw_get(at).map_err(S::Error::custom)?;
        array.serialize_element(&Node { value, depth })?;
    }
    array.end()
}

fn serialize_object<S: Serializer>(
    table: &Table,
    depth: usize,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut object = serializer.serialize_map(None)?;
    for pair in table.pairs::<Value, Value>() {
        let (key, value) = &pair.map_err(S::Error::custom)?;
        let key = match key {
            Value::String(_) | Value::Integer(_) | Value::Number(_) => Node { value: key, depth },
            _ => return Err(refused(key, "table key must be a number or string")),
        };
        object.serialize_entry(&key, &Node { value, depth })?;
    }
    object.end()
}

/// The last index of a table that has nothing but whole numbers above zero as keys, which makes it an array. None of any
/// other, and of an empty one.
///
/// lua-cjson keeps it in an `int`. Where an index does not fit, its answer depends on the processor: such a table is too sparse
/// here.
fn last_index<E: serde::ser::Error>(table: &Table) -> Result<Option<i64>, E> {
    let (mut last, mut many) = (0, 0_i64);
    // As booleans, since the values are not looked at.
    for pair in table.pairs::<Value, bool>() {
        last = match pair.map_err(E::custom)? {
            (Value::Integer(index @ 1..), _) => index.max(last),
            (Value::Number(index), _) if index >= 1.0 && is_whole(index) => i64::MAX,
            _ => return Ok(None),
        };
        many += 1;
    }
    if last > SAFE && last > many * RATIO {
        let words = "Cannot serialise table: excessively sparse array";
        return Err(E::custom(words));
    }
    Ok((last > 0).then_some(last))
}

fn is_whole(number: f64) -> bool {
    number.is_infinite() || number.fract() == 0.0
}

fn refused<E: serde::ser::Error>(value: &Value, why: &str) -> E {
    E::custom(format!("Cannot serialise {}: {why}", type_name(value)))
}

/// `serde_json` writes text, and a string of Lua is any bytes: each stands as the character of its number, until the formatter
/// writes it. ASCII is the same either way.
fn as_characters(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) if text.is_ascii() => Cow::Borrowed(text),
        _ => bytes.iter().copied().map(char::from).collect(),
    }
}

/// What lua-cjson writes otherwise than `serde_json`.
struct LikeRedis<'a> {
    format: &'a Function,
}

impl Formatter for LikeRedis<'_> {
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        let text = self.format.call::<String>(("%.14g", value));
        let text = text.map_err(|error| io::Error::other(error.to_string()))?;
        writer.write_all(text.as_bytes())
    }

    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(fragment.len());
        for character in fragment.chars() {
            match character {
                '/' => bytes.extend(br"\/"),
                '\u{7f}' => bytes.extend(br"\u007f"),
                other => bytes.push(u8::try_from(other).map_err(io::Error::other)?),
            }
        }
        writer.write_all(&bytes)
    }
}
