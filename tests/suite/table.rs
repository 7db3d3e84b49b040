//! Who draws a ticket: every combination of what a request can say about itself, against one small table.
//!
//! The table is written down here once more, and on purpose: it shares nothing with the code it judges.

use crate::connection::Connection;
use crate::house::{Ask, Got, House, Visitor};

/// The first row that a request meets says what comes of it.
struct Row {
    name: &'static str,
    is_met_by: fn(&Request) -> bool,
    status: Status,
    body: Body,
    draws: Draws,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Is(u16),
    /// Whatever the setting `waiting_status` says.
    Waiting,
    /// Whatever the origin says.
    OfTheOrigin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Body {
    PageOrData,
    HeadersOfPageOrData,
    None,
    Origin,
    Problem,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Draws {
    /// Unless it holds a ticket already.
    Yes,
    No,
}

const ROWS: [Row; 9] = [
    Row {
        name: "TRACE, CONNECT",
        is_met_by: |request| matches!(request.method, "TRACE" | "CONNECT"),
        status: Status::Is(405),
        body: Body::Problem,
        draws: Draws::No,
    },
    Row {
        name: "allow-listed path",
        is_met_by: |request| request.path == BYPASS,
        status: Status::OfTheOrigin,
        body: Body::Origin,
        draws: Draws::No,
    },
    Row {
        name: "OPTIONS",
        is_met_by: |request| request.method == "OPTIONS",
        status: Status::OfTheOrigin,
        body: Body::Origin,
        draws: Draws::No,
    },
    Row {
        name: "whoever was let in",
        is_met_by: |request| request.holds == Holds::Admission,
        status: Status::OfTheOrigin,
        body: Body::Origin,
        draws: Draws::No,
    },
    Row {
        name: "Sec-Purpose: prefetch / Purpose: prefetch / X-Moz: prefetch",
        is_met_by: |request| request.purpose.is_some(),
        status: Status::Is(503),
        body: Body::None,
        draws: Draws::No,
    },
    Row {
        name: "sub-resources",
        is_met_by: |request| SUB_RESOURCES.contains(&request.dest),
        status: Status::Is(503),
        body: Body::None,
        draws: Draws::No,
    },
    Row {
        name: "HEAD",
        is_met_by: |request| request.method == "HEAD",
        status: Status::Waiting,
        body: Body::HeadersOfPageOrData,
        draws: Draws::No,
    },
    Row {
        name: "POST/PUT/PATCH/DELETE",
        is_met_by: |request| matches!(request.method, "POST" | "PUT" | "PATCH" | "DELETE"),
        status: Status::Waiting,
        body: Body::PageOrData,
        draws: Draws::Yes,
    },
    Row {
        name: "GET navigation",
        is_met_by: |request| request.method == "GET",
        status: Status::Waiting,
        body: Body::PageOrData,
        draws: Draws::Yes,
    },
];

const METHODS: [&str; 9] = [
    "GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT",
];

/// What is preferred by who sends this `Accept`; an empty one is not sent.
const ACCEPTS: [(&str, Media); 7] = [
    ("", Media::Page),
    (
        "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
        Media::Page,
    ),
    ("application/json", Media::Data),
    ("application/json, text/plain, */*", Media::Data),
    ("*/*", Media::Page),
    ("text/html;q=0.5, application/json;q=0.9", Media::Data),
    (
        "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8",
        Media::Page,
    ),
];

/// What a visitor looks at, or asks for by script; an empty one is not sent.
const VISITS: [&str; 7] = [
    "", "document", "empty", "iframe", "frame", "embed", "object",
];
const SUB_RESOURCES: [&str; 12] = [
    "image",
    "script",
    "style",
    "font",
    "audio",
    "video",
    "track",
    "worker",
    "sharedworker",
    "serviceworker",
    "manifest",
    "report",
];

const PURPOSES: [Option<(&str, &str)>; 5] = [
    None,
    Some(("sec-purpose", "prefetch")),
    Some(("sec-purpose", "prefetch;prerender")),
    Some(("purpose", "prefetch")),
    Some(("x-moz", "prefetch")),
];

const HOLDS: [Holds; 3] = [Holds::Nothing, Holds::Place, Holds::Admission];

const PATH: &str = "/echo";
const BYPASS: &str = "/robots.txt";

/// Differs from what is answered without a page, so that the two cannot be taken for each other.
const WAITING_STATUS: u16 = 202;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Media {
    Page,
    Data,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    Nothing,
    Place,
    Admission,
}

#[derive(Clone, Copy, Debug)]
struct Request {
    method: &'static str,
    path: &'static str,
    accept: (&'static str, Media),
    dest: &'static str,
    purpose: Option<(&'static str, &'static str)>,
    by_script: bool,
    holds: Holds,
}

impl Request {
    fn media(&self) -> Media {
        if self.dest == "empty" || self.by_script {
            return Media::Data;
        }
        self.accept.1
    }

    fn ask(&self, tickets: &Tickets) -> Ask {
        let sent = [("accept", self.accept.0), ("sec-fetch-dest", self.dest)];
        let sent = sent.into_iter().filter(|(_, value)| !value.is_empty());
        let script = ("x-requested-with", "XMLHttpRequest");
        let script = self.by_script.then_some(script);
        let ask = Ask::get(self.path).method(self.method);
        let ask = sent
            .chain(self.purpose)
            .chain(script)
            .fold(ask, |ask, (name, value)| ask.with(name, value));
        match self.holds {
            Holds::Nothing => ask,
            Holds::Place => ask.with("cookie", &tickets.place),
            Holds::Admission => ask.with("cookie", &tickets.admission),
        }
    }
}

fn every_request() -> Vec<Request> {
    let mut requests = Vec::new();
    for method in METHODS {
        for path in [PATH, BYPASS] {
            for accept in ACCEPTS {
                for dest in VISITS.into_iter().chain(SUB_RESOURCES) {
                    for purpose in PURPOSES {
                        for by_script in [false, true] {
                            requests.extend(HOLDS.map(|holds| Request {
                                method,
                                path,
                                accept,
                                dest,
                                purpose,
                                by_script,
                                holds,
                            }));
                        }
                    }
                }
            }
        }
    }
    requests
}

/// The cookies of one who waits and of one who was let in.
struct Tickets {
    place: String,
    admission: String,
}

fn tickets(house: &House) -> Tickets {
    let cookie = |visitor: Visitor<'_>| format!("queue={}", visitor.ticket.unwrap());
    let mut first = Visitor::new(house);
    first.ask(PATH);
    house.permit(1);
    assert!(first.ask(PATH).inside);
    let mut second = Visitor::new(house);
    assert!(!second.ask(PATH).inside);
    Tickets {
        place: cookie(second),
        admission: cookie(first),
    }
}

/// What came of a request, as the table words it.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    status: Status,
    body: Body,
    media: Option<Media>,
    /// The cookie that came, and by how much the line grew.
    drawn: (bool, u64),
}

impl Outcome {
    fn expected(row: &Row, request: &Request) -> Self {
        let is_worded = matches!(row.body, Body::PageOrData | Body::HeadersOfPageOrData);
        let draws = row.draws == Draws::Yes && request.holds == Holds::Nothing;
        Self {
            status: row.status,
            body: row.body,
            media: is_worded.then(|| request.media()),
            drawn: (draws, u64::from(draws)),
        }
    }

    fn seen(got: &Got, grown: u64) -> Self {
        let status = match got.status {
            _ if got.inside => Status::OfTheOrigin,
            WAITING_STATUS => Status::Waiting,
            other => Status::Is(other),
        };
        let media = match got.header("content-type") {
            _ if got.inside => None,
            "text/html; charset=utf-8" => Some(Media::Page),
            "application/json" => Some(Media::Data),
            _ => None,
        };
        let is_page = got.body.starts_with("<!doctype html>");
        let is_data = || got.json()["waiting"] == true;
        let body = match media {
            _ if got.inside => Body::Origin,
            Some(_) if got.body.is_empty() => Body::HeadersOfPageOrData,
            Some(Media::Page) if is_page => Body::PageOrData,
            Some(Media::Data) if is_data() => Body::PageOrData,
            None if got.body.is_empty() => Body::None,
            None if got.json()["title"].is_string() => Body::Problem,
            _ => panic!("neither page nor data: {got:?}"),
        };
        Self {
            status,
            body,
            media,
            drawn: (got.ticket().is_some(), grown),
        }
    }
}

fn length(house: &House) -> u64 {
    let length = house
        .store
        .command(&["HGET", "queue:{main}", "length"])
        .unwrap();
    length.as_str().unwrap().parse().unwrap()
}

fn row(request: &Request) -> usize {
    let row = ROWS.iter().position(|row| (row.is_met_by)(request));
    row.unwrap_or_else(|| panic!("no row is met by {request:?}"))
}

/// Sends them all, one after the other; says which rows were met, and how often.
fn follow_the_table(house: &House, requests: &[Request], send: impl Fn(&Ask) -> Got) {
    house.set("waiting_status", &WAITING_STATUS.to_string());
    let tickets = tickets(house);
    let mut met = [0; ROWS.len()];
    for request in requests {
        let row = row(request);
        met[row] += 1;
        let before = length(house);
        let got = send(&request.ask(&tickets));
        let seen = Outcome::seen(&got, length(house) - before);
        let name = ROWS[row].name;
        assert_eq!(
            seen,
            Outcome::expected(&ROWS[row], request),
            "{name}: {request:?}"
        );
    }
    for (row, met) in ROWS.iter().zip(met) {
        println!("{met:6} {}", row.name);
        assert!(met > 0, "nothing met {}", row.name);
    }
}

#[test]
fn native_every_combination_follows_the_table_of_who_draws_a_ticket() {
    let house = House::native();
    follow_the_table(&house, &every_request(), |ask| house.ask(ask));
}

/// The first so many that meet each row, once the list is shuffled, always in the same way: neighbours differ in their
/// last parts only, and any step through the list would keep to some of them.
fn sample(mut requests: Vec<Request>, of_each_row: usize) -> Vec<Request> {
    let mut number = 0_u64;
    requests.sort_by_cached_key(|_| {
        number += 1;
        number.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    });
    let mut taken = [0; ROWS.len()];
    requests.retain(|request| {
        let row = row(request);
        taken[row] += 1;
        taken[row] <= of_each_row
    });
    requests
}

/// The local server answers in milliseconds, not in microseconds: 200 of each row take seconds, all of them minutes.
#[test]
fn wasm_a_sample_of_every_row_follows_the_table_of_who_draws_a_ticket() {
    let requests = sample(every_request(), 200);
    let house = House::wasm();
    let edge = house.wasm_side().edge.addr();
    follow_the_table(&house, &requests, |ask| match ask.method {
        // A client library asks a proxy for a tunnel with it, and the local server hangs up on that.
        "CONNECT" => Connection::open(edge).ask(ask),
        _ => house.ask(ask),
    });
}
