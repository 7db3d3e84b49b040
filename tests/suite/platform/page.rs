//! What a waiting page costs a visitor: bytes, exactly as they leave the edge.

use now_serving::i18n::LANGUAGES;

use crate::connection::Connection;
use crate::house::{Ask, Got, House};

/// What a server sends at once on a new connection (RFC 6928: ten segments of 1 460 bytes), less what TLS and HTTP/2 take of it.
const PAGE: usize = 14_500;
const UPDATE: usize = 500;

/// Status line, headers and body.
fn bytes(got: &Got) -> usize {
    let headers = got.headers.iter();
    let headers: usize = headers
        .map(|(name, value)| name.len() + value.len() + 4)
        .sum();
    "HTTP/1.1 200 OK\r\n\r\n".len() + headers + got.body.len()
}

#[test]
fn a_page_leaves_at_once_and_an_update_has_at_most_500_bytes_in_every_language() {
    let house = House::wasm_shared();
    // A link more.
    house.set("invited_per_minute", "10");
    house.make_the_line_long();
    let ticket = house.ask(&Ask::get("/").json()).ticket().unwrap();
    let mut connection = Connection::open(house.wasm_side().edge.addr());
    for words in &LANGUAGES {
        let mut ask = |target: &str| {
            let ask = Ask::get(target).with("accept-language", words.tag);
            connection.ask(&ask.with("cookie", format!("queue={ticket}")))
        };
        let (page, update) = (ask("/shop"), ask("/_queue/place"));
        assert!(page.body.contains(words.text("keep")), "{}", page.body);
        assert_eq!(update.json()["ahead"], words.number(200_000), "{update:?}");
        println!("{:8} {:6} {:4}", words.tag, bytes(&page), bytes(&update));
        assert!(bytes(&page) <= PAGE, "{}: {}", words.tag, bytes(&page));
        assert!(bytes(&update) <= UPDATE, "{}: {update:?}", words.tag);
    }
    // On hold, and with a message and its time, an update is longer by these.
    let time = ",\"said\":1795413036".len();
    let message = "Doors open again at ten. ".repeat(8);
    house.change("message", &format!(r#"{{"message":"{}"}}"#, message.trim()));
    house.change("mode", r#"{"mode":"hold"}"#);
    house.forget_the_sign();
    for words in &LANGUAGES {
        let ask = Ask::get("/_queue/place").with("accept-language", words.tag);
        let update = connection.ask(&ask.with("cookie", format!("queue={ticket}")));
        let hold = words.text("hold");
        assert_eq!(update.json()["hold"], hold, "{update:?}");
        let said = |name: &str| update.json()[name].as_str().unwrap().len();
        let sentences = hold.len() + message.len() + time + said("headline") + said("detail");
        assert!(
            bytes(&update) <= UPDATE + sentences,
            "{}: {update:?}",
            words.tag
        );
    }
}
