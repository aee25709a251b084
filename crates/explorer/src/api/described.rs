//! The descriptions of values whose types are obook's.

use serde::Serialize;

/// A named opening.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Opening {
    /// The English name, or the Japanese one if there is no English name.
    pub(crate) name: String,
    /// The Japanese name.
    pub(crate) japanese: Option<String>,
    /// Its moves.
    pub(crate) line: String,
}

/// Whether a move stays in the book.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LinkOrLeaf {
    /// To a position of the book.
    Link,
    /// Out of the book; it was searched.
    Leaf,
}

/// Whether a change can be undone or redone.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Log {
    /// Yes.
    Kept,
    /// No: the log was dropped.
    Dropped,
    /// No: there never was a log.
    None,
}

/// The explanation of a value, as `obook why --json`.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Why {
    /// The line to the position.
    pub(crate) line: String,
    /// Its 64 squares and the side to move.
    pub(crate) board: String,
    /// Its value.
    pub(crate) value: i16,
    /// The moves that carry the value to where it comes from.
    pub(crate) steps: Vec<WhyStep>,
    /// The score that the value comes from.
    pub(crate) decides: Payoff,
    /// The other moves of the position that the score is of.
    pub(crate) beside: Vec<Alternative>,
    /// The values if a single score moved.
    pub(crate) shifts: Vec<Shift>,
    /// All shifts of scores are known for losses up to this.
    pub(crate) complete_to: i16,
    /// Searches for a value that seems too low.
    pub(crate) too_low: Vec<Addition>,
    /// Searches for one that seems too high.
    pub(crate) too_high: Lowering,
    /// The positions that were read.
    pub(crate) read: u64,
}

/// A move of the line that carries a value.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WhyStep {
    /// Discs placed since the start position, including this move.
    pub(crate) ply: usize,
    /// The square, or `pa` for a pass.
    #[serde(rename = "move")]
    pub(crate) mv: String,
    /// The score for the side that makes it.
    pub(crate) score: i16,
    /// The other moves there.
    pub(crate) others: Vec<Alternative>,
}

/// Another move than the best.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Alternative {
    /// The square, or `pa` for a pass.
    #[serde(rename = "move")]
    pub(crate) mv: String,
    /// Whether it stays in the book.
    pub(crate) kind: LinkOrLeaf,
    /// The discs by which it is worse.
    pub(crate) worse: i16,
}

/// A score that follows from no other.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Payoff {
    /// The line to it.
    pub(crate) line: String,
    /// Its kind: `leaf`, `end`, `position` or `person`.
    pub(crate) kind: String,
    /// The score.
    pub(crate) score: i16,
    /// The level of the search.
    pub(crate) level: Option<u8>,
    /// The engine that searched it.
    pub(crate) engine: String,
    /// The depth in plies.
    pub(crate) depth: Option<u8>,
    /// The confidence that pruning made no error, in percent.
    pub(crate) probability: Option<u8>,
    /// The error that the book allows for, in discs; 0: exact.
    pub(crate) error: Option<i32>,
}

/// The value if a single score moved.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shift {
    /// The score.
    pub(crate) payoff: Payoff,
    /// The discs by which it moves.
    pub(crate) shift: i16,
    /// The value then.
    pub(crate) value: i16,
}

/// A move to search if a value seems too low.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Addition {
    /// The line, with the move if it was searched.
    pub(crate) line: String,
    /// Whether it was searched: then the position after it would be added.
    pub(crate) searched: bool,
    /// The discs by which it is worse than the best move.
    pub(crate) worse: Option<i16>,
    /// The highest value that it alone can give.
    pub(crate) at_most: Option<i16>,
}

/// Searches for a value that seems too high.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lowering {
    /// The scores that hold the value up: `payoffs`, `exact` scores, or `unknown`.
    pub(crate) hangs_on: String,
    /// The discs by which all of `payoffs` would have to come down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) by: Option<i16>,
    /// The scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) payoffs: Option<Vec<Payoff>>,
}
