//! What strangers send, as targets of a fuzzer: each takes any bytes, and panics where a rule does not hold.
//!
//! Besides "no panic" each target has rules of its own, which its file begins with. `cargo dev fuzz` runs them under libFuzzer, by the
//! programs of `fuzz_targets/`; the suite runs each over its folder of `tests/corpus` and over the shapes beside the folders.
#![expect(
    clippy::missing_panics_doc,
    clippy::panic,
    reason = "a target tells of a finding by a panic"
)]

pub mod cookie;
pub mod document;
pub mod form;
pub mod headers;
mod input;
pub mod invitation;
pub mod json;
mod keys;
pub mod store;
pub mod template;
pub mod texts;
pub mod ticket;

/// What takes any bytes.
pub type Target = fn(&[u8]);

/// Every target, by the name of its file, of its program and of its corpus.
pub const TARGETS: [(&str, Target); 10] = [
    ("cookie", cookie::target),
    ("document", document::target),
    ("form", form::target),
    ("headers", headers::target),
    ("invitation", invitation::target),
    ("json", json::target),
    ("store", store::target),
    ("template", template::target),
    ("texts", texts::target),
    ("ticket", ticket::target),
];
