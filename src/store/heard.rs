//! What an answer of the store says besides what was asked.

use super::Line;
use super::journal::noted;
use super::reply::Answer;
use crate::cache::ended;

impl Line<'_> {
    /// Passes on what happened by this call, and what is new for this POP.
    pub(super) fn hear(&self, answer: &Answer) {
        if let Some(released) = answer.released() {
            self.store.released(&released);
        }
        if let Some(recount) = answer.recounts() {
            self.store.recounts(&recount);
        }
        if let Some(sickness) = answer.sickness() {
            self.store.sickened(&sickness);
        }
        if let Some(noted) = noted(answer) {
            self.store.noted(&noted);
        }
        let sick = answer.number("sick_until").zip(self.origin);
        if let Some(((until_ms, origin), notes)) = sick.zip(self.known.notes())
            && notes.sick_until(origin) < until_ms
        {
            notes.put_sick_until(origin, until_ms);
        }
        let news = answer.ended_news().zip(self.known.notes());
        if let Some(((news, since, store_time), notes)) = news {
            ended::take(notes, news, since, store_time);
        }
    }
}
