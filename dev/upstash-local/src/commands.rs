//! The commands this store knows: name, number of words, which words are keys.
//!
//! Both engines answer exactly these. So what works on one works on the other, and commands that
//! change a connection (`SELECT`, `SUBSCRIBE`) never reach the pool in front of a real Redis.

/// One command of the table.
pub(crate) struct Command {
    pub(crate) name: &'static str,
    /// As in Redis: the name counts, and a negative number is a minimum.
    arity: i8,
    keys: Keys,
    /// Redis refuses scripts inside scripts.
    pub(crate) in_scripts: bool,
}

#[derive(Clone, Copy)]
enum Keys {
    None,
    First,
    All,
}

/// How much of a caller's words an error repeats.
const SHOWN: usize = 128;

/// Why some words are not a command.
pub(crate) enum Misuse {
    Unknown,
    UnknownSubcommand,
    WrongNumber(&'static str),
}

const fn data(name: &'static str, arity: i8, keys: Keys) -> Command {
    Command {
        name,
        arity,
        keys,
        in_scripts: true,
    }
}

const fn script(name: &'static str, arity: i8) -> Command {
    Command {
        name,
        arity,
        keys: Keys::None,
        in_scripts: false,
    }
}

const COMMANDS: [Command; 34] = [
    data("ping", -1, Keys::None),
    data("time", 1, Keys::None),
    data("get", 2, Keys::First),
    data("set", -3, Keys::First),
    data("del", -2, Keys::All),
    data("unlink", -2, Keys::All),
    data("exists", -2, Keys::All),
    data("incr", 2, Keys::First),
    data("incrby", 3, Keys::First),
    data("getbit", 3, Keys::First),
    data("setbit", 4, Keys::First),
    data("expire", -3, Keys::First),
    data("pexpire", -3, Keys::First),
    data("ttl", 2, Keys::First),
    data("pttl", 2, Keys::First),
    data("hget", 3, Keys::First),
    data("hmget", -3, Keys::First),
    data("hset", -4, Keys::First),
    data("hgetall", 2, Keys::First),
    data("hincrby", 4, Keys::First),
    data("hdel", -3, Keys::First),
    data("hexists", 3, Keys::First),
    data("lpush", -3, Keys::First),
    data("lset", 4, Keys::First),
    data("ltrim", 4, Keys::First),
    data("lrange", 4, Keys::First),
    data("dbsize", 1, Keys::None),
    data("flushall", -1, Keys::None),
    script("eval", -3),
    script("evalsha", -3),
    script("script", -2),
    script("script|load", 3),
    script("script|exists", -3),
    script("script|flush", -2),
];

impl Command {
    /// The command these words name, in any case, with a fitting number of words.
    pub(crate) fn find(words: &[Vec<u8>]) -> Result<&'static Self, Misuse> {
        let mut command = Self::named(words).ok_or(Misuse::Unknown)?;
        if let ("script", [_, verb, ..]) = (command.name, words) {
            let full = [b"script|", verb.as_slice()].concat();
            command = Self::called(&full).ok_or(Misuse::UnknownSubcommand)?;
        }
        let least = usize::from(command.arity.unsigned_abs());
        let fits = if command.arity < 0 {
            words.len() >= least
        } else {
            words.len() == least
        };
        if fits {
            Ok(command)
        } else {
            Err(Misuse::WrongNumber(command.name))
        }
    }

    /// The command the first word names, whatever follows.
    pub(crate) fn named(words: &[Vec<u8>]) -> Option<&'static Self> {
        let name = words.first().filter(|name| !name.contains(&b'|'))?;
        Self::called(name)
    }

    fn called(name: &[u8]) -> Option<&'static Self> {
        COMMANDS
            .iter()
            .find(|command| command.name.as_bytes().eq_ignore_ascii_case(name))
    }

    /// Those of `arguments` (the words after the name) that are keys.
    pub(crate) fn keys<'a>(&self, arguments: &'a [Vec<u8>]) -> &'a [Vec<u8>] {
        let many = match self.keys {
            Keys::None => 0,
            Keys::First => 1,
            Keys::All => arguments.len(),
        };
        arguments.get(..many).unwrap_or_default()
    }
}

impl Misuse {
    /// Redis's words for a caller who sent `words`.
    pub(crate) fn text(&self, words: &[Vec<u8>]) -> String {
        match self {
            Self::Unknown => unknown(words),
            Self::UnknownSubcommand => {
                let verb = words
                    .get(1)
                    .map(|verb| cut(verb, SHOWN))
                    .unwrap_or_default();
                format!("ERR unknown subcommand '{verb}'. Try SCRIPT HELP.")
            }
            Self::WrongNumber(name) => wrong_number(name),
        }
    }
}

/// Redis's words for a command with too few or too many arguments.
pub(crate) fn wrong_number(name: &str) -> String {
    format!("ERR wrong number of arguments for '{name}' command")
}

fn unknown(words: &[Vec<u8>]) -> String {
    let (name, arguments) = words
        .split_first()
        .map_or((&[][..], &[][..]), |(name, rest)| (name.as_slice(), rest));
    let mut shown = String::new();
    for argument in arguments {
        if shown.len() >= SHOWN {
            break;
        }
        let room = SHOWN - shown.len();
        shown.extend(["'", &cut(argument, room), "' "]);
    }
    let name = cut(name, SHOWN);
    format!("ERR unknown command '{name}', with args beginning with: {shown}")
}

fn cut(bytes: &[u8], length: usize) -> String {
    String::from_utf8_lossy(bytes.get(..length).unwrap_or(bytes)).into_owned()
}

/// Redis takes only the one way to write an integer: no sign `+`, no leading zero, no space.
pub(crate) fn integer(word: &[u8]) -> Result<i64, String> {
    let text = str::from_utf8(word).unwrap_or_default();
    let number = text.parse::<i64>().ok();
    let canonical = number.filter(|number| number.to_string() == text);
    canonical.ok_or_else(|| "ERR value is not an integer or out of range".to_owned())
}
