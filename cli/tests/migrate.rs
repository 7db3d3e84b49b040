//! `now-serving migrate`, against the local store over HTTP.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::net::SocketAddr;
use std::process::Command;

use now_serving::http::moment::moment;
use serde_json::Value;
use upstash_local::{Server, Store};

const TOKEN: &str = "development-only-token";

/// The exit code, stdout and stderr.
fn migrate(url: &str, token: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_now-serving-cli"));
    command.args(["migrate", "--store", url]);
    let output = command
        .env("UPSTASH_REDIS_REST_TOKEN", token)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (said, complained) = (text(output.stdout), text(output.stderr));
    if !token.is_empty() {
        assert!(!said.contains(token) && !complained.contains(token));
    }
    (output.status.code(), said, complained)
}

#[test]
fn the_line_of_the_kit_is_taken_over_once_and_the_setting_is_printed() {
    let store = Store::embedded(TOKEN).unwrap();
    let server = Server::start(store.clone(), SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    let run = |token| migrate(&server.url(), token);

    let (code, said, complained) = run(TOKEN);
    assert_eq!((code, said.as_str()), (Some(1), ""));
    assert!(complained.contains("nothing to take over"), "{complained}");
    store.command(&["SET", "queue:cursor", "3"]).unwrap();
    store.command(&["SET", "queue:length", "7"]).unwrap();
    let (code, _, complained) = run("another token");
    assert_eq!(code, Some(1));
    assert!(complained.contains("401"), "{complained}");
    let (code, _, complained) = run("");
    assert_eq!(code, Some(1));
    assert!(
        complained.contains("UPSTASH_REDIS_REST_TOKEN"),
        "{complained}"
    );

    // What an operator has set already stays.
    store
        .command(&["HSET", "queue:{main}", "mode", "hold"])
        .unwrap();
    let (code, said, complained) = run(TOKEN);
    assert_eq!(code, Some(0), "{complained}");
    let mode = store.command(&["HGET", "queue:{main}", "mode"]).unwrap();
    assert_eq!(mode, "hold");
    assert!(
        complained.contains("up to 7, and the sign shows 3"),
        "{complained}"
    );
    let setting: Value = serde_json::from_str(&said).unwrap();
    let kit = setting.get("kit").unwrap();
    assert_eq!(kit.get("numbers").unwrap(), 7);
    let [until, born] = ["until", "born"].map(|name| kit.get(name).unwrap());
    let until = moment(until.as_str().unwrap()).unwrap();
    let ahead = until - born.as_u64().unwrap();
    assert!((86_398_000..86_460_000).contains(&ahead), "{ahead}");

    store.command(&["SET", "queue:length", "9"]).unwrap();
    let (code, again, complained) = run(TOKEN);
    assert_eq!(code, Some(0), "{complained}");
    assert!(
        complained.contains("taken over before") && complained.contains("2 numbers"),
        "{complained}"
    );
    let again: Value = serde_json::from_str(&again).unwrap();
    assert_eq!(again.pointer("/kit/born"), kit.get("born"));

    // A room that visitors have drawn in keeps its line.
    store.command(&["HDEL", "queue:{main}", "kit"]).unwrap();
    let (code, said, complained) = run(TOKEN);
    assert_eq!((code, said.as_str()), (Some(1), ""));
    assert!(complained.contains("a line of its own"), "{complained}");
}
