//! `obook level`: the levels of positions and leaves.

use crate::failure::Failure;
use crate::options::destination::Target;
use crate::options::values::levels;
use crate::reports;
use clap::Args;
use obook::write::Report;
use obook::write::level::{NewLevel, Relevel, RelevelCounts, Whose, relevel};
use std::io::Write;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Set or limit the levels of positions and leaves
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    obook level book.obook --at-most 30\n  \
    obook level book.obook --set 21 --where 'level IS NULL'\n  \
    obook level book.obook --at-least 24 --empties ..24 --dry-run\n\n\
    Each level is on the scale of its own engine. Values, bounds and counts are recomputed.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    level: LevelArgs,
    /// Change only the levels of positions, not those of leaves
    #[arg(long, conflicts_with = "leaves")]
    positions: bool,
    /// Change only the levels of leaves, not those of positions
    #[arg(long)]
    leaves: bool,
    /// Only positions with this many empty squares: 20, 10..30, ..30 or 10.., ends included
    #[arg(long, value_name = "RANGE")]
    empties: Option<Empties>,
    /// Only positions that meet this SQL condition on the columns of table positions
    #[arg(long = "where", value_name = "SQL")]
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
}

/// A range of empty squares.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Empties(RangeInclusive<u8>);

impl FromStr for Empties {
    type Err = String;

    fn from_str(text: &str) -> Result<Empties, String> {
        let number = |text: &str, missing: u8| match text {
            "" => Some(missing),
            text => text.parse().ok().filter(|number| *number <= 60),
        };
        let range = match text.split_once("..") {
            Some((from, to)) => number(from, 0).zip(number(to, 60)),
            None => number(text, u8::MAX).map(|it| (it, it)),
        };
        match range {
            Some((from, to)) if from <= to && to <= 60 => Ok(Empties(from..=to)),
            _ => Err(String::from(
                "expected numbers up to 60, such as 20, 10..30, ..30 or 10..",
            )),
        }
    }
}

impl LevelArgs {
    fn new_level(&self) -> NewLevel {
        match self.set {
            Some(level) => NewLevel::Set(level),
            None => NewLevel::Within(self.at_least.unwrap_or(0)..=self.at_most.unwrap_or(u8::MAX)),
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let how = Relevel {
        level: arguments.level.new_level(),
        whose: match (arguments.positions, arguments.leaves) {
            (true, _) => Whose::Positions,
            (_, true) => Whose::Leaves,
            (false, false) => Whose::Both,
        },
        empties: arguments.empties.clone().map(|Empties(range)| range),
        condition: arguments.condition.clone(),
    };
    arguments
        .target
        .rewrite(|target, context| relevel(target, &how, context), describe)
}

fn describe(report: &Report<RelevelCounts>, out: &mut dyn Write) -> Result<(), Failure> {
    let RelevelCounts {
        chosen,
        position_levels,
        leaf_levels,
        ..
    } = report.counts;
    let output = report.rewritten.output.display();
    writeln!(
        out,
        "{output}: {chosen} positions selected; levels changed: {position_levels} positions, {leaf_levels} leaves"
    )?;
    reports::rewritten(&report.rewritten, out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empties_are_read_in_all_their_forms() {
        let range = |text: &str| text.parse::<Empties>().ok().map(|Empties(range)| range);
        assert_eq!(range("20"), Some(20..=20));
        assert_eq!(range("10..30"), Some(10..=30));
        assert_eq!(range("..30"), Some(0..=30));
        assert_eq!(range("10.."), Some(10..=60));
        for wrong in ["", "30..10", "61", "0..61", "a", "1..b", "-1", "1...2"] {
            assert_eq!(range(wrong), None, "{wrong}");
        }
    }
}
