//! The floor under the product's own calls of the host: the same ones in the same order, with constants, and nothing computed. It
//! answers what new visitors, waiting visitors and visitors inside ask for, by the path.

#[cfg(target_arch = "wasm32")]
fn main() {
    use std::io::Write;

    use calls::{
        OF_VISITOR, TOLD, answered, ask_store, asked, note, passed_on, put_up, remember,
        remembered, sign,
    };
    use fastly::Request;
    use fastly::geo::geo_lookup;
    use fastly::http::Url;
    use fastly::http::serve::Serve;
    use fastly::log::Endpoint;
    use now_serving_baselines::{LINE, PAGE, PLACE};

    let store = Url::parse("http://store.floor/").ok();
    let mut log = Endpoint::try_from_name("queue_logs").ok();
    Serve::new().run(move |request: Request| {
        let asked = asked(&request);
        match asked.path.as_str() {
            "/_queue/place" => answered(request, 3, &PLACE),
            "/" => {
                sign();
                answered(request, 10, &PAGE);
            }
            "/draw" => {
                sign();
                note();
                remembered();
                if let Some(store) = &store {
                    ask_store(store);
                }
                put_up();
                remember();
                answered(request, 10, &PAGE);
            }
            "/robots.txt" => passed_on(request, &TOLD, false),
            _ => passed_on(request, &[TOLD.as_slice(), &OF_VISITOR].concat(), true),
        }
        let _ = asked.address.and_then(geo_lookup);
        if let Some(log) = &mut log {
            let _ = log.write_all(&LINE);
        }
    });
}

#[cfg(target_arch = "wasm32")]
mod calls {
    use std::io::Read;
    use std::net::IpAddr;
    use std::time::Duration;

    use fastly::Request;
    use fastly::cache::core::{self, CacheKey};
    use fastly::handle::{BodyHandle, CacheOverride, RequestHandle, ResponseHandle};
    use fastly::http::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE};
    use fastly::http::{HeaderName, HeaderValue, Method, StatusCode, Url};
    use now_serving_baselines::{SIGN, STORE_AUTHORIZATION, STORE_CALL};

    /// What is read of a request.
    pub(super) struct Asked {
        pub(super) path: String,
        pub(super) address: Option<IpAddr>,
    }

    const NAMES: usize = 4096;
    /// What the origin learns of each request.
    pub(super) const TOLD: [(&str, &str); 4] = [
        ("x-forwarded-for", "127.0.0.1"),
        ("x-forwarded-host", "127.0.0.1"),
        ("x-forwarded-port", "127.0.0.1"),
        ("x-forwarded-proto", "http"),
    ];

    pub(super) fn asked(request: &Request) -> Asked {
        let handle = handle(request);
        let _: Result<Vec<HeaderName>, _> = handle.get_header_names(NAMES).collect();
        let _ = request.get_header_str_lossy("host");
        let _ = request.get_method_str();
        let path = request.get_path().to_owned();
        let address = handle.client_ip_addr();
        if path != "/robots.txt" {
            let _ = request.get_header_all("cookie").count();
        }
        Asked { path, address }
    }

    fn key() -> CacheKey {
        CacheKey::from_static(b"floor:sign")
    }

    fn read() -> bool {
        let found = core::lookup(key()).execute().ok().flatten();
        if let Some(found) = &found {
            let _ = found.is_stale();
            let _ = found.user_metadata();
        }
        found.is_some()
    }

    fn insert() {
        let copy = core::insert(key(), Duration::from_mins(10));
        let copy = copy.user_metadata(SIGN.to_vec().into()).execute();
        let _ = copy.map(fastly::http::body::StreamingBody::finish);
    }

    /// The copy of the board, which every one of these pages reads.
    pub(super) fn sign() {
        if !read() {
            insert();
        }
    }

    /// A note of the data centre, which is not there.
    pub(super) fn note() {
        let found = core::lookup(CacheKey::from_static(b"floor:note")).execute();
        let _ = found.map(|found| found.map(|found| found.is_stale()));
    }

    /// What the ticket was answered within the last second: nothing.
    pub(super) fn remembered() {
        let _ = core::lookup(CacheKey::from_static(b"floor:answer")).execute();
    }

    /// The answer, for the next second. It is never read, as that of a visitor who asks once.
    pub(super) fn remember() {
        let answer = core::insert(
            CacheKey::from_static(b"floor:written"),
            Duration::from_secs(1),
        );
        let answer = answer.user_metadata(SIGN.to_vec().into()).execute();
        let _ = answer.map(fastly::http::body::StreamingBody::finish);
    }

    /// The board of the store's answer, where it is newer than the copy.
    pub(super) fn put_up() {
        let _ = read();
        insert();
    }

    /// One call of the store, read to its end.
    pub(super) fn ask_store(url: &Url) {
        let mut request = RequestHandle::new();
        request.set_method(&Method::POST);
        request.set_url(url);
        let authorization = HeaderValue::from_static(STORE_AUTHORIZATION);
        request.insert_header(&AUTHORIZATION, &authorization);
        request.insert_header(&CONTENT_TYPE, &HeaderValue::from_static("application/json"));
        request.set_cache_override(&CacheOverride::Pass);
        if let Ok((head, mut answer)) = request.send(BodyHandle::from(STORE_CALL), "upstash") {
            let mut bytes = Vec::with_capacity(2048);
            let _ = answer.read_to_end(&mut bytes);
            let _ = head.get_status();
        }
    }

    /// An answer of the edge's own, with this many headers.
    pub(super) fn answered(request: Request, headers: u8, body: &'static [u8]) {
        let _ = handle(&request).client_request_id();
        let mut answer = ResponseHandle::new();
        if headers > 3 {
            answer.set_status(StatusCode::SERVICE_UNAVAILABLE);
        }
        let value = HeaderValue::from_static("a value of twenty-five by");
        for name in NAMES_OF_ANSWERS.iter().take(headers.into()) {
            answer.append_header(&HeaderName::from_static(name), &value);
        }
        answer.send_to_client(BodyHandle::from(body));
        drop(request);
    }

    const NAMES_OF_ANSWERS: [&str; 10] = [
        "content-type",
        "cache-control",
        "x-floor-1",
        "x-floor-2",
        "x-floor-3",
        "x-floor-4",
        "x-floor-5",
        "x-floor-6",
        "x-floor-7",
        "x-floor-8",
    ];

    /// What it learns of a visitor inside besides: the number, and the pass.
    pub(super) const OF_VISITOR: [(&str, &str); 2] = [
        ("queue-position", "1"),
        (
            "queue-pass",
            concat!(
                "................................................................",
                "................................................................",
                "................................................................",
                "................................................................",
            ),
        ),
    ];

    /// A request that goes to the origin, with its cookies or without, as the product sends it.
    pub(super) fn passed_on(
        mut request: Request,
        told: &[(&'static str, &'static str)],
        has_cookies: bool,
    ) {
        let _ = handle(&request).client_request_id();
        let judged = request.get_url().clone();
        request.set_pass(true);
        let (mut handle, body) = request.into_handles();
        handle.set_url(&judged);
        if has_cookies {
            handle.remove_header(&COOKIE);
        }
        for (name, value) in told {
            let (name, value) = (
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            );
            handle.insert_header(&name, &value);
        }
        let body = body.unwrap_or_else(BodyHandle::new);
        if let Ok(pending) = handle.send_async(body, "protected_content") {
            pending.send_to_client();
        }
    }

    fn handle(request: &Request) -> &RequestHandle {
        let (handle, _) = request.as_handles();
        handle
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This floor runs on Fastly Compute. To compare with it: cargo dev bench --calls");
}
