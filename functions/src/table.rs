//! Tables whose rows depend on arguments: `SELECT … FROM moves('f5d6')`.

use crate::answer::{Answer, Kind};
use crate::arguments::{Arguments, Given, Value};
use crate::book::Book;
use crate::{Problem, Result};

/// The rows of a table. None come after a problem.
pub type Rows<'b, R> = Box<dyn Iterator<Item = Result<R>> + 'b>;

/// A table of what a book knows about a board and its surroundings. The board is the first argument.
pub trait Table: Clone + Send + Sync + 'static {
    /// Its name in SQL.
    const NAME: &'static str;
    /// The names and types of its columns.
    const COLUMNS: &'static [(&'static str, Kind)];
    /// The names of its arguments. All but the first may be left out.
    const ARGUMENTS: &'static [&'static str];
    /// The default of the first argument; `None` if it's required.
    const FIRST: Option<&'static str> = None;
    /// The typical number of rows, for planning joins.
    const ROWS: i64;
    /// A row, before SQL asks for its columns.
    type Row;

    /// Returns the rows for a board and the other arguments, which follow the first among `arguments`.
    ///
    /// # Errors
    /// If there can be no rows for these arguments, or the book can't be read.
    fn rows_from<'b, B: Book + 'b>(
        book: B,
        board: Given,
        arguments: Arguments<'_>,
    ) -> Result<Rows<'b, Self::Row>>;

    /// Returns the rows for these arguments. Missing ones at the end have their defaults, as have others that are NULL; if the
    /// first is NULL, there are no rows, as if nothing matched.
    ///
    /// Rows may be found only when they are asked for, so that the first ones come soon.
    ///
    /// # Errors
    /// If there can be no rows for these arguments, or the book can't be read. No message begins with the table's name.
    fn rows<'b, B: Book + 'b>(book: B, arguments: &[Value<'_>]) -> Result<Rows<'b, Self::Row>> {
        let default = Self::FIRST.map(|text| Value::Text(text.as_bytes()));
        match arguments.first().copied().or(default) {
            None => Err(Problem::missing(Self::NAME, Self::ARGUMENTS)),
            Some(Value::Null) => Ok(Box::new(std::iter::empty())),
            Some(board) => Self::rows_from(book, Given::read(board)?, Arguments(arguments)),
        }
    }

    /// The value of a column, counted from 0.
    fn value(row: &Self::Row, column: usize) -> Answer<'_>;
}
