//! What is logged of bytes that no client library would send.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::house::House;

const LONG: usize = 8192;

/// Bytes that no client library would send.
#[test]
fn no_line_is_longer_than_is_said() {
    let house = House::wasm_shared();
    house.set("log_query", "on");
    let long = [b"\"\t\xff".repeat(LONG / 3), b"x".to_vec()].concat();
    let path = "a".repeat(LONG / 2);
    for method in ["GET", "BREW", &"M".repeat(LONG)] {
        let mut request =
            format!("{method} /{path}?{path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n")
                .into_bytes();
        for name in ["Referer", "User-Agent", "Cookie"] {
            request.extend([name.as_bytes(), b": ", &long, b"\r\n"].concat());
        }
        let mut socket = TcpStream::connect(house.wasm_side().edge.addr()).unwrap();
        socket
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        socket.write_all(&[&request[..], b"\r\n"].concat()).unwrap();
        socket.read_to_end(&mut Vec::new()).unwrap();
    }
    let lines = house.log_of(2);
    assert!(lines.len() >= 2, "{lines:?}");
    for line in &lines {
        let length = |field: &str| line[field].as_str().unwrap().chars().count();
        assert_eq!(
            (length("requestUrl"), length("requestUserAgent")),
            (512, 512)
        );
    }
}
