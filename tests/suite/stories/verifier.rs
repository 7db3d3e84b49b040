//! The operator's own verifier, in place of the calculation.

use std::time::Duration;

use ct_codecs::{Encoder, Hex};
use now_serving::ticket::keys::{Purpose, derived};
use serde_json::{Value, json};
use upstash_local::{Fault, Faults};

use super::networks::{already_challenged, bound, calculated, challenged, number, sent};
use super::signals::{bot, bots};
use crate::house::{Ask, House, SECRET, Visitor};

/// What the verifier answers to a text.
pub(crate) fn signed(text: &str) -> String {
    signed_by(text, &derived(SECRET.as_bytes(), Purpose::Verifier))
}

fn signed_by(text: &str, key: &[u8]) -> String {
    Hex::encode_to_string(hmac_sha256::HMAC::mac(text, key)).unwrap()
}

/// A page of this site, as the room's verifier.
pub(crate) fn verified(house: &House) {
    house.set("bypass_paths", "/verify");
    house.set("verifier", "/verify");
}

fn text(challenge: &Value) -> &str {
    challenge["text"].as_str().unwrap()
}

/// The answer of the verifier to this visitor's challenge.
fn passed(visitor: &mut Visitor<'_>) -> Ask {
    let challenge = challenged(visitor);
    sent(text(&challenge), &signed(text(&challenge)))
}

pub(crate) fn a_visitor_above_the_bound_gets_a_number_for_the_answer_of_the_verifier(
    house: &House,
) {
    bound(house);
    verified(house);
    let mut visitor = Visitor::new(house);
    let challenge = challenged(&mut visitor);
    let way = format!(
        "/verify?text={}&to=%2F&answer_to=%2F_queue%2Fchallenge",
        text(&challenge)
    );
    let expected =
        json!({ "text": text(&challenge), "answer_to": "/_queue/challenge", "verifier": way });
    assert_eq!(challenge, expected);
    let (mut before, mut ask) = (None, None);
    let mut asked = already_challenged(house);
    assert!(
        house.is_free(|| {
            visitor = asked.pop().unwrap();
            let answer = passed(&mut visitor);
            before.clone_from(&visitor.ticket);
            let got = visitor.send_once(answer.clone());
            assert_eq!((got.status, got.header("location")), (303, "/"), "{got:?}");
            ask = Some(answer);
        }),
        "no store is asked"
    );
    let lines = house.log();
    let reasons: Vec<&Value> = lines.iter().map(|line| &line["reason"]).collect();
    assert!(reasons.contains(&&json!("solved")), "{reasons:?}");
    assert_eq!(number(&mut visitor), 3);
    let mut copy = Visitor::holding(house, before);
    let again = copy.send_once(ask.unwrap());
    assert_eq!(again.status, 303, "{again:?}");
    assert_eq!(number(&mut copy), 3, "one number for one ticket");
    challenged(&mut Visitor::new(house));
}

pub(crate) fn the_page_of_a_challenge_leads_to_the_verifier_and_goes_on_without_it(house: &House) {
    bound(house);
    verified(house);
    let mut visitor = Visitor::new(house);
    let page = visitor.send(Ask::get("/shop?a=b&c"));
    let (again, wait) = (page.header("refresh"), page.header("retry-after"));
    assert_eq!((again, wait), ("600; url=/shop?a=b&c", "600"));
    let way =
        "&amp;to&#x3D;%2Fshop%3Fa%3Db%26c&amp;answer_to&#x3D;%2F_queue%2Fchallenge\">Continue</a>";
    for part in [
        "<a href=\"/verify?text&#x3D;",
        way,
        "continues by itself in 10 minutes",
    ] {
        assert!(page.body.contains(part), "{part} in {}", page.body);
    }
    assert!(!page.body.contains("<form"), "{}", page.body);
    house.set("verifier", "https://verify.shop.example/queue");
    let challenge = challenged(&mut visitor);
    let way = challenge["verifier"].as_str().unwrap();
    let whole = way.starts_with("https://verify.shop.example/queue?text=");
    assert!(whole && way.contains("&answer_to=http"), "{way}");
    assert!(way.ends_with("%2F_queue%2Fchallenge"), "{way}");
    house.wait(Duration::from_secs(602));
    assert_eq!(number(&mut visitor), 3);
}

pub(crate) fn an_answer_that_is_not_the_verifier_s_moves_nothing(house: &House) {
    bound(house);
    verified(house);
    let mut visitor = Visitor::new(house);
    let challenge = challenged(&mut visitor);
    let text = text(&challenge);
    let before = visitor.ticket.clone();
    let right = signed(text);
    let calculation = calculated(&json!({ "text": text, "tries": 1 << 20 }));
    let of_passes = signed_by(text, &derived(SECRET.as_bytes(), Purpose::Pass));
    for wrong in [
        "",
        &right[1..],
        &right.to_uppercase(),
        &format!("{right}0"),
        &of_passes,
        &signed_by(text, SECRET.as_bytes()),
    ] {
        let got = visitor.send_once(sent(text, wrong));
        assert_eq!((got.status, got.ticket()), (400, None), "{wrong}: {got:?}");
        let detail = got.json()["detail"].to_string();
        let accepted = "accepted is HMAC-SHA256 of text by the key of verifiers, in 64 lower-case hexadecimal digits";
        assert!(detail.contains(accepted), "{detail}");
    }
    let by_number = visitor.send_once(sent(text, &calculation));
    assert_eq!((by_number.status, by_number.ticket()), (303, None));
    let mut other = Visitor::new(house);
    challenged(&mut other);
    let of_another = other.send_once(sent(text, &right));
    assert_eq!((of_another.status, of_another.ticket()), (303, None));
    challenged(&mut other);
    house.set("verifier", "none");
    let mut anew = Visitor::holding(house, before);
    let asked = challenged(&mut anew);
    let other_text = asked["text"].as_str().unwrap();
    let unasked = anew.send_once(sent(other_text, &signed(other_text)));
    let led = (unasked.status, unasked.header("location"), unasked.ticket());
    assert_eq!(led, (303, "/", None), "to a calculation: {unasked:?}");
    verified(house);
    house.wait(Duration::from_hours(1));
    let late = visitor.send_once(sent(text, &right));
    assert_eq!((late.status, late.ticket()), (303, None), "{late:?}");
}

pub(crate) fn an_answer_of_the_verifier_outlives_trouble_of_the_store(house: &House) {
    bound(house);
    verified(house);
    let mut visitor = Visitor::new(house);
    challenged(&mut visitor);
    house.store.fail(Faults::always(Fault::DropAnswer));
    let ask = passed(&mut visitor);
    assert_eq!(visitor.send_once(ask).status, 303);
    assert_eq!(number(&mut visitor), Value::Null, "the answer is lost");
    house.store.fail(Faults::none());
    house.wait(Duration::from_secs(20));
    assert_eq!(number(&mut visitor), 3);
}

pub(crate) fn a_challenged_bot_draws_after_the_answer_of_the_verifier(house: &House) {
    bots(house, "challenge");
    verified(house);
    let mut visitor = Visitor::new(house);
    let calls = house.calls(|| {
        let challenge = visitor.send_once(bot()).json()["challenge"].clone();
        let ask = sent(text(&challenge), &signed(text(&challenge)));
        assert_eq!(visitor.send_once(ask).status, 303);
    });
    assert_eq!(calls, 0, "until the number is drawn");
    assert_eq!(visitor.send_once(bot()).json()["position"], 1);
}
