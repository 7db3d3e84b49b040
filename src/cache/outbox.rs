//! What is counted at the edge, on its way to the store: in a sandbox, then in an outbox of the data centre, then once there.
//!
//! Invariant: nothing counted is lost or counted twice. What leaves an outbox does so under a number; until the store has
//! acknowledged that number the same batch is sent again, and the store counts each number of an outbox once.

use serde::{Deserialize, Serialize};
use std::time::Duration;

use crate::queue::{
    Answered, AnsweredTo, CountedRenewal, Estimated, Inversion, Invited, Lane, Now, Reason, STAYS,
    SessionMark, Signal, WafVerdict, Waited, wait_bucket,
};

/// The upper ends of the buckets in which the times of store calls are counted, in milliseconds.
pub const BUCKETS: [u64; 8] = [5, 10, 25, 50, 100, 250, 500, 1000];

/// The kinds of store errors.
pub const FAULTS: [&str; 6] = [
    "no_answer",
    "unauthorized",
    "over_quota",
    "status",
    "rejected",
    "garbled",
];

/// The name of the times of store calls, summed up in microseconds.
const TOOK: &str = "took_us";
/// The name of visits with a ticket that more networks use than should.
const SHARED: &str = "shared_ticket";
/// The name of numbers drawn above the bound of a network.
const ABOVE_BOUND: &str = "above_network_bound";
/// The name of the bucket without an upper end.
const LONGER: &str = "took_longer";

/// With what the names of the sums of waits begin.
const WAIT_SECONDS: &str = "wait_seconds_";

/// The length of the spans by which answers of the origin are told apart, in seconds: how it answers is news for a short time only.
const SPAN: u64 = 10;
/// The number of spans for which an answer says something about the origin of now.
const FRESH_SPANS: u64 = 2;

/// With what the names of renewed sessions begin.
const RENEWED: &str = "renewed_";
/// The characters of one of them: the mark of the session, and by how many minutes its end moves, in hexadecimal digits.
pub const RENEWAL: usize = SessionMark::DIGITS + 2;
/// The most of them that one batch brings, so that no call of the store takes long.
const MOST_RENEWALS: usize = 2000;

/// What was counted: numbers by name, a few dozen at most, and the sessions that were made longer.
///
/// The script, the log and the cache have it as one text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Tally {
    numbers: Vec<(String, u64)>,
    /// By their end and the beginning of their line: `renewed_TO_BORN_EPOCH`, and one after the other.
    renewed: Vec<(String, String)>,
}

impl Tally {
    /// A request was decided.
    pub fn decided(&mut self, reason: Reason) {
        self.add(&decision(reason.name()), 1);
    }

    /// The store was called, and answered or did not within this time.
    pub fn called(&mut self, took: Duration) {
        let fits = |most: &&u64| took <= Duration::from_millis(**most);
        match BUCKETS.iter().find(fits) {
            Some(most) => self.add(&bucket(*most), 1),
            None => self.add(LONGER, 1),
        }
        self.add(TOOK, u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
    }

    /// A visitor went in for the first time, by a number of this lane, nothing for the main line.
    pub fn waited(&mut self, lane: Option<&str>, waited: Waited) {
        let lane = lane.unwrap_or(Lane::Main.full_name());
        self.add(&wait(wait_bucket(waited.seconds), lane), 1);
        self.add(&format!("{WAIT_SECONDS}{lane}"), waited.seconds);
        if let Some(estimated) = waited.estimated() {
            self.add(&estimate(estimated), 1);
        }
        if let Some(told) = waited.estimate {
            self.add(&format!("told_{}_{lane}", letter(wait_bucket(told))), 1);
        }
    }

    /// The lanes by whose numbers visitors went in, the main line first.
    pub fn lanes(&self) -> impl Iterator<Item = &str> {
        let main = Lane::Main.full_name();
        let names = self.numbers.iter();
        let lanes = names.filter_map(|(name, _)| name.strip_prefix(WAIT_SECONDS));
        std::iter::once(main).chain(lanes.filter(move |lane| *lane != main))
    }

    /// How many visitors of a lane waited for so long, by the place of the bucket among [`crate::queue::WAITS`]; longer than
    /// the longest in the last.
    #[must_use]
    pub fn waits(&self, bucket: usize, lane: &str) -> u64 {
        self.number(&wait(bucket, lane))
    }

    /// How long all of them waited together, in seconds.
    #[must_use]
    pub fn waited_seconds(&self, lane: &str) -> u64 {
        self.number(&format!("{WAIT_SECONDS}{lane}"))
    }

    /// How many estimates came so.
    #[must_use]
    pub fn estimates(&self, estimated: Estimated) -> u64 {
        self.number(&estimate(estimated))
    }

    /// A session was made longer.
    pub fn renewed(&mut self, renewal: CountedRenewal) {
        let CountedRenewal {
            from,
            to,
            of,
            mark,
            lasted: (before, now),
        } = renewal;
        for (bucket, minutes) in STAYS.iter().enumerate() {
            if before < *minutes && *minutes <= now {
                self.add(&stay(bucket), 1);
            }
        }
        let name = format!("{RENEWED}{to}_{of}");
        // No session is longer than 240 minutes. 0: it was to end at no known time.
        let by = to.checked_sub(from).filter(|_| from > 0);
        let by = by.and_then(|by| u8::try_from(by).ok()).unwrap_or(0);
        self.renew(&name, &format!("{}{by:02x}", mark.written()));
    }

    /// How many visits under a cap lasted at least so long, by the place of the length among [`STAYS`].
    #[must_use]
    pub fn stays(&self, bucket: usize) -> u64 {
        self.number(&stay(bucket))
    }

    fn renew(&mut self, name: &str, sessions: &str) {
        match self.renewed.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => known.push_str(sessions),
            None => self.renewed.push((name.to_owned(), sessions.to_owned())),
        }
    }

    /// Takes out what one batch brings: of many renewals a part.
    fn take_batch(&mut self) -> Self {
        let mut batch = Self {
            numbers: std::mem::take(&mut self.numbers),
            renewed: Vec::new(),
        };
        let mut room = MOST_RENEWALS * RENEWAL;
        while let Some((name, sessions)) = self.renewed.pop() {
            let end = sessions.len().min(room);
            let (taken, left) = sessions.split_at_checked(end).unwrap_or((&sessions, ""));
            room -= end;
            if !taken.is_empty() {
                batch.renewed.push((name.clone(), taken.to_owned()));
            }
            if !left.is_empty() {
                self.renewed.push((name, left.to_owned()));
                break;
            }
        }
        batch
    }

    /// A visitor inside came with a ticket that more networks use than should.
    pub fn shared(&mut self) {
        self.add(SHARED, 1);
    }

    /// How often that was so.
    #[must_use]
    pub fn shared_visits(&self) -> u64 {
        self.number(SHARED)
    }

    /// A number was drawn above the bound of a network.
    pub fn drawn_above_bound(&mut self) {
        self.add(ABOVE_BOUND, 1);
    }

    /// How often that was so.
    #[must_use]
    pub fn draws_above_bound(&self) -> u64 {
        self.number(ABOVE_BOUND)
    }

    /// Something became of an invitation.
    pub fn invited(&mut self, invited: Invited) {
        self.add(&invitation(invited), 1);
    }

    /// How often that was so.
    #[must_use]
    pub fn invitations(&self, invited: Invited) -> u64 {
        self.number(&invitation(invited))
    }

    /// A visitor was let in while others waited whose turn was before.
    pub fn inverted(&mut self, inversion: Inversion) {
        self.add(&inverted(inversion), 1);
    }

    /// How often this let a visitor pass.
    #[must_use]
    pub fn inversions(&self, inversion: Inversion) -> u64 {
        self.number(&inverted(inversion))
    }

    /// The platform said this of a visitor who was about to draw.
    pub fn signalled(&mut self, signal: Signal) {
        self.add(&signalled(signal), 1);
    }

    /// How often that was so.
    #[must_use]
    pub fn signals(&self, signal: Signal) -> u64 {
        self.number(&signalled(signal))
    }

    /// The site's firewall was asked about a request.
    pub fn inspected(&mut self, verdict: WafVerdict) {
        self.add(&inspected(verdict), 1);
    }

    /// How often that was so.
    #[must_use]
    pub fn inspections(&self, verdict: WafVerdict) -> u64 {
        self.number(&inspected(verdict))
    }

    /// The origin answered a request that was watched, at this time.
    pub fn watched(&mut self, to: AnsweredTo, answered: Answered, now: Now) {
        let (to, span) = (to.written(), now.secs() / SPAN);
        self.add(&format!("watched_{to}_{}_{span}", answered.name()), 1);
    }

    /// The same as the store hears it: answers of long ago are counted and say nothing about the origin of now.
    #[must_use]
    pub fn as_of(&self, now: Now) -> Self {
        let mut told = Self {
            renewed: self.renewed.clone(),
            ..Self::default()
        };
        for (name, number) in &self.numbers {
            match name.strip_prefix("watched_").and_then(read_watched) {
                Some((to, kind, span)) if (now.secs() / SPAN).abs_diff(span) <= FRESH_SPANS => {
                    told.add(&format!("watched_{to}_{kind}"), *number);
                }
                Some((_, kind, _)) => told.add(&format!("origin_{kind}"), *number),
                None => told.add(name, *number),
            }
        }
        told
    }

    /// How often the origin answered like this.
    #[must_use]
    pub fn origin(&self, answered: Answered) -> u64 {
        self.number(&format!("origin_{}", answered.name()))
    }

    /// The store gave no usable answer to a verb.
    pub fn failed(&mut self, kind: &str) {
        self.add(&error(kind), 1);
    }

    /// How many requests were decided for this reason.
    #[must_use]
    pub fn decisions(&self, reason: Reason) -> u64 {
        self.number(&decision(reason.name()))
    }

    /// How many store calls took at most this many milliseconds, and longer than the next smaller bucket.
    #[must_use]
    pub fn calls_within(&self, most: u64) -> u64 {
        self.number(&bucket(most))
    }

    /// How many store calls there were, whatever time they took.
    #[must_use]
    pub fn calls(&self) -> u64 {
        let within = BUCKETS.iter().map(|most| self.calls_within(*most));
        within.fold(self.number(LONGER), u64::saturating_add)
    }

    /// The time of all store calls in microseconds.
    #[must_use]
    pub fn took_us(&self) -> u64 {
        self.number(TOOK)
    }

    /// How many verbs failed, by one of [`FAULTS`].
    #[must_use]
    pub fn errors(&self, kind: &str) -> u64 {
        self.number(&error(kind))
    }

    /// Whether nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty() && self.renewed.is_empty()
    }

    /// Adds to a number.
    pub fn add(&mut self, name: &str, number: u64) {
        match self.numbers.iter_mut().find(|(known, _)| known == name) {
            Some((_, sum)) => *sum = sum.saturating_add(number),
            None => self.numbers.push((name.to_owned(), number)),
        }
    }

    /// Adds all numbers of another.
    pub fn merge(&mut self, other: &Self) {
        for (name, number) in &other.numbers {
            self.add(name, *number);
        }
        for (name, sessions) in &other.renewed {
            self.renew(name, sessions);
        }
    }

    /// `name=number name=number renewed_TO_BORN_EPOCH=sessions`.
    #[must_use]
    pub fn encode(&self) -> String {
        let mut text = String::new();
        let mut write = |name: &str, value: &str| {
            let space = if text.is_empty() { "" } else { " " };
            text.extend([space, name, "=", value]);
        };
        for (name, number) in &self.numbers {
            write(name, &number.to_string());
        }
        for (name, sessions) in &self.renewed {
            write(name, sessions);
        }
        text
    }

    /// Reads what [`encode`](Self::encode) wrote.
    #[must_use]
    pub fn decode(text: &str) -> Option<Self> {
        let mut tally = Self::default();
        for pair in text.split_whitespace() {
            let (name, value) = pair.split_once('=')?;
            if name.starts_with(RENEWED) {
                let is_whole = value.len().is_multiple_of(RENEWAL)
                    && value.bytes().all(|byte| byte.is_ascii_hexdigit());
                tally
                    .renewed
                    .push((name.to_owned(), is_whole.then(|| value.to_owned())?));
            } else {
                tally.numbers.push((name.to_owned(), value.parse().ok()?));
            }
        }
        Some(tally)
    }

    fn number(&self, name: &str) -> u64 {
        let found = self.numbers.iter().find(|(known, _)| known == name);
        found.map_or(0, |(_, number)| *number)
    }
}

impl From<Tally> for String {
    fn from(tally: Tally) -> Self {
        tally.encode()
    }
}

impl TryFrom<String> for Tally {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::decode(&text).ok_or("no counts")
    }
}

/// The counter of invitations that ended so.
fn invitation(invited: Invited) -> String {
    format!("invitation_{}", invited.name())
}

fn wait(bucket: usize, lane: &str) -> String {
    format!("waited_{}_{lane}", letter(bucket))
}

fn stay(bucket: usize) -> String {
    format!("stayed_{}", letter(bucket))
}

/// Buckets have letters: the history has one for each count.
fn letter(bucket: usize) -> char {
    u8::try_from(bucket).map_or('Z', |bucket| char::from(b'A'.saturating_add(bucket)))
}

fn estimate(estimated: Estimated) -> String {
    format!("estimate_{}", estimated.name())
}

fn inverted(inversion: Inversion) -> String {
    format!("inverted_{}", inversion.name())
}

fn signalled(signal: Signal) -> String {
    format!("signal_{}", signal.name())
}

fn inspected(verdict: WafVerdict) -> String {
    format!("waf_{}", verdict.name())
}

/// The parts of the name of watched answers: whose, kind and span.
fn read_watched(rest: &str) -> Option<(&str, &str, u64)> {
    let mut words = rest.split('_');
    let (to, kind, span) = (words.next()?, words.next()?, words.next()?);
    Some((to, kind, span.parse().ok()?))
}

fn decision(reason: &str) -> String {
    format!("decided_{reason}")
}

fn error(kind: &str) -> String {
    format!("error_{kind}")
}

fn bucket(most: u64) -> String {
    format!("took_{most}")
}

/// Where the counters of a POP wait for the store.
pub trait Outbox {
    /// What was counted in this POP and the store has not acknowledged: all of it.
    fn batches(&self) -> Vec<Batch>;
    /// The part of it that a refresh of the board takes along. While the POP refreshes often, every part has its turn soon,
    /// and a POP with little to count looks at one outbox and not at all of them.
    fn next_batches(&self) -> Vec<Batch> {
        self.batches()
    }
    /// The store has counted these.
    fn acknowledge(&self, batches: &[Batch]);
}

/// What an outbox sends to the store at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Which outbox of the data centre it came from.
    pub place: usize,
    /// The name of its outbox, which no other outbox ever has.
    pub outbox: String,
    /// Grows with each batch of an outbox.
    pub number: u64,
    /// What is to be counted.
    pub tally: Tally,
}

/// What a data centre keeps until the store has counted it. One request at a time changes one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutboxSlot {
    name: String,
    /// The number of the latest batch.
    number: u64,
    /// The latest batch, until it is acknowledged.
    sent: Tally,
    /// What came since.
    open: Tally,
}

impl OutboxSlot {
    /// An empty one.
    #[must_use]
    pub fn new(name: String) -> Self {
        Self {
            name,
            number: 0,
            sent: Tally::default(),
            open: Tally::default(),
        }
    }

    /// Puts in what a sandbox counted.
    pub fn put(&mut self, tally: &Tally) {
        self.open.merge(tally);
    }

    /// Whether there is nothing to be sent.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sent.is_empty() && self.open.is_empty()
    }

    /// The batch to be sent now: the latest one again, unless it has been acknowledged.
    pub fn batch(&mut self, place: usize) -> Option<Batch> {
        if self.sent.is_empty() {
            self.sent = self.open.take_batch();
            self.number = self.number.saturating_add(1);
        }
        (!self.sent.is_empty()).then(|| Batch {
            place,
            outbox: self.name.clone(),
            number: self.number,
            tally: self.sent.clone(),
        })
    }

    /// The store has counted a batch. One of an outbox that stood here before, or an older one, changes nothing.
    pub fn acknowledge(&mut self, batch: &Batch) {
        if batch.outbox == self.name && batch.number == self.number {
            self.sent = Tally::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::{decode, encode};
    use crate::queue::Renewal;

    fn tally(pairs: &[(&str, u64)]) -> Tally {
        let mut tally = Tally::default();
        for (name, number) in pairs {
            tally.add(name, *number);
        }
        tally
    }

    #[test]
    fn what_is_written_is_read_again() {
        let mut counted = Tally::default();
        counted.decided(Reason::AdmittedWithoutStore);
        counted.decided(Reason::AdmittedWithoutStore);
        counted.failed("status");
        counted.called(Duration::from_micros(5_001));
        let text = "decided_admitted_without_store=2 error_status=1 took_10=1 took_us=5001";
        assert_eq!(counted.encode(), text);
        assert_eq!(Tally::decode(text), Some(counted));
        assert_eq!(Tally::decode(""), Some(Tally::default()));
        assert_eq!(Tally::decode("calls"), None);
        assert_eq!(Tally::decode("calls=-1"), None);
    }

    #[test]
    fn a_call_is_counted_in_one_bucket_whose_upper_end_belongs_to_it() {
        let mut counted = Tally::default();
        for ms in [0, 5, 6, 1000, 1001, 60_000] {
            counted.called(Duration::from_millis(ms));
        }
        let within = BUCKETS.map(|most| counted.calls_within(most));
        assert_eq!(within, [2, 1, 0, 0, 0, 0, 0, 1]);
        assert_eq!((counted.calls(), counted.took_us()), (6, 62_012_000));
    }

    #[test]
    fn what_the_origin_answered_long_ago_is_counted_and_is_no_news() {
        let mut counted = Tally::default();
        let entrant = AnsweredTo::Entrant { cuts: 3 };
        counted.watched(entrant, Answered::Late, Now::from_secs(1005));
        counted.watched(entrant, Answered::Late, Now::from_secs(1009));
        counted.watched(AnsweredTo::Inside, Answered::Ok, Now::from_secs(1010));
        counted.decided(Reason::Inside);
        assert_eq!(Tally::decode(&counted.encode()), Some(counted.clone()));
        let told = |secs| counted.as_of(Now::from_secs(secs)).encode();
        assert_eq!(
            told(1029),
            "watched_3_late=2 watched_inside_ok=1 decided_inside=1"
        );
        assert_eq!(
            told(1030),
            "origin_late=2 watched_inside_ok=1 decided_inside=1"
        );
        assert_eq!(told(9000), "origin_late=2 origin_ok=1 decided_inside=1");
    }

    /// Renewals of visitors inside who come in one second, where as many come in a minute.
    fn renewals(many: u64) -> Tally {
        let of = 1_800_000_000_000;
        let mut counted = Tally::default();
        for number in 0..many.div_ceil(60) {
            let renewal = Renewal {
                from: 30_000_019 - number % 5,
                to: 30_000_020,
            };
            counted.renewed(renewal.counted(&format!("{number:032x}"), of, renewal.to, 0));
        }
        counted
    }

    #[test]
    fn a_thousand_visitors_a_minute_are_three_hundred_bytes_a_second() {
        let counted = renewals(1000);
        let text = counted.encode();
        assert!(text.len() <= 300, "{}", text.len());
        assert_eq!(Tally::decode(&text), Some(counted));
        let first = Renewal { from: 0, to: 30 };
        let of = 7;
        let mut counted = Tally::default();
        counted.renewed(first.counted("00112233445566778899aabbccddeeff", of, 30, 0));
        assert_eq!(counted.encode(), "renewed_30_7=00112233445500");
        for spoilt in ["renewed_30_7=1", "renewed_30_7=0011223344551x"] {
            assert_eq!(Tally::decode(spoilt), None, "{spoilt}");
        }
    }

    #[test]
    fn of_many_renewals_a_batch_brings_a_part_and_none_is_lost() {
        let mut slot = OutboxSlot::new("a".into());
        slot.put(&renewals(300_000));
        let mut brought = Vec::new();
        while let Some(batch) = slot.batch(0) {
            let sessions = batch
                .tally
                .renewed
                .iter()
                .map(|(_, sessions)| sessions.len());
            brought.push(sessions.sum::<usize>() / RENEWAL);
            slot.acknowledge(&batch);
        }
        assert_eq!(brought, [2000, 2000, 1000]);
    }

    #[test]
    fn a_batch_is_sent_again_under_its_number_until_it_is_acknowledged() {
        let mut slot = OutboxSlot::new("a".into());
        assert_eq!(slot.batch(0), None);
        slot.put(&tally(&[("x", 1)]));
        let first = slot.batch(0);
        slot.put(&tally(&[("x", 2)]));
        assert_eq!(
            slot.batch(0),
            first,
            "the same again, and nothing of what came since"
        );
        assert_eq!(decode(&encode(&slot)), Some(slot.clone()));
        let Some(first) = first else {
            unreachable!("something was put in");
        };
        slot.acknowledge(&first);
        let second = slot.batch(0).unwrap_or_else(|| first.clone());
        assert_eq!(second.tally, tally(&[("x", 2)]));
        assert!(second.number > first.number);
        slot.acknowledge(&first);
        assert_eq!(
            slot.batch(0),
            Some(second.clone()),
            "an old answer says nothing about it"
        );
        slot.acknowledge(&Batch {
            outbox: "b".into(),
            ..second.clone()
        });
        assert_eq!(
            slot.batch(0),
            Some(second.clone()),
            "nor does another slot's"
        );
        slot.acknowledge(&second);
        assert!(slot.is_empty());
    }
}
