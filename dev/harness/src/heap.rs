//! What Viceroy says when a sandbox ends: how much memory its WebAssembly had.

/// The sandboxes that ended in some stretch of Viceroy's output.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sandboxes {
    /// How many.
    pub ended: u64,
    /// The largest heap of them, in MB of 2^20 bytes; `None` when none ended.
    pub heap_mb: Option<f64>,
}

impl Sandboxes {
    /// Reads the lines for those that tell of an end.
    #[must_use]
    pub fn of(lines: &[String]) -> Self {
        let heaps = lines.iter().filter_map(|line| megabytes(line));
        heaps.fold(Self::default(), |all, heap| Self {
            ended: all.ended + 1,
            heap_mb: Some(all.heap_mb.map_or(heap, |largest| largest.max(heap))),
        })
    }

    /// How many of these requests one sandbox answered, on average; `None` when none ended.
    #[must_use]
    pub fn requests_each(self, requests: u64) -> Option<f64> {
        let (requests, ended) = (
            u32::try_from(requests).ok()?,
            u32::try_from(self.ended).ok()?,
        );
        (ended > 0).then(|| f64::from(requests) / f64::from(ended))
    }
}

/// Reads `… completed using 1.2 MiB of WebAssembly heap`.
fn megabytes(line: &str) -> Option<f64> {
    let (_, rest) = line.split_once(" completed using ")?;
    let (amount, _) = rest.split_once(" of WebAssembly heap")?;
    let (number, unit) = amount.trim().split_once(' ')?;
    let number: f64 = number.parse().ok()?;
    match unit {
        "B" => Some(number / 1_048_576.0),
        "KiB" => Some(number / 1024.0),
        "MiB" => Some(number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_heap_counts_and_other_lines_do_not() {
        let lines = [
            "INFO request{id=0}: handling request GET http://127.0.0.1/",
            "INFO request{id=0}: request completed using 512.0 KiB of WebAssembly heap",
            "INFO request{id=1}: request completed using 1.5 MiB of WebAssembly heap",
            "INFO request{id=1}: request completed in 1ms",
        ]
        .map(str::to_owned);
        let found = Sandboxes {
            ended: 2,
            heap_mb: Some(1.5),
        };
        assert_eq!(Sandboxes::of(&lines), found);
        assert_eq!(Sandboxes::of(&[]), Sandboxes::default());
    }
}
