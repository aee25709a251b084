//! Salvage makes up nothing.

use obook::write::salvage::{Damaged, Salvaged, salvage};
use obook::{Context, Error, IfExists, NewBook, StoreError};
use obook_games::Reader;
use obook_testing::games::sample;
use obook_testing::golden::golden;
use obook_testing::imported::{import_at, import_file};
use rusqlite::Connection;
use rusqlite::types::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const TABLES: [&str; 3] = ["positions", "links", "leaves"];

/// A book with games, after these changes by another program.
fn changed(folder: &Path, name: &str, sql: &str) -> PathBuf {
    let context = Context::new("test");
    let path = folder.join(format!("{name}.obook"));
    let file = golden("games.dat");
    import_file(&file, &path, &context).unwrap();
    let played = Reader::open(sample(), None).unwrap().take(5);
    import_at(&path, played.map(|game| Ok(game?)), &context).unwrap();
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch(&format!("PRAGMA legacy_alter_table = ON; {sql}"))
        .unwrap();
    path
}

/// Salvages a database into another, in place of what is there.
fn salvaged_to(path: &Path, output: &Path) -> Result<Salvaged, Error> {
    let new = NewBook::create(output, IfExists::Replace, &Context::new("test"))?;
    salvage(Damaged::open(path)?, new)
}

#[test]
fn a_renamed_table_is_salvaged() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("salvaged.obook");
    let salvaged = |path: &Path| {
        let salvaged = salvaged_to(path, &output).unwrap();
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
        let salvaged = salvaged_to(&path, &output);
        let refused = salvaged.unwrap_err();
        assert!(
            matches!(refused, Error::Store(StoreError::ForeignSchema { .. })),
            "{refused}"
        );
        assert!(refused.to_string().contains(table), "{refused}");
        assert!(!output.exists());
    }
}

/// Rows of a table: the columns that identify them, and the others.
type Rows = BTreeMap<(&'static str, String), String>;

/// All rows of positions, links, leaves and games, the last without their numbers.
fn rows(path: &Path) -> Rows {
    let connection = Connection::open(path).unwrap();
    let queries = [
        ("positions", "SELECT * FROM positions", 1),
        ("links", "SELECT * FROM links", 2),
        ("leaves", "SELECT * FROM leaves", 1),
        (
            "games",
            "SELECT moves || row_number() OVER (PARTITION BY moves, date, score ORDER BY game), date, score, b.name, w.name
             FROM games LEFT JOIN players AS b ON b.player = black LEFT JOIN players AS w ON w.player = white",
            1,
        ),
    ];
    let mut rows = Rows::new();
    for (table, sql, key) in queries {
        let mut select = connection.prepare(sql).unwrap();
        let columns = select.column_count();
        let cells = |row: &rusqlite::Row<'_>| {
            let cells = (0..columns).map(|column| row.get::<_, Value>(column));
            cells.collect::<rusqlite::Result<Vec<Value>>>()
        };
        for row in select.query_map([], cells).unwrap() {
            let row = row.unwrap();
            let (key, rest) = row.split_at(key);
            rows.insert((table, format!("{key:?}")), format!("{rest:?}"));
        }
    }
    rows
}

/// A book with free pages and with games without a year, as bytes.
fn book(folder: &Path) -> (Vec<u8>, Rows) {
    let path = changed(
        folder,
        "sound",
        "UPDATE games SET date = NULL, game = game % 10000000;
         UPDATE played SET game = game % 10000000;
         CREATE TEMP TABLE last AS SELECT board FROM positions ORDER BY board LIMIT 1 OFFSET 1500;
         DELETE FROM leaves WHERE board >= (SELECT board FROM last);
         DELETE FROM links WHERE board >= (SELECT board FROM last);
         DELETE FROM positions WHERE board >= (SELECT board FROM last);
         PRAGMA journal_mode = DELETE",
    );
    let free: i64 = Connection::open(&path)
        .unwrap()
        .pragma_query_value(None, "freelist_count", |row| row.get(0))
        .unwrap();
    assert!(free > 3, "{free}");
    (fs::read(&path).unwrap(), rows(&path))
}

/// Salvages a database with these bytes. Returns nothing if nothing is left.
fn salvaged(folder: &Path, bytes: &[u8]) -> Rows {
    let (book, output) = (folder.join("damaged.obook"), folder.join("rescued.obook"));
    fs::write(&book, bytes).unwrap();
    let done = salvaged_to(&book, &output);
    assert_eq!(fs::read(&book).unwrap(), bytes, "the damaged file changed");
    match done {
        Ok(_) => rows(&output),
        Err(Error::Store(StoreError::Unfit { problem, .. })) if problem.contains("no position") => {
            Rows::new()
        }
        Err(error) => panic!("{error}"),
    }
}

/// A generator of fixed random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// Law (Crashes, untrusted books, concurrency): Salvage of a cut file gives only rows that were there; a flipped bit changes
/// one row at most, and invents none.
/// Also: `bits_that_flip_make_no_positions_links_or_leaves` `played_moves_make_no_leaves`
#[test]
fn a_file_that_was_cut_gives_only_rows_that_were_there() {
    let folder = tempfile::tempdir().unwrap();
    let (bytes, all) = book(folder.path());
    let random = &mut Random(3);
    let mut most = 0;
    for _ in 0..16 {
        let length = 4096 + random.below(bytes.len() - 4096);
        let found = salvaged(folder.path(), &bytes[..length]);
        for (key, rest) in &found {
            assert_eq!(all.get(key), Some(rest), "cut at {length}: {key:?}");
        }
        most = most.max(found.len());
    }
    assert!(most > all.len() / 2, "{most}");
}

/// A flipped bit changes the contents of at most one row, and never its key.
#[test]
fn bits_that_flip_make_no_positions_links_or_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let (bytes, all) = book(folder.path());
    let random = &mut Random(5);
    let mut least = usize::MAX;
    for _ in 0..16 {
        let mut bytes = bytes.clone();
        let flips: BTreeSet<usize> = (0..24)
            .map(|_| 8 * 4096 + random.below(8 * (bytes.len() - 4096)))
            .collect();
        for flip in &flips {
            bytes[flip / 8] ^= 1 << (flip % 8);
        }
        let found = salvaged(folder.path(), &bytes);
        let is_new = |row: &(&(&str, String), &String)| all.get(row.0) != Some(row.1);
        let altered: Vec<_> = found.iter().filter(is_new).collect();
        assert!(altered.len() <= flips.len(), "{flips:?}: {}", altered.len());
        for (key, _) in altered {
            // A game consists mostly of its moves.
            let is_known = all.contains_key(key) || key.0 == "games";
            assert!(is_known, "{flips:?}: {key:?}");
        }
        least = least.min(found.len());
    }
    assert!(least > all.len() / 2, "{least} of {}", all.len());
}

/// The pages of `played` look like pages of leaves.
#[test]
fn played_moves_make_no_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let (bytes, all) = book(folder.path());
    let path = folder.path().join("sound.obook");
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name IN ('leaves', 'played')";
    let roots: Vec<usize> = Connection::open(&path)
        .unwrap()
        .prepare(sql)
        .unwrap()
        .query_map([], |row| Ok(row.get::<_, u32>(0)? as usize))
        .unwrap()
        .collect::<rusqlite::Result<_>>()
        .unwrap();
    let [leaves, played] = roots[..] else {
        panic!("{roots:?}")
    };
    let page = |number: usize| 4096 * (number - 1)..4096 * number;
    for swap in [false, true] {
        let mut bytes = bytes.clone();
        if swap {
            let other = bytes[page(leaves)].to_vec();
            bytes.copy_within(page(played), page(leaves).start);
            bytes[page(played)].copy_from_slice(&other);
        } else {
            bytes[page(leaves)].fill(0);
            bytes[page(played)].fill(0);
        }
        let found = salvaged(folder.path(), &bytes);
        for (key, rest) in &found {
            assert_eq!(all.get(key), Some(rest), "{key:?}");
        }
        let leaves = |rows: &Rows| rows.keys().filter(|key| key.0 == "leaves").count();
        assert!(leaves(&found) + 100 > leaves(&all), "{}", leaves(&found));
    }
}

/// Salvage uses what is intact of a damaged log, and changes neither file.
#[test]
fn a_damaged_log_gives_only_rows_that_were_there() {
    let folder = tempfile::tempdir().unwrap();
    let sound = changed(folder.path(), "sound", "");
    let writer = Connection::open(&sound).unwrap();
    writer
        .execute_batch(
            "PRAGMA wal_autocheckpoint = 0;
             UPDATE positions SET value = -value;
             UPDATE positions SET value = -value, lines = lines + 1;
             UPDATE leaves SET score = -score;
             UPDATE links SET score = NULL WHERE move > 20",
        )
        .unwrap();
    let log = |path: &Path| path.with_extension("obook-wal");
    let (database, bytes) = (fs::read(&sound).unwrap(), fs::read(log(&sound)).unwrap());
    let all = rows(&sound);
    let frames = (bytes.len() - 32) / 4120;
    assert!(frames > 60, "{frames}");
    let (book, output) = (
        folder.path().join("killed.obook"),
        folder.path().join("rescued.obook"),
    );
    let salvaged = |bytes: &[u8]| {
        fs::write(&book, &database).unwrap();
        fs::write(log(&book), bytes).unwrap();
        let salvaged = salvaged_to(&book, &output).unwrap();
        assert_eq!(fs::read(&book).unwrap(), database);
        assert_eq!(fs::read(log(&book)).unwrap(), bytes);
        assert!(!book.with_extension("obook-shm").exists());
        (salvaged.damaged_log_pages, rows(&output))
    };
    assert_eq!(salvaged(&bytes), (0, all.clone()));
    let random = &mut Random(9);
    for _ in 0..12 {
        let mut bytes = bytes.clone();
        let frame = random.below(frames - 1);
        bytes[32 + 4120 * frame + 24 + random.below(4096)] ^= 1 << random.below(8);
        let (damaged, found) = salvaged(&bytes);
        assert!(damaged > 0, "{frame}");
        for (key, rest) in &found {
            assert_eq!(all.get(key), Some(rest), "{frame}: {key:?}");
        }
        assert!(found.len() + 400 > all.len(), "{frame}: {}", found.len());
    }
}
