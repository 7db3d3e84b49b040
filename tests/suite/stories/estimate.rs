//! The estimated wait: what was measured goes before what is configured, and nothing else is measured than a line that
//! could not move faster. And how long visitors really waited.
#![expect(clippy::float_cmp, reason = "counts are whole numbers")]

use std::time::Duration;

use serde_json::{Value, json};

use super::history::percentile;
use crate::house::{Ask, House, Visitor, visitors};

// These stories need minutes.
in_houses_whose_clock_is_turned! {
    the_rate_is_measured_from_the_permits_of_the_origin
    a_change_of_pace_is_seen_in_the_estimate_at_once
    idle_time_does_not_count_as_slowness
    a_line_that_stands_still_has_no_estimate
    a_cursor_rebuilt_from_the_tickets_is_no_admission
    waits_are_counted_at_the_door_beside_what_was_told_at_the_draw
    waits_of_each_lane_are_counted_apart
    a_wait_is_counted_once
}

const MINUTE: Duration = Duration::from_mins(1);

/// The end of the line, as the operator's figures show it: `measured_per_minute` and `estimated_wait_seconds`.
fn shown(house: &House) -> (Value, Value) {
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    let measured = status["rate"]["measured_per_minute"].clone();
    (measured, status["estimated_wait_seconds"].clone())
}

/// A line of this many, none of whom has gone in.
fn line(house: &House, many: usize) -> Vec<Visitor<'_>> {
    let mut visitors = visitors(house, many);
    for visitor in &mut visitors {
        visitor.ask("/");
    }
    visitors
}

/// The origin lets this many in, now and twice more, a minute apart.
fn permits(house: &House, amount: u64) {
    house.permit(amount);
    for _ in 0..2 {
        house.wait(MINUTE);
        house.permit(amount);
    }
}

/// In every house, since it needs no time: another data centre has measured for two minutes.
pub(crate) fn sixty_ahead_at_thirty_a_minute_take_two_minutes(house: &House) {
    let now_ms = house.now_ms();
    let (since, moved) = ((now_ms - 120_000).to_string(), now_ms.to_string());
    let line = [
        "main called",
        "60",
        "main cursor",
        "60",
        "main length",
        "120",
    ];
    let pace = ["automatic", "0", "budget", "0"];
    let measured = [
        "main since",
        &since,
        "main from",
        "0",
        "main mid",
        &since,
        "main mid_from",
        "0",
    ];
    house.write(&[&line[..], &pace[..], &measured[..], &["main moved", &moved]].concat());
    let mut visitor = Visitor::new(house);
    // From the store itself, and then from the copy of the board.
    for _ in 0..2 {
        let data = visitor.ask("/").json();
        assert_eq!(
            (&data["ahead"], &data["estimated_wait_seconds"]),
            (&json!(60), &json!(120))
        );
    }
    let seen = visitor.send(Ask::get("/").with("accept", "text/html"));
    assert!(seen.body.contains("about 2 minutes"));
    house.set("automatic", "60");
    house.set("automatic_quantity", "1");
    house.forget_the_sign();
    let data = visitor.ask("/").json();
    let (ahead, told) = (&data["ahead"], &data["estimated_wait_seconds"]);
    let ahead = ahead.as_u64().unwrap() * 60;
    assert!(
        (ahead..=ahead + 60).contains(&told.as_u64().unwrap()),
        "what was measured at another pace is forgotten: {data}"
    );
}

pub(crate) fn the_rate_is_measured_from_the_permits_of_the_origin(house: &House) {
    let mut line = line(house, 20);
    assert_eq!(shown(house), (json!(null), json!(null)), "nothing moves");
    house.permit(2);
    assert_eq!(
        shown(house),
        (json!(null), json!(null)),
        "one release is no rate"
    );
    house.wait(MINUTE);
    house.permit(3);
    assert_eq!(shown(house), (json!(3.0), json!(300)), "15 at 3 a minute");
    house.wait(MINUTE);
    house.permit(5);
    assert_eq!(
        shown(house),
        (json!(4.0), json!(180)),
        "the last of 10 goes in with the third step of 4 a minute"
    );
    let data = line[19].ask("/").json();
    assert_eq!(
        (&data["ahead"], &data["estimated_wait_seconds"]),
        (&json!(9), &json!(180)),
        "status and the last visitor read the same"
    );
    house.wait(MINUTE / 2);
    let data = line[13].ask("/").json();
    assert_eq!(
        (&data["ahead"], &data["estimated_wait_seconds"]),
        (&json!(3), &json!(30)),
        "the next step, half a minute from now"
    );
}

/// Seconds until the period in which a visitor with this many ahead goes in.
fn by_schedule(house: &House, ahead: u64, automatic: u64, quantity: u64) -> u64 {
    let length = automatic * 1000;
    let next = length - house.now_ms() % length;
    (next + ahead / quantity * length).div_ceil(1000)
}

pub(crate) fn a_change_of_pace_is_seen_in_the_estimate_at_once(house: &House) {
    house.set("automatic", "15");
    house.set("automatic_quantity", "1");
    let mut line = line(house, 60);
    for _ in 0..20 {
        house.wait_for_period(15);
        line[59].ask("/");
    }
    let (measured, _) = shown(house);
    assert_eq!(measured, 4.0);
    house.set("automatic_quantity", "2");
    let (measured, estimate) = shown(house);
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    let by_pace = by_schedule(house, status["waiting"].as_u64().unwrap() - 1, 15, 2);
    assert_eq!((measured, estimate), (json!(null), json!(by_pace)));
    house.forget_the_sign();
    let data = line[59].ask("/").json();
    let by_pace = by_schedule(house, data["ahead"].as_u64().unwrap(), 15, 2);
    assert_eq!(data["estimated_wait_seconds"], by_pace);
    for _ in 0..6 {
        house.wait_for_period(15);
        line[59].ask("/");
    }
    assert_eq!(shown(house).0, 8.0);
}

pub(crate) fn idle_time_does_not_count_as_slowness(house: &House) {
    let _everybody = line(house, 20);
    permits(house, 5);
    assert_eq!(shown(house).0, 5.0);
    house.permit(5);
    assert_eq!(shown(house).0, json!(null), "nobody waits");
    house.wait(10 * MINUTE);
    let _others = line(house, 20);
    permits(house, 5);
    assert_eq!(shown(house), (json!(5.0), json!(60)));
}

pub(crate) fn a_line_that_stands_still_has_no_estimate(house: &House) {
    let mut line = line(house, 20);
    permits(house, 2);
    house.wait(2 * MINUTE);
    assert_eq!(
        line[19].ask("/").json()["estimated_wait_seconds"],
        6 * 60,
        "13 ahead at 2 a minute, and the next step is overdue"
    );
    house.wait(Duration::from_secs(1));
    assert_eq!(
        line[19].ask("/").json()["estimated_wait_seconds"],
        json!(null)
    );
    assert_eq!(shown(house), (json!(null), json!(null)));
}

pub(crate) fn a_cursor_rebuilt_from_the_tickets_is_no_admission(house: &House) {
    let _first = line(house, 20);
    house.permit(10);
    let mut late = line(house, 10);
    house.store.restart_empty();
    house.forget_the_sign();
    // The line comes back with the first call. Nothing is released until every POP had time to bring its board.
    let _newcomers = line(house, 3);
    house.permit(1);
    house.wait(MINUTE);
    let told = late[9].ask("/").json();
    assert_eq!(
        (&told["cursor"], &told["ahead"]),
        (&json!(11), &json!(18)),
        "the line is as it was, and the permit has been used"
    );
    assert_eq!(
        shown(house).0,
        json!(null),
        "not the 10 that are only remembered"
    );
    house.wait(MINUTE);
    house.permit(1);
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    let waiting = status["waiting"].as_u64().unwrap();
    assert_eq!(shown(house), (json!(1.0), json!(waiting * 60)));
}

/// What a client counted who saw each visitor come and go in, and what the metrics say of it.
fn waits_are_counted_at_the_door_beside_what_was_told_at_the_draw(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "2");
    house.wait_for_period(60);
    // Two go straight in, and of those who wait two are let in a minute; after three minutes all at once.
    let mut line = line(house, 12);
    let began = house.now_ms();
    let mut inside = vec![false; line.len()];
    let (mut client, mut told) = (std::collections::BTreeMap::<u64, u64>::new(), 0);
    let mut go_in = |line: &mut Vec<Visitor<'_>>| {
        house.forget_the_sign();
        for (visitor, is_in) in line.iter_mut().zip(&mut inside) {
            if !*is_in && visitor.ask("/").inside {
                *is_in = true;
                let seconds = (house.now_ms() - began) / 1000;
                *client.entry(seconds / 60).or_default() += 1;
                told += seconds;
            }
        }
    };
    go_in(&mut line);
    for _ in 0..3 {
        house.wait_for_period(60);
        go_in(&mut line);
    }
    house.permit(12);
    go_in(&mut line);
    assert!(inside.iter().all(|is_in| *is_in));
    let text = house.ask(&crate::metrics::scrape()).body;
    let numbers = crate::metrics::numbers(&text);
    let room = house.room();
    let wait = |end: &str, le: &str| {
        let le = if le.is_empty() {
            String::new()
        } else {
            format!(",le=\"{le}\"")
        };
        numbers[&format!("now_serving_wait_seconds{end}{{room=\"{room}\",lane=\"main\"{le}}}")]
    };
    let within = |minutes: u64| -> f64 {
        let many: u64 = client.range(..minutes).map(|(_, many)| many).sum();
        many.to_string().parse().unwrap()
    };
    assert_eq!(wait("_bucket", "10"), 2.0, "straight in");
    for (le, minutes) in [("120", 2), ("300", 5)] {
        assert_eq!(wait("_bucket", le), within(minutes), "{le} {client:?}");
    }
    assert_eq!(wait("_count", ""), 12.0);
    assert!((wait("_sum", "") - f64::from(u32::try_from(told).unwrap())).abs() <= 12.0);
    let came = |how: &str| {
        numbers[&format!("now_serving_estimates_total{{room=\"{room}\",came=\"{how}\"}}")]
    };
    // The last two were told five minutes, and the permit lets them in after three.
    assert_eq!(
        (came("right"), came("early"), came("late")),
        (8.0, 2.0, 0.0)
    );
}

/// A repeat of the page, other requests of the visitor and a second tab count nobody again.
fn a_wait_is_counted_once(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "1");
    house.wait_for_period(60);
    let mut line = line(house, 2);
    house.wait_for_period(60);
    house.forget_the_sign();
    let mut tab = Visitor::new(house);
    tab.ticket.clone_from(&line[1].ticket);
    for _ in 0..3 {
        assert!(line[1].ask("/").inside);
        tab.ask("/");
        house.wait(Duration::from_secs(2));
    }
    let text = house.ask(&crate::metrics::scrape()).body;
    let count = format!(
        "now_serving_wait_seconds_count{{room=\"{}\",lane=\"main\"}} 2",
        house.room()
    );
    assert!(text.contains(&count), "{text}");
}

/// The name of a lane may have each letter that the store splits counts at.
fn waits_of_each_lane_are_counted_apart(house: &House) {
    house.set("automatic", "0");
    house.set("regions", r#"[{"name":"west_1-a","pops":["SJC"]}]"#);
    let mut lines = [("SJC", 3), ("LHR", 2)].map(|(pop, many)| {
        house.go_to_pop_called(pop);
        (pop, line(house, many))
    });
    house.wait(Duration::from_secs(90));
    house.permit(5);
    for (pop, line) in &mut lines {
        house.go_to_pop_called(pop);
        house.forget_the_sign();
        assert!(
            line.iter_mut().all(|visitor| visitor.ask("/").inside),
            "{pop}"
        );
        house.ask(&crate::metrics::scrape());
    }
    let text = house.ask(&crate::metrics::scrape()).body;
    let numbers = crate::metrics::numbers(&text);
    for (lane, many, least) in [("west_1-a", 3.0, 270.0), ("main", 2.0, 180.0)] {
        let labels = format!("{{room=\"{}\",lane=\"{lane}\"}}", house.room());
        assert_eq!(
            numbers[&format!("now_serving_wait_seconds_count{labels}")],
            many
        );
        let sum = numbers[&format!("now_serving_wait_seconds_sum{labels}")];
        assert!((least..least + 60.0).contains(&sum), "{lane} {sum}");
    }
}

/// Three lines of some seconds, at three paces: the middle and the 95th of 100 that the metrics tell lie in the buckets of what a client
/// counted who saw each visitor draw and go in.
pub(crate) fn short_waits_are_reported_as_a_client_counted(house: &House) {
    let mut waits: Vec<u64> = Vec::new();
    for quantity in ["2", "3", "6"] {
        house.set("automatic", "2");
        house.set("automatic_quantity", quantity);
        let mut line: Vec<(u64, Visitor<'_>)> = Vec::new();
        for mut visitor in visitors(house, 12) {
            visitor.ask("/");
            line.push((house.now_ms(), visitor));
        }
        while !line.is_empty() {
            house.wait(Duration::from_millis(500));
            line.retain_mut(|(since, visitor)| {
                let inside = visitor.ask("/").inside;
                if inside {
                    waits.push((house.now_ms() - *since) / 1000);
                }
                !inside
            });
        }
        waits.sort_unstable();
        let reported = reported_waits(house, waits.len());
        for percent in [50, 95] {
            let truth = percentile(&waits, percent);
            let rank = whole((waits.len() * percent).div_ceil(100));
            let at = reported
                .iter()
                .position(|(_, within)| *within >= rank)
                .unwrap();
            let above = at.checked_sub(1).map_or(0, |below| reported[below].0);
            let most = reported[at].0;
            // Tickets tell whole seconds.
            let is_near = truth + 1 >= above && truth <= most + 1;
            assert!(is_near, "p{percent}: {truth} s, and {above} to {most} s");
        }
    }
}

/// How many the metrics say waited at most so long, once all of them are counted.
fn reported_waits(house: &House, all: usize) -> Vec<(u64, f64)> {
    for _ in 0..60 {
        let numbers = crate::metrics::numbers(&house.ask(&crate::metrics::scrape()).body);
        let of = |le: &str| {
            let name = format!(
                "now_serving_wait_seconds_bucket{{room=\"{}\",lane=\"main\",le=\"{le}\"}}",
                house.room()
            );
            numbers[&name]
        };
        if of("+Inf") >= whole(all) {
            let bounds = now_serving::queue::WAITS;
            return bounds.map(|most| (most, of(&most.to_string()))).to_vec();
        }
        house.wait(Duration::from_millis(500));
    }
    panic!("{all} visitors went in, and fewer are counted");
}

fn whole(many: usize) -> f64 {
    u32::try_from(many).unwrap().into()
}
