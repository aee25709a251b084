//! Why a leaf is missing: what an `.egbk3` file says of it (move 65 or 125) is kept until it no longer holds, and where
//! nothing is said the moves decide.

use crate::support::program::{arg, json, obook, stdout};
use obook::{Context, Store};
use obook_converters::{BookReader, BookRecord, egbk3};
use obook_othello::{Board, CanonicalBoard, Engine, Line, NoLeaf, Position};
use obook_testing::golden::golden;
use obook_testing::moves_out::moves_out;
use serde_json::json as value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

type Records = BTreeMap<CanonicalBoard, egbk3::Record>;

fn records(path: &Path) -> Records {
    let file = std::fs::File::open(path).unwrap();
    let record = |record: Result<egbk3::Record, _>| {
        let record = record.unwrap();
        let (player, opponent) = record.discs();
        let board = Board::new(player, opponent).unwrap();
        (CanonicalBoard::new(board).unwrap(), record)
    };
    egbk3::Reader::new(file).unwrap().map(record).collect()
}

fn write<'r>(path: &Path, records: impl IntoIterator<Item = &'r egbk3::Record>) {
    let records: Vec<_> = records.into_iter().collect();
    let file = std::fs::File::create(path).unwrap();
    let header = egbk3::Header {
        count: records.len() as i32,
    };
    let mut writer = egbk3::Writer::new(file, header).unwrap();
    records
        .into_iter()
        .for_each(|record| writer.write(record).unwrap());
    writer.finish().unwrap();
}

fn board(line: &str) -> CanonicalBoard {
    line.parse::<Line>().unwrap().board().canonical()
}

/// A record of the position after a line.
fn record(line: &str, leaf_move: u8) -> egbk3::Record {
    let board = board(line).board();
    egbk3::Record {
        player: board.player(),
        opponent: board.opponent(),
        value: 0,
        level: 10,
        lines: 1,
        leaf_move,
        ..egbk3::Record::default()
    }
}

/// A file of the start position, of which it is said that all moves are in the book, and of those after f5 and f5d6,
/// nothing searched.
fn small(folder: &TempDir) -> PathBuf {
    let path = folder.path().join("small.egbk3");
    write(
        &path,
        &[record("", 65), record("f5", 125), record("f5d6", 125)],
    );
    path
}

fn exported(database: &Path) -> Records {
    let path = database.with_extension("egbk3");
    stdout(["export", arg(database), arg(&path), "--force"]);
    records(&path)
}

fn leaf_moves<const N: usize>(records: &Records, lines: [&str; N]) -> [u8; N] {
    lines.map(|line| records[&board(line)].leaf_move)
}

/// Losses are reported, but don't matter here.
fn convert<const N: usize>(arguments: [&str; N]) {
    let output = obook(["convert"].into_iter().chain(arguments));
    assert!(output.status.success(), "{arguments:?}");
}

const LINES: [&str; 3] = ["", "f5", "f5d6"];

/// As its moves say it: a pass and the end of a game stand in the book as the other side sees them.
fn leads_out(board: CanonicalBoard, boards: &BTreeSet<CanonicalBoard>) -> bool {
    moves_out(board.board(), boards).next().is_some()
}

#[test]
fn of_an_edax_book_the_moves_tell() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.egbk3");
    let mut met = BTreeSet::new();
    for name in ["games.dat", "small.dat", "edax/deviate.depth9.prune.dat"] {
        for leaves in ["keep", "as-positions"] {
            let book = golden(name);
            convert([arg(&book), arg(&out), "--force", "--leaves", leaves]);
            let found = records(&out);
            let boards: BTreeSet<CanonicalBoard> = found.keys().copied().collect();
            for (board, record) in &found {
                let said = record.leaf_move;
                if said > 64 {
                    let expected = if leads_out(*board, &boards) { 125 } else { 65 };
                    assert_eq!(
                        said,
                        expected,
                        "{name}, {leaves}: {}",
                        board.board().to_text()
                    );
                    met.insert((leaves, said));
                }
            }
        }
    }
    let both = ["keep", "as-positions"].map(|leaves| [(leaves, 65), (leaves, 125)]);
    assert!(met.iter().eq(both.iter().rev().flatten()), "{met:?}");
}

/// The leaves of an Edax book are in Egaroucid's own book what they are in ours, the missing ones too.
#[test]
fn egaroucid_says_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let ours = folder.path().join("ours.egbk3");
    convert([arg(&golden("games.dat")), arg(&ours)]);
    let (ours, theirs) = (
        records(&ours),
        records(&golden("egaroucid/games.mixed.egbk3")),
    );
    let mut missing = 0;
    for (board, theirs) in &theirs {
        assert_eq!(
            ours[board].leaf_move,
            theirs.leaf_move,
            "{}",
            board.board().to_text()
        );
        missing += usize::from(theirs.leaf_move > 64);
    }
    assert_eq!((theirs.len(), missing), (2236, 28));
}

/// Law (From one format to another): A book's reason for a missing leaf survives database, fix and merge.
#[test]
fn reasons_for_missing_leaves_survive() {
    let folder = tempfile::tempdir().unwrap();
    let (file, book) = (small(&folder), folder.path().join("book.obook"));
    stdout(["import", arg(&file), "--book", arg(&book)]);
    let sql = "SELECT unsearched FROM positions ORDER BY empties DESC";
    let said = value!([{ "unsearched": 0 }, { "unsearched": 1 }, { "unsearched": 1 }]);
    assert_eq!(json(["query", arg(&book), sql, "--json"]), said);
    assert_eq!(leaf_moves(&exported(&book), LINES), [65, 125, 125]);
    stdout(["fix", arg(&book)]);
    let newer = egbk3::Record {
        value: 2,
        ..record("f5d6", 125)
    };
    write(&file, &[record("", 65), record("f5", 125), newer]);
    stdout(["merge", arg(&book), arg(&file)]);
    assert_eq!(json(["query", arg(&book), sql, "--json"]), said);
    assert_eq!(leaf_moves(&exported(&book), LINES), [65, 125, 125]);
}

/// 65 no longer holds where a child goes; 125 holds as before.
#[test]
fn a_cut_clears_outdated_reasons() {
    let folder = tempfile::tempdir().unwrap();
    let (file, book) = (small(&folder), folder.path().join("book.obook"));
    // Nothing is known of the child, so no leaf can be made of the link to it.
    let unknown = egbk3::Record {
        value: -126,
        level: -1,
        ..record("f5", 125)
    };
    write(&file, &[record("", 65), unknown]);
    stdout(["import", arg(&file), "--book", arg(&book)]);
    stdout(["depth", arg(&book), "0"]);
    let left = exported(&book);
    assert_eq!((left.len(), leaf_moves(&left, [""])), (1, [125]));
    let cut = folder.path().join("cut.egbk3");
    stdout(["depth", arg(&file), "0", "--output", arg(&cut)]);
    assert_eq!(records(&cut)[&board("")].leaf_move, 125);
}

/// Two books that say different things leave it to the moves, in either order.
#[test]
fn books_that_disagree_leave_it_to_the_moves() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (small(&folder), folder.path().join("other.egbk3"));
    write(
        &other,
        &[record("", 125), record("f5", 65), record("f5d6", 125)],
    );
    for [first, second] in [[&one, &other], [&other, &one]] {
        let book = folder.path().join("book.obook");
        stdout(["import", arg(first), "--book", arg(&book), "--force"]);
        stdout(["merge", arg(&book), arg(second)]);
        let sql = "SELECT unsearched FROM positions ORDER BY empties DESC";
        assert_eq!(
            json(["query", arg(&book), sql, "--json"]),
            value!([{ "unsearched": null }, { "unsearched": null }, { "unsearched": 1 }])
        );
        assert_eq!(leaf_moves(&exported(&book), LINES), [65, 125, 125]);
    }
}

#[test]
fn a_database_row_with_both_is_read_as_its_leaf() {
    let folder = tempfile::tempdir().unwrap();
    let (file, book) = (small(&folder), folder.path().join("book.obook"));
    stdout(["import", arg(&file), "--book", arg(&book)]);
    let connection = rusqlite::Connection::open(&book).unwrap();
    let leaf = "INSERT INTO leaves SELECT board, 0, 3, 10, 2 FROM positions WHERE empties = 58";
    connection.execute(leaf, []).unwrap();
    drop(connection);
    let read = Store::open(&book, &Context::default())
        .unwrap()
        .position(board("f5d6"))
        .unwrap()
        .unwrap();
    assert!(read.leaf.is_some() && read.no_leaf.is_none());
    let all = Store::open(&book, &Context::default()).unwrap();
    let both = |it: &Position| it.leaf.is_some() && it.no_leaf.is_some();
    assert!(!all.positions().unwrap().any(|it| both(&it.unwrap())));
}

#[test]
fn diff_shows_why_a_leaf_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (small(&folder), folder.path().join("other.egbk3"));
    write(
        &other,
        &[record("", 65), record("f5", 65), record("f5d6", 125)],
    );
    let run = |book: &Path| {
        let output = obook(["diff", arg(&one), arg(book), "--json"]);
        serde_json::from_slice::<serde_json::Value>(&output.stdout)
            .unwrap()
            .to_string()
    };
    let report = run(&other);
    let change = r#"{"field":"leaf","a":"undefined","b":"all moves in the book"}"#;
    assert!(report.contains(change), "{report}");
    let same = run(&one);
    assert!(!same.contains("undefined"), "{same}");
}

#[test]
fn file_tables_say_it_too() {
    let folder = tempfile::tempdir().unwrap();
    let (file, book) = (small(&folder), folder.path().join("book.obook"));
    stdout(["import", arg(&file), "--book", arg(&book)]);
    let sql = format!(
        "SELECT unsearched FROM egbk3('{}') ORDER BY empties DESC",
        arg(&file)
    );
    assert_eq!(
        json(["query", arg(&book), &sql, "--json"]),
        value!([{ "unsearched": 0 }, { "unsearched": 1 }, { "unsearched": 1 }])
    );
}

/// Two views of one fact: the reader's word, and what the writer makes of it.
#[test]
fn readers_and_writers_keep_it() {
    let folder = tempfile::tempdir().unwrap();
    let said: Vec<(CanonicalBoard, Option<NoLeaf>)> = BookReader::open(small(&folder), None)
        .unwrap()
        .map(Result::unwrap)
        .map(|position| (position.board, position.no_leaf))
        .collect();
    let expected = [NoLeaf::AllMovesInBook, NoLeaf::Undefined, NoLeaf::Undefined];
    assert_eq!(
        said,
        LINES
            .map(board)
            .into_iter()
            .zip(expected.map(Some))
            .collect::<Vec<_>>()
    );
    let silent = Position::new(board(""), Engine::Edax);
    assert_eq!(
        egbk3::Record::from_position(&silent).unwrap().leaf_move,
        125
    );
}
