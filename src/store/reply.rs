//! What a script answers: a flat list of names and values, read by name.

use serde_json::Value;

use crate::queue::health::{Health, numbers};
use crate::queue::{
    AboveBound, Absent, Birth, Bound, Cap, Cell, Claim, EndedSession, EndedSessions, Enforcement,
    FrontLane, Head, Invited, Lane, LineAnswer, LineStatus, Live, Logged, Now, OriginSign,
    Sickness,
};
use crate::queue::{Begun, EventSign, Finding, InvitedVisitors, OriginState, Samples, Window};
use crate::queue::{Cursor, Measured, Mode, Pace};
use crate::queue::{
    EventList, Explained, Position, Price, Recount, RegionLine, Released, Sessions, SetTimes, Sign,
    Splice, TurnsOver,
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

    fn set_times(&self) -> Option<SetTimes> {
        let time = |name| Some(self.optional_number(name)?.unwrap_or(0));
        Some(SetTimes {
            mode: time("mode_at")?,
            pace: time("pace_at")?,
            message: time("message_at")?,
            cap: time("cap_at")?,
            event: time("event_at")?,
        })
    }

    /// The sign.
    pub(super) fn sign(&self) -> Option<Sign> {
        let measured = Measured {
            released: self.number("released")?,
            took_ms: self.number("took")?,
            moved_ms: self.number("moved")?,
            step_ms: self.number("step")?,
        };
        Some(Sign {
            birth: self.birth()?,
            epoch: self.number("epoch")?,
            cursor: Cursor(self.number("cursor")?),
            length: self.number("length")?,
            front: self.optional("front", FrontLane::read)?,
            regions: (self.optional("regions", RegionLine::read_all)?).unwrap_or_default(),
            credit: self.number("credit")?,
            measured: (measured.released > 0).then_some(measured),
            pops: self.optional_number("pops")?.filter(|pops| *pops > 0),
            over: (self.optional("turns_over", TurnsOver::read)?).unwrap_or_default(),
            sessions: match self.value("total_active") {
                Some(_) => Some(self.sessions()?),
                None => None,
            },
            origin: self.optional("origin", OriginSign::read)?,
            event: self.optional("event", EventSign::read)?,
            begun: self.optional("begun", Begun::read)?,
            head: self.optional("head", Head::read)?,
            lines: self.optional_number("lines")?,
            logged: self.optional("logged", Logged::read)?,
            live: self.live()?,
        })
    }

    /// Which line it is.
    fn birth(&self) -> Option<Birth> {
        let splices = self.text("splices")?.split_whitespace();
        Some(Birth {
            born: self.number("born")?,
            started: self.number("started")?,
            adopted: self.number("adopted")?,
            sealed: self.number("sealed")? == 1,
            settled: self.number("settled")?,
            young: self.number("young")? == 1,
            recent: self.number("recent")?,
            splices: splices.map(Splice::read).collect::<Option<_>>()?,
        })
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

    /// What operators set.
    fn live(&self) -> Option<Live> {
        Some(Live {
            mode: Mode::named(self.text("mode")?)?,
            pace: Pace {
                automatic: self.number("automatic")?,
                quantity: self.number("quantity")?,
            },
            paced: self.number("paced")? == 1,
            message: self.optional("message", |text| Some(text.to_owned()))?,
            cap: self.optional("live_cap", Cap::read)?,
            events: self.optional("live_events", EventList::read)?,
            version: self.number("version")?,
            set_at: self.set_times()?,
        })
    }

    fn sessions(&self) -> Option<Sessions> {
        let cells = self.text("ring")?.split_whitespace();
        Some(Sessions {
            total_active: self.number("total_active")?,
            minutes: self.number("session_minutes")?,
            enforcement: Enforcement::named(self.text("cap")?)?,
            told_ms: self.number("told")?,
            since: self.number("cap_since")?,
            promised: self.number("promised")?,
            claimable: self.number("claimable")?,
            late: self.number("late")?,
            lapsed: Cursor(self.number("lapsed")?),
            cells: cells.map(Cell::read).collect::<Option<_>>()?,
            ended: self.optional_number("ended")?.unwrap_or(0),
        })
    }

    /// The sign, for a visitor.
    pub(super) fn visitor(&self) -> Option<LineAnswer> {
        let position = self.number("number")?;
        let claim = match self.value("claim") {
            Some(_) => Some(self.claim()?),
            None => None,
        };
        Some(LineAnswer {
            sign: self.sign()?,
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

    /// The sign, and what is known of absent visitors.
    pub(super) fn status(&self) -> Option<LineStatus> {
        Some(LineStatus {
            sign: self.sign()?,
            absent: self.absent()?,
            limits: self.limits()?,
            origin: self.health()?,
            invited: self.invited()?,
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
        let news = EndedSessions {
            version: self.number("ended")?,
            sessions: words.map(EndedSession::read).collect::<Option<_>>()?,
        };
        let store_time = Now::from_ms(self.number("told")?);
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

    /// The least that a sign is.
    fn told() -> Vec<Value> {
        let zeros = "born started adopted sealed settled young recent epoch cursor length credit released took moved step \
            automatic quantity paced version number";
        let mut told: Vec<Value> = zeros
            .split_whitespace()
            .flat_map(|name| [name.into(), 0.into()])
            .collect();
        told.extend(["mode", "hold", "splices", ""].map(Value::from));
        told
    }

    #[test]
    fn what_is_told_of_a_sign_and_cannot_be_read_is_not_taken_for_absent() {
        let read = |name: &str, value: Value| {
            let told = [told(), vec![name.into(), value]].concat();
            Answer::read(told.into()).and_then(|answer| answer.visitor())
        };
        assert!(read("other", json!(1)).is_some(), "an answer without more");
        for (name, sound, unreadable) in [
            ("front", json!("1 2 3"), json!(7)),
            ("head", json!("0123456789abcdef"), json!("0123")),
            ("lines", json!(7), json!("some")),
            ("logged", json!("7 0123456789abcdef"), json!("7 0123")),
            ("origin", json!("0 1 2 0"), json!(["0 1 2 0"])),
            ("event", json!("9 open a 1 2 3 arrival"), json!(null)),
            ("begun", json!("a 1 2 -1 drawn"), json!({})),
            ("live_cap", json!("1 20 60 on"), json!(1)),
            ("live_events", json!("none"), json!(false)),
            ("message", json!("Hello"), json!(5)),
            ("pops", json!("3"), json!("many")),
            ("mode_at", json!(5), json!("soon")),
            ("turns_over", json!("5:;3:front;"), json!("5")),
            ("lane", json!("front"), json!("the back")),
            ("lane", json!("west"), json!(1)),
            ("regions", json!("west 1 2 3"), json!("west 1")),
            ("above", json!("drawn"), json!(1)),
            ("price", json!("3 600"), json!("3")),
            ("invited", json!("kept"), json!(1)),
        ] {
            assert!(read(name, sound.clone()).is_some(), "{name} {sound}");
            assert_eq!(read(name, unreadable.clone()), None, "{name} {unreadable}");
        }
    }
}
