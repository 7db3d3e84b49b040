//! The report of an event: what it says against what a client counted, and who gets it.

use std::time::Duration;

use now_serving::page::iso_8601;
use serde_json::{Value, json};
use upstash_local::{Fault, Faults};

use super::history::{bucket, percentile};
use crate::house::{Ask, House, PERMIT_TOKEN, Visitor, visitors};

in_houses_whose_clock_is_turned! {
    the_report_of_a_sale_says_what_a_client_counted
    a_report_is_for_those_who_may_read_and_of_events_that_there_are
    a_report_of_days_ago_goes_by_hours
    out_of_the_log_the_same_is_told_with_the_outage_and_the_verdict
    days_in_which_nobody_comes_take_nothing_from_the_report
    a_report_right_after_the_end_has_the_waits_of_all_who_came
    a_clock_that_is_set_back_spoils_no_report
    what_other_rooms_and_programs_log_changes_no_verdict
    the_report_brings_what_the_pop_counted
    what_was_counted_before_an_event_is_none_of_it
    a_minute_at_whose_begin_visitors_waited_is_one_in_which_they_did
    a_report_of_any_time_needs_no_event
    an_event_that_is_gone_is_found_by_what_operators_did
    an_end_that_somebody_brought_forward_was_not_planned
    times_that_follow_each_other_count_nobody_twice
    what_is_counted_in_one_event_is_none_of_the_next
    of_a_time_that_the_store_has_lost_nobody_is_said_to_have_waited_or_not
    what_operators_did_is_told_as_long_as_the_minutes_are
    an_event_that_ran_before_it_was_moved_and_taken_away_is_found
    a_stock_that_comes_and_goes_hides_no_change_by_an_operator
    of_visitors_whom_another_data_centre_counted_nobody_is_said_not_to_have_come
}

const MINUTE: Duration = Duration::from_mins(1);

fn report(house: &House, query: &str) -> crate::house::Got {
    let route = format!("/_queue/event/report{query}");
    house.ask(&Ask::get(&route).operator())
}

/// An event whose pre-queue begins with the next minute and lasts ten; it closes after two hours.
fn sale(house: &House, id: &str) {
    house.wait_for_period(60);
    let at = |minutes: u64| iso_8601(house.now_ms() / 60_000 * 60_000 + minutes * 60_000);
    let event = json!([
        { "id": id, "prequeue": at(0), "opens": at(10), "closes": at(120), "outside": "automatic" },
        { "id": "later", "opens": at(10_000) },
    ]);
    house.set("event", &event.to_string());
    house.set("automatic", "60");
    house.set("automatic_quantity", "4");
    house.forget_the_sign();
}

/// What a client counted in a sale of an hour, with a hold, a permit and an outage in it.
struct Client {
    waits: Vec<u64>,
    drew: u64,
}

fn play(house: &House) -> Client {
    let mut line: Vec<(u64, Visitor<'_>)> = Vec::new();
    let mut client = Client {
        waits: Vec::new(),
        drew: 0,
    };
    for minute in 0..75 {
        if minute < 40 {
            for mut visitor in visitors(house, if minute < 10 { 8 } else { 2 }) {
                visitor.ask("/");
                line.push((house.now_ms(), visitor));
                client.drew += 1;
            }
        }
        match minute {
            20 => drop(house.change("mode", r#"{"mode":"hold"}"#)),
            25 => drop(house.change("mode", r#"{"mode":"automatic"}"#)),
            30 => drop(house.ask(&Ask::press("amt=10"))),
            45 => house.store.fail(Faults::always(Fault::Refuse)),
            50 => house.store.fail(Faults::none()),
            _ => {}
        }
        house.forget_the_sign();
        // One of ten closes the page, and never comes back.
        let mut place = 0;
        line.retain_mut(|(since, visitor)| {
            place += 1;
            let inside = place % 10 != 9 && visitor.ask("/").inside;
            if inside {
                client.waits.push((house.now_ms() - *since) / 1000);
            }
            !inside
        });
        house.wait_for_period(60);
    }
    house.ask(&crate::metrics::scrape());
    house.forget_the_sign();
    Visitor::new(house).ask("/");
    client
}

fn the_report_of_a_sale_says_what_a_client_counted(house: &House) {
    sale(house, "sale-1");
    let mut client = play(house);
    let told = report(house, "?id=sale-1&as=json").json();
    // The last one went straight in.
    client.waits.push(0);
    client.waits.sort_unstable();
    assert_eq!(told["arrived"], client.drew + 1, "{told}");
    assert_eq!(told["came"], client.waits.len() as u64, "{told}");
    assert_eq!(told["goes_on"], true);
    let waits = &told["waits"][0];
    assert_eq!(waits["visitors"], client.waits.len() as u64);
    for (name, percent) in [("p50", 50), ("p95", 95), ("p99", 99)] {
        let truth = percentile(&client.waits, percent);
        let (from, to) = bucket(truth);
        let shown = waits["waited_seconds"][name].as_u64().unwrap();
        assert!((from..=to).contains(&shown), "{name}: {shown}, not {truth}");
    }
    let changes: Vec<&str> = told["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| change["what"].as_str().unwrap())
        .collect();
    assert_eq!(changes.len(), 3, "{changes:?}");
    let minutes = |rule: &str| {
        let all = told["bound_by"].as_array().unwrap();
        let found = all.iter().find(|bound| bound["rule"] == rule);
        found.map_or(0, |bound| bound["minutes"].as_u64().unwrap())
    };
    assert_eq!(minutes("mode"), 5, "{told}");
    assert_eq!(minutes("event"), 10, "{told}");
    assert!((4..=6).contains(&minutes("unheard")), "{told}");
    let all = told["bound_by"].as_array().unwrap().iter();
    assert_eq!(
        all.map(|bound| bound["minutes"].as_u64().unwrap())
            .sum::<u64>(),
        76,
        "{told}"
    );
    assert!(minutes("pace") > 30, "{told}");
    let unknown = told["unknown"].to_string();
    assert!(
        unknown.contains("visitors waited and the line did not move"),
        "{told}"
    );
    assert_eq!(told["planned"]["id"], "sale-1");
    assert_eq!(told["inversions"], json!([]));
    assert!(
        told["journal"][0]
            .as_str()
            .unwrap()
            .contains("now-serving audit")
    );
    let page = report(house, "?id=sale-1");
    assert_eq!(page.status, 200);
    for shown in [
        "Report of sale-1 in the room",
        "Planned and happened",
        "What limited the line",
        "The mode: an operator held",
        "have not yet (",
    ] {
        assert!(page.body.contains(shown), "{shown}");
    }
    // The latest that has begun, where none is named.
    let svg = report(house, "?as=svg");
    assert_eq!(svg.header("content-type"), "image/svg+xml");
    assert!(
        svg.body.starts_with("<svg xmlns=") && svg.body.contains("dashed: planned"),
        "{}",
        svg.body
    );
    if let Ok(folder) = std::env::var("REPORT_FOLDER") {
        std::fs::write(format!("{folder}/report.html"), &page.body).unwrap();
        std::fs::write(format!("{folder}/report.svg"), &svg.body).unwrap();
    }
}

fn a_report_is_for_those_who_may_read_and_of_events_that_there_are(house: &House) {
    sale(house, "sale-1");
    Visitor::new(house).ask("/");
    let bearer = format!("Bearer {PERMIT_TOKEN}");
    let program = Ask::get("/_queue/event/report?as=json").with("authorization", &bearer);
    house.change("message", r#"{"message":"We are sold out soon"}"#);
    let told = house.ask(&program);
    assert_eq!(told.status, 200);
    assert!(!told.body.contains("sold out soon"), "{}", told.body);
    assert!(
        told.body.contains("those who may look at the panel"),
        "{}",
        told.body
    );
    assert_eq!(told.json()["changes"], Value::Null);
    assert!(report(house, "?as=json").body.contains("sold out soon"));
    assert_eq!(house.ask(&Ask::get("/_queue/event/report")).status, 401);
    for (query, status, said) in [
        ("?id=sale-2", 404, "sale-2"),
        ("?id=sale-2", 404, "the room has sale-1, later"),
        ("?id=later", 404, "there is no report before"),
        ("?as=pdf", 400, "accepted are html, json and svg"),
        ("?event=sale-1", 400, "event"),
        ("?id=sale-1&id=sale-1", 400, "id"),
    ] {
        let got = report(house, query);
        assert_eq!(got.status, status, "{query}: {}", got.body);
        assert!(got.body.contains(said), "{query}: {}", got.body);
    }
    house.store.fail(Faults::always(Fault::Refuse));
    assert_eq!(report(house, "").status, 503);
    house.store.fail(Faults::none());
    let wanted = Ask::get("/_queue/event/report")
        .operator()
        .with("accept", "application/json");
    assert_eq!(
        house.ask(&wanted).header("content-type"),
        "application/json"
    );
    house.set("event", "");
    house.forget_the_sign();
    let got = report(house, "");
    assert!(
        got.status == 404 && got.body.contains("no event of the room has begun"),
        "{}",
        got.body
    );
}

fn a_report_of_days_ago_goes_by_hours(house: &House) {
    sale(house, "sale-1");
    let client = play(house);
    let before = report(house, "?as=json").json();
    let mut last = Visitor::new(house);
    for _ in 0..1500 {
        house.wait(MINUTE);
        house.forget_the_sign();
        last.ask("/");
    }
    let told = report(house, "?id=sale-1&as=json").json();
    assert_eq!(told["goes_on"], false);
    assert!(
        told["unknown"].to_string().contains("only hours are known"),
        "{told}"
    );
    assert_eq!(
        told["arrived"].as_u64().unwrap() / 10,
        before["arrived"].as_u64().unwrap() / 10,
        "{told}"
    );
    // Two came after that.
    let many = told["waits"][0]["visitors"].as_u64().unwrap();
    assert_eq!(many, client.waits.len() as u64 + 2);
    let waited = |told: &Value| told["waits"][0]["waited_seconds"]["p95"].as_u64().unwrap();
    assert!(waited(&told).abs_diff(waited(&before)) < 60, "{told}");
    // An hour is sixty minutes of what bound it, and what moved in it moved in its minutes.
    let minutes = told["bound_by"].as_array().unwrap().iter();
    let minutes: u64 = minutes
        .map(|bound| bound["minutes"].as_u64().unwrap())
        .sum();
    assert_eq!(minutes, 120, "{told}");
    let page = report(house, "?id=sale-1").body;
    let (_, happened) = page.split_once("<th>Let in</th>").unwrap();
    assert!(
        happened.contains("<td>2 a minute over the 59 min in which visitors waited"),
        "{happened}"
    );
    assert_eq!(told["changes"], before["changes"]);
}

/// What `now-serving report` makes of the log.
fn of_log(house: &House, event: Option<&str>) -> Result<(Value, bool), String> {
    let lines: Vec<String> = house.lines().iter().map(Value::to_string).collect();
    of_lines(house, &lines.join("\n"), event)
}

fn of_lines(house: &House, log: &str, event: Option<&str>) -> Result<(Value, bool), String> {
    let of = audit::report::Of {
        room: house.room(),
        event,
        from_ms: None,
        to_ms: None,
    };
    let (told, is_sound) = audit::report::report(&[log], of)?;
    let reply = told.shown(now_serving::page::ShownAs::Json);
    Ok((serde_json::from_slice(&reply.body).unwrap(), is_sound))
}

fn out_of_the_log_the_same_is_told_with_the_outage_and_the_verdict(house: &House) {
    sale(house, "sale-1");
    let mut client = play(house);
    // The last one went straight in.
    client.waits.push(0);
    client.waits.sort_unstable();
    let (told, is_sound) = of_log(house, Some("sale-1")).unwrap();
    assert!(is_sound, "{told}");
    assert_eq!(told["came"], client.waits.len() as u64);
    for (name, percent) in [("p50", 50), ("p95", 95), ("p99", 99)] {
        let truth = percentile(&client.waits, percent);
        let shown = told["waits"][0]["waited_seconds"][name].as_u64().unwrap();
        assert!(shown.abs_diff(truth) <= 1, "{name}: {shown}, not {truth}");
    }
    let store = report(house, "?id=sale-1&as=json").json();
    for name in ["arrived", "called", "came"] {
        let [log, store] = [&told, &store].map(|told| told[name].as_u64().unwrap());
        assert!(
            log.abs_diff(store) <= 2,
            "{name}: {log}, and {store} by the store"
        );
    }
    // The journal knows how many waited after each release.
    let [log, store] =
        [&told, &store].map(|told| told["longest_line"]["waiting"].as_u64().unwrap());
    assert!(log.abs_diff(store) <= 4, "{log}, and {store} by the store");
    let names = |told: &Value| -> Vec<String> {
        let all = told["changes"].as_array().unwrap();
        all.iter().map(|change| change["by"].to_string()).collect()
    };
    assert_eq!(
        names(&told),
        names(&report(house, "?id=sale-1&as=json").json())
    );
    let unknown = told["unknown"].to_string();
    assert!(unknown.contains("the store did not answer"), "{told}");
    let verdict = told["journal"][0].to_string();
    assert!(verdict.contains("hang together"), "{verdict}");
    let other = of_log(house, Some("sale-2")).unwrap_err();
    assert!(other.contains("It has sale-1."), "{other}");
}

fn days_in_which_nobody_comes_take_nothing_from_the_report(house: &House) {
    sale(house, "sale-1");
    for minute in 0..30 {
        if minute < 12 {
            Visitor::new(house).ask("/");
        }
        house.wait(MINUTE);
        house.forget_the_sign();
        Visitor::new(house).ask("/");
    }
    let before = report(house, "?as=json").json();
    let sums = ["arrived", "called", "longest_line"];
    // The second time the line has ended meanwhile.
    for hours in [25, 480] {
        house.wait(hours * 60 * MINUTE);
        for _ in 0..3 {
            house.forget_the_sign();
            Visitor::new(house).ask("/");
            house.wait(MINUTE);
        }
        let told = report(house, "?id=sale-1&as=json").json();
        for name in sums {
            assert_eq!(told[name], before[name], "{name} after {hours} h: {told}");
        }
        let unknown = told["unknown"].to_string();
        assert!(!unknown.contains("has nothing from before"), "{told}");
    }
}

fn a_report_right_after_the_end_has_the_waits_of_all_who_came(house: &House) {
    house.wait_for_period(600);
    let at = |minutes: u64| iso_8601(house.now_ms() / 60_000 * 60_000 + minutes * 60_000);
    let event = json!([{ "id": "short", "opens": at(1), "closes": at(7) }]);
    house.set("event", &event.to_string());
    house.set("automatic", "60");
    house.set("automatic_quantity", "4");
    house.forget_the_sign();
    house.wait_for_period(60);
    let mut line = visitors(house, 10);
    for _ in 0..6 {
        house.forget_the_sign();
        for visitor in &mut line {
            visitor.ask("/");
        }
        house.ask(&crate::metrics::scrape());
        house.wait_for_period(60);
    }
    house.wait(MINUTE);
    let told = report(house, "?as=json").json();
    assert_eq!(told["goes_on"], false, "{told}");
    assert_eq!(told["waits"][0]["visitors"], told["came"], "{told}");
}

fn a_clock_that_is_set_back_spoils_no_report(house: &House) {
    sale(house, "sale-1");
    house.set("automatic_quantity", "50");
    for minute in 0..20 {
        match minute {
            12 => drop(house.change("mode", r#"{"mode":"hold"}"#)),
            16 => drop(house.change("mode", r#"{"mode":"automatic"}"#)),
            _ => {}
        }
        house.forget_the_sign();
        for mut visitor in visitors(house, 3) {
            visitor.ask("/");
        }
        house.wait(MINUTE);
        if minute == 14 {
            house.set_back(4 * MINUTE);
        }
        house.forget_the_sign();
    }
    house.wait(30 * MINUTE);
    house.forget_the_sign();
    Visitor::new(house).ask("/");
    let told = report(house, "?as=json");
    assert_eq!(told.status, 200);
    assert_eq!(report(house, "?as=html").status, 200);
    assert_eq!(told.json()["arrived"], 61, "{}", told.body);
}

fn what_other_rooms_and_programs_log_changes_no_verdict(house: &House) {
    sale(house, "sale-1");
    play(house);
    let own = house.lines();
    let mut lines: Vec<String> = own.iter().map(Value::to_string).collect();
    lines.push("a line of another program".to_owned());
    let noted = own.iter().filter(|line| line["reason"] == "noted");
    for mut other in noted.skip(1).cloned() {
        other["room"] = "other".into();
        lines.push(other.to_string());
    }
    let (told, is_sound) = of_lines(house, &lines.join("\n"), Some("sale-1")).unwrap();
    assert!(is_sound, "{told}");
}

/// A pre-queue from this minute on, after the event the room is closed.
fn event(house: &House, id: &str, [prequeue, opens, closes]: [u64; 3], more: &Value) {
    let at = |minutes: u64| iso_8601(house.now_ms() / 60_000 * 60_000 + minutes * 60_000);
    let mut event =
        json!({ "id": id, "prequeue": at(prequeue), "opens": at(opens), "closes": at(closes) });
    let all = event.as_object_mut().unwrap();
    all.extend(more.as_object().unwrap().clone());
    house.set("event", &json!([event]).to_string());
    house.set("automatic", "60");
    house.set("automatic_quantity", "10");
    house.forget_the_sign();
}

fn the_report_brings_what_the_pop_counted(house: &House) {
    house.wait_for_period(600);
    event(house, "short", [0, 1, 7], &json!({}));
    let mut line = visitors(house, 6);
    for _ in 0..2 {
        for visitor in &mut line {
            visitor.ask("/");
        }
        house.wait_for_period(60);
        house.forget_the_sign();
    }
    house.wait(6 * MINUTE);
    let told = report(house, "?as=json").json();
    assert_eq!(told["called"], 6, "{told}");
    assert_eq!(told["came"], 6, "{told}");
    assert_eq!(told["waits"][0]["visitors"], 6, "{told}");
    assert_eq!(told["goes_on"], false, "{told}");
    let late = "Data centres bring what they counted some minutes late";
    assert!(told["unknown"].to_string().contains(late), "{told}");
    let page = report(house, "").body;
    assert!(page.contains("have not yet ("), "{page}");
    assert!(!page.contains("Grey"), "nothing is: {page}");
    house.wait(10 * MINUTE);
    let page = report(house, "").body;
    assert!(
        page.contains("are not known to have (") && !page.contains(late),
        "{page}"
    );
}

fn what_was_counted_before_an_event_is_none_of_it(house: &House) {
    house.wait_for_period(600);
    event(house, "sale", [4, 5, 9], &json!({ "outside": "automatic" }));
    let mut gone = 0;
    let mut first = Visitor::new(house);
    for minute in 0..15 {
        first.ask("/");
        let mut line = visitors(house, if minute < 3 { 5 } else { 1 });
        for visitor in &mut line {
            gone += u64::from(visitor.ask("/").inside);
        }
        assert!(minute < 3 || gone >= 15, "{gone}");
        house.ask(&crate::metrics::scrape());
        house.wait_for_period(60);
        house.forget_the_sign();
    }
    let told = report(house, "?as=json").json();
    assert_eq!(told["waits"][0]["visitors"], told["came"], "{told}");
}

fn a_minute_at_whose_begin_visitors_waited_is_one_in_which_they_did(house: &House) {
    house.wait_for_period(60);
    event(house, "sale", [0, 3, 9], &json!({}));
    let mut line = visitors(house, 6);
    for _ in 0..6 {
        for visitor in &mut line {
            visitor.ask("/");
        }
        house.wait_for_period(60);
        house.forget_the_sign();
    }
    Visitor::new(house).ask("/");
    let page = report(house, "").body;
    let (_, happened) = page.split_once("<th>Let in</th>").unwrap();
    assert!(
        happened.contains("<td>6 a minute over the 1 min in which visitors waited after it opened"),
        "{happened}"
    );
}

fn a_report_of_any_time_needs_no_event(house: &House) {
    house.wait_for_period(60);
    let from = house.now_ms() / 60_000 * 60;
    house.set("automatic", "60");
    house.set("automatic_quantity", "8");
    for mut visitor in visitors(house, 3) {
        visitor.ask("/");
    }
    house.wait(2 * MINUTE);
    let got = report(house, "");
    assert_eq!(got.status, 404, "{}", got.body);
    for said in ["no event of the room has begun", "from and to"] {
        assert!(got.body.contains(said), "{said}: {}", got.body);
    }
    for query in [
        format!("?as=json&from={from}"),
        format!("?as=json&from={from}&to={}", from + 60),
        format!(
            "?as=json&from={}&to={}",
            iso_8601(from * 1000),
            iso_8601((from + 60) * 1000)
        ),
    ] {
        let told = report(house, &query).json();
        assert_eq!(told["arrived"], 3, "{query}: {told}");
        assert_eq!(told["planned"], Value::Null, "{told}");
        assert_eq!(told["goes_on"], !query.contains("to="), "{told}");
    }
    let page = report(house, &format!("?from={from}")).body;
    let (_, planned) = page.split_once("<th>Let in</th>").unwrap();
    assert!(planned.starts_with("<td>\u{2013}</td>"), "{planned}");
    assert!(page.contains("<h1>Report of the room main</h1>"), "{page}");
    for (query, said) in [
        ("from=yesterday".to_owned(), "Unix seconds"),
        (format!("to={from}"), "from is missing"),
        (format!("from={from}&to={from}"), "30 days"),
        (format!("from={}&to={from}", from - 31 * 86_400), "30 days"),
        (format!("from={}", from + 3600), "has begun"),
        (format!("from={from}&id=sale"), "either"),
    ] {
        let got = report(house, &format!("?{query}"));
        assert_eq!(got.status, 400, "{query}: {}", got.body);
        assert!(got.body.contains(said), "{query}: {}", got.body);
    }
}

fn an_event_that_is_gone_is_found_by_what_operators_did(house: &House) {
    house.wait_for_period(60);
    let begin_ms = house.now_ms() / 60_000 * 60_000;
    let event = json!({ "event": {
        "id": "set", "prequeue": iso_8601(begin_ms), "opens": iso_8601(begin_ms + 60_000), "closes": iso_8601(begin_ms + 3_600_000),
    } });
    house.change("event", &event.to_string());
    house.forget_the_sign();
    for mut visitor in visitors(house, 3) {
        visitor.ask("/");
    }
    house.wait(5 * MINUTE);
    house.change("event", r#"{"event":null}"#);
    house.wait(5 * MINUTE);
    house.forget_the_sign();
    Visitor::new(house).ask("/");
    assert_eq!(report(house, "").status, 404);
    let told = report(house, "?id=set&as=json");
    assert_eq!(told.status, 200, "{}", told.body);
    let told = told.json();
    assert_eq!(told["arrived"], 3, "{told}");
    assert_eq!(told["from"], iso_8601(begin_ms), "{told}");
    assert_eq!(
        told["planned"]["closes"],
        iso_8601(begin_ms + 3_600_000),
        "{told}"
    );
    assert_eq!(told["goes_on"], false, "{told}");
    assert!(
        told["changes"].to_string().contains("events as configured"),
        "{told}"
    );
}

fn an_end_that_somebody_brought_forward_was_not_planned(house: &House) {
    house.wait_for_period(60);
    event(house, "sale", [0, 1, 60], &json!({}));
    let closes = iso_8601(house.now_ms() / 60_000 * 60_000 + 3_600_000);
    Visitor::new(house).ask("/");
    house.wait(5 * MINUTE + Duration::from_millis(345));
    house.forget_the_sign();
    Visitor::new(house).ask("/");
    for stock in [2, 0, 0] {
        let reported = Ask::get("/_queue/report").method("POST");
        let reported = reported.with("authorization", format!("Bearer {PERMIT_TOKEN}"));
        let body = json!({ "stock": stock }).to_string();
        assert_eq!(
            house.ask(&reported.body("application/json", &body)).status,
            200
        );
    }
    house.change("event", r#"{"event":"sold_out"}"#);
    let told = report(house, "?as=json").json();
    assert_eq!(told["goes_on"], false, "{told}");
    assert_eq!(told["planned"]["closes"], closes, "{told}");
    let changes = told["changes"].as_array().unwrap().iter();
    let changes: Vec<_> = changes
        .map(|change| (&change["by"], &change["what"]))
        .collect();
    let [stock, sold_out] = [json!("stock 0"), json!("event sale sold out")];
    let names = [json!("permit_token"), json!("admin")];
    assert_eq!(changes, [(&names[0], &stock), (&names[1], &sold_out)]);
}

fn times_that_follow_each_other_count_nobody_twice(house: &House) {
    const STEPS: &str = "in steps of ten minutes";
    house.wait_for_period(60);
    let from = house.now_ms() / 60_000 * 60;
    house.set("automatic", "60");
    house.set("automatic_quantity", "50");
    for many in [3, 5, 7] {
        for mut visitor in visitors(house, many) {
            visitor.ask("/");
        }
        house.wait_for_period(60);
        house.forget_the_sign();
    }
    for (minute, arrived) in [0, 3, 5, 7].into_iter().enumerate() {
        let from = from + minute as u64 * 60 - 60;
        let query = format!("?as=json&from={from}&to={}", from + 60);
        let told = report(house, &query).json();
        assert_eq!(told["arrived"], arrived, "{minute}: {told}");
        assert_eq!(told["called"], arrived, "{minute}: {told}");
        assert!(told["unknown"].to_string().contains(STEPS), "{told}");
    }
    let (from, to) = (from / 600 * 600, from / 600 * 600 + 600);
    let told = report(house, &format!("?as=json&from={from}&to={to}")).json();
    assert!(!told["unknown"].to_string().contains(STEPS), "{told}");
}

fn what_is_counted_in_one_event_is_none_of_the_next(house: &House) {
    house.wait_for_period(600);
    house.wait(4 * MINUTE);
    let at = |minutes: u64| iso_8601(house.now_ms() / 60_000 * 60_000 + minutes * 60_000);
    let events = json!([
        { "id": "first", "prequeue": at(0), "opens": at(1), "closes": at(5) },
        { "id": "second", "prequeue": at(5), "opens": at(6), "closes": at(30) },
    ]);
    house.set("event", &events.to_string());
    house.set("automatic", "60");
    house.set("automatic_quantity", "50");
    house.forget_the_sign();
    let mut all = Vec::new();
    for minute in 0..9 {
        let mut more = visitors(house, if minute < 5 { 1 } else { 10 });
        for visitor in &mut more {
            visitor.ask("/");
        }
        all.extend(more);
        house.wait(Duration::from_secs(2));
        house.forget_the_sign();
        for visitor in &mut all {
            visitor.ask("/");
        }
        house.ask(&crate::metrics::scrape());
        house.wait_for_period(60);
        house.forget_the_sign();
    }
    for (id, many) in [("first", 5), ("second", 40)] {
        let told = report(house, &format!("?as=json&id={id}")).json();
        for name in ["arrived", "called", "came"] {
            assert_eq!(told[name], many, "{name} {id}: {told}");
        }
        assert_eq!(told["waits"][0]["visitors"], many, "{id}: {told}");
    }
}

fn of_a_time_that_the_store_has_lost_nobody_is_said_to_have_waited_or_not(house: &House) {
    sale(house, "sale");
    for minute in 0..30 {
        if minute == 20 {
            house.store.restart_empty();
        }
        for mut visitor in visitors(house, 3) {
            visitor.ask("/");
        }
        house.wait_for_period(60);
        house.forget_the_sign();
    }
    let told = report(house, "?as=json").json();
    let bounds = told["bound_by"].as_array().unwrap().iter();
    let minutes = |rule: &str| {
        let mut bounds = bounds.clone();
        let found = bounds.find(|bound| bound["rule"] == rule);
        found.map_or(0, |bound| bound["minutes"].as_u64().unwrap())
    };
    assert_eq!(minutes("waiting"), 0, "{told}");
    assert!((19..=21).contains(&minutes("unheard")), "{told}");
    assert!(report(house, "").body.contains("Grey: there is no word"));
}

fn what_operators_did_is_told_as_long_as_the_minutes_are(house: &House) {
    sale(house, "sale");
    Visitor::new(house).ask("/");
    house.wait(12 * MINUTE);
    house.ask(&Ask::press("amt=10"));
    house.wait(10 * MINUTE);
    let before = report(house, "?id=sale&as=json").json();
    assert_eq!(before["changes"].as_array().unwrap().len(), 1, "{before}");
    for _ in 0..28 {
        house.wait(24 * 60 * MINUTE);
        house.forget_the_sign();
        Visitor::new(house).ask("/");
    }
    let told = report(house, "?id=sale&as=json").json();
    assert_eq!(told["arrived"], 1, "{told}");
    assert_eq!(told["changes"], before["changes"], "{told}");
}

fn an_event_that_ran_before_it_was_moved_and_taken_away_is_found(house: &House) {
    house.wait_for_period(60);
    let begin_ms = house.now_ms() / 60_000 * 60_000;
    let put = |from: u64| {
        let [prequeue, opens, closes] =
            [from, from + 1, from + 60].map(|minutes| iso_8601(begin_ms + minutes * 60_000));
        let event = json!({ "event": { "id": "set", "prequeue": prequeue, "opens": opens, "closes": closes } });
        house.change("event", &event.to_string());
        house.forget_the_sign();
    };
    put(0);
    for mut visitor in visitors(house, 3) {
        visitor.ask("/");
    }
    house.wait(5 * MINUTE);
    put(1440);
    house.wait(5 * MINUTE);
    house.change("event", r#"{"event":null}"#);
    let told = report(house, "?id=set&as=json").json();
    assert_eq!(told["arrived"], 3, "{told}");
    assert_eq!(told["from"], iso_8601(begin_ms), "{told}");
    assert_eq!(told["goes_on"], false, "{told}");
}

fn stock(house: &House, stock: u64) {
    let reported = Ask::get("/_queue/report").method("POST");
    let reported = reported.with("authorization", format!("Bearer {PERMIT_TOKEN}"));
    let body = json!({ "stock": stock }).to_string();
    let got = house.ask(&reported.body("application/json", &body));
    assert_eq!(got.status, 200, "{got:?}");
}

fn a_stock_that_comes_and_goes_hides_no_change_by_an_operator(house: &House) {
    sale(house, "sale");
    Visitor::new(house).ask("/");
    house.change("message", r#"{"message":"We are sold out soon"}"#);
    // Carts that are given up come back, and are sold again.
    for _ in 0..60 {
        stock(house, 0);
        stock(house, 1);
    }
    let told = report(house, "?as=json").json();
    let changes = told["changes"].as_array().unwrap().iter();
    let what: Vec<&Value> = changes.map(|change| &change["what"]).collect();
    assert_eq!(
        what,
        ["message \u{201c}We are sold out soon\u{201d}", "stock 0"]
    );
}

fn of_visitors_whom_another_data_centre_counted_nobody_is_said_not_to_have_come(house: &House) {
    house.wait_for_period(600);
    event(house, "sale", [0, 1, 30], &json!({}));
    house.set("automatic_quantity", "500");
    house.wait(2 * MINUTE);
    // Each asks once, so no data centre looks.
    for second in 0..60 {
        house.go_to_pop(second % 2 + 1);
        assert!(Visitor::new(house).ask("/").inside);
        house.wait(Duration::from_secs(1));
    }
    house.go_to_pop(1);
    house.wait(60 * MINUTE);
    let told = report(house, "?as=json").json();
    assert_eq!((&told["called"], &told["came"]), (&json!(60), &json!(30)));
    let page = report(house, "").body;
    assert!(page.contains("are not known to have (50"), "{page}");
    assert!(!page.contains("did not"), "{page}");
}
