//! Tables whose rows depend on arguments: `SELECT … FROM moves('f5d6')`.

use super::{Answer, Arguments, ColumnType, Problem, Result, Value};

/// The rows of a table. None come after a problem.
pub type Rows<'s, R> = Box<dyn Iterator<Item = Result<R>> + 's>;

/// The rows of a table, or the problem that keeps it from having any.
pub type RowsOf<'s, T> = Result<Rows<'s, <T as Table>::Row>>;

/// A column: its name, its type, and its value in a row.
pub type Column<R> = (&'static str, ColumnType, fn(&R) -> Answer<'_>);

/// A table whose rows depend on arguments. Anything else they depend on is in its value or its source.
pub trait Table: Clone + Send + Sync + 'static {
    /// Its columns.
    const COLUMNS: &'static [Column<Self::Row>];
    /// The names of its arguments. All but the first may be left out. In SQLite, `schema` names the attached database with the
    /// source.
    const ARGUMENTS: &'static [&'static str];
    /// The default of the first argument; `None` if it's required.
    const FIRST: Option<&'static str> = None;
    /// Whether it reads files or may take forever, so that a view in a stranger's database must not use it.
    const NOT_IN_VIEWS: bool = false;
    /// The typical number of rows, for planning joins.
    const ROWS: i64;
    /// Where its rows are found. The SQL engine opens it for each query.
    type Source<'s>;
    /// A row, before SQL asks for its columns.
    type Row: 'static;

    /// Returns the rows for these arguments. Rows may be found only when they are asked for, so that the first ones come soon.
    ///
    /// # Errors
    /// If there can be no rows for these arguments, or the source can't be read. No message begins with the table's name.
    fn rows<'s>(&'s self, source: Self::Source<'s>, arguments: Arguments<'_>) -> RowsOf<'s, Self>;

    /// The value of a column, counted from 0.
    ///
    /// # Panics
    /// If there is no such column.
    fn value(row: &Self::Row, column: usize) -> Answer<'_> {
        let (_, _, value) = Self::COLUMNS[column];
        value(row)
    }

    /// Returns the rows for arguments as SQL gives them: `None` if one is left out. If the first is left out, it has its default;
    /// if it is NULL, there are no rows, as if nothing matched. Others that are NULL are left out. `name` is the table's name in SQL.
    ///
    /// # Errors
    /// As [`Table::rows`], and if the first argument is missing.
    fn query<'s>(
        &'s self,
        name: &str,
        source: Self::Source<'s>,
        arguments: &[Option<Value<'_>>],
    ) -> RowsOf<'s, Self> {
        let default = Self::FIRST.map(|text| Value::Text(text.as_bytes()));
        let first = arguments.first().copied().flatten().or(default);
        match first {
            None if !Self::ARGUMENTS.is_empty() => Err(Problem::missing(name, Self::ARGUMENTS)),
            Some(Value::Null) => Ok(Box::new(std::iter::empty())),
            first => {
                let others = arguments.iter().skip(1);
                let others = others.map(|value| value.unwrap_or(Value::Null));
                let arguments: Vec<Value<'_>> = first.into_iter().chain(others).collect();
                self.rows(source, Arguments(&arguments))
            }
        }
    }
}
