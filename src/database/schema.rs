//! The schema of Othello's books.

use obook_othello::Engine;
use obook_sql::rows::Table;
use obook_store::{Counted, FIRST_VERSION, Schema};
use rusqlite::Connection;

/// `PRAGMA application_id` of a book of Othello: "obok".
pub const APPLICATION_ID: u32 = 0x6f62_6f6b;

/// The schema version that this crate writes: `PRAGMA user_version`.
pub const SCHEMA_VERSION: i64 = FIRST_VERSION + MIGRATIONS.len() as i64;

/// Entry *n* changes a database of version 10 + *n* to the next.
const MIGRATIONS: &[&str] = &[];

/// The schema of Othello's books, version [`SCHEMA_VERSION`].
#[doc(hidden)]
pub static OTHELLO: Schema = {
    let mut schema = Schema::new(
        APPLICATION_ID,
        include_str!("../../schema.sql"),
        obook_sql::extension::register,
    );
    schema.migrations = MIGRATIONS;
    schema.rows = name_engines;
    schema.counted = &COUNTED;
    schema
};

/// Positions are counted by level, and leaves without a move don't count.
const COUNTED: [Counted; 3] = [
    counted(Table::Positions, Some("level"), None),
    counted(Table::Links, None, None),
    counted(Table::Leaves, None, Some("move")),
];

const fn counted(table: Table, level: Option<&'static str>, only: Option<&'static str>) -> Counted {
    let table = table.name();
    Counted { table, level, only }
}

/// Adds the engines that obook knows to table `engines`. Numbers and names that stand there stay.
fn name_engines(connection: &Connection) -> rusqlite::Result<()> {
    let known = "SELECT 1 FROM engines WHERE engine = ?1 OR engine < 256 AND name = ?2";
    let mut known = connection.prepare_cached(known)?;
    for engine in Engine::ALL {
        let row = (engine.number(), engine.name());
        if !known.exists(row)? {
            connection.execute("INSERT INTO engines (engine, name) VALUES (?, ?)", row)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BookHeader, Context, Error, IfExists, NewBook, Store, StoreError};
    use obook_othello::RuleSet;
    use obook_store::restore;
    use std::path::Path;

    fn make(path: &Path) {
        let new = NewBook::create(path, IfExists::Refuse, &Context::default()).unwrap();
        new.set_header(&BookHeader::new(RuleSet::Edax)).unwrap();
        new.commit(&()).unwrap();
    }

    /// Law (Changes): A new engine needs no migration: opening for writing adds its name, and unknown ones stay.
    #[test]
    fn a_new_engine_is_named_when_a_database_is_opened_for_writing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.obook");
        make(&path);
        let connection = Connection::open(&path).unwrap();
        let rows = "DELETE FROM engines WHERE engine > 5;
                    INSERT INTO engines VALUES (200, 'later')";
        connection.execute_batch(rows).unwrap();
        drop(connection);
        let context = Context::default();
        let engines = |store: &Store| -> Vec<(i64, String)> {
            let sql = "SELECT engine, name FROM engines ORDER BY engine";
            let mut select = store.connection().prepare(sql).unwrap();
            let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
            rows.unwrap().collect::<rusqlite::Result<_>>().unwrap()
        };
        let read = Store::open(&path, &context).unwrap();
        assert_eq!(engines(&read).len(), 6, "reading changes nothing");
        drop(read);
        let store = Store::open_for_writing(&path, &context).unwrap();
        let known = Engine::ALL.map(|engine| (engine.number(), engine.name().to_owned()));
        let later = (200, String::from("later"));
        assert_eq!(engines(&store), [&known[..], &[later]].concat());
    }

    /// The schema of Othello after two more versions.
    static LATER: Schema = {
        let mut schema = Schema::new(
            APPLICATION_ID,
            include_str!("../../schema.sql"),
            obook_sql::extension::register,
        );
        schema.rows = name_engines;
        schema.counted = &COUNTED;
        schema.migrations = &[
            "ALTER TABLE todo ADD COLUMN asked TEXT; UPDATE todo SET asked = 'long ago';",
            "CREATE TABLE notes (board BLOB PRIMARY KEY NOT NULL, note TEXT) STRICT, WITHOUT ROWID;",
        ];
        schema
    };

    /// Law (Changes): A released version's database is migrated when opened for writing; one from before the first release is
    /// refused.
    #[test]
    fn a_database_of_a_released_version_is_migrated_when_it_is_opened_for_writing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.obook");
        make(&path);
        let connection = Connection::open(&path).unwrap();
        let rows = "INSERT INTO todo (board, reason) VALUES (zeroblob(16), 'leaf')";
        connection.execute_batch(rows).unwrap();
        drop(connection);
        let context = Context::default();
        let refused = obook_store::Store::open(&LATER, &path, &context).unwrap_err();
        assert!(
            matches!(refused, StoreError::Outdated { found: 10, .. }),
            "{refused}"
        );
        let snapshot = folder.path().join("book.zst");
        let saved = Store::open(&path, &context).unwrap();
        saved.save_snapshot(&snapshot, 3, IfExists::Refuse).unwrap();
        drop(saved);
        let restored = folder.path().join("restored.obook");
        restore(&LATER, &snapshot, &restored, IfExists::Refuse, &context).unwrap();
        obook_store::Store::open(&LATER, &restored, &context).unwrap();
        let store = obook_store::Store::open_for_writing(&LATER, &path, &context).unwrap();
        let asked: (String, i64, i64) = store
            .connection()
            .query_row(
                "SELECT asked, schema_version, (SELECT count(*) FROM notes) FROM todo, book",
                [],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
            )
            .unwrap();
        assert_eq!(asked, (String::from("long ago"), 12, 0));
        drop(store);
        obook_store::Store::open(&LATER, &path, &context).unwrap();
        let newer = Store::open_for_writing(&path, &context).unwrap_err();
        assert!(
            matches!(newer, Error::Store(StoreError::Newer { found: 12, .. })),
            "{newer}"
        );
        let connection = Connection::open(&path).unwrap();
        connection.pragma_update(None, "user_version", 9).unwrap();
        drop(connection);
        let unreleased = Store::open_for_writing(&path, &context).unwrap_err();
        assert!(
            matches!(
                unreleased,
                Error::Store(StoreError::Unreleased { found: 9, .. })
            ),
            "{unreleased}"
        );
    }
}
