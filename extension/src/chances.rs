//! `chances(board)`: the final scores that a program thinks possible, with their probabilities.

use crate::arguments::{given, schema_name};
use crate::problem::Result;
use crate::table::{ColumnValue, Kind, Rows, TableFunction, Values};
use obook_rows::forecast;
use rusqlite::Connection;
use rusqlite::types::ValueRef;

/// The table `chances`.
#[derive(Clone)]
pub(crate) struct Chances;

impl TableFunction for Chances {
    const NAME: &'static str = "chances";
    const COLUMNS: &'static [(&'static str, Kind)] =
        &[("score", Kind::Integer), ("probability", Kind::Real)];
    const ARGUMENTS: &'static [&'static str] = &["board", "schema"];
    const ROWS: i64 = 6;
    type Row = (i8, f64);

    fn rows<'c>(
        &'c self,
        connection: &'c Connection,
        board: ValueRef<'_>,
        others: &Values,
    ) -> Result<Rows<'c, Self::Row>> {
        let board = given(board)?.board.canonical();
        let found = forecast(connection, schema_name(others.get(1))?, board)?;
        let chances: Vec<Self::Row> = found.iter().flat_map(|it| it.chances()).collect();
        Ok(Box::new(chances.into_iter().map(Ok)))
    }

    fn value((score, probability): &Self::Row, column: usize) -> ColumnValue<'_> {
        match column {
            0 => (*score).into(),
            _ => (*probability).into(),
        }
    }
}
