//! All positions of a book.

use super::support::{change, games, open};
use obook::{Context, Error, Result, Store, StoreError};
use obook_othello::Position;
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

fn read(path: &Path) -> Result<Vec<Position>> {
    let store = Store::open(path, &Context::default())?;
    store.positions()?.collect()
}

/// Law (Databases): Damage beside the tables of positions doesn't stop reading; a damaged table is never read.
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
        let positions = read(&path).unwrap();
        assert!(positions.len() > 1000);
        damage(&path, "expectations");
        assert_eq!(read(&path).unwrap(), positions, "{other_rows}");
        // A copy of the whole database looks at the table.
        let copied = open(&path).compact();
        assert!(
            matches!(copied, Err(StoreError::Corrupt { .. })),
            "{copied:?}"
        );
        for table in ["positions", "links", "leaves"] {
            fs::write(&path, &sound).unwrap();
            damage(&path, table);
            let error = read(&path).unwrap_err();
            assert!(
                matches!(error, Error::Store(StoreError::Corrupt { .. })),
                "{table}: {error}"
            );
        }
    }
}

#[test]
fn swapped_pages_are_noticed_or_do_not_matter() {
    const PAGE: usize = 4096;
    let (_folder, path) = games();
    let positions = read(&path).unwrap();
    let sound = fs::read(&path).unwrap();
    let pages = sound.len() / PAGE;
    let mut noticed = 0;
    for distance in [1, 20] {
        for page in 1..pages - distance {
            let mut file = sound.clone();
            let (before, after) = file.split_at_mut((page + distance) * PAGE);
            before[page * PAGE..][..PAGE].swap_with_slice(&mut after[..PAGE]);
            fs::write(&path, &file).unwrap();
            match read(&path) {
                Ok(read) => assert!(read == positions, "page {page} and {distance} more"),
                Err(_) => noticed += 1,
            }
        }
    }
    assert!(noticed > pages, "{noticed} of {pages} pages");
}
