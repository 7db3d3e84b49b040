//! Which requests the room protects, which skip it and whose answers may be cached, by method and path.
//!
//! One grammar for the four settings: `/exact`, `/below/*` and `*.ext`, each with methods in front or without.
//!
//! Invariant: a path that not every origin reads alike skips no room and is not cached.

mod spelling;

use super::is_dot_segment;
use crate::http::is_unseen;
pub(super) use spelling::{Reading, Widest, readings};
use spelling::{composes, read_in_one_way, uncomposed, widely};

/// The methods that may stand in front of a path.
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// Where sites keep what programs fetch without a visitor's cookies (RFC 8615).
const WELL_KNOWN: &str = "/.well-known/";

/// The longest `.ext`, with its dot.
const LONGEST_EXTENSION: usize = 17;

/// The four lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// What skips the room.
    pub bypass: List,
    /// Whether what programs fetch skips it besides, unless another list names it.
    pub well_known: bool,
    /// What the room is for.
    pub protected: List,
    /// What the platform may keep and show to several visitors.
    pub cache: List,
    /// Where the origin may command something with its answer.
    pub command: List,
}

/// How closely a list names a path: by how many letters, and whether by the method in front.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PathCloseness {
    pub(super) letters: usize,
    pub(super) by_method: bool,
}

impl Paths {
    /// Whether a request goes to the origin whatever the line does: its path is listed so, or the room is not for it.
    #[must_use]
    pub fn skip_room(&self, method: &str, path: &str) -> bool {
        self.is_bypassed(method, path)
            || self.is_well_known(path) && !self.protected.names_well_known(method, path)
            || !self.protects(method, path)
    }

    /// Whether a request is for what programs fetch.
    pub(super) fn is_well_known(&self, path: &str) -> bool {
        self.well_known && path.starts_with(WELL_KNOWN) && read_in_one_way(path).is_some()
    }

    /// Whether a request goes to the origin whichever room it is for: its path is listed so.
    #[must_use]
    pub fn is_bypassed(&self, method: &str, path: &str) -> bool {
        // Where nothing stands in line there is nothing to slip past.
        self.bypass.is_everything() || self.bypass.lists_decoded(method, path)
    }

    pub(super) fn protects(&self, method: &str, path: &str) -> bool {
        self.protected.is_everything()
            || Reading::of(path).is_none_or(|reading| self.protected.guards(method, &reading))
    }

    /// Whether every origin reads a path alike, so that a list may let it past the room.
    #[must_use]
    pub fn are_read_alike(path: &str) -> bool {
        read_in_one_way(path).is_some()
    }

    /// Whether an answer is looked at for commands of the origin.
    #[must_use]
    pub fn take_commands(&self, method: &str, path: &str) -> bool {
        if self.command.0.is_empty() {
            return false;
        }
        let read = read_in_one_way(path);
        self.command.lists(method, read.as_deref().unwrap_or(path))
    }

    /// Whether the answer to a GET or HEAD may be kept and shown to other visitors.
    #[must_use]
    pub fn may_be_cached(&self, method: &str, path: &str) -> bool {
        matches!(method, "GET" | "HEAD") && self.cache.lists_decoded(method, path)
    }
}

/// A setting's list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List(Vec<Entry>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    /// All, if there are none.
    methods: Vec<&'static str>,
    pattern: Pattern,
    /// Its letters as a lenient origin compares them.
    wide: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Pattern {
    Exact(String),
    /// With the slash that begins what is below.
    Below(String),
    /// With the dot.
    Ending(String),
}

impl List {
    /// Everything, by every method.
    #[must_use]
    pub fn everything() -> Self {
        Self::read("/*").0
    }

    /// What is listed, separated by commas or white space, and what of it is no path of that grammar. Methods stand in
    /// front of one path: `GET, POST /a, /b` lists `/a` for these two and `/b` for all. GET stands for HEAD, too.
    /// The path behind a wrong word is left out: that word may have been meant for a method, and limit it.
    #[must_use]
    pub fn read(text: &str) -> (Self, Vec<String>) {
        let (mut entries, mut wrong, mut methods) = (Vec::new(), Vec::new(), Vec::new());
        let mut is_behind_wrong = false;
        for word in super::reader::words(text) {
            if let Some(method) = METHODS.into_iter().find(|method| *method == word) {
                methods.push(method);
            } else if let Some(pattern) = Pattern::read(word) {
                let methods = with_head(std::mem::take(&mut methods));
                if !std::mem::take(&mut is_behind_wrong) {
                    entries.push(Entry::new(methods, pattern));
                }
            } else {
                methods.clear();
                is_behind_wrong = true;
                wrong.push(word.to_owned());
            }
        }
        wrong.extend(methods.into_iter().map(str::to_owned));
        (Self(entries), wrong)
    }

    /// The methods that stand in front of a path and are none of these.
    pub(super) fn methods_beside(&self, accepted: &[&str]) -> Option<&'static str> {
        let mut methods = self.0.iter().flat_map(|entry| &entry.methods);
        methods.find(|method| !accepted.contains(method)).copied()
    }

    /// A path of each entry that a visitor opens by a GET, with a name where the entry has none.
    pub(super) fn opened(&self, name: &str) -> Vec<String> {
        let entries = self.0.iter().filter(|entry| entry.takes("GET"));
        let path = |entry: &Entry| match &entry.pattern {
            Pattern::Exact(path) => path.clone(),
            Pattern::Below(above) => format!("{above}{name}"),
            Pattern::Ending(extension) => format!("/{name}{extension}"),
        };
        entries.map(path).collect()
    }

    /// Whether nothing is listed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn is_everything(&self) -> bool {
        let is_all = |entry: &Entry| entry.methods.is_empty() && entry.pattern.is_everything();
        self.0.iter().any(is_all)
    }

    /// Whether a decoded path is listed, byte by byte.
    pub(super) fn lists(&self, method: &str, path: &str) -> bool {
        let is_listed = |entry: &Entry| entry.takes(method) && entry.pattern.is(path);
        self.0.iter().any(is_listed)
    }

    /// Whether a path is listed that every origin reads alike.
    fn lists_decoded(&self, method: &str, path: &str) -> bool {
        let reads = || read_in_one_way(path);
        !self.0.is_empty() && reads().is_some_and(|read| self.lists(method, &read))
    }

    /// Whether a decoded path is listed, or one that an origin may take for it: in other letter cases, without what
    /// [`widely`] leaves out, without what is not seen, or with more behind it that [`ends_a_word`]. OPTIONS asks about
    /// a path's other methods and is listed with them.
    fn guards(&self, method: &str, reading: &Reading) -> bool {
        self.closeness(method, reading).is_some()
    }

    /// Whether an entry that is for nothing else names what programs fetch.
    pub(super) fn names_well_known(&self, method: &str, path: &str) -> bool {
        let is_of_it = |entry: &Entry| {
            let letters = entry.pattern.letters();
            letters == WELL_KNOWN.trim_end_matches('/') || letters.starts_with(WELL_KNOWN)
        };
        Reading::of(path).is_none_or(|reading| {
            let names_it = |entry: &Entry| is_of_it(entry) && reading.is(|path| entry.guards(path));
            self.closest(method, names_it).is_some()
        })
    }

    /// How closely it is listed so: by the longest entry.
    pub(super) fn closeness(&self, method: &str, reading: &Reading) -> Option<PathCloseness> {
        self.closest(method, |entry| reading.is(|path| entry.guards(path)))
    }

    /// How closely a path that not every origin reads alike may be listed: some reading names every part of the entry.
    pub(super) fn perhaps(&self, method: &str, path: &Widest) -> Option<PathCloseness> {
        self.closest(method, |entry| {
            path.names_every_part(entry.pattern.letters())
        })
    }

    fn closest(&self, method: &str, is_it: impl Fn(&Entry) -> bool) -> Option<PathCloseness> {
        let is_listed =
            |entry: &&Entry| (method == "OPTIONS" || entry.takes(method)) && is_it(entry);
        let listed = self.0.iter().filter(is_listed);
        let closeness = |entry: &Entry| PathCloseness {
            letters: entry.pattern.letters().trim_end_matches('/').len(),
            by_method: !entry.methods.is_empty(),
        };
        listed.map(closeness).max()
    }
}

impl Entry {
    fn new(methods: Vec<&'static str>, pattern: Pattern) -> Self {
        let wide = match &pattern {
            Pattern::Exact(listed) | Pattern::Below(listed) => widely(listed),
            Pattern::Ending(extension) => extension.to_ascii_lowercase(),
        };
        Self {
            methods,
            pattern,
            wide,
        }
    }

    fn guards(&self, widely_read: &str) -> bool {
        match &self.pattern {
            Pattern::Below(prefix) if prefix == "/" => true,
            Pattern::Exact(_) | Pattern::Below(_) => {
                let begins =
                    |path: &str, listed: &str| path.strip_prefix(listed).is_some_and(ends_a_word);
                // Some origins compose a letter of several, others do not: only the letters around it are compared then.
                let is_composed = || !self.wide.is_ascii() && widely_read.contains(composes);
                begins(widely_read, &self.wide)
                    || is_composed() && begins(&uncomposed(widely_read), &uncomposed(&self.wide))
            }
            Pattern::Ending(_) => {
                let is_older_than = |(at, _)| {
                    let from_dot = widely_read.get(at..).unwrap_or_default();
                    from_dot.strip_prefix(&self.wide).is_some_and(ends_a_word)
                };
                widely_read.match_indices('.').any(is_older_than)
            }
        }
    }

    fn takes(&self, method: &str) -> bool {
        self.methods.is_empty() || self.methods.contains(&method)
    }
}

impl Pattern {
    fn read(word: &str) -> Option<Self> {
        if let Some(extension) = word.strip_prefix('*') {
            return is_extension(extension).then(|| Self::Ending(extension.to_owned()));
        }
        match word.strip_suffix('*') {
            None => letters_of(word).map(Self::Exact),
            Some(prefix) if prefix == "/" => Some(Self::Below(prefix.to_owned())),
            Some(prefix) => {
                let above = prefix.strip_suffix('/').filter(|path| *path != "/");
                Some(Self::Below(letters_of(above?)? + "/"))
            }
        }
    }

    fn is_everything(&self) -> bool {
        matches!(self, Self::Below(prefix) if prefix == "/")
    }

    fn letters(&self) -> &str {
        let (Self::Exact(letters) | Self::Below(letters) | Self::Ending(letters)) = self;
        letters
    }

    fn is(&self, path: &str) -> bool {
        match self {
            Self::Exact(listed) => path == listed,
            Self::Below(prefix) => path.starts_with(prefix.as_str()),
            Self::Ending(extension) => path.ends_with(extension.as_str()),
        }
    }
}

/// Whether an origin may take what stands in front of this for a path of its own: some read more path, another format, a
/// method or a stream of the file behind it, and some leave out the white space there, of which Unicode has many kinds.
fn ends_a_word(rest: &str) -> bool {
    let goes_on = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    !rest.starts_with(goes_on)
}

fn with_head(mut methods: Vec<&'static str>) -> Vec<&'static str> {
    if methods.contains(&"GET") && !methods.contains(&"HEAD") {
        methods.push("HEAD");
    }
    methods
}

/// A path of this grammar in its letters, however it is written: `/über` and `/%C3%BCber` are one (RFC 3987, 3.1). White space
/// around a part, and letters that are not seen or that compose another one, are not compared, so they are not listed.
fn letters_of(written: &str) -> Option<String> {
    let is_letter = |letter: char| {
        !letter.is_ascii() && !is_unseen(letter) && !composes(letter)
            || is_path_letter(letter)
            || letter == ' '
    };
    let path = read_in_one_way(written)?;
    let is_trimmed = path.split('/').all(|part| part.trim() == part);
    (is_parted(&path) && is_trimmed && path.chars().all(is_letter)).then_some(path)
}

/// Whether it is a path that stands in a URL as it is.
pub(super) fn is_path(path: &str) -> bool {
    is_parted(path) && path.chars().all(is_path_letter)
}

fn is_path_letter(letter: char) -> bool {
    letter.is_ascii_graphic() && !"?#%*\\;".contains(letter)
}

fn is_parted(path: &str) -> bool {
    path.starts_with('/') && !path.contains("//") && !path.split('/').any(is_dot_segment)
}

fn is_extension(text: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric());
    text.len() <= LONGEST_EXTENSION
        && text
            .strip_prefix('.')
            .is_some_and(|parts| parts.split('.').all(is_part))
}

#[cfg(test)]
mod tests {
    use super::spelling::small;
    use super::*;

    fn list(text: &str) -> List {
        let (list, wrong) = List::read(text);
        assert_eq!(wrong, Vec::<String>::new());
        list
    }

    /// Whether a request skips the room.
    fn skips(bypass: &str, protected: &str, method: &str, path: &str) -> bool {
        let paths = Paths {
            bypass: list(bypass),
            well_known: true,
            protected: list(protected),
            cache: List::default(),
            command: List::default(),
        };
        paths.skip_room(method, path)
    }

    /// Read differently by some origins, or by none as it stands.
    const ODD: [&str; 25] = [
        "/assets/../checkout",
        "/assets/%c0%ae%c0%ae/checkout",
        "/assets/..%20/checkout",
        "/assets/.%E2%80%8B./checkout",
        "/assets/%ff",
        "/assets/%2E%2e/checkout",
        "/assets/..%2fcheckout",
        "/assets/..\\checkout",
        "/assets/%252e%252e/checkout",
        "/assets/%2e/a",
        "/assets/a%2Fb",
        "/assets/a%5Cb",
        "/assets/a;b",
        "/assets/a%3bb",
        "/assets/a%3fb.css",
        "/assets/a%23b.css",
        "/assets//a",
        "/assets/a%00",
        "/assets/a%0A",
        "/assets/a%7f",
        "/assets/a\u{1}",
        "/assets/a%",
        "/assets/a%2",
        "/assets/a%zz",
        "/assets/a%+5",
    ];

    #[test]
    fn a_bypass_is_exact_or_below_a_path_or_an_extension() {
        let bypass = "/robots.txt, /assets/* *.css";
        for path in [
            "/robots.txt",
            "/assets/",
            "/assets/a/b.png",
            "/assets/a%20b%E4%BD%A0.png",
            "/assets/a..b/c.",
            "/a/b.css",
            "/.css",
        ] {
            assert!(skips(bypass, "/*", "GET", path), "{path}");
        }
        for path in [
            "/robots.txt/",
            "/robots.txtx",
            "/ROBOTS.TXT",
            "/assets",
            "/assetsx",
            "/a.css/",
            "/a.cssx",
            "/a.CSS",
            "/css",
            "/",
        ] {
            assert!(!skips(bypass, "/*", "GET", path), "{path}");
        }
    }

    #[test]
    fn an_odd_path_skips_no_room_that_there_is() {
        for path in ODD {
            for bypass in ["/robots.txt,/assets/*", "*.css", "GET /*"] {
                assert!(!skips(bypass, "/*", "GET", path), "{bypass}: {path}");
            }
            assert!(!skips("/assets/*", "/checkout", "GET", path), "{path}");
            assert!(!skips("", "POST /checkout", "GET", path), "{path}");
            assert!(skips("/*", "/*", "GET", path), "there is no room: {path}");
        }
    }

    #[test]
    fn what_is_not_protected_skips_the_room() {
        let protected = "/checkout, /tickets/*, *.php, POST /search";
        for path in [
            "/",
            "/about",
            "/checkouts",
            "/a/checkout",
            "/ticketsx",
            "/search",
            "/php",
        ] {
            assert!(skips("", protected, "GET", path), "{path}");
        }
        assert!(
            skips("/checkout", protected, "GET", "/checkout"),
            "a bypass comes first"
        );
        assert!(!skips("", protected, "POST", "/search"));
        assert!(
            !skips("", protected, "OPTIONS", "/search"),
            "asks about POST"
        );
        assert!(!skips("", "/*", "GET", "/"));
    }

    #[test]
    fn no_spelling_of_a_protected_path_escapes() {
        let protected = "/checkout, /tickets/*, *.php, /basket.php, *.ab.a, /pass/*, /confirm, \
                         /basket-stock, /deep/page";
        for path in [
            "/checkout",
            "/checkout/",
            "/Checkout",
            "/CHECKOUT",
            "/%63heckout",
            "/%43HECKOUT",
            "/checkout.",
            "/checkout%20",
            "/checkout.%20",
            "/tickets",
            "/tickets/",
            "/TICKETS/1",
            "/tic%E2%84%AAet%C5%BF/1",
            "/t%C4%B1ckets/1",
            "/t%C4%B0ckets/1",
            "/pa%C3%9F/1",
            "/PA%E1%BA%9E/1",
            "/con%EF%AC%81rm",
            "/basket-%EF%AC%86ock",
            "/%20checkout",
            "/%C2%A0checkout",
            "/%E2%80%8Bcheckout",
            "/%EF%BB%BFcheckout/x",
            "/check%C2%ADout",
            "/checkout%E2%80%8Bx",
            "/%20/checkout",
            "/%E2%80%8B/checkout",
            "/deep%C2%A0/%E3%80%80page",
            "/tickets./1",
            "/tickets%20/1",
            "/%74icket%73/1",
            "/tickets/1/2",
            "/index.php",
            "/a/INDEX.PHP",
            "/index.php/path/info",
            "/index.%70hp",
            "/index.php.",
            "/checkout/x",
            "/checkout.json",
            "/checkout%c2%a0",
            "/checkout:x",
            "/checkout%3ax",
            "/tickets.html",
            "/tickets:x/1",
            "/index.php::$DATA",
            "/index.php%c2%a0",
            "/a/index.php:x/b",
            "/basket.php/x",
            "/basket.abc.ab.ab.a",
        ] {
            for method in ["GET", "POST", "OPTIONS"] {
                assert!(!skips("", protected, method, path), "{method} {path}");
            }
        }
    }

    /// What is listed in the code is what Unicode says, as far as the compiler knows it.
    #[test]
    fn every_letter_that_a_change_of_case_turns_into_ascii_is_read_as_that() {
        let ascii = |changed: String| -> String {
            let letters = changed.chars().filter(char::is_ascii);
            letters.map(|letter| letter.to_ascii_lowercase()).collect()
        };
        let is_the_same = |letter: &char| {
            let cases = letter.to_lowercase().chain(letter.to_uppercase());
            cases.chain(small(*letter)).eq([*letter; 3])
        };
        let small = |text: &str| text.chars().flat_map(small).collect::<String>();
        for letter in ('\u{80}'..=char::MAX).filter(|letter| !is_the_same(letter)) {
            let text = letter.to_string();
            let (lower, upper) = (text.to_lowercase(), text.to_uppercase());
            let read = small(&text);
            let changed = [lower.to_uppercase(), upper.to_lowercase(), lower, upper];
            match changed
                .clone()
                .map(ascii)
                .iter()
                .find(|ascii| !ascii.is_empty())
            {
                Some(ascii) => assert_eq!(&read, ascii, "{letter:?}"),
                None => assert_eq!(
                    changed.map(|changed| small(&changed)),
                    [(); 4].map(|()| read.clone()),
                    "{letter:?}"
                ),
            }
        }
    }

    #[test]
    fn the_first_page_alone_can_be_protected() {
        for path in ["/", "/%c2%a0", "/:x"] {
            assert!(!skips("", "/", "GET", path), "{path}");
        }
        assert!(skips("", "/", "GET", "/about"));
        assert!(!skips("", "POST /*", "POST", "/about"), "that is more");
    }

    #[test]
    fn what_goes_on_with_a_letter_a_digit_or_a_hyphen_is_another_path() {
        let protected = "/checkout, /tickets/*, *.php";
        for path in [
            "/checkout2",
            "/checkout-help",
            "/checkout_help",
            "/tickets-of-others",
            "/a.phpx",
            "/wiki/Special:Checkout",
            "/%C3%BCcheckout",
            "/%E6%97%A5/checkout",
            "/%E6%97%A5%E2%80%8D/checkout",
            "/check%C3%9Fout",
        ] {
            assert!(skips("", protected, "GET", path), "{path}");
        }
    }

    #[test]
    fn methods_stand_in_front_of_one_path() {
        let bypass = "GET,POST /a, /b PUT /c/*";
        for (method, path, expected) in [
            ("GET", "/a", true),
            ("POST", "/a", true),
            ("HEAD", "/a", true),
            ("PUT", "/a", false),
            ("OPTIONS", "/a", false),
            ("DELETE", "/b", true),
            ("OPTIONS", "/b", true),
            ("PUT", "/c/d", true),
            ("GET", "/c/d", false),
        ] {
            assert_eq!(
                skips(bypass, "/*", method, path),
                expected,
                "{method} {path}"
            );
        }
        assert!(
            !skips("GET /*", "/*", "POST", "/"),
            "that is not everything"
        );
    }

    #[test]
    fn an_answer_is_cached_only_where_it_is_listed_byte_by_byte() {
        let cached = |cache: &str, method: &str, path: &str| {
            let paths = Paths {
                bypass: List::default(),
                well_known: false,
                protected: List::everything(),
                cache: list(cache),
                command: List::default(),
            };
            paths.may_be_cached(method, path)
        };
        let cache = "/assets/*, HEAD /terms, *.css";
        for (method, path) in [
            ("GET", "/assets/a.png"),
            ("HEAD", "/assets/a.png"),
            ("HEAD", "/terms"),
            ("GET", "/a.css"),
        ] {
            assert!(cached(cache, method, path), "{method} {path}");
        }
        for (method, path) in [
            ("POST", "/assets/a.png"),
            ("OPTIONS", "/assets/a.png"),
            ("GET", "/terms"),
            ("GET", "/Assets/a.png"),
            ("GET", "/account"),
            ("GET", "/account/a.CSS"),
        ] {
            assert!(!cached(cache, method, path), "{method} {path}");
        }
        for path in ODD {
            assert!(!cached(cache, "GET", path), "{path}");
            assert!(!cached("/*", "GET", path), "{path}");
        }
        assert!(!cached("", "GET", "/"));
    }

    #[test]
    fn what_is_no_path_of_the_grammar_is_named() {
        for (text, expected) in [
            ("/a/../b", vec!["/a/../b"]),
            ("assets /a//b", vec!["assets", "/a//b"]),
            (
                "/a*b *.c*s *css *. *.a..b",
                vec!["/a*b", "*.c*s", "*css", "*.", "*.a..b"],
            ),
            ("get /a", vec!["get"]),
            ("TRACE /a", vec!["TRACE"]),
            ("/a POST", vec!["POST"]),
            ("GET a /b", vec!["a"]),
            ("POST:/a", vec!["POST:/a"]),
            ("/a*, //*, **", vec!["/a*", "//*", "**"]),
            ("*.12345678901234567", vec!["*.12345678901234567"]),
        ] {
            assert_eq!(List::read(text).1, expected, "{text}");
        }
        assert!(List::read(" , ").0.is_empty());
    }

    /// What was mistyped may be a method that limits the path behind it.
    #[test]
    fn the_path_behind_a_wrong_word_is_not_listed() {
        for (text, listed) in [
            ("get /a", ""),
            ("GET PSOT /a", ""),
            ("PSOT, GET /a, /b", "/b"),
            ("PSOT get /a /b", "/b"),
            ("GET a /b", ""),
            ("/a get", "/a"),
            ("/a get /b POST /c", "/a POST /c"),
        ] {
            assert_eq!(List::read(text).0, list(listed), "{text}");
        }
    }
}
