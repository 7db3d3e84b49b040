//! What a visitor's ticket says.

use std::fmt;

use now_serving::queue::Lane;
use serde_json::Value;

use crate::house::claims;

#[derive(Clone, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) sub: String,
    /// The name of its room.
    pub(super) room: String,
    pub(super) lane: Lane,
    pub(super) born: u64,
    pub(super) epoch: u64,
    pub(super) number: Option<u64>,
    /// The number that was drawn, where a lot gave another one.
    pub(super) came: Option<u64>,
    /// Where the sign stood when it was drawn.
    pub(super) seen: Option<u64>,
    pub(super) is_waiting: bool,
    /// Has gone in; a visitor who was called and has not come yet may still be held back.
    pub(super) is_admitted: bool,
    pub(super) has_grace: bool,
    pub(super) notice: Option<String>,
    claims: Value,
}

impl fmt::Debug for Held {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}", self.claims)
    }
}

impl Held {
    pub(super) fn of(ticket: &str) -> Self {
        let claims = claims(ticket);
        let place = claims["place"].as_array();
        let number = |name: &str, at: usize| {
            let by_place = place.map(|place| &place[at]);
            by_place.unwrap_or(&claims[name]).as_u64()
        };
        let is_waiting = place.is_some() || claims["cur"].is_u64();
        let lane = Lane::named(claims["lane"].as_str()).unwrap();
        let text = |value: &Value| value.as_str().map(str::to_owned);
        Self {
            sub: text(&claims["sub"]).unwrap(),
            room: text(&claims["room"]).unwrap(),
            lane,
            born: number("born", 3).unwrap_or(0),
            epoch: number("epoch", 1).unwrap_or(0),
            number: number("pos", 0),
            came: claims["came"].as_u64(),
            seen: number("cur", 2),
            is_waiting,
            is_admitted: claims["adm"].is_u64() && claims["called"] != true,
            has_grace: claims["grace"].is_u64(),
            notice: text(&claims["why"]).or_else(|| text(&claims["notice"])),
            claims,
        }
    }
}
