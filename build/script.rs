//! Puts the script of the store together from its files: without comments, indentation, blank lines, and white space that Lua does
//! not need, so these stay out of the Wasm and of what is sent to the store.
//!
//! Each file is a module, which uses another one by `require` and ends with what it gives. Redis runs all of the script anew at each
//! call, and making a function takes time. So a module is the body of a branch, which runs at the first use in a call, and a verb is
//! the body of another one, which runs when it is called.

use std::error::Error;
use std::fs;
use std::path::Path;

use crate::{Signs, squeezed};

/// Where the files are.
const FOLDER: &str = "src/store/lua";

/// All modules. Those that a draw uses come first: a name is compared with one after the other.
const MODULES: [&str; 41] = [
    "call",
    "record",
    "live",
    "events",
    "health",
    "mode",
    "lanes",
    "birth",
    "cap",
    "bound",
    "absent",
    "journal",
    "rate",
    "opening",
    "sign",
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
    "regions",
    "shares",
    "lane_draw",
    "invite",
    "network",
    "window",
    "heard",
    "turnout",
    "figures",
    "lot",
    "gaps",
    "settings",
    "pieces",
    "restore",
];

/// All verbs, the frequent ones first.
const VERBS: [&str; 8] = [
    "join", "look", "change", "status", "board", "metrics", "journal", "trace",
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

/// Signs beside which Lua needs no space. A minus stays apart: two of them begin a comment.
const SPACES: Signs = Signs {
    after: "=,{}()[]<>+*/~#%",
    before: "=,{}()[]<>+*/~#%",
};
/// Signs beside which it needs no new line. Elsewhere the line's end is that of a statement.
const LINES: Signs = Signs {
    after: "=,{(",
    before: "})",
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
        "require('opening')()\nreturn run(require('call').arg.verb)()\n",
    ];
    let lines = script.iter().flat_map(|part| part.lines()).map(str::trim);
    let kept = lines.filter(|line| !line.is_empty() && !line.starts_with("--"));
    let bare: String = kept.flat_map(|line| [line, "\n"]).collect();
    fs::write(folder.join("script.lua"), squeezed(&bare, &SPACES, &LINES))?;
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
