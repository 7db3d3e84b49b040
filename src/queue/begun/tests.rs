use super::*;

fn begun(text: &str) -> Begun {
    Begun::read(text).unwrap_or_else(|| unreachable!())
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
