//! The tests of a program by its sources, before it is compiled: which program has tests of a name is known at once.
//!
//! Every test that the compiled program lists is here by the same name. A macro that declares tests is read with every word
//! of its call in each place that it leaves open, so some names are of no test.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The names of the tests of the program whose first source this is, each with its modules before it.
pub(crate) fn tests(source: &Path) -> BTreeSet<String> {
    let mut reader = Reader::default();
    let folder = source.parent().unwrap_or(source).to_owned();
    reader.file(source, &folder, &[]);
    // Once more, since a macro may be declared after the first module that calls it.
    reader.tests.clear();
    reader.file(source, &folder, &[]);
    let names = reader.tests.into_iter().map(|path| path.join("::"));
    names.collect()
}

/// Modules and a name. In a macro, some begin with `$`.
type Names = Vec<String>;

#[derive(Default)]
struct Reader {
    /// The tests that each macro declares.
    macros: BTreeMap<String, BTreeSet<Names>>,
    tests: BTreeSet<Names>,
}

impl Reader {
    /// Reads a source whose modules have their files in this folder. One that is not there has no tests.
    fn file(&mut self, source: &Path, folder: &Path, modules: &[String]) {
        if let Ok(text) = fs::read_to_string(source) {
            self.read(&words(&text), source, folder, modules);
        }
    }

    fn read(&mut self, words: &[&str], source: &Path, folder: &Path, above: &[String]) {
        let mut modules = above.to_vec();
        // How deep in braces each module of this file is.
        let mut depths = Vec::new();
        let (mut depth, mut is_test, mut path) = (0_usize, false, None);
        let mut rest = words;
        while let [word, after @ ..] = rest {
            rest = after;
            match (*word, after) {
                ("{", _) => depth += 1,
                ("}", _) => {
                    depth = depth.saturating_sub(1);
                    if depths.last() == Some(&depth) {
                        depths.pop();
                        modules.pop();
                    }
                }
                ("#", ["[", ..]) => {
                    let attribute;
                    (attribute, rest) = group(after);
                    is_test |= is_of_test(attribute);
                    if let ["path", "=", file] = attribute {
                        path = Some(file.trim_matches('"').to_owned());
                    }
                }
                ("mod", [name, "{", ..]) => {
                    depths.push(depth);
                    modules.push((*name).to_owned());
                }
                ("mod", [name, ";", ..]) => {
                    let inner = modules.get(above.len()..).unwrap_or_default();
                    let (file, below) = place(source, folder, inner, name, path.take());
                    let modules = [&modules[..], &[(*name).to_owned()]].concat();
                    self.file(&file, &below, &modules);
                }
                ("fn", [name, ..]) if is_test => {
                    is_test = false;
                    self.tests
                        .insert([&modules[..], &[(*name).to_owned()]].concat());
                }
                ("macro_rules", ["!", name, body @ ..]) => {
                    let body_words;
                    (body_words, rest) = group(body);
                    let mut inside = Self::default();
                    inside.read(body_words, source, folder, &[]);
                    self.macros.insert((*name).to_owned(), inside.tests);
                }
                (name, ["!", call @ ..]) if self.macros.contains_key(name) => {
                    let said;
                    (said, rest) = group(call);
                    let said: Vec<&str> = said
                        .iter()
                        .copied()
                        .filter(|word| word_length(word) > 0)
                        .collect();
                    let declared = self.macros.get(name).into_iter().flatten();
                    let filled = declared.flat_map(|names| filled(names, &said));
                    let filled = filled.map(|names| [&modules[..], &names].concat());
                    self.tests.extend(filled);
                }
                _ => {}
            }
        }
    }
}

/// `test`, or `tokio::test`, with or without what follows it in parentheses.
fn is_of_test(attribute: &[&str]) -> bool {
    let mut path = attribute.split(|word| *word == "(");
    path.next().and_then(<[&str]>::last) == Some(&"test")
}

/// Where the file of a module is, and the folder of its own modules.
fn place(
    source: &Path,
    folder: &Path,
    inner: &[String],
    name: &str,
    path: Option<String>,
) -> (PathBuf, PathBuf) {
    let folder = inner
        .iter()
        .fold(folder.to_owned(), |folder, name| folder.join(name));
    if let Some(path) = path {
        let from = if inner.is_empty() {
            source.parent()
        } else {
            None
        };
        let file = from.unwrap_or(&folder).join(path);
        let below = file.parent().unwrap_or(&file).to_owned();
        return (file, below);
    }
    let below = folder.join(name);
    let file = folder.join(format!("{name}.rs"));
    if file.is_file() {
        (file, below)
    } else {
        (below.join("mod.rs"), below)
    }
}

/// A test of a macro with these words in every place that the macro leaves open.
fn filled(names: &[String], said: &[&str]) -> Vec<Names> {
    let mut filled = vec![Names::new()];
    for name in names {
        let fillings = if name.starts_with('$') {
            said
        } else {
            &[&**name]
        };
        let longer = |begin: &Names| {
            let begin = begin.clone();
            let ends = fillings.iter().map(|word| (*word).to_owned());
            ends.map(move |end| [&begin[..], &[end]].concat())
                .collect::<Vec<_>>()
        };
        filled = filled.iter().flat_map(longer).collect();
    }
    filled
}

/// What is between the bracket at the beginning and the one that ends it, and what follows.
fn group<'a, 'b>(words: &'a [&'b str]) -> (&'a [&'b str], &'a [&'b str]) {
    let mut depth = 0_usize;
    let end = words.iter().position(|word| {
        match *word {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    });
    let end = end.unwrap_or(words.len());
    let (inside, rest) = words.split_at_checked(end).unwrap_or((words, &[]));
    (
        inside.get(1..).unwrap_or_default(),
        rest.get(1..).unwrap_or_default(),
    )
}

/// The words and signs of a source, without comments. A string is one word.
fn words(source: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' => 1 + text_length(rest.get(1..).unwrap_or_default()),
            'r' if raw_length(rest).is_some() => raw_length(rest).unwrap_or(1),
            '\'' => character_length(rest),
            '$' => 1 + word_length(rest.get(1..).unwrap_or_default()),
            _ => word_length(rest).max(first.len_utf8()),
        };
        let (word, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        let is_said = !first.is_whitespace()
            && first != '\''
            && !word.starts_with("//")
            && !word.starts_with("/*");
        words.extend(is_said.then_some(word));
        rest = after;
    }
    words
}

fn word_length(text: &str) -> usize {
    let is_of_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.find(|letter| !is_of_word(letter))
        .unwrap_or(text.len())
}

/// To the end of a string that has begun, with its quotation mark.
fn text_length(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.find(|letter| {
        let ends = letter == '"' && !is_escaped;
        is_escaped = letter == '\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 1)
}

/// The length of a string as `r"…"` or `r#"…"#`, if the text begins with one.
fn raw_length(text: &str) -> Option<usize> {
    let behind = text.strip_prefix('r')?;
    let inside = behind.trim_start_matches('#');
    let marks = behind.len() - inside.len();
    let end = format!("\"{}", "#".repeat(marks));
    let length = inside.strip_prefix('"')?.find(&end)?;
    Some(1 + marks + 1 + length + end.len())
}

/// The length of a character in its quotation marks, or of the one before the name of a lifetime.
fn character_length(text: &str) -> usize {
    let mut letters = text.char_indices().skip(1);
    let (first, second) = (letters.next(), letters.next());
    match (first, second) {
        (Some((_, '\\')), Some((after, _))) => {
            let closed = text.get(after + 1..).and_then(|rest| rest.find('\''));
            closed.map_or(1, |at| after + 1 + at + 1)
        }
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

    use std::env;
    use std::process::Command;

    use super::*;

    fn tests_of(files: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        tests(&folder.path().join("main.rs")).into_iter().collect()
    }

    #[test]
    fn every_test_that_this_program_lists_is_read_from_its_sources() {
        let read = tests(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs"));
        let this = env::current_exe().unwrap();
        let listed = Command::new(this).arg("--list").output().unwrap();
        let listed = String::from_utf8(listed.stdout).unwrap();
        let listed = listed
            .lines()
            .filter_map(|line| line.strip_suffix(": test"));
        let listed: BTreeSet<String> = listed.map(str::to_owned).collect();
        assert_eq!(read, listed);
        assert!(read.len() > 10);
    }

    #[test]
    fn a_test_has_the_names_of_its_modules_and_files() {
        let files = [
            (
                "main.rs",
                "mod a; mod b { mod c; fn x() {} } #[test] fn top() {} #[path = \"x/y.rs\"] mod z;",
            ),
            (
                "a.rs",
                "mod d; #[tokio::test(flavor = \"any\")] async fn one() {}",
            ),
            (
                "a/d/mod.rs",
                "#[cfg(test)] mod tests { #[ignore] #[test] fn two() { let x = {}; } } fn no() {}",
            ),
            (
                "b/c.rs",
                "#[test] #[expect(lint, reason = \"fn\")] pub fn three() {}",
            ),
            ("x/y.rs", "#[test] fn four() {}"),
        ];
        let expected = [
            "a::d::tests::two",
            "a::one",
            "b::c::three",
            "top",
            "z::four",
        ];
        assert_eq!(tests_of(&files), expected);
    }

    #[test]
    fn a_story_is_a_test_in_every_house_of_its_macro() {
        let stories = "every! { one two }  fn one() {}";
        let houses = "mod stories; macro_rules! every { ($($story:ident)*) => { \
            mod near { $(#[test] fn $story() { super::$story(); })* #[test] fn all() {} } \
            mod far { $(#[test] fn $story() {})* } } } \
            macro_rules! named { ($house:ident, $other:expr) => { mod $house { #[test] fn it() {} } } } \
            named!(wood, 1);";
        let read = tests_of(&[("main.rs", houses), ("stories.rs", stories)]);
        for test in [
            "near::one",
            "near::two",
            "near::all",
            "far::one",
            "far::two",
        ] {
            assert!(
                read.contains(&format!("stories::{test}")),
                "{test}: {read:?}"
            );
        }
        assert!(read.contains(&"wood::it".to_owned()), "{read:?}");
        assert!(!read.iter().any(|test| test.contains('$')), "{read:?}");
    }

    #[test]
    fn what_a_comment_or_a_string_says_is_no_source() {
        let said = "// #[test] fn a() {}\n/* } */ mod m { const S: &str = r#\"}\"}\"#; const T: &str = \"\\\"}\"; \
            const C: char = '}'; const D: char = '\\''; fn f<'a>(x: &'a str) {} #[test] fn b() {} }";
        assert_eq!(tests_of(&[("main.rs", said)]), ["m::b"]);
    }
}
