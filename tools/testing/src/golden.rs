//! Golden books and tables: written by Edax and Egaroucid themselves.

use obook_converters::{BookReader, Header};
use obook_othello::{Board, CanonicalBoard, Engine, Leaf, Move, Position};
use std::path::PathBuf;

/// The books in the repository that Edax wrote.
pub const EDAX_BOOKS: [&str; 6] = [
    "small.dat",
    "games.dat",
    "edax/small.prune.dat",
    "edax/games.prune.dat",
    "edax/small.subtree_f5d6c4.dat",
    "edax/deviate.depth9.prune.dat",
];

/// Edax's largest, for tests with `#[needs(large_books)]`.
pub const LARGE_EDAX_BOOK: &str = "edax/deviate.dat";

/// A published book, which we may not copy, for tests with `#[needs(published_book)]`.
pub const PUBLISHED_BOOK: &str = "../public/libedax_test_book.dat";

/// The path of a golden file. Those that the documentation uses are in `examples`, other small ones in `tests/data`, large ones in the
/// folder that `OBOOK_GOLDEN` names, which is `../shared/golden` beside the workspace by default.
pub fn golden(name: &str) -> PathBuf {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let elsewhere = std::env::var_os("OBOOK_GOLDEN");
    let elsewhere = elsewhere.map_or_else(|| root.join("../shared/golden"), PathBuf::from);
    let folders = [root.join("examples"), root.join("tests/data"), elsewhere];
    folders
        .iter()
        .flat_map(|folder| [folder.join(name), folder.join(format!("{name}.zst"))])
        .find(|path| path.exists())
        .unwrap_or_else(|| panic!("{name} is in none of {folders:?}"))
}

/// The header and positions of a golden book.
pub fn book(name: &str) -> (Header, Vec<Position>) {
    let book = BookReader::open(golden(name), None).unwrap();
    let header = book.header().clone();
    let positions: Vec<Position> = book.map(Result::unwrap).collect();
    assert_eq!(header.count, Some(positions.len() as i64));
    assert!(!positions.is_empty(), "{name}");
    (header, positions)
}

/// The rows of a golden table, without the heading, split into columns.
pub fn table(name: &str) -> Vec<Vec<String>> {
    let bytes = std::fs::read(golden(name)).unwrap();
    let bytes = match bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        true => zstd::decode_all(&bytes[..]).unwrap(),
        false => bytes,
    };
    let text = String::from_utf8(bytes).unwrap();
    let columns = |line: &str| line.split('\t').map(str::to_owned).collect();
    let rows: Vec<Vec<String>> = text.lines().skip(1).map(columns).collect();
    assert!(!rows.is_empty(), "{name}");
    rows
}

/// A row of an Egaroucid table: a position as the engine holds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EgaroucidRow {
    pub board: CanonicalBoard,
    pub value: i16,
    pub level: u8,
    pub lines: u32,
    pub leaf: Option<Leaf>,
}

/// The rows of an Egaroucid table. A move is a bit number; −126, 125 and −1 mean undefined.
pub fn egaroucid_table(name: &str) -> Vec<EgaroucidRow> {
    let row = |columns: Vec<String>| {
        let (position, leaf) = columns.split_at(5);
        let [player, opponent, value, level, lines] = position else {
            panic!("five columns: {position:?}");
        };
        let [score, mv, leaf_level, _accuracy] = leaf else {
            panic!("four columns: {leaf:?}");
        };
        let bits = |text| u64::from_str_radix(text, 16).unwrap();
        let board = Board::new(bits(player), bits(opponent)).unwrap();
        EgaroucidRow {
            board: CanonicalBoard::new(board).expect("golden boards are canonical"),
            value: value.parse().unwrap(),
            level: level.parse().unwrap(),
            lines: lines.parse().unwrap(),
            leaf: Move::from_code(mv.parse().unwrap()).map(|mv| Leaf {
                mv: Some(mv),
                score: score.parse().unwrap(),
                level: leaf_level.parse().ok(),
                engine: Engine::Egaroucid,
            }),
        }
    };
    table(name).into_iter().map(row).collect()
}
