//! Undo restores what the change overwrote, and nothing that another program wrote since.

use super::support::{book, change, open, texts};
use obook::{Store, TableChange};
use obook_othello::{Board, Engine, Leaf, Link, Move, Position};
use obook_sql::rows::Table;
use rusqlite::Connection;
use std::path::Path;

const NOTES: &str = "SELECT id || text || ifnull(more, '-') FROM notes ORDER BY id";

/// A book with notes, and a change of them.
fn changed(sql: &str) -> (tempfile::TempDir, std::path::PathBuf, Store) {
    let (folder, path) = book();
    let mut store = open(&path);
    change(
        &mut store,
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, text, more);
         INSERT INTO notes VALUES (1, 'a', NULL), (2, 'b', NULL), (3, 'c', 1.5), (9, 'z', x'00')",
    );
    change(&mut store, sql);
    (folder, path, store)
}

/// Writes with another program.
fn other(path: &Path, sql: &str) {
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn a_change_is_undone_only_if_it_is_the_last() {
    let (_folder, path, mut store) = changed("DELETE FROM notes WHERE id = 3");
    let shown = store.history().unwrap().last().unwrap().id;
    change(&mut open(&path), "DELETE FROM notes WHERE id = 1");
    let before = texts(&store, NOTES);
    for stale in [shown, shown + 2, 0] {
        assert_eq!(store.undo_if_last(stale).unwrap(), None, "{stale}");
    }
    assert_eq!(texts(&store, NOTES), before);
    let undone = |store: &mut Store, id| store.undo_if_last(id).unwrap().map(|step| step.id);
    assert_eq!(undone(&mut store, shown + 1), Some(shown + 1));
    // What was undone is no longer in effect.
    assert_eq!(undone(&mut store, shown + 1), None);
    assert_eq!(undone(&mut store, shown), Some(shown));
}

const CHANGE: &str =
    "UPDATE notes SET text = text || 'x' WHERE id < 3; DELETE FROM notes WHERE id = 3;
     INSERT INTO notes VALUES (4, 'd', 7), (5, 'e', 'text')";

/// Law (Changes): `undo` and `redo` overwrite nothing that another program wrote
/// ([exceptions](history.md#what-undo-restores)).
/// Also: `what_another_program_wrote_elsewhere_stays` `a_change_in_parts_is_compared_as_a_whole`
/// `a_table_that_was_written_as_a_whole_is_compared_too`
#[test]
fn what_another_program_wrote_is_not_overwritten() {
    for sql in [
        "UPDATE notes SET text = 'mine' WHERE id = 1",
        "UPDATE notes SET more = 0 WHERE id = 2",
        "UPDATE notes SET more = 8 WHERE id = 4",
        "UPDATE notes SET more = x'74657874' WHERE id = 5",
        "UPDATE notes SET more = NULL WHERE id = 5",
        "UPDATE notes SET more = CASE id WHEN 4 THEN 'text' ELSE 7 END WHERE id IN (4, 5)",
        "DELETE FROM notes WHERE id = 4",
        "INSERT INTO notes VALUES (3, 'c', 1.5)",
    ] {
        let (_folder, path, mut store) = changed(CHANGE);
        other(&path, sql);
        let before = texts(&store, NOTES);
        let refused = store.undo().unwrap_err().to_string();
        assert!(
            refused.contains("another program has changed rows of table notes"),
            "{refused}"
        );
        assert_eq!(texts(&store, NOTES), before, "{sql}");
    }
}

/// Opening a book for writing names the engines that obook knows, and the history doesn't know of that.
#[test]
fn removed_names_of_known_engines_come_back_in_the_same_change() {
    let (_folder, path) = book();
    let engines = || {
        texts(
            &open(&path),
            "SELECT engine || name FROM engines ORDER BY engine",
        )
    };
    let before = engines();
    for sql in [
        "DELETE FROM engines WHERE engine = 7",
        "DELETE FROM engines",
        "UPDATE engines SET engine = 300 WHERE engine = 2",
    ] {
        change(&mut open(&path), sql);
        let after = engines();
        open(&path).undo().unwrap();
        assert_eq!(engines(), before, "{sql}");
        open(&path).redo().unwrap();
        assert_eq!(engines(), after, "{sql}");
        open(&path).undo().unwrap();
        assert_eq!(engines(), before, "{sql}");
    }
}

#[test]
fn what_another_program_wrote_elsewhere_stays() {
    let (_folder, path, mut store) = changed(CHANGE);
    other(
        &path,
        "ALTER TABLE notes ADD COLUMN new; UPDATE notes SET text = 'mine' WHERE id = 9; INSERT INTO notes VALUES (10, 'k', 1, 2)",
    );
    store.undo().unwrap();
    assert_eq!(
        texts(&store, NOTES).concat(),
        ["1a-2b-3c1.5", "9mine\0", "10k1"].concat()
    );
    // Written, and written back.
    other(
        &path,
        "UPDATE notes SET text = 'q' WHERE id = 1; UPDATE notes SET text = 'a' WHERE id = 1",
    );
    store.redo().unwrap();
    assert_eq!(
        texts(&store, NOTES).concat(),
        ["1ax-2bx-4d75etext9mine\0", "10k1"].concat()
    );
    other(&path, "UPDATE notes SET text = 'q' WHERE id = 1");
    store.undo().unwrap_err();
}

#[test]
fn a_change_in_parts_is_compared_as_a_whole() {
    let (_folder, path, mut store) = changed("UPDATE notes SET text = 'A' WHERE id = 1");
    let mut last = None;
    for sql in [
        "UPDATE notes SET text = 'B' WHERE id < 3",
        "UPDATE notes SET text = 'C' WHERE id = 2; DELETE FROM notes WHERE id = 1",
        "INSERT INTO notes VALUES (1, 'D', 1)",
    ] {
        let part = store.continue_change(last).unwrap();
        part.connection().execute_batch(sql).unwrap();
        last = part.commit(&()).unwrap();
    }
    other(&path, "UPDATE notes SET text = 'mine' WHERE id = 2");
    store.undo().unwrap_err();
    other(&path, "UPDATE notes SET text = 'C' WHERE id = 2");
    store.undo().unwrap();
    assert_eq!(texts(&store, NOTES).concat(), "1A-2b-3c1.59z\0");
}

/// The book's rows in another order of moves and with other numbers, written as a whole.
fn rewrite(store: &mut Store, score: i8, later: &str) {
    let mut position = Position::new(Board::START.canonical(), Engine::Edax);
    let moves = [19, 26].map(|code| Move::from_code(code).unwrap());
    position.links.push(Link {
        mv: moves[0],
        score: Some(score),
    });
    position.value = Some(score.into());
    position.set_leaf(Leaf {
        mv: Some(moves[1]),
        score,
        level: Some(3),
        engine: Engine::Edax,
    });
    let count = TableChange {
        changed: 1,
        all: 1,
        derived: false,
    };
    let change = store.change().unwrap();
    for table in Table::ALL {
        let mut rows = std::iter::once(Ok(position.clone()));
        change.replace_rows(table, count, &mut rows).unwrap();
    }
    change.connection().execute_batch(later).unwrap();
    change.commit(&()).unwrap();
}

const BOOK: &str = "SELECT 'p' || ifnull(value, '-') || ifnull(level, '-') FROM positions
    UNION ALL SELECT 'l' || move || score FROM links UNION ALL SELECT 'f' || move || score || level FROM leaves ORDER BY 1";

#[test]
fn a_table_that_was_written_as_a_whole_is_compared_too() {
    for later in [
        "",
        "UPDATE leaves SET score = 7; UPDATE positions SET value = 5",
    ] {
        for sql in [
            "UPDATE positions SET lower = -3, upper = 3",
            "UPDATE links SET score = score + 2",
            "DELETE FROM links",
            "UPDATE leaves SET level = NULL",
            "INSERT INTO links VALUES (zeroblob(16), 3, 3)",
        ] {
            let (_folder, path) = book();
            let mut store = open(&path);
            rewrite(&mut store, 2, "");
            let first = texts(&store, BOOK);
            rewrite(&mut store, 4, later);
            let second = texts(&store, BOOK);
            other(&path, &format!("CREATE TABLE aside AS SELECT 1; {sql}"));
            let refused = store.undo().unwrap_err().to_string();
            assert!(refused.contains("another program has changed"), "{refused}");
            // Without that it works.
            let (_folder, path) = book();
            let mut store = open(&path);
            rewrite(&mut store, 2, "");
            rewrite(&mut store, 4, later);
            other(&path, "CREATE TABLE aside AS SELECT 1");
            store.undo().unwrap();
            assert_eq!(texts(&store, BOOK), first);
            store.redo().unwrap();
            assert_eq!(texts(&store, BOOK), second);
            other(&path, sql);
            store.undo().unwrap_err();
            assert!(!second.is_empty());
        }
    }
}

/// A table that was made and filled in one change is empty again, and the counters of AUTOINCREMENT are what they were.
#[test]
fn new_tables_and_counters_are_restored() {
    let (_folder, path) = book();
    let mut store = open(&path);
    let counters = "SELECT name || seq FROM sqlite_sequence ORDER BY name";
    let made = "CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT, text); INSERT INTO a (text) VALUES ('x'), ('y')";
    change(&mut store, made);
    assert_eq!(texts(&store, counters), ["a2"]);
    store.undo().unwrap();
    assert_eq!(texts(&store, "SELECT text FROM a").len(), 0);
    assert_eq!(texts(&store, counters).len(), 0);
    store.redo().unwrap();
    assert_eq!(texts(&store, "SELECT id || text FROM a"), ["1x", "2y"]);
    assert_eq!(texts(&store, counters), ["a2"]);
    change(
        &mut store,
        "INSERT INTO a (text) VALUES ('z'); DELETE FROM a WHERE id = 1",
    );
    assert_eq!(texts(&store, counters), ["a3"]);
    store.undo().unwrap();
    assert_eq!(texts(&store, counters), ["a2"]);
    assert_eq!(texts(&store, "SELECT id || text FROM a"), ["1x", "2y"]);
    other(&path, "INSERT INTO a (text) VALUES ('mine')");
    store.undo().unwrap_err();
    assert_eq!(
        texts(&store, "SELECT id || text FROM a"),
        ["1x", "2y", "3mine"]
    );
}

#[test]
fn undo_names_what_it_does_not_restore() {
    let (_folder, _path, mut store) = changed(CHANGE);
    assert_eq!(store.undo().unwrap().not_restored.len(), 0);
    change(
        &mut store,
        "CREATE VIRTUAL TABLE found USING fts5 (text); CREATE VIRTUAL TABLE area USING rtree (id, x0, x1)",
    );
    change(
        &mut store,
        "INSERT INTO found VALUES ('word'); UPDATE notes SET text = 'A' WHERE id = 1",
    );
    assert_eq!(store.undo().unwrap().not_restored, ["area", "found"]);
    assert_eq!(texts(&store, "SELECT text FROM found"), ["word"]);
    assert_eq!(texts(&store, NOTES).concat(), "1a-2b-3c1.59z\0");
}
