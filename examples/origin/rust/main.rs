//! A shop that only visitors from its waiting room reach: it checks Queue-Pass first.
//!
//! `Checker` is what you copy. The server below it stands for the framework of your shop. In your `Cargo.toml`:
//!
//! ```toml
//! jwt-simple = { version = "0.15", default-features = false, features = ["pure-rust"] }
//! serde = { version = "1", features = ["derive"] }
//! ```

use std::collections::HashSet;
use std::env;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use jwt_simple::prelude::*;

/// By how many seconds the clocks of the edge and of this machine may differ.
const LEEWAY: u64 = 5;
/// A pass has some 300 characters. Nothing longer is looked at.
const LONGEST: usize = 1024;

/// What a pass says besides the claims of the standard.
#[derive(Serialize, Deserialize)]
struct Room {
    room: String,
}

struct Checker {
    keys: Vec<HS256Key>,
    rooms: HashSet<String>,
    hosts: HashSet<String>,
}

impl Checker {
    /// Keys are lines of a name, a space and 64 hexadecimal digits.
    fn new(keys: &str, rooms: &str, hosts: &str) -> Result<Self, String> {
        let words: Vec<&str> = keys.split_whitespace().collect();
        let keys = words.chunks(2).filter_map(|pair| match pair {
            [name, digits] => Some(HS256Key::from_bytes(&decoded(digits)?).with_key_id(name)),
            _ => None,
        });
        let keys: Vec<HS256Key> = keys.collect();
        let hosts: HashSet<String> = hosts.split_whitespace().map(str::to_owned).collect();
        if keys.is_empty() || rooms.is_empty() || hosts.is_empty() {
            return Err("Set QUEUE_PASS_KEYS to what `cargo dev secret pass` prints, QUEUE_ROOM and QUEUE_HOSTS.".to_owned());
        }
        let wrong = || {
            format!(
                "QUEUE_ROOM is {rooms:?}. Accepted are names of rooms, separated by commas or spaces, each of letters, digits, - and _."
            )
        };
        let rooms = names(rooms).ok_or_else(wrong)?;
        Ok(Self { keys, rooms, hosts })
    }

    /// The id of the ticket of a good pass, for your log. The algorithm is that of the key, HS256.
    fn ticket_of(&self, pass: &str) -> Option<String> {
        let by = |key: &HS256Key| {
            let options = VerificationOptions {
                required_signature_type: Some("queue-pass+JWT".to_owned()),
                required_key_id: key.key_id().clone(),
                allowed_audiences: Some(self.hosts.clone()),
                time_tolerance: Some(Duration::from_secs(LEEWAY)),
                max_token_length: Some(LONGEST),
                ..VerificationOptions::default()
            };
            key.verify_token::<Room>(pass, Some(options)).ok()
        };
        let claims = self.keys.iter().find_map(by)?;
        // The library takes a token without an end for one that has none.
        claims.expires_at?;
        let is_ours = self.rooms.contains(&claims.custom.room);
        is_ours.then_some(claims.subject?)
    }
}

/// The names that are separated by commas or spaces, if none is empty and each is one of a room.
fn names(rooms: &str) -> Option<HashSet<String>> {
    let is_sound = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let mut names = HashSet::new();
    for part in rooms.split(',') {
        let listed: Vec<&str> = part.split_whitespace().collect();
        if listed.is_empty() || !listed.iter().all(|name| name.bytes().all(is_sound)) {
            return None;
        }
        names.extend(listed.into_iter().map(str::to_owned));
    }
    Some(names)
}

/// The 32 bytes that 64 hexadecimal digits stand for.
fn decoded(digits: &str) -> Option<Vec<u8>> {
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Option<Vec<u8>> = digits.as_bytes().chunks(2).map(byte).collect();
    bytes.filter(|bytes| bytes.len() == 32)
}

/// Reads the head of one request and answers it.
fn answer(checker: &Checker, mut stream: TcpStream) -> io::Result<()> {
    let head = BufReader::new(stream.try_clone()?.take(65_536)).lines();
    let mut pass = String::new();
    for line in head
        .map_while(Result::ok)
        .take_while(|line| !line.is_empty())
    {
        match line.split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("queue-pass") => {
                value.trim().clone_into(&mut pass);
            }
            _ => {}
        }
    }
    let (status, media, text) = match checker.ticket_of(&pass) {
        Some(_ticket) => ("200 OK", "html", "<p>Welcome to the shop.</p>"),
        None => (
            "403 Forbidden",
            "plain",
            "This shop is reached through its waiting room only.",
        ),
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: text/{media}; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}\n",
        text.len() + 1
    )
}

fn main() -> Result<(), String> {
    let variable = |name| env::var(name).unwrap_or_default();
    let checker = Checker::new(
        &variable("QUEUE_PASS_KEYS"),
        &variable("QUEUE_ROOM"),
        &variable("QUEUE_HOSTS"),
    )?;
    let port = env::var("PORT").unwrap_or_else(|_| "8080".to_owned());
    let listener = TcpListener::bind(format!("127.0.0.1:{port}"))
        .map_err(|error| format!("Port {port}: {error}."))?;
    println!("The shop listens on http://127.0.0.1:{port}.");
    thread::scope(|scope| {
        for stream in listener.incoming().flatten() {
            let checker = &checker;
            scope.spawn(move || answer(checker, stream));
        }
    });
    Ok(())
}
