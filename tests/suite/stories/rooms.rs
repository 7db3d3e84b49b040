//! The setting `rooms`: several rooms in one service, each with a line of its own.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use crate::house::{Ask, Got, House, PERMIT_TOKEN, Visitor, problem_keys};

/// A browser that keeps the tickets of all rooms.
#[derive(Default)]
pub(crate) struct Browser(BTreeMap<String, String>);

impl Browser {
    pub(crate) fn ask(&mut self, house: &House, ask: Ask) -> Got {
        let cookies = self.0.iter().map(|(name, value)| format!("{name}={value}"));
        let cookies: Vec<String> = cookies.collect();
        let ask = if cookies.is_empty() {
            ask
        } else {
            ask.with("cookie", cookies.join("; "))
        };
        let got = house.ask(&ask);
        for cookie in got.all("set-cookie") {
            let (pair, attributes) = cookie.split_once("; ").unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            if attributes.split("; ").any(|part| part == "Max-Age=0") {
                self.0.remove(name);
            } else {
                self.0.insert(name.to_owned(), value.to_owned());
            }
        }
        got
    }

    /// The number that a path's room gives, by the second contact where somebody waits.
    pub(crate) fn number(&mut self, house: &House, path: &str) -> Value {
        let mut asked = (0..2).map(|_| self.ask(house, Ask::get(path).json()).json());
        let drawn = asked.find(|got| !got["position"].is_null());
        drawn.map_or(Value::Null, |got| got["position"].clone())
    }

    fn is_inside(&mut self, house: &House, path: &str) -> bool {
        self.ask(house, Ask::get(path)).inside
    }

    pub(crate) fn keep(&mut self, name: &str, value: &str) {
        self.0.insert(name.to_owned(), value.to_owned());
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }
}

/// How many newcomers go in within a minute, of one a second.
pub(super) fn go_in(house: &House, path: &str) -> usize {
    let came = (0..60).filter(|_| {
        house.wait(Duration::from_secs(1));
        let mut browser = Browser::default();
        (0..2).any(|_| browser.ask(house, Ask::get(path).json()).inside)
    });
    came.count()
}

/// The name of a room that no other story on the same store has.
pub(crate) fn named(house: &House, name: &str) -> String {
    format!("{}-{name}", house.room())
}

/// A sale and a VIP sale below it, and a room for every other path of another host.
fn with_rooms(house: &House) -> [String; 3] {
    let names = ["sale", "vip", "tickets"].map(|name| named(house, name));
    let [sale, vip, tickets] = &names;
    let rooms = json!([
        { "name": sale, "paths": "/sale/*" },
        { "name": vip, "paths": ["/sale/vip/*"], "automatic": 0, "automatic_quantity": 7, "heading": "For members" },
        { "name": tickets, "hosts": "tickets.shop.example", "not": "/about" },
    ]);
    house.set("rooms", &rooms.to_string());
    names
}

pub(super) fn change(house: &House, room: &str, route: &str, told: &Value) -> Value {
    let route = format!("room/{room}/{route}");
    let got = house.ask(&Ask::json_to(&route, &told.to_string()));
    assert_eq!(got.status, 200, "{got:?}");
    got.json()
}

pub(crate) fn each_room_has_a_line_of_its_own(house: &House) {
    let [sale, vip, _] = with_rooms(house);
    let (mut visitor, mut another) = (Browser::default(), Browser::default());
    for path in ["/", "/sale/shoes", "/sale/vip/hats"] {
        assert_eq!(visitor.number(house, path), 1, "{path}");
        assert_eq!(another.number(house, path), 2, "{path}");
    }
    let in_rooms = [
        "queue".to_owned(),
        format!("queue-{sale}"),
        format!("queue-{vip}"),
    ];
    assert_eq!(visitor.names(), in_rooms);
    let there = |ask: Ask| ask.with("host", "tickets.shop.example");
    let got = house.ask(&there(Ask::get("/anything").json()));
    assert_eq!(got.json()["position"], 1, "{got:?}");
    assert!(!got.inside && got.all("set-cookie")[0].starts_with("__Host-queue-"));
    change(house, &sale, "permit", &json!({ "amt": 1 }));
    let inside = |browser: &mut Browser| {
        ["/", "/sale/shoes", "/sale/vip/hats"].map(|path| browser.is_inside(house, path))
    };
    house.wait(Duration::from_secs(2));
    assert_eq!(inside(&mut visitor), [false, true, false]);
    assert_eq!(inside(&mut another), [false, false, false]);
    house.permit(1);
    house.wait(Duration::from_secs(2));
    assert_eq!(inside(&mut visitor), [true, true, false]);
    assert_eq!(inside(&mut another), [false, false, false]);
}

/// A room that asks the origin for another host has another origin, and one that watches none hears nothing.
pub(crate) fn a_sick_origin_is_known_by_all_rooms_that_have_it_and_by_no_other(house: &House) {
    let names = ["sale", "own", "blind"].map(|name| named(house, name));
    let [sale, own, blind] = &names;
    let rooms = json!([
        { "name": sale, "paths": "/sale/*" },
        { "name": own, "paths": "/own/*", "origin_host": "own.platform.example" },
        { "name": blind, "paths": "/blind/*", "origin_health": "off" },
    ]);
    house.set("rooms", &rooms.to_string());
    house.set("origin_health", "on");
    house.set("automatic", "0");
    for path in ["/", "/sale/shoes", "/own/hats", "/blind/hats"] {
        Browser::default().number(house, path);
    }
    let status = |room: &str| {
        let route = format!("/_queue/{room}status");
        house.ask(&Ask::get(&route).operator()).json()
    };
    let bad = Ask::json_to("report", r#"{"bad": 9}"#);
    let bad = bad.with("authorization", format!("Bearer {PERMIT_TOKEN}"));
    assert_eq!(house.ask(&bad).json()["mode"], "hold");
    let until = status("")["origin"]["sick_until"].clone();
    let mut visitor = Browser::default();
    for (room, path, is_sick) in [
        (sale, "/sale/shoes", true),
        (own, "/own/hats", false),
        (blind, "/blind/hats", false),
    ] {
        // A newcomer's draw is a call that tells the room.
        visitor.number(house, path);
        let told = status(&format!("room/{room}/"));
        assert_eq!(told["origin"]["sick_until"] == until, is_sick, "{told}");
        assert_eq!(told["release"]["bound_by"] == "origin", is_sick, "{told}");
        // The answers were heard by the first room alone.
        let none = json!({ "ok": 0, "late": 0, "bad": 0 });
        assert_eq!(told["origin"]["recent"], none, "{told}");
    }
    // An operator overrules it for one room.
    change(house, sale, "overrule", &json!({ "overrule": "on" }));
    let bound = |room: &str| status(room)["release"]["bound_by"].clone();
    assert_eq!(bound(&format!("room/{sale}/")), "pace");
    assert_eq!(bound(""), "origin");
}

/// What may be wrong with a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trouble {
    None,
    /// What the store keeps under its key is no line.
    BrokenKey,
    SickOrigin,
    Held,
    Closed,
    /// Many come at once.
    Rush,
}

const TROUBLES: [Trouble; 6] = [
    Trouble::None,
    Trouble::BrokenKey,
    Trouble::SickOrigin,
    Trouble::Held,
    Trouble::Closed,
    Trouble::Rush,
];

/// The rooms `left` and `right`, each with an origin of its own.
const SIDES: [&str; 2] = ["left", "right"];

impl Trouble {
    fn befalls(self, house: &House, side: &str) {
        let mode = |mode: &str| drop(change(house, side, "mode", &json!({ "mode": mode })));
        match self {
            Self::None => {}
            Self::BrokenKey => {
                let key = format!("queue:{{{side}}}");
                house.store.command(&["SET", &key, "no line"]).unwrap();
            }
            Self::SickOrigin => {
                change(house, side, "report", &json!({ "bad": 9 }));
            }
            Self::Held => mode("hold"),
            Self::Closed => mode("closed"),
            Self::Rush => {
                for _ in 0..40 {
                    let (mut browser, path) = (Browser::default(), format!("/{side}/rush"));
                    browser.is_inside(house, &path);
                    browser.is_inside(house, &path);
                }
            }
        }
    }
}

/// What each room tells with these troubles: visitors who come, wait and are called, and its operator.
fn told_with(troubles: [Trouble; 2]) -> [Vec<String>; 2] {
    let house = &House::native();
    let room = |side: &str| {
        let origin = format!("{side}.shop.example");
        json!({ "name": side, "paths": format!("/{side}/*"), "origin_host": origin, "automatic": 5, "automatic_quantity": 1 })
    };
    house.set("rooms", &json!(SIDES.map(room)).to_string());
    house.set("origin_health", "on");
    house.set("on_store_error", "admit");
    house.wait_for_period(60);
    let mut lines = SIDES.map(|_| Vec::new());
    let mut told = SIDES.map(|_| Vec::new());
    for step in 0..12 {
        for (at, side) in SIDES.into_iter().enumerate() {
            if step == 4 {
                troubles[at].befalls(house, side);
            }
            if step % 2 == 0 {
                lines[at].push(Browser::default());
            }
            for visitor in &mut lines[at] {
                let got = visitor.ask(house, Ask::get(&format!("/{side}/")).json());
                told[at].push(shown(step, &got));
            }
            let status = Ask::get(&format!("/_queue/room/{side}/status")).operator();
            told[at].push(shown(step, &house.ask(&status)));
        }
        house.wait(Duration::from_secs(3));
    }
    told
}

/// An answer without what chance decides: when the page asks again, and until when an origin counts as sick.
fn shown(step: u64, got: &Got) -> String {
    let mut told = if got.body.starts_with('{') {
        got.json()
    } else {
        json!(got.body)
    };
    if let Value::Object(told) = &mut told {
        told.remove("refresh_seconds");
        if let Some(origin) = told.get_mut("origin") {
            origin["sick_until"] = json!(origin["sick_until"].is_string());
            origin["last"] = origin["last"]["answers"].clone();
        }
    }
    format!("{step}: {} {} {told}", got.status, got.inside)
}

mod native {
    use super::*;

    /// Whatever is wrong with one room: the other one, well or in trouble itself, answers as it does beside a room that is well.
    #[test]
    fn what_is_wrong_with_one_room_changes_no_answer_of_another() {
        let all = 0..TROUBLES.len();
        let seen = TROUBLES.map(|left| TROUBLES.map(|right| told_with([left, right])));
        for (left, right) in all
            .clone()
            .flat_map(|left| all.clone().map(move |right| (left, right)))
        {
            let beside_a_well_one = [&seen[left][0][0], &seen[0][right][1]];
            for (told, alone) in seen[left][right].iter().zip(beside_a_well_one) {
                let differs = told.iter().zip(alone).find(|(told, alone)| told != alone);
                let both = (TROUBLES[left], TROUBLES[right]);
                assert_eq!((differs, told.len()), (None, alone.len()), "{both:?}");
            }
        }
        // Each of them is a trouble in its own room.
        for trouble in all.skip(1) {
            assert_ne!(
                seen[trouble][0][0], seen[0][0][0],
                "{:?}",
                TROUBLES[trouble]
            );
        }
    }
}

pub(crate) fn a_list_that_no_visitor_can_open_is_in_force_and_told_as_closed(house: &House) {
    house.set("protected_paths", "POST /checkout");
    let order = Ask::get("/checkout").method("POST").json();
    assert_eq!(house.ask(&order).status, 503);
    assert!(
        house.ask(&Ask::get("/checkout")).inside,
        "the rest of the site"
    );
    let health = house.ask(&Ask::get("/_queue/healthz"));
    assert_eq!(health.status, 200, "{health:?}");
    let told = "closed: protected_paths: a path for GET as well";
    assert!(health.body.contains(told), "{}", health.body);
    assert!(!health.body.contains("ignored"), "{}", health.body);
    let log = house.log_where(|line| line["reason"] == "closed_paths");
    assert_eq!(problem_keys(log.first().unwrap()), ["protected_paths"]);
}

pub(crate) fn a_room_has_what_it_names_and_shares_the_rest(house: &House) {
    let [sale, vip, _] = with_rooms(house);
    let pace = |path: &str| {
        let got = house.ask(&Ask::get(&format!("/_queue{path}/settings")).operator());
        got.json()["pace"]["configured"].clone()
    };
    let own = pace("");
    assert_eq!(pace(&format!("/room/{sale}")), own);
    assert_eq!(
        pace(&format!("/room/{vip}")),
        json!({ "automatic": 0, "automatic_quantity": 7 })
    );
    let mut visitor = Browser::default();
    visitor.number(house, "/sale/vip/hats");
    let shown = visitor.ask(house, Ask::get("/sale/vip/hats")).body;
    assert!(shown.contains("For members"), "{shown}");
    visitor.number(house, "/sale/shoes");
    let shown = visitor.ask(house, Ask::get("/sale/shoes")).body;
    assert!(!shown.contains("For members"), "{shown}");
}

pub(crate) fn the_routes_of_a_room_are_below_its_name(house: &House) {
    let [sale, _, _] = with_rooms(house);
    let below = format!("/_queue/room/{sale}");
    let mut visitor = Browser::default();
    assert_eq!(visitor.number(house, "/sale/shoes"), 1);
    let page = visitor.ask(house, Ask::get("/sale/shoes")).body;
    assert!(page.contains(&format!("{below}/place")), "{page}");
    let place = visitor
        .ask(house, Ask::get(&format!("{below}/place")))
        .json();
    assert_eq!(
        (&place["waiting"], &place["position"]),
        (&json!(true), &json!(1))
    );
    let elsewhere = visitor.ask(house, Ask::get("/_queue/place")).json();
    assert_eq!(elsewhere["ticket"], "none", "{elsewhere}");
    let status = |target: &str| house.ask(&Ask::get(target).operator());
    assert_eq!(status(&format!("{below}/status")).json()["room"], sale);
    assert_eq!(status("/_queue/status").json()["room"], house.room());
    for target in [
        "/_queue/room/none/status",
        "/_queue/room",
        "/_queue/room/",
        &format!("{below}x/status"),
    ] {
        assert_eq!(status(target).status, 404, "{target}");
    }
    let panel = status(&format!("{below}/")).body;
    assert!(
        panel.contains(&format!("action=\"{below}/mode\"")),
        "{panel}"
    );
    for (name, routes) in [(house.room(), "/_queue"), (&sale, &below)] {
        assert!(
            panel.contains(&format!("<a href=\"{routes}/\"")),
            "{name}: {panel}"
        );
    }
    assert!(
        panel.contains(&format!("aria-current=\"page\">{sale}</a>")),
        "{panel}"
    );
    let to_panel = status(&below);
    assert_eq!(to_panel.status, 200, "{to_panel:?}");
}

pub(crate) fn the_origin_gets_no_ticket_of_any_room(house: &House) {
    let [sale, _, _] = with_rooms(house);
    house.set("bypass_paths", "/echo");
    let cookies = format!("a=b; queue=x; queue-{sale}=y; queue-post-{sale}=z; queue-other=kept");
    let got = house.ask(&Ask::get("/echo").with("cookie", cookies));
    assert!(got.inside, "{got:?}");
    if !got.body.is_empty() {
        let sent = got.body.to_lowercase();
        for ours in ["queue=x", "=y", "=z"] {
            assert!(!sent.contains(ours), "{ours} in {sent}");
        }
        assert!(sent.contains("queue-other=kept"), "{sent}");
    }
}

pub(crate) fn a_path_that_may_be_of_several_rooms_is_refused(house: &House) {
    with_rooms(house);
    for path in [
        "/x/..%2fsale/shoes",
        "/%2573ale/shoes",
        "/%u0073ale/shoes",
        "/%c1%b3ale/shoes",
        "/s%e9ale/shoes",
        "/x/..;/sale/shoes",
        "/sale;/vip/hats",
        "/sale//vip/hats",
        "//sale/shoes",
    ] {
        let got = house.ask(&Ask::get(path));
        assert_eq!(got.status, 400, "{path}: {got:?}");
        assert!(got.body.contains("several rooms"), "{path}: {got:?}");
        assert!(got.all("set-cookie").is_empty(), "{path}");
    }
    let mut visitor = Browser::default();
    assert_eq!(
        visitor.number(house, "/a%2Fb"),
        1,
        "no reading of it is a room's"
    );
    for path in ["/caf%e9", "/shoes;jsessionid=1", "/a//b", "/100%25"] {
        assert_eq!(visitor.number(house, path), 1, "{path}");
    }
    let odd = ["/SALE/shoes", "/sale//shoes", "/sale/shoes;jsessionid=1"];
    for path in odd {
        assert_eq!(visitor.number(house, path), 1, "{path}");
    }
    assert_eq!(visitor.names().len(), 2);
}

pub(crate) fn the_log_and_the_metrics_name_the_room(house: &House) {
    let [sale, _, _] = with_rooms(house);
    Browser::default().number(house, "/");
    Browser::default().number(house, "/sale/shoes");
    let rooms: Vec<Value> = house
        .log_of(2)
        .iter()
        .map(|line| line["room"].clone())
        .collect();
    assert_eq!(rooms, [json!(house.room()), json!(sale)]);
    let metrics = Ask::get(&format!("/_queue/room/{sale}/metrics")).operator();
    let told = house.ask(&metrics).body;
    assert!(told.contains(&format!("room=\"{sale}\"")), "{told}");
    assert!(
        !told.contains(&format!("room=\"{}\"", house.room())),
        "{told}"
    );
}

/// Who was admitted to one room stays inside it and comes into no other; where it is not known which rooms there are, nobody
/// goes by a ticket.
pub(crate) fn an_unsound_configuration_keeps_the_rooms_apart(house: &House) {
    let [sale, _, _] = with_rooms(house);
    let mut visitor = Browser::default();
    visitor.number(house, "/sale/shoes");
    change(house, &sale, "permit", &json!({ "amt": 1 }));
    house.wait(Duration::from_secs(2));
    assert!(visitor.is_inside(house, "/sale/shoes"));
    house.set("on_store_error", "open");
    let inside = |visitor: &mut Browser| {
        ["/sale/shoes", "/sale/vip/hats", "/"].map(|path| visitor.is_inside(house, path))
    };
    assert_eq!(inside(&mut visitor), [true, false, false]);
    house.set("rooms", "[{}]");
    assert_eq!(inside(&mut visitor), [false; 3]);
    with_rooms(house);
    house.set("on_store_error", "hold");
    assert_eq!(inside(&mut visitor), [true, false, false]);
}

pub(crate) fn a_waiting_page_of_a_room_that_is_no_longer_listed_asks_again(house: &House) {
    with_rooms(house);
    let sale = named(house, "sale");
    let mut visitor = Browser::default();
    visitor.number(house, "/sale/shoes");
    house.set("rooms", "none");
    let place = format!("/_queue/room/{sale}/place");
    let told = visitor.ask(house, Ask::get(&place).json());
    assert_eq!(
        (told.status, &told.json()["ticket"]),
        (200, &"ended".into())
    );
    assert_eq!(visitor.number(house, "/sale/shoes"), 1, "in the first room");
    with_rooms(house);
    assert_eq!(visitor.number(house, "/sale/shoes"), 1);
    // Browsers keep these names for us alone.
    let cookies = "a=b; __Host-queue-gone=c; __Host-queue-post-gone=d; __Secure-queue-gone=e";
    house.set("bypass_paths", "/echo");
    let ask = Ask::get("/echo")
        .with("host", "www.shop.example")
        .with("cookie", cookies);
    let got = house.ask(&ask);
    assert!(got.inside && !got.body.contains("gone"), "{got:?}");
}

/// The ticket is good until it ends, so that its room may come back; the origin is not to have it.
pub(crate) fn the_ticket_of_a_room_that_is_no_longer_listed_stays_at_the_edge(house: &House) {
    let [sale, _, _] = with_rooms(house);
    house.set("bypass_paths", "/echo");
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    let ticket = visitor.ticket.unwrap();
    let cookies_of = |house: &House, cookies: &str| {
        let got = house.ask(&Ask::get("/echo").with("cookie", cookies));
        assert!(got.inside, "{got:?}");
        got.body
    };
    house.set("rooms", "[]");
    let own = "app=1; queue-app=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmVk";
    for name in [
        format!("queue-{sale}"),
        format!("queue-post-{sale}"),
        format!("__Host-queue-{sale}"),
        "__Secure-queue".to_owned(),
        "__Secure-queue-post".to_owned(),
        "__Host-queue".to_owned(),
    ] {
        for value in [ticket.clone(), format!("\"{ticket}\"")] {
            let sent = cookies_of(house, &format!("{name}={value}; {own}"));
            assert!(sent.is_empty() || !sent.contains(&ticket), "{name}: {sent}");
            assert!(sent.is_empty() || sent.contains(own), "{name}: {sent}");
        }
    }
    house.set("origin_cookie", "keep");
    let sent = cookies_of(
        house,
        &format!("queue-{sale}={ticket}; queue-post-{sale}={ticket}; {own}"),
    );
    assert!(
        sent.is_empty() || sent.contains(&format!("queue-{sale}={ticket}; {own}")),
        "{sent}"
    );
    assert!(
        !sent.contains("queue-post-"),
        "the twin always stays: {sent}"
    );
}
