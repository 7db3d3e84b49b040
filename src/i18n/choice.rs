//! Which language a visitor reads best: RFC 9110 12.5.4, with the lookup of RFC 4647 3.4. Total for whatever is sent.

use super::Language;
use crate::http::negotiate::range;

/// Nobody reads more languages than this, and a header may be long.
const MOST_RANGES: usize = 50;

/// The language named with the highest q; of several the first. Where none is named, the first that is not refused:
/// `*` names none, and so says nothing but that.
pub(super) fn choose(
    accept_language: &str,
    languages: &'static [Language],
) -> Option<&'static Language> {
    let ranges: Vec<(&str, u16)> = accept_language
        .split(',')
        .take(MOST_RANGES)
        .map(range)
        .collect();
    let accepted = |language: &&Language| !is_refused(language.tag, &ranges);
    // From the end, since of equals the last is kept; and without a sort, whose code is bigger than all of this.
    ranges
        .iter()
        .rev()
        .filter(|(_, q)| *q > 0)
        .filter_map(|(range, q)| Some((q, named(range, languages).filter(accepted)?)))
        .max_by_key(|(q, _)| *q)
        .map(|(_, language)| language)
        .or_else(|| languages.iter().find(accepted))
}

/// The language a range falls back to when its ends are cut off one by one: `de-AT` is `de`. Of Chinese the script counts,
/// which the region tells where it is not named; of Portuguese the region counts.
fn named(range: &str, languages: &'static [Language]) -> Option<&'static Language> {
    // A hyphen by the standard; programs also send what their system calls it, `zh_TW`.
    let mut parts = range.split(['-', '_']);
    let tag = match parts.next()? {
        zh if zh.eq_ignore_ascii_case("zh") => chinese(parts),
        pt if pt.eq_ignore_ascii_case("pt") => portuguese(parts),
        // Hebrew's code before 1989.
        iw if iw.eq_ignore_ascii_case("iw") => "he",
        primary => primary,
    };
    languages
        .iter()
        .find(|language| language.tag.eq_ignore_ascii_case(tag))
}

/// The first part that tells: the script comes before the region.
fn chinese<'a>(parts: impl Iterator<Item = &'a str>) -> &'static str {
    let telling = parts
        .map(str::to_ascii_lowercase)
        .find(|part| ["hans", "hant", "tw", "hk", "mo"].contains(&part.as_str()));
    match telling.as_deref() {
        None | Some("hans") => "zh-Hans",
        Some(_) => "zh-Hant",
    }
}

/// Without a region it is that of Brazil, where most of its readers are (CLDR's likely subtags); every other region writes
/// as Portugal does (CLDR's parent locales).
fn portuguese<'a>(mut parts: impl Iterator<Item = &'a str>) -> &'static str {
    match parts.find(|part| part.len() == 2) {
        Some(region) if !region.eq_ignore_ascii_case("br") => "pt-PT",
        _ => "pt-BR",
    }
}

/// Whether the most exact range that covers a tag has q 0.
fn is_refused(tag: &str, ranges: &[(&str, u16)]) -> bool {
    ranges
        .iter()
        .filter(|(range, _)| covers(range, tag))
        .map(|(range, q)| (range.len(), *q))
        .max()
        .is_some_and(|(_, q)| q == 0)
}

/// RFC 4647 3.3.1: `zh` covers `zh-Hant`, `en-GB` does not cover `en`.
fn covers(range: &str, tag: &str) -> bool {
    let begins = |range: &str| {
        let (beginning, rest) = tag.split_at_checked(range.len()).unwrap_or_default();
        beginning.eq_ignore_ascii_case(range) && (rest.is_empty() || rest.starts_with('-'))
    };
    range == "*" || begins(range)
}
