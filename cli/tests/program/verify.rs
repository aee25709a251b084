//! `obook verify` finds nothing in golden books, and every damage in damaged ones.

use crate::support::program::{self, arg, json, obook, stdout};
use crate::support::raw_book::{self, Golden, board, has_leaf};
use crate::support::report::{GAMES, Report};
use obook_converters::edax::{RawMove, Record};
use obook_needs::needs;
use obook_othello::{Board, Move};
use obook_testing::golden::{EDAX_BOOKS, LARGE_EDAX_BOOK, PUBLISHED_BOOK, golden};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn finds_nothing(names: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        let book = golden(name);
        let report = json(["verify", arg(&book), "--json"]);
        assert_eq!(
            report["findings"],
            Value::Array(Vec::new()),
            "{}",
            book.display()
        );
        let database = folder.path().join("book.obook");
        json([
            "import",
            arg(&book),
            "--book",
            arg(&database),
            "--force",
            "--json",
        ]);
        let of_database = json(["verify", arg(&database), "--json"]);
        assert_eq!(
            of_database["findings"],
            report["findings"],
            "{}",
            book.display()
        );
        assert_eq!(of_database["positions"], report["positions"]);
    }
}

/// Law (Changes): `verify` finds nothing in the engines' own books, and names every injected damage with its board.
/// Also: `cli/tests/program/verify_records.rs`
/// `names_every_damage_to_a_record_with_its_board_and_mends_what_needs_no_search` `cli/tests/program/verify_database.rs`
/// `names_damage_to_a_database_and_mends_it_in_place`
#[test]
fn finds_nothing_in_golden_books_nor_in_databases_of_them() {
    finds_nothing(&EDAX_BOOKS);
}

#[needs(large_books)]
#[test]
fn finds_nothing_in_a_large_book() {
    finds_nothing(&[LARGE_EDAX_BOOK]);
}

#[needs(published_book)]
#[test]
fn finds_nothing_in_a_published_book() {
    finds_nothing(&[PUBLISHED_BOOK]);
}

#[test]
fn finds_nothing_in_a_finished_game() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("book.dat");
    let mut golden = Golden::read();
    golden.finish_game();
    std::fs::write(&file, golden.bytes()).unwrap();
    assert_eq!(Report::of(&file).counts, BTreeMap::new());
}

#[test]
fn names_damage_to_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("damaged.dat");
    let bytes = std::fs::read(GAMES).unwrap();

    let mut promising = bytes.clone();
    promising[38] = promising[38].wrapping_add(1);
    std::fs::write(&file, promising).unwrap();
    let report = Report::of(&file);
    report.expect("another count", "count", 1, &[]);
    assert_eq!(report.status, 1);
    assert!(
        report.details.contains("2248") && report.details.contains("2247"),
        "both numbers: {}",
        report.details
    );

    std::fs::write(&file, &bytes[..bytes.len() - 3]).unwrap();
    let report = Report::of(&file);
    let lost = [
        "no-child",
        "missing-leaf",
        "unreachable",
        "value",
        "bounds",
        "outcomes",
        "lines",
    ];
    report.expect("a file that was cut off", "damaged", 1, &lost);
    assert_eq!(report.status, 1);
    assert!(
        report.details.contains("position 2247 (byte "),
        "{}",
        report.details
    );

    let squeezed = zstd::encode_all(&bytes[..], 3).unwrap();
    std::fs::write(&file, &squeezed).unwrap();
    assert!(
        Report::of(&file).counts.is_empty(),
        "compressed books are looked through"
    );
}

#[test]
fn several_faults_of_one_record_are_all_reported() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("damaged.dat");
    let mut golden = Golden::read();
    let record = golden.start();
    record.links.push(RawMove { score: 0, code: 0 });
    record.links.push(RawMove {
        score: 0,
        code: 200,
    });
    let first = record.links[0];
    record.links.push(first);
    std::fs::write(&file, golden.bytes()).unwrap();
    let report = Report::of(&file);
    report.expect(
        "two illegal links and one twice",
        "illegal-move",
        2,
        &["duplicate-move"],
    );
}

#[test]
fn unreachable_positions_are_only_noted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("book.dat");
    let mut golden = Golden::read();
    let known: BTreeSet<_> = golden
        .records
        .iter()
        .map(|record| board(record).canonical())
        .collect();
    // It is reached by a leaf, but no link leads to it.
    let leads_from_book = |board: Board| {
        golden.records.iter().any(|record| {
            raw_book::board(record)
                .children()
                .any(|(_, child)| child.canonical() == board.canonical())
        })
    };
    let far = golden
        .records
        .iter()
        .filter(|record| has_leaf(record))
        .filter_map(|record| board(record).play(Move::from_code(record.leaf.code)?))
        .flat_map(|child| {
            child
                .children()
                .map(|(_, grandchild)| grandchild)
                .collect::<Vec<_>>()
        })
        .map(Board::canonical)
        .find(|far| {
            !known.contains(far)
                && !far.board().legal_moves().is_empty()
                && !leads_from_book(far.board())
        })
        .unwrap();
    let leads_into_book = far
        .board()
        .children()
        .any(|(_, child)| known.contains(&child.canonical()));
    assert!(!leads_into_book);
    let leaf = far.board().moves().next().unwrap();
    golden.records.push(Record {
        player: far.board().player(),
        opponent: far.board().opponent(),
        wins: 1,
        draws: 0,
        losses: 0,
        lines: 1,
        value: 4,
        lower: 4,
        upper: 4,
        // Solved, so the bounds equal the score.
        level: 60,
        links: Default::default(),
        leaf: RawMove {
            score: 4,
            code: leaf.code(),
        },
    });
    std::fs::write(&file, golden.bytes()).unwrap();
    let report = Report::of(&file);
    report.expect("a position apart", "unreachable", 1, &[]);
    assert_eq!(report.status, 0, "notes alone are no reason to fail");
}

/// An overwritten byte of a book: its place, the new value, and the expected findings.
#[test]
fn names_damage_to_the_other_formats() {
    let folder = tempfile::tempdir().unwrap();
    let [egbk3, egbk2, egbk] = ["games.mixed.egbk3", "games.egbk2", "games.egbk"];
    // Value, level, and the leaf's value and move follow the board.
    let first = 14;
    let cases = [
        (egbk3, first + 23, 27, "illegal-move"),
        (egbk3, first + 3 * 25 + 22, 100, "out-of-range"),
        (egbk3, first + 3 * 25 + 16, 100, "out-of-range"),
        (egbk3, first + 3 * 25 + 17, 200, "out-of-range"),
        (egbk3, first + 3 * 25, 255, "overlap"),
        (egbk2, first + 16, 100, "out-of-range"),
        (egbk2, first + 17, 200, "out-of-range"),
        (egbk, 4 + 16, 200, "out-of-range"),
    ];
    for (name, place, byte, kind) in cases {
        let path = crate::support::root()
            .join("tests/data/egaroucid")
            .join(name);
        let before = Report::of(&path);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[place] = byte;
        let damaged = folder.path().join(name);
        std::fs::write(&damaged, &bytes).unwrap();
        let report = Report::of(&damaged);
        assert!(!before.counts.contains_key(kind));
        assert_eq!(
            report.counts.get(kind),
            Some(&1),
            "{name} at {place}: {:?}",
            report.counts
        );
        assert_eq!(report.status, 1);
    }
}

#[test]
fn mends_books_without_links_in_their_own_format() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["games.mixed.egbk3", "games.egbk2", "games.egbk"] {
        let path = crate::support::root()
            .join("tests/data/egaroucid")
            .join(name);
        let output = folder.path().join(name);
        let mended = obook([
            "verify",
            arg(&path),
            "--fix-what-is-safe",
            "--output",
            arg(&output),
            "--json",
        ]);
        assert_eq!(
            mended.status.code(),
            Some(0),
            "{name}: {}",
            String::from_utf8_lossy(&mended.stderr)
        );
        let report = Report::of(&output);
        assert_eq!(report.status, 0, "{name}: {:?}", report.counts);
        // The same positions, only other numbers: no pass positions were left in.
        let diff = obook(["diff", arg(&path), arg(&output), "--json"]);
        let diff: Value = serde_json::from_slice(&diff.stdout).unwrap();
        assert_eq!(
            (&diff["only_a"], &diff["only_b"]),
            (&Value::from(0), &Value::from(0)),
            "{name}"
        );
    }
}

#[test]
fn a_refused_repair_says_its_needs() {
    let folder = tempfile::tempdir().unwrap();
    let said = program::complaint(["verify", GAMES, "--fix-what-is-safe"], Path::new(GAMES));
    assert!(said.contains("--output"), "{said}");
    let path = folder.path().join("book.obook");
    json(["import", GAMES, "--book", arg(&path), "--json"]);
    let other = folder.path().join("other.obook");
    let arguments = [
        "verify",
        arg(&path),
        "--fix-what-is-safe",
        "--output",
        arg(&other),
    ];
    program::complaint(arguments, &path);
    let there = folder.path().join("there.dat");
    std::fs::write(&there, "mine").unwrap();
    let arguments = [
        "verify",
        GAMES,
        "--fix-what-is-safe",
        "--output",
        arg(&there),
    ];
    assert!(program::complaint(arguments, &there).contains("--force"));
    assert_eq!(std::fs::read(&there).unwrap(), b"mine");
    let other = folder.path().join("other.egbk3");
    let arguments = [
        "verify",
        GAMES,
        "--fix-what-is-safe",
        "--output",
        arg(&other),
    ];
    assert!(program::complaint(arguments, &other).contains("edax"));
    assert!(!other.exists());
}

/// A book as Edax begins it has nothing in it yet, which is no fault.
#[test]
fn a_new_book_is_unused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.dat");
    let mut bytes = std::fs::read(GAMES).unwrap();
    bytes.truncate(42);
    bytes[38..].copy_from_slice(&1_i32.to_le_bytes());
    let (player, opponent) = (0x0000_0008_1000_0000_u64, 0x0000_0010_0800_0000_u64);
    bytes.extend(
        [player, opponent]
            .iter()
            .flat_map(|discs| discs.to_le_bytes()),
    );
    bytes.extend([0; 16]);
    bytes.extend(
        [0_i16, -127, 127]
            .iter()
            .flat_map(|score| score.to_le_bytes()),
    );
    // No link, level 21, and the leaf d3.
    bytes.extend([0, 21, 0, 19]);
    std::fs::write(&path, &bytes).unwrap();
    let said = stdout(["verify", arg(&path)]);
    assert!(
        said.ends_with("Unused: its engine hasn't computed anything yet.\n"),
        "{said}"
    );
    assert!(said.contains("(bounds): 1"), "{said}");
    // An illegal leaf is a fault.
    *bytes.last_mut().unwrap() = 0;
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(obook(["verify", arg(&path)]).status.code(), Some(1));
}
