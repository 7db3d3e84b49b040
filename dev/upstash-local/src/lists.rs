//! The few commands on lists, worded as Redis words them.

use std::collections::VecDeque;

use crate::commands::{integer, wrong_number};
use crate::value::Value;

/// Runs one of them; `name` is in lower case.
pub(crate) fn run(
    name: &str,
    list: &mut VecDeque<Vec<u8>>,
    arguments: &[Vec<u8>],
) -> Result<Value, String> {
    match (name, arguments) {
        ("lpush", values) => {
            for value in values {
                list.push_front(value.clone());
            }
            Ok(Value::count(list.len()))
        }
        ("lset", [_, _]) if list.is_empty() => Err("ERR no such key".to_owned()),
        ("lset", [place, value]) => {
            let (place, _) = range(list.len(), place, place)?;
            let found = list.get_mut(place);
            found.ok_or("ERR index out of range")?.clone_from(value);
            Ok(Value::ok())
        }
        ("ltrim", [from, to]) => {
            let (first, many) = range(list.len(), from, to)?;
            *list = list.drain(..).skip(first).take(many).collect();
            Ok(Value::ok())
        }
        ("lrange", [from, to]) => {
            let (first, many) = range(list.len(), from, to)?;
            let taken = list.iter().skip(first).take(many);
            Ok(Value::List(taken.cloned().map(Value::Text).collect()))
        }
        _ => Err(wrong_number(name)),
    }
}

/// Where a range begins and how many it holds; negative places count from the end.
fn range(length: usize, first: &[u8], last: &[u8]) -> Result<(usize, usize), String> {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let place = |number: i64| {
        if number < 0 {
            length.saturating_add(number)
        } else {
            number
        }
    };
    let first = place(integer(first)?).max(0);
    let last = place(integer(last)?);
    let many = last.saturating_sub(first).saturating_add(1).max(0);
    let sized = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
    Ok((sized(first), sized(many)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(value: Result<Value, String>) -> String {
        value.map_or_else(|error| error, |value| value.json().to_string())
    }

    fn asked(list: &mut VecDeque<Vec<u8>>, words: &str) -> String {
        let words: Vec<Vec<u8>> = words
            .split(' ')
            .map(|word| word.as_bytes().to_vec())
            .collect();
        match words.split_first() {
            Some((name, rest)) => texts(run(&String::from_utf8_lossy(name), list, rest)),
            None => String::new(),
        }
    }

    #[test]
    fn the_newest_comes_first_and_a_trimmed_list_keeps_what_is_named() {
        let mut list = VecDeque::new();
        assert_eq!(asked(&mut list, "lpush a b c"), "3");
        assert_eq!(asked(&mut list, "lrange 0 -1"), r#"["c","b","a"]"#);
        assert_eq!(asked(&mut list, "lrange -2 5"), r#"["b","a"]"#);
        assert_eq!(asked(&mut list, "lrange 2 1"), "[]");
        assert_eq!(asked(&mut list, "ltrim 0 1"), r#""OK""#);
        assert_eq!(asked(&mut list, "lrange 0 -1"), r#"["c","b"]"#);
        assert_eq!(asked(&mut list, "lset -1 d"), r#""OK""#);
        assert_eq!(asked(&mut list, "lrange 0 -1"), r#"["c","d"]"#);
        assert_eq!(asked(&mut list, "lset 2 e"), "ERR index out of range");
        assert_eq!(
            asked(&mut list, "lrange 0 x"),
            "ERR value is not an integer or out of range"
        );
    }
}
