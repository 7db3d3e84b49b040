//! Whether a page or data is wanted, and where the answer is shown. Read from headers alone.

use crate::http::Call;

/// What `Sec-Fetch-Dest` says of a page inside another one.
pub(crate) const FRAMES: [&str; 5] = ["iframe", "frame", "embed", "object", "fencedframe"];

/// Whether the answer is shown as a page, by itself or in a frame.
#[must_use]
pub fn is_navigation(call: &Call) -> bool {
    let dest = call.header("sec-fetch-dest");
    call.header("sec-fetch-mode") == "navigate" || matches!(dest.as_ref(), "document" | "iframe")
}

/// Whether a form was posted, so that a browser shows the answer as a page. Browsers that do not say what they fetch for
/// are known by the type of a form.
#[must_use]
pub fn is_posted_form(call: &Call) -> bool {
    let is_unsafe = !matches!(call.method.as_str(), "GET" | "HEAD");
    is_unsafe && (call.header("sec-fetch-mode") == "navigate" || is_form_of_old_browser(call))
}

fn is_form_of_old_browser(call: &Call) -> bool {
    let is_silent = ["sec-fetch-dest", "sec-fetch-mode", "sec-fetch-site"]
        .iter()
        .all(|name| call.lines(name).next().is_none());
    is_silent && FORMS.contains(&media(&call.header("content-type")).as_str())
}

/// The media type in a `Content-Type`, without its parameters.
#[must_use]
pub fn media(content_type: &str) -> String {
    let media = content_type.split(';').next().unwrap_or_default();
    media.trim().to_ascii_lowercase()
}

/// The type of most forms.
pub const FORM: &str = "application/x-www-form-urlencoded";

/// The types in which browsers post forms (HTML 4.10.19.6).
const FORMS: [&str; 3] = [FORM, "multipart/form-data", "text/plain"];

/// Whether the answer fills a tab, not a frame.
#[must_use]
pub fn is_in_no_frame(call: &Call) -> bool {
    !FRAMES.contains(&call.header("sec-fetch-dest").as_ref())
}

/// Whether data is wanted, not a page. RFC 9110 12.5.1: the higher q wins; where both are equal the one that is named
/// more exactly does, so that `application/json, */*` means JSON and a browser's own header means a page.
#[must_use]
pub fn wants_json(call: &Call) -> bool {
    if is_navigation(call) {
        return false;
    }
    // Browsers inside apps send the name of the app in this header, and show what comes.
    let is_by_script = call.header("x-requested-with") == "XMLHttpRequest";
    if call.header("sec-fetch-dest") == "empty" || is_by_script {
        return true;
    }
    let [data, page] = ranks(call);
    data.0 > 0 && data > page
}

/// Whether `Accept` takes one of the two; without that header everything is taken (RFC 9110 12.5.1).
pub(crate) fn takes_page_or_data(call: &Call) -> bool {
    call.header("accept").is_empty() || ranks(call).iter().any(|rank| rank.0 > 0)
}

/// How welcome data is, and a page.
fn ranks(call: &Call) -> [(u16, u8); 2] {
    let lines: Vec<_> = call.lines("accept").map(String::from_utf8_lossy).collect();
    let ranges: Vec<(&str, u16)> = lines
        .iter()
        .flat_map(|line| line.split(','))
        .map(range)
        .collect();
    [json, html].map(|exactness| rank(&ranges, exactness))
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
    fn a_navigation_gets_a_page_whatever_else_it_says() {
        let data = ("accept", "application/json");
        let by_script = ("x-requested-with", "XMLHttpRequest");
        for navigation in [
            ("sec-fetch-mode", "navigate"),
            ("sec-fetch-dest", "document"),
            ("sec-fetch-dest", "iframe"),
        ] {
            let call = call(&[data, by_script, navigation]);
            assert!(!wants_json(&call), "{navigation:?}");
        }
    }

    #[test]
    fn a_browser_inside_an_app_gets_a_page() {
        for name in ["com.example.app", "xmlhttprequest", "XMLHttpRequest2", ""] {
            assert!(!wants_json(&call(&[("x-requested-with", name)])), "{name}");
        }
    }

    #[test]
    fn forms_are_told_by_the_navigation_or_by_their_type() {
        let form = (
            "content-type",
            "application/x-www-form-urlencoded; charset=utf-8",
        );
        let navigation = [("sec-fetch-mode", "navigate"), ("content-type", "text/xml")];
        for (method, headers, expected) in [
            ("POST", &[form][..], true),
            ("POST", &navigation, true),
            ("GET", &[form], false),
            ("POST", &[form, ("sec-fetch-mode", "cors")], false),
            ("POST", &[("content-type", "application/json")], false),
            ("POST", &[], false),
        ] {
            assert_eq!(
                is_posted_form(&Call {
                    method: method.to_owned(),
                    ..call(headers)
                }),
                expected,
                "{headers:?}"
            );
        }
    }
}
