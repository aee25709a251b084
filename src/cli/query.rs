//! `obook query`: SQL in, rows out.

use super::output::{Failure, stdout};
use crate::{Book, Error, Progress, Store};
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::types::ValueRef;
use rusqlite::{Row, Statement};
use serde_json::Value;
use std::io::Write;
use std::path::Path;

/// How rows are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(super) enum Format {
    /// Aligned columns, for people
    Table,
    /// Comma-separated values with a header line (RFC 4180)
    Csv,
    /// One array of objects
    Json,
}

/// Answers `sql`, read-only, and writes the rows.
pub(super) fn run(book: &Path, sql: &str, format: Format) -> Result<(), Failure> {
    let mut store = Book::open(book)?.into_store(&Progress::on_terminal())?;
    let out = &mut stdout();
    forbid_writing(&mut store).map_err(failed(&store))?;
    let connection = store.connection();
    let mut statement = connection.prepare(sql).map_err(failed(&store))?;
    match format {
        Format::Table => table(&store, &mut statement, out),
        Format::Csv => csv(&store, &mut statement, out),
        Format::Json => json(&store, &mut statement, out),
    }?;
    Ok(out.flush()?)
}

fn failed(store: &Store) -> impl Fn(rusqlite::Error) -> Error + use<> {
    let path = store.path().to_owned();
    move |error| Error::Sqlite {
        path: path.clone(),
        doing: "answer that",
        source: error,
    }
}

/// Whatever the SQL says, nothing is written and no other file is opened.
fn forbid_writing(store: &mut Store) -> rusqlite::Result<()> {
    store
        .connection_mut()
        .authorizer(Some(|context: AuthContext<'_>| match context.action {
            AuthAction::Select
            | AuthAction::Read { .. }
            | AuthAction::Function { .. }
            | AuthAction::Recursive
            | AuthAction::Pragma {
                pragma_value: None, ..
            } => Authorization::Allow,
            // table_info(positions) and the like take a name and change nothing.
            AuthAction::Pragma { pragma_name, .. }
                if pragma_name.ends_with("_info")
                    || pragma_name.ends_with("_xinfo")
                    || pragma_name.ends_with("_list")
                    || pragma_name.ends_with("_check") =>
            {
                Authorization::Allow
            }
            _ => Authorization::Deny,
        }))
}

fn columns(statement: &Statement<'_>) -> Vec<String> {
    statement.column_names().map(str::to_owned).collect()
}

fn table(store: &Store, statement: &mut Statement<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    use comfy_table::{Cell, CellAlignment, Table, presets};
    let mut table = Table::new();
    table
        .load_style(presets::ASCII_FULL_CONDENSED)
        .set_header(columns(statement));
    each(store, statement, |row, width| {
        table.add_row((0..width).map(|column| {
            let value = row.get_ref_unwrap(column);
            let alignment = match value {
                ValueRef::Integer(_) | ValueRef::Real(_) => CellAlignment::Right,
                _ => CellAlignment::Left,
            };
            Cell::new(text(value)).set_alignment(alignment)
        }));
        Ok(())
    })?;
    if statement.column_count() > 0 {
        writeln!(out, "{table}")?;
    }
    Ok(())
}

fn csv(store: &Store, statement: &mut Statement<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let mut writer = csv::Writer::from_writer(out);
    let failed = |error: csv::Error| Failure::Output(error.into());
    writer.write_record(columns(statement)).map_err(failed)?;
    each(store, statement, |row, width| {
        let cells = (0..width).map(|column| text(row.get_ref_unwrap(column)));
        writer.write_record(cells).map_err(failed)
    })?;
    Ok(writer.flush()?)
}

fn json(store: &Store, statement: &mut Statement<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let names = columns(statement);
    let mut separator = "[\n";
    each(store, statement, |row, width| {
        let object: serde_json::Map<String, Value> = (0..width)
            .map(|column| {
                (
                    names[column].clone(),
                    json_value(row.get_ref_unwrap(column)),
                )
            })
            .collect();
        write!(out, "{separator} ")?;
        serde_json::to_writer(&mut *out, &object).map_err(std::io::Error::from)?;
        separator = ",\n";
        Ok(())
    })?;
    Ok(writeln!(
        out,
        "{}",
        if separator == "[\n" { "[]" } else { "\n]" }
    )?)
}

fn each(
    store: &Store,
    statement: &mut Statement<'_>,
    mut visit: impl FnMut(&Row<'_>, usize) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let width = statement.column_count();
    let mut rows = statement.query([]).map_err(failed(store))?;
    while let Some(row) = rows.next().map_err(failed(store))? {
        visit(row, width)?;
    }
    Ok(())
}

/// NULL is empty, a board is 32 hexadecimal digits.
fn text(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        ValueRef::Blob(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}

fn json_value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(_) | ValueRef::Blob(_) => text(value).into(),
    }
}
