//! Visitors who have been there once: each with a ticket of its own, and no number yet.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use harness::sandbox_dir;
use now_serving::queue::{Now, RoomName};
use now_serving::ticket::{Keys, Ticket};

/// Longer than any measurement, in seconds.
const LIFE: u64 = 86_400;

/// Signs tickets as the product does, since one that comes again within a second is answered from memory.
#[derive(Clone)]
pub(crate) struct Newcomers {
    keys: Arc<Keys>,
    /// The cookie's, as the product named it.
    name: String,
    room: RoomName,
    next: Arc<AtomicU64>,
}

impl Newcomers {
    /// Of the room that gave this cookie.
    ///
    /// # Errors
    /// When it is no ticket of the product's.
    pub(crate) fn like(cookie: &str) -> Result<Self, String> {
        let settings = sandbox_dir::development_settings()?;
        let secret = settings.get("jwt_secret").map_or("", String::as_str);
        let no_ticket = || format!("{cookie} is no ticket.");
        let (name, token) = cookie.split_once('=').ok_or_else(no_ticket)?;
        let claims = token.split('.').nth(1).unwrap_or_default();
        let claims = URL_SAFE_NO_PAD.decode(claims).unwrap_or_default();
        let claims: serde_json::Value = serde_json::from_slice(&claims).unwrap_or_default();
        let room = claims.get("room").and_then(serde_json::Value::as_str);
        Ok(Self {
            keys: Arc::new(Keys::new(secret, None)),
            name: name.to_owned(),
            room: RoomName::new(room.ok_or_else(no_ticket)?),
            next: Arc::default(),
        })
    }

    /// The cookie of the next one.
    pub(crate) fn cookie(&self) -> String {
        let time = SystemTime::now().duration_since(UNIX_EPOCH);
        let time = time.unwrap_or_default();
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let id = [
            (time.as_nanos() >> 4).to_be_bytes().as_slice(),
            &number.to_be_bytes(),
        ]
        .concat();
        let id = URL_SAFE_NO_PAD.encode(id.get(8..).unwrap_or_default());
        let now = Now::from_secs(time.as_secs());
        let ticket = Ticket::provisional(id, now);
        let token = self.keys.sign(&ticket, &self.room, now, LIFE);
        format!("{}={}", self.name, token.unwrap_or_default())
    }
}
