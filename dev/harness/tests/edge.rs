//! The harness that runs the Wasm in Viceroy.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::net::TcpStream;
use std::time::Duration;

use harness::edge::{Edge, EdgeOptions, wasm};
use harness::origin::Origin;
use harness::sandbox_dir;
use upstash_local::DEADLINE;

fn options(origin: &Origin) -> EdgeOptions {
    let settings = sandbox_dir::development_settings().unwrap();
    EdgeOptions {
        web_sockets: true,
        ..EdgeOptions::local(
            wasm().unwrap(),
            (origin.url(), origin.url()),
            settings,
            DEADLINE,
        )
    }
}

fn health(edge: &Edge) -> u16 {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .build()
        .into();
    let url = format!("{}/_queue/healthz", edge.url());
    agent.get(url).call().unwrap().status().as_u16()
}

/// Asks until it is so, for some seconds.
fn is_soon(is_so: impl Fn() -> bool) -> bool {
    (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        is_so()
    })
}

#[test]
fn a_changed_setting_is_soon_seen() {
    let origin = Origin::start(([127, 0, 0, 1], 0).into()).unwrap();
    let edge = Edge::start(&options(&origin)).unwrap();
    assert_eq!(health(&edge), 200);
    edge.set("automatic", Some("often")).unwrap();
    assert!(is_soon(|| health(&edge) == 503));
    edge.set("automatic", None).unwrap();
    assert!(is_soon(|| health(&edge) == 200));
}

#[test]
fn a_sandbox_that_has_ended_tells_its_heap() {
    let origin = Origin::start(([127, 0, 0, 1], 0).into()).unwrap();
    let edge = Edge::start(&options(&origin)).unwrap();
    let tells = |line: &String| line.contains("of WebAssembly heap");
    assert!(is_soon(
        || health(&edge) == 200 && edge.output().iter().any(tells)
    ));
}

#[test]
fn told_that_it_is_deployed_the_service_refuses_the_development_secret() {
    let origin = Origin::start(([127, 0, 0, 1], 0).into()).unwrap();
    let deployed = EdgeOptions {
        local: false,
        ..options(&origin)
    };
    assert_eq!(health(&Edge::start(&deployed).unwrap()), 503);
}

#[test]
fn a_dropped_edge_no_longer_listens() {
    let origin = Origin::start(([127, 0, 0, 1], 0).into()).unwrap();
    let edge = Edge::start(&options(&origin)).unwrap();
    let addr = edge.addr();
    assert!(TcpStream::connect(addr).is_ok());
    drop(edge);
    assert!(TcpStream::connect(addr).is_err());
}

#[test]
fn a_wasm_that_cannot_run_is_an_error_with_what_viceroy_said() {
    let origin = Origin::start(([127, 0, 0, 1], 0).into()).unwrap();
    let nothing = EdgeOptions {
        wasm: "nowhere.wasm".into(),
        ..options(&origin)
    };
    let error = Edge::start(&nothing).unwrap_err();
    assert!(error.contains("Viceroy ended"), "{error}");
}
