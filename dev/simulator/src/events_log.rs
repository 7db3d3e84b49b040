//! The arrivals of an event that was, from the product's own log (`tests/log.schema.json`).
//!
//! A visitor's first contact is logged, whatever it led to: `provisional` where others waited, else the line with which the
//! number was drawn or the visitor went in. Each ticket counts once, at the moment of its first line.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    schema: u64,
    timestamp: u64,
    reason: String,
    ticket_reference: Option<String>,
}

/// What a visitor's first contact can be logged as.
const FIRST: [&str; 6] = [
    "provisional",
    "waiting",
    "admitted",
    "held",
    "closed",
    "admitted_without_store",
];

/// The moments at which visitors came, in milliseconds after the first of them, in order.
///
/// # Errors
/// When the file cannot be read, a line is not of the log, or no visitor is in it.
pub fn moments(path: &Path) -> Result<Vec<u64>, String> {
    let name = path.display();
    let unread = |error: std::io::Error| format!("{name} could not be read: {error}.");
    let file = BufReader::new(File::open(path).map_err(unread)?);
    let lines = file.lines().map(|line| line.map_err(unread));
    of_lines(lines, &name.to_string())
}

fn of_lines(
    lines: impl Iterator<Item = Result<String, String>>,
    name: &str,
) -> Result<Vec<u64>, String> {
    let mut first = BTreeMap::<String, u64>::new();
    for (number, line) in (1..).zip(lines) {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let wrong = |said: &str| {
            format!(
                "{name}, line {number}: {said}; accepted is a line of the log queue_logs, schema 1."
            )
        };
        let line: Line = serde_json::from_str(&line).map_err(|error| wrong(&error.to_string()))?;
        if line.schema != 1 {
            return Err(wrong(&format!("schema is {}", line.schema)));
        }
        if let Some(ticket) = line.ticket_reference
            && FIRST.contains(&line.reason.as_str())
        {
            let at = first.entry(ticket).or_insert(line.timestamp);
            *at = line.timestamp.min(*at);
        }
    }
    let mut moments: Vec<u64> = first.into_values().collect();
    moments.sort_unstable();
    let start = *moments.first().ok_or_else(|| {
        format!("{name} has no visitor; accepted is the log queue_logs of an event, one JSON object a line.")
    })?;
    Ok(moments.into_iter().map(|at| at - start).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Result<Vec<u64>, String> {
        of_lines(lines.iter().map(|line| Ok((*line).to_owned())), "queue.log")
    }

    #[test]
    fn each_ticket_comes_once_when_it_was_first_seen() {
        let lines = [
            r#"{"schema":1,"timestamp":5000,"reason":"waiting","ticketReference":"AAAA-0001","visitorPosition":1}"#,
            r#"{"schema":1,"timestamp":1000,"reason":"provisional","ticketReference":"AAAA-0001"}"#,
            "",
            r#"{"schema":1,"timestamp":1200,"reason":"released","release":{"released":3}}"#,
            r#"{"schema":1,"timestamp":3000,"reason":"admitted","ticketReference":"AAAA-0002","visitorPosition":2}"#,
            r#"{"schema":1,"timestamp":9000,"reason":"inside","ticketReference":"AAAA-0003"}"#,
        ];
        assert_eq!(read(&lines), Ok(vec![0, 2000]));
    }

    #[test]
    fn what_is_no_log_is_named_with_its_line() {
        let wrong = |lines: &[&str]| read(lines).err().unwrap_or_default();
        assert!(wrong(&["{}"]).starts_with("queue.log, line 1: missing field `schema`"));
        let newer = r#"{"schema":2,"timestamp":5000,"reason":"waiting"}"#;
        assert!(wrong(&["", newer]).starts_with("queue.log, line 2: schema is 2; accepted is"));
        assert!(wrong(&[]).contains("has no visitor; accepted is"));
    }
}
