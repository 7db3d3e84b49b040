//! `now-serving check`: says whether a configuration is sound before it is published, by the service's own rules.
//!
//! A file is either the document that the key `settings` holds, or a whole config store as `devconfig.json` is one.

pub mod request;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use now_serving::config::{
    Config, DEVELOPMENT, DOCUMENT, LONGEST, PARTS, PROFILES, Problem, Remembering, Room, SECRETS,
    SINGLE, Source, Spent, Unreadable,
};
use now_serving::http::without_mark;
use now_serving::i18n::LANGUAGES;
use now_serving::page::{Links, Waiting, waiting_page};
use now_serving::queue::{Cursor, Position};
use serde_json::Value as Json;

use crate::program;
use request::Asked;

/// Keys of a config store, each with its value.
pub type Settings = BTreeMap<String, String>;

/// Options of `now-serving check`.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// The document, or a config store such as devconfig.json; `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The keys that the document names in `more`, as files called like them: `settings_2.json`
    #[arg(value_name = "PART")]
    pub parts: Vec<PathBuf>,
    /// The request to judge by them.
    #[command(flatten)]
    pub request: request::RequestOptions,
}

/// What there is to say.
#[derive(Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it can be published.
    pub is_sound: bool,
    /// A line for each problem, or one that says that there is none; and what is sound and costs visitors time.
    pub lines: Vec<String>,
}

/// Prints what is wrong. Whether nothing is.
///
/// # Errors
/// When a file cannot be read.
pub fn check(options: &Options) -> Result<bool, String> {
    let name = options.file.display().to_string();
    let asked = options.request.asked()?;
    let mut parts = Settings::new();
    for part in &options.parts {
        let key = part.file_stem().and_then(|stem| stem.to_str());
        let Some(key) = key.filter(|key| PARTS.contains(key)) else {
            let (part, known) = (part.display(), PARTS.join(", "));
            return Err(format!(
                "{part} is called like no key that a document can name: {known}."
            ));
        };
        parts.insert(key.to_owned(), text(part)?);
    }
    let verdict = judge(&name, &text(&options.file)?, parts, asked.as_ref());
    for line in &verdict.lines {
        anstream::println!("{line}");
    }
    Ok(verdict.is_sound)
}

fn text(path: &Path) -> Result<String, String> {
    let read = if path == Path::new("-") {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        fs::read_to_string(path)
    };
    read.map_err(|error| format!("{} could not be read: {error}.", path.display()))
}

/// What the service would say about a text and the parts that belong to it.
#[must_use]
pub fn verdict(name: &str, text: &str, parts: Settings) -> Verdict {
    judge(name, text, parts, None)
}

/// The same, and what it makes of a request where it is sound.
fn judge(name: &str, text: &str, parts: Settings, asked: Option<&Asked>) -> Verdict {
    let mut lines = Vec::new();
    let keys = match store(text) {
        Some(Ok(store)) => store,
        Some(Err(wrong)) => {
            lines.extend(wrong);
            Settings::new()
        }
        None => Settings::from([(DOCUMENT.to_owned(), text.to_owned())]),
    };
    if lines.is_empty() {
        let mut keys = keys;
        keys.extend(parts);
        let Reading {
            problems,
            spent,
            remarks,
            judged,
        } = read(&keys, asked);
        lines.extend(keys.iter().filter_map(|(key, value)| too_long(key, value)));
        lines.extend(keys.keys().filter_map(|key| not_read(key)));
        lines.extend(problems.iter().map(worded));
        if lines.is_empty() {
            let longest = keys.values().map(|value| value.chars().count()).max();
            let sound = format!(
                "{name} is sound: {} look-ups, and the longest value has {} of {LONGEST} characters.",
                spent.look_ups,
                longest.unwrap_or_default()
            );
            return Verdict {
                is_sound: true,
                lines: [vec![sound], remarks, judged].concat(),
            };
        }
    }
    let count = lines.len();
    lines.insert(0, format!("{name} is not sound:"));
    lines.push(format!("{count} to fix."));
    Verdict {
        is_sound: false,
        lines,
    }
}

/// A config store has the document as a text, or secrets, or only texts and a key that is none of the document's. `None`
/// for a document.
fn store(text: &str) -> Option<Result<Settings, Vec<String>>> {
    let object: BTreeMap<String, Json> = serde_json::from_str(without_mark(text)).ok()?;
    let is_store = |key: &String| key == DOCUMENT || SECRETS.contains(&key.as_str());
    if !object.keys().any(is_store) {
        return None;
    }
    let (texts, others): (Vec<_>, Vec<_>) =
        object.into_iter().partition(|(_, value)| value.is_string());
    if others.is_empty() {
        let text = |(key, value): (String, Json)| Some((key, value.as_str()?.to_owned()));
        return Some(Ok(texts.into_iter().filter_map(text).collect()));
    }
    let wrong = |(key, _): &(String, Json)| {
        format!("  {key}: in a config store accepted is a text, in quotes, also for {DOCUMENT}")
    };
    Some(Err(others.iter().map(wrong).collect()))
}

fn too_long(key: &str, value: &str) -> Option<String> {
    let length = value.chars().count();
    (length > LONGEST).then(|| {
        format!("  {key}: has {length} characters; accepted are {LONGEST}; what is longer goes on in a key that settings names in more")
    })
}

/// A single key of the version before.
fn not_read(key: &str) -> Option<String> {
    let is_setting =
        Config::names().contains(&key) && !SINGLE.contains(&key) && !PARTS.contains(&key);
    is_setting.then(|| {
        format!(
            "  {key}: is read no more as a key of its own; accepted is the same name in {DOCUMENT}"
        )
    })
}

fn worded(problem: &Problem) -> String {
    let value = problem.value.as_ref();
    let value = value.map_or(":".to_owned(), |value| format!(" is {value:?};"));
    let place = problem.place();
    // The service does not know which of the two programs its operator has.
    let accepted = problem.accepted.replace("cargo dev", program::name());
    format!("  {place}{value} accepted is {accepted}")
}

/// What the service says about the keys.
struct Reading {
    problems: Vec<Problem>,
    /// What reading them takes.
    spent: Spent,
    /// What profiles give, and what there is to say of pages that do not leave at once, of short passwords, and of conditions that any client can meet.
    remarks: Vec<String>,
    /// What it makes of the request.
    judged: Vec<String>,
}

fn read(keys: &Settings, asked: Option<&Asked>) -> Reading {
    let is_whole = SECRETS.iter().any(|key| keys.contains_key(*key));
    let source = std::sync::Arc::new(Remembering::new(Published {
        keys: keys.clone(),
        is_whole,
    }));
    let config = Config::read(&(source.clone() as std::sync::Arc<dyn Source>));
    let spent = source.spent();
    let rooms = config.iter().flat_map(|config| config.rooms.all());
    let mut remarks: Vec<String> = rooms.filter_map(long_page).collect();
    let mut judged = Vec::new();
    let problems = match config {
        Ok(config) => {
            judged.extend(
                asked
                    .iter()
                    .flat_map(|asked| request::judged(asked, &config)),
            );
            remarks.extend(profiles(&config));
            remarks.extend(config.rooms.open_conditions().iter().map(open));
            let tokens = config.operators.secrets.tokens_of_both_kinds().err();
            let passwords = config.operators.secrets.passwords().err();
            remarks.extend(
                config
                    .operators
                    .secrets
                    .told_short()
                    .iter()
                    .map(Problem::for_all),
            );
            let secrets = [passwords, tokens].map(Option::unwrap_or_default).concat();
            let refused = refused(&config);
            [config.ignored, config.closed, secrets, refused].concat()
        }
        Err(unsound) => unsound.problems,
    };
    Reading {
        problems,
        spent,
        remarks,
        judged,
    }
}

/// What each profile gives, once.
fn profiles(config: &Config) -> Vec<String> {
    let rooms: Vec<&Room> = config.rooms.all().collect();
    let told = PROFILES.iter().filter(|(_, defaults)| !defaults.is_empty());
    let told = told.filter_map(|(profile, defaults)| {
        let of = rooms.iter().filter(|room| room.profile == *defaults);
        let of: Vec<_> = of.map(|room| room.name.as_str()).collect();
        let given = defaults
            .iter()
            .map(|(name, value)| format!("{name} {value}"));
        let given = given.collect::<Vec<_>>().join(", ");
        (!of.is_empty()).then(|| {
            format!(
                "  profile {profile} (room {}): where nothing else is set, {given}.",
                of.join(", ")
            )
        })
    });
    told.collect()
}

/// What is said of a condition that any client can meet.
fn open(problem: &Problem) -> String {
    let sent = problem.value.as_deref().unwrap_or_default();
    format!("  {}: {sent}", problem.accepted)
}

/// What a server sends at once on a new connection: ten segments of 1 460 bytes (RFC 6928), less what TLS and HTTP/2 take of them.
const AT_ONCE: usize = 14_500;
/// Status line, `Refresh`, `Retry-After` and `Vary`, which each answer has besides.
const BESIDES: usize = 80;

/// What there is to say of a page that is longer than leaves at once, without the address that a visitor asks for.
fn long_page(room: &Room) -> Option<String> {
    let waiting = Waiting {
        position: Some(Position(1_234_567)),
        seen: Some((Cursor(1_034_567), 199_999)),
        message: room.pages.brand.message.clone(),
        reference: Some("3F9A-1C2E".to_owned()),
        estimate: Some(36_000),
        refresh: 30,
        ..Waiting::default()
    };
    let links = Links {
        here: "/".to_owned(),
        place: format!("{}/place", room.routes),
        language: format!("{}/language", room.routes),
        ..Links::default()
    };
    let length = |words| {
        let page = waiting_page(503, &waiting, &links, words, &room.pages, None);
        let headers = page.headers.iter();
        let headers: usize = headers
            .map(|(name, value)| name.len() + value.len() + 4)
            .sum();
        BESIDES + headers + page.body.len()
    };
    let longest = LANGUAGES.iter().map(length).max()?;
    let logo = room.pages.brand.logo.as_deref().unwrap_or_default().len();
    let name = &room.name;
    (longest > AT_ONCE).then(|| {
        format!("  The waiting page of room {name} has up to {longest} bytes, {logo} of them of brand_logo, and those of the visited address besides. {AT_ONCE} leave at once; a longer page takes one more way there and back.")
    })
}

/// What is wrong with templates: what a room has in common with the first is named once.
fn refused(config: &Config) -> Vec<Problem> {
    let told = |room: &Room| {
        let of_events = room.event_pages.iter();
        let of_events = of_events.map(|(id, pages)| (format!(", of the event {id}"), pages));
        let all = std::iter::once((String::new(), &room.pages)).chain(of_events);
        let refused = all.flat_map(|(of, pages)| {
            let refused = pages.refused().into_iter();
            refused.map(move |refused| (of.clone(), refused.refusal))
        });
        let told = refused.map(|(of, refusal)| {
            let (line, reason) = (refusal.line, &refusal.reason);
            format!("a page without faults; line {line}{of}: {reason}")
        });
        told.collect::<Vec<String>>()
    };
    let mut found: Vec<Problem> = Vec::new();
    for room in config.rooms.all() {
        let is_first = room.name == config.rooms.first.name;
        for accepted in told(room) {
            if !found.iter().any(|known| known.accepted == accepted) {
                found.push(Problem {
                    room: (!is_first).then(|| room.name.to_string()),
                    key: "template",
                    value: None,
                    accepted,
                    unreadable: false,
                });
            }
        }
    }
    found
}

/// The keys as the service would find them. Of a document alone the rest is taken to be sound.
struct Published {
    keys: Settings,
    is_whole: bool,
}

impl Source for Published {
    fn setting(&self, key: &str) -> Result<Option<String>, Unreadable> {
        let found = self.keys.get(key).cloned();
        // In most services the address has a key of its own.
        let document = self.keys.get(DOCUMENT).map_or("", String::as_str);
        let is_elsewhere = key == "upstash_url" && !self.is_whole && !document.contains(key);
        Ok(found.or_else(|| is_elsewhere.then(|| "https://store.example".to_owned())))
    }

    fn secret(&self, key: &str) -> Result<Option<String>, Unreadable> {
        if self.is_whole {
            return Ok(None);
        }
        let is_required = ["jwt_secret", "upstash_token"].contains(&key);
        Ok(is_required.then(|| "a-secret-that-is-in-the-secret-store".to_owned()))
    }

    fn keeps_secrets(&self) -> bool {
        !self.is_whole
    }

    /// Development secrets are for the local server.
    fn is_local(&self) -> bool {
        let mut secrets = SECRETS.iter().filter_map(|key| self.keys.get(*key));
        secrets.any(|secret| secret.starts_with(DEVELOPMENT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> (bool, String) {
        let Verdict { is_sound, lines } = verdict("a.json", text, Settings::new());
        (is_sound, lines.join("\n"))
    }

    #[test]
    fn a_sound_document_is_called_sound_and_its_look_ups_are_counted() {
        let (is_sound, lines) = said("{\"automatic\":30,\"bypass_paths\":[\"/a\"]}\n");
        assert_eq!(
            (is_sound, lines.as_str()),
            (
                true,
                "a.json is sound: 7 look-ups, and the longest value has 39 of 8000 characters."
            )
        );
    }

    #[test]
    fn a_profile_is_named_with_what_it_gives_and_the_rooms_that_have_it() {
        let (is_sound, lines) = said(
            r#"{"profile":"sale","absent_visitors":"off","rooms":[{"name":"pay","paths":"/pay"},{"name":"b","paths":"/b","profile":"none"}]}"#,
        );
        assert!(is_sound, "{lines}");
        let told = "  profile sale (room main, pay): where nothing else is set, origin_health on, on_origin_error keep, absent_visitors on, network_bound challenge, adaptive_pace observe.";
        assert!(lines.contains(told), "{lines}");
        assert!(!said("{}").1.contains("profile"));
        let (is_sound, lines) = said(r#"{"profile":"sales"}"#);
        let told = r#"  profile is "sales"; accepted is none, observe, sale"#;
        assert!(!is_sound && lines.contains(told), "{lines}");
    }

    #[test]
    fn a_page_that_is_longer_than_leaves_at_once_is_named_with_its_bytes() {
        let with_logo = |letters: usize| {
            let logo = format!("data:image/png;base64,{}", "A".repeat(letters));
            said(&format!(r#"{{"brand_logo":"{logo}"}}"#))
        };
        let (is_sound, lines) = with_logo(3_000);
        assert!(is_sound, "{lines}");
        assert!(lines.contains("3022 of them of brand_logo"), "{lines}");
    }

    #[test]
    fn the_development_configuration_is_sound() {
        let (is_sound, lines) = said(include_str!("../../devconfig.json"));
        assert!(is_sound, "{lines}");
    }

    #[test]
    fn every_problem_has_a_line_with_what_is_accepted() {
        let (is_sound, lines) = said(
            r#"{"automatik":30,"permit_max":0,"mesage":"a","admin_path":true,"rooms":[{"name":"a","paths":"/a","automatic":"often"}]}"#,
        );
        assert!(!is_sound);
        for line in [
            r#"  settings is "automatik"; accepted is the name of a setting; did you mean automatic?"#,
            r#"  settings is "mesage"; accepted is the name of a setting; did you mean message?"#,
            r#"  permit_max is "0"; accepted is a whole number from 1 to 1000000"#,
            "  admin_path: accepted is a text",
            "  automatic of room a is \"often\"; accepted is a whole number from 0 to 86400",
            "5 to fix.",
        ] {
            assert!(lines.contains(line), "{line} in {lines}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_file() {
        let store = r#"{"jwt_secret":"0123456789abcdef0123456789abcdef","upstash_token":"t","upstash_url":"https://a.example","settings":"{}"}"#;
        for text in [r#"{"automatic":30}"#, store] {
            let (is_sound, lines) = said(&format!("\u{feff}{text}"));
            assert!(is_sound, "{lines}");
        }
    }

    #[test]
    fn what_is_no_document_is_named_with_its_place() {
        for (text, place) in [
            ("", "the settings"),
            ("{\n\"room\":}", "no JSON from line 2, column 8"),
            ("[]", "but no object"),
            (
                r#"{"room":"a","room":"b"}"#,
                "room: accepted is each setting once",
            ),
            (
                r#"{"event":{"id":"sale","opens":"2030-01-31T10:00:00Z","with":{"template":"{{{message}}}"}}}"#,
                "template: accepted is a page without faults; line 1, of the event sale",
            ),
            (
                r#"{"template":"{{{message}}}"}"#,
                "template: accepted is a page without faults; line 1",
            ),
            (
                r#"{"more":["settings_2"]}"#,
                "settings_2: accepted is a value, since settings names this key",
            ),
        ] {
            let (is_sound, lines) = said(text);
            assert!(!is_sound && lines.contains(place), "{text}: {lines}");
        }
    }

    #[test]
    fn keys_of_the_version_before_are_named() {
        let store = r#"{"jwt_secret":"0123456789abcdef0123456789abcdef","upstash_token":"t","upstash_url":"https://a.example","bypass_paths":"/*","settings":"{}"}"#;
        let (is_sound, lines) = said(store);
        let line = "  bypass_paths: is read no more as a key of its own; accepted is the same name in settings\n1 to fix.";
        assert!(!is_sound && lines.contains(line), "{lines}");
        let (_, lines) = said(r#"{"settings":{"automatic":1}}"#);
        assert!(
            lines.contains("settings: in a config store accepted is a text"),
            "{lines}"
        );
    }

    #[test]
    fn a_value_that_is_too_long_is_named_before_the_platform_refuses_it() {
        let text = serde_json::json!({ "template": "a".repeat(LONGEST) }).to_string();
        let (is_sound, lines) = said(&text);
        assert!(
            !is_sound && lines.contains("settings: has 8015 characters"),
            "{lines}"
        );
        let first = r#"{"more":["template"]}"#;
        let page = |length: usize| Settings::from([("template".to_owned(), "a".repeat(length))]);
        assert!(verdict("a.json", first, page(LONGEST)).is_sound);
        assert!(!verdict("a.json", first, page(LONGEST + 1)).is_sound);
    }
}
