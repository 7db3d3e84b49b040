//! `cargo dev test NAME`: only the tests with that in their name, and only the programs that have some.
//!
//! It installs nothing unless it is told to. A test whose tool is not there is named with the command that installs it, and the
//! others run.

use std::collections::{BTreeMap, BTreeSet};
use std::process::{ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use anstyle::Style;

use machine::install::{self, Need};
use machine::process::Group;
use machine::project::{self, Tested};

use super::run;
use super::stages::{SUITE, needs};
use super::table::{self, Outcome, Report, Tests};

/// How many names are told where none is right.
const CLOSEST: usize = 5;

/// A program, and those of its tests that are asked for.
struct Program<'a> {
    tested: &'a Tested,
    tests: BTreeSet<String>,
}

/// Tests that do not run, by the tools that they lack.
type LeftOut = BTreeMap<Vec<Need>, BTreeSet<String>>;

/// Runs the tests. Whether there are some, and all ran and passed.
pub(super) fn test(name: &str, may_install: bool) -> Result<bool, String> {
    let programs = programs()?;
    let is_asked = |test: &&String| test.contains(name);
    let mut asked = Vec::new();
    for Program { tested, tests } in &programs {
        let tests: BTreeSet<String> = tests.iter().filter(is_asked).cloned().collect();
        asked.extend((!tests.is_empty()).then_some(Program { tested, tests }));
    }
    let tools = Tools::look(&asked, may_install);
    let (mut reports, mut left_out) = (Vec::new(), LeftOut::new());
    for program in &asked {
        reports.extend(program.run(name, &tools, &mut left_out));
    }
    if reports.is_empty() && left_out.is_empty() {
        say_what_is_closest(name, programs.iter().flat_map(|program| &program.tests));
        return Ok(false);
    }
    let is_well = reports.is_empty() || table::summarise(&reports);
    tools.say(&left_out, name);
    Ok(is_well && left_out.is_empty())
}

/// All programs of tests, the suite first and then by name.
fn programs() -> Result<Vec<Program<'static>>, String> {
    let mut tested: Vec<&Tested> = project::project()?.tested.iter().collect();
    tested.sort_by_key(|tested| {
        (
            !is_suite(tested),
            &tested.package,
            &tested.kind,
            &tested.name,
        )
    });
    let programs = tested.into_iter().map(|tested| Program {
        tested,
        tests: tested.names(),
    });
    Ok(programs.collect())
}

fn is_suite(tested: &Tested) -> bool {
    (&*tested.package, &*tested.name) == SUITE
}

/// What was there of the tools, or could be installed; why not, if that was tried.
struct Tools {
    missing: BTreeMap<Need, Option<String>>,
}

impl Tools {
    fn look(programs: &[Program], may_install: bool) -> Self {
        let tests = programs.iter().flat_map(|program| {
            let tests = program.tests.iter();
            tests.flat_map(|test| needs(program.tested, test))
        });
        let asked: BTreeSet<Need> = tests.collect();
        let mut missing = BTreeMap::new();
        for need in asked {
            if may_install {
                let Err(reason) = install::provide(need) else {
                    continue;
                };
                if need.can_be_left_out() {
                    // The test says so itself, as in a whole run.
                    continue;
                }
                missing.insert(need, Some(reason));
            } else if need.found().is_err() {
                missing.insert(need, None);
            }
        }
        Self { missing }
    }

    /// The tools that a test lacks.
    fn lacked(&self, tested: &Tested, test: &str) -> Vec<Need> {
        let mut needs = needs(tested, test);
        needs.retain(|need| self.missing.contains_key(need));
        needs
    }

    /// Says which tests did not run, and what makes them.
    fn say(&self, left_out: &LeftOut, name: &str) {
        for (needs, tests) in left_out {
            let mut reasons = Vec::new();
            for need in needs {
                let (called, _) = need.about();
                let (how, megabytes) = need.plan();
                reasons.push(match self.missing.get(need) {
                    Some(Some(reason)) => format!("{called}: {reason}"),
                    _ => format!("{called} ({how}, about {megabytes} MB)"),
                });
            }
            let many = tests.len();
            anstream::println!("\n{many} not run. Missing: {}", reasons.join("; "));
            for test in tests {
                anstream::println!("  {test}");
            }
        }
        if self.missing.values().any(Option::is_none) && !left_out.is_empty() {
            anstream::println!(
                "\n`cargo dev test {name} --install` installs what is missing, and runs them."
            );
        }
    }
}

impl Program<'_> {
    /// What the table calls it.
    fn title(&self) -> String {
        let Tested {
            package,
            kind,
            name,
            ..
        } = self.tested;
        let package = package.strip_prefix("now-serving-").unwrap_or(package);
        match &**kind {
            _ if is_suite(self.tested) => name.clone(),
            "lib" => package.to_owned(),
            _ => format!("{package} {name}"),
        }
    }

    /// What Cargo is told to run it with these words.
    fn words<'a>(&'a self, words: &[&'a str]) -> Vec<&'a str> {
        let Tested {
            package,
            kind,
            name,
            ..
        } = self.tested;
        let mut all = vec!["test", "--package", package];
        match &**kind {
            "bin" => all.extend(["--bin", name]),
            "test" => all.extend(["--test", name]),
            _ => all.push("--lib"),
        }
        all.push("--");
        all.extend(words);
        all
    }

    /// Runs its tests that lack no tool, if there are some, and names the others.
    fn run(&self, name: &str, tools: &Tools, left_out: &mut LeftOut) -> Option<Report> {
        let is_ready = |test: &String| tools.lacked(self.tested, test).is_empty();
        let begin = Instant::now();
        let listed = if self.tests.iter().any(is_ready) {
            self.list(name)
        } else {
            // Nothing of it could run, so it is not compiled.
            Ok(self.tests.clone())
        };
        let (outcome, tests) = match listed {
            Ok(listed) => {
                let (ready, others): (Vec<_>, Vec<_>) = listed.into_iter().partition(is_ready);
                for test in others {
                    let lacked = tools.lacked(self.tested, &test);
                    left_out.entry(lacked).or_default().insert(test);
                }
                if ready.is_empty() {
                    return None;
                }
                self.run_all(&ready)
            }
            Err(reason) => (Outcome::Failed(reason), Tests::default()),
        };
        Some(Report {
            name: self.title(),
            outcome,
            tests,
            time: begin.elapsed(),
        })
    }

    /// The tests with that in their name, as the compiled program knows them.
    fn list(&self, name: &str) -> Result<BTreeSet<String>, String> {
        let mut listed = BTreeSet::new();
        let words = self.words(&[name, "--list", "--format", "terse"]);
        let status = pass_through(&words, |line| {
            listed.extend(line.strip_suffix(": test").map(str::to_owned));
        })?;
        status.success().then_some(listed).ok_or_else(String::new)
    }

    fn run_all(&self, names: &[String]) -> (Outcome, Tests) {
        let bold = Style::new().bold();
        let (title, many) = (self.title(), names.len());
        let tests = if many == 1 { "test" } else { "tests" };
        anstream::println!("{bold}── {title} ── {many} {tests}{bold:#}");
        let mut words = vec!["--exact"];
        words.extend(names.iter().map(String::as_str));
        let mut tests = Tests::default();
        let ended = pass_through(&self.words(&words), |line| {
            tests += Tests::parse(line).unwrap_or_default();
            anstream::println!("{line}");
        });
        let outcome = match ended {
            Ok(status) if status.success() => Outcome::Passed,
            Ok(_) => Outcome::Failed(String::new()),
            Err(reason) => Outcome::Failed(reason),
        };
        (outcome, tests)
    }
}

/// Runs Cargo with these words, and hands on each line that it prints. What it says of its own is seen as it comes.
fn pass_through(words: &[&str], mut on_line: impl FnMut(&str)) -> Result<ExitStatus, String> {
    let mut command = project::cargo(words)?;
    let mut group = Group::start(run::coloured(command.stdout(Stdio::piped())))?;
    let (sender, lines) = mpsc::channel();
    group.follow(move |line| {
        // The receiver lives as long as the command runs.
        let _ = sender.send(line);
    });
    thread::scope(|scope| {
        // Meanwhile, since it ends what a test left behind, which may hold the other end of the lines.
        let ended = scope.spawn(|| group.wait());
        for line in lines {
            on_line(&line);
        }
        let lost = |_| Err("A thread that waited for Cargo panicked.".to_owned());
        ended.join().unwrap_or_else(lost)
    })
}

fn say_what_is_closest<'a>(name: &str, tests: impl Iterator<Item = &'a String>) {
    anstream::eprintln!(
        "No test has {name:?} in its name. A test is named as its modules and itself, like `pure::languages::numbers`."
    );
    let closest = closest(name, tests);
    if !closest.is_empty() {
        anstream::eprintln!("These come closest:");
    }
    for test in closest {
        anstream::eprintln!("  {test}");
    }
}

/// The names that have something like this in them, the most alike first.
fn closest<'a>(name: &str, tests: impl Iterator<Item = &'a String>) -> Vec<&'a str> {
    let most = (name.chars().count() / 3).max(1);
    let distances = tests.map(|test| (distance(name, test), &**test));
    let mut close: Vec<_> = distances
        .filter(|(distance, _)| *distance <= most)
        .collect();
    close.sort_unstable();
    close.dedup();
    close
        .into_iter()
        .map(|(_, test)| test)
        .take(CLOSEST)
        .collect()
}

/// How many letters have to be put in, left out or changed before a text has this in it.
fn distance(part: &str, text: &str) -> usize {
    // For each length of the text's beginning: the least for a part of it that ends there.
    let mut row = vec![0; text.chars().count() + 1];
    for letter in part.chars() {
        let mut before = row.first().copied().unwrap_or_default();
        let mut last = before + 1;
        let mut next = vec![last];
        for (other, above) in text.chars().zip(row.iter().skip(1)) {
            let changed = before + usize::from(letter != other);
            last = changed.min(above + 1).min(last + 1);
            next.push(last);
            before = *above;
        }
        row = next;
    }
    row.into_iter().min().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tested(package: &str, kind: &str, name: &str) -> Tested {
        let [package, kind, name] = [package, kind, name].map(str::to_owned);
        Tested {
            package,
            kind,
            name,
            source: "none".into(),
        }
    }

    fn strings(words: &[&str]) -> BTreeSet<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn a_test_runs_unless_a_tool_of_its_own_tier_is_missing() {
        let tools = Tools {
            missing: [(Need::Redis, None), (Need::Firefox, None)].into(),
        };
        let suite = tested("now-serving", "test", "suite");
        let lacked = |test| tools.lacked(&suite, test);
        assert_eq!(lacked("stories::turn::native::a_visitor"), []);
        assert_eq!(lacked("stories::turn::wasm::a_visitor"), []);
        assert_eq!(lacked("stories::turn::redis::a_visitor"), [Need::Redis]);
        assert_eq!(lacked("browser::engines::chromium::a_visitor"), []);
        assert_eq!(
            lacked("browser::engines::firefox::a_visitor"),
            [Need::Firefox]
        );
        let unit = tested("now-serving", "lib", "now_serving");
        assert_eq!(tools.lacked(&unit, "store::redis::a_visitor"), []);
        let store = tested("upstash-local", "test", "store");
        assert_eq!(
            tools.lacked(&store, "scripts::real_redis::a"),
            [Need::Redis]
        );
        assert_eq!(tools.lacked(&store, "scripts::embedded::a"), []);
    }

    #[test]
    fn a_program_that_could_run_no_test_is_not_compiled_and_its_tests_are_named() {
        let tools = Tools {
            missing: [(Need::Redis, None)].into(),
        };
        let tested = tested("no-such-package", "test", "suite");
        let redis = Tested {
            package: SUITE.0.to_owned(),
            ..tested
        };
        let tests = strings(&["a::redis::x", "b::redis::x"]);
        let program = Program {
            tested: &redis,
            tests: tests.clone(),
        };
        let mut left_out = LeftOut::new();
        assert!(program.run("x", &tools, &mut left_out).is_none());
        assert_eq!(left_out, [(vec![Need::Redis], tests)].into());
    }

    #[test]
    fn the_suite_is_asked_first_and_a_program_by_its_kind() {
        let programs = programs().unwrap_or_default();
        assert!(
            programs
                .first()
                .is_some_and(|program| is_suite(program.tested))
        );
        let titles: Vec<_> = programs.iter().map(Program::title).collect();
        for title in [
            "suite",
            "now-serving",
            "runner",
            "cli alone",
            "dev commands",
            "dev dev",
            "upstash-local store",
        ] {
            assert!(
                titles.iter().any(|other| other == title),
                "{title}: {titles:?}"
            );
        }
        for (kind, words) in [
            ("lib", "test --package p --lib -- x"),
            ("bin", "test --package p --bin n -- x"),
            ("test", "test --package p --test n -- x"),
        ] {
            let tested = tested("p", kind, "n");
            let program = Program {
                tested: &tested,
                tests: BTreeSet::new(),
            };
            assert_eq!(program.words(&["x"]).join(" "), words);
        }
    }

    #[test]
    fn a_name_that_no_test_has_is_answered_with_the_closest() {
        let tests = strings(&[
            "pure::languages::a",
            "native::a_called_visitor_goes_in",
            "pure::rooms::b",
        ]);
        let closest = |name| closest(name, tests.iter());
        assert_eq!(closest("langages"), ["pure::languages::a"]);
        assert_eq!(
            closest("a_caled_visitor"),
            ["native::a_called_visitor_goes_in"]
        );
        assert_eq!(closest("Rooms"), ["pure::rooms::b"]);
        assert!(closest("quite_something_else").is_empty());
        assert_eq!(distance("abc", "xxabcxx"), 0);
        assert_eq!(distance("abc", ""), 3);
    }
}
