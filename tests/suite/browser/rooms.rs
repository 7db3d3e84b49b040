//! Several rooms in a browser: the links between their panels, and the waiting page of a room that is no longer listed.

use fantoccini::Locator;
use harness::browser::{self, Driver, Options};
use serde_json::{Value, json};

use super::axe::assert_open_to_all;
use super::panel::wait_for;
use super::{panel, picture, tell, text};
use crate::house::{House, Visitor};
use crate::stories::rooms::named;

fn listed(house: &House, names: &[String]) {
    let room = |name: &String| json!({ "name": name, "paths": format!("/{name}/*") });
    let rooms: Vec<Value> = names.iter().map(room).collect();
    house.set("rooms", &json!(rooms).to_string());
}

#[test]
fn the_links_to_the_panels_of_fifty_rooms_leave_the_line_in_sight() {
    let house = House::wasm();
    let mut names: Vec<String> = (1..50).map(|room| format!("room-number-{room}")).collect();
    names.push("r".repeat(64));
    listed(&house, &names);
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(1280, 860)).await.unwrap();
        page.goto(&panel(&house)).await.unwrap();
        for (width, height) in [(360, 1000), (1280, 900)] {
            browser::resize(&page, width, height).await.unwrap();
            for scheme in ["light", "dark"] {
                let preferred = ("prefers-color-scheme", scheme);
                browser::prefer(&page, &[preferred]).await.unwrap();
                wait_for(&page, "document.documentElement.scrollWidth <= innerWidth").await;
                wait_for(
                    &page,
                    "document.getElementById('rooms').clientHeight <= 140",
                )
                .await;
                assert_open_to_all(&page, &format!("{width}, {scheme}")).await;
                picture(&page, &format!("panel-rooms-{width}-{scheme}")).await;
            }
        }
        page.goto(&format!("{}/room/room-number-7/", panel(&house)))
            .await
            .unwrap();
        assert_eq!(text(&page, "#rooms [aria-current]").await, "room-number-7");
        page.close().await.unwrap();
    });
}

#[test]
fn a_waiting_page_goes_on_where_its_room_is_taken_from_the_list() {
    let house = House::wasm();
    house.set("automatic", "0");
    let sale = named(&house, "sale");
    listed(&house, std::slice::from_ref(&sale));
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(390, 844)).await.unwrap();
        let url = format!("{}/{sale}/shoes", house.wasm_side().edge.url());
        page.goto(&url).await.unwrap();
        assert_eq!(text(&page, ".number").await, "1");
        let place = page.find(Locator::Css("main")).await.unwrap();
        let place = place.attr("data-place").await.unwrap().unwrap();
        assert!(place.contains(&sale), "{place}");
        house.set("rooms", "none");
        // The page has loaded itself again, as one of the first room.
        wait_for(
            &page,
            "document.querySelector('main').dataset.place === '/_queue/place'",
        )
        .await;
        assert_eq!(text(&page, ".number").await, "1");
        page.close().await.unwrap();
    });
}

/// It has no form for the pace, which is the other room's.
#[test]
fn the_panel_of_a_room_with_the_pace_of_another_one_follows_its_line() {
    let house = House::wasm();
    let sale = json!([{ "name": "sale", "paths": "/sale/*", "shares": house.room() }]);
    house.set("rooms", &sale.to_string());
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(1280, 860)).await.unwrap();
        let url = format!("{}/room/sale/", panel(&house));
        page.goto(&url).await.unwrap();
        assert_eq!(text(&page, "#waiting").await, "0");
        Visitor::new(&house).ask("/sale/");
        wait_for(
            &page,
            "document.querySelector('#waiting').textContent === '1'",
        )
        .await;
    });
}
