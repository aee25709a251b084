//! Look-ups by key in a connection's book.

use crate::arguments::schema_name;
use crate::problem::{Problem, Result};
use obook_converters::Header;
use obook_functions::Book as _;
use obook_model::{Leaf, Link, Links, Position, RuleSet};
use obook_othello::{Board, CanonicalBoard};
use obook_rows::why::Rules;
use obook_rows::{Lookup, Strict};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension};
use std::collections::BTreeSet;

/// The tables of a book.
pub(crate) struct Book<'c> {
    connection: &'c Connection,
    lookup: Lookup,
}

impl<'c> Book<'c> {
    /// The book in the attached database `schema`, or the first one found if there's no name.
    pub(crate) fn new(
        connection: &'c Connection,
        schema: Option<ValueRef<'_>>,
    ) -> Result<Book<'c>> {
        Ok(Book {
            connection,
            lookup: Lookup::in_schema(schema_name(schema)?),
        })
    }

    /// The rules of the book, with the errors it allows.
    pub(crate) fn rules(connection: &Connection, schema: Option<&str>) -> Result<Rules> {
        let sql = format!(
            "SELECT rules, midgame_error, endcut_error FROM {}book",
            schema.map_or(String::new(), |name| format!(
                "\"{}\".",
                name.replace('"', "\"\"")
            ))
        );
        let row = connection.query_row(&sql, (), |row| {
            let header = Header {
                midgame_error: row.get(1)?,
                endcut_error: row.get(2)?,
                ..Header::default()
            };
            Ok((row.get::<_, String>(0)?, header))
        });
        let (name, header) = row.optional()?.ok_or_else(|| {
            Problem::new("table book is empty: expected the rules by which values are computed")
        })?;
        let set = RuleSet::from_name(&name).ok_or_else(|| {
            Problem::new(format!("table book, column rules: unknown rules {name:?}"))
        })?;
        Ok(Rules::of(set, &header))
    }

    /// The positions with a link to this one, sorted by key, except those to pass over. A book has no index from child to parent,
    /// so every position that a move could come from is looked up.
    pub(crate) fn parents(
        &self,
        child: CanonicalBoard,
        pass_over: impl Fn(&CanonicalBoard) -> bool,
    ) -> Result<Vec<CanonicalBoard>> {
        // One orientation of the child is enough to find all parents, since they turn with it.
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
}

impl obook_functions::Book for Book<'_> {
    fn numbers(&self, board: CanonicalBoard) -> obook_functions::Result<Option<Position>> {
        let found = self.lookup.numbers(self.connection, board, &mut Strict);
        Ok(found.map_err(Problem::from)?)
    }

    fn links(&self, board: CanonicalBoard) -> obook_functions::Result<Links> {
        let found = self.lookup.links(self.connection, board, &mut Strict);
        Ok(found.map_err(Problem::from)?)
    }

    fn leaf(&self, board: CanonicalBoard) -> obook_functions::Result<Option<Leaf>> {
        let found = self.lookup.leaf(self.connection, board, &mut Strict);
        Ok(found.map_err(Problem::from)?)
    }

    fn position(&self, board: CanonicalBoard) -> obook_functions::Result<Option<Position>> {
        let found = self.lookup.position(self.connection, board, &mut Strict);
        Ok(found.map_err(Problem::from)?)
    }
}
