//! Egaroucid's numbers: value and lines.

use crate::{Edge, Node, Step};
use obook_model::Leaf;
use obook_othello::Move;

/// Where the engine stops counting; some of its files have larger counts, which are no better.
pub const MOST_LINES: u32 = 4_000_000_000;

/// Computes one position: the best of the children and, if asked for, of the leaf; without any, the value stays. The
/// sources of these rules are the tables that the engine wrote (`tests/book/graph/negamax_egaroucid_golden.rs`).
pub(super) fn visit(mut step: Step<'_>, edax_compliant: bool) {
    count_lines(&mut step);
    let Step {
        node,
        leaf,
        edges,
        below,
        ..
    } = step;
    let mut best = None;
    for edge in edges.iter_mut() {
        let value = edge.child_in(below).and_then(Node::value);
        edge.set_score(value.map(Edge::score_of));
        best = best.max(value.map(i16::saturating_neg));
    }
    // The end of a game and the leaf of a pass position are no leaves there.
    if edax_compliant
        && let Some(Leaf {
            mv: Some(Move::Place(_)),
            score,
            ..
        }) = leaf
    {
        best = best.max(Some(i16::from(score)));
    }
    if best.is_some() {
        node.set_value(best);
    }
    node.set_bounds(None);
    node.set_outcomes(None);
}

/// Counts one position's lines: those of the children and the position itself, by paths.
pub(super) fn count_lines(step: &mut Step<'_>) {
    let children = step
        .edges
        .iter()
        .filter_map(|edge| edge.child_in(step.below));
    let below = children.fold(0u32, |below, child| {
        below.saturating_add(child.lines().unwrap_or(0))
    });
    // The engine holds no pass positions: one is the passed position seen by the other side, not a position of its own.
    let pass = step
        .edges
        .iter()
        .any(|edge| edge.mv() == Move::Pass && edge.has_child());
    let lines = below.saturating_add(u32::from(!pass)).min(MOST_LINES);
    step.node.set_lines(Some(lines));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Graph;
    use obook_model::{Engine, Position};
    use obook_othello::Board;

    const START_MOVE: Move = match Move::from_code(37) {
        Some(mv) => mv,
        None => unreachable!(),
    };

    /// Lines of a position, not a pass, above children with so many lines.
    fn lines_above(children: &[u32]) -> Option<u32> {
        let board = Board::START.canonical();
        let child = Board::START.play(START_MOVE).unwrap();
        let mut builder = Graph::builder();
        for board in [board, child.canonical()] {
            builder.push(Position::new(board, Engine::Egaroucid));
        }
        let (graph, _) = builder.finish().unwrap();
        let below: Vec<Node> = children
            .iter()
            .map(|lines| {
                let mut position = Position::new(board, Engine::Egaroucid);
                position.lines = Some(*lines);
                Node::new(&position)
            })
            .collect();
        let mut edges: Vec<Edge> = (0..children.len())
            .map(|place| Edge::new(START_MOVE, None, Some(graph.id(place))))
            .collect();
        let mut node = Node::new(&Position::new(board, Engine::Egaroucid));
        let step = Step {
            empties: 60,
            node: &mut node,
            leaf: None,
            edges: &mut edges,
            below: &below,
        };
        visit(step, false);
        node.lines()
    }

    #[test]
    fn lines_stop_at_four_thousand_million() {
        assert_eq!(lines_above(&[1, 2]), Some(4));
        assert_eq!(lines_above(&[MOST_LINES - 2, 1]), Some(MOST_LINES));
        assert_eq!(lines_above(&[MOST_LINES, 1]), Some(MOST_LINES));
        assert_eq!(lines_above(&[u32::MAX, u32::MAX]), Some(MOST_LINES));
    }
}
