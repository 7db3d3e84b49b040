//! More requests in a row than one sandbox answers: whether its limits are those of a request or of its life.

use std::time::Duration;

use super::{Answer, Ask, Finding, Probe, median, ms};

pub(super) const CHECK: &str = "sandboxes in a row";

/// A sandbox ends itself after ten requests at the latest.
const IN_A_ROW: usize = 25;

pub(super) fn check(probe: &Probe<'_>) -> Finding {
    // Each is passed on to the origin: one backend request of those that a sandbox may make.
    let ask = Ask::quiet(&probe.options.open_path);
    let before = probe.client.connections();
    let answers = (0..IN_A_ROW).map(|_| probe.ask(&ask)).collect();
    judge(answers, probe.client.connections() - before)
}

fn judge(answers: Vec<Result<Answer, String>>, opened: u32) -> Finding {
    let asked = answers.len();
    let mut times: Vec<Duration> = Vec::new();
    let mut wrong: Vec<String> = Vec::new();
    for answer in answers {
        match answer {
            Ok(answer) if answer.status < 500 || answer.is_of_the_room() => times.push(answer.took),
            Ok(answer) => wrong.push(format!("a {}", answer.status)),
            Err(error) => wrong.push(error),
        }
    }
    if let Some(first) = wrong.first() {
        return Finding::differs(CHECK, format!("{} of {asked} requests in a row failed; the first: {first}", wrong.len()))
            .means("a sandbox may have reached a limit of the platform, so that visitors get the platform's own error; or the origin failed.")
            .mend("ask the origin for the same path. If it is well, lower `backend_calls` (a trial account allows 10), look for the platform's errors in Fastly's statistics, and report it.");
    }
    let slowest = times.iter().max().copied().unwrap_or_default();
    let middle = median(times).unwrap_or_default();
    let connections = match opened {
        0 => "over one connection".to_owned(),
        more => format!("over {} connections", more.saturating_add(1)),
    };
    Finding::fine(CHECK, format!("{asked} requests {connections}, all answered: median {}, slowest {}.", ms(middle), ms(slowest)))
        .means("a sandbox answers ten requests at most, so three at least have served, and none reached a limit of the platform by requests to the origin. Limits on time and CPU are for Fastly's statistics of a day.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::report::Verdict;

    #[test]
    fn one_error_of_the_platform_among_many_answers_differs() {
        let answer = |status| {
            Ok(Answer {
                status,
                ..Answer::default()
            })
        };
        assert_eq!(
            judge(vec![answer(200), answer(200)], 0).verdict,
            Verdict::Fine
        );
        assert_eq!(
            judge(vec![answer(200), answer(500)], 0).verdict,
            Verdict::Differs
        );
        let broken = vec![answer(200), Err("no answer".to_owned())];
        assert_eq!(judge(broken, 0).verdict, Verdict::Differs);
    }
}
