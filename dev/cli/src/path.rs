//! `cargo dev path`: the path of one request through the code, by a run with coverage.
//!
//! The program of `dev/path` runs four requests on the service without a platform, and the compiler's instrumentation says which
//! functions they enter. So the lists name what runs. Which of it the docs show is decided here.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use harness::{project, quiet};
use serde::Deserialize;

use crate::docs::with;

/// The options of `cargo dev path`.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Write the lists into docs/deep/architecture.md
    #[arg(long)]
    pub write: bool,
    /// Change nothing, and end with 1 where that page has other lists
    #[arg(long, conflicts_with = "write")]
    pub check: bool,
}

/// Calls a function of the program at the entry of each function. Names with their modules and types need debug information.
const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=1 \
    -Cllvm-args=-sanitizer-coverage-trace-pc-guard -Cdebuginfo=1";

const PAGE: &str = "docs/deep/architecture.md";

/// The cache of a POP without a platform: in production the edge is in its place.
const STAND_IN: &str = "cache/memory.rs";

/// The layers whose types are counted.
const COUNTED: [&str; 2] = ["now_serving::visitor::", "now_serving::service::"];

/// Each request, what it is, and the requests before it: its table has only what it enters besides theirs.
const REQUESTS: [(&str, &str, &[&str]); 4] = [
    ("poll", "A waiting visitor's poll", &[]),
    ("page", "The waiting page", &["poll"]),
    (
        "draw",
        "A draw, which ends in the waiting page",
        &["poll", "page"],
    ),
    ("inside", "A page of a visitor inside", &["poll"]),
];

/// Runs the requests and shows their paths, or writes them into the docs. Whether the docs have these.
///
/// # Errors
/// When the program cannot be compiled, or records nothing.
pub fn path(options: &Options) -> Result<bool, String> {
    let root = &project::project()?.root;
    let sources = Sources(root.join("src"));
    let paths = recorded()?;
    let paths: Vec<RequestPath> = paths.iter().map(|path| sources.path(path)).collect();
    if !options.write && !options.check {
        paths.iter().for_each(show);
        return Ok(true);
    }
    let page = root.join(PAGE);
    let before = fs::read_to_string(&page).map_err(|error| format!("{PAGE}: {error}."))?;
    let after = with(&before, "path", "path --write", &tables(&paths, &sources));
    let after = after.ok_or_else(|| format!("{PAGE} has no place for it."))?;
    if before == after {
        return Ok(true);
    }
    if options.check {
        anstream::println!("{PAGE} is not what a run says: run `cargo dev path --write`.");
        return Ok(false);
    }
    fs::write(&page, after).map_err(|error| format!("{PAGE}: {error}."))?;
    anstream::println!("{PAGE} is written.");
    Ok(true)
}

/// A request as the program recorded it.
#[derive(Debug, Deserialize)]
struct Recorded {
    name: String,
    /// Why it was answered so, as the log has it.
    reason: String,
    entered: Vec<Entered>,
}

/// The first entry of a function.
#[derive(Debug, Deserialize)]
struct Entered {
    /// Its name with its modules, and with its type if it is a method.
    function: String,
    /// Below `src/`.
    file: String,
    line: usize,
    /// The file of the library from which it was called.
    from: Option<String>,
}

/// Compiles the program and runs it. Its folder is its own: what is compiled with other flags stays as it is.
fn recorded() -> Result<Vec<Recorded>, String> {
    let project = project::project()?;
    let (target, host) = (project.target.join("path"), project::host()?);
    let mut command = project::cargo(&["build", "--package=now-serving-path", "--target", &host])?;
    command.arg("--target-dir").arg(&target);
    let program = target.join(host).join("debug/path");
    let what = "Compiling the service with coverage";
    quiet::run(what, command.env("RUSTFLAGS", COVERAGE), Some(&program))?;
    let output = Command::new(&program).current_dir(&project.root).output();
    let output = output.map_err(|error| format!("{}: {error}.", program.display()))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let recorded: Vec<Recorded> = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{}: {error}.", program.display()))?;
    match recorded.iter().find(|request| request.entered.is_empty()) {
        Some(request) => Err(format!("Nothing was recorded of the {}.", request.name)),
        None => Ok(recorded),
    }
}

/// The path of one request.
#[derive(Debug, Default)]
struct RequestPath {
    name: String,
    reason: String,
    /// The files in the order in which a function that is written in them was entered first.
    files: Vec<File>,
    /// The types of [`COUNTED`] with a function that was entered.
    types: BTreeSet<String>,
    /// The files of which only code that `derive` makes was entered.
    derived: BTreeSet<String>,
}

/// A file that was entered.
#[derive(Debug)]
struct File {
    name: String,
    /// The functions that were entered from another file, in their order.
    functions: Vec<String>,
}

impl RequestPath {
    fn has(&self, file: &str) -> bool {
        self.files.iter().any(|known| known.name == file)
    }

    /// The file as far as it is known, or a new one.
    fn file(&mut self, name: &str) -> Option<&mut File> {
        let known = self.files.iter().position(|file| file.name == name);
        let at = known.unwrap_or(self.files.len());
        if known.is_none() {
            self.files.push(File {
                name: name.to_owned(),
                functions: Vec::new(),
            });
        }
        self.files.get_mut(at)
    }
}

/// The folder of the sources.
struct Sources(PathBuf);

impl Sources {
    fn path(&self, recorded: &Recorded) -> RequestPath {
        let mut path = RequestPath {
            name: recorded.name.clone(),
            reason: recorded.reason.clone(),
            ..RequestPath::default()
        };
        let entered = recorded.entered.iter();
        for entered in entered.filter(|entered| entered.file != STAND_IN) {
            path.types.extend(counted_type(&entered.function));
            if !is_written(&self.line(&entered.file, entered.line)) {
                path.derived.insert(entered.file.clone());
                continue;
            }
            let Some(file) = path.file(&entered.file) else {
                continue;
            };
            let name = short(&entered.function);
            let is_from_elsewhere = entered.from.as_ref() != Some(&entered.file);
            if is_from_elsewhere && !file.functions.contains(&name) {
                file.functions.push(name);
            }
        }
        let derived = std::mem::take(&mut path.derived).into_iter();
        path.derived = derived.filter(|file| !path.has(file)).collect();
        path
    }

    fn line(&self, file: &str, line: usize) -> String {
        let text = fs::read_to_string(self.0.join(file)).unwrap_or_default();
        let line = text.lines().nth(line.saturating_sub(1));
        line.unwrap_or_default().to_owned()
    }

    /// The first sentence of what a file says of itself.
    fn purpose(&self, file: &str) -> String {
        let text = fs::read_to_string(self.0.join(file)).unwrap_or_default();
        first_sentence(&text)
    }
}

/// Whether a function or a closure begins in this line. The place of what `derive` makes is the attribute.
fn is_written(line: &str) -> bool {
    line.contains("fn ") || line.contains('|')
}

/// The first sentence of the `//!` lines, without the brackets of links.
fn first_sentence(source: &str) -> String {
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let lines = lines.map(str::trim).take_while(|line| !line.is_empty());
    let paragraph = lines.collect::<Vec<_>>().join(" ");
    let paragraph = paragraph.replace("[`", "`").replace("`]", "`");
    match paragraph.split_once(". ") {
        Some((sentence, _)) => sentence.to_owned(),
        None => paragraph.trim_end_matches('.').to_owned(),
    }
}

/// The paths in the name of a function, from the one that says whose it is: `<a::B as c::D>::e`, `a::<impl c::D for a::B>::e`.
fn paths(function: &str) -> impl Iterator<Item = &str> {
    let whose = function.rsplit(" for ").next().unwrap_or(function);
    whose.split(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '_' | ':')))
}

/// Whether a segment of a path is a type's.
fn is_type(segment: &str) -> bool {
    segment.starts_with(|letter: char| letter.is_uppercase())
}

/// The type whose function it is, with its modules.
fn owner(function: &str) -> Option<String> {
    paths(function).find_map(|path| {
        let segments: Vec<&str> = path.split("::").collect();
        let at = segments.iter().position(|segment| is_type(segment))?;
        Some(segments.get(..=at)?.join("::"))
    })
}

fn counted_type(function: &str) -> Option<String> {
    let is_counted = |name: &String| COUNTED.iter().any(|layer| name.starts_with(layer));
    owner(function).filter(is_counted)
}

/// `Type::function`, or the name of a function that has no type. A closure has that of the function around it.
fn short(function: &str) -> String {
    let function = function.replace("::{{closure}}", "");
    let name = function.rsplit("::").next().unwrap_or_default();
    let owner = owner(&function);
    let owner = owner.as_deref().and_then(|owner| owner.rsplit("::").next());
    match owner {
        Some(owner) => format!("{owner}::{name}"),
        None => name.to_owned(),
    }
}

/// Prints the path of a request.
fn show(path: &RequestPath) {
    let (files, types) = (path.files.len(), path.types.len());
    let (name, reason) = (&path.name, &path.reason);
    anstream::println!(
        "{name}, answered as {reason}: {files} files, {types} types of visitor and service"
    );
    for file in &path.files {
        anstream::println!("  {}: {}", file.name, file.functions.join(", "));
    }
    let last = |name: &String| name.rsplit("::").next().unwrap_or_default().to_owned();
    let types: Vec<String> = path.types.iter().map(last).collect();
    let derived: Vec<&str> = path.derived.iter().map(String::as_str).collect();
    anstream::println!("  types: {}", types.join(", "));
    anstream::println!("  only what derive makes: {}\n", derived.join(", "));
}

/// The lists as the docs have them: a table for each request.
fn tables(paths: &[RequestPath], sources: &Sources) -> String {
    let find = |name: &str| paths.iter().find(|path| path.name == name);
    let mut text = String::new();
    for (name, title, besides) in REQUESTS {
        let Some(path) = find(name) else {
            continue;
        };
        let (files, types) = (path.files.len(), path.types.len());
        let _ = write!(
            text,
            "\n### {title}\n\n{files} files, and {types} types of `visitor` and `service`."
        );
        if !besides.is_empty() {
            let others = besides.join(" and the ");
            let _ = write!(text, " Besides those of the {others}:");
        }
        text.push_str("\n\n| file | what it has |\n|---|---|\n");
        let others: Vec<&RequestPath> = besides.iter().filter_map(|name| find(name)).collect();
        let is_shared = |file: &str| others.iter().any(|other| other.has(file));
        for file in path.files.iter().filter(|file| !is_shared(&file.name)) {
            let purpose = sources.purpose(&file.name).replace('|', "\\|");
            let _ = writeln!(text, "| `{}` | {purpose} |", file.name);
        }
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

    use super::*;

    #[test]
    fn a_function_is_named_with_its_type() {
        for (function, expected, owner_of) in [
            ("now_serving::service::handle", "handle", None),
            ("now_serving::service::handle::{{closure}}", "handle", None),
            (
                "now_serving::visitor::visit::Visit::position",
                "Visit::position",
                Some("now_serving::visitor::visit::Visit"),
            ),
            (
                "<now_serving::visitor::kind::Kind as core::cmp::PartialEq>::eq",
                "Kind::eq",
                Some("now_serving::visitor::kind::Kind"),
            ),
            (
                "now_serving::queue::rolls::<impl now_serving::queue::board::Board>::has_ended",
                "Board::has_ended",
                None,
            ),
            (
                "now_serving::visitor::a::_::<impl serde_core::ser::Serialize for now_serving::visitor::a::B>::serialize",
                "B::serialize",
                Some("now_serving::visitor::a::B"),
            ),
        ] {
            assert_eq!(short(function), expected);
            assert_eq!(counted_type(function).as_deref(), owner_of, "{function}");
        }
    }

    #[test]
    fn a_file_says_in_its_first_sentence_what_it_has() {
        let source = "//! A copy of the [`Board`], in a\n//! cache. It is old soon.\n//!\n//! More.\nuse a;\n";
        assert_eq!(first_sentence(source), "A copy of the `Board`, in a cache");
        assert_eq!(first_sentence("//! One.\nuse a;\n"), "One");
        assert_eq!(first_sentence("use a;\n"), "");
    }

    #[test]
    fn files_are_listed_once_in_order_and_those_of_derived_code_apart() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        file("a.rs", "//! The first.\nfn a() {}\nfn hidden() {}\n");
        file("b.rs", "//! Data.\n#[derive(Clone)]\nstruct B;\n");
        file("c.rs", "//! The last | one.\nfn c() {}\n");
        let entered = |function: &str, file: &str, line, from: Option<&str>| Entered {
            function: function.to_owned(),
            file: file.to_owned(),
            line,
            from: from.map(str::to_owned),
        };
        let recorded = |name: &str, entered| Recorded {
            name: name.to_owned(),
            reason: "waiting".to_owned(),
            entered,
        };
        let sources = Sources(folder.path().to_owned());
        let poll = vec![
            entered("now_serving::a::a", "a.rs", 2, None),
            entered(
                "<now_serving::b::B as Clone>::clone",
                "b.rs",
                2,
                Some("a.rs"),
            ),
            entered("now_serving::c::c", STAND_IN, 2, Some("a.rs")),
            entered("now_serving::a::hidden", "a.rs", 3, Some("a.rs")),
        ];
        let path = sources.path(&recorded("poll", poll));
        let functions = path.files.iter().map(|file| file.functions.join(" "));
        assert_eq!(functions.collect::<Vec<_>>(), ["a"]);
        assert!(
            path.has("a.rs") && path.derived.contains("b.rs"),
            "{path:?}"
        );
        let page = vec![
            entered("now_serving::a::a", "a.rs", 2, None),
            entered("now_serving::c::c", "c.rs", 2, Some("a.rs")),
        ];
        let page = sources.path(&recorded("page", page));
        let text = tables(&[path, page], &sources);
        let [poll, page] = [
            "| `a.rs` | The first |\n",
            "| `c.rs` | The last \\| one |\n",
        ];
        assert!(text.contains(&format!("|---|---|\n{poll}\n###")), "{text}");
        assert!(text.contains(&format!("|---|---|\n{page}\n")), "{text}");
    }
}
