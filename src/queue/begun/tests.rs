use super::*;

fn begun(text: &str) -> Begun {
    Begun::read(text).unwrap_or_else(|| unreachable!())
}

#[test]
fn the_lot_moves_the_numbers_of_the_prequeue_and_no_others() {
    let undecided = begun("sale 5 drawn main/7=100:10 c0 - ");
    let decided = begun("sale 5 drawn~b main/7=100:10 c0 a1 beacon 4711");
    let awaiting = [100, 101, 110, 111].map(|number| undecided.awaits_lot(Place::new(7, number)));
    assert_eq!(awaiting, [false, true, true, false]);
    assert_eq!(
        [(7, 100), (7, 111), (8, 105)]
            .map(|(born, number)| decided.by_lot(Place::new(born, number))),
        [None; 3]
    );
    assert_eq!(undecided.by_lot(Place::new(7, 101)), None);
    let mut given: Vec<u64> = (101..=110)
        .filter_map(|number| decided.by_lot(Place::new(7, number)))
        .map(|given| given.position.0)
        .collect();
    given.sort_unstable();
    assert_eq!(given, (101..=110).collect::<Vec<_>>());
    assert!(!decided.awaits_lot(Place::new(7, 101)));
    assert!(begun("sale 5 drawn - c0 - ").awaits_lot(Place::new(7, 1)));
}

#[test]
fn the_rolls_of_a_prequeue_have_one_lot() {
    let decided = begun("sale 5 drawn main/7=0:30,main/9=2:20 c0 a1 beacon 4711");
    let numbers = (1..=30)
        .map(|number| (7, number))
        .chain((3..=22).map(|number| (9, number)));
    let numbers: Vec<(u64, u64)> = numbers.collect();
    let mut given: Vec<(u64, u64)> = numbers
        .iter()
        .filter_map(|(born, number)| decided.by_lot(Place::new(*born, *number)))
        .map(|given| (given.born, given.position.0))
        .collect();
    let of_later = given.iter().take(30).filter(|(born, _)| *born == 9).count();
    assert!(
        of_later > 0,
        "who drew before the loss may be behind those who drew after it"
    );
    given.sort_unstable();
    assert_eq!(given, numbers);
    assert_eq!(decided.came(Place::new(9, 3)), Some(31));
}

#[test]
fn only_a_lot_for_somebody_is_waited_for() {
    let told = [
        "e 5 drawn - c0 - ",
        "e 5 drawn main/7=0:3 c0 - ",
        "e 5 drawn none c0 - ",
        "e 5 arrival main/7=0:3",
        "e 5 drawn main/7=0:3 c0 a1 ",
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
        ..begun("sale 5 drawn main/7=100:10")
    };
    for value in ["", "beacon 4711", " two  spaces "] {
        let told = decided(value).on_ticket().unwrap_or_default();
        assert_eq!(
            Begun::of_ticket(&told, Lane::Main),
            Some(decided(value)),
            "{told}"
        );
    }
    assert_eq!(begun("sale 5 drawn main/7=100:10 c0 - ").on_ticket(), None);
    assert_eq!(
        Begun::of_ticket("sale 5 drawn main/7=100:10 c0 - ", Lane::Main),
        None
    );
}

#[test]
fn each_lane_has_an_order_of_its_own() {
    let text = "sale 5 drawn~b main/7=100:10,west/7=7:10 c0 a1 beacon 4711";
    let whole = begun(text);
    assert_eq!(whole.written(), text);
    let west = Lane::read("west").unwrap_or_default();
    let given = |begun: &Begun, base: u64| -> Vec<u64> {
        let all = (1..=10).filter_map(|came| begun.by_lot(Place::new(7, base + came)));
        all.map(|given| given.position.0 - base).collect()
    };
    let (of_main, of_west) = (given(&whole, 100), given(&whole.of(west), 7));
    assert!(of_main.len() == 10 && of_west.len() == 10);
    assert_ne!(of_main, of_west, "the seed names the lane");
    assert_eq!(
        whole
            .of(Lane::read("vip").unwrap_or_default())
            .by_lot(Place::new(7, 1)),
        None
    );
    // A ticket has its own lane, and computes the same.
    let ticket = whole.of(west).on_ticket().unwrap_or_default();
    let read = Begun::of_ticket(&ticket, west);
    assert_eq!(read.map(|read| given(&read, 7)), Some(of_west), "{ticket}");
    let somewhere = begun("sale 5 drawn west/7=0:3 c0 - ");
    assert!(somewhere.is_undecided() && !somewhere.awaits_lot(Place::new(7, 1)));
    assert!(somewhere.of(west).awaits_lot(Place::new(7, 3)));
    assert!(
        !somewhere
            .of(Lane::read("vip").unwrap_or_default())
            .awaits_lot(Place::new(7, 1))
    );
    for broken in [
        "sale 5 drawn west",
        "sale 5 drawn west=1:2",
        "sale 5 drawn west/7=1",
        "sale 5 drawn west/7=1:x",
        "sale 5 drawn /7=1:2",
    ] {
        assert_eq!(Begun::read(broken), None, "{broken}");
    }
}
