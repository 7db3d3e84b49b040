//! An event, where the clock of a data centre is not the store's.

use std::time::Duration;

use now_serving::page::iso_8601;
use serde_json::json;

use crate::house::{House, Visitor, claims};

const STEP: u64 = 5;
const PREQUEUE: u64 = 120;
const OPENS: u64 = 300;

fn store_seconds(house: &House) -> u64 {
    let time = house.store.command(&["TIME"]).unwrap();
    time[0].as_str().unwrap().parse().unwrap()
}

/// A data centre whose clock is wrong, beside one whose clock is right, and a visitor in each.
struct Apart<'a> {
    house: &'a House,
    wrong_ms: i64,
    visitors: [Visitor<'a>; 2],
}

impl<'a> Apart<'a> {
    fn new(house: &'a House, order: &str, wrong_ms: i64) -> Self {
        house.unset("clock");
        house.set("automatic", "60");
        house.set("automatic_quantity", "1000");
        let second = store_seconds(house);
        house.shift_pop(
            i64::try_from(second * 1000).unwrap() - i64::try_from(house.now_ms()).unwrap(),
        );
        let at = |after: u64| iso_8601((second + after) * 1000).replace(".000", "");
        let event =
            json!({ "id": "sale", "order": order, "prequeue": at(PREQUEUE), "opens": at(OPENS) });
        house.set("event", &event.to_string());
        house.warm();
        Self {
            house,
            wrong_ms,
            visitors: [(); 2].map(|()| Visitor::new(house)),
        }
    }

    /// Where the visitor of this data centre stands: whether the ticket has a number, and whether the origin answers.
    fn ask(&mut self, pop: usize) -> (bool, bool) {
        let by_ms = if pop == 1 { self.wrong_ms } else { 0 };
        self.house.go_to_pop(pop);
        self.house.shift_pop(by_ms);
        let told = self.visitors[pop].ask("/");
        self.house.shift_pop(-by_ms);
        let ticket = self.visitors[pop].ticket.as_deref().map(claims);
        let has_number = ticket.is_some_and(|ticket| ticket["pos"].is_u64());
        (has_number, told.inside)
    }

    /// From this second on both ask every few seconds: when each had a number, and when each was inside.
    fn watch(&mut self, from: u64) -> [(u64, u64); 2] {
        let mut seen = [(None, None); 2];
        self.house.wait(Duration::from_secs(from));
        for second in (from..OPENS + 60).step_by(usize::try_from(STEP).unwrap()) {
            for (pop, (drawn, inside)) in seen.iter_mut().enumerate() {
                let (has_number, is_inside) = self.ask(pop);
                if has_number {
                    drawn.get_or_insert(second);
                }
                if is_inside {
                    inside.get_or_insert(second);
                }
            }
            self.house.wait(Duration::from_secs(STEP));
        }
        let known = |at: Option<u64>| at.unwrap_or(u64::MAX);
        seen.map(|(drawn, inside)| (known(drawn), known(inside)))
    }
}

#[test]
fn data_centres_whose_clocks_lie_a_minute_apart_begin_and_open_together() {
    for order in ["arrival", "drawn"] {
        for wrong_ms in [-60_000, 60_000] {
            for from in [0, PREQUEUE - 40, PREQUEUE + STEP] {
                let house = House::native();
                let seen = Apart::new(&house, order, wrong_ms).watch(from);
                let begins = PREQUEUE.max(from);
                for (drawn, inside) in seen {
                    let what = format!("{order} {wrong_ms} from {from}: {seen:?}");
                    assert!((begins..=begins + 2 * STEP).contains(&drawn), "{what}");
                    assert!((OPENS..=OPENS + 2 * STEP).contains(&inside), "{what}");
                }
            }
        }
    }
}
