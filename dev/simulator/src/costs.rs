//! What an event costs, as `docs/explanation/costs.md` has it: list prices, and formulas.

use crate::units::float;

/// Dollars for a command of Upstash.
pub const DOLLARS_A_COMMAND: f64 = 0.20 / 100_000.0;
/// Dollars for a request to Fastly Compute.
pub const DOLLARS_A_REQUEST: f64 = 0.50 / 1e6;
/// Dollars for a millisecond of its vCPU.
pub const DOLLARS_A_VCPU_MS: f64 = 0.05 / 1e6;
/// Milliseconds of vCPU that a request takes: assumed.
pub const VCPU_MS_A_REQUEST: f64 = 1.0;
/// Dollars for a gigabyte, 10⁹ bytes, that Fastly delivers in North America or Europe.
pub const DOLLARS_A_GIGABYTE: f64 = 0.12;
/// Kilobytes, of 1000 bytes, of the answers to a visitor before there is a number: the page twice, and a redirect.
pub const KILOBYTES_BEFORE: f64 = 29.0;
/// Kilobytes of the answer to a poll.
pub const KILOBYTES_A_POLL: f64 = 0.5;
/// How many commands a second one database of Upstash takes.
pub const COMMANDS_A_SECOND: f64 = 10_000.0;
/// Far from the front a poll comes this often, on average, in seconds.
pub const POLL_SECONDS: f64 = 26.0;
/// What a visitor asks before there is a number: the page, whether cookies are kept, the page again.
pub const REQUESTS_BEFORE: f64 = 3.0;

/// Both bills, in dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bills {
    /// For the store.
    pub upstash: f64,
    /// For the edge.
    pub fastly: f64,
}

/// For this many commands and requests.
#[must_use]
pub fn bills(commands: u64, requests: u64) -> Bills {
    let a_request = VCPU_MS_A_REQUEST.mul_add(DOLLARS_A_VCPU_MS, DOLLARS_A_REQUEST);
    Bills {
        upstash: float(commands) * DOLLARS_A_COMMAND,
        fastly: float(requests) * a_request,
    }
}

/// Gigabytes, of 10⁹ bytes, that go to visitors: `came` of them saw the page, their pages polled so often, and those inside made so many
/// requests, each answered by so many kilobytes of the site's own.
#[must_use]
pub fn gigabytes(came: f64, polls: f64, inside: f64, kilobytes: f64) -> f64 {
    let line = came.mul_add(KILOBYTES_BEFORE, polls * KILOBYTES_A_POLL);
    inside.mul_add(kilobytes, line) / 1e6
}

/// Commands for the board: each POP reads it every second while a visitor waits, and every ten while none does. Under a cap the
/// second counts also where visitors are only inside.
#[must_use]
pub fn busy_commands(pops: f64, [with_line, without]: [f64; 2], has_cap: bool) -> f64 {
    let seldom = if has_cap { 1.0 } else { 10.0 };
    pops * (with_line + without / seldom)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{grouped, whole};

    const COSTS: &str = include_str!("../../../docs/explanation/costs.md");
    /// Of an answer of the site, in the tables of the docs.
    const KILOBYTES: f64 = 50.0;
    const HOUR: f64 = 3_600.0;
    const MONTH: f64 = 30.0 * 24.0 * HOUR;

    /// One row of the tables.
    struct Case {
        words: &'static str,
        pops: f64,
        /// Seconds with a line, and without one.
        seconds: [f64; 2],
        visitors: f64,
        /// Seconds that each of them waits; where nobody waits, all requests are inside.
        waits: f64,
        inside: f64,
    }

    const WAITS: Case = Case {
        words: "1 000 visitors wait for an hour",
        pops: 50.0,
        seconds: [HOUR, 0.0],
        visitors: 1e3,
        waits: HOUR,
        inside: 0.0,
    };
    const MONTH_WITHOUT_A_LINE: Case = Case {
        words: "a month without a line, 5 data centres busy all day: 10 000 visitors a day, 40 requests each",
        pops: 5.0,
        seconds: [0.0, MONTH],
        visitors: 3e5,
        waits: 0.0,
        inside: 40.0,
    };
    const CASES: [Case; 6] = [
        WAITS,
        Case {
            words: "100 000 visitors wait for an hour",
            visitors: 1e5,
            ..WAITS
        },
        Case {
            words: "10 000 000 visitors wait for an hour",
            visitors: 1e7,
            ..WAITS
        },
        Case {
            words: "a sale of four hours: 200 000 visitors, each waits 30 minutes and makes 40 requests inside",
            seconds: [4.0 * HOUR, 0.0],
            visitors: 2e5,
            waits: HOUR / 2.0,
            inside: 40.0,
            ..WAITS
        },
        MONTH_WITHOUT_A_LINE,
        Case {
            words: "the same, 50 data centres",
            pops: 50.0,
            ..MONTH_WITHOUT_A_LINE
        },
    ];

    impl Case {
        fn has_line(&self) -> bool {
            self.waits > 0.0
        }

        fn commands(&self) -> u64 {
            whole(busy_commands(self.pops, self.seconds, false) + self.visitors)
        }

        fn polls(&self) -> f64 {
            self.visitors * self.waits / POLL_SECONDS
        }

        fn requests(&self) -> u64 {
            let before = if self.has_line() {
                REQUESTS_BEFORE
            } else {
                0.0
            };
            whole(self.visitors.mul_add(before + self.inside, self.polls()))
        }

        fn gigabytes(&self) -> f64 {
            let came = if self.has_line() { self.visitors } else { 0.0 };
            gigabytes(came, self.polls(), self.visitors * self.inside, KILOBYTES)
        }

        fn row(&self) -> String {
            let (commands, requests, gigabytes) =
                (self.commands(), self.requests(), self.gigabytes());
            let Bills { upstash, fastly } = bills(commands, requests);
            let bandwidth = gigabytes * DOLLARS_A_GIGABYTE;
            let (words, together) = (self.words, upstash + fastly + bandwidth);
            let (commands, requests) = (grouped(commands), grouped(requests));
            format!(
                "| {words} | {commands} | ${upstash:.2} | {requests} | ${fastly:.2} | {gigabytes:.1} | ${bandwidth:.2} | ${together:.2} |\n"
            )
        }
    }

    /// The README has rows of this table: a test compares.
    #[test]
    fn the_table_of_the_docs_is_by_these_prices_and_formulas() {
        let rows: String = CASES.iter().map(Case::row).collect();
        assert!(COSTS.contains(&rows), "{rows}");
        for price in [
            "$0.20 for 100 000 commands",
            "$0.50 for a million",
            "$0.05 for a million",
            "$0.12 for a gigabyte",
        ] {
            assert!(COSTS.contains(price), "{price}");
        }
        // Ten times as often, as it is while a visitor waits.
        let waiting = 50.0 * MONTH * DOLLARS_A_COMMAND;
        assert!(
            COSTS.contains(&format!("${waiting:.2} a month")),
            "{waiting}"
        );
    }
}
