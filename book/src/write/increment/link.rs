//! Links to and from new positions, found from both sides.

use super::{Delta, Increment, ReadPositions};
use crate::Result;
use foldhash::HashSet;
use obook_model::{Leaf, Link, Position};
use obook_othello::{CanonicalBoard, Move};
use rayon::prelude::*;

impl Increment {
    /// Gives new positions all their links, and every position of the book those that lead to new ones; a leaf whose move is
    /// a link is no leaf any more.
    pub fn link(&mut self, book: &mut dyn ReadPositions) -> Result<()> {
        let new = self.new_boards();
        self.link_children(book, &new)?;
        let parents = self.parents(book, &new)?;
        let new: HashSet<CanonicalBoard> = new.into_iter().collect();
        for parent in parents {
            let entry = self.entry(parent);
            if entry.old.is_some() {
                for (mv, _) in children(parent).filter(|(_, child)| new.contains(child)) {
                    add_link(&mut entry.new, mv);
                }
            }
        }
        self.entries
            .par_iter_mut()
            .for_each(|(_, entry)| drop_linked_leaf(entry));
        Ok(())
    }

    /// The links of new positions.
    fn link_children(
        &mut self,
        book: &mut dyn ReadPositions,
        new: &[CanonicalBoard],
    ) -> Result<()> {
        let known = |board: &CanonicalBoard| {
            children(*board)
                .map(|(_, child)| child)
                .filter(|child| self.filter.may_hold(*child))
                .collect::<Vec<_>>()
        };
        let known: Vec<CanonicalBoard> = new.par_iter().flat_map_iter(known).collect();
        self.load_numbers(book, known.into_iter())?;
        for board in new {
            let links = children(*board).filter(|(_, child)| self.position(*child).is_some());
            let links = links.map(|(mv, _)| Link { mv, score: None }).collect();
            if let Some(entry) = self.entries.get_mut(board) {
                entry.new.links = links;
            }
        }
        Ok(())
    }
}

/// The moves of a position and the boards that they lead to.
pub(super) fn children(board: CanonicalBoard) -> impl Iterator<Item = (Move, CanonicalBoard)> {
    let children = board.board().children();
    children.map(|(mv, child)| (mv, child.canonical()))
}

fn add_link(position: &mut Position, mv: Move) {
    if position.links.iter().all(|link| link.mv != mv) {
        position.links.push(Link { mv, score: None });
    }
}

fn drop_linked_leaf(entry: &mut Delta) {
    let position = &mut entry.new;
    let is_link = |leaf: &Leaf| position.links.iter().any(|link| Some(link.mv) == leaf.mv);
    if position.leaf.as_ref().is_some_and(is_link) {
        entry.dropped = position.leaf.take();
    }
}
