//! The setting `rooms`: a list of objects, each with a name, what the room is for, and the settings in which it differs.

use super::findings::{SITE, Weight};
use super::shares::{SHARES, Shares};
use super::{Layer, NONE, Reader, addresses, is_name_byte, words};
use crate::config::condition::Condition;
use crate::config::document::Known;
use crate::config::paths::Paths;
use crate::config::room::Named;
use crate::config::rooms::{Area, Host, Other, Rooms};
use crate::config::{List, Operators, Problem, Room, closest};
use crate::http::cookie::RoomCookies;
use crate::http::json::{self, Pairs, Value};
use crate::queue::RoomName;

/// The most rooms that may be listed.
const MOST: usize = 50;

/// What says which requests a room is for.
const AREA: [&str; 5] = ["hosts", "paths", "not", "countries", "when"];

impl Reader<'_> {
    /// The first room, which has the settings of the document, and those that are listed.
    pub(in crate::config) fn rooms(
        &mut self,
        paths: &Paths,
        bypass_when: Vec<Condition>,
        operators: &Operators,
    ) -> Rooms {
        let admin_path = &operators.path;
        let domain = self.cookie_domain();
        let name = self.room();
        let named = Named {
            cookies: RoomCookies::new(domain.clone(), None),
            routes: admin_path.clone(),
            name,
        };
        self.of_rooms = true;
        let first = Room::asked_of(self, paths, named);
        self.of_rooms = false;
        let mut rooms = Rooms {
            first,
            bypass_when,
            others: Vec::new(),
        };
        let mut shares = Vec::new();
        for Pairs(members) in self.listed_rooms() {
            let Some(name) = self.name_of(&members, &rooms) else {
                continue;
            };
            let named = Named {
                cookies: RoomCookies::new(domain.clone(), Some(&name)),
                routes: format!("{admin_path}/room/{name}"),
                name,
            };
            shares.push(Shares::of(&members));
            let other = self.other(members, named, paths);
            if rooms.others.iter().any(|known| known.area == other.area) {
                let accepted = "hosts, paths, not, countries or when that differ from those of the rooms before it, which take all its visitors";
                self.mixes_rooms(Some(other.room.name.to_string()), accepted);
            }
            rooms.others.push(other);
        }
        rooms.name_origins();
        self.share_limits(&mut rooms, &shares);
        // With a domain another service of it may be where visitors draw.
        if domain.is_none() {
            for room in rooms.unreached(paths, operators) {
                let key = room.map_or("protected_paths", |_| "rooms");
                let accepted = "a path for GET as well, such as /cart, that no other setting takes away: others draw no number, so no visitor gets in";
                // Naming it closes no more.
                self.found.closed.push(Problem {
                    room: room.map(ToString::to_string),
                    ..Problem::wrong(key, None, accepted)
                });
            }
        }
        rooms
    }

    fn listed_rooms(&mut self) -> Vec<Pairs> {
        let Some(text) = self.json("rooms").filter(|text| text != NONE) else {
            return Vec::new();
        };
        let listed: Result<Vec<Pairs>, _> = json::read(text.as_bytes());
        let few = listed.ok().filter(|listed| listed.len() <= MOST);
        if few.is_none() {
            let accepted = format!(
                r#"a list of at most {MOST} objects such as {{"name":"sale","paths":["/sale/*"],"automatic":30}}"#
            );
            // It may be long, and hold what is for no log.
            self.mixes_rooms(None, &accepted);
        }
        few.unwrap_or_default()
    }

    /// The name of a room, if no other has it. Where it stands in the names of cookies it must not make the name of another.
    fn name_of(&mut self, members: &[(String, Value)], before: &Rooms) -> Option<RoomName> {
        let named = members.iter().find(|(member, _)| member == "name");
        let name = named
            .and_then(|(_, value)| value.text())
            .unwrap_or_default();
        let is_sound = (1..=64).contains(&name.len()) && name.bytes().all(is_name_byte);
        let is_twin = name == "post" || name.starts_with("post-");
        let is_new = before.all().all(|room| room.name.as_str() != name);
        let accepted = if !is_sound || is_twin {
            "a name in each room: 1 to 64 letters, digits, - and _; not post, and nothing that begins with post-"
        } else if !is_new {
            "a name of its own for each room; the first room has that of the setting room"
        } else {
            return Some(RoomName::new(name));
        };
        let found = named.map(|(_, value)| value.to_string());
        self.mixes_rooms(found, accepted);
        None
    }

    /// A listed room: what it does not name it has in common with the first.
    fn other(&mut self, members: Vec<(String, Value)>, named: Named, paths: &Paths) -> Other {
        let name = named.name.clone();
        let (own, differing): (Vec<_>, Vec<_>) = members.into_iter().partition(|(member, _)| {
            ["name", SHARES].contains(&member.as_str()) || AREA.contains(&member.as_str())
        });
        self.layer = Some(Layer::new(&name, differing));
        let area = self.area(&own);
        let known = self.asked.len();
        let room = Room::asked_of(self, paths, named);
        self.is_no_setting_of_rooms(known);
        self.layer = None;
        Other { area, room }
    }

    /// Names that no room has: of other settings, which hold for all rooms, and of none.
    fn is_no_setting_of_rooms(&mut self, known: usize) {
        let rooms: Vec<&'static str> = self.asked.iter().skip(known).copied().collect();
        let layer = self.layer.as_ref();
        let names = layer.map(|layer| layer.names_beside(&rooms));
        for name in names.unwrap_or_default() {
            let is_setting = self.asked.contains(&name.as_str());
            let meant = meant(&name, &rooms);
            self.found.mixes_rooms |= meant.is_some_and(|meant| AREA.contains(&meant));
            self.found.mixes_backends |= meant == Some("regions");
            self.found.mixes_sites |= meant.is_some_and(|meant| SITE.contains(&meant));
            let accepted = match meant {
                _ if is_setting => "the name of a setting in which rooms may differ; this one holds for all rooms and stands beside rooms".to_owned(),
                Some(meant) => format!("the name of a setting in which rooms may differ; did you mean {meant}?"),
                None => "the name of a setting in which rooms may differ".to_owned(),
            };
            let is_looks = |name: &str| self.cosmetic.contains(&name);
            let closes =
                is_setting && !is_looks(&name) || meant.is_some_and(|meant| !is_looks(meant));
            let weight = if closes {
                Weight::Closes
            } else {
                Weight::Looks
            };
            self.misnamed("rooms", name, &accepted, weight);
        }
    }

    fn area(&mut self, members: &[(String, Value)]) -> Area {
        let [hosts, paths, not, countries] =
            ["hosts", "paths", "not", "countries"].map(|member| self.text_of(member, members));
        let when = self.conditions_of_room(members);
        let is_for_all = [&hosts, &paths, &countries]
            .iter()
            .all(|text| text.is_none());
        if is_for_all && when.is_empty() {
            let accepted = "hosts, paths, countries or when in each room: the first room is the one for everything else";
            self.mixes_rooms(None, accepted);
        }
        Area {
            hosts: self.each(hosts, host, "hosts such as shop.example or *.shop.example: lower-case letters, digits, - and dots; no scheme, port or path"),
            paths: self.paths_of_room("paths", paths),
            not: self.paths_of_room("not", not),
            countries: self.each(countries, country, "countries by two capital letters (ISO 3166-1), such as DE"),
            when,
        }
    }

    /// What one of them says, once. Nothing listed is nothing said, but would make a room for all or for none.
    fn text_of(&mut self, member: &str, members: &[(String, Value)]) -> Option<String> {
        let mut found = members.iter().filter(|(name, _)| name == member);
        let (value, again) = (found.next(), found.next());
        match (value.map(|(_, value)| Known::of(value)), again) {
            (None | Some(Known::Absent), None) => None,
            (Some(Known::Is(text)), None) if text == NONE && member == "not" => None,
            (Some(Known::Is(text)), None) if text != NONE && words(&text).next().is_some() => {
                Some(text)
            }
            _ => {
                let accepted = format!(
                    "{member} once, as a text or a list of texts; a room without it takes requests whatever theirs is"
                );
                self.mixes_rooms(value.map(|(_, value)| value.to_string()), &accepted);
                None
            }
        }
    }

    fn each<T>(
        &mut self,
        text: Option<String>,
        read: fn(&str) -> Option<T>,
        accepted: &str,
    ) -> Vec<T> {
        let text = text.unwrap_or_default();
        let read = words(&text).filter_map(|word| {
            let read = read(word);
            if read.is_none() {
                self.mixes_rooms(Some(word.to_owned()), accepted);
            }
            read
        });
        read.collect()
    }

    fn paths_of_room(&mut self, member: &str, text: Option<String>) -> List {
        let (list, wrong) = List::read(&text.unwrap_or_default());
        for word in wrong {
            let accepted = format!("in {member}: {}", addresses::PATHS);
            self.mixes_rooms(Some(word), &accepted);
        }
        list
    }

    /// A problem that leaves open which request is for which room.
    pub(super) fn mixes_rooms(&mut self, value: Option<String>, accepted: &str) {
        self.found.mixes_rooms = true;
        self.problem("rooms", value, accepted);
    }
}

/// The member of a room, or the setting in which it may differ, that was meant by a misspelt name.
fn meant(name: &str, rooms: &[&'static str]) -> Option<&'static str> {
    match name {
        "country" => Some("countries"),
        "hostname" | "hostnames" | "domain" | "domains" => Some("hosts"),
        "method" | "methods" => Some("paths"),
        "except" | "exclude" => Some("not"),
        "share" | "shared" => Some(SHARES),
        "if" | "condition" | "conditions" | "header" | "cookie" | "query" | "agent" => Some("when"),
        _ => closest(name, &[rooms, &AREA, &[SHARES]].concat()),
    }
}

fn host(word: &str) -> Option<Host> {
    match word.strip_prefix('*') {
        Some(end) if end.starts_with('.') => {
            let is_sound = addresses::is_dns_name(end.trim_start_matches('.'));
            (is_sound && !end.starts_with("..")).then(|| Host::Below(end.to_owned()))
        }
        Some(_) => None,
        None => addresses::is_dns_name(word).then(|| Host::Exact(word.to_owned())),
    }
}

pub(super) fn country(word: &str) -> Option<String> {
    is_country(word).then(|| word.to_owned())
}

/// Whether a word is the code of a country, in capital letters (ISO 3166-1 alpha-2).
#[must_use]
pub fn is_country(word: &str) -> bool {
    word.len() == 2 && word.bytes().all(|letter| letter.is_ascii_uppercase())
}
