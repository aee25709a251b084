//! Every row of what a book says, to be compared with another book's.

use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// By table, each row as a text: `hex(board)` first.
pub type Rows = BTreeMap<&'static str, BTreeSet<String>>;

/// All rows of a database, but its history and sources, whose times differ, and whether it was ever fixed.
pub fn rows(path: &Path) -> Rows {
    let connection = Connection::open(path).unwrap();
    let tables = [
        (
            "book",
            "rules, level, depth, midgame_error, endcut_error, verbosity, written",
        ),
        ("positions", "*"),
        ("links", "*"),
        ("leaves", "*"),
        ("todo", "*"),
    ];
    let rows = |(table, columns)| {
        let sql = format!("SELECT {columns} FROM {table}");
        let mut statement = connection.prepare(&sql).unwrap();
        let width = statement.column_count();
        let row = |row: &rusqlite::Row<'_>| {
            let cells = (0..width).map(|at| cell(row.get_ref(at).unwrap()));
            Ok(cells.collect::<Vec<_>>().join(" "))
        };
        let rows = statement.query_map([], row).unwrap();
        (table, rows.map(Result::unwrap).collect())
    };
    tables.into_iter().map(rows).collect()
}

/// A cell as a text.
pub fn cell(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Blob(key) => key.iter().map(|byte| format!("{byte:02X}")).collect(),
        other => format!("{other:?}"),
    }
}
