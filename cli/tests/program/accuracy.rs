//! `obook accuracy`: on files and databases, for lines and for whole books, and stored grades.

use crate::support::program::{arg, complaint, json, obook as run, stdout};
use obook::read::grades::graph_around;
use obook::{Book, Context, load_in_slabs};
use obook_graph::Graph;
use obook_graph::accuracy::{Accuracy, Grade, Grading};
use obook_testing::golden::{golden, table};
use obook_testing::slabs::grades;
use serde_json::Value;
use std::path::PathBuf;
use tempfile::TempDir;

/// A golden Edax book as a database.
fn database(name: &str) -> (TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = golden(name);
    let database = folder.path().join("book.obook");
    stdout(["import", arg(&file), "--book", arg(&database)]);
    (folder, file, database)
}

#[test]
fn a_file_and_its_database_have_the_same_grades() {
    let (_folder, file, database) = database("games.dat");
    for more in [
        &["f5d6c3"][..],
        &["f5d6c3", "--line"],
        &["--all"],
        &["--rules", "egaroucid", "--all"],
    ] {
        let ask = |book| json([&["accuracy", book, "--json"], more].concat());
        assert_eq!(ask(arg(&file)), ask(arg(&database)), "{more:?}");
        let show = |book| stdout([&["accuracy", book], more].concat());
        assert_eq!(show(arg(&file)), show(arg(&database)), "{more:?}");
    }
}

#[test]
fn lines_are_graded_ply_by_ply() {
    let file = golden("games.dat");
    let line = json(["accuracy", arg(&file), "f5d6c3", "--line", "--json"]);
    let words: Vec<&str> = line
        .as_array()
        .unwrap()
        .iter()
        .map(|at| at["line"].as_str().unwrap())
        .collect();
    assert_eq!(words, ["", "f5", "f5d6", "f5d6c3"]);
    for (at, word) in line.as_array().unwrap().iter().zip(words) {
        assert_eq!(*at, json(["accuracy", arg(&file), word, "--json"]));
    }
}

/// Text and JSON say the same as the engine.
#[test]
fn tables_add_up_to_the_engines_column() {
    let file = golden("egaroucid/games.mixed.egbk3");
    let golden = table("egaroucid/games.mixed.tsv");
    let counts = json([
        "accuracy",
        arg(&file),
        "--all",
        "--rules",
        "egaroucid",
        "--json",
    ]);
    let text = stdout(["accuracy", arg(&file), "--all", "--rules", "egaroucid"]);
    let mut lines = text.lines().rev();
    let lower = counts["lower_if_published"].as_u64().unwrap();
    let warning = format!("{lower} positions have a lower grade by the published rules: ");
    assert!(
        lower > 0 && lines.next().unwrap().starts_with(&warning),
        "{text}"
    );
    assert_eq!(lines.next(), Some(""));
    let last: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
    let passes = 5;
    let mut beyond = 0;
    for (grade, shown) in Grade::ALL.iter().zip(&last[1..]) {
        let engine = golden.iter().filter(|row| row[8] == grade.name()).count() as u64;
        let counted = counts["grades"][grade.name()].as_u64().unwrap_or(0);
        assert_eq!(counted.to_string(), *shown);
        // The engine's table has no pass positions.
        beyond += counted
            .checked_sub(engine)
            .expect("no fewer than the engine has");
    }
    assert_eq!(beyond, passes);
}

#[test]
fn grades_are_kept_in_the_database() {
    let (_folder, file, database) = database("games.dat");
    let sql = "SELECT empties, grade, count(*) AS n FROM accuracy JOIN positions USING (board)
               GROUP BY empties, grade ORDER BY empties, grade";
    let stored = |rules: &str| -> Value {
        let table = json([
            "accuracy",
            arg(&database),
            "--store",
            "--rules",
            rules,
            "--json",
        ]);
        assert_eq!(
            table,
            json(["accuracy", arg(&file), "--all", "--rules", rules, "--json"])
        );
        let rows = json(["query", arg(&database), sql, "--json"]);
        let mut count = 0;
        for row in rows.as_array().unwrap() {
            let empties = row["empties"].to_string();
            assert_eq!(
                table["by_empties"][empties][row["grade"].as_str().unwrap()],
                row["n"]
            );
            count += row["n"].as_u64().unwrap();
        }
        assert_eq!(count, 2247);
        rows
    };
    let published = stored("published");
    assert_eq!(
        stored("published"),
        published,
        "storing again changes nothing"
    );
    assert_ne!(stored("egaroucid"), published, "new grades replace the old");
    // Board by board.
    let book = Book::open(&database, &Context::default()).unwrap();
    let graph = whole(&book);
    let connection = rusqlite::Connection::open(&database).unwrap();
    let grades = grades(&graph, Grading::Egaroucid);
    for id in graph.ids() {
        let key = graph.board(id).to_key();
        let grade: String = connection
            .query_row("SELECT grade FROM accuracy WHERE board = ?", [key], |row| {
                row.get(0)
            })
            .unwrap();
        assert_eq!(grade, grades[id.index()].name());
    }
}

#[test]
fn senseless_arguments_are_refused() {
    let file = golden("games.dat");
    let no_table = complaint(["accuracy", arg(&file), "--store"], &file);
    assert!(no_table.contains("obook import"), "{no_table}");
    let left = complaint(["accuracy", arg(&file), "f5f4d3"], &file);
    assert!(left.contains("the book ends before f5f4d3"), "{left}");
    for arguments in [
        &["f5", "--all"][..],
        &["f5", "--store"],
        &["--line", "--all"],
        &["--rules", "x"],
    ] {
        let output = run([&["accuracy", arg(&file)], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

/// The whole book in memory.
fn whole(book: &Book) -> Graph {
    let slabs = load_in_slabs(book, &Context::default()).unwrap();
    slabs.into_graph().expect("it fits")
}

/// Reading only the positions that the lines need gives the same grades as reading the whole book: from a database, and from a
/// file that doesn't fit in memory.
#[test]
fn a_part_of_the_book_is_enough_for_a_grade() {
    let (_folder, file, path) = database("edax/deviate.depth9.prune.dat");
    let context = Context::default().with_memory(Some(1));
    for path in [path, file] {
        let book = Book::open(&path, &context).unwrap();
        let whole = whole(&book);
        let mut smaller = 0;
        for id in whole.ids().step_by(whole.len() / 150 + 1) {
            let board = whole.board(id);
            let part = graph_around(&book, &[board], &context).unwrap();
            smaller += usize::from(part.len() < whole.len());
            let there = part.find(board).unwrap();
            for rules in [Grading::Published, Grading::Egaroucid] {
                assert_eq!(
                    Accuracy::new(&part, there, rules),
                    Accuracy::new(&whole, id, rules)
                );
            }
        }
        assert!(smaller > 100);
    }
}
