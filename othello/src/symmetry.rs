//! The eight symmetries of the board.

use crate::bits::{flip_files, flip_ranks, transpose};
use crate::{Board, Move, Square};

/// One of the eight ways to turn and mirror the board: the group D4.
///
/// Where the square `1` (b1) goes, in the order of [`Symmetry::ALL`]: as it is, upside down, the files mirrored, both
/// (half a turn); then the same four mirrored along the diagonal a1–h8.
///
/// ```text
///     0         1         2         3         4         5         6         7
///   A B … H   A B … H   A … G H   A … G H   A B … H   A … G H   A B … H   A … G H
/// 1 - 1 - -   - - - -   - - 1 -   - - - -   - - - -   - - - -   - - - -   - - - -
/// 2 - - - -   - - - -   - - - -   - - - -   1 - - -   - - - 1   - - - -   - - - -
/// 7 - - - -   - - - -   - - - -   - - - -   - - - -   - - - -   1 - - -   - - - 1
/// 8 - - - -   - 1 - -   - - - -   - - 1 -   - - - -   - - - -   - - - -   - - - -
/// ```
///
/// ```
/// use obook_othello::{Square, Symmetry};
/// let b1: Square = "b1".parse()?;
/// let images = Symmetry::ALL.map(|symmetry| symmetry.square(b1).to_string());
/// assert_eq!(images, ["b1", "b8", "g1", "g8", "a2", "h2", "a7", "h7"]);
/// # Ok::<(), obook_othello::ParseSquareError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Symmetry(
    /// Bit 0 turns upside down, then bit 1 mirrors the files, then bit 2 mirrors along the diagonal a1–h8.
    u8,
);

impl Symmetry {
    /// Leaves every square where it is.
    pub const IDENTITY: Symmetry = Symmetry(0);

    /// All eight, the identity first.
    pub const ALL: [Symmetry; 8] = [
        Symmetry(0),
        Symmetry(1),
        Symmetry(2),
        Symmetry(3),
        Symmetry(4),
        Symmetry(5),
        Symmetry(6),
        Symmetry(7),
    ];

    /// A set of squares, turned; bit 0 = a1.
    #[must_use]
    pub const fn bits(self, bits: u64) -> u64 {
        let mut x = bits;
        if self.0 & 1 != 0 {
            x = flip_ranks(x);
        }
        if self.0 & 2 != 0 {
            x = flip_files(x);
        }
        if self.0 & 4 != 0 {
            x = transpose(x);
        }
        x
    }

    /// A set of squares, turned in all eight ways, in the order of [`Symmetry::ALL`]; they share most of the work.
    pub(crate) const fn all_bits(bits: u64) -> [u64; 8] {
        // The diagonal comes last in a symmetry: mirrored ranks before it are mirrored files after it.
        let turned = transpose(bits);
        let (mirrored, turned_mirrored) = (flip_files(bits), flip_files(turned));
        [
            bits,
            flip_ranks(bits),
            mirrored,
            flip_ranks(mirrored),
            turned,
            turned_mirrored,
            flip_ranks(turned),
            flip_ranks(turned_mirrored),
        ]
    }

    /// A board, turned.
    #[must_use]
    pub const fn board(self, board: Board) -> Board {
        Board::new_unchecked(self.bits(board.player()), self.bits(board.opponent()))
    }

    /// Where a square goes.
    #[inline]
    #[must_use]
    pub const fn square(self, square: Square) -> Square {
        SQUARES[self.0 as usize & 7][square.index() as usize & 63]
    }

    /// Where a move goes; a pass stays a pass. Playing and turning commute:
    ///
    /// ```
    /// use obook_othello::{Board, Symmetry};
    /// let (board, mv) = (Board::START, "f5".parse()?);
    /// for symmetry in Symmetry::ALL {
    ///     let turned = symmetry.board(board).play(symmetry.play(mv));
    ///     assert_eq!(turned, board.play(mv).map(|child| symmetry.board(child)));
    /// }
    /// # Ok::<(), obook_othello::ParseMoveError>(())
    /// ```
    #[inline]
    #[must_use]
    pub const fn play(self, mv: Move) -> Move {
        match mv {
            Move::Place(square) => Move::Place(self.square(square)),
            Move::Pass => Move::Pass,
        }
    }

    /// The symmetry that takes this one back.
    ///
    /// ```
    /// use obook_othello::{Board, Symmetry};
    /// let board = Board::START.place("f5".parse()?).unwrap();
    /// for symmetry in Symmetry::ALL {
    ///     assert_eq!(symmetry.inverse().board(symmetry.board(board)), board);
    /// }
    /// # Ok::<(), obook_othello::ParseSquareError>(())
    /// ```
    #[must_use]
    pub const fn inverse(self) -> Symmetry {
        // With the diagonal in play, taking back swaps the parts of ranks and files.
        if self.0 & 4 == 0 {
            self
        } else {
            Symmetry(4 | (self.0 & 1) << 1 | (self.0 & 2) >> 1)
        }
    }

    /// This symmetry, then `next`, as one.
    ///
    /// ```
    /// use obook_othello::Symmetry;
    /// for symmetry in Symmetry::ALL {
    ///     assert_eq!(symmetry.then(symmetry.inverse()), Symmetry::IDENTITY);
    /// }
    /// ```
    #[must_use]
    pub const fn then(self, next: Symmetry) -> Symmetry {
        // Carrying `next`'s mirrors past this one's diagonal swaps ranks and files.
        let mirrors = next.0 & 3;
        let carried = if self.0 & 4 == 0 {
            mirrors
        } else {
            (mirrors & 1) << 1 | mirrors >> 1
        };
        Symmetry((self.0 ^ carried) & 3 | (self.0 ^ next.0) & 4)
    }
}

/// Where each symmetry takes each square: a branch per mirror would be mispredicted half of the time.
static SQUARES: [[Square; 64]; 8] = {
    let mut squares = [[Square::A1; 64]; 8];
    let mut number = 0;
    while number < 8 {
        let symmetry = Symmetry::ALL[number];
        let mut index = 0;
        while index < 64 {
            let turned = symmetry.bits(1 << index).trailing_zeros();
            if let Some(square) = Square::new(turned as u8) {
                squares[number][index] = square;
            }
            index += 1;
        }
        number += 1;
    }
    squares
};
