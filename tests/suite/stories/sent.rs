//! What the origin is sent, and what is answered before it.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use now_serving::config::Config;
use now_serving::http::{Answer, Call, Cookies, Forward, Way};
use now_serving::queue::{Lane, LaneName, Now};
use now_serving::request::Request;
use now_serving::service;
use virtual_edge::{Origin, Takes, Turn};

use crate::house::{Ask, Direct, House, Visitor, call, config, config_with};
use now_serving::cache::memory::InMemoryCache;

pub(crate) fn only_preflights_go_to_the_origin_by_options(house: &House) {
    house.warm();
    let calls = house.calls(|| {
        let preflight = house.ask(&Ask::preflight("/echo"));
        assert!(preflight.inside, "{preflight:?}");
        let asked = "access-control-request-method";
        for ask in [
            Ask::get("/echo").method("OPTIONS"),
            Ask::get("/echo")
                .method("OPTIONS")
                .with("origin", "https://a.example"),
            Ask::get("/echo").method("OPTIONS").with(asked, "PUT"),
            Ask::preflight("/echo")
                .with("content-length", "5")
                .body("text/plain", "hello"),
        ] {
            let got = house.ask(&ask);
            assert_eq!(
                (got.status, got.inside, got.body.as_str()),
                (204, false, ""),
                "{ask:?}"
            );
            assert!(got.header("allow").contains("PATCH, DELETE"), "{got:?}");
        }
    });
    assert_eq!(calls, 0);
}

pub(crate) fn what_programs_fetch_below_well_known_passes(house: &House) {
    let asks = [
        "/.well-known/apple-developer-merchantid-domain-association",
        "/.well-known/acme-challenge/a_token-Of.letters",
        "/.well-known/assetlinks.json",
        "/.well-known/",
    ];
    let passes = |path: &str| house.ask(&Ask::get(path)).inside;
    house.warm();
    for bypass in ["", "none", "/robots.txt"] {
        house.set("bypass_paths", bypass);
        let calls = house.calls(|| {
            for path in asks {
                let got = house.ask(&Ask::get(path));
                assert!(got.inside && got.ticket().is_none(), "{bypass} {path}");
                let posted = house.ask(&Ask::get(path).method("POST"));
                assert!(posted.inside, "{bypass} {path}");
            }
        });
        assert_eq!(calls, 0, "{bypass}");
    }
    for path in [
        "/.well-known",
        "/.well-knownx/a",
        "/a/.well-known/b",
        "/.Well-Known/a",
        "/.well-known/../checkout",
        "/.well-known/%2e%2e/checkout",
        "/.well-known/..;/checkout",
        "/.well-known//checkout",
        "/.well-known/a%2fb",
        "/.well-known/..%5ccheckout",
    ] {
        assert!(!passes(path), "{path}");
    }
    house.set("protected_paths", "/*");
    assert!(passes(asks[0]), "everything does not name it");
    house.set("protected_paths", "/.well-known/assetlinks.json");
    assert!(passes(asks[0]) && !passes(asks[2]));
    house.set("protected_paths", "/checkout, /.well-known/*");
    assert!(asks.into_iter().all(|path| !passes(path)));
}

pub(crate) fn a_room_that_names_a_path_below_well_known_has_it(house: &House) {
    let names = ["sale", "all"].map(|name| super::rooms::named(house, name));
    let rooms = serde_json::json!([
        { "name": names[0], "paths": "/.well-known/sale/*" },
        { "name": names[1], "hosts": "tickets.shop.example" },
    ]);
    house.set("rooms", &rooms.to_string());
    let passes = |path: &str| {
        [
            Ask::get(path),
            Ask::get(path).with("host", "tickets.shop.example"),
        ]
        .map(|ask| house.ask(&ask).inside)
    };
    assert_eq!(passes("/.well-known/assetlinks.json"), [true, true]);
    assert!(!passes("/.well-known/sale/1")[0]);
}

pub(crate) fn an_odd_path_stands_in_line(house: &House) {
    house.set("bypass_paths", "/robots.txt,/assets/*");
    assert!(house.ask(&Ask::get("/assets/logo.svg")).inside);
    for path in [
        "/assets/%252e%252e/checkout",
        "/assets/..;/checkout",
        "/assets/%2e%2e%2fcheckout",
        "/assets/..%5ccheckout",
        "/assets//checkout",
        "/assets/a%0d%0ab",
        "/robots.txt;x",
        "//robots.txt",
    ] {
        let mut visitor = Visitor::new(house);
        let got = visitor.send(Ask::get(path));
        assert!(!got.inside && got.status == 503, "{path}: {got:?}");
    }
}

pub(crate) fn only_what_is_protected_stands_in_line(house: &House) {
    house.set("protected_paths", "/tickets/*, *.php, POST /search");
    house.set("bypass_paths", "/tickets/help, GET /tickets/terms");
    house.warm();
    let calls = house.calls(|| {
        for (method, path) in [
            ("GET", "/"),
            ("HEAD", "/about"),
            ("POST", "/login"),
            ("DELETE", "/login"),
            ("OPTIONS", "/login"),
            ("GET", "/search?q=a.php"),
            ("POST", "/tickets/help"),
            ("GET", "/tickets/terms"),
            ("HEAD", "/tickets/terms"),
        ] {
            let got = house.ask(&Ask::get(path).method(method));
            assert!(got.inside, "{method} {path}: {got:?}");
            assert_eq!(got.ticket(), None, "{method} {path}");
        }
    });
    assert_eq!(calls, 0);
    for (method, path) in [
        ("GET", "/tickets"),
        ("GET", "/tickets/1"),
        ("GET", "/Tickets/1"),
        ("GET", "/%20tickets/1"),
        ("GET", "/t%C4%B0ckets/1"),
        ("GET", "/%E2%80%8Btickets/1"),
        ("POST", "/tickets/terms"),
        ("GET", "/index.php/login"),
        ("POST", "/search"),
        ("GET", "/about;x"),
    ] {
        let got = house.ask(&Ask::get(path).method(method));
        assert!(!got.inside && got.status != 204, "{method} {path}: {got:?}");
    }
    for path in ["/tickets/1", "/search"] {
        let got = house.ask(&Ask::get(path).method("OPTIONS"));
        assert_eq!((got.status, got.inside), (204, false), "{path}");
    }
    for (method, path) in [("TRACE", "/about"), ("PURGE", "/"), ("BREW", "/login")] {
        let got = house.ask(&Ask::get(path).method(method));
        assert_eq!((got.status, got.inside), (405, false), "{method} {path}");
        assert!(got.header("allow").contains("PATCH, DELETE"), "{got:?}");
    }
}

pub(crate) fn a_path_that_is_cached_stands_in_line_all_the_same(house: &House) {
    house.set("cache_paths", "/assets/*, *.css");
    let mut visitor = let_in(house);
    assert!(!house.ask(&Ask::get("/assets/a.png")).inside);
    let inside = visitor.ticket.clone();
    assert!(visitor.ask("/assets/a.png").inside);
    assert_eq!(visitor.ticket, inside, "its holder is known by it");
    house.set("bypass_paths", "/assets/logo.svg");
    assert!(house.ask(&Ask::get("/assets/logo.svg")).inside);
}

/// A visitor who was let in.
fn let_in(house: &House) -> Visitor<'_> {
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    house.permit(1);
    assert!(visitor.ask("/echo").inside);
    visitor
}

pub(crate) fn a_web_socket_is_answered_that_it_is_not_supported(house: &House) {
    let mut visitor = let_in(house);
    for path in ["/echo", "/robots.txt"] {
        for upgrade in ["websocket", "h2c, WebSocket"] {
            let ask = Ask::get(path).with("upgrade", upgrade);
            let got = visitor.send(ask.with("connection", "upgrade"));
            assert_eq!((got.status, got.inside), (501, false), "{path} {upgrade}");
            assert!(got.body.contains("not switched on here"), "{}", got.body);
        }
    }
    assert!(
        visitor
            .send(Ask::get("/echo").with("upgrade", "h2c"))
            .inside
    );
}

pub(crate) fn a_web_socket_of_a_visitor_inside_is_handed_over_where_a_setting_says_so(
    house: &House,
) {
    house.set("websockets", "on");
    let mut inside = let_in(house);
    let ask = |path: &str| {
        Ask::get(path)
            .with("upgrade", "websocket")
            .with("connection", "upgrade")
    };
    let sound = |path: &str| ask(path).with("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
    for path in ["/echo", "/robots.txt"] {
        assert!(inside.send(sound(path)).inside, "{path}");
        for bad in [ask(path), sound(path).method("POST")] {
            let got = inside.send(bad.clone());
            assert_eq!((got.status, got.inside), (400, false), "{bad:?}");
            assert!(got.body.contains("begins with GET"), "{}", got.body);
        }
    }
    house.warm();
    let calls = house.calls(|| {
        let mut stranger = Visitor::new(house);
        let got = stranger.send(sound("/echo"));
        let seen = (got.status, got.inside, got.body.as_str());
        assert_eq!(seen, (503, false, ""));
        assert_eq!(stranger.ticket, None);
        assert!(house.ask(&sound("/robots.txt")).inside);
    });
    assert_eq!(calls, 0);
    let mut called = Visitor::new(house);
    called.ask("/");
    house.permit(1);
    let got = called.send(sound("/echo"));
    assert!(got.inside, "{got:?}");
    assert_eq!(got.ticket(), None, "its answer takes no cookie");
    let page = called.ask("/echo");
    assert!(page.inside && page.ticket().is_some(), "{page:?}");
}

/// Requests that draw nothing.
fn of_no_visitor() -> [Ask; 4] {
    [
        Ask::get("/echo").method("HEAD"),
        Ask::get("/echo").with("sec-fetch-dest", "image"),
        Ask::get("/echo").with("accept", "text/event-stream"),
        Ask::get("/echo")
            .method("POST")
            .body("application/json", "{}"),
    ]
}

pub(crate) fn an_open_room_lets_in_what_is_no_visitor(house: &House) {
    house.warm();
    for ask in of_no_visitor() {
        // A visitor's request, or an operator's, sees to it that the data centre knows a fresh board.
        house.change("mode", r#"{"mode":"open"}"#);
        let calls = house.calls(|| {
            let got = house.ask(&ask);
            assert!(got.inside, "{ask:?}: {got:?}");
            assert_eq!(got.ticket().or(got.twin()), None, "{ask:?}");
        });
        assert_eq!(calls, 0, "{ask:?}");
    }
    house.change("mode", r#"{"mode":"hold"}"#);
    for ask in of_no_visitor() {
        assert!(!house.ask(&ask).inside, "{ask:?}");
    }
}

/// Also where no visitor has asked for a while.
pub(crate) fn an_open_room_is_open_where_no_visitor_asks(house: &House) {
    let elsewhere = Ask::get("/echo").with("sec-fetch-site", "cross-site");
    let asks: Vec<Ask> = of_no_visitor().into_iter().chain([elsewhere]).collect();
    house.warm();
    house.change("mode", r#"{"mode":"open"}"#);
    for seconds in [0, 1, 3, 30, 600] {
        for ask in &asks {
            house.wait(Duration::from_secs(seconds));
            let calls = house.calls(|| {
                let got = house.ask(ask);
                assert!(got.inside, "after {seconds} s: {ask:?}: {got:?}");
                assert_eq!(got.ticket().or(got.twin()), None, "{ask:?}");
            });
            assert!(calls <= 1, "after {seconds} s: {ask:?}: {calls}");
        }
    }
    // What operators did elsewhere is heard of, too.
    house.change("mode", r#"{"mode":"hold"}"#);
    house.wait(Duration::from_secs(30));
    for ask in &asks {
        assert!(!house.ask(ask).inside, "{ask:?}");
    }
}

pub(crate) fn a_link_of_another_page_stops_nobody_s_refresh(house: &House) {
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    let mut stop = |site: &str, mode: &str| {
        let ask = Ask::get("/_queue/updates?every=off&to=%2Fshop");
        let ask = ask
            .with("sec-fetch-site", site)
            .with("sec-fetch-mode", mode);
        let got = visitor.send(ask);
        assert_eq!((got.status, got.header("location")), (303, "/shop"));
        got.ticket().is_some()
    };
    for (site, mode) in [
        ("cross-site", "navigate"),
        ("same-site", "navigate"),
        ("none", "navigate"),
        ("same-origin", "no-cors"),
    ] {
        assert!(!stop(site, mode), "{site} {mode}");
    }
    assert!(stop("same-origin", "navigate"), "the page's own link");
}

pub(crate) fn a_phone_that_tries_the_local_server_keeps_its_place(house: &House) {
    let page = house.ask(&Ask::get("/").with("host", "192.168.1.7:7676"));
    let cookie = page.header("set-cookie");
    assert!(
        cookie.starts_with("queue=") && !cookie.contains("Secure"),
        "{cookie}"
    );
    let back = Ask::get("/")
        .with("host", "192.168.1.7:7676")
        .with("cookie", cookie.split(';').next().unwrap());
    let page = house.ask(&back);
    assert!(page.body.contains(r#"data-position="1""#), "{}", page.body);
}

mod native {
    use super::*;

    /// What goes to the origin of this request: by these settings, in this POP.
    fn forwarded(
        house: &House,
        (config, pop): (&Config, &InMemoryCache),
        ask: &Ask,
        now: Now,
    ) -> Forward {
        let call = call(ask, "a".repeat(32));
        let store = Direct(house.store.clone());
        let request = Request::new(&call, config, &store, pop, now);
        match service::handle(&request, &mut [].as_slice()).answer {
            Answer::Forward(forward) => forward,
            Answer::Reply(_) => panic!("{ask:?}"),
        }
    }

    /// The copy of a quiet data centre may be of half an hour ago.
    #[test]
    fn a_room_that_was_closed_elsewhere_lets_in_nothing() {
        for (mode, seconds) in [("hold", 30), ("closed", 1_800)] {
            let house = House::native();
            house.go_to_pop_called("north");
            house.warm();
            house.change("mode", r#"{"mode":"open"}"#);
            house.wait(Duration::from_secs(3));
            for ask in of_no_visitor() {
                assert!(house.ask(&ask).inside, "{ask:?}");
            }
            house.go_to_pop_called("south");
            house.change("mode", &format!(r#"{{"mode":"{mode}"}}"#));
            house.go_to_pop_called("north");
            house.wait(Duration::from_secs(seconds));
            let calls = house.calls(|| {
                for ask in of_no_visitor() {
                    assert!(!house.ask(&ask).inside, "{mode}: {ask:?}");
                }
            });
            assert_eq!(calls, 1, "for all of them");
        }
    }

    /// What a request of a visitor inside takes along to the origin.
    #[test]
    fn only_a_get_without_credentials_for_a_listed_path_may_be_cached() {
        let house = House::native();
        let now_ms = house.now_ms();
        let pop = InMemoryCache::new(Arc::new(AtomicU64::new(now_ms)));
        let mut visitor = let_in(&house);
        assert!(visitor.ask("/echo").inside);
        let cookie = format!("queue={}; shop=1", visitor.ticket.unwrap());
        let listed = ("cache_paths", "/assets/*, *.css");
        let config = config_with(&[listed, ("bypass_paths", "/assets/logo.svg")]);
        let sent = |ask: Ask| {
            let call = call(&ask.with("cookie", &cookie), "a".repeat(32));
            let store = Direct(house.store.clone());
            let body = &mut [].as_slice();
            match service::handle(
                &Request::new(&call, &config, &store, &pop, Now::from_ms(now_ms)),
                body,
            )
            .answer
            {
                Answer::Forward(forward) => forward,
                Answer::Reply(reply) => panic!("{call:?}: {reply:?}"),
            }
        };
        for ask in [
            Ask::get("/assets/a.png"),
            Ask::get("/a.css?v=1").method("HEAD"),
            Ask::get("/assets/a.png").with("content-length", "0"),
        ] {
            let forward = sent(ask.clone());
            assert_eq!(forward.way, Way::Cache, "{ask:?}");
            assert_eq!(forward.cookies, Cookies::None, "{ask:?}");
            assert_eq!(forward.position, None, "{ask:?}");
            assert!(forward.pass.is_some(), "an origin may ask for it: {ask:?}");
        }
        let bypass = sent(Ask::get("/assets/logo.svg"));
        assert_eq!((bypass.way, bypass.pass), (Way::Cache, None));
        for ask in [
            Ask::get("/account"),
            Ask::get("/assets/a.png").method("POST"),
            Ask::get("/assets/a.png").method("DELETE"),
            Ask::get("/assets/a.png").with("authorization", "Basic YTpi"),
            Ask::get("/assets/a.png").with("content-length", "1"),
            Ask::get("/assets/a.png").with("transfer-encoding", "chunked"),
            Ask::get("/assets/a.png;b"),
            Ask::get("/account/a%2fb.css"),
        ] {
            let forward = sent(ask.clone());
            assert_eq!(forward.way, Way::Pass, "{ask:?}");
            assert_ne!(forward.cookies, Cookies::None, "{ask:?}");
            assert!(forward.position.is_some(), "{ask:?}");
        }
    }

    /// Twenty visitors with one bad address, or one visitor with twenty, are one voice.
    #[test]
    fn of_visitors_inside_one_path_and_one_network_are_heard_once_a_minute() {
        let house = House::native();
        let inside: Vec<String> = (0..6).map(|_| let_in(&house).ticket.unwrap()).collect();
        let time = Arc::new(AtomicU64::new(house.now_ms()));
        let pop = InMemoryCache::new(Arc::clone(&time));
        let config = config_with(&[("origin_health", "on"), ("watch_documents", "1")]);
        let is_told_after = |ticket: usize, page: &str, network: u8, meanwhile: &dyn Fn()| {
            let now = Now::from_ms(time.load(std::sync::atomic::Ordering::Relaxed));
            let ask = Ask::get(page).with("accept", "text/html");
            let ask = ask.with("sec-fetch-mode", "navigate");
            let ask = ask.with("cookie", format!("queue={}", inside[ticket]));
            let call = call(&ask.from([192, 0, network, 1]), "a".repeat(32));
            let takes = Takes::Always(Duration::from_millis(1));
            let turn = Turn::new(&call, now, &config, &house.store, takes, &pop);
            let answer = || {
                meanwhile();
                (5, 200)
            };
            let turn = turn.before(Origin::Answers(&answer));
            let counted = turn.serve(&mut [].as_slice()).tally;
            counted.encode().contains("watched_inside_ok")
        };
        let is_told = |ticket, page, network| is_told_after(ticket, page, network, &|| ());
        assert!(is_told(0, "/report.pdf", 1));
        assert!(!is_told(1, "/report.pdf", 2), "the same path");
        assert!(!is_told(2, "/report.pdf?n=2", 3), "the same path");
        assert!(!is_told(3, "/other", 1), "the same network");
        assert!(is_told(3, "/other", 3), "which muted no path by that");
        assert!(is_told(4, "/more", 4));
        time.fetch_add(61_000, std::sync::atomic::Ordering::Relaxed);
        assert!(is_told(5, "/report.pdf", 2), "a minute later");
        // Nothing is noted before the answer: of two that are awaited the one that is there first counts, and no other.
        let sooner = || assert!(is_told(0, "/slow", 6), "noted before the answer");
        assert!(!is_told_after(1, "/slow", 7, &sooner), "counted twice");
    }

    /// A body comes as slowly as its sender likes, and the origin waits for it.
    #[test]
    fn what_brings_a_body_says_nothing_of_the_origin() {
        let house = House::native();
        let mut inside = let_in(&house);
        assert!(inside.ask("/echo").inside);
        let mut called = Visitor::new(&house);
        called.ask("/");
        house.permit(1);
        let now_ms = house.now_ms();
        let config = config_with(&[("origin_health", "on"), ("watch_documents", "1")]);
        let is_told = |ticket: &str, ask: Ask| {
            let pop = InMemoryCache::new(Arc::new(AtomicU64::new(now_ms)));
            let ask = ask.with("cookie", format!("queue={ticket}"));
            let forward = forwarded(&house, (&config, &pop), &ask, Now::from_ms(now_ms));
            forward.watch.is_some_and(|watch| watch.told.is_some())
        };
        let page = || {
            let ask = Ask::get("/shop").with("accept", "text/html");
            ask.with("sec-fetch-mode", "navigate")
        };
        for ticket in [inside.ticket.unwrap(), called.ticket.unwrap()] {
            assert!(is_told(&ticket, page()));
            assert!(is_told(&ticket, page().with("content-length", "0")));
            for (name, value) in [
                ("content-length", "1"),
                ("content-length", "01"),
                ("transfer-encoding", "chunked"),
                ("transfer-encoding", "identity"),
            ] {
                let ask = page().with(name, value);
                assert!(!is_told(&ticket, ask), "{name}: {value}");
            }
        }
    }

    /// The cache does not tell backends apart.
    #[test]
    fn what_goes_to_the_backend_of_a_region_is_kept_for_no_other_visitor() {
        let house = House::native();
        let regions = r#"[{"name":"here","pops":"HERE","backend":"near"}]"#;
        house.set("regions", regions);
        let now_ms = house.now_ms();
        let pop = InMemoryCache::new(Arc::new(AtomicU64::new(now_ms)));
        let mut visitor = let_in(&house);
        assert!(visitor.ask("/echo").inside);
        let cookie = format!("queue={}; shop=1", visitor.ticket.unwrap());
        let config = config_with(&[
            ("cache_paths", "/assets/*"),
            ("bypass_paths", "/assets/logo.svg"),
            ("regions", regions),
        ]);
        for (path, way, backend) in [
            ("/assets/a.png", Way::Pass, Some("near")),
            ("/account", Way::Pass, Some("near")),
            ("/assets/logo.svg", Way::Cache, None),
        ] {
            let forward = forwarded(
                &house,
                (&config, &pop),
                &Ask::get(path).with("cookie", &cookie),
                Now::from_ms(now_ms),
            );
            let found = (forward.way, forward.site.backend.as_deref());
            assert_eq!(found, (way, backend), "{path}");
        }
    }

    /// No document says that the cache tells hosts apart, and two of visitors may have one at the origin.
    #[test]
    fn what_is_asked_for_the_origins_own_host_is_kept_for_no_other_visitor() {
        let house = House::native();
        let now_ms = house.now_ms();
        let pop = InMemoryCache::new(Arc::new(AtomicU64::new(now_ms)));
        let rooms = r#"[{"name":"sale","paths":"/sale/*","origin_host":"sale.platform.example"},{"name":"own","paths":"/own/*","origin_host":null}]"#;
        let config = config_with(&[
            ("cache_paths", "/assets/*, /sale/assets/*, /own/assets/*"),
            ("bypass_paths", "/assets/*, /sale/assets/*, /own/assets/*"),
            ("origin_host", "shop.platform.example"),
            ("rooms", rooms),
        ]);
        for (ask, way, host) in [
            (
                Ask::get("/assets/a.png"),
                Way::Pass,
                Some("shop.platform.example"),
            ),
            (
                Ask::preflight("/assets/a.png"),
                Way::Pass,
                Some("shop.platform.example"),
            ),
            (
                Ask::preflight("/echo"),
                Way::Pass,
                Some("shop.platform.example"),
            ),
            (
                Ask::get("/sale/assets/a.png"),
                Way::Pass,
                Some("sale.platform.example"),
            ),
            (Ask::get("/own/assets/a.png"), Way::Cache, None),
        ] {
            let forward = forwarded(&house, (&config, &pop), &ask, Now::from_ms(now_ms));
            let found = (forward.way, forward.site.host.as_deref());
            assert_eq!(found, (way, host), "{ask:?}");
        }
    }

    /// The first room's backend is for whatever no other room takes, and a room without one of its own has it too.
    #[test]
    fn each_room_has_its_own_backend_and_a_region_of_it_another_one() {
        let house = House::native();
        let now_ms = house.now_ms();
        let pop = InMemoryCache::new(Arc::new(AtomicU64::new(now_ms)));
        let rooms = r#"[{"name":"sale","paths":"/sale/*","backend":"sale_origin"},{"name":"like","paths":"/like/*"},{"name":"usual","paths":"/usual/*","backend":"protected_content"},{"name":"none","paths":"/none/*","backend":null}]"#;
        let config = config_with(&[
            ("cache_paths", "/*"),
            ("bypass_paths", "/*"),
            ("backend", "shop_origin"),
            ("rooms", rooms),
        ]);
        for (path, way, backend) in [
            ("/assets/a.png", Way::Pass, Some("shop_origin")),
            ("/like/a.png", Way::Pass, Some("shop_origin")),
            ("/sale/a.png", Way::Pass, Some("sale_origin")),
            ("/usual/a.png", Way::Cache, None),
            ("/none/a.png", Way::Cache, None),
        ] {
            let forward = forwarded(
                &house,
                (&config, &pop),
                &Ask::get(path),
                Now::from_ms(now_ms),
            );
            let found = (forward.way, forward.site.backend.as_deref());
            assert_eq!(found, (way, backend), "{path}");
        }
        let west = r#"[{"name":"west","pops":"SJC","backend":"west_origin"},{"name":"east","pops":"LHR"}]"#;
        let config = config_with(&[("backend", "shop_origin"), ("regions", west)]);
        let of_lane = |name| {
            let lane = LaneName::read(name).map_or(Lane::Main, Lane::Named);
            config.rooms.first.site(lane).backend.clone()
        };
        for (lane, backend) in [
            ("west", "west_origin"),
            ("east", "shop_origin"),
            ("main", "shop_origin"),
        ] {
            assert_eq!(of_lane(lane).as_deref(), Some(backend), "{lane}");
        }
    }

    /// What an origin answers to http is often the way to https, which visitors by https must not get from the cache.
    #[test]
    fn only_what_came_by_https_may_be_cached() {
        let house = House::native();
        let now_ms = house.now_ms();
        let pop = InMemoryCache::new(Arc::new(AtomicU64::new(now_ms)));
        let listed = ("cache_paths", "/assets/*");
        let config = config_with(&[listed, ("bypass_paths", "/assets/*")]);
        let way = |https: bool, local: bool, ask: Ask| {
            let call = Call {
                https,
                local,
                ..call(&ask, "a".repeat(32))
            };
            let store = Direct(house.store.clone());
            let body = &mut [].as_slice();
            match service::handle(
                &Request::new(&call, &config, &store, &pop, Now::from_ms(now_ms)),
                body,
            )
            .answer
            {
                Answer::Forward(forward) => forward.way,
                Answer::Reply(reply) => panic!("{call:?}: {reply:?}"),
            }
        };
        let ask = || Ask::get("/assets/a.png");
        assert_eq!(way(true, false, ask()), Way::Cache);
        assert_eq!(way(false, true, ask()), Way::Cache, "there is no https");
        assert_eq!(way(false, false, ask()), Way::Pass);
        let secure = ask().with("sec-fetch-mode", "no-cors");
        assert_eq!(way(false, false, secure), Way::Pass, "two signs differ");
    }

    #[test]
    fn a_web_socket_that_brings_a_body_is_refused() {
        let house = House::native();
        house.set("websockets", "on");
        let mut inside = let_in(&house);
        for path in ["/echo", "/robots.txt"] {
            for (name, value, status) in [
                ("content-length", "0", 200),
                ("content-length", "1", 400),
                ("transfer-encoding", "chunked", 400),
            ] {
                let ask = Ask::get(path)
                    .with("upgrade", "websocket")
                    .with("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
                let got = inside.send(ask.with(name, value));
                assert_eq!(got.status, status, "{path}: {name}: {value}: {got:?}");
                assert!(status == 200 || got.body.contains("no body"), "{got:?}");
            }
        }
    }

    /// With a native house; what a client library does not send is in `platform`.
    #[test]
    fn the_server_as_a_whole_is_no_page() {
        let house = House::native();
        let got = house.ask(&Ask::get("*"));
        assert_eq!((got.status, got.inside), (400, false));
        assert!(
            got.body.contains("accepted is one that begins with /"),
            "{}",
            got.body
        );
        let got = house.ask(&Ask::get("*").method("OPTIONS"));
        assert_eq!((got.status, got.body.as_str()), (204, ""));
        assert!(got.header("allow").contains("OPTIONS"));
    }

    #[test]
    fn what_came_over_https_is_to_come_so_again() {
        let house = House::native();
        let now_ms = house.now_ms();
        let pop = InMemoryCache::new(Arc::new(AtomicU64::new(now_ms)));
        let security = |ask: Ask, https: bool| {
            let call = Call {
                https,
                ..call(&ask.with("host", "shop.example"), "a".repeat(32))
            };
            let store = Direct(house.store.clone());
            let body = &mut [].as_slice();
            let config = config();
            let outcome = service::handle(
                &Request::new(&call, &config, &store, &pop, Now::from_ms(now_ms)),
                body,
            );
            let Answer::Reply(reply) = outcome.answer else {
                panic!("nobody is let in here");
            };
            let headers = reply.headers.into_iter();
            let lines = headers
                .filter_map(|(name, value)| (name == "strict-transport-security").then_some(value));
            lines.collect::<Vec<String>>()
        };
        let once = ["max-age=86400"];
        for target in ["/", "/_queue", "/_queue/healthz", "/_queue/place", "*"] {
            assert_eq!(security(Ask::get(target), true), once, "{target}");
            assert!(security(Ask::get(target), false).is_empty(), "{target}");
        }
        let web_socket = Ask::get("/").with("upgrade", "websocket");
        assert_eq!(security(web_socket, true), once);
    }
}
