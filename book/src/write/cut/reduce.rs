//! Egaroucid's reduce: keeping what few discs of loss lead to.

use super::reach::{by_any_links, plies};
use obook_graph::{Graph, NodeId, Selection};

/// How many discs the moves of a line may lose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Losses {
    /// The most that one move may lose against the best of its position.
    pub per_move: u8,
    /// The most that all moves of a line, of both sides, may lose in sum.
    pub per_line: u8,
}

/// Of what can be reached from the root, the positions that lines within these losses lead to, down to `depth` plies
/// from the start position; and all that can't be reached from the root.
///
/// The most that may still be lost below a position is what its best way in has left. Parents come after their children
/// in a graph, so it is known when the sweep down comes to the position.
pub(super) fn within_losses(graph: &Graph, root: NodeId, depth: u8, losses: Losses) -> Selection {
    let per_move = i32::from(losses.per_move);
    let reachable = by_any_links(graph, root, u8::MAX);
    let mut budgets: Vec<Option<i32>> = vec![None; root.index() + 1];
    budgets[root.index()] = Some(losses.per_line.into());
    for place in (0..=root.index()).rev() {
        let id = graph.id(place);
        let (Some(budget), Some(value)) = (budgets[place], graph.value(id)) else {
            continue;
        };
        for link in graph.links(id) {
            let (Some(child), Some(score)) = (link.child, link.score) else {
                continue;
            };
            let loss = i32::from(value) - i32::from(score);
            if loss <= per_move.min(budget) && plies(graph, child) <= depth {
                let left = &mut budgets[child.index()];
                *left = (*left).max(Some(budget - loss));
            }
        }
    }
    let within = |id: NodeId| budgets.get(id.index()).is_some_and(Option::is_some);
    Selection::matching(graph, |id| within(id) || !reachable.contains(id))
}
