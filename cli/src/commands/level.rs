//! `obook level`: the levels of positions and leaves, and the engines whose levels they are.

use crate::options::values::known_engines;
use crate::prelude::*;
use crate::reports;
use clap::Args;
use obook::write::Report;
use obook::write::engine::{EngineCounts, NewEngine, ReplacedEngine, replace_engine};
use obook::write::level::{NewLevel, Relevel, RelevelCounts, Whose, relevel};
use obook::{Engine, Place};
use std::ops::RangeInclusive;

/// Set or limit the levels of positions and leaves, or say whose they are
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    obook level book.obook --at-most 30\n  \
    obook level book.obook --set 21 --where 'level IS NULL'\n  \
    obook level book.obook --at-least 24 --empties ..24 --dry-run\n  \
    obook level book.obook --engine 'tiny 1.0' --place 'above edax'\n\n\
    Each level is on the scale of its own engine. --engine gives all searches of an engine another name, scale or place; \
    `obook info` lists such engines. Values, bounds and counts are recomputed.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    level: LevelArgs,
    #[command(flatten)]
    becomes: BecomesArgs,
    /// Change only the levels of positions, not those of leaves
    #[arg(long, conflicts_with_all = ["leaves", "engine"])]
    positions: bool,
    /// Change only the levels of leaves, not those of positions
    #[arg(long, conflicts_with = "engine")]
    leaves: bool,
    /// Only positions with this many empty squares: 20, 10..30, ..30 or 10.., ends included
    #[arg(long, value_name = "RANGE", value_parser = empties, conflicts_with = "engine")]
    empties: Option<RangeInclusive<u8>>,
    /// Only positions that meet this SQL condition on the columns of table positions
    #[arg(long = "where", value_name = "SQL", conflicts_with = "engine")]
    condition: Option<String>,
}

/// The new levels.
#[derive(Clone, Debug, Args)]
#[group(required = true, multiple = true)]
struct LevelArgs {
    /// Set every level to this one
    #[arg(long, value_name = "LEVEL", conflicts_with_all = ["at_most", "at_least"], value_parser = levels(70), hide_possible_values = true)]
    set: Option<u8>,
    /// Lower higher levels to this one
    #[arg(long, value_name = "LEVEL", value_parser = levels(70), hide_possible_values = true)]
    at_most: Option<u8>,
    /// Raise lower levels to this one; unknown levels stay unknown
    #[arg(long, value_name = "LEVEL", value_parser = levels(70), hide_possible_values = true)]
    at_least: Option<u8>,
    /// Change the engine of this name
    #[arg(long, value_name = "NAME", requires = "BecomesArgs", conflicts_with_all = ["set", "at_most", "at_least"])]
    engine: Option<String>,
}

/// The new name, scale and place of an engine.
#[derive(Clone, Debug, Args)]
#[group(multiple = true, requires = "engine", conflicts_with_all = ["set", "at_most", "at_least"])]
struct BecomesArgs {
    /// Name of the engine from now on
    #[arg(long)]
    name: Option<String>,
    /// Engine on whose scale its levels are
    #[arg(long, value_name = "ENGINE", value_parser = known_engines())]
    scale: Option<Engine>,
    /// Its place among the engines that obook knows: unknown, or such as 'above edax'
    #[arg(long)]
    place: Option<Place>,
}

/// Reads a range of empty squares.
fn empties(text: &str) -> Result<RangeInclusive<u8>, &'static str> {
    let number = |text: &str, missing: u8| match text {
        "" => Some(missing),
        text => text.parse().ok().filter(|number| *number <= 60),
    };
    let range = match text.split_once("..") {
        Some((from, to)) => number(from, 0).zip(number(to, 60)),
        None => number(text, u8::MAX).map(|it| (it, it)),
    };
    match range {
        Some((from, to)) if from <= to && to <= 60 => Ok(from..=to),
        _ => Err("expected numbers up to 60, such as 20, 10..30, ..30 or 10.."),
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(engine) = &arguments.level.engine {
        let BecomesArgs { name, scale, place } = arguments.becomes.clone();
        let new = NewEngine { name, scale, place };
        return arguments.target.rewrite(
            |target, context| replace_engine(target, engine, &new, context),
            describe_engines,
        );
    }
    let new = &arguments.level;
    let how = Relevel {
        level: match new.set {
            Some(level) => NewLevel::Set(level),
            None => NewLevel::Within(new.at_least.unwrap_or(0)..=new.at_most.unwrap_or(u8::MAX)),
        },
        whose: match (arguments.positions, arguments.leaves) {
            (true, _) => Whose::Positions,
            (_, true) => Whose::Leaves,
            (false, false) => Whose::Both,
        },
        empties: arguments.empties.clone(),
        condition: arguments.condition.clone(),
    };
    arguments
        .target
        .rewrite(|target, context| relevel(target, &how, context), describe)
}

fn describe(report: &Report<RelevelCounts>, out: &mut dyn Write) -> io::Result<()> {
    let counts = &report.counts;
    let (chosen, positions, leaves) = (counts.chosen, counts.position_levels, counts.leaf_levels);
    let output = report.rewritten.output.display();
    writeln!(
        out,
        "{output}: {chosen} positions selected; levels changed: {positions} positions, {leaves} leaves"
    )?;
    reports::rewritten(&report.rewritten, out)
}

fn describe_engines(report: &Report<EngineCounts>, out: &mut dyn Write) -> io::Result<()> {
    let counts = &report.counts;
    let (positions, leaves) = (counts.positions, counts.leaves);
    let output = report.rewritten.output.display();
    for ReplacedEngine { before, now, .. } in &counts.engines {
        writeln!(out, "{output}: {before} is now {now}")?;
    }
    writeln!(
        out,
        "{output}: searches of {positions} positions and {leaves} leaves"
    )?;
    reports::rewritten(&report.rewritten, out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empties_are_read_in_all_their_forms() {
        let range = |text: &str| empties(text).ok();
        assert_eq!(range("20"), Some(20..=20));
        assert_eq!(range("10..30"), Some(10..=30));
        assert_eq!(range("..30"), Some(0..=30));
        assert_eq!(range("10.."), Some(10..=60));
        for wrong in ["", "30..10", "61", "0..61", "a", "1..b", "-1", "1...2"] {
            assert_eq!(range(wrong), None, "{wrong}");
        }
    }
}
