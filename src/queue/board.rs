//! The board: the small public state of the line, and what a ticket proves about it.

use serde::{Deserialize, Deserializer};

use super::{
    Begun, CurrentEvent, Event, EventList, Head, LaneState, Logged, Phase, Stretch, TurnsOver,
    WatchedOrigin,
};
use crate::queue::health::numbers;
use crate::queue::{
    Cap, Cursor, Measured, Mode, Pace, Position, Sessions, Slowed, Verdict, decide, waiting,
};

/// The public state of the line, the same for every visitor. `store/lua/board.lua` writes it as one JSON text with these names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Board {
    /// The [format](super::FORMAT) of what it says.
    pub format: u64,
    /// The roll that gives numbers now; 0 where no store has told it.
    pub own: u64,
    /// How often the present data took over what older ones knew.
    pub merged: u64,
    /// Whether the data are so young that an older roll may still come back.
    pub young: bool,
    /// The first roll that counts: numbers of older ones were ended on purpose.
    pub epoch: u64,
    /// The first roll of which visits count: an event ends numbers, and no visit.
    pub visits_epoch: u64,
    /// The numbers of the main line, the oldest roll first.
    #[serde(default)]
    pub rolls: Vec<Stretch>,
    /// The lanes besides the main one: each once a number was drawn there, in the order of their names.
    #[serde(default)]
    pub lanes: Vec<LaneState>,
    /// Admissions granted to arrivals that have not come yet.
    pub credit: u64,
    /// What the journal has reached; nothing for a line without one.
    #[serde(default, deserialize_with = "present")]
    pub head: Option<Head>,
    /// The number of the journal's last line.
    #[serde(default, deserialize_with = "present")]
    pub lines: Option<u64>,
    /// How fast the line moved, while somebody was left waiting.
    #[serde(default, deserialize_with = "present")]
    pub measured: Option<Measured>,
    /// What last made the line slower; nothing where this version does not know what that is.
    #[serde(default, deserialize_with = "slowed")]
    pub slowed: Option<Slowed>,
    /// How many POPs renewed their copy in the last minute or two; `None` where that is not known.
    #[serde(default, deserialize_with = "present")]
    pub pops: Option<u64>,
    /// Up to which numbers turns are over.
    #[serde(default)]
    pub over: TurnsOver,
    /// Who is inside; nothing without a cap.
    #[serde(default, deserialize_with = "present")]
    pub sessions: Option<Sessions>,
    /// What is known of the origin; nothing where its answers are not watched.
    #[serde(default, deserialize_with = "present")]
    pub origin: Option<WatchedOrigin>,
    /// The event whose time it is.
    #[serde(default, deserialize_with = "present")]
    pub event: Option<CurrentEvent>,
    /// The event that the line has begun, which may be over.
    #[serde(default, deserialize_with = "present")]
    pub begun: Option<Begun>,
    /// What an operator may have set; where an event brings something else, that.
    pub live: Live,
    /// What an event brings.
    #[serde(default)]
    pub brought: Brought,
    /// The text of which this was read: as a POP keeps it, and brings it to a store that may have lost its data. Empty for a board that
    /// no store wrote.
    #[serde(skip)]
    pub text: String,
    /// Up to which line the log of this POP has the journal: each POP has its own.
    #[serde(skip)]
    pub logged: Option<Logged>,
}

/// The greatest number that the store's JSON writes as it is: 14 digits. A greater one it would round, and its own board could not be
/// read any more.
const GREATEST: u64 = 99_999_999_999_999;

/// A field that may be missing. One that is there and cannot be read is an error, `null` as well: it is not taken for absent.
pub(super) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

fn slowed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Slowed>, D::Error> {
    String::deserialize(deserializer).map(|text| Slowed::read(&text))
}

/// The settings that are kept with the line, so that a change is seen everywhere without a deploy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Live {
    /// Who goes in.
    pub mode: Mode,
    /// The pace: what an operator set, else what is configured.
    pub pace: Pace,
    /// Whether it is an operator's.
    pub paced: bool,
    /// The message to waiting visitors, if an operator set one; empty for nothing.
    #[serde(default, deserialize_with = "present")]
    pub message: Option<String>,
    /// The cap, if an operator set one, or took the configured one away.
    #[serde(default, deserialize_with = "present")]
    pub cap: Option<Cap>,
    /// The events, if an operator set them in place of the configured ones.
    #[serde(default, deserialize_with = "present")]
    pub events: Option<EventList>,
    /// How many visitors may still be called, where the origin has reported a stock.
    #[serde(default, deserialize_with = "present")]
    pub stock: Option<u64>,
    /// The event in whose time that was reported and while which it counts, as `ID:OPENS`.
    #[serde(default, deserialize_with = "present")]
    pub stock_of: Option<String>,
    /// Grows with each change of these, but for the stock.
    pub version: u64,
    /// When each was set.
    #[serde(default)]
    pub set_at: SetTimes,
}

/// What an event brings in place of what operators set and of what is configured. The board has it as one text: `NAME ID SINCE UNTIL VALUE` of
/// each, with a line break between two.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Brought {
    /// The mode that one set at its end.
    pub mode: Option<(By, Mode)>,
    /// The pace.
    pub pace: Option<(By, Pace)>,
    /// The message.
    pub message: Option<(By, String)>,
    /// The cap.
    pub cap: Option<(By, Cap)>,
    /// The pace that holds after the event.
    pub pace_after: Pace,
}

/// Which event brings a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct By {
    /// Its id.
    pub id: String,
    /// When it began to hold, in milliseconds since 1970.
    pub since_ms: u64,
    /// When it ends to; 0 for no end.
    pub until_ms: u64,
}

impl Brought {
    fn read(text: &str) -> Option<Self> {
        let mut brought = Self::default();
        for line in text.split('\n') {
            let mut words = line.splitn(5, ' ');
            let name = words.next()?;
            let by = By {
                id: words.next()?.to_owned(),
                since_ms: words.next()?.parse().ok()?,
                until_ms: words.next()?.parse().ok()?,
            };
            let value = words.next()?;
            match name {
                "mode" => brought.mode = Some((by, Mode::named(value)?)),
                "pace" => {
                    let [automatic, quantity] = numbers(value)?;
                    brought.pace = Some((
                        by,
                        Pace {
                            automatic,
                            quantity,
                        },
                    ));
                }
                "message" => brought.message = Some((by, value.to_owned())),
                "cap" => brought.cap = Some((by, Cap::read(value)?)),
                _ => return None,
            }
        }
        Some(brought)
    }
}

impl TryFrom<String> for Brought {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::read(&text).ok_or("nothing that an event brings")
    }
}

/// When operators set mode, pace, message, cap and events, and the stock was reported, by the store's clock in milliseconds; 0 for never. Of two copies the later one
/// counts, setting by setting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct SetTimes {
    /// The mode.
    pub mode: u64,
    /// The pace.
    pub pace: u64,
    /// The message.
    pub message: u64,
    /// The cap.
    pub cap: u64,
    /// The events.
    pub event: u64,
    /// The stock.
    pub stock: u64,
}

impl Live {
    /// What holds where an event brings this.
    #[must_use]
    pub fn with(self, brought: &Brought) -> Self {
        let Brought {
            mode,
            pace,
            message,
            cap,
            pace_after: _,
        } = brought;
        Self {
            mode: mode.as_ref().map_or(self.mode, |set| set.1),
            pace: pace.as_ref().map_or(self.pace, |set| set.1),
            message: message.as_ref().map(|set| set.1.clone()).or(self.message),
            cap: cap.as_ref().map(|set| set.1).or(self.cap),
            ..self
        }
    }

    /// The events that hold, of a room where these are configured.
    #[must_use]
    pub fn events<'a>(&'a self, configured: &'a [Event]) -> &'a [Event] {
        let set = self.events.as_ref();
        set.map_or(configured, |list| &list.0)
    }
}

impl Board {
    /// One board is newer than another by its data, then by how much older data it took over.
    #[must_use]
    pub fn order(&self) -> (u64, u64) {
        (self.own, self.merged)
    }

    /// Whether a store that takes a copy of this over can write it again.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        let line = [
            self.own,
            self.merged,
            self.epoch,
            self.visits_epoch,
            self.credit,
        ];
        let lanes = self.lanes.iter().flat_map(|of| &of.rolls);
        let rolls = self.rolls.iter().chain(lanes);
        let rolls = rolls.flat_map(|of| [of.born, of.served.0, of.drawn, of.cut_at.0, of.lapsed.0]);
        let more = self.lines.into_iter().chain(self.live.stock);
        let mut numbers = line.into_iter().chain(more).chain(rolls);
        numbers.all(|number| number <= GREATEST)
    }

    /// How many hold a ticket and have not been admitted, in all lanes.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        let others = self.lanes.iter().map(LaneState::waiting);
        others.fold(self.waiting_in_main(), u64::saturating_add)
    }

    /// The same in the main line.
    #[must_use]
    pub fn waiting_in_main(&self) -> u64 {
        waiting(self.length(), self.cursor())
    }

    /// Whether the room is on hold by itself, since its origin is sick.
    #[must_use]
    pub fn is_held_by_origin(&self) -> bool {
        let holds = self.origin.as_ref().is_some_and(|origin| origin.holds);
        holds && self.scheduled_mode() == Mode::Automatic
    }

    /// The mode that an operator set, as the phase of an event bounds it.
    #[must_use]
    pub fn scheduled_mode(&self) -> Mode {
        let mode = self.live.mode;
        match &self.event {
            // An event has set it at its end, as an operator would.
            Some(known) if known.phase == Phase::Outside && self.brought.mode.is_some() => mode,
            Some(known) => known.event.bounds(known.phase, mode),
            None => mode,
        }
    }

    /// Whether the order of this number is still to be decided by lot, so that it says nothing yet.
    #[must_use]
    pub fn awaits_lot(&self, number: Position) -> bool {
        let event = self.event.as_ref();
        let is_due = event.is_some_and(|event| {
            event.event.order.is_drawn()
                && matches!(event.phase, Phase::Prequeue | Phase::Drawing | Phase::Over)
        });
        // Who was called before the event goes in by the number.
        let waits = decide(number, self.cursor()) != Verdict::Admit;
        let begun = self.begun.as_ref();
        let place = self.place(number);
        is_due && waits && begun.is_some_and(|begun| begun.awaits_lot(place))
    }

    /// Who goes in now.
    #[must_use]
    pub fn mode(&self) -> Mode {
        if self.is_held_by_origin() {
            Mode::Hold
        } else {
            self.scheduled_mode()
        }
    }
}

/// A number of a roll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The roll.
    pub born: u64,
    /// The number.
    pub position: Position,
    /// The position that its holder drew, where a lot gave this one.
    pub came: Option<Position>,
}

impl Place {
    /// A number of a roll that no lot gave.
    #[must_use]
    pub fn new(born: u64, number: u64) -> Self {
        Self {
            born,
            position: Position(number),
            came: None,
        }
    }
}

/// What a waiting ticket proves about the line, so that a store without memory can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingProof {
    /// Its number.
    pub place: Place,
    /// The first roll that counted when it was signed.
    pub epoch: u64,
    /// The first roll of which visits counted then.
    pub visits_epoch: u64,
    /// How much of its roll and lane had been served when it was drawn.
    pub cursor_at_draw: Cursor,
}

impl WaitingProof {
    /// That of a place in a line of which no roll has ended.
    #[must_use]
    pub fn of(place: Place, cursor_at_draw: Cursor) -> Self {
        Self {
            place,
            epoch: 1,
            visits_epoch: 1,
            cursor_at_draw,
        }
    }
}
