//! The floor under an answer of the edge's own: a page, always the same.

#[cfg(target_arch = "wasm32")]
fn main() {
    use fastly::http::serve::Serve;
    use fastly::{Request, Response};
    use now_serving_baselines::PAGE;

    Serve::new().run(|_: Request| Response::from_body(PAGE.as_slice()));
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This floor runs on Fastly Compute. To compare with it: cargo dev bench");
}
