//! How an event begins in the model.

use super::changes::set_now;
use super::journal::{NOBODY, word};
use super::{Call, Model, Outcome};
use crate::queue::{
    Begun, DrawSecrets, Event, EventList, EventSign, LotNews, Mode, Order, Phase, Schedule,
};

/// The secrets of a model.
struct Entries(fn(&str, u64) -> Vec<String>);

impl DrawSecrets for Entries {
    fn secrets(&self, _room: &str, (event, opens_ms): (&str, u64)) -> Vec<String> {
        self.0(event, opens_ms)
    }
}

impl Model {
    /// The same line with these secrets of each event: the first is committed to.
    #[must_use]
    pub fn with_secrets(self, secrets: fn(&str, u64) -> Vec<String>) -> Self {
        Self { secrets, ..self }
    }

    /// The same line with these events, in the order of their times.
    #[must_use]
    pub fn with_events(self, events: Vec<Event>) -> Self {
        Self { events, ..self }
    }

    /// What an operator set, else what is configured.
    pub(super) fn events(&self) -> &[Event] {
        self.sign.live.events(&self.events)
    }

    /// An operator sets the events, or takes them back.
    pub fn set_events(&mut self, events: Option<EventList>, call: Call<'_>) -> Outcome {
        let mut refused = self.clone();
        refused.begin(call);
        let listed = events.iter().flat_map(|list| &list.0);
        let begun = refused.sign.begun.as_ref();
        let is_spent = |event| begun.is_some_and(|begun| begun.is_spent_by(event));
        if listed.into_iter().any(is_spent) {
            return Outcome::NotAdmitting(refused.sign);
        }
        let given = events.as_ref().map_or(&self.events, |list| &list.0);
        let given = Event::of(given, call.now_ms);
        let entries = Entries(self.secrets);
        let given = given.and_then(|event| {
            let opens = (event.id.as_str(), event.opens_ms);
            self.schedule(&entries).committed("", opens, &event.order)
        });
        self.put_events(events, given.map(LotNews::Commitment), call)
    }

    /// The event that is open is over from now on.
    pub fn sell_out(&mut self, call: Call<'_>) -> Outcome {
        let mut seen = self.clone();
        seen.begin(call);
        match EventList::sold_out(seen.events(), call.now_ms) {
            Some(events) => self.put_events(Some(events), None, call),
            None => Outcome::NotAdmitting(seen.sign),
        }
    }

    /// The commitment that comes along is for the event that begins by this.
    fn put_events(
        &mut self,
        events: Option<EventList>,
        given: Option<LotNews>,
        call: Call<'_>,
    ) -> Outcome {
        let (sign, released) = self.verb(call, |line, before| {
            // What the line missed before this event is not made up for.
            if line.scheduled_mode(call.now_ms) != Mode::Automatic {
                line.anchor_ms = call.now_ms;
            }
            let what = events
                .as_ref()
                .map_or(NOBODY.to_owned(), EventList::written);
            line.note_change(&format!("event:{what}"), call.now_ms);
            line.sign.live.events = events;
            line.sign.live.version += 1;
            set_now(&mut line.sign.live.set_at.event, call.now_ms);
            let known = line.news(call);
            let known = known.filter(|news| given.is_none() || matches!(news, LotNews::Secret(_)));
            let news: Vec<LotNews> = given.into_iter().chain(known).collect();
            line.follow_phase(&news, call);
            line.open_period(call.now_ms, before);
            line.release(call.now_ms)
        });
        Outcome::Done(sign, released, 0)
    }

    /// What a POP brings that knows the configured events.
    fn news(&self, call: Call<'_>) -> Option<LotNews> {
        self.schedule(&Entries(self.secrets))
            .news("", call.known, call.now_ms)
    }

    fn schedule<'a>(&'a self, secrets: &'a Entries) -> Schedule<'a> {
        Schedule {
            events: &self.events,
            secrets,
        }
    }

    /// The mode that an operator set, as the phase of an event bounds it.
    pub(super) fn scheduled_mode(&self, now_ms: u64) -> Mode {
        let (event, mode) = (Event::of(self.events(), now_ms), self.sign.live.mode);
        event.map_or(mode, |event| self.phase(event, now_ms).bounds(mode))
    }

    /// Where an event stands, by the schedule and by what the line knows of its order.
    pub(super) fn phase(&self, event: &Event, now_ms: u64) -> Phase {
        let begun = self.sign.begun.as_ref();
        let is_undecided = begun.is_some_and(|begun| begun.id == event.id && begun.is_undecided());
        match event.phase(now_ms) {
            Phase::Open if is_undecided => Phase::Drawing,
            phase => phase,
        }
    }

    pub(super) fn show_event(&mut self, now_ms: u64) {
        let event = Event::of(self.events(), now_ms);
        self.sign.event = event.map(|event| EventSign {
            event: Event {
                order: event.order_in(self.sign.begun.as_ref()),
                ..event.clone()
            },
            phase: self.phase(event, now_ms),
            told_ms: now_ms,
        });
    }

    pub(super) fn begin_event(&mut self, call: Call<'_>) {
        let news: Vec<LotNews> = self.news(call).into_iter().collect();
        self.follow_phase(&news, call);
    }

    /// The first verb in the pre-queue or after it begins the event: every ticket so far ends, unless the store may just have
    /// lost the data.
    fn follow_phase(&mut self, news: &[LotNews], call: Call<'_>) {
        let event = Event::of(self.events(), call.now_ms).cloned();
        let phase = event.as_ref().map(|event| event.phase(call.now_ms));
        let (Some(event), Some(phase @ (Phase::Prequeue | Phase::Open))) = (event, phase) else {
            return;
        };
        if event.begins_after(self.sign.begun.as_ref()) {
            if !self.is_young(call.now_ms) {
                self.end_tickets(call.now_ms);
            }
            self.sign.begun = Some(Begun {
                id: event.id.clone(),
                opens_ms: event.opens_ms,
                base: self.sign.length,
                drawn: None,
                order: event.order.clone(),
                commitment: None,
                lot: None,
            });
            let what = format!("{}:{}:{}", event.id, event.opens_ms, event.order.written());
            let nobody = ("event", NOBODY);
            self.note(nobody, NOBODY, &word(&what), call.now_ms);
        }
        self.follow_event(&event, phase, news, call.now_ms);
        for news in news {
            if let LotNews::Secret(reveal) = news
                && self.is_decided_by(&Order::Drawn)
            {
                self.decide((NOBODY, Some(reveal)), "", call.now_ms);
            }
        }
    }

    /// The secret is committed to while it is not known how many numbers it puts in order. They are counted once the event has
    /// opened and the data are old: no copy comes any more that knows of others.
    fn follow_event(&mut self, event: &Event, phase: Phase, news: &[LotNews], now_ms: u64) {
        let is_young = self.is_young(now_ms);
        let sign = &mut self.sign;
        let Some(begun) = sign.begun.as_mut().filter(|begun| begun.id == event.id) else {
            return;
        };
        for news in news {
            let event = format!("{} {} ", begun.id, begun.opens_ms);
            if let LotNews::Commitment(text) = news
                && let Some(commitment) = text.strip_prefix(&event)
                && begun.order.is_drawn()
                && begun.drawn.is_none()
            {
                begun.commitment.get_or_insert(commitment.to_owned());
            }
        }
        begun.call(sign.cursor.0);
        if phase == Phase::Open {
            // What was missed before it opened is not made up for.
            self.anchor_ms = self.anchor_ms.max(event.opens_ms);
            if begun.drawn.is_none() && !is_young {
                let drawn = sign.length.saturating_sub(begun.base);
                begun.drawn = Some(drawn);
                let what = word(&format!("{}:{}:{drawn}", begun.id, begun.base));
                self.note(("seal", NOBODY), NOBODY, &what, now_ms);
            }
        }
    }
}
