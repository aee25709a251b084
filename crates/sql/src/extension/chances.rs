//! `chances(board)`: the final scores that a program thinks possible, with their probabilities.

use crate::functions::Given;
use crate::rows::forecast;
use obook_base::sql::ColumnType::{Integer, Real};
use obook_base::sql::{Arguments, Column, RowsOf, Table};
use obook_base::sqlite::{Database, of_sqlite};

/// The table `chances`.
#[derive(Clone)]
pub(crate) struct Chances;

impl Table for Chances {
    const COLUMNS: &'static [Column<Self::Row>] = &[
        ("score", Integer, |(score, _)| (*score).into()),
        ("probability", Real, |(_, chance)| (*chance).into()),
    ];
    const ARGUMENTS: &'static [&'static str] = &["board", "schema"];
    const ROWS: i64 = 6;
    type Source<'s> = Database<'s>;
    type Row = (i8, f64);

    fn rows<'s>(&'s self, database: Database<'s>, arguments: Arguments<'_>) -> RowsOf<'s, Self> {
        let board = Given::read(arguments.value(0))?.canonical();
        let schema = database.schema.as_deref();
        let found = forecast(database.connection, schema, board).map_err(of_sqlite)?;
        let chances: Vec<Self::Row> = found.iter().flat_map(|it| it.chances()).collect();
        Ok(Box::new(chances.into_iter().map(Ok)))
    }
}
