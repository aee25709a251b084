//! The history of changes, and databases of older versions.

use crate::support::program::{self, arg, complaint, json, stdout};
use crate::support::report::GAMES;
use obook_book::write::fix::{Steps, recompute};
use obook_book::write::grades::store_grades;
use obook_book::write::merge::{MergeOptions, Strategy, merge};
use obook_book::write::repair::repair;
use obook_book::{Context, Store};
use obook_graph::accuracy::Grading;
use obook_model::RuleSet;
use proptest::prelude::*;
use rusqlite::Connection;
use rusqlite::types::{Value, ValueRef};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder, and in it a database of a real book.
pub(super) fn imported() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book.obook");
    stdout(["import", GAMES, "--book", arg(&book)]);
    (folder, book)
}

/// Tables of all schema versions, with columns that they share.
const TABLES: [&str; 6] = [
    "engines",
    "positions",
    "links",
    "leaves",
    "accuracy",
    "sources",
];

/// The schemas of older versions.
const SCHEMAS: [&str; 4] = [
    include_str!("../../data/schema/1.sql"),
    include_str!("../../data/schema/2.sql"),
    include_str!("../../data/schema/3.sql"),
    include_str!("../../data/schema/4.sql"),
];

/// A database of an older schema version with the rows of a book, as the obook of those days made it: columns that came
/// later are left out.
fn older(version: usize, folder: &Path, like: &Path) -> PathBuf {
    let path = folder.join("old.obook");
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch(SCHEMAS[version - 1]).unwrap();
    connection.execute("ATTACH ? AS new", [arg(like)]).unwrap();
    for table in TABLES.into_iter().chain(["todo", "book"]) {
        let columns: String = connection
            .query_row(
                "SELECT group_concat(name) FROM pragma_table_info(?, 'main')",
                [table],
                |row| row.get(0),
            )
            .unwrap();
        let copy = format!(
            "INSERT OR IGNORE INTO main.{table} ({columns}) SELECT {columns} FROM new.{table}"
        );
        connection.execute_batch(&copy).unwrap();
    }
    connection
        .execute_batch(&format!(
            "UPDATE main.book SET schema_version = {version};
             PRAGMA main.application_id = 0x6f626f6b;
             PRAGMA main.user_version = {version};
             DETACH new;
             PRAGMA journal_mode = WAL;",
        ))
        .unwrap();
    path
}

fn version_1(folder: &Path, like: &Path) -> PathBuf {
    older(1, folder, like)
}

pub(crate) fn rows(path: &Path, sql: &str) -> Vec<Vec<Value>> {
    let connection = Connection::open(path).unwrap();
    let mut statement = connection.prepare(sql).unwrap();
    let width = statement.column_count();
    // Text of whatever bytes.
    let cell = |cell: ValueRef<'_>| match cell {
        ValueRef::Text(text) => String::from_utf8(text.to_vec())
            .map_or_else(|invalid| Value::Blob(invalid.into_bytes()), Value::Text),
        other => other.try_into().unwrap(),
    };
    let row = |row: &rusqlite::Row<'_>| {
        Ok((0..width)
            .map(|column| cell(row.get_ref_unwrap(column)))
            .collect())
    };
    statement
        .query_map([], row)
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

/// That an old file answers as the new one does.
fn assert_reads_alike(old: &Path, new: &Path) {
    for command in [&["info"][..], &["stats"], &["show"], &["line"], &["verify"]] {
        let [ours, theirs] = [old, new].map(|book| stdout([command, &[arg(book)]].concat()));
        assert_eq!(
            ours.replace("old.obook", "book.obook"),
            theirs,
            "{command:?}"
        );
    }
}

/// Changes both, which migrates the old one.
fn fix_both(old: &Path, new: &Path) {
    for book in [old, new] {
        let wipe = "UPDATE positions SET value = NULL";
        Connection::open(book).unwrap().execute_batch(wipe).unwrap();
        stdout(["fix", arg(book)]);
    }
    assert_eq!(schema(old), schema(new));
}

fn assert_same_tables(old: &Path, new: &Path) {
    for table in TABLES.into_iter().chain(["book", "todo"]) {
        let all = format!("SELECT * FROM {table}");
        assert_eq!(rows(old, &all), rows(new, &all), "{table}");
    }
}

#[test]
fn version_1_is_read_as_it_is() {
    let (folder, new) = imported();
    let old = version_1(folder.path(), &new);
    let before = std::fs::read(&old).unwrap();
    assert_reads_alike(&old, &new);
    let sql = "SELECT rules, repetition, (SELECT count(*) FROM history) AS changes FROM book";
    let answer = stdout(["query", arg(&old), sql, "--format", "csv"]);
    assert_eq!(answer, "rules,repetition,changes\nedax,,0\n");
    assert_eq!(std::fs::read(&old).unwrap(), before, "nothing was written");
}

#[test]
fn version_1_is_migrated_by_the_first_change() {
    let (folder, new) = imported();
    let old = version_1(folder.path(), &new);
    fix_both(&old, &new);
    unknown_sources(&new);
    let versions = "SELECT schema_version, user_version, repetition FROM book, pragma_user_version";
    assert_eq!(rows(&old, versions), rows(&new, versions));
    assert_same_tables(&old, &new);
    let commands = "SELECT command FROM history";
    let fix = |book: &Path| vec![Value::Text(format!("obook fix {}", book.display()))];
    assert_eq!(rows(&old, commands), [fix(&old)]);
    assert_eq!(rows(&new, commands)[1..], [fix(&new)]);
}

/// Older files do not tell whether a source is still there as it came in.
fn unknown_sources(path: &Path) {
    let connection = Connection::open(path).unwrap();
    let unknown = "UPDATE sources SET current = NULL";
    assert_eq!(connection.execute(unknown, []).unwrap(), 1);
}

/// What a file is made of, without the comments and spaces, which `ALTER TABLE` can't put where they belong.
fn schema(path: &Path) -> Vec<(Value, String)> {
    let schema = rows(
        path,
        "SELECT name, sql FROM sqlite_schema ORDER BY type, name",
    );
    let plain = |sql: &str| -> String {
        let lines = sql.lines();
        let code = lines.map(|line| line.split("--").next().unwrap_or_default());
        code.flat_map(str::split_whitespace).collect()
    };
    let row = |row: Vec<Value>| match &row[..] {
        [name, Value::Text(sql)] => (name.clone(), plain(sql)),
        [name, _] => (name.clone(), String::new()),
        other => panic!("{other:?}"),
    };
    schema.into_iter().map(row).collect()
}

#[test]
fn version_2_is_read_as_it_is_and_migrated_by_the_first_change() {
    let (folder, new) = imported();
    let old = older(2, folder.path(), &new);
    let before = std::fs::read(&old).unwrap();
    assert_reads_alike(&old, &new);
    let sql = "SELECT count(*) AS said FROM positions WHERE unsearched IS NOT NULL";
    let answer = stdout(["query", arg(&old), sql, "--format", "csv"]);
    assert_eq!(answer, "said\n0\n");
    assert_eq!(std::fs::read(&old).unwrap(), before, "nothing was written");
    fix_both(&old, &new);
    unknown_sources(&new);
    assert_same_tables(&old, &new);
}

#[test]
fn version_3_is_read_as_it_is_and_migrated_by_the_first_change() {
    let (folder, new) = imported();
    let old = older(3, folder.path(), &new);
    let before = std::fs::read(&old).unwrap();
    assert_reads_alike(&old, &new);
    let games = "SELECT (SELECT count(*) FROM games) + (SELECT count(*) FROM played) AS games";
    let answer = stdout(["query", arg(&old), games, "--format", "csv"]);
    assert_eq!(answer, "games\n0\n");
    assert_eq!(std::fs::read(&old).unwrap(), before, "nothing was written");
    fix_both(&old, &new);
    assert_same_tables(&old, &new);
}

#[test]
fn version_4_is_read_as_it_is_and_migrated_by_the_first_change() {
    let (folder, new) = imported();
    let old = older(4, folder.path(), &new);
    let before = std::fs::read(&old).unwrap();
    assert_reads_alike(&old, &new);
    let waits = "SELECT (SELECT count(*) FROM tasks) + (SELECT count(*) FROM learned) AS waits";
    let answer = stdout(["query", arg(&old), waits, "--format", "csv"]);
    assert_eq!(answer, "waits\n0\n");
    let status = stdout(["learn", arg(&old), "--status"]);
    assert!(
        status.starts_with("Nothing has been learned yet."),
        "{status}"
    );
    assert_eq!(std::fs::read(&old).unwrap(), before, "nothing was written");
    fix_both(&old, &new);
    assert_same_tables(&old, &new);
}

/// A change that fails leaves an old file as old as it was.
#[test]
fn a_change_that_fails_migrates_nothing() {
    let (folder, new) = imported();
    let old = version_1(folder.path(), &new);
    Connection::open(&old)
        .unwrap()
        .execute_batch("UPDATE links SET move = 200 WHERE board = (SELECT min(board) FROM links)")
        .unwrap();
    program::complaint(["negamax", arg(&old)], &old);
    let version = "SELECT user_version FROM pragma_user_version";
    assert_eq!(rows(&old, version), [[Value::Integer(1)]]);
    assert_eq!(
        rows(&old, "SELECT schema_version FROM book"),
        [[Value::Integer(1)]]
    );
}

/// Every row of every table, but for the history itself and what is counted, in the order in which the tables have them.
pub(super) fn dump(path: &Path) -> BTreeMap<String, Vec<Vec<Value>>> {
    let tables = rows(
        path,
        "SELECT name, wr FROM pragma_table_list
         WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT IN ('history', 'undo', 'row_counts')",
    );
    let dump = |table: Vec<Value>| {
        let [Value::Text(name), Value::Integer(without_rowid)] = &table[..] else {
            panic!("{table:?}");
        };
        let rowid = if *without_rowid == 0 { "_rowid_, " } else { "" };
        (
            name.clone(),
            rows(
                path,
                &format!("SELECT {rowid}* FROM \"{}\"", name.replace('"', "\"\"")),
            ),
        )
    };
    tables.into_iter().map(dump).collect()
}

/// What people do to a book with SQL, harmless or not; ? is a number.
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
    "UPDATE engines SET engine = engine + 1 + ? % 5 WHERE engine = 2; INSERT OR IGNORE INTO engines VALUES (9, 'nine')",
    "INSERT INTO sources (name, format, sha256, positions, links, leaves, duplicates, imported)
     VALUES ('x', 'edax', ?, 1, 2, 3, 4, 'now') ON CONFLICT DO UPDATE SET positions = positions + 1",
    "UPDATE book SET level = ?, fixed = NULL",
    "INSERT INTO notes VALUES (1.5 * ?, 'text', x'00ff', NULL), (CAST(x'ff00fe' AS TEXT), zeroblob(20), -0.0, 9e999)",
    "UPDATE notes SET _rowid_ = _rowid_ + 1000 + ? % 7, a = b, b = a",
    "DELETE FROM notes WHERE _rowid_ % 2 = ? % 2; UPDATE OR REPLACE \"a \"\"name\" SET \"group\" = 'x'",
];

/// Tables of somebody's own, which a change of the book may touch too.
pub(super) const OWN_TABLES: &str = "
    CREATE TABLE notes (a, b, c, d);
    CREATE TABLE \"a \"\"name\" (\"group\" TEXT, n INT, both AS (n || \"group\"), PRIMARY KEY (n, \"group\")) WITHOUT ROWID;
    INSERT INTO \"a \"\"name\" VALUES ('a', 1), ('b', 1), ('x', 1);";

/// Books to be merged.
const OTHERS: [&str; 3] = [
    concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/edax/small.subtree_f5d6c4.dat"
    ),
    concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/edax/deviate.depth9.prune.dat"
    ),
    concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/edax/games.prune.dat"
    ),
];

/// Commands as they are typed, BOOK for the database.
const COMMANDS: [&str; 6] = [
    "prune BOOK",
    "subtree BOOK f5d6c5",
    "reduce BOOK --depth 20 --per-move 1 --per-line 2",
    "depth BOOK 12",
    "level BOOK --at-most 1",
    "level BOOK --set 5 --empties ..50",
];

/// What [`act`] can do.
pub(super) const ACTIONS: u8 = 10 + EDITS.len() as u8;

/// Opens a book for writing.
fn writing(path: &Path) -> Store {
    Store::open_for_writing(path, &Context::new("test")).unwrap()
}

/// One changing command, or SQL; what fails changes nothing, and that is as good here.
pub(super) fn act(path: &Path, action: u8, number: u32) {
    let rules = [None, Some(RuleSet::Edax), Some(RuleSet::Egaroucid)][number as usize % 3];
    match action {
        0 => drop(recompute(&mut writing(path), Steps::Link)),
        1 => {
            let repetition = (number % 9) as i8;
            drop(recompute(
                &mut writing(path),
                Steps::Negamax { rules, repetition },
            ));
        }
        2 | 3 => drop(recompute(&mut writing(path), Steps::Fix { rules })),
        4 => drop(store_grades(&mut writing(path), Grading::Published)),
        5 => drop(repair(&mut writing(path), 1)),
        6 | 7 => {
            let strategy =
                [Strategy::Whole, Strategy::Increment][usize::from(number.is_multiple_of(2))];
            let options = MergeOptions {
                strategy,
                dry_run: false,
                ..MergeOptions::default()
            };
            let other = OTHERS[number as usize / 2 % OTHERS.len()];
            drop(merge(&mut writing(path), &[other.into()], options));
        }
        8 | 9 => {
            let words = COMMANDS[number as usize % COMMANDS.len()].replace("BOOK", arg(path));
            program::obook(words.split(' '));
        }
        other => {
            let sql = EDITS[usize::from(other) - 10].replace('?', &number.to_string());
            let mut store = Store::open_for_writing(path, &Context::default()).unwrap();
            let update = store.change().unwrap();
            if number.is_multiple_of(5) {
                update.log_whole("leaves").unwrap();
            }
            if update.connection().execute_batch(&sql).is_ok() {
                update.commit(&()).unwrap();
            }
        }
    }
}

/// How many changes the history of a book has.
pub(super) fn changes(path: &Path) -> usize {
    let history = json(["history", arg(path), "--json"]);
    history.as_array().unwrap().len()
}

/// Each of the actions below changes something in a book as it is imported, and can be undone and made again.
#[test]
fn every_action_is_undone_and_redone() {
    for action in 0..ACTIONS {
        let (_folder, path) = imported();
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch(OWN_TABLES).unwrap();
        // Something to do for those that put numbers and links right.
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
            act(&path, action, number);
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

    /// Whatever was done, undoing it step by step gives every table back, row by row.
    #[test]
    fn undo_is_exact(actions in proptest::collection::vec((0u8..ACTIONS + 6, any::<u32>()), 1..12)) {
        let (_folder, path) = imported();
        Connection::open(&path).unwrap().execute_batch(OWN_TABLES).unwrap();
        let mut states = Vec::new();
        let mut now = dump(&path);
        for (action, number) in actions {
            if action >= ACTIONS {
                if let Some(before) = states.pop() {
                    Store::open_for_writing(&path, &Context::default()).unwrap().undo().unwrap();
                    now = dump(&path);
                    prop_assert!(now == before);
                }
                continue;
            }
            let known = changes(&path);
            act(&path, action, number);
            let after = dump(&path);
            if changes(&path) > known {
                states.push(std::mem::replace(&mut now, after));
            } else {
                prop_assert!(now == after, "a change is in the history, or there is none");
            }
        }
        for before in states.into_iter().rev() {
            Store::open_for_writing(&path, &Context::default()).unwrap().undo().unwrap();
            prop_assert!(dump(&path) == before);
        }
        let said = complaint(["undo", arg(&path)], &path);
        prop_assert!(said.contains("created the file"), "{said}");
    }
}

#[test]
fn history_lists_what_was_done_and_keeps_as_much_as_it_is_told() {
    let (_folder, path) = imported();
    for value in 1..4 {
        let mut store = Store::open_for_writing(&path, &Context::default()).unwrap();
        let update = store.change().unwrap();
        let sql = format!("UPDATE book SET level = {value}");
        update.connection().execute_batch(&sql).unwrap();
        update.commit(&()).unwrap();
    }
    let undone = json(["undo", arg(&path), "--json"]);
    assert_eq!((&undone["id"], &undone["rows"]), (&4.into(), &1.into()));
    let states = |history: &serde_json::Value| {
        let changes = history.as_array().unwrap().iter();
        let state = |it: &serde_json::Value| {
            (
                it["log"].as_str().unwrap().to_owned(),
                it["undone"].is_string(),
            )
        };
        changes.map(state).collect::<Vec<_>>()
    };
    let kept = |log: &str| (log.to_owned(), false);
    let undone = (String::from("kept"), true);
    let history = json(["history", arg(&path), "--json"]);
    assert_eq!(
        states(&history),
        [kept("none"), kept("kept"), kept("kept"), undone.clone()]
    );
    let history = json(["history", arg(&path), "--keep", "1", "--json"]);
    assert_eq!(
        states(&history),
        [kept("none"), kept("dropped"), kept("kept"), undone]
    );
    stdout(["undo", arg(&path)]);
    let before = dump(&path);
    let said = complaint(["undo", arg(&path)], &path);
    assert!(
        said.contains("change 2") && said.contains("its log was dropped"),
        "{said}"
    );
    assert!(dump(&path) == before);
    let table = stdout(["history", arg(&path)]);
    assert!(
        table.contains("obook import")
            && table.contains("log dropped")
            && table.contains("redo possible"),
        "{table}"
    );
}

/// What somebody changed behind obook's back is not overwritten.
#[test]
fn undo_refuses_where_rows_were_changed_by_others() {
    let (_folder, path) = imported();
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
    let said = complaint(["undo", arg(&path)], &path);
    assert!(said.contains("another program has changed"), "{said}");
    assert!(dump(&path) == before);
}

/// What somebody's own triggers and foreign keys did belongs to the change; while it is taken back they do nothing.
#[test]
fn undo_wakes_no_triggers() {
    let (_folder, path) = imported();
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
            update.log_whole(whole).unwrap();
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

/// A number as the log has it: LEB128.
fn put(bytes: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// A part of the log that deletes rows from a table of one column; its cells are given.
fn part(steps: usize, cells: &[u8]) -> Vec<u8> {
    let shapes = br#"[{"name":"notes","columns":["a"],"key":[0]}]"#;
    let mut part = Vec::new();
    for piece in [&shapes[..], &vec![1; steps], cells] {
        put(&mut part, piece.len());
        part.extend(piece);
    }
    zstd::encode_all(&part[..], 1).unwrap()
}

/// A few bytes of a log from a stranger do not fill the memory.
#[test]
fn a_log_that_expands_beyond_measure_is_refused() {
    let (_folder, path) = imported();
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
    // A blob, and many that share all but nothing with the one before.
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
        let said = complaint(["undo", arg(&path)], &path);
        assert!(
            said.contains("table undo, part 1 ") && said.contains("more than"),
            "{said}"
        );
        assert!(dump(&path) == before);
    }
}

/// SQL as a change of its own.
pub(super) fn change(path: &Path, sql: &str) {
    let mut store = Store::open_for_writing(path, &Context::new("obook query")).unwrap();
    let update = store.change().unwrap();
    update.connection().execute_batch(sql).unwrap();
    update.commit(&()).unwrap();
}

/// A table of one's own does not stand in the way: it stays, and all else is as before.
#[test]
fn a_table_that_was_created_stays_and_changes_before_it_are_undone() {
    let (_folder, path) = imported();
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
        stdout(["undo", arg(&path)]);
        dump(&path)
    };
    assert!(undo() == third);
    for before in [second, first] {
        let mut now = undo();
        let mine = now.remove("mine").expect("the table stays");
        assert_eq!(mine, third["mine"]);
        assert!(now == before);
    }
}

#[test]
fn what_drops_or_alters_a_table_can_not_be_undone() {
    for sql in [
        "DROP TABLE mine",
        "ALTER TABLE mine ADD COLUMN y",
        "ALTER TABLE mine RENAME TO yours",
        // The same table again, without its rows.
        "DROP TABLE mine; CREATE TABLE mine (x)",
    ] {
        let (_folder, path) = imported();
        change(&path, "CREATE TABLE mine (x); INSERT INTO mine VALUES (1)");
        change(&path, sql);
        let before = dump(&path);
        let said = complaint(["undo", arg(&path)], &path);
        assert!(
            said.contains("change 3") && said.contains("dropped or altered a table"),
            "{sql}: {said}"
        );
        assert!(dump(&path) == before);
    }
}

#[test]
fn a_damaged_log_is_told() {
    let (_folder, path) = imported();
    let wipe = "UPDATE positions SET value = NULL";
    Connection::open(&path)
        .unwrap()
        .execute_batch(wipe)
        .unwrap();
    stdout(["fix", arg(&path)]);
    let log: Vec<u8> = match &rows(&path, "SELECT data FROM undo WHERE whole = 'positions'")[0][0] {
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
        let said = complaint(["undo", arg(&path)], &path);
        assert!(said.contains("damaged"), "{place}: {said}");
        assert!(dump(&path) == before);
    }
}

#[test]
fn a_snapshot_comes_back() {
    let (folder, path) = imported();
    let file = folder.path().join("book.zst");
    let other = folder.path().join("other.obook");
    let before = dump(&path);
    // Somebody is writing.
    let writer = Connection::open(&path).unwrap();
    writer
        .execute_batch("BEGIN IMMEDIATE; DELETE FROM positions")
        .unwrap();
    let made = json(["snapshot", arg(&path), arg(&file), "--json"]);
    assert_eq!(made["compressed"], file.metadata().unwrap().len());
    writer.execute_batch("COMMIT").unwrap();
    complaint(["snapshot", arg(&path), arg(&file)], &file);
    stdout(["restore", arg(&file), arg(&other)]);
    assert!(dump(&other) == before);
    assert_eq!(
        rows(&other, "PRAGMA journal_mode"),
        [[Value::Text(String::from("wal"))]]
    );
    stdout(["verify", arg(&other)]);

    // A database in use is not replaced; one that is not is, though its last changes lie in files beside it.
    complaint(["restore", arg(&file), arg(&path)], &path);
    complaint(["restore", arg(&file), arg(&path), "--force"], &path);
    assert!(dump(&path) != before);
    drop(writer);
    stdout(["restore", arg(&file), arg(&path), "--force"]);
    assert!(dump(&path) == before);
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        3,
        "nothing else is left"
    );
}

#[test]
fn what_is_no_snapshot_is_not_restored() {
    let (folder, path) = imported();
    let file = folder.path().join("book.zst");
    let other = folder.path().join("other.obook");
    stdout(["snapshot", arg(&path), arg(&file)]);
    let whole = std::fs::read(&file).unwrap();
    let refused = |bytes: &[u8]| {
        std::fs::write(&file, bytes).unwrap();
        let said = complaint(["restore", arg(&file), arg(&other)], &file);
        assert!(!other.exists(), "{said}");
        said
    };
    for length in [0, 3, 100, whole.len() / 2, whole.len() - 1] {
        refused(&whole[..length]);
    }
    for place in (0..whole.len()).step_by(whole.len() / 20) {
        let mut damaged = whole.clone();
        damaged[place] ^= 1;
        refused(&damaged);
    }
    let database = zstd::decode_all(&whole[..]).unwrap();
    let mut damaged = database.clone();
    for byte in &mut damaged[4096 * 3..4096 * 4] {
        *byte = 0xaa;
    }
    let said = refused(&zstd::encode_all(&damaged[..], 1).unwrap());
    assert!(said.contains("sound"), "{said}");
    let said = refused(&zstd::encode_all(&b"no database"[..], 1).unwrap());
    assert!(said.contains("not a snapshot"), "{said}");
    let mut foreign = database;
    foreign[68..72].copy_from_slice(&[0; 4]);
    let said = refused(&zstd::encode_all(&foreign[..], 1).unwrap());
    assert!(said.contains("application_id"), "{said}");
}
