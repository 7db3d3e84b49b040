//! Every command of the README, the tutorials and the how-tos is run by the suite, or the page says why not.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use super::page::{documents, files, guides, name, text, told};

/// What this test runs, in a folder of its own: how the commands begin.
const HERE: [&str; 12] = [
    "now-serving secret",
    "now-serving check",
    "now-serving plan",
    "cargo dev secret",
    "cargo dev check",
    "cargo dev plan",
    "cargo dev simulate --list",
    "cargo dev serve --help",
    "printf %s \"$JWT_SECRET\" | cargo dev secret",
    "export JWT_SECRET=",
    "export QUEUE_PASS_KEYS=",
    "python3 -c",
];

/// What another test runs: how the command begins, the test, and by which words its source runs it. Its options are there too.
const ELSEWHERE: [(&str, &str, &str); 19] = [
    (
        "tar xzf now-serving-0.1.0-demo-x86_64-linux.tar.gz",
        "a_release_has_all_that_it_needs_and_the_same_commit_gives_the_same_bytes",
        "\"xzf\"",
    ),
    (
        "now-serving-demo/serve",
        "the_program_the_wasm_and_the_settings_are_all_that_a_demo_needs_besides_the_local_server",
        "\"serve\"",
    ),
    (
        "now-serving probe",
        "without_leave_a_service_is_looked_at_and_nothing_in_it_moves",
        "\"probe\"",
    ),
    (
        "sudo install -m 755 now-serving-0.1.0-x86_64-linux",
        "a_release_has_all_that_it_needs_and_the_same_commit_gives_the_same_bytes",
        "\"install\"",
    ),
    (
        "cargo dev serve",
        "even_a_killed_one_leaves_no_process_and_no_port",
        "\"serve\"",
    ),
    (
        "cargo dev probe",
        "without_leave_a_service_is_looked_at_and_nothing_in_it_moves",
        "\"probe\"",
    ),
    (
        "fastly compute build",
        "build_pack_validate_and_serve_work_on_their_own",
        "\"compute\", \"build\"",
    ),
    (
        "sh deploy/first.sh",
        "six_answers_lead_from_nothing_to_an_active_version",
        "exec sh deploy/first.sh",
    ),
    (
        "PACKAGE=now-serving-0.1.0.tar.gz sh deploy/first.sh",
        "a_first_visitor_goes_in_with_what_it_has_stored",
        "\"PACKAGE\"",
    ),
    (
        "fastly compute init --from",
        "a_copy_and_a_package_alone_lead_to_a_service_by_six_answers",
        "fastly compute init --from",
    ),
    (
        "fastly compute deploy --package FILE",
        "a_copy_and_a_package_alone_lead_to_a_service_by_six_answers",
        "fastly compute deploy --status-check-off",
    ),
    (
        "sha256sum --check --ignore-missing SHA256SUMS",
        "a_release_has_all_that_it_needs_and_the_same_commit_gives_the_same_bytes",
        "sha256sum",
    ),
    (
        "cargo dev release",
        "a_release_has_all_that_it_needs_and_the_same_commit_gives_the_same_bytes",
        "\"--draft\"",
    ),
    (
        "node examples/origin/node/server.js",
        "node_lets_in_requests_with_a_good_pass_alone",
        "node/server.js",
    ),
    (
        "export QUEUE_URL=",
        "a_shell_lets_visitors_in_once_for_each_key",
        "QUEUE_URL",
    ),
    (
        "examples/permit/permit.sh",
        "a_shell_lets_visitors_in_once_for_each_key",
        "permit/permit.sh",
    ),
    (
        "python3 examples/app/app.py",
        "an_app_waits_with_one_number_and_goes_in",
        "app/app.py",
    ),
    (
        "python3 examples/logs/load.py",
        "the_queries_tell_what_happened_in_a_run",
        "logs/load.py",
    ),
    (
        "rehearsal/bin/locust -f examples/rehearse/locustfile.py",
        "visitors_of_a_rehearsal_draw_one_number_each_and_go_in_when_they_are_called",
        "rehearse/locustfile.py",
    ),
];

/// The sections whose blocks `publish.rs` runs as they stand: page and heading.
const SECTIONS: [(&str, &str); 10] = [
    (
        "deploy-with-the-cli.md",
        "## Domain and certificate, then DNS",
    ),
    ("deploy-with-the-cli.md", "## Later"),
    ("at-fastly-already.md", "## Move"),
    (
        "use-an-origin-that-goes-by-host.md",
        "## Take the first name away",
    ),
    (
        "../deep/deploy-by-questions.md",
        "# Deploy with Fastly's CLI alone: it asks questions",
    ),
    ("deploy-with-terraform.md", "## Write the secrets"),
    ("let-visitors-in-from-your-backend.md", "## Store the token"),
    ("migrate.md", "## From Fastly's starter kit"),
    ("rotate-secrets.md", "# Rotate `jwt_secret`"),
    ("undo-anything.md", "# Undo anything"),
];

/// The lines of [`SECTIONS`].
static RUN_AS_THEY_STAND: LazyLock<Vec<String>> = LazyLock::new(|| {
    let test = text("dev/cli/tests/commands/publish.rs");
    let lines = SECTIONS.iter().flat_map(|(page, heading)| {
        for word in [page, heading] {
            assert!(test.contains(&format!("\"{word}\"")), "{word}");
        }
        let page = text(&format!("docs/how-to/{page}"));
        let (_, section) = page.split_once(&format!("{heading}\n")).unwrap();
        let section = section.split("\n## ").next().unwrap();
        let blocks = section.split("```sh").skip(1).map(|block| {
            let block = block.split("```").next().unwrap();
            told("", &format!("```sh{block}```"))
        });
        let lines = blocks.flatten().flat_map(|told| told.commands);
        lines.collect::<Vec<_>>()
    });
    lines.collect()
});

/// The tests of the project, as text.
static TESTS: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let sources = ["cli", "dev", "tests"]
        .iter()
        .flat_map(|folder| files(folder, ".rs"));
    let sources = sources.map(|path| (name(&path), fs::read_to_string(path).unwrap()));
    sources.collect()
});

/// The words of a command up to its first option or value that the reader puts in.
fn head(command: &str) -> String {
    let words = command.split_whitespace();
    let words = words.take_while(|word| !word.starts_with('-') && !is_blank(word));
    words.collect::<Vec<_>>().join(" ")
}

/// Whether a word stands for another one: `URL`, `NAME`, `N`.
fn is_blank(word: &str) -> bool {
    word.chars().all(|letter| letter.is_ascii_uppercase())
}

fn options(command: &str) -> impl Iterator<Item = &str> {
    let words = command.split_whitespace();
    words.filter(|word| word.starts_with("--") && word.len() > 2)
}

fn runs_here(command: &str) -> bool {
    HERE.iter().any(|begin| command.starts_with(begin))
}

/// Whether a test of another file runs it, with all of its options.
fn runs_elsewhere(command: &str) -> bool {
    ELSEWHERE.iter().any(|(begin, test, by)| {
        let (_, source) = TESTS
            .iter()
            .find(|(_, source)| source.contains(&format!("fn {test}(")))
            .unwrap_or_else(|| panic!("there is no test {test}"));
        assert!(source.contains(by), "{test} does not run {begin}");
        let has =
            |option: &str| begin.contains(option) || source.contains(&format!("\"{option}\""));
        command.starts_with(begin) && options(command).all(has)
    })
}

/// As it stands, or the same with other values.
fn runs_in_a_section(command: &str) -> bool {
    let lines = RUN_AS_THEY_STAND.iter();
    let mut parts = lines.flat_map(|line| [line.as_str()].into_iter().chain(line.split(" && ")));
    parts.any(|line| {
        let is_short =
            head(line) == head(command) && options(command).all(|option| line.contains(option));
        line == command || command.starts_with("fastly ") && is_short
    })
}

/// `cargo dev test NAME` runs a test; `cargo dev NAME` and `now-serving NAME` alone are the names of commands.
fn is_named(command: &str) -> bool {
    let mut programs = ["cargo dev ", "now-serving "].iter();
    let Some(words) = programs.find_map(|program| command.strip_prefix(program)) else {
        return false;
    };
    match words.strip_prefix("test ") {
        Some(filter) => TESTS.iter().any(|(file, source)| {
            let mut names = source.lines().filter(|line| line.contains("fn "));
            file.contains(filter) || names.any(|name| name.contains(filter))
        }),
        None => words.split_whitespace().count() == 1,
    }
}

#[test]
fn every_command_of_a_guide_is_run_or_the_page_says_why_not() {
    let (mut many, mut faults) = (0, Vec::new());
    for page in guides() {
        for told in told(&page, &text(&page)) {
            let is_run = |command: &&String| {
                runs_here(command)
                    || runs_elsewhere(command)
                    || runs_in_a_section(command)
                    || is_named(command)
            };
            let others: Vec<_> = told.commands.iter().filter(|told| !is_run(told)).collect();
            many += told.commands.len();
            match &told.mark {
                None if !others.is_empty() => faults.push(format!("{}: {others:?}", told.at)),
                Some(mark) if others.is_empty() => {
                    faults.push(format!("{}: all of it is run: {mark}", told.at));
                }
                _ => {}
            }
        }
    }
    assert!(many > 80, "{many}");
    assert!(faults.is_empty(), "{faults:#?}");
}

/// A shell takes one that is not set for nothing.
#[test]
fn every_variable_of_a_deployment_is_set_by_the_page_or_printed_by_the_script() {
    let script = text("deploy/first.sh");
    let (_, printed) = script.split_once("The guides use these names:").unwrap();
    let (printed, _) = printed.split_once("To undo").unwrap();
    let (mut many, mut faults) = (0, Vec::new());
    for page in [
        "at-fastly-already",
        "../deep/deploy-by-questions",
        "deploy-with-terraform",
        "deploy-with-the-cli",
        "use-an-origin-that-goes-by-host",
    ] {
        let page = text(&format!("docs/how-to/{page}.md"));
        for after in page.split('$').skip(1) {
            let end = after.find(|letter: char| !letter.is_ascii_uppercase() && letter != '_');
            let name = &after[..end.unwrap()];
            let is_set = printed.contains(&format!(" {name}="))
                || page.contains(&format!(" {name}="))
                || page.contains(&format!("`{name}`"));
            many += usize::from(name.len() > 1);
            if name.len() > 1 && !is_set {
                faults.push(name.to_owned());
            }
        }
    }
    assert!(many > 10 && faults.is_empty(), "{many}: {faults:?}");
}

/// An interactive zsh takes a `#` and what follows for words of the command.
#[test]
fn no_block_that_a_reader_pastes_has_a_comment() {
    let mut faults = Vec::new();
    for page in files("docs", ".md")
        .iter()
        .map(|path| name(path))
        .chain(["README.md".to_owned()])
    {
        for block in text(&page).split("```sh\n").skip(1) {
            let lines = block.split("```").next().unwrap().lines();
            let comments = lines.filter(|line| line.trim().starts_with('#') || line.contains(" #"));
            faults.extend(comments.map(|line| format!("{page}: {line}")));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// In the order of the page, in a folder with the files that it names.
#[test]
fn what_a_guide_says_of_secrets_settings_and_plans_runs_as_it_stands() {
    let mut many = 0;
    for page in guides() {
        let folder = tempfile::tempdir().unwrap();
        let settings = documents("docs/tutorial/protect-a-site.md").remove(0);
        fs::write(folder.path().join("settings.json"), settings).unwrap();
        fs::write(folder.path().join("logo.svg"), "<svg/>").unwrap();
        let commands = told(&page, &text(&page)).into_iter();
        let commands = commands.flat_map(|told| told.commands);
        let is_whole = |command: &String| {
            let is_installed = command.starts_with("now-serving ");
            command.split_whitespace().count() > if is_installed { 2 } else { 3 }
                || command == "cargo dev secret"
        };
        let is_mine = |command: &String| {
            runs_here(command)
                && !command.contains("fastly ")
                && is_whole(command)
                && !command.split_whitespace().any(is_blank)
        };
        let commands: Vec<String> = commands.filter(is_mine).collect();
        many += commands.len();
        run(&page, folder.path(), &commands.join("\n"));
    }
    assert!(many > 15, "{many}");
}

/// Runs them with a `now-serving` in the `PATH`: `cargo dev` has the same commands.
fn run(page: &str, folder: &Path, commands: &str) {
    let programs = tempfile::tempdir().unwrap();
    let dev = env!("CARGO_BIN_EXE_dev");
    symlink(dev, programs.path().join("now-serving")).unwrap();
    let path = std::env::var("PATH").unwrap();
    let output = Command::new("sh")
        .args([
            "-euc",
            &format!("cargo() {{ shift; \"$DEV\" \"$@\"; }}\n{commands}"),
        ])
        .current_dir(folder)
        .env("DEV", dev)
        .env("PATH", format!("{}:{path}", programs.path().display()))
        .env("JWT_SECRET", "development-only-jwt-secret-0123456789abcdef")
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(output.status.success(), "{page}:\n{commands}\n{said}");
}

/// The commands of a program, each with its options, as `cargo dev docs` writes them.
fn sections<'a>(reference: &'a str, program: &str) -> Vec<(&'a str, &'a str)> {
    let begin = format!("\n## `{program} ");
    let sections = reference.split(&begin).skip(1);
    let sections: Vec<_> = sections
        .map(|section| section.split_once('`').unwrap())
        .collect();
    assert!(sections.len() > 8, "{sections:?}");
    sections
}

#[test]
fn every_page_names_commands_and_options_that_there_are() {
    let [cli, dev] = ["reference/cli", "deep/dev"].map(|page| text(&format!("docs/{page}.md")));
    let of_operators = sections(&cli, "now-serving");
    // Operators' commands that both programs have are on the page of the shipped one. What `cargo dev` has of the same name comes first.
    let mut of_developers = sections(&dev, "cargo dev");
    let names: Vec<_> = of_developers.iter().map(|(name, _)| *name).collect();
    let shared = of_operators
        .iter()
        .filter(|(name, _)| !names.contains(name));
    of_developers.extend(shared);
    let below = ["docs", "examples"].into_iter();
    let pages = below
        .flat_map(|folder| files(folder, ".md"))
        .map(|path| name(&path));
    let (mut many, mut faults) = (0, Vec::new());
    for page in pages.chain(["README.md", "CONTRIBUTING.md"].map(str::to_owned)) {
        for told in told(&page, &text(&page)) {
            for command in told.commands {
                let (sections, words) = if let Some((_, words)) = command.split_once("cargo dev ") {
                    (&of_developers, words)
                } else if let Some(words) = command.strip_prefix("now-serving ") {
                    (&of_operators, words)
                } else {
                    continue;
                };
                let words = words.split(['|', ')', '>', '&']).next().unwrap();
                let name = words.split_whitespace().next().unwrap();
                many += 1;
                let is_there = sections.iter().any(|(section, rows)| {
                    let has = |option: &str| {
                        let is_row = |end: &str| rows.contains(&format!("`{option}{end}"));
                        option == "--help" || is_row("`") || is_row(" ")
                    };
                    name == "--version" || *section == name && options(words).all(has)
                });
                if !is_there {
                    faults.push(format!("{}: {command}", told.at));
                }
            }
        }
    }
    assert!(many > 60, "{many}");
    assert!(faults.is_empty(), "{faults:#?}");
}
