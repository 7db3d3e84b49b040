//! Each release says which rule bound it: in the status, on the panel, among the metrics and in the log.

use serde_json::json;

use super::lines::status;
use crate::house::{Ask, House, visitors};
use crate::metrics::{numbers, scrape};

fn bound(house: &House) -> Vec<String> {
    let told = numbers(&house.ask(&scrape()).body);
    let rules = told
        .iter()
        .filter(|(name, number)| name.starts_with("now_serving_bound") && **number > 0.0);
    rules.map(|(name, _)| name.clone()).collect()
}

/// A release of five, of which slots allow three; then the next rule that bounds, and the next.
pub(crate) fn each_release_says_which_rule_bound_it(house: &House) {
    house.set("automatic", "0");
    house.set("automatic_quantity", "5");
    let mut line = visitors(house, 8);
    for visitor in &mut line {
        visitor.ask("/");
    }
    let pace = json!({"bound_by": "pace", "recount_until": null, "last": null});
    assert_eq!(
        status(house)["release"],
        pace,
        "the line moves by hand only"
    );
    house.set("total_active", "3");
    house.forget_the_sign();
    house.set("automatic", "15");
    house.wait_for_period(15);
    line[7].ask("/");
    let told = status(house)["release"].clone();
    let last = &told["last"];
    assert_eq!(told["bound_by"], "slots");
    assert!(last["at"].as_str().is_some_and(|at| at.ends_with('Z')));
    let figures = ["released", "pace", "slots", "bound_by"].map(|name| last[name].clone());
    assert_eq!(figures, [json!(3), json!(5), json!(3), json!("slots")]);
    let logged = json!({"released": 3, "pace": 5, "slots": 3, "boundBy": "slots"});
    assert_eq!(house.releases(), [logged]);
    let rule = format!(
        "now_serving_bound{{room=\"{}\",rule=\"slots\"}}",
        house.room()
    );
    assert_eq!(bound(house), [rule]);
    let panel = house.ask(&Ask::get("/_queue/").operator()).body;
    assert!(
        panel.contains("3 went in by a pace of 5 and 3 free slots, at "),
        "{panel}"
    );
    assert!(panel.contains("Limit now: no slot is free."), "{panel}");
    assert!(panel.contains("0 of 3, and 3 called."), "{panel}");
    house.change("mode", r#"{"mode":"hold"}"#);
    assert_eq!(status(house)["release"]["bound_by"], "mode");
}
