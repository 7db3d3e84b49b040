//! The state of a line as one call of the store left it, in words that no wire has.

use now_serving::queue::{self, Begun, CurrentEvent, Groups, Lane, Mode, Pace, Phase, Stretch};
use std::collections::BTreeMap;

use crate::held::Held;

/// Numbers of one lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// The last number admitted.
    pub cursor: u64,
    /// Numbers drawn.
    pub length: u64,
}

impl Numbers {
    /// Numbers that wait.
    #[must_use]
    pub fn waiting(self) -> u64 {
        self.length.saturating_sub(self.cursor)
    }
}

/// The state of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// The roll that gives numbers now, and how often its data took over what older ones knew. Of two boards the greater one is of newer
    /// data.
    pub order: (u64, u64),
    /// The first roll that counts, and the first one of which visits count.
    pub epoch: u64,
    /// The same of visits.
    pub visits_epoch: u64,
    /// Whether an older roll may still come back.
    pub is_young: bool,
    /// What each lane has of the rolls, the oldest first.
    pub rolls: BTreeMap<Lane, Vec<Stretch>>,
    /// The numbers of each lane that the line has; the main line always.
    pub lanes: BTreeMap<Lane, Numbers>,
    /// The groups by the settings of the POP that called.
    pub groups: Groups,
    /// Visitors released since the data began.
    pub admitted: u64,
    /// Numbers drawn since the data began.
    pub drawn: u64,
    /// Visitors that may go in besides the pace.
    pub credit: u64,
    /// The mode that an operator set.
    pub mode: Mode,
    /// The pace.
    pub pace: Pace,
    /// Sessions and promised slots, where they are counted.
    pub taken: Option<u64>,
    /// The cap, where it holds visitors back.
    pub cap: Option<u64>,
    /// The event whose time it is.
    pub event: Option<CurrentEvent>,
    /// The event that the line has begun.
    pub begun: Option<Begun>,
}

/// Place of the holder of a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// With this number of a roll of the lane.
    At(Lane, u64, u64),
    /// The roll of the ticket has ended.
    Ended,
    /// The roll of the ticket may still come back.
    Unsettled,
}

impl Board {
    /// The numbers of a lane.
    #[must_use]
    pub fn of(&self, lane: Lane) -> Numbers {
        self.lanes.get(&lane).copied().unwrap_or_default()
    }

    /// The lanes of lower ranks than that of this group together.
    #[must_use]
    pub fn below(&self, rank: usize) -> Numbers {
        self.below_in(rank, &self.groups)
    }

    /// The same by these settings.
    #[must_use]
    pub fn below_in(&self, rank: usize, groups: &Groups) -> Numbers {
        let higher = groups.list.get(..=rank).unwrap_or(&groups.list);
        let is_below = |lane: &Lane| higher.iter().all(|of| Lane::Named(of.name) != *lane);
        self.sum(is_below)
    }

    /// Some lanes together.
    #[must_use]
    pub fn sum(&self, of: impl Fn(&Lane) -> bool) -> Numbers {
        let lanes = self.lanes.iter().filter(|(lane, _)| of(lane));
        lanes.fold(Numbers::default(), |sum, (_, lane)| Numbers {
            cursor: sum.cursor.saturating_add(lane.cursor),
            length: sum.length.saturating_add(lane.length),
        })
    }

    /// The phase of the event whose time it is.
    #[must_use]
    pub fn phase(&self) -> Option<Phase> {
        self.event.as_ref().map(|event| event.phase)
    }

    /// Place of the holder of this ticket; nothing where the ticket has no number.
    #[must_use]
    pub fn place_of(&self, held: &Held) -> Option<Place> {
        let number = held.number?;
        if held.born < self.epoch {
            return Some(Place::Ended);
        }
        let Some(of) = self.stretch(held.lane, held.born) else {
            // A ticket that is younger than the board is no contradiction to it.
            let may_come = self.is_young || held.born >= self.order.0;
            return Some(if may_come {
                Place::Unsettled
            } else {
                Place::Ended
            });
        };
        if number > of.drawn {
            return Some(Place::Unsettled);
        }
        let by_lot = self.begun.as_ref().filter(|_| held.came.is_none());
        let drawn = queue::Place::new(held.born, number);
        let by_lot = by_lot.and_then(|begun| begun.of(held.lane).by_lot(drawn));
        let place = by_lot.unwrap_or(drawn);
        Some(Place::At(held.lane, place.born, place.position.0))
    }

    /// What a lane has of a roll.
    #[must_use]
    pub fn stretch(&self, lane: Lane, born: u64) -> Option<Stretch> {
        let rolls = self.rolls.get(&lane)?;
        rolls.iter().copied().find(|of| of.born == born)
    }
}
