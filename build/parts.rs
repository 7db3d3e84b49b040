//! A page cut into the parts that stay and those that change, written as `src/page/template/parts.rs` reads them.
//!
//! A part is a letter for what it is, the length of its text or name in three letters of six bits, from the space on, and that
//! text or name. What stands in a block follows it, after its own length.

#[expect(dead_code, reason = "the build says no lines")]
#[path = "../src/page/template/elements.rs"]
mod elements;
#[path = "../src/page/template/escape.rs"]
mod escape;
#[path = "../src/page/template/path.rs"]
mod path;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::mem;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use elements::{Kind, elements};
use escape::push_escaped;
use path::is_path;

/// The texts of each language, by its tag.
pub(crate) type Languages = BTreeMap<String, BTreeMap<String, String>>;

/// What Handlebars calls where a name of these stands alone.
const HELPERS: &str = "if unless each with lookup raw log eq ne gt gte lt lte and or not len";

/// What a page says of operators until they say something: the same as `Brand::default`, and a test compares.
const BRAND: [(&str, &str); 5] = [
    ("name", ""),
    ("light", "#c8371b"),
    ("dark", "#ff9a73"),
    ("hex", "c8371b"),
    ("logo", ""),
];

/// What is compiled, for who reads an error.
pub(crate) const ACCEPTED: &str = "{{name}}, {{#if name}}, {{#each name}} and their ends; text.* and brand.* that there are; none of \
    the other names in <style> and <script>";

/// A piece of a template.
enum Piece<'a> {
    Text(&'a str),
    Tag(&'a str),
}

/// A page as Rust; nothing if it has a tag that only Handlebars knows.
pub(crate) fn compiled(page: &str, languages: &Languages) -> Option<String> {
    // A browser digests an element after this, too.
    let page = page.replace("\r\n", "\n").replace('\r', "\n");
    let parts = parts(&page, languages)?;
    let (found, endless) = elements(&page);
    let inline: Option<String> = found
        .into_iter()
        .map(|element| inline(element.kind, element.inside, languages))
        .collect();
    let (inline, length) = (inline.filter(|_| endless.is_none())?, page.len());
    Some(format!(
        "Compiled {{ length: {length}, inline: &[{inline}], parts: Parts({parts:?}) }}"
    ))
}

/// The texts that a page names and a language does not have, each as a sentence: such a page is not compiled.
pub(crate) fn missing(page: &str, languages: &Languages) -> Vec<String> {
    let pieces = pieces(page).unwrap_or_default();
    let names = pieces.iter().filter_map(|piece| match piece {
        Piece::Tag(tag) => tag.trim().strip_prefix("text."),
        Piece::Text(_) => None,
    });
    let names: BTreeSet<&str> = names.collect();
    let told = names.into_iter().flat_map(|name| {
        let lacking: Vec<_> = languages
            .iter()
            .filter(|(_, texts)| !has(texts, name))
            .map(|(tag, _)| {
                format!(
                    "templates/words/{tag}.json has no text {name}, \
                     so visitors in that language get a plain notice, and for others the page takes longer"
                )
            })
            .collect();
        // Then the page is wrong, not the languages.
        if lacking.len() == languages.len() {
            return vec![format!("no language has the text {name}, so all visitors get a plain notice")];
        }
        lacking
    });
    told.collect()
}

/// Whether a language has a text: an empty one is none.
fn has(texts: &BTreeMap<String, String>, name: &str) -> bool {
    texts.get(name).is_some_and(|text| !text.is_empty())
}

/// The template in pieces; nothing where a backslash or an open brace gives a tag another meaning.
fn pieces(text: &str) -> Option<Vec<Piece<'_>>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, tag_on)) = rest.split_once("{{") {
        let (tag, after) = tag_on.split_once("}}")?;
        if before.ends_with('\\') {
            return None;
        }
        pieces.push(Piece::Text(before));
        pieces.push(Piece::Tag(tag));
        rest = after;
    }
    pieces.push(Piece::Text(rest));
    Some(pieces)
}

/// The parts of a template, a block's inside in the block.
fn parts(text: &str, languages: &Languages) -> Option<String> {
    let mut written = String::new();
    // Blocks that have begun, each with what stands before it.
    let mut open = Vec::new();
    for piece in pieces(text)? {
        match piece {
            Piece::Text("") => {}
            Piece::Text(text) => push(&mut written, "t", text)?,
            Piece::Tag(tag) => {
                if let Some((helper, name)) =
                    tag.strip_prefix('#').and_then(|tag| tag.split_once(' '))
                {
                    let kind = match helper {
                        "if" => "i",
                        "each" => "e",
                        _ => return None,
                    };
                    push(&mut written, kind, path(name)?)?;
                    open.push((helper, mem::take(&mut written)));
                } else if let Some(helper) = tag.strip_prefix('/') {
                    let (_, before) = open.pop().filter(|(begun, _)| *begun == helper)?;
                    let inside = mem::replace(&mut written, before);
                    push(&mut written, "", &inside)?;
                } else {
                    let (kind, name) = value(path(tag)?, languages)?;
                    push(&mut written, kind, name)?;
                }
            }
        }
    }
    open.is_empty().then_some(written)
}

/// One part more; nothing if it is too long.
fn push(written: &mut String, kind: &str, text: &str) -> Option<()> {
    let length = u32::try_from(text.len()).ok()?;
    if length >> 18 != 0 {
        return None;
    }
    written.push_str(kind);
    for bits in [12, 6, 0] {
        written.push(char::from_u32(u32::from(' ') + ((length >> bits) & 63))?);
    }
    written.push_str(text);
    Some(())
}

/// What stands in the place of a name: a constant, or what the page is asked to show.
fn value<'a>(name: &'a str, languages: &Languages) -> Option<(&'static str, &'a str)> {
    if let Some(text) = name.strip_prefix("text.") {
        let is_everywhere = languages.values().all(|texts| has(texts, text));
        return is_everywhere.then_some(("w", text));
    }
    if let Some(brand) = name.strip_prefix("brand.") {
        let is_known = BRAND.iter().any(|(known, _)| *known == brand);
        return is_known.then_some(("b", brand));
    }
    Some(("v", name))
}

/// A name with its fields, and nothing that means something else to Handlebars: a helper or an object.
fn path(name: &str) -> Option<&str> {
    let is_helper = HELPERS.split(' ').any(|helper| helper == name);
    (is_path(name) && !is_helper && name != "brand").then_some(name)
}

/// An inline style or script with its digests; nothing if it changes from request to request.
fn inline(kind: Kind, inside: &str, languages: &Languages) -> Option<String> {
    let pieces = pieces(inside)?;
    let begins = |begin: &str| {
        let is_it = |piece: &Piece<'_>| matches!(piece, Piece::Tag(tag) if tag.starts_with(begin));
        pieces.iter().any(is_it)
    };
    let mut known = String::new();
    for (tag, texts) in languages {
        // One digest is enough for an element without words.
        let tag = if begins("text.") { tag } else { "" };
        write!(known, "({tag:?}, {:?}),", digest(&pieces, texts)?).ok()?;
        if tag.is_empty() {
            break;
        }
    }
    // With a brand the digest is another: the element itself is needed.
    let parts = if begins("brand.") {
        parts(inside, languages)?
    } else {
        String::new()
    };
    Some(format!(
        "Inline {{ kind: Kind::{kind:?}, known: &[{known}], branded: Parts({parts:?}) }},"
    ))
}

/// The digest of an element in one language, without a brand.
fn digest(pieces: &[Piece<'_>], texts: &BTreeMap<String, String>) -> Option<String> {
    let mut filled = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => filled.push_str(text),
            Piece::Tag(tag) => push_escaped(&mut filled, constant(tag, texts)?),
        }
    }
    Some(STANDARD.encode(hmac_sha256::Hash::hash(filled.as_bytes())))
}

/// What does not change from request to request.
fn constant<'a>(name: &str, texts: &'a BTreeMap<String, String>) -> Option<&'a str> {
    if let Some(name) = name.strip_prefix("text.") {
        return texts.get(name).map(String::as_str);
    }
    let name = name.strip_prefix("brand.")?;
    let found = BRAND.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| *value)
}
