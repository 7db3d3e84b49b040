//! Words that leave open who acts, or that need a second reading: no source, text or document has them.

use std::fs;
use std::path::PathBuf;

use crate::pure::conventions::{files, root};
use crate::pure::docs::pages;

/// What is written instead is in `docs/glossary.md`: the visitor, the operator, the origin, the program.
const AVOIDED: [&str; 5] = ["whoever", "so many", "is told", "those who", "goes along"];

/// Where text is that people read. Other languages have words of their own.
fn texts() -> Vec<PathBuf> {
    let folders = [
        "src",
        "dev",
        "deploy",
        "docs",
        "examples",
        "templates",
        "tests",
    ];
    let below = folders.map(|folder| files(&root().join(folder))).concat();
    let is_read = |path: &PathBuf| {
        let name = path.strip_prefix(root()).unwrap();
        let is_translation = name.starts_with("templates/words") && !name.ends_with("en.json");
        let ends = [
            "rs", "lua", "md", "html", "json", "yaml", "yml", "tf", "toml", "js", "py", "sh", "go",
            "php", "conf", "sql",
        ];
        let end = path.extension().and_then(|end| end.to_str());
        !is_translation
            && end.is_some_and(|end| ends.contains(&end))
            && !name.ends_with("pure/wording.rs")
    };
    let manifests = ["fastly.toml", "Cargo.toml"].map(|name| root().join(name));
    let all = below.into_iter().chain(manifests).filter(is_read);
    let top = pages()
        .into_iter()
        .filter(|page| page.parent() == Some(&root()));
    all.chain(top).collect()
}

/// One line of words, in small letters and with one space between two: what a comment breaks into lines is one sentence.
fn words(text: &str) -> String {
    let without_marks = text.lines().map(|line| {
        let line = line.trim_start();
        line.trim_start_matches(['/', '!', '#', '-']).trim_start()
    });
    let joined = without_marks.collect::<Vec<_>>().join(" ");
    let spaced = joined.split_whitespace().collect::<Vec<_>>().join(" ");
    spaced.to_lowercase()
}

/// What of [`AVOIDED`] is in a text, with the words around it. A part of a longer word or name is none.
fn found(text: &str) -> Vec<String> {
    let words = words(text);
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let of_one = |avoided: &&'static str| {
        let places = words.match_indices(avoided).filter(|(at, _)| {
            let before = words[..*at].chars().next_back();
            let after = words[at + avoided.len()..].chars().next();
            !before.is_some_and(is_part) && !after.is_some_and(is_part)
        });
        let shown = places.map(|(at, _)| {
            let rest = words[at..].chars().take(60);
            rest.collect::<String>()
        });
        shown.collect::<Vec<_>>()
    };
    AVOIDED.iter().flat_map(of_one).collect()
}

#[test]
fn no_text_leaves_open_who_acts() {
    let (texts, mut faults) = (texts(), Vec::new());
    assert!(texts.len() > 200, "{} texts", texts.len());
    for path in texts {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.strip_prefix(root()).unwrap().display();
        faults.extend(
            found(&text)
                .into_iter()
                .map(|words| format!("{name}: {words}")),
        );
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn an_avoided_word_is_found_also_where_a_comment_breaks() {
    assert_eq!(
        found("/// Who waits, and Whoever\n/// goes."),
        ["whoever goes."]
    );
    assert_eq!(found("-- The room is\n-- told of it."), ["is told of it."]);
    assert_eq!(found("also many, is_told, this told, Those whose"), [""; 0]);
}
