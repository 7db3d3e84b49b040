//! A scenario with a part of its visitors, of its pace and of its cap.

use simulator::scenario::{Overrides, load};

/// What is set for it, in two POPs at most: each POP more asks the store once more a second.
pub(crate) fn sets(name: &str, part: u64) -> Vec<String> {
    let scenarios = load(name, &Overrides::default()).unwrap();
    let (_, scenario) = scenarios.first().unwrap();
    let waves = scenario.arrivals.iter().enumerate().map(|(place, wave)| {
        let visitors = (wave.visitors / part).max(1);
        format!("arrivals.{place}.visitors={visitors}")
    });
    let settings = ["automatic_quantity", "total_active"];
    let settings = settings.iter().filter_map(|key| {
        let value = scenario.settings.get(*key)?.as_u64()?;
        Some(format!("{key}={}", (value / part).max(1)))
    });
    let pops = format!("pops={}", scenario.pops.min(2));
    waves.chain(settings).chain([pops]).collect()
}
