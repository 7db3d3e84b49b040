//! To which backend the requests of rooms and of regions go, through the shipped Wasm with two origins.

use harness::origin::Origin;

use crate::house::{ANY_PORT, Ask, House, Visitor, problem_keys};

const WEST: &str = r#"{"name":"west","pops":"XXX","backend":"west_origin"}"#;

/// An origin for one region, and a service that has it beside the usual one.
fn with_two_origins() -> (Origin, House) {
    let west = Origin::start(ANY_PORT).unwrap();
    let house = House::wasm_with_another_origin("west_origin", &west.url());
    // The local server asks whether the backend is there.
    west.clear();
    (west, house)
}

/// How many requests each origin had since the last look: the one of the region, and the usual one.
fn seen(west: &Origin, house: &House) -> [usize; 2] {
    [west, &house.wasm_side().origin].map(|origin| {
        let many = origin.requests().len();
        origin.clear();
        many
    })
}

/// A visitor who is called with the next permit.
fn called(house: &House) -> Visitor<'_> {
    let mut visitor = Visitor::new(house);
    assert!(visitor.ask("/").json()["position"].is_u64());
    house.permit(1);
    house.forget_the_sign();
    visitor
}

#[test]
fn visitors_inside_are_served_by_the_backend_of_the_region_on_their_ticket_and_other_requests_are_not()
 {
    let (west, house) = with_two_origins();
    house.set("regions", &format!("[{WEST}]"));
    house.set("cache_paths", "/cached");
    house.set("command_paths", "/commands/*");
    let mut visitor = called(&house);
    assert_eq!(seen(&west, &house), [0, 0]);
    // The first answer is watched, the others are not.
    for path in ["/echo", "/echo", "/cached", "/cached", "/commands/echo"] {
        visitor.ask(path);
        assert_eq!(seen(&west, &house), [1, 0], "{path}");
    }
    assert_eq!(house.ask(&Ask::get("/robots.txt")).status, 200);
    house.ask(&Ask::preflight("/echo"));
    assert_eq!(seen(&west, &house), [0, 2], "past the room");
    // A visitor who travels keeps the backend.
    let away = WEST.replace("XXX", "SJC");
    house.set(
        "regions",
        &format!(r#"[{away},{{"name":"east","pops":"XXX"}}]"#),
    );
    visitor.ask("/echo");
    assert_eq!(seen(&west, &house), [1, 0]);
    called(&house).ask("/echo");
    assert_eq!(seen(&west, &house), [0, 1], "of another region");
    house.set("regions", "none");
    visitor.ask("/echo");
    assert_eq!(seen(&west, &house), [0, 1], "the region is no more");
}

#[test]
fn a_bad_answer_of_a_regions_backend_is_rescued_and_makes_the_room_sick() {
    let (west, house) = with_two_origins();
    house.set("regions", &format!("[{WEST}]"));
    for (key, value) in [
        ("origin_health", "on"),
        ("on_origin_error", "keep"),
        ("sick_min", "1"),
    ] {
        house.set(key, value);
    }
    let mut visitor = called(&house);
    let got = visitor.ask("/status/500");
    assert_eq!(got.status, 503, "{got:?}");
    assert_eq!(seen(&west, &house), [1, 0]);
    house.forget_the_sign();
    house.forget_the_sign();
    visitor.ask("/_queue/place");
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    assert!(!status["origin"]["sick_until"].is_null(), "{status}");
}

#[test]
fn a_backend_that_is_not_there_is_named_and_no_request_goes_to_another_one() {
    let (west, house) = with_two_origins();
    let mut elsewhere = called(&house);
    house.set("regions", &format!("[{WEST}]"));
    let mut visitor = called(&house);
    let all = |visitor: &mut Visitor<'_>, elsewhere: &mut Visitor<'_>| {
        let status = [visitor.ask("/echo").status, elsewhere.ask("/echo").status];
        (status, seen(&west, &house))
    };
    assert_eq!(all(&mut visitor, &mut elsewhere), ([200, 200], [1, 1]));
    for regions in [
        format!("[{}]", WEST.replace("west_origin", "nowhere")),
        format!("[{}]", WEST.replace("west_origin", "upstash")),
        format!("[{WEST},{{}}]"),
        format!("[{WEST}"),
    ] {
        house.set("regions", &regions);
        let health = house.ask(&Ask::get("/_queue/healthz"));
        let told = health.json()["detail"].to_string();
        assert_eq!(health.status, 503, "{regions}");
        assert!(told.contains("regions: "), "{told}");
        if regions.contains("nowhere") {
            assert!(told.contains("fastly service backend create"), "{told}");
        }
        let answers = all(&mut visitor, &mut elsewhere);
        assert_eq!(answers, ([503, 200], [0, 1]), "{regions}");
        assert_eq!(house.ask(&Ask::get("/robots.txt")).status, 200);
        seen(&west, &house);
    }
    let line = house.log_where(|line| line["reason"] == "unsound_configuration");
    assert!(line.iter().all(|line| problem_keys(line) == ["regions"]));
    // With another problem it is known where they go.
    house.set("regions", &format!("[{WEST}]"));
    house.set("automatic", "often");
    assert_eq!(all(&mut visitor, &mut elsewhere), ([200, 200], [1, 1]));
}

#[test]
fn the_backend_of_a_region_is_asked_for_its_own_host_and_not_for_that_of_the_usual_one() {
    let (west, house) = with_two_origins();
    let named = WEST.replace('}', r#","origin_host":"west.platform.example"}"#);
    let host = |origin: &Origin| {
        let seen = origin.requests().pop().unwrap();
        origin.clear();
        let host = seen.headers.into_iter().find(|(name, _)| name == "host");
        String::from_utf8(host.unwrap().1).unwrap()
    };
    house.set("origin_host", "shop.platform.example");
    house.set("regions", &format!("[{named}]"));
    let mut visitor = called(&house);
    visitor.ask("/echo");
    assert_eq!(host(&west), "west.platform.example");
    house.ask(&Ask::get("/robots.txt"));
    assert_eq!(host(&house.wasm_side().origin), "shop.platform.example");
    house.set("regions", &format!("[{WEST}]"));
    visitor.ask("/echo");
    assert!(host(&west).starts_with("127.0.0.1"), "the visitor's");
}

#[test]
fn requests_of_a_room_go_to_its_backend_and_where_that_is_not_there_none_goes_anywhere() {
    let (west, house) = with_two_origins();
    let rooms =
        |backend: &str| format!(r#"[{{"name":"sale","paths":"/sale/*","backend":"{backend}"}}]"#);
    house.set("rooms", &rooms("west_origin"));
    house.set("bypass_paths", "/robots.txt /sale/a.css");
    for (path, found) in [("/robots.txt", [0, 1]), ("/sale/a.css", [1, 0])] {
        house.ask(&Ask::get(path));
        assert_eq!(seen(&west, &house), found, "{path}");
    }
    let mut inside = called(&house);
    inside.ask("/echo");
    assert_eq!(seen(&west, &house), [0, 1]);
    house.set("rooms", &rooms("nowhere"));
    let health = house.ask(&Ask::get("/_queue/healthz"));
    let told = health.json()["detail"].to_string();
    assert!(
        health.status == 503 && told.contains("backend of room sale: "),
        "{told}"
    );
    assert!(told.contains("fastly service backend create"), "{told}");
    let statuses = [
        inside.ask("/echo").status,
        house.ask(&Ask::get("/robots.txt")).status,
    ];
    assert_eq!((statuses, seen(&west, &house)), ([503; 2], [0, 0]));
    let line = house.log_where(|line| line["reason"] == "unsound_configuration");
    assert!(line.iter().all(|line| problem_keys(line) == ["backend"]));
}
