//! The list of ended sessions as a POP has it: one note, renewed with the board.

use super::LastBoard;
use super::marker::{Marker, Markers};
use crate::queue::{EndedSessions, Now};
use std::time::Duration;

/// Longer than the longest session lasts.
const LIFE: Duration = Duration::from_hours(5);

/// What this POP has; nothing where the note is gone, and all of it comes with the next look.
#[must_use]
pub fn kept(markers: &(impl Markers + ?Sized)) -> EndedSessions {
    let note = markers.marker(Marker::Ended).unwrap_or_default();
    let text = std::str::from_utf8(&note).ok();
    text.and_then(EndedSessions::read).unwrap_or_default()
}

/// The version of what this POP has, whose cache this may be.
#[must_use]
pub fn version(cache: &(impl LastBoard + ?Sized)) -> u64 {
    cache.notes().map_or(0, |notes| kept(notes).version)
}

/// Whether the session of this ticket was ended, as far as this POP knows.
#[must_use]
pub fn has(markers: &(impl Markers + ?Sized), id: &str) -> bool {
    let note = markers.marker(Marker::Ended).unwrap_or_default();
    std::str::from_utf8(&note).is_ok_and(|text| EndedSessions::has(text, id))
}

/// Takes what the store says is new since this version. Of two requests that do so at once one may undo the other, whose news come
/// again; so do news that do not join what is there, since the note is gone or an older one has taken its place.
pub fn take(markers: &(impl Markers + ?Sized), news: EndedSessions, since: u64, store_time: Now) {
    let known = kept(markers);
    if known.version < since {
        return;
    }
    let list = known.with(news, store_time);
    markers.put_marker(Marker::Ended, list.written().as_bytes(), LIFE);
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[derive(Default)]
    struct One(RefCell<Option<Vec<u8>>>);

    impl Markers for One {
        fn marker(&self, _marker: Marker) -> Option<Vec<u8>> {
            self.0.borrow().clone()
        }
        fn put_marker(&self, _marker: Marker, note: &[u8], _life: Duration) {
            self.0.replace(Some(note.to_vec()));
        }
        fn alone(&self, _marker: Marker, work: &mut dyn FnMut()) {
            work();
        }
    }

    fn news(text: &str) -> EndedSessions {
        EndedSessions::read(text).unwrap_or_default()
    }

    #[test]
    fn news_that_go_on_from_a_list_that_is_gone_are_left_to_the_next_look() {
        let one = One::default();
        let now = Now::from_secs(60);
        take(&one, news("5 9:aa"), 0, now);
        take(&one, news("7 9:bb"), 5, now);
        assert_eq!(kept(&one).written(), "7 9:bb 9:aa");
        // The cache drops it while the store is asked, or a slower request writes an older one.
        for left in [None, Some(b"5 9:aa".to_vec())] {
            one.0.replace(left.clone());
            take(&one, news("8 9:cc"), 7, now);
            assert_eq!(one.0.borrow().clone(), left);
        }
        take(&one, news("8 9:cc 9:bb 9:aa"), 0, now);
        assert_eq!(kept(&one).written(), "8 9:cc 9:bb 9:aa");
    }
}
