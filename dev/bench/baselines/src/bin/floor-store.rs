//! The floor under an answer that asks the store: one call, read to its end, then the page.

#[cfg(target_arch = "wasm32")]
fn main() {
    use fastly::http::serve::Serve;
    use fastly::{Request, Response};
    use now_serving_baselines::PAGE;

    Serve::new().run(|_: Request| match asked() {
        Some(200) => Response::from_body(PAGE.as_slice()),
        _ => Response::from_status(502),
    });
}

/// The status of the store's answer.
#[cfg(target_arch = "wasm32")]
fn asked() -> Option<u16> {
    use fastly::Request;
    use now_serving_baselines::{STORE_AUTHORIZATION, STORE_CALL};

    let mut answer = Request::post("http://store.floor/")
        .with_header("authorization", STORE_AUTHORIZATION)
        .with_header("content-type", "application/json")
        .with_pass(true)
        .with_body(STORE_CALL)
        .send("upstash")
        .ok()?;
    answer.take_body().into_bytes();
    Some(answer.get_status().as_u16())
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This floor runs on Fastly Compute. To compare with it: cargo dev bench");
}
