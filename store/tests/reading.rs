//! All positions of a book.

use crate::support::{change, games, open};
use obook_model::Position;
use obook_store::{Context, Error, Result, Store};
use std::fs;
use std::path::Path;

/// Overwrites the root page of a table with zeroes.
fn damage(path: &Path, table: &str) {
    let store = Store::open(path, &Context::default()).unwrap();
    let sql = "SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size WHERE name = ?";
    let root = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let (page, size): (u32, u32) = store.connection().query_row(sql, [table], root).unwrap();
    let (page, size) = (page as usize, size as usize);
    drop(store);
    let mut file = fs::read(path).unwrap();
    file[(page - 1) * size..][..size].fill(0);
    fs::write(path, file).unwrap();
}

/// Law (Databases): Positions are read whatever is damaged beside their tables, and never from a damaged table.
#[test]
fn only_damage_to_the_tables_of_positions_matters_to_those_who_read_them() {
    // A small book, which one thread reads, and one that several threads read, because there is much besides its positions.
    for other_rows in [1, 10_000] {
        let (_folder, path) = games();
        let write = format!(
            "WITH RECURSIVE row (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM row LIMIT {other_rows})
             INSERT INTO expectations SELECT randomblob(16), 0, 0, 0, 0 FROM row"
        );
        change(&mut open(&path), &write);
        let sound = fs::read(&path).unwrap();
        let read = || -> Result<Vec<Position>> {
            let store = Store::open(&path, &Context::default())?;
            store.positions()?.collect()
        };
        let positions = read().unwrap();
        assert!(positions.len() > 1000);
        damage(&path, "expectations");
        assert_eq!(read().unwrap(), positions, "{other_rows}");
        // Whoever copies the whole database looks at the table.
        let copied = open(&path).compact();
        assert!(matches!(copied, Err(Error::Corrupt { .. })), "{copied:?}");
        for table in ["positions", "links", "leaves"] {
            fs::write(&path, &sound).unwrap();
            damage(&path, table);
            let error = read().unwrap_err();
            assert!(matches!(error, Error::Corrupt { .. }), "{table}: {error}");
        }
    }
}
