//! What a request is after: a page, data, or something a page loads. Read from headers alone.

use crate::http::Call;

/// What kind of request stands in line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Somebody, or somebody's program, who may draw a ticket.
    Visit,
    /// HEAD asks about a page and draws nothing.
    Head,
    /// The waiting page asks where its holder stands, and draws nothing.
    Poll,
    /// A browser guessing where its user might go next.
    Prefetch,
    /// An image, a script, a style: part of a page, not a visitor.
    SubResource,
}

/// The kind of a request, from its method and the headers browsers send by themselves.
#[must_use]
pub fn kind(call: &Call) -> Kind {
    let prefetches = ["sec-purpose", "purpose", "x-moz"]
        .iter()
        .any(|name| call.header(name).to_ascii_lowercase().contains("prefetch"));
    if prefetches {
        return Kind::Prefetch;
    }
    match call.header("sec-fetch-dest").as_ref() {
        "" | "document" | "empty" | "iframe" | "frame" | "embed" | "object" | "fencedframe" => {}
        _ => return Kind::SubResource,
    }
    if call.method == "HEAD" {
        Kind::Head
    } else {
        Kind::Visit
    }
}

/// Whether data is wanted, not a page. RFC 9110 12.5.1: the higher q wins; where both are equal the one that is named
/// more exactly does, so that `application/json, */*` means JSON and a browser's own header means a page.
#[must_use]
pub fn wants_json(call: &Call) -> bool {
    if call.header("sec-fetch-dest") == "empty" || !call.header("x-requested-with").is_empty() {
        return true;
    }
    let lines: Vec<_> = call.lines("accept").map(String::from_utf8_lossy).collect();
    let ranges: Vec<(&str, u16)> = lines
        .iter()
        .flat_map(|line| line.split(','))
        .map(range)
        .collect();
    let data = rank(&ranges, json);
    data.0 > 0 && data > rank(&ranges, html)
}

/// One entry of `Accept` or `Accept-Language`: the range, and its q in thousandths; an unreadable q is the default, 1.
pub(crate) fn range(entry: &str) -> (&str, u16) {
    let mut parts = entry.split(';').map(str::trim);
    let media = parts.next().unwrap_or_default();
    let q = parts
        .find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")))
        .map_or(1000, thousandths);
    (media, q)
}

fn thousandths(q: &str) -> u16 {
    let (whole, rest) = q.split_once('.').unwrap_or((q, ""));
    let digits: String = rest.chars().chain("000".chars()).take(3).collect();
    match (whole, digits.parse::<u16>()) {
        ("0", Ok(part)) => part,
        _ => 1000,
    }
}

/// The q of the most exact range that matches, then how exact it is.
fn rank(ranges: &[(&str, u16)], exactness: fn(&str) -> Option<u8>) -> (u16, u8) {
    let matching = ranges
        .iter()
        .filter_map(|(media, q)| exactness(&media.to_ascii_lowercase()).map(|exact| (exact, *q)));
    let (exact, q) = matching.max().unwrap_or_default();
    (q, exact)
}

fn json(media: &str) -> Option<u8> {
    match media {
        "application/json" | "text/json" => Some(3),
        "application/*" => Some(2),
        "*/*" => Some(1),
        _ => media.ends_with("+json").then_some(3),
    }
}

fn html(media: &str) -> Option<u8> {
    match media {
        "text/html" | "application/xhtml+xml" => Some(3),
        "text/*" => Some(2),
        "*/*" => Some(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(headers: &[(&'static str, &str)]) -> Call {
        Call {
            method: "GET".to_owned(),
            headers: headers
                .iter()
                .map(|(name, value)| (*name, value.as_bytes().to_vec()))
                .collect(),
            ..Call::default()
        }
    }

    #[test]
    fn accept_is_negotiated_by_q_then_by_exactness() {
        for (accept, expected) in [
            ("", false),
            ("*/*", false),
            ("application/json", true),
            ("application/json, text/plain, */*", true),
            ("application/json;q=0.5, text/html", false),
            ("text/html;q=0.5, application/json;q=0.9", true),
            ("text/html, application/json", false),
            (
                "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8",
                false,
            ),
            ("application/vnd.api+json", true),
            ("APPLICATION/JSON", true),
            ("application/json;q=0", false),
            ("text/html;q=0, */*", true),
            ("application/json; charset=utf-8; q=1.0", true),
            ("application/json;q=abc", true),
            (";;;,,,q=1", false),
        ] {
            assert_eq!(
                wants_json(&call(&[("accept", accept)])),
                expected,
                "{accept}"
            );
        }
    }

    #[test]
    fn a_script_asks_for_data() {
        let page = ("accept", "text/html");
        assert!(wants_json(&call(&[page, ("sec-fetch-dest", "empty")])));
        assert!(wants_json(&call(&[
            page,
            ("x-requested-with", "XMLHttpRequest")
        ])));
        assert!(!wants_json(&call(&[page, ("sec-fetch-dest", "document")])));
    }

    #[test]
    fn only_visits_may_draw() {
        assert_eq!(kind(&call(&[])), Kind::Visit);
        for dest in ["document", "empty", "iframe", "frame", "embed", "object"] {
            assert_eq!(
                kind(&call(&[("sec-fetch-dest", dest)])),
                Kind::Visit,
                "{dest}"
            );
        }
        for dest in [
            "image", "script", "style", "font", "audio", "video", "worker", "manifest",
        ] {
            assert_eq!(
                kind(&call(&[("sec-fetch-dest", dest)])),
                Kind::SubResource,
                "{dest}"
            );
        }
        for (name, value) in [
            ("sec-purpose", "prefetch;prerender"),
            ("purpose", "prefetch"),
            ("x-moz", "prefetch"),
        ] {
            assert_eq!(kind(&call(&[(name, value)])), Kind::Prefetch, "{name}");
        }
        let mut head = call(&[]);
        "HEAD".clone_into(&mut head.method);
        assert_eq!(kind(&head), Kind::Head);
    }
}
