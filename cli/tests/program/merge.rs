//! `obook merge`.

use crate::support::program::{arg, complaint, json, stdout};
use crate::support::report::Report;
use obook_testing::book_rows::{Rows, rows};
use obook_testing::imported::fix;
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const GAMES: &str = "../examples/games.dat";
const SMALL: &str = "../examples/small.dat.zst";
const OTHER: &str = "../tests/data/edax/small.subtree_f5d6c4.dat";
const EGAROUCID: &str = "../tests/data/egaroucid/games.mixed.egbk3";

/// A database of the games.
fn games() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("games.obook");
    stdout(["import", GAMES, "--book", arg(&path)]);
    (folder, path)
}

/// Whether merging the games again skips them.
fn is_known(book: &Path) -> bool {
    let merged = json(["merge", arg(book), GAMES, "--dry-run", "--json"]);
    merged["sources"][0]["known"].as_bool().unwrap()
}

fn positions(book: &Path) -> u64 {
    json(["info", arg(book), "--json"])["positions"]
        .as_u64()
        .unwrap()
}

#[test]
fn a_merge_restores_cut_positions() {
    let (_folder, book) = games();
    stdout(["depth", arg(&book), "10"]);
    assert!(positions(&book) < 2247);
    stdout(["merge", arg(&book), GAMES]);
    assert_eq!(positions(&book), 2247);
    assert!(is_known(&book), "nothing was cut since");
}

/// Engines that obook doesn't know keep their names. `verify` notes those that have none.
#[test]
fn the_names_of_other_engines_come_along() {
    let folder = TempDir::new().unwrap();
    let other = folder.path().join("other.obook");
    stdout(["import", SMALL, "--book", arg(&other)]);
    let run = |sql: &str| {
        Connection::open(&other)
            .unwrap()
            .execute_batch(sql)
            .unwrap()
    };
    run("UPDATE positions SET engine = 201; UPDATE leaves SET engine = 200");
    let unnamed = || Report::of(&other).counts.get("unnamed-engine").copied();
    assert_eq!(unnamed(), Some(2));
    run("INSERT INTO engines VALUES (200, 'later')");
    assert_eq!(unnamed(), Some(1));
    // Whichever comes first.
    let third = folder.path().join("third.obook");
    stdout(["import", OTHER, "--book", arg(&third)]);
    let named = "INSERT INTO engines VALUES (200, 'even later')";
    Connection::open(&third)
        .unwrap()
        .execute_batch(named)
        .unwrap();
    for order in [[&other, &third], [&third, &other]] {
        let (_folder, book) = games();
        for source in order {
            stdout(["merge", arg(&book), arg(source)]);
        }
        let names = "SELECT group_concat(name) FROM engines WHERE engine >= 200";
        let names: Option<String> = Connection::open(&book)
            .unwrap()
            .query_row(names, [], |row| row.get(0))
            .unwrap();
        assert_eq!(names.as_deref(), Some("even later"));
    }
}

/// Law (Changes): A source counts as known until some of its contents may have gone.
#[test]
fn a_source_is_known_until_something_may_have_gone() {
    let edits: [&[&str]; 3] = [
        &["level", "BOOK", "--at-most", "1"],
        &["edit", "BOOK", "f5", "--value", "12"],
        &["query", "BOOK", "DELETE FROM leaves", "--write"],
    ];
    for edit in edits {
        let (_folder, book) = games();
        for harmless in [
            &["fix", arg(&book)][..],
            &["link", arg(&book)],
            &["negamax", arg(&book)],
            &["depth", arg(&book), "10", "--dry-run"],
            &["accuracy", arg(&book), "--store"],
        ] {
            stdout(harmless);
            assert!(is_known(&book), "{harmless:?}");
        }
        let edit = edit
            .iter()
            .map(|word| if *word == "BOOK" { arg(&book) } else { word });
        stdout(edit.clone());
        let edit: Vec<&str> = edit.collect();
        assert!(!is_known(&book), "{edit:?}");
        stdout(["undo", arg(&book)]);
        assert!(is_known(&book), "{edit:?}, taken back");
    }
}

/// A change that is still in a database's log is seen by each of its names.
#[cfg(unix)]
#[test]
fn a_source_that_changed_is_not_known_through_a_link() {
    let (folder, book) = games();
    let (_folder, source) = games();
    let link = folder.path().join("link.obook");
    std::os::unix::fs::symlink(&source, &link).unwrap();
    let merged =
        || json(["merge", arg(&book), arg(&link), "--json"])["sources"][0]["known"].clone();
    assert_eq!([merged(), merged()], [false, true]);
    // The last connection to be closed would empty the log.
    let open = Connection::open(&source).unwrap();
    open.execute_batch("SELECT * FROM book").unwrap();
    let before = std::fs::read(&source).unwrap();
    stdout(["edit", arg(&source), "f5", "--value", "12"]);
    assert_eq!(std::fs::read(&source).unwrap(), before);
    assert_eq!([merged(), merged()], [false, true]);
}

#[test]
fn a_merge_that_was_taken_back_is_made_again() {
    let (_folder, book) = games();
    let small = "../tests/data/edax/deviate.depth9.prune.dat";
    for _ in 0..2 {
        let merged = json(["merge", arg(&book), small, "--json"]);
        assert_eq!(merged["sources"][0]["known"], false);
        stdout(["undo", arg(&book)]);
    }
}

#[test]
fn force_merges_known_sources() {
    let (_folder, book) = games();
    let said = stdout(["merge", arg(&book), GAMES]);
    assert!(said.contains("already in the book"), "{said}");
    // Removals by another program are not noticed.
    let connection = rusqlite::Connection::open(&book).unwrap();
    let deepest = "(SELECT board FROM positions ORDER BY empties LIMIT 1)";
    connection
        .execute_batch(&format!("DELETE FROM positions WHERE board = {deepest}"))
        .unwrap();
    drop(connection);
    let merged = json(["merge", arg(&book), GAMES, "--force", "--json"]);
    assert_eq!(merged["sources"][0]["known"], false);
    assert_eq!(merged["sources"][0]["added"], 1);
    let sources = "SELECT count(*) AS sources FROM sources";
    let sources = stdout(["query", arg(&book), sources, "--format", "csv"]);
    assert_eq!(sources, "sources\n1\n");
}

/// Leaves whose move became a link are all that a merge may leave to be desired, and table `todo` has them.
fn assert_only_leaves_are_missing(book: &Path) {
    let found = Report::of(book);
    let todo = rows(book)["todo"].len() as u64;
    assert_eq!(
        found.counts,
        BTreeMap::from([(String::from("missing-leaf"), todo)])
    );
}

/// How many positions two real books have in common is counted by SQL, independently of the merge.
#[test]
fn two_real_books() {
    let folder = TempDir::new().unwrap();
    let [book, small] = ["book.obook", "small.obook"].map(|name| folder.path().join(name));
    stdout(["import", GAMES, "--book", arg(&book)]);
    stdout(["import", SMALL, "--book", arg(&small)]);
    let connection = Connection::open(&book).unwrap();
    connection
        .execute("ATTACH ? AS small", [arg(&small)])
        .unwrap();
    let count = |sql: &str| {
        connection
            .query_row(sql, [], |row| row.get::<_, i64>(0))
            .unwrap()
    };
    let new = count(
        "SELECT count(*) FROM small.positions WHERE board NOT IN (SELECT board FROM main.positions)",
    );
    let raised = count(
        "SELECT count(*) FROM small.positions s JOIN main.positions m USING (board) WHERE s.level > m.level",
    );
    let report = json(["merge", arg(&book), SMALL, "--json"]);
    let taken = &report["sources"][0];
    assert_eq!(taken["added"], new);
    assert_eq!(taken["raised"], raised);
    let total: u64 = ["added", "raised", "equal", "kept"]
        .iter()
        .map(|it| taken[it].as_u64().unwrap())
        .sum();
    assert_eq!(total, taken["positions"].as_u64().unwrap());
    assert_eq!(report["whole"], true, "the book had not been fixed before");
    // The same once more: nothing happens, whatever the file is called.
    let before = std::fs::read(&book).unwrap();
    let other_name = folder.path().join("other.dat.zst");
    std::fs::copy(SMALL, &other_name).unwrap();
    let said = stdout(["merge", arg(&book), SMALL, arg(&other_name)]);
    assert_eq!(said.matches("already in the book").count(), 2, "{said}");
    assert_eq!(std::fs::read(&book).unwrap(), before);
    drop(connection);
    assert_only_leaves_are_missing(&book);
}

/// A book by the other engine's rules, without links and passes, finds its place in an Edax book.
#[test]
fn books_of_two_engines() {
    let folder = TempDir::new().unwrap();
    let book = folder.path().join("book.obook");
    let report = json(["import", GAMES, EGAROUCID, "--book", arg(&book), "--json"]);
    assert_eq!(report["source"]["format"], "edax");
    let taken = &report["merged"]["sources"][0];
    assert_eq!(taken["format"], "egbk3");
    assert!(taken["raised"].as_u64().unwrap() > 1000, "{taken}");
    assert_eq!(fix(&book), 0);
    let sql = "SELECT DISTINCT name FROM leaves JOIN engines USING (engine) ORDER BY name";
    assert_eq!(
        stdout(["query", arg(&book), sql, "--format", "csv"]),
        "name\nedax\negaroucid\n"
    );
    // Into a book that is there already, import merges.
    let report = json(["import", SMALL, "--book", arg(&book), "--json"]);
    assert!(
        report["merged"]["sources"][0]["added"].as_u64().unwrap() > 8000,
        "{report}"
    );
    assert_only_leaves_are_missing(&book);
}

/// Pass positions that are put in are counted apart, and a book that comes again changes nothing and says so.
#[test]
fn the_report_says_what_was_done() {
    let folder = TempDir::new().unwrap();
    let book = folder.path().join("book.obook");
    stdout(["import", SMALL, "--book", arg(&book)]);
    let before = positions(&book);
    let said = stdout(["merge", arg(&book), EGAROUCID]);
    assert!(said.contains("\npass positions added: 5\n"), "{said}");
    let counts = json(["history", arg(&book), "--json"])[1]["counts"].clone();
    let count = |name: &str| counts[name].as_u64().unwrap();
    assert_eq!(count("restored"), 5);
    assert_eq!(before + count("added") + 5, positions(&book));
    let after = rows(&book);
    let again = json(["merge", arg(&book), EGAROUCID, "--force", "--json"]);
    for nothing in ["restored", "links", "leaves_lost"] {
        assert_eq!(again[nothing], 0, "{nothing}: {again}");
    }
    for table in ["positions", "links", "leaves", "todo"] {
        assert_eq!(rows(&book)[table], after[table], "{table}");
    }
}

#[test]
fn a_dry_run_writes_nothing() {
    let (_folder, book) = games();
    for _ in 0..2 {
        let before = std::fs::read(&book).unwrap();
        let dry = stdout(["merge", arg(&book), SMALL, "--dry-run"]);
        assert!(dry.ends_with("Nothing was written: --dry-run\n"), "{dry}");
        assert_eq!(std::fs::read(&book).unwrap(), before);
        stdout(["fix", arg(&book)]);
    }
}

#[test]
fn files_that_are_not_books_are_refused() {
    let (folder, book) = games();
    let before = std::fs::read(&book).unwrap();
    let broken = folder.path().join("broken.dat");
    let bytes = std::fs::read(GAMES).unwrap();
    std::fs::write(&broken, &bytes[..bytes.len() - 3]).unwrap();
    complaint(["merge", arg(&book), arg(&broken)], &broken);
    complaint(["merge", GAMES, arg(&book)], Path::new(GAMES));
    let missing = folder.path().join("missing.dat");
    complaint(["merge", arg(&book), arg(&missing)], &missing);
    complaint(["merge", arg(&missing), GAMES], &missing);
    let empty = folder.path().join("answers.txt");
    std::fs::write(&empty, "").unwrap();
    let said = complaint(["merge", arg(&book), arg(&empty)], &empty);
    assert!(
        said.ends_with("an empty file; expected a book or answers\n"),
        "{said}"
    );
    let damaged = r#"{"reply":1,"board":"---","level":1}"#;
    for (contents, found, why) in [
        ("{\"a\":1}\n", "“{\"a\":1}”", "missing field `reply`"),
        (damaged, "“{\"reply\":1,\"boar”", "missing field `worker`"),
    ] {
        std::fs::write(&empty, contents).unwrap();
        let said = complaint(["merge", arg(&book), arg(&empty)], &empty);
        let expected = format!("byte 0: it looks like the answer of a worker: found {found}");
        assert!(said.contains(&expected) && said.contains(why), "{said}");
        assert!(!said.contains("XADEKOOB"), "{said}");
    }
    assert_eq!(std::fs::read(&book).unwrap(), before);
}

/// An increment and a pass over the whole book through temporary files say the same of the book, and make the same.
#[test]
fn the_report_does_not_depend_on_the_memory() {
    let (folder, book) = games();
    let lose = "DELETE FROM leaves WHERE board IN (SELECT board FROM positions WHERE empties > 50)";
    stdout(["query", arg(&book), lose, "--write"]);
    stdout(["fix", arg(&book)]);
    let small = "../tests/data/edax/games.prune.dat";
    for words in [
        &["merge", "BOOK", small][..],
        &["merge", "BOOK", small, "--dry-run"],
        &["import", small, "--book", "BOOK"],
    ] {
        let done = |memory: &[&str]| {
            let copy = folder.path().join("copy.obook");
            std::fs::copy(&book, &copy).unwrap();
            let words = words.iter().map(|word| match *word {
                "BOOK" => arg(&copy).to_owned(),
                word => word.to_owned(),
            });
            let words: Vec<String> = words
                .chain(memory.iter().map(|it| (*it).to_owned()))
                .collect();
            let said = stdout(&words);
            let rows = rows(&copy);
            std::fs::copy(&book, &copy).unwrap();
            let merged = json(words.into_iter().chain(["--json".to_owned()]));
            let whole = merged.get("merged").unwrap_or(&merged)["whole"].clone();
            (said, rows, whole)
        };
        let (said, after, whole) = done(&[]);
        let (said_in_files, after_in_files, whole_in_files) = done(&["--memory", "1KB"]);
        assert_eq!(
            (whole, whole_in_files),
            (false.into(), true.into()),
            "{words:?}"
        );
        assert_eq!(said, said_in_files, "{words:?}");
        assert!(after == after_in_files, "{words:?}");
        let todo = after["todo"].len();
        assert!(todo > 100, "{todo}");
        if !words.contains(&"--dry-run") {
            let line = format!("\n{todo} positions of the book need a search for their leaf: ");
            assert!(said.contains(&line), "{said}");
        }
    }
}

/// Of different errors in the headers the larger count, whichever book comes first, and the report says so.
#[test]
fn different_errors_are_named_and_the_larger_count() {
    let folder = TempDir::new().unwrap();
    let [one, other] =
        [("one", GAMES, [3, 0]), ("other", SMALL, [2, 1])].map(|(name, file, errors)| {
            let book = folder.path().join(name).with_extension("obook");
            stdout(["import", file, "--book", arg(&book)]);
            let set = "UPDATE book SET midgame_error = ?, endcut_error = ?, fixed = NULL";
            Connection::open(&book)
                .unwrap()
                .execute(set, errors)
                .unwrap();
            fix(&book);
            book
        });
    let both = [
        (&one, &other, "3 and 0", "2 and 1"),
        (&other, &one, "2 and 1", "3 and 0"),
    ];
    let merged = both.map(|(book, from, own, others)| {
        let copy = book.with_extension("merged.obook");
        std::fs::copy(book, &copy).unwrap();
        let said = stdout(["merge", arg(&copy), arg(from)]);
        let named = format!(
            "{own} in the book, {others} in {}; bounds allow for the larger",
            arg(from)
        );
        assert!(said.contains(&named), "{said}");
        let again = stdout(["merge", arg(&copy), arg(book), "--force"]);
        assert!(again.contains("bounds allow for the larger"), "{again}");
        assert_eq!(fix(&copy), 0);
        let sql = "SELECT midgame_error, endcut_error FROM book";
        let errors = stdout(["query", arg(&copy), sql, "--format", "csv"]);
        assert_eq!(errors, "midgame_error,endcut_error\n3,1\n");
        rows(&copy)
    });
    let numbers =
        |rows: &Rows| ["positions", "links", "leaves", "todo"].map(|table| rows[table].clone());
    assert!(numbers(&merged[0]) == numbers(&merged[1]));
}

/// A search that is due in a book keeps weaker leaves out of the book that it is merged into, and stays due.
#[test]
fn a_search_that_is_due_is_merged() {
    let (folder, book) = games();
    stdout(["fix", arg(&book)]);
    let due = folder.path().join("due.obook");
    std::fs::copy(&book, &due).unwrap();
    let connection = Connection::open(&due).unwrap();
    let lose = "CREATE TEMP TABLE lost AS SELECT board, move, score, level FROM leaves WHERE move IS NOT NULL ORDER BY board LIMIT 5;
         INSERT INTO todo SELECT board, 'leaf', move, score, level + 5, 1 FROM lost;
         DELETE FROM leaves WHERE board IN (SELECT board FROM lost)";
    connection.execute_batch(lose).unwrap();
    drop(connection);
    let merged = stdout(["merge", arg(&book), arg(&due)]);
    assert!(
        merged.contains("\n5 positions of the book need a search"),
        "{merged}"
    );
    assert_eq!(rows(&book)["todo"], rows(&due)["todo"]);
    // A new book has it, too.
    let new = folder.path().join("new.obook");
    stdout(["import", arg(&due), "--book", arg(&new)]);
    stdout(["fix", arg(&new)]);
    assert_eq!(rows(&new)["todo"], rows(&due)["todo"]);
}
