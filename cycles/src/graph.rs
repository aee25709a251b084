//! What the passes need to know of a game.

use std::ops::RangeInclusive;

/// A score in the view of the side to move, from -[`MAX_SCORE`] to [`MAX_SCORE`], in whatever unit the game has (discs).
pub type Score = i32;

/// The largest score. What a [`Graph`] tells beyond it is read as `MAX_SCORE` or `-MAX_SCORE`, so that every score has
/// a negative and the difference of two scores fits an `i32`.
pub const MAX_SCORE: Score = i32::MAX / 2 - 1;

/// An edge from a position to a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// The child's number.
    pub child: u32,
    /// Whether the other side moves in the child. If so, the child's score is negated to be an option of the parent.
    pub flips: bool,
}

impl Edge {
    /// A move after which it is the other side's turn. A pass in Othello is one.
    #[must_use]
    pub const fn turn(child: u32) -> Self {
        Self { child, flips: true }
    }

    /// A move after which the same side moves again.
    #[must_use]
    pub const fn again(child: u32) -> Self {
        Self {
            child,
            flips: false,
        }
    }

    /// What a score of the child is worth in the parent, and the other way round.
    #[inline]
    pub(crate) const fn carry(self, score: Score) -> Score {
        if self.flips { -score } else { score }
    }
}

/// A game as a graph: positions are numbered from 0 to [`nodes`](Graph::nodes) − 1.
///
/// An implementation answers the same question always in the same way. The order of the children means nothing.
///
/// A game in which positions have colours, and a repetition is a loss of 10 for Black, whichever side makes it:
///
/// ```
/// use obook_cycles::{Edge, Graph, Own, Score, exact};
/// use std::ops::RangeInclusive;
///
/// struct Coloured {
///     black_moves: Vec<bool>,
///     children: Vec<Vec<u32>>,
/// }
///
/// impl Graph for Coloured {
///     fn nodes(&self) -> u32 {
///         self.children.len() as u32
///     }
///     fn children(&self, node: u32) -> impl Iterator<Item = Edge> {
///         let mover = self.black_moves[node as usize];
///         self.children[node as usize].iter().map(move |&child| Edge {
///             child,
///             flips: self.black_moves[child as usize] != mover,
///         })
///     }
///     fn payoff(&self, node: u32) -> Option<Score> {
///         (node == 0).then_some(-20)
///     }
///     fn repetition_range(&self, node: u32) -> RangeInclusive<Score> {
///         let worth = if self.black_moves[node as usize] { -10 } else { 10 };
///         worth..=worth
///     }
/// }
///
/// // Black moves in 0 and may stop with -20. The line 0 → 1 → 2 → 0 has an odd number of positions.
/// let game = Coloured {
///     black_moves: vec![true, false, false],
///     children: vec![vec![1], vec![2], vec![0]],
/// };
/// let scores = exact(&game);
/// assert_eq!(scores.own(0), Own::Score(-10));
/// assert_eq!(scores.own(1), Own::Score(10));
/// ```
pub trait Graph: Sync {
    /// How many positions there are.
    fn nodes(&self) -> u32;

    /// The edges of a position. Each child is less than [`nodes`](Graph::nodes); the passes panic where it isn't.
    fn children(&self, node: u32) -> impl Iterator<Item = Edge>;

    /// What the side to move gets if the line ends here: the score of a leaf, or of a finished game. With children, it
    /// is one more option. A position with neither has no score.
    fn payoff(&self, node: u32) -> Option<Score>;

    /// The lowest and the highest worth, to the side to move in `node`, of repetitions made by a move from `node`.
    ///
    /// `0..=0` where a repetition is a draw. It is one number, not a range, unless it depends on how the cycle was made.
    fn repetition_range(&self, node: u32) -> RangeInclusive<Score>;

    /// The worth of the line that runs through `cycle` and then back to its first position, to the side that makes
    /// the last move (the mover in the last position of `cycle`, which is never empty).
    ///
    /// It is read as the nearest number of the last position's [`repetition_range`](Graph::repetition_range), and need
    /// only be given where that is not one number.
    fn repetition(&self, cycle: &[u32]) -> Score {
        cycle
            .last()
            .map_or(0, |&last| *self.repetition_range(last).start())
    }

    /// A number that grows along (nearly) every edge: in Othello, twice the number of discs, plus one if there is a
    /// move. Only the speed depends on it: positions from which all edges grow run in parallel, layer by layer.
    fn rank(&self, node: u32) -> u32 {
        let _ = node;
        0
    }

    /// No score is beyond `limit` or `-limit` (64 discs in Othello). The tagging search then knows that nothing can
    /// beat a score of `limit`. Payoffs and repetitions beyond it are read as the limit.
    fn limit(&self) -> Score {
        MAX_SCORE
    }
}
