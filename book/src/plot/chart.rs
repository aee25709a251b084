//! Charts of curves in panels, and the chart of a book's growth.

use super::svg::{Svg, number};
use crate::read::growth::{Growth, Step};
use serde::Serialize;

/// Panels of curves with a common horizontal axis.
///
/// ```
/// use obook_book::plot::{Across, Chart, Curve, Panel};
/// let curve = Curve {
///     name: String::from("root"),
///     points: vec![[0.0, 2.0], [60.0, -1.0]],
///     is_stepped: true,
/// };
/// let chart = Chart {
///     title: String::from("An evening"),
///     note: String::from("value of the start position"),
///     across: Across::Time,
///     panels: vec![Panel { label: String::from("discs"), curves: vec![curve] }],
/// };
/// assert!(chart.to_svg().contains("</svg>"));
/// ```
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Chart {
    /// The title.
    pub title: String,
    /// The subtitle.
    pub note: String,
    /// The horizontal axis.
    pub across: Across,
    /// The panels from top to bottom.
    pub panels: Vec<Panel>,
}

/// The horizontal axis.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub enum Across {
    /// Seconds.
    Time,
    /// A positive number with this name, on a logarithmic scale.
    Doubling(String),
}

/// Curves with a common vertical axis.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Panel {
    /// The label of the vertical axis.
    pub label: String,
    /// The curves. Each has its own colour and its name at the end.
    pub curves: Vec<Curve>,
}

/// A curve.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Curve {
    /// The name.
    pub name: String,
    /// The points `[x, y]` from left to right.
    pub points: Vec<[f64; 2]>,
    /// Whether the value stays constant until the next point.
    pub is_stepped: bool,
}

const WIDTH: f64 = 960.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = WIDTH - 190.0;
const TOP: f64 = 92.0;
/// Space between two panels.
const BETWEEN: f64 = 34.0;
const BELOW: f64 = 62.0;
const COLOURS: [&str; 6] = [
    "#2f6fb5", "#b5482f", "#2f9e6b", "#9a5fc0", "#b8892c", "#7a7f88",
];
const STYLE: &str = ".curve{fill:none;stroke-width:2;stroke-linejoin:round}.tick{font-size:11px}";

impl Chart {
    /// Draws the picture.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let panels = self.panels.len().max(1) as f64;
        let each = if panels > 1.0 { 210.0 } else { 330.0 };
        let height = TOP + panels * each + (panels - 1.0) * BETWEEN + BELOW;
        let mut svg = Svg::new(WIDTH, height, &self.title, &self.description(), STYLE);
        svg.label("title", 28.0, 36.0, &self.title);
        svg.label("note", 28.0, 58.0, &self.note);
        let across = Scale::of(self.values(0), RIGHT - LEFT, &self.across);
        let mut top = TOP;
        for panel in &self.panels {
            panel.draw(&mut svg, &across, [top, top + each]);
            top += each + BETWEEN;
        }
        let bottom = top - BETWEEN;
        for value in across.ticks() {
            let x = LEFT + across.place(value);
            svg.label("number middle tick", x, bottom + 18.0, &self.tick(value));
        }
        let words = match &self.across {
            Across::Time => "time",
            Across::Doubling(name) => name,
        };
        svg.label("note middle", (LEFT + RIGHT) / 2.0, bottom + 44.0, words);
        svg.finish()
    }

    /// All values on an axis: 0 is horizontal, 1 vertical.
    fn values(&self, axis: usize) -> impl Iterator<Item = f64> {
        let curves = self.panels.iter().flat_map(|panel| &panel.curves);
        curves.flat_map(move |curve| curve.points.iter().map(move |point| point[axis]))
    }

    fn description(&self) -> String {
        let curve = |curve: &Curve| {
            let end = curve.points.last().map_or(0.0, |[_, up]| *up);
            format!("{} ends at {}", curve.name, shortly(end))
        };
        let curves = self.panels.iter().flat_map(|panel| &panel.curves);
        let curves: Vec<String> = curves.map(curve).collect();
        format!("{}: {}.", self.note, curves.join("; "))
    }

    fn tick(&self, value: f64) -> String {
        match self.across {
            Across::Time => time(value),
            Across::Doubling(_) => shortly(value),
        }
    }
}

impl Panel {
    fn draw(&self, svg: &mut Svg, across: &Scale, [top, bottom]: [f64; 2]) {
        let points = self.curves.iter().flat_map(|curve| &curve.points);
        let values: Vec<f64> = points.map(|point| point[1]).collect();
        let up = Scale::up(&values, bottom - top);
        svg.label("note", LEFT, top - 10.0, &self.label);
        for value in up.ticks() {
            let y = bottom - up.place(value);
            let class = if value == 0.0 { "axis" } else { "grid" };
            svg.line_between(class, [LEFT, y], [RIGHT, y]);
            svg.label("number end", LEFT - 10.0, y + 4.5, &shortly(value));
        }
        let mut ends: Vec<f64> = Vec::new();
        for (index, curve) in self.curves.iter().enumerate() {
            let colour = COLOURS[index % COLOURS.len()];
            let mut path = String::new();
            let mut before = None;
            for [x, y] in &curve.points {
                let (x, y) = (number(LEFT + across.place(*x)), bottom - up.place(*y));
                match before {
                    None => path.push('M'),
                    Some(level) if curve.is_stepped => {
                        path.push_str(&format!("L{x} {}L", number(level)));
                    }
                    Some(_) => path.push('L'),
                }
                path.push_str(&format!("{x} {}", number(y)));
                before = Some(y);
            }
            let Some(mut y) = before else { continue };
            svg.empty(
                "path",
                &[("class", "curve"), ("d", &path), ("stroke", colour)],
            );
            // Move down names that would overlap.
            while ends.iter().any(|end| (end - y).abs() < 15.0) {
                y += 1.0;
            }
            ends.push(y);
            svg.rectangle(
                "key",
                [RIGHT + 12.0, y - 4.0, 8.0, 8.0],
                &[("fill", colour)],
            );
            svg.label("name", RIGHT + 25.0, y + 4.5, &curve.name);
        }
    }
}

/// Maps values to positions on an axis.
struct Scale {
    least: f64,
    most: f64,
    step: f64,
    length: f64,
    is_doubling: bool,
}

impl Scale {
    fn of(values: impl Iterator<Item = f64>, length: f64, across: &Across) -> Scale {
        let (least, most) = range(values);
        match across {
            Across::Doubling(_) => {
                let least = least.max(f64::MIN_POSITIVE).log2().floor();
                let most = most.max(f64::MIN_POSITIVE).log2().ceil().max(least + 1.0);
                let step = ((most - least) / 12.0).ceil().max(1.0);
                Scale {
                    least,
                    most,
                    step,
                    length,
                    is_doubling: true,
                }
            }
            Across::Time => {
                let most = most.max(1.0);
                let step = TIMES.into_iter().find(|step| most / step <= 10.0);
                let step = step.unwrap_or_else(|| (most / 10.0 / DAY).ceil() * DAY);
                Scale {
                    least: 0.0,
                    most,
                    step,
                    length,
                    is_doubling: false,
                }
            }
        }
    }

    fn up(values: &[f64], length: f64) -> Scale {
        let (least, most) = range(values.iter().copied());
        // No two ticks have the same number: discs and positions are whole, and other numbers are written with two decimals.
        let is_whole = values.iter().all(|value| value.fract() == 0.0);
        let finest = if is_whole { 1.0 } else { 0.01 };
        let rough = ((most - least) / 5.0).max(finest);
        let tens = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|times| times * tens);
        let step = step.into_iter().find(|step| *step >= rough);
        let step = step.unwrap_or(10.0 * tens);
        Scale {
            least: (least / step).floor() * step,
            most: ((most / step).ceil() * step).max((least / step).floor() * step + step),
            step,
            length,
            is_doubling: false,
        }
    }

    fn place(&self, value: f64) -> f64 {
        let value = if self.is_doubling {
            value.max(f64::MIN_POSITIVE).log2()
        } else {
            value
        };
        self.length * (value - self.least) / (self.most - self.least)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        let count = ((self.most - self.least) / self.step + 1e-9).floor() as u32;
        (0..=count.min(100)).map(|at| {
            let value = self.least + f64::from(at) * self.step;
            if self.is_doubling {
                value.exp2()
            } else {
                value
            }
        })
    }
}

const DAY: f64 = 86_400.0;
/// Usual intervals of clocks and calendars, in seconds.
const TIMES: [f64; 14] = [
    1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 7200.0, 21_600.0, DAY,
];

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let ends = |(least, most): (f64, f64), value: f64| (least.min(value), most.max(value));
    let (least, most) = values
        .filter(|value| value.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), ends);
    if least <= most {
        (least, most)
    } else {
        (0.0, 1.0)
    }
}

/// `90 s`, `5 min`, `3 h`, `2 d`.
fn time(seconds: f64) -> String {
    let (part, name) = match seconds {
        ..120.0 => (1.0, "s"),
        ..7200.0 => (60.0, "min"),
        ..172_800.0 => (3600.0, "h"),
        _ => (DAY, "d"),
    };
    format!("{} {name}", shortly(seconds / part))
}

/// Formats a number without trailing zeros.
fn shortly(value: f64) -> String {
    let text = match value.abs() {
        100.0.. => format!("{value:.0}"),
        _ => format!("{value:.2}"),
    };
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    text.replace('-', "−")
}

impl Growth {
    /// A chart of the root's value and the book's size over the time of the run; `None` if nothing was learned.
    #[must_use]
    pub fn chart(&self) -> Option<Chart> {
        let last = self.steps.last()?;
        let panel = |label: &str, name: &str, up: &dyn Fn(&Step) -> Option<f64>, is_stepped| {
            let points = self
                .steps
                .iter()
                .filter_map(|step| Some([step.seconds, up(step)?]));
            let curve = Curve {
                name: name.to_owned(),
                points: points.collect(),
                is_stepped,
            };
            Panel {
                label: label.to_owned(),
                curves: vec![curve],
            }
        };
        let rules: Vec<&str> = self.stages.iter().map(|it| it.rule.as_str()).collect();
        Some(Chart {
            title: format!("Growth of the book by change {}", self.change.id),
            note: format!(
                "by {}, {} positions at its end",
                rules.join(", "),
                last.positions
            ),
            across: Across::Time,
            panels: vec![
                panel(
                    "value of the root, in discs for its side to move",
                    "value",
                    &|step| step.root.map(f64::from),
                    true,
                ),
                panel(
                    "positions in the book",
                    "positions",
                    &|step| Some(step.positions as f64),
                    false,
                ),
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// A run may leave a value as it was.
    #[test]
    fn no_two_ticks_have_the_same_number() {
        for values in [
            &[0.0][..],
            &[-3.0, -3.0],
            &[0.0, 1.0],
            &[0.5],
            &[123.0, 125.0],
        ] {
            let scale = Scale::up(values, 100.0);
            let words: Vec<String> = scale.ticks().map(shortly).collect();
            let distinct: BTreeSet<&String> = words.iter().collect();
            assert!(words.len() > 1, "{values:?}");
            assert_eq!(distinct.len(), words.len(), "{values:?}: {words:?}");
        }
    }
}
