//! Losses of a conversion, counted by kind.

use obook_base::in_number;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

obook_base::table! {
    /// A kind of loss.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Loss {
        /// Header fields that can't be derived from the book.
        Header = "header field[|s] that can't be derived from the book",
        /// Positions with a level, or a leaf with a level, on another engine's scale, which means another search on the target's. The number stays, but
        /// not the engine.
        Engines = "position[|s] with a level on another engine's scale",
        /// Positions with a level of an engine that obook doesn't know. The number stays, but the engine's name and its place go.
        Names = "position[|s] with a level of an engine whose name and place the format can't hold",
        /// Positions whose value, bounds, counts or link scores don't follow from the source's rules. When the book is read again, they
        /// do.
        Inconsistent = "position[|s] whose numbers don't follow from those below [it|them]",
        /// Positions whose value is different by the target's rules.
        Values = "position[|s] whose value the target's rules change",
        /// Positions of which something is proven that the format can't hold.
        Proofs = "position[|s] with a proof",
        /// Positions so near the end of the game that the target leaves them to a search.
        LatePositions = "position[|s] with fewer than 9 empty squares",
        /// Positions with a level, in a format without levels.
        Levels = "position[|s] with a level",
        /// Positions without a level. The target needs one, so a level was assumed.
        AssumedLevels = "position[|s] without a level: one was assumed",
        /// Positions with a level above 60, which became 60.
        LevelsAbove60 = "position[|s] with a level above 60, written as 60",
        /// Positions whose leaf has another level, in a format with one level for both.
        LeafLevels = "position[|s] whose leaf has another level",
        /// Leaves, in a format without leaves.
        Leaves = "[leaf|leaves]",
        /// Leaves that became positions.
        LeavesAsPositions = "[leaf that became a position|leaves that became positions]",
        /// Leaves whose score differs from the position that replaced them, because the same board was searched more than once.
        LeafScores = "[leaf|leaves] whose score differs from the position that replaced [it|them]",
        /// Positions, mostly former leaves, whose moves lead to other positions of the book that don't agree with the search.
        /// Recomputing the book changes their values.
        Transpositions =
            "position[|s] whose moves lead to positions of [another value|other values]: \
             recomputing the book changes [its value|their values]",
        /// Moves with a score that were dropped because Edax keeps only the best leaf of a position.
        CrowdedMoves = "move[|s] with a score besides the best leaf",
        /// Links that became leaves because Edax demands one. Their positions are gone.
        DemotedLinks =
            "[link that became a leaf, so its position is|links that became leaves, so \
             their positions are] gone",
        /// Positions that are gone: they had no child, no leaf, and no parent whose leaf they could become.
        Orphans = "position[|s] without child, leaf or parent",
        /// Pass positions whose level differs from the position after the pass.
        PassLevels = "pass position[|s] whose level differs from the position after the pass",
        /// Pass positions whose leaf is the pass, although moves lead from the book to the position after it, or back. A book without
        /// passes has that position, with links, so recomputing the book changes values.
        ScoresOfPasses =
            "[score of a pass that becomes a position|scores of passes that become \
             positions] with links: recomputing the book changes values",
        /// Pass positions to which no position of the book leads.
        UnreachablePasses = "pass position[|s] to which no position leads",
        /// Pass positions and other views of finished games that the book lacks but will have when it is read again.
        AddedViews =
            "pass[|es] or finished game[|s] that the book lacks but will have when it is \
             read again",
        /// Missing links and links without a child. When the book is read again, every move to a position of the book is a link.
        Links = "[link that is missing or leads|links that are missing or lead] nowhere",
        /// Positions with a pass, although they have a move. Such a pass goes.
        IllegalPasses = "position[|s] with a pass that the rules don't allow",
        /// Positions that didn't meet the target's demands and were repaired.
        Mended = "position[|s] that didn't meet the engine's demands and [was|were] repaired",
    }
    /// The losses of this kind in words, as `[one|several]` where it matters how many there are.
    fn words -> &'static str
}

/// Losses in the target, counted by kind. If nothing is lost, the book survives a round trip.
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
///     "1 link that became a leaf, so its position is gone",
///     "3 pass positions whose level differs from the position after the pass",
/// ]);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Losses(BTreeMap<Loss, u64>);

impl Losses {
    /// Adds `count` losses of a kind.
    pub fn add(&mut self, loss: Loss, count: u64) {
        if count > 0 {
            *self.0.entry(loss).or_default() += count;
        }
    }

    /// The number of losses of a kind.
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
    /// Writes a line for each kind.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (loss, count)) in self.iter().enumerate() {
            let end = if number == 0 { "" } else { "\n" };
            write!(f, "{end}{count} {}", in_number(loss.words(), count))?;
        }
        Ok(())
    }
}
