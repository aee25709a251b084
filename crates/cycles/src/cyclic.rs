//! Solves one component that has a cycle, backwards from its payoffs.

use crate::graph::{
    Bounds, Edge, Graph, Score, firsts, payoff, perpetual, range, repetition_range,
};
use crate::perpetual;
use std::cmp::Reverse;
use std::collections::VecDeque;

/// The index of each position in the current component.
#[derive(Default)]
pub(crate) struct Indices(Vec<u32>);

impl Indices {
    /// Makes a component the current one. Indices left over from earlier ones do no harm; see [`find`](Self::find).
    pub(crate) fn assign(&mut self, graph: &impl Graph, members: &[u32]) {
        self.0.resize(graph.nodes() as usize, 0);
        for (index, &node) in (0..).zip(members) {
            self.0[node as usize] = index;
        }
    }

    fn find(&self, members: &[u32], node: u32) -> Option<u32> {
        let index = self.0[node as usize];
        (members.get(index as usize) == Some(&node)).then_some(index)
    }
}

/// A component. Its positions are numbered from 0.
pub(crate) struct Component {
    /// The edges inside the component, sorted by parent.
    edges: Vec<(u32, Edge)>,
    /// The best the mover can get by leaving the component.
    exits: Vec<Option<Bounds>>,
    /// The worth of a repetition to the mover.
    repetitions: Vec<Bounds>,
    /// Whether the side to move changes an odd number of times along some cycle.
    odd: bool,
    /// The cost of perpetual check, if it loses, and whether each mover is in check.
    perpetual: Option<(Score, Vec<bool>)>,
}

/// Facts about the positions of a component.
pub(crate) struct Solution {
    /// The own score of each position, or its bounds.
    pub(crate) bounds: Vec<Bounds>,
    /// The lower, the sooner the winner gets there; 0 if nobody wins, or it isn't settled.
    pub(crate) ranks: Vec<u32>,
    /// Edges that keep the score but may go round for ever to a worse result, each with its parent.
    pub(crate) idle: Vec<(u32, Edge)>,
}

impl Component {
    /// `known` returns the score of a position outside the component.
    pub(crate) fn new(
        graph: &impl Graph,
        members: &[u32],
        indices: &Indices,
        known: impl Fn(u32) -> Option<Bounds>,
    ) -> Self {
        let mut edges = Vec::new();
        let mut exits = Vec::with_capacity(members.len());
        for (index, &node) in (0..).zip(members) {
            let mut exit = payoff(graph, node).map(Bounds::exactly);
            for edge in graph.children(node) {
                if let Some(child) = indices.find(members, edge.child) {
                    edges.push((index, Edge { child, ..edge }));
                } else if let Some(option) = known(edge.child) {
                    let option = option.carried(edge);
                    exit = Some(exit.map_or(option, |exit| exit.best(option)));
                }
            }
            exits.push(exit);
        }
        let repetition = |&node: &u32| repetition_range(graph, node);
        let mut repetitions: Vec<_> = members.iter().map(repetition).collect();
        let odd = spread(&edges, &mut repetitions);
        let checked = || members.iter().map(|&node| graph.checked(node)).collect();
        let perpetual = perpetual(graph).map(|cost| (cost, checked()));
        Self {
            edges,
            exits,
            repetitions,
            odd,
            perpetual,
        }
    }

    pub(crate) fn solve(&self) -> Solution {
        if let Some(solution) = self.solve_perpetual() {
            return solution;
        }
        let mut worths = self.exits.iter().flatten().chain(&self.repetitions);
        if worths.all(|bounds| bounds.score().is_some()) {
            self.solve_exactly()
        } else {
            Solution {
                bounds: self.enclose(),
                ranks: vec![0; self.exits.len()],
                idle: Vec::new(),
            }
        }
    }

    /// Returns `None` if perpetual check is impossible or no loss.
    fn solve_perpetual(&self) -> Option<Solution> {
        let (cost, checked) = self.perpetual.as_ref()?;
        // Under this rule everything is settled, so either end of the bounds will do.
        let exits = self.exits.iter().map(|exit| Some((*exit)?.lower));
        let arena = perpetual::Arena::new(&self.edges, exits, checked, *cost)?;
        let solved = arena.solve();
        let idle = self
            .kept(&solved.scores)
            .filter_map(|(at, kept)| solved.idle[at].then_some(kept))
            .collect();
        Some(Solution {
            bounds: solved.scores.into_iter().map(Bounds::exactly).collect(),
            ranks: solved.ranks,
            idle,
        })
    }

    /// The edges that keep the score, with their parents and their indices.
    fn kept(&self, scores: &[Score]) -> impl Iterator<Item = (usize, (u32, Edge))> {
        let keeps = |&(_, (parent, edge)): &(usize, (u32, Edge))| {
            scores[parent as usize] == edge.carry(scores[edge.child as usize])
        };
        self.edges.iter().copied().enumerate().filter(keeps)
    }

    fn solve_exactly(&self) -> Solution {
        // All bounds are scores here, so either end will do.
        let worth = |index: usize| self.repetitions[index].lower;
        let exits = (0..).zip(&self.exits).filter_map(|(index, exit)| {
            Some((index, exit.as_ref()?.lower - worth(index as usize)))
        });
        let (scores, ranks) = solve(self.exits.len(), self.edges.clone(), exits.collect());
        let turns_back = |&(parent, edge): &(u32, Edge)| {
            scores[parent as usize] > 0 && ranks[edge.child as usize] >= ranks[parent as usize]
        };
        let kept = self.kept(&scores).map(|(_, kept)| kept);
        let idle = kept.filter(turns_back).collect();
        let bounds = |(index, score): (usize, Score)| Bounds::exactly(score + worth(index));
        Solution {
            bounds: (0..).zip(scores).map(bounds).collect(),
            ranks,
            idle,
        }
    }

    /// Solves the game in which everything unknown turns out worst for one side, the unlucky one.
    ///
    /// Each position p is in the arena twice: at 2p the unlucky side moves and gets its lower bound, at 2p + 1 the other side
    /// moves and gets its upper bound.
    fn enclose(&self) -> Vec<Bounds> {
        let luck = |bounds: Bounds| [bounds.lower, bounds.upper];
        let edges = self.edges.iter().flat_map(|&(parent, edge)| {
            [0, 1].map(|side| {
                let child = 2 * edge.child + (side ^ u32::from(edge.flips));
                (2 * parent + side, Edge { child, ..edge })
            })
        });
        let worth: Vec<Score> = self.repetitions.iter().copied().flat_map(luck).collect();
        let exits = (0..).zip(&self.exits).filter_map(|(index, exit)| {
            let [lower, upper] = luck((*exit)?);
            Some([(2 * index, lower), (2 * index + 1, upper)])
        });
        let exits = exits
            .flatten()
            .map(|(index, exit)| (index, exit - worth[index as usize]));
        let (scores, _) = solve(worth.len(), edges.collect(), exits.collect());
        let scores = scores.iter().zip(&worth);
        let scores: Vec<Score> = scores.map(|(score, worth)| score + worth).collect();
        let both = scores.chunks_exact(2).zip(&self.repetitions);
        let enclosed = both.map(|(scores, range)| {
            let mut bounds = Bounds::new(scores[0], scores[1]);
            if self.odd {
                // Here both sides may reach a position on one line: a repetition that the arena doesn't see. So what
                // a side can force counts only if it's better, or worse, than every repetition.
                if bounds.lower <= range.upper {
                    bounds.lower = bounds.lower.min(range.lower);
                }
                if bounds.upper >= range.lower {
                    bounds.upper = bounds.upper.max(range.upper);
                }
            }
            bounds
        });
        enclosed.collect()
    }
}

/// Widens each position's repetitions to those of the whole component, from its mover's point of view. Returns whether both
/// sides can reach the same position.
fn spread(edges: &[(u32, Edge)], repetitions: &mut [Bounds]) -> bool {
    let first_edge = firsts(repetitions.len(), edges.iter().map(|&(parent, _)| parent));
    // Whether the mover is the same side as in position 0, from which the whole component can be reached.
    let mut same_side = vec![None; repetitions.len()];
    same_side[0] = Some(true);
    let mut open = vec![0];
    let mut odd = false;
    while let Some(index) = open.pop() {
        let side = same_side[index as usize];
        for &(_, edge) in &edges[range(&first_edge, index)] {
            let child = edge.child as usize;
            let expected = side.map(|same| same != edge.flips);
            if same_side[child].is_none() {
                same_side[child] = expected;
                open.push(edge.child);
            }
            odd |= same_side[child] != expected;
        }
    }
    let seen = |bounds: Bounds, side: Option<bool>| match side {
        Some(true) => bounds,
        _ => bounds.negated(),
    };
    let ranges = repetitions.iter().zip(&same_side);
    let ranges = ranges.map(|(&range, &side)| seen(range, side));
    let Some(mut hull) = ranges.reduce(Bounds::hull) else {
        return odd;
    };
    if odd {
        // For either side.
        hull = hull.hull(hull.negated());
    }
    for (range, &side) in repetitions.iter_mut().zip(&same_side) {
        *range = seen(hull, side);
    }
    odd
}

/// Solves an arena: a game in which a repetition is worth 0 to both sides. If it's worth something else, scores are counted from there.
/// Its positions are numbered from 0, `edges` come with their parents, and `exits` say what the mover gets by leaving the arena in a
/// position. Returns the score of every position, and its rank: the most moves in which the winner gets there, or 0 for a draw.
///
/// Exits are taken in order of their distance from 0, farthest first, and everything that follows from an exit has its
/// distance. So the first option above 0 that a position gets is the best for its mover. If all its options are below 0,
/// the last one is the best. A position that is never reached has a move that keeps the game going and no better one: 0.
fn solve(
    nodes: usize,
    mut edges: Vec<(u32, Edge)>,
    mut exits: Vec<(u32, Score)>,
) -> (Vec<Score>, Vec<u32>) {
    exits.sort_unstable_by_key(|&(_, score)| Reverse(score.unsigned_abs()));
    edges.sort_unstable_by_key(|&(_, edge)| edge.child);
    let first_parent = firsts(nodes, edges.iter().map(|(_, edge)| edge.child));
    // The number of options of each position that haven't turned out to be below 0.
    let mut left = vec![0_u32; nodes];
    for &(parent, _) in &edges {
        left[parent as usize] += 1;
    }
    for &(node, _) in &exits {
        left[node as usize] += 1;
    }
    // Takes the worth of one of a position's options. Returns whether that decides its score.
    let mut offer = |scores: &mut [Score], node: u32, option: Score| {
        let at = node as usize;
        if scores[at] != 0 || option == 0 {
            return false;
        }
        if option < 0 {
            left[at] -= 1;
            if left[at] > 0 {
                return false;
            }
        }
        scores[at] = option;
        true
    };

    // 0 until something better or worse is known.
    let mut scores = vec![0; nodes];
    let mut ranks = vec![0; nodes];
    let mut news = VecDeque::new();
    let distance = |exit: &(u32, Score)| exit.1.unsigned_abs();
    for equal in exits.chunk_by(|a, b| distance(a) == distance(b)) {
        for &(node, score) in equal {
            if offer(&mut scores, node, score) {
                ranks[node as usize] = 1;
                news.push_back(node);
            }
        }
        while let Some(child) = news.pop_front() {
            let score = scores[child as usize];
            for &(parent, edge) in &edges[range(&first_parent, child)] {
                if offer(&mut scores, parent, edge.carry(score)) {
                    ranks[parent as usize] = ranks[child as usize] + 1;
                    news.push_back(parent);
                }
            }
        }
    }
    (scores, ranks)
}
