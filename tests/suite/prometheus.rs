//! The metrics, the dashboard and the alerts in `deploy/monitoring`, held against a real Prometheus.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use harness::prometheus::Prometheus;
use harness::tools;
use now_serving::page::iso_8601;
use serde_json::{Value, json};
use upstash_local::{Fault, Faults};

use crate::connection::Connection;
use crate::fed::fed;
use crate::house::{Ask, House, PERMIT_TOKEN, Visitor, visitors};
use crate::metrics::scrape;
use crate::pure::conventions::text;
use crate::pure::dashboard;
use crate::stories::invitations::{invitation_by, used};

/// May read, and do nothing else.
const READ_TOKEN: &str = "development-only-read-token";

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("deploy/monitoring")
        .join(name)
}

fn promtool(arguments: &[&str], input: &str) -> Output {
    let mut promtool = Command::new(tools::promtool().unwrap());
    promtool.args(arguments).current_dir(file(""));
    fed(&mut promtool, input)
}

fn said(output: &Output) -> String {
    let parts = [&output.stdout, &output.stderr];
    parts.map(|part| String::from_utf8_lossy(part)).concat()
}

#[test]
fn a_scrape_is_clean() {
    let house = House::wasm();
    let mut visitor = Visitor::new(&house);
    visitor.ask("/");
    visitor.ask("/");
    house.permit(1);
    assert!(visitor.ask("/echo").inside);
    let got = house.ask(&scrape());
    let output = promtool(&["check", "metrics"], &got.body);
    assert!(
        output.status.success() && said(&output).is_empty(),
        "{}",
        said(&output)
    );
    let spoilt = got.body.replace("now_serving_drawn_total", "queue_drawn");
    let output = promtool(&["check", "metrics"], &spoilt);
    assert!(!said(&output).is_empty(), "what is wrong is found");
}

#[test]
fn the_alerts_fire_when_they_should_and_are_silent_when_they_should_be() {
    for arguments in [
        ["check", "rules", "alerts.yml"],
        ["test", "rules", "alerts.test.yml"],
    ] {
        let output = promtool(&arguments, "");
        assert!(output.status.success(), "{}", said(&output));
    }
}

/// Every query of the dashboard and what it is for, with the values that Grafana would put in.
fn queries() -> Vec<(String, String)> {
    let panels = dashboard::panels().into_iter();
    let panels = panels.filter(|panel| panel["datasource"]["type"] == "prometheus");
    let panels = panels.flat_map(|panel| {
        let title = panel["title"].to_string();
        let queries = dashboard::queries(&panel).into_iter();
        queries.map(move |query| (title.clone(), query))
    });
    let notes = dashboard::list(&dashboard::dashboard()["annotations"]["list"]).into_iter();
    let notes = notes.map(|note| {
        (
            note["name"].to_string(),
            note["expr"].as_str().unwrap().to_owned(),
        )
    });
    panels
        .chain(notes)
        .map(|(title, query)| {
            let query = query
                .replace("$room", "main")
                .replace("$__rate_interval", "1m");
            assert!(!query.contains('$'), "{query}");
            (title, query)
        })
        .collect()
}

/// What has no series after a run of a minute, and why. Prometheus takes the query all the same.
const EMPTY: [(&str, &str); 2] = [
    (
        "now_serving_absent_ratio",
        "known after seven minutes, of at least fifty called visitors",
    ),
    (
        "now_serving_recount_ends_timestamp_seconds",
        "known after the store has lost its data under a cap",
    ),
];

fn is_empty(query: &str) -> bool {
    EMPTY.iter().any(|(name, _)| query.contains(name))
}

/// Whether a query answers with numbers, and nothing but numbers.
fn has_data(prometheus: &Prometheus, query: &str) -> bool {
    let data = prometheus.api("query", &[("query", query)]).unwrap();
    let samples = data["result"].as_array().unwrap();
    let is_number = |sample: &Value| sample["value"][1] != "NaN";
    !samples.is_empty() && samples.iter().all(is_number)
}

/// Waits until each of these queries has had an answer.
fn answers(prometheus: &Prometheus, mut queries: Vec<(String, String)>) {
    for _ in 0..240 {
        queries.retain(|(_, query)| !has_data(prometheus, query));
        if queries.is_empty() {
            return;
        }
        thread::sleep(Duration::from_millis(500));
    }
    panic!("without data: {queries:#?}");
}

/// Somebody who looks all the time, until told to leave.
fn look_until(edge: SocketAddr, is_over: &AtomicBool) {
    let mut connection = Connection::open(edge);
    let mut ask = Ask::get("/").json();
    while !is_over.load(Ordering::SeqCst) {
        let got = connection.ask(&ask);
        if let Some(ticket) = got.ticket() {
            let cookie = format!("queue={ticket}");
            ask = Ask::get("/").json().with("cookie", cookie);
        }
        thread::sleep(Duration::from_millis(50));
    }
}

/// Sends them away, whatever becomes of the test.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// A run with something of everything: a fault, a change of a setting, another epoch, arrivals of whom most still wait in the end,
/// releases, guests of a group, and what the origin reports.
fn live(house: &House) {
    house.store.fail(Faults::always(Fault::ServerError));
    Visitor::new(house).ask("/");
    house.store.fail(Faults::none());
    house.change("message", r#"{"message":"Doors at ten"}"#);
    house.end_all_elsewhere();
    thread::sleep(Duration::from_secs(2));
    let code = invitation_by(Some("front"), house, "one", 99, 3600);
    let mut line = visitors(house, 40);
    for visitor in &mut line {
        visitor.ask("/");
    }
    for visitor in line.iter_mut().take(4) {
        let mut guest = Visitor::new(house);
        used(&mut guest, &code);
        house.permit(5);
        visitor.ask("/echo");
        guest.ask("/echo");
        report(house, r#"{"stock": 500, "ok": 1}"#);
        thread::sleep(Duration::from_secs(2));
    }
}

/// What the origin says of itself.
fn report(house: &House, json: &str) {
    let token = format!("Bearer {PERMIT_TOKEN}");
    let report = Ask::get("/_queue/report")
        .method("POST")
        .with("authorization", token);
    let got = house.ask(&report.body("application/json", json));
    assert_eq!(got.status, 200, "{got:?}");
}

/// The counters of fastly-exporter that the dashboard and the alerts ask for, each greater with every scrape.
fn exporter() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    let names = [
        "requests_total",
        "cache_operations_count",
        "resource_limit_exceeded_total",
        "runtime_errors_total",
    ];
    thread::spawn(move || {
        for (scrape, stream) in (1..).zip(listener.incoming()) {
            let mut stream = stream.unwrap();
            let mut asked = BufReader::new(&stream).lines().map_while(Result::ok);
            while asked.next().is_some_and(|line| !line.is_empty()) {}
            let name =
                |name| format!("fastly_rt_compute_{name}{{service_name=\"shop\"}} {scrape}\n");
            let body = names.map(name).concat();
            let head =
                "HTTP/1.1 200 OK\r\ncontent-type: text/plain; version=0.0.4\r\nconnection: close";
            let _ = write!(
                stream,
                "{head}\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
        }
    });
    addr
}

/// The example with the job that it has behind `#` for this exporter, in a folder of its own.
fn with_exporter(folder: &Path, exporter: SocketAddr) -> PathBuf {
    let example = text("deploy/monitoring/prometheus.yml");
    let (before, job) = example.split_once("  # - job_name: fastly\n").unwrap();
    let job = job.replace("  # ", "  ");
    let job = job.replace("127.0.0.1:8080", &exporter.to_string());
    let config = folder.join("prometheus.yml");
    fs::write(&config, format!("{before}  - job_name: fastly\n{job}")).unwrap();
    fs::copy(file("alerts.yml"), folder.join("alerts.yml")).unwrap();
    config
}

#[test]
fn every_query_of_the_dashboard_answers_with_data_from_a_run() {
    let house = House::wasm();
    house.set("automatic", "15");
    house.set("total_active", "1000");
    house.set("priority", r#"[{"name":"front","share":20}]"#);
    house.set("adaptive_pace", "on");
    house.set("origin_health", "observe");
    house.set("slow_ms", "30000");
    let second = house.now_ms() / 1000;
    let [opens, closes] =
        [second - 60, second + 3600].map(|second| iso_8601(second * 1000).replace(".000", ""));
    house.set(
        "event",
        &json!({ "id": "sale", "opens": opens, "closes": closes }).to_string(),
    );
    let addr = house.wasm_side().edge.addr().to_string();
    let tokens = format!("{PERMIT_TOKEN},prometheus/read:{READ_TOKEN}");
    house.set("permit_token", &tokens);
    let folder = tempfile::tempdir().unwrap();
    let config = with_exporter(folder.path(), exporter());
    let prometheus = Prometheus::start(&config, &addr, READ_TOKEN).unwrap();
    let is_over = AtomicBool::new(false);
    let edge = house.wasm_side().edge.addr();
    thread::scope(|scope| {
        // It looks for targets at leisure, and it sees a change only if it saw the value before.
        let up = "up{job=\"now-serving\"} == 1".to_owned();
        answers(&prometheus, vec![("begun".to_owned(), up)]);
        live(&house);
        scope.spawn(|| look_until(edge, &is_over));
        let _over = Over(&is_over);
        let (empty, queries): (Vec<_>, Vec<_>) = queries()
            .into_iter()
            .partition(|(_, query)| is_empty(query));
        answers(&prometheus, queries);
        assert_eq!(empty.len(), EMPTY.len());
        for (title, query) in empty {
            assert!(
                !has_data(&prometheus, &query),
                "{title} has data: it is not to be listed"
            );
        }
    });
    let rules = evaluated(&prometheus);
    assert!(rules.len() >= 6, "{rules:?}");
    for rule in rules {
        assert_eq!(rule["health"], "ok", "{rule}");
    }
}

/// The job of a further room, as the guide shows it and as `prometheus.yml` has it behind `#`.
#[test]
fn a_further_room_is_scraped_by_the_job_that_the_example_has_for_it() {
    let example = text("deploy/monitoring/prometheus.yml");
    let of_room = |part: &&str| part.contains("# - job_name: now-serving-sale");
    let hidden = example.split("\n\n").find(of_room).unwrap();
    let job = hidden.replace("  # ", "  ");
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("prometheus.yml");
    fs::write(&config, example.replace(hidden, &job)).unwrap();
    fs::copy(file("alerts.yml"), folder.path().join("alerts.yml")).unwrap();

    let house = House::wasm();
    house.set("rooms", r#"[{"name":"sale","paths":"/sale/*"}]"#);
    let tokens = format!("{PERMIT_TOKEN},prometheus/read:{READ_TOKEN}");
    house.set("permit_token", &tokens);
    house.ask(&Ask::get("/sale/shoes").json());
    let addr = house.wasm_side().edge.addr().to_string();
    let prometheus = Prometheus::start(&config, &addr, READ_TOKEN).unwrap();
    let first = house.room();
    let data = [
        "up{job=\"now-serving-sale\"} == 1".to_owned(),
        "now_serving_last_number{job=\"now-serving-sale\",room=\"sale\"} > 0".to_owned(),
        format!("now_serving_last_number{{job=\"now-serving\",room=\"{first}\"}} == 0"),
    ];
    answers(
        &prometheus,
        data.map(|query| (query.clone(), query)).to_vec(),
    );
    let mixed = format!("{{job=\"now-serving-sale\",room=\"{first}\"}}");
    assert!(
        !has_data(&prometheus, &mixed),
        "each room in its own scrape"
    );
}

/// The rules, once each of them has been looked at.
fn evaluated(prometheus: &Prometheus) -> Vec<Value> {
    for _ in 0..240 {
        let data = prometheus.api("rules", &[]).unwrap();
        let rules = data["groups"][0]["rules"].as_array().unwrap().clone();
        if rules.iter().all(|rule| rule["health"] != "unknown") {
            return rules;
        }
        thread::sleep(Duration::from_millis(500));
    }
    panic!("the rules are never looked at")
}
