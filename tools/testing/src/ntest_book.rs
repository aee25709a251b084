//! Books of NTest, written as its source does.

use obook_othello::{Board, Line, Move, Square, Symmetry};
use std::collections::BTreeMap;

/// What a book says of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Numbers {
    /// How often it occurred in games.
    pub games: [u16; 2],
    /// The flags.
    pub flags: u16,
    /// The score.
    pub score: i16,
}

/// A book: its positions by the empty squares and the mover's discs of their smallest image.
#[derive(Clone, Debug, Default)]
pub struct NtestBook {
    positions: BTreeMap<(u64, u64), Numbers>,
}

/// The image of a board that a book has: the smallest by the mover's discs and then by the empty squares.
pub fn smallest(board: Board) -> Board {
    let images = Symmetry::ALL.map(|symmetry| symmetry.board(board));
    let key = |image: &Board| (image.player(), empty(*image));
    images.into_iter().min_by_key(key).unwrap()
}

fn empty(board: Board) -> u64 {
    !(board.player() | board.opponent())
}

impl NtestBook {
    /// A book of these positions. The side to move may have to pass.
    pub fn new(positions: impl IntoIterator<Item = (Board, Numbers)>) -> NtestBook {
        let positions = positions.into_iter().map(|(board, numbers)| {
            let board = smallest(board);
            ((empty(board), board.player()), numbers)
        });
        NtestBook {
            positions: positions.collect(),
        }
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The file.
    pub fn bytes(&self) -> Vec<u8> {
        let mut chunks: Vec<Vec<u8>> = Vec::new();
        let mut left = self.positions.clone();
        let mut roots: Vec<(u64, u64)> = left.keys().copied().collect();
        roots.sort_by_key(|(empty, mover)| (u32::MAX - empty.count_ones(), *mover, *empty));
        for (empty, mover) in roots {
            if left.contains_key(&(empty, mover)) {
                chunks.push([empty.to_le_bytes(), mover.to_le_bytes()].concat());
                let board = Board::new(mover, !(mover | empty)).unwrap();
                tree(board, &mut left, &mut chunks);
            }
        }
        let mut bytes = [2i32, self.len() as i32].map(i32::to_le_bytes).concat();
        let sum = checksum(&chunks);
        bytes.extend(chunks.concat());
        bytes.extend(sum.to_le_bytes());
        bytes
    }
}

fn tree(board: Board, left: &mut BTreeMap<(u64, u64), Numbers>, chunks: &mut Vec<Vec<u8>>) {
    let numbers = left.remove(&(empty(board), board.player())).unwrap();
    let mut bytes = [numbers.games[0], numbers.games[1], numbers.flags]
        .map(u16::to_le_bytes)
        .concat();
    bytes.extend(numbers.score.to_le_bytes());
    chunks.push(bytes);
    if board.is_over() {
        return;
    }
    let mover = board.play(Move::Pass).unwrap_or(board);
    let mut moves: Vec<Square> = mover.legal_moves().into_iter().collect();
    moves.sort_by_key(|square| kind(*square));
    for square in moves {
        let child = smallest(mover.after(square));
        if left.contains_key(&(empty(child), child.player())) {
            chunks.push(vec![square.index()]);
            tree(child, left, chunks);
        }
    }
    chunks.push(vec![255]);
}

/// Corners come first, and the squares that touch one come last.
fn kind(square: Square) -> u8 {
    let from_edge = |line: u8| line.min(7 - line);
    match (from_edge(square.file()), from_edge(square.rank())) {
        (0, 0) => 0,
        (0..=1, 0..=1) => 2,
        _ => 1,
    }
}

/// Bob Jenkins's mixing function over the words of each chunk, one step after another.
fn checksum(chunks: &[Vec<u8>]) -> u32 {
    let mut words = Vec::new();
    for chunk in chunks {
        let mut rest = &chunk[..];
        while let Some((word, more)) = rest.split_first_chunk() {
            words.push(u32::from_le_bytes(*word));
            rest = more;
        }
        if let Some((half, more)) = rest.split_first_chunk() {
            words.push(u16::from_le_bytes(*half).into());
            rest = more;
        }
        words.extend(rest.iter().map(|byte| u32::from(*byte)));
    }
    let (mut a, mut b, mut c) = (0u32, 0u32, 0u32);
    for words in words.chunks(3) {
        a = a.wrapping_add(words[0]);
        b = b.wrapping_add(words.get(1).copied().unwrap_or(0));
        let Some(word) = words.get(2) else { break };
        c = c.wrapping_add(*word);
        a = a.wrapping_sub(b).wrapping_sub(c) ^ (c >> 13);
        b = b.wrapping_sub(c).wrapping_sub(a) ^ (a << 8);
        c = c.wrapping_sub(a).wrapping_sub(b) ^ (b >> 13);
        a = a.wrapping_sub(b).wrapping_sub(c) ^ (c >> 12);
        b = b.wrapping_sub(c).wrapping_sub(a) ^ (a << 16);
        c = c.wrapping_sub(a).wrapping_sub(b) ^ (b >> 5);
        a = a.wrapping_sub(b).wrapping_sub(c) ^ (c >> 3);
        b = b.wrapping_sub(c).wrapping_sub(a) ^ (a << 10);
        c = c.wrapping_sub(a).wrapping_sub(b) ^ (b >> 15);
    }
    a
}

/// The board after a line such as `f5d6`.
pub fn at(line: &str) -> Board {
    line.parse::<Line>().unwrap().board()
}

/// The bit of `flags` from which on there is a depth.
const DEPTH: u32 = 4;

/// A root that isn't proven, whose other moves are worth `bound` at most.
pub fn root(depth: u16, bound: i16) -> Numbers {
    let mut root = searched(depth, bound);
    root.flags |= 2;
    root
}

/// A move that was searched.
pub fn searched(depth: u16, score: i16) -> Numbers {
    let selectivity = 4 << 10;
    Numbers {
        flags: depth << DEPTH | selectivity,
        score,
        ..Numbers::default()
    }
}

/// A book of a few positions: two moves after f5, one of which is below the other's transposition.
pub fn small() -> NtestBook {
    NtestBook::new([
        (at(""), root(12, -16_400)),
        (at("f5"), root(12, -400)),
        (at("f5d6"), root(12, -16_400)),
        (at("f5f6"), searched(11, 250)),
        (at("f5d6c3"), root(12, -300)),
        (at("f5d6c3d3"), searched(11, -149)),
        (at("f5d6c5"), searched(11, 60)),
    ])
}
