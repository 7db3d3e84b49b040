//! Requests to backends: how many, how large, to which, and whether the platform's cache is passed by.

use std::cell::RefCell;
use std::collections::BTreeSet;

use fastly_shared::FastlyStatus;
use real::fastly_http_req::{
    self as req, PendingResponseKind, SendErrorDetail, SendErrorDetailTag,
};
use real::{
    AsyncItemHandle, BodyHandle, CacheOverride, CacheOverrideTag, PendingRequestHandle,
    RequestHandle, ResponseHandle, fastly_async_io, fastly_http_body, fastly_http_resp,
};

use crate::heads::{Headers, RequestHead, ResponseHead};
use crate::http_cache;
use crate::rules::{is_refused, is_too_large, rule};
use crate::trace::trace;

/// The first handle of a request that waits for a backend which takes no more. The local server's own begin at 1.
const FULL: u32 = 0x4000_0000;

/// The backend whose calls are no news for a test.
const QUIET: &[u8] = b"upstash";

thread_local! {
    /// The requests that were marked as a pass.
    static PASSES: RefCell<BTreeSet<RequestHandle>> = const { RefCell::new(BTreeSet::new()) };
    /// What is added to the answer of each request that waits for a full backend.
    static FULL_ONES: RefCell<Vec<Headers>> = const { RefCell::new(Vec::new()) };
}

pub unsafe fn cache_override_v3_set(
    request: RequestHandle,
    tag: u32,
    rule: *const CacheOverride,
) -> FastlyStatus {
    let is_pass = tag & CacheOverrideTag::PASS.bits() != 0;
    PASSES.with_borrow_mut(|passes| {
        if is_pass {
            passes.insert(request);
        } else {
            passes.remove(&request);
        }
    });
    unsafe { req::cache_override_v3_set(request, tag, rule) }
}

pub unsafe fn uri_set(request: RequestHandle, uri: *const u8, uri_len: usize) -> FastlyStatus {
    if is_too_large("url_bytes", uri_len) {
        return FastlyStatus::INVAL;
    }
    unsafe { req::uri_set(request, uri, uri_len) }
}

/// What is wrong with a request, or how it is sent.
enum Sending {
    Refused(FastlyStatus),
    /// The backend has no connection to give.
    Full,
    Sent,
}

/// By way of which cache a function sends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// That of the host, unless the request is a pass.
    Host,
    /// None: the SDK has asked the cache itself.
    None,
}

unsafe fn judged(request: RequestHandle, backend: *const u8, length: usize, by: By) -> Sending {
    let backend = unsafe { std::slice::from_raw_parts(backend, length) };
    let is_pass = PASSES.with_borrow_mut(|passes| passes.remove(&request));
    let head = RequestHead::of(request);
    if backend != QUIET {
        let way = match (is_pass, by) {
            (true, _) => "pass",
            (false, By::None) => "fetch",
            (false, By::Host) => "host's cache",
        };
        trace(&format!("{way} {} {}", head.method, head.url));
    }
    if is_refused("calls") {
        return Sending::Refused(FastlyStatus::LIMITEXCEEDED);
    }
    if is_too_large("head_bytes", head.size()) {
        return Sending::Refused(FastlyStatus::HTTPHEADTOOLARGE);
    }
    let full = rule("full_backends").unwrap_or_default();
    if full.split(' ').any(|name| name.as_bytes() == backend) {
        trace("refused full_backends");
        return Sending::Full;
    }
    Sending::Sent
}

pub unsafe fn send_v2(
    request: RequestHandle,
    body: BodyHandle,
    backend: *const u8,
    backend_len: usize,
    detail: *mut SendErrorDetail,
    response_out: *mut ResponseHandle,
    body_out: *mut BodyHandle,
) -> FastlyStatus {
    match unsafe { judged(request, backend, backend_len, By::Host) } {
        Sending::Refused(status) => status,
        Sending::Full => unsafe { full(detail) },
        Sending::Sent => unsafe {
            req::send_v2(
                request,
                body,
                backend,
                backend_len,
                detail,
                response_out,
                body_out,
            )
        },
    }
}

pub unsafe fn send_async(
    request: RequestHandle,
    body: BodyHandle,
    backend: *const u8,
    backend_len: usize,
    out: *mut PendingRequestHandle,
) -> FastlyStatus {
    match unsafe { judged(request, backend, backend_len, By::Host) } {
        Sending::Refused(status) => status,
        Sending::Full => unsafe { pending_full(out) },
        Sending::Sent => unsafe { req::send_async(request, body, backend, backend_len, out) },
    }
}

/// The local server has no such function. There is no cache of the host that it would have to pass by.
pub unsafe fn send_async_v2(
    request: RequestHandle,
    body: BodyHandle,
    backend: *const u8,
    backend_len: usize,
    streaming: u32,
    out: *mut PendingRequestHandle,
) -> FastlyStatus {
    match unsafe { judged(request, backend, backend_len, By::None) } {
        Sending::Refused(status) => status,
        Sending::Full => unsafe { pending_full(out) },
        Sending::Sent if streaming == 0 => unsafe {
            req::send_async(request, body, backend, backend_len, out)
        },
        Sending::Sent => FastlyStatus::UNSUPPORTED,
    }
}

pub unsafe fn redirect_to_websocket_proxy_v2(
    request: RequestHandle,
    backend: *const u8,
    backend_len: usize,
) -> FastlyStatus {
    match unsafe { judged(request, backend, backend_len, By::None) } {
        Sending::Refused(status) => status,
        Sending::Full => FastlyStatus::ERROR,
        Sending::Sent => unsafe {
            req::redirect_to_websocket_proxy_v2(request, backend, backend_len)
        },
    }
}

unsafe fn full(detail: *mut SendErrorDetail) -> FastlyStatus {
    unsafe { (*detail).tag = SendErrorDetailTag::ConnectionLimitReached };
    FastlyStatus::ERROR
}

unsafe fn pending_full(out: *mut PendingRequestHandle) -> FastlyStatus {
    let number = FULL_ONES.with_borrow_mut(|ones| {
        ones.push(Headers::new());
        ones.len()
    });
    unsafe { *out = FULL + u32::try_from(number - 1).unwrap_or_default() };
    FastlyStatus::OK
}

fn is_full(pending: PendingRequestHandle) -> bool {
    (FULL..http_cache::FIRST).contains(&pending)
}

pub unsafe fn pending_req_poll_v2(
    pending: PendingRequestHandle,
    detail: *mut SendErrorDetail,
    is_done_out: *mut i32,
    response_out: *mut ResponseHandle,
    body_out: *mut BodyHandle,
) -> FastlyStatus {
    if is_full(pending) {
        unsafe { *is_done_out = 1 };
        return unsafe { full(detail) };
    }
    unsafe { req::pending_req_poll_v2(pending, detail, is_done_out, response_out, body_out) }
}

pub unsafe fn pending_req_wait_v2(
    pending: PendingRequestHandle,
    detail: *mut SendErrorDetail,
    response_out: *mut ResponseHandle,
    body_out: *mut BodyHandle,
) -> FastlyStatus {
    if is_full(pending) {
        return unsafe { full(detail) };
    }
    unsafe { req::pending_req_wait_v2(pending, detail, response_out, body_out) }
}

pub unsafe fn pending_req_header_append(
    pending: PendingRequestHandle,
    name: *const u8,
    name_len: usize,
    value: *const u8,
    value_len: usize,
    target: PendingResponseKind,
) -> FastlyStatus {
    if is_full(pending) {
        let bytes = |from, length| unsafe { std::slice::from_raw_parts(from, length) }.to_vec();
        let header = (bytes(name, name_len), bytes(value, value_len));
        return with_full(pending, |headers| {
            headers.extend((target != PendingResponseKind::Response).then_some(header));
        });
    }
    unsafe { req::pending_req_header_append(pending, name, name_len, value, value_len, target) }
}

pub unsafe fn pending_req_header_insert(
    pending: PendingRequestHandle,
    name: *const u8,
    name_len: usize,
    value: *const u8,
    value_len: usize,
    target: PendingResponseKind,
) -> FastlyStatus {
    if is_full(pending) {
        let _ = unsafe { pending_req_header_remove(pending, name, name_len, target) };
        return unsafe {
            pending_req_header_append(pending, name, name_len, value, value_len, target)
        };
    }
    unsafe { req::pending_req_header_insert(pending, name, name_len, value, value_len, target) }
}

pub unsafe fn pending_req_header_remove(
    pending: PendingRequestHandle,
    name: *const u8,
    name_len: usize,
    target: PendingResponseKind,
) -> FastlyStatus {
    if is_full(pending) {
        let name = unsafe { std::slice::from_raw_parts(name, name_len) };
        return with_full(pending, |headers| {
            headers.retain(|(found, _)| found != name)
        });
    }
    unsafe { req::pending_req_header_remove(pending, name, name_len, target) }
}

/// The host's own answer takes the place of one that does not come.
pub unsafe fn send_downstream_pending(pending: PendingRequestHandle) -> FastlyStatus {
    if !is_full(pending) {
        return unsafe { fastly_http_resp::send_downstream_pending(pending) };
    }
    let mut added = Headers::new();
    let _ = with_full(pending, |headers| added.clone_from(headers));
    let response = ResponseHead {
        status: 503,
        headers: added,
    };
    let mut body = 0;
    unsafe {
        let _ = fastly_http_body::new(&mut body);
        fastly_http_resp::send_downstream(response.made(), body, 0)
    }
}

fn with_full(pending: PendingRequestHandle, work: impl FnOnce(&mut Headers)) -> FastlyStatus {
    FULL_ONES.with_borrow_mut(|ones| {
        let number = usize::try_from(pending - FULL).unwrap_or(usize::MAX);
        match ones.get_mut(number) {
            Some(headers) => {
                work(headers);
                FastlyStatus::OK
            }
            None => FastlyStatus::BADF,
        }
    })
}

pub unsafe fn is_ready(handle: AsyncItemHandle, ready_out: *mut u32) -> FastlyStatus {
    if handle >= FULL {
        unsafe { *ready_out = 1 };
        return FastlyStatus::OK;
    }
    unsafe { fastly_async_io::is_ready(handle, ready_out) }
}

pub unsafe fn select(
    handles: *const AsyncItemHandle,
    handles_len: usize,
    timeout_ms: u32,
    done_index_out: *mut u32,
) -> FastlyStatus {
    let asked = unsafe { std::slice::from_raw_parts(handles, handles_len) };
    let ours = asked.iter().position(|handle| *handle >= FULL);
    if let Some(at) = ours.and_then(|at| u32::try_from(at).ok()) {
        unsafe { *done_index_out = at };
        return FastlyStatus::OK;
    }
    unsafe { fastly_async_io::select(handles, handles_len, timeout_ms, done_index_out) }
}
