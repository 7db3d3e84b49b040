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
        read.unwrap_or_else(|faults| {
            for (value, accepted) in faults {
                self.problem("priority", Some(value), accepted);
            }
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

/// All that is wrong.
fn read(text: &str) -> Result<Groups, Vec<Fault>> {
    let listed: Result<Vec<Pairs>, _> = json::read(text.as_bytes());
    let listed = listed.ok().filter(|listed| listed.len() <= MOST);
    let listed = listed.ok_or_else(|| vec![(text.to_owned(), ACCEPTED)])?;
    let (mut groups, mut faults) = (Groups::default(), Vec::new());
    for Pairs(members) in &listed {
        let Some(group) = read_one(members, &mut faults) else {
            continue;
        };
        if groups.list.iter().any(|known| known.name == group.name) {
            faults.push((group.name.as_str().to_owned(), NAME));
        }
        groups.list.push(group);
    }
    let sum: u64 = groups.list.iter().map(|group| group.share).sum();
    if !Group::SHARE.contains(&sum.max(1)) {
        faults.push((format!("{sum} percent"), SHARE));
    }
    if faults.is_empty() {
        Ok(groups)
    } else {
        Err(faults)
    }
}

/// A group, if all of it is sound; what is not joins the faults.
fn read_one(members: &[(String, Value)], faults: &mut Vec<Fault>) -> Option<Group> {
    let (mut name, mut share) = (None, None);
    let before = faults.len();
    for (member, value, is_again) in json::each(members) {
        let fault = match member.as_str() {
            "name" if !is_again => {
                name = value.text().and_then(LaneName::read);
                name.is_none().then(|| (value.to_string(), NAME))
            }
            "share" if !is_again => {
                share = percent(value).filter(|share| Group::SHARE.contains(share));
                share.is_none().then(|| (value.to_string(), SHARE))
            }
            _ => Some((member.clone(), ACCEPTED)),
        };
        faults.extend(fault);
    }
    let lacks = |name: &str| !members.iter().any(|(member, _)| member == name);
    if lacks("name") {
        faults.push((String::new(), NAME));
    }
    if lacks("share") {
        let of = name.map_or_else(String::new, |name: LaneName| name.as_str().to_owned());
        faults.push((of, SHARE));
    }
    let (name, share) = (name?, share?);
    (faults.len() == before).then_some(Group { name, share })
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
            let fault = (value.to_owned(), accepted);
            assert_eq!(read(text), Err(vec![fault]), "{text}");
        }
    }

    #[test]
    fn every_problem_of_every_group_is_named_at_once() {
        let text = r#"[{"name":"vip","share":80},{"name":"main","share":0},{"uses":2},{"name":"fans","share":30}]"#;
        let faults = [
            ("\"main\"", NAME),
            ("0", SHARE),
            ("uses", ACCEPTED),
            ("", NAME),
            ("", SHARE),
            ("110 percent", SHARE),
        ];
        let faults = faults.map(|(value, accepted)| (value.to_owned(), accepted));
        assert_eq!(read(text), Err(faults.to_vec()));
    }
}
