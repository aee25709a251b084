//! Tables whose rows depend on arguments: `SELECT … FROM moves('f5d6')`.
//!
//! Only this file uses SQLite's interface for virtual tables. The tables themselves just declare columns and arguments, and
//! produce rows:
//!
//! ```
//! use obook_base::sql::{Arguments, Column, ColumnType, RowsOf, Table, Value};
//! use obook_base::sqlite::{Database, register};
//! use rusqlite::Connection;
//!
//! #[derive(Clone)]
//! struct Letters;
//!
//! impl Table for Letters {
//!     const COLUMNS: &'static [Column<char>] =
//!         &[("letter", ColumnType::Text, |letter| letter.to_string().into())];
//!     const ARGUMENTS: &'static [&'static str] = &["word"];
//!     const ROWS: i64 = 10;
//!     type Source<'s> = Database<'s>;
//!     type Row = char;
//!
//!     fn rows<'s>(&'s self, _: Database<'s>, arguments: Arguments<'_>) -> RowsOf<'s, Self> {
//!         let letters: Vec<char> = match arguments.value(0) {
//!             Value::Text(word) => String::from_utf8_lossy(word).chars().collect(),
//!             _ => Vec::new(),
//!         };
//!         Ok(Box::new(letters.into_iter().map(Ok)))
//!     }
//! }
//!
//! let connection = Connection::open_in_memory()?;
//! register(&connection, "letters", Letters, |database| database)?;
//! let first: String = connection.query_row("SELECT min(letter) FROM letters('shogi')", (), |row| row.get(0))?;
//! assert_eq!(first, "g");
//! # Ok::<(), rusqlite::Error>(())
//! ```

use super::problem::of_table;
use crate::sql::{Answer, ColumnType, Problem, Result, Rows, Table, Value, read_text};
use rusqlite::ffi::{sqlite3_vtab, sqlite3_vtab_cursor};
use rusqlite::types::{self, ToSql, ToSqlOutput, ValueRef};
use rusqlite::vtab::{
    Context, Filters, IndexConstraintOp, IndexInfo, Module, VTab, VTabConfig, VTabConnection,
    VTabCursor,
};
use rusqlite::{Connection, Error};
use std::borrow::Cow;
use std::cell::Cell;
use std::ffi::{CStr, CString, c_int};

/// A database on a connection.
#[derive(Clone, Debug)]
pub struct Database<'c> {
    /// The connection.
    pub connection: &'c Connection,
    /// The database's name, if the query has one.
    pub schema: Option<String>,
}

/// Finds the [source](Table::Source) of a table's rows in a database.
pub type Open<T> = for<'c> fn(Database<'c>) -> <T as Table>::Source<'c>;

/// Registers a table on a connection under this name.
///
/// # Errors
/// Returns an error if SQLite refuses it.
pub fn register<T: Table>(
    connection: &Connection,
    name: &str,
    table: T,
    open: Open<T>,
) -> rusqlite::Result<()> {
    let registered = (name.to_owned(), table, open);
    connection.create_module(name, Connected::<T>::MODULE, Some(registered))
}

/// A table of one connection.
#[repr(C)]
struct Connected<T: Table> {
    /// SQLite's part, which must come first.
    base: sqlite3_vtab,
    /// The connection, for tables that look things up in the book.
    connection: Connection,
    registered: Registered<T>,
}

/// A table's name, the table, and what opens its source.
type Registered<T> = (String, T, Open<T>);

impl<T: Table> Connected<T> {
    const MODULE: &'static Module<'static, Connected<T>> = &Module::eponymous_only_module();

    fn declaration() -> CString {
        let hidden = T::ARGUMENTS.iter().map(|name| format!("{name} HIDDEN"));
        let columns = T::COLUMNS.iter().map(|(name, kind, _)| {
            let kind = match kind {
                ColumnType::Integer => "INTEGER",
                ColumnType::Real => "REAL",
                ColumnType::Text => "TEXT",
                ColumnType::Key => "BLOB",
            };
            format!("{name} {kind}")
        });
        let columns: Vec<String> = columns.chain(hidden).collect();
        let declaration = format!("CREATE TABLE x({})", columns.join(", "));
        CString::new(declaration).expect("names have no zero bytes")
    }
}

// SAFETY: `Connected` is `repr(C)` and its first field is `sqlite3_vtab`, as the trait requires.
#[allow(unsafe_code)]
unsafe impl<'vtab, T: Table> VTab<'vtab> for Connected<T> {
    type Aux = Registered<T>;
    type Cursor = Cursor<'vtab, T>;

    fn connect(
        database: &mut VTabConnection,
        table: Option<&Self::Aux>,
        _: &[u8],
        _: &[u8],
        _: &[u8],
        _: &[&[u8]],
    ) -> rusqlite::Result<(Cow<'static, CStr>, Connected<T>)> {
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
        let missing = || Error::ModuleError("a table was registered without its value".to_owned());
        let table = Connected {
            base: sqlite3_vtab::default(),
            connection,
            registered: table.ok_or_else(missing)?.clone(),
        };
        Ok((Cow::Owned(Self::declaration()), table))
    }

    /// Passes every argument present to [`Cursor::filter`], in order. `idx_num` has a bit for each. Refuses other conditions on an
    /// argument that isn't given.
    fn best_index(&self, info: &mut IndexInfo) -> rusqlite::Result<bool> {
        let mut places = vec![None; T::ARGUMENTS.len()];
        let mut compared = Vec::new();
        for (place, constraint) in info.constraints().enumerate() {
            let column = usize::try_from(constraint.column()).ok();
            let Some(argument) = column.and_then(|column| column.checked_sub(T::COLUMNS.len()))
            else {
                continue;
            };
            match constraint.operator() {
                IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_EQ if constraint.is_usable() => {
                    places[argument] = Some(place);
                }
                // In this order of the tables, the argument isn't known yet.
                IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_EQ => return Ok(false),
                IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_LIMIT
                | IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_OFFSET => {}
                _ => compared.push(argument),
            }
        }
        // The column of an argument that isn't given is NULL, so the rows would vanish.
        if let Some(argument) = compared.into_iter().find(|it| places[*it].is_none()) {
            let (table, argument) = (&self.registered.0, T::ARGUMENTS[argument]);
            return Err(of_table(Problem::new(format!(
                "{table}: {argument} is an argument, which takes only =, as in {argument} = …"
            ))));
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
            table: self,
            arguments: Vec::new(),
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

/// Reads a table, which may look things up in the book's tables. Those never read a table like this in turn, unless one has been
/// replaced by a view; that would recurse until the stack overflows.
fn asking<R>(read: impl FnOnce() -> Result<R>) -> Result<R> {
    if ASKED.replace(true) {
        let problem = "recursive query: a table of the book is a view of such tables";
        return Err(Problem::new(problem));
    }
    let read = read();
    ASKED.set(false);
    read
}

/// A walk through the rows.
#[repr(C)]
struct Cursor<'vtab, T: Table> {
    /// SQLite's part, which must come first.
    base: sqlite3_vtab_cursor,
    table: &'vtab Connected<T>,
    /// The arguments; `None` in place of those that were left out.
    arguments: Vec<Option<types::Value>>,
    rows: Rows<'vtab, T::Row>,
    row: Option<T::Row>,
    /// The row's number, from 0.
    number: i64,
}

impl<T: Table> Cursor<'_, T> {
    fn failed(&self, problem: Problem) -> Error {
        of_table(problem.within(&self.table.registered.0))
    }
}

// SAFETY: `Cursor` is `repr(C)` and its first field is `sqlite3_vtab_cursor`, as the trait requires.
#[allow(unsafe_code)]
unsafe impl<'vtab, T: Table> VTabCursor for Cursor<'vtab, T> {
    fn filter(
        &mut self,
        given: c_int,
        _: Option<&str>,
        handed: &Filters<'_>,
    ) -> rusqlite::Result<()> {
        let mut handed = handed.iter();
        let arguments = (0..T::ARGUMENTS.len()).map(|argument| {
            let is_given = given >> argument & 1 == 1;
            let found = is_given.then(|| handed.next()).flatten();
            found.map(types::Value::try_from).transpose()
        });
        let arguments = arguments.collect::<std::result::Result<_, _>>();
        self.arguments = arguments.map_err(|error| self.failed(Problem::new(error)))?;
        self.number = -1;
        let arguments = self.arguments.iter().map(Option::as_ref);
        let arguments: Vec<Option<Value<'_>>> =
            arguments.map(|it| Some(value(it?.into()))).collect();
        let rows = asking(|| {
            let connection = &self.table.connection;
            let (name, table, open) = &self.table.registered;
            let schema = schema::<T>(&arguments)?;
            let source = open(Database { connection, schema });
            table.query(name, source, &arguments)
        });
        self.rows = rows.map_err(|problem| self.failed(problem))?;
        self.next()
    }

    fn next(&mut self) -> rusqlite::Result<()> {
        let next = asking(|| self.rows.next().transpose());
        self.row = next.map_err(|problem| self.failed(problem))?;
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
            Some(argument) => context.set_result(self.arguments.get(argument)),
        }
    }

    fn rowid(&self) -> rusqlite::Result<i64> {
        Ok(self.number)
    }
}

/// The name of the attached database, which is the argument `schema` of some tables.
fn schema<T: Table>(arguments: &[Option<Value<'_>>]) -> Result<Option<String>> {
    let place = T::ARGUMENTS.iter().position(|name| *name == "schema");
    match place.and_then(|place| arguments[place]) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Text(name)) => Ok(Some(read_text(name)?.to_owned())),
        Some(_) => Err(Problem::new("expected the name of an attached database")),
    }
}

impl Answer<'_> {
    /// The value for SQLite, without heap allocation.
    // Inlined where rows are written: a call for each of their values costs `import` 7 %.
    #[inline]
    #[must_use]
    pub fn value(&self) -> ValueRef<'_> {
        match self {
            Answer::Null => ValueRef::Null,
            Answer::Integer(number) => ValueRef::Integer(*number),
            Answer::Real(number) => ValueRef::Real(*number),
            Answer::Text(text) => ValueRef::Text(text.as_bytes()),
            Answer::Key(key) => ValueRef::Blob(key),
            Answer::Bytes(bytes) => ValueRef::Blob(bytes),
        }
    }
}

impl ToSql for Answer<'_> {
    #[inline]
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(self.value()))
    }
}

/// A value of SQLite without SQLite.
///
/// ```
/// use obook_base::sqlite::value;
/// use rusqlite::types::ValueRef;
/// assert_eq!(value(ValueRef::Integer(1)).to_string(), "the number 1");
/// ```
#[must_use]
pub const fn value(value: ValueRef<'_>) -> Value<'_> {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(text) => Value::Text(text),
        ValueRef::Blob(bytes) => Value::Blob(bytes),
    }
}
