//! The history of changes.

use obook::write::Target;
use obook::write::cut::{Cut, Losses, cut};
use obook::write::fix::{Steps, recompute};
use obook::write::grades::store_grades;
use obook::write::level::{NewLevel, Relevel, Whose, relevel};
use obook::write::merge::{MergeOptions, Strategy, merge};
use obook::write::repair::repair;
use obook::{Context, Error, Store};
use obook_graph::accuracy::Grading;
use obook_othello::{Line, RuleSet};
use obook_testing::book_rows::{dump, select};
use obook_testing::golden::golden;
use obook_testing::imported::imported;
use proptest::prelude::*;
use rusqlite::Connection;
use rusqlite::types::Value;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder, and in it a database of a real book.
pub(super) fn games() -> (TempDir, PathBuf) {
    imported("games.dat")
}

/// The reason why a change can't be undone.
fn refusal(path: &Path) -> String {
    let error = writing(path).undo().unwrap_err().to_string();
    assert!(error.starts_with(path.to_str().unwrap()), "{error}");
    error
}

/// Changes of a book by SQL, harmless or not; ? is a number.
pub(super) const EDITS: [&str; 18] = [
    "UPDATE positions SET value = NULL",
    "UPDATE positions SET value = -7, lower = 60, wins = 1, lines = NULL; DELETE FROM links",
    "UPDATE positions SET level = ? % 60 WHERE empties > ? % 50",
    "UPDATE positions SET lines = -5000000000 * ? WHERE empties = ? % 60",
    "DELETE FROM positions WHERE empties = ? % 60",
    "DELETE FROM links WHERE move = ? % 64",
    "DELETE FROM leaves WHERE score > ? % 20",
    "INSERT OR REPLACE INTO leaves SELECT board, ? % 64, ? % 64, NULL, 1 FROM positions WHERE empties = ? % 60",
    "INSERT OR IGNORE INTO links SELECT board, 64, ? % 9 FROM positions WHERE empties = ? % 60",
    "REPLACE INTO positions (board, empties, engine) SELECT board, 61, 2 FROM positions WHERE empties < ? % 60",
    "PRAGMA ignore_check_constraints = 1; INSERT INTO positions (board, empties, engine) VALUES (x'0102', ?, 1),
     (x'', 3, 9) ON CONFLICT DO UPDATE SET value = ?; PRAGMA ignore_check_constraints = 0",
    "UPDATE leaves SET board = CAST(substr(board, 9) || substr(board, 1, 8) AS BLOB) WHERE score = ? % 9 AND board NOT IN
     (SELECT CAST(substr(board, 9) || substr(board, 1, 8) AS BLOB) FROM leaves)",
    "UPDATE engines SET engine = engine + 8 + ? % 5 WHERE engine = 2; INSERT OR IGNORE INTO engines VALUES (9, 'nine')",
    "INSERT INTO sources (name, format, sha256, positions, links, leaves, duplicates, imported)
     VALUES ('x', 'edax', ?, 1, 2, 3, 4, 'now') ON CONFLICT DO UPDATE SET positions = positions + 1",
    "UPDATE book SET level = ?, fixed = NULL",
    "INSERT INTO notes VALUES (1.5 * ?, 'text', x'00ff', NULL), (CAST(x'ff00fe' AS TEXT), zeroblob(20), -0.0, 9e999)",
    "UPDATE notes SET _rowid_ = _rowid_ + 1000 + ? % 7, a = b, b = a",
    "DELETE FROM notes WHERE _rowid_ % 2 = ? % 2; UPDATE OR REPLACE \"a \"\"name\" SET \"group\" = 'x'",
];

/// A user's own tables, which a change may also affect.
pub(super) const OWN_TABLES: &str = "
    CREATE TABLE notes (a, b, c, d);
    CREATE TABLE \"a \"\"name\" (\"group\" TEXT, n INT, both AS (n || \"group\"), PRIMARY KEY (n, \"group\")) WITHOUT ROWID;
    INSERT INTO \"a \"\"name\" VALUES ('a', 1), ('b', 1), ('x', 1);";

/// Books to be merged.
const OTHERS: [&str; 3] = [
    "edax/small.subtree_f5d6c4.dat",
    "edax/deviate.depth9.prune.dat",
    "edax/games.prune.dat",
];

/// Cuts, and changes of levels.
fn rewrite(store: &mut Store, number: u32) -> Result<(), Error> {
    let (target, context) = (Target::InPlace(store), Context::new("test"));
    let levels = |level, empties| Relevel {
        level,
        whose: Whose::Both,
        empties,
        condition: None,
    };
    let losses = Losses {
        per_move: 1,
        per_line: 2,
    };
    let how = match number % 6 {
        0 => Cut::Prune { depth: None },
        1 => Cut::Subtree {
            from: "f5d6c5".parse().unwrap(),
            depth: None,
        },
        2 => Cut::Reduce {
            from: Line::new(),
            depth: 20,
            losses,
        },
        3 => Cut::Depth(12),
        4 => return relevel(target, &levels(NewLevel::Within(0..=1), None), &context).map(drop),
        _ => return relevel(target, &levels(NewLevel::Set(5), Some(0..=50)), &context).map(drop),
    };
    cut(target, &how, &context).map(drop)
}

/// The actions of [`act`].
pub(super) const ACTIONS: u8 = 10 + EDITS.len() as u8;

/// Opens a book for writing.
pub(super) fn writing(path: &Path) -> Store {
    Store::open_for_writing(path, &Context::new("test")).unwrap()
}

/// Runs a command or SQL. If it fails, it changes nothing, which is fine here.
pub(super) fn act(store: &mut Store, action: u8, number: u32) {
    let rules = [None, Some(RuleSet::Edax), Some(RuleSet::Egaroucid)][number as usize % 3];
    match action {
        0 => drop(recompute(store, Steps::Link)),
        1 => {
            let repetition = (number % 9) as i8;
            drop(recompute(store, Steps::Negamax { rules, repetition }));
        }
        2 | 3 => drop(recompute(store, Steps::Fix { rules })),
        4 => drop(store_grades(store, Grading::Published)),
        5 => drop(repair(store, 1)),
        6 | 7 => {
            let strategy =
                [Strategy::Whole, Strategy::Increment][usize::from(number.is_multiple_of(2))];
            let options = MergeOptions {
                strategy,
                dry_run: false,
                ..MergeOptions::default()
            };
            let other = OTHERS[number as usize / 2 % OTHERS.len()];
            drop(merge(store, &[golden(other)], options));
        }
        8 | 9 => drop(rewrite(store, number)),
        other => {
            let sql = EDITS[usize::from(other) - 10].replace('?', &number.to_string());
            let update = store.change().unwrap();
            if number.is_multiple_of(5) {
                update.log_whole(&["leaves"]).unwrap();
            }
            if update.connection().execute_batch(&sql).is_ok() {
                update.commit(&()).unwrap();
            }
        }
    }
}

/// The number of changes in a book's history.
pub(super) fn changes(path: &Path) -> usize {
    let store = Store::open(path, &Context::default()).unwrap();
    store.history().unwrap().len()
}

/// Each action changes something in an imported book, and can be undone and redone.
#[test]
fn every_action_is_undone_and_redone() {
    for action in 0..ACTIONS {
        let (_folder, path) = games();
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch(OWN_TABLES).unwrap();
        // Gives `fix` and others something to do.
        if action < 10 {
            connection
                .execute_batch("UPDATE positions SET value = 9; DELETE FROM links")
                .unwrap();
        }
        connection
            .execute_batch("INSERT INTO notes VALUES (1, 2, 3, 4), (5, 6, 7, 8)")
            .unwrap();
        drop(connection);
        let before = dump(&path);
        let changed = (0..12).any(|number| {
            act(&mut writing(&path), action, number);
            changes(&path) > 1
        });
        assert!(changed, "action {action}");
        assert!(dump(&path) != before, "action {action}");
        Store::open_for_writing(&path, &Context::default())
            .unwrap()
            .undo()
            .unwrap();
        assert!(dump(&path) == before, "action {action}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Undoing any changes step by step restores every table, row by row.
    ///
    /// Law (Changes): `undo` restores every row of a book's tables ([exceptions](history.md#what-undo-restores)).
    /// Also: `every_action_is_undone_and_redone` `tests/store/undo.rs` `new_tables_and_counters_are_restored`
    /// `undo_names_what_it_does_not_restore` `cli/tests/fuzzed/replay.rs` `import`
    #[test]
    fn undo_is_exact(actions in proptest::collection::vec((0u8..ACTIONS + 6, any::<u32>()), 1..12)) {
        let (_folder, path) = games();
        Connection::open(&path).unwrap().execute_batch(OWN_TABLES).unwrap();
        let mut states = Vec::new();
        let mut now = dump(&path);
        let mut store = writing(&path);
        for (action, number) in actions {
            if action >= ACTIONS {
                if let Some(before) = states.pop() {
                    store.undo().unwrap();
                    now = dump(&path);
                    prop_assert!(now == before);
                }
                continue;
            }
            let known = changes(&path);
            act(&mut store, action, number);
            let after = dump(&path);
            if changes(&path) > known {
                states.push(std::mem::replace(&mut now, after));
            } else {
                prop_assert!(now == after, "a change is in the history, or there is none");
            }
        }
        for before in states.into_iter().rev() {
            store.undo().unwrap();
            prop_assert!(dump(&path) == before);
        }
        let said = refusal(&path);
        prop_assert!(said.contains("created the file"), "{said}");
    }
}

/// A handle logs tables as they are when a change begins, whatever anybody has done to them or to its own triggers before.
#[test]
fn one_handle_logs_tables_that_others_make_anew() {
    let (_folder, path) = games();
    let other = Connection::open(&path).unwrap();
    other
        .execute_batch("CREATE TABLE mine (x); INSERT INTO mine VALUES (1), (2)")
        .unwrap();
    let mut store = writing(&path);
    for (number, others) in [
        "",
        "ALTER TABLE mine ADD COLUMN y; UPDATE mine SET y = x",
        "ALTER TABLE mine RENAME TO yours; CREATE TABLE mine (x); INSERT INTO mine VALUES (3)",
        "DROP TABLE mine",
        "CREATE TABLE mine (z PRIMARY KEY, y, x) WITHOUT ROWID; INSERT INTO mine VALUES (1, 2, 3), (4, 5, 6)",
        "DROP TABLE mine; CREATE TABLE mine (x); INSERT INTO mine VALUES (1), (2)",
        "DROP TABLE links; CREATE TABLE links (board BLOB NOT NULL, move INTEGER NOT NULL, score INTEGER,
             PRIMARY KEY (board, move)) STRICT, WITHOUT ROWID; INSERT INTO links VALUES (zeroblob(16), 9, 0)",
    ]
    .into_iter()
    .enumerate()
    {
        other.execute_batch(others).unwrap();
        // A rollback also takes back the triggers that the change made.
        let update = store.change().unwrap();
        let version = |connection: &Connection| -> i64 {
            let version = connection.pragma_query_value(Some("temp"), "schema_version", |row| row.get(0));
            version.unwrap()
        };
        let made = version(update.connection());
        drop(update);
        if number == 0 {
            // As many other objects take their place.
            for table in 0.. {
                if version(store.connection()) == made {
                    break;
                }
                let sql = format!("CREATE TEMP TABLE other{table} (x)");
                store.connection().execute_batch(&sql).unwrap();
            }
        } else if number % 2 == 0 {
            let own = "DROP TRIGGER temp.\"obook_log leaves Deleted\"";
            store.connection().execute_batch(own).unwrap();
        }
        let before = dump(&path);
        let update = store.change().unwrap();
        let sql = "UPDATE links SET score = 9; DELETE FROM leaves WHERE score > 2; UPDATE positions SET level = 7 WHERE empties < 30";
        update.connection().execute_batch(sql).unwrap();
        for table in ["mine", "yours"] {
            let sql = format!("UPDATE {table} SET x = 7; DELETE FROM {table} WHERE x = 7; INSERT INTO {table} (x) VALUES (8)");
            // Some of these tables are not there.
            let _ = update.connection().execute_batch(&sql);
        }
        update.commit(&()).unwrap();
        let after = dump(&path);
        assert!(after != before, "{others}");
        store.undo().unwrap();
        assert!(dump(&path) == before, "{others}");
        store.redo().unwrap();
        assert!(dump(&path) == after, "{others}");
        store.undo().unwrap();
        // Outside a change, nothing is logged.
        store.connection().execute_batch("UPDATE positions SET level = level").unwrap();
        assert_eq!(changes(&path), number + 2);
        assert!(refusal(&path).contains("created the file"));
    }
}

/// Changes that bypassed obook are not overwritten.
#[test]
fn undo_refuses_if_others_changed_the_rows() {
    let (_folder, path) = games();
    Connection::open(&path)
        .unwrap()
        .execute_batch("DELETE FROM leaves")
        .unwrap();
    let mut store = Store::open_for_writing(&path, &Context::default()).unwrap();
    let update = store.change().unwrap();
    let insert = "INSERT INTO leaves SELECT board, 1, 2, 3, 1 FROM positions WHERE empties = 50";
    update.connection().execute_batch(insert).unwrap();
    update.commit(&()).unwrap();
    Connection::open(&path)
        .unwrap()
        .execute_batch("DELETE FROM leaves WHERE board = (SELECT max(board) FROM leaves)")
        .unwrap();
    let before = dump(&path);
    let said = refusal(&path);
    assert!(said.contains("another program has changed"), "{said}");
    assert!(dump(&path) == before);
}

/// The effects of a user's triggers and foreign keys belong to the change. They don't fire during undo.
#[test]
fn undo_wakes_no_triggers() {
    let (_folder, path) = games();
    let own = "
        CREATE TABLE notes (board, what);
        CREATE TABLE remarks (board REFERENCES positions ON DELETE CASCADE, text);
        INSERT INTO remarks SELECT board, 'a fine move' FROM positions WHERE empties = 50;
        CREATE TRIGGER updated AFTER UPDATE ON positions BEGIN
            INSERT INTO notes VALUES (NEW.board, 'updated');
            UPDATE links SET score = 1 WHERE board = NEW.board;
        END;
        CREATE TRIGGER inserted AFTER INSERT ON leaves BEGIN DELETE FROM links WHERE board = NEW.board; END;
        CREATE TRIGGER deleted BEFORE DELETE ON leaves BEGIN INSERT INTO notes VALUES (OLD.board, 'deleted'); END;
        CREATE TRIGGER kept BEFORE DELETE ON notes BEGIN SELECT raise(IGNORE); END;";
    Connection::open(&path).unwrap().execute_batch(own).unwrap();
    for (sql, whole) in [
        ("UPDATE positions SET value = -7 WHERE empties = 50", None),
        ("DELETE FROM leaves WHERE score > 0", None),
        ("DELETE FROM leaves WHERE score > 0", Some("leaves")),
        ("DELETE FROM positions WHERE empties > 40", None),
        (
            "DELETE FROM positions WHERE empties > 40",
            Some("positions"),
        ),
        (
            "INSERT OR REPLACE INTO leaves SELECT board, 1, 2, 3, 1 FROM positions",
            None,
        ),
    ] {
        let before = dump(&path);
        let mut store = Store::open_for_writing(&path, &Context::default()).unwrap();
        // As for SQL that is typed by hand.
        let triggers = rusqlite::config::DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER;
        store.connection().set_db_config(triggers, true).unwrap();
        let update = store.change().unwrap();
        if let Some(whole) = whole {
            update.log_whole(&[whole]).unwrap();
        }
        update.connection().execute_batch(sql).unwrap();
        update.commit(&()).unwrap();
        assert!(dump(&path) != before, "{sql}");
        store.undo().unwrap();
        let after = dump(&path);
        for (table, rows) in &before {
            assert!(after[table] == *rows, "{sql} {whole:?}: table {table}");
        }
        // The connection is as before.
        let count = "SELECT count(*) FROM notes";
        let notes = |store: &Store| {
            store
                .connection()
                .query_row(count, [], |row| row.get::<_, i64>(0))
        };
        let known = notes(&store).unwrap();
        let update = store.change().unwrap();
        let touch = "UPDATE positions SET value = value WHERE empties = 60";
        update.connection().execute_batch(touch).unwrap();
        drop(update);
        let update = store.change().unwrap();
        update.connection().execute_batch(touch).unwrap();
        update.commit(&()).unwrap();
        assert_eq!(notes(&store).unwrap(), known + 1);
    }
}

/// Encodes a number as in the log: LEB128.
fn put(bytes: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// A part of the log that deletes rows with these cells from a table with one column.
fn part(steps: usize, cells: &[u8]) -> Vec<u8> {
    let shapes = br#"[{"name":"notes","columns":["a"],"key":[0]}]"#;
    let mut part = Vec::new();
    for piece in [&shapes[..], &vec![1; steps], cells] {
        put(&mut part, piece.len());
        part.extend(piece);
    }
    zstd::encode_all(&part[..], 1).unwrap()
}

/// A small untrusted log can't fill the memory.
#[test]
fn a_log_that_expands_beyond_measure_is_refused() {
    let (_folder, path) = games();
    let update = "UPDATE book SET level = 7";
    let mut store = Store::open_for_writing(&path, &Context::default()).unwrap();
    let change = store.change().unwrap();
    change.connection().execute_batch(update).unwrap();
    change.commit(&()).unwrap();
    drop(store);
    // A text of 200 MB.
    let mut text = vec![3];
    put(&mut text, 200_000_000);
    text.resize(text.len() + 200_000_000, b'a');
    // A blob, and many that share almost nothing with the one before.
    let mut blobs = vec![255, 0];
    put(&mut blobs, 1_000_000);
    blobs.resize(blobs.len() + 1_000_000, 7);
    for _ in 0..300 {
        blobs.push(255);
        put(&mut blobs, 1_000_000);
        blobs.push(0);
    }
    // Cells of a byte each.
    let nulls = vec![0; 6_000_000];
    for bomb in [part(1, &text), part(301, &blobs), part(6_000_000, &nulls)] {
        assert!(bomb.len() < 100_000);
        Connection::open(&path)
            .unwrap()
            .execute("UPDATE undo SET data = ?", [&bomb])
            .unwrap();
        let before = dump(&path);
        let said = refusal(&path);
        assert!(
            said.contains("table undo, part 1 ") && said.contains("more than"),
            "{said}"
        );
        assert!(dump(&path) == before);
    }
}

/// Runs SQL as one change.
pub(super) fn change(path: &Path, sql: &str) {
    let mut store = Store::open_for_writing(path, &Context::new("obook query")).unwrap();
    let update = store.change().unwrap();
    update.connection().execute_batch(sql).unwrap();
    update.commit(&()).unwrap();
}

/// A user's own table doesn't prevent undo. It stays, without rows, and everything else is restored.
#[test]
fn a_table_that_was_created_stays_and_changes_before_it_are_undone() {
    let (_folder, path) = games();
    let first = dump(&path);
    change(
        &path,
        "UPDATE positions SET value = NULL WHERE empties > 40",
    );
    let second = dump(&path);
    change(
        &path,
        "CREATE TABLE mine (x);
         INSERT INTO mine VALUES (1), (2);
         CREATE INDEX by_value ON positions (value);
         CREATE VIEW best AS SELECT max(value) FROM positions;
         CREATE TRIGGER forget AFTER DELETE ON leaves BEGIN DELETE FROM mine; END;
         DELETE FROM links WHERE move = 19",
    );
    let third = dump(&path);
    change(
        &path,
        "DELETE FROM leaves WHERE score > 0; INSERT INTO mine VALUES (3)",
    );
    let undo = || {
        writing(&path).undo().unwrap();
        dump(&path)
    };
    assert!(undo() == third);
    for before in [second, first] {
        let mut now = undo();
        let mine = now.remove("mine").expect("the table stays");
        assert!(mine.is_empty() && !third["mine"].is_empty());
        assert!(now == before);
    }
}

#[test]
fn dropping_or_altering_a_table_can_not_be_undone() {
    for sql in [
        "DROP TABLE mine",
        "ALTER TABLE mine ADD COLUMN y",
        "ALTER TABLE mine RENAME TO yours",
        // The same table again, without its rows.
        "DROP TABLE mine; CREATE TABLE mine (x)",
    ] {
        let (_folder, path) = games();
        change(&path, "CREATE TABLE mine (x); INSERT INTO mine VALUES (1)");
        change(&path, sql);
        let before = dump(&path);
        let said = refusal(&path);
        assert!(
            said.contains("change 3") && said.contains("dropped or altered a table"),
            "{sql}: {said}"
        );
        assert!(dump(&path) == before);
    }
}

/// Law (Changes): A damaged or endlessly expanding log is reported, and nothing is undone in part.
/// Also: `a_log_that_expands_beyond_measure_is_refused` `cli/tests/fuzzed/replay.rs` `rows`
#[test]
fn a_damaged_undo_log_is_reported() {
    let (_folder, path) = games();
    let wipe = "UPDATE positions SET value = NULL";
    Connection::open(&path)
        .unwrap()
        .execute_batch(wipe)
        .unwrap();
    recompute(&mut writing(&path), Steps::Fix { rules: None }).unwrap();
    let log: Vec<u8> = match &select(&path, "SELECT data FROM undo WHERE whole = 'positions'")[0][0]
    {
        Value::Blob(log) => log.clone(),
        other => panic!("{other:?}"),
    };
    let before = dump(&path);
    assert!(log.len() > 40);
    for place in (0..log.len()).step_by(log.len() / 40 + 1) {
        let mut damaged = log.clone();
        damaged[place] ^= 0x55;
        let connection = Connection::open(&path).unwrap();
        connection
            .execute(
                "UPDATE undo SET data = ? WHERE whole = 'positions'",
                [&damaged],
            )
            .unwrap();
        drop(connection);
        let said = refusal(&path);
        assert!(said.contains("damaged"), "{place}: {said}");
        assert!(dump(&path) == before);
    }
}
