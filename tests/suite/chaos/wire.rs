//! The way from a POP to the store, on which calls are lost, late or doubled.
//!
//! Each call that the store does is a step of its room's [`History`], also where the POP hears nothing of it.

use std::cell::{Cell, RefCell};

use invariants::History;
use invariants::Said;
use now_serving::queue::{Noted, RoomName};
use now_serving::service::noted_entry;
use now_serving::store::upstash::{Attempt, Transport};
use upstash_local::{Fault, Faults, Store};
use virtual_edge::by_clock;

use super::report::Report;
use super::rooms::{self, ROOMS, Standing};
use crate::house::Direct;

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Answered,
    Fails(Fault),
    /// The POP hears nothing, and the store does it later.
    Late,
    /// The network brings it twice.
    Twice,
}

impl Fate {
    fn name(self) -> String {
        match self {
            Self::Fails(fault) => {
                let fault = format!("{fault:?}");
                format!("store: {}", fault.split('(').next().unwrap_or_default())
            }
            other => format!("call: {other:?}"),
        }
    }
}

pub(super) struct Wire<'a> {
    pub(super) store: &'a Store,
    /// What is true of each room.
    pub(super) truth: &'a [RefCell<History>],
    /// What the log of each room says was noted.
    pub(super) log: &'a [RefCell<Vec<String>>],
    pub(super) standing: &'a RefCell<Standing>,
    /// The room of the request; none for what the store does late.
    pub(super) room: Option<usize>,
    pub(super) report: &'a RefCell<Report>,
    pub(super) late: &'a RefCell<Vec<String>>,
    /// The store's time: it takes the place of a POP's, where a call brings one.
    pub(super) now_ms: u64,
    pub(super) fate: Cell<Fate>,
    pub(super) calls: Cell<u64>,
    /// Whether a call got no good answer.
    pub(super) has_failed: Cell<bool>,
}

impl Wire<'_> {
    /// The store does it.
    pub(super) fn done(&self, body: &str) -> Option<(u16, Vec<u8>)> {
        let body = by_clock(body, self.now_ms);
        let answer = Direct(self.store.clone()).post(&body, Attempt::First);
        if matches!(answer, Some((200, _))) {
            let said = Said::read(&body, answer.as_ref()).unwrap();
            let room = rooms::of_keys(said.keys());
            assert!(
                self.room.is_none_or(|own| own == room),
                "a call of another room: {:?}",
                said.keys()
            );
            self.standing.borrow_mut().moved(room, self.store);
            self.log[room].borrow_mut().extend(logged(&said));
            let mut truth = self.truth[room].borrow_mut();
            truth.observe(&said, self.now_ms).unwrap();
            truth.checks.count("an act for one room moves no other");
        }
        answer
    }

    fn failed(&self, fault: Fault, body: &str) -> Option<(u16, Vec<u8>)> {
        self.has_failed.set(true);
        match fault {
            Fault::Delay(_) | Fault::DropAnswer | Fault::StallBody(_) | Fault::Trickle(_) => {
                self.done(body);
                None
            }
            Fault::BrokenJson => {
                self.done(body);
                Some((200, br#"{"result":[1,"#.to_vec()))
            }
            Fault::WrongType => {
                self.done(body);
                Some((200, br#"{"result":{"unexpected":true}}"#.to_vec()))
            }
            _ => {
                self.store.fail(Faults::always(fault));
                let answer = Direct(self.store.clone()).post(body, Attempt::First);
                self.store.fail(Faults::none());
                answer
            }
        }
    }
}

/// The line of the log that says what was noted.
fn logged(said: &Said) -> Option<String> {
    let (lines, head) = said.noted()?;
    let room = RoomName::new(ROOMS[rooms::of_keys(said.keys())]);
    Some(noted_entry(&room, &Noted { lines, head }))
}

impl Transport for Wire<'_> {
    fn post(&self, body: &str, _: Attempt) -> Option<(u16, Vec<u8>)> {
        self.calls.set(self.calls.get() + 1);
        let fate = self.fate.replace(Fate::Answered);
        if fate != Fate::Answered {
            self.report.borrow_mut().fault(&fate.name());
        }
        let answer = match fate {
            Fate::Answered => self.done(body),
            Fate::Fails(fault) => self.failed(fault, body),
            Fate::Late => {
                self.late.borrow_mut().push(body.to_owned());
                None
            }
            Fate::Twice => {
                self.done(body);
                self.done(body)
            }
        };
        // A script that is not known yet is no failure.
        let is_answered = answer.as_ref().is_some_and(|(status, body)| {
            *status == 200 || String::from_utf8_lossy(body).contains("NOSCRIPT")
        });
        if !is_answered {
            self.has_failed.set(true);
        }
        answer
    }
}
