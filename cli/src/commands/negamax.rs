//! `obook negamax`: numbers recomputed.

use crate::options::values::rule_sets;
use crate::prelude::*;
use obook::write::fix::Steps;
use obook_othello::RuleSet;

/// Recompute values, bounds, counts and lines from the leaves up
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  obook negamax book.obook\n  obook negamax book.obook --rules egaroucid\n\n\
    A pass that the rules don't allow, entered by hand, can lead back to an earlier position. A position that depends on one has the \
    score of a game that begins there, with a repetition worth 0, or --repetition; its bounds and counts are NULL. A player who reaches \
    it through such a pass may get another score, which `obook show` marks with ~ and nothing stores. `obook link` and `obook fix` \
    remove such passes, and `obook verify` reports them."
)]
pub(crate) struct Arguments {
    /// Rules to compute by, which become the book's [default: the book's]
    #[arg(long, value_parser = rule_sets())]
    rules: Option<RuleSet>,
    /// Value of returning to an earlier position, in discs for the side that returns; relevant only for hand-written passes
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true,
          allow_negative_numbers = true, value_parser = clap::value_parser!(i8).range(-64..=64))]
    repetition: i8,
    #[command(flatten)]
    database: Recomputing,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.database.run(Steps::Negamax {
        rules: arguments.rules,
        repetition: arguments.repetition,
    })
}
