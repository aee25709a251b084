//! Bad input gives exit status 1 and one sentence that names the file. Nothing is lost or half-written.

use crate::support::program::{self, arg, complaint, obook, stdout};
use crate::support::report::GAMES;
use obook_testing::golden::golden;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A book file that is in the way.
const OTHER: &str = "../tests/data/edax/small.subtree_f5d6c4.dat";

/// A folder with a small real book, and the path for its database.
fn folder() -> (TempDir, Vec<u8>, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let book = fs::read(golden("edax/games.prune.dat")).unwrap();
    let database = folder.path().join("book.obook");
    (folder, book, database)
}

/// The names of all files in a folder.
fn listing(folder: &Path) -> Vec<PathBuf> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    names.sort();
    names
}

/// Tries to import `bytes` and returns the error message; only the file itself may be left.
fn refused(bytes: &[u8]) -> String {
    let (folder, _, database) = folder();
    let file = folder.path().join("bad.dat");
    fs::write(&file, bytes).unwrap();
    let complaint = complaint(["import", arg(&file), "--book", arg(&database)], &file);
    assert_eq!(listing(folder.path()), [file]);
    complaint
}

/// `book` with these bytes at an offset.
fn patched(book: &[u8], offset: usize, bytes: &[u8]) -> Vec<u8> {
    let mut patched = book.to_vec();
    patched[offset..offset + bytes.len()].copy_from_slice(bytes);
    patched
}

#[test]
fn a_file_cut_off_anywhere_is_refused() {
    let (_, book, _) = folder();
    // The codecs' own tests try every byte; this is a sample through the whole program.
    for length in (0..book.len())
        .step_by(97)
        .chain([41, 42, 43, book.len() - 1])
    {
        refused(&book[..length]);
    }
}

#[test]
fn damaged_headers_are_refused() {
    let (_, book, _) = folder();
    assert!(refused(&patched(&book, 0, b"DAXE")).contains("no book format"));
    let version = refused(&patched(&book, 8, &[9]));
    assert!(
        version.contains("version 9") && version.contains("version 4"),
        "{version}"
    );
    for count in [0, 71, 73, i32::MAX, -1] {
        let complaint = refused(&patched(&book, 38, &i32::to_le_bytes(count)));
        assert!(
            complaint.contains(&count.to_string()) && complaint.contains("72"),
            "{complaint}"
        );
    }
}

#[test]
fn damaged_positions_are_refused() {
    let (_, book, _) = folder();
    let links = usize::from(book[42 + 38]);
    assert!(links > 0);
    let (link, leaf) = (42 + 40, 42 + 40 + 2 * links);
    let player = &book[42..50].to_vec();
    for (offset, bytes, expected) in [
        (50, player.as_slice(), "both sides"),
        (link + 1, &[0][..], "expected a legal move"),
        (link + 1, &[64][..], "is pa (64)"),
        (link + 1, &[200][..], "200"),
        (leaf, &[3, book[link + 1]][..], "twice"),
    ] {
        let complaint = refused(&patched(&book, offset, bytes));
        assert!(
            complaint.contains(expected),
            "{expected} expected, found {complaint}"
        );
        assert!(complaint.contains("position 1 (byte 42)"), "{complaint}");
    }
}

#[test]
fn files_that_are_not_books_are_refused() {
    let (folder, _, database) = folder();
    let missing = folder.path().join("missing.dat");
    let text = complaint(
        ["import", arg(&missing), "--book", arg(&database)],
        &missing,
    );
    assert!(text.contains("No such file"), "{text}");
    let text = complaint(
        ["import", arg(folder.path()), "--book", arg(&database)],
        folder.path(),
    );
    assert!(text.contains("a directory"), "{text}");
    for command in ["info", "stats", "show"] {
        let text = complaint([command, arg(folder.path())], folder.path());
        assert!(text.contains("a directory"), "{text}");
        complaint([command, arg(&missing)], &missing);
    }
    let empty = folder.path().join("empty");
    fs::write(&empty, "").unwrap();
    complaint(["info", arg(&empty)], &empty);
    // Files of other commands are named with their command.
    let json = folder.path().join("lines");
    for (line, found) in [
        (r#"{"question":1,"board":"---"}"#, "`obook work FILE`"),
        (r#"{"reply":1,"board":"---"}"#, "`obook merge BOOK FILE`"),
        (r#"{"a":1}"#, "is JSON, which no book is"),
    ] {
        fs::write(&json, line).unwrap();
        for command in ["info", "import"] {
            let text = complaint([command, arg(&json)], &json);
            assert!(text.contains(found) && text.contains("byte 0"), "{text}");
            assert!(!text.contains("XADEKOOB"), "{text}");
        }
    }
    let text = complaint(["work", OTHER], Path::new(OTHER));
    assert!(text.contains("`obook tasks BOOK > FILE`"), "{text}");
}

/// Law (Crashes, untrusted books, concurrency): Without `--force` nothing is replaced; with it, only what
/// obook writes, by something of the same kind and game, and never an input.
/// Also: `cli/tests/program/replacing.rs` `force_replaces_only_a_file_of_the_same_kind` `an_input_is_never_replaced`
/// `links_stay_and_only_files_are_replaced` `what_is_written_may_be_replaced` `cli/tests/program/shogi.rs`
/// `nothing_of_one_game_replaces_its_like_of_the_other`
#[test]
fn an_output_that_exists_is_kept_unless_forced() {
    let (folder, book, database) = folder();
    let file = folder.path().join("book.dat");
    fs::write(&file, &book).unwrap();
    stdout(["import", arg(&file), "--book", arg(&database)]);
    let output = folder.path().join("out.dat");
    fs::copy(OTHER, &output).unwrap();
    for command in ["export", "convert"] {
        let text = complaint([command, arg(&database), arg(&output)], &output);
        assert!(text.contains("--force"), "{text}");
        assert_eq!(fs::read(&output).unwrap(), fs::read(OTHER).unwrap());
    }
    let in_folder = complaint(
        [
            "export",
            arg(&database),
            arg(folder.path()),
            "--format",
            "edax",
        ],
        folder.path(),
    );
    assert!(in_folder.contains("a directory"), "{in_folder}");
    stdout(["export", arg(&database), arg(&output), "--force"]);
    assert_eq!(fs::read(&output).unwrap().len(), book.len());
    let nowhere = folder.path().join("no/such/folder/out.dat");
    complaint(["export", arg(&database), arg(&nowhere)], &nowhere);
}

#[test]
fn a_failed_import_leaves_the_database_as_it_was() {
    let (folder, book, database) = folder();
    let file = folder.path().join("book.dat");
    fs::write(&file, &book).unwrap();
    stdout(["import", arg(&file), "--book", arg(&database)]);
    let before = fs::read(&database).unwrap();
    fs::write(&file, &book[..book.len() - 1]).unwrap();
    complaint(
        ["import", arg(&file), "--book", arg(&database), "--force"],
        &file,
    );
    assert_eq!(fs::read(&database).unwrap(), before);
    assert_eq!(listing(folder.path()), [file, database]);
}

#[test]
fn databases_of_others_are_refused() {
    let (folder, _, _) = folder();
    let foreign = folder.path().join("foreign.db");
    let connection = rusqlite::Connection::open(&foreign).unwrap();
    connection.execute_batch("CREATE TABLE t (x)").unwrap();
    let text = complaint(["info", arg(&foreign)], &foreign);
    assert!(text.contains("application_id"), "{text}");
    connection
        .pragma_update(None, "application_id", obook::APPLICATION_ID)
        .unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    for command in [&["info"][..], &["import", GAMES, "--book"]] {
        let text = complaint(command.iter().copied().chain([arg(&foreign)]), &foreign);
        assert!(
            text.contains("version 99") && text.contains("newer obook"),
            "{text}"
        );
    }
}

#[test]
fn files_are_imported_and_merged_all_or_not_at_all() {
    for (word, first, second) in [
        (
            "othello",
            GAMES,
            "../tests/data/edax/small.subtree_f5d6c4.dat",
        ),
        (
            "shogi",
            "../examples/q1_quiet_or_check.db",
            "../examples/q1_quiet_or_check.out.db",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let [new, old, none] =
            ["new.obook", "old.obook", "none.dat"].map(|name| folder.path().join(name));
        let import = |book: &Path, more: &[&str]| {
            let words = ["import", first, second, arg(&none), "--book", arg(book)];
            let output = obook(words.iter().chain(more));
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{word}: {said}");
            assert!(said.contains("none.dat"), "{word}: {said}");
        };
        let entries = || fs::read_dir(&folder).unwrap().count();
        import(&new, &[]);
        assert_eq!(entries(), 0, "{word}");
        stdout(["import", second, "--book", arg(&old)]);
        let before = fs::read(&old).unwrap();
        import(&old, &["--force"]);
        import(&old, &[]);
        let merge = obook(["merge", arg(&old), first, arg(&none)]);
        assert_eq!(merge.status.code(), Some(1), "{word}");
        assert!(fs::read(&old).unwrap() == before, "{word}: it has changed");
        assert_eq!(entries(), 1, "{word}");
        // With both files there, all of it happens, and is one book.
        stdout(["import", first, second, "--book", arg(&new)]);
        stdout(["merge", arg(&old), first]);
        assert_eq!(
            stdout(["stats", arg(&new)]),
            stdout(["stats", arg(&old)]).replace("old.obook", "new.obook"),
            "{word}"
        );
    }
}

/// Law (Crashes, untrusted books, concurrency): SQL without `--write` changes no table and opens no other file.
/// Also: `cli/tests/program/query.rs` `refusals_say_why` `cli/tests/fuzzed/replay.rs` `sql`
#[test]
fn queries_change_nothing() {
    let (folder, book, database) = folder();
    let file = folder.path().join("book.dat");
    fs::write(&file, &book).unwrap();
    stdout(["import", arg(&file), "--book", arg(&database)]);
    let other = folder.path().join("other.db");
    for sql in [
        String::from("DELETE FROM positions"),
        String::from("UPDATE positions SET value = 0"),
        String::from("CREATE TABLE t (x)"),
        String::from("PRAGMA query_only = 0"),
        String::from("PRAGMA user_version = 8"),
        String::from("VACUUM"),
        String::from("SELECT 1; DELETE FROM positions"),
        format!("ATTACH '{}' AS other", other.display()),
        format!("VACUUM INTO '{}'", other.display()),
        String::from("SELECT load_extension('x')"),
    ] {
        complaint(["query", arg(&database), &sql], &database);
        assert!(!other.exists());
    }
    let count = stdout([
        "query",
        arg(&database),
        "SELECT count(*) FROM positions",
        "--format",
        "csv",
    ]);
    assert_eq!(count, "count(*)\n72\n");
}

#[test]
fn a_line_that_is_none_says_where() {
    let book = golden("edax/games.prune.dat");
    let output = program::obook(["show", arg(&book), "f5f5"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        text.contains("f5, is not legal after f5: legal moves are"),
        "{text}"
    );
}

/// Makes the disk look as if it had room for two pages.
#[test]
#[cfg(unix)]
fn a_full_disk_ends_in_an_error_and_leaves_nothing() {
    let (folder, book, database) = folder();
    let file = folder.path().join("book.dat");
    fs::write(&file, &book).unwrap();
    let limited = |arguments: &str| {
        // `ulimit -f` counts blocks of 512 or 1024 bytes; ignoring SIGXFSZ turns the limit into an error.
        let script = format!(
            "trap '' XFSZ; ulimit -f 4; exec '{}' {arguments}",
            env!("CARGO_BIN_EXE_obook")
        );
        std::process::Command::new("sh")
            .arg("-c")
            .arg(script)
            .output()
            .unwrap()
    };
    let output = limited(&format!(
        "import '{}' --book '{}'",
        file.display(),
        database.display()
    ));
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    assert_eq!(listing(folder.path()), std::slice::from_ref(&file));

    let big = golden("games.dat");
    let out = folder.path().join("out.dat");
    let output = limited(&format!("convert '{}' '{}'", big.display(), out.display()));
    assert_eq!(
        output.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(listing(folder.path()), [file]);
}
