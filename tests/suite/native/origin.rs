//! An origin that cannot be asked at all.

use crate::house::{Ask, Got, call};

/// The local server begins every request to a backend, so the answer is asked for as the edge does.
#[test]
fn a_request_to_the_origin_that_cannot_be_begun_keeps_the_admission() {
    let forward = now_serving::http::Forward {
        set_cookies: vec!["queue=admitted".to_owned(), "queue-post=twin".to_owned()],
        ..now_serving::http::Forward::default()
    };
    let call = call(&Ask::get("/").json(), String::new());
    let got = Got::of(now_serving::service::origin_failed(&call, &forward));
    assert_eq!(got.status, 502);
    assert_eq!(got.all("set-cookie"), ["queue=admitted", "queue-post=twin"]);
    assert_eq!(got.header("cache-control"), "private, no-store");
}
