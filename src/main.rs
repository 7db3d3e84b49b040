//! The entry: one request in, one answer out. Everything that names the platform is in `edge`.

#[cfg(target_arch = "wasm32")]
mod edge;

#[cfg(target_arch = "wasm32")]
fn main() {
    edge::serve();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("Now Serving runs on Fastly Compute. To run it here: cargo dev serve");
}
