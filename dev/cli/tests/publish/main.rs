//! From nothing to an active version by Fastly's own CLI, as the docs have it, against a stand-in for Fastly's API.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

mod questions;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};

use cli::fastly_api::{Api, SERVICE};
use harness::project::{self, project};
use harness::{secret, tools, viceroy};

/// The page in `docs/how-to` that leads from nothing to a service.
const DEPLOY: &str = "deploy-with-the-cli.md";

/// The CLI builds into `bin` and `pkg` of the checkout, which two builds at once would break.
static CHECKOUT: Mutex<()> = Mutex::new(());

/// A shell that finds our `fastly` first, and makes secrets without building anything; one at a time.
fn shell(api: &Api, folder: &Path, script: &str) -> Output {
    let _alone = CHECKOUT.lock().unwrap_or_else(PoisonError::into_inner);
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
        .env("FASTLY_API_TOKEN", "development-only-api-token")
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
        ("UPSTASH", "eu1-name.upstash.io"),
        ("UPSTASH_TOKEN", "development-only-upstash-token"),
        ("LOGS", "https://logs.shop.example/ingest"),
        ("PERMIT", "development-only-permit-token"),
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

/// The commands without questions, on secrets and settings in this folder.
fn without_questions(folder: &Path) -> String {
    let file = |name: &str| folder.join(name).display().to_string();
    fs::write(file("settings.json"), r#"{"automatic":30}"#).unwrap();
    ["secrets.txt", "settings.json"]
        .into_iter()
        .fold(told(DEPLOY, "## Without questions"), |commands, name| {
            commands.replace(name, &file(name))
        })
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

#[test]
fn the_commands_of_the_docs_lead_from_nothing_to_an_active_version() {
    let api = Api::start().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let secrets = folder.path().join("secrets.txt");
    let make = format!("cargo dev secret > {}", secrets.display());
    succeeds(&shell(&api, folder.path(), &make));
    let without_questions = without_questions(folder.path());
    succeeds(&shell(&api, folder.path(), &without_questions));
    let changes = api.changes();
    let version = format!("/service/{SERVICE}/version/1");
    let sealed = [
        "POST /resources/stores/secret/client-key",
        "POST /resources/stores/secret/secrets-id/secrets",
    ];
    let expected: Vec<String> = [
        &[
            "POST /service",
            "POST /resources/stores/config",
            "POST /resources/stores/secret",
        ][..],
        &["POST /resources/stores/config/config-id/item"; 2],
        &sealed.repeat(5),
    ]
    .concat()
    .into_iter()
    .map(str::to_owned)
    .chain(
        [
            "POST {}/resource",
            "POST {}/resource",
            "POST {}/backend",
            "POST {}/backend",
            "POST {}/logging/https",
            "POST {}/domain",
            "POST {}/domain",
            "PUT {}/package",
            "PUT {}/activate",
        ]
        .map(|line| line.replace("{}", &version)),
    )
    .chain(
        ["settings", "automatic_quantity"]
            .map(|key| format!("PUT /resources/stores/config/config-id/item/{key}")),
    )
    .collect();
    assert_eq!(changes, expected);
    what_was_made_is_what_the_service_needs(&api, &fs::read_to_string(&secrets).unwrap());
}

fn what_was_made_is_what_the_service_needs(api: &Api, secrets: &str) {
    let bodies = |end: &str| -> Vec<String> {
        let seen = api.seen().into_iter();
        seen.filter(|seen| !seen.line.starts_with("GET ") && seen.line.ends_with(end))
            .map(|seen| seen.body())
            .collect()
    };
    let entries = bodies("/secrets");
    for (entry, line) in entries.iter().zip(secrets.lines()) {
        let (name, value) = line.split_once(' ').unwrap();
        assert!(entry.contains(&format!("\"name\":\"{name}\"")), "{name}");
        assert_eq!(
            sealed_length(entry),
            value.len(),
            "{name}, and not a byte more"
        );
    }
    assert!(entries[4].contains("\"upstash_token\""));
    let backends: Vec<_> = bodies("/backend").iter().map(|body| form(body)).collect();
    let has = |backend: usize, key: &str, value: &str| {
        let pair = (key.to_owned(), value.to_owned());
        assert!(
            backends[backend].contains(&pair),
            "{key}: {:?}",
            backends[backend]
        );
    };
    for (place, name, host) in [
        (0, "protected_content", "origin.shop.example"),
        (1, "upstash", "eu1-name.upstash.io"),
    ] {
        has(place, "name", name);
        for key in ["address", "ssl_sni_hostname", "ssl_cert_hostname"] {
            has(place, key, host);
        }
        // By the port the API knows that it is TLS.
        has(place, "port", "443");
    }
    assert!(
        backends[0].iter().all(|(key, _)| key != "override_host"),
        "the origin receives the visitor's Host: {:?}",
        backends[0]
    );
    has(1, "override_host", "eu1-name.upstash.io");
    for (key, milliseconds) in [
        ("connect_timeout", "1000"),
        ("first_byte_timeout", "500"),
        ("between_bytes_timeout", "500"),
    ] {
        has(1, key, milliseconds);
    }
    for (kind, store, name) in [
        ("config", "now-serving-config", "config"),
        ("secret", "now-serving-secrets", "secrets"),
    ] {
        let made = bodies(&format!("/resources/stores/{kind}"));
        assert!(made[0].contains(store), "{store}: {made:?}");
        let is_link = |link: &&String| form(link).contains(&("name".to_owned(), name.to_owned()));
        assert_eq!(
            bodies("/resource").iter().filter(is_link).count(),
            1,
            "{name}"
        );
    }
    let domains: Vec<_> = bodies("/domain").iter().map(|body| form(body)).collect();
    for (place, name) in ["www.shop.example", "www-shop-example.edgecompute.app"]
        .into_iter()
        .enumerate()
    {
        let name = ("name".to_owned(), name.to_owned());
        assert!(domains[place].contains(&name), "{domains:?}");
    }
    let log = form(&bodies("/logging/https")[0]);
    assert!(
        log.contains(&("name".to_owned(), "queue_logs".to_owned())),
        "{log:?}"
    );
}

/// Names of stores are those of the whole account.
#[test]
fn two_rooms_of_one_account_have_stores_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let secrets = folder.path().join("secrets.txt");
    let begin = without_questions(folder.path());
    let named = |name: &str| {
        let api = Api::start().unwrap();
        let first = format!("cargo dev secret > {}\nNAME={name}\n", secrets.display());
        succeeds(&shell(&api, folder.path(), &format!("{first}{begin}")));
        let seen = api.seen().into_iter();
        let stores = seen.filter_map(|seen| match seen.line.as_str() {
            "POST /resources/stores/config" | "POST /resources/stores/secret" => Some(seen.body()),
            _ => None,
        });
        stores.collect::<Vec<_>>()
    };
    let (first, second) = (named("now-serving"), named("tickets"));
    for (place, kind) in ["config", "secrets"].into_iter().enumerate() {
        assert!(first[place].contains(&format!("now-serving-{kind}")));
        assert!(second[place].contains(&format!("tickets-{kind}")));
    }
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

#[test]
fn the_commands_of_the_docs_for_later_are_ones_the_cli_knows() {
    let api = Api::start().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let first =
        "fastly service create --type wasm\nfastly service version activate --version latest\n";
    succeeds(&shell(&api, folder.path(), first));
    for (page, heading) in [
        (DEPLOY, "## With questions"),
        (DEPLOY, "## Tokens for programs"),
        ("rotate-secrets.md", "# Rotate `jwt_secret`"),
        ("undo-anything.md", "# Undo anything"),
    ] {
        succeeds(&shell(&api, folder.path(), &told(page, heading)));
    }
    let changes = api.changes();
    let at = |line: &str| {
        changes
            .iter()
            .filter(|change| change.ends_with(line))
            .count()
    };
    assert_eq!(
        at("/version/1/clone"),
        1,
        "an active version is cloned: {changes:?}"
    );
    assert_eq!(
        at("PUT /service/made-service/version/2/backend/upstash"),
        1,
        "{changes:?}"
    );
    assert_eq!(at("/version/2/logging/https"), 1);
    let host = api.seen().into_iter().find_map(|seen| {
        let is_it = seen.line.ends_with("/version/2/backend/protected_content");
        is_it.then(|| form(&seen.body()))
    });
    let kept = ("override_host".to_owned(), String::new());
    assert!(
        host.as_ref().is_some_and(|host| host.contains(&kept)),
        "the origin receives the visitor's Host: {host:?}"
    );
    assert_eq!(
        (at("/version/2/activate"), at("/version/1/activate")),
        (1, 2)
    );
    let rotation: Vec<usize> = api
        .seen()
        .iter()
        .filter(|seen| seen.line == "PUT /resources/stores/secret/secrets-id/secrets")
        .map(|seen| sealed_length(&seen.body()))
        .collect();
    let both = 44 + 1 + 64;
    let tokens = "shop:development-only-permit-token,prometheus/read:".len() + 64;
    assert_eq!(
        rotation,
        [tokens, both, both, 64],
        "the tokens, then both, both, the new one"
    );
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
