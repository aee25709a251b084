//! Apery's `book.bin`: moves by a 64-bit hash of their position.

use crate::book::{BookMove, Dropped, Entry, Read, ReadError};
use crate::{Board, Colour, Move, Piece, PieceType, Square, hashed};
use std::sync::LazyLock;

const RECORD: usize = 16;
/// A drop comes from a square beyond the board.
const DROP: u16 = 80;

/// The numbers that a hash consists of.
struct Numbers {
    pieces: [[u64; Square::COUNT]; 31],
    hands: [[u64; 19]; 7],
    white: u64,
}

/// They are the first numbers of the 64-bit Mersenne Twister with its default seed.
static NUMBERS: LazyLock<Numbers> = LazyLock::new(|| {
    let mut twister = Twister::new(5489);
    Numbers {
        pieces: std::array::from_fn(|_| std::array::from_fn(|_| twister.next())),
        hands: std::array::from_fn(|_| std::array::from_fn(|_| twister.next())),
        white: twister.next(),
    }
});

/// The Mersenne Twister of 64 bits by Nishimura and Matsumoto.
struct Twister {
    state: [u64; 312],
    at: usize,
}

impl Twister {
    fn new(seed: u64) -> Self {
        let mut state = [seed; 312];
        for at in 1..state.len() {
            let last = state[at - 1];
            state[at] = (last ^ last >> 62)
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(at as u64);
        }
        Self { state, at: 0 }
    }

    fn next(&mut self) -> u64 {
        const LOW: u64 = 0x7fff_ffff;
        let (at, count) = (self.at, self.state.len());
        let x = self.state[at] & !LOW | self.state[(at + 1) % count] & LOW;
        let odd = if x & 1 == 1 { 0xb502_6f5a_a966_19e9 } else { 0 };
        let mut x = self.state[(at + 156) % count] ^ x >> 1 ^ odd;
        self.state[at] = x;
        self.at = (at + 1) % count;
        x ^= x >> 29 & 0x5555_5555_5555_5555;
        x ^= x << 17 & 0x71d6_7fff_eda6_0000;
        x ^= x << 37 & 0xfff7_eee0_0000_0000;
        x ^ x >> 43
    }
}

/// The part of a hash that a piece on a square has. Apery's numbers of kinds are YaneuraOu's.
pub(crate) fn piece_number(Piece { kind, colour }: Piece, square: Square) -> u64 {
    let colour = if colour == Colour::White { 16 } else { 0 };
    NUMBERS.pieces[usize::from(kind.number()) + colour][square.index()]
}

/// A position's hash. The other side's hand isn't part of it, since it follows from the rest.
///
/// ```
/// use obook_shogi::{Board, apery};
///
/// assert_eq!(apery::hash(&Board::start()), 0xeebe_8ee7_e1ad_7e15);
/// ```
#[must_use]
pub fn hash(board: &Board) -> u64 {
    let Numbers { hands, white, .. } = &*NUMBERS;
    let mut hash = match board.turn() {
        Colour::Black => 0,
        Colour::White => *white,
    };
    for (square, piece) in board.pieces() {
        hash ^= piece_number(piece, square);
    }
    let hand = board.hand(board.turn());
    for (numbers, kind) in hands.iter().zip(PieceType::BY_VALUE) {
        hash ^= numbers[usize::from(hand.count(kind))];
    }
    hash
}

/// A record's hash, move, count and score.
fn fields(record: &[u8; RECORD]) -> (u64, u16, u16, i32) {
    let bits = u128::from_le_bytes(*record);
    let (hash, mv) = (bits as u64, (bits >> 64) as u16);
    let (count, score) = ((bits >> 80) as u16, (bits >> 96) as i32);
    (hash, mv, count, score)
}

/// Whether a file of this length that begins with these bytes looks like such a book: its first records are moves, in the order of
/// their hashes, and either they are many, or one is of a position in the first plies.
#[must_use]
pub fn is_book(head: &[u8], length: u64) -> bool {
    const MANY: usize = 16;
    const NEAR: u32 = 2;
    let (records, _) = head.as_chunks::<RECORD>();
    let hash_of = |record: &[u8; RECORD]| fields(record).0;
    let is_move = |record: &[u8; RECORD]| move_from(fields(record).1).is_some();
    let has = |board: &Board| {
        let wanted = hash(board);
        records.iter().any(|record| hash_of(record) == wanted)
    };
    length.is_multiple_of(RECORD as u64)
        && !records.is_empty()
        && records.iter().all(is_move)
        && records.is_sorted_by_key(hash_of)
        && (records.len() >= MANY || is_near(&Board::start(), NEAR, &has))
}

/// Whether a position or one of the next plies is such a one.
fn is_near(board: &Board, plies: u32, is: &dyn Fn(&Board) -> bool) -> bool {
    let mut next = board.children().into_iter();
    is(board) || plies > 0 && next.any(|(_, child)| is_near(&child, plies - 1, is))
}

/// Reads a file, and looks for its positions from the start position.
///
/// # Errors
/// Returns [`ReadError`] if its length isn't that of whole records.
pub fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let (records, rest) = bytes.as_chunks::<RECORD>();
    if !rest.is_empty() {
        return Err(ReadError::length(bytes, &format!("a multiple of {RECORD}")));
    }
    let records = records.iter().map(|record| {
        let (hash, bits, count, score) = fields(record);
        let mv = move_from(bits).ok_or_else(|| format!("{bits:#06x} is not a move"));
        let listed = mv.map(|mv| BookMove {
            count: Some(count.into()),
            score: Some(score),
            ..BookMove::new(mv)
        });
        (hash, listed)
    });
    Ok(hashed::find(records, hash))
}

/// Bits 0 to 6 are the target, 7 to 13 the square it comes from (or 80 and the kind that is dropped), 14 a promotion.
fn move_from(bits: u16) -> Option<Move> {
    let from = bits >> 7 & 0x7f;
    let bits_of_move = if from > DROP {
        (from - DROP) << 7 | 1 << 14
    } else {
        from << 7 | (bits >> 14 & 1) << 15
    };
    (bits >> 15 == 0).then_some(())?;
    let mv = Move::from_bits(bits & 0x7f | bits_of_move)?;
    (bits_of(mv) == bits).then_some(mv)
}

fn bits_of(mv: Move) -> u16 {
    let to = mv.to().index() as u16;
    match mv {
        Move::Step { from, promotes, .. } => {
            to | (from.index() as u16) << 7 | u16::from(promotes) << 14
        }
        Move::Drop { kind, .. } => to | (DROP + u16::from(kind.number())) << 7,
    }
}

/// The records of a position's moves, in the book's order, and what they can't hold: plies, comments, expected answers, depths, and
/// counts of more than 16 bits. A file has the records of all positions, in the order of their [hashes](hash).
#[must_use]
pub fn record(entry: &Entry) -> (Vec<u8>, Dropped) {
    let mut dropped = Dropped {
        plies: u64::from(entry.ply.is_some()),
        comments: entry.comments.len() as u64,
        positions: u64::from(entry.moves.is_empty()),
        ..Dropped::default()
    };
    let mut bytes = Vec::new();
    let hash = hash(&entry.board);
    for listed in &entry.moves {
        dropped.ponders += u64::from(listed.ponder.is_some());
        dropped.depths += u64::from(listed.depth.is_some());
        let count = listed.count.unwrap_or(1);
        dropped.clipped += u64::from(count > u16::MAX.into());
        bytes.extend(hash.to_le_bytes());
        bytes.extend(bits_of(listed.mv).to_le_bytes());
        bytes.extend((count.min(u16::MAX.into()) as u16).to_le_bytes());
        bytes.extend(listed.score.unwrap_or(0).to_le_bytes());
    }
    (bytes, dropped)
}
