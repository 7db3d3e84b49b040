//! `cargo dev test --store URL`, against a real Redis by Upstash's protocol over HTTP.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::io::Write as _;
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use upstash_local::{Fault, Faults, Redis, Server, Store};

const TOKEN: &str = "development-only-token";
/// What is there already, and stays.
const OTHERS: [&str; 2] = ["queue:{main}", "queue:{test-2}"];

struct Database {
    /// Behind it; it ends with this.
    _redis: Redis,
    store: Store,
    server: Server,
}

impl Database {
    fn new() -> Self {
        let redis = Redis::start().unwrap();
        let store = Store::redis(redis.url(), TOKEN).unwrap();
        for other in OTHERS {
            store.command(&["HSET", other, "mode", "hold"]).unwrap();
        }
        let anywhere = SocketAddr::from(([127, 0, 0, 1], 0));
        let server = Server::start(store.clone(), anywhere).unwrap();
        Self {
            _redis: redis,
            store,
            server,
        }
    }

    /// Begins to play the rules with this in their name.
    fn begin(&self, token: &str, name: &str) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dev"));
        command.args(["test", "--store", &self.server.url(), name]);
        command.env("UPSTASH_REDIS_REST_TOKEN", token);
        let pipes = [Stdio::piped(), Stdio::piped(), Stdio::piped()];
        let [stdin, stdout, stderr] = pipes;
        command.stdin(stdin).stdout(stdout).stderr(stderr);
        command.spawn().unwrap()
    }

    /// The exit code, and all that was said.
    fn test(&self, token: &str, name: &str, answer: &str) -> (Option<i32>, String) {
        let mut child = self.begin(token, name);
        let mut stdin = child.stdin.take().unwrap();
        // Who refuses before the question reads no answer.
        drop(stdin.write_all(answer.as_bytes()));
        drop(stdin);
        told(child)
    }

    fn keys(&self) -> usize {
        let keys = self.store.command(&["DBSIZE"]).unwrap();
        keys.as_u64().unwrap().try_into().unwrap()
    }
}

fn told(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().unwrap();
    let all = [output.stdout, output.stderr].concat();
    let all = String::from_utf8(all).unwrap();
    assert!(!all.contains(TOKEN), "{all}");
    (output.status.code(), all)
}

#[test]
fn the_rules_of_draws_hold_on_a_database_elsewhere_and_nothing_is_left_there() {
    rules_hold("draw");
}

#[test]
#[ignore = "each table on this machine and there, two minutes: cargo dev test --long"]
fn all_rules_hold_on_a_database_elsewhere_and_nothing_is_left_there() {
    rules_hold("");
}

fn rules_hold(name: &str) {
    let database = Database::new();
    let (code, said) = database.test(TOKEN, name, "y\n");
    assert_eq!(code, Some(0), "{said}");
    let number = |before: &str, after: &str| -> u64 {
        let (_, rest) = said.split_once(before).unwrap();
        rest.split_once(after).unwrap().0.trim().parse().unwrap()
    };
    assert_eq!(number("passed, ", " failed"), 0, "{said}");
    assert!(said.contains(". What was made is deleted."), "{said}");
    // The question said so before.
    let (most, sent) = (
        number("At most ", " commands"),
        number("a backup. ", " commands"),
    );
    assert!(sent <= most && most < sent + sent / 10, "{said}");
    assert_eq!(database.keys(), OTHERS.len());
}

#[test]
fn nothing_is_written_without_a_yes_nor_with_a_wrong_token() {
    let database = Database::new();
    for answer in ["", "n\n", "later\n"] {
        let (code, said) = database.test(TOKEN, "draw", answer);
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains("Nothing was written."), "{said}");
    }
    assert_eq!(database.store.commands(), 3, "PING");
    let (code, said) = database.test("another", "draw", "y\n");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("401"), "{said}");
    let (code, said) = database.test("", "draw", "y\n");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("UPSTASH_REDIS_REST_TOKEN"), "{said}");
    let (code, said) = database.test(TOKEN, "drawn", "y\n");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("Known are absent, baseline,"), "{said}");
    assert_eq!(database.keys(), OTHERS.len());
}

#[test]
fn a_case_that_fails_is_named_and_what_it_made_is_deleted() {
    let database = Database::new();
    database.store.fail(Faults::every(15, Fault::ServerError));
    let (code, said) = database.test(TOKEN, "window", "y\n");
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("window.json, ") && said.contains(", 20 failed."),
        "{said}"
    );
    assert!(said.contains("The other cases were not played."), "{said}");
    assert!(
        database.store.commands() < 2_000,
        "{}",
        database.store.commands()
    );
    assert_eq!(database.keys(), OTHERS.len());
}

#[test]
fn a_run_that_is_stopped_deletes_what_it_made() {
    let database = Database::new();
    let mut child = database.begin(TOKEN, "window");
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"y\n").unwrap();
    let deadline = Instant::now() + Duration::from_mins(2);
    while database.keys() <= OTHERS.len() {
        assert!(Instant::now() < deadline, "it makes no key");
        std::thread::sleep(Duration::from_millis(5));
    }
    kill(
        Pid::from_raw(child.id().try_into().unwrap()),
        Signal::SIGINT,
    )
    .unwrap();
    let (code, said) = told(child);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("Stopped"), "{said}");
    assert_eq!(database.keys(), OTHERS.len());
}
