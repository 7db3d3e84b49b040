//! Every state of the waiting page: what the visitor holds and sees, and what the page must say then.
//!
//! Invariant: a state is made of the service's own view and shown by its own templates; nothing is drawn here.

use now_serving::http::Reply;
use now_serving::page::{
    self, Challenge, CookieTrial, Draw, LotView, Obstacle, OrderView, ReceiptView, Rule, Shell,
    Waiting,
};
use now_serving::queue::{Cursor, Mode, Now, Outlook, Phase, Position, Slowed, Slowness};
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
    /// Another page than the waiting page, which leads back to an address.
    Page(fn(Shell<'_>, &str) -> Reply),
}

/// What an update says.
#[derive(Clone, Copy)]
pub(super) enum Update {
    /// How the place is then.
    Place,
    /// That it is the visitor's turn, from this second on.
    Turn(u64),
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
    state(("slowed", "The wait has grown: the site slowed the line"), &["grown", "slowed_pace"], View::Line(|_| slowed(Slowness::Pace, None), Update::Place)),
    state(("slowed-hold", "The wait has grown: entry was paused"), &["heading"], View::Line(|_| slowed(Slowness::Hold, Some(8)), Update::Place)),
    state(("hold", "On hold"), &["hold_heading"], View::Line(|_| with_mode(Mode::Hold), Update::Place)),
    state(("closed", "Closed, with a number"), &["closed_heading"], View::Line(|_| with_mode(Mode::Closed), Update::Place)),
    state(("closed-new", "Closed, without a number"), &["closed_heading"], View::Line(|_| closed_without_number(), Update::Place)),
    state(("before", "Before an event, in five minutes"), &["opens_in", "before"], View::Line(|seconds| event(Phase::Before, seconds), Update::Place)),
    state(("before-days", "Before an event, in three days"), &["opens_in", "before"], View::Line(|_| days_before(), Update::Place)),
    state(("prequeue", "In line before an event opens"), &["opens_in", "prequeue"], View::Line(prequeue, Update::Place)),
    state(("lot", "In the draw before an event opens"), &["opens_in", "in_draw", "lot", "number_here"], View::Line(lot, Update::Place)),
    state(("drawing", "The event has opened, and the lot is awaited"), &["drawing"], View::Line(|_| drawing(), Update::Place)),
    state(("short", "The stock may be gone before the turn"), &["heading", "short"], View::Line(|_| stocked(40), Update::Place)),
    state(("sold-out", "Nothing is left of the stock"), &["heading", "sold_out", "restock"], View::Line(|_| stocked(0), Update::Place)),
    state(("late", "Entry ends before the turn"), &["heading", "late"], View::Line(|_| late(), Update::Place)),
    state(("over", "The event is over"), &["over_heading", "over", "thanks"], View::Line(|_| event(Phase::Over, 0), Update::Place)),
    state(("days", "In line for days"), &["heading"], View::Line(|_| in_line(300_000, 150_000), Update::Place)),
    state(("called", "Called, and on hold"), &["called_heading", "called"], View::Line(|_| called(Mode::Hold, Obstacle::None), Update::Place)),
    state(("full", "Called, and no slot is free"), &["called_heading", "door", "full"], View::Line(|_| called(Mode::Automatic, Obstacle::Full), Update::Place)),
    state(("rescued", "Called, and the origin answered badly"), &["called_heading", "posted", "rescued"], View::Line(|_| rescued(), Update::Place)),
    state(("old", "The store does not answer: the last figures known"), &["old"], View::Line(|_| old(), Update::Place)),
    state(("held", "The store does not answer: a number and no figures"), &["held"], View::Line(|_| without_store(Some(Position(266))), Update::Place)),
    state(("unnumbered", "The store does not answer: no number yet"), &["heading_unnumbered"], View::Line(|_| without_store(None), Update::Place)),
    state(("anew", "The line was started anew"), &["anew"], View::Line(|_| with_notice(Notice::Anew), Update::Place)),
    state(("lapsed", "The ticket had expired"), &["lapsed"], View::Line(|_| with_notice(Notice::Lapsed), Update::Place)),
    state(("turn-over", "The visitor came too late"), &["turn_over"], View::Line(|_| with_notice(Notice::TurnOver), Update::Place)),
    state(("session-over", "The session ended by itself"), &["session_over"], View::Line(|_| with_notice(Notice::SessionOver), Update::Place)),
    state(("stay-over", "The visit lasted as long as one may"), &["stay_over"], View::Line(|_| with_notice(Notice::StayOver), Update::Place)),
    state(("session-ended", "The origin ended the session"), &["session_ended"], View::Line(|_| with_notice(Notice::SessionEnded), Update::Place)),
    state(("used", "The number had been used"), &["used"], View::Line(|_| with_notice(Notice::Used), Update::Place)),
    state(("unsent", "The request carried something that was not delivered"), &["unsent"], View::Line(|_| unsent(), Update::Place)),
    state(("paused", "Updates are paused"), &["resume"], View::Line(|_| paused(), Update::Place)),
    state(("cookies-off", "Cookies are off"), &["cookies", "cookies_why"], View::Page(|shell, here| page::cookies(200, shell, here, CookieTrial::Failed))),
    state(("cookies-tried", "Cookies are being tried"), &["posted", "cookies_tried"], View::Page(|shell, here| page::cookies(200, shell, here, CookieTrial::UnderWay))),
    state(("posted", "A form was posted without its ticket"), &["not_sent", "posted_why"], View::Page(|shell, here| page::posted(200, shell, here))),
    state(("away", "The origin did not answer a visitor inside"), &["posted", "away"], View::Page(|shell, here| page::away(shell, Some(here), None))),
    state(("refused", "No number is given"), &["refused", "refused_why"], View::Page(|shell, _| page::refused(shell))),
    state(("stopped", "The firewall stopped a request"), &["stopped", "stopped_why"], View::Page(|shell, _| page::stopped(shell))),
    state(("challenge", "A calculation before the number"), &["posted", "challenge", "invited"], View::Page(|shell, here| challenge(shell, here, None))),
    state(("verifier", "A check before the number"), &["posted", "verifier"], View::Page(|shell, here| challenge(shell, here, Some("/_demo/nothing".to_owned())))),
    state(("invitation", "An invitation to paste"), &["invitation", "invitation_text"], View::Page(|shell, here| page::invitation("/_demo/nothing", None, here, shell))),
    state(("invitation-ready", "An invitation that came with the link"), &["invitation", "invitation_ready"], View::Page(|shell, here| page::invitation("/_demo/nothing", Some("a.b.c"), here, shell))),
    state(("receipt", "The receipt of a ticket"), &["receipt", "receipt_keep"], View::Page(|shell, _| receipt(shell))),
    state(("receipt-draw", "The receipt of a ticket in a draw"), &["receipt", "in_draw"], View::Page(|shell, _| receipt_in_draw(shell))),
    state(("no-receipt", "No ticket, so no receipt"), &["no_ticket", "no_ticket_why"], View::Page(|shell, _| page::no_receipt(shell))),
    state(("order", "How the line works"), &["how_order", "order_arrival", "order_staff", "journal"], View::Page(|shell, _| page::order(shell, order()))),
    state(("order-new", "The same before anything is known"), &["how_order", "order_arrival"], View::Page(|shell, _| page::order(shell, order_unknown()))),
    state(("order-lot", "The same after a lot"), &["how_order", "order_drawn", "lot_secret", "lot_values"], View::Page(|shell, _| page::order(shell, order_by_lot()))),
    state(("languages", "The languages"), &["language", "name"], View::Page(|shell, here| page::languages(shell, "/_demo/nothing", here))),
    state(("story", "An event opens, its line moves, is held and goes on"), &["heading"], View::Line(story, Update::Turn(STORY_TURN))),
];

/// A calculation, which takes some seconds and leads nowhere, or an operator's own check.
fn challenge(shell: Shell<'_>, here: &str, verifier: Option<String>) -> Reply {
    let challenge = Challenge {
        text: "1.demo".to_owned(),
        tries: 1 << 22,
        answer_to: "/_demo/nothing".to_owned(),
        verifier,
        invitation: Some("/_demo/nothing".to_owned()),
    };
    page::challenge(200, 600, &challenge, None, here, shell)
}

/// As long as one is.
const RECEIPT: &str = "eyJ2IjoxLCJyIjoibWFpbiIsIm4iOjI2NiwiYyI6MTQ2LCJ0IjoxNzk1NDEzMDM2fQ.kq3Vb0Jw5Hk1V4m9a7rT2uYxZ8cN6pLsQeWdFgHiJkM";

fn receipt(shell: Shell<'_>) -> Reply {
    let seen = ReceiptView {
        number: Some(266),
        in_draw: false,
        ahead: Some(119),
        given: "2026-11-29 15:37:00 UTC",
        text: RECEIPT,
    };
    page::receipt(shell, &seen)
}

fn receipt_in_draw(shell: Shell<'_>) -> Reply {
    let seen = ReceiptView {
        number: None,
        in_draw: true,
        ahead: None,
        given: "2026-11-29 15:37:00 UTC",
        text: RECEIPT,
    };
    page::receipt(shell, &seen)
}

/// A room with all that one can have.
fn order() -> OrderView<'static> {
    OrderView {
        rules: vec![
            Rule("order_arrival", None),
            Rule("order_regions", None),
            Rule("order_groups", Some(10)),
            Rule("order_invited", Some(30)),
            Rule("order_cap", Some(2_000)),
            Rule("order_away", None),
            Rule("order_staff", None),
            Rule("order_past", None),
        ],
        number: Some(266),
        ahead: Some(119),
        head: Some("9a47c2e5d8b7a609".to_owned()),
        read: Some("2026-11-29 15:37:00 UTC"),
        receipt: Some("/_demo/nothing"),
        ..OrderView::default()
    }
}

fn order_unknown() -> OrderView<'static> {
    OrderView {
        rules: vec![
            Rule("order_arrival", None),
            Rule("order_staff", None),
            Rule("order_past", None),
        ],
        ..OrderView::default()
    }
}

fn order_by_lot() -> OrderView<'static> {
    let values = [
        ("commitment", "3f1c8f0e6d1b9a47c2e5d8b7a6094f3e"),
        ("value", "90ab12"),
        ("secret", "b7a6094f3e3f1c8f0e6d1b9a47c2e5d8"),
        ("seed", "9a47c2e5d8b7a6094f3e3f1c8f0e6d1b"),
    ];
    let lot = LotView {
        source: Some("beacon 4711".to_owned()),
        came: Some(141),
        place: Some((57, 161)),
        is_decided: true,
        values: values
            .map(|(name, value)| (name, value.to_owned()))
            .to_vec(),
    };
    OrderView {
        rules: vec![
            Rule("order_drawn", None),
            Rule("order_later", None),
            Rule("order_staff", None),
            Rule("order_past", None),
        ],
        number: Some(57),
        ahead: Some(12),
        lot,
        ..order()
    }
}

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
        // With the default life of a turn.
        valid: Some(3_600),
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

/// Twenty minutes ago, and for so many minutes.
fn slowed(cause: Slowness, minutes: Option<u64>) -> Waiting {
    let now_ms = super::now_ms();
    let from_ms = now_ms - 1_200_000;
    let slowed = Slowed {
        cause,
        from_ms,
        to_ms: minutes.map(|minutes| from_ms + minutes * 60_000),
    };
    Waiting {
        slowed: Some((slowed, Now::from_ms(now_ms))),
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

/// An event that opens five minutes after the page was loaded.
fn event(phase: Phase, seconds: u64) -> Waiting {
    let loaded_ms = super::now_ms() - seconds * 1_000;
    let opens_ms = loaded_ms + 299_000;
    let outlook = Outlook {
        phase,
        times: (opens_ms - 60_000, opens_ms, Some(opens_ms + 3_600_000)),
        order: "arrival",
        goes_on: false,
        now_ms: super::now_ms(),
    };
    Waiting {
        event: Some(outlook),
        ..closed_without_number()
    }
}

fn days_before() -> Waiting {
    let mut waiting = event(Phase::Before, 0);
    if let Some(event) = &mut waiting.event {
        event.times.1 += 3 * 86_400_000;
    }
    waiting
}

fn prequeue(seconds: u64) -> Waiting {
    Waiting {
        event: event(Phase::Prequeue, seconds).event,
        mode: Mode::Hold,
        estimate: None,
        ..way()
    }
}

/// A place in the draw, whose number says nothing yet.
fn lot(seconds: u64) -> Waiting {
    let outlook = event(Phase::Prequeue, seconds).event;
    Waiting {
        event: outlook.map(|event| Outlook {
            order: "drawn",
            ..event
        }),
        mode: Mode::Hold,
        draw: Draw::Awaited,
        reference: Some("7F3K-9Q2M".to_owned()),
        refresh: 30,
        ..Waiting::default()
    }
}

fn drawing() -> Waiting {
    let mut waiting = lot(0);
    if let Some(event) = &mut waiting.event {
        event.phase = Phase::Drawing;
    }
    waiting
}

fn late() -> Waiting {
    let mut waiting = Waiting {
        event: event(Phase::Open, 0).event,
        ..in_line(48_210, 12_904)
    };
    if let Some(event) = &mut waiting.event {
        event.times.2 = Some(event.now_ms + 600_000);
    }
    waiting
}

fn stocked(left: u64) -> Waiting {
    Waiting {
        stock: Some(left),
        ..in_line(48_210, 12_904)
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
        at_door: Some(12).filter(|_| obstacle == Obstacle::Full),
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
        estimate: None,
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

/// When the event of the story opens, when its line is held, when it goes on, and when it is the visitor's turn, in seconds.
const STORY_OPENS: u64 = 8;
const STORY_HOLD: u64 = 14;
const STORY_GOES_ON: u64 = 18;
const STORY_TURN: u64 = 25;

/// What one visitor sees of an event.
fn story(seconds: u64) -> Waiting {
    let stood = seconds.clamp(STORY_HOLD, STORY_GOES_ON) - STORY_HOLD;
    let moved = seconds.max(STORY_OPENS) - STORY_OPENS - stood;
    let ahead = 120_u64.saturating_sub(moved * 10);
    let line = Waiting {
        refresh: 1,
        ..in_line(266, ahead)
    };
    let is_held = (STORY_HOLD..STORY_GOES_ON).contains(&seconds);
    if seconds >= STORY_OPENS && !is_held {
        return line;
    }
    let event = event(Phase::Prequeue, seconds).event.map(|mut event| {
        event.times.1 = event.now_ms + STORY_OPENS.saturating_sub(seconds) * 1000;
        event
    });
    Waiting {
        mode: Mode::Hold,
        estimate: None,
        event: event.filter(|_| !is_held),
        ..line
    }
}
