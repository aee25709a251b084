//! Tables of positions and links that are read one after another, wherever they are: there are no look-ups.

use crate::rows::encode;
use obook_base::sql::ColumnType::{Integer, Key};
use obook_base::sql::{Answer, Arguments, Column, Result, Rows, RowsOf, Table};
use obook_othello::Position;

/// The source of these tables' positions.
pub(crate) trait Positions: Clone + Send + Sync + 'static {
    /// The arguments of the tables.
    const ARGUMENTS: &'static [&'static str];
    /// Whether a view in a stranger's database must not read them.
    const NOT_IN_VIEWS: bool;
    /// Whether the table of positions has the columns of the leaf, too, and the number of links.
    const WITH_LEAVES: bool;

    /// All positions, with their links in the order of the rows.
    fn positions(&self, arguments: Arguments<'_>) -> Result<Rows<'_, Position>>;
}

/// The assumed number of rows. Books may have any size; a large number leads to plans that read each once.
pub(crate) const ROWS: i64 = 1_000_000;

/// The columns of a position.
const POSITION: [Column<Position>; encode::WITH_LEAF.len()] = encode::WITH_LEAF;

/// The table of positions.
#[derive(Clone)]
pub(crate) struct PositionTable<P>(pub(crate) P);

impl<P: Positions> Table for PositionTable<P> {
    const COLUMNS: &'static [Column<Position>] = match P::WITH_LEAVES {
        true => &POSITION,
        false => POSITION.split_at(encode::POSITION.len()).0,
    };
    const ARGUMENTS: &'static [&'static str] = P::ARGUMENTS;
    const NOT_IN_VIEWS: bool = P::NOT_IN_VIEWS;
    const ROWS: i64 = ROWS;
    type Source<'s> = ();
    type Row = Position;

    fn rows<'s>(&'s self, (): (), arguments: Arguments<'_>) -> RowsOf<'s, Self> {
        self.0.positions(arguments)
    }
}

/// The table of links.
#[derive(Clone)]
pub(crate) struct LinkTable<P>(pub(crate) P);

impl<P: Positions> Table for LinkTable<P> {
    const COLUMNS: &'static [Column<Self::Row>] = &[
        ("board", Key, |row| row[0].clone()),
        ("move", Integer, |row| row[1].clone()),
        ("score", Integer, |row| row[2].clone()),
    ];
    const ARGUMENTS: &'static [&'static str] = P::ARGUMENTS;
    const NOT_IN_VIEWS: bool = P::NOT_IN_VIEWS;
    const ROWS: i64 = ROWS;
    type Source<'s> = ();
    type Row = [Answer<'static>; 3];

    fn rows<'s>(&'s self, (): (), arguments: Arguments<'_>) -> RowsOf<'s, Self> {
        let positions = self.0.positions(arguments)?;
        Ok(Box::new(positions.flat_map(|position| match position {
            Ok(Position { board, links, .. }) => {
                let links = links.into_iter();
                links.map(|link| Ok(encode::link(board, link))).collect()
            }
            Err(problem) => vec![Err(problem)],
        })))
    }
}
