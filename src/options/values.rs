//! Values of options that are names of the library's.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command, value_parser};
use obook_book::read::diff::Field;
use obook_converters::Format;
use obook_games::ratings::Method;
use obook_graph::accuracy::Grading;
use obook_model::RuleSet;
use std::ffi::OsStr;

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

/// By which of the evaluations positions are rated: one of them, or all.
pub(crate) fn rating_methods() -> impl TypedValueParser<Value = &'static [Method]> {
    const CHOICES: [&[Method]; 4] = [
        &[Method::Probability],
        &[Method::Expectation1],
        &[Method::Expectation2],
        &Method::ALL,
    ];
    let name = |methods: &'static [Method]| match methods {
        [one] => one.name(),
        _ => "all",
    };
    one_of(&CHOICES, name, |methods| match methods {
        [Method::Probability] => "The chance to win against an opponent who chooses at random",
        [Method::Expectation1] => "The mean of the moves",
        [Method::Expectation2] => "The same with moves chosen in proportion to their worth",
        _ => "Each of the three",
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

/// A book format.
pub(crate) fn formats() -> impl TypedValueParser<Value = Format> {
    let names = Format::ALL
        .iter()
        .map(|format| PossibleValue::new(format.name()));
    Offering {
        parser: |text: &str| text.parse::<Format>(),
        values: names.collect(),
    }
}

/// A level of a search, up to `most`.
pub(crate) fn levels(most: u8) -> impl TypedValueParser<Value = u8> {
    Offering {
        parser: value_parser!(u8).range(0..=i64::from(most)),
        values: (0..=most)
            .map(|level| PossibleValue::new(level.to_string()))
            .collect(),
    }
}

/// A parser with the values that a shell completes. Unlike those of [`one_of`] they are not all that it says of a wrong one.
#[derive(Clone)]
struct Offering<P> {
    parser: P,
    values: Vec<PossibleValue>,
}

impl<P: TypedValueParser> TypedValueParser for Offering<P> {
    type Value = P::Value;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        text: &OsStr,
    ) -> Result<P::Value, clap::Error> {
        self.parser.parse_ref(command, argument, text)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.values.iter().cloned()))
    }
}
