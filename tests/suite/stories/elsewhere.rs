//! Requests that pages of other origins make browsers send, and requests of programs that are no visitors.

use crate::house::{Ask, Got, House, Visitor};

/// As a browser sends it from a page of another site, or of another origin of the same one.
fn sent_from(site: &str, mode: &str, dest: &str) -> Ask {
    Ask::get("/echo")
        .with("sec-fetch-site", site)
        .with("sec-fetch-mode", mode)
        .with("sec-fetch-dest", dest)
}

/// A form that fills the tab with its answer, as a bank posts it after a payment.
fn form() -> Ask {
    sent_from("cross-site", "navigate", "document")
        .method("POST")
        .with("origin", "https://bank.example")
        .body("application/x-www-form-urlencoded", "paid=1")
}

/// The same of a browser that does not say what it fetches for.
fn form_of_old_browser() -> Ask {
    Ask::get("/echo")
        .method("POST")
        .with("origin", "https://bank.example")
        .body("application/x-www-form-urlencoded", "paid=1")
}

fn length(house: &House) -> u64 {
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    status["length"].as_u64().unwrap()
}

/// This many in line, and the data centre knows of it.
fn line_of(house: &House, many: usize) {
    house.warm();
    for _ in 0..many {
        Visitor::new(house).ask("/");
    }
}

pub(crate) fn while_others_wait_a_number_is_drawn_by_the_second_contact(house: &House) {
    line_of(house, 2);
    let mut visitor = Visitor::new(house);
    let calls = house.calls(|| {
        let data = visitor.send_once(Ask::get("/").json());
        let told = data.json();
        assert_eq!((data.status, data.header("retry-after")), (503, "1"));
        assert_eq!(
            (
                &told["waiting"],
                &told["position"],
                &told["refresh_seconds"]
            ),
            (&true.into(), &serde_json::Value::Null, &1.into())
        );
        assert!(visitor.ticket.is_some());
    });
    assert_eq!((calls, length(house)), (0, 2));
    assert_eq!(
        visitor.send_once(Ask::get("/").json()).json()["position"],
        3
    );
    assert_eq!(visitor.ask("/").json()["position"], 3);
    let mut browser = Visitor::new(house);
    let away = browser.send_once(Ask::get("/shop?a=1"));
    let way = "/_queue/cookies?try=1&to=%2Fshop%3Fa%3D1";
    assert_eq!((away.status, away.header("location")), (303, way));
    let back = browser.send_once(Ask::get(way));
    assert_eq!((back.status, back.header("location")), (303, "/shop?a=1"));
    assert_eq!(length(house), 3, "not before it is back");
    let page = browser.send_once(Ask::get("/shop?a=1"));
    assert!(page.body.contains(r#"data-position="4""#), "{}", page.body);
    assert_eq!(length(house), 4);
}

pub(crate) fn who_keeps_no_cookies_draws_nothing_while_others_wait(house: &House) {
    line_of(house, 1);
    let calls = house.calls(|| {
        for _ in 0..20 {
            house.ask(&Ask::get("/").json());
            let away = house.ask(&Ask::get("/"));
            let trying = house.ask(&Ask::get(away.header("location")));
            let (_, second) = trying.header("refresh").split_once("; url=").unwrap();
            let told = house.ask(&Ask::get(second));
            assert_eq!((told.status, told.header("refresh")), (503, ""));
            assert!(
                told.body.contains("Cookies are turned off"),
                "{}",
                told.body
            );
        }
    });
    assert!(calls <= 1, "no more than a look at the sign: {calls}");
    assert_eq!(length(house), 1);
}

pub(crate) fn where_nobody_waits_the_first_contact_draws(house: &House) {
    house.warm();
    let mut first = Visitor::new(house);
    assert_eq!(first.send_once(Ask::get("/").json()).json()["position"], 1);
    let next = || Visitor::new(house).send_once(Ask::get("/").json());
    assert!(
        next().is_provisional(),
        "the data centre has learned of the line"
    );
    house.permit(1);
    assert_eq!(next().json()["position"], 2, "and that it has ended");
    assert!(next().is_provisional());
    house.change("mode", r#"{"mode":"open"}"#);
    assert!(next().inside, "an open room lets everybody in");
}

/// A monitor that sends a recorded cookie keeps none of ours.
pub(crate) fn a_cookie_that_is_no_ticket_draws_nothing_until_a_ticket_comes_back(house: &House) {
    line_of(house, 1);
    let dead = || {
        Ask::get("/")
            .json()
            .with("cookie", "queue=of.another.secret")
    };
    for _ in 0..20 {
        assert!(house.ask(&dead()).is_provisional());
    }
    assert_eq!(length(house), 1);
    let mut browser = Visitor::new(house);
    browser.ticket = Some("of.another.secret".to_owned());
    assert_eq!(
        browser.ask("/").json()["position"],
        2,
        "a browser keeps ours"
    );
}

pub(crate) fn a_way_back_may_be_any_address_of_this_site(house: &House) {
    line_of(house, 1);
    for target in ["/a%20b?c=%22d", "/?a=\\&b=/x//y", "/a;b/c", "/%E4%BD%A0"] {
        let mut visitor = Visitor::new(house);
        let page = visitor.send(Ask::get(target));
        assert!(page.body.contains("data-position="), "{target}: {page:?}");
    }
    let long = format!("/?{}", "a".repeat(4_000));
    let page = Visitor::new(house).send_once(Ask::get(&long));
    assert_eq!((page.status, page.header("refresh")), (503, "1"));
    assert!(page.is_provisional());
}

/// What tabs ask for, in Firefox, Chromium and Safari, and what Turbo asks for in their place.
const PAGES: [&str; 4] = [
    "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7",
    "text/html, application/xhtml+xml",
    "text/html, */*; q=0.01",
];

/// As a service worker sends on what a tab asks for, and as a script asks for a page.
fn sent_on(mode: &str, accept: &str) -> Ask {
    sent_from("same-origin", mode, "empty").with("accept", accept)
}

pub(crate) fn what_a_service_worker_sends_on_for_a_tab_is_a_page_given_in_place(house: &House) {
    line_of(house, 1);
    for (number, accept) in PAGES.iter().enumerate() {
        let mode = ["same-origin", "cors"][number % 2];
        let mut visitor = Visitor::new(house);
        let first = visitor.send_once(sent_on(mode, accept));
        assert!(first.is_provisional(), "{accept}: {first:?}");
        // A redirected answer fails a navigation.
        assert_eq!((first.status, first.header("refresh")), (503, "1"));
        let page = visitor.send_once(sent_on(mode, accept));
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
        let place = format!(r#"data-position="{}""#, number + 2);
        assert!(page.body.contains(&place), "{accept}: {}", page.body);
        assert_eq!(page.header("refresh"), page.header("retry-after"));
    }
}

/// Where nobody waits the first page comes with a number, and goes no other way than to itself either.
pub(crate) fn a_page_given_in_place_leads_to_no_other_address(house: &House) {
    house.warm();
    let mut visitor = Visitor::new(house);
    let page = visitor.send_once(sent_on("same-origin", PAGES[0]));
    assert!(page.body.contains(r#"data-position="1""#), "{}", page.body);
    assert_eq!(page.header("refresh"), page.header("retry-after"));
    let in_a_tab = Ask::get("/").with("accept", PAGES[0]);
    let in_a_tab = in_a_tab.with("sec-fetch-mode", "navigate");
    let led = Visitor::new(house).send_once(in_a_tab);
    assert_eq!(led.status, 303, "a tab can be led: {led:?}");
}

pub(crate) fn a_script_that_names_no_page_gets_data(house: &House) {
    for accept in [
        "*/*",
        "application/json, text/plain, */*",
        "application/json",
    ] {
        let mut visitor = Visitor::new(house);
        let data = visitor.send(sent_on("cors", accept));
        assert_eq!(data.json()["waiting"], true, "{accept}");
        let by_script = Ask::get("/").with("accept", accept);
        let data = visitor.send(by_script.with("x-requested-with", "XMLHttpRequest"));
        assert_eq!(data.json()["waiting"], true, "{accept}");
    }
    let by_script = ("x-requested-with", "XMLHttpRequest");
    let page = Ask::get("/").with("accept", "text/html, */*; q=0.01");
    let page = Visitor::new(house).send(page.with(by_script.0, by_script.1));
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
}

pub(crate) fn a_tab_that_shows_data_goes_on_by_itself(house: &House) {
    line_of(house, 1);
    let mut visitor = Visitor::new(house);
    let first = visitor.send_once(Ask::get("/").json());
    assert_eq!(first.header("refresh"), "1");
    let data = visitor.send_once(Ask::get("/").json());
    assert_eq!(data.header("refresh"), data.header("retry-after"));
    house.change("mode", r#"{"mode":"closed"}"#);
    let closed = house.ask(&Ask::get("/").json());
    assert_eq!(closed.header("refresh"), closed.header("retry-after"));
    visitor.send_once(Ask::get("/_queue/updates?every=off&to=%2F"));
    let still = visitor.send_once(Ask::get("/").json());
    assert_eq!(still.header("refresh"), "", "its visitor stopped that");
}

fn assert_nothing_drawn(house: &House, asks: Vec<Ask>) {
    house.warm();
    let calls = house.calls(|| {
        for ask in asks {
            let got = house.ask(&ask);
            assert!(!got.inside && got.status == 503, "{ask:?}: {got:?}");
            assert_eq!(got.all("set-cookie"), Vec::<&str>::new(), "{ask:?}");
        }
    });
    assert_eq!((calls, length(house)), (0, 0));
}

pub(crate) fn what_pages_of_other_origins_send_draws_nothing_and_gets_no_cookie(house: &House) {
    let asks = ["cross-site", "same-site"].into_iter().flat_map(|site| {
        let origin = |ask: Ask| ask.with("origin", "https://evil.example");
        [
            sent_from(site, "no-cors", "empty"),
            origin(sent_from(site, "cors", "empty")).json(),
            origin(sent_from(site, "cors", "empty").method("POST")),
            sent_from(site, "navigate", "iframe"),
            sent_from(site, "navigate", "frame"),
            sent_from(site, "no-cors", "embed"),
            sent_from(site, "no-cors", "object"),
            sent_from(site, "no-cors", "image"),
            sent_from(site, "no-cors", "script"),
            origin(sent_from(site, "navigate", "document").method("POST")),
            sent_from(site, "navigate", "document").with("sec-purpose", "prefetch"),
            sent_from(site, "navigate", "document").method("HEAD"),
        ]
    });
    let of_old_browsers = [
        Ask::get("/").with("origin", "https://evil.example"),
        Ask::get("/").with("origin", "null").json(),
        form_of_old_browser(),
    ];
    assert_nothing_drawn(house, asks.chain(of_old_browsers).collect());
    let link = house.ask(&sent_from("cross-site", "navigate", "document"));
    assert!(link.ticket().is_some(), "a link draws: {link:?}");
    assert_eq!(length(house), 1);
}

/// The headers by which browsers and script libraries mark what they ask for before anybody clicks.
const GUESSES: [(&str, &str); 19] = [
    ("sec-purpose", "prefetch"),
    ("sec-purpose", "prefetch;prerender"),
    ("sec-purpose", "prefetch;anonymous-client-ip"),
    ("purpose", "prefetch"),
    ("purpose", "preview"),
    ("x-moz", "prefetch"),
    ("x-purpose", "preview"),
    ("x-purpose", "Preview"),
    ("x-purpose", "prefetch"),
    // Turbo.
    ("x-sec-purpose", "prefetch"),
    ("x-sec-purpose", "prefetch;prerender"),
    // The two routers of Next.js.
    ("next-router-prefetch", "1"),
    ("next-router-prefetch", "2"),
    ("next-router-prefetch", "3"),
    ("next-router-segment-prefetch", "/_tree"),
    ("x-middleware-prefetch", "1"),
    // Inertia.
    ("purpose", "Prefetch"),
    // The preload extension of htmx.
    ("hx-preloaded", "true"),
    ("hx-preloaded", "1"),
];

pub(crate) fn what_a_library_asks_for_before_a_click_draws_nothing(house: &House) {
    let asks = GUESSES.into_iter().flat_map(|(name, value)| {
        let page = sent_on("cors", PAGES[2]).with(name, value);
        let data = sent_on("cors", "*/*").with("x-requested-with", "XMLHttpRequest");
        let silent = Ask::get("/echo");
        [page, data.with(name, value), silent.with(name, value)]
    });
    assert_nothing_drawn(house, asks.collect());
    let mut visitor = Visitor::new(house);
    let clicked = visitor.send(sent_on("cors", PAGES[2]).with("x-purpose", "visit"));
    assert!(clicked.body.contains(r#"data-position="1""#), "{clicked:?}");
    house.permit(1);
    let guess = sent_on("cors", PAGES[2]).with("x-sec-purpose", "prefetch");
    assert!(!house.ask(&guess).inside, "of a visitor without a ticket");
    assert!(visitor.send(Ask::get("/echo")).inside);
    assert!(visitor.send(guess).inside, "of a visitor inside");
}

pub(crate) fn what_cannot_show_the_answer_draws_nothing(house: &House) {
    let asks = ["image/avif,image/webp", "text/css", "text/event-stream"]
        .map(|accept| Ask::get("/").with("accept", accept));
    assert_nothing_drawn(house, asks.into());
}

pub(crate) fn what_is_sent_without_a_ticket_by_an_unsafe_method_draws_nothing(house: &House) {
    let asks = ["POST", "PUT", "PATCH", "DELETE"]
        .into_iter()
        .flat_map(|method| {
            let ask = || Ask::get("/hook").method(method);
            let data = ask().body("application/json", "{}");
            [ask(), ask().json(), data.json()]
        });
    assert_nothing_drawn(house, asks.collect());
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    let post = Ask::get("/hook").method("POST").json();
    let told = visitor.send(post).json();
    assert_eq!(
        (&told["position"], &told["sent"]),
        (&1.into(), &false.into())
    );
}

pub(crate) fn a_frame_of_a_listed_page_draws_and_no_other(house: &House) {
    house.set("frame_ancestors", "https://tickets.example");
    let framed_by = |page: &str| {
        let ask = sent_from("cross-site", "navigate", "iframe");
        let ask = ask.with("referer", page).with("host", "shop.example");
        house.ask(&ask)
    };
    assert!(framed_by("https://evil.example/").ticket().is_none());
    assert!(framed_by("https://tickets.example/drop").ticket().is_some());
    assert_eq!(length(house), 1);
}

/// A frame without credentials, and a worker without, of a page whose visitor is inside.
pub(crate) fn what_a_page_asks_for_without_credentials_draws_nothing(house: &House) {
    let frames = ["iframe", "frame", "embed", "object", "fencedframe"];
    let frames = frames.map(|dest| sent_from("same-origin", "navigate", dest));
    let old = Ask::get("/echo").with("sec-fetch-dest", "iframe");
    let workers = ["worker", "sharedworker", "serviceworker", "script"];
    let workers = workers.map(|dest| sent_from("same-origin", "cors", dest));
    let worklets = ["audioworklet", "paintworklet", "json"];
    let worklets = worklets.map(|dest| sent_from("same-origin", "cors", dest));
    let asks = frames.into_iter().chain(workers).chain(worklets);
    assert_nothing_drawn(house, asks.chain([old]).collect());
    let (mut visitor, _) = let_in(house);
    let frame = sent_from("same-origin", "navigate", "iframe");
    assert!(visitor.send(frame.clone()).inside, "with its ticket");
    assert!(!house.ask(&frame).inside);
    assert_eq!(length(house), 1);
}

pub(crate) fn a_frame_of_this_site_draws_where_the_site_is_listed(house: &House) {
    let framed_by = |page: &str| {
        let ask = sent_from("same-origin", "navigate", "iframe");
        let ask = ask.with("referer", page).with("host", "shop.example");
        house.ask(&ask).ticket().is_some()
    };
    house.set("frame_ancestors", "https://tickets.example");
    assert!(!framed_by("https://shop.example/"));
    house.set("frame_ancestors", "https://shop.example");
    assert!(framed_by("https://shop.example/"));
    house.set("frame_ancestors", "self");
    assert!(framed_by("https://shop.example/"));
}

pub(crate) fn a_browser_inside_an_app_gets_a_page(house: &House) {
    for name in ["com.example.android", "com.facebook.katana"] {
        let mut visitor = Visitor::new(house);
        let got = visitor.send(Ask::get("/").with("x-requested-with", name));
        assert_eq!(got.header("content-type"), "text/html; charset=utf-8");
    }
    let by_script = ("x-requested-with", "XMLHttpRequest");
    let mut visitor = Visitor::new(house);
    let navigation = Ask::get("/").with(by_script.0, by_script.1).json();
    let got = visitor.send(navigation.with("sec-fetch-mode", "navigate"));
    assert_eq!(got.header("content-type"), "text/html; charset=utf-8");
}

pub(crate) fn an_unknown_method_goes_nowhere(house: &House) {
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    house.permit(1);
    assert!(visitor.ask("/echo").inside);
    for method in ["TRACE", "PURGE", "PROPFIND", "BREW"] {
        for path in ["/echo", "/robots.txt"] {
            let got = visitor.send(Ask::get(path).method(method));
            assert_eq!((got.status, got.inside), (405, false), "{method} {path}");
            assert!(got.header("allow").contains("DELETE"), "{got:?}");
        }
    }
}

/// What a browser does that kept these cookies and shows this page.
fn goes_on_by_get(page: &Got) -> Ask {
    let (_, url) = page.header("refresh").split_once("; url=").unwrap();
    Ask::get(url)
        .with("sec-fetch-site", "same-origin")
        .with("sec-fetch-mode", "navigate")
        .with("sec-fetch-dest", "document")
}

pub(crate) fn a_form_of_another_site_takes_no_place_away(house: &House) {
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    for form in [form(), form_of_old_browser()] {
        let page = house.ask(&form);
        assert_eq!((page.status, page.inside), (503, false));
        assert_eq!(page.all("set-cookie"), Vec::<&str>::new());
        assert!(page.body.contains("was not delivered"), "{}", page.body);
        assert!(page.body.contains(r#"href="/echo""#), "{}", page.body);
        let back = visitor.send(goes_on_by_get(&page));
        assert!(back.body.contains(r#"data-position="1""#), "{}", back.body);
    }
    assert_eq!(length(house), 1);
}

/// The cookies of a visitor who was just let in.
fn let_in(house: &House) -> (Visitor<'_>, String) {
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    house.permit(1);
    let got = visitor.ask("/echo");
    assert!(got.inside);
    let twin = got.twin().unwrap();
    (visitor, twin)
}

fn with_twin(ask: Ask, twin: &str) -> Ask {
    ask.with("cookie", format!("theme=dark; queue-post={twin}"))
}

pub(crate) fn a_form_of_another_site_reaches_the_origin_for_a_visitor_inside(house: &House) {
    let (visitor, twin) = let_in(house);
    assert_eq!(visitor.ticket.as_ref(), Some(&twin));
    for form in [form(), form_of_old_browser()] {
        let got = house.ask(&with_twin(form, &twin));
        assert!(got.inside, "{got:?}");
        let ours = got.ticket().or(got.twin());
        assert_eq!(
            ours, None,
            "nothing is set by what could not carry the ticket"
        );
    }
    house.set("cross_site_posts", "off");
    let got = house.ask(&with_twin(form(), &twin));
    assert!(!got.inside && got.body.contains("was not delivered"));
}

pub(crate) fn without_posts_of_other_sites_there_is_no_twin(house: &House) {
    house.set("cross_site_posts", "off");
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    house.permit(1);
    let got = visitor.ask("/echo");
    assert!(got.inside);
    assert_eq!(got.twin().as_deref(), Some(""), "one of before has ended");
}

pub(crate) fn a_twin_opens_nothing_but_to_a_form(house: &House) {
    let (visitor, twin) = let_in(house);
    let script = || sent_from("cross-site", "cors", "empty").with("origin", "https://bank.example");
    let image = sent_from("same-origin", "no-cors", "image");
    let head = Ask::get("/echo").method("HEAD");
    let post_by_script = script().method("POST").body("application/json", "{}");
    for ask in [script(), image, head, post_by_script] {
        let got = house.ask(&with_twin(ask.clone(), &twin));
        assert!(!got.inside, "{ask:?}");
    }
    let ended = format!("queue=ended; queue-post={twin}");
    let got = house.ask(&form().with("cookie", ended));
    assert!(
        !got.inside,
        "a ticket that came along is the one that counts"
    );
    assert_eq!(length(house), 1);
    drop(visitor);
}

pub(crate) fn who_is_back_in_the_line_does_not_pass_by_an_old_twin(house: &House) {
    let (mut visitor, twin) = let_in(house);
    house.change("epoch", &house.word());
    // Another sandbox may have the board of before, for a second.
    house.forget_the_sign();
    let got = visitor.ask("/echo");
    assert!(!got.inside);
    assert_eq!(
        got.twin().as_deref(),
        Some(""),
        "it ends with the admission"
    );
    let drawn = length(house);
    let got = house.ask(&with_twin(form(), &twin));
    assert!(!got.inside, "where it is kept all the same");
    assert_eq!(got.all("set-cookie"), Vec::<&str>::new());
    assert_eq!(length(house), drawn);
}
