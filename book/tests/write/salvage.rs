//! Databases whose tables are not where obook expects them.

use obook_book::write::salvage::salvage;
use obook_book::{Context, Error, IfExists, games};
use obook_games::Reader;
use obook_testing::games::sample;
use obook_testing::golden::golden;
use obook_testing::imported::import_file;
use rusqlite::Connection;
use std::path::{Path, PathBuf};

const TABLES: [&str; 3] = ["positions", "links", "leaves"];

/// A book with games, after these changes by another program.
fn changed(folder: &Path, name: &str, sql: &str) -> PathBuf {
    let context = Context::new("test");
    let path = folder.join(format!("{name}.obook"));
    let file = golden("edax/games.prune.dat");
    import_file(&file, &path, &context).unwrap();
    let played = Reader::open(sample()).unwrap().take(5);
    games::import_at(&path, played.map(|game| Ok(game?)), &context).unwrap();
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch(&format!("PRAGMA legacy_alter_table = ON; {sql}"))
        .unwrap();
    path
}

#[test]
fn a_renamed_table_is_salvaged() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("salvaged.obook");
    let salvaged = |path: &Path| {
        let salvaged = salvage(path, &output, IfExists::Replace, &Context::new("test")).unwrap();
        assert_eq!((salvaged.games, salvaged.orphans), (5, 0), "{salvaged:?}");
        (salvaged.positions, salvaged.links, salvaged.leaves)
    };
    let whole = salvaged(&changed(folder.path(), "whole", ""));
    assert!(whole.0 > 0 && whole.1 > 0 && whole.2 > 0, "{whole:?}");
    for table in TABLES {
        let sql = format!("ALTER TABLE {table} RENAME TO other");
        let path = changed(folder.path(), table, &sql);
        assert_eq!(salvaged(&path), whole, "{table}");
    }
}

#[test]
fn a_book_without_one_of_its_tables_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("salvaged.obook");
    for table in TABLES {
        let path = changed(folder.path(), table, &format!("DROP TABLE {table}"));
        let salvaged = salvage(&path, &output, IfExists::Refuse, &Context::new("test"));
        let refused = salvaged.unwrap_err();
        assert!(matches!(refused, Error::ForeignSchema { .. }), "{refused}");
        assert!(refused.to_string().contains(table), "{refused}");
        assert!(!output.exists());
    }
}
