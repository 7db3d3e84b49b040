//! How often a request calls the host, as the local server writes it down where an edge is traced. Calls without an argument, and
//! those for time and chance, are not written down.

/// By how many calls each request was served that another one follows, in the order of the lines. One that a sandbox only waited
/// for in vain is none; of two that follow each other one call is sometimes written down with the wrong one.
#[must_use]
pub fn by_request(lines: &[String]) -> Vec<usize> {
    let is_call = |line: &&String| {
        line.contains(" TRACE ") && line.contains("wiggle abi{") && !line.contains(": result=")
    };
    let calls: Vec<&String> = lines.iter().filter(is_call).collect();
    let requests: Vec<usize> = calls
        .split(|line| line.contains("function=\"next_request_wait\""))
        .map(<[&String]>::len)
        .collect();
    let [_, whole @ .., _] = requests.as_slice() else {
        return Vec::new();
    };
    whole.iter().copied().filter(|calls| *calls > 1).collect()
}

/// How many most of them make, the latest of equally many.
#[must_use]
pub fn usual(lines: &[String]) -> Option<usize> {
    let requests = by_request(lines);
    let often = |calls: &usize| requests.iter().filter(|other| *other == calls).count();
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
    fn most_requests_say_how_many_calls_are_usual() {
        let mut lines = vec![call("header_get"), "12:00 INFO another line".to_owned()];
        for many in [2, 3, 2, 0, 2] {
            lines.push(call("next_request_wait"));
            lines.extend((0..many).map(|_| call("header_get")));
            lines.push(call("header_get") + ": result=Ok(())");
        }
        lines.push(call("next_request_wait"));
        assert_eq!(by_request(&lines), [2, 3, 2, 2]);
        assert_eq!(usual(&lines), Some(2));
        assert_eq!(usual(&[]), None);
    }
}
