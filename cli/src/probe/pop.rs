//! Which data centre answered, as far as its headers tell.

use std::collections::BTreeSet;

use super::{Answer, Ask, Finding, Probe};

pub(super) const CHECK: &str = "POP";

pub(super) fn check(probe: &Probe<'_>, first: &Answer) -> Finding {
    let last = probe.ask(&Ask::quiet(&probe.route("healthz")));
    let served: Vec<String> = last
        .iter()
        .chain([first])
        .map(|answer| answer.header("x-served-by"))
        .filter(|served| !served.is_empty())
        .collect();
    judge(&served)
}

/// Entries look like `cache-fra-eddf8230128-FRA`; the last one is the POP that the visitor came to.
fn judge(served: &[String]) -> Finding {
    let pops: BTreeSet<&str> = served
        .iter()
        .filter_map(|line| line.rsplit(',').next()?.trim().rsplit('-').next())
        .collect();
    let pops: Vec<&str> = pops.into_iter().collect();
    if pops.is_empty() {
        return Finding::unseen(
            CHECK,
            "no answer carries `X-Served-By`, which Fastly writes by its documentation.",
        )
        .means("what is said above is true of the POP that answered, whichever it is.")
        .mend("the log has `fastlyRegion` in each line.");
    }
    Finding::fine(CHECK, format!("{} answered.", pops.join(" and ")))
        .means("from one place one POP is seen. Run this from other regions too: the way to the store, and how soon a change is seen, differ from POP to POP.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::report::Verdict;

    #[test]
    fn the_pop_is_the_last_word_of_the_last_entry() {
        let told = |lines: &[&str]| {
            let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            judge(&lines)
        };
        let one = told(&[
            "cache-lga21984-LGA, cache-fra-eddf8230128-FRA",
            "cache-fra-etou8220063-FRA",
        ]);
        assert!(one.seen.starts_with("FRA answered"), "{one:?}");
        assert_eq!(told(&[]).verdict, Verdict::Unseen);
    }
}
