//! What becomes of the links to positions that go.

use obook_graph::passes::views;
use obook_graph::{Graph, NodeId, Selection};
use obook_model::RuleSet;
use obook_model::{Leaf, NoLeaf, PERSON_LEVEL};
use rayon::prelude::*;
use serde::Serialize;
use std::cmp::Reverse;

/// What [`drop_links`] changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct DroppedLinks {
    /// Links of positions that stay to positions that go.
    pub links_dropped: u64,
    /// Positions that had no leaf and got one of these links.
    pub leaves_gained: u64,
    /// Positions whose leaf such a link beat.
    pub leaves_replaced: u64,
}

/// A link that becomes the leaf of its position.
struct NewLeaf {
    of: NodeId,
    child: NodeId,
    leaf: Leaf,
}

/// Drops the links to positions that go. The best of a position's becomes its leaf if it beats the one it has, with the
/// child's level, so that no position that stays loses value.
///
/// Of links that are equally good the first in their order becomes the leaf: in an Edax file that is Edax's own order, and
/// the leaf is Edax's; a database gives the smaller move first. Egaroucid takes the one that its walk comes to first. By
/// Edax's rules a position has the level of its leaf, so it changes with it, unless a person entered either value.
pub fn drop_links(graph: &mut Graph, kept: &Selection, rules: RuleSet) -> DroppedLinks {
    let new: Vec<(NewLeaf, bool)> = (0..graph.len())
        .into_par_iter()
        .map(|place| graph.id(place))
        .filter(|id| kept.contains(*id))
        .filter_map(|id| new_leaf(graph, kept, id))
        .collect();
    let mut dropped = DroppedLinks::default();
    for (NewLeaf { of, child, leaf }, replaces) in new {
        if replaces {
            dropped.leaves_replaced += 1;
        } else {
            dropped.leaves_gained += 1;
        }
        graph.set_leaf(of, leaf);
        // What a person entered stands for no search, and for no other value than the one that was entered.
        let searched = |level: Option<u8>| level != Some(PERSON_LEVEL);
        let levels = [leaf.level, graph.level(of)];
        if rules == RuleSet::Edax && leaf.level.is_some() && levels.into_iter().all(searched) {
            graph.set_level(of, graph.engine(child), leaf.level);
        }
    }
    let untrue: Vec<NodeId> = (0..graph.len())
        .into_par_iter()
        .map(|place| graph.id(place))
        .filter(|id| kept.contains(*id) && loses_a_move(graph, kept, *id))
        .collect();
    untrue.into_iter().for_each(|id| graph.forget_no_leaf(id));
    let stays = |id: Option<NodeId>| id.is_some_and(|id| kept.contains(id));
    dropped.links_dropped = (0..graph.len())
        .into_par_iter()
        .map(|place| graph.id(place))
        .filter(|id| kept.contains(*id))
        .map(|id| graph.links(id).filter(|link| !stays(link.child)).count() as u64)
        .sum();
    if dropped.links_dropped > 0 {
        graph.retain_links(|_, _, link| stays(link.child));
    }
    dropped
}

/// Whether all moves were said to be in the book, and one of them no longer is.
fn loses_a_move(graph: &Graph, kept: &Selection, id: NodeId) -> bool {
    let goes = |board| graph.find(board).is_some_and(|it| !kept.contains(it));
    let mut children = graph.board(id).board().children();
    graph.no_leaf(id) == Some(NoLeaf::AllMovesInBook)
        && children.any(|(_, child)| views(child).any(goes))
}

/// The best link to a position that goes, if it beats the leaf, and whether there is one to beat.
fn new_leaf(graph: &Graph, kept: &Selection, id: NodeId) -> Option<(NewLeaf, bool)> {
    let links = graph.links(id);
    let going = links.filter_map(|link| {
        let child = link.child.filter(|child| !kept.contains(*child))?;
        Some((link.score?, link.mv, child))
    });
    let (score, mv, child) = going.min_by_key(|(score, _, _)| Reverse(*score))?;
    let old = graph.leaf(id);
    let beaten = old.is_none_or(|old| score > old.score);
    let leaf = Leaf {
        mv: Some(mv),
        score,
        level: graph.level(child),
        engine: graph.engine(child),
    };
    let of = id;
    beaten.then_some((NewLeaf { of, child, leaf }, old.is_some()))
}
