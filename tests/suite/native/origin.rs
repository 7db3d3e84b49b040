//! An origin that cannot be asked at all, and one of which it is not known where it is, or for which host it is asked.

use now_serving::config::DOCUMENT;
use now_serving::i18n::english;
use now_serving::page::Shell;

use crate::house::{Ask, Got, House, Visitor, call};

/// The local server begins every request to a backend, so the answer is asked for as the edge does.
#[test]
fn a_request_to_the_origin_that_cannot_be_begun_keeps_the_admission() {
    let forward = now_serving::http::Forward {
        set_cookies: vec!["queue=admitted".to_owned(), "queue-post=twin".to_owned()],
        ..now_serving::http::Forward::default()
    };
    let call = call(&Ask::get("/").json(), String::new());
    let got = Got::of(now_serving::service::origin_failed(
        &call,
        &forward,
        Shell::plain(english()),
    ));
    assert_eq!(got.status, 502);
    assert_eq!(got.all("set-cookie"), ["queue=admitted", "queue-post=twin"]);
    assert_eq!(got.header("cache-control"), "private, no-store");
}

/// Its name is not spelt right, or stands where rooms are not understood.
#[test]
fn an_origin_whose_backend_or_host_was_meant_and_is_not_known_is_not_asked() {
    let own = r#"{"origin_host":"shop.platform.example","rooms":[{"name":"sale"}]}"#;
    let of_room =
        r#"{"rooms":[{"name":"sale","paths":"/sale/*","orgin_host":"sale.platform.example"}]}"#;
    for (document, asked) in [
        (r#"{"orgin_host":"shop.platform.example"}"#, [false; 3]),
        (of_room, [false; 3]),
        (own, [false; 3]),
        (r#"{"backnd":"shop_origin"}"#, [false; 3]),
        (r#"{"backend":"upstash"}"#, [false; 3]),
        (
            r#"{"rooms":[{"name":"sale","paths":"/sale/*","backend":"a b"}]}"#,
            [false; 3],
        ),
        (
            r#"{"rooms":[{"name":"sale","paths":"/sale/*","backnd":"sale_origin"}]}"#,
            [false; 3],
        ),
        (
            r#"{"backend":"shop_origin","rooms":[{"name":"sale"}]}"#,
            [false; 3],
        ),
        // Another name leaves it known.
        (r#"{"autmatic":5}"#, [true; 3]),
    ] {
        let house = House::native();
        house.permit(1);
        let mut visitor = Visitor::new(&house);
        assert!(visitor.ask("/echo").inside);
        house.set(DOCUMENT, document);
        let health = house.ask(&Ask::get("/_queue/healthz"));
        assert_eq!(health.status, 503, "{document}");
        let others = [Ask::get("/robots.txt"), Ask::preflight("/echo")];
        let [bypass, preflight] = others.map(|ask| house.ask(&ask).inside);
        let found = [visitor.ask("/echo").inside, bypass, preflight];
        assert_eq!(found, asked, "{document}");
    }
}
