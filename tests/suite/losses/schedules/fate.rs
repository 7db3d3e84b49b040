//! What each visitor was told, and who went in before whom.

use std::collections::BTreeMap;

use serde_json::Value;

/// Visitors who drew this much later are later: until then their requests may have been under way together.
const LATER_MS: u64 = 2_000;
/// A visitor who is told to wait this long after another one went in was not only shown an older copy of the board.
const SEEN_MS: u64 = 2_500;

/// What visitors lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Lost {
    pub(super) visitors: u64,
    /// What happened to stores, POPs and clocks; a backup alone is no fault.
    pub(super) faults: u64,
    /// Visitors who are outside long after everything is whole again, and whose page polls and is told nothing.
    pub(super) never_in: u64,
    /// Those of them who are outside long after they loaded the page again, too.
    pub(super) never_in_anew: u64,
    /// Visitors who were told that the line of their number has ended, though no operator ended it after they drew.
    pub(super) told_ended: u64,
    /// Visitors who lost their number for another reason, such as a turn that is over.
    pub(super) told_otherwise: u64,
    /// Visitors who still waited when another one of their lane was in who drew later, with no *End all tickets* in between.
    pub(super) overtaken: u64,
    /// The most by which such a visitor drew later.
    pub(super) longest_ms: u64,
    /// Visitors who went in before one who drew earlier and still waited.
    pub(super) overtook: u64,
    /// Visitors who were shown a position together with another visitor of their lane who came before.
    pub(super) given_twice: u64,
    /// Of the turns at the end while visitors waited: how many let no visitor in.
    pub(super) empty_turns: u64,
    pub(super) turns: u64,
}

impl Lost {
    pub(super) fn note(&mut self, visitor: &Visitor) {
        let marks = visitor.marks;
        self.visitors += 1;
        self.told_ended += u64::from(marks.told_ended);
        self.told_otherwise += u64::from(marks.told_otherwise);
        self.given_twice += u64::from(marks.given_twice);
        self.overtaken += u64::from(marks.overtaken_ms > 0);
        self.longest_ms = self.longest_ms.max(marks.overtaken_ms);
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.visitors += other.visitors;
        self.faults += other.faults;
        self.never_in += other.never_in;
        self.never_in_anew += other.never_in_anew;
        self.told_ended += other.told_ended;
        self.told_otherwise += other.told_otherwise;
        self.overtaken += other.overtaken;
        self.longest_ms = self.longest_ms.max(other.longest_ms);
        self.overtook += other.overtook;
        self.given_twice += other.given_twice;
        self.empty_turns += other.empty_turns;
        self.turns += other.turns;
    }
}

/// When a visitor drew, and how often all tickets had been ended on purpose before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drawn {
    pub(super) at_ms: u64,
    pub(super) endings: u64,
}

/// A browser on the waiting page.
pub(super) struct Visitor {
    pub(super) address: [u8; 4],
    pub(super) country: &'static str,
    pub(super) pop: usize,
    pub(super) ticket: Option<String>,
    /// How often the page polls; never by itself on a phone that sleeps.
    pub(super) every_ms: Option<u64>,
    pub(super) due_ms: u64,
    pub(super) lane: &'static str,
    pub(super) drawn: Option<Drawn>,
    /// The position that it was shown last, and how many turns come before.
    pub(super) position: Option<u64>,
    pub(super) ahead: Option<u64>,
    /// The position on the page, which is loaded again where a poll tells another one.
    pub(super) on_page: Option<u64>,
    pub(super) is_in: bool,
    /// Whether a poll said that the ticket is no longer one, and no new number was shown since.
    pub(super) is_ended: bool,
    pub(super) notice: Option<String>,
    pub(super) marks: Marks,
}

/// What one visitor lost.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Marks {
    pub(super) told_ended: bool,
    pub(super) told_otherwise: bool,
    pub(super) given_twice: bool,
    /// By how much the latest visitor drew later who went in before.
    pub(super) overtaken_ms: u64,
}

impl Visitor {
    pub(super) fn new(address: [u8; 4], country: &'static str, lane: &'static str) -> Self {
        Self {
            address,
            country,
            pop: 0,
            ticket: None,
            every_ms: None,
            due_ms: 0,
            lane,
            drawn: None,
            position: None,
            ahead: None,
            on_page: None,
            is_in: false,
            is_ended: false,
            notice: None,
            marks: Marks::default(),
        }
    }

    /// The answer to a page that was asked for. The notice stays on the ticket, so it is news only where it is another one, or
    /// the number before has ended.
    pub(super) fn is_shown(&mut self, told: &Value, now: Drawn) {
        self.is_placed(told);
        self.on_page = self.position;
        let notice = told["notice"].as_str().map(str::to_owned);
        let is_news = notice.is_some() && (notice != self.notice || self.is_ended);
        if is_news {
            let is_on_purpose = self.drawn.is_some_and(|drawn| drawn.endings < now.endings);
            match notice.as_deref() {
                Some("line_started_anew") => self.marks.told_ended |= !is_on_purpose,
                _ => self.marks.told_otherwise = true,
            }
            self.drawn = None;
            self.marks.overtaken_ms = 0;
        }
        if self.position.is_some() {
            self.notice = notice;
            self.is_ended = false;
            self.drawn.get_or_insert(now);
        }
    }

    /// Where an answer says that it stands.
    pub(super) fn is_placed(&mut self, told: &Value) {
        self.position = told["position"].as_u64();
        let cursor = told["cursor"].as_u64();
        let numbers = self.position.zip(cursor);
        self.ahead = numbers.map(|(position, cursor)| position.saturating_sub(cursor + 1));
    }
}

/// Who went in, by lane and by the endings before the draw.
#[derive(Default)]
pub(super) struct Entrances(BTreeMap<(&'static str, u64), Vec<Entrance>>);

struct Entrance {
    at_ms: u64,
    drawn_ms: u64,
    /// The latest draw of all that had gone in by then.
    latest_ms: u64,
    overtook: bool,
}

impl Entrances {
    pub(super) fn goes_in(&mut self, visitor: &mut Visitor, now: Drawn) {
        let drawn = *visitor.drawn.get_or_insert(now);
        visitor.is_in = true;
        let all = self.0.entry((visitor.lane, drawn.endings)).or_default();
        let latest_ms = all.last().map_or(0, |last| last.latest_ms);
        all.push(Entrance {
            at_ms: now.at_ms,
            drawn_ms: drawn.at_ms,
            latest_ms: latest_ms.max(drawn.at_ms),
            overtook: false,
        });
    }

    /// Another visitor has gone in who drew later than this one, who is told to wait now: by how much, if no one drew so much
    /// later before.
    pub(super) fn waits(&mut self, visitor: &mut Visitor, now_ms: u64) -> Option<u64> {
        let drawn = visitor.drawn?;
        let all = self.0.get_mut(&(visitor.lane, drawn.endings))?;
        let many = all.partition_point(|entrance| entrance.at_ms + SEEN_MS <= now_ms);
        let before = &mut all[..many];
        let by_ms = before.last()?.latest_ms.checked_sub(drawn.at_ms)?;
        if by_ms < LATER_MS {
            return None;
        }
        let later = before.iter_mut();
        for entrance in later.filter(|entrance| entrance.drawn_ms >= drawn.at_ms + LATER_MS) {
            entrance.overtook = true;
        }
        let overtaken_ms = &mut visitor.marks.overtaken_ms;
        let is_news = by_ms > *overtaken_ms;
        *overtaken_ms = by_ms.max(*overtaken_ms);
        is_news.then_some(by_ms)
    }

    pub(super) fn overtook(&self) -> u64 {
        let all = self.0.values().flatten();
        all.filter(|entrance| entrance.overtook).count() as u64
    }
}

/// A visitor who was shown a position, in a lane.
pub(super) struct Shown {
    pub(super) at: usize,
    pub(super) lane: &'static str,
    pub(super) position: u64,
    pub(super) drawn_ms: u64,
}

/// Of those who were shown one position, all but the one who drew first.
pub(super) fn repeated(shown: &[Shown]) -> Vec<usize> {
    let mut by_position: BTreeMap<(&str, u64), Vec<(u64, usize)>> = BTreeMap::new();
    for shown in shown {
        let holders = by_position.entry((shown.lane, shown.position)).or_default();
        holders.push((shown.drawn_ms, shown.at));
    }
    let mut later = Vec::new();
    for mut holders in by_position.into_values() {
        holders.sort_unstable();
        later.extend(holders.iter().skip(1).map(|(_, at)| *at));
    }
    later
}
