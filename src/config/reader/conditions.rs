//! Lists of conditions: the setting `bypass_when`, and `when` of a room.

use super::regions::listed;
use super::{NONE, Reader, rooms};
use crate::config::closest;
use crate::config::condition::{Condition, Header};
use crate::config::document::{Known, texts};
use crate::http::json::{self, Pairs, Value};
use crate::http::{cookie, is_token};

/// The most conditions of a list, and the most values of a header.
const MOST: usize = 16;

/// The longest name, in bytes.
const LONGEST_NAME: usize = 64;

/// The longest value of a header, and the longest beginning of `User-Agent`, in bytes.
const LONGEST_VALUE: usize = 128;

/// What a condition may ask for.
const KINDS: [&str; 5] = ["header", "cookie", "query", "agent", "country"];

const LIST: &str = r#"a list of 1 to 16 objects such as {"header":["X-App","ios"]} or {"cookie":"beta","country":["DE"]}; one of them has to be met, by all that it names"#;
const MEMBERS: &str =
    "one or more of header, cookie, query, agent and country, each once: all of them have to hold";
const HEADER: &str = r#"header: a list of its name, and of up to 16 values of which one has to be equal if you name some, such as ["X-App"] or ["X-App","ios"]; a name of 1 to 64 letters, digits and !#$%&'*+-.^_`|~, values of 1 to 128 bytes, each once, without control characters and spaces around them"#;
const REFUSED: &str = "header: the name of a header of the request itself: not authorization, cookie (name the cookie in cookie), queue-allow, nor one for the next hop alone such as connection, te, upgrade and proxy-authorization";
const COOKIE: &str = "cookie: the name of a cookie of your site, 1 to 64 letters, digits and !#$%&'*+-.^_`|~; not queue, __Host-queue, __Secure-queue or what begins so with -: these are the room's own";
const QUERY: &str =
    "query: the name of a parameter as it reads decoded, 1 to 64 bytes without control characters";
const AGENT: &str = "agent: what User-Agent begins with, letter by letter, 1 to 128 bytes without control characters and without a space in front";
const COUNTRY: &str =
    r#"country: two capital letters each (ISO 3166-1), each once, such as ["DE","AT"]"#;
const TWICE: &str = "conditions that differ from each other";

/// A wrong value, if it may be named, and what is accepted.
type Fault = (Option<String>, String);

impl Reader<'_> {
    /// The conditions by which a request goes past every room. A wrong one is left out, whatever else it asks for.
    pub(in crate::config) fn bypass_when(&mut self) -> Vec<Condition> {
        let key = "bypass_when";
        let Some(text) = self.json(key).filter(|text| text != NONE) else {
            return Vec::new();
        };
        let (conditions, faults) = read(key, &text);
        for (value, accepted) in faults {
            self.problem(key, value, accepted);
        }
        conditions
    }

    /// The conditions of a room, by its member `when`. Without one the room would take requests that meet none.
    pub(super) fn conditions_of_room(&mut self, members: &[(String, Value)]) -> Vec<Condition> {
        let mut found = members.iter().filter(|(name, _)| name == "when");
        let text = match (found.next(), found.next()) {
            (None, _) => return Vec::new(),
            (Some((_, value)), None) if Known::of(value) == Known::Absent => return Vec::new(),
            (Some((_, value)), None) => value.structured().or(value.text().map(str::to_owned)),
            (Some(_), Some(_)) => None,
        };
        let (conditions, mut faults) = read("when", &text.unwrap_or_default());
        if conditions.is_empty() && faults.is_empty() {
            faults.push((None, format!("when: {LIST}")));
        }
        for (value, accepted) in faults {
            self.mixes_rooms(value, &accepted);
        }
        conditions
    }
}

/// The sound ones of a list, and what is wrong with the others. `key` is what the list is called.
fn read(key: &str, text: &str) -> (Vec<Condition>, Vec<Fault>) {
    let (mut conditions, mut faults) = (Vec::new(), Vec::new());
    let listed: Result<Vec<Pairs>, _> = json::read(text.as_bytes());
    let Some(listed) = listed.ok().filter(|listed| listed.len() <= MOST) else {
        // It may be long, and hold what is for no log.
        return (conditions, vec![(None, format!("{key}: {LIST}"))]);
    };
    for (at, Pairs(members)) in listed.iter().enumerate() {
        let fault = match read_one(members) {
            Ok(condition) if conditions.contains(&condition) => (None, TWICE.to_owned()),
            Ok(condition) => {
                conditions.push(condition);
                continue;
            }
            Err(fault) => fault,
        };
        faults.push((fault.0, format!("in {key}[{at}] {}", fault.1)));
    }
    (conditions, faults)
}

fn read_one(members: &[(String, Value)]) -> Result<Condition, Fault> {
    let mut condition = Condition::default();
    for (member, value, is_again) in json::each(members) {
        if is_again {
            return Err((Some(member.clone()), MEMBERS.to_owned()));
        }
        let wrong = |accepted: &str| (Some(value.to_string()), accepted.to_owned());
        match member.as_str() {
            "header" => condition.header = Some(header(value)?),
            "cookie" => {
                let name = value.text().filter(|name| is_name(name));
                let name = name.filter(|name| !cookie::is_ours(name));
                condition.cookie = Some(name.ok_or_else(|| wrong(COOKIE))?.to_owned());
            }
            "query" => {
                let name = value.text().filter(|name| is_text(name, LONGEST_NAME));
                condition.query = Some(name.ok_or_else(|| wrong(QUERY))?.to_owned());
            }
            "agent" => {
                let is_prefix =
                    |text: &&str| is_text(text, LONGEST_VALUE) && !text.starts_with(' ');
                let prefix = value.text().filter(is_prefix);
                condition.agent = Some(prefix.ok_or_else(|| wrong(AGENT))?.to_owned());
            }
            "country" => {
                let countries = listed(value, rooms::country);
                let countries = countries.filter(|countries| is_each_once(countries));
                condition.countries = countries.ok_or_else(|| wrong(COUNTRY))?;
            }
            _ => {
                let accepted = match meant(member) {
                    Some(meant) => format!("{MEMBERS}; did you mean {meant}?"),
                    None => MEMBERS.to_owned(),
                };
                return Err((Some(member.clone()), accepted));
            }
        }
    }
    if condition == Condition::default() {
        return Err((Some("{}".to_owned()), MEMBERS.to_owned()));
    }
    Ok(condition)
}

/// Its values may be meant for nobody else, so no fault names them.
fn header(value: &Value) -> Result<Header, Fault> {
    let listed = texts(value).unwrap_or_default();
    let Some((name, values)) = listed.split_first() else {
        return Err((None, HEADER.to_owned()));
    };
    let is_value = |value: &String| is_text(value, LONGEST_VALUE) && value.trim() == value;
    let are_sound = values.len() <= MOST && values.iter().all(is_value) && is_each_once(&listed);
    if !is_name(name) || !are_sound {
        return Err((Some(name.clone()), HEADER.to_owned()));
    }
    let name = name.to_ascii_lowercase();
    if is_refused(&name) {
        return Err((Some(name), REFUSED.to_owned()));
    }
    Ok(Header {
        name,
        values: values.to_vec(),
    })
}

/// Whether a header is for the next hop alone (RFC 9110 7.6.1), holds credentials, or is named in another way.
fn is_refused(name: &str) -> bool {
    matches!(
        name,
        "authorization"
            | "connection"
            | "cookie"
            | "http2-settings"
            | "keep-alive"
            | "queue-allow"
            | "te"
            | "trailer"
            | "transfer-encoding"
            | "upgrade"
    ) || name.starts_with("proxy-")
}

/// The name of a header or a cookie.
fn is_name(text: &str) -> bool {
    text.len() <= LONGEST_NAME && is_token(text)
}

fn is_text(text: &str, longest: usize) -> bool {
    (1..=longest).contains(&text.len()) && !text.chars().any(char::is_control)
}

fn is_each_once(texts: &[String]) -> bool {
    let is_new = |(at, text): (usize, &String)| !texts.iter().take(at).any(|other| other == text);
    texts.iter().enumerate().all(is_new)
}

/// The member of a condition that was meant by a misspelt name.
fn meant(name: &str) -> Option<&'static str> {
    match name {
        "user_agent" | "user-agent" | "User-Agent" => Some("agent"),
        "countries" => Some("country"),
        "parameter" | "param" => Some("query"),
        _ => closest(name, &KINDS),
    }
}
