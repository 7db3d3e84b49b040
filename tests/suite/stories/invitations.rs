//! Invitations, as visitors use them: past the line, at most as often as they say, and only where the room lets visitors in.

use std::time::Duration;

use now_serving::queue::{Invitation, LaneName, Now, RoomName};
use now_serving::ticket::Keys;
use now_serving::ticket::invitation::sign_invitation;
use serde_json::{Value, json};
use upstash_local::{Fault, Faults};

use crate::house::{Ask, Got, House, SECRET, Visitor, claims, visitors};

const FORM: &str = "application/x-www-form-urlencoded";
const HOUR: u64 = 3600;

in_houses_whose_clock_is_turned! {
    an_invitation_that_is_kept_moves_its_visitor_back_in_no_copy
}

/// An invitation straight into the room of a house.
pub(crate) fn invitation(house: &House, id: &str, uses: u64, seconds: u64) -> String {
    invitation_by(None, house, id, uses, seconds)
}

/// An invitation that opens this way.
/// An invitation to the group of this name, or straight in.
pub(crate) fn invitation_by(
    group: Option<&str>,
    house: &House,
    id: &str,
    uses: u64,
    seconds: u64,
) -> String {
    let now = Now::from_ms(house.now_ms());
    let invitation = Invitation {
        id: id.to_owned(),
        uses,
        ends: now.secs() + seconds,
        batch: "spring".to_owned(),
        group: group.map(|name| LaneName::read(name).unwrap()),
    };
    let room = RoomName::new(house.room());
    sign_invitation(&Keys::new(SECRET, None), &invitation, &room, now).unwrap()
}

/// What the script of the waiting page sends, and the form without scripts.
pub(crate) fn sent(code: &str, to: &str) -> Ask {
    let form = format!("invitation={code}&to={to}");
    Ask::get("/_queue/invitation")
        .method("POST")
        .body(FORM, &form)
}

/// A room with a line that stands, and that takes this many invitations a minute.
pub(crate) fn line(house: &House, per_minute: u64) {
    house.set("invited_per_minute", &per_minute.to_string());
    house.warm();
    for (visitor, number) in visitors(house, 2).iter_mut().zip(1..) {
        assert_eq!(visitor.ask("/").json()["position"], number);
    }
}

/// A visitor of the line, behind the two that it has.
fn third(house: &House) -> Visitor<'_> {
    let mut visitor = Visitor::new(house);
    assert_eq!(visitor.ask("/").json()["position"], 3);
    visitor
}

/// The invitation brought, and what the next page is.
pub(crate) fn used(visitor: &mut Visitor<'_>, code: &str) -> Got {
    let got = visitor.send_once(sent(code, "/echo"));
    assert_eq!(
        (got.status, got.header("location")),
        (303, "/echo"),
        "{got:?}"
    );
    visitor.ask("/echo")
}

pub(crate) fn notice(got: &Got) -> Value {
    got.json()["notice"].clone()
}

pub(crate) fn uses(house: &House, id: &str) -> Option<String> {
    let key = house.key(&format!(":invite:{id}"));
    let told = house.store.command(&["GET", &key]).unwrap();
    told.as_str().map(str::to_owned)
}

pub(crate) fn an_invitation_leads_past_the_line_and_is_used_once(house: &House) {
    line(house, 10);
    let code = invitation(house, "one", 1, HOUR);
    let mut guest = Visitor::new(house);
    assert!(used(&mut guest, &code).inside, "without a number");
    assert!(guest.ask("/echo").inside);
    let ticket = claims(guest.ticket.as_deref().unwrap());
    assert_eq!(
        (&ticket["pos"], &ticket["inv"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(uses(house, "one").as_deref(), Some("1"));
    let mut visitor = third(house);
    let refused = used(&mut visitor, &code);
    assert_eq!(notice(&refused), "invitation_used", "{refused:?}");
    assert_eq!(refused.json()["position"], 3, "the number is kept");
    for (outcome, reason) in [("in", "invited"), ("used", "waiting")] {
        let lines = house.log_where(|line| line["invitation"] == outcome);
        let reasons: Vec<&Value> = lines.iter().map(|line| &line["reason"]).collect();
        assert_eq!(reasons, [reason], "{outcome}");
    }
}

pub(crate) fn a_visitor_with_a_number_goes_in_by_an_invitation(house: &House) {
    line(house, 10);
    let mut visitor = third(house);
    assert!(used(&mut visitor, &invitation(house, "one", 1, HOUR)).inside);
    assert_eq!(
        Visitor::new(house).ask("/").json()["position"],
        4,
        "no number was drawn for it"
    );
    house.permit(2);
    house.forget_the_sign();
    let waiting = Visitor::new(house).ask("/").json();
    assert_eq!(
        waiting["ahead"], 2,
        "the line has moved by its permit alone"
    );
}

/// The store itself answers who brings an invitation, and may be further on than the copy of the data centre.
fn an_invitation_that_is_kept_moves_its_visitor_back_in_no_copy(house: &House) {
    line(house, 1);
    let mut guest = Visitor::new(house);
    assert!(used(&mut guest, &invitation(house, "one", 1, HOUR)).inside);
    let mut visitor = third(house);
    house.forget_the_sign();
    assert_eq!(visitor.ask("/").json()["ahead"], 2);
    house.go_to_pop(1);
    house.permit(1);
    house.go_to_pop(0);
    let told = used(&mut visitor, &invitation(house, "two", 1, HOUR));
    assert_eq!(notice(&told), "invitation_kept");
    assert_eq!(told.json()["ahead"], 1);
    assert_eq!(visitor.ask("/").json()["ahead"], 1, "by the copy");
}

pub(crate) fn an_invitation_for_several_visitors_is_used_by_so_many(house: &House) {
    line(house, 10);
    let code = invitation(house, "many", 3, HOUR);
    let ways: Vec<bool> = visitors(house, 5)
        .iter_mut()
        .map(|visitor| used(visitor, &code).inside)
        .collect();
    assert_eq!(ways, [true, true, true, false, false]);
    assert_eq!(uses(house, "many").as_deref(), Some("3"));
}

/// What a browser sends when its visitor presses the button of a page.
fn pressed(page: &Got) -> Ask {
    let field = |name: &str| {
        let inputs = page.body.split("<input").skip(1);
        let mut inputs = inputs.filter(|input| input.contains(&format!("name=\"{name}\"")));
        let value = inputs.next()?.split_once("value=\"")?.1;
        Some(
            value
                .split('"')
                .next()?
                .replace("&#x3D;", "=")
                .replace("&amp;", "&"),
        )
    };
    let mut form = form_urlencoded::Serializer::new(String::new());
    for name in ["to", "invitation"] {
        form.append_pair(name, &field(name).unwrap());
    }
    let ask = Ask::get("/_queue/invitation").method("POST");
    ask.body(FORM, &form.finish())
        .with("sec-fetch-site", "same-origin")
}

pub(crate) fn a_link_with_the_invitation_in_its_query_leads_to_a_button(house: &House) {
    line(house, 10);
    let code = invitation(house, "one", 2, HOUR);
    for (query, used) in [
        (format!("a=b&invitation={code}&c=d"), "1"),
        (format!("a=b&c=d&%69nvitation={code}"), "2"),
    ] {
        let mut guest = Visitor::new(house);
        let link = Ask::get(&format!("/echo?{query}")).with("accept", "text/html");
        let page = guest.send_once(link.clone());
        assert_eq!((page.status, page.ticket()), (200, None), "{page:?}");
        assert_eq!(page.header("referrer-policy"), "strict-origin");
        assert_eq!(page.header("cache-control"), "private, no-store");
        let press = pressed(&page);
        let got = guest.send_once(press);
        assert_eq!(
            (got.status, got.header("location")),
            (303, "/echo?a=b&c=d"),
            "{got:?}"
        );
        assert!(!got.header("location").contains(&code), "{got:?}");
        assert!(guest.ask("/echo?a=b&c=d").inside);
        assert_eq!(uses(house, "one").as_deref(), Some(used));
        // A visitor inside needs none, and is led on.
        let inside = guest.send_once(link);
        assert_eq!(inside.header("location"), "/echo?a=b&c=d", "{inside:?}");
        assert_eq!(inside.header("referrer-policy"), "no-referrer");
    }
    let mut late = third(house);
    let page = late.send_once(Ask::get(&format!("/echo?invitation={code}")));
    late.send_once(pressed(&page));
    assert_eq!(notice(&late.ask("/echo")), "invitation_used");
}

/// A program that scans mails opens the link before its reader does: with cookies, with scripts or as an app.
pub(crate) fn what_opens_a_link_uses_no_invitation_up(house: &House) {
    line(house, 10);
    let code = invitation(house, "one", 1, HOUR);
    let link = || Ask::get(&format!("/echo?invitation={code}"));
    for ask in [
        link().with("accept", "text/html"),
        link().json(),
        link().method("HEAD"),
        link()
            .with("sec-fetch-mode", "navigate")
            .with("sec-fetch-dest", "document")
            .with("sec-fetch-site", "none"),
        Ask::get("/_queue/invitation?to=/echo"),
        Ask::get(&format!("/_queue/invitation?to=/echo&invitation={code}")),
    ] {
        let mut scanner = Visitor::new(house);
        for _ in 0..2 {
            let mut got = scanner.send_once(ask.clone());
            for _ in 0..3 {
                if got.status == 303 {
                    got = scanner.send_once(Ask::get(got.header("location")));
                }
            }
            assert!(!got.inside, "{ask:?}");
            assert!(!scanner.ask("/echo").inside, "{ask:?}");
        }
        assert_eq!(uses(house, "one"), None, "{ask:?}");
    }
    let mut reader = Visitor::new(house);
    let page = reader.send_once(link());
    reader.send_once(pressed(&page));
    assert!(reader.ask("/echo").inside);
}

pub(crate) fn a_link_with_an_invitation_stands_in_no_log(house: &House) {
    line(house, 10);
    let code = invitation(house, "one", 1, HOUR);
    let preview = Ask::get(&format!("/echo?invitation={code}"));
    house.set("log_query", "on");
    house.wait(Duration::from_secs(2));
    Visitor::new(house).send_once(preview);
    let log = house.log_where(|_| true);
    assert!(!json!(log).to_string().contains(&code), "{log:?}");
}

pub(crate) fn what_is_no_invitation_is_refused_and_says_why(house: &House) {
    line(house, 10);
    let good = invitation(house, "one", 1, HOUR);
    let half = good.len() / 2;
    let letter = if good.as_bytes()[half] == b'A' {
        "B"
    } else {
        "A"
    };
    let changed = format!("{}{letter}{}", &good[..half], &good[half + 1..]);
    let now = Now::from_ms(house.now_ms());
    let invitation_to = |room: &str| {
        let invitation = Invitation {
            id: "other".to_owned(),
            uses: 1,
            ends: now.secs() + HOUR,
            batch: "spring".to_owned(),
            group: None,
        };
        let keys = Keys::new(SECRET, None);
        sign_invitation(&keys, &invitation, &RoomName::new(room), now).unwrap()
    };
    let mut visitor = third(house);
    let ticket = visitor.ticket.clone().unwrap();
    for (code, why) in [
        (changed, "no_invitation"),
        (invitation_to("another"), "no_invitation"),
        (ticket, "no_invitation"),
        ("nothing".to_owned(), "no_invitation"),
        (invitation(house, "late", 1, 0), "invitation_expired"),
    ] {
        let calls = house.is_free(|| drop(visitor.send_once(sent(&code, "/echo"))));
        assert!(calls, "no store is asked");
        let refused = visitor.ask("/echo");
        assert_eq!(notice(&refused), why, "{code}");
        assert_eq!(refused.json()["position"], 3);
    }
    house.set("invitations_revoked", "autumn, spring");
    house.wait(Duration::from_secs(2));
    assert_eq!(notice(&used(&mut visitor, &good)), "invitation_revoked");
    house.set("invitations_revoked", "autumn");
    house.wait(Duration::from_secs(2));
    assert_eq!(uses(house, "one"), None, "nothing was used up");
    assert!(used(&mut visitor, &good).inside);
}

pub(crate) fn a_request_that_is_not_understood_is_refused_and_nothing_moves(house: &House) {
    line(house, 10);
    let code = invitation(house, "one", 1, HOUR);
    let post = |body: &str| {
        Ask::get("/_queue/invitation")
            .method("POST")
            .body(FORM, body)
    };
    for (ask, status) in [
        (post(&format!("invitation={code}&to=//evil.example")), 400),
        (post(&format!("invitation={code}")), 400),
        (post("to=/echo"), 400),
        (post(&format!("to=/&invitation={}", "a".repeat(5000))), 413),
        (
            Ask::get("/_queue/invitation")
                .method("POST")
                .body("text/plain", "a"),
            415,
        ),
        (Ask::get("/_queue/invitation").method("PUT"), 405),
    ] {
        let got = house.ask(&ask);
        assert_eq!(got.status, status, "{got:?}");
        assert!(!got.body.contains(&code), "{got:?}");
        assert_eq!(got.ticket(), None);
    }
    let mut visitor = third(house);
    let elsewhere = sent(&code, "/echo").with("sec-fetch-site", "cross-site");
    assert_eq!(visitor.send_once(elsewhere).ticket(), None);
    assert_eq!(visitor.ask("/echo").json()["position"], 3);
    house.set("invited_per_minute", "0");
    house.wait(Duration::from_secs(2));
    assert_eq!(visitor.send_once(sent(&code, "/echo")).status, 404);
    assert_eq!(uses(house, "one"), None);
}

pub(crate) fn the_page_that_takes_an_invitation_needs_no_script(house: &House) {
    line(house, 10);
    let mut visitor = third(house);
    let waiting = visitor.send(Ask::get("/shop?a=b").with("accept-language", "en"));
    for word in [
        "form=wish formaction=\"/_queue/invitation\"",
        "<form id=wish",
        "name=to value=\"/shop?a&#x3D;b\"",
    ] {
        assert!(waiting.body.contains(word), "{word}: {}", waiting.body);
    }
    let page = visitor.send(Ask::get("/_queue/invitation?to=%2Fshop%3Fa%3Db"));
    assert!(
        page.body.contains("name=\"to\" value=\"/shop?a&#x3D;b\""),
        "{page:?}"
    );
    assert!(page.body.contains("name=\"invitation\""));
    house.set("invited_per_minute", "0");
    house.wait(Duration::from_secs(2));
    let waiting = visitor.send(Ask::get("/shop"));
    assert!(
        !waiting.body.contains("/_queue/invitation"),
        "{}",
        waiting.body
    );
}

pub(crate) fn an_answer_that_was_lost_uses_an_invitation_once(house: &House) {
    line(house, 10);
    let code = invitation(house, "one", 2, HOUR);
    let mut guest = Visitor::new(house);
    guest.send_once(sent(&code, "/echo"));
    let before = guest.ticket.clone();
    house.store.fail(Faults::always(Fault::DropAnswer));
    assert!(
        !guest.ask("/echo").inside,
        "the store has answered, and it is lost"
    );
    house.store.fail(Faults::none());
    house.wait(Duration::from_secs(20));
    assert!(guest.ask("/echo").inside);
    assert!(
        Visitor::holding(house, before).ask("/echo").inside,
        "the same visitor"
    );
    assert_eq!(uses(house, "one").as_deref(), Some("1"));
}

pub(crate) fn a_store_that_is_away_uses_no_invitation_up(house: &House) {
    line(house, 10);
    let code = invitation(house, "one", 1, HOUR);
    let mut visitor = third(house);
    house.store.fail(Faults::always(Fault::Refuse));
    assert!(!used(&mut visitor, &code).inside);
    house.store.fail(Faults::none());
    house.wait(Duration::from_secs(20));
    assert_eq!(uses(house, "one"), None);
    assert!(visitor.ask("/echo").inside, "the ticket still brings it");
}

pub(crate) fn a_minute_takes_as_many_invitations_as_it_may(house: &House) {
    line(house, 2);
    let mut all = visitors(house, 4);
    // All in one minute.
    let left = 60_000 - house.now_ms() % 60_000;
    house.wait(Duration::from_millis(left));
    for (visitor, number) in all.iter_mut().zip(0..) {
        let code = invitation(house, &format!("of-{number}"), 1, HOUR);
        let got = used(visitor, &code);
        assert_eq!(got.inside, number < 2, "{got:?}");
        if number >= 2 {
            assert_eq!(notice(&got), "invitation_kept");
            assert_eq!(got.json()["position"], number + 1, "it draws a number");
        }
    }
    assert_eq!(uses(house, "of-2"), None);
    house.wait(Duration::from_mins(1));
    assert!(used(&mut all[2], &invitation(house, "of-2", 1, HOUR)).inside);
}

pub(crate) fn a_room_that_lets_no_visitor_in_uses_no_invitation_up(house: &House) {
    line(house, 10);
    let code = invitation(house, "one", 1, HOUR);
    let mut visitor = third(house);
    for mode in ["hold", "closed"] {
        house.change("mode", &json!({ "mode": mode }).to_string());
        house.forget_the_sign();
        let got = used(&mut visitor, &code);
        assert_eq!(notice(&got), "invitation_kept", "{mode}: {got:?}");
        assert_eq!(uses(house, "one"), None);
    }
    house.change("mode", r#"{"mode":"open"}"#);
    house.forget_the_sign();
    let mut other = Visitor::new(house);
    assert!(used(&mut other, &code).inside, "as any visitor");
    assert_eq!(uses(house, "one"), None);
    house.change("mode", r#"{"mode":"automatic"}"#);
    house.forget_the_sign();
    let mut last = Visitor::new(house);
    assert!(used(&mut last, &code).inside);
}

pub(crate) fn an_invitation_takes_a_free_slot_and_no_promised_one(house: &House) {
    house.set("total_active", "3");
    line_under_a_cap(house);
    let code = invitation(house, "many", 9, HOUR);
    let mut first = Visitor::new(house);
    assert!(used(&mut first, &code).inside, "one slot is free");
    let mut second = Visitor::new(house);
    let full = used(&mut second, &code);
    assert_eq!(notice(&full), "invitation_kept", "{full:?}");
    assert_eq!(uses(house, "many").as_deref(), Some("1"));
}

/// Two of three slots are promised to called visitors who have not come.
fn line_under_a_cap(house: &House) {
    house.set("claim_seconds", "300");
    line(house, 10);
    house.permit(2);
    house.forget_the_sign();
}

pub(crate) fn an_invitation_costs_one_call_with_the_draw_and_none_while_waiting(house: &House) {
    line(house, 1);
    // One more a minute is let in.
    house.wait_for_period(60);
    let code = invitation(house, "many", 9, HOUR);
    let mut guest = Visitor::new(house);
    let free = house.is_free(|| drop(guest.send_once(sent(&code, "/echo"))));
    assert!(free, "no store is asked before the page");
    assert_eq!(house.calls(|| assert!(guest.ask("/echo").inside)), 1);
    let mut late = Visitor::new(house);
    late.send_once(sent(&code, "/echo"));
    let calls = house.calls(|| assert_eq!(late.ask("/echo").json()["position"], 3));
    assert_eq!(calls, 1, "the draw and the question are one call");
    assert!(house.is_free(|| drop(late.ask("/echo"))), "waiting is free");
    let mut plain = Visitor::new(house);
    let calls = house.calls(|| assert_eq!(plain.ask("/echo").json()["position"], 4));
    assert_eq!(calls, 1, "a draw without one");
    plain.send_once(sent(&code, "/echo"));
    assert_eq!(house.calls(|| drop(plain.ask("/echo"))), 1, "the question");
    assert!(
        house.is_free(|| drop(plain.ask("/echo"))),
        "waiting is free"
    );
}

pub(crate) fn a_form_of_another_page_takes_no_ticket_away(house: &House) {
    line(house, 10);
    let code = invitation(house, "one", 1, HOUR);
    let from = |origin: &str| house.ask(&sent(&code, "/echo").with("origin", origin));
    for origin in ["https://evil.example", "null"] {
        let got = from(origin);
        assert_eq!((got.status, got.ticket()), (303, None), "{origin}");
        assert!(got.all("set-cookie").is_empty(), "{origin}: {got:?}");
    }
    let here = house.ask(&sent(&code, "/echo").with("sec-fetch-site", "same-origin"));
    assert!(here.ticket().is_some(), "{here:?}");
}

pub(crate) fn a_visitor_whose_visit_has_ended_brings_an_invitation(house: &House) {
    line(house, 10);
    house.permit(3);
    house.forget_the_sign();
    let mut visitor = Visitor::new(house);
    assert!(visitor.ask("/echo").inside);
    let code = invitation(house, "one", 1, HOUR);
    assert_eq!(
        visitor.send_once(sent(&code, "/echo")).ticket(),
        None,
        "a visitor inside needs none"
    );
    house.change("epoch", &house.word());
    house.forget_the_sign();
    visitors(house, 1)[0].ask("/");
    let page = visitor.send_once(Ask::get(&format!("/echo?invitation={code}")));
    assert!(visitor.send_once(pressed(&page)).ticket().is_some());
    assert!(visitor.ask("/echo").inside);
    assert_eq!(uses(house, "one").as_deref(), Some("1"));
}

pub(crate) fn an_invitation_outlives_the_ticket_that_brought_it(house: &House) {
    line(house, 10);
    let mut visitor = third(house);
    visitor.send_once(sent(&invitation(house, "one", 1, HOUR), "/echo"));
    house.change("epoch", &house.word());
    house.forget_the_sign();
    visitors(house, 1)[0].ask("/");
    assert!(visitor.ask("/echo").inside);
}

pub(crate) fn a_ticket_that_an_invitation_let_in_draws_the_number_that_it_had(house: &House) {
    line(house, 10);
    let mut visitor = Visitor::new(house);
    visitor.send_once(Ask::get("/echo"));
    let before = visitor.ticket.clone();
    let number = visitor.ask("/echo").json()["position"].clone();
    assert_eq!(number, 3);
    let mut guest = Visitor::holding(house, before.clone());
    assert!(used(&mut guest, &invitation(house, "one", 9, HOUR)).inside);
    let mut again = Visitor::holding(house, before);
    assert_eq!(again.ask("/echo").json()["position"], number);
    assert_eq!(Visitor::new(house).ask("/").json()["position"], 4);
}

pub(crate) fn an_answer_that_was_lost_lets_nobody_into_a_room_on_hold(house: &House) {
    line(house, 10);
    let mut guest = Visitor::new(house);
    guest.send_once(sent(&invitation(house, "one", 2, HOUR), "/echo"));
    let before = guest.ticket.clone();
    assert!(guest.ask("/echo").inside);
    house.change("mode", r#"{"mode":"hold"}"#);
    house.forget_the_sign();
    let mut again = Visitor::holding(house, before);
    assert_eq!(notice(&again.ask("/echo")), "invitation_kept");
    assert_eq!(uses(house, "one").as_deref(), Some("1"));
}

pub(crate) fn what_programs_write_behind_a_link_is_no_part_of_the_code(house: &House) {
    line(house, 10);
    let code = invitation(house, "many", 9, HOUR);
    for given in [
        format!("https://shop.example/drop?invitation={code}%26utm_source=mail"),
        format!("https://shop.example/drop%23invitation={code}%26utm_source=mail"),
        format!("%20{code}%0A"),
    ] {
        let mut guest = Visitor::new(house);
        assert!(used(&mut guest, &given).inside, "{given}");
    }
}

pub(crate) fn a_parameter_of_the_site_with_that_name_reaches_the_origin(house: &House) {
    line(house, 10);
    let mut visitor = third(house);
    visitor.send_once(sent(&invitation(house, "one", 1, HOUR), "/echo"));
    let wrong = "aaaa.bbbb.cccc";
    let page = visitor.send_once(Ask::get(&format!("/echo?invitation={wrong}")));
    assert_eq!(
        visitor.send_once(pressed(&page)).header("location"),
        "/echo"
    );
    let got = visitor.ask("/echo?invitation=TEAM42");
    assert!(got.inside, "the good one is kept: {got:?}");
}
