//! The panel with three kinds of line.

use now_serving::http::Reply;
use now_serving::operator::verbs;
use now_serving::page::{self, BoardSeen, Configured, PanelView};
use now_serving::queue::{
    Absent, AbsentVisitors, Action, Board, Bound, Cap, Explained, InvitedVisitors, Live, Measured,
    MinuteSample, Mode, OriginHealth, OriginState, Pace, PanelSnapshot, Provenance, Released,
    Stretch,
};

use super::PATH;

const MINUTE_MS: u64 = 60_000;

/// A line as the panel shows it.
pub struct Line {
    /// In addresses.
    pub name: &'static str,
    /// Over its frames.
    pub title: &'static str,
    history: History,
}

/// What the last hour was.
#[derive(Clone, Copy)]
enum History {
    Nothing,
    /// More visitors come than go in.
    Growing,
    /// The same, and on hold for some minutes.
    Held {
        minutes: u64,
    },
}

/// All of them.
pub const LINES: &[Line] = &[
    Line {
        name: "empty",
        title: "An empty line",
        history: History::Nothing,
    },
    Line {
        name: "growing",
        title: "A growing line",
        history: History::Growing,
    },
    Line {
        name: "hold",
        title: "A line on hold",
        history: History::Held { minutes: 6 },
    },
];

/// Five visitors every ten seconds.
const PACE: Pace = Pace {
    automatic: 10,
    quantity: 5,
};
const ADMITTED_A_MINUTE: u64 = 30;

/// The hour in which it all happened.
const MINUTES: u64 = 55;

impl History {
    /// How many visitors came by the end of that minute. Some minutes are busier than others.
    fn drawn(self, minute: u64) -> u64 {
        let many = |minute: u64| 22 + minute * 7 % 13 + minute / 4;
        match self {
            Self::Nothing => 0,
            Self::Growing | Self::Held { .. } => (1..=minute).map(many).sum(),
        }
    }

    fn admitted(self, minute: u64) -> u64 {
        let moved = match self {
            Self::Held { minutes } => minute.min(MINUTES - minutes),
            Self::Nothing | Self::Growing => minute,
        };
        let paced = (1..=moved).fold(0, |admitted, minute| {
            self.drawn(minute).min(admitted + ADMITTED_A_MINUTE)
        });
        paced.min(self.drawn(minute))
    }

    fn sample(self, minute: u64, now_ms: u64) -> MinuteSample {
        let (drawn, admitted) = (self.drawn(minute), self.admitted(minute));
        MinuteSample {
            minute: (now_ms / MINUTE_MS).saturating_sub(MINUTES - minute),
            waiting: drawn - admitted,
            drawn,
            admitted,
        }
    }

    /// The minute under way, as far as it has come.
    fn now(self, now_ms: u64) -> MinuteSample {
        let before = self.sample(MINUTES - 1, now_ms);
        let end = self.sample(MINUTES, now_ms);
        let part =
            |before: u64, end: u64| before + (end - before) * (now_ms % MINUTE_MS) / MINUTE_MS;
        let drawn = part(before.drawn, end.drawn);
        let admitted = part(before.admitted, end.admitted);
        MinuteSample {
            waiting: drawn - admitted,
            drawn,
            admitted,
            ..end
        }
    }

    /// When visitors went in last.
    fn moved_ms(self, now_ms: u64) -> u64 {
        now_ms.saturating_sub(match self {
            Self::Nothing | Self::Growing => 4_000,
            Self::Held { minutes } => minutes * MINUTE_MS,
        })
    }

    fn hour(self, now_ms: u64) -> Vec<MinuteSample> {
        let minutes = (1..MINUTES).rev();
        match self {
            Self::Nothing => Vec::new(),
            Self::Growing | Self::Held { .. } => {
                minutes.map(|minute| self.sample(minute, now_ms)).collect()
            }
        }
    }

    fn mode(self) -> Mode {
        match self {
            Self::Nothing | Self::Growing => Mode::Automatic,
            Self::Held { .. } => Mode::Hold,
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
            Self::Growing => vec![message, pace],
            Self::Held { minutes } => {
                vec![action("mode", "hold", ago(minutes, now_ms)), message, pace]
            }
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

fn board(history: History, now: MinuteSample, now_ms: u64) -> Board {
    let measured = Measured {
        released: 10 * ADMITTED_A_MINUTE,
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
            mode: history.mode(),
            pace: PACE,
            message: (now.drawn > 0).then(|| "All sizes are in stock again.".to_owned()),
            version: 3,
            ..Live::default()
        },
        ..Board::default()
    }
}

fn limits(history: History, now_ms: u64) -> Explained {
    let released = Released {
        at_ms: history.moved_ms(now_ms),
        released: PACE.quantity,
        pace: PACE.quantity,
        slots: None,
        bound_by: Bound::Pace,
    };
    match history {
        History::Nothing => Explained {
            bound_by: Bound::Waiting,
            last: None,
            recount_ms: None,
        },
        History::Growing => Explained {
            bound_by: Bound::Pace,
            last: Some(released),
            recount_ms: None,
        },
        History::Held { .. } => Explained {
            bound_by: Bound::Mode,
            last: Some(released),
            recount_ms: None,
        },
    }
}

fn snapshot(history: History, now_ms: u64) -> PanelSnapshot {
    let now = history.now(now_ms);
    let actions = history.actions(now_ms);
    let set = |verb: &str| {
        let found = actions.iter().find(|action| action.verb == verb);
        found.map(|action| action.set.clone())
    };
    PanelSnapshot {
        board: board(history, now, now_ms),
        drawn: now.drawn,
        admitted: now.admitted,
        absent: Absent {
            share: (now.admitted > 0).then_some(62),
            may_come: now.admitted.min(4),
        },
        origin: OriginState::default(),
        invited: InvitedVisitors::default(),
        limits: limits(history, now_ms),
        mode: set("mode"),
        pace: set("pace"),
        message: set("message"),
        cap: None,
        event: None,
        hour: history.hour(now_ms),
        minute: now.minute,
        actions,
    }
}

/// The panel; nothing for a line that there is not.
pub(super) fn panel(name: &str, now_ms: u64) -> Option<Reply> {
    let line = LINES.iter().find(|known| known.name == name)?;
    let snapshot = snapshot(line.history, now_ms);
    let path = format!("{PATH}/panel/{name}");
    let configured = Configured {
        rooms: Vec::new(),
        room: "main",
        path: &path,
        tickets: true,
        permit_max: 1_000,
        refresh_interval: 5,
        pace: PACE,
        absent_visitors: AbsentVisitors::Observe,
        origin_health: OriginHealth::Observe,
        cap: Cap::default(),
        events: &[],
        invited_per_minute: 0,
        front_share: 0,
        message: None,
        short_passwords: Vec::new(),
    };
    let view = PanelView {
        snapshot: &snapshot,
        words: verbs::WORDS,
        copy: Some(BoardSeen {
            read_ms: now_ms.saturating_sub(700),
            is_old: false,
        }),
        operator: "anna",
        ticket: None,
        news: None,
        trouble: None,
        once: "made-up",
        now_ms,
    };
    Some(page::panel(200, &configured, &view))
}
