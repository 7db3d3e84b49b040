//! What is left of a configuration that cannot serve newcomers: who was admitted stays inside, and bypass paths stay open.
//!
//! Invariant: nothing is in here that was not read and found sound.

use super::{
    Belongs, Config, Findings, List, OriginCookie, PastBy, Paths, Place, Problem, Rooms, SITE,
    Serves, WafSettings, WebSockets, serves,
};
use crate::http::Call;
use crate::queue::{Lane, Now, Waf};
use crate::ticket::Keys;

/// A configuration with problems that are no matter of looks.
pub struct Unsound {
    /// Every problem there is, those of looks too.
    pub problems: Vec<Problem>,
    /// The rooms. Their names may be unsound: [`place_of`](Self::place_of) knows.
    pub rooms: Rooms,
    knows_rooms: bool,
    of_rooms: Sites,
    of_regions: Sites,
    /// What verifies tickets and signs passes.
    pub keys: Option<Keys>,
    /// Where the operator's routes begin, or would by default.
    pub admin_path: String,
    /// Whether these are read and sound: where operators are answered, by path and by host.
    pub knows_operators: bool,
    /// Whether the first of them is.
    pub knows_admin_path: bool,
    /// What the origin sees of our cookie.
    pub origin_cookie: OriginCookie,
    /// What becomes of an `Upgrade: websocket`; it is refused where the setting is not sound.
    pub web_sockets: WebSockets,
    /// How the site's firewall is asked.
    pub waf: KnownWaf,
    /// What skips the room and what may be cached, as far as that is known: without a sound list of what is protected, or of the rooms,
    /// all is.
    pub paths: Paths,
    admin_host: Option<String>,
    clock: Option<i64>,
}

/// How the site's firewall is asked, as far as that is known.
pub enum KnownWaf {
    /// So, or not at all.
    Known(Option<Waf>),
    /// One of its settings is wrong.
    Unknown,
}

/// To which sites requests go: to which backend, and for which host there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sites {
    Known,
    Unknown,
}

impl Unsound {
    pub(super) fn of(config: Config, findings: Findings) -> Self {
        let problems = [findings.problems, findings.closed, findings.ignored].concat();
        let is_read = |key: &str| !findings.unknown.contains(&key);
        let is_sound =
            |key: &str| is_read(key) && !problems.iter().any(|problem| problem.key == key);
        let knows_areas = !findings.mixes_rooms;
        let knows_protected = is_sound("protected_paths") && is_read("rooms") && knows_areas;
        Self {
            // Where they are not read, who is inside the first room stays inside, as where there is no other.
            knows_rooms: is_sound("room") && knows_areas,
            of_regions: if is_read("regions") && !findings.mixes_backends {
                Sites::Known
            } else {
                Sites::Unknown
            },
            // Where it was not read there is none in most services, and visitors inside go on.
            of_rooms: if problems.iter().all(|problem| !SITE.contains(&problem.key))
                && !findings.mixes_sites
            {
                Sites::Known
            } else {
                Sites::Unknown
            },
            rooms: Rooms {
                bypass_when: if is_read("bypass_when") {
                    config.rooms.bypass_when
                } else {
                    Vec::new()
                },
                ..config.rooms
            },
            keys: is_read("jwt_secret").then_some(config.tickets.keys),
            clock: config.clock,
            admin_path: config.operators.path,
            knows_operators: is_sound("admin_path") && is_sound("admin_host"),
            knows_admin_path: is_sound("admin_path"),
            admin_host: config.operators.host,
            origin_cookie: config.web.origin_cookie,
            web_sockets: config.web.web_sockets,
            waf: match findings.waf {
                WafSettings::Sound => KnownWaf::Known(config.waf),
                WafSettings::Wrong => KnownWaf::Unknown,
            },
            paths: Paths {
                bypass: if is_read("bypass_paths") {
                    config.paths.bypass
                } else {
                    List::default()
                },
                well_known: knows_protected,
                protected: if knows_protected {
                    config.paths.protected
                } else {
                    List::everything()
                },
                cache: if is_sound("cache_paths") {
                    config.paths.cache
                } else {
                    List::default()
                },
                command: List::default(),
            },
            problems,
        }
    }

    /// Whether all of it was read; if not, it is read again for the next request.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        !self.problems.iter().any(|problem| problem.unreadable)
    }

    /// Where a request belongs, if the rooms are read and sound.
    #[must_use]
    pub fn place_of(&self, call: &Call) -> Option<Place<'_>> {
        let place = || self.rooms.place_of(&self.paths, &self.admin_path, call);
        self.knows_rooms.then(place)
    }

    /// What lets a request past every room, as far as that is known. Where the rooms are not, what lists paths counts as one.
    #[must_use]
    pub fn past_by(&self, call: &Call) -> Option<PastBy> {
        if let Some(place) = self.place_of(call) {
            return match place.belongs {
                Belongs::PastRoom(by) => Some(by),
                Belongs::InRoom | Belongs::Unclear => None,
            };
        }
        let is_listed = self.paths.skip_room(&call.method, &call.path);
        let listed = is_listed.then_some(PastBy::BypassPaths);
        listed.or_else(|| self.rooms.bypassed_by(call))
    }

    /// Whether it is known to which site requests with a ticket of this lane go; those without one are of the main line.
    #[must_use]
    pub fn knows_site(&self, lane: Lane) -> bool {
        let is_known = self.of_regions == Sites::Known || lane == Lane::Main;
        is_known && self.of_rooms == Sites::Known
    }

    /// A time of the POP's clock, as the setting `clock` shifts it.
    #[must_use]
    pub fn shifted(&self, now: Now) -> Now {
        now.shifted(self.clock.unwrap_or(0))
    }

    /// What is served on a host, named without its port, as far as that is known.
    #[must_use]
    pub fn serves(&self, host: &str) -> Serves {
        serves(self.admin_host.as_deref(), host)
    }
}
