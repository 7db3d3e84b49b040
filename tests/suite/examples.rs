//! The examples in `examples/`, each started as its reader starts it.
//!
//! What runs them is installed with the other tools, but for Go and PHP: their examples run where these are.

mod app;
mod evidence;
mod invite;
mod logs;
mod origin;
mod permit;
mod program;
mod rehearse;
mod verifier;

use serde_json::Value;

use crate::house::{Ask, House};

/// What the edge says of the line.
fn status(house: &House) -> Value {
    house.ask(&Ask::get("/_queue/status").operator()).json()
}
