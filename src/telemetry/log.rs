//! One JSON line per decision, for the endpoint `queue_logs`; `tests/log.schema.json` describes it.
//!
//! Invariant: never a ticket, a token, a password, nor a query string unless it was asked for; what strangers send is
//! shortened, so that no line is longer than [`LONGEST_LINE`].

use serde::{Serialize, Serializer};

use crate::config::{Problem, Query};
use crate::http::{Call, first, shortened};
use crate::queue::invitation::PARAMETER;
use crate::queue::{
    AboveBound, AllowFault, Answered, Inversion, Invited, Reason, Signal, WafFault, WafVerdict,
    Waited,
};

/// The version of the schema, which every line begins with. Readers of the log may rely on it: a new field or a new
/// reason leaves it as it is, anything else raises it.
pub const SCHEMA: u8 = 1;

/// The most bytes a line has, which is 16 KB with room for what a log endpoint puts in front of it.
pub const LONGEST_LINE: usize = 16_000;

/// How many of the decisions like this one are logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Sampling {
    /// Every one.
    All,
    /// One in this many, and this is one of them.
    OneIn(u64),
    /// One in several, and this is another.
    Unlogged,
}

impl Sampling {
    /// Whether it is this one's turn; `chance` differs from request to request.
    #[must_use]
    pub fn one_in(many: u64, chance: u64) -> Self {
        match many {
            0 | 1 => Self::All,
            many if chance.is_multiple_of(many) => Self::OneIn(many),
            _ => Self::Unlogged,
        }
    }

    /// Whether there is nothing to scale.
    fn is_whole(&self) -> bool {
        !matches!(self, Self::OneIn(_))
    }
}

/// What the platform knows about a request.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestFacts {
    /// Unix time in milliseconds.
    pub timestamp: u64,
    /// The visitor's address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_address: Option<String>,
    /// Scheme, host and path; the query too, if it was asked for.
    pub request_url: String,
    /// The method.
    pub request_method: String,
    /// Without its query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_referer: Option<String>,
    /// As it came, but no longer than that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_user_agent: Option<String>,
    /// `FASTLY_REGION`.
    pub fastly_region: &'static str,
    /// `FASTLY_SERVICE_ID`.
    pub fastly_service_id: &'static str,
    /// `FASTLY_SERVICE_VERSION`.
    pub fastly_service_version: &'static str,
    /// `FASTLY_HOSTNAME`.
    pub fastly_hostname: &'static str,
    /// The name the platform gave the request.
    pub fastly_trace_id: String,
    /// The room that counts it; absent while the rooms are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub room: Option<String>,
    /// Two letters, absent when unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_geo_country: Option<String>,
    /// Absent when unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_geo_city: Option<String>,
}

impl RequestFacts {
    /// What the request itself tells.
    #[must_use]
    pub fn of(call: &Call, query: Query) -> Self {
        let header = |name: &str| Some(call.header(name)).filter(|text| !text.is_empty());
        let request_url = match query {
            Query::LeftOut => without_query(&call.url()),
            Query::Kept => match call.query_without(PARAMETER) {
                Some(query) => shortened(&without_userinfo(&format!("{}?{query}", call.url()))),
                None => shortened(&without_userinfo(&call.url())),
            },
        };
        Self {
            request_url,
            request_method: first(&call.method, LONGEST_METHOD),
            request_referer: header("referer").map(|referer| without_query(&referer)),
            request_user_agent: header("user-agent").map(|agent| shortened(&agent)),
            ..Self::default()
        }
    }
}

/// What the service decided about it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    /// Whether it went to the origin, or was told that it may.
    pub permitted: bool,
    /// Why.
    pub reason: Reason,
    /// The condition of the settings by which it went past every room.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The cursor, if this request saw it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_cursor: Option<u64>,
    /// Where the event stands whose time it is, if this request saw it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_phase: Option<&'static str>,
    /// The number on the ticket, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visitor_position: Option<u64>,
    /// How long the visitor waited who goes in for the first time.
    #[serde(flatten)]
    pub waited: Option<Waited>,
    /// The lane that number and cursor are of: that of a group or a region; not there for the main line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lane: Option<String>,
    /// What its holder can quote to support.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticket_reference: Option<String>,
    /// Whether more networks use the ticket than should.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shared_ticket: bool,
    /// What became of a draw above the bound of the visitor's network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above_network_bound: Option<AboveBound>,
    /// What became of the invitation that the visitor brought.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invitation: Option<Invited>,
    /// What let the visitor pass others whose turn was before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inversion: Option<Inversion>,
    /// What the platform said of a visitor who was about to draw.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub signals: Vec<Signal>,
    /// What the site's firewall said of the request, where it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waf: Option<WafVerdict>,
    /// Why it gave no verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waf_error: Option<WafFault>,
    /// The name by which a client is known that needs no ticket.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<String>,
    /// Why a client was not allowed to pass without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_refused: Option<AllowFault>,
    /// Whether the origin ended the visitor's session with its answer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub session_ended: bool,
    /// How the origin answered, where that was watched and not well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin_answer: Option<Answered>,
    /// What was wrong with the operators' secrets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    /// What was wrong with the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store_error: Option<String>,
    /// The name of the credentials an operator's request came with.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "briefly")]
    pub operator: Option<String>,
    /// What an operator changed, in a few words.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "briefly")]
    pub action: Option<String>,
    /// How many like it are logged.
    #[serde(rename = "sample", skip_serializing_if = "Sampling::is_whole")]
    pub share: Sampling,
}

impl Decision {
    /// The request went on to the origin.
    #[must_use]
    pub fn forwarded(reason: Reason) -> Self {
        Self {
            permitted: true,
            ..Self::answered(reason)
        }
    }

    /// The request was answered here.
    #[must_use]
    pub fn answered(reason: Reason) -> Self {
        Self {
            permitted: false,
            reason,
            rule: None,
            queue_cursor: None,
            event_phase: None,
            visitor_position: None,
            waited: None,
            lane: None,
            ticket_reference: None,
            shared_ticket: false,
            above_network_bound: None,
            invitation: None,
            inversion: None,
            signals: Vec::new(),
            waf: None,
            waf_error: None,
            allowed: None,
            allow_refused: None,
            session_ended: false,
            origin_answer: None,
            problems: Vec::new(),
            store_error: None,
            operator: None,
            action: None,
            share: Sampling::All,
        }
    }

    /// Whether there is a line to write: without one nothing about the request need be looked up.
    #[must_use]
    pub fn is_logged(&self) -> bool {
        self.share != Sampling::Unlogged
    }
}

#[derive(Serialize)]
struct Line<T> {
    schema: u8,
    #[serde(flatten)]
    rest: T,
}

/// What every line is made by: one JSON object behind the version of its schema; empty only if serialising fails, which
/// it has no reason to.
#[must_use]
pub fn line(rest: &impl Serialize) -> String {
    let schema = SCHEMA;
    serde_json::to_string(&Line { schema, rest }).unwrap_or_default()
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry<'a> {
    #[serde(flatten)]
    facts: &'a RequestFacts,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_status: Option<u16>,
    #[serde(flatten)]
    record: &'a Decision,
}

/// Longer than any method there is.
const LONGEST_METHOD: usize = 32;
/// The longest text about an operator, in characters.
const LONGEST_ACTION: usize = 200;

/// The line of a decision, without a status where the host answered from the origin.
#[must_use]
pub fn entry(facts: &RequestFacts, status: Option<u16>, record: &Decision) -> String {
    line(&Entry {
        facts,
        response_status: status,
        record,
    })
}

/// A URL without query and fragment, shortened.
#[must_use]
pub fn without_query(url: &str) -> String {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    shortened(&without_userinfo(url.get(..end).unwrap_or_default()))
}

/// Some programs put a name and a password in front of a host.
fn without_userinfo(url: &str) -> String {
    let parts = url.contains('@').then(|| url.split_once("//")).flatten();
    let Some((scheme, rest)) = parts else {
        return url.to_owned();
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
    let host = host.rsplit('@').next().unwrap_or_default();
    format!("{scheme}//{host}{path}")
}

/// So that code that words it need not count.
#[expect(clippy::ref_option, reason = "serde hands over the field as it is")]
fn briefly<S: Serializer>(text: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    let text = text.as_deref().unwrap_or_default();
    serializer.serialize_str(&first(text, LONGEST_ACTION))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::indexing_slicing, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_line_has_the_documented_fields_and_no_query() {
        let facts = RequestFacts {
            timestamp: 1,
            client_address: Some("192.0.2.1".into()),
            request_url: without_query("https://shop.example/drop?token=secret#x"),
            request_method: "GET".into(),
            ..RequestFacts::default()
        };
        let record = Decision {
            queue_cursor: Some(3),
            event_phase: Some("open"),
            visitor_position: Some(9),
            ticket_reference: Some("3F9A-1C2E".into()),
            ..Decision::answered(Reason::Waiting)
        };
        assert_eq!(
            entry(&facts, Some(503), &record),
            concat!(
                r#"{"schema":1,"timestamp":1,"clientAddress":"192.0.2.1","requestUrl":"https://shop.example/drop","requestMethod":"GET","#,
                r#""fastlyRegion":"","fastlyServiceId":"","fastlyServiceVersion":"","fastlyHostname":"","fastlyTraceId":"","#,
                r#""responseStatus":503,"permitted":false,"reason":"waiting","queueCursor":3,"eventPhase":"open","visitorPosition":9,"ticketReference":"3F9A-1C2E"}"#
            )
        );
    }

    #[test]
    fn what_strangers_send_is_shortened() {
        assert_eq!(shortened(&"é".repeat(9_999)).chars().count(), 512);
    }

    #[test]
    fn the_query_is_there_when_it_was_asked_for_and_a_password_never_is() {
        let call = Call {
            method: "GET".to_owned(),
            host: "name:hush@shop.example".to_owned(),
            path: "/drop".to_owned(),
            query: Some("size=m&invitation=code&%69nvitation=code".to_owned()),
            headers: vec![("referer", b"https://name:hush@a.example/b@c?d=e#f".to_vec())],
            ..Call::default()
        };
        let url = |query| RequestFacts::of(&call, query).request_url;
        assert_eq!(url(Query::LeftOut), "http://shop.example/drop");
        assert_eq!(url(Query::Kept), "http://shop.example/drop?size=m");
        let referer = RequestFacts::of(&call, Query::Kept).request_referer;
        assert_eq!(referer.as_deref(), Some("https://a.example/b@c"));
    }

    #[test]
    fn one_in_a_sample_is_logged_and_says_so() {
        let logged = |many| {
            let shares = (0..1_000).map(|chance| Sampling::one_in(many, chance));
            let records = shares.map(|share| Decision {
                share,
                ..Decision::answered(Reason::Waiting)
            });
            let logged: Vec<Decision> = records.filter(Decision::is_logged).collect();
            let line = entry(&RequestFacts::default(), None, &logged[0]);
            (logged.len(), line.contains(r#","sample":10}"#))
        };
        assert_eq!(logged(1), (1_000, false));
        assert_eq!(logged(10), (100, true));
    }

    #[test]
    fn what_an_operator_did_is_logged_briefly() {
        let record = Decision {
            operator: Some("admin".to_owned()),
            action: Some("x".repeat(9_999)),
            ..Decision::answered(Reason::Permit)
        };
        let line = entry(&RequestFacts::default(), None, &record);
        let action = "x".repeat(LONGEST_ACTION);
        let end = format!(r#","operator":"admin","action":"{action}"}}"#);
        assert!(line.ends_with(&end), "{line}");
    }
}
