//! A visitor's page from before an event opens to the turn, as a picture that moves.

use std::time::{Duration, Instant};

use fantoccini::Client;
use harness::browser;
use now_serving::i18n::english;

use super::png::{self, Image};
use super::{PHONE, RECORDINGS, Studio, options};

/// What is recorded.
const STORY: &str = "page/story/en/brand";

/// Between two looks at the page.
const STEP: Duration = Duration::from_millis(150);

/// How long the turn is watched; the page goes in after three seconds.
const TURN: Duration = Duration::from_secs(2);

/// How long the last picture stays before the first one comes again.
const LAST: Duration = Duration::from_secs(3);

/// After so long there is no turn to come.
const LONGEST: Duration = Duration::from_mins(1);

/// A window on a desk, as high as the phone.
const WINDOW: (u32, u32) = (800, 844);

/// What is between phone and desk: pixels, and how grey they are.
const BETWEEN: (u32, u8) = (24, 255);

impl Studio {
    /// The story of the sheet: an event opens, its line moves, is held and goes on, the turn. On a phone alone, and on a phone and a
    /// desk beside it, by their names.
    pub(super) async fn record(
        &self,
        phone: &Client,
    ) -> Result<[(&'static str, Vec<u8>); 2], String> {
        let desk = self.driver.open(&options()).await?;
        for (page, size) in [(phone, PHONE.size), (&desk, WINDOW)] {
            browser::resize_at(page, size, 1).await?;
            browser::prefer(page, &[("prefers-color-scheme", "light")]).await?;
        }
        tokio::try_join!(self.open(phone, STORY), self.open(&desk, STORY))?;
        let (mut on_phone, mut on_desk) = (Vec::new(), Vec::new());
        let began = Instant::now();
        let mut turn = None;
        while turn.is_none_or(|turn: Instant| turn.elapsed() < TURN) {
            if began.elapsed() > LONGEST {
                return Err("The turn of the story does not come.".to_owned());
            }
            for (page, shots) in [(phone, &mut on_phone), (&desk, &mut on_desk)] {
                let shot = page.screenshot().await.map_err(|error| error.to_string())?;
                shots.push((began.elapsed(), Image::read(&shot)?));
            }
            let title = phone.title().await.map_err(|error| error.to_string())?;
            if turn.is_none() && title.contains(english().text("turn")) {
                turn = Some(Instant::now());
            }
            tokio::time::sleep(STEP).await;
        }
        desk.close().await.map_err(|error| error.to_string())?;
        // Of a picture only what changed is kept, so phone and desk change in turn.
        let mut both = Vec::new();
        let pairs = on_phone.iter().zip(&on_desk);
        let next_phones = on_phone.iter().skip(1);
        for (((_, phone), (at, desk)), next) in pairs.zip(next_phones) {
            both.push((*at, phone.beside(desk, BETWEEN)));
            both.push((next.0, next.1.beside(desk, BETWEEN)));
        }
        let [recording, event] = RECORDINGS;
        Ok([(recording, film(on_phone)?), (event, film(both)?)])
    }
}

/// Each picture until the next one that differs.
fn film(mut frames: Vec<(Duration, Image)>) -> Result<Vec<u8>, String> {
    frames.dedup_by(|(_, next), (_, last)| next == last);
    let ends = frames.iter().skip(1).map(|(at, _)| *at);
    let end = frames.last().map(|(at, _)| *at + LAST);
    let ends: Vec<Duration> = ends.chain(end).collect();
    let frames = frames.into_iter().zip(ends);
    let frames: Vec<(Duration, Image)> = frames
        .map(|((at, image), end)| (end.saturating_sub(at), image))
        .collect();
    png::animated(&frames)
}
