//! What the waiting page may show, by name. Each is documented in `docs/deep/page-variables.md`.
//!
//! A name is worked out when the page asks for it: what is not sent costs nothing.

use serde_json::Value;

use super::clock::{moment_to_the_minute, unbroken};
use super::countdown;
use super::noticed::notice;
use super::stage::Stage;
use super::template::{Names, OBJECT, Same, Shown, values};
use super::update::Worded;
use super::{Brand, Links, Waiting};
use crate::i18n::Language;

/// Every name but `brand`, which has names itself.
const NAMES: [&str; 49] = [
    "lang",
    "dir",
    "title",
    "heading",
    "stage",
    "headline",
    "detail",
    "slowed",
    "since",
    "until",
    "message",
    "said",
    "position",
    "number",
    "ahead",
    "line",
    "wait",
    "estimate",
    "valid",
    "cursor",
    "unserved",
    "serving",
    "progress",
    "reference",
    "old",
    "closed",
    "unnumbered",
    "unsent",
    "notice",
    "state",
    "paused",
    "refresh",
    "look",
    "here",
    "place",
    "updates",
    "routes",
    "every",
    "language",
    "invitation",
    "switch",
    "other",
    "usual",
    "bell",
    "opens",
    "opening",
    "left",
    "draw",
    "home",
];

/// A waiting visitor's page.
pub(super) struct Told<'a> {
    waiting: &'a Waiting,
    links: &'a Links,
    words: &'static Language,
    brand: &'a Brand,
    /// The figures in words.
    pub(super) worded: Worded<'a>,
}

impl<'a> Told<'a> {
    pub(super) fn new(
        waiting: &'a Waiting,
        links: &'a Links,
        words: &'static Language,
        brand: &'a Brand,
    ) -> Self {
        let worded = Worded::new(waiting, words);
        Self {
            waiting,
            links,
            words,
            brand,
            worded,
        }
    }

    /// What does not change from request to request.
    pub(super) fn same(&self) -> Same<'_> {
        Same {
            words: self.words,
            brand: Some(self.brand),
        }
    }

    /// All of it, for Handlebars: each name is always there, if only as `null`.
    pub(super) fn value(&self) -> Value {
        let mut all = values(self, &NAMES);
        all.insert("brand".to_owned(), self.brand.into());
        Value::Object(all)
    }

    pub(super) fn heading(&self) -> &str {
        self.worded.heading.unwrap_or_else(|| self.usual_heading())
    }

    /// The heading where a state has none of its own.
    fn usual_heading(&self) -> &str {
        match &self.brand.heading {
            Some(heading) => heading,
            // Without a number there is no place in the line.
            None if self.worded.position.is_none() => self.words.text("heading_unnumbered"),
            None => self.words.text("heading"),
        }
    }

    fn title(&self) -> Shown<'_> {
        // Where the page stays while the state changes, its title names none.
        let heading = match self.worded.state {
            Stage::Before => self.words.text("not_open"),
            Stage::Closed | Stage::Over => self.heading(),
            _ => self.usual_heading(),
        };
        match &self.worded.ahead {
            Some(ahead) => format!("{ahead} \u{b7} {heading}").into(),
            None => heading.into(),
        }
    }

    /// When the event opens, for a page without scripts: in UTC, since the visitor's zone is not known.
    fn opening(&self) -> Option<String> {
        let event = self
            .waiting
            .event
            .as_ref()
            .filter(|_| self.worded.opens.is_some())?;
        let time = unbroken(&moment_to_the_minute(event.times.1, event.now_ms));
        Some(self.words.text("opens_at").replace("{time}", &time))
    }

    fn headline(&self) -> Option<&str> {
        let timed = (self.worded.wait.as_deref()).filter(|_| self.worded.state == Stage::Timed);
        self.worded.headline.as_deref().or(timed)
    }

    /// Why the figures may not be the latest.
    fn state(&self) -> &str {
        match self.worded.old {
            Some(old) => old,
            None if self.waiting.still => self.words.text("paused"),
            None => "",
        }
    }

    /// The names of what the visitor may wish for: when the page looks, and its language.
    fn wish(&self, name: &str) -> Shown<'_> {
        let (waiting, links) = (self.waiting, self.links);
        match name {
            "paused" => Shown::Flag(waiting.still),
            "refresh" => waiting.refresh.into(),
            // What is over opens no more, as far as is known.
            "look" if waiting.still || self.worded.state == Stage::Over => Shown::Nothing,
            "look" => self.words.counted("look", waiting.refresh).into(),
            "here" => links.here.as_str().into(),
            "place" => links.place.as_str().into(),
            "updates" => links.updates.as_str().into(),
            // For a form that has the address once, in place of links that each have it.
            "routes" => links.place.strip_suffix("/place").into(),
            "every" if waiting.still => "on".into(),
            "every" => "off".into(),
            "language" => links.language.as_str().into(),
            "home" => {
                let home = links.home.as_deref();
                home.filter(|_| self.worded.state == Stage::Over).into()
            }
            "invitation" => links.invitation.as_deref().into(),
            // What the switch of the updates does now, and then.
            "switch" if waiting.still => self.words.text("resume").into(),
            "other" if !waiting.still => self.words.text("resume").into(),
            "switch" | "other" => self.words.text("pause").into(),
            "brand" => OBJECT.into(),
            _ => name
                .strip_prefix("brand.")
                .and_then(|name| self.brand.named(name))
                .into(),
        }
    }
}

impl Names for Told<'_> {
    fn named(&self, name: &str) -> Shown<'_> {
        let (waiting, worded, words) = (self.waiting, &self.worded, self.words);
        match name {
            "lang" => words.tag.into(),
            "dir" => words.direction.into(),
            "title" => self.title(),
            "heading" => self.heading().into(),
            "stage" => worded.stage.into(),
            "headline" => self.headline().into(),
            "detail" => worded.detail.as_deref().into(),
            "slowed" => worded.slowed.as_deref().into(),
            "since" => worded.since.map(|since| since.to_string()).into(),
            "until" => worded.until.map(|until| until.to_string()).into(),
            "message" => worded.message.into(),
            "said" => worded.said.into(),
            "position" => worded.position.into(),
            "number" => worded.position.map(|number| words.number(number)).into(),
            "ahead" => worded.ahead.as_deref().into(),
            "line" => worded.line.as_str().into(),
            "wait" => worded.wait.as_deref().into(),
            "usual" => worded.heading.map(|_| self.usual_heading()).into(),
            "bell" => worded.bell.map(|name| words.text(name)).into(),
            "opens" => worded.opens.into(),
            "opening" => self.opening().into(),
            "left" => worded.opens.and_then(countdown::bits).into(),
            "draw" => Shown::Flag(worded.state == Stage::Lot),
            "estimate" => worded.estimate.into(),
            "valid" => worded.valid.into(),
            "cursor" => worded.cursor.into(),
            "unserved" => Shown::Flag(worded.cursor == Some(0)),
            "serving" => worded.serving.as_deref().into(),
            "progress" => worded.progress.into(),
            "reference" => waiting.reference.as_deref().into(),
            "old" => Shown::Flag(waiting.is_old),
            "closed" => Shown::Flag(worded.closed.is_some()),
            "unnumbered" => Shown::Flag(worded.position.is_none()),
            "unsent" => Shown::Flag(waiting.unsent),
            "notice" => notice(waiting, words).into(),
            "state" => self.state().into(),
            _ => self.wish(name),
        }
    }
}
