//! Where a waiting visitor stands, in the words that come first on the page.
//!
//! Invariant: a stage says only what is known: no place without a number, and no time without an estimate.

use super::Waiting;
use crate::i18n::Language;
use crate::queue::Mode;

/// What the page shows first. Its style and its script know the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// In line, and it is known for how long.
    Timed,
    /// In line.
    Waiting,
    /// The line is on hold.
    Hold,
    /// The turn has come while the mode admits no visitor.
    Called,
    /// The turn has come, and no slot is free.
    Full,
    /// The room is closed.
    Closed,
    /// The store does not say how far the line is.
    Held,
    /// No number could be drawn.
    Unnumbered,
    /// The turn has come, and the origin did not answer.
    Rescued,
}

impl Stage {
    pub(super) fn of(waiting: &Waiting) -> Self {
        match (waiting.mode, waiting.position, waiting.seen) {
            _ if waiting.obstacle == Obstacle::Origin => Self::Rescued,
            (Mode::Closed, ..) => Self::Closed,
            (_, None, _) => Self::Unnumbered,
            (_, _, None) => Self::Held,
            _ if waiting.obstacle == Obstacle::Full => Self::Full,
            _ if waiting.is_called() => Self::Called,
            (Mode::Hold, ..) => Self::Hold,
            _ if waiting.estimate.is_some() => Self::Timed,
            _ => Self::Waiting,
        }
    }

    /// As the page's style knows it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Timed => "timed",
            Self::Waiting => "waiting",
            Self::Hold => "hold",
            Self::Called => "called",
            Self::Full => "full",
            Self::Closed => "closed",
            Self::Held => "held",
            Self::Unnumbered => "unnumbered",
            Self::Rescued => "rescued",
        }
    }

    /// What stands in the place of the estimated wait; nothing where the heading says enough.
    pub(super) fn headline(self, words: &Language) -> Option<&'static str> {
        match self {
            Self::Hold | Self::Called => Some(words.text("hold_heading")),
            Self::Full => Some(words.text("heading_unnumbered")),
            Self::Rescued => Some(words.text("posted")),
            Self::Timed | Self::Waiting | Self::Closed | Self::Held | Self::Unnumbered => None,
        }
    }

    /// How many are ahead, or why the visitor waits, as a sentence.
    pub(super) fn line(self, waiting: &Waiting, words: &Language) -> String {
        let ahead = waiting.seen.map_or(0, |(_, ahead)| ahead);
        let text = match (self, ahead) {
            // With a number, the sentence below says that it is kept.
            (Self::Closed, _) if waiting.position.is_some() => "closed_now",
            (Self::Closed, _) => "closed",
            (Self::Full, _) => "full",
            (Self::Called, _) => "called",
            (Self::Held, _) => "held",
            (Self::Unnumbered, _) => "unnumbered",
            (Self::Rescued, _) => "rescued",
            (Self::Timed | Self::Waiting | Self::Hold, 0) => "next",
            (Self::Timed | Self::Waiting | Self::Hold, ahead) => {
                return words.counted("ahead", ahead);
            }
        };
        words.text(text).to_owned()
    }
}

/// The obstacle that keeps a called visitor out, besides the mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Obstacle {
    /// None.
    #[default]
    None,
    /// No slot is free.
    Full,
    /// The origin's answer was bad: this page stands in its place, and the visitor keeps the turn.
    Origin,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::english;
    use crate::page::update::Worded;
    use crate::queue::{Cursor, Position};

    fn called() -> Waiting {
        Waiting {
            position: Some(Position(7)),
            seen: Some((Cursor(7), 0)),
            ..Waiting::default()
        }
    }

    #[test]
    fn a_rescued_visitor_reads_of_the_site_first_and_keeps_the_turn() {
        let rescued = Waiting {
            obstacle: Obstacle::Origin,
            ..called()
        };
        let told = Worded::new(&rescued, english());
        let line = english().text("rescued");
        assert_eq!((told.stage, told.line.as_str()), ("rescued", line));
        assert_eq!(told.headline.as_deref(), Some("One moment, please"));
    }

    #[test]
    fn a_visitor_without_a_number_reads_of_no_place() {
        for mode in [Mode::Automatic, Mode::Hold, Mode::Open] {
            let newcomer = Waiting {
                mode,
                ..Waiting::default()
            };
            let told = Worded::new(&newcomer, english());
            assert_eq!(told.stage, "unnumbered");
            assert_eq!((told.hold, told.detail), (None, None));
        }
    }

    #[test]
    fn a_closed_room_asks_nobody_whether_they_have_a_number() {
        let closed = |position| Waiting {
            mode: Mode::Closed,
            position,
            seen: Some((Cursor(3), 3)),
            ..Waiting::default()
        };
        let (mine, none) = (closed(Some(Position(7))), closed(None));
        let [mine, none] = [&mine, &none].map(|view| Worded::new(view, english()));
        let kept = "You keep number 7. This page goes on by itself.";
        let told = (mine.line.as_str(), mine.detail.as_deref());
        assert_eq!(told, ("Nobody is let in at the moment.", Some(kept)));
        assert!(none.line.contains("If you have a number"), "{}", none.line);
        assert_eq!(none.detail, None);
    }

    #[test]
    fn a_called_visitor_in_a_full_room_reads_first_to_wait() {
        let full = Waiting {
            obstacle: Obstacle::Full,
            ..called()
        };
        let told = Worded::new(&full, english());
        let line = "It’s your turn as soon as a place inside is free.";
        assert_eq!(
            (told.stage, told.headline.as_deref()),
            ("full", Some("Please wait"))
        );
        assert_eq!(told.line, line);
    }

    #[test]
    fn on_hold_the_number_is_kept_by_name() {
        let called = Waiting {
            mode: Mode::Hold,
            ..called()
        };
        let waiting = Waiting {
            seen: Some((Cursor(3), 3)),
            ..called.clone()
        };
        for (view, stage) in [(called, "called"), (waiting, "hold")] {
            let told = Worded::new(&view, english());
            assert_eq!(
                (told.stage, told.headline.as_deref()),
                (stage, Some("Entry is paused"))
            );
            let kept = "You keep number 7. This page goes on by itself.";
            assert_eq!(told.detail.as_deref(), Some(kept));
        }
    }
}
