//! The journal, line by line: each follows the one before, keeps its rules, and tells where the line stands.

use now_serving::queue::journal::{BEGINNING, JournalKind, JournalLine, digest};
use now_serving::queue::{Lane, RoomName};

use super::History;
use crate::board::{Board, Numbers};
use crate::broken::Broken;
use crate::journal::{comes_back, keeps_to_the_pace_of, may_explain, wrong_with, wrong_with_lot};
use crate::said::Said;

/// The most lines of an answer: where it has so many, it may have the oldest that its POP lacks, and not those that the call wrote.
const PAGE: usize = 32;

/// A line by which more went in than its pace allows, until a later one explains it.
pub(super) struct Pending {
    text: String,
    before: String,
    found: String,
}

/// Lines that one call wrote.
#[derive(Default)]
pub(super) struct Wrote {
    /// The last line, where no later one can be in the store.
    last: Option<String>,
    /// Whether a copy or a ticket brought numbers back.
    pub(super) came_back: bool,
}

impl History {
    /// Lines that the call wrote, checked one by one; and those before them that it told once more.
    pub(super) fn note(&mut self, said: &Said) -> Wrote {
        let Some((lines, head)) = said.noted() else {
            return Wrote::default();
        };
        let room = RoomName::new(said.room().unwrap_or_default());
        self.checks
            .must("a head has a line", !lines.is_empty(), || head.clone());
        let (mut wrote, mut last) = (Wrote::default(), None);
        let has_all = lines.len() < PAGE;
        for text in lines {
            let Some(line) = JournalLine::read(&text) else {
                self.checks
                    .must("a line of the journal is written so", false, || text);
                continue;
            };
            let digest = digest(&room, &text);
            let before = last.replace(digest.clone());
            let is_next = before.is_none_or(|before| before == line.previous);
            self.checks
                .must("the lines of an answer hang together", is_next, || {
                    text.clone()
                });
            if self.lines.contains_key(&digest) {
                wrote.last = None;
                continue;
            }
            wrote.came_back |= comes_back(&line);
            self.lines.insert(digest.clone(), text.clone());
            wrote.last = has_all.then(|| text.clone());
            self.data.untold.insert(line.number, (digest, text));
            self.take_up_untold();
        }
        self.checks.holds(
            "the head is the digest of the last line",
            last.as_ref() == Some(&head),
            || format!("the answer has {head}, and the last line {last:?}"),
        );
        wrote
    }

    /// Judges the lines that stand behind the last one: all but those before which one is missing, which an answer will bring.
    fn take_up_untold(&mut self) {
        while let Some((number, (digest, text))) = self.data.untold.pop_first() {
            let Some(line) = JournalLine::read(&text) else {
                continue;
            };
            let last = self.data.last_line.as_ref();
            let is_missing = |last: &String| {
                let last_line = JournalLine::read(self.lines.get(last)?)?;
                Some(line.previous != last && number > last_line.number + 1)
            };
            if last.and_then(is_missing).unwrap_or(false) {
                self.data.untold.insert(number, (digest, text));
                return;
            }
            self.follows_the_line_before(&line, &text);
            self.data.last_line = Some(digest);
        }
    }

    fn follows_the_line_before(&mut self, line: &JournalLine<'_>, text: &str) {
        let last = self.data.last_line.as_deref();
        // Data without a journal begin one, or go on behind the list that was left.
        let is_next = match last {
            Some(last) => last == line.previous,
            None => line.previous == BEGINNING || self.lines.len() == 1 || self.losses > 0,
        };
        self.checks
            .holds("each line of the journal follows the last", is_next, || {
                format!("{text} behind {last:?}")
            });
        self.is_explained_by(line);
        let bent = wrong_with_lot(line, |line| {
            let text = self.lines.get(line.previous);
            text.and_then(|text| JournalLine::read(text))
        });
        if let Some(found) = bent {
            self.breaks_its_rules(text, &found);
        }
        let before_text = self.lines.get(line.previous);
        let before = before_text.and_then(|text| JournalLine::read(text));
        let wrong = wrong_with(line, before.as_ref());
        self.checks.count("a line of the journal keeps its rules");
        match (wrong, before_text) {
            (None, _) => {}
            (Some(wrong), Some(before)) if wrong.is_over_its_pace => self.pending.push(Pending {
                text: text.to_owned(),
                before: before.clone(),
                found: wrong.found,
            }),
            (Some(wrong), _) => self.breaks_its_rules(text, &wrong.found),
        }
    }

    /// A line that was over its pace is explained by a later one of another pace, or is wrong.
    fn is_explained_by(&mut self, later: &JournalLine<'_>) {
        let mut wrong = Vec::new();
        self.pending.retain(|pending| {
            let line = JournalLine::read(&pending.text);
            let before = JournalLine::read(&pending.before);
            let Some((line, before)) = line.zip(before) else {
                return false;
            };
            let may_explain = may_explain(&line, later);
            if !may_explain {
                wrong.push((pending.text.clone(), pending.found.clone()));
            }
            may_explain && !keeps_to_the_pace_of(&line, later, &before)
        });
        for (text, found) in wrong {
            self.breaks_its_rules(&text, &found);
        }
    }

    fn breaks_its_rules(&mut self, text: &str, found: &str) {
        self.checks
            .must("a line of the journal keeps its rules", false, || {
                format!("{found}: {text}")
            });
    }

    /// The history ends: what only a later line could have explained is wrong.
    ///
    /// # Errors
    /// The lines by which more went in than their pace allows.
    pub fn ends(&mut self) -> Result<(), Broken> {
        for pending in std::mem::take(&mut self.pending) {
            self.breaks_its_rules(&pending.text, &pending.found);
        }
        self.checks.verdict()
    }

    /// The journal has the numbers of the board: the main line and the regions together, and each group.
    pub(super) fn journal_is_of(&mut self, board: &Board, wrote: &Wrote) {
        let last = wrote.last.as_deref().and_then(JournalLine::read);
        let Some(last) = last else {
            return;
        };
        let is_alone = |lane: &Lane| match lane {
            Lane::Main => false,
            Lane::Named(name) => last.groups.contains_key(name),
        };
        let Numbers { cursor, length } = board.sum(|lane| !is_alone(lane));
        self.checks.must(
            "the journal is not ahead of the line",
            last.main.to <= cursor && last.main.length <= length,
            || format!("{last:?}: {board:?}"),
        );
        // Visitors who go straight in behind a line share a later one.
        if !matches!(last.kind, JournalKind::Release | JournalKind::Straight) {
            return;
        }
        let name = if board
            .lanes
            .keys()
            .all(|lane| is_alone(lane) || *lane == Lane::Main)
        {
            "the journal tells where the line stands"
        } else {
            "the journal has the sum of the regions"
        };
        let mut groups = last.groups.iter();
        let is_told = last.main.to == cursor
            && groups.all(|(name, of)| of.to == board.of(Lane::Named(*name)).cursor);
        self.checks
            .holds(name, is_told, || format!("{last:?}: {board:?}"));
    }
}
