//! Rows of a database.

use rusqlite::Connection;
use rusqlite::types::{Value, ValueRef};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Each table's rows as texts, which start with `hex(board)`.
pub type Rows = BTreeMap<&'static str, BTreeSet<String>>;

/// All rows of a database, without its history and sources, which have times, and without the mark that it was fixed.
pub fn rows(path: &Path) -> Rows {
    let columns = "rules, level, depth, midgame_error, endcut_error, verbosity, written";
    let others = ["positions", "links", "leaves", "todo"].map(|table| (table, "*"));
    let tables = [("book", columns)].into_iter().chain(others);
    let row = |row: Vec<Value>| {
        let cells = row.iter().map(|it| cell(it.into()));
        cells.collect::<Vec<_>>().join(" ")
    };
    let rows = |(table, columns)| {
        let rows = select(path, &format!("SELECT {columns} FROM {table}"));
        (table, rows.into_iter().map(row).collect())
    };
    tables.map(rows).collect()
}

/// A cell as text.
pub fn cell(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Blob(key) => key.iter().map(|byte| format!("{byte:02X}")).collect(),
        other => format!("{other:?}"),
    }
}

/// The rows of a query. Text that is not UTF-8 becomes a blob.
pub fn select(path: &Path, sql: &str) -> Vec<Vec<Value>> {
    let connection = Connection::open(path).unwrap();
    let mut statement = connection.prepare(sql).unwrap();
    let width = statement.column_count();
    // Text, even if it isn't UTF-8.
    let cell = |cell: ValueRef<'_>| match cell {
        ValueRef::Text(text) => String::from_utf8(text.to_vec())
            .map_or_else(|invalid| Value::Blob(invalid.into_bytes()), Value::Text),
        other => other.try_into().unwrap(),
    };
    let row = |row: &rusqlite::Row<'_>| {
        let cells = (0..width).map(|column| cell(row.get_ref_unwrap(column)));
        Ok(cells.collect())
    };
    let rows = statement.query_map([], row).unwrap();
    rows.map(Result::unwrap).collect()
}

/// The numbers of positions, links and leaves with a move, and of positions by level.
pub type Numbers = ([u64; 3], BTreeMap<i64, u64>);

/// Counts by plain SQL.
pub fn counted(path: &Path) -> Numbers {
    let number = |value: &Value| match value {
        Value::Integer(number) => *number,
        other => panic!("{other:?}"),
    };
    let count = |rows: &str| {
        let counted = select(path, &format!("SELECT count(*) FROM {rows}"));
        number(&counted[0][0]) as u64
    };
    let levels = "SELECT level, count(*) FROM positions WHERE level IS NOT NULL GROUP BY level";
    let levels = select(path, levels).into_iter();
    let levels = levels.map(|row| (number(&row[0]), number(&row[1]) as u64));
    let rows = ["positions", "links", "leaves WHERE move IS NOT NULL"];
    (rows.map(count), levels.collect())
}

/// Whether a book stores its counts.
pub fn has_counts(path: &Path) -> bool {
    select(path, "SELECT count(*) > 0 FROM row_counts") == [[Value::Integer(1)]]
}

/// Every row of every table, but for the history itself and what is counted, in the order in which the tables have them.
pub fn dump(path: &Path) -> BTreeMap<String, Vec<Vec<Value>>> {
    let tables = select(
        path,
        "SELECT name, wr FROM pragma_table_list
         WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT IN ('history', 'undo', 'row_counts')",
    );
    let dump = |table: Vec<Value>| {
        let [Value::Text(name), Value::Integer(without_rowid)] = &table[..] else {
            panic!("{table:?}");
        };
        let rowid = if *without_rowid == 0 { "_rowid_, " } else { "" };
        let quoted = name.replace('"', "\"\"");
        let rows = select(path, &format!("SELECT {rowid}* FROM \"{quoted}\""));
        (name.clone(), rows)
    };
    tables.into_iter().map(dump).collect()
}
