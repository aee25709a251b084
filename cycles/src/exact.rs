//! The exact pass: every position's own score.

use crate::bounds::Bounds;
use crate::components::{Cycles, components};
use crate::cyclic::{Component, Places};
use crate::graph::{Graph, Score};
use crate::layers::{Cells, NO_SCORE, PENDING, UNSETTLED, settle_layers};
use crate::limits::payoff;
use std::collections::HashMap;

/// What the exact pass says of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Own {
    /// Its own score, in the view of its mover: the value of the game that starts there.
    Score(Score),
    /// No line from it ends in a payoff or a repetition.
    NoScore,
    /// It depends on repetitions whose worth depends on how they are made. The own score is within these bounds.
    Unsettled {
        /// The score is not lower.
        lower: Score,
        /// The score is not higher.
        upper: Score,
    },
}

/// A position whose own score the exact pass could not settle, and the bounds of that score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unsettled {
    /// The position.
    pub node: u32,
    /// Its score is not lower.
    pub lower: Score,
    /// Its score is not higher.
    pub upper: Score,
}

/// The own scores of all positions of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scores {
    cells: Vec<i32>,
    unsettled: Vec<Unsettled>,
    cycles: Cycles,
}

impl Scores {
    /// What is known of a position.
    ///
    /// # Panics
    /// If the graph has no such position.
    #[must_use]
    pub fn own(&self, node: u32) -> Own {
        match self.cells[node as usize] {
            NO_SCORE => Own::NoScore,
            UNSETTLED => {
                let at = self.unsettled.partition_point(|u| u.node < node);
                let Unsettled { lower, upper, .. } = self.unsettled[at];
                Own::Unsettled { lower, upper }
            }
            score => Own::Score(score),
        }
    }

    /// The positions without a settled score, in their order. Empty if a repetition is worth the same however it is
    /// made.
    #[must_use]
    pub fn unsettled(&self) -> &[Unsettled] {
        &self.unsettled
    }

    /// The positions that are on cycles.
    #[must_use]
    pub fn cycles(&self) -> &Cycles {
        &self.cycles
    }
}

/// Computes every position's own score in about linear time, whatever is acyclic in parallel (see
/// [`Graph::rank`]).
///
/// Nothing stays unsettled if the worth of a repetition, in one side's view, is the same everywhere in a component, and 0
/// in components that have a cycle along which the side to move changes an odd number of times.
///
/// # Panics
/// If an edge leads to a position that the graph does not have.
///
/// # Examples
/// See the [crate](crate).
#[must_use]
pub fn exact(graph: &impl Graph) -> Scores {
    let cells = settle_layers(graph);
    let pending: Vec<u32> = (0..graph.nodes())
        .filter(|&node| cells.get(node) == PENDING)
        .collect();
    let mut pass = Pass {
        graph,
        cells: &cells,
        bounds: HashMap::new(),
        cycles: Cycles::default(),
        places: Places::default(),
    };
    if !pending.is_empty() {
        let is_pending = |node| cells.get(node) == PENDING;
        components(graph, pending, is_pending, |component| {
            pass.settle(component)
        });
    }
    let Pass {
        bounds, mut cycles, ..
    } = pass;
    cycles.sort();
    let mut unsettled: Vec<Unsettled> = bounds
        .into_iter()
        .map(|(node, Bounds { lower, upper })| Unsettled { node, lower, upper })
        .collect();
    unsettled.sort_unstable_by_key(|u| u.node);
    Scores {
        cells: cells.into_inner(),
        unsettled,
        cycles,
    }
}

/// The part of the pass that goes from component to component, children's first.
struct Pass<'a, G> {
    graph: &'a G,
    cells: &'a Cells,
    /// Of the unsettled positions.
    bounds: HashMap<u32, Bounds>,
    cycles: Cycles,
    places: Places,
}

impl<G: Graph> Pass<'_, G> {
    fn settle(&mut self, members: &[u32]) {
        if self.cycles.note(self.graph, members) {
            self.places.assign(self.graph, members);
            let component =
                Component::new(self.graph, members, &self.places, |node| self.known(node));
            for (&node, bounds) in members.iter().zip(component.solve()) {
                self.store(node, Some(bounds));
            }
        } else {
            let node = members[0];
            let options = self
                .graph
                .children(node)
                .filter_map(|edge| Some(self.known(edge.child)?.carried(edge)));
            let best = payoff(self.graph, node)
                .map(Bounds::exactly)
                .into_iter()
                .chain(options)
                .reduce(Bounds::best);
            self.store(node, best);
        }
    }

    /// The score of a position in a component that has been settled, or its bounds; `None` if it has no score.
    fn known(&self, node: u32) -> Option<Bounds> {
        match self.cells.get(node) {
            NO_SCORE => None,
            UNSETTLED => Some(self.bounds[&node]),
            score => Some(Bounds::exactly(score)),
        }
    }

    fn store(&mut self, node: u32, bounds: Option<Bounds>) {
        let cell = match bounds {
            None => NO_SCORE,
            Some(bounds) => bounds.score().unwrap_or_else(|| {
                self.bounds.insert(node, bounds);
                UNSETTLED
            }),
        };
        self.cells.set(node, cell);
    }
}
