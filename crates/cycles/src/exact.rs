//! The exact pass: every position's own score. Acyclic parts are solved layer by layer in parallel, the rest component by
//! component.

use crate::components::{Cycles, components};
use crate::cyclic::{Component, Indices};
use crate::graph::{Bounds, Edge, Graph, MAX_SCORE, Score, payoff, repetition_range};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The exact pass's result for a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Own {
    /// Its own score, from its mover's point of view: the value of the game that starts there.
    Score(Score),
    /// No line from it ends in a payoff or a repetition.
    NoScore,
    /// The own score depends on repetitions whose worth depends on how they are made. It is within these bounds.
    Unsettled {
        /// The score is at least this.
        lower: Score,
        /// The score is at most this.
        upper: Score,
    },
}

/// The own scores of all positions of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scores {
    cells: Vec<i32>,
    /// The bounds of unsettled positions.
    unsettled: BTreeMap<u32, Bounds>,
    cycles: Cycles,
    /// Positions on cycles where one side wins, with their ranks, sorted.
    ranks: Vec<(u32, u32)>,
    /// Edges that keep the score but may go round for ever to a worse result, each with its parent, sorted.
    idle: Vec<(u32, Edge)>,
}

impl Scores {
    /// Returns the result for a position.
    ///
    /// # Panics
    /// Panics if the graph has no such position.
    #[must_use]
    pub fn own(&self, node: u32) -> Own {
        match self.cells[node as usize] {
            NO_SCORE => Own::NoScore,
            UNSETTLED => {
                let Bounds { lower, upper } = self.unsettled[&node];
                Own::Unsettled { lower, upper }
            }
            score => Own::Score(score),
        }
    }

    /// The best moves of a position: those whose child has the position's score and that lead there. If several moves have the
    /// same score, some may make no progress: a win that is put off for ever is a draw, and so many checks may be lost. These are
    /// left out. The winner's quickest move comes first, or the loser's that holds out longest; moves out of the cycle count as
    /// quickest.
    ///
    /// A player who always makes one of these moves, or takes the payoff if it is as good as the score, gets at least the
    /// score. The list is empty if only the payoff is that good, or if nothing is settled.
    ///
    /// # Panics
    /// Panics if the graph isn't the one of these scores.
    ///
    /// ```
    /// # use obook_cycles::{Edge, Graph, Score, exact};
    /// # struct G;
    /// # impl Graph for G {
    /// #     fn nodes(&self) -> u32 { 4 }
    /// #     fn children(&self, node: u32) -> impl Iterator<Item = Edge> {
    /// #         [vec![1, 3], vec![2, 0], vec![], vec![0]][node as usize].clone().into_iter().map(Edge::turn)
    /// #     }
    /// #     fn payoff(&self, node: u32) -> Option<Score> { (node == 2).then_some(5) }
    /// #     fn repetition_range(&self, _: u32) -> std::ops::RangeInclusive<Score> { 0..=0 }
    /// # }
    /// // 0 ⇄ 1 → 2, where the mover gets 5, and 0 ⇄ 3: wherever the mover of 0 goes, it can go again.
    /// let scores = exact(&G);
    /// assert_eq!(scores.best(&G, 1), [Edge::turn(0)]);
    /// ```
    #[must_use]
    pub fn best(&self, graph: &impl Graph, node: u32) -> Vec<Edge> {
        let Own::Score(score) = self.own(node) else {
            return Vec::new();
        };
        let mut best: Vec<Edge> = graph
            .children(node)
            .filter(|edge| self.own(edge.child) == Own::Score(edge.carry(score)))
            .filter(|edge| self.idle.binary_search(&(node, *edge)).is_err())
            .collect();
        let component = self.cycles.component(node);
        let rank = |edge: &Edge| {
            let inside = component.is_some() && self.cycles.component(edge.child) == component;
            let at = self
                .ranks
                .binary_search_by_key(&edge.child, |&(node, _)| node);
            at.ok().filter(|_| inside).map_or(0, |at| self.ranks[at].1)
        };
        best.sort_by_key(rank);
        if score < repetition_range(graph, node).upper {
            best.reverse();
        }
        best
    }

    /// The positions without a settled score, in order. Empty if a repetition is worth the same however it is made.
    pub fn unsettled(&self) -> impl ExactSizeIterator<Item = u32> {
        self.unsettled.keys().copied()
    }

    /// The positions that are on cycles.
    #[must_use]
    pub fn cycles(&self) -> &Cycles {
        &self.cycles
    }
}

/// Computes every position's own score in about linear time. Acyclic parts run in parallel (see [`Graph::rank`]).
///
/// Everything is settled under the rule of [perpetual](Graph::perpetual) check. If a component allows such checks, its time is
/// polynomial, and rarely more than linear times the logarithm of the number of different payoffs. Otherwise everything is
/// settled if the worth of a repetition, from one side's point of view, is the same throughout a component, and
/// is 0 in components with a cycle along which the side to move changes an odd number of times.
///
/// # Why it is right
/// Suppose a repetition is worth the same, R, to one side however it is made. For a threshold t > R from that side's point of
/// view, consider the positions from which it can *force* a payoff of t or more: the attractor of these payoffs. Inside it,
/// every move gets closer to a payoff, so no position comes twice and the repetition rule never applies. Outside it, the
/// other side can stay outside for ever: the game ends with a payoff below t, or with a repetition, worth R < t. The same
/// holds with the sides swapped. So a position's score is the best payoff that its mover can force, or the worst that its
/// opponent can force, or R if neither can force anything better. None of this mentions the history, so everything can be
/// found backwards from the payoffs, farthest from R first, using each edge once.
///
/// If a cycle changes the side an odd number of times, a position has no fixed colour. The argument still holds if a
/// repetition is worth 0 to both sides: no position can be won by both, since it would be worth t > 0 to its mover and to the
/// other side.
///
/// If the worth of a repetition depends on who makes it or how, two passes, with its lowest and its highest worth, enclose every own
/// score, because a score never falls when a repetition gets more valuable. If they agree, the score is settled. Otherwise the pass
/// lists the position ([`Scores::unsettled`]) and keeps its bounds; in a small component, a tagging search settles it.
///
/// # Panics
/// Panics if an edge leads to a position outside the graph.
///
/// # Examples
/// See the [crate](crate).
#[must_use]
pub fn exact(graph: &impl Graph) -> Scores {
    let cells = settle_layers(graph);
    let is_pending: Vec<bool> = cells.iter().map(|&cell| cell == PENDING).collect();
    let mut pass = Pass {
        graph,
        scores: Scores {
            cells,
            unsettled: BTreeMap::new(),
            cycles: Cycles::default(),
            ranks: Vec::new(),
            idle: Vec::new(),
        },
        indices: Indices::default(),
    };
    if is_pending.contains(&true) {
        let children = |node| graph.children(node).map(|edge| edge.child);
        let is_pending = |node| is_pending[node as usize];
        components(graph.nodes(), children, is_pending, |component| {
            pass.settle(component)
        });
    }
    let mut scores = pass.scores;
    scores.cycles.sort();
    scores.ranks.sort_unstable();
    scores.idle.sort_unstable();
    scores
}

/// The part of the pass that visits component after component, children first.
struct Pass<'a, G> {
    graph: &'a G,
    /// The scores that are known so far.
    scores: Scores,
    indices: Indices,
}

impl<G: Graph> Pass<'_, G> {
    fn settle(&mut self, members: &[u32]) {
        if self.scores.cycles.note(self.graph, members) {
            // In order, so that nothing depends on where the traversal began.
            let mut members = members.to_vec();
            members.sort_unstable();
            self.indices.assign(self.graph, &members);
            let component =
                Component::new(self.graph, &members, &self.indices, |node| self.known(node));
            let solution = component.solve();
            for (&node, bounds) in members.iter().zip(solution.bounds) {
                self.store(node, Some(bounds));
            }
            let ranks = members.iter().copied().zip(solution.ranks);
            let ranks = ranks.filter(|&(_, rank)| rank > 0);
            self.scores.ranks.extend(ranks);
            let named = solution.idle.into_iter().map(|(parent, edge)| {
                let child = members[edge.child as usize];
                (members[parent as usize], Edge { child, ..edge })
            });
            self.scores.idle.extend(named);
        } else {
            let node = members[0];
            let children = self.graph.children(node);
            let options = children.filter_map(|edge| Some(self.known(edge.child)?.carried(edge)));
            let payoff = payoff(self.graph, node).map(Bounds::exactly);
            let best = payoff.into_iter().chain(options).reduce(Bounds::best);
            self.store(node, best);
        }
    }

    /// The score or bounds of a position in a settled component; `None` if it has no score.
    fn known(&self, node: u32) -> Option<Bounds> {
        match self.scores.cells[node as usize] {
            NO_SCORE => None,
            UNSETTLED => Some(self.scores.unsettled[&node]),
            score => Some(Bounds::exactly(score)),
        }
    }

    fn store(&mut self, node: u32, bounds: Option<Bounds>) {
        let cell = match bounds {
            None => NO_SCORE,
            Some(bounds) => bounds.score().unwrap_or_else(|| {
                self.scores.unsettled.insert(node, bounds);
                UNSETTLED
            }),
        };
        self.scores.cells[node as usize] = cell;
    }
}

/// The state of a position: a score, or one of the numbers below, which are never scores.
type Cell = i32;

/// Lower than every score, so it is also the maximum of no options.
const NO_SCORE: Cell = i32::MIN;
/// Bounds are known, and stored elsewhere.
const UNSETTLED: Cell = i32::MAX - 1;
/// Nothing is known yet.
const PENDING: Cell = i32::MAX;

/// The fewest positions that are worth waking a thread for.
const GRAIN: usize = 1024;

/// Settles what the ranks allow. Positions on a cycle, or leading to one, stay [`PENDING`]. So, usually, do positions with an
/// edge along which the rank doesn't grow.
fn settle_layers(graph: &impl Graph) -> Vec<Cell> {
    let mut cells = vec![PENDING; graph.nodes() as usize];
    let nodes = (0..graph.nodes()).into_par_iter();
    let mut by_rank: Vec<(u32, u32)> = nodes.map(|node| (graph.rank(node), node)).collect();
    by_rank.par_sort_unstable();
    for layer in by_rank.chunk_by(|a, b| a.0 == b.0).rev() {
        let best = |&(_, node): &(u32, u32)| best_option(graph, &cells, node);
        let best: Vec<Cell> = if layer.len() < 2 * GRAIN {
            layer.iter().map(best).collect()
        } else {
            layer.par_iter().with_min_len(GRAIN).map(best).collect()
        };
        for (&(_, node), best) in layer.iter().zip(best) {
            cells[node as usize] = best;
        }
    }
    cells
}

/// The best option of a position whose children have all been settled; [`PENDING`] if one hasn't.
fn best_option(graph: &impl Graph, cells: &[Cell], node: u32) -> Cell {
    let mut best: Score = payoff(graph, node).unwrap_or(NO_SCORE);
    for edge in graph.children(node) {
        match cells[edge.child as usize] {
            NO_SCORE => {}
            score if score > MAX_SCORE => return PENDING,
            score => best = best.max(edge.carry(score)),
        }
    }
    best
}
