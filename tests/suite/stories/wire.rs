//! The rest of the contract: credit, lost answers, epochs, rotation, programs, operators, settings.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use now_serving::queue::{Cursor, Now, Position, RoomName};
use now_serving::queue::{Place, WaitingProof};
use now_serving::ticket::{Keys, TicketStage};
use serde_json::{Value, json};

use crate::house::{Ask, House, PERMIT_TOKEN, SECRET, Visitor, claims, problem_keys, visitors};
use crate::tickets::ticket;

use super::DAY;

pub(crate) fn credit_is_used_by_the_next_arrivals_and_capped(house: &House) {
    house.set("credit_max", "3");
    let granted = house.permit(2);
    assert_eq!(
        (&granted["released"], &granted["credit"], &granted["cursor"]),
        (&json!(0), &json!(2), &json!(0))
    );
    assert_eq!(house.permit(9)["credit"], 3, "kept up to credit_max");
    let panel = house.ask(&Ask::get("/_queue").operator());
    assert!(panel.body.contains(r#"id="credit">3<"#));
    let inside: Vec<bool> = (0..4)
        .map(|_| Visitor::new(house).ask("/echo").inside)
        .collect();
    assert_eq!(inside, [true, true, true, false]);
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    assert_eq!(
        (&status["cursor"], &status["length"], &status["credit"]),
        (&json!(3), &json!(4), &json!(0))
    );
    house.set("credit_max", "0");
    house.permit(5);
    assert!(!Visitor::new(house).ask("/echo").inside);
}

pub(crate) fn an_admitted_ticket_is_signed_again_with_the_time_of_admission(house: &House) {
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    house.permit(1);
    let before = house.now_ms() / 1000;
    let first = visitor.ask("/echo");
    let claims = claims(&first.ticket().unwrap());
    let now = house.now_ms() / 1000;
    let admitted = claims["adm"].as_u64().unwrap();
    assert!((before..=now).contains(&admitted), "{claims}");
    assert_eq!(claims["exp"].as_u64().unwrap(), admitted + DAY);
    assert_eq!(first.header("cache-control"), "private, no-store");
    assert_eq!(visitor.ask("/echo").ticket(), None, "once");
}

pub(crate) fn a_repeated_draw_gets_the_same_number(house: &House) {
    use upstash_local::{Fault, Faults};
    // The first answer that is lost is the draw's, not the one that asks for the script.
    house.warm();
    let mut visitor = Visitor::new(house);
    house.store.fail(Faults::always(Fault::DropAnswer));
    let lost = visitor.ask("/");
    assert_eq!((lost.status, &lost.json()["position"]), (503, &json!(null)));
    // A ticket without a number, under whose id the draw is repeated until it has one.
    let id = |visitor: &Visitor<'_>| claims(visitor.ticket.as_ref().unwrap())["sub"].clone();
    let first = id(&visitor);
    visitor.ask("/");
    assert_eq!(id(&visitor), first);
    let (_, drawn) = house.numbers("main");
    assert_eq!(drawn, 1, "the draw happened, only its answer was lost");
    house.store.fail(Faults::none());
    house.wait(Duration::from_secs(20));
    assert_eq!(visitor.ask("/").json()["position"], 1);
    assert_eq!(
        Visitor::new(house).ask("/").json()["position"],
        2,
        "no number was lost"
    );
}

pub(crate) fn a_script_the_store_forgot_is_sent_again(house: &House) {
    house.warm();
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    house.forget_the_sign();
    house.store.restart();
    house.forget_the_sign();
    let calls = house.calls(|| assert_eq!(visitor.ask("/").json()["position"], 1));
    assert_eq!(calls, 2, "NOSCRIPT, then the script itself");
    house.forget_the_sign();
    assert_eq!(house.calls(|| drop(visitor.ask("/"))), 1);
}

pub(crate) fn another_epoch_ends_the_tickets(house: &House) {
    let mut visitors = visitors(house, 3);
    for visitor in &mut visitors {
        visitor.ask("/");
    }
    let before = claims(visitors[0].ticket.as_ref().unwrap())["born"].clone();
    house.end_all_elsewhere();
    house.forget_the_sign();
    let calls = house.calls(|| {
        let got = visitors[0].ask("/");
        assert_eq!(
            got.json()["position"],
            4,
            "drawn anew, at the back, by the same request"
        );
        assert!(claims(&got.ticket().unwrap())["born"].as_u64() > before.as_u64());
    });
    assert!(
        calls <= 2,
        "one, and one more where the script was not known yet"
    );
    assert_eq!(visitors[0].ask("/").json()["position"], 4);
}

pub(crate) fn a_store_that_lost_its_memory_is_rebuilt_from_the_tickets(house: &House) {
    let mut ended = Visitor::new(house);
    ended.ask("/");
    let epoch = house.change("epoch", &house.word())["epoch"].clone();
    let mut visitors = visitors(house, 5);
    for visitor in &mut visitors[..4] {
        visitor.ask("/");
    }
    house.permit(2);
    visitors[4].ask("/");
    house.store.restart_empty();
    house.forget_the_sign();
    let last = visitors[4].ask("/").json();
    assert_eq!(
        (&last["position"], &last["cursor"], &last["ahead"]),
        (&json!(6), &json!(3), &json!(2))
    );
    assert!(
        visitors[0].ask("/echo").inside,
        "who was let in and had not come yet"
    );
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    assert_eq!(
        status["epoch"], epoch,
        "no ticket that had ended comes back"
    );
    let next = Visitor::new(house).ask("/").json();
    assert!(
        next["position"].as_u64() > Some(6),
        "no visitor overtakes: {next}"
    );
}

pub(crate) fn rotating_the_secret_keeps_the_places(house: &House) {
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    let next = "the-next-secret-of-at-least-32-bytes!";
    house.set("jwt_secret", &format!("{next},{SECRET}"));
    assert_eq!(visitor.ask("/").json()["position"], 1);
    let mut newcomer = Visitor::new(house);
    assert_eq!(newcomer.ask("/").json()["position"], 2);
    house.set("jwt_secret", next);
    assert_eq!(
        newcomer.ask("/").json()["position"],
        2,
        "signed with the new one"
    );
    assert_eq!(
        visitor.ask("/").json()["position"],
        3,
        "dropping the old secret ends its tickets"
    );
}

pub(crate) fn what_was_posted_while_waiting_is_not_sent(house: &House) {
    let form = Ask::get("/order")
        .method("POST")
        .body("application/x-www-form-urlencoded", "item=1");
    let page = house.ask(&form.clone());
    assert!(
        !page.inside && page.body.contains("was not delivered"),
        "{}",
        page.body
    );
    assert_eq!(house.ask(&form.json()).json()["sent"], false);
    assert_eq!(house.ask(&Ask::get("/").json()).json().get("sent"), None);
}

pub(crate) fn programs_get_data(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "1");
    Visitor::new(house).ask("/");
    Visitor::new(house).ask("/");
    for ask in [
        Ask::get("/").with("accept", "application/json, text/plain, */*"),
        Ask::get("/")
            .with("accept", "*/*")
            .with("sec-fetch-dest", "empty"),
        Ask::get("/")
            .with("accept", "*/*")
            .with("x-requested-with", "XMLHttpRequest"),
    ] {
        let got = Visitor::new(house).send(ask);
        assert_eq!(
            (got.status, got.header("content-type")),
            (503, "application/json")
        );
        let data = got.json();
        let keys: Vec<&String> = data.as_object().unwrap().keys().collect();
        assert_eq!(
            keys,
            [
                "ahead",
                "cursor",
                "estimated_wait_seconds",
                "message",
                "position",
                "refresh_seconds",
                "room",
                "waiting"
            ]
        );
        assert_eq!(
            (&data["waiting"], &data["room"], &data["message"]),
            (&json!(true), &json!(house.room()), &json!(null))
        );
        let ahead = data["ahead"].as_u64().unwrap();
        let wait = data["estimated_wait_seconds"].as_u64().unwrap();
        assert!((ahead * 60..=(ahead + 1) * 60).contains(&wait), "{data}");
        assert_eq!(
            data["refresh_seconds"].to_string(),
            got.header("retry-after")
        );
    }
    let page = Ask::get("/").with("accept", "application/json;q=0.1, text/html");
    assert_eq!(
        Visitor::new(house).send(page).header("content-type"),
        "text/html; charset=utf-8"
    );
}

pub(crate) fn status_is_data_for_operator_and_program(house: &House) {
    house.set("automatic", "30");
    house.set("automatic_quantity", "10");
    let program =
        Ask::get("/_queue/status").with("authorization", format!("Bearer {PERMIT_TOKEN}"));
    for ask in [Ask::get("/_queue/status").operator(), program] {
        let got = house.ask(&ask);
        assert_eq!(got.status, 200);
        assert_eq!(
            got.json(),
            json!({
                "room": house.room(), "mode": "automatic", "epoch": 1, "cursor": 0, "length": 0, "waiting": 0, "credit": 0,
                "rate": {"automatic": 30, "automatic_quantity": 10, "per_minute": 20.0, "measured_per_minute": null}, "estimated_wait_seconds": 0,
                "absent": {"setting": "observe", "share": null, "may_come": 0},
                "last_hour": {"since": got.json()["last_hour"]["since"], "waits": [], "visit_minutes_p50": null},
                "sessions": null, "regions": null,
                "release": {"bound_by": "waiting", "recount_until": null, "last": null},
                "origin": {"setting": "observe", "recent": {"ok": 0, "late": 0, "bad": 0}, "sick_until": null, "overruled_until": null, "last": null,
                    "window": {"setting": "off", "size": 10.0, "is_ramp": false, "answers": 0, "late": 0, "baseline": 0.0, "load": null, "says": "unknown"}},
                "event": null,
                "event_trouble": null,
                "invitations": null,
                "stock": null,
                "version": 0,
            })
        );
    }
    assert_eq!(
        house
            .ask(&Ask::get("/_queue/status").method("POST").operator())
            .header("allow"),
        "GET, HEAD"
    );
}

pub(crate) fn health_needs_no_store_and_no_password(house: &House) {
    use upstash_local::{Fault, Faults};
    house.store.fail(Faults::always(Fault::Refuse));
    let got = house.ask(&Ask::get("/_queue/healthz"));
    assert_eq!((got.status, got.body.as_str()), (200, "ok\n"));
    house.set("automatic", "soon");
    assert_eq!(house.ask(&Ask::get("/_queue/healthz")).status, 503);
}

pub(crate) fn wrong_credentials_are_told_how_to_identify(house: &House) {
    for authorization in [
        "",
        "Basic",
        "Basic !!!",
        "Basic YWRtaW46d3Jvbmc=",
        "Basic cm9vdDpkZXZlbG9wbWVudC1vbmx5LXBhc3N3b3Jk",
        "Bearer",
        "Digest x",
        "Bearer development-only-permit-token",
    ] {
        let got = house.ask(&Ask::get("/_queue/").with("authorization", authorization));
        assert_eq!(got.status, 401, "{authorization}");
        assert!(
            got.header("www-authenticate").starts_with("Basic realm="),
            "{authorization}"
        );
    }
    let got = house.ask(
        &Ask::get("/_queue/permit")
            .method("POST")
            .with("authorization", "Bearer wrong"),
    );
    assert_eq!(got.status, 401);
    assert!(got.header("www-authenticate").starts_with("Bearer realm="));
}

pub(crate) fn an_unsound_configuration_is_a_plain_page_and_one_line_with_every_problem(
    house: &House,
) {
    house.set("automatic", "often");
    house.set("on_store_error", "open");
    house.set("jwt_secret", "short");
    let got = house.ask(&Ask::get("/echo"));
    assert_eq!((got.status, got.inside), (503, false));
    assert!(got.body.contains("being set up"));
    let log = house.log();
    let line = log.last().unwrap();
    let keys = problem_keys(line);
    assert_eq!(
        (&line["reason"], keys),
        (
            &json!("unsound_configuration"),
            vec!["jwt_secret", "on_store_error", "automatic"]
        )
    );
    assert!(
        !line.to_string().contains("short"),
        "a secret's value is never named: {line}"
    );
}

pub(crate) fn an_unsound_configuration_keeps_admitted_visitors_and_bypass_paths_served(
    house: &House,
) {
    let [mut inside, mut waiting] = [(); 2].map(|()| Visitor::new(house));
    inside.ask("/");
    waiting.ask("/");
    house.permit(1);
    assert!(inside.ask("/echo").inside);
    house.forget_the_sign();
    house.set("automatic", "often");
    house.set("brand_name", " ");
    let before = house.log().len();
    let calls = house.calls(|| {
        assert!(inside.ask("/echo").inside);
        assert!(house.ask(&Ask::get("/robots.txt")).inside);
        for got in [
            waiting.ask("/echo"),
            Visitor::new(house).ask("/echo"),
            house.ask(&Ask::get("/_queue").operator()),
            house.ask(&Ask::permit(1)),
        ] {
            assert_eq!((got.status, got.inside), (503, false), "{got:?}");
            assert!(got.body.contains("being set up") && got.ticket().is_none());
        }
        let health = house.ask(&Ask::get("/_queue/healthz"));
        assert_eq!(health.status, 503);
        let told = health.json()["detail"].to_string();
        assert!(told.contains("automatic: a whole number from 0 to 86400"));
        assert!(
            told.contains("brand_name: ") && !told.contains("often"),
            "{told}"
        );
    });
    assert_eq!(calls, 0);
    // Of a visitor inside and a bypass path there are two lines each.
    let log = house.log_of(before + 2 * 2 + 5);
    for reason in ["inside", "bypass"] {
        let of_it = |line: &&Value| line["reason"] == reason;
        assert_eq!(log[before..].iter().filter(of_it).count(), 1, "{reason}");
    }
    let of_it = |line: &&Value| line["reason"] == "unsound_configuration";
    let lines: Vec<&Value> = log[before..].iter().filter(of_it).collect();
    assert_eq!(lines.len(), 7);
    for line in lines {
        assert_eq!(
            problem_keys(line),
            ["automatic", "brand_name"],
            "all at once"
        );
    }
    house.set("automatic", "0");
    assert_eq!(waiting.ask("/").json()["position"], 2, "places are kept");
}

/// Long enough to sign with, and a byte too short to be accepted.
const SHORT: &str = "31-bytes-are-not-enough-for-it-";

pub(crate) fn a_secret_that_is_unsound_lets_nobody_in_by_its_tickets(house: &House) {
    house.set("jwt_secret", SHORT);
    let now = house.now_ms() / 1000;
    let admitted = TicketStage::Admitted {
        position: Some(Position(1)),
        born: 1,
        at: now,
        session: None,
    };
    let ticket = ticket("0".repeat(32), admitted, now);
    let forged = Keys::new(SHORT, None).sign(
        &ticket,
        &RoomName::new(house.room()),
        Now::from_secs(now),
        60,
    );
    let mut guest = Visitor::new(house);
    guest.ticket = Some(forged.unwrap());
    let got = guest.ask("/echo");
    assert_eq!((got.status, got.inside), (503, false));
}

pub(crate) fn the_waiting_status_is_a_setting(house: &House) {
    for status in ["200", "202", "429", "503"] {
        house.set("waiting_status", status);
        let page = Visitor::new(house).send(Ask::get("/"));
        assert_eq!(page.status.to_string(), status);
        assert_eq!(
            house.ask(&Ask::get("/").method("HEAD")).status.to_string(),
            status
        );
        assert_eq!(
            house.ask(&Ask::get("/").with("purpose", "prefetch")).status,
            503
        );
    }
}

pub(crate) fn a_waiting_page_in_a_frame_is_a_setting(house: &House) {
    let by_link = Ask::get("/").with("host", "shop.example");
    let framed = |got: &crate::house::Got| {
        let policy = got.header("content-security-policy").to_owned();
        policy.split_once("frame-ancestors ").unwrap().1.to_owned()
    };
    assert_eq!(framed(&house.ask(&by_link)), "'none'");
    house.set("frame_ancestors", "self,https://tickets.example");
    // Where the first one waits, the number is drawn by the second contact.
    let first = house.ask(&by_link.clone().json()).ticket().unwrap();
    let got = house.ask(&by_link.with("cookie", format!("__Host-queue={first}")));
    assert_eq!(framed(&got), "'self' https://tickets.example");
    let cookie = got.header("set-cookie");
    assert!(
        cookie.contains("; Secure; HttpOnly; SameSite=None; Partitioned; "),
        "{cookie}"
    );
    let panel = house.ask(&Ask::get("/_queue").operator());
    assert_eq!(framed(&panel), "'none'", "never the panel");
}

pub(crate) fn forged_tickets_are_all_refused_alike(house: &House) {
    house.write(&["main cursor", "0", "main length", "1"]);
    let now = house.now_ms() / 1000;
    let proof = WaitingProof::of(
        Place {
            born: 1,
            position: Position(1),
            came: None,
        },
        Cursor(0),
    );
    let ticket = ticket("f".repeat(32), TicketStage::Waiting(proof), now);
    let keys = Keys::new(SECRET, None);
    let sound = keys
        .sign(
            &ticket,
            &RoomName::new(house.room()),
            Now::from_secs(now),
            DAY,
        )
        .unwrap();
    let parts: Vec<&str> = sound.split('.').collect();
    let none = URL_SAFE_NO_PAD.encode(r#"{"alg":"none","typ":"JWT"}"#);
    let forged = [
        String::new(),
        "not a ticket".to_owned(),
        format!("{none}.{}.", parts[1]),
        format!("{none}.{}.{}", parts[1], parts[2]),
        format!("{}.{}", parts[0], parts[1]),
        format!("{sound}A"),
        "A".repeat(60_000),
        Keys::new(&"another".repeat(9), None)
            .sign(
                &ticket,
                &RoomName::new(house.room()),
                Now::from_secs(now),
                DAY,
            )
            .unwrap(),
        keys.sign(&ticket, &RoomName::new("side"), Now::from_secs(now), DAY)
            .unwrap(),
        keys.sign(
            &ticket,
            &RoomName::new(house.room()),
            Now::from_secs(now + 3_600),
            DAY,
        )
        .unwrap(),
        keys.pass(
            &ticket,
            &RoomName::new(house.room()),
            "127.0.0.1",
            Now::from_secs(now),
        )
        .unwrap(),
    ];
    let seen = |ticket: &str| {
        let got = house.ask(
            &Ask::get("/")
                .json()
                .with("cookie", format!("queue={ticket}")),
        );
        let names: Vec<String> = got
            .headers
            .iter()
            .map(|(name, _)| name.clone())
            .filter(|name| name != "date")
            .collect();
        let fields: Vec<String> = got.json().as_object().unwrap().keys().cloned().collect();
        (got.status, names, fields, got.json()["position"].as_u64())
    };
    // From here on the data centre knows that visitors wait.
    house.ask(&Ask::get("/").json());
    let without = seen("");
    for ticket in &forged {
        let (status, names, fields, position) = seen(ticket);
        assert_eq!(
            (&status, &names, &fields),
            (&without.0, &without.1, &without.2),
            "{ticket:.80}"
        );
        assert_eq!(position, without.3, "no ticket: {ticket:.80}");
    }
    assert_eq!(seen(&sound).3, Some(1), "and the sound one is none of them");
}
