//! What `cargo dev serve` can be told, and what that makes of the development settings.

use std::net::{SocketAddr, ToSocketAddrs};

use harness::origin::demo::PATH;
use harness::sandbox_dir::Settings;
use now_serving::config::{BYPASS_DEFAULT, DOCUMENT};
use serde_json::Value as Json;

/// The demo shop's name and colours, and a pace at which one sees the line move.
const DEMO: [(&str, &str); 4] = [
    ("brand_name", "Ember & Ash"),
    ("brand_colors", "#b23c10,#ff8450"),
    ("automatic", "6"),
    ("automatic_quantity", "4"),
];

/// How many visitors make a line in front of the demo shop.
const CROWD: usize = 300;

/// What `cargo dev serve` can be told.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Where visitors come in
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:7676", value_parser = address)]
    pub addr: SocketAddr,
    /// Protect this site instead of the demo shop
    #[arg(long, value_name = "URL", value_parser = web_url)]
    pub origin: Option<String>,
    /// Put the local store in front of this Redis instead of its own memory
    #[arg(long, value_name = "URL", conflicts_with = "store")]
    pub redis: Option<String>,
    /// Use this Upstash database instead of the local store
    #[arg(long, value_name = "URL", env = "UPSTASH_REDIS_REST_URL", requires = "store_token", value_parser = web_url)]
    pub store: Option<String>,
    /// The REST token of that database
    #[arg(
        long,
        value_name = "TOKEN",
        env = "UPSTASH_REDIS_REST_TOKEN",
        hide_env_values = true,
        requires = "store"
    )]
    pub store_token: Option<String>,
    /// Change a setting of devconfig.json; may be given again for others
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = pair)]
    pub settings: Vec<(String, String)>,
    /// How many visitors make a line in front of the shop: 300 unless the site or the store is a real one, and 0 is none
    #[arg(long, value_name = "MANY")]
    pub crowd: Option<usize>,
    /// Show a short line for each decision; all of them are in a file in any case
    #[arg(long)]
    pub log: bool,
    /// Run the Wasm of the last build
    #[arg(long)]
    pub no_build: bool,
    /// Where the local store listens
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8079", value_parser = address)]
    pub store_addr: SocketAddr,
    /// Where the demo shop listens
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8080", value_parser = address)]
    pub origin_addr: SocketAddr,
}

/// What `cargo dev backends` can be told. The defaults are what `fastly.toml` names.
#[derive(Debug, clap::Args)]
pub struct BackendOptions {
    /// Where the local store listens
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8079", value_parser = address)]
    pub store_addr: SocketAddr,
    /// Where the demo shop listens
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8080", value_parser = address)]
    pub origin_addr: SocketAddr,
}

impl Options {
    /// How many visitors make a line. None come to a real site by themselves, and none are paid for at a real store.
    pub(super) fn crowd(&self) -> usize {
        let is_real = self.origin.is_some() || self.store.is_some();
        let usual = if is_real { 0 } else { CROWD };
        self.crowd.unwrap_or(usual)
    }

    /// Whether the store begins with a past hour: only one of our own, in memory, in front of which a crowd waits.
    pub(super) fn has_past(&self) -> bool {
        self.store.is_none() && self.redis.is_none() && self.crowd() > 0
    }

    /// The settings the service sees: the development ones, the store in use, then `--set`.
    pub(super) fn settings(&self, mut settings: Settings) -> Settings {
        let url = match &self.store {
            Some(url) => url.clone(),
            None => format!("http://{}", self.store_addr),
        };
        settings.insert("upstash_url".to_owned(), url);
        if self.origin.is_none() {
            let demo = DEMO.map(|(key, value)| (key.to_owned(), value.to_owned()));
            settings.extend(demo);
        }
        if let Some(token) = &self.store_token {
            settings.insert("upstash_token".to_owned(), token.clone());
        }
        settings.extend(self.settings.iter().cloned());
        if self.origin.is_none() {
            let skips = with_demo(&settings);
            settings.insert(BYPASS.to_owned(), skips);
        }
        settings
    }
}

const BYPASS: &str = "bypass_paths";

/// What skips the room, and with it the sheet of states, which is on this machine only.
fn with_demo(settings: &Settings) -> String {
    let document = settings.get(DOCUMENT).map_or("", String::as_str);
    let document: Json = serde_json::from_str(document).unwrap_or_default();
    let listed = match (settings.get(BYPASS), document.get(BYPASS)) {
        (Some(given), _) => given.clone(),
        (None, Some(Json::Array(paths))) => {
            let paths = paths.iter().filter_map(Json::as_str);
            paths.collect::<Vec<_>>().join(",")
        }
        (None, Some(Json::String(paths))) => paths.clone(),
        _ => BYPASS_DEFAULT.to_owned(),
    };
    let others = Some(listed.as_str()).filter(|listed| !["", "none"].contains(listed));
    let demo = format!("{PATH},{PATH}/*");
    others.map_or(demo.clone(), |others| format!("{others},{demo}"))
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.to_socket_addrs()
        .ok()
        .and_then(|mut found| found.next())
        .ok_or_else(|| "must be HOST:PORT, such as 127.0.0.1:7676".to_owned())
}

fn web_url(text: &str) -> Result<String, String> {
    let is_web = ["http://", "https://"]
        .iter()
        .any(|scheme| text.len() > scheme.len() && text.starts_with(scheme));
    is_web
        .then(|| text.trim_end_matches('/').to_owned())
        .ok_or_else(|| "must begin with http:// or https://".to_owned())
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("must be KEY=VALUE, such as automatic=10".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    #![expect(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test may stop at the first surprise"
    )]

    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    fn parse(words: &[&str]) -> Result<Options, String> {
        let words = ["serve"].iter().chain(words);
        let line = Line::try_parse_from(words).map_err(|error| error.to_string());
        line.map(|line| line.options)
    }

    fn development() -> Settings {
        [
            ("upstash_url", "http://old"),
            ("upstash_token", "local"),
            ("automatic", "15"),
        ]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into()
    }

    #[test]
    fn the_settings_name_the_local_store_where_it_listens() {
        let settings = parse(&["--store-addr", "127.0.0.1:9"])
            .unwrap()
            .settings(development());
        assert_eq!(settings["upstash_url"], "http://127.0.0.1:9");
        assert_eq!(settings["upstash_token"], "local");
        assert_eq!(settings["brand_name"], "Ember & Ash");
    }

    #[test]
    fn a_crowd_comes_to_the_demo_shop_only() {
        let many = |words: &[&str]| parse(words).unwrap().crowd();
        assert_eq!(many(&[]), 300);
        assert_eq!(many(&["--crowd", "7"]), 7);
        assert_eq!(many(&["--origin", "https://a.example"]), 0);
        let store = ["--store", "https://a.example", "--store-token", "t"];
        assert_eq!(many(&store), 0);
        assert_eq!(many(&["--origin", "https://a.example", "--crowd", "2"]), 2);
    }

    #[test]
    fn only_a_store_in_memory_with_a_crowd_has_a_past() {
        let has_past = |words: &[&str]| parse(words).unwrap().has_past();
        assert!(has_past(&[]) && has_past(&["--crowd", "7"]));
        for words in [
            &["--crowd", "0"][..],
            &["--redis", "redis://127.0.0.1:6379"],
            &["--origin", "https://a.example"],
            &[
                "--crowd",
                "7",
                "--store",
                "https://a.example",
                "--store-token",
                "t",
            ],
        ] {
            assert!(!has_past(words), "{words:?}");
        }
    }

    #[test]
    fn a_store_elsewhere_comes_with_its_token() {
        let words = ["--store", "https://a.example/", "--store-token", "t"];
        let settings = parse(&words).unwrap().settings(development());
        assert_eq!(settings["upstash_url"], "https://a.example");
        assert_eq!(settings["upstash_token"], "t");
        assert!(parse(&words[..2]).is_err_and(|error| error.contains("--store-token")));
    }

    #[test]
    fn the_sheet_of_states_skips_the_room_beside_what_else_does() {
        let skips = |more: &[(&str, &str)], words: &[&str]| {
            let more = more
                .iter()
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
            let settings = development().into_iter().chain(more).collect();
            let settings = parse(words).unwrap().settings(settings);
            settings.get("bypass_paths").cloned()
        };
        let is = |paths: &str| Some(paths.to_owned());
        let defaults = format!("{BYPASS_DEFAULT},/_demo,/_demo/*");
        assert_eq!(skips(&[], &[]), is(&defaults));
        let set = ["--set", "bypass_paths=/a /b"];
        assert_eq!(skips(&[], &set), is("/a /b,/_demo,/_demo/*"));
        let set = ["--set", "bypass_paths=none"];
        assert_eq!(skips(&[], &set), is("/_demo,/_demo/*"));
        let document = [("settings", r#"{"bypass_paths":["/a","/b"]}"#)];
        assert_eq!(skips(&document, &[]), is("/a,/b,/_demo,/_demo/*"));
        let elsewhere = ["--origin", "https://shop.example"];
        assert_eq!(skips(&[], &elsewhere), None, "the sheet is the demo shop's");
    }

    #[test]
    fn set_has_the_last_word_and_may_hold_an_equals_sign() {
        let words = ["--set", "automatic=1", "--set", "new=a=b"];
        let settings = parse(&words).unwrap().settings(development());
        assert_eq!(settings["automatic"], "1");
        assert_eq!(settings["new"], "a=b");
        assert!(parse(&["--set", "automatic"]).is_err_and(|error| error.contains("KEY=VALUE")));
    }
}
