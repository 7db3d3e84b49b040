//! What a sandbox reads and writes besides calls of backends: settings, secrets, the core cache, the log.

use fastly_shared::FastlyStatus;
use real::fastly_cache::{
    self as cache, CacheBusyHandle, CacheHandle, CacheLookupOptions, CacheLookupOptionsMask,
    CacheWriteOptions, CacheWriteOptionsMask,
};
use real::fastly_config_store::ConfigStoreHandle;
use real::fastly_secret_store;
use real::{BodyHandle, SecretHandle, SecretStoreHandle, fastly_config_store, fastly_log};

use crate::rules::{is_refused, rule};
use crate::trace::trace;

/// A function of the host that a rule may refuse for their number: `"rule": host's function as name(arguments)`.
macro_rules! limited {
    ($rule:literal: $host:path as $name:ident($($argument:ident: $kind:ty),* $(,)?)) => {
        pub unsafe fn $name($($argument: $kind),*) -> FastlyStatus {
            if is_refused($rule) {
                return FastlyStatus::LIMITEXCEEDED;
            }
            unsafe { $host($($argument),*) }
        }
    };
}

limited! {
    "look_ups": fastly_config_store::get as look_up(
        store: ConfigStoreHandle,
        key: *const u8,
        key_len: usize,
        value: *mut u8,
        value_max_len: usize,
        written: *mut usize,
    )
}

limited! {
    "secrets": fastly_secret_store::get as secret(
        store: SecretStoreHandle,
        name: *const u8,
        name_len: usize,
        handle_out: *mut SecretHandle,
    )
}

pub unsafe fn endpoint_get(name: *const u8, name_len: usize, out: *mut u32) -> FastlyStatus {
    if rule("no_log").is_some() {
        trace("refused no_log");
        return FastlyStatus::INVAL;
    }
    unsafe { fastly_log::endpoint_get(name, name_len, out) }
}

pub unsafe fn log_write(
    endpoint: u32,
    message: *const u8,
    message_len: usize,
    written: *mut usize,
) -> FastlyStatus {
    if rule("log_refused").is_some() {
        trace("refused log_refused");
        return FastlyStatus::ERROR;
    }
    unsafe { fastly_log::write(endpoint, message, message_len, written) }
}

limited! {
    "cache": cache::lookup as cache_lookup(
        key: *const u8,
        key_len: usize,
        mask: CacheLookupOptionsMask,
        options: *const CacheLookupOptions,
        out: *mut CacheHandle,
    )
}

limited! {
    "cache": cache::insert as cache_insert(
        key: *const u8,
        key_len: usize,
        mask: CacheWriteOptionsMask,
        options: *const CacheWriteOptions,
        out: *mut BodyHandle,
    )
}

limited! {
    "cache": cache::transaction_lookup as cache_transaction_lookup(
        key: *const u8,
        key_len: usize,
        mask: CacheLookupOptionsMask,
        options: *const CacheLookupOptions,
        out: *mut CacheHandle,
    )
}

limited! {
    "cache": cache::transaction_lookup_async as cache_transaction_lookup_async(
        key: *const u8,
        key_len: usize,
        mask: CacheLookupOptionsMask,
        options: *const CacheLookupOptions,
        out: *mut CacheBusyHandle,
    )
}

limited! {
    "cache": cache::transaction_insert as cache_transaction_insert(
        handle: CacheHandle,
        mask: CacheWriteOptionsMask,
        options: *const CacheWriteOptions,
        out: *mut BodyHandle,
    )
}
