//! Databases that obook can't read rows from as they are.

use obook_book::write::import::import;
use obook_book::write::salvage::salvage;
use obook_book::{Context, Error, IfExists, games};
use obook_games::Reader;
use obook_testing::games::sample;
use obook_testing::golden::golden;
use rusqlite::Connection;

/// The rows of a table that has another name can't be told from those of any other table, so they would be missing.
#[test]
fn a_book_with_a_renamed_table_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let context = Context::new("test");
    for table in ["positions", "links", "leaves"] {
        let path = folder.path().join(format!("{table}.obook"));
        let file = golden("edax/games.prune.dat");
        import(&file, &path, IfExists::Refuse, &context).unwrap();
        let played = Reader::open(&sample()).unwrap().take(5);
        games::import(&path, played.map(|game| Ok(game?)), &context).unwrap();
        let sql = format!("PRAGMA legacy_alter_table = ON; ALTER TABLE {table} RENAME TO other");
        Connection::open(&path)
            .unwrap()
            .execute_batch(&sql)
            .unwrap();
        let output = folder.path().join("salvaged.obook");
        let salvaged = salvage(&path, &output, IfExists::Refuse, &context);
        let refused = salvaged.unwrap_err();
        assert!(matches!(refused, Error::ForeignSchema { .. }), "{refused}");
        assert!(refused.to_string().contains(table), "{refused}");
        assert!(!output.exists());
    }
}
