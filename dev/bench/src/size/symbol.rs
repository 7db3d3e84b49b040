//! The names that the compiler gives to functions, as far as they say whose a function is.

/// The words of a name, the crate first.
pub(super) struct Symbol(Vec<String>);

impl Symbol {
    pub(super) fn of(name: &str) -> Self {
        let words = if let Some(rest) = name.strip_prefix("_R") {
            words_of_v0(rest)
        } else if let Some(rest) = name.strip_prefix("_ZN") {
            words_of_legacy(rest)
        } else {
            Vec::new()
        };
        if words.is_empty() {
            let name = if name.is_empty() { "no name" } else { name };
            return Self(vec!["C or none".to_owned(), name.to_owned()]);
        }
        Self(words)
    }

    pub(super) fn krate(&self) -> String {
        self.0.first().cloned().unwrap_or_default()
    }

    /// The module of this crate, one below its root.
    pub(super) fn part_of(&self, krate: &str) -> Option<String> {
        let (first, rest) = self.0.split_first()?;
        (first == krate).then(|| rest.first().cloned().unwrap_or_default())
    }

    pub(super) fn readable(&self) -> String {
        let words = self.0.iter().take(6).map(String::as_str);
        words.collect::<Vec<_>>().join("::")
    }
}

/// `17hash` is at the end, and `_$LT$` before a type that implements something.
fn words_of_legacy(mut rest: &str) -> Vec<String> {
    let mut words = Vec::new();
    while let Some((word, after)) = counted(rest) {
        rest = after;
        let plain = word
            .replace("_$LT$", "")
            .replace("$LT$", " ")
            .replace("$GT$", " ")
            .replace("$u20$", " ")
            .replace("$RF$", "&")
            .replace("..", "::");
        let first = plain.split(' ').next().unwrap_or_default();
        let first = first.trim_start_matches(['&', '_']);
        words.extend(
            first
                .split("::")
                .filter(|word| !word.is_empty())
                .map(str::to_owned),
        );
    }
    if words
        .last()
        .is_some_and(|last| last.len() == 17 && last.starts_with('h'))
    {
        words.pop();
    }
    words
}

/// Each name stands behind its length; the root of a crate behind `C` and a number in base 62.
fn words_of_v0(rest: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(tail) = rest.get(at..) {
        let Some(first) = tail.bytes().next() else {
            break;
        };
        // A number in base 62 is no length: it tells names apart, and refers back.
        if matches!(first, b's' | b'B')
            && let Some((number, _)) = tail.get(1..).and_then(|tail| tail.split_once('_'))
            && number.len() < 14
            && number.bytes().all(|byte| byte.is_ascii_alphanumeric())
        {
            at += number.len() + 2;
            continue;
        }
        match counted(tail.strip_prefix('u').unwrap_or(tail)) {
            Some((word, after)) if first.is_ascii_digit() || first == b'u' => {
                if !word.is_empty() {
                    words.push(word.to_owned());
                }
                at = rest.len() - after.len();
            }
            _ => at += 1,
        }
    }
    words
}

/// A name behind its length, and what follows.
fn counted(text: &str) -> Option<(&str, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let length: usize = text.get(..digits)?.parse().ok()?;
    let text = text.get(digits..)?;
    // An underscore stands between where the name itself begins with a digit or another one.
    let is_like_length = |rest: &&str| rest.starts_with(|c: char| c == '_' || c.is_ascii_digit());
    let text = (text.strip_prefix('_').filter(is_like_length)).unwrap_or(text);
    Some((text.get(..length)?, text.get(length..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crate_of_a_function_is_the_one_that_wrote_it() {
        for (name, krate, part) in [
            (
                "_ZN10serde_json2de10from_trait17h0123456789abcdefE",
                "serde_json",
                None,
            ),
            (
                "_ZN63_$LT$now_serving..page..Pages$u20$as$u20$core..fmt..Display$GT$3fmt17h0123456789abcdefE",
                "now_serving",
                Some("page"),
            ),
            (
                "_RNvNtCs1234_11now_serving4page4page",
                "now_serving",
                Some("page"),
            ),
            (
                "_RNvXs_NtCsabc_10serde_json5valueNtB4_5ValueNtNtCsdef_4core3fmt7Display3fmt",
                "serde_json",
                None,
            ),
            ("memcpy", "C or none", None),
        ] {
            let symbol = Symbol::of(name);
            assert_eq!(symbol.krate(), krate, "{name}");
            assert_eq!(symbol.part_of("now_serving").as_deref(), part, "{name}");
        }
        assert_eq!(Symbol::of("").readable(), "C or none::no name");
    }
}
