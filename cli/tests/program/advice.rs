//! Following the advice of an error message helps.

use crate::support::program::{arg, complaint, obook, stdout};
use crate::support::report::Report;
use obook_converters::{BookReader, BookWriter, Format};
use obook_testing::games::sample;
use rusqlite::Connection;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

const GAMES: &str = "../examples/games.dat";
const OTHER: &str = "../tests/data/edax/small.subtree_f5d6c4.dat";

/// A database of the games, in a folder of its own.
fn games() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("games.obook");
    stdout(["import", GAMES, "--book", arg(&path)]);
    (folder, path)
}

#[test]
fn force_replaces_existing_files() {
    let (folder, book) = games();
    let there = folder.path().join("there.dat");
    let snapshot = folder.path().join("old.zst");
    stdout(["snapshot", arg(&book), arg(&snapshot)]);
    stdout(["depth", arg(&book), "30"]);
    for (command, precious, what) in [
        (&["export", arg(&book)][..], Path::new(OTHER), "a book file"),
        (&["convert", GAMES], Path::new(OTHER), "a book file"),
        (
            &["snapshot", arg(&book)],
            &snapshot,
            "a snapshot of a database",
        ),
    ] {
        fs::copy(precious, &there).unwrap();
        let command = command.iter().copied().chain([arg(&there)]);
        let said = complaint(command.clone(), &there);
        let expected = format!("already exists, {what}; give --force to replace it");
        assert!(said.contains(&expected), "{said}");
        stdout(command.chain(["--force"]));
        assert!(fs::read(&there).unwrap() != fs::read(precious).unwrap());
    }
}

/// A mistyped name makes no other book.
#[test]
fn books_are_merged_into_a_database_that_exists() {
    let folder = TempDir::new().unwrap();
    let shogi = ["../examples/s2_seed.db", "../examples/q1_quiet_or_check.db"];
    for (game, [first, second], import) in [
        (&[][..], [GAMES, OTHER], "`obook import "),
        (&["shogi"], shogi, "`obook shogi import "),
    ] {
        let book = folder.path().join(format!("{}.obook", game.len()));
        let merge = [game, &["merge", arg(&book), first, second]].concat();
        let said = complaint(&merge, &book);
        let advice = said.split_once(import).unwrap().1;
        let advice = advice.split_once('`').unwrap().0;
        assert!(!book.exists(), "{said}");
        let words = advice.split(' ');
        stdout([game, &["import"]].concat().into_iter().chain(words));
        stdout(merge);
    }
}

#[test]
fn a_book_file_is_changed_into_another_or_as_a_database() {
    let (folder, book) = games();
    let output = folder.path().join("changed.dat");
    for command in [
        &["depth", GAMES, "20"][..],
        &["prune", GAMES],
        &["level", GAMES, "--at-most", "10"],
    ] {
        let said = complaint(command, Path::new(GAMES));
        assert!(
            said.contains("name a file for the changed book with --output"),
            "{said}"
        );
        assert!(
            said.contains("import it into a database with `obook import`"),
            "{said}"
        );
        let to_output = ["--output", arg(&output), "--force"];
        stdout(command.iter().chain(&to_output));
        let of_database = command
            .iter()
            .map(|word| if *word == GAMES { arg(&book) } else { word });
        stdout(of_database);
    }
    let said = complaint(["verify", GAMES, "--fix-what-is-safe"], Path::new(GAMES));
    assert!(said.contains("with --output"), "{said}");
    stdout([
        "verify",
        GAMES,
        "--fix-what-is-safe",
        "--output",
        arg(&output),
        "--force",
    ]);
}

#[test]
fn a_database_is_changed_in_place() {
    let (folder, book) = games();
    let output = folder.path().join("changed.obook");
    for command in [
        &["depth", arg(&book), "20"][..],
        &["verify", arg(&book), "--fix-what-is-safe"],
    ] {
        let said = complaint(command.iter().chain(&["--output", arg(&output)]), &book);
        assert!(said.contains("leave out --output"), "{said}");
        stdout(command);
    }
}

#[test]
fn operations_that_need_a_database_are_explained() {
    let (folder, _) = games();
    for command in [
        &["fix", GAMES][..],
        &["link", GAMES],
        &["negamax", GAMES],
        &["merge", GAMES, GAMES],
        &["edit", GAMES, "f5", "--value", "2"],
        &["accuracy", GAMES, "--store"],
        &["query", GAMES, "DELETE FROM todo", "--write"],
    ] {
        let said = complaint(command, Path::new(GAMES));
        assert!(
            said.contains("import it into a database with `obook import`"),
            "{said}"
        );
        let imported = folder.path().join(format!("{}.obook", command[0]));
        stdout(["import", GAMES, "--book", arg(&imported)]);
        let mut command = command.to_vec();
        command[1] = arg(&imported);
        stdout(command);
    }
}

/// Nothing is computed from moves of games that nobody has searched.
#[test]
fn what_was_not_searched_is_searched() {
    let folder = TempDir::new().unwrap();
    let [played, book] = ["played.obook", "book.obook"].map(|name| folder.path().join(name));
    stdout(["games", "import", arg(&sample()), "--book", arg(&played)]);
    let extract = ["extract", arg(&played), "--book", arg(&book)];
    stdout(extract.iter().chain(&["--min-games", "30", "--depth", "4"]));
    let said = complaint(["why", arg(&book)], &book);
    assert!(
        said.contains("has no value for it; `obook search`"),
        "{said}"
    );
    let said = obook(["verify", arg(&book)]);
    let said = String::from_utf8(said.stdout).unwrap();
    assert!(
        said.contains("not known yet: search missing leaves"),
        "{said}"
    );
    stdout(["search", arg(&book), "--level", "1"]);
    stdout(["why", arg(&book)]);
    stdout(["verify", arg(&book)]);
}

#[test]
fn a_longer_wait_lets_the_other_writer_finish() {
    let (_folder, book) = games();
    let other = Connection::open(&book).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let said = complaint(["fix", arg(&book), "--wait", "0"], &book);
    assert!(
        said.contains("or wait longer with --wait SECONDS"),
        "{said}"
    );
    let waiting = Command::new(env!("CARGO_BIN_EXE_obook"))
        .args(["fix", arg(&book), "--wait", "600"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    other.execute_batch("COMMIT").unwrap();
    let waited = waiting.wait_with_output().unwrap();
    assert_eq!(waited.status.code(), Some(0), "{waited:?}");
}

#[test]
fn a_missing_folder_is_named() {
    let (folder, book) = games();
    let missing = folder.path().join("missing");
    let at = |name: &str| missing.join(name);
    #[cfg_attr(not(feature = "explorer"), expect(unused_variables))]
    let [file, converted, snapshot, database, site] =
        ["a.dat", "b.dat", "c.zst", "d.obook", "site"].map(at);
    let commands: &[&[&str]] = &[
        &["export", arg(&book), arg(&file)],
        &["convert", GAMES, arg(&converted)],
        &["snapshot", arg(&book), arg(&snapshot)],
        &["import", GAMES, "--book", arg(&database)],
        #[cfg(feature = "explorer")]
        &["site", arg(&book), arg(&site)],
    ];
    for &command in commands {
        let target = Path::new(command.last().unwrap());
        let said = complaint(command, target);
        let problem = format!(
            "there is no folder {}; make it, or give another name",
            missing.display()
        );
        assert!(said.contains(&problem), "{said}");
    }
    fs::create_dir(&missing).unwrap();
    for &command in commands {
        stdout(command);
    }
}

#[test]
fn damage_is_mended_by_the_command_that_is_named() {
    let (_folder, book) = games();
    let damage = "UPDATE positions SET engine = 0 WHERE empties = 60";
    Connection::open(&book)
        .unwrap()
        .execute_batch(damage)
        .unwrap();
    let said = complaint(["depth", arg(&book), "20"], &book);
    assert!(
        said.contains("`obook verify` lists them, `obook fix` repairs"),
        "{said}"
    );
    assert_eq!(obook(["verify", arg(&book)]).status.code(), Some(1));
    stdout(["fix", arg(&book)]);
    stdout(["depth", arg(&book), "20"]);
}

#[test]
fn a_missing_leaf_is_made_of_a_link() {
    let (folder, _) = games();
    let book = "../tests/data/egaroucid/games.egbk2";
    let out = folder.path().join("out.dat");
    let convert = ["convert", book, arg(&out)];
    let refused = obook(convert);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(
        said.ends_with(", or give --missing-leaf demote\n"),
        "{said}"
    );
    assert!(!out.exists());
    let done = obook(convert.iter().chain(&["--missing-leaf", "demote"]));
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(said.contains("links that became leaves"), "{said}");
    assert_eq!(Report::of(&out).counts.get("missing-leaf"), None);
}

#[test]
fn leaves_that_a_changed_file_needs_are_searched_first() {
    let folder = TempDir::new().unwrap();
    let [file, book, made, output] =
        ["lacking.dat", "book.obook", "made.dat", "out.dat"].map(|it| folder.path().join(it));
    let reader = BookReader::open(GAMES, None).unwrap();
    let header = reader.header().clone();
    let mut writer = BookWriter::create(&file, Format::Edax, &header, None).unwrap();
    for position in reader {
        let mut position = position.unwrap();
        if position.board.board().empties() == 40 && position.links.len() == 1 {
            position.leaf = None;
        }
        writer.write(&position).unwrap();
    }
    writer.finish().unwrap();
    let level = |book| ["level", book, "--set", "12"];
    let output = ["--output", arg(&output)];
    let refused = obook(level(arg(&file)).iter().chain(&output));
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{said}");
    let words = [
        "`obook import`",
        "`obook search`",
        "`obook convert --missing-leaf demote`",
    ];
    assert!(words.iter().all(|word| said.contains(word)), "{said}");
    stdout(["import", arg(&file), "--book", arg(&book)]);
    stdout(level(arg(&book)));
    let way = ["--missing-leaf", "demote"];
    // Its losses are named.
    let converted = obook(["convert", arg(&file), arg(&made)].iter().chain(&way));
    assert_eq!(converted.status.code(), Some(0), "{converted:?}");
    stdout(level(arg(&made)).iter().chain(&output));
}

#[test]
fn a_position_that_lies_too_deep_needs_a_greater_depth() {
    let (_folder, book) = games();
    for (command, limits) in [
        ("subtree", &[][..]),
        ("reduce", &["--per-move", "1", "--per-line", "2"]),
    ] {
        let cut = [&[command, arg(&book), "f5d6", "--dry-run"], limits].concat();
        let said = complaint(cut.iter().chain(&["--depth", "1"]), &book);
        assert!(said.ends_with("give --depth 2 or more\n"), "{said}");
        stdout(cut.iter().chain(&["--depth", "2"]));
    }
}

#[test]
fn edax_books_have_one_level_for_position_and_leaf() {
    let (_folder, book) = games();
    let level = ["level", arg(&book), "--at-most", "10"];
    for alone in ["--positions", "--leaves"] {
        let said = complaint(level.iter().chain(&[alone]), &book);
        assert!(
            said.contains("leave out --positions and --leaves"),
            "{said}"
        );
    }
    stdout(level);
}

#[test]
fn a_snapshot_is_no_book() {
    let (folder, book) = games();
    let snapshot = folder.path().join("copy.zst");
    stdout(["snapshot", arg(&book), arg(&snapshot)]);
    let said = complaint(["info", arg(&snapshot)], &snapshot);
    let again = folder.path().join("copy.obook");
    let advice = format!("`obook restore {} {}`", arg(&snapshot), arg(&again));
    assert!(said.contains(&advice), "{said}");
    stdout(["restore", arg(&snapshot), arg(&again)]);
    stdout(["info", arg(&again)]);
}

#[test]
fn gzip_is_named() {
    let (folder, _) = games();
    let file = folder.path().join("games.dat.gz");
    fs::write(&file, [0x1f, 0x8b, 8, 0, 0, 0, 0, 0]).unwrap();
    let said = complaint(["info", arg(&file)], &file);
    let advice = format!("`gunzip -k {}`", arg(&file));
    assert!(said.contains(&advice), "{said}");
}

#[test]
fn the_book_comes_first() {
    for command in [
        &["show", "f5d6", GAMES][..],
        &["line", "f5", GAMES],
        &["stats", "f5"],
    ] {
        let said = obook(command);
        let said = String::from_utf8_lossy(&said.stderr);
        assert!(said.contains("the book comes first"), "{said}");
    }
    if cfg!(feature = "starter") {
        let said = obook(["plot", "tree", GAMES, "f5"]);
        let said = String::from_utf8_lossy(&said.stderr);
        assert!(said.contains("the book comes first"), "{said}");
    }
    let said = obook(["plot", "empties", GAMES]);
    assert_eq!(said.status.code(), Some(2));
    let said = String::from_utf8_lossy(&said.stderr);
    assert!(said.contains("Usage: obook plot [BOOK] empties"), "{said}");
    stdout(["plot", GAMES, "tree", "f5"]);
    let said = obook(["depth", "30", GAMES]);
    let said = String::from_utf8_lossy(&said.stderr);
    assert!(said.contains("the book comes before it"), "{said}");
}

/// Temporary files are many if the memory is little.
#[cfg(unix)]
#[test]
fn a_shell_allows_more_open_files() {
    let folder = TempDir::new().unwrap();
    let book = folder.path().join("book.obook");
    stdout(["import", GAMES, "--book", arg(&book)]);
    let before = fs::read(&book).unwrap();
    let fix = |limit: &str| {
        Command::new("sh")
            .args(["-c", &format!("{limit} && exec \"$0\" \"$@\"")])
            .arg(env!("CARGO_BIN_EXE_obook"))
            .args(["fix", arg(&book), "--memory", "1KB"])
            .output()
            .unwrap()
    };
    let refused = fix("ulimit -n 64");
    assert_eq!(refused.status.code(), Some(1));
    assert_eq!(fs::read(&book).unwrap(), before);
    let said = String::from_utf8_lossy(&refused.stderr);
    let (_, advice) = said.split_once("; a shell allows more after `").unwrap();
    let done = fix(advice.trim_end().trim_end_matches('`'));
    assert!(done.status.success(), "{done:?}");
}

#[test]
fn a_database_is_made_beside_the_file() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("my.dat");
    fs::copy(GAMES, &file).unwrap();
    let book = folder.path().join("my.obook");
    let said = stdout(["import", arg(&file)]);
    let expected = format!("database: {}\n", arg(&book));
    assert!(said.ends_with(&expected), "{said}");
    stdout(["info", arg(&book)]);
    // The ending of a compressed file doesn't count.
    for ending in ["zst", "gz", "BZ2"] {
        let packed = folder.path().join(format!("my.dat.{ending}"));
        fs::copy(GAMES, &packed).unwrap();
        let said = stdout(["import", arg(&packed), "--force"]);
        assert!(said.ends_with(&expected), "{said}");
    }
    let before = fs::read(&book).unwrap();
    let said = complaint(["import", arg(&file)], &book);
    assert!(
        said.contains("with --book") && said.contains("with --force"),
        "{said}"
    );
    assert_eq!(fs::read(&book).unwrap(), before);
    stdout(["import", arg(&file), "--force"]);
    // It replaces no file of another kind.
    fs::copy(GAMES, &book).unwrap();
    complaint(["import", arg(&file), "--force"], &book);
    assert_eq!(fs::read(&book).unwrap(), fs::read(GAMES).unwrap());
    fs::write(&book, before).unwrap();
    stdout(["import", arg(&file), "--book", arg(&book)]);
}

/// Arguments in the wrong place, or of the wrong kind, are answered by what they are.
#[test]
fn mixed_up_arguments_are_explained() {
    let (folder, book) = games();
    let records = sample();
    let records = arg(&records);
    let typo = folder.path().join("typo.dat");
    let new = folder.path().join("new.obook");
    let comment = folder.path().join("comment.txt");
    fs::write(&comment, "# no game\n").unwrap();
    for (command, expected) in [
        (
            &["import", records, "--book", arg(&new)][..],
            "import them into a database with `obook games import`",
        ),
        (
            &["games", "import", GAMES, "--book", arg(&new)],
            "a book file, where game records are expected",
        ),
        (
            &["check", arg(&book)],
            "it contains no games; `obook games import` adds some",
        ),
        (
            &["check", GAMES],
            "a book file, where game records are expected",
        ),
        (&["check", arg(&comment)], "it contains no games\n"),
        (
            &["rate", "store", arg(&book)],
            "it contains no games; `obook games import` adds some",
        ),
        (
            &["fix", GAMES],
            "a book file, where a database is required; import it into a database with `obook import`",
        ),
        (
            &["query", arg(&book), ".schema"],
            ".schema is a command of the shell, not SQL",
        ),
        (
            &["query", arg(&book), "SELECT line_to(board) FROM positions"],
            "line_to is a table: SELECT * FROM line_to(…)",
        ),
        (
            &["games", "list", GAMES],
            "a book file, where a database is required; import it into a database with `obook import`",
        ),
        (
            &["games", "stats", records],
            "game records, where a book is expected: import them into a database with `obook games import`",
        ),
        (
            &["import", arg(&book)],
            "already a database; name another with --book",
        ),
        (
            &["learn", arg(&typo), "--recipe", "quick"],
            "a new book is a database: name it",
        ),
        (
            &["learn", arg(&new), "--recipe", "best-first"],
            "give --level, for example --level 10",
        ),
    ] {
        let output = obook(command);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{command:?}: {said}");
        assert!(said.contains(expected), "{command:?}: {said}");
        assert!(!typo.exists() && !new.exists(), "{command:?}");
    }
    // The starter book doesn't answer for a book in the wrong place.
    let misplaced = obook(["plot", "tree", arg(&book)]);
    let said = String::from_utf8(misplaced.stderr).unwrap();
    assert!(
        said.contains("a file, but moves are expected here; the book comes first"),
        "{said}"
    );
    assert_eq!(said.lines().count(), 1, "{said}");
    // Nothing is wrong with these, but they say what is there.
    let none = folder.path().join("none.ggf");
    for (command, expected) in [
        (
            &["games", "export", arg(&book), arg(&none)][..],
            "it contains no games; `obook games import` adds some",
        ),
        (
            &["games", "stats", arg(&book)],
            "it contains no games; `obook games import` adds some",
        ),
    ] {
        let output = obook(command);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{command:?}: {said}");
        assert!(said.contains(expected), "{command:?}: {said}");
    }
    let swapped = obook(["query", "SELECT 1", arg(&book)]);
    let said = String::from_utf8(swapped.stderr).unwrap();
    assert!(
        said.contains("the book comes first, then the SQL"),
        "{said}"
    );
    let (_, advice) = said.split_once('`').unwrap();
    let sql = match cfg!(windows) {
        true => "\"SELECT 1\"",
        false => "'SELECT 1'",
    };
    assert!(advice.ends_with(&format!(" {sql}`\n")), "{said}");
}

#[test]
fn a_damaged_book_file_is_no_damaged_database() {
    let said = complaint(["salvage", GAMES, "new.obook"], Path::new(GAMES));
    assert!(said.contains("obook verify --fix-what-is-safe"), "{said}");
}

#[test]
fn a_book_file_has_no_history() {
    let said = complaint(["history", GAMES], Path::new(GAMES));
    assert!(
        said.contains("import it into a database with `obook import`"),
        "{said}"
    );
}

/// A snapshot is restored, not salvaged, and a format that is only read is imported, not repaired.
#[test]
fn other_files_are_not_repaired() {
    let (folder, book) = games();
    let at = |name: &str| folder.path().join(name);
    let (snapshot, new) = (at("old.zst"), at("new.obook"));
    stdout(["snapshot", arg(&book), arg(&snapshot)]);
    let said = complaint(["salvage", arg(&snapshot), arg(&new)], &snapshot);
    assert!(said.contains("`obook restore "), "{said}");
    let zebra = Path::new("../examples/zebra.cmp");
    for output in [&[][..], &["--output", arg(&at("zebra.dat"))]] {
        let verify = ["verify", arg(zebra), "--fix-what-is-safe"];
        let said = complaint(verify.iter().chain(output), zebra);
        assert!(said.contains("`obook import`"), "{said}");
    }
}
