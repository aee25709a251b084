//! Books written by real engines are read with the numbers that the engines print.

use crate::support::books::{by_board, bytes, data, golden, records};
use obook_converters::{BookReader, BookRecord, Date, Format, edax, edax_text, egbk, egbk2, egbk3};
use obook_needs::needs;
use obook_othello::{Board, Engine, Leaf, Move, NoLeaf, Position};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// File, positions, links and leaves, as printed by `book info` (for cuts: counted independently of this crate).
type Counts = (&'static str, usize, usize, usize);

const EDAX: [Counts; 4] = [
    ("edax/games.dat", 2247, 2252, 2214),
    ("edax/games.prune.dat", 72, 76, 69),
    ("edax/small.subtree_f5d6c4.dat", 708, 737, 669),
    ("edax/deviate.depth9.prune.dat", 292, 302, 256),
];

const LARGE_EDAX: [Counts; 3] = [
    ("edax/small.dat", 8376, 9298, 7906),
    ("edax/deviate.dat", 72055, 78464, 69632),
    ("edax/small.prune.dat", 1669, 1734, 1524),
];

#[test]
fn edax_books_agree_with_book_info() {
    agree_with_book_info(data, &EDAX);
}

#[needs(large_books)]
#[test]
fn large_edax_books_agree_with_book_info() {
    agree_with_book_info(golden, &LARGE_EDAX);
}

fn agree_with_book_info(folder: fn(&str) -> PathBuf, books: &[Counts]) {
    for &(file, positions, links, leaves) in books {
        let path = folder(file);
        let records: Vec<edax::Record> = records(&std::fs::read(path).unwrap());
        assert_eq!(records.len(), positions, "{file}");
        let checked: Vec<Position> = records.iter().map(|r| r.check().unwrap()).collect();
        assert_eq!(checked.iter().map(|p| p.links.len()).sum::<usize>(), links);
        assert_eq!(checked.iter().filter(|p| p.leaf.is_some()).count(), leaves);
        for (record, position) in records.iter().zip(&checked) {
            let board = position.board.board();
            assert_eq!(
                record.discs(),
                (board.player(), board.opponent()),
                "Edax writes canonical boards"
            );
            // `book fix` was run on all of them.
            let best = position.links.iter().map(|link| link.score.unwrap());
            let best = best.chain(position.leaf.map(|leaf| leaf.score)).max();
            assert_eq!(position.value, best.map(i16::from), "{}", board.to_text());
        }
    }
}

#[test]
fn edax_headers_are_kept() {
    let book = bytes("edax/games.dat");
    let reader = edax::Reader::new(&book[..]).unwrap();
    let expected = edax::Header {
        release: 6,
        date: Date {
            year: 2026,
            month: 11,
            day: 20,
            hour: 23,
            minute: 54,
            second: 1,
        },
        padding: 0,
        level: 2,
        n_empties: 1,
        midgame_error: 2,
        endcut_error: 1,
        verbosity: 0,
        count: 2247,
    };
    assert_eq!(reader.header(), &expected);
    let neutral = BookReader::open(data("edax/games.dat"), None)
        .unwrap()
        .header()
        .clone();
    assert_eq!(neutral.depth(), Some(60));
    assert_eq!(neutral.date.unwrap().to_string(), "2026-11-20 23:54:01");
    assert_eq!(neutral.count, Some(2247));
}

#[needs(published_book)]
#[test]
fn the_published_book_reads() {
    let path = golden("../public/libedax_test_book.dat");
    let positions: Vec<Position> = BookReader::open(path, None)
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(positions.len(), 38);
    assert!(positions.iter().all(|p| p.level == Some(21)));
}

#[test]
fn the_start_position_has_four_links_to_one_child() {
    let book = by_board::<edax::Record>(&bytes("edax/games.dat"));
    let start = &book[&Board::START];
    assert_eq!(start.links.len(), 4);
    let children: Vec<_> = start
        .links
        .iter()
        .map(|link| Board::START.play(link.mv).unwrap().canonical())
        .collect();
    assert!(children.windows(2).all(|pair| pair[0] == pair[1]));
    assert_eq!(start.leaf, None);
}

#[needs(large_books)]
#[test]
fn edax_text_agrees_with_the_book() {
    let (text, book) = (golden("edax/small.txt"), golden("edax/small.dat"));
    let lines: Vec<edax_text::Record> = records(&std::fs::read(text).unwrap());
    let book: Vec<edax::Record> = records(&std::fs::read(book).unwrap());
    assert_eq!(lines.len(), book.len());
    let book: HashMap<_, _> = book.into_iter().map(|r| (r.discs(), r)).collect();
    for line in lines {
        let record = &book[&line.discs()];
        assert_eq!((line.level, line.leaf), (record.level, record.leaf));
        assert_eq!(line.check().unwrap().leaf, record.check().unwrap().leaf);
    }
}

/// The rows of an Egaroucid table as positions.
fn table(path: &Path) -> HashMap<Board, Position> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .skip(1)
        .map(|row| {
            let fields: Vec<&str> = row.split('\t').collect();
            let bits = |i: usize| u64::from_str_radix(fields[i], 16).unwrap();
            let number = |i: usize| fields[i].parse::<i64>().unwrap();
            let defined = |i: usize, undefined: i64| Some(number(i)).filter(|n| *n != undefined);
            let board = Board::new(bits(0), bits(1)).unwrap();
            let position = Position {
                value: defined(2, -126).map(|n| n.try_into().unwrap()),
                level: defined(3, -1).map(|n| n.try_into().unwrap()),
                lines: Some(number(4).try_into().unwrap()),
                no_leaf: match number(6) {
                    65 => Some(NoLeaf::AllMovesInBook),
                    125 => Some(NoLeaf::Undefined),
                    _ => None,
                },
                leaf: defined(5, -126).map(|score| Leaf {
                    mv: Move::from_code(number(6).try_into().unwrap()),
                    score: score.try_into().unwrap(),
                    level: defined(7, -1).map(|n| n.try_into().unwrap()),
                    engine: Engine::Egaroucid,
                }),
                ..Position::new(board.canonical(), Engine::Egaroucid)
            };
            (board, position)
        })
        .collect()
}

#[test]
fn egbk3_agrees_with_egaroucid() {
    egbk3_equals_the_table("egaroucid/games.mixed", 2236, data(""));
}

#[needs(large_books)]
#[test]
fn egbk3_agrees_with_egaroucid_on_a_large_book() {
    egbk3_equals_the_table("egaroucid/small.mixed", 8371, golden(""));
}

fn egbk3_equals_the_table(name: &str, positions: usize, folder: PathBuf) {
    let book = std::fs::read(folder.join(format!("{name}.egbk3"))).unwrap();
    let book = by_board::<egbk3::Record>(&book);
    assert_eq!(book.len(), positions);
    let mut table = table(&folder.join(format!("{name}.tsv")));
    assert_eq!(book.len(), table.len());
    // The engine adds the start position itself when it starts. In its table, unlike in the file, that has no lines and a leaf
    // of unknown level.
    let start = table.get_mut(&Board::START).unwrap();
    let leaf = start.leaf.take().unwrap();
    start.no_leaf = book[&Board::START].no_leaf;
    assert_eq!((leaf.score, leaf.level, start.lines), (0, None, Some(0)));
    start.lines = book[&Board::START].lines;
    for (board, row) in &table {
        assert_eq!(&book[board], row, "{}", board.to_text());
    }
}

#[test]
fn the_old_formats_agree_with_each_other_and_with_edax() {
    old_formats_agree("games", 4455, data);
}

#[needs(large_books)]
#[test]
fn the_old_formats_agree_on_a_large_book() {
    old_formats_agree("small", 16168, golden);
}

fn old_formats_agree(name: &str, count: usize, place: fn(&str) -> PathBuf) {
    let read = |file: String| std::fs::read(place(&file)).unwrap();
    let oldest = by_board::<egbk::Record>(&read(format!("egaroucid/{name}.egbk")));
    let old = by_board::<egbk2::Record>(&read(format!("egaroucid/{name}.egbk2")));
    let edax = by_board::<edax::Record>(&read(format!("edax/{name}.dat")));
    assert_eq!((oldest.len(), old.len()), (count, count));

    // The releases convert an Edax book to its positions and the children of its leaves, except by a pass.
    let mut expected: HashMap<Board, i16> = HashMap::new();
    for (board, position) in &edax {
        if let Some(leaf) = position.leaf
            && leaf.mv != Some(Move::Pass)
        {
            let child = board.play(leaf.mv.unwrap()).unwrap().canonical().board();
            expected.entry(child).or_insert(-i16::from(leaf.score));
        }
    }
    expected.extend(edax.iter().map(|(board, p)| (*board, p.value.unwrap())));
    assert_eq!(expected.len(), count);
    for (board, value) in expected {
        assert_eq!(oldest[&board].value, Some(value), "{}", board.to_text());
        assert_eq!(old[&board].value, Some(value), "{}", board.to_text());
    }
    for (board, position) in &old {
        for link in &position.links {
            let child = board.play(link.mv).unwrap().canonical().board();
            let value = old[&child].value.unwrap();
            assert_eq!(link.score.map(i16::from), Some(-value));
        }
    }
}

#[test]
fn boards_that_are_not_canonical_are_counted() {
    let records: Vec<egbk::Record> = records(&bytes("egaroucid/games.egbk"));
    let turned = records
        .iter()
        .filter(|r| {
            let board = Board::new(r.player, r.opponent).unwrap();
            board.canonical().board() != board
        })
        .count() as u64;
    let path = data("egaroucid/games.egbk");
    let mut book = BookReader::open(&path, None).unwrap();
    assert!(book.by_ref().all(|position| position.is_ok()));
    assert_eq!(book.format(), Format::Egbk);
    assert_eq!(book.turned(), turned);
    let batches = BookReader::open(&path, None).unwrap().batches();
    assert_eq!(batches.map(|batch| batch.turned).sum::<u64>(), turned);
}
