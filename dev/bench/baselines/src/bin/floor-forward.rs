//! The floor under a request that is passed on: as it came, to the origin, and handed to the host in flight.

#[cfg(target_arch = "wasm32")]
fn main() {
    use fastly::http::serve::Serve;
    use fastly::{Request, Response};

    Serve::new().run(|request: Request| {
        let handed_over = request
            .send_async("protected_content")
            .map(fastly::http::request::PendingRequest::send_to_client);
        if !matches!(handed_over, Ok(Ok(()))) {
            Response::from_status(502).send_to_client();
        }
    });
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This floor runs on Fastly Compute. To compare with it: cargo dev bench");
}
