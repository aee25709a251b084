//! Books of Zebra in the program: they come in, answer, and go out to the engines.

use crate::support::program::{arg, assert_sound, complaint, json, obook, stdout};
use obook_converters::zebra::Form;
use obook_needs::needs;
use obook_testing::golden::golden;
use obook_testing::zebra_book::small;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn book(form: Form) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    // The name says nothing.
    let path = folder.path().join("book.old");
    std::fs::write(&path, small().bytes(form)).unwrap();
    (folder, path)
}

fn csv(book: &Path, sql: &str) -> String {
    stdout(["query", arg(book), sql, "--format", "csv"])
}

#[test]
fn every_form_comes_in() {
    let mut tables = Vec::new();
    for form in Form::ALL {
        let (folder, file) = book(form);
        let database = folder.path().join("zebra.obook");
        let said = stdout(["import", arg(&file), "--book", arg(&database)]);
        assert!(
            said.contains(": 10 positions, 12 links, 8 leaves\n"),
            "{said}"
        );
        assert!(
            said.contains("lost on the way in:\n         10 fractions of a disc\n"),
            "{said}"
        );
        let rows = ["positions", "links", "leaves"]
            .map(|table| csv(&database, &format!("SELECT * FROM {table}")));
        tables.push(rows);
        let engine = csv(
            &database,
            "SELECT DISTINCT name FROM positions NATURAL JOIN engines",
        );
        assert_eq!(engine, "name\nzebra\n");
        let line = stdout(["line", arg(&database)]);
        assert!(line.contains("f5"), "{line}");
        let again = json(["import", arg(&file), "--book", arg(&database), "--json"]);
        assert_eq!(again["merged"]["sources"][0]["known"], true);
    }
    assert_eq!(tables[0], tables[1]);
    assert_eq!(tables[0], tables[2]);
}

#[test]
fn info_speaks_zebras_words() {
    let (_folder, file) = book(Form::Text);
    let said = json(["info", arg(&file), "--json"]);
    assert_eq!(said["kind"], "Zebra book, text");
    assert_eq!(said["contents"]["positions searched 18 plies deep"], 10);
    assert_eq!(said["lost"]["fractions of a disc"], 10);
    assert_eq!(said.get("wrong"), None);
    assert_eq!(said["rules"], "egaroucid-edax");
}

/// The engines' books follow their rules and meets their demands, so a fix of theirs changes nothing.
#[test]
fn the_engines_accept_what_goes_out() {
    let (folder, file) = book(Form::Binary);
    for name in ["out.dat", "out.egbk3"] {
        let out = folder.path().join(name);
        // What is lost is said.
        assert!(obook(["convert", arg(&file), arg(&out)]).status.success());
        assert_sound(&out);
    }
}

#[test]
fn books_of_zebra_are_not_written() {
    let (folder, file) = book(Form::Binary);
    let out = folder.path().join("out.bin");
    let said = complaint(["convert", arg(&file), arg(&out), "--to", "zebra"], &out);
    assert!(said.contains("can be read, but not written"), "{said}");
    assert!(!out.exists());
}

#[test]
fn a_book_of_zebra_is_a_table() {
    let (folder, file) = book(Form::Compressed);
    let database = folder.path().join("zebra.obook");
    stdout(["import", arg(&file), "--book", arg(&database)]);
    for table in ["zebra", "book_file"] {
        let sql = format!(
            "SELECT count(*), sum(value), sum(leaf_score), max(leaf_level) FROM {table}('{}')",
            arg(&file)
        );
        let all = "SELECT count(*), sum(value), (SELECT sum(score) FROM leaves), 18 FROM positions";
        let rows = |sql: &str| csv(&database, sql).lines().nth(1).unwrap().to_owned();
        assert_eq!(rows(&sql), rows(all));
    }
}

/// DroidZebra's book comes in from both forms, joins a book of Edax, and goes out to the engines.
#[needs(zebra_book)]
#[test]
fn the_book_of_droidzebra_comes_in_and_goes_out() {
    let file = golden("../books/droidzebra-book.cmp.z");
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("zebra.obook");
    let said = json(["import", arg(&file), "--book", arg(&database), "--json"]);
    assert_eq!(
        said["wrong"]["solved positions that contradict a solved child"],
        188
    );
    let row = |sql: &str| csv(&database, sql).lines().nth(1).unwrap().to_owned();
    // Of 497 705 positions with 502 082 links, 22 have neither score nor child. Moves over a pass lead to 121 others, and each of
    // these gets the pass before it.
    let sql = "SELECT count(*), (SELECT count(*) FROM links), (SELECT sum(move = 64) FROM links) FROM positions";
    let expected = format!("{},{},121", 497_705 - 22 + 121, 502_082 - 22 + 121);
    assert_eq!(row(sql), expected);
    stdout(["fix", arg(&database)]);
    for name in ["out.dat", "out.egbk3"] {
        let out = folder.path().join(name);
        let export = ["export", arg(&database), arg(&out)];
        let options = ["--missing-leaf", "demote"];
        assert!(obook([&export[..], &options].concat()).status.success());
        assert_sound(&out);
    }
    let games = golden("games.dat");
    stdout(["import", arg(&games), "--book", arg(&database)]);
    assert_sound(&database);
}
