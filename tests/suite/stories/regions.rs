//! The setting `regions`: several lines in one room, which share each release by fixed shares, or by what came to them in a past, complete
//! minute.

use std::time::Duration;

use serde_json::{Value, json};

use super::invitations::{invitation_by, notice, used};
use super::rooms::{Browser, change, named};
use crate::house::{Ask, Got, House, Visitor, claims};

// These stories need minutes, the beginning of a period, or several POPs.
in_houses_whose_clock_is_turned! {
    a_permit_is_split_by_what_came_two_minutes_ago
    a_flood_in_one_region_leaves_the_wait_of_another_unchanged_until_its_minute_counts
    with_fixed_shares_a_flood_in_one_region_changes_the_wait_of_no_visitor_in_another
    a_group_has_its_share_beside_regions_and_its_visitors_keep_their_region
    a_fixed_share_goes_before_the_reserve_and_what_it_does_not_use_is_for_the_others
    of_150_free_slots_the_regions_have_15_and_22_and_anywhere_113
    what_a_region_does_not_use_is_for_the_others_at_once
    each_region_waits_by_its_own_measured_rate
    where_the_store_lost_its_data_a_copy_brings_the_regions_back
    a_loss_leaves_each_lane_as_its_copies_know_it
    after_a_loss_a_copy_that_shows_an_idle_region_lets_no_visitor_in_before_the_turn
    a_better_copy_counts_whichever_comes_first
    behind_a_further_copy_of_a_region_no_number_is_given_twice
    a_further_copy_leaves_the_free_numbers_in_front_of_new_visitors
    a_loss_that_only_a_region_shows_gives_no_number_twice
    of_two_rows_of_free_numbers_the_longer_one_is_passed
    a_late_copy_shows_that_numbers_of_the_main_line_are_held
    a_permit_spends_nothing_on_free_numbers_that_its_own_release_comes_to
    a_copy_of_long_ago_leaves_the_free_numbers_of_the_main_line_where_they_are
    after_a_loss_nobody_goes_in_while_the_room_is_on_hold
    after_a_loss_a_ticket_behind_the_free_numbers_shows_that_they_are_held
    a_loss_that_only_a_region_shows_lets_no_visitor_in_before_the_turn
    a_ticket_of_before_the_end_of_all_tickets_lifts_no_region
    a_copy_of_before_the_end_of_all_tickets_lifts_no_region
    after_a_loss_no_release_is_spent_on_an_idle_main_line
    a_region_that_is_taken_from_the_settings_is_served_to_its_end
}

fn with_regions(house: &House) {
    let regions = r#"[{"name":"west","pops":["SJC","SEA"]},{"name":"east","pops":["LHR"]}]"#;
    house.set("regions", regions);
}

/// Visitors who draw in the POP of this name, one after the other.
fn from<'a>(house: &'a House, pop: &str, many: usize) -> Vec<Visitor<'a>> {
    house.go_to_pop_called(pop);
    let draw = |_| {
        let mut visitor = Visitor::new(house);
        visitor.ask("/");
        visitor
    };
    (0..many).map(draw).collect()
}

/// The beginning of the next minute.
fn next_minute(house: &House) {
    house.wait_for_period(60);
}

/// How far the lines are: of these two regions, and of anywhere else.
fn cursors(house: &House) -> [u64; 3] {
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    let regions = status["regions"].as_array().cloned().unwrap_or_default();
    let of = |name: &str| {
        let found = regions.iter().find(|region| region["name"] == name);
        found.map_or(0, |region| region["cursor"].as_u64().unwrap())
    };
    [of("west"), of("east"), status["cursor"].as_u64().unwrap()]
}

/// By how much they moved.
fn moved(house: &House, act: impl FnOnce()) -> [u64; 3] {
    let before = cursors(house);
    act();
    let after = cursors(house);
    [0, 1, 2].map(|at| after[at] - before[at])
}

fn number(got: &Got, name: &str) -> u64 {
    let told = got.json();
    told[name].as_u64().unwrap_or_else(|| panic!("{told}"))
}

fn lane(got: &Got) -> Value {
    got.json()["lane"].clone()
}

fn a_permit_is_split_by_what_came_two_minutes_ago(house: &House) {
    with_regions(house);
    house.set("regions_lag", "2");
    next_minute(house);
    from(house, "SJC", 50);
    from(house, "LHR", 50);
    next_minute(house);
    from(house, "SJC", 45);
    from(house, "LHR", 55);
    next_minute(house);
    // What comes now counts later.
    from(house, "SJC", 30);
    assert_eq!(moved(house, || drop(house.permit(20))), [10, 10, 0]);
    next_minute(house);
    assert_eq!(moved(house, || drop(house.permit(20))), [9, 11, 0]);
    assert_eq!(moved(house, || drop(house.permit(100))), [45, 55, 0]);
}

fn a_flood_in_one_region_leaves_the_wait_of_another_unchanged_until_its_minute_counts(
    house: &House,
) {
    with_regions(house);
    next_minute(house);
    from(house, "SJC", 30);
    let mut line = from(house, "LHR", 30);
    next_minute(house);
    from(house, "SEA", 270);
    for _ in 0..3 {
        assert_eq!(moved(house, || drop(house.permit(10))), [5, 5, 0]);
    }
    house.go_to_pop_called("LHR");
    house.forget_the_sign();
    let mut last = line.pop().unwrap();
    assert_eq!(number(&last.ask("/"), "ahead"), 14, "as without the flood");
    // From the next minute on the flood has its share.
    next_minute(house);
    from(house, "LHR", 30);
    assert_eq!(moved(house, || drop(house.permit(20))), [20, 0, 0]);
    next_minute(house);
    assert_eq!(moved(house, || drop(house.permit(20))), [1, 19, 0]);
}

/// Two rooms that differ in nothing but the flood.
fn with_fixed_shares_a_flood_in_one_region_changes_the_wait_of_no_visitor_in_another(
    house: &House,
) {
    let names = ["calm", "flood"].map(|name| named(house, name));
    let rooms = names.each_ref().map(|name| {
        json!({
            "name": name, "paths": format!("/{name}/*"), "automatic": 15, "automatic_quantity": 7,
            "regions": [
                { "name": "west", "pops": "SJC", "share": 45 },
                { "name": "east", "pops": "LHR", "share": 55 },
            ],
        })
    });
    house.set("rooms", &json!(rooms).to_string());
    let paths = names.each_ref().map(|name| format!("/{name}/"));
    let turn = |mode: &str| {
        for name in &names {
            change(house, name, "mode", &json!({ "mode": mode }));
        }
    };
    turn("hold");
    let draw = |pop: &str, path: &str, many: usize| -> Vec<Browser> {
        house.go_to_pop_called(pop);
        let draw = |_| {
            let mut browser = Browser::default();
            assert!(browser.number(house, path).is_u64());
            browser
        };
        (0..many).map(draw).collect()
    };
    house.wait_for_period(60);
    let mut lines = paths.each_ref().map(|path| {
        draw("SJC", path, 70);
        draw("LHR", path, 70)
    });
    turn("automatic");
    let mut seen = [Vec::new(), Vec::new()];
    for step in 0..16 {
        if step % 4 == 1 {
            for (path, many) in paths.iter().zip([2, 200]) {
                draw("SJC", path, many);
            }
        }
        house.go_to_pop_called("LHR");
        house.wait_for_period(15);
        for ((path, line), seen) in paths.iter().zip(&mut lines).zip(&mut seen) {
            house.forget_the_sign();
            let told = line.iter_mut().map(|browser| {
                let got = browser.ask(house, Ask::get(path).json());
                if got.inside {
                    Value::Null
                } else {
                    got.json()["ahead"].clone()
                }
            });
            seen.push(told.collect::<Vec<_>>());
        }
    }
    let [calm, flood] = seen;
    let inside = |told: &[Value]| told.iter().filter(|ahead| ahead.is_null()).count();
    let last = calm.last().unwrap();
    assert_eq!(inside(last), 17 * 7 * 55 / 100, "of 17 periods: {last:?}");
    assert_eq!(calm, flood);
}

/// Also where its number is lost for good: then the visitor draws in the region, and not in the main line.
fn a_group_has_its_share_beside_regions_and_its_visitors_keep_their_region(house: &House) {
    with_regions(house);
    house.set("priority", r#"[{"name":"front","share":20}]"#);
    next_minute(house);
    let mut west = from(house, "SJC", 40);
    from(house, "LHR", 40);
    house.go_to_pop_called("SJC");
    let code = invitation_by(Some("front"), house, "one", 11, 3600);
    let mut guest = Visitor::new(house);
    let got = used(&mut guest, &code);
    assert_eq!((lane(&got), number(&got, "position")), (json!("front"), 1));
    // A visitor with a number of a region goes over, and keeps no place there.
    for visitor in &mut west[30..] {
        assert_eq!(lane(&used(visitor, &code)), "front");
    }
    let mut late = Visitor::new(house);
    let got = used(&mut late, &code);
    assert_eq!(
        (lane(&got), notice(&got)),
        (json!("west"), json!("invitation_used"))
    );
    next_minute(house);
    // Two of ten are for the group, and eight are shared by what came in the minute before.
    assert_eq!(moved(house, || drop(house.permit(20))), [8, 8, 0]);
    house.forget_the_sign();
    let mut inside = |visitor: &mut Visitor<'_>| visitor.ask("/").inside;
    assert!(inside(&mut guest) && west[30..33].iter_mut().all(&mut inside));
    assert_eq!(lane(&west[33].ask("/")), "front");
    let told = house.ask(&Ask::get("/_queue/status").operator()).json();
    assert_eq!(told["invitations"]["groups"][0]["cursor"], 4, "{told}");
    // Numbers that were left for the group wait unused.
    assert_eq!(told["waiting"], 72, "{told}");
    // The invitation is used up, and the store remembers nothing.
    house.change("epoch", &house.word());
    house.forget_the_sign();
    let got = west[34].ask("/");
    assert_eq!((lane(&got), number(&got, "position")), (json!("west"), 42));
}

fn a_fixed_share_goes_before_the_reserve_and_what_it_does_not_use_is_for_the_others(house: &House) {
    let regions = r#"[{"name":"west","pops":["SJC"],"share":40},{"name":"east","pops":["LHR"]}]"#;
    house.set("regions", regions);
    next_minute(house);
    from(house, "SJC", 50);
    from(house, "LHR", 30);
    from(house, "JNB", 20);
    next_minute(house);
    assert_eq!(moved(house, || drop(house.permit(50))), [20, 18, 12]);
    assert_eq!(moved(house, || drop(house.permit(30))), [12, 11, 7]);
    assert_eq!(moved(house, || drop(house.permit(15))), [13, 1, 1]);
}

fn of_150_free_slots_the_regions_have_15_and_22_and_anywhere_113(house: &House) {
    with_regions(house);
    for (key, value) in [
        ("automatic", "60"),
        ("automatic_quantity", "200"),
        ("total_active", "150"),
        ("active_visitors", "on"),
    ] {
        house.set(key, value);
    }
    house.change("mode", r#"{"mode":"hold"}"#);
    next_minute(house);
    from(house, "SJC", 20);
    from(house, "LHR", 30);
    next_minute(house);
    from(house, "JNB", 120);
    let released = moved(house, || {
        house.change("mode", r#"{"mode":"automatic"}"#);
    });
    assert_eq!(released, [15, 22, 113]);
    assert_eq!(released.iter().sum::<u64>(), 150);
}

fn what_a_region_does_not_use_is_for_the_others_at_once(house: &House) {
    with_regions(house);
    next_minute(house);
    from(house, "SJC", 60);
    from(house, "LHR", 30);
    from(house, "JNB", 10);
    next_minute(house);
    assert_eq!(moved(house, || drop(house.permit(70))), [42, 21, 7]);
    assert_eq!(moved(house, || drop(house.permit(29))), [17, 9, 3]);
    assert_eq!(moved(house, || drop(house.permit(5))), [1, 0, 0]);
}

fn each_region_waits_by_its_own_measured_rate(house: &House) {
    with_regions(house);
    house.set("automatic", "15");
    house.set("automatic_quantity", "8");
    house.change("mode", r#"{"mode":"hold"}"#);
    next_minute(house);
    let mut west = from(house, "SJC", 300);
    from(house, "LHR", 100);
    house.change("mode", r#"{"mode":"automatic"}"#);
    // A new minute has no arrivals: the shares are by who waits.
    for _ in 0..9 {
        house.go_to_pop_called("LHR");
        house.wait(Duration::from_secs(15));
        from(house, "LHR", 1);
    }
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    let measured = |name: &str| {
        let regions = status["regions"].as_array().unwrap();
        let found = regions.iter().find(|region| region["name"] == name);
        found.unwrap()["measured_per_minute"]
            .as_f64()
            .unwrap_or_else(|| panic!("{status}"))
    };
    let (fast, slow) = (measured("west"), measured("east"));
    assert!(fast > slow && fast + slow <= 34.0, "{fast} {slow}");
    house.go_to_pop_called("SJC");
    house.forget_the_sign();
    let told = west.pop().unwrap().ask("/");
    let ahead = f64::from(u32::try_from(number(&told, "ahead")).unwrap());
    let seconds = f64::from(u32::try_from(number(&told, "estimated_wait_seconds")).unwrap());
    let expected = ahead / fast * 60.0;
    assert!(
        (seconds / expected - 1.0).abs() <= 0.2,
        "{seconds} {expected}"
    );
}

fn where_the_store_lost_its_data_a_copy_brings_the_regions_back(house: &House) {
    with_regions(house);
    next_minute(house);
    let mut west = from(house, "SJC", 6);
    house.permit(2);
    house.forget_the_sign();
    let told = west[5].ask("/");
    assert_eq!((number(&told, "position"), number(&told, "ahead")), (6, 3));
    house.store.command(&["FLUSHALL"]).unwrap();
    house.forget_the_sign();
    let told = west[5].ask("/");
    assert_eq!((number(&told, "position"), number(&told, "ahead")), (6, 3));
    let mut next = from(house, "SEA", 1);
    let told = next[0].ask("/");
    assert_eq!(lane(&told), "west");
    assert!(number(&told, "position") > 6, "{:?}", told.json());
    // No visitor of the region is called twice, nor out of turn.
    house.wait(Duration::from_secs(11));
    house.permit(1);
    house.forget_the_sign();
    assert!(west[2].ask("/").inside);
    assert!(!west[3].ask("/").inside);
}

/// How many wait in each region that the board knows, by name, and the length of its line.
fn lines(house: &House) -> Vec<(String, u64, u64)> {
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    let line = |line: &Value| {
        let of = |name: &str| line[name].as_u64().unwrap();
        (
            line["name"].as_str().unwrap().to_owned(),
            of("waiting"),
            of("length"),
        )
    };
    let regions = status["regions"].as_array().unwrap();
    regions.iter().map(line).collect()
}

fn a_loss_leaves_each_lane_as_its_copies_know_it(house: &House) {
    let names = r#"[{"name":"west","pops":["SJC"]},{"name":"east","pops":["LHR"]},
        {"name":"north","pops":["OSL"]},{"name":"south","pops":["GRU"]}]"#;
    house.set("regions", names);
    next_minute(house);
    from(house, "SJC", 4);
    from(house, "OSL", 1);
    next_minute(house);
    house.permit(1);
    let of = |name: &str, waiting, length| (name.to_owned(), waiting, length);
    assert_eq!(lines(house), [of("north", 1, 1), of("west", 3, 4)]);
    // One POP knows less of the main line than the other, so the second copy tells of it once more.
    from(house, "GRU", 1);
    from(house, "CDG", 3);
    house.store.command(&["FLUSHALL"]).unwrap();
    for pop in ["GRU", "CDG", "GRU"] {
        house.go_to_pop_called(pop);
        house.forget_the_sign();
        let known = [of("north", 1, 1), of("south", 1, 1), of("west", 3, 4)];
        assert_eq!(lines(house), known, "after the copy of {pop}");
    }
    // A look at the status kept nothing of this; a permit does.
    house.permit(1);
    house.wait(Duration::from_secs(12));
    house.permit(7);
    let waiting: Vec<u64> = lines(house).iter().map(|line| line.1).collect();
    assert_eq!(waiting, [0, 0, 0]);
}

/// Ten visitors of one data centre are inside, and fifteen of another one wait, of whom the first knows nothing. Then the store loses
/// its data. The visitors who wait, in their order.
fn fifteen_wait_whom_one_copy_does_not_know(house: &House) -> Vec<Visitor<'_>> {
    let waiting = wait_whom_one_copy_does_not_know(house, 15);
    house.store.command(&["FLUSHALL"]).unwrap();
    waiting
}

fn wait_whom_one_copy_does_not_know(house: &House, many: usize) -> Vec<Visitor<'_>> {
    with_regions(house);
    house.set("automatic", "0");
    next_minute(house);
    let mut inside = from(house, "SJC", 10);
    house.permit(10);
    assert!(inside.iter_mut().all(|one| one.ask("/").inside));
    house.forget_the_sign();
    inside[0].ask("/_queue/place");
    // The data centre knows the line as it stands now.
    from(house, "SJC", 1)[0].ask("/");
    house.permit(1);
    house.forget_the_sign();
    house.ask(&Ask::get("/_queue/lot"));
    from(house, "SEA", many)
}

fn who_is_inside(line: &mut [Visitor<'_>]) -> Vec<usize> {
    let mut inside = Vec::new();
    for (at, visitor) in line.iter_mut().enumerate() {
        if visitor.ask("/").inside {
            inside.push(at);
        }
    }
    inside
}

/// A copy is renewed with the first question in its data centre.
fn asks_in(house: &House, pop: &str) {
    house.go_to_pop_called(pop);
    house.forget_the_sign();
    from(house, pop, 1);
}

fn after_a_loss_a_copy_that_shows_an_idle_region_lets_no_visitor_in_before_the_turn(house: &House) {
    let mut waiting = fifteen_wait_whom_one_copy_does_not_know(house);
    asks_in(house, "SJC");
    house.go_to_pop_called("SEA");
    house.forget_the_sign();
    assert_eq!(who_is_inside(&mut waiting), [0; 0]);
    house.wait(Duration::from_secs(12));
    assert_eq!(who_is_inside(&mut waiting), [0; 0]);
    house.permit(3);
    house.forget_the_sign();
    assert_eq!(who_is_inside(&mut waiting), [0, 1, 2]);
}

fn a_better_copy_counts_whichever_comes_first(house: &House) {
    let mut waiting = fifteen_wait_whom_one_copy_does_not_know(house);
    asks_in(house, "SEA");
    asks_in(house, "SJC");
    house.wait(Duration::from_secs(12));
    house.go_to_pop_called("SEA");
    house.permit(3);
    house.forget_the_sign();
    assert_eq!(who_is_inside(&mut waiting), [0, 1, 2]);
}

fn after_a_loss_nobody_goes_in_while_the_room_is_on_hold(house: &House) {
    let mut waiting = fifteen_wait_whom_one_copy_does_not_know(house);
    house.go_to_pop_called("SJC");
    house.change("mode", r#"{"mode":"hold"}"#);
    let before = cursors(house)[0];
    house.wait(Duration::from_secs(30));
    asks_in(house, "SJC");
    assert_eq!(cursors(house)[0], before, "nothing is passed on hold");
    house.go_to_pop_called("SEA");
    house.forget_the_sign();
    assert_eq!(who_is_inside(&mut waiting), [0; 0]);
    house.change("mode", r#"{"mode":"automatic"}"#);
    house.forget_the_sign();
    assert_eq!(who_is_inside(&mut waiting), [0; 0]);
}

/// More wait than numbers were left free, and the copy that knows them is gone.
fn after_a_loss_a_ticket_behind_the_free_numbers_shows_that_they_are_held(house: &House) {
    let mut waiting = wait_whom_one_copy_does_not_know(house, 23);
    // So long that a copy would leave no more than the least number free.
    house.wait(Duration::from_secs(12));
    house.store.command(&["FLUSHALL"]).unwrap();
    asks_in(house, "SJC");
    house.go_to_pop_called("LAX");
    waiting[22].ask("/");
    house.wait(Duration::from_secs(12));
    house.permit(3);
    house.forget_the_sign();
    assert_eq!(who_is_inside(&mut waiting), [0, 1, 2]);
}

/// The data centre asks about the line, and nobody draws there.
fn renews_its_copy(house: &House, pop: &str) {
    house.go_to_pop_called(pop);
    house.forget_the_sign();
    house.ask(&Ask::get("/_queue/lot"));
}

/// In the first region.
fn lets_in_up_to(house: &House, cursor: u64) {
    for _ in 0..40 {
        if cursors(house)[0] < cursor {
            house.permit(1);
        }
    }
}

/// Both copies know the same of the main line, and the second one more of the region.
fn behind_a_further_copy_of_a_region_no_number_is_given_twice(house: &House) {
    house.set("regions", r#"[{"name":"west","pops":["SJC","SEA","LAX"]}]"#);
    house.set("automatic", "0");
    next_minute(house);
    from(house, "JNB", 3);
    from(house, "SJC", 10);
    from(house, "SEA", 19);
    let mut last = from(house, "LAX", 6).pop().unwrap();
    assert_eq!(number(&last.ask("/"), "position"), 35);
    house.store.command(&["FLUSHALL"]).unwrap();
    renews_its_copy(house, "SJC");
    renews_its_copy(house, "SEA");
    let mut new = from(house, "SJC", 1);
    assert_eq!(number(&last.ask("/"), "position"), 35);
    house.forget_the_sign();
    assert_eq!(number(&new[0].ask("/"), "position"), 36);
}

/// The copy that knows more comes when new visitors wait behind the free numbers.
fn a_further_copy_leaves_the_free_numbers_in_front_of_new_visitors(house: &House) {
    with_regions(house);
    house.set("automatic", "0");
    next_minute(house);
    let mut old = from(house, "SJC", 10);
    house.wait(Duration::from_secs(12));
    old.extend(from(house, "SEA", 3));
    from(house, "JNB", 1);
    renews_its_copy(house, "SEA");
    house.store.command(&["FLUSHALL"]).unwrap();
    renews_its_copy(house, "SJC");
    let mut new = from(house, "SJC", 2);
    renews_its_copy(house, "SEA");
    house.wait(Duration::from_secs(12));
    lets_in_up_to(house, 13);
    house.permit(4);
    house.forget_the_sign();
    assert_eq!(who_is_inside(&mut old).len(), 13);
    assert_eq!(who_is_inside(&mut new), [0, 1]);
}

/// What the store keeps of a lane: names of fields and their values.
fn kept_of(house: &House, lane: &str) -> Vec<String> {
    let kept = house.store.command(&["HGETALL", "queue:{main}"]).unwrap();
    let words = kept.as_array().unwrap().iter();
    let words: Vec<&str> = words.map(|word| word.as_str().unwrap()).collect();
    let of_lane = words.chunks(2).filter(|field| {
        let begin = field[0].split_once(' ');
        begin.is_some_and(|(name, _)| name == lane)
    });
    of_lane.flatten().map(ToString::to_string).collect()
}

/// The store keeps of this lane what it kept before, and nothing else.
fn put_back(house: &House, lane: &str, before: &[String]) {
    let put = |command: &str, words: Vec<&String>| {
        let words = words.into_iter().map(String::as_str);
        let command: Vec<&str> = [command, "queue:{main}"].into_iter().chain(words).collect();
        house.store.command(&command).unwrap();
    };
    let now = kept_of(house, lane);
    put("HDEL", now.iter().step_by(2).collect());
    put("HSET", before.iter().collect());
}

/// As where a failover loses the last draws of one region, and no release: the main line and the journal are what the copies know.
fn a_loss_that_only_a_region_shows_gives_no_number_twice(house: &House) {
    house.set("regions", r#"[{"name":"west","pops":["SJC","SEA","LAX"]}]"#);
    house.set("automatic", "0");
    next_minute(house);
    from(house, "JNB", 3);
    from(house, "SJC", 10);
    let before = kept_of(house, "west");
    from(house, "SJC", 2);
    from(house, "SEA", 17);
    let mut last = from(house, "LAX", 6).pop().unwrap();
    assert_eq!(number(&last.ask("/"), "position"), 35);
    put_back(house, "west", &before);
    renews_its_copy(house, "SJC");
    renews_its_copy(house, "SEA");
    let new = number(&from(house, "SJC", 1)[0].ask("/"), "position");
    assert!(new > 35, "{new} was given before the loss");
}

/// Who drew between the copies has one free number in front, and after the second copy a whole row is behind.
fn of_two_rows_of_free_numbers_the_longer_one_is_passed(house: &House) {
    with_regions(house);
    house.set("automatic", "0");
    next_minute(house);
    let mut old = from(house, "SJC", 10);
    house.wait(Duration::from_secs(12));
    old.extend(from(house, "SEA", 19));
    house.store.command(&["FLUSHALL"]).unwrap();
    renews_its_copy(house, "SJC");
    let mut new = from(house, "SJC", 1);
    renews_its_copy(house, "SEA");
    new.extend(from(house, "SEA", 1));
    house.wait(Duration::from_secs(12));
    lets_in_up_to(house, 29);
    house.permit(2);
    house.permit(2);
    house.forget_the_sign();
    assert_eq!(who_is_inside(&mut old).len(), 29);
    assert_eq!(who_is_inside(&mut new), [0, 1]);
}

/// It comes when the data are no longer young, so it moves no piece.
fn a_late_copy_shows_that_numbers_of_the_main_line_are_held(house: &House) {
    with_regions(house);
    house.set("automatic", "0");
    house.change("mode", r#"{"mode":"hold"}"#);
    next_minute(house);
    from(house, "SJC", 1);
    let mut main = from(house, "CDG", 1);
    renews_its_copy(house, "SJC");
    main.extend(from(house, "CDG", 2));
    house.store.command(&["FLUSHALL"]).unwrap();
    renews_its_copy(house, "SJC");
    house.wait(Duration::from_secs(130));
    renews_its_copy(house, "CDG");
    house.change("mode", r#"{"mode":"automatic"}"#);
    house.permit(2);
    renews_its_copy(house, "CDG");
    assert_eq!(who_is_inside(&mut main), [0, 1]);
}

/// The credit that the same permit uses first lets in the last visitors in front of them.
fn a_permit_spends_nothing_on_free_numbers_that_its_own_release_comes_to(house: &House) {
    with_regions(house);
    house.set("automatic", "0");
    next_minute(house);
    let mut west = from(house, "SJC", 3);
    renews_its_copy(house, "SJC");
    house.store.command(&["FLUSHALL"]).unwrap();
    renews_its_copy(house, "SJC");
    house.permit(3);
    house.wait(Duration::from_secs(12));
    let told = house.permit(2);
    assert_eq!((&told["released"], &told["credit"]), (&json!(0), &json!(2)));
    house.forget_the_sign();
    assert_eq!(who_is_inside(&mut west), [0, 1, 2]);
}

/// It is of before a loss that was mended long ago, and tells nothing new.
fn a_copy_of_long_ago_leaves_the_free_numbers_of_the_main_line_where_they_are(house: &House) {
    with_regions(house);
    house.set("automatic", "0");
    next_minute(house);
    from(house, "CDG", 1);
    house.permit(1);
    let mut west = from(house, "SJC", 6);
    for wait in [130, 12] {
        house.store.command(&["FLUSHALL"]).unwrap();
        renews_its_copy(house, "SJC");
        if wait == 12 {
            renews_its_copy(house, "CDG");
            house.go_to_pop_called("SJC");
        }
        house.wait(Duration::from_secs(wait));
        west[5].ask("/");
    }
    west[5].ask("/");
    let main = cursors(house)[2];
    house.permit(2);
    assert_eq!(cursors(house)[2], main);
}

/// As where a failover loses the last writes: the main line and the journal are what the copies know.
fn a_loss_that_only_a_region_shows_lets_no_visitor_in_before_the_turn(house: &House) {
    with_regions(house);
    house.set("automatic", "0");
    next_minute(house);
    let mut inside = from(house, "SJC", 10);
    house.permit(10);
    assert!(inside.iter_mut().all(|one| one.ask("/").inside));
    // The data are no longer young.
    house.wait(Duration::from_secs(130));
    asks_in(house, "SJC");
    house.permit(1);
    let before = kept_of(house, "west");
    from(house, "SJC", 3);
    house.permit(3);
    house.forget_the_sign();
    house.ask(&Ask::get("/_queue/lot"));
    let mut waiting = from(house, "SEA", 15);
    put_back(house, "west", &before);
    asks_in(house, "SJC");
    house.go_to_pop_called("SEA");
    house.forget_the_sign();
    assert_eq!(who_is_inside(&mut waiting), [0; 0]);
}

/// Where they end, fewer of them are known than were drawn. Who drew last.
fn all_tickets_end_after_a_loss(house: &House) -> Vec<Visitor<'_>> {
    with_regions(house);
    house.set("automatic", "0");
    next_minute(house);
    from(house, "SEA", 3);
    let old = from(house, "SJC", 30);
    house.store.command(&["FLUSHALL"]).unwrap();
    house.go_to_pop_called("SEA");
    house.change("epoch", r#"{"word":"main"}"#);
    old
}

/// Its number belongs to nobody who waits.
fn a_ticket_of_before_the_end_of_all_tickets_lifts_no_region(house: &House) {
    let mut old = all_tickets_end_after_a_loss(house);
    let mut new = from(house, "SEA", 3);
    house.go_to_pop_called("SEA");
    house.forget_the_sign();
    old[29].ask("/");
    let after = &mut from(house, "SEA", 1)[0];
    assert_eq!(number(&after.ask("/"), "ahead"), 4);
    house.permit(3);
    house.forget_the_sign();
    assert_eq!(who_is_inside(&mut new), [0, 1, 2]);
}

/// The numbers in it belong to tickets that have ended.
fn a_copy_of_before_the_end_of_all_tickets_lifts_no_region(house: &House) {
    all_tickets_end_after_a_loss(house);
    let mut new = from(house, "SJC", 3);
    let ahead = new.iter_mut().map(|one| number(&one.ask("/"), "ahead"));
    let ahead: Vec<u64> = ahead.collect();
    assert_eq!(ahead, [0, 1, 2]);
    house.forget_the_sign();
    house.permit(3);
    house.forget_the_sign();
    assert_eq!(who_is_inside(&mut new), [0, 1, 2]);
}

/// Here nobody came from anywhere else, so the main line has no part of a release.
fn after_a_loss_no_release_is_spent_on_an_idle_main_line(house: &House) {
    with_regions(house);
    house.set("automatic", "0");
    next_minute(house);
    let mut west = from(house, "SJC", 6);
    house.permit(1);
    west[0].ask("/");
    for _ in 0..2 {
        house.store.command(&["FLUSHALL"]).unwrap();
        house.forget_the_sign();
        west[5].ask("/");
        house.wait(Duration::from_secs(12));
        // The first question after the quiet time goes past the free numbers.
        west[5].ask("/");
        let [_, _, main] = cursors(house);
        house.permit(2);
        assert_eq!(cursors(house)[2], main);
    }
    let inside: Vec<bool> = west.iter_mut().map(|one| one.ask("/").inside).collect();
    assert_eq!(inside, [true, true, true, true, true, false]);
    // Who comes from anywhere else is behind the numbers that were left free, and waits.
    let new = &mut from(house, "CDG", 1)[0];
    let told = new.ask("/").json();
    assert_eq!(
        (&told["lane"], &told["ahead"]),
        (&Value::Null, &json!(0)),
        "{told}"
    );
}

fn a_region_that_is_taken_from_the_settings_is_served_to_its_end(house: &House) {
    with_regions(house);
    next_minute(house);
    let mut west = from(house, "SJC", 3);
    house.set("regions", "none");
    let mut after = from(house, "SJC", 2);
    let told = after[0].ask("/");
    assert_eq!((lane(&told), number(&told, "position")), (Value::Null, 1));
    house.permit(4);
    house.forget_the_sign();
    let inside = |all: &mut Vec<Visitor<'_>>| {
        let inside = all
            .iter_mut()
            .filter_map(|visitor| visitor.ask("/echo").inside.then_some(()));
        inside.count()
    };
    assert_eq!(inside(&mut west) + inside(&mut after), 4);
    house.permit(1);
    house.forget_the_sign();
    assert_eq!((inside(&mut west), inside(&mut after)), (3, 2));
}

/// The region of every POP that a house has.
fn everywhere(house: &House) {
    let regions = r#"[{"name":"here","pops":["HERE","XXX"]},{"name":"away","pops":["FRA"]}]"#;
    house.set("regions", regions);
}

pub(crate) fn a_visitor_draws_in_the_line_of_the_region_and_reads_so(house: &House) {
    let mut before = Visitor::new(house);
    assert_eq!(number(&before.ask("/"), "position"), 1);
    everywhere(house);
    house.forget_the_sign();
    let mut line: Vec<Visitor<'_>> = (0..3).map(|_| Visitor::new(house)).collect();
    for (visitor, ahead) in line.iter_mut().zip(0..) {
        let told = visitor.ask("/");
        assert_eq!(lane(&told), "here", "{told:?}");
        assert_eq!(number(&told, "position"), ahead + 1);
        assert_eq!(number(&told, "ahead"), ahead);
        let ticket = claims(visitor.ticket.as_ref().unwrap());
        assert_eq!(ticket["lane"], "here", "{ticket}");
    }
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    assert_eq!(status["waiting"], 4);
    let here = json!({"name":"here","cursor":0,"length":3,"waiting":3,"measured_per_minute":null});
    assert_eq!(status["regions"], json!([here]));
    let panel = house.ask(&Ask::get("/_queue").operator()).body;
    assert!(
        panel.contains("here: 3 waiting, now serving 0 of 3. Anywhere: 1 waiting"),
        "{panel}"
    );
    let scrape = house.ask(&Ask::get("/_queue/metrics").operator()).body;
    let room = house.room();
    for line in ["now_serving_lane_waiting", "now_serving_lane_cursor"] {
        let count = u64::from(line.ends_with("waiting")) * 3;
        let wanted = format!("{line}{{room=\"{room}\",lane=\"here\"}} {count}\n");
        assert!(scrape.contains(&wanted), "{wanted} {scrape}");
    }
    // One in either line: the shares are by who waits.
    house.permit(2);
    house.forget_the_sign();
    assert!(line[0].ask("/echo").inside);
    assert!(!line[2].ask("/echo").inside);
}

pub(crate) fn a_new_epoch_ends_the_tickets_of_every_region(house: &House) {
    everywhere(house);
    let mut visitor = Visitor::new(house);
    assert_eq!(number(&visitor.ask("/"), "position"), 1);
    assert_eq!(number(&Visitor::new(house).ask("/"), "position"), 2);
    house.change("epoch", &house.word());
    house.forget_the_sign();
    let told = visitor.ask("/");
    assert_eq!((lane(&told), number(&told, "position")), (json!("here"), 3));
    assert_eq!(number(&told, "ahead"), 0);
    assert_eq!(told.json()["notice"], "line_started_anew");
}

pub(crate) fn waiting_in_a_region_costs_the_store_nothing_and_a_draw_one_call(house: &House) {
    everywhere(house);
    Visitor::new(house).ask("/");
    house.warm();
    let mut visitor = Visitor::new(house);
    let draws = house.calls(|| drop(visitor.ask("/")));
    assert_eq!(draws, 1);
    house.warm();
    assert!(house.is_free(|| drop(visitor.ask("/"))));
}
