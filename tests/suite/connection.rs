//! A visitor's own connection to the edge, kept open: what is sent and what is read are two steps.
//!
//! A client library reads the answer before it lets go; crowds that all send first, and visitors who leave without
//! reading, need the two apart.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crate::house::{Ask, Got};

/// No answer takes this long unless none comes.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(30);

/// Dropping it leaves, read or unread.
pub(crate) struct Connection(BufReader<TcpStream>);

impl Connection {
    pub(crate) fn open(edge: SocketAddr) -> Self {
        let socket = TcpStream::connect(edge).unwrap();
        socket.set_nodelay(true).unwrap();
        socket.set_read_timeout(Some(LOOKUP_TIMEOUT)).unwrap();
        Self(BufReader::new(socket))
    }

    pub(crate) fn ask(&mut self, ask: &Ask) -> Got {
        self.send(ask);
        self.answer()
    }

    /// Only requests without a body are sent this way.
    pub(crate) fn send(&mut self, ask: &Ask) {
        let mut bytes = format!("{} {} HTTP/1.1\r\n", ask.method, ask.target).into_bytes();
        if ask.headers.iter().all(|(name, _)| *name != "host") {
            bytes.extend(b"host: 127.0.0.1\r\n");
        }
        for (name, value) in &ask.headers {
            bytes.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
        }
        bytes.extend(b"\r\n");
        self.0.get_mut().write_all(&bytes).unwrap();
    }

    /// The next answer. Ours carry a header by which they can be told from the origin's.
    pub(crate) fn answer(&mut self) -> Got {
        let head = self.head();
        let status = head[0].split(' ').nth(1).unwrap().parse().unwrap();
        let headers = head[1..].iter().map(|line| {
            let (name, value) = line.split_once(':').unwrap();
            (name.to_ascii_lowercase(), value.trim().to_owned())
        });
        let mut got = Got {
            status,
            headers: headers.collect(),
            body: String::new(),
            inside: false,
        };
        got.body = self.body(&got);
        got.inside = got.header("x-content-type-options").is_empty();
        got
    }

    fn head(&mut self) -> Vec<String> {
        let mut head = Vec::new();
        loop {
            let line = self.line();
            if line.is_empty() {
                return head;
            }
            head.push(line);
        }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        assert!(line.ends_with("\r\n"), "the edge hung up after {line:?}");
        line.truncate(line.len() - 2);
        line
    }

    fn body(&mut self, got: &Got) -> String {
        let mut body = Vec::new();
        if got.header("transfer-encoding") == "chunked" {
            loop {
                let length = usize::from_str_radix(&self.line(), 16).unwrap();
                self.read(length, &mut body);
                self.line();
                if length == 0 {
                    break;
                }
            }
        } else {
            self.read(got.header("content-length").parse().unwrap(), &mut body);
        }
        String::from_utf8(body).unwrap()
    }

    fn read(&mut self, length: usize, body: &mut Vec<u8>) {
        let begin = body.len();
        body.resize(begin + length, 0);
        self.0.read_exact(&mut body[begin..]).unwrap();
    }
}
