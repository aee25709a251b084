//! `obook link`, `negamax` and `fix` on databases of golden books.

use crate::support::program::{arg, assert_sound, complaint, games_database, json, stdout};
use crate::support::report::{GAMES, Report};
use obook::{Context, Store};
use obook_needs::needs;
use obook_othello::{Board, CanonicalBoard, Move};
use obook_testing::book_rows::{Rows, rows};
use obook_testing::golden::{egaroucid_table, golden};
use rusqlite::Connection;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Spoils every number that can be derived, and removes the links.
const WIPE: &str = "UPDATE positions SET value = -7, lower = 60, upper = -60, wins = 1, draws = 2, losses = 3, lines = 4;
                    DELETE FROM links;";

struct Book {
    folder: TempDir,
    path: PathBuf,
}

impl Book {
    fn of(file: &Path) -> Book {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.obook");
        stdout(["import", arg(file), "--book", arg(&path)]);
        Book { folder, path }
    }

    fn sql(&self, sql: &str) {
        let connection = Connection::open(&self.path).unwrap();
        connection.execute_batch(sql).unwrap();
    }

    fn rows(&self) -> Rows {
        rows(&self.path)
    }

    /// Fixing again changes nothing: no row, and no byte of the file.
    fn assert_fixed(&self) {
        let (rows, bytes) = (self.rows(), std::fs::read(&self.path).unwrap());
        let again = json(["fix", arg(&self.path), "--json"]);
        let none = json!({"any": 0, "positions": 0, "links": 0, "leaves": 0});
        assert_eq!(again["changed"], none);
        assert_eq!(again["repaired"], json!([]));
        assert_eq!(self.rows(), rows);
        assert_eq!(std::fs::read(&self.path).unwrap(), bytes);
    }
}

fn games() -> Book {
    Book::of(Path::new(GAMES))
}

fn comes_back(name: &str) {
    let golden = golden(name);
    let book = Book::of(&golden);
    let before = book.rows();
    book.sql(WIPE);
    let fixed = json(["fix", arg(&book.path), "--json"]);
    assert_eq!(fixed["link"]["added"], before["links"].len(), "{name}");
    assert_eq!(fixed["changed"]["positions"], fixed["positions"], "{name}");
    assert_eq!(fixed["todo"], 0, "{name}");
    let after = book.rows();
    for table in ["positions", "links", "leaves", "todo"] {
        assert_eq!(before[table], after[table], "{name}: {table}");
    }
    stdout(["diff", arg(&golden), arg(&book.path)]);
    let exported = book.folder.path().join("back.dat");
    stdout(["export", arg(&book.path), arg(&exported)]);
    stdout(["diff", arg(&golden), arg(&exported)]);
    book.assert_fixed();
}

#[test]
fn small() {
    comes_back("small.dat");
}

#[test]
fn games_of_a_transcript() {
    comes_back("games.dat");
}

#[needs(large_books)]
#[test]
fn deviate() {
    comes_back("edax/deviate.dat");
}

#[test]
fn cuts() {
    comes_back("edax/small.prune.dat");
    comes_back("edax/games.prune.dat");
    comes_back("edax/small.subtree_f5d6c4.dat");
    comes_back("edax/deviate.depth9.prune.dat");
}

/// Imports a mixed book, spoils its numbers, computes it by these rules, and compares with what the engine wrote.
/// `start` is the start position's value if Egaroucid, which always registers a leaf d3 of 0 for it, has another
/// one: here d3 is a link. The tables hold no pass positions.
fn equals_table(name: &str, rules: &str, table: &str, start: Option<i16>) {
    let mixed = golden(&format!("egaroucid/{name}.mixed.egbk3"));
    let expected = egaroucid_table(&format!("egaroucid/{name}.mixed.{table}.tsv"));
    let book = Book::of(&mixed);
    // The value of a position without children comes from a search.
    book.sql(
        "UPDATE positions SET lines = 7777777;
         UPDATE positions SET value = -55 WHERE board IN (SELECT board FROM links);
         UPDATE links SET score = 11;",
    );
    let report = json(["negamax", arg(&book.path), "--rules", rules, "--json"]);
    assert_eq!(report["rules"], rules);
    let connection = Connection::open(&book.path).unwrap();
    let now: String = connection
        .query_row("SELECT rules FROM book", [], |row| row.get(0))
        .unwrap();
    assert_eq!(now, rules, "the next fix goes by the same rules");
    let mut select = connection
        .prepare("SELECT board, value, level, lines FROM positions")
        .unwrap();
    let row = |row: &rusqlite::Row<'_>| {
        let numbers: (i16, u8, u32) = (row.get(1)?, row.get(2)?, row.get(3)?);
        Ok((row.get::<_, [u8; 16]>(0)?, numbers))
    };
    let rows = select.query_map([], row).unwrap().map(Result::unwrap);
    let mut found: BTreeMap<CanonicalBoard, _> = rows
        .map(|(key, row)| (CanonicalBoard::from_key(key).unwrap().unwrap(), row))
        .collect();
    found.retain(|board, _| !board.board().must_pass());
    assert_eq!(found.len(), expected.len());
    for row in expected {
        let is_start = row.board == Board::START.canonical();
        let value = start.filter(|_| is_start).unwrap_or(row.value);
        let expected = (value, row.level, row.lines);
        assert_eq!(found[&row.board], expected, "{name}: {:?}", row.board);
    }
}

#[test]
fn egaroucid_fix() {
    equals_table("games", "egaroucid", "fix", None);
}

#[test]
fn egaroucid_lines() {
    equals_table("games", "egaroucid-edax", "fixedax.nlines", None);
}

#[needs(large_books)]
#[test]
fn egaroucid_edax_fix() {
    equals_table("games", "egaroucid-edax", "fixedax", None);
}

#[needs(large_books)]
#[test]
fn egaroucid_on_a_larger_book() {
    equals_table("small", "egaroucid", "fix", None);
    equals_table("small", "egaroucid-edax", "fixedax", Some(-1));
    equals_table("small", "egaroucid-edax", "fixedax.nlines", Some(-1));
}

/// Every kind of damage at once.
const DAMAGE: &str = "
    INSERT INTO links VALUES (zeroblob(16), 5, 0), (x'0102', 5, 0);
    INSERT INTO leaves VALUES (randomblob(16), 5, 0, 1, 1);
    INSERT INTO positions (board, empties, engine) VALUES (zeroblob(16), 64, 1);
    UPDATE positions SET empties = 59 WHERE board = (SELECT max(board) FROM positions);
    UPDATE positions SET value = 1000, lines = -1, lower = NULL WHERE board = (SELECT max(board) FROM links);
    INSERT INTO links SELECT board, 0, 0 FROM positions WHERE empties = 60;
    INSERT INTO links SELECT board, 64, 0 FROM positions WHERE empties = 60;
    UPDATE leaves SET engine = 0 WHERE board = (SELECT min(board) FROM leaves);
    DELETE FROM links WHERE board = (SELECT board FROM links LIMIT 1 OFFSET 99);";

#[test]
fn a_damaged_book_is_mended_in_one_go() {
    let book = games();
    let before = book.rows();
    book.sql(DAMAGE);
    assert_eq!(Report::of(&book.path).status, 1);
    let fixed = json(["fix", arg(&book.path), "--json"]);
    let groups = fixed["repaired"].as_array().unwrap();
    let kinds: Vec<&str> = groups
        .iter()
        .map(|it| it["kind"].as_str().unwrap())
        .collect();
    let expected = [
        "key",
        "empty-centre",
        "orphan",
        "empties",
        "engine",
        "out-of-range",
        "half",
        "illegal-move",
    ];
    assert_eq!(kinds, expected);
    assert_eq!(book.rows(), before, "as if nothing had happened");
    let report = Report::of(&book.path);
    assert_eq!((report.status, report.counts.len()), (0, 0));
    book.assert_fixed();
}

#[test]
fn verify_and_fix_mend_alike() {
    let [one, other] = [games(), games()];
    for book in [&one, &other] {
        book.sql(DAMAGE);
        book.sql("UPDATE book SET fixed = NULL");
    }
    let mended = json(["verify", arg(&one.path), "--fix-what-is-safe", "--json"]);
    let fixed = json(["fix", arg(&other.path), "--json"]);
    assert_eq!(mended["changed"], fixed["changed"]["any"]);
    assert_eq!(one.rows(), other.rows());
    for book in [&one, &other] {
        assert!(
            Store::open(&book.path, &Context::default())
                .unwrap()
                .is_fixed()
                .unwrap()
        );
    }
}

#[test]
fn link_and_negamax_name_a_row_that_makes_no_sense() {
    for command in ["link", "negamax"] {
        let book = games();
        book.sql("UPDATE positions SET engine = 0 WHERE empties = 60");
        let before = book.rows();
        let said = complaint([command, arg(&book.path)], &book.path);
        assert!(said.contains("`obook fix` repairs"), "{said}");
        assert_eq!(book.rows(), before);
    }
}

/// Removes links, turns one of them into a leaf, and turns two illegal moves into links.
#[test]
fn link_alone_brings_all_links_back() {
    let book = games();
    let before = book.rows();
    book.sql(
        "INSERT INTO leaves SELECT board, move, score, 2, 1 FROM links
             WHERE board = (SELECT board FROM positions WHERE empties = 60) ORDER BY move LIMIT 1;
         DELETE FROM links;
         INSERT INTO links SELECT board, column1, 3 FROM positions, (VALUES (0), (64)) WHERE empties = 60;",
    );
    let report = json(["link", arg(&book.path), "--json"]);
    let links = before["links"].len();
    let expected = json!({"added": links, "removed": 2, "leaves_dropped": 1});
    assert_eq!(report["link"], expected);
    assert_eq!(book.rows(), before);
}

/// Law (Changes): `fix` writes only what changes; what it leaves needs a search or a person.
/// Also: `verify_and_fix_mend_alike` `cli/tests/fuzzed/replay.rs` `rows`
#[test]
fn only_what_changes_is_written() {
    let book = games();
    book.sql(
        "UPDATE positions SET value = value + 1 WHERE empties = 60;
         UPDATE links SET score = score - 1 WHERE board = (SELECT board FROM positions WHERE empties = 60)",
    );
    let fixed = json(["fix", arg(&book.path), "--json"]);
    let expected = json!({"any": 1, "positions": 1, "links": 1, "leaves": 0});
    assert_eq!(fixed["changed"], expected);
    // The log of the change: the position and its links, each deleted and inserted. The header doesn't count.
    let undone = json(["undo", arg(&book.path), "--json"]);
    assert_eq!(undone["rows"], 2 * (1 + 4));
}

#[test]
fn todo_lists_positions_without_a_needed_leaf() {
    let book = games();
    book.sql("DELETE FROM leaves WHERE board IN (SELECT board FROM leaves WHERE move IS NOT NULL LIMIT 100)");
    let fixed = json(["fix", arg(&book.path), "--json"]);
    let connection = Connection::open(&book.path).unwrap();
    let keys = |sql: &str| -> Vec<[u8; 16]> {
        let mut select = connection.prepare(sql).unwrap();
        let keys = select.query_map([], |row| row.get(0)).unwrap();
        keys.map(Result::unwrap).collect()
    };
    let todo = keys("SELECT board FROM todo WHERE reason = 'leaf' ORDER BY board");
    let moves = |sql: &str, key: &[u8; 16]| -> Vec<u8> {
        let mut select = connection.prepare(sql).unwrap();
        let codes = select.query_map([key], |row| row.get(0)).unwrap();
        codes.map(Result::unwrap).collect()
    };
    let mut lacking = keys("SELECT board FROM positions ORDER BY board");
    lacking.retain(|key| {
        let board = CanonicalBoard::from_key(*key).unwrap().unwrap().board();
        let links = moves("SELECT move FROM links WHERE board = ?", key);
        let is_link = |mv: Move| links.contains(&mv.code());
        keys("SELECT board FROM leaves").binary_search(key).is_err()
            && board.moves().any(|mv| !is_link(mv))
    });
    assert_eq!(todo, lacking);
    assert_eq!(
        (fixed["todo"].as_u64(), todo.is_empty()),
        (Some(todo.len() as u64), false)
    );
    let text = stdout(["fix", arg(&book.path)]);
    assert!(
        text.contains("need a search for their leaf: see table todo"),
        "{text}"
    );
}

#[test]
fn a_book_file_is_refused() {
    for command in ["link", "negamax", "fix"] {
        let said = complaint([command, GAMES], Path::new(GAMES));
        assert!(
            said.contains("import it into a database with `obook import`"),
            "{said}"
        );
    }
}

#[test]
fn a_failure_midway_changes_nothing() {
    for (table, row) in [
        ("positions", "empties = 60 AND lines <> 4"),
        ("links", "move > 0"),
    ] {
        let book = games();
        book.sql(WIPE);
        // An index into which such a row can't go.
        book.sql(&format!(
            "CREATE INDEX refuse ON {table} (abs(-9223372036854775807 - ({row})))"
        ));
        let before = book.rows();
        let said = complaint(["fix", arg(&book.path), "--rules", "egaroucid"], &book.path);
        assert!(said.contains("integer overflow"), "{said}");
        assert_eq!(book.rows(), before, "{table}");
    }
}

/// Numbers and scores are overwritten in place, even with additional indexes, rows and triggers.
#[test]
fn scores_come_back_into_the_rows_that_are_there() {
    let wipe = "UPDATE positions SET value = NULL, lower = -7, upper = 7, wins = NULL, draws = 5, losses = NULL, lines = NULL;
                UPDATE links SET score = 3;";
    for extra in [
        "",
        "CREATE INDEX covering ON links (score, move, board); CREATE INDEX numbers ON positions (value);",
        "INSERT INTO links VALUES (zeroblob(16), 19, 5);",
        "CREATE TRIGGER watch BEFORE UPDATE ON links WHEN new.score > 64 BEGIN SELECT RAISE(ABORT, 'no score'); END;",
    ] {
        for command in ["negamax", "fix"] {
            let book = games();
            let before = book.rows();
            book.sql(&format!("{wipe}{extra}"));
            let wiped = book.rows();
            stdout([command, arg(&book.path)]);
            assert_eq!(book.rows(), before, "{command}, {extra}");
            stdout(["undo", arg(&book.path)]);
            assert_eq!(book.rows(), wiped, "{command}, {extra}");
        }
    }
}

#[test]
fn a_second_writer_waits() {
    let book = games();
    let before = book.rows();
    book.sql(WIPE);
    let writer = Connection::open(&book.path).unwrap();
    writer
        .execute_batch("BEGIN IMMEDIATE; UPDATE book SET level = 1")
        .unwrap();
    let path = book.path.clone();
    let waiting = std::thread::spawn(move || stdout(["fix", arg(&path)]));
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(!waiting.is_finished(), "the other writer is still at it");
    writer.execute_batch("ROLLBACK").unwrap();
    waiting.join().unwrap();
    assert_eq!(book.rows(), before);
}

#[test]
fn the_command_takes_the_limit() {
    let book = games();
    book.sql(WIPE);
    let report = json(["fix", arg(&book.path), "--memory", "64 KiB", "--json"]);
    assert_eq!(report["changed"]["positions"], 2247, "{report}");
    let sound = games();
    stdout(["fix", arg(&sound.path)]);
    assert_eq!(book.rows(), sound.rows());
    stdout(["undo", arg(&book.path)]);
}

/// The table is rewritten in the order of its key, whatever index SQLite would rather read.
#[test]
fn indexes_of_a_user_do_no_harm() {
    for columns in ["positions(empties)", "links(move)", "leaves(move)"] {
        let (_folder, book) = games_database();
        let sql = format!("CREATE INDEX mine ON {columns}");
        Connection::open(&book).unwrap().execute(&sql, ()).unwrap();
        stdout(["fix", arg(&book), "--rules", "egaroucid"]);
        assert_sound(&book);
    }
}
