//! Logins that come at once, in the real local server.

use std::thread;

use crate::house::{Ask, House};

use crate::native::login::{WRONG, basic};

/// Far more than have a turn in the five seconds that each waits for one, though a busy machine starts some late.
const AT_ONCE: usize = 80;

#[test]
fn a_login_that_waits_too_long_for_a_turn_is_refused_and_the_right_one_works_afterwards() {
    let house = House::wasm();
    let wasm = house.wasm_side();
    let wrong = Ask::get("/_queue/status").with("authorization", WRONG);
    for _ in 0..10 {
        assert_eq!(wasm.ask(&wrong).status, 401);
    }
    let answers: Vec<_> = thread::scope(|scope| {
        let asked = [(); AT_ONCE].map(|()| scope.spawn(|| wasm.ask(&wrong)));
        asked.map(|asked| asked.join().unwrap()).into()
    });
    let of = |status: u16| answers.iter().filter(move |got| got.status == status);
    println!(
        "{} refused, {} not looked at",
        of(401).count(),
        of(429).count()
    );
    assert_eq!(of(401).count() + of(429).count(), AT_ONCE);
    assert!(of(401).count() > 0 && of(429).count() > 0);
    assert!(of(429).all(|got| got.header("retry-after") == "5"));
    let log = house.log();
    let late = log
        .iter()
        .filter(|line| line["reason"] == "too_many_logins");
    assert_eq!(late.count(), of(429).count());
    assert_eq!(house.ask(&Ask::get("/_queue").operator()).status, 200);
}

#[test]
fn who_guesses_from_the_operators_network_never_makes_a_known_browser_wait() {
    let house = House::wasm();
    let wasm = house.wasm_side();
    let first = wasm.ask(&Ask::get("/_queue").operator());
    let cookie = first.header("set-cookie").split(';').next().unwrap();
    assert!(cookie.starts_with("queue-device=main."), "{first:?}");
    let wrong = Ask::get("/_queue/status").with("authorization", basic("guess"));
    let right = Ask::get("/_queue/status").operator().with("cookie", cookie);
    let (guesses, right) = thread::scope(|scope| {
        let ask = |ask| scope.spawn(move || wasm.ask(ask).status);
        let guesses = [(); AT_ONCE].map(|()| ask(&wrong));
        let right = [(); 16].map(|()| ask(&right));
        (
            guesses.map(|asked| asked.join().unwrap()),
            right.map(|asked| asked.join().unwrap()),
        )
    });
    assert_eq!(right, [200; 16]);
    let of = |status: u16| guesses.iter().filter(|got| **got == status).count();
    assert_eq!(of(401) + of(429), AT_ONCE);
    assert!(of(429) > 0, "the network has to wait: {guesses:?}");
}
