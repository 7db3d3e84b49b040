//! The events: which phase it is, what comes next, and how an operator changes them.

use serde_json::Value;

use super::words::{moment, pace_words, people, set};
use super::{Configured, PanelView};
use crate::http::object::object;
use crate::page::{clock, events_json};
use crate::queue::{Board, CurrentEvent, Event, Mode, Phase, With};

/// The phase of the event whose time it is, and when the next begins.
pub(super) fn phase(board: &Board, now_ms: u64) -> Option<Value> {
    let CurrentEvent { event, phase, .. } = board.event.as_ref()?;
    let id = &event.id;
    let has_prequeue = event.prequeue_ms < event.opens_ms;
    let goes_on = board.scheduled_mode().lets_in();
    let (words, next) = match phase {
        Phase::Before if has_prequeue => (
            format!("Event {id} has not begun; its pre-queue begins at"),
            Some(event.prequeue_ms),
        ),
        Phase::Before => (
            format!("Event {id} has not begun; it opens at"),
            Some(event.opens_ms),
        ),
        Phase::Prequeue => (
            format!("Pre-queue of event {id}; it opens at"),
            Some(event.opens_ms),
        ),
        Phase::Drawing => (
            format!("Event {id} has opened, and its order by lot is not decided yet"),
            None,
        ),
        Phase::Open if event.closes_ms.is_some() => {
            (format!("Event {id} is open; it closes at"), event.closes_ms)
        }
        Phase::Open => (format!("Event {id} is open, without an end"), None),
        Phase::Over => (format!("Event {id} is over"), None),
        Phase::Maintenance => (
            format!("Maintenance {id}; visitors go in again at"),
            event.closes_ms,
        ),
        Phase::Outside if event.is_over(now_ms) && goes_on => {
            (format!("Event {id} is over, and the room goes on"), None)
        }
        Phase::Outside if event.is_over(now_ms) => (format!("Event {id} is over"), None),
        Phase::Outside if !goes_on && has_prequeue => (
            format!("The pre-queue of event {id} begins at"),
            Some(event.prequeue_ms),
        ),
        Phase::Outside if !goes_on => (format!("Event {id} opens at"), Some(event.opens_ms)),
        Phase::Outside if has_prequeue => (
            format!("The room goes on until the pre-queue of event {id}, at"),
            Some(event.prequeue_ms),
        ),
        Phase::Outside => (
            format!("The room goes on until event {id}, at"),
            Some(event.opens_ms),
        ),
    };
    // An event whose pre-queue is next opens after it.
    let opens = next.filter(|_| has_prequeue) == Some(event.prequeue_ms);
    let opens = opens.then(|| moment(event.opens_ms, now_ms));
    let at = next.map(|next_ms| moment(next_ms, now_ms));
    Some(object!({ "words": words, "at": at, "opens": opens }))
}

/// Why the mode that an operator set does not hold.
pub(super) fn bound_words(board: &Board) -> Option<&'static str> {
    let phase = board.event.as_ref()?.phase;
    let is_bound = board.scheduled_mode() != board.live.mode;
    is_bound.then_some(match phase {
        Phase::Before => "Before the event: no visitor goes in, and none draws a number",
        Phase::Prequeue => "Pre-queue: numbers are drawn, and no visitor goes in",
        Phase::Drawing => "The order is not decided: numbers are drawn, and no visitor goes in",
        Phase::Open => "Open",
        Phase::Over => "The event is over: no new visitor goes in, and none draws a number",
        Phase::Maintenance => "Maintenance: numbers are drawn, and no visitor goes in",
        Phase::Outside => "Open outside of the event: every visitor goes in",
    })
}

/// Why no visitor goes in by the mode that an operator set.
pub(super) fn shuts(board: &Board) -> &'static str {
    match board.event.as_ref().map(|event| event.phase) {
        Some(Phase::Drawing) => "the order is not decided",
        Some(Phase::Maintenance) => "a maintenance is under way",
        _ => "the event is not open",
    }
}

/// The form for the public value, where the order by lot waits for it: where that comes from, as it was announced.
pub(super) fn lot(desk: &PanelView<'_>) -> Option<Value> {
    let board = &desk.snapshot.board;
    let CurrentEvent { event, phase, .. } = board.event.as_ref()?;
    let announced = board.begun.as_ref().and_then(|begun| begun.order.source());
    let source = announced.or_else(|| event.order.source())?;
    let typed = desk.trouble.and_then(|trouble| trouble.typed("value"));
    (*phase == Phase::Drawing)
        .then(|| object!({ "source": source, "typed": typed, "kept": typed.is_some() }))
}

/// The events that hold, and the form that sets one; in the form stands what its sender just wanted, if that was refused.
pub(super) fn events(configured: &Configured<'_>, desk: &PanelView<'_>) -> Value {
    let (board, now_ms) = (&desk.snapshot.board, desk.now_ms);
    let events = board.live.events(configured.events);
    let typed = |name| desk.trouble.and_then(|trouble| trouble.typed(name));
    let shown = board.event.as_ref().map(|known| &known.event);
    let field = |name, unix_ms: Option<u64>| {
        let typed = typed(name).map(str::to_owned);
        typed.or_else(|| unix_ms.map(local)).unwrap_or_default()
    };
    let others = |out: &Event| {
        let others = events.iter().filter(|event| *event != out).cloned();
        let others = events_json(&others.collect::<Vec<_>>());
        serde_json::to_string(&others).unwrap_or_default()
    };
    let rows = events.iter().zip(1_u64..).map(|(event, place)| {
        object!({
            "place": place,
            "id": event.id.as_str(),
            "prequeue": moment(event.prequeue_ms, now_ms),
            "opens": moment(event.opens_ms, now_ms),
            "closes": event.closes_ms.map(|closes_ms| moment(closes_ms, now_ms)),
            "more": more(event, now_ms),
            "others": others(event),
            "acts": desk.acts,
            "path": configured.path,
            "once": desk.once,
            "version": board.live.version,
        })
    });
    object!({
        "list": serde_json::to_string(&events_json(events)).unwrap_or_default(),
        "rows": rows.collect::<Vec<Value>>(),
        "none": events.is_empty(),
        "differs": board.live.events.is_some(),
        "set": set(desk.snapshot.event.as_ref(), now_ms),
        "open": board.event.as_ref().is_some_and(|known| known.phase == Phase::Open),
        "kept": typed("id").is_some(),
        "id": typed("id").or(shown.map(|event| event.id.as_str())),
        "prequeue": field("prequeue", shown.map(|event| event.prequeue_ms)),
        "opens": field("opens", shown.map(|event| event.opens_ms)),
        "closes": field("closes", shown.and_then(|event| event.closes_ms)),
        "offset": typed("offset").unwrap_or("+00:00"),
    })
}

/// What an event is besides its times.
fn more(event: &Event, now_ms: u64) -> Option<String> {
    let With { pace, cap, message } = &event.with;
    let cap = cap.map(|cap| match cap.total_active {
        0 => "no cap".to_owned(),
        total => format!("a cap of {}", people(total)),
    });
    let message = message.as_ref().map(|_| "a message".to_owned());
    let brings = [pace.map(pace_words), cap, message].into_iter().flatten();
    let brings: Vec<String> = brings.collect();
    let says = |is_so: bool, words: &str| is_so.then(|| words.to_owned());
    let told = [
        says(event.is_over(now_ms), "is over"),
        says(!event.admits, "a maintenance, in which visitors wait"),
        says(event.order.is_drawn(), "by lot"),
        says(
            event.outside == Mode::Automatic,
            "the room goes on before and after it",
        ),
        says(
            event.outside == Mode::Open,
            "the room is open before and after it",
        ),
        says(!event.keeps_inside, "all tickets end at its start"),
        (!brings.is_empty()).then(|| format!("brings {}", brings.join(", "))),
        event.then.map(|mode| format!("then {}", mode.name())),
    ];
    let told: Vec<String> = told.into_iter().flatten().collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// A time in UTC, as browsers hold it in a form: without seconds where there are none.
fn local(unix_ms: u64) -> String {
    let text = format!("{}T{}", clock::day(unix_ms), clock::time(unix_ms));
    text.strip_suffix(":00").unwrap_or(&text).to_owned()
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::hour::tests::snapshot;
    use super::*;
    use crate::queue::{Cap, Order, Pace};

    const NOW_MS: u64 = 1_800_000_000_000;

    /// An event that stands there.
    pub(in crate::page::panel) fn in_phase(phase: Phase) -> CurrentEvent {
        CurrentEvent {
            event: Event {
                prequeue_ms: NOW_MS,
                order: Order::DrawnBy("a beacon".to_owned()),
                ..Event::new("sale", NOW_MS + 60_000)
            },
            phase,
            told_ms: NOW_MS,
        }
    }

    #[test]
    fn a_listed_event_says_what_it_is_besides_its_times() {
        let plain = Event::new("sale", NOW_MS);
        assert_eq!(more(&plain, NOW_MS), None);
        let sale = Event {
            closes_ms: Some(NOW_MS + 1),
            outside: Mode::Automatic,
            order: Order::Drawn,
            then: Some(Mode::Hold),
            with: With {
                pace: Some(Pace {
                    automatic: 60,
                    quantity: 200,
                }),
                cap: Some(Cap::default()),
                message: Some("Soon".to_owned()),
            },
            ..plain.clone()
        };
        let words = "by lot; the room goes on before and after it; brings 200 every 60 seconds, no cap, a message; then hold";
        assert_eq!(more(&sale, NOW_MS).as_deref(), Some(words));
        let over = format!("is over; {words}");
        assert_eq!(more(&sale, NOW_MS + 1), Some(over));
        let night = Event {
            admits: false,
            outside: Mode::Open,
            ..plain
        };
        let words = "a maintenance, in which visitors wait; the room is open before and after it";
        assert_eq!(more(&night, NOW_MS).as_deref(), Some(words));
    }

    fn told(mode: Mode, phase: Phase, closes_ms: Option<u64>) -> (String, Option<&'static str>) {
        let mut board = snapshot(&[(1, 0, 0)]).board;
        board.live.mode = mode;
        let mut event = in_phase(phase);
        event.event.closes_ms = closes_ms;
        board.event = Some(event);
        let told = super::phase(&board, NOW_MS).unwrap_or_default();
        let text = |value: Option<&Value>| {
            let text = value.and_then(Value::as_str).unwrap_or_default();
            text.to_owned()
        };
        let [at, opens] = ["at", "opens"].map(|name| text(told.pointer(&format!("/{name}/text"))));
        let words = text(told.get("words"));
        let opens = format!(", opens {opens}").repeat(usize::from(!opens.is_empty()));
        (format!("{words} {at}{opens}"), bound_words(&board))
    }

    #[test]
    fn each_phase_says_what_comes_next_and_when() {
        let closes = Some(NOW_MS + 3_600_000);
        for (phase, words) in [
            (
                Phase::Before,
                "Event sale has not begun; its pre-queue begins at 08:00:00 UTC, opens 08:01:00 UTC",
            ),
            (
                Phase::Prequeue,
                "Pre-queue of event sale; it opens at 08:01:00 UTC",
            ),
            (
                Phase::Drawing,
                "Event sale has opened, and its order by lot is not decided yet ",
            ),
            (Phase::Open, "Event sale is open; it closes at 09:00:00 UTC"),
            (Phase::Over, "Event sale is over "),
        ] {
            assert_eq!(told(Mode::Automatic, phase, closes).0, words);
        }
        let endless = told(Mode::Automatic, Phase::Open, None).0;
        assert_eq!(endless, "Event sale is open, without an end ");
    }

    #[test]
    fn a_phase_that_bounds_the_mode_takes_its_place() {
        let bound = |mode, phase| told(mode, phase, None).1.is_some();
        let [automatic, hold, open, closed] = Mode::ALL.map(|(_, mode)| mode);
        for (phase, bounds) in [
            (Phase::Before, [true, true, true, false]),
            (Phase::Prequeue, [true, false, false, false]),
            (Phase::Drawing, [true, false, false, false]),
            (Phase::Open, [false; 4]),
            (Phase::Over, [true, true, false, false]),
        ] {
            let found = [automatic, hold, open, closed].map(|mode| bound(mode, phase));
            assert_eq!(found, bounds, "{phase:?}");
        }
    }
}
