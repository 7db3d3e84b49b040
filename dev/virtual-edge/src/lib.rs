//! The edge without a platform: the real service and the real scripts, in one process and in virtual time.
//!
//! [`Direct`] is the way to the store without a socket, [`cache`] a POP's cache that can be late or silent, and [`Turn`] one
//! request in the order in which the real edge answers it. Nothing here reads a clock that the caller does not turn, but for
//! [`Takes::Measured`].

pub mod cache;
mod host;
mod turn;

use now_serving::store::upstash::{Attempt, Transport};
use upstash_local::{Reply, Request, Store};

pub use host::{Log, Origin, VirtualHost, watched};
pub use turn::{Happened, Takes, Turn, Turned};

/// The store without a socket.
pub struct Direct(pub Store);

impl Transport for Direct {
    fn post(&self, body: &str, _: Attempt) -> Option<(u16, Vec<u8>)> {
        let authorization = format!("Bearer {}", self.0.token());
        let request = Request {
            method: "POST",
            target: "/",
            authorization: Some(&authorization),
            body: body.as_bytes(),
        };
        match self.0.answer(&request) {
            Reply::Answer { status, body } => Some((status, body)),
            Reply::Dropped => None,
        }
    }
}

/// The call with the store's time in place of the POP's, where it brings one: the store goes by its own clock.
#[must_use]
pub fn by_clock(call: &str, now_ms: u64) -> String {
    let Ok(mut words) = serde_json::from_str::<Vec<String>>(call) else {
        return call.to_owned();
    };
    let time = words.iter_mut().skip_while(|word| *word != "now").nth(1);
    if let Some(time) = time {
        *time = now_ms.to_string();
    }
    serde_json::json!(words).to_string()
}

/// As unlike its neighbours as a random number would be, and the same in every run.
#[must_use]
pub fn scattered(number: u64) -> u128 {
    u128::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
}

/// The id of a request: 128 bits in hexadecimal, the same in every run.
#[must_use]
pub fn id_of(number: u64) -> String {
    format!("{:032x}", scattered(number))
}
