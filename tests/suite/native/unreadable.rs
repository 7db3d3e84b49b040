//! Reads of the config store and of the secret store that fail, each alone and all together: an error is never taken for
//! absence, so no place is lost, nobody goes in who should not, and the log says which key it was.

use now_serving::config::{DOCUMENT, RETIRED, SECRETS, SINGLE};
use serde_json::{Value, json};

use crate::house::{Ask, House, Visitor};

const PART: &str = "settings_2";
/// Which a visitor's request does not read.
const OPERATORS: [&str; 3] = ["admin_password", "permit_token", "admin_token"];
/// Whose defaults serve.
const LOOKS: [&str; 2] = ["refresh_interval", "template"];

/// Two visitors inside and waiting, in a room with a setting in every place there is.
struct Room<'a> {
    house: &'a House,
    inside: Visitor<'a>,
    waiting: Visitor<'a>,
}

impl<'a> Room<'a> {
    fn new(house: &'a House) -> Self {
        house.set("room", "side");
        house.set(DOCUMENT, r#"{"more":["settings_2","template"]}"#);
        house.set(
            PART,
            r#"{"bypass_paths":["/open/*"],"on_store_error":"admit"}"#,
        );
        house.set("template", "<p>{{line}}</p>");
        let mut visitors = [(); 2].map(|()| Visitor::new(house));
        for visitor in &mut visitors {
            visitor.ask("/");
        }
        let [mut inside, waiting] = visitors;
        house.permit(1);
        assert!(inside.ask("/echo").inside);
        Self {
            house,
            inside,
            waiting,
        }
    }

    /// Nothing was lost, moved or given away.
    fn is_as_before(&mut self) {
        self.house.cannot_read(&[]);
        assert!(self.inside.ask("/echo").inside);
        let told = self.waiting.ask("/").json();
        assert_eq!((&told["position"], &told["ahead"]), (&json!(2), &json!(0)));
        let status = self
            .house
            .ask(&Ask::get("/_queue/status").operator())
            .json();
        assert_eq!(
            (&status["length"], &status["cursor"]),
            (&json!(2), &json!(1))
        );
        assert!(self.house.ask(&Ask::get("/open/a")).inside);
    }

    /// Asks in every way there is while these cannot be read; what was logged meanwhile.
    fn asked(&mut self, keys: &[&str]) -> Vec<Value> {
        let house = self.house;
        let logged = house.log().len();
        house.cannot_read(keys);
        let can_read = |key: &str| !keys.contains(&key);
        let before = self.waiting.ticket.clone();
        for target in ["/echo", "/_queue/place", "/_queue/cookies?try=1&to=/echo"] {
            let got = self.waiting.ask(target);
            assert!(!got.inside, "{keys:?}, {target}: {got:?}");
        }
        assert_eq!(
            self.waiting.ticket, before,
            "{keys:?}: no other ticket is given"
        );
        for ask in [
            Ask::get("/echo"),
            Ask::get("/echo").method("POST"),
            Ask::get("/echo").method("HEAD"),
        ] {
            assert!(!house.ask(&ask).inside, "{keys:?}: {ask:?}");
        }
        let own_needs = ["jwt_secret", "room"];
        let is_served = self.inside.ask("/echo").inside;
        assert_eq!(
            is_served,
            own_needs.into_iter().all(can_read),
            "{keys:?}: inside"
        );
        // The part that holds the paths is known by the document alone.
        let is_bypassed = house.ask(&Ask::get("/open/a")).inside;
        let paths = [DOCUMENT, PART].into_iter().all(can_read);
        assert_eq!(is_bypassed, paths, "{keys:?}: what skips the room");
        let permit = |token: &str| {
            let ask = Ask::get("/_queue/permit").method("POST");
            ask.with("authorization", format!("Bearer {token}"))
        };
        for ask in [
            Ask::get("/_queue").operator(),
            Ask::get("/_queue/status")
                .with("authorization", "Bearer none-of-the-tokens-that-are-there"),
            permit("none-of-the-tokens-that-are-there"),
            Ask::get("/_queue/healthz"),
        ] {
            let got = house.ask(&ask);
            assert!(
                [200, 401, 503].contains(&got.status),
                "{keys:?}: {ask:?}, {got:?}"
            );
            assert!(got.status != 200 || !ask.target.contains("permit"));
        }
        house.log().split_off(logged)
    }
}

/// Whether the log has this key as one that could not be read.
fn names(log: &[Value], key: &str) -> bool {
    let has = |problem: &Value| problem["key"] == key && problem["unreadable"] == true;
    let problems = log.iter().filter_map(|line| line["problems"].as_array());
    problems.flatten().any(has)
}

fn every_key() -> Vec<&'static str> {
    [
        &[DOCUMENT, PART, "template", RETIRED][..],
        &SINGLE,
        &SECRETS,
    ]
    .concat()
}

#[test]
fn no_read_that_fails_loses_a_place_or_lets_anybody_in_and_the_log_names_its_key() {
    let house = House::native();
    let mut room = Room::new(&house);
    room.is_as_before();
    for key in every_key() {
        let log = room.asked(&[key]);
        assert!(names(&log, key), "{key} in {log:?}");
        let closes = !OPERATORS.contains(&key) && !LOOKS.contains(&key);
        let is_closed = log
            .iter()
            .any(|line| line["reason"] == "unsound_configuration");
        assert_eq!(is_closed, closes, "{key}");
        room.is_as_before();
    }
}

#[test]
fn when_nothing_can_be_read_nobody_goes_in_and_afterwards_all_is_as_before() {
    let house = House::native();
    let mut room = Room::new(&house);
    let all = every_key();
    let log = room.asked(&all);
    for key in all {
        // Parts are not known of without the document, and the operators' secrets are not read for a closed room.
        if key != PART && key != "template" && !OPERATORS.contains(&key) {
            assert!(names(&log, key), "{key}");
        }
    }
    room.is_as_before();
}
