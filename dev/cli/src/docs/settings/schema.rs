//! `docs/settings.schema.json`: limits, words and defaults as the service reads them, and the description of each setting. What a
//! text must look like stands there by hand.

use std::fmt::Write as _;

use now_serving::config::{Accepts, Asked, Config};
use serde_json::Value as Json;

use super::{all, described};

/// The schema as it is to be.
pub(in super::super) fn schema(before: &str) -> String {
    let begins = |name: &str| format!("    \"{name}\": {{");
    described(&limits(before), begins, "      \"description\": ", ",")
}

/// The same without the descriptions.
pub(super) fn limits(before: &str) -> String {
    let table = Config::table();
    let mut lines: Vec<String> = before.lines().map(str::to_owned).collect();
    for (at, setting) in all().enumerate() {
        let Some(asked) = table.iter().find(|asked| asked.name == setting.name) else {
            continue;
        };
        let earlier = || {
            let before: Vec<_> = all().take(at).map(|setting| setting.name).collect();
            before.into_iter().rev()
        };
        let property = Block {
            indent: "    ",
            name: setting.name,
        };
        property.put(&mut lines, earlier(), &new(asked));
        property.edit(&mut lines, asked);
        if asked.is_of_rooms {
            let reference = format!("\"$ref\": \"#/properties/{}\"", setting.name);
            let member = Block {
                indent: "          ",
                name: setting.name,
            };
            member.put(&mut lines, earlier(), &[reference]);
        }
    }
    lines.join("\n") + "\n"
}

/// The members of a setting that the schema does not have yet, after the description.
fn new(asked: &Asked) -> Vec<String> {
    let mut members = vec!["\"description\": \"\"".to_owned()];
    members.extend(match &asked.accepts {
        Accepts::Number { .. } => vec![
            "\"type\": \"integer\"".to_owned(),
            "\"minimum\": 0".to_owned(),
            "\"maximum\": 0".to_owned(),
            "\"default\": 0".to_owned(),
        ],
        Accepts::Word { .. } => vec!["\"enum\": []".to_owned(), "\"default\": \"\"".to_owned()],
        Accepts::Text => vec!["\"type\": \"string\"".to_owned()],
    });
    members
}

/// An object of the schema, by its name and how far it stands from the margin.
struct Block {
    indent: &'static str,
    name: &'static str,
}

impl Block {
    fn begin(&self, lines: &[String]) -> Option<usize> {
        let head = format!("{}\"{}\": {{", self.indent, self.name);
        lines.iter().position(|line| *line == head)
    }

    /// The lines between its braces.
    fn range(&self, lines: &[String]) -> Option<std::ops::Range<usize>> {
        let begin = self.begin(lines)? + 1;
        let ends = [format!("{}}}", self.indent), format!("{}}},", self.indent)];
        let length = lines
            .iter()
            .skip(begin)
            .position(|line| ends.contains(line))?;
        Some(begin..begin + length)
    }

    /// Puts it behind the first of these that is there, where it is not there itself.
    fn put(
        &self,
        lines: &mut Vec<String>,
        mut earlier: impl Iterator<Item = &'static str>,
        members: &[String],
    ) {
        if self.begin(lines).is_some() {
            return;
        }
        let before = earlier.find_map(|name| {
            Block {
                name,
                indent: self.indent,
            }
            .range(lines)
        });
        let Some(end) = before.map(|range| range.end) else {
            return;
        };
        let indent = self.indent;
        let mut block = vec![format!("{indent}\"{}\": {{", self.name)];
        let last = members.len().saturating_sub(1);
        for (at, member) in members.iter().enumerate() {
            let comma = if at < last { "," } else { "" };
            block.push(format!("{indent}  {member}{comma}"));
        }
        let was_last = lines.get(end).is_some_and(|line| !line.ends_with(','));
        block.push(format!("{indent}}}{}", if was_last { "" } else { "," }));
        if let Some(line) = lines.get_mut(end).filter(|_| was_last) {
            line.push(',');
        }
        lines.splice(end + 1..=end, block);
    }

    /// Writes what the service accepts into it.
    fn edit(&self, lines: &mut Vec<String>, asked: &Asked) {
        match &asked.accepts {
            Accepts::Number { default, range } => {
                self.set(lines, "minimum", &range.start().to_string());
                self.set(lines, "maximum", &range.end().to_string());
                self.set(lines, "default", &default.to_string());
            }
            Accepts::Word { default, words } => {
                let words: Vec<String> = words.iter().map(|word| word_as_json(word)).collect();
                let mut list = "[\n".to_owned();
                let _ = write!(list, "        {}\n      ]", words.join(",\n        "));
                self.set(lines, "enum", &list);
                self.set(lines, "default", &word_as_json(default));
            }
            Accepts::Text => {}
        }
    }

    /// Gives a member that is there another value.
    fn set(&self, lines: &mut Vec<String>, member: &str, value: &str) {
        let Some(range) = self.range(lines) else {
            return;
        };
        let key = format!("{}  \"{member}\": ", self.indent);
        let Some(at) = range
            .clone()
            .find(|at| lines.get(*at).is_some_and(|line| line.starts_with(&key)))
        else {
            return;
        };
        // A list ends at a line of its own.
        let list = format!("{}  ]", self.indent);
        let end = match lines.get(at) {
            Some(line) if line.ends_with('[') => {
                let length = lines
                    .iter()
                    .skip(at)
                    .position(|line| line.starts_with(&list));
                at + length.unwrap_or_default()
            }
            _ => at,
        };
        let comma = if lines.get(end).is_some_and(|line| line.ends_with(',')) {
            ","
        } else {
            ""
        };
        let text = format!("{key}{value}{comma}");
        lines.splice(at..=end, text.split('\n').map(str::to_owned));
    }
}

/// A status is a number, any other word a text.
fn word_as_json(word: &str) -> String {
    match word.parse::<u64>() {
        Ok(number) => number.to_string(),
        Err(_) => Json::from(word).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = include_str!("../../../../../docs/settings.schema.json");

    fn read(schema: &str) -> Json {
        serde_json::from_str(schema).unwrap_or_default()
    }

    #[test]
    fn a_setting_that_is_taken_out_comes_back() {
        for name in [
            "sick_min",
            "waiting_status",
            "refresh_interval",
            "turn_minutes",
        ] {
            let mut lines: Vec<String> = SCHEMA.lines().map(str::to_owned).collect();
            for indent in ["    ", "          "] {
                let block = Block { indent, name };
                if let Some(range) = block.range(&lines) {
                    lines.drain(range.start - 1..=range.end);
                }
            }
            let without = lines.join("\n") + "\n";
            assert!(!without.contains(&format!("\"{name}\": {{")), "{name}");
            let mut expected = read(SCHEMA);
            // What no limit says is written by hand.
            let by_hand = expected.pointer_mut("/properties/turn_minutes");
            if let Some(minutes) = by_hand
                .and_then(Json::as_object_mut)
                .filter(|_| name == "turn_minutes")
            {
                minutes.remove("not");
            }
            assert_eq!(read(&schema(&without)), expected, "{name}");
        }
    }

    #[test]
    fn a_setting_behind_the_last_one_is_put_there() {
        let last = "\n    \"template\": {";
        let (before, _) = SCHEMA.split_once(last).unwrap_or_default();
        let without = format!(
            "{}\n  }},\n  \"additionalProperties\": false\n}}\n",
            before.trim_end().trim_end_matches(',')
        );
        let mut lines: Vec<String> = without.lines().map(str::to_owned).collect();
        let block = Block {
            indent: "    ",
            name: "template",
        };
        block.put(
            &mut lines,
            ["message"].into_iter(),
            &["\"type\": \"string\"".to_owned()],
        );
        let written = read(&lines.join("\n"));
        assert_eq!(
            written.pointer("/properties/template/type"),
            Some(&Json::from("string"))
        );
    }

    #[test]
    fn limits_and_words_are_those_of_the_service() {
        let spoilt = SCHEMA
            .replace("\"maximum\": 100,", "\"maximum\": 99,")
            .replace("\"challenge\"", "\"riddle\"")
            .replace("\"default\": 24", "\"default\": 25");
        assert_ne!(spoilt, SCHEMA);
        let words = |schema: &str| schema.matches("\"riddle\"").count();
        let written = schema(&spoilt);
        assert!(words(&written) < words(&spoilt));
        assert!(written.contains("\"default\": 24\n") && !written.contains("\"maximum\": 99,"));
    }
}
