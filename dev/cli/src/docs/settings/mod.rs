//! The settings: one table of words, for the page, the schema, the questions of Fastly's CLI, Terraform and `--help`.

mod schema;
mod table;

use std::fmt::Write as _;
use std::sync::LazyLock;

use serde_json::Value as Json;

pub(super) use schema::schema;
use table::GROUPS;

/// Settings that are read together, below one heading.
struct Group {
    title: &'static str,
    /// Whether it is on the second page: what few operators need.
    is_more: bool,
    settings: &'static [Setting],
}

/// Every setting, in the order of the docs.
fn all() -> impl DoubleEndedIterator<Item = &'static Setting> + Clone {
    GROUPS.iter().flat_map(|group| group.settings)
}

/// What is said of a setting.
struct Setting {
    name: &'static str,
    accepted: Accepted,
    what: &'static str,
}

/// What is accepted.
enum Accepted {
    /// Of this unit, from the least to the most of the schema.
    Number(&'static str),
    /// The words of the schema.
    Word,
    Text(&'static str),
}

/// Not of a deployed service, or no part of the document there.
const ELSEWHERE: [&str; 2] = ["upstash_url", "clock"];

/// Defaults and limits, as the service has them.
static SCHEMA: LazyLock<Json> = LazyLock::new(|| {
    let text = include_str!("../../../../../docs/settings.schema.json");
    serde_json::from_str(&schema::limits(text)).unwrap_or_default()
});

impl Setting {
    fn of_schema(&self, field: &str) -> &Json {
        let place = format!("/properties/{}/{field}", self.name);
        SCHEMA.pointer(&place).unwrap_or(&Json::Null)
    }

    fn default(&self) -> Vec<String> {
        match self.of_schema("default") {
            Json::Null => Vec::new(),
            Json::Array(values) => values.iter().map(text).collect(),
            value => vec![text(value)],
        }
    }

    fn accepted(&self, number: fn(&Json) -> String) -> String {
        match self.accepted {
            Accepted::Text(words) => words.to_owned(),
            Accepted::Word => {
                let words = self.of_schema("enum").as_array();
                let words = words.into_iter().flatten().map(text);
                words.collect::<Vec<_>>().join(", ")
            }
            Accepted::Number(unit) => {
                let [least, most] = ["minimum", "maximum"].map(|end| number(self.of_schema(end)));
                format!("{least}–{most} {unit}")
            }
        }
    }

    fn row(&self) -> String {
        let default = self
            .default()
            .iter()
            .map(|value| format!("`{value}`"))
            .collect::<Vec<_>>();
        let default = Some(default.join(", ")).filter(|default| !default.is_empty());
        format!(
            "| `{}` | {} | {} | {} |\n",
            self.name,
            default.as_deref().unwrap_or("–"),
            self.accepted(grouped),
            self.what
        )
    }

    /// Without Markdown, for editors and terminals.
    fn sentence(&self) -> String {
        let sentence = plain(&format!(
            "{}. Accepted: {}.",
            self.what,
            self.accepted(text)
        ));
        let mut letters = sentence.chars();
        let first = letters.next().map(char::to_uppercase);
        first.into_iter().flatten().chain(letters).collect()
    }
}

fn text(value: &Json) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// In groups of three digits.
fn grouped(value: &Json) -> String {
    let number = value.as_i64().unwrap_or_default();
    let sign = if number < 0 { "-" } else { "" };
    format!("{sign}{}", simulator::units::grouped(number.unsigned_abs()))
}

/// The words of a text in Markdown.
fn plain(markdown: &str) -> String {
    let mut text = String::new();
    let mut rest = markdown;
    while let Some((before, link)) = rest.split_once("](") {
        text.push_str(before);
        rest = link.split_once(')').map_or("", |(_, after)| after);
    }
    text.push_str(rest);
    text.replace(['[', '`'], "")
}

/// The tables of `docs/reference/settings.md`, or those of `more-settings.md`.
pub(super) fn tables(is_more: bool) -> String {
    let head = "| setting | default | accepted | what it does |\n|---|---|---|---|\n";
    let groups = GROUPS.iter().filter(|group| group.is_more == is_more);
    let tables = groups.map(|group| {
        let rows: String = group.settings.iter().map(Setting::row).collect();
        format!("\n## {}\n\n{head}{rows}", group.title)
    });
    tables.collect::<String>() + "\n"
}

/// The list of `deploy/terraform/variables.tf`.
pub(super) fn names() -> String {
    let names = all().map(|setting| setting.name);
    let names = names.filter(|name| !ELSEWHERE.contains(name));
    let lines: Vec<String> = names.map(|name| format!("      \"{name}\",\n")).collect();
    lines.concat()
}

/// The file with the description of each setting that it begins so: the next line with this key, up to its value.
pub(super) fn described(file: &str, begins: fn(&str) -> String, key: &str, end: &str) -> String {
    let mut after = String::new();
    let mut setting = None;
    for line in file.lines() {
        let begun = all().find(|setting| begins(setting.name) == line);
        setting = begun.or(setting);
        match setting.filter(|_| line.starts_with(key)) {
            Some(described) => {
                let sentence = Json::from(described.sentence());
                let _ = writeln!(after, "{key}{sentence}{end}");
                setting = None;
            }
            None => after = after + line + "\n",
        }
    }
    after
}

/// What `cargo dev serve --help` says of `--set`.
#[must_use]
pub fn help() -> String {
    let mut help = "Settings for --set:\n".to_owned();
    for setting in all() {
        let default = setting.default().join(",");
        let default = Some(default).filter(|default| !default.is_empty());
        let default = default.map_or(String::new(), |default| format!(" [default: {default}]"));
        let _ = writeln!(
            help,
            "  {}{default}\n      {}",
            setting.name,
            setting.sentence()
        );
    }
    help
}

#[cfg(test)]
mod tests {
    use super::*;
    use now_serving::config::PROFILES;

    #[test]
    fn a_description_is_put_where_its_setting_has_it() {
        let file = "[room]\nvalue = 1\nat = \"old\",\n[other]\nat = \"kept\",\n";
        let begins = |name: &str| format!("[{name}]");
        let written = described(file, begins, "at = ", ",");
        let room = all().find(|setting| setting.name == "room");
        let sentence = room.map_or_else(String::new, Setting::sentence);
        let room = format!("[room]\nvalue = 1\nat = \"{sentence}\",\n[other]\nat = \"kept\",\n");
        assert_eq!(written, room);
    }

    #[test]
    fn what_is_said_of_profiles_names_each_default_that_one_gives() {
        let profile = all().find(|setting| setting.name == "profile");
        let what = profile.map_or("", |setting| setting.what);
        for (profile, defaults) in PROFILES {
            let (_, said) = what
                .split_once(&format!("`{profile}`: "))
                .unwrap_or_default();
            let said = said.split(". ").next().unwrap_or_default();
            for (name, value) in defaults {
                let value = if value.starts_with('{') {
                    "observe"
                } else {
                    value
                };
                assert!(said.contains(&format!("`{name}`")), "{profile}: {name}");
                assert!(said.contains(&format!("`{value}`")), "{profile}: {value}");
            }
            assert_eq!(
                said.matches('`').count() / 2,
                words_of(defaults),
                "{profile}: {said}"
            );
        }
    }

    /// The names of these settings, and the words that they have, each once.
    fn words_of(defaults: &[(&str, &str)]) -> usize {
        let mut words: Vec<_> = defaults.iter().map(|(_, word)| *word).collect();
        words.retain(|word| !word.starts_with('{'));
        words.sort_unstable();
        words.dedup();
        defaults.len() + words.len()
    }

    #[test]
    fn a_sentence_has_no_markdown() {
        assert_eq!(plain("a [b](c.md#d), `e`; [f](g)"), "a b, e; f");
        for setting in all() {
            let sentence = setting.sentence();
            assert!(!sentence.contains(['`', '[', '(']), "{sentence}");
        }
    }
}
