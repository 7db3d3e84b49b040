//! The inline styles and scripts of a page, found as a browser finds them.
//!
//! `build.rs` reads this too: it uses nothing of the service.

/// What the policy of a page has a digest for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A style.
    Style,
    /// A script that the policy is asked about.
    Script,
}

/// An inline style or script.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element<'a> {
    /// Its kind.
    pub(crate) kind: Kind,
    /// Its name, as it is written.
    pub(crate) name: &'a str,
    /// What stands between its tags: what the policy has the digest of.
    pub(crate) inside: &'a str,
    /// The page from there on.
    pub(crate) onwards: &'a str,
}

/// A style or script without an end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Endless<'a> {
    /// Its name, as it is written.
    pub(crate) name: &'a str,
    /// The page from its name on.
    pub(crate) tag: &'a str,
}

/// The inline styles and scripts of a page, in order, up to one without an end.
pub(crate) fn elements(text: &str) -> (Vec<Element<'_>>, Option<Endless<'_>>) {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, tag)) = rest.split_once('<') {
        if let Some(comment) = tag.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let (name, head) = split(tag, |letter| !letter.is_ascii_alphanumeric());
        if name.is_empty() {
            rest = tag;
            continue;
        }
        let (attributes, content) = attributes(head);
        let kind = if name.eq_ignore_ascii_case("style") {
            Some(Kind::Style)
        } else if name.eq_ignore_ascii_case("script") {
            is_code(&attributes).then_some(Kind::Script)
        } else {
            rest = content;
            continue;
        };
        let Some((inside, after)) = element(content, name) else {
            return (found, Some(Endless { name, tag }));
        };
        found.extend(kind.map(|kind| Element {
            kind,
            name,
            inside,
            onwards: content,
        }));
        rest = after;
    }
    (found, None)
}

/// A script that the policy is asked about: none from elsewhere, which it lets in never, and no block of data.
fn is_code(attributes: &[(&str, &str)]) -> bool {
    let value = |wanted: &str| {
        let found = attributes
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        found.map(|(_, value)| value.trim().to_ascii_lowercase())
    };
    let kind = value("type").unwrap_or_default();
    let kinds = ["", "module", "importmap", "speculationrules"];
    value("src").is_none() && (kinds.contains(&kind.as_str()) || kind.contains("script"))
}

/// What an element holds, and what follows it. Nothing but its own end tag ends it.
fn element<'a>(content: &'a str, name: &str) -> Option<(&'a str, &'a str)> {
    content.match_indices('<').find_map(|(at, _)| {
        let (inside, end) = content.split_at(at);
        let (found, after) = split(end.strip_prefix("</")?, |letter| {
            letter.is_ascii_whitespace() || "/>".contains(letter)
        });
        (found.eq_ignore_ascii_case(name) && !after.is_empty()).then_some((inside, after))
    })
}

/// The attributes of a tag, and what follows the tag.
fn attributes(mut rest: &str) -> (Vec<(&str, &str)>, &str) {
    let is_space = |letter: char| letter.is_ascii_whitespace();
    let mut found = Vec::new();
    loop {
        rest = rest.trim_start_matches(|letter| is_space(letter) || letter == '/');
        if let Some(after) = rest.strip_prefix('>') {
            return (found, after);
        }
        if rest.is_empty() {
            return (found, rest);
        }
        let (name, more) = split(rest, |letter| is_space(letter) || "/>=".contains(letter));
        let Some(value) = more.trim_start_matches(is_space).strip_prefix('=') else {
            found.push((name, ""));
            rest = more;
            continue;
        };
        let value = value.trim_start_matches(is_space);
        let quoted = ['"', '\'']
            .into_iter()
            .find_map(|quote| Some((quote, value.strip_prefix(quote)?)));
        let (value, after) = match quoted {
            Some((quote, quoted)) => quoted.split_once(quote).unwrap_or((quoted, "")),
            None => split(value, |letter| is_space(letter) || letter == '>'),
        };
        found.push((name, value));
        rest = after;
    }
}

/// What stands before the first letter that ends it, and the rest.
fn split(text: &str, ends: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(ends).unwrap_or(text.len()))
}
