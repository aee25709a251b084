//! Recipes for shogi: what is learned, in stages.

use super::Games;
use crate::recipe::text;
use crate::{Error, Result, Until};
use obook_engine::Go;
use obook_shogi::games::Game;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::num::NonZeroU16;

/// Stages, one after the other. Each ends when its rule has nothing left to search.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// The root of all its lines: moves, or a position in SFEN, perhaps with moves; by default, the start position.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "line"
    )]
    pub from: Option<String>,
    /// The stages, at least one.
    pub stages: Vec<Stage>,
}

/// Reads a line in words, which can be played.
fn line<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Option<String>, D::Error> {
    let text = String::deserialize(from)?;
    match text.parse::<Game>() {
        Ok(_) => Ok(Some(text)),
        Err(problem) => Err(D::Error::custom(format!("from: {problem}"))),
    }
}

impl Recipe {
    /// Checks that there are games for the rules that need them.
    ///
    /// # Errors
    /// Returns [`Error::NoGames`] for the first rule without.
    pub fn check_games(&self, games: Option<&Games>) -> Result<()> {
        let needs_games = |rule: &Rule| matches!(rule, Rule::Played { .. });
        match self.stages.iter().map(|stage| stage.rule).find(needs_games) {
            Some(rule) if games.is_none() => Err(Error::NoGames { rule: rule.name() }),
            _ => Ok(()),
        }
    }
}

/// A rule, how long it searches, and when it has done enough.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// Chooses what to search.
    pub rule: Rule,
    /// How long each search lasts; by default, as the command says.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "text")]
    pub go: Option<Go>,
    /// The number of moves to ask for in a position; by default, the command's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves: Option<NonZeroU16>,
    /// The maximum line length in plies; no limit by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Ends the stage before its rule has nothing left to search. Positions without moves don't count.
    #[serde(
        default,
        skip_serializing_if = "Until::is_never",
        deserialize_with = "Until::sometime"
    )]
    pub until: Until,
}

/// A rule, as recipes write it: `rule = "complete"`, `rule = { best-first = { error = 100 } }`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(
    rename_all = "kebab-case",
    rename_all_fields = "kebab-case",
    deny_unknown_fields
)]
pub enum Rule {
    /// Everything that the book lacks: positions without a move out of the book, and such moves without a score.
    Complete,
    /// The moves out of the book that most change the score of the root.
    BestFirst {
        /// The most by which a search errs, in centipawns: moves that can't change the root even so are left alone.
        error: u16,
    },
    /// The positions that games reached by moves that were played often enough.
    Played {
        /// The least number of games in which each of the moves was played.
        min_games: u64,
    },
}

impl Rule {
    /// The name of the rule, as recipes write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Rule::Complete => "complete",
            Rule::BestFirst { .. } => "best-first",
            Rule::Played { .. } => "played",
        }
    }
}
