//! Deploys and rotations under a line that stands: two data centres on one store, each with a build and settings of its
//! own, and visitors who are sent to the one and to the other.

use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use harness::project;
use now_serving::page::iso_8601;
use serde_json::{Value, json};

use crate::house::{Ask, House, SECRET, Visitor};

const NEXT: &str = "development-only-jwt-secret-fedcba9876543210";

/// An empty section of its own makes it another program, which the server compiles and keeps apart.
const SECTION: [u8; 10] = *b"\0\x08\x07another";

fn another_build() -> PathBuf {
    let folder = project::project().unwrap().target.join("another");
    fs::create_dir_all(&folder).unwrap();
    let built = fs::read(harness::edge::wasm().unwrap()).unwrap();
    let path = folder.join("now-serving.wasm");
    let written = tempfile::NamedTempFile::new_in(&folder).unwrap();
    fs::write(written.path(), [&built[..], &SECTION].concat()).unwrap();
    written.persist(&path).unwrap();
    path
}

/// The version in use, and beside it the next one.
fn two_versions() -> (House, House) {
    let first = House::wasm_shared();
    let build = another_build();
    let second = first.in_another_data_centre(build);
    (first, second)
}

/// The same browser, sent elsewhere.
fn sent_to<'a>(house: &'a House, visitor: &Visitor<'_>) -> Visitor<'a> {
    let mut sent = Visitor::new(house);
    sent.ticket.clone_from(&visitor.ticket);
    sent
}

/// Where somebody who waits stands, by figures of now: on a busy machine the store may not answer within its deadline.
fn told(visitor: &mut Visitor<'_>) -> Value {
    for _ in 0..40 {
        let told = visitor.ask("/").json();
        if told.get("old").is_none() && told["ahead"].is_u64() {
            return told;
        }
        thread::sleep(Duration::from_millis(250));
    }
    panic!("the store never answered in time")
}

/// Somebody inside and somebody who waits behind one other.
struct Crowd<'a> {
    inside: Visitor<'a>,
    waiting: Visitor<'a>,
    position: u64,
}

impl<'a> Crowd<'a> {
    fn draw(house: &'a House) -> Self {
        let mut crowd = [(); 3].map(|()| Visitor::new(house));
        for visitor in &mut crowd {
            visitor.ask("/");
        }
        let [mut inside, _, mut waiting] = crowd;
        let position = told(&mut waiting)["position"].as_u64().unwrap();
        let told = house.permit(position - 2 - status(house, "cursor"));
        assert_eq!(told["cursor"], position - 2);
        assert!(inside.ask("/echo").inside);
        house.forget_the_sign();
        Self {
            inside,
            waiting,
            position,
        }
    }

    /// Both go on there as they are here.
    fn keeps_its_places_at(&self, house: &House, when: &str) {
        assert!(sent_to(house, &self.inside).ask("/echo").inside, "{when}");
        let told = told(&mut sent_to(house, &self.waiting));
        assert_eq!(
            (&told["position"], &told["ahead"]),
            (&json!(self.position), &json!(1)),
            "{when}: {told}"
        );
    }

    /// Later ones have been let in meanwhile, and so have these.
    fn has_its_turn_at(&self, house: &House, when: &str) {
        for visitor in [&self.inside, &self.waiting] {
            assert!(sent_to(house, visitor).ask("/echo").inside, "{when}");
        }
    }
}

fn status(house: &House, field: &str) -> u64 {
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    status[field].as_u64().unwrap()
}

#[test]
fn a_deploy_loses_nobody_while_both_versions_serve() {
    let (first, second) = two_versions();
    let before = Crowd::draw(&first);
    before.keeps_its_places_at(&second, "deployed");
    let after = Crowd::draw(&second);
    after.keeps_its_places_at(&first, "drawn at the new version, sent to the old one");
    after.keeps_its_places_at(&second, "and back");
    assert_eq!(status(&second, "length"), 6, "nobody drew twice");
}

/// Each step writes the one entry. It is seen by one data centre before the other, and the new version is deployed to it.
#[test]
fn a_rotation_loses_nobody_whichever_data_centre_sees_a_step_first() {
    let (slow, quick) = two_versions();
    let (first, second) = (format!("{SECRET},{NEXT}"), format!("{NEXT},{SECRET}"));
    let of_old = Crowd::draw(&slow);
    for listed in [first.as_str(), &second] {
        quick.set("jwt_secret", listed);
        for (drawn, sent) in [(&slow, &quick), (&quick, &slow)] {
            let crowd = Crowd::draw(drawn);
            crowd.keeps_its_places_at(sent, listed);
            crowd.keeps_its_places_at(drawn, listed);
            of_old.has_its_turn_at(sent, listed);
        }
        slow.set("jwt_secret", listed);
    }
    let of_new = Crowd::draw(&slow);
    assert_eq!(status(&slow, "length"), 18, "nobody drew twice");
    quick.set("jwt_secret", NEXT);
    of_new.keeps_its_places_at(&quick, "the old secret is dropped");
    Crowd::draw(&quick).keeps_its_places_at(&slow, "by one of two");
    let ended = told(&mut sent_to(&quick, &of_old.waiting));
    assert_eq!(
        ended["position"], 22,
        "what the old secret signed has ended"
    );
}

/// Time passes in both data centres.
fn wait(both: [&House; 2], time: Duration) {
    let [first, second] = both;
    first.wait(time);
    second.follow_the_clock_of(first);
    // A sandbox reads its settings again after a second.
    thread::sleep(Duration::from_millis(1_100));
}

/// The number that the lot gave, once it is drawn.
fn number_by_lot(visitor: &mut Visitor<'_>) -> u64 {
    for _ in 0..40 {
        if let Some(number) = visitor.ask("/").json()["position"].as_u64() {
            return number;
        }
        thread::sleep(Duration::from_millis(500));
    }
    panic!("no lot was drawn")
}

/// The line of the pre-queue is drawn at the one version, and opens at the other.
#[test]
fn a_deploy_across_the_start_of_an_event_keeps_the_order() {
    let (first, second) = two_versions();
    let both = [&first, &second];
    Visitor::new(&first).ask("/");
    wait(both, Duration::from_mins(3));
    let now = first.now_ms() / 1000;
    let at = |after: u64| iso_8601((now + after) * 1000).replace(".000", "");
    let event = json!({
        "id": "sale", "order": "drawn", "prequeue": at(0), "opens": at(60), "closes": at(3600),
    });
    for house in both {
        house.set("automatic", "0");
        house.set("event", &event.to_string());
    }
    wait(both, Duration::from_secs(3));
    let mut crowd: Vec<Visitor<'_>> = [&first, &first, &second, &first, &second]
        .map(Visitor::new)
        .into();
    for visitor in &mut crowd {
        assert_eq!(visitor.ask("/").json()["position"], Value::Null);
    }
    wait(both, Duration::from_mins(1));
    let numbers: Vec<u64> = crowd
        .iter()
        .map(|visitor| number_by_lot(&mut sent_to(&second, visitor)))
        .collect();
    let of_first: Vec<u64> = crowd
        .iter()
        .map(|visitor| number_by_lot(&mut sent_to(&first, visitor)))
        .collect();
    assert_eq!(of_first, numbers, "both versions agree");
    let base = numbers.iter().min().unwrap() - 1;
    let mut sorted = numbers.clone();
    sorted.sort_unstable();
    let expected: Vec<u64> = (base + 1..=base + 5).collect();
    assert_eq!(sorted, expected, "each has a number of its own");
    second.permit(3);
    second.forget_the_sign();
    for (visitor, number) in crowd.iter().zip(&numbers) {
        let is_inside = sent_to(&second, visitor).ask("/echo").inside;
        assert_eq!(is_inside, *number <= base + 3, "{number} of {numbers:?}");
    }
}
