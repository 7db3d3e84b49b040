//! How often a request calls the host, as the local server writes it down where an edge is traced. Calls without an argument, and
//! those for time and chance, are not written down.

/// What a request took of the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Its calls.
    pub calls: usize,
    /// Those of them that read or write the cache. That these are the operations which Fastly counts is assumed.
    pub cache_operations: usize,
}

/// The functions of the host that read or write the cache.
const CACHE_OPERATIONS: [&str; 8] = [
    "lookup",
    "insert",
    "replace_insert",
    "transaction_lookup",
    "transaction_lookup_async",
    "transaction_insert",
    "transaction_insert_and_stream_back",
    "transaction_update",
];

impl Taken {
    /// By these lines, of one request or of many.
    #[must_use]
    pub fn of<'a>(lines: impl IntoIterator<Item = &'a String>) -> Self {
        let mut taken = Self::default();
        for line in lines.into_iter().filter(|line| is_call(line)) {
            taken.calls += 1;
            let is_cache_operation = CACHE_OPERATIONS.into_iter().any(|function| {
                line.contains(&format!(
                    "{{module=\"fastly_cache\" function=\"{function}\"}}"
                ))
            });
            taken.cache_operations += usize::from(is_cache_operation);
        }
        taken
    }
}

/// Whether a line is of a call, and not of what it gave.
#[must_use]
pub fn is_call(line: &str) -> bool {
    line.contains(" TRACE ") && line.contains("wiggle abi{") && !line.contains(": result=")
}

/// What each request took that another one follows, in the order of the lines. One that a sandbox only waited for in vain is none; of
/// two that follow each other one call is sometimes written down with the wrong one.
#[must_use]
pub fn by_request(lines: &[String]) -> Vec<Taken> {
    let requests: Vec<Taken> = lines
        .split(|line| is_call(line) && line.contains("function=\"next_request_wait\""))
        .map(Taken::of)
        .collect();
    let [_, whole @ .., _] = requests.as_slice() else {
        return Vec::new();
    };
    let whole = whole.iter().copied();
    whole.filter(|taken| taken.calls > 1).collect()
}

/// What most of them took, the latest of equally many.
#[must_use]
pub fn usual(lines: &[String]) -> Option<Taken> {
    let requests = by_request(lines);
    let often = |taken: &Taken| requests.iter().filter(|other| *other == taken).count();
    requests.iter().copied().rev().max_by_key(often)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(function: &str) -> String {
        format!(
            "12:00 TRACE request{{id=1}}: wiggle abi{{module=\"fastly_http_req\" function=\"{function}\"}}: a=1"
        )
    }

    #[test]
    fn what_reads_and_writes_the_cache_is_an_operation_of_it() {
        let of = |module: &str, function: &str| {
            format!(
                "12:00 TRACE request{{id=1}}: wiggle abi{{module=\"{module}\" function=\"{function}\"}}: a=1"
            )
        };
        let lines = [
            of("fastly_cache", "lookup"),
            of("fastly_cache", "lookup") + ": result=Ok(())",
            of("fastly_cache", "get_state"),
            of("fastly_cache", "transaction_lookup_async"),
            of("fastly_dictionary", "lookup"),
        ];
        let taken = Taken::of(&lines);
        assert_eq!((taken.calls, taken.cache_operations), (4, 2));
    }

    #[test]
    fn most_requests_say_how_many_calls_are_usual() {
        let mut lines = vec![call("header_get"), "12:00 INFO another line".to_owned()];
        for many in [2, 3, 2, 0, 2] {
            lines.push(call("next_request_wait"));
            lines.extend((0..many).map(|_| call("header_get")));
            lines.push(call("header_get") + ": result=Ok(())");
        }
        lines.push(call("next_request_wait"));
        let calls: Vec<usize> = by_request(&lines).iter().map(|taken| taken.calls).collect();
        assert_eq!(calls, [2, 3, 2, 2]);
        assert_eq!(usual(&lines).map(|taken| taken.calls), Some(2));
        assert_eq!(usual(&[]), None);
    }
}
