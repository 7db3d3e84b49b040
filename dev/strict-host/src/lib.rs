//! The platform's system crate, `fastly-sys`, with what the local server does not have: the platform's limits, as errors, and its
//! HTTP cache. `machine::strict` builds a Wasm with it, by a `[patch]` of the SDK's system crate, and the suite runs that Wasm in
//! the local server as it is.
//!
//! Invariant: without a rule (`rules.rs`) no call is refused, and what is not wrapped here is the platform's own function.
//! What is wrapped writes to the log `strict_host` what it was asked for.
//!
//! | functions | what they do here | source |
//! |---|---|---|
//! | `send*`, `redirect_to_websocket_proxy_v2` above `calls` | `LIMITEXCEEDED` | the number: [resource limits](https://docs.fastly.com/products/compute-resource-limits). Assumed: *what becomes of a call above a limit* |
//! | `fastly_config_store::get` above `look_ups` | `LIMITEXCEEDED` | the same page, and the SDK's `LookupError::TooManyLookups` |
//! | `fastly_secret_store::get` above `secrets` | `LIMITEXCEEDED` | the same page. Assumed: *what becomes of a call above a limit* |
//! | look-ups and inserts of `fastly_cache` above `cache` | `LIMITEXCEEDED` | the SDK's `CacheError::LimitExceeded`; no document names a number. Assumed: *what becomes of a call above a limit* |
//! | each of these | its count is that of a sandbox | Assumed: *whether the limits of an execution count* |
//! | `send*` with a head above `head_bytes` | `HTTPHEADTOOLARGE` | 128 KB: the same page. Assumed: *where the platform refuses a URL or a head* |
//! | `uri_set` above `url_bytes` | `INVAL` | 8 KB: the same page. Assumed: *where the platform refuses a URL or a head* |
//! | `send*` to one of `full_backends` | the detail `ConnectionLimitReached`: at once from `send_v2`, from the others when the answer is waited for | the SDK's `SendErrorCause` |
//! | `send_downstream_pending` of such a request | a 503 without a text | Assumed: *how the host words an error* |
//! | `fastly_log::endpoint_get` with `no_log` | `INVAL` | the SDK's `LogError::InvalidEndpoint` |
//! | `fastly_log::write` with `log_refused` | `ERROR` | the SDK's `Endpoint::write` |
//! | all of `fastly_http_cache` | one cache for all sandboxes, over the core cache | `http_cache.rs` |
#![cfg(target_arch = "wasm32")]
#![expect(
    clippy::missing_safety_doc,
    reason = "the functions have the signatures, and the contracts, of those in whose place they are"
)]

mod calls;
mod heads;
mod http_cache;
mod reads;
mod rules;
mod trace;

pub use real::*;

pub mod fastly_async_io {
    pub use crate::calls::{is_ready, select};
}

pub mod fastly_cache {
    pub use crate::reads::{
        cache_insert as insert, cache_lookup as lookup,
        cache_transaction_insert as transaction_insert,
        cache_transaction_lookup as transaction_lookup,
        cache_transaction_lookup_async as transaction_lookup_async,
    };
    pub use real::fastly_cache::*;
}

pub mod fastly_config_store {
    pub use crate::reads::look_up as get;
    pub use real::fastly_config_store::*;
}

pub mod fastly_http_cache {
    pub use crate::http_cache::abi::{
        close, get_age_ns, get_found_response, get_hits, get_length, get_max_age_ns,
        get_sensitive_data, get_stale_if_error_ns, get_stale_while_revalidate_ns, get_state,
        get_suggested_backend_request, get_suggested_cache_options, get_surrogate_keys,
        get_vary_rule, is_request_cacheable, prepare_response_for_storage, transaction_abandon,
        transaction_choose_stale, transaction_insert, transaction_insert_and_stream_back,
        transaction_lookup, transaction_record_not_cacheable, transaction_update,
        transaction_update_and_return_fresh,
    };
    pub use real::fastly_http_cache::*;
}

pub mod fastly_http_req {
    pub use crate::calls::{
        cache_override_v3_set, pending_req_header_append, pending_req_header_insert,
        pending_req_header_remove, pending_req_poll_v2, pending_req_wait_v2,
        redirect_to_websocket_proxy_v2, send_async, send_async_v2, send_v2, uri_set,
    };
    pub use real::fastly_http_req::*;
}

pub mod fastly_http_resp {
    pub use crate::calls::send_downstream_pending;
    pub use real::fastly_http_resp::*;
}

pub mod fastly_log {
    pub use crate::reads::{endpoint_get, log_write as write};
}

pub mod fastly_secret_store {
    pub use crate::reads::secret as get;
    pub use real::fastly_secret_store::*;
}
