//! Which positions of a book become leaves of their parents in Edax's form.

use super::moves::Moves;
use crate::{Graph, LinkTo, NodeId};
use foldhash::{HashMap, HashSet};
use obook_model::{Leaf, RuleSet};
use obook_othello::CanonicalBoard;
use rayon::prelude::*;

/// What to do where a position has neither a leaf nor a link for each legal move: Edax demands one or the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MissingLeaf {
    /// Give up, and name the positions.
    Stop,
    /// The best child that is no position serves as the leaf. Where there is none, a position behind a pass that has no
    /// leaf of its own becomes one of its parents again, as Edax's own books have it; else give up.
    #[default]
    Fold,
    /// As [`MissingLeaf::Fold`], but where that does not help the worst link becomes the leaf. Its child leaves the book,
    /// or linking the book anew would make a link of it again; what it leads to stays.
    Demote,
}

/// A linked book and what linking it took away.
#[derive(Clone, Copy)]
pub(super) struct Linked<'a> {
    pub(super) graph: &'a Graph,
    /// The leaves before: a leaf whose move leads to a position of the book is none after linking.
    pub(super) leaves: &'a [Option<Leaf>],
    pub(super) rules: RuleSet,
}

impl Linked<'_> {
    /// The leaf, where it is a legal move to no position.
    pub(super) fn leaf(&self, id: NodeId) -> Option<Leaf> {
        let leaf = self.leaves[id.index()]?;
        let child = self.graph.board(id).board().play(leaf.mv?)?;
        let leads_out = match self.graph.find(child.canonical()) {
            None => true,
            Some(child) => self.is_score_of_a_pass(child),
        };
        leads_out.then_some(leaf)
    }

    /// For each position whether it goes, to become a leaf of its parents or because only such positions lead to it, and
    /// how many go because a link is demoted. `known` are the boards without a place that the source holds.
    pub(super) fn become_leaves(
        &self,
        missing_leaf: MissingLeaf,
        known: &HashSet<CanonicalBoard>,
    ) -> (Vec<bool>, u64) {
        let ids = (0..self.graph.len()).into_par_iter();
        let ids = ids.map(|place| self.graph.id(place));
        let mut gone: Vec<bool> = ids
            .clone()
            .map(|id| self.is_leaf_of_its_parents(id))
            .collect();
        let mut demoted = 0;
        if missing_leaf != MissingLeaf::Stop {
            self.fold_behind_passes(&mut gone);
        }
        if missing_leaf == MissingLeaf::Demote {
            demoted = self.replace_links(&mut gone, |id| self.worst_child(id));
        }
        if gone.contains(&true) {
            take_back(self.graph, known, &mut gone);
        }
        (gone, demoted)
    }

    /// Lets positions behind passes go that lack a leaf, or whose parent lacks one.
    fn fold_behind_passes(&self, gone: &mut [bool]) {
        let may_go = |id: &NodeId| {
            self.leaf(*id).is_none()
                && is_passed(self.graph, *id)
                && score_for_parent(self.graph, *id).is_some()
        };
        let behind_passes: Vec<NodeId> = (0..self.graph.len())
            .into_par_iter()
            .map(|place| self.graph.id(place))
            .filter(|id| self.lacks_a_leaf(*id, gone) && may_go(id))
            .collect();
        behind_passes.iter().for_each(|id| gone[id.index()] = true);
        self.replace_links(gone, |id| {
            let children = self.graph.links(id).filter_map(|link| link.child);
            children
                .filter(may_go)
                .max_by_key(|child| score_for_parent(self.graph, *child))
        });
    }

    /// Wherever a leaf is lacking lets the child go that `choose` chooses; gives how many.
    fn replace_links(&self, gone: &mut [bool], choose: impl Fn(NodeId) -> Option<NodeId>) -> u64 {
        let mut replaced = 0;
        // Parents first: what becomes a leaf itself needs none.
        for id in self.graph.ids().rev() {
            if !self.lacks_a_leaf(id, gone) {
                continue;
            }
            if let Some(child) = choose(id) {
                gone[child.index()] = true;
                replaced += 1;
            }
        }
        replaced
    }

    /// Whether a position is nothing but the score of a move that leads to it. Pass positions and finished games are
    /// more.
    fn is_leaf_of_its_parents(&self, id: NodeId) -> bool {
        self.can_move(id)
            && self.leaf(id).is_none()
            && (self.graph.links(id).len() == 0 || self.is_score_of_a_pass(id))
    }

    /// Whether a position may have come from an Edax pass position whose leaf was the pass: nothing was counted below it,
    /// even where the book holds some of its children.
    fn is_score_of_a_pass(&self, id: NodeId) -> bool {
        self.rules != RuleSet::Edax
            && self.graph.lines(id) == Some(1)
            && self.leaves[id.index()].is_none()
            && is_passed(self.graph, id)
    }

    /// Whether Edax would search a position that stays: it has no leaf, no child that goes could be one, and a move is no
    /// link.
    fn lacks_a_leaf(&self, id: NodeId, gone: &[bool]) -> bool {
        if gone[id.index()] || !self.can_move(id) || self.leaf(id).is_some() {
            return false;
        }
        let mut unlinked = Moves::legal(self.graph.board(id).board());
        for LinkTo { mv, child, .. } in self.graph.links(id) {
            let Some(child) = child else { continue };
            if !gone[child.index()] {
                unlinked.remove(mv);
            } else if score_for_parent(self.graph, child).is_some() {
                return false;
            }
        }
        !unlinked.is_empty()
    }

    /// The child that is worth least for a position.
    fn worst_child(&self, id: NodeId) -> Option<NodeId> {
        let children = self.graph.links(id).filter_map(|link| link.child);
        let scored =
            children.filter_map(|child| Some((score_for_parent(self.graph, child)?, child)));
        let (_, worst) = scored.min_by_key(|(score, _)| *score)?;
        Some(worst)
    }

    fn can_move(&self, id: NodeId) -> bool {
        !self.graph.board(id).board().legal_moves().is_empty()
    }
}

/// What a position is worth as the leaf of its parents, where it has a value that a leaf can hold.
pub(super) fn score_for_parent(graph: &Graph, child: NodeId) -> Option<i8> {
    i8::try_from(graph.value(child)?).ok()?.checked_neg()
}

/// Whether the book holds the pass position before this one.
pub(super) fn is_passed(graph: &Graph, id: NodeId) -> bool {
    let before = graph.board(id).board().passed();
    before.must_pass() && graph.find(before.canonical()).is_some()
}

/// The positions of the book in which no disc can be placed.
pub(super) fn boards_without_a_place(graph: &Graph) -> HashSet<CanonicalBoard> {
    (0..graph.len())
        .into_par_iter()
        .map(|place| graph.board(graph.id(place)))
        .filter(|board| board.board().legal_moves().is_empty())
        .collect()
}

/// Takes back the views that were put in for the sake of positions that are gone.
fn take_back(graph: &Graph, known: &HashSet<CanonicalBoard>, gone: &mut [bool]) {
    let mut put_in: HashMap<NodeId, bool> = boards_without_a_place(graph)
        .difference(known)
        .filter_map(|board| graph.find(*board))
        .map(|id| (id, false))
        .collect();
    if put_in.is_empty() {
        return;
    }
    for id in graph.ids().filter(|id| !gone[id.index()]) {
        for child in graph.links(id).filter_map(|link| link.child) {
            if let Some(reached) = put_in.get_mut(&child) {
                *reached = true;
            }
        }
    }
    for (id, reached) in put_in {
        gone[id.index()] |= !reached;
    }
}
