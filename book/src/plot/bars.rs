//! Bars made of parts: how many there are of each kind.

use super::colour::{self, Palette};
use super::svg::{Svg, number};
use serde::Serialize;

/// A picture of bars side by side.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Bars {
    /// What it shows.
    pub title: String,
    /// What stands below the bars.
    pub across: String,
    /// What their heights mean.
    pub up: String,
    /// How high a bar is.
    pub scale: Scale,
    /// Where the colours come from.
    pub palette: Palette,
    /// What the parts of a bar are, from below.
    pub series: Vec<Series>,
    /// From left to right.
    pub bars: Vec<Bar>,
}

/// A kind of part.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Series {
    /// Its name in the legend; where it is empty there is no legend.
    pub name: String,
    /// Whether it stands for what is not known, which has no colour.
    pub unknown: bool,
}

/// One bar.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Bar {
    /// The number below it.
    pub at: i64,
    /// How many there are of each series.
    pub counts: Vec<u64>,
}

impl Bar {
    /// All that it stands for.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }
}

/// How high a bar is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// As high as its count.
    Counts,
    /// All are as high: parts are shares.
    Shares,
}

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 480.0;
const LEFT: f64 = 76.0;
const TOP: f64 = 84.0;
const BOTTOM: f64 = HEIGHT - 58.0;
/// How wide the legend is.
const LEGEND: f64 = 150.0;

impl Bars {
    /// The picture.
    ///
    /// ```
    /// use obook_book::plot::{Bar, Bars, Palette, Scale, Series};
    /// let bars = Bars {
    ///     title: "Positions".into(),
    ///     across: "empty squares".into(),
    ///     up: "positions".into(),
    ///     scale: Scale::Counts,
    ///     palette: Palette::Rising,
    ///     series: vec![Series { name: "level 21".into(), unknown: false }],
    ///     bars: vec![Bar { at: 60, counts: vec![1] }, Bar { at: 59, counts: vec![1] }],
    /// };
    /// assert!(bars.to_svg().contains("<title>60: 1 (level 21: 1)</title>"));
    /// ```
    #[must_use]
    pub fn to_svg(&self) -> String {
        let mut svg = Svg::new(
            WIDTH,
            HEIGHT,
            &self.title,
            &self.description(),
            &self.style(),
        );
        svg.label("title", LEFT, 34.0, &self.title);
        svg.label("note", LEFT, 56.0, &self.up);
        let right = WIDTH
            - if self.has_legend() {
                LEGEND + 24.0
            } else {
                28.0
            };
        let peak = self.bars.iter().map(Bar::total).max().unwrap_or(0);
        let ticks = match self.scale {
            Scale::Counts => Ticks::up_to(peak),
            Scale::Shares => Ticks { step: 25, top: 100 },
        };
        self.draw_grid(&mut svg, &ticks, right);
        let slot = (right - LEFT) / self.bars.len().max(1) as f64;
        svg.open("g", &[("class", "bars")]);
        for (index, bar) in self.bars.iter().enumerate() {
            let top = match self.scale {
                Scale::Counts => ticks.top,
                Scale::Shares => bar.total(),
            };
            self.draw_bar(&mut svg, bar, LEFT + slot * index as f64, slot, top);
        }
        svg.close();
        self.draw_numbers(&mut svg, slot);
        svg.label(
            "note middle",
            (LEFT + right) / 2.0,
            HEIGHT - 14.0,
            &self.across,
        );
        if self.has_legend() {
            self.draw_legend(&mut svg, right + 28.0);
        }
        svg.finish()
    }

    fn has_legend(&self) -> bool {
        self.series.iter().any(|series| !series.name.is_empty())
    }

    fn description(&self) -> String {
        let total: u64 = self.bars.iter().map(Bar::total).sum();
        let most = self.bars.iter().max_by_key(|bar| (bar.total(), bar.at));
        let most = most.map_or_else(String::new, |bar| {
            format!(" The most, {}, are at {}.", bar.total(), bar.at)
        });
        format!(
            "{} bars by {}; together {total}.{most}",
            self.bars.len(),
            self.across
        )
    }

    fn style(&self) -> String {
        let known = self.series.iter().filter(|series| !series.unknown).count();
        let mut style = String::new();
        let mut place = 0;
        for (index, series) in self.series.iter().enumerate() {
            let colour = if series.unknown {
                colour::UNKNOWN.to_owned()
            } else {
                place += 1;
                colour::of_series(self.palette, place - 1, known)
            };
            style.push_str(&format!(".s{index}{{fill:{colour}}}"));
        }
        style
    }

    fn draw_grid(&self, svg: &mut Svg, ticks: &Ticks, right: f64) {
        for tick in ticks.all() {
            let y = BOTTOM - (BOTTOM - TOP) * tick as f64 / ticks.top as f64;
            let class = if tick == 0 { "axis" } else { "grid" };
            svg.line_between(class, [LEFT, y], [right, y]);
            let unit = match self.scale {
                Scale::Counts => "",
                Scale::Shares => " %",
            };
            let words = format!("{}{unit}", grouped(tick));
            svg.label("number end", LEFT - 8.0, y + 4.5, &words);
        }
    }

    fn draw_bar(&self, svg: &mut Svg, bar: &Bar, x: f64, slot: f64, top: u64) {
        svg.open("g", &[("class", "bar"), ("data-at", &bar.at.to_string())]);
        svg.words("title", &[], &self.tell(bar));
        let gap = (slot * 0.16).min(4.0);
        let mut below = 0;
        for (index, count) in bar
            .counts
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
        {
            let y = |count: u64| BOTTOM - (BOTTOM - TOP) * count as f64 / top.max(1) as f64;
            let (from, to) = (y(below), y(below + count));
            below += count;
            let place = [x + gap / 2.0, to, slot - gap, from - to];
            svg.rectangle(
                &format!("s{index}"),
                place,
                &[("data-count", &count.to_string())],
            );
        }
        svg.close();
    }

    /// A bar in words.
    fn tell(&self, bar: &Bar) -> String {
        let parts: Vec<String> = self
            .series
            .iter()
            .zip(&bar.counts)
            .filter(|(series, count)| **count > 0 && !series.name.is_empty())
            .map(|(series, count)| format!("{}: {}", series.name, grouped(*count)))
            .collect();
        let total = format!("{}: {}", bar.at, grouped(bar.total()));
        match &parts[..] {
            [] => total,
            parts => format!("{total} ({})", parts.join(", ")),
        }
    }

    /// The numbers below the bars: as many as there is room for.
    fn draw_numbers(&self, svg: &mut Svg, slot: f64) {
        const ROOM: f64 = 30.0;
        let stride = [1, 2, 5, 10, 20, 50]
            .into_iter()
            .find(|stride| slot * *stride as f64 >= ROOM)
            .unwrap_or(100);
        for (index, bar) in self.bars.iter().enumerate() {
            if bar.at % stride == 0 {
                let x = LEFT + slot * (index as f64 + 0.5);
                svg.label("number middle", x, BOTTOM + 20.0, &minus(bar.at));
            }
        }
    }

    /// The series from above, as they lie in the bars.
    fn draw_legend(&self, svg: &mut Svg, x: f64) {
        svg.open("g", &[("class", "legend")]);
        for (row, (index, series)) in self.series.iter().enumerate().rev().enumerate() {
            let y = TOP + 22.0 * row as f64;
            svg.rectangle(
                &format!("s{index}"),
                [x, y, 13.0, 13.0],
                &[("rx", &number(2.5))],
            );
            svg.label("", x + 21.0, y + 11.0, &series.name);
        }
        svg.close();
    }
}

/// Round numbers beside an axis.
struct Ticks {
    step: u64,
    top: u64,
}

impl Ticks {
    /// Up to six of them, the last at or above `peak`.
    fn up_to(peak: u64) -> Ticks {
        let peak = peak.max(1);
        let powers = (0..19).map(|exponent| 10u64.pow(exponent));
        let step = powers
            .flat_map(|power| [1, 2, 5].map(|digit| power.saturating_mul(digit)))
            .find(|step| peak.div_ceil(*step) <= 5)
            .unwrap_or(u64::MAX);
        Ticks {
            step,
            top: step.saturating_mul(peak.div_ceil(step)),
        }
    }

    fn all(&self) -> impl Iterator<Item = u64> {
        (0..=self.top / self.step).map(|number| number * self.step)
    }
}

/// 12345 as 12 345.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// With a minus sign instead of a hyphen.
fn minus(number: i64) -> String {
    number.to_string().replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_reach_the_peak() {
        for peak in [0, 1, 4, 5, 6, 99, 100, 101, 12_345, 4_000_000, u64::MAX / 4] {
            let ticks = Ticks::up_to(peak);
            assert!(ticks.top >= peak && ticks.top > 0, "{peak}");
            assert!((2..=6).contains(&ticks.all().count()), "{peak}");
        }
        assert_eq!(
            Ticks::up_to(99).all().collect::<Vec<_>>(),
            [0, 20, 40, 60, 80, 100]
        );
    }

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1234), "1\u{202f}234");
        assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(minus(-2), "−2");
    }
}
