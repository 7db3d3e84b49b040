//! What one sandbox serves to several visitors, one after the other: nothing of one request is seen in the next.
//!
//! The local server begins a new sandbox when none waits for work, and says so; all other requests were served by one
//! that had served somebody else before.
#![expect(clippy::float_cmp, reason = "counts are whole numbers")]

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ct_codecs::{Encoder, Hex};
use now_serving::ticket::TicketStage;
use serde_json::{Value, json};

use crate::connection::Connection;
use crate::house::{Ask, Got, House, Visitor, claims, inside, visitors};
use crate::metrics::{numbers, scrape};
use crate::tickets::signed;

/// Everybody who takes turns on the connection.
const TURNS: [Turn; 8] = [
    Turn::Waiting,
    Turn::Newcomer,
    Turn::Inside,
    Turn::Operator,
    Turn::Stranger,
    Turn::Forger,
    Turn::Bypass,
    Turn::Page,
];
const ROUNDS: usize = 10;
/// The requests by which the room is set up: three draws, two of them by the second contact, a permit, one that goes in.
const SET_UP: usize = 7;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// Number 2, who waits and asks for data.
    Waiting,
    /// A ticket without a number, which is drawn at once.
    Newcomer,
    /// Number 1, who is inside.
    Inside,
    /// The panel, with the password.
    Operator,
    /// The panel, without.
    Stranger,
    /// Number 2's ticket with another signature.
    Forger,
    /// A path that skips the room.
    Bypass,
    /// Number 3, who waits and asks for a page.
    Page,
}

/// The tickets of the visitors who take turns, and which of them have drawn so far.
struct Room {
    inside: String,
    waiting: [String; 2],
    drawn: u64,
    /// The ids of the tickets that drew here.
    ids: BTreeSet<String>,
}

impl Room {
    fn new(house: &House) -> Self {
        house.warm();
        let mut visitors = [(); 3].map(|()| Visitor::new(house));
        for visitor in &mut visitors {
            visitor.ask("/");
        }
        house.permit(1);
        assert!(visitors[0].ask("/echo").inside);
        let [inside, second, third] = visitors.map(|visitor| visitor.ticket.unwrap());
        Self {
            inside,
            waiting: [second, third],
            drawn: 3,
            ids: BTreeSet::new(),
        }
    }

    /// The request of a turn, with a mark of its own in everything that could be carried over.
    fn ask(&self, turn: Turn, mark: &str) -> Ask {
        let holds = |ticket: &str| {
            Ask::get(&format!("/echo?query={mark}"))
                .with("cookie", format!("mine={mark}; queue={ticket}"))
        };
        let panel = || Ask::get("/_queue/").with("cookie", format!("mine={mark}"));
        let ask = match turn {
            Turn::Waiting => holds(&self.waiting[0]).json(),
            Turn::Page => holds(&self.waiting[1]).with("accept", "text/html"),
            Turn::Inside => holds(&self.inside),
            Turn::Forger => {
                let (signed, _) = self.waiting[0].rsplit_once('.').unwrap();
                holds(&format!("{signed}.{}", "A".repeat(43))).json()
            }
            Turn::Newcomer => Ask::get(&format!("/?query={mark}"))
                .with("cookie", format!("queue={}", provisional(mark)))
                .json(),
            Turn::Bypass => Ask::get(&format!("/robots.txt?query={mark}")),
            Turn::Operator => panel().operator(),
            Turn::Stranger => panel(),
        };
        ask.with("user-agent", format!("agent {mark}"))
            .with("referer", format!("http://elsewhere.example/{mark}"))
    }

    /// What the same request gets from a sandbox that has served nobody else.
    fn check(&mut self, turn: Turn, got: &Got) {
        let told = || got.json();
        let seen = (got.status, got.inside);
        match turn {
            Turn::Waiting => assert_eq!(
                (seen, &told()["position"], &told()["ahead"]),
                ((503, false), &json!(2), &json!(0))
            ),
            Turn::Page => assert!(
                seen == (503, false) && got.body.contains("1 person ahead of you"),
                "{}",
                got.body
            ),
            Turn::Inside => assert_eq!(
                (seen, sent_on(&told(), "queue-position")),
                ((200, true), Some("1".to_owned()))
            ),
            Turn::Bypass => assert_eq!(
                (seen, got.body.as_str()),
                ((200, true), "User-agent: *\nAllow: /\n")
            ),
            Turn::Operator => assert!(
                seen == (200, false) && got.body.contains("now serving"),
                "{}",
                got.body
            ),
            Turn::Stranger => assert!(
                seen == (401, false) && !got.body.contains("now serving"),
                "{}",
                got.body
            ),
            Turn::Newcomer => return self.has_drawn(got),
            Turn::Forger => return self.has_a_new_ticket(got, None),
        }
        // An operator's browser is known by a cookie of its own.
        let mut cookies = got.all("set-cookie");
        cookies.retain(|cookie| turn != Turn::Operator || !cookie.starts_with("queue-device="));
        assert_eq!(cookies, Vec::<&str>::new(), "{turn:?}: nothing changed");
    }

    fn has_drawn(&mut self, got: &Got) {
        self.drawn += 1;
        self.has_a_new_ticket(got, Some(self.drawn));
    }

    fn has_a_new_ticket(&mut self, got: &Got, position: Option<u64>) {
        let claims = claims(&got.ticket().unwrap());
        let position = json!(position);
        assert_eq!(
            (got.status, &got.json()["position"], &claims["pos"]),
            (503, &position, &position)
        );
        let id = claims["sub"].as_str().unwrap().to_owned();
        assert!(self.ids.insert(id), "an id of its own");
        assert_eq!(got.all("set-cookie").len(), 2, "and the end of a twin");
    }
}

/// A ticket without a number, with an id of its own.
fn provisional(mark: &str) -> String {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let bytes: Vec<u8> = mark.bytes().rev().collect();
    let id = Hex::encode_to_string(bytes).unwrap();
    let provisional_ticket = TicketStage::Provisional {
        tries: 0,
        challenge: None,
    };
    signed(format!("{id:0<32}"), provisional_ticket, "main", now)
}

/// A header that the origin says it was sent.
fn sent_on(echo: &Value, name: &str) -> Option<String> {
    let headers = echo["headers"].as_array().unwrap();
    let found = headers.iter().find(|header| header[0] == name)?;
    Some(found[1].as_str()?.to_owned())
}

/// Ten rounds, each in another order.
fn turns() -> Vec<Turn> {
    let round = |number: usize| {
        let mut turns = TURNS;
        turns.rotate_left(number % TURNS.len());
        if number % 2 == 1 {
            turns.swap(0, 5);
            turns.reverse();
        }
        turns
    };
    (0..ROUNDS).flat_map(round).collect()
}

/// How many requests began a sandbox of their own.
fn sandboxes(house: &House) -> usize {
    let lines = house.wasm_side().edge.output();
    lines
        .iter()
        .filter(|line| line.contains("handling request "))
        .count()
}

#[test]
fn nothing_about_a_visitor_survives_a_request() {
    let house = House::wasm();
    let mut room = Room::new(&house);
    // The local server writes lines after it has answered.
    let logged = house.log_of(SET_UP).len();
    let began = sandboxes(&house);
    let mut connection = Connection::open(house.wasm_side().edge.addr());
    let turns = turns();
    for (number, &turn) in turns.iter().enumerate() {
        let mark = mark(number);
        let got = connection.ask(&room.ask(turn, &mark));
        room.check(turn, &got);
        let carried = marks(&format!("{got:?}"));
        assert!(
            carried.is_subset(&BTreeSet::from([mark])),
            "{turn:?}: {carried:?}"
        );
    }
    let log = house.log_of(logged + turns.len());
    assert_eq!((logged, log.len()), (SET_UP, SET_UP + turns.len()));
    let mut seen = BTreeSet::new();
    for line in &log[logged..] {
        let carried = marks(&line.to_string());
        assert_eq!(carried.len(), 1, "{line}");
        seen.extend(carried);
    }
    assert_eq!(seen.len(), turns.len(), "a line for each");
    let traces: BTreeSet<_> = log[logged..]
        .iter()
        .map(|line| line["fastlyTraceId"].to_string())
        .collect();
    assert_eq!(traces.len(), turns.len(), "a name for each: {traces:?}");
    let sandboxes = sandboxes(&house) - began;
    println!("{} requests, {sandboxes} sandboxes", turns.len());
    assert!(
        sandboxes * 2 < turns.len(),
        "{sandboxes} sandboxes for {} requests",
        turns.len()
    );
}

fn mark(number: usize) -> String {
    format!("mark~{number:03}")
}

/// The marks in a text. No signature has their `~`.
fn marks(text: &str) -> BTreeSet<String> {
    text.match_indices("mark~")
        .filter_map(|(at, _)| {
            let mark = text.get(at..at + 8)?;
            mark[5..].parse::<usize>().ok().map(|_| mark.to_owned())
        })
        .collect()
}

#[test]
fn a_sandbox_that_lives_on_reads_the_settings_that_changed() {
    assert!((0..5).any(|_| lives_on()), "both by the same");
}

/// Whether one sandbox answers before and after the change: it does not wait for ever where this machine is late.
fn lives_on() -> bool {
    let house = House::wasm();
    let status = || house.ask(&Ask::get("/").json()).status;
    assert_eq!(status(), 503);
    house
        .wasm_side()
        .edge
        .set("waiting_status", Some("429"))
        .unwrap();
    thread::sleep(Duration::from_millis(1100));
    assert_eq!(status(), 429);
    sandboxes(&house) == 1
}

/// A request line that no client library sends, on a connection of its own.
fn strange(house: &House, line: &str) -> String {
    let mut socket = TcpStream::connect(house.wasm_side().edge.addr()).unwrap();
    let patience = Some(Duration::from_secs(20));
    socket.set_read_timeout(patience).unwrap();
    let request = format!("{line} HTTP/1.1\r\nHost: a:80\r\nConnection: close\r\n\r\n");
    socket.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

/// Visits that the metrics know within half a minute: what a sandbox keeps that waits for another request comes after 15 s.
fn counted_visits(house: &House, reason: &str, expected: u32) -> f64 {
    let name = format!("now_serving_decisions_total{{room=\"main\",reason=\"{reason}\"}}");
    let mut found = 0.0;
    for _ in 0..60 {
        found = numbers(&house.ask(&scrape()).body)[&name];
        if found >= f64::from(expected) {
            break;
        }
        thread::sleep(Duration::from_millis(500));
    }
    found
}

#[test]
fn a_request_that_ends_a_sandbox_loses_nothing_that_was_counted_for_others() {
    let house = House::wasm();
    let lines = [
        ("OPTIONS *", "204"),
        ("GET *", "400"),
        ("HEAD *", "400"),
        ("POST *", "400"),
        ("PURGE *", "400"),
    ];
    let many = 5 * u32::try_from(lines.len()).unwrap();
    for (line, status) in lines {
        for _ in 0..5 {
            assert!(house.ask(&Ask::get("/robots.txt")).inside);
            let answer = strange(&house, line);
            assert_eq!(answer.split(' ').nth(1), Some(status), "{line}: {answer}");
        }
    }
    assert_eq!(counted_visits(&house, "bypass", many), f64::from(many));
}

#[test]
fn a_strange_request_renews_the_sessions_of_others_all_the_same() {
    let house = House::wasm();
    house.set("total_active", "10");
    house.set("session_minutes", "3");
    let mut visitors = visitors(&house, 5);
    house.permit(5);
    assert_eq!(inside(&mut visitors), [true; 5]);
    // Past the end of the sessions that the store knew at first. A scrape brings it all that was counted.
    for _ in 0..5 {
        house.wait(Duration::from_mins(1));
        for visitor in &mut visitors {
            assert!(visitor.ask("/echo").inside);
            strange(&house, "OPTIONS *");
        }
        house.ask(&scrape());
    }
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    assert_eq!(status["sessions"]["inside"], 5, "{status}");
}

/// All pages of a minute come in its first second, and none after them: nothing but these requests tells the store.
#[test]
fn pages_in_the_first_second_of_each_minute_keep_every_session() {
    let house = House::wasm();
    house.set("total_active", "10");
    house.set("session_minutes", "2");
    let mut visitors = visitors(&house, 10);
    house.permit(10);
    assert_eq!(inside(&mut visitors), [true; 10]);
    for minute in 0..5 {
        thread::sleep(Duration::from_secs(4));
        house.wait_for_period(60);
        let status = house.ask(&Ask::get("/_queue/status").operator()).json();
        assert_eq!(status["sessions"]["inside"], 10, "{minute}: {status}");
        assert_eq!(inside(&mut visitors), [true; 10], "{minute}");
    }
}

/// The local server's config store answers what the SDK does not know.
#[test]
fn settings_that_cannot_be_read_lose_nothing_that_was_counted() {
    let house = House::wasm();
    let too_long = format!(r#"{{"message":"{}"}}"#, "a".repeat(9_000));
    for _ in 0..3 {
        for _ in 0..2 {
            assert!(house.ask(&Ask::get("/robots.txt")).inside);
        }
        house.set("settings", &too_long);
        thread::sleep(Duration::from_millis(1100));
        assert_eq!(house.ask(&Ask::get("/")).status, 503);
        house.set("settings", "{}");
        thread::sleep(Duration::from_millis(1100));
    }
    assert_eq!(counted_visits(&house, "bypass", 6), 6.0);
}
