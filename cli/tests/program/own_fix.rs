//! Books of other programs become books of Edax and Egaroucid in which these engines' own `fix` changes nothing.

use crate::support::program::{arg, json, obook, stdout};
use obook_converters::zebra::Form;
use obook_needs::needs;
use obook_testing::engines::{edax_console, egaroucid_functions};
use obook_testing::golden::golden;
use obook_testing::{ntest_book, sensei_book, zebra_book};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// An engine that fixes its books.
#[derive(Clone, Copy)]
enum Engine {
    Edax,
    Egaroucid,
}

impl Engine {
    fn ending(self) -> &'static str {
        match self {
            Engine::Edax => "dat",
            Engine::Egaroucid => "egbk3",
        }
    }

    /// The book as the engine's own `fix` leaves it.
    fn fixed(self, book: &Path) -> PathBuf {
        let after = book.with_extension(format!("after.{}", self.ending()));
        match self {
            Engine::Edax => {
                let [load, save] = [("load", book), ("save", &after)]
                    .map(|(command, path)| format!("{command} {}", path.display()));
                edax_console(1, &[load, String::from("fix"), save]);
            }
            Engine::Egaroucid => {
                let said = egaroucid_functions()
                    .args(["empty", "egbk3", arg(book), "fix", "1", "nlines", "save"])
                    .arg(&after)
                    .output()
                    .unwrap();
                assert!(said.status.success(), "{said:?}");
            }
        }
        after
    }
}

/// A database of the sample alone, which then has been fixed, and one in which it was merged with a book of Edax.
fn databases(sample: &Path) -> (TempDir, [PathBuf; 2]) {
    let folder = tempfile::tempdir().unwrap();
    let [alone, merged] = ["alone", "merged"].map(|name| folder.path().join(name));
    stdout(["import", arg(sample), "--book", arg(&alone)]);
    stdout(["fix", arg(&alone)]);
    let edax = golden("small.dat");
    stdout(["import", arg(&edax), "--book", arg(&merged)]);
    let said = json(["merge", arg(&merged), arg(sample), "--json"]);
    let source = &said["sources"][0];
    let counts = ["added", "raised"].map(|what| source[what].as_u64().unwrap());
    assert!(counts.iter().sum::<u64>() > 0, "{said}");
    (folder, [alone, merged])
}

/// The database answers; the engine accepts what it exports, and changes nothing.
fn is_left_alone(database: &Path, engine: Engine) {
    assert!(stdout(["show", arg(database)]).contains("Best score"));
    assert!(stdout(["line", arg(database)]).contains("f5"));
    let count = "SELECT count(*) > 4 FROM positions JOIN links USING (board)";
    let answer = stdout(["query", arg(database), count, "--format", "csv"]);
    assert_eq!(answer.lines().nth(1), Some("1"));
    let out = database.with_extension(engine.ending());
    let export = [
        "export",
        arg(database),
        arg(&out),
        "--missing-leaf",
        "demote",
    ];
    // What is lost is said.
    let said = obook(export);
    assert!(
        said.status.success(),
        "{}",
        String::from_utf8_lossy(&said.stderr)
    );
    stdout(["diff", arg(&out), arg(&engine.fixed(&out))]);
}

/// The samples that the tests make, alone and merged with a book of Edax.
fn small_samples(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name| folder.path().join(name);
    std::fs::write(at("zebra"), zebra_book::small().bytes(Form::Compressed)).unwrap();
    std::fs::write(at("ntest"), ntest_book::small().bytes()).unwrap();
    sensei_book::write(&at("sensei"), &sensei_book::small());
    // A book of NTest that obook wrote. What is lost is said.
    let (games, large) = (golden("games.dat"), at("large.book"));
    let converted = obook(["convert", arg(&games), arg(&large)]);
    assert!(converted.status.success(), "{converted:?}");
    for name in ["zebra", "ntest", "sensei", "large.book"] {
        let (_folder, databases) = databases(&at(name));
        databases.iter().for_each(|it| is_left_alone(it, engine));
    }
}

/// A published sample, alone and merged with a book of Edax.
fn published(sample: &str, engine: Engine) {
    let (_folder, databases) = databases(&golden(sample));
    databases.iter().for_each(|it| is_left_alone(it, engine));
}

/// The list holds no moves, so that it takes another book to give them.
fn the_list(engine: Engine) {
    let sample = golden("../books/empty50_tasklist_edax_knowledge.csv");
    let (_folder, [_, merged]) = databases(&sample);
    is_left_alone(&merged, engine);
}

#[needs(engine_kit)]
#[test]
fn edax_changes_nothing_in_small_samples() {
    small_samples(Engine::Edax);
}

#[needs(egaroucid_book)]
#[test]
fn egaroucid_changes_nothing_in_small_samples() {
    small_samples(Engine::Egaroucid);
}

#[needs(engine_kit, zebra_book)]
#[test]
fn edax_changes_nothing_in_droidzebras_book() {
    published("../books/droidzebra-book.cmp.z", Engine::Edax);
}

#[needs(egaroucid_book, zebra_book)]
#[test]
fn egaroucid_changes_nothing_in_droidzebras_book() {
    published("../books/droidzebra-book.cmp.z", Engine::Egaroucid);
}

#[needs(engine_kit, sensei_book)]
#[test]
fn edax_changes_nothing_in_senseis_book() {
    published("../sensei/book", Engine::Edax);
}

#[needs(egaroucid_book, sensei_book)]
#[test]
fn egaroucid_changes_nothing_in_senseis_book() {
    published("../sensei/book", Engine::Egaroucid);
}

#[needs(engine_kit, task_list)]
#[test]
fn edax_changes_nothing_around_the_list() {
    the_list(Engine::Edax);
}

#[needs(egaroucid_book, task_list)]
#[test]
fn egaroucid_changes_nothing_around_the_list() {
    the_list(Engine::Egaroucid);
}
