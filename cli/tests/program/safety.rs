//! If a process dies while it changes a book, the book is as before or as after.

use crate::support::program::{arg, complaint, obook, stdout};
use crate::support::report::GAMES;
use obook_testing::stored_book::digest;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;
use tempfile::TempDir;

/// Copies a database with its WAL files, as a power cut leaves it.
fn copy(from: &Path, to: &Path) {
    for end in ["", "-wal", "-shm"] {
        let beside = |path: &Path| PathBuf::from(format!("{}{end}", path.display()));
        let _ = std::fs::remove_file(beside(to));
        if beside(from).exists() {
            std::fs::copy(beside(from), beside(to)).unwrap();
        }
    }
}

/// Damages values and links, for a command to repair.
const WIPE: &str =
    "UPDATE positions SET value = -7, lines = 4; DELETE FROM links WHERE move % 3 = 0";

/// Another book to merge.
const OTHER: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../tests/data/edax/small.subtree_f5d6c4.dat"
);

/// Commands that change a database, as typed, and SQL to run on it first. BOOK is the database, OTHER another book.
const COMMANDS: [(&str, &str); 15] = [
    ("fix BOOK", WIPE),
    ("fix BOOK --rules egaroucid", WIPE),
    ("fix BOOK --memory 1KB", WIPE),
    ("link BOOK", "DELETE FROM links"),
    ("negamax BOOK --rules egaroucid-edax", WIPE),
    ("verify BOOK --fix-what-is-safe", WIPE),
    ("accuracy BOOK --store", "UPDATE book SET level = 1"),
    ("merge BOOK OTHER", WIPE),
    ("merge BOOK OTHER", "UPDATE book SET fixed = 1"),
    ("prune BOOK", WIPE),
    ("subtree BOOK f5d6c5", WIPE),
    ("depth BOOK 20", WIPE),
    ("level BOOK --at-most 1", WIPE),
    ("edit BOOK f5d6c5 --value 9", "UPDATE book SET fixed = 1"),
    ("undo BOOK", "SELECT 1"),
];

/// The number of kills of each command and of each import. `faults` kills more of them, after each of their calls.
const KILLS: u32 = 3;

/// A folder with a database that was imported, fixed, and then damaged.
fn book(damage: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.obook");
    stdout(["import", GAMES, "--book", arg(&path)]);
    stdout(["negamax", arg(&path), "--rules", "egaroucid"]);
    Connection::open(&path)
        .unwrap()
        .execute_batch(damage)
        .unwrap();
    (folder, path)
}

/// The arguments as typed after obook.
fn words(command: &str, book: &Path) -> String {
    command.replace("BOOK", arg(book)).replace("OTHER", OTHER)
}

fn start(command: &str, book: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_obook"))
        .args(words(command, book).split(' '))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Starts a command several times, and kills it after different times, from none to as long as it takes. `check` looks at the
/// result, and returns whether the command had finished.
fn kill(command: &str, path: &Path, mut prepare: impl FnMut(), mut check: impl FnMut() -> bool) {
    prepare();
    let started = Instant::now();
    start(command, path).wait().unwrap();
    let all = started.elapsed();
    assert!(check(), "{command}: undisturbed, it comes to its end");
    let mut ended = 0;
    for number in 0..KILLS {
        prepare();
        let mut child = start(command, path);
        std::thread::sleep(all * number / (KILLS - 1));
        child.kill().unwrap();
        child.wait().unwrap();
        ended += u32::from(check());
    }
    assert!(ended < KILLS, "{command}: one kill at least came in time");
}

#[test]
fn a_killed_change_was_made_or_was_not() {
    for (command, damage) in COMMANDS {
        let (folder, original) = book(damage);
        let path = folder.path().join("work.obook");
        copy(&original, &path);
        let before = digest(&path);
        start(command, &path).wait().unwrap();
        let after = digest(&path);
        assert_ne!(before, after, "{command}");
        let check = || {
            let now = digest(&path);
            assert!(
                now == before || now == after,
                "{command}: neither as before nor as after"
            );
            // The next command works as if nothing had happened.
            if now == before {
                start(command, &path).wait().unwrap();
                assert_eq!(digest(&path), after, "{command}");
            }
            now == after
        };
        kill(command, &path, || copy(&original, &path), check);
        stdout(["fix", arg(&path)]);
        stdout(["verify", arg(&path)]);
    }
}

#[test]
fn a_killed_import_leaves_the_old_book_or_the_new_one() {
    let (folder, path) = book(WIPE);
    let original = folder.path().join("original.obook");
    copy(&path, &original);
    let before = digest(&path);
    let import = format!("import {GAMES} --book BOOK --force");
    start(&import, &path).wait().unwrap();
    let after = digest(&path);
    let check = || {
        let now = digest(&path);
        assert!(
            now == before || now == after,
            "neither the old book nor the new one"
        );
        now == after
    };
    kill(&import, &path, || copy(&original, &path), check);
    // Also on top of what the last kill left.
    start(&import, &path).wait().unwrap();
    assert_eq!(digest(&path), after);
    stdout(["verify", arg(&path)]);

    let new = folder.path().join("new.obook");
    let import = format!("import {GAMES} --book BOOK");
    let check = || {
        let complete = new.exists();
        assert!(
            !complete || digest(&new) == after,
            "a book under its name is complete"
        );
        complete
    };
    kill(&import, &new, || drop(std::fs::remove_file(&new)), check);
}

/// Law (Crashes, untrusted books, concurrency): Readers see one state, whoever writes meanwhile.
/// Also: `cli/tests/program/side_by_side.rs` `eight_readers_see_one_state_each_beside_two_writers`
#[test]
fn readers_and_a_writer_leave_each_other_alone() {
    let (_folder, path) = book(WIPE);
    let writer = Connection::open(&path).unwrap();
    writer
        .execute_batch("BEGIN IMMEDIATE; DELETE FROM leaves; DELETE FROM positions")
        .unwrap();
    for command in ["info", "stats", "show", "line", "history"] {
        stdout([command, arg(&path)]);
    }
    writer.execute_batch("ROLLBACK").unwrap();
    let reader = Connection::open(&path).unwrap();
    let count = || -> i64 {
        let sql = "SELECT count(*) FROM positions WHERE value = -7";
        reader.query_row(sql, [], |row| row.get(0)).unwrap()
    };
    reader.execute_batch("BEGIN").unwrap();
    let before = count();
    stdout(["fix", arg(&path)]);
    assert_eq!(count(), before, "a reader sees one state");
    reader.execute_batch("COMMIT").unwrap();
    assert_ne!(count(), before);
}

#[test]
fn a_second_writer_says_that_it_waits_and_gives_up_in_time() {
    let (_folder, path) = book(WIPE);
    let before = digest(&path);
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    for command in ["fix", "link", "negamax", "undo"] {
        let said = complaint([command, arg(&path), "--wait", "0"], &path);
        assert!(said.contains("another process is still writing"), "{said}");
    }
    let output = obook(["fix", arg(&path), "--wait", "2"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    let lines: Vec<&str> = said.lines().collect();
    assert!(
        lines[0].ends_with("another process is writing; waiting up to 2 s"),
        "{said}"
    );
    assert!(lines[1].contains("after 2 s"), "{said}");
    drop(writer);
    assert_eq!(digest(&path), before);
    stdout(["fix", arg(&path), "--wait", "0"]);
}

/// Files that can't grow, as on a full disk.
#[cfg(unix)]
/// Law (Crashes, untrusted books, concurrency): A full disk changes nothing.
/// Also: `cli/tests/program/bad_input.rs` `a_full_disk_ends_in_an_error_and_leaves_nothing`
#[test]
fn without_room_nothing_changes() {
    for (command, damage) in COMMANDS {
        let (folder, path) = book(damage);
        let before = digest(&path);
        let folder_before = std::fs::read_dir(folder.path()).unwrap().count();
        let mut failures = 0;
        // Blocks of 512 bytes.
        for room in [0, 8, 40, 100, 200] {
            let words = words(command, &path);
            let script = format!(
                "ulimit -f {room}; trap '' XFSZ; exec {} {words}",
                env!("CARGO_BIN_EXE_obook")
            );
            let output = Command::new("sh").args(["-c", &script]).output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            if output.status.success() {
                break;
            }
            failures += 1;
            assert_eq!(output.status.code(), Some(1), "{command}: {said}");
            assert_eq!(said.lines().count(), 1, "one sentence: {said}");
            assert!(
                said.starts_with(&format!("obook: {}", path.display())),
                "{said}"
            );
            assert_eq!(digest(&path), before, "{command}");
            let now = std::fs::read_dir(folder.path()).unwrap().count();
            assert!(
                now <= folder_before + 2,
                "nothing but SQLite's own files is left"
            );
        }
        assert!(failures > 0, "{command}");
    }
}
