//! Digests of databases.

use rusqlite::Connection;
use rusqlite::types::ValueRef;
use sha2::{Digest, Sha256};
use std::path::Path;

/// A digest of a database without times and paths.
pub fn digest(path: &Path) -> Vec<u8> {
    digest_with(path, true)
}

/// A digest of a database without times, history and undo log.
pub fn digest_of_contents(path: &Path) -> Vec<u8> {
    digest_with(path, false)
}

fn digest_with(path: &Path, history: bool) -> Vec<u8> {
    let connection = Connection::open(path).unwrap();
    let check: String = connection
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(check, "ok");
    let mut digest = Sha256::new();
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('history', 'sources', 'learned') ORDER BY name";
    let with_history = history;
    let history =
        "(SELECT id, json_remove(counts, '$.seconds', '$.file'), undone IS NULL, log FROM history)";
    // Without the time until which another machine has them.
    let tasks = "(SELECT board, kind, without, level, engine, priority, promised, within, leased IS NULL, failures FROM tasks)";
    let columns: String = connection
        .query_row(
            "SELECT group_concat(name) FROM pragma_table_info('sources') WHERE name NOT IN ('name', 'imported')",
            [],
            |row| row.get(0),
        )
        .unwrap();
    let sources = format!("(SELECT {columns} FROM sources)");
    let mut names = connection.prepare(tables).unwrap();
    let names = names.query_map([], |row| row.get::<_, String>(0)).unwrap();
    for table in names
        .map(Result::unwrap)
        .chain([history.into(), sources])
        .filter(|table| with_history || !["undo", "learning", history].contains(&table.as_str()))
    {
        digest.update(&table);
        let table = if table == "tasks" { tasks } else { &table };
        let select = format!("SELECT * FROM {table}");
        let mut statement = connection.prepare(&select).unwrap();
        let width = statement.column_count();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            for column in 0..width {
                match row.get_ref(column).unwrap() {
                    ValueRef::Blob(bytes) => digest.update(bytes),
                    other => digest.update(format!("{other:?}")),
                }
                digest.update([0]);
            }
        }
    }
    digest.finalize().to_vec()
}
