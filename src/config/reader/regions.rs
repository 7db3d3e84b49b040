//! The setting `regions`: a list of objects, each with a name, the countries or the data centres that it has, and maybe a fixed
//! share, and a backend with the host that it is asked for.

use super::{NONE, Reader, addresses, rooms, words};
use crate::config::OriginBackend;
use crate::config::backend::{FOR_VISITORS, NO_SUCH, is_for_visitors};
use crate::config::document::Known;
use crate::config::regions::{Places, RoomRegions};
use crate::http::Site;
use crate::http::json::{self, Pairs, Value, whole};
use crate::queue::{Lag, LaneName, Region};

/// The most regions of a room: every board has the numbers of all of them.
const MOST: usize = 16;

const ACCEPTED: &str = r#"a list of at most 16 objects such as {"name":"west","countries":["US","CA"]} or {"name":"west","pops":["SJC","SEA"]}"#;
const NAME: &str =
    "a name of its own in each region: a letter, and up to 15 letters, digits, - and _; not main";
const PLACES: &str = "countries by two capital letters (ISO 3166-1), or pops by Fastly's codes such as SJC, one of the two in each region, and each of them in one region only";
const SHARE: &str =
    "share: a whole percent from 1 to 100, and those of all regions together at most 100";
const HOST: &str = "origin_host: a host name beside the backend that knows the site by it, such as shop-1234.herokuapp.com: lower-case letters, digits, - and at least one dot; no scheme, port or path, no * and no IP address";

impl Reader<'_> {
    /// The regions of a room, if it has some.
    pub(in crate::config) fn regions(&mut self) -> Option<RoomRegions> {
        let lag = match self.number("regions_lag", 1, 1..=2) {
            2 => Lag::Two,
            _ => Lag::One,
        };
        let text = self.json("regions").filter(|text| text != NONE)?;
        match read(&text, lag) {
            Ok(regions) => {
                self.backends_of(&regions);
                Some(regions)
            }
            Err((value, accepted)) => {
                // A name may be written with escapes, and a host whose backend is missing was meant for one.
                let names_site = ["backend", "origin_host", "\\"];
                self.found.mixes_backends |= names_site.iter().any(|name| text.contains(name));
                self.problem("regions", Some(value), accepted);
                None
            }
        }
    }

    fn backends_of(&mut self, regions: &RoomRegions) {
        let backends = regions
            .sites
            .iter()
            .filter_map(|(_, site)| site.backend.as_ref());
        for backend in backends {
            if self.source.origin_backend(backend) == OriginBackend::Missing {
                self.found.mixes_backends = true;
                self.problem("regions", Some(backend.clone()), NO_SUCH);
            }
        }
    }
}

type Fault = (String, &'static str);

fn read(text: &str, lag: Lag) -> Result<RoomRegions, Fault> {
    let listed: Result<Vec<Pairs>, _> = json::read(text.as_bytes());
    let listed = listed
        .ok()
        .filter(|listed| (1..=MOST).contains(&listed.len()));
    let listed = listed.ok_or_else(|| (text.to_owned(), ACCEPTED))?;
    let mut regions = RoomRegions::new(lag);
    for Pairs(members) in &listed {
        add(members, &mut regions)?;
    }
    let sum: u64 = regions
        .rule
        .list
        .iter()
        .filter_map(|region| region.share)
        .sum();
    if sum > 100 {
        return Err((format!("{sum} percent"), SHARE));
    }
    Ok(regions)
}

fn add(members: &[(String, Value)], regions: &mut RoomRegions) -> Result<(), Fault> {
    let One {
        region,
        places,
        site,
    } = read_one(members)?;
    if regions.has(region.name) {
        return Err((region.name.as_str().to_owned(), NAME));
    }
    let known = &regions.places;
    let is_known = |name: &&String| known.iter().any(|known| is_of_both(known, &places, name));
    if let Some(twice) = places.names().iter().find(is_known) {
        return Err((twice.clone(), PLACES));
    }
    let site = site.map(|site| (region.name, site));
    regions.rule.list.push(region);
    regions.places.push(places);
    regions.sites.extend(site);
    Ok(())
}

fn is_of_both(known: &Places, new: &Places, name: &String) -> bool {
    let is_same_kind = std::mem::discriminant(known) == std::mem::discriminant(new);
    is_same_kind && known.names().contains(name)
}

struct One {
    region: Region,
    places: Places,
    site: Option<Site>,
}

fn read_one(members: &[(String, Value)]) -> Result<One, Fault> {
    let (mut name, mut places, mut share) = (None, None, None);
    let mut site = Site::default();
    for (member, value) in members {
        let is_twice = members.iter().filter(|(other, _)| other == member).count() > 1;
        match member.as_str() {
            _ if is_twice => return Err((member.clone(), ACCEPTED)),
            "name" => {
                let read = value.text().and_then(LaneName::read);
                name = Some(read.ok_or_else(|| (value.to_string(), NAME))?);
            }
            "countries" if places.is_none() => {
                let listed = listed(value, rooms::country);
                places = listed.map(Places::Countries);
                places.as_ref().ok_or_else(|| (value.to_string(), PLACES))?;
            }
            "pops" if places.is_none() => {
                places = listed(value, pop).map(Places::Pops);
                places.as_ref().ok_or_else(|| (value.to_string(), PLACES))?;
            }
            "share" => {
                share = percent(value);
                share.ok_or_else(|| (value.to_string(), SHARE))?;
            }
            "backend" => {
                let named = value.text().filter(|name| is_for_visitors(name));
                let named = named.ok_or_else(|| (value.to_string(), FOR_VISITORS))?;
                site.backend = Some(named.to_owned());
            }
            "origin_host" => {
                let named = value.text().filter(|host| addresses::is_domain(host));
                let named = named.ok_or_else(|| (value.to_string(), HOST))?;
                site.host = Some(named.to_owned());
            }
            _ => return Err((member.clone(), ACCEPTED)),
        }
    }
    let name = name.ok_or_else(|| (String::new(), NAME))?;
    let places = places.ok_or_else(|| (name.as_str().to_owned(), PLACES))?;
    let site = match (site.backend.is_some(), site.host) {
        (false, Some(host)) => return Err((host, HOST)),
        (is_own, host) => is_own.then_some(Site { host, ..site }),
    };
    let region = Region { name, share };
    Ok(One {
        region,
        places,
        site,
    })
}

pub(super) fn percent(value: &Value) -> Option<u64> {
    let Value::Number(text) = value else {
        return None;
    };
    whole(text).filter(|percent| (1..=100).contains(percent))
}

/// The words of a text or of a list of texts, each of them read; none where one cannot be, or where there are none.
pub(super) fn listed(value: &Value, read: fn(&str) -> Option<String>) -> Option<Vec<String>> {
    let Known::Is(text) = Known::of(value) else {
        return None;
    };
    let words: Option<Vec<String>> = words(&text).map(read).collect();
    words.filter(|words| !words.is_empty())
}

/// Fastly's code of a data centre.
fn pop(word: &str) -> Option<String> {
    let is_part = |letter: u8| letter.is_ascii_uppercase() || letter.is_ascii_digit();
    let is_sound = (2..=8).contains(&word.len()) && word.bytes().all(is_part);
    is_sound.then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::Lane;

    fn regions(text: &str) -> RoomRegions {
        read(text, Lag::One).unwrap_or(RoomRegions::new(Lag::One))
    }

    fn fault(text: &str) -> Option<Fault> {
        read(text, Lag::One).err()
    }

    #[test]
    fn a_visitor_is_in_the_first_region_that_has_the_country_or_the_data_centre() {
        let regions = regions(
            r#"[{"name":"north","countries":["SE","NO"]},{"name":"west","pops":"SJC, SEA"},{"name":"alps","countries":["AT"]}]"#,
        );
        let lane = |country, pop| {
            let lane = regions.lane(country, pop);
            lane.name().map(str::to_owned).unwrap_or_default()
        };
        assert_eq!(lane(Some("NO"), "SJC"), "north");
        assert_eq!(lane(Some("at"), "SEA"), "west");
        assert_eq!(lane(Some("AT"), "PRG"), "alps");
        assert_eq!(lane(None, "SJC"), "west");
        assert_eq!(regions.lane(None, ""), Lane::Main);
        assert_eq!(regions.lane(Some("US"), "DFW"), Lane::Main);
        assert!(regions.ask_for_country());
    }

    #[test]
    fn a_share_is_fixed_where_a_region_has_one() {
        let read = regions(
            r#"[{"name":"west","share":45,"pops":"SJC"},{"name":"east","pops":"LHR","share":55.0},{"name":"alps","pops":"FRA"}]"#,
        );
        let shares = read.rule.list.iter().map(|region| region.share);
        assert_eq!(shares.collect::<Vec<_>>(), [Some(45), Some(55), None]);
    }

    #[test]
    fn the_lane_of_the_ticket_decides_about_the_site() {
        let read = regions(
            r#"[{"name":"west","pops":"SJC","backend":"west_origin"},{"name":"east","pops":"LHR"},{"name":"alps","pops":"FRA","origin_host":"alps.platform.example","backend":"alps_origin"}]"#,
        );
        let lane = |name| LaneName::read(name).map_or(Lane::Main, Lane::Named);
        let site = |name| {
            let site = read.site(lane(name)).cloned().unwrap_or_default();
            (site.backend, site.host)
        };
        let of = |text: &str| Some(text.to_owned());
        assert_eq!(site("west"), (of("west_origin"), None));
        let alps = (of("alps_origin"), of("alps.platform.example"));
        assert_eq!(site("alps"), alps);
        for lane in [lane("east"), lane("gone"), Lane::Main] {
            assert_eq!(read.site(lane), None, "{lane:?}");
        }
    }

    #[test]
    fn what_is_no_host_of_a_regions_backend_is_named() {
        let with = |host: &str| {
            format!(r#"[{{"name":"west","pops":"SJC","backend":"west","origin_host":{host}}}]"#)
        };
        assert_eq!(fault(&with(r#""a.example""#)), None);
        for host in [
            r#""""#,
            r#""none""#,
            r#""a b""#,
            r#""A.example""#,
            r#""a.example:8443""#,
            r#""https://a.example""#,
            "5",
            "null",
        ] {
            let named = host.to_owned();
            assert_eq!(fault(&with(host)), Some((named, HOST)), "{host}");
        }
        let alone = r#"[{"name":"west","pops":"SJC","origin_host":"a.example"}]"#;
        assert_eq!(fault(alone), Some(("a.example".to_owned(), HOST)));
    }

    #[test]
    fn what_is_no_backend_for_visitors_is_named() {
        let with = |name: &str| format!(r#"[{{"name":"west","pops":"SJC","backend":{name}}}]"#);
        for name in [r#""""#, r#""upstash""#, r#""a b""#, r#""ü""#, "5", "null"] {
            let value = name.to_owned();
            assert_eq!(fault(&with(name)), Some((value, FOR_VISITORS)), "{name}");
        }
        assert!(NO_SUCH.len() <= 512);
    }

    #[test]
    fn what_is_no_share_is_named() {
        let with = |share: &str| format!(r#"[{{"name":"west","pops":"SJC","share":{share}}}]"#);
        for share in ["0", "101", "1.5", "-5", r#""45""#, "null", "[5]"] {
            let value = share.to_owned();
            assert_eq!(fault(&with(share)), Some((value, SHARE)), "{share}");
        }
        let sum =
            r#"[{"name":"west","pops":"SJC","share":46},{"name":"east","pops":"LHR","share":55}]"#;
        assert_eq!(fault(sum), Some(("101 percent".to_owned(), SHARE)));
    }

    #[test]
    fn what_is_no_list_of_regions_is_named() {
        for (text, value, accepted) in [
            ("west", "west", ACCEPTED),
            ("[]", "[]", ACCEPTED),
            (r#"{"name":"west"}"#, r#"{"name":"west"}"#, ACCEPTED),
            (r#"[{"pops":"SJC"}]"#, "", NAME),
            (r#"[{"name":"main","pops":"SJC"}]"#, r#""main""#, NAME),
            (r#"[{"name":"west"}]"#, "west", PLACES),
            (
                r#"[{"name":"west","pops":"san jose"}]"#,
                r#""san jose""#,
                PLACES,
            ),
            (r#"[{"name":"west","pops":[]}]"#, "[]", PLACES),
            (r#"[{"name":"west","countries":"USA"}]"#, r#""USA""#, PLACES),
            (
                r#"[{"name":"west","pops":"SJC","countries":"US"}]"#,
                "countries",
                ACCEPTED,
            ),
            (
                r#"[{"name":"west","pops":"SJC","quota":5}]"#,
                "quota",
                ACCEPTED,
            ),
            (
                r#"[{"name":"west","pops":"SJC","pops":"SEA"}]"#,
                "pops",
                ACCEPTED,
            ),
            (
                r#"[{"name":"west","pops":"SJC"},{"name":"west","pops":"SEA"}]"#,
                "west",
                NAME,
            ),
            (
                r#"[{"name":"west","pops":"SJC"},{"name":"east","pops":"SJC"}]"#,
                "SJC",
                PLACES,
            ),
        ] {
            assert_eq!(fault(text), Some((value.to_owned(), accepted)), "{text}");
        }
    }
}
