//! Proven results in the program: they come in, hold against searches, and stay.

use crate::support::program::{arg, json, obook, stdout};
use obook_needs::needs;
use obook_testing::golden::golden;
use obook_testing::task_list::{DRAWN, SMALL};
use serde_json::Value;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn list() -> (TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("list.csv");
    std::fs::write(&file, SMALL).unwrap();
    let book = folder.path().join("proofs.obook");
    (folder, file, book)
}

fn csv(book: &Path, sql: &str) -> String {
    stdout(["query", arg(book), sql, "--format", "csv"])
}

fn proofs(book: &Path) -> String {
    csv(
        book,
        "SELECT value, proven_lower, proven_upper, name FROM positions JOIN engines ON engines.engine = prover
         ORDER BY value",
    )
}

#[test]
fn a_list_comes_in_and_stays_through_every_fix() {
    let (_folder, file, book) = list();
    let said = stdout(["import", arg(&file), "--book", arg(&book)]);
    assert!(said.contains("3 positions"), "{said}");
    assert!(said.contains("1 column that says how often"), "{said}");
    let before = proofs(&book);
    let expected = "value,proven_lower,proven_upper,name\n-6,-64,0,takizawa\n0,0,0,takizawa\n4,0,64,takizawa\n";
    assert_eq!(before, expected);
    for rules in ["edax", "egaroucid", "egaroucid-edax"] {
        stdout(["fix", arg(&book), "--rules", rules]);
        assert_eq!(proofs(&book), before, "{rules}");
        // Only Edax demands leaves and levels.
        let expected: &[&str] = if rules == "edax" {
            &["missing-leaf", "level"]
        } else {
            &[]
        };
        assert_eq!(wrong(&book), expected, "{rules}");
    }
    let shown = stdout(["show", arg(&book), DRAWN]);
    assert!(shown.contains("Proven: +0 (takizawa)\n"), "{shown}");
    let shown = json(["show", arg(&book), DRAWN, "--json"]);
    assert_eq!(shown["proven"]["prover"], "takizawa");
    assert_eq!(shown["proven"]["lower"], 0);
}

/// Searches that say something else are kept, reported, and don't count.
///
/// Law (Numbers): Searches don't overrule a proof; contradictions are reported with both sources.
/// Also: `tests/write/merge.rs` `contradictions_are_reported_with_both_sources`
#[test]
fn searches_do_not_overrule_a_proof() {
    let (_folder, file, book) = list();
    stdout(["import", arg(&file), "--book", arg(&book)]);
    let board = format!("board('{DRAWN}')");
    let sql = format!("SELECT substr(legal_moves('{DRAWN}'), 1, 2) AS square");
    let square = csv(&book, &sql).lines().nth(1).unwrap().to_owned();
    let write = |sql: String| stdout(["query", arg(&book), &sql, "--write"]);
    // Any legal move in the orientation of the key.
    let sql = format!("SELECT substr(legal_moves({board}), 1, 2) AS square");
    let first = csv(&book, &sql).lines().nth(1).unwrap().to_owned();
    let bytes = first.as_bytes();
    let mv = (bytes[0] - b'a') + 8 * (bytes[1] - b'1');
    write(format!(
        "INSERT INTO leaves VALUES ({board}, {mv}, 8, 30, 1)"
    ));
    stdout(["fix", arg(&book)]);
    assert!(proofs(&book).contains("\n0,0,0,takizawa\n"));
    let found = detail(&book, "disproved");
    assert!(
        found.ends_with("scores +8 (edax level 30), but +0 (takizawa) is proven"),
        "{found}"
    );
    let why = stdout(["why", arg(&book), DRAWN]);
    assert!(why.contains("takizawa proved a bound"), "{why}");

    // A proof that a child's contradicts stays too.
    write(format!(
        "INSERT INTO positions (board, empties, value, engine, proven_lower, proven_upper, prover)
         SELECT board('{DRAWN}{square}'), 49, -10, 4, -64, -10, 4"
    ));
    stdout(["fix", arg(&book)]);
    assert!(proofs(&book).contains("\n0,0,0,takizawa\n"));
    let found = detail(&book, "contradiction");
    let expected =
        "+0 (takizawa) is proven, but its moves contradict that: at least +10 (obook), by zebra";
    assert_eq!(found, expected);
}

/// The board of a finished game proves its result, so a wrong proof is reported, and replaced.
#[test]
fn the_end_of_a_game_overrules_a_proof() {
    const SHORTEST: &str = "e6f4e3f6g5d6e7f5c5";
    let (_folder, file, book) = list();
    stdout(["import", arg(&file), "--book", arg(&book)]);
    let sql = format!(
        "INSERT INTO positions (board, empties, value, engine, proven_lower, proven_upper, prover)
         SELECT board('{SHORTEST}'), 51, 4, 4, 4, 4, 4"
    );
    stdout(["query", arg(&book), &sql, "--write"]);
    let said = detail(&book, "contradiction");
    let expected = "+4 (zebra) is proven, but the game is over, and its result is -64";
    assert_eq!(said, expected);
    stdout(["fix", arg(&book)]);
    assert!(proofs(&book).contains("\n-64,-64,-64,obook\n"));
    assert!(!wrong(&book).contains(&String::from("contradiction")));
}

/// What `verify` says about the first finding of a kind.
fn detail(book: &Path, kind: &str) -> String {
    let said = obook(["verify", arg(book), "--json"]);
    let report: Value = serde_json::from_slice(&said.stdout).unwrap();
    let groups = report["findings"].as_array().unwrap();
    let group = groups.iter().find(|group| group["kind"] == kind);
    let detail = &group.unwrap_or_else(|| panic!("{report}"))["examples"][0]["detail"];
    detail.as_str().unwrap().to_owned()
}

/// The findings of `verify` that are no mere notes.
fn wrong(book: &Path) -> Vec<String> {
    let said = obook(["verify", arg(book), "--json"]);
    let report: Value = serde_json::from_slice(&said.stdout).unwrap();
    let groups = report["findings"].as_array().unwrap().iter();
    let wrong = groups.filter(|group| group["severity"] != "note");
    wrong
        .map(|group| group["kind"].as_str().unwrap().to_owned())
        .collect()
}

/// What `export` reports.
fn exported(book: &Path, out: &Path, options: &[&str]) -> Value {
    let said = obook([&["export", arg(book), arg(out), "--json"], options].concat());
    assert_eq!(
        said.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&said.stderr)
    );
    serde_json::from_slice(&said.stdout).unwrap()
}

/// The formats of files hold no proofs, so what is exported is what follows from the rest.
#[test]
fn exports_leave_proofs_out_and_say_so() {
    let (folder, file, book) = list();
    stdout(["import", arg(&file), "--book", arg(&book)]);
    let out = folder.path().join("out.egbk3");
    let exported = exported(&book, &out, &[]);
    assert_eq!(exported["losses"]["proofs"], 3);
    let strict = folder.path().join("strict.egbk3");
    let refused = obook(["export", arg(&book), arg(&strict), "--strict"]);
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("3 positions with a proof"), "{said}");
}

/// The real list comes in whole, joins a book of Edax, and is as tight as before after each fix.
#[needs(task_list)]
#[test]
fn the_real_list_joins_an_edax_book() {
    let (folder, _, book) = list();
    let file = golden("../books/empty50_tasklist_edax_knowledge.csv");
    let small = golden("small.dat");
    stdout(["import", arg(&small), "--book", arg(&book)]);
    stdout(["merge", arg(&book), arg(&file)]);
    let count = "SELECT count(*) AS proven, min(proven_lower) AS low, sum(proven_lower = proven_upper) AS exact
                 FROM positions WHERE prover = 5";
    for rules in ["edax", "egaroucid", "egaroucid-edax"] {
        stdout(["fix", arg(&book), "--rules", rules]);
        assert_eq!(csv(&book, count), "proven,low,exact\n2587,-64,1\n");
    }
    for name in ["out.egbk3", "out.dat"] {
        let out = folder.path().join(name);
        let exported = exported(&book, &out, &["--missing-leaf", "demote"]);
        assert!(
            exported["losses"]["proofs"].as_u64().unwrap() >= 2587,
            "{exported}"
        );
        assert_eq!(wrong(&out), [""; 0], "{name}");
    }
}
