//! Lines for the test: the log `strict_host`, which the local server writes to its output.

use real::fastly_log::{endpoint_get, write};

const LOG: &str = "strict_host";

pub(crate) fn trace(line: &str) {
    let (mut endpoint, mut written) = (0, 0);
    let got = unsafe { endpoint_get(LOG.as_ptr(), LOG.len(), &mut endpoint) };
    if got.is_ok() {
        // A test that misses a line fails.
        let _ = unsafe { write(endpoint, line.as_ptr(), line.len(), &mut written) };
    }
}
