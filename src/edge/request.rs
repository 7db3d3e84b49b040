//! A request of the platform as plain data, and an answer for it.

use std::cell::RefCell;
use std::io::Read;
use std::sync::LazyLock;

use ct_codecs::{Encoder, Hex};
use fastly::Request;
use fastly::handle::{BodyHandle, RequestHandle, ResponseHandle};
use fastly::http::{HeaderName, HeaderValue, StatusCode};
use rand::Rng as _;

use now_serving::config::{Query, Rooms};
use now_serving::http::{Call, HEADERS, Reply, withheld};
use now_serving::telemetry::log::RequestFacts;

use super::last_url::LastUrl;
use super::{READING, is_local, variable};

/// What the platform says of the place where this sandbox runs: the same for all of its requests.
struct Place {
    region: String,
    service_id: String,
    service_version: String,
    hostname: String,
}

static PLACE: LazyLock<Place> = LazyLock::new(|| Place {
    region: variable("FASTLY_REGION"),
    service_id: variable("FASTLY_SERVICE_ID"),
    service_version: variable("FASTLY_SERVICE_VERSION"),
    hostname: variable("FASTLY_HOSTNAME"),
});

/// How many bytes of header names are asked for in one call of the host: a browser's names have 400 together.
const NAMES: usize = 4096;

/// `FASTLY_TRACE_ID` names the sandbox, which several requests share; this names the request.
pub(super) fn trace_id(request: &Request) -> String {
    handle(request).client_request_id().unwrap_or_default()
}

/// Asked for one thing, the SDK's own request asks the host for all that is known of the client.
pub(super) fn handle(request: &Request) -> &RequestHandle {
    let (handle, _) = request.as_handles();
    handle
}

/// The request's body, left alone until somebody reads it: only an operator's route does.
pub(super) struct RequestBody<'a>(pub(super) &'a RefCell<Option<Request>>);

impl Read for RequestBody<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self.0.borrow_mut().as_mut() {
            Some(request) => request.get_body_mut().read(buffer),
            None => Ok(0),
        }
    }
}

pub(super) fn call(request: &Request, host_url: &mut LastUrl, rooms: &Rooms) -> Call {
    // The host hands over names all at once and values one by one: only those that are there are asked for.
    let names = names(request);
    let present = |wanted: &&str| names.iter().any(|name| name.as_str() == *wanted);
    let copied = |name: &'static str| {
        request
            .get_header_all(name)
            .map(move |value| (name, value.as_bytes().to_vec()))
    };
    let mut by_condition = Vec::new();
    for name in names
        .iter()
        .filter(|name| rooms.ask_for_header(name.as_str()))
    {
        for value in request.get_header_all(name.as_str()) {
            by_condition.push((name.as_str().to_owned(), value.as_bytes().to_vec()));
        }
    }
    let host = request.get_header_str_lossy("host").unwrap_or_default();
    // The SDK panics over a URL it cannot parse; the host is the part of it that a stranger can spoil.
    READING.set(Some(request.get_method_str().to_owned()));
    let is_sound = host_url.of(&format!("http://{host}/")).is_some();
    let url = is_sound.then(|| request.get_url());
    READING.set(None);
    Call {
        method: request.get_method_str().to_owned(),
        path: url.map(|url| url.path().to_owned()).unwrap_or_default(),
        query: url.and_then(|url| url.query().map(str::to_owned)),
        host: host.into_owned(),
        https: url.is_some_and(|url| url.scheme() == "https")
            || !is_local() && came_by_tls(request),
        address: handle(request).client_ip_addr(),
        country: None,
        local: is_local(),
        headers: HEADERS
            .into_iter()
            .filter(present)
            .flat_map(copied)
            .collect(),
        named: by_condition,
        withheld: withheld(
            names.iter().map(HeaderName::as_str),
            present(&"connection")
                .then(|| {
                    request
                        .get_header_all("connection")
                        .map(HeaderValue::as_bytes)
                })
                .into_iter()
                .flatten(),
        ),
        id: fresh_id(),
    }
}

/// The names of all headers. The SDK's request asks for 128 bytes of them at a time. Where one name alone is longer than [`NAMES`],
/// it is asked after all.
fn names(request: &Request) -> Vec<HeaderName> {
    let found: Result<Vec<HeaderName>, _> = handle(request).get_header_names(NAMES).collect();
    found.unwrap_or_else(|_| request.get_header_names().cloned().collect())
}

/// With the sender's country, which is asked for only where it decides about a room or a region.
pub(super) fn located(call: Call, rooms: &Rooms) -> Call {
    let address = call.address.filter(|_| rooms.ask_for_country());
    let place = address.and_then(fastly::geo::geo_lookup);
    let country = place.and_then(|place| known(place.country_code()));
    Call { country, ..call }
}

fn known(text: &str) -> Option<String> {
    (!text.is_empty() && text != "?").then(|| text.to_owned())
}

/// Asked for only where the URL does not say https: a redirect to https must not go by one board alone, or it never ends
/// where that board is wrong.
pub(super) fn came_by_tls(request: &Request) -> bool {
    let protocol = handle(request).client_tls_protocol_bytes();
    protocol.is_some_and(|protocol| !protocol.is_empty())
}

/// 128 random bits in hexadecimal.
pub(super) fn fresh_id() -> String {
    let mut bytes = [0; 16];
    rand::rng().fill_bytes(&mut bytes);
    Hex::encode_to_string(bytes).unwrap_or_default()
}

/// What the platform knows about a request.
pub(super) fn facts(call: &Call, trace: String, query: Query) -> RequestFacts {
    let place = call.address.and_then(fastly::geo::geo_lookup);
    RequestFacts {
        client_address: call.address.map(|address| address.to_string()),
        fastly_region: &PLACE.region,
        fastly_service_id: &PLACE.service_id,
        fastly_service_version: &PLACE.service_version,
        fastly_hostname: &PLACE.hostname,
        fastly_trace_id: trace,
        client_geo_country: place.as_ref().and_then(|place| known(place.country_code())),
        client_geo_city: place.as_ref().and_then(|place| known(place.city())),
        ..RequestFacts::of(call, query)
    }
}

/// Answers the visitor, and gives the status. By its handle: the SDK's own answer sets once more what every new one has.
pub(super) fn send(reply: Reply) -> u16 {
    let mut answer = ResponseHandle::new();
    // A new one has 200.
    if let Ok(status) = StatusCode::from_u16(reply.status)
        && status != StatusCode::OK
    {
        answer.set_status(status);
    }
    for (name, value) in reply.headers {
        if let Ok(value) = HeaderValue::try_from(value) {
            answer.append_header(&HeaderName::from_static(name), &value);
        }
    }
    answer.send_to_client(BodyHandle::from(reply.body));
    reply.status
}
