//! What is left free in each lane after the store lost data. `store/lua/lanes.lua` and `store/lua/restore.lua` have the same rules.

use super::birth::LEAST_GAP;
use super::journal::NOBODY;
use super::{Before, Model};
use crate::queue::{Cursor, FrontLane, Lane, Mode, Sign, Splice};

/// What a copy of the sign, or a ticket, said of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    None,
    /// More of a line that these data began after.
    Line,
    /// These data are of before a loss.
    Loss,
}

/// The numbers that a loss left free in a lane: behind the first, up to the second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Gap {
    behind: u64,
    end: u64,
}

/// Where a lane goes on: numbers are left free behind those that are known here and by a copy. Of data from before a loss, what
/// they know is old too. Nothing, where none is left free.
fn goes_on(here: FrontLane, copy: FrontLane, news: News) -> Option<u64> {
    let behind = |lane: FrontLane| lane.length + lane.recent.max(LEAST_GAP);
    let old = (news == News::Loss && here.length > 0).then(|| behind(here));
    let known = (copy.length > 0 || here.length == 0).then(|| behind(copy));
    old.max(known).filter(|length| *length > here.length)
}

/// The birth of the last piece that a copy knows, and where it begins.
fn last_piece(known: &Sign) -> (u64, u64) {
    let last = known.birth.splices.last();
    last.map_or((known.birth.born, 0), |last| (last.born, last.offset))
}

impl Model {
    fn gap(&self, lane: Lane) -> Gap {
        self.gaps.get(&lane).copied().unwrap_or_default()
    }

    /// Where the numbers end that visitors are known to hold: behind them may be those that a loss left free.
    fn known_end(&self, lane: Lane, last: u64) -> u64 {
        let gap = self.gap(lane);
        if gap.end == last { gap.behind } else { last }
    }

    /// How many numbers that were left free are in front of visitors who drew since, and not passed.
    fn free_ahead(&self, lane: Lane) -> u64 {
        let (gap, numbers) = (self.gap(lane), self.sign.of(lane));
        let ahead = gap.end.saturating_sub(gap.behind.max(numbers.cursor.0));
        if gap.end < numbers.length { ahead } else { 0 }
    }

    /// Behind which number the piece of this birth begins here.
    fn begin_of(&self, born: u64) -> Option<u64> {
        let birth = &self.sign.birth;
        let begin = birth.splice_of(born).map(|piece| piece.offset);
        if born == birth.born { Some(0) } else { begin }
    }

    /// How many numbers of the last piece that a copy knows, and of those behind it, these data know in front of their own.
    pub(super) fn known_of_last(&self, known: &Sign) -> u64 {
        let birth = &self.sign.birth;
        let begin = self.begin_of(last_piece(known).0);
        let own = birth.young.then(|| birth.splice_of(birth.started));
        let own = own.flatten().map(|own| own.offset);
        let end = self.known_end(Lane::Main, own.unwrap_or(self.sign.length));
        begin.map_or(0, |begin| end.saturating_sub(begin))
    }

    /// Beside the lines of regions the main line goes past the numbers that are left free behind what a copy knows: they would have a
    /// share of each release. These data begin behind the last piece that the copy knows.
    pub(super) fn leave_gap(&mut self, known: &Sign, here: u64, now_ms: u64) {
        let is_young = self.is_young(now_ms);
        let birth = &self.sign.birth;
        let own = birth.splices.split_last();
        let own = own.filter(|(own, _)| is_young && own.born == birth.started);
        let is_behind = |past: &[Splice]| {
            let last = past.last().map(|last| (last.born, last.offset));
            last.unwrap_or((birth.born, 0)) == last_piece(known)
        };
        let own = own.filter(|(_, past)| is_behind(past));
        let behind = known.length.max(last_piece(known).1 + here);
        let Some(end) = own.map(|(own, _)| own.offset).filter(|end| behind < *end) else {
            return;
        };
        if self.knows_regions() || !known.regions.is_empty() {
            self.gaps.insert(Lane::Main, Gap { behind, end });
        }
    }

    /// A visitor holds this number, so it is not among those that a loss left free, nor are those before it. A number behind them may
    /// have been drawn since.
    pub(super) fn show_held(&mut self, lane: Lane, number: u64) {
        if let Some(gap) = self.gaps.get_mut(&lane)
            && gap.behind < number
            && number <= gap.end
        {
            gap.behind = number;
        }
    }

    /// A copy of data of before the loss knows of numbers up to this one.
    fn show_known(&mut self, lane: Lane, length: u64) {
        self.show_held(lane, length.min(self.gap(lane).end));
    }

    /// The same of the main line, also where its pieces move no more.
    fn show_main(&mut self, known: &Sign) {
        let (born, offset) = last_piece(known);
        if let Some(begin) = self.begin_of(born) {
            self.show_known(Lane::Main, (begin + known.length).saturating_sub(offset));
        }
    }

    /// Whether a copy or a ticket says something of this line: where it was begun anew on purpose, the numbers of before are of no use.
    pub(super) fn is_of_this(&self, born: u64, epoch: u64) -> bool {
        let (birth, now) = (&self.sign.birth, self.sign.epoch);
        born == birth.born && (epoch >= now || !birth.sealed)
    }

    /// Whether a copy shows more of the front lane or of a region.
    pub(super) fn lanes_are_behind(&self, known: &Sign) -> bool {
        let front = known.front.unwrap_or_default();
        let front = (Lane::Front, front.cursor, front.length);
        let regions = known.regions.iter();
        let regions = regions.map(|line| (Lane::Region(line.name), line.cursor, line.length));
        std::iter::once(front)
            .chain(regions)
            .any(|(lane, cursor, length)| {
                let here = self.sign.of(lane);
                length > here.length || cursor > here.cursor
            })
    }

    /// The lanes that have come to numbers that a loss left free go past them, so no release is spent on them. Who holds one of them,
    /// and was known to nobody until now, goes in. Those of an order by lot are spread over the line.
    pub(super) fn pass_gaps(&mut self, now_ms: u64) {
        let lets_in = matches!(self.mode(now_ms), Mode::Automatic | Mode::Open);
        if !lets_in || now_ms < self.quiet_ms {
            return;
        }
        let by_lot = (self.sign.begun.as_ref()).is_some_and(|begun| begun.order.is_drawn());
        let is_at = |(lane, gap): &(Lane, Gap)| {
            let cursor = self.sign.of(*lane).cursor.0;
            let has_come = gap.behind <= cursor && cursor < gap.end;
            has_come && !(by_lot && *lane == Lane::Main)
        };
        let gaps = self.gaps.iter().map(|(lane, gap)| (*lane, *gap));
        let at: Vec<(Lane, Gap)> = gaps.filter(is_at).collect();
        if at.is_empty() {
            return;
        }
        self.note_released(Before::Waiting, now_ms);
        for (lane, gap) in at {
            let length = self.sign.of(lane).length;
            self.go_past_gap(lane, Cursor(gap.end.min(length)));
        }
        self.note(("restore", NOBODY), NOBODY, "free", now_ms);
    }

    fn go_past_gap(&mut self, lane: Lane, cursor: Cursor) {
        match lane {
            Lane::Main => {
                self.sign.cursor = cursor;
                self.measuring.forget();
            }
            Lane::Front => self.remember_front_cursor(cursor),
            Lane::Region(name) => self.remember_region_cursor(name, cursor),
        }
    }

    /// What a copy of the sign knows of the front lane and of the regions.
    pub(super) fn take_lanes(&mut self, known: &Sign, before: (u64, u64), now_ms: u64) {
        let (started, adopted) = self.sign.birth.order();
        let news = if started != before.0 {
            News::Loss
        } else if adopted != before.1 {
            News::Line
        } else {
            News::None
        };
        // A copy of these data knows no more of what they left free.
        let is_of_others = known.birth.started != self.sign.birth.started;
        let is_here = self.is_of_this(known.birth.born, known.epoch);
        // Another one may show more of a lane alone.
        let is_further = is_of_others && self.is_young(now_ms);
        let news_of = |copy: &FrontLane| match news {
            News::None if is_further && copy.length > 0 => News::Line,
            _ => news,
        };
        if is_of_others && is_here {
            self.show_main(known);
        }
        let front = known.front.filter(|_| is_here).unwrap_or_default();
        if is_of_others {
            self.show_known(Lane::Front, front.length);
        }
        self.take_lane(Lane::Front, front, news_of(&front), now_ms);
        let regions = known.regions.iter().filter(|_| is_here);
        let regions: Vec<_> = regions.collect();
        for line in &regions {
            self.know(line.name);
        }
        for name in self.names() {
            let line = regions.iter().find(|line| line.name == name);
            let copy = line.map(|line| FrontLane {
                cursor: line.cursor,
                length: line.length,
                recent: line.recent,
            });
            let copy = copy.unwrap_or_default();
            if is_of_others {
                self.show_known(Lane::Region(name), copy.length);
            }
            self.take_lane(Lane::Region(name), copy, news_of(&copy), now_ms);
        }
    }

    /// Data were lost, of which a ticket tells.
    pub(super) fn leave_free(&mut self, now_ms: u64) {
        let regions = self.names().into_iter().map(Lane::Region);
        let lanes: Vec<Lane> = std::iter::once(Lane::Front).chain(regions).collect();
        for lane in lanes {
            self.take_lane(lane, FrontLane::default(), News::Loss, now_ms);
        }
    }

    fn take_lane(&mut self, lane: Lane, copy: FrontLane, news: News, now_ms: u64) {
        let here = self.lane_now(lane, now_ms);
        let has_lost = news != News::None || copy.length > here.length;
        let is_known = here.length > 0 || copy.length > 0 || self.has_lane(lane);
        let end = goes_on(here, copy, news).filter(|_| has_lost && is_known);
        if let Some(end) = end {
            let behind = self.known_end(lane, here.length).max(copy.length);
            if news == News::Loss || end - behind > self.free_ahead(lane) {
                // One row of free numbers is kept: the longer one.
                self.gaps.insert(lane, Gap { behind, end });
            }
            self.begin_lane_at(lane, end);
        }
        self.remember_lane_cursor(lane, copy.cursor);
    }

    fn lane_now(&mut self, lane: Lane, now_ms: u64) -> FrontLane {
        let sign = self.sign.of(lane);
        let (cursor, length) = (sign.cursor, sign.length);
        let windows = match lane {
            Lane::Main => self.windows,
            Lane::Front => self.front.windows,
            Lane::Region(name) => self.know(name).windows,
        };
        FrontLane {
            cursor,
            length,
            recent: windows.recent(now_ms, length),
        }
    }

    fn has_lane(&self, lane: Lane) -> bool {
        match lane {
            Lane::Main => true,
            Lane::Front => self.front.percent > 0,
            Lane::Region(name) => self.configured(name).is_some(),
        }
    }

    fn begin_lane_at(&mut self, lane: Lane, length: u64) {
        match lane {
            // Its pieces are laid.
            Lane::Main => {}
            Lane::Front => self.begin_front_at(length),
            Lane::Region(name) => self.begin_region_at(name, length),
        }
    }

    fn remember_lane_cursor(&mut self, lane: Lane, cursor: Cursor) {
        match lane {
            Lane::Main => self.remember_cursor(cursor),
            Lane::Front => self.remember_front_cursor(cursor),
            Lane::Region(name) => self.remember_region_cursor(name, cursor),
        }
    }
}
