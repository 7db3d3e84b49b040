//! Scripts: conversions, the sandbox, the cache, atomicity.

use std::thread;

use serde_json::{Value as Json, json};
use upstash_local::Store;

use crate::{TOKEN, expect, expect_errors, on_both_engines};

on_both_engines!(
    values_are_converted_as_redis_documents,
    a_script_reads_and_writes_its_keys,
    an_error_names_the_script_and_the_line,
    a_caught_error_is_a_string_and_pcall_gives_a_table,
    the_sandbox_is_closed,
    scripts_are_known_by_their_hash,
    a_restart_forgets_scripts_and_an_empty_one_everything,
    scripts_are_atomic,
);

fn eval(source: &str) -> Json {
    json!(["EVAL", source, 1, "k", "argument"])
}

fn values_are_converted_as_redis_documents(store: &Store) -> Result<(), String> {
    let nested = "return {1, 2.9, -2.9, 'x', true, {false, {ok = 'FINE'}}, nil, 3}";
    expect(
        store,
        &[
            (eval("return 3.99"), json!(3)),
            (eval("return 2^53"), json!(9_007_199_254_740_992_i64)),
            (eval("return nil"), json!(null)),
            (eval("return false"), json!(null)),
            (eval("return true"), json!(1)),
            (eval("return {}"), json!([])),
            (eval(nested), json!([1, 2, -2, "x", 1, [null, "FINE"]])),
            (eval("return redis.status_reply('FINE')"), json!("FINE")),
            (
                eval("return type(redis.call('get', KEYS[1]))"),
                json!("boolean"),
            ),
            (
                eval("return redis.call('set', KEYS[1], 1.5).ok"),
                json!("OK"),
            ),
            (eval("return redis.call('get', KEYS[1])"), json!("1.5")),
        ],
    )?;
    expect_errors(
        store,
        &[
            (eval("return redis.error_reply('one')"), "ERR one"),
            (eval("return redis.error_reply('-TWO words')"), "TWO words"),
            (eval("return {err = 'as it is'}"), "as it is"),
        ],
    )
}

fn a_script_reads_and_writes_its_keys(store: &Store) -> Result<(), String> {
    let source = "
        local length = redis.call('HINCRBY', KEYS[1], 'length', ARGV[1])
        redis.call('SET', KEYS[2], length, 'PX', 60400)
        return {length, redis.call('HMGET', KEYS[1], 'length', 'none'), redis.call('GET', KEYS[2])}";
    let command = json!(["EVAL", source, 2, "room", "join:1", 5]);
    expect(
        store,
        &[
            (command.clone(), json!([5, ["5", null], "5"])),
            (command, json!([10, ["10", null], "10"])),
            (json!(["TTL", "join:1"]), json!(60)),
        ],
    )
}

fn an_error_names_the_script_and_the_line(store: &Store) -> Result<(), String> {
    store.command(&["SET", "k", "text"])?;
    let cases = [
        (
            "return redis.call('hget', KEYS[1], 'f')",
            1,
            "WRONGTYPE Operation against a key holding the wrong kind of value",
        ),
        (
            "\nreturn redis.call('get')",
            2,
            "ERR Wrong number of args calling Redis command from script",
        ),
        (
            "return redis.call('nosuch')",
            1,
            "ERR Unknown Redis command called from script",
        ),
        (
            "return redis.call('eval', 'return 1', 0)",
            1,
            "ERR This Redis command is not allowed from script",
        ),
        (
            "return redis.call('get', {})",
            1,
            "ERR Lua redis lib command arguments must be strings or integers",
        ),
        ("\n\nerror('x')", 3, "ERR user_script:3: x"),
        ("error({err = 'MY error'})", 1, "MY error"),
        (
            "local function f()\nreturn nil + 1 end\nreturn f()",
            2,
            "ERR user_script:2: attempt to perform arithmetic on a nil value",
        ),
        (
            "return string.rep()",
            1,
            "ERR user_script:1: bad argument #1 to 'rep' (string expected, got no value)",
        ),
    ];
    for (source, line, error) in cases {
        let loaded = store.command(&["SCRIPT", "LOAD", source])?;
        let sha = loaded.as_str().ok_or("SCRIPT LOAD answers a string")?;
        let expected = format!("{error} script: {sha}, on @user_script:{line}.");
        expect_errors(store, &[(eval(source), &expected)])?;
    }
    let compiling =
        "ERR Error compiling script (new function): user_script:1: '=' expected near '1'";
    let no_keys = "ERR Number of keys can't be greater than number of args";
    expect_errors(
        store,
        &[
            (eval("retrn 1"), compiling),
            (json!(["EVAL", "return 1", 2, "k"]), no_keys),
            (
                json!(["EVAL", "return 1", -1]),
                "ERR Number of keys can't be negative",
            ),
        ],
    )
}

fn a_caught_error_is_a_string_and_pcall_gives_a_table(store: &Store) -> Result<(), String> {
    store.command(&["SET", "k", "text"])?;
    let wrong_type = "WRONGTYPE Operation against a key holding the wrong kind of value";
    let caught = "local ok, e = pcall(redis.call, 'hget', KEYS[1], 'f') return {tostring(ok), e}";
    let given = "return {redis.pcall('hget', KEYS[1], 'f').err, 'and on'}";
    expect(
        store,
        &[
            (eval(caught), json!(["false", wrong_type])),
            (eval(given), json!([wrong_type, "and on"])),
        ],
    )
}

fn the_sandbox_is_closed(store: &Store) -> Result<(), String> {
    let absent = [
        "os", "io", "require", "dofile", "print", "package", "debug", "mlua", "anything",
    ];
    for name in absent {
        let error = format!("Script attempted to access nonexistent global variable '{name}'");
        refused(store, &format!("return {name}"), &error)?;
    }
    let writes = [
        "x = 1",
        "KEYS = 1",
        "redis = 1",
        "string.x = 1",
        "redis.call = 1",
        "function f() end",
    ];
    for source in writes {
        refused(store, source, "Attempt to modify a readonly table")?;
    }
    Ok(())
}

fn refused(store: &Store, source: &str, words: &str) -> Result<(), String> {
    let Err(error) = store.command(&["EVAL", source, "1", "k"]) else {
        return Err(format!("{source} was not refused"));
    };
    let expected = format!("ERR user_script:1: {words} script: ");
    assert!(error.starts_with(&expected), "{source}: {error}");
    Ok(())
}

fn scripts_are_known_by_their_hash(store: &Store) -> Result<(), String> {
    let sha = "e0e1f9fabfc9d4800c877a703b823ac0578ff8db";
    let unknown = "NOSCRIPT No matching script. Please use EVAL.";
    expect_errors(
        store,
        &[
            (json!(["EVALSHA", sha, 0]), unknown),
            (json!(["EVALSHA", "abc", 0]), unknown),
        ],
    )?;
    expect(
        store,
        &[
            (json!(["EVAL", "return 1", 0]), json!(1)),
            (json!(["EVALSHA", sha, 0]), json!(1)),
            (json!(["SCRIPT", "EXISTS", sha, "abc"]), json!([1, 0])),
            (json!(["SCRIPT", "FLUSH"]), json!("OK")),
            (json!(["SCRIPT", "LOAD", "return 1"]), json!(sha)),
            (json!(["EVALSHA", sha.to_uppercase(), 0]), json!(1)),
        ],
    )
}

fn a_restart_forgets_scripts_and_an_empty_one_everything(store: &Store) -> Result<(), String> {
    let loaded = store.command(&["SCRIPT", "LOAD", "return 1"])?;
    let sha = loaded.as_str().ok_or("SCRIPT LOAD answers a string")?;
    store.command(&["SET", "k", "v"])?;
    store.restart();
    assert_eq!(store.command(&["SCRIPT", "EXISTS", sha])?, json!([0]));
    assert_eq!(store.command(&["GET", "k"])?, json!("v"));
    store.command(&["SCRIPT", "LOAD", "return 1"])?;
    store.restart_empty();
    assert_eq!(store.command(&["SCRIPT", "EXISTS", sha])?, json!([0]));
    assert_eq!(store.command(&["DBSIZE"])?, json!(0));
    Ok(())
}

fn scripts_are_atomic(store: &Store) -> Result<(), String> {
    let draw = "
        local n = tonumber(redis.call('GET', KEYS[1]) or 0) + 1
        redis.call('SET', KEYS[1], n)
        return n";
    let draw_fifty = || -> Result<Vec<i64>, String> {
        (0..50)
            .map(|_| {
                let answer = store.command(&["EVAL", draw, "1", "n"])?;
                answer.as_i64().ok_or_else(|| answer.to_string())
            })
            .collect()
    };
    let mut drawn = thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(draw_fifty)).collect();
        let joined = threads.into_iter().map(|thread| {
            thread
                .join()
                .map_err(|_| "a thread panicked".to_owned())
                .flatten()
        });
        joined.collect::<Result<Vec<_>, String>>()
    })?
    .concat();
    drawn.sort_unstable();
    assert_eq!(drawn, (1..=400).collect::<Vec<i64>>());
    Ok(())
}

#[test]
fn the_embedded_engine_refuses_keys_that_are_not_declared() -> Result<(), String> {
    let store = Store::embedded(TOKEN)?;
    for source in [
        "return redis.call('get', 'other')",
        "return redis.call('del', KEYS[1], 'other')",
    ] {
        let Err(error) = store.command(&["EVAL", source, "1", "k"]) else {
            return Err("an undeclared key was touched".to_owned());
        };
        assert!(
            error.starts_with("ERR Script touched the key 'other' that is not in KEYS"),
            "{error}"
        );
    }
    Ok(())
}

#[test]
fn a_table_that_contains_itself_and_an_error_without_words_do_no_harm() -> Result<(), String> {
    let store = Store::embedded(TOKEN)?;
    assert!(
        store
            .command(&["EVAL", "local t = {} t[1] = t return t", "0"])
            .is_ok()
    );
    let Err(error) = store.command(&["EVAL", "error({})", "0"]) else {
        return Err("an error is an error".to_owned());
    };
    assert!(error.starts_with("ERR unknown error script: "), "{error}");
    assert!(
        store
            .command(&[
                "EVAL",
                "local function f() return 1 + f() end return f()",
                "0"
            ])
            .is_err()
    );
    assert_eq!(store.command(&["PING"])?, json!("PONG"));
    Ok(())
}
