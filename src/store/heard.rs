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
        let news = answer.ended_news().zip(self.known.notes());
        if let Some(((news, since, store_time), notes)) = news {
            ended::take(notes, news, since, store_time);
        }
    }
}
