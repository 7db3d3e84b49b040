//! A line as the pieces that its data gave: what POPs know of the same line is joined piece by piece.
//!
//! Invariant: a piece follows behind all numbers that any copy knew of the pieces before it.

use crate::queue::{Birth, Splice};

/// How many splices are remembered.
const SPLICES: usize = 8;

/// The numbers that the data of one birth gave.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) born: u64,
    pub(super) many: u64,
}

/// A line. What has settled stays where it is; a younger piece moves back when more is known of the pieces before it.
#[derive(Clone, Debug, Default)]
pub(super) struct Pieces {
    settled: u64,
    /// What has settled.
    ground: Option<Piece>,
    /// The births whose numbers are among those that have settled.
    among: Vec<Splice>,
    moving: Vec<Piece>,
}

impl Pieces {
    /// The line of this birth, whose last piece ends at `end`.
    pub(super) fn of(birth: &Birth, end: u64) -> Self {
        let is_among = |splice: &Splice| splice.born <= birth.settled;
        let (among, moved): (Vec<_>, Vec<_>) = birth.splices.iter().copied().partition(is_among);
        let first = Splice {
            born: birth.born,
            offset: 0,
        };
        let begins: Vec<Splice> = std::iter::once(first).chain(moved).collect();
        let ends = begins.iter().skip(1).map(|splice| splice.offset);
        let ends = ends.chain(std::iter::once(end));
        let pieces = begins.iter().zip(ends).map(|(begin, end)| Piece {
            born: begin.born,
            many: end.saturating_sub(begin.offset),
        });
        let mut moving: Vec<Piece> = pieces.collect();
        let ground = (birth.born <= birth.settled).then(|| moving.remove(0));
        Self {
            settled: birth.settled,
            ground,
            among,
            moving,
        }
    }

    /// Takes the piece of the present data off, which is the last one.
    pub(super) fn pop(&mut self, born: u64) -> Piece {
        let own = self.moving.pop_if(|piece| piece.born == born);
        own.unwrap_or(Piece { born, many: 0 })
    }

    /// The piece of this birth has at least this many numbers; a piece that was not known comes last.
    pub(super) fn grow(&mut self, piece: Piece) {
        let mut known = self.ground.iter_mut().chain(&mut self.moving);
        match known.find(|known| known.born == piece.born) {
            Some(known) => known.many = known.many.max(piece.many),
            None if piece.born > self.settled => self.moving.push(piece),
            None if piece.born == 0 => self.ground = Some(piece),
            None => {}
        }
    }

    /// What either copy knows. What settled last counts: what was born before, and is not among it, has ended.
    pub(super) fn joined(self, other: Self) -> Self {
        let rank = |line: &Self| (line.settled, line.ground.is_some());
        let (mut line, other) = if rank(&other) > rank(&self) {
            (other, self)
        } else {
            (self, other)
        };
        let (ended, moving): (Vec<Piece>, Vec<Piece>) = other
            .moving
            .iter()
            .partition(|piece| piece.born <= line.settled && !line.is_ground(piece));
        if let (Some(ground), Some(same)) = (&mut line.ground, other.ground)
            && ground.born == same.born
        {
            let ended = ended.iter().map(|piece| piece.many).sum::<u64>();
            ground.many = ground.many.max(same.many + ended);
        }
        for piece in moving {
            let is_known =
                line.is_ground(&piece) || line.moving.iter().any(|known| known.born == piece.born);
            let next = line.moving.iter().position(|known| known.born > piece.born);
            match next {
                Some(next) if !is_known => line.moving.insert(next, piece),
                _ => line.grow(piece),
            }
        }
        line
    }

    fn is_ground(&self, piece: &Piece) -> bool {
        self.ground.is_some_and(|ground| ground.born == piece.born)
    }

    /// Puts piece behind piece: the birth of the first, and where the others begin.
    pub(super) fn laid_out(self, own: Piece) -> Laid {
        let mut pieces = self.ground.into_iter().chain(self.moving).chain([own]);
        let first = pieces.next().unwrap_or(own);
        let (mut splices, mut length, mut offset) = (self.among, first.many, 0);
        for piece in pieces {
            offset = length;
            splices.push(Splice {
                born: piece.born,
                offset,
            });
            length += piece.many;
        }
        let oldest = splices.len().saturating_sub(SPLICES);
        Laid {
            born: first.born,
            settled: self.settled,
            splices: splices.split_off(oldest),
            offset,
            length,
        }
    }
}

/// Where the pieces lie.
pub(super) struct Laid {
    pub(super) born: u64,
    pub(super) settled: u64,
    pub(super) splices: Vec<Splice>,
    /// Where the last piece begins.
    pub(super) offset: u64,
    pub(super) length: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tickets have shown 500 numbers of a line that an old copy knows as settled, with 100. Data of a later birth follow it.
    #[test]
    fn what_has_settled_is_as_long_as_either_knows() {
        let of = |settled, end| {
            let later = Splice {
                born: 8,
                offset: end,
            };
            let birth = Birth {
                born: 7,
                settled,
                splices: vec![later],
                ..Birth::default()
            };
            Pieces::of(&birth, end + 10)
        };
        let own = Piece { born: 9, many: 3 };
        for (one, other) in [(of(0, 520), of(7, 120)), (of(7, 120), of(0, 520))] {
            let laid = one.joined(other).laid_out(own);
            assert_eq!((laid.born, laid.offset, laid.length), (7, 530, 533));
        }
    }
}
