//! How the origin answers, in words, and the button that overrules what follows from it.

use serde_json::Value;

use super::{moment, number};
use crate::http::object::object;
use crate::queue::health::Health;
use crate::queue::{Mode, OriginHealth, OriginState, PanelSnapshot};

/// What is shown of it.
pub(super) fn origin(setting: OriginHealth, snapshot: &PanelSnapshot, now_ms: u64) -> Value {
    let health = &snapshot.origin.health;
    let is_overruled = now_ms < health.overruled_until_ms;
    object!({
        "words": words(setting, snapshot, now_ms),
        "may_overrule": snapshot.board.is_held_by_origin(),
        "is_overruled": is_overruled,
    })
}

fn words(setting: OriginHealth, snapshot: &PanelSnapshot, now_ms: u64) -> String {
    let OriginState { health, last, .. } = &snapshot.origin;
    if setting == OriginHealth::Off {
        return "not watched".to_owned();
    }
    let until = |time_ms: u64| moment(time_ms, now_ms).text;
    let overruled = match health.overruled_until_ms {
        time_ms if now_ms < time_ms => format!(" Overruled until {}.", until(time_ms)),
        _ => String::new(),
    };
    if !health.is_sick(now_ms) {
        return format!("{}.{overruled}{}", recent(health), window(&snapshot.origin));
    }
    let answers = last.map(|last| last.answers).unwrap_or_default();
    let follows = match setting {
        _ if !overruled.is_empty() => overruled,
        OriginHealth::On if snapshot.board.live.mode != Mode::Automatic => String::new(),
        OriginHealth::On => " No new visitor goes in.".to_owned(),
        OriginHealth::Observe | OriginHealth::Off => {
            " With origin_health = on no new visitor would go in.".to_owned()
        }
    };
    if last.is_none_or(|last| last.until_ms < health.sick_until_ms) {
        let until = until(health.sick_until_ms);
        return format!("sick until {until}, as another room of this origin found.{follows}");
    }
    format!(
        "sick until {}: of {} answers {} were late and {} bad.{follows}",
        until(health.sick_until_ms),
        number(answers.sum()),
        number(answers.late),
        number(answers.bad)
    )
}

/// The pace, where it is not the one that was set.
fn window(origin: &OriginState) -> String {
    if origin.window.ramp.is_none() {
        return String::new();
    }
    let size = number(origin.window.size / 1000);
    format!(" It was sick; {size} visitors a period, and more with each good one.")
}

fn recent(health: &Health) -> String {
    let answers = health.recent;
    match answers.sum() {
        0 => "well, no answer watched lately".to_owned(),
        _ if answers.late + answers.bad == 0 => "well".to_owned(),
        all => format!(
            "well: of {} answers {} were late and {} bad",
            number(all),
            number(answers.late),
            number(answers.bad)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::panel::hour::tests::snapshot;
    use crate::queue::{Answers, Sickness};

    const NOW: u64 = 1_800_000_000_000;

    #[test]
    fn the_health_of_the_origin_is_told_in_words() {
        let told = |setting, health, last| {
            let mut snapshot = snapshot(&[(1, 0, 0)]);
            snapshot.origin = OriginState {
                health,
                last,
                ..OriginState::default()
            };
            words(setting, &snapshot, NOW)
        };
        let well = Health::default();
        assert_eq!(told(OriginHealth::Off, well, None), "not watched");
        assert_eq!(
            told(OriginHealth::On, well, None),
            "well, no answer watched lately."
        );
        let answers = Answers {
            ok: 1,
            late: 0,
            bad: 3,
        };
        let recent = Health {
            recent: answers,
            ..well
        };
        assert_eq!(
            told(OriginHealth::Observe, recent, None),
            "well: of 4 answers 0 were late and 3 bad."
        );
        let sick = Health {
            sick_until_ms: NOW + 41_000,
            ..well
        };
        let last = Some(Sickness {
            at_ms: NOW,
            until_ms: NOW + 41_000,
            answers,
        });
        assert_eq!(
            told(OriginHealth::On, sick, last),
            "sick until 08:00:41 UTC: of 4 answers 0 were late and 3 bad. No new visitor goes in."
        );
        assert_eq!(
            told(OriginHealth::Observe, sick, last),
            "sick until 08:00:41 UTC: of 4 answers 0 were late and 3 bad. With origin_health = on no new visitor would go in."
        );
        let elsewhere = "sick until 08:00:41 UTC, as another room of this origin found. No new visitor goes in.";
        let before = last.map(|last| Sickness {
            until_ms: NOW - 1,
            ..last
        });
        for last in [None, before] {
            assert_eq!(told(OriginHealth::On, sick, last), elsewhere);
        }
        let overruled = Health {
            overruled_until_ms: NOW + 3_600_000,
            ..sick
        };
        assert_eq!(
            told(OriginHealth::On, overruled, last),
            "sick until 08:00:41 UTC: of 4 answers 0 were late and 3 bad. Overruled until 09:00:00 UTC."
        );
    }
}
