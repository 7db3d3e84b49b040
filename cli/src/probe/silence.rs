//! A draw after a silence: whether a connection that the store, or something on the way, has closed meanwhile costs a newcomer the number.

use std::thread;
use std::time::Duration;

use simulator::units::Span;

use super::{Finding, Probe, draws, unasked};

pub(super) const CHECK: &str = "a draw after a silence";

/// The longest time without a request, in milliseconds.
const LONGEST_MS: u64 = 1_800_000;

/// A time of at most half an hour.
pub(super) fn time(text: &str) -> Result<Span, String> {
    let time: Span = text.parse()?;
    let is_some = (1..=LONGEST_MS).contains(&time.ms());
    is_some
        .then_some(time)
        .ok_or_else(|| "accepted is more than nothing, and 30m at most".to_owned())
}

/// One draw after each of the times.
pub(super) fn check(probe: &Probe<'_>) -> Finding {
    let silences = &probe.options.silence;
    if silences.is_empty() {
        return Finding::unseen(CHECK, "it takes minutes, and --silence was not given.")
            .mend("run it again with --draw --silence 1m,3m,6m, before the site's visitors come: each of them is a call of this POP too.");
    }
    let mut told = Vec::new();
    for silence in silences {
        thread::sleep(Duration::from_millis(silence.ms()));
        match draws::visitor(probe) {
            Ok(visitor) => told.push((*silence, visitor.has_number)),
            Err(error) => return unasked(CHECK, &error),
        }
    }
    judge(&told)
}

fn judge(told: &[(Span, bool)]) -> Finding {
    let listed = |has_number: bool| {
        let these = told.iter().filter(|(_, has)| *has == has_number);
        let times: Vec<String> = these.map(|(time, _)| time.to_string()).collect();
        times.join(", ")
    };
    let without = listed(false);
    if without.is_empty() {
        return Finding::fine(CHECK, format!("a number each after {}.", listed(true)))
            .means("a connection that was closed in that time is made anew, if no other visitor has called the store from this POP meanwhile.");
    }
    Finding::differs(CHECK, format!("no number after {without}."))
        .means("the call may have gone over a connection that was closed in the silence. The first newcomer after one is held for a second or more.")
        .mend("see `storeError` of this request in the log, and report it; a request to the room every half minute keeps the connection.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::report::Verdict;

    #[test]
    fn a_silence_after_which_no_number_comes_differs_and_is_named() {
        let after = |secs: u64, has_number| (Span::from_ms(1000 * secs), has_number);
        let found = judge(&[after(60, true), after(180, false), after(360, true)]);
        assert_eq!(found.verdict, Verdict::Differs);
        assert_eq!(found.seen, "no number after 3 min.");
        let found = judge(&[after(60, true), after(180, true)]);
        assert_eq!(found.verdict, Verdict::Fine);
        assert_eq!(found.seen, "a number each after 60 s, 3 min.");
    }
}
