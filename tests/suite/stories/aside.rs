//! What the waiting page asks for besides itself, with scripts and without.

use std::time::Duration;

use now_serving::i18n::words;
use serde_json::{Value, json};

use crate::house::{Ask, Got, House, Visitor, claims};

fn place(visitor: &mut Visitor<'_>) -> Got {
    visitor.send(Ask::get("/_queue/place"))
}

fn drawn(house: &House) -> Value {
    house.ask(&Ask::get("/_queue/status").operator()).json()["length"].clone()
}

/// Where a page without scripts goes next.
fn next(got: &Got) -> Option<String> {
    let (_, url) = got.header("refresh").split_once("; url=")?;
    Some(url.to_owned())
}

pub(crate) fn an_update_says_in_words_where_its_holder_stands(house: &House) {
    Visitor::new(house).ask("/");
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    let got = place(&mut visitor);
    assert_eq!(
        (got.status, got.header("content-type"), got.inside),
        (200, "application/json", false)
    );
    assert_eq!(got.header("cache-control"), "private, no-store");
    let mut told = got.json();
    assert_eq!(told["valid"].take(), 3600);
    assert_eq!(
        told,
        json!({
            "waiting": true, "stage": "waiting", "position": 2, "ahead": "1",
            "line": "There is 1 person ahead of you.", "wait": "unknown at the moment",
            "serving": "0", "cursor": 0, "progress": 0, "refresh_seconds": 5, "valid": null,
        })
    );
    house.permit(1);
    let update = place(&mut visitor).json();
    assert_eq!(
        (&update["line"], &update["serving"], &update["progress"]),
        (&json!("You’re next."), &json!("1"), &json!(50))
    );
}

pub(crate) fn an_update_draws_nothing(house: &House) {
    house.warm();
    let calls = house.calls(|| {
        let none = house.ask(&Ask::get("/_queue/place")).json();
        assert_eq!(none, json!({ "waiting": true, "ticket": "none" }));
        let ended = Ask::get("/_queue/place").with("cookie", "queue=of.another.secret");
        let ended = house.ask(&ended).json();
        assert_eq!(ended, json!({ "waiting": true, "ticket": "ended" }));
    });
    assert_eq!((calls, drawn(house)), (0, json!(0)));
}

pub(crate) fn an_update_tells_of_the_turn_and_the_next_request_goes_in(house: &House) {
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    house.permit(1);
    let turn = place(&mut visitor);
    assert_eq!(
        (turn.json(), turn.inside),
        (json!({ "waiting": false }), false)
    );
    assert!(turn.ticket().is_some(), "the admission, signed");
    assert!(visitor.send(Ask::get("/echo")).inside);
    assert_eq!(place(&mut visitor).json(), json!({ "waiting": false }));
    let log = house.log();
    let reasons: Vec<&Value> = log
        .iter()
        .filter(|line| line["visitorPosition"] == 1)
        .map(|line| &line["reason"])
        .collect();
    assert_eq!(reasons, ["waiting", "inside", "admitted", "inside"]);
}

pub(crate) fn an_update_answers_other_methods_with_what_it_takes(house: &House) {
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    for route in [
        "place",
        "cookies?try=1&to=/",
        "updates?every=on&to=/",
        "language?language=de&to=/",
    ] {
        let target = format!("/_queue/{route}");
        let head = visitor.send(Ask::get(&target).method("HEAD"));
        assert_eq!(head.body, "", "{route}");
        assert!(head.status == 200 || head.status == 303, "{route}");
        for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"] {
            let got = visitor.send(Ask::get(&target).method(method));
            assert_eq!(
                (got.status, got.header("allow"), got.inside),
                (405, "GET, HEAD", false),
                "{method} {route}"
            );
        }
    }
    assert_eq!(house.ask(&Ask::get("/_queue/placed")).status, 404);
}

pub(crate) fn a_browser_that_keeps_no_cookies_gets_a_page_that_says_so_after_two_tries(
    house: &House,
) {
    let page = house.ask(&Ask::get("/shop?a=1&b=2"));
    let first = next(&page).unwrap();
    assert_eq!(first, "/_queue/cookies?try=1&to=%2Fshop%3Fa%3D1%26b%3D2");
    let trying = house.ask(&Ask::get(&first));
    assert!(trying.status == 503 && trying.ticket().is_some());
    let second = next(&trying).unwrap();
    assert_eq!(second, "/_queue/cookies?try=2&to=%2Fshop%3Fa%3D1%26b%3D2");
    let told = house.ask(&Ask::get(&second));
    assert_eq!(
        (told.status, told.header("refresh")),
        (503, ""),
        "a crawler comes back later"
    );
    assert!(told.body.contains("Cookies are turned off"));
    assert!(
        told.body.contains(r#"href="/shop?a&#x3D;1&amp;b&#x3D;2""#),
        "{}",
        told.body
    );
    assert_eq!(drawn(house), 1, "one number, and no more while it looks on");
}

pub(crate) fn a_browser_that_keeps_cookies_goes_back_to_its_place(house: &House) {
    let page = house.ask(&Ask::get("/shop?a=1"));
    let ticket = page.ticket().unwrap();
    let kept = Ask::get(&next(&page).unwrap()).with("cookie", format!("queue={ticket}"));
    let back = house.ask(&kept);
    assert_eq!((back.status, back.header("location")), (303, "/shop?a=1"));
    // The ticket of the second try is one whose number is drawn by the next look.
    let trying = house.ask(&Ask::get(&next(&page).unwrap()));
    let mut late = Visitor::new(house);
    late.ticket = trying.ticket();
    assert_eq!(late.ask("/").json()["position"], 2);
    assert_eq!(late.ask("/").json()["position"], 2);
}

pub(crate) fn a_page_that_should_not_refresh_does_not(house: &House) {
    let mut visitor = Visitor::new(house);
    let page = |visitor: &mut Visitor<'_>| visitor.send(Ask::get("/shop"));
    page(&mut visitor);
    assert_eq!(page(&mut visitor).header("refresh"), "5");
    let wish = |visitor: &mut Visitor<'_>, every: &str| {
        let got = visitor.send(Ask::get(&format!(
            "/_queue/updates?every={every}&to=%2Fshop"
        )));
        assert_eq!((got.status, got.header("location")), (303, "/shop"));
    };
    wish(&mut visitor, "off");
    let still = page(&mut visitor);
    assert_eq!(still.header("refresh"), "");
    assert!(
        still.body.contains("no longer updates by itself"),
        "{}",
        still.body
    );
    assert!(
        still.body.contains("name=every value=on>"),
        "{}",
        still.body
    );
    assert_eq!(
        visitor.ask("/").json()["position"],
        1,
        "the place is the same"
    );
    wish(&mut visitor, "on");
    assert_eq!(page(&mut visitor).header("refresh"), "5");
    house.permit(1);
    assert!(page(&mut visitor).inside);
    let admitted = visitor.ticket.clone();
    wish(&mut visitor, "off");
    assert_eq!(
        visitor.ticket, admitted,
        "a stay is not prolonged by wishes"
    );
}

pub(crate) fn the_language_that_a_visitor_chose_is_the_page_s(house: &House) {
    let french = |target: &str| Ask::get(target).with("accept-language", "fr");
    let mut visitor = Visitor::new(house);
    visitor.send(french("/shop"));
    let shown = visitor.send(french("/shop")).body;
    assert!(shown.contains("<html lang=\"fr\""), "{shown}");
    assert!(shown.contains("<button>Langue</button>"), "{shown}");
    let all = visitor.send(french("/_queue/language?to=%2Fshop%3Fa%3Db"));
    assert_eq!(all.status, 200);
    for part in [
        "<h1>Langue</h1>",
        "<input type=hidden name=to value=\"/shop?a&#x3D;b\">",
        "<button name=language value=\"de\" lang=\"de\">Deutsch</button>",
    ] {
        assert!(all.body.contains(part), "{part}: {}", all.body);
    }
    let wish = "/_queue/language?to=%2Fshop&language=";
    let got = visitor.send(french(&format!("{wish}de")));
    assert_eq!((got.status, got.header("location")), (303, "/shop"));
    let shown = visitor.send(french("/shop")).body;
    assert!(shown.contains("<html lang=\"de\""), "{shown}");
    assert!(shown.contains("<button>Sprache</button>"), "{shown}");
    let update = visitor.send(french("/_queue/place")).json();
    assert_eq!(update["line"], words("de").text("next"));
    // A link of another page leads back and wishes for nothing.
    let elsewhere = french(&format!("{wish}es")).with("sec-fetch-site", "cross-site");
    assert_eq!(visitor.send(elsewhere).status, 303);
    for unknown in ["xx", "", "DE"] {
        let got = visitor.send(french(&format!("{wish}{unknown}")));
        assert_eq!((got.status, got.ticket()), (400, None), "{unknown}");
        assert!(got.body.contains("accepted is en, de, fr"), "{}", got.body);
    }
    house.change("epoch", &house.word());
    house.forget_the_sign();
    let shown = visitor.send(french("/shop")).body;
    assert!(shown.contains("<html lang=\"de\""), "{shown}");
}

pub(crate) fn a_reset_of_the_line_names_the_new_number_on_the_page(house: &House) {
    let [mut first, mut second] = [Visitor::new(house), Visitor::new(house)];
    for visitor in [&mut first, &mut second] {
        visitor.ask("/");
    }
    house.change("epoch", &house.word());
    house.forget_the_sign();
    let page = second.send(Ask::get("/")).body;
    let number = second.ask("/").json()["position"].clone();
    let told = format!(
        "The line was started anew, and all earlier tickets ended. Your new number is {number}."
    );
    assert!(page.contains(&told), "{told}: {page}");
}

pub(crate) fn the_page_promises_the_turn_for_as_long_as_the_ticket_lives(house: &House) {
    house.set("turn_minutes", "0");
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    house.wait(Duration::from_secs(3));
    let valid = place(&mut visitor).json()["valid"].as_u64().unwrap();
    assert!((86_300..=86_397).contains(&valid), "{valid}");
    // Where a cap holds, the turn waits for a place inside.
    house.set("total_active", "5");
    assert_eq!(place(&mut visitor).json()["valid"], Value::Null);
}

pub(crate) fn nobody_is_sent_to_another_site(house: &House) {
    for to in [
        "https%3A%2F%2Fevil.example",
        "%2F%2Fevil.example",
        "%2F%5Cevil.example",
        "%2F%09%2Fevil.example",
        "%2Fa%0D%0Aset-cookie%3A%20x",
        "evil",
        "",
    ] {
        for route in [
            "cookies?try=1",
            "updates?every=off",
            "language?language=de",
            "language?",
        ] {
            let got = house.ask(&Ask::get(&format!("/_queue/{route}&to={to}")));
            assert_eq!((got.status, got.header("location")), (400, ""), "{to}");
            assert!(
                got.body.contains("accepted is a path of this site"),
                "{}",
                got.body
            );
        }
    }
    for wrong in [
        "cookies?to=/",
        "cookies?to=/&try=3",
        "updates?to=/",
        "updates?to=/&every=x",
        "language?to=/&language=x",
    ] {
        let got = house.ask(&Ask::get(&format!("/_queue/{wrong}")));
        assert_eq!(got.status, 400, "{wrong}");
        assert!(got.body.contains("accepted is "), "{}", got.body);
    }
}

pub(crate) fn a_path_that_begins_with_two_slashes_stays_on_this_site(house: &House) {
    let page = house.ask(&Ask::get("//evil.example/a"));
    assert!(
        page.body.contains(r#"value="/.//evil.example/a""#),
        "{}",
        page.body
    );
    let ticket = page.ticket().unwrap();
    let kept = Ask::get(&next(&page).unwrap()).with("cookie", format!("queue={ticket}"));
    let back = house.ask(&kept);
    assert_eq!(
        (back.status, back.header("location")),
        (303, "/.//evil.example/a"),
        "which is that path again (WHATWG URL 4.4: a dot segment is left out)"
    );
}

pub(crate) fn what_is_quoted_to_support_is_found_in_the_log(house: &House) {
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    let page = visitor.send(Ask::get("/"));
    let id = claims(visitor.ticket.as_ref().unwrap())["sub"]
        .to_string()
        .to_uppercase();
    let reference = format!("{}-{}", &id[1..5], &id[5..9]);
    assert!(page.body.contains(&reference), "{reference}: {}", page.body);
    let log = house.log();
    assert_eq!(log.last().unwrap()["ticketReference"], reference);
}

/// A letter of the visited address costs the page one byte, in every state of the page.
pub(crate) fn the_page_has_the_visited_address_once(house: &House) {
    house.set("automatic", "0");
    house.set("invited_per_minute", "10");
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    let mut page = |target: &str| visitor.send(Ask::get(target)).body;
    let mut bodies = vec![page("/shop?utm_source=letter")];
    page("/_queue/updates?every=off&to=/");
    bodies.push(page("/shop?utm_source=letter"));
    bodies.push(page(&format!(
        "/shop?utm_source=letter{}",
        "a".repeat(8_000)
    )));
    for mode in ["hold", "closed"] {
        house.change("mode", &format!(r#"{{"mode":"{mode}"}}"#));
        house.forget_the_sign();
        bodies.push(page("/shop?utm_source=letter"));
        bodies.push(
            Visitor::new(house)
                .send(Ask::get("/shop?utm_source=letter"))
                .body,
        );
    }
    for body in &bodies {
        assert_eq!(body.matches("utm_source").count(), 1, "{body}");
    }
    assert_eq!(bodies[2].len() - bodies[1].len(), 8_000);
}

/// What the form of the page sends, by each of its buttons.
pub(crate) fn every_button_of_the_page_leads_back_to_the_visited_address(house: &House) {
    house.set("automatic", "0");
    house.set("invited_per_minute", "10");
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    for address in ["/shop?a=b&c=d%20e&to=x#", "/b?x=%2F", "//double?x=1"] {
        let address = address.trim_end_matches('#');
        let page = visitor.send(Ask::get(address)).body;
        let (_, field) = page.split_once("name=to value=\"").unwrap();
        let to = field.split_once('"').unwrap().0;
        let to = to.replace("&#x3D;", "=").replace("&amp;", "&");
        let encoded: String = form_urlencoded::byte_serialize(to.as_bytes()).collect();
        let expected = address
            .strip_prefix("//")
            .map_or(address.to_owned(), |rest| format!("/.//{rest}"));
        assert_eq!(to, expected);
        for sent in [
            format!("/_queue/updates?to={encoded}&language=en&every=off"),
            format!("/_queue/updates?to={encoded}&language=en&every=on"),
            format!("/_queue/language?to={encoded}&language=en"),
        ] {
            let got = visitor.send(Ask::get(&sent));
            assert_eq!(
                (got.status, got.header("location")),
                (303, &*expected),
                "{sent}"
            );
        }
        let form = visitor.send(Ask::get(&format!(
            "/_queue/invitation?to={encoded}&language=en"
        )));
        assert_eq!(form.status, 200, "{form:?}");
    }
}
