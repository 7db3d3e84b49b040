//! The panel with each kind of line.

use now_serving::http::Reply;
use now_serving::operator::verbs;
use now_serving::page::{self, Away, BoardSeen, Configured, PanelView, Span};
use now_serving::queue::{
    Absent, AbsentVisitors, Action, Answers, Board, Bound, Cap, Cell, Counts, CurrentEvent, Event,
    EventList, Explained, Groups, History, InvitedVisitors, Live, Measured, Mode, Order,
    OriginHealth, OriginState, Pace, PanelSnapshot, Phase, Provenance, Released, Sample, Sessions,
    Sickness, Stretch, Waits, WatchedOrigin, With,
};

use super::PATH;

const MINUTE_MS: u64 = 60_000;

/// A line as the panel shows it.
pub struct Line {
    /// In addresses.
    pub name: &'static str,
    /// Over its frames.
    pub title: &'static str,
    history: Lately,
    /// What is special about it now.
    turned: fn(&mut PanelSnapshot, u64),
}

/// How a minute ended, with sums since the line began.
#[derive(Clone, Copy)]
struct Ended {
    minute: u64,
    waiting: u64,
    drawn: u64,
    admitted: u64,
}

/// What the last hour was.
#[derive(Clone, Copy)]
enum Lately {
    Nothing,
    /// More visitors come than go in: in its last minutes only this many in each.
    Busy {
        minutes: u64,
        admitted: u64,
    },
}

const GROWING: Lately = Lately::Busy {
    minutes: 0,
    admitted: 0,
};

/// All of them.
pub const LINES: &[Line] = &[
    Line {
        name: "empty",
        title: "An empty line",
        history: Lately::Nothing,
        turned: |_, _| {},
    },
    Line {
        name: "growing",
        title: "A growing line",
        history: GROWING,
        turned: |_, _| {},
    },
    Line {
        name: "rush",
        title: "A rush",
        history: GROWING,
        turned: |snapshot, _| crowd(snapshot, 300),
    },
    Line {
        name: "hold",
        title: "A line on hold",
        history: Lately::Busy {
            minutes: 6,
            admitted: 0,
        },
        turned: |snapshot, now_ms| hold(snapshot, 6, now_ms),
    },
    Line {
        name: "forgotten",
        title: "A hold that was forgotten",
        history: Lately::Busy {
            minutes: 38,
            admitted: 0,
        },
        turned: |snapshot, now_ms| hold(snapshot, 38, now_ms),
    },
    Line {
        name: "cap",
        title: "A full cap",
        history: Lately::Busy {
            minutes: 14,
            admitted: 8,
        },
        turned: fill,
    },
    Line {
        name: "sick",
        title: "A sick origin",
        history: Lately::Busy {
            minutes: 3,
            admitted: 0,
        },
        turned: sicken,
    },
    Line {
        name: AWAY,
        title: "A store that is away",
        history: GROWING,
        turned: |_, _| {},
    },
    Line {
        name: "before",
        title: "An event before it opens",
        history: Lately::Nothing,
        turned: |snapshot, now_ms| begin(snapshot, now_ms + 20 * MINUTE_MS, Phase::Before, now_ms),
    },
    Line {
        name: "lot",
        title: "A lot that is awaited",
        history: Lately::Busy {
            minutes: MINUTES,
            admitted: 0,
        },
        turned: |snapshot, now_ms| begin(snapshot, now_ms - 7 * MINUTE_MS, Phase::Drawing, now_ms),
    },
    Line {
        name: ROOMS,
        title: "Several rooms",
        history: GROWING,
        turned: |_, _| {},
    },
];

const AWAY: &str = "away";
const ROOMS: &str = "rooms";

/// Five visitors every ten seconds.
const PACE: Pace = Pace {
    automatic: 10,
    quantity: 5,
};
const ADMITTED_A_MINUTE: u64 = 30;
const MOST_INSIDE: u64 = 160;

/// The hour in which it all happened.
const MINUTES: u64 = 55;

impl Lately {
    /// How many visitors came by the end of that minute. Some minutes are busier than others.
    fn drawn(self, minute: u64) -> u64 {
        let many = |minute: u64| 22 + minute * 7 % 13 + minute / 4;
        match self {
            Self::Nothing => 0,
            Self::Busy { .. } => (1..=minute).map(many).sum(),
        }
    }

    fn admitted(self, minute: u64) -> u64 {
        let Self::Busy { minutes, admitted } = self else {
            return 0;
        };
        let slow_from = MINUTES - minutes;
        (1..=minute).fold(0, |all, minute| {
            let go = if minute > slow_from {
                admitted
            } else {
                ADMITTED_A_MINUTE
            };
            self.drawn(minute).min(all + go)
        })
    }

    fn sample(self, minute: u64, now_ms: u64) -> Ended {
        let (drawn, admitted) = (self.drawn(minute), self.admitted(minute));
        Ended {
            minute: (now_ms / MINUTE_MS).saturating_sub(MINUTES - minute),
            waiting: drawn - admitted,
            drawn,
            admitted,
        }
    }

    /// The minute under way, as far as it has come.
    fn now(self, now_ms: u64) -> Ended {
        let before = self.sample(MINUTES - 1, now_ms);
        let end = self.sample(MINUTES, now_ms);
        let part =
            |before: u64, end: u64| before + (end - before) * (now_ms % MINUTE_MS) / MINUTE_MS;
        let drawn = part(before.drawn, end.drawn);
        let admitted = part(before.admitted, end.admitted);
        Ended {
            waiting: drawn - admitted,
            drawn,
            admitted,
            ..end
        }
    }

    /// When visitors went in last.
    fn moved_ms(self, now_ms: u64) -> u64 {
        now_ms.saturating_sub(match self {
            Self::Busy {
                minutes,
                admitted: 0,
            } if minutes > 0 => minutes * MINUTE_MS,
            Self::Nothing | Self::Busy { .. } => 4_000,
        })
    }

    /// What happened in each minute.
    fn told(self, now_ms: u64) -> History {
        let minutes = match self {
            Self::Nothing => 0..0,
            Self::Busy { .. } => 1..MINUTES,
        };
        let mut before = self.sample(0, now_ms);
        let mut sample = |end: Ended| {
            let sample = Sample {
                at: end.minute,
                waiting: end.waiting,
                drawn: end.drawn - before.drawn,
                released: end.admitted - before.admitted,
                came: end.admitted - before.admitted,
                ..Sample::default()
            };
            before = end;
            sample
        };
        let mut minutes: Vec<Sample> = minutes
            .map(|minute| sample(self.sample(minute, now_ms)))
            .collect();
        let end_of_hour = self.admitted(MINUTES);
        let now = sample(self.now(now_ms));
        minutes.reverse();
        let mut counts = Counts::default();
        // Nobody waited to the end where nobody went in.
        if end_of_hour > 0 {
            let mut waits = Waits::default();
            for minute in 1..=20 {
                waits.waited.add(minute * 24);
                waits.told.add(minute * 20);
            }
            counts.waits = vec![("main".to_owned(), waits)];
        }
        History {
            now,
            minutes,
            counts,
            ..History::default()
        }
    }

    /// The latest first.
    fn actions(self, now_ms: u64) -> Vec<Action> {
        let message = action("message", "All sizes are in stock again.", ago(40, now_ms));
        let pace = Action {
            second: PACE.quantity.to_string(),
            ..action("pace", &PACE.automatic.to_string(), ago(48, now_ms))
        };
        match self {
            Self::Nothing => Vec::new(),
            Self::Busy { .. } => vec![message, pace],
        }
    }
}

fn ago(minutes: u64, now_ms: u64) -> Provenance {
    Provenance {
        at_ms: now_ms.saturating_sub(minutes * MINUTE_MS),
        by: Some("anna".to_owned()),
    }
}

fn action(verb: &str, value: &str, set: Provenance) -> Action {
    Action {
        set,
        address: "192.0.2.7".to_owned(),
        verb: verb.to_owned(),
        number: 0,
        value: value.to_owned(),
        second: String::new(),
    }
}

/// So many have come at once.
fn crowd(snapshot: &mut PanelSnapshot, many: u64) {
    snapshot.history.now.drawn += many;
    snapshot.history.now.waiting += many;
    for roll in &mut snapshot.board.rolls {
        roll.drawn += many;
    }
}

fn hold(snapshot: &mut PanelSnapshot, minutes: u64, now_ms: u64) {
    snapshot.board.live.mode = Mode::Hold;
    snapshot.limits.bound_by = Bound::Mode;
    snapshot.mode = Some(ago(minutes, now_ms));
    snapshot
        .actions
        .insert(0, action("mode", "hold", ago(minutes, now_ms)));
}

/// An operator has lowered the cap, and more come than leave.
fn fill(snapshot: &mut PanelSnapshot, now_ms: u64) {
    let cap = Cap {
        total_active: MOST_INSIDE,
        ..Cap::default()
    };
    snapshot.board.live.cap = Some(cap);
    // As many visits end in each minute.
    let minutes = cap.session_minutes;
    let until = |minute: u64| (MOST_INSIDE - 3) * minute / minutes;
    let cells = (1..=minutes).map(|minute| Cell {
        end: now_ms / MINUTE_MS + minute,
        many: until(minute) - until(minute - 1),
    });
    snapshot.board.sessions = Some(Sessions {
        total_active: MOST_INSIDE,
        minutes,
        promised: 3,
        cells: cells.collect(),
        ..Sessions::default()
    });
    snapshot.limits.bound_by = Bound::Slots;
    if let Some(last) = &mut snapshot.limits.last {
        (last.released, last.slots, last.bound_by) = (2, Some(2), Bound::Slots);
    }
    snapshot.cap = Some(ago(14, now_ms));
    snapshot
        .actions
        .insert(0, action("cap", &cap.written(), ago(14, now_ms)));
}

fn sicken(snapshot: &mut PanelSnapshot, now_ms: u64) {
    let until_ms = now_ms + 40_000;
    let answers = Answers {
        ok: 4,
        late: 9,
        bad: 21,
    };
    snapshot.board.origin = Some(WatchedOrigin {
        holds: true,
        cuts: 0,
        is_cut: false,
        is_slowed: false,
    });
    snapshot.origin.health.sick_until_ms = until_ms;
    snapshot.origin.last = Some(Sickness {
        at_ms: now_ms - 3 * MINUTE_MS,
        until_ms,
        answers,
    });
    snapshot.limits.bound_by = Bound::Origin;
}

fn begin(snapshot: &mut PanelSnapshot, opens_ms: u64, phase: Phase, now_ms: u64) {
    let event = Event {
        prequeue_ms: opens_ms - 10 * MINUTE_MS,
        closes_ms: Some(opens_ms + 240 * MINUTE_MS),
        order: Order::DrawnBy("the six numbers of the state lottery".to_owned()),
        with: With {
            pace: Some(Pace {
                automatic: 60,
                quantity: 200,
            }),
            ..With::default()
        },
        ..Event::new("drop-12", opens_ms)
    };
    snapshot.board.live.events = Some(EventList(vec![event.clone()]));
    snapshot.board.event = Some(CurrentEvent {
        event,
        phase,
        told_ms: now_ms,
    });
    snapshot.limits.bound_by = Bound::Event;
    snapshot.limits.last = None;
    snapshot.actions.clear();
}

fn board(history: Lately, now: Ended, now_ms: u64) -> Board {
    let measured = Measured {
        released: history.admitted(MINUTES) - history.admitted(MINUTES - 10),
        took_ms: 10 * MINUTE_MS,
        moved_ms: history.moved_ms(now_ms),
        step_ms: PACE.automatic * 1000,
    };
    Board {
        epoch: 1,
        rolls: vec![Stretch::new(now_ms, now.admitted, now.drawn)],
        measured: (now.admitted > 0).then_some(measured),
        pops: Some(3),
        live: Live {
            pace: PACE,
            message: (now.drawn > 0).then(|| "All sizes are in stock again.".to_owned()),
            version: 3,
            ..Live::default()
        },
        ..Board::default()
    }
}

fn limits(history: Lately, now_ms: u64) -> Explained {
    let released = Released {
        at_ms: history.moved_ms(now_ms),
        released: PACE.quantity,
        pace: PACE.quantity,
        slots: None,
        bound_by: Bound::Pace,
    };
    let (bound_by, last) = match history {
        Lately::Nothing => (Bound::Waiting, None),
        Lately::Busy { .. } => (Bound::Pace, Some(released)),
    };
    Explained {
        bound_by,
        last,
        recount_ms: None,
    }
}

fn snapshot(line: &Line, now_ms: u64) -> PanelSnapshot {
    let history = line.history;
    let now = history.now(now_ms);
    let actions = history.actions(now_ms);
    let set = |verb: &str| {
        let found = actions.iter().find(|action| action.verb == verb);
        found.map(|action| action.set.clone())
    };
    let mut snapshot = PanelSnapshot {
        board: board(history, now, now_ms),
        absent: Absent {
            share: (now.admitted > 0).then_some(62),
            may_come: now.admitted.min(4),
        },
        origin: OriginState::default(),
        invited: InvitedVisitors::default(),
        limits: limits(history, now_ms),
        mode: None,
        pace: set("pace"),
        message: set("message"),
        cap: None,
        event: None,
        stock: None,
        history: history.told(now_ms),
        actions,
    };
    (line.turned)(&mut snapshot, now_ms);
    snapshot
}

/// The panel; nothing for a line that there is not.
pub(super) fn panel(name: &str, now_ms: u64) -> Option<Reply> {
    let line = LINES.iter().find(|known| known.name == name)?;
    let snapshot = snapshot(line, now_ms);
    let path = format!("{PATH}/panel/{name}");
    let [presale, returns] = ["empty", "hold"].map(|name| format!("{PATH}/panel/{name}"));
    let rooms = [
        ("main", &path),
        ("presale", &presale),
        ("returns", &returns),
    ];
    let rooms = rooms.map(|(name, path)| (name, path.as_str())).to_vec();
    let configured = Configured {
        rooms: if name == ROOMS { rooms } else { Vec::new() },
        room: "main",
        path: &path,
        tickets: true,
        permit_max: 1_000,
        refresh_interval: 5,
        pace: PACE,
        limits_of: None,
        absent_visitors: AbsentVisitors::Observe,
        origin_health: OriginHealth::On,
        cap: Cap::default(),
        events: &[],
        invited_per_minute: 0,
        groups: &Groups::default(),
        message: None,
        short_passwords: Vec::new(),
    };
    if name == AWAY {
        return Some(page::panel_without_store(
            &configured,
            &away(&snapshot, now_ms),
        ));
    }
    let view = PanelView {
        snapshot: &snapshot,
        words: verbs::WORDS,
        copy: Some(BoardSeen {
            read_ms: now_ms.saturating_sub(700),
            is_old: false,
        }),
        operator: "anna",
        acts: true,
        ticket: None,
        news: None,
        trouble: None,
        once: "made-up",
        span: Span::default(),
        now_ms,
    };
    Some(page::panel(200, &configured, &view))
}

fn away(snapshot: &PanelSnapshot, now_ms: u64) -> Away<'_> {
    Away {
        heading: "The store does not answer: no new visitor goes in",
        why: "The store did not answer in time.",
        known: "Nothing can be read or moved.",
        see: "If it lasts, look at Upstash’s console and at the log.",
        meanwhile: "Waiting visitors keep their places, and visitors inside stay inside.",
        last: Some((&snapshot.board, now_ms - 2 * MINUTE_MS)),
        acts: true,
        unconfirmed: None,
        once: "made-up",
        now_ms,
    }
}
