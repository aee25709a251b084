//! Charts of curves in panels, and the chart of a book's growth.

use super::axes::{Area, BELOW, CURVES, TOP, Ticks, WIDTH, plain, range};
use super::markup::Markup;
use crate::read::growth::{Growth, Step};
use serde::Serialize;

/// Panels of curves with a common horizontal axis.
///
/// ```
/// use obook::plot::{Across, Chart, Curve, Panel};
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
#[non_exhaustive]
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
    /// The points `[x, y]` from left to right. Those with a number that isn't finite are not drawn.
    pub points: Vec<[f64; 2]>,
    /// Whether the value stays constant until the next point.
    pub is_stepped: bool,
}

/// The greatest number that is drawn: differences of such numbers are finite.
const GREATEST: f64 = 1e300;

impl Curve {
    pub(super) fn of(
        name: &str,
        points: impl Iterator<Item = [f64; 2]>,
        is_stepped: bool,
    ) -> Curve {
        Curve {
            name: name.to_owned(),
            points: points.collect(),
            is_stepped,
        }
    }

    /// The points that are drawn.
    fn drawn(&self) -> impl DoubleEndedIterator<Item = [f64; 2]> {
        let points = self.points.iter().copied();
        let points = points.filter(|point| point.iter().all(|it| it.is_finite()));
        points.map(|point| point.map(|it| it.clamp(-GREATEST, GREATEST)))
    }
}

/// Space between two panels, with room for the name of an axis.
const BETWEEN: f64 = 46.0;
/// The space for the names of curves.
const NAMES: f64 = 190.0;

impl Chart {
    /// Draws the picture.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let panels = self.panels.len().max(1) as f64;
        let each = if panels > 1.0 { 210.0 } else { 330.0 };
        let height = TOP + panels * each + (panels - 1.0) * BETWEEN + BELOW;
        let size = [WIDTH, height];
        let mut svg = Markup::picture(size, &self.title, &self.note, &self.description(), CURVES);
        let across = self.scale();
        let mut area = Area::of(TOP + each + BELOW, NAMES);
        for panel in &self.panels {
            panel.draw(&mut svg, &across, area);
            area.top += each + BETWEEN;
            area.bottom += each + BETWEEN;
        }
        Area::of(height, NAMES).draw_across(&mut svg, across.name, across.ticks);
        svg.finish()
    }

    fn scale(&self) -> Scale<'_> {
        let curves = self.panels.iter().flat_map(|panel| &panel.curves);
        let (least, most) = range(curves.flat_map(Curve::drawn).map(|[across, _]| across));
        match &self.across {
            Across::Doubling(name) => {
                let place = |value: f64| value.max(f64::MIN_POSITIVE).log2();
                let [least, most] = [least, most].map(place);
                let step = ((most.ceil() - least.floor()) / 12.0).ceil().max(1.0);
                let ticks = Ticks::by(step, least, most);
                Scale {
                    name,
                    ticks: ticks.labels(|value| plain(value.exp2())).collect(),
                    share: Box::new(move |value| ticks.share(place(value))),
                }
            }
            Across::Time => {
                // The last second need not be a tick.
                let last = most.max(1.0);
                let step = TIMES.into_iter().find(|step| last / step <= 10.0);
                let step = step.unwrap_or_else(|| (last / 10.0 / DAY).ceil() * DAY);
                let ticks = Ticks::by(step, 0.0, last).each().map(|(_, value)| value);
                let shown = ticks.filter(|value| *value <= last);
                Scale {
                    name: "time",
                    ticks: shown.map(|value| (value / last, time(value))).collect(),
                    share: Box::new(move |value| value / last),
                }
            }
        }
    }

    fn description(&self) -> String {
        let curve = |curve: &Curve| {
            let end = curve.drawn().next_back().map_or(0.0, |[_, up]| up);
            format!("{} ends at {}", curve.name, plain(end))
        };
        let curves = self.panels.iter().flat_map(|panel| &panel.curves);
        let curves: Vec<String> = curves.map(curve).collect();
        format!("{}: {}.", self.note, curves.join("; "))
    }
}

impl Panel {
    fn draw(&self, svg: &mut Markup, across: &Scale<'_>, area: Area) {
        let values = || self.curves.iter().flat_map(Curve::drawn).map(|[_, y]| y);
        // Discs and positions have no fractions.
        let up = match values().all(|value| value.fract() == 0.0) {
            true => Ticks::whole(values()),
            false => Ticks::around(values()),
        };
        area.draw_up(svg, &self.label, up.labels(plain));
        let curves = self.curves.iter().map(|curve| {
            let points = curve.drawn().map(|[x, y]| [(across.share)(x), up.share(y)]);
            Curve::of(&curve.name, points, curve.is_stepped)
        });
        area.draw_curves(svg, curves);
    }
}

/// The horizontal axis.
struct Scale<'c> {
    name: &'c str,
    /// Each tick's share of the way with its words.
    ticks: Vec<(f64, String)>,
    /// Maps values to shares of the way.
    share: Box<dyn Fn(f64) -> f64>,
}

const DAY: f64 = 86_400.0;
/// Usual intervals of clocks and calendars, in seconds.
const TIMES: [f64; 14] = [
    1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 7200.0, 21_600.0, DAY,
];

/// `90 s`, `5 min`, `3 h`, `2 d`.
fn time(seconds: f64) -> String {
    let (part, name) = match seconds {
        ..120.0 => (1.0, "s"),
        ..7200.0 => (60.0, "min"),
        ..172_800.0 => (3600.0, "h"),
        _ => (DAY, "d"),
    };
    format!("{} {name}", plain(seconds / part))
}

impl Growth {
    /// A chart of the root's value and the book's size over the time of the run; `None` if nothing was learned.
    #[must_use]
    pub fn chart(&self) -> Option<Chart> {
        let last = self.steps.last()?;
        let panel = |label: &str, name: &str, up: &dyn Fn(&Step) -> Option<f64>, is_stepped| {
            let steps = self.steps.iter();
            let points = steps.filter_map(|step| Some([step.seconds, up(step)?]));
            Panel {
                label: label.to_owned(),
                curves: vec![Curve::of(name, points, is_stepped)],
            }
        };
        let root = "value of the root, in discs for its side to move";
        let value = |step: &Step| step.root.map(f64::from);
        let positions = |step: &Step| Some(step.positions as f64);
        let rules: Vec<&str> = self.stages.iter().map(|it| it.rule.as_str()).collect();
        let (rules, at_end) = (rules.join(", "), plain(last.positions as f64));
        Some(Chart {
            title: format!("Growth of the book by change {}", self.change.id),
            note: format!("by {rules}, {at_end} positions at its end"),
            across: Across::Time,
            panels: vec![
                panel(root, "value", &value, true),
                panel("positions in the book", "positions", &positions, false),
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_numbers_can_be_drawn() {
        let numbers = [
            0.0,
            -1.5,
            f64::MAX,
            f64::MIN,
            f64::MIN_POSITIVE,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
        ];
        let points = |x: f64| numbers.map(|y| [x, y]).to_vec();
        for across in [Across::Time, Across::Doubling(String::from("games"))] {
            for points in numbers
                .map(points)
                .into_iter()
                .chain(numbers.map(|it| vec![[it, it]]))
            {
                let curve = Curve {
                    name: String::new(),
                    points,
                    is_stepped: true,
                };
                let chart = Chart {
                    title: String::new(),
                    note: String::new(),
                    across: across.clone(),
                    panels: vec![Panel {
                        label: String::new(),
                        curves: vec![curve.clone()],
                    }],
                };
                let svg = chart.to_svg();
                assert!(
                    !svg.contains("NaN") && !svg.contains("inf"),
                    "{curve:?}: {svg}"
                );
            }
        }
    }
}
