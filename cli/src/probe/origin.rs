//! What the origin receives with a request, by a path of it that answers with the headers it was sent.

use serde_json::Value;

use super::draws::Visitor;
use super::{Ask, Finding, Probe, unasked};

pub(super) const CHECK: &str = "what the origin receives";

/// Sent along, and not to be believed.
const FORGED_ADDRESS: &str = "203.0.113.7";
const FORGED_HOST: &str = "forged.example";
/// A cookie of the site's own, which has to arrive.
const COOKIE: &str = "now-serving-probe=kept";

pub(super) fn check(probe: &Probe<'_>, visitors: &[Visitor]) -> Finding {
    let Some(path) = &probe.options.echo else {
        return Finding::unseen(
            CHECK,
            "no path was named that answers with the headers it was sent.",
        )
        .mend("name one with --echo, such as a page of your own for this.");
    };
    let ticket = visitors.iter().find(|visitor| visitor.is_inside);
    // Of no use to the room, and still not for the origin.
    let ticket = ticket.map_or("__Host-queue=forged", |visitor| &visitor.cookie);
    let ask = Ask::quiet(path)
        .with("cookie", format!("{ticket}; {COOKIE}"))
        .with("x-forwarded-for", FORGED_ADDRESS)
        .with("fastly-client-ip", FORGED_ADDRESS)
        .with("x-forwarded-host", FORGED_HOST)
        .with("queue-position", "4711");
    let answer = match probe.ask(&ask) {
        Ok(answer) => answer,
        Err(error) => return unasked(CHECK, &error),
    };
    if answer.is_of_the_room() {
        return Finding::unseen(CHECK, format!("{path} stands in line here."))
            .mend("add --draw, or name a path that skips the room.");
    }
    let told = headers(&answer.body);
    if told.is_empty() {
        return Finding::unseen(CHECK, format!("{path} answers {} without any header in it.", answer.status))
            .means("understood are JSON with names and values, and lines such as `Host: www.shop.example`.");
    }
    let target = &probe.client.target;
    judge(
        &told,
        (probe.expected_host(), &target.authority),
        target.scheme(),
    )
}

type Headers = Vec<(String, String)>;

/// Names in lower case. Both forms of JSON are in use: an object, and a list of pairs.
fn headers(body: &str) -> Headers {
    let mut found = Headers::new();
    if let Ok(told) = serde_json::from_str(body) {
        collect(&told, &mut found);
    } else {
        let lines = body.lines().filter_map(|line| line.split_once(':'));
        found.extend(lines.filter_map(|(name, value)| header(name, value)));
    }
    found
}

fn collect(told: &Value, found: &mut Headers) {
    match told {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(value) => found.extend(header(name, value)),
                    Value::Array(values) if values.iter().all(Value::is_string) => {
                        let values = values.iter().filter_map(Value::as_str);
                        found.extend(values.filter_map(|value| header(name, value)));
                    }
                    other => collect(other, found),
                }
            }
        }
        Value::Array(members) => match members.as_slice() {
            [Value::String(name), Value::String(value)] => found.extend(header(name, value)),
            members => members.iter().for_each(|member| collect(member, found)),
        },
        _ => {}
    }
}

fn header(name: &str, value: &str) -> Option<(String, String)> {
    let name = name.trim().to_ascii_lowercase().replace('_', "-");
    let name = name.strip_prefix("http-").unwrap_or(&name).to_owned();
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    (!name.is_empty() && name.bytes().all(is_name)).then(|| (name, value.trim().to_owned()))
}

fn judge(told: &Headers, (host, authority): (&str, &str), scheme: &str) -> Finding {
    let value = |name: &str| {
        let values = told.iter().filter(|(told, _)| told == name);
        values
            .map(|(_, value)| value.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let cookies = value("cookie");
    let mut wrong: Vec<(String, &str)> = Vec::new();
    if value("host") != host {
        wrong.push((
            format!("Host is {:?}, not {host:?}", value("host")),
            "`fastly service backend update --version latest --autoclone --name protected_content --override-host \"\"`, and activate; where it is the setting `origin_host`, name that with --origin-host",
        ));
    }
    let report = "report it: the edge sets these by itself";
    if value("x-forwarded-host") != authority {
        wrong.push((
            format!("X-Forwarded-Host is {:?}", value("x-forwarded-host")),
            report,
        ));
    }
    if value("x-forwarded-proto") != scheme {
        wrong.push((
            format!(
                "X-Forwarded-Proto is {:?}, not {scheme:?}",
                value("x-forwarded-proto")
            ),
            report,
        ));
    }
    for name in ["x-forwarded-for", "fastly-client-ip"] {
        let address = value(name);
        if address.is_empty() || address.contains(FORGED_ADDRESS) {
            wrong.push((format!("{name} is {address:?}"), "take what is in front of the service, or report it: the visitor's address alone belongs here"));
        }
    }
    if value("queue-position") == "4711" {
        wrong.push((
            "a number that the client wrote arrives as Queue-Position".to_owned(),
            report,
        ));
    }
    if cookies.contains("queue=") {
        wrong.push((
            "our ticket is among the cookies".to_owned(),
            "set `origin_cookie` to remove",
        ));
    }
    if !cookies.contains(COOKIE) {
        wrong.push(("a cookie of the site does not arrive".to_owned(), "take the path out of `cache_paths`, or ask the origin whether its echo leaves cookies out"));
    }
    if wrong.is_empty() {
        let seen = format!(
            "Host is {host}, X-Forwarded-Host {authority}, X-Forwarded-Proto is {scheme}, X-Forwarded-For is {}; no ticket of ours, nothing forged.",
            value("x-forwarded-for")
        );
        return Finding::fine(CHECK, seen);
    }
    let (seen, mut mend): (Vec<String>, Vec<&str>) = wrong.into_iter().unzip();
    mend.dedup();
    Finding::differs(CHECK, format!("{}.", seen.join("; ")))
        .means("the origin redirects visitors around the room, or takes one for another.")
        .mend(format!("{}.", mend.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::report::Verdict;

    const SOUND: &str = r#"{"headers":[["host","shop.example"],["x-forwarded-host","shop.example"],["x-forwarded-proto","https"],
        ["x-forwarded-for","198.51.100.1"],["fastly-client-ip","198.51.100.1"],["cookie","now-serving-probe=kept"]]}"#;

    fn verdict(body: &str) -> Verdict {
        judge(&headers(body), ("shop.example", "shop.example"), "https").verdict
    }

    #[test]
    fn an_origin_that_goes_by_host_is_told_its_own_and_the_visitors() {
        let own = r#"["host","shop.platform.example"]"#;
        let told = headers(&SOUND.replace(r#"["host","shop.example"]"#, own));
        let verdict = |host| judge(&told, (host, "shop.example"), "https").verdict;
        assert_eq!(verdict("shop.platform.example"), Verdict::Fine);
        assert_eq!(verdict("shop.example"), Verdict::Differs);
    }

    #[test]
    fn each_thing_an_origin_should_not_be_told_differs() {
        assert_eq!(verdict(SOUND), Verdict::Fine);
        for (sound, wrong) in [
            (r#"["host","shop.example"]"#, r#"["host","origin.example"]"#),
            (
                r#"["x-forwarded-proto","https"]"#,
                r#"["x-forwarded-proto","http"]"#,
            ),
            (
                r#"["x-forwarded-for","198.51.100.1"]"#,
                r#"["x-forwarded-for","203.0.113.7, 198.51.100.1"]"#,
            ),
            (
                r#"["fastly-client-ip","198.51.100.1"]"#,
                r#"["queue-position","4711"]"#,
            ),
            (
                "now-serving-probe=kept",
                "__Host-queue=a; now-serving-probe=kept",
            ),
            ("now-serving-probe=kept", "a=b"),
        ] {
            assert!(SOUND.contains(sound), "{sound}");
            assert_eq!(
                verdict(&SOUND.replace(sound, wrong)),
                Verdict::Differs,
                "{wrong}"
            );
        }
    }

    #[test]
    fn headers_are_read_from_an_object_from_lists_and_from_lines() {
        let expected = vec![("host".to_owned(), "a".to_owned())];
        for body in [
            r#"{"headers":{"Host":"a"}}"#,
            r#"{"headers":{"Host":["a"]}}"#,
            r#"{"HTTP_HOST":"a"}"#,
            "Host: a\n",
        ] {
            assert_eq!(headers(body), expected, "{body}");
        }
        assert_eq!(headers("<html>a</html>"), Headers::new());
    }
}
