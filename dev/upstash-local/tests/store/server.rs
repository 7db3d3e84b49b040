//! The same answers on a socket.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use serde_json::json;
use upstash_local::{Fault, Faults, Server, Store};

use crate::{TOKEN, on_both_engines};

on_both_engines!(
    one_connection_carries_many_requests,
    faults_look_on_the_wire_as_they_should,
    threads_draw_numbers_without_gap_or_repeat,
);

fn serve(store: &Store) -> Result<(Server, SocketAddr), String> {
    let server = Server::start(store.clone(), SocketAddr::from(([127, 0, 0, 1], 0)))?;
    let url = server.url();
    let address = url.strip_prefix("http://").ok_or("an http address")?;
    let address = address
        .parse()
        .map_err(|_| format!("{address} is no address"))?;
    Ok((server, address))
}

fn connect(address: SocketAddr) -> Result<TcpStream, String> {
    let stream = TcpStream::connect(address).map_err(|error| error.to_string())?;
    stream
        .set_nodelay(true)
        .map_err(|error| error.to_string())?;
    Ok(stream)
}

fn send(stream: &mut TcpStream, body: &str) -> Result<(), String> {
    let length = body.len();
    let request = format!(
        "POST / HTTP/1.1\r\nHost: store\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream
        .write_all(request.as_bytes())
        .map_err(|error| error.to_string())
}

/// Reads until the text ends with `end`, the connection ends, or nothing comes for long.
fn read_until(stream: &mut TcpStream, end: &str) -> Result<String, String> {
    let patience = Some(Duration::from_secs(20));
    stream
        .set_read_timeout(patience)
        .map_err(|error| error.to_string())?;
    let mut text = String::new();
    let mut buffer = [0; 4096];
    while !text.ends_with(end) {
        let Ok(read @ 1..) = stream.read(&mut buffer) else {
            break;
        };
        text += &String::from_utf8_lossy(buffer.get(..read).unwrap_or_default());
    }
    Ok(text)
}

fn one_connection_carries_many_requests(store: &Store) -> Result<(), String> {
    let (_server, address) = serve(store)?;
    let mut stream = connect(address)?;
    for number in 1..=100 {
        send(&mut stream, r#"["INCR","n"]"#)?;
        let expected = format!("{{\"result\":{number}}}");
        let answer = read_until(&mut stream, &expected)?;
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(
            answer.contains("content-type: application/json\r\n"),
            "{answer}"
        );
        assert!(answer.ends_with(&expected), "{answer}");
    }
    Ok(())
}

fn faults_look_on_the_wire_as_they_should(store: &Store) -> Result<(), String> {
    let (_server, address) = serve(store)?;
    let pause = Duration::from_secs(3);
    for fault in [Fault::Refuse, Fault::DropAnswer] {
        store.fail(Faults::always(fault));
        let mut stream = connect(address)?;
        send(&mut stream, r#"["INCR","n"]"#)?;
        assert_eq!(read_until(&mut stream, "never")?, "", "{fault:?}");
    }
    store.fail(Faults::always(Fault::Delay(pause)));
    let (mut stream, start) = (connect(address)?, Instant::now());
    send(&mut stream, r#"["INCR","n"]"#)?;
    let answer = read_until(&mut stream, r#"{"result":2}"#)?;
    assert!(
        answer.ends_with(r#"{"result":2}"#) && start.elapsed() >= pause,
        "{answer}"
    );

    store.fail(Faults::always(Fault::StallBody(pause)));
    let (mut stream, start) = (connect(address)?, Instant::now());
    send(&mut stream, r#"["INCR","n"]"#)?;
    let first = read_until(&mut stream, r#"{"resu"#)?;
    assert!(first.contains("content-length: 12\r\n"), "{first}");
    assert!(start.elapsed() < pause, "the first half came late");
    assert_eq!(read_until(&mut stream, "}")?, r#"lt":3}"#);
    assert!(start.elapsed() >= pause, "the second half came early");

    store.fail(Faults::always(Fault::Trickle(pause)));
    let (mut stream, start) = (connect(address)?, Instant::now());
    send(&mut stream, r#"["INCR","n"]"#)?;
    read_until(&mut stream, r#"{"result"#)?;
    assert!(start.elapsed() < pause, "the first piece came late");
    assert_eq!(read_until(&mut stream, "}")?, r#"":4}"#);
    assert!(start.elapsed() >= pause, "the second piece came early");
    Ok(())
}

fn threads_draw_numbers_without_gap_or_repeat(store: &Store) -> Result<(), String> {
    let (_server, address) = serve(store)?;
    let draw = || -> Result<(), String> {
        let mut stream = connect(address)?;
        for _ in 0..50 {
            send(&mut stream, r#"["HINCRBY","room","length",1]"#)?;
            read_until(&mut stream, "}")?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..20).map(|_| scope.spawn(draw)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().map_err(|_| "a thread panicked".to_owned())?)
    })?;
    assert_eq!(store.command(&["HGET", "room", "length"])?, json!("1000"));
    assert_eq!(store.calls(), 1000);
    Ok(())
}

#[test]
fn a_body_above_ten_megabytes_is_refused() -> Result<(), String> {
    let store = Store::embedded(TOKEN)?;
    let (_server, address) = serve(&store)?;
    let mut stream = connect(address)?;
    let head = format!(
        "POST / HTTP/1.1\r\nHost: store\r\nContent-Length: {}\r\n\r\n",
        11 << 20
    );
    stream
        .write_all(head.as_bytes())
        .map_err(|error| error.to_string())?;
    let answer = read_until(&mut stream, "}")?;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    Ok(())
}

#[test]
fn a_dropped_server_closes_its_connections_and_frees_its_port() -> Result<(), String> {
    let store = Store::embedded(TOKEN)?;
    let (server, address) = serve(&store)?;
    let mut stream = connect(address)?;
    send(&mut stream, r#"["PING"]"#)?;
    read_until(&mut stream, "}")?;
    drop(server);
    assert_eq!(read_until(&mut stream, "never")?, "");
    // Meanwhile another program's connection may have had the port.
    let is_free = (0..20).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        TcpListener::bind(address).is_ok()
    });
    assert!(is_free);
    let again = Server::start(store, address)?;
    assert_eq!(again.url(), format!("http://{address}"));
    Ok(())
}

#[test]
fn a_taken_port_is_named() -> Result<(), String> {
    let store = Store::embedded(TOKEN)?;
    let (_server, address) = serve(&store)?;
    let Err(error) = Server::start(store, address) else {
        return Err("two servers on one port".to_owned());
    };
    assert!(
        error.starts_with(&format!("The store cannot listen on {address}: ")),
        "{error}"
    );
    Ok(())
}
