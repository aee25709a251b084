//! Pass positions that new positions call for, in books by Egaroucid's rules.

use super::link::children;
use super::{Delta, Increment, ReadPositions};
use crate::Result;
use obook_graph::passes::other_view;
use obook_othello::CanonicalBoard;
use rayon::prelude::*;
use std::collections::BTreeMap;

impl Increment {
    /// Puts in, as [`restore_passes`](obook_graph::passes::restore_passes) would, the positions without a move to place a disc
    /// that lie between two positions of the book, one of which at least is new: those that a new position leads to, and
    /// those whose other view is new.
    pub fn restore_passes(&mut self, book: &mut dyn ReadPositions) -> Result<()> {
        let new = self.new_boards();
        let below = |board: &CanonicalBoard| {
            let moves = children(*board).filter(|_| !board.board().must_pass());
            moves.map(|(_, child)| child).collect::<Vec<_>>()
        };
        let mut views: Vec<CanonicalBoard> = new.par_iter().flat_map_iter(below).collect();
        views.extend(new.iter().map(|board| board.board().passed().canonical()));
        views.retain(|view| view.board().legal_moves().is_empty());
        views.par_sort_unstable();
        views.dedup();
        let others = views.iter().map(|view| view.board().passed().canonical());
        let mut others: Vec<CanonicalBoard> = others.collect();
        others.par_sort_unstable();
        self.load(book, &others)?;
        self.load_numbers(book, views.iter().copied())?;
        let mut missing = BTreeMap::new();
        for view in views {
            let other = view.board().passed().canonical();
            let other = match self.entries.get(&other) {
                Some(entry) => Some(&entry.new),
                None => self.loaded.get(&other),
            };
            if let (None, Some(other)) = (self.position(view), other) {
                missing.insert(view, other_view(other, view));
            }
        }
        for (view, position) in missing {
            let mut before = self.parents(book, &[view])?;
            before.retain(|parent| !parent.board().must_pass());
            if !before.is_empty() {
                let entry = Delta {
                    old: None,
                    new: position,
                    dropped: None,
                };
                self.filter.add(view);
                self.entries.insert(view, entry);
            }
        }
        Ok(())
    }
}
