//! The numbers of a line as the store keeps them, read and written past the service: for tests and measurements.

use serde_json::Value;
use upstash_local::Store;

/// The roll of a line before its first number.
const ROLL: &str = "1";

/// How many numbers of a lane were served, and how many were drawn, in all rolls of the line under this key.
///
/// # Errors
/// When the store does not answer.
pub fn numbers(store: &Store, key: &str, lane: &str) -> Result<(u64, u64), String> {
    let told = store.command(&["HGETALL", key])?;
    let mut words = told
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    let (mut served, mut drawn) = (0, 0);
    while let (Some(name), Some(value)) = (words.next(), words.next()) {
        let Some((of, figure)) = name.split_once(' ') else {
            continue;
        };
        if of.split_once('/').is_none_or(|(of, _)| of != lane) {
            continue;
        }
        let number: u64 = value.parse().unwrap_or(0);
        match figure {
            "served" => served += number,
            "drawn" => drawn += number,
            _ => {}
        }
    }
    Ok((served, drawn))
}

/// The fields of a line that began with this roll, and is not young.
#[must_use]
pub const fn begun(roll: &str) -> [&str; 8] {
    ["format", "1", "own", roll, "began", roll, "sealed", "1"]
}

/// The fields of a line under this key, where `LANE cursor` and `LANE length` are figures of the roll that gives numbers now. A line
/// that has none begins with the roll 1, and is not young.
fn fields(store: &Store, key: &str, named: &[&str]) -> Result<Vec<String>, String> {
    let own = store.command(&["HGET", key, "own"])?;
    let own = own.as_str();
    let roll = own.unwrap_or(ROLL);
    let begins = own.is_none() && named.iter().any(|name| name.ends_with(" length"));
    let field = |name: &&str| match name.rsplit_once(' ') {
        Some((lane, "cursor")) => format!("{lane}/{roll} served"),
        Some((lane, "length")) => format!("{lane}/{roll} drawn"),
        _ => (*name).to_owned(),
    };
    let mut fields: Vec<String> = named.iter().map(field).collect();
    if begins {
        fields.extend(begun(ROLL).map(str::to_owned));
    }
    Ok(fields)
}

/// Writes these fields.
///
/// # Errors
/// When the store does not answer.
pub fn write(store: &Store, key: &str, named: &[&str]) -> Result<(), String> {
    let fields = fields(store, key, named)?;
    let words: Vec<&str> = ["HSET", key]
        .into_iter()
        .chain(fields.iter().map(String::as_str))
        .collect();
    store.command(&words).map(|_| ())
}

/// How a minute ended, as the script writes it: how many waited, and how many were drawn, released and came in it.
#[must_use]
pub fn sample(minute: u64, waiting: u64, moved: [u64; 3]) -> String {
    let words = [[minute, waiting].as_slice(), &moved].concat();
    let words: Vec<String> = words.into_iter().map(in_base_36).collect();
    format!("{} p", words.join(" "))
}

fn in_base_36(mut number: u64) -> String {
    let mut digits = Vec::new();
    loop {
        let digit = char::from_digit(u32::try_from(number % 36).unwrap_or(0), 36);
        digits.extend(digit);
        number /= 36;
        if number == 0 {
            return digits.iter().rev().collect();
        }
    }
}

/// Ends all tickets, as an operator does in another data centre: a roll begins behind the earlier numbers.
///
/// # Errors
/// When the store does not answer.
pub fn end_all(store: &Store, key: &str) -> Result<(), String> {
    let own = store.command(&["HGET", key, "own"])?;
    let Some(own) = own.as_str().and_then(|own| own.parse::<u64>().ok()) else {
        let line = begun(ROLL);
        return store
            .command(&[&["HSET", key], &line[..]].concat())
            .map(|_| ());
    };
    let (_, drawn) = numbers(store, key, "main")?;
    for figure in ["served", "drawn"] {
        store.command(&["HDEL", key, &format!("main/{own} {figure}")])?;
    }
    let (next, drawn) = ((own + 1).to_string(), drawn.to_string());
    let fields = [
        "own",
        &next,
        "epoch",
        &next,
        "visits_epoch",
        &next,
        "main cursor",
        &drawn,
        "main length",
        &drawn,
    ];
    store.command(&["HSET", key, "own", &next])?;
    write(store, key, &fields)
}
