//! An Edax book → database → Edax book keeps every record and the header.

use crate::support::program::{arg, json, stdout};
use obook_converters::{BookReader, Header, edax};
use obook_needs::needs;
use obook_othello::{CanonicalBoard, Line, Position, Square, Symmetry};
use obook_testing::golden::{EDAX_BOOKS, LARGE_EDAX_BOOK, golden};
use serde_json::json as value;
use std::collections::BTreeMap;
use std::path::Path;

/// Header and positions; links by move, because Edax leaves the order of equal ones open.
fn read(path: &Path) -> (Header, BTreeMap<CanonicalBoard, Position>) {
    let book = BookReader::open(path, None).unwrap();
    let header = book.header().clone();
    let mut positions = BTreeMap::new();
    for position in book {
        let mut position = position.unwrap();
        let scores: Vec<_> = position.links.iter().map(|link| link.score).collect();
        assert!(
            scores.is_sorted_by(|a, b| a >= b),
            "links are kept best first"
        );
        position.links.sort_by_key(|link| link.mv);
        assert_eq!(
            positions.insert(position.board, position),
            None,
            "no board comes twice"
        );
    }
    (header, positions)
}

fn every_record_comes_back(names: &[&str]) {
    for name in names {
        let book = golden(name);
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("book.obook");
        let back = folder.path().join("back.dat");
        stdout(["import", arg(&book), "--book", arg(&database)]);
        stdout(["export", arg(&database), arg(&back)]);
        assert_eq!(read(&book), read(&back), "{name}");
        assert_eq!(
            json(["info", arg(&book), "--json"])["positions"],
            json(["info", arg(&database), "--json"])["positions"]
        );
    }
}

/// Law (Databases): Every record of a file survives import into a database.
#[test]
fn every_record_of_a_golden_book_comes_back() {
    every_record_comes_back(&EDAX_BOOKS);
}

#[needs(large_books)]
#[test]
fn every_record_of_a_large_book_comes_back() {
    every_record_comes_back(&[LARGE_EDAX_BOOK]);
}

/// A header for `count` records.
fn header(count: i32) -> edax::Header {
    edax::Header {
        release: 6,
        level: 5,
        n_empties: 50,
        count,
        ..edax::Header::default()
    }
}

/// The start position with a value and a level of its own, and the only leaf it may have.
fn start(level: u8, value: i16) -> edax::Record {
    edax::Record {
        player: 0x0000_0008_1000_0000,
        opponent: 0x0000_0010_0800_0000,
        wins: 0,
        draws: 0,
        losses: 0,
        lines: 1,
        value,
        lower: value - 1,
        upper: value + 1,
        level,
        links: smallvec::smallvec![],
        leaf: edax::RawMove {
            score: value as i8,
            code: 19,
        },
    }
}

fn write(path: &Path, records: &[edax::Record]) {
    let file = std::fs::File::create(path).unwrap();
    let mut writer = edax::Writer::new(file, header(records.len() as i32)).unwrap();
    records
        .iter()
        .for_each(|record| writer.write(record).unwrap());
    writer.finish().unwrap();
}

/// Law (Databases): Of duplicates the better is kept, and the others are counted.
/// Also: `crates/graph/tests/sort.rs` `the_surer_search_wins_over_the_higher_number`
#[test]
fn of_duplicate_boards_the_higher_level_stays_and_the_rest_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let (book, database) = (
        folder.path().join("book.dat"),
        folder.path().join("book.obook"),
    );
    write(&book, &[start(9, 1), start(5, 4), start(9, 2), start(7, 3)]);
    let said = stdout(["import", arg(&book), "--book", arg(&database)]);
    let line = "\n3 duplicate boards: kept the better search, of equal ones the last\n";
    assert!(said.ends_with(line), "{said}");
    std::fs::remove_file(&database).unwrap();
    let report = json(["import", arg(&book), "--book", arg(&database), "--json"]);
    assert_eq!(report["source"]["duplicates"], value!(3));
    assert_eq!(
        report["rows"],
        value!({ "positions": 1, "links": 0, "leaves": 1 })
    );
    let rows = json([
        "query",
        arg(&database),
        "SELECT level, value FROM positions",
        "--json",
    ]);
    assert_eq!(rows, value!([{ "level": 9, "value": 2 }]));
    let rows = json([
        "query",
        arg(&database),
        "SELECT positions, duplicates FROM sources",
        "--json",
    ]);
    assert_eq!(rows, value!([{ "positions": 1, "duplicates": 3 }]));
    let other = folder.path().join("other.dat");
    write(&other, &[start(3, 1), start(9, 5)]);
    let said = stdout(["merge", arg(&database), arg(&other)]);
    let line = "\n1 duplicate board: kept the better search, of equal ones the last\n";
    assert!(said.contains(line), "{said}");
}

#[test]
fn boards_that_are_not_canonical_are_turned_with_their_moves() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("book.obook");
    // Of the four first moves, three lead to boards that are not canonical. After one of those, as it was played:
    let typed = ["f5", "d3", "c4", "e6"]
        .map(|line| line.parse::<Line>().unwrap())
        .into_iter()
        .find(|line| line.board().canonical().board() != line.board())
        .unwrap();
    let board = typed.board();
    let reply = board.legal_moves().iter().next().unwrap();
    let record = edax::Record {
        player: board.player(),
        opponent: board.opponent(),
        leaf: edax::RawMove {
            score: 3,
            code: reply.index(),
        },
        ..start(5, 3)
    };
    let book = folder.path().join("book.dat");
    write(&book, &[record]);
    stdout(["import", arg(&book), "--book", arg(&database)]);
    let leaf = |mv: Square| value!([{ "move": mv.to_string(), "score": 3, "kind": "leaf" }]);
    for book in [&book, &database] {
        let view = json(["show", arg(book), &typed.to_string(), "--json"]);
        assert_eq!(view["moves"], leaf(reply));
        // The same position upside down: the line and its reply are turned alike.
        let mut met = 0;
        for symmetry in Symmetry::ALL {
            let Ok(turned) = Line::from_moves(typed.moves().iter().map(|mv| symmetry.play(*mv)))
            else {
                continue;
            };
            let view = json(["show", arg(book), &turned.to_string(), "--json"]);
            assert_eq!(view["moves"], leaf(symmetry.square(reply)));
            met += 1;
        }
        assert_eq!(met, 4, "each of the four first moves");
    }
}
