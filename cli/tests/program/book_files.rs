//! Book files as SQL tables.

use crate::support::program::{arg, obook as command, rows, stdout};
use obook_converters::{BookReader, Format};
use obook_needs::needs;
use obook_othello::Position;
use obook_testing::golden::{EDAX_BOOKS, LARGE_EDAX_BOOK, golden};
use rusqlite::Connection;
use rusqlite::types::Value;
use std::path::PathBuf;

/// The columns of a file's positions.
const COLUMNS: &str =
    "board, empties, value, lower, upper, level, engine, wins, draws, losses, lines";

/// The tables of a file have the same rows as its import.
fn are_tables(names: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    for (number, name) in names.iter().enumerate() {
        let file = golden(name);
        let book = folder.path().join(format!("{number}.obook"));
        stdout(["import", arg(&file), "--book", arg(&book)]);
        let connection = Connection::open(&book).unwrap();
        obook_sql::extension::register(&connection).unwrap();
        for table in ["edax", "book_file"] {
            for (theirs, ours) in [
                (
                    format!("SELECT {COLUMNS} FROM {table}(?)"),
                    format!("SELECT {COLUMNS} FROM positions"),
                ),
                (
                    format!(
                        "SELECT board, leaf_move, leaf_score, leaf_level FROM {table}(?) WHERE leaf_score IS NOT NULL"
                    ),
                    "SELECT board, move, score, level FROM leaves".to_owned(),
                ),
                (
                    format!("SELECT board, move, score FROM {table}_links(?)"),
                    "SELECT board, move, score FROM links".to_owned(),
                ),
            ] {
                let theirs = rows(
                    &connection,
                    &format!("{theirs} ORDER BY 1, 2"),
                    [arg(&file)],
                );
                assert_eq!(
                    theirs,
                    rows(&connection, &format!("{ours} ORDER BY 1, 2"), ()),
                    "{name}"
                );
            }
            let sums = format!(
                "SELECT sum(links), (SELECT count(*) FROM {table}_links(?1)) FROM {table}(?1)"
            );
            let sums = rows(&connection, &sums, [arg(&file)]);
            assert_eq!(sums[0][0], sums[0][1]);
        }
    }
}

#[test]
fn book_files_are_tables() {
    are_tables(&EDAX_BOOKS);
}

#[needs(large_books)]
#[test]
fn a_large_book_file_is_a_table() {
    are_tables(&[LARGE_EDAX_BOOK]);
}

/// Every format has its table, which refuses other formats.
#[test]
fn every_format_has_its_table() {
    let folder = tempfile::tempdir().unwrap();
    let source = golden("games.dat");
    let connection = Connection::open_in_memory().unwrap();
    obook_sql::extension::register(&connection).unwrap();
    let formats = [
        ("edax", Format::Edax),
        ("edax_text", Format::EdaxText),
        ("egbk3", Format::Egbk3),
        ("egbk2", Format::Egbk2),
        ("egbk", Format::Egbk),
    ];
    let file = |format: Format| -> PathBuf { folder.path().join(format!("book.{format}")) };
    for (_, format) in formats {
        // Losses are reported, but don't matter here.
        let (file, to) = (file(format), format.name());
        let convert = ["convert", arg(&source), arg(&file), "--to", to];
        assert!(command(convert).status.success());
    }
    for (table, format) in formats {
        let path = file(format);
        let positions: Vec<Position> = BookReader::open(&path, Some(format))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let sql = format!("SELECT count(*), sum(value), max(empties), sum(links) FROM {table}(?)");
        let values: Vec<i64> = positions
            .iter()
            .filter_map(|position| position.value)
            .map(i64::from)
            .collect();
        let links = positions
            .iter()
            .map(|position| position.links.len() as i64)
            .sum::<i64>();
        let sum = (!values.is_empty()).then(|| values.iter().sum::<i64>());
        let expected = [
            (positions.len() as i64).into(),
            Value::from(sum),
            60.into(),
            links.into(),
        ];
        assert_eq!(
            rows(&connection, &sql, [arg(&path)])[0],
            expected,
            "{table}"
        );
        let compressed = path.with_extension("zst");
        std::fs::write(
            &compressed,
            zstd::encode_all(&std::fs::read(&path).unwrap()[..], 1).unwrap(),
        )
        .unwrap();
        assert_eq!(
            rows(&connection, &sql, [arg(&compressed)])[0],
            expected,
            "{table}, compressed"
        );
        let other = file(if format == Format::Edax {
            Format::Egbk3
        } else {
            Format::Edax
        });
        let wrong = connection.query_row(&sql, [arg(&other)], |_| Ok(()));
        let wrong = wrong.unwrap_err().to_string();
        assert!(
            wrong.starts_with(&format!("{table}: {}", other.display())),
            "{wrong}"
        );
    }
    // Damage is reported with its location, after the rows before it.
    let damaged = folder.path().join("damaged.dat");
    let mut bytes = std::fs::read(&source).unwrap();
    bytes.truncate(bytes.len() - 5);
    std::fs::write(&damaged, bytes).unwrap();
    let wrong = connection.query_row("SELECT count(*) FROM edax(?)", [arg(&damaged)], |_| Ok(()));
    let wrong = wrong.unwrap_err().to_string();
    assert!(
        wrong.contains("damaged.dat") && wrong.contains("byte"),
        "{wrong}"
    );
}
