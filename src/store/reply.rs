//! What a script answers: a flat list of names and values, read by name.

use serde_json::Value;

use crate::cache::read_board;
use crate::queue::health::{Health, numbers};
use crate::queue::{
    AboveBound, Absent, Board, Bound, Claim, Counts, EndedSession, EndedSessions, Explained,
    Finding, History, Invited, InvitedVisitors, Lane, LineAnswer, LineStatus, Logged, Now,
    OriginState, Position, Price, Recount, Released, Sample, Samples, Sickness, Window,
};

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

    /// What the text of a name says that may be missing. A text that cannot be read makes the answer none: it is not taken for absent.
    #[expect(
        clippy::option_option,
        reason = "without an outer one there is no answer, as everywhere here"
    )]
    pub(super) fn optional<T>(
        &self,
        name: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Option<Option<T>> {
        let value = self.value(name);
        value.map_or(Some(None), |value| read(value.as_str()?).map(Some))
    }

    /// The same of a whole number.
    #[expect(
        clippy::option_option,
        reason = "without an outer one there is no answer, as everywhere here"
    )]
    pub(super) fn optional_number(&self, name: &str) -> Option<Option<u64>> {
        let value = self.value(name);
        value.map_or(Some(None), |_| self.number(name).map(Some))
    }

    /// The texts of the list of that name.
    pub(super) fn texts(&self, name: &str) -> Option<Vec<&str>> {
        self.value(name)?
            .as_array()?
            .iter()
            .map(Value::as_str)
            .collect()
    }

    /// The board.
    pub(super) fn board(&self) -> Option<Board> {
        let logged = self.optional("logged", Logged::read)?;
        read_board(self.text("board")?.to_owned(), logged)
    }

    /// That the origin has become sick by what this verb brought.
    pub(super) fn sickness(&self) -> Option<Sickness> {
        Sickness::read(self.text("sickness")?)
    }

    /// What is known of the origin, and when it last became sick.
    pub(super) fn health(&self) -> Option<OriginState> {
        let last = match self.text("last_sickness")? {
            "" => None,
            text => Some(Sickness::read(text)?),
        };
        let (window, says) = self.text("window")?.rsplit_once(' ')?;
        let [size, knee, ramp, answers, late, baseline, load] = numbers(window)?;
        let set = |size: u64| Some(size).filter(|size| *size > 0);
        Some(OriginState {
            health: Health::read(self.text("health")?)?,
            last,
            window: Window {
                size,
                knee: set(knee),
                ramp: set(ramp),
                samples: Samples { answers, late },
                baseline,
                load: load.checked_sub(1),
                says: Finding::named(says)?,
            },
        })
    }

    /// The board, for a visitor.
    pub(super) fn visitor(&self) -> Option<LineAnswer> {
        let position = self.number("number")?;
        let claim = match self.value("claim") {
            Some(_) => Some(self.claim()?),
            None => None,
        };
        Some(LineAnswer {
            board: self.board()?,
            position: (position > 0 && claim != Some(Claim::Used)).then_some(Position(position)),
            lane: self.optional("lane", Lane::read)?.unwrap_or_default(),
            claim,
            above: self.optional("above", AboveBound::named)?,
            price: self.optional("price", Price::read)?,
            invited: self.optional("invited", Invited::named)?,
        })
    }

    fn claim(&self) -> Option<Claim> {
        if self.value("claim")?.as_i64() == Some(-1) {
            return Some(Claim::Used);
        }
        let end = self.number("claim")?;
        Some(if end > 0 {
            Claim::Session(end)
        } else {
            Claim::Full
        })
    }

    /// The board, and what is known of absent visitors.
    pub(super) fn status(&self) -> Option<LineStatus> {
        Some(LineStatus {
            board: self.board()?,
            absent: self.absent()?,
            limits: self.limits()?,
            origin: self.health()?,
            invited: self.invited()?,
            history: self.history()?,
        })
    }

    /// What happened.
    pub(super) fn history(&self) -> Option<History> {
        let samples = |name| -> Option<Vec<Sample>> {
            let texts = self.texts(name)?;
            Some(texts.into_iter().filter_map(Sample::read).collect())
        };
        let mut counts = Counts::default();
        for pair in self.texts("counted")?.chunks(2) {
            let [name, many] = pair else {
                return None;
            };
            counts.add_named(name, many.parse().ok()?);
        }
        let now = Sample::read(self.text("now")?)?;
        let latest = if now.at == 0 { u64::MAX } else { now.at };
        let minutes = History::in_order(samples("minutes")?, latest);
        let hours = History::in_order(samples("hours")?, latest / 60);
        Some(History {
            since_ms: History::since(self.number("since")?, &minutes, &hours),
            now,
            minutes,
            hours,
            counts,
        })
    }

    /// How many visitors went straight in by an invitation.
    pub(super) fn invited(&self) -> Option<InvitedVisitors> {
        Some(InvitedVisitors {
            all: self.number("invited_in_all")?,
            this_minute: self.number("invited_now")?,
        })
    }

    /// What bounds the line.
    pub(super) fn limits(&self) -> Option<Explained> {
        let last = match self.text("last_release")? {
            "" => None,
            text => Some(Released::read(text)?),
        };
        Some(Explained {
            bound_by: Bound::named(self.text("bound")?)?,
            last,
            recount_ms: Some(self.number("recount")?).filter(|until| *until > 0),
        })
    }

    /// What the POP did not have of the list of ended sessions, the version that it had, and the store's time.
    pub(super) fn ended_news(&self) -> Option<(EndedSessions, u64, Now)> {
        let words = self.text("ended_news")?.split_whitespace();
        let capped = self.board()?.sessions?;
        let news = EndedSessions {
            version: capped.ended,
            sessions: words.map(EndedSession::read).collect::<Option<_>>()?,
        };
        let store_time = Now::from_ms(capped.told_ms);
        Some((news, self.number("ended_seen")?, store_time))
    }

    /// That this verb found out that it is not known who is inside.
    pub(super) fn recounts(&self) -> Option<Recount> {
        Recount::read(self.text("recounts")?)
    }

    /// What this verb released of visitors who waited.
    pub(super) fn released(&self) -> Option<Released> {
        Released::read(self.text("release")?)
    }

    /// What is known of called visitors who do not come: an answer without a share means that it is not known.
    pub(super) fn absent(&self) -> Option<Absent> {
        Some(Absent {
            share: self.optional_number("absent")?,
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

    /// The least that a board is.
    fn board() -> Value {
        json!({
            "format": 1, "own": 1, "merged": 0, "young": true, "epoch": 1, "visits_epoch": 1, "credit": 0,
            "live": { "mode": "hold", "pace": { "automatic": 15, "quantity": 5 }, "paced": false, "version": 0 },
        })
    }

    fn read(board: &Value, more: &[Value]) -> Option<LineAnswer> {
        let board = [
            "number".into(),
            0.into(),
            "board".into(),
            board.to_string().into(),
        ];
        Answer::read([&board, more].concat().into())?.visitor()
    }

    #[test]
    fn what_an_answer_says_and_cannot_be_read_is_not_taken_for_absent() {
        assert!(read(&board(), &[]).is_some(), "an answer without more");
        for (name, sound, unreadable) in [
            ("logged", json!("7 0123456789abcdef"), json!("7 0123")),
            ("lane", json!("front"), json!("the back")),
            ("lane", json!("west"), json!(1)),
            ("above", json!("drawn"), json!(1)),
            ("price", json!("3 600"), json!("3")),
            ("invited", json!("kept"), json!(1)),
        ] {
            let read = |value: &Value| read(&board(), &[name.into(), value.clone()]);
            assert!(read(&sound).is_some(), "{name} {sound}");
            assert_eq!(read(&unreadable), None, "{name} {unreadable}");
        }
    }

    #[test]
    fn what_a_board_shows_and_cannot_be_read_is_not_taken_for_absent() {
        let event = json!({ "phase": "open", "told_ms": 9,
            "event": "a:1:2:3:drawn~a" });
        let capped = json!({ "total_active": 9, "minutes": 20, "enforcement": "on", "renewal": "on", "told_ms": 9, "since": 1, "promised": 0, "claimable": 9,
            "late": 0, "cells": [[30, 2]], "ended": 0 });
        for (name, sound, unreadable) in [
            (
                "lanes",
                json!([{ "name": "front", "rolls": [{ "born": 1, "served": 1, "drawn": 2 }] }]),
                json!([{ "name": "front" }]),
            ),
            (
                "lanes",
                json!([{ "name": "west", "rolls": [] }]),
                json!([{ "name": "main", "rolls": [] }]),
            ),
            // An empty table of Lua.
            ("lanes", json!([{ "name": "west", "rolls": [] }]), json!({})),
            ("head", json!("0123456789abcdef"), json!("0123")),
            ("lines", json!(7), json!("some")),
            ("lines", json!(7), json!(1e14)),
            ("lines", json!(7), json!(100_000_000_000_000_u64)),
            (
                "rolls",
                json!([{ "born": 1, "served": 0, "drawn": 99_999_999_999_999_u64 }]),
                json!([{ "born": 1, "served": 0, "drawn": 100_000_000_000_000_u64 }]),
            ),
            (
                "rolls",
                json!([{ "born": 1, "served": 0, "drawn": 1, "lapsed": 1 }]),
                json!({}),
            ),
            (
                "measured",
                json!({ "released": 1, "took_ms": 2, "moved_ms": 3, "step_ms": 0 }),
                json!({}),
            ),
            (
                "origin",
                json!({ "holds": false, "cuts": 1, "is_cut": true, "is_slowed": false }),
                json!({ "holds": false, "cuts": 1, "is_cut": 0, "is_slowed": false }),
            ),
            ("event", event.clone(), json!("open")),
            ("sessions", capped.clone(), json!([])),
            ("begun", json!("a 1 drawn -"), json!({})),
            ("pops", json!(3), json!("many")),
            (
                "over",
                json!([{ "last": 5, "born": 1 }, { "last": 3, "lane": "front", "born": 1 }]),
                json!([{ "last": 5, "lane": "front" }]),
            ),
            ("live.cap", json!("1 20 60 on"), json!("1 20 60")),
            ("live.events", json!("none"), json!(false)),
            (
                "brought",
                json!("mode sale 5 0 hold\npace sale 7 0 60 200\nmessage sale 7 0 A b"),
                json!("pace sale 5 60"),
            ),
            ("live.message", json!("Hello"), json!(5)),
            ("live.stock", json!(0), json!("none")),
            (
                "live.set_at",
                json!({ "mode": 5 }),
                json!({ "mode": "soon" }),
            ),
        ] {
            let read = |value: &Value| {
                let mut board = board();
                let of = match name.strip_prefix("live.") {
                    Some(name) => board.get_mut("live").map(|live| (live, name)),
                    None => Some((&mut board, name)),
                };
                let of = of.and_then(|(of, name)| Some((of.as_object_mut()?, name)));
                of.map(|(of, name)| of.insert(name.to_owned(), value.clone()));
                read(&board, &[])
            };
            assert!(read(&sound).is_some(), "{name} {sound}");
            assert_eq!(read(&unreadable), None, "{name} {unreadable}");
            assert_eq!(read(&Value::Null), None, "{name} null");
        }
    }
}
