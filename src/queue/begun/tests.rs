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
        assert_eq!(
            Begun::of_ticket(&told, Lane::Main),
            Some(decided(value)),
            "{told}"
        );
    }
    assert_eq!(begun("sale 5 100 10 drawn c0 - ").on_ticket(), None);
    assert_eq!(
        Begun::of_ticket("sale 5 100 10 drawn c0 - ", Lane::Main),
        None
    );
}

#[test]
fn each_lane_has_an_order_of_its_own() {
    let text = "sale 5 100 10,front=0:0,west=7:10 drawn~b c0 a1 beacon 4711";
    let whole = begun(text);
    assert_eq!(whole.written(), text);
    let west = Lane::read("west").unwrap_or_default();
    let given = |begun: &Begun, base: u64| -> Vec<u64> {
        let all = (1..=10).filter_map(|came| begun.by_lot(Position(base + came)));
        all.map(|number| number.0 - base).collect()
    };
    let (of_main, of_west) = (given(&whole, 100), given(&whole.of(west), 7));
    assert!(of_main.len() == 10 && of_west.len() == 10);
    assert_ne!(of_main, of_west, "the seed names the lane");
    assert_eq!(whole.of(Lane::Front).by_lot(Position(1)), None);
    // A ticket has its own lane, and computes the same.
    let ticket = whole.of(west).on_ticket().unwrap_or_default();
    let read = Begun::of_ticket(&ticket, west);
    assert_eq!(read.map(|read| given(&read, 7)), Some(of_west), "{ticket}");
    let somewhere = begun("sale 5 0 0,west=0:3 drawn c0 - ");
    assert!(somewhere.is_undecided() && !somewhere.awaits_lot(Position(1)));
    assert!(somewhere.of(west).awaits_lot(Position(3)));
    assert!(!somewhere.of(Lane::Front).awaits_lot(Position(1)));
    for broken in [
        "sale 5 100 10,west drawn",
        "sale 5 100 10,main=1:2 drawn",
        "sale 5 100 10,west=1 drawn",
        "sale 5 100 10,west=1:x drawn",
    ] {
        assert_eq!(Begun::read(broken), None, "{broken}");
    }
}
