//! The axes of the pictures: one title, one name for each axis, a grid with round numbers, and names at the ends of curves.

use super::chart::Curve;
use super::markup::Markup;
use super::svg::{MARGIN, number};
use itertools::Itertools;

/// The part of a page in which data is drawn, with its axes.
#[derive(Clone, Copy)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// The width of all pictures with axes.
pub(super) const WIDTH: f64 = 960.0;
/// The left end of all axes.
pub(super) const LEFT: f64 = 84.0;
/// The upper end of the first vertical axis, below the title, the note and the name of the axis.
pub(super) const TOP: f64 = 100.0;
/// The space below the horizontal axis, for its numbers and its name.
pub(super) const BELOW: f64 = 62.0;

/// The colours of curves. Without colours, the names at the ends tell them apart.
const COLOURS: [&str; 6] = [
    "#2f6fb5", "#b5482f", "#2f9e6b", "#9a5fc0", "#b8892c", "#7a7f88",
];

/// The style of curves.
pub(super) const CURVES: &str = ".curve{fill:none;stroke-width:2;stroke-linejoin:round}";

impl Area {
    /// The area of a picture with one panel. `beside` is the space for a legend or names at its right side.
    pub(super) fn of(height: f64, beside: f64) -> Area {
        Area {
            left: LEFT,
            right: WIDTH - beside,
            top: TOP,
            bottom: height - BELOW,
        }
    }

    /// The place of a share of the way from the left to the right.
    pub(super) fn x(&self, share: f64) -> f64 {
        self.left + (self.right - self.left) * share
    }

    /// The place of a share of the way up.
    pub(super) fn y(&self, share: f64) -> f64 {
        self.bottom - (self.bottom - self.top) * share
    }

    /// Draws the vertical axis: its name above it, and a line for each tick, given as the share of the way up and its number. The
    /// line of zero stands out.
    pub(super) fn draw_up(
        &self,
        svg: &mut Markup,
        name: &str,
        ticks: impl IntoIterator<Item = (f64, String)>,
    ) {
        svg.label("note", MARGIN, self.top - 14.0, name);
        for (share, words) in ticks {
            let y = self.y(share);
            let is_zero = matches!(&*words, "0" | "0 %");
            let class = if is_zero { "axis" } else { "grid" };
            svg.line_between(class, [self.left, y], [self.right, y]);
            svg.label("number end", self.left - 10.0, y + 4.5, &words);
        }
    }

    /// Draws the horizontal axis: numbers, given with their share of the way to the right, and its name below them.
    pub(super) fn draw_across(
        &self,
        svg: &mut Markup,
        name: &str,
        ticks: impl IntoIterator<Item = (f64, String)>,
    ) {
        for (share, words) in ticks {
            svg.label("number middle", self.x(share), self.bottom + 20.0, &words);
        }
        svg.label("note middle", self.x(0.5), self.bottom + 44.0, name);
    }

    /// Draws curves whose points are shares of the way to the right and up, with their names at their ends. They get different colours,
    /// also those without points.
    pub(super) fn draw_curves(&self, svg: &mut Markup, curves: impl Iterator<Item = Curve>) {
        let mut heights_of_names: Vec<f64> = Vec::new();
        for (curve, colour) in curves.zip(COLOURS.into_iter().cycle()) {
            let mut path = String::new();
            let mut before = None;
            for [x, y] in curve.points {
                let (x, y) = (number(self.x(x)), self.y(y));
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
            let attributes = [
                ("class", "curve"),
                ("d", &path),
                ("stroke", colour),
                ("data-name", &curve.name),
            ];
            svg.empty("path", &attributes);
            // Move down names that would overlap.
            while heights_of_names.iter().any(|it| (it - y).abs() < 15.0) {
                y += 1.0;
            }
            heights_of_names.push(y);
            let key = [self.right + 12.0, y - 4.0, 8.0, 8.0];
            svg.rectangle("key", key, &[("fill", colour)]);
            svg.label("name", self.right + 25.0, y + 4.5, &curve.name);
        }
    }
}

/// Round numbers along an axis.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Ticks {
    pub(super) least: f64,
    pub(super) most: f64,
    step: f64,
}

impl Ticks {
    /// Ticks whose first and last enclose all values, at most about six.
    pub(super) fn around(values: impl IntoIterator<Item = f64>) -> Ticks {
        let (least, most) = range(values);
        // A constant gets one tick above it, with a distance that its number shows.
        let rough = ((most - least) / 5.0).max(most.abs().max(1.0) * 0.01);
        let tens = 10_f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|times| times * tens);
        // Rounding must not lead to the next step.
        let step = steps.into_iter().find(|step| *step * (1.0 + 1e-9) >= rough);
        Ticks::by(step.unwrap_or(10.0 * tens), least, most)
    }

    /// As [`Ticks::around`], for whole numbers from 0.
    pub(super) fn counts(most: u64) -> Ticks {
        Ticks::whole([0.0, most.max(1) as f64])
    }

    /// As [`Ticks::around`], for whole numbers.
    pub(super) fn whole(values: impl IntoIterator<Item = f64>) -> Ticks {
        let (least, most) = range(values);
        let Ticks { step, .. } = Ticks::around([least, most]);
        Ticks::by(step.max(1.0), least, most)
    }

    /// Multiples of `step` whose first and last enclose these numbers.
    pub(super) fn by(step: f64, least: f64, most: f64) -> Ticks {
        let least = (least / step + 1e-9).floor() * step;
        let most = ((most / step - 1e-9).ceil() * step).max(least + step);
        Ticks { least, most, step }
    }

    /// Ticks from 0, and the same below 0.
    pub(super) fn both_ways(self) -> Ticks {
        let least = -self.most;
        Ticks { least, ..self }
    }

    /// The share of the way along the axis.
    pub(super) fn share(&self, value: f64) -> f64 {
        (value - self.least) / (self.most - self.least)
    }

    /// Each tick with its share of the way.
    pub(super) fn each(&self) -> impl Iterator<Item = (f64, f64)> + use<> {
        let Ticks { least, step, .. } = *self;
        let count = ((self.most - least) / step).round() as u32;
        (0..=count.min(100)).map(move |at| {
            let share = f64::from(at) / f64::from(count);
            (share, least + f64::from(at) * step)
        })
    }

    /// Each tick's share of the way with its number.
    pub(super) fn labels(
        &self,
        words: impl Fn(f64) -> String,
    ) -> impl Iterator<Item = (f64, String)> {
        self.each().map(move |(share, value)| (share, words(value)))
    }
}

/// The least and the greatest number; 0 and 1 if there is none.
pub(super) fn range(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let values = values.into_iter().filter(|value| value.is_finite());
    values.minmax().into_option().unwrap_or((0.0, 1.0))
}

/// Formats a number for people: no trailing zeros, digits in groups of three (12 345), and a minus sign instead of a hyphen.
pub(super) fn plain(value: f64) -> String {
    let text = match value.abs() {
        100.0.. => format!("{value:.0}"),
        _ => format!("{value:.2}"),
    };
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    let (sign, digits) = match text.strip_prefix('-') {
        Some("0") => ("", "0"),
        Some(digits) => ("−", digits),
        None => ("", text),
    };
    let whole = digits.split('.').next().unwrap_or(digits).len();
    let mut words = String::from(sign);
    for (index, digit) in digits.chars().enumerate() {
        if (1..whole).contains(&index) && (whole - index).is_multiple_of(3) {
            words.push('\u{202f}');
        }
        words.push(digit);
    }
    words
}

/// Formats a value in discs with its sign.
pub(super) fn signed(value: f64) -> String {
    match value > 0.0 {
        true => format!("+{}", plain(value)),
        false => plain(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_enclose_all_values() {
        for peak in [0, 1, 4, 5, 6, 99, 100, 101, 12_345, 4_000_000] {
            let ticks = Ticks::counts(peak);
            assert!(ticks.least == 0.0 && ticks.most >= peak as f64, "{peak}");
            assert!((2..=6).contains(&ticks.each().count()), "{peak}");
        }
        let numbers = |ticks: Ticks| ticks.each().map(|(_, value)| value).collect::<Vec<_>>();
        assert_eq!(
            numbers(Ticks::counts(99)),
            [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]
        );
        assert_eq!(numbers(Ticks::by(4.0, -5.0, 4.0)), [-8.0, -4.0, 0.0, 4.0]);
    }

    /// A run that learned nothing has a constant value.
    #[test]
    fn no_two_ticks_have_the_same_number() {
        let constants = [0.0, 1.0, -3.0, 0.5, 99.0, 250.0, 123_456.0, 4e9].map(|it| vec![it]);
        let ranges = [
            [0.0, 0.01],
            [0.0, 1.0],
            [-1.0, 1.0],
            [0.4, 1.0],
            [123.0, 125.0],
            [1000.0, 1001.0],
        ]
        .map(Vec::from);
        for values in constants.into_iter().chain(ranges) {
            let (least, most) = range(values.iter().copied());
            for ticks in [
                Ticks::around(values.iter().copied()),
                Ticks::whole(values.clone()),
            ] {
                let words: Vec<String> = ticks.labels(plain).map(|(_, words)| words).collect();
                let distinct: std::collections::BTreeSet<&String> = words.iter().collect();
                assert_eq!(distinct.len(), words.len(), "{values:?}: {words:?}");
                assert!(
                    ticks.least <= least + 1e-6 && ticks.most >= most - 1e-6,
                    "{ticks:?}"
                );
                assert!((2..=8).contains(&words.len()), "{values:?}: {words:?}");
            }
        }
    }

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!(plain(7.0), "7");
        assert_eq!(plain(-0.001), "0");
        assert_eq!(plain(2.50), "2.5");
        assert_eq!(plain(-1234.0), "−1\u{202f}234");
        assert_eq!(plain(1_234_567.0), "1\u{202f}234\u{202f}567");
        assert_eq!(
            (signed(2.0), signed(-2.0), signed(0.0)),
            ("+2".into(), "−2".into(), "0".into())
        );
    }
}
