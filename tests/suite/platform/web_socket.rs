//! The `WebSocket` of a visitor who may go to the origin: the local server hands it over as the platform does, where the
//! product for it is switched on.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use crate::house::{ANY_PORT, Ask, House, Visitor};

/// No answer takes this long unless none comes.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(20);

/// The handshake's key and its answer in RFC 6455 1.3, and the text "Hello" of 5.7, masked and not.
const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";
const ACCEPT: &str = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";
const MASKED: [u8; 11] = [
    0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58,
];
const PLAIN: [u8; 7] = [0x81, 0x05, b'H', b'e', b'l', b'l', b'o'];

/// An origin with sockets at `/live`, and refusals elsewhere. It says which requests it gets, and repeats each frame
/// that a client sends.
struct Origin {
    url: String,
    heads: Receiver<String>,
}

impl Origin {
    fn start() -> Self {
        let listener = TcpListener::bind(ANY_PORT).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (tell, heads) = channel();
        thread::spawn(move || {
            for socket in listener.incoming() {
                let (mut socket, tell) = (socket.unwrap(), tell.clone());
                thread::spawn(move || {
                    let head = head(&mut socket);
                    let is_live = head.starts_with("GET /live ");
                    let _ = tell.send(head);
                    if is_live {
                        converse(&mut socket);
                    } else {
                        let refusal = b"HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno";
                        let _ = socket.write_all(refusal);
                    }
                });
            }
        });
        Self { url, heads }
    }

    /// The next request that is for something; the local server looks whether its backends are there.
    fn next(&self) -> String {
        loop {
            let head = self.heads.recv_timeout(LOOKUP_TIMEOUT).unwrap();
            if !head.starts_with("GET / ") {
                return head.to_ascii_lowercase();
            }
        }
    }
}

fn converse(socket: &mut TcpStream) {
    let accepted = format!(
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: {ACCEPT}\r\n\r\n"
    );
    socket.write_all(accepted.as_bytes()).unwrap();
    let mut frame = MASKED;
    while socket.read_exact(&mut frame).is_ok() {
        let [kind, length, mask @ ..] = frame;
        let mut plain = vec![kind, length & 0x7f];
        let (mask, text) = mask.split_at(4);
        plain.extend(
            text.iter()
                .zip(mask.iter().cycle())
                .map(|(byte, mask)| byte ^ mask),
        );
        socket.write_all(&plain).unwrap();
    }
}

/// Up to the empty line.
fn head(socket: &mut TcpStream) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && socket.read(&mut byte).is_ok_and(|read| read == 1) {
        head.extend(byte);
    }
    String::from_utf8(head).unwrap()
}

/// A client's handshake: the connection, and what was answered.
fn shake(house: &House, path: &str, more: &str) -> (TcpStream, String) {
    let mut socket = TcpStream::connect(house.wasm_side().edge.addr()).unwrap();
    socket.set_read_timeout(Some(LOOKUP_TIMEOUT)).unwrap();
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {KEY}\r\n{more}\r\n"
    );
    socket.write_all(request.as_bytes()).unwrap();
    let answer = head(&mut socket);
    (socket, answer)
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or_default()
}

/// Twice, so that it is no single answer that came through.
fn assert_it_is_connected(mut socket: TcpStream, answer: &str) {
    assert_eq!(status(answer), "101", "{answer}");
    assert!(answer.contains(ACCEPT), "{answer}");
    for _ in 0..2 {
        socket.write_all(&MASKED).unwrap();
        let mut echo = PLAIN;
        echo.fill(0);
        socket.read_exact(&mut echo).unwrap();
        assert_eq!(echo, PLAIN);
    }
}

#[test]
fn a_web_socket_of_a_visitor_inside_reaches_the_origin_and_no_other_does() {
    let origin = Origin::start();
    let house = House::wasm_with_origin(&origin.url);
    house.set("websockets", "on");
    house.permit(1);
    let mut visitor = Visitor::new(&house);
    assert_eq!(visitor.ask("/page").status, 403, "the origin's own answer");
    assert!(origin.next().contains("queue-position: 1\r\n"));
    let ticket = visitor.ticket.unwrap();
    let inside = format!(
        "Cookie: shop=1; queue={ticket}; theme=dark\r\nX-Forwarded-For: 192.0.2.9\r\nQueue_Pass: forged\r\n"
    );
    let (socket, answer) = shake(&house, "/a/../live", &inside);
    assert_it_is_connected(socket, &answer);
    let seen = origin.next();
    for line in [
        "get /live http/1.1\r\n",
        "upgrade: websocket\r\n",
        "connection: upgrade\r\n",
        "cookie: shop=1; theme=dark\r\n",
        "queue-position: 1\r\n",
        "queue-pass: ey",
        "x-forwarded-for: 127.0.0.1\r\n",
        "x-forwarded-host: 127.0.0.1\r\n",
    ] {
        assert!(seen.contains(line), "{line}: {seen}");
    }
    for forged in ["192.0.2.9", "forged", "queue=ey"] {
        assert!(!seen.contains(forged), "{forged}: {seen}");
    }
    let (_, refused) = shake(&house, "/other", &inside);
    assert_eq!(status(&refused), "403", "as the origin says: {refused}");
    origin.next();
    let calls = house.calls(|| {
        for cookie in [
            "",
            "Cookie: queue=nonsense\r\n",
            "Sec-Fetch-Site: cross-site\r\n",
        ] {
            let (_, answer) = shake(&house, "/live", cookie);
            assert_eq!(status(&answer), "503", "{answer}");
            assert!(!answer.contains("set-cookie"), "{answer}");
        }
    });
    assert_eq!(calls, 0, "no number is drawn");
    assert!(origin.heads.try_recv().is_err(), "none of them got through");
    let (_, answer) = shake(&house, "/_queue/place", &inside);
    assert_eq!(status(&answer), "200", "our own routes take none: {answer}");
    for body in [
        "Content-Length: 2\r\n\r\nab",
        "Transfer-Encoding: chunked\r\n\r\n0\r\n",
    ] {
        let (_, answer) = shake(&house, "/live", &format!("{inside}{body}"));
        assert_eq!(status(&answer), "400", "{body}: {answer}");
    }
    let named = format!("{inside}Connection: Queue-Pass, X-Forwarded-For\r\n");
    let (_, answer) = shake(&house, "/live", &named);
    assert_eq!(
        status(&answer),
        "400",
        "nothing of ours is dropped: {answer}"
    );
    house.set("bypass_paths", "/live");
    let (socket, answer) = shake(&house, "/live", "");
    assert_it_is_connected(socket, &answer);
    assert!(!origin.next().contains("queue-pass"));
    house.set("bypass_paths", "none");
    house.set("protected_paths", "/checkout");
    let (socket, answer) = shake(&house, "/live", "");
    assert_it_is_connected(socket, &answer);
    origin.next();
    assert!(
        house.ask(&Ask::get("/_queue/healthz")).status == 200,
        "and it goes on"
    );
}

#[test]
fn where_the_platform_hands_over_no_web_socket_its_client_learns_so() {
    let origin = Origin::start();
    let house = House::wasm_without_web_sockets(&origin.url);
    house.set("websockets", "on");
    house.set("bypass_paths", "/live");
    let (_, answer) = shake(&house, "/live", "");
    assert_eq!(status(&answer), "501", "{answer}");
    assert!(answer.contains("application/problem+json"), "{answer}");
    assert!(
        house.ask(&Ask::get("/_queue/healthz")).status == 200,
        "and it goes on"
    );
}
