//! Every fault: what the caller sees, and whether the work was done.

use std::time::Duration;

use serde_json::json;
use upstash_local::{Fault, Faults, Reply, Request, Store};

use crate::{TOKEN, on_both_engines};

on_both_engines!(
    faults_before_the_work_leave_nothing_done,
    faults_after_the_work_leave_it_done,
    every_third_call_fails_and_only_that,
    a_patient_caller_gets_what_a_hasty_one_does_not,
);

fn increment(store: &Store) -> Option<(u16, String)> {
    let reply = store.answer(&Request {
        method: "POST",
        target: "/",
        authorization: Some(&format!("Bearer {TOKEN}")),
        body: br#"["INCR","n"]"#,
    });
    match reply {
        Reply::Answer { status, body } => Some((status, String::from_utf8_lossy(&body).into())),
        Reply::Dropped => None,
    }
}

fn check(store: &Store, fault: Fault, seen: Option<(u16, &str)>, done: u64) -> Result<(), String> {
    store.restart_empty();
    store.reset_counts();
    store.fail(Faults::always(fault));
    let answer = increment(store);
    let answer = answer
        .as_ref()
        .map(|(status, body)| (*status, body.as_str()));
    assert_eq!(answer, seen, "{fault:?}");
    assert_eq!(store.command(&["EXISTS", "n"])?, json!(done), "{fault:?}");
    assert_eq!((store.calls(), store.commands()), (1, done), "{fault:?}");
    store.fail(Faults::none());
    let next = format!("{{\"result\":{}}}", done + 1);
    assert_eq!(increment(store), Some((200, next)), "after {fault:?}");
    Ok(())
}

fn faults_before_the_work_leave_nothing_done(store: &Store) -> Result<(), String> {
    let quota = r#"{"error":"ERR max requests limit exceeded. Limit: 500000, Usage: 500000"}"#;
    let password = r#"{"error":"WRONGPASS invalid or missing auth token"}"#;
    let quoted = format!(r#"{{"error":"ERR cannot serve 'Bearer {TOKEN}': [\"INCR\",\"n\"]"}}"#);
    let cases = [
        (Fault::Refuse, None),
        (Fault::Unauthorized, Some((401, password))),
        (
            Fault::TooManyRequests,
            Some((429, r#"{"error":"ERR too many requests"}"#)),
        ),
        (
            Fault::ServerError,
            Some((500, r#"{"error":"ERR internal server error"}"#)),
        ),
        (
            Fault::ErrorWithStatus200,
            Some((200, r#"{"error":"ERR something failed"}"#)),
        ),
        (Fault::QuotaExceeded, Some((400, quota))),
        (Fault::Quote(400), Some((400, &quoted))),
    ];
    for (fault, seen) in cases {
        check(store, fault, seen, 0)?;
    }
    Ok(())
}

fn faults_after_the_work_leave_it_done(store: &Store) -> Result<(), String> {
    let good = Some((200, r#"{"result":1}"#));
    let (short, long) = (Duration::from_millis(400), Duration::from_millis(600));
    let cases = [
        (Fault::Delay(short), good),
        (Fault::Delay(long), None),
        (Fault::StallBody(short), good),
        (Fault::StallBody(long), None),
        (Fault::Trickle(short), good),
        (Fault::Trickle(long), None),
        (Fault::BrokenJson, Some((200, r#"{"result":[1,"#))),
        (
            Fault::WrongType,
            Some((200, r#"{"result":{"unexpected":true}}"#)),
        ),
        (Fault::DropAnswer, None),
    ];
    for (fault, seen) in cases {
        check(store, fault, seen, 1)?;
    }
    Ok(())
}

fn every_third_call_fails_and_only_that(store: &Store) -> Result<(), String> {
    store.fail(Faults::every(3, Fault::DropAnswer));
    let answered: Vec<bool> = (0..7).map(|_| increment(store).is_some()).collect();
    assert_eq!(answered, [true, true, false, true, true, false, true]);
    assert_eq!(store.command(&["GET", "n"])?, json!("7"));
    store.fail(Faults::every(0, Fault::Refuse));
    assert!(increment(store).is_some(), "every zeroth call is none");
    Ok(())
}

fn a_patient_caller_gets_what_a_hasty_one_does_not(store: &Store) -> Result<(), String> {
    let request = Request {
        method: "POST",
        target: "/",
        authorization: Some(&format!("Bearer {TOKEN}")),
        body: br#"["INCR","n"]"#,
    };
    let ms = Duration::from_millis;
    store.fail(Faults::always(Fault::Delay(ms(600))));
    assert_eq!(store.answer_within(&request, ms(599)), Reply::Dropped);
    let body = br#"{"result":2}"#.to_vec();
    let answer = Reply::Answer { status: 200, body };
    assert_eq!(store.answer_within(&request, ms(600)), answer);
    assert_eq!(store.command(&["GET", "n"])?, json!("2"));
    Ok(())
}
