//! The built-in pages, as `build.rs` compiled them from `templates/`.

use super::template::{Compiled, Inline, Kind, Parts};

/// The waiting page, or the text of a page of an operator's own in `templates/queue.html` with tags that only Handlebars
/// knows.
pub(super) type BuiltIn = Result<&'static Compiled, &'static str>;

include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// The templates that were compiled.
#[cfg(test)]
pub(super) mod texts {
    macro_rules! texts {
        ($($name:ident $file:literal)*) => {
            $(pub(in crate::page) const $name: &str = include_str!(concat!(env!("OUT_DIR"), "/", $file, ".html"));)*
        };
    }

    texts!(QUEUE "queue" ADMIN "admin" NOTICE "notice" CHALLENGE "challenge" INVITATION "invitation" QUESTION "question" REPORT "report");
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::http::Reply;
    use crate::i18n::{LANGUAGES, english};
    use crate::page::brand::constant;
    use crate::page::page_context::Told;
    use crate::page::template::{Part, Same, Template};
    use crate::page::{Brand, Links, Obstacle, Pages, Waiting, waiting_page};
    use crate::queue::{Cursor, Group, LaneName, Mode, Position};
    use crate::ticket::Notice;

    const WILD: &str = "<b>\"&'`={{x}}\\é";

    fn by_handlebars(text: &str, same: Same<'_>, data: Value) -> Option<Reply> {
        let brand = same.brand.cloned().unwrap_or_default();
        let page = Template::new(text, &|name| {
            constant(name, same.words, &brand).filter(|_| same.brand.is_some())
        });
        page.ok()?.render(503, &data.into(), "'none'")
    }

    fn brands() -> [Brand; 3] {
        let named = Brand {
            name: Some(WILD.to_owned()),
            logo: Some("data:image/png;base64,AA==".to_owned()),
            message: Some(WILD.to_owned()),
            ..Brand::default()
        };
        let painted = Brand {
            light: "#123456".to_owned(),
            heading: Some(WILD.to_owned()),
            ..Brand::default()
        };
        [Brand::default(), named, painted]
    }

    /// Visitors in every mode, with and without a number, a sign and everything that may be there besides.
    fn visitors() -> Vec<Waiting> {
        let plain = |mode, position: Option<u64>, seen: Option<(u64, u64)>| Waiting {
            mode,
            position: position.map(Position),
            seen: seen.map(|(cursor, ahead)| (Cursor(cursor), ahead)),
            refresh: 20,
            ..Waiting::default()
        };
        let mut all = Vec::new();
        for mode in [Mode::Automatic, Mode::Hold, Mode::Closed, Mode::Open] {
            for position in [None, Some(7_654_321)] {
                for seen in [None, Some((0, 3)), Some((7_654_321, 0))] {
                    let bare = plain(mode, position, seen);
                    let full = Waiting {
                        group: LaneName::read("vip").map(|name| Group { name, share: 5 }),
                        obstacle: Obstacle::Full,
                        notice: Some(Notice::Anew),
                        message: Some(WILD.to_owned()),
                        said: Some(1),
                        first: Some(5),
                        reference: Some(WILD.to_owned()),
                        is_old: true,
                        estimate: Some(600),
                        valid: Some(0),
                        still: true,
                        unsent: true,
                        ..bare.clone()
                    };
                    let timed = Waiting {
                        estimate: Some(60),
                        reference: Some("a".to_owned()),
                        ..bare.clone()
                    };
                    let rescued = Waiting {
                        obstacle: Obstacle::Origin,
                        ..bare.clone()
                    };
                    all.extend([bare, full, timed, rescued]);
                }
            }
        }
        all
    }

    #[test]
    fn the_waiting_page_is_what_handlebars_makes_of_it_in_every_state_and_language() {
        let links = Links {
            here: "/a?b=1&c".to_owned(),
            place: "/_queue/place".to_owned(),
            invitation: Some("/_queue/invitation".to_owned()),
            ..Links::default()
        };
        for words in &LANGUAGES {
            for brand in brands() {
                let pages = Pages::new(brand.clone(), None);
                let text = texts::QUEUE;
                let theirs = Template::new(text, &|name| constant(name, words, &brand)).ok();
                for waiting in visitors() {
                    let told = Told::new(&waiting, &links, words, &brand);
                    let theirs = theirs
                        .as_ref()
                        .and_then(|page| page.render(503, &told.value().into(), "'none'"));
                    let ours = waiting_page(503, &waiting, &links, words, &pages, None);
                    assert_eq!(Some(ours), theirs, "{}: {waiting:?}", words.tag);
                }
            }
        }
    }

    /// Puts something for every name of these parts there.
    fn fill(data: &mut Map<String, Value>, parts: Parts) {
        for part in parts {
            match part {
                Part::Value(name) => put(data, name, &json!(format!("{WILD}{name}"))),
                Part::If(name, inside) => {
                    fill(data, inside);
                    put(data, name, &json!(true));
                }
                Part::Each(name, inside) => {
                    let mut row = Map::new();
                    fill(&mut row, inside);
                    put(data, name, &json!([row.clone(), {}, row]));
                }
                Part::Text(_) | Part::Word(_) | Part::Brand(_) => {}
            }
        }
    }

    fn put(data: &mut Map<String, Value>, name: &str, value: &Value) {
        match name.split_once('.') {
            Some((first, rest)) => {
                let inner = data.entry(first).or_insert_with(|| json!({}));
                if !inner.is_object() {
                    *inner = json!({});
                }
                if let Some(inner) = inner.as_object_mut() {
                    put(inner, rest, value);
                }
            }
            None => {
                data.entry(name).or_insert_with(|| value.clone());
            }
        }
    }

    #[test]
    fn every_other_page_is_what_handlebars_makes_of_it() {
        let [plain, named, painted] = brands();
        for (page, text, brand) in [
            (&ADMIN, texts::ADMIN, None),
            (&QUESTION, texts::QUESTION, None),
            (&REPORT, texts::REPORT, None),
            (&NOTICE, texts::NOTICE, Some(&plain)),
            (&NOTICE, texts::NOTICE, Some(&named)),
            (&CHALLENGE, texts::CHALLENGE, Some(&painted)),
            (&INVITATION, texts::INVITATION, Some(&named)),
        ] {
            let mut full = Map::new();
            fill(&mut full, page.parts.clone());
            for data in [Value::Object(full), json!({})] {
                let same = Same {
                    words: english(),
                    brand,
                };
                let ours = page.render(503, &data, same, "'none'");
                assert_eq!(Some(ours), by_handlebars(text, same, data));
            }
        }
    }
}
