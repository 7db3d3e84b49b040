//! The operators' secrets: read only for who asks to be let in, and only those that could let in who asks so.
//!
//! Production allows five reads of the secret store a request, and three are the visitors'. Wrong ones close the
//! operators' routes and nothing else.

use std::sync::{Arc, OnceLock};

use super::{Problem, Reader, Source};

/// The secrets that the service reads.
pub const SECRETS: [&str; 5] = [
    "jwt_secret",
    "upstash_token",
    "admin_password",
    "permit_token",
    "admin_token",
];

/// One of the version before: it is read to say what to write instead.
pub const RETIRED: &str = "jwt_secret_previous";

/// What the operator is called where there is one password.
pub const ADMIN: &str = "admin";

/// What an operator's password should have at least, in bytes. A shorter one works, and is named.
const LONG: usize = 12;

/// What a route needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// Status, metrics and the journal.
    Read,
    /// What a receipt says.
    Receipts,
    /// The panel, and what is set.
    Look,
    /// To let visitors in, to report how the origin does, and to end sessions.
    Permit,
    /// To report the stock.
    Stock,
    /// The events.
    Event,
    /// To make invitations.
    Invite,
    /// To set everything else.
    Set,
}

/// What an operator or a program may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A program that only reads.
    Read,
    /// A program that reports the stock.
    Stock,
    /// A program that sets the events.
    Event,
    /// A program that makes invitations.
    Invite,
    /// A program with a permit token.
    Permit,
    /// An operator who only looks.
    Look,
    /// An operator, or a program with an admin token.
    All,
}

impl Role {
    /// Those that a token may have besides the one of its secret, as they are written.
    pub const OF_TOKENS: [(&str, Self); 4] = [
        ("read", Self::Read),
        ("stock", Self::Stock),
        ("event", Self::Event),
        ("invite", Self::Invite),
    ];

    /// Those that an operator may have, as they are written.
    pub const OF_OPERATORS: [(&str, Self); 2] = [("all", Self::All), ("look", Self::Look)];

    /// The rights of each.
    fn rights(self) -> &'static [Right] {
        use Right::{Event, Invite, Look, Permit, Read, Receipts, Set, Stock};
        match self {
            Self::Read => &[Read, Receipts],
            Self::Stock => &[Read, Receipts, Stock],
            Self::Event => &[Read, Receipts, Event],
            Self::Invite => &[Read, Receipts, Invite],
            Self::Permit => &[Read, Receipts, Permit, Stock, Invite],
            Self::Look => &[Read, Look],
            Self::All => &[Read, Receipts, Look, Permit, Stock, Event, Invite, Set],
        }
    }

    /// Whether it has this right.
    #[must_use]
    pub fn may(self, right: Right) -> bool {
        self.rights().contains(&right)
    }
}

/// Each is read once at most, since a sandbox serves several requests; one that could not be read is asked for again.
pub struct OperatorSecrets {
    source: Arc<dyn Source>,
    passwords: OnceLock<Checked<Option<Passwords>>>,
    permit: OnceLock<Checked<Vec<Token>>>,
    admin: OnceLock<Checked<Vec<Token>>>,
}

type Checked<T> = Result<T, Vec<Problem>>;

/// The passwords of the operators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passwords {
    /// As they were given: browsers are known by it, and with another one by none.
    pub secret: String,
    /// One for each operator.
    pub each: Vec<Password>,
}

/// One operator's password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Password {
    /// Who logs in with it.
    pub name: String,
    /// What they type.
    pub word: String,
    /// What they may.
    pub role: Role,
}

/// One program's secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What the log calls a program that comes with it.
    pub name: String,
    /// What it sends.
    pub secret: String,
    /// What it may.
    pub role: Role,
}

impl OperatorSecrets {
    pub(super) fn new(source: Arc<dyn Source>) -> Self {
        Self {
            source,
            passwords: OnceLock::new(),
            permit: OnceLock::new(),
            admin: OnceLock::new(),
        }
    }

    /// They open the panel; without one there is no panel.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn passwords(&self) -> Checked<Option<&Passwords>> {
        let read = || {
            let mut reader = Reader::new(&*self.source);
            let passwords = reader.passwords();
            reader.checked(passwords)
        };
        let passwords = kept(&self.passwords, read)?.as_ref();
        passwords.map(Option::as_ref).map_err(Vec::clone)
    }

    /// These may permit and read, or what their roles say.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn permit_tokens(&self) -> Checked<&[Token]> {
        self.tokens("permit_token", Role::Permit, &self.permit)
    }

    /// Those that may permit and read, and those that may do everything.
    ///
    /// # Errors
    /// What is wrong with both.
    pub fn tokens_of_both_kinds(&self) -> Checked<(&[Token], &[Token])> {
        let (permit, admin) = (
            self.permit_tokens(),
            self.tokens("admin_token", Role::All, &self.admin),
        );
        let (permit, admin) = match (permit, admin) {
            (Ok(permit), Ok(admin)) => (permit, admin),
            (permit, admin) => {
                let problems = [permit, admin].map(|read| read.err().unwrap_or_default());
                return Err(problems.concat());
            }
        };
        let is_permit = |token: &Token| permit.iter().any(|other| other.secret == token.secret);
        if admin.iter().any(is_permit) {
            // A program that was handed it in order to permit could do everything.
            return Err(vec![Problem {
                key: "admin_token",
                value: None,
                accepted: "tokens of which none is a permit_token as well".to_owned(),
                unreadable: false,
                room: None,
            }]);
        }
        Ok((permit, admin))
    }

    /// The passwords that work, and are guessed sooner than they should be, and the place of each in the list.
    pub fn short(&self) -> impl Iterator<Item = (usize, &Password)> {
        let passwords = self.passwords().ok().flatten();
        let each = passwords.map_or(&[][..], |passwords| &passwords.each);
        let is_short = |(_, password): &(usize, &Password)| password.word.len() < LONG;
        (1..).zip(each).filter(is_short)
    }

    /// What is said of them. Names are nothing for everybody who asks after the health.
    #[must_use]
    pub fn told_short(&self) -> Vec<Problem> {
        let told = self.short().map(|(number, password)| {
            let whose = if password.name == ADMIN {
                String::new()
            } else {
                format!(", for name {number}")
            };
            Problem {
                key: "admin_password",
                value: None,
                accepted: format!(
                    "a password of at least {LONG} bytes, which is harder to guess{whose}"
                ),
                unreadable: false,
                room: None,
            }
        });
        told.collect()
    }

    /// What is wrong with the passwords and with the permit tokens. There is no read left for the admin tokens.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let passwords = self.passwords().err().unwrap_or_default();
        let permit = self.permit_tokens().err().unwrap_or_default();
        [passwords, permit].concat()
    }

    fn tokens<'a>(
        &self,
        key: &'static str,
        whole: Role,
        cell: &'a OnceLock<Checked<Vec<Token>>>,
    ) -> Checked<&'a [Token]> {
        let read = || {
            let mut reader = Reader::new(&*self.source);
            let tokens = reader.tokens(key, whole);
            reader.checked(tokens)
        };
        let tokens = kept(cell, read)?.as_ref();
        tokens.map(Vec::as_slice).map_err(Vec::clone)
    }
}

/// What was read, kept unless it could not be read.
fn kept<T>(
    cell: &OnceLock<Checked<T>>,
    read: impl FnOnce() -> Checked<T>,
) -> Result<&Checked<T>, Vec<Problem>> {
    if let Some(kept) = cell.get() {
        return Ok(kept);
    }
    match read() {
        Err(problems) if problems.iter().any(|problem| problem.unreadable) => Err(problems),
        read => Ok(cell.get_or_init(|| read)),
    }
}
