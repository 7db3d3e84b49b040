//! The journal of the model: what moved the line, chained by a digest.

use super::{Before, Model};
use crate::queue::health::AdaptivePace;
use crate::queue::journal::{BEGINNING, digest};
use crate::queue::{AbsentVisitors, Head, Mode, OriginHealth, RoomName, sha1};

/// Straight-in visitors are told together, once in this many milliseconds.
const STRAIGHT_MS: u64 = 10_000;
/// The longest word that stands in a line as it is.
const LONGEST_WORD: usize = 64;
/// From which pace on, in seconds, a budget is not raised for absent visitors.
const LONGEST_RAISED: u64 = 60;
/// The rule of a room that is open, and of a line in which no visitor waits.
const OPEN: &str = "open";
const WAITING: &str = "waiting";
/// What stands for nobody and for nothing.
pub(super) const NOBODY: &str = "-";
/// The name of the model's only operator.
pub(super) const OPERATOR: &str = "admin";

/// What a line tells of where the room's line stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Place {
    moved: Moved,
    length: u64,
    front_length: u64,
    period: Option<u64>,
    left: u64,
    credit: u64,
    came_back: (u64, u64, u64, u64),
}

/// What visitors who go in move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Moved {
    cursor: u64,
    front: u64,
    invited: u64,
}

/// What the store has of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Journal {
    /// The number and the digest of the last line, and what it told; nothing until the first one.
    known: Option<(u64, String)>,
    told: Moved,
    /// When a line told of straight-in visitors last, and by which rule later ones went in.
    straight: (u64, &'static str),
    /// The last line of the list, which may outlive the line.
    latest: Option<String>,
    /// How many visitors went straight in by an invitation.
    invited: u64,
    /// Of this verb: the lines, the place that they have told, and from where straight-in visitors are not told.
    lines: Vec<String>,
    written: (u64, String),
    at: Place,
    owed: Option<Place>,
}

impl Journal {
    /// The list outlives the line.
    pub(super) fn with_list_of(self, other: &Self) -> Self {
        let latest = other.latest.clone();
        Self { latest, ..self }
    }

    /// A visitor went straight in by an invitation.
    pub(super) fn count_invited(&mut self) {
        self.invited += 1;
    }

    fn push(&mut self, line: &str) {
        let line = format!("{} {line}", self.written.1);
        self.written.1 = digest(&RoomName::new("main"), &line);
        self.lines.push(line);
    }
}

/// A word of a line: what is long or has other letters stands there as its digest.
pub(super) fn word(text: &str) -> String {
    let word = text.replace(' ', ",");
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b":,~_./+@-".contains(&byte);
    if word.len() > LONGEST_WORD || !word.bytes().all(is_plain) {
        let digits = sha1::hex(text.as_bytes());
        let digits: String = digits.iter().take(16).copied().map(char::from).collect();
        return format!("sha1:{digits}");
    }
    if word.is_empty() {
        NOBODY.to_owned()
    } else {
        word
    }
}

impl Model {
    fn place(&self) -> Place {
        let (sign, front) = (&self.sign, self.sign.front.unwrap_or_default());
        let birth = &sign.birth;
        // The lines of regions count with the main line.
        let (cursor, length) = sign.in_regions();
        Place {
            moved: Moved {
                cursor: sign.cursor.0 + cursor,
                front: front.cursor.0,
                invited: self.journal.invited,
            },
            length: sign.length + length,
            front_length: front.length,
            period: self.period,
            left: self.left,
            credit: sign.credit,
            came_back: (sign.epoch, birth.born, birth.started, birth.adopted),
        }
    }

    /// How many lines the store knows of.
    pub(super) fn journal_lines(&self) -> u64 {
        self.journal.known.as_ref().map_or(0, |(lines, _)| *lines)
    }

    /// A verb begins.
    pub(super) fn open_journal(&mut self) {
        let place = self.place();
        let journal = &mut self.journal;
        let is_told = journal.known.is_none() || journal.told == place.moved;
        journal.owed = (!is_told).then_some(Place {
            moved: journal.told,
            ..place
        });
        journal.lines.clear();
        (journal.at, journal.written) = (place, journal.known.clone().unwrap_or_default());
    }

    /// A copy of the sign or a ticket may have brought the line back; a line without a journal begins one.
    pub(super) fn note_return(&mut self, who: &str, head: Option<Head>, now_ms: u64) {
        let what = head.map_or(NOBODY.to_owned(), |head| head.to_string());
        let (at, place) = (self.journal.at, self.place());
        let came_back = |place: Place| (place.came_back, place.moved.cursor, place.moved.front);
        if self.journal.written.0 == 0 {
            let latest = self.journal.latest.as_deref();
            self.journal.written = latest.map_or((0, BEGINNING.to_owned()), |latest| {
                let number = latest.split(' ').nth(1).and_then(|word| word.parse().ok());
                let main = RoomName::new("main");
                (number.unwrap_or_default(), digest(&main, latest))
            });
            let kind = if head.is_some() { "loss" } else { "begin" };
            self.note((kind, NOBODY), who, &what, now_ms);
        } else if came_back(at) != came_back(place) {
            self.note(("restore", NOBODY), who, &what, now_ms);
        }
    }

    /// One line; in front of it that of straight-in visitors who were not told.
    pub(super) fn note(&mut self, (kind, rule): (&str, &str), who: &str, what: &str, now_ms: u64) {
        if let Some(owed) = self.journal.owed.take() {
            let rule = self.straight_rule();
            let (from, to) = (owed.moved, self.journal.at);
            self.write(("straight", rule), (from, to), (NOBODY, NOBODY), now_ms);
        }
        let (from, to) = (self.journal.at.moved, self.place());
        self.write((kind, rule), (from, to), (who, what), now_ms);
        self.journal.at = to;
    }

    fn write(
        &mut self,
        (kind, rule): (&str, &str),
        (from, to): (Moved, Place),
        (who, what): (&str, &str),
        now_ms: u64,
    ) {
        self.journal.written.0 += 1;
        let number = self.journal.written.0;
        let front = match to.front_length {
            0 => NOBODY.to_owned(),
            length => format!("{}:{}:{length}", from.front, to.moved.front),
        };
        let period = to
            .period
            .map_or("-1".to_owned(), |period| period.to_string());
        let pace = format!(
            "{}:{}",
            self.sign.live.pace.automatic,
            self.most_of_a_period()
        );
        let Place { length, left, .. } = to;
        let (invited, credit) = (to.moved.invited - from.invited, to.credit);
        let (from, to) = (from.cursor, to.moved.cursor);
        self.journal.push(&format!(
            "{number} {now_ms} {kind} {from} {to} {length} {front} {invited} {period} {left} {credit} {pace} {rule} {who} {what}"
        ));
    }

    /// The most visitors that one period may let in.
    fn most_of_a_period(&self) -> u64 {
        let (pace, rule) = (self.sign.live.pace, &self.health_rule.0);
        let is_steered = rule.setting != OriginHealth::Off && rule.adaptive == AdaptivePace::On;
        let most = match (pace.automatic, rule.window_max) {
            (0, _) => 0,
            (_, most @ 1..) if is_steered => most,
            _ => pace.quantity,
        };
        let is_raised =
            self.absent_visitors == AbsentVisitors::On && pace.automatic <= LONGEST_RAISED;
        if is_raised {
            (most * 3).div_ceil(2)
        } else {
            most
        }
    }

    /// The rule of a release: an open room has none that binds.
    fn rule_now(&self, now_ms: u64) -> &'static str {
        match self.mode(now_ms) {
            Mode::Open => OPEN,
            _ => self.explained(now_ms).bound_by.name(),
        }
    }

    /// An operator sets something.
    pub(super) fn note_change(&mut self, what: &str, now_ms: u64) {
        self.note(("change", NOBODY), OPERATOR, &word(what), now_ms);
    }

    /// A permit moved the line.
    pub(super) fn note_permit(&mut self, what: &str, now_ms: u64) {
        let rule = self.explained(now_ms).bound_by.name();
        self.note(("permit", rule), OPERATOR, what, now_ms);
    }

    /// Visitors who waited were released.
    pub(super) fn note_released(&mut self, before: Before, now_ms: u64) {
        let (at, place) = (self.journal.at.moved, self.place().moved);
        let is_moved = (at.cursor, at.front) != (place.cursor, place.front);
        if before == Before::Waiting && is_moved {
            let rule = self.rule_now(now_ms);
            self.note(("release", rule), NOBODY, NOBODY, now_ms);
        }
    }

    /// The rule by which straight-in visitors went in.
    fn straight_rule(&self) -> &'static str {
        match self.journal.straight.1 {
            "" => WAITING,
            rule => rule,
        }
    }

    /// The verb ends.
    pub(super) fn close_journal(&mut self, before: Before, now_ms: u64) {
        self.note_released(before, now_ms);
        let (at, place) = (self.journal.at, self.place());
        let from = self.journal.owed.unwrap_or(at);
        if from.moved != place.moved {
            if at.moved != place.moved {
                let before = self.journal.owed.map(|_| self.straight_rule());
                let is_open = before == Some(OPEN) || self.mode(now_ms) == Mode::Open;
                self.journal.straight.1 = if is_open { OPEN } else { WAITING };
            }
            let age = now_ms.checked_sub(self.journal.straight.0);
            if age.is_none_or(|age| age >= STRAIGHT_MS) {
                let rule = self.straight_rule();
                let (from, nobody) = (from.moved, (NOBODY, NOBODY));
                self.write(("straight", rule), (from, place), nobody, now_ms);
                (self.journal.owed, self.journal.straight.0) = (None, now_ms);
            } else {
                self.journal.owed = Some(from);
            }
            self.journal.at = place;
        }
        let journal = &mut self.journal;
        journal.told = journal.owed.unwrap_or(journal.at).moved;
        journal.known = Some(journal.written.clone());
        journal.latest = journal.lines.last().cloned().or(journal.latest.take());
        self.sign.head = Head::of(&self.journal.written.1);
        self.sign.lines = Some(self.journal_lines());
    }
}
