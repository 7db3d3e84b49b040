//! The member `shares` of `rooms`: rooms that have one pace and one cap together, each with a line of its own.

use std::time::Duration;

use audit::audit;
use serde_json::{Value, json};
use upstash_local::{Fault, Faults};

use now_serving::page::iso_8601;

use super::rooms::{Browser, change, go_in, named};
use crate::house::{Ask, Got, House};

// These stories need the beginning of a period.
in_houses_whose_clock_is_turned! {
    rooms_that_share_a_pace_let_in_no_more_than_it_says_and_each_its_equal_part
    a_part_for_which_no_visitor_comes_is_handed_over_in_the_same_period
    rooms_that_share_a_pace_keep_their_hold_their_words_and_their_permits
    a_pace_is_set_in_the_room_whose_it_is_and_holds_for_all_that_share_it
    a_pace_that_an_event_brings_holds_for_all_that_share_it
    a_pace_that_an_event_brings_holds_by_its_times_where_nobody_comes_to_its_room
    rooms_that_share_a_pace_keep_to_it_when_the_store_loses_its_data
    a_line_keeps_its_places_when_its_room_begins_to_share_a_pace_and_when_it_no_longer_does
    without_the_store_rooms_that_share_a_pace_let_in_what_it_has_together
    whatever_rooms_ask_no_more_visitors_go_in_than_their_pace_has
    rooms_that_share_a_cap_have_no_more_inside_than_it_says_and_each_may_have_its_equal_part
    a_slot_of_a_called_visitor_is_kept_from_the_other_room_until_the_claim_is_over
    a_cap_is_set_in_the_room_whose_it_is_and_holds_for_all_that_share_it
    whatever_visitors_do_no_more_are_inside_than_the_cap_of_their_rooms_says
    a_room_that_is_sold_out_keeps_no_slot_from_the_others
    a_room_on_hold_keeps_no_slot_from_the_others_for_long
    a_called_visitor_who_comes_late_goes_in_beside_a_line_in_another_room
    a_clock_that_is_set_back_keeps_no_slot_for_a_room_that_nobody_asks_for
    an_event_that_an_operator_set_brings_its_shared_pace_after_a_loss_too
    who_is_inside_a_room_that_lost_its_line_counts_for_the_others
    the_verdict_counts_who_is_inside_the_rooms_with_the_same_cap
    a_shared_pace_that_is_lowered_is_lower_for_all_together_at_once
    a_missed_period_is_for_those_who_waited_through_it
    a_clock_that_is_set_back_costs_a_shared_pace_no_whole_period
    a_pace_that_an_event_brings_is_known_where_nobody_ever_came_to_its_room
    a_pace_of_an_event_that_is_no_longer_configured_does_not_hold
    a_pace_that_an_operator_set_is_the_shared_one_after_some_quiet_days
    a_pace_that_an_operator_set_is_the_shared_one_after_a_loss
    what_an_adaptive_pace_does_not_use_of_a_part_is_for_the_others_at_once
    without_the_store_a_shared_pace_of_an_event_ends_with_it
    a_part_is_not_kept_for_a_room_whose_shop_reports_and_where_no_visitor_asks
}

/// A shop and a sale that has the shop's pace: six visitors a minute go in, in both together.
struct Two<'a> {
    house: &'a House,
    sale: String,
    shop_line: Vec<Browser>,
    sale_line: Vec<Browser>,
}

/// A visitor with a number, or inside.
fn at_time(house: &House, after: u64) -> String {
    iso_8601((house.now_ms() / 1000 + after) * 1000).replace(".000", "")
}

fn newcomer(house: &House, path: &str) -> Browser {
    let mut visitor = Browser::default();
    let is_there = |got: Got| got.inside || !got.json()["position"].is_null();
    let mut asked = (0..2).map(|_| visitor.ask(house, Ask::get(path).json()));
    assert!(asked.any(is_there), "{path}");
    visitor
}

impl<'a> Two<'a> {
    fn new(house: &'a House) -> Self {
        Self::at(house, 60, 6)
    }

    /// The same at another pace.
    fn at(house: &'a House, automatic: u64, quantity: u64) -> Self {
        let sale = named(house, "sale");
        let rooms = json!([
            { "name": sale, "paths": "/sale/*", "shares": house.room(), "heading": "The sale" },
        ]);
        house.set("automatic", &automatic.to_string());
        house.set("automatic_quantity", &quantity.to_string());
        house.set("rooms", &rooms.to_string());
        house.warm();
        house.wait_for_period(automatic);
        Self {
            house,
            sale,
            shop_line: Vec::new(),
            sale_line: Vec::new(),
        }
    }

    /// The same where so many may be inside both, each for two minutes, at a pace that no story uses up.
    fn capped(house: &'a House, most: u64) -> Self {
        house.set("total_active", &most.to_string());
        house.set("session_minutes", "2");
        house.set("claim_seconds", "10");
        let two = Self::new(house);
        house.set("automatic_quantity", "1000");
        two
    }

    /// Slots in the shop and in the sale: sessions, promised ones, those of the other room as it knows them, and free ones.
    fn slots(&self) -> [[u64; 4]; 2] {
        [String::new(), format!("room/{}/", self.sale)].map(|room| {
            let told = self.status(&room)["sessions"].clone();
            ["inside", "promised", "elsewhere", "free"].map(|name| told[name].as_u64().unwrap())
        })
    }

    /// As many visitors come to the shop, and then to the sale.
    fn come(&mut self, to_shop: usize, to_sale: usize) {
        let Self {
            house,
            shop_line,
            sale_line,
            ..
        } = self;
        for (line, path, many) in [
            (shop_line, "/", to_shop),
            (sale_line, "/sale/shoes", to_sale),
        ] {
            line.extend((0..many).map(|_| newcomer(house, path)));
        }
    }

    /// The last visitor polls, once the copy of the board is old.
    fn poll_shop(&mut self) {
        self.house.forget_the_sign();
        let last = self.shop_line.last_mut().unwrap();
        last.ask(self.house, Ask::get("/").json());
    }

    fn poll_sale(&mut self) {
        self.house.forget_the_sign();
        let last = self.sale_line.last_mut().unwrap();
        last.ask(self.house, Ask::get("/sale/shoes").json());
    }

    /// The next period begins, and visitors of both rooms have asked shortly before.
    fn next_period(&mut self) {
        let gone = self.house.now_ms() % 60_000;
        let wait = Duration::from_millis(45_000_u64.saturating_sub(gone));
        self.house.wait(wait);
        self.poll_shop();
        self.poll_sale();
        self.house.wait_for_period(60);
    }

    fn status(&self, room: &str) -> Value {
        let route = format!("/_queue/{room}status");
        self.house.ask(&Ask::get(&route).operator()).json()
    }

    /// How many visitors have been released: of the shop, and of the sale.
    fn released(&self) -> [u64; 2] {
        [String::new(), format!("room/{}/", self.sale)]
            .map(|room| self.status(&room)["cursor"].as_u64().unwrap())
    }

    fn sum(&self) -> u64 {
        self.released().iter().sum()
    }
}

/// The panel of a room, by what stands behind the operators' path.
fn panel(house: &House, room: &str) -> String {
    let panel = Ask::get(&format!("/_queue{room}")).operator();
    house.ask(&panel.with("accept", "text/html")).body
}

/// This limit is refused by a room that shares it with the first one.
fn is_set_elsewhere(house: &House, route: &str, body: &str, limit: &str) {
    let got = house.ask(&Ask::json_to(route, body));
    let told = got.json()["detail"].to_string();
    let accepted = format!("shares the {limit} of room {}", house.room());
    assert!(got.status == 400 && told.contains(&accepted), "{told}");
}

/// Chances that are the same in each run: each below the number that is asked for.
fn chances(mut seed: u64) -> impl FnMut(u64) -> u64 {
    move |many| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % many
    }
}

/// Two more rooms have the limits of the first one. The routes of the three, and a path of each.
fn three_rooms(house: &House) -> ([String; 3], [&'static str; 3]) {
    let names = ["a", "b"].map(|name| named(house, name));
    let listed = names.iter().zip(["/a", "/b"]);
    let listed =
        listed.map(|(name, path)| json!({ "name": name, "paths": path, "shares": house.room() }));
    house.set("rooms", &Value::Array(listed.collect()).to_string());
    let [a, b] = names.map(|name| format!("room/{name}/"));
    ([String::new(), a, b], ["/", "/a", "/b"])
}

/// Whether the journals of these rooms hang together and keep to the pace.
fn are_sound(house: &House, rooms: &[String]) {
    for room in rooms {
        let journal = Ask::get(&format!("/_queue/{room}journal")).operator();
        let page = house.ask(&journal).json().to_string();
        assert_eq!(audit(&[&page], &[]).faults, Vec::<String>::new(), "{room}");
    }
}

fn rooms_that_share_a_pace_let_in_no_more_than_it_says_and_each_its_equal_part(house: &House) {
    let mut two = Two::new(house);
    // Whoever comes first goes straight in, up to what both have.
    two.come(9, 12);
    assert_eq!(two.released(), [6, 0]);
    two.next_period();
    two.poll_shop();
    assert_eq!(two.released(), [9, 0], "three are kept for the sale");
    two.poll_sale();
    two.poll_shop();
    assert_eq!(two.released(), [9, 3]);
    // No visitor waits in the shop.
    two.next_period();
    two.poll_sale();
    assert_eq!(two.released(), [9, 9]);
    two.come(2, 0);
    assert_eq!(two.released(), [9, 9], "the period is used up");
    two.next_period();
    two.poll_sale();
    two.poll_shop();
    assert_eq!(two.released(), [11, 12]);
    // What is left is for the first who comes, to either room.
    two.come(0, 2);
    assert_eq!(two.released(), [11, 13]);
    are_sound(house, &[String::new(), format!("room/{}/", two.sale)]);
}

fn a_part_for_which_no_visitor_comes_is_handed_over_in_the_same_period(house: &House) {
    let mut two = Two::new(house);
    two.come(16, 10);
    assert_eq!(two.released(), [6, 0]);
    two.next_period();
    two.poll_sale();
    assert_eq!(two.released(), [6, 3]);
    house.wait(Duration::from_secs(30));
    two.poll_sale();
    assert_eq!(
        two.released(),
        [6, 3],
        "a visitor of the shop may still come"
    );
    house.wait(Duration::from_secs(10));
    two.poll_sale();
    two.poll_shop();
    assert_eq!(two.released(), [6, 6], "none came");
    // From a room that no visitor has asked for lately nothing is kept.
    house.wait_for_period(60);
    house.wait_for_period(60);
    two.poll_shop();
    assert_eq!(two.released(), [12, 6]);
}

fn rooms_that_share_a_pace_keep_their_hold_their_words_and_their_permits(house: &House) {
    let mut two = Two::new(house);
    two.come(10, 10);
    let sale = two.sale.clone();
    assert_eq!(house.calls(|| two.come(1, 1)), 2, "a draw each");
    // On hold a room needs nothing of the pace, and the other one has all of it.
    house.change("mode", r#"{"mode": "hold"}"#);
    two.next_period();
    two.poll_shop();
    two.poll_sale();
    assert_eq!(two.released(), [6, 6]);
    assert_eq!(two.status(&format!("room/{sale}/"))["mode"], "automatic");
    house.change("mode", r#"{"mode": "automatic"}"#);
    // A permit is for the room where it was given, and besides the pace.
    change(house, &sale, "permit", &json!({ "amt": 2 }));
    assert_eq!(two.released(), [6, 8]);
    two.next_period();
    two.poll_shop();
    two.poll_sale();
    assert_eq!(two.released(), [9, 11]);
    let page = |path: &str| {
        let ask = Ask::get(path).with("accept", "text/html");
        Browser::default().ask(house, ask).body
    };
    assert!(page("/sale/shoes").contains("The sale") && !page("/").contains("The sale"));
}

fn a_pace_is_set_in_the_room_whose_it_is_and_holds_for_all_that_share_it(house: &House) {
    let mut two = Two::new(house);
    two.come(20, 20);
    let in_sale = format!("room/{}/settings", two.sale);
    let pace = r#"{"automatic": 60, "automatic_quantity": 10}"#;
    is_set_elsewhere(house, &in_sale, pace, "pace");
    let panel = |room: &str| panel(house, room);
    let of_sale = format!("It is shared with room {}: set it there.", house.room());
    assert!(panel(&format!("/room/{}", two.sale)).contains(&of_sale));
    assert!(panel("").contains("Other rooms share it."));
    let has_form = |room: &str, form: &str| panel(room).contains(&format!("id=\"{form}\""));
    for form in ["pace", "cap"] {
        let sale = format!("/room/{}", two.sale);
        assert!(has_form("", form) && !has_form(&sale, form), "{form}");
    }
    house.change("settings", pace);
    two.next_period();
    two.poll_sale();
    two.poll_shop();
    assert_eq!(two.released(), [11, 5]);
    house.change(
        "settings",
        r#"{"automatic": null, "automatic_quantity": null}"#,
    );
    two.next_period();
    two.poll_sale();
    two.poll_shop();
    assert_eq!(two.released(), [14, 8]);
}

fn a_line_keeps_its_places_when_its_room_begins_to_share_a_pace_and_when_it_no_longer_does(
    house: &House,
) {
    let mut two = Two::new(house);
    let shared = json!([
        { "name": two.sale, "paths": "/sale/*", "shares": house.room() },
    ]);
    let alone = json!([{ "name": two.sale, "paths": "/sale/*" }]);
    house.set("rooms", &alone.to_string());
    two.come(20, 20);
    assert_eq!(two.released(), [6, 6], "each has a pace");
    let place = |two: &mut Two<'_>| {
        let last = two.sale_line.last_mut().unwrap();
        last.ask(house, Ask::get("/sale/shoes").json()).json()["ahead"].clone()
    };
    let mut before = place(&mut two);
    assert_eq!(before, 13);
    for rooms in [&shared, &alone, &shared] {
        house.set("rooms", &rooms.to_string());
        for _ in 0..4 {
            two.poll_shop();
            two.poll_sale();
            house.wait(Duration::from_secs(4));
        }
        let after = place(&mut two);
        assert!(after.as_u64() <= before.as_u64(), "{before} {after}");
        // A newcomer is behind.
        two.come(0, 1);
        before = place(&mut two);
        assert!(before.as_u64() > after.as_u64());
    }
}

/// The pace of both, though no room hears of the other.
fn without_the_store_rooms_that_share_a_pace_let_in_what_it_has_together(house: &House) {
    let mut two = Two::new(house);
    house.set("automatic_quantity", "60");
    house.set("on_store_error", "admit");
    two.come(100, 50);
    // By a look each room learns how many data centres there are, too.
    two.poll_shop();
    two.poll_sale();
    house.store.fail(Faults::always(Fault::Refuse));
    let mut inside = [0, 0];
    for _ in 0..40 {
        house.wait(Duration::from_secs(1));
        let last = [two.shop_line.pop(), two.sale_line.pop()];
        let paths = ["/", "/sale/shoes"];
        for (of, (visitor, path)) in last.into_iter().zip(paths).enumerate() {
            let got = visitor.unwrap().ask(house, Ask::get(path).json());
            inside[of] += u32::from(got.inside);
        }
    }
    assert!(inside.iter().all(|of| (10..=20).contains(of)), "{inside:?}");
}

/// Of three rooms, whichever asks when, with a crowd or without, and on hold now and then.
fn whatever_rooms_ask_no_more_visitors_go_in_than_their_pace_has(house: &House) {
    let (routes, paths) = three_rooms(house);
    let mut chance = chances(7);
    for (seconds, most) in [(1, 1), (4, 3), (20, 7)] {
        let pace = json!({ "automatic": seconds, "automatic_quantity": most });
        house.change("settings", &pace.to_string());
        let mut lines: [Vec<Browser>; 3] = std::array::from_fn(|_| Vec::new());
        let released = || -> [u64; 3] {
            std::array::from_fn(|of| {
                let route = format!("/_queue/{}status", routes[of]);
                let told = house.ask(&Ask::get(&route).operator()).json();
                told["cursor"].as_u64().unwrap()
            })
        };
        for of in 0..3 {
            house.wait_for_period(seconds);
            lines[of].extend((0..30).map(|_| newcomer(house, paths[of])));
        }
        house.wait_for_period(seconds);
        let (began, first) = (house.now_ms(), released());
        let moved = || {
            let now = released();
            [0, 1, 2].map(|of: usize| now[of] - first[of])
        };
        let mut held = None;
        for step in 0..60 {
            house.wait(Duration::from_millis(200 + chance(seconds * 1_000)));
            if step % 15 == 14 {
                let of = usize::try_from(chance(3)).unwrap();
                for (room, mode) in [(held.take(), "automatic"), (Some(of), "hold")] {
                    let Some(room) = room else { continue };
                    let route = format!("{}mode", routes[room]);
                    house.change(&route, &json!({ "mode": mode }).to_string());
                    held = (mode == "hold").then_some(room);
                }
            }
            let of = usize::try_from(chance(3)).unwrap();
            if chance(4) == 0 {
                lines[of].push(newcomer(house, paths[of]));
            } else {
                let last = lines[of].last_mut().unwrap();
                last.ask(house, Ask::get(paths[of]).json());
            }
            let periods = house.now_ms() / 1000 / seconds - began / 1000 / seconds;
            let both: u64 = moved().iter().sum();
            assert!(both <= most * (periods + 1), "{pace} {step}: {:?}", moved());
        }
        if let Some(room) = held {
            house.change(&format!("{}mode", routes[room]), r#"{"mode": "automatic"}"#);
        }
        are_sound(house, &routes);
        // Each had something of it.
        assert!(
            moved().iter().all(|moved| *moved > 0),
            "{pace}: {:?}",
            moved()
        );
    }
}

fn a_pace_that_an_event_brings_holds_for_all_that_share_it(house: &House) {
    let event = |quantity: u64| {
        json!({
            "id": "sale", "opens": at_time(house, 0), "closes": at_time(house, 3_600), "outside": "automatic",
            "with": { "automatic_quantity": quantity },
        })
    };
    house.set("event", &event(2).to_string());
    let mut two = Two::new(house);
    two.come(6, 6);
    let before: u64 = two.released().iter().sum();
    assert_eq!(before, 2, "one period");
    for _ in 0..3 {
        two.next_period();
        two.poll_shop();
        two.poll_sale();
    }
    let after: u64 = two.released().iter().sum();
    assert_eq!(after - before, 6);
}

fn a_pace_that_an_event_brings_holds_by_its_times_where_nobody_comes_to_its_room(house: &House) {
    let second = house.now_ms() / 1000;
    let at = |after: u64| iso_8601((second + after) * 1000).replace(".000", "");
    let event = json!({
        "id": "sale", "opens": at(300), "closes": at(600), "outside": "automatic",
        "with": { "automatic_quantity": 2 },
    });
    house.set("event", &event.to_string());
    let mut two = Two::new(house);
    two.come(1, 40);
    let mut released = [0; 2];
    // Of each minute, after which only visitors of the sale come.
    let mut minutes = Vec::new();
    while house.now_ms() / 1000 < second + 900 {
        house.wait_for_period(60);
        two.poll_sale();
        two.poll_sale();
        let now = two.released();
        minutes.push((house.now_ms() / 1000 - second, now[1] - released[1]));
        released = now;
    }
    for (at, many) in minutes.into_iter().skip(1) {
        let most = if (420..600).contains(&at) { 2 } else { 6 };
        assert!(many <= most, "{many} at {at}");
    }
    assert!(released[1] >= 30, "{released:?}");
}

/// What both have together, either line, and all of it. A room of which the key knows nothing yet has no part in that period.
fn rooms_that_share_a_pace_keep_to_it_when_the_store_loses_its_data(house: &House) {
    let mut two = Two::new(house);
    two.come(40, 40);
    let shop = house.key("");
    let keys = [
        format!("{shop}:limits"),
        format!("{shop}+{}", two.sale),
        shop,
    ];
    let moved = |before: [u64; 2], after: [u64; 2]| [0, 1].map(|of| after[of] - before[of]);
    for lost in [&keys[..1], &keys[1..2], &keys[2..], &keys[..]] {
        two.next_period();
        let before = two.released();
        let lost: Vec<&str> = lost.iter().map(String::as_str).collect();
        let delete = [&["DEL"], &lost[..]].concat();
        house.store.command(&delete).unwrap();
        // It comes back by the copies of the board, and for ten seconds nothing is released.
        for _ in 0..4 {
            two.poll_shop();
            two.poll_sale();
            house.wait(Duration::from_secs(4));
        }
        let after = two.released();
        let both: u64 = moved(before, after).iter().sum();
        assert!((1..=6).contains(&both), "{lost:?} {before:?} {after:?}");
        two.next_period();
        let before = two.released();
        two.poll_shop();
        two.poll_sale();
        assert_eq!(moved(before, two.released()), [3, 3], "{lost:?}");
    }
    // Of another type it begins anew.
    let before = two.released();
    let pace = keys[0].as_str();
    house.store.command(&["SET", pace, "x"]).unwrap();
    for _ in 0..2 {
        two.next_period();
        two.poll_shop();
        two.poll_sale();
    }
    let both: u64 = moved(before, two.released()).iter().sum();
    assert!((7..=12).contains(&both), "{both}");
}

fn rooms_that_share_a_cap_have_no_more_inside_than_it_says_and_each_may_have_its_equal_part(
    house: &House,
) {
    let mut two = Two::capped(house, 10);
    two.come(30, 30);
    assert_eq!(two.slots(), [[10, 0, 0, 0], [0, 0, 10, 0]]);
    assert_eq!(two.released(), [10, 0]);
    // Their sessions end. Whoever asks first, the other room has its half.
    house.wait(Duration::from_secs(110));
    two.poll_shop();
    two.poll_sale();
    house.wait(Duration::from_secs(30));
    two.poll_shop();
    two.poll_sale();
    house.wait(Duration::from_secs(35));
    let before = two.released();
    two.poll_shop();
    two.poll_shop();
    let shop = two.released()[0] - before[0];
    two.poll_sale();
    let both = two.released();
    assert_eq!([shop, both[1] - before[1]], [5, 5]);
    // No visitor comes for a slot, and each is free again: a room has those that the other one does not use.
    house.wait(Duration::from_secs(100));
    two.poll_shop();
    assert_eq!(
        two.released()[0] - both[0],
        10,
        "nobody waits in the sale any more"
    );
    are_sound(house, &[String::new(), format!("room/{}/", two.sale)]);
}

fn a_slot_of_a_called_visitor_is_kept_from_the_other_room_until_the_claim_is_over(house: &House) {
    let mut two = Two::capped(house, 4);
    two.come(12, 0);
    house.wait(Duration::from_secs(181));
    two.poll_shop();
    assert_eq!(two.slots()[0][..2], [0, 4], "promised");
    // The shop is on hold, where the time of a promise stands still.
    house.change("mode", r#"{"mode": "hold"}"#);
    two.come(0, 6);
    assert_eq!(two.slots()[1], [0, 0, 4, 0]);
    two.poll_sale();
    assert_eq!(two.released()[1], 0);
    // Nobody asks for the shop any more, so its promises are over.
    house.wait(Duration::from_mins(1));
    two.poll_sale();
    assert_eq!(two.released()[1], 4);
    let waiting = two.sale_line.len();
    let mut inside = 0;
    for visitor in &mut two.sale_line[..waiting.min(5)] {
        inside += u64::from(visitor.ask(house, Ask::get("/sale/shoes").json()).inside);
    }
    assert_eq!(inside, 4);
    // What the shop had promised is not there any more, and its visitors wait for the next free slot.
    house.change("mode", r#"{"mode": "automatic"}"#);
    for visitor in &mut two.shop_line[4..8] {
        assert!(!visitor.ask(house, Ask::get("/").json()).inside);
    }
    let [shop, _] = two.slots();
    assert_eq!(shop[0] + shop[2], 4);
}

fn a_cap_is_set_in_the_room_whose_it_is_and_holds_for_all_that_share_it(house: &House) {
    let mut two = Two::capped(house, 0);
    two.come(1, 1);
    let in_sale = format!("room/{}/cap", two.sale);
    let cap = r#"{"total_active": 4}"#;
    is_set_elsewhere(house, &in_sale, cap, "cap");
    let panel = |room: &str| panel(house, room);
    let of_sale = format!("It is shared with room {}: set it there.", house.room());
    assert_eq!(
        panel(&format!("/room/{}", two.sale))
            .matches(&of_sale)
            .count(),
        2
    );
    house.change("cap", cap);
    two.come(3, 3);
    let [shop, sale] = two.slots();
    assert_eq!((shop[0] + sale[0], shop[3], sale[3]), (4, 0, 0));
    assert_eq!((shop[2], sale[2]), (sale[0], shop[0]));
    house.change("cap", r#"{"total_active": null}"#);
    assert!(two.status(&format!("room/{}/", two.sale))["sessions"].is_null());
    two.come(0, 3);
    two.poll_sale();
    let waiting = two.status(&format!("room/{}/", two.sale))["waiting"].clone();
    assert_eq!(waiting, 0, "the cap is none");
}

/// Of three rooms: visitors come in crowds, go in, browse or leave, and rooms are on hold now and then.
fn whatever_visitors_do_no_more_are_inside_than_the_cap_of_their_rooms_says(house: &House) {
    const MOST: u64 = 9;
    let (routes, paths) = three_rooms(house);
    for (name, value) in [
        ("total_active", MOST.to_string()),
        ("session_minutes", "2".to_owned()),
        ("claim_seconds", "10".to_owned()),
        ("automatic", "15".to_owned()),
        ("automatic_quantity", "1000".to_owned()),
    ] {
        house.set(name, &value);
    }
    let mut chance = chances(11);
    let mut crowds: [Vec<Browser>; 3] = std::array::from_fn(|_| Vec::new());
    let mut went_in = [0; 3];
    let mut held: Option<usize> = None;
    for step in 0..400 {
        house.wait(Duration::from_millis(500 + chance(7_000)));
        if step % 50 == 49 {
            let of = usize::try_from(chance(3)).unwrap();
            for (room, mode) in [(held.take(), "automatic"), (Some(of), "hold")] {
                let Some(room) = room else { continue };
                let route = format!("{}mode", routes[room]);
                house.change(&route, &json!({ "mode": mode }).to_string());
                held = (mode == "hold").then_some(room);
            }
        }
        // More come to the first room than to both others.
        let of = [0, 0, 0, 1, 2][usize::try_from(chance(5)).unwrap()];
        if chance(3) == 0 || crowds[of].is_empty() {
            crowds[of].push(newcomer(house, paths[of]));
        }
        for _ in 0..3 {
            let many = u64::try_from(crowds[of].len()).unwrap();
            let at = usize::try_from(chance(many)).unwrap();
            let got = crowds[of][at].ask(house, Ask::get(paths[of]).json());
            went_in[of] += u64::from(got.inside);
            // Some have what they came for.
            if got.inside && chance(2) == 0 {
                crowds[of].remove(at);
            }
            if crowds[of].is_empty() {
                break;
            }
        }
        let all: u64 = (routes.iter())
            .map(|route| {
                let told = house.ask(&Ask::get(&format!("/_queue/{route}status")).operator());
                told.json()["sessions"]["inside"].as_u64().unwrap()
            })
            .sum();
        assert!(all <= MOST, "{step}: {all}");
    }
    are_sound(house, &routes);
    assert!(went_in.iter().all(|many| *many > 15), "{went_in:?}");
}

fn a_shared_pace_that_is_lowered_is_lower_for_all_together_at_once(house: &House) {
    let mut two = Two::at(house, 60, 60);
    two.come(100, 100);
    two.next_period();
    two.poll_shop();
    let before = two.sum();
    house.change("settings", r#"{"automatic": 60, "automatic_quantity": 20}"#);
    two.poll_sale();
    house.wait(Duration::from_secs(41));
    two.poll_shop();
    let more = two.sum() - before;
    assert!(more <= 20, "{more} of 20 a minute");
}

fn a_missed_period_is_for_those_who_waited_through_it(house: &House) {
    let mut two = Two::at(house, 10, 5);
    two.come(6, 0);
    assert_eq!(two.released(), [5, 0]);
    house.wait_for_period(10);
    house.wait_for_period(10);
    let last = two.shop_line.last_mut().unwrap();
    last.ask(house, Ask::get("/").json());
    assert_eq!(two.released(), [6, 0], "the one who waited");
    two.come(10, 10);
    let more = two.sum() - 6;
    assert!(more <= 5, "{more} newcomers in one period of 5");
}

fn a_clock_that_is_set_back_costs_a_shared_pace_no_whole_period(house: &House) {
    let mut two = Two::new(house);
    two.come(40, 40);
    two.next_period();
    two.poll_shop();
    two.poll_sale();
    house.set_back(Duration::from_hours(1));
    house.go_to_pop(1);
    two.poll_shop();
    two.poll_sale();
    house.wait_for_period(60);
    let before = two.sum();
    two.poll_shop();
    two.poll_sale();
    let more = two.sum() - before;
    assert_eq!(more, 6, "the first whole period by the new clock");
}

fn a_pace_that_an_event_brings_is_known_where_nobody_ever_came_to_its_room(house: &House) {
    let event = json!({
        "id": "sale", "opens": at_time(house, 200), "closes": at_time(house, 500), "outside": "automatic",
        "with": { "automatic_quantity": 2 },
    });
    house.set("event", &event.to_string());
    let began = house.now_ms() / 1000;
    let mut two = Two::new(house);
    two.come(0, 40);
    let mut last = two.released()[1];
    while house.now_ms() / 1000 < began + 480 {
        house.wait_for_period(60);
        two.poll_sale();
        let (now, after) = (two.released()[1], house.now_ms() / 1000 - began);
        if (260..500).contains(&after) {
            assert!(now - last <= 2, "{} at {after}", now - last);
        }
        last = now;
    }
}

/// An event that was taken from the settings brings nothing.
fn a_pace_of_an_event_that_is_no_longer_configured_does_not_hold(house: &House) {
    let event = json!({
        "id": "sale", "opens": at_time(house, 0), "outside": "automatic",
        "with": { "automatic_quantity": 30 },
    });
    house.set("event", &event.to_string());
    let mut two = Two::at(house, 60, 2);
    two.come(1, 99);
    house.set("event", "[]");
    house.wait_for_period(60);
    let before = two.sum();
    two.poll_sale();
    two.poll_sale();
    let more = two.sum() - before;
    assert!(more <= 2, "{more}");
}

fn a_pace_that_an_operator_set_is_the_shared_one_after_some_quiet_days(house: &House) {
    let mut two = Two::at(house, 60, 60);
    house.change("settings", r#"{"automatic": 60, "automatic_quantity": 1}"#);
    two.come(0, 1);
    house.wait(Duration::from_hours(72));
    house.wait_for_period(60);
    // A data centre keeps its last board for an hour.
    house.go_to_pop(1);
    assert_eq!(
        house.ask(&Ask::get("/_queue/settings").operator()).json()["pace"]["now"]["automatic_quantity"],
        1
    );
    let before = two.released()[1];
    two.come(0, 20);
    let more = two.released()[1] - before;
    assert!(more <= 1, "{more} of 1 a minute");
}

fn a_pace_that_an_operator_set_is_the_shared_one_after_a_loss(house: &House) {
    let mut two = Two::at(house, 60, 60);
    house.change("settings", r#"{"automatic": 60, "automatic_quantity": 1}"#);
    two.come(2, 40);
    two.next_period();
    let shop = house.key("");
    for key in [
        format!("{shop}:limits"),
        format!("{shop}+{}", two.sale),
        shop,
    ] {
        house.store.command(&["DEL", &key]).unwrap();
    }
    two.poll_sale();
    house.wait(Duration::from_secs(15));
    let before = two.released()[1];
    two.poll_sale();
    let more = two.released()[1] - before;
    assert!(more <= 2, "{more} of 1 a minute");
}

fn what_an_adaptive_pace_does_not_use_of_a_part_is_for_the_others_at_once(house: &House) {
    house.set("origin_health", "observe");
    house.set("adaptive_pace", "on");
    house.set("window_max", "1");
    let sale = named(house, "sale");
    let mut two = Two::new(house);
    let rooms = json!([{
        "name": sale, "paths": "/sale/*", "shares": house.room(), "adaptive_pace": "off", "window_max": 0,
    }]);
    house.set("rooms", &rooms.to_string());
    two.come(20, 20);
    two.next_period();
    let before = two.sum();
    two.poll_shop();
    two.poll_sale();
    assert_eq!(two.sum() - before, 6, "{:?}", two.released());
}

/// The pace of an event ends with it where the store is away, in the rooms that share it, too.
fn without_the_store_a_shared_pace_of_an_event_ends_with_it(house: &House) {
    house.set("on_store_error", "admit");
    let event = json!({
        "id": "one", "opens": at_time(house, 0), "closes": at_time(house, 170), "outside": "automatic",
        "with": { "automatic_quantity": 600 },
    });
    house.set("event", &event.to_string());
    let ends = house.now_ms() + 170_000;
    let mut two = Two::at(house, 60, 2);
    two.come(1, 1);
    house.wait(Duration::from_millis(ends - 10_000 - house.now_ms()));
    two.come(1, 1);
    house.store.fail(Faults::always(Fault::Refuse));
    house.wait(Duration::from_secs(30));
    let shop = go_in(house, "/echo");
    let sale = go_in(house, "/sale/shoes");
    assert!(
        shop <= 2 && sale <= 2,
        "shop {shop}, sale {sale}, at 2 a minute"
    );
}

fn a_part_is_not_kept_for_a_room_whose_shop_reports_and_where_no_visitor_asks(house: &House) {
    let mut two = Two::new(house);
    two.come(40, 40);
    two.next_period();
    two.poll_shop();
    two.poll_sale();
    let route = format!("room/{}/report", two.sale);
    while house.now_ms() % 60_000 < 50_000 {
        house.wait(Duration::from_secs(10));
        assert_eq!(
            house.ask(&Ask::json_to(&route, r#"{"load": 0.5}"#)).status,
            200
        );
    }
    two.poll_shop();
    house.wait_for_period(60);
    let before = two.sum();
    two.poll_shop();
    assert_eq!(
        two.sum() - before,
        6,
        "nobody asked in the sale for a minute"
    );
}

fn a_room_that_is_sold_out_keeps_no_slot_from_the_others(house: &House) {
    let mut two = Two::capped(house, 10);
    let route = format!("room/{}/report", two.sale);
    house.ask(&Ask::json_to(&route, r#"{"stock": 0}"#));
    two.come(0, 10);
    two.come(60, 0);
    let mut most = 0;
    for _ in 0..16 {
        house.wait(Duration::from_secs(15));
        two.poll_sale();
        two.poll_shop();
        let [shop, _] = two.slots();
        most = most.max(shop[1]);
    }
    assert_eq!(most, 10, "promised");
}

fn a_room_on_hold_keeps_no_slot_from_the_others_for_long(house: &House) {
    let mut two = Two::capped(house, 4);
    two.come(12, 0);
    house.wait(Duration::from_secs(181));
    two.poll_shop();
    house.change("mode", r#"{"mode": "hold"}"#);
    two.come(0, 6);
    for _ in 0..4 {
        house.wait(Duration::from_secs(20));
        two.poll_shop();
        two.poll_sale();
    }
    assert!(two.released()[1] >= 4);
}

fn a_called_visitor_who_comes_late_goes_in_beside_a_line_in_another_room(house: &House) {
    let mut two = Two::capped(house, 4);
    two.come(4, 0);
    house.wait(Duration::from_secs(30));
    two.come(2, 0);
    two.come(0, 60);
    two.shop_line.drain(..4);
    // The sessions end, and two of the shop are called. Neither comes in time.
    house.wait(Duration::from_secs(115));
    two.poll_shop();
    two.poll_sale();
    house.wait(Duration::from_secs(36));
    two.poll_shop();
    house.wait(Duration::from_secs(11));
    let mut came = 0;
    for second in 0..600 {
        house.wait(Duration::from_secs(1));
        two.poll_sale();
        // Called ones of the sale come in time, and leave.
        let mut gone = Vec::new();
        for visitor in two.sale_line.iter_mut().take(8) {
            gone.push(visitor.ask(house, Ask::get("/sale/shoes").json()).inside);
        }
        let mut gone = gone.into_iter();
        two.sale_line.retain(|_| !gone.next().unwrap_or(false));
        if second % 20 == 0 {
            two.come(0, 2);
        }
        if second % 7 == 0 {
            let late = &mut two.shop_line[0];
            came += u32::from(late.ask(house, Ask::get("/").json()).inside);
        }
    }
    assert!(came > 0);
}

fn a_clock_that_is_set_back_keeps_no_slot_for_a_room_that_nobody_asks_for(house: &House) {
    let mut two = Two::capped(house, 10);
    two.come(60, 0);
    house.wait(Duration::from_secs(181));
    two.poll_shop();
    two.come(0, 5);
    two.poll_sale();
    house.set_back(Duration::from_hours(3));
    house.go_to_pop(1);
    // More than the patience with a room that nobody asks for. Then what was promised before is over.
    house.wait(Duration::from_mins(1));
    two.poll_shop();
    let mut most = 0;
    for _ in 0..3 {
        house.wait(Duration::from_secs(15));
        two.poll_shop();
        let [shop, _] = two.slots();
        most = most.max(shop[1]);
    }
    assert_eq!(most, 10, "promised");
}

/// Everything is lost, and only the other room is asked.
fn an_event_that_an_operator_set_brings_its_shared_pace_after_a_loss_too(house: &House) {
    let mut two = Two::at(house, 60, 60);
    let event = json!({ "event": [{
        "id": "sale", "opens": at_time(house, 0), "closes": at_time(house, 7_200), "outside": "automatic",
        "with": { "automatic_quantity": 1 },
    }] });
    house.change("event", &event.to_string());
    two.come(1, 60);
    two.next_period();
    two.poll_sale();
    let shop = house.key("");
    for lost in [
        vec![format!("{shop}:limits")],
        vec![
            format!("{shop}:limits"),
            format!("{shop}+{}", two.sale),
            shop,
        ],
    ] {
        for key in lost {
            house.store.command(&["DEL", &key]).unwrap();
        }
        let before = two.released()[1];
        for _ in 0..4 {
            two.poll_sale();
            house.wait(Duration::from_secs(5));
        }
        house.wait_for_period(60);
        two.poll_sale();
        let more = two.released()[1] - before;
        assert!(more <= 2, "{more} at 1 a minute");
    }
}

/// No copy of its board is there: what the others know of it is not forgotten by its own first call.
fn who_is_inside_a_room_that_lost_its_line_counts_for_the_others(house: &House) {
    house.set("session_minutes", "10");
    let mut two = Two::capped(house, 10);
    house.set("session_minutes", "10");
    two.come(0, 3);
    two.come(14, 0);
    assert_eq!(two.slots().map(|of| of[0]), [7, 3]);
    let sale = format!("{}+{}", house.key(""), two.sale);
    for key in [
        sale.clone(),
        format!("{sale}:inside:0"),
        format!("{sale}:inside:1"),
    ] {
        house.store.command(&["DEL", &key]).unwrap();
    }
    house.go_to_pop(1);
    house.wait(Duration::from_secs(15));
    newcomer(house, "/sale/shoes");
    house.wait(Duration::from_secs(15));
    for visitor in &mut two.shop_line {
        house.forget_the_sign();
        visitor.ask(house, Ask::get("/").json());
    }
    let [shop, _] = two.slots();
    assert_eq!((shop[0], shop[1], shop[2]), (7, 0, 3));
}

fn the_verdict_counts_who_is_inside_the_rooms_with_the_same_cap(house: &House) {
    let mut two = Two::capped(house, 10);
    two.come(0, 10);
    two.come(20, 0);
    for _ in 0..4 {
        house.wait(Duration::from_secs(25));
        two.come(2, 0);
        two.poll_shop();
    }
    let page = panel(house, "");
    assert!(
        page.contains("0 inside here, 10 in rooms with the same cap, of 10"),
        "{page}"
    );
}
