//! The sheet of states through the real edge: every frame is there, and the consoles are silent.

use harness::browser::{self, Driver, Options};
use harness::origin::demo::{LINES, PATH, STATES};
use now_serving::i18n::english;
use serde_json::{Value, json};

use super::engines::until;
use super::{picture, tell};
use crate::house::House;

/// A frame for each width and colour scheme.
const FRAMES_OF_EACH: usize = 4;

/// Leaves the frames of the first width, which run the same scripts as those of the second one; says how many there were.
const FIRST_WIDTH: &str = "const frames = [...document.querySelectorAll('iframe')];
    frames.forEach((frame, place) => { if (place % 4 > 1) frame.remove() });
    return frames.length";

/// The title of each frame's page and whether that page is asked to be dark, once all are loaded and the turn was told.
const FRAMES: &str = r"
    const [turn, done] = arguments;
    const look = () => {
        const pages = [...document.querySelectorAll('iframe')].map(frame => frame.contentWindow);
        const loaded = pages.filter(page => page.location.href !== 'about:blank' && page.document.readyState === 'complete');
        const turns = pages.filter(page => page.document.title.includes(turn));
        if (loaded.length < pages.length || turns.length < 2) return setTimeout(look, 100);
        done(pages.map(page => [page.document.title, page.matchMedia('(prefers-color-scheme: dark)').matches]));
    };
    look();
";

#[test]
fn the_sheet_shows_every_state_in_light_and_dark_without_a_complaint() {
    let house = House::wasm_shared();
    house.set("bypass_paths", &format!("{PATH},{PATH}/*"));
    let driver = Driver::start().unwrap();
    tell(async {
        let options = Options::window(1700, 1000).recording_errors();
        let page = driver.open(&options).await.unwrap();
        page.execute("console.error('heard')", vec![])
            .await
            .unwrap();
        let heard = browser::errors(&page).await.unwrap();
        assert!(heard.concat().contains("heard"), "{heard:?}");
        page.goto(&format!("{}{PATH}", house.wasm_side().edge.url()))
            .await
            .unwrap();
        // A frame that goes elsewhere while the sheet loads ends the driver's wait.
        until(&page, "document.readyState === 'complete'").await;
        let frames = page.execute(FIRST_WIDTH, vec![]).await.unwrap();
        assert_eq!(frames, FRAMES_OF_EACH * (STATES.len() + LINES.len()));
        // So high that no frame waits until it is nearly in sight.
        browser::resize(&page, 1700, 16_000).await.unwrap();
        let turn = json!(english().text("turn"));
        let frames = page.execute_async(FRAMES, vec![turn]).await.unwrap();
        let frames = frames.as_array().unwrap();
        // A frame that comes to its turn does not scroll the sheet.
        let scrolled = page.execute("return scrollY", vec![]).await.unwrap();
        assert_eq!(scrolled, 0);
        assert_eq!(
            frames.len(),
            FRAMES_OF_EACH / 2 * (STATES.len() + LINES.len())
        );
        for (place, frame) in frames.iter().enumerate() {
            let is_dark = place % 2 == 1;
            assert_eq!(frame[1], Value::from(is_dark), "{frame}");
            assert_ne!(frame[0], "", "frame {place} has a page with a title");
        }
        picture(&page, "demo").await;
        assert_eq!(
            browser::errors(&page).await.unwrap(),
            <[String; 0]>::default()
        );
        page.close().await.unwrap();
    });
}
