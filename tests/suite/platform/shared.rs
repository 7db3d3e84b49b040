//! A server that goes from story to story: each story finds it as if it had just been started.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;
use upstash_local::{Fault, Faults};

use crate::house::{Ask, House, Visitor, claims, inside, visitors};

/// One visitor inside, two who wait, a changed setting, figures, a shifted clock and a broken store.
fn leaves_all_kinds_of_traces(house: &House) -> Option<String> {
    house.set("waiting_status", "429");
    house.set("clock", "3600");
    let mut visitors = visitors(house, 3);
    inside(&mut visitors);
    house.permit(1);
    assert!(visitors[0].ask("/echo").inside);
    house.change("mode", r#"{"mode":"hold"}"#);
    house.store.fail(Faults::always(Fault::Refuse));
    assert_eq!(visitors[1].ask("/echo").status, 429);
    visitors[1].ticket.clone()
}

#[test]
fn a_story_sees_nothing_of_the_story_before_it_in_the_same_server() {
    assert!((0..5).any(|_| sees_nothing().is_some()), "never the same");
}

/// Nothing where the store's address went to another program between the stories.
fn sees_nothing() -> Option<()> {
    let first = House::wasm();
    let pid = first.wasm_side().edge.pid();
    let ticket = leaves_all_kinds_of_traces(&first);
    let room = first.room().to_owned();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let now = now.as_secs();
    let next = first.next_in_this_server()?;
    assert_eq!(next.wasm_side().edge.pid(), pid);
    assert_ne!(next.room(), room);
    assert_eq!((next.log().len(), next.store.calls()), (0, 0));
    assert_eq!(next.wasm_side().origin.requests().len(), 0);
    let before = next.ask(&Ask::get("/_queue/status").operator()).json();
    assert_eq!(
        (&before["room"], &before["mode"], &before["length"]),
        (&json!(next.room()), &json!("automatic"), &json!(0))
    );
    let metrics = next.ask(&Ask::get("/_queue/metrics").operator()).body;
    let of_first = format!("room=\"{room}\"");
    assert!(!metrics.contains(&of_first), "{metrics}");
    let mut stranger = Visitor::holding(&next, ticket);
    let got = stranger.ask("/echo");
    assert_eq!((got.status, &got.json()["position"]), (503, &json!(1)));
    let drawn = claims(&stranger.ticket.unwrap())["iat"].as_u64().unwrap();
    assert!(drawn.abs_diff(now) < 600, "the clock is not shifted");
    Some(())
}
