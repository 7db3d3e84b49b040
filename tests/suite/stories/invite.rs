//! Invitations that a shop asks the edge for: who may, what is refused, and what visitors do with them.

use base64::Engine;
use now_serving::page::iso_8601;
use serde_json::{Value, json};
use upstash_local::{Fault, Faults};

use super::invitations::{line, notice, sent, used, uses};
use super::rooms::{Browser, named};
use crate::house::{ADMIN_TOKEN, Ask, House, PERMIT_TOKEN, Visitor, claims};

const SHOP: &str = "development-only-shop-token";
const DAY: u64 = 86_400;

/// A room that takes invitations straight in and to a group, and a shop whose token makes some.
fn shop(house: &House) {
    line(house, 10);
    house.set(
        "priority",
        r#"[{"name":"members","share":20},{"name":"fans","share":20}]"#,
    );
    house.set(
        "permit_token",
        &format!("shop/invite:{SHOP},pay:{PERMIT_TOKEN}"),
    );
}

fn at(house: &House, seconds: u64) -> String {
    iso_8601((house.now_ms() / 1000 + seconds) * 1000)
}

fn asked(token: &str, body: &Value) -> Ask {
    let ask = Ask::get("/_queue/invite").method("POST");
    let ask = ask.with("authorization", format!("Bearer {token}"));
    ask.body("application/json", &body.to_string())
}

/// What the shop is answered.
fn made(house: &House, body: &Value) -> Value {
    let got = house.ask(&asked(SHOP, body));
    assert_eq!(got.status, 201, "{got:?}");
    got.json()
}

fn code(made: &Value) -> &str {
    made["invitation"].as_str().unwrap()
}

pub(crate) fn a_token_with_the_role_invite_makes_invitations_and_nothing_else(house: &House) {
    shop(house);
    let expires = at(house, DAY);
    let body = json!({ "batch": "shop", "expires": expires });
    let got = house.ask(&asked(SHOP, &body));
    assert_eq!(
        (got.status, got.header("cache-control")),
        (201, "private, no-store"),
        "{got:?}"
    );
    let mut told = got.json();
    told["invitation"].take();
    assert_eq!(
        told,
        json!({
            "invitation": null, "room": house.room(), "group": null, "batch": "shop", "uses": 1, "expires": expires,
        })
    );
    let as_shop = |ask: Ask| house.ask(&ask.with("authorization", format!("Bearer {SHOP}")));
    for route in ["status", "metrics", "journal"] {
        let got = as_shop(Ask::get(&format!("/_queue/{route}")));
        assert_eq!(got.status, 200, "{route}");
    }
    for route in ["permit", "report", "event", "mode", "end"] {
        let ask = Ask::get(&format!("/_queue/{route}")).method("POST");
        let refused = as_shop(ask.body("application/json", "{}"));
        assert_eq!(refused.status, 403, "{route}: {}", refused.body);
        let told =
            "shop may only make invitations, and read status, metrics, the journal and receipts";
        assert!(refused.body.contains(told), "{}", refused.body);
    }
    // Asked for again it is another one, by whatever key: nothing is kept by which a repeat would be known.
    let again = || {
        let got = house.ask(&asked(SHOP, &body).with("idempotency-key", "order-4711"));
        code(&got.json()).to_owned()
    };
    assert_ne!(again(), again());
    for ask in [
        asked(PERMIT_TOKEN, &body),
        asked(ADMIN_TOKEN, &body),
        Ask::json_to("invite", &body.to_string()),
        Ask::form("invite", &format!("batch=shop&uses=2&expires={expires}")),
    ] {
        assert_eq!(house.ask(&ask).status, 201, "{ask:?}");
    }
    for (role, may) in [
        ("read", "read status"),
        ("stock", "report the stock"),
        ("event", "set the events"),
    ] {
        house.set("permit_token", &format!("shop/{role}:{SHOP}"));
        let got = house.ask(&asked(SHOP, &body));
        assert_eq!(got.status, 403, "{role}: {got:?}");
        assert!(
            got.body.contains(&format!("shop may only {may}")),
            "{got:?}"
        );
    }
    house.set(
        "admin_password",
        r#"{"ben":{"password":"bens-own-word","may":"look"}}"#,
    );
    let pair = base64::engine::general_purpose::STANDARD.encode("ben:bens-own-word");
    let ask = |headers: [(&'static str, &str); 2]| {
        let ask = Ask::get("/_queue/invite").method("POST");
        let ask = ask.body("application/json", &body.to_string());
        let ask = headers
            .iter()
            .fold(ask, |ask, (name, value)| ask.with(name, value));
        house.ask(&ask).status
    };
    let basic = format!("Basic {pair}");
    let here = ("sec-fetch-site", "same-origin");
    assert_eq!(ask([("authorization", &basic), here]), 403);
    assert_eq!(
        ask([("authorization", "Bearer development-only-no-token"), here]),
        401
    );
    assert_eq!(ask([("accept", "*/*"), here]), 401);
}

pub(crate) fn a_visitor_goes_in_by_an_invitation_that_the_shop_asked_for(house: &House) {
    shop(house);
    let expires = at(house, DAY);
    let straight = made(
        house,
        &json!({ "batch": "shop", "uses": 2, "expires": expires }),
    );
    let id = claims(code(&straight))["jti"].clone();
    for many in ["1", "2"] {
        assert!(used(&mut Visitor::new(house), code(&straight)).inside);
        let uses = uses(house, id.as_str().unwrap());
        assert_eq!(uses.as_deref(), Some(many));
    }
    let late = used(&mut Visitor::new(house), code(&straight));
    assert_eq!(notice(&late), "invitation_used");
    let body = json!({ "group": "members", "batch": "shop", "expires": expires });
    let member = made(house, &body);
    assert_eq!(member["group"], "members");
    let got = used(&mut Visitor::new(house), code(&member)).json();
    assert_eq!(
        (&got["lane"], &got["position"], &got["ahead"]),
        (&json!("members"), &json!(1), &json!(0)),
        "{got}"
    );
    house.set("invitations_revoked", "shop");
    house.wait(std::time::Duration::from_secs(2));
    let another = used(&mut Visitor::new(house), code(&member));
    assert_eq!(notice(&another), "invitation_revoked");
}

pub(crate) fn an_invitation_is_made_without_a_store_call_and_while_the_store_is_away(
    house: &House,
) {
    shop(house);
    let body = json!({ "batch": "shop", "expires": at(house, DAY) });
    assert!(house.is_free(|| drop(made(house, &body))));
    house.store.fail(Faults::always(Fault::Refuse));
    let away = made(house, &body);
    house.store.fail(Faults::none());
    house.wait(std::time::Duration::from_secs(20));
    assert!(used(&mut Visitor::new(house), code(&away)).inside);
}

pub(crate) fn what_makes_no_invitation_says_what_is_accepted(house: &House) {
    shop(house);
    house.set("invitations_revoked", "spring autumn");
    let expires = at(house, DAY);
    let good = json!({ "group": "members", "batch": "shop", "uses": 100_000, "expires": expires });
    let with = |name: &str, value: Value| {
        let mut body = good.clone();
        body[name] = value;
        body
    };
    let without = |name: &str| {
        let mut body = good.clone();
        body.as_object_mut().unwrap().remove(name);
        body
    };
    let last = at(house, 3650 * DAY);
    for sound in [
        good.clone(),
        with("batch", json!("A-b_2".repeat(6))),
        with("expires", json!(last)),
        with("expires", json!("2027-06-01T10:00:00+01:00")),
        without("group"),
        without("uses"),
    ] {
        let made = made(house, &sound);
        let mut visitor = Visitor::new(house);
        let brought = visitor.send_once(sent(code(&made), "/"));
        let ticket = claims(&brought.ticket().unwrap());
        assert!(ticket["inv"].is_string(), "{sound}: {ticket}");
    }
    let batch = "accepted is a name of 1 to 32 letters, digits, - and _ that invitations_revoked does not list";
    let time =
        "accepted is a time of the future, at most ten years ahead, such as 2030-02-01T00:00:00Z";
    let uses = "accepted is a whole number from 1 to 100000";
    let groups = "accepted is members, fans";
    let now = at(house, 0);
    // The clock goes on while the others are asked.
    let late = at(house, 3650 * DAY + 60);
    for (body, told) in [
        (
            with("group", json!("member")),
            format!("group is \"member\"; {groups}; did you mean members?"),
        ),
        (
            with("group", json!("main")),
            format!("group is \"main\"; {groups}"),
        ),
        (with("group", json!("")), format!("group is \"\"; {groups}")),
        (
            with("group", json!(7)),
            "group is 7; accepted is a text".to_owned(),
        ),
        (without("batch"), format!("batch is missing; {batch}")),
        (
            with("batch", json!("spring")),
            format!("batch is \"spring\"; {batch}"),
        ),
        (
            with("batch", json!("a b")),
            format!("batch is \"a b\"; {batch}"),
        ),
        (with("batch", json!("")), format!("batch is \"\"; {batch}")),
        (
            with("batch", json!("a".repeat(33))),
            format!("batch is \"{}\"; {batch}", "a".repeat(33)),
        ),
        (with("uses", json!(0)), format!("uses is 0; {uses}")),
        (
            with("uses", json!(100_001)),
            format!("uses is 100001; {uses}"),
        ),
        (with("uses", json!("1")), format!("uses is \"1\"; {uses}")),
        (without("expires"), format!("expires is missing; {time}")),
        (
            with("expires", json!("tomorrow")),
            format!("expires is \"tomorrow\"; {time}"),
        ),
        (
            with("expires", json!(now)),
            format!("expires is \"{now}\"; {time}"),
        ),
        (
            with("expires", json!(late)),
            format!("expires is \"{late}\"; {time}"),
        ),
        (
            with("minutes", json!(5)),
            "the field \"minutes\" is unknown; accepted is group, batch, uses, expires".to_owned(),
        ),
    ] {
        assert_refused(house, &body, &told);
    }
    let as_shop = |ask: Ask| {
        let ask = ask.with("authorization", format!("Bearer {SHOP}"));
        house.ask(&ask).status
    };
    let post = |content_type: &str, body: &str| {
        let ask = Ask::get("/_queue/invite").method("POST");
        as_shop(ask.body(content_type, body))
    };
    assert_eq!(post("text/plain", "a"), 415);
    assert_eq!(post("application/json", &"a".repeat(5000)), 413);
    assert_eq!(post("application/json", "[]"), 400);
    assert_eq!(as_shop(Ask::get("/_queue/invite")), 405);
    // Where no visitor may go straight in, such an invitation would always be kept.
    house.set("invited_per_minute", "0");
    let told = format!("group is missing; {groups}, since invited_per_minute is 0");
    assert_refused(house, &without("group"), &told);
    made(house, &good);
    house.set("invited_per_minute", "1");
    house.set("priority", "none");
    let told = "group is \"members\"; accepted is no group, since priority is empty";
    assert_refused(house, &good, told);
    made(house, &without("group"));
}

fn assert_refused(house: &House, body: &Value, told: &str) {
    let got = house.ask(&asked(SHOP, body));
    assert_eq!(got.status, 400, "{body}: {got:?}");
    assert_eq!(
        got.json()["detail"],
        format!("{told}; nothing was made"),
        "{body}"
    );
}

pub(crate) fn a_room_that_takes_no_invitation_makes_none(house: &House) {
    shop(house);
    house.set("invited_per_minute", "0");
    house.set("priority", "none");
    let got = house.ask(&asked(
        SHOP,
        &json!({ "batch": "shop", "expires": at(house, DAY) }),
    ));
    let visitors = house.ask(&Ask::get("/_queue/invitation"));
    assert_eq!((got.status, &got.body), (404, &visitors.body), "{got:?}");
    assert!(
        got.body
            .contains("invited_per_minute is 0 and priority is empty"),
        "{got:?}"
    );
}

pub(crate) fn an_invitation_is_good_in_the_room_that_was_asked_for_it(house: &House) {
    shop(house);
    let sale = named(house, "sale");
    let rooms =
        json!([{ "name": sale, "paths": "/sale/*", "invited_per_minute": 5, "priority": "none" }]);
    house.set("rooms", &rooms.to_string());
    let body = json!({ "batch": "shop", "expires": at(house, DAY) });
    let mut ask = asked(SHOP, &body);
    ask.target = format!("/_queue/room/{sale}/invite");
    let got = house.ask(&ask).json();
    assert_eq!(got["room"], sale, "{got}");
    let mut visitors = [Browser::default(), Browser::default()];
    for visitor in &mut visitors {
        visitor.number(house, "/sale/shoes");
    }
    let form = format!("invitation={}&to=/sale/shoes", code(&got));
    let [_, second] = &mut visitors;
    let brought = Ask::get(&format!("/_queue/room/{sale}/invitation")).method("POST");
    let brought = brought.body("application/x-www-form-urlencoded", &form);
    assert_eq!(second.ask(house, brought).status, 303);
    assert!(second.ask(house, Ask::get("/sale/shoes")).inside);
    let elsewhere = used(&mut Visitor::new(house), code(&got));
    assert_eq!(notice(&elsewhere), "no_invitation");
    // Its groups are its own.
    let mut ask = asked(
        SHOP,
        &json!({ "group": "members", "batch": "shop", "expires": at(house, DAY) }),
    );
    ask.target = format!("/_queue/room/{sale}/invite");
    let got = house.ask(&ask);
    assert!(got.body.contains("accepted is no group"), "{got:?}");
}

pub(crate) fn who_asked_for_an_invitation_is_logged_and_the_code_is_not(house: &House) {
    shop(house);
    let expires = at(house, DAY);
    let body = json!({ "group": "members", "batch": "shop", "uses": 3, "expires": expires });
    let made = made(house, &body);
    let lines = house.log_where(|line| line["operator"] == "shop");
    let told = ["reason", "action", "responseStatus"].map(|name| lines[0][name].clone());
    let action = format!("invitation of batch shop to members, uses: 3, until {expires}");
    assert_eq!(
        told,
        [json!("invitation"), json!(action), json!(201)],
        "{lines:?}"
    );
    let log = json!(house.log_where(|_| true)).to_string();
    for part in code(&made).split('.').skip(1) {
        assert!(!log.contains(part), "{log}");
    }
}
