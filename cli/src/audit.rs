//! `now-serving audit`: whether the lines of a journal hang together.

use std::fs;
use std::path::PathBuf;

use ::audit::{Report, audit_from, head_of};
use now_serving::queue::Head;

/// Options of `now-serving audit`.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Pages of `/_queue/journal`, or lines of the log, in any order, also twice
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// The first line that has to be there
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub from: u64,
    /// The 16 hexadecimal digits of a head that has to be on the journal
    #[arg(long, value_name = "DIGITS")]
    pub head: Vec<String>,
    /// A ticket whose head has to be on the journal. Its signature is not checked
    #[arg(long, value_name = "TICKET")]
    pub ticket: Vec<String>,
}

/// Whether no line was changed, left out or put elsewhere, and every release kept to its budget.
///
/// # Errors
/// When a file cannot be read, or a head or a ticket is none.
pub fn audit(options: &Options) -> Result<bool, String> {
    let texts = texts(&options.files)?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let heads = options.head.iter().map(|head| {
        let wrong = || format!("--head is {head:?}. Accepted are 16 hexadecimal digits.");
        Head::read(head).ok_or_else(wrong)
    });
    let heads = heads.chain(options.ticket.iter().map(|ticket| head_of(ticket)));
    let heads = heads.collect::<Result<Vec<_>, _>>()?;
    let report = audit_from(options.from, &texts, &heads);
    for line in words(&report) {
        anstream::println!("{line}");
    }
    Ok(report.faults.is_empty())
}

/// What is in these files.
///
/// # Errors
/// When one cannot be read, or a line of it is no text.
pub(crate) fn texts(files: &[PathBuf]) -> Result<Vec<String>, String> {
    let read = |file: &PathBuf| {
        let cannot = |why: String| format!("{} cannot be read: {why}.", file.display());
        let bytes = fs::read(file).map_err(|error| cannot(error.to_string()))?;
        String::from_utf8(bytes).map_err(|error| {
            let before = error
                .as_bytes()
                .iter()
                .take(error.utf8_error().valid_up_to());
            let line = before.filter(|byte| **byte == b'\n').count() + 1;
            cannot(format!("its line {line} is not UTF-8"))
        })
    };
    files.iter().map(read).collect()
}

/// What is said of it, line by line.
fn words(report: &Report) -> Vec<String> {
    [&report.notes, &report.faults]
        .into_iter()
        .flatten()
        .cloned()
        .chain([report.verdict()])
        .collect()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

    use super::*;
    use std::io::Write as _;

    /// The first two lines of a real journal, as the log has them.
    const LOG: &str = concat!(
        r#"{"schema":1,"head":"2a4678d7412681b2e605b4ce54f0522ec37457e1","noted":["0000000000000000000000000000000000000000 1 1800000000476 begin 0 0 0 - 0 -1 0 0 5:3 - - -","#,
        r#""79b25d050e5f3abb96eabfc23d52558eb12fab39 2 1800000000476 straight 0 1 1 - 0 1800000000 2 0 5:3 waiting - -"],"reason":"noted","room":"main","timestamp":1800000000476}"#,
    );

    fn options(text: &str, head: &str) -> (tempfile::NamedTempFile, Options) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let files = vec![file.path().to_owned()];
        let head = vec![head.to_owned()];
        let ticket = Vec::new();
        (
            file,
            Options {
                files,
                from: 1,
                head,
                ticket,
            },
        )
    }

    #[test]
    fn the_exit_code_says_whether_the_lines_hang_together_and_the_head_is_among_them() {
        let said = |text: &str, head| audit(&options(text, head).1);
        let head = "79b25d050e5f3abb";
        assert_eq!(said(LOG, head), Ok(true));
        assert_eq!(
            said(&LOG.replace("5:3 waiting", "5:4 waiting"), head),
            Ok(false)
        );
        assert_eq!(said(LOG, "79b25d050e5f3abc"), Ok(false));
        assert_eq!(
            said(LOG, "79b2"),
            Err("--head is \"79b2\". Accepted are 16 hexadecimal digits.".to_owned())
        );
    }

    #[test]
    fn a_file_that_is_not_there_and_a_ticket_that_is_none_are_named() {
        let (file, mut options) = options(LOG, "79b25d050e5f3abb");
        options.ticket.push("no ticket".into());
        assert!(
            audit(&options)
                .unwrap_err()
                .starts_with("--ticket is not a ticket.")
        );
        options.files.push(file.path().join("absent"));
        assert!(
            audit(&options)
                .unwrap_err()
                .contains("absent cannot be read")
        );
    }

    #[test]
    fn a_line_that_is_no_text_is_named() {
        let (mut file, options) = options("{}\n{}\n", "79b25d050e5f3abb");
        file.write_all(b"{}\n{\"a\":\"\xff\"}\n").unwrap();
        let said = audit(&options).unwrap_err();
        assert!(said.ends_with("its line 4 is not UTF-8."), "{said}");
    }

    #[test]
    fn the_verdict_comes_last() {
        let report = Report {
            faults: vec!["A fault.".into()],
            notes: vec!["A note.".into()],
            lines: 7,
        };
        let expected = [
            "A note.",
            "A fault.",
            "Of 7 lines: 1 fault, so they prove nothing.",
        ];
        assert_eq!(words(&report), expected);
    }
}
