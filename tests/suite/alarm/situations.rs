//! The table of situations: what happens in a room, what is true from when on, and what the panel has to say of it.
//!
//! Written before the code that answers it. What is true follows from what happens and not from the panel: a press, a full cap and a
//! sick origin are facts at their second, and of arrivals by chance a row says which two rates have to be told apart. Red is for a line
//! that grows or stands for want of what an operator can change, and for a wait beyond a day; a line that grows by the set pace is
//! amber, since that pace is what holds visitors back.

use Act::{Arrive, Bad, Crowd, Leave, Permits, Postpone, Press, StoreAway, StoreEmpty};
use Changes::{Full, Second};
use Colour::{Amber, Blue, Green, Grey, Red};
use Known::{After, Counted, Longer};

/// The colour of the band.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colour {
    Green,
    Amber,
    Red,
    Grey,
    Blue,
}

impl Colour {
    /// That of a class of the page.
    pub(super) fn of(class: &str) -> Self {
        match class {
            "run" => Green,
            "hold" | "watch" => Amber,
            "alarm" => Red,
            "open" => Blue,
            "closed" | "unknown" => Grey,
            _ => panic!("{class} has no colour"),
        }
    }
}

/// Times of an event, in seconds after the room began.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventAt {
    pub(super) prequeue: u64,
    pub(super) opens: u64,
    pub(super) closes: Option<u64>,
    pub(super) order: Option<&'static str>,
}

/// What happens in a room.
#[derive(Clone, Copy, Debug)]
pub(super) enum Act {
    /// From now on so many visitors come in a minute, by chance.
    Arrive(f64),
    /// So many come at once.
    Crowd(u64),
    /// An operator changes something by this route.
    Press(&'static str, &'static str),
    /// The origin reports so many bad answers.
    Bad(u64),
    /// From now on a program lets so many in, each time after so many seconds.
    Permits(u64, u64),
    /// All who wait close their pages.
    Leave,
    /// An operator sets the event to these times.
    Postpone(EventAt),
    /// The store answers no more.
    StoreAway,
    /// The store loses its data.
    StoreEmpty,
}

/// When what is to be seen becomes true.
#[derive(Clone, Copy, Debug)]
pub(super) enum Changes {
    /// In this second of the room.
    Second(u64),
    /// When every slot of the cap is taken for the first time.
    Full,
}

/// From when on an observer can say so who counts each visitor at once.
#[derive(Clone, Copy, Debug)]
pub(super) enum Known {
    /// So many seconds after the change: it is a fact, or a rule of so many seconds.
    After(u64),
    /// When the arrivals since the change speak so loudly for the first rate a minute and against the second that an observer who knows
    /// both would bet 1,000 to 1, and 10,000 to 1 where it is to be red. A day has 1,440 minutes to look at: by a weaker bet a calm line
    /// would be amber more than once a day. A rise of 50 % above a pace of 40 a minute takes about a minute and a half for that, one of
    /// 10 % more than half an hour.
    Counted { per_minute: f64, against: f64 },
    /// When more than so many wait.
    Longer(u64),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Situation {
    pub(super) name: &'static str,
    /// What is set: `PACE` and more.
    pub(super) settings: &'static [(&'static str, &'static str)],
    pub(super) event: Option<EventAt>,
    /// What happens, by the second.
    pub(super) acts: &'static [(u64, Act)],
    pub(super) changes: Changes,
    pub(super) from: Known,
    /// What is right from then on: any of these colours with any of these words.
    pub(super) colours: &'static [Colour],
    pub(super) words: &'static [&'static str],
    /// For so many seconds it stays right.
    pub(super) stays: u64,
    /// Whether red is right before the change.
    pub(super) was_red: bool,
}

const NOTHING: Situation = Situation {
    name: "",
    settings: &[],
    event: None,
    acts: &[],
    changes: Second(360),
    from: After(0),
    colours: &[Green],
    words: &[],
    stays: 30,
    was_red: false,
};

/// What a line that keeps up is called.
const WELL: &[&str] = &["Nobody is waiting", "Steady", "Keeping up"];

macro_rules! pace {
    ($quantity:literal every $seconds:literal $($key:literal $value:literal)*) => {
        &[("automatic_quantity", $quantity), ("automatic", $seconds) $(, ($key, $value))*]
    };
}

pub(super) const SITUATIONS: &[Situation] = &[
    // A line that keeps up.
    Situation {
        name: "calm: 20 a minute, the pace takes 30",
        settings: pace!("5" every "10" "total_active" "5000"),
        acts: &[(0, Arrive(20.0))],
        words: WELL,
        ..NOTHING
    },
    Situation {
        name: "calm: one a minute, let in each minute",
        settings: pace!("10" every "60"),
        acts: &[(0, Arrive(1.0))],
        words: WELL,
        ..NOTHING
    },
    Situation {
        name: "calm: 200 a minute, the pace takes 240",
        settings: pace!("20" every "5"),
        acts: &[(0, Arrive(200.0))],
        words: WELL,
        ..NOTHING
    },
    Situation {
        name: "steady: 200 wait, 40 come and 40 go",
        settings: pace!("10" every "15"),
        acts: &[(0, Crowd(200)), (0, Arrive(40.0))],
        words: WELL,
        ..NOTHING
    },
    Situation {
        name: "steady at an odd period under a loose cap: 300 wait, 58 come and 59 go",
        settings: pace!("44" every "45" "total_active" "10000"),
        acts: &[(0, Crowd(300)), (0, Arrive(58.0))],
        words: WELL,
        ..NOTHING
    },
    Situation {
        name: "shrinking: 600 wait, 40 come and 80 go",
        settings: pace!("20" every "15" "total_active" "5000"),
        acts: &[(0, Crowd(600)), (0, Arrive(40.0))],
        words: &["Keeping up"],
        ..NOTHING
    },
    Situation {
        name: "a rush that the pace takes",
        settings: pace!("50" every "15"),
        acts: &[(0, Arrive(40.0)), (371, Arrive(150.0))],
        changes: Second(371),
        words: WELL,
        ..NOTHING
    },
    Situation {
        name: "a rush is over: 300 a minute, now 20, the pace takes 90",
        settings: pace!("15" every "10"),
        acts: &[(0, Arrive(40.0)), (300, Arrive(300.0)), (425, Arrive(20.0))],
        changes: Second(425),
        from: Counted {
            per_minute: 20.0,
            against: 90.0,
        },
        words: &["Keeping up"],
        was_red: true,
        ..NOTHING
    },
    Situation {
        name: "a program lets visitors in by permits",
        settings: pace!("1" every "0"),
        acts: &[(0, Crowd(100)), (0, Arrive(10.0)), (5, Permits(5, 15))],
        words: WELL,
        ..NOTHING
    },
    // A line that grows by its pace.
    Situation {
        name: "growing by 50 %: 60 come, 40 go",
        settings: pace!("10" every "15" "total_active" "5000"),
        acts: &[(0, Arrive(36.0)), (377, Arrive(60.0))],
        changes: Second(377),
        from: Counted {
            per_minute: 60.0,
            against: 40.0,
        },
        colours: &[Amber],
        words: &["Growing"],
        ..NOTHING
    },
    Situation {
        name: "growing by 80 %, just after a minute began",
        settings: pace!("10" every "15"),
        acts: &[(0, Arrive(38.0)), (363, Arrive(72.0))],
        changes: Second(363),
        from: Counted {
            per_minute: 72.0,
            against: 40.0,
        },
        colours: &[Amber],
        words: &["Growing", "A rush begins"],
        ..NOTHING
    },
    Situation {
        name: "growing by 25 %",
        settings: pace!("10" every "15"),
        acts: &[(0, Arrive(38.0)), (385, Arrive(50.0))],
        changes: Second(385),
        from: Counted {
            per_minute: 50.0,
            against: 40.0,
        },
        colours: &[Amber],
        words: &["Growing"],
        ..NOTHING
    },
    Situation {
        name: "growing by 10 %: 330 come, 300 go",
        settings: pace!("50" every "10"),
        acts: &[(0, Arrive(290.0)), (410, Arrive(330.0))],
        changes: Second(410),
        from: Counted {
            per_minute: 330.0,
            against: 300.0,
        },
        colours: &[Amber],
        words: &["Growing"],
        ..NOTHING
    },
    Situation {
        name: "a large room grows by 20 %",
        settings: pace!("40" every "15"),
        acts: &[(0, Arrive(150.0)), (395, Arrive(192.0))],
        changes: Second(395),
        from: Counted {
            per_minute: 192.0,
            against: 160.0,
        },
        colours: &[Amber],
        words: &["Growing"],
        ..NOTHING
    },
    Situation {
        name: "a small room grows: 6 come, 2 go",
        settings: pace!("1" every "30"),
        acts: &[(0, Arrive(1.5)), (380, Arrive(6.0))],
        changes: Second(380),
        from: Counted {
            per_minute: 6.0,
            against: 2.0,
        },
        colours: &[Amber],
        words: &["Growing"],
        ..NOTHING
    },
    Situation {
        name: "a line that shrank grows",
        settings: pace!("15" every "15"),
        acts: &[(0, Crowd(400)), (0, Arrive(40.0)), (388, Arrive(76.0))],
        changes: Second(388),
        from: Counted {
            per_minute: 76.0,
            against: 60.0,
        },
        colours: &[Amber],
        words: &["Growing", "A rush begins"],
        ..NOTHING
    },
    // A rush.
    Situation {
        name: "a rush begins, and the wait is short",
        settings: pace!("10" every "10"),
        acts: &[(0, Arrive(40.0)), (405, Arrive(140.0))],
        changes: Second(405),
        from: Counted {
            per_minute: 140.0,
            against: 60.0,
        },
        colours: &[Amber],
        words: &["A rush begins", "Growing"],
        ..NOTHING
    },
    Situation {
        name: "a rush by three, and the wait is beyond two minutes",
        settings: pace!("15" every "15"),
        acts: &[(0, Arrive(40.0)), (389, Arrive(150.0))],
        changes: Second(389),
        from: Longer(120),
        colours: &[Red],
        words: &["A rush begins"],
        ..NOTHING
    },
    Situation {
        name: "a rush by ten",
        settings: pace!("15" every "15"),
        acts: &[(0, Arrive(40.0)), (418, Arrive(400.0))],
        changes: Second(418),
        from: Longer(120),
        colours: &[Red],
        words: &["A rush begins"],
        ..NOTHING
    },
    Situation {
        name: "a rush by ten in a small room",
        settings: pace!("2" every "15"),
        acts: &[(0, Arrive(4.0)), (401, Arrive(40.0))],
        changes: Second(401),
        from: Longer(20),
        colours: &[Red],
        words: &["A rush begins"],
        ..NOTHING
    },
    Situation {
        name: "a rush into an empty room",
        settings: pace!("6" every "10"),
        acts: &[(0, Arrive(0.1)), (431, Arrive(200.0))],
        changes: Second(431),
        from: Longer(80),
        colours: &[Red],
        words: &["A rush begins"],
        ..NOTHING
    },
    Situation {
        name: "a rush in the first minute of a line",
        settings: pace!("10" every "15"),
        acts: &[(0, Arrive(600.0))],
        changes: Second(0),
        from: Longer(90),
        colours: &[Red],
        words: &["A rush begins"],
        ..NOTHING
    },
    // The pace.
    Situation {
        name: "the pace is set to a tenth",
        settings: pace!("10" every "15"),
        acts: &[
            (0, Arrive(30.0)),
            (
                380,
                Press("settings", r#"{"automatic":15,"automatic_quantity":1}"#),
            ),
        ],
        changes: Second(380),
        from: Longer(0),
        colours: &[Amber],
        words: &["Growing"],
        ..NOTHING
    },
    Situation {
        name: "the period is set to 1,500 seconds in place of 15",
        settings: pace!("10" every "15"),
        acts: &[
            (0, Arrive(30.0)),
            (
                397,
                Press("settings", r#"{"automatic":1500,"automatic_quantity":10}"#),
            ),
        ],
        changes: Second(397),
        from: Longer(0),
        colours: &[Amber],
        words: &["Growing"],
        ..NOTHING
    },
    Situation {
        name: "the pace is set ten times as high, and the line shrinks",
        settings: pace!("4" every "15"),
        acts: &[
            (0, Crowd(300)),
            (0, Arrive(15.0)),
            (
                383,
                Press("settings", r#"{"automatic":15,"automatic_quantity":40}"#),
            ),
        ],
        changes: Second(383),
        words: WELL,
        ..NOTHING
    },
    Situation {
        name: "the pace is switched off, and nobody lets visitors in",
        settings: pace!("10" every "15"),
        acts: &[
            (0, Arrive(30.0)),
            (
                380,
                Press("settings", r#"{"automatic":0,"automatic_quantity":1}"#),
            ),
        ],
        changes: Second(380),
        from: After(60),
        colours: &[Amber],
        words: &["Growing", "not moving"],
        ..NOTHING
    },
    Situation {
        name: "the program that let visitors in stops",
        settings: pace!("1" every "0"),
        acts: &[(0, Crowd(200)), (5, Permits(5, 15)), (360, Permits(0, 0))],
        changes: Second(360),
        from: After(300),
        colours: &[Amber],
        words: &["not moving"],
        ..NOTHING
    },
    Situation {
        name: "the last in line would wait two days",
        settings: pace!("10" every "15"),
        acts: &[
            (0, Crowd(400)),
            (0, Arrive(30.0)),
            (
                380,
                Press("settings", r#"{"automatic":600,"automatic_quantity":1}"#),
            ),
        ],
        changes: Second(380),
        colours: &[Red],
        words: &["The last in line would wait about"],
        ..NOTHING
    },
    // What operators do.
    Situation {
        name: "an operator holds the line",
        settings: pace!("10" every "15"),
        acts: &[
            (0, Arrive(36.0)),
            (380, Press("mode", r#"{"mode":"hold"}"#)),
        ],
        changes: Second(380),
        colours: &[Amber],
        words: &["On hold"],
        ..NOTHING
    },
    Situation {
        name: "a hold is forgotten",
        settings: pace!("10" every "15"),
        acts: &[
            (0, Arrive(30.0)),
            (180, Press("mode", r#"{"mode":"hold"}"#)),
            (240, Arrive(6.0)),
        ],
        changes: Second(180),
        from: After(1800),
        colours: &[Red],
        words: &["On hold for"],
        ..NOTHING
    },
    Situation {
        name: "a hold of the night, and nobody waits",
        settings: pace!("10" every "15"),
        acts: &[(420, Press("mode", r#"{"mode":"hold"}"#))],
        changes: Second(2200),
        colours: &[Amber],
        words: &["On hold"],
        ..NOTHING
    },
    Situation {
        name: "the line goes on after a hold",
        settings: pace!("20" every "15"),
        acts: &[
            (0, Arrive(40.0)),
            (120, Press("mode", r#"{"mode":"hold"}"#)),
            (408, Press("mode", r#"{"mode":"automatic"}"#)),
        ],
        changes: Second(408),
        words: WELL,
        ..NOTHING
    },
    Situation {
        name: "the room is closed",
        settings: pace!("10" every "15"),
        acts: &[
            (0, Arrive(30.0)),
            (380, Press("mode", r#"{"mode":"closed"}"#)),
        ],
        changes: Second(380),
        colours: &[Grey],
        words: &["Closed"],
        ..NOTHING
    },
    Situation {
        name: "the room is opened",
        settings: pace!("10" every "15"),
        acts: &[
            (0, Arrive(60.0)),
            (380, Press("mode", r#"{"mode":"open"}"#)),
        ],
        changes: Second(380),
        colours: &[Blue],
        words: &["Open"],
        ..NOTHING
    },
    // The cap.
    Situation {
        name: "the cap is full, and the line grows",
        settings: pace!("20" every "10" "total_active" "120" "session_minutes" "3"),
        acts: &[(0, Arrive(20.0)), (368, Arrive(90.0))],
        changes: Full,
        from: Counted {
            per_minute: 90.0,
            against: 40.0,
        },
        colours: &[Red],
        words: &["Growing, held back by the cap", "The line is not moving"],
        ..NOTHING
    },
    Situation {
        name: "the cap is full, and no session could end yet",
        settings: pace!("20" every "10" "total_active" "90" "session_minutes" "30"),
        acts: &[(0, Arrive(1.0)), (372, Arrive(90.0))],
        changes: Full,
        from: Counted {
            per_minute: 90.0,
            against: 1.0,
        },
        colours: &[Amber],
        words: &["The cap is full", "A rush begins"],
        ..NOTHING
    },
    Situation {
        name: "the cap is full, and the line shrinks",
        settings: pace!("20" every "10" "total_active" "120" "session_minutes" "2"),
        acts: &[(0, Arrive(120.0)), (380, Arrive(4.0))],
        changes: Second(380),
        from: Counted {
            per_minute: 4.0,
            against: 40.0,
        },
        colours: &[Amber],
        words: &["Shrinking, held back by the cap"],
        was_red: true,
        ..NOTHING
    },
    Situation {
        name: "the cap is raised, and the line shrinks",
        settings: pace!("20" every "10" "total_active" "60" "session_minutes" "5"),
        acts: &[
            (0, Arrive(40.0)),
            (387, Press("cap", r#"{"total_active":2000}"#)),
        ],
        changes: Second(387),
        words: WELL,
        was_red: true,
        ..NOTHING
    },
    Situation {
        name: "the cap is set below those inside",
        settings: pace!("20" every "10" "total_active" "1000" "session_minutes" "10"),
        acts: &[
            (0, Arrive(60.0)),
            (392, Press("cap", r#"{"total_active":50}"#)),
        ],
        changes: Second(392),
        from: Counted {
            per_minute: 60.0,
            against: 1.0,
        },
        colours: &[Amber],
        words: &["Above the cap"],
        ..NOTHING
    },
    // The origin and the store.
    Situation {
        name: "the origin is sick, and visitors are held back",
        settings: pace!("10" every "15" "origin_health" "on"),
        acts: &[(0, Arrive(36.0)), (380, Bad(30))],
        changes: Second(380),
        colours: &[Red],
        words: &["The origin is sick: no new visitor goes in"],
        ..NOTHING
    },
    Situation {
        name: "the origin is sick, and is only observed",
        settings: pace!("10" every "15" "origin_health" "observe"),
        acts: &[(0, Arrive(36.0)), (380, Bad(30))],
        changes: Second(380),
        colours: &[Red],
        words: &["The origin is sick, and visitors still go in"],
        ..NOTHING
    },
    Situation {
        name: "the store answers no more",
        settings: pace!("10" every "15"),
        acts: &[(0, Arrive(36.0)), (380, StoreAway)],
        changes: Second(380),
        colours: &[Red],
        words: &["The store does not answer: no new visitor goes in"],
        ..NOTHING
    },
    Situation {
        name: "the store has lost its data",
        settings: pace!("10" every "15"),
        acts: &[(0, Crowd(400)), (0, Arrive(36.0)), (380, StoreEmpty)],
        changes: Second(380),
        colours: &[Amber],
        words: &["the store lost its data"],
        stays: 6,
        ..NOTHING
    },
    Situation {
        name: "all who wait have closed their pages",
        settings: pace!("1" every "60"),
        acts: &[(0, Crowd(20)), (360, Leave)],
        changes: Second(360),
        from: After(120),
        colours: &[Grey],
        words: &["none of them has asked"],
        ..NOTHING
    },
    // Events.
    Situation {
        name: "an event opens with 300 early visitors",
        settings: pace!("20" every "10"),
        event: Some(EventAt {
            prequeue: 60,
            opens: 382,
            closes: None,
            order: None,
        }),
        acts: &[(60, Crowd(200)), (60, Arrive(20.0))],
        changes: Second(382),
        words: WELL,
        ..NOTHING
    },
    Situation {
        name: "an event is late: its opening is put off in the pre-queue",
        settings: pace!("20" every "10"),
        event: Some(EventAt {
            prequeue: 60,
            opens: 380,
            closes: None,
            order: None,
        }),
        acts: &[
            (60, Arrive(40.0)),
            (
                370,
                Postpone(EventAt {
                    prequeue: 60,
                    opens: 1400,
                    closes: None,
                    order: None,
                }),
            ),
        ],
        changes: Second(370),
        colours: &[Amber],
        words: &["Pre-queue"],
        ..NOTHING
    },
    Situation {
        name: "an event's order by lot is awaited for five minutes",
        settings: pace!("20" every "10"),
        event: Some(EventAt {
            prequeue: 60,
            opens: 300,
            closes: None,
            order: Some("drawn"),
        }),
        acts: &[(60, Arrive(40.0)), (300, Arrive(5.0))],
        changes: Second(300),
        from: After(300),
        colours: &[Red],
        words: &["The order is not decided"],
        ..NOTHING
    },
    Situation {
        name: "an event opens on a forgotten hold",
        settings: pace!("20" every "10"),
        event: Some(EventAt {
            prequeue: 1000,
            opens: 2000,
            closes: None,
            order: None,
        }),
        acts: &[
            (100, Press("mode", r#"{"mode":"hold"}"#)),
            (1000, Arrive(10.0)),
        ],
        changes: Second(2000),
        colours: &[Red],
        words: &["On hold for"],
        ..NOTHING
    },
    Situation {
        name: "an event is over",
        settings: pace!("20" every "10"),
        event: Some(EventAt {
            prequeue: 60,
            opens: 120,
            closes: Some(380),
            order: None,
        }),
        acts: &[(60, Arrive(40.0))],
        changes: Second(380),
        colours: &[Grey],
        words: &["The event is over"],
        ..NOTHING
    },
];
