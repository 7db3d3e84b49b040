//! The stock that the origin reports: how many visitors are still called, who reads that it may be gone, and who may report it.

use std::time::Duration;

use audit::audit;
use now_serving::page::iso_8601;
use serde_json::{Value, json};

use super::lines::status;
use crate::house::{Ask, Got, House, PERMIT_TOKEN, Visitor, visitors};
use crate::metrics::scrape;

const SHOP: &str = "development-only-shop-token";

fn report(house: &House, token: &str, body: &str) -> Got {
    let ask = Ask::get("/_queue/report").method("POST");
    let ask = ask.with("authorization", format!("Bearer {token}"));
    house.ask(&ask.body("application/json", body))
}

fn place(visitor: &mut Visitor<'_>) -> Value {
    visitor.ask("/_queue/place").json()
}

/// Seven wait in a room that moves by hand, and the shop has a token that may report the stock.
fn line(house: &House) -> Vec<Visitor<'_>> {
    house.set("automatic", "0");
    house.set(
        "permit_token",
        &format!("shop/stock:{SHOP},pay:{PERMIT_TOKEN}"),
    );
    let mut line = visitors(house, 7);
    for visitor in &mut line {
        visitor.ask("/");
    }
    line
}

pub(crate) fn a_reported_stock_bounds_the_line_and_is_named_wherever_the_line_is(house: &House) {
    let mut line = line(house);
    let told = report(house, SHOP, r#"{"stock":2}"#);
    assert_eq!(told.status, 200, "{}", told.body);
    assert_eq!(told.json(), json!({"mode": "automatic", "stock": 2}));
    let permitted = house.permit(5);
    let counted = ["released", "credit"].map(|name| permitted[name].clone());
    assert_eq!(counted, [json!(2), json!(3)], "{permitted}");
    assert!(line[1].ask("/").inside);
    assert!(!line[2].ask("/").inside);
    let told = status(house);
    assert_eq!(
        (&told["stock"], &told["release"]["bound_by"]),
        (&json!(0), &json!("stock"))
    );
    let (figures, room) = (house.ask(&scrape()).body, house.room());
    for figure in [
        format!("now_serving_stock_left{{room=\"{room}\"}} 0\n"),
        format!("now_serving_bound{{room=\"{room}\",rule=\"stock\"}} 1\n"),
    ] {
        assert!(figures.contains(&figure), "{figure}: {figures}");
    }
    let panel = house.ask(&Ask::get("/_queue/").operator()).body;
    for shown in [
        "id=\"stock\">sold out: no visitor is called, by the report of shop at ",
        "Limit now: the reported stock is used up.",
        "The reported stock is used up: no visitor goes in",
    ] {
        assert!(panel.contains(shown), "{shown}: {panel}");
    }
    assert!(
        !panel.contains("stock 2</span>"),
        "Activity has no reports of programs"
    );
    // What was granted goes in once there is more, and all of it without a stock.
    assert_eq!(report(house, SHOP, r#"{"stock":1}"#).json()["stock"], 0);
    assert_eq!(status(house)["cursor"], 3);
    assert_eq!(
        report(house, SHOP, r#"{"stock":null}"#).json()["stock"],
        Value::Null
    );
    let told = status(house);
    assert_eq!(
        (&told["cursor"], &told["credit"], &told["stock"]),
        (&json!(5), &json!(0), &Value::Null)
    );
    let journal = house.ask(&Ask::get("/_queue/journal").operator()).body;
    for line in [" shop stock:2", " shop stock:1", " shop stock:-"] {
        assert!(journal.contains(line), "{line}: {journal}");
    }
    assert_eq!(audit(&[&journal], &[]).faults, Vec::<String>::new());
}

pub(crate) fn a_stock_ends_with_the_event_in_whose_time_it_was_reported(house: &House) {
    let mut line = line(house);
    let second = house.now_ms() / 1000;
    let at = |after: u64| iso_8601((second + after) * 1000).replace(".000", "");
    let event = json!({ "id": "sale", "opens": at(60), "closes": at(180), "outside": "automatic" });
    house.set("event", &event.to_string());
    // Reported before, it bounds what comes before and in the event.
    assert_eq!(report(house, SHOP, r#"{"stock":1}"#).status, 200);
    house.wait(Duration::from_mins(2));
    house.permit(2);
    assert_eq!(status(house)["cursor"], 1);
    assert_eq!(report(house, SHOP, r#"{"stock":0}"#).status, 200);
    assert_eq!(status(house)["release"]["bound_by"], "stock");
    house.wait(Duration::from_secs(70));
    let told = house.permit(2);
    assert_eq!(told["released"], 2, "beside what was kept: {told}");
    let told = status(house);
    assert_eq!((&told["cursor"], &told["stock"]), (&json!(4), &Value::Null));
    house.forget_the_sign();
    assert!(line[3].ask("/").inside);
    // A later one is the shop's own.
    assert_eq!(report(house, SHOP, r#"{"stock":1}"#).status, 200);
    house.permit(3);
    assert_eq!(status(house)["cursor"], 5);
    let journal = house.ask(&Ask::get("/_queue/journal").operator()).body;
    assert_eq!(audit(&[&journal], &[]).faults, Vec::<String>::new());
}

/// With two left the third waits in vain, unless there is more by then.
pub(crate) fn a_visitor_behind_the_stock_reads_that_it_may_be_gone_and_no_other_does(
    house: &House,
) {
    const SHORT: &str = "It may be sold out before your turn";
    const SOLD_OUT: &str = "Sold out for now";
    let mut line = line(house);
    report(house, SHOP, r#"{"stock":2}"#);
    for (ahead, visitor) in line.iter_mut().enumerate() {
        let update = place(visitor);
        let data = visitor.send(Ask::get("/").json()).json();
        let page = visitor.send(Ask::get("/").with("accept", "text/html")).body;
        let is_behind = ahead >= 2;
        let left = if is_behind { json!(2) } else { Value::Null };
        assert_eq!(
            (&update["stock_left"], &data["stock_left"]),
            (&left, &left),
            "{ahead}: {update}"
        );
        assert_eq!(update["headline"] == SHORT, is_behind, "{ahead}: {update}");
        assert_eq!(page.contains(SHORT), is_behind, "{ahead}: {page}");
        if is_behind {
            assert_eq!(
                update["line"],
                format!("There are {ahead} people ahead of you.")
            );
            assert_eq!(update["estimate"], Value::Null, "no turn is promised");
        }
    }
    report(house, SHOP, r#"{"stock":0}"#);
    let told = place(&mut line[0]);
    assert_eq!(
        (&told["headline"], &told["stock_left"]),
        (&json!(SOLD_OUT), &json!(0)),
        "{told}"
    );
    assert_eq!(
        told["detail"],
        "If more becomes available, the line moves on."
    );
    report(house, SHOP, r#"{"stock":20}"#);
    for visitor in &mut line {
        assert_eq!(place(visitor)["stock_left"], Value::Null);
    }
}

pub(crate) fn the_role_stock_reports_the_stock_and_nothing_else(house: &House) {
    house.set(
        "permit_token",
        &format!("shop/stock:{SHOP},pay:{PERMIT_TOKEN}"),
    );
    for body in [r#"{"load":0.5}"#, r#"{"stock":5,"ok":3}"#] {
        let refused = report(house, SHOP, body);
        assert_eq!(refused.status, 403, "{body}: {}", refused.body);
        assert!(
            refused.body.contains("shop may only report the stock"),
            "{}",
            refused.body
        );
        assert_eq!(report(house, PERMIT_TOKEN, body).status, 200, "{body}");
    }
    assert_eq!(status(house)["stock"], 5);
    for route in ["permit", "event", "mode"] {
        let ask = Ask::get(&format!("/_queue/{route}")).method("POST");
        let ask = ask.with("authorization", format!("Bearer {SHOP}"));
        assert_eq!(
            house.ask(&ask.body("application/json", "{}")).status,
            403,
            "{route}"
        );
    }
    let read = Ask::get("/_queue/status").with("authorization", format!("Bearer {SHOP}"));
    assert_eq!(house.ask(&read).status, 200);
    // Where the origin is not watched, the stock counts all the same.
    house.set("origin_health", "off");
    assert_eq!(report(house, SHOP, r#"{"stock":4}"#).status, 200);
    assert_eq!(report(house, PERMIT_TOKEN, r#"{"load":0.5}"#).status, 400);
    for wrong in ["-1", "1.5", "\"5\"", "100000001", "[5]", "true"] {
        let refused = report(house, SHOP, &format!(r#"{{"stock":{wrong}}}"#));
        assert_eq!(refused.status, 400, "{wrong}");
        let told = "accepted is a whole number from 0 to 100000000";
        assert!(refused.body.contains(told), "{wrong}: {}", refused.body);
    }
    assert_eq!(status(house)["stock"], 4);
    // A report is no change of the settings, which operators see by their version.
    assert_eq!(
        house.ask(&Ask::get("/_queue/settings").operator()).json()["version"],
        0
    );
}
