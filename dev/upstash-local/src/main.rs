//! `upstash-local`: the store on a port, until it is ended.

use std::net::{SocketAddr, ToSocketAddrs};
use std::process::ExitCode;

use upstash_local::{Server, Store};

const USAGE: &str = "\
A store for development that speaks Upstash's REST protocol.

Usage: upstash-local [--addr HOST:PORT] [--redis URL]

  --addr HOST:PORT  where it listens; port 0 takes a free one [default: 127.0.0.1:8079]
  --redis URL       answer from this Redis, such as redis://127.0.0.1:6379, instead of from memory
  --help            this text

The token that callers must send is in UPSTASH_LOCAL_TOKEN [default: local].
";

/// Read when there is no other token.
const TOKEN: &str = "local";
const ADDR: &str = "127.0.0.1:8079";

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
enum Wish {
    Help,
    Serve {
        addr: SocketAddr,
        redis: Option<String>,
    },
}

fn main() -> ExitCode {
    match Wish::read(std::env::args().skip(1)).and_then(fulfil) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn fulfil(wish: Wish) -> Result<(), String> {
    match wish {
        Wish::Help => print!("{USAGE}"),
        Wish::Serve { addr, redis } => serve(addr, redis.as_deref())?,
    }
    Ok(())
}

/// Ends with an error or with the process.
fn serve(addr: SocketAddr, redis: Option<&str>) -> Result<(), String> {
    let token = std::env::var("UPSTASH_LOCAL_TOKEN").unwrap_or_else(|_| TOKEN.to_owned());
    let store = match redis {
        Some(url) => Store::redis(url, &token)?,
        None => Store::embedded(&token)?,
    };
    let server = Server::start(store, addr)?;
    println!("{}", server.url());
    loop {
        std::thread::park();
    }
}

impl Wish {
    fn read(words: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let (mut addr, mut redis) = (ADDR.to_owned(), None);
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let mut value = || {
                let value = words.next();
                value.ok_or_else(|| format!("{word} needs a value.\n\n{USAGE}"))
            };
            match word.as_str() {
                "--help" | "-h" => return Ok(Self::Help),
                "--addr" => addr = value()?,
                "--redis" => redis = Some(value()?),
                _ => return Err(format!("There is no option {word}.\n\n{USAGE}")),
            }
        }
        let addr = address(&addr)?;
        Ok(Self::Serve { addr, redis })
    }
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let mut found = text.to_socket_addrs().into_iter().flatten();
    found.next().ok_or_else(|| {
        format!(
            "--addr {text}: accepted is HOST:PORT, such as {ADDR}, with a host that is known here."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Wish, String> {
        Wish::read(words.iter().map(|&word| word.to_owned()))
    }

    #[test]
    fn without_options_it_serves_from_memory_on_this_machine_only() {
        let addr = SocketAddr::from(([127, 0, 0, 1], 8079));
        assert_eq!(read(&[]), Ok(Wish::Serve { addr, redis: None }));
    }

    #[test]
    fn options_say_where_it_listens_and_what_answers() {
        let addr = SocketAddr::from(([0, 0, 0, 0], 1));
        let redis = Some("redis://a".to_owned());
        assert_eq!(
            read(&["--redis", "redis://a", "--addr", "0.0.0.0:1"]),
            Ok(Wish::Serve { addr, redis })
        );
        assert_eq!(read(&["--redis", "redis://a", "--help"]), Ok(Wish::Help));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for (words, named) in [
            (&["--port", "1"][..], "There is no option --port."),
            (&["--addr"][..], "--addr needs a value."),
            (&["--addr", "1"][..], "--addr 1: accepted is HOST:PORT"),
        ] {
            let refused = read(words);
            assert!(
                refused
                    .as_ref()
                    .is_err_and(|error| error.starts_with(named)),
                "{refused:?}"
            );
        }
    }
}
