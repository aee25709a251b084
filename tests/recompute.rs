//! `link`, `negamax` and `fix` on databases: the engines' own numbers come back, and nothing else is touched.

mod golden_support;
mod obook;

use golden_support::{egaroucid_table, golden};
use obook::{arg, complaint, json, obook, stdout};
use rusqlite::Connection;
use serde_json::json as value;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A database of a golden book, in a folder of its own; `None` where the book is not there.
fn database(book: &str) -> Option<(TempDir, PathBuf)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.obook");
    stdout(["import", arg(&golden(book)?), "--book", arg(&path)]);
    Some((folder, path))
}

fn execute(path: &Path, sql: &str) {
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

fn same(a: &Path, b: &Path) -> bool {
    let output = obook(["diff", arg(a), arg(b)]);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    output.status.success()
}

const EDAX_BOOKS: [&str; 7] = [
    "games",
    "games.prune",
    "small",
    "small.prune",
    "small.subtree_f5d6c4",
    "deviate",
    "deviate.depth9.prune",
];

#[test]
fn fix_brings_every_edax_record_back() {
    for name in EDAX_BOOKS {
        let Some((folder, path)) = database(&format!("edax/{name}.dat")) else {
            continue;
        };
        let original = folder.path().join("original.obook");
        std::fs::copy(&path, &original).unwrap();
        // Some links are wrong, some missing; all numbers are nonsense.
        execute(
            &path,
            "UPDATE positions SET value = 64 - empties, lower = NULL, upper = 7, wins = 1, draws = NULL, losses = 3,
                                  lines = 4;
             DELETE FROM links WHERE move % 2 = 0;
             UPDATE links SET score = move - 30;",
        );
        assert!(!same(&path, &original), "{name}");
        let report = json(["fix", arg(&path), "--json"]);
        assert!(report["link"]["added"].as_u64().unwrap() > 0, "{report}");
        assert_eq!(report["changed"]["positions"], report["positions"]);
        assert!(same(&path, &original), "{name}");

        let before = std::fs::read(&path).unwrap();
        let report = json(["fix", arg(&path), "--json"]);
        let nothing = value!({ "any": 0, "positions": 0, "links": 0, "leaves": 0 });
        assert_eq!(
            (&report["changed"], &report["todo"]),
            (&nothing, &value!(0)),
            "{name}"
        );
        assert!(
            std::fs::read(&path).unwrap() == before,
            "{name}: twice changes no byte"
        );
    }
}

#[test]
fn few_changes_are_written_one_by_one_and_equal_a_rewrite() {
    let (folder, path) = database("edax/games.dat").unwrap();
    let original = folder.path().join("original.obook");
    std::fs::copy(&path, &original).unwrap();
    // The numbers of positions with few empties, too few for a table to be written anew.
    execute(
        &path,
        "UPDATE positions SET value = -5 WHERE empties = 30;
         UPDATE links SET score = 9 WHERE board IN (SELECT board FROM positions WHERE empties = 31);",
    );
    let report = json(["negamax", arg(&path), "--json"]);
    let changed = report["changed"]["positions"].as_u64().unwrap();
    assert!((1..=40).contains(&changed), "{report}");
    assert_eq!(report["link"], value!(null), "negamax does not link");
    assert!(same(&path, &original));
}

#[test]
fn link_drops_what_leads_nowhere_and_leaves_that_are_links() {
    let (folder, path) = database("edax/games.dat").unwrap();
    let original = folder.path().join("original.obook");
    std::fs::copy(&path, &original).unwrap();
    // A link of the start position becomes its leaf, and a corner that nobody can take becomes a link.
    execute(
        &path,
        "INSERT INTO leaves SELECT board, move, score, 2, 1 FROM links
             WHERE board = (SELECT board FROM positions WHERE empties = 60) ORDER BY move LIMIT 1;
         DELETE FROM links WHERE (board, move) IN (SELECT board, move FROM leaves);
         INSERT INTO links SELECT board, 0, 5 FROM positions WHERE empties = 60;",
    );
    let report = json(["link", arg(&path), "--json"]);
    assert_eq!(
        report["link"],
        value!({ "added": 1, "removed": 1, "leaves_dropped": 1 })
    );
    assert!(same(&path, &original));
}

#[test]
fn egaroucids_numbers_are_its_own() {
    // What its tables have and the book does not is explained in negamax_egaroucid_golden.rs; games has none of it.
    for (rules, table) in [("egaroucid", "fix"), ("egaroucid-edax", "fixedax.nlines")] {
        let (_folder, path) = database("egaroucid/games.mixed.egbk3").unwrap();
        execute(
            &path,
            "UPDATE links SET score = NULL; UPDATE positions SET lines = NULL;",
        );
        let report = json(["negamax", arg(&path), "--rules", rules, "--json"]);
        assert_eq!(report["rules"], value!(rules));
        let rows = egaroucid_table(&format!("egaroucid/games.mixed.{table}.tsv")).unwrap();
        let connection = Connection::open(&path).unwrap();
        let mut select = connection
            .prepare("SELECT value, lines, level FROM positions WHERE board = ?")
            .unwrap();
        for row in &rows {
            let found: (i16, u32, u8) = select
                .query_row([row.board.to_key()], |found| {
                    Ok((found.get(0)?, found.get(1)?, found.get(2)?))
                })
                .unwrap();
            // The fix alone does not count lines: only the second table has them.
            let lines = if table == "fix" { found.1 } else { row.lines };
            assert_eq!(
                found,
                (row.value, lines, row.level),
                "{rules}: {:?}",
                row.board
            );
        }
        assert_eq!(rows.len(), 2236);
        let rules_now: String = connection
            .query_row("SELECT rules FROM book", [], |row| row.get(0))
            .unwrap();
        assert_eq!(rules_now, rules, "the next fix goes by the same rules");
    }
}

#[test]
fn positions_that_lack_a_leaf_are_listed() {
    let (_folder, path) = database("edax/games.dat").unwrap();
    let connection = Connection::open(&path).unwrap();
    let taken: Vec<Vec<u8>> = connection
        .prepare("SELECT board FROM leaves WHERE move < 64 ORDER BY board LIMIT 3")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    for board in &taken {
        connection
            .execute("DELETE FROM leaves WHERE board = ?", [board])
            .unwrap();
    }
    assert_eq!(json(["fix", arg(&path), "--json"])["todo"], value!(3));
    let listed: Vec<(Vec<u8>, String)> = connection
        .prepare("SELECT board, reason FROM todo ORDER BY board")
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let expected: Vec<_> = taken
        .into_iter()
        .map(|board| (board, String::from("leaf")))
        .collect();
    assert_eq!(listed, expected);
}

#[test]
fn book_files_and_failures_change_nothing() {
    let book = golden("edax/games.prune.dat").unwrap();
    let text = complaint(["fix", arg(&book)], &book);
    assert!(text.contains("obook import"), "{text}");

    let (_folder, path) = database("edax/games.dat").unwrap();
    execute(
        &path,
        "UPDATE positions SET value = 1;
         CREATE TRIGGER stop BEFORE INSERT ON positions WHEN NEW.empties = 20 BEGIN SELECT RAISE(ABORT, 'stop'); END;",
    );
    let count = "SELECT count(*), sum(value) FROM positions";
    let before = stdout(["query", arg(&path), count, "--format", "csv"]);
    let text = complaint(["fix", arg(&path)], &path);
    assert!(text.contains("stop"), "{text}");
    assert_eq!(
        stdout(["query", arg(&path), count, "--format", "csv"]),
        before
    );
}
