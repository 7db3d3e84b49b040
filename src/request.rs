//! One request with all that decides it, as every layer above the store sees it.

use crate::cache::Pop;
use crate::config::{Config, Room};
use crate::http::Call;
use crate::queue::Now;
use crate::queue::chance::Chance;
use crate::queue::health::marker_seconds;
use crate::queue::sessions::longest_seconds;
use crate::store::upstash::Transport;
use crate::store::{Clock, Line};

/// One request with all that decides it; its body comes apart, since it is read for operators only.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The request.
    pub call: &'a Call,
    /// The settings.
    pub config: &'a Config,
    /// The room that it is for.
    pub room: &'a Room,
    /// The way to the store.
    pub store: &'a dyn Transport,
    /// What the POP remembers.
    pub pop: &'a dyn Pop,
    /// When it came.
    pub now: Now,
}

impl<'a> Request<'a> {
    /// A request that came now.
    #[must_use]
    pub fn new(
        call: &'a Call,
        config: &'a Config,
        (store, pop): (&'a dyn Transport, &'a dyn Pop),
        now: Now,
    ) -> Self {
        Self {
            call,
            config,
            room: config.room_of(call),
            store,
            pop,
            now,
        }
    }

    /// The line of its room.
    #[must_use]
    pub fn line(&self) -> Line<'a> {
        let session_minutes = self.session_minutes();
        let stay = self.stay_with(session_minutes);
        Line {
            store: self.store,
            room: &self.room.name,
            pace: self.room.pace,
            absent_visitors: self.room.absent_visitors,
            cap: self.room.cap,
            health: (self.room.health, marker_seconds(Chance::of(&self.call.id))),
            network: session_minutes.map_or_else(String::new, |_| self.network()),
            lifetime: stay.max(self.config.tickets.life).saturating_mul(2),
            now: self.now,
            clock: self.config.clock.map_or(Clock::Store, |_| Clock::Given),
            known: self.pop,
            pop: self.pop.pop(),
        }
    }

    /// How long a session is, where a cap holds as far as is known here: what an operator set is on the sign.
    #[must_use]
    pub fn session_minutes(&self) -> Option<u64> {
        let cap = self.room.cap;
        let configured = cap.holds().then_some(cap.session_minutes);
        let told = self.pop.last_sign().and_then(|sign| sign.sessions);
        told.map(|sessions| sessions.minutes).max(configured)
    }

    /// How long an admitted visitor's ticket is good, in seconds: at least as long as a session.
    #[must_use]
    pub fn stay(&self) -> u64 {
        self.stay_with(self.session_minutes())
    }

    fn stay_with(&self, session_minutes: Option<u64>) -> u64 {
        let session = session_minutes.map_or(0, longest_seconds);
        self.config.tickets.stay.max(session)
    }

    /// What is remembered of the visitor's network.
    #[must_use]
    pub fn network(&self) -> String {
        let known = self
            .call
            .address
            .map(|address| self.config.tickets.known_network(address));
        known.unwrap_or_default()
    }
}
