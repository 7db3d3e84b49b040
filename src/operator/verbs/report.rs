//! Takes what the origin itself says of its load: how it answered since its last report, or how much of its capacity is in use.

use super::{Asking, Changes, Flash, Intent, Verb};
use crate::config::Room;
use crate::http::object::object;
use crate::operator::input::{Fields, LONGEST_BODY, Refusal};
use crate::operator::login::{Audience, Right};
use crate::queue::{Action, Answers, Board, Change, Effect, OriginHealth};
use serde_json::Value;
use std::ops::RangeInclusive;

/// How many answers one report may name of each kind.
const MANY: RangeInclusive<u64> = 0..=1_000_000;

/// The verb.
pub(super) static VERB: Verb = Verb {
    route: "report",
    acts: &["report"],
    needs: (Audience::Api, Right::Permit),
    changes: Changes::Line,
    longest_body: LONGEST_BODY,
    example: |_| r#"{"load": 0.83}"#.to_owned(),
    read,
    flash,
    listed,
};

/// What the origin says.
pub struct Report {
    /// How it answered since its last report.
    pub answers: Answers,
    /// How much of its capacity is in use, in thousandths.
    pub load: Option<u64>,
}

fn read(fields: &mut Fields, asking: &Asking<'_>) -> Result<Box<dyn Intent>, Refusal> {
    if asking.request.room.health.setting == OriginHealth::Off {
        let text = "origin_health is off, so reports count for nothing; accepted are reports with observe or on";
        return Err(Refusal::Value(text.to_owned()));
    }
    let load = fields.thousandths("load", 10)?;
    let mut answers = Answers::default();
    for (name, many) in [
        ("ok", &mut answers.ok),
        ("late", &mut answers.late),
        ("bad", &mut answers.bad),
    ] {
        *many = fields.number(name, MANY)?.unwrap_or(0);
    }
    if load.is_none() && answers.sum() == 0 {
        let text = "accepted is load, or at least one of ok, late and bad above 0";
        return Err(Refusal::Value(text.to_owned()));
    }
    Ok(Box::new(Report { answers, load }))
}

impl Intent for Report {
    fn change(&self) -> Change {
        let Answers { ok, late, bad } = self.answers;
        let mut details = vec![
            ("ok", ok.to_string()),
            ("late", late.to_string()),
            ("bad", bad.to_string()),
        ];
        details.extend(self.load.map(|load| ("load", load.to_string())));
        Change::new("report", details)
    }

    fn logged(&self, _: Effect) -> String {
        "report of the origin".to_owned()
    }

    fn told(&self, board: &Board, _: Effect, _: &Room) -> Value {
        object!({ "mode": board.mode().name() })
    }
}

fn flash(_: &Flash<'_>) -> String {
    "Reported.".to_owned()
}

fn listed(_: &Action) -> String {
    "report of the origin".to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{action, assert_listed};

    #[test]
    fn a_report_has_its_words() {
        assert_listed(&[(action("report", 0, "", ""), "report of the origin")]);
    }
}
