//! Every state of the waiting page: what the visitor holds and sees, and what the page must say then.
//!
//! Invariant: a state is made of the service's own view and shown by its own templates; nothing is drawn here.

use now_serving::page::{Obstacle, Waiting};
use now_serving::queue::{Cursor, Mode, Position};
use now_serving::ticket::Notice;

/// A state of the page.
pub struct State {
    /// In addresses.
    pub name: &'static str,
    /// Over its frames.
    pub title: &'static str,
    /// The names of the texts that the page says in this state.
    pub says: &'static [&'static str],
    pub(super) view: View,
}

/// What is shown.
pub(super) enum View {
    /// A place in the line, by the seconds since the page was loaded; and what an update of the page says.
    Line(fn(u64) -> Waiting, Update),
    /// A form was posted without its ticket.
    Posted,
    /// Whether cookies are kept is being tried.
    CookiesTried,
    /// No cookie was kept.
    CookiesOff,
}

/// What an update says.
#[derive(Clone, Copy)]
pub(super) enum Update {
    /// How the place is then.
    Place,
    /// That it is the visitor's turn, from this second on.
    Turn(u64),
    /// That no ticket came along.
    NoTicket,
}

const fn state(
    (name, title): (&'static str, &'static str),
    says: &'static [&'static str],
    view: View,
) -> State {
    State {
        name,
        title,
        says,
        view,
    }
}

/// All of them, in the order of the sheet.
#[rustfmt::skip]
pub const STATES: &[State] = &[
    state(("far", "In line, far behind"), &["heading"], View::Line(|_| in_line(48_210, 12_904), Update::Place)),
    state(("way", "In line, at 40 % of the way"), &["heading"], View::Line(|_| way(), Update::Place)),
    state(("near", "In line, near the front"), &["heading"], View::Line(|_| in_line(266, 4), Update::Place)),
    state(("next", "Next"), &["next"], View::Line(|_| in_line(266, 0), Update::Place)),
    state(("turn", "Its turn has come: one second after it was loaded"), &["heading"], View::Line(|_| soon(), Update::Turn(0))),
    state(("message", "With a message of the operator"), &["heading"], View::Line(|_| message(), Update::Place)),
    state(("hold", "On hold"), &["hold_heading"], View::Line(|_| with_mode(Mode::Hold), Update::Place)),
    state(("closed", "Closed, with a number"), &["closed_heading"], View::Line(|_| with_mode(Mode::Closed), Update::Place)),
    state(("closed-new", "Closed, without a number"), &["closed_heading"], View::Line(|_| closed_without_number(), Update::Place)),
    state(("called", "Called, and on hold"), &["called"], View::Line(|_| called(Mode::Hold, Obstacle::None), Update::Place)),
    state(("full", "Called, and no slot is free"), &["full"], View::Line(|_| called(Mode::Automatic, Obstacle::Full), Update::Place)),
    state(("rescued", "Called, and the origin answered badly"), &["posted", "rescued"], View::Line(|_| rescued(), Update::Place)),
    state(("old", "The store does not answer: the last figures known"), &["old"], View::Line(|_| old(), Update::Place)),
    state(("held", "The store does not answer: a number and no figures"), &["held"], View::Line(|_| without_store(Some(Position(266))), Update::Place)),
    state(("unnumbered", "The store does not answer: no number yet"), &["heading_unnumbered"], View::Line(|_| without_store(None), Update::Place)),
    state(("anew", "The line was started anew"), &["anew"], View::Line(|_| with_notice(Notice::Anew), Update::Place)),
    state(("lapsed", "The ticket had expired"), &["lapsed"], View::Line(|_| with_notice(Notice::Lapsed), Update::Place)),
    state(("turn-over", "The visitor came too late"), &["turn_over"], View::Line(|_| with_notice(Notice::TurnOver), Update::Place)),
    state(("session-over", "The session ended by itself"), &["session_over"], View::Line(|_| with_notice(Notice::SessionOver), Update::Place)),
    state(("stay-over", "The visit lasted as long as one may"), &["session_ended"], View::Line(|_| with_notice(Notice::StayOver), Update::Place)),
    state(("session-ended", "The origin ended the session"), &["session_ended"], View::Line(|_| with_notice(Notice::SessionEnded), Update::Place)),
    state(("used", "The number had been used"), &["used"], View::Line(|_| with_notice(Notice::Used), Update::Place)),
    state(("unsent", "The request carried something that was not delivered"), &["unsent"], View::Line(|_| unsent(), Update::Place)),
    state(("paused", "Updates are paused"), &["resume"], View::Line(|_| paused(), Update::Place)),
    state(("cookies", "Cookies are off: found by the script"), &["heading"], View::Line(|_| soon(), Update::NoTicket)),
    state(("cookies-off", "Cookies are off: found without a script"), &["cookies", "cookies_why"], View::CookiesOff),
    state(("cookies-tried", "Cookies are being tried"), &["heading_unnumbered"], View::CookiesTried),
    state(("posted", "A form was posted without its ticket"), &["posted", "posted_why"], View::Posted),
    state(("story", "A line that moves, is held and goes on"), &["heading"], View::Line(story, Update::Turn(STORY_TURN))),
];

/// How many seconds pass from one visitor to the next.
const PACE: u64 = 3;

/// This number, and how many are ahead of it, of two hundred or more at first.
fn in_line(position: u64, ahead: u64) -> Waiting {
    Waiting {
        position: Some(Position(position)),
        seen: Some((Cursor(position.saturating_sub(ahead + 1)), ahead)),
        first: Some(ahead.max(200)),
        reference: Some("7F3K-9Q2M".to_owned()),
        estimate: Some(ahead * PACE),
        valid: Some(86_400),
        refresh: if ahead > 10 { 20 } else { 5 },
        ..Waiting::default()
    }
}

fn way() -> Waiting {
    in_line(266, 119)
}

/// So that what an update brings is soon seen.
fn soon() -> Waiting {
    Waiting {
        refresh: 1,
        ..in_line(266, 0)
    }
}

fn message() -> Waiting {
    Waiting {
        message: Some("All sizes are in stock again. Drop 12 stays open until 22:00.".to_owned()),
        said: Some(super::now_ms() / 1_000 - 240),
        ..way()
    }
}

fn with_mode(mode: Mode) -> Waiting {
    Waiting {
        mode,
        estimate: None,
        ..way()
    }
}

fn closed_without_number() -> Waiting {
    Waiting {
        mode: Mode::Closed,
        refresh: 30,
        ..Waiting::default()
    }
}

fn called(mode: Mode, obstacle: Obstacle) -> Waiting {
    Waiting {
        seen: Some((Cursor(270), 0)),
        mode,
        obstacle,
        estimate: None,
        ..in_line(266, 0)
    }
}

fn rescued() -> Waiting {
    Waiting {
        obstacle: Obstacle::Origin,
        ..called(Mode::Automatic, Obstacle::None)
    }
}

fn old() -> Waiting {
    Waiting {
        is_old: true,
        ..way()
    }
}

fn without_store(position: Option<Position>) -> Waiting {
    Waiting {
        position,
        reference: Some("7F3K-9Q2M".to_owned()),
        refresh: 20,
        ..Waiting::default()
    }
}

fn with_notice(notice: Notice) -> Waiting {
    Waiting {
        notice: Some(notice),
        ..in_line(428, 300)
    }
}

fn unsent() -> Waiting {
    Waiting {
        unsent: true,
        ..way()
    }
}

fn paused() -> Waiting {
    Waiting {
        still: true,
        ..way()
    }
}

/// When the line of the story is held, when it goes on, and when it is the visitor's turn, in seconds.
const STORY_HOLD: u64 = 5;
const STORY_GOES_ON: u64 = 9;
const STORY_TURN: u64 = 15;

/// What one visitor sees of a line.
fn story(seconds: u64) -> Waiting {
    let stood = seconds.clamp(STORY_HOLD, STORY_GOES_ON) - STORY_HOLD;
    let moved = seconds - stood;
    let ahead = 120_u64.saturating_sub(moved * 11);
    let is_held = (STORY_HOLD..STORY_GOES_ON).contains(&seconds);
    let line = Waiting {
        refresh: 1,
        ..in_line(266, ahead)
    };
    if is_held {
        return Waiting {
            mode: Mode::Hold,
            estimate: None,
            ..line
        };
    }
    line
}
