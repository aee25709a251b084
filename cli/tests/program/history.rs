//! `obook history`, `undo`, `snapshot` and `restore`.

use crate::support::program::{arg, complaint, games_database, json, obook, stdout};
use obook::{Context, Store};
use obook_testing::book_rows::{dump, select};
use rusqlite::Connection;
use rusqlite::types::Value;

#[test]
fn history_lists_changes_and_keeps_the_requested_number() {
    let (_folder, path) = games_database();
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

#[test]
fn history_is_written_for_other_programs() {
    let (_folder, path) = games_database();
    let sql = "UPDATE book SET level = 7, depth = 3";
    stdout(["query", arg(&path), sql, "--write"]);
    let csv = stdout(["history", arg(&path), "--format", "csv"]);
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows[0], "change,time,command,counts,undo,log_bytes");
    assert!(
        rows[1].starts_with("1,") && rows[1].contains("obook import"),
        "{csv}"
    );
    // The command has a comma, and the counts have quotation marks.
    assert!(
        rows[2].starts_with("2,") && rows[2].contains("level = 7, depth = 3"),
        "{csv}"
    );
    assert!(
        rows[2].contains(r#",possible,"#) && rows[2].contains(r#""{"#),
        "{csv}"
    );
    assert_eq!(rows.len(), 3);
    let changes = json(["history", arg(&path), "--format", "json"]);
    let told = ["change", "undo", "command", "counts"].map(|column| &changes[1][column]);
    assert_eq!((told[0], told[1]), (&2.into(), &"possible".into()));
    let [command, counts] = [told[2], told[3]].map(|cell| cell.as_str().unwrap());
    assert!(command.ends_with(" --write"), "{command}");
    assert!(counts.starts_with('{'), "{counts}");
}

/// Law (Crashes, untrusted books, concurrency): Only snapshots are restored, row by row; a damaged book gives none.
/// Also: `only_snapshots_are_restored` `cli/tests/program/strangers.rs`
/// `a_damaged_book_does_not_take_the_place_of_a_good_snapshot` `cli/tests/fuzzed/replay.rs` `compressed`
#[test]
fn a_snapshot_comes_back() {
    let (folder, path) = games_database();
    let file = folder.path().join("book.zst");
    let other = folder.path().join("other.obook");
    let before = dump(&path);
    // Another process is writing.
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
        select(&other, "PRAGMA journal_mode"),
        [[Value::Text(String::from("wal"))]]
    );
    stdout(["verify", arg(&other)]);

    // A database in use is not replaced. Others are, even if their last changes are in files beside them.
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
fn only_snapshots_are_restored() {
    let (folder, path) = games_database();
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
    let database = zstd::decode_all(&whole[..]).unwrap();
    let mut harmful = 0;
    for place in (0..whole.len()).step_by(whole.len() / 20) {
        let mut damaged = whole.clone();
        damaged[place] ^= 1;
        // A changed bit can do no harm: one that copies the same bytes from another place.
        if zstd::decode_all(&damaged[..]).is_ok_and(|bytes| bytes == database) {
            continue;
        }
        refused(&damaged);
        harmful += 1;
    }
    assert!(harmful >= 10, "{harmful} changes of a bit did harm");
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

/// Undoing says which rows went and what it can't take back.
#[test]
fn undo_counts_rows_and_names_what_stays() {
    let (_folder, path) = games_database();
    let said = complaint(["undo", arg(&path)], &path);
    assert!(
        said.ends_with("can't be undone: it created the file\n"),
        "{said}"
    );
    let write = |sql: &str| obook(["query", arg(&path), "--write", sql]);
    let created = "CREATE TABLE notes (note TEXT); CREATE INDEX by_value ON positions (value);
                   CREATE VIEW best AS SELECT * FROM positions";
    assert_eq!(write(created).status.code(), Some(0));
    let undone = stdout(["undo", arg(&path)]);
    assert!(
        undone.ends_with(
            ": 0 rows\n  what was created stays, tables empty: index by_value, table notes, view best\n"
        ),
        "{undone}"
    );
    assert_eq!(
        write("INSERT INTO notes VALUES ('a'), ('b')").status.code(),
        Some(0)
    );
    let undone = stdout(["undo", arg(&path)]);
    assert!(undone.ends_with(": 2 rows\n"), "{undone}");
    assert_eq!(write("DROP INDEX by_value").status.code(), Some(0));
    let undone = stdout(["undo", arg(&path)]);
    assert!(
        undone.ends_with(": 0 rows\n  not restored, because it was dropped: index by_value\n"),
        "{undone}"
    );
}
