//! Books of NTest in the program: they come in, answer, and go out to the engines.

use crate::support::program::{arg, assert_sound, json, obook, stdout};
use obook_testing::golden::golden;
use obook_testing::ntest_book::small;
use std::path::PathBuf;
use tempfile::TempDir;

fn book() -> (TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    // The name says nothing.
    let path = folder.path().join("merge.old");
    std::fs::write(&path, small().bytes()).unwrap();
    let database = folder.path().join("ntest.obook");
    (folder, path, database)
}

#[test]
fn a_book_comes_in_answers_and_goes_out() {
    let (folder, path, database) = book();
    let said = stdout(["import", arg(&path), "--book", arg(&database)]);
    assert!(
        said.contains(": 7 positions, 9 links, 0 leaves\n"),
        "{said}"
    );
    let row = |sql: &str| {
        let answer = stdout(["query", arg(&database), sql, "--format", "csv"]);
        answer.lines().nth(1).unwrap().to_owned()
    };
    let all = "count(*), sum(value), max(level)";
    let table = format!("SELECT {all} FROM ntest('{}')", arg(&path));
    assert_eq!(row(&table), row(&format!("SELECT {all} FROM positions")));
    assert_eq!(
        row("SELECT DISTINCT name FROM positions NATURAL JOIN engines"),
        "ntest"
    );
    stdout(["fix", arg(&database)]);
    let shown = stdout(["show", arg(&database), "f5"]);
    assert!(shown.contains("[d6:+1] [f6:-3]"), "{shown}");
    let line = stdout(["line", arg(&database)]);
    assert!(line.contains("f5d6"), "{line}");
    for name in ["out.dat", "out.egbk3"] {
        let out = folder.path().join(name);
        let export = ["export", arg(&database), arg(&out)];
        assert!(
            obook(export.into_iter().chain(["--missing-leaf", "demote"]))
                .status
                .success()
        );
        assert_sound(&out);
    }
    // It joins a book of Edax.
    let games = golden("games.dat");
    stdout(["import", arg(&games), "--book", arg(&database)]);
    assert_sound(&database);
}

#[test]
fn info_speaks_ntests_words() {
    let (_folder, path, _) = book();
    let said = json(["info", arg(&path), "--json"]);
    assert_eq!(said["kind"], "NTest book, format 2");
    assert_eq!(said["contents"]["positions searched 11 plies deep"], 3);
    assert_eq!(said["lost"]["fractions of a disc"], 3);
    assert_eq!(said.get("wrong"), None);
}

/// All values come back from a book of NTest, down to where its books end.
#[test]
fn an_edax_book_goes_out_and_comes_back() {
    let (folder, path, database) = book();
    let games = golden("games.dat");
    stdout(["import", arg(&games), "--book", arg(&database)]);
    let out = folder.path().join("out.book");
    let said = json(["export", arg(&database), arg(&out), "--json"]);
    assert_eq!(said["format"], "ntest");
    let query = |sql: &str| stdout(["query", arg(&database), sql, "--format", "csv"]);
    let own = "SELECT count(*), sum(value) FROM positions WHERE empties >= 9 AND legal_moves(board) <> 'pa'";
    let both = format!(
        "SELECT count(*), sum(value) FROM positions NATURAL JOIN (SELECT board, value FROM ntest('{}'))",
        arg(&out)
    );
    assert_eq!(query(&both), query(own));
    // The leaves are positions.
    let added = query(&format!(
        "SELECT count(*) FROM ntest('{}') WHERE board NOT IN (SELECT board FROM positions)",
        arg(&out)
    ));
    let losses = &said["losses"];
    assert!(
        added.lines().nth(1).unwrap().parse::<u64>().unwrap() > 100,
        "{added}"
    );
    assert!(losses["leaves_as_positions"].as_u64() > Some(100), "{said}");
    // In a book of Edax it gives positions other levels than their leaves have, and Edax's format has one for both.
    let other = folder.path().join("other.obook");
    stdout(["import", arg(&golden("small.dat")), "--book", arg(&other)]);
    stdout(["merge", arg(&other), arg(&path)]);
    let edax = folder.path().join("edax.dat");
    let said = json([
        "export",
        arg(&other),
        arg(&edax),
        "--missing-leaf",
        "demote",
        "--json",
    ]);
    assert!(said["losses"]["leaf_levels"].as_u64() > Some(0), "{said}");
    assert_sound(&edax);
    // What is read is written again as it was.
    let [first, second] = ["first.book", "second.book"].map(|name| folder.path().join(name));
    assert!(obook(["convert", arg(&path), arg(&first)]).status.success());
    stdout(["convert", arg(&first), arg(&second), "--strict"]);
    assert_eq!(
        std::fs::read(&first).unwrap(),
        std::fs::read(&second).unwrap()
    );
}
