//! What people and programs write by hand, and what their editors put into it unseen.

use serde_json::{Value, json};

use crate::house::{Ask, House, Visitor};

const MARK: &str = "\u{feff}";

/// What is wrong with the settings, as the log says it.
fn problems(house: &House) -> Value {
    let health = house.ask(&Ask::get("/_queue/healthz"));
    if health.status == 200 && !health.body.contains("ignored: ") {
        return json!([]);
    }
    let logged = house.log().len();
    house.ask(&Ask::get("/"));
    let log = house.log_of(logged + 1);
    log.last().unwrap()["problems"].clone()
}

fn is_sound(house: &House) {
    assert_eq!(problems(house), json!([]));
}

/// RFC 8259, 8.1.
pub(crate) fn a_byte_order_mark_is_ignored(house: &House) {
    let event = format!(r#"{MARK} [{{"id":"sale","opens":"2030-01-31T10:00:00+01:00"}}]"#);
    let signals = format!(r#"{MARK}{{"bot":"observe"}}"#);
    let document = json!({"more": ["settings_2"], "event": event, "signals": signals});
    house.set("settings", &format!("{MARK}{document}"));
    house.set("settings_2", &format!("{MARK}{{\"permit_max\":3}}"));
    house.set("refresh_interval", &format!("{MARK}7"));
    is_sound(house);
    house.set("settings", MARK);
    assert_eq!(problems(house)[0]["key"], "settings", "none is there");
    house.set("settings", "{}");
    Visitor::new(house).ask("/");
    let body = format!(r#"{MARK}{{"amt":1}}"#);
    let got = house.ask(&Ask::json_to("permit", &body));
    assert_eq!((got.status, &got.json()["released"]), (200, &json!(1)));
    let twice = format!(r#"{MARK}{MARK}{{"amt":1}}"#);
    let got = house.ask(&Ask::json_to("permit", &twice));
    assert_eq!(got.status, 400);
    assert!(got.body.contains("U+FEFF"), "{}", got.body);
}

pub(crate) fn a_letter_that_is_not_seen_is_named(house: &House) {
    for (document, named) in [
        ("\u{a0}{}", "U+00A0"),
        ("{\u{200b}\"room\":\"a\"}", "U+200B"),
        ("{\"automatic\":15,\n\u{3000}\"room\":\"a\"}", "U+3000"),
        ("{\u{0}\"\u{0}", "U+0000"),
    ] {
        house.set("settings", document);
        let told = problems(house);
        let accepted = told[0]["accepted"].as_str().unwrap_or_default();
        assert!(accepted.contains(named), "{named}: {told}");
    }
    house.set("settings", "{}");
    house.set("automatic", "1\u{2060}5");
    let told = problems(house);
    assert_eq!(told[0]["value"], "1<U+2060>5", "{told}");
    house.set("automatic", "15");
    let got = house.ask(&Ask::json_to("permit", "{\u{a0}\"amt\":1}"));
    assert_eq!(got.status, 400);
    assert!(got.body.contains("line 1, column 2"), "{}", got.body);
    assert!(got.body.contains("U+00A0"), "{}", got.body);
}

const UEBER: [&str; 3] = ["/über/*", "/%C3%BCber/*", "/%c3%bcber/*"];

/// RFC 3986, 2.5; RFC 3987, 3.1.
pub(crate) fn a_path_beyond_ascii_is_listed_in_either_form(house: &House) {
    let goes = |path: &str| house.ask(&Ask::get(path)).inside;
    for listed in UEBER {
        house.set("bypass_paths", &format!("{listed}, /a%20b, /購入"));
        is_sound(house);
        for path in [
            "/%C3%BCber/1",
            "/%c3%Bcber/1",
            "/a%20b",
            "/%E8%B3%BC%E5%85%A5",
        ] {
            assert!(goes(path), "{listed}: {path}");
        }
        for path in [
            "/uber/1",
            "/%FCber/1",
            "/%C3%9Cber/1",
            "/a%2520b",
            "/a%20b/",
        ] {
            assert!(!goes(path), "{listed}: {path}");
        }
    }
}

/// As with ASCII, no spelling of it escapes: neither capitals nor letters that are composed of several.
pub(crate) fn a_protected_path_beyond_ascii_is_compared_widely(house: &House) {
    let goes = |path: &str| house.ask(&Ask::get(path)).inside;
    for listed in UEBER {
        house.set(
            "protected_paths",
            &format!("{listed}, /購入, /straße, /ΟΔΟΣ"),
        );
        for path in [
            "/%C3%BCber",
            "/%C3%9CBER/1",
            "/u%CC%88ber/1",
            "/%FCber/1",
            "/%E8%B3%BC%E5%85%A5.html",
            "/STRASSE",
            "/stra%C3%9Fe/1",
            "/%CE%BF%CE%B4%CE%BF%CF%82",
        ] {
            assert!(!goes(path), "{listed}: {path}");
        }
        for path in [
            "/uber/1",
            "/%C3%B6ber",
            "/%E5%95%86%E5%93%81",
            "/strase",
            "/cafe%CC%81",
        ] {
            assert!(goes(path), "{listed}: {path}");
        }
    }
}

pub(crate) fn a_room_has_paths_beyond_ascii(house: &House) {
    house.set("rooms", r#"[{"name":"soldes","paths":["/été/*"]}]"#);
    let room = |path: &str| house.ask(&Ask::get(path).json()).json()["room"].clone();
    for path in [
        "/%C3%A9t%C3%A9/1",
        "/%C3%89T%C3%89",
        "/index.php/%C3%A9t%C3%A9/1",
    ] {
        assert_eq!(room(path), "soldes", "{path}");
    }
    assert_eq!(room("/ete/1"), house.room());
}

pub(crate) fn what_is_no_path_says_which_letters_are_accepted(house: &House) {
    for (listed, shown) in [
        ("/a%2fb", "/a%2fb"),
        ("/a%", "/a%"),
        ("/%FCber", "/%FCber"),
        ("/a%E2%80%8Bb", "/a%E2%80%8Bb"),
        ("/a\u{200b}b", "/a<U+200B>b"),
        ("/u\u{308}ber", "/u\u{308}ber"),
        ("/a%20/b", "/a%20/b"),
    ] {
        house.set("protected_paths", listed);
        let told = problems(house);
        assert_eq!(told[0]["key"], "protected_paths", "{listed}");
        assert_eq!(told[0]["value"], shown, "{told}");
    }
}

/// Front controllers serve it as the path behind their name, or as that path beside it.
pub(crate) fn a_path_behind_a_script_is_protected_as_itself(house: &House) {
    let goes = |path: &str| house.ask(&Ask::get(path)).inside;
    house.set("protected_paths", "/checkout, /shop/pay/*");
    for path in [
        "/index.php/checkout",
        "/INDEX.PHP/Checkout/",
        "/index.php//checkout",
        "/app_dev.php/checkout/step-1",
        "/shop/index.php/checkout",
        "/shop/index.php/pay/1",
        "/index.php5/checkout",
        "/a.php/b.php/checkout",
        "/cgi-bin/shop.cgi/checkout",
        "/default.aspx/checkout",
        "/index.ph%70/checkout",
    ] {
        assert!(!goes(path), "{path}");
    }
    for path in [
        "/index.php",
        "/index.php/about",
        "/index.html/checkout",
        "/php/checkout",
        "/index.php/checkouts",
        "/v1.2/checkout",
    ] {
        assert!(goes(path), "{path}");
    }
    // More scripts behind one another than any site has: what such a path names is not known.
    for many in [10, 1_990] {
        assert!(!goes(&"/.pl".repeat(many)), "{many}");
        assert!(!goes(&format!("{}/%C2%AD", "/.pl".repeat(many))), "{many}");
    }
    house.set("protected_paths", "/");
    for path in ["/index.php", "/index.html", "/default.aspx"] {
        assert!(!goes(path), "{path} is the first page");
    }
    assert!(goes("/about.php"));
    house.set("protected_paths", "/*");
    house.set("bypass_paths", "/assets/*");
    assert!(!goes("/index.php/assets/a.css"), "a bypass is exact");
}

/// Everybody may ask, so a name is told only where it can be none of a secret.
pub(crate) fn the_health_names_a_setting_that_there_is_none_of(house: &House) {
    for (document, told) in [
        (
            r#"{"heding":"a"}"#,
            r#"settings: "heding" is not the name of a setting; did you mean heading?"#,
        ),
        (
            r#"{"colour_of_the_page":"a"}"#,
            r#"settings: "colour_of_the_page" is not the name of a setting; there is none"#,
        ),
        (
            r#"{"automatik":15}"#,
            r#"settings: \"automatik\" is not the name of a setting; did you mean automatic?"#,
        ),
        (
            r#"{"0123456789abcdef":15}"#,
            "settings: the name of a setting; there is none",
        ),
        (
            r#"{"hush hush":15}"#,
            "settings: the name of a setting; there is none",
        ),
    ] {
        house.set("settings", document);
        let got = house.ask(&Ask::get("/_queue/healthz"));
        assert!(got.body.contains(told), "{document}: {}", got.body);
    }
}

/// `-` is no actor in the journal.
pub(crate) fn no_token_and_no_operator_has_a_name_without_letters(house: &House) {
    let is_accepted = |key: &str, value: &str| {
        house.set(key, value);
        let got = house.ask(&Ask::get("/_queue/healthz"));
        assert!(got.status == 200 || got.body.contains(key), "{got:?}");
        got.status == 200
    };
    for name in ["-", "--", "_", "-_-"] {
        let token = format!("{name}:development-only-a-token");
        assert!(!is_accepted("permit_token", &token), "{name}");
        let password = json!({ name: "development-only-a-password" }).to_string();
        assert!(!is_accepted("admin_password", &password), "{name}");
        house.set("admin_password", "development-only-a-password");
    }
    assert!(is_accepted("permit_token", "-a:development-only-a-token"));
}
