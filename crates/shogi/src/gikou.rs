//! Gikou's `book.bin`: the numbers of its hash, then moves by the hash of their position.

use crate::book::{BookMove, Read, ReadError};
use crate::{Board, Colour, Move, Piece, PieceType, Square, hashed};

const PIECES: usize = 32;
const HAND: usize = 16;
/// The numbers of pieces on squares, then those of pieces in hands.
const NUMBERS: usize = 8 * (PIECES * Square::COUNT + 2 * HAND);
const RECORD: usize = 32;
/// A score that isn't known.
const NO_SCORE: i32 = 32_601;

/// Gikou's number of a kind: by value from 1 for a pawn to 8 for a king; promoted pieces have 8 more.
fn kind_number(kind: PieceType) -> usize {
    let unpromoted = kind.unpromoted();
    let place = PieceType::BY_VALUE.iter().position(|&it| it == unpromoted);
    place.unwrap_or(PieceType::BY_VALUE.len()) + 1 + if kind.is_promoted() { 8 } else { 0 }
}

/// The kind with this number, if a hand can hold it.
pub(crate) fn dropped_kind(number: u32) -> Option<PieceType> {
    let place = (number as usize).checked_sub(1)?;
    PieceType::BY_VALUE.get(place).copied()
}

fn field(record: &[u8; RECORD], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|byte| record[at + byte]))
}

fn hash_of(record: &[u8; RECORD]) -> u64 {
    u64::from(field(record, 0)) | u64::from(field(record, 4)) << 32
}

/// Whether a file of this length that begins with these bytes looks like such a book: its first records are moves, in the order of
/// their hashes as signed numbers.
#[must_use]
pub fn is_book(head: &[u8], length: u64) -> bool {
    let records = head.get(NUMBERS..).unwrap_or_default();
    let (records, _) = records.as_chunks::<RECORD>();
    let whole = length.checked_sub(NUMBERS as u64);
    let is_whole = whole.is_some_and(|records| records.is_multiple_of(RECORD as u64));
    let is_move = |record: &[u8; RECORD]| move_from(field(record, 8)).is_some();
    is_whole
        && !records.is_empty()
        && records.iter().all(is_move)
        && records.is_sorted_by_key(|record| hash_of(record).cast_signed())
}

/// Reads a file, and looks for its positions from the start position.
///
/// # Errors
/// Returns [`ReadError`] if its length isn't that of the numbers and whole records.
pub fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let expected = format!("{NUMBERS}, and a multiple of {RECORD} after that");
    let wrong_length = || ReadError::length(bytes, &expected);
    let (numbers, records) = bytes.split_at_checked(NUMBERS).ok_or_else(wrong_length)?;
    let (records, rest) = records.as_chunks::<RECORD>();
    if !rest.is_empty() {
        return Err(wrong_length());
    }
    let (numbers, _) = numbers.as_chunks();
    let numbers: Vec<u64> = numbers.iter().map(|&it| u64::from_le_bytes(it)).collect();
    let records = records.iter().map(|record| {
        let field = |at| field(record, at);
        let mv = move_from(field(8)).ok_or_else(|| format!("{:#010x} is not a move", field(8)));
        let score = field(24) as i32;
        let listed = mv.map(|mv| BookMove {
            count: Some(field(12)),
            score: (score != NO_SCORE).then_some(score),
            ..BookMove::new(mv)
        });
        (hash_of(record), listed)
    });
    let mut found = hashed::find(records, |board| hash(&numbers, board));
    // Moves, too, are as the side to move sees them.
    for entry in &mut found.book.entries {
        for listed in &mut entry.moves {
            listed.mv = listed.mv.seen_by(entry.board.turn());
        }
    }
    Ok(found)
}

/// Bits 0 to 6 are the target, 7 a promotion, 8 to 14 the square it comes from, 15 a drop, 16 to 19 the kind.
fn move_from(bits: u32) -> Option<Move> {
    let to = Square::from_index((bits & 0x7f) as u8)?;
    if bits >> 15 & 1 == 1 {
        let kind = dropped_kind(bits >> 16 & 0xf)?;
        return Some(Move::Drop { kind, to });
    }
    let from = Square::from_index((bits >> 8 & 0x7f) as u8).filter(|&from| from != to)?;
    let promotes = bits >> 7 & 1 == 1;
    Some(Move::Step { from, to, promotes })
}

/// A position's hash: the sum of the numbers of its pieces, as the side to move sees them.
fn hash(numbers: &[u64], board: &Board) -> u64 {
    let board = board.canonical();
    let white = |colour| usize::from(colour == Colour::White);
    let of_piece = |(square, Piece { kind, colour }): (Square, Piece)| {
        let piece = kind_number(kind) + 16 * white(colour);
        numbers[piece * Square::COUNT + square.index()]
    };
    let mut hash = board.pieces().map(of_piece).fold(0, u64::wrapping_add);
    for colour in Colour::ALL {
        for (kind, count) in board.hand(colour).pieces() {
            let at = PIECES * Square::COUNT + HAND * white(colour) + kind_number(kind);
            hash = hash.wrapping_add(numbers[at].wrapping_mul(count.into()));
        }
    }
    hash
}
