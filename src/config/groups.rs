//! The settings in groups, each for one reader, and the choices that a setting can be.

use super::{OperatorSecrets, Reader, Source};
use crate::http::network;
use crate::ticket::Keys;
use crate::ticket::keys::{Purpose, shortened};
use crate::ticket::kit::KitLine;
use std::net::IpAddr;
use std::sync::Arc;

/// What visitors' browsers, other sites and the origin get to see.
#[derive(Debug, PartialEq, Eq)]
pub struct Web {
    /// Status of the waiting page.
    pub waiting_status: u16,
    /// Who may show the waiting page in a frame, as a source list of Content-Security-Policy; `None` for nobody.
    pub frame_ancestors: Option<String>,
    /// Whether the waiting data also speaks to programs written for Cloudflare.
    pub cf_compat: bool,
    /// Pages of these origins may read our answers to their visitors.
    pub cors_origins: Vec<String>,
    /// Whether forms that other sites post reach the origin for visitors inside.
    pub cross_site_posts: bool,
    /// What the origin sees of our cookie.
    pub origin_cookie: OriginCookie,
    /// What becomes of an `Upgrade: websocket`.
    pub web_sockets: WebSockets,
}

/// Tickets and the keys that sign them.
pub struct Tickets {
    /// Life of a waiting ticket in seconds; polls renew it.
    pub life: u64,
    /// Seconds for which an admitted visitor stays inside.
    pub stay: u64,
    /// Signs and verifies tickets.
    pub keys: Keys,
    /// The line of Fastly's starter kit that the first room took over.
    pub kit: Option<KitLine>,
}

impl Tickets {
    /// A few characters by which the network of an address is known again, and which tell nothing about it.
    #[must_use]
    pub fn known_network(&self, address: IpAddr) -> String {
        let key = self.keys.of(Purpose::Network).next();
        key.map_or_else(String::new, |key| shortened(&network(address), &key))
    }
}

/// What to do while the store does not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// With visitors who have not been admitted.
    pub policy: OnStoreError,
    /// Seconds for which `OnStoreError::Admit` lets in.
    pub admit_for: u64,
}

/// The operators' routes.
pub struct Operators {
    /// Where they begin.
    pub path: String,
    /// The only host with them, in lower case; `None` where every host has them.
    pub host: Option<String>,
    /// The list of networks from which people may use them.
    pub acl: Option<String>,
    /// The secrets that open them, which no visitor's request reads.
    pub secrets: OperatorSecrets,
    /// The most one permit may release.
    pub permit_max: u64,
    /// The most admissions kept for arrivals to come.
    pub credit_max: u64,
}

impl Operators {
    pub(super) fn asked_of(reader: &mut Reader<'_>, source: &Arc<dyn Source>) -> Self {
        Self {
            path: reader.admin_path(),
            host: reader.admin_host(),
            acl: reader.acl("operators_acl"),
            secrets: OperatorSecrets::new(Arc::clone(source)),
            permit_max: reader.number("permit_max", 10_000, 1..=1_000_000),
            credit_max: reader.number("credit_max", 1_000, 0..=1_000_000),
        }
    }
}

/// What is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Logging {
    /// Of the polls of waiting visitors, one in this many.
    pub sample: u64,
    /// How much of the query of a URL.
    pub query: Query,
}

/// The store.
pub struct Store {
    /// Its REST address.
    pub url: String,
    /// Its token.
    pub token: String,
}

/// What a line tells of the query of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// Nothing: it may hold whatever a link was given to carry.
    LeftOut,
    /// All of it, as far as it goes.
    Kept,
}

/// What to do with visitors who have not been admitted while the store does not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnStoreError {
    /// Keep the page up, draw no numbers, ask again.
    Hold,
    /// Let in, for at most `admit_for` seconds.
    Admit,
}

/// What a visitor gets who would go in, where the origin's answer is bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnOriginError {
    /// That answer.
    Pass,
    /// The waiting page; the place in the line is kept.
    Keep,
}

/// What the origin sees of our cookie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OriginCookie {
    /// Nothing: it could do no more with a ticket than lose it.
    Remove,
    /// The cookie as the browser sent it.
    Keep,
}

/// What becomes of a `WebSocket` of a visitor who may go to the origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebSockets {
    /// It is refused: the platform hands over none unless its product for them is switched on.
    Refuse,
    /// The host connects the visitor with the origin.
    HandOver,
}
