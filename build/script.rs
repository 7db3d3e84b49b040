//! Puts the script of the store together from its files: without comments and white space that Lua does not need, on one line, and
//! with short names in the place of local ones and of Lua's own. So these stay out of the Wasm and of what is sent to the store,
//! which a connection that begins slowly takes round trips for.
//!
//! Each file is a module, which uses another one by `require` and ends with what it gives. Redis runs all of the script anew at each
//! call, and making a function takes time. So a module is the body of a branch, which runs at the first use in a call, and a verb is
//! the body of another one, which runs when it is called.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use miniz_oxide::deflate::compress_to_vec;

use crate::{Signs, bare, short, squeezed};

/// Where the files are.
const FOLDER: &str = "src/store/lua";

/// All modules. Those that a draw uses come first: a name is compared with one after the other.
const MODULES: [&str; 44] = [
    "call",
    "record",
    "live",
    "events",
    "health",
    "mode",
    "lanes",
    "rolls",
    "cap",
    "bound",
    "absent",
    "journal",
    "rate",
    "opening",
    "copy",
    "board",
    "answer",
    "save",
    "release",
    "draw",
    "memory",
    "pace",
    "counts",
    "ticket",
    "turns",
    "sessions",
    "claim",
    "ended",
    "shares",
    "lane_draw",
    "invite",
    "network",
    "window",
    "heard",
    "history",
    "turnout",
    "figures",
    "lot",
    "steps",
    "settings",
    "joint",
    "parts",
    "loss",
    "slowed",
];

/// All verbs, the frequent ones first.
const VERBS: [&str; 8] = [
    "join", "look", "change", "status", "panel", "metrics", "journal", "trace",
];

/// The names `modules`, `make`, `module`, `run` and `verb` are the script's own.
const REQUIRE: &str = "local modules, make = {}
local function require(module)
local made = modules[module]
if not made then
made = make(module)
modules[module] = made
end
return made
end
";

/// Signs beside which Lua needs no white space: neither between two words nor between two statements. A minus stays apart: two of
/// them begin a comment.
const SIGNS: Signs = Signs {
    after: "=,{}()[]<>+*/~#%'",
    before: "=,{}()[]<>+*/~#%'",
};

/// Writes the script for the Wasm.
pub(crate) fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={FOLDER}");
    let script = [
        REQUIRE,
        "function make(module)\n",
        &branches("module", "", &MODULES)?,
        "local function run(verb)\n",
        &branches("verb", "verbs/", &VERBS)?,
        "return require('opening')() or run(require('call').arg.verb)()\n",
    ];
    let bare = bare(&script.concat(), &["--"]);
    // A text in quotes has no end of a line in it.
    let script = renamed(&squeezed(&bare, &SIGNS, &SIGNS).replace('\n', " "));
    fs::write(
        folder.join("script.deflate"),
        compress_to_vec(script.as_bytes(), 10),
    )?;
    fs::write(folder.join("script.lua"), script)?;
    Ok(())
}

/// The rest of a function: what each of these files gives, by the name in this variable.
fn branches(variable: &str, folder: &str, names: &[&str]) -> Result<String, Box<dyn Error>> {
    let branch = |(place, name): (usize, &&str)| {
        let path = format!("{FOLDER}/{folder}{name}.lua");
        let text = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        let begin = if place == 0 { "if" } else { "elseif" };
        Ok(format!("{begin} {variable} == '{name}' then\n{text}\n"))
    };
    let all: Result<String, Box<dyn Error>> = names.iter().enumerate().map(branch).collect();
    Ok(all? + "end\nend\n")
}

/// What Lua has by itself: its words, and two names that Redis opens to a script and that stand in it once or twice.
const LUA: &str = "and break do else elseif end false for function if in local nil not or repeat return then true until while ARGV KEYS";

/// What else Lua and Redis have by name: each becomes a local name of the script.
const LIBRARY: &str = "cjson error ipairs math next pairs pcall redis select setmetatable string table tonumber tostring type unpack";

/// With a short name for each local name and each name of the library, the same one wherever it stands, and the shortest for those that
/// stand most often. Fields and the keys of tables keep theirs, and so does what begins with `_`, which tells the linter that it is not
/// used.
fn renamed(script: &str) -> String {
    let is_of_lua = |name: &str| LUA.split(' ').any(|other| other == name);
    let tokens = tokens(script);
    let flags = are_names(&tokens);
    let mut uses = BTreeMap::new();
    for (token, is_name) in tokens.iter().zip(&flags) {
        if *is_name && !is_of_lua(token) {
            *uses.entry(*token).or_insert(0_u32) += 1;
        }
    }
    let mut by_use: Vec<_> = uses.into_iter().collect();
    by_use.sort_by_key(|(_, uses)| Reverse(*uses));
    let short_names = (0..).map(short).filter(|name| !is_of_lua(name));
    let names: BTreeMap<_, _> = by_use
        .into_iter()
        .map(|(name, _)| name)
        .zip(short_names)
        .collect();
    let of_library: (Vec<_>, Vec<_>) = LIBRARY
        .split(' ')
        .filter_map(|name| Some((names.get(name)?.as_str(), name)))
        .unzip();
    let kept = tokens.iter().zip(&flags).map(|(token, is_name)| {
        let name = names.get(token).filter(|_| *is_name);
        name.map_or(*token, String::as_str)
    });
    let (here, there) = (of_library.0.join(","), of_library.1.join(","));
    format!("local {here}={there} {}", kept.collect::<String>())
}

/// Which of them are names by themselves: no fields, no keys of tables, no words in quotes, no numbers.
fn are_names(tokens: &[&str]) -> Vec<bool> {
    // What is open where a token stands: a table, another bracket, or a block.
    let mut open = Vec::new();
    let (mut flags, mut before) = (Vec::with_capacity(tokens.len()), "");
    for (place, &token) in tokens.iter().enumerate() {
        match token {
            "{" | "(" | "[" | "function" | "if" | "do" | "repeat" => open.push(token),
            "}" | ")" | "]" | "end" | "until" => {
                open.pop();
            }
            _ => {}
        }
        let mut behind = tokens.iter().skip(place + 1);
        let after = behind.find(|token| !token.trim().is_empty());
        let is_key =
            open.last() == Some(&"{") && matches!(before, "{" | ",") && after == Some(&"=");
        let is_word = token.starts_with(|letter: char| letter.is_ascii_alphabetic());
        flags.push(is_word && !is_key && !matches!(before, "." | ":"));
        if !token.trim().is_empty() {
            before = token;
        }
    }
    flags
}

/// Names, numbers, texts in quotes, runs of dots and comparisons; everything else one letter each.
fn tokens(script: &str) -> Vec<&str> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let (mut tokens, mut rest) = (Vec::new(), script);
    while let Some(first) = rest.chars().next() {
        let run =
            |is_in: &dyn Fn(char) -> bool| rest.find(|letter| !is_in(letter)).unwrap_or(rest.len());
        let length = match first {
            '"' | '\'' => {
                let mut quotes = rest.match_indices(first).skip(1);
                quotes.next().map_or(rest.len(), |(place, _)| place + 1)
            }
            '.' => run(&|letter| letter == '.'),
            '=' | '~' | '<' | '>' => run(&|letter| "=~<>".contains(letter)),
            _ if is_part(first) => run(&is_part),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        tokens.push(token);
        rest = after;
    }
    tokens
}
