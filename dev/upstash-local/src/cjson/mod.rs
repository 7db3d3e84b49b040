//! The library `cjson` of Redis's scripts: lua-cjson 2.1.0 with the settings that Redis starts with.
//!
//! Its settings can be asked for and not changed: in Redis a change is seen by every later script of any caller, until the server
//! restarts.

mod decode;
mod encode;

use std::fmt;

use mlua::{Error, Function, Lua, Table, Value, Variadic};

use crate::conversion::words_of_error;

/// How deep tables may stand in tables, in either direction.
const DEEPEST: usize = 1000;

/// Why the library refused, in lua-cjson's words. A script sees it as an error of Lua: with its line, and without a code of
/// Redis.
#[derive(Debug)]
pub(crate) struct Refusal(String);

impl Refusal {
    fn new(words: impl Into<String>) -> Self {
        Self(words.into())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self(words_of_error(&error))
    }
}

/// The library as a table that is not protected yet. `format` is Lua's `string.format`.
pub(crate) fn library(lua: &Lua, format: &Function) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    table.raw_set("_NAME", "cjson")?;
    table.raw_set("_VERSION", "2.1.0")?;
    table.raw_set("null", Value::NULL)?;

    let numbers = format.clone();
    let encode = move |lua: &Lua, arguments: Variadic<Value>| {
        let value = only(lua, &arguments);
        let text = value.and_then(|value| encode::encode(value, &numbers));
        let text = text.map_err(|refusal| raised(lua, &refusal))?;
        lua.create_string(text)
    };
    table.raw_set("encode", lua.create_function(encode)?)?;

    let decode = |lua: &Lua, arguments: Variadic<Value>| {
        let text = only(lua, &arguments).and_then(|value| text_of(lua, value));
        let value = text.and_then(|text| decode::decode(lua, &text.as_bytes()));
        value.map_err(|refusal| raised(lua, &refusal))
    };
    table.raw_set("decode", lua.create_function(decode)?)?;

    let deepest = i64::try_from(DEEPEST).unwrap_or(i64::MAX);
    let (depth, yes, no) = (
        Value::Integer(deepest),
        Value::Boolean(true),
        Value::Boolean(false),
    );
    let settings = [
        ("encode_max_depth", vec![depth.clone()]),
        ("decode_max_depth", vec![depth]),
        ("encode_keep_buffer", vec![yes.clone()]),
        ("encode_invalid_numbers", vec![no.clone()]),
        ("decode_invalid_numbers", vec![yes]),
        ("encode_number_precision", vec![Value::Integer(14)]),
        (
            "encode_sparse_array",
            vec![no, Value::Integer(2), Value::Integer(10)],
        ),
    ];
    for (name, values) in settings {
        table.raw_set(name, setting(lua, name, values)?)?;
    }

    let numbers = format.clone();
    let new = lua.create_function(move |lua, ()| library(lua, &numbers))?;
    table.raw_set("new", new)?;
    Ok(table)
}

/// A function that says what Redis starts with, and refuses to change it.
fn setting(lua: &Lua, name: &'static str, values: Vec<Value>) -> mlua::Result<Function> {
    lua.create_function(move |lua, arguments: Variadic<Value>| {
        if arguments.iter().all(Value::is_nil) {
            return Ok(Variadic::from(values.clone()));
        }
        let words = format!("cjson.{name} cannot be changed in this store");
        Err(raised(lua, &Refusal(words)))
    })
}

fn only<'a>(lua: &Lua, arguments: &'a [Value]) -> Result<&'a Value, Refusal> {
    match arguments {
        [argument] => Ok(argument),
        _ => Err(bad_argument(lua, "expected 1 argument")),
    }
}

/// A text, or a number as Lua writes it.
fn text_of(lua: &Lua, value: &Value) -> Result<mlua::LuaString, Refusal> {
    let text = lua.coerce_string(value.clone())?;
    text.ok_or_else(|| {
        let found = type_name(value);
        bad_argument(lua, &format!("string expected, got {found}"))
    })
}

/// Lua's words, with the name by which the running function was called.
fn bad_argument(lua: &Lua, why: &str) -> Refusal {
    let name = lua.inspect_stack(0, |frame| frame.names().name.map(String::from));
    let name = name.flatten();
    let name = name.as_deref().unwrap_or("?");
    Refusal(format!("bad argument #1 to '{name}' ({why})"))
}

/// Lua puts the line of the caller before the words where the caller is written in Lua.
fn raised(lua: &Lua, refusal: &Refusal) -> Error {
    let place = lua.inspect_stack(1, |frame| {
        let line = frame.current_line()?;
        Some(format!("{}:{line}: ", frame.source().short_src?))
    });
    let place = place.flatten().unwrap_or_default();
    Error::external(Refusal(format!("{place}{refusal}")))
}

/// The type as Lua calls it.
fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Nil => "nil",
        Value::Boolean(_) => "boolean",
        Value::Integer(_) | Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Table(_) => "table",
        Value::Function(_) => "function",
        Value::Thread(_) => "thread",
        _ => "userdata",
    }
}
