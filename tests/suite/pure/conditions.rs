//! Conditions, in `bypass_when` and in the `when` of rooms: which request meets which, which room is closer, and what is no condition.

use now_serving::config::{Belongs, Config, PastBy, Problem};
use now_serving::http::{Call, HEADERS};
use serde_json::{Value, json};

use super::rooms::{Deployed, loaded, room_of};

/// A request to a shop over https: its target, the country of its sender, and its headers by names in lower case.
fn call(target: &str, country: Option<&str>, headers: &[(&str, &[u8])]) -> Call {
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path, Some(query.to_owned())),
        None => (target, None),
    };
    let mut call = Call {
        method: "GET".to_owned(),
        path: path.to_owned(),
        query,
        host: "shop.example".to_owned(),
        https: true,
        country: country.map(str::to_owned),
        ..Call::default()
    };
    for (name, value) in headers {
        match HEADERS.into_iter().find(|known| known == name) {
            Some(known) => call.headers.push((known, value.to_vec())),
            None => call.named.push(((*name).to_owned(), value.to_vec())),
        }
    }
    call
}

/// The condition of this list that lets a request past the room.
fn met(bypass_when: &Value, call: &Call) -> Option<usize> {
    let config = loaded(&json!({ "bypass_when": bypass_when }).to_string());
    match config.place_of(call).belongs {
        Belongs::PastRoom(PastBy::BypassWhen(at)) => Some(at),
        Belongs::PastRoom(by) => panic!("{by}"),
        Belongs::InRoom | Belongs::Unclear => None,
    }
}

fn is_met(condition: Value, call: &Call) -> bool {
    met(&Value::Array(vec![condition]), call).is_some()
}

#[test]
fn a_header_is_there_or_has_one_of_the_values_letter_by_letter() {
    let with = |headers: &[(&str, &[u8])]| call("/", None, headers);
    for (header, lines, holds) in [
        (json!(["X-App"]), vec![&b"ios"[..]], true),
        (json!(["x-app"]), vec![b""], true),
        (json!(["X-App"]), vec![b"\xff\x00"], true),
        (json!(["X-App"]), vec![], false),
        (json!(["X-App", "ios", "android"]), vec![b"android"], true),
        (json!(["X-App", "ios"]), vec![b" ios\t"], true),
        (json!(["X-App", "ios"]), vec![b"web", b"ios"], true),
        (json!(["X-App", "ios"]), vec![b"iOS"], false),
        (json!(["X-App", "ios"]), vec![b"ios, web"], false),
        (json!(["X-App", "ios"]), vec![b"ios2"], false),
        (json!(["X-App", "ios"]), vec![b""], false),
        (json!(["X-App", "ios"]), vec![b"ios\xff"], false),
        (json!(["X-App", "ü"]), vec!["ü".as_bytes()], true),
    ] {
        let headers: Vec<(&str, &[u8])> = lines.iter().map(|line| ("x-app", *line)).collect();
        let told = json!({ "header": header });
        assert_eq!(
            is_met(told.clone(), &with(&headers)),
            holds,
            "{told} {lines:?}"
        );
    }
    // One that the service reads itself.
    let referer = json!({ "header": ["Referer", "https://a.example/"] });
    assert!(is_met(
        referer,
        &with(&[("referer", b"https://a.example/")])
    ));
}

#[test]
fn a_cookie_is_there_by_its_whole_name_whatever_its_value_is() {
    for (header, holds) in [
        (&b"beta=1"[..], true),
        (b"a=1; beta=; b=2", true),
        (b"a=1;beta=\xff", true),
        (b" beta = \"x\" ;", true),
        (b"beta", false),
        (b"Beta=1", false),
        (b"xbeta=1", false),
        (b"beta2=1", false),
        (b"a=beta=1", false),
        (b"a=\"; beta=1", true),
        (b";;=\xfe;", false),
        (b"", false),
    ] {
        let told = json!({ "cookie": "beta" });
        let found = is_met(told, &call("/", None, &[("cookie", header)]));
        assert_eq!(found, holds, "{}", String::from_utf8_lossy(header));
    }
    let lines: [(&str, &[u8]); 2] = [("cookie", b"a=1"), ("cookie", b"beta=1")];
    assert!(is_met(
        json!({ "cookie": "beta" }),
        &call("/", None, &lines)
    ));
}

#[test]
fn a_parameter_of_the_query_is_there_by_its_decoded_name() {
    for (name, target, holds) in [
        ("preview", "/?preview", true),
        ("preview", "/?a=1&preview=", true),
        ("preview", "/a?preview=1&preview=2", true),
        ("preview", "/?%70review=1", true),
        ("a b", "/?a+b=1", true),
        ("a b", "/?a%20b", true),
        ("ü", "/?%C3%BC=1", true),
        ("preview", "/", false),
        ("preview", "/preview", false),
        ("preview", "/?", false),
        ("preview", "/?Preview=1", false),
        ("preview", "/?a=preview", false),
        ("preview", "/?previews=1", false),
        ("preview", "/?preview%00=1", false),
        ("preview", "/?%zz&%ff=%", false),
    ] {
        let told = json!({ "query": name });
        assert_eq!(
            is_met(told, &call(target, None, &[])),
            holds,
            "{name} {target}"
        );
    }
}

#[test]
fn an_agent_begins_so_letter_by_letter_and_a_country_is_known() {
    let agent = |line: &'static [u8]| call("/", None, &[("user-agent", line)]);
    for (line, holds) in [
        (&b"ShopApp/3.1 (iOS)"[..], true),
        (b"ShopApp/", true),
        (b"shopapp/3", false),
        (b"Mozilla/5.0 ShopApp/3", false),
        (b"ShopApp", false),
        (b"", false),
    ] {
        assert_eq!(is_met(json!({ "agent": "ShopApp/" }), &agent(line)), holds);
    }
    assert!(!is_met(
        json!({ "agent": "ShopApp/" }),
        &call("/", None, &[])
    ));
    for (country, holds) in [
        (Some("DE"), true),
        (Some("at"), true),
        (Some("FR"), false),
        (None, false),
    ] {
        let told = json!({ "country": ["DE", "AT"] });
        assert_eq!(is_met(told, &call("/", country, &[])), holds, "{country:?}");
    }
}

#[test]
fn of_one_object_all_has_to_hold_and_of_a_list_one_object() {
    let list = json!([
        { "header": ["X-App"], "cookie": "beta", "query": "a", "agent": "A/", "country": ["DE"] },
        { "cookie": "partner" },
    ]);
    let all: [(&str, &[u8]); 3] = [
        ("x-app", b"1"),
        ("cookie", b"beta=1"),
        ("user-agent", b"A/1"),
    ];
    assert_eq!(met(&list, &call("/?a", Some("DE"), &all)), Some(0));
    for without in 0..3 {
        let mut some = all.to_vec();
        some.remove(without);
        assert_eq!(
            met(&list, &call("/?a", Some("DE"), &some)),
            None,
            "{without}"
        );
    }
    assert_eq!(met(&list, &call("/", Some("DE"), &all)), None);
    assert_eq!(met(&list, &call("/?a", None, &all)), None);
    let partner: [(&str, &[u8]); 1] = [("cookie", b"partner=1")];
    assert_eq!(met(&list, &call("/", None, &partner)), Some(1));
    assert_eq!(met(&json!([]), &call("/?a", Some("DE"), &all)), None);
}

#[test]
fn only_what_a_condition_names_is_asked_for() {
    let config = loaded(r#"{"bypass_when":[{"header":["X-App"]},{"header":["Referer"]}]}"#);
    let asks = |name| config.rooms.ask_for_header(name);
    assert_eq!(
        [asks("x-app"), asks("referer"), asks("dnt")],
        [true, false, false]
    );
    assert!(!config.rooms.ask_for_country());
    let rooms =
        json!({ "rooms": [{ "name": "a", "when": [{ "header": ["DNT"], "country": "DE" }] }] });
    let config = loaded(&rooms.to_string());
    assert!(config.rooms.ask_for_header("dnt") && config.rooms.ask_for_country());
    let config = loaded("{}");
    assert!(!config.rooms.ask_for_header("dnt") && !config.rooms.ask_for_country());
}

#[test]
fn a_condition_lets_past_every_room_but_not_past_the_operators_routes() {
    let document = json!({
        "bypass_when": [{ "header": ["X-App"] }],
        "bypass_paths": "/robots.txt",
        "protected_paths": "/tickets/*",
        "rooms": [{ "name": "sale", "paths": "/sale/*" }, { "name": "vip", "paths": "/sale/vip/*" }],
    });
    let config = loaded(&document.to_string());
    let app: [(&str, &[u8]); 1] = [("x-app", b"1")];
    let belongs = |target: &str, headers: &[(&str, &[u8])]| {
        config.place_of(&call(target, None, headers)).belongs
    };
    for (target, without, with) in [
        ("/tickets/1", Belongs::InRoom, PastBy::BypassWhen(0)),
        ("/sale/1", Belongs::InRoom, PastBy::BypassWhen(0)),
        ("/sale//vip/1", Belongs::Unclear, PastBy::BypassWhen(0)),
        ("/tickets/..%2fa", Belongs::InRoom, PastBy::BypassWhen(0)),
        (
            "/about",
            Belongs::PastRoom(PastBy::NotProtected),
            PastBy::BypassWhen(0),
        ),
        (
            "/.well-known/a",
            Belongs::PastRoom(PastBy::WellKnown),
            PastBy::BypassWhen(0),
        ),
        (
            "/robots.txt",
            Belongs::PastRoom(PastBy::BypassPaths),
            PastBy::BypassPaths,
        ),
    ] {
        assert_eq!(belongs(target, &[]), without, "{target}");
        assert_eq!(belongs(target, &app), Belongs::PastRoom(with), "{target}");
    }
    for target in ["/_queue", "/_queue/place", "/_queue/room/sale/permit"] {
        assert_eq!(belongs(target, &app), Belongs::InRoom, "{target}");
    }
}

#[test]
fn a_room_with_a_condition_is_closer_than_the_same_area_without() {
    let document = json!({ "rooms": [
        { "name": "sale", "paths": "/sale/*" },
        { "name": "austria", "paths": "/sale/*", "countries": "AT" },
        { "name": "app", "paths": "/sale/*", "when": [{ "header": ["X-App"] }, { "agent": "ShopApp/" }] },
        { "name": "member", "when": [{ "cookie": "member" }] },
        { "name": "vip", "paths": "/sale/vip/*" },
        { "name": "host", "hosts": "shop.example", "paths": "/host/*" },
    ] });
    let config = loaded(&document.to_string());
    assert_eq!(config.closed, []);
    let app: (&str, &[u8]) = ("x-app", b"1");
    let member: (&str, &[u8]) = ("cookie", b"member=1");
    for (target, country, headers, room) in [
        ("/sale/1", None, vec![], "sale"),
        ("/sale/1", None, vec![app], "app"),
        (
            "/sale/1",
            None,
            vec![("user-agent", &b"ShopApp/1"[..])],
            "app",
        ),
        ("/sale/1", Some("AT"), vec![], "austria"),
        ("/sale/1", Some("AT"), vec![app], "app"),
        ("/sale/1", None, vec![app, member], "app"),
        ("/sale/vip/1", None, vec![app, member], "vip"),
        ("/host/1", None, vec![member], "host"),
        ("/other", None, vec![member], "member"),
        ("/a%2fb", None, vec![member], "member"),
        ("/other", None, vec![app], "main"),
        ("/sale//vip/1", None, vec![app], "refused"),
    ] {
        let found = room_of(&config, &call(target, country, &headers));
        assert_eq!(found, room, "{target} {country:?} {headers:?}");
    }
}

/// The rooms that no visitor can open.
fn closed(document: &Value) -> Vec<Option<String>> {
    let closed = loaded(&document.to_string()).closed.into_iter();
    closed.map(|problem| problem.room).collect()
}

#[test]
fn a_room_is_unreached_only_where_another_setting_takes_all_that_meets_its_conditions() {
    let reached = |bypass_when: Value, when: Value| {
        let rooms = json!([{ "name": "a", "paths": "/a/*", "when": when }]);
        closed(&json!({ "bypass_when": bypass_when, "rooms": rooms })).is_empty()
    };
    let nothing = || json!([]);
    for when in [
        json!([{ "header": ["X-App", "ios"] }]),
        json!([{ "header": ["Referer"] }]),
        json!([{ "cookie": "beta", "query": "a&b=ü %", "agent": "A/", "country": "DE", "header": ["X-App"] }]),
    ] {
        assert!(reached(nothing(), when.clone()), "{when}");
        assert!(!reached(when.clone(), when.clone()), "{when}");
    }
    let app = || json!([{ "header": ["X-App"] }]);
    let ios = || json!([{ "header": ["X-App", "ios"] }]);
    assert!(reached(ios(), app()) && !reached(app(), ios()));
    assert!(reached(
        ios(),
        json!([{ "header": ["X-App", "ios", "web"] }])
    ));
    assert!(reached(
        app(),
        json!([{ "header": ["X-App"] }, { "cookie": "b" }])
    ));
    assert!(reached(
        json!([{ "country": "DE" }]),
        json!([{ "country": ["DE", "AT"] }])
    ));
    // No visitor is in two countries.
    let apart = json!([{ "name": "a", "countries": "AT", "when": [{ "country": "DE" }] }]);
    assert_eq!(closed(&json!({ "rooms": apart })), [Some("a".to_owned())]);
    // The first of the two takes all that the second asks for.
    let twins = json!([{ "name": "a", "paths": "/a", "when": app() }, { "name": "b", "paths": "/a", "when": ios() }]);
    assert_eq!(closed(&json!({ "rooms": twins })), [Some("b".to_owned())]);
}

fn problems(document: &Value) -> Vec<Problem> {
    let unsound = Config::load(Deployed(document.to_string())).err();
    unsound.unwrap_or_else(|| panic!("{document}")).problems
}

#[test]
fn what_is_no_condition_is_named_with_what_is_accepted() {
    let long = "a".repeat(65);
    let value = "v".repeat(129);
    let many: Vec<Value> = (0..17)
        .map(|at| json!({ "query": at.to_string() }))
        .collect();
    let values: Vec<String> = (0..18).map(|at| format!("x{at}")).collect();
    let list = "a list of 1 to 16 objects";
    let header = "header: a list of its name";
    let refused = "not authorization";
    let cookie = "cookie: the name of a cookie of your site";
    for (told, words) in [
        (json!("x"), list),
        (json!({ "cookie": "a" }), list),
        (json!(["cookie"]), list),
        (json!(many), list),
        (json!([{}]), "one or more of header"),
        (json!([{ "cookies": "a" }]), "did you mean cookie?"),
        (json!([{ "User-Agent": "a" }]), "did you mean agent?"),
        (json!([{ "countries": "DE" }]), "did you mean country?"),
        (
            json!([{ "of_a_later_version": 1 }]),
            "one or more of header",
        ),
        (
            json!([{ "cookie": "a" }, { "cookie": "a" }]),
            "differ from each other",
        ),
        (json!([{ "header": "X-App" }]), header),
        (json!([{ "header": [] }]), header),
        (json!([{ "header": ["X App"] }]), header),
        (json!([{ "header": [long] }]), header),
        (json!([{ "header": ["X-App", ""] }]), header),
        (json!([{ "header": ["X-App", " a"] }]), header),
        (json!([{ "header": ["X-App", "a\n"] }]), header),
        (json!([{ "header": ["X-App", value] }]), header),
        (json!([{ "header": ["X-App", "a", "a"] }]), header),
        (json!([{ "header": ["X-App", 1] }]), header),
        (json!([{ "header": values }]), header),
        (json!([{ "header": ["Authorization"] }]), refused),
        (json!([{ "header": ["Cookie", "a=1"] }]), refused),
        (json!([{ "header": ["Connection"] }]), refused),
        (json!([{ "header": ["proxy-authorization"] }]), refused),
        (json!([{ "header": ["Queue-Allow"] }]), refused),
        (json!([{ "cookie": "__Host-queue" }]), cookie),
        (json!([{ "cookie": "queue" }]), cookie),
        (json!([{ "cookie": "queue-sale" }]), cookie),
        (json!([{ "cookie": "__Secure-queue-post" }]), cookie),
        (json!([{ "cookie": "a=b" }]), cookie),
        (json!([{ "cookie": ["a"] }]), cookie),
        (json!([{ "query": "" }]), "query: the name of a parameter"),
        (json!([{ "query": long }]), "query: the name of a parameter"),
        (
            json!([{ "agent": " A" }]),
            "agent: what User-Agent begins with",
        ),
        (
            json!([{ "agent": value }]),
            "agent: what User-Agent begins with",
        ),
        (json!([{ "country": "de" }]), "country: two capital letters"),
        (json!([{ "country": [] }]), "country: two capital letters"),
        (
            json!([{ "country": ["DE", "DE"] }]),
            "country: two capital letters",
        ),
    ] {
        let found = problems(&json!({ "bypass_when": told }));
        assert_eq!(found.len(), 1, "{told}: {found:?}");
        assert_eq!((found[0].key, &found[0].room), ("bypass_when", &None));
        assert!(found[0].accepted.contains(words), "{told}: {found:?}");
        let room = json!([{ "name": "a", "paths": "/a", "when": told }]);
        let found = problems(&json!({ "rooms": room }));
        assert_eq!(
            (found.len(), found[0].key),
            (1, "rooms"),
            "{told}: {found:?}"
        );
        assert_eq!(found[0].room.as_deref(), Some("a"));
        assert!(found[0].accepted.contains(words), "{told}: {found:?}");
    }
    // A name twice, and the value of a header, which may be meant for nobody else.
    let twice = r#"{"bypass_when":"[{\"cookie\":\"a\",\"cookie\":\"b\"}]"}"#;
    let unsound = Config::load(Deployed(twice.to_owned())).err().unwrap();
    assert_eq!(unsound.problems[0].value.as_deref(), Some("cookie"));
    let found = problems(&json!({ "bypass_when": [{ "header": ["X-Key", "hush hush", ""] }] }));
    assert_eq!(found[0].value.as_deref(), Some("X-Key"));
    assert!(found[0].accepted.starts_with("in bypass_when[0] header"));
}

#[test]
fn conditions_of_a_room_are_not_empty_and_are_part_of_its_area() {
    let of_room = |room: Value| problems(&json!({ "rooms": [room] }));
    let found = of_room(json!({ "name": "a", "paths": "/a", "when": [] }));
    assert!(found[0].accepted.contains("when: a list"), "{found:?}");
    for misspelt in ["wen", "if", "condition", "cookie"] {
        let mut room = json!({ "name": "a", "paths": "/a" });
        room[misspelt] = json!([{ "cookie": "a" }]);
        let found = of_room(room);
        assert!(
            found[0].accepted.ends_with("did you mean when?"),
            "{found:?}"
        );
    }
    let when = json!([{ "cookie": "a" }]);
    let same = json!([{ "name": "a", "paths": "/a", "when": when }, { "name": "b", "paths": "/a", "when": when }]);
    let found = problems(&json!({ "rooms": same }));
    assert!(
        found[0].accepted.contains("or when that differ"),
        "{found:?}"
    );
    for absent in [Value::Null, json!("")] {
        loaded(&json!({ "rooms": [{ "name": "a", "paths": "/a", "when": absent }] }).to_string());
    }
}

#[test]
fn a_wrong_condition_lets_no_request_past_and_a_sound_one_beside_it_still_does() {
    let app: [(&str, &[u8]); 1] = [("x-app", b"1")];
    let past = |document: Value, headers: &[(&str, &[u8])]| {
        let unsound = Config::load(Deployed(document.to_string())).err().unwrap();
        unsound.past_by(&call("/a", None, headers)).is_some()
    };
    let sound = json!([{ "header": ["X-App"] }]);
    let half = json!([{ "header": ["X-App"], "country": "de" }]);
    let both = json!([{ "cookie": "queue" }, { "header": ["X-App"] }]);
    assert!(!past(json!({ "bypass_when": half }), &app));
    assert!(past(json!({ "bypass_when": both }), &app));
    assert!(!past(
        json!({ "bypass_when": both }),
        &[("cookie", b"queue=1")]
    ));
    assert!(!past(json!({ "bypas_when": sound }), &app));
    // Where it is not known which room a request is for, what goes past all of them still does.
    for wrong in [
        json!({ "name": "a b", "paths": "/a" }),
        json!({ "name": "a", "paths": "/a", "when": half }),
    ] {
        let document = json!({ "bypass_when": sound, "rooms": [wrong] });
        assert!(
            past(document.clone(), &app) && !past(document, &[]),
            "{wrong}"
        );
    }
    let unsound = json!({ "on_store_error": "oops", "rooms": [{ "name": "a", "paths": "/a", "when": half }] });
    let unsound = Config::load(Deployed(unsound.to_string())).err().unwrap();
    assert!(
        unsound.place_of(&call("/a", None, &app)).is_none(),
        "it may be of either room"
    );
}

#[test]
fn it_is_said_of_each_condition_that_any_client_can_send_it_but_of_a_country() {
    let told = |bypass_when: Value| {
        let config = loaded(&json!({ "bypass_when": bypass_when }).to_string());
        let open = config.rooms.open_conditions();
        let told = open
            .iter()
            .map(|problem| (problem.value.clone().unwrap(), problem.for_all()));
        told.collect::<Vec<_>>()
    };
    let found = told(json!([
        { "country": ["DE"] },
        { "header": ["X-Key", "hush"], "cookie": "beta" },
        { "agent": "ShopApp/", "query": "app", "country": ["DE"] },
    ]));
    assert_eq!(
        found,
        [
            (
                "header x-key, cookie beta".to_owned(),
                "bypass_when: any client can send what bypass_when[1] asks for, and goes past every room then".to_owned()
            ),
            (
                "query app, agent ShopApp/".to_owned(),
                "bypass_when: any client in one of its countries can send what bypass_when[2] asks for, and goes past every room then".to_owned()
            ),
        ]
    );
    assert_eq!(told(json!([{ "country": ["DE"] }])), []);
}
