//! Rooms of a run in a store that has others, one for each case.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use now_serving::queue::RoomName;
use now_serving::store::upstash::{Attempt, Transport, decode, encode};
use serde_json::Value;
use tables::{Ground, Loss};

/// Keys that one command names.
const AT_ONCE: usize = 200;

/// The way to a store, and what this run has made there.
pub(super) struct Rooms<'a> {
    way: &'a dyn Transport,
    run: String,
    is_stopped: &'a AtomicBool,
    case: Cell<u32>,
    /// The keys of the case that is played.
    keys: RefCell<BTreeSet<String>>,
    /// All keys that may have been made.
    made: RefCell<BTreeSet<String>>,
    sent: Cell<u32>,
    restores: Cell<bool>,
}

impl<'a> Rooms<'a> {
    /// Rooms whose names begin with this one; none is asked of any more once the run is stopped.
    pub(super) fn new(way: &'a dyn Transport, run: String, is_stopped: &'a AtomicBool) -> Self {
        Self {
            way,
            run,
            is_stopped,
            case: Cell::new(0),
            keys: RefCell::default(),
            made: RefCell::default(),
            sent: Cell::new(0),
            restores: Cell::new(false),
        }
    }

    /// How many commands were sent.
    pub(super) fn sent(&self) -> u32 {
        self.sent.get()
    }

    /// How many commands [`Self::delete_all`] takes at most.
    pub(super) fn to_delete_all(&self) -> u32 {
        let many = self.made.borrow().len().div_ceil(AT_ONCE);
        u32::try_from(3 * many).unwrap_or(u32::MAX)
    }

    /// Whether the latest case restores a backup.
    pub(super) fn restores(&self) -> bool {
        self.restores.get()
    }

    /// Ends a case: its keys are deleted.
    ///
    /// # Errors
    /// When the store does not do it.
    pub(super) fn end(&self) -> Result<(), String> {
        self.forget()?;
        self.keys.take();
        Ok(())
    }

    /// Deletes all that was made and is there still; how many keys are left.
    ///
    /// # Errors
    /// When the store does not do it.
    pub(super) fn delete_all(
        &self,
        command: impl Fn(&[&str]) -> Result<Value, String>,
    ) -> Result<u64, String> {
        let made = self.made.borrow();
        let made: Vec<&str> = made.iter().map(String::as_str).collect();
        let mut left = 0;
        for some in made.chunks(AT_ONCE) {
            let there = |name| command(&[&[name], some].concat());
            if there("EXISTS")? != 0 {
                there("DEL")?;
                left += there("EXISTS")?.as_u64().unwrap_or(u64::MAX);
            }
        }
        Ok(left)
    }

    /// Deletes the keys of this case.
    fn forget(&self) -> Result<(), String> {
        let keys = self.keys.borrow().clone();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        for some in keys.chunks(AT_ONCE) {
            self.run(&[&["DEL"], some].concat())?;
        }
        Ok(())
    }

    fn run(&self, words: &[&str]) -> Result<(), String> {
        let told = decode(self.post(&encode(words), Attempt::First));
        told.map(drop).map_err(|fault| fault.to_string())
    }

    /// Remembers the keys of a command. Whether all are of this run.
    fn are_ours(&self, body: &str) -> bool {
        let words: Vec<String> = serde_json::from_str(body).unwrap_or_default();
        let keys = match words.first().map(String::as_str) {
            Some("EVAL" | "EVALSHA") => {
                let many = words.get(2).and_then(|many| many.parse().ok());
                words
                    .get(3..)
                    .zip(many)
                    .map(|(rest, many): (_, usize)| rest.iter().take(many))
            }
            Some("DEL") => words.get(1..).map(|rest| rest.iter().take(usize::MAX)),
            _ => None,
        };
        let Some(keys) = keys else { return false };
        let begin = format!("queue:{{{}", self.run);
        let keys: Vec<String> = keys.cloned().collect();
        let are_ours = keys.iter().all(|key| key.starts_with(&begin));
        if are_ours {
            self.made.borrow_mut().extend(keys.iter().cloned());
            self.keys.borrow_mut().extend(keys);
        }
        are_ours
    }
}

impl Transport for Rooms<'_> {
    fn post(&self, body: &str, attempt: Attempt) -> Option<(u16, Vec<u8>)> {
        if self.is_stopped.load(Ordering::Relaxed) || !self.are_ours(body) {
            return None;
        }
        self.sent.set(self.sent.get() + 1);
        self.way.post(body, attempt)
    }
}

impl Ground for Rooms<'_> {
    fn store(&self) -> &dyn Transport {
        self
    }

    fn room(&self) -> RoomName {
        RoomName::new(format!("{}-{}", self.run, self.case.get()))
    }

    fn begin(&self) -> Result<(), String> {
        self.case.set(self.case.get() + 1);
        self.restores.set(false);
        Ok(())
    }

    fn pass(&self, _: Duration) {}

    fn lose(&self, what: Loss) -> Result<(), String> {
        match what {
            Loss::Everything => self.forget(),
            Loss::Line => self.run(&["DEL", &format!("queue:{{{}}}", self.room())]),
            Loss::SinceCopy => self.back_up(),
        }
    }

    fn back_up(&self) -> Result<(), String> {
        self.restores.set(true);
        Err("it restores a backup".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upstash_local::Store;
    use virtual_edge::Direct;

    #[test]
    fn no_command_has_a_key_outside_of_the_rooms_of_the_run() -> Result<(), String> {
        let store = Direct(Store::embedded("t")?);
        let goes_on = AtomicBool::new(false);
        let rooms = Rooms::new(&store, "test-1".to_owned(), &goes_on);
        let sent = |words: &[&str]| rooms.post(&encode(words), Attempt::First).is_some();
        for ours in [
            &["DEL", "queue:{test-1-1}", "queue:{test-1-1}:minutes"][..],
            &["EVAL", "return 1", "1", "queue:{test-1-1}", "queue:{main}"],
            &["EVAL", "return 1", "0"],
        ] {
            assert!(sent(ours), "{ours:?}");
        }
        for other in [
            &["DEL", "queue:{test-1-1}", "queue:{main}"][..],
            &["EVAL", "return 1", "2", "queue:{test-1-1}", "queue:{main}"],
            &["EVALSHA", "f", "1", "queue:{test-2}"],
            &["FLUSHALL"],
            &["SET", "queue:{test-1-1}", "1"],
        ] {
            assert!(!sent(other), "{other:?}");
        }
        assert_eq!(rooms.sent(), 3);
        Ok(())
    }
}
