//! What happened as two plots on one time axis: waiting visitors on top, arrivals and admissions of each bar below. A mark
//! with a word and a name stands where an operator acted.
//!
//! Invariant: arrivals and admissions end with the last whole bar, so that none falls only because one has just begun.

use std::fmt::Write as _;
use std::ops::Range;

use serde_json::Value;

use super::PanelView;
use super::hour::{Bar, Hour, MINUTE_MS};
use super::words::{moment_to_the_minute, number};
use crate::http::object::object;
use crate::queue::Pace;

/// The width of a bar and the height of a plot, in its own units; it is stretched to where it stands.
pub(in crate::page) const STEP: u64 = 10;
pub(in crate::page) const HEIGHT: u64 = 200;
/// How many steps each scale has.
const STEPS: u64 = 4;
/// Of fewer minutes none is a spike, and of more at most one in twenty.
const FEW: usize = 5;
const RARE: usize = 20;
/// Bars between two figures of spikes, so that they do not stand on each other.
const APART: u64 = 6;
/// Lines for the words of marks, each so high in tenths of an em.
const LINES: usize = 3;
const LINE: usize = 14;
/// Below those words: both plots with what is between them.
const PLOTS: usize = 181;
/// Longer words are cut.
const LONGEST: usize = 26;

/// The picture, and what it says in words. Nothing when nothing happened.
pub(super) fn chart(hour: &Hour, desk: &PanelView<'_>) -> Option<Value> {
    let bars = &hour.bars;
    let (whole, first) = (bars.split_last()?.1, bars.first()?);
    let most = |bars: &[Bar], what: fn(&Bar) -> u64| bars.iter().map(what).max().unwrap_or(0);
    let crowd = most(bars, |bar| bar.waiting);
    if crowd == 0 && most(bars, flow) == 0 {
        return None;
    }
    let usual = usual(whole);
    let pace = desk.snapshot.board.live.pace;
    let paced = (pace.automatic > 0).then(|| in_a_bar(pace, hour.each));
    let paced = paced.filter(|paced| *paced <= usual.saturating_mul(2));
    let [people, rate] = [crowd, usual.max(paced.unwrap_or(0))].map(scale);
    let width = STEP * u64::try_from(bars.len()).unwrap_or_default();
    let waiting = steps(&mut bars.iter().map(|bar| bar.waiting), people);
    let at = |minute: u64| moment_to_the_minute(minute * MINUTE_MS, desk.now_ms);
    let middle = first.minute + width / STEP * hour.each / 2;
    let (lines, marks) = marks(first.minute, hour.each, width, desk);
    let pace = paced.map(|_| {
        let set_ms = desk.snapshot.pace.as_ref().map_or(0, |set| set.at_ms);
        let from = set_ms.saturating_sub(first.minute * MINUTE_MS) * STEP / hour.each / MINUTE_MS;
        let high = HEIGHT.saturating_sub(in_a_bar(pace, hour.each * HEIGHT) / rate.max(1));
        format!("M{} {high}H{width}", from.min(width))
    });
    Some(object!({
        "width": width,
        "area": format!("{waiting}V{HEIGHT}H0Z"),
        "waiting": waiting,
        "arrived": steps(&mut whole.iter().map(|bar| bar.arrived), rate),
        "admitted": steps(&mut whole.iter().map(|bar| bar.admitted), rate),
        "pace": pace,
        "cut": cut(whole, rate, width),
        "marks": marks,
        "top": em(lines * LINE),
        "height": em(lines * LINE + PLOTS),
        "people": labels(people),
        "rates": labels(rate),
        "first": first.minute,
        "each": hour.each,
        "per": per(hour.each),
        "in_each": in_each(hour.each),
        "minutes": minutes(bars),
        "from": at(first.minute),
        "since": hour.is_cut.then(|| moment_to_the_minute(desk.snapshot.history.since_ms, desk.now_ms)),
        "middle": at(middle),
        "waited": summed(bars, |bar| bar.waiting, desk.now_ms),
        "came": summed(bars, |bar| bar.arrived, desk.now_ms),
        "went": summed(bars, |bar| bar.admitted, desk.now_ms),
    }))
}

fn flow(bar: &Bar) -> u64 {
    bar.arrived.max(bar.admitted)
}

/// In the time of a bar.
fn in_each(minutes: u64) -> String {
    match minutes {
        1 => "in a minute".to_owned(),
        minutes if minutes.is_multiple_of(60) => format!("in {} h", minutes / 60),
        minutes => format!("in {minutes} min"),
    }
}

/// The same of a rate.
pub(in crate::page) fn per(minutes: u64) -> String {
    let each = in_each(minutes);
    let rate = each.strip_prefix("in a ").map(|unit| format!("a {unit}"));
    rate.unwrap_or(each)
}

/// What a pace lets in in so many minutes, rounded.
fn in_a_bar(pace: Pace, minutes: u64) -> u64 {
    let many = pace.quantity.saturating_mul(60).saturating_mul(minutes);
    many.saturating_add(pace.automatic / 2)
        .checked_div(pace.automatic)
        .unwrap_or(0)
}

/// The most that moved in a bar; where a few bars moved more than twice as much as all others, what the others moved, so
/// that a spike does not flatten them.
fn usual(whole: &[Bar]) -> u64 {
    let mut flows: Vec<u64> = whole.iter().map(flow).collect();
    let most_of = |flows: &[u64]| flows.iter().copied().max().unwrap_or(0);
    let most = most_of(&flows);
    let spikes = if flows.len() < FEW {
        0
    } else {
        (flows.len() / RARE).max(1)
    };
    for _ in 0..spikes {
        let spike = most_of(&flows);
        if let Some(at) = flows.iter().position(|flow| *flow == spike) {
            flows.swap_remove(at);
        }
    }
    match most_of(&flows) {
        usual if usual > 0 && most > usual.saturating_mul(2) => usual,
        _ => most,
    }
}

/// The figures of spikes that are cut off: of those close together the highest.
fn cut(whole: &[Bar], top: u64, width: u64) -> Vec<Value> {
    let flows = (0_u64..).zip(whole.iter().map(flow));
    let mut told: Vec<(u64, u64)> = Vec::new();
    for (at, many) in flows.filter(|(_, many)| *many > top) {
        match told.last_mut() {
            Some((last, most)) if at < *last + APART => {
                if many > *most {
                    (*last, *most) = (at, many);
                }
            }
            _ => told.push((at, many)),
        }
    }
    let figure = |(at, many)| {
        let x = at * STEP + STEP / 2;
        let anchor = match x * 10 / width.max(1) {
            0 => "start",
            9.. => "end",
            _ => "middle",
        };
        object!({ "x": percent(x, width), "anchor": anchor, "many": number(many) })
    };
    told.into_iter().map(figure).collect()
}

/// The sum of something, the most of it in a bar, and when that was first.
fn summed(bars: &[Bar], what: fn(&Bar) -> u64, now_ms: u64) -> Value {
    let most = bars.iter().map(what).max().unwrap_or(0);
    let bar = bars.iter().find(|bar| what(bar) == most);
    object!({
        "all": number(bars.iter().map(what).sum()),
        "most": number(most),
        "at": bar.map(|bar| moment_to_the_minute(bar.minute * MINUTE_MS, now_ms)),
    })
}

/// What operators did, as far as it is in the picture, and how many lines their words take. Words that would stand on others are left
/// out, of the latest last.
fn marks(first: u64, each: u64, width: u64, desk: &PanelView<'_>) -> (usize, Vec<Value>) {
    let from_ms = first * MINUTE_MS;
    let actions = desk.snapshot.actions.iter();
    let seen = actions.filter(|action| action.set.at_ms >= from_ms);
    let mut lines: [Vec<Range<u64>>; LINES] = Default::default();
    let marks = seen.map(|action| {
        let after_ms = action.set.at_ms - from_ms;
        let x = (after_ms * STEP / each / MINUTE_MS).min(width);
        let what = (desk.words.what)(action);
        // Words take almost half the width, and go to where there is more of it.
        let is_early = x * 2 < width;
        let taken = if is_early {
            x..x + width * 9 / 20
        } else {
            x - width * 9 / 20..x
        };
        let is_free = |line: &Vec<Range<u64>>| {
            line.iter()
                .all(|other| other.end <= taken.start || taken.end <= other.start)
        };
        let line = lines.iter().position(is_free);
        if let Some(line) = line.and_then(|line| lines.get_mut(line)) {
            line.push(taken.clone());
        }
        object!({
            "at": after_ms / MINUTE_MS / each,
            "x": percent(x, width),
            "from": em(line.unwrap_or(LINES) * LINE),
            "base": line.map(|line| em(line * LINE + 10)),
            "anchor": if is_early { "start" } else { "end" },
            "beside": if is_early { ".4em" } else { "-.4em" },
            "word": short(what.split(" \u{201c}").next().unwrap_or_default()),
            "by": action.set.by.as_deref().map(short),
            "what": what,
        })
    });
    let marks: Vec<Value> = marks.collect();
    (lines.iter().filter(|line| !line.is_empty()).count(), marks)
}

/// Words that fit beside a mark.
fn short(words: &str) -> String {
    let first = words.split(", ").next().unwrap_or_default();
    match first.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}\u{2026}", first.get(..end).unwrap_or_default()),
        None => first.to_owned(),
    }
}

/// A place across the picture.
fn percent(x: u64, width: u64) -> String {
    let tenths = x * 1000 / width.max(1);
    format!("{}.{}%", tenths / 10, tenths % 10)
}

/// A length in tenths of an em.
fn em(tenths: usize) -> String {
    format!("{}.{}em", tenths / 10, tenths % 10)
}

/// For the script that reads out a bar: arrivals, admissions and waiting visitors of each.
fn minutes(bars: &[Bar]) -> String {
    let mut told = String::new();
    for bar in bars {
        let next = if told.is_empty() { "" } else { ";" };
        let _ = write!(
            told,
            "{next}{} {} {}",
            bar.arrived, bar.admitted, bar.waiting
        );
    }
    told
}

/// So high that something is seen of one visitor among many.
fn height(value: u64, top: u64) -> u64 {
    value.saturating_mul(HEIGHT).div_ceil(top).min(HEIGHT)
}

/// A step for each of these.
pub(in crate::page) fn steps(values: &mut dyn Iterator<Item = u64>, top: u64) -> String {
    let mut path = String::new();
    let mut x = 0;
    for value in values {
        let y = HEIGHT - height(value, top);
        let begin = if x == 0 { "M0 " } else { "V" };
        x += STEP;
        let _ = write!(path, "{begin}{y}H{x}");
    }
    path
}

/// The numbers beside a scale: its middle and its top, as short as they are exact.
fn labels(top: u64) -> Value {
    object!({ "middle": compact(top / 2), "top": compact(top) })
}

fn compact(many: u64) -> String {
    match many {
        0..10_000 => number(many),
        10_000..1_000_000 => format!("{}k", number(many / 1_000)),
        _ => format!("{}.{}M", number(many / 1_000_000), many / 100_000 % 10).replace(".0M", "M"),
    }
}

/// The top of a scale whose steps are round, so that it stands still while figures change.
fn scale(most: u64) -> u64 {
    let tens = std::iter::successors(Some(1_u64), |ten| ten.checked_mul(10));
    let mut steps = tens.flat_map(|ten| [10, 15, 20, 30, 50].map(|step| ten.saturating_mul(step)));
    // In tenths, since one and a half is a step of hundreds but not of ones.
    let is_whole = |step: &u64| step.is_multiple_of(10);
    let least = most.div_ceil(STEPS);
    let step = steps.find(|step| is_whole(step) && step / 10 >= least);
    step.map_or(u64::MAX, |step| step / 10 * STEPS)
}

#[cfg(test)]
mod tests {
    use super::super::hour::tests::{TEN, snapshot};
    use super::super::{ActionWords, Span};
    use super::*;
    use crate::queue::{Action, PanelSnapshot, Provenance};

    const NOW_MS: u64 = TEN * MINUTE_MS + 30_000;

    fn mode(at_ms: u64) -> Action {
        Action {
            set: Provenance {
                at_ms,
                by: Some("anna".to_owned()),
            },
            address: String::new(),
            verb: "mode".to_owned(),
            number: 0,
            value: "hold".to_owned(),
            second: String::new(),
        }
    }

    fn shown(minutes: &[(u64, u64, u64)]) -> Option<Value> {
        let mut snapshot = snapshot(minutes);
        snapshot.actions = [NOW_MS - 90_000, 0].map(mode).to_vec();
        picture(&snapshot)
    }

    fn picture(snapshot: &PanelSnapshot) -> Option<Value> {
        let desk = PanelView {
            snapshot,
            words: ActionWords {
                what: |action| action.value.clone(),
                is_setting: |_| true,
            },
            copy: None,
            operator: "anna",
            acts: true,
            ticket: None,
            news: None,
            trouble: None,
            once: "",
            span: Span::default(),
            now_ms: NOW_MS,
        };
        chart(&Hour::new(snapshot, NOW_MS), &desk)
    }

    fn text(value: &Value, path: &str) -> String {
        let found = value.pointer(path).and_then(Value::as_str);
        found.unwrap_or_default().to_owned()
    }

    #[test]
    fn an_hour_in_which_nothing_happened_has_no_picture() {
        assert!(shown(&[(0, 0, 0)]).is_none());
        assert!(shown(&[(TEN - 200, 0, 900), (TEN - 100, 0, 900)]).is_none());
    }

    #[test]
    fn scales_have_four_round_steps_and_hold_the_most() {
        for (most, top) in [
            (0, 4),
            (1, 4),
            (5, 8),
            (41, 60),
            (61, 80),
            (120, 120),
            (121, 200),
            (1_001, 1_200),
        ] {
            assert_eq!(scale(most), top, "{most}");
        }
        assert!(scale(u64::MAX) > u64::MAX / 2);
    }

    #[test]
    fn a_short_history_fills_the_picture_and_its_lines_end_with_the_last_whole_minute() {
        let minutes = [(TEN - 3, 40, 0), (TEN - 2, 30, 10), (TEN, 12, 30)];
        let chart = shown(&minutes).unwrap_or_default();
        assert_eq!(chart.get("width"), Some(&40.into()));
        for (name, shown) in [
            ("/arrived", "M0 0H10V200H20V200H30"),
            ("/admitted", "M0 200H10V150H20V200H30"),
            ("/waiting", "M0 0H10V50H20V50H30V140H40"),
            ("/area", "M0 0H10V50H20V50H30V140H40V200H0Z"),
            ("/minutes", "40 0 40;0 10 30;0 0 30;2 20 12"),
            ("/rates/top", "40"),
            ("/rates/middle", "20"),
            ("/marks/0/x", "50.0%"),
            ("/marks/0/what", "hold"),
            ("/marks/0/by", "anna"),
            ("/top", "1.4em"),
        ] {
            assert_eq!(text(&chart, name), shown, "{name}");
        }
        assert_eq!(chart.pointer("/marks/0/at"), Some(&2.into()));
        assert_eq!(chart.pointer("/marks/1"), None, "of another day");
        assert_eq!(chart.get("pace"), Some(&Value::Null), "none is set");
    }

    /// Each minute 30 arrive and 20 go in, but for one minute with more arrivals.
    fn with_a_spike(spike: u64) -> Value {
        let waits = |at: u64| 10 * at + if at > 4 { spike } else { 0 };
        let minute = |at: u64| (TEN - 20 + at, waits(at), 20 * at);
        let mut snapshot = snapshot(&(0..21).map(minute).collect::<Vec<_>>());
        snapshot.board.live.pace = Pace {
            automatic: 60,
            quantity: 25,
        };
        picture(&snapshot).unwrap_or_default()
    }

    #[test]
    fn a_spike_is_cut_and_its_figure_says_how_high_it_was() {
        let chart = with_a_spike(270);
        assert_eq!(text(&chart, "/rates/top"), "40");
        let figure = object!({ "x": "26.1%", "anchor": "middle", "many": "300" });
        assert_eq!(chart.get("cut"), Some(&vec![figure].into()));
        assert!(text(&chart, "/arrived").contains("H50V0H60"));
        let twice = with_a_spike(30);
        assert_eq!(
            text(&twice, "/rates/top"),
            "60",
            "as much again is no spike"
        );
        assert_eq!(twice.get("cut"), Some(&Vec::<Value>::new().into()));
    }

    #[test]
    fn the_pace_of_now_is_shown_from_when_it_was_set_where_it_does_not_flatten_what_moved() {
        let minutes = [(TEN - 3, 40, 0), (TEN - 2, 30, 10), (TEN, 12, 30)];
        let mut snapshot = snapshot(&minutes);
        let shown =
            |snapshot: &PanelSnapshot| text(&picture(snapshot).unwrap_or_default(), "/pace");
        snapshot.board.live.pace = Pace {
            automatic: 6,
            quantity: 2,
        };
        assert_eq!(shown(&snapshot), "M0 100H40");
        snapshot.pace = Some(mode(NOW_MS - 90_000).set);
        assert_eq!(shown(&snapshot), "M20 100H40");
        snapshot.board.live.pace.quantity = 9;
        assert_eq!(shown(&snapshot), "");
    }

    #[test]
    fn words_of_marks_stand_on_no_others_and_the_latest_have_theirs() {
        let minutes: Vec<(u64, u64, u64)> = (0..60).map(|at| (TEN - 59 + at, 9, 0)).collect();
        let mut snapshot = snapshot(&minutes);
        snapshot.actions = (0..5).map(|ago| mode(NOW_MS - ago * MINUTE_MS)).collect();
        snapshot.actions.push(mode(NOW_MS - 58 * MINUTE_MS));
        let chart = picture(&snapshot).unwrap_or_default();
        let bases = (0..6).map(|at| text(&chart, &format!("/marks/{at}/base")));
        let bases: Vec<String> = bases.collect();
        assert_eq!(bases, ["1.0em", "2.4em", "3.8em", "", "", "1.0em"]);
        assert_eq!(text(&chart, "/top"), "4.2em");
        assert_eq!(text(&chart, "/marks/3/from"), "4.2em");
        assert_eq!(short("let in 5 of 9"), "let in 5 of 9");
        let long = short("health of the origin overruled for an hour");
        assert_eq!(long, "health of the origin overr\u{2026}");
    }

    /// The colours of a scheme, the light one first.
    fn colors(scheme: usize) -> Vec<(String, f64)> {
        let page = include_str!("../../../templates/admin.html");
        let root = page.split(":root { ").nth(scheme + 1).unwrap_or_default();
        let root = root.split(" }").next().unwrap_or_default();
        let pairs = root.split("; ").filter_map(|pair| pair.split_once(": #"));
        let pairs = pairs.map(|(name, color)| (format!("var({name})"), luminance(color)));
        pairs.collect()
    }

    /// How much light a colour gives, by WCAG.
    fn luminance(color: &str) -> f64 {
        let long: String = color.chars().flat_map(|digit| [digit; 2]).collect();
        let color = if color.len() == 3 { &long } else { color };
        let part = |at: usize| {
            let part = color.get(at..at + 2).unwrap_or_default();
            let part = f64::from(u8::from_str_radix(part, 16).unwrap_or(0)) / 255.0;
            if part > 0.040_45 {
                ((part + 0.055) / 1.055).powf(2.4)
            } else {
                part / 12.92
            }
        };
        0.2126 * part(0) + 0.7152 * part(2) + 0.0722 * part(4)
    }

    #[test]
    fn each_line_of_a_picture_stands_out_and_most_of_all_how_many_wait() {
        let page = include_str!("../../../templates/admin.html");
        for scheme in [0, 1] {
            let colors = colors(scheme);
            let of = |name: &str| {
                let found = colors.iter().find(|(found, _)| found == name);
                found.map_or(0.0, |(_, light)| *light)
            };
            let contrast = |name: &str| {
                let (one, other) = (of(name), of("var(--paper)"));
                (one.max(other) + 0.05) / (one.min(other) + 0.05)
            };
            let drawn = ["stroke: ", "fill: "]
                .iter()
                .flat_map(|kind| page.split(kind).skip(1));
            let drawn = drawn.filter(|rest| rest.starts_with("var("));
            let names = drawn.filter_map(|rest| Some(&rest[..=rest.find(')')?]));
            let names: Vec<&str> = names
                .filter(|name| !["var(--kind)", "var(--paper)"].contains(name))
                .collect();
            assert!(names.len() > 6, "{names:?}");
            for name in names
                .iter()
                .copied()
                .chain(["var(--hold)", "var(--go)", "var(--bad)"])
            {
                assert!(
                    contrast(name) >= 3.0,
                    "{name} in {scheme}: {}",
                    contrast(name)
                );
            }
            for weaker in ["var(--in)", "var(--out)", "var(--field)"] {
                assert!(
                    contrast("var(--crowd)") > contrast(weaker),
                    "{weaker} in {scheme}"
                );
            }
        }
    }

    #[test]
    fn one_visitor_among_a_million_is_seen() {
        assert_eq!(height(1, 1_000_000), 1);
        assert_eq!(height(u64::MAX, 1), HEIGHT);
    }
}
