//! Books of NTest, Chris Welty's program, in format 2.
//!
//! | offset | type | field |
//! | --- | --- | --- |
//! | 0 | i32 | version: 2 |
//! | 4 | i32 | number of positions |
//! | 8 | | main trees, until all positions are there |
//! | the end | u32 | checksum of the trees |
//!
//! A main tree begins with its board as the sets of empty squares and of the mover's discs, u64 each, bit 0 = a1. Then comes its
//! tree, and so does one after each move:
//!
//! | type | field |
//! | --- | --- |
//! | u16, u16 | how often the position occurred in games, of two kinds |
//! | u16 | flags |
//! | i16 | score |
//! | (u8, tree)… | moves, 0 to 63, each with the tree of the position that it leads to |
//! | u8 | 255: no more moves |
//!
//! Boards are the smallest of their eight images, by the mover's discs and then by the empty squares. A move is in the orientation of
//! the board that it is played on, and the board after it is turned to its own. If the side to move must pass, the moves
//! are those of the other side; if neither has a move, not even the 255 follows.
//!
//! The checksum is Bob Jenkins's mixing function over words: four bytes each, and what a field of two bytes or one holds.
//!
//! # What the numbers mean
//!
//! * Scores are the mover's, in 1/100 disc.
//! * Flags: 1 proven; 2 the root of a search of moves that lead out of the book; 4 a win, a draw or a loss for certain, and no score; 8
//!   searched to the end; from bit 4 up the depth (6 bits), then the selectivity (0 is none, 4 that of the midgame).
//! * The score of a root that isn't proven is no score: all moves that lead out of the book are worth that much at most.
//!   NTest computes such a position's value from the positions below it.
//!
//! # As positions
//!
//! A position of which nothing is proven has the value of its search, or as a root that of its best child, in discs,
//! rounded. What is proven becomes a [proof](obook_othello::Proof). If a side must pass, its position's data go to the other
//! side's. Links follow from the boards. [`BookReader::account`](crate::BookReader::account) counts what is lost.
//!
//! # From positions
//!
//! A position whose value is that of its best child becomes a root: all moves that lead out of the book are worth that
//! much at most. Any other becomes the result of a search, or of a [proof](held). So every value survives a round trip. The depth is that of the
//! [effort](obook_othello::levels::Effort) behind the level. Trees stand in the order in which NTest writes them.
//!
//! This follows the program's source; the only real book at hand has two positions.

mod read;
mod write;

pub use read::File;
pub use write::Writer;

use crate::Error;
use crate::book_reader::Opened;
use crate::claim::{Claim, MOST};
use crate::reader::Fields;
use crate::row::{Bytes, Form, Holds, Row, Source, WHOLE, Written};
use obook_base::Budget;
use obook_othello::{Board, Engine, Proof, Symmetry};

/// The row of the table of formats.
pub(crate) const FORMAT: Row = Row {
    name: "ntest",
    endings: &["book"],
    program: "NTest, format 2",
    begins: "the number 2, a number of positions and a board",
    engine: Engine::Ntest,
    holds: Holds {
        values: true,
        proofs: true,
        levels: true,
        ..Holds::BOARDS
    },
    source: Source::File {
        mark: None,
        guess: Some(|head, _| begins(head)),
        open,
    },
    writer: Some(Written {
        form: Form::Ntest,
        begin: write::begin,
        append: write::append,
    }),
};

fn open(input: Bytes, name: &str, budget: Budget) -> Result<Opened, Error> {
    Ok(read::opened(File::read(budget.limit(input, WHOLE))?, name))
}

/// The version.
const VERSION: u8 = 2;
/// The length of the header.
const HEADER: usize = 8;
/// The length of a main tree's board.
const BOARD: usize = 16;
/// The length of a position's numbers.
const LEN: usize = 8;
/// The length of the checksum.
const SUM: usize = 4;
/// The length of the shortest book: one position, which ends a game.
const SHORTEST: usize = HEADER + BOARD + LEN + SUM;
/// The byte after a position's last move.
const NO_MORE: u8 = 255;
/// The units of a disc.
const UNITS: i16 = 100;
/// The score of a root with all of its moves in the book.
const ALL_IN_BOOK: i16 = -16_400;
/// The selectivity of searches that don't reach the end.
const SELECTIVITY_OF_MIDGAME: u16 = 4;

/// A position exactly as a book stores it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record {
    /// The board. Its side to move may have to pass.
    pub board: Board,
    /// How often it occurred in games, of two kinds.
    pub games: [u16; 2],
    /// Its known value, and from which search.
    pub flags: u16,
    /// The score, or of a root that isn't proven an upper bound of the moves that lead out of the book.
    pub score: i16,
}

impl Record {
    /// In `flags`: proven.
    pub const PROVEN: u16 = 1;
    /// In `flags`: the root of a search of moves that lead out of the book.
    pub const ROOT: u16 = 2;
    /// In `flags`: a win, a draw or a loss for certain, and not by how much.
    pub const WON_DRAWN_OR_LOST: u16 = 4;
    /// In `flags`: searched to the end.
    pub const TO_THE_END: u16 = 8;
    /// In `flags`: the depth of the search begins at this bit.
    pub const DEPTH: u32 = 4;
    /// In `flags`: the selectivity of the search begins at this bit.
    pub const SELECTIVITY: u32 = 10;

    /// The depth of the search; `None` if there was none.
    #[must_use]
    pub fn depth(&self) -> Option<u8> {
        let depth = (self.flags >> Record::DEPTH & 63) as u8;
        (depth > 0).then_some(depth)
    }

    /// Reads the numbers of a board's record.
    fn read(board: Board, fields: &mut Fields<'_>) -> Record {
        Record {
            board,
            games: [fields.u16(), fields.u16()],
            flags: fields.u16(),
            score: fields.i16(),
        }
    }

    /// The numbers as they stand in a file.
    fn numbers(&self) -> [[u8; 2]; 4] {
        let [first, second] = self.games;
        [first, second, self.flags, self.score.cast_unsigned()].map(u16::to_le_bytes)
    }

    fn is(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    /// Whether the score is only a bound of the moves that lead out of the book.
    fn is_bound(&self) -> bool {
        self.is(Record::ROOT) && !self.is(Record::PROVEN)
    }

    /// The position of the side that really moves.
    fn moving(&self) -> Board {
        moving(self.board)
    }

    /// Its statement about the side that really moves; `None` if it makes no sense.
    fn claim(&self) -> Option<Claim> {
        if self.moving().is_over() {
            return Some(Claim::Exact(self.moving().final_score().into()));
        }
        if self.is_bound() {
            return Some(Claim::Nothing);
        }
        let score = match self.board.must_pass() {
            true => self.score.checked_neg()?,
            false => self.score,
        };
        let discs = (f32::from(score) / f32::from(UNITS)).round() as i16;
        if self.is(Record::PROVEN) && self.is(Record::WON_DRAWN_OR_LOST) {
            // A number without sense is a guess of nothing but the sign.
            let guess = if discs.abs() > MOST { 0 } else { discs };
            return Some(Claim::certain(score, guess));
        }
        if !(-MOST..=MOST).contains(&discs) {
            return None;
        }
        match self.is(Record::PROVEN) {
            true => (discs % 2 == 0 && !self.is_rounded()).then_some(Claim::Exact(discs)),
            false => Some(Claim::Searched(discs)),
        }
    }

    fn is_rounded(&self) -> bool {
        self.score % UNITS != 0
    }
}

fn moving(board: Board) -> Board {
    match board.must_pass() {
        true => board.passed(),
        false => board,
    }
}

/// The part of a proof that a book can hold: an exact score, a win or a loss.
///
/// ```
/// use obook_converters::ntest::held;
/// use obook_othello::{Engine, Proof};
/// let proof = |lower, upper| Proof::new(lower, upper, Engine::Sensei).unwrap();
/// assert_eq!(held(proof(6, 6)), Some(proof(6, 6)));
/// assert_eq!(held(proof(4, 20)), Some(proof(2, 64)));
/// assert_eq!(held(proof(0, 64)), None);
/// ```
#[must_use]
pub fn held(proof: Proof) -> Option<Proof> {
    match (proof.exact(), proof.lower(), proof.upper()) {
        // Results are even.
        (Some(score), ..) if score % 2 == 0 => Some(proof),
        (_, 1.., _) => Proof::new(2, 64, proof.prover()),
        (_, _, ..=-1) => Proof::new(-64, -2, proof.prover()),
        _ => None,
    }
}

/// The board of a main tree; `None` if a square is both empty and the mover's.
fn board(fields: &mut Fields<'_>) -> Option<Board> {
    let (empty, mover) = (fields.u64(), fields.u64());
    let board = Board::new(mover, !(mover | empty)).ok();
    board.filter(|_| mover & empty == 0)
}

/// The sets by which a main tree gives its board: the empty squares and the mover's discs.
fn sets(board: Board) -> [u64; 2] {
    [!(board.player() | board.opponent()), board.player()]
}

/// The image of a board that books have.
fn key(board: Board) -> Board {
    let (mover, empty) = (board.player(), !(board.player() | board.opponent()));
    let empties = Symmetry::all_bits(empty);
    let images = Symmetry::all_bits(mover).into_iter().zip(empties);
    let smallest = Symmetry::ALL.into_iter().zip(images);
    let smallest = smallest.min_by_key(|(_, image)| *image);
    smallest.map_or(board, |(symmetry, _)| symmetry.board(board))
}

/// Whether a file that begins with `head` is a book of NTest: the version, a number of positions, and the first board, which is the
/// smallest of its images.
///
/// Zebra's compressed books of two positions begin with a 2, too. They are shorter than any of these.
pub(crate) fn begins(head: &[u8]) -> bool {
    let Ok(mut fields) = Fields::new(head, SHORTEST) else {
        return false;
    };
    fields.i32() == VERSION.into() && fields.i32() > 0 && {
        let is_key = |found: Board| {
            let [empty, _] = sets(found);
            empty & Board::CENTRE == 0 && key(found) == found
        };
        board(&mut fields).is_some_and(is_key)
    }
}

/// The checksum.
#[derive(Default)]
struct Check {
    state: [u32; 3],
    /// Which of them takes the next word.
    next: usize,
}

impl Check {
    /// Adds what was written at once.
    fn add(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        let (halves, rest) = rest.as_chunks();
        let words = words.iter().map(|it| u32::from_le_bytes(*it));
        let halves = halves.iter().map(|it| u32::from(u16::from_le_bytes(*it)));
        let rest = rest.iter().map(|it| u32::from(*it));
        words.chain(halves).chain(rest).for_each(|it| self.word(it));
    }

    fn word(&mut self, word: u32) {
        self.state[self.next] = self.state[self.next].wrapping_add(word);
        self.next = (self.next + 1) % 3;
        if self.next == 0 {
            self.mix();
        }
    }

    /// Bob Jenkins's function.
    fn mix(&mut self) {
        let [mut a, mut b, mut c] = self.state;
        for [to_a, to_b, to_c] in [[13, 8, 13], [12, 16, 5], [3, 10, 15]] {
            a = a.wrapping_sub(b).wrapping_sub(c) ^ c >> to_a;
            b = b.wrapping_sub(c).wrapping_sub(a) ^ a << to_b;
            c = c.wrapping_sub(a).wrapping_sub(b) ^ b >> to_c;
        }
        self.state = [a, b, c];
    }

    fn sum(&self) -> u32 {
        self.state[0]
    }
}
