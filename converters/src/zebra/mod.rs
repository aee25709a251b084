//! Books of Zebra, WZebra, DroidZebra and Reversatile. They can be read, not written.
//!
//! One book has three forms, each of which may also be compressed by gzip (DroidZebra's `book.cmp.z` is). No form has a version.
//!
//! **Binary**, `book.bin`:
//!
//! | offset | type | field |
//! | --- | --- | --- |
//! | 0 | i16, i16 | 2718, 2818 |
//! | 4 | i32 | number of records n |
//!
//! Each [`Record`] has 18 bytes, so the size is 8 + 18 n:
//!
//! | offset | type | field |
//! | --- | --- | --- |
//! | 0, 4 | i32, i32 | hash of the board |
//! | 8, 10 | i16, i16 | score when Zebra plays Black, when it plays White |
//! | 12 | i16 | the best move that leads out of the book; −1 unknown, −2 no move leads out |
//! | 14 | i16 | its score; 9999 unknown |
//! | 16 | u16 | flags |
//!
//! **Text**: the same numbers in decimal, separated by white space.
//!
//! **Compressed**, `.cmp`: no magic, and each position below one other, so that the file needs no boards.
//!
//! | type | field |
//! | --- | --- |
//! | i32, i32 | number of positions n, number of moves c |
//! | i16 × n | number of children of each position |
//! | i16 × c | moves to the children |
//! | (i16, i16) × n | scores |
//! | i16 × n, i16 × n, u16 × n | moves that lead out of the book, their scores, flags |
//!
//! The positions come in preorder. A position takes the moves to all its children before the first of them takes its own.
//!
//! # What the numbers mean
//!
//! * A square is 10 × row + column, from 1. In a record it is in the orientation of the [hash](struct@Hash); in `.cmp`, moves to children are
//!   in that of the board that they are played on.
//! * Scores are Black's, in 1/128 disc. A draw counts ±29 999 if it is to be avoided. A solved position has ±30 000 plus the
//!   result, and its flags say whether that is exact or just a win, a draw or a loss. Solved positions keep their score whatever
//!   lies below, and Zebra prefers any uncertain loss to a certain one.
//! * Flags: 1 Black moves, 2 White moves, 4 won, drawn or lost for certain, 16 solved exactly, 32 private; from bit 10 up the depth
//!   of the search behind the move that leads out of the book. Its score is the mean of searches of this depth and one ply more.
//! * Passes have no position: what a move leads to is the position of the side that really moves.
//!
//! # As positions
//!
//! A book is walked from the start over all legal moves: a record belongs to the board that has its hash. The scores become discs,
//! rounded; what is certain becomes a [proof](obook_othello::Proof). A win that is certain but not counted
//! becomes +2, and at least +2 is proven.
//! Neither a position whose side to move contradicts the moves that lead there nor a solved one that contradicts a solved child
//! keeps its score: its value is that of its best child. If nothing is left of a position, it is left out. [`BookReader::account`](crate::BookReader::account) counts what was dropped.

mod file;
mod hash;
mod walk;

pub use file::{File, Form};
pub use hash::Hash;

use crate::Error;
use crate::book_reader::Opened;
use crate::row::{Bytes, Holds, Row, Source, WHOLE};
use obook_base::Budget;
use obook_othello::Engine;

/// The row of the table of formats.
pub(crate) const FORMAT: Row = Row {
    name: "zebra",
    endings: &["bin", "cmp", "cmp.z"],
    program: "Zebra, WZebra, DroidZebra, Reversatile",
    begins: "2718 and 2818 as numbers or text, or a tree of moves",
    engine: Engine::Zebra,
    holds: Holds {
        values: true,
        proofs: true,
        levels: true,
        leaves: true,
        ..Holds::BOARDS
    },
    source: Source::File {
        mark: Some(|head| Form::of(head) != Form::Compressed),
        guess: Some(file::is_compressed),
        open,
    },
    writer: None,
};

fn open(input: Bytes, name: &str, budget: Budget) -> Result<Opened, Error> {
    Ok(walk::walked(File::read(budget.limit(input, WHOLE))?, name))
}

/// A position exactly as a book stores it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Record {
    /// The board.
    pub hash: Hash,
    /// The score for Black when Zebra plays Black.
    pub black: i16,
    /// The score for Black when Zebra plays White.
    pub white: i16,
    /// The best searched move out of the book, in the orientation of the hash; −1 none, −2 no move leads out.
    pub alternative: i16,
    /// Its score for Black.
    pub alternative_score: i16,
    /// The side to move, what is certain, and the depth of the search.
    pub flags: u16,
}

impl Record {
    /// In `flags`: Black is to move.
    pub const BLACK: u16 = 1;
    /// In `flags`: White is to move.
    pub const WHITE: u16 = 2;
    /// In `flags`: a win, a draw or a loss for certain.
    pub const WON_DRAWN_OR_LOST: u16 = 4;
    /// In `flags`: solved exactly.
    pub const SOLVED: u16 = 16;
    /// In `flags`: only in the owner's own preparation.
    pub const PRIVATE: u16 = 32;
    /// In `flags`: the depth of the search begins at this bit.
    pub const DEPTH: u32 = 10;
    /// An alternative: none.
    pub const NO_MOVE: i16 = -1;
    /// An alternative: all moves are in the book.
    pub const EXHAUSTED: i16 = -2;
    /// The score of an alternative that wasn't searched.
    pub const NO_SCORE: i16 = 9999;
    /// The score of a solved position, before its result is added.
    pub const CERTAIN: i16 = 30_000;

    /// The depth of the search behind the alternative; `None` if there was none.
    #[must_use]
    pub fn depth(&self) -> Option<u8> {
        let depth = (self.flags >> Record::DEPTH) as u8;
        (depth > 0).then_some(depth)
    }

    fn is_certain(&self) -> bool {
        self.flags & (Record::WON_DRAWN_OR_LOST | Record::SOLVED) != 0
    }
}
