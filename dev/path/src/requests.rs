//! The four requests whose paths are shown: a poll, the waiting page, a draw, and a page of a visitor inside.

use std::net::Ipv4Addr;
use std::time::Duration;

use now_serving::config::{Config, DOCUMENT, Source, Unreadable};
use now_serving::http::{Answer, Call};
use now_serving::queue::{Now, Reason};
use now_serving::telemetry::log::RequestFacts;
use serde_json::{Value, json};
use upstash_local::Store;
use virtual_edge::cache::Cache;
use virtual_edge::{Log, Takes, Turn, id_of};

use crate::entered::entered_by;

/// Any time: the clocks stand still.
const NOW_MS: u64 = 1_800_057_600_000;
const TOKEN: &str = "development-only-upstash-token";
const COOKIE: &str = "__Host-queue=";

/// A room at whose pace the first visitor goes in, and the others wait.
struct Settings;

impl Source for Settings {
    fn setting(&self, key: &str) -> Result<Option<String>, Unreadable> {
        let document = json!({
            "upstash_url": "http://127.0.0.1:8079",
            "automatic": 60,
            "automatic_quantity": 1,
        });
        Ok((key == DOCUMENT).then(|| document.to_string()))
    }

    fn secret(&self, key: &str) -> Result<Option<String>, Unreadable> {
        Ok(match key {
            "jwt_secret" => Some("development-only-jwt-secret-0123456789abcdef".to_owned()),
            "upstash_token" => Some(TOKEN.to_owned()),
            _ => None,
        })
    }

    fn keeps_secrets(&self) -> bool {
        true
    }

    fn is_local(&self) -> bool {
        true
    }
}

/// The service without a platform, as one POP has it.
struct Service {
    config: Config,
    store: Store,
    cache: Cache,
    now: Now,
    requests: u64,
}

/// What a request asks for.
#[derive(Clone, Copy)]
enum Target {
    Page,
    Place,
}

/// The paths of the requests, in the order in which the docs have them.
pub(crate) fn all() -> Result<Vec<Value>, String> {
    let mut service = Service::new()?;
    let inside = service.come()?;
    let waiting = service.come()?;
    // Once without recording: texts and templates are read, and the POP has a copy of the board.
    for ticket in [&inside, &waiting] {
        service.ask(Target::Page, Some(ticket));
        service.ask(Target::Place, Some(ticket));
    }
    let provisional = service.ask(Target::Page, None).ticket;
    let provisional = provisional.ok_or(NO_TICKET)?;
    let asks = [
        ("poll", Target::Place, &waiting, Reason::Waiting),
        ("page", Target::Page, &waiting, Reason::Waiting),
        ("draw", Target::Page, &provisional, Reason::Waiting),
        ("inside", Target::Page, &inside, Reason::Inside),
    ];
    let recorded = asks.into_iter().map(|(name, target, ticket, expected)| {
        let call = service.call(target, Some(ticket));
        let (answered, entered) = entered_by(|| service.answer(&call));
        let reason = answered.reason;
        if reason != expected {
            return Err(format!("The {name} was answered as {reason:?}."));
        }
        Ok(json!({ "name": name, "reason": reason, "entered": entered }))
    });
    recorded.collect()
}

const NO_TICKET: &str = "A visitor without a ticket got none.";

/// The answer to a request, as far as it matters here.
struct Answered {
    reason: Reason,
    ticket: Option<String>,
}

impl Service {
    fn new() -> Result<Self, String> {
        let config = Config::load(Settings).map_err(|unsound| format!("{:?}", unsound.problems))?;
        Ok(Self {
            config,
            store: Store::embedded_at(TOKEN, Duration::from_millis(NOW_MS))?,
            cache: Cache::new(NOW_MS),
            now: Now::from_ms(NOW_MS),
            requests: 0,
        })
    }

    /// The ticket of a visitor who comes, and asks as often as it takes to get a number.
    fn come(&mut self) -> Result<String, String> {
        let first = self.ask(Target::Page, None).ticket.ok_or(NO_TICKET)?;
        Ok(self.ask(Target::Page, Some(&first)).ticket.unwrap_or(first))
    }

    fn ask(&mut self, target: Target, ticket: Option<&str>) -> Answered {
        let call = self.call(target, ticket);
        self.answer(&call)
    }

    fn call(&mut self, target: Target, ticket: Option<&str>) -> Call {
        self.requests += 1;
        call(target, ticket, &self.config.operators.path, self.requests)
    }

    /// One request, with its line of the log and all that follows its answer. Nothing else here knows how a request is answered.
    fn answer(&self, call: &Call) -> Answered {
        let takes = Takes::Always(Duration::from_millis(5));
        let turn = Turn::new(
            call,
            self.now,
            &self.config,
            &self.store,
            takes,
            &self.cache,
        );
        let log = Log {
            facts: &RequestFacts::of,
            write: &|_| (),
        };
        let turned = turn.logging(log).serve(&mut std::io::empty());
        Answered {
            reason: turned.served.record.reason,
            ticket: ticket(turned.answer),
        }
    }
}

/// The ticket that an answer brings.
fn ticket(answer: Answer) -> Option<String> {
    let cookies: Vec<String> = match answer {
        Answer::Forward(forward) => forward.set_cookies,
        Answer::Reply(reply) => {
            let headers = reply.headers.into_iter();
            let cookies = headers.filter(|(name, _)| *name == "set-cookie");
            cookies.map(|(_, value)| value).collect()
        }
    };
    cookies.iter().find_map(|cookie| {
        let value = cookie.strip_prefix(COOKIE)?.split(';').next()?;
        Some(value.to_owned())
    })
}

/// A request as a browser sends it.
fn call(target: Target, ticket: Option<&str>, ours: &str, number: u64) -> Call {
    let sent = |name, value: &str| (name, value.as_bytes().to_vec());
    let (path, mut headers) = match target {
        Target::Place => (
            format!("{ours}/place"),
            vec![
                sent("accept", "*/*"),
                sent("sec-fetch-dest", "empty"),
                sent("sec-fetch-mode", "cors"),
                sent("sec-fetch-site", "same-origin"),
            ],
        ),
        Target::Page => (
            "/".to_owned(),
            vec![
                sent("accept", "text/html,application/xhtml+xml,*/*;q=0.8"),
                sent("sec-fetch-dest", "document"),
                sent("sec-fetch-mode", "navigate"),
                sent("sec-fetch-site", "none"),
            ],
        ),
    };
    headers.push(sent("accept-language", "en"));
    headers.extend(ticket.map(|ticket| sent("cookie", &format!("{COOKIE}{ticket}"))));
    Call {
        method: "GET".to_owned(),
        path,
        host: "shop.example".to_owned(),
        https: true,
        address: Some(Ipv4Addr::new(192, 0, 2, 1).into()),
        headers,
        id: id_of(number),
        ..Call::default()
    }
}
