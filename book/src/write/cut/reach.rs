//! What can be reached from a position: by any links, or while one side plays its best.
//!
//! Parents come after their children in a graph, so one sweep from the root down meets every position after all that
//! lead to it: each position is seen once, however many paths lead there.

use obook_graph::{Graph, NodeId, Selection};

/// The side to move plays any link, the other side only the best.
const ANY: u8 = 1;
/// The side to move plays only the best links, the other side any.
const BEST: u8 = 2;

/// How many plies from the start position a position is: the discs placed since; a pass is none.
pub(super) fn plies(graph: &Graph, id: NodeId) -> u8 {
    60u8.saturating_sub(graph.board(id).board().empties() as u8)
}

/// What both sides can reach with any links, as far as positions at most `depth` plies from the start position lead.
pub(super) fn by_any_links(graph: &Graph, root: NodeId, depth: u8) -> Selection {
    sweep(graph, root, depth, |_, _, _| ANY)
}

/// What can be reached while one side, whichever it is, plays links that are as good as the best, leaf included; the
/// other one plays any.
pub(super) fn by_best_play_of_one_side(graph: &Graph, root: NodeId, depth: u8) -> Selection {
    sweep(graph, root, depth, |state, score, value| {
        let as_good = score.is_some() && score.map(i16::from) >= value;
        let after_best = if state & BEST != 0 && as_good { ANY } else { 0 };
        let after_any = if state & ANY != 0 { BEST } else { 0 };
        after_any | after_best
    })
}

/// Goes through the positions below the root. `step` is given the state of a position, the score of a link and the
/// position's value, and says in what state the link's child is reached: 0 for not at all.
fn sweep(
    graph: &Graph,
    root: NodeId,
    depth: u8,
    step: impl Fn(u8, Option<i8>, Option<i16>) -> u8,
) -> Selection {
    let mut kept = Selection::none(graph);
    let mut states = vec![0; root.index() + 1];
    states[root.index()] = ANY | BEST;
    for place in (0..=root.index()).rev() {
        let id = graph.id(place);
        let state = states[place];
        if state == 0 || plies(graph, id) > depth {
            continue;
        }
        kept.insert(id);
        let value = graph.value(id);
        for link in graph.links(id) {
            if let Some(child) = link.child {
                states[child.index()] |= step(state, link.score, value);
            }
        }
    }
    kept
}
