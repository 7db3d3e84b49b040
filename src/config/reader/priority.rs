//! The setting `priority`: a list of objects, each with the name of a group and its share, the first of which goes first.

use super::regions::percent;
use super::{NONE, Reader};
use crate::config::regions::RoomRegions;
use crate::http::json::{self, Pairs, Value};
use crate::queue::{Group, Groups, LaneName};

/// The most groups of a room: every board has the numbers of all of them.
const MOST: usize = 16;

const ACCEPTED: &str = r#"none, or a list of at most 16 objects such as {"name":"members","share":30}, the first of which goes first"#;
const NAME: &str = "a name of its own in each group: a letter, and up to 15 letters, digits, - and _; not main and not that of a region";
const SHARE: &str =
    "share: a whole percent from 1 to 100, and those of all groups together at most 100";

impl Reader<'_> {
    /// The groups of a room.
    pub(super) fn priority(&mut self) -> Groups {
        let text = self.json("priority").filter(|text| text != NONE);
        let read = text.map_or_else(|| Ok(Groups::default()), |text| read(&text));
        read.unwrap_or_else(|(value, accepted)| {
            self.problem("priority", Some(value), accepted);
            Groups::default()
        })
    }

    /// A name is that of one lane.
    pub(in crate::config) fn tell_groups_from(
        &mut self,
        groups: &Groups,
        regions: Option<&RoomRegions>,
    ) {
        let is_region = |group: &&Group| regions.is_some_and(|regions| regions.has(group.name));
        if let Some(group) = groups.list.iter().find(is_region) {
            self.problem("priority", Some(group.name.as_str().to_owned()), NAME);
        }
    }
}

type Fault = (String, &'static str);

fn read(text: &str) -> Result<Groups, Fault> {
    let listed: Result<Vec<Pairs>, _> = json::read(text.as_bytes());
    let listed = listed.ok().filter(|listed| listed.len() <= MOST);
    let listed = listed.ok_or_else(|| (text.to_owned(), ACCEPTED))?;
    let mut groups = Groups::default();
    for Pairs(members) in &listed {
        let group = read_one(members)?;
        if groups.list.iter().any(|known| known.name == group.name) {
            return Err((group.name.as_str().to_owned(), NAME));
        }
        groups.list.push(group);
    }
    let sum: u64 = groups.list.iter().map(|group| group.share).sum();
    if Group::SHARE.contains(&sum.max(1)) {
        Ok(groups)
    } else {
        Err((format!("{sum} percent"), SHARE))
    }
}

fn read_one(members: &[(String, Value)]) -> Result<Group, Fault> {
    let (mut name, mut share) = (None, None);
    for (member, value) in members {
        match member.as_str() {
            "name" if name.is_none() => {
                let read = value.text().and_then(LaneName::read);
                name = Some(read.ok_or_else(|| (value.to_string(), NAME))?);
            }
            "share" if share.is_none() => {
                let read = percent(value).filter(|share| Group::SHARE.contains(share));
                share = Some(read.ok_or_else(|| (value.to_string(), SHARE))?);
            }
            _ => return Err((member.clone(), ACCEPTED)),
        }
    }
    let name = name.ok_or_else(|| (String::new(), NAME))?;
    let share = share.ok_or_else(|| (name.as_str().to_owned(), SHARE))?;
    Ok(Group { name, share })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_read_in_the_order_of_their_ranks() {
        let text = r#"[{"name":"vip","share":50},{"share":30,"name":"members"},{"name":"fans","share":20}]"#;
        let groups = read(text).unwrap_or_default();
        let told = groups.list.iter();
        let told: Vec<_> = told
            .map(|group| (group.name.as_str(), group.share))
            .collect();
        assert_eq!(told, [("vip", 50), ("members", 30), ("fans", 20)]);
        assert_eq!(read("[]"), Ok(Groups::default()));
    }

    #[test]
    fn what_is_no_list_of_groups_is_named() {
        let many: Vec<String> = (0..17)
            .map(|at| format!(r#"{{"name":"g{at}","share":1}}"#))
            .collect();
        let many = format!("[{}]", many.join(","));
        for (text, value, accepted) in [
            ("20", "20", ACCEPTED),
            (
                r#"{"name":"vip","share":5}"#,
                r#"{"name":"vip","share":5}"#,
                ACCEPTED,
            ),
            (many.as_str(), many.as_str(), ACCEPTED),
            (r#"[{"share":5}]"#, "", NAME),
            (r#"[{"name":"main","share":5}]"#, r#""main""#, NAME),
            (r#"[{"name":"a b","share":5}]"#, r#""a b""#, NAME),
            (r#"[{"name":7,"share":5}]"#, "7", NAME),
            (r#"[{"name":"vip"}]"#, "vip", SHARE),
            (r#"[{"name":"vip","share":0}]"#, "0", SHARE),
            (r#"[{"name":"vip","share":101}]"#, "101", SHARE),
            (r#"[{"name":"vip","share":1.5}]"#, "1.5", SHARE),
            (r#"[{"name":"vip","share":"5"}]"#, r#""5""#, SHARE),
            (r#"[{"name":"vip","share":5,"uses":2}]"#, "uses", ACCEPTED),
            (r#"[{"name":"vip","share":5,"share":6}]"#, "share", ACCEPTED),
            (
                r#"[{"name":"vip","share":5},{"name":"vip","share":6}]"#,
                "vip",
                NAME,
            ),
            (
                r#"[{"name":"vip","share":60},{"name":"fans","share":41}]"#,
                "101 percent",
                SHARE,
            ),
        ] {
            assert_eq!(read(text), Err((value.to_owned(), accepted)), "{text}");
        }
    }
}
