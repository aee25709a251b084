//! `obook verify` names every damage to a database, and mends what needs no search in place.

use crate::support::program::{self, arg, json, obook, stdout};
use crate::support::report::{GAMES, Report};
use obook_othello::Board;
use obook_testing::book_rows::rows;
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A damage to a database: what does it, what has to be found and how often, and what may follow from it.
///
/// `:start` is the key of the start position, `:leaf` that of a position with a leaf and without links.
struct Edit(&'static str, &'static str, u64, &'static [&'static str]);

/// Damage that can be repaired without a search and without loss.
const MENDED: &[Edit] = &[
    Edit(
        "INSERT INTO links VALUES (zeroblob(16), 5, 0)",
        "orphan",
        1,
        &[],
    ),
    Edit(
        "INSERT INTO leaves VALUES (zeroblob(16), 5, 0, 1, 1), (randomblob(16), 5, 0, 1, 1)",
        "orphan",
        2,
        &[],
    ),
    Edit("INSERT INTO links VALUES (x'0102', 5, 0)", "key", 1, &[]),
    Edit(
        "INSERT INTO positions (board, empties, engine) VALUES (zeroblob(16), 64, 1)",
        "empty-centre",
        1,
        &[],
    ),
    Edit(
        "UPDATE positions SET empties = 59 WHERE board = :start",
        "empties",
        1,
        &[],
    ),
    Edit(
        "UPDATE positions SET engine = 0 WHERE board = :start",
        "engine",
        1,
        &[],
    ),
    Edit(
        "UPDATE leaves SET engine = 0 WHERE board = :leaf",
        "engine",
        1,
        &[],
    ),
    Edit(
        "UPDATE positions SET value = 1000 WHERE board = :start",
        "out-of-range",
        1,
        &["unknown"],
    ),
    Edit(
        "UPDATE positions SET lines = -1 WHERE board = :start",
        "out-of-range",
        1,
        &["unknown"],
    ),
    Edit(
        "UPDATE positions SET lower = NULL WHERE board = :start",
        "half",
        1,
        &["unknown"],
    ),
    Edit(
        "UPDATE positions SET wins = NULL WHERE board = :start",
        "half",
        1,
        &["unknown"],
    ),
    Edit(
        "UPDATE positions SET value = NULL WHERE board = :start",
        "unknown",
        1,
        &[],
    ),
    Edit(
        "UPDATE positions SET value = value + 1 WHERE board = :start",
        "value",
        1,
        &[],
    ),
    Edit(
        "UPDATE positions SET upper = upper + 1 WHERE board = :start",
        "bounds",
        1,
        &[],
    ),
    Edit(
        "UPDATE positions SET wins = wins + 1 WHERE board = :start",
        "outcomes",
        1,
        &[],
    ),
    Edit(
        "UPDATE positions SET lines = lines + 1 WHERE board = :start",
        "lines",
        1,
        &[],
    ),
    Edit(
        "UPDATE links SET score = score + 1 WHERE board = :start",
        "link-score",
        4,
        &[],
    ),
    Edit(
        "DELETE FROM links WHERE board = :start",
        "missing-link",
        4,
        &[],
    ),
    Edit(
        "INSERT INTO links VALUES (:start, 0, 0)",
        "illegal-move",
        1,
        &[],
    ),
    Edit(
        "INSERT INTO links VALUES (:start, 64, 0)",
        "illegal-move",
        1,
        &[],
    ),
    Edit(
        "INSERT INTO links VALUES (:start, 65, 0)",
        "out-of-range",
        1,
        &[],
    ),
    Edit(
        "INSERT INTO links VALUES (:leaf, (SELECT move FROM leaves WHERE board = :leaf), 0)",
        "no-child",
        1,
        &["leaf-in-book"],
    ),
    Edit(
        "INSERT INTO leaves VALUES (:start, 37, 0, 2, 1)",
        "leaf-in-book",
        1,
        &[],
    ),
];

/// Damage with permanent loss.
const LOST: &[Edit] = &[
    Edit(
        "INSERT INTO positions (board, empties, engine) VALUES (zeroblob(17), 5, 1)",
        "key",
        1,
        &["sqlite"],
    ),
    Edit(
        "UPDATE positions SET level = 300 WHERE board = :start",
        "out-of-range",
        1,
        &["level", "bounds", "outcomes"],
    ),
    Edit(
        "UPDATE leaves SET move = NULL WHERE board = :leaf",
        "score-without-move",
        1,
        &["missing-leaf"],
    ),
    Edit(
        "DELETE FROM leaves WHERE board = :leaf",
        "missing-leaf",
        1,
        &[],
    ),
    Edit(
        "UPDATE leaves SET score = 99 WHERE board = :leaf",
        "out-of-range",
        1,
        &["missing-leaf"],
    ),
    Edit(
        "DELETE FROM positions WHERE board = :leaf",
        "no-child",
        1,
        &[
            "orphan",
            "value",
            "bounds",
            "outcomes",
            "lines",
            "missing-leaf",
            "no-child",
        ],
    ),
    Edit("DELETE FROM book", "header", 1, &[]),
    Edit(
        "DROP TABLE leaves",
        "sqlite",
        1,
        &[
            "missing-leaf",
            "no-final-score",
            "value",
            "bounds",
            "outcomes",
            "lines",
        ],
    ),
];

/// A database of the golden book.
fn database(folder: &TempDir) -> PathBuf {
    let path = folder.path().join("book.obook");
    json(["import", GAMES, "--book", arg(&path), "--force", "--json"]);
    path
}

fn edit(path: &Path, sql: &str) {
    let connection = Connection::open(path).unwrap();
    connection
        .pragma_update(None, "ignore_check_constraints", true)
        .unwrap();
    let leaf: Vec<u8> = connection
        .query_row("SELECT board FROM leaves WHERE move < 64 AND board NOT IN (SELECT board FROM links) ORDER BY board", [], |row| row.get(0))
        .unwrap();
    let mut statement = connection.prepare(sql).unwrap();
    let keys = [
        (":start", Board::START.canonical().to_key().to_vec()),
        (":leaf", leaf),
    ];
    for (name, key) in keys {
        if let Some(index) = statement.parameter_index(name).unwrap() {
            statement.raw_bind_parameter(index, key).unwrap();
        }
    }
    statement.raw_execute().unwrap();
}

/// Damages a database and checks what is said about it; gives the database.
fn damage(folder: &TempDir, Edit(sql, kind, count, also): &Edit) -> PathBuf {
    let path = database(folder);
    edit(&path, sql);
    let report = Report::of(&path);
    report.expect(sql, kind, *count, also);
    assert_eq!(report.status, i32::from(*kind != "unknown"), "{sql}");
    if sql.contains("board = :start") {
        let start = Board::START.to_text();
        assert_eq!(report.boards[*kind], BTreeSet::from([start]), "{sql}");
    }
    path
}

#[test]
fn names_damage_to_a_database_and_mends_it_in_place() {
    let folder = tempfile::tempdir().unwrap();
    for edit in MENDED {
        let sql = edit.0;
        let path = damage(&folder, edit);
        let fixed = obook(["verify", arg(&path), "--fix-what-is-safe", "--json"]);
        assert_eq!(fixed.status.code(), Some(0), "{sql}: {fixed:?}");
        assert_eq!(Report::of(&path).counts, BTreeMap::new(), "{sql}");
        assert_eq!(
            obook(["diff", GAMES, arg(&path)]).status.code(),
            Some(0),
            "{sql}"
        );
    }
}

#[test]
fn names_damage_to_a_database_that_only_a_person_can_mend() {
    let folder = tempfile::tempdir().unwrap();
    for edit in LOST {
        let sql = edit.0;
        let path = damage(&folder, edit);
        let fixed = obook(["verify", arg(&path), "--fix-what-is-safe", "--json"]);
        assert_eq!(fixed.status.code(), Some(1), "{sql}: something is left");
        if edit.1 == "sqlite" || edit.3.contains(&"sqlite") {
            assert!(
                String::from_utf8_lossy(&fixed.stderr).contains("obook salvage"),
                "{sql}"
            );
        }
    }
}

/// If the numbers look as if the book followed other rules than its header says, the header is right.
#[test]
fn judges_and_mends_by_the_rules_of_the_header() {
    let folder = tempfile::tempdir().unwrap();
    for (looks_like, rules) in [
        ("egaroucid", "egaroucid-edax"),
        ("egaroucid-edax", "egaroucid"),
    ] {
        let path = database(&folder);
        stdout(["fix", arg(&path), "--rules", looks_like]);
        assert_eq!(Report::of(&path).status, 0, "{looks_like}");
        edit(&path, &format!("UPDATE book SET rules = '{rules}'"));
        let by_the_engine = folder.path().join("fixed.obook");
        std::fs::copy(&path, &by_the_engine).unwrap();
        let found = Report::of(&path).counts;
        assert!(
            found.get("value").is_some_and(|count| *count > 10),
            "{rules}: {found:?}"
        );
        stdout(["verify", arg(&path), "--fix-what-is-safe"]);
        stdout(["fix", arg(&by_the_engine)]);
        assert_eq!(rows(&path), rows(&by_the_engine), "{rules}");
    }
}

/// A book that has few values contradicts no rules.
#[test]
fn few_values_do_not_make_other_rules() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(&folder);
    stdout(["fix", arg(&path), "--rules", "egaroucid"]);
    let before = rows(&path);
    edit(
        &path,
        "UPDATE positions SET value = NULL WHERE board IN (SELECT board FROM links)",
    );
    stdout(["verify", arg(&path), "--fix-what-is-safe"]);
    assert_eq!(rows(&path), before);
}

/// No engine has a level above 60; 70 is a person's, and what a database says of the searches is kept.
#[test]
fn levels_that_no_engine_has_become_the_highest() {
    let folder = tempfile::tempdir().unwrap();
    for rules in ["edax", "egaroucid"] {
        for (level, mended) in [(60, 60), (61, 60), (69, 60), (70, 70), (71, 60), (200, 60)] {
            for table in ["positions", "leaves"] {
                let path = database(&folder);
                stdout(["fix", arg(&path), "--rules", rules]);
                let sql = format!("UPDATE {table} SET level = {level} WHERE board = :leaf");
                edit(&path, &sql);
                let what = format!("{rules}: {sql}");
                let found = Report::of(&path).counts;
                assert_eq!(
                    found.get("level"),
                    (level != mended).then_some(&1),
                    "{what}: {found:?}"
                );
                stdout(["verify", arg(&path), "--fix-what-is-safe"]);
                assert_eq!(Report::of(&path).counts.get("level"), None, "{what}");
                let highest: u8 = Connection::open(&path)
                    .unwrap()
                    .query_row(&format!("SELECT max(level) FROM {table}"), [], |row| {
                        row.get(0)
                    })
                    .unwrap();
                assert_eq!(highest, mended, "{what}");
            }
        }
    }
}

/// The mirror image of a position with a leaf, in its place or beside it.
#[test]
fn turns_boards_that_are_not_canonical() {
    let folder = tempfile::tempdir().unwrap();
    for beside in [false, true] {
        let path = database(&folder);
        let connection = Connection::open(&path).unwrap();
        let key: [u8; 16] = connection
            .query_row(
                "SELECT board FROM leaves WHERE move < 64 AND board NOT IN (SELECT board FROM links)",
                [],
                |row| row.get(0),
            )
            .unwrap();
        // Upside down: the ranks are the bytes of both numbers, the other way round.
        let mut mirrored = key;
        mirrored[..8].reverse();
        mirrored[8..].reverse();
        let columns = "empties, value, lower, upper, level, engine, wins, draws, losses, lines, unsearched, NULL, NULL, NULL";
        for sql in [
            format!("INSERT INTO positions SELECT ?1, {columns} FROM positions WHERE board = ?2"),
            String::from(
                "INSERT INTO leaves SELECT ?1, (7 - move / 8) * 8 + move % 8, score, level, engine FROM leaves WHERE board = ?2",
            ),
        ] {
            assert_eq!(connection.execute(&sql, [&mirrored, &key]).unwrap(), 1);
        }
        if !beside {
            for table in ["positions", "leaves"] {
                let sql = format!("DELETE FROM {table} WHERE board = ?");
                assert_eq!(connection.execute(&sql, [&key]).unwrap(), 1);
            }
        }
        drop(connection);
        let report = Report::of(&path);
        report.expect("a board upside down", "not-canonical", 1, &["duplicate"]);
        assert_eq!(report.counts.get("duplicate"), beside.then_some(&1));
        assert_eq!(report.status, 1);
        let fixed = obook(["verify", arg(&path), "--fix-what-is-safe", "--json"]);
        assert_eq!(fixed.status.code(), Some(0), "{fixed:?}");
        assert_eq!(Report::of(&path).counts, BTreeMap::new());
        let same = obook(["diff", GAMES, arg(&path)]);
        assert_eq!(same.status.code(), Some(0));
    }
}

#[test]
fn names_damage_to_the_pages_and_leaves_it_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(&folder);
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2 / 4096 * 4096;
    bytes[middle..middle + 4096].fill(0);
    std::fs::write(&path, &bytes).unwrap();
    let report = Report::of(&path);
    assert!(report.counts["sqlite"] > 0, "{:?}", report.counts);
    assert_eq!(report.status, 1);
    let said = program::complaint(["verify", arg(&path), "--fix-what-is-safe"], &path);
    assert!(said.contains("obook salvage"), "{said}");
}

/// A fix writes exactly the rows that change.
#[test]
fn repairs_only_write_changes() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(&folder);
    edit(
        &path,
        "UPDATE positions SET lines = lines + 1 WHERE empties = 56",
    );
    let wrong = Report::of(&path).boards["lines"].len();
    let changed: i64 = Connection::open(&path)
        .unwrap()
        .query_row(
            "SELECT count(*) FROM positions WHERE empties = 56",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert!(
        wrong as i64 > changed,
        "their parents disagree with them too"
    );
    let said = json(["verify", arg(&path), "--fix-what-is-safe", "--json"]);
    assert_eq!(said["changed"], changed);
    let again = json(["verify", arg(&path), "--fix-what-is-safe", "--json"]);
    assert_eq!(again["changed"], 0);
}

#[test]
fn shows_findings_to_people() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(&folder);
    edit(
        &path,
        "UPDATE positions SET value = value + 1, lines = lines + 1 WHERE empties > 57",
    );
    let output = obook(["verify", arg(&path), "--examples", "1", "--draw"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said.contains("inconsistent: values that don't follow from leaf and links (value): "),
        "{said}"
    );
    assert!(
        said.contains(&format!("{}  the start position", Board::START.to_text())),
        "{said}"
    );
    assert!(said.contains("  A B C D E F G H"), "drawn: {said}");
    assert!(said.contains("  and "), "the rest is counted: {said}");
    let sound = obook(["verify", GAMES]);
    let said = String::from_utf8(sound.stdout).unwrap();
    assert!(
        said.ends_with("edax, 2247 positions\nNothing is wrong.\n"),
        "{said}"
    );
}
