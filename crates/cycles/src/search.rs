//! The tagging search: a position's score on a given path.

use crate::components::Cycles;
use crate::exact::{Own, Scores};
use crate::graph::{Bounds, Edge, Graph, Score, Turn, limit, payoff, perpetual, repetition};
use std::borrow::Cow;
use std::collections::HashMap;

/// The tagging search's answer for the last position of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// No line from it ends in a payoff or a repetition, whatever the path.
    NoScore,
    /// The position's own score, which is also its score on this path. It may be stored.
    Own(Score),
    /// The score on this path only. It must not be stored or used on another path.
    Path {
        /// From the point of view of the side to move.
        score: Score,
        /// The earliest ply of the path that the score depends on. Without the plies before it the score is the same.
        since: usize,
    },
    /// The search used up its budget.
    Unknown,
}

/// Why a list of positions is not a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum PathError {
    /// It has no positions.
    #[error("the path is empty; expected at least the position to be searched")]
    Empty,
    /// A number is not a position of the graph.
    #[error("ply {ply} of the path is position {node}, but the graph has {nodes} positions")]
    NoSuchNode {
        /// The index in the path, from 0.
        ply: usize,
        /// The number found there.
        node: u32,
        /// The number of positions in the graph.
        nodes: u32,
    },
    /// A position is not a child of the one before it.
    #[error(
        "ply {ply} of the path is position {node}, which is not a child of the position before it"
    )]
    NotAChild {
        /// The index in the path, from 0.
        ply: usize,
        /// The position found there.
        node: u32,
    },
    /// A position comes twice, under the rule of [perpetual](Graph::perpetual) check with the same side to move. The line has
    /// ended there; search the path up to that point.
    #[error(
        "ply {ply} of the path is position {node}, which was already ply {first}: the line ended there"
    )]
    Repetition {
        /// The index in the path, from 0.
        ply: usize,
        /// The position found there.
        node: u32,
        /// The index at which it came first.
        first: usize,
    },
}

/// A tagging search, with the scores it has learnt.
///
/// Outside cycles it enters each position once. Inside a component it must follow every line. Their number may grow
/// exponentially, hence the budget.
///
/// # Why the tags are right
/// With each score the search carries a tag, the earliest ply p such that the score stays the same if the path's plies before
/// p are cut off. It also carries two bounds, which hold whatever is cut off. A repetition of ply p has tag p and no bounds. An
/// option counts towards the tag of a maximum only if its upper bound is above the best lower bound; otherwise it can't
/// matter. When the position at ply p itself is finished, tag p is resolved. A score without a tag is the position's own
/// score.
///
/// This holds for perpetual check as well, since the worth of a repetition depends only on the plies between.
///
/// An own score may be *used* in the middle of a line only if the line's path can't be reached from there. Otherwise the line
/// may end in a repetition that the own score doesn't account for. A path leads from each of its positions to the next, so it
/// can be reached from a child exactly if the child shares a cycle with the last position of the path.
#[derive(Debug)]
pub struct TaggingSearch<'a, G> {
    graph: &'a G,
    cycles: Cow<'a, Cycles>,
    /// The results of the exact pass.
    scores: Option<&'a Scores>,
    /// Own scores found on the way, `None` for positions without a score. Nothing else may get in here.
    memo: HashMap<u32, Option<Score>>,
}

impl<'a, G: Graph> TaggingSearch<'a, G> {
    /// Creates a search that has learnt nothing yet, and finds the cycles of the graph.
    ///
    /// ```
    /// # use obook_cycles::{Answer, Edge, Graph, Score, TaggingSearch};
    /// # struct Ring;
    /// # impl Graph for Ring {
    /// #     fn nodes(&self) -> u32 { 3 }
    /// #     fn children(&self, node: u32) -> impl Iterator<Item = Edge> {
    /// #         std::iter::once(Edge::turn((node + 1) % 3))
    /// #     }
    /// #     fn payoff(&self, _: u32) -> Option<Score> { None }
    /// #     fn repetition_range(&self, _: u32) -> std::ops::RangeInclusive<Score> { 0..=0 }
    /// # }
    /// // 0 → 1 → 2 → 0, and no payoff anywhere
    /// let mut search = TaggingSearch::new(&Ring);
    /// assert_eq!(search.answer(&[0], 10)?, Answer::Own(0));
    /// assert_eq!(search.answer(&[0, 1], 10)?, Answer::Path { score: 0, since: 0 });
    /// assert_eq!(search.answer(&[0], 2)?, Answer::Own(0)); // already known
    /// assert_eq!(search.answer(&[1], 2)?, Answer::Unknown);
    /// # Ok::<(), obook_cycles::PathError>(())
    /// ```
    #[must_use]
    pub fn new(graph: &'a G) -> Self {
        Self {
            graph,
            cycles: Cow::Owned(Cycles::find(graph)),
            scores: None,
            memo: HashMap::new(),
        }
    }

    /// Creates a search that uses the results of the exact pass for the same graph. It never leaves the components of the
    /// path, except to enter positions that the pass couldn't settle.
    #[must_use]
    pub fn with_scores(graph: &'a G, scores: &'a Scores) -> Self {
        Self {
            graph,
            cycles: Cow::Borrowed(scores.cycles()),
            scores: Some(scores),
            memo: HashMap::new(),
        }
    }

    /// Finds the score of the path's last position when reached by this path, as the [crate](crate) defines it. For a path of
    /// one position that is its own score, and the answer is never [`Answer::Path`].
    ///
    /// `budget` is the number of positions the search may enter. After that it answers [`Answer::Unknown`], but keeps what it
    /// has learnt.
    ///
    /// # Errors
    /// Returns [`PathError`] if `path` is empty, or has a position that isn't in the graph, isn't a child of the one before
    /// it, or comes twice.
    pub fn answer(&mut self, path: &[u32], budget: u64) -> Result<Answer, PathError> {
        let (&root, history) = path.split_last().ok_or(PathError::Empty)?;
        let mut line = Line {
            coloured: perpetual(self.graph).is_some(),
            ..Line::default()
        };
        let mut last = Turn::first(root);
        for (ply, &node) in path.iter().enumerate() {
            last = self.check(&line, ply, node)?;
            if ply < history.len() {
                line.push(last);
            }
        }
        if let Some(known) = self.reusable(history.last().copied(), root) {
            return Ok(known.map_or(Answer::NoScore, Answer::Own));
        }
        Ok(match self.run(line, last, budget) {
            None => Answer::Unknown,
            Some(None) => Answer::NoScore,
            Some(Some(Tagged { score, tag, .. })) => match tag {
                None => Answer::Own(score),
                Some(since) => Answer::Path { score, since },
            },
        })
    }

    /// Returns the turn that a path reaches if it goes on from `line` to `node`.
    fn check(&self, line: &Line, ply: usize, node: u32) -> Result<Turn, PathError> {
        let nodes = self.graph.nodes();
        if node >= nodes {
            return Err(PathError::NoSuchNode { ply, node, nodes });
        }
        // If a turn and a move after which the same side moves again both lead there, the path has the turn.
        let edges = |last: &Turn| {
            let edges = self.graph.children(last.node);
            edges
                .filter(|edge| edge.child == node)
                .max_by_key(|edge| edge.flips)
        };
        let turn = match line.turns.last().map(edges) {
            None => Turn::first(node),
            Some(Some(edge)) => line.after(edge),
            Some(None) => return Err(PathError::NotAChild { ply, node }),
        };
        match line.ply(turn) {
            Some(first) => Err(PathError::Repetition { ply, node, first }),
            None => Ok(turn),
        }
    }

    /// The own score of `node`, if it's known and valid on a path that ends in `last`. `Some(None)` means it has no score.
    ///
    /// An own score is wrong if the line may return to the path, because then some lines end that the own score followed
    /// further. So it may be used only if the path can't be reached from `node`.
    fn reusable(&self, last: Option<u32>, node: u32) -> Option<Option<Score>> {
        if last.is_some_and(|last| self.cycles.path_reachable(last, node)) {
            return None;
        }
        if let Some(&known) = self.memo.get(&node) {
            return Some(known);
        }
        match self.scores?.own(node) {
            Own::Score(score) => Some(Some(score)),
            Own::NoScore => Some(None),
            Own::Unsettled { .. } => None,
        }
    }

    /// Negamax over all lines, with an explicit stack. Returns `None` if the budget ran out.
    fn run(&mut self, mut line: Line, root: Turn, budget: u64) -> Option<Option<Tagged>> {
        let graph = self.graph;
        let limit = limit(graph);
        let unbounded = Bounds::new(-limit, limit);
        let mut entered = 0;
        let mut frames = Vec::new();
        // The node to enter next; if there is none, an option is handed up.
        let mut next = Some((Edge::again(root.node), root));
        loop {
            if let Some((edge, turn)) = next.take() {
                if entered == budget {
                    return None;
                }
                entered += 1;
                let node = edge.child;
                line.push(turn);
                let best = Best {
                    found: payoff(graph, node).map(|score| (score, Bounds::exactly(score))),
                    tags: Vec::new(),
                    limit,
                };
                frames.push(Frame {
                    edge,
                    best,
                    children: graph.children(node),
                });
            }
            let frame = frames.last_mut()?;
            let node = frame.edge.child;
            if !frame.best.is_unbeatable()
                && let Some(edge) = frame.children.next()
            {
                let turn = line.after(edge);
                if let Some(ply) = line.ply(turn) {
                    let score = repetition(graph, &line.turns[ply..]);
                    frame.best.add(Tagged {
                        score,
                        bounds: unbounded,
                        tag: Some(ply),
                    });
                } else if let Some(known) = self.reusable(Some(node), edge.child) {
                    if let Some(score) = known {
                        frame.best.add(Tagged::own(edge.carry(score)));
                    }
                } else {
                    next = Some((edge, turn));
                }
                continue;
            }
            let Frame { edge, best, .. } = frames.pop()?;
            line.pop();
            let result = best.finish(line.turns.len());
            if result.is_none_or(|it| it.tag.is_none()) {
                self.memo.insert(node, result.map(|it| it.score));
            }
            let Some(parent) = frames.last_mut() else {
                return Some(result);
            };
            if let Some(result) = result {
                parent.best.add(result.carried(edge));
            }
        }
    }
}

struct Frame<I> {
    /// The edge that led to the position.
    edge: Edge,
    best: Best,
    children: I,
}

/// The current path, with the ply of each turn.
#[derive(Default)]
struct Line {
    turns: Vec<Turn>,
    plies: HashMap<Turn, usize>,
    /// Whether a position repeats only with the same side to move.
    coloured: bool,
}

impl Line {
    /// The turn that an edge from the last position leads to.
    fn after(&self, edge: Edge) -> Turn {
        match self.turns.last() {
            Some(last) if self.coloured => last.next(edge),
            _ => Turn::first(edge.child),
        }
    }

    fn push(&mut self, turn: Turn) {
        self.plies.insert(turn, self.turns.len());
        self.turns.push(turn);
    }

    fn pop(&mut self) {
        if let Some(turn) = self.turns.pop() {
            self.plies.remove(&turn);
        }
    }

    fn ply(&self, turn: Turn) -> Option<usize> {
        self.plies.get(&turn).copied()
    }
}

/// A score on the current path, and what is known of it on shorter ones.
///
/// Suppose the first plies of the path are cut off. As long as ply `tag` remains, the score stays `score`; without a tag it
/// always does. Whatever is cut off, the score stays within the bounds.
#[derive(Clone, Copy, Debug)]
struct Tagged {
    score: Score,
    bounds: Bounds,
    tag: Option<usize>,
}

impl Tagged {
    const fn own(score: Score) -> Self {
        Self {
            score,
            bounds: Bounds::exactly(score),
            tag: None,
        }
    }

    const fn carried(self, edge: Edge) -> Self {
        Self {
            score: edge.carry(self.score),
            bounds: self.bounds.carried(edge),
            tag: self.tag,
        }
    }
}

/// The maximum of the options seen so far.
struct Best {
    /// The score and bounds of the maximum; `None` if there are no options.
    found: Option<(Score, Bounds)>,
    /// The tags of options, with their upper bounds.
    tags: Vec<(usize, Score)>,
    limit: Score,
}

impl Best {
    fn add(&mut self, option: Tagged) {
        if let Some(tag) = option.tag {
            self.tags.push((tag, option.bounds.upper));
        }
        self.found = Some(match self.found {
            None => (option.score, option.bounds),
            Some((score, bounds)) => (score.max(option.score), bounds.best(option.bounds)),
        });
    }

    /// Whether no further option can matter.
    fn is_unbeatable(&self) -> bool {
        self.found
            .is_some_and(|(_, bounds)| bounds.lower == self.limit)
    }

    /// The score of the position at `ply`, once all its options are in.
    ///
    /// An option whose upper bound is not above the lower bound of the maximum can't matter: on any shorter path the maximum is
    /// at least that. All others count, and the earliest of their tags is the tag of the maximum. If that is `ply` itself, the
    /// score depends on nothing before this position, so it's the position's own score.
    fn finish(self, ply: usize) -> Option<Tagged> {
        let (score, bounds) = self.found?;
        let matters = |&(tag, upper): &(usize, Score)| (upper > bounds.lower).then_some(tag);
        let earliest = self.tags.iter().filter_map(matters).min();
        let tag = earliest.filter(|&tag| tag < ply);
        Some(match tag {
            None => Tagged::own(score),
            Some(_) => Tagged { score, bounds, tag },
        })
    }
}
