//! A shop that makes an invitation for one visitor, say a buyer whose payment failed. Start it as `invite BATCH GROUP`; without GROUP
//! the invitation leads straight in. In your `Cargo.toml`:
//!
//! ```toml
//! base64 = "0.22"
//! hmac-sha256 = "1.1"
//! serde_json = "1"
//! ```

use std::env;
use std::fs::File;
use std::io::Read;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

/// For how many seconds it is good.
const LIFE: u64 = 7 * 24 * 3600;

/// The code of an invitation; its id is to be random.
fn invitation(key: &[u8], claims: &Value) -> String {
    let header = json!({ "alg": "HS256", "typ": "queue-invite+jwt" });
    let [header, claims] = [&header, claims].map(|part| URL_SAFE_NO_PAD.encode(part.to_string()));
    let text = format!("{header}.{claims}");
    let signature = URL_SAFE_NO_PAD.encode(hmac_sha256::HMAC::mac(&text, key));
    format!("{text}.{signature}")
}

fn decoded(digits: &str) -> Option<Vec<u8>> {
    let pairs: Option<Vec<&str>> = (0..64)
        .step_by(2)
        .map(|at| digits.get(at..at + 2))
        .collect();
    let bytes = pairs?
        .into_iter()
        .map(|pair| u8::from_str_radix(pair, 16).ok());
    bytes
        .collect::<Option<Vec<u8>>>()
        .filter(|_| digits.len() == 64)
}

fn main() -> Result<(), String> {
    let digits = env::var("QUEUE_INVITE_KEY").unwrap_or_default();
    let key = decoded(&digits)
        .ok_or("Set QUEUE_INVITE_KEY to the first line that `cargo dev secret invite` prints.")?;
    let mut id = [0; 16];
    let random = File::open("/dev/urandom").and_then(|mut random| random.read_exact(&mut id));
    random.map_err(|error| error.to_string())?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let mut words = env::args().skip(1);
    let mut claims = json!({
        "room": env::var("QUEUE_ROOM").unwrap_or_else(|_| "main".to_owned()),
        "batch": words.next().unwrap_or_else(|| "shop".to_owned()),
        "uses": 1,
        "jti": URL_SAFE_NO_PAD.encode(id),
        "exp": now.map_err(|error| error.to_string())?.as_secs() + LIFE,
    });
    if let (Some(claims), Some(group)) = (claims.as_object_mut(), words.next()) {
        claims.insert("group".to_owned(), group.into());
    }
    println!("{}", invitation(&key, &claims));
    Ok(())
}
