//! From nothing to an active version by Fastly's own CLI, and what the docs have for later, against a stand-in for Fastly's
//! API.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

mod first;
mod questions;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

use cli_core::secret;
use development::fastly_api::{Api, SERVICE, TOKEN};
use harness::project::{self, project};
use harness::{tools, viceroy};

use crate::checkout;

/// The page in `docs/how-to` that leads from nothing to a service.
const DEPLOY: &str = "deploy-with-the-cli.md";
/// The one of the other way.
const TERRAFORM: &str = "deploy-with-terraform.md";

/// A shell that finds our `fastly` first, and makes secrets without building anything; one at a time.
fn shell(api: &Api, folder: &Path, script: &str) -> Output {
    let _alone = checkout();
    command(api, folder, script).output().unwrap()
}

fn command(api: &Api, folder: &Path, script: &str) -> Command {
    let bin = folder.join("bin");
    fs::create_dir_all(&bin).unwrap();
    if !bin.join("fastly").exists() {
        symlink(tools::fastly_cli().unwrap(), bin.join("fastly")).unwrap();
    }
    let path = std::env::var("PATH").unwrap();
    let prelude = "set -eu\ncargo() { shift; \"$DEV\" \"$@\"; }\n";
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("{prelude}{script}")])
        .current_dir(&project().unwrap().root)
        .env("PATH", format!("{}:{path}", bin.display()))
        .env("DEV", env!("CARGO_BIN_EXE_dev"))
        .env("FASTLY_API_ENDPOINT", api.url())
        .env("FASTLY_ACCOUNT_ENDPOINT", api.url())
        .env("FASTLY_API_TOKEN", TOKEN)
        // The stand-in signs with a key of its own.
        .env("FASTLY_USE_API_SIGNING_KEY", "1")
        .env("WASM_METADATA_DISABLE", "true");
    for (name, value) in [
        ("FASTLY_SERVICE_ID", SERVICE),
        ("NAME", "now-serving"),
        ("CONFIG", "config-id"),
        ("SECRETS", "secrets-id"),
        ("DOMAIN", "www.shop.example"),
        ("ORIGIN", "origin.shop.example"),
        ("TRY", "www-shop-example.edgecompute.app"),
        ("UPSTASH", "eu1-name.upstash.io"),
        ("UPSTASH_TOKEN", "development-only-upstash-token"),
        ("OLD", "development-only-jwt-secret-0123456789abcdef"),
    ] {
        command.env(name, value);
    }
    command
}

fn succeeds(output: &Output) {
    let said = [&output.stdout[..], &output.stderr[..]].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(output.status.success(), "{said}");
}

/// The commands below one heading of a page in `docs/how-to`, up to the next heading of the same level.
fn told(page: &str, heading: &str) -> String {
    let path = project().unwrap().root.join("docs/how-to").join(page);
    let page = format!("\n{}", fs::read_to_string(path).unwrap());
    let (_, section) = page.split_once(&format!("\n{heading}\n")).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let blocks = section.split("```sh\n").skip(1);
    let commands: String = blocks
        .map(|block| block.split("```").next().unwrap())
        .collect();
    assert!(!commands.is_empty(), "{heading}");
    commands
}

/// The fields that a form of the API has.
fn form(body: &str) -> Vec<(String, String)> {
    let pairs = url::form_urlencoded::parse(body.as_bytes());
    pairs.into_owned().collect()
}

/// How long the secret is that the CLI has sealed: libsodium's box adds 48 bytes.
fn sealed_length(body: &str) -> usize {
    let told: serde_json::Value = serde_json::from_str(body).unwrap();
    let sealed = told["secret"].as_str().unwrap();
    sealed.trim_end_matches('=').len() * 3 / 4 - 48
}

/// The CLI of a fresh machine fetches the local server that the suite tries, and rustup the target that the build needs.
#[test]
fn a_fresh_machine_learns_which_local_server_and_target_it_needs() {
    let root = &project().unwrap().root;
    let read = |name: &str| fs::read_to_string(root.join(name)).unwrap();
    let version = format!(
        "[local_server]\nviceroy_version = \"{}\"\n",
        viceroy::VICEROY_VERSION
    );
    assert!(read("fastly.toml").contains(&version), "{version}");
    let toolchain = read("rust-toolchain.toml");
    let targets = format!("targets = [\"{}\"]", project::WASM_TARGET);
    assert!(toolchain.contains(&targets), "{toolchain}");
    assert!(
        !toolchain.contains("channel ="),
        "a channel fails where nothing may be installed: {toolchain}"
    );
}

/// Runs the commands of a section, for a service whose second version is active, in a folder with the files that they name.
fn later(page: &str, heading: &str) -> Api {
    let api = Api::start().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let first = "fastly service create --type wasm --name now-serving
        fastly service version activate --version 1
        fastly service version clone --version 1
        fastly service version activate --version 2";
    succeeds(&shell(&api, folder.path(), first));
    let file = |name: &str| folder.path().join(name).display().to_string();
    fs::write(file("settings.json"), r#"{"automatic":30}"#).unwrap();
    let commands = ["secrets.txt", "settings.json"]
        .into_iter()
        .fold(told(page, heading), |commands, name| {
            commands.replace(name, &file(name))
        });
    succeeds(&shell(&api, folder.path(), &commands));
    api
}

fn count(api: &Api, end: &str) -> usize {
    let changes = api.changes();
    changes.iter().filter(|line| line.ends_with(end)).count()
}

/// The lengths of the secrets that were sent, by the method of the request.
fn lengths(api: &Api, method: &str) -> Vec<usize> {
    let line = format!("{method} /resources/stores/secret/secrets-id/secrets");
    let seen = api.seen().into_iter().filter(|seen| seen.line == line);
    seen.map(|seen| sealed_length(&seen.body())).collect()
}

#[test]
fn a_domain_of_either_kind_is_added_by_the_commands_of_the_docs() {
    let api = later(DEPLOY, "## Domain and certificate, then DNS");
    let made = ["/version/3/domain", "/version/3/activate", "/v1/domains"];
    assert_eq!(made.map(|end| count(&api, end)), [1; 3]);
}

#[test]
fn a_new_version_settings_and_deadlines_are_deployed_by_the_commands_of_the_docs() {
    let api = later(DEPLOY, "## Later");
    let made = [
        "/version/3/package",
        "/version/3/activate",
        "/config-id/item/settings",
        "/version/4/activate",
    ];
    assert_eq!(made.map(|end| count(&api, end)), [1; 4]);
    let seen = api.seen();
    let change = seen
        .iter()
        .find(|seen| seen.line.ends_with("/version/4/backend/protected_content"));
    let change = form(&change.unwrap().body());
    for key in ["first_byte_timeout", "between_bytes_timeout"] {
        let longer = (key.to_owned(), "60000".to_owned());
        assert!(change.contains(&longer), "{change:?}");
    }
}

/// With the visitor's, Fastly would come back to the room.
#[test]
fn a_service_behind_the_room_is_asked_by_its_own_name() {
    let api = later("at-fastly-already.md", "## Move");
    let seen = api.seen();
    let change = seen
        .iter()
        .find(|seen| seen.line.ends_with("/version/3/backend/protected_content"));
    let change = form(&change.unwrap().body());
    let own = ("override_host".to_owned(), "origin.shop.example".to_owned());
    assert!(change.contains(&own), "{change:?}");
    assert_eq!(count(&api, "/version/3/activate"), 1);
}

/// A client by that name could fill the cache of a platform.
#[test]
fn the_first_name_is_taken_away_by_the_commands_of_the_docs() {
    let api = later(
        "use-an-origin-that-goes-by-host.md",
        "## Take the first name away",
    );
    let made = [
        "/version/2/clone",
        "DELETE /service/made-service/version/3/domain/www-shop-example.edgecompute.app",
        "/version/3/activate",
    ];
    assert_eq!(made.map(|end| count(&api, end)), [1; 3]);
}

#[test]
fn what_questions_leave_out_is_made_by_the_commands_of_the_docs() {
    let api = later(
        "../deep/deploy-by-questions.md",
        "# Deploy with Fastly's CLI alone: it asks questions",
    );
    let made = [
        "/version/2/clone",
        "PUT /service/made-service/version/3/backend/upstash",
        "/version/3/domain",
        "/version/3/activate",
        "/tls/subscriptions",
    ];
    assert_eq!(made.map(|end| count(&api, end)), [1; 5]);
    let seen = api.seen();
    let host = seen
        .iter()
        .find(|seen| seen.line.ends_with("/version/3/backend/protected_content"));
    let host = form(&host.unwrap().body());
    assert!(
        host.contains(&("override_host".to_owned(), String::new())),
        "the origin receives the visitor's Host: {host:?}"
    );
}

/// With the kit's secret behind its own, so that tickets of the kit are verified.
#[test]
fn the_service_of_the_kit_stays_by_the_commands_of_the_docs() {
    let api = later("migrate.md", "## From Fastly's starter kit");
    let made = [
        "POST /resources/stores/secret",
        "/version/3/resource",
        "/config-id/item/settings",
        "/version/3/backend/upstash",
        "/version/3/backend/protected_content",
        "/version/3/package",
        "/version/3/activate",
    ];
    assert_eq!(made.map(|end| count(&api, end)), [1; 7]);
    let kit = "development-only-jwt-secret-0123456789abcdef".len();
    let upstash = "development-only-upstash-token".len();
    assert_eq!(
        lengths(&api, "POST"),
        [64 + 1 + kit, 64, 64, 23, upstash],
        "as `secret` prints them"
    );
}

#[test]
fn secrets_are_written_and_rotated_by_the_commands_of_the_docs() {
    let api = later(TERRAFORM, "## Write the secrets");
    let upstash = "development-only-upstash-token".len();
    assert_eq!(lengths(&api, "POST"), [64, 64, 64, 23, upstash]);
    let api = later("let-visitors-in-from-your-backend.md", "## Store the token");
    let tokens = "shop:".len() + 64 + ",prometheus/read:".len() + 64;
    assert_eq!(lengths(&api, "PUT"), [tokens]);
    let api = later("rotate-secrets.md", "# Rotate `jwt_secret`");
    let both = 44 + 1 + 64;
    assert_eq!(
        lengths(&api, "PUT"),
        [both, both, 64],
        "both, both, the new one"
    );
    let api = later("undo-anything.md", "# Undo anything");
    assert_eq!(count(&api, "/version/1/activate"), 2);
}

#[test]
fn a_deploy_without_questions_cannot_begin_from_nothing() {
    let api = Api::start().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let root = &project().unwrap().root;
    fs::copy(root.join("fastly.toml"), folder.path().join("fastly.toml")).unwrap();
    let wasm = project::build_wasm().unwrap();
    let script = format!(
        "unset FASTLY_SERVICE_ID; cd {}; fastly compute pack --wasm-binary {}; fastly compute deploy --non-interactive",
        folder.path().display(),
        wasm.display(),
    );
    let output = shell(&api, folder.path(), &script);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        !output.status.success() && said.contains("value cannot be blank"),
        "{said}"
    );
    assert_eq!(
        api.changes(),
        ["POST /service", &format!("DELETE /service/{SERVICE}")]
    );
}

/// By standard input and by the environment; a secret on the command line would be seen by every process.
#[test]
fn the_keys_of_passes_are_printed_for_secrets_that_no_command_line_shows() {
    const ENTRIES: &str =
        "development-only-jwt-secret-0123456789abcdef,development-only-jwt-secret-fedcba9876543210";
    let expected = secret::pass_keys(ENTRIES).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let printed = |script: &str| {
        let output = shell(&Api::start().unwrap(), folder.path(), script);
        succeeds(&output);
        String::from_utf8(output.stdout).unwrap()
    };
    let piped = format!("printf %s {ENTRIES} | cargo dev secret pass");
    let by_environment =
        format!("JWT_SECRET={ENTRIES} && export JWT_SECRET && cargo dev secret pass");
    assert_eq!(printed(&piped), expected);
    assert_eq!(printed(&by_environment), expected);
    let of_verifiers = format!("printf %s {ENTRIES} | cargo dev secret verifier");
    let expected = secret::verifier_keys(ENTRIES).unwrap();
    assert_eq!(printed(&of_verifiers), expected);
    let short = shell(
        &Api::start().unwrap(),
        folder.path(),
        "printf brief-secret | cargo dev secret pass",
    );
    let said = String::from_utf8_lossy(&short.stderr).into_owned();
    assert!(
        !short.status.success() && said.contains("at least 32 bytes"),
        "{said}"
    );
    assert!(!said.contains("brief-secret"), "{said}");
}

/// A secret alone on stdout is the whole of it.
#[test]
fn one_secret_goes_into_a_pipe_as_it_is() {
    let dev = |words: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_dev"))
            .args(words)
            .output()
            .unwrap()
    };
    let [one, other] = [(); 2].map(|()| dev(&["secret", "jwt_secret"]).stdout);
    assert_eq!((one.len(), other.len()), (64, 64));
    assert!(one != other && one.iter().all(u8::is_ascii_hexdigit));
    let all = String::from_utf8(dev(&["secret"]).stdout).unwrap();
    let names: Vec<&str> = all
        .lines()
        .filter_map(|line| Some(line.split_once(' ')?.0))
        .collect();
    assert_eq!(
        names,
        [
            "jwt_secret",
            "permit_token",
            "admin_token",
            "admin_password"
        ]
    );
    let wrong = dev(&["secret", "upstash_token"]);
    let said = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(!wrong.status.success() && wrong.stdout.is_empty());
    assert!(
        said.contains("upstash_token") && names.iter().all(|name| said.contains(name)),
        "{said}"
    );
    assert_eq!(secret::Secret::JwtSecret.name(), "jwt_secret");
}
