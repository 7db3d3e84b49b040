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

pub unsafe fn look_up(
    store: ConfigStoreHandle,
    key: *const u8,
    key_len: usize,
    value: *mut u8,
    value_max_len: usize,
    written: *mut usize,
) -> FastlyStatus {
    if is_refused("look_ups") {
        return FastlyStatus::LIMITEXCEEDED;
    }
    unsafe { fastly_config_store::get(store, key, key_len, value, value_max_len, written) }
}

pub unsafe fn secret(
    store: SecretStoreHandle,
    name: *const u8,
    name_len: usize,
    handle_out: *mut SecretHandle,
) -> FastlyStatus {
    if is_refused("secrets") {
        return FastlyStatus::LIMITEXCEEDED;
    }
    unsafe { fastly_secret_store::get(store, name, name_len, handle_out) }
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

pub unsafe fn cache_lookup(
    key: *const u8,
    key_len: usize,
    mask: CacheLookupOptionsMask,
    options: *const CacheLookupOptions,
    out: *mut CacheHandle,
) -> FastlyStatus {
    if is_refused("cache") {
        return FastlyStatus::LIMITEXCEEDED;
    }
    unsafe { cache::lookup(key, key_len, mask, options, out) }
}

pub unsafe fn cache_insert(
    key: *const u8,
    key_len: usize,
    mask: CacheWriteOptionsMask,
    options: *const CacheWriteOptions,
    out: *mut BodyHandle,
) -> FastlyStatus {
    if is_refused("cache") {
        return FastlyStatus::LIMITEXCEEDED;
    }
    unsafe { cache::insert(key, key_len, mask, options, out) }
}

pub unsafe fn cache_transaction_lookup(
    key: *const u8,
    key_len: usize,
    mask: CacheLookupOptionsMask,
    options: *const CacheLookupOptions,
    out: *mut CacheHandle,
) -> FastlyStatus {
    if is_refused("cache") {
        return FastlyStatus::LIMITEXCEEDED;
    }
    unsafe { cache::transaction_lookup(key, key_len, mask, options, out) }
}

pub unsafe fn cache_transaction_lookup_async(
    key: *const u8,
    key_len: usize,
    mask: CacheLookupOptionsMask,
    options: *const CacheLookupOptions,
    out: *mut CacheBusyHandle,
) -> FastlyStatus {
    if is_refused("cache") {
        return FastlyStatus::LIMITEXCEEDED;
    }
    unsafe { cache::transaction_lookup_async(key, key_len, mask, options, out) }
}

pub unsafe fn cache_transaction_insert(
    handle: CacheHandle,
    mask: CacheWriteOptionsMask,
    options: *const CacheWriteOptions,
    out: *mut BodyHandle,
) -> FastlyStatus {
    if is_refused("cache") {
        return FastlyStatus::LIMITEXCEEDED;
    }
    unsafe { cache::transaction_insert(handle, mask, options, out) }
}
