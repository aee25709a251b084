//! What a target can't hold, counted by kind.

use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;

/// A kind of loss.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// Header fields that can't be derived from the book, each once.
    Header,
    /// Positions whose level, or whose leaf's, is on another engine's scale: the number stays, the engine goes.
    Engines,
    /// Positions whose value, bounds, counts or link scores are not what the source's rules give: coming back, they
    /// are.
    Inconsistent,
    /// Positions whose value changes because the target's rules give another.
    Values,
    /// Positions with a level, in a format without levels.
    Levels,
    /// Positions without a level, which the target demands: an assumed one was written.
    AssumedLevels,
    /// Positions whose level is above 60, which is written as 60.
    LevelsAbove60,
    /// Positions with another level than their leaf, in a format with one level for both.
    LeafLevels,
    /// Leaves, in a format without leaves.
    Leaves,
    /// Leaves that became positions.
    LeavesAsPositions,
    /// Leaves with another score than the position that took their place: the same board was searched more than once.
    LeafScores,
    /// Positions, most of them leaves before, from which moves lead to other positions that are worth more or less than was
    /// searched: computing the book anew gives other values.
    Transpositions,
    /// Moves with a score that had to make room: Edax holds one leaf a position, the best.
    CrowdedMoves,
    /// Links that became leaves because Edax demands one: the positions behind them are gone.
    DemotedLinks,
    /// Positions of which nothing is left: no child, no leaf, and no parent whose leaf they could be.
    Orphans,
    /// Pass positions with another level than the position behind the pass.
    PassLevels,
    /// Pass positions whose leaf is the pass while moves of the book lead to, or come from, the position behind it: in a
    /// book without passes that is a position as any other, and its value and its parents' follow from links.
    ScoresOfPasses,
    /// Pass positions that no position of the book leads to.
    UnreachablePasses,
    /// Pass positions and other side's views of finished games that the book does not hold, but will when it comes
    /// back.
    AddedViews,
    /// Links that are missing or lead nowhere: coming back, every move to a position of the book is a link.
    Links,
    /// Positions that did not meet the target's demands and were mended.
    Mended,
}

impl Loss {
    /// What so many of them are called.
    fn describe(self, count: u64) -> &'static str {
        let (one, many) = match self {
            Loss::Header => (
                "header field that can't be derived from the book",
                "header fields that can't be derived from the book",
            ),
            Loss::Engines => (
                "position with a level on another engine's scale",
                "positions with a level on another engine's scale",
            ),
            Loss::Inconsistent => (
                "position whose numbers don't follow from those below it",
                "positions whose numbers don't follow from those below them",
            ),
            Loss::Values => (
                "position whose value the target's rules change",
                "positions whose value the target's rules change",
            ),
            Loss::Levels => ("position with a level", "positions with a level"),
            Loss::AssumedLevels => (
                "position without a level: one was assumed",
                "positions without a level: one was assumed",
            ),
            Loss::LevelsAbove60 => (
                "position with a level above 60, written as 60",
                "positions with a level above 60, written as 60",
            ),
            Loss::LeafLevels => (
                "position with another level than its leaf",
                "positions with another level than their leaf",
            ),
            Loss::Leaves => ("leaf", "leaves"),
            Loss::LeavesAsPositions => (
                "leaf that became a position",
                "leaves that became positions",
            ),
            Loss::LeafScores => (
                "leaf with another score than the position in its place",
                "leaves with another score than the position in their place",
            ),
            Loss::Transpositions => (
                "position whose moves lead to positions of another value: computing the book anew gives it theirs",
                "positions whose moves lead to positions of other values: computing the book anew gives them theirs",
            ),
            Loss::CrowdedMoves => (
                "move with a score beside the best leaf",
                "moves with a score beside the best leaf",
            ),
            Loss::DemotedLinks => (
                "link that became a leaf, its position gone",
                "links that became leaves, their positions gone",
            ),
            Loss::Orphans => (
                "position with neither child, leaf nor parent",
                "positions with neither child, leaf nor parent",
            ),
            Loss::PassLevels => (
                "pass position with another level than the passed position",
                "pass positions with another level than the passed position",
            ),
            Loss::ScoresOfPasses => (
                "score of a pass that becomes a position with links: computing the book anew gives other values",
                "scores of passes that become positions with links: computing the book anew gives other values",
            ),
            Loss::UnreachablePasses => (
                "pass position that no position leads to",
                "pass positions that no position leads to",
            ),
            Loss::AddedViews => (
                "pass or end of a game that the book lacks but will get when it comes back",
                "passes or ends of games that the book lacks but will get when it comes back",
            ),
            Loss::Links => (
                "link that is missing or leads nowhere",
                "links that are missing or lead nowhere",
            ),
            Loss::Mended => (
                "position that an engine would have stumbled over, mended",
                "positions that an engine would have stumbled over, mended",
            ),
        };
        if count == 1 { one } else { many }
    }
}

/// What the target can't hold, by kind: empty where the book can come back as it was.
///
/// ```
/// use obook_graph::mapping::{Loss, Losses};
/// let mut losses = Losses::default();
/// losses.add(Loss::PassLevels, 3);
/// losses.add(Loss::Leaves, 0);
/// losses.add(Loss::DemotedLinks, 1);
/// assert_eq!(losses.of(Loss::PassLevels), 3);
/// let lines: Vec<String> = losses.to_string().lines().map(str::to_owned).collect();
/// assert_eq!(lines, [
///     "1 link that became a leaf, its position gone",
///     "3 pass positions with another level than the passed position",
/// ]);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Losses(BTreeMap<Loss, u64>);

impl Losses {
    /// Counts `count` more of a kind.
    pub fn add(&mut self, loss: Loss, count: u64) {
        if count > 0 {
            *self.0.entry(loss).or_default() += count;
        }
    }

    /// How many of a kind.
    #[must_use]
    pub fn of(&self, loss: Loss) -> u64 {
        self.0.get(&loss).copied().unwrap_or(0)
    }

    /// Whether nothing is lost.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The kinds that occur, with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (Loss, u64)> {
        self.0.iter().map(|(loss, count)| (*loss, *count))
    }
}

impl std::ops::AddAssign for Losses {
    fn add_assign(&mut self, other: Losses) {
        for (loss, count) in other.iter() {
            self.add(loss, count);
        }
    }
}

impl fmt::Display for Losses {
    /// A line per kind.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (loss, count)) in self.iter().enumerate() {
            let end = if number == 0 { "" } else { "\n" };
            write!(f, "{end}{count} {}", loss.describe(count))?;
        }
        Ok(())
    }
}

impl Serialize for Losses {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(&self.0)
    }
}
