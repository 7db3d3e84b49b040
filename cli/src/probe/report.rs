//! What a check found, in plain words: fine, different from what is expected, or not to be seen from here.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// As documented.
    Fine,
    /// Not as documented: the command ends with 1.
    Differs,
    /// Nothing that answers the question reaches this machine.
    Unseen,
}

impl Verdict {
    fn word(self) -> &'static str {
        match self {
            Self::Fine => "ok",
            Self::Differs => "differs",
            Self::Unseen => "cannot be seen from here",
        }
    }

    fn style(self) -> Style {
        let color = match self {
            Self::Fine => AnsiColor::Green,
            Self::Differs => AnsiColor::Red,
            Self::Unseen => AnsiColor::Yellow,
        };
        color.on_default().bold()
    }
}

/// One check: what was seen, what that means, and what mends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) check: &'static str,
    pub(super) verdict: Verdict,
    pub(super) seen: String,
    pub(super) means: Option<String>,
    pub(super) mend: Option<String>,
}

impl Finding {
    pub(super) fn fine(check: &'static str, seen: impl Into<String>) -> Self {
        Self::new(check, Verdict::Fine, seen.into())
    }

    pub(super) fn differs(check: &'static str, seen: impl Into<String>) -> Self {
        Self::new(check, Verdict::Differs, seen.into())
    }

    pub(super) fn unseen(check: &'static str, seen: impl Into<String>) -> Self {
        Self::new(check, Verdict::Unseen, seen.into())
    }

    fn new(check: &'static str, verdict: Verdict, seen: String) -> Self {
        Self {
            check,
            verdict,
            seen,
            means: None,
            mend: None,
        }
    }

    pub(super) fn means(mut self, words: impl Into<String>) -> Self {
        self.means = Some(words.into());
        self
    }

    pub(super) fn mend(mut self, words: impl Into<String>) -> Self {
        self.mend = Some(words.into());
        self
    }

    /// Shows it. Colours go where stdout is a terminal and `NO_COLOR` is not set.
    pub(super) fn print(&self) {
        let (bold, style) = (Style::new().bold(), self.verdict.style());
        let word = self.verdict.word();
        anstream::println!("{bold}{}{bold:#}: {style}{word}{style:#}", self.check);
        anstream::print!("{}", self.details());
    }

    fn details(&self) -> String {
        let mut text = format!("  {}\n", self.seen);
        let further = [("means", &self.means), ("do", &self.mend)];
        for (word, words) in further {
            if let Some(words) = words {
                let _ = writeln!(text, "  {word}: {words}");
            }
        }
        text
    }
}

/// The last line.
pub(super) fn summary(findings: &[Finding]) -> String {
    let count = |verdict| {
        let alike = findings.iter().filter(|found| found.verdict == verdict);
        alike.count()
    };
    let counts = [Verdict::Fine, Verdict::Differs, Verdict::Unseen].map(count);
    let [fine, differs, unseen] = counts;
    format!("{fine} ok, {differs} differ, {unseen} cannot be seen from here.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_says_what_was_seen_what_it_means_and_what_to_do() {
        let found = Finding::differs("health", "503.")
            .means("newcomers wait.")
            .mend("read the log.");
        assert_eq!(
            found.details(),
            "  503.\n  means: newcomers wait.\n  do: read the log.\n"
        );
        let all = [found, Finding::fine("a", "b"), Finding::unseen("c", "d")];
        assert_eq!(summary(&all), "1 ok, 1 differ, 1 cannot be seen from here.");
    }
}
