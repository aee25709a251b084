//! All rows of a book, to compare with those of another book.

use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Each table's rows as texts, which start with `hex(board)`.
pub type Rows = BTreeMap<&'static str, BTreeSet<String>>;

/// All rows of a database, without its history and sources, which have times, and without the mark that it was fixed.
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

/// A cell as text.
pub fn cell(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Blob(key) => key.iter().map(|byte| format!("{byte:02X}")).collect(),
        other => format!("{other:?}"),
    }
}
