//! Servers that go from story to story: every start compiles the Wasm, which takes a processor for seconds.
//!
//! A story sees nothing of the one before. Its room has a name of its own, which is part of every key of the POP's cache
//! and of every ticket. Its store is new. Its settings were written longer ago than any sandbox keeps what it has read.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use harness::edge::Edge;
use harness::origin::Origin;
use upstash_local::{Server, Store};

use super::{EdgeIs, House, Kind, PATIENT, ROOM, STORE_TOKEN, Wasm, agent, settings_of};

/// A sandbox reads its settings again after a second.
const SETTINGS_READ: Duration = Duration::from_millis(1050);

/// A server between two stories. It has the settings of the next.
struct Idle {
    /// How long its store may take, which is written where only a start reads it.
    deadline: Duration,
    edge: Arc<Edge>,
    origin: Arc<Origin>,
    /// The store of the story before, for what its sandboxes may still do.
    server: Server,
    room: String,
    since: Instant,
}

static IDLE: Mutex<Vec<Idle>> = Mutex::new(Vec::new());

fn idle() -> MutexGuard<'static, Vec<Idle>> {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The server with this deadline that has been idle for longest.
fn next(deadline: Duration) -> Option<Idle> {
    let mut idle = idle();
    let found = idle.iter().position(|idle| idle.deadline == deadline)?;
    Some(idle.remove(found))
}

/// A room that no other story of this process has.
fn new_room() -> String {
    static ROOMS: AtomicU64 = AtomicU64::new(1);
    format!("{ROOM}-{}", ROOMS.fetch_add(1, Ordering::SeqCst))
}

impl House {
    /// In a server that other stories have before and after this one. What is about the server itself, such as its first
    /// lines, its sandboxes or its end, takes [`House::wasm`].
    pub(crate) fn wasm_shared() -> Self {
        Self::shared_with(PATIENT)
    }

    /// The same where the store may take this long.
    pub(crate) fn shared_with(deadline: Duration) -> Self {
        let mut house = next(deadline)
            .and_then(Self::moved_into)
            .unwrap_or_else(|| {
                let store = Store::embedded(STORE_TOKEN).unwrap();
                let wasm = harness::edge::wasm().unwrap();
                let edge = EdgeIs {
                    deadline,
                    ..EdgeIs::default()
                };
                Self::start_in(&new_room(), store, wasm, edge)
            });
        if let Kind::Wasm(wasm) = &mut house.kind {
            wasm.is_shared = true;
        }
        house
    }

    /// The house of the story that comes next in this server, unless another program has its store's address by then.
    pub(crate) fn next_in_this_server(mut self) -> Option<Self> {
        let Kind::Wasm(wasm) = &mut self.kind else {
            panic!("a server is of the Wasm");
        };
        left(wasm).and_then(Self::moved_into)
    }

    /// Nothing where the store's address has gone to another program meanwhile.
    fn moved_into(idle: Idle) -> Option<Self> {
        std::thread::sleep(SETTINGS_READ.saturating_sub(idle.since.elapsed()));
        let address = address_of(&idle.server);
        drop(idle.server);
        let store = Store::embedded(STORE_TOKEN).unwrap();
        let server = Server::start(store.clone(), address).ok()?;
        idle.origin.clear();
        idle.edge.forget_output();
        let wasm = Wasm {
            deadline: idle.deadline,
            edge: idle.edge,
            origin: idle.origin,
            agent: agent(),
            answers: AtomicUsize::new(0),
            shifted: AtomicU64::new(0),
            room: idle.room,
            is_shared: true,
            server: Some(server),
        };
        Some(Self::of_wasm(store, wasm))
    }
}

/// Leaves a shared server to the next story.
pub(super) fn put_back(wasm: &mut Wasm) {
    if wasm.is_shared {
        idle().extend(left(wasm));
    }
}

/// The server of a house in which no more is asked.
fn left(wasm: &mut Wasm) -> Option<Idle> {
    let server = wasm.server.take()?;
    let room = new_room();
    wasm.edge.set_all(settings_of(&room)).unwrap();
    Some(Idle {
        deadline: wasm.deadline,
        edge: Arc::clone(&wasm.edge),
        origin: Arc::clone(&wasm.origin),
        server,
        room,
        since: Instant::now(),
    })
}

fn address_of(server: &Server) -> SocketAddr {
    let url = server.url();
    url.trim_start_matches("http://").parse().unwrap()
}
