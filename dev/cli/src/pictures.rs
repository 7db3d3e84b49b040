//! `cargo dev pictures`: the pictures of the README and the docs, taken from the sheet of states, so that they never age.
//!
//! Invariant: what is in a picture was rendered by the service's own code in a real browser.

mod png;
mod recording;
mod sale;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use fantoccini::Client;
use harness::browser::{self, Driver};
use harness::install::{self, Need};
use harness::origin::Origin;
use harness::origin::demo::PATH;
use harness::project;
use now_serving::i18n::english;
use tokio::runtime::Builder;

/// What `cargo dev pictures` can be told.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Where the pictures are put
    #[arg(long, value_name = "FOLDER", default_value = "docs/pictures")]
    pub out: PathBuf,
    /// Take this one alone
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub only: Option<String>,
}

/// One picture.
struct Picture {
    name: &'static str,
    /// Below the sheet.
    page: &'static str,
    screen: Screen,
    scheme: &'static str,
    /// The text that is in the title once the page is as it should be; empty where it is so at once.
    title: &'static str,
}

/// The size of a page, and how many pixels of the screen each of its own is wide.
struct Screen {
    size: (u32, u32),
    scale: u32,
}

const PHONE: Screen = Screen {
    size: (390, 844),
    scale: 2,
};
const DESK: Screen = Screen {
    size: (1280, 800),
    scale: 1,
};

#[rustfmt::skip]
const PICTURES: &[Picture] = &[
    Picture { name: "waiting-light", page: "page/way/en/brand",  screen: PHONE, scheme: "light", title: "" },
    Picture { name: "waiting-dark",  page: "page/way/en/brand",  screen: PHONE, scheme: "dark",  title: "" },
    Picture { name: "hold",          page: "page/hold/en/brand", screen: PHONE, scheme: "light", title: "" },
    Picture { name: "turn",          page: "page/turn/en/brand", screen: PHONE, scheme: "light", title: "turn" },
    Picture { name: "panel",         page: "panel/growing",      screen: DESK,  scheme: "light", title: "" },
];

/// Those that move, which are taken together.
const RECORDINGS: [&str; 2] = ["recording", "event"];

/// The report of a sale that was played.
const REPORT: &str = "report";

/// How long a page may take until it is as it should be.
const DEADLINE: Duration = Duration::from_secs(20);

/// The fonts of which one is on every picture, where it is installed. The first that is found is taken.
const FONTS: [&str; 2] = ["Inter", "Noto Sans"];

fn name(text: &str) -> Result<String, String> {
    let mut known: Vec<&str> = PICTURES.iter().map(|picture| picture.name).collect();
    known.extend(RECORDINGS);
    known.push(REPORT);
    if known.contains(&text) {
        return Ok(text.to_owned());
    }
    Err(format!("must be one of {}", known.join(", ")))
}

/// Takes them all, or the one that is asked for.
///
/// # Errors
/// When the browser cannot be started, a page does not come up, or a file cannot be written.
pub fn pictures(options: &Options) -> Result<(), String> {
    install::provide(Need::Browser)?;
    let out = project::project()?.root.join(&options.out);
    fs::create_dir_all(&out)
        .map_err(|error| format!("{} could not be made: {error}.", out.display()))?;
    let font = font();
    if font.is_none() {
        let fonts = FONTS.join(" nor ");
        anstream::eprintln!("Neither {fonts} is installed: the pictures have this machine's font.");
    }
    let origin = Origin::start(([127, 0, 0, 1], 0).into())?;
    let driver = Driver::start()?;
    let studio = Studio {
        driver,
        sheet: format!("{}{PATH}", origin.url()),
        font,
        out,
    };
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("No runtime: {error}."))?;
    runtime.block_on(studio.take_all(options.only.as_deref()))
}

/// Letters without coloured edges look the same on every screen, and are smaller.
fn options() -> browser::Options {
    browser::Options::window(1280, 800)
        .reading("en-US")
        .argument("--disable-lcd-text")
}

/// What takes pictures.
struct Studio {
    driver: Driver,
    sheet: String,
    font: Option<&'static str>,
    out: PathBuf,
}

impl Studio {
    async fn take_all(&self, only: Option<&str>) -> Result<(), String> {
        let is_wanted = |name: &str| only.is_none_or(|only| only == name);
        let page = self.driver.open(&options()).await?;
        for picture in PICTURES.iter().filter(|picture| is_wanted(picture.name)) {
            let taken = self.take(&page, picture).await?;
            self.write(picture.name, &taken)?;
        }
        if is_wanted(REPORT) {
            self.write(REPORT, &self.report(&page).await?)?;
        }
        if RECORDINGS.iter().any(|name| is_wanted(name)) {
            for (name, taken) in self.record(&page).await? {
                self.write(name, &taken)?;
            }
        }
        page.close().await.map_err(|error| error.to_string())
    }

    async fn take(&self, page: &Client, picture: &Picture) -> Result<Vec<u8>, String> {
        browser::resize_at(page, picture.screen.size, picture.screen.scale).await?;
        // Nothing is half way.
        let still = ("prefers-reduced-motion", "reduce");
        browser::prefer(page, &[("prefers-color-scheme", picture.scheme), still]).await?;
        self.open(page, picture.page).await?;
        await_title(page, english().text(picture.title)).await?;
        let taken = page.screenshot().await.map_err(|error| error.to_string())?;
        png::Image::read(&taken)?.smallest()
    }

    /// A page in the font of the pictures.
    async fn open(&self, page: &Client, path: &str) -> Result<(), String> {
        let url = format!("{}/{path}", self.sheet);
        page.goto(&url).await.map_err(|error| error.to_string())?;
        let Some(font) = self.font else {
            return Ok(());
        };
        let script = "document.body.style.fontFamily = `'${arguments[0]}', system-ui, sans-serif`";
        let set = page.execute(script, vec![font.into()]).await;
        set.map(drop).map_err(|error| error.to_string())
    }

    fn write(&self, name: &str, picture: &[u8]) -> Result<(), String> {
        let path = self.out.join(format!("{name}.png"));
        fs::write(&path, picture)
            .map_err(|error| format!("{} could not be written: {error}.", path.display()))?;
        anstream::println!(
            "{} ({} KB)",
            shown(&path).display(),
            picture.len().div_ceil(1000)
        );
        Ok(())
    }
}

/// Relative to the checkout, where it is in it.
fn shown(path: &Path) -> &Path {
    let root = project::project().ok().map(|project| &project.root);
    root.and_then(|root| path.strip_prefix(root).ok())
        .unwrap_or(path)
}

async fn await_title(page: &Client, part: &str) -> Result<(), String> {
    let until = Instant::now() + DEADLINE;
    loop {
        let title = page.title().await.map_err(|error| error.to_string())?;
        if title.contains(part) {
            return Ok(());
        }
        if Instant::now() > until {
            return Err(format!("No page with {part:?} in its title: {title:?}."));
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// As fontconfig knows it.
fn font() -> Option<&'static str> {
    let output = Command::new("fc-list")
        .args([":", "family"])
        .output()
        .ok()?;
    let families = String::from_utf8_lossy(&output.stdout);
    let mut fonts = FONTS.into_iter();
    fonts.find(|font| {
        let mut names = families.lines().flat_map(|line| line.split(','));
        names.any(|name| name.trim() == *font)
    })
}
