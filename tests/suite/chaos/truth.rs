//! What the store has said, answer by answer, and what must hold between two of them.
//!
//! Of what the store holds, [`Data`] knows as much as its answers tell. It is lost with the store's data, and comes back with
//! an older copy of them; what visitors have been given stays.

use std::collections::{BTreeMap, BTreeSet};

use super::bucket::Bucket;
use now_serving::queue::journal::{JournalKind, JournalLine};
use now_serving::queue::{Lane, RegionLine};

use super::held::Held;
use super::losses::LEFT_FREE;
use crate::inside::Said;

/// For how long after a loss a better copy may still say who is inside, in milliseconds.
const UNSETTLED_MS: u64 = 130_000;

/// What the line shows.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// When its data began, and how many times they took over an older line.
    pub(super) order: (u64, u64),
    pub(super) born: u64,
    pub(super) epoch: u64,
    pub(super) length: u64,
    pub(super) cursor: u64,
    pub(super) front_length: u64,
    pub(super) front_cursor: u64,
    /// Cursor and length of each region.
    pub(super) regions: BTreeMap<Lane, (u64, u64)>,
    /// Visitors released in all.
    admitted: u64,
    credit: u64,
    pub(super) mode: String,
    pace: (u64, u64),
    /// Sessions and promised slots; the cap, where it holds visitors back.
    taken: Option<u64>,
    cap: Option<u64>,
    splices: Vec<(u64, u64)>,
}

impl Line {
    fn of(said: &Said) -> Self {
        let number = |name| said.number(name).unwrap_or(0);
        let text = |name: &str| said.answer.get(name).map_or("", String::as_str);
        let mut front = text("front")
            .split(' ')
            .map(|part| part.parse().unwrap_or(0));
        let (front_cursor, front_length) = (front.next().unwrap_or(0), front.next().unwrap_or(0));
        let pairs = text("splices")
            .split(' ')
            .filter_map(|pair| pair.split_once(':'));
        let pairs = pairs.map(|(born, offset)| (born.parse().unwrap(), offset.parse().unwrap()));
        let cells = text("ring")
            .split(' ')
            .filter_map(|cell| cell.split_once(':'));
        let inside: u64 = cells.map(|(_, many)| many.parse::<u64>().unwrap()).sum();
        let regions = said.answer.get("regions");
        let regions = regions.map(|text| RegionLine::read_all(text).unwrap());
        let numbers = |line: RegionLine| (line.lane(), (line.cursor.0, line.length));
        let total = said.number("total_active");
        Self {
            order: (number("started"), number("adopted")),
            born: number("born"),
            epoch: number("epoch"),
            length: number("length"),
            cursor: number("cursor"),
            front_length,
            front_cursor,
            regions: regions.into_iter().flatten().map(numbers).collect(),
            admitted: number("admitted"),
            credit: number("credit"),
            mode: text("mode").to_owned(),
            pace: (number("automatic"), number("quantity")),
            taken: total.map(|_| inside + number("promised")),
            cap: total.filter(|_| text("cap") == "on" && text("mode") != "open"),
            splices: pairs.collect(),
        }
    }
}

impl Line {
    /// Cursor and length of a lane.
    pub(super) fn of_lane(&self, lane: Lane) -> (u64, u64) {
        match lane {
            Lane::Main => (self.cursor, self.length),
            Lane::Front => (self.front_cursor, self.front_length),
            Lane::Region(_) => self.regions.get(&lane).copied().unwrap_or_default(),
        }
    }

    /// All lanes that it has.
    pub(super) fn lanes(&self) -> impl Iterator<Item = Lane> {
        let regions = self.regions.keys().copied();
        [Lane::Main, Lane::Front].into_iter().chain(regions)
    }

    /// Cursor and length of the main line and the regions together, as the journal has them.
    fn sum(&self) -> (u64, u64) {
        let regions = self.regions.values();
        regions.fold((self.cursor, self.length), |sum, (cursor, length)| {
            (sum.0 + cursor, sum.1 + length)
        })
    }
}

/// How far a region had been, by what a data centre or a ticket brought: a copy of the sign may know more of it at any age of the
/// data, since its draws are on no line of the journal.
fn remembered_of_region(region: Lane, line: &Line, said: &Said) -> u64 {
    let told = |name: &str| said.arguments.get(name).map(String::as_str);
    let is_of_it = |born: &str| told(born).and_then(|told| told.parse().ok()) == Some(line.born);
    let regions = told("sign_regions").filter(|_| is_of_it("sign_born"));
    let regions = regions.and_then(RegionLine::read_all).unwrap_or_default();
    let sign = regions.iter().find(|known| known.lane() == region);
    let is_own = told("lane").is_some() && Lane::named(told("lane")) == Some(region);
    let ticket = told("ticket_seen").filter(|_| is_own && is_of_it("ticket_born"));
    let ticket = ticket.and_then(|seen| seen.parse().ok());
    sign.map(|sign| sign.cursor.0).max(ticket).unwrap_or(0)
}

/// The lines that this verb wrote, and their head.
fn noted(text: &str) -> Vec<String> {
    serde_json::from_str(text).unwrap()
}

/// How many numbers that a loss left free this verb went past.
fn gone_past(said: &Said) -> u64 {
    let noted = said
        .answer
        .get("noted")
        .map_or_else(Vec::new, |text| noted(text));
    let lines = noted.iter().filter_map(|line| JournalLine::read(line));
    let past = lines.filter(|line| line.kind == JournalKind::Restore && line.what == "free");
    let moved = past.map(|line| line.main.to - line.main.from + line.front.to - line.front.from);
    moved.sum()
}

/// How far the line had been, by what a data centre or a ticket brought to young data: that is no release.
fn remembered(line: &Line, said: &Said) -> (u64, u64) {
    if said.number("young") != Some(1) {
        return (0, 0);
    }
    let told = |name: &str| {
        said.arguments
            .get(name)
            .and_then(|told| told.parse::<u64>().ok())
    };
    let is_of_it = |born: &str| told(born) == Some(line.born);
    let sign = told("sign_cursor").filter(|_| is_of_it("sign_born"));
    let ticket = told("ticket_seen").filter(|_| is_of_it("ticket_born"));
    let front = said
        .arguments
        .get("sign_front")
        .filter(|_| is_of_it("sign_born"));
    let front = front.and_then(|front| front.split(' ').next()?.parse().ok());
    match said.arguments.get("lane").map(String::as_str) {
        Some("front") => (sign.unwrap_or(0), front.max(ticket).unwrap_or(0)),
        Some(_) => (sign.unwrap_or(0), front.unwrap_or(0)),
        None => (sign.max(ticket).unwrap_or(0), front.unwrap_or(0)),
    }
}

/// What the store holds.
#[derive(Clone, Default)]
pub(super) struct Data {
    pub(super) line: Option<Line>,
    sums: BTreeMap<String, u64>,
    tills: BTreeMap<String, u64>,
    /// The keys under which something was done once.
    once: BTreeSet<String>,
    /// The tickets that used each invitation; those that went straight in, by the minute.
    uses: BTreeMap<String, BTreeSet<String>>,
    invited: BTreeMap<u64, BTreeSet<String>>,
    /// The tickets that went straight in.
    went_past: BTreeSet<String>,
}

/// A restored copy of the data knew fewer numbers than had been given. Until a data centre or a ticket shows more, it gives the next
/// ones again.
struct Repeats {
    born: u64,
    /// The last number of each lane that no data gives again.
    from: BTreeMap<Lane, u64>,
}

/// A number that a visitor got, and how many losses there had been.
#[derive(Clone, Debug)]
struct Given {
    sub: String,
    losses: u64,
    uncovered: u64,
}

#[derive(Default)]
pub(super) struct Truth {
    pub(super) data: Data,
    pub(super) calls: u64,
    /// What was checked, by its name.
    pub(super) checks: BTreeMap<&'static str, u64>,
    bucket: Bucket,
    /// When data were lost or came back the last time, and when the line last followed from other data.
    lost_ms: Option<u64>,
    pub(super) turned_ms: u64,
    /// The greatest epoch that any line had.
    pub(super) epoch: u64,
    /// How many losses were not covered, and why: see `docs/explanation/reliability.md`.
    pub(super) uncovered: u64,
    pub(super) why: BTreeMap<&'static str, u64>,
    losses: u64,
    repeats: Vec<Repeats>,
    /// What any data centre knew of the front lane and of regions when data were lost: their numbers do not move as those of the main
    /// line do, so where the first copy that comes is an old one, the next numbers are given again.
    forgotten: Vec<Repeats>,
    /// When the present data began.
    pub(super) began_ms: u64,
    /// The visitors who went in, by lane.
    pub(super) went_in: BTreeMap<Lane, u64>,
    /// The last number called, by lane and birth of the ticket.
    called: BTreeMap<(Lane, u64), u64>,
    /// The ticket of each number, by lane, birth and epoch.
    numbers: BTreeMap<(Lane, u64, u64, u64), Given>,
    /// The same for places by lot.
    lots: BTreeMap<(u64, u64, u64), Given>,
    /// The visitors who went in by a call of their number, or past the line.
    let_in: BTreeSet<String>,
    /// Until which minute a renewal counts that the store may not have heard of, or not in order.
    pub(super) doubtful: Vec<u64>,
    /// What each batch counted, and what the outboxes have brought in all.
    batches: BTreeMap<(String, String), String>,
    pub(super) brought: BTreeMap<String, BTreeMap<String, u64>>,
    /// Whether a cap ever held.
    pub(super) was_capped: bool,
    /// What the log says was noted, line by line.
    pub(super) noted: Vec<String>,
}

impl Truth {
    /// The store has done something, and says this.
    pub(super) fn observe(&mut self, said: &Said, now_ms: u64) {
        self.calls += 1;
        self.note(said);
        if !said.answer.contains_key("epoch") {
            return;
        }
        let told = self.count(said);
        let verb = said.arguments["verb"].as_str();
        if verb == "metrics" {
            self.sums_are_told(said);
        }
        // What is not kept may show what would have been.
        let is_done = said
            .answer
            .get("outcome")
            .is_some_and(|outcome| outcome == "done");
        if !is_done && verb != "join" && verb != "look" {
            return;
        }
        self.once(said);
        self.invited(said, now_ms);
        let line = Line::of(said);
        for (cursor, length) in line.lanes().map(|lane| line.of_lane(lane)) {
            assert!(cursor <= length, "never more than were drawn: {line:?}");
        }
        self.is_told_by_the_journal(&line, said);
        if let Some(before) = self.data.line.take() {
            self.follows(&before, &line, (said, told), now_ms);
        } else {
            (self.turned_ms, self.began_ms) = (now_ms, now_ms);
        }
        self.epoch = self.epoch.max(line.epoch);
        self.was_capped |= line.taken.is_some();
        self.note_called(&line);
        self.data.line = Some(line);
    }

    /// One answer after another.
    fn follows(&mut self, before: &Line, line: &Line, (said, told): (&Said, u64), now_ms: u64) {
        assert!(
            line.order >= before.order,
            "older data: {line:?} after {before:?}"
        );
        if line.order != before.order {
            self.turned_ms = now_ms;
            self.bucket = Bucket::default();
            return;
        }
        let reached = |line: &Line| [line.length, line.cursor, line.epoch];
        for (now, then) in reached(line).into_iter().zip(reached(before)) {
            assert!(now >= then, "the line goes back: {line:?} after {before:?}");
        }
        assert!(
            line.front_cursor >= before.front_cursor,
            "{line:?} after {before:?}"
        );
        for (lane, then) in &before.regions {
            let now = line.of_lane(*lane);
            assert!(
                now.0 >= then.0 && now.1 >= then.1,
                "a region goes back: {line:?} after {before:?}"
            );
            self.checked("now serving of a region never moves back");
        }
        self.checked("now serving never moves back");
        self.is_allowed(before, line, said, now_ms);
        self.is_below_the_cap(before, line, told, now_ms);
    }

    /// No more are released than pace, credit and permits allow.
    fn is_allowed(&mut self, before: &Line, line: &Line, said: &Said, now_ms: u64) {
        let act = said.arguments.get("act").map_or("", String::as_str);
        let amount = said.arguments.get("amount").filter(|_| act == "permit");
        let amount: u64 = amount.map_or(0, |amount| amount.parse().unwrap());
        assert!(
            line.credit <= before.credit + amount,
            "credit from nowhere: {line:?} after {before:?}"
        );
        if before.mode == "open" || line.mode == "open" {
            return;
        }
        let (cursor, front_cursor) = remembered(line, said);
        let in_regions = line.regions.iter().map(|(lane, (now, _))| {
            let known = remembered_of_region(*lane, line, said);
            now.saturating_sub(before.of_lane(*lane).0.max(known))
        });
        let in_regions: u64 = in_regions.sum();
        let moved = in_regions
            + line.cursor.saturating_sub(before.cursor.max(cursor))
            + line
                .front_cursor
                .saturating_sub(before.front_cursor.max(front_cursor));
        let past = gone_past(said);
        if past > 0 {
            self.checked("a line goes past numbers that a loss left free");
        }
        let moved = moved.saturating_sub(past);
        let granted = amount + before.credit.saturating_sub(line.credit);
        let by_pace = moved.saturating_sub(granted);
        assert!(
            self.bucket.takes(by_pace, line.pace, now_ms),
            "{by_pace} by the pace are too many: {:?}, {line:?} after {before:?}",
            self.bucket
        );
        if moved > 0 {
            self.checked("no more are released than are allowed");
        }
        let counted = line.admitted - before.admitted;
        assert!(
            moved <= counted,
            "the parts are {moved}, and {counted} were released: {line:?} after {before:?}"
        );
        if in_regions > 0 {
            self.checked("the parts of a release are its sum");
        }
    }

    /// What the journal tells is where the lines stand: the main line and the regions together.
    fn is_told_by_the_journal(&mut self, line: &Line, said: &Said) {
        let Some(text) = said.answer.get("noted") else {
            return;
        };
        let noted = noted(text);
        let [.., last, _] = noted.as_slice() else {
            panic!("a head without a line: {noted:?}");
        };
        let last = JournalLine::read(last).unwrap();
        let (cursor, length) = line.sum();
        // Visitors who go straight in behind it are told together, by a later line.
        let is_whole = matches!(last.kind, JournalKind::Release | JournalKind::Straight);
        assert!(
            last.main.to <= cursor && last.main.length <= length,
            "{last:?} is ahead of {line:?}"
        );
        assert!(
            !is_whole || (last.main.to, last.front.to) == (cursor, line.front_cursor),
            "{last:?} is not where the line stands: {line:?}"
        );
        if is_whole && !line.regions.is_empty() {
            self.checked("the journal has the sum of the regions");
        }
    }

    /// No release and no claim lifts sessions and promised slots above the cap.
    fn is_below_the_cap(&mut self, before: &Line, line: &Line, told: u64, now_ms: u64) {
        let minute = now_ms / 60_000;
        self.doubtful.retain(|until| *until + 1 >= minute);
        let is_settled = self
            .lost_ms
            .is_none_or(|lost| lost + UNSETTLED_MS <= now_ms);
        let (Some(cap), Some(taken), Some(was)) = (line.cap, line.taken, before.taken) else {
            return;
        };
        let slack = self.doubtful.len() as u64;
        assert!(
            !is_settled || taken <= cap.max(was) + told + slack,
            "{taken} of {cap}, {was} before, {told} told, {slack} in doubt: {line:?} after {before:?}"
        );
        if is_settled {
            self.checked("sessions stay below the cap");
        }
    }

    fn note_called(&mut self, line: &Line) {
        let mut called = |lane, born, number: u64| {
            let most: &mut u64 = self.called.entry((lane, born)).or_default();
            *most = number.max(*most);
        };
        for lane in line.lanes() {
            called(lane, line.born, line.of_lane(lane).0);
        }
        for (born, offset) in &line.splices {
            called(Lane::Main, *born, line.cursor.saturating_sub(*offset));
        }
    }

    /// What is done under a key is done once.
    fn once(&mut self, said: &Said) {
        let key = said.keys.iter().find(|key| key.contains(":once:"));
        if let Some(key) = key {
            assert!(self.data.once.insert(key.clone()), "{key} was done twice");
            self.checked("one key, one change");
        }
    }

    /// An invitation is used as often as it says, and in each minute as often as the room says.
    fn invited(&mut self, said: &Said, now_ms: u64) {
        let key = said.keys.iter().find(|key| key.contains(":invite:"));
        let (Some(key), Some(id)) = (key, &said.id) else {
            return;
        };
        let outcome = said.answer.get("invited").map_or("", String::as_str);
        if outcome != "in" && outcome != "front" {
            return;
        }
        let users = self.data.uses.entry(key.clone()).or_default();
        users.insert(id.clone());
        let most: usize = key.rsplit('-').next().unwrap().parse().unwrap();
        assert!(users.len() <= most, "{key} was used by {users:?}");
        self.checked("an invitation is used as often as it says");
        if outcome == "in" && self.data.went_past.insert(id.clone()) {
            self.let_in.insert(id.clone());
            let minute = self.data.invited.entry(now_ms / 60_000).or_default();
            minute.insert(id.clone());
            assert!(
                minute.len() as u64 <= super::settings::MOST_INVITED_PER_MINUTE,
                "{minute:?} went past the line in one minute"
            );
        }
    }

    /// The store counts each batch once. How many sessions it made longer.
    fn count(&mut self, said: &Said) -> u64 {
        let mut told = 0;
        for (till, at) in said.tills.iter().zip(1..) {
            let number = said.arguments[&format!("number{at}")].clone();
            let counts = &said.arguments[&format!("counts{at}")];
            let pairs = counts.split(' ').filter_map(|pair| pair.split_once('='));
            let pairs: Vec<(&str, u64)> = pairs
                .map(|(name, by)| (name, by.parse().unwrap()))
                .collect();
            self.is_the_same_batch((till, &number), &pairs);
            let number = number.parse().unwrap();
            let last = self.data.tills.entry(till.clone()).or_default();
            if number <= *last {
                continue;
            }
            *last = number;
            for (name, by) in pairs {
                told += if name.starts_with("renewed_") { by } else { 0 };
                if name.starts_with("decided_") {
                    *self.data.sums.entry(name.to_owned()).or_default() += by;
                }
            }
        }
        told
    }

    /// A batch that is sent again is the same.
    fn is_the_same_batch(&mut self, (till, number): (&str, &str), pairs: &[(&str, u64)]) {
        let decided = pairs
            .iter()
            .filter(|(name, _)| name.starts_with("decided_"));
        let decided: Vec<_> = decided.collect();
        let written = format!("{decided:?}");
        let key = (till.to_owned(), number.to_owned());
        if let Some(before) = self.batches.get(&key) {
            assert_eq!(*before, written, "batch {number} of {till}");
            return;
        }
        self.batches.insert(key, written);
        let brought = self.brought.entry(till.to_owned()).or_default();
        for (name, by) in decided {
            *brought.entry((*name).to_owned()).or_default() += by;
        }
    }

    /// The metrics say what was counted.
    fn sums_are_told(&mut self, said: &Said) {
        let counts = said.answer.get("counts").map_or("[]", String::as_str);
        let counts: Vec<String> = serde_json::from_str(counts).unwrap();
        let pairs = counts
            .chunks(2)
            .filter(|pair| pair[0].starts_with("decided_"));
        let told: BTreeMap<String, u64> = pairs
            .map(|pair| (pair[0].clone(), pair[1].parse().unwrap()))
            .collect();
        assert_eq!(told, self.data.sums, "decisions are counted once");
        self.checked("decisions are counted once");
    }

    /// A visitor gets this ticket.
    pub(super) fn given(&mut self, held: &Held) {
        let Some(number) = held.number.filter(|_| held.is_waiting) else {
            return;
        };
        let first = held.came.unwrap_or(number);
        let key = (held.lane, held.born, held.epoch, first);
        let new = || Given {
            sub: held.sub.clone(),
            losses: self.losses,
            uncovered: self.uncovered,
        };
        let known = self.numbers.entry(key).or_insert_with(new).clone();
        assert!(
            known.sub == held.sub || self.may_repeat(&known, held, first),
            "{key:?} is held by two visitors: {known:?} {held:?}"
        );
        if held.came.is_some() {
            let key = (held.born, held.epoch, number);
            let known = self.lots.entry(key).or_insert_with(new).clone();
            assert!(
                known.sub == held.sub || self.may_repeat(&known, held, first),
                "the place {key:?} is held by two visitors: {known:?} {held:?}"
            );
            self.checked("a place by lot is of one visitor");
        }
        self.checked("no number is given twice");
    }

    /// Numbers that were given before a loss may be given again where the rules do not cover it.
    fn may_repeat(&self, known: &Given, held: &Held, number: u64) -> bool {
        let is_beyond = |repeats: &Repeats| {
            let from = repeats.from.get(&held.lane).copied();
            repeats.born == held.born && number > from.unwrap_or(0)
        };
        let is_forgotten = held.lane != Lane::Main
            && known.losses < self.losses
            && self.forgotten.iter().any(is_beyond);
        let is_uncovered = known.uncovered < self.uncovered;
        is_uncovered || is_forgotten || self.repeats.iter().any(is_beyond)
    }

    /// Data are lost of which the data centres have these copies: cursor and length of a lane, by each of them.
    pub(super) fn note_known(&mut self, born: u64, known: &[BTreeMap<Lane, u64>]) {
        let Some(line) = &self.data.line else {
            return;
        };
        let lanes = line.lanes().filter(|lane| *lane != Lane::Main);
        let least = |lane: Lane| {
            let lengths = known
                .iter()
                .map(|copy| copy.get(&lane).copied().unwrap_or(0));
            lengths.min().unwrap_or(0) + LEFT_FREE
        };
        let from = lanes.map(|lane| (lane, least(lane))).collect();
        self.forgotten.push(Repeats { born, from });
    }

    /// How many numbers visitors got in each lane.
    pub(super) fn given_by_lane(&self) -> BTreeMap<Lane, u64> {
        let mut given = BTreeMap::new();
        for (lane, ..) in self.numbers.keys() {
            *given.entry(*lane).or_default() += 1;
        }
        given
    }

    /// A visitor with this ticket was let in.
    pub(super) fn enters(&mut self, held: &Held) {
        if !self.let_in.insert(held.sub.clone()) {
            return;
        }
        let called = self.called.get(&(held.lane, held.born)).copied();
        let called = called.unwrap_or(0);
        assert!(
            held.number.is_some_and(|number| number <= called),
            "{held:?} is inside, and {called} was called"
        );
        *self.went_in.entry(held.lane).or_default() += 1;
        self.checked(match held.lane {
            Lane::Region(_) => "the number was called in its region",
            _ => "the number was called",
        });
    }

    pub(super) fn checked(&mut self, what: &'static str) {
        *self.checks.entry(what).or_default() += 1;
    }

    /// A loss that the rules do not cover.
    pub(super) fn does_not_cover(&mut self, why: &'static str) {
        self.uncovered += 1;
        *self.why.entry(why).or_default() += 1;
    }

    /// The store has lost its data, or has an older copy of them.
    pub(super) fn lost(&mut self, now_ms: u64, copy: Option<Data>) {
        self.data = Data::default();
        self.lost_ms = Some(now_ms);
        self.losses += 1;
        (self.turned_ms, self.began_ms) = (now_ms, now_ms);
        self.bucket = Bucket::default();
        let Some(copy) = copy else {
            return;
        };
        if let Some(line) = &copy.line {
            let from = line.lanes().map(|lane| (lane, line.of_lane(lane).1));
            self.repeats.push(Repeats {
                born: line.born,
                from: from.collect(),
            });
            // While data are young a ticket has the number of its piece.
            for (born, offset) in &line.splices {
                let from = line.length.saturating_sub(*offset);
                self.repeats.push(Repeats {
                    born: *born,
                    from: [(Lane::Main, from)].into(),
                });
            }
        }
        self.data = copy;
    }

    /// Whether an older copy ever came back.
    pub(super) fn has_repeats(&self) -> bool {
        !self.repeats.is_empty()
    }
}
