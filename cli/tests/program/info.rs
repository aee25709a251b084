//! `obook info` and other commands agree with a full count.

use crate::support::program::{arg, games_database, json, obook, stdout};
use obook_testing::book_rows::{Numbers, counted, has_counts};
use serde_json::json as value;
use std::path::Path;

/// The output of `info`.
fn said(path: &Path) -> Numbers {
    let info = json(["info", arg(path), "--json"]);
    let number = |name: &str| info[name].as_u64().unwrap();
    let levels = info["levels"].as_object().unwrap().iter();
    let levels = levels.map(|(level, count)| (level.parse().unwrap(), count.as_u64().unwrap()));
    let rows = ["positions", "links", "leaves"];
    (rows.map(number), levels.collect())
}

/// Rows written by the book's own triggers don't count as changes, and users can't change the book's own counts.
#[test]
fn rows_of_the_account_are_not_counted_as_changed() {
    let (_folder, path) = games_database();
    let delete = "DELETE FROM leaves WHERE move IS NOT NULL";
    let leaves = said(&path).0[2];
    let history = |path: &Path| json(["history", arg(path), "--json"]);
    stdout(["query", arg(&path), "--write", delete]);
    assert_eq!(history(&path)[1]["counts"], value!({ "rows": leaves }));
    assert!(has_counts(&path));
    assert_eq!(said(&path), counted(&path));
    // An operation without effect is not a change, and the counts stay.
    stdout(["query", arg(&path), "--write", delete]);
    assert_eq!(history(&path).as_array().unwrap().len(), 2);
    assert!(has_counts(&path));
    stdout(["undo", arg(&path)]);
    assert_eq!(said(&path).0[2], leaves);
    let refused = obook(["query", arg(&path), "--write", "DELETE FROM row_counts"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(has_counts(&path));
}

/// A change of several transactions, each of which has its own count.
#[test]
fn a_search_keeps_count_and_so_does_taking_it_back() {
    let (_folder, path) = games_database();
    let wipe = "DELETE FROM leaves WHERE board IN (SELECT board FROM positions JOIN leaves USING (board)
                WHERE move IS NOT NULL ORDER BY empties DESC, board LIMIT 40); UPDATE book SET fixed = NULL";
    stdout(["query", arg(&path), "--write", wipe]);
    stdout(["fix", arg(&path)]);
    let lacking = said(&path);
    stdout(["search", arg(&path), "--level", "1", "--batch", "16"]);
    assert_eq!(said(&path).0[2], lacking.0[2] + 40);
    for next in ["undo", "redo"] {
        assert!(has_counts(&path));
        assert_eq!(said(&path), counted(&path));
        stdout([next, arg(&path)]);
    }
    assert!(has_counts(&path));
    assert_eq!(said(&path), counted(&path));
}
