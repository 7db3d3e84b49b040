//! A host of their own for operators: browsers keep the panel apart from the shop's pages, and nothing else is there.

use crate::house::{ADMIN_TOKEN, Ask, Got, House, PERMIT_TOKEN, Visitor};

const HOST: &str = "queue.shop.example";

/// With a number drawn on the visitors' host, so that there is something to move.
fn with_host(house: &House) -> Visitor<'_> {
    house.set("admin_host", HOST);
    let mut visitor = Visitor::new(house);
    assert_eq!(visitor.ask("/").json()["position"], 1);
    visitor
}

/// The same request to the operators' host, as browsers name it where its port is not the scheme's own.
fn there(ask: Ask) -> Ask {
    ask.with("host", format!("{HOST}:7676"))
}

fn bearer(ask: Ask, token: &str) -> Ask {
    ask.with("authorization", format!("Bearer {token}"))
}

fn problem(got: &Got) -> (u16, &str, &str) {
    (got.status, got.header("content-type"), got.body.as_str())
}

pub(crate) fn operators_are_answered_on_the_admin_host_and_on_no_other(house: &House) {
    with_host(house);
    house.warm();
    let unknown = house.ask(&Ask::get("/_queue/nothing").operator());
    assert_eq!(unknown.status, 404);
    let calls = house.calls(|| {
        for ask in [
            Ask::get("/_queue"),
            Ask::get("/_queue/"),
            Ask::get("/_queue/status"),
            Ask::get("/_queue/settings"),
            Ask::get("/_queue/metrics"),
            Ask::json_to("permit", r#"{"amt":1}"#),
            Ask::json_to("mode", r#"{"mode":"open"}"#),
            Ask::form("ticket", "act=jump"),
            Ask::form("ticket/forget", ""),
            Ask::get("/_queue/permit"),
            Ask::get("/_queue/status").method("DELETE"),
        ] {
            for credentials in [ask.clone().operator(), bearer(ask, ADMIN_TOKEN)] {
                let got = house.ask(&credentials);
                assert_eq!(problem(&got), problem(&unknown), "{credentials:?}");
                let cookies = got.all("set-cookie");
                assert!(cookies.is_empty(), "{credentials:?}: {cookies:?}");
            }
        }
    });
    assert_eq!(calls, 0, "what is not there costs nothing");
    for (target, status) in [("/_queue", 200), ("/_queue/status", 200)] {
        let got = house.ask(&there(Ask::get(target).operator()));
        assert_eq!(got.status, status, "{target}");
    }
    let asked = there(bearer(Ask::get("/_queue/metrics"), PERMIT_TOKEN));
    assert_eq!(house.ask(&asked).status, 200);
    let moved = house.ask(&there(Ask::permit(1)));
    assert_eq!((moved.status, &moved.json()["released"]), (200, &1.into()));
    let way = house.ask(&there(Ask::get("/_queue")));
    assert_eq!((way.status, way.header("location")), (303, "/_queue/"));
    for target in ["/_queue/", "/_queue/status"] {
        let unasked = house.ask(&there(Ask::get(target)));
        assert_eq!(unasked.status, 401, "and nobody else there either");
    }
}

pub(crate) fn visitors_find_their_routes_on_every_host_but_the_admin_host(house: &House) {
    let mut visitor = with_host(house);
    for host in ["shop.example", "127.0.0.1:7676"] {
        let asked = Ask::get("/_queue/healthz").with("host", host);
        assert_eq!(house.ask(&asked).status, 200, "{host}");
    }
    let place = visitor.ask("/_queue/place").json();
    assert_eq!(
        (&place["waiting"], &place["position"]),
        (&true.into(), &1.into())
    );
    for target in [
        "cookies?try=1&to=/",
        "updates?every=off&to=/",
        "language?language=de&to=/",
    ] {
        let got = visitor.ask(&format!("/_queue/{target}"));
        assert_eq!((got.status, got.header("location")), (303, "/"), "{target}");
    }
    assert_eq!(house.ask(&there(Ask::get("/_queue/healthz"))).status, 200);
}

pub(crate) fn on_the_admin_host_nothing_else_is_served(house: &House) {
    let mut visitor = with_host(house);
    assert_eq!(house.ask(&there(Ask::permit(1))).status, 200);
    assert!(visitor.ask("/echo").inside);
    let ticket = visitor.ticket.clone().unwrap();
    house.warm();
    let calls = house.calls(|| {
        for (method, target) in [
            ("GET", "/echo"),
            ("GET", "/robots.txt"),
            ("GET", "/_queuefoo"),
            ("GET", "/_queue/nothing"),
            ("GET", "/_queue/place"),
            ("GET", "/_queue/cookies?try=1&to=/"),
            ("GET", "/_queue/updates?every=off&to=/"),
            ("HEAD", "/echo"),
            ("POST", "/echo"),
            ("OPTIONS", "/echo"),
            ("PURGE", "/echo"),
        ] {
            let ask = Ask::get(target)
                .method(method)
                .with("cookie", format!("queue={ticket}"))
                .with("origin", "https://app.shop.example")
                .with("access-control-request-method", "PUT");
            let got = house.ask(&there(ask));
            assert_eq!((got.status, got.inside), (404, false), "{method} {target}");
            assert_eq!(got.all("set-cookie"), [""; 0], "{method} {target}");
        }
        let socket = Ask::get("/echo").with("upgrade", "websocket");
        assert_eq!(house.ask(&there(socket)).status, 404);
    });
    assert_eq!(calls, 0);
    for method in ["GET", "HEAD"] {
        let way = house.ask(&there(Ask::get("/?a=b").method(method)));
        assert_eq!((way.status, way.header("location")), (303, "/_queue/"));
        assert_eq!(way.ticket(), None);
    }
    let posted = house.ask(&there(Ask::get("/").method("POST")));
    assert_eq!((posted.status, posted.header("allow")), (405, "GET, HEAD"));
}

pub(crate) fn a_change_on_the_admin_host_comes_from_its_own_pages(house: &House) {
    with_host(house);
    let press = || there(Ask::get("/_queue/permit").method("POST").operator());
    let form = |ask: Ask| ask.body("application/x-www-form-urlencoded", "amt=1");
    let own = format!("http://{HOST}:7676");
    for (name, value) in [
        ("sec-fetch-site", "same-site"),
        ("sec-fetch-site", "cross-site"),
        ("origin", "http://127.0.0.1:7676"),
        ("origin", "http://shop.example"),
    ] {
        let got = house.ask(&form(press().with(name, value)));
        assert_eq!(got.status, 403, "{name}: {value}");
    }
    for (name, value) in [("sec-fetch-site", "same-origin"), ("origin", own.as_str())] {
        let got = house.ask(&form(press().with(name, value)));
        assert_eq!(got.status, 303, "{name}: {value}");
        let to = got.header("location");
        assert!(to.starts_with("/_queue/?done=permit&number="), "{to}");
        let told = house.ask(&there(Ask::get(to).operator()));
        assert!(told.body.contains("id=\"news\""), "{}", told.body);
    }
}

pub(crate) fn a_panel_on_a_host_of_its_own_draws_no_test_tickets(house: &House) {
    with_host(house);
    let panel = house.ask(&there(Ask::get("/_queue").operator()));
    assert!(panel.body.contains("This panel has a host of its own"));
    for form in ["/_queue/ticket\"", "/_queue/ticket/forget\""] {
        assert!(!panel.body.contains(form), "{form}: {}", panel.body);
    }
    for (route, form) in [("ticket", "act=jump"), ("ticket/forget", "")] {
        let got = house.ask(&there(Ask::form(route, form)));
        assert_eq!((got.status, got.ticket()), (404, None), "{route}");
    }
}

pub(crate) fn while_settings_are_unsound_nothing_goes_to_the_origin_by_the_admin_host(
    house: &House,
) {
    with_host(house);
    house.set("automatic", "often");
    for (host, inside) in [("shop.example", true), (HOST, false)] {
        let got = house.ask(&Ask::get("/robots.txt").with("host", host));
        assert_eq!(got.inside, inside, "{host}: {got:?}");
    }
    house.set("automatic", "0");
    house.set("admin_host", "https://queue.shop.example");
    let refused = house.ask(&there(Ask::get("/_queue").operator()));
    assert_eq!(refused.status, 503);
    // The lines before it tell what was wrong before.
    let lines = house.log_where(|line| line["problems"][0]["key"] == "admin_host");
    assert!(!lines.is_empty(), "{:?}", house.log());
}

pub(crate) fn while_the_operators_routes_are_unknown_no_password_reaches_the_origin(house: &House) {
    house.set("bypass_paths", "/*");
    assert!(house.ask(&Ask::get("/robots.txt").operator()).inside);
    for (key, wrong, sound) in [
        ("admin_path", "gate", "/_queue"),
        ("admin_host", "https://queue.shop.example", "none"),
    ] {
        house.set(key, wrong);
        for target in ["/gate", "/gate/status", "/robots.txt"] {
            let ask = Ask::get(target);
            let lower = ask.clone().with("authorization", "basic  YTpi");
            for with_password in [ask.clone().operator(), lower] {
                let got = house.ask(&with_password);
                assert_eq!((got.status, got.inside), (503, false), "{with_password:?}");
            }
            assert!(house.ask(&ask).inside, "{ask:?}");
            // Below a wrong path it may be a program's.
            if key == "admin_host" || target == "/robots.txt" {
                let of_visitor = bearer(ask, "of-a-visitor-of-the-shop");
                assert!(house.ask(&of_visitor).inside, "{of_visitor:?}");
            }
        }
        house.set(key, sound);
    }
    house.set("automatic", "often");
    let got = house.ask(&Ask::get("/robots.txt").operator());
    assert!(got.inside, "the operators' routes are known: {got:?}");
}

/// A visitor's own token is the shop's business; a program's reaches the origin by no path that its route may have.
pub(crate) fn while_the_operators_path_is_unknown_no_program_s_token_reaches_the_origin(
    house: &House,
) {
    house.set("bypass_paths", "/*");
    for (wrong, below) in [
        (
            "/ops/",
            &["/ops", "/ops/permit", "/ops/x", "//ops//permit"][..],
        ),
        ("gate", &["/gate/metrics", "/gate/"]),
        ("/", &[]),
    ] {
        house.set("admin_path", wrong);
        let named = ["/desk/permit", "/desk/status", "/metrics", "/desk/epoch"];
        for target in below.iter().copied().chain(named) {
            for method in ["GET", "POST"] {
                let ask = Ask::get(target).method(method);
                let lower = ask.clone().with("authorization", "bearer  a");
                for with_token in [bearer(ask.clone(), ADMIN_TOKEN), lower] {
                    let got = house.ask(&with_token);
                    assert_eq!((got.status, got.inside), (503, false), "{with_token:?}");
                }
                assert!(house.ask(&ask).inside, "without one: {target}");
            }
        }
        for target in [
            "/robots.txt",
            "/account",
            "/opsx",
            "/api/orders",
            "/permits",
            "/status/200",
        ] {
            let got = house.ask(&bearer(Ask::get(target), "of-a-visitor-of-the-shop"));
            assert!(got.inside, "{wrong}: {target}: {got:?}");
        }
    }
}

pub(crate) fn the_admin_host_has_no_other_spelling(house: &House) {
    with_host(house);
    for host in [
        format!("{HOST}."),
        format!("{HOST}.:7676"),
        format!("{HOST}.."),
        format!("{HOST}...:7676"),
    ] {
        let ask = Ask::get("/robots.txt").with("host", &host);
        let got = house.ask(&ask);
        assert_eq!((got.status, got.inside), (404, false), "{host}: {got:?}");
    }
    let with_name = format!("a@{HOST}");
    let ask = || Ask::get("/robots.txt").with("host", &with_name);
    let got = house.ask(&ask());
    assert_eq!((got.status, got.inside), (400, false), "{got:?}");
    house.set("automatic", "often");
    assert!(!house.ask(&ask()).inside, "nor while settings are unsound");
}
