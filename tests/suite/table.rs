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
    /// The same for data; a page is led away and back where it can be.
    WaitingOrBack,
    /// Whatever the origin says.
    OfTheOrigin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Body {
    PageOrData,
    HeadersOfPageOrData,
    /// A small page that leads here by GET.
    GoesOn,
    /// Data without a number, or a way by which the browser shows whether it keeps the ticket.
    ComesBack,
    None,
    Origin,
    Problem,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Draws {
    /// A ticket without a number, since somebody waits; unless it holds a ticket already.
    Provisional,
    No,
}

const ROWS: [Row; 16] = [
    Row {
        name: "TRACE, CONNECT, PURGE, anything unknown",
        is_met_by: |request| UNKNOWN.contains(&request.method),
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
        name: "a preflight",
        is_met_by: |request| request.is_preflight(),
        status: Status::OfTheOrigin,
        body: Body::Origin,
        draws: Draws::No,
    },
    Row {
        name: "any other OPTIONS",
        is_met_by: |request| request.method == "OPTIONS",
        status: Status::Is(204),
        body: Body::None,
        draws: Draws::No,
    },
    Row {
        name: "a visitor who was let in",
        is_met_by: |request| request.holds == Holds::Admission,
        status: Status::OfTheOrigin,
        body: Body::Origin,
        draws: Draws::No,
    },
    Row {
        name: "a guess of a browser or of a script library",
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
        name: "a form of another site",
        is_met_by: |request| request.is_from_elsewhere() && request.is_form(),
        status: Status::Waiting,
        body: Body::GoesOn,
        draws: Draws::No,
    },
    Row {
        name: "frames, scripts and forms of other origins, and frames without a ticket",
        is_met_by: Request::is_from_elsewhere,
        status: Status::Is(503),
        body: Body::None,
        draws: Draws::No,
    },
    Row {
        name: "Accept takes neither HTML nor JSON",
        is_met_by: |request| request.accept.1 == Media::Neither && !request.is_navigation(),
        status: Status::Is(503),
        body: Body::None,
        draws: Draws::No,
    },
    Row {
        name: "a form without a ticket",
        is_met_by: |request| request.is_form() && request.holds == Holds::Nothing,
        status: Status::Waiting,
        body: Body::GoesOn,
        draws: Draws::No,
    },
    Row {
        name: "POST/PUT/PATCH/DELETE without a ticket",
        is_met_by: |request| request.is_unsafe() && request.holds == Holds::Nothing,
        status: Status::Waiting,
        body: Body::PageOrData,
        draws: Draws::No,
    },
    Row {
        name: "POST/PUT/PATCH/DELETE with a ticket",
        is_met_by: Request::is_unsafe,
        status: Status::Waiting,
        body: Body::PageOrData,
        draws: Draws::No,
    },
    Row {
        name: "GET with a ticket",
        is_met_by: |request| request.holds == Holds::Place,
        status: Status::Waiting,
        body: Body::PageOrData,
        draws: Draws::No,
    },
    Row {
        name: "GET while somebody waits, first contact without a ticket",
        is_met_by: |request| request.method == "GET",
        status: Status::WaitingOrBack,
        body: Body::ComesBack,
        draws: Draws::Provisional,
    },
];

const METHODS: [&str; 11] = [
    "GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "PURGE", "BREW",
];
const UNKNOWN: [&str; 4] = ["TRACE", "CONNECT", "PURGE", "BREW"];

/// What is preferred by who sends this `Accept`; an empty one is not sent.
const ACCEPTS: [(&str, Media); 11] = [
    ("", Media::Any),
    (
        "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
        Media::Page,
    ),
    ("application/json", Media::Data),
    ("application/json, text/plain, */*", Media::Data),
    ("*/*", Media::Any),
    ("text/html, application/xhtml+xml", Media::Page),
    ("application/json;q=0.9, text/html;q=0.9", Media::Page),
    ("text/html;q=0.5, application/json;q=0.9", Media::Data),
    (
        "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8",
        Media::Any,
    ),
    ("text/event-stream", Media::Neither),
    ("image/webp, text/html;q=0", Media::Neither),
];

/// What a visitor looks at, or asks for by script; an empty one is not sent.
const VISITS: [&str; 7] = [
    "", "document", "empty", "iframe", "frame", "embed", "object",
];
const FRAMES: [&str; 4] = ["iframe", "frame", "embed", "object"];
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

const PURPOSES: [Option<(&str, &str)>; 10] = [
    None,
    Some(("sec-purpose", "prefetch")),
    Some(("sec-purpose", "prefetch;prerender")),
    Some(("purpose", "prefetch")),
    Some(("x-moz", "prefetch")),
    Some(("x-sec-purpose", "prefetch")),
    Some(("x-purpose", "preview")),
    Some(("next-router-prefetch", "1")),
    Some(("x-middleware-prefetch", "1")),
    Some(("hx-preloaded", "true")),
];

/// Not sent, or sent by a script, or by a browser inside an app.
const REQUESTED_WITH: [&str; 3] = ["", "XMLHttpRequest", "com.example.app"];

/// Empty ones are not sent, here and below.
const SITES: [&str; 5] = ["", "none", "same-origin", "same-site", "cross-site"];
const MODES: [&str; 5] = ["", "navigate", "cors", "no-cors", "same-origin"];
/// None, this site's own, and another one.
const ORIGINS: [&str; 3] = ["", "http://127.0.0.1:7676", "https://other.example"];

const HOLDS: [Holds; 3] = [Holds::Nothing, Holds::Place, Holds::Admission];

const PATH: &str = "/echo";
const BYPASS: &str = "/robots.txt";

/// Differs from what is answered without a page, so that the two cannot be taken for each other.
const WAITING_STATUS: u16 = 202;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Media {
    Page,
    Data,
    /// Named neither, and takes both.
    Any,
    Neither,
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
    requested_with: &'static str,
    site: &'static str,
    mode: &'static str,
    origin: &'static str,
    holds: Holds,
}

impl Request {
    fn is_unsafe(&self) -> bool {
        matches!(self.method, "POST" | "PUT" | "PATCH" | "DELETE")
    }

    fn is_navigation(&self) -> bool {
        self.mode == "navigate" || matches!(self.dest, "document" | "iframe")
    }

    /// Those with an origin are sent with what a preflight says besides.
    fn is_preflight(&self) -> bool {
        self.method == "OPTIONS" && !self.origin.is_empty()
    }

    /// One that fills a tab with the answer.
    fn is_form(&self) -> bool {
        self.is_unsafe() && self.mode == "navigate" && !FRAMES.contains(&self.dest)
    }

    fn is_link(&self) -> bool {
        self.method == "GET" && self.is_navigation() && !FRAMES.contains(&self.dest)
    }

    /// A script's redirected answer may not be what a service worker gives to a tab.
    fn can_be_led(&self) -> bool {
        matches!(self.mode, "" | "navigate")
    }

    /// No frame and no origin is listed in the settings here.
    fn is_from_elsewhere(&self) -> bool {
        let is_from_another_origin = match self.site {
            "" => self.origin == ORIGINS[2],
            site => site == "same-site",
        };
        let may_carry_the_ticket = is_from_another_origin && self.holds != Holds::Nothing;
        let is_from_another_site = self.site == "cross-site";
        let is_frame_without_ticket = FRAMES.contains(&self.dest) && self.holds == Holds::Nothing;
        !self.is_link()
            && (is_from_another_site
                || is_from_another_origin && !may_carry_the_ticket
                || is_frame_without_ticket)
    }

    fn media(&self) -> Media {
        if self.is_navigation() {
            return Media::Page;
        }
        let is_by_script = self.dest == "empty" || self.requested_with == "XMLHttpRequest";
        match self.accept.1 {
            Media::Data => Media::Data,
            Media::Any | Media::Neither if is_by_script => Media::Data,
            // HEAD draws nothing and shows nothing: its headers are those of a page.
            Media::Page | Media::Any | Media::Neither => Media::Page,
        }
    }

    fn ask(&self, tickets: &Tickets) -> Ask {
        let sent = [
            ("accept", self.accept.0),
            ("sec-fetch-dest", self.dest),
            ("sec-fetch-site", self.site),
            ("sec-fetch-mode", self.mode),
            ("origin", self.origin),
            ("x-requested-with", self.requested_with),
            // What the origin above is compared with.
            ("host", "127.0.0.1:7676"),
        ];
        let preflight = ("access-control-request-method", "PUT");
        let preflight = self.is_preflight().then_some(preflight);
        let sent = sent.into_iter().filter(|(_, value)| !value.is_empty());
        let ask = Ask::get(self.path).method(self.method);
        let ask = sent
            .chain(self.purpose)
            .chain(preflight)
            .fold(ask, |ask, (name, value)| ask.with(name, value));
        match self.holds {
            Holds::Nothing => ask,
            Holds::Place => ask.with("cookie", &tickets.place),
            Holds::Admission => ask.with("cookie", &tickets.admission),
        }
    }
}

/// Takes a value of each list in turn, as a clock with as many hands.
struct Hands(usize);

impl Hands {
    fn next<T: Copy>(&mut self, values: &[T]) -> T {
        let value = values[self.0 % values.len()];
        self.0 /= values.len();
        value
    }
}

/// How many combinations there are.
const ALL: usize = METHODS.len()
    * 2
    * ACCEPTS.len()
    * (VISITS.len() + SUB_RESOURCES.len())
    * PURPOSES.len()
    * REQUESTED_WITH.len()
    * SITES.len()
    * MODES.len()
    * ORIGINS.len()
    * HOLDS.len();

fn request(number: usize) -> Request {
    let dests = [&VISITS[..], &SUB_RESOURCES].concat();
    let mut hands = Hands(number);
    Request {
        method: hands.next(&METHODS),
        path: hands.next(&[PATH, BYPASS]),
        accept: hands.next(&ACCEPTS),
        dest: hands.next(&dests),
        purpose: hands.next(&PURPOSES),
        requested_with: hands.next(&REQUESTED_WITH),
        site: hands.next(&SITES),
        mode: hands.next(&MODES),
        origin: hands.next(&ORIGINS),
        holds: hands.next(&HOLDS),
    }
}

/// This many of all combinations, in an order in which neighbours have nothing in common, always the same. The step is a
/// prime that divides no list's length, so each value meets each of the others.
fn requests(many: usize) -> Vec<Request> {
    const STEP: usize = 1_000_003;
    const { assert!(!ALL.is_multiple_of(STEP)) }
    (0..many)
        .map(|number| request(number * STEP % ALL))
        .collect()
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
        let is_worded = !matches!(row.body, Body::None | Body::Origin | Body::Problem);
        let media = is_worded.then(|| request.media());
        let status = match (row.status, media) {
            (Status::WaitingOrBack, Some(Media::Page)) if request.can_be_led() => Status::Is(303),
            (Status::WaitingOrBack, _) => Status::Waiting,
            (status, _) => status,
        };
        Self {
            status,
            body: row.body,
            media: media.filter(|_| status != Status::Is(303)),
            drawn: (row.draws == Draws::Provisional, 0),
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
            _ if got.is_provisional() => Body::ComesBack,
            Some(_) if got.body.is_empty() => Body::HeadersOfPageOrData,
            Some(_) if got.header("refresh") == "3; url=/echo" => Body::GoesOn,
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
    house.numbers("main").1
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

/// The first of them that meet each row, up to this many.
fn sample(mut requests: Vec<Request>, of_each_row: usize) -> Vec<Request> {
    let mut taken = [0; ROWS.len()];
    requests.retain(|request| {
        let row = row(request);
        taken[row] += 1;
        taken[row] <= of_each_row
    });
    requests
}

mod native {
    use super::*;

    #[test]
    fn a_sample_of_every_row_follows_the_table_of_who_draws_a_ticket() {
        let requests = sample(requests(40_000), 200);
        let house = House::native();
        follow_the_table(&house, &requests, |ask| house.ask(ask));
    }
}

mod simulated {
    use super::*;

    /// Enough for every row, and every pair of values, to be met many times.
    #[test]
    fn forty_thousand_combinations_follow_the_table_of_who_draws_a_ticket() {
        let house = House::native();
        follow_the_table(&house, &requests(40_000), |ask| house.ask(ask));
    }
}

mod wasm {
    use super::*;

    /// The local server answers in milliseconds, not in microseconds: 200 of each row take seconds, all of them minutes.
    #[test]
    fn a_sample_of_every_row_follows_the_table_of_who_draws_a_ticket() {
        let requests = sample(requests(500_000), 200);
        let house = House::wasm_shared();
        let edge = house.wasm_side().edge.addr();
        follow_the_table(&house, &requests, |ask| match ask.method {
            // A client library asks a proxy for a tunnel with it, and the local server hangs up on that.
            "CONNECT" => Connection::open(edge).ask(ask),
            _ => house.ask(ask),
        });
    }
}
