//! Stacked bars, and the counts of a book that they show.

use super::axes::{Area, TOP, Ticks, WIDTH, plain};
use super::markup::Markup;
use super::svg::{Palette, UNKNOWN_COLOUR, number, series_colour};
use crate::{Book, Context, Error, Result, Store, load_in_slabs};
use itertools::Itertools;
use obook_base::sqlite::all_rows;
use obook_graph::accuracy::{AccuracyTable, Grade, Grading};
use obook_othello::Line;
use rusqlite::Row;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// A picture of stacked bars side by side.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Bars {
    /// The title.
    pub title: String,
    /// The label below the bars.
    pub across: String,
    /// The label of the heights.
    pub up: String,
    /// The scale of the heights.
    pub scale: Scale,
    /// The colours.
    pub palette: Palette,
    /// The parts of each bar, from the bottom up.
    pub series: Vec<Series>,
    /// The bars from left to right.
    pub bars: Vec<Bar>,
}

/// A part that each bar has.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Series {
    /// The name in the legend. If all names are empty, there is no legend.
    pub name: String,
    /// Whether it stands for unknown data, which is grey.
    pub unknown: bool,
}

impl Series {
    fn known(name: &str) -> Series {
        Series {
            name: name.to_owned(),
            unknown: false,
        }
    }
}

/// One bar.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Bar {
    /// The number below it.
    pub at: i64,
    /// The count of each series.
    pub counts: Vec<u64>,
}

impl Bar {
    /// The total count.
    #[must_use]
    pub fn total(&self) -> u64 {
        sum(self.counts.iter().copied())
    }
}

/// The sum, or the greatest number if it is less.
fn sum(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}

/// The scale of the bars' heights.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Scale {
    /// The height of a bar is its count.
    Counts,
    /// All bars have the same height, and their parts are shares.
    Shares,
}

const HEIGHT: f64 = 500.0;
/// The space for the legend.
const LEGEND: f64 = 174.0;
/// The space at the right side without a legend.
const EDGE: f64 = 28.0;

impl Bars {
    /// Draws the picture.
    ///
    /// ```
    /// use obook::plot::{Bar, Bars, Palette, Scale, Series};
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
        let total = sum(self.bars.iter().map(Bar::total));
        let counted = match self.scale {
            Scale::Counts => &self.up,
            Scale::Shares => "positions",
        };
        let note = format!("{} {counted}", plain(total as f64));
        let (size, description) = ([WIDTH, HEIGHT], self.description(total));
        let mut svg = Markup::picture(size, &self.title, &note, &description, &self.style());
        let beside = if self.has_legend() { LEGEND } else { EDGE };
        let area = Area::of(HEIGHT, beside);
        let peak = self.bars.iter().map(Bar::total).max().unwrap_or(0);
        let (ticks, unit) = match self.scale {
            Scale::Counts => (Ticks::counts(peak), ""),
            Scale::Shares => (Ticks::by(25.0, 0.0, 100.0), " %"),
        };
        let words = |value| format!("{}{unit}", plain(value));
        area.draw_up(&mut svg, &self.up, ticks.labels(words));
        let slots = self.bars.len().max(1) as f64;
        let slot = (area.right - area.left) / slots;
        svg.open("g", &[("class", "bars")]);
        for (index, bar) in self.bars.iter().enumerate() {
            let top = match self.scale {
                Scale::Counts => ticks.most,
                Scale::Shares => bar.total() as f64,
            };
            let place = [area.left + slot * index as f64, slot];
            self.draw_bar(&mut svg, bar, area, place, top);
        }
        svg.close();
        let stride = stride(slot);
        let bars = self.bars.iter().enumerate();
        let numbered = bars.filter(|(_, bar)| bar.at % stride == 0);
        let numbers = numbered.map(|(index, bar)| {
            let share = (index as f64 + 0.5) / slots;
            (share, plain(bar.at as f64))
        });
        area.draw_across(&mut svg, &self.across, numbers);
        if self.has_legend() {
            self.draw_legend(&mut svg, area.right + 28.0);
        }
        svg.finish()
    }

    fn has_legend(&self) -> bool {
        self.series.iter().any(|series| !series.name.is_empty())
    }

    fn description(&self, total: u64) -> String {
        let most = self.bars.iter().max_by_key(|bar| (bar.total(), bar.at));
        let most = most.map_or_else(String::new, |bar| {
            format!(" The highest, {}, is at {}.", bar.total(), bar.at)
        });
        let (bars, across) = (self.bars.len(), &self.across);
        format!("{bars} bars by {across}; total {total}.{most}")
    }

    fn style(&self) -> String {
        let known = self.series.iter().filter(|series| !series.unknown).count();
        let mut places = 0..;
        let rules = self.series.iter().enumerate().map(|(index, series)| {
            let place = if series.unknown { None } else { places.next() };
            let colour = place.map(|place| series_colour(self.palette, place, known));
            let colour = colour.as_deref().unwrap_or(UNKNOWN_COLOUR);
            format!(".s{index}{{fill:{colour}}}")
        });
        rules.collect()
    }

    /// Draws a bar in a slot, given by its left end and its width.
    fn draw_bar(&self, svg: &mut Markup, bar: &Bar, area: Area, [x, slot]: [f64; 2], top: f64) {
        svg.open("g", &[("class", "bar"), ("data-at", &bar.at.to_string())]);
        svg.words("title", &[], &self.tooltip(bar));
        let gap = (slot * 0.16).min(4.0);
        let mut below = 0_u64;
        let counts = bar.counts.iter().enumerate();
        for (index, count) in counts.filter(|(_, count)| **count > 0) {
            let y = |count: u64| area.y(count as f64 / top.max(1.0));
            let from = y(below);
            below = below.saturating_add(*count);
            let to = y(below);
            let place = [x + gap / 2.0, to, slot - gap, from - to];
            let count = [("data-count", &*count.to_string())];
            svg.rectangle(&format!("s{index}"), place, &count);
        }
        svg.close();
    }

    /// The tooltip of a bar.
    fn tooltip(&self, bar: &Bar) -> String {
        let parts = self.series.iter().zip(&bar.counts);
        let parts = parts.filter(|(series, count)| **count > 0 && !series.name.is_empty());
        let mut parts =
            parts.map(|(series, count)| format!("{}: {}", series.name, plain(*count as f64)));
        let total = format!("{}: {}", bar.at, plain(bar.total() as f64));
        match &*parts.join(", ") {
            "" => total,
            parts => format!("{total} ({parts})"),
        }
    }

    /// The series from top to bottom, as in the bars.
    fn draw_legend(&self, svg: &mut Markup, x: f64) {
        svg.open("g", &[("class", "legend")]);
        for (row, (index, series)) in self.series.iter().enumerate().rev().enumerate() {
            let y = TOP + 22.0 * row as f64;
            let place = [x, y, 13.0, 13.0];
            svg.rectangle(&format!("s{index}"), place, &[("rx", &number(2.5))]);
            svg.label("", x + 21.0, y + 11.0, &series.name);
        }
        svg.close();
    }
}

/// The distance of the numbers below bars of this width.
fn stride(slot: f64) -> i64 {
    const ROOM: f64 = 30.0;
    let strides = [1, 2, 5, 10, 20, 50].into_iter();
    let mut roomy = strides.filter(|stride| slot * *stride as f64 >= ROOM);
    roomy.next().unwrap_or(100)
}

/// If there are more levels than this, they are drawn as ranges.
const MOST_SERIES: usize = 8;

/// The engine's name and the level, if known.
type Level = (String, Option<i64>);

/// Counts positions by empty squares and level.
///
/// # Errors
/// Returns an error if the database can't be read.
pub fn positions_by_empties(store: &Store) -> Result<Bars> {
    let failed = Error::sqlite(store.path(), "count positions of");
    let sql =
        "SELECT empties, name, level, count(*) FROM positions LEFT JOIN engines USING (engine)
         GROUP BY empties, engine, level";
    let counted = |row: &Row<'_>| {
        let engine: Option<String> = row.get(1)?;
        let level = (engine.unwrap_or_default(), row.get(2)?);
        Ok((row.get(0)?, level, count(row, 3)?))
    };
    let rows: Vec<(i64, Level, u64)> =
        all_rows(store.connection(), sql, [], counted).map_err(failed)?;
    let mut levels: BTreeMap<Level, u64> = BTreeMap::new();
    for (_, level, count) in &rows {
        *levels.entry(level.clone()).or_default() += count;
    }
    let groups = groups(&levels);
    let series = |level: &Level| {
        let group = groups.iter().position(|(_, range)| range.contains(level));
        group.expect("each level has its group")
    };
    let mut bars: BTreeMap<i64, Vec<u64>> = BTreeMap::new();
    for (empties, level, count) in &rows {
        let counts = bars.entry(*empties);
        counts.or_insert_with(|| vec![0; groups.len()])[series(level)] += count;
    }
    Ok(Bars {
        title: String::from("Positions by empty squares and level"),
        across: String::from("empty squares"),
        up: String::from("positions"),
        scale: Scale::Counts,
        palette: Palette::Rising,
        // From the start of the game to its end.
        bars: contiguous(bars, groups.len()).rev().collect(),
        series: groups.into_iter().map(|(series, _)| series).collect(),
    })
}

/// How often each final score is expected in a thousand games from the position at the end of a line. Returns `None` if the book
/// doesn't say.
///
/// # Errors
/// Returns an error if the database can't be read.
pub fn chances(store: &Store, line: &Line) -> Result<Option<Bars>> {
    const GAMES: f64 = 1000.0;
    let Some(forecast) = store.forecast(line.board().canonical())? else {
        return Ok(None);
    };
    // Rounding sums keeps their sum.
    let (mut sum, mut games) = (0.0, 0);
    let bars = forecast.chances().map(|(score, probability)| {
        sum += probability;
        let before = std::mem::replace(&mut games, (sum * GAMES).round() as u64);
        Bar {
            at: score.into(),
            counts: vec![games.saturating_sub(before)],
        }
    });
    let after = match line.moves() {
        [] => "at the start".to_owned(),
        _ => format!("after {line}"),
    };
    Ok(Some(Bars {
        title: format!("Final scores expected {after}"),
        across: String::from("score for the side to move"),
        up: String::from("games"),
        scale: Scale::Counts,
        palette: Palette::Rising,
        series: vec![Series::known("")],
        bars: bars.collect(),
    }))
}

/// Reads a count, which is never negative.
fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(row.get::<_, i64>(column)?.unsigned_abs())
}

/// Each level by itself, or ranges of levels with similar numbers of positions.
fn groups(levels: &BTreeMap<Level, u64>) -> Vec<(Series, RangeInclusive<Level>)> {
    let one_engine = levels.keys().map(|(engine, _)| engine).all_equal();
    let total: u64 = levels.values().sum();
    let mut before = 0;
    let placed = levels.iter().map(|(level, count)| {
        // The middle of this level's positions decides which range it belongs to.
        let middle = before + count / 2;
        before += count;
        let place = u128::from(middle) * MOST_SERIES as u128 / u128::from(total.max(1));
        (level, place)
    });
    let placed: Vec<(&Level, u128)> = placed.collect();
    let are_many = levels.len() > MOST_SERIES;
    let are_together = |(one, place): &(&Level, u128), (next, next_place): &(&Level, u128)| {
        are_many && one.0 == next.0 && one.1.is_some() && place == next_place
    };
    let groups = placed.chunk_by(are_together).map(|group| {
        let (first, last) = (group[0].0, group[group.len() - 1].0);
        let what = if one_engine { "level" } else { &*first.0 };
        let name = match (first.1, last.1) {
            (Some(first), Some(last)) if first != last => format!("{what} {first}–{last}"),
            (Some(level), _) => format!("{what} {level}"),
            (None, _) => format!("{what} unknown"),
        };
        let unknown = first.1.is_none();
        (Series { name, unknown }, first.clone()..=last.clone())
    });
    groups.collect()
}

/// Bars for all numbers from the first to the last, including empty ones.
fn contiguous(
    bars: BTreeMap<i64, Vec<u64>>,
    series: usize,
) -> impl DoubleEndedIterator<Item = Bar> {
    let first = bars.keys().next().copied().unwrap_or(0);
    let last = bars.keys().next_back().copied().unwrap_or(-1);
    // A damaged database may hold any number.
    let last = last.min(first.saturating_add(200));
    (first..=last).map(move |at| Bar {
        at,
        counts: bars.get(&at).cloned().unwrap_or_else(|| vec![0; series]),
    })
}

/// Counts positions by value for the side to move. Positions without a value are left out.
///
/// # Errors
/// Returns an error if the database can't be read.
pub fn positions_by_score(store: &Store) -> Result<Bars> {
    let failed = Error::sqlite(store.path(), "count scores of");
    let sql = "SELECT value, count(*) FROM positions WHERE value NOT NULL GROUP BY value";
    let counted = |row: &Row<'_>| Ok((row.get(0)?, count(row, 1)?));
    let rows: Vec<(i64, u64)> = all_rows(store.connection(), sql, [], counted).map_err(failed)?;
    let bars = rows.into_iter().map(|(value, count)| {
        let mut counts = vec![0; 3];
        counts[(value.signum() + 1) as usize] = count;
        (value, counts)
    });
    Ok(Bars {
        title: String::from("Positions by value"),
        across: String::from("value in discs, for the side to move"),
        up: String::from("positions"),
        scale: Scale::Counts,
        palette: Palette::Balance,
        series: ["lost", "even", "won"].map(Series::known).into(),
        bars: contiguous(bars.collect(), 3).collect(),
    })
}

/// The shares of Egaroucid's grades, by the number of discs played.
///
/// # Errors
/// Returns an error if the book can't be read, or temporary files can't be written.
pub fn accuracy_by_ply(book: &Book, rules: Grading, context: &Context) -> Result<Bars> {
    let mut slabs = load_in_slabs(book, context)?;
    let table = AccuracyTable::new(&mut slabs, rules).map_err(Error::of_slabs(book.path()))?;
    let rows = table.by_empties.iter().map(|(empties, row)| {
        let count = |grade: &Grade| row.get(grade).copied().unwrap_or(0);
        let counts: Vec<u64> = Grade::ALL.iter().map(count).collect();
        (60 - i64::from(*empties), counts)
    });
    Ok(Bars {
        title: String::from("Accuracy by discs played"),
        across: String::from("discs played"),
        up: String::from("share of positions with each grade"),
        scale: Scale::Shares,
        palette: Palette::Grades,
        series: Grade::ALL.map(|grade| Series::known(grade.name())).into(),
        bars: contiguous(rows.collect(), Grade::ALL.len()).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_beyond_the_greatest_number_are_drawn() {
        for scale in [Scale::Counts, Scale::Shares] {
            let counts = vec![u64::MAX, 1];
            let bars = Bars {
                title: String::new(),
                across: String::new(),
                up: String::new(),
                scale,
                palette: Palette::Rising,
                series: ["a", "b"].map(Series::known).into(),
                bars: [i64::MIN, i64::MAX]
                    .map(|at| Bar {
                        at,
                        counts: counts.clone(),
                    })
                    .into(),
            };
            assert_eq!(bars.bars[0].total(), u64::MAX);
            let svg = bars.to_svg();
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }

    #[test]
    fn many_levels_become_ranges() {
        let level = |level: i64| (String::from("edax"), Some(level));
        let few: BTreeMap<Level, u64> = (1..=8).map(|n| (level(n), 1)).collect();
        assert_eq!(groups(&few).len(), 8);
        let mut many: BTreeMap<Level, u64> = (1..=40).map(|n| (level(n), 10)).collect();
        many.insert((String::from("edax"), None), 3);
        let groups = groups(&many);
        assert!(groups.len() <= MOST_SERIES + 1, "{groups:?}");
        assert!(groups[0].0.unknown);
        for level in many.keys() {
            assert_eq!(
                groups
                    .iter()
                    .filter(|group| group.1.contains(level))
                    .count(),
                1
            );
        }
        assert!(groups[1].0.name.starts_with("level 1–"), "{groups:?}");
    }
}
