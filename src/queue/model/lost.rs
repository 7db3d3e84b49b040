//! What is left free in each lane after the store lost data. `store/lua/lanes.lua` and `store/lua/restore.lua` have the same rules.

use super::Model;
use super::birth::{LEAST_GAP, behind};
use crate::queue::{Cursor, FrontLane, Lane, Sign};

/// What a copy of the sign, or a ticket, said of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    None,
    /// More of a line that these data began after.
    Line,
    /// These data are of before a loss.
    Loss,
}

/// Where a lane goes on: numbers are left free behind those that are known here and by a copy. Of data from before a loss, what
/// they know is old too. Where nobody is known to wait, the free numbers are called: no release is spent on them. Nothing, where
/// none is left free.
fn left_free(here: FrontLane, copy: FrontLane, news: News) -> Option<FrontLane> {
    let behind = |lane: FrontLane| lane.length + lane.recent.max(LEAST_GAP);
    let old = (news == News::Loss && here.length > 0).then(|| behind(here));
    let known = (copy.length > 0 || here.length == 0).then(|| behind(copy));
    let length = old.max(known).filter(|length| *length > here.length)?;
    let cursor = here.cursor.max(copy.cursor);
    let is_idle = here.length.max(copy.length) <= cursor.0;
    Some(FrontLane {
        cursor: if is_idle { Cursor(length) } else { cursor },
        length,
        recent: 0,
    })
}

impl Model {
    /// Where the cursor stands by what a copy knows. Beside the lines of regions, where neither it nor these data know of a visitor
    /// who waits in the main line, the numbers left free behind it are called: no part of a release is spent on them.
    pub(super) fn cursor_by(&self, known: &Sign) -> Cursor {
        let birth = &self.sign.birth;
        let own = birth.young.then(|| birth.splice_of(birth.started));
        let end = own.flatten().map_or(self.sign.length, |own| own.offset);
        let is_idle = birth.born != known.birth.born || end <= self.sign.cursor.max(known.cursor).0;
        if self.knows_regions() && is_idle && known.length <= known.cursor.0 {
            Cursor(behind(known))
        } else {
            known.cursor
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
        let is_here = known.birth.born == self.sign.birth.born;
        let front = known.front.filter(|_| is_here);
        self.take_lane(Lane::Front, front.unwrap_or_default(), news, now_ms);
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
            self.take_lane(Lane::Region(name), copy.unwrap_or_default(), news, now_ms);
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
        let free = left_free(here, copy, news).filter(|_| has_lost && is_known);
        if let Some(free) = free {
            self.begin_lane_at(lane, free.length);
        }
        let cursor = free.map_or(copy.cursor, |free| free.cursor);
        self.remember_lane_cursor(lane, cursor);
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
