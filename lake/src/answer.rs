//! Answers of queries, row by row in the formats of `obook query`.

use crate::error::{Error, Result};
use crate::query::Query;
use crate::values::{plain_type, value};
use datafusion::arrow::array::{ArrayRef, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use datafusion::prelude::SessionContext;
use obook_sql::answers::{Boards, Format, Screen, Value};
use std::io::{self, Write};

/// How answers look.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Look {
    /// The format of rows
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub(crate) format: Format,
}

/// Runs a statement and writes its rows to standard output, as they come.
pub(crate) async fn answer(session: &SessionContext, sql: &str, look: Look) -> Result<()> {
    let mut query = Query::start(session, sql).await?;
    let schema = query.schema();
    let names = schema.fields().iter().map(|field| field.name().clone());
    let names: Vec<String> = names.collect();
    if names.is_empty() {
        return Ok(());
    }
    // If even the first rows fail, nothing is written.
    let mut next = query.next().await?;
    let (screen, out) = (Screen::of_stdout(), &mut io::stdout().lock());
    let boards = screen.is_none().then_some(Boards::Hex);
    let mut rows = look.format.rows(names, boards, screen, out)?;
    while let Some(batch) = next {
        let columns = shown(&batch)?;
        let mut values: Vec<Value<'_>> = Vec::with_capacity(columns.len());
        for row in 0..batch.num_rows() {
            values.clear();
            values.extend(columns.iter().map(|column| value(column, row)));
            rows.row(&values)?;
        }
        next = query.next().await?;
    }
    rows.end()?;
    Ok(out.flush()?)
}

/// The columns as the types that SQLite has; others, such as dates, as text.
fn shown(batch: &RecordBatch) -> Result<Vec<ArrayRef>> {
    let columns = batch.columns().iter().map(|column| {
        let wanted = plain_type(column.data_type()).unwrap_or(DataType::Utf8);
        cast(column, &wanted).map_err(|error| Error::Sql(error.into()))
    });
    columns.collect()
}
