//! How the operator's brand is read: a name, colours, a logo, words and a page of their own.

use crate::page::{Brand, LONGEST_HEADING, LONGEST_MESSAGE, UNSAYABLE, is_sayable};

use super::reader::{Reader, words};

/// The longest logo, in characters: base64 of some 4 KB, or a drawing.
const LOGO: usize = 6_000;

const PICTURES: [&str; 5] = ["svg+xml", "png", "jpeg", "webp", "gif"];

impl Reader<'_> {
    pub(super) fn brand(&mut self) -> Brand {
        self.cosmetic(|reader| {
            let (light, dark) = reader.colors();
            Brand {
                name: reader.text("brand_name", 60),
                light,
                dark,
                logo: reader.logo(),
                heading: reader.text("heading", LONGEST_HEADING),
                message: reader.text("message", LONGEST_MESSAGE),
            }
        })
    }

    /// Its soundness is the page's business: a broken one is refused, and does not close the site.
    pub(super) fn template(&mut self) -> Option<String> {
        self.cosmetic(|reader| reader.optional("template"))
    }

    /// Something to be read on the page.
    fn text(&mut self, key: &'static str, longest: usize) -> Option<String> {
        let text = self.optional(key)?;
        if text.trim().is_empty() || !is_sayable(&text, longest) {
            let accepted =
                format_args!("none, or a text of 1 to {longest} characters without {UNSAYABLE}");
            self.problem(key, Some(text), accepted);
            return None;
        }
        Some(text)
    }

    /// On a light page and on a dark one.
    fn colors(&mut self) -> (String, String) {
        let default = || {
            let Brand { light, dark, .. } = Brand::default();
            (light, dark)
        };
        let Some(text) = self.optional("brand_colors") else {
            return default();
        };
        let colors: Vec<&str> = words(&text).collect();
        match colors.as_slice() {
            [both] if is_color(both) => ((*both).to_owned(), (*both).to_owned()),
            [light, dark] if is_color(light) && is_color(dark) => {
                ((*light).to_owned(), (*dark).to_owned())
            }
            _ => {
                let accepted = "none, a colour such as #c8371b, or two: for light pages and for dark ones, as #c8371b,#ff9a73";
                self.problem("brand_colors", Some(text.clone()), accepted);
                default()
            }
        }
    }

    /// It stands in an attribute, and its policy lets pictures in that come with the page.
    fn logo(&mut self) -> Option<String> {
        let text = self.optional("brand_logo")?;
        let is_sound =
            |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&()*+,;=%".contains(&byte);
        let kind = text.strip_prefix("data:image/").and_then(|rest| {
            let end = rest.find([',', ';'])?;
            rest.get(..end)
        });
        let is_picture = kind.is_some_and(|kind| PICTURES.contains(&kind));
        if !is_picture || text.len() > LOGO || !text.bytes().all(is_sound) {
            let accepted = "none, or data:image/ with svg+xml, png, jpeg, webp or gif: at most 6000 characters, percent-encoded or base64, no quotes, < or spaces";
            self.problem("brand_logo", Some(text), accepted);
            return None;
        }
        Some(text)
    }
}

fn is_color(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or_default();
    digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Problem, Source, Unreadable};

    /// One setting, and no other.
    struct One(&'static str, String);

    impl Source for One {
        fn setting(&self, key: &str) -> Result<Option<String>, Unreadable> {
            let document = serde_json::json!({ self.0: self.1 });
            Ok((key == "settings").then(|| document.to_string()))
        }
        fn secret(&self, _key: &str) -> Result<Option<String>, Unreadable> {
            Ok(None)
        }
        fn is_local(&self) -> bool {
            false
        }
    }

    fn read(key: &'static str, value: &str) -> (Brand, Vec<Problem>) {
        let one = One(key, value.to_owned());
        let mut reader = Reader::of_settings(&one);
        let brand = reader.brand();
        (brand, reader.findings().ignored)
    }

    const KEYS: [&str; 5] = [
        "brand_name",
        "brand_colors",
        "brand_logo",
        "heading",
        "message",
    ];

    #[test]
    fn absent_and_none_are_the_house_s_own() {
        for key in KEYS {
            for value in ["", "none"] {
                assert_eq!(read(key, value), (Brand::default(), Vec::new()), "{key}");
            }
        }
    }

    #[test]
    fn a_brand_is_read_as_it_is_written() {
        let own = Brand::default;
        let some = |text: &str| Some(text.to_owned());
        let logo = "data:image/svg+xml,%3Csvg%20viewBox='0'/%3E".replace('\'', "%27");
        let colors = |light: &str, dark: &str| Brand {
            light: light.to_owned(),
            dark: dark.to_owned(),
            ..own()
        };
        for (key, value, brand) in [
            (
                "brand_name",
                "Möbel & Söhne",
                Brand {
                    name: some("Möbel & Söhne"),
                    ..own()
                },
            ),
            (
                "brand_logo",
                &logo,
                Brand {
                    logo: some(&logo),
                    ..own()
                },
            ),
            (
                "heading",
                "Soon",
                Brand {
                    heading: some("Soon"),
                    ..own()
                },
            ),
            (
                "message",
                "<b>Hi</b>",
                Brand {
                    message: some("<b>Hi</b>"),
                    ..own()
                },
            ),
            ("brand_colors", "#A1b2C3", colors("#A1b2C3", "#A1b2C3")),
            (
                "brand_colors",
                "#000000 #ffffff",
                colors("#000000", "#ffffff"),
            ),
            (
                "brand_colors",
                "#000000, #ffffff",
                colors("#000000", "#ffffff"),
            ),
        ] {
            assert_eq!(read(key, value), (brand, Vec::new()), "{key} = {value}");
        }
    }

    #[test]
    fn texts_have_a_longest_length_in_characters() {
        for (key, longest) in [("brand_name", 60), ("heading", 120), ("message", 200)] {
            assert_eq!(read(key, &"é".repeat(longest)).1, [], "{key}");
            let value = "é".repeat(longest + 1);
            let accepted =
                format!("none, or a text of 1 to {longest} characters without {UNSAYABLE}");
            let problem = Problem {
                key,
                value: Some(value.clone()),
                accepted,
                unreadable: false,
                room: None,
            };
            assert_eq!(read(key, &value), (Brand::default(), vec![problem]));
        }
    }

    #[test]
    fn a_wrong_brand_is_named() {
        let long = format!("data:image/png;base64,{}", "A".repeat(LOGO - 21));
        for (key, wrong) in [
            ("brand_name", " "),
            ("heading", "a\nb"),
            ("message", "a\u{7}"),
            ("message", "a\u{202e}b"),
            ("brand_colors", "red"),
            ("brand_colors", "#fff"),
            ("brand_colors", "#00000g"),
            ("brand_colors", "#000000 #ffffff #000000"),
            ("brand_colors", ","),
            ("brand_logo", "https://shop.example/logo.png"),
            ("brand_logo", "data:text/html,a"),
            ("brand_logo", "data:image/png"),
            ("brand_logo", "data:image/svg+xml,<svg/>"),
            ("brand_logo", "data:image/png,\""),
            ("brand_logo", "data:image/png,'"),
            ("brand_logo", "data:image/png,a b"),
            ("brand_logo", &long),
        ] {
            let (brand, problems) = read(key, wrong);
            let keys: Vec<&str> = problems.iter().map(|found| found.key).collect();
            assert_eq!((brand, keys), (Brand::default(), vec![key]), "{wrong}");
        }
        let longest = long.strip_suffix('A').unwrap_or_default();
        assert_eq!(longest.len(), LOGO);
        assert_eq!(read("brand_logo", longest).1, []);
        let named = read("brand_logo", &long)
            .1
            .into_iter()
            .filter_map(|found| found.value);
        assert_eq!(
            named.map(|value| value.len()).sum::<usize>(),
            512,
            "and not all of it"
        );
    }
}
