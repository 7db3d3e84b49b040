//! The page in the operator's brand: name, colours, logo, words and a page of their own.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::house::{Ask, Got, House, Visitor, problem_keys};

const LOGO: &str = "data:image/svg+xml,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22/%3E";

fn page(house: &House) -> Got {
    let got = Visitor::new(house).send(Ask::get("/"));
    assert_eq!(got.header("content-type"), "text/html; charset=utf-8");
    assert!(!got.inside);
    got
}

/// What the policy says to a directive.
fn sources<'a>(got: &'a Got, directive: &str) -> Vec<&'a str> {
    let policy = got.header("content-security-policy");
    let said = policy
        .split("; ")
        .find_map(|said| said.strip_prefix(directive));
    said.unwrap_or_default().split_whitespace().collect()
}

/// The digests of all elements of that name without attributes, as a browser computes them.
fn digests(got: &Got, name: &str) -> Vec<String> {
    let inside = |part: &str| {
        let text = part.split_once(&format!("</{name}>")).unwrap().0.to_owned();
        let digest = hmac_sha256::Hash::hash(text.as_bytes());
        format!("'sha256-{}'", STANDARD.encode(digest))
    };
    let begin = format!("<{name}>");
    got.body.split(&begin).skip(1).map(inside).collect()
}

fn refusals(log: &[Value]) -> Vec<&Value> {
    let refused = |line: &&Value| line["reason"] == "refused_template";
    log.iter().filter(refused).collect()
}

pub(crate) fn the_brand_is_on_the_page_and_the_message_in_the_data(house: &House) {
    assert_eq!(
        house.ask(&Ask::get("/").json()).json()["message"],
        json!(null)
    );
    for (key, value) in [
        ("brand_name", "<b>\"&"),
        ("brand_colors", "#0a0b0c #f0f1f2"),
        ("brand_logo", LOGO),
        ("heading", "Tickets <soon>"),
        ("message", "Doors open at 8 & not before."),
    ] {
        house.set(key, value);
    }
    let got = page(house);
    for shown in [
        "· &lt;b&gt;&quot;&amp;</title>",
        ">&lt;b&gt;&quot;&amp;</p>",
        ":#0a0b0c",
        ":#f0f1f2",
        "fill='%230a0b0c'",
        &format!("<img src=\"{}\"", LOGO.replace('=', "&#x3D;")),
        ">Tickets &lt;soon&gt;</h1>",
        "Doors open at 8 &amp; not before.",
        // In a language of its own, which the page does not know.
        "id=message dir=auto lang data-from",
    ] {
        assert!(got.body.contains(shown), "{shown}: {}", got.body);
    }
    assert!(!got.body.contains("<b>"), "{}", got.body);
    assert_eq!(sources(&got, "img-src "), ["data:"]);
    // The other one is of a countdown, which is not here.
    let [of_the_page] = &digests(&got, "style")[..] else {
        panic!("{}", got.body);
    };
    let allowed = sources(&got, "style-src ");
    assert!(
        allowed.contains(&of_the_page.as_str()) && allowed.len() == 2,
        "{allowed:?}"
    );
    let data = house.ask(&Ask::get("/").json()).json();
    assert_eq!(data["message"], "Doors open at 8 & not before.");
}

pub(crate) fn without_a_brand_the_page_has_the_house_s_own_colours_and_no_gaps(house: &House) {
    let got = page(house);
    for shown in [":#c8371b", ":#ff9a73", ">You’re in line</h1>"] {
        assert!(got.body.contains(shown), "{shown}: {}", got.body);
    }
    for absent in ["<img", "{{"] {
        assert!(!got.body.contains(absent), "{absent}: {}", got.body);
    }
}

pub(crate) fn a_wrong_brand_closes_nothing_is_logged_and_named_by_the_health_route(house: &House) {
    house.set("brand_colors", "scarlet");
    let got = page(house);
    assert!(got.body.contains("#c8371b"), "the default: {}", got.body);
    let log = house.log_where(|line| line["reason"] == "ignored_setting");
    let line = log.first().unwrap();
    assert_eq!(problem_keys(line), ["brand_colors"]);
    assert_eq!(line["problems"][0]["value"], "scarlet");
    assert_eq!(house.ask(&Ask::get("/_queue").operator()).status, 200);
    house.set("template", "{{nothing}}");
    let health = house.ask(&Ask::get("/_queue/healthz"));
    assert_eq!(health.status, 200, "{health:?}");
    let told: Vec<&str> = health.body.lines().collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[1].starts_with("ignored: brand_colors: none, a colour such as #c8371b"));
    assert_eq!(told[2], "ignored: template: refused at line 1");
    assert!(
        !health.body.contains("scarlet"),
        "the value is for the log: {told:?}"
    );
    house.set("brand_colors", "#0a0b0c");
    house.set("template", "none");
    assert_eq!(house.ask(&Ask::get("/_queue/healthz")).body, "ok\n");
}

pub(crate) fn an_own_page_serves_with_a_digest_for_each_of_its_blocks(house: &House) {
    let own = "<style>p { color: {{brand.light}} }</style><style>b {}</style>\n<script>let name = 1</script>\n\
        <p lang=\"{{lang}}\" dir={{dir}}>{{text.number}}: {{number}}, {{#unless message}}{{ahead}} ahead{{/unless}}";
    house.set("brand_colors", "#0a0b0c");
    house.set("template", &own.replace('\n', "\r\n"));
    let got = page(house);
    let shown = "<p lang=\"en\" dir=ltr>Your number: 1, 0 ahead";
    assert!(got.body.ends_with(shown), "{}", got.body);
    assert!(
        got.body.contains("<style>p { color: #0a0b0c }"),
        "{}",
        got.body
    );
    for (directive, name, many) in [("style-src ", "style", 2), ("script-src ", "script", 1)] {
        let digests = digests(&got, name);
        assert_eq!(
            (sources(&got, directive), digests.len()),
            (digests.iter().map(String::as_str).collect(), many)
        );
    }
    assert_eq!(refusals(&house.log()), Vec::<&Value>::new());
}

pub(crate) fn the_page_in_the_docs_is_a_page(house: &House) {
    let told = include_str!("../../../docs/how-to/write-your-own-page.md");
    let own = told.split_once("```html\n").unwrap().1;
    house.set("brand_name", "Shop");
    house.set("template", own.split_once("```").unwrap().0);
    let got = page(house);
    for shown in ["Shop", "Your number", "You’re next.", "</html>"] {
        assert!(got.body.contains(shown), "{shown}: {}", got.body);
    }
    assert!(!got.body.contains("id=progress"), "not the built-in page");
    assert_eq!(sources(&got, "style-src "), digests(&got, "style"));
    assert_eq!(refusals(&house.log()), Vec::<&Value>::new());
}

pub(crate) fn a_page_written_for_the_version_before_shows_what_it_showed(house: &House) {
    house.set("brand_name", "Shop");
    house.set("message", "Doors open at eight.");
    house.set("template", include_str!("page_before.html"));
    Visitor::new(house).ask("/");
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    let got = visitor.send(Ask::get("/"));
    for shown in [
        "<title>1 · You’re in line · Shop</title>",
        "data-place=\"/_queue/place\" data-position=\"2\" data-refresh=\"5\" data-paused=\"false\"",
        "<p class=\"number\">2</p>",
        "<p id=\"line\">There is 1 person ahead of you.</p>",
        "<dd id=\"serving\">0</dd>",
        "<dd id=\"wait\">unknown at the moment</dd>",
        "max=\"100\" value=\"0\"",
        "id=\"message\">Doors open at eight.</p>",
        "id=\"updated\">Checks again in 5 seconds.</p>",
        "data-other=\"Resume updates\">Pause updates</a>",
    ] {
        assert!(got.body.contains(shown), "{shown}: {}", got.body);
    }
    assert_eq!(refusals(&house.log()), Vec::<&Value>::new());
}

pub(crate) fn a_page_may_be_as_long_as_a_setting(house: &House) {
    let own = format!("<p>{{{{line}}}}</p>{}", "é".repeat(7_985));
    assert_eq!(own.chars().count(), 8_000);
    house.set("template", &own);
    let got = page(house);
    assert_eq!(got.body, own.replace("{{line}}", "You’re next."));
}

pub(crate) fn a_page_may_be_nested_as_deep_as_is_said(house: &House) {
    let blocks = format!("{}deep{}", "{{#if lang}}".repeat(31), "{{/if}}".repeat(31));
    let brackets = format!("{}message{}", "(not ".repeat(31), ")".repeat(31));
    let own = format!("{{{{#if {brackets}}}}}a{{{{else}}}}{blocks}{{{{/if}}}}");
    house.set("template", &own);
    assert_eq!(page(house).body, "a");
    let own = own.replace("message", "lang");
    house.set("template", &own);
    assert_eq!(page(house).body, "deep");
    house.set(
        "template",
        &own.replace("(not ", "(not (not ").replace(')', "))"),
    );
    assert!(page(house).body.contains("id=progress"));
}

pub(crate) fn a_broken_page_is_logged_and_the_built_in_one_serves(house: &House) {
    let built_in = page(house);
    for (broken, line, detail) in [
        ("a\n\n{{title", 3, "invalid handlebars syntax"),
        ("a\n{{shout title}}", 2, "Helper not found shout"),
        ("{{#if wait}}\n{{/each}}", 2, "helper \"if\" was opened"),
        (
            "a\n<style>\np { color: {{title}} }</style>",
            3,
            "<style> has no digest",
        ),
        ("{{text.hading}}", 1, "there is no text.hading"),
    ] {
        house.set("template", broken);
        let got = page(house);
        assert_eq!(
            (got.status, got.header("content-security-policy")),
            (built_in.status, built_in.header("content-security-policy"))
        );
        assert!(got.body.contains("id=progress"), "{}", got.body);
        // The local server writes a line after it has answered, so one of the page before may come late.
        let is_of_it = |line: &Value| {
            let found = line["detail"].as_str().unwrap_or_default();
            line["reason"] == "refused_template" && found.starts_with(detail)
        };
        let log = house.log_where(is_of_it);
        assert!(!log.is_empty(), "{detail}: {:?}", house.log());
        for told in &log {
            let mut keys: Vec<&String> = told.as_object().unwrap().keys().collect();
            keys.sort();
            assert_eq!(
                keys,
                [
                    "detail",
                    "line",
                    "reason",
                    "room",
                    "schema",
                    "template",
                    "timestamp"
                ]
            );
            assert_eq!(
                (&told["template"], &told["line"]),
                (&json!("setting"), &json!(line))
            );
            let found = told["detail"].as_str().unwrap();
            assert!(found.chars().count() <= 200, "{found}");
        }
    }
}
