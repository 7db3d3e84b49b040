//! Takes what the origin itself says: how it answered since its last report, how much of its capacity is in use, or how many visitors
//! its stock is still enough for.

use super::{Asking, Changes, Flash, Intent, Verb};
use crate::config::Room;
use crate::http::object::object;
use crate::operator::input::{Fields, LONGEST_BODY, Refusal};
use crate::operator::login::{Audience, Right};
use crate::page::number;
use crate::queue::{Action, Answers, Board, Change, Effect, OriginHealth};
use serde_json::Value;
use std::ops::RangeInclusive;

/// How many answers one report may name of each kind.
const MANY: RangeInclusive<u64> = 0..=1_000_000;

/// For how many visitors a stock can be enough.
const STOCK: RangeInclusive<u64> = 0..=100_000_000;

/// The verb.
pub(super) static VERB: Verb = Verb {
    route: "report",
    acts: &["report"],
    needs: (Audience::Api, Right::Stock),
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
    /// What it says of its stock.
    pub stock: Option<Stock>,
}

/// What the origin says of its stock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stock {
    /// It is enough for that many more visitors.
    Left(u64),
    /// It bounds the line no more.
    Away,
}

impl Stock {
    /// As the store and its lists have it.
    fn written(self) -> String {
        match self {
            Self::Left(many) => many.to_string(),
            Self::Away => "-".to_owned(),
        }
    }

    fn read(text: &str) -> Self {
        text.parse().map_or(Self::Away, Self::Left)
    }
}

impl Report {
    /// Whether it says how the origin does.
    fn is_of_health(&self) -> bool {
        self.load.is_some() || self.answers.sum() > 0
    }
}

fn read(fields: &mut Fields, asking: &Asking<'_>) -> Result<Box<dyn Intent>, Refusal> {
    let stock = if fields.are_given_back(&["stock"]) {
        Some(Stock::Away)
    } else {
        fields.number("stock", STOCK)?.map(Stock::Left)
    };
    let load = fields.thousandths("load", 10)?;
    let mut answers = Answers::default();
    for (name, many) in [
        ("ok", &mut answers.ok),
        ("late", &mut answers.late),
        ("bad", &mut answers.bad),
    ] {
        *many = fields.number(name, MANY)?.unwrap_or(0);
    }
    let report = Report {
        answers,
        load,
        stock,
    };
    let is_off = asking.request.room.health.setting == OriginHealth::Off;
    if is_off && (report.is_of_health() || stock.is_none()) {
        let text = "origin_health is off, so reports count for nothing; accepted are reports with observe or on, and those of stock alone";
        return Err(Refusal::Value(text.to_owned()));
    }
    if !report.is_of_health() && stock.is_none() {
        let text = "accepted is stock, load, or at least one of ok, late and bad above 0";
        return Err(Refusal::Value(text.to_owned()));
    }
    Ok(Box::new(report))
}

impl Intent for Report {
    fn change(&self) -> Change {
        let Answers { ok, late, bad } = self.answers;
        let mut details = Vec::new();
        if self.is_of_health() {
            details.extend([
                ("ok", ok.to_string()),
                ("late", late.to_string()),
                ("bad", bad.to_string()),
            ]);
        }
        details.extend(self.load.map(|load| ("load", load.to_string())));
        details.extend(self.stock.map(|stock| ("stock", stock.written())));
        Change::new("report", details)
    }

    fn needs(&self) -> Option<Right> {
        self.is_of_health().then_some(Right::Permit)
    }

    fn logged(&self, _: Effect) -> String {
        worded(self.stock)
    }

    fn told(&self, board: &Board, _: Effect, _: &Room) -> Value {
        object!({ "mode": board.mode().name(), "stock": board.live.stock })
    }
}

fn worded(stock: Option<Stock>) -> String {
    match stock {
        None => "report of the origin".to_owned(),
        Some(Stock::Away) => "stock taken away".to_owned(),
        Some(Stock::Left(many)) => format!("stock {}", number(many)),
    }
}

fn flash(_: &Flash<'_>) -> String {
    "Reported.".to_owned()
}

fn listed(action: &Action) -> String {
    let stock = (!action.value.is_empty()).then(|| Stock::read(&action.value));
    worded(stock)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{action, assert_listed};

    #[test]
    fn a_report_has_its_words() {
        assert_listed(&[
            (action("report", 0, "", ""), "report of the origin"),
            (action("report", 0, "1200", ""), "stock 1,200"),
            (action("report", 0, "-", ""), "stock taken away"),
        ]);
    }
}
