//! What the firewall (WAF) of the local server is asked about: it allows every request.

use harness::edge::Edge;
use harness::host_calls::is_call;
use harness::origin::Origin;
use upstash_local::{Server, Store};

use crate::connection::Connection;
use crate::house::{ANY_PORT, Ask, House, PERMIT_TOKEN, STORE_TOKEN, Visitor};

use super::limits::{held, traced};

/// How often the host was asked to inspect a request.
fn inspections(edge: &Edge) -> usize {
    let lines = edge.output();
    let calls = lines.iter().filter(|line| is_call(line));
    calls
        .filter(|line| line.contains("function=\"inspect\""))
        .count()
}

/// By how many inspections each of these stages of a visit comes: waiting, going in, a page inside, a form inside, and a form past
/// the room.
fn of_a_visit(settings: &[(&str, &str)]) -> [usize; 5] {
    let store = Server::start(Store::embedded(STORE_TOKEN).unwrap(), ANY_PORT).unwrap();
    let origin = Origin::start(ANY_PORT).unwrap();
    let mut all = held(&store.url());
    let pairs = settings.iter();
    all.extend(pairs.map(|(key, value)| ((*key).to_owned(), (*value).to_owned())));
    let edge = traced(all, &store.url(), &origin);
    let mut connection = Connection::open(edge.addr());
    let mut ticket = String::new();
    let mut send = |ask: Ask| {
        let ask = match ticket.as_str() {
            "" => ask,
            ticket => ask.with("cookie", format!("queue={ticket}")),
        };
        let got = connection.ask(&ask);
        ticket = got.ticket().unwrap_or_else(|| ticket.clone());
        (got, inspections(&edge))
    };
    let page = || Ask::get("/echo").json();
    for _ in 0..3 {
        send(page());
    }
    send(Ask::get("/_queue/place"));
    let permit = Ask::get("/_queue/permit").method("POST");
    let permit = permit.with("authorization", format!("Bearer {PERMIT_TOKEN}"));
    let (permitted, waiting) = send(permit);
    assert_eq!(permitted.status, 200, "{permitted:?}");
    std::thread::sleep(2 * now_serving::cache::MAX_AGE);
    let (got, entered) = send(page());
    assert_eq!(got.status, 200, "{got:?}");
    let (_, inside) = send(page());
    let post = |target: &str| Ask::get(target).method("POST").with("content-length", "0");
    let (got, posted) = send(post("/echo"));
    assert_eq!(got.status, 200, "{got:?}");
    let (_, bypassed) = send(post("/robots.txt"));
    [
        waiting,
        entered - waiting,
        inside - entered,
        posted - inside,
        bypassed - posted,
    ]
}

#[test]
fn the_host_inspects_the_first_page_inside_and_each_form_and_nothing_else() {
    let set = [("waf", "inspect"), ("waf_workspace", "shop/production")];
    assert_eq!(of_a_visit(&set), [0, 1, 0, 1, 1]);
    // What follows from no verdict is not asked for where there is one.
    let set = [set[0], set[1], ("on_waf_error", "block")];
    assert_eq!(of_a_visit(&set), [0, 1, 0, 1, 1]);
}

#[test]
fn by_default_the_host_inspects_nothing() {
    assert_eq!(of_a_visit(&[]), [0; 5]);
    assert_eq!(of_a_visit(&[("waf_workspace", "shop/production")]), [0; 5]);
}

/// A house whose firewall is asked, and that lets one visitor in.
fn inspecting() -> House {
    let house = House::wasm_shared();
    house.set("waf", "inspect");
    house.set("waf_workspace", "shop/production");
    house.permit(1);
    house
}

fn inside(house: &House) -> Visitor<'_> {
    let mut visitor = Visitor::new(house);
    assert!(visitor.ask("/echo").inside);
    visitor
}

#[test]
fn what_was_inspected_reaches_the_origin_whole() {
    let house = inspecting();
    let mut visitor = inside(&house);
    let body = "a=1&b=<script>".repeat(5_000);
    let form = |target: &str| {
        let ask = Ask::get(target).method("POST");
        ask.body("application/x-www-form-urlencoded", &body)
    };
    house.wasm_side().origin.clear();
    assert!(visitor.send_once(form("/echo")).inside);
    assert!(house.ask(&form("/robots.txt")).inside);
    let seen = house.wasm_side().origin.requests();
    let lengths: Vec<u64> = seen.iter().map(|seen| seen.body_length).collect();
    assert_eq!(lengths, [70_000, 70_000]);
    let lines = house.log_where(|line| line["waf"] == "allowed");
    let reasons: Vec<&str> = lines
        .iter()
        .map(|line| line["reason"].as_str().unwrap())
        .collect();
    assert_eq!(reasons, ["admitted", "inside", "bypass"]);
}

#[test]
fn while_another_setting_is_wrong_the_host_inspects_all_the_same() {
    let house = inspecting();
    let mut visitor = inside(&house);
    house.set("automatic", "often");
    assert!(visitor.send_once(Ask::get("/echo").method("POST")).inside);
    let lines = house.log_where(|line| line["reason"] == "inside");
    assert_eq!(lines[0]["waf"], "allowed", "{lines:?}");
    house.set("on_waf_error", "open");
    let got = visitor.send_once(Ask::get("/echo").method("POST"));
    assert_eq!((got.status, got.inside), (503, false));
    assert!(visitor.ask("/echo").inside);
}
