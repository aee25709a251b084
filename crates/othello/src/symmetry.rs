//! The eight symmetries of the board.

use crate::bits::{flip_files, flip_ranks, transpose};
use crate::{Board, Move, Square};

/// One of the eight symmetries of the board: the group D4.
///
/// The image of the square `1` (b1), in the order of [`Symmetry::ALL`]: unchanged, upside down, files mirrored, both (half a
/// turn); then the same four mirrored along the diagonal a1–h8.
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
    /// Bit 0 turns the board upside down, then bit 1 mirrors the files, then bit 2 mirrors along the diagonal a1–h8.
    u8,
);

impl Symmetry {
    /// Changes nothing.
    pub const IDENTITY: Symmetry = Symmetry(0);

    /// All eight symmetries, the identity first.
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

    /// The image of a set of squares, bit 0 = a1.
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

    /// All eight images of a set of squares, in the order of [`Symmetry::ALL`]. They share most of the work.
    ///
    /// ```
    /// use obook_othello::{Board, Symmetry};
    /// let bits = Board::START.player();
    /// assert_eq!(Symmetry::all_bits(bits), Symmetry::ALL.map(|symmetry| symmetry.bits(bits)));
    /// ```
    #[inline]
    #[must_use]
    pub const fn all_bits(bits: u64) -> [u64; 8] {
        // The diagonal comes last in a symmetry: mirroring ranks before it is mirroring files after it.
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

    /// The image of a board.
    #[must_use]
    pub const fn board(self, board: Board) -> Board {
        Board::new_unchecked(self.bits(board.player()), self.bits(board.opponent()))
    }

    /// The image of a square.
    #[inline]
    #[must_use]
    pub const fn square(self, square: Square) -> Square {
        SQUARES[self.0 as usize & 7][square.index() as usize & 63]
    }

    /// The image of a move; a pass stays a pass. Playing a move and applying a symmetry commute:
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

    /// The symmetry that undoes this one.
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
        // With the diagonal, undoing swaps the roles of ranks and files.
        if self.0 & 4 == 0 {
            self
        } else {
            Symmetry(4 | (self.0 & 1) << 1 | (self.0 & 2) >> 1)
        }
    }

    /// This symmetry followed by `next`.
    ///
    /// ```
    /// use obook_othello::Symmetry;
    /// for symmetry in Symmetry::ALL {
    ///     assert_eq!(symmetry.then(symmetry.inverse()), Symmetry::IDENTITY);
    /// }
    /// ```
    #[must_use]
    pub const fn then(self, next: Symmetry) -> Symmetry {
        // Moving `next`'s mirrors past this one's diagonal swaps ranks and files.
        let mirrors = next.0 & 3;
        let carried = if self.0 & 4 == 0 {
            mirrors
        } else {
            (mirrors & 1) << 1 | mirrors >> 1
        };
        Symmetry((self.0 ^ carried) & 3 | (self.0 ^ next.0) & 4)
    }
}

/// The image of each square under each symmetry. A branch per mirror would be mispredicted half of the time.
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
