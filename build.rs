//! Puts the pages together, in as few bytes as are safe, and cuts them into what stays and what changes: the waiting page,
//! `templates/queue.html`, with its style and its script; the challenge with its script; and the panel. So it does with the
//! texts of the languages. And it puts the script of the store together.
//!
//! Invariant: only comments, white space and the names that the two files give themselves change. A comment stands on lines
//! of its own, and a text in quotes stays as it is.

#[path = "build/parts.rs"]
mod parts;
#[path = "build/script.rs"]
mod script;
#[path = "build/words.rs"]
mod words;

use std::error::Error;
use std::path::Path;
use std::{env, fs};

use parts::{ACCEPTED, compiled, missing};

/// Signs beside which a style needs no space.
const STYLE: Signs = Signs {
    after: "{};:,>",
    before: "{};,>!",
};

/// The same in a script.
const SCRIPT: Signs = Signs {
    after: "=+-*/<>!?:&|,;(){}[]",
    before: "=+-*/<>!?:&|,;(){}[]",
};

/// Signs beside which a script needs no new line: an expression goes on there. Elsewhere the line's end is a semicolon.
const SCRIPT_LINES: Signs = Signs {
    after: "=?:&|,({[",
    before: "?:&|.,)}]",
};

/// What the script does not name itself: words of the language and what a browser offers, besides names with a capital
/// letter, which are all a browser's. Any other name becomes a short one.
const OTHERS: &str = "async await catch const throw else false for if let new null of return true try undefined \
    addEventListener clearInterval clearTimeout document encodeURIComponent fetch location matchMedia navigator parseInt sessionStorage setInterval setTimeout stop \
    window";

/// With what a comment of a page, a style or a script begins.
const COMMENTS: [&str; 3] = ["//", "/*", "<!--"];

/// The end of a notice, in whose place others go on.
const END: &str = "</main></body>";

struct Signs {
    after: &'static str,
    before: &'static str,
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=templates");
    let folder = env::var("OUT_DIR")?;
    script::write(Path::new(&folder))?;
    let read = |name: &str| fs::read_to_string(format!("templates/{name}"));
    let style = squeezed(&bare(&read("queue.css")?, &COMMENTS), &STYLE, &STYLE);
    let style = renamed(&style, "--", |name, _| name.starts_with("--"));
    let countdown = squeezed(&bare(&read("countdown.css")?, &COMMENTS), &STYLE, &STYLE);
    let script = squeezed(&bare(&read("queue.js")?, &COMMENTS), &SCRIPT, &SCRIPT_LINES);
    let script = renamed(&script, "", is_own);
    let page = read("queue.html")?;
    // A page of an operator's own is left as it is: its white space and its comments may have a meaning.
    let is_ours = page.contains("<style>queue.css");
    let page = if is_ours {
        bare(&page, &COMMENTS).replace(">\n<", "><")
    } else {
        page
    };
    let page = page
        .replace("<style>queue.css", &format!("<style>{style}"))
        .replace("<style>countdown.css", &format!("<style>{countdown}"))
        .replace("<script>queue.js", &format!("<script>{script}"));
    let script = squeezed(
        &bare(&read("challenge.js")?, &COMMENTS),
        &SCRIPT,
        &SCRIPT_LINES,
    );
    let script = renamed(&script, "", is_own);
    let challenge = bare(&read("challenge.html")?, &COMMENTS);
    let challenge = challenge.replace("<script>challenge.js", &format!("<script>{script}"));
    let notice = read("notice.html")?;
    let chart = read("report-chart.html")?;
    let pages = [
        ("queue", page),
        ("challenge", notice.replace(END, &challenge)),
        ("invitation", notice.replace(END, &read("invitation.html")?)),
        ("notice", notice),
        ("question", read("question.html")?),
        (
            "report",
            read("report.html")?.replace("report-chart.html", &chart),
        ),
        ("report_chart", chart),
        ("admin", panel(&read("admin.html")?)),
    ];
    write(Path::new(&folder), &pages)
}

/// Each page as it is, for tests and for Handlebars, and all of them compiled.
fn write(folder: &Path, pages: &[(&str, String)]) -> Result<(), Box<dyn Error>> {
    let languages = words::read()?;
    words::write(folder, &languages)?;
    let mut all = String::new();
    for (name, page) in pages {
        let file = format!("{name}.html");
        let upper = name.to_uppercase();
        for lacking in missing(page, &languages) {
            println!("cargo::warning=templates/{file}: {lacking}");
        }
        fs::write(folder.join(&file), page)?;
        let line = match (compiled(page, &languages), *name) {
            (Some(compiled), "queue") => format!(
                "pub(super) const QUEUE: BuiltIn = Ok(&QUEUE_PAGE);\nstatic QUEUE_PAGE: Compiled = {compiled};\n"
            ),
            (Some(compiled), _) => {
                format!("pub(super) static {upper}: Compiled = {compiled};\n")
            }
            (None, "queue") => format!(
                "pub(super) const QUEUE: BuiltIn = Err(include_str!(concat!(env!(\"OUT_DIR\"), \"/{file}\")));\n"
            ),
            (None, _) => return Err(format!("templates/{file} has more than {ACCEPTED}").into()),
        };
        all.push_str(&line);
    }
    fs::write(folder.join("pages.rs"), all)?;
    Ok(())
}

/// The panel without comments, and without white space in its style and its script.
fn panel(page: &str) -> String {
    let page = bare(page, &COMMENTS);
    let (head, rest) = page.split_once("<style>").unwrap_or((&page, ""));
    let (style, rest) = rest.split_once("</style>").unwrap_or((rest, ""));
    let (body, script) = rest.split_once("<script>").unwrap_or((rest, ""));
    let style = squeezed(style, &STYLE, &STYLE);
    let script = squeezed(script, &SCRIPT, &SCRIPT_LINES);
    format!("{head}<style>{style}</style>{body}<script>{script}")
}

/// Without lines that begin as comments do, indentation and empty lines.
fn bare(text: &str, comments: &[&str]) -> String {
    let is_comment = |line: &str| comments.iter().any(|begin| line.starts_with(begin));
    let lines = text.lines().map(str::trim);
    let kept = lines.filter(|line| !line.is_empty() && !is_comment(line));
    kept.collect::<Vec<_>>().join("\n")
}

/// The quote that is open after this letter.
fn quoted(open: Option<char>, letter: char) -> Option<char> {
    match (open, letter) {
        (None, '"' | '\'') => Some(letter),
        (Some(begun), end) if begun == end => None,
        (open, _) => open,
    }
}

/// Without white space that stands beside a sign of these.
fn squeezed(text: &str, spaces: &Signs, lines: &Signs) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut quote = None;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let signs = if letter == '\n' { lines } else { spaces };
        let before = kept.chars().next_back().unwrap_or('\n');
        let after = *letters.peek().unwrap_or(&'\n');
        // `a + +b` is no `a++b`.
        let is_needed = before == after && "+-".contains(before);
        let is_beside = signs.after.contains(before) || signs.before.contains(after);
        let is_blank = letter.is_whitespace() && quote.is_none();
        quote = quoted(quote, letter);
        if !is_blank || is_needed || !is_beside {
            kept.push(letter);
        }
    }
    kept
}

/// With a short name for each name of its own. `is_own` sees a name and the signs around it.
fn renamed(text: &str, prefix: &str, is_own: fn(&str, [char; 2]) -> bool) -> String {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "_$".contains(letter);
    let is_part = |letter: char| is_part(letter) || (letter == '-' && !prefix.is_empty());
    let (mut kept, mut names) = (String::with_capacity(text.len()), Vec::new());
    let (mut rest, mut quote) = (text, None);
    while let Some(letter) = rest.chars().next() {
        let length = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        let (token, after) = rest.split_at(length.max(letter.len_utf8()));
        let around = [kept.chars().next_back(), after.chars().next()];
        let around = around.map(|sign| sign.unwrap_or('\n'));
        if length == 0 || quote.is_some() || !is_own(token, around) {
            quote = token.chars().fold(quote, quoted);
            kept.push_str(token);
        } else {
            let known = names.iter().position(|name| *name == token);
            let index = known.unwrap_or(names.len());
            names.extend(known.is_none().then_some(token));
            kept.push_str(prefix);
            kept.push_str(&short(index));
        }
        rest = after;
    }
    kept
}

/// Whether the script gave that name: no property, no key, no number, and nothing that a browser has.
fn is_own(name: &str, [before, after]: [char; 2]) -> bool {
    let is_key = "{,".contains(before) && after == ':';
    let is_no_name_of_ours =
        name.starts_with(|letter: char| letter.is_ascii_digit() || letter.is_ascii_uppercase());
    let is_others = OTHERS.split_whitespace().any(|other| other == name);
    before != '.' && !is_key && !is_no_name_of_ours && !is_others
}

/// `a` to `z` and `A` to `Z`, then `aa`, `ab` and so on.
fn short(index: usize) -> String {
    let letter = |index: usize| ('a'..='z').chain('A'..='Z').nth(index % 52);
    let first = (index >= 52).then(|| letter(index / 52 - 1));
    first.flatten().into_iter().chain(letter(index)).collect()
}
