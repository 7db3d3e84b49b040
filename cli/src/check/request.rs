//! `now-serving check FILE --request 'GET https://shop.example/'`: what the settings make of one request, by the service's own rules.

use now_serving::config::{
    Belongs, Config, PastBy, Paths, Place, RoomRegions, Serves, below, is_country,
};
use now_serving::http::{Call, HEADERS, is_token};
use url::Url;

/// The methods that the service takes.
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

const REQUEST: &str =
    "a method and a URL, such as 'GET https://shop.example/tickets/1?preview', in quotes";

/// The options about one request.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct RequestOptions {
    /// Say which room and lane a request is for, and whether a rule lets it past
    #[arg(long, value_name = "METHOD URL")]
    pub request: Option<String>,
    /// A header of that request, such as 'X-App: ios'; may be repeated; `-H` for short
    #[arg(
        short = 'H',
        long = "header",
        value_name = "NAME: VALUE",
        requires = "request"
    )]
    pub headers: Vec<String>,
    /// Its country, by two capital letters
    #[arg(long, value_name = "COUNTRY", requires = "request")]
    pub country: Option<String>,
    /// Its data centre, by Fastly's code such as SJC
    #[arg(long, value_name = "POP", requires = "request")]
    pub pop: Option<String>,
}

/// A request to judge.
#[derive(Clone, Debug)]
pub struct Asked {
    /// As it was written.
    line: String,
    call: Call,
    pop: Option<String>,
}

impl RequestOptions {
    /// The request, if there is one.
    ///
    /// # Errors
    /// What is wrong with it, and what is accepted.
    pub fn asked(&self) -> Result<Option<Asked>, String> {
        let Some(line) = &self.request else {
            return Ok(None);
        };
        let wrong = |accepted: &str| format!("--request {line:?}: accepted is {accepted}.");
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let [method, url] = words.as_slice() else {
            return Err(wrong(REQUEST));
        };
        if !METHODS.contains(method) {
            let accepted = METHODS.join(", ");
            return Err(wrong(&format!(
                "one of these methods in front of the URL: {accepted}"
            )));
        }
        let url = Url::parse(url).ok();
        let url = url.filter(|url| matches!(url.scheme(), "http" | "https"));
        let url = url.filter(|url| url.username().is_empty() && url.password().is_none());
        let url = url.ok_or_else(|| wrong(REQUEST))?;
        let host = url.host_str().unwrap_or_default();
        let port = url.port().map(|port| format!(":{port}"));
        let mut call = Call {
            method: (*method).to_owned(),
            path: url.path().to_owned(),
            query: url.query().map(str::to_owned),
            host: format!("{host}{}", port.unwrap_or_default()),
            https: url.scheme() == "https",
            country: self.country.clone(),
            ..Call::default()
        };
        for header in &self.headers {
            add(&mut call, header)?;
        }
        if let Some(country) = self.country.as_ref().filter(|code| !is_country(code)) {
            return Err(format!(
                "--country {country:?}: accepted are two capital letters (ISO 3166-1), such as DE."
            ));
        }
        Ok(Some(Asked {
            line: words.join(" "),
            call,
            pop: self.pop.clone(),
        }))
    }
}

/// Adds a header as the edge would hand it over.
fn add(call: &mut Call, header: &str) -> Result<(), String> {
    let parts = header.split_once(':');
    let Some((name, value)) =
        parts.filter(|(name, value)| is_token(name) && !value.trim().chars().any(char::is_control))
    else {
        return Err(format!(
            "--header {header:?}: accepted is a name and a value, such as 'X-App: ios', in quotes."
        ));
    };
    let (name, value) = (name.to_ascii_lowercase(), value.trim());
    if name == "host" {
        value.clone_into(&mut call.host);
        return Ok(());
    }
    match HEADERS.into_iter().find(|known| *known == name) {
        Some(known) => call.headers.push((known, value.into())),
        None => call.named.push((name, value.into())),
    }
    Ok(())
}

/// What the settings make of it: its room, its lane, whether it goes past the room, and by which rule.
pub(super) fn judged(asked: &Asked, config: &Config) -> Vec<String> {
    let call = &asked.call;
    let place = config.place_of(call);
    let is_past = matches!(place.belongs, Belongs::PastRoom(_));
    let stands = place.belongs == Belongs::InRoom && !is_of_operators(call, config);
    let lane = if stands {
        lane(asked, place.room.regions.as_ref())
    } else {
        "none".to_owned()
    };
    let mut lines = vec![
        format!("{}:", asked.line),
        format!("  room: {}", room(place)),
        format!("  lane: {lane}"),
        format!("  bypass: {}", if is_past { "yes" } else { "no" }),
        format!("  rule: {}", rule(place, call, config)),
    ];
    if !Paths::are_read_alike(&call.path) {
        lines.push("  path: unclear, since not every origin reads it alike; so no path of a list lets it past".to_owned());
    }
    lines
}

fn room(place: Place<'_>) -> &str {
    match place.belongs {
        Belongs::InRoom | Belongs::PastRoom(_) => place.room.name.as_str(),
        Belongs::Unclear => "unclear",
    }
}

fn is_of_operators(call: &Call, config: &Config) -> bool {
    config.serves(call.hostname()) == Serves::Operators
        || below(&call.path, &config.operators.path).is_some()
}

fn rule(place: Place<'_>, call: &Call, config: &Config) -> String {
    if config.serves(call.hostname()) == Serves::Operators {
        return "admin_host, whose every path is the operators'".to_owned();
    }
    if is_of_operators(call, config) {
        return "admin_path: a route of the service's own, which no rule lets past".to_owned();
    }
    match place.belongs {
        Belongs::PastRoom(PastBy::NotProtected) => {
            "protected_paths does not name it, nor does a room".to_owned()
        }
        Belongs::PastRoom(by) => by.to_string(),
        Belongs::Unclear => {
            "unclear: origins may read its path as one of several rooms, so it is refused with 400"
                .to_owned()
        }
        Belongs::InRoom if place.room.name == config.rooms.first.name => {
            "protected_paths, and no room of the list takes it".to_owned()
        }
        Belongs::InRoom => format!("rooms: {} names it most closely", place.room.name),
    }
}

/// The lane in which it would draw, as far as that is known.
fn lane(asked: &Asked, regions: Option<&RoomRegions>) -> String {
    let Some(regions) = regions else {
        return "main".to_owned();
    };
    let country = asked.call.country.as_deref();
    let pop = asked.pop.as_deref();
    let lane = regions.lane(country, pop.unwrap_or_default());
    let missing = [
        (regions.ask_for_country() && country.is_none(), "--country"),
        (regions.ask_for_pop() && pop.is_none(), "--pop"),
    ];
    let missing = missing.into_iter().filter(|(is_missing, _)| *is_missing);
    let missing: Vec<&str> = missing.map(|(_, option)| option).collect();
    if missing.is_empty() {
        lane.full_name().to_owned()
    } else {
        format!(
            "{}, as far as is known without {}",
            lane.full_name(),
            missing.join(" and ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Settings, judge};
    use super::*;

    const DOCUMENT: &str = r#"{
        "bypass_paths": "/robots.txt", "protected_paths": "/tickets/*",
        "bypass_when": [{"header": ["X-App", "ios"]}, {"country": ["FR"]}],
        "regions": [{"name": "alps", "countries": ["AT"]}, {"name": "west", "pops": ["SJC"]}],
        "rooms": [
            {"name": "sale", "paths": "/sale/*", "regions": "none"},
            {"name": "vip", "paths": "/sale/*", "when": [{"cookie": "vip"}], "regions": "none"},
            {"name": "late", "paths": "/sale/late/*", "regions": "none"}
        ]
    }"#;

    fn options(request: &str, headers: &[&str]) -> RequestOptions {
        RequestOptions {
            request: Some(request.to_owned()),
            headers: headers.iter().map(|header| (*header).to_owned()).collect(),
            ..RequestOptions::default()
        }
    }

    fn said(options: &RequestOptions) -> String {
        let asked = options.asked().unwrap_or_default();
        let verdict = judge("a.json", DOCUMENT, Settings::new(), asked.as_ref());
        assert!(verdict.is_sound, "{verdict:?}");
        verdict.lines.join("\n")
    }

    #[test]
    fn a_request_has_its_room_and_the_rule_that_gives_it() {
        for (request, headers, told) in [
            (
                "GET https://shop.example/tickets/1",
                &[][..],
                [
                    "main",
                    "main, as far as is known without --country and --pop",
                    "no",
                    "protected_paths, and no room",
                ],
            ),
            (
                "GET https://shop.example/tickets/1",
                &["x-app: ios"],
                ["main", "none", "yes", "bypass_when[0]"],
            ),
            (
                "GET https://shop.example/tickets/1",
                &["X-App: web"],
                ["main", "main, as", "no", "protected_paths, and"],
            ),
            (
                "POST https://shop.example:8443/sale/1?a",
                &[],
                ["sale", "main", "no", "rooms: sale names it"],
            ),
            (
                "GET https://shop.example/sale/1",
                &["Cookie: a=1; vip=1"],
                ["vip", "main", "no", "rooms: vip names it"],
            ),
            (
                "GET https://shop.example/sale//late/1",
                &[],
                ["unclear", "none", "no", "unclear: origins may read"],
            ),
            (
                "GET https://shop.example/about",
                &[],
                ["main", "none", "yes", "protected_paths does not name it"],
            ),
            (
                "GET https://shop.example/robots.txt",
                &[],
                ["main", "none", "yes", "bypass_paths"],
            ),
            (
                "GET https://shop.example/.well-known/a",
                &[],
                ["main", "none", "yes", "/.well-known/*"],
            ),
            (
                "GET https://shop.example/_queue/room/sale/place",
                &["X-App: ios"],
                ["sale", "none", "no", "admin_path"],
            ),
        ] {
            let found = said(&options(request, headers));
            let lines = ["room", "lane", "bypass", "rule"].into_iter().zip(told);
            for (name, told) in lines {
                let line = format!("\n  {name}: {told}");
                assert!(found.contains(&line), "{line} in {found}");
            }
            assert_eq!(
                found.contains("path: unclear"),
                request.contains("//late"),
                "{found}"
            );
        }
    }

    #[test]
    fn the_country_and_the_data_centre_say_the_lane() {
        for (country, pop, told) in [
            (Some("AT"), Some("FRA"), "lane: alps\n"),
            (Some("DE"), Some("SJC"), "lane: west\n"),
            (Some("DE"), Some("FRA"), "lane: main\n"),
            (
                None,
                Some("FRA"),
                "lane: main, as far as is known without --country\n",
            ),
            (Some("FR"), None, "bypass: yes\n  rule: bypass_when[1]"),
        ] {
            let options = RequestOptions {
                country: country.map(str::to_owned),
                pop: pop.map(str::to_owned),
                ..options("GET https://shop.example/tickets/1", &[])
            };
            let found = said(&options);
            assert!(found.contains(told), "{told} in {found}");
        }
    }

    #[test]
    fn a_request_that_is_none_is_answered_with_what_is_accepted() {
        for request in [
            "",
            "GET",
            "https://shop.example/",
            "GET /tickets/1",
            "GET shop.example/tickets",
            "GET https://shop.example/a b",
            "GET https://a@shop.example/",
            "GET ftp://shop.example/",
            "GET https:///",
        ] {
            let found = options(request, &[]).asked().map(|asked| asked.is_some());
            let found = found.err().unwrap_or_default();
            assert!(
                found.contains("a method and a URL, such as"),
                "{request}: {found}"
            );
        }
        for request in ["get https://shop.example/", "BREW https://shop.example/"] {
            let found = options(request, &[]).asked().err().unwrap_or_default();
            assert!(found.contains("one of these methods"), "{request}: {found}");
        }
        for header in ["X-App", "X App: a", ": a", "", "X-App: a\nb"] {
            let found = options("GET https://shop.example/", &[header]).asked();
            let found = found.err().unwrap_or_default();
            assert!(found.contains("a name and a value"), "{header:?}: {found}");
        }
        let options = RequestOptions {
            country: Some("Germany".to_owned()),
            ..options("GET https://shop.example/", &[])
        };
        let found = options.asked().err().unwrap_or_default();
        assert!(found.contains("two capital letters"), "{found}");
    }

    #[test]
    fn of_an_unsound_document_no_request_is_judged() {
        let asked = options("GET https://shop.example/", &[]).asked();
        let asked = asked.unwrap_or_default();
        let verdict = judge(
            "a.json",
            r#"{"bypass_when":1}"#,
            Settings::new(),
            asked.as_ref(),
        );
        let said = verdict.lines.join("\n");
        assert!(!verdict.is_sound && !said.contains("room:"), "{said}");
    }
}
