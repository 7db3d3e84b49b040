//! What may happen in a case: one verb a step, with the words that belong to it.

use now_serving::cache::outbox::Tally;
use now_serving::operator::verbs::{
    Credit, End, Epoch, Intent, Message, NewEvents, Permit, PublicValue, Report, SetCap, SetEvents,
    SetMode, SetOverrule, SetPace, Stock,
};
use now_serving::queue::{
    Answered, AnsweredTo, Answers, ChallengeWait, Effort, EndedSession, Event, EventList, Lane,
    LaneName, Mode, Now, Overrule, Reason, Renewal,
};
use now_serving::store::MayDraw;
use serde_json::{Value, json};
use std::time::Duration;

use crate::Loss;
use crate::play::{From, Play, beginning, object};
use crate::settings::{cap, clock, events, groups, named, pace, time};
use crate::table::{Words, compare};

/// Every verb. A step has exactly one of them.
const VERBS: [&str; 27] = [
    "wait",
    "at",
    "draw",
    "ask_again",
    "look",
    "poll",
    "came",
    "answers",
    "inside",
    "renew",
    "report",
    "permit",
    "mode",
    "pace",
    "cap",
    "message",
    "clear_credit",
    "end_all_tickets",
    "end",
    "overrule",
    "event",
    "public_value",
    "back_up",
    "lose",
    "set",
    "each",
    "then",
];

/// Given back: what is configured holds again.
const CONFIGURED: &str = "configured";

impl Play<'_> {
    /// Plays one step, and compares what it gives with what is expected of it.
    pub(super) fn step(&mut self, step: &Value) -> Result<(), String> {
        let mut words = Words::new("the step", step.clone())?;
        let named = step.as_object().into_iter().flat_map(|step| step.keys());
        let verbs: Vec<&str> = named
            .filter_map(|name| VERBS.iter().copied().find(|verb| verb == name))
            .collect();
        let [verb] = verbs[..] else {
            return Err(format!(
                "{} verbs in a step, which has one of {}",
                verbs.len(),
                VERBS.join(", ")
            ));
        };
        let value = words.take(verb).unwrap_or_default();
        if verb == "then" {
            words.end()?;
            return compare(&value, &self.found()?, "");
        }
        let gives = words.object("gives")?;
        let gave = self.verb(verb, value, &mut words)?;
        words.end()?;
        match (gives, gave) {
            (Some(gives), Some(gave)) => compare(&Value::Object(gives), &gave, "gives"),
            (Some(_), None) => Err(format!("{verb} gives nothing that can be expected")),
            (None, Some(gave)) => match gave.get("outcome").and_then(Value::as_str) {
                None | Some("done") => Ok(()),
                Some(other) => Err(format!(
                    "the change is {other}, and the step does not expect that"
                )),
            },
            (None, None) => Ok(()),
        }
    }

    fn verb(
        &mut self,
        verb: &str,
        value: Value,
        words: &mut Words,
    ) -> Result<Option<Value>, String> {
        match verb {
            "wait" => self.pass(time(&value)?),
            "at" => self.now_ms = clock(value.as_str().unwrap_or_default())?,
            "draw" => return self.draws(&value, words).map(Some),
            "ask_again" => return self.asks_again(&value, words).map(Some),
            "look" => return self.looks(&value, words).map(Some),
            "poll" | "came" | "answers" | "inside" | "renew" => {
                self.brings(verb, &value, words)?;
            }
            "back_up" if value == json!(true) => self.ground.back_up()?,
            "back_up" => return Err(format!("back_up is {value}, and not true")),
            "lose" => self.loses(&value)?,
            "set" => self.sets(value)?,
            "each" => self.each(&value, words)?,
            _ => return self.changes(verb, &value, words).map(Some),
        }
        Ok(None)
    }

    fn pass(&mut self, ms: u64) {
        self.now_ms += ms;
        // The embedded store forgets keys by its own clock, and Redis by that of the machine, so no table relies on it.
        self.ground.pass(Duration::from_millis(ms));
    }

    /// From where the call comes.
    fn from(words: &mut Words) -> Result<From, String> {
        let home = match words.text("in")? {
            None => Lane::Main,
            Some(name) => {
                let region = LaneName::read(&name);
                Lane::Named(region.ok_or_else(|| format!("{name:?} is no region"))?)
            }
        };
        Ok(From {
            home,
            pop: words.text("pop")?,
            network: words.text("network")?,
            invitation: words.text("with")?,
            effort: Effort {
                paid: words.number("paid")?.unwrap_or_default(),
                wait: named(words.text("waited")?.as_deref(), &ChallengeWait::ALL)?
                    .unwrap_or_default(),
            },
            seen: None,
            key: None,
            ..From::default()
        })
    }

    /// One new visitor by name, or some.
    fn draws(&mut self, value: &Value, words: &mut Words) -> Result<Value, String> {
        let from = Self::from(words)?;
        if let Some(name) = value.as_str() {
            return self.draw(Some(name), &from);
        }
        let many = value.as_u64();
        let many = many.ok_or_else(|| format!("{value} is neither a number nor a name"))?;
        let mut numbers = Vec::new();
        let mut last = json!({"number": null, "called": false});
        for _ in 0..many {
            last = self.draw(None, &from)?;
            numbers.push(last.get("number").cloned().unwrap_or_default());
        }
        if let Value::Object(last) = &mut last {
            last.insert("numbers".to_owned(), Value::Array(numbers));
        }
        Ok(last)
    }

    fn asks_again(&mut self, value: &Value, words: &mut Words) -> Result<Value, String> {
        let from = Self::from(words)?;
        let mut last = Value::Null;
        for name in Self::named(value)? {
            last = self.ask_to_join(&name, &from)?;
        }
        Ok(last)
    }

    /// The visits of visitors with tickets; what the last of them is given, and how many of them went in.
    fn looks(&mut self, value: &Value, words: &mut Words) -> Result<Value, String> {
        let from = Self::from(words)?;
        let may_draw = match words.text("asks")?.as_deref() {
            None | Some("a page") => MayDraw::Yes,
            Some("a poll") => MayDraw::No,
            Some(other) => return Err(format!("{other:?} is neither a page nor a poll")),
        };
        let (mut last, mut sessions) = (Value::Null, 0);
        for name in Self::named(value)? {
            last = self.look(&name, &from, may_draw)?;
            let session = last.get("session").and_then(Value::as_str);
            sessions += u64::from(session.is_some_and(|text| text != "no slot" && text != "used"));
        }
        if let Value::Object(last) = &mut last {
            last.insert("sessions".to_owned(), sessions.into());
        }
        Ok(last)
    }

    /// What a POP counted: first admissions, answers of the origin, and sessions.
    fn brings(&mut self, verb: &str, value: &Value, words: &mut Words) -> Result<(), String> {
        let from = Self::from(words)?;
        let mut tally = Tally::default();
        let number = || {
            let number = value.as_u64();
            number.ok_or_else(|| format!("{verb} is {value}, and no number"))
        };
        match verb {
            "poll" if *value == json!(true) => {}
            "poll" => return Err(format!("poll is {value}, and not true")),
            "came" => came(&mut tally, number()?),
            "answers" => {
                let of = words.text("of")?;
                let entrant = |cuts| AnsweredTo::Entrant { cuts };
                let to = match of.as_deref() {
                    None | Some("visitors since the last cut") => entrant(self.cuts()?),
                    Some("visitors before the last cut") => entrant(self.cuts()?.saturating_sub(1)),
                    Some("visitors inside") => AnsweredTo::Inside,
                    Some(other) => {
                        return Err(format!(
                            "{other:?}: known are visitors since the last cut, visitors before the last cut, visitors inside"
                        ));
                    }
                };
                let answers = answers(value)?;
                // Where nothing else is said the POP has watched them a moment ago.
                let ago = words.take("ago").map_or(Ok(0), |value| time(&value))?;
                watched(&mut tally, to, answers, self.now_ms.saturating_sub(ago));
            }
            "inside" => {
                let span = words
                    .take("for")
                    .map_or(Ok(20 * 60_000), |value| time(&value))?;
                let to = self.now_ms / 60_000 + span / 60_000;
                let of = beginning(&self.panel()?.board);
                for _ in 0..number()? {
                    let id = self.nameless_id();
                    tally.renewed(Renewal { from: 0, to }.counted(&id, of, to, 0));
                }
            }
            _ => {
                let minutes = self.panel()?.board.sessions;
                let minutes = minutes
                    .ok_or("without a cap there are no sessions")?
                    .minutes;
                let to = self.now_ms / 60_000 + minutes;
                for name in Self::named(value)? {
                    let (id, (from, of)) = self.session_of(&name)?;
                    tally.renewed(Renewal { from, to }.counted(&id, of, to, 0));
                    self.renewed(&name, to);
                }
            }
        }
        if words.text("answer")?.as_deref() == Some("lost") {
            self.poll(&from, tally.clone())?;
            self.repeat_batch();
        }
        match words.text("by")?.as_deref() {
            None | Some("a poll") => self.poll(&from, tally),
            Some("the metrics") => self.scrape(&from, tally),
            Some(other) => Err(format!("{other:?} is neither a poll nor the metrics")),
        }
    }

    /// How often the window was cut, which POPs read on the board.
    fn cuts(&self) -> Result<u64, String> {
        let origin = self.panel()?.board.origin;
        Ok(origin.map_or(0, |origin| origin.cuts))
    }

    /// The store loses its data; POPs keep what they know.
    fn loses(&mut self, value: &Value) -> Result<(), String> {
        let (what, of_pops) = match value.as_str() {
            Some("everything") => (Loss::Everything, false),
            Some("the line") => (Loss::Line, false),
            Some("what came since the copy") => (Loss::SinceCopy, false),
            Some("everything, and the POPs too") => (Loss::Everything, true),
            Some("the line, and the POPs too") => (Loss::Line, true),
            _ => {
                return Err(format!(
                    "{value}: known are everything and the line, each with , and the POPs too or without, and what came since the copy"
                ));
            }
        };
        if of_pops {
            self.forget_pops();
        }
        self.ground.lose(what)
    }

    /// The configuration is changed by a deploy.
    fn sets(&mut self, value: Value) -> Result<(), String> {
        let mut words = Words::new("set", value)?;
        if let Some(value) = words.take("pace") {
            self.settings.pace = pace(&value)?;
        }
        if let Some(value) = words.take("cap") {
            self.settings.cap = cap(&value)?;
        }
        if let Some(value) = words.take("events") {
            self.settings.events = events(&value)?;
        }
        if let Some(value) = words.take("priority") {
            self.settings.groups = groups(&value)?;
        }
        words.end()
    }

    /// A row of periods or minutes. In each one, that long after the last: new visitors draw, a POP renews its sign and brings
    /// what it watched, brings the first admissions some time after that, and then the line is compared.
    fn each(&mut self, value: &Value, words: &mut Words) -> Result<(), String> {
        let span = time(value)?;
        let times = words.number("times")?;
        let lists = ["draws", "come", "watched", "releases", "windows", "absent"];
        let lists = lists.map(|name| words.list(name).map(|list| (name, list)));
        let lists = lists.into_iter().collect::<Result<Vec<_>, _>>()?;
        let come_each = words.number("come_each")?;
        let after = words.take("counted_after");
        let after = after.map_or(Ok(0), |value| time(&value))?;
        let draws_each = words.number("draws_each")?;
        let watched_each = words.take("watched_each");
        let lengths: Vec<u64> = lists
            .iter()
            .filter_map(|(_, list)| list.as_ref())
            .map(|list| list.len() as u64)
            .chain(times)
            .collect();
        let Some(many) = lengths.first().copied() else {
            return Err("each has neither times nor a list".to_owned());
        };
        if lengths.iter().any(|length| *length != many) {
            return Err(format!("the lists of each have {lengths:?} values"));
        }
        let at = |name: &str, place: u64| {
            let list = lists.iter().find(|(known, _)| *known == name)?.1.as_ref()?;
            list.get(usize::try_from(place).ok()?).cloned()
        };
        for round in 0..many {
            self.pass(span.saturating_sub(after));
            let here = From {
                pop: None,
                ..From::default()
            };
            let newcomers = at("draws", round)
                .and_then(|value| value.as_u64())
                .or(draws_each);
            for _ in 0..newcomers.unwrap_or(0) {
                self.draw(None, &here)?;
            }
            let before = self.figures()?.released;
            let mut tally = Tally::default();
            if let Some(value) = at("watched", round).or(watched_each.clone()) {
                let to = AnsweredTo::Entrant { cuts: self.cuts()? };
                watched(&mut tally, to, answers(&value)?, self.now_ms);
            }
            self.poll(&here, tally)?;
            let came_now = at("come", round)
                .and_then(|value| value.as_u64())
                .or(come_each);
            if let Some(many) = came_now {
                let mut tally = Tally::default();
                came(&mut tally, many);
                self.pass(after);
                self.poll(&here, tally)?;
            }
            let found = self.found()?;
            let released = self.figures()?.released - before;
            for (name, found) in [
                ("releases", &json!(released)),
                ("windows", found.get("window").unwrap_or(&Value::Null)),
                ("absent", found.get("absent").unwrap_or(&Value::Null)),
            ] {
                if let Some(expected) = at(name, round) {
                    compare(&expected, found, &format!("{name}[{}]", round + 1))?;
                }
            }
        }
        Ok(())
    }

    /// What operators and programs do.
    fn changes(&mut self, verb: &str, value: &Value, words: &mut Words) -> Result<Value, String> {
        let mut from = Self::from(words)?;
        from.seen = words.number("seen_version")?;
        from.key = words.text("key")?;
        let is_configured = value == CONFIGURED;
        let number = || {
            let number = value.as_u64();
            number.ok_or_else(|| format!("{verb} is {value}, and no number"))
        };
        let text = value.as_str().unwrap_or_default();
        let (intent, counts): (Box<dyn Intent>, [&str; 2]) = match verb {
            "permit" => {
                let permit = Permit {
                    amount: number()?,
                    credit_max: self.settings.credit_max,
                };
                (Box::new(permit), ["released", "kept"])
            }
            "mode" => {
                let mode = Mode::named(text);
                let mode = mode.ok_or_else(|| format!("{value} is no mode"))?;
                (Box::new(SetMode(mode)), ["released", ""])
            }
            "pace" => {
                let last = self.settings.pace;
                let pace = (!is_configured).then(|| pace(value)).transpose()?;
                (Box::new(SetPace { pace, last }), ["", ""])
            }
            "cap" => {
                let cap = (!is_configured).then(|| cap(value)).transpose()?;
                (Box::new(SetCap(cap)), ["released", ""])
            }
            "message" => {
                let message = (!is_configured).then(|| text.to_owned());
                (Box::new(Message(message)), ["", ""])
            }
            "clear_credit" => (Box::new(Credit), ["cleared", ""]),
            "end_all_tickets" => (Box::new(Epoch), ["ended", ""]),
            "end" => {
                let sessions = Self::named(value)?
                    .iter()
                    .map(|name| self.session_of(name))
                    .map(|session| {
                        session.map(|(id, last)| EndedSession::of_ticket(&id, Some(last)))
                    })
                    .collect::<Result<_, _>>()?;
                let reference = None;
                let end = End {
                    sessions,
                    reference,
                };
                (Box::new(end), ["ended", "end_by_themselves"])
            }
            "overrule" => {
                let overrule = Overrule::named(text);
                let overrule = overrule.ok_or_else(|| format!("{value} is neither on nor off"))?;
                (Box::new(SetOverrule(overrule)), ["released", ""])
            }
            "report" => {
                let mut report = Words::new("report", value.clone())?;
                let listed = report.take("answers");
                let report_of = Report {
                    answers: listed.map_or(Ok(Answers::default()), |value| answers(&value))?,
                    load: report.number("load")?,
                    stock: report.take("stock").as_ref().map(stock),
                };
                report.end()?;
                (Box::new(report_of), ["", ""])
            }
            "event" => (
                Box::new(self.new_events(value, is_configured)?),
                ["released", ""],
            ),
            _ => {
                let begun = self.panel()?.board.begun;
                let reveal = begun.and_then(|begun| self.schedule().reveal("main", &begun));
                let value = PublicValue {
                    value: text.to_owned(),
                    reveals: reveal.into_iter().collect(),
                };
                (Box::new(value), ["ordered", ""])
            }
        };
        let (outcome, effect) = self.change(&from, &*intent)?;
        let mut gave = json!({ "outcome": outcome });
        if let Value::Object(gave) = &mut gave {
            let numbers = [effect.number, effect.kept.unwrap_or(0)];
            let counted = counts
                .iter()
                .zip(numbers)
                .filter(|(name, _)| !name.is_empty());
            gave.extend(counted.map(|(name, number)| ((*name).to_owned(), number.into())));
        }
        Ok(Value::Object(object(gave)))
    }

    fn new_events(&self, value: &Value, is_configured: bool) -> Result<SetEvents, String> {
        if value == "sold out" {
            return Ok(SetEvents::SoldOut);
        }
        let listed = (!is_configured).then(|| events(value)).transpose()?;
        let event = Event::of(
            listed.as_ref().unwrap_or(&self.settings.events),
            self.now_ms,
        );
        let commitment = event.and_then(|event| {
            self.schedule()
                .committed("main", &event.id, event.opens_ms, &event.order)
        });
        Ok(SetEvents::To(NewEvents {
            commitment,
            surprise: None,
            ends_visits: false,
            events: listed.map(EventList),
        }))
    }
}

/// This many first admissions. A POP that brings its counts without any was asked for something else.
fn came(tally: &mut Tally, many: u64) {
    tally.decided(Reason::Waiting);
    (0..many).for_each(|_| tally.decided(Reason::Admitted));
}

/// Answers in time, late ones and bad ones: `[10, 2, 1]`.
fn answers(value: &Value) -> Result<Answers, String> {
    let numbers = value.as_array().map(|list| list.iter().map(Value::as_u64));
    let numbers: Option<Vec<u64>> = numbers.and_then(Iterator::collect);
    match numbers.as_deref() {
        Some([ok, late, bad]) => Ok(Answers {
            ok: *ok,
            late: *late,
            bad: *bad,
        }),
        _ => Err(format!("{value} is not [in time, late, bad]")),
    }
}

fn stock(value: &Value) -> Stock {
    value.as_u64().map_or(Stock::Away, Stock::Left)
}

fn watched(tally: &mut Tally, to: AnsweredTo, answers: Answers, at_ms: u64) {
    for (many, kind) in [
        (answers.ok, Answered::Ok),
        (answers.late, Answered::Late),
        (answers.bad, Answered::Bad),
    ] {
        (0..many).for_each(|_| tally.watched(to, kind, Now::from_ms(at_ms)));
    }
}
