//! The regions of the model.

use super::birth::{LEAST_GAP, Windows};
use super::rate::Measuring;
use super::{Asker, Model};
use crate::queue::regions::{Claimant, Lag, Traffic, shares, split};
use crate::queue::{Cursor, Lane, Position, Region, RegionLine, RegionName, Regions, WaitingProof};
use std::collections::BTreeMap;

const MINUTE_MS: u64 = 60_000;

/// What is known of the regions beside their numbers. The main line is that of all other places, which have no name.
#[derive(Clone, Debug, Default)]
pub(super) struct InRegions {
    rule: Option<Regions>,
    places: BTreeMap<Option<RegionName>, Place>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub(super) windows: Windows,
    measuring: Measuring,
    /// Whether this verb has called visitors of it.
    is_called: bool,
    came: Came,
    owed: i64,
}

/// How many drew in the latest minute with a verb, and in the two before it.
#[derive(Clone, Copy, Debug, Default)]
struct Came {
    minute: u64,
    now: u64,
    last: u64,
    before: u64,
}

impl Came {
    fn turn(&mut self, minute: u64) {
        let Some(ago) = minute.checked_sub(self.minute).filter(|ago| *ago > 0) else {
            return;
        };
        let (last, before) = match ago {
            1 => (self.now, self.last),
            2 => (0, self.now),
            _ => (0, 0),
        };
        *self = Self {
            minute,
            now: 0,
            last,
            before,
        };
    }
}

impl Model {
    /// The same line with these regions.
    #[must_use]
    pub fn with_regions(mut self, rule: Option<Regions>) -> Self {
        for region in rule.iter().flat_map(|rule| &rule.list) {
            self.know(region.name);
        }
        self.regions.rule = rule;
        self
    }

    pub(super) fn know(&mut self, name: RegionName) -> &mut Place {
        self.regions.places.entry(None).or_default();
        self.regions.places.entry(Some(name)).or_default()
    }

    pub(super) fn knows_regions(&self) -> bool {
        !self.regions.places.is_empty()
    }

    pub(super) fn names(&self) -> Vec<RegionName> {
        self.regions.places.keys().copied().flatten().collect()
    }

    pub(super) fn configured(&self, name: RegionName) -> Option<&Region> {
        self.regions.rule.as_ref()?.named(name)
    }

    /// What happens before each verb.
    pub(super) fn begin_regions(&mut self, now_ms: u64) {
        for place in self.regions.places.values_mut() {
            place.came.turn(now_ms / MINUTE_MS);
            place.is_called = false;
        }
    }

    /// The line and the regions have called this many visitors together.
    pub(super) fn call_main(&mut self, most: u64) {
        if self.regions.places.is_empty() {
            self.sign.cursor.0 += most;
            return;
        }
        if most == 0 {
            return;
        }
        let claimants = self.claimants();
        let parts = split(most, &claimants);
        let places = self.regions.places.iter_mut();
        for ((name, place), part) in places.zip(parts) {
            place.owed = part.remainder;
            match *name {
                None => self.sign.cursor.0 += part.released,
                Some(name) => {
                    let mut line = self.sign.region(name);
                    line.cursor.0 += part.released;
                    self.sign.put_region(line);
                    place.is_called |= part.released > 0;
                    self.front.called += part.released;
                }
            }
        }
    }

    fn claimants(&self) -> Vec<Claimant> {
        let lag = self.regions.rule.as_ref().map_or(Lag::One, |rule| rule.lag);
        let places = self.regions.places.iter();
        let traffic = places.map(|(name, place)| Traffic {
            fixed: name.and_then(|name| self.configured(name)?.share),
            arrivals: match lag {
                Lag::One => place.came.last,
                Lag::Two => place.came.before,
            },
            waiting: name.map_or(self.sign.waiting_in_main(), |name| {
                self.sign.region(name).waiting()
            }),
        });
        let traffic: Vec<Traffic> = traffic.collect();
        let pace = self.sign.live.pace;
        let limit = (pace.budget() * 60).checked_div(pace.automatic);
        let shares = shares(limit.unwrap_or(0), &traffic);
        let known = traffic.iter().zip(shares).zip(self.regions.places.values());
        known
            .map(|((traffic, share), place)| Claimant {
                share,
                waiting: traffic.waiting,
                remainder: place.owed,
            })
            .collect()
    }

    /// A visitor has drawn in the main line.
    pub(super) fn came_from_anywhere(&mut self, now_ms: u64) {
        if let Some(place) = self.regions.places.get_mut(&None) {
            place.came.turn(now_ms / MINUTE_MS);
            place.came.now += 1;
        }
    }

    /// What the ticket drew in a region before, when the answer was lost.
    pub(super) fn drawn_in_region(&self, id: &str) -> Option<(Lane, Position)> {
        let (name, place) = self.claims.uses.drawn_in_region(id)?;
        let lane = Lane::Region(name);
        Some((lane, self.number_in(lane, place)?))
    }

    pub(super) fn draw_in_region(
        &mut self,
        asker: Asker<'_>,
        name: RegionName,
        now_ms: u64,
    ) -> Position {
        let mut line = self.sign.region(name);
        let place = self.know(name);
        place.windows.count_draw(now_ms, line.length);
        place.came.turn(now_ms / MINUTE_MS);
        place.came.now += 1;
        line.length += 1;
        self.sign.put_region(line);
        let position = Position(line.length);
        let written = self.sign.of(Lane::Region(name)).place(position);
        self.claims.uses.draw_in_region(asker.id, (name, written));
        position
    }

    /// A ticket of a region proves what it had reached.
    pub(super) fn take_region_ticket(&mut self, name: RegionName, ticket: WaitingProof) {
        self.know(name);
        let birth = &self.sign.birth;
        if !self.is_of_this(ticket.born, ticket.epoch) || birth.started == 0 {
            return;
        }
        self.sign.epoch = self.sign.epoch.max(ticket.epoch);
        self.show_held(Lane::Region(name), ticket.position.0);
        if ticket.position.0 > self.sign.region(name).length {
            self.gaps.remove(&Lane::Region(name));
            self.begin_region_at(name, ticket.position.0 + LEAST_GAP);
        }
        let seen = ticket.cursor_at_draw.0.min(ticket.position.0);
        self.remember_region_cursor(name, Cursor(seen));
    }

    pub(super) fn begin_region_at(&mut self, name: RegionName, length: u64) {
        let line = RegionLine {
            length,
            ..self.sign.region(name)
        };
        self.sign.put_region(line);
        self.know(name).windows.begin_at(length);
    }

    pub(super) fn remember_region_cursor(&mut self, name: RegionName, seen: Cursor) {
        let line = self.sign.region(name);
        if seen > line.cursor {
            self.know(name).measuring.forget();
            self.sign.put_region(RegionLine {
                cursor: seen,
                ..line
            });
        }
    }

    /// The line is of another birth, and the numbers of the regions were not.
    pub(super) fn forget_regions(&mut self) {
        self.sign.regions.clear();
        for place in self.regions.places.values_mut() {
            place.windows.begin_at(0);
            place.owed = 0;
        }
    }

    /// Every ticket ends.
    pub(super) fn end_regions(&mut self) {
        for line in &mut self.sign.regions {
            line.cursor = Cursor(line.length);
        }
        for place in self.regions.places.values_mut() {
            place.owed = 0;
        }
    }

    pub(super) fn forget_rate_of_regions(&mut self) {
        for place in self.regions.places.values_mut() {
            place.measuring.forget();
        }
    }

    pub(super) fn measure_regions(&mut self, now_ms: u64) {
        for (name, place) in &mut self.regions.places {
            let Some(name) = *name else {
                continue;
            };
            let line = self.sign.region(name);
            if line.waiting() == 0 {
                place.measuring.forget();
            } else if place.is_called {
                place.measuring.measure(line.cursor, now_ms);
            }
        }
    }

    pub(super) fn show_regions(&mut self, now_ms: u64) {
        self.sign.regions.retain(|line| line.length > 0);
        for line in &mut self.sign.regions {
            if let Some(place) = self.regions.places.get(&Some(line.name)) {
                line.recent = place.windows.recent(now_ms, line.length);
                line.measured = place.measuring.told(line.cursor);
            }
        }
    }
}
