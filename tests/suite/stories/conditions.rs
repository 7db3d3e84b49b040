//! Conditions: `bypass_when`, and the `when` of a room.

use serde_json::json;

use super::rooms::{Browser, named};
use crate::house::{Ask, House};

pub(crate) fn a_request_that_meets_a_condition_goes_past_the_room(house: &House) {
    let conditions = json!([
        { "header": ["X-App", "ios", "android"] },
        { "cookie": "partner", "query": "campaign" },
    ]);
    house.set("bypass_when", &conditions.to_string());
    house.warm();
    let app = |ask: Ask| ask.with("x-app", "ios");
    let partner = |target: &str| Ask::get(target).with("cookie", "a=1; partner=7");
    let calls = house.calls(|| {
        for ask in [
            app(Ask::get("/echo")),
            app(Ask::get("/echo").method("POST")),
            app(Ask::get("/echo").method("OPTIONS")),
            app(Ask::get("/sale//a%2fb")),
            partner("/echo?campaign"),
        ] {
            let got = house.ask(&ask);
            assert!(got.inside, "{ask:?}: {got:?}");
            assert_eq!(got.ticket(), None, "{ask:?}");
        }
    });
    assert_eq!(calls, 0);
    for ask in [
        Ask::get("/echo"),
        Ask::get("/echo").with("x-app", "IOS"),
        partner("/echo"),
        Ask::get("/echo?campaign"),
    ] {
        assert!(!house.ask(&ask).inside, "{ask:?}");
    }
    // What is the room's own is answered as ever.
    let place = house.ask(&app(Ask::get("/_queue/place")));
    assert_eq!(place.json()["ticket"], "none", "{place:?}");
    assert_eq!(house.ask(&app(Ask::get("/_queue/status"))).status, 401);
    let log = house.log_where(|line| line["rule"] == "bypass_when[1]");
    assert_eq!(log.first().unwrap()["reason"], "bypass");
    let health = house.ask(&Ask::get("/_queue/healthz"));
    assert_eq!(health.status, 200);
    for told in ["bypass_when[0]", "bypass_when[1]"] {
        let told = format!("open: bypass_when: any client can send what {told} asks for");
        assert!(health.body.contains(&told), "{}", health.body);
    }
    for hidden in ["ios", "partner", "x-app"] {
        assert!(!health.body.contains(hidden), "{}", health.body);
    }
}

pub(crate) fn a_condition_moves_its_requests_to_the_room_that_has_it(house: &House) {
    let app = named(house, "app");
    let rooms = json!([{ "name": app, "paths": "/sale/*", "when": [{ "header": ["X-App"] }, { "cookie": "app" }] }]);
    house.set("rooms", &rooms.to_string());
    let mut visitor = Browser::default();
    visitor.keep("app", "1");
    assert_eq!(visitor.number(house, "/sale/1"), 1);
    assert_eq!(visitor.number(house, "/other"), 1);
    let names = ["app".to_owned(), "queue".to_owned(), format!("queue-{app}")];
    assert_eq!(visitor.names(), names);
    let mut without = Browser::default();
    assert_eq!(
        without.number(house, "/sale/1"),
        2,
        "in the line of the first room"
    );
    assert_eq!(without.names(), ["queue"]);
    // The page asks for its place in that room, whether or not its polls carry what the page did.
    let below = format!("/_queue/room/{app}/place");
    assert_eq!(visitor.ask(house, Ask::get(&below)).json()["position"], 1);
    let page = visitor.ask(house, Ask::get("/sale/1").with("x-app", ""));
    assert!(page.body.contains(&below), "{}", page.body);
}

pub(crate) fn no_condition_asks_for_a_cookie_of_the_room(house: &House) {
    let mut visitor = Browser::default();
    assert_eq!(visitor.number(house, "/"), 1);
    house.set(
        "bypass_when",
        r#"[{"cookie":"queue"},{"header":["Cookie"]}]"#,
    );
    assert!(!visitor.ask(house, Ask::get("/")).inside);
    let health = house.ask(&Ask::get("/_queue/healthz"));
    assert_eq!(health.status, 503);
    for told in [
        "in bypass_when[0] cookie: the name",
        "in bypass_when[1] header: the name",
    ] {
        assert!(health.body.contains(told), "{}", health.body);
    }
}
