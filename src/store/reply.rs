//! What a script answers: a flat list of names and values, read by name.

use serde_json::Value;

use crate::queue::{Absent, Birth, LineStatus, Live, SetTimes, Sign, Splice};
use crate::queue::{Cursor, Measured, Mode, Pace};

/// The pairs of one answer. Numbers may come as text, as a hash of Redis keeps them.
pub(super) struct Answer(Vec<(String, Value)>);

impl Answer {
    /// The pairs of an answer; `None` when it is no list of pairs.
    pub(super) fn read(value: Value) -> Option<Self> {
        let Value::Array(items) = value else {
            return None;
        };
        if !items.len().is_multiple_of(2) {
            return None;
        }
        let mut items = items.into_iter();
        let mut pairs = Vec::new();
        while let (Some(name), Some(value)) = (items.next(), items.next()) {
            let Value::String(name) = name else {
                return None;
            };
            pairs.push((name, value));
        }
        Some(Self(pairs))
    }

    /// The value of that name.
    pub(super) fn value(&self, name: &str) -> Option<&Value> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value)
    }

    /// The text of that name.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.value(name)?.as_str()
    }

    /// The whole number of that name.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        let value = self.value(name)?;
        value.as_u64().or_else(|| value.as_str()?.parse().ok())
    }

    /// The texts of the list of that name.
    pub(super) fn texts(&self, name: &str) -> Option<Vec<&str>> {
        self.value(name)?
            .as_array()?
            .iter()
            .map(Value::as_str)
            .collect()
    }

    fn set_times(&self) -> SetTimes {
        let time = |name| self.number(name).unwrap_or(0);
        SetTimes {
            mode: time("mode_at"),
            pace: time("pace_at"),
            message: time("message_at"),
        }
    }

    /// The sign.
    pub(super) fn sign(&self) -> Option<Sign> {
        let measured = Measured {
            released: self.number("released")?,
            took_ms: self.number("took")?,
            moved_ms: self.number("moved")?,
            step_ms: self.number("step")?,
        };
        let live = Live {
            mode: Mode::named(self.text("mode")?)?,
            pace: Pace {
                automatic: self.number("automatic")?,
                quantity: self.number("quantity")?,
            },
            paced: self.number("paced")? == 1,
            message: self.text("message").map(str::to_owned),
            version: self.number("version")?,
            set_at: self.set_times(),
        };
        let splices = self.text("splices")?.split_whitespace();
        let birth = Birth {
            born: self.number("born")?,
            started: self.number("started")?,
            adopted: self.number("adopted")?,
            sealed: self.number("sealed")? == 1,
            settled: self.number("settled")?,
            young: self.number("young")? == 1,
            recent: self.number("recent")?,
            splices: splices.map(Splice::read).collect::<Option<_>>()?,
        };
        Some(Sign {
            birth,
            epoch: self.number("epoch")?,
            cursor: Cursor(self.number("cursor")?),
            length: self.number("length")?,
            credit: self.number("credit")?,
            measured: (measured.released > 0).then_some(measured),
            pops: self.number("pops").filter(|pops| *pops > 0),
            live,
        })
    }

    /// The sign, and what is known of absent visitors.
    pub(super) fn status(&self) -> Option<LineStatus> {
        Some(LineStatus {
            sign: self.sign()?,
            absent: self.absent()?,
        })
    }

    /// What is known of called visitors who do not come: an answer without a share means that it is not known.
    pub(super) fn absent(&self) -> Option<Absent> {
        let share = match self.value("absent") {
            Some(_) => Some(self.number("absent")?),
            None => None,
        };
        Some(Absent {
            share,
            may_come: self.number("may_come")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_share_that_is_no_number_is_not_read_as_unknown() {
        let read = |value| Answer::read(value).and_then(|answer| answer.absent());
        let known = Absent {
            share: Some(300),
            may_come: 6,
        };
        assert_eq!(read(json!(["may_come", 6, "absent", 300])), Some(known));
        let unknown = Absent {
            share: None,
            ..known
        };
        assert_eq!(read(json!(["may_come", 6])), Some(unknown));
        assert_eq!(read(json!(["may_come", 6, "absent", "many"])), None);
        assert_eq!(read(json!(["may_come", 6, "absent", -1])), None);
        assert_eq!(read(json!(["absent", 300])), None);
    }
}
