//! Books with malicious schemas.

use crate::support::program::{arg, complaint, json, stdout};
use crate::support::report::GAMES;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A book on whose database this SQL was run.
fn book(sql: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.obook");
    stdout(["import", GAMES, "--book", arg(&path)]);
    let connection = Connection::open(&path).unwrap();
    obook_sql::extension::register(&connection).unwrap();
    connection.execute_batch(sql).unwrap();
    (folder, path)
}

fn count(path: &Path, table: &str) -> i64 {
    let connection = Connection::open(path).unwrap();
    let sql = format!("SELECT count(*) FROM {table}");
    connection.query_row(&sql, [], |row| row.get(0)).unwrap()
}

/// Law (Crashes, untrusted books, concurrency): A stranger's schema, triggers and views do no harm.
/// Also: `triggers_of_a_book_do_not_run_during_commands` `tests/store/extension/tables.rs`
/// `a_table_notices_that_it_is_inside_itself`
#[test]
fn views_in_place_of_tables_are_refused() {
    for (sql, problem) in [
        (
            "ALTER TABLE positions RENAME TO p2;
             CREATE VIEW positions AS SELECT * FROM p2 WHERE EXISTS (SELECT 1 FROM moves('f5d6'))",
            "positions isn't a table",
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
                // Exit status 1 means something else here.
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
fn triggers_of_a_book_do_not_run_during_commands() {
    let (_folder, path) = book(
        "CREATE TABLE mine (x);
         CREATE TRIGGER spoil AFTER INSERT ON history BEGIN DELETE FROM leaves; END;
         CREATE TRIGGER note AFTER UPDATE ON positions BEGIN INSERT INTO mine VALUES (NEW.board); END",
    );
    let leaves = count(&path, "leaves");
    stdout(["negamax", arg(&path), "--rules", "egaroucid"]);
    assert_eq!((count(&path, "leaves"), count(&path, "mine")), (leaves, 0));
    // SQL typed by hand runs them.
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
    // Two pages of a table are swapped.
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

/// Text that would control a terminal.
const COMMANDS: [char; 5] = ['\u{1b}', '\u{9b}', '\u{7f}', '\u{202e}', '\u{2066}'];

/// Law (Crashes, untrusted books, concurrency): Text from a book never controls a terminal or breaks CSV or TSV; errors are
/// short and quote no file.
/// Also: `cli/tests/program/query.rs` `separated_values_contain_no_control_characters`
/// `infinity_is_the_same_in_every_format` `tests/store/extension/files.rs` `errors_do_not_depend_on_what_is_no_book`
/// `tests/store/extension/functions.rs` `long_texts_are_refused`
#[test]
fn nothing_from_a_book_controls_the_terminal() {
    let (folder, path) = book("");
    let connection = Connection::open(&path).unwrap();
    let evil = "\u{1b}]0;owned\u{7}\u{9b}2J\u{7f}\u{202e}\u{2066}";
    connection
        .execute("UPDATE book SET format = ?", [evil])
        .unwrap();
    connection
        .execute("UPDATE history SET command = ?", [evil])
        .unwrap();
    connection
        .execute_batch(&format!(
            "CREATE TABLE \"{evil}\" (\"{evil}\"); UPDATE book SET version = NULL"
        ))
        .unwrap();
    drop(connection);
    let evil_file = folder.path().join(format!("{evil}.dat"));
    std::fs::copy(GAMES, &evil_file).unwrap();
    let evil_book = folder.path().join(format!("{evil}.obook"));
    let none = folder.path().join(format!("{evil}none"));
    let piped = |script: &str| crate::support::program::piped(["shell", arg(&path)], script);
    let of = |words: &[&str]| crate::support::program::obook(words);
    for (what, output) in [
        ("info", of(&["info", arg(&path)])),
        ("history", of(&["history", arg(&path)])),
        (
            "import",
            of(&["import", arg(&evil_file), "--book", arg(&evil_book)]),
        ),
        ("info none", of(&["info", arg(&none)])),
        ("verify", of(&["verify", arg(&evil_file)])),
        ("diff", of(&["diff", arg(&evil_file), arg(&evil_book)])),
        (
            "query",
            of(&["query", arg(&path), "SELECT format FROM book"]),
        ),
        (
            "columns",
            of(&["query", arg(&path), &format!("SELECT * FROM \"{evil}\"")]),
        ),
        (
            "markdown",
            of(&[
                "query",
                arg(&path),
                "SELECT command FROM history",
                "--format",
                "markdown",
            ]),
        ),
        ("schema", piped(".schema\n")),
        ("tables", piped(".tables\n")),
    ] {
        for words in [output.stdout, output.stderr] {
            let words = String::from_utf8(words).unwrap();
            assert!(!words.contains(COMMANDS), "{what}: {words:?}");
        }
    }
    // JSON has escapes of its own, so data is not changed there.
    let rows = json(["query", arg(&path), "SELECT format FROM book", "--json"]);
    assert_eq!(rows[0]["format"], evil);
}
