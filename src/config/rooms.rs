//! The rooms of a service, and which request belongs to which of them.
//!
//! The first room takes what no other takes. Of the others the one whose area names the request most closely takes it: by
//! host, then by path, method, condition and country; of two that name it alike the one that is listed first.
//! Invariant: a path that some origin may read as the path of a room never counts as another room's.

use super::condition::{Condition, is_from};
use super::paths::{PathCloseness, Reading, Widest, readings};
use super::{List, Operators, Paths, Problem, Room, RoomRegions, Serves, below, serves};
use crate::http::Call;
use crate::queue::RoomName;
use std::fmt;

/// Part of a host, a path or a value that no setting names, since words there are shorter or others.
pub(super) const UNNAMED: &str = "what-no-list-names";

/// All rooms.
pub struct Rooms {
    /// The one that takes what no other takes.
    pub first: Room,
    /// A request that meets one of these goes past every room.
    pub(super) bypass_when: Vec<Condition>,
    pub(super) others: Vec<Other>,
}

/// A room besides the first.
pub(super) struct Other {
    pub(super) area: Area,
    pub(super) room: Room,
}

/// The requests that a room is for. What it does not name it takes from everywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Area {
    pub(super) hosts: Vec<Host>,
    pub(super) paths: List,
    /// Paths that are not the room's, although they are listed.
    pub(super) not: List,
    /// ISO 3166-1 alpha-2.
    pub(super) countries: Vec<String>,
    /// One of these has to be met, if there are any.
    pub(super) when: Vec<Condition>,
}

/// A host of an area, in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Host {
    /// This one.
    Exact(String),
    /// All below it. With the dot in front.
    Below(String),
}

/// How closely an area names a request: the greater one wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Closeness {
    /// By how many letters of its host.
    host: usize,
    path: PathCloseness,
    by_condition: bool,
    by_country: bool,
}

/// Whether an area takes a request.
enum Taken {
    /// It does.
    Surely(Closeness),
    /// Some origin may read the path as one of the area.
    Perhaps(Closeness),
}

/// Whether a request is for the line of its room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Belongs {
    /// It is.
    InRoom,
    /// It goes to the origin whatever the line does.
    PastRoom(PastBy),
    /// Origins may read its path as one of several rooms.
    Unclear,
}

/// What lets a request past every room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PastBy {
    /// `bypass_paths` lists its path.
    BypassPaths,
    /// It meets this one of `bypass_when`, counted from 0.
    BypassWhen(usize),
    /// Programs fetch its path, without a visitor's cookies.
    WellKnown,
    /// No list names its path: neither `protected_paths` nor a room.
    NotProtected,
}

/// As the log and `check` name it.
impl fmt::Display for PastBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BypassPaths => f.write_str("bypass_paths"),
            Self::BypassWhen(at) => write!(f, "bypass_when[{at}]"),
            Self::WellKnown => f.write_str("/.well-known/*"),
            Self::NotProtected => f.write_str("protected_paths"),
        }
    }
}

/// Where a request belongs.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// The room that counts it.
    pub room: &'a Room,
    /// Whether it is for that room's line.
    pub belongs: Belongs,
}

impl Rooms {
    /// Every room, the first one first.
    pub fn all(&self) -> impl Iterator<Item = &Room> {
        let others = self.others.iter().map(|other| &other.room);
        std::iter::once(&self.first).chain(others)
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut Room> {
        let others = self.others.iter_mut().map(|other| &mut other.room);
        std::iter::once(&mut self.first).chain(others)
    }

    /// Of these two places among all rooms, the room of the first has its pace and its cap together with that of the second.
    pub(super) fn share_limits(&mut self, [at, of]: [usize; 2]) {
        let Some(owner) = self.all().nth(of) else {
            return;
        };
        let (name, events) = (owner.name.clone(), owner.events.clone());
        let (pace, cap, active_visitors) = (owner.pace, owner.cap, owner.active_visitors);
        for (place, room) in self.all_mut().enumerate() {
            if place == at || place == of {
                (room.pace, room.cap, room.limits_of) = (pace, cap, Some(name.clone()));
                room.active_visitors = active_visitors;
            }
            if place == at {
                room.limits_events.clone_from(&events);
            }
        }
    }

    /// How many rooms have their limits together with this one, which counts as well.
    #[must_use]
    pub fn sharing_with(&self, room: &Room) -> u64 {
        let is_one = |other: &&Room| other.name == room.name || other.limits_of == room.limits_of;
        match room.limits_of {
            Some(_) => u64::try_from(self.all().filter(is_one).count()).unwrap_or(1),
            None => 1,
        }
    }

    /// Rooms that have one origin know it by its name.
    pub(super) fn name_origins(&mut self) {
        let names: Vec<Option<String>> = self.all().map(Room::watched_origin).collect();
        for (room, name) in self.all_mut().zip(&names) {
            let is_of_several = names.iter().filter(|other| *other == name).count() > 1;
            room.origin = name.clone().filter(|_| is_of_several);
        }
    }

    /// Whether the country of a visitor decides about any room or region.
    #[must_use]
    pub fn ask_for_country(&self) -> bool {
        let by_room = |other: &Other| !other.area.countries.is_empty();
        let by_condition = self.conditions().any(Condition::asks_for_country);
        let by_region = |room: &Room| {
            let regions = room.regions.as_ref();
            regions.is_some_and(RoomRegions::ask_for_country)
        };
        self.others.iter().any(by_room) || by_condition || self.all().any(by_region)
    }

    /// Whether a condition asks for a header of this name, in lower case, that no other part of the service reads.
    #[must_use]
    pub fn ask_for_header(&self, name: &str) -> bool {
        let mut conditions = self.conditions();
        conditions.any(|condition| condition.header() == Some(name))
    }

    fn conditions(&self) -> impl Iterator<Item = &Condition> {
        let of_rooms = self.others.iter().flat_map(|other| &other.area.when);
        self.bypass_when.iter().chain(of_rooms)
    }

    /// The one of `bypass_when` that a request meets.
    pub(super) fn bypassed_by(&self, call: &Call) -> Option<PastBy> {
        let mut conditions = self.bypass_when.iter();
        let met = conditions.position(|condition| condition.is_met_by(call));
        met.map(PastBy::BypassWhen)
    }

    /// What of `bypass_when` clients can send as they like. The value has names of it, and is for the operator alone: who knows it goes
    /// past the room.
    #[must_use]
    pub fn open_conditions(&self) -> Vec<Problem> {
        let mut open = Vec::new();
        for (at, condition) in self.bypass_when.iter().enumerate() {
            let sent = condition.sent();
            if sent.is_empty() {
                continue;
            }
            let client = if condition.asks_for_country() {
                "any client in one of its countries"
            } else {
                "any client"
            };
            let told = format!(
                "{client} can send what bypass_when[{at}] asks for, and goes past every room then"
            );
            open.push(Problem::wrong("bypass_when", Some(sent), &told));
        }
        open
    }

    /// Where a request belongs.
    pub(super) fn place_of(&self, paths: &Paths, admin_path: &str, call: &Call) -> Place<'_> {
        if below(&call.path, admin_path).is_some() {
            return in_room(self.of_route(&call.path));
        }
        let (method, path) = (&call.method, &call.path);
        let owner = self.owner(call);
        let is_named = || match owner {
            Ok(None) => paths.protected.names_well_known(method, path),
            Ok(Some(room)) | Err(room) => self.names_it(room, method, path),
        };
        let past = if paths.is_bypassed(method, path) {
            Some(PastBy::BypassPaths)
        } else if let Some(condition) = self.bypassed_by(call) {
            Some(condition)
        } else if paths.is_well_known(path) && !is_named() {
            Some(PastBy::WellKnown)
        } else {
            let is_skipped = matches!(owner, Ok(None)) && !paths.protects(method, path);
            is_skipped.then_some(PastBy::NotProtected)
        };
        let belongs = match (past, owner) {
            (Some(by), _) => Belongs::PastRoom(by),
            (None, Ok(_)) => Belongs::InRoom,
            (None, Err(_)) => Belongs::Unclear,
        };
        let room = owner.unwrap_or_else(Some).unwrap_or(&self.first);
        Place { room, belongs }
    }

    /// Those whose line no visitor comes to, since a number is drawn by a GET alone and all that they name is for other
    /// methods, skips the rooms, is the operators' or another room's. Nothing stands for what `protected_paths` names.
    pub(super) fn unreached(&self, paths: &Paths, operators: &Operators) -> Vec<Option<&RoomName>> {
        // Then the rooms are turned off, and all of the site is open.
        if paths.bypass.is_everything() {
            return Vec::new();
        }
        let is_reached = |name: Option<&RoomName>, call: &Call| {
            let is_operators = serves(operators.host.as_deref(), call.hostname())
                == Serves::Operators
                || below(&call.path, &operators.path).is_some();
            let place = self.place_of(paths, &operators.path, call);
            let is_its = name.is_none_or(|name| *name == place.room.name);
            !is_operators && is_its && !matches!(place.belongs, Belongs::PastRoom(_))
        };
        let protected = Area {
            paths: paths.protected.clone(),
            ..Area::default()
        };
        let others = self.others.iter();
        let others = others.map(|other| (Some(&other.room.name), &other.area));
        // Nothing is listed where the setting is not sound.
        let first = (!protected.paths.is_empty()).then_some((None, &protected));
        let unreached = first
            .into_iter()
            .chain(others)
            .filter(|(name, area)| !area.has_visit(&|call| is_reached(*name, call)));
        unreached.map(|(name, _)| name).collect()
    }

    /// Whether a room is for this path, of those that programs fetch, and not only for all of a host.
    fn names_it(&self, room: &Room, method: &str, path: &str) -> bool {
        let of_it = |other: &&Other| other.room.name == room.name;
        let other = self.others.iter().find(of_it);
        other.is_some_and(|other| other.area.paths.names_well_known(method, path))
    }

    /// The room whose routes are at this path.
    fn of_route(&self, path: &str) -> &Room {
        let mut others = self.others.iter().map(|other| &other.room);
        let found = others.find(|room| below(path, &room.routes).is_some());
        found.unwrap_or(&self.first)
    }

    /// The room whose area takes a request, if one does; one that may take it where that is unclear.
    fn owner(&self, call: &Call) -> Result<Option<&Room>, &Room> {
        if self.others.is_empty() {
            return Ok(None);
        }
        let Some(readings) = readings(&call.path) else {
            return self.possible(call);
        };
        let mut owners = readings.iter().map(|reading| self.closest(call, reading));
        let first = owners.next().flatten();
        let name_of_first = first.map(|room| &room.name);
        match owners.find(|owner| owner.map(|room| &room.name) != name_of_first) {
            None => Ok(first),
            Some(other) => Err(other.or(first).unwrap_or(&self.first)),
        }
    }

    /// The room that names a request most closely where its path is read so.
    fn closest(&self, call: &Call, reading: &Reading) -> Option<&Room> {
        let mut found = None;
        for Other { area, room } in &self.others {
            if let Some(closeness) = area.takes(call, reading) {
                note(&mut found, closeness, room);
            }
        }
        found.map(|(_, room)| room)
    }

    /// The same where origins may read its path as almost any.
    fn possible(&self, call: &Call) -> Result<Option<&Room>, &Room> {
        let widest = Widest::of(&call.path);
        let (mut sure, mut unsure) = (None, None);
        for Other { area, room } in &self.others {
            match area.may_take(call, &widest) {
                Some(Taken::Surely(closeness)) => note(&mut sure, closeness, room),
                Some(Taken::Perhaps(closeness)) => note(&mut unsure, closeness, room),
                None => {}
            }
        }
        match (sure, unsure) {
            (Some((sure, room)), Some((unsure, _))) if sure > unsure => Ok(Some(room)),
            (_, Some((_, room))) => Err(room),
            (sure, None) => Ok(sure.map(|(_, room)| room)),
        }
    }
}

fn or_one<T>(named: impl Iterator<Item = T>, other: T) -> Vec<T> {
    let mut named: Vec<T> = named.collect();
    if named.is_empty() {
        named.push(other);
    }
    named
}

/// Of two that are as close the one before.
fn note<'a>(found: &mut Option<(Closeness, &'a Room)>, closeness: Closeness, room: &'a Room) {
    if found.is_none_or(|(before, _)| closeness > before) {
        *found = Some((closeness, room));
    }
}

fn in_room(room: &Room) -> Place<'_> {
    Place {
        room,
        belongs: Belongs::InRoom,
    }
}

impl Area {
    /// How closely it names a request whose path is read so, if it takes it.
    fn takes(&self, call: &Call, reading: &Reading) -> Option<Closeness> {
        let from = self.sender(call)?;
        if self.not.lists(&call.method, &reading.path) {
            return None;
        }
        if self.paths.is_empty() {
            return Some(from);
        }
        let path = self.paths.closeness(&call.method, reading)?;
        Some(Closeness { path, ..from })
    }

    /// Whether it takes a request whose path is read in other ways, too.
    fn may_take(&self, call: &Call, widest: &Widest) -> Option<Taken> {
        let from = self.sender(call)?;
        let is_all = self.paths.is_empty() || self.paths.is_everything();
        let path = if is_all {
            PathCloseness::default()
        } else {
            self.paths.perhaps(&call.method, widest)?
        };
        let is_sure = is_all && self.not.perhaps(&call.method, widest).is_none();
        let taken = if is_sure {
            Taken::Surely
        } else {
            Taken::Perhaps
        };
        Some(taken(Closeness { path, ..from }))
    }

    /// Whether a visit is such of all that visitors may open of what it names: each of its paths from each host and country, by each of
    /// its conditions.
    fn has_visit(&self, is_such: &dyn Fn(&Call) -> bool) -> bool {
        let host = |host: &Host| match host {
            Host::Exact(name) => name.clone(),
            Host::Below(end) => format!("{UNNAMED}{end}"),
        };
        let hosts = or_one(self.hosts.iter().map(host), UNNAMED.to_owned());
        let countries = or_one(self.countries.iter().cloned().map(Some), None);
        let paths = if self.paths.is_empty() {
            vec![format!("/{UNNAMED}")]
        } else {
            self.paths.opened(UNNAMED)
        };
        let from = |path: &String, host: &String, country: &Option<String>| {
            let call = Call {
                method: "GET".to_owned(),
                path: path.clone(),
                host: host.clone(),
                country: country.clone(),
                ..Call::default()
            };
            let mut conditions = self.when.iter();
            self.when.is_empty() && is_such(&call)
                || conditions.any(|condition| condition.has_visit(&call, is_such))
        };
        paths.iter().any(|path| {
            let mut hosts = hosts.iter();
            hosts.any(|host| countries.iter().any(|country| from(path, host, country)))
        })
    }

    /// How closely it names the host, the country and what else a request carries, if it takes any like it.
    fn sender(&self, call: &Call) -> Option<Closeness> {
        Some(Closeness {
            host: self.host(call.hostname())?,
            path: PathCloseness::default(),
            by_condition: self.condition(call)?,
            by_country: self.country(call)?,
        })
    }

    /// Whether it names a condition that the request meets; nothing where it names some and none is met.
    fn condition(&self, call: &Call) -> Option<bool> {
        if self.when.is_empty() {
            return Some(false);
        }
        let mut conditions = self.when.iter();
        conditions.any(|one| one.is_met_by(call)).then_some(true)
    }

    fn host(&self, hostname: &str) -> Option<usize> {
        let closeness = |host: &Host| match host {
            Host::Exact(name) => hostname.eq_ignore_ascii_case(name).then_some(usize::MAX),
            Host::Below(end) => {
                let at = hostname.len().checked_sub(end.len())?;
                let found = hostname.get(at..)?;
                (at > 0 && found.eq_ignore_ascii_case(end)).then_some(end.len())
            }
        };
        if self.hosts.is_empty() {
            return Some(0);
        }
        self.hosts.iter().filter_map(closeness).max()
    }

    /// Where the country is unknown, no area that names countries takes the request.
    fn country(&self, call: &Call) -> Option<bool> {
        if self.countries.is_empty() {
            return Some(false);
        }
        is_from(&self.countries, call).then_some(true)
    }
}
