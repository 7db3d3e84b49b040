//! Restarts: with what an older copy had, on either engine.

use serde_json::json;
use upstash_local::{Redis, Store};

use crate::TOKEN;

fn value(store: &Store, key: &str) -> Result<serde_json::Value, String> {
    store.command(&["GET", key])
}

#[test]
fn an_embedded_store_comes_back_with_an_older_copy() -> Result<(), String> {
    let store = Store::embedded(TOKEN)?;
    let loaded = store.command(&["SCRIPT", "LOAD", "return 1"])?;
    let sha = loaded.as_str().ok_or("SCRIPT LOAD answers a string")?;
    store.command(&["SET", "k", "v"])?;
    let copy = store.backup().ok_or("it has its keys in memory")?;
    store.command(&["SET", "k", "w"])?;
    store.command(&["SET", "later", "x"])?;
    store.restart_from(&copy);
    assert_eq!(value(&store, "k")?, json!("v"));
    assert_eq!(value(&store, "later")?, json!(null));
    assert_eq!(store.command(&["SCRIPT", "EXISTS", sha])?, json!([0]));
    Ok(())
}

#[test]
fn a_killed_redis_comes_back_with_what_it_saved() -> Result<(), String> {
    let mut redis = Redis::start()?;
    let store = Store::redis(redis.url(), TOKEN)?;
    assert!(store.backup().is_none());
    store.command(&["SET", "k", "v"])?;
    redis.save()?;
    store.command(&["SET", "k", "w"])?;
    redis.kill();
    assert!(value(&store, "k").is_err(), "nobody answers");
    redis.start_again()?;
    assert_eq!(value(&store, "k")?, json!("v"));
    redis.lose_saved();
    redis.start_again()?;
    assert!(value(&store, "k").is_err(), "the connection is of before");
    assert_eq!(value(&store, "k")?, json!(null));
    Ok(())
}
