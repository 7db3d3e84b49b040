//! What the pure parts cost, natively: `cargo dev bench --micro`.
//!
//! None of them waits for anything, so their sum is what a request pays for being decided here.

use std::hint::black_box;
use std::sync::Arc;

use criterion::Criterion;

use bench::AtHand;
use harness::sandbox_dir;
use now_serving::config::{Config, Source};
use now_serving::http::Call;
use now_serving::http::cookie::values;
use now_serving::http::negotiate::wants_json;
use now_serving::i18n::english;
use now_serving::page::{Brand, Links, Pages, Waiting, waiting_json, waiting_page};
use now_serving::queue::{Cursor, Lane, Now, Position, RoomName, Seed, decide, refresh_seconds};
use now_serving::queue::{Place, WaitingProof};
use now_serving::store::upstash::decode;
use now_serving::ticket::{Keys, Ticket, TicketStage};

const SECRET: &str = "development-only-jwt-secret-0123456789abcdef";
const ROOM: &str = "main";
const NOW: u64 = 1_800_000_000;
const POSITION: Position = Position(3290);
const CURSOR: Cursor = Cursor(1);

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    start(&mut criterion);
    tickets(&mut criterion);
    requests(&mut criterion);
    answers(&mut criterion);
    criterion.final_summary();
}

fn start(criterion: &mut Criterion) {
    let settings = sandbox_dir::development_settings().unwrap_or_default();
    let source: Arc<dyn Source> = Arc::new(AtHand::new(&settings));
    assert!(Config::read(&source).is_ok(), "the settings are sound");
    criterion.bench_function("start: settings and keys", |bencher| {
        bencher.iter(|| Config::read(black_box(&source)).is_ok());
    });
}

fn tickets(criterion: &mut Criterion) {
    let keys = Keys::new(SECRET, None);
    let (room, now) = (RoomName::new(ROOM), Now::from_secs(NOW));
    let proof = WaitingProof::of(
        Place {
            born: NOW * 1000,
            position: POSITION,
            came: None,
        },
        CURSOR,
    );
    let id = "0123456789abcdef0123456789abcdef";
    let ticket = Ticket {
        life: 86_400,
        ..Ticket::new(id, TicketStage::Waiting(proof), now)
    };
    let token = keys.sign(&ticket, &room, now, 86_400).unwrap_or_default();
    criterion.bench_function("ticket: sign", |bencher| {
        bencher.iter(|| keys.sign(black_box(&ticket), &room, now, 86_400));
    });
    criterion.bench_function("ticket: verify", |bencher| {
        bencher.iter(|| keys.verify(black_box(&token), &room, now));
    });
    let header = format!("theme=dark; __Host-queue={token}; basket=17");
    criterion.bench_function("cookie: find ours", |bencher| {
        bencher.iter(|| values(black_box(header.as_bytes()), "__Host-queue").next());
    });
}

fn requests(criterion: &mut Criterion) {
    let accept = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";
    let call = Call {
        method: "GET".to_owned(),
        path: "/".to_owned(),
        headers: vec![
            ("accept", accept.into()),
            ("sec-fetch-dest", "document".into()),
        ],
        ..Call::default()
    };
    criterion.bench_function("negotiate: page or data", |bencher| {
        bencher.iter(|| wants_json(black_box(&call)));
    });
    criterion.bench_function("admission: decide", |bencher| {
        bencher.iter(|| decide(black_box(POSITION), black_box(CURSOR)));
    });
    criterion.bench_function("admission: seconds to the next look", |bencher| {
        bencher.iter(|| refresh_seconds(5, black_box(3288), Some(9864), black_box(17)));
    });
    for many in [40_000, 1_000_000] {
        let (seed, name) = (
            Seed::new(SECRET, "beacon 4711", Lane::Main, many),
            format!("lot: a number of {many}"),
        );
        let mut tickets = (1..=many).map(Position).cycle();
        criterion.bench_function(&name, |bencher| {
            bencher.iter(|| tickets.next().map(|ticket| seed.drawn(many, ticket)));
        });
    }
    let answer = br#"{"result":["number",3290,"epoch",1,"cursor",1,"length",3290,"credit",0,"released",0,"took",0,"moved",0,"mode","automatic","automatic",15,"quantity",5,"version",0,"drawn",3290,"admitted",1]}"#;
    criterion.bench_function("upstash: read the answer to a draw", |bencher| {
        bencher.iter(|| decode(black_box(Some((200, answer.to_vec())))));
    });
}

fn answers(criterion: &mut Criterion) {
    let waiting = Waiting {
        position: Some(POSITION),
        seen: Some((CURSOR, 3288)),
        first: Some(3288),
        reference: Some("3F9A-1C2E".to_owned()),
        estimate: Some(9864),
        refresh: 28,
        ..Waiting::default()
    };
    let pages = Pages::new(Brand::default(), None);
    let links = Links {
        here: "/".to_owned(),
        place: "/_queue/place".to_owned(),
        updates: "/_queue/updates?every=off&to=%2F".to_owned(),
        language: "/_queue/language".to_owned(),
        home: None,
        invitation: None,
    };
    criterion.bench_function("page: the waiting page", |bencher| {
        bencher.iter(|| waiting_page(503, black_box(&waiting), &links, english(), &pages, None));
    });
    criterion.bench_function("page: the same as data", |bencher| {
        bencher.iter(|| waiting_json(503, black_box(&waiting), ROOM, None));
    });
}
