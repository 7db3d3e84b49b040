//! Secrets are planted wherever one can be, every route is driven through every fault, and none is ever found again: in
//! no line of the log, no page, no JSON, no error, no header but the ticket's own cookie.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use upstash_local::{Fault, Faults};

use crate::house::{Ask, Got, House, PASSWORD, PERMIT_TOKEN, SECRET, STORE_TOKEN, Visitor};
use crate::stories::trouble::suffer;

const PREVIOUS: &str = "development-only-previous-0123456789abcdef";
const ADDRESS: &str = "hush-of-the-address";
const WRONG_PASSWORD: &str = "hush-of-a-wrong-password";
const WRONG_TOKEN: &str = "hush-of-a-wrong-token";
const OTHER_COOKIE: &str = "hush-of-another-cookie";
const REFERER: &str = "hush-of-the-referer";
const FIELD: &str = "hush-of-the-form";
/// The one thing a visitor gets back, as part of the way back to the page that was asked for.
const QUERY: &str = "hush-of-the-query";

/// Everything that can go wrong with the store and has something to tell: it lets nothing in, answers what is no answer, or
/// quotes what it was asked.
const REFUSALS: [Fault; 4] = [
    Fault::Refuse,
    Fault::Unauthorized,
    Fault::TooManyRequests,
    Fault::ServerError,
];
const ODD_ANSWERS: [Fault; 4] = [
    Fault::BrokenJson,
    Fault::ErrorWithStatus200,
    Fault::QuotaExceeded,
    Fault::WrongType,
];
const QUOTES: [Fault; 4] = [
    Fault::Quote(200),
    Fault::Quote(400),
    Fault::Quote(401),
    Fault::Quote(500),
];

fn basic(password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("admin:{password}")))
}

/// Every route in every way it can be asked, with a secret in every place that has nothing to do with the answer.
fn asks(ticket: &str) -> Vec<Ask> {
    let press = |site: &str| {
        let ask = Ask::get("/_queue/permit").method("POST");
        ask.operator().with("sec-fetch-site", site)
    };
    let form = "application/x-www-form-urlencoded";
    let json = |text: &str| press("same-origin").body("application/json", text);
    let operator = ["", "/status", "/permit", "/healthz", "/nothing"];
    let credentials = [
        basic(PASSWORD),
        basic(WRONG_PASSWORD),
        format!("Bearer {PERMIT_TOKEN}"),
        format!("Bearer {WRONG_TOKEN}"),
        WRONG_TOKEN.to_owned(),
    ];
    let mut asks = vec![
        Ask::get("/drop"),
        Ask::get("/drop").json(),
        Ask::get("/robots.txt"),
        Ask::get("/drop").method("HEAD"),
        Ask::get("/drop").method("OPTIONS"),
        Ask::get("/drop").method("DELETE"),
        Ask::get("/drop").with("sec-purpose", "prefetch"),
        Ask::get("/drop").with("sec-fetch-dest", "image"),
        Ask::get("/drop").method("POST").body("text/plain", FIELD),
        Ask::get("/_queue/place"),
        Ask::get("/_queue/cookies?try=1&to=/drop"),
        Ask::get("/_queue/cookies?try=9&to=/drop"),
        Ask::get("/_queue/updates?every=off&to=/drop"),
        Ask::get("/_queue/updates?every=off&to=elsewhere"),
        press("same-origin").body(form, &format!("amt=1&password={FIELD}")),
        press("cross-site").body(form, FIELD),
        json(&format!(r#"{{"amt":1,"password":"{FIELD}"}}"#)),
        json(&format!(r#"["{FIELD}"]"#)),
    ];
    for authorization in &credentials {
        for route in operator {
            let ask = Ask::get(&format!("/_queue{route}")).with("authorization", authorization);
            asks.extend([ask.clone(), ask.method("POST")]);
        }
    }
    let cookie = format!("session={OTHER_COOKIE}; queue={ticket}; queue={ticket}{OTHER_COOKIE}");
    let plant = |ask: Ask| {
        let more = if ask.target.contains('?') { '&' } else { '?' };
        let target = format!("{}{more}token={QUERY}", ask.target);
        let referer = format!("https://u:{REFERER}@a.example/b?c={REFERER}#{REFERER}");
        let ask = Ask { target, ..ask }.with("referer", referer);
        [ask.clone(), ask.with("cookie", &cookie)]
    };
    asks.into_iter().flat_map(plant).collect()
}

/// What nobody may be told, and a piece of each that would give it away.
fn secrets(ticket: &str) -> Vec<String> {
    let signature = ticket.rsplit('.').next().unwrap();
    let plain = [
        SECRET,
        PREVIOUS,
        PASSWORD,
        PERMIT_TOKEN,
        STORE_TOKEN,
        ADDRESS,
        WRONG_PASSWORD,
        WRONG_TOKEN,
        OTHER_COOKIE,
        REFERER,
        FIELD,
        ticket,
        signature,
    ];
    let encoded = [PASSWORD, WRONG_PASSWORD].map(|password| basic(password)[6..].to_owned());
    plain
        .map(str::to_owned)
        .into_iter()
        .chain(encoded)
        .collect()
}

/// The whole answer but for the ticket's own cookie.
fn told(got: &Got) -> String {
    let headers = got.headers.iter().filter(|(name, _)| name != "set-cookie");
    let headers: Vec<String> = headers
        .map(|(name, value)| format!("{name}: {value}\n"))
        .collect();
    format!("{}\n{}", headers.concat(), got.body)
}

fn holds(house: &House, ticket: &str, what: &str) {
    let secrets = secrets(ticket);
    for ask in asks(ticket) {
        let got = house.ask(&ask);
        // What the origin tells is the origin's.
        let told = if got.inside {
            String::new()
        } else {
            told(&got)
        };
        for secret in &secrets {
            assert!(
                !told.contains(secret),
                "{what}, {ask:?}: {secret} in {told}"
            );
        }
    }
}

/// The ticket of a visitor who waits, and one without a number: a line is in front of it, and the next request draws.
struct Held {
    ticket: String,
    provisional: String,
}

fn a_line(house: &House) -> Held {
    house.set("jwt_secret", &format!("{SECRET},{PREVIOUS}"));
    // A pace by which a POP lets in without the store; the first visitor uses up this hour's budget.
    house.set("automatic", "3600");
    house.set("automatic_quantity", "1");
    house.wait_for_period(3_600);
    assert!(Visitor::new(house).ask("/").inside);
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    Held {
        ticket: visitor.ticket.unwrap(),
        provisional: house.ask(&Ask::get("/drop").json()).ticket().unwrap(),
    }
}

fn every_route_under(house: &House, policy: &str, faults: [Fault; 4]) {
    let Held {
        ticket,
        provisional,
    } = a_line(house);
    house.set("on_store_error", policy);
    // The policy begins when the store has failed for a while.
    let mut visitor = Visitor::holding(house, Some(ticket.clone()));
    suffer(house, faults[0], &mut visitor);
    for fault in faults {
        house.store.fail(Faults::always(fault));
        // Only then does a poll hear what the store says; arrivals and operators always do.
        if matches!(fault, Fault::Quote(_)) {
            house.forget_the_sign();
        }
        holds(house, &ticket, &format!("{policy}, {fault:?}"));
        let draw = Ask::get("/drop").with("cookie", format!("queue={provisional}"));
        house.ask(&draw);
    }
    let by_policy = match policy {
        "hold" => "held",
        _ => "admitted_without_store",
    };
    the_log_tells_none(
        house,
        &ticket,
        &[by_policy, "store_trouble", "unauthorized"],
    );
    if faults == QUOTES {
        let quoted =
            |line: &serde_json::Value| line["storeError"].to_string().contains("cannot serve");
        assert!(
            house.log().iter().any(quoted),
            "what the store says is logged as far as it is no secret"
        );
    }
}

fn every_route_without_a_fault(house: &House) {
    let ticket = a_line(house).ticket;
    holds(house, &ticket, "no fault");
    let address = format!("rediss://default:{ADDRESS}@store.example:6379");
    house.set("upstash_url", &address);
    house.set("cors_origins", &format!("https://u:{ADDRESS}@app.example"));
    house.set("jwt_secret", "hush");
    holds(house, &ticket, "unsound");
    let reasons = ["waiting", "unauthorized", "unsound_configuration"];
    the_log_tells_none(house, &ticket, &reasons);
}

fn the_log_tells_none(house: &House, ticket: &str, reasons: &[&str]) {
    let log = house.log();
    for name in reasons {
        let is_one = |line: &serde_json::Value| line["reason"] == *name;
        assert!(log.iter().any(is_one), "{name} never happened");
    }
    for line in log {
        let line = line.to_string();
        let secrets = secrets(ticket).into_iter().chain([QUERY.to_owned()]);
        for secret in secrets {
            assert!(!line.contains(&secret), "{secret} in {line}");
        }
    }
}

/// In the Wasm they wait for wrong logins most of the time, so each is a test of its own.
macro_rules! no_secret_is_told {
    ($tier:ident, $house:expr) => {
        mod $tier {
            use super::*;

            #[test]
            fn no_secret_is_told_while_all_is_well_and_while_settings_are_unsound() {
                every_route_without_a_fault(&$house);
            }

            #[test]
            fn no_secret_is_told_by_a_room_that_holds_while_the_store_refuses() {
                every_route_under(&$house, "hold", REFUSALS);
            }

            #[test]
            fn no_secret_is_told_by_a_room_that_holds_while_the_store_answers_oddly() {
                every_route_under(&$house, "hold", ODD_ANSWERS);
            }

            #[test]
            fn no_secret_is_told_by_a_room_that_holds_while_the_store_quotes() {
                every_route_under(&$house, "hold", QUOTES);
            }

            #[test]
            fn no_secret_is_told_by_a_room_that_admits_while_the_store_refuses() {
                every_route_under(&$house, "admit", REFUSALS);
            }

            #[test]
            fn no_secret_is_told_by_a_room_that_admits_while_the_store_answers_oddly() {
                every_route_under(&$house, "admit", ODD_ANSWERS);
            }

            #[test]
            fn no_secret_is_told_by_a_room_that_admits_while_the_store_quotes() {
                every_route_under(&$house, "admit", QUOTES);
            }
        }
    };
}

no_secret_is_told!(native, House::native());
no_secret_is_told!(wasm, House::wasm_shared());
