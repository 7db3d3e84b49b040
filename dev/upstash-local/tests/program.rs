//! The program `upstash-local`, as a child that is asked over HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use upstash_local::Redis;

/// Ended when dropped.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing left to kill.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_upstash-local"));
    command
        .env_remove("UPSTASH_LOCAL_TOKEN")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Starts it on a free port, and reads which.
fn start(command: &mut Command) -> Result<(Program, String), String> {
    let child = command.args(["--addr", "127.0.0.1:0"]).spawn();
    let mut program = Program(child.map_err(|error| error.to_string())?);
    let stdout = program.0.stdout.take().ok_or("its output")?;
    let mut line = String::new();
    let read = BufReader::new(stdout).read_line(&mut line);
    read.map_err(|error| error.to_string())?;
    let addr = line.trim_end().strip_prefix("http://");
    let addr = addr.ok_or_else(|| format!("it says {line:?}"))?.to_owned();
    Ok((program, addr))
}

fn ask(addr: &str, token: &str, body: &str) -> Result<String, String> {
    let length = body.len();
    let request = format!(
        "POST / HTTP/1.1\r\nHost: store\r\nConnection: close\r\nAuthorization: Bearer {token}\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    let mut answer = String::new();
    let asked = TcpStream::connect(addr).and_then(|mut stream| {
        stream.write_all(request.as_bytes())?;
        stream.read_to_string(&mut answer)
    });
    asked.map_err(|error| error.to_string())?;
    Ok(answer)
}

#[test]
fn it_says_where_it_listens_and_answers_from_memory() -> Result<(), String> {
    let (_program, addr) = start(&mut command())?;
    let answer = ask(&addr, "local", r#"["EVAL","return 7",0]"#)?;
    assert!(answer.ends_with(r#"{"result":7}"#), "{answer}");
    let refused = ask(&addr, "wrong", r#"["PING"]"#)?;
    assert!(refused.starts_with("HTTP/1.1 401 "), "{refused}");
    Ok(())
}

#[test]
fn the_token_is_read_from_the_environment() -> Result<(), String> {
    let (_program, addr) = start(command().env("UPSTASH_LOCAL_TOKEN", "mine"))?;
    let answer = ask(&addr, "mine", r#"["PING"]"#)?;
    assert!(answer.ends_with(r#"{"result":"PONG"}"#), "{answer}");
    let refused = ask(&addr, "local", r#"["PING"]"#)?;
    assert!(refused.starts_with("HTTP/1.1 401 "), "{refused}");
    Ok(())
}

#[test]
fn with_a_redis_that_is_what_answers() -> Result<(), String> {
    let redis = Redis::start()?;
    let (program, addr) = start(command().args(["--redis", redis.url()]))?;
    ask(&addr, "local", r#"["SET","kept","there"]"#)?;
    drop(program);
    let (_program, addr) = start(command().args(["--redis", redis.url()]))?;
    let answer = ask(&addr, "local", r#"["GET","kept"]"#)?;
    assert!(answer.ends_with(r#"{"result":"there"}"#), "{answer}");
    Ok(())
}

#[test]
fn what_it_cannot_do_ends_it_with_a_reason() -> Result<(), String> {
    for (words, reason) in [
        (&["--port"][..], "There is no option --port."),
        (&["--redis", "nowhere"][..], "\"nowhere\" is no address"),
    ] {
        let output = command().args(words).output();
        let output = output.map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && said.starts_with(reason),
            "{said}"
        );
    }
    Ok(())
}
