//! Books of Othello Sensei in the program: they come in with their forecasts, answer, and go out to the engines.

use crate::support::program::{arg, assert_sound, complaint, json, obook, stdout};
use obook_needs::needs;
use obook_testing::golden::golden;
use obook_testing::sensei_book::{encode, small, write};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn book() -> (TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sensei");
    write(&path, &small());
    let database = folder.path().join("sensei.obook");
    (folder, path, database)
}

fn csv(book: &Path, sql: &str) -> String {
    stdout(["query", arg(book), sql, "--format", "csv"])
}

fn row(book: &Path, sql: &str) -> String {
    csv(book, sql).lines().nth(1).unwrap().to_owned()
}

#[test]
fn a_folder_comes_in_with_its_forecasts() {
    let (_folder, path, database) = book();
    let said = stdout(["import", arg(&path), "--book", arg(&database)]);
    assert!(
        said.contains(": 5 positions, 7 links, 0 leaves\n"),
        "{said}"
    );
    let counts = "SELECT count(*), (SELECT count(*) FROM goals) FROM expectations";
    assert_eq!(row(&database, counts), "5,8");
    let engine = "SELECT DISTINCT name, level FROM positions NATURAL JOIN engines";
    assert_eq!(csv(&database, engine), "name,level\nsensei,25\n");
    let chances = "SELECT group_concat(score), round(sum(probability), 9), round(sum(score * probability), 6) FROM chances('f5d6')";
    let expected = row(
        &database,
        "SELECT '-2,0,2', 1.0, round(expected, 6) FROM expectations WHERE board = board('f5d6')",
    );
    assert_eq!(row(&database, chances), expected);
    // Only one score is possible.
    assert_eq!(
        csv(&database, "SELECT * FROM chances('')"),
        "score,probability\n0,1.0\n"
    );
    assert_eq!(
        csv(&database, "SELECT * FROM chances('f5d6c3')"),
        "score,probability\n"
    );
    let shown = stdout(["show", arg(&database), "f5d6"]);
    assert!(
        shown.contains("Expected: ") && shown.contains(" % ██"),
        "{shown}"
    );
    let shown = json(["show", arg(&database), "f5d6", "--json"]);
    assert_eq!(shown["forecast"]["chances"][1]["score"], 0);
    let drawn = json(["plot", arg(&database), "chances", "f5d6", "--json"]);
    let games = drawn["bars"].as_array().unwrap().iter();
    let games = games.map(|bar| bar["counts"][0].as_u64().unwrap());
    assert_eq!(games.sum::<u64>(), 1000);
    assert!(stdout(["plot", arg(&path), "chances", "f5d6"]).contains("000 games"));
    let none = complaint(["plot", arg(&database), "chances", "f5d6c3"], &database);
    assert!(none.contains("Othello Sensei"), "{none}");
    assert!(stdout(["line", arg(&database)]).contains("f5"));
    let proven = "SELECT proven_lower, proven_upper, name FROM positions JOIN engines ON engines.engine = prover";
    assert_eq!(row(&database, proven), "2,64,sensei");
    let again = json(["import", arg(&path), "--book", arg(&database), "--json"]);
    assert_eq!(again["merged"]["sources"][0]["known"], true);
    for table in ["sensei", "book_file"] {
        let sql = format!("SELECT count(*), sum(value) FROM {table}('{}')", arg(&path));
        let all = "SELECT count(*), sum(value) FROM positions";
        assert_eq!(row(&database, &sql), row(&database, all));
    }
}

#[test]
fn info_speaks_senseis_words() {
    let (_folder, path, _) = book();
    // The start position's.
    let name = format!("value_{}.val", encode(&small()[0]).len());
    std::fs::remove_file(path.join(&name)).unwrap();
    let said = json(["info", arg(&path), "--json"]);
    assert_eq!(said["kind"], "Othello Sensei book, folder");
    assert_eq!(said["contents"]["positions"], 5);
    assert_eq!(said["positions"], 4);
    let missing = format!("records in a file that is missing: {name}");
    assert_eq!(said["wrong"][missing], 1);
    let other = complaint(
        ["info", arg(path.parent().unwrap())],
        path.parent().unwrap(),
    );
    assert!(other.contains("a directory; expected"), "{other}");
}

/// Forecasts are merged apart from positions: that stays for which more positions were visited.
///
/// Law (Book files): The forecast based on more visited positions wins.
#[test]
fn forecasts_are_merged_and_undone() {
    let (folder, path, database) = book();
    let games = golden("games.dat");
    stdout(["import", arg(&games), "--book", arg(&database)]);
    let all = "SELECT count(*), sum(visited), (SELECT count(*) FROM goals) FROM expectations";
    assert_eq!(row(&database, all), "0,,0");
    stdout(["merge", arg(&database), arg(&path)]);
    assert_eq!(row(&database, all), "5,250000000.0,8");
    let more = folder.path().join("more");
    let mut records = small();
    for (place, record) in records.iter_mut().enumerate() {
        record.visited = if place == 0 { 1e6 } else { 1e8 };
        record
            .odds
            .iter_mut()
            .for_each(|odds| odds.proof = odds.proof.saturating_add(1));
    }
    write(&more, &records);
    // From a database as from a folder.
    let other = folder.path().join("more.obook");
    stdout(["import", arg(&more), "--book", arg(&other)]);
    stdout(["merge", arg(&database), arg(&other)]);
    assert_eq!(row(&database, all), "5,450000000.0,8");
    stdout(["undo", arg(&database)]);
    assert_eq!(row(&database, all), "5,250000000.0,8");
    stdout(["undo", arg(&database)]);
    assert_eq!(row(&database, all), "0,,0");
}

/// The engines' books follow their rules and meet their demands, so a fix of theirs changes nothing.
///
/// Law (Book files): The engines' own `fix` changes nothing in books converted or merged from other programs' books.
#[test]
fn the_engines_accept_what_goes_out() {
    let (folder, path, database) = book();
    stdout(["import", arg(&path), "--book", arg(&database)]);
    for name in ["out.dat", "out.egbk3"] {
        let out = folder.path().join(name);
        let export = [
            "export",
            arg(&database),
            arg(&out),
            "--missing-leaf",
            "demote",
        ];
        assert!(obook(export).status.success());
        assert_sound(&out);
    }
    let out = folder.path().join("out");
    let said = complaint(["convert", arg(&path), arg(&out), "--to", "sensei"], &out);
    assert!(said.contains("can be read, but not written"), "{said}");
}

/// The author's book comes in, joins a book of Edax, and goes out to the engines.
#[needs(sensei_book)]
#[test]
fn the_authors_book_comes_in_and_goes_out() {
    let path = golden("../sensei/book/index.sen").with_file_name("");
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("sensei.obook");
    let said = json(["import", arg(&path), "--book", arg(&database), "--json"]);
    assert_eq!(
        said["wrong"]["records in a file that is missing: value_65.val"],
        74_802
    );
    let counts = "SELECT count(*), (SELECT count(*) FROM expectations), (SELECT count(*) FROM goals) FROM positions";
    assert_eq!(row(&database, counts), "93005,93005,401787");
    let proven =
        "SELECT count(*), sum(proven_lower = proven_upper) FROM positions WHERE prover IS NOT NULL";
    assert_eq!(row(&database, proven), "139,6");
    let known = "SELECT group_concat(round(probability, 3)) FROM chances('e6d6')";
    assert_eq!(row(&database, known), "\"0.0,0.059,0.941,0.0\"");
    assert!(stdout(["line", arg(&database)]).contains("f5"));
    stdout(["fix", arg(&database)]);
    for name in ["out.dat", "out.egbk3"] {
        let out = folder.path().join(name);
        let export = [
            "export",
            arg(&database),
            arg(&out),
            "--missing-leaf",
            "demote",
        ];
        assert!(obook(export).status.success());
        assert_sound(&out);
    }
    stdout([
        "import",
        arg(&golden("games.dat")),
        "--book",
        arg(&database),
    ]);
    assert_sound(&database);
}
