//! An answer of the store: a status of three digits, if the bytes begin with any, and a body. Only a 2xx with a `result` and without an
//! `error` is a value; a verb reads from it what it says, or it is a fault: what is there and unreadable is never taken for absent. Where
//! it is a fault, no visitor goes in.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::AtomicU64;

use now_serving::cache::CachedBoard;
use now_serving::cache::memory::InMemoryCache;
use now_serving::config::{Config, DOCUMENT, Source, Unreadable};
use now_serving::http::{Answer, Call};
use now_serving::queue::{
    Actor, Board, Change, Changed, Cursor, LineAnswer, Place, Position, WaitingProof,
};
use now_serving::request::Request;
use now_serving::service;
use now_serving::store::upstash::{Attempt, StoreError, Transport, decode};
use now_serving::store::{Line, MayDraw};
use now_serving::ticket::{Ticket, TicketStage};
use serde_json::Value;

use crate::keys::{KEYS, NOW, ROOM, SECRET, now};

/// The id of all tickets.
const ID: &str = "0123456789abcdef0123456789abcdef";

/// What a board has always: one without one of these is none.
const REQUIRED: [&str; 11] = [
    "/format",
    "/own",
    "/merged",
    "/young",
    "/epoch",
    "/visits_epoch",
    "/credit",
    "/live",
    "/live/mode",
    "/live/pace",
    "/live/version",
];

struct Settings;

impl Source for Settings {
    fn setting(&self, key: &str) -> Result<Option<String>, Unreadable> {
        let document = r#"{"upstash_url":"https://store.example","total_active":10,"priority":[{"name":"vip","share":30},{"name":"front","share":10}],"network_bound":"observe"}"#;
        Ok((key == DOCUMENT).then(|| document.to_owned()))
    }

    fn secret(&self, key: &str) -> Result<Option<String>, Unreadable> {
        let is_needed = ["jwt_secret", "upstash_token"].contains(&key);
        Ok(is_needed.then(|| SECRET.to_owned()))
    }

    fn is_local(&self) -> bool {
        false
    }
}

static CONFIG: LazyLock<Config> = LazyLock::new(|| match Config::load(Settings) {
    Ok(config) => config,
    Err(unsound) => panic!("{:?}", unsound.problems),
});

/// Says the same to every call.
struct Says {
    status: u16,
    body: Vec<u8>,
    faults: RefCell<Vec<StoreError>>,
}

impl Transport for Says {
    fn post(&self, _body: &str, _attempt: Attempt) -> Option<(u16, Vec<u8>)> {
        Some((self.status, self.body.clone()))
    }

    fn failed(&self, fault: &StoreError) {
        self.faults.borrow_mut().push(fault.clone());
    }
}

/// Reads an answer.
pub fn target(bytes: &[u8]) {
    let (status, body) = status(bytes);
    let says = |body: Vec<u8>| Says {
        status,
        body,
        faults: RefCell::default(),
    };
    let answer = says(body.to_vec());
    let Some(result) = value(status, body) else {
        return visited(&answer);
    };
    let pairs = Pairs::read(&result);
    verbs(&answer, &pairs);
    visited(&answer);
    // One of them is left out, in turn.
    let name = REQUIRED.into_iter().nth(body.len() % REQUIRED.len());
    let name = name.unwrap_or("/epoch");
    let without = serde_json::json!({ "result": pairs.without(name) });
    let answer = says(without.to_string().into_bytes());
    let read = with_line(&answer, |line| line.release_due(&[]));
    assert_eq!(read, Err(StoreError::Garbled), "without {name}");
}

fn status(bytes: &[u8]) -> (u16, &[u8]) {
    let digits = bytes.first_chunk::<3>();
    let digits = digits.filter(|digits| digits.iter().all(u8::is_ascii_digit));
    let status = digits.and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
    match status {
        Some(status) => (status, bytes.get(3..).unwrap_or_default()),
        None => (200, bytes),
    }
}

/// The value of an answer, as an independent reader finds it too.
fn value(status: u16, body: &[u8]) -> Option<Value> {
    let read = decode(Some((status, body.to_vec())));
    let known: Value = serde_json::from_slice(body).unwrap_or_default();
    let is_error = known.get("error").is_some_and(Value::is_string);
    let is_sound = (200..=299).contains(&status) && !is_error;
    let expected = known.get("result").filter(|_| is_sound);
    assert_eq!(read.as_ref().ok(), expected, "{read:?}");
    read.ok()
}

/// The names and values of an answer; the first counts, where a name is there twice.
struct Pairs(Vec<(Value, Value)>);

impl Pairs {
    fn read(result: &Value) -> Self {
        let items = result.as_array().map_or(&[][..], Vec::as_slice);
        let pairs = items.chunks_exact(2).filter_map(|pair| match pair {
            [name, value] => Some((name.clone(), value.clone())),
            _ => None,
        });
        Self(pairs.collect())
    }

    fn get(&self, name: &str) -> Option<&Value> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value)
    }

    fn number(&self, name: &str) -> Option<u64> {
        let value = self.get(name)?;
        value.as_u64().or_else(|| value.as_str()?.parse().ok())
    }

    /// The board as an independent reader finds it.
    fn board(&self) -> Value {
        let text = self.get("board").and_then(Value::as_str);
        let read = text.and_then(|text| serde_json::from_str(text).ok());
        read.unwrap_or_default()
    }

    /// The answer with a board that lacks what stands here.
    fn without(&self, path: &str) -> Vec<Value> {
        let mut board = self.board();
        let (of, name) = path.rsplit_once('/').unwrap_or_default();
        if let Some(of) = board.pointer_mut(of).and_then(Value::as_object_mut) {
            of.remove(name);
        }
        let told = |(known, value): &(Value, Value)| {
            let is_board = known == "board";
            let value = if is_board {
                board.to_string().into()
            } else {
                value.clone()
            };
            [known.clone(), value]
        };
        self.0.iter().flat_map(told).collect()
    }
}

/// Does something with the line whose store says this.
fn with_line<T>(
    says: &Says,
    work: impl FnOnce(&Line<'_>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let call = call("/", None);
    let cache = InMemoryCache::new(Arc::new(AtomicU64::new(NOW * 1000)));
    let request = Request::new(&call, &CONFIG, says, &cache, now());
    let done = work(&request.line());
    let faults = says.faults.take();
    let fault = done.as_ref().err();
    assert_eq!(faults.first(), fault, "a fault is heard of once");
    assert!(faults.len() < 2, "{faults:?}");
    done
}

/// Every verb reads from the answer what it says.
fn verbs(says: &Says, pairs: &Pairs) {
    let shown = |board: &Board| is_as_told(board, pairs);
    let _ = with_line(says, |line| line.release_due(&[])).inspect(shown);
    let _ = with_line(says, |line| {
        line.status().inspect(|status| shown(&status.board))
    });
    let _ = with_line(says, |line| {
        line.panel(now_serving::queue::Past::HOUR, &[], Attempt::First)
    })
    .inspect(|panel| {
        shown(&panel.board);
        let told = pairs.board();
        for (path, set) in [
            ("/live/set_at/mode", &panel.mode),
            ("/live/set_at/pace", &panel.pace),
            ("/live/set_at/cap", &panel.cap),
        ] {
            let at_ms = set.as_ref().map_or(0, |set| set.at_ms);
            let set_at = told.pointer(path).and_then(Value::as_u64);
            assert_eq!(set_at.unwrap_or(0), at_ms, "{path}");
        }
    });
    let _ = with_line(says, |line| line.figures(&[])).inspect(|figures| shown(&figures.board));
    let answered = |answer: &LineAnswer| {
        shown(&answer.board);
        let number = pairs.number("number");
        let position = answer.position.map(|position| position.0);
        assert!(position.is_none() || position == number, "{position:?}");
        assert_eq!(answer.claim.is_some(), pairs.get("claim").is_some());
        assert_eq!(answer.above.is_some(), pairs.get("above").is_some());
        assert_eq!(answer.invited.is_some(), pairs.get("invited").is_some());
        let lane = pairs.get("lane").and_then(Value::as_str);
        assert_eq!(answer.lane.name(), lane);
    };
    let _ = with_line(says, |line| line.join(ID)).inspect(answered);
    let look = |line: &Line<'_>| line.look(ID, place(), None, MayDraw::Yes, &[]);
    let _ = with_line(says, look).inspect(answered);
    let _ = with_line(says, changed).inspect(|changed| match changed {
        Changed::Done(board, effect) | Changed::Replayed(board, effect) => {
            shown(board);
            assert_eq!(Some(effect.number), pairs.number("number"));
            assert_eq!(effect.kept.is_some(), pairs.get("kept").is_some());
        }
        Changed::VersionConflict(board) | Changed::NotAdmitting(board) => shown(board),
        Changed::KeyReused => assert_eq!(pairs.get("outcome"), Some(&"reused".into())),
    });
}

fn changed(line: &Line<'_>) -> Result<Changed, StoreError> {
    let author = Actor {
        name: "admin",
        address: "",
        audited: true,
        seen: None,
        once: None,
    };
    line.change(Change::new("hold", Vec::new()), &author)
}

fn place() -> WaitingProof {
    WaitingProof::of(
        Place {
            born: NOW * 1000 - 60_000,
            position: Position(5),
            came: None,
        },
        Cursor(2),
    )
}

fn is_as_told(board: &Board, pairs: &Pairs) {
    let (told, live) = (pairs.board(), &board.live);
    for (path, number) in [
        ("/own", board.own),
        ("/merged", board.merged),
        ("/epoch", board.epoch),
        ("/visits_epoch", board.visits_epoch),
        ("/credit", board.credit),
        ("/live/version", live.version),
        ("/live/pace/automatic", live.pace.automatic),
        ("/live/pace/quantity", live.pace.quantity),
    ] {
        assert_eq!(told.pointer(path), Some(&number.into()), "{path}");
    }
    for (path, is_there) in [
        ("/lanes", !board.lanes.is_empty()),
        ("/origin", board.origin.is_some()),
        ("/event", board.event.is_some()),
        ("/begun", board.begun.is_some()),
        ("/pops", board.pops.is_some()),
        ("/sessions", board.sessions.is_some()),
        ("/live/cap", live.cap.is_some()),
        ("/live/events", live.events.is_some()),
        ("/live/message", live.message.is_some()),
    ] {
        assert_eq!(told.pointer(path).is_some(), is_there, "{path}");
    }
    // A copy of it in the cache of a POP is the same board.
    let copy = CachedBoard::new(board.clone(), now());
    let read = CachedBoard::read(&copy.written());
    assert_eq!(read.as_ref(), Some(&copy));
    let _ = (board.waiting(), board.is_held_by_origin());
}

fn call(path: &str, cookie: Option<&str>) -> Call {
    let cookie = cookie.map(|token| ("cookie", format!("__Host-queue={token}").into_bytes()));
    let json = ("accept", b"application/json".to_vec());
    Call {
        method: "GET".to_owned(),
        path: path.to_owned(),
        host: "shop.example".to_owned(),
        https: true,
        headers: [json].into_iter().chain(cookie).collect(),
        id: ID.to_owned(),
        ..Call::default()
    }
}

/// A new visitor and one who waits: an answer of ours or the origin, and not the origin where the store failed.
fn visited(says: &Says) {
    let waiting = Ticket::new(ID, TicketStage::Waiting(place()), now());
    let token = KEYS.sign(&waiting, &ROOM, now(), 86_400);
    for (path, cookie) in [
        ("/", None),
        ("/", token.as_deref()),
        ("/_queue/place", token.as_deref()),
    ] {
        let call = call(path, cookie);
        let cache = InMemoryCache::new(Arc::new(AtomicU64::new(NOW * 1000)));
        let request = Request::new(&call, &CONFIG, says, &cache, now());
        let outcome = service::handle(&request, &mut &b""[..]);
        let faults = says.faults.take();
        match outcome.answer {
            Answer::Forward(_) => assert_eq!(faults, [], "{path}: in without the store"),
            Answer::Reply(reply) => assert!(
                matches!(reply.status, 200 | 303 | 503),
                "{path}: {}",
                reply.status
            ),
        }
        service::afterwards(outcome.after, &request);
        let _ = says.faults.take();
    }
}
