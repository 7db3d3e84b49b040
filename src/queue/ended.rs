//! Sessions that the origin or an operator ended: every POP refuses their tickets until the sessions would have ended.

use super::{Now, SessionMark};

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedSession {
    /// The beginning of the ticket's id: 12 digits, or the 8 of its reference.
    pub mark: String,
    /// The last minute of the session, since 1970; 0 where it is unknown.
    pub last: u64,
    /// The roll by which its visitor went in; what is on the list of the store does not say so.
    pub of: Option<u64>,
}

impl EndedSession {
    /// The session of this ticket, and where it stands: its last minute, and the roll that it is of.
    #[must_use]
    pub fn of_ticket(id: &str, stands: Option<(u64, u64)>) -> Self {
        Self {
            // Of a thousand ended sessions and ten thousand visitors inside, one in thirty million times is another visitor meant.
            mark: id.chars().take(SessionMark::DIGITS).collect(),
            last: stands.map_or(0, |(last, _)| last),
            of: stands.map(|(_, of)| of),
        }
    }

    /// The session of the ticket with this reference, as visitors read it out.
    #[must_use]
    pub fn of_reference(reference: &str) -> Option<Self> {
        let digits = reference
            .trim()
            .replace(['-', ' '], "")
            .to_ascii_lowercase();
        let is_one = digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_one.then_some(Self {
            mark: digits,
            last: 0,
            of: None,
        })
    }

    /// `last:mark`, as the store lists it.
    #[must_use]
    pub fn written(&self) -> String {
        format!("{}:{}", self.last, self.mark)
    }

    /// Reads what was written.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (last, mark) = text.split_once(':')?;
        Some(Self {
            mark: mark.to_owned(),
            last: last.parse().ok()?,
            of: None,
        })
    }
}

/// The list as a POP has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndedSessions {
    /// The version of the list in the store that it has come to.
    pub version: u64,
    /// What is on it.
    pub sessions: Vec<EndedSession>,
}

impl EndedSessions {
    /// Whether this ticket's session was ended, by what was written. Each request of a visitor inside may ask this, so nothing is
    /// taken apart.
    #[must_use]
    pub fn has(written: &str, id: &str) -> bool {
        let mut words = written.split(' ').skip(1);
        words.any(|word| {
            let mark = word.split_once(':').map(|(_, mark)| mark);
            mark.is_some_and(|mark| !mark.is_empty() && id.starts_with(mark))
        })
    }

    /// Takes what the store says is new; what would have ended by now goes.
    #[must_use]
    pub fn with(mut self, news: Self, store_time: Now) -> Self {
        let minute = store_time.secs() / 60;
        self.version = self.version.max(news.version);
        self.sessions.retain(|session| session.last >= minute);
        let known = std::mem::take(&mut self.sessions);
        let new = news.sessions.into_iter();
        let new = new.filter(|session| !known.contains(session));
        self.sessions = new.collect();
        self.sessions.extend(known);
        self
    }

    /// The version, then each as the store lists it, as a cache keeps it.
    #[must_use]
    pub fn written(&self) -> String {
        let sessions = self.sessions.iter().map(EndedSession::written);
        let words: Vec<String> = std::iter::once(self.version.to_string())
            .chain(sessions)
            .collect();
        words.join(" ")
    }

    /// Reads what was written; of a spoilt list nothing is known.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let version = words.next()?.parse().ok()?;
        let sessions = words.map(EndedSession::read).collect::<Option<_>>()?;
        Some(Self { version, sessions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "3fa9c0d1e2b45566778899aabbccddee";

    #[test]
    fn a_ticket_is_meant_by_its_id_or_by_its_reference() {
        let by = |session: Option<EndedSession>| {
            let sessions = session.into_iter().collect();
            EndedSessions {
                version: 1,
                sessions,
            }
            .written()
        };
        let has = |list: String, id: &str| EndedSessions::has(&list, id);
        let other = ID.replace('e', "f");
        let whole = by(Some(EndedSession::of_ticket(ID, Some((30, 5)))));
        assert!(has(whole.clone(), ID) && !has(whole, &other));
        for reference in ["3FA9-C0D1", "3fa9c0d1", " 3FA9 c0d1 "] {
            assert!(
                has(by(EndedSession::of_reference(reference)), ID),
                "{reference}"
            );
        }
        for wrong in ["", "3FA9", "3FA9-C0D", "3FA9-C0D1-E", "3FA9-C0DX", "ÄÄÄÄ"] {
            assert_eq!(EndedSession::of_reference(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_list_takes_what_is_new_and_drops_what_is_over() {
        let session = |mark: &str, last| EndedSession {
            mark: mark.to_owned(),
            last,
            of: None,
        };
        let known = EndedSessions {
            version: 5,
            sessions: vec![session("aa", 10), session("bb", 11)],
        };
        let news = EndedSessions {
            version: 7,
            sessions: vec![session("cc", 12), session("bb", 11)],
        };
        let minute = |minute: u64| Now::from_secs(minute * 60);
        let both = known.clone().with(news.clone(), minute(11));
        assert_eq!(both.written(), "7 12:cc 11:bb");
        assert_eq!(EndedSessions::read(&both.written()), Some(both));
        let late = news.with(known, minute(13));
        assert_eq!(
            (late.version, late.sessions.len()),
            (7, 2),
            "they are pruned with the next"
        );
        for spoilt in ["", "x", "1 2", "1 :a", "1  2:a"] {
            assert_eq!(EndedSessions::read(spoilt), None, "{spoilt}");
        }
    }
}
