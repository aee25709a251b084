//! The book in the database that SQL is asking: look-ups by key.

use crate::arguments::schema_name;
use crate::problem::Result;
use obook_converters::{Leaf, Link, Links, Position};
use obook_othello::{Board, CanonicalBoard};
use obook_rows::{Lookup, Strict};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::collections::BTreeSet;

/// The tables of a book.
pub(crate) struct Book<'c> {
    connection: &'c Connection,
    lookup: Lookup,
}

impl<'c> Book<'c> {
    /// The book in the attached database `schema`; without a name, the first that has one.
    pub(crate) fn new(
        connection: &'c Connection,
        schema: Option<ValueRef<'_>>,
    ) -> Result<Book<'c>> {
        Ok(Book {
            connection,
            lookup: Lookup::in_schema(schema_name(schema)?),
        })
    }

    /// A position's own numbers, without links and leaf, if the book holds it.
    pub(crate) fn numbers(&self, board: CanonicalBoard) -> Result<Option<Position>> {
        Ok(self.lookup.numbers(self.connection, board, &mut Strict)?)
    }

    /// A position's links in the order of their moves.
    pub(crate) fn links(&self, board: CanonicalBoard) -> Result<Links> {
        Ok(self.lookup.links(self.connection, board, &mut Strict)?)
    }

    /// The positions that have a link to this one, in the order of their keys, without those that are passed over: a book has no
    /// index from child to parent, so each that a move could come from is looked up.
    pub(crate) fn parents(
        &self,
        child: CanonicalBoard,
        pass_over: impl Fn(&CanonicalBoard) -> bool,
    ) -> Result<Vec<CanonicalBoard>> {
        // In some orientation of the child each parent is found; one is enough, since parents turn with the child.
        let boards = child.board().parents();
        let boards: BTreeSet<_> = boards.map(|(_, board)| board.canonical()).collect();
        let mut parents = Vec::new();
        for board in boards.into_iter().filter(|board| !pass_over(board)) {
            let leads_here =
                |link: &Link| board.board().play(link.mv).map(Board::canonical) == Some(child);
            if self.links(board)?.iter().any(leads_here) {
                parents.push(board);
            }
        }
        Ok(parents)
    }

    /// A position's leaf.
    pub(crate) fn leaf(&self, board: CanonicalBoard) -> Result<Option<Leaf>> {
        Ok(self.lookup.leaf(self.connection, board, &mut Strict)?)
    }
}
