//! Edax's `book play`.

use super::Place;
use super::down::down_all;
use crate::Chosen;
use obook_graph::NodeId;

/// Of all positions that links lead to from the root, as far as lines go on, those are expanded that have no link: until every
/// line goes on to the depth of the book, or to the end of its game.
pub(crate) fn choose(place: &Place<'_>, root: NodeId) -> Vec<Chosen> {
    let mut chosen = Vec::new();
    down_all(place, root, |id| {
        if place.book.links(id).len() == 0 {
            chosen.extend(place.expansion(id));
        }
    });
    chosen
}
