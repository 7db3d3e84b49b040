//! The demo origin, asked over HTTP.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::io::{Read, copy, repeat, sink};

use harness::origin::Origin;
use ureq::SendBody;

const HUNDRED_MEGABYTES: u64 = 100_000_000;

fn start() -> Origin {
    Origin::start(([127, 0, 0, 1], 0).into()).unwrap()
}

fn text(url: &str) -> String {
    let mut response = ureq::get(url).call().unwrap();
    response.body_mut().read_to_string().unwrap()
}

/// The most memory this process has ever used, in bytes.
#[cfg(target_os = "linux")]
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    let kilobytes: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kilobytes * 1024
}

#[cfg(target_os = "linux")]
#[test]
fn a_hundred_megabytes_stream_up_and_down_without_growing() {
    let origin = start();
    let before = peak_memory();
    let mut body = repeat(b'x').take(HUNDRED_MEGABYTES);
    let mut response = ureq::post(format!("{}/upload", origin.url()))
        .send(SendBody::from_reader(&mut body))
        .unwrap();
    let answer = response.body_mut().read_to_string().unwrap();
    assert_eq!(answer, r#"{"bytes":100000000}"#);

    let response = ureq::get(format!("{}/download?mb=100", origin.url()))
        .call()
        .unwrap();
    assert_eq!(response.headers()["content-length"], "100000000");
    let length = copy(&mut response.into_body().into_reader(), &mut sink()).unwrap();
    assert_eq!(length, HUNDRED_MEGABYTES);
    assert!(peak_memory() - before < 16 << 20);
}

#[test]
fn the_shop_shows_the_number_and_nothing_else_a_client_sends() {
    let origin = start();
    let shop = |position: &str| {
        let request = ureq::get(origin.url()).header("Queue-Position", position);
        request.call().unwrap().body_mut().read_to_string().unwrap()
    };
    assert!(shop("3288").contains("number <b>3288</b>"));
    assert!(shop("<script>").contains("No number."));
}

#[test]
fn it_remembers_what_it_has_seen_until_told_to_forget() {
    let origin = start();
    let echo = text(&format!("{}/echo?a=1", origin.url()));
    assert!(echo.contains(r#""target":"/echo?a=1""#), "{echo}");
    let seen = origin.requests();
    assert_eq!(seen.len(), 1);
    assert!(
        seen.iter()
            .all(|seen| seen.method == "GET" && seen.body_length == 0)
    );
    assert!(
        seen.iter()
            .flat_map(|seen| &seen.headers)
            .any(|(name, _)| name == "host")
    );
    origin.clear();
    assert!(origin.requests().is_empty());
}

#[test]
fn it_sets_two_cookies_any_status_and_a_lifetime() {
    let origin = start();
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .build()
        .into();
    let get = |path: &str| agent.get(format!("{}{path}", origin.url())).call().unwrap();
    assert_eq!(
        get("/cookies")
            .headers()
            .get_all("set-cookie")
            .iter()
            .count(),
        2
    );
    assert_eq!(get("/status/418").status(), 418);
    assert_eq!(get("/status/9").status(), 404);
    assert_eq!(get("/nowhere").status(), 404);
    assert_eq!(
        get("/cached").headers()["cache-control"],
        "public, max-age=60"
    );
    assert_eq!(
        get("/favicon.ico").headers()["content-type"],
        "image/svg+xml"
    );
    assert_ne!(
        text(&format!("{}/cached", origin.url())),
        text(&format!("{}/cached", origin.url()))
    );
}

#[test]
fn dropping_it_frees_its_port_even_while_someone_waits() {
    let origin = start();
    let url = origin.url();
    let addr = url.trim_start_matches("http://").parse().unwrap();
    let waiting = std::thread::spawn({
        let url = format!("{url}/slow?ms=20000");
        move || ureq::get(url).call().is_err()
    });
    let came = (0..6_000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        !origin.requests().is_empty()
    });
    assert!(came);
    drop(origin);
    assert!(waiting.join().unwrap());
    Origin::start(addr).unwrap();
}
