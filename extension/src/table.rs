//! Tables whose rows depend on arguments: `SELECT … FROM moves('f5d6')`.
//!
//! This is the only file that speaks SQLite's interface for virtual tables; the tables themselves say which columns and
//! arguments they have and make rows.

use crate::column_value::ColumnValue;
use crate::problem::{Problem, Result};
use rusqlite::ffi::{sqlite3_vtab, sqlite3_vtab_cursor};
use rusqlite::types::{Value, ValueRef};
use rusqlite::vtab::{
    Context, Filters, IndexConstraintOp, IndexInfo, Module, VTab, VTabConfig, VTabConnection,
    VTabCursor,
};
use rusqlite::{Connection, Error};
use std::borrow::Cow;
use std::cell::Cell;
use std::ffi::{CStr, CString, c_int};

/// A table whose rows depend on arguments. What else they depend on is in its value, of which each connection has a copy.
pub(crate) trait TableFunction: Clone + Send + Sync + 'static {
    const NAME: &'static str;
    /// The columns, as they stand in `CREATE TABLE`.
    const COLUMNS: &'static [&'static str];
    /// The arguments in their order, which are hidden columns.
    const ARGUMENTS: &'static [&'static str];
    /// What the first argument is where it is left out; `None` where it can't be.
    const FIRST: Option<&'static str> = None;
    /// Whether it reads files or may take for ever, so that a view of another's database must not name it.
    const NOT_IN_VIEWS: bool = false;
    /// About how many rows there are for some arguments, for planning joins.
    const ROWS: i64;
    type Row;

    /// The rows for the first argument and those that may be left out.
    fn rows<'c>(
        &'c self,
        connection: &'c Connection,
        first: ValueRef<'_>,
        others: &Values,
    ) -> Result<Rows<'c, Self::Row>>;

    /// The value of a column, counted from 0.
    fn value(row: &Self::Row, column: usize) -> ColumnValue<'_>;
}

/// Rows as they come; none come after a problem.
pub(crate) type Rows<'c, T> = Box<dyn Iterator<Item = Result<T>> + 'c>;

/// The arguments of a table; those left out at the end are NULL.
#[derive(Debug, Default)]
pub(crate) struct Values(Vec<Value>);

impl Values {
    /// The argument at a place, unless it is left out or NULL.
    pub(crate) fn get(&self, index: usize) -> Option<ValueRef<'_>> {
        let value = self.0.get(index).map(ValueRef::from)?;
        (value != ValueRef::Null).then_some(value)
    }
}

/// Makes a table known to a connection.
pub(crate) fn register<T: TableFunction>(
    connection: &Connection,
    table: T,
) -> rusqlite::Result<()> {
    connection.create_module(T::NAME, Table::<T>::MODULE, Some(table))
}

/// A table as one connection sees it.
#[repr(C)]
struct Table<T: TableFunction> {
    /// SQLite's part; must be first.
    base: sqlite3_vtab,
    /// The connection that asks, for tables that look things up in the book.
    connection: Connection,
    table: T,
}

impl<T: TableFunction> Table<T> {
    const MODULE: &'static Module<'static, Table<T>> = &Module::eponymous_only_module();

    fn declaration() -> CString {
        let hidden = T::ARGUMENTS.iter().map(|name| format!("{name} HIDDEN"));
        let columns = T::COLUMNS.iter().map(|column| (*column).to_owned());
        let columns: Vec<String> = columns.chain(hidden).collect();
        let declaration = format!("CREATE TABLE x({})", columns.join(", "));
        CString::new(declaration).expect("names have no zero bytes")
    }
}

// SAFETY: `Table` is `repr(C)` and its first field is `sqlite3_vtab`, which is all that the trait asks for.
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
        // SAFETY: SQLite disconnects all virtual tables before it closes the connection to which they belong, and a
        // connection made of a handle does not close it; so the handle is valid as long as this table is. Table and
        // connection are used by SQLite's calls only, one at a time.
        #[allow(unsafe_code)]
        let connection = unsafe { Connection::from_handle(database.handle())? };
        let missing = || failed::<T>(Problem::new("it was registered without its value"));
        let table = Table {
            base: sqlite3_vtab::default(),
            table: table.cloned().ok_or_else(missing)?,
            connection,
        };
        Ok((Cow::Owned(Self::declaration()), table))
    }

    /// Every argument that is there is handed to [`Cursor::filter`], in the order of the arguments; `idx_num` has a bit for
    /// each.
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
                // What the argument comes from is not known yet in this order of the tables.
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
    /// Whether a table is being asked for rows on this thread.
    static ASKED: Cell<bool> = const { Cell::new(false) };
}

/// A table is being asked for rows, and may look them up in tables of the book. None of those asks a table like this in turn,
/// unless it is a view that was put in its place: that would go on until the stack is full.
struct Asking;

impl Asking {
    fn begin() -> Result<Asking> {
        if ASKED.get() {
            let problem =
                "asked while it is answering: a table of the book is a view of such tables";
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
    /// SQLite's part; must be first.
    base: sqlite3_vtab_cursor,
    table: &'vtab T,
    connection: &'vtab Connection,
    arguments: Values,
    rows: Rows<'vtab, T::Row>,
    row: Option<T::Row>,
    /// Of the row, from 0.
    number: i64,
}

// SAFETY: `Cursor` is `repr(C)` and its first field is `sqlite3_vtab_cursor`, which is all that the trait asks for.
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
        self.arguments = Values(arguments.map_err(|error| failed::<T>(Problem::new(error)))?);
        self.number = -1;
        let left_out = T::FIRST.filter(|_| given & 1 == 0);
        let default = left_out.map(|text| ValueRef::Text(text.as_bytes()));
        self.rows = match self.arguments.get(0).or(default) {
            Some(first) => Asking::begin()
                .and_then(|_asking| self.table.rows(self.connection, first, &self.arguments))
                .map_err(failed::<T>)?,
            // Of NULL there are no rows, as of a table that nothing matches.
            None if given & 1 == 1 => Box::new(std::iter::empty()),
            None => {
                let (name, usage) = (T::ARGUMENTS[0], T::ARGUMENTS.join(", "));
                let problem = format!("{name} is missing: {}({usage})", T::NAME);
                return Err(failed::<T>(Problem::new(problem)));
            }
        };
        self.next()
    }

    fn next(&mut self) -> rusqlite::Result<()> {
        let asking = Asking::begin().map_err(failed::<T>)?;
        self.row = self.rows.next().transpose().map_err(failed::<T>)?;
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

fn failed<T: TableFunction>(problem: Problem) -> Error {
    problem.within(T::NAME).of_table()
}
