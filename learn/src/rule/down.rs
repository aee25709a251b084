//! Down the book from one of its positions.

use super::Place;
use obook_graph::NodeId;

/// Visits the positions below one of them, itself included, from which lines go on; each once, with what its parents left for
/// it, after all its parents.
///
/// `visit` is given a position, what was left for it, and by their places the positions below, where it leaves something
/// for those that are reached from here; where it leaves nothing, which is the default, they are not visited. Parents come
/// after their children in a graph, so one sweep does it, however many paths lead to a position.
pub(crate) fn down<S: Copy + Default + PartialEq>(
    place: &Place<'_>,
    from: NodeId,
    with: S,
    visit: impl FnMut(NodeId, S, &mut [S]),
) {
    down_from(place, &[(from, with)], visit);
}

/// As [`down`], below several of them, each once: those above one of them find there what it begins with.
pub(crate) fn down_from<S: Copy + Default + PartialEq>(
    place: &Place<'_>,
    from: &[(NodeId, S)],
    mut visit: impl FnMut(NodeId, S, &mut [S]),
) {
    let book = place.book;
    let last = from.iter().map(|(id, _)| id.index()).max();
    let mut left = vec![S::default(); last.map_or(0, |last| last + 1)];
    for (id, with) in from {
        left[id.index()] = *with;
    }
    for at in (0..left.len()).rev() {
        let (below, here) = left.split_at_mut(at);
        if here[0] == S::default() {
            continue;
        }
        let id = book.id(at);
        if place.goes_on(book.board(id).board()) {
            visit(id, here[0], below);
        }
    }
}

/// As [`down`], by all links.
pub(crate) fn down_all(place: &Place<'_>, from: NodeId, mut visit: impl FnMut(NodeId)) {
    down(place, from, true, |id, _, below| {
        visit(id);
        for child in place.book.links(id).filter_map(|link| link.child) {
            below[child.index()] = true;
        }
    });
}
