//! What the platform says of a visitor who is about to draw, and what is done about it.

use std::time::Duration;

use serde_json::{Value, json};
use upstash_local::{Fault, Faults};

use super::invitations::{invitation, sent as sent_invitation};
use super::networks::{calculated, sent};
use crate::house::{Ask, Got, House, Visitor, visitors};

pub(crate) fn bots(house: &House, treatment: &str) {
    house.warm();
    house.set("signals", &json!({ "bot": treatment }).to_string());
}

pub(crate) fn bot() -> Ask {
    Ask::get("/").json().bot("true")
}

pub(crate) fn is_refused(got: &Got) -> bool {
    let is_problem = got.json()["title"] == "No number is given";
    got.status == 403 && is_problem && got.ticket().is_none() && !got.inside
}

/// The answer that is right, as an app sends it.
pub(crate) fn solve(visitor: &mut Visitor<'_>, got: &Got) {
    let challenge = &got.json()["challenge"];
    let ask = sent(challenge["text"].as_str().unwrap(), &calculated(challenge));
    assert_eq!(visitor.send_once(ask).status, 303);
}

pub(crate) fn a_bot_is_refused_without_a_number_a_ticket_or_a_store_call(house: &House) {
    bots(house, "refuse");
    let mut refused = Visitor::new(house);
    let calls = house.calls(|| {
        for _ in 0..3 {
            assert!(is_refused(&refused.send_once(bot())));
        }
    });
    assert_eq!(calls, 0);
    assert_eq!(refused.ticket, None);
    let page = refused.send_once(Ask::get("/shop").bot("true"));
    assert_eq!((page.status, page.ticket()), (403, None), "{page:?}");
    assert!(page.body.contains("We can’t give you a number"), "{page:?}");
    let german = Ask::get("/").with("accept-language", "de").bot("true");
    let page = refused.send_once(german);
    assert!(page.body.contains("<html lang=\"de\""), "{page:?}");
    let mut person = Visitor::new(house);
    let got = person.send(Ask::get("/").json().bot("false"));
    assert_eq!(got.json()["position"], 1, "the others drew nothing");
    let is_refused = |line: &&Value| line["reason"] == "refused";
    let lines = house.log();
    let refused: Vec<&Value> = lines.iter().filter(is_refused).collect();
    assert_eq!(refused.len(), 5);
    assert!(refused.iter().all(|line| line["signals"] == json!(["bot"])));
}

pub(crate) fn a_challenged_bot_draws_after_the_calculation(house: &House) {
    bots(house, "challenge");
    let mut visitor = Visitor::new(house);
    let calls = house.calls(|| {
        let got = visitor.send_once(bot());
        assert_eq!(got.json()["position"], Value::Null, "{got:?}");
        assert_eq!(got.header("retry-after"), "600");
        let again = visitor.send_once(bot());
        assert_eq!(again.json()["challenge"]["tries"], 1 << 20, "{again:?}");
        solve(&mut visitor, &again);
    });
    assert_eq!(calls, 0, "until the number is drawn");
    let got = visitor.send_once(bot());
    assert_eq!(got.json()["position"], 1, "{got:?}");
    let lines = house.log();
    let told: Vec<(&Value, &Value)> = lines
        .iter()
        .map(|line| (&line["reason"], &line["signals"]))
        .collect();
    let bot = json!(["bot"]);
    assert_eq!(told[0], (&json!("challenged"), &bot));
    assert_eq!(told[3], (&json!("waiting"), &bot), "{told:?}");
}

/// It may be used up, which only the store knows.
pub(crate) fn an_invitation_spares_a_bot_no_calculation(house: &House) {
    house.set("invited_per_minute", "10");
    bots(house, "challenge");
    visitors(house, 1)[0].ask("/");
    let code = invitation(house, "one", 1, 3600);
    let mut visitor = Visitor::new(house);
    visitor.send_once(sent_invitation(&code, "/"));
    let got = visitor.send_once(bot());
    let wait = got.json()["refresh_seconds"].as_u64().unwrap();
    assert!(got.json()["challenge"].is_object(), "{got:?}");
    house.wait(Duration::from_mins(1));
    let again = visitor.send_once(bot());
    let left = again.json()["refresh_seconds"].as_u64().unwrap();
    assert!(left + 55 < wait, "the wait goes on: {left} of {wait}");
    solve(&mut visitor, &again);
    assert!(visitor.send_once(bot()).inside);
}

pub(crate) fn a_ticket_with_a_number_is_not_asked_about(house: &House) {
    house.warm();
    let mut all = visitors(house, 2);
    for (visitor, number) in all.iter_mut().zip(1..) {
        assert_eq!(visitor.ask("/").json()["position"], number);
    }
    bots(house, "refuse");
    let [first, second] = all.as_mut_slice() else {
        panic!("two");
    };
    for visitor in [&mut *first, &mut *second] {
        let got = visitor.send_once(bot());
        assert!(got.json()["position"].is_u64(), "{got:?}");
    }
    house.permit(1);
    house.forget_the_sign();
    assert!(first.send_once(Ask::get("/echo").bot("true")).inside);
    assert!(first.send_once(Ask::get("/echo").bot("true")).inside);
    let lines = house.log();
    assert!(lines.iter().all(|line| line["signals"] == Value::Null));
}

pub(crate) fn an_observed_bot_draws_and_is_counted(house: &House) {
    bots(house, "observe");
    let mut visitor = Visitor::new(house);
    let calls = house.calls(|| {
        let got = visitor.send_once(bot());
        assert_eq!(got.json()["position"], 1, "{got:?}");
    });
    assert_eq!(calls, 1);
    let person = Visitor::new(house).send(Ask::get("/").json().bot("false"));
    assert_eq!(person.json()["position"], 2);
    let seen = house.log_where(|line| line["signals"] == json!(["bot"]));
    assert_eq!(seen.len(), 1, "{seen:?}");
    assert_eq!(seen[0]["reason"], "waiting");
}

pub(crate) fn in_an_open_room_the_platform_is_not_asked(house: &House) {
    bots(house, "refuse");
    house.change("mode", r#"{"mode":"open"}"#);
    house.forget_the_sign();
    assert!(Visitor::new(house).ask("/echo").inside);
    assert!(
        Visitor::new(house)
            .send_once(Ask::get("/echo").bot("true"))
            .inside
    );
    house.change("mode", r#"{"mode":"closed"}"#);
    house.forget_the_sign();
    drop(Visitor::new(house).ask("/"));
    let got = Visitor::new(house).send_once(bot());
    assert_eq!(got.json()["mode"], "closed", "{got:?}");
}

pub(crate) fn without_a_store_a_bot_is_refused_and_a_visitor_is_held(house: &House) {
    bots(house, "refuse");
    house.set("on_store_error", "admit");
    house.store.fail(Faults::always(Fault::DropAnswer));
    assert!(is_refused(&Visitor::new(house).send_once(bot())));
    let person = Visitor::new(house).send_once(Ask::get("/").json().bot("false"));
    assert_eq!(person.json()["position"], Value::Null, "{person:?}");
    assert!(!is_refused(&person));
    house.store.fail(Faults::none());
}

pub(crate) fn a_verified_crawler_comes_back_later_and_draws_nothing(house: &House) {
    let crawler = || {
        Ask::get("/")
            .bot("true")
            .with("x-fastly-bot-verified", "true")
    };
    for treatment in ["challenge", "refuse"] {
        bots(house, treatment);
        let calls = house.calls(|| {
            let got = Visitor::new(house).send_once(crawler());
            let told = (got.status, got.header("retry-after"), got.ticket());
            assert_eq!(told, (503, "3600", None), "{got:?}");
        });
        assert_eq!(calls, 0);
    }
    let lines = house.log();
    assert!(lines.iter().all(|line| line["reason"] == "crawler"));
    bots(house, "observe");
    let observed = Visitor::new(house).send_once(crawler().json());
    assert_eq!(observed.json()["position"], 1, "{observed:?}");
}

pub(crate) fn health_says_which_signals_the_platform_knows(house: &House) {
    let health = |ask: Ask| house.ask(&ask).body;
    assert_eq!(health(Ask::get("/_queue/healthz")), "ok\n");
    house.set("signals", r#"{"bot":"observe"}"#);
    let known = health(Ask::get("/_queue/healthz").bot("false"));
    assert_eq!(known, "ok\nsignals: bot is answered\n");
    let unknown = health(Ask::get("/_queue/healthz"));
    assert_eq!(unknown, "ok\nsignals: bot is not known here\n");
}
