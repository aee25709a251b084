//! The functions and tables of `obook-sql`, which need the schema that is in this crate.
//!
//! Without dependencies of their own for tests, the extension's library and its tests build with the same features when other
//! programs are to load it.

mod files;
mod functions;
mod near_best;
mod search;
mod tables;

use rusqlite::types::Value;
use rusqlite::{Connection, Params};

/// The rows of a query.
fn rows(connection: &Connection, sql: &str, params: impl Params) -> Vec<Vec<Value>> {
    let mut statement = connection.prepare(sql).unwrap();
    let width = statement.column_count();
    let rows = statement.query_map(params, |row| {
        (0..width).map(|column| row.get(column)).collect()
    });
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}
