//! The regions of a room: in which of them a visitor is, and to which site requests of a visitor inside go.
//!
//! Invariant: a visitor of whom it is not known where they come from is in none of them. The ticket decides about the site, wherever
//! its holder is.

use crate::http::Site;
use crate::queue::{Lag, Lane, LaneName, Regions};

/// The regions of a room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoomRegions {
    /// What the store knows of them.
    pub rule: Regions,
    pub(super) places: Vec<Places>,
    /// Those sites that are not the room's own.
    pub(super) sites: Vec<(LaneName, Site)>,
}

/// Where a region is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Places {
    /// Where the platform takes the visitor's address to be: ISO 3166-1 alpha-2.
    Countries(Vec<String>),
    /// Which data centre the visitor reaches.
    Pops(Vec<String>),
}

impl Places {
    pub(super) fn names(&self) -> &[String] {
        match self {
            Self::Countries(names) | Self::Pops(names) => names,
        }
    }
}

impl RoomRegions {
    /// Of which none is known yet.
    pub(super) fn new(lag: Lag) -> Self {
        let list = Vec::new();
        Self {
            rule: Regions { list, lag },
            places: Vec::new(),
            sites: Vec::new(),
        }
    }

    /// The lane of a visitor from this country, who reached this data centre: of the first region that has either. The others are in the main
    /// line.
    #[must_use]
    pub fn lane(&self, country: Option<&str>, pop: &str) -> Lane {
        let has = |places: &Places| match places {
            Places::Countries(names) => country.is_some_and(|country| is_among(names, country)),
            Places::Pops(names) => is_among(names, pop),
        };
        let mut regions = self.rule.list.iter().zip(&self.places);
        let found = regions.find(|(_, places)| has(places));
        found.map_or(Lane::Main, |(region, _)| Lane::Named(region.name))
    }

    /// The site for visitors inside with a ticket of this lane, where it is not the room's own.
    #[must_use]
    pub fn site(&self, lane: Lane) -> Option<&Site> {
        let of = |(name, _): &&(LaneName, Site)| Lane::Named(*name) == lane;
        let found = self.sites.iter().find(of);
        found.map(|(_, site)| site)
    }

    /// Whether the data centre of a visitor decides about any of them.
    #[must_use]
    pub fn ask_for_pop(&self) -> bool {
        let by_pop = |places: &Places| matches!(places, Places::Pops(_));
        self.places.iter().any(by_pop)
    }

    /// Whether the country of a visitor decides about any of them.
    #[must_use]
    pub fn ask_for_country(&self) -> bool {
        let is_by_country = |places: &Places| matches!(places, Places::Countries(_));
        self.places.iter().any(is_by_country)
    }

    /// Whether the room has this one.
    #[must_use]
    pub fn has(&self, name: LaneName) -> bool {
        self.rule.named(name).is_some()
    }
}

fn is_among(names: &[String], name: &str) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}
