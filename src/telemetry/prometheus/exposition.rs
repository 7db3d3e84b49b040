//! The text format of Prometheus: a line for each series, and above the first of a metric what it is.

use crate::queue::words;

/// What the name of each metric begins with.
pub const PREFIX: &str = "now_serving_";

words! {
    /// How Prometheus reads the numbers of a metric.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Kind {
        /// Counts, and never goes down.
        Counter = "counter",
        /// Goes up and down.
        Gauge = "gauge",
        /// Counts by size.
        Histogram = "histogram",
    }
}

/// The series of one metric, each written as it is named.
pub(super) struct Series<'a> {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) help: &'static str,
    /// The label of the metric, if it has one.
    pub(super) label: Option<&'static str>,
    pub(super) room: &'a str,
    pub(super) text: &'a mut String,
    pub(super) has_head: bool,
}

impl Series<'_> {
    /// The only series, unless it is not known.
    pub(super) fn whole(&mut self, number: Option<u64>) {
        self.exact(number.map(|number| number.to_string()));
    }

    /// The same of a number that is not whole.
    pub(super) fn exact(&mut self, number: Option<String>) {
        if let Some(number) = number {
            self.put("", "", &number);
        }
    }

    /// The series with this value of the metric's label. No value has anything that would have to be escaped.
    pub(super) fn labelled(&mut self, value: &str, number: u64) {
        let label = self.label.unwrap_or_default();
        let labelled = format!(",{label}=\"{value}\"");
        self.put("", &labelled, &number.to_string());
    }

    /// A series for each of these, by the word that is its label.
    pub(super) fn each<T: Copy>(&mut self, all: &[(&str, T)], number: impl Fn(T) -> u64) {
        for &(word, one) in all {
            self.labelled(word, number(one));
        }
    }

    /// A series of 1 for one of these, and of 0 for the others.
    pub(super) fn choice<T: Copy + PartialEq>(&mut self, all: &[(&str, T)], now: Option<T>) {
        self.each(all, |one| u64::from(now == Some(one)));
    }

    /// A histogram: the upper ends of its buckets in milliseconds with what is within each, the sum in microseconds, and
    /// the count; with this value of the metric's label, if it has one.
    pub(super) fn histogram(
        &mut self,
        value: &str,
        buckets: &[(u64, u64)],
        sum_us: u64,
        count: u64,
    ) {
        let label = match self.label {
            Some(label) => format!(",{label}=\"{value}\""),
            None => String::new(),
        };
        let mut within = 0_u64;
        for &(most, number) in buckets {
            within = within.saturating_add(number);
            let label = format!("{label},le=\"{}\"", seconds(most.saturating_mul(1000)));
            self.put("_bucket", &label, &within.to_string());
        }
        self.put(
            "_bucket",
            &format!("{label},le=\"+Inf\""),
            &count.to_string(),
        );
        self.put("_sum", &label, &seconds(sum_us));
        self.put("_count", &label, &count.to_string());
    }

    /// The name of a room is letters, digits, `-` and `_`: nothing in it has to be escaped.
    fn put(&mut self, end: &str, label: &str, value: &str) {
        let Self {
            name, kind, help, ..
        } = *self;
        if !std::mem::replace(&mut self.has_head, true) {
            self.say(&["# HELP ", PREFIX, name, " ", help, "\n"]);
            self.say(&["# TYPE ", PREFIX, name, " ", kind.name(), "\n"]);
        }
        let room = self.room;
        self.say(&[
            PREFIX, name, end, "{room=\"", room, "\"", label, "} ", value, "\n",
        ]);
    }

    fn say(&mut self, words: &[&str]) {
        self.text.extend(words.iter().copied());
    }
}

/// Per mille as a fraction, without the point where it says nothing.
pub(super) fn thousandths(share: u64) -> String {
    seconds(share.saturating_mul(1000))
}

/// Microseconds as seconds, without the point where it says nothing.
pub(super) fn seconds(us: u64) -> String {
    let exact = format!("{}.{:06}", us / 1_000_000, us % 1_000_000);
    exact.trim_end_matches('0').trim_end_matches('.').to_owned()
}
