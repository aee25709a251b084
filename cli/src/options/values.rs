//! Options whose values are names from the library, and durations.

use crate::recipes;
use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::{Arg, Command, value_parser};
use obook::read::diff::Field;
use obook_converters::Format;
use obook_games::ratings::Method;
use obook_graph::accuracy::Grading;
use obook_othello::{Engine, RuleSet};
use std::ffi::OsStr;
use std::num::NonZeroUsize;
use std::time::Duration;

/// A number from 1.
pub(crate) fn positive(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.parse::<NonZeroUsize>();
    number.map_err(|_| "expected a whole number from 1".to_owned())
}

/// The most searches at once: more threads and processes than any machine has cores for.
const MOST_JOBS: usize = 1024;

/// A number of searches at once.
pub(crate) fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    let number = positive(text).ok();
    let number = number.filter(|number| number.get() <= MOST_JOBS);
    number.ok_or_else(|| format!("expected a whole number from 1 to {MOST_JOBS}"))
}

/// The longest lease in seconds: ten years.
const LONGEST_LEASE: u64 = 10 * 365 * 24 * 60 * 60;

/// A time for which another machine has searches.
pub(crate) fn lease(text: &str) -> Result<Duration, String> {
    let lease = duration(text)?;
    match lease.as_secs() {
        1..=LONGEST_LEASE => Ok(lease),
        _ => Err("expected one second to ten years".to_owned()),
    }
}

/// The rules by which a book's numbers are computed.
pub(crate) fn rule_sets() -> impl TypedValueParser<Value = RuleSet> {
    one_of(RuleSet::ALL, RuleSet::name, |rules| match rules {
        RuleSet::Edax => {
            "Values over leaves and links, bounds, outcomes; lines count leaves by paths"
        }
        RuleSet::Egaroucid => "Values over links; lines count positions by paths",
        RuleSet::EgaroucidEdax => {
            "Values over leaves and links, as Egaroucid's \"Edax\" fix computes them; lines count positions by paths"
        }
    })
}

/// The engines that obook knows.
pub(crate) fn known_engines() -> impl TypedValueParser<Value = Engine> {
    one_of(Engine::ALL, Engine::name, |_| "")
}

/// The rules for grading positions.
pub(crate) fn gradings() -> impl TypedValueParser<Value = Grading> {
    one_of(Grading::ALL, Grading::name, |grading| match grading {
        Grading::Published => "The published definition",
        Grading::Egaroucid => {
            "Egaroucid's own code: ignores leaves from midgame searches, and says D for E"
        }
    })
}

/// The evaluations by which positions are rated: one of them, or all.
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
    one_of(CHOICES, name, |methods| match methods {
        [Method::Probability] => "Chance of winning against an opponent who moves at random",
        [Method::Expectation1] => "Mean over the moves",
        [Method::Expectation2] => "The same, with moves weighted by their worth",
        _ => "All three",
    })
}

/// The fields of a position that can be compared.
pub(crate) fn fields() -> impl TypedValueParser<Value = Field> {
    one_of(Field::ALL, Field::name, |field| match field {
        Field::Value => "Score of the best move",
        Field::Bounds => "Range of the value, given the errors of the searches below",
        Field::Level => "Level and engine of the search, also of leaves",
        Field::Outcomes => "Wins, draws and losses",
        Field::Lines => "Number of lines below",
        Field::Links => "Links",
        Field::LinkScores => "Scores of links that both books have",
        Field::Leaf => "Leaf",
        Field::Proof => "What is proven of the value",
    })
}

/// One of these values, each with the word for it, and what that means; empty if the word says it.
pub(crate) fn choice<T: Copy + Send + Sync>(
    all: &'static [(&'static str, T, &'static str)],
) -> impl TypedValueParser<Value = T> {
    let all = all.iter().copied();
    one_of(all, |(word, ..)| word, |(.., meaning)| meaning).map(|(_, value, _)| value)
}

/// One of these, by name, each with what it means; empty if the name says it.
pub(crate) fn one_of<T: Copy + Send + Sync + 'static>(
    all: impl IntoIterator<Item = T> + Clone + Send + Sync + 'static,
    name: fn(T) -> &'static str,
    help: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let names = all.clone().into_iter().map(|it| {
        let name = PossibleValue::new(name(it));
        match help(it) {
            "" => name,
            help => name.help(help),
        }
    });
    PossibleValuesParser::new(names).map(move |text| {
        let mut all = all.clone().into_iter();
        let found = all.find(|it| name(*it) == text);
        found.expect("one of the possible values")
    })
}

/// A recipe: the name of a built-in one, or a file.
pub(crate) fn named_recipes() -> impl TypedValueParser<Value = String> {
    let known = recipes::summaries();
    let values = known.map(|(name, summary)| PossibleValue::new(name).help(summary));
    offering(StringValueParser::new(), values)
}

/// The formats of `obook export`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Exportable {
    /// A book file.
    File(Format),
    /// A folder of Parquet files.
    Parquet,
}

/// The name of a folder of Parquet files among the formats.
const PARQUET: &str = "parquet";

/// The names of the book formats that can be written.
pub(crate) fn written_names() -> impl Iterator<Item = &'static str> {
    Format::WRITTEN.iter().map(|format| format.name())
}

/// The same, and Parquet.
pub(crate) fn exported_names() -> impl Iterator<Item = &'static str> {
    written_names().chain([PARQUET])
}

/// A book format that can be written, or Parquet.
pub(crate) fn exported_formats() -> impl TypedValueParser<Value = Exportable> {
    let read = |text: &str| match text {
        PARQUET => Ok(Exportable::Parquet),
        _ => text.parse::<Format>().map(Exportable::File),
    };
    offering(read, exported_names().map(PossibleValue::new))
}

/// A book format, with these for completion: if another one is named, reading or writing says so.
pub(crate) fn formats_of(formats: &[Format]) -> impl TypedValueParser<Value = Format> + use<> {
    let names = formats.iter().map(|it| PossibleValue::new(it.name()));
    offering(|text: &str| text.parse::<Format>(), names)
}

/// A level of a search, up to `most`.
pub(crate) fn levels(most: u8) -> impl TypedValueParser<Value = u8> {
    let names = (0..=most).map(|level| PossibleValue::new(level.to_string()));
    offering(value_parser!(u8).range(0..=i64::from(most)), names)
}

/// A parser with values for completion. Unlike [`one_of`], it doesn't list them all if a value is wrong.
#[derive(Clone)]
struct Offering<P> {
    parser: P,
    values: Vec<PossibleValue>,
}

fn offering<P>(parser: P, values: impl Iterator<Item = PossibleValue>) -> Offering<P> {
    let values = values.collect();
    Offering { parser, values }
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

/// Reads `90s`, `30m` or `1h 30m`; a plain number is seconds.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    if let Ok(seconds) = text.trim().parse::<f64>() {
        return in_seconds(seconds);
    }
    humantime::parse_duration(text)
        .map_err(|error| format!("{error}; expected a time such as 90s, 30m or 1h 30m"))
}

/// So many seconds.
pub(crate) fn in_seconds(seconds: f64) -> Result<Duration, String> {
    let most = u64::MAX;
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("expected seconds from 0 to {most}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_units() {
        assert_eq!(duration("90"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1h 30m"), Ok(Duration::from_secs(5400)));
        for wrong in [
            "",
            "-1",
            "1e99",
            "NaN",
            "10 parsecs",
            "99999999999999999999h",
        ] {
            let told = duration(wrong).unwrap_err();
            assert!(told.contains("expected"), "{wrong}: {told}");
        }
    }

    #[test]
    fn leases_last_from_a_second_to_ten_years() {
        assert_eq!(lease("2d"), Ok(Duration::from_secs(2 * 86400)));
        assert_eq!(lease("3650d"), Ok(Duration::from_secs(LONGEST_LEASE)));
        for wrong in ["0s", "500ms", "3651d", "99999999y", "1e18", "-1"] {
            assert!(lease(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn few_enough_searches_run_at_once() {
        for text in ["1", "1024"] {
            assert_eq!(jobs(text).map(|jobs| jobs.to_string()), Ok(text.to_owned()));
        }
        for wrong in ["0", "1025", "100000", "-1", "many"] {
            let problem = jobs(wrong).unwrap_err();
            assert_eq!(problem, "expected a whole number from 1 to 1024", "{wrong}");
        }
    }
}
