//! One request with all that decides it, as every layer above the store sees it.

use crate::cache::{LAST_BOARD_TTL, Pop};
use crate::config::{Belongs, Config, Place, Room};
use crate::http::Call;
use crate::queue::chance::Chance;
use crate::queue::health::marker_seconds;
use crate::queue::sessions::longest_seconds;
use crate::queue::{
    Effort, Event, Invitation, Lane, Now, Phase, Platform, Presented, SaysNothing, Schedule,
};
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
    /// Whether it is for the line of that room.
    pub belongs: Belongs,
    /// The way to the store.
    pub store: &'a dyn Transport,
    /// What the POP remembers.
    pub pop: &'a dyn Pop,
    /// What the platform says of the request, asked for only where it decides something.
    pub platform: &'a dyn Platform,
    /// When it came.
    pub now: Now,
}

/// What a host brings along for a request.
#[derive(Clone, Copy)]
pub struct Ports<'a> {
    /// The way to the store.
    pub store: &'a dyn Transport,
    /// What the POP remembers.
    pub pop: &'a dyn Pop,
    /// What the platform says of the request.
    pub platform: &'a dyn Platform,
}

impl<'a> Request<'a> {
    /// A request that came now, on a platform that says nothing of it.
    #[must_use]
    pub fn new(
        call: &'a Call,
        config: &'a Config,
        store: &'a dyn Transport,
        pop: &'a dyn Pop,
        now: Now,
    ) -> Self {
        let ports = Ports {
            store,
            pop,
            platform: &SaysNothing,
        };
        Self::at(config.place_of(call), call, config, ports, now)
    }

    /// The same, where it is known already where it belongs.
    #[must_use]
    pub fn at(
        place: Place<'a>,
        call: &'a Call,
        config: &'a Config,
        ports: Ports<'a>,
        now: Now,
    ) -> Self {
        Self {
            call,
            config,
            room: place.room,
            belongs: place.belongs,
            store: ports.store,
            pop: ports.pop,
            platform: ports.platform,
            now,
        }
    }

    /// The line of its room.
    #[must_use]
    pub fn line(&self) -> Line<'a> {
        let session_minutes = self.session_minutes();
        let stay = self.stay_with(session_minutes);
        let bound = self.room.network_bound;
        Line {
            store: self.store,
            room: &self.room.name,
            pace: self.room.pace,
            limits_of: self.room.limits_of.as_ref(),
            limits_events: &self.room.limits_events,
            absent_visitors: self.room.absent_visitors,
            cap: self.room.cap,
            active_visitors: self.room.active_visitors,
            turn_minutes: self.room.turn_minutes,
            schedule: self.schedule(),
            health: (self.room.health, marker_seconds(Chance::of(&self.call.id))),
            origin: self.room.origin.as_deref(),
            network: if session_minutes.is_some() || bound.enforcement.is_some() {
                self.network()
            } else {
                String::new()
            },
            bound,
            effort: Effort::default(),
            invitation: None,
            lane: Lane::Main,
            home: Lane::Main,
            groups: &self.room.invitations.groups.list,
            regions: self.room.regions.as_ref().map(|regions| &regions.rule),
            // A line that ended by itself is none that was lost: no POP has a board of it any more.
            lifetime: (stay.max(self.config.tickets.life).saturating_mul(2))
                .max(2 * LAST_BOARD_TTL.as_secs()),
            now: self.now,
            clock: self.config.clock.map_or(Clock::Store, |_| Clock::Given),
            known: self.pop,
            pop: self.pop.pop(),
        }
    }

    /// The same for a ticket of this lane, with the invitation that it brings, where that is taken.
    #[must_use]
    pub fn line_with<'b>(&'b self, brought: Option<&'b Invitation>, lane: Lane) -> Line<'b> {
        let rule = &self.room.invitations;
        let taken =
            brought.filter(|brought| rule.are_taken() && !rule.have_revoked(&brought.batch));
        let invitation = taken.map(|invitation| Presented {
            invitation,
            per_minute: rule.per_minute,
        });
        Line {
            invitation,
            lane,
            home: self.home(),
            ..self.line()
        }
    }

    /// The lane of the region in which the visitor is, or the main one.
    fn home(&self) -> Lane {
        let country = self.call.country.as_deref();
        let regions = self.room.regions.as_ref();
        regions.map_or(Lane::Main, |regions| regions.lane(country, &self.pop.pop()))
    }

    /// The events of its room.
    #[must_use]
    pub fn schedule(&self) -> Schedule<'a> {
        Schedule {
            events: &self.room.events,
            secrets: &self.config.tickets.keys,
        }
    }

    /// The event whose time it is, and where it stands, as far as is known here: what an operator set is on the last board, and
    /// the clock of the store too.
    #[must_use]
    pub fn event(&self) -> Option<(Event, Phase)> {
        let last = self.pop.last_board();
        let (configured, now_ms) = (&self.room.events, self.now_of_events().ms());
        let events = last
            .as_ref()
            .map_or(configured.as_slice(), |board| board.live.events(configured));
        let event = Event::of(events, now_ms).cloned()?;
        let phase = event.phase(now_ms);
        Some((event, phase))
    }

    /// The time by which events go: by the clock of the store, as far as the last board tells it.
    #[must_use]
    pub fn now_of_events(&self) -> Now {
        let last = self.pop.last();
        let told = last.as_ref().and_then(|last| {
            let event = last.board.as_ref()?.event.as_ref()?;
            Some(event.now(last.read_ms, self.now))
        });
        told.unwrap_or(self.now)
    }

    /// How long a session is, where a cap holds as far as is known here: what an operator set is on the board.
    #[must_use]
    pub fn session_minutes(&self) -> Option<u64> {
        let cap = self.room.cap;
        let configured = cap.holds().then_some(cap.session_minutes);
        let told = self.pop.last_board().and_then(|board| board.sessions);
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
