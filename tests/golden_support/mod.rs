//! Where the golden books are, and how the tests read them.

#![allow(dead_code, reason = "each test file uses a part of it")]

use obook_converters::{Bounds, Engine, Leaf, Link, Outcomes, Position};
use obook_othello::{Board, CanonicalBoard, Move};
use std::path::PathBuf;

/// A golden file: from `tests/data` where it is small enough to be kept there, else from the folder that `OBOOK_GOLDEN`
/// names, else from `../shared/golden` beside the workspace. `None`, with a note, where it is nowhere.
pub(crate) fn golden(name: &str) -> Option<Vec<u8>> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let elsewhere =
        std::env::var_os("OBOOK_GOLDEN").map_or(root.join("../shared/golden"), PathBuf::from);
    let folders = [root.join("tests/data"), elsewhere];
    for folder in &folders {
        if let Ok(bytes) = std::fs::read(folder.join(name)) {
            return Some(bytes);
        }
        if let Ok(packed) = std::fs::read(folder.join(format!("{name}.zst"))) {
            return Some(zstd::decode_all(&packed[..]).expect("a golden file is whole"));
        }
    }
    eprintln!("note: {name} is in neither of {folders:?}, so nothing is checked");
    None
}

/// The little-endian fields of a book file.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (field, rest) = self.0.split_first_chunk().expect("a golden file is whole");
        self.0 = rest;
        *field
    }

    fn board(&mut self) -> CanonicalBoard {
        let player = u64::from_le_bytes(self.take());
        let opponent = u64::from_le_bytes(self.take());
        let board = Board::new(player, opponent).expect("golden boards don't overlap");
        CanonicalBoard::new(board).expect("golden boards are canonical")
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn i32(&mut self) -> i32 {
        i32::from_le_bytes(self.take())
    }

    fn i16(&mut self) -> i16 {
        i16::from_le_bytes(self.take())
    }

    fn i8(&mut self) -> i8 {
        i8::from_le_bytes(self.take())
    }

    fn u8(&mut self) -> u8 {
        self.take::<1>()[0]
    }
}

/// An Edax book with the errors that its header names.
pub(crate) struct EdaxBook {
    pub(crate) midgame_error: i16,
    pub(crate) endcut_error: i16,
    pub(crate) positions: Vec<Position>,
}

pub(crate) fn read_edax(bytes: &[u8]) -> EdaxBook {
    let mut fields = Fields(&bytes[26..]);
    let (midgame_error, endcut_error) = (fields.i32() as i16, fields.i32() as i16);
    let _verbosity = fields.i32();
    let count = fields.i32();
    let positions: Vec<Position> =
        std::iter::from_fn(|| (!fields.0.is_empty()).then(|| edax_position(&mut fields))).collect();
    assert_eq!(positions.len(), count as usize);
    EdaxBook {
        midgame_error,
        endcut_error,
        positions,
    }
}

pub(crate) fn for_each_edax(bytes: &[u8], mut f: impl FnMut(Position)) {
    let mut fields = Fields(&bytes[42..]);
    while !fields.0.is_empty() {
        f(edax_position(&mut fields));
    }
}

fn edax_position(fields: &mut Fields<'_>) -> Position {
    let mut position = Position::new(fields.board(), Engine::Edax);
    position.outcomes = Some(Outcomes {
        wins: fields.u32(),
        draws: fields.u32(),
        losses: fields.u32(),
    });
    position.lines = Some(fields.u32());
    position.value = Some(fields.i16());
    position.bounds = Some(Bounds {
        lower: fields.i16(),
        upper: fields.i16(),
    });
    let links = fields.u8();
    position.level = Some(fields.u8());
    for _ in 0..links {
        let score = Some(fields.i8());
        let mv = Move::from_code(fields.u8()).expect("a golden link has a move");
        position.links.push(Link { mv, score });
    }
    let (score, mv) = (fields.i8(), fields.u8());
    position.leaf = (score != -127).then(|| Leaf {
        mv: Move::from_code(mv),
        score,
        level: None,
    });
    position
}

/// The positions of an Egaroucid `.egbk3` book.
pub(crate) fn read_egbk3(bytes: &[u8]) -> Vec<Position> {
    let mut fields = Fields(&bytes[10..]);
    let count = fields.i32();
    (0..count)
        .map(|_| {
            let mut position = Position::new(fields.board(), Engine::Egaroucid);
            position.value = Some(fields.i8().into());
            position.level = Some(fields.u8());
            position.lines = Some(fields.u32());
            let (score, mv, level) = (fields.i8(), fields.u8(), fields.i8());
            position.leaf = Move::from_code(mv).map(|mv| Leaf {
                mv: Some(mv),
                score,
                level: u8::try_from(level).ok(),
            });
            position
        })
        .collect()
}

/// A row of an Egaroucid table: the position as the engine holds it. Moves are bit numbers, undefined is −126, 125, −1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EgaroucidRow {
    pub(crate) board: CanonicalBoard,
    pub(crate) value: i16,
    pub(crate) level: u8,
    pub(crate) lines: u32,
    pub(crate) leaf: Option<Leaf>,
}

pub(crate) fn read_egaroucid_table(bytes: &[u8]) -> Vec<EgaroucidRow> {
    let text = std::str::from_utf8(bytes).expect("a table is text");
    let row = |line: &str| {
        let [
            player,
            opponent,
            value,
            level,
            lines,
            score,
            mv,
            leaf_level,
            _accuracy,
        ] = line.split('\t').collect::<Vec<_>>()[..]
        else {
            panic!("nine columns: {line}");
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
            }),
        }
    };
    text.lines().skip(1).map(row).collect()
}
