//! `cargo dev probe`, against the real Wasm in the local server.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Output};

use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;
use tokio::runtime::Runtime;

use cli::probe::CHECKS;
use harness::edge::{Edge, EdgeOptions, wasm};
use harness::origin::Origin;
use harness::project::project;
use harness::sandbox_dir;
use upstash_local::{DEADLINE, Fault, Faults, Server, Store};

use crate::tls::acceptor;

const ADMIN_TOKEN: &str = "development-only-admin-token";
const PERMIT_TOKEN: &str = "development-only-permit-token";

/// A service with its own store and origin.
struct Service {
    edge: Edge,
    origin: Origin,
    store: Store,
    _server: Server,
}

impl Service {
    fn start(settings: &[(&str, &str)]) -> Self {
        let any_port = SocketAddr::from(([127, 0, 0, 1], 0));
        let origin = Origin::start(any_port).unwrap();
        let store = Store::embedded("development-only-upstash-token").unwrap();
        let server = Server::start(store.clone(), any_port).unwrap();
        let mut all = sandbox_dir::development_settings().unwrap();
        // The store is this one.
        all.remove("upstash_url");
        all.extend(
            settings
                .iter()
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned())),
        );
        let backends = (origin.url(), server.url());
        let options = EdgeOptions::local(wasm().unwrap(), backends, all, 20 * DEADLINE);
        let edge = Edge::start(&options).unwrap();
        origin.clear();
        Self {
            edge,
            origin,
            store,
            _server: server,
        }
    }

    fn probe(&self, words: &[&str], token: Option<&str>) -> Run {
        probe(&self.edge.url(), words, token)
    }

    /// Again where this machine was late, which is what the probe says then. The last run, and how many there were.
    fn in_time(&self, words: &[&str], token: Option<&str>) -> (Run, u64) {
        let run = || self.probe(words, token);
        let mut runs = (1..).map(|count| (run(), count));
        let is_last = |(run, count): &(Run, u64)| run.code == Some(0) || *count == 5;
        runs.find(is_last).unwrap()
    }

    /// The message that holds, and how often anything was set.
    fn message(&self) -> (Option<String>, u64) {
        let told: serde_json::Value =
            serde_json::from_str(&self.operator("settings", None)).unwrap();
        let now = told.pointer("/message/now").unwrap().as_str();
        let version = told.get("version").unwrap().as_u64().unwrap();
        (now.map(str::to_owned), version)
    }

    fn operator(&self, route: &str, change: Option<&str>) -> String {
        let url = format!("{}/_queue/{route}", self.edge.url());
        let bearer = format!("Bearer {ADMIN_TOKEN}");
        let answer = match change {
            None => ureq::get(url).header("authorization", bearer).call(),
            Some(json) => ureq::post(url)
                .header("authorization", bearer)
                .header("content-type", "application/json")
                .send(json),
        };
        answer.unwrap().body_mut().read_to_string().unwrap()
    }
}

struct Run {
    code: Option<i32>,
    said: String,
    complained: String,
}

impl Run {
    /// The words behind the name of a check.
    fn verdict(&self, check: &str) -> &str {
        let begin = format!("{check}: ");
        let line = self.said.lines().find_map(|line| line.strip_prefix(&begin));
        line.unwrap_or("not there")
    }
}

fn probe(service: &str, words: &[&str], token: Option<&str>) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dev"));
    command.args(["probe", "--service", service]).args(words);
    command.env_remove("NOW_SERVING_TOKEN");
    if let Some(token) = token {
        command.env("NOW_SERVING_TOKEN", token);
    }
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let run = Run {
        code: status.code(),
        said: text(stdout),
        complained: text(stderr),
    };
    if let Some(token) = token {
        let all = format!("{}{}", run.said, run.complained);
        assert!(!all.contains(token), "a token is never printed: {all}");
    }
    run
}

#[test]
fn without_leave_a_service_is_looked_at_and_nothing_in_it_moves() {
    let service = Service::start(&[("automatic", "0")]);
    let before = service.store.calls();
    let run = service.probe(&["--path", "/", "--cached-path", "/status/200"], None);
    assert_eq!(run.code, Some(0), "{}{}", run.said, run.complained);
    let ok = "ok";
    let unseen = "cannot be seen from here";
    for (check, verdict) in [
        ("configuration", ok),
        ("connecting", unseen),
        ("http", unseen),
        ("answers of the origin, outside the room", ok),
        ("PURGE", ok),
        ("TRACE", ok),
        ("draws", unseen),
        ("a draw after a silence", unseen),
        ("answers of the origin, inside the room", unseen),
        ("cached path", unseen),
        ("a change, as visitors see it", unseen),
        ("what the origin receives", unseen),
        ("the host of the origin", unseen),
        ("POP", unseen),
    ] {
        assert_eq!(run.verdict(check), verdict, "{check}: {}", run.said);
    }
    let names = run.said.lines().filter(|line| !line.starts_with(' '));
    let names: Vec<&str> = names
        .filter_map(|line| Some(line.split_once(": ")?.0))
        .collect();
    assert_eq!(names, CHECKS);
    assert!(
        !run.said.contains('\u{1b}'),
        "no colours in a pipe: {}",
        run.said
    );
    assert_eq!(service.store.calls(), before, "not one store call");
    let told = service.operator("status", None);
    assert!(told.contains(r#""length":0"#), "{told}");
    // What stands in line reached no origin.
    let seen = service.origin.requests();
    assert!(
        seen.iter().all(|seen| seen.target == "/robots.txt"),
        "{seen:?}"
    );
}

/// Three that wait: the line stands.
#[test]
fn with_leave_numbers_are_drawn_and_timed_and_the_message_is_as_it_was_before() {
    let service = Service::start(&[("automatic", "0"), ("message", "From the settings.")]);
    let mut numbers = 0;
    for set in [
        r#"{"message":"Back at ten."}"#,
        r#"{"message":""}"#,
        r#"{"message":null}"#,
    ] {
        service.operator("message", Some(set));
        let before = service.message();
        let (run, runs) = service.in_time(&["--draw", "--token"], Some(ADMIN_TOKEN));
        numbers += 3 * runs;
        assert_eq!(run.code, Some(0), "{}{}", run.said, run.complained);
        assert!(
            run.said.contains("Draws 3 numbers of the line by /."),
            "{}",
            run.said
        );
        assert_eq!(run.verdict("draws"), "ok");
        assert!(
            run.said.contains("3 drawn, 0 of them let in"),
            "{}",
            run.said
        );
        assert_eq!(
            run.verdict("a change, as visitors see it"),
            "ok",
            "{}",
            run.said
        );
        let after = service.message();
        assert_eq!(after, (before.0, before.1 + 2 * runs), "{set}");
    }
    let told = service.operator("status", None);
    let length = format!(r#""length":{numbers},"#);
    assert!(told.contains(&length), "three each: {told}");
}

#[test]
fn the_message_is_put_back_although_an_operator_changes_the_mode_meanwhile() {
    let service = Service::start(&[("automatic", "0")]);
    service.operator("message", Some(r#"{"message":"Back at ten."}"#));
    let before = service.message();
    let run = std::thread::scope(|scope| {
        let running = scope.spawn(|| service.probe(&["--draw", "--token"], Some(ADMIN_TOKEN)));
        while service.message().1 == before.1 && !running.is_finished() {
            std::thread::yield_now();
        }
        service.operator("mode", Some(r#"{"mode":"hold"}"#));
        running.join().unwrap()
    });
    let (said, complained) = (&run.said, &run.complained);
    assert!(
        !said.contains("could not be put back"),
        "{said}{complained}"
    );
    assert_eq!(service.message(), (before.0, before.1 + 3), "{}", run.said);
}

#[test]
fn visitors_who_are_let_in_see_what_the_origin_answers_and_receives() {
    let service = Service::start(&[("automatic", "0"), ("automatic_quantity", "5")]);
    service.operator("permit", Some(r#"{"amt":30}"#));
    let words = [
        "--draw",
        "--silence",
        "1s,2s",
        "--path",
        "/cached",
        "--echo",
        "/echo",
        "--cached-path",
        "/cached",
    ];
    let (run, _) = service.in_time(&words, None);
    assert_eq!(run.code, Some(0), "{}{}", run.said, run.complained);
    assert!(
        run.said.contains("3 drawn, 3 of them let in"),
        "{}",
        run.said
    );
    for (check, verdict) in [
        ("draws", "ok"),
        ("a draw after a silence", "ok"),
        ("answers of the origin, inside the room", "ok"),
        ("cached path", "cannot be seen from here"),
        ("what the origin receives", "ok"),
    ] {
        assert_eq!(run.verdict(check), verdict, "{check}: {}", run.said);
    }
    // Every visitor is shown the same there, and --path says that it should not be so.
    let run = service.probe(&["--draw", "--path", "/status/200"], None);
    assert_eq!(run.code, Some(1), "{}", run.said);
    assert_eq!(
        run.verdict("answers of the origin, inside the room"),
        "differs"
    );
}

/// The demo origin answers any name; the service in its place would be asked again and again.
#[test]
fn an_origin_is_asked_for_a_name_that_it_cannot_know_and_for_the_one_that_it_gets() {
    let service = Service::start(&[
        ("automatic", "0"),
        ("automatic_quantity", "5"),
        ("origin_host", "shop.platform.example"),
    ]);
    service.operator("permit", Some(r#"{"amt":60}"#));
    let receives = |host: &[&str]| {
        let words = [&["--draw", "--echo", "/echo"], host].concat();
        let run = service.probe(&words, None);
        run.verdict("what the origin receives").to_owned()
    };
    let named = ["--origin-host", "shop.platform.example"];
    assert_eq!(receives(&named), "ok");
    assert_eq!(receives(&[]), "differs");
    service.origin.clear();
    let url = service.origin.url();
    let run = service.probe(&["--origin", &url], None);
    assert_eq!(run.verdict("the host of the origin"), "ok", "{}", run.said);
    let seen = service.origin.requests();
    let made_up = (String::from("host"), b"now-serving-probe.invalid".to_vec());
    let asked = seen.iter().filter(|seen| seen.headers.contains(&made_up));
    assert_eq!(asked.count(), 1, "{seen:?}");
    let run = service.probe(&["--origin", &service.edge.url()], None);
    assert_eq!(
        run.verdict("the host of the origin"),
        "differs",
        "{}",
        run.said
    );
    assert!(run.said.contains("in a loop"), "{}", run.said);
}

#[test]
fn what_differs_is_named_with_what_mends_it_and_ends_with_1() {
    let service = Service::start(&[
        ("automatic", "0"),
        ("heading", "two\nlines"),
        ("origin_cookie", "keep"),
        ("bypass_paths", "/echo /robots.txt"),
    ]);
    let run = service.probe(&["--echo", "/echo"], None);
    assert_eq!(run.code, Some(1), "{}", run.said);
    assert_eq!(run.verdict("configuration"), "differs");
    assert!(run.said.contains("ignored: heading"), "{}", run.said);
    assert_eq!(run.verdict("what the origin receives"), "differs");
    assert!(
        run.said.contains("set `origin_cookie` to remove"),
        "{}",
        run.said
    );
    let unsound = Service::start(&[("automatic", "often")]);
    let run = unsound.probe(&[], None);
    assert_eq!(run.code, Some(1), "{}", run.said);
    let named = "healthz answers 503: ";
    assert!(
        run.said.contains(named) && run.said.contains("automatic: "),
        "{}",
        run.said
    );
    service.store.fail(Faults::always(Fault::Refuse));
    let run = service.probe(&["--draw"], None);
    assert_eq!(run.verdict("draws"), "differs", "{}", run.said);
    assert!(
        run.said.contains("0 of 3 visitors drew a number"),
        "{}",
        run.said
    );
}

#[test]
fn a_service_that_is_down_another_one_and_a_wrong_token_are_told_apart() {
    let down = probe("http://127.0.0.1:1", &[], None);
    let service = Service::start(&[("automatic", "0")]);
    let another = probe(&service.origin.url(), &[], None);
    let path = service.probe(&["--admin-path", "/operators"], None);
    let wrong = service.probe(&["--draw", "--token"], Some("a-token-of-another-service"));
    let weak = service.probe(&["--draw", "--token"], Some(PERMIT_TOKEN));
    let none = service.probe(&["--draw", "--token"], None);
    for (run, words) in [
        (&down, "cannot connect"),
        (&another, "is answered 404, and not as Now Serving does"),
        (&path, "--admin-path says"),
        (&wrong, "the service does not know this token"),
        (&weak, "this token is a permit_token"),
        (&none, "NOW_SERVING_TOKEN"),
    ] {
        assert_eq!(run.code, Some(1), "{words}: {}", run.said);
        assert!(
            run.complained.contains(words),
            "{words}: {}",
            run.complained
        );
        assert_eq!(run.said, "", "nothing else was done");
    }
    assert!(service.operator("status", None).contains(r#""length":0"#));
}

#[test]
fn over_tls_the_time_of_the_handshake_is_shown_and_an_unknown_certificate_is_refused() {
    let service = Service::start(&[("automatic", "0")]);
    let folder = tempfile::tempdir().unwrap();
    let authority = folder.path().join("authority.pem");
    let (_runtime, port) = terminate_tls(service.edge.addr(), &authority);
    let url = format!("https://localhost:{port}");
    let run = |authority: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dev"));
        command.args(["probe", "--service", &url]);
        let output = command
            .env("SSL_CERT_FILE", authority)
            .env_remove("SSL_CERT_DIR")
            .output()
            .unwrap();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        (output.status.code(), said)
    };
    let (code, said) = run(&authority);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("connecting: ok") && said.contains("the certificate holds"),
        "{said}"
    );
    let other = folder.path().join("other.pem");
    let (_runtime, _) = terminate_tls(service.edge.addr(), &other);
    let (code, said) = run(&other);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("no TLS: invalid peer certificate"), "{said}");
    let (code, said) = run(&folder.path().join("nothing.pem"));
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("no certificates to check TLS with"), "{said}");
}

/// Speaks TLS in front of an edge, as `localhost`, and writes the authority of its certificate.
fn terminate_tls(edge: SocketAddr, authority: &Path) -> (Runtime, u16) {
    let acceptor = acceptor("localhost", authority);
    let runtime = Runtime::new().unwrap();
    let bound = tokio::net::TcpListener::bind("127.0.0.1:0");
    let listener = runtime.block_on(bound).unwrap();
    let port = listener.local_addr().unwrap().port();
    runtime.spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let mut edge = TcpStream::connect(edge).await?;
                let mut stream = acceptor.accept(stream).await?;
                copy_bidirectional(&mut stream, &mut edge).await
            });
        }
    });
    (runtime, port)
}

#[test]
fn each_check_has_a_place_among_what_is_known_and_unknown() {
    let told = project().unwrap().root.join("docs/deep/production.md");
    let told = std::fs::read_to_string(told).unwrap();
    for check in CHECKS {
        assert!(told.contains(&format!("*{check}*")), "{check}");
    }
}
