//! A link to a server far away, as TCP has it: a new connection costs round trips, and begins slowly.
//!
//! What a client sends leaves in flights: ten segments in the first round trip (RFC 6928), twice as many in each that follows. Answers
//! are short, and come half a round trip later. When a client gives up, what has not left by then never leaves.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// The bytes of the first flight: ten segments.
const FIRST_FLIGHT: usize = 14_600;

/// How far away the server is.
#[derive(Clone, Copy, Debug)]
pub struct Distance {
    /// The time of a round trip.
    pub round_trip: Duration,
    /// Round trips until the first byte of a request may leave: one for TCP, and one for TLS 1.3.
    pub to_connect: u32,
}

/// A relay in front of a server. Dropped, it takes no more connections.
#[derive(Debug)]
pub struct Link {
    address: SocketAddr,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    is_over: AtomicBool,
    /// The connections that were opened.
    opened: AtomicU64,
    /// The most flights that a request took.
    flights: AtomicU64,
}

impl Link {
    /// A relay to the server at this address.
    ///
    /// # Errors
    /// When no port is free.
    pub fn start(server: SocketAddr, distance: Distance) -> Result<Self, String> {
        let wording = |error| format!("A link cannot listen: {error}.");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(wording)?;
        let address = listener.local_addr().map_err(wording)?;
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if shared.is_over.load(Ordering::SeqCst) {
                    break;
                }
                shared.opened.fetch_add(1, Ordering::SeqCst);
                let state = Arc::clone(&shared);
                thread::spawn(move || relay(client, server, distance, &state));
            }
        });
        Ok(Self { address, state })
    }

    /// Where it listens, as `http://127.0.0.1:8079`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The most flights that a request took.
    #[must_use]
    pub fn flights(&self) -> u64 {
        self.state.flights.load(Ordering::SeqCst)
    }

    /// The connections that were opened.
    #[must_use]
    pub fn opened(&self) -> u64 {
        self.state.opened.load(Ordering::SeqCst)
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::SeqCst);
        // The listener is waiting for a connection.
        drop(TcpStream::connect(self.address));
    }
}

/// What is on its way, and when it arrives.
type OnItsWay = (Instant, Vec<u8>);

/// One connection, until one of the two ends it.
fn relay(client: TcpStream, server: SocketAddr, distance: Distance, state: &State) {
    let is_connected = Instant::now() + distance.round_trip * distance.to_connect;
    let Ok(server) = TcpStream::connect(server) else {
        return;
    };
    let (Ok(from_client), Ok(from_server)) = (client.try_clone(), server.try_clone()) else {
        return;
    };
    let (given, sent) = mpsc::channel();
    let (there, arriving) = mpsc::channel();
    let (back, returning) = mpsc::channel();
    let one_way = distance.round_trip / 2;
    thread::scope(|scope| {
        scope.spawn(move || read(from_client, |bytes| given.send(bytes).is_ok()));
        scope.spawn(move || deliver(arriving, server));
        scope.spawn(move || {
            read(from_server, |bytes| {
                back.send((Instant::now() + one_way, bytes)).is_ok()
            });
        });
        scope.spawn(move || deliver(returning, client));
        let flights = fly(&sent, &there, is_connected, distance.round_trip);
        state.flights.fetch_max(flights, Ordering::SeqCst);
    });
}

/// Passes on what comes for as long as it comes.
fn read(mut from: TcpStream, pass: impl Fn(Vec<u8>) -> bool) {
    let mut piece = [0; 16_384];
    while let Ok(many @ 1..) = from.read(&mut piece) {
        if !piece.get(..many).is_some_and(|bytes| pass(bytes.to_vec())) {
            break;
        }
    }
}

/// Sends what the client gave in flights, until it gives up. How many there were at most for one request.
fn fly(
    sent: &Receiver<Vec<u8>>,
    there: &Sender<OnItsWay>,
    is_connected: Instant,
    round_trip: Duration,
) -> u64 {
    let (mut waiting, mut most, mut flight) = (Vec::new(), 0, Flight::first(is_connected));
    loop {
        // Until it may send more, the client may give more, or give up.
        let pause = if waiting.is_empty() {
            Duration::MAX
        } else {
            flight.next.saturating_duration_since(Instant::now())
        };
        match sent.recv_timeout(pause) {
            Ok(bytes) => waiting.extend(bytes),
            Err(RecvTimeoutError::Disconnected) => return most,
            Err(RecvTimeoutError::Timeout) => {}
        }
        let now = Instant::now();
        if now >= flight.next {
            // A connection that was quiet begins slowly again.
            let is_quiet = now >= flight.next + round_trip;
            flight = if flight.number == 0 || is_quiet {
                Flight::first(now)
            } else {
                flight
            };
            flight.begins(round_trip);
            most = most.max(flight.number);
        }
        let many = flight.room.min(waiting.len());
        flight.room -= many;
        let bytes: Vec<u8> = waiting.drain(..many).collect();
        if many > 0 && there.send((now + round_trip / 2, bytes)).is_err() {
            return most;
        }
    }
}

/// What may leave in one round trip.
struct Flight {
    number: u64,
    room: usize,
    size: usize,
    /// When the next one may leave.
    next: Instant,
}

impl Flight {
    /// Before the first one, which may leave then.
    fn first(next: Instant) -> Self {
        Self {
            number: 0,
            room: 0,
            size: FIRST_FLIGHT,
            next,
        }
    }

    fn begins(&mut self, round_trip: Duration) {
        self.number += 1;
        (self.room, self.size) = (self.size, self.size * 2);
        self.next += round_trip;
    }
}

/// Writes what arrives, each piece at its time, and then hangs up.
fn deliver(arriving: Receiver<OnItsWay>, mut to: TcpStream) {
    for (due, bytes) in arriving {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        if to.write_all(&bytes).is_err() {
            break;
        }
    }
    // It may have hung up itself.
    let _ = to.shutdown(Shutdown::Both);
}
