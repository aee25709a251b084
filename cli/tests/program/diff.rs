//! `obook diff`: nothing between a book and itself, and exactly what was changed between others.

use crate::support::program::{arg, json, obook};
use obook_othello::{Board, Line};
use obook_testing::golden::golden;
use rusqlite::Connection;
use serde_json::{Value, json as expected};
use std::path::{Path, PathBuf};

const EGAROUCID: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/egaroucid");

fn difference(a: &Path, b: &Path, options: &[&str]) -> (i32, Value) {
    let mut arguments = vec!["diff", arg(a), arg(b), "--json", "--rows", "all"];
    arguments.extend(options);
    let output = obook(arguments);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(complaint, "");
    let report = serde_json::from_slice(&output.stdout).unwrap();
    (output.status.code().unwrap(), report)
}

/// A file and a database of it.
fn imported(name: &str, folder: &Path) -> (PathBuf, PathBuf) {
    let file = golden(name);
    let database = folder.join("book.obook");
    json(["import", arg(&file), "--book", arg(&database), "--json"]);
    (file, database)
}

/// Law (Databases): A file and its database give the same answers.
/// Also: `cli/tests/program/line.rs` `a_file_and_its_database_give_the_same_lines` `cli/tests/program/query.rs`
/// `every_format_gives_the_same_rows` `cli/tests/program/cookbook.rs` `a_file_is_answered_as_its_database`
/// `cli/tests/program/accuracy.rs` `a_file_and_its_database_have_the_same_grades`
#[test]
fn a_book_equals_itself_and_its_database() {
    let folder = tempfile::tempdir().unwrap();
    let (file, database) = imported("games.dat", folder.path());
    for (a, b) in [(&file, &file), (&file, &database), (&database, &database)] {
        let (status, report) = difference(a, b, &[]);
        assert_eq!(status, 0);
        assert_eq!(report["equal"], 2247);
        assert_eq!(report["rows"], expected!([]));
        assert_eq!(report["not_compared"], expected!([]));
    }
}

#[test]
fn names_every_kind_of_change() {
    let folder = tempfile::tempdir().unwrap();
    let (file, database) = imported("games.dat", folder.path());
    let start = Board::START.canonical();
    let changes: [(&str, &str, Value, Value); 9] = [
        (
            "value",
            "UPDATE positions SET value = 7 WHERE board = ?",
            expected!(null),
            expected!(7),
        ),
        (
            "bounds",
            "UPDATE positions SET lower = -9, upper = 9 WHERE board = ?",
            expected!(null),
            expected!([-9, 9]),
        ),
        (
            "level",
            "UPDATE positions SET level = 33, engine = 2 WHERE board = ?",
            expected!("edax 2"),
            expected!("egaroucid 33"),
        ),
        (
            "outcomes",
            "UPDATE positions SET wins = 1, draws = 2, losses = 3 WHERE board = ?",
            expected!(null),
            expected!([1, 2, 3]),
        ),
        (
            "lines",
            "UPDATE positions SET lines = NULL WHERE board = ?",
            expected!(null),
            expected!(null),
        ),
        (
            "links",
            "DELETE FROM links WHERE board = ? AND move = 19",
            expected!(["d3", "c4", "f5", "e6"]),
            expected!(["c4", "f5", "e6"]),
        ),
        (
            "link-scores",
            "UPDATE links SET score = 5 WHERE board = ? AND move = 19",
            expected!(null),
            expected!({"d3": 5}),
        ),
        (
            "leaf",
            "INSERT INTO leaves VALUES (?, 19, -3, 2, 1)",
            expected!(null),
            expected!({"move": "d3", "score": -3, "level": 2}),
        ),
        (
            "proof",
            "UPDATE positions SET proven_lower = 0, proven_upper = 64, prover = 5 WHERE board = ?",
            expected!(null),
            expected!("at least +0 (takizawa)"),
        ),
    ];
    for (field, sql, before, after) in changes {
        let changed = folder.path().join(format!("{field}.obook"));
        std::fs::copy(&database, &changed).unwrap();
        let connection = Connection::open(&changed).unwrap();
        assert_eq!(
            connection.execute(sql, [start.to_key()]).unwrap(),
            1,
            "{field}"
        );
        drop(connection);
        let (status, report) = difference(&file, &changed, &[]);
        assert_eq!(status, 1, "{field}");
        assert_eq!(report["differing"], 1, "{field}");
        assert_eq!(report["equal"], 2246, "{field}");
        assert_eq!(report["fields"], expected!({ field: 1 }));
        let row = &report["rows"][0];
        assert_eq!(row["board"], start.board().to_text());
        let change = &row["changes"][0];
        assert_eq!(change["field"], field);
        if !before.is_null() {
            assert_eq!(change["a"], before, "{field}");
        }
        match after.as_object() {
            Some(entries) => assert!(
                entries
                    .iter()
                    .all(|(name, value)| change["b"][name] == *value),
                "{change}"
            ),
            None => assert_eq!(change["b"], after, "{field}"),
        }
        let (status, report) = difference(&file, &changed, &["--ignore", field]);
        assert_eq!((status, &report["not_compared"]), (0, &expected!([field])));
    }
}

#[test]
fn counts_positions_of_one_book_only_and_swaps_them() {
    let folder = tempfile::tempdir().unwrap();
    let (games, database) = imported("games.dat", folder.path());
    let pruned = golden("edax/games.prune.dat");
    let (_, there) = difference(&games, &pruned, &[]);
    let (_, back) = difference(&pruned, &games, &[]);
    assert_eq!(
        (&there["only_a"], &there["only_b"]),
        (&expected!(2247 - 72), &expected!(0))
    );
    assert_eq!(
        (&back["only_a"], &back["only_b"]),
        (&there["only_b"], &there["only_a"])
    );
    let (_, again) = difference(&database, &pruned, &[]);
    assert_eq!(
        again, there,
        "a database and its file differ from a third in the same way"
    );
}

#[test]
fn compares_only_fields_of_both_formats() {
    let mixed = Path::new(EGAROUCID).join("games.mixed.egbk3");
    let games = golden("games.dat");
    let (status, report) = difference(&games, &mixed, &[]);
    assert_eq!(status, 1);
    // Egaroucid's copy lacks the six passes of eleven that lead out of the book, and has the same values.
    assert_eq!(
        (&report["only_a"], &report["only_b"]),
        (&expected!(6), &expected!(0))
    );
    assert_eq!(report["fields"].get("value"), None);
    assert_eq!(
        report["not_compared"],
        expected!(["bounds", "outcomes", "lines", "proof"])
    );
}

#[test]
fn shows_differences_to_people() {
    let folder = tempfile::tempdir().unwrap();
    let (file, database) = imported("games.dat", folder.path());
    let connection = Connection::open(&database).unwrap();
    connection
        .execute(
            "UPDATE positions SET value = value + 1 WHERE empties > 57",
            [],
        )
        .unwrap();
    connection
        .execute("DELETE FROM positions WHERE empties = 57", [])
        .unwrap();
    drop(connection);
    let output = obook(["diff", arg(&file), arg(&database), "--rows", "2"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        said.contains("    value: ") && said.contains(" → "),
        "{said}"
    );
    assert!(said.contains("more (--rows all shows them)"), "{said}");
    assert!(
        said.contains(&format!("positions only in A: {}", file.display())),
        "{said}"
    );
}

/// Each position is shown with a line that leads there, for files and databases.
#[test]
fn every_position_comes_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let (file, database) = imported("games.dat", folder.path());
    let lonely = Board::new(0x0000_0018_1800_0000, 0x0000_3c00_003c_0000).unwrap();
    let lonely = u128::from_be_bytes(lonely.canonical().to_key());
    let sql = format!(
        "UPDATE positions SET value = 60 WHERE empties % 7 = 3;
         DELETE FROM positions WHERE empties = 45 AND board NOT IN (SELECT board FROM leaves WHERE score > 1);
         INSERT INTO positions (board, empties, engine) VALUES (x'{lonely:032X}', 52, 1)"
    );
    Connection::open(&database)
        .unwrap()
        .execute_batch(&sql)
        .unwrap();
    let second = folder.path().join("second.dat");
    std::fs::copy(&file, &second).unwrap();
    for (a, b) in [(&file, &database), (&database, &file), (&database, &second)] {
        let (_, report) = difference(a, b, &[]);
        let rows = report["rows"].as_array().unwrap();
        assert!(rows.len() > 100, "{}", rows.len());
        let mut without = 0;
        for row in rows {
            let Some(line) = row["line"].as_str() else {
                without += 1;
                continue;
            };
            let reached = line.parse::<Line>().unwrap().board().canonical();
            assert_eq!(row["board"], reached.board().to_text());
        }
        assert!(without > 0 && without < rows.len(), "{without}");
    }
    let output = obook(["diff", arg(&file), arg(&database)]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("  after f5"), "{said}");
}

#[test]
fn trouble_is_not_a_difference() {
    let missing = golden("games.dat").with_file_name("missing.dat");
    let games = golden("games.dat");
    for arguments in [
        ["diff", arg(&missing), arg(&games)],
        ["diff", arg(&games), arg(&missing)],
    ] {
        let output = obook(arguments);
        assert_eq!(output.status.code(), Some(2));
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert!(complaint.contains("missing.dat"), "{complaint}");
        assert!(output.stdout.is_empty());
    }
    let folder = tempfile::tempdir().unwrap();
    let cut = folder.path().join("cut.dat");
    let bytes = std::fs::read(&games).unwrap();
    std::fs::write(&cut, &bytes[..bytes.len() - 1]).unwrap();
    assert_eq!(
        obook(["diff", arg(&games), arg(&cut)]).status.code(),
        Some(2)
    );
}

/// Of two leaves that differ by their engines alone these are named, and neither they nor levels matter without levels.
#[test]
fn engines_of_leaves_are_distinguished() {
    let folder = tempfile::tempdir().unwrap();
    let (file, database) = imported("games.dat", folder.path());
    let other = "UPDATE leaves SET engine = 2 WHERE move IS NOT NULL";
    let connection = Connection::open(&database).unwrap();
    let changed = connection.execute(other, []).unwrap();
    let (status, report) = difference(&file, &database, &[]);
    assert_eq!(status, 1);
    assert_eq!(report["differing"], changed);
    let change = &report["rows"][0]["changes"][0];
    assert_eq!(change["a"]["engine"], "edax", "{change}");
    assert_eq!(change["b"]["engine"], "egaroucid", "{change}");
    connection
        .execute_batch("UPDATE leaves SET level = 1 WHERE move IS NOT NULL")
        .unwrap();
    let (status, report) = difference(&file, &database, &["--ignore", "level"]);
    assert_eq!((status, &report["equal"]), (0, &expected!(2247)));
    connection
        .execute_batch("UPDATE leaves SET score = 64 WHERE move IS NOT NULL")
        .unwrap();
    let (_, report) = difference(&file, &database, &["--ignore", "level"]);
    let leaf = &report["rows"][0]["changes"][0]["b"];
    assert_eq!(leaf["score"], 64);
    assert_eq!(leaf.get("level"), None, "{leaf}");
}
