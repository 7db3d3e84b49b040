//! The text format of Prometheus: a line for each number, and above the first of a name what it is.

pub(super) struct Page<'a> {
    pub(super) room: &'a str,
    pub(super) text: String,
}

impl Page<'_> {
    /// A gauge of 1 for one of these, and of 0 for the others.
    pub(super) fn choice(
        &mut self,
        (name, help, label): (&str, &str, &str),
        all: &[&str],
        now: &str,
    ) {
        self.head(name, "gauge", help);
        for one in all {
            let labelled = format!(",{label}=\"{one}\"");
            self.line(name, &labelled, u64::from(*one == now));
        }
    }

    pub(super) fn gauge(&mut self, name: &str, help: &str, number: Option<u64>) {
        if let Some(number) = number {
            let name = format!("queue_{name}");
            self.head(&name, "gauge", help);
            self.line(&name, "", number);
        }
    }

    pub(super) fn head(&mut self, name: &str, kind: &str, help: &str) {
        self.say(&[
            "# HELP ",
            name,
            " ",
            help,
            "\n# TYPE ",
            name,
            " ",
            kind,
            "\n",
        ]);
    }

    pub(super) fn line(&mut self, name: &str, label: &str, number: u64) {
        self.put(name, label, &number.to_string());
    }

    /// The name of a room is letters, digits, `-` and `_`: nothing in it has to be escaped.
    pub(super) fn put(&mut self, name: &str, label: &str, value: &str) {
        let room = self.room;
        self.say(&[name, "{room=\"", room, "\"", label, "} ", value, "\n"]);
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
