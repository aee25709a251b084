//! A game as the passes see it: a graph, its scores within their limit, and bounds of scores.

use std::ops::{Range, RangeInclusive};

/// A score from the point of view of the side to move, from -[`MAX_SCORE`] to [`MAX_SCORE`], in the game's own unit, such as discs.
pub type Score = i32;

/// The largest score. Anything a [`Graph`] returns beyond it is clamped to `MAX_SCORE` or `-MAX_SCORE`, so every score can be
/// negated and the difference of two scores fits in an `i32`.
pub const MAX_SCORE: Score = i32::MAX / 2 - 1;

/// An edge from a position to a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// The child's number.
    pub child: u32,
    /// Whether the other side moves in the child. If so, the child's score is negated in the parent.
    pub flips: bool,
}

impl Edge {
    /// A move after which it's the other side's turn, such as a pass in Othello.
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

    /// Converts a score between child and parent, in either direction.
    #[inline]
    pub(crate) const fn carry(self, score: Score) -> Score {
        if self.flips { -score } else { score }
    }
}

/// A game as a graph: positions are numbered from 0 to [`nodes`](Graph::nodes) − 1.
///
/// An implementation must always give the same answers. The order of the children doesn't matter.
///
/// In this game positions have colours, and a repetition is a loss of 10 for Black, whichever side makes it:
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
    /// The number of positions.
    fn nodes(&self) -> u32;

    /// The edges of a position. Each child must be less than [`nodes`](Graph::nodes); otherwise the passes panic.
    fn children(&self, node: u32) -> impl Iterator<Item = Edge>;

    /// The score for the side to move if the line ends here: that of a leaf, or of a finished game. If there are children
    /// too, it is one more option. A position with neither has no score.
    fn payoff(&self, node: u32) -> Option<Score>;

    /// The lowest and highest worth, to the side to move in `node`, of repetitions made by a move from `node`.
    ///
    /// `0..=0` if a repetition is a draw. Both ends are equal unless the worth depends on how the cycle was made.
    fn repetition_range(&self, node: u32) -> RangeInclusive<Score>;

    /// The worth of the line that runs through `cycle` and back to its first position, to the side that makes the last move
    /// (the mover in the last position of `cycle`, which is never empty).
    ///
    /// It is clamped to the last position's [`repetition_range`](Graph::repetition_range), and only needed if that isn't a
    /// single number.
    fn repetition(&self, cycle: &[u32]) -> Score {
        cycle
            .last()
            .map_or(0, |&last| *self.repetition_range(last).start())
    }

    /// The cost of perpetual check, in games like shogi, where a position repeats only with the same side to move.
    ///
    /// If it is `Some(cost)`, a repetition in which all moves of one side were checks, and not all moves of the other side, is
    /// worth `-cost` to the side that checked. Every other repetition is a draw, worth 0: `repetition_range` and `repetition`
    /// don't matter. A position that recurs with the other side to move is no repetition. So a node may stand for a
    /// position and the same position with colours changed. A side whose move leaves it to move again (see [`Edge::again`])
    /// has not given check.
    ///
    /// # Examples
    /// A board of shogi, for example, is `8k/6+R2/9/9/4g4/9/9/9/K8 b - 1`: Black's dragon can check for ever, or Black's king and White's gold can go to and
    /// fro. A pass that starts with the loss of the side that checks gets it wrong:
    ///
    /// ```rust
    /// use obook_cycles::{Edge, Graph, Own, Score, exact};
    /// use std::ops::RangeInclusive;
    ///
    /// /// 0 → 1 → 2 → 3 → 0 is a cycle of checks, 0 → 4 → 5 → 6 → 0 one of quiet moves. Leaving it in 0 costs 500.
    /// struct QuietOrCheck;
    ///
    /// impl Graph for QuietOrCheck {
    ///     fn nodes(&self) -> u32 {
    ///         7
    ///     }
    ///     fn children(&self, node: u32) -> impl Iterator<Item = Edge> {
    ///         let children = [vec![1, 4], vec![2], vec![3], vec![0], vec![5], vec![6], vec![0]];
    ///         children[node as usize].clone().into_iter().map(Edge::turn)
    ///     }
    ///     fn payoff(&self, node: u32) -> Option<Score> {
    ///         (node == 0).then_some(-500)
    ///     }
    ///     fn repetition_range(&self, _: u32) -> RangeInclusive<Score> {
    ///         0..=0
    ///     }
    ///     fn perpetual(&self) -> Option<Score> {
    ///         Some(32_000)
    ///     }
    ///     fn checked(&self, node: u32) -> bool {
    ///         node == 1 || node == 3
    ///     }
    /// }
    ///
    /// let scores = exact(&QuietOrCheck);
    /// assert!((0..7).all(|node| scores.own(node) == Own::Score(0)));
    /// // The check keeps the score, but a side that keeps checking loses. So there is one best move.
    /// assert_eq!(scores.best(&QuietOrCheck, 0), [Edge::turn(4)]);
    /// ```
    fn perpetual(&self) -> Option<Score> {
        None
    }

    /// Whether the mover is in check. It only matters under the rule of [`perpetual`](Graph::perpetual) check.
    fn checked(&self, node: u32) -> bool {
        let _ = node;
        false
    }

    /// A number that grows along (nearly) every edge: in Othello, twice the number of discs, plus one if there is a legal
    /// move. It only affects speed: positions with all edges growing are solved in parallel, layer by layer.
    fn rank(&self, node: u32) -> u32 {
        let _ = node;
        0
    }

    /// The largest possible score (64 discs in Othello). Payoffs and repetitions are clamped to it, and the tagging search
    /// knows that nothing can beat it.
    fn limit(&self) -> Score {
        MAX_SCORE
    }
}

/// The graph's limit, itself a valid score.
pub(crate) fn limit(graph: &impl Graph) -> Score {
    graph.limit().clamp(0, MAX_SCORE)
}

/// The payoff, clamped to the limit.
pub(crate) fn payoff(graph: &impl Graph, node: u32) -> Option<Score> {
    let limit = limit(graph);
    graph.payoff(node).map(|score| score.clamp(-limit, limit))
}

/// The cost of perpetual check, if the graph has that rule. It never pays to check.
pub(crate) fn perpetual(graph: &impl Graph) -> Option<Score> {
    graph.perpetual().map(|cost| cost.clamp(0, limit(graph)))
}

/// The range of repetitions, clamped to the limit. Its ends are swapped if the graph has them the wrong way round. Perpetual
/// check is left out.
pub(crate) fn repetition_range(graph: &impl Graph, node: u32) -> Bounds {
    if graph.perpetual().is_some() {
        return Bounds::exactly(0);
    }
    let limit = limit(graph);
    let (start, end) = graph.repetition_range(node).into_inner();
    let [start, end] = [start, end].map(|score| Bounds::exactly(score.clamp(-limit, limit)));
    start.hull(end)
}

/// A position of a line, and whether the side to move has changed an odd number of times since the line's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Turn {
    pub(crate) node: u32,
    pub(crate) odd: bool,
}

impl Turn {
    pub(crate) const fn first(node: u32) -> Self {
        Self { node, odd: false }
    }

    pub(crate) const fn next(self, edge: Edge) -> Self {
        Self {
            node: edge.child,
            odd: self.odd != edge.flips,
        }
    }
}

/// The worth of a repetition to the side that makes it, clamped to its range. The cycle is never empty.
pub(crate) fn repetition(graph: &impl Graph, cycle: &[Turn]) -> Score {
    let last = cycle[cycle.len() - 1];
    if let Some(cost) = perpetual(graph) {
        // Whether the side has only given check: the one that makes the repetition, and the other one.
        let [maker, other] = [last.odd, !last.odd].map(|side| {
            let next = cycle.iter().cycle().skip(1);
            cycle.iter().zip(next).all(|(turn, next)| {
                turn.odd != next.odd && (turn.odd != side || graph.checked(next.node))
            })
        });
        return match (maker, other) {
            (true, false) => -cost,
            (false, true) => cost,
            _ => 0,
        };
    }
    let range = repetition_range(graph, last.node);
    range.score().unwrap_or_else(|| {
        let nodes: Vec<u32> = cycle.iter().map(|turn| turn.node).collect();
        graph.repetition(&nodes).clamp(range.lower, range.upper)
    })
}

/// A lower and an upper bound of a score; equal if the score is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) lower: Score,
    pub(crate) upper: Score,
}

impl Bounds {
    pub(crate) const fn new(lower: Score, upper: Score) -> Self {
        Self { lower, upper }
    }

    pub(crate) const fn exactly(score: Score) -> Self {
        Self::new(score, score)
    }

    pub(crate) fn score(self) -> Option<Score> {
        (self.lower == self.upper).then_some(self.lower)
    }

    /// The same bounds from the other side's point of view.
    pub(crate) const fn negated(self) -> Self {
        Self::new(-self.upper, -self.lower)
    }

    /// Converts bounds of a child's score for its parent.
    pub(crate) const fn carried(self, edge: Edge) -> Self {
        if edge.flips { self.negated() } else { self }
    }

    /// The bounds of the better of two options.
    pub(crate) fn best(self, other: Self) -> Self {
        Self::new(self.lower.max(other.lower), self.upper.max(other.upper))
    }

    /// The narrowest bounds around both.
    pub(crate) fn hull(self, other: Self) -> Self {
        Self::new(self.lower.min(other.lower), self.upper.max(other.upper))
    }
}

/// For each node, the index of the first of its edges, which are sorted by node.
pub(crate) fn firsts(nodes: usize, sorted: impl Iterator<Item = u32>) -> Vec<usize> {
    let mut firsts = vec![0; nodes + 1];
    for node in sorted {
        firsts[node as usize + 1] += 1;
    }
    for node in 0..nodes {
        firsts[node + 1] += firsts[node];
    }
    firsts
}

/// The indices of its edges.
pub(crate) fn range(firsts: &[usize], node: u32) -> Range<usize> {
    firsts[node as usize]..firsts[node as usize + 1]
}
