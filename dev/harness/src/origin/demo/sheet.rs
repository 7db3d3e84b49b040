//! The sheet itself: a frame for each state, width and colour scheme.

use std::fmt::Write as _;

use now_serving::i18n::{LANGUAGES, Language};

use super::{LINES, LOOKS, Look, PATH, STATES};

const SHEET: &str = include_str!("sheet.html");

/// A phone and a desk, each in light and dark.
const FRAMES: [(&str, &str); 4] = [
    ("phone", "light"),
    ("phone", "dark"),
    ("desk", "light"),
    ("desk", "dark"),
];

pub(super) fn html(words: &Language, look: &Look) -> String {
    let tags = LANGUAGES.iter().map(|known| (known.tag, known.tag));
    let looks = LOOKS.iter().map(|known| (known.name, known.title));
    SHEET
        .replace("<!-- languages -->", &options(tags, words.tag))
        .replace("<!-- looks -->", &options(looks, look.name))
        .replace("<!-- states -->", &states(words, look))
        .replace("<!-- lines -->", &lines())
}

fn options<'a>(all: impl Iterator<Item = (&'a str, &'a str)>, chosen: &str) -> String {
    let mut html = String::new();
    for (value, title) in all {
        let selected = if value == chosen { " selected" } else { "" };
        let _ = write!(
            html,
            r#"<option value="{value}"{selected}>{title}</option>"#
        );
    }
    html
}

fn states(words: &Language, look: &Look) -> String {
    let sections = STATES.iter().map(|state| {
        let page = format!("{PATH}/page/{}/{}/{}", state.name, words.tag, look.name);
        section(state.name, state.title, &page)
    });
    sections.collect()
}

fn lines() -> String {
    let sections = LINES.iter().map(|line| {
        let page = format!("{PATH}/panel/{}", line.name);
        section(&format!("panel-{}", line.name), line.title, &page)
    });
    sections.collect()
}

fn section(id: &str, title: &str, page: &str) -> String {
    let mut html = format!(r#"<section id="{id}"><h2><a href="{page}">{title}</a></h2><div>"#);
    for (width, scheme) in FRAMES {
        let _ = write!(
            html,
            r#"<span class="{width}"><iframe class="{scheme}" src="{page}" title="{title}: {width}, {scheme}" loading="lazy"></iframe></span>"#
        );
    }
    html.push_str("</div></section>\n");
    html
}
