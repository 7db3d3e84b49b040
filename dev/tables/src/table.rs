//! A table of vectors as its file says it: cases, the rows that fill them in, and a reader that knows its words.
//!
//! Invariant: nothing in a file is passed over. A word that no reader takes, a column that no place uses, and a case that expects
//! nothing are errors that name what is wrong and what is known.

use serde_json::{Map, Value};

/// Names and values.
pub type Object = Map<String, Value>;

/// One rule, and the cases that hold it.
pub struct Table {
    /// The function that has the rule, where it is not the script.
    pub function: Option<String>,
    /// One case for each row.
    pub cases: Vec<Case>,
}

/// What is given, what happens, and what must come of it.
pub struct Case {
    /// The name, and the row where there are several.
    pub name: String,
    /// The settings of the table, and in their place those of the case.
    pub settings: Object,
    /// What a function is given.
    pub given: Object,
    /// What happens, one step after the other.
    pub steps: Vec<Value>,
    /// What holds then.
    pub then: Object,
}

impl Table {
    /// Reads a file.
    ///
    /// # Errors
    /// What is wrong with it, and what is known.
    pub fn read(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|fault| fault.to_string())?;
        let mut words = Words::new("the table", value)?;
        for name in ["title", "says"] {
            let text = words.text(name)?;
            text.filter(|text| !text.is_empty())
                .ok_or_else(|| format!("the table has no {name}"))?;
        }
        let sources = words.list("source")?.unwrap_or_default();
        if sources.is_empty() || !sources.iter().all(Value::is_string) {
            return Err("the table names no source".to_owned());
        }
        let function = words.text("function")?;
        let settings = words.object("settings")?.unwrap_or_default();
        let cases = words.list("cases")?.unwrap_or_default();
        words.end()?;
        let mut read = Vec::new();
        for case in cases {
            read.extend(cases_of(case, &settings, function.is_some())?);
        }
        if read.is_empty() {
            return Err("the table has no cases".to_owned());
        }
        Ok(Self {
            function,
            cases: read,
        })
    }
}

/// A case as the file has it, once for each of its rows.
fn cases_of(value: Value, of_table: &Object, is_of_function: bool) -> Result<Vec<Case>, String> {
    let mut words = Words::new("a case", value)?;
    let name = words.text("name")?.ok_or("a case has no name")?;
    words.what = format!("the case {name:?}");
    let mut settings = of_table.clone();
    settings.extend(words.object("settings")?.unwrap_or_default());
    let columns = words.list("columns")?;
    let rows = words.list("rows")?;
    let (given, steps) = if is_of_function {
        (words.object("given")?.unwrap_or_default(), Vec::new())
    } else {
        (Object::new(), words.list("steps")?.unwrap_or_default())
    };
    let then = words.object("then")?.unwrap_or_default();
    words.end()?;
    if then.is_empty() {
        return Err(format!("the case {name:?} expects nothing: it has no then"));
    }
    if !is_of_function && steps.is_empty() {
        return Err(format!(
            "in the case {name:?} nothing happens: it has no steps"
        ));
    }
    let body = [
        Value::Object(settings),
        Value::Object(given),
        Value::Array(steps),
        Value::Object(then),
    ];
    let filled = match (columns, rows) {
        (None, None) => vec![(name.clone(), body.to_vec())],
        (Some(columns), Some(rows)) => filled(&name, &columns, &rows, &body)?,
        _ => return Err(format!("the case {name:?} has columns or rows alone")),
    };
    let case = |(name, body): (String, Vec<Value>)| {
        let mut parts = body.into_iter();
        let mut next = || parts.next().unwrap_or_default();
        let object = |value: Value| match value {
            Value::Object(object) => object,
            _ => Object::new(),
        };
        let (settings, given) = (object(next()), object(next()));
        let steps = match next() {
            Value::Array(steps) => steps,
            _ => Vec::new(),
        };
        Case {
            name,
            settings,
            given,
            steps,
            then: object(next()),
        }
    };
    Ok(filled.into_iter().map(case).collect())
}

/// The same for each row: a text `$column` stands for the value of that column, and where that is null the word goes.
fn filled(
    name: &str,
    columns: &[Value],
    rows: &[Value],
    body: &[Value],
) -> Result<Vec<(String, Vec<Value>)>, String> {
    let columns: Option<Vec<&str>> = columns.iter().map(Value::as_str).collect();
    let columns = columns.ok_or_else(|| format!("a column of {name:?} has no name"))?;
    let written = Value::Array(body.to_vec()).to_string();
    for column in &columns {
        if !written.contains(&format!("\"${column}\"")) {
            return Err(format!(
                "the case {name:?} does not use its column {column:?}"
            ));
        }
    }
    if rows.is_empty() {
        return Err(format!("the case {name:?} has no rows"));
    }
    let row = |row: &Value| {
        let values = row.as_array().filter(|row| row.len() == columns.len());
        let values =
            values.ok_or_else(|| format!("{name:?}: {row} has not {} values", columns.len()))?;
        let pairs: Object = columns
            .iter()
            .map(|column| (*column).to_owned())
            .zip(values.iter().cloned())
            .collect();
        // The last part is what is expected.
        let last = body.len().saturating_sub(1);
        let parts = body.iter().enumerate();
        let parts = parts.map(|(at, part)| with(part, &pairs, at == last));
        let parts = parts.collect::<Result<Vec<_>, _>>();
        let parts = parts.map_err(|fault| format!("{name:?}: {fault}"))?;
        Ok((format!("{name} {row}"), parts))
    };
    rows.iter().map(row).collect()
}

/// A part of a case with the values of a row. What is expected is never left out.
fn with(part: &Value, row: &Object, is_expected: bool) -> Result<Value, String> {
    match part {
        Value::String(text) => match text.strip_prefix('$') {
            Some(column) => row
                .get(column)
                .cloned()
                .ok_or_else(|| format!("there is no column {column:?}")),
            None => Ok(part.clone()),
        },
        Value::Array(items) => {
            let items = items.iter().map(|item| with(item, row, is_expected));
            items.collect::<Result<Vec<_>, _>>().map(Value::Array)
        }
        Value::Object(object) => {
            let mut filled = Object::new();
            for (name, value) in object {
                let expects = is_expected || name == "gives" || name == "then";
                let value_of_row = with(value, row, expects)?;
                match (value_of_row, expects) {
                    (Value::Null, true) => {
                        return Err(format!("{name} expects null; known is \"none\""));
                    }
                    (Value::Null, false) => {}
                    (value, _) => {
                        filled.insert(name.clone(), value);
                    }
                }
            }
            Ok(Value::Object(filled))
        }
        other => Ok(other.clone()),
    }
}

/// The words of an object, which are taken by name.
pub struct Words {
    what: String,
    left: Object,
    known: Vec<String>,
}

impl Words {
    /// Those of this value; `what` is its name in messages.
    ///
    /// # Errors
    /// What is wrong with it, and what is known.
    pub fn new(what: impl Into<String>, value: Value) -> Result<Self, String> {
        let what = what.into();
        match value {
            Value::Object(left) => Ok(Self {
                what,
                left,
                known: Vec::new(),
            }),
            other => Err(format!("{what} is {other}, and no object")),
        }
    }

    /// The value of this word.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        self.known.push(name.to_owned());
        self.left.remove(name)
    }

    fn read<T>(
        &mut self,
        name: &str,
        kind: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>, String> {
        let Some(value) = self.take(name) else {
            return Ok(None);
        };
        let read = read(&value);
        let read = read.ok_or_else(|| format!("{name} in {} is {value}, and no {kind}", self.what));
        read.map(Some)
    }

    /// A text.
    ///
    /// # Errors
    /// What is wrong with it, and what is known.
    pub fn text(&mut self, name: &str) -> Result<Option<String>, String> {
        self.read(name, "text", |value| value.as_str().map(str::to_owned))
    }

    /// A whole number.
    ///
    /// # Errors
    /// What is wrong with it, and what is known.
    pub fn number(&mut self, name: &str) -> Result<Option<u64>, String> {
        self.read(name, "whole number", Value::as_u64)
    }

    /// A list.
    ///
    /// # Errors
    /// What is wrong with it, and what is known.
    pub fn list(&mut self, name: &str) -> Result<Option<Vec<Value>>, String> {
        self.read(name, "list", |value| value.as_array().cloned())
    }

    /// Names and values.
    ///
    /// # Errors
    /// What is wrong with it, and what is known.
    pub fn object(&mut self, name: &str) -> Result<Option<Object>, String> {
        self.read(name, "object", |value| value.as_object().cloned())
    }

    /// A number that has to be there.
    ///
    /// # Errors
    /// What is wrong with it, and what is known.
    pub fn needed(&mut self, name: &str) -> Result<u64, String> {
        let found = self.number(name)?;
        found.ok_or_else(|| format!("{} has no {name}", self.what))
    }

    /// All words have been taken.
    ///
    /// # Errors
    /// What is wrong with it, and what is known.
    pub fn end(self) -> Result<(), String> {
        match self.left.keys().next() {
            None => Ok(()),
            Some(unknown) => Err(format!(
                "{unknown:?} in {} is no known word; known are {}",
                self.what,
                self.known.join(", ")
            )),
        }
    }
}

/// Compares what a case expects with what there is: an object is compared word by word, as far as it is expected.
///
/// # Errors
/// What is wrong with it, and what is known.
pub fn compare(expected: &Value, found: &Value, at: &str) -> Result<(), String> {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            for (name, value) in expected {
                let at = format!("{at}{}{name}", if at.is_empty() { "" } else { "." });
                let known = || found.keys().cloned().collect::<Vec<_>>().join(", ");
                let there = found
                    .get(name)
                    .ok_or_else(|| format!("{at:?} is no known word; known are {}", known()))?;
                compare(value, there, &at)?;
            }
            Ok(())
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let mut pairs = one.iter().zip(other).zip(1_u64..);
            pairs.try_for_each(|((one, other), place)| {
                compare(one, other, &format!("{at}[{place}]"))
            })
        }
        (Value::Number(one), Value::Number(other))
            if one
                .as_f64()
                .zip(other.as_f64())
                .is_some_and(|(one, other)| (one - other).abs() < 1e-9) =>
        {
            Ok(())
        }
        (one, other) if plain(one) == plain(other) => Ok(()),
        (one, other) => Err(format!("{at}: expected {one}, found {other}")),
    }
}

/// A time is the same in any unit, and what is not there is `none`.
fn plain(value: &Value) -> Value {
    if value.is_null() {
        return Value::from("none");
    }
    let time = value.as_str().and_then(milliseconds);
    time.map_or_else(|| value.clone(), |ms| Value::from(span(ms)))
}

/// A length of time, as `15 s`.
#[must_use]
pub fn milliseconds(text: &str) -> Option<u64> {
    let (number, unit) = text.split_once(' ')?;
    let number: u64 = number.parse().ok()?;
    let unit = match unit {
        "ms" => 1,
        "s" => 1_000,
        "min" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    number.checked_mul(unit)
}

/// A length of time in the largest unit that is exact.
#[must_use]
pub fn span(ms: u64) -> String {
    match ms {
        ms if ms > 0 && ms.is_multiple_of(60_000) => format!("{} min", ms / 60_000),
        ms if ms.is_multiple_of(1_000) => format!("{} s", ms / 1_000),
        ms => format!("{ms} ms"),
    }
}
