//! The platform's HTTP cache: 24 functions that the local server does not have, over its core cache, which all sandboxes share.
//!
//! Where the platform may be more careful than it is known to be, this is not: what the product must not offer would be kept, and a
//! test would see it.
//!
//! | what | here | source |
//! |---|---|---|
//! | what is asked for by way of it | GET and HEAD that are no pass | the SDK's `Request::get_caching_mode`, and [cache freshness](https://www.fastly.com/documentation/guides/concepts/cache/cache-freshness) |
//! | the name of an object | the URL, with its host; not the backend | Assumed: *by what the HTTP cache tells objects apart* |
//! | `Vary` | an object for each value of the headers that it names; `*` names none | Assumed: *by what the HTTP cache tells objects apart* |
//! | what is kept | 200, 203, 300, 301, 302, 404, 410 | cache freshness |
//! | the same with `private`, `no-store`, `no-cache` | kept | Assumed: *what the HTTP cache would keep by itself* |
//! | for how long | `max-age` of `Surrogate-Control`, `s-maxage`, `max-age`, else 120 s, less `Age` | cache freshness |
//! | `Set-Cookie` | not kept | the SDK does that itself: `CandidateResponse::new` |
//! | not kept, and noted | requests for it go on side by side for as long as an object would live | the SDK's `CandidateResponse::set_uncacheable` |
//! | the request for an object | the visitor's, with `GET` for `HEAD` | the SDK's `get_suggested_backend_request`; that conditions and ranges are left out is not imitated |
//! | stale objects, purges | none: an object is fresh, or gone | not imitated |

use std::cell::RefCell;
use std::str::FromStr;

use fastly_shared::FastlyStatus;
use real::fastly_cache::{self as core, CacheHandle};
use real::fastly_http_cache::HttpCacheHandle;

use crate::heads::{RequestHead, ResponseHead, filled};
use crate::trace::trace;

/// The first handle of a look-up.
pub(crate) const FIRST: u32 = 0x6000_0000;

/// In the place of a head: this is not kept.
const NOT_KEPT: &[u8] = b"not kept";

/// The statuses that are kept.
const KEPT: [u16; 7] = [200, 203, 300, 301, 302, 404, 410];

/// For how long what says nothing is kept, in seconds.
const DEFAULT_LIFE: u64 = 120;

const NS: u64 = 1_000_000_000;

thread_local! {
    static LOOK_UPS: RefCell<Vec<LookUp>> = const { RefCell::new(Vec::new()) };
}

#[derive(Clone)]
struct LookUp {
    core: CacheHandle,
    request: RequestHead,
}

impl LookUp {
    fn at(handle: HttpCacheHandle) -> Option<Self> {
        let number = usize::try_from(handle.checked_sub(FIRST)?).ok()?;
        LOOK_UPS.with_borrow(|look_ups| look_ups.get(number).cloned())
    }

    fn add(self) -> HttpCacheHandle {
        LOOK_UPS.with_borrow_mut(|look_ups| {
            look_ups.push(self);
            FIRST + u32::try_from(look_ups.len() - 1).unwrap_or_default()
        })
    }

    /// The head of what was found; nothing where it was noted that nothing is kept.
    fn found(&self) -> Option<ResponseHead> {
        ResponseHead::read(&self.metadata()?)
    }

    fn is_noted(&self) -> bool {
        self.metadata().is_some_and(|metadata| metadata == NOT_KEPT)
    }

    fn metadata(&self) -> Option<Vec<u8>> {
        filled(|buffer, length, written| unsafe {
            core::get_user_metadata(self.core, buffer, length, written)
        })
    }

    fn says(&self, what: &str) {
        trace(&format!("{what} {}", self.request.url));
    }
}

/// For how long an answer may be kept, in nanoseconds.
fn life(head: &ResponseHead) -> u64 {
    let of = |header: &str, rule: &str| {
        let mut lines = head.values(header);
        lines.find_map(|line| {
            let mut rules = line.split(',').map(str::trim);
            rules.find_map(|found| {
                let (name, value) = found.split_once('=')?;
                (name == rule).then(|| u64::from_str(value.trim_matches('"')).ok())?
            })
        })
    };
    let seconds = of("surrogate-control", "max-age")
        .or_else(|| of("cache-control", "s-maxage"))
        .or_else(|| of("cache-control", "max-age"));
    seconds.unwrap_or(DEFAULT_LIFE).saturating_mul(NS)
}

/// How old an answer is already, in nanoseconds.
fn age(head: &ResponseHead) -> u64 {
    let age = head
        .values("age")
        .find_map(|value| u64::from_str(&value).ok());
    age.unwrap_or_default().saturating_mul(NS)
}

/// The names of headers in an answer's `Vary`, with a space between.
fn vary(head: &ResponseHead) -> String {
    let lines: Vec<String> = head.values("vary").collect();
    let names = lines.iter().flat_map(|line| line.split(','));
    let names: Vec<&str> = names
        .map(str::trim)
        .filter(|name| !matches!(*name, "" | "*"))
        .collect();
    names.join(" ")
}

/// The functions, by the names of those that the local server lacks.
pub(crate) mod abi {
    /// What is asked of a look-up, and the core cache knows.
    macro_rules! of_core {
        ($name:ident: $kind:ty) => {
            pub unsafe fn $name(handle: HttpCacheHandle, out: *mut $kind) -> FastlyStatus {
                with(handle, |look_up| unsafe { core::$name(look_up.core, out) })
            }
        };
    }

    /// What is asked of a look-up, and nothing kept here has.
    macro_rules! always_0 {
        ($name:ident: $kind:ty) => {
            pub unsafe fn $name(handle: HttpCacheHandle, out: *mut $kind) -> FastlyStatus {
                unsafe { *out = 0 };
                with(handle, |_| FastlyStatus::OK)
            }
        };
    }

    use fastly_shared::FastlyStatus;
    use real::fastly_cache::{
        self as core, CacheDurationNs, CacheHitCount, CacheLookupOptions, CacheLookupOptionsMask,
        CacheLookupState, CacheObjectLength, CacheWriteOptions, CacheWriteOptionsMask,
    };
    use real::fastly_http_cache::{
        HttpCacheHandle, HttpCacheLookupOptions, HttpCacheLookupOptionsMask, HttpCacheWriteOptions,
        HttpCacheWriteOptionsMask, HttpStorageAction, IsCacheable, IsSensitive,
    };
    use real::{BodyHandle, RequestHandle, ResponseHandle, fastly_http_body, fastly_http_resp};

    use super::{KEPT, LookUp, NOT_KEPT, age, life, vary, with};
    use crate::heads::{RequestHead, ResponseHead};
    use crate::trace::trace;

    pub unsafe fn is_request_cacheable(
        request: RequestHandle,
        is_cacheable_out: *mut IsCacheable,
    ) -> FastlyStatus {
        let head = RequestHead::of(request);
        let is_cacheable = matches!(head.method.as_str(), "GET" | "HEAD");
        unsafe { *is_cacheable_out = u32::from(is_cacheable) };
        FastlyStatus::OK
    }

    pub unsafe fn transaction_lookup(
        request: RequestHandle,
        mask: HttpCacheLookupOptionsMask,
        options: *const HttpCacheLookupOptions,
        out: *mut HttpCacheHandle,
    ) -> FastlyStatus {
        let head = RequestHead::of(request);
        let key = if mask.contains(HttpCacheLookupOptionsMask::OVERRIDE_KEY) {
            let options = unsafe { &*options };
            unsafe {
                std::slice::from_raw_parts(options.override_key_ptr, options.override_key_len)
            }
            .to_vec()
        } else {
            format!("http {}", head.url).into_bytes()
        };
        let by_headers = CacheLookupOptions {
            request_headers: request,
            service: std::ptr::null(),
            service_len: 0,
        };
        let mut handle = 0;
        let status = unsafe {
            core::transaction_lookup(
                key.as_ptr(),
                key.len(),
                CacheLookupOptionsMask::REQUEST_HEADERS,
                &by_headers,
                &mut handle,
            )
        };
        if !status.is_ok() {
            return status;
        }
        let names: Vec<String> = head
            .headers
            .iter()
            .map(|(name, _)| String::from_utf8_lossy(name).into_owned())
            .collect();
        trace(&format!(
            "look-up {} by {}",
            String::from_utf8_lossy(&key),
            names.join(" ")
        ));
        let look_up = LookUp {
            core: handle,
            request: head,
        };
        unsafe { *out = look_up.add() };
        FastlyStatus::OK
    }

    /// What the core cache needs to know of an insert. A place for the rule and the metadata has to live as long.
    fn core_options(
        (mask, options): (HttpCacheWriteOptionsMask, &HttpCacheWriteOptions),
        metadata: &[u8],
    ) -> (CacheWriteOptionsMask, CacheWriteOptions) {
        let mut core_mask = CacheWriteOptionsMask::USER_METADATA;
        let has_vary =
            mask.contains(HttpCacheWriteOptionsMask::VARY_RULE) && options.vary_rule_len > 0;
        core_mask.set(CacheWriteOptionsMask::VARY_RULE, has_vary);
        core_mask.set(
            CacheWriteOptionsMask::INITIAL_AGE_NS,
            mask.contains(HttpCacheWriteOptionsMask::INITIAL_AGE_NS),
        );
        core_mask.set(
            CacheWriteOptionsMask::LENGTH,
            mask.contains(HttpCacheWriteOptionsMask::LENGTH),
        );
        let core_options = CacheWriteOptions {
            max_age_ns: options.max_age_ns,
            request_headers: 0,
            vary_rule_ptr: options.vary_rule_ptr,
            vary_rule_len: options.vary_rule_len,
            initial_age_ns: options.initial_age_ns,
            stale_while_revalidate_ns: 0,
            surrogate_keys_ptr: std::ptr::null(),
            surrogate_keys_len: 0,
            length: options.length,
            user_metadata_ptr: metadata.as_ptr(),
            user_metadata_len: metadata.len(),
            edge_max_age_ns: 0,
            service: std::ptr::null(),
            service_len: 0,
        };
        (core_mask, core_options)
    }

    unsafe fn offered(options: *const HttpCacheWriteOptions) -> String {
        let options = unsafe { &*options };
        let rule =
            unsafe { std::slice::from_raw_parts(options.vary_rule_ptr, options.vary_rule_len) };
        let life = options.max_age_ns.saturating_sub(options.initial_age_ns) / super::NS;
        format!("for {life} s by [{}]", String::from_utf8_lossy(rule))
    }

    pub unsafe fn transaction_insert_and_stream_back(
        handle: HttpCacheHandle,
        response: ResponseHandle,
        mask: HttpCacheWriteOptionsMask,
        options: *const HttpCacheWriteOptions,
        body_out: *mut BodyHandle,
        handle_out: *mut HttpCacheHandle,
    ) -> FastlyStatus {
        let Some(look_up) = LookUp::at(handle) else {
            return FastlyStatus::BADF;
        };
        let head = ResponseHead::of(response);
        let _ = unsafe { fastly_http_resp::close(response) };
        look_up.says(&format!("offered {} {}", head.status, unsafe {
            offered(options)
        }));
        let metadata = head.written();
        let (core_mask, core_options) = core_options((mask, unsafe { &*options }), &metadata);
        let mut back = 0;
        let status = unsafe {
            core::transaction_insert_and_stream_back(
                look_up.core,
                core_mask,
                &core_options,
                body_out,
                &mut back,
            )
        };
        let look_up = LookUp {
            core: back,
            ..look_up
        };
        unsafe { *handle_out = look_up.add() };
        status
    }

    pub unsafe fn transaction_insert(
        handle: HttpCacheHandle,
        response: ResponseHandle,
        mask: HttpCacheWriteOptionsMask,
        options: *const HttpCacheWriteOptions,
        body_out: *mut BodyHandle,
    ) -> FastlyStatus {
        let mut back = 0;
        unsafe {
            transaction_insert_and_stream_back(handle, response, mask, options, body_out, &mut back)
        }
    }

    pub unsafe fn transaction_update(
        _: HttpCacheHandle,
        _: ResponseHandle,
        _: HttpCacheWriteOptionsMask,
        _: *const HttpCacheWriteOptions,
    ) -> FastlyStatus {
        FastlyStatus::UNSUPPORTED
    }

    pub unsafe fn transaction_update_and_return_fresh(
        _: HttpCacheHandle,
        _: ResponseHandle,
        _: HttpCacheWriteOptionsMask,
        _: *const HttpCacheWriteOptions,
        _: *mut HttpCacheHandle,
    ) -> FastlyStatus {
        FastlyStatus::UNSUPPORTED
    }

    pub unsafe fn transaction_choose_stale(_: HttpCacheHandle) -> FastlyStatus {
        FastlyStatus::NONE
    }

    pub unsafe fn transaction_record_not_cacheable(
        handle: HttpCacheHandle,
        mask: HttpCacheWriteOptionsMask,
        options: *const HttpCacheWriteOptions,
    ) -> FastlyStatus {
        let Some(look_up) = LookUp::at(handle) else {
            return FastlyStatus::BADF;
        };
        let options = unsafe { &*options };
        look_up.says(&format!(
            "not offered, noted for {} s",
            options.max_age_ns / super::NS
        ));
        let (core_mask, core_options) = core_options((mask, options), NOT_KEPT);
        let mut body = 0;
        let status =
            unsafe { core::transaction_insert(look_up.core, core_mask, &core_options, &mut body) };
        if status.is_ok() {
            let _ = unsafe { fastly_http_body::close(body) };
        }
        status
    }

    pub unsafe fn transaction_abandon(handle: HttpCacheHandle) -> FastlyStatus {
        with(handle, |look_up| {
            look_up.says("not offered");
            unsafe { core::transaction_cancel(look_up.core) }
        })
    }

    /// An unfinished transaction ends with it.
    pub unsafe fn close(handle: HttpCacheHandle) -> FastlyStatus {
        with(handle, |look_up| unsafe { core::close(look_up.core) })
    }

    pub unsafe fn get_suggested_backend_request(
        handle: HttpCacheHandle,
        request_out: *mut RequestHandle,
    ) -> FastlyStatus {
        with(handle, |mut look_up| {
            if look_up.request.method == "HEAD" {
                "GET".clone_into(&mut look_up.request.method);
            }
            unsafe { *request_out = look_up.request.made() };
            FastlyStatus::OK
        })
    }

    pub unsafe fn get_suggested_cache_options(
        handle: HttpCacheHandle,
        response: ResponseHandle,
        _: HttpCacheWriteOptionsMask,
        places: *const HttpCacheWriteOptions,
        mask_out: *mut HttpCacheWriteOptionsMask,
        options_out: *mut HttpCacheWriteOptions,
    ) -> FastlyStatus {
        with(handle, |_| {
            let head = ResponseHead::of(response);
            let rule = vary(&head);
            let (places, options) = unsafe { (&*places, &mut *options_out) };
            options.max_age_ns = life(&head);
            options.initial_age_ns = age(&head);
            options.vary_rule_len = rule.len();
            options.surrogate_keys_len = 0;
            unsafe { *mask_out = HttpCacheWriteOptionsMask::VARY_RULE };
            if rule.len() > places.vary_rule_len {
                return FastlyStatus::BUFLEN;
            }
            let place = places.vary_rule_ptr.cast_mut();
            unsafe { place.copy_from_nonoverlapping(rule.as_ptr(), rule.len()) };
            FastlyStatus::OK
        })
    }

    pub unsafe fn prepare_response_for_storage(
        handle: HttpCacheHandle,
        response: ResponseHandle,
        action_out: *mut HttpStorageAction,
        response_out: *mut ResponseHandle,
    ) -> FastlyStatus {
        with(handle, |_| {
            let head = ResponseHead::of(response);
            let action = if KEPT.contains(&head.status) {
                HttpStorageAction::Insert
            } else {
                HttpStorageAction::DoNotStore
            };
            unsafe {
                *action_out = action;
                *response_out = head.made();
            }
            FastlyStatus::OK
        })
    }

    pub unsafe fn get_found_response(
        handle: HttpCacheHandle,
        _: u32,
        response_out: *mut ResponseHandle,
        body_out: *mut BodyHandle,
    ) -> FastlyStatus {
        with(handle, |look_up| {
            let Some(head) = look_up.found() else {
                return FastlyStatus::NONE;
            };
            look_up.says("found");
            unsafe { *response_out = head.made() };
            if look_up.request.method == "HEAD" {
                return unsafe { fastly_http_body::new(body_out) };
            }
            let whole = core::CacheGetBodyOptions { from: 0, to: 0 };
            unsafe {
                core::get_body(
                    look_up.core,
                    core::CacheGetBodyOptionsMask::empty(),
                    &whole,
                    body_out,
                )
            }
        })
    }

    pub unsafe fn get_state(
        handle: HttpCacheHandle,
        state_out: *mut CacheLookupState,
    ) -> FastlyStatus {
        with(handle, |look_up| {
            let status = unsafe { core::get_state(look_up.core, state_out) };
            if status.is_ok() && look_up.is_noted() {
                look_up.says("noted");
                unsafe { *state_out = CacheLookupState::empty() };
            }
            status
        })
    }

    of_core!(get_length: CacheObjectLength);
    of_core!(get_max_age_ns: CacheDurationNs);
    of_core!(get_age_ns: CacheDurationNs);
    always_0!(get_stale_while_revalidate_ns: CacheDurationNs);
    always_0!(get_stale_if_error_ns: CacheDurationNs);

    pub unsafe fn get_hits(handle: HttpCacheHandle, hits_out: *mut CacheHitCount) -> FastlyStatus {
        unsafe { *hits_out = 1 };
        with(handle, |_| FastlyStatus::OK)
    }

    always_0!(get_sensitive_data: IsSensitive);

    pub unsafe fn get_surrogate_keys(
        handle: HttpCacheHandle,
        _: *mut u8,
        _: usize,
        written: *mut usize,
    ) -> FastlyStatus {
        unsafe { *written = 0 };
        with(handle, |_| FastlyStatus::OK)
    }

    pub unsafe fn get_vary_rule(
        handle: HttpCacheHandle,
        _: *mut u8,
        _: usize,
        written: *mut usize,
    ) -> FastlyStatus {
        unsafe { *written = 0 };
        with(handle, |_| FastlyStatus::OK)
    }
}

fn with(handle: HttpCacheHandle, work: impl FnOnce(LookUp) -> FastlyStatus) -> FastlyStatus {
    LookUp::at(handle).map_or(FastlyStatus::BADF, work)
}
