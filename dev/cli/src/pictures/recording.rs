//! One visitor's page from a crowd to the turn, as a picture that moves.

use std::time::{Duration, Instant};

use fantoccini::Client;
use harness::browser;
use now_serving::i18n::english;

use super::png::{self, Image};
use super::{PHONE, Studio};

/// Between two looks at the page.
const STEP: Duration = Duration::from_millis(150);

/// How long the turn is watched; the page goes in after three seconds.
const TURN: Duration = Duration::from_secs(2);

/// How long the last picture stays before the first one comes again.
const LAST: Duration = Duration::from_secs(3);

/// After so long there is no turn to come.
const LONGEST: Duration = Duration::from_mins(1);

impl Studio {
    /// The story of the sheet: a crowd, a hold, a line that goes on, the turn.
    pub(super) async fn record(&self, page: &Client) -> Result<Vec<u8>, String> {
        browser::resize_at(page, PHONE.size, 1).await?;
        browser::prefer(page, &[("prefers-color-scheme", "light")]).await?;
        self.open(page, "page/story/en/brand").await?;
        let mut shots = Vec::new();
        let began = Instant::now();
        let mut turn = None;
        while turn.is_none_or(|turn: Instant| turn.elapsed() < TURN) {
            if began.elapsed() > LONGEST {
                return Err("The turn of the story does not come.".to_owned());
            }
            let shot = page.screenshot().await.map_err(|error| error.to_string())?;
            shots.push((began.elapsed(), shot));
            let title = page.title().await.map_err(|error| error.to_string())?;
            if turn.is_none() && title.contains(english().text("turn")) {
                turn = Some(Instant::now());
            }
            tokio::time::sleep(STEP).await;
        }
        film(&shots)
    }
}

/// Each picture until the next one that differs.
fn film(shots: &[(Duration, Vec<u8>)]) -> Result<Vec<u8>, String> {
    let mut frames: Vec<(Duration, Image)> = Vec::new();
    for (at, shot) in shots {
        let image = Image::read(shot)?;
        if frames.last().is_none_or(|(_, last)| *last != image) {
            frames.push((*at, image));
        }
    }
    let ends = frames.iter().skip(1).map(|(at, _)| *at);
    let end = frames.last().map(|(at, _)| *at + LAST);
    let ends: Vec<Duration> = ends.chain(end).collect();
    let frames = frames.into_iter().zip(ends);
    let frames: Vec<(Duration, Image)> = frames
        .map(|((at, image), end)| (end.saturating_sub(at), image))
        .collect();
    png::animated(&frames)
}
