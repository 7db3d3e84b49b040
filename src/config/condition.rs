//! Conditions: what a request carries besides its path, for `bypass_when` and for the `when` of a room.
//!
//! Invariant: what is not known of a request meets no condition.

use super::rooms::UNNAMED;
use crate::http::{Call, HEADERS, cookie};

/// What a request has to carry, all of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Condition {
    pub(super) header: Option<Header>,
    /// The name of a cookie.
    pub(super) cookie: Option<String>,
    /// The name of a parameter, decoded.
    pub(super) query: Option<String>,
    /// What `User-Agent` begins with.
    pub(super) agent: Option<String>,
    /// ISO 3166-1 alpha-2; where it names none, a visitor may be in any.
    pub(super) countries: Vec<String>,
}

/// A header that a request has to carry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Header {
    /// In lower case.
    pub(super) name: String,
    /// Any value will do, if there are none.
    pub(super) values: Vec<String>,
}

impl Condition {
    /// Whether a request carries all of it.
    pub(super) fn is_met_by(&self, call: &Call) -> bool {
        let header = self.header.as_ref();
        let has_cookie = |name: &String| {
            let mut lines = call.lines("cookie");
            lines.any(|line| cookie::names(line, name))
        };
        let has_agent = |prefix: &String| {
            let mut lines = call.lines("user-agent");
            lines.any(|line| line.trim_ascii().starts_with(prefix.as_bytes()))
        };
        header.is_none_or(|header| header.is_in(call))
            && self.cookie.as_ref().is_none_or(has_cookie)
            && (self.query.as_ref()).is_none_or(|name| call.parameter(name).is_some())
            && self.agent.as_ref().is_none_or(has_agent)
            && (self.countries.is_empty() || is_from(&self.countries, call))
    }

    /// The name of the header that the edge has to ask for, since no other part of the service reads it.
    pub(super) fn header(&self) -> Option<&str> {
        let name = self.header.as_ref()?.name.as_str();
        (!HEADERS.contains(&name)).then_some(name)
    }

    /// Whether it asks for what only the platform says of a request.
    pub(super) fn asks_for_country(&self) -> bool {
        !self.countries.is_empty()
    }

    /// What of it a client sends, in words: names, and no values.
    pub(super) fn sent(&self) -> String {
        let header = self.header.as_ref().map(|header| &header.name);
        let mut sent = String::new();
        for (kind, name) in [
            ("header ", header),
            ("cookie ", self.cookie.as_ref()),
            ("query ", self.query.as_ref()),
            ("agent ", self.agent.as_ref()),
        ] {
            if let Some(name) = name {
                let comma = if sent.is_empty() { "" } else { ", " };
                sent.extend([comma, kind, name]);
            }
        }
        sent
    }

    /// Whether a request is such once it has all that is asked for here: with one of the values, and from one of the countries, if it
    /// comes from none.
    pub(super) fn has_visit(&self, call: &Call, is_such: &dyn Fn(&Call) -> bool) -> bool {
        let mut call = call.clone();
        if let Some(name) = &self.cookie {
            let line = format!("{name}=");
            call.headers.push(("cookie", line.into_bytes()));
        }
        if let Some(prefix) = &self.agent {
            let line = format!("{prefix}{UNNAMED}");
            call.headers.push(("user-agent", line.into_bytes()));
        }
        call.query = self.query.as_ref().map(|name| {
            let mut query = form_urlencoded::Serializer::new(String::new());
            query.append_pair(name, "").finish()
        });
        let Some(header) = &self.header else {
            return self.has_visit_from(&mut call, is_such);
        };
        let any = [UNNAMED.to_owned()];
        let values = if header.values.is_empty() {
            &any
        } else {
            &header.values[..]
        };
        values.iter().any(|value| {
            call.named = vec![(header.name.clone(), value.clone().into_bytes())];
            self.has_visit_from(&mut call, is_such)
        })
    }

    fn has_visit_from(&self, call: &mut Call, is_such: &dyn Fn(&Call) -> bool) -> bool {
        if self.countries.is_empty() || call.country.is_some() {
            return is_such(call);
        }
        let found = self.countries.iter().any(|country| {
            call.country = Some(country.clone());
            is_such(call)
        });
        call.country = None;
        found
    }
}

impl Header {
    /// By one of its lines, where several came.
    fn is_in(&self, call: &Call) -> bool {
        let is_one = |line: &[u8]| {
            let mut values = self.values.iter();
            self.values.is_empty() || values.any(|value| value.as_bytes() == line.trim_ascii())
        };
        let mut named = call.named.iter();
        call.lines(&self.name).any(is_one)
            || named.any(|(name, line)| *name == self.name && is_one(line))
    }
}

/// Whether a request comes from one of these countries, as far as that is known.
pub(super) fn is_from(countries: &[String], call: &Call) -> bool {
    let is_it = |country: &str| {
        let mut listed = countries.iter();
        listed.any(|listed| listed.eq_ignore_ascii_case(country))
    };
    call.country.as_deref().is_some_and(is_it)
}
