//! What happened, as the store keeps it: minutes of a day and hours of thirty days, in keys that no draw reads.

use std::time::Duration;

use now_serving::queue::Sample;
use serde_json::{Value, json};

use crate::house::{Ask, Got, House, Visitor, visitors};

in_houses_whose_clock_is_turned! {
    the_last_hour_tells_what_a_client_counted
    hours_have_the_sums_of_their_minutes_and_are_kept_for_thirty_days
    a_history_that_is_spoilt_or_lost_stops_no_visitor_and_is_said
    thirty_days_of_crowds_are_no_more_than_they_may_be
    how_long_visits_last_is_told_of_the_last_hour_alone
    after_a_clock_was_set_back_the_last_minutes_are_those_since
}

const MINUTE: Duration = Duration::from_mins(1);

fn status(house: &House) -> Value {
    house.ask(&Ask::get("/_queue/status").operator()).json()
}

fn panel(house: &House) -> Got {
    house.ask(&Ask::get("/_queue").operator())
}

/// What was counted reaches the store, and one look puts it in order.
fn look(house: &House, visitor: &mut Visitor<'_>) {
    house.ask(&crate::metrics::scrape());
    house.forget_the_sign();
    visitor.ask("/");
}

fn samples(house: &House, key: &str) -> Vec<Sample> {
    let told = house.store.command(&["LRANGE", &house.key(key), "0", "-1"]);
    let told = told.unwrap();
    let texts = told.as_array().unwrap().iter();
    texts
        .map(|text| Sample::read(text.as_str().unwrap()).unwrap())
        .collect()
}

/// What this percentage of the waits does not exceed, of waits in their order.
pub(super) fn percentile(waits: &[u64], percent: usize) -> u64 {
    waits[(waits.len() * percent).div_ceil(100) - 1]
}

/// The bucket that a wait falls into, by its bounds.
pub(super) fn bucket(seconds: u64) -> (u64, u64) {
    let bounds = now_serving::queue::WAITS;
    let at = bounds.iter().position(|most| seconds <= *most).unwrap();
    (
        at.checked_sub(1).map_or(0, |below| bounds[below]),
        bounds[at],
    )
}

fn the_last_hour_tells_what_a_client_counted(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "3");
    house.wait_for_period(60);
    let mut line = visitors(house, 40);
    for visitor in &mut line {
        visitor.ask("/");
    }
    let began = house.now_ms();
    let mut waits = Vec::new();
    while !line.is_empty() {
        house.forget_the_sign();
        line.retain_mut(|visitor| {
            let inside = visitor.ask("/").inside;
            if inside {
                waits.push((house.now_ms() - began) / 1000);
            }
            !inside
        });
        house.wait_for_period(60);
    }
    let mut late = Visitor::new(house);
    look(house, &mut late);
    waits.sort_unstable();
    let told = status(house)["last_hour"]["waits"][0].clone();
    assert_eq!(
        (&told["lane"], &told["visitors"]),
        (&json!("main"), &json!(40)),
        "{told}"
    );
    for (name, percent) in [("p50", 50), ("p95", 95)] {
        let truth = percentile(&waits, percent);
        let (from, to) = bucket(truth);
        let shown = told["waited_seconds"][name].as_u64().unwrap();
        assert!((from..=to).contains(&shown), "{name}: {shown}, not {truth}");
    }
    // The pace was kept, so what they were told was right: each a bucket of what came.
    let estimated = told["estimated_seconds"]["p50"].as_u64().unwrap();
    let waited = told["waited_seconds"]["p50"].as_u64().unwrap();
    assert!(estimated.abs_diff(waited) <= 90, "{told}");
    let page = panel(house);
    let (_, row) = page.body.split_once("id=\"waits\">").unwrap();
    assert!(row.starts_with("Half waited about "), "{row}");
    assert!(row.contains("They were told "), "{row}");
    // After an hour in which nobody went in there is nothing to tell.
    house.wait(Duration::from_mins(75));
    look(house, &mut late);
    assert_eq!(status(house)["last_hour"]["waits"], json!([]));
    assert!(!panel(house).body.contains("id=\"waits\""));
}

fn hours_have_the_sums_of_their_minutes_and_are_kept_for_thirty_days(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "1");
    house.wait_for_period(3600);
    let mut last = Visitor::new(house);
    for minute in 0..150 {
        if minute % 2 == 0 {
            last = Visitor::new(house);
        }
        // First thing in a minute, by a draw or by a look.
        last.ask("/");
        if minute % 7 == 0 {
            Visitor::new(house).ask("/");
        }
        if minute % 5 == 0 {
            look(house, &mut last);
        }
        house.wait_for_period(60);
    }
    look(house, &mut last);
    let (minutes, hours) = (samples(house, ":minutes"), samples(house, ":hours"));
    assert_eq!(hours.len(), 2, "{hours:?}");
    assert!(
        minutes.windows(2).all(|two| two[0].at == two[1].at + 1),
        "{minutes:?}"
    );
    for hour in &hours {
        let of: Vec<&Sample> = minutes
            .iter()
            .filter(|minute| minute.at / 60 == hour.at)
            .collect();
        let sum = |what: fn(&Sample) -> u64| of.iter().map(|minute| what(minute)).sum::<u64>();
        assert_eq!(
            (hour.drawn, hour.released, hour.came),
            (sum(|of| of.drawn), sum(|of| of.released), sum(|of| of.came))
        );
        assert_eq!(
            Some(hour.waiting),
            of.iter().map(|minute| minute.waiting).max()
        );
        assert_eq!(hour.bound_by, of[0].bound_by);
        let waited = |sample: &Sample| {
            sample
                .counts
                .waits
                .first()
                .map_or(0, |(_, of)| of.waited.all())
        };
        let in_minutes: u64 = of.iter().map(|minute| waited(minute)).sum();
        assert!(
            in_minutes > 10 && waited(hour) == in_minutes,
            "{in_minutes} {hour:?}"
        );
    }
    assert_eq!(
        hours[1].drawn,
        30 + 9,
        "a visitor every two minutes, and one every seven"
    );
    for (span, each) in [
        ("day", "in 15 min"),
        ("month", "in 6 h"),
        ("6h", "in 5 min"),
    ] {
        let got = house.ask(&Ask::get(&format!("/_queue?span={span}")).operator());
        assert_eq!(got.status, 200);
        assert!(got.body.contains(&format!("Arriving {each}<")), "{span}");
        assert!(
            got.body.contains("The store has nothing from before"),
            "{span}"
        );
    }
    let got = house.ask(&Ask::get("/_queue?span=century").operator());
    assert!(
        got.body.contains("Arriving a minute<"),
        "what is no span is the hour"
    );
    let days = |key: &str| {
        let ttl = house.store.command(&["TTL", &house.key(key)]).unwrap();
        ttl.as_u64().unwrap().div_ceil(86_400)
    };
    assert_eq!((days(":minutes"), days(":hours")), (30, 30));
}

/// A key of another type, as a mistaken command leaves it, and a store that lost everything.
fn a_history_that_is_spoilt_or_lost_stops_no_visitor_and_is_said(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "2");
    house.wait_for_period(60);
    let mut line = visitors(house, 6);
    for visitor in &mut line {
        visitor.ask("/");
    }
    for spoilt in ["SET", "LPUSH"] {
        for key in [":minutes", ":hours", ":counted"] {
            house.store.command(&["DEL", &house.key(key)]).unwrap();
            house
                .store
                .command(&[spoilt, &house.key(key), "no sample"])
                .unwrap();
        }
        house.wait_for_period(60);
        assert_eq!(Visitor::new(house).ask("/").status, 503);
        look(house, &mut line[5]);
        assert_eq!(house.ask(&crate::metrics::scrape()).status, 200);
        let page = panel(house);
        assert_eq!(page.status, 200, "{spoilt}");
        assert!(status(house)["waiting"].as_u64().unwrap() > 0);
    }
    house.wait(10 * MINUTE);
    look(house, &mut line[5]);
    house.store.restart_empty();
    let lost_ms = house.now_ms();
    let mut first = Visitor::new(house);
    first.ask("/");
    house.wait_for_period(60);
    look(house, &mut first);
    let since = now_serving::page::iso_8601(lost_ms);
    let told = status(house)["last_hour"]["since"].clone();
    assert_eq!(told.as_str().unwrap()[..19], since[..19], "{told}");
    let page = panel(house).body;
    assert!(
        page.contains("The store has nothing from before <time"),
        "{page}"
    );
}

/// A month in which visitors wait for three hours of each day, and then a day on which a million come and all of them wait.
fn thirty_days_of_crowds_are_no_more_than_they_may_be(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "1000");
    house.set("regions", r#"[{"name":"west","pops":["SJC"]}]"#);
    house.wait_for_period(86_400);
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    let mut sum = 0;
    // In two lanes, by waits in these buckets.
    let mut goes_on = |minutes: u64, moved: u64, waiting: u64, counts: Option<&str>| {
        sum += moved;
        let sums = [sum + waiting, sum, sum - sum / 17].map(|sum| sum.to_string());
        let [drawn, admitted, claimed] = &sums;
        house.write(&["drawn", drawn, "admitted", admitted, "claimed", claimed]);
        house.write(&["main/1 drawn", drawn, "main/1 served", admitted]);
        let counted = house.key(":counted");
        for letter in counts.unwrap_or_default().chars() {
            for lane in ["main", "west"] {
                let many = (moved * 5 / counts.map_or(1, |all| all.len() as u64) + 7).to_string();
                for name in [
                    format!("waited_{letter}_{lane}"),
                    format!("told_{letter}_{lane}"),
                ] {
                    let command = ["HINCRBY", &counted, &name, &many];
                    house.store.command(&command).unwrap();
                }
            }
        }
        house.wait(Duration::from_mins(minutes));
        house.forget_the_sign();
        visitor.ask("/");
    };
    for half_hour in 0..29 * 48 {
        match half_hour % 48 {
            20..26 => goes_on(30, 6000, 9000, Some("JKLMN")),
            _ => goes_on(30, 900, 0, Some("A")),
        }
    }
    for minute in 0..1440 {
        let counts = (minute % 10 == 9).then_some("JKLMN");
        goes_on(1, 694, 30_000 + minute, counts);
    }
    let all = |key: &str| {
        let told = ["LRANGE", &house.key(key), "0", "-1"];
        let texts: Vec<String> =
            serde_json::from_value(house.store.command(&told).unwrap()).unwrap();
        texts
    };
    let (minutes, hours) = (all(":minutes"), all(":hours"));
    assert_eq!((minutes.len(), hours.len()), (1440, 720));
    let bytes: usize = minutes.iter().chain(&hours).map(String::len).sum();
    let west = |text: &String| -> usize {
        let words = text.split(' ').filter(|word| word.contains(":west"));
        words.map(|word| word.len() + 1).sum()
    };
    let of_west: usize = minutes.iter().chain(&hours).map(west).sum();
    println!("{} bytes, and {of_west} of another lane", bytes - of_west);
    assert!(bytes - of_west <= 60_000, "{}", bytes - of_west);
    assert!(of_west <= 25_000, "{of_west}");
    for span in ["1h", "day", "month"] {
        let page = house.ask(&Ask::get(&format!("/_queue?span={span}")).operator());
        assert_eq!(page.status, 200);
        let size = harness::size::Size::of_bytes(page.body.as_bytes()).unwrap();
        println!("the panel with {span}: {size:?}");
        assert!(size.gzipped <= 25_000, "{span}: {size:?}");
    }
}

fn how_long_visits_last_is_told_of_the_last_hour_alone(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "1000");
    house.set("total_active", "100");
    house.set("session_minutes", "5");
    house.wait_for_period(3600);
    for mut visitor in visitors(house, 30) {
        visitor.ask("/");
    }
    look(house, &mut Visitor::new(house));
    house.wait(Duration::from_hours(3));
    let mut few = visitors(house, 4);
    for _ in 0..5 {
        house.forget_the_sign();
        for visitor in &mut few {
            visitor.ask("/");
        }
        house.ask(&crate::metrics::scrape());
        house.wait(MINUTE);
    }
    look(house, &mut Visitor::new(house));
    let told = status(house)["last_hour"].clone();
    assert_eq!(told["visit_minutes_p50"], 3, "{told}");
    for span in ["", "?span=day", "?span=month"] {
        let page = house.ask(&Ask::get(&format!("/_queue/{span}")).operator());
        assert!(
            page.body
                .contains("Half of the visits last 3 min or longer."),
            "{span}"
        );
    }
    // What the store has not put in order since is no news after an hour without anybody.
    house.wait(Duration::from_mins(70));
    let told = status(house)["last_hour"].clone();
    assert_eq!(
        (&told["waits"], &told["visit_minutes_p50"]),
        (&json!([]), &Value::Null),
        "{told}"
    );
    // A visit of 14 seconds has lasted no minute, though one begins in it.
    let reached = || {
        house.forget_the_sign();
        let text = house.ask(&crate::metrics::scrape()).body;
        let name = "now_serving_visits_reached_total{room=\"main\",minutes=\"1\"} ";
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("{text}")).to_owned()
    };
    let before = reached();
    house.wait_for_period(60);
    house.wait(Duration::from_secs(50));
    let mut short = visitors(house, 1);
    short[0].ask("/");
    house.wait(Duration::from_secs(14));
    short[0].ask("/");
    assert_eq!(reached(), before);
    house.wait(Duration::from_secs(90));
    short[0].ask("/");
    assert_ne!(reached(), before);
}

fn after_a_clock_was_set_back_the_last_minutes_are_those_since(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "50");
    house.wait_for_period(600);
    let from = house.now_ms() / 1000;
    let mut last = Visitor::new(house);
    last.ask("/");
    let mut minute = |many| {
        for mut visitor in visitors(house, many) {
            visitor.ask("/");
        }
        house.forget_the_sign();
        last.ask("/");
        house.wait_for_period(60);
    };
    for _ in 0..90 {
        minute(10);
    }
    house.set_back(Duration::from_hours(1));
    house.forget_pop();
    for _ in 0..10 {
        minute(1);
    }
    minute(2);
    let page = panel(house).body;
    let (_, plot) = page.split_once("id=\"plot\"").unwrap();
    let (_, told) = plot.split_once("data-minutes=\"").unwrap();
    let (told, _) = told.split_once('"').unwrap();
    let arrived = told
        .split(';')
        .rev()
        .take(11)
        .map(|bar| bar.split(' ').next().unwrap());
    let arrived: Vec<&str> = arrived.collect();
    assert_eq!(
        arrived,
        ["0", "2", "1", "1", "1", "1", "1", "1", "1", "1", "1"],
        "{told}"
    );
    let query = format!("/_queue/event/report?as=json&from={from}");
    let told = house.ask(&Ask::get(&query).operator()).json();
    assert_eq!(told["arrived"], 1 + 90 * 10 + 10 + 2, "{told}");
}
