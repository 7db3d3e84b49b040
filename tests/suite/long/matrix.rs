//! Every state of the sheet in each browser and in every look: `browser::states` has one of them in each run.
//!
//! `WebKit` prefers nothing here: its driver has no word for that.

use harness::browser::{Driver, Engine};

use crate::browser::states::{Look, PHONE, look_at_all};
use crate::browser::tell;

const LOOKS: [Look; 7] = [
    PHONE,
    Look {
        name: "phone, light",
        prefers: &[("prefers-color-scheme", "light")],
        profile: &[("layout.css.prefers-color-scheme.content-override", 1)],
        ..PHONE
    },
    Look {
        name: "desktop, light",
        size: (1280, 860),
        prefers: &[("prefers-color-scheme", "light")],
        profile: &[("layout.css.prefers-color-scheme.content-override", 1)],
        ..PHONE
    },
    Look {
        name: "desktop, dark",
        size: (1280, 860),
        ..PHONE
    },
    Look {
        name: "forced colours",
        prefers: &[("forced-colors", "active")],
        profile: &[("browser.display.document_color_use", 2)],
        ..PHONE
    },
    Look {
        name: "reduced motion",
        prefers: &[("prefers-reduced-motion", "reduce")],
        profile: &[("ui.prefersReducedMotion", 1)],
        ..PHONE
    },
    Look {
        name: "letters of twice the size",
        letters: "200%",
        ..PHONE
    },
];

const WITHOUT_SCRIPTS: Look = Look {
    name: "without scripts",
    runs_scripts: false,
    ..PHONE
};

fn in_every_look(engine: Engine) {
    if engine.found().is_err() {
        return;
    }
    let driver = Driver::start_for(engine).unwrap();
    tell(async {
        for look in LOOKS.iter().chain([&WITHOUT_SCRIPTS]) {
            look_at_all(&driver, engine, look).await;
        }
    });
}

#[test]
fn every_state_is_whole_in_chromium() {
    in_every_look(Engine::Chromium);
}

#[test]
fn every_state_is_whole_in_firefox() {
    in_every_look(Engine::Firefox);
}

#[test]
fn every_state_is_whole_in_webkit() {
    in_every_look(Engine::WebKit);
}
