//! An answer of the store: a status of three digits, if the bytes begin with any, and a body. Only a 2xx with a `result` and without an
//! `error` is a value; a verb reads from it what it says, or it is a fault: what is there and unreadable is never taken for absent. Where
//! it is a fault, no visitor goes in.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::AtomicU64;

use now_serving::cache::memory::InMemoryCache;
use now_serving::config::{Config, DOCUMENT, Source, Unreadable};
use now_serving::http::{Answer, Call};
use now_serving::queue::{
    Actor, Change, Changed, Cursor, LineAnswer, Position, Sign, WaitingProof,
};
use now_serving::request::Request;
use now_serving::service;
use now_serving::store::upstash::{Attempt, StoreError, Transport, decode};
use now_serving::store::{Line, MayDraw};
use now_serving::ticket::{Standing, Ticket};
use serde_json::Value;

use crate::keys::{KEYS, NOW, ROOM, SECRET, now};

/// The id of all tickets.
const ID: &str = "0123456789abcdef0123456789abcdef";

/// What a sign has always: an answer without one of these is none.
const REQUIRED: [&str; 21] = [
    "born",
    "started",
    "adopted",
    "sealed",
    "settled",
    "young",
    "recent",
    "splices",
    "epoch",
    "cursor",
    "length",
    "credit",
    "released",
    "took",
    "moved",
    "step",
    "mode",
    "automatic",
    "quantity",
    "paced",
    "version",
];

struct Settings;

impl Source for Settings {
    fn setting(&self, key: &str) -> Result<Option<String>, Unreadable> {
        let document = r#"{"upstash_url":"https://store.example","total_active":10,"front_share":10,"network_bound":"observe"}"#;
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
    let name = name.unwrap_or("epoch");
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

    fn without(&self, name: &str) -> Vec<&Value> {
        let kept = self.0.iter().filter(|(known, _)| known != name);
        kept.flat_map(|(name, value)| [name, value]).collect()
    }
}

/// Does something with the line whose store says this.
fn with_line<T>(
    says: &Says,
    work: impl FnOnce(&Line<'_>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let call = call("/", None);
    let cache = InMemoryCache::new(Arc::new(AtomicU64::new(NOW * 1000)));
    let request = Request::new(&call, &CONFIG, (says, &cache), now());
    let done = work(&request.line());
    let faults = says.faults.take();
    let fault = done.as_ref().err();
    assert_eq!(faults.first(), fault, "a fault is heard of once");
    assert!(faults.len() < 2, "{faults:?}");
    done
}

/// Every verb reads from the answer what it says.
fn verbs(says: &Says, pairs: &Pairs) {
    let shown = |sign: &Sign| is_as_told(sign, pairs);
    let _ = with_line(says, |line| line.release_due(&[])).inspect(shown);
    let _ = with_line(says, |line| {
        line.status().inspect(|status| shown(&status.sign))
    });
    let _ = with_line(says, |line| line.board(Attempt::First)).inspect(|board| {
        shown(&board.sign);
        for (at, by, set) in [
            ("mode_at", "mode_by", &board.mode),
            ("pace_at", "pace_by", &board.pace),
            ("cap_at", "cap_by", &board.cap),
        ] {
            let is_told = pairs.get(at).is_some() && pairs.get(by).is_some();
            assert_eq!(is_told, set.is_some(), "{by}");
        }
    });
    let _ = with_line(says, |line| line.figures(&[])).inspect(|figures| shown(&figures.sign));
    let answered = |answer: &LineAnswer| {
        shown(&answer.sign);
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
    let look = |line: &Line<'_>| line.look(ID, (place(), None), MayDraw::Yes, &[]);
    let _ = with_line(says, look).inspect(answered);
    let _ = with_line(says, changed).inspect(|changed| match changed {
        Changed::Done(sign, effect) | Changed::Replayed(sign, effect) => {
            shown(sign);
            assert_eq!(Some(effect.number), pairs.number("number"));
            assert_eq!(effect.kept.is_some(), pairs.get("kept").is_some());
        }
        Changed::VersionConflict(sign) | Changed::NotAdmitting(sign) => shown(sign),
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
    WaitingProof {
        born: NOW * 1000 - 60_000,
        epoch: 1,
        position: Position(5),
        cursor_at_draw: Cursor(2),
        came: None,
    }
}

fn is_as_told(sign: &Sign, pairs: &Pairs) {
    let live = &sign.live;
    for (name, number) in [
        ("born", sign.birth.born),
        ("epoch", sign.epoch),
        ("cursor", sign.cursor.0),
        ("length", sign.length),
        ("credit", sign.credit),
        ("version", live.version),
        ("automatic", live.pace.automatic),
        ("quantity", live.pace.quantity),
    ] {
        assert_eq!(pairs.number(name), Some(number), "{name}");
    }
    for (name, is_there) in [
        ("front", sign.front.is_some()),
        ("origin", sign.origin.is_some()),
        ("event", sign.event.is_some()),
        ("begun", sign.begun.is_some()),
        ("total_active", sign.sessions.is_some()),
        ("live_cap", live.cap.is_some()),
        ("live_events", live.events.is_some()),
        ("message", live.message.is_some()),
    ] {
        assert_eq!(pairs.get(name).is_some(), is_there, "{name}");
    }
    if let Some(sessions) = &sign.sessions {
        assert_eq!(Some(sessions.total_active), pairs.number("total_active"));
        let ended = pairs.get("ended").map(|_| pairs.number("ended"));
        assert_eq!(Some(sessions.ended), ended.unwrap_or(Some(0)));
    }
    let pops = pairs.get("pops").map(|_| pairs.number("pops"));
    assert_ne!(pops, Some(None), "pops is no number");
    for name in ["mode_at", "pace_at", "message_at", "cap_at", "event_at"] {
        let time = pairs.get(name).map(|_| pairs.number(name));
        assert_ne!(time, Some(None), "{name} is no number");
    }
    // A copy of it in the cache of a POP is the same sign.
    let copy = serde_json::to_value(sign).and_then(serde_json::from_value::<Sign>);
    assert_eq!(copy.as_ref().ok(), Some(sign));
    let _ = (sign.waiting(), sign.is_held_by_origin());
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
    let waiting = Ticket::new(ID, Standing::Waiting(place()), now());
    let token = KEYS.sign(&waiting, &ROOM, now(), 86_400);
    for (path, cookie) in [
        ("/", None),
        ("/", token.as_deref()),
        ("/_queue/place", token.as_deref()),
    ] {
        let call = call(path, cookie);
        let cache = InMemoryCache::new(Arc::new(AtomicU64::new(NOW * 1000)));
        let request = Request::new(&call, &CONFIG, (says, &cache), now());
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
