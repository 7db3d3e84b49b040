//! The phases of an event that begins by itself.
//!
//! Invariant: a phase follows from the schedule and a time alone. The time is the store's, so a POP whose clock is wrong opens
//! nothing early. Before an event the edge needs no
//! call for it; while the store is asked, `store/lua/events.lua` decides by its own clock.

use super::health::numbers;
use super::{Cap, DrawSecrets, Mode, NoSecrets, Pace, words};
use serde::Deserialize;

/// When an event happens, in milliseconds since 1970. The store writes it as the settings do: as one text, in which a time may have
/// more digits than cjson writes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Event {
    /// Its name, which stays when the times change.
    pub id: String,
    /// From then on numbers are drawn.
    pub prequeue_ms: u64,
    /// From then on visitors go in.
    pub opens_ms: u64,
    /// From then on no new visitor goes in; nothing where the event has no end.
    pub closes_ms: Option<u64>,
    /// In which order visitors of the pre-queue go in.
    pub order: Order,
    /// The mode of the room before its pre-queue and after its end: closed, automatic or open.
    pub outside: Mode,
    /// The mode that it sets at its end, as an operator would; nothing where what is outside goes on.
    pub then: Option<Mode>,
    /// Whether visitors go in while it is open: in a maintenance none does.
    pub admits: bool,
    /// Whether visitors inside stay inside at its start. If not, all tickets end then.
    pub keeps_inside: bool,
    /// What it brings from its start to its end.
    pub with: With,
}

/// What an event brings in place of what holds at its start, and gives back at its end. What an operator sets in between stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct With {
    /// The pace.
    pub pace: Option<Pace>,
    /// The cap.
    pub cap: Option<Cap>,
    /// The message to waiting visitors; empty for none.
    pub message: Option<String>,
}

/// In which order those go in who came before an event opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As they came.
    #[default]
    Arrival,
    /// By lot, which the secret decides alone.
    Drawn,
    /// By lot, which a public value from this source decides together with the secret.
    DrawnBy(String),
}

impl Order {
    /// Whether it is by lot.
    #[must_use]
    pub fn is_drawn(&self) -> bool {
        *self != Self::Arrival
    }

    /// As people and programs write it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Arrival => "arrival",
            Self::Drawn | Self::DrawnBy(_) => "drawn",
        }
    }

    /// Where the public value comes from.
    #[must_use]
    pub fn source(&self) -> Option<&str> {
        match self {
            Self::DrawnBy(source) => Some(source),
            Self::Arrival | Self::Drawn => None,
        }
    }

    /// As the script knows it: one word.
    pub(super) fn written(&self) -> String {
        let source = self.source().map(encoded);
        let source = source.map(|source| format!("~{source}"));
        format!("{}{}", self.name(), source.unwrap_or_default())
    }

    pub(super) fn read(word: &str) -> Option<Self> {
        match word {
            "arrival" => Some(Self::Arrival),
            "drawn" => Some(Self::Drawn),
            _ => {
                let source = decoded(word.strip_prefix("drawn~")?);
                // Without a name it would not be read again.
                Some(source)
                    .filter(|source| !source.is_empty())
                    .map(Self::DrawnBy)
            }
        }
    }
}

/// A text as one word.
fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

fn decoded(word: &str) -> String {
    let mut pairs = form_urlencoded::parse(word.as_bytes());
    pairs
        .next()
        .map_or_else(String::new, |(text, _)| text.into_owned())
}

impl TryFrom<String> for Event {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::read(&text).ok_or("no event")
    }
}

words! {
    /// Where an event stands.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Phase {
        /// No number is drawn yet.
        Before = "before",
        /// Numbers are drawn, and the cursor stands.
        Prequeue = "prequeue",
        /// It has opened, and the order by lot is not decided yet: the cursor stands.
        Drawing = "drawing",
        /// The line moves.
        Open = "open",
        /// No number is drawn, and no new visitor goes in.
        Over = "over",
        /// It is before its pre-queue or after its end, and the room goes on without it.
        Outside = "outside",
        /// Numbers are drawn, and no new visitor goes in until its end.
        Maintenance = "maintenance",
    }
}

impl Phase {
    /// Whether it has begun and not ended.
    #[must_use]
    pub fn runs(self) -> bool {
        matches!(
            self,
            Self::Prequeue | Self::Drawing | Self::Open | Self::Maintenance
        )
    }

    /// Whether visitors draw or drew for the event: from its pre-queue on, unless the room goes on without it.
    #[must_use]
    pub fn has_begun(self) -> bool {
        matches!(
            self,
            Self::Prequeue | Self::Drawing | Self::Open | Self::Over
        )
    }

    /// Whether visitors may go in, as far as the event says.
    #[must_use]
    pub fn lets_in(self) -> bool {
        matches!(self, Self::Open | Self::Outside)
    }
}

impl Event {
    /// The mode of the room in this phase, where an operator has set `mode`. Before an event that closes the room no POP asks the
    /// store, so no mode opens it; later an operator who opens or closes it means it, whatever the time is.
    #[must_use]
    pub fn bounds(&self, phase: Phase, mode: Mode) -> Mode {
        match (phase, mode) {
            (Phase::Before, _) | (Phase::Over, Mode::Automatic | Mode::Hold) => Mode::Closed,
            (Phase::Prequeue | Phase::Drawing | Phase::Maintenance, Mode::Automatic) => Mode::Hold,
            (Phase::Outside, Mode::Automatic) if self.outside != Mode::Closed => self.outside,
            (_, mode) => mode,
        }
    }

    /// Where it stands at a time, as far as the schedule says: whether the order by lot is decided the line knows.
    #[must_use]
    pub fn phase(&self, now_ms: u64) -> Phase {
        let is_beside = self.outside != Mode::Closed;
        if self.is_over(now_ms) && (is_beside || self.then.is_some()) {
            Phase::Outside
        } else if self.is_over(now_ms) {
            Phase::Over
        } else if now_ms >= self.opens_ms && !self.admits {
            Phase::Maintenance
        } else if now_ms >= self.opens_ms {
            Phase::Open
        } else if now_ms >= self.prequeue_ms {
            Phase::Prequeue
        } else if is_beside {
            Phase::Outside
        } else {
            Phase::Before
        }
    }

    /// As the script receives it: `id:prequeue:opens:closes:order`, and `:name=value` of all that is not as usual.
    #[must_use]
    pub fn written(&self) -> String {
        let (id, closes_ms) = (&self.id, self.closes_ms.unwrap_or(0));
        let (prequeue_ms, opens_ms, order) =
            (self.prequeue_ms, self.opens_ms, self.order.written());
        let With { pace, cap, message } = &self.with;
        let is_beside = self.outside != Mode::Closed;
        let more = [
            ("outside", is_beside.then(|| self.outside.name().to_owned())),
            ("after", self.then.map(|mode| mode.name().to_owned())),
            ("admits", (!self.admits).then(|| "none".to_owned())),
            ("inside", (!self.keeps_inside).then(|| "ends".to_owned())),
            (
                "pace",
                pace.map(|pace| format!("{},{}", pace.automatic, pace.quantity)),
            ),
            ("cap", cap.map(|cap| cap.written().replace(' ', ","))),
            ("message", message.as_deref().map(encoded)),
        ];
        let written = format!("{id}:{prequeue_ms}:{opens_ms}:{closes_ms}:{order}");
        let more = more
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)));
        more.fold(written, |text, (name, value)| {
            format!("{text}:{name}={value}")
        })
    }

    /// Reads what [`Event::written`] wrote.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut words = text.split(':');
        let id = words.next()?;
        let times: Vec<&str> = words.by_ref().take(3).collect();
        let [prequeue_ms, opens_ms, closes_ms] = numbers(&times.join(" "))?;
        let order = Order::read(words.next()?)?;
        let mut event = Self {
            closes_ms: Some(closes_ms).filter(|closes_ms| *closes_ms > 0),
            prequeue_ms,
            order,
            ..Self::new(id, opens_ms)
        };
        for word in words {
            match word.split_once('=')? {
                ("outside", name) => event.outside = Self::outside_named(name)?,
                ("after", name) => event.then = Some(Mode::named(name)?),
                ("admits", "none") => event.admits = false,
                ("inside", "ends") => event.keeps_inside = false,
                ("pace", pace) => {
                    let [automatic, quantity] = numbers(&pace.replace(',', " "))?;
                    event.with.pace = Some(Pace {
                        automatic,
                        quantity,
                    });
                }
                ("cap", cap) => event.with.cap = Some(Cap::read(&cap.replace(',', " "))?),
                ("message", word) => event.with.message = Some(decoded(word)),
                _ => return None,
            }
        }
        Some(event)
    }

    /// An event that opens then, without a pre-queue and without an end, and is otherwise as usual.
    #[must_use]
    pub fn new(id: &str, opens_ms: u64) -> Self {
        Self {
            id: id.to_owned(),
            prequeue_ms: opens_ms,
            opens_ms,
            closes_ms: None,
            order: Order::Arrival,
            outside: Mode::Closed,
            then: None,
            admits: true,
            keeps_inside: true,
            with: With::default(),
        }
    }

    /// Whether it brings a setting of this name: `pace`, `cap` or `message`.
    #[must_use]
    pub fn brings(&self, name: &str) -> bool {
        match name {
            "pace" => self.with.pace.is_some(),
            "cap" => self.with.cap.is_some(),
            "message" => self.with.message.is_some(),
            _ => false,
        }
    }

    /// What may be outside of it, by its name.
    #[must_use]
    pub fn outside_named(name: &str) -> Option<Mode> {
        let modes = [Mode::Closed, Mode::Automatic, Mode::Open];
        modes.into_iter().find(|mode| mode.name() == name)
    }

    /// Whether it has ended.
    #[must_use]
    pub fn is_over(&self, now_ms: u64) -> bool {
        self.closes_ms.is_some_and(|closes_ms| now_ms >= closes_ms)
    }

    /// The event whose time it is, of events in the order of their times: the first that is not over, else the last.
    #[must_use]
    pub fn of(events: &[Self], now_ms: u64) -> Option<&Self> {
        let running = events.iter().find(|event| !event.is_over(now_ms));
        running.or(events.last())
    }
}

/// The events of a room, and what decides their orders by lot.
#[derive(Clone, Copy)]
pub struct Schedule<'a> {
    /// In the order of their times.
    pub events: &'a [Event],
    /// The secrets.
    pub secrets: &'a dyn DrawSecrets,
}

impl Schedule<'_> {
    /// No events.
    pub const NONE: Self = Self {
        events: &[],
        secrets: &NoSecrets,
    };
}

/// What a visitor reads of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outlook {
    /// Where it stands.
    pub phase: Phase,
    /// When numbers are drawn, visitors go in, and it ends; in milliseconds since 1970.
    pub times: (u64, u64, Option<u64>),
    /// In which order visitors of the pre-queue go in: by arrival, or drawn.
    pub order: &'static str,
    /// Whether visitors go in after its end too.
    pub goes_on: bool,
    /// The time by the clock of the POP.
    pub now_ms: u64,
}

impl Outlook {
    /// Of an event in this phase.
    #[must_use]
    pub fn new(event: &Event, phase: Phase, now_ms: u64) -> Self {
        Self {
            phase,
            times: (event.prequeue_ms, event.opens_ms, event.closes_ms),
            order: event.order.name(),
            goes_on: event.then.unwrap_or(event.outside).lets_in(),
            now_ms,
        }
    }

    /// Seconds until numbers are drawn.
    #[must_use]
    pub fn prequeue_in(&self) -> u64 {
        self.times.0.saturating_sub(self.now_ms).div_ceil(1000)
    }

    /// Seconds until visitors go in.
    #[must_use]
    pub fn opens_in(&self) -> u64 {
        self.times.1.saturating_sub(self.now_ms).div_ceil(1000)
    }

    /// Seconds until the event ends; nothing where it has no end.
    #[must_use]
    pub fn closes_in(&self) -> Option<u64> {
        let closes_ms = self.times.2?;
        Some(closes_ms.saturating_sub(self.now_ms).div_ceil(1000))
    }

    /// When the last visitor goes in, in milliseconds since 1970; nothing where visitors go in after it too.
    #[must_use]
    pub fn last_ms(&self) -> Option<u64> {
        self.times.2.filter(|_| !self.goes_on)
    }

    /// Whether a visitor who waits for so long comes too late.
    #[must_use]
    pub fn is_too_late(&self, wait: Option<u64>) -> bool {
        let left = self
            .last_ms()
            .map(|last_ms| last_ms.saturating_sub(self.now_ms) / 1000);
        self.phase == Phase::Open && wait.zip(left).is_some_and(|(wait, left)| wait > left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(id: &str, prequeue_ms: u64, opens_ms: u64, closes_ms: Option<u64>) -> Event {
        Event {
            prequeue_ms,
            closes_ms,
            ..Event::new(id, opens_ms)
        }
    }

    fn beside(outside: Mode) -> Event {
        Event {
            outside,
            ..event("sale", 1_000, 2_000, Some(3_000))
        }
    }

    #[test]
    fn outside_of_its_time_an_event_may_leave_the_room_as_it_is() {
        let phases =
            |outside| [999, 1_000, 2_000, 3_000].map(|now_ms| beside(outside).phase(now_ms));
        let within = [Phase::Prequeue, Phase::Open];
        assert_eq!(
            phases(Mode::Closed),
            [Phase::Before, within[0], within[1], Phase::Over]
        );
        for outside in [Mode::Automatic, Mode::Open] {
            assert_eq!(
                phases(outside),
                [Phase::Outside, within[0], within[1], Phase::Outside]
            );
            let all = Mode::ALL.map(|(_, mode)| beside(outside).bounds(Phase::Outside, mode));
            assert_eq!(all, [outside, Mode::Hold, Mode::Open, Mode::Closed]);
        }
    }

    #[test]
    fn nobody_comes_too_late_where_visitors_go_in_after_the_event_too() {
        let closed = (Mode::Closed, None);
        for ((outside, then), is_too_late) in [
            (closed, true),
            ((Mode::Closed, Some(Mode::Hold)), true),
            ((Mode::Closed, Some(Mode::Automatic)), false),
            ((Mode::Automatic, None), false),
            ((Mode::Automatic, Some(Mode::Closed)), true),
        ] {
            let event = Event {
                then,
                ..beside(outside)
            };
            let outlook = Outlook::new(&event, Phase::Open, 2_000);
            assert_eq!(outlook.is_too_late(Some(2)), is_too_late, "{event:?}");
            assert!(!outlook.is_too_late(Some(1)));
            assert_eq!(outlook.last_ms().is_some(), is_too_late);
        }
    }

    #[test]
    fn an_event_is_read_as_it_was_written() {
        for (outside, text) in [
            (Mode::Closed, "sale:1000:2000:3000:arrival"),
            (
                Mode::Automatic,
                "sale:1000:2000:3000:arrival:outside=automatic",
            ),
            (Mode::Open, "sale:1000:2000:3000:arrival:outside=open"),
        ] {
            assert_eq!(beside(outside).written(), text);
            assert_eq!(Event::read(text), Some(beside(outside)));
        }
        let whole = Event {
            admits: false,
            then: Some(Mode::Hold),
            keeps_inside: false,
            with: With {
                pace: Some(Pace {
                    automatic: 60,
                    quantity: 200,
                }),
                cap: Some(Cap::default()),
                message: Some("Soon: 8=9, \u{fc}ber & 100 %".to_owned()),
            },
            ..beside(Mode::Automatic)
        };
        assert_eq!(
            whole.written(),
            "sale:1000:2000:3000:arrival:outside=automatic:after=hold:admits=none:inside=ends:pace=60,200:cap=0,20,60,on:message=Soon%3A+8%3D9%2C+%C3%BCber+%26+100+%25"
        );
        assert_eq!(Event::read(&whole.written()), Some(whole));
        for garbled in [
            "sale:1:2:3:arrival:outside=hold",
            "sale:1:2:3:arrival:admits=all",
            "sale:1:2:3:arrival:",
            "sale:1:2:3:arrival:outside=open:x",
            "sale:1:2:3:arrival:then=open",
            "sale:1:2:3:arrival:pace=1",
            "sale:1:2:3:arrival:cap=1,2",
        ] {
            assert_eq!(Event::read(garbled), None, "{garbled}");
        }
    }

    #[test]
    fn each_phase_begins_with_its_first_millisecond() {
        let sale = event("sale", 1_000, 2_000, Some(3_000));
        let phases = [0, 999, 1_000, 1_999, 2_000, 2_999, 3_000, u64::MAX];
        let expected = [
            Phase::Before,
            Phase::Before,
            Phase::Prequeue,
            Phase::Prequeue,
            Phase::Open,
            Phase::Open,
            Phase::Over,
            Phase::Over,
        ];
        assert_eq!(phases.map(|now_ms| sale.phase(now_ms)), expected);
    }

    #[test]
    fn an_event_without_a_prequeue_opens_at_once_and_one_without_an_end_stays_open() {
        let sale = event("sale", 2_000, 2_000, None);
        let phases = [1_999, 2_000, u64::MAX].map(|now_ms| sale.phase(now_ms));
        assert_eq!(phases, [Phase::Before, Phase::Open, Phase::Open]);
    }

    #[test]
    fn of_several_events_the_first_that_is_not_over_counts_and_at_the_end_the_last() {
        let events = [
            event("one", 1_000, 2_000, Some(3_000)),
            event("two", 3_000, 4_000, Some(5_000)),
        ];
        let id = |now_ms| Event::of(&events, now_ms).map(|event| event.id.as_str());
        let ids = [0, 2_999, 3_000, 4_999, 5_000].map(id);
        assert_eq!(ids, ["one", "one", "two", "two", "two"].map(Some));
        assert_eq!(Event::of(&[], 0), None);
    }

    #[test]
    fn a_phase_bounds_the_mode_unless_an_operator_opened_or_closed_the_room() {
        let all = Mode::ALL.map(|(_, mode)| mode);
        let [automatic, hold, open, closed] = all;
        for (phase, modes) in [
            (Phase::Before, [closed, closed, closed, closed]),
            (Phase::Prequeue, [hold, hold, open, closed]),
            (Phase::Drawing, [hold, hold, open, closed]),
            (Phase::Open, [automatic, hold, open, closed]),
            (Phase::Over, [closed, closed, open, closed]),
        ] {
            let bounds = |mode| beside(Mode::Closed).bounds(phase, mode);
            assert_eq!(all.map(bounds), modes, "{phase:?}");
        }
    }

    #[test]
    fn an_order_is_one_word_whatever_its_source_is_called() {
        for (order, word) in [
            (Order::Arrival, "arrival"),
            (Order::Drawn, "drawn"),
            (
                Order::DrawnBy("beacon 47:11, é".into()),
                "drawn~beacon+47%3A11%2C+%C3%A9",
            ),
        ] {
            assert_eq!(order.written(), word);
            assert_eq!(Order::read(word), Some(order));
        }
        assert_eq!(Order::read("drawn~"), None);
    }

    #[test]
    fn a_visitor_is_told_the_time_that_is_left() {
        let sale = event("sale", 10_000, 20_000, Some(90_000));
        let outlook = |now_ms| Outlook::new(&sale, sale.phase(now_ms), now_ms);
        let left = [0, 1, 9_999, 10_000, 20_000].map(|now_ms| {
            let outlook = outlook(now_ms);
            (outlook.prequeue_in(), outlook.opens_in())
        });
        assert_eq!(left, [(10, 20), (10, 20), (1, 11), (0, 10), (0, 0)]);
        let late = [None, Some(60), Some(61)].map(|wait| outlook(30_000).is_too_late(wait));
        assert_eq!(late, [false, false, true]);
        assert!(
            !outlook(19_999).is_too_late(Some(u64::MAX)),
            "nothing is measured yet"
        );
        let endless = Outlook::new(&event("sale", 0, 0, None), Phase::Open, 5);
        assert!(!endless.is_too_late(Some(u64::MAX)));
    }
}
