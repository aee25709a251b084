//! Answers of queries, row by row in the formats of `obook query`.

use crate::error::{Error, Result};
use crate::values::value;
use datafusion::arrow::array::{Array, ArrayRef, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use datafusion::physical_plan::SendableRecordBatchStream;
use datafusion::prelude::SessionContext;
use futures::TryStreamExt;
use obook_answers::{Boards, Format, Screen, Value};
use std::io::Write;

/// How answers look.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Look {
    /// The format of rows
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub(crate) format: Format,
}

/// Runs a statement and writes its rows, as they come. Returns their number.
pub(crate) async fn answer(
    session: &SessionContext,
    sql: &str,
    look: Look,
    screen: Option<Screen>,
    out: &mut dyn Write,
) -> Result<u64> {
    let mut stream = session.sql(sql).await?.execute_stream().await?;
    write(&mut stream, look, screen, out).await
}

async fn write(
    stream: &mut SendableRecordBatchStream,
    look: Look,
    screen: Option<Screen>,
    out: &mut dyn Write,
) -> Result<u64> {
    let names: Vec<String> = stream
        .schema()
        .fields()
        .iter()
        .map(|field| field.name().clone())
        .collect();
    if names.is_empty() {
        return Ok(0);
    }
    // If even the first rows fail, nothing is written.
    let mut next = stream.try_next().await?;
    let boards = screen.is_none().then_some(Boards::Hex);
    let mut rows = look.format.rows(names, boards, screen, out)?;
    let mut written = 0;
    while let Some(batch) = next {
        let columns = shown(&batch)?;
        let mut values: Vec<Value<'_>> = Vec::with_capacity(columns.len());
        for row in 0..batch.num_rows() {
            values.clear();
            values.extend(columns.iter().map(|column| value(column, row)));
            rows.row(&values)?;
        }
        written += batch.num_rows() as u64;
        next = stream.try_next().await?;
    }
    rows.end()?;
    out.flush()?;
    Ok(written)
}

/// The columns as the types that SQLite has; others, such as dates, as text.
fn shown(batch: &RecordBatch) -> Result<Vec<ArrayRef>> {
    let columns = batch.columns().iter().map(|column| {
        let wanted = match column.data_type() {
            DataType::Int64
            | DataType::Float64
            | DataType::Utf8
            | DataType::Binary
            | DataType::FixedSizeBinary(_) => return Ok(column.clone()),
            integer if integer.is_integer() => DataType::Int64,
            DataType::Boolean => DataType::Int64,
            DataType::Float16 | DataType::Float32 => DataType::Float64,
            DataType::LargeBinary | DataType::BinaryView => DataType::Binary,
            _ => DataType::Utf8,
        };
        cast(column, &wanted).map_err(|error| Error::Sql(error.into()))
    });
    columns.collect()
}
