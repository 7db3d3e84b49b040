//! The headers by which a request is judged, a line each, `name: value`. What fills a tab is a page; a media type is read the same twice;
//! there is a language for every visitor; a header of ours that a client sends goes no further in any spelling.

use now_serving::http::cors::readable;
use now_serving::http::negotiate::{
    is_in_no_frame, is_navigation, is_posted_form, media, wants_json,
};
use now_serving::http::{
    Answer, Call, Forward, HEADERS, Reply, is_for_all, is_withheld, told, upgrades_only,
};
use now_serving::i18n::{LANGUAGES, words};

/// Reads headers.
pub fn target(bytes: &[u8]) {
    let call = call(bytes);
    judged(&call);
    let lines = || bytes.split(|byte| *byte == b'\n');
    let is_private = |line: &[u8]| line.trim_ascii().eq_ignore_ascii_case(b"private");
    let of = |name| {
        let is_asked = name == "cache-control";
        lines().filter(move |_| is_asked)
    };
    let is_kept = is_for_all(200, of);
    assert!(!is_kept || !lines().any(is_private), "private, and kept");
    let _ = upgrades_only(lines());
    for line in lines() {
        let name = String::from_utf8_lossy(line).to_ascii_lowercase();
        let spelt = name.replace('-', "_");
        assert_eq!(is_withheld(&name), is_withheld(&spelt), "{name}");
    }
}

fn call(bytes: &[u8]) -> Call {
    let mut call = Call {
        method: "GET".to_owned(),
        path: "/".to_owned(),
        https: true,
        ..Call::default()
    };
    for line in bytes.split(|byte| *byte == b'\n') {
        let mut parts = line.splitn(2, |byte| *byte == b':');
        let name = parts.next().unwrap_or_default();
        let value = parts.next().unwrap_or_default().trim_ascii();
        let text = || String::from_utf8_lossy(value).into_owned();
        match name {
            b"method" => call.method = text(),
            b"host" => call.host = text(),
            b"path" => call.path = text(),
            b"http" => call.https = false,
            _ => {
                let known = HEADERS.into_iter().find(|known| known.as_bytes() == name);
                call.headers
                    .extend(known.map(|name| (name, value.to_vec())));
            }
        }
    }
    call
}

fn judged(call: &Call) {
    assert!(!is_navigation(call) || !wants_json(call), "a page is data");
    let _ = (
        is_posted_form(call),
        is_in_no_frame(call),
        call.is_web_socket(),
    );
    let kind = media(&call.header("content-type"));
    assert_eq!(media(&kind), kind);
    let tag = words(&call.header("accept-language")).tag;
    assert!(
        LANGUAGES.iter().any(|language| language.tag == tag),
        "{tag}"
    );
    assert!(!call.hostname().ends_with('.'), "{}", call.hostname());
    let origin = call.header("origin").into_owned();
    if call.is_own_origin(&origin) {
        assert!(origin.eq_ignore_ascii_case(&call.site()), "{origin}");
    }
    let sent = told(call, &Forward::default());
    assert!(sent.iter().all(|(name, _)| is_withheld(name)), "{sent:?}");
    let listed = ["https://app.example".to_owned()];
    let reply = readable(Reply::new(200, "text/plain", ""), call, &listed);
    let allowed = reply
        .headers
        .iter()
        .find(|(name, _)| *name == "access-control-allow-origin");
    assert!(
        allowed.is_none_or(|(_, to)| listed.contains(to)),
        "{allowed:?}"
    );
    let _ = Answer::Reply(reply);
}
