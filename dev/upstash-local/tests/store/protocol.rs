//! Plain commands and the REST protocol around them.

use std::time::Duration;

use serde_json::{Value as Json, json};
use upstash_local::{Reply, Request, Store};

use crate::{TOKEN, expect, expect_errors, on_both_engines, post, send};

on_both_engines!(
    strings_are_set_read_and_deleted,
    hashes_count_and_list_their_fields,
    times_to_live_are_kept_and_rounded_as_in_redis,
    errors_are_worded_as_in_redis,
    numbers_and_booleans_become_strings,
    a_path_is_a_command,
    a_pipeline_answers_each_command,
    a_transaction_goes_on_after_a_failing_command,
    a_transaction_with_an_unreadable_command_does_nothing,
    requests_that_are_wrong_in_themselves_are_refused_and_not_counted,
    every_command_of_a_pipeline_counts,
    a_key_expires,
);

fn strings_are_set_read_and_deleted(store: &Store) -> Result<(), String> {
    expect(
        store,
        &[
            (json!(["PING"]), json!("PONG")),
            (json!(["GET", "k"]), json!(null)),
            (json!(["SET", "k", "v"]), json!("OK")),
            (json!(["set", "k", "w", "NX"]), json!(null)),
            (json!(["GET", "k"]), json!("v")),
            (json!(["EXISTS", "k", "k", "none"]), json!(2)),
            (json!(["INCR", "n"]), json!(1)),
            (json!(["INCRBY", "n", 41]), json!(42)),
            (json!(["GET", "n"]), json!("42")),
            (json!(["DBSIZE"]), json!(2)),
            (json!(["DEL", "k", "n", "none"]), json!(2)),
            (json!(["UNLINK", "k"]), json!(0)),
            (json!(["SET", "k", "ü\n\"€"]), json!("OK")),
            (json!(["GET", "k"]), json!("ü\n\"€")),
            (json!(["FLUSHALL"]), json!("OK")),
            (json!(["DBSIZE"]), json!(0)),
        ],
    )
}

fn hashes_count_and_list_their_fields(store: &Store) -> Result<(), String> {
    expect(
        store,
        &[
            (json!(["HSET", "h", "a", 1, "b", "x"]), json!(2)),
            (json!(["HSET", "h", "a", 2, "c", "y"]), json!(1)),
            (json!(["HGET", "h", "a"]), json!("2")),
            (json!(["HGET", "h", "none"]), json!(null)),
            (
                json!(["HMGET", "h", "a", "none", "b"]),
                json!(["2", null, "x"]),
            ),
            (json!(["HINCRBY", "h", "a", -5]), json!(-3)),
            (json!(["HEXISTS", "h", "a"]), json!(1)),
            (json!(["HDEL", "h", "a", "none"]), json!(1)),
            (json!(["HGETALL", "h"]), json!(["b", "x", "c", "y"])),
            (json!(["HGETALL", "none"]), json!([])),
            (json!(["HDEL", "h", "b", "c"]), json!(2)),
            (json!(["EXISTS", "h"]), json!(0)),
        ],
    )
}

fn times_to_live_are_kept_and_rounded_as_in_redis(store: &Store) -> Result<(), String> {
    // No time passes in a script. After 50 400 ms were set, almost a second may.
    let at_once = "redis.call(unpack(ARGV)) return redis.call('TTL', KEYS[1])";
    expect(
        store,
        &[
            (json!(["TTL", "k"]), json!(-2)),
            (
                json!(["EVAL", at_once, 1, "k", "SET", "k", "v", "EX", 100]),
                json!(100),
            ),
            (json!(["SET", "k", "v", "PX", 100_000, "NX"]), json!(null)),
            (json!(["INCR", "n"]), json!(1)),
            (json!(["PEXPIRE", "n", 50_400]), json!(1)),
            (json!(["INCR", "n"]), json!(2)),
            (json!(["TTL", "n"]), json!(50)),
            (json!(["SET", "n", 1]), json!("OK")),
            (json!(["PTTL", "n"]), json!(-1)),
            (
                json!(["EVAL", at_once, 1, "n", "PEXPIRE", "n", 9_900]),
                json!(10),
            ),
            (
                json!(["EVAL", at_once, 1, "n", "PEXPIRE", "n", 10_400]),
                json!(10),
            ),
            (
                json!(["EVAL", at_once, 1, "n", "EXPIRE", "n", 50]),
                json!(50),
            ),
            (json!(["EXPIRE", "n", -1]), json!(1)),
            (json!(["EXISTS", "n"]), json!(0)),
            (json!(["EXPIRE", "n", 5]), json!(0)),
        ],
    )
}

fn errors_are_worded_as_in_redis(store: &Store) -> Result<(), String> {
    let wrong_type = "WRONGTYPE Operation against a key holding the wrong kind of value";
    let not_integer = "ERR value is not an integer or out of range";
    expect(store, &[(json!(["SET", "s", "text"]), json!("OK"))])?;
    expect_errors(
        store,
        &[
            (
                json!(["HSET", "h"]),
                "ERR wrong number of arguments for 'hset' command",
            ),
            (
                json!(["HSET", "h", "a", 1, "b"]),
                "ERR wrong number of arguments for 'hset' command",
            ),
            (json!(["HGET", "s", "f"]), wrong_type),
            (json!(["INCR", "s"]), not_integer),
            (json!(["INCRBY", "n", "1.5"]), not_integer),
            (
                json!(["SET", "k", "v", "EX", 0]),
                "ERR invalid expire time in 'set' command",
            ),
            (json!(["SET", "k", "v", "EX"]), "ERR syntax error"),
            (
                json!(["EXPIRE", "k", i64::MAX]),
                "ERR invalid expire time in 'expire' command",
            ),
            (
                json!(["NoSuch", "a", 1]),
                "ERR unknown command 'NoSuch', with args beginning with: 'a' '1' ",
            ),
            (
                json!(["SCRIPT", "x"]),
                "ERR unknown subcommand 'x'. Try SCRIPT HELP.",
            ),
        ],
    )
}

fn numbers_and_booleans_become_strings(store: &Store) -> Result<(), String> {
    expect(
        store,
        &[
            (json!(["HSET", "h", "a", 1.5, "b", true, "c", -7]), json!(3)),
            (
                json!(["HMGET", "h", "a", "b", "c"]),
                json!(["1.5", "true", "-7"]),
            ),
        ],
    )
}

fn a_path_is_a_command(store: &Store) -> Result<(), String> {
    let set = send(store, "GET", "/set/a%20key/a%2Fb?x=y", "")?;
    assert_eq!(set, (200, json!({ "result": "OK" })));
    let got = send(store, "POST", "/get/a%20key", "")?;
    assert_eq!(got, (200, json!({ "result": "a/b" })));
    let set = send(store, "POST", "/set/k", "the body")?;
    assert_eq!(set, (200, json!({ "result": "OK" })));
    expect(store, &[(json!(["GET", "k"]), json!("the body"))])
}

fn a_pipeline_answers_each_command(store: &Store) -> Result<(), String> {
    let body = json!([
        ["SET", "k", "v"],
        ["HGET", "k", "f"],
        ["NOSUCH"],
        ["GET", "k"]
    ]);
    let answer = send(store, "POST", "/pipeline", &body.to_string())?;
    let expected = json!([
        { "result": "OK" },
        { "error": "WRONGTYPE Operation against a key holding the wrong kind of value" },
        { "error": "ERR unknown command 'NOSUCH', with args beginning with: " },
        { "result": "v" },
    ]);
    assert_eq!(answer, (200, expected));
    Ok(())
}

fn a_transaction_goes_on_after_a_failing_command(store: &Store) -> Result<(), String> {
    let body = json!([["SET", "k", "v"], ["INCR", "k"], ["INCR", "n"]]);
    let answer = send(store, "POST", "/multi-exec", &body.to_string())?;
    let expected = json!([
        { "result": "OK" },
        { "error": "ERR value is not an integer or out of range" },
        { "result": 1 },
    ]);
    assert_eq!(answer, (200, expected));
    Ok(())
}

fn a_transaction_with_an_unreadable_command_does_nothing(store: &Store) -> Result<(), String> {
    let discarded = "EXECABORT Transaction discarded because of previous errors.";
    for wrong in [json!(["NOSUCH"]), json!(["GET"])] {
        let body = json!([["SET", "k", "v"], wrong]);
        let answer = send(store, "POST", "/multi-exec", &body.to_string())?;
        assert_eq!(answer, (400, json!({ "error": discarded })));
    }
    expect(store, &[(json!(["EXISTS", "k"]), json!(0))])
}

fn requests_that_are_wrong_in_themselves_are_refused_and_not_counted(
    store: &Store,
) -> Result<(), String> {
    let refused = [
        ("DELETE", "/", r#"["PING"]"#, 405),
        ("GET", "/", "", 405),
        ("GET", "/pipeline", "", 405),
        ("POST", "/", "", 400),
        ("POST", "/", "[", 400),
        ("POST", "/", "[]", 400),
        ("POST", "/", r#"["GET", null]"#, 400),
        ("POST", "/", r#"[["GET", "k"]]"#, 400),
        ("POST", "/pipeline", r#"["GET", "k"]"#, 400),
        ("POST", "/pipeline", "[]", 400),
        ("POST", "/", &" ".repeat(10 * 1024 * 1024 + 1), 413),
    ];
    for (method, target, body, status) in refused {
        let (given, json) = send(store, method, target, body)?;
        assert_eq!(given, status, "{method} {target}");
        assert!(json.get("error").is_some_and(Json::is_string), "{json}");
    }
    for authorization in [
        None,
        Some("Bearer wrong"),
        Some("Basic store-token"),
        Some(""),
    ] {
        let reply = store.answer(&Request {
            method: "POST",
            target: "/",
            authorization,
            body: br#"["PING"]"#,
        });
        let body = br#"{"error":"WRONGPASS invalid or missing auth token"}"#.to_vec();
        assert_eq!(reply, Reply::Answer { status: 401, body });
    }
    let reply = store.answer(&Request {
        method: "POST",
        target: &format!("/?_token={TOKEN}"),
        authorization: None,
        body: br#"["PING"]"#,
    });
    let body = br#"{"result":"PONG"}"#.to_vec();
    assert_eq!(reply, Reply::Answer { status: 200, body });
    assert_eq!((store.calls(), store.commands()), (1, 1));
    Ok(())
}

fn every_command_of_a_pipeline_counts(store: &Store) -> Result<(), String> {
    post(store, &json!(["PING"]))?;
    post(store, &json!(["NOSUCH"]))?;
    send(store, "POST", "/pipeline", r#"[["PING"],["PING"]]"#)?;
    send(store, "POST", "/multi-exec", r#"[["PING"],["PING"]]"#)?;
    store.command(&["PING"])?;
    assert_eq!((store.calls(), store.commands()), (4, 6));
    store.reset_counts();
    assert_eq!((store.calls(), store.commands()), (0, 0));
    Ok(())
}

fn a_key_expires(store: &Store) -> Result<(), String> {
    store.command(&["SET", "k", "v", "PX", "20"])?;
    std::thread::sleep(Duration::from_millis(25));
    assert_eq!(store.command(&["GET", "k"])?, json!(null));
    assert_eq!(store.command(&["TTL", "k"])?, json!(-2));
    Ok(())
}

#[test]
fn a_store_at_a_time_stands_still_until_it_is_advanced() -> Result<(), String> {
    let store = Store::embedded_at(TOKEN, Duration::from_millis(1_800_000_000_500))?;
    let time = |store: &Store| store.command(&["EVAL", "return redis.call('TIME')", "0"]);
    assert_eq!(time(&store)?, json!(["1800000000", "500000"]));
    std::thread::sleep(Duration::from_millis(2));
    assert_eq!(time(&store)?, json!(["1800000000", "500000"]));
    store.advance(Duration::from_secs(1));
    assert_eq!(time(&store)?, json!(["1800000001", "500000"]));
    Ok(())
}

#[test]
fn the_embedded_clock_can_be_moved() -> Result<(), String> {
    let store = Store::embedded(TOKEN)?;
    store.command(&["SET", "k", "v", "PX", "60400"])?;
    store.advance(Duration::from_secs(59));
    assert_eq!(store.command(&["TTL", "k"])?, json!(1));
    store.advance(Duration::from_secs(2));
    assert_eq!(store.command(&["DBSIZE"])?, json!(0));
    Ok(())
}

#[test]
fn a_redis_that_is_not_there_is_named() -> Result<(), String> {
    let Err(error) = Store::redis("redis://127.0.0.1:1", TOKEN) else {
        return Err("port 1 answered".to_owned());
    };
    assert!(
        error.contains("redis://127.0.0.1:1 did not answer"),
        "{error}"
    );
    let Err(error) = Store::redis("nonsense", TOKEN) else {
        return Err("nonsense was an address".to_owned());
    };
    assert!(error.contains("\"nonsense\" is no address"), "{error}");
    Ok(())
}
