//! Egaroucid's numbers: value and lines.

use crate::graph::{Edge, Step};
use obook_converters::Leaf;
use obook_othello::Move;

/// Where the engine stops counting.
const MOST_LINES: u32 = 4_000_000_000;

/// Computes one position.
pub(super) fn visit(step: Step<'_>, edax_compliant: bool) {
    let mut best = None;
    let mut below = 0u32;
    for edge in step.edges.iter_mut() {
        let child = edge.child().map(|place| &step.below[place]);
        let value = child.and_then(|child| child.value());
        edge.set_score(value.map(Edge::score_of));
        best = best.max(value.map(i16::saturating_neg));
        below = below.saturating_add(child.and_then(|child| child.lines()).unwrap_or(0));
    }
    // The engine holds no pass positions: one is the passed position seen by the other side, not a position of its own.
    let pass = step
        .edges
        .iter()
        .any(|edge| edge.mv() == Move::Pass && edge.child().is_some());
    let own = u32::from(!pass);
    // The end of a game and the leaf of a pass position are no leaves there.
    if edax_compliant
        && let Some(Leaf {
            mv: Some(Move::Place(_)),
            score,
            ..
        }) = step.leaf
    {
        best = best.max(Some(i16::from(score)));
    }
    if best.is_some() {
        step.node.set_value(best);
    }
    step.node
        .set_lines(Some(below.saturating_add(own).min(MOST_LINES)));
    step.node.set_bounds(None);
    step.node.set_outcomes(None);
    super::sort_links(step.edges);
}
