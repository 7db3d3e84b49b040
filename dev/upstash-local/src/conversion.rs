//! Lua values to answers and back, by the rules in Redis's documentation.
//!
//! Numbers lose their fraction, `nil` and `false` are null, a table is a list that ends at its first
//! `nil`; going in, null is `false`.

use mlua::{Error, IntoLua, Lua, Table, Value as LuaValue};

use crate::value::{Value, one_line};

/// A table may contain itself; Redis runs out of Lua stack there and says so.
const DEEPEST: usize = 100;

/// What a script returned, as an answer.
pub(crate) fn reply_from_lua(value: &LuaValue) -> Value {
    convert(value, 0)
}

fn convert(value: &LuaValue, depth: usize) -> Value {
    match value {
        LuaValue::String(text) => Value::Text(text.as_bytes().to_vec()),
        LuaValue::Integer(number) => Value::Int(*number),
        LuaValue::Number(number) => Value::Int(truncated(*number)),
        LuaValue::Boolean(true) => Value::Int(1),
        LuaValue::Table(table) => convert_table(table, depth),
        _ => Value::Nil,
    }
}

fn convert_table(table: &Table, depth: usize) -> Value {
    if let Some(text) = line(table, "err") {
        return Value::Error(text);
    }
    if let Some(text) = line(table, "ok") {
        return Value::Status(text);
    }
    if depth == DEEPEST {
        return Value::Error("ERR reached lua stack limit".to_owned());
    }
    let items = (1_i64..).map_while(|at| {
        let item: LuaValue = table.raw_get(at).ok()?;
        (!item.is_nil()).then(|| convert(&item, depth + 1))
    });
    Value::List(items.collect())
}

fn line(table: &Table, name: &str) -> Option<String> {
    match table.raw_get(name) {
        Ok(LuaValue::String(text)) => Some(one_line(&text.to_string_lossy())),
        _ => None,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "losing the fraction is the documented conversion, and `as` saturates"
)]
fn truncated(number: f64) -> i64 {
    number as i64
}

/// What a command answered, as a script sees it.
pub(crate) fn reply_to_lua(lua: &Lua, value: Value) -> mlua::Result<LuaValue> {
    match value {
        Value::Nil => Ok(LuaValue::Boolean(false)),
        Value::Int(number) => number.into_lua(lua),
        Value::Text(bytes) => lua.create_string(bytes)?.into_lua(lua),
        Value::Status(text) => single(lua, "ok", text),
        Value::Error(text) => single(lua, "err", text),
        Value::List(items) => {
            let items = items.into_iter().map(|item| reply_to_lua(lua, item));
            let items = items.collect::<mlua::Result<Vec<_>>>()?;
            lua.create_sequence_from(items)?.into_lua(lua)
        }
    }
}

fn single(lua: &Lua, name: &str, text: String) -> mlua::Result<LuaValue> {
    lua.create_table_from([(name, text)])?.into_lua(lua)
}

/// The words of an error without what Lua's binding wraps around them.
pub(crate) fn words_of_error(error: &Error) -> String {
    match error {
        Error::CallbackError { cause, .. } => words_of_error(cause),
        Error::SyntaxError { message, .. } | Error::RuntimeError(message) => message.clone(),
        Error::ExternalError(cause) => cause.to_string(),
        other => format!("ERR {other}"),
    }
}
