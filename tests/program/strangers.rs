//! Books whose schema is meant to do harm.

use crate::support::program::{arg, complaint, stdout};
use crate::support::report::GAMES;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A book to whose database this was done.
fn book(sql: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.obook");
    stdout(["import", GAMES, "--book", arg(&path)]);
    let connection = Connection::open(&path).unwrap();
    obook_extension::register(&connection).unwrap();
    connection.execute_batch(sql).unwrap();
    (folder, path)
}

fn count(path: &Path, table: &str) -> i64 {
    let connection = Connection::open(path).unwrap();
    let sql = format!("SELECT count(*) FROM {table}");
    connection.query_row(&sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn what_only_bears_the_name_of_a_table_is_refused() {
    for (sql, problem) in [
        (
            "ALTER TABLE positions RENAME TO p2;
             CREATE VIEW positions AS SELECT * FROM p2 WHERE EXISTS (SELECT 1 FROM moves('f5d6'))",
            "positions is no table",
        ),
        (
            "ALTER TABLE leaves ADD COLUMN more INTEGER AS (score + 1)",
            "column more of table leaves is generated",
        ),
        (
            "ALTER TABLE accuracy RENAME TO old;
             CREATE TABLE accuracy (board BLOB PRIMARY KEY NOT NULL, grade TEXT NOT NULL) WITHOUT ROWID",
            "table accuracy is not declared as in a book",
        ),
        (
            "ALTER TABLE sources RENAME COLUMN format TO other",
            "column format of table sources is not declared as in a book",
        ),
    ] {
        let (folder, path) = book(sql);
        let dat = folder.path().join("book.dat");
        for command in [
            ["info", arg(&path)].as_slice(),
            &["show", arg(&path)],
            &["verify", arg(&path)],
            &["fix", arg(&path)],
            &["query", arg(&path), "SELECT * FROM positions"],
            &["export", arg(&path), arg(&dat)],
        ] {
            let said = match command[0] {
                // Its exit status 1 means something else.
                "verify" => {
                    let output = crate::support::program::obook(command);
                    String::from_utf8(output.stderr).unwrap()
                }
                _ => complaint(command, &path),
            };
            assert!(said.contains(problem), "{command:?}: {said}");
            assert!(said.contains("`obook restore`"), "{said}");
        }
    }
}

#[test]
fn triggers_of_a_book_sleep_while_a_command_changes_it() {
    let (_folder, path) = book(
        "CREATE TABLE mine (x);
         CREATE TRIGGER spoil AFTER INSERT ON history BEGIN DELETE FROM leaves; END;
         CREATE TRIGGER note AFTER UPDATE ON positions BEGIN INSERT INTO mine VALUES (NEW.board); END",
    );
    let leaves = count(&path, "leaves");
    stdout(["negamax", arg(&path), "--rules", "egaroucid"]);
    assert_eq!((count(&path, "leaves"), count(&path, "mine")), (leaves, 0));
    // SQL that is typed by hand wakes them.
    let sql = "UPDATE positions SET value = 3 WHERE empties = 60";
    stdout(["query", arg(&path), "--write", sql]);
    assert_eq!(count(&path, "mine"), 1);
}

#[test]
fn a_damaged_book_does_not_take_the_place_of_a_good_snapshot() {
    let (folder, path) = book("");
    let snapshot = folder.path().join("book.zst");
    stdout(["snapshot", arg(&path), arg(&snapshot)]);
    let good = std::fs::read(&snapshot).unwrap();
    // Two pages of a table change places.
    let pages = {
        let connection = Connection::open(&path).unwrap();
        connection
            .pragma_update(None, "journal_mode", "delete")
            .unwrap();
        let sql = "SELECT min(pageno), max(pageno) FROM dbstat WHERE name = 'links' AND pagetype = 'leaf'";
        let found: rusqlite::Result<(u32, u32)> =
            connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)));
        found.unwrap()
    };
    let mut bytes = std::fs::read(&path).unwrap();
    let size = 4096;
    let at = |page: u32| (page as usize - 1) * size..page as usize * size;
    let (one, other) = (bytes[at(pages.0)].to_vec(), bytes[at(pages.1)].to_vec());
    bytes[at(pages.0)].copy_from_slice(&other);
    bytes[at(pages.1)].copy_from_slice(&one);
    std::fs::write(&path, bytes).unwrap();
    let said = complaint(["snapshot", arg(&path), arg(&snapshot), "--force"], &path);
    assert!(said.contains("a damaged database"), "{said}");
    assert!(std::fs::read(&snapshot).unwrap() == good);
}
