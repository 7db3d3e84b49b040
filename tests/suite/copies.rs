//! The board on its way between the script and the edge, and the copy of it that a POP brings back: over the embedded store and a Redis.

use std::cell::Cell;

use now_serving::cache::LastBoard;
use now_serving::queue::{
    Board, Cap, Change, Changed, Event, Group, HealthRule, Lag, Lane, LaneName, NoSecrets, Now,
    Position, Region, Regions, RoomName, Schedule, Stretch, WaitingProof,
};
use now_serving::store::upstash::StoreError;
use now_serving::store::{Line, MayDraw};
use upstash_local::{Redis, Store};

use crate::house::{Direct, STORE_TOKEN, admin};

const START_MS: u64 = 1_800_000_000_000;

/// What has a meaning in JSON, or is written otherwise by the store's Lua than by serde, and what looks like a rounded number.
const MESSAGE: &str = "1/2 \"price\" \\o/ \u{1f600} é {} [] null 1e+14 \"begun\":";

/// The copy that a POP knows.
struct Known(Option<Board>);

impl LastBoard for Known {
    fn last_board(&self) -> Option<Board> {
        self.0.clone()
    }
}

/// A room with everything that a board may show, and with nothing to show of it yet.
struct Room {
    store: Direct,
    cap: Cap,
    events: Vec<Event>,
    groups: Vec<Group>,
    regions: Option<Regions>,
    /// Where visitors draw.
    home: Cell<Lane>,
}

impl Room {
    fn plain(store: Store) -> Self {
        Self {
            store: Direct(store),
            cap: Cap::default(),
            events: Vec::new(),
            groups: Vec::new(),
            regions: None,
            home: Cell::new(Lane::Main),
        }
    }

    fn with_everything(store: Store) -> Self {
        let region = |name| Region {
            name: LaneName::read(name).unwrap(),
            share: None,
        };
        let group = |name| Group {
            name: LaneName::read(name).unwrap(),
            share: 10,
        };
        let event = Event {
            prequeue_ms: START_MS - 2_000,
            // As late as operators can write it: more digits than cjson writes.
            closes_ms: Some(253_402_300_799_000),
            ..Event::new("sale", START_MS - 1_000)
        };
        Self {
            cap: Cap {
                total_active: *Cap::TOTAL_ACTIVE.end(),
                ..Cap::default()
            },
            events: vec![event],
            groups: ["front", "vip"].map(group).to_vec(),
            regions: Some(Regions {
                list: vec![region("east"), region("west")],
                lag: Lag::One,
            }),
            ..Self::plain(store)
        }
    }

    fn line<T>(&self, known: Option<Board>, ms: u64, verb: impl FnOnce(&Line<'_>) -> T) -> T {
        verb(&Line {
            turn_minutes: 5,
            cap: self.cap,
            schedule: Schedule {
                events: &self.events,
                secrets: &NoSecrets,
            },
            health: (HealthRule::default(), 30),
            home: self.home.get(),
            groups: &self.groups,
            regions: self.regions.as_ref(),
            known: &Known(known),
            ..tables::line(
                &self.store,
                &RoomName::new("main"),
                Now::from_ms(START_MS + ms),
            )
        })
    }

    /// The board after this visitor's draw.
    fn draws(&self, id: &str, known: Option<Board>, ms: u64) -> Result<Board, StoreError> {
        let drawn = self.line(known, ms, |line| line.join(id));
        drawn.map(|answer| answer.board)
    }

    /// What the ticket of this visitor proves after the draw.
    fn place(&self, id: &str, ms: u64) -> WaitingProof {
        let board = self.draws(id, None, ms).unwrap();
        board.proof(board.place(Position(board.length())))
    }

    /// The board after a visit of who has this place.
    fn looks(&self, id: &str, place: WaitingProof, ms: u64) -> Board {
        let looked = self.line(None, ms, |line| {
            line.look(id, place, None, MayDraw::Yes, &[])
        });
        looked.unwrap().board
    }

    /// The board after a poll, and with this copy.
    fn polls(&self, known: Option<Board>, ms: u64) -> Board {
        let board = self.line(known, ms, |line| line.release_due(&[]));
        board.unwrap()
    }

    /// The board after this change, which is made.
    fn changes(&self, change: Change, known: Option<Board>, ms: u64) -> Board {
        let changed = self.line(known, ms, |line| line.change(change, &admin()));
        let Ok(Changed::Done(board, _)) = changed else {
            panic!("{changed:?}");
        };
        board
    }

    /// The board after a permit for one visitor, of which nothing is kept as credit.
    fn permits_one(&self, ms: u64) -> Board {
        let permit = vec![("amount", "1".to_owned()), ("credit_max", "0".to_owned())];
        self.changes(Change::new("permit", permit), None, ms)
    }
}

/// Words beside a copy say whether it may be news: its text is not looked at where it is none.
fn a_copy_is_decoded_where_it_may_be_news(store: Store) {
    let room = Room::plain(store);
    let board = room.draws("one", None, 0).unwrap();
    let unreadable = Board {
        text: "no board".to_owned(),
        ..board
    };
    let older = Board {
        rolls: Vec::new(),
        ..unreadable.clone()
    };
    for (id, known) in [("two", &unreadable), ("three", &older)] {
        let board = room.draws(id, Some(known.clone()), 1_000);
        assert!(board.is_ok(), "{id}: {board:?}");
    }
    let mut news = [(); 6].map(|()| unreadable.clone());
    news[0].rolls[0].drawn += 100;
    news[1].epoch += 1;
    news[2].live.version += 1;
    news[3].merged += 1;
    news[4].lines = Some(100);
    news[5].live.set_at.message = START_MS;
    for known in news {
        let board = room.draws("four", Some(known.clone()), 2_000);
        let is_refused = matches!(board, Err(StoreError::Rejected(_)));
        assert!(is_refused, "{known:?}: {board:?}");
    }
}

fn is_json_of_serde(board: &Board) {
    let text = &board.text;
    let found: serde_json::Value = serde_json::from_str(text).unwrap();
    let without_message = text.replace(
        &found["live"]["message"].to_string().replace('/', "\\/"),
        "",
    );
    for trap in ["{}", "[]", "null", "e+"] {
        assert!(!without_message.contains(trap), "{trap} in {text}");
    }
}

/// No list of regions, of cells or of turns that are over is written while it is empty.
fn a_board_has_no_empty_list_and_comes_back_to_the_letter_after_a_loss(store: Store) {
    let room = Room::with_everything(store);
    let set = Change::new("message", vec![("message", MESSAGE.to_owned())]);
    let board = room.changes(set, None, 0);
    assert_eq!(board.live.message.as_deref(), Some(MESSAGE));
    assert!(board.lanes.is_empty() && board.rolls.is_empty());
    assert!(board.sessions.as_ref().unwrap().cells.is_empty());
    is_json_of_serde(&board);
    let drawn = room.draws("one", Some(board), 1_000).unwrap();
    is_json_of_serde(&drawn);
    room.store.0.restart_empty();
    let back = room.draws("two", Some(drawn.clone()), 2_000).unwrap();
    is_json_of_serde(&back);
    assert_eq!(back.live.message.as_deref(), Some(MESSAGE));
    assert_eq!(back.rolls[0], drawn.rolls[0]);
    assert!(back.rolls.len() == 2 && back.length() > drawn.length());
    // What a POP keeps of the board with two rolls is the same board.
    let again = now_serving::cache::read_board(back.text.clone(), back.logged);
    assert_eq!(again, Some(back));
}

/// Of three losses in a row each data centre knows another part. Whatever comes first, and however often, all of it is known in the end.
fn copies_leave_the_same_rolls_in_any_order(store: Store) {
    let room = Room::with_everything(store);
    let west = Lane::read("west").unwrap();
    let mut copies = Vec::new();
    for data in 0..3 {
        let ms = 1_000 * data;
        for (number, home) in [Lane::Main, west, Lane::Main, west].into_iter().enumerate() {
            room.home.set(home);
            let board = room.draws(&format!("{data} {number}"), None, ms).unwrap();
            copies.push(board);
        }
        copies.push(room.permits_one(ms));
        room.store.0.restart_empty();
    }
    let mut found = None;
    for turn in 0..copies.len() {
        copies.rotate_left(1);
        let (first, last) = copies.split_at(turn % 7);
        let order = last.iter().chain(first.iter().rev()).chain(last);
        let mut board = None;
        for (copy, ms) in order.zip((4_000..).step_by(10)) {
            let looked = room.line(Some(copy.clone()), ms, |line| line.release_due(&[]));
            board = Some(looked.unwrap());
        }
        let rolls = board.map(|board| (board.rolls.clone(), board.lane(west).rolls));
        assert_eq!(found.get_or_insert(rolls.clone()), &rolls, "turn {turn}");
        room.store.0.restart_empty();
    }
    let (main, west) = found.flatten().unwrap();
    let figures = |rolls: &[Stretch]| -> Vec<(u64, u64)> {
        rolls.iter().map(|of| (of.served.0, of.drawn)).collect()
    };
    let all: u64 = main.iter().chain(&west).map(|of| of.served.0).sum();
    assert_eq!((main.len(), all), (3, 3), "{main:?} {west:?}");
    assert!(
        figures(&main)
            .iter()
            .chain(&figures(&west))
            .all(|of| of.1 == 2)
    );
}

/// More losses than rolls are kept: the one that gives numbers is never among those that go.
fn of_too_many_rolls_the_own_one_stays(store: Store) {
    let room = Room::plain(store);
    let mut copies = Vec::new();
    for data in 0..17 {
        copies.push(
            room.draws(&format!("of {data}"), None, 1_000 * data)
                .unwrap(),
        );
        room.store.0.restart_empty();
    }
    room.draws("new", None, 20_000).unwrap();
    room.permits_one(20_000);
    for copy in copies {
        room.line(Some(copy), 20_010, |line| line.release_due(&[]))
            .unwrap();
    }
    let board = room.draws("next", None, 20_020).unwrap();
    let own = board.rolls.iter().find(|of| of.born == board.own).unwrap();
    assert_eq!((own.served.0, own.drawn), (1, 2));
    assert_eq!(board.rolls.len(), 17, "{board:?}");
}

mod native {
    use super::*;

    fn store() -> Store {
        Store::embedded(STORE_TOKEN).unwrap()
    }

    #[test]
    fn a_copy_is_decoded_where_it_may_be_news() {
        super::a_copy_is_decoded_where_it_may_be_news(store());
    }

    #[test]
    fn a_board_has_no_empty_list_and_comes_back_to_the_letter_after_a_loss() {
        super::a_board_has_no_empty_list_and_comes_back_to_the_letter_after_a_loss(store());
    }

    /// Within the minute in which a store takes no numbers of the other one, it learns what was ended there.
    #[test]
    fn a_store_that_takes_turns_learns_that_all_tickets_ended() {
        let room = Room::plain(store());
        let one = room.draws("one", None, 0).unwrap();
        let first = room.store.0.backup().unwrap();
        room.store.0.restart_empty();
        let two = room.draws("two", Some(one), 1_000).unwrap();
        let second = room.store.0.backup().unwrap();
        room.store.0.restart_from(&first);
        let three = room.draws("three", Some(two), 2_000).unwrap();
        let first = room.store.0.backup().unwrap();
        room.store.0.restart_from(&second);
        let ended = room.changes(Change::new("epoch", Vec::new()), Some(three), 3_000);
        room.store.0.restart_from(&first);
        let epoch = ended.epoch;
        let back = room.draws("four", Some(ended), 5_000).unwrap();
        assert_eq!(back.epoch, epoch);
        assert!(back.own >= epoch, "{back:?}");
    }

    #[test]
    fn of_too_many_rolls_the_own_one_stays() {
        super::of_too_many_rolls_the_own_one_stays(store());
    }

    /// Promised slots keep their time through a hold, and those of one second are one.
    #[test]
    fn holds_that_come_again_and_again_do_not_make_promises_more() {
        let mut room = Room::plain(store());
        room.cap.total_active = 10_000;
        let now = |round: u64, second: u64| (round * 20 + second) * 1_000;
        for round in 0..40 {
            for second in 0..10 {
                let id = format!("{round} {second}");
                room.draws(&id, None, now(round, second)).unwrap();
                room.permits_one(now(round, second));
            }
            for (mode, second) in [("hold", 10), ("automatic", 19)] {
                let mode = Change::new("mode", vec![("mode", mode.to_owned())]);
                room.changes(mode, None, now(round, second));
            }
        }
        let kept = room.store.0.command(&["HGET", "queue:{main}", "promises"]);
        let kept = kept.unwrap();
        let many = kept.as_str().unwrap().split(' ').count();
        let seconds = usize::try_from(room.cap.claim_seconds).unwrap();
        assert!(many <= seconds + 1, "{many}: {kept}");
    }

    /// Each loss is shown by a ticket alone: the store went back by one number, and no data centre has a copy.
    #[test]
    fn losses_that_tickets_show_leave_no_more_rolls_either() {
        let room = Room::plain(store());
        let mut last = room.draws("first", None, 0).unwrap();
        for loss in 1..=20 {
            let unknown = last.proof(last.place(Position(last.length() + 1)));
            let id = format!("of loss {loss}");
            let board = room.looks(&id, unknown, 1_000 * loss);
            assert!(board.own > last.own, "{board:?}");
            last = room.draws(&id, None, 1_000 * loss + 1).unwrap();
        }
        assert_eq!(last.rolls.len(), 17, "{last:?}");
    }

    /// No data centre has a copy any more.
    #[test]
    fn three_tickets_say_that_an_operator_ended_all_before_them() {
        let room = Room::plain(store());
        room.draws("one", None, 0).unwrap();
        let ended = room.changes(Change::new("epoch", Vec::new()), None, 1_000);
        let ids = ["two", "three", "four"];
        let places = ids.map(|id| (id, room.place(id, 2_000)));
        room.store.0.restart_empty();
        room.draws("cold", None, 3_000).unwrap();
        let boards = places.map(|(id, place)| room.looks(id, place, 14_000));
        assert_eq!(boards[1].epoch, 1, "{:?}", boards[1]);
        assert_eq!(
            (boards[2].epoch, boards[2].visits_epoch),
            (ended.epoch, ended.visits_epoch)
        );
    }

    /// One data centre has a copy of before an event that has begun, and visitors have tickets of the event.
    #[test]
    fn who_is_inside_is_known_from_before_an_event_whatever_comes_first() {
        let [copy_first, tickets_first] = [true, false].map(|is_copy_first| {
            let mut room = Room::plain(store());
            room.cap.total_active = 5;
            let place = room.place("inside", 0);
            room.permits_one(1_000);
            let before = room.looks("inside", place, 2_000);
            assert_eq!(before.sessions.as_ref().unwrap().inside(), 1);
            room.events = vec![Event {
                prequeue_ms: START_MS + 130_000,
                ..Event::new("sale", START_MS + 900_000)
            }];
            let ids = ["one", "two", "three"];
            let places = ids.map(|id| (id, room.place(id, 140_000)));
            assert!(
                places[0].1.place.born > place.place.born,
                "the event has begun"
            );
            room.store.0.restart_empty();
            room.draws("cold", None, 150_000).unwrap();
            if is_copy_first {
                room.polls(Some(before.clone()), 161_000);
            }
            for (id, place) in places {
                room.looks(id, place, 162_000);
            }
            let after = room.polls(Some(before), 163_000);
            assert_eq!(after.epoch, places[0].1.epoch);
            after.sessions.unwrap().cells
        });
        assert_eq!(copy_first, tickets_first);
        assert_eq!(copy_first.len(), 1, "{copy_first:?}");
    }

    #[test]
    fn copies_leave_the_same_rolls_in_any_order() {
        super::copies_leave_the_same_rolls_in_any_order(store());
    }
}

mod redis {
    use super::*;

    fn on(test: fn(Store)) {
        let redis = Redis::start().unwrap();
        test(Store::redis(redis.url(), STORE_TOKEN).unwrap());
    }

    #[test]
    fn a_copy_is_decoded_where_it_may_be_news() {
        on(super::a_copy_is_decoded_where_it_may_be_news);
    }

    #[test]
    fn a_board_has_no_empty_list_and_comes_back_to_the_letter_after_a_loss() {
        on(super::a_board_has_no_empty_list_and_comes_back_to_the_letter_after_a_loss);
    }

    #[test]
    fn copies_leave_the_same_rolls_in_any_order() {
        on(super::copies_leave_the_same_rolls_in_any_order);
    }
}
