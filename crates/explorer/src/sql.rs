//! SQL that people type: it can only read, and only for a while.

use crate::api::{Schema, Sql, Table};
use crate::books::{Desk, Lane, Served, Waiting};
use crate::problem::Problem;
use crate::stream::Lines;
use obook_base::hex;
use obook_base::sqlite::all_rows;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Row, Statement};
use serde::de::IgnoredAny;
use serde_json::{Value as Json, json};
use std::time::{Duration, Instant};

/// The time limit.
const LIMIT: Duration = Duration::from_secs(10);
/// The default number of rows.
const ROWS: u32 = 1000;
/// The most rows.
const MOST: u32 = 100_000;

/// Lets a thread answer.
pub(crate) fn start(book: &Served, asked: Sql, lines: Lines) -> Result<Waiting, Problem> {
    book.send_lines(Lane::Long, LIMIT, lines, move |desk, lines| {
        answer(desk, &asked, lines)
    })
}

fn answer(desk: &Desk, asked: &Sql, lines: &mut Lines) -> Result<(), Problem> {
    let begun = Instant::now();
    let connection = desk.store().connection();
    let limit = asked.limit.unwrap_or(ROWS).min(MOST);
    let _armed = desk.guard.arm();
    let failed = |error| problem(error, desk, &asked.sql);
    let mut statement = connection.prepare(&asked.sql).map_err(failed)?;
    bind(&mut statement, asked)?;
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    if columns.is_empty() {
        return Err(Problem::wrong(match statement.expanded_sql() {
            Some(_) => "only queries are answered: nothing can be written here",
            None => "no SQL: there is no statement in this text",
        }));
    }
    let width = columns.len();
    let mut rows = statement.raw_query();
    // If even the first row fails, the error is an answer of its own.
    let mut next = rows.next().map_err(failed)?;
    let mut count = 0;
    lines.write(&json!({ "columns": columns }))?;
    while let Some(row) = next {
        if count == limit {
            break;
        }
        let values = (0..width).map(|column| written(row.get_ref_unwrap(column)));
        lines.write(&Json::Array(values.collect()))?;
        count += 1;
        if desk.is_over() {
            return Err(Problem::late());
        }
        next = rows.next().map_err(failed)?;
    }
    let truncated = next.is_some();
    let ms = begun.elapsed().as_millis() as u64;
    lines.write(&json!({ "rows": count, "ms": ms, "truncated": truncated }))
}

fn bind(statement: &mut Statement<'_>, asked: &Sql) -> Result<(), Problem> {
    for index in 1..=statement.parameter_count() {
        let written = statement.parameter_name(index).map(str::to_owned);
        let written = written.unwrap_or_else(|| format!("?{index}"));
        let Some(value) = asked.parameters.get(&written[1..]) else {
            return Err(Problem::wrong(format!("{written} has no value")));
        };
        statement.raw_bind_parameter(index, value_of(value)?)?;
    }
    Ok(())
}

fn value_of(json: &Json) -> Result<Value, Problem> {
    match json {
        Json::Null => Ok(Value::Null),
        Json::Bool(is) => Ok(Value::Integer((*is).into())),
        Json::Number(number) => Ok(match number.as_i64() {
            Some(whole) => Value::Integer(whole),
            None => Value::Real(number.as_f64().unwrap_or(f64::NAN)),
        }),
        Json::String(text) => Ok(Value::Text(text.clone())),
        Json::Array(_) | Json::Object(_) => {
            Err(Problem::wrong("a parameter is a number, a text or null"))
        }
    }
}

/// A value as JSON: bytes are hexadecimal digits.
fn written(value: ValueRef<'_>) -> Json {
    match value {
        ValueRef::Null => Json::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(bytes) => String::from_utf8_lossy(bytes).into(),
        ValueRef::Blob(bytes) => hex(bytes).into(),
    }
}

fn problem(error: rusqlite::Error, desk: &Desk, sql: &str) -> Problem {
    if let Some(refusal) = desk.guard.take_refusal() {
        return Problem::wrong(refusal);
    }
    match error {
        rusqlite::Error::SqlInputError { msg, offset, .. } => {
            let at = usize::try_from(offset).ok();
            let at = at.map(|at| sql[..sql.floor_char_boundary(at)].encode_utf16().count());
            Problem::wrong(msg).at(at)
        }
        rusqlite::Error::MultipleStatement => {
            Problem::wrong("several statements: only one can be answered at a time")
        }
        // If the statement was interrupted, the desk turns this into a late answer.
        other => Problem::wrong(other),
    }
}

/// The tables, columns and functions of SQL
#[cfg_attr(test, utoipa::path(get, path = "/api/{book}/sql/schema", params(("book" = String, Path)),
    responses((status = 200, body = Schema), (status = 304, description = "unchanged"))))]
pub(crate) fn schema(desk: &Desk, _: &IgnoredAny) -> Result<Schema, Problem> {
    let connection = desk.store().connection();
    let sql = "SELECT name, type FROM pragma_table_list
               WHERE schema = 'main' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND type <> 'shadow'
               UNION SELECT name, 'virtual' FROM pragma_module_list
               ORDER BY name";
    let named = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let names: Vec<(String, String)> = all_rows(connection, sql, [], named)?;
    let mut tables = Vec::new();
    for (name, kind) in names {
        if obook_sql::extension::reads_files(&name) {
            continue;
        }
        // Modules of SQLite that are no tables have no columns.
        let [columns, arguments] = columns(connection, &name).unwrap_or_default();
        if !columns.is_empty() {
            tables.push(Table {
                name,
                kind,
                columns,
                arguments,
            });
        }
    }
    let sql =
        "SELECT DISTINCT name FROM pragma_function_list WHERE name NOT GLOB '[_]*' ORDER BY name";
    let functions = all_rows(connection, sql, [], |row| row.get(0))?;
    Ok(Schema { tables, functions })
}

/// The columns and the hidden columns, which are arguments.
fn columns(connection: &Connection, table: &str) -> rusqlite::Result<[Vec<String>; 2]> {
    let mut statement =
        connection.prepare_cached("SELECT name, hidden = 1 FROM pragma_table_xinfo(?)")?;
    let mut rows = statement.query([table])?;
    let mut found = [Vec::new(), Vec::new()];
    while let Some(row) = rows.next()? {
        found[usize::from(row.get::<_, bool>(1)?)].push(row.get(0)?);
    }
    Ok(found)
}
