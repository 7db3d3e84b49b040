//! Faults of lines behind the one in front of them, in words of a report. The rules are in `dev/invariants`.

use invariants::journal::{
    keeps_to_the_pace_of, may_explain, wrong_with, wrong_with_lot, wrong_with_stock,
};

use crate::Report;
use crate::chain::Chain;

/// Finds the lines that break a rule.
pub(crate) fn judge(chain: &Chain<'_>, report: &mut Report) {
    for (digest, line) in &chain.lines {
        let before = chain.before(line);
        let bent = wrong_with_lot(line, |line| chain.before(line).cloned());
        let oversold = wrong_with_stock(line, chain.lines_behind(digest));
        report
            .faults
            .extend(bent.into_iter().chain(oversold).map(|found| {
                let (room, number) = (chain.room, line.number);
                format!("{room}: line {number}: {found}.")
            }));
        let Some(wrong) = wrong_with(line, before) else {
            continue;
        };
        let (room, number, found) = (chain.room, line.number, wrong.found);
        let later = before
            .filter(|_| wrong.is_over_its_pace)
            .and_then(|before| {
                let later = chain.lines_behind(digest);
                let mut later = later.take_while(|later| may_explain(line, later));
                later.find(|later| keeps_to_the_pace_of(line, later, before))
            });
        match later {
            Some(later) => report.notes.push(format!(
                "{room}: line {number}: {found} by the pace that it tells. It keeps to that of line {}: the document changed, and a data centre had not read it.",
                later.number
            )),
            None => report.faults.push(format!("{room}: line {number}: {found}.")),
        }
    }
}
