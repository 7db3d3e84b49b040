//! The pages about production: the bills follow from their formulas, and each check of the probe is explained.

use crate::pure::conventions::text;

/// Prices as the document has them, in dollars.
const COMMAND: f64 = 0.20 / 100_000.0;
const REQUEST: f64 = 0.50 / 1_000_000.0;
const VCPU_MS: f64 = 0.05 / 1_000_000.0;

/// What is assumed of a request's time on a processor.
const MS: f64 = 1.0;
/// Seconds between two looks of a waiting visitor, far from the front.
const LOOK: f64 = 26.0;
/// The page, the question about cookies, and the page again.
const FIRST: f64 = 3.0;

const HOUR: f64 = 3_600.0;
const MONTH: f64 = 30.0 * 86_400.0;

/// One row of the table.
struct Case {
    name: &'static str,
    data_centres: f64,
    seconds: f64,
    /// Between two readings of the board in a data centre.
    sign: f64,
    visitors: f64,
    requests_each: f64,
}

impl Case {
    fn crowd(name: &'static str, visitors: f64) -> Self {
        Self {
            name,
            data_centres: 50.0,
            seconds: HOUR,
            sign: 1.0,
            visitors,
            requests_each: FIRST + HOUR / LOOK,
        }
    }

    fn always_on(name: &'static str, data_centres: f64) -> Self {
        Self {
            name,
            data_centres,
            seconds: MONTH,
            sign: 10.0,
            visitors: 30.0 * 10_000.0,
            requests_each: 40.0,
        }
    }

    fn row(&self) -> String {
        let commands = self.data_centres * self.seconds / self.sign + self.visitors;
        let requests = self.visitors * self.requests_each;
        let (upstash, fastly) = (commands * COMMAND, requests * (REQUEST + MS * VCPU_MS));
        format!(
            "| {} | {} | ${} | {} | ${} | ${} |",
            self.name,
            grouped(commands, 0),
            grouped(upstash, 2),
            grouped(requests, 0),
            grouped(fastly, 2),
            grouped(upstash + fastly, 2),
        )
    }
}

/// In groups of three digits.
fn grouped(number: f64, decimals: usize) -> String {
    let written = format!("{number:.decimals$}");
    let (whole, rest) = match written.split_once('.') {
        Some((whole, rest)) => (whole, format!(".{rest}")),
        None => (written.as_str(), String::new()),
    };
    let groups: Vec<&str> = whole
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).unwrap())
        .collect();
    groups.join(" ") + &rest
}

#[test]
fn both_bills_of_each_case_follow_from_their_formulas() {
    let told = text("docs/explanation/costs.md");
    let sale = Case {
        name: "a sale of four hours: 200 000 visitors, each waits 30 minutes and makes 40 requests inside",
        seconds: 4.0 * HOUR,
        visitors: 200_000.0,
        requests_each: FIRST + HOUR / 2.0 / LOOK + 40.0,
        ..Case::crowd("", 0.0)
    };
    let cases = [
        Case::crowd("1 000 visitors wait for an hour", 1_000.0),
        Case::crowd("100 000 visitors wait for an hour", 100_000.0),
        Case::crowd("10 000 000 visitors wait for an hour", 10_000_000.0),
        sale,
        Case::always_on(
            "a month without a line, 5 data centres busy all day: 10 000 visitors a day, 40 requests each",
            5.0,
        ),
        Case::always_on("the same, 50 data centres", 50.0),
    ];
    let rows: Vec<String> = cases.iter().map(Case::row).collect();
    let rows = rows.join("\n");
    assert!(told.contains(&rows), "{rows}");
    for price in [
        "$0.20 for 100 000 commands",
        "$0.50 for a million",
        "$0.05 for a million",
    ] {
        assert!(told.contains(price), "{price}");
    }
    // Ten times as often, as it is while a visitor waits.
    let waiting = 50.0 * MONTH * COMMAND;
    assert!(
        told.contains(&format!("${} a month", grouped(waiting, 2))),
        "{waiting}"
    );
}

#[test]
fn the_readme_leads_to_what_is_known_and_unknown() {
    assert!(text("README.md").contains("(docs/explanation/status.md)"));
}
