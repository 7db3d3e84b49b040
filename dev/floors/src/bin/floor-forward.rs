//! The floor under a request that is passed on: as it came, to the origin.

#[cfg(target_arch = "wasm32")]
fn main() {
    use fastly::http::serve::Serve;
    use fastly::{Request, Response};

    Serve::new().run(|request: Request| {
        request
            .send("protected_content")
            .unwrap_or_else(|_| Response::from_status(502))
    });
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This floor runs on Fastly Compute. To compare with it: cargo dev bench");
}
