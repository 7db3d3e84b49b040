//! What the origin is sent, and what is answered before it.

use crate::house::{Ask, House, Visitor};

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
