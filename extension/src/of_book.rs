//! The tables of `obook-functions`, which need only a book's rows, for SQLite.

use crate::arguments::value;
use crate::book::Book;
use crate::problem::Result;
use crate::table::{ColumnValue, Kind, Rows, TableFunction, Values};
use obook_functions::{Table, Value};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::iter;

/// A table, with the name of an attached database as one more argument.
#[derive(Clone)]
pub(crate) struct OfBook<T>(pub(crate) T);

/// The most arguments of a table, with that one.
const MOST: usize = 4;

impl<T: Table> OfBook<T> {
    /// The table's arguments, and `schema` in all other places.
    const PADDED: &'static [&'static str; MOST] = &{
        let mut names = ["schema"; MOST];
        let own = names.split_at_mut(T::ARGUMENTS.len()).0;
        own.copy_from_slice(T::ARGUMENTS);
        names
    };
}

impl<T: Table> TableFunction for OfBook<T> {
    const NAME: &'static str = T::NAME;
    const COLUMNS: &'static [(&'static str, Kind)] = T::COLUMNS;
    const ARGUMENTS: &'static [&'static str] = Self::PADDED.split_at(T::ARGUMENTS.len() + 1).0;
    const FIRST: Option<&'static str> = T::FIRST;
    const ROWS: i64 = T::ROWS;
    type Row = T::Row;

    fn rows<'c>(
        &'c self,
        connection: &'c Connection,
        first: ValueRef<'_>,
        others: &Values,
    ) -> Result<Rows<'c, T::Row>> {
        let own = T::ARGUMENTS.len();
        let book = Book::new(connection, others.get(own))?;
        let others = (1..own).map(|index| others.get(index).map_or(Value::Null, value));
        let arguments: Vec<Value<'_>> = iter::once(value(first)).chain(others).collect();
        let rows = T::rows(book, &arguments)?;
        Ok(Box::new(rows.map(|row| Ok(row?))))
    }

    fn value(row: &T::Row, column: usize) -> ColumnValue<'_> {
        T::value(row, column).into()
    }
}
