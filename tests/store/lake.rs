//! A database as a folder of Parquet files, and back.

use obook::{Context, Error, IfExists, LakeLimits, NewBook, Store, StoreError, restore_lake};
use obook_testing::book_rows::{dump, select};
use obook_testing::random_book::recipes;
use proptest::prelude::*;
use rusqlite::Connection;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Rows for the tables that positions don't fill.
const ROWS: &str = "
    UPDATE positions SET engine = 1 + rowid % 7 FROM (SELECT board, row_number() OVER () AS rowid FROM positions) AS numbered
        WHERE numbered.board = positions.board;
    UPDATE positions SET proven_lower = -64, proven_upper = 2, prover = 3 WHERE empties % 2 = 0;
    INSERT OR REPLACE INTO links SELECT board, 64, -3 FROM positions WHERE empties % 3 = 0;
    INSERT INTO todo SELECT board, 'leaf', nullif(empties, 6), nullif(empties, 5), nullif(empties, 7), 2 FROM positions;
    INSERT INTO accuracy SELECT board, 'AB' FROM positions WHERE empties < 50;
    INSERT INTO expectations SELECT board, -1.25, 2e-300, 1e300, empties FROM positions;
    INSERT INTO goals SELECT board, goal.value, 0.1, NULL, 7.5 FROM positions, json_each('[-3, 1, 63]') AS goal;
    INSERT INTO sources VALUES (3, 'a “b” c', 'edax', '00', 1, 2, 3, 4, '2020-01-01T00:00:00Z', 1), (-5, '', 'x', 'ff', 0, 0, 0, 0, '', NULL);
    INSERT INTO players VALUES (1, 'Ōkubo'), (2, '');
    INSERT INTO tournaments VALUES (9, 'X');
    INSERT INTO games VALUES (-1, NULL, 9, 1, 2, NULL, NULL, NULL, NULL, '', NULL), (3, NULL, NULL, NULL, NULL, 2, 2, 20, NULL, 'f5', NULL),
        (20180000001, '2018', 9, 2, 1, -64, NULL, NULL, 'start', 'f5d6', '(;GM[Othello];)'), (20180000002, NULL, NULL, 1, 1, 0, 0, 0, NULL, '', '');
    INSERT INTO played SELECT board, game, nullif(game % 65, 1), game & 1, score FROM positions, games;
    INSERT INTO play_counts SELECT board, 3, 1997, 1, 1, 2, 3, 9223372036854775807, -9223372036854775807 - 1, 0 FROM positions;
    INSERT INTO ratings SELECT board, method.value, 0.5 FROM positions, json_each('[\"probability\", \"expectation1\"]') AS method;
    INSERT INTO tasks SELECT board, 'leaf', -1, 3, 1, 0.25, NULL, NULL, NULL, 0, NULL FROM positions;
    INSERT INTO learning VALUES (1, '{}', 0, 1, 2, 3, 1);
    INSERT INTO learned VALUES (1, 1, 0, 'best', 1.5, 2, 3, 4, 5, NULL);
    INSERT OR REPLACE INTO book VALUES (1, 8, 'edax', 21, 36, 2, 1, NULL, 'edax', 4, 4, '2020-01-01 00:00:00', -2, 1);
    DELETE FROM row_counts;";

fn store(path: &Path) -> Store {
    Store::open(path, &Context::default()).unwrap()
}

/// Few rows in a file, so that a small book has many files.
const LIMITS: LakeLimits = LakeLimits {
    rows: 40,
    bytes: u64::MAX,
};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    /// Every row of every table comes back.
    ///
    /// Law (Crashes, untrusted books, concurrency): A lake has every row of every table.
    #[test]
    fn a_lake_is_the_whole_book(recipe in recipes()) {
        let folder = tempfile::tempdir().unwrap();
        let [book, lake, back] = ["book.obook", "book.lake", "back.obook"].map(|name| folder.path().join(name));
        let new = NewBook::create(&book, IfExists::Refuse, &Context::new("obook test")).unwrap();
        // Its links are nonsense; a database has each move once.
        let positions = recipe.book().into_values().map(|mut position| {
            position.links.sort_by_key(|link| link.mv);
            position.links.dedup_by_key(|link| link.mv);
            position
        });
        let positions: Vec<_> = positions.collect();
        let rows = new.fill(|| Ok(positions.iter().cloned().map(Ok))).unwrap();
        new.commit(&rows).unwrap();
        Connection::open(&book).unwrap().execute_batch(ROWS).unwrap();
        let report = store(&book).write_lake(&lake, IfExists::Refuse, LIMITS).unwrap();
        let before = dump(&book);
        let counts = before.iter().map(|(table, rows)| (table.clone(), rows.len() as u64));
        let mut expected: std::collections::BTreeMap<_, _> = counts.collect();
        expected.insert("history".to_owned(), 1);
        prop_assert_eq!(&report.rows, &expected);
        prop_assert!(report.rows.values().all(|rows| *rows > 0));

        restore_lake(&lake, &back, IfExists::Refuse, &Context::new("obook back")).unwrap();
        prop_assert_eq!(dump(&back), before);
        let history = "SELECT id, command, counts, log FROM history WHERE command = 'obook test'";
        prop_assert_eq!(select(&back, history), select(&book, history));
        let commands = select(&back, "SELECT command FROM history ORDER BY id");
        let expected = ["obook test", "obook back"].map(|it| vec![rusqlite::types::Value::from(it.to_owned())]);
        prop_assert_eq!(commands, expected);
    }
}

/// A small lake.
fn lake() -> (TempDir, PathBuf) {
    let (folder, book) = super::support::book();
    Connection::open(&book)
        .unwrap()
        .execute_batch("INSERT INTO players VALUES (1, 'A'), (2, 'B')")
        .unwrap();
    let lake = folder.path().join("book.lake");
    store(&book)
        .write_lake(&lake, IfExists::Refuse, LIMITS)
        .unwrap();
    (folder, lake)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(self::files(&path)),
            false => files.push(path),
        }
    }
    files.retain(|path| path.extension().is_some_and(|it| it == "parquet"));
    files.sort();
    files
}

/// The message of a failed import, which leaves no database.
fn refused(lake: &Path) -> String {
    let back = lake.with_extension("back");
    let error = restore_lake(lake, &back, IfExists::Refuse, &Context::default()).unwrap_err();
    assert!(matches!(error, Error::Lake(_)), "{error}");
    assert!(!back.exists());
    error.to_string()
}

/// If any byte changes, the error names the file and, within one, the row group.
///
/// Law (Crashes, untrusted books, concurrency): A damaged or mixed lake is refused; the error names the file and the row group.
/// Also: `mixed_folders_are_refused`
#[test]
fn damage_is_found_and_named() {
    let (_folder, lake) = lake();
    let files = files(&lake);
    assert!(files.len() > 4, "{files:?}");
    for (number, path) in files.iter().enumerate() {
        let bytes = fs::read(path).unwrap();
        let end = bytes.len() - 1;
        // A table without rows has a file without row groups.
        let filled = ["book", "engines", "history", "players", "positions"];
        let has_rows = filled
            .iter()
            .any(|table| path.starts_with(lake.join(table)));
        for (place, in_row_group) in [
            (0, has_rows),
            (4, has_rows),
            (30 + number, has_rows),
            (end - 4 - number, false),
            (end, false),
        ] {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1 << (number % 8);
            fs::write(path, damaged).unwrap();
            let error = refused(&lake);
            assert!(error.contains(&path.display().to_string()), "{error}");
            assert_eq!(
                error.contains(", row group 0: "),
                in_row_group,
                "{place}: {error}"
            );
        }
        fs::write(path, &bytes[..bytes.len() - 1 - number]).unwrap();
        let error = refused(&lake);
        assert!(
            error.contains(&path.display().to_string()) && error.contains("bytes"),
            "{error}"
        );
        fs::remove_file(path).unwrap();
        assert!(refused(&lake).contains(&path.display().to_string()));
        fs::write(path, bytes).unwrap();
    }
    restore_lake(
        &lake,
        &lake.with_extension("back"),
        IfExists::Refuse,
        &Context::default(),
    )
    .unwrap();
}

/// An export names the tables that it leaves behind.
#[test]
fn tables_of_ones_own_are_named() {
    let (folder, book) = super::support::book();
    let sql = "CREATE TABLE marks (a); CREATE INDEX by_a ON marks (a); CREATE VIEW \"my view\" AS SELECT a FROM marks";
    for (sql, expected) in [("", &[][..]), (sql, &["table marks", "view my view"][..])] {
        Connection::open(&book).unwrap().execute_batch(sql).unwrap();
        assert_eq!(store(&book).outside_lakes().unwrap(), expected);
        let lake = folder.path().join("book.lake");
        let report = store(&book)
            .write_lake(&lake, IfExists::Replace, LIMITS)
            .unwrap();
        assert_eq!(report.left_out, expected);
    }
}

/// A folder of two lakes is refused, and so is a manifest that isn't one.
#[test]
fn mixed_folders_are_refused() {
    let (_folder, lake) = lake();
    let files = files(&lake);
    let [engines, players] = ["engines", "players"].map(|table| {
        files
            .iter()
            .find(|path| path.starts_with(lake.join(table)))
            .unwrap()
    });
    let stray = engines.with_file_name("part-00001.parquet");
    fs::copy(players, &stray).unwrap();
    let error = refused(&lake);
    assert!(error.contains(&stray.display().to_string()), "{error}");
    fs::remove_file(&stray).unwrap();
    let manifest = lake.join("manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    for (from, to) in [
        ("\"format\": 1", "\"format\": 2"),
        ("\"part-00000", "\"../part-00000"),
        ("engines/part-00000", "players/part-00000"),
        ("\"rows\": 7", "\"rows\": 6"),
        ("{", ""),
    ] {
        fs::write(&manifest, text.replacen(from, to, 1)).unwrap();
        if text.contains(from) {
            let error = refused(&lake);
            assert!(
                error.contains("manifest.json") || error.contains("engines"),
                "{error}"
            );
        }
    }
    // A file of the same size from another lake.
    fs::write(&manifest, text).unwrap();
    let bytes = fs::read(players).unwrap();
    fs::write(players, bytes.iter().rev().copied().collect::<Vec<u8>>()).unwrap();
    assert!(refused(&lake).contains(&players.display().to_string()));
}

/// Nothing is written over other files, and nothing is left behind.
///
/// Law (Crashes, untrusted books, concurrency): A lake replaces only a lake, on request, and is complete or absent.
#[test]
fn the_folder_must_be_new() {
    let (folder, lake) = lake();
    let before = fs::read(lake.join("manifest.json")).unwrap();
    let book = store(&folder.path().join("book.obook"));
    assert!(matches!(
        book.write_lake(&lake, IfExists::Refuse, LIMITS),
        Err(Error::Store(StoreError::Exists {
            replaceable: true,
            ..
        }))
    ));
    fs::write(lake.join("notes"), "mine").unwrap();
    assert!(matches!(
        book.write_lake(&lake, IfExists::Replace, LIMITS),
        Err(Error::Store(StoreError::Unfit { .. }))
    ));
    fs::remove_file(lake.join("notes")).unwrap();
    assert_eq!(fs::read(lake.join("manifest.json")).unwrap(), before);
    let connection = Connection::open(folder.path().join("book.obook")).unwrap();
    connection
        .execute_batch("INSERT INTO links VALUES (x'00ff', 3, 1)")
        .unwrap();
    let other = folder.path().join("other.lake");
    let error = book
        .write_lake(&other, IfExists::Refuse, LIMITS)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("00ff: table links, a key has 2 bytes: expected 16"),
        "{error}"
    );
    assert!(!other.exists());
    let left: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|it| it.unwrap().file_name())
        .collect();
    assert!(
        left.iter()
            .all(|name| !name.to_string_lossy().contains("partial")),
        "{left:?}"
    );
}

/// Numbers that no book has are refused, as in a file: checksums only tell that nothing changed since.
///
/// Law (Book files): A lake's numbers are in the ranges allowed in book files.
#[test]
fn numbers_out_of_range_are_refused() {
    for (change, expected) in [
        (
            "UPDATE leaves SET score = 100",
            "score is 100 in a row of table leaves: expected -64 to 64",
        ),
        ("UPDATE leaves SET score = 1 << 40", "expected -64 to 64"),
        (
            "UPDATE leaves SET move = 99",
            "move is 99 in a row of table leaves: expected 0 to 64",
        ),
        (
            "UPDATE leaves SET engine = 277",
            "engine is 277 in a row of table leaves: expected 1 to 255",
        ),
        (
            "UPDATE leaves SET level = -5",
            "level is -5 in a row of table leaves: expected 0 to 255",
        ),
        (
            "UPDATE links SET score = 65",
            "table links: expected -64 to 64",
        ),
        (
            "UPDATE links SET move = 65",
            "table links: expected 0 to 64",
        ),
        (
            "UPDATE positions SET value = 99",
            "value is 99 in a row of table positions: expected -64 to 64",
        ),
        ("UPDATE positions SET lower = -40000", "lower is -40000"),
        (
            "UPDATE positions SET prover = 0",
            "prover is 0 in a row of table positions: expected 1 to 255",
        ),
        (
            "UPDATE positions SET lines = 1 << 40",
            "lines is 1099511627776",
        ),
    ] {
        let (folder, book) = super::support::book();
        let connection = Connection::open(&book).unwrap();
        let rows = "INSERT OR IGNORE INTO leaves SELECT board, 1, 0, 1, 1 FROM positions;
                    INSERT OR IGNORE INTO links SELECT board, 2, 0 FROM positions";
        connection.execute_batch(rows).unwrap();
        let change = match change.contains("links") {
            true => format!("{change} WHERE board = (SELECT min(board) FROM links)"),
            false => change.to_owned(),
        };
        assert!(connection.execute(&change, []).unwrap() > 0, "{change}");
        drop(connection);
        let lake = folder.path().join("book.lake");
        store(&book)
            .write_lake(&lake, IfExists::Refuse, LIMITS)
            .unwrap();
        let back = folder.path().join("back.obook");
        let restored = restore_lake(&lake, &back, IfExists::Refuse, &Context::default());
        let error = restored.unwrap_err().to_string();
        assert!(error.contains(expected), "{change}: {error}");
        assert!(!back.exists());
    }
}
