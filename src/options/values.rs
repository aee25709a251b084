//! Values of options that are names of the library's.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use obook_book::graph::accuracy::Grading;
use obook_book::read::diff::Field;
use obook_converters::RuleSet;

/// Whose rules a book's numbers follow.
pub(crate) fn rule_sets() -> impl TypedValueParser<Value = RuleSet> {
    one_of(&RuleSet::ALL, RuleSet::name, |rules| match rules {
        RuleSet::Edax => {
            "Values over leaves and links, bounds, outcomes; lines count leaves by paths"
        }
        RuleSet::Egaroucid => "Values over links; lines count positions by paths",
        RuleSet::EgaroucidEdax => {
            "Values over leaves and links, as Egaroucid's \"Edax\" fix computes them; lines count positions by paths"
        }
    })
}

/// How positions are graded.
pub(crate) fn gradings() -> impl TypedValueParser<Value = Grading> {
    one_of(&Grading::ALL, Grading::name, |grading| match grading {
        Grading::Published => "The published definition",
        Grading::Egaroucid => {
            "The engine's own code: leaves that are midgame ends are left out, and it answers D for E"
        }
    })
}

/// What books can say about a position.
pub(crate) fn fields() -> impl TypedValueParser<Value = Field> {
    one_of(&Field::ALL, Field::name, |field| match field {
        Field::Value => "Score of the best move",
        Field::Bounds => "What the value may be, given the errors of the searches below",
        Field::Level => "Level of the search, with its engine; of leaves too",
        Field::Outcomes => "Wins, draws and losses",
        Field::Lines => "Lines below",
        Field::Links => "Which moves are links",
        Field::LinkScores => "The scores of links that both books have",
        Field::Leaf => "The leaf",
    })
}

/// Any of these, by name.
fn one_of<T: Copy + Send + Sync>(
    all: &'static [T],
    name: fn(T) -> &'static str,
    help: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let names = all
        .iter()
        .map(|it| PossibleValue::new(name(*it)).help(help(*it)));
    PossibleValuesParser::new(names).map(move |text| {
        let found = all.iter().find(|it| name(**it) == text);
        *found.expect("one of the possible values")
    })
}
