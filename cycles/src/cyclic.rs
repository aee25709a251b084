//! One component that has a cycle, made ready to be solved backwards.

use crate::bounds::Bounds;
use crate::graph::{Edge, Graph, Score};
use crate::limits::{payoff, repetition_range};
use crate::retrograde::Arena;

/// Where the positions of the current component stand in it.
#[derive(Default)]
pub(crate) struct Places(Vec<u32>);

impl Places {
    /// Makes a component the current one. What stands here of earlier ones does no harm, see [`find`](Self::find).
    pub(crate) fn assign(&mut self, graph: &impl Graph, members: &[u32]) {
        self.0.resize(graph.nodes() as usize, 0);
        for (place, &node) in (0..).zip(members) {
            self.0[node as usize] = place;
        }
    }

    fn find(&self, members: &[u32], node: u32) -> Option<u32> {
        let place = self.0[node as usize];
        (members.get(place as usize) == Some(&node)).then_some(place)
    }
}

/// A component. Its positions are numbered by their places in it.
pub(crate) struct Component {
    /// The edges inside the component, sorted by parent.
    edges: Vec<(u32, Edge)>,
    /// The best that the mover can get without an edge inside the component.
    exits: Vec<Option<Bounds>>,
    /// The worth of a repetition to the mover.
    repetitions: Vec<Bounds>,
    /// Whether some cycle changes the side an odd number of times.
    odd: bool,
}

impl Component {
    /// `known` tells the score of a position outside of the component.
    pub(crate) fn new(
        graph: &impl Graph,
        members: &[u32],
        places: &Places,
        known: impl Fn(u32) -> Option<Bounds>,
    ) -> Self {
        let mut edges = Vec::new();
        let mut exits = Vec::with_capacity(members.len());
        for (place, &node) in (0..).zip(members) {
            let mut exit = payoff(graph, node).map(Bounds::exactly);
            for edge in graph.children(node) {
                if let Some(child) = places.find(members, edge.child) {
                    edges.push((place, Edge { child, ..edge }));
                } else if let Some(option) = known(edge.child) {
                    let option = option.carried(edge);
                    exit = Some(exit.map_or(option, |exit| exit.best(option)));
                }
            }
            exits.push(exit);
        }
        let mut repetitions: Vec<_> = members
            .iter()
            .map(|&node| repetition_range(graph, node))
            .collect();
        let odd = spread(&edges, &mut repetitions);
        Self {
            edges,
            exits,
            repetitions,
            odd,
        }
    }

    /// The own score of every position, or its bounds.
    pub(crate) fn solve(&self) -> Vec<Bounds> {
        let exits = self.exits.iter().flatten();
        if exits
            .chain(&self.repetitions)
            .all(|bounds| bounds.score().is_some())
        {
            self.solve_exactly()
        } else {
            self.enclose()
        }
    }

    fn solve_exactly(&self) -> Vec<Bounds> {
        // All bounds are scores here, so that either end will do.
        let worth = |place: usize| self.repetitions[place].lower;
        let exits = (0..).zip(&self.exits).filter_map(|(place, exit)| {
            Some((place, exit.as_ref()?.lower - worth(place as usize)))
        });
        let arena = Arena {
            nodes: self.exits.len(),
            edges: self.edges.clone(),
            exits: exits.collect(),
        };
        let scores = arena.solve();
        (0..)
            .zip(scores)
            .map(|(place, score)| Bounds::exactly(score + worth(place)))
            .collect()
    }

    /// Solves the game in which everything that is not known is at its worst for one side, the unlucky one.
    ///
    /// Each position stands in the arena twice: in place 2p the unlucky side moves, and gets its lower bound; in place
    /// 2p + 1 the other does, and gets its upper bound.
    fn enclose(&self) -> Vec<Bounds> {
        let luck = |bounds: Bounds| [bounds.lower, bounds.upper];
        let edges = self.edges.iter().flat_map(|&(parent, edge)| {
            [0, 1].map(|side| {
                let child = 2 * edge.child + (side ^ u32::from(edge.flips));
                (2 * parent + side, Edge { child, ..edge })
            })
        });
        let worth: Vec<Score> = self.repetitions.iter().copied().flat_map(luck).collect();
        let exits = (0..).zip(&self.exits).filter_map(|(place, exit)| {
            let [lower, upper] = luck((*exit)?);
            Some([(2 * place, lower), (2 * place + 1, upper)])
        });
        let exits = exits
            .flatten()
            .map(|(place, exit)| (place, exit - worth[place as usize]));
        let arena = Arena {
            nodes: worth.len(),
            edges: edges.collect(),
            exits: exits.collect(),
        };
        let scores = arena.solve();
        let scores: Vec<Score> = scores
            .iter()
            .zip(&worth)
            .map(|(score, worth)| score + worth)
            .collect();
        let enclosed = scores
            .chunks_exact(2)
            .zip(&self.repetitions)
            .map(|(scores, range)| {
                let mut bounds = Bounds {
                    lower: scores[0],
                    upper: scores[1],
                };
                if self.odd {
                    // A position may be met by both sides on one line here: a repetition that the arena does not see.
                    // So what a side can force counts only where it is better, or worse, than every repetition.
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

/// Widens each position's repetitions to all those that any position of the component can make, seen by its mover, and
/// tells whether a position can be met by both sides.
fn spread(edges: &[(u32, Edge)], repetitions: &mut [Bounds]) -> bool {
    let mut first_edge = vec![0; repetitions.len() + 1];
    for &(parent, _) in edges {
        first_edge[parent as usize + 1] += 1;
    }
    for place in 0..repetitions.len() {
        first_edge[place + 1] += first_edge[place];
    }
    // Whether the mover is the same side as in place 0, from where a component's positions can all be reached.
    let mut same_side = vec![None; repetitions.len()];
    same_side[0] = Some(true);
    let mut open = vec![0];
    let mut odd = false;
    while let Some(place) = open.pop() {
        let side = same_side[place];
        for &(_, edge) in &edges[first_edge[place]..first_edge[place + 1]] {
            let child = edge.child as usize;
            let expected = side.map(|same| same != edge.flips);
            if same_side[child].is_none() {
                same_side[child] = expected;
                open.push(child);
            }
            odd |= same_side[child] != expected;
        }
    }
    let seen = |bounds: Bounds, side: Option<bool>| {
        if side == Some(true) {
            bounds
        } else {
            bounds.negated()
        }
    };
    let ranges = repetitions
        .iter()
        .zip(&same_side)
        .map(|(&range, &side)| seen(range, side));
    let Some(mut hull) = ranges.reduce(Bounds::hull) else {
        return odd;
    };
    if odd {
        hull = hull.symmetric();
    }
    for (range, &side) in repetitions.iter_mut().zip(&same_side) {
        *range = seen(hull, side);
    }
    odd
}
