//! Counting a book for pictures of bars.

use super::{Bar, Bars, Palette, Scale, Series};
use crate::{Book, Error, Progress, Result, Store, load};
use obook_graph::accuracy::{AccuracyTable, Grade, Grading, grades};
use rusqlite::Row;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// More levels than these are drawn as ranges of levels.
const MOST_SERIES: usize = 8;

/// The engine's name and the level, where it is known.
type Level = (String, Option<i64>);

/// How many positions there are of each number of empty squares, stacked by level.
///
/// # Errors
/// Where the database can't be read.
pub fn positions_by_empties(store: &Store) -> Result<Bars> {
    let failed = || Error::sqlite(store.path(), "count positions of");
    let mut rows = store
        .connection()
        .prepare(
            "SELECT empties, name, level, count(*) FROM positions LEFT JOIN engines USING (engine)
             GROUP BY empties, engine, level",
        )
        .map_err(failed())?;
    let rows = rows.query_map((), |row| {
        let engine: Option<String> = row.get(1)?;
        let level = (engine.unwrap_or_default(), row.get(2)?);
        Ok((row.get::<_, i64>(0)?, level, count(row, 3)?))
    });
    let rows: Vec<(i64, Level, u64)> = rows.and_then(Iterator::collect).map_err(failed())?;
    let mut levels: BTreeMap<Level, u64> = BTreeMap::new();
    for (_, level, count) in &rows {
        *levels.entry(level.clone()).or_default() += count;
    }
    let groups = groups(&levels);
    let series = |level: &Level| {
        let is_in = |group: &(Series, RangeInclusive<Level>)| group.1.contains(level);
        groups
            .iter()
            .position(is_in)
            .expect("each level has its group")
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
        // A game goes from left to right.
        bars: contiguous(bars, groups.len()).rev().collect(),
        series: groups.into_iter().map(|(series, _)| series).collect(),
    })
}

/// A count, which is never below 0.
fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(row.get::<_, i64>(column)?.unsigned_abs())
}

/// The levels one by one, or in ranges that hold about as many positions each.
fn groups(levels: &BTreeMap<Level, u64>) -> Vec<(Series, RangeInclusive<Level>)> {
    let engines: Vec<&String> = levels.keys().map(|(engine, _)| engine).collect();
    let one_engine = engines.windows(2).all(|pair| pair[0] == pair[1]);
    let total: u64 = levels.values().sum();
    let few = levels.len() <= MOST_SERIES;
    let mut groups: Vec<(Series, RangeInclusive<Level>)> = Vec::new();
    let mut share = usize::MAX;
    let mut before = 0;
    for (level, count) in levels {
        // The middle of this level's positions tells its share of the whole.
        let middle = before + count / 2;
        before += count;
        let place = (u128::from(middle) * MOST_SERIES as u128 / u128::from(total.max(1))) as usize;
        match groups.last_mut() {
            Some((_, range))
                if !few
                    && place == share
                    && range.start().0 == level.0
                    && range.start().1.is_some() =>
            {
                *range = range.start().clone()..=level.clone();
            }
            _ => {
                let series = Series {
                    name: String::new(),
                    unknown: level.1.is_none(),
                };
                groups.push((series, level.clone()..=level.clone()));
            }
        }
        share = place;
    }
    for (series, range) in &mut groups {
        let what = if one_engine {
            "level"
        } else {
            range.start().0.as_str()
        };
        series.name = match (range.start().1, range.end().1) {
            (Some(first), Some(last)) if first != last => format!("{what} {first}–{last}"),
            (Some(level), _) => format!("{what} {level}"),
            (None, _) => format!("{what} unknown"),
        };
    }
    groups
}

/// Bars for all numbers from the first to the last, also where there is nothing.
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

/// How many positions have each value, for the side to move: lost, even, won. Positions without a value are left out.
///
/// # Errors
/// Where the database can't be read.
pub fn positions_by_score(store: &Store) -> Result<Bars> {
    let failed = || Error::sqlite(store.path(), "count scores of");
    let mut rows = store
        .connection()
        .prepare("SELECT value, count(*) FROM positions WHERE value NOT NULL GROUP BY value")
        .map_err(failed())?;
    let rows = rows.query_map((), |row| Ok((row.get::<_, i64>(0)?, count(row, 1)?)));
    let rows: Vec<(i64, u64)> = rows.and_then(Iterator::collect).map_err(failed())?;
    let bars = rows.into_iter().map(|(value, count)| {
        let mut counts = vec![0; 3];
        counts[(value.signum() + 1) as usize] = count;
        (value, counts)
    });
    let series = ["lost", "even", "won"].map(|name| Series {
        name: name.to_owned(),
        unknown: false,
    });
    Ok(Bars {
        title: String::from("Positions by value"),
        across: String::from("value in discs, for the side to move"),
        up: String::from("positions"),
        scale: Scale::Counts,
        palette: Palette::Balance,
        series: series.into(),
        bars: contiguous(bars.collect(), 3).collect(),
    })
}

/// Which part of the positions has each of Egaroucid's grades, by the number of discs played.
///
/// # Errors
/// Where the book can't be read, or has more positions than fit in memory.
pub fn accuracy_by_ply(book: &Book, rules: Grading, progress: &Progress) -> Result<Bars> {
    let graph = load(book, progress)?;
    let table = AccuracyTable::new(&graph, &grades(&graph, rules));
    let rows = table.by_empties.iter().map(|(empties, row)| {
        let count = |grade: &Grade| row.get(grade).copied().unwrap_or(0);
        (
            60 - i64::from(*empties),
            Grade::ALL.iter().map(count).collect(),
        )
    });
    let series = Grade::ALL.map(|grade| Series {
        name: grade.name().to_owned(),
        unknown: false,
    });
    Ok(Bars {
        title: String::from("Accuracy by discs played"),
        across: String::from("discs played"),
        up: String::from("part of the positions with each grade"),
        scale: Scale::Shares,
        palette: Palette::Grades,
        series: series.into(),
        bars: contiguous(rows.collect(), Grade::ALL.len()).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
