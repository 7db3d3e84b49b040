//! `deploy/first.sh`, with its answers on standard input, Fastly's real CLI and a stand-in for Fastly's API.
//!
//! What it asks of other hosts goes to this machine: a `curl` that stands before the real one puts other addresses for
//! theirs. It writes down every command line, as a `fastly` that stands before the real one does.

use std::fs;
use std::io::Write as _;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cli::check::verdict;
use development::fastly_api::{Api, SERVICE, TOKEN};
use harness::edge::{Edge, EdgeOptions};
use harness::origin::Origin;
use harness::project::{self, project};
use harness::sandbox_dir::Settings;
use harness::tools;
use tempfile::TempDir;
use upstash_local::{DEADLINE, Server, Store};

use super::{checkout, command, form, sealed_length, shell, succeeds};

const UPSTASH_TOKEN: &str = "development-only-upstash-token";
const ANSWERS: [&str; 6] = [
    "www.shop.example",
    "origin.shop.example",
    "https://eu1-name.upstash.io",
    UPSTASH_TOKEN,
    "",
    "",
];
/// Where the service is found before DNS moves.
const TRY: &str = "www-shop-example.edgecompute.app";

/// Writes down its command line. The last word of `curl` is a URL.
const FASTLY: &str = r#"#!/bin/sh
printf 'fastly %s\n' "$*" >>"$ARGV"
exec "$REAL_FASTLY" "$@"
"#;
const CURL: &str = r#"#!/bin/sh
printf 'curl %s\n' "$*" >>"$ARGV"
left=$#
for word; do
  shift
  left=$((left - 1))
  [ "$left" -gt 0 ] || word=$(printf %s "$word" | sed "s#^https://[^/]*upstash.io#$STORE#; s#^https://origin[^/]*#$SITE#; s#^https://[^/]*edgecompute.app#$EDGE#; s#^https://www.shop.example#$EDGE#")
  set -- "$@" "$word"
done
exec "$REAL_CURL" "$@"
"#;

/// An account at Fastly, a database, a site, and somebody who answers.
struct World {
    api: Api,
    folder: TempDir,
    site: Origin,
    store: Store,
    server: Server,
    /// The stand-in for the running service.
    edge: String,
}

/// What a run has said, and how it ended.
struct Ran {
    is_done: bool,
    said: String,
}

impl World {
    fn new() -> Self {
        let any_port = SocketAddr::from(([127, 0, 0, 1], 0));
        let folder = tempfile::tempdir().unwrap();
        let site = Origin::start(any_port).unwrap();
        site.show("/_queue/healthz", "text/plain", "ok\n");
        let store = Store::embedded(UPSTASH_TOKEN).unwrap();
        let server = Server::start(store.clone(), any_port).unwrap();
        let world = Self {
            api: Api::start().unwrap(),
            edge: site.url(),
            folder,
            site,
            store,
            server,
        };
        fs::create_dir(world.path("bin")).unwrap();
        fs::create_dir(world.path("home")).unwrap();
        world.program("fastly", FASTLY);
        world.program("curl", CURL);
        world.program("sleep", "#!/bin/sh\n");
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn program(&self, name: &str, text: &str) {
        let path = self.path("bin").join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// A package, as a release has one.
    fn package(&self) -> PathBuf {
        let package = self.path("package/pkg/now-serving.tar.gz");
        if !package.exists() {
            let folder = self.path("package");
            fs::create_dir(&folder).unwrap();
            let root = &project().unwrap().root;
            fs::copy(root.join("fastly.toml"), folder.join("fastly.toml")).unwrap();
            let wasm = project::build_wasm().unwrap();
            let pack = format!(
                "cd {}; fastly compute pack --wasm-binary {}",
                folder.display(),
                wasm.display()
            );
            let apart = tempfile::tempdir().unwrap();
            succeeds(&shell(&self.api, apart.path(), &pack));
            let hash = format!("fastly compute hash-files --package {}", package.display());
            let hash = shell(&self.api, apart.path(), &hash);
            succeeds(&hash);
            let hash = String::from_utf8(hash.stdout).unwrap();
            self.api.expect_package(hash.trim());
        }
        package
    }

    fn run(&self, answers: &[&str]) -> Ran {
        let package = self.package();
        self.run_with(answers, &[("PACKAGE", &package.display().to_string())])
    }

    /// What its owner does with Fastly's CLI beside the script.
    fn by_hand(&self, commands: &str) {
        let apart = tempfile::tempdir().unwrap();
        succeeds(&shell(&self.api, apart.path(), commands));
    }

    fn command(&self, variables: &[(&str, &str)]) -> Command {
        let real_curl = Path::new("/usr/bin/curl");
        let mut command = command(&self.api, self.folder.path(), "exec sh deploy/first.sh");
        command
            .env_remove("FASTLY_SERVICE_ID")
            .env_remove("NAME")
            .env("HOME", self.path("home"))
            .env("ARGV", self.path("argv"))
            .env("REAL_FASTLY", tools::fastly_cli().unwrap())
            .env("REAL_CURL", real_curl)
            .env("STORE", self.server.url())
            .env("SITE", self.site.url())
            .env("EDGE", &self.edge)
            .envs(variables.iter().copied());
        command
    }

    fn run_with(&self, answers: &[&str], variables: &[(&str, &str)]) -> Ran {
        let mut command = self.command(variables);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let builds = variables.iter().all(|(name, _)| *name != "PACKAGE");
        let _alone = builds.then(checkout);
        let mut child = command.spawn().unwrap();
        let mut keyboard = child.stdin.take().unwrap();
        // A run that stops early reads no more.
        let _ = keyboard.write_all(format!("{}\n", answers.join("\n")).as_bytes());
        drop(keyboard);
        let output = child.wait_with_output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        Ran {
            is_done: output.status.success(),
            said: String::from_utf8_lossy(&said).into_owned(),
        }
    }

    /// The secrets that it made, as it keeps them.
    fn kept(&self) -> String {
        fs::read_to_string(self.path("home/now-serving-secrets.txt")).unwrap_or_default()
    }

    fn secret(&self, name: &str) -> String {
        let kept = self.kept();
        let line = kept
            .lines()
            .find_map(|line| line.strip_prefix(&format!("{name} ")));
        line.unwrap().to_owned()
    }

    /// How often it was asked for this.
    fn count(&self, end: &str) -> usize {
        let changes = self.api.changes();
        changes.iter().filter(|line| line.ends_with(end)).count()
    }

    fn bodies(&self, end: &str) -> Vec<Vec<(String, String)>> {
        let seen = self.api.seen().into_iter();
        let mine = seen.filter(|seen| !seen.line.starts_with("GET ") && seen.line.ends_with(end));
        mine.map(|seen| form(&seen.body())).collect()
    }

    /// No secret is in what was said, or in a command line that any process of the machine can read.
    fn no_secret_was_shown(&self, ran: &Ran, more: &[&str]) {
        let argv = fs::read_to_string(self.path("argv")).unwrap();
        assert!(argv.contains("fastly service") && argv.contains("curl --silent"));
        let kept = self.kept();
        let made = kept
            .lines()
            .skip(1)
            .map(|line| line.split_once(' ').unwrap().1);
        for secret in made
            .chain([UPSTASH_TOKEN, TOKEN])
            .chain(more.iter().copied())
        {
            assert!(!argv.contains(secret), "{secret}: {argv}");
            assert!(!ran.said.contains(secret), "{secret}: {}", ran.said);
        }
    }
}

fn has(form: &[(String, String)], key: &str, value: &str) -> bool {
    form.contains(&(key.to_owned(), value.to_owned()))
}

fn done(ran: &Ran) {
    assert!(ran.is_done, "{}", ran.said);
}

/// How it stopped, and that it did.
fn stopped<'a>(ran: &'a Ran, why: &str) -> &'a str {
    assert!(!ran.is_done && ran.said.contains(why), "{}", ran.said);
    &ran.said
}

#[test]
fn six_answers_lead_from_nothing_to_an_active_version() {
    let world = World::new();
    let manifest = project().unwrap().root.join("fastly.toml");
    let before = fs::read(&manifest).unwrap();
    // Without a package it builds one.
    let ran = world.run_with(&ANSWERS, &[]);
    done(&ran);
    let program = "Also: cargo dev probe --service ";
    assert!(ran.said.contains(program), "{}", ran.said);
    assert_eq!(fs::read(&manifest).unwrap(), before, "fastly.toml stays");
    let version = format!("/service/{SERVICE}/version/1");
    let sealed = [
        "POST /resources/stores/secret/client-key",
        "POST /resources/stores/secret/secrets-id/secrets",
    ];
    let last = sealed[1].replacen("POST", "PUT", 1);
    let expected: Vec<String> = [
        &[
            "POST /service",
            "POST /resources/stores/config",
            "POST /resources/stores/secret",
            "PUT /resources/stores/config/config-id/item/upstash_url",
            "POST /resources/stores/config/config-id/item",
        ][..],
        &sealed.repeat(2),
        &[sealed[0], &last],
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
            "POST {}/domain",
            "POST {}/domain",
            "PUT {}/package",
            "PUT {}/activate",
            "POST /tls/subscriptions",
            "PUT /service/made-service",
        ]
        .map(|line| line.replace("{}", &version)),
    )
    .collect();
    assert_eq!(world.api.changes(), expected);
    what_was_made_is_what_the_service_needs(&world);
    world.no_secret_was_shown(&ran, &[]);
    // What is left to do: both DNS records, the names that the guides use, the way back.
    for next in [
        "_acme-challenge.www.shop.example  CNAME  made.fastly-validations.com",
        "www.shop.example  CNAME  j.sni.global.fastly.net",
        "www.shop.example  A  192.0.2.1",
        "export FASTLY_SERVICE_ID=made-service CONFIG=config-id SECRETS=secrets-id",
        "export DOMAIN=www.shop.example ORIGIN=origin.shop.example TRY=www-shop-example.edgecompute.app",
        "https://www-shop-example.edgecompute.app/_queue",
    ] {
        assert!(ran.said.contains(next), "{next}: {}", ran.said);
    }
}

fn what_was_made_is_what_the_service_needs(world: &World) {
    what_is_kept_is_for_its_owner_alone(world);
    let seen = world.api.seen();
    let entries = seen
        .iter()
        .filter(|seen| seen.line.ends_with("/secrets") && !seen.line.starts_with("GET "));
    let secrets = [
        ("jwt_secret", world.secret("jwt_secret").len()),
        ("admin_password", world.secret("admin_password").len()),
        ("upstash_token", UPSTASH_TOKEN.len()),
    ];
    assert_eq!((secrets[0].1, secrets[1].1), (64, 23));
    for (entry, (name, length)) in entries.zip(secrets) {
        let body = entry.body();
        assert!(
            body.contains(&format!("\"name\":\"{name}\"")),
            "{name}: {body}"
        );
        assert_eq!(sealed_length(&body), length, "{name}, and not a byte more");
    }
    let backends = world.bodies("/backend");
    for (backend, name, host) in [
        (&backends[0], "protected_content", "origin.shop.example"),
        (&backends[1], "upstash", "eu1-name.upstash.io"),
    ] {
        // By the port the API knows that it is TLS.
        for (key, value) in [
            ("name", name),
            ("address", host),
            ("ssl_sni_hostname", host),
            ("ssl_cert_hostname", host),
            ("port", "443"),
        ] {
            assert!(has(backend, key, value), "{key}: {backend:?}");
        }
    }
    assert!(
        backends[0].iter().all(|(key, _)| key != "override_host"),
        "the origin receives the visitor's Host: {:?}",
        backends[0]
    );
    for (key, value) in [
        ("override_host", "eu1-name.upstash.io"),
        ("connect_timeout", "1000"),
        ("first_byte_timeout", "500"),
        ("between_bytes_timeout", "500"),
    ] {
        assert!(has(&backends[1], key, value), "{key}: {:?}", backends[1]);
    }
    for (name, store) in [("config", "config-id"), ("secrets", "secrets-id")] {
        let links = world.bodies("/resource");
        let mine = links
            .iter()
            .filter(|link| has(link, "name", name) && has(link, "resource_id", store));
        assert_eq!(mine.count(), 1, "{name}: {links:?}");
    }
    let domains = world.bodies("/domain");
    assert!(has(&domains[0], "name", TRY), "{domains:?}");
    assert!(has(&domains[1], "name", "www.shop.example"), "{domains:?}");
}

/// The values that the config store holds in the end.
fn entries(api: &Api) -> Settings {
    let mut entries = Settings::new();
    for seen in api
        .seen()
        .iter()
        .filter(|seen| !seen.line.starts_with("GET "))
    {
        let Some((_, key)) = seen.line.split_once("/config-id/item") else {
            continue;
        };
        let form = form(&seen.body());
        let field = |wanted: &str| {
            let found = form.iter().find(|(key, _)| key == wanted);
            found.map(|(_, value)| value.clone())
        };
        let key = field("item_key").unwrap_or_else(|| key.trim_start_matches('/').to_owned());
        entries.insert(key, field("item_value").unwrap());
    }
    entries
}

#[test]
fn a_first_visitor_goes_in_with_what_it_has_stored() {
    let world = World::new();
    let trial = [&ANSWERS[..4], &["y", ""]].concat();
    let ran = world.run(&trial);
    done(&ran);
    let program = "Also: now-serving probe --service ";
    assert!(ran.said.contains(program), "no Rust: {}", ran.said);
    let mut settings = entries(&world.api);
    let names: Vec<_> = settings.keys().map(String::as_str).collect();
    assert_eq!(names, ["settings", "upstash_url"]);
    // The service compares it with the host of its backend, which is on this machine here.
    let url = settings.remove("upstash_url").unwrap();
    assert_eq!(url, "https://eu1-name.upstash.io");
    let document = settings["settings"].clone();
    assert_eq!(document, r#"{"backend_calls":10}"#, "a trial account");
    let verdict = verdict("settings", &document, Settings::new());
    assert!(verdict.is_sound, "{:?}", verdict.lines);
    world.store.reset_counts();
    let backends = (world.site.url(), world.server.url());
    let mut options = EdgeOptions::local(
        project::build_wasm().unwrap(),
        backends,
        settings,
        20 * DEADLINE,
    );
    options.secrets = ["jwt_secret", "admin_password"]
        .map(|name| (name.to_owned(), world.secret(name)))
        .into_iter()
        .chain([("upstash_token".to_owned(), UPSTASH_TOKEN.to_owned())])
        .collect();
    let edge = Edge::start(&options).unwrap();
    // It asks for the site when it starts.
    world.site.clear();
    let get = |path: &str| ureq::get(format!("{}{path}", edge.url()));
    assert_eq!(get("/_queue/healthz").call().unwrap().status(), 200);
    let page = get("/").header("accept", "text/html").call().unwrap();
    assert_eq!(page.status(), 200);
    let cookies = page.headers().get_all("set-cookie").iter();
    let mut cookies = cookies.map(|cookie| cookie.to_str().unwrap());
    assert!(cookies.any(|cookie| cookie.contains("queue=")), "{page:?}");
    let is_the_site = |seen: &harness::origin::Seen| seen.method == "GET" && seen.target == "/";
    assert!(world.site.requests().iter().any(is_the_site), "the site");
    assert!(world.store.calls() > 0, "the visitor has drawn a number");
    let login = |password: &str| {
        let basic = format!("admin:{password}");
        let basic = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, basic);
        let call = get("/_queue/status").header("authorization", format!("Basic {basic}"));
        call.call().is_ok()
    };
    assert!(login(&world.secret("admin_password")) && !login("another-password"));
}

#[test]
fn a_wrong_token_stops_it_before_anything_is_made() {
    let world = World::new();
    let package = world.package().display().to_string();
    let ran = world.run_with(
        &ANSWERS,
        &[("PACKAGE", &package), ("FASTLY_API_TOKEN", "another")],
    );
    stopped(&ran, "Fastly did not take the token");
    let wrong = [&ANSWERS[..3], &["another", "", ""]].concat();
    let ran = world.run(&wrong);
    let said = stopped(&ran, "Upstash did not write");
    assert!(said.contains("read-only"), "{said}");
    world.no_secret_was_shown(&ran, &[]);
    assert_eq!(world.api.changes(), [""; 0]);
    assert_eq!(world.kept(), "");
}

#[test]
fn an_answer_that_cannot_be_right_stops_it_before_anything_is_made() {
    let world = World::new();
    for (answers, why) in [
        (
            &["https://www.shop.example"][..],
            "a domain is letters, digits",
        ),
        (&["shop"], "a domain is"),
        (&["www..shop.example"], "a domain is"),
        (
            &["www.shop.example", "www.shop.example"],
            "a name of its own",
        ),
        (
            &["www.shop.example", "WWW.shop.example."],
            "a name of its own",
        ),
        (
            &["www.shop.example", "origin..shop.example"],
            "without a path",
        ),
        (
            &["www.shop.example", "origin.shop.example/shop"],
            "without a path",
        ),
        (
            &[
                "www.shop.example",
                "origin.shop.example",
                "rediss://eu1-name.upstash.io",
            ],
            "https://",
        ),
        (&ANSWERS[..3], "no answer"),
        (
            &[&ANSWERS[..4], &["maybe"]].concat(),
            "no answer to: Trial account",
        ),
    ] {
        stopped(&world.run(answers), why);
    }
    for (log, why) in [
        (
            &["s3", "", "s3.amazonaws.com", "key", "key"][..],
            "a bucket",
        ),
        (&["s3", "logs", "", "key", "key"], "a host"),
        (&["s3", "logs", "s3.amazonaws.com", "", "key"], "a key"),
        (&["s3", "logs", "s3.amazonaws.com", "key", ""], "a key"),
        (&["newrelic", "eu-1", "key"], "US or EU"),
        (&["newrelic", "EU", ""], "a key"),
        (&["newrelic", "EU", "key\r"], "no quotes"),
        (&["https://", ""], "a log is"),
        (&["https://logs.shop.example/a b", ""], "a log is"),
    ] {
        stopped(&world.run(&[&ANSWERS[..5], log].concat()), why);
    }
    let lost = [&ANSWERS[..1], &["nowhere.invalid"], &ANSWERS[2..]].concat();
    stopped(&world.run(&lost), "there is no host nowhere.invalid");
    assert_eq!(world.api.changes(), [""; 0]);
    assert!(!world.path("home/now-serving-secrets.txt").exists());
}

#[test]
fn it_refuses_clearly_where_something_is_missing() {
    let world = World::new();
    let ran = world.run_with(&ANSWERS, &[("PACKAGE", "nowhere.tar.gz")]);
    stopped(&ran, "nowhere.tar.gz");
    // A folder of programs without fastly, curl and cargo.
    // The log's keys go to the API by this one.
    let old = "#!/bin/sh\n[ \"$1 $2\" != 'auth token' ] || exit 1\nexec \"$REAL_FASTLY\" \"$@\"\n";
    world.program("fastly", old);
    stopped(&world.run(&ANSWERS), "it has no 'fastly auth token'");
    world.program("fastly", FASTLY);
    let few = world.path("few");
    fs::create_dir(&few).unwrap();
    for name in ["sh", "grep", "sed"] {
        std::os::unix::fs::symlink(Path::new("/bin").join(name), few.join(name)).unwrap();
    }
    let ran = world.run_with(&ANSWERS, &[("PATH", &few.display().to_string())]);
    let said = stopped(&ran, "this machine lacks");
    let missing = [
        "npm install --global @fastly/cli",
        "curl:",
        "https://rustup.rs",
    ];
    assert!(missing.iter().all(|what| said.contains(what)), "{said}");
    assert_eq!(world.api.changes(), [""; 0]);
}

#[test]
fn a_name_that_is_taken_is_left_alone() {
    let world = World::new();
    let other = "fastly service create --type wasm --name now-serving --comment 'Somebody else'";
    let apart = tempfile::tempdir().unwrap();
    succeeds(&shell(&world.api, apart.path(), other));
    let before = world.api.changes();
    let said = world.run(&ANSWERS);
    stopped(&said, "NAME=tickets sh deploy/first.sh");
    assert_eq!(world.api.changes(), before);

    // Stores of that name, which another service may use.
    let world = World::new();
    let store = "fastly config-store create --name now-serving-config";
    let apart = tempfile::tempdir().unwrap();
    succeeds(&shell(&world.api, apart.path(), store));
    let before = world.api.changes();
    stopped(&world.run(&ANSWERS), "stores of the name now-serving");
    assert_eq!(world.api.changes(), before);
    // Fastly lists them on several pages.
    let paged = World::new();
    paged.by_hand(
        "fastly secret-store create --name another-secrets
        fastly secret-store create --name now-serving-secrets",
    );
    stopped(&paged.run(&ANSWERS), "stores of the name now-serving");
    let package = world.package().display().to_string();
    let named = [("PACKAGE", &*package), ("NAME", "tickets")];
    done(&world.run_with(&ANSWERS, &named));
    let stores = world.bodies("/stores/config");
    assert!(has(&stores[1], "name", "tickets-config"), "{stores:?}");
}

#[test]
fn a_name_at_edgecompute_that_is_taken_gets_some_letters_more() {
    let world = World::new();
    let taken = "Domain is already taken by another customer";
    world
        .api
        .refuse(("POST", "/domain", "edgecompute.app"), 1, (400, taken));
    let ran = world.run(&ANSWERS);
    done(&ran);
    let domains = world.bodies("/domain");
    let longer = &domains[1][0].1;
    assert!(longer.starts_with("www-shop-example-"), "{domains:?}");
    assert!(
        ran.said.contains(&format!("open https://{longer}/")),
        "{}",
        ran.said
    );
}

#[test]
fn an_account_without_classic_domains_gets_a_versionless_one() {
    let world = World::new();
    let old = "The classic domains APIs are deprecated";
    world
        .api
        .refuse(("POST", "/domain", "www.shop.example"), 1, (403, old));
    done(&world.run(&ANSWERS));
    assert_eq!(world.count("POST /domain-management/v1/domains"), 1);
    let ran = world.run(&ANSWERS);
    done(&ran);
    assert_eq!(world.count("POST /domain-management/v1/domains"), 1);
    let undo = "fastly domain delete --domain-id made";
    assert!(ran.said.contains(undo), "{}", ran.said);

    // Where another service has the domain, the room can be tried all the same.
    let world = World::new();
    for end in ["/domain", "/domains"] {
        world.api.refuse(
            ("POST", end, "www.shop.example"),
            1,
            (400, "Domain is taken"),
        );
    }
    let ran = world.run(&ANSWERS);
    done(&ran);
    assert!(
        ran.said.contains("www.shop.example could not be added"),
        "{}",
        ran.said
    );
}

/// At whatever step it broke off, and however often.
#[test]
fn a_run_that_broke_off_goes_on_and_makes_nothing_twice() {
    let world = World::new();
    let mut kept = String::new();
    let steps = [
        ("POST", "/stores/config"),
        ("POST", "/stores/secret"),
        ("POST", "/item"),
        ("POST", "/secrets"),
        ("PUT", "/secrets"),
        ("POST", "/resource"),
        ("POST", "/backend"),
        ("POST", "/domain"),
        ("PUT", "/package"),
        ("PUT", "/activate"),
        ("POST", "/tls/subscriptions"),
    ];
    for (method, end) in steps {
        let broke = (500, "Something broke");
        world.api.refuse((method, end, ""), 1, broke);
        let ran = world.run(&ANSWERS);
        assert!(stopped(&ran, "run this again").contains(broke.1), "{end}");
        assert!(
            world.kept().starts_with(&kept),
            "{end}: the secrets are those of the first run"
        );
        kept = world.kept();
    }
    let ran = world.run(&ANSWERS);
    done(&ran);
    assert!(
        ran.said.contains("There is a service now-serving"),
        "{}",
        ran.said
    );
    assert!(world.kept().starts_with(&kept));
    for line in [
        "POST /service",
        "/stores/config",
        "/stores/secret",
        "/version/1/backend",
        "/version/1/domain",
        "/activate",
        "/tls/subscriptions",
    ] {
        let two = ["/version/1/backend", "/version/1/domain"];
        let made = if two.contains(&line) { 2 } else { 1 };
        let refused = steps.iter().filter(|(_, end)| line.ends_with(end)).count();
        assert_eq!(world.count(line), made + refused, "{line}");
    }
    world.no_secret_was_shown(&ran, &[]);
}

#[test]
fn a_second_run_says_what_is_there_and_changes_no_version() {
    let world = World::new();
    done(&world.run(&ANSWERS));
    let first = world.api.changes().len();
    let kept = world.kept();
    fs::remove_file(world.path("home/now-serving-secrets.txt")).unwrap();
    let ran = world.run(&ANSWERS);
    done(&ran);
    assert!(
        ran.said.contains("A version is active already"),
        "{}",
        ran.said
    );
    let again = &world.api.changes()[first..];
    let store = "/resources/stores";
    let expected = [
        format!("PUT {store}/config/config-id/item/upstash_url"),
        format!("POST {store}/secret/client-key"),
        format!("PUT {store}/secret/secrets-id/secrets"),
    ];
    assert_eq!(again, expected, "the token may be another one");
    assert_eq!(
        world.kept(),
        "",
        "no secret is made for one that is there: {kept}"
    );
    // Its first name may be taken away later.
    let version = "/service/made-service/version/2";
    world.by_hand(&format!(
        "fastly service domain delete --version active --autoclone --name {TRY}
        fastly service version activate --version latest"
    ));
    assert!(
        world
            .api
            .changes()
            .contains(&format!("PUT {version}/activate"))
    );
    let later = world.run(&ANSWERS);
    done(&later);
    let open = "open https://www.shop.example/";
    assert!(later.said.contains(open), "{}", later.said);
    assert!(
        !ran.said.contains("secrets.txt"),
        "that file is gone: {}",
        ran.said
    );
}

#[test]
fn a_running_service_gets_no_other_site_and_no_other_store() {
    let world = World::new();
    done(&world.run(&ANSWERS));
    let before = world.api.changes();
    for (place, other) in [
        (1, "origin.other.example"),
        (2, "https://us1-other.upstash.io"),
    ] {
        let mut answers = ANSWERS;
        answers[place] = other;
        let ran = world.run(&answers);
        let said = stopped(&ran, "change the backend first");
        assert!(said.contains("leads to"), "{said}");
        assert_eq!(world.api.changes(), before);
    }
    // A draft leads elsewhere: what visitors get counts.
    world.by_hand(
        "fastly service version clone --version active
        fastly service backend update --version latest --name upstash --address us1-other.upstash.io",
    );
    let before = world.api.changes();
    let mut answers = ANSWERS;
    answers[2] = "https://us1-other.upstash.io";
    let ran = world.run(&answers);
    let said = stopped(&ran, "change the backend first");
    assert_eq!(world.api.changes(), before);
    // By the commands that it shows.
    let commands = said.split("run this again:\n").nth(1).unwrap();
    world.by_hand(commands);
    let updated = world.api.seen().into_iter().rev();
    let mut updated = updated.filter(|seen| seen.line.ends_with("/backend/upstash"));
    let updated = form(&updated.next().unwrap().body());
    assert!(has(&updated, "override_host", "us1-other.upstash.io"));
    done(&world.run(&answers));
}

/// What did not stop it stands at the end too, where it is read.
#[test]
fn an_origin_that_does_not_answer_and_settings_that_stay_are_noted_at_the_end() {
    let world = World::new();
    let package = world.package().display().to_string();
    let away = [("PACKAGE", &package[..]), ("SITE", "http://127.0.0.1:9")];
    let ran = world.run_with(&ANSWERS, &away);
    done(&ran);
    let end = |ran: &Ran| {
        let (_, end) = ran.said.split_once("Look at these first:").unwrap();
        end.to_owned()
    };
    assert!(end(&ran).contains("the origin did not answer from here"));
    let trial = [&ANSWERS[..4], &["maybe", "yes", ""]].concat();
    let ran = world.run(&trial);
    done(&ran);
    assert!(end(&ran).contains("\"backend_calls\": 10"), "{}", ran.said);
    let ran = world.run(&ANSWERS);
    assert!(!ran.said.contains("Look at these first"), "{}", ran.said);
}

#[test]
fn a_service_that_is_not_well_is_said_to_be() {
    let mut world = World::new();
    world.edge = "http://127.0.0.1:9".to_owned();
    stopped(&world.run(&ANSWERS), "the service is not well");
}

#[test]
fn a_log_needs_no_server_and_its_keys_are_on_no_command_line() {
    for (answers, kind, fields, secrets) in [
        (
            &[
                "s3",
                "logs",
                "auto.r2.example",
                "made-access-key",
                "made+secret/key=",
            ][..],
            "s3",
            &[
                ("bucket_name", "logs"),
                ("domain", "auto.r2.example"),
                ("access_key", "made-access-key"),
                ("secret_key", "made+secret/key="),
                ("period", "60"),
                ("message_type", "blank"),
            ][..],
            &["made-access-key", "made+secret/key="][..],
        ),
        (
            &["newrelic", "EU", "made-license-key"],
            "newrelic",
            &[("region", "EU"), ("token", "made-license-key")],
            &["made-license-key"],
        ),
        (
            &["https://logs.shop.example/ingest", "Bearer made-key"],
            "https",
            &[
                ("url", "https://logs.shop.example/ingest"),
                ("header_name", "Authorization"),
                ("header_value", "Bearer made-key"),
                ("json_format", "2"),
                ("message_type", "blank"),
            ],
            &["Bearer made-key"],
        ),
    ] {
        let with_log = [&ANSWERS[..5], answers].concat();
        let world = World::new();
        let ran = world.run(&with_log);
        done(&ran);
        let logs = world.bodies(&format!("/version/1/logging/{kind}"));
        for (key, value) in [("name", "queue_logs")].iter().chain(fields) {
            assert!(has(&logs[0], key, value), "{key}: {logs:?}");
        }
        world.no_secret_was_shown(&ran, secrets);
        if kind == "https" {
            // Of the service's id, without a line's end.
            let sum = "9c85cae7b2befeebc38ad8498bccc58d7a887dd42fd81a02a0879fccf132a3aa";
            let path = "logs.shop.example must answer /.well-known/fastly/logging/challenge";
            assert!(
                ran.said.contains(path) && ran.said.contains(sum),
                "{}",
                ran.said
            );
        }

        // A log that is wanted later is in a version of its own, once.
        let world = World::new();
        done(&world.run(&ANSWERS));
        assert_eq!(world.count("/queue_logs"), 0);
        let ran = world.run(&with_log);
        done(&ran);
        let told = "Version 2 has the log, and is active.";
        assert!(ran.said.contains(told), "{}", ran.said);
        done(&world.run(&with_log));
        assert_eq!(world.count(&format!("/version/2/logging/{kind}")), 1);
        assert_eq!(
            (world.count("/version/2/activate"), world.count("/clone")),
            (1, 1)
        );
    }
}

#[test]
fn all_of_it_is_undone_by_the_commands_it_ends_with() {
    let world = World::new();
    done(&world.run(&ANSWERS));
    // A later run says the same.
    let ran = world.run(&ANSWERS);
    done(&ran);
    world.by_hand(undo(&ran));
    let deleted = world
        .api
        .changes()
        .into_iter()
        .filter(|line| line.starts_with("DELETE "));
    assert_eq!(
        deleted.collect::<Vec<_>>(),
        [
            "DELETE /tls/subscriptions/made-subscription",
            "DELETE /service/made-service",
            "DELETE /resources/stores/config/config-id",
            "DELETE /resources/stores/secret/secrets-id",
        ]
    );
    assert_eq!(world.kept(), "", "the next room gets secrets of its own");
    done(&world.run(&ANSWERS));
}

/// The commands that undo what the script made.
fn undo(ran: &Ran) -> &str {
    let (_, undo) = ran.said.split_once("To undo all of it").unwrap();
    let (_, undo) = undo.split_once('\n').unwrap();
    let (commands, more) = undo.split_once("\n\n").unwrap();
    assert!(more.contains("the database at Upstash"), "{more}");
    commands
}

/// Deleting it would take the certificate from a site that visitors are on.
#[test]
fn a_certificate_that_was_there_before_is_left_alone() {
    let world = World::new();
    world.by_hand("fastly tls-subscription create --domain www.shop.example");
    let ran = world.run(&ANSWERS);
    done(&ran);
    assert!(!undo(&ran).contains("tls-subscription"), "{}", ran.said);
    assert!(ran.said.contains("set this DNS record now"), "{}", ran.said);
    world.api.issue();
    let ran = world.run(&ANSWERS);
    done(&ran);
    assert!(!undo(&ran).contains("tls-subscription"), "{}", ran.said);
    assert!(
        ran.said.contains("is issued already") && !ran.said.contains("set this DNS record now"),
        "{}",
        ran.said
    );
    assert_eq!(world.count("POST /tls/subscriptions"), 1);

    // One that cannot be listed may be there.
    let world = World::new();
    let no = (403, "no TLS for this token");
    world.api.refuse(("GET", "/tls/subscriptions", ""), 9, no);
    let ran = world.run(&ANSWERS);
    done(&ran);
    assert!(ran.said.contains(no.1), "{}", ran.said);
    assert_eq!(world.count("POST /tls/subscriptions"), 0);
}

/// An account of its own, or another site, has a secret of its own: a ticket of a rehearsal is none for the event.
#[test]
fn secrets_that_are_kept_go_into_no_other_service() {
    let world = World::new();
    done(&world.run(&ANSWERS));
    let kept = world.kept();
    assert!(
        kept.starts_with("Now Serving for www.shop.example, service made-service\n"),
        "{kept}"
    );
    let other = World::new();
    let path = other.path("home/now-serving-secrets.txt");
    fs::write(&path, &kept).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let ran = other.run(&ANSWERS);
    stopped(&ran, "the secrets of another room");
    for line in kept.lines().skip(1) {
        assert!(!ran.said.contains(line.split_once(' ').unwrap().1));
    }
    assert_eq!(other.api.changes(), [""; 0]);
    // What a run broke off after, with a mode that others read.
    other.by_hand(
        "fastly service create --type wasm --name now-serving --comment 'Now Serving for www.shop.example'",
    );
    done(&other.run(&ANSWERS));
    what_is_kept_is_for_its_owner_alone(&other);
    assert_eq!(other.kept(), kept);
    // Where it cannot be written, nothing is made.
    let world = World::new();
    let package = world.package().display().to_string();
    let nowhere = world.path("nowhere/secrets.txt").display().to_string();
    let variables = [("PACKAGE", &*package), ("KEEP", &*nowhere)];
    stopped(&world.run_with(&ANSWERS, &variables), "cannot be written");
    assert_eq!(world.api.changes(), [""; 0]);
}

fn what_is_kept_is_for_its_owner_alone(world: &World) {
    let kept = world.path("home/now-serving-secrets.txt");
    let mode = fs::metadata(kept).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "only its owner reads it");
}

/// An error is not "there is none".
#[test]
fn an_error_of_fastly_makes_nothing_twice() {
    let broke = (503, "Something broke");
    let world = World::new();
    for end in [
        "/stores/config",
        "/stores/secret",
        "/item/settings",
        "/secrets/jwt_secret",
        "/resource",
        "/backend/protected_content",
        "/domain/www.shop.example",
        "/v1/domains",
        "/tls/subscriptions",
    ] {
        world.api.refuse(("GET", end, ""), 1, broke);
        stopped(&world.run(&ANSWERS), broke.1);
    }
    done(&world.run(&ANSWERS));
    for line in ["POST /service", "/stores/config", "/version/1/domain"] {
        let made = if line == "/version/1/domain" { 2 } else { 1 };
        assert_eq!(world.count(line), made, "{line}");
    }
    // Nor does it make a domain of the other kind.
    let world = World::new();
    let of_domain = ("POST", "/domain", "www.shop.example");
    world.api.refuse(of_domain, 1, broke);
    stopped(&world.run(&ANSWERS), broke.1);
    assert_eq!(world.count("/v1/domains"), 0);
}

/// The service runs, and a run comes on an error.
#[test]
fn an_error_of_fastly_changes_nothing_that_runs() {
    let broke = (503, "Something broke");
    let with_log = [&ANSWERS[..5], &["newrelic", "EU", "made-license-key"]].concat();
    let world = World::new();
    done(&world.run(&with_log));
    for end in [
        "/details",
        "/search",
        "/backend/upstash",
        "/newrelic/queue_logs",
        "/domain",
    ] {
        let before = world.api.changes();
        world.api.refuse(("GET", end, ""), 1, broke);
        let ran = world.run(&with_log);
        let said = stopped(&ran, broke.1);
        assert!(!said.contains("did not take the token"), "{said}");
        let again = world.api.changes().split_off(before.len());
        let versions = again.iter().filter(|line| line.contains("/version/"));
        assert_eq!(versions.count(), 0, "{end}: {again:?}");
    }
}

/// The text of an error may have the name of what was not made.
#[test]
fn a_log_that_fastly_refuses_is_not_taken_for_one() {
    let world = World::new();
    let refused = (400, "queue_logs: the bucket is no bucket");
    world.api.refuse(("POST", "/logging/s3", ""), 1, refused);
    let log = ["s3", "logs", "s3.amazonaws.com", "key", "made-secret"];
    let ran = world.run(&[&ANSWERS[..5], &log].concat());
    stopped(&ran, "Fastly made no log");
    assert_eq!(world.count("/activate"), 0);
}

/// They would go around the room.
#[test]
fn an_origin_that_sends_visitors_to_itself_is_noted() {
    let world = World::new();
    let package = world.package().display().to_string();
    for (location, is_noted) in [
        ("https://ORIGIN.shop.example/shop", true),
        ("https://www.shop.example/shop", false),
        ("/shop", false),
    ] {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let site = format!("http://{}", listener.local_addr().unwrap());
        let answer = format!(
            "HTTP/1.1 301 .\r\nLocation: {location}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let mut head = [0; 4096];
                let _ = std::io::Read::read(&mut stream, &mut head);
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        let ran = world.run_with(&ANSWERS, &[("PACKAGE", &package), ("SITE", &site)]);
        done(&ran);
        assert!(ran.said.contains("The origin answers 301"), "{}", ran.said);
        let is_said = ran.said.contains("Note: the origin sends visitors to ");
        assert_eq!(is_said, is_noted, "{location}: {}", ran.said);
    }
}

/// Whose shell goes on with what the script left.
#[test]
fn a_terminal_shows_what_is_typed_after_a_hidden_question_broke_off() {
    let world = World::new();
    let package = world.package().display().to_string();
    let terminal = nix::pty::openpty(None, None).unwrap();
    let mut command = world.command(&[("PACKAGE", &package)]);
    let keyboard = terminal.slave.try_clone().unwrap();
    let mut child = command
        .stdin(Stdio::from(keyboard))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut typist = fs::File::from(terminal.master);
    let mut heard = child.stdout.take().unwrap();
    let mut said = String::new();
    let answers = [
        "www.shop.example\n",
        "origin.shop.example\n",
        "https://eu1-name.upstash.io\n",
        "\u{4}",
    ];
    let mut answers = answers.iter();
    let mut piece = [0; 256];
    while let Ok(read @ 1..) = std::io::Read::read(&mut heard, &mut piece) {
        said.push_str(&String::from_utf8_lossy(&piece[..read]));
        if said.ends_with(": ")
            && let Some(answer) = answers.next()
        {
            typist.write_all(answer.as_bytes()).unwrap();
        }
    }
    assert!(!child.wait().unwrap().success());
    assert!(said.contains("REST token"), "{said}");
    let stty = Command::new("stty")
        .arg("-a")
        .stdin(Stdio::from(terminal.slave))
        .output()
        .unwrap();
    let stty = String::from_utf8(stty.stdout).unwrap();
    assert!(
        stty.contains(" echo ") && !stty.contains(" -echo "),
        "{stty}"
    );
}
