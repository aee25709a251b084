//! Where the books are, and random positions.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "every test file takes this module in and uses a part of it"
)]

use obook_converters::{
    BookRecord, Bounds, Engine, Leaf, Link, NoLeaf, Outcomes, Position, Reader, Writer,
};
use obook_othello::Board;
use proptest::prelude::*;
use std::collections::HashMap;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

/// A small book that is part of the repository.
pub fn data(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/data")
        .join(path)
}

/// The bytes of a small book that is part of the repository.
pub fn bytes(path: &str) -> Vec<u8> {
    std::fs::read(data(path)).unwrap()
}

/// A book of the golden folder beside the repository, or under `OBOOK_GOLDEN`; `None`, with a note, where there is none.
pub fn golden(path: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("OBOOK_GOLDEN").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/golden"),
        PathBuf::from,
    );
    let path = folder.join(path);
    if path.exists() {
        Some(path)
    } else {
        println!("skipped: {} does not exist", path.display());
        None
    }
}

/// Every record of a file, which has to be in order.
pub fn records<T: BookRecord>(bytes: &[u8]) -> Vec<T> {
    Reader::<_, T>::new(bytes)
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap()
}

/// What comes out when a file is read and written again.
pub fn rewritten<T: BookRecord>(bytes: &[u8]) -> Vec<u8> {
    let mut reader = Reader::<_, T>::new(bytes).unwrap();
    let header = reader.header().clone();
    let mut writer = Writer::<_, T>::with_layout(Vec::new(), header, reader.layout()).unwrap();
    for record in &mut reader {
        writer.write(&record.unwrap()).unwrap();
    }
    writer.finish().unwrap()
}

/// What comes out when a file is read, checked, and written again from the positions. A missing leaf is written as
/// `.egbk3` files do where all moves are in the book.
pub fn rechecked<T: BookRecord>(bytes: &[u8]) -> Vec<u8> {
    let mut reader = Reader::<_, T>::new(bytes).unwrap();
    let header = reader.header().clone();
    let mut writer = Writer::<_, T>::new(Vec::new(), header).unwrap();
    for record in &mut reader {
        let position = record.unwrap().check().unwrap();
        writer
            .write(&T::from_position(&position, NoLeaf::AllMovesInBook).unwrap())
            .unwrap();
    }
    writer.finish().unwrap()
}

/// Positions by board; no board may stand twice.
pub fn by_board<T: BookRecord>(bytes: &[u8]) -> HashMap<Board, Position> {
    let mut map = HashMap::new();
    for record in records::<T>(bytes) {
        let position = record.check().unwrap();
        let board = position.board.board();
        assert_eq!(
            map.insert(board, position),
            None,
            "{} twice",
            board.to_text()
        );
    }
    map
}

/// A position of a random game; every fourth is one where the side to move must pass or the game is over.
pub fn board() -> impl Strategy<Value = Board> {
    let index = any::<prop::sample::Index>;
    (prop::collection::vec(index(), 64), index(), 0u8..4).prop_map(|(choices, ply, kind)| {
        let mut game = vec![Board::START];
        for choice in choices {
            let board = *game.last().unwrap();
            let moves: Vec<_> = board.moves().collect();
            if !moves.is_empty() {
                game.push(board.play(moves[choice.index(moves.len())]).unwrap());
            }
        }
        if kind == 0 {
            game.retain(|board| board.legal_moves().is_empty());
        }
        // Every game comes to its end within 60 discs and a few passes; were there no end, the start would do.
        game.get(ply.index(game.len().max(1)))
            .copied()
            .unwrap_or(Board::START)
    })
}

fn score() -> impl Strategy<Value = i8> {
    -64i8..=64
}

/// A position as an Edax book could hold it: every number known, one level, links and a leaf of different moves.
pub fn edax_position() -> impl Strategy<Value = Position> {
    let numbers = (any::<[i16; 3]>(), any::<[u32; 4]>(), 0u8..=60);
    let scores = prop::collection::vec(score(), 64);
    (board(), numbers, scores, any::<u64>(), any::<bool>()).prop_map(
        |(board, ([value, lower, upper], counts, level), scores, chosen, has_leaf)| {
            let board = board.canonical();
            let moves: Vec<_> = board.board().moves().collect();
            let (links, rest): (Vec<_>, Vec<_>) =
                (0..).zip(moves).partition(|(i, _)| chosen >> i & 1 != 0);
            let leaf = if board.board().is_over() {
                Some(None)
            } else {
                rest.first().map(|(_, mv)| Some(*mv))
            };
            Position {
                value: Some(value),
                bounds: Some(Bounds { lower, upper }),
                level: Some(level),
                outcomes: Some(Outcomes {
                    wins: counts[0],
                    draws: counts[1],
                    losses: counts[2],
                }),
                lines: Some(counts[3]),
                links: links
                    .into_iter()
                    .map(|(i, mv)| Link {
                        mv,
                        score: Some(scores[i]),
                    })
                    .collect(),
                leaf: leaf.filter(|_| has_leaf).map(|mv| Leaf {
                    mv,
                    score: scores[63],
                    level: Some(level),
                    engine: Engine::Edax,
                }),
                ..Position::new(board, Engine::Edax)
            }
        },
    )
}

/// A position as an `.egbk3` book could hold it: no links, levels of their own for value and leaf.
pub fn egbk3_position() -> impl Strategy<Value = Position> {
    let level = || prop::option::of(0u8..=127);
    let value = prop::option::of(score());
    (
        board(),
        value,
        level(),
        any::<u32>(),
        prop::option::of((any::<prop::sample::Index>(), score(), level())),
    )
        .prop_map(|(board, value, level, lines, leaf)| {
            let board = board.canonical();
            let moves: Vec<_> = board.board().moves().collect();
            Position {
                value: value.map(i16::from),
                level,
                lines: Some(lines),
                leaf: leaf
                    .filter(|_| !moves.is_empty())
                    .map(|(choice, score, level)| Leaf {
                        mv: Some(moves[choice.index(moves.len())]),
                        score,
                        level,
                        engine: Engine::Egaroucid,
                    }),
                ..Position::new(board, Engine::Egaroucid)
            }
        })
}

/// A header, then a record again and again.
#[derive(Clone)]
pub struct Repeated {
    head: Cursor<Vec<u8>>,
    record: Vec<u8>,
    at: usize,
    left: u64,
}

impl Repeated {
    /// So many records behind `head`.
    pub fn new(head: &[u8], record: Vec<u8>, records: u64) -> Repeated {
        Repeated {
            head: Cursor::new(head.to_vec()),
            left: records * record.len() as u64,
            record,
            at: 0,
        }
    }
}

impl Read for Repeated {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let head = self.head.read(buffer)?;
        if head > 0 {
            return Ok(head);
        }
        let len = self.left.min(buffer.len() as u64) as usize;
        for byte in &mut buffer[..len] {
            *byte = self.record[self.at];
            self.at = (self.at + 1) % self.record.len();
        }
        self.left -= len as u64;
        Ok(len)
    }
}
