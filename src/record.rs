//! One JSON line per decision, for the endpoint `queue_logs`.
//!
//! Invariant: never a ticket, a token, a password or a query string; what strangers send is shortened.

use serde::Serialize;

/// Why a request was answered as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// On the list of what skips the room.
    Bypass,
    /// OPTIONS goes to the origin, so that other sites' scripts learn what they may do.
    Preflight,
    /// Had been admitted before.
    Inside,
    /// Admitted by this very request.
    Admitted,
    /// In line.
    Waiting,
    /// The store does not answer: held.
    Held,
    /// The room is closed.
    Closed,
    /// The store does not answer: let in by policy.
    AdmittedWithoutStore,
    /// HEAD, a prefetch or a part of a page, without a ticket that lets it in.
    NotAVisitor,
    /// Asked whether the browser kept its ticket.
    Cookies,
    /// A browser that keeps no cookies was told so.
    NoCookies,
    /// The page was told to refresh by itself, or not to.
    Updates,
    /// A request to the room's own routes that was not understood.
    BadRequest,
    /// TRACE or CONNECT.
    BadMethod,
    /// `Host` names no host.
    BadHost,
    /// Over plain http in production: sent to https before anything is drawn.
    ToHttps,
    /// The panel.
    Panel,
    /// The line was moved.
    Permit,
    /// Something else was changed by an operator.
    Changed,
    /// Nothing was changed: somebody else was quicker, or the mode lets nobody in.
    NotChanged,
    /// The status API.
    Status,
    /// The settings were read.
    Settings,
    /// The health route.
    Health,
    /// Nothing at this path below the operator's.
    NotFound,
    /// No password is configured, so there is no panel.
    NoPassword,
    /// Wrong or missing credentials, or a change asked for from another site.
    Unauthorized,
    /// An operator's request that was not understood.
    BadOperatorRequest,
    /// The store does not answer an operator.
    StoreTrouble,
}

/// What the platform knows about a request.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Facts {
    /// Unix time in milliseconds.
    pub timestamp: u64,
    /// The visitor's address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_address: Option<String>,
    /// Scheme, host and path.
    pub request_url: String,
    /// The method.
    pub request_method: String,
    /// Without its query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_referer: Option<String>,
    /// As it came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_user_agent: Option<String>,
    /// `FASTLY_REGION`.
    pub fastly_region: String,
    /// `FASTLY_SERVICE_ID`.
    pub fastly_service_id: String,
    /// `FASTLY_SERVICE_VERSION`.
    pub fastly_service_version: String,
    /// `FASTLY_HOSTNAME`.
    pub fastly_hostname: String,
    /// The name the platform gave the request.
    pub fastly_trace_id: String,
    /// Two letters, absent when unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_geo_country: Option<String>,
    /// Absent when unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_geo_city: Option<String>,
}

/// What the service decided about it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// Whether it went to the origin, or was told that it may.
    pub permitted: bool,
    /// Why.
    pub reason: Reason,
    /// The cursor, if this request saw it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_cursor: Option<u64>,
    /// The number on the ticket, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visitor_position: Option<u64>,
    /// What its holder can quote to support.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticket_reference: Option<String>,
    /// What was wrong with the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store_error: Option<String>,
}

impl Record {
    /// A decision that needed neither sign nor ticket.
    #[must_use]
    pub fn of(permitted: bool, reason: Reason) -> Self {
        Self {
            permitted,
            reason,
            queue_cursor: None,
            visitor_position: None,
            ticket_reference: None,
            store_error: None,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry<'a> {
    #[serde(flatten)]
    facts: &'a Facts,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_status: Option<u16>,
    #[serde(flatten)]
    record: &'a Record,
}

/// The longest text of a stranger in a line, in characters.
const LONGEST: usize = 512;

/// The line, without a status where the host answered from the origin; empty only if serialising fails, which it has no reason to.
#[must_use]
pub fn entry(facts: &Facts, status: Option<u16>, record: &Record) -> String {
    let entry = Entry {
        facts,
        response_status: status,
        record,
    };
    serde_json::to_string(&entry).unwrap_or_default()
}

/// A URL without query and fragment, shortened.
#[must_use]
pub fn without_query(url: &str) -> String {
    shortened(url.split(['?', '#']).next().unwrap_or_default())
}

/// At most 512 characters.
#[must_use]
pub fn shortened(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_documented_fields_and_no_query() {
        let facts = Facts {
            timestamp: 1,
            client_address: Some("192.0.2.1".into()),
            request_url: without_query("https://shop.example/drop?token=secret#x"),
            request_method: "GET".into(),
            ..Facts::default()
        };
        let record = Record {
            permitted: false,
            reason: Reason::Waiting,
            queue_cursor: Some(3),
            visitor_position: Some(9),
            ticket_reference: Some("3F9A-1C2E".into()),
            store_error: None,
        };
        assert_eq!(
            entry(&facts, Some(503), &record),
            concat!(
                r#"{"timestamp":1,"clientAddress":"192.0.2.1","requestUrl":"https://shop.example/drop","requestMethod":"GET","#,
                r#""fastlyRegion":"","fastlyServiceId":"","fastlyServiceVersion":"","fastlyHostname":"","fastlyTraceId":"","#,
                r#""responseStatus":503,"permitted":false,"reason":"waiting","queueCursor":3,"visitorPosition":9,"ticketReference":"3F9A-1C2E"}"#
            )
        );
    }

    #[test]
    fn what_strangers_send_is_shortened() {
        assert_eq!(shortened(&"é".repeat(9_999)).chars().count(), LONGEST);
    }
}
