//! Tables whose rows depend on arguments: `SELECT … FROM moves('f5d6')`.
//!
//! Only this file uses SQLite's interface for virtual tables. The tables themselves just declare columns and arguments, and
//! produce rows. Other games have tables in the same way:
//!
//! ```
//! use obook_extension::table::{ColumnValue, Kind, Result, Rows, TableFunction, Values, register};
//! use rusqlite::{Connection, types::ValueRef};
//!
//! #[derive(Clone)]
//! struct Letters;
//!
//! impl TableFunction for Letters {
//!     const NAME: &'static str = "letters";
//!     const COLUMNS: &'static [(&'static str, Kind)] = &[("letter", Kind::Text)];
//!     const ARGUMENTS: &'static [&'static str] = &["word"];
//!     const ROWS: i64 = 10;
//!     type Row = char;
//!
//!     fn rows<'c>(&'c self, _: &'c Connection, word: ValueRef<'_>, _: &Values) -> Result<Rows<'c, char>> {
//!         let letters: Vec<char> = word.as_str().unwrap_or_default().chars().collect();
//!         Ok(Box::new(letters.into_iter().map(Ok)))
//!     }
//!
//!     fn value(letter: &char, _: usize) -> ColumnValue<'_> {
//!         letter.to_string().into()
//!     }
//! }
//!
//! let connection = Connection::open_in_memory()?;
//! register(&connection, Letters)?;
//! let first: String = connection.query_row("SELECT min(letter) FROM letters('shogi')", (), |row| row.get(0))?;
//! assert_eq!(first, "g");
//! # Ok::<(), rusqlite::Error>(())
//! ```

pub use crate::problem::{Problem, Result};
pub use obook_functions::Kind;

use obook_functions::Answer;
use obook_othello::{CanonicalBoard, Move};
use rusqlite::ffi::{sqlite3_vtab, sqlite3_vtab_cursor};
use rusqlite::types::{ToSql, ToSqlOutput, Value, ValueRef};
use rusqlite::vtab::{
    Context, Filters, IndexConstraintOp, IndexInfo, Module, VTab, VTabConfig, VTabConnection,
    VTabCursor,
};
use rusqlite::{Connection, Error};
use std::borrow::Cow;
use std::cell::Cell;
use std::ffi::{CStr, CString, c_int};

/// A table whose rows depend on arguments. Anything else they depend on is in its value, which each connection has a copy of.
pub trait TableFunction: Clone + Send + Sync + 'static {
    /// Its name in SQL.
    const NAME: &'static str;
    /// The names and types of the columns.
    const COLUMNS: &'static [(&'static str, Kind)];
    /// The arguments in order, which are hidden columns.
    const ARGUMENTS: &'static [&'static str];
    /// The default of the first argument; `None` if it's required.
    const FIRST: Option<&'static str> = None;
    /// Whether it reads files or may take forever, so that a view in a stranger's database must not use it.
    const NOT_IN_VIEWS: bool = false;
    /// The typical number of rows, for planning joins.
    const ROWS: i64;
    /// A row, before SQL asks for its columns.
    type Row;

    /// Its own name in SQL, if tables of several names have this type.
    fn name(&self) -> &str {
        Self::NAME
    }

    /// Returns the rows for the first argument and the optional others.
    ///
    /// # Errors
    /// Returns a [`Problem`] if there can be no rows for these arguments. It becomes the error of the statement.
    fn rows<'c>(
        &'c self,
        connection: &'c Connection,
        first: ValueRef<'_>,
        others: &Values,
    ) -> Result<Rows<'c, Self::Row>>;

    /// The value of a column, counted from 0.
    fn value(row: &Self::Row, column: usize) -> ColumnValue<'_>;
}

/// The rows of a query. None come after a problem.
pub type Rows<'c, T> = Box<dyn Iterator<Item = Result<T>> + 'c>;

/// The arguments of a table. Missing ones at the end are NULL.
#[derive(Debug, Default)]
pub struct Values(Vec<Value>);

impl Values {
    /// The argument with this index, unless it's missing or NULL.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<ValueRef<'_>> {
        let value = self.0.get(index).map(ValueRef::from)?;
        (value != ValueRef::Null).then_some(value)
    }
}

/// Registers a table on a connection.
///
/// # Errors
/// Returns an error if SQLite refuses it.
pub fn register<T: TableFunction>(connection: &Connection, table: T) -> rusqlite::Result<()> {
    let name = table.name().to_owned();
    connection.create_module(name.as_str(), Table::<T>::MODULE, Some(table))
}

/// A table of one connection.
#[repr(C)]
struct Table<T: TableFunction> {
    /// SQLite's part, which must come first.
    base: sqlite3_vtab,
    /// The connection, for tables that look things up in the book.
    connection: Connection,
    table: T,
}

impl<T: TableFunction> Table<T> {
    const MODULE: &'static Module<'static, Table<T>> = &Module::eponymous_only_module();

    fn declaration() -> CString {
        let hidden = T::ARGUMENTS.iter().map(|name| format!("{name} HIDDEN"));
        let columns = T::COLUMNS.iter().map(|(name, kind)| {
            let kind = match kind {
                Kind::Integer => "INTEGER",
                Kind::Real => "REAL",
                Kind::Text => "TEXT",
                Kind::Key => "BLOB",
            };
            format!("{name} {kind}")
        });
        let columns: Vec<String> = columns.chain(hidden).collect();
        let declaration = format!("CREATE TABLE x({})", columns.join(", "));
        CString::new(declaration).expect("names have no zero bytes")
    }
}

// SAFETY: `Table` is `repr(C)` and its first field is `sqlite3_vtab`, as the trait requires.
#[allow(unsafe_code)]
unsafe impl<'vtab, T: TableFunction> VTab<'vtab> for Table<T> {
    type Aux = T;
    type Cursor = Cursor<'vtab, T>;

    fn connect(
        database: &mut VTabConnection,
        table: Option<&T>,
        _: &[u8],
        _: &[u8],
        _: &[u8],
        _: &[&[u8]],
    ) -> rusqlite::Result<(Cow<'static, CStr>, Table<T>)> {
        database.config(if T::NOT_IN_VIEWS {
            VTabConfig::DirectOnly
        } else {
            VTabConfig::Innocuous
        })?;
        // SAFETY: SQLite disconnects all virtual tables before it closes their connection, and a connection made from a handle
        // doesn't close it. So the handle is valid as long as this table. Table and connection are only used in calls by SQLite,
        // one at a time.
        #[allow(unsafe_code)]
        let connection = unsafe { Connection::from_handle(database.handle())? };
        let missing = || failed(T::NAME, Problem::new("it was registered without its value"));
        let table = Table {
            base: sqlite3_vtab::default(),
            table: table.cloned().ok_or_else(missing)?,
            connection,
        };
        Ok((Cow::Owned(Self::declaration()), table))
    }

    /// Passes every argument present to [`Cursor::filter`], in order. `idx_num` has a bit for each.
    fn best_index(&self, info: &mut IndexInfo) -> rusqlite::Result<bool> {
        let mut places = vec![None; T::ARGUMENTS.len()];
        for (place, constraint) in info.constraints().enumerate() {
            let column = usize::try_from(constraint.column()).ok();
            let Some(argument) = column.and_then(|column| column.checked_sub(T::COLUMNS.len()))
            else {
                continue;
            };
            if constraint.operator() != IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_EQ {
                continue;
            }
            if !constraint.is_usable() {
                // In this order of the tables, the argument isn't known yet.
                return Ok(false);
            }
            places[argument] = Some(place);
        }
        let mut given = 0;
        let mut handed = 0;
        for (argument, place) in places.iter().enumerate() {
            let Some(place) = *place else { continue };
            handed += 1;
            given |= 1 << argument;
            let mut usage = info.constraint_usage(place);
            usage.set_argv_index(handed);
            usage.set_omit(true);
        }
        info.set_idx_num(given);
        info.set_estimated_rows(T::ROWS);
        info.set_estimated_cost(T::ROWS as f64 * 2.0);
        Ok(true)
    }

    fn open(&'vtab mut self) -> rusqlite::Result<Cursor<'vtab, T>> {
        Ok(Cursor {
            base: sqlite3_vtab_cursor::default(),
            table: &self.table,
            connection: &self.connection,
            arguments: Values::default(),
            rows: Box::new(std::iter::empty()),
            row: None,
            number: 0,
        })
    }
}

thread_local! {
    /// Whether a table is being read on this thread.
    static ASKED: Cell<bool> = const { Cell::new(false) };
}

/// A guard while a table is being read, which may look things up in the book's tables. Those never read a table like this in turn,
/// unless one has been replaced by a view; that would recurse until the stack overflows.
struct Asking;

impl Asking {
    fn begin() -> Result<Asking> {
        if ASKED.get() {
            let problem = "recursive query: a table of the book is a view of such tables";
            return Err(Problem::new(problem));
        }
        ASKED.set(true);
        Ok(Asking)
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        ASKED.set(false);
    }
}

/// A walk through the rows.
#[repr(C)]
struct Cursor<'vtab, T: TableFunction> {
    /// SQLite's part, which must come first.
    base: sqlite3_vtab_cursor,
    table: &'vtab T,
    connection: &'vtab Connection,
    arguments: Values,
    rows: Rows<'vtab, T::Row>,
    row: Option<T::Row>,
    /// The row's number, from 0.
    number: i64,
}

// SAFETY: `Cursor` is `repr(C)` and its first field is `sqlite3_vtab_cursor`, as the trait requires.
#[allow(unsafe_code)]
unsafe impl<T: TableFunction> VTabCursor for Cursor<'_, T> {
    fn filter(
        &mut self,
        given: c_int,
        _: Option<&str>,
        handed: &Filters<'_>,
    ) -> rusqlite::Result<()> {
        let mut handed = handed.iter();
        let arguments = (0..T::ARGUMENTS.len()).map(|argument| match given >> argument & 1 {
            1 => handed.next().map_or(Ok(Value::Null), Value::try_from),
            _ => Ok(Value::Null),
        });
        let arguments = arguments.collect::<std::result::Result<_, _>>();
        let name = self.table.name();
        self.arguments = Values(arguments.map_err(|error| failed(name, Problem::new(error)))?);
        self.number = -1;
        let left_out = T::FIRST.filter(|_| given & 1 == 0);
        let default = left_out.map(|text| ValueRef::Text(text.as_bytes()));
        self.rows = match self.arguments.get(0).or(default) {
            Some(first) => Asking::begin()
                .and_then(|_asking| self.table.rows(self.connection, first, &self.arguments))
                .map_err(|problem| failed(name, problem))?,
            // NULL gives no rows, as if nothing matched.
            None if given & 1 == 1 => Box::new(std::iter::empty()),
            None => {
                let problem = obook_functions::Problem::missing(name, T::ARGUMENTS);
                return Err(failed(name, problem.into()));
            }
        };
        self.next()
    }

    fn next(&mut self) -> rusqlite::Result<()> {
        let failed = |problem| failed(self.table.name(), problem);
        let asking = Asking::begin().map_err(failed)?;
        self.row = self.rows.next().transpose().map_err(failed)?;
        drop(asking);
        self.number += 1;
        Ok(())
    }

    fn eof(&self) -> bool {
        self.row.is_none()
    }

    fn column(&self, context: &mut Context, column: c_int) -> rusqlite::Result<()> {
        let (Some(row), Ok(column)) = (&self.row, usize::try_from(column)) else {
            return Ok(());
        };
        match column.checked_sub(T::COLUMNS.len()) {
            None => context.set_result(T::value(row, column)),
            Some(argument) => context.set_result(self.arguments.0.get(argument)),
        }
    }

    fn rowid(&self) -> rusqlite::Result<i64> {
        Ok(self.number)
    }
}

fn failed(name: &str, problem: Problem) -> Error {
    problem.within(name).of_table()
}

/// A value to return to SQL, without heap allocation where possible. Unlike [`obook_rows::Cell`] it may contain any text.
#[derive(Clone, PartialEq, Debug)]
pub enum ColumnValue<'r> {
    /// No value.
    Null,
    /// An integer.
    Number(i64),
    /// A number with a fraction.
    Fraction(f64),
    /// A text.
    Text(Cow<'r, str>),
    /// The key of a board of Othello.
    Key([u8; 16]),
    /// Other bytes.
    Bytes(&'r [u8]),
}

impl ToSql for ColumnValue<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            ColumnValue::Null => ValueRef::Null,
            ColumnValue::Number(number) => ValueRef::Integer(*number),
            ColumnValue::Fraction(number) => ValueRef::Real(*number),
            ColumnValue::Text(text) => ValueRef::Text(text.as_bytes()),
            ColumnValue::Key(key) => ValueRef::Blob(key),
            ColumnValue::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

impl From<obook_rows::Cell> for ColumnValue<'_> {
    fn from(cell: obook_rows::Cell) -> Self {
        match cell {
            obook_rows::Cell::Null => ColumnValue::Null,
            obook_rows::Cell::Integer(number) => ColumnValue::Number(number),
            obook_rows::Cell::Key(key) => ColumnValue::Key(key),
            obook_rows::Cell::Text(text) => text.into(),
        }
    }
}

impl<'r> From<Answer<'r>> for ColumnValue<'r> {
    fn from(answer: Answer<'r>) -> ColumnValue<'r> {
        match answer {
            Answer::Null => ColumnValue::Null,
            Answer::Integer(number) => ColumnValue::Number(number),
            Answer::Real(number) => ColumnValue::Fraction(number),
            Answer::Text(text) => ColumnValue::Text(text),
            Answer::Key(key) => ColumnValue::Key(key),
        }
    }
}

impl<'r, T: Into<ColumnValue<'r>>> From<Option<T>> for ColumnValue<'r> {
    fn from(value: Option<T>) -> ColumnValue<'r> {
        value.map_or(ColumnValue::Null, Into::into)
    }
}

impl From<f64> for ColumnValue<'_> {
    fn from(number: f64) -> Self {
        ColumnValue::Fraction(number)
    }
}

impl<'r> From<&'r str> for ColumnValue<'r> {
    fn from(text: &'r str) -> ColumnValue<'r> {
        ColumnValue::Text(Cow::Borrowed(text))
    }
}

impl<'r> From<&'r [u8]> for ColumnValue<'r> {
    fn from(bytes: &'r [u8]) -> ColumnValue<'r> {
        ColumnValue::Bytes(bytes)
    }
}

impl From<String> for ColumnValue<'_> {
    fn from(text: String) -> Self {
        ColumnValue::Text(Cow::Owned(text))
    }
}

impl From<CanonicalBoard> for ColumnValue<'_> {
    fn from(board: CanonicalBoard) -> Self {
        ColumnValue::Key(board.to_key())
    }
}

/// Converts a move to its name; its number is [`Move::code`].
impl From<Move> for ColumnValue<'_> {
    fn from(mv: Move) -> Self {
        ColumnValue::Text(Cow::Owned(mv.to_string()))
    }
}

/// Converts numbers of any width.
macro_rules! numbers {
    ($($number:ty),*) => {
        $(impl From<$number> for ColumnValue<'_> {
            fn from(number: $number) -> Self {
                ColumnValue::Number(number.into())
            }
        })*
    };
}

numbers!(i64, i32, u32, i16, u16, i8, u8);
