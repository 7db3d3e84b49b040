//! What a store in trouble costs visitors, and what it does not.

use crate::house::{House, Visitor};

pub(crate) fn a_closed_room_that_opens_again_costs_one_call(house: &House) {
    // This is about the exact number of calls, and a script that the store has to learn is one more.
    house.warm();
    house.change("mode", r#"{"mode":"closed"}"#);
    assert_eq!(Visitor::new(house).ask("/").json()["mode"], "closed");
    house.forget_the_sign();
    // As another data centre would open it: nobody here is told.
    house.write(&["mode", "automatic"]);
    let mut visitor = Visitor::new(house);
    let calls = house.calls(|| assert_eq!(visitor.ask("/").json()["position"], 1));
    assert_eq!(calls, 1);
}
