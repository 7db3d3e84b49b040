//! The workflows and the container: each runs what a developer runs, in the versions that the rest of the project names.

use std::fs;

use harness::project::{BUILD_WASM, UNPACKED_WASM, WASM_TARGET};
use harness::sandbox_dir::DEVELOPMENT_SETTINGS;
use harness::viceroy::VICEROY_VERSION;

use crate::pure::conventions::{root, text};

/// The workflows, by their paths.
fn workflows() -> Vec<(String, String)> {
    let files = fs::read_dir(root().join(".github/workflows")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let paths = names.map(|name| format!(".github/workflows/{name}"));
    paths.map(|path| (path.clone(), text(&path))).collect()
}

/// Actions whose commit is not named, or whose version a reader would not know.
fn unpinned(workflow: &str) -> Vec<&str> {
    let uses = workflow
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- uses: "));
    let is_pinned = |action: &&str| {
        let (_, pin) = action.split_once('@').unwrap_or_default();
        let (commit, version) = pin.split_once(" # v").unwrap_or_default();
        commit.len() == 40
            && commit.bytes().all(|byte| byte.is_ascii_hexdigit())
            && !version.is_empty()
    };
    uses.filter(|action| !is_pinned(action)).collect()
}

#[test]
fn a_workflow_names_its_actions_by_commit_and_may_read_and_no_more() {
    let all = workflows();
    assert!(all.len() >= 2, "{all:?}");
    for (path, workflow) in all {
        assert_eq!(unpinned(&workflow), [""; 0], "{path}");
        assert!(
            workflow.contains("\npermissions:\n  contents: read\njobs:\n"),
            "{path}"
        );
        let checkouts = workflow.matches("- uses: actions/checkout@").count();
        assert_eq!(
            workflow.matches("persist-credentials: false").count(),
            checkouts,
            "{path}"
        );
    }
    let commit = "0".repeat(40);
    let moved =
        format!("  - uses: a/b@v4 # v4\n  - uses: a/b@{commit}\n  - uses: a/b@{commit} # v4.2.2\n");
    assert_eq!(unpinned(&moved).len(), 2);
}

#[test]
fn the_workflows_run_the_commands_of_this_project() {
    let ci = text(".github/workflows/ci.yml");
    assert!(ci.contains("\n      - run: .ci/run\n"));
    assert!(ci.contains("[ubuntu-latest, macos-latest]"));
    assert!(ci.contains("\n      - run: cargo dev test --fast\n"));
    let fuzz = text(".github/workflows/fuzz.yml");
    assert!(fuzz.contains("\n      - run: cargo dev fuzz --seconds 300\n"));
    assert!(fuzz.contains("\n          path: target/fuzz/corpus\n"));
    assert!(fuzz.contains("\n          path: target/fuzz/findings\n"));
    let nightly = text(".github/workflows/nightly.yml");
    assert!(nightly.contains("\n      - run: cargo dev test --long\n"));
    let run = text(".ci/run");
    assert!(run.ends_with("\nexec cargo dev test\n"), "{run}");
    let release = text(".github/workflows/release.yml");
    assert!(release.contains(
        "- run: cargo dev release --tag \"$GITHUB_REF_NAME\" --out target/release-files\n"
    ));
    assert!(
        release.contains(" --notes-file target/release-files/NOTES.md target/release-files/*\n")
    );
    assert!(
        release.contains("- run: cargo build --locked --profile program ")
            && release.contains("- run: .ci/smoke \"$BUILT\"\n"),
        "no program is published untried"
    );
    let attested = "        with:\n          subject-path: ";
    assert!(
        release.contains(&format!("{attested}target/release-files/*\n"))
            && release.contains(&format!("{attested}now-serving-*\n")),
        "every asset is attested"
    );
    assert!(release.contains(" --file dev/demo/Dockerfile ") && release.contains("docker push "));
    assert!(
        release.contains("- run: cargo dev site --repository ")
            && release.contains("\n          path: target/site\n")
    );
    assert!(
        !release.contains("actions/cache"),
        "a cache may hold what others put into it"
    );
    let told = text("docs/deep/release.md");
    assert!(
        told.contains("`cargo dev release`")
            && told.contains("(../../.github/workflows/release.yml)")
    );
}

#[test]
fn what_builds_elsewhere_takes_the_rust_that_the_manifest_names() {
    let manifest = text("Cargo.toml");
    let (_, rest) = manifest.split_once("\nrust-version = \"").unwrap();
    let (version, _) = rest.split_once('"').unwrap();
    let install = format!("rustup toolchain install {version} ");
    for path in [
        ".github/workflows/ci.yml",
        ".github/workflows/fuzz.yml",
        ".github/workflows/nightly.yml",
        ".github/workflows/release.yml",
        "docs/how-to/deploy-from-ci.md",
    ] {
        let text = text(path);
        let all = text.matches("rustup toolchain install ").count();
        assert!(all > 0 && text.matches(&install).count() == all, "{path}");
    }
    for (path, image) in [
        (
            "dev/demo/Dockerfile",
            format!("\nFROM rust:{version}-slim-"),
        ),
        (
            ".devcontainer/devcontainer.json",
            format!("\"image\": \"rust:{version}-"),
        ),
    ] {
        assert!(text(path).contains(&image), "{path}");
    }
}

#[test]
fn the_container_of_the_demo_has_what_its_archive_has_and_no_compiler() {
    let demo = text("dev/demo/Dockerfile");
    let (build, image) = demo.split_once("\nFROM debian:").unwrap();
    for line in [
        format!("\nRUN cargo install viceroy --version {VICEROY_VERSION} --locked\n"),
        format!(" && cargo {} ", BUILD_WASM.join(" ")),
        " --profile program --package now-serving-demo --bin now-serving-demo\n".to_owned(),
    ] {
        assert!(build.contains(&line), "{line}");
    }
    let manifest = text("dev/demo/Cargo.toml");
    assert!(manifest.contains("\nname = \"now-serving-demo\"\npath = \"src/main.rs\"\n"));
    let copied = [
        " /now-serving/target/program/now-serving-demo serve ".to_owned(),
        format!(" /now-serving/target/{WASM_TARGET}/release/{UNPACKED_WASM} "),
        format!(" /now-serving/{DEVELOPMENT_SETTINGS} "),
        " /now-serving/LICENSE .".to_owned(),
    ];
    for file in copied {
        assert!(build.contains(&file), "{file}");
    }
    assert_eq!(build.matches(" /now-serving/").count(), 4);
    assert!(!image.contains("\nFROM ") && !image.contains("apt-get"));
    let (before, after) = image.split_once("\nUSER 1000\n").unwrap();
    assert!(before.contains(" --uid 1000 ") && !after.contains("\nUSER "));
    let lines_that_copy = before.matches("\nCOPY ").count();
    assert_eq!(
        lines_that_copy,
        before.matches("\nCOPY --from=build ").count()
    );
    assert!(before.contains(" /usr/local/cargo/bin/viceroy /usr/local/bin/\n"));
    assert!(before.ends_with(" /demo /home/demo/now-serving-demo"));
    let options = text("dev/demo/src/options.rs");
    let (_, serve) = options.split_once("pub struct Options {").unwrap();
    let (_, addr) = serve.split_once("default_value = \"127.0.0.1:").unwrap();
    let (port, _) = addr.split_once('"').unwrap();
    for line in [
        format!("\nEXPOSE {port}\n"),
        format!(" --publish {port}:{port} "),
        format!("http://127.0.0.1:{port}/"),
        format!("CMD [\"/home/demo/now-serving-demo/serve\", \"--addr\", \"0.0.0.0:{port}\"]\n"),
    ] {
        assert!(demo.contains(&line), "{line}");
    }
    let ignored = text("dev/demo/Dockerfile.dockerignore");
    for line in text(".gitignore")
        .lines()
        .filter(|line| line.starts_with('/'))
    {
        assert!(
            ignored.lines().any(|other| other == line),
            "{line} is copied into the image"
        );
    }
}
