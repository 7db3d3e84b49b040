//! Small notes that the sandboxes of a POP leave each other in its cache.
//!
//! The cache is best effort: a note may be gone, may be read late, and of two that are written at once one is lost. So
//! whatever is kept here must hold when that happens; what must be counted exactly goes into the store.

use super::codec::{decode, encode};
use crate::queue::words;
use std::time::Duration;

words! {
    /// The notes there are.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Marker {
        /// When draws may begin again: written by draws that failed.
        Closure = "closure",
        /// How many draws may try since: written by draws that succeeded.
        Reopening = "reopening",
        /// The calls that failed: written by calls that failed.
        Failures = "failures",
        /// When a call was answered after some had failed: written by calls that succeeded.
        Answered = "answered",
        /// When the last visitor went in without the store.
        Entry = "entry",
        /// Whose session was ended.
        Ended = "ended",
        /// In which format the line is kept, where that is another one: written by calls that failed.
        Format = "format",
    }
}

/// Where the notes of one room are kept.
pub trait Markers {
    /// The note as it was left, unless it is gone.
    fn marker(&self, marker: Marker) -> Option<Vec<u8>>;
    /// Leaves a note for that long, in place of the one before.
    fn put_marker(&self, marker: Marker, note: &[u8], life: Duration);
    /// Does something about a note while no other request does anything about it; nothing at all where the cache cannot
    /// promise that soon enough.
    fn alone(&self, marker: Marker, work: &mut dyn FnMut());
    /// Until when an origin counts as sick, as any room that has it left it. In milliseconds, by the store's clock; 0 where it does not, or
    /// where nothing is known.
    fn sick_until(&self, _origin: &str) -> u64 {
        0
    }
    /// Leaves that for the other rooms.
    fn put_sick_until(&self, _origin: &str, _time_ms: u64) {}
}

/// The numbers of a note; `None` where it is gone or spoilt, or a newer version wrote others.
pub fn read<const MANY: usize>(
    markers: &(impl Markers + ?Sized),
    marker: Marker,
) -> Option<[u64; MANY]> {
    let numbers: Vec<u64> = decode(&markers.marker(marker)?)?;
    numbers.try_into().ok()
}

/// Leaves numbers as a note.
pub fn write<const MANY: usize>(
    markers: &(impl Markers + ?Sized),
    marker: Marker,
    numbers: [u64; MANY],
    life: Duration,
) {
    markers.put_marker(marker, &encode(&numbers.as_slice()), life);
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[derive(Default)]
    struct One(RefCell<Vec<u8>>);

    impl Markers for One {
        fn marker(&self, _marker: Marker) -> Option<Vec<u8>> {
            Some(self.0.borrow().clone())
        }
        fn put_marker(&self, _marker: Marker, note: &[u8], _life: Duration) {
            self.0.replace(note.to_vec());
        }
        fn alone(&self, _marker: Marker, work: &mut dyn FnMut()) {
            work();
        }
    }

    #[test]
    fn numbers_are_read_as_they_were_written_and_others_are_none() {
        let one = One::default();
        write(&one, Marker::Closure, [1, u64::MAX], Duration::MAX);
        assert_eq!(read(&one, Marker::Closure), Some([1, u64::MAX]));
        assert_eq!(read::<1>(&one, Marker::Closure), None);
        for spoilt in ["", "[1", "[1]", "[1,a]", "[1,-2]", "[1,2,3]", "[1,2]3"] {
            one.put_marker(Marker::Closure, spoilt.as_bytes(), Duration::MAX);
            assert_eq!(read::<2>(&one, Marker::Closure), None, "{spoilt}");
        }
    }
}
