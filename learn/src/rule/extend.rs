//! Edax's `book extend`.

use super::Place;
use super::down::down_all;
use crate::Chosen;
use obook_graph::NodeId;

/// Of all positions that links lead to from the root, as far as lines go on, those are expanded whose leaf is worth as much as
/// they are: until the best move of each leads to a position of the book.
pub(crate) fn choose(place: &Place<'_>, root: NodeId) -> Vec<Chosen> {
    let mut chosen = Vec::new();
    down_all(place, root, |id| {
        if place.has_best_leaf(id) {
            chosen.extend(place.expansion(id));
        }
    });
    chosen
}
