//! Each invariant, broken: two answers of a store that no script gives, or two tickets that no line gives.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test may stop at the first surprise"
)]

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use invariants::{Broken, Held, History, Loss, Said};
use now_serving::queue::journal::{BEGINNING, digest};
use now_serving::queue::{Board, RoomName, Stretch};
use serde_json::{Value, json};

const NOW_MS: u64 = 1_800_000_000_000;
const SECOND: u64 = 1_000;

/// Names and values of a call or an answer.
type Pairs<'a> = &'a [(&'a str, &'a str)];

/// What a line with ten numbers answers, of which five were called.
const ANSWER: [(&str, &str); 3] = [("number", "0"), ("drawn", "10"), ("admitted", "5")];

/// The board of that line.
fn board() -> Value {
    json!({
        "format": 1, "own": 7000, "merged": 0, "young": false, "epoch": 1, "visits_epoch": 1, "credit": 0,
        "rolls": [{ "born": 7000, "served": 5, "drawn": 10 }],
        "lanes": [
            { "name": "front", "rolls": [{ "born": 7000, "served": 0, "drawn": 5 }] },
            { "name": "west", "rolls": [{ "born": 7000, "served": 2, "drawn": 4 }] },
        ],
        "live": { "mode": "automatic", "pace": { "automatic": 10, "quantity": 3 }, "paced": false, "version": 0 },
    })
}

/// A call of a verb and its answer, with what differs; a name that begins with `/` is a place on the board.
fn said(verb: &str, keys: &[&str], arguments: Pairs<'_>, answer: Pairs<'_>) -> Said {
    let keys = [&["queue:{main}"], keys].concat();
    let mut words: Vec<String> = ["EVALSHA", "digest", &keys.len().to_string()]
        .iter()
        .map(|word| (*word).to_owned())
        .collect();
    words.extend(keys.iter().map(|key| (*key).to_owned()));
    words.extend(["names", "verb", verb].map(str::to_owned));
    words.extend(
        arguments
            .iter()
            .flat_map(|(name, value)| [name, value].map(|word| (*word).to_owned())),
    );
    let is_on_board = |pair: &&(&str, &str)| pair.0.starts_with('/');
    let mut board = board();
    for (path, value) in answer.iter().filter(is_on_board) {
        let (of, name) = path.rsplit_once('/').unwrap();
        let of = board.pointer_mut(of).unwrap().as_object_mut().unwrap();
        let value = serde_json::from_str(value).unwrap_or(json!(value));
        of.insert(name.to_owned(), value);
    }
    let differs = |name: &str| answer.iter().any(|(other, _)| *other == name);
    let rest = ANSWER.iter().filter(|(name, _)| !differs(name));
    let beside = answer.iter().filter(|pair| !is_on_board(pair));
    let answer = rest.chain(beside).flat_map(|(name, value)| {
        let list = serde_json::from_str(value).ok();
        let list = list.filter(Value::is_array);
        [json!(name), list.unwrap_or(json!(value))]
    });
    let mut answer: Vec<Value> = answer.collect();
    answer.extend([json!("board"), json!(board.to_string())]);
    Said::of(&words, &answer.into()).unwrap()
}

/// A line with those numbers.
fn begun() -> History {
    let mut history = History::default();
    history
        .observe(&said("look", &[], &[], &[]), NOW_MS)
        .unwrap();
    history
}

/// What a POP knows that has read that line.
fn copy() -> Board {
    Board {
        own: 7000,
        epoch: 1,
        rolls: vec![Stretch::new(7000, 5, 10)],
        ..Board::default()
    }
}

#[track_caller]
fn breaks(verdict: Result<(), Broken>, invariant: &str) {
    let broken = verdict.expect_err(invariant);
    let names: Vec<&str> = broken.0.iter().map(|fault| fault.invariant).collect();
    assert!(names.contains(&invariant), "{invariant}: {broken}");
}

/// This answer, a second after that of [`begun`].
#[track_caller]
fn answer_breaks(invariant: &str, arguments: Pairs<'_>, answer: Pairs<'_>) {
    let said = said("look", &[], arguments, answer);
    breaks(begun().observe(&said, NOW_MS + SECOND), invariant);
}

/// A ticket of the line.
fn held(sub: &str, number: u64, more: &Value) -> Held {
    let mut claims = json!({ "sub": sub, "room": "main", "pos": number, "cur": 0, "born": 7000 });
    let more = more.as_object().unwrap().clone();
    claims.as_object_mut().unwrap().extend(more);
    let claims = URL_SAFE_NO_PAD.encode(claims.to_string());
    Held::of(&format!("header.{claims}.signature")).unwrap()
}

#[test]
fn a_line_that_does_nothing_breaks_nothing() {
    let mut history = begun();
    let again = history.observe(&said("look", &[], &[], &[]), NOW_MS + SECOND);
    assert_eq!(again, Ok(()));
    assert_eq!(history.calls, 2);
}

#[test]
fn numbers_that_go_back_or_pass_the_length_are_found() {
    let back = "now serving never moves back";
    answer_breaks(
        "the cursor never passes the length",
        &[],
        &[("/rolls/0/served", "11")],
    );
    answer_breaks(
        "the cursor never passes the length",
        &[],
        &[("/lanes/0/rolls/0/served", "6")],
    );
    answer_breaks(back, &[], &[("/rolls/0/served", "4")]);
    answer_breaks(back, &[], &[("/rolls/0/drawn", "9")]);
    answer_breaks(
        "now serving of another lane never moves back",
        &[],
        &[("/lanes/1/rolls/0/served", "1")],
    );
    answer_breaks("an epoch never falls", &[], &[("/epoch", "0")]);
    answer_breaks("data are never older", &[], &[("/own", "6000")]);
}

#[test]
fn more_than_pace_credit_and_permits_allow_is_found() {
    let long = [("/rolls/0/drawn", "100"), ("drawn", "100")];
    let history = || {
        let mut history = History::default();
        let first = said("look", &[], &[], &long);
        history.observe(&first, NOW_MS).unwrap();
        history
    };
    let moved = |cursor: &str, admitted: &str, arguments: Pairs<'_>| {
        let answer = [
            &long[..],
            &[
                ("/rolls/0/served", cursor),
                ("admitted", admitted),
                ("outcome", "done"),
            ],
        ];
        let said = said("change", &[], arguments, &answer.concat());
        history().observe(&said, NOW_MS + SECOND)
    };
    assert_eq!(moved("14", "14", &[]), Ok(()), "three periods at once");
    breaks(
        moved("16", "16", &[]),
        "no more are released than are allowed",
    );
    let permit = [("act", "permit"), ("amount", "10")];
    assert_eq!(moved("19", "19", &permit), Ok(()));
    assert_eq!(moved("20", "20", &[("absent", "on")]), Ok(()), "half more");
    breaks(
        moved("21", "21", &[("absent", "on")]),
        "no more are released than are allowed",
    );
    let follows = [("health", "on 5 20 40 on 1 4")];
    assert_eq!(moved("17", "17", &follows), Ok(()), "up to four a period");
    breaks(
        moved("18", "18", &follows),
        "no more are released than are allowed",
    );
    breaks(moved("14", "13", &[]), "the parts of a release are its sum");
    answer_breaks("credit comes from a permit", &[], &[("/credit", "1")]);
}

#[test]
fn more_sessions_than_the_cap_are_found() {
    let capped = |taken: &str| {
        let capped = format!(
            r#"{{"total_active":4,"minutes":20,"enforcement":"on","renewal":"on","told_ms":0,"since":0,"promised":0,"claimable":1,"late":0,"lapsed":0,
            "cells":[[30000001,{taken}]],"ended":0}}"#
        );
        said("look", &[], &[], &[("/sessions", &capped)])
    };
    let mut history = History::default();
    history.observe(&capped("3"), NOW_MS).unwrap();
    history.observe(&capped("4"), NOW_MS + SECOND).unwrap();
    breaks(
        history.observe(&capped("5"), NOW_MS + 2 * SECOND),
        "sessions stay below the cap",
    );
}

#[test]
fn a_number_that_two_visitors_hold_is_found() {
    let mut history = begun();
    history.given(&held("a", 6, &json!({}))).unwrap();
    history.given(&held("a", 6, &json!({}))).unwrap();
    history
        .given(&held("b", 6, &json!({ "lane": "west" })))
        .unwrap();
    breaks(
        history.given(&held("b", 6, &json!({}))),
        "no number is given twice",
    );
    let by_lot = |sub, came: u64| held(sub, 9, &json!({ "came": came }));
    history.given(&by_lot("c", 7)).unwrap();
    breaks(
        history.given(&by_lot("d", 8)),
        "a place by lot is of one visitor",
    );
}

#[test]
fn a_number_may_be_given_again_where_older_data_came_back() {
    let mut history = begun();
    let older = history.data.clone();
    history.given(&held("a", 11, &json!({}))).unwrap();
    history.loses(Loss::Restored(Box::new(older)), &[Some(copy())], NOW_MS);
    history.given(&held("b", 11, &json!({}))).unwrap();
    history.given(&held("c", 10, &json!({}))).unwrap();
    breaks(
        history.given(&held("d", 10, &json!({}))),
        "no number is given twice",
    );
}

#[test]
fn a_visitor_who_was_not_called_and_goes_in_is_found() {
    let mut history = begun();
    history.enters(&held("a", 5, &json!({}))).unwrap();
    breaks(
        history.enters(&held("b", 6, &json!({}))),
        "the number was called",
    );
    let in_west = |number| held("c", number, &json!({ "lane": "west" }));
    breaks(
        history.enters(&in_west(3)),
        "the number was called in its lane",
    );
}

#[test]
fn two_visitors_in_one_place_and_a_visitor_who_is_overtaken_are_found() {
    let mut history = begun();
    let [first, second] = [held("a", 6, &json!({})), held("b", 7, &json!({}))];
    history.given(&first).unwrap();
    history.given(&second).unwrap();
    history.all_have_places([&first, &second]).unwrap();
    let same = held("c", 7, &json!({}));
    breaks(
        history.all_have_places([&second, &same]),
        "a place is of one visitor",
    );
    let next = [("number", "12"), ("/rolls/0/drawn", "12"), ("drawn", "12")];
    history.observe(&draw("d", &[], &NEXT), NOW_MS).unwrap();
    history.observe(&draw("e", &[], &next), NOW_MS).unwrap();
    let [waits, enters] = [
        held("d", 11, &json!({})),
        held("e", 12, &json!({ "adm": 1_800_000_000 })),
    ];
    breaks(
        history.all_have_places([&waits, &enters]),
        "no visitor is overtaken but by a loss or a permit",
    );
}

/// A draw of this visitor, from a network with a bound.
fn draw(id: &str, arguments: Pairs<'_>, answer: Pairs<'_>) -> Said {
    let join = format!("queue:{{main}}:join:{id}");
    let keys = [
        join.as_str(),
        "queue:{main}:network:n",
        "queue:{main}:invite:i",
    ];
    said("join", &keys, arguments, answer)
}

const NEXT: [(&str, &str); 3] = [("number", "11"), ("/rolls/0/drawn", "11"), ("drawn", "11")];

#[test]
fn draws_that_are_not_the_next_number_are_found() {
    let draws = |answer: Pairs<'_>| begun().observe(&draw("a", &[], answer), NOW_MS + SECOND);
    assert_eq!(draws(&NEXT), Ok(()));
    let rest = &NEXT[1..];
    let number = |number| [&[("number", number)], rest].concat();
    breaks(draws(&number("12")), "a draw gets the next number");
    breaks(draws(&number("0")), "a visitor who draws gets a number");
    let closed = [&NEXT[..], &[("/live/mode", "closed")]].concat();
    breaks(draws(&closed), "a closed room gives no number");
    let two = [("number", "12"), ("/rolls/0/drawn", "12"), ("drawn", "12")];
    breaks(draws(&two), "one call draws one number");
}

#[test]
fn a_repeated_draw_with_another_number_is_found() {
    let mut history = begun();
    let again = [("number", "10"), ("/rolls/0/drawn", "11"), ("drawn", "11")];
    history.observe(&draw("a", &[], &NEXT), NOW_MS).unwrap();
    history.observe(&draw("a", &[], &NEXT), NOW_MS).unwrap();
    breaks(
        history.observe(&draw("a", &[], &again), NOW_MS + 299 * SECOND),
        "a repeated draw gets the same number",
    );
    let later = NOW_MS + 700 * SECOND;
    assert_eq!(history.observe(&draw("a", &[], &NEXT), later), Ok(()));
}

#[test]
fn a_session_that_two_tickets_claim_is_found() {
    let claim = [("number", "5"), ("claim", "30000003")];
    let mut history = begun();
    history.observe(&draw("a", &[], &claim), NOW_MS).unwrap();
    history.observe(&draw("a", &[], &claim), NOW_MS).unwrap();
    breaks(
        history.observe(&draw("b", &[], &claim), NOW_MS),
        "a session is claimed by the holder of its number",
    );
}

#[test]
fn a_network_above_its_bound_or_held_back_below_it_is_found() {
    let bound = [("bound", "1 on")];
    let next = |which: &'static str| {
        [
            ("number", which),
            ("/rolls/0/drawn", which),
            ("drawn", which),
        ]
    };
    let held_back = [
        ("number", "0"),
        ("/rolls/0/drawn", "11"),
        ("drawn", "11"),
        ("above", "challenged"),
    ];
    let one = [
        ("number", "1"),
        ("/rolls/0/drawn", "1"),
        ("drawn", "1"),
        ("/rolls/0/served", "0"),
    ];
    let none = [
        ("number", "0"),
        ("/rolls/0/drawn", "1"),
        ("drawn", "1"),
        ("/rolls/0/served", "0"),
    ];
    let challenged = [&none[..], &[("above", "challenged")]].concat();
    let mut history = begun();
    history
        .observe(&draw("a", &bound, &next("11")), NOW_MS)
        .unwrap();
    history
        .observe(&draw("b", &bound, &held_back), NOW_MS)
        .unwrap();
    breaks(
        history.observe(&draw("b", &bound, &next("12")), NOW_MS),
        "a network draws no more than its bound, and further numbers dearer or one a minute",
    );
    let hour = NOW_MS + 3_600 * SECOND;
    assert_eq!(
        history.observe(&draw("c", &bound, &next("13")), hour),
        Ok(())
    );
    let mut history = History::default();
    history.observe(&draw("a", &[], &one), NOW_MS).unwrap();
    breaks(
        history.observe(&draw("b", &bound, &challenged), NOW_MS),
        "no network is held back below its bound",
    );
}

#[test]
fn an_invitation_that_is_used_too_often_or_takes_a_number_is_found() {
    let ways = |way: &str, most: &str| format!("1 1900000000 {most} {way}");
    let (straight, many) = (ways("-", "9"), "9 1900000000 1 -".to_owned());
    let brings = |words: &str, id: &str, answer: Pairs<'_>, history: &mut History| {
        history.observe(&draw(id, &[("invite", words)], answer), NOW_MS)
    };
    let past = [("invited", "in")];
    let mut history = begun();
    brings(&straight, "a", &past, &mut history).unwrap();
    brings(&straight, "a", &past, &mut history).unwrap();
    breaks(
        brings(&straight, "b", &past, &mut history),
        "an invitation is used as often as it says",
    );
    let mut history = begun();
    brings(&many, "a", &past, &mut history).unwrap();
    breaks(
        brings(&many, "b", &past, &mut history),
        "in a minute no more go past the line than the room says",
    );
    let numbered = [&NEXT[..], &past].concat();
    breaks(
        brings(&many, "a", &numbered, &mut begun()),
        "an invitation takes no number of the main line",
    );
    let on_hold = [("invited", "in"), ("/live/mode", "hold")];
    breaks(
        brings(&many, "a", &on_hold, &mut begun()),
        "an invitation is used where the room lets visitors past",
    );
}

#[test]
fn more_than_its_share_for_a_group_is_found() {
    let share = [("priority", "front=50")];
    let mut history = begun();
    let step = |cursor: &str, front: &str, admitted: &str, history: &mut History| {
        let answer = [
            ("/rolls/0/served", cursor),
            ("/lanes/0/rolls/0/served", front),
            ("admitted", admitted),
        ];
        history.observe(&said("look", &[], &share, &answer), NOW_MS + SECOND)
    };
    step("5", "0", "5", &mut history).unwrap();
    step("6", "2", "8", &mut history).unwrap();
    breaks(
        step("6", "4", "10", &mut history),
        "a group has no more than its share",
    );
}

#[test]
fn an_event_that_lets_in_or_draws_too_early_is_found() {
    let event = |phase: &str| {
        format!(r#"{{"told_ms":1800000000000,"phase":"{phase}","event":"sale:1:2:3:arrival"}}"#)
    };
    let (before, prequeue) = (event("before"), event("prequeue"));
    let first = |event: &str| {
        let mut history = History::default();
        let answer = [("/event", event)];
        history
            .observe(&said("look", &[], &[], &answer), NOW_MS)
            .unwrap();
        history
    };
    let called = [
        ("/event", prequeue.as_str()),
        ("/rolls/0/served", "6"),
        ("admitted", "6"),
    ];
    breaks(
        first(&prequeue).observe(&said("look", &[], &[], &called), NOW_MS),
        "no visitor goes in while an event is not open",
    );
    let drawn = [&NEXT[..], &[("/event", before.as_str())]].concat();
    breaks(
        first(&before).observe(&draw("a", &[], &drawn), NOW_MS),
        "no number is drawn before an event or after it",
    );
}

#[test]
fn what_is_decided_of_an_event_and_changes_is_found() {
    let undecided = "sale 5 drawn main/7000=5:5 aa - ";
    let decided = "sale 5 drawn main/7000=5:5 aa bb x";
    let history = |begun: &str| {
        let mut history = History::default();
        let answer = [("/begun", begun)];
        history
            .observe(&said("look", &[], &[], &answer), NOW_MS)
            .unwrap();
        history
    };
    for (was, begun, invariant) in [
        (
            decided,
            "sale 5 drawn main/7000=5:5 aa cc x",
            "a lot is decided once",
        ),
        (
            decided,
            "sale 5 drawn main/7000=5:5 aa bb y",
            "a lot is decided once",
        ),
        (
            undecided,
            "sale 5 arrival main/7000=5:5 aa - ",
            "the order of an event stays as it was announced",
        ),
        (
            undecided,
            "sale 5 drawn main/7000=5:5 dd - ",
            "a secret is committed to once",
        ),
        (
            undecided,
            "sale 5 drawn main/7000=5:4 aa - ",
            "the last number of a pre-queue is known once",
        ),
        (
            undecided,
            "sale 5 drawn main/7000=4:6 aa bb x",
            "a lot calls no number",
        ),
    ] {
        let answer = [("/begun", begun)];
        let said = said("look", &[], &[], &answer);
        breaks(history(was).observe(&said, NOW_MS), invariant);
    }
    let said = said("look", &[], &[], &[("/begun", decided)]);
    assert_eq!(history(undecided).observe(&said, NOW_MS), Ok(()));
}

/// A call that brings a batch.
fn brings(number: &str, counts: &str) -> Said {
    let arguments = [("number1", number), ("counts1", counts)];
    said(
        "look",
        &["queue:{main}:outbox:p1"],
        &arguments,
        &[("drawn", "0")],
    )
}

#[test]
fn a_batch_that_changes_and_a_sum_that_is_not_that_of_the_batches_are_found() {
    let mut history = begun();
    let counts = "decided_waiting=3 renewed_1_2=1";
    history.observe(&brings("1", counts), NOW_MS).unwrap();
    history.observe(&brings("1", counts), NOW_MS).unwrap();
    breaks(
        history.observe(&brings("1", "decided_waiting=4"), NOW_MS),
        "a batch that is sent again is the same",
    );
    let first = [("drawn", "0")];
    let mut history = History::default();
    history
        .observe(&said("look", &[], &[], &first), NOW_MS)
        .unwrap();
    history.observe(&brings("1", counts), NOW_MS).unwrap();
    let told = |many: &str| {
        let counts = format!(r#"["decided_waiting","{many}","calls","9"]"#);
        let answer = [("counts", counts.as_str()), ("drawn", "0")];
        said("metrics", &[], &[], &answer)
    };
    history.observe(&told("3"), NOW_MS).unwrap();
    breaks(
        history.observe(&told("6"), NOW_MS),
        "decisions are counted once",
    );
}

#[test]
fn what_is_done_twice_under_one_key_is_found() {
    let done = || {
        said(
            "change",
            &["queue:{main}:once:k"],
            &[],
            &[("outcome", "done")],
        )
    };
    let mut history = begun();
    history.observe(&done(), NOW_MS).unwrap();
    breaks(history.observe(&done(), NOW_MS), "one key, one change");
    history.loses(Loss::All, &[Some(copy())], NOW_MS);
    assert_eq!(history.observe(&done(), NOW_MS), Ok(()));
}

/// A call that wrote this line of the journal, and where the line stands then.
fn wrote(text: &str, head: &str, cursor: u64) -> Said {
    let noted = format!("{text}\n{head}");
    let cursor = cursor.to_string();
    let answer = [
        ("noted", noted.as_str()),
        ("/rolls/0/served", &cursor),
        ("admitted", &cursor),
        ("/lanes/0/rolls/0/served", "0"),
        ("/lanes/0/rolls/0/drawn", "0"),
        ("/lanes/1/rolls/0/served", "0"),
        ("/lanes/1/rolls/0/drawn", "0"),
    ];
    let pace = [("/rolls/0/drawn", "100"), ("drawn", "100")];
    said("look", &[], &[], &[&answer[..], &pace].concat())
}

fn digest_of(text: &str) -> String {
    digest(&RoomName::new("main"), text)
}

/// A line of the journal.
fn line(previous: &str, number: u64, kind: &str, cursor: (u64, u64), pace: &str) -> String {
    let (from, to) = cursor;
    let at_ms = NOW_MS + number * SECOND;
    format!("{previous} {number} {at_ms} {kind} {from} {to} 100 - 0 {number} 0 0 {pace} pace - -")
}

#[test]
fn a_line_of_the_journal_that_does_not_follow_or_breaks_a_rule_is_found() {
    let first = line(BEGINNING, 1, "begin", (5, 5), "10:3");
    let head = digest_of(&first);
    let history = || {
        let mut history = History::default();
        history.observe(&wrote(&first, &head, 5), NOW_MS).unwrap();
        history
    };
    let writes = |text: &str, cursor: u64| {
        let said = wrote(text, &digest_of(text), cursor);
        history().observe(&said, NOW_MS + SECOND)
    };
    let next = |kind: &str, cursor| line(&head, 2, kind, cursor, "10:3");
    assert_eq!(writes(&next("release", (5, 8)), 8), Ok(()));
    let rules = "a line of the journal keeps its rules";
    breaks(writes(&next("change", (5, 8)), 8), rules);
    breaks(writes(&next("release", (6, 8)), 8), rules);
    breaks(writes(&next("release", (5, 4)), 5), rules);
    breaks(writes(&line(&head, 3, "release", (5, 8), "10:3"), 8), rules);
    breaks(
        writes(&line(BEGINNING, 2, "release", (5, 8), "10:3"), 8),
        "each line of the journal follows the last",
    );
    breaks(
        writes(&next("release", (5, 8)), 7),
        "the journal is not ahead of the line",
    );
    breaks(
        writes(&next("release", (5, 8)), 9),
        "the journal has the sum of the regions",
    );
    breaks(
        history().observe(&wrote(&next("release", (5, 8)), &head, 8), NOW_MS),
        "the head is the digest of the last line",
    );
    breaks(
        writes("some words", 5),
        "a line of the journal is written so",
    );
}

#[test]
fn a_line_whose_pop_lacks_more_than_an_answer_holds_is_judged_when_those_before_it_were_told() {
    let first = line(BEGINNING, 1, "begin", (5, 5), "10:3");
    let second = line(&digest_of(&first), 2, "release", (5, 6), "10:3");
    let another = line(&digest_of(&first), 2, "release", (5, 5), "10:3");
    let third = line(&digest_of(&second), 3, "release", (6, 7), "10:3");
    let play = |between: &str| {
        let mut history = History::default();
        for (text, cursor) in [(first.as_str(), 5), (&third, 7), (between, 7)] {
            let head = text.lines().last().map(digest_of).unwrap();
            history.observe(&wrote(text, &head, cursor), NOW_MS)?;
        }
        Ok(())
    };
    // The call that tells it again moves nothing, so the board is where the third line left it.
    let told_together = format!("{second}\n{third}");
    assert_eq!(play(&told_together), Ok(()));
    let told_together = format!("{another}\n{third}");
    breaks(play(&told_together), "the lines of an answer hang together");
    breaks(play(&another), "each line of the journal follows the last");
}

#[test]
fn a_line_over_its_pace_is_right_where_a_later_one_tells_that_pace_in_time() {
    let first = line(BEGINNING, 1, "begin", (5, 5), "10:3");
    let over = line(&digest_of(&first), 2, "release", (5, 14), "10:3");
    let play = |last: Option<&str>| {
        let mut history = History::default();
        for (text, cursor) in [(&first, 5), (&over, 14)] {
            let said = wrote(text, &digest_of(text), cursor);
            history.observe(&said, NOW_MS)?;
        }
        if let Some(text) = last {
            history.observe(&wrote(text, &digest_of(text), 14), NOW_MS)?;
        }
        history.ends()
    };
    let head = digest_of(&over);
    let explains = line(&head, 3, "release", (14, 14), "10:10");
    assert_eq!(play(Some(&explains)), Ok(()));
    let rules = "a line of the journal keeps its rules";
    breaks(play(None), rules);
    breaks(play(Some(&line(&head, 3, "end", (14, 14), "10:3"))), rules);
    let set = explains
        .replace(" release ", " change ")
        .replace("pace - -", "- admin pace:10:10");
    breaks(play(Some(&set)), rules);
}

#[test]
fn what_was_lost_is_forgotten_and_what_was_given_is_not() {
    let mut history = begun();
    history.given(&held("a", 3, &json!({}))).unwrap();
    history.loses(Loss::All, &[Some(copy())], NOW_MS);
    assert!(history.data.board.is_none() && !history.has_repeats());
    history.loses(Loss::Restored(Box::default()), &[Some(copy())], NOW_MS);
    assert_eq!(history.losses(), 2);
    breaks(
        history.given(&held("b", 3, &json!({}))),
        "no number is given twice",
    );
    history.does_not_cover("no POP knows the line");
    assert_eq!(history.given(&held("c", 3, &json!({}))), Ok(()));
}

#[test]
fn a_loss_is_not_covered_where_no_copy_knows_the_line_or_a_pop_tells_nothing_in_time() {
    let lost = |copies: &[Option<Board>]| {
        let mut history = begun();
        history.loses(Loss::All, copies, NOW_MS);
        history
    };
    assert_eq!(lost(&[None]).uncovered, 1);
    let mut told = lost(&[Some(copy()), None]);
    assert!(told.is_recovering());
    told.has_told(0);
    told.time_passes(NOW_MS + 600 * SECOND);
    assert_eq!((told.uncovered, told.is_recovering()), (0, false));
    let mut forgot = lost(&[Some(copy()), Some(copy())]);
    forgot.is_forgotten_by(1);
    assert_eq!(forgot.uncovered, 1);
    let mut late = lost(&[Some(copy())]);
    late.observe(&said("look", &[], &[], &[("/own", "8000")]), NOW_MS)
        .unwrap();
    late.time_passes(NOW_MS + 600 * SECOND);
    assert_eq!(late.uncovered, 1);
}
