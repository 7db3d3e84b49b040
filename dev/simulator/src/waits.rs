//! How long visitors waited as they counted it themselves, beside what the page said when they drew and what the metrics report.

use std::collections::BTreeMap;

use now_serving::i18n;
use now_serving::queue::WAITS;

/// From the draw of a number to the first page inside.
#[derive(Clone, Debug, Default)]
pub struct Waits {
    /// How many visitors counted so many seconds.
    counted: BTreeMap<u64, u64>,
    /// How many visitors the metrics have in each bucket of [`WAITS`]; longer than the longest in the last.
    reported: Vec<u64>,
    /// How many went in before, within and after the time that the page said at the draw.
    came: [u64; 3],
}

impl Waits {
    /// A visitor goes in who has counted so many seconds, after the page estimated so many at the draw.
    pub fn add(&mut self, seconds: u64, estimate: Option<u64>) {
        *self.counted.entry(seconds).or_default() += 1;
        let Some((from, to)) = estimate.and_then(|estimate| said(&page(estimate))) else {
            return;
        };
        let [early, within, late] = &mut self.came;
        let came = match seconds {
            _ if seconds < from => early,
            _ if seconds > to => late,
            _ => within,
        };
        *came += 1;
    }

    /// What a scrape of the metrics says.
    ///
    /// # Errors
    /// When a bucket is not in it.
    pub fn report(&mut self, scrape: &str) -> Result<(), String> {
        let ends = WAITS.iter().map(ToString::to_string);
        let mut below = 0;
        for end in ends.chain(["+Inf".to_owned()]) {
            let many = within(scrape, &end).ok_or_else(|| format!("no bucket {end}:\n{scrape}"))?;
            self.reported.push(many.saturating_sub(below));
            below = many;
        }
        Ok(())
    }

    /// How long this percentage of the visitors waited at most, as they counted it.
    #[must_use]
    pub fn counted(&self, percent: u64) -> Option<u64> {
        let many: Vec<u64> = self.counted.values().copied().collect();
        let place = place(&many, percent)?;
        self.counted.keys().nth(place).copied()
    }

    /// The bucket of that time by the metrics: longer than the first number of seconds, and not than the second.
    #[must_use]
    pub fn reported(&self, percent: u64) -> Option<(u64, u64)> {
        let place = place(&self.reported, percent)?;
        let before = place.checked_sub(1).and_then(|before| WAITS.get(before));
        let end = WAITS.get(place).copied().unwrap_or(u64::MAX);
        Some((before.copied().unwrap_or(0), end))
    }

    /// How many visitors went in before, within and after the time that the page said at the draw.
    #[must_use]
    pub fn came(&self) -> [u64; 3] {
        self.came
    }
}

/// What a visitor reads of an estimate.
fn page(estimate: u64) -> String {
    i18n::english().wait(Some(estimate))
}

/// The seconds that these words of the page hold: "about" is what rounds to the number, and a fifth at least.
fn said(words: &str) -> Option<(u64, u64)> {
    let numbers = words.split(' ').filter_map(|word| word.parse().ok());
    let numbers: Vec<u64> = numbers.collect();
    let units = [("minute", 60), ("hour", 3600), ("day", 86_400)];
    let unit = units.iter().find(|(name, _)| words.contains(name))?.1;
    Some(match numbers.as_slice() {
        [] => (0, unit),
        [about] => {
            let (middle, off) = (about * unit, (unit / 2).max(about * unit / 5));
            (middle - off, middle + off)
        }
        [from, .., to] => (from * unit, to * unit),
    })
}

/// The place of the one below whom this percentage is.
fn place(many: &[u64], percent: u64) -> Option<usize> {
    let all: u64 = many.iter().sum();
    let wanted = (all * percent).div_ceil(100).max(1);
    let mut seen = 0;
    many.iter().position(|many| {
        seen += many;
        seen >= wanted
    })
}

/// How many visitors of the main line waited for at most so many seconds.
fn within(scrape: &str, end: &str) -> Option<u64> {
    let labels = |line: &&str| {
        line.starts_with("now_serving_wait_seconds_bucket{")
            && line.contains("lane=\"main\"")
            && line.contains(&format!("le=\"{end}\""))
    };
    let line = scrape.lines().find(labels)?;
    line.rsplit_once(' ')?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_page_says_is_read_as_a_visitor_reads_it() {
        for (estimate, words, span) in [
            (10, "less than a minute", (0, 60)),
            (100, "about 2 minutes", (90, 150)),
            (720, "about 12 minutes", (576, 864)),
            (3_000, "40 to 60 minutes", (2_400, 3_600)),
            (5_000, "1 to 2 hours", (3_600, 7_200)),
        ] {
            assert_eq!(page(estimate), words);
            assert_eq!(said(words), Some(span), "{words}");
        }
    }
}
