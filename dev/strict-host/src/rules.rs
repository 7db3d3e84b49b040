//! What a test asks of the host: the keys of the config store `strict_host`, read at each use, so that a test can change them while
//! an edge runs. A key that is not there limits nothing.

use std::cell::RefCell;
use std::collections::BTreeMap;

use real::fastly_config_store::{get, open};

use crate::trace::trace;

const STORE: &str = "strict_host";

/// The most bytes of a value.
const LONGEST: usize = 256;

thread_local! {
    /// How often each limited thing was done in this sandbox.
    static DONE: RefCell<BTreeMap<&'static str, u64>> = const { RefCell::new(BTreeMap::new()) };
}

/// The text of a rule.
pub(crate) fn rule(name: &str) -> Option<String> {
    let (mut store, mut written) = (0, 0);
    let mut value = vec![0; LONGEST];
    // Without the store there is no rule.
    let opened = unsafe { open(STORE.as_ptr(), STORE.len(), &mut store) };
    if !opened.is_ok() {
        return None;
    }
    let read = unsafe {
        get(
            store,
            name.as_ptr(),
            name.len(),
            value.as_mut_ptr(),
            value.len(),
            &mut written,
        )
    };
    value.truncate(written);
    read.is_ok().then(|| String::from_utf8(value).ok())?
}

fn number(name: &str) -> Option<u64> {
    rule(name)?.parse().ok()
}

/// Does the limited thing once more. Whether the limit refuses that.
pub(crate) fn is_refused(name: &'static str) -> bool {
    let done = DONE.with_borrow_mut(|done| {
        let done = done.entry(name).or_default();
        *done += 1;
        *done
    });
    let is_refused = number(name).is_some_and(|most| done > most);
    if is_refused {
        trace(&format!("refused {name}"));
    }
    is_refused
}

/// Whether something is larger than its limit.
pub(crate) fn is_too_large(name: &str, size: usize) -> bool {
    let is_refused =
        number(name).is_some_and(|most| u64::try_from(size).is_ok_and(|size| size > most));
    if is_refused {
        trace(&format!("refused {name} {size}"));
    }
    is_refused
}
