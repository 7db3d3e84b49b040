//! A room with its line in a Redis, as a data centre calls it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{SystemTime, UNIX_EPOCH};

use harness::sandbox_dir;
use now_serving::cache::LastBoard;
use now_serving::cache::memory::InMemoryCache;
use now_serving::cache::outbox::{Batch, Tally};
use now_serving::config::Config;
use now_serving::http::Call;
use now_serving::operator::verbs::{Intent, Permit};
use now_serving::queue::{
    Actor, Board, Invitation, Lane, LaneName, LineAnswer, Now, Position, WaitingProof,
};
use now_serving::request::Request;
use now_serving::store::upstash::{Attempt, StoreError};
use now_serving::store::{Line, MayDraw, script};
use now_serving_baselines::STORE_TOKEN;
use serde_json::{Value, json};
use upstash_local::{Redis, Store};
use virtual_edge::{Direct, id_of};

use crate::at_hand::AtHand;

/// How many visitors wait before the first call that is measured.
const WAITING: usize = 100;

/// A visitor's number and its lane.
pub(super) type Drawn = (Lane, WaitingProof);

/// A ticket, and the number that it has.
type Held = (String, Drawn);

/// The room, and what its data centre and its visitors know.
pub(super) struct Room {
    config: Config,
    store: Direct,
    known: Known,
    /// The regions of the room.
    regions: Vec<Lane>,
    waiting: VecDeque<Held>,
    /// The roll of the line, and how often it took over what older ones knew, once it is there.
    order: Option<(u64, u64)>,
    ids: u64,
    batches: u64,
}

/// The last board that the data centre has read.
struct Known(Option<Board>);

impl LastBoard for Known {
    fn last_board(&self) -> Option<Board> {
        self.0.clone()
    }
}

/// The regions of such a room, each with its data centre.
fn regions(kind: &str) -> &'static [(&'static str, &'static str)] {
    let all = &[
        ("west", "SJC"),
        ("east", "LHR"),
        ("north", "ARN"),
        ("south", "SYD"),
        ("middle", "FRA"),
        ("islands", "AKL"),
        ("coast", "LIS"),
    ];
    match kind {
        "regions" => &all[..2],
        "eight lanes" => all,
        _ => &[],
    }
}

/// What a room of this kind is set to, beside what is set for development.
fn settings(kind: &str) -> BTreeMap<String, String> {
    let regions: Vec<Value> = (regions(kind).iter())
        .map(|(name, pop)| json!({ "name": name, "pops": [pop] }))
        .collect();
    let event = json!({ "id": "sale", "prequeue": "2020-01-01T08:00:00Z", "opens": "2020-01-01T09:00:00Z", "closes": "2099-01-01T09:00:00Z" });
    let set = match kind {
        "cap" => vec![("total_active", "100000".to_owned())],
        "regions" | "eight lanes" => vec![("regions", json!(regions).to_string())],
        "event" => vec![("event", event.to_string())],
        "groups" => vec![("priority", GROUPS.to_owned())],
        _ => Vec::new(),
    };
    (set.into_iter())
        .map(|(key, value)| (key.to_owned(), value))
        .collect()
}

const GROUPS: &str =
    r#"[{"name":"vip","share":30},{"name":"members","share":20},{"name":"fans","share":10}]"#;

impl Room {
    /// A line that has been there for a while, with visitors who wait.
    pub(super) fn open(kind: &str, redis: &Redis) -> Result<Self, String> {
        let mut all = sandbox_dir::development_settings()?;
        all.insert("upstash_token".to_owned(), STORE_TOKEN.to_owned());
        all.extend(settings(kind));
        let config = Config::load(AtHand::new(&all))
            .map_err(|_| format!("The settings of the room \"{kind}\" are not sound."))?;
        let store = Store::redis(redis.url(), STORE_TOKEN)?;
        let born = (milliseconds() - 600_000).to_string();
        let line = ["HSET", "queue:{main}"];
        store.command(&[&line[..], &harness::kept::begun(&born)].concat())?;
        store.command(&["SCRIPT", "LOAD", &script()])?;
        let region = |(name, _): &(&str, &str)| LaneName::read(name).map(Lane::Named);
        let mut room = Self {
            config,
            store: Direct(store),
            known: Known(None),
            regions: regions(kind).iter().filter_map(region).collect(),
            waiting: VecDeque::new(),
            order: None,
            ids: 0,
            batches: 0,
        };
        let lanes = [&[Lane::Main], &room.regions[..]].concat();
        for lane in lanes.into_iter().cycle().take(WAITING) {
            let id = room.next_id();
            let drawn = room.line(None, lane, |line| line.join(&id));
            let drawn = room.learns(drawn)?;
            room.waits(id, drawn);
        }
        room.order = room.known.0.as_ref().map(Board::order);
        Ok(room)
    }

    pub(super) fn next_id(&mut self) -> String {
        self.ids += 1;
        id_of(self.ids)
    }

    pub(super) fn second() -> u64 {
        milliseconds() / 1000
    }

    /// The region in which visitors draw, where the room has some.
    pub(super) fn lane(&self) -> Option<Lane> {
        self.regions.first().copied()
    }

    /// What one request of a visitor asks of the line.
    pub(super) fn line<T>(
        &self,
        invitation: Option<&Invitation>,
        lane: Lane,
        ask: impl FnOnce(&Line<'_>) -> T,
    ) -> T {
        let cache = InMemoryCache::in_pop("SJC", Arc::new(AtomicU64::new(milliseconds())));
        let call = Call {
            method: "GET".to_owned(),
            path: "/".to_owned(),
            host: "shop.example".to_owned(),
            address: Some([203, 0, 113, 7].into()),
            id: id_of(self.ids),
            local: true,
            ..Call::default()
        };
        let now = Now::from_ms(milliseconds());
        let request = Request::new(&call, &self.config, &self.store, &cache, now);
        ask(&Line {
            known: &self.known,
            ..request.line_with(invitation, lane)
        })
    }

    /// What a ticket's holder asks while the board is renewed.
    pub(super) fn look(
        &self,
        (lane, place): &Drawn,
        id: &str,
        batches: &[Batch],
    ) -> Result<LineAnswer, StoreError> {
        self.line(None, *lane, |line| {
            line.look(id, *place, None, MayDraw::Yes, batches)
        })
    }

    /// A program of the origin lets one visitor in.
    pub(super) fn permit(&self) -> Result<(), String> {
        let actor = Actor {
            name: "permit_token",
            address: "192.0.2.1",
            audited: false,
            seen: None,
            once: None,
        };
        let permit = Permit {
            amount: 1,
            credit_max: 100,
        };
        let changed = self.line(None, Lane::Main, |line| {
            line.change(permit.change(), &actor)
        });
        changed.map(drop).map_err(|error| error.to_string())
    }

    pub(super) fn status(&self) -> Result<(), String> {
        let ask = |line: &Line<'_>| line.status().map(drop);
        self.line(None, Lane::Main, ask)
            .map_err(|error| error.to_string())
    }

    pub(super) fn panel(&self) -> Result<(), String> {
        let snapshot = self.line(None, Lane::Main, |line| {
            line.panel(now_serving::queue::Past::HOUR, &[], Attempt::First)
        });
        snapshot.map(drop).map_err(|error| error.to_string())
    }

    /// What one outbox has counted in two seconds.
    pub(super) fn batches(&mut self) -> Vec<Batch> {
        self.batches += 1;
        let mut tally = Tally::default();
        for (name, many) in [
            ("requests", 40),
            ("decided_waiting", 38),
            ("decided_admitted", 1),
        ] {
            tally.add(name, many);
        }
        vec![Batch {
            place: 0,
            outbox: id_of(7),
            number: self.batches,
            tally,
        }]
    }

    /// A line that lost something would be measured as it comes back.
    pub(super) fn knows(&mut self, board: Board) -> Result<(), String> {
        if self.order.is_some_and(|order| order != board.order()) {
            return Err("The line that is measured lost its data.".to_owned());
        }
        self.known = Known(Some(board));
        Ok(())
    }

    /// The board of an answer, and the place of its number.
    pub(super) fn learns(
        &mut self,
        answer: Result<LineAnswer, StoreError>,
    ) -> Result<Drawn, String> {
        let answer = answer.map_err(|error| error.to_string())?;
        let position = answer.position.unwrap_or(Position(0));
        let board = answer.board.of(answer.lane);
        let proof = board.proof(board.place(position));
        self.knows(answer.board)?;
        Ok((answer.lane, proof))
    }

    pub(super) fn waits(&mut self, id: String, drawn: Drawn) {
        self.waiting.push_back((id, drawn));
    }

    /// The waiting visitor who has been called last.
    pub(super) fn called(&mut self) -> Option<Held> {
        let board = self.known.0.as_ref()?;
        let is_called =
            |(_, (lane, proof)): &Held| proof.place.position.0 <= board.of(*lane).cursor().0;
        let mut called = None;
        while self.waiting.front().is_some_and(is_called) {
            called = self.waiting.pop_front();
        }
        called
    }
}

fn milliseconds() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
