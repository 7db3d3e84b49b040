//! How the stages ended, as one table and one line.

use std::time::Duration;

use anstyle::{AnsiColor, Style};

/// How wide the column of the names is, at least.
const LEAST_WIDTH: usize = 13;

/// How a stage ended.
pub(super) enum Outcome {
    Passed,
    Failed(String),
    Skipped(String),
    /// It does not have to run here.
    NotRun(String),
}

pub(super) struct Report {
    pub(super) name: String,
    pub(super) outcome: Outcome,
    pub(super) tests: Tests,
    pub(super) time: Duration,
}

/// Tests as the test harness counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tests {
    passed: u64,
    failed: u64,
    ignored: u64,
}

impl Tests {
    /// Reads `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
        let count = |word: &str| {
            let part = counts.split("; ").find_map(|part| part.strip_suffix(word));
            part?.trim().parse().ok()
        };
        Some(Self {
            passed: count("passed")?,
            failed: count("failed")?,
            ignored: count("ignored")?,
        })
    }
}

impl std::ops::AddAssign for Tests {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
    }
}

impl Report {
    /// Of a stage that could not run.
    pub(super) fn not_begun(name: &str, outcome: Outcome) -> Self {
        Self {
            name: name.to_owned(),
            outcome,
            tests: Tests::default(),
            time: Duration::ZERO,
        }
    }

    /// What this stage adds to the last line: a failure without a failed test is one as well.
    pub(super) fn failures(&self) -> u64 {
        match self.outcome {
            Outcome::Failed(_) => self.tests.failed.max(1),
            _ => 0,
        }
    }
}

/// Prints the table and the line. Whether all passed.
pub(super) fn summarise(reports: &[Report]) -> bool {
    let head = Style::new().bold();
    let widths = reports.iter().map(|report| report.name.chars().count() + 1);
    let width = widths.max().unwrap_or_default().max(LEAST_WIDTH);
    anstream::println!(
        "\n{head}{:<width$}{:<9}{:>7}{:>9}{:>10}{head:#}",
        "stage",
        "result",
        "tests",
        "ignored",
        "seconds"
    );
    for report in reports {
        let (word, color, reason) = match &report.outcome {
            Outcome::Passed => ("passed", AnsiColor::Green, ""),
            Outcome::Failed(reason) => ("failed", AnsiColor::Red, reason.as_str()),
            Outcome::Skipped(reason) => ("skipped", AnsiColor::Yellow, reason.as_str()),
            Outcome::NotRun(reason) => ("not run", AnsiColor::Yellow, reason.as_str()),
        };
        let style = color.on_default();
        let Tests {
            passed,
            failed,
            ignored,
        } = report.tests;
        anstream::println!(
            "{:<width$}{style}{word:<9}{style:#}{:>7}{ignored:>9}{:>10.1}  {reason}",
            report.name,
            passed + failed,
            report.time.as_secs_f64(),
        );
    }
    let passed: u64 = reports.iter().map(|report| report.tests.passed).sum();
    let failed: u64 = reports.iter().map(Report::failures).sum();
    anstream::println!("\n{passed} passed, {failed} failed");
    reports
        .iter()
        .all(|report| matches!(report.outcome, Outcome::Passed | Outcome::NotRun(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_the_test_harness_is_counted() {
        let line = "test result: FAILED. 3 passed; 2 failed; 1 ignored; 0 measured; 4 filtered out; finished in 0.01s";
        assert_eq!(
            Tests::parse(line),
            Some(Tests {
                passed: 3,
                failed: 2,
                ignored: 1
            })
        );
        assert_eq!(Tests::parse("test result_is_kept ... ok"), None);
    }

    #[test]
    fn a_failed_check_counts_as_one_failure() {
        let report = |outcome| Report::not_begun("lint", outcome);
        assert_eq!(report(Outcome::Failed(String::new())).failures(), 1);
        assert_eq!(report(Outcome::Passed).failures(), 0);
    }
}
