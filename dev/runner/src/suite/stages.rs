//! The stages of `cargo dev test`, in their order.

use machine::install::Need;
use machine::project::Tested;

use super::Options;

/// One line of the table.
pub(super) struct Stage {
    pub(super) name: &'static str,
    pub(super) needs: &'static [Need],
    /// The stages without whose success this one is pointless.
    pub(super) after: &'static [&'static str],
    is_fast: bool,
    /// Whether it spends most of its time waiting, and so runs beside others that do.
    pub(super) waits: bool,
    /// The words after `cargo`.
    pub(super) command: &'static str,
}

use Need::{
    Axe, Browser, Codespell, FastlyCli, Firefox, Locust, Luacheck, Nginx, Node, Prometheus, Python,
    Redis, Schemathesis, Turbo, Viceroy, WasmTarget, WebKit,
};

// Every test of the suite is in the module of one tier, which is what its stage asks for: `tests/suite/pure/tiers.rs`
// finds the test that no stage runs, and the one that two do. The stories in the Wasm mostly wait, so twelve run at once;
// so do three browsers, and four tests of the platform, of the contract and of the other programs. Such stages run beside each
// other, in an order in which all end at about the same time. What is only in `platform` counts, and measures, and no other stage
// runs beside it.
#[rustfmt::skip]
const STAGES: &[Stage] = &[
    Stage { name: "format",      is_fast: true,  waits: false, needs: &[],                         after: &[],                    command: "fmt --all --check" },
    Stage { name: "lint",        is_fast: false, waits: false, needs: &[],                         after: &[],                    command: "clippy --workspace --all-targets -- -D warnings" },
    Stage { name: "lint wasm",   is_fast: false, waits: false, needs: &[WasmTarget],               after: &[],                    command: "clippy -p now-serving -p now-serving-baselines -p now-serving-strict-host --target wasm32-wasip1 --lib --bins -- -D warnings" },
    UNIT,
    Stage { name: "pure",        is_fast: true,  waits: false, needs: &[],                         after: &[],                    command: "test -p now-serving --test suite -- pure::" },
    Stage { name: "native",      is_fast: true,  waits: false, needs: &[],                         after: &[],                    command: "test -p now-serving --test suite -- native::" },
    Stage { name: "simulated",   is_fast: false, waits: false, needs: &[],                         after: &[],                    command: "test -p now-serving --test suite -- simulated::" },
    Stage { name: "lua",         is_fast: false, waits: false, needs: &[Luacheck],                 after: &[],                    command: "test -p now-serving --test suite -- lua::" },
    Stage { name: "spelling",    is_fast: false, waits: false, needs: &[Codespell],                after: &[],                    command: "test -p now-serving --test suite -- spelling::" },
    Stage { name: DEPENDENCIES,  is_fast: false, waits: false, needs: &[],                         after: &[],                    command: "deny check" },
    Stage { name: "redis",       is_fast: false, waits: false, needs: &[Redis],                    after: &[],                    command: "test -p now-serving --test suite -- redis::" },
    BUILD,
    BUILD_STRICT,
    BUILD_SHOP,
    BUILD_DEV,
    DEV,
    Stage { name: "browser",     is_fast: false, waits: true,  needs: &[Viceroy, Browser, Firefox, WebKit, Axe, Turbo], after: &["build"],             command: "test -p now-serving --test suite -- browser:: --test-threads=3" },
    Stage { name: "wasm",        is_fast: false, waits: true,  needs: &[Viceroy],                  after: &["build"],             command: "test -p now-serving --test suite -- wasm:: --test-threads=12" },
    Stage { name: "contract",    is_fast: false, waits: true,  needs: &[Viceroy, Schemathesis],    after: &["build"],             command: "test -p now-serving --test suite -- contract:: --test-threads=4" },
    Stage { name: "prometheus",  is_fast: false, waits: true,  needs: &[Viceroy, Prometheus],      after: &["build"],             command: "test -p now-serving --test suite -- prometheus::" },
    Stage { name: "examples",    is_fast: false, waits: true,  needs: &[Viceroy, Node, Python, Nginx, Locust], after: &["build", "build shop"], command: "test -p now-serving --test suite -- examples:: --test-threads=6" },
    Stage { name: "platform",    is_fast: false, waits: false, needs: &[Viceroy],                  after: &["build", "build strict"], command: "test -p now-serving --test suite -- platform:: --test-threads=4" },
    Stage { name: "docs",        is_fast: false, waits: false, needs: &[],                         after: &[],                    command: "doc --workspace --no-deps --document-private-items" },
];

/// The stage that runs only where its tool is.
pub(super) const DEPENDENCIES: &str = "dependencies";

/// The package and the name of the suite.
pub(super) const SUITE: (&str, &str) = ("now-serving", "suite");

/// What tests of the other programs need, by package, name and a part of the test's name. A test that is missing here fails by
/// itself, and names its tool.
#[rustfmt::skip]
const NEEDS: &[(&str, &str, &str, &[Need])] = &[
    ("now-serving-cli",     "cli",      "draw::",            &[Python]),
    ("now-serving-dev",     "commands", "download::",        &[WasmTarget, FastlyCli, Viceroy]),
    ("now-serving-dev",     "commands", "fastly_commands::", &[WasmTarget, FastlyCli, Viceroy]),
    ("now-serving-dev",     "commands", "pictures::",        &[Browser]),
    ("now-serving-dev",     "commands", "probe::",           &[WasmTarget, Viceroy]),
    ("now-serving-dev",     "commands", "publish::",         &[WasmTarget, FastlyCli]),
    ("now-serving-dev",     "commands", "real::",            &[WasmTarget, Viceroy]),
    ("now-serving-dev",     "commands", "release::",         &[WasmTarget, FastlyCli]),
    ("now-serving-dev",     "commands", "serve::",           &[WasmTarget, FastlyCli, Viceroy]),
    ("now-serving-harness", "edge",     "",                  &[WasmTarget, Viceroy]),
    ("upstash-local",       "program",  "with_a_redis",      &[Redis]),
    ("upstash-local",       "store",    "real_redis::",      &[Redis]),
    ("upstash-local",       "store",    "a_killed_redis",    &[Redis]),
];

/// What a test needs. In the suite that is what the stage of its tier needs, and what the stages before that one need: the test
/// makes by itself what they make.
pub(super) fn needs(tested: &Tested, test: &str) -> Vec<Need> {
    if (&*tested.package, &*tested.name) == SUITE {
        return needs_of_tier(test);
    }
    let is_of = |(package, name, part, _): &&(&str, &str, &str, _)| {
        tested.package == *package && tested.name == *name && test.contains(part)
    };
    let rows = NEEDS.iter().filter(is_of);
    rows.flat_map(|(.., needs)| *needs).copied().collect()
}

fn needs_of_tier(test: &str) -> Vec<Need> {
    let all = || STAGES.iter().chain(&LONG);
    let is_of_tier = |stage: &&Stage| stage.tier().is_some_and(|tier| test.contains(tier));
    let is_for = |need: &Need| match need {
        // The other tests of the tier are told in Chromium.
        Firefox => test.contains("firefox::"),
        WebKit => test.contains("webkit::"),
        _ => true,
    };
    let mut needs = Vec::new();
    for stage in all().filter(is_of_tier) {
        let earlier = all().filter(|other| stage.after.contains(&other.name));
        let stages = earlier.chain([stage]);
        needs.extend(stages.flat_map(|stage| stage.needs).copied().filter(is_for));
    }
    needs
}

// Tests that run beside others are compiled before: Cargo compiles for one command at a time.
#[rustfmt::skip]
const UNIT: Stage =
    Stage { name: "unit",        is_fast: true,  waits: false, needs: &[],                         after: &[],                    command: "test --no-fail-fast -p now-serving --lib --bins" };
#[rustfmt::skip]
const BUILD: Stage =
    Stage { name: "build",       is_fast: false, waits: false, needs: &[WasmTarget],               after: &[],                    command: "build --release --target wasm32-wasip1 --bin now-serving" };
#[rustfmt::skip]
const BUILD_STRICT: Stage =
    Stage { name: "build strict", is_fast: false, waits: false, needs: &[WasmTarget],              after: &["build"],             command: "run --quiet -p now-serving-machine --bin strict-wasm" };
#[rustfmt::skip]
const BUILD_SHOP: Stage =
    Stage { name: "build shop",  is_fast: false, waits: false, needs: &[],                         after: &[],                    command: "build -p now-serving --example queue-pass" };
#[rustfmt::skip]
const BUILD_DEV: Stage =
    Stage { name: "build dev",   is_fast: false, waits: false, needs: &[],                         after: &[],                    command: "test --no-run -p now-serving-audit -p now-serving-harness -p now-serving-bench -p now-serving-invariants -p now-serving-simulator -p now-serving-cli -p now-serving-cli-core -p now-serving-demo -p now-serving-dev -p now-serving-machine -p now-serving-path -p now-serving-runner -p now-serving-site -p now-serving-start -p now-serving-virtual-edge -p upstash-local --lib --bins --tests" };
#[rustfmt::skip]
const DEV: Stage =
    Stage { name: "dev",         is_fast: false, waits: true,  needs: &[Viceroy, FastlyCli, Redis], after: &["build", "build dev"], command: "test --no-fail-fast -p now-serving-audit -p now-serving-harness -p now-serving-bench -p now-serving-invariants -p now-serving-simulator -p now-serving-cli -p now-serving-cli-core -p now-serving-demo -p now-serving-dev -p now-serving-machine -p now-serving-path -p now-serving-runner -p now-serving-site -p now-serving-start -p now-serving-virtual-edge -p upstash-local --lib --bins --tests -- --test-threads=4" };

/// Only with `--long`.
#[rustfmt::skip]
const LONG: [Stage; 3] = [
    Stage { name: "long",        is_fast: false, waits: false, needs: &[Viceroy, Redis, Browser, Firefox, WebKit, Axe, Turbo, Schemathesis], after: &["build"],             command: "test -p now-serving --test suite -- long::" },
    // Of these, one measures, and needs the machine for itself.
    Stage { name: "long dev",    is_fast: false, waits: false, needs: &[WasmTarget, Viceroy, Redis], after: &["build"],            command: "test -p now-serving-bench -p now-serving-dev --lib --tests -- --ignored --test-threads=1" },
    Stage { name: "long simulated", is_fast: false, waits: false, needs: &[],                      after: &[],                    command: "test --profile measure -p now-serving-simulator --tests -- --ignored" },
];

impl Stage {
    /// What is in the names of its tests, if it is a tier of the suite.
    fn tier(&self) -> Option<&str> {
        let rest = self
            .command
            .strip_prefix("test -p now-serving --test suite -- ")?;
        rest.split(' ').next()
    }
}

/// The stages that are asked for, in the order in which they begin.
pub(super) fn wanted(options: &Options) -> Vec<&'static Stage> {
    if options.fast {
        STAGES.iter().filter(|stage| stage.is_fast).collect()
    } else if options.long {
        STAGES.iter().chain(&LONG).collect()
    } else {
        STAGES.iter().collect()
    }
}

/// How many stages run at once. One alone leaves two cores idle for half of its time or more; of three, browsers would wait for each other.
const AT_ONCE: usize = 2;

/// Whether a stage, the next in the order, may begin while those run.
pub(super) fn may_begin(stage: &Stage, running: &[&Stage]) -> bool {
    let waits_too = |other: &&Stage| other.waits && !stage.after.contains(&other.name);
    running.is_empty() || stage.waits && running.len() < AT_ONCE && running.iter().all(waits_too)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAITS: Stage = Stage {
        name: "waits",
        needs: &[],
        after: &[],
        is_fast: false,
        waits: true,
        command: "",
    };
    const COMPUTES: Stage = Stage {
        name: "computes",
        waits: false,
        ..WAITS
    };

    #[test]
    fn every_stage_waits_only_for_those_before_it() {
        let mut earlier = Vec::new();
        for stage in STAGES {
            let is_earlier = |after: &&str| earlier.contains(after);
            assert!(stage.after.iter().all(is_earlier), "{}", stage.name);
            earlier.push(stage.name);
        }
    }

    #[test]
    fn a_stage_that_waits_begins_beside_another_that_does() {
        assert!(may_begin(&WAITS, &[]));
        assert!(may_begin(&WAITS, &[&WAITS]));
        assert!(!may_begin(&WAITS, &[&WAITS; AT_ONCE]), "not more at once");
    }

    #[test]
    fn a_stage_that_computes_has_the_machine_for_itself() {
        assert!(may_begin(&COMPUTES, &[]));
        assert!(!may_begin(&COMPUTES, &[&WAITS]));
        assert!(!may_begin(&WAITS, &[&COMPUTES]));
    }

    #[test]
    fn a_stage_does_not_begin_beside_the_one_it_needs() {
        let after = Stage {
            after: &["waits"],
            ..WAITS
        };
        assert!(!may_begin(&after, &[&WAITS]));
        assert!(may_begin(&after, &[]));
    }

    /// What is compiled for a stage of tests.
    fn selection(stage: &Stage) -> String {
        let (cargo, _) = stage
            .command
            .split_once(" -- ")
            .unwrap_or((stage.command, ""));
        cargo
            .replace(" --no-run", "")
            .replace(" --no-fail-fast", "")
    }

    #[test]
    fn what_runs_beside_others_has_been_compiled() {
        let mut compiled = Vec::new();
        for stage in STAGES {
            let is_ready = !stage.waits || compiled.contains(&selection(stage));
            assert!(is_ready, "{}", stage.name);
            compiled.extend((!stage.waits).then(|| selection(stage)));
        }
    }

    #[test]
    fn every_program_that_needs_a_tool_is_there() {
        let tested = machine::project::project().map(|project| &project.tested);
        let tested = tested.map(Vec::as_slice).unwrap_or_default();
        for (package, name, ..) in NEEDS {
            let is_it = |tested: &Tested| tested.package == *package && tested.name == *name;
            assert!(tested.iter().any(is_it), "{package} {name}");
        }
    }

    #[test]
    fn every_package_that_has_tests_is_run_by_a_stage() {
        let tested = machine::project::project().map(|project| &project.tested);
        let tested = tested.map(Vec::as_slice).unwrap_or_default();
        let with_tests = tested.iter().filter(|tested| !tested.names().is_empty());
        for Tested { package, .. } in with_tests {
            let named = format!(" -p {package} ");
            let mut stages = STAGES
                .iter()
                .filter(|stage| stage.command.starts_with("test "));
            assert!(
                stages.any(|stage| stage.command.contains(&named)),
                "{package}"
            );
        }
    }

    #[test]
    fn a_test_of_the_wasm_needs_what_compiles_it() {
        assert_eq!(
            needs_of_tier("stories::wasm::a_visitor"),
            [WasmTarget, Viceroy]
        );
        assert_eq!(needs_of_tier("pure::languages::a"), []);
        let long = needs_of_tier("long::engines::webkit::a");
        assert!(
            long.contains(&WebKit) && !long.contains(&Firefox),
            "{long:?}"
        );
    }
}
