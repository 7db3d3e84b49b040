//! One waiting room: a line of its own with its pace and its looks, and the names of all that belongs to it.

use super::events::{Told, Usual};
use super::{Defaults, ORIGIN, OnOriginError, Paths, Reader, RoomRegions};
use crate::http::Site;
use crate::http::cookie::RoomCookies;
use crate::page::{Brand, Pages};
use crate::queue::{
    AbsentVisitors, Cap, CurrentEvent, Enforcement, Event, HealthRule, Invitations, Lane,
    NetworkBound, OriginHealth, Pace, RoomName, SharedTickets, SignalRule,
};
use crate::ticket::challenge::Proof;

/// One waiting room.
pub struct Room {
    /// Its name: part of the store's keys, of the cache's and of every ticket.
    pub name: RoomName,
    /// The path below which its routes are.
    pub routes: String,
    /// The names of its cookies.
    pub cookies: RoomCookies,
    /// Where its requests go, but for those of visitors inside whose region has a site of its own.
    pub site: Site,
    /// The name of its origin, where it watches that and other rooms have the same one: they hear from each other that it is sick.
    pub origin: Option<String>,
    /// What its profile says of settings that are not set.
    pub profile: Defaults,
    /// How the line moves by itself.
    pub pace: Pace,
    /// The room whose pace and cap these are, where several rooms have them together.
    pub limits_of: Option<RoomName>,
    /// The events of that room, where it is another one: they may bring a pace and a cap.
    pub limits_events: Vec<Event>,
    /// What is done about called visitors who do not come.
    pub absent_visitors: AbsentVisitors,
    /// How many may be inside.
    pub cap: Cap,
    /// Whether a cap holds visitors back, whoever set it.
    pub active_visitors: Enforcement,
    /// For how many minutes a turn lasts; 0 for as long as the ticket.
    pub turn_minutes: u64,
    /// For how many minutes a visitor may be inside under a cap, by the claim; 0 for any time.
    pub longest_stay: u64,
    /// The events that begin by themselves, in the order of their times.
    pub events: Vec<Event>,
    /// When the origin counts as sick, and what is done about it.
    pub health: HealthRule,
    /// What the edge itself asks the origin for, to see how it answers.
    pub probe_path: Option<String>,
    /// What a visitor gets who would go in, where the origin's answer is bad.
    pub on_origin_error: OnOriginError,
    /// From how many networks one admitted ticket may be used.
    pub shared_tickets: SharedTickets,
    /// How many numbers one network may draw.
    pub network_bound: NetworkBound,
    /// What is done about visitors of whom the platform says something.
    pub signals: SignalRule,
    /// The operator's page that tests challenged visitors, in place of the calculation.
    pub verifier: Option<String>,
    /// The list of the networks whose clients need no ticket.
    pub allow_acl: Option<String>,
    /// Which invitations are taken.
    pub invitations: Invitations,
    /// The regions with lines of their own, if there are any.
    pub regions: Option<RoomRegions>,
    /// Seconds between two looks of a visitor near the front.
    pub refresh_interval: u64,
    /// The waiting page in the operator's brand.
    pub pages: Pages,
    /// The same of events that have a heading or a page of their own, by their ids.
    pub event_pages: Vec<(String, Pages)>,
}

/// What is called after the room.
pub(super) struct Named {
    pub(super) name: RoomName,
    pub(super) routes: String,
    pub(super) cookies: RoomCookies,
}

impl Room {
    /// What challenged visitors do for a number.
    #[must_use]
    pub fn proof(&self) -> Proof {
        match self.verifier {
            Some(_) => Proof::Verifier,
            None => Proof::Calculation,
        }
    }

    /// The site for visitors inside with a ticket of this lane.
    #[must_use]
    pub fn site(&self, lane: Lane) -> &Site {
        let regions = self.regions.as_ref();
        let own = regions.and_then(|regions| regions.site(lane));
        own.unwrap_or(&self.site)
    }

    /// All sites to which visitors inside may be sent, each once.
    #[must_use]
    pub fn sites(&self) -> Vec<&Site> {
        let of_regions = self.regions.iter().flat_map(|regions| &regions.sites);
        let mut sites = vec![&self.site];
        for (_, site) in of_regions {
            if !sites.contains(&site) {
                sites.push(site);
            }
        }
        sites
    }

    /// The waiting page as it looks now.
    #[must_use]
    pub fn pages_now(&self, event: Option<&CurrentEvent>) -> &Pages {
        let running = event.filter(|known| known.phase.runs());
        let is_its =
            |(id, _): &&(String, Pages)| running.is_some_and(|known| known.event.id == *id);
        let own = self.event_pages.iter().find(is_its);
        own.map_or(&self.pages, |(_, pages)| pages)
    }

    /// All its waiting pages.
    pub fn all_pages(&self) -> impl Iterator<Item = &Pages> {
        let own = self.event_pages.iter().map(|(_, pages)| pages);
        std::iter::once(&self.pages).chain(own)
    }

    /// The name of the origin that it watches, if all of its requests go to one.
    pub(super) fn watched_origin(&self) -> Option<String> {
        let is_watched = self.health.setting != OriginHealth::Off;
        let Site { backend, host } = &self.site;
        let name = || {
            let backend = backend.as_deref().unwrap_or(ORIGIN);
            format!("{backend}/{}", host.as_deref().unwrap_or_default())
        };
        (is_watched && self.sites().len() == 1).then(name)
    }

    pub(super) fn asked_of(reader: &mut Reader<'_>, paths: &Paths, named: Named) -> Self {
        let profile = reader.profile();
        let cap = reader.cap();
        let pace = Pace {
            automatic: reader.number("automatic", Pace::USUAL.automatic, Pace::AUTOMATIC),
            quantity: reader.number("automatic_quantity", Pace::USUAL.quantity, Pace::QUANTITY),
        };
        let events = reader.events(Usual { pace, cap });
        let (brand, template) = (reader.brand(), reader.template());
        let looks = |told: &Told| {
            let (heading, own) = (told.heading.clone(), told.template.clone());
            let brand = Brand {
                heading: heading.or_else(|| brand.heading.clone()),
                ..brand.clone()
            };
            let pages = Pages::new(brand, own.or_else(|| template.clone()));
            (told.event.id.clone(), pages)
        };
        let differ = |told: &&Told| told.heading.is_some() || told.template.is_some();
        let event_pages = events.iter().filter(differ).map(looks).collect();
        let room = Self {
            name: named.name,
            routes: named.routes,
            cookies: named.cookies,
            site: reader.site(),
            origin: None,
            profile,
            pace,
            limits_of: None,
            limits_events: Vec::new(),
            absent_visitors: reader.absent_visitors(),
            cap,
            active_visitors: reader.active_visitors(),
            longest_stay: reader.longest_stay(&cap),
            turn_minutes: reader.turn_minutes(),
            events: events.into_iter().map(|told| told.event).collect(),
            health: reader.health(),
            probe_path: reader.probe_path(),
            on_origin_error: reader.on_origin_error(),
            shared_tickets: reader.shared_tickets(),
            network_bound: reader.network_bound(),
            signals: reader.signals(),
            verifier: reader.verifier(paths),
            allow_acl: reader.acl("allow_acl"),
            invitations: reader.invitations(),
            regions: reader.regions(),
            refresh_interval: reader
                .cosmetic(|reader| reader.number("refresh_interval", 5, 1..=30)),
            pages: Pages::new(brand, template),
            event_pages,
        };
        reader.tell_groups_from(&room.invitations.groups, room.regions.as_ref());
        room
    }
}
