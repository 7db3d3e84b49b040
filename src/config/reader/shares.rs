//! The member `shares` of a listed room: the name of another room, whose pace both have together.

use super::Reader;
use crate::config::Problem;
use crate::config::document::Known;
use crate::config::rooms::Rooms;
use crate::http::json::Value;

pub(super) const SHARES: &str = "shares";

/// What such a room has in common with the one that it names.
const TOGETHER: [&str; 4] = [
    "automatic",
    "automatic_quantity",
    "total_active",
    "session_minutes",
];

/// What a listed room says of it.
pub(super) struct Shares {
    /// The room that it names.
    named: Option<String>,
    is_twice: bool,
    /// What it should not name then.
    beside: Option<&'static str>,
}

impl Shares {
    pub(super) fn of(members: &[(String, Value)]) -> Self {
        let said = |name: &str| {
            let is_said = |(member, value): &&(String, Value)| {
                member == name && Known::of(value) != Known::Absent
            };
            members.iter().filter(is_said).collect::<Vec<_>>()
        };
        let named = said(SHARES);
        let text = |(_, value): &&(String, Value)| {
            value
                .text()
                .map_or_else(|| value.to_string(), str::to_owned)
        };
        Self {
            named: named.first().map(text),
            is_twice: named.len() > 1,
            beside: TOGETHER.into_iter().find(|name| !said(name).is_empty()),
        }
    }

    /// What would be accepted of the room at this place of the list; nothing where it is right.
    fn refused(&self, at: usize, rooms: &Rooms, all: &[Self]) -> Option<String> {
        let room = &rooms.others.get(at)?.room;
        let mut others = rooms.all().filter(|other| other.name != room.name);
        let is_it = |name: &str| self.named.as_deref() == Some(name);
        let Some(other) = others.find(|other| is_it(other.name.as_str())) else {
            let names = rooms.all().filter(|other| other.name != room.name);
            let names: Vec<&str> = names.map(|other| other.name.as_str()).collect();
            let names = names.join(", ");
            return Some(format!("shares: the name of another room: {names}"));
        };
        let listed = rooms.others.iter().zip(all);
        let mut sharing = listed.filter(|(_, shares)| shares.named.is_some());
        if self.is_twice {
            Some("shares once".to_owned())
        } else if sharing.any(|(of, _)| of.room.name == other.name) {
            Some("shares: the name of a room that names none in its own shares".to_owned())
        } else if let Some(setting) = self.beside {
            Some(format!(
                "no {setting} beside shares: the room has the pace of the one that it names"
            ))
        } else if room.cap.holds() || other.cap.holds() {
            Some("shares where neither room has a cap, so with total_active 0 or null: a pace can be shared, and a cap cannot".to_owned())
        } else {
            None
        }
    }
}

impl Reader<'_> {
    /// Rooms that share a pace have that of the room which they name. What they say is in the order of the list.
    pub(super) fn share_paces(&mut self, rooms: &mut Rooms, all: &[Shares]) {
        for (at, shares) in all.iter().enumerate() {
            let Some(named) = &shares.named else {
                continue;
            };
            match shares.refused(at, rooms, all) {
                None => rooms.share_pace(at, named),
                Some(accepted) => {
                    let room = rooms
                        .others
                        .get(at)
                        .map(|other| other.room.name.to_string());
                    let problem = Problem::wrong("rooms", Some(named.clone()), &accepted);
                    self.found.problems.push(Problem { room, ..problem });
                }
            }
        }
    }
}
