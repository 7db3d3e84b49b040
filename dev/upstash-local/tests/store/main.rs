//! The local store: one suite over both engines, so that the embedded one cannot lie.
//!
//! The engine under test is the only thing that differs between `embedded::…` and `real_redis::…`.

mod cjson;
mod differential;
mod faults;
mod protocol;
mod restarts;
mod scripts;
mod server;

use serde_json::{Value as Json, json};
use upstash_local::{Reply, Request, Store};

const TOKEN: &str = "store-token";

/// Declares each named function once as a test of the embedded engine and once of a real Redis.
macro_rules! on_both_engines {
    ($($name:ident),* $(,)?) => {
        mod embedded {
            $(#[test]
            fn $name() -> Result<(), String> {
                super::$name(&upstash_local::Store::embedded(crate::TOKEN)?)
            })*
        }
        mod real_redis {
            $(#[test]
            fn $name() -> Result<(), String> {
                let redis = upstash_local::Redis::start()?;
                super::$name(&upstash_local::Store::redis(redis.url(), crate::TOKEN)?)
            })*
        }
    };
}
use on_both_engines;

/// Sends a request with the token and returns status and JSON.
fn send(store: &Store, method: &str, target: &str, body: &str) -> Result<(u16, Json), String> {
    let reply = store.answer(&Request {
        method,
        target,
        authorization: Some(&format!("Bearer {TOKEN}")),
        body: body.as_bytes(),
    });
    match reply {
        Reply::Answer { status, body } => {
            let json = serde_json::from_slice(&body).map_err(|error| error.to_string())?;
            Ok((status, json))
        }
        Reply::Dropped => Err("dropped".to_owned()),
    }
}

/// Posts one command.
fn post(store: &Store, command: &Json) -> Result<(u16, Json), String> {
    send(store, "POST", "/", &command.to_string())
}

/// Posts commands one after the other and compares each result.
fn expect(store: &Store, steps: &[(Json, Json)]) -> Result<(), String> {
    for (command, result) in steps {
        let answer = post(store, command)?;
        assert_eq!(answer, (200, json!({ "result": result })), "{command}");
    }
    Ok(())
}

/// Posts commands one after the other and compares each error.
fn expect_errors(store: &Store, steps: &[(Json, &str)]) -> Result<(), String> {
    for (command, error) in steps {
        let answer = post(store, command)?;
        assert_eq!(answer, (400, json!({ "error": error })), "{command}");
    }
    Ok(())
}
