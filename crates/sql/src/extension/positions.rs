//! Tables of positions and links that are read one after another, wherever they are: there are no look-ups.

use crate::rows::{Cell, Table as Stored, encode};
use obook_base::sql::{Answer, Arguments, ColumnType, Result, Rows, Table};
use obook_othello::{Link, Position};

/// Where these tables get their positions.
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

/// The columns of a table of the database: a key, and then numbers.
pub(crate) const fn columns<const COUNT: usize>(
    table: Stored,
) -> [(&'static str, ColumnType); COUNT] {
    let mut columns = [("", ColumnType::Integer); COUNT];
    let mut place = 0;
    while place < COUNT {
        columns[place].0 = table.columns()[place];
        place += 1;
    }
    columns[0].1 = ColumnType::Key;
    columns
}

const STORED: usize = Stored::Positions.columns().len();
/// Those of table `positions`, and four more.
const POSITION: [(&str, ColumnType); STORED + 4] = {
    let stored = columns::<STORED>(Stored::Positions);
    let mut all = [("", ColumnType::Integer); STORED + 4];
    all.split_at_mut(STORED).0.copy_from_slice(&stored);
    all[STORED].0 = "links";
    all[STORED + 1].0 = "leaf_move";
    all[STORED + 2].0 = "leaf_score";
    all[STORED + 3].0 = "leaf_level";
    all
};
const LINK: [(&str, ColumnType); 3] = columns(Stored::Links);

/// The table of positions.
#[derive(Clone)]
pub(crate) struct PositionTable<P> {
    pub(crate) name: String,
    pub(crate) book: P,
}

impl<P: Positions> Table for PositionTable<P> {
    const COLUMNS: &'static [(&'static str, ColumnType)] = match P::WITH_LEAVES {
        true => &POSITION,
        false => POSITION.split_at(STORED).0,
    };
    const ARGUMENTS: &'static [&'static str] = P::ARGUMENTS;
    const NOT_IN_VIEWS: bool = P::NOT_IN_VIEWS;
    const ROWS: i64 = ROWS;
    type Source<'s> = ();
    type Row = Position;

    fn name(&self) -> &str {
        &self.name
    }

    fn rows<'s>(&'s self, (): (), arguments: Arguments<'_>) -> Result<Rows<'s, Position>> {
        self.book.positions(arguments)
    }

    fn value(position: &Position, column: usize) -> Answer<'_> {
        let leaf = position.leaf;
        match column.checked_sub(STORED) {
            None => answer((encode::POSITION[column].1)(position)),
            Some(0) => Answer::Integer(position.links.len() as i64),
            Some(1) => leaf.and_then(|leaf| leaf.mv).map(|mv| mv.code()).into(),
            Some(2) => leaf.map(|leaf| leaf.score).into(),
            Some(_) => leaf.and_then(|leaf| leaf.level).into(),
        }
    }
}

/// The table of links.
#[derive(Clone)]
pub(crate) struct LinkTable<P> {
    pub(crate) name: String,
    pub(crate) book: P,
}

impl<P: Positions> Table for LinkTable<P> {
    const COLUMNS: &'static [(&'static str, ColumnType)] = &LINK;
    const ARGUMENTS: &'static [&'static str] = P::ARGUMENTS;
    const NOT_IN_VIEWS: bool = P::NOT_IN_VIEWS;
    const ROWS: i64 = ROWS;
    type Source<'s> = ();
    type Row = [Cell; LINK.len()];

    fn name(&self) -> &str {
        &self.name
    }

    fn rows<'s>(&'s self, (): (), arguments: Arguments<'_>) -> Result<Rows<'s, Self::Row>> {
        let positions = self.book.positions(arguments)?;
        Ok(Box::new(positions.flat_map(|position| {
            let (links, problem) = match position {
                Ok(Position { board, links, .. }) => {
                    let links = links.into_iter();
                    (
                        Some(links.map(move |link: Link| Ok(encode::link(board, link)))),
                        None,
                    )
                }
                Err(problem) => (None, Some(Err(problem))),
            };
            links.into_iter().flatten().chain(problem)
        })))
    }

    fn value(row: &Self::Row, column: usize) -> Answer<'_> {
        answer(row[column])
    }
}

/// A cell of a row as an answer.
pub(crate) fn answer(cell: Cell) -> Answer<'static> {
    match cell {
        Cell::Null => Answer::Null,
        Cell::Integer(number) => Answer::Integer(number),
        Cell::Key(key) => Answer::Key(key),
        Cell::Text(text) => text.into(),
    }
}
