//! The configuration document: one key of the config store with any setting, and the few keys that stand beside it.
//!
//! Invariant: a whole configuration takes at most twelve look-ups, of which a value over 256 bytes takes two; and what
//! could not be read or understood is unknown, never absent.

use super::{Problem, Source, Unreadable};
use crate::http::json::{self, Pairs, Value, whole};
use crate::http::without_mark;

/// The key that holds the document.
pub const DOCUMENT: &str = "settings";
/// Each of these may have a key of its own as well, which goes before the document: operators change them by hand, and
/// the store's address and the room's name differ between services that share a document.
pub const SINGLE: [&str; 6] = [
    "upstash_url",
    "room",
    "automatic",
    "automatic_quantity",
    "cookie_expiry",
    "refresh_interval",
];
/// The keys that a document may name in [`MORE`], two of them: more of the document, or one long setting as it is.
pub const PARTS: [&str; 4] = ["settings_2", "settings_3", "template", "brand_logo"];
/// What names them.
pub const MORE: &str = "more";
/// The longest value that the platform keeps under one key, in characters.
pub const LONGEST: usize = 8_000;

/// Stands for what is absent, since the prompts of `fastly compute publish` take no blank answer.
pub(super) const NONE: &str = "none";

/// How many of [`PARTS`] a document may name.
const MOST_PARTS: usize = 2;
/// The look-ups of a whole configuration: two for the document, one for each single key, two for each part.
const LOOK_UPS: usize = 2 + SINGLE.len() + 2 * MOST_PARTS;
/// An editor's own.
const SCHEMA: &str = "$schema";

/// What is known of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// The store says this, in the words of a single key.
    Is(String),
    /// The store says that there is none.
    Absent,
    /// It has a key of its own, which could not be read.
    Unreadable,
    /// It is JSON that is no setting's value.
    NoText,
    /// The document has it twice, and which was meant is unknown.
    Twice,
    /// What could say so was not read, or not understood. That is a problem by itself.
    Unknown,
}

/// All that was read.
#[derive(Default)]
pub(super) struct Document {
    single: Vec<(&'static str, Known)>,
    /// `None` for what is there twice.
    values: Vec<(String, Option<Value>)>,
    /// Why what is in neither of them is unknown.
    gap: Option<Gap>,
    /// What is wrong with the document as such.
    pub(super) problems: Vec<Problem>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    /// There is no document. A single key that is absent is then known to be so.
    NoDocument,
    /// Some of it is not there to be understood.
    NotUnderstood,
}

impl Document {
    /// Reads the keys.
    pub(super) fn read(source: &dyn Source) -> Self {
        let mut document = Self::default();
        let mut spent = document.read_first(source);
        spent += document.read_single(source);
        document.read_parts(source, spent);
        document
    }

    /// What is known of a setting. A single key goes before the document.
    pub(super) fn get(&self, key: &str) -> Known {
        let single = self.single.iter().find(|(name, _)| *name == key);
        let value = self.values.iter().find(|(name, _)| name == key);
        match (
            single.map(|(_, known)| known),
            value.map(|(_, value)| value),
        ) {
            (Some(known), _) if *known != Known::Absent => known.clone(),
            (_, Some(value)) => value.as_ref().map_or(Known::Twice, Known::of),
            (Some(_), None) if self.gap == Some(Gap::NoDocument) => Known::Absent,
            (_, None) if self.gap.is_some() => Known::Unknown,
            (_, None) => Known::Absent,
        }
    }

    /// Whether the document says `null` of a setting, which is absent all the same.
    pub(super) fn is_null(&self, key: &str) -> bool {
        let value = self.values.iter().find(|(name, _)| name == key);
        value.is_some_and(|(_, value)| value.as_ref().is_some_and(Value::is_null))
    }

    /// The JSON of a setting that is an object or a list, as the document says it.
    pub(super) fn json(&self, key: &str) -> Option<String> {
        let value = self.values.iter().find(|(name, _)| name == key);
        value.and_then(|(_, value)| value.as_ref()?.structured())
    }

    /// The names in the document that are none of these.
    pub(super) fn others<'a>(
        &'a self,
        is_known: impl Fn(&str) -> bool + 'a,
    ) -> impl Iterator<Item = &'a str> {
        let names = self.values.iter().map(|(name, _)| name.as_str());
        names.filter(move |name| !is_known(name))
    }

    fn read_first(&mut self, source: &dyn Source) -> usize {
        let (said, spent) = asked(source, DOCUMENT);
        match said.map(|text| text.filter(|text| !text.is_empty())) {
            Err(_) => self.is_unreadable(DOCUMENT),
            Ok(Some(text)) => self.add(DOCUMENT, &text),
            Ok(None) => {
                let [others @ .., last] = SINGLE;
                let accepted = format!(
                    "a JSON object with the settings, at least {{}}; single keys but {} and {last} are read no more, and cargo dev check names those that must move",
                    others.join(", ")
                );
                self.problem(DOCUMENT, None, &accepted);
                self.gap = Some(Gap::NoDocument);
            }
        }
        spent
    }

    /// One that is too long for what it names is wrong, and each costs a look-up more than it should: no other is read.
    fn read_single(&mut self, source: &dyn Source) -> usize {
        let mut spent = 0;
        for key in SINGLE {
            if spent > self.single.len() {
                self.single.push((key, Known::Unknown));
                continue;
            }
            let (said, took) = asked(source, key);
            spent += took;
            let known = match said {
                Ok(Some(text)) if !text.is_empty() => Known::Is(text),
                Ok(_) => Known::Absent,
                Err(_) => Known::Unreadable,
            };
            self.single.push((key, known));
        }
        spent
    }

    fn read_parts(&mut self, source: &dyn Source, mut spent: usize) {
        let Some(at) = self.values.iter().position(|(name, _)| name == MORE) else {
            return;
        };
        let more = self.values.remove(at).1;
        let Some(parts) = more.as_ref().and_then(parts) else {
            let accepted = format!(
                "a list of one or two of {}, each once, in the document itself",
                PARTS.join(", ")
            );
            self.gap = Some(Gap::NotUnderstood);
            let more = more.map(|more| more.to_string());
            return self.problem(MORE, more, &accepted);
        };
        for part in parts {
            if spent + 2 > LOOK_UPS {
                let accepted = "not read: a single key has more than 256 characters, and the look-ups are used up";
                self.is_missing(part, accepted);
                continue;
            }
            let (said, took) = asked(source, part);
            spent += took;
            match said {
                Err(_) => self.is_unreadable(part),
                Ok(None) => self.is_missing(part, "a value, since settings names this key in more"),
                Ok(Some(text)) => self.add(part, &text),
            }
        }
    }

    /// A part is more of the document, or one setting as it is.
    fn add(&mut self, part: &'static str, text: &str) {
        if !part.starts_with(DOCUMENT) {
            return self.put(part.to_owned(), Value::Text(text.to_owned()));
        }
        match json::read(text.as_bytes()) {
            Ok(Pairs(pairs)) => {
                for (name, value) in pairs {
                    self.put(name, value);
                }
            }
            Err(unread) => {
                self.gap = Some(Gap::NotUnderstood);
                let accepted = format!("a JSON object such as {{\"automatic\":15}}; {unread}");
                self.problem(part, None, &accepted);
            }
        }
    }

    fn put(&mut self, name: String, value: Value) {
        match self.values.iter_mut().find(|(other, _)| *other == name) {
            _ if name == SCHEMA => {}
            Some((_, first)) => *first = None,
            None => self.values.push((name, Some(value))),
        }
    }

    /// A part that is a setting leaves nothing unknown but itself.
    fn is_unreadable(&mut self, key: &'static str) {
        if key.starts_with(DOCUMENT) {
            self.gap = Some(Gap::NotUnderstood);
            self.problems.push(Problem::unreadable(key));
        } else {
            self.single.push((key, Known::Unreadable));
        }
    }

    fn is_missing(&mut self, key: &'static str, accepted: &str) {
        if key.starts_with(DOCUMENT) {
            self.gap = Some(Gap::NotUnderstood);
        }
        self.problem(key, None, accepted);
    }

    fn problem(&mut self, key: &'static str, value: Option<String>, accepted: &str) {
        self.problems.push(Problem::wrong(key, value, accepted));
    }
}

/// What a store says of a key, without the byte order mark that an editor put in front of it, and what asking took.
fn asked(source: &dyn Source, key: &str) -> (Result<Option<String>, Unreadable>, usize) {
    let said = source.setting(key);
    let spent = look_ups(&said);
    let unmarked = |text: String| without_mark(&text).to_owned();
    (said.map(|said| said.map(unmarked)), spent)
}

/// What the platform counts for it: the SDK asks a second time for what is longer than its first buffer.
pub(super) fn look_ups<E>(said: &Result<Option<String>, E>) -> usize {
    match said {
        Ok(Some(value)) if value.len() > 256 => 2,
        _ => 1,
    }
}

fn parts(more: &Value) -> Option<Vec<&'static str>> {
    let listed = texts(more)?;
    let part = |name: &String| PARTS.into_iter().find(|part| name == part);
    let parts: Vec<&'static str> = listed.iter().map(part).collect::<Option<_>>()?;
    let is_new = |(at, part): (usize, &&str)| !parts.iter().take(at).any(|other| other == part);
    (parts.len() <= MOST_PARTS && parts.iter().enumerate().all(is_new)).then_some(parts)
}

impl Known {
    /// A value in the words of a single key: a whole number by its digits, any other as it is, a list with commas.
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Text(text) if text.is_empty() => Self::Absent,
            Value::Text(text) => Self::Is(text.clone()),
            Value::Number(text) => {
                let number = whole(text).map(|number| number.to_string());
                Self::Is(number.unwrap_or_else(|| text.clone()))
            }
            Value::Other(json) if json == "null" => Self::Absent,
            Value::Other(_) => match texts(value) {
                Some(list) if list.is_empty() => Self::Is(NONE.to_owned()),
                Some(list) if list.iter().all(|item| !item.trim().is_empty()) => {
                    Self::Is(list.join(","))
                }
                _ => Self::NoText,
            },
        }
    }
}

/// The items of a list that holds texts only.
pub(super) fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Other(json) => serde_json::from_slice(json.as_bytes()).ok(),
        Value::Text(_) | Value::Number(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::BTreeMap;
    use std::sync::Mutex;

    use super::super::Unreadable;
    use super::*;

    /// Keys and their values, `None` for one that cannot be read; and every key that was asked for.
    #[derive(Default)]
    struct Keys(
        BTreeMap<&'static str, Option<String>>,
        Mutex<RefCell<Vec<String>>>,
    );

    impl Keys {
        fn of(keys: &[(&'static str, Option<&str>)]) -> Self {
            let own =
                |(key, value): &(&'static str, Option<&str>)| (*key, value.map(str::to_owned));
            Self(keys.iter().map(own).collect(), Mutex::default())
        }

        fn asked(&self) -> Vec<String> {
            self.1.lock().map(|asked| asked.take()).unwrap_or_default()
        }
    }

    impl Source for Keys {
        fn setting(&self, key: &str) -> Result<Option<String>, Unreadable> {
            if let Ok(asked) = self.1.lock() {
                asked.borrow_mut().push(key.to_owned());
            }
            match self.0.get(key) {
                Some(value) => value.clone().map(Some).ok_or(Unreadable),
                None => Ok(None),
            }
        }
        fn secret(&self, _key: &str) -> Result<Option<String>, Unreadable> {
            Err(Unreadable)
        }
        fn is_local(&self) -> bool {
            false
        }
    }

    fn is(text: &str) -> Known {
        Known::Is(text.to_owned())
    }

    /// The keys of the problems.
    fn named(document: &Document) -> Vec<&str> {
        document.problems.iter().map(|found| found.key).collect()
    }

    #[test]
    fn a_whole_number_is_the_same_however_json_writes_it() {
        for (number, read) in [
            ("15.0", "15"),
            ("1.5e1", "15"),
            ("1E3", "1000"),
            ("-0", "0"),
            ("15.5", "15.5"),
            ("-15", "-15"),
            ("1e400", "1e400"),
        ] {
            let text = format!(r#"{{"automatic":{number}}}"#);
            let document = Document::read(&Keys::of(&[("settings", Some(&text))]));
            assert_eq!(document.get("automatic"), is(read), "{number}");
        }
        let text = Keys::of(&[("settings", Some(r#"{"automatic":"15.0"}"#))]);
        assert_eq!(Document::read(&text).get("automatic"), is("15.0"), "a text");
    }

    #[test]
    fn a_value_is_read_in_the_words_of_a_single_key() {
        let text = r#"{"$schema":"x","a":"b c","n":15,"m":-1.5,"l":["/a","/b/*"],"e":[],"z":null,"s":"","t":true,"o":{},"d":1,"d":2,"p":["GET, POST /a","/b"],"x":["a",""],"y":[1]}"#;
        let document = Document::read(&Keys::of(&[("settings", Some(text))]));
        for (name, known) in [
            ("a", is("b c")),
            ("n", is("15")),
            ("m", is("-1.5")),
            ("l", is("/a,/b/*")),
            ("e", is("none")),
            ("z", Known::Absent),
            ("s", Known::Absent),
            ("not there", Known::Absent),
            ("t", Known::NoText),
            ("o", Known::NoText),
            ("p", is("GET, POST /a,/b")),
            ("x", Known::NoText),
            ("y", Known::NoText),
            ("d", Known::Twice),
        ] {
            assert_eq!(document.get(name), known, "{name}");
        }
        assert_eq!(named(&document), Vec::<&str>::new());
        let others: Vec<&str> = document.others(|name| name != "a" && name != "d").collect();
        assert_eq!(others, ["a", "d"], "and no $schema");
    }

    #[test]
    fn a_single_key_goes_before_the_document_and_no_other_key_is_read() {
        let keys = Keys::of(&[
            (
                "settings",
                Some(r#"{"room":"one","automatic":1,"refresh_interval":2}"#),
            ),
            ("room", Some("two")),
            ("automatic", Some("")),
            ("refresh_interval", None),
            ("bypass_paths", Some("/a")),
        ]);
        let document = Document::read(&keys);
        assert_eq!(document.get("room"), is("two"));
        assert_eq!(document.get("automatic"), is("1"), "an empty key is none");
        assert_eq!(document.get("refresh_interval"), Known::Unreadable);
        assert_eq!(document.get("bypass_paths"), Known::Absent);
        assert_eq!(
            keys.asked().join(" "),
            format!("settings {}", SINGLE.join(" "))
        );
    }

    #[test]
    fn what_the_document_may_hold_is_unknown_while_it_cannot_be_read_or_understood() {
        for (text, accepted) in [
            (None, "could not be read, and is asked for again"),
            (
                Some("[]"),
                r#"a JSON object such as {"automatic":15}; this is JSON, but no object"#,
            ),
            (
                Some(r#""hush""#),
                r#"a JSON object such as {"automatic":15}; this is JSON, but no object"#,
            ),
            (
                Some("{\"room\":\n1,}"),
                r#"a JSON object such as {"automatic":15}; this is no JSON from line 2, column 3"#,
            ),
            (
                Some("{} {"),
                r#"a JSON object such as {"automatic":15}; this is no JSON from line 1, column 4"#,
            ),
        ] {
            let keys = Keys::of(&[("settings", text), ("automatic", Some("9"))]);
            let document = Document::read(&keys);
            assert_eq!(document.get("room"), Known::Unknown, "{text:?}");
            assert_eq!(document.get("bypass_paths"), Known::Unknown);
            assert_eq!(document.get("automatic"), is("9"));
            let said: Vec<&str> = document
                .problems
                .iter()
                .map(|found| found.accepted.as_str())
                .collect();
            assert_eq!((named(&document), said), (vec!["settings"], vec![accepted]));
        }
    }

    #[test]
    fn without_a_document_only_single_keys_are_known_to_be_absent() {
        let document = Document::read(&Keys::of(&[("bypass_paths", Some("/a"))]));
        assert_eq!(document.get("room"), Known::Absent);
        assert_eq!(document.get("bypass_paths"), Known::Unknown);
        assert_eq!(named(&document), ["settings"]);
    }

    #[test]
    fn a_long_document_goes_on_in_the_keys_it_names() {
        let keys = Keys::of(&[
            (
                "settings",
                Some(r#"{"more":["settings_2","template"],"heading":"a"}"#),
            ),
            ("settings_2", Some(r#"{"message":"b","heading":"c"}"#)),
            ("template", Some("<html>")),
        ]);
        let document = Document::read(&keys);
        assert_eq!(
            (document.get("message"), document.get("template")),
            (is("b"), is("<html>"))
        );
        assert_eq!(document.get("heading"), Known::Twice);
        assert_eq!(document.get("more"), Known::Absent);
        assert_eq!((named(&document), keys.asked().len()), (Vec::new(), 9));
    }

    #[test]
    fn a_part_that_is_missing_or_unreadable_leaves_unknown_what_it_may_hold() {
        let named_in = |part: &str| format!(r#"{{"more":["{part}"],"room":"a"}}"#);
        for (part, value, problems) in [
            ("settings_2", Some(None), vec!["settings_2"]),
            ("settings_2", Some(Some("[]")), vec!["settings_2"]),
            ("settings_2", None, vec!["settings_2"]),
            ("template", Some(None), vec![]),
            ("template", None, vec!["template"]),
        ] {
            let first = named_in(part);
            let mut keys = vec![("settings", Some(first.as_str()))];
            keys.extend(value.map(|value| (part, value)));
            let document = Document::read(&Keys::of(&keys));
            let rest = if part == "template" {
                Known::Absent
            } else {
                Known::Unknown
            };
            assert_eq!(
                (document.get("room"), document.get("bypass_paths")),
                (is("a"), rest),
                "{keys:?}"
            );
            assert_eq!(named(&document), problems, "{keys:?}");
        }
        let unreadable = Document::read(&Keys::of(&[
            ("settings", Some(&named_in("template"))),
            ("template", None),
        ]));
        assert_eq!(unreadable.get("template"), Known::Unreadable);
    }

    #[test]
    fn only_a_few_keys_can_be_named_and_each_once() {
        for wrong in [
            r#""template""#,
            r#"["bypass_paths"]"#,
            r#"["template","template"]"#,
            r#"["template","brand_logo","settings_2"]"#,
            "[1]",
            "1",
        ] {
            let keys = Keys::of(&[("settings", Some(&format!(r#"{{"more":{wrong}}}"#)))]);
            let document = Document::read(&keys);
            assert_eq!(
                (named(&document), document.get("room")),
                (vec!["more"], Known::Unknown),
                "{wrong}"
            );
        }
    }

    #[test]
    fn a_whole_configuration_takes_at_most_twelve_look_ups_whatever_the_keys_hold() {
        let long = "x".repeat(8_000);
        let pad = |names: &str| format!(r#"{{"more":{names},"message":"{long}"}}"#);
        let (first, part) = (pad(r#"["settings_2","template"]"#), pad("null"));
        let spent = |keys: &[(&'static str, Option<&str>)]| {
            let keys = Keys::of(keys);
            Document::read(&keys);
            let asked = keys.asked();
            asked
                .iter()
                .map(|key| look_ups(&keys.setting(key)))
                .sum::<usize>()
        };
        let mut keys = vec![
            ("settings", Some(first.as_str())),
            ("settings_2", Some(&part)),
            ("template", Some(&long)),
        ];
        keys.extend(SINGLE.map(|key| (key, Some("1"))));
        assert_eq!(spent(&keys), LOOK_UPS);
        assert_eq!(LOOK_UPS, 12);
        for wrong in 0..1 << SINGLE.len() {
            let mut keys = keys.clone();
            for (at, key) in keys.iter_mut().skip(3).enumerate() {
                if wrong >> at & 1 == 1 {
                    key.1 = Some(&long);
                }
            }
            assert!(spent(&keys) <= LOOK_UPS, "{wrong:b}");
        }
    }
}
