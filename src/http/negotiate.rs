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
/// more exactly does, so that `application/json, */*` means JSON and a browser's own header means a page. A site's service
/// worker sends on what a tab asks for, so no other header stands against an `Accept` that names one of the two: they only
/// say what a request means that names none.
#[must_use]
pub fn wants_json(call: &Call) -> bool {
    if is_navigation(call) {
        return false;
    }
    let [data, page] = ranks(call);
    if data.is_taken() && data > page {
        return true;
    }
    let names_neither = !data.is_named() && !page.is_named();
    names_neither && is_by_script(call) && (data.is_taken() || !page.is_taken())
}

/// Browsers inside apps send the name of the app in the second header, and show what comes.
fn is_by_script(call: &Call) -> bool {
    call.header("sec-fetch-dest") == "empty" || call.header("x-requested-with") == "XMLHttpRequest"
}

/// Whether a page must be the answer to this request itself. A script or a service worker asks for it, and what a worker hands
/// to a navigation must not have been redirected (Fetch, HTTP fetch, step 5).
#[must_use]
pub fn is_given_in_place(call: &Call) -> bool {
    !matches!(call.header("sec-fetch-mode").as_ref(), "" | "navigate")
}

/// Whether a page is asked for by name, for an answer that is data to a request that says nothing.
#[must_use]
pub fn names_page(call: &Call) -> bool {
    let [_, page] = ranks(call);
    is_navigation(call) || page.is_named() && !wants_json(call)
}

/// Whether `Accept` takes one of the two; without that header everything is taken (RFC 9110 12.5.1).
pub(crate) fn takes_page_or_data(call: &Call) -> bool {
    call.header("accept").is_empty() || ranks(call).into_iter().any(Rank::is_taken)
}

/// How welcome one of the two is: by q, then by how exactly the range names it.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    q: u16,
    exactness: u8,
}

/// The exactness of a range that is no wildcard.
const NAMED: u8 = 3;

impl Rank {
    fn is_taken(self) -> bool {
        self.q > 0
    }

    fn is_named(self) -> bool {
        self.is_taken() && self.exactness == NAMED
    }
}

/// How welcome data is, and a page.
fn ranks(call: &Call) -> [Rank; 2] {
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
fn rank(ranges: &[(&str, u16)], exactness: fn(&str) -> Option<u8>) -> Rank {
    let matching = ranges
        .iter()
        .filter_map(|(media, q)| exactness(&media.to_ascii_lowercase()).map(|exact| (exact, *q)));
    let (exactness, q) = matching.max().unwrap_or_default();
    Rank { q, exactness }
}

fn json(media: &str) -> Option<u8> {
    match media {
        "application/json" | "text/json" => Some(NAMED),
        "application/*" => Some(2),
        "*/*" => Some(1),
        _ => media.ends_with("+json").then_some(NAMED),
    }
}

fn html(media: &str) -> Option<u8> {
    match media {
        "text/html" | "application/xhtml+xml" => Some(NAMED),
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
    fn what_a_script_asks_for_is_data_unless_it_names_a_page() {
        for by_script in [
            ("sec-fetch-dest", "empty"),
            ("x-requested-with", "XMLHttpRequest"),
        ] {
            for (accept, expected) in [
                ("", true),
                ("*/*", true),
                ("image/webp, */*;q=0.5", true),
                ("application/json, text/plain, */*", true),
                ("application/json", true),
                ("text/html;q=0.5, */*", true),
                ("text/html;q=0, */*", true),
                ("text/html;q=0.4, application/json;q=0.5", true),
                ("text/html", false),
                ("text/html, */*;q=0.01", false),
                ("text/html, application/xhtml+xml", false),
                ("text/html, application/json", false),
                ("text/html;q=0.5, application/json;q=0.5", false),
                (
                    "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
                    false,
                ),
                ("application/json;q=0, */*", false),
                ("text/*", false),
            ] {
                let found = wants_json(&call(&[("accept", accept), by_script]));
                assert_eq!(found, expected, "{by_script:?} {accept}");
            }
        }
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
