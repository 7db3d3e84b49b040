//! Whether an answer of the origin for one visitor is ever shown to another.

use super::draws::Visitor;
use super::{Answer, Ask, Finding, Probe, unasked};

pub(super) const SKIPPING: &str = "answers of the origin, outside the room";
pub(super) const BEHIND: &str = "answers of the origin, inside the room";
pub(super) const CACHED: &str = "cached path";

/// What is known of a page's text for two visitors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Text {
    /// It differs for each, says the operator.
    Differs,
    /// It may be the same.
    MayBeSame,
}

/// Two visitors ask for the same path that skips the room.
pub(super) fn skipping(probe: &Probe<'_>) -> Finding {
    let path = &probe.options.open_path;
    let ask = |visitor: &str| {
        let cookie = format!("now-serving-probe={visitor}");
        probe.ask(&Ask::quiet(path).with("cookie", cookie))
    };
    match (ask("one"), ask("other")) {
        (Ok(one), Ok(_)) if one.is_of_the_room() => {
            Finding::unseen(SKIPPING, format!("{path} stands in line here."))
                .mend("name a path that skips the room with --open-path, or add --draw.")
        }
        (Ok(one), Ok(other)) => judge(SKIPPING, path, [&one, &other], Text::MayBeSame),
        (Err(error), _) | (_, Err(error)) => unasked(SKIPPING, &error),
    }
}

/// Two visitors inside ask for the same page.
pub(super) fn behind(probe: &Probe<'_>, visitors: &[Visitor]) -> Finding {
    let mut inside = visitors.iter().filter(|visitor| visitor.is_inside);
    let (Some(one), Some(other)) = (inside.next(), inside.next()) else {
        let seen = if probe.options.draw {
            "fewer than two of the visitors drawn were let in."
        } else {
            "without --draw there is no visitor inside."
        };
        return Finding::unseen(BEHIND, seen).mend(
            "run with --draw while the line is empty, or let the drawn visitors in from the panel.",
        );
    };
    let page = probe.page();
    let text = match probe.options.path {
        Some(_) => Text::Differs,
        None => Text::MayBeSame,
    };
    let ask =
        |visitor: &Visitor| probe.ask(&Ask::get(page).with("cookie", visitor.cookie.as_str()));
    match (ask(one), ask(other)) {
        (Ok(one), Ok(other)) => judge(BEHIND, page, [&one, &other], text),
        (Err(error), _) | (_, Err(error)) => unasked(BEHIND, &error),
    }
}

fn judge(check: &'static str, path: &str, answers: [&Answer; 2], text: Text) -> Finding {
    let signs = answers.iter().flat_map(|answer| from_cache(answer));
    let signs: Vec<String> = signs.collect();
    let [one, other] = answers;
    let is_same = one.body == other.body;
    let shared = |seen: String| {
        Finding::differs(check, seen)
            .means("one visitor may be shown what was made for another.")
            .mend("ask the origin itself with curl: a cache in front of it writes the same headers. If it is not that, set `bypass_paths` aside, check that `cache_paths` does not list the path, run `fastly purge --all`, and report it.")
    };
    if !signs.is_empty() {
        return shared(format!(
            "{path}: an answer came from a cache ({}).",
            signs.join(", ")
        ));
    }
    match (is_same, text) {
        (true, Text::Differs) => shared(format!("{path}: two visitors were shown the same page, which --path says differs for each.")),
        (true, Text::MayBeSame) => Finding::fine(check, format!("{path}: neither answer came from a cache, by its headers."))
            .means("both visitors were shown the same text, so the headers are all that speaks: a page that differs for each visitor says more (--path, with --draw)."),
        (false, _) => Finding::fine(check, format!("{path}: two visitors, two answers; neither came from a cache.")),
    }
}

/// What says that an answer was kept: `Age` (RFC 9111), or a hit in `X-Cache`.
fn from_cache(answer: &Answer) -> Vec<String> {
    let told = |name: &str| (name.to_owned(), answer.header(name));
    let [age, hit] = ["age", "x-cache"].map(told);
    let is_kept = |(name, value): &(String, String)| match name.as_str() {
        "age" => !value.is_empty(),
        _ => value.to_ascii_uppercase().contains("HIT"),
    };
    let kept = [age, hit].into_iter().filter(is_kept);
    kept.map(|(name, value)| format!("{name}: {value}"))
        .collect()
}

/// A path that `cache_paths` lists is asked for three times: the first may be kept, the last should come from the cache.
pub(super) fn cached(probe: &Probe<'_>, visitors: &[Visitor]) -> Finding {
    let Some(path) = &probe.options.cached_path else {
        return Finding::unseen(CACHED, "no path was named that may be kept.")
            .mend("name one that `cache_paths` lists with --cached-path.");
    };
    let mut ask = Ask::quiet(path);
    if let Some(visitor) = visitors.iter().find(|visitor| visitor.is_inside) {
        ask = ask.with("cookie", visitor.cookie.as_str());
    }
    let answers: Result<Vec<Answer>, String> = (0..3).map(|_| probe.ask(&ask)).collect();
    match answers {
        Ok(answers) => is_kept(path, answers.last(), probe.is_local()),
        Err(error) => unasked(CACHED, &error),
    }
}

fn is_kept(path: &str, last: Option<&Answer>, is_local: bool) -> Finding {
    let Some(last) = last else {
        return Finding::unseen(CACHED, "no answer.");
    };
    if last.is_of_the_room() {
        return Finding::unseen(CACHED, format!("{path} stands in line here."))
            .mend("add --draw, or list the path in `bypass_paths` too.");
    }
    let signs = from_cache(last);
    if !signs.is_empty() {
        return Finding::fine(
            CACHED,
            format!(
                "{path}: the third answer came from a cache ({}).",
                signs.join(", ")
            ),
        );
    }
    if is_local {
        return Finding::unseen(
            CACHED,
            format!(
                "{path}: the third answer came from the origin; the local server has no such cache."
            ),
        );
    }
    let freshness = last.header("cache-control");
    Finding::differs(CACHED, format!("{path}: the third answer came from the origin, with `Cache-Control: {freshness}`."))
        .means("the origin is asked by each visitor.")
        .mend("list the path in `cache_paths`, and have the origin say for how long, such as by `Cache-Control: max-age=3600`. An answer with `Set-Cookie`, `private`, `no-store` or `Vary: Cookie` is never kept.")
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

    use super::*;
    use crate::probe::report::Verdict;

    fn answer(body: &str, headers: &[(&'static str, &str)]) -> Answer {
        let mut answer = Answer {
            status: 200,
            body: body.to_owned(),
            ..Answer::default()
        };
        for (name, value) in headers {
            answer.headers.append(*name, value.parse().unwrap());
        }
        answer
    }

    #[test]
    fn an_answer_from_a_cache_or_a_page_that_should_differ_and_does_not_is_shared() {
        let told =
            |one: &Answer, other: &Answer, text| judge(BEHIND, "/", [one, other], text).verdict;
        let (ann, bob) = (answer("Ann", &[("x-cache", "MISS")]), answer("Bob", &[]));
        assert_eq!(told(&ann, &bob, Text::Differs), Verdict::Fine);
        assert_eq!(told(&ann, &ann, Text::MayBeSame), Verdict::Fine);
        assert_eq!(told(&ann, &ann, Text::Differs), Verdict::Differs);
        for kept in [("age", "0"), ("x-cache", "MISS, HIT"), ("x-cache", "hit")] {
            let kept = answer("Cay", &[kept]);
            assert_eq!(told(&ann, &kept, Text::MayBeSame), Verdict::Differs);
        }
    }

    #[test]
    fn a_cached_path_is_kept_in_production_and_not_on_the_local_server() {
        let (kept, asked) = (answer("", &[("age", "3")]), answer("", &[]));
        assert_eq!(is_kept("/", Some(&kept), false).verdict, Verdict::Fine);
        assert_eq!(is_kept("/", Some(&asked), false).verdict, Verdict::Differs);
        assert_eq!(is_kept("/", Some(&asked), true).verdict, Verdict::Unseen);
    }
}
