//! One panel: a title, round numbers on the left, time below, and curves.

use std::fmt::Write as _;

use super::axis::Axis;
use super::{FAINT, LEFT, RIGHT, escaped};

/// Height of what is drawn in a panel, and where it begins below the title.
const HEIGHT: f64 = 136.0;
const TITLE: f64 = 34.0;
/// No curve has more points than this: more than the screen can show.
const MOST_POINTS: usize = 1000;

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// A surface without a line.
    Ground,
    /// A line.
    Line,
    /// A line on a pale surface.
    Filled,
    /// A broken line: what may be.
    Limit,
}

/// One curve, over minutes.
pub(super) struct Curve {
    pub(super) style: Style,
    pub(super) colour: &'static str,
    pub(super) points: Vec<(f64, f64)>,
}

/// One panel.
pub(super) struct Panel {
    pub(super) title: String,
    /// What the colours mean, where the head of the picture does not say it.
    pub(super) key: Vec<(String, &'static str)>,
    pub(super) curves: Vec<Curve>,
}

impl Panel {
    /// Draws it with its top there.
    pub(super) fn draw(&self, top: f64, time: &Axis) -> String {
        let values = self.curves.iter().flat_map(|curve| &curve.points);
        let most = values.map(|(_, value)| *value).fold(0.0, f64::max);
        let number = Axis::number(most);
        let mut svg = format!(
            "<text x=\"{LEFT}\" y=\"{}\" font-size=\"16\" font-weight=\"600\">{}</text>\n",
            top + 16.0,
            escaped(&self.title)
        );
        svg += &self.draw_key(top + 16.0);
        let place = Place {
            bottom: top + TITLE + HEIGHT,
            time_end: time.end,
            number_end: number.end,
        };
        svg += &place.grid(time, &number);
        for curve in &self.curves {
            svg += &place.curve(curve);
        }
        svg
    }

    /// At the right end of the title's line.
    fn draw_key(&self, y: f64) -> String {
        let mut svg = String::new();
        let mut x = RIGHT;
        for (name, colour) in self.key.iter().rev() {
            let _ = write!(
                svg,
                "<text x=\"{x:.0}\" y=\"{y}\" font-size=\"14\" text-anchor=\"end\">{name}</text>"
            );
            x -= 7.5 * crate::units::float(name.len() as u64) + 24.0;
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.0}\" y=\"{}\" width=\"12\" height=\"12\" rx=\"3\" fill=\"{colour}\"/>",
                y - 11.0
            );
            x -= 18.0;
        }
        svg
    }
}

/// Where on the picture a moment and a value are.
struct Place {
    bottom: f64,
    time_end: f64,
    number_end: f64,
}

impl Place {
    fn x(&self, minutes: f64) -> f64 {
        (RIGHT - LEFT).mul_add(minutes / self.time_end, LEFT)
    }

    fn y(&self, value: f64) -> f64 {
        self.bottom - HEIGHT * value / self.number_end
    }

    fn grid(&self, time: &Axis, number: &Axis) -> String {
        let mut svg = String::new();
        for (value, label) in &number.marks {
            let y = self.y(*value);
            let colour = if *value > 0.0 { "#e6eaef" } else { "#9aa5b1" };
            let _ = writeln!(
                svg,
                "<line x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"{colour}\"/><text x=\"{}\" y=\"{:.1}\" font-size=\"13\" text-anchor=\"end\" fill=\"{FAINT}\">{label}</text>",
                LEFT - 10.0,
                y + 4.5
            );
        }
        for (minutes, label) in &time.marks {
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"13\" text-anchor=\"middle\" fill=\"{FAINT}\">{label}</text>",
                self.x(*minutes),
                self.bottom + 20.0
            );
        }
        svg
    }

    fn curve(&self, curve: &Curve) -> String {
        let thinned = thinned(&curve.points);
        let Some(((first, _), (last, _))) = thinned.first().copied().zip(thinned.last().copied())
        else {
            return String::new();
        };
        let line: Vec<String> = thinned
            .iter()
            .map(|(minutes, value)| format!("{:.1},{:.1}", self.x(*minutes), self.y(*value)))
            .collect();
        let line = line.join(" ");
        let bottom = self.bottom;
        let surface = format!(
            "M{:.1},{bottom:.1} L{line} L{:.1},{bottom:.1} Z",
            self.x(first),
            self.x(last)
        );
        let colour = curve.colour;
        let filled = |opacity: &str| {
            format!("<path d=\"{surface}\" fill=\"{colour}\" fill-opacity=\"{opacity}\"/>\n")
        };
        let drawn = format!(
            "<polyline points=\"{line}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2.5\" stroke-linejoin=\"round\"/>\n"
        );
        match curve.style {
            Style::Ground => filled("0.75"),
            Style::Line => drawn,
            Style::Filled => filled("0.13") + &drawn,
            Style::Limit => drawn.replace("\"2.5\"", "\"1.5\" stroke-dasharray=\"6 5\""),
        }
    }
}

/// The greatest of each few points, so that no peak is lost.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let each = points.len().div_ceil(MOST_POINTS).max(1);
    let most = |few: &[(f64, f64)]| {
        few.iter()
            .copied()
            .max_by(|one, other| one.1.total_cmp(&other.1))
    };
    points.chunks(each).filter_map(most).collect()
}
