//! The report of a sale with an outage: played on the real service and scripts in virtual time, and told out of the log that it left.

use std::fs;

use cli::report;
use fantoccini::Client;
use harness::browser;
use simulator::simulate;

use super::{Studio, png};

/// The sale.
const SALE: &str = include_str!("report.json");
const EVENT: &str = "tour-2027";
/// As wide as a page of paper, and as high as this report.
const SIZE: (u32, u32) = (860, 1400);

impl Studio {
    /// The page of the report.
    pub(super) async fn report(&self, page: &Client) -> Result<Vec<u8>, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let file = |name: &str| folder.path().join(name);
        let (scenario, log, html) = (file("sale.json"), file("sale.log"), file("report.html"));
        fs::write(&scenario, SALE).map_err(|error| error.to_string())?;
        let played = simulate::Options {
            scenario: Some(scenario.display().to_string()),
            queue_log: Some(log.clone()),
            ..simulate::Options::default()
        };
        simulate::report(&played)?;
        let told = report::Options {
            files: vec![log],
            room: "main".to_owned(),
            event: Some(EVENT.to_owned()),
            from: None,
            to: None,
            form: "html".to_owned(),
            out: Some(html.clone()),
        };
        if !report::report(&told)? {
            return Err("The journal of the sale does not hang together.".to_owned());
        }
        browser::resize_at(page, SIZE, 1).await?;
        browser::prefer(page, &[("prefers-color-scheme", "light")]).await?;
        let url = format!("file://{}", html.display());
        page.goto(&url).await.map_err(|error| error.to_string())?;
        let taken = page.screenshot().await.map_err(|error| error.to_string())?;
        png::Image::read(&taken)?.smallest()
    }
}

#[cfg(test)]
mod tests {
    use super::SALE;
    use simulator::scenario::{Overrides, load};

    #[test]
    fn the_sale_of_the_picture_can_be_played() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("sale.json");
        std::fs::write(&file, SALE)?;
        load(&file.display().to_string(), &Overrides::default())?;
        Ok(())
    }
}
