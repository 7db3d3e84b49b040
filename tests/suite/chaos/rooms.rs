//! The rooms of a run, what is published of them, and how a request reaches each.
//!
//! All rooms have one store and the same POPs. What must hold between them: a call of one room's request has keys of that room only,
//! and leaves the line of every other room as it was, to the letter; a cookie of an answer is of the room of the request.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use upstash_local::Store;

use super::act::POPS;
use super::world::Engine;
use crate::house::{Ask, Got};
use crate::inside::Dice;

/// Their names. The first has what no other takes; the last two are one room before and after it was renamed.
pub(super) const ROOMS: [&str; 5] = ["main", "sale", "world", "late", "later"];
pub(super) const FIRST: usize = 0;
const SALE: usize = 1;
/// The room with a host of its own and, by some seeds, with regions.
pub(super) const WORLD: usize = 2;
/// What may be listed for visitors of one country.
pub(super) const LATE: [usize; 2] = [3, 4];
const HOST: &str = "world.example";

/// Where visitors come from.
pub(super) const COUNTRIES: [&str; 5] = ["US", "JP", "DE", "DE", "AT"];

/// What the regions may be. The last one is a data centre, whose cache may begin anew under another name.
pub(super) const REGIONS: usize = 4;
const LIVES: u64 = 60;

/// The name of a POP whose cache began with nothing this many times.
pub(super) fn pop_name(pop: usize, life: u64) -> String {
    match life {
        0 => format!("P{pop}"),
        life => format!("P{pop}L{life}"),
    }
}

fn region(which: usize) -> Value {
    match which {
        0 => json!({ "name": "west", "countries": "US" }),
        1 => json!({ "name": "east", "countries": ["JP", "AT"] }),
        2 => json!({ "name": "south", "countries": "DE" }),
        _ => {
            let pops: Vec<String> = (0..LIVES).map(|life| pop_name(POPS - 1, life)).collect();
            json!({ "name": "dock", "pops": pops })
        }
    }
}

/// A room of the list as it is published.
#[derive(Clone)]
pub(super) struct Listed {
    pub(super) room: usize,
    pub(super) members: BTreeMap<String, Value>,
    /// Which of its regions it has now; none where it never has any.
    pub(super) regions: Vec<usize>,
}

impl Listed {
    fn new(room: usize, members: &Value) -> Self {
        let members = members.as_object().unwrap().clone();
        Self {
            room,
            members: members.into_iter().collect(),
            regions: Vec::new(),
        }
    }

    /// A room of this country's visitors.
    pub(super) fn late(room: usize) -> Self {
        let members = json!({ "countries": "AT", "automatic_quantity": 2, "total_active": 8 });
        Self::new(room, &members)
    }

    /// The ones that every run begins with.
    pub(super) fn all(has_regions: bool) -> Vec<Self> {
        let sale = json!({ "paths": "/sale/*", "automatic_quantity": 2, "total_active": 6 });
        let world = json!({
            "hosts": HOST, "automatic": 10, "automatic_quantity": 5, "total_active": null, "priority": [],
        });
        let mut world = Self::new(WORLD, &world);
        if has_regions {
            world.regions = vec![0, 1, REGIONS - 1];
        }
        vec![Self::new(SALE, &sale), world, Self::late(LATE[0])]
    }

    pub(super) fn json(&self) -> Value {
        let mut json: Value = self.members.clone().into_iter().collect();
        json["name"] = ROOMS[self.room].into();
        if !self.regions.is_empty() {
            json["regions"] = self.regions.iter().map(|one| region(*one)).collect();
        }
        json
    }
}

/// Which site a visitor is on: a path of the first room, of the sale, or the other host.
pub(super) type Aim = usize;

pub(super) fn aimed(dice: &mut Dice) -> Aim {
    [FIRST, FIRST, SALE, WORLD, WORLD][dice.index(5)]
}

/// A page there.
pub(super) fn page(aim: Aim, name: &str) -> Ask {
    match aim {
        SALE => Ask::get(&format!("/sale/{name}")),
        WORLD => at_host(Ask::get(&format!("/{name}")), WORLD),
        _ => Ask::get(&format!("/{name}")),
    }
}

/// A request that some room takes surely, while it is listed, and from where.
pub(super) fn surely(room: usize) -> (Ask, &'static str) {
    match room {
        SALE | WORLD => (page(room, ""), "DE"),
        FIRST => (page(FIRST, ""), "DE"),
        late if late == LATE[0] => (page(FIRST, ""), "AT"),
        _ => (Ask::get("/later"), "DE"),
    }
}

fn at_host(ask: Ask, room: usize) -> Ask {
    match room {
        WORLD => ask.with("host", HOST),
        _ => ask,
    }
}

/// The same request of an operator, a program or a page, below the routes of this room.
pub(super) fn to_room(mut ask: Ask, room: usize) -> Ask {
    if room != FIRST {
        let routes = format!("/_queue/room/{}", ROOMS[room]);
        ask.target = ask.target.replacen("/_queue", &routes, 1);
    }
    at_host(ask, room)
}

/// With what the names of a room's cookies end.
fn suffix(room: usize) -> String {
    match room {
        FIRST => String::new(),
        room => format!("-{}", ROOMS[room]),
    }
}

/// A cookie with the ticket of a room, as a browser sends it that keeps those of all rooms.
pub(super) fn cookie(ask: &Ask, room: usize, ticket: &str) -> String {
    let is_there = ask.headers.iter().any(|(name, _)| *name == "host");
    let prefix = if is_there { "__Host-" } else { "" };
    format!("{prefix}queue{}={ticket}", suffix(room))
}

/// The answer with its cookies named as those of the first room. Each of them is of the room of the request.
pub(super) fn own_cookies(mut got: Got, room: usize) -> Got {
    let suffix = suffix(room);
    for (name, value) in &mut got.headers {
        if name != "set-cookie" {
            continue;
        }
        let (named, rest) = value.split_once('=').unwrap();
        if named.ends_with("queue-device") {
            // Operators are those of the service.
            continue;
        }
        let own = named.strip_suffix(&suffix).unwrap_or_default();
        let kind = own.strip_prefix("__Host-").unwrap_or(own);
        assert!(
            kind == "queue" || kind == "queue-post",
            "a cookie of another room than {}: {named}",
            ROOMS[room]
        );
        *value = format!("{own}={rest}");
    }
    got
}

/// The room that has this name.
pub(super) fn named(name: &str) -> usize {
    ROOMS.iter().position(|room| *room == name).unwrap()
}

/// The one room that all these keys of the store belong to.
pub(super) fn of_keys(keys: &[String]) -> usize {
    let room = |key: &String| {
        let rest = key.strip_prefix("queue:{").unwrap();
        named(rest.split_once('}').unwrap().0)
    };
    let first = room(&keys[0]);
    assert!(
        keys.iter().all(|key| room(key) == first),
        "one call has keys of several rooms: {keys:?}"
    );
    first
}

pub(super) fn line_key(room: usize) -> String {
    format!("queue:{{{}}}", ROOMS[room])
}

/// A digest of each of these hashes, whatever the order in which a Redis tells its fields.
const DIGESTS: &str = r"
local digests = {}
for at, key in ipairs(KEYS) do
  local fields, pairs = redis.call('HGETALL', key), {}
  for field = 1, #fields, 2 do
    pairs[#pairs + 1] = fields[field] .. '=' .. fields[field + 1]
  end
  table.sort(pairs)
  digests[at] = redis.sha1hex(table.concat(pairs, '\n'))
end
return digests
";

/// How the lines stand in the store, to the letter.
pub(super) struct Standing {
    engine: Engine,
    lines: Vec<Value>,
    /// The rooms that a call was for since they were read.
    touched: BTreeSet<usize>,
    calls: u64,
}

impl Standing {
    pub(super) fn new(engine: Engine) -> Self {
        Self {
            engine,
            lines: Vec::new(),
            touched: BTreeSet::new(),
            calls: 0,
        }
    }

    /// A call was for this room, and has moved no other. A real Redis, which is further away, is read after every fourth one.
    pub(super) fn moved(&mut self, room: usize, store: &Store) {
        self.touched.insert(room);
        self.calls += 1;
        if self.engine == Engine::Redis && !self.calls.is_multiple_of(4) {
            return;
        }
        let now = self.read(store);
        for (other, (before, now)) in self.lines.iter().zip(&now).enumerate() {
            assert!(
                self.touched.contains(&other) || before == now,
                "an act for {:?} moved {}",
                self.touched,
                ROOMS[other]
            );
        }
        self.lines = now;
        self.touched.clear();
    }

    /// Each line, or its digest.
    fn read(&self, store: &Store) -> Vec<Value> {
        let keys: Vec<String> = (0..ROOMS.len()).map(line_key).collect();
        if self.engine == Engine::Embedded {
            let read = |key: &String| store.command(&["HGETALL", key]).unwrap();
            return keys.iter().map(read).collect();
        }
        let many = keys.len().to_string();
        let keys = keys.iter().map(String::as_str);
        let words: Vec<&str> = ["EVAL", DIGESTS, &many].into_iter().chain(keys).collect();
        let digests = store.command(&words).unwrap();
        digests.as_array().unwrap().clone()
    }

    /// The store has lost its data, or has an older copy.
    pub(super) fn forget(&mut self) {
        self.lines.clear();
    }
}
