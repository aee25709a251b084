//! Recipes: what is learned, in stages.

use crate::{Error, Played, Result, Rule};
use obook_othello::{Board, CanonicalBoard, Line};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// Stages, one after the other. Each ends when its rule has nothing left to search.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// The moves to the root of all its lines; by default, the start position.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "text")]
    pub from: Option<Line>,
    /// The stages, at least one.
    pub stages: Vec<Stage>,
}

impl Recipe {
    /// The position at which its lines begin.
    #[must_use]
    pub fn root(&self) -> CanonicalBoard {
        let root = self.from.as_ref().map_or(Board::START, Line::board);
        root.canonical()
    }

    /// Checks that there are games for the rules that need them.
    ///
    /// # Errors
    /// Returns [`Error::NoGames`] for the first rule without.
    pub fn check_games(&self, played: &Played) -> Result<()> {
        let mut rules = self.stages.iter().map(|stage| &stage.rule);
        match rules.find(|rule| matches!(rule, Rule::Store | Rule::EgaroucidStore)) {
            Some(rule) if played.is_empty() => Err(Error::NoGames { rule: rule.name() }),
            _ => Ok(()),
        }
    }

    /// The positions on the way to the root, which is included.
    pub(crate) fn way(&self) -> Vec<CanonicalBoard> {
        let line = self.from.clone().unwrap_or_default();
        let way = line.positions();
        way.map(|(board, _)| board.canonical()).collect()
    }
}

/// A rule, how deeply it searches, and when it has done enough.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// Chooses what to search.
    pub rule: Rule,
    /// The level of the searches, 0 to 60 on the engine's scale; by default, the book's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// The maximum line length in plies, 1 to 60; by default, the book's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u8>,
    /// The name of the engine; by default, the command's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// Ends the stage before its rule has nothing left to search.
    #[serde(
        default,
        skip_serializing_if = "Until::is_never",
        deserialize_with = "Until::sometime"
    )]
    pub until: Until,
}

impl Stage {
    /// A stage that ends when its rule has nothing left to search.
    #[must_use]
    pub fn new(rule: Rule, level: u8, depth: u8) -> Stage {
        Stage {
            rule,
            level: Some(level),
            depth: Some(depth),
            engine: None,
            until: Until::default(),
        }
    }
}

/// Ends a stage early, at whichever comes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename = "until", deny_unknown_fields)]
pub struct Until {
    /// The number of answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searches: Option<u64>,
    /// The number of positions in the book.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<u64>,
}

impl Until {
    /// Reads the end that a recipe names.
    pub(crate) fn sometime<'de, D: Deserializer<'de>>(from: D) -> Result<Until, D::Error> {
        let until = Until::deserialize(from)?;
        match (until.searches, until.positions) {
            (None, None) | (Some(0), _) | (_, Some(0)) => Err(D::Error::custom(
                "until needs searches or positions, or both, each from 1",
            )),
            _ => Ok(until),
        }
    }

    /// How many more searches and positions there may be.
    pub(crate) fn left(self, searches: u64, positions: u64) -> [u64; 2] {
        let limits = [(self.searches, searches), (self.positions, positions)];
        limits.map(|(most, made)| most.unwrap_or(u64::MAX).saturating_sub(made))
    }

    pub(crate) fn is_never(&self) -> bool {
        *self == Until::default()
    }
}

/// Values that a recipe writes as text: the moves of a line, or a search in words of USI.
pub(crate) mod text {
    pub(crate) use obook::read::view::or_null as serialize;
    use serde::{Deserialize, Deserializer, de::Error};
    use std::fmt::Display;
    use std::str::FromStr;

    pub(crate) fn deserialize<'de, T, D>(from: D) -> Result<Option<T>, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        let text = String::deserialize(from)?;
        text.parse().map(Some).map_err(D::Error::custom)
    }
}
