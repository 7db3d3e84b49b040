use super::*;
use std::cmp::Ordering::{Equal, Greater, Less};

fn begun(text: &str) -> Begun {
    Begun::read(text).unwrap_or_else(|| unreachable!())
}

#[test]
fn an_event_is_joined_from_what_two_copies_know() {
    let joined = |mine: &str, known: &str, age| {
        let both = Begun::joined(Begun::read(mine), Begun::read(known).as_ref(), age);
        both.map(|begun| begun.written()).unwrap_or_default()
    };
    for (mine, known, expected) in [
        ("", "", ""),
        ("sale 5 0 -1 arrival", "", "sale 5 0 -1 arrival"),
        ("", "sale 5 7 9 arrival", "sale 5 7 9 arrival"),
        ("sale 5 7 9 drawn", "next 6 9 -1 drawn", "next 6 9 -1 drawn"),
        ("next 6 9 -1 drawn", "sale 5 7 9 drawn", "next 6 9 -1 drawn"),
        ("sale 5 7 -1 drawn", "sale 5 7 9 drawn", "sale 5 7 9 drawn"),
        ("sale 5 7 9 drawn", "sale 5 7 -1 drawn", "sale 5 7 9 drawn"),
        (
            "sale 5 7 -1 drawn",
            "sale 5 7 -1 drawn c0 - ",
            "sale 5 7 -1 drawn c0 - ",
        ),
        (
            "sale 5 0 9 drawn~b c0 a1 v",
            "sale 6 0 0 drawn c1 - ",
            "sale 5 0 9 drawn~b c0 a1 v",
        ),
        (
            "sale 6 0 0 drawn~b c1 - ",
            "sale 5 0 9 drawn c0 a1 v w",
            "sale 5 0 9 drawn~b c0 a1 v w",
        ),
        (
            "sale 6 0 0 arrival",
            "sale 5 0 9 drawn c0 a1 v",
            "sale 5 0 9 drawn c0 a1 v",
        ),
    ] {
        for age in [Less, Equal, Greater] {
            assert_eq!(joined(mine, known, age), expected, "{mine} and {known}");
        }
    }
}

#[test]
fn of_one_event_whose_order_is_not_decided_the_older_data_count() {
    let (older, newer) = ("sale 5 7 -1 drawn c0 - ", "sale 6 2 14 drawn~b c1 - ");
    for (mine, known, age) in [(newer, older, Less), (older, newer, Greater)] {
        let both = Begun::joined(Some(begun(mine)), Some(&begun(known)), age);
        assert_eq!(
            both.map(|begun| begun.written()).as_deref(),
            Some("sale 5 7 9 drawn c0 - ")
        );
    }
}

#[test]
fn the_lot_moves_the_numbers_of_the_prequeue_and_no_others() {
    let undecided = begun("sale 5 100 10 drawn c0 - ");
    let decided = begun("sale 5 100 10 drawn~b c0 a1 beacon 4711");
    let awaiting = [100, 101, 110, 111].map(|number| undecided.awaits_lot(Position(number)));
    assert_eq!(awaiting, [false, true, true, false]);
    assert_eq!(
        [100, 111].map(|number| decided.by_lot(Position(number))),
        [None, None]
    );
    assert_eq!(undecided.by_lot(Position(101)), None);
    let mut given: Vec<u64> = (101..=110)
        .filter_map(|number| decided.by_lot(Position(number)))
        .map(|number| number.0)
        .collect();
    given.sort_unstable();
    assert_eq!(given, (101..=110).collect::<Vec<_>>());
    assert!(!decided.awaits_lot(Position(101)));
}

#[test]
fn only_a_lot_for_somebody_is_waited_for() {
    let told = [
        "e 5 0 -1 drawn c0 - ",
        "e 5 0 3 drawn c0 - ",
        "e 5 0 0 drawn c0 - ",
        "e 5 0 3 arrival",
        "e 5 0 3 drawn c0 a1 ",
    ];
    assert_eq!(
        told.map(|text| begun(text).is_undecided()),
        [true, true, false, false, false]
    );
}

#[test]
fn a_called_visitor_is_no_part_of_the_lot() {
    for (before, cursor, after) in [
        ("e 5 3 -1 drawn c0 - ", 3, "e 5 3 -1 drawn c0 - "),
        ("e 5 3 -1 drawn c0 - ", 7, "e 5 7 -1 drawn c0 - "),
        ("e 5 3 9 drawn c0 - ", 7, "e 5 7 5 drawn c0 - "),
        ("e 5 3 9 drawn c0 - ", 20, "e 5 20 0 drawn c0 - "),
        ("e 5 3 9 drawn c0 a1 ", 7, "e 5 3 9 drawn c0 a1 "),
        ("e 5 3 9 arrival", 7, "e 5 3 9 arrival"),
    ] {
        let mut called = begun(before);
        called.call(cursor);
        assert_eq!(called.written(), after);
    }
}

#[test]
fn an_event_keeps_the_order_with_which_it_began() {
    let event = |id: &str, prequeue_ms, opens_ms| Event {
        id: id.to_owned(),
        prequeue_ms,
        opens_ms,
        closes_ms: None,
        order: Order::Drawn,
    };
    let by = Order::DrawnBy("b".to_owned());
    let order = |event: Event, text: &str| event.order_in(Begun::read(text).as_ref());
    for (event, text, expected) in [
        (event("e", 4, 5), "", Order::Drawn),
        (event("e", 4, 5), "d 3 0 -1 arrival", Order::Drawn),
        (event("e", 4, 5), "d 9 0 -1 drawn", Order::Arrival),
        (event("e", 4, 5), "e 5 0 -1 arrival", Order::Arrival),
        (event("e", 4, 5), "e 5 0 -1 drawn~b", by.clone()),
        (event("e", 4, 7), "e 5 0 9 drawn~b c0 a1 v", by.clone()),
        (event("e", 6, 7), "e 5 0 9 drawn~b c0 - ", by),
        (event("e", 6, 7), "e 5 0 9 drawn~b c0 a1 v", Order::Arrival),
        (event("e", 6, 7), "e 5 0 0 drawn~b c0 - ", Order::Arrival),
    ] {
        assert_eq!(order(event, text), expected, "{text}");
    }
}

#[test]
fn a_ticket_says_what_decided_the_order() {
    let decided = |value: &str| Begun {
        lot: Some(Lot {
            secret: "a1".to_owned(),
            value: value.to_owned(),
        }),
        commitment: Some(commitment("a1")),
        ..begun("sale 5 100 10 drawn")
    };
    for value in ["", "beacon 4711", " two  spaces "] {
        let told = decided(value).on_ticket().unwrap_or_default();
        assert_eq!(Begun::of_ticket(&told), Some(decided(value)), "{told}");
    }
    assert_eq!(begun("sale 5 100 10 drawn c0 - ").on_ticket(), None);
    assert_eq!(Begun::of_ticket("sale 5 100 10 drawn c0 - "), None);
}
