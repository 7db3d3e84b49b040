//! Whatever strangers send: never a panic, never a 5xx that is not ours, never anything moved.
//!
//! The files of `tests/corpus` hold shapes that have hurt somebody before, one value per file, as bytes. Each goes
//! into every place a stranger can write to; then come random bytes and mutations of the corpus.

use proptest::prelude::*;

use now_serving::operator::input::Fields;

use crate::corpora::shapes;
use crate::house::{Ask, House, Visitor};
use crate::traces::{Traces, runner};

/// Where a stranger can write.
#[derive(Clone, Copy, Debug)]
enum Spot {
    Cookie,
    OurCookie,
    Authorization,
    Basic,
    Path,
    Query,
    Form,
    Json,
    Header(&'static str),
}

const PLACES: [Spot; 20] = [
    Spot::Cookie,
    Spot::OurCookie,
    Spot::Authorization,
    Spot::Basic,
    Spot::Path,
    Spot::Query,
    Spot::Form,
    Spot::Json,
    Spot::Header("accept"),
    Spot::Header("accept-language"),
    Spot::Header("content-type"),
    Spot::Header("host"),
    Spot::Header("origin"),
    Spot::Header("purpose"),
    Spot::Header("sec-fetch-dest"),
    Spot::Header("sec-fetch-mode"),
    Spot::Header("sec-fetch-site"),
    Spot::Header("sec-purpose"),
    Spot::Header("x-moz"),
    Spot::Header("x-requested-with"),
];

fn asks(place: Spot, bytes: &[u8]) -> Vec<Ask> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let body = |kind: &str| {
        Ask {
            body: bytes.to_vec(),
            ..Ask::press("")
        }
        .with("content-type", kind)
    };
    match place {
        Spot::Cookie => vec![Ask::get("/").with("cookie", bytes)],
        Spot::OurCookie => ["queue=", "__Host-queue=", "a=b; queue=\""]
            .into_iter()
            .flat_map(|name| {
                let cookie = [name.as_bytes(), bytes].concat();
                ["/", "/_queue/place"].map(|path| Ask::get(path).with("cookie", &cookie))
            })
            .collect(),
        Spot::Authorization => on_every_route("authorization", bytes),
        Spot::Basic => on_every_route("authorization", &[b"Basic ", bytes].concat()),
        Spot::Path => vec![
            Ask::get(&format!("/{text}")),
            Ask::get(&format!("/_queue{text}")),
            Ask::get(&format!("/_queue/{text}")).method("POST"),
        ],
        Spot::Query => vec![
            Ask::get(&format!("/?{text}")),
            Ask::get(&format!("/_queue?done={text}&number={text}&asked={text}")).operator(),
            Ask::get(&format!("/_queue/cookies?try=1&to={text}")),
            Ask::get(&format!("/_queue/cookies?try={text}&to=/")),
            Ask::get(&format!("/_queue/updates?every=off&to=/{text}")),
        ],
        Spot::Form => vec![body("application/x-www-form-urlencoded")],
        Spot::Json => vec![body("application/json")],
        Spot::Header(name) => vec![
            Ask::get("/").with(name, bytes),
            Ask::get("/").method("POST").with(name, bytes),
            Ask::press("amt=0").with(name, bytes),
        ],
    }
}

fn on_every_route(name: &'static str, bytes: &[u8]) -> Vec<Ask> {
    ["/_queue", "/_queue/", "/_queue/status", "/_queue/permit"]
        .map(|route| {
            Ask::get(route)
                .method(if route.ends_with("permit") {
                    "POST"
                } else {
                    "GET"
                })
                .with(name, bytes)
        })
        .into()
}

/// The statuses that are ours to give.
fn is_ours(status: u16) -> bool {
    matches!(
        status,
        200 | 303 | 400 | 401 | 403 | 404 | 405 | 413 | 415 | 503
    )
}

fn holds(house: &House, place: Spot, bytes: &[u8]) {
    let before = cursor(house);
    for ask in asks(place, bytes) {
        let got = house.ask(&ask);
        assert!(is_ours(got.status), "{place:?} {bytes:?}: {}", got.status);
        for (name, value) in &got.headers {
            assert!(
                value
                    .bytes()
                    .all(|byte| (b' '..=b'~').contains(&byte) || byte >= 0x80),
                "{name}: {value:?} after {bytes:?}"
            );
        }
        let location = got.header("location");
        let is_here = location.starts_with('/') && !location.starts_with("//");
        assert!(
            location.is_empty() || is_here,
            "{location:?} after {bytes:?}"
        );
        assert!(
            !got.inside || place_is_path(place),
            "{place:?} {bytes:?} went in"
        );
    }
    assert_eq!(cursor(house), before, "{place:?} {bytes:?} moved the line");
}

/// A stranger's path may be one that skips the room.
fn place_is_path(place: Spot) -> bool {
    matches!(place, Spot::Path)
}

fn cursor(house: &House) -> u64 {
    house.numbers("main").0
}

/// A sound amount in a sound form is meant to move the line.
fn is_an_amount(bytes: &[u8]) -> bool {
    let asked = |kind: &str| {
        let mut fields = Fields::read(kind, &mut { bytes }, 4096, "{}").ok()?;
        let amount = fields.number("amt", 1..=10_000).ok()?;
        fields.text("once").ok()?;
        fields.end().ok().map(|()| amount)
    };
    let asked = |kind: &str| asked(kind).is_some();
    asked("application/json") || asked("application/x-www-form-urlencoded")
}

fn random_bytes_and_mutations(traces: Traces) {
    let house = House::native();
    Visitor::new(&house).ask("/");
    let mutated = (
        prop::sample::select(shapes()),
        any::<usize>(),
        prop::collection::vec(any::<u8>(), 0..8),
    )
        .prop_map(|(mut bytes, at, more)| {
            let at = at % (bytes.len() + 1);
            let end = (at + more.len() / 2).min(bytes.len());
            bytes.splice(at..end, more);
            bytes
        });
    let bytes = prop_oneof![prop::collection::vec(any::<u8>(), 0..200), mutated];
    let outcome = runner(traces).run(
        &(prop::sample::select(&PLACES[..]), bytes),
        |(place, bytes)| {
            if !(matches!(place, Spot::Form | Spot::Json) && is_an_amount(&bytes)) {
                holds(&house, place, &bytes);
            }
            Ok(())
        },
    );
    outcome.unwrap();
}

mod native {
    use super::*;

    #[test]
    fn the_corpus_in_every_place() {
        let house = House::native();
        Visitor::new(&house).ask("/");
        for bytes in &shapes() {
            for place in PLACES {
                if !(matches!(place, Spot::Form | Spot::Json) && is_an_amount(bytes)) {
                    holds(&house, place, bytes);
                }
            }
        }
    }

    #[test]
    fn some_random_bytes_and_mutations_in_every_place() {
        random_bytes_and_mutations(Traces::Known(300));
    }
}

mod simulated {
    use super::*;

    #[test]
    fn random_bytes_and_mutations_in_every_place() {
        random_bytes_and_mutations(Traces::Known(6_000));
    }
}
